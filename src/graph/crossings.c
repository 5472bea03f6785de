/* crossings.c - pieces that lead from one captured motion into another: what interpolation is to
   well-connected motion graphs (slides, "Interpolation Step") whose walks stay for a while in every
   piece.

   Between interpolations of fixed weights one gets from a motion to another by changing the weight in
   every frame, by steps that are below the threshold. Walks that stay in a piece cannot do that, so
   such a way is made one piece, which begins as the first motion and ends as the second:

       from ->  A A A . . . . . . B B B  -> to
                weight  0 |  rises  | 1

   Both run at their own pace around a pair of frames that is closer than those around it, laid on
   each other there, with the same feet and hands down. The weight rises by so little a frame that no
   step is above the threshold, nor faster than the motions are. As a way through the graph, a
   crossing is a transition that it takes longer to be free behind; so what the reduction leaves out
   is never made. */
#include "graph/crossings.h"
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "motion/facing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIXED 0.25 /* of either motion, at least, where feet must agree .. */
#define SOON_S 0.1 /* .. or do so within so long: plants are found to a few frames */
#define CALM 0.8   /* of what would be a fault: shoulders turn less than hips */

enum { MOST_RISE = 30, NEAR_EDGE = 20 };

/* ---- which there could be ------------------------------------------------------------------- */

typedef struct crossing {
    int a, b;   /* nodes of the two motions at its first frame */
    int frames; /* of the piece, less one */
    int lead;   /* frames that are the first motion's, less one */
    int rise;   /* frames of both */
    float step; /* the largest distance from one frame's weight to the next */
    mry_floor place;
} crossing;

typedef struct crossings {
    marey_graph *graph;
    const mry_bodies *bodies;
    const mry_near_list *near;
    mry_clouds clouds;
    int least;        /* frames of a piece */
    int *first, *end; /* of each node: its sequence */
    double *facing;   /* of each node, where the hips do */
    crossing *found;  /* KINDS a pair, two each way; frames 0: there is none */
} crossings;

static double weight_at(const crossing *c, int frame)
{
    return fmin(fmax((frame - c->lead) / (c->rise + 1.0), 0), 1);
}

/* With so many frames of both around the nodes i and j. false: there is no room for that. */
static bool set_frames(const crossings *w, int i, int j, int rise, crossing *c)
{
    int before = (rise + 1) / 2; /* frames of the rise before i and j, the first one behind them */
    c->rise = rise;
    c->frames = rise + 1 > w->least ? rise + 1 : w->least;
    /* What is not both is the first motion where the second one has just begun, so that little of it
       is left out, and the second where the first one ends. */
    int spare = c->frames - rise - 1, begun = j - w->first[j], left = w->end[i] - i;
    c->lead = begun < c->frames && begun <= left ? spare : left < c->frames ? 0 : spare / 2;
    c->a = i - before - c->lead;
    c->b = j - before - c->lead;
    if (c->a < w->first[i]) return false;
    return c->a + c->lead + rise < w->end[i] && c->b + c->lead + 1 >= w->first[j] &&
           c->b + c->frames + 1 < w->end[j];
}

/* Are the same feet down in two nodes, or would they be a little earlier or later in one of them? */
static bool feet_agree(const crossings *w, int a, int b)
{
    const marey_graph *graph = w->graph;
    int soon = (int)floor(SOON_S * graph->fps + 1e-6), p = mry_node_feet(graph, a),
        q = mry_node_feet(graph, b);
    for (int k = -soon; k <= soon; k++) {
        if (b + k >= w->first[b] && b + k < w->end[b] && mry_node_feet(graph, b + k) == p)
            return true;
        if (a + k >= w->first[a] && a + k < w->end[a] && mry_node_feet(graph, a + k) == q)
            return true;
    }
    return false;
}

/* The largest distance of the two motions while both are mixed; INFINITY: they are not alike, or
   other feet are down. */
static double largest_distance(const crossings *w, const crossing *c)
{
    double most = 0;
    for (int f = c->lead + 1; f <= c->lead + c->rise; f++) {
        double weight = weight_at(c, f);
        bool mixed = weight >= MIXED && weight <= 1 - MIXED;
        double d = (double)mry_cloud_distance(&w->clouds, c->a + f, c->b + f);
        if (mixed && (d >= MAREY_GRAPH_CEILING || !feet_agree(w, c->a + f, c->b + f)))
            return INFINITY;
        most = fmax(most, d);
    }
    return most;
}

