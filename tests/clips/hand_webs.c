/* hand_webs.c - webs made by hand and at random: see search_judge.h. */
#include "match/search_index.h"
#include "search_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct hand_path {
    int count, from, to, from_cell, to_cell;
    marey_cell *cells;
    float *costs;
} hand_path;

static hand_path *path_add(hand_web *web, int count)
{
    web->paths = realloc(web->paths, (size_t)(web->path_count + 1) * sizeof *web->paths);
    hand_path *path = &web->paths[web->path_count++];
    *path = (hand_path){ .count = count, .from = -1, .to = -1, .from_cell = -1, .to_cell = -1 };
    path->cells = calloc((size_t)count + 1, sizeof *path->cells);
    path->costs = calloc((size_t)count + 1, sizeof *path->costs);
    return path;
}

int hand_chain(hand_web *web, int count, const marey_cell *cells, const float *costs)
{
    assert_int_equal(web->chain_count, web->path_count);
    hand_path *path = path_add(web, count);
    memcpy(path->cells, cells, (size_t)count * sizeof *cells);
    memcpy(path->costs, costs, (size_t)count * sizeof *costs);
    return web->chain_count++;
}

int hand_line(hand_web *web, int row, int col, int count, float cost)
{
    assert_int_equal(web->chain_count, web->path_count);
    hand_path *path = path_add(web, count);
    for (int i = 0; i < count; i++) {
        path->cells[i] = (marey_cell){ row + i, col + i };
        path->costs[i] = cost;
    }
    return web->chain_count++;
}

hand_web hand_web_start(marey_ctx *ctx, int rows, int cols, bool self)
{
    hand_web web = { .ctx = ctx, .rows = rows, .cols = cols, .self = self };
    if (self) hand_line(&web, 0, 0, rows, 0);
    return web;
}

void hand_bridge_along(hand_web *web, int from, int from_cell, int to, int to_cell, int count,
                       const marey_cell *cells, const float *costs)
{
    hand_path *path = path_add(web, count);
    path->from = from;
    path->to = to;
    path->from_cell = from_cell;
    path->to_cell = to_cell;
    memcpy(path->cells, cells, (size_t)count * sizeof *cells);
    memcpy(path->costs, costs, (size_t)count * sizeof *costs);
}

void hand_bridge(hand_web *web, int from, int from_cell, int to, int to_cell, float cost)
{
    enum { MOST = 256 };
    marey_cell at = web->paths[from].cells[from_cell], end = web->paths[to].cells[to_cell];
    marey_cell cells[MOST];
    float costs[MOST];
    int rows = end.row - at.row, cols = end.col - at.col;
    int count = (rows > cols ? rows : cols) - 1;
    assert_true(rows >= 0 && cols >= 0 && count >= 0 && count <= MOST);
    for (int i = 0; i < count; i++) {
        at.row += at.row < end.row;
        at.col += at.col < end.col;
        cells[i] = at;
        costs[i] = cost;
    }
    hand_bridge_along(web, from, from_cell, to, to_cell, count, cells, costs);
}

marey_web *hand_web_make(hand_web *from)
{
    mry_arena mem = mry_arena_make(from->ctx);
    marey_web *web = MRY_NEW(&mem, marey_web, 1);
    int64_t cells = 0;
    for (int i = 0; i < from->path_count; i++) cells += from->paths[i].count;
    *web = (marey_web){ .rows = from->rows,
                        .cols = from->cols,
                        .self = from->self,
                        .fps = 60,
                        .ceiling = INFINITY,
                        .chain_count = from->chain_count,
                        .bridge_count = from->path_count - from->chain_count,
                        .cell_count = cells };
    web->paths = MRY_NEW(&mem, mry_web_path, from->path_count);
    web->cells = MRY_NEW(&mem, marey_cell, cells);
    web->costs = MRY_NEW(&mem, float, cells);
    cells = 0;
    for (int i = 0; i < from->path_count; i++) {
        hand_path *path = &from->paths[i];
        web->paths[i] = (mry_web_path){ cells,    path->count,     path->from,
                                        path->to, path->from_cell, path->to_cell };
        memcpy(web->cells + cells, path->cells, (size_t)path->count * sizeof *path->cells);
        memcpy(web->costs + cells, path->costs, (size_t)path->count * sizeof *path->costs);
        cells += path->count;
        free(path->cells);
        free(path->costs);
    }
    free(from->paths);
    web->mem = mem;
    test_ok(mry_web_index_make(web, NULL));
    return web;
}

/* ---- at random ------------------------------------------------------------------------------- */

static int pick(uint32_t *state, int first, int last)
{
    *state = *state * 1664525u + 1013904223u;
    return first + (int)((*state >> 8) % (uint32_t)(last - first + 1));
}

/* Of very different sizes, so that a longer way is often the better one. */
static float pick_cost(uint32_t *state)
{
    float cost = (float)pick(state, 1, 1 << 20) / (1 << 16);
    return pick(state, 0, 2) ? cost : cost / 32;
}

