/* web_judge.c - see web_judge.h. */
#include "web_judge.h"

#include "search_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grid {
    marey_rows cost;
    bool self;
    int slope, shortest, reach;
    float ceiling, grow;
    uint8_t *least; /* a cell's MAREY_LEAST_... */
    uint8_t *valid;
    uint8_t *goes;      /* a step, 1 and up, if the cell is in a chain and wants to go on */
    uint8_t *run[2];    /* steps across and down in a row, up to the cell */
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

/* ---- minima and the valid region ------------------------------------------------------------------------ */

static void find_minima(grid *g)
{
    for (int r = 0; r < g->cost.rows; r++) {
        for (int c = 0; c < g->cost.cols; c++) {
            float v = value(g, r, c);
            if (!usable(g, r, c) || !(v < g->ceiling)) continue;
            if (v < value(g, r, c - 1) && v < value(g, r, c + 1))
                g->least[place(g, r, c)] |= MAREY_LEAST_IN_ROW;
            if (v < value(g, r - 1, c) && v < value(g, r + 1, c))
                g->least[place(g, r, c)] |= MAREY_LEAST_IN_COLUMN;
        }
    }
}

static void extend(grid *g, int r, int c, int down, int across)
{
    float limit = g->grow * value(g, r, c);
    for (int k = 1; k < g->reach; k++) {
        int row = r + k * down, col = c + k * across;
        if (!usable(g, row, col) || !(value(g, row, col) < limit)) return;
        g->valid[place(g, row, col)] = 1;
    }
}

static void find_valid(grid *g)
{
    for (int r = 0; r < g->cost.rows; r++) {
        for (int c = 0; c < g->cost.cols; c++) {
            int least = g->least[place(g, r, c)];
            if (least) g->valid[place(g, r, c)] = 1;
            for (int way = -1; way <= 1; way += 2) {
                if (least & MAREY_LEAST_IN_ROW) extend(g, r, c, 0, way);
                if (least & MAREY_LEAST_IN_COLUMN) extend(g, r, c, way, 0);
            }
        }
    }
}

/* ---- chains ------------------------------------------------------------------------------------------------ */

static bool minimum(const grid *g, int r, int c)
{
    return inside(g, r, c) && g->least[place(g, r, c)];
}

static int next_step(const grid *g, int r, int c)
{
    size_t at = place(g, r, c);
    if (minimum(g, r + 1, c + 1)) return DIAGONAL;
    bool across = minimum(g, r, c + 1) && g->run[0][at] < g->slope;
    bool down = minimum(g, r + 1, c) && g->run[1][at] < g->slope;
    if (across && down) return value(g, r + 1, c) < value(g, r, c + 1) ? DOWN : ACROSS;
    return across ? ACROSS : down ? DOWN : 0;
}

/* Does the cell a step before want this one? */
static bool wanted(const grid *g, int r, int c, int step)
{
    int row = r - (step != ACROSS), col = c - (step != DOWN);
    return inside(g, row, col) && g->goes[place(g, row, col)] == step;
}

static int winner(const grid *g, int r, int c)
{
    if (wanted(g, r, c, DIAGONAL)) return DIAGONAL;
    bool across = wanted(g, r, c, ACROSS), down = wanted(g, r, c, DOWN);
    if (across && down) return value(g, r, c - 1) < value(g, r - 1, c) ? ACROSS : DOWN;
    return across ? ACROSS : down ? DOWN : 0;
}

static bool behind_a_chain(const grid *g, int r, int c)
{
    return (inside(g, r - 1, c - 1) && g->goes[place(g, r - 1, c - 1)]) ||
           (inside(g, r - 1, c) && g->goes[place(g, r - 1, c)]) ||
           (inside(g, r, c - 1) && g->goes[place(g, r, c - 1)]);
}

/* In the order of rows, then columns: what can come before a cell is done before it. */
static void link_cell(grid *g, int r, int c)
{
    size_t at = place(g, r, c);
    int step = winner(g, r, c);
    if (step) {
        size_t before = place(g, r - (step != ACROSS), c - (step != DOWN));
        g->chain[at] = g->chain[before];
        g->run[0][at] = (uint8_t)(step == ACROSS ? g->run[0][before] + 1 : 0);
        g->run[1][at] = (uint8_t)(step == DOWN ? g->run[1][before] + 1 : 0);
    } else if (!behind_a_chain(g, r, c)) {
        g->chain[at] = g->chain_count++;
    } else {
        return;
    }
    g->index[at] = g->lengths[g->chain[at]]++;
    g->goes[at] = (uint8_t)next_step(g, r, c);
}

