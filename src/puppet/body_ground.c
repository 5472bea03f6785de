/* body_ground.c - where a motion graph can take a body: of every frame of its core, how it stands
   there and the hops that lead on. After Lee & Lee 2004 and Treuille et al. 2007, who also look
   small pieces of motion up instead of trying them.

   And how far one gets from every frame towards every side within the next seconds, the farther
   ahead the less it counts: value iteration over hops (Bellman 1957). From its last frames to its
   first, since what lies behind a frame in its sequence is what it depends on most: a few rounds
   are enough. */
#include "base/fail.h"
#include "puppet/body_data.h"

#include <stdlib.h>
#include <string.h>

#define CUT_CM 5.0   /* what a transition costs, however good it is .. */
#define POOR_CM 80.0 /* .. and one of no quality besides */
#define LOW 0.92     /* of the hips' height while walking: lower than this is odd .. */
#define ODD_CM 60.0  /* .. and costs so much a hop, and more the lower it is */
#define PI 3.14159265358979323846
#define AHEAD_S 8.0 /* what comes so much later counts for 37 % */
#define CLOSE_CM 1.0

enum { MOST_ROUNDS = 60 };

/* Between two columns of the table. */
typedef struct column {
    int a, b;
    float share; /* of b */
} column;

/* ---- how far one gets ------------------------------------------------------------------------ */

static column column_of(double x, double y)
{
    /* The angle in turns, 0 .. 1, to a thousandth: it is asked for millions of times a second. */
    double ax = fabs(x), ay = fabs(y), most = fmax(ax, ay), turns = 0;
    if (most > 0) {
        double ratio = fmin(ax, ay) / most;
        turns = ratio * (0.125 + 0.0434 * (1 - ratio));
        if (ay > ax) turns = 0.25 - turns;
        if (x < 0) turns = 0.5 - turns;
        if (y < 0) turns = 1 - turns;
    }
    double at = turns * MRY_BODY_WAYS;
    int a = (int)at;
    return (column){ a % MRY_BODY_WAYS, (a + 1) % MRY_BODY_WAYS, (float)(at - a) };
}

static float look(const float *row, column at)
{
    return row[at.a] + at.share * (row[at.b] - row[at.a]);
}

static marey_status find_reach(marey_body_ground *ground, marey_error *error)
{
    float way_x[MRY_BODY_WAYS], way_y[MRY_BODY_WAYS];
    float fades = (float)exp(-ground->frames / ground->graph->fps / AHEAD_S);
    for (int w = 0; w < MRY_BODY_WAYS; w++) {
        way_x[w] = (float)cos(2 * PI * w / MRY_BODY_WAYS);
        way_y[w] = (float)sin(2 * PI * w / MRY_BODY_WAYS);
    }
    float most = INFINITY;
    for (int round = 0; round < MOST_ROUNDS && (double)most > CLOSE_CM; round++) {
        if (!mry_progress(ground->mem.ctx, "looking how far bodies get", round, MOST_ROUNDS))
            return mry_fail_cancelled(error);
        most = 0;
        for (int n = ground->graph->nodes - 1; n >= 0; n--) {
            float *row = ground->reach + (size_t)n * MRY_BODY_WAYS, best[MRY_BODY_WAYS];
            if (ground->first[n] == ground->first[n + 1]) continue;
            for (int w = 0; w < MRY_BODY_WAYS; w++) best[w] = -1e9f;
            for (int i = ground->first[n]; i < ground->first[n + 1]; i++) {
                const mry_hop *hop = &ground->hops[i];
                const float *next = ground->reach + (size_t)hop->to * MRY_BODY_WAYS;
                column turned = column_of(hop->c, -hop->s);
                for (int w = 0; w < MRY_BODY_WAYS; w++) {
                    column at = { (w + turned.a) % MRY_BODY_WAYS, (w + turned.b) % MRY_BODY_WAYS,
                                  turned.share };
                    float far = hop->x * way_x[w] + hop->y * way_y[w] + fades * look(next, at);
                    if (far > best[w]) best[w] = far;
                }
            }
            for (int w = 0; w < MRY_BODY_WAYS; w++) {
                most = fmaxf(most, fabsf(best[w] - row[w]));
                row[w] = best[w];
            }
        }
    }
    ground->farthest = 0;
    for (size_t i = 0; i < (size_t)ground->graph->nodes * MRY_BODY_WAYS; i++)
        ground->farthest = fmax(ground->farthest, (double)ground->reach[i]);
    return MAREY_OK;
}

double mry_ground_reach(const marey_body_ground *ground, int node, double x, double y)
{
    return (double)look(ground->reach + (size_t)node * MRY_BODY_WAYS, column_of(x, y));
}

/* ---- hops ------------------------------------------------------------------------------------ */

static mry_hop hop_to(const marey_body_ground *g, int node, int end, int stay, int transition)
{
    const marey_graph *graph = g->graph;
    mry_vec from = mry_node_at(graph, node), at = mry_node_at(graph, end);
    double cost = 0;
    mry_floor place = transition >= 0 ? graph->places[transition] : (mry_floor){ 0 };
    mry_floor_apply(place, &at.x, &at.z);
    int owes = 0;
    if (transition >= 0) {
        cost = CUT_CM + POOR_CM * (1 - mry_quality(graph, transition));
        owes = mry_dwell_stay(graph, transition, graph->dwell.least) - (g->frames - stay);
    }
    return (mry_hop){ .to = end,
                      .transition = transition,
                      .stay = stay,
                      .owes = owes > 0 ? owes : 0,
                      .x = (float)(at.x - from.x),
                      .y = (float)(from.z - at.z),
                      .c = (float)cos(place.angle),
                      .s = (float)sin(place.angle),
                      .cost = (float)cost };
}

