/* policy.c - a policy: its definition, what can be chosen at the nodes of a graph, and looking a choice up. */
#include "base/fail.h"
#include "graph/control_data.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { DEFAULT_SPEEDS = 3 }; /* besides 0 */
/* Default speeds are so much of the highest from each other. */
#define APART (1.0 / 6)
#define SLOWER (2.0 / 3) /* one that nobody goes at: going at 1 follows it by half */
#define STANDING                                                                                   \
    0.25 /* of the nodes, at least, for that to be of use: it is gone and stood by turns */

/* ---- which graph it is for ---------------------------------------------------------------------------- */

mry_graph_mark mry_graph_mark_of(const marey_graph *graph)
{
    size_t nodes = (size_t)graph->nodes, count = (size_t)graph->transition_count;
    uint64_t hash = mry_hash64(graph->next, nodes * sizeof *graph->next, 1);
    hash = mry_hash64(graph->core, nodes, hash);
    hash = mry_hash64(graph->transitions, count * sizeof *graph->transitions, hash);
    for (int i = 0; i < graph->transition_count; i++) {
        float place[3] = { (float)graph->places[i].angle, (float)graph->places[i].x,
                           (float)graph->places[i].z };
        hash = mry_hash64(place, sizeof place, hash);
    }
    /* Policies of such graphs went by the root once, and knew no speed of the body. */
    int carrier = graph->body.joint;
    if (carrier > 0) hash = mry_hash64(&carrier, sizeof carrier, hash);
    return (mry_graph_mark){ graph->nodes, graph->transition_count, hash };
}

/* ---- the definition ------------------------------------------------------------------------------------ */

static int by_size(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Behind 0, which is the first; the others are higher. */
static void put_speed(double *speeds, int count, double speed)
{
    for (int k = count; k > 1; k--) speeds[k] = speeds[k - 1];
    speeds[1] = speed;
}

/* Standing, and what the fast, the usual and the slow among those nodes do that go somewhere. Where some of these are much the
   same, as of people who only walk, also what is slower, if there is standing to be mixed with it; who cannot stand would be led
   to and fro where there happens to be something slow. */
static int default_speeds(const marey_graph *graph, const mry_move *moves, mry_arena *tmp,
                          double *speeds)
{
    static const double shares[] = { 0.95, 0.6, 0.25 };
    float *seen = MRY_NEW_RAW(tmp, float, graph->nodes);
    int count = 0, found = 1, stand = 0;
    if (!seen) return 0;
    for (int n = 0; n < graph->nodes; n++) {
        double speed = mry_move_speed(moves[n]);
        if (graph->core[n] && speed > MRY_STAND_CM_S) seen[count++] = (float)speed;
        stand += graph->core[n] && speed <= MRY_STAND_CM_S;
    }
    qsort(seen, (size_t)count, sizeof *seen, by_size);
    speeds[0] = speeds[1] = 0;
    for (int i = 0; i < DEFAULT_SPEEDS && count > 0; i++) {
        double speed = round((double)seen[(int)(shares[i] * (count - 1))]);
        double most = found > 1 ? speeds[found - 1] : 0;
        double low = found > 1 ? APART * most : 0, high = found > 1 ? speeds[1] - low : speed;
        if (speed < low || speed > high) continue; /* too near to standing, or to one there is */
        put_speed(speeds, found++, speed);
    }
    bool mixed = stand >= STANDING * (stand + count);
    if (mixed && found > 1 && found <= DEFAULT_SPEEDS) {
        double slower = round(SLOWER * speeds[1]);
        put_speed(speeds, found++, slower);
    }
    return found;
}

static marey_status refuse(marey_error *error, const char *what)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", what);
}