/* How much faster any joint is while the weight rises than in the two motions there. */
static double jump_of(const crossings *w, const crossing *c)
{
    const mry_bodies *bodies = w->bodies;
    double own = bodies->still_cm, most = 0;
    for (int j = 0; j < 3 * bodies->joints; j += 3) {
        double last[3][3] = { { 0 } }; /* of the two motions, and of what is made */
        for (int f = c->lead; f <= c->lead + c->rise + 1; f++) {
            double weight = weight_at(c, f), now[3][3];
            const float *p = mry_body(bodies, c->a + (weight < 1 ? f : c->lead + c->rise)) + j;
            const float *q = mry_body(bodies, c->b + (weight > 0 ? f : c->lead + 1)) + j;
            double x = q[0], z = q[2];
            mry_floor_apply(c->place, &x, &z);
            for (int k = 0; k < 3; k++) {
                now[0][k] = p[k];
                now[1][k] = k == 0 ? x : k == 1 ? (double)q[1] : z;
                now[2][k] = (1 - weight) * now[0][k] + weight * now[1][k];
            }
            if (f > c->lead) {
                own =
                    fmax(own, fmax(mry_distance3(last[0], now[0]), mry_distance3(last[1], now[1])));
                most = fmax(most, mry_distance3(last[2], now[2]));
            }
            memcpy(last, now, sizeof last);
        }
    }
    return most / own;
}

/* Does the body turn no faster than a body does, and are its hips driven no harder, or than in the
   two motions there? Two that turn apart are alike where they meet, and far from it a little away. */
static bool is_calm(const crossings *w, const crossing *c)
{
    const marey_graph *graph = w->graph;
    const mry_bodies *bodies = w->bodies;
    double most[3] = { 0 }, own[3] = { 0 }; /* turn, speed, acceleration, a frame each */
    double heading[3] = { 0 }, path[3][3][3] = { { { 0 } } };
    for (int f = c->lead; f <= c->lead + c->rise + 1; f++) {
        double weight = weight_at(c, f);
        int a = c->a + (weight < 1 ? f : c->lead + c->rise);
        int b = c->b + (weight > 0 ? f : c->lead + 1), seen = f - c->lead;
        const float *p = mry_body(bodies, a), *q = mry_body(bodies, b);
        double faces = w->facing[a], apart, x = q[0], z = q[2];
        apart = remainder(w->facing[b] + c->place.angle - faces, 2 * M_PI);
        mry_floor_apply(c->place, &x, &z);
        double turned[3] = { faces, faces + apart, faces + weight * apart };
        double hips[3][3] = { { p[0], p[1], p[2] }, { x, q[1], z }, { 0 } };
        for (int k = 0; k < 3; k++) hips[2][k] = (1 - weight) * hips[0][k] + weight * hips[1][k];
        for (int m = 0; m < 3; m++) {
            double *to = m < 2 ? own : most, came[3], push = 0;
            if (seen > 0) {
                to[0] = fmax(to[0], fabs(remainder(turned[m] - heading[m], 2 * M_PI)));
                to[1] = fmax(to[1], mry_distance3(path[1][m], hips[m]));
            }
            for (int k = 0; k < 3; k++) {
                came[k] = hips[m][k] - 2 * path[1][m][k] + path[0][m][k];
                push += came[k] * came[k];
            }
            if (seen > 1) to[2] = fmax(to[2], sqrt(push));
            heading[m] = turned[m];
        }
        memcpy(path[0], path[1], sizeof path[0]);
        memcpy(path[1], hips, sizeof path[1]);
    }
    double fps = graph->fps;
    return most[0] <= fmax(own[0], CALM * graph->limits[MAREY_FAULT_TURN] * (M_PI / 180) / fps) &&
           most[1] <= fmax(own[1], graph->limits[MAREY_FAULT_SPEED] / fps) &&
           most[2] <= fmax(own[2], graph->limits[MAREY_FAULT_ACCELERATION] / fps / fps);
}