/* The short ones are dropped, the others numbered in their order. */
static void find_chains(grid *g)
{
    size_t cells = (size_t)g->cost.rows * (size_t)g->cost.cols;
    for (int r = 0; r < g->cost.rows; r++) {
        for (int c = 0; c < g->cost.cols; c++) {
            if (minimum(g, r, c)) link_cell(g, r, c);
        }
    }
    int *number = calloc((size_t)g->chain_count + 1, sizeof *number), kept = g->self;
    for (int i = 0; i < g->chain_count; i++) {
        number[i] = g->lengths[i] < g->shortest ? -1 : kept++;
    }
    for (int i = 0; i < g->chain_count; i++) {
        if (number[i] >= 0) g->lengths[number[i] - g->self] = g->lengths[i];
    }
    for (size_t i = 0; i < cells; i++) {
        if (g->chain[i] >= 0) g->chain[i] = number[g->chain[i]];
    }
    g->chain_count = kept;
    free(number);
}

static grid grid_make(marey_rows cost, bool self, double fps, const marey_web_def *def)
{
    size_t cells = (size_t)cost.rows * (size_t)cost.cols;
    marey_web_def none = { 0 };
    if (!def) def = &none;
    grid g = { .cost = cost, .self = self, .slope = def->slope ? def->slope : 2 };
    g.shortest = (int)fmax(1, round((def->shortest_s > 0 ? def->shortest_s : 0.25) * fps));
    g.reach = (int)fmax(1, round((def->bridge_s > 0 ? def->bridge_s : 2) * fps));
    g.ceiling = def->ceiling > 0 ? (float)def->ceiling : INFINITY;
    g.grow = (float)(1 + (def->valid > 0 ? def->valid : 0.15));
    g.least = calloc(cells, 1);
    g.valid = calloc(cells, 1);
    g.goes = calloc(cells, 1);
    g.run[0] = calloc(cells, 1);
    g.run[1] = calloc(cells, 1);
    g.chain = malloc(cells * sizeof *g.chain);
    g.index = malloc(cells * sizeof *g.index);
    g.lengths = calloc(cells, sizeof *g.lengths);
    memset(g.chain, 0xff, cells * sizeof *g.chain);
    memset(g.index, 0xff, cells * sizeof *g.index);
    find_minima(&g);
    find_valid(&g);
    return g;
}

static void grid_free(grid *g)
{
    void *all[] = { g->least,  g->valid, g->goes,  g->run[0],
                    g->run[1], g->chain, g->index, g->lengths };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

uint8_t *web_judge_valid(marey_rows cost, bool self, double fps, const marey_web_def *def)
{
    grid g = grid_make(cost, self, fps, def);
    uint8_t *valid = g.valid;
    g.valid = NULL;
    grid_free(&g);
    return valid;
}

/* ---- bridges ------------------------------------------------------------------------------------------------ */

/* The least sums of ways from one cell to all cells that it can reach, by their number of cells (less one) and the run they
   end with: 0 none, 1 .. slope across, slope + 1 .. 2 slope down. */
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
        for (int c = from.col; c < g->cost.cols && r + c - from.row - from.col < g->reach; c++) {
            if (g->chain[place(g, r, c)] == chain) return true;
        }
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

/* ---- as a web -------------------------------------------------------------------------------------------- */

static void add_chains(const grid *g, hand_web *web)
{
    size_t room = (size_t)(g->cost.rows + g->cost.cols);
    marey_cell *cells = calloc(room, sizeof *cells);
    float *costs = calloc(room, sizeof *costs);
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
    free(cells);
    free(costs);
}

static void add_bridges(const grid *g, bool least_mean, hand_web *web)
{
    ways w = { .g = g, .least_mean = least_mean, .states = 2 * g->slope + 1, .side = g->reach + 1 };
    size_t count = (size_t)w.side * (size_t)w.side * (size_t)w.side * (size_t)w.states;
    bridge *best = malloc(sizeof *best);
    float costs[512];
    w.sums = malloc(count * sizeof *w.sums);
    w.came = calloc(count, 1);
    for (int from = g->self; from < g->chain_count; from++) {
        for (int to = g->self; to < g->chain_count; to++) {
            if (from == to) continue;
            find_bridge(g, &w, from, to, best);
            if (best->mean == INFINITY) continue;
            for (int i = 0; i < best->count; i++) {
                costs[i] = value(g, best->cells[i].row, best->cells[i].col);
            }
            hand_bridge_along(web, from, best->from_cell, to, best->to_cell, best->count,
                              best->cells, costs);
        }
    }
    free(w.sums);
    free(w.came);
    free(best);
}

marey_web *web_judge_build(marey_ctx *ctx, marey_rows cost, bool self, double fps,
                           const marey_web_def *def, bool least_mean)
{
    grid g = grid_make(cost, self, fps, def);
    hand_web web = hand_web_start(ctx, cost.rows, cost.cols, self);
    find_chains(&g);
    assert_true(g.reach < 500);
    add_chains(&g, &web);
    add_bridges(&g, least_mean, &web);
    grid_free(&g);
    return hand_web_make(&web);
}
