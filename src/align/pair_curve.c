/* pair_curve.c - the timewarp curve of two motions: a quadratic spline through the cells of their alignment, adjusted so
   that it rises in both. Kovar & Gleicher 2003, 4.2.1 and appendix A. */
#include "align/registration_data.h"

#include "align/knots.h"
#include "base/fail.h"

/* u = (row + column) / 2 rises by a half or one with every step, whichever way it goes. */
static bool take_samples(const mry_registration_job *job, int motion, double **u, double **rows)
{
    const marey_path *path = &job->out->paths[motion];
    *u = MRY_NEW_RAW(job->tmp, double, path->count);
    *rows = MRY_NEW_RAW(job->tmp, double, 2 * (size_t)path->count);
    if (!*u || !*rows) return false;
    for (int i = 0; i < path->count; i++) {
        (*rows)[2 * i] = path->cells[i].row;
        (*rows)[2 * i + 1] = path->cells[i].col;
        (*u)[i] = ((*rows)[2 * i] + (*rows)[2 * i + 1]) / 2;
    }
    return true;
}

static bool is_whole(const mry_registration_job *job, int motion)
{
    const marey_path *path = &job->out->paths[motion];
    marey_cell first = path->cells[0], last = path->cells[path->count - 1];
    return !job->def.centres && first.row == 0 && first.col == 0 &&
           last.row == job->features[job->out->parents[motion]]->rows - 1 &&
           last.col == job->features[motion]->rows - 1;
}

static marey_status check_room(const mry_registration_job *job, int motion, marey_error *error)
{
    const marey_path *path = &job->out->paths[motion];
    marey_cell first = path->cells[0], last = path->cells[path->count - 1];
    if (last.row > first.row && last.col > first.col) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%s and %s are aligned over less than two frames: there is no room for a curve",
                    marey_clip_name(job->clips[job->out->parents[motion]]),
                    marey_clip_name(job->clips[motion]));
}

bool mry_curve_inside(const mry_spline *times, const double *last_rows, double *first, double *last)
{
    *first = times->first;
    *last = times->last;
    for (int d = 0; d < times->dims; d++) {
        *first = fmax(*first, mry_spline_find(times, d, 0));
        *last = fmin(*last, mry_spline_find(times, d, last_rows[d]));
    }
    return *first < *last;
}

/* Where the fit's ends are free they may lie a little outside of the clips, where there is nothing to show. */
static marey_status find_range(mry_pair_curve *pair, const double *last_rows, marey_error *error)
{
    pair->first = pair->times.first;
    pair->last = pair->times.last;
    if (pair->whole || mry_curve_inside(&pair->times, last_rows, &pair->first, &pair->last))
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the motions are aligned over too few frames: there is no room for a curve");
}

marey_status mry_pair_curve_fit(mry_registration_job *job, int motion, marey_error *error)
{
    const marey_path *path = &job->out->paths[motion];
    mry_pair_curve *pair = &job->pairs[motion];
    double last_rows[2] = { job->last_rows[job->out->parents[motion]], job->last_rows[motion] };
    double *u, *rows;
    int last = path->count - 1, points = mry_spline_size(path->count, job->def.samples_per_knot);
    mry_knots_result adjusted;
    marey_status status = check_room(job, motion, error);
    if (status) return status;
    if (!take_samples(job, motion, &u, &rows)) return mry_fail_memory(error, NULL);
    pair->whole = is_whole(job, motion);
    if (pair->whole) { /* the last frame may lie behind the last whole row */
        rows[2 * last] = last_rows[0];
        rows[2 * last + 1] = last_rows[1];
        u[last] = (last_rows[0] + last_rows[1]) / 2;
    }
    if (!mry_spline_fit(job->tmp, u, rows, path->count, 2, points, u[0], u[last], pair->whole,
                        &pair->times))
        return mry_fail_memory(error, NULL);
    status = mry_knots_adjust(job->ctx, pair->times.points, pair->times.count, 2,
                              1.0 / (job->def.slope + 1), pair->whole, &adjusted, error);
    if (status) return status;
    pair->base = adjusted.base;
    return find_range(pair, last_rows, error);
}
