/* perform.c - a walk in which motions of families are done: there along a path, or one after the
   other.

   The motions are made first. Then the walk is found leg by leg: from where the last one is left to
   where the next can be entered, along the path or by the shortest way. Which frames lead in and out
   is known for the families (family_ways.c); how far each is from the motion itself is reckoned
   here, and counts like the distance of any other transition. */
#include "base/fail.h"
#include "graph/walk_path.h"
#include "request/request_data.h"

#include <stdlib.h>
#include <string.h>

/* Ways out that a leg may begin with. */
enum { MOST_EXITS = 64 };
/* Of a way that is barred, so many frames on either side are as well: they are much the same. */
enum { BARRED_AROUND = 2 };

typedef struct performing {
    marey_ctx *ctx;
    mry_arena *tmp;
    const marey_graph *graph;
    const marey_walk_def *def;
    const mry_barred_way *barred;
    int barred_count;
    mry_plan *plan;
    mry_cast cast;
    mry_clouds clouds;
    mry_ways ways;
    bool along;          /* a path */
    mry_floor_path path; /* as it is followed */
    mry_tracks tracks;
    float *ends;  /* of each node: what it costs to enter the next motion there */
    int *in_like; /* of each node that has ends: the frame of the motion that is like it */
    /* How the leg in hand begins. */
    mry_path_entry *entries;
    int *likes; /* of each entry: the node before it, which is like the frame that is left .. */
    int *left;  /* .. which is so far from the last */
    int entry_count;
    double arc; /* along the path, where it begins */
    int64_t expanded;
    double path_sum;
    int path_frames;
} performing;

/* ---- ways in and out -------------------------------------------------------------------------- */

/* What a transition costs there. */
static double join_cost(const performing *p, double distance)
{
    return p->along ? p->tracks.join + p->tracks.poor * distance
                    : p->ways.per_cut + p->ways.per_distance * distance;
}

/* Nodes of an act's motion at which it is entered and left. */
static marey_status find_edges(const performing *p, int i, int *entered, int *left,
                               marey_error *error)
{
    const marey_family *family = p->plan->acts[i].family->family;
    const mry_guest *guest = &p->cast.guests[i];
    int last = guest->brought->frames - 1;
    double until, from;
    marey_status status = mry_family_edges(family, guest->clip, &until, &from, error);
    if (status) return status;
    *entered = guest->first + (int)fmin(floor(until), last - 1);
    *left = guest->first + (int)fmin(ceil(from - 1e-6), last);
    return MAREY_OK;
}

static bool is_barred(const performing *p, int act, int node, bool out)
{
    for (int k = 0; k < p->barred_count; k++) {
        const mry_barred_way *one = &p->barred[k];
        if (one->act == act && one->out == out && abs(one->node - node) <= BARRED_AROUND)
            return true;
    }
    return false;
}

/* A way into the motion itself, or out of it, that is near and smooth, with room to be so. */
static bool is_good(const performing *p, const mry_bridge *way, double distance, int room)
{
    return distance < MAREY_FAMILY_CEILING && (double)way->over.jump <= p->graph->def.jump &&
           way->half <= room;
}

/* Frames of an act's motion from one of its nodes to the nearest that is kept as it is, before it or
   behind it; all that there are if none is. */
static int room_to(const performing *p, int node, int way)
{
    const marey_graph *graph = p->cast.graph;
    int room = 0;
    for (int n = node + way; n >= 0; n = way < 0 ? graph->before[n] : graph->next[n]) {
        if (graph->kept[n]) break;
        room++;
        if (way < 0 ? graph->before[n] < 0 : graph->next[n] < 0) break;
    }
    return room;
}

/* What it costs to enter an act's motion from each node: from those that are good, or if none is,
   from all that lead into its family. */
