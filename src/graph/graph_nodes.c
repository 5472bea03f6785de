/* graph_nodes.c - the clips of a motion graph as nodes: at one rate, on one body's bones, without
   frames that were not captured; and looking at nodes, transitions and labels. */
#include "base/fail.h"
#include "base/grow.h"
#include "feature/feature_data.h"
#include "graph/graph_data.h"
#include "math/quat.h"

#include <marey/retarget.h>

#include <math.h>
#include <string.h>

/* Frames [start, end) of a clip, none of them marked. */
typedef struct stretch {
    int clip;
    int start, end;
    int first, count; /* nodes */
} stretch;

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

bool mry_graph_take_arrays(marey_graph *graph, int nodes)
{
    mry_arena *mem = &graph->data;
    graph->nodes = graph->originals = nodes;
    graph->origin = MRY_NEW(mem, mry_origin, nodes);
    graph->next = MRY_NEW(mem, int, nodes);
    graph->before = MRY_NEW(mem, int, nodes);
    graph->contacts = MRY_NEW(mem, uint8_t, nodes);
    graph->labelled = MRY_NEW(mem, uint64_t, nodes);
    return graph->origin && graph->next && graph->before && graph->contacts && graph->labelled;
}

void mry_graph_hold_root(marey_graph *graph, int from)
{
    marey_clip *motion = graph->motion;
    for (int n = from; n < graph->nodes; n++)
        mry_carrier_hold(&graph->body, motion, mry_place(motion, n), mry_turn(motion, n));
}

/* At the graph's rate, on the first clip's body. Room for one part more than marks, of each clip. A
   clip with other joints is fitted as a whole, into *fitted, before it is cut. */
static marey_status fill(marey_graph *graph, const marey_contacts *contacts, stretch *items,
                         marey_clip **parts, int *count, marey_clip **fitted, marey_error *error)
{
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
            items[(*count)++] = (stretch){ .clip = c, .start = at, .end = end };
            at = frame_end_of_marks(clip, end);
        }
    }
    int nodes = 0;
    for (int i = 0; i < *count; i++) {
        stretch *one = &items[i];
        if (!mry_progress(graph->ctx, "reading clips", i, *count)) return mry_fail_cancelled(error);
        marey_clip *part = NULL, *timed = NULL;
        const marey_clip *clip = graph->clips[one->clip], *body = graph->clips[0];
        marey_status status = MAREY_OK;
        if (i == 0 || items[i - 1].clip != one->clip) {
            marey_clip_free(*fitted);
            *fitted = NULL;
            if (!mry_same_joints(&clip->skeleton, &body->skeleton))
                status = marey_clip_fit(clip, contacts ? &contacts[one->clip] : NULL, body, NULL,
                                        fitted, NULL, error);
        }
        if (!status)
            status = marey_clip_trim(*fitted ? *fitted : clip, one->start, one->end, &part, error);
        if (!status) status = marey_clip_resample(part, graph->fps, &timed, error);
        if (!status) status = marey_clip_refit(timed, body, &parts[i], error);
        marey_clip_free(part);
        marey_clip_free(timed);
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
    for (int i = 0; i < *count; i++) {
        const stretch *one = &items[i];
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
    graph->body = mry_carrier_find((const marey_clip *const *)parts, *count);
    mry_graph_hold_root(graph, 0);
    return MAREY_OK;
}

/* ---- what is said about frames --------------------------------------------------------------- */

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

/* Labels the nodes of a behaviour. Those of one sequence are an action; what marked frames part is
   no whole one any more, unless it goes on and on. false: out of memory. */
static bool note_action(marey_graph *graph, const marey_behaviour *of, int label, int *room)
{
    int parts = 0, noted = graph->action_count;
    for (int n = 0, first = -1; n < graph->nodes; n++) {
        const mry_origin *from = &graph->origin[n];
        if (from->clip != of->clip || from->frame < of->start || from->frame >= of->end) continue;
        graph->labelled[n] |= UINT64_C(1) << label;
        if (first < 0 || graph->before[n] < 0) {
            first = n;
            parts++;
            if (!mry_grow_in(&graph->mem, &graph->actions, room, noted + parts,
                             sizeof *graph->actions))
                return false;
        }
        graph->actions[noted + parts - 1] = (mry_action){ label, first, n, of->ongoing };
    }
    graph->action_count += of->ongoing || parts == 1 ? parts : 0;
    return true;
}

marey_status mry_graph_take(marey_graph *graph, const marey_contacts *contacts, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    int room = 0, count = 0, actions = 0;
    for (int c = 0; c < graph->clip_count; c++) room += graph->clips[c]->mark_count + 1;
    stretch *items = MRY_NEW(&tmp, stretch, room);
    marey_clip **parts = MRY_NEW(&tmp, marey_clip *, room);
    marey_clip *fitted = NULL;
    marey_status status = items && parts
                              ? fill(graph, contacts, items, parts, &count, &fitted, error)
                              : mry_fail_memory(error, NULL);
    marey_clip_free(fitted);
    for (int i = 0; i < count; i++) marey_clip_free(parts[i]);
    mry_arena_free(&tmp);
    if (!status) status = mry_graph_find_contacts(graph, contacts, error);
    if (status) return status;
    /* Labels of frames. */
    graph->labels = MRY_NEW(&graph->mem, const char *, MRY_GRAPH_MOST_LABELS);
    if (!graph->labels) return mry_fail_memory(error, NULL);
    for (int i = 0; i < graph->def.behaviour_count; i++) {
        const marey_behaviour *one = &graph->def.behaviours[i];
        if (one->clip < 0 || one->clip >= graph->clip_count || one->start >= one->end) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "behaviour %d (%s) is not a stretch of one of the clips", i + 1,
                            one->label);
        }
        int number = 0;
        while (number < graph->label_count && strcmp(graph->labels[number], one->label) != 0)
            number++;
        if (number == MRY_GRAPH_MOST_LABELS) {
            return mry_fail(error, MAREY_ERR_LIMIT, NULL, "more than %d labels",
                            (int)MRY_GRAPH_MOST_LABELS);
        }
        if (number == graph->label_count) {
            graph->labels[number] = mry_arena_text(&graph->mem, one->label, strlen(one->label));
            if (!graph->labels[number]) return mry_fail_memory(error, NULL);
            graph->label_count++;
        }
        if (!note_action(graph, one, number, &actions)) return mry_fail_memory(error, NULL);
    }
    return MAREY_OK;
}

