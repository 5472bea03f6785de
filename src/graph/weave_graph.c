/* weave_graph.c - all interpolations of a well-connected motion graph, put behind its originals. */
#include "base/fail.h"
#include "base/grow.h"
#include "graph/weave.h"

#include <math.h>
#include <string.h>

/* ---- phases and strands --------------------------------------------------------------------- */

/* Motion cut where a foot or hand comes down or leaves the floor, and all pairs of what lies
   between with the same feet and hands on the floor. */

int mry_phases_find(const marey_graph *graph, mry_arena *mem, mry_phase **out)
{
    mry_phase *phases = MRY_NEW(mem, mry_phase, graph->originals);
    if (!phases) return -1;
    int count = 0, sequence = -1, last = 0;
    for (int n = 0; n < graph->originals; n++) {
        bool starts = graph->before[n] < 0;
        /* Feet that differ for a single frame from what is before are those before: a foot does not
           stand for a thirtieth of a second. */
        int now = mry_node_feet(graph, n), next = graph->next[n];
        bool alone = next >= 0 && mry_node_feet(graph, next) != now;
        int feet = alone && graph->before[n] >= 0 ? last : now;
        if (starts) sequence++;
        if (starts || feet != last)
            phases[count++] = (mry_phase){ .sequence = sequence, .first = n, .feet = feet };
        phases[count - 1].count++;
        last = feet;
    }
    *out = phases;
    return count;
}

static bool is_pair(const mry_phase *phases, int count, int a, int b)
{
    return a >= 0 && b < count && phases[a].feet == phases[b].feet;
}

/* The phase behind this one in the same sequence. */
static bool goes_on(const mry_phase *phases, int count, int phase)
{
    return phase + 1 < count && phases[phase + 1].sequence == phases[phase].sequence;
}

static int64_t walk_pairs(const mry_phase *phases, int count, mry_strand *out)
{
    int64_t found = 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            if (!is_pair(phases, count, a, b)) continue;
            bool begins = a == 0 || !goes_on(phases, count, a - 1) ||
                          !goes_on(phases, count, b - 1) || !is_pair(phases, count, a - 1, b - 1);
            if (!begins) continue;
            if (out) {
                int length = 1;
                while (goes_on(phases, count, a + length - 1) &&
                       goes_on(phases, count, b + length - 1) &&
                       is_pair(phases, count, a + length, b + length))
                    length++;
                out[found] = (mry_strand){ .a = a, .b = b, .count = length };
            }
            found++;
        }
    }
    return found;
}

int mry_strands_find(const mry_phase *phases, int count, mry_arena *mem, mry_strand **out)
{
    int64_t found = walk_pairs(phases, count, NULL);
    if (found >= INT32_MAX) return -1; /* there is no room for what they would make */
    *out = MRY_NEW(mem, mry_strand, (size_t)found + 1);
    if (!*out) return -1;
    return (int)walk_pairs(phases, count, *out);
}

/* ---- weaving -------------------------------------------------------------------------------- */

/* Phases of a strand that are close enough to be crossed between, at one weight. */
typedef struct thread {
    int group; /* the same for all weights */
    mry_knots knots;
    double weight;
} thread;

typedef struct weaving {
    marey_graph *graph;
    mry_clouds clouds;
    const mry_phase *phases;
    const mry_strand *strands;
    int strand_count;
    mry_knots *knots;    /* of each strand */
    mry_arena *knot_mem; /* likewise */
    thread *threads;
    int count, room, groups;
    mry_woven *woven; /* of each thread */
    mry_arena *mem;   /* likewise */
    marey_status *status;
    mry_near_list *rungs;
    atomic_bool failed;
} weaving;

static void align_one(void *user, int64_t i)
{
    weaving *w = user;
    if (mry_cancelled(w->graph->ctx) ||
        !mry_weave_align(&w->clouds, w->phases, &w->strands[i], &w->knot_mem[i], &w->knots[i]))
        w->failed = true;
}

static void weave_one(void *user, int64_t i)
{
    weaving *w = user;
    const thread *of = &w->threads[i];
    if (mry_cancelled(w->graph->ctx)) {
        w->status[i] = MAREY_ERR_CANCELLED;
        return;
    }
    w->status[i] = mry_weave(w->graph, &of->knots, of->weight, &w->mem[i], &w->woven[i], NULL);
}

#define ROOM_FOR_WINDOW 0.7 /* the frames around are a little farther apart than the closest ones */

/* Half a way is a quarter of the distance: squared distances. So many evenly spaced weights that
   the steps between them are below the threshold where the two are closest; none if that would be
   too many, or if they are not alike there. */