/* From around node i to around node j: as short as its steps are small enough, and none jumps. */
static crossing find_one(const crossings *w, int i, int j, double distance, mry_floor place)
{
    const crossing none = { 0 };
    const marey_graph_def *def = &w->graph->def;
    crossing c = { .place = place };
    int rise = 1;
    for (;;) {
        double steps = floor(sqrt(distance / def->threshold)) + 1;
        if (!(steps <= MOST_RISE + 1)) return none;
        if (rise < (int)steps - 1) rise = (int)steps - 1;
        if (rise > MOST_RISE || !set_frames(w, i, j, rise, &c)) return none;
        distance = largest_distance(w, &c);
        if (!isfinite(distance)) return none;
        c.step = (float)(distance / (rise + 1.0) / (rise + 1.0));
        bool small = (double)c.step < def->threshold;
        if (small && jump_of(w, &c) <= def->jump && is_calm(w, &c)) return c;
        rise += small ? (rise + 1) / 2 : 1;
    }
}

/* A pair near where the first motion ends or the second begins is not the only one that is close: of
   those that come with it, the last, or the first, that will do, so that little of either is never
   played. */
static crossing find_edge(const crossings *w, int i, int j, double distance, mry_floor place)
{
    const crossing none = { 0 };
    int left = w->end[i] - 1 - i, begun = j - w->first[j];
    int most = left < begun ? left : begun, way = left < begun ? 1 : -1;
    if (most > NEAR_EDGE) return none;
    for (int shift = most - 1; shift > 0; shift--) {
        int a = i + way * shift, b = j + way * shift;
        if (a < w->first[i] || b >= w->end[j]) continue;
        crossing c = find_one(w, a, b, distance, place);
        if (c.frames > 0) return c;
    }
    return none;
}

enum { AT_ONCE = 64, KINDS = 4 };

static void find_some(void *user, int64_t number)
{
    crossings *w = user;
    for (int64_t n = number * AT_ONCE; n < (number + 1) * AT_ONCE && n < w->near->count; n++) {
        const mry_near *pair = &w->near->items[n];
        if ((double)pair->value < w->graph->def.threshold) continue; /* a transition will do */
        mry_floor place = mry_graph_lay(w->bodies, pair->a, pair->b);
        double d = (double)pair->value;
        for (int side = 0; side < 2; side++) {
            int i = side ? pair->b : pair->a, j = side ? pair->a : pair->b;
            mry_floor laid = side ? mry_floor_back(place) : place;
            w->found[KINDS * n + 2 * side] = find_one(w, i, j, d, laid);
            w->found[KINDS * n + 2 * side + 1] = find_edge(w, i, j, d, laid);
        }
    }
}

/* ---- as transitions -------------------------------------------------------------------------- */

/* What a transition of the graph of originals stands for: a crossing's number, or -1. */
typedef struct stand {
    int from, to; /* as marey_graph_transition begins, for sorting */
    float distance;
    int crossing;
} stand;

static marey_status list_stands(crossings *w, mry_arena *tmp, stand **out, int *count,
                                marey_error *error)
{
    const marey_graph *graph = w->graph;
    int64_t room = 0;
    for (int64_t n = 0; n < w->near->count; n++) {
        const mry_near *pair = &w->near->items[n];
        bool plain = (double)pair->value < graph->def.threshold;
        for (int k = 0; k < KINDS; k++) room += plain ? k < 2 : w->found[KINDS * n + k].frames > 0;
    }
    if (room > INT32_MAX / 2 || w->near->count > INT32_MAX / KINDS)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "more than 2^30 transitions; a lower threshold has fewer");
    stand *list = MRY_NEW_RAW(tmp, stand, (size_t)room + 1);
    if (!list) return mry_fail_memory(error, NULL);
    *count = 0;
    for (int64_t n = 0; n < w->near->count; n++) {
        const mry_near *pair = &w->near->items[n];
        bool plain = (double)pair->value < graph->def.threshold;
        for (int k = 0; k < KINDS; k++) {
            int from = k ? pair->b : pair->a, to = graph->next[k ? pair->a : pair->b];
            const crossing *c = &w->found[KINDS * n + k];
            if (plain && k < 2 && to >= 0) list[(*count)++] = (stand){ from, to, pair->value, -1 };
            if (!plain && c->frames > 0)
                list[(*count)++] =
                    (stand){ c->a, c->b + c->frames + 1, c->step, (int)(KINDS * n + k) };
        }
    }
    qsort(list, (size_t)*count, sizeof *list, mry_by_ends);
    /* Of those with the same ends the closest. */
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        stand *last = kept ? &list[kept - 1] : NULL;
        bool same = last && last->from == list[i].from && last->to == list[i].to;
        if (same && !(list[i].distance < last->distance)) continue;
        if (!same) kept++;
        list[kept - 1] = list[i];
    }
    *out = list;
    *count = kept;
    return MAREY_OK;
}

