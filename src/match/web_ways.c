/* web_ways.c - see web_ways.h. A row is computed from the first column on that may hold a way, in whole
   vectors: cells behind its last cost infinitely much. Of a row all sums are infinite behind what was
   computed, and so is the one in front. */
#include "match/web_ways.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    STEP = MRY_KERNEL_WAYS,
    FRONT = MRY_WEB_MOST_SLOPE + 1,
    BEHIND = MRY_WEB_MOST_SLOPE + 3 * STEP
};

bool mry_web_ways_make(mry_web_ways *ways, mry_arena *mem, int slope, int width, bool tagged)
{
    size_t stride = FRONT + (size_t)width + BEHIND, all = stride * ((size_t)slope + 1);
    *ways = (mry_web_ways){ .kernel = mry_kernel_best(), .slope = slope, .stride = stride };
    bool made = true;
    for (int i = 0; i < 2; i++) {
        double *sums = MRY_NEW_RAW(mem, double, all);
        int64_t *tags = tagged ? MRY_NEW(mem, int64_t, all) : NULL;
        made = made && sums && (tags || !tagged);
        if (!made) return false;
        ways->rows[i].sums = sums + FRONT;
        ways->rows[i].tags = tags ? tags + FRONT : NULL;
        ways->rows[i].used = width + BEHIND - STEP; /* not yet blank */
    }
    float *costs = MRY_NEW_RAW(mem, float, stride);
    if (!costs) return false;
    ways->costs = costs + FRONT;
    mry_web_ways_clear(ways);
    return true;
}

/* Whole vectors from `from` on, at least to `to`. */
static void blank(const mry_web_ways *ways, const mry_web_ways_row *row, int from, int to)
{
    static const double none[STEP] = { INFINITY, INFINITY, INFINITY, INFINITY,
                                       INFINITY, INFINITY, INFINITY, INFINITY };
    for (int k = 0; k <= ways->slope; k++) {
        double *sums = row->sums + (size_t)k * ways->stride;
        for (int x = from; x < to; x += STEP) memcpy(sums + x, none, sizeof none);
    }
}

void mry_web_ways_clear(mry_web_ways *ways)
{
    for (int i = 0; i < 2; i++) {
        mry_web_ways_row *row = &ways->rows[i];
        blank(ways, row, -FRONT, row->used);
        row->used = row->lo = row->hi = 0;
    }
    ways->now = &ways->rows[0];
    ways->before = &ways->rows[1];
}

void mry_web_ways_open(mry_web_ways *ways, const float *cells, int way, int first, int behind,
                       int width)
{
    static const float none[STEP] = { INFINITY, INFINITY, INFINITY, INFINITY,
                                      INFINITY, INFINITY, INFINITY, INFINITY };
    mry_web_ways_row *before = ways->now, *now = ways->before;
    const int slope = ways->slope;
    const bool empty = mry_web_ways_over(ways);
    float *costs = ways->costs;
    ways->now = now;
    ways->before = before;
    int lo = empty ? first : before->lo; /* none begins further left */
    assert(first >= lo);
    int hi = empty || behind > before->hi + 1 ? behind : before->hi + 1;
    hi = hi + slope < width ? hi + slope : width;
    if (hi < lo) hi = lo;
    double *starts = now->sums + ways->stride;
    for (int x = lo - slope; x < lo; x++) starts[x] = costs[x] = INFINITY;
    for (int x = lo; x < hi && way > 0; x += STEP)
        memcpy(costs + x, cells + x, STEP * sizeof *costs);
    for (int x = lo; x < hi && way < 0; x++) costs[x] = cells[-x];
    memcpy(costs + hi, none, sizeof none);
    now->lo = lo;
    now->hi = hi;
}

void mry_web_ways_close(mry_web_ways *ways, const mry_ways_def *def)
{
    mry_web_ways_row *before = ways->before, *now = ways->now;
    mry_ways_def row = *def;
    int lo = now->lo, hi = now->hi;
    row.slope = ways->slope;
    row.stride = ways->stride;
    row.costs = ways->costs + lo;
    row.before = before->sums + lo;
    row.sums = now->sums + lo;
    row.tags_before = now->tags ? before->tags + lo : NULL;
    row.tags = now->tags ? now->tags + lo : NULL;
    if (row.oldest) row.oldest += lo;
    if (row.least) {
        row.least += lo;
        row.least_at += lo;
    }
    row.states += lo;
    ways->kernel->ways(&row, hi - lo);
    for (int k = 0; k <= ways->slope; k++) {
        double *sums = now->sums + (size_t)k * ways->stride;
        sums[lo - 1] = INFINITY;
    }
    if (hi < now->used) blank(ways, now, hi, now->used);
    now->used = hi;
    while (lo < hi && !(now->sums[lo] < INFINITY)) lo++;
    while (hi > lo && !(now->sums[hi - 1] < INFINITY)) hi--;
    now->lo = lo;
    now->hi = hi;
}
