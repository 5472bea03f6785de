/* policy_moves.c - how the body moves and where it faces at every node of a motion graph. */
#include "graph/control_data.h"
#include "motion/facing.h"

#include <string.h>

enum { AT_ONCE = 64 };

typedef struct finding {
    const marey_graph *graph;
    mry_move *moves;
    int reach;       /* frames that are looked at on either side */
    const int *into; /* of nodes without one before: the best transition that leads there, or -1 */
    double *places;  /* AT_ONCE x joints x 3 of each work */
    int works;
} finding;

/* ---- where it moves ------------------------------------------------------------------------------------ */

/* The closest transition that leaves a node; -1: there is none. */
static int best_leaving(const marey_graph *graph, int node)
{
    int best = -1;
    for (int i = graph->leaving[node]; i < graph->leaving[node + 1]; i++) {
        if (best < 0 || graph->transitions[i].distance < graph->transitions[best].distance)
            best = i;
    }
    return best;
}

static int *find_best_into(const marey_graph *graph, mry_arena *tmp)
{
    int *into = MRY_NEW_RAW(tmp, int, graph->nodes);
    for (int n = 0; into && n < graph->nodes; n++) into[n] = -1;
    for (int i = 0; into && i < graph->transition_count; i++) {
        int to = graph->transitions[i].to;
        if (graph->before[to] >= 0) continue;
        if (into[to] < 0 || graph->transitions[i].distance < graph->transitions[into[to]].distance)
            into[to] = i;
    }
    return into;
}

/* Where the body is `reach` frames later, or before, seen from the node's sequence. Where the sequence ends, the closest
   transition goes on. Returns how many frames that was. */
static int look(const finding *f, int node, bool ahead, double *x, double *z)
{
    const marey_graph *g = f->graph;
    mry_floor laid = { 0 };
    int steps = 0;
    while (steps < f->reach) {
        int to = ahead ? g->next[node] : g->before[node];
        if (to < 0) {
            int over = ahead ? best_leaving(g, node) : f->into[node];
            if (over < 0) break;
            to = ahead ? g->transitions[over].to : g->transitions[over].from;
            mry_floor place = ahead ? g->places[over] : mry_floor_back(g->places[over]);
            laid = mry_floor_times(laid, place);
        }
        node = to;
        steps++;
    }
    mry_vec body = mry_node_at(g, node);
    *x = body.x;
    *z = body.z;
    mry_floor_apply(laid, x, z);
    return steps;
}

static void find_velocity(const finding *f, int node)
{
    double x, z, x0, z0;
    int frames = look(f, node, true, &x, &z) + look(f, node, false, &x0, &z0);
    double rate = frames > 0 ? f->graph->fps / frames : 0;
    f->moves[node].x = (float)((x - x0) * rate);
    f->moves[node].z = (float)((z - z0) * rate);
}

/* ---- both --------------------------------------------------------------------------------------------- */

static void find_some(void *user, int64_t i)
{
    const finding *f = user;
    int joints = f->graph->motion->skeleton.joint_count;
    double *places = f->places + (size_t)i * (size_t)joints * 3;
    for (int n = (int)i; n < f->graph->nodes; n += f->works) {
        find_velocity(f, n);
        marey_clip_positions(f->graph->motion, n, 1, places);
        f->moves[n].facing = (float)mry_facing(f->graph->motion, n, places);
    }
}

mry_move *mry_moves_find(const marey_graph *graph, mry_arena *mem)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int joints = graph->motion->skeleton.joint_count;
    finding f = { .graph = graph,
                  .moves = MRY_NEW(mem, mry_move, graph->nodes),
                  .reach = (int)lround(graph->fps / 6) > 1 ? (int)lround(graph->fps / 6) : 1,
                  .into = find_best_into(graph, &tmp),
                  .places = MRY_NEW_RAW(&tmp, double, (size_t)AT_ONCE *(size_t)joints * 3),
                  .works = AT_ONCE };
    bool there = f.moves && f.into && f.places;
    if (there) marey_ctx_run(mem->ctx, f.works, find_some, &f);
    mry_arena_free(&tmp);
    return there ? f.moves : NULL;
}

double mry_move_follows(mry_move move, double turn, double direction, double speed)
{
    /* On the plan z points down, so a direction's unit vector is (cos, -sin). */
    double seen = direction - turn, c = cos(seen), s = sin(seen);
    return mry_follow(move.x * c - move.z * s, move.x * s + move.z * c, speed);
}