static marey_status find_ends(performing *p, int i, marey_error *error)
{
    const marey_graph_family *family = p->plan->acts[i].family;
    int entered, left, found = 0, first = p->cast.guests[i].first;
    marey_status status = find_edges(p, i, &entered, &left, error);
    for (int pass = 0; pass < 2 && found == 0 && !status; pass++) {
        for (int n = 0; n < p->graph->nodes; n++) {
            p->ends[n] = INFINITY;
            if (!isfinite(family->in[n]) || !p->ways.dwell.free[n]) continue;
            if (is_barred(p, i, n, false)) continue;
            double distance;
            int like = mry_family_nearest_edge(&p->clouds, n, first, entered, &distance);
            mry_bridge in = mry_graph_bridge_of(&p->cast.bodies, n, like);
            if (pass == 0 && !is_good(p, &in, distance, room_to(p, like, 1))) continue;
            p->in_like[n] = like - first;
            p->ends[n] = (float)join_cost(p, distance);
            found++;
        }
    }
    return status;
}

typedef struct exit_way {
    double distance;
    int like, left;
} exit_way;

static int by_distance(const void *one, const void *other)
{
    const exit_way *a = one, *b = other;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->like > b->like) - (a->like < b->like);
}

/* How the leg behind an act, whose motion is laid so, may begin: the nearest ways out that are
   good, or if none is, the nearest. */
static marey_status find_exits(performing *p, int i, mry_floor place, marey_error *error)
{
    const marey_graph *graph = p->graph;
    const marey_graph_family *family = p->plan->acts[i].family;
    int entered, left, count = 0, last = p->cast.guests[i].first + p->cast.brought[i]->frames - 1;
    marey_status status = find_edges(p, i, &entered, &left, error);
    exit_way *all = MRY_NEW_RAW(p->tmp, exit_way, graph->nodes);
    if (!status && !all) status = mry_fail_memory(error, NULL);
    if (status) return status;
    for (int n = 0; n < graph->nodes; n++) {
        if (!isfinite(family->out[n]) || is_barred(p, i, n, true)) continue;
        exit_way one = { .like = n };
        one.left = mry_family_nearest_edge(&p->clouds, n, left, last, &one.distance);
        all[count++] = one;
    }
    qsort(all, (size_t)count, sizeof *all, by_distance);
    p->entry_count = 0;
    for (int pass = 0; pass < 2 && p->entry_count == 0; pass++) {
        for (int k = 0; k < count && p->entry_count < MOST_EXITS; k++) {
            mry_bridge out = mry_graph_bridge_of(&p->cast.bodies, all[k].left, all[k].like);
            int stay =
                2 * out.half + 1 > p->ways.dwell.least ? 2 * out.half + 1 : p->ways.dwell.least;
            int free = mry_dwell_along(graph, out.over.to, stay - 1);
            bool good = is_good(p, &out, all[k].distance, room_to(p, all[k].left, -1));
            if (free < 0 || !p->ways.dwell.free[free] || (pass == 0 && !good)) continue;
            p->likes[p->entry_count] = all[k].like;
            p->left[p->entry_count] = last - all[k].left;
            p->entries[p->entry_count++] =
                (mry_path_entry){ .node = out.over.to,
                                  .stay = stay,
                                  .place = mry_floor_times(place, out.place),
                                  .cost = join_cost(p, all[k].distance) };
        }
    }
    if (p->entry_count > 0) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no way leads on from request %d", i + 1);
}

/* ---- legs ------------------------------------------------------------------------------------- */

static marey_status keep_leg(performing *p, int i, const int *nodes, const double *bends, int count,
                             marey_error *error)
{
    mry_leg *leg = &p->plan->legs[i];
    leg->nodes = MRY_NEW_RAW(&p->plan->mem, int, (size_t)count + 1);
    leg->bends = bends ? MRY_NEW_RAW(&p->plan->mem, double, (size_t)count + 1) : NULL;
    if (!leg->nodes || (bends && !leg->bends)) return mry_fail_memory(error, NULL);
    memcpy(leg->nodes, nodes, (size_t)count * sizeof *nodes);
    if (bends) memcpy(leg->bends, bends, (size_t)count * sizeof *bends);
    leg->count = count;
    return MAREY_OK;
}

