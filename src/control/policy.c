/* policy.c - a policy: its definition, what can be chosen at the nodes of a graph, and looking a
   choice up. */
#include "base/fail.h"
#include "control/control_data.h"
#include "motion/facing.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- how the body moves --------------------------------------------------------------------- */

enum { AT_ONCE = 64 };

typedef struct moving {
    const marey_graph *graph;
    mry_move *moves;
    int reach;       /* frames that are looked at on either side */
    const int *into; /* of nodes without one before: the best transition that leads there, or -1 */
    double *places;  /* AT_ONCE x joints x 3 of each work */
    int works;
} moving;

/* Where the body is `reach` frames later, or before, seen from the node's sequence. Where the
   sequence ends, the closest transition goes on. Returns how many frames that was. */
static int look(const moving *f, int node, bool ahead, double *x, double *z)
{
    const marey_graph *g = f->graph;
    mry_floor laid = { 0 };
    int steps = 0;
    while (steps < f->reach) {
        int to = ahead ? g->next[node] : g->before[node];
        if (to < 0) {
            int over = ahead ? -1 : f->into[node];
            for (int i = g->leaving[node]; ahead && i < g->leaving[node + 1]; i++) {
                if (over < 0 || g->transitions[i].distance < g->transitions[over].distance)
                    over = i;
            }
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

static void find_some(void *user, int64_t i)
{
    const moving *f = user;
    int joints = f->graph->motion->skeleton.joint_count;
    double *places = f->places + (size_t)i * (size_t)joints * 3;
    for (int n = (int)i; n < f->graph->nodes; n += f->works) {
        /* Over the frames around it. */
        double x, z, x0, z0;
        int frames = look(f, n, true, &x, &z) + look(f, n, false, &x0, &z0);
        double rate = frames > 0 ? f->graph->fps / frames : 0;
        f->moves[n].x = (float)((x - x0) * rate);
        f->moves[n].z = (float)((z - z0) * rate);
        marey_clip_positions(f->graph->motion, n, 1, places);
        f->moves[n].facing = (float)mry_facing(f->graph->motion, n, places);
    }
}

mry_move *mry_moves_find(const marey_graph *graph, mry_arena *mem)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int joints = graph->motion->skeleton.joint_count;
    /* Of nodes without one before: the closest transition that leads there. */
    int *into = MRY_NEW_RAW(&tmp, int, graph->nodes);
    for (int n = 0; into && n < graph->nodes; n++) into[n] = -1;
    for (int i = 0; into && i < graph->transition_count; i++) {
        int to = graph->transitions[i].to;
        if (graph->before[to] >= 0) continue;
        if (into[to] < 0 || graph->transitions[i].distance < graph->transitions[into[to]].distance)
            into[to] = i;
    }
    moving f = { .graph = graph,
                 .moves = MRY_NEW(mem, mry_move, graph->nodes),
                 .reach = (int)lround(graph->fps / 6) > 1 ? (int)lround(graph->fps / 6) : 1,
                 .into = into,
                 .places = MRY_NEW_RAW(&tmp, double, (size_t)AT_ONCE *(size_t)joints * 3),
                 .works = AT_ONCE };
    bool there = f.moves && f.into && f.places;
    if (there) marey_ctx_run(mem->ctx, f.works, find_some, &f);
    mry_arena_free(&tmp);
    return there ? f.moves : NULL;
}

double mry_upright_cm(const marey_graph *graph, const mry_move *moves)
{
    double sum = 0, weight = 0;
    for (int n = 0; n < graph->nodes; n++) {
        double speed = graph->dwell.passed[n] ? mry_move_speed(moves[n]) : 0;
        sum += speed * mry_node_at(graph, n).y;
        weight += speed;
    }
    return weight > 0 ? sum / weight : 0;
}

/* ---- value iteration ------------------------------------------------------------------------ */

/* Value iteration: what each way on is worth for an input that stays as it is (Zhao & Safonova
   2008, slides "Application to Interactive Control"; Sutton & Barto, 4.4).

       U(node, input) = follow(node, input) / fps + discount * max over the ways on of ( U(there, input as seen there) - poor (1 - t) )

   Nodes are free ones (dwell.c). Behind a transition a piece is played for a while whatever the
   input is: `there` is where it lands, later by so many frames, and what is earned on the way adds
   to it. With C(node), what is earned by going on to the end of the sequence, that is C(to) -
   discount^frames C(lands).

   Nodes with one way on choose nothing: along a sequence rewards add up. Speeds do not mix, so each
   is iterated by itself, and what comes out does not depend on how many threads there are. Within
   one, values are used as soon as they are there (Gauss-Seidel), the last node first: in one round
   they travel along whole sequences. Between two directions of the table values are
   interpolated. */

enum { D = MRY_POLICY_MOST_DIRECTIONS, MOST_ROUNDS = 10000 };

typedef struct iterating {
    marey_policy *policy;
    const marey_graph *graph;
    float *values; /* speeds x nodes x directions */
    float *along;  /* likewise, C */
    int rounds[MRY_POLICY_MOST_SPEEDS];
    double of_frame; /* the discount of one frame */
    float *later;    /* that of so many frames, up to the longest stay behind a transition */
    float cosine[D], sine[D];
} iterating;

typedef struct speed_work {
    iterating *of;
    int speed;
    float *values, *along; /* nodes x directions */
} speed_work;

static float *values_of(const speed_work *w, int node)
{
    return w->values + (size_t)node * (size_t)w->of->policy->def.directions;
}

static float *along_of(const speed_work *w, int node)
{
    return w->along + (size_t)node * (size_t)w->of->policy->def.directions;
}

/* What a frame of a node earns, and later ones discounted. */
static float earned(const speed_work *w, int node, int direction, float later)
{
    const iterating *it = w->of;
    mry_move move = it->policy->moves[node];
    float cosine = it->cosine[direction], sine = it->sine[direction];
    double along = (double)(move.x * cosine - move.z * sine);
    double across = (double)(move.x * sine + move.z * cosine);
    double follow = mry_follow(along, across, it->policy->def.speeds[w->speed]);
    return (float)(follow / it->graph->fps + it->of_frame * (double)later);
}

/* The best of a node's ways on for every direction; of equal ones the first, which goes on if one
   can. For a choice (`best`) values are equal that are no farther apart than they are known:
   transitions that bring nothing are not taken. */
static void choose_best(const speed_work *w, int node, float *worth, uint8_t *best)
{
    const marey_graph *g = w->of->graph;
    const marey_policy *p = w->of->policy;
    int first = p->option_first[node], last = p->option_first[node + 1], count = p->def.directions;
    float gain[D], margin = best && p->option[first] < 0 ? (float)p->def.close : 0;
    for (int d = 0; d < count; d++) worth[d] = 0;
    if (best) memset(best, 0, (size_t)count);
    for (int i = first; i < last; i++) {
        /* What the way on is worth for every direction, before the discount. */
        int option = p->option[i];
        if (option < 0) {
            memcpy(gain, values_of(w, g->next[node]), (size_t)count * sizeof *gain);
        } else {
            int to = g->transitions[option].to, lands = g->dwell.lands[option];
            int frames = mry_dwell_stay(g, option, g->dwell.least) - 1;
            float later = w->of->later[frames], there[D];
            const float *begin = along_of(w, to), *end = along_of(w, lands),
                        *free = values_of(w, lands);
            for (int d = 0; d < count; d++) there[d] = begin[d] + later * (free[d] - end[d]);
            double shift = -g->places[option].angle / (2 * PI);
            shift = (shift - floor(shift)) * count;
            int low = (int)shift % count;
            float share = (float)(shift - floor(shift)),
                  lost = (float)(p->def.poor * (1 - mry_quality(g, option)));
            float row[2 * D + 1];
            memcpy(row, there + low, (size_t)(count - low) * sizeof *row);
            memcpy(row + count - low, there, (size_t)low * sizeof *row);
            row[count] = row[0];
            for (int d = 0; d < count; d++) gain[d] = row[d] + share * (row[d + 1] - row[d]) - lost;
        }
        for (int d = 0; d < count; d++) {
            float least = margin > 0 && best[d] == 0 ? worth[d] + margin : worth[d];
            if (i > first && !(gain[d] > least)) continue;
            worth[d] = gain[d];
            if (best) best[d] = (uint8_t)(i - first);
        }
    }
}

static void iterate_speed(void *user, int64_t i)
{
    iterating *it = user;
    marey_policy *p = it->policy;
    const marey_graph *g = it->graph;
    size_t directions = (size_t)p->def.directions;
    size_t first = (size_t)i * (size_t)g->nodes * directions;
    speed_work w = { it, (int)i, it->values + first, it->along + first };
    for (int n = g->nodes - 1; n >= 0; n--) {
        for (int d = 0; d < p->def.directions; d++) {
            float later = g->next[n] >= 0 ? along_of(&w, g->next[n])[d] : 0;
            along_of(&w, n)[d] = earned(&w, n, d, later);
        }
    }
    float most = INFINITY;
    while ((double)most > p->def.close && it->rounds[i] < MOST_ROUNDS && !mry_cancelled(p->ctx)) {
        most = 0;
        for (int n = g->nodes - 1; n >= 0; n--) {
            if (!g->dwell.free[n]) continue;
            /* Its values anew, and how much they change at most. */
            float ahead[D], *now = values_of(&w, n), largest = 0;
            choose_best(&w, n, ahead, NULL);
            for (int d = 0; d < p->def.directions; d++) {
                float value = earned(&w, n, d, ahead[d]);
                float moved = fabsf(value - now[d]);
                now[d] = value;
                if (moved > largest) largest = moved;
            }
            if (largest > most) most = largest;
        }
        it->rounds[i]++;
    }
    for (int n = 0; n < g->nodes; n++) {
        float worth[D];
        size_t at = (size_t)p->row[n] * (size_t)p->def.speed_count + (size_t)i;
        if (p->row[n] >= 0) choose_best(&w, n, worth, p->choice + at * directions);
    }
}

/* ---- the policy ----------------------------------------------------------------------------- */

enum { DEFAULT_SPEEDS = 3 }; /* besides 0 */
/* Default speeds are so much of the highest from each other. */
#define APART (1.0 / 6)
#define SLOWER (2.0 / 3) /* one that no node has: going at 1 follows it by half */
#define STANDING                                                                                   \
    0.25 /* of the nodes, at least, for that to be of use: it is gone and stood by turns */

mry_graph_mark mry_graph_mark_of(const marey_graph *graph)
{
    size_t nodes = (size_t)graph->nodes, count = (size_t)graph->transition_count;
    uint64_t hash = mry_hash64(graph->next, nodes * sizeof *graph->next, 1);
    hash = mry_hash64(graph->dwell.free, nodes, hash);
    hash = mry_hash64(graph->dwell.lands, count * sizeof *graph->dwell.lands, hash);
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

/* Behind 0, which is the first; the others are higher. */
static void put_speed(double *speeds, int count, double speed)
{
    for (int k = count; k > 1; k--) speeds[k] = speeds[k - 1];
    speeds[1] = speed;
}

/* Standing, and what the fast, the usual and the slow among those nodes do that go somewhere. Where
   some of these are much the same, as of people who only walk, also what is slower, if there is
   standing to be mixed with it; who cannot stand would be led to and fro where there happens to be
   something slow. */
int mry_default_speeds(const marey_graph *graph, const mry_move *moves, mry_arena *tmp,
                       double *speeds)
{
    static const double shares[] = { 0.95, 0.6, 0.25 };
    float *seen = MRY_NEW_RAW(tmp, float, graph->nodes);
    int count = 0, found = 1, stand = 0;
    if (!seen) return 0;
    for (int n = 0; n < graph->nodes; n++) {
        double speed = mry_move_speed(moves[n]);
        if (graph->dwell.passed[n] && speed > MRY_STAND_CM_S) seen[count++] = (float)speed;
        stand += graph->dwell.passed[n] && speed <= MRY_STAND_CM_S;
    }
    qsort(seen, (size_t)count, sizeof *seen, mry_by_size);
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

static marey_status refuse_number(marey_error *error, const char *rule, double value)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s, got %g", rule, value);
}

static marey_status settle(marey_policy *policy, const marey_graph *graph,
                           const marey_policy_def *request, marey_error *error)
{
    marey_policy_def *def = &policy->def;
    double *speeds = MRY_NEW(&policy->mem, double, MRY_POLICY_MOST_SPEEDS);
    if (!speeds) return mry_fail_memory(error, NULL);
    if (request) *def = *request;
    if (def->directions == 0) def->directions = 24;
    if (def->discount == 0) def->discount = 0.6;
    if (def->poor == 0) def->poor = 1;
    if (def->close == 0) def->close = 0.001;
    if (def->speed_count == 0) {
        mry_arena tmp = mry_arena_make(policy->ctx);
        def->speed_count = mry_default_speeds(graph, policy->moves, &tmp, speeds);
        def->speeds = speeds;
        mry_arena_free(&tmp);
        if (def->speed_count == 0) return mry_fail_memory(error, NULL);
    }
    /* What is asked for. */
    if (def->directions < 8 || def->directions > MRY_POLICY_MOST_DIRECTIONS)
        return refuse_number(error, "directions must be 8 to 64", def->directions);
    if (def->speed_count < 1 || def->speed_count > MRY_POLICY_MOST_SPEEDS)
        return refuse_number(error, "speeds must be 1 to 8", def->speed_count);
    for (int i = 0; i < def->speed_count; i++) {
        double least = i ? def->speeds[i - 1] : -1;
        if (!(def->speeds[i] >= 0 && def->speeds[i] > least && def->speeds[i] <= 1e5))
            return refuse_number(error, "speeds must be 0 to 1e5 cm/s, and rise", def->speeds[i]);
    }
    if (!(def->discount > 0 && def->discount < 1))
        return refuse_number(error, "discount must be between 0 and 1", def->discount);
    if (!(def->poor >= 0 && def->poor <= 1e6))
        return refuse_number(error, "cost of poor transitions must be 0 to 1e6", def->poor);
    if (!(def->close > 0))
        return refuse_number(error, "tolerance of values must be positive", def->close);
    if (def->speeds != speeds)
        memcpy(speeds, def->speeds, (size_t)def->speed_count * sizeof *speeds);
    def->speeds = speeds;
    return MAREY_OK;
}

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

marey_status mry_policy_make(marey_ctx *ctx, const marey_graph *graph, const marey_policy_def *def,
                             marey_policy **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(ctx), tmp = mry_arena_make(ctx);
    marey_policy *policy = MRY_NEW(&mem, marey_policy, 1);
    if (!policy) return mry_fail_memory(error, NULL);
    policy->mem = mem;
    policy->ctx = ctx;
    policy->moves = mry_moves_find(graph, &policy->mem);
    policy->mark = mry_graph_mark_of(graph);
    marey_status status =
        policy->moves ? settle(policy, graph, def, error) : mry_fail_memory(error, NULL);
    /* What can be chosen at every node. */
    int most = 0, count = 0;
    for (int n = 0; n < graph->nodes; n++) {
        int leaving = graph->leaving[n + 1] - graph->leaving[n];
        most = leaving > most ? leaving : most;
    }
    way *ways = MRY_NEW_RAW(&tmp, way, (size_t)most + 1);
    size_t room = (size_t)graph->nodes + (size_t)graph->transition_count;
    policy->option_first = MRY_NEW(&policy->mem, int, (size_t)graph->nodes + 1);
    policy->row = MRY_NEW_RAW(&policy->mem, int, graph->nodes);
    policy->option = MRY_NEW_RAW(&policy->mem, int, room);
    bool there = !status && ways && policy->option_first && policy->row && policy->option;
    for (int n = 0; there && n < graph->nodes; n++) {
        int found = 0, next = graph->next[n];
        const mry_dwell *dwell = &graph->dwell;
        for (int i = graph->leaving[n]; dwell->free[n] && i < graph->leaving[n + 1]; i++) {
            if (dwell->lands[i] >= 0) ways[found++] = (way){ i, graph->transitions[i].distance };
        }
        /* Going on first; of more transitions than a byte can tell apart the closest. */
        if (found > MRY_POLICY_MOST_OPTIONS - 1) {
            qsort(ways, (size_t)found, sizeof *ways, by_distance);
            found = MRY_POLICY_MOST_OPTIONS - 1;
        }
        if (dwell->free[n] && next >= 0 && dwell->free[next]) ways[found++] = (way){ -1, 0 };
        if (found > 1) qsort(ways, (size_t)found, sizeof *ways, by_number);
        for (int i = 0; i < found; i++) policy->option[count++] = ways[i].transition;
        policy->option_first[n + 1] = count;
        policy->row[n] = found > 1 ? policy->rows++ : -1;
    }
    mry_arena_free(&tmp);
    const marey_policy_def *settled = &policy->def;
    size_t states =
        (size_t)policy->rows * (size_t)settled->speed_count * (size_t)settled->directions;
    policy->choice = there ? MRY_NEW(&policy->mem, uint8_t, states + 1) : NULL;
    policy->bytes = sizeof *policy + (room + 2 * (size_t)graph->nodes + 1) * sizeof(int) +
                    (size_t)graph->nodes * sizeof *policy->moves + states;
    if (!status && !policy->choice) status = mry_fail_memory(error, NULL);
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
    def = &policy->def;
    mry_arena tmp = mry_arena_make(ctx);
    size_t states = (size_t)graph->nodes * (size_t)def->directions * (size_t)def->speed_count;
    iterating work = { .policy = policy,
                       .graph = graph,
                       .values = MRY_NEW(&tmp, float, states),
                       .along = MRY_NEW_RAW(&tmp, float, states),
                       .of_frame = pow(def->discount, 1 / graph->fps) };
    int longest = 1;
    for (int i = 0; i < graph->transition_count; i++) {
        int stay = mry_dwell_stay(graph, i, graph->dwell.least);
        if (stay > longest) longest = stay;
    }
    work.later = MRY_NEW_RAW(&tmp, float, longest);
    bool room = work.values && work.along && work.later;
    if (room) {
        for (int k = 0; k < longest; k++) work.later[k] = (float)pow(work.of_frame, k);
        for (int d = 0; d < def->directions; d++) {
            work.cosine[d] = (float)cos(2 * PI * d / def->directions);
            work.sine[d] = (float)sin(2 * PI * d / def->directions);
        }
        mry_progress(ctx, "training", 0, def->speed_count);
        marey_ctx_run(ctx, def->speed_count, iterate_speed, &work);
        mry_progress(ctx, "training", def->speed_count, def->speed_count);
    }
    for (int i = 0; i < def->speed_count; i++) {
        if (work.rounds[i] > policy->rounds) policy->rounds = work.rounds[i];
    }
    if (!room)
        status = mry_fail_memory(error, NULL);
    else if (mry_cancelled(ctx))
        status = mry_fail_cancelled(error);
    mry_arena_free(&tmp);
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

int mry_policy_choose(const marey_policy *policy, int node, double direction, double speed)
{
    int first = policy->option_first[node], directions = policy->def.directions;
    if (policy->option_first[node + 1] == first) return -2;
    if (policy->row[node] < 0) return policy->option[first];
    double turns = direction / (2 * PI);
    int bin = (int)lround((turns - floor(turns)) * directions) % directions;
    /* The speed of the table that is nearest. */
    int nearest = 0;
    while (nearest + 1 < policy->def.speed_count &&
           speed > 0.5 * (policy->def.speeds[nearest] + policy->def.speeds[nearest + 1]))
        nearest++;
    size_t at = (size_t)policy->row[node] * (size_t)policy->def.speed_count + (size_t)nearest;
    return policy->option[first + policy->choice[at * (size_t)directions + (size_t)bin]];
}
