/* walk_goal_nodes.c - what the nodes and transitions of a graph cost a walk that is at places at
   times (walk_goals.c), wherever it is laid.

   A node that is on its way costs what its speed is off from the usual one and what it looks away
   from where it moves; one that waits, how much it stirs.

   A transition costs as on paths. Between nodes that hardly stir it costs a part of that, since that
   is what waiting takes, and the less the less they stir: of actors who never stand, the slowest loop
   is taken. And one that drives the hips harder than a body does costs much more. That is what eyes
   see of a walk (walk_faults.c), and nearly all faults of walks to goals were of that kind; it can
   be reckoned beforehand from where the hips are on both sides. A walk is still looked at when it
   is made, and searched again. */
#include "graph/walk_path.h"

#include <math.h>
#include <stdlib.h>

#define STIR_CM 20.0      /* a frame that waits and moves by STILL costs this */
#define STILL_CM_S 20.0   /* the joints' mean speed .. */
#define CALM_CM_S 6.0     /* .. of which so much is free: bodies breathe and sway */
#define STANDS_CM_S 12.0  /* a transition from and to nodes that stir so little .. */
#define STILL_JOIN 0.25   /* .. costs this share .. */
#define STROLLS_CM_S 60.0 /* .. and from here on all of it */
#define APART_CM 1.0
#define DRIVEN_CM 100.0 /* for hips that are driven too hard */
#define THAN_OWN 1.1    /* times what the motions do there themselves */

/* ---- how much a node stirs --------------------------------------------------------------------- */

/* Of each node the mean speed of its joints up to the next, cm/s; -1: it has no next one. */
static bool find_stirs(const marey_graph *graph, mry_arena *mem, float *stirs)
{
    enum { AT_ONCE = 64 };
    int joints = graph->motion->skeleton.joint_count;
    size_t row = (size_t)joints * 3;
    float *positions = MRY_NEW_RAW(mem, float, (AT_ONCE + 1) * row);
    if (!positions) return false;
    for (int first = 0; first < graph->nodes; first += AT_ONCE) {
        int count = graph->nodes - first < AT_ONCE + 1 ? graph->nodes - first : AT_ONCE + 1;
        marey_clip_positions_float(graph->motion, first, count, positions);
        for (int k = 0; k < count && k < AT_ONCE; k++) {
            double sum = 0;
            stirs[first + k] = -1;
            if (k + 1 >= count || graph->next[first + k] != first + k + 1) continue;
            const float *p = positions + row * (size_t)k, *q = p + row;
            for (size_t j = 0; j < row; j += 3) {
                double x = (double)q[j] - (double)p[j], y = (double)q[j + 1] - (double)p[j + 1];
                double z = (double)q[j + 2] - (double)p[j + 2];
                sum += sqrt(x * x + y * y + z * z);
            }
            stirs[first + k] = (float)(sum / joints * graph->fps);
        }
    }
    return true;
}

/* ---- what transitions cost --------------------------------------------------------------------- */

static double bend_of(mry_vec before, mry_vec now, mry_vec next)
{
    return mry_vec_length(mry_vec_sub(mry_vec_sub(next, now), mry_vec_sub(now, before)));
}

/* How hard the hips are driven over a transition once what differs is spread over both sides, in cm
   a frame of the graph and frame. *own: by the two motions themselves there. */
static double driven(const marey_graph *graph, int transition, double *own)
{
    const marey_graph_transition *over = &graph->transitions[transition];
    int from = over->from, like = graph->before[over->to], half = graph->half[transition];
    const mry_floor place = graph->places[transition];
    double most = 0;
    *own = 0;
    if (like < 0) return 0; /* a crossing: captured on both sides */
    mry_vec first = mry_node_at(graph, from), second = mry_node_at(graph, like);
    mry_floor_apply(place, &second.x, &second.z);
    mry_vec off = mry_vec_sub(first, second);
    /* The last two frames: as they are made, and as the motion in hand has them. */
    mry_vec made[2] = { first, first }, plain[2] = { first, first };
    int n = from, frames = half + 2, k = 0, seen = 0;
    for (; k > -frames && graph->before[n] >= 0; k--) n = graph->before[n];
    for (; k <= frames && n >= 0; k++, seen++) {
        mry_vec at = mry_node_at(graph, n);
        if (k > 0) mry_floor_apply(place, &at.x, &at.z);
        double share = (k > 0 ? 0.5 : -0.5) * mry_spread(abs(k), half);
        mry_vec now = mry_vec_add(at, mry_vec_scale(off, share));
        if (seen > 1) most = fmax(most, bend_of(made[0], made[1], now));
        if (seen > 1 && k != 1) *own = fmax(*own, bend_of(plain[0], plain[1], at));
        made[0] = made[1];
        made[1] = now;
        plain[0] = plain[1];
        plain[1] = k == 0 ? second : at;
        n = k == 0 ? over->to : graph->next[n];
    }
    return most;
}