/* Along the path, to where an act is entered, or (past the last) to its end. */
static marey_status walk_along(performing *p, int i, mry_floor *place, int *begin,
                               marey_error *error)
{
    mry_plan *plan = p->plan;
    bool last = i == plan->count;
    int64_t effort = p->def->effort > 0 ? p->def->effort / (plan->count + 1) + 1 : 0;
    mry_path_leg leg = { .begins = p->entries,
                         .begin_count = p->entry_count,
                         .from = p->def->from_given ? p->def->from : -1,
                         .begin_arc = p->arc,
                         .ends = last ? NULL : p->ends,
                         .end_arc = last ? 0 : plan->acts[i].along_cm,
                         .bend_cm = mry_path_tightest(p->def),
                         .effort = effort };
    marey_walk walk = { 0 };
    mry_path_stood stood;
    marey_status status =
        mry_walk_path_leg(p->ctx, &p->ways, &p->tracks, &p->path, &leg, &walk, &stood, error);
    if (status) return status;
    if (!last && !walk.arrived)
        status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                          "no walk gets to request %d at %.0f cm along the path", i + 1,
                          plan->acts[i].along_cm);
    if (!status) status = keep_leg(p, i, walk.nodes, walk.bends, walk.count, error);
    p->expanded += walk.expanded;
    p->path_sum += walk.path_cm * walk.count;
    p->path_frames += walk.count;
    plan->like.path_worst_cm = fmax(plan->like.path_worst_cm, walk.path_worst_cm);
    if (last) plan->like.arrived = walk.arrived;
    if (i == 0) plan->like.place = walk.place;
    if (!last) plan->acts[i].away = stood.away;
    p->arc = stood.arc;
    *place = stood.place;
    *begin = stood.begin;
    marey_walk_free(&walk);
    return status;
}

/* Where the shortest way begins: at each free node what it cost to be there, and in began[] which
   node or entry it began with. */
static void begin_shortest(performing *p, mry_nearest *near, int *began)
{
    const marey_graph *graph = p->graph;
    int least = p->ways.dwell.least > 0 ? p->ways.dwell.least : 1;
    for (int n = 0; n < graph->nodes && p->entry_count == 0; n++) {
        if (p->def->from_given && n != p->def->from) continue;
        int at = mry_dwell_begin(graph, &p->ways.dwell, n);
        if (at < 0) continue;
        near->cost[at] = (least - 1) * p->ways.frame;
        began[at] = n;
    }
    for (int i = 0; i < p->entry_count; i++) {
        const mry_path_entry *one = &p->entries[i];
        int at = mry_dwell_along(graph, one->node, one->stay - 1);
        double cost = one->cost + one->stay * p->ways.frame;
        if (!(cost < near->cost[at])) continue;
        near->cost[at] = cost;
        began[at] = i;
    }
}

/* Nodes of the way that was found to a free one, before place `at`; nodes NULL: only counted. */
static int put_way(const performing *p, const mry_nearest *near, const int *began, int node,
                   int *nodes, int at, int *begin)
{
    const marey_graph *graph = p->graph;
    while (near->came[node] >= 0) {
        int from = near->came[node];
        at = mry_walk_back(graph, near->over[node], node, nodes, at);
        node = from;
    }
    *begin = began[node];
    int first = p->entry_count > 0 ? p->entries[*begin].node : *begin;
    for (int n = node;; n = graph->before[n]) {
        at--;
        if (nodes) nodes[at] = n;
        if (n == first) return at;
    }
}