static int weights_needed(const marey_graph *graph, double least)
{
    double steps = ceil(sqrt(least / (ROOM_FOR_WINDOW * graph->def.threshold)));
    if (!(least < MAREY_GRAPH_CEILING) || !(steps <= MAREY_GRAPH_MOST_WEIGHTS + 1)) return 0;
    return steps < 2 ? 1 : (int)steps - 1;
}

/* Given weights are for all of a strand. */
static bool list_threads(weaving *w)
{
    const marey_graph_def *def = &w->graph->def;
    for (int s = 0; s < w->strand_count; s++) {
        const mry_knots *of = &w->knots[s];
        int from = -1, last = of->phase[of->count - 1];
        for (int k = 0; k < of->count; k++) {
            bool end = k + 1 == of->count;
            if (!end && !of->close[k]) continue;
            bool use =
                !end && (def->weight_count > 0 || weights_needed(w->graph, of->distance[k]) > 0);
            if (use && from < 0) from = of->phase[k];
            if (use || from < 0) continue;
            /* Changing over takes a frame for each weight, half of them before the closest frames
               and half behind: phases that are too short for that are woven with those beside
               them. */
            int to = of->phase[k];
            mry_knots some = mry_knots_of(of, from, to);
            double room = 0.5 * weights_needed(w->graph, some.least) + 2;
            while (from > 0 && some.a[some.closest] - some.a[0] < room)
                some = mry_knots_of(of, --from, to);
            while (to < last && some.a[some.count - 1] - some.a[some.closest] < room)
                some = mry_knots_of(of, from, ++to);
            from = -1;
            int count =
                def->weight_count ? def->weight_count : weights_needed(w->graph, some.least);
            for (int i = 0; i < count; i++) {
                double weight = def->weight_count ? def->weights[i] : (i + 1.0) / (count + 1);
                if (!mry_grow(w->graph->ctx, &w->threads, &w->room, w->count + 1,
                              sizeof *w->threads))
                    return false;
                w->threads[w->count++] = (thread){ w->groups, some, weight };
            }
            w->groups++;
        }
    }
    return true;
}

/* Where a node between two originals is in their clip. */
static double clip_frame(const marey_graph *graph, double node, int *whole)
{
    int at = (int)floor(node + 1e-9);
    if (at >= graph->originals) at = graph->originals - 1;
    int next = graph->next[at] >= 0 ? graph->next[at] : at;
    double share = fmin(fmax(node - at, 0), 1);
    *whole = at;
    return graph->origin[at].frame + share * (graph->origin[next].frame - graph->origin[at].frame);
}

/* The nodes of a strand at one time are a ladder from one motion to the other: rung 0 is the first
   motion, the last rung the second. Node of a rung so many frames from a knot; -1: no node. */
typedef struct ladder {
    const weaving *w;
    const mry_knots *knots;
    int first, count; /* threads */
    const int *start; /* first node of each thread */
} ladder;

static int rung_node(const ladder *rungs, int rung, int knot, int frames)
{
    const marey_graph *graph = rungs->w->graph;
    const int *go = frames < 0 ? graph->before : graph->next;
    int node;
    if (rung == 0 || rung == rungs->count + 1) {
        node = (int)lround(rung == 0 ? rungs->knots->a[knot] : rungs->knots->b[knot]);
    } else {
        int number = rungs->first + rung - 1, at = rungs->w->woven[number].times.at[knot];
        node = at < 0 ? -1 : rungs->start[number] + at;
    }
    for (int k = 0; node >= 0 && k < (frames < 0 ? -frames : frames); k++) node = go[node];
    return node;
}

