/* registration_join.c - from the curves of pairs to one curve over all motions: each row of the reference is followed
   through the tree of pairs. Kovar & Gleicher 2003, 4.2.2 and 4.3. Two motions keep the curve of their pair. */
#include "align/registration_data.h"

#include "align/knots.h"
#include "base/fail.h"
#include "math/floor.h"

#include <string.h>

/* ---- two motions ------------------------------------------------------------------------------------- */

static bool copy_spline(mry_arena *mem, const mry_spline *from, mry_spline *to)
{
    size_t numbers = (size_t)from->count * (size_t)from->dims;
    *to = *from;
    to->points = MRY_NEW_RAW(mem, double, numbers);
    if (to->points) memcpy(to->points, from->points, numbers * sizeof *to->points);
    return to->points != NULL;
}

static bool set_floor(const mry_registration_job *job, int motion, const mry_spline *curve)
{
    marey_registration *out = job->out;
    mry_floor_curve *floor = &out->floors[motion];
    mry_vec own = job->means[motion][0], goal = job->means[out->reference][0];
    floor->origin_own[0] = own.x;
    floor->origin_own[1] = own.z;
    floor->origin_goal[0] = goal.x;
    floor->origin_goal[1] = goal.z;
    return copy_spline(&out->mem, curve, &floor->curve);
}

static marey_status keep_pair(mry_registration_job *job, marey_error *error)
{
    marey_registration *out = job->out;
    int motion = 1 - out->reference;
    const mry_pair_curve *pair = &job->pairs[motion];
    if (!copy_spline(&out->mem, &pair->times, &out->times) || !set_floor(job, motion, &pair->floor))
        return mry_fail_memory(error, NULL);
    out->first = pair->first;
    out->last = pair->last;
    out->epsilon = 1.0 / (job->def.slope + 1);
    out->base = out->reference == 0 ? pair->base : 1 - pair->base;
    for (int i = 0; i < out->times.count && out->reference == 1; i++) {
        double *point = out->times.points + 2 * i, parent = point[0];
        point[0] = point[1];
        point[1] = parent;
    }
    return MAREY_OK;
}

/* ---- more: the tree ---------------------------------------------------------------------------------- */

/* Samples at rows of the reference, and where every motion is there. */
typedef struct joined {
    mry_registration_job *job;
    int order[MRY_MOST_MOTIONS]; /* parents before their children */
    int count;                   /* of samples */
    double first, last;          /* rows of the reference */
    bool whole;
    double *u;
    double *rows;   /* count x motions */
    double *floors; /* motions x count x MRY_FLOOR_DIMS */
} joined;

static void find_order(joined *j)
{
    const int *parents = j->job->out->parents;
    int placed = 0;
    for (int depth = 0; placed < j->job->count; depth++) {
        for (int i = 0; i < j->job->count; i++) {
            if (mry_tree_depth(parents, i) == depth) j->order[placed++] = i;
        }
    }
}

/* The reference's row that belongs to a motion's. */
static double to_reference(const mry_registration_job *job, int motion, double row)
{
    for (; job->out->parents[motion] >= 0; motion = job->out->parents[motion]) {
        double at[2];
        mry_spline_at(&job->pairs[motion].times, mry_spline_find(&job->pairs[motion].times, 1, row),
                      at, NULL);
        row = at[0];
    }
    return row;
}

/* What all pairs have in common. */
static marey_status find_range(joined *j, marey_error *error)
{
    const mry_registration_job *job = j->job;
    j->first = 0;
    j->last = job->last_rows[job->out->reference];
    j->whole = true;
    for (int i = 0; i < job->count; i++) {
        const mry_pair_curve *pair = &job->pairs[i];
        int parent = job->out->parents[i];
        double at[2];
        if (parent < 0) continue;
        j->whole &= pair->whole;
        mry_spline_at(&pair->times, pair->first, at, NULL);
        j->first = fmax(j->first, to_reference(job, parent, at[0]));
        mry_spline_at(&pair->times, pair->last, at, NULL);
        j->last = fmin(j->last, to_reference(job, parent, at[0]));
    }
    if (j->whole) { /* but for rounding on the way */
        j->first = 0;
        j->last = job->last_rows[job->out->reference];
    }
    if (j->last - j->first >= 1) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the alignments have less than two rows of %s in common",
                    marey_clip_name(job->clips[job->out->reference]));
}

static double held(double u, double first, double last)
{
    return u < first ? first : u > last ? last : u;
}

/* First the child on its parent, then that on the reference: angles add up, the place turned about stays the child's,
   and where it goes is moved as the parent is. */
static void follow(const double *parent, double *child)
{
    double x = child[MRY_GOAL_X] - parent[MRY_OWN_X], z = child[MRY_GOAL_Z] - parent[MRY_OWN_Z];
    mry_floor_turn(parent[MRY_ANGLE], &x, &z);
    child[MRY_ANGLE] += parent[MRY_ANGLE];
    child[MRY_GOAL_X] = x + parent[MRY_GOAL_X];
    child[MRY_GOAL_Z] = z + parent[MRY_GOAL_Z];
}