bool mry_graph_grow(marey_graph *graph, int nodes)
{
    marey_graph more = { .data = mry_arena_make(graph->ctx) };
    size_t old = (size_t)graph->nodes;
    if (mry_graph_take_arrays(&more, nodes))
        more.motion = mry_clip_make_like(graph->motion, nodes, graph->fps);
    if (!more.motion) {
        mry_arena_free(&more.data);
        return false;
    }
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
    graph->labelled = more.labelled;
    return true;
}

/* ---- looking at nodes, transitions and labels ------------------------------------------------ */

const marey_graph_def *marey_graph_settings(const marey_graph *graph)
{
    return &graph->def;
}

int marey_graph_clip_count(const marey_graph *graph)
{
    return graph->clip_count;
}

double marey_graph_fps(const marey_graph *graph)
{
    return graph->fps;
}

int marey_graph_originals(const marey_graph *graph)
{
    return graph->originals;
}

int marey_graph_nodes(const marey_graph *graph)
{
    return graph->nodes;
}

const marey_clip *marey_graph_motion(const marey_graph *graph)
{
    return graph->motion;
}

marey_graph_node marey_graph_node_of(const marey_graph *graph, int node)
{
    const mry_origin *from = &graph->origin[node];
    bool known = graph->dwell.free != NULL; /* where walks may go is found last */
    return (marey_graph_node){ .clip = from->clip,
                               .frame = from->frame,
                               .other = from->other,
                               .other_frame = from->other_frame,
                               .weight = from->weight,
                               .next = graph->next[node],
                               .before = graph->before[node],
                               .contacts = graph->contacts[node],
                               .core = known && graph->dwell.passed[node],
                               .begins = known && mry_dwell_begin(graph, &graph->dwell, node) >= 0,
                               .ends = known && graph->dwell.free[node] };
}

int marey_graph_find(const marey_graph *graph, int clip, int frame)
{
    int best = -1;
    double off = 0;
    if (clip < 0 || clip >= graph->clip_count) return -1;
    /* Marked frames are in no node. */
    if (frame < 0 || frame >= graph->clips[clip]->frames) return -1;
    for (int m = 0; m < graph->clips[clip]->mark_count; m++) {
        if (frame >= graph->clips[clip]->marks[m].start && frame < graph->clips[clip]->marks[m].end)
            return -1;
    }
    for (int n = 0; n < graph->originals; n++) {
        if (graph->origin[n].clip != clip) continue;
        double d = fabs(graph->origin[n].frame - frame);
        if (best >= 0 && d >= off) continue;
        best = n;
        off = d;
    }
    return best;
}

const marey_graph_transition *marey_graph_transitions(const marey_graph *graph, int *count)
{
    *count = graph->transition_count;
    return graph->transitions;
}

int marey_graph_leaving(const marey_graph *graph, int node, int *first)
{
    *first = graph->leaving[node];
    return graph->leaving[node + 1] - graph->leaving[node];
}

int mry_walk_step(const marey_graph *graph, int node, int target)
{
    if (node < 0 || node >= graph->nodes || target < 0) return -2;
    if (graph->next[node] == target) return -1;
    int low = graph->leaving[node], high = graph->leaving[node + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (graph->transitions[middle].to < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->leaving[node + 1] && graph->transitions[low].to == target ? low : -2;
}

mry_floor mry_graph_floor(const marey_graph *graph, int node, int target)
{
    int step = mry_walk_step(graph, node, target);
    return step >= 0 ? graph->places[step] : (mry_floor){ 0 };
}

marey_placement marey_graph_place(const marey_graph *graph, int from, int to)
{
    mry_floor place = mry_graph_floor(graph, from, to);
    return (marey_placement){
        .angle_rad = place.angle, .x_cm = place.x, .z_cm = place.z, .sure = true
    };
}

const char *const *marey_graph_labels(const marey_graph *graph, int *count)
{
    *count = graph->label_count;
    return graph->labels;
}

bool marey_graph_is_action(const marey_graph *graph, int label)
{
    for (int i = 0; i < graph->action_count; i++)
        if (graph->actions[i].label == label && !graph->actions[i].ongoing) return true;
    return false;
}

bool marey_graph_has_label(const marey_graph *graph, int node, int label)
{
    return label >= 0 && label < graph->label_count && (graph->labelled[node] >> label & 1);
}

int64_t mry_graph_edges(const marey_graph *graph)
{
    int64_t edges = graph->transition_count;
    for (int n = 0; n < graph->nodes; n++) edges += graph->next[n] >= 0;
    return edges;
}