/* The stands as transitions of the graph; with what is smooth only, if that is asked for. */
static marey_status put_stands(crossings *w, stand *list, int *count, int *detour,
                               marey_error *error)
{
    marey_graph *graph = w->graph;
    if (!mry_graph_take_transitions(graph, *count)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < *count; i++)
        graph->transitions[i] = (marey_graph_transition){ .from = list[i].from,
                                                          .to = list[i].to,
                                                          .distance = list[i].distance };
    graph->transition_count = *count;
    mry_graph_judge(graph, w->bodies, NULL);
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        bool plain = list[i].crossing < 0;
        if (plain && graph->def.smooth && !((double)graph->transitions[i].jump <= graph->def.jump))
            continue;
        list[kept] = list[i];
        graph->transitions[kept] = graph->transitions[i];
        graph->half[kept] = plain ? graph->half[i] : (uint8_t)w->bodies->half;
        detour[kept] = plain ? 0 : w->found[list[i].crossing].frames;
        kept++;
    }
    *count = graph->transition_count = kept;
    mry_graph_count_leaving(graph);
    return MAREY_OK;
}

/* ---- making them ----------------------------------------------------------------------------- */

typedef struct making {
    const crossings *w;
    const stand *list;
    const int *chosen; /* stands that are crossings, and their first nodes */
    const int *start;
    int count;
    mry_trunk body;
    atomic_bool failed;
} making;

static void make_node(const making *m, const crossing *c, int frame, int node, double *places,
                      float *turns)
{
    marey_graph *graph = m->w->graph;
    marey_clip *motion = graph->motion;
    int a = c->a + frame, b = c->b + frame, joints = motion->skeleton.joint_count;
    double weight = weight_at(c, frame), *at = mry_place(motion, node);
    float *turn = mry_turn(motion, node);
    if (weight < 1) mry_clip_copy_frames(motion, node, motion, a, 1);
    if (weight > 0) {
        memcpy(places, mry_place(motion, b), 3 * (size_t)motion->mover_count * sizeof *places);
        memcpy(turns, mry_turn(motion, b), 4 * (size_t)joints * sizeof *turns);
        mry_pose_move(&m->body, c->place, places, turns);
        for (int i = 0; i < 3 * motion->mover_count; i++)
            at[i] = weight < 1 ? (1 - weight) * at[i] + weight * places[i] : places[i];
        for (int j = 0; j < 4 * joints; j += 4) {
            mry_rot q = { turns[j], turns[j + 1], turns[j + 2], turns[j + 3] };
            if (weight < 1) {
                mry_rot p = { turn[j], turn[j + 1], turn[j + 2], turn[j + 3] };
                q = mry_rot_mix(p, q, weight);
            }
            turn[j] = (float)q.w;
            turn[j + 1] = (float)q.x;
            turn[j + 2] = (float)q.y;
            turn[j + 3] = (float)q.z;
        }
    }
    /* Beyond its part of a crossing a motion may have ended. */
    a = weight < 1 ? a : c->a + c->lead + c->rise;
    b = weight > 0 ? b : c->b + c->lead + 1;
    graph->origin[node] = (mry_origin){ .clip = graph->origin[a].clip,
                                        .other = graph->origin[b].clip,
                                        .weight = (float)weight,
                                        .frame = graph->origin[a].frame,
                                        .other_frame = graph->origin[b].frame };
    graph->next[node] = frame < c->frames ? node + 1 : -1;
    graph->before[node] = frame > 0 ? node - 1 : -1;
    graph->labelled[node] = weight <= 0   ? graph->labelled[a]
                            : weight >= 1 ? graph->labelled[b]
                                          : graph->labelled[a] & graph->labelled[b];
    graph->contacts[node] =
        weight <= 0   ? graph->contacts[a]
        : weight >= 1 ? graph->contacts[b]
                      : mry_mixed_contacts(graph->contacts[a], graph->contacts[b], weight);
}

