/* dwell.c - how long a walk stays in a piece before it goes on in another one.

   A walk that may change pieces in every frame gets from a kick to a walker's stride in four single
   frames, each of which is like the one before: every figure is fine, and what is seen is a leap. So
   a piece lasts for a while, and no transition begins before the difference at the last one has
   faded away. What a search steps through are then not frames but the nodes at which a walk is free
   to go either way:

       free ------ transition -----> to . . . . . . lands, free again
         \-- next, free                 played as it is

   How long it takes until a walk is free again depends on the transition alone, so searches stay
   ordinary ones: transitions are longer arcs. */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <string.h>

int mry_dwell_frames(const marey_graph *graph, double dwell_s)
{
    return dwell_s > 0 ? (int)fmax(1, ceil(dwell_s * graph->fps - 1e-6)) : 0;
}

int mry_dwell_along(const marey_graph *graph, int node, int frames)
{
    for (int k = 0; k < frames && node >= 0; k++) node = graph->next[node];
    return node;
}

int mry_dwell_begin(const marey_graph *graph, const mry_dwell *dwell, int node)
{
    int at = node;
    for (int k = 1; k < dwell->least && at >= 0; k++) {
        at = graph->next[at];
        if (at >= 0 && !dwell->allowed[at]) return -1;
    }
    return at >= 0 && dwell->free[at] ? at : -1;
}

bool mry_dwell_arcs(const marey_graph *graph, const int *lands, double threshold, mry_arena *mem,
                    mry_arcs *out)
{
    int *first = MRY_NEW_RAW(mem, int, (size_t)graph->nodes + 1);
    int *to = MRY_NEW_RAW(mem, int, (size_t)graph->transition_count + 1);
    if (!first || !to) return false;
    int count = 0;
    for (int n = 0; n < graph->nodes; n++) {
        first[n] = count;
        for (int i = graph->leaving[n]; i < graph->leaving[n + 1]; i++) {
            if (lands[i] >= 0 && graph->transitions[i].distance < threshold) to[count++] = lands[i];
        }
    }
    first[graph->nodes] = count;
    *out = (mry_arcs){ .nodes = graph->nodes, .first = first, .to = to, .next = graph->next };
    return true;
}

void mry_dwell_lands(const marey_graph *graph, int least, const uint8_t *allowed, int *lands)
{
    for (int i = 0; i < graph->transition_count; i++) {
        int at = graph->transitions[i].to;
        if (allowed && !allowed[graph->transitions[i].from]) at = -1;
        for (int k = mry_dwell_stay(graph, i, least); at >= 0; at = graph->next[at]) {
            if (allowed && !allowed[at]) at = -1;
            if (at < 0 || --k <= 0) break;
        }
        lands[i] = at;
    }
}

/* The component with the most originals, of equal ones that with the first node; -1: out of
   memory. */
static int largest_component(const marey_graph *graph, mry_arena *tmp, const mry_dwell *dwell,
                             double threshold, int *component)
{
    mry_arcs arcs;
    if (!mry_dwell_arcs(graph, dwell->lands, threshold, tmp, &arcs)) return -1;
    arcs.use = dwell->allowed;
    int found = mry_components(tmp, &arcs, component), best = -1;
    int *size = found >= 0 ? MRY_NEW(tmp, int, (size_t)found + 1) : NULL;
    if (!size) return -1;
    for (int n = 0; n < graph->originals; n++) {
        if (component[n] >= 0) size[component[n]]++;
    }
    for (int n = 0; n < graph->nodes; n++) {
        if (component[n] >= 0 && (best < 0 || size[component[n]] > size[best])) best = component[n];
    }
    return best < 0 ? found : best;
}

/* The original that shows a frame of a clip; -1: none does. They are in the order of their clips and
   frames. */
static int original_of(const marey_graph *graph, int clip, double frame)
{
    int low = 0, high = graph->originals - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        const mry_origin *at = &graph->origin[middle];
        if (at->clip < clip || (at->clip == clip && at->frame < frame))
            low = middle + 1;
        else
            high = middle;
    }
    const mry_origin *at = &graph->origin[low];
    return at->clip == clip && at->frame == frame ? low : -1;
}

/* Originals are passed, too, where a piece that is passed shows them as they are: crossings begin
   and end so. */
static void note_copies(const marey_graph *graph, uint8_t *passed)
{
    for (int n = graph->originals; n < graph->nodes; n++) {
        const mry_origin *from = &graph->origin[n];
        bool first = from->weight <= 0, second = from->weight >= 1;
        if (!passed[n] || (!first && !second)) continue;
        int at = first ? original_of(graph, from->clip, from->frame)
                       : original_of(graph, from->other, from->other_frame);
        if (at >= 0) passed[at] = 1;
    }
}

marey_status mry_dwell_find(const marey_graph *graph, mry_arena *mem, int least, double threshold,
                            const uint8_t *allowed, const int *barred, int barred_count,
                            mry_dwell *out, marey_error *error)
{
    size_t nodes = (size_t)graph->nodes;
    mry_dwell dwell = { .least = least,
                        .lands = MRY_NEW_RAW(mem, int, (size_t)graph->transition_count + 1),
                        .free = MRY_NEW(mem, uint8_t, nodes),
                        .passed = MRY_NEW(mem, uint8_t, nodes),
                        .allowed = MRY_NEW_RAW(mem, uint8_t, nodes) };
    mry_arena tmp = mry_arena_make(graph->ctx);
    int *component = MRY_NEW_RAW(&tmp, int, nodes), best = -1;
    if (component && dwell.lands && dwell.free && dwell.passed && dwell.allowed) {
        if (allowed)
            memcpy(dwell.allowed, allowed, nodes);
        else
            memset(dwell.allowed, 1, nodes);
        mry_dwell_lands(graph, least, allowed, dwell.lands);
        for (int i = 0; i < barred_count; i++) dwell.lands[barred[i]] = -1;
        best = largest_component(graph, &tmp, &dwell, threshold, component);
    }
    for (int n = 0; best >= 0 && n < graph->nodes; n++) {
        dwell.free[n] = dwell.passed[n] = component[n] == best;
        dwell.free_count += dwell.free[n];
    }
    for (int i = 0; best >= 0 && i < graph->transition_count; i++) {
        const marey_graph_transition *over = &graph->transitions[i];
        bool stays = dwell.free[over->from] && dwell.lands[i] >= 0 && dwell.free[dwell.lands[i]];
        if (!stays || !(over->distance < threshold)) continue;
        for (int n = over->to; n != dwell.lands[i]; n = graph->next[n]) dwell.passed[n] = 1;
    }
    if (best >= 0) note_copies(graph, dwell.passed);
    for (int i = 0; best >= 0 && i < graph->transition_count; i++) {
        if (dwell.lands[i] >= 0 && !dwell.free[dwell.lands[i]]) dwell.lands[i] = -1;
    }
    mry_arena_free(&tmp);
    if (best < 0) return mry_fail_memory(error, NULL);
    *out = dwell;
    return MAREY_OK;
}