static marey_status check(const marey_policy_def *def, marey_error *error)
{
    if (def->directions < 8 || def->directions > MRY_POLICY_MOST_DIRECTIONS)
        return refuse(error, "a policy has 8 to 64 directions");
    if (def->speed_count < 1 || def->speed_count > MRY_POLICY_MOST_SPEEDS)
        return refuse(error, "a policy has 1 to 8 speeds");
    for (int i = 0; i < def->speed_count; i++) {
        double least = i ? def->speeds[i - 1] : -1;
        if (!(def->speeds[i] >= 0 && def->speeds[i] > least && def->speeds[i] <= 1e5))
            return refuse(error, "speeds are not negative, and rise");
    }
    if (!(def->discount > 0 && def->discount < 1))
        return refuse(error, "the discount is between 0 and 1");
    if (!(def->poor >= 0 && def->poor <= 1e6))
        return refuse(error, "what poor transitions count for is not negative");
    if (!(def->close > 0)) return refuse(error, "how close values must come is above 0");
    return MAREY_OK;
}

static marey_status settle(marey_policy *policy, const marey_graph *graph,
                           const marey_policy_def *given, marey_error *error)
{
    marey_policy_def *def = &policy->def;
    double *speeds = MRY_NEW(&policy->mem, double, MRY_POLICY_MOST_SPEEDS);
    if (!speeds) return mry_fail_memory(error, NULL);
    if (given) *def = *given;
    if (def->directions == 0) def->directions = 24;
    if (def->discount == 0) def->discount = 0.6;
    if (def->poor == 0) def->poor = 1;
    if (def->close == 0) def->close = 0.001;
    if (def->speed_count == 0) {
        mry_arena tmp = mry_arena_make(policy->ctx);
        def->speed_count = default_speeds(graph, policy->moves, &tmp, speeds);
        def->speeds = speeds;
        mry_arena_free(&tmp);
        if (def->speed_count == 0) return mry_fail_memory(error, NULL);
    }
    marey_status status = check(def, error);
    if (status) return status;
    if (def->speeds != speeds)
        memcpy(speeds, def->speeds, (size_t)def->speed_count * sizeof *speeds);
    def->speeds = speeds;
    return MAREY_OK;
}

/* ---- what can be chosen --------------------------------------------------------------------------------- */

typedef struct way {
    int transition;
    float distance;
} way;

static int by_distance(const void *left, const void *right)
{
    const way *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return (a->transition > b->transition) - (a->transition < b->transition);
}

static int by_number(const void *left, const void *right)
{
    const way *a = left, *b = right;
    return (a->transition > b->transition) - (a->transition < b->transition);
}

/* Going on first; of more transitions than a byte can tell apart the closest. */
static int ways_on(const marey_graph *graph, int node, way *ways)
{
    int count = 0, next = graph->next[node];
    if (!graph->core[node]) return 0;
    for (int i = graph->leaving[node]; i < graph->leaving[node + 1]; i++) {
        const marey_graph_transition *one = &graph->transitions[i];
        if (graph->core[one->to]) ways[count++] = (way){ i, one->distance };
    }
    bool on = next >= 0 && graph->core[next];
    if (count > MRY_POLICY_MOST_OPTIONS - 1) {
        qsort(ways, (size_t)count, sizeof *ways, by_distance);
        count = MRY_POLICY_MOST_OPTIONS - 1;
    }
    if (on) ways[count++] = (way){ -1, 0 };
    qsort(ways, (size_t)count, sizeof *ways, by_number);
    return count;
}