static void make_some(void *user, int64_t number)
{
    making *m = user;
    const marey_clip *motion = m->w->graph->motion;
    mry_arena tmp = mry_arena_make(m->w->graph->ctx);
    double *places = MRY_NEW_RAW(&tmp, double, 3 * (size_t)motion->mover_count + 1);
    float *turns = MRY_NEW_RAW(&tmp, float, 4 * (size_t)motion->skeleton.joint_count);
    if (!places || !turns) m->failed = true;
    for (int i = (int)number * AT_ONCE; i < (int)(number + 1) * AT_ONCE && i < m->count; i++) {
        const crossing *c = &m->w->found[m->list[m->chosen[i]].crossing];
        for (int f = 0; f <= c->frames && !m->failed; f++)
            make_node(m, c, f, m->start[i] + f, places, turns);
    }
    mry_arena_free(&tmp);
}

/* The nodes of the crossings that stay, behind the originals. */
static marey_status make_nodes(crossings *w, mry_arena *tmp, const stand *list,
                               const uint8_t *stays, making *out, marey_error *error)
{
    marey_graph *graph = w->graph;
    int count = graph->transition_count, found = 0;
    int *chosen = MRY_NEW_RAW(tmp, int, (size_t)count + 1);
    int *start = MRY_NEW_RAW(tmp, int, (size_t)count + 1);
    if (!chosen || !start) return mry_fail_memory(error, NULL);
    int64_t nodes = graph->originals;
    for (int i = 0; i < count; i++) {
        if (!stays[i] || list[i].crossing < 0) continue;
        chosen[found] = i;
        start[found++] = (int)nodes;
        nodes += w->found[list[i].crossing].frames + 1;
        if (nodes > MRY_GRAPH_MOST_NODES)
            return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                            "a graph has at most %d frames with all interpolations: take fewer "
                            "clips",
                            (int)MRY_GRAPH_MOST_NODES);
    }
    *out = (making){ .w = w, .list = list, .chosen = chosen, .start = start, .count = found };
    if (!mry_graph_grow(graph, (int)nodes)) return mry_fail_memory(error, NULL);
    graph->nodes = (int)nodes;
    out->body = mry_trunk_of(graph->motion, &graph->body);
    marey_ctx_run(graph->ctx, (found + AT_ONCE - 1) / AT_ONCE, make_some, out);
    return out->failed ? mry_fail_memory(error, NULL) : MAREY_OK;
}

typedef struct way {
    int from, to; /* as marey_graph_transition begins, for sorting */
    float distance;
    bool known; /* how it is laid */
    mry_floor place;
} way;

/* Transitions between originals that stay, into crossings and out of them. */
static marey_status join_all(crossings *w, mry_arena *tmp, const stand *list, int count,
                             const uint8_t *stays, const making *made, marey_error *error)
{
    marey_graph *graph = w->graph;
    int kept = 0;
    way *ways = MRY_NEW_RAW(tmp, way, 2 * (size_t)count + 1);
    uint8_t *known = MRY_NEW_RAW(tmp, uint8_t, 2 * (size_t)count + 1);
    if (!ways || !known) return mry_fail_memory(error, NULL);
    for (int i = 0; i < count; i++) {
        if (stays[i] && list[i].crossing < 0)
            ways[kept++] = (way){ list[i].from, list[i].to, list[i].distance, false, { 0, 0, 0 } };
    }
    for (int i = 0; i < made->count; i++) {
        const crossing *c = &w->found[list[made->chosen[i]].crossing];
        int first = made->start[i], last = first + c->frames;
        mry_floor out = { (float)c->place.angle, (float)c->place.x, (float)c->place.z };
        ways[kept++] = (way){ c->a, first + 1, c->step, true, { 0, 0, 0 } };
        ways[kept++] = (way){ last, c->b + c->frames + 1, c->step, true, out };
    }
    qsort(ways, (size_t)kept, sizeof *ways, mry_by_ends);
    if (!mry_graph_take_transitions(graph, kept)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < kept; i++) {
        graph->transitions[i] = (marey_graph_transition){ .from = ways[i].from,
                                                          .to = ways[i].to,
                                                          .distance = ways[i].distance };
        graph->places[i] = ways[i].place;
        known[i] = ways[i].known;
    }
    graph->transition_count = kept;
    mry_bodies bodies;
    marey_status status = mry_bodies_open(&bodies, tmp, graph, error);
    if (status) return status;
    mry_graph_judge(graph, &bodies, known);
    mry_graph_drop_jumps(graph);
    return MAREY_OK;
}

