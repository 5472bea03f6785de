/* pair_curve.c - the curve of two motions: in time a quadratic spline through the cells of their
   alignment, adjusted so that it rises in both (Kovar & Gleicher 2003, 4.2.1 and appendix A), and
   how one is laid on the other on the floor (4.3). */
#include "align/knots.h"
#include "align/registration_data.h"
#include "base/fail.h"

/* ---- in time --------------------------------------------------------------------------------- */

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

marey_status mry_pair_curve_fit(mry_registration_job *job, int motion, marey_error *error)
{
    const marey_path *path = &job->out->paths[motion];
    mry_pair_curve *pair = &job->pairs[motion];
    int parent = job->out->parents[motion], last = path->count - 1;
    marey_cell start = path->cells[0], end = path->cells[last];
    if (end.row <= start.row || end.col <= start.col)
        return mry_fail(
            error, MAREY_ERR_REQUEST, NULL,
            "%s and %s are aligned over less than two frames: there is no room for a curve",
            marey_clip_name(job->clips[parent]), marey_clip_name(job->clips[motion]));

    /* u = (row + column) / 2 rises by a half or one with every step, whichever way it goes. */
    double last_rows[2] = { job->last_rows[parent], job->last_rows[motion] };
    double *u = MRY_NEW_RAW(job->tmp, double, path->count);
    double *rows = MRY_NEW_RAW(job->tmp, double, 2 * (size_t)path->count);
    if (!u || !rows) return mry_fail_memory(error, NULL);
    for (int i = 0; i < path->count; i++) {
        rows[2 * i] = path->cells[i].row;
        rows[2 * i + 1] = path->cells[i].col;
        u[i] = (rows[2 * i] + rows[2 * i + 1]) / 2;
    }
    pair->whole = !job->def.centres && start.row == 0 && start.col == 0 &&
                  end.row == job->features[parent]->rows - 1 &&
                  end.col == job->features[motion]->rows - 1;
    if (pair->whole) { /* the last frame may lie behind the last whole row */
        rows[2 * last] = last_rows[0];
        rows[2 * last + 1] = last_rows[1];
        u[last] = (last_rows[0] + last_rows[1]) / 2;
    }
    int points = mry_spline_size(path->count, job->def.samples_per_knot);
    mry_knots_result adjusted;
    if (!mry_spline_fit(job->tmp, u, rows, path->count, 2, points, u[0], u[last], pair->whole,
                        &pair->times))
        return mry_fail_memory(error, NULL);
    marey_status status =
        mry_knots_adjust(job->ctx, pair->times.points, pair->times.count, 2,
                         1.0 / (job->def.slope + 1), pair->whole, &adjusted, error);
    if (status) return status;
    pair->base = adjusted.base;

    /* Where the fit's ends are free they may lie a little outside of the clips, where there is
       nothing to show. */
    pair->first = pair->times.first;
    pair->last = pair->times.last;
    if (pair->whole || mry_curve_inside(&pair->times, last_rows, &pair->first, &pair->last))
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the motions are aligned over too few frames: there is no room for a curve");
}

/* ---- on the floor ---------------------------------------------------------------------------- */

/* How a motion is laid on its parent on the floor along their alignment: the angle, and the
   centroids of both windows, which the turn is about. About the centroids and not the world's
   origin, because there a small error of the angle moves nothing far.

   The angle is that of each cell of the alignment. The centroids are those at S(u), between rows,
   not those of the cell: cells go in stairs around the curve, now one motion ahead and now the
   other, by up to a row's way each; on the curve itself the centroids lie on each other five to ten
   times closer, and their places have no spikes to be filtered. */

enum { WIDEST_MEDIAN = 31 };

/* The centroid between two rows. */
static mry_vec mean_at(const mry_vec *means, int rows, double row)
{
    double held = row < 0 ? 0 : row > rows - 1 ? rows - 1 : row;
    int before = (int)held < rows - 2 ? (int)held : rows - 2;
    return mry_vec_mix(means[before], means[before + 1], held - before);
}

