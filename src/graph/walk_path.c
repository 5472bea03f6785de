/* walk_path.c - a walk along a path drawn on the floor: what is asked for, and handing back what the search found. */
#include "graph/walk_path.h"
#include "base/fail.h"

#include <math.h>
#include <string.h>

#define CELL_CM 10.0

/* Three times as many take three times as long, and walks come nearer to their paths by a few millimetres. A step leads to ten
   states or fewer, mostly; where there are many more, the search ends before it has taken all its steps, so that what it may
   need is known before: a state is 120 bytes at most. */
enum { USUAL_EFFORT = 100000, STATES_PER_STEP = 20 };
#define MOST_EFFORT 1000000000000

typedef struct finding {
    marey_ctx *ctx;
    const mry_ways *ways;
    const marey_walk_def *def;
    marey_walk walk; /* the best so far */
    marey_status status;
    marey_error *error;
} finding;

/* ---- a state as a walk ------------------------------------------------------------------------------------ */

typedef struct frames {
    int *nodes; /* NULL: only counted */
    int count;
    double sum, worst;
    mry_floor place; /* of the first */
} frames;

static void see(void *user, const mry_path_at *at)
{
    frames *f = user;
    if (f->count == 0) f->place = at->place;
    if (f->nodes) f->nodes[f->count] = at->node;
    f->count++;
    f->sum += at->away;
    f->worst = fmax(f->worst, at->away);
}

/* All frames of a state's walk once more; `chain` are the states up to it. */
static void retrace(const mry_path_search *search, const int *chain, int count, frames *out)
{
    const mry_path_open *open = &search->open;
    int first = mry_path_state_at(open, chain[0])->transition;
    mry_path_at at = mry_path_start(&search->task, first, see, out);
    for (int k = 1; k < count; k++)
        mry_path_step(&search->task, &at, mry_path_state_at(open, chain[k])->transition, see, out);
}

static int *find_chain(mry_arena *tmp, const mry_path_search *search, int state, int *count)
{
    const mry_path_open *open = &search->open;
    *count = 0;
    for (int s = state; s >= 0; s = mry_path_state_at(open, s)->from) ++*count;
    int *chain = MRY_NEW_RAW(tmp, int, *count);
    for (int k = *count - 1, s = state; chain && k >= 0; k--) {
        chain[k] = s;
        s = mry_path_state_at(open, s)->from;
    }
    return chain;
}

/* Into f->walk, instead of what was there. */
static marey_status keep_walk(finding *f, const mry_path_search *search, int state)
{
    mry_arena tmp = mry_arena_make(f->ctx);
    frames all = { 0 };
    int count, *chain = find_chain(&tmp, search, state, &count);
    if (chain) retrace(search, chain, count, &all);
    int room = all.count;
    all = (frames){ .nodes = chain ? MRY_NEW_RAW(&tmp, int, room) : NULL };
    marey_walk walk = { 0 };
    marey_status status = all.nodes ? MAREY_OK : mry_fail_memory(f->error, NULL);
    if (!status) {
        retrace(search, chain, count, &all);
        status = mry_walk_keep(f->ctx, f->ways, all.nodes, all.count, &walk, f->error);
    }
    mry_arena_free(&tmp);
    if (status) return status;
    walk.path_cm = all.sum / all.count;
    walk.path_worst_cm = all.worst;
    walk.placed = true;
    walk.place = (marey_placement){
        .angle_rad = all.place.angle, .x_cm = all.place.x, .z_cm = all.place.z, .sure = true
    };
    walk.arrived = state == search->best;
    walk.expanded = search->expanded;
    walk.first_after = search->first_after;
    marey_walk_free(&f->walk);
    f->walk = walk;
    return MAREY_OK;
}

static bool found_better(void *user, mry_path_search *search)
{
    finding *f = user;
    if (!f->def->better) return true; /* the last one is kept when all is done */
    f->status = keep_walk(f, search, search->best);
    return !f->status && f->def->better(f->def->user, &f->walk);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static marey_status find(finding *f, const mry_tracks *tracks, const mry_floor_path *path,
                         marey_error *error)
{
    mry_path_search search = { .task = mry_path_begin(tracks, path),
                               .effort = f->def->effort > 0 ? f->def->effort : USUAL_EFFORT,
                               .better = found_better,
                               .user = f };
    search.most = tracks->graph->nodes + STATES_PER_STEP * search.effort;
    if (!mry_path_open_make(&search.open, f->ctx, &search.task, CELL_CM))
        return mry_fail_memory(error, NULL);
    marey_status status =
        mry_path_search_run(&search, f->def->from_given ? f->def->from : -1, error);
    if (!status) status = f->status;
    /* Where nobody gets to the end, the walk that came farthest. */
    if (!status) status = keep_walk(f, &search, search.best >= 0 ? search.best : search.farthest);
    mry_path_open_free(&search.open);
    return status;
}

marey_status mry_walk_path(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                           marey_walk *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_floor_path path;
    mry_ways ways;
    mry_tracks tracks;
    finding f = { .ctx = ctx, .ways = &ways, .def = def, .error = error };
    marey_status status = mry_floor_path_open(&path, &tmp, def->path, def->point_count, error);
    if (!status) status = mry_ways_open(&ways, &tmp, graph, def, error);
    if (!status && (def->effort < 0 || def->effort > MOST_EFFORT))
        status =
            mry_fail(error, MAREY_ERR_REQUEST, NULL, "the effort of a search is 0 to 10^12 steps");
    if (!status && !mry_tracks_open(&tracks, &tmp, &ways)) status = mry_fail_memory(error, NULL);
    if (!status) status = find(&f, &tracks, &path, error);
    mry_arena_free(&tmp);
    if (status)
        marey_walk_free(&f.walk);
    else
        *out = f.walk;
    return status;
}