static marey_status build(crossings *w, mry_arena *tmp, marey_error *error)
{
    marey_graph *graph = w->graph;
    size_t nodes = (size_t)graph->nodes;
    w->first = MRY_NEW_RAW(tmp, int, nodes);
    w->end = MRY_NEW_RAW(tmp, int, nodes);
    w->facing = MRY_NEW_RAW(tmp, double, nodes);
    w->found = MRY_NEW(tmp, crossing, KINDS * (size_t)w->near->count + 1);
    if (!w->first || !w->end || !w->facing || !w->found) return mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes; n++)
        w->first[n] = graph->before[n] < 0 ? n : w->first[graph->before[n]];
    for (int n = graph->nodes - 1; n >= 0; n--)
        w->end[n] = graph->next[n] < 0 ? n + 1 : w->end[graph->next[n]];
    double *places = MRY_NEW_RAW(tmp, double, 3 * (size_t)graph->motion->skeleton.joint_count);
    if (!places) return mry_fail_memory(error, NULL);
    for (int n = 0; n < graph->nodes; n++) {
        marey_clip_positions(graph->motion, n, 1, places);
        w->facing[n] = mry_facing(graph->motion, n, places);
    }
    stand *list = NULL;
    int count = 0;
    marey_status status = mry_clouds_open(&w->clouds, tmp, w->bodies, error);
    if (status) return status;
    if (!mry_progress(graph->ctx, "interpolating", 0, 1)) return mry_fail_cancelled(error);
    marey_ctx_run(graph->ctx, (w->near->count + AT_ONCE - 1) / AT_ONCE, find_some, w);
    status = list_stands(w, tmp, &list, &count, error);
    int *detour = status ? NULL : MRY_NEW_RAW(tmp, int, (size_t)count + 1);
    if (!status && !detour) status = mry_fail_memory(error, NULL);
    if (!status) status = put_stands(w, list, &count, detour, error);
    if (status) return status;
    /* What is before the reduction is counted, not made. */
    graph->nodes_before = graph->nodes;
    graph->edges_before = mry_graph_edges(graph);
    for (int i = 0; i < count; i++) {
        int frames = list[i].crossing < 0 ? -1 : w->found[list[i].crossing].frames;
        graph->nodes_before += frames + 1;
        graph->edges_before += frames + 1; /* its frames, and the way out */
    }
    uint8_t *kept = MRY_NEW(tmp, uint8_t, nodes);
    uint8_t *stays = MRY_NEW_RAW(tmp, uint8_t, (size_t)count + 1);
    if (!kept || !stays) return mry_fail_memory(error, NULL);
    memset(stays, graph->def.unreduced, (size_t)count);
    if (!graph->def.unreduced) status = mry_graph_reduce(graph, detour, kept, stays, error);
    making made = { 0 };
    if (!status) status = make_nodes(w, tmp, list, stays, &made, error);
    if (!status) status = join_all(w, tmp, list, count, stays, &made, error);
    return status;
}

marey_status mry_crossings_build(marey_graph *graph, const mry_bodies *bodies,
                                 const mry_near_list *near, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    crossings w = { .graph = graph,
                    .bodies = bodies,
                    .near = near,
                    .least = mry_dwell_frames(graph, graph->def.dwell_s) };
    marey_status status = build(&w, &tmp, error);
    mry_arena_free(&tmp);
    return status;
}
