/* graph_guests.c - a copy of a graph in which other motions stand beside its own: examples of a
   family, or what was made of one. Each is a sequence of its own behind the graph's nodes. */
#include "request/guests.h"
#include "base/fail.h"
#include "feature/feature_data.h"

#include <marey/retarget.h>

#include <stdlib.h>
#include <string.h>

marey_status mry_guest_bring(const marey_graph *graph, const marey_clip *clip,
                             const marey_contacts *contacts, marey_clip **out, marey_error *error)
{
    const marey_clip *body = graph->clips[0];
    marey_clip *fitted = NULL, *timed = NULL;
    marey_status status = MAREY_OK;
    if (!mry_same_joints(&clip->skeleton, &body->skeleton))
        status = marey_clip_fit(clip, contacts, body, NULL, &fitted, NULL, error);
    if (!status) status = marey_clip_resample(fitted ? fitted : clip, graph->fps, &timed, error);
    if (!status) status = marey_clip_refit(timed, body, out, error);
    marey_clip_free(fitted);
    marey_clip_free(timed);
    return status;
}

static void put_guest(marey_graph *graph, const mry_guest *guest, int clip)
{
    const marey_clip *motion = guest->brought;
    int first = guest->first, count = motion->frames;
    double per_node = guest->clip->fps / graph->fps;
    mry_clip_copy_frames(graph->motion, first, motion, 0, count);
    for (int k = 0; k < count; k++) {
        double frame = fmin(k * per_node, guest->clip->frames - 1);
        graph->origin[first + k] = (mry_origin){ .clip = clip, .other = -1, .frame = frame };
        graph->next[first + k] = k + 1 < count ? first + k + 1 : -1;
        graph->before[first + k] = k > 0 ? first + k - 1 : -1;
        graph->kept[first + k] = guest->kept ? guest->kept[k] : 0;
        for (int i = 0; guest->contacts && i < guest->contacts->count; i++) {
            const marey_contact *plant = &guest->contacts->items[i];
            if (frame >= plant->start && frame < plant->end)
                graph->contacts[first + k] |= (uint8_t)(1u << plant->joint);
        }
    }
}

/* Room for everything of the copy; its clips are the graph's, then the guests'. */
static bool take_room(marey_graph *copy, const marey_graph *graph, const mry_guest *guests,
                      int count, int nodes)
{
    const marey_clip **clips = MRY_NEW(&copy->mem, const marey_clip *, graph->clip_count + count);
    if (!clips || !mry_graph_take_arrays(copy, nodes)) return false;
    memcpy(clips, graph->clips, (size_t)graph->clip_count * sizeof *clips);
    for (int i = 0; i < count; i++) clips[graph->clip_count + i] = guests[i].clip;
    copy->clips = clips;
    copy->clip_count = graph->clip_count + count;
    copy->kept = MRY_NEW(&copy->data, uint8_t, nodes);
    copy->motion = mry_clip_make_like(graph->motion, nodes, graph->fps);
    return copy->motion && copy->kept;
}

marey_status mry_graph_with(marey_ctx *ctx, const marey_graph *graph, mry_guest *guests, int count,
                            marey_graph **out, marey_error *error)
{
    size_t own = (size_t)graph->nodes;
    int nodes = graph->nodes;
    for (int i = 0; i < count; i++) {
        if (guests[i].brought->frames > MRY_GRAPH_MOST_NODES - nodes)
            return mry_fail(error, MAREY_ERR_LIMIT, NULL, "the motions have more than %d frames",
                            (int)MRY_GRAPH_MOST_NODES);
        guests[i].first = nodes;
        nodes += guests[i].brought->frames;
    }
    mry_arena mem = mry_arena_make(ctx);
    marey_graph *copy = MRY_NEW(&mem, marey_graph, 1);
    if (!copy) return mry_fail_memory(error, NULL);
    *copy = *graph; /* labels, actions and settings are the graph's own */
    copy->mem = mem;
    copy->data = mry_arena_make(ctx);
    copy->ctx = ctx;
    copy->motion = NULL;
    copy->dwell = (mry_dwell){ 0 };
    copy->lean = NULL;
    if (!take_room(copy, graph, guests, count, nodes) || !mry_graph_take_transitions(copy, 0)) {
        marey_graph_free(copy);
        return mry_fail_memory(error, NULL);
    }
    copy->originals = graph->originals;
    memcpy(copy->origin, graph->origin, own * sizeof *copy->origin);
    memcpy(copy->next, graph->next, own * sizeof *copy->next);
    memcpy(copy->before, graph->before, own * sizeof *copy->before);
    memcpy(copy->contacts, graph->contacts, own);
    memcpy(copy->labelled, graph->labelled, own * sizeof *copy->labelled);
    mry_clip_copy_frames(copy->motion, 0, graph->motion, 0, graph->nodes);
    for (int i = 0; i < count; i++) put_guest(copy, &guests[i], graph->clip_count + i);
    mry_graph_hold_root(copy, graph->nodes);
    *out = copy;
    return MAREY_OK;
}

static int by_ends(const void *left, const void *right)
{
    const mry_bridge *a = left, *b = right;
    return mry_by_ends(&a->over, &b->over);
}

bool mry_graph_bridge(marey_graph *copy, const marey_graph *graph, mry_bridge *bridges, int count)
{
    qsort(bridges, (size_t)count, sizeof *bridges, by_ends);
    int all = graph->transition_count + count;
    if (!mry_graph_take_transitions(copy, all)) return false;
    for (int i = 0, own = 0, more = 0; i < all; i++) {
        bool next =
            more < count && (own == graph->transition_count ||
                             mry_by_ends(&bridges[more].over, &graph->transitions[own]) < 0);
        copy->transitions[i] = next ? bridges[more].over : graph->transitions[own];
        copy->places[i] = next ? bridges[more].place : graph->places[own];
        copy->half[i] = next ? (uint8_t)bridges[more].half : graph->half[own];
        if (next)
            more++;
        else
            own++;
    }
    copy->transition_count = all;
    mry_graph_count_leaving(copy);
    return true;
}

mry_bridge mry_graph_bridge_of(const mry_bodies *bodies, int from, int like)
{
    const marey_graph *graph = bodies->graph;
    mry_bridge bridge = { .over = { .from = from, .to = graph->next[like] } };
    mry_lay sums = { 0 };
    double distance;
    mry_floor place = mry_graph_lay(bodies, from, like);
    mry_lay_add(&sums, mry_body(bodies, from), mry_body(bodies, like), bodies->weight,
                bodies->joints);
    mry_lay_end(&sums, &distance);
    bridge.place = (mry_floor){ (float)place.angle, (float)place.x, (float)place.z };
    bridge.over.jump = (float)mry_graph_jump(bodies, from, like, place, &bridge.half);
    bridge.over.distance = (float)distance;
    if (bridge.half > UINT8_MAX) bridge.half = UINT8_MAX;
    return bridge;
}
