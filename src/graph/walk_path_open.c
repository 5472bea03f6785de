/* walk_path_open.c - the states that a search for a walk along a path still has to look at: a heap
   for every stretch of the path (of time, where there are goals), and a table of cells in which only the best state stays. */
#include "base/binary_heap.h"
#include "base/grow.h"
#include "graph/walk_path.h"

#include <math.h>
#include <string.h>

#define LAYER_CM 25.0
#define LAYER_S 0.25
#define CELL_RAD 0.1
#define CELL_ARC_CM 25.0 /* keeps apart where a path crosses itself */
/* A bound that knows nothing of how far one gets from the path is too low; weighted it tells better
   which of the states of a stretch is ahead of the others. What is thrown away is judged by the
   bound itself. */
#define WEIGHT 2.0

enum { FIRST_CELLS = 2048, BLOCK = 1 << MRY_PATH_BLOCK_BITS };

bool mry_path_open_make(mry_path_open *open, marey_ctx *ctx, const mry_path_task *task,
                        double cell_cm)
{
    double stretch = task->goals ? LAYER_S * task->tracks->graph->fps : LAYER_CM;
    double length = task->goals ? task->goals->end : task->path->length;
    int layers = (int)(length / stretch) + 1;
    size_t bytes = (size_t)layers * sizeof *open->layers;
    *open = (mry_path_open){ .ctx = ctx,
                             .task = task,
                             .stretch = stretch,
                             .cell_arc = task->goals ? stretch : CELL_ARC_CM,
                             .cell_cm = cell_cm };
    open->layers = mry_alloc(ctx, bytes);
    if (!open->layers) return false;
    memset(open->layers, 0, bytes);
    open->layer_count = layers;
    return true;
}

void mry_path_open_free(mry_path_open *open)
{
    for (int i = 0; i < open->layer_count; i++) {
        mry_path_heap *heap = &open->layers[i];
        mry_release(open->ctx, heap->items, (size_t)heap->room * sizeof *heap->items);
    }
    if (open->layers)
        mry_release(open->ctx, open->layers, (size_t)open->layer_count * sizeof *open->layers);
    for (int i = 0; i < open->block_count; i++)
        mry_release(open->ctx, open->blocks[i], BLOCK * sizeof **open->blocks);
    if (open->blocks)
        mry_release(open->ctx, open->blocks, (size_t)open->block_room * sizeof *open->blocks);
    if (open->cells)
        mry_release(open->ctx, open->cells, (size_t)open->cell_room * sizeof *open->cells);
    *open = (mry_path_open){ 0 };
}

/* ---- heaps ----------------------------------------------------------------------------------- */

/* The older of equal ones first, so that every machine takes the same. */
static bool is_before(const void *user, const void *left, const void *right)
{
    const mry_path_item *a = left, *b = right;
    (void)user;
    return a->key < b->key || (a->key == b->key && a->state < b->state);
}

int mry_path_open_pop(mry_path_open *open, int layer, double most)
{
    mry_path_heap *heap = &open->layers[layer];
    mry_heap items = { heap->items, heap->count, sizeof *heap->items, is_before, NULL, NULL };
    for (mry_path_item item; mry_heap_pop(&items, &item);) {
        int number = item.state;
        mry_path_state *state = mry_path_state_at(open, number);
        heap->count = items.count;
        if (!(state->cost + mry_path_rest(open->task, state) < most)) continue;
        state->expanded = true;
        return number;
    }
    return -1;
}

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct cell {
    int64_t node, x, z, angle, arc;
} cell;

/* Without a size for cells nothing but what is bit for bit the same is in one. */
static cell cell_of(const mry_path_open *open, const mry_path_state *state)
{
    cell is = { .node = state->node };
    if (open->cell_cm > 0) {
        mry_vec body = mry_node_at(open->task->tracks->graph, state->node);
        double turn = remainder(state->place.angle, 2 * 3.14159265358979323846);
        mry_floor_apply(state->place, &body.x, &body.z);
        is.x = (int64_t)floor(body.x / open->cell_cm);
        is.z = (int64_t)floor(body.z / open->cell_cm);
        is.angle = (int64_t)floor(turn / CELL_RAD);
        is.arc = (int64_t)(state->arc / open->cell_arc);
    } else {
        memcpy(&is.x, &state->place.x, sizeof is.x);
        memcpy(&is.z, &state->place.z, sizeof is.z);
        memcpy(&is.angle, &state->place.angle, sizeof is.angle);
        memcpy(&is.arc, &state->arc, sizeof is.arc);
    }
    return is;
}