static void sample(joined *j, int at)
{
    const mry_registration_job *job = j->job;
    const int *parents = job->out->parents;
    double *rows = j->rows + (size_t)at * (size_t)job->count;
    size_t stride = MRY_FLOOR_DIMS * (size_t)j->count, here = MRY_FLOOR_DIMS * (size_t)at;
    rows[job->out->reference] = j->u[at];
    for (int k = 1; k < job->count; k++) {
        int motion = j->order[k], parent = parents[motion];
        const mry_pair_curve *pair = &job->pairs[motion];
        double *floor = j->floors + (size_t)motion * stride + here, both[2];
        double u = mry_spline_find(&pair->times, 0, rows[parent]);
        u = held(u, pair->first, pair->last);
        mry_spline_at(&pair->times, u, both, NULL);
        mry_spline_at(&pair->floor, u, floor, NULL);
        rows[motion] = both[1];
        if (parents[parent] >= 0) follow(j->floors + (size_t)parent * stride + here, floor);
    }
}

/* At the ends of the common range and at every whole row between them. */
static bool take_samples(joined *j)
{
    mry_arena *tmp = j->job->tmp;
    int from = (int)floor(j->first) + 1, to = (int)ceil(j->last) - 1;
    size_t motions = (size_t)j->job->count;
    j->count = to - from + 3;
    j->u = MRY_NEW_RAW(tmp, double, j->count);
    j->rows = MRY_NEW_RAW(tmp, double, motions *(size_t)j->count);
    j->floors = MRY_NEW(tmp, double, motions *(size_t)j->count *MRY_FLOOR_DIMS);
    if (!j->u || !j->rows || !j->floors) return false;
    for (int i = 0; i < j->count; i++) {
        j->u[i] = i == 0 ? j->first : i == j->count - 1 ? j->last : from + i - 1;
        sample(j, i);
    }
    for (size_t i = 0; i < motions && j->whole; i++) /* both were so but for rounding */
        j->rows[(size_t)(j->count - 1) * motions + i] = j->job->last_rows[i];
    return true;
}

static bool fit_floors(const joined *j, int points)
{
    const mry_registration_job *job = j->job;
    for (int k = 1; k < job->count; k++) {
        size_t start = (size_t)j->order[k] * MRY_FLOOR_DIMS * (size_t)j->count;
        mry_spline curve;
        if (!mry_spline_fit(job->tmp, j->u, j->floors + start, j->count, MRY_FLOOR_DIMS, points,
                            j->first, j->last, false, &curve) ||
            !set_floor(job, j->order[k], &curve))
            return false;
    }
    return true;
}

/* Each pair keeps to a ratio of slopes. Along a chain of pairs ratios multiply, most of it being the steps of the alignments'
   cells: a motion at its end may all but stand still for a few frames, and whoever is blended with it there is made to
   jump. So the whole curve is held to what one pair is held to; where lengths are farther apart than that, to the least
   power of it that lets them. */
static marey_status adjust(const joined *j, marey_error *error)
{
    const mry_registration_job *job = j->job;
    marey_registration *out = job->out;
    int depth = mry_tree_depth(out->parents, j->order[job->count - 1]);
    mry_knots_result adjusted;
    marey_status status = MAREY_ERR_REQUEST;
    for (int power = 1; power <= depth && status == MAREY_ERR_REQUEST; power++) {
        out->epsilon = pow(1.0 / (job->def.slope + 1), power);
        status = mry_knots_adjust(job->ctx, out->times.points, out->times.count, job->count,
                                  out->epsilon, j->whole, &adjusted, error);
    }
    if (!status) out->base = adjusted.base;
    return status;
}

static marey_status fit(const joined *j, marey_error *error)
{
    const mry_registration_job *job = j->job;
    marey_registration *out = job->out;
    int points = mry_spline_size(j->count, job->def.samples_per_knot);
    mry_spline times;
    if (!mry_spline_fit(job->tmp, j->u, j->rows, j->count, job->count, points, j->first, j->last,
                        j->whole, &times) ||
        !copy_spline(&out->mem, &times, &out->times) || !fit_floors(j, points))
        return mry_fail_memory(error, NULL);
    marey_status status = adjust(j, error);
    if (status) return status;
    out->first = j->first;
    out->last = j->last;
    if (j->whole || mry_curve_inside(&out->times, job->last_rows, &out->first, &out->last))
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the motions are aligned over too few frames: there is no room for a curve");
}

marey_status mry_registration_join(mry_registration_job *job, marey_error *error)
{
    joined j = { .job = job };
    if (job->count == 2) return keep_pair(job, error);
    find_order(&j);
    marey_status status = find_range(&j, error);
    if (status) return status;
    return take_samples(&j) ? fit(&j, error) : mry_fail_memory(error, NULL);
}