static marey_status add_all(weaving *w, mry_arena *tmp, marey_error *error)
{
    marey_graph *graph = w->graph;
    int64_t nodes = graph->nodes;
    for (int i = 0; i < w->count; i++) nodes += w->woven[i].times.frames;
    if (nodes > MRY_GRAPH_MOST_NODES) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "%lld frames with all interpolations; a graph has at most %d: take fewer "
                        "clips or fewer weights",
                        (long long)nodes, (int)MRY_GRAPH_MOST_NODES);
    }
    int *start = MRY_NEW(tmp, int, (size_t)w->count + 1);
    if (!start || !mry_graph_grow(graph, (int)nodes)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < w->count; i++) {
        start[i] = graph->nodes;
        /* Its frames behind the nodes there are. */
        int first = graph->nodes, count = w->woven[i].times.frames;
        mry_clip_copy_frames(graph->motion, first, w->woven[i].clip, 0, count);
        for (int k = 0; k < count; k++) {
            int a, b, n = first + k;
            double frame = clip_frame(graph, w->woven[i].times.a[k], &a);
            double other = clip_frame(graph, w->woven[i].times.b[k], &b);
            graph->origin[n] = (mry_origin){ .clip = graph->origin[a].clip,
                                             .other = graph->origin[b].clip,
                                             .weight = (float)w->threads[i].weight,
                                             .frame = frame,
                                             .other_frame = other };
            graph->next[n] = k + 1 < count ? n + 1 : -1;
            graph->before[n] = k > 0 ? n - 1 : -1;
            graph->contacts[n] = w->woven[i].contacts[k];
            graph->labelled[n] = graph->labelled[a] & graph->labelled[b];
        }
        graph->nodes += count;
    }
    for (int first = 0, end; first < w->count; first = end) {
        for (end = first; end < w->count && w->threads[end].group == w->threads[first].group;)
            end++;
        ladder of = { w, &w->threads[first].knots, first, end - first, start };
        int steps = of.count + 1;
        /* Up the ladder and down again, a rung a frame, in the middle around the knot. */
        for (int knot = 0; knot + 1 < of.knots->count; knot++) {
            for (int k = 0; of.knots->close[knot] && k < 2 * steps; k++) {
                int at = k % steps, rung = k < steps ? at : steps - at;
                int next = k < steps ? rung + 1 : rung - 1;
                int a = rung_node(&of, rung, knot, at - steps / 2);
                int b = rung_node(&of, next, knot, at - steps / 2);
                if (a < 0 || b < 0 || a == b) continue;
                mry_near one = { a < b ? a : b, a < b ? b : a, 0 };
                if (!mry_near_put(w->rungs, one)) return mry_fail_memory(error, NULL);
            }
        }
    }
    return MAREY_OK;
}

static marey_status weave(weaving *w, mry_arena *tmp, marey_error *error)
{
    marey_ctx *ctx = w->graph->ctx;
    /* Which frames of each strand belong together, and at which weights they are woven. */
    mry_bodies bodies;
    w->knots = MRY_NEW(tmp, mry_knots, (size_t)w->strand_count + 1);
    w->knot_mem = MRY_NEW(tmp, mry_arena, (size_t)w->strand_count + 1);
    if (!w->knots || !w->knot_mem) return mry_fail_memory(error, NULL);
    for (int i = 0; i < w->strand_count; i++) w->knot_mem[i] = mry_arena_make(ctx);
    marey_status status = mry_bodies_open(&bodies, tmp, w->graph, error);
    if (!status) status = mry_clouds_open(&w->clouds, tmp, &bodies, error);
    if (status) return status;
    marey_ctx_run(ctx, w->strand_count, align_one, w);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    if (w->failed || !list_threads(w)) return mry_fail_memory(error, NULL);
    /* Their frames. */
    size_t room = (size_t)w->count + 1;
    w->woven = MRY_NEW(tmp, mry_woven, room);
    w->mem = MRY_NEW(tmp, mry_arena, room);
    w->status = MRY_NEW(tmp, marey_status, room);
    if (!w->woven || !w->mem || !w->status) return mry_fail_memory(error, NULL);
    for (int i = 0; i < w->count; i++) w->mem[i] = mry_arena_make(ctx);
    marey_ctx_run(ctx, w->count, weave_one, w);
    for (int i = 0; i < w->count && !status; i++) {
        if (w->status[i] == MAREY_ERR_CANCELLED)
            status = mry_fail_cancelled(error);
        else if (w->status[i])
            status = mry_fail_memory(error, NULL);
    }
    if (!status) status = add_all(w, tmp, error);
    for (int i = 0; i < w->count; i++) {
        marey_clip_free(w->woven[i].clip);
        mry_arena_free(&w->mem[i]);
    }
    return status;
}

marey_status mry_graph_weave(marey_graph *graph, mry_near_list *rungs, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    mry_phase *phases = NULL;
    mry_strand *strands = NULL;
    marey_status status = MAREY_OK;
    if (!mry_progress(graph->ctx, "interpolating", 0, 1)) return mry_fail_cancelled(error);
    int count = mry_phases_find(graph, &tmp, &phases);
    int strand_count = count >= 0 ? mry_strands_find(phases, count, &tmp, &strands) : -1;
    if (strand_count < 0) status = mry_fail_memory(error, NULL);
    weaving w = { .graph = graph,
                  .phases = phases,
                  .strands = strands,
                  .strand_count = strand_count,
                  .rungs = rungs };
    if (!status) status = weave(&w, &tmp, error);
    for (int i = 0; w.knot_mem && i < strand_count; i++) mry_arena_free(&w.knot_mem[i]);
    if (w.threads) mry_release(graph->ctx, w.threads, (size_t)w.room * sizeof *w.threads);
    mry_arena_free(&tmp);
    return status;
}