/* Where a cell is in the table, or the free place that it would get. */
static int find_cell(const mry_path_open *open, uint32_t hash, const cell *wanted)
{
    int mask = open->cell_room - 1;
    for (int at = (int)(hash & (uint32_t)mask);; at = (at + 1) & mask) {
        if (open->cells[at].state < 0) return at;
        if (open->cells[at].hash != hash || !wanted) continue;
        cell there = cell_of(open, mry_path_state_at(open, open->cells[at].state));
        if (there.node == wanted->node && there.x == wanted->x && there.z == wanted->z &&
            there.angle == wanted->angle && there.arc == wanted->arc)
            return at;
    }
}

bool mry_path_open_put(mry_path_open *open, const mry_path_state *state, int *kept)
{
    *kept = -1;
    /* Room for a cell: the table is at most half full, and a power of two. */
    if (open->cell_count >= open->cell_room / 2) {
        if (open->cell_room > INT32_MAX / 2) return false;
        int old_room = open->cell_room, room = old_room ? 2 * old_room : FIRST_CELLS;
        mry_path_cell *cells = open->cells;
        mry_path_cell *fresh = mry_alloc(open->ctx, (size_t)room * sizeof *fresh);
        if (!fresh) return false;
        for (int i = 0; i < room; i++) fresh[i] = (mry_path_cell){ 0, -1 };
        open->cells = fresh;
        open->cell_room = room;
        for (int i = 0; i < old_room; i++) {
            if (cells[i].state >= 0) fresh[find_cell(open, cells[i].hash, NULL)] = cells[i];
        }
        if (cells) mry_release(open->ctx, cells, (size_t)old_room * sizeof *cells);
    }
    /* Room for a state. */
    if (open->count >= open->block_count * BLOCK) {
        if (open->count > INT32_MAX - BLOCK) return false;
        if (!mry_grow(open->ctx, &open->blocks, &open->block_room, open->block_count + 1,
                      sizeof *open->blocks))
            return false;
        mry_path_state **blocks = open->blocks;
        blocks[open->block_count] = mry_alloc(open->ctx, BLOCK * sizeof **blocks);
        if (!blocks[open->block_count]) return false;
        open->block_count++;
    }
    cell is = cell_of(open, state);
    const int64_t numbers[] = { is.node, is.x, is.z, is.angle, is.arc };
    uint64_t mix = 1;
    for (int i = 0; i < 5; i++) {
        mix = (mix ^ (uint64_t)numbers[i]) * UINT64_C(0x9e3779b97f4a7c15);
        mix ^= mix >> 29;
    }
    uint32_t hash = (uint32_t)(mix >> 32);
    int place = find_cell(open, hash, &is), old = open->cells[place].state, number = open->count;
    mry_path_state *there = old >= 0 ? mry_path_state_at(open, old) : NULL;
    if (there && there->cost <= state->cost) return true;
    *mry_path_state_at(open, number) = *state;
    if (!mry_path_over(open->task, state->arc)) {
        /* Into the heap of its stretch. */
        int layer = (int)(state->arc / open->stretch);
        if (layer > open->layer_count - 1) layer = open->layer_count - 1;
        mry_path_heap *heap = &open->layers[layer];
        const mry_path_task *task = open->task;
        double rest = task->goals ? mry_goals_guess(task->goals, state)
                                  : WEIGHT * mry_path_bound(task, state->arc);
        mry_path_item item = { .key = state->cost + rest, .state = number };
        if (!mry_grow(open->ctx, &heap->items, &heap->room, heap->count + 1, sizeof item))
            return false;
        mry_heap items = { heap->items, heap->count, sizeof item, is_before, NULL, NULL };
        mry_heap_push(&items, &item);
        heap->count = items.count;
    }
    /* What follows the old one is found again from the new one, at less cost. */
    if (there && !there->expanded) there->cost = INFINITY;
    open->cell_count += !there;
    open->cells[place] = (mry_path_cell){ hash, number };
    open->count++;
    *kept = number;
    return true;
}