static marey_status find_options(marey_policy *policy, const marey_graph *graph, marey_error *error)
{
    int most = 0, count = 0;
    for (int n = 0; n < graph->nodes; n++) {
        int leaving = graph->leaving[n + 1] - graph->leaving[n];
        most = leaving > most ? leaving : most;
    }
    mry_arena tmp = mry_arena_make(policy->ctx);
    way *ways = MRY_NEW_RAW(&tmp, way, (size_t)most + 1);
    size_t room = (size_t)graph->nodes + (size_t)graph->transition_count;
    policy->option_first = MRY_NEW(&policy->mem, int, (size_t)graph->nodes + 1);
    policy->row = MRY_NEW_RAW(&policy->mem, int, graph->nodes);
    policy->option = MRY_NEW_RAW(&policy->mem, int, room);
    bool there = ways && policy->option_first && policy->row && policy->option;
    for (int n = 0; there && n < graph->nodes; n++) {
        int found = ways_on(graph, n, ways);
        for (int i = 0; i < found; i++) policy->option[count++] = ways[i].transition;
        policy->option_first[n + 1] = count;
        policy->row[n] = found > 1 ? policy->rows++ : -1;
    }
    mry_arena_free(&tmp);
    policy->bytes = sizeof *policy + (room + 2 * (size_t)graph->nodes + 1) * sizeof(int) +
                    (size_t)graph->nodes * sizeof *policy->moves;
    return there ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- making one ------------------------------------------------------------------------------------------ */

static marey_status fill(marey_policy *policy, const marey_graph *graph,
                         const marey_policy_def *def, marey_error *error)
{
    policy->moves = mry_moves_find(graph, &policy->mem);
    if (!policy->moves) return mry_fail_memory(error, NULL);
    marey_status status = settle(policy, graph, def, error);
    if (!status) status = find_options(policy, graph, error);
    if (status) return status;
    size_t states =
        (size_t)policy->rows * (size_t)policy->def.speed_count * (size_t)policy->def.directions;
    policy->choice = MRY_NEW(&policy->mem, uint8_t, states + 1);
    policy->bytes += states;
    policy->mark = mry_graph_mark_of(graph);
    return policy->choice ? MAREY_OK : mry_fail_memory(error, NULL);
}

marey_status mry_policy_make(marey_ctx *ctx, const marey_graph *graph, const marey_policy_def *def,
                             marey_policy **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_policy *policy = MRY_NEW(&mem, marey_policy, 1);
    if (!policy) return mry_fail_memory(error, NULL);
    policy->mem = mem;
    policy->ctx = ctx;
    marey_status status = fill(policy, graph, def, error);
    if (status)
        marey_policy_free(policy);
    else
        *out = policy;
    return status;
}

marey_status marey_policy_train(marey_ctx *ctx, const marey_graph *graph,
                                const marey_policy_def *def, marey_policy **out, marey_error *error)
{
    marey_policy *policy = NULL;
    marey_status status = mry_policy_make(ctx, graph, def, &policy, error);
    if (status) return status;
    status = mry_policy_iterate(policy, graph, error);
    if (status)
        marey_policy_free(policy);
    else
        *out = policy;
    return status;
}

void marey_policy_free(marey_policy *policy)
{
    if (!policy) return;
    mry_arena mem = policy->mem;
    mry_arena_free(&mem);
}

/* ---- looking at it ------------------------------------------------------------------------------------- */

const marey_policy_def *marey_policy_settings(const marey_policy *policy)
{
    return &policy->def;
}

int marey_policy_rounds(const marey_policy *policy)
{
    return policy->rounds;
}

size_t marey_policy_bytes(const marey_policy *policy)
{
    return policy->bytes;
}

static int nearest_speed(const marey_policy_def *def, double speed)
{
    int at = 0;
    while (at + 1 < def->speed_count && speed > 0.5 * (def->speeds[at] + def->speeds[at + 1])) at++;
    return at;
}

int mry_policy_choose(const marey_policy *policy, int node, double direction, double speed)
{
    int first = policy->option_first[node], directions = policy->def.directions;
    if (policy->option_first[node + 1] == first) return -2;
    if (policy->row[node] < 0) return policy->option[first];
    double turns = direction / (2 * PI);
    int bin = (int)lround((turns - floor(turns)) * directions) % directions;
    size_t at = (size_t)policy->row[node] * (size_t)policy->def.speed_count +
                (size_t)nearest_speed(&policy->def, speed);
    return policy->option[first + policy->choice[at * (size_t)directions + (size_t)bin]];
}
