/* walk_path_search.c - the search for a walk along a path: A* (Hart, Nilsson, Raphael 1968) made anytime by going round
   the stretches of the path (cyclic best-first search: Kao, Sewell, Jacobson 2009).

   A* alone, weighted or not, looks at everything that is cheap so far before it goes on, and how far one will get from the
   path is not in the bound: it would be at the first bend for ever. So states wait in a heap for every stretch, and
   every round takes the few most promising of each, from the first stretch to the last: the first round is at the end of
   the path after a few hundred steps, and each later one is twice as wide. Where none gets round a sharp corner, every
   other round is for the last stretches before it alone, until one does. Nothing is lost on the way: what was not taken
   waits for the next round. A state whose cost and bound reach the best walk's is thrown away, and once none is left the
   best walk is the best there is, but for states that were taken for the same. */
#include "base/fail.h"
#include "graph/walk_path.h"

#include <math.h>

/* Coming so much farther is no use if it is that far from the path. */
#define LOST 2.0

enum { FIRST_WIDTH = 8, MOST_WIDTH = 1 << 24, LAST_FEW = 8, LAST_WIDER = 8, ASK_EVERY = 256 };

typedef enum outcome { GO_ON, ENOUGH, NO_ROOM, STOPPED } outcome;

static outcome keep(mry_path_search *search, const mry_path_at *at, int from, int transition)
{
    mry_path_state state = { .place = at->place,
                             .arc = at->arc,
                             .cost = at->cost,
                             .node = at->node,
                             .from = from,
                             .transition = transition };
    if (!(state.cost + mry_path_bound(&search->task, state.arc) < search->cost)) return GO_ON;
    int kept;
    if (!mry_path_open_put(&search->open, &state, &kept)) return NO_ROOM;
    if (kept < 0) return GO_ON;
    bool full = search->most > 0 && search->open.count >= search->most;
    if (search->farthest < 0 || at->arc - LOST * at->away > search->reach) {
        search->farthest = kept;
        search->reach = at->arc - LOST * at->away;
    }
    if (!mry_path_done(&search->task, state.arc)) return full ? ENOUGH : GO_ON;
    if (search->best < 0) search->first_after = search->expanded;
    search->best = kept;
    search->cost = state.cost;
    bool wanted = !search->better || search->better(search->user, search);
    return wanted && !full ? GO_ON : ENOUGH;
}

static outcome expand(mry_path_search *search, int number)
{
    const marey_graph *graph = search->task.tracks->graph;
    mry_path_state from = *mry_path_state_at(&search->open, number);
    mry_path_at start = mry_path_stand(&search->task, from.node, from.place, from.arc, from.cost);
    outcome result = GO_ON;
    for (int i = graph->leaving[from.node] - 1; i < graph->leaving[from.node + 1]; i++) {
        int transition = i < graph->leaving[from.node] ? -1 : i;
        mry_path_at at = start;
        if (!mry_path_step(&search->task, &at, transition, NULL, NULL)) continue;
        result = keep(search, &at, number, transition);
        if (result) break;
    }
    return result;
}

/* One more step was taken. */
static outcome count_step(mry_path_search *search)
{
    marey_ctx *ctx = search->open.ctx;
    search->expanded++;
    if (search->expanded % ASK_EVERY == 0 &&
        !mry_progress(ctx, "finding a walk", search->expanded, search->effort))
        return STOPPED;
    return search->expanded < search->effort ? GO_ON : ENOUGH;
}

static outcome begin(mry_path_search *search, int from)
{
    const mry_tracks *tracks = search->task.tracks;
    outcome result = GO_ON;
    for (int n = 0; n < tracks->graph->nodes && !result; n++) {
        if (!tracks->ways->use[n] || (from >= 0 && n != from)) continue;
        mry_path_at at = mry_path_start(&search->task, n, NULL, NULL);
        result = keep(search, &at, -1, n);
    }
    return result;
}

/* From one stretch to before another. *taken: how many states it looked at. */
static outcome go_round(mry_path_search *search, int first, int end, int width, int64_t *taken)
{
    outcome result = GO_ON;
    for (int layer = first; layer < end; layer++) {
        for (int k = 0; k < width; k++) {
            int number = mry_path_open_pop(&search->open, layer, search->cost);
            if (number < 0) break;
            ++*taken;
            result = expand(search, number);
            if (!result) result = count_step(search);
            if (result) return result;
        }
    }
    return GO_ON;
}

/* The last stretches that anybody has come to. */
static outcome go_round_last(mry_path_search *search, int width, int64_t *taken)
{
    int end = search->open.layer_count;
    while (end > 1 && search->open.layers[end - 1].count == 0) end--;
    return go_round(search, end > LAST_FEW ? end - LAST_FEW : 0, end, LAST_WIDER * width, taken);
}

marey_status mry_path_search_run(mry_path_search *search, int from, marey_error *error)
{
    search->best = search->farthest = -1;
    search->cost = INFINITY;
    outcome result = begin(search, from);
    for (int width = FIRST_WIDTH; !result;) {
        int64_t taken = 0;
        result = go_round(search, 0, search->open.layer_count, width, &taken);
        search->finished = !result && taken == 0;
        if (search->finished) break;
        if (!result && search->best < 0) result = go_round_last(search, width, &taken);
        if (width < MOST_WIDTH) width *= 2;
    }
    if (result == NO_ROOM) return mry_fail_memory(error, NULL);
    if (result == STOPPED) return mry_fail_cancelled(error);
    return MAREY_OK;
}