static marey_status walk_shortest(performing *p, int i, mry_floor *place, int *begin,
                                  marey_error *error)
{
    const marey_graph *graph = p->graph;
    mry_arena tmp = mry_arena_make(p->ctx);
    mry_nearest near;
    int *began = MRY_NEW_RAW(&tmp, int, graph->nodes), best = -1;
    marey_status status =
        began && mry_nearest_open(&near, &tmp, graph) ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) {
        for (int n = 0; n < graph->nodes; n++) near.came[n] = -1;
        begin_shortest(p, &near, began);
        mry_nearest_run(&near, &p->ways, NULL);
        if (mry_cancelled(p->ctx)) status = mry_fail_cancelled(error);
        double least = INFINITY;
        for (int n = 0; n < graph->nodes; n++) {
            double cost = near.cost[n] + (double)p->ends[n];
            if (cost < least) best = n;
            least = fmin(least, cost);
        }
    }
    if (!status && best < 0)
        status = mry_fail(error, MAREY_ERR_REQUEST, NULL, "no walk gets to request %d", i + 1);
    if (!status) {
        int count = -put_way(p, &near, began, best, NULL, 0, begin);
        int *nodes = MRY_NEW_RAW(&tmp, int, count);
        if (nodes) put_way(p, &near, began, best, nodes, count, begin);
        status = nodes ? keep_leg(p, i, nodes, NULL, count, error) : mry_fail_memory(error, NULL);
        p->expanded += near.expanded;
        *place = (mry_floor){ 0 }; /* it does not matter where */
        if (p->entry_count == 0) *begin = -1;
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* The act is entered from the last node of its leg, which stands so; how its motion is laid. */
static mry_floor enter(performing *p, int i, mry_floor place)
{
    mry_act *act = &p->plan->acts[i];
    const mry_leg *leg = &p->plan->legs[i];
    act->from = leg->nodes[leg->count - 1];
    act->in_frame = p->in_like[act->from];
    mry_bridge in =
        mry_graph_bridge_of(&p->cast.bodies, act->from, p->cast.guests[i].first + act->in_frame);
    return mry_floor_times(place, in.place);
}

/* How far along the path the body is behind a motion: no farther than it went. */
static void pass(performing *p, int i, mry_floor place)
{
    const mry_guest *guest = &p->cast.guests[i];
    int last = guest->first + guest->brought->frames - 1;
    mry_vec from = mry_node_at(p->cast.graph, guest->first + p->plan->acts[i].in_frame);
    mry_vec to = mry_node_at(p->cast.graph, last);
    mry_floor_apply(place, &from.x, &from.z);
    mry_floor_apply(place, &to.x, &to.z);
    double away, went = hypot(to.x - from.x, to.z - from.z);
    p->arc = mry_floor_path_follow(&p->path, p->arc, MRY_PATH_GAIN * went, to.x, to.z, &away);
}

static marey_status walk_all(performing *p, marey_error *error)
{
    mry_plan *plan = p->plan;
    marey_status status = MAREY_OK;
    for (int i = 0; i <= plan->count && !status; i++) {
        bool behind = i == plan->count;
        mry_floor place;
        int begin;
        if (behind && plan->acts[i - 1].like < 0) break;
        if (!behind) status = find_ends(p, i, error);
        if (!status)
            status = p->along ? walk_along(p, i, &place, &begin, error)
                              : walk_shortest(p, i, &place, &begin, error);
        if (!status && begin >= 0) {
            plan->acts[i - 1].like = p->likes[begin];
            plan->acts[i - 1].to_end = p->left[begin];
        }
        if (status || behind) break;
        mry_floor laid = enter(p, i, place);
        plan->acts[i].like = -1;
        bool ends =
            i + 1 == plan->count && (!p->along || plan->acts[i].along_cm > p->path.length - 1);
        if (ends) continue;
        plan->acts[i].like = 0; /* which is known when the next leg is */
        if (p->along) pass(p, i, laid);
        status = find_exits(p, i, laid, error);
    }
    return status;
}

/* length: of the path as it was drawn. */
static marey_status check(const performing *p, const marey_request *requests, int count,
                          double length, marey_error *error)
{
    double last = 0;
    for (int i = 0; i < count; i++) {
        if (requests[i].family->graph != p->graph)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "the family of request %d is in another graph", i + 1);
        double at = requests[i].along_cm;
        if (p->along && !(at >= last && at <= length + 0.5))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "request %d must be on the path, of %.0f cm, and not before the one "
                            "before it: got %g cm",
                            i + 1, length, at);
        last = at;
    }
    return MAREY_OK;
}