static bool find_joins(mry_goals *goals, mry_arena *mem)
{
    const mry_tracks *tracks = goals->tracks;
    const marey_graph *graph = tracks->graph;
    double limit = graph->limits[MAREY_FAULT_ACCELERATION] / (graph->fps * graph->fps);
    goals->join = MRY_NEW_RAW(mem, float, (size_t)graph->transition_count + 1);
    if (!goals->join) return false;
    for (int i = 0; i < graph->transition_count; i++) {
        const marey_graph_transition *over = &graph->transitions[i];
        double cost = tracks->join + tracks->poor * (double)over->distance, own;
        double stir = fmax((double)goals->stir[over->from], (double)goals->stir[over->to]);
        double share = fmin(fmax((stir - STANDS_CM_S) / (STROLLS_CM_S - STANDS_CM_S), 0), 1);
        cost *= STILL_JOIN + (1 - STILL_JOIN) * share;
        double hard = driven(graph, i, &own);
        if (hard > limit && hard > THAN_OWN * own) cost += DRIVEN_CM;
        goals->join[i] = (float)cost;
    }
    return true;
}

/* ---- whether a walk can stand ------------------------------------------------------------------ */

/* Can a walk go on through still nodes alone for as long as it likes? Of all still nodes those are
   taken away from which no still way leads on, until none is left or all have one. */
static bool find_standing(mry_goals *goals, mry_arena *mem)
{
    const marey_graph *graph = goals->tracks->graph;
    const mry_dwell *dwell = &goals->tracks->ways->dwell;
    uint8_t *still = MRY_NEW(mem, uint8_t, graph->nodes);
    if (!still) return false;
    int count = 0;
    for (int n = 0; n < graph->nodes; n++) {
        still[n] = dwell->passed[n] && (double)goals->stir[n] <= STILL_CM_S;
        count += still[n];
    }
    for (int last = -1; last != count;) {
        last = count;
        for (int n = graph->nodes - 1; n >= 0; n--) {
            if (!still[n]) continue;
            bool on = graph->next[n] >= 0 && still[graph->next[n]];
            for (int i = graph->leaving[n]; i < graph->leaving[n + 1] && !on && dwell->free[n];
                 i++) {
                int at = graph->transitions[i].to, end = dwell->lands[i];
                while (end >= 0 && at >= 0 && at != end && still[at]) at = graph->next[at];
                on = end >= 0 && at == end && still[at];
            }
            still[n] = on;
            count -= !on;
        }
    }
    goals->can_stand = count > 0;
    return true;
}

/* ---- what nodes cost --------------------------------------------------------------------------- */

bool mry_goals_find_nodes(mry_goals *goals, mry_arena *mem)
{
    const mry_tracks *tracks = goals->tracks;
    const marey_graph *graph = tracks->graph;
    float *stirs = MRY_NEW_RAW(mem, float, graph->nodes);
    goals->go = MRY_NEW(mem, float, graph->nodes);
    goals->wait = MRY_NEW(mem, float, graph->nodes);
    goals->look_x = MRY_NEW(mem, float, graph->nodes);
    goals->look_z = MRY_NEW(mem, float, graph->nodes);
    goals->stir = MRY_NEW(mem, float, graph->nodes);
    if (!stirs || !goals->go || !goals->wait || !goals->look_x || !goals->look_z || !goals->stir)
        return false;
    if (!find_stirs(graph, mem, stirs)) return false;
    int half = (int)fmax(1, round(MRY_PATH_PACE_S * graph->fps));
    for (int n = 0; n < graph->nodes; n++) {
        /* How much it stirs and where it moves around then. */
        int a = n, b = n, steps = 0;
        double stir = 0;
        for (int k = 0; k < half && graph->before[a] >= 0; k++) {
            a = graph->before[a];
            if (stirs[a] < 0) continue;
            stir += (double)stirs[a];
            steps++;
        }
        for (int k = 0; k < half && graph->next[b] >= 0; k++) {
            if (stirs[b] >= 0) {
                stir += (double)stirs[b];
                steps++;
            }
            b = graph->next[b];
        }
        stir = steps > 0 ? stir / steps : INFINITY; /* a node of its own stands nowhere */
        mry_vec from = mry_node_at(graph, a), to = mry_node_at(graph, b);
        double x = to.x - from.x, z = to.z - from.z, size = hypot(x, z);
        double speed = steps > 0 ? size * graph->fps / steps : 0;
        double face_x = tracks->face_x[n], face_z = tracks->face_z[n], aside = 0;
        bool faces = face_x != 0 || face_z != 0, moves = size > APART_CM;
        if (faces && moves && tracks->usual > 0)
            aside = fmax(1 - (face_x * x + face_z * z) / size, 0) * fmin(speed / tracks->usual, 1);
        goals->look_x[n] = (float)(faces ? face_x : moves ? x / size : 0);
        goals->look_z[n] = (float)(faces ? face_z : moves ? z / size : 0);
        goals->go[n] = (float)((double)tracks->pace[n] +
                               tracks->frame * (MRY_PATH_LOOK_CM * aside - MRY_PATH_TIME_CM));
        goals->go[n] = goals->go[n] > 0 ? goals->go[n] : 0;
        double share = fmin(fmax(stir - CALM_CM_S, 0) / (STILL_CM_S - CALM_CM_S), 10);
        goals->wait[n] = (float)(tracks->frame * STIR_CM * share * share);
        goals->stir[n] = (float)stir;
    }
    return find_joins(goals, mem) && find_standing(goals, mem);
}
