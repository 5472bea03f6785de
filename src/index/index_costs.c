/* index_costs.c - what the web of a pair of clips will cost, before anything is compared: how many cells it
   has, and how many of them lie below the ceiling, where chains are. That is seen from a few poses of
   each clip, by the codes that the library has for searches. Shards are cut by it, and the time that is left
   follows from it. */
#include "index/index_work.h"

#include "base/fail.h"
#include "library/pose_rows.h"
#include "match/web_data.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 6, FEW_SAMPLES = 3, MANY_CLIPS = 2000 }; /* poses of a clip */

/* A cell that is near costs so many times one that a bound rules out: chains, their surroundings and
   bridges. Fitted to shards of the CMU library. */
#define NEAR_COST 24.0

/* Poses of a clip, about their middles. */
typedef struct mry_index_sample {
    int count, points;
    uint64_t kind; /* of what their points are: only equal ones are compared */
    double *at;    /* count x points x (x, z, y) */
    double sizes[SAMPLES];
} sample;

typedef struct sampling {
    mry_indexing *work;
    int next;
    bool full;
} sampling;

/* Sums in doubles of whole numbers of codes, so that every machine cuts alike. */
static bool take_poses(void *user, int64_t clip, const mry_pose_blocks *blocks)
{
    sampling *all = user;
    while (all->next < all->work->count && all->work->slots[all->next].id < clip) all->next++;
    if (all->next >= all->work->count || all->work->slots[all->next].id != clip || !blocks)
        return true;
    sample *to = &all->work->samples[all->next];
    int points = blocks->points, most = all->work->count > MANY_CLIPS ? FEW_SAMPLES : SAMPLES;
    int count = blocks->blocks < most ? blocks->blocks : most;
    mry_arena tmp = mry_arena_make(all->work->ctx);
    float *values = MRY_NEW_RAW(&tmp, float, 6 * (size_t)points);
    to->at = MRY_NEW(&all->work->mem, double, (size_t)count *(size_t)points * 3);
    all->full = !values || !to->at;
    to->points = points;
    to->kind = blocks->by_roles ? blocks->has : blocks->joints | UINT64_C(1) << 63;
    for (int s = 0; s < count && !all->full; s++) {
        double middle[3] = { 0 }, *at = to->at + (size_t)s * (size_t)points * 3;
        mry_pose_middle(blocks, (int)((int64_t)(2 * s + 1) * blocks->blocks / (2 * count)), values);
        for (int k = 0; k < 3 * points; k++) middle[k % 3] += (double)values[k] / points;
        for (int k = 0; k < 3 * points; k++) {
            at[k] = (double)values[k] - middle[k % 3];
            to->sizes[s] += at[k] * at[k];
        }
    }
    to->count = all->full ? 0 : count;
    mry_arena_free(&tmp);
    return !all->full;
}

/* Mean squared distance of two poses' points, laid on each other by a turn and a shift. */
static double pose_distance(const sample *a, int i, const sample *b, int j)
{
    const double *p = a->at + (size_t)i * (size_t)a->points * 3;
    const double *q = b->at + (size_t)j * (size_t)b->points * 3;
    double along = 0, across = 0, up = 0;
    for (int k = 0; k < 3 * a->points; k += 3) {
        along += p[k] * q[k] + p[k + 1] * q[k + 1];
        across += p[k] * q[k + 1] - p[k + 1] * q[k];
        up += p[k + 2] * q[k + 2];
    }
    double turned = sqrt(along * along + across * across);
    return (a->sizes[i] + b->sizes[j] - 2 * up - 2 * turned) / a->points;
}

/* The part of a pair that is near, by samples. Without poses: all of it. */
static double near_share(const sample *a, const sample *b, double ceiling)
{
    int near = 0, all = a->count * b->count;
    if (all == 0 || a->kind != b->kind || a->points != b->points) return 1;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) near += pose_distance(a, i, b, j) < ceiling;
    return (double)near / all;
}

marey_status mry_index_costs_begin(mry_indexing *work, marey_error *error)
{
    sampling all = { .work = work };
    double ceiling = work->settings.web.ceiling;
    work->samples = MRY_NEW(&work->mem, sample, work->count);
    if (!work->samples) return mry_fail_memory(error, NULL);
    /* Ceilings of other metrics are in other units: there all of a pair counts as near. */
    if (strcmp(work->settings.metric.metric->name, "points") != 0 || !(ceiling > 0))
        return MAREY_OK;
    if (!isfinite(ceiling)) return MAREY_OK;
    marey_status status = mry_pose_rows_read(work->library, take_poses, &all, error);
    return !status && all.full ? mry_fail_memory(error, NULL) : status;
}

double mry_index_cost(const mry_indexing *work, int i, int j)
{
    const mry_index_slot *a = &work->slots[i], *b = &work->slots[j];
    double share =
        i == j ? 1 : near_share(&work->samples[i], &work->samples[j], work->settings.web.ceiling);
    return (double)mry_web_cells(a->rows, b->rows, i == j) * (1 + NEAR_COST * share);
}