/* Steps at random from a start, within the grid and, of a motion with itself, above the
   diagonal. */
static int random_walk(const hand_web *web, marey_cell at, int most, uint32_t *state,
                       marey_cell *cells, float *costs)
{
    int count = 0;
    for (; count < most && at.row < web->rows && at.col < web->cols; count++) {
        if (web->self && at.col <= at.row) break;
        cells[count] = at;
        costs[count] = pick_cost(state);
        int step = pick(state, 0, 3);
        at.row += step != 0;
        at.col += step != 1;
    }
    return count;
}

static int by_cell(const void *left, const void *right)
{
    const marey_cell *a = left, *b = right;
    return a->row != b->row ? a->row - b->row : a->col - b->col;
}

static void random_chains(hand_web *web, int count, uint32_t *state)
{
    marey_cell starts[64], cells[64];
    float costs[64];
    assert_true(count <= 64 && web->rows < 64);
    for (int i = 0; i < count; i++) {
        starts[i].row = pick(state, 0, web->rows - 2);
        starts[i].col = pick(state, web->self ? starts[i].row + 1 : 0, web->cols - 1);
    }
    qsort(starts, (size_t)count, sizeof *starts, by_cell);
    for (int i = 0; i < count; i++) {
        int length = random_walk(web, starts[i], pick(state, 3, 24), state, cells, costs);
        hand_chain(web, length, cells, costs);
    }
}

/* A bridge's cells are changed to have a random walk between its ends; they may lie anywhere. */
static void random_bridge(hand_web *web, uint32_t *state)
{
    for (int tries = 0; tries < 50; tries++) {
        int from = pick(state, 0, web->chain_count - 1), to = pick(state, 0, web->chain_count - 1);
        int leaves = pick(state, 0, web->paths[from].count - 1);
        int arrives = pick(state, 0, web->paths[to].count - 1);
        marey_cell a = web->paths[from].cells[leaves], b = web->paths[to].cells[arrives];
        int rows = b.row - a.row, cols = b.col - a.col;
        if (from == to || rows < 0 || cols < 0 || rows + cols == 0 || rows + cols > 14) continue;
        hand_bridge(web, from, leaves, to, arrives, 0);
        hand_path *path = &web->paths[web->path_count - 1];
        for (int i = 0; i < path->count; i++) path->costs[i] = pick_cost(state);
        return;
    }
}

marey_web *hand_web_random(marey_ctx *ctx, int rows, int cols, bool self, int chains, int bridges,
                           uint32_t *state)
{
    hand_web web = hand_web_start(ctx, rows, cols, self);
    random_chains(&web, chains, state);
    for (int i = 0; i < bridges; i++) random_bridge(&web, state);
    return hand_web_make(&web);
}

/* ---- a library of them ----------------------------------------------------------------------- */

static marey_status hand_library_web(void *user, int a, int b, const marey_web **out, bool *flipped,
                                     marey_error *error)
{
    hand_library *library = user;
    (void)error;
    if (++library->calls == library->fail_at) return MAREY_ERR_IO;
    *flipped = a > b;
    *out = a > b ? library->webs[b][a] : library->webs[a][b];
    return MAREY_OK;
}

marey_webs hand_library_webs(hand_library *library)
{
    return (marey_webs){ .clips = library->clips, .web = hand_library_web, .user = library };
}

/* ---- asking ---------------------------------------------------------------------------------- */

marey_match_graph *hand_find(marey_ctx *ctx, hand_library *library, marey_segment query,
                             marey_search_def def)
{
    marey_webs webs = hand_library_webs(library);
    marey_match_graph *graph = NULL;
    marey_error error = { 0 };
    if (def.loose == 0) def.loose = -1; /* the paper's own, unless a test says otherwise */
    marey_status status = marey_search(ctx, &webs, query, &def, &graph, &error);
    if (status) print_error("%s\n", error.message);
    test_ok(status);
    return graph;
}

void hand_check_match(const marey_found *found, marey_segment at, double distance, int tier)
{
    assert_int_equal(found->at.clip, at.clip);
    assert_int_equal(found->at.start, at.start);
    assert_int_equal(found->at.end, at.end);
    assert_true(fabs(found->path_distance - distance) < 1e-9);
    assert_int_equal(found->tier, tier);
}

void hand_library_free(hand_library *library)
{
    for (int a = 0; a < library->clips; a++) {
        for (int b = a; b < library->clips; b++) {
            marey_web *web = (marey_web *)(uintptr_t)library->webs[a][b];
            if (!web) continue;
            mry_arena mem = web->mem; /* which holds the web itself */
            mry_arena_free(&mem);
        }
    }
}

marey_web *hand_line_web(marey_ctx *ctx, bool self, int row, int col, int count, float cost)
{
    hand_web web = hand_web_start(ctx, HAND_LENGTH, HAND_LENGTH, self);
    hand_line(&web, row, col, count, cost);
    return hand_web_make(&web);
}