static int by_cost(const void *left, const void *right)
{
    const mry_hop *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->stay != b->stay) return a->stay < b->stay ? -1 : 1;
    return (a->transition > b->transition) - (a->transition < b->transition);
}

/* Of a node; returns how many. `found` has room for all. */
static int list_hops(const marey_body_ground *g, int node, mry_hop *found)
{
    const marey_graph *graph = g->graph;
    const mry_dwell *dwell = &graph->dwell;
    bool core = dwell->passed[node];
    int count = 0, end = core ? mry_dwell_along(graph, node, g->frames) : -1;
    if (end >= 0 && dwell->passed[end]) found[count++] = hop_to(g, node, end, g->frames, -1);
    for (int stay = 0, at = core ? node : -1; stay < g->frames && at >= 0; stay++) {
        for (int over = graph->leaving[at]; over < graph->leaving[at + 1]; over++) {
            if (dwell->lands[over] < 0) continue;
            int to = mry_dwell_along(graph, graph->transitions[over].to, g->frames - 1 - stay);
            if (to >= 0 && dwell->passed[to]) found[count++] = hop_to(g, node, to, stay, over);
        }
        at = graph->next[at];
    }
    if (count > MRY_BODY_MOST_HOPS) {
        /* Of more than there is room for the best, no two of which end in neighbouring frames. */
        int kept = 0;
        qsort(found, (size_t)count, sizeof *found, by_cost);
        for (int i = 0; i < count && kept < MRY_BODY_MOST_HOPS; i++) {
            bool twin = false;
            for (int k = 0; k < kept && !twin; k++) twin = abs(found[k].to - found[i].to) <= 1;
            if (!twin) found[kept++] = found[i];
        }
        count = kept;
    }
    return count;
}

/* Counted first, then kept. */
static marey_status find_hops(marey_body_ground *g, marey_error *error)
{
    mry_arena tmp = mry_arena_make(g->mem.ctx);
    int leaving = 0;
    for (int n = 0; n < g->graph->nodes; n++) {
        int here = g->graph->leaving[n + 1] - g->graph->leaving[n];
        if (here > leaving) leaving = here;
    }
    size_t most = 1 + (size_t)g->frames * (size_t)leaving;
    mry_hop *found = MRY_NEW_RAW(&tmp, mry_hop, most);
    marey_status status = found ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int pass = 0; pass < 2 && !status; pass++) {
        for (int n = 0, at = 0; n < g->graph->nodes && !status; n++) {
            if (n % 4096 == 0 && !mry_progress(g->mem.ctx, "looking where bodies can go",
                                               pass * g->graph->nodes + n, 2 * g->graph->nodes))
                status = mry_fail_cancelled(error);
            int count = list_hops(g, n, found);
            if (pass > 0) memcpy(g->hops + at, found, (size_t)count * sizeof *found);
            at += count;
            g->first[n + 1] = at;
        }
        if (pass > 0 || status) break;
        g->hops = MRY_NEW_RAW(&g->mem, mry_hop, (size_t)g->first[g->graph->nodes] + 1);
        if (!g->hops) status = mry_fail_memory(error, NULL);
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

marey_status marey_body_ground_open(marey_ctx *ctx, const marey_graph *graph,
                                    const marey_policy *policy, marey_body_ground **out,
                                    marey_error *error)
{
    mry_graph_mark mark = mry_graph_mark_of(graph);
    if (mark.nodes != policy->mark.nodes || mark.transitions != policy->mark.transitions ||
        mark.hash != policy->mark.hash)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the policy is for another graph");
    mry_arena mem = mry_arena_make(ctx);
    marey_body_ground *g = MRY_NEW(&mem, marey_body_ground, 1);
    if (!g) return mry_fail_memory(error, NULL);
    int frames = (int)lround(graph->fps * MRY_BODY_HOP_S);
    size_t nodes = (size_t)graph->nodes;
    *g = (marey_body_ground){
        .mem = mem, .graph = graph, .policy = policy, .frames = frames > 1 ? frames : 1
    };
    g->first = MRY_NEW(&g->mem, int, nodes + 1);
    g->stances = MRY_NEW_RAW(&g->mem, mry_stance, nodes);
    g->reach = MRY_NEW(&g->mem, float, nodes *MRY_BODY_WAYS);
    bool room = g->first && g->stances && g->reach;
    double upright = mry_upright_cm(graph, policy->moves);
    for (int n = 0; n < graph->nodes && room; n++) {
        mry_move move = policy->moves[n];
        double high = mry_node_at(graph, n).y;
        double low = upright > 0 ? (LOW - high / upright) / LOW : 0;
        g->stances[n] = (mry_stance){ .vx = move.x,
                                      .vy = -move.z,
                                      .fx = cosf(move.facing),
                                      .fy = sinf(move.facing),
                                      .odd = low > 0 ? (float)(ODD_CM * (1 + 4 * low)) : 0 };
    }
    marey_status status = room ? find_hops(g, error) : mry_fail_memory(error, NULL);
    if (!status) status = find_reach(g, error);
    if (status)
        marey_body_ground_free(g);
    else
        *out = g;
    return status;
}

void marey_body_ground_free(marey_body_ground *ground)
{
    if (!ground) return;
    mry_arena mem = ground->mem;
    mry_arena_free(&mem);
}
