/* graph_edges.c - transitions out of pairs of nodes that are alike: where i and j are, i leads to
   the node behind j and j to the one behind i (slides, "Standard Motion Graphs"). */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "graph/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- where the joints are, and how nodes are laid on each other ----------------------------- */

/* Where the joints of all nodes are, and how one node is laid on another: the turn about the
   vertical and the shift on the floor that bring the weighted point clouds of a few frames around
   both closest (Kovar & Gleicher 2003, eq. 2-4). */

typedef struct posing {
    const mry_bodies *bodies;
    int at_once;
} posing;

static void pose_some(void *user, int64_t i)
{
    const posing *p = user;
    const marey_graph *g = p->bodies->graph;
    int first = (int)i * p->at_once, count = g->nodes - first;
    if (count > p->at_once) count = p->at_once;
    size_t row = (size_t)p->bodies->joints * 3;
    float *at = p->bodies->positions + (size_t)first * row;
    marey_clip_positions_float(g->motion, first, count, at);
    /* A root that stays goes with the body: laid on another it would be metres away. */
    for (int n = 0; n < count && g->body.joint > 0; n++, at += row)
        memcpy(at, at + 3 * g->body.joint, 3 * sizeof *at);
}

marey_status mry_bodies_open(mry_bodies *bodies, mry_arena *mem, const marey_graph *graph,
                             marey_error *error)
{
    int joints = graph->motion->skeleton.joint_count;
    /* Spread over at least one frame, however slow the clips are, and as many as a graph has room
       to note. */
    *bodies = (mry_bodies){ .graph = graph,
                            .joints = joints,
                            .half = (int)fmin(
                                fmax(floor(graph->def.spread_s * graph->fps + 1e-6), 1), UINT8_MAX),
                            .still_cm = MAREY_GRAPH_STILL / graph->fps };
    bodies->weight = MRY_NEW(mem, float, joints);
    bodies->positions = MRY_NEW_RAW(mem, float, (size_t)graph->nodes *(size_t)joints * 3);
    if (!bodies->weight || !bodies->positions) return mry_fail_memory(error, NULL);
    posing work = { bodies, 256 };
    marey_ctx_run(graph->ctx, (graph->nodes + work.at_once - 1) / work.at_once, pose_some, &work);
    /* The metric's joint weights, as its layout has them. */
    const marey_graph *g = bodies->graph;
    const marey_clip *motion = g->motion;
    marey_metric_def metric = g->metric;
    marey_layout *layout = NULL;
    metric.fps = g->fps;
    marey_status status = marey_layout_build_bodies(g->ctx, &motion, 1, &metric, &layout, error);
    for (int i = 0; !status && i < layout->joints; i++)
        bodies->weight[layout->joint[i]] += (float)layout->weight[i];
    marey_layout_free(layout);
    return status;
}

void mry_lay_add(mry_lay *s, const float *p, const float *q, const float *weight, int joints)
{
    for (int j = 0; j < joints; j++, p += 3, q += 3) {
        double w = weight[j], x = p[0], z = p[2], x2 = q[0], z2 = q[2];
        double up = (double)p[1] - (double)q[1];
        if (w == 0) continue;
        s->weight += w;
        s->x += w * x;
        s->z += w * z;
        s->x2 += w * x2;
        s->z2 += w * z2;
        s->dot += w * (x * x2 + z * z2);
        s->cross += w * (x * z2 - z * x2);
        s->square += w * (x * x + z * z + x2 * x2 + z2 * z2 + up * up);
    }
}

mry_floor mry_lay_end(const mry_lay *s, double *distance)
{
    double across = s->cross - (s->x * s->z2 - s->z * s->x2) / s->weight;
    double along = s->dot - (s->x * s->x2 + s->z * s->z2) / s->weight;
    double middle = s->x * s->x + s->z * s->z + s->x2 * s->x2 + s->z2 * s->z2;
    double off = s->square - middle / s->weight - 2 * sqrt(along * along + across * across);
    if (distance) *distance = off > 0 ? off / s->weight : 0;
    mry_floor lay = { .angle = atan2(across, along) };
    double x = s->x2 / s->weight, z = s->z2 / s->weight;
    mry_floor_turn(lay.angle, &x, &z);
    lay.x = s->x / s->weight - x;
    lay.z = s->z / s->weight - z;
    return lay;
}

