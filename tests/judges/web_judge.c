/* web_judge.c - see web_judge.h. */
#include "web_judge.h"

#include "match/web_data.h"
#include "search_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grid {
    marey_rows cost;
    bool self;
    int slope, reach;
    uint8_t *valid;
    int *chain, *index; /* -1: in none */
    int *lengths;       /* of chains */
    int chain_count;
} grid;

enum { DIAGONAL = 1, ACROSS, DOWN };

static size_t place(const grid *g, int row, int col)
{
    return (size_t)row * (size_t)g->cost.cols + (size_t)col;
}

static bool inside(const grid *g, int row, int col)
{
    return row >= 0 && col >= 0 && row < g->cost.rows && col < g->cost.cols;
}

static float value(const grid *g, int row, int col)
{
    return inside(g, row, col) ? g->cost.values[(size_t)row * g->cost.stride + (size_t)col]
                               : INFINITY;
}

/* May a path have this cell? */
static bool usable(const grid *g, int row, int col)
{
    return inside(g, row, col) && !(g->self && col <= row);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* They are those of the web that is judged: tests/judges/plain_web.c judges these. */
static void take_chains(grid *g, const marey_web *web)
{
    g->chain_count = web->chain_count - web->tail_count;
    for (int i = g->self; i < g->chain_count; i++) {
        marey_web_path path = marey_web_path_at(web, i);
        g->lengths[i - g->self] = path.count;
        for (int k = 0; k < path.count; k++) {
            size_t at = place(g, path.cells[k].row, path.cells[k].col);
            g->chain[at] = i;
            g->index[at] = k;
        }
    }
}

static grid grid_make(marey_rows cost, bool self, double fps, const marey_web_def *def)
{
    size_t cells = (size_t)cost.rows * (size_t)cost.cols;
    marey_web_def none = { 0 };
    if (!def) def = &none;
    grid g = { .cost = cost, .self = self, .slope = def->slope ? def->slope : 2 };
    g.reach = (int)fmax(1, round((def->bridge_s > 0 ? def->bridge_s : 2) * fps));
    g.valid = web_judge_valid(cost, self, fps, def);
    g.chain = malloc(cells * sizeof *g.chain);
    g.index = malloc(cells * sizeof *g.index);
    g.lengths = calloc(cells, sizeof *g.lengths);
    memset(g.chain, 0xff, cells * sizeof *g.chain);
    memset(g.index, 0xff, cells * sizeof *g.index);
    return g;
}

/* ---- bridges --------------------------------------------------------------------------------- */

/* The least sums of ways from one cell to all cells that it can reach, by their number of cells
   (less one) and the run they end with: 0 none, 1 .. slope across, slope + 1 .. 2 slope down. */
typedef struct ways {
    const grid *g;
    marey_cell from;
    int target; /* the chain where ways end */
    bool least_mean;
    int states, side;
    double *sums;
    uint8_t *came; /* the state before */
} ways;

typedef struct bridge { /* the best one so far */
    double mean;
    int from_cell, to_cell, count;
    marey_cell cells[512];
} bridge;

static size_t way_place(const ways *w, int steps, int r, int c, int state)
{
    size_t side = (size_t)w->side;
    return (((size_t)steps * side + (size_t)(r - w->from.row)) * side + (size_t)(c - w->from.col)) *
               (size_t)w->states +
           (size_t)state;
}

/* Ways end in cells of the target, and never come back to the chain they left. */
static bool goes_through(const ways *w, int r, int c)
{
    const grid *g = w->g;
    int chain = g->chain[place(g, r, c)];
    return chain != w->target && chain != g->chain[place(g, w->from.row, w->from.col)] &&
           g->valid[place(g, r, c)];
}

static void way_step(const ways *w, int steps, int r, int c, int state, int step)
{
    const grid *g = w->g;
    int slope = g->slope, row = r + (step != ACROSS), col = c + (step != DOWN), to = 0;
    if (step == ACROSS) to = state >= 1 && state <= slope ? state + 1 : 1;
    if (step == DOWN) to = state > slope ? state + 1 : slope + 1;
    if ((step == ACROSS && to > slope) || to > 2 * slope) return;
    if (!usable(g, row, col) || row - w->from.row + col - w->from.col >= g->reach) return;
    int chain = g->chain[place(g, row, col)];
    if (chain != w->target && !goes_through(w, row, col)) return;
    size_t before = way_place(w, steps, r, c, state), now = way_place(w, steps + 1, row, col, to);
    double sum = w->sums[before] + (double)value(g, row, col);
    if (!(sum < w->sums[now])) return;
    w->sums[now] = sum;
    w->came[now] = (uint8_t)state;
}

static void trace(const ways *w, int steps, int r, int c, int state, bridge *best)
{
    int slope = w->g->slope;
    best->count = steps - 1;
    for (int k = steps; k > 0; k--) {
        if (k < steps) best->cells[k - 1] = (marey_cell){ r, c };
        int before = w->came[way_place(w, k, r, c, state)];
        r -= state == 0 || state > slope;
        c -= state <= slope;
        state = before;
    }
}

static void go_on(const ways *w, int steps, int r, int c)
{
    if (w->g->chain[place(w->g, r, c)] == w->target) return;
    for (int state = 0; state < w->states; state++) {
        if (w->sums[way_place(w, steps, r, c, state)] == INFINITY) continue;
        for (int step = DIAGONAL; step <= DOWN; step++) way_step(w, steps, r, c, state, step);
    }
}

/* Of the ways to one cell of the target the one with the least sum, or with the least mean. */
static void offer(const ways *w, int r, int c, bridge *best)
{
    const grid *g = w->g;
    double least = INFINITY, mean = INFINITY;
    int least_steps = 0, least_state = 0;
    for (int steps = 0; steps < w->side; steps++) {
        for (int state = 0; state < w->states; state++) {
            double sum = w->sums[way_place(w, steps, r, c, state)];
            double judged = w->least_mean ? sum / (steps + 1) : sum;
            if (!(judged < least)) continue;
            least = judged;
            mean = sum / (steps + 1);
            least_steps = steps;
            least_state = state;
        }
    }
    if (!(mean < best->mean)) return;
    best->mean = mean;
    best->from_cell = g->index[place(g, w->from.row, w->from.col)];
    best->to_cell = g->index[place(g, r, c)];
    trace(w, least_steps, r, c, least_state, best);
}

static void find_ways(ways *w, bridge *best)
{
    const grid *g = w->g;
    size_t count = (size_t)w->side * (size_t)w->side * (size_t)w->side * (size_t)w->states;
    for (size_t i = 0; i < count; i++) w->sums[i] = INFINITY;
    w->sums[way_place(w, 0, w->from.row, w->from.col, 0)] =
        (double)value(g, w->from.row, w->from.col);
    for (int steps = 0; steps + 1 < w->side; steps++) {
        for (int r = 0; r <= steps; r++) {
            for (int c = 0; c <= steps && r + c < g->reach; c++) {
                if (inside(g, w->from.row + r, w->from.col + c))
                    go_on(w, steps, w->from.row + r, w->from.col + c);
            }
        }
    }
    for (int r = w->from.row; r < g->cost.rows && r - w->from.row < g->reach; r++) {
        for (int c = w->from.col; c < g->cost.cols && r - w->from.row + c - w->from.col < g->reach;
             c++) {
            if (g->chain[place(g, r, c)] == w->target) offer(w, r, c, best);
        }
    }
}

/* Is there any cell of the chain that could be reached? Most are too far. */
static bool near(const grid *g, marey_cell from, int chain)
{
    for (int r = from.row; r < g->cost.rows && r - from.row < g->reach; r++) {
        for (int c = from.col; c < g->cost.cols && r + c - from.row - from.col < g->reach; c++)
            if (g->chain[place(g, r, c)] == chain) return true;
    }
    return false;
}

static void find_bridge(const grid *g, ways *w, int from, int to, bridge *best)
{
    *best = (bridge){ .mean = INFINITY };
    w->target = to;
    for (int r = 0; r < g->cost.rows; r++) {
        for (int c = 0; c < g->cost.cols; c++) {
            w->from = (marey_cell){ r, c };
            if (g->chain[place(g, r, c)] == from && near(g, w->from, to)) find_ways(w, best);
        }
    }
}

/* ---- as a web -------------------------------------------------------------------------------- */

static void add_chains(const grid *g, hand_web *web)
{
    size_t room = (size_t)(g->cost.rows + g->cost.cols);
    FREED marey_cell *cells = calloc(room, sizeof *cells);
    FREED float *costs = calloc(room, sizeof *costs);
    for (int i = g->self; i < g->chain_count; i++) {
        for (int r = 0; r < g->cost.rows; r++) {
            for (int c = 0; c < g->cost.cols; c++) {
                if (g->chain[place(g, r, c)] != i) continue;
                cells[g->index[place(g, r, c)]] = (marey_cell){ r, c };
                costs[g->index[place(g, r, c)]] = value(g, r, c);
            }
        }
        hand_chain(web, g->lengths[i - g->self], cells, costs);
    }
}

static void add_bridges(const grid *g, bool least_mean, hand_web *web)
{
    ways w = { .g = g, .least_mean = least_mean, .states = 2 * g->slope + 1, .side = g->reach + 1 };
    size_t count = (size_t)w.side * (size_t)w.side * (size_t)w.side * (size_t)w.states;
    FREED bridge *best = malloc(sizeof *best);
    float costs[512];
    w.sums = malloc(count * sizeof *w.sums);
    w.came = calloc(count, 1);
    for (int from = g->self; from < g->chain_count; from++) {
        for (int to = g->self; to < g->chain_count; to++) {
            if (from == to) continue;
            find_bridge(g, &w, from, to, best);
            if (best->mean == INFINITY) continue;
            for (int i = 0; i < best->count; i++)
                costs[i] = value(g, best->cells[i].row, best->cells[i].col);
            hand_bridge_along(web, from, best->from_cell, to, best->to_cell, best->count,
                              best->cells, costs);
        }
    }
    free(w.sums);
    free(w.came);
}

marey_web *web_judge_bridges(marey_ctx *ctx, const marey_web *web, marey_rows cost,
                             const marey_web_def *def, bool least_mean)
{
    grid g = grid_make(cost, web->self, web->fps, def);
    hand_web judged = hand_web_start(ctx, cost.rows, cost.cols, web->self);
    take_chains(&g, web);
    assert_true(g.reach < 500);
    add_chains(&g, &judged);
    add_bridges(&g, least_mean, &judged);
    void *all[] = { g.valid, g.chain, g.index, g.lengths };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return hand_web_make(&judged);
}