static marey_status open_all(performing *p, const marey_request *requests, marey_error *error)
{
    mry_plan *plan = p->plan;
    size_t nodes = (size_t)p->graph->nodes;
    p->ends = MRY_NEW_RAW(p->tmp, float, nodes);
    p->in_like = MRY_NEW(p->tmp, int, nodes);
    p->entries = MRY_NEW(p->tmp, mry_path_entry, MOST_EXITS);
    p->likes = MRY_NEW(p->tmp, int, MOST_EXITS);
    p->left = MRY_NEW(p->tmp, int, MOST_EXITS);
    plan->acts = MRY_NEW(&plan->mem, mry_act, plan->count);
    plan->legs = MRY_NEW(&plan->mem, mry_leg, (size_t)plan->count + 1);
    if (!p->ends || !p->in_like || !p->entries || !p->likes || !p->left || !plan->acts ||
        !plan->legs)
        return mry_fail_memory(error, NULL);
    mry_rounded route = { 0 };
    marey_status status = mry_ways_open(&p->ways, p->tmp, p->graph, p->def, error);
    if (!status && p->along && !mry_tracks_open(&p->tracks, p->tmp, &p->ways))
        status = mry_fail_memory(error, NULL);
    if (!status && p->along) status = mry_route_open(&route, p->tmp, &p->tracks, p->def, error);
    p->path = route.path;
    double length = p->along && !status ? route.along[route.count - 1] : 0;
    if (!status) status = check(p, requests, plan->count, length, error);
    for (int i = 0; i < plan->count && !status; i++) {
        mry_act *act = &plan->acts[i];
        size_t size = (size_t)marey_family_dims(requests[i].family->family) * sizeof *act->aim;
        act->family = requests[i].family;
        act->along_cm =
            p->along ? mry_rounded_arc(&route, requests[i].along_cm) : requests[i].along_cm;
        act->away = NAN;
        memcpy(act->wanted, requests[i].wanted, size);
        memcpy(act->aim, requests[i].wanted, size);
    }
    if (!status) status = mry_cast_open(&p->cast, p->ctx, plan, error);
    if (!status) status = mry_clouds_open(&p->clouds, p->tmp, &p->cast.bodies, error);
    return status;
}

marey_status mry_perform_once(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                              const marey_request *requests, int count,
                              const mry_barred_way *barred, int barred_count,
                              marey_performance *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx), mem = mry_arena_make(ctx);
    mry_plan *plan = MRY_NEW(&mem, mry_plan, 1);
    if (!plan) return mry_fail_memory(error, NULL);
    *plan = (mry_plan){ .mem = mem, .graph = graph, .count = count };
    performing p = { .ctx = ctx,
                     .tmp = &tmp,
                     .graph = graph,
                     .def = def,
                     .barred = barred,
                     .barred_count = barred_count,
                     .plan = plan,
                     .along = def->kind == MAREY_WALK_PATH };
    marey_performance made = { 0 };
    plan->like.arrived = true;
    plan->like.placed = p.along;
    marey_status status = open_all(&p, requests, error);
    if (!status) status = walk_all(&p, error);
    plan->like.path_cm = p.path_frames > 0 ? p.path_sum / p.path_frames : 0;
    plan->like.expanded = plan->like.first_after = p.expanded;
    if (!status) status = mry_cast_assemble(&p.cast, plan, &made, error);
    mry_cast_close(&p.cast);
    mry_arena_free(&tmp);
    if (status) {
        mem = plan->mem;
        mry_arena_free(&mem);
        return status;
    }
    made.plan = plan;
    *out = made;
    return MAREY_OK;
}