mry_floor mry_graph_lay(const mry_bodies *bodies, int a, int b)
{
    const marey_graph *g = bodies->graph;
    mry_lay s = { 0 };
    mry_lay_add(&s, mry_body(bodies, a), mry_body(bodies, b), bodies->weight, bodies->joints);
    for (int side = 0; side < 2; side++) {
        const int *go = side ? g->next : g->before;
        for (int k = 0, i = a, j = b; k < MRY_LAY_AROUND; k++) {
            /* Where one of them ends, the other goes on alone: that says nothing. */
            i = go[i];
            j = go[j];
            if (i < 0 || j < 0) break;
            mry_lay_add(&s, mry_body(bodies, i), mry_body(bodies, j), bodies->weight,
                        bodies->joints);
        }
    }
    return mry_lay_end(&s, NULL);
}

/* ---- how smooth a transition is ------------------------------------------------------------- */

/* How smooth a transition is, as a number: the largest step of any joint while the difference
   between the two motions is spread over both sides of it, over the largest step that any joint
   makes in the two motions there. Reckoned with places instead of turns, which is enough to say
   what jumps. */

/* A difference is spread over up to so many times the usual length. */
enum { MOST_SPREAD = 4 };

/* The largest squared step of any joint, `half` frames before and behind a node. */
static double own_step(const mry_bodies *b, int node, int half)
{
    double most = 0;
    for (int side = 0; side < 2; side++) {
        const int *go = side ? b->graph->next : b->graph->before;
        for (int k = 0, n = node; k < half && go[n] >= 0; k++, n = go[n]) {
            const float *p = mry_body(b, n), *q = mry_body(b, go[n]);
            for (int j = 0; j < 3 * b->joints; j += 3) {
                double x = (double)p[j] - q[j], y = (double)p[j + 1] - q[j + 1];
                double z = (double)p[j + 2] - q[j + 2], step = x * x + y * y + z * z;
                if (step > most) most = step;
            }
        }
    }
    return most;
}

/* A joint's place: turned and shifted, and moved by a share of the difference. */
static void moved(const float *p, mry_floor place, const double *off, double share, double *out)
{
    double x = p[0], z = p[2];
    mry_floor_apply(place, &x, &z);
    out[0] = x + share * off[0];
    out[1] = p[1] + share * off[1];
    out[2] = z + share * off[2];
}

