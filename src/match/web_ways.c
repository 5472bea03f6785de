/* web_ways.c - see web_ways.h. A row is computed from the first column on that may hold a way, and whole
   vectors of it: cells beside the grid, and behind the last one, cost infinitely much. */
#include "match/web_ways.h"

#include <math.h>
#include <string.h>

enum { FRONT = MRY_WEB_MOST_SLOPE + 1, BEHIND = MRY_WEB_MOST_SLOPE + 3 * MRY_KERNEL_WAYS };

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
    }
    float *costs = MRY_NEW_RAW(mem, float, stride);
    if (!costs) return false;
    ways->costs = costs + FRONT;
    mry_web_ways_clear(ways);
    return true;
}

void mry_web_ways_clear(mry_web_ways *ways)
{
    ways->now = &ways->rows[0];
    ways->before = &ways->rows[1];
    ways->now->from = ways->now->to = ways->now->lo = ways->now->hi = 0;
}

enum { STEP = MRY_KERNEL_WAYS };

/* Whole vectors from `from` on, at least to `to`. */
static void blank(double *sums, int from, int to)
{
    static const double none[STEP] = { INFINITY, INFINITY, INFINITY, INFINITY,
                                       INFINITY, INFINITY, INFINITY, INFINITY };
    for (int x = from; x < to; x += STEP) memcpy(sums + x, none, sizeof none);
}

void mry_web_ways_open(mry_web_ways *ways, const float *cells, int way, int first, int behind,
                       int width)
{
    mry_web_ways_row *before = ways->now, *now = ways->before;
    const int slope = ways->slope;
    const bool empty = mry_web_ways_over(ways);
    float *costs = ways->costs;
    ways->now = now;
    ways->before = before;
    int lo = empty || first < before->lo ? first : before->lo;
    int hi = empty || behind > before->hi + 1 ? behind : before->hi + 1;
    hi = hi + slope < width ? hi + slope : width;
    if (hi < lo) hi = lo;
    int end = lo + (hi - lo + STEP - 1) / STEP * STEP;
    if (empty) before->from = before->to = lo;
    for (int k = 0; k <= slope; k++) {
        double *sums = before->sums + (size_t)k * ways->stride;
        for (int x = lo - 1; x < before->from; x++) sums[x] = INFINITY;
        blank(sums, before->to, end);
    }
    for (int x = lo - slope; x < lo; x++) {
        now->sums[ways->stride + (size_t)x] = INFINITY;
        costs[x] = INFINITY;
    }
    for (int x = lo; x < hi && way > 0; x += STEP)
        memcpy(costs + x, cells + x, STEP * sizeof *costs);
    for (int x = lo; x < hi && way < 0; x++) costs[x] = cells[-x];
    for (int x = hi; x < end; x++) costs[x] = INFINITY;
    now->from = now->lo = lo;
    now->to = end;
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
    while (lo < hi && !(now->sums[lo] < INFINITY)) lo++;
    while (hi > lo && !(now->sums[hi - 1] < INFINITY)) hi--;
    now->lo = lo;
    now->hi = hi;
}
