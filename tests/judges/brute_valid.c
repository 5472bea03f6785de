/* brute_valid.c - the valid region, cell by cell: see brute_search.h. */
#include "brute_search.h"

#include <math.h>
#include <stdlib.h>

typedef struct region {
    marey_rows cost;
    bool self;
    int reach;
    float ceiling, grow;
    uint8_t *valid;
} region;

static float value(const region *g, int row, int col)
{
    if (row < 0 || col < 0 || row >= g->cost.rows || col >= g->cost.cols) return INFINITY;
    return g->cost.values[(size_t)row * g->cost.stride + (size_t)col];
}

static bool usable(const region *g, int row, int col)
{
    return row >= 0 && col >= 0 && row < g->cost.rows && col < g->cost.cols &&
           !(g->self && col <= row);
}

/* From a cell both ways, if it is less than both neighbours there. */
static void extend(region *g, int r, int c, int down, int across)
{
    float v = value(g, r, c), limit = g->grow * v;
    if (!(v < value(g, r - down, c - across) && v < value(g, r + down, c + across))) return;
    g->valid[(size_t)r * (size_t)g->cost.cols + (size_t)c] = 1;
    for (int way = -1; way <= 1; way += 2) {
        for (int k = 1; k < g->reach; k++) {
            int row = r + way * k * down, col = c + way * k * across;
            if (!usable(g, row, col) || !(value(g, row, col) < limit)) break;
            g->valid[(size_t)row * (size_t)g->cost.cols + (size_t)col] = 1;
        }
    }
}

uint8_t *web_judge_valid(marey_rows cost, bool self, double fps, const marey_web_def *def)
{
    marey_web_def none = { 0 };
    if (!def) def = &none;
    region g = { .cost = cost, .self = self };
    g.reach = (int)fmax(1, round((def->bridge_s > 0 ? def->bridge_s : 2) * fps));
    g.ceiling = def->ceiling > 0 ? (float)def->ceiling : INFINITY;
    g.grow = (float)(1 + (def->valid > 0 ? def->valid : 0.15));
    g.valid = calloc((size_t)cost.rows * (size_t)cost.cols, 1);
    for (int r = 0; r < cost.rows; r++) {
        for (int c = 0; c < cost.cols; c++) {
            if (!usable(&g, r, c) || !(value(&g, r, c) < g.ceiling)) continue;
            extend(&g, r, c, 0, 1);
            extend(&g, r, c, 1, 0);
        }
    }
    return g.valid;
}
