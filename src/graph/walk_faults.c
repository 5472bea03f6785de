/* walk_faults.c - what eyes see in a walk that was made, and figures of joints do not: it turns, or
   changes its pose, faster than the people in its clips ever do, or its hips are driven harder.

   Each is a rate over one frame of the graph, so that walks at any rate are seen alike. What the
   captured frames do in all but one of a thousand frames, and a fifth more, is what a body does.
   Beyond that, near a transition, and more than the motions themselves do there, it is a fault of
   that transition. */
#include "base/fail.h"
#include "graph/walk_data.h"
#include "motion/facing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEYOND 1.2   /* times what all but a few captured frames do */
#define FEW 0.001    /* of them */
#define THAN_OWN 1.1 /* times what the motions do there themselves */

enum { KINDS = MAREY_WALK_FAULT_KIND_COUNT, SAMPLES = 10000 };

static const struct {
    const char *name, *unit, *about;
} kinds[KINDS] = {
    [MAREY_FAULT_TURN] = { "turn", "degrees/s", "it turns faster than the actors do" },
    [MAREY_FAULT_POSE] = { "pose", "cm/s", "its pose changes faster than theirs" },
    [MAREY_FAULT_SPEED] = { "speed", "cm/s", "its hips are faster" },
    [MAREY_FAULT_ACCELERATION] = { "acceleration", "cm/s2", "its hips are driven harder" },
};

const char *marey_walk_fault_name(marey_walk_fault_kind kind)
{
    return (unsigned)kind < KINDS ? kinds[kind].name : "";
}

const char *marey_walk_fault_unit(marey_walk_fault_kind kind)
{
    return (unsigned)kind < KINDS ? kinds[kind].unit : "";
}

const char *marey_walk_fault_about(marey_walk_fault_kind kind)
{
    return (unsigned)kind < KINDS ? kinds[kind].about : "";
}

/* ---- what is seen of a body ------------------------------------------------------------------ */

/* A body in one frame: where its hips are and face, and its joints as seen from there. */
typedef struct look {
    double heading;
    mry_vec hips;
    double *joints;
} look;

typedef struct looking {
    const marey_graph *graph;
    int joints;
    double rate;    /* of what is looked at, frames a second of the graph */
    double *places; /* room */
} looking;

/* At the graph's rate; places NULL: out of memory. */
static looking looking_at(mry_arena *tmp, const marey_graph *graph)
{
    int joints = graph->motion->skeleton.joint_count;
    return (looking){ .graph = graph,
                      .joints = joints,
                      .rate = graph->fps,
                      .places = MRY_NEW_RAW(tmp, double, 3 * (size_t)joints) };
}

static bool look_open(mry_arena *tmp, const looking *at, look *out)
{
    out->joints = MRY_NEW_RAW(tmp, double, 3 * (size_t)at->joints);
    return out->joints != NULL;
}

static void take_look(const looking *at, const marey_clip *clip, int frame, look *out)
{
    marey_clip_positions(clip, frame, 1, at->places);
    out->heading = mry_facing(clip, frame, at->places);
    out->hips = mry_carrier_at(&at->graph->body, clip, frame);
    mry_floor back = { -out->heading, 0, 0 };
    for (int j = 0; j < 3 * at->joints; j += 3) {
        double x = at->places[j] - out->hips.x, z = at->places[j + 2] - out->hips.z;
        mry_floor_apply(back, &x, &z);
        out->joints[j] = x;
        out->joints[j + 1] = at->places[j + 1] - out->hips.y;
        out->joints[j + 2] = z;
    }
}

/* The rates from one to the next of three frames. */
static void rates_of(const looking *at, const look *before, const look *now, const look *next,
                     double *out)
{
    double sum = 0;
    for (int j = 0; j < 3 * at->joints; j += 3) {
        double step = mry_distance3(now->joints + j, next->joints + j);
        sum += step * step;
    }
    mry_vec come = mry_vec_sub(now->hips, before->hips), go = mry_vec_sub(next->hips, now->hips);
    double turn = remainder(next->heading - now->heading, 2 * M_PI);
    out[MAREY_FAULT_TURN] = fabs(turn) * (180 / M_PI) * at->rate;
    out[MAREY_FAULT_POSE] = sqrt(sum / at->joints) * at->rate;
    out[MAREY_FAULT_SPEED] = mry_vec_length(go) * at->rate;
    out[MAREY_FAULT_ACCELERATION] = mry_vec_length(mry_vec_sub(go, come)) * at->rate * at->rate;
}

/* ---- what the clips do ----------------------------------------------------------------------- */

/* Of a captured frame; 0 where there is none before it or behind it. */
static void own_rates(const looking *at, look *room, int node, double *out)
{
    const marey_graph *graph = at->graph;
    memset(out, 0, KINDS * sizeof *out);
    if (graph->before[node] < 0 || graph->next[node] < 0) return;
    take_look(at, graph->motion, graph->before[node], &room[0]);
    take_look(at, graph->motion, node, &room[1]);
    take_look(at, graph->motion, graph->next[node], &room[2]);
    rates_of(at, &room[0], &room[1], &room[2], out);
}

typedef struct sampling {
    const marey_graph *graph;
    int count;
    float *rates; /* kinds x samples */
    atomic_bool failed;
} sampling;

enum { AT_ONCE = 256 };

static void sample_some(void *user, int64_t number)
{
    sampling *s = user;
    mry_arena tmp = mry_arena_make(s->graph->ctx);
    looking at = looking_at(&tmp, s->graph);
    look room[3];
    bool there = at.places != NULL;
    for (int k = 0; k < 3 && there; k++) there = look_open(&tmp, &at, &room[k]);
    if (!there) s->failed = true;
    for (int i = (int)number * AT_ONCE; there && i < (number + 1) * AT_ONCE && i < s->count; i++) {
        double own[KINDS];
        own_rates(&at, room, (int)((int64_t)i * s->graph->originals / s->count), own);
        for (int k = 0; k < KINDS; k++)
            s->rates[(size_t)k * (size_t)s->count + (size_t)i] = (float)own[k];
    }
    mry_arena_free(&tmp);
}

