/* floor_curve.c - how a motion is laid on its parent on the floor along their alignment: the angle, and the centroids of
   both windows, which the turn is about. Kovar & Gleicher 2003, 4.3; about the centroids and not the world's origin,
   because there a small error of the angle moves nothing far.

   The angle is that of each cell of the alignment. The centroids are those at S(u), between rows, not those of the cell:
   cells go in stairs around the curve, now one motion ahead and now the other, by up to a row's way each; on the curve
   itself the centroids lie on each other five to ten times closer, and their places have no spikes to be filtered. */
#include "align/registration_data.h"

enum { WIDEST_MEDIAN = 31 };

/* What every cell of a path says; unsure angles are not yet replaced. */
typedef struct samples {
    int count;
    double *u;
    double *values; /* count x MRY_FLOOR_DIMS */
    bool *sure;     /* the angle means something */
} samples;

/* The centroid between two rows. */
static mry_vec mean_at(const mry_vec *means, int rows, double row)
{
    double held = row < 0 ? 0 : row > rows - 1 ? rows - 1 : row;
    int before = (int)held < rows - 2 ? (int)held : rows - 2;
    return mry_vec_mix(means[before], means[before + 1], held - before);
}

static bool take_samples(const mry_registration_job *job, int motion, samples *out)
{
    const marey_path *path = &job->out->paths[motion];
    int parent = job->out->parents[motion];
    const mry_vec *goals = job->means[parent], *owns = job->means[motion];
    out->count = path->count;
    out->u = MRY_NEW_RAW(job->tmp, double, path->count);
    out->values = MRY_NEW_RAW(job->tmp, double, MRY_FLOOR_DIMS *(size_t)path->count);
    out->sure = MRY_NEW_RAW(job->tmp, bool, path->count);
    if (!out->u || !out->values || !out->sure) return false;
    for (int i = 0; i < path->count; i++) {
        marey_cell at = path->cells[i];
        double *value = out->values + MRY_FLOOR_DIMS * i, rows[2];
        marey_placement placed = mry_place_about(job->features[parent], at.row, goals[at.row],
                                                 job->features[motion], at.col, owns[at.col]);
        out->u[i] = (at.row + at.col) / 2.0;
        out->sure[i] = placed.sure;
        value[MRY_ANGLE] = placed.angle_rad;
        mry_spline_at(&job->pairs[motion].times, out->u[i], rows, NULL);
        mry_vec goal = mean_at(goals, job->features[parent]->rows, rows[0]);
        mry_vec own = mean_at(owns, job->features[motion]->rows, rows[1]);
        value[MRY_OWN_X] = own.x - owns[0].x;
        value[MRY_OWN_Z] = own.z - owns[0].z;
        value[MRY_GOAL_X] = goal.x - goals[0].x;
        value[MRY_GOAL_Z] = goal.z - goals[0].z;
    }
    return true;
}

/* Angles whose neighbours differ by at most half a turn, unsure ones looked over. */
static void unwrap(samples *s)
{
    double last = 0;
    for (int i = 0; i < s->count; i++) {
        double *angle = &s->values[MRY_FLOOR_DIMS * i + MRY_ANGLE];
        if (!s->sure[i]) continue;
        *angle = last + remainder(*angle - last, 2 * M_PI);
        last = *angle;
    }
}

/* Angles that mean nothing are not used: what stands in for them lies on the line between the sure ones beside
   them, or is the next one's at the ends. A fit left alone with a long gap would go on into it with whatever slope
   noise gave it at the brink. Without any sure angle all are 0. */
static void bridge(samples *s)
{
    int last = -1;
    for (int i = 0; i <= s->count; i++) {
        if (i < s->count && !s->sure[i]) continue;
        double before = last >= 0 ? s->values[MRY_FLOOR_DIMS * last + MRY_ANGLE] : 0;
        double behind = i < s->count ? s->values[MRY_FLOOR_DIMS * i + MRY_ANGLE] : before;
        if (last < 0) before = behind;
        for (int k = last + 1; k < i; k++) {
            double share = (double)(k - last) / (i - last);
            s->values[MRY_FLOOR_DIMS * k + MRY_ANGLE] = before + share * (behind - before);
        }
        last = i;
    }
}

static double middle(double *list, int count)
{
    for (int i = 1; i < count; i++) {
        double value = list[i];
        int at = i;
        for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
        list[at] = value;
    }
    return list[count / 2];
}

/* Takes out the spikes where the alignment changes from one kind of step to another and back. Narrower towards the ends,
   so that it never looks at more on one side. */
static bool filter(mry_arena *tmp, samples *s, int width)
{
    double *was = MRY_NEW_RAW(tmp, double, s->count), list[WIDEST_MEDIAN];
    if (!was) return false;
    for (int i = 0; i < s->count; i++) was[i] = s->values[MRY_FLOOR_DIMS * i + MRY_ANGLE];
    for (int i = 0; i < s->count; i++) {
        int reach = i < s->count - 1 - i ? i : s->count - 1 - i;
        if (reach > width / 2) reach = width / 2;
        for (int k = -reach; k <= reach; k++) list[reach + k] = was[i + k];
        s->values[MRY_FLOOR_DIMS * i + MRY_ANGLE] = middle(list, 2 * reach + 1);
    }
    return true;
}

bool mry_floor_curve_fit(mry_registration_job *job, int motion)
{
    mry_pair_curve *pair = &job->pairs[motion];
    samples s;
    if (!take_samples(job, motion, &s)) return false;
    unwrap(&s);
    bridge(&s);
    if (!filter(job->tmp, &s, job->def.median)) return false;
    return mry_spline_fit(job->tmp, s.u, s.values, s.count, MRY_FLOOR_DIMS,
                          mry_spline_size(s.count, job->def.samples_per_knot), pair->times.first,
                          pair->times.last, false, &pair->floor);
}
