/* graph_takes.c - the clips of a motion graph as nodes: at one rate, on one body's bones, without frames that were not
   captured. */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <string.h>

/* Frames [start, end) of a clip, none of them marked. */
typedef struct stretch {
    int clip;
    int start, end;
    int first, count; /* nodes */
} stretch;

typedef struct stretches {
    stretch *items;
    int count, room;
} stretches;

/* ---- which frames there are ------------------------------------------------------------------------ */

static int frame_end_of_marks(const marey_clip *clip, int at)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int m = 0; m < clip->mark_count; m++) {
            if (at < clip->marks[m].start || at >= clip->marks[m].end) continue;
            at = clip->marks[m].end;
            moved = true;
        }
    }
    return at;
}

/* At most one stretch more than marks, in each clip. */
static bool find_stretches(const marey_graph *graph, mry_arena *tmp, stretches *out)
{
    int room = 0;
    for (int c = 0; c < graph->clip_count; c++) room += graph->clips[c]->mark_count + 1;
    *out = (stretches){ .items = MRY_NEW(tmp, stretch, room), .room = room };
    if (!out->items) return false;
    for (int c = 0; c < graph->clip_count; c++) {
        const marey_clip *clip = graph->clips[c];
        int at = frame_end_of_marks(clip, 0);
        while (at < clip->frames) {
            /* Up to the next mark. */
            int end = clip->frames;
            for (int m = 0; m < clip->mark_count; m++) {
                if (clip->marks[m].start > at && clip->marks[m].start < end)
                    end = clip->marks[m].start;
            }
            out->items[out->count++] = (stretch){ .clip = c, .start = at, .end = end };
            at = frame_end_of_marks(clip, end);
        }
    }
    return true;
}

/* ---- one of them ----------------------------------------------------------------------------------- */

/* At the graph's rate, on the first clip's bones. */
static marey_status bring(const marey_graph *graph, const stretch *of, marey_clip **out,
                          marey_error *error)
{
    const marey_clip *clip = graph->clips[of->clip];
    marey_clip *part = NULL, *timed = NULL;
    marey_status status = marey_clip_trim(clip, of->start, of->end, &part, error);
    if (!status) status = marey_clip_resample(part, graph->fps, &timed, error);
    if (!status) status = marey_clip_refit(timed, graph->clips[0], out, error);
    marey_clip_free(part);
    marey_clip_free(timed);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------------- */

bool mry_graph_take_arrays(marey_graph *graph, int nodes)
{
    mry_arena *mem = &graph->data;
    graph->nodes = graph->originals = nodes;
    graph->origin = MRY_NEW(mem, mry_origin, nodes);
    graph->next = MRY_NEW(mem, int, nodes);
    graph->before = MRY_NEW(mem, int, nodes);
    graph->contacts = MRY_NEW(mem, uint8_t, nodes);
    graph->core = MRY_NEW(mem, uint8_t, nodes);
    graph->labelled = MRY_NEW(mem, uint64_t, nodes);
    return graph->origin && graph->next && graph->before && graph->contacts && graph->core &&
           graph->labelled;
}

void mry_graph_hold_root(marey_graph *graph, int from)
{
    marey_clip *motion = graph->motion;
    for (int n = from; n < graph->nodes; n++)
        mry_carrier_hold(&graph->body, motion, mry_place(motion, n), mry_turn(motion, n));
}

static marey_status fill(marey_graph *graph, stretches *all, marey_clip **parts, marey_error *error)
{
    int nodes = 0;
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        stretch *one = &all->items[i];
        if (!mry_progress(graph->ctx, "reading clips", i, all->count))
            return mry_fail_cancelled(error);
        status = bring(graph, one, &parts[i], error);
        if (status) return status;
        one->first = nodes;
        one->count = parts[i]->frames;
        if (one->count > MRY_GRAPH_MOST_NODES - nodes) {
            return mry_fail(error, MAREY_ERR_LIMIT, NULL, "the clips have more than %d frames",
                            (int)MRY_GRAPH_MOST_NODES);
        }
        nodes += one->count;
    }
    if (nodes < 2) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a motion graph needs at least 2 captured frames");
    }
    if (!mry_graph_take_arrays(graph, nodes)) return mry_fail_memory(error, NULL);
    graph->motion = mry_clip_make_like(parts[0], nodes, graph->fps);
    if (!graph->motion) return mry_fail_memory(error, NULL);
    for (int i = 0; i < all->count; i++) {
        const stretch *one = &all->items[i];
        double per_node = graph->clips[one->clip]->fps / graph->fps;
        for (int k = 0; k < one->count; k++) {
            double frame = fmin(one->start + k * per_node, one->end - 1);
            graph->origin[one->first + k] =
                (mry_origin){ .clip = one->clip, .other = -1, .frame = frame, .other_frame = 0 };
            graph->next[one->first + k] = k + 1 < one->count ? one->first + k + 1 : -1;
            graph->before[one->first + k] = k > 0 ? one->first + k - 1 : -1;
        }
        mry_clip_copy_frames(graph->motion, one->first, parts[i], 0, parts[i]->frames);
    }
    graph->body = mry_carrier_find((const marey_clip *const *)parts, all->count);
    mry_graph_hold_root(graph, 0);
    return MAREY_OK;
}