/* Of each kind what all but a few captured frames stay below, and a fifth more. */
marey_status mry_graph_find_limits(marey_graph *graph, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    int count = graph->originals < SAMPLES ? graph->originals : SAMPLES;
    sampling s = { .graph = graph, .count = count };
    s.rates = MRY_NEW_RAW(&tmp, float, (size_t)KINDS *(size_t)count);
    if (s.rates) marey_ctx_run(graph->ctx, (count + AT_ONCE - 1) / AT_ONCE, sample_some, &s);
    bool there = s.rates && !s.failed;
    for (int k = 0; k < KINDS && there; k++) {
        float *of = s.rates + (size_t)k * (size_t)count;
        qsort(of, (size_t)count, sizeof *of, mry_by_size);
        graph->limits[k] = BEYOND * (double)of[(int)((1 - FEW) * (count - 1))];
    }
    mry_arena_free(&tmp);
    return there ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- what the walk does ---------------------------------------------------------------------- */

typedef struct judging {
    looking at;
    look room[3];
    const marey_walk *walk;
    int *
        over; /* of each frame of the walk: the transition that is spread there leads to this frame */
    marey_walk_fault *out;
    int most, count;
} judging;

/* Which transition a frame of the walk is near to; what is interpolated, to the one that leads there. */
static bool find_near(mry_arena *tmp, judging *j)
{
    const marey_graph *graph = j->at.graph;
    const marey_walk *walk = j->walk;
    j->over = MRY_NEW_RAW(tmp, int, walk->count);
    if (!j->over) return false;
    for (int f = 0; f < walk->count; f++) j->over[f] = -1;
    for (int f = 1, into = -1; f < walk->count; f++) {
        int step = mry_walk_step(graph, walk->nodes[f - 1], walk->nodes[f]);
        if (step >= 0) into = f;
        if (step < 0 && into >= 0 && walk->nodes[f] >= graph->originals) j->over[f] = into;
        if (step < 0) continue;
        int half = graph->half[step] + 1;
        for (int k = f - half; k <= f + 2 * half && k < walk->count; k++) {
            if (k >= 0) j->over[k] = f;
        }
    }
    return true;
}

/* The most that the motions do themselves around a transition. */
static double own_most(judging *j, int over, int kind)
{
    const int *nodes = j->walk->nodes;
    int half = 2 * j->at.graph->half[mry_walk_step(j->at.graph, nodes[over - 1], nodes[over])] + 2;
    double most = 0;
    for (int f = over - half; f <= over + half; f++) {
        double own[KINDS];
        if (f < 0 || f >= j->walk->count || nodes[f] >= j->at.graph->originals) continue;
        own_rates(&j->at, j->room, nodes[f], own);
        most = fmax(most, own[kind]);
    }
    return most;
}

/* Keeps the worst of each transition and kind. */
static void note(judging *j, int frame, int over, const double *rates)
{
    for (int k = 0; k < KINDS; k++) {
        if (!(rates[k] > j->at.graph->limits[k])) continue;
        marey_walk_fault fault = { (marey_walk_fault_kind)k, frame, over, rates[k],
                                   j->at.graph->limits[k] };
        int i = 0;
        while (i < j->count && (j->out[i].kind != fault.kind || j->out[i].transition != over)) i++;
        if (i < j->count && j->out[i].value >= fault.value) continue;
        if (i == j->most || !(rates[k] > THAN_OWN * own_most(j, over, k))) continue;
        j->out[i] = fault;
        if (i == j->count) j->count++;
    }
}

/* Looks at the made clip, frame by frame, each beside those a graph's frame before and behind it. */
static bool judge_all(mry_arena *tmp, judging *j, const marey_clip *made)
{
    int apart = (int)fmax(1, round(made->fps / j->at.graph->fps)), ring = 2 * apart + 1;
    looking at = j->at;
    at.rate = made->fps / apart;
    look *seen = MRY_NEW(tmp, look, ring);
    for (int k = 0; seen && k < ring; k++) {
        if (!look_open(tmp, &at, &seen[k])) return false;
    }
    for (int f = 0; seen && f < made->frames; f++) {
        double rates[KINDS];
        take_look(&at, made, f, &seen[f % ring]);
        if (f < 2 * apart) continue;
        int middle = f - apart;
        int walked = (int)fmin(round(middle * j->at.graph->fps / made->fps), j->walk->count - 1);
        if (j->over[walked] < 0) continue;
        rates_of(&at, &seen[(f - 2 * apart) % ring], &seen[middle % ring], &seen[f % ring], rates);
        note(j, middle, j->over[walked], rates);
    }
    return seen != NULL;
}

marey_status marey_walk_faults(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                               const marey_clip *made, marey_walk_fault *faults, int room,
                               int *count, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    if (made->skeleton.joint_count != graph->motion->skeleton.joint_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the clip is not made of this graph");
    judging j = { .at = looking_at(&tmp, graph), .walk = walk, .out = faults, .most = room };
    bool there = j.at.places != NULL;
    for (int k = 0; k < 3 && there; k++) there = look_open(&tmp, &j.at, &j.room[k]);
    there = there && find_near(&tmp, &j) && judge_all(&tmp, &j, made);
    mry_arena_free(&tmp);
    if (!there) return mry_fail_memory(error, NULL);
    *count = j.count;
    return MAREY_OK;
}