static double squared(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* A body that hardly moves shifts slowly too. */
double mry_graph_jump(const mry_bodies *bodies, int i, int j, mry_floor place, int *half)
{
    const marey_graph *graph = bodies->graph;
    const mry_floor stay = { 0 };
    double own = sqrt(fmax(own_step(bodies, i, bodies->half), own_step(bodies, j, bodies->half)));
    double best = INFINITY;
    int most = MOST_SPREAD * bodies->half < UINT8_MAX ? MOST_SPREAD * bodies->half : UINT8_MAX;
    own = fmax(own, bodies->still_cm);
    for (int tried = bodies->half; tried <= most; tried += (tried + 1) / 2) {
        /* The largest squared step of any joint up to i, then along what follows j, laid on i. */
        double made = 0;
        for (int k = 0; k < 3 * bodies->joints; k += 3) {
            double first[3], second[3], off[3], last[3], now[3];
            moved(mry_body(bodies, i) + k, stay, (double[3]){ 0 }, 0, first);
            moved(mry_body(bodies, j) + k, place, (double[3]){ 0 }, 0, second);
            for (int c = 0; c < 3; c++) off[c] = first[c] - second[c];
            for (int side = 0; side < 2; side++) {
                const int *go = side ? graph->next : graph->before;
                moved(mry_body(bodies, i) + k, stay, off, -0.5, last);
                for (int f = 1, n = go[side ? j : i]; f <= tried && n >= 0; f++, n = go[n]) {
                    double share = (side ? 0.5 : -0.5) * mry_spread(f, tried);
                    moved(mry_body(bodies, n) + k, side ? place : stay, off, share, now);
                    made = fmax(made, squared(now, last));
                    memcpy(last, now, sizeof last);
                }
            }
        }
        double jump = sqrt(made) / own;
        if (!(jump < best)) continue;
        best = jump;
        *half = tried;
        if (best <= graph->def.jump) break;
    }
    return best;
}

/* ---- transitions out of pairs --------------------------------------------------------------- */

enum { AT_ONCE = 256 };

typedef struct linking {
    marey_graph *graph;
    const mry_bodies *bodies;
    const uint8_t *known; /* a byte of each whose place is; NULL: of none */
} linking;

static void judge_some(void *user, int64_t i)
{
    linking *l = user;
    marey_graph *g = l->graph;
    int from = (int)i * AT_ONCE, to = from + AT_ONCE;
    if (to > g->transition_count) to = g->transition_count;
    for (int n = from; n < to; n++) {
        marey_graph_transition *one = &g->transitions[n];
        int like = g->before[one->to];
        bool known = l->known && l->known[n];
        mry_floor place = known ? g->places[n] : mry_graph_lay(l->bodies, one->from, like);
        /* Kept as floats, so that a graph that is read is the one that was written. */
        g->places[n] = (mry_floor){ (float)place.angle, (float)place.x, (float)place.z };
        int half = 0;
        one->jump = (float)mry_graph_jump(l->bodies, one->from, like, place, &half);
        g->half[n] = (uint8_t)(half < UINT8_MAX ? half : UINT8_MAX);
    }
}

void mry_graph_judge(marey_graph *graph, const mry_bodies *bodies, const uint8_t *known)
{
    linking work = { graph, bodies, known };
    marey_ctx_run(graph->ctx, (graph->transition_count + AT_ONCE - 1) / AT_ONCE, judge_some, &work);
}

void mry_graph_count_leaving(marey_graph *graph)
{
    memset(graph->leaving, 0, ((size_t)graph->nodes + 1) * sizeof *graph->leaving);
    for (int i = 0; i < graph->transition_count; i++)
        graph->leaving[graph->transitions[i].from + 1]++;
    for (int n = 0; n < graph->nodes; n++) graph->leaving[n + 1] += graph->leaving[n];
}

bool mry_graph_take_transitions(marey_graph *graph, int count)
{
    size_t room = (size_t)count + 1;
    graph->transition_count = 0;
    graph->transitions = MRY_NEW_RAW(&graph->data, marey_graph_transition, room);
    graph->places = MRY_NEW_RAW(&graph->data, mry_floor, room);
    graph->half = MRY_NEW(&graph->data, uint8_t, room);
    graph->leaving = MRY_NEW(&graph->data, int, (size_t)graph->nodes + 1);
    return graph->transitions && graph->places && graph->half && graph->leaving;
}

marey_status mry_graph_connect(marey_graph *graph, const mry_near_list *near, double threshold,
                               marey_error *error)
{
    /* How many there will be. */
    int64_t count = 0;
    for (int64_t i = 0; i < near->count; i++) {
        const mry_near *one = &near->items[i];
        if (!(one->value < threshold)) continue;
        count += (graph->next[one->a] >= 0) + (graph->next[one->b] >= 0);
    }
    if (count > INT32_MAX - 1) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "more than 2^31 transitions; a lower threshold has fewer");
    }
    if (!mry_graph_take_transitions(graph, (int)count)) return mry_fail_memory(error, NULL);
    for (int64_t i = 0; i < near->count; i++) {
        const mry_near *one = &near->items[i];
        if (!(one->value < threshold)) continue;
        for (int side = 0; side < 2; side++) {
            int from = side ? one->b : one->a, to = graph->next[side ? one->a : one->b];
            if (to < 0) continue;
            graph->transitions[graph->transition_count++] =
                (marey_graph_transition){ .from = from, .to = to, .distance = one->value };
        }
    }
    qsort(graph->transitions, (size_t)graph->transition_count, sizeof *graph->transitions,
          mry_by_ends);
    mry_graph_count_leaving(graph);
    return MAREY_OK;
}