/* ---- what is said about frames ----------------------------------------------------------------------- */

marey_status mry_graph_find_contacts(marey_graph *graph, const marey_contacts *given,
                                     marey_error *error)
{
    for (int c = 0; c < graph->clip_count; c++) {
        marey_contacts found = { 0 };
        if (!given && marey_contacts_find(graph->clips[c], NULL, &found))
            return mry_fail_memory(error, NULL);
        const marey_contacts *plants = given ? &given[c] : &found;
        /* Nodes of the clip whose frame is in a plant. */
        for (int n = 0; n < graph->nodes; n++) {
            if (graph->origin[n].clip != c) continue;
            int frame = (int)lround(graph->origin[n].frame);
            for (int i = 0; i < plants->count; i++) {
                const marey_contact *plant = &plants->items[i];
                if (frame >= plant->start && frame < plant->end)
                    graph->contacts[n] |= (uint8_t)(1u << plant->joint);
            }
        }
        marey_contacts_free(&found);
    }
    return MAREY_OK;
}

static int label_number(marey_graph *graph, const char *label)
{
    for (int i = 0; i < graph->label_count; i++) {
        if (strcmp(graph->labels[i], label) == 0) return i;
    }
    if (graph->label_count == MRY_GRAPH_MOST_LABELS) return -1;
    const char *copy = mry_arena_text(&graph->mem, label, strlen(label));
    if (!copy) return -2;
    graph->labels[graph->label_count] = copy;
    return graph->label_count++;
}

static marey_status keep_labels(marey_graph *graph, marey_error *error)
{
    graph->labels = MRY_NEW(&graph->mem, const char *, MRY_GRAPH_MOST_LABELS);
    if (!graph->labels) return mry_fail_memory(error, NULL);
    for (int i = 0; i < graph->def.behaviour_count; i++) {
        const marey_behaviour *one = &graph->def.behaviours[i];
        if (one->clip < 0 || one->clip >= graph->clip_count || one->start >= one->end) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "behaviour %d (%s) is not a stretch of one of the clips", i + 1,
                            one->label);
        }
        int number = label_number(graph, one->label);
        if (number == -2) return mry_fail_memory(error, NULL);
        if (number < 0) {
            return mry_fail(error, MAREY_ERR_LIMIT, NULL, "more than %d labels",
                            (int)MRY_GRAPH_MOST_LABELS);
        }
        for (int n = 0; n < graph->nodes; n++) {
            const mry_origin *from = &graph->origin[n];
            if (from->clip == one->clip && from->frame >= one->start && from->frame < one->end)
                graph->labelled[n] |= UINT64_C(1) << number;
        }
    }
    return MAREY_OK;
}

marey_status mry_graph_take(marey_graph *graph, const marey_contacts *contacts, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    stretches all;
    marey_clip **parts = NULL;
    marey_status status = MAREY_OK;
    if (!find_stretches(graph, &tmp, &all) || !(parts = MRY_NEW(&tmp, marey_clip *, all.room)))
        status = mry_fail_memory(error, NULL);
    if (!status) status = fill(graph, &all, parts, error);
    for (int i = 0; parts && i < all.count; i++) marey_clip_free(parts[i]);
    mry_arena_free(&tmp);
    if (!status) status = mry_graph_find_contacts(graph, contacts, error);
    if (!status) status = keep_labels(graph, error);
    return status;
}

/* ---- room for more -------------------------------------------------------------------------------------- */

/* Arrays as those of `from`, with room for so many nodes. */
static bool take_like(marey_graph *to, const marey_graph *from, int nodes)
{
    *to = (marey_graph){ .data = mry_arena_make(from->ctx) };
    if (mry_graph_take_arrays(to, nodes))
        to->motion = mry_clip_make_like(from->motion, nodes, from->fps);
    if (to->motion) return true;
    mry_arena_free(&to->data);
    return false;
}

bool mry_graph_grow(marey_graph *graph, int nodes)
{
    marey_graph more;
    size_t old = (size_t)graph->nodes;
    if (!take_like(&more, graph, nodes)) return false;
    memcpy(more.origin, graph->origin, old * sizeof *more.origin);
    memcpy(more.next, graph->next, old * sizeof *more.next);
    memcpy(more.before, graph->before, old * sizeof *more.before);
    memcpy(more.contacts, graph->contacts, old);
    memcpy(more.labelled, graph->labelled, old * sizeof *more.labelled);
    mry_clip_copy_frames(more.motion, 0, graph->motion, 0, graph->nodes);
    marey_clip_free(graph->motion);
    mry_arena_free(&graph->data);
    graph->data = more.data;
    graph->motion = more.motion;
    graph->origin = more.origin;
    graph->next = more.next;
    graph->before = more.before;
    graph->contacts = more.contacts;
    graph->core = more.core;
    graph->labelled = more.labelled;
    return true;
}