/* Takes out the spikes where the alignment changes from one kind of step to another and back.
   Narrower towards the ends, so that it never looks at more on one side. */
static bool filter_angles(mry_arena *tmp, double *values, int count, int width)
{
    double *was = MRY_NEW_RAW(tmp, double, count), list[WIDEST_MEDIAN];
    if (!was) return false;
    for (int i = 0; i < count; i++) was[i] = values[MRY_FLOOR_DIMS * i + MRY_ANGLE];
    for (int i = 0; i < count; i++) {
        int reach = i < count - 1 - i ? i : count - 1 - i;
        if (reach > width / 2) reach = width / 2;
        for (int k = 0; k <= 2 * reach; k++) { /* sorted as they come */
            double value = was[i - reach + k];
            int at = k;
            for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
            list[at] = value;
        }
        values[MRY_FLOOR_DIMS * i + MRY_ANGLE] = list[reach];
    }
    return true;
}

bool mry_floor_curve_fit(mry_registration_job *job, int motion)
{
    mry_pair_curve *pair = &job->pairs[motion];
    const marey_path *path = &job->out->paths[motion];
    int parent = job->out->parents[motion], count = path->count;
    const marey_features *goal_rows = job->features[parent], *own_rows = job->features[motion];
    const mry_vec *goals = job->means[parent], *owns = job->means[motion];
    double *u = MRY_NEW_RAW(job->tmp, double, count);
    double *values = MRY_NEW_RAW(job->tmp, double, MRY_FLOOR_DIMS *(size_t)count);
    bool *sure = MRY_NEW_RAW(job->tmp, bool, count); /* the angle means something */
    if (!u || !values || !sure) return false;
    double turned =
        0; /* neighbours' angles differ by at most half a turn, unsure ones looked over */
    for (int i = 0; i < count; i++) {
        marey_cell at = path->cells[i];
        double *value = values + MRY_FLOOR_DIMS * i, rows[2];
        marey_placement placed =
            mry_place_about(goal_rows, at.row, goals[at.row], own_rows, at.col, owns[at.col]);
        u[i] = (at.row + at.col) / 2.0;
        sure[i] = placed.sure;
        if (sure[i]) turned += remainder(placed.angle_rad - turned, 2 * M_PI);
        value[MRY_ANGLE] = turned;
        mry_spline_at(&pair->times, u[i], rows, NULL);
        mry_vec goal = mean_at(goals, goal_rows->rows, rows[0]);
        mry_vec own = mean_at(owns, own_rows->rows, rows[1]);
        value[MRY_OWN_X] = own.x - owns[0].x;
        value[MRY_OWN_Z] = own.z - owns[0].z;
        value[MRY_GOAL_X] = goal.x - goals[0].x;
        value[MRY_GOAL_Z] = goal.z - goals[0].z;
    }
    /* Angles that mean nothing are not used: what stands in for them lies on the line between the
       sure ones beside them, or is the next one's at the ends. A fit left alone with a long gap
       would go on into it with whatever slope noise gave it at the brink. Without any sure angle
       all are 0. */
    int last = -1;
    for (int i = 0; i <= count; i++) {
        if (i < count && !sure[i]) continue;
        double before = last >= 0 ? values[MRY_FLOOR_DIMS * last + MRY_ANGLE] : 0;
        double behind = i < count ? values[MRY_FLOOR_DIMS * i + MRY_ANGLE] : before;
        if (last < 0) before = behind;
        for (int k = last + 1; k < i; k++) {
            double share = (double)(k - last) / (i - last);
            values[MRY_FLOOR_DIMS * k + MRY_ANGLE] = before + share * (behind - before);
        }
        last = i;
    }
    return filter_angles(job->tmp, values, count, job->def.median) &&
           mry_spline_fit(job->tmp, u, values, count, MRY_FLOOR_DIMS,
                          mry_spline_size(count, job->def.samples_per_knot), pair->times.first,
                          pair->times.last, false, &pair->floor);
}
