/* policy_iterate.c - value iteration: what each way on is worth for a wish that stays as it is (Zhao & Safonova 2008, slides
   "Application to Interactive Control"; Sutton & Barto, 4.4).

       U(node, wish) = follow(node, wish) / fps + discount * max over the ways on of ( U(there, wish as seen there) - poor (1 - t) )

   Nodes with one way on choose nothing: along a sequence rewards add up. Speeds do not mix, so each is iterated by itself,
   and what comes out does not depend on how many threads there are. Within one, values are used as soon as they are
   there (Gauss-Seidel), the last node first: in one round they travel along whole sequences. Between two directions of the
   table values are interpolated. */
#include "base/fail.h"
#include "graph/control_data.h"

#include <string.h>

#define PI 3.14159265358979323846
enum { D = MRY_POLICY_MOST_DIRECTIONS, MOST_ROUNDS = 10000 };

typedef struct iterating {
    marey_policy *policy;
    const marey_graph *graph;
    float *values; /* speeds x nodes x directions */
    int rounds[MRY_POLICY_MOST_SPEEDS];
    double of_frame; /* the discount of one frame */
    float cosine[D], sine[D];
} iterating;

typedef struct speed_work {
    iterating *of;
    int speed;
    float *values; /* nodes x directions */
} speed_work;

static float *values_of(const speed_work *w, int node)
{
    return w->values + (size_t)node * (size_t)w->of->policy->def.directions;
}

/* What a way on is worth for every direction, before the discount. */
static void weigh(const speed_work *w, int node, int option, float *gain)
{
    const marey_graph *g = w->of->graph;
    const marey_policy_def *def = &w->of->policy->def;
    int count = def->directions;
    const float *there = values_of(w, mry_option_to(g, node, option));
    if (option < 0) {
        memcpy(gain, there, (size_t)count * sizeof *gain);
        return;
    }
    double shift = -g->places[option].angle / (2 * PI);
    shift = (shift - floor(shift)) * count;
    int low = (int)shift % count;
    float share = (float)(shift - floor(shift)),
          lost = (float)(def->poor * (1 - mry_quality(g, option)));
    float row[2 * D + 1];
    memcpy(row, there + low, (size_t)(count - low) * sizeof *row);
    memcpy(row + count - low, there, (size_t)low * sizeof *row);
    row[count] = row[0];
    for (int d = 0; d < count; d++) gain[d] = row[d] + share * (row[d + 1] - row[d]) - lost;
}

/* The best of a node's ways on for every direction; of equal ones the first, which goes on if one can. For a choice (`best`)
   values are equal that are no farther apart than they are known: transitions that bring nothing are not taken. */
static void choose(const speed_work *w, int node, float *worth, uint8_t *best)
{
    const marey_policy *p = w->of->policy;
    int first = p->option_first[node], last = p->option_first[node + 1], count = p->def.directions;
    float gain[D], margin = best && p->option[first] < 0 ? (float)p->def.close : 0;
    for (int d = 0; d < count; d++) worth[d] = 0;
    if (best) memset(best, 0, (size_t)count);
    for (int i = first; i < last; i++) {
        weigh(w, node, p->option[i], gain);
        for (int d = 0; d < count; d++) {
            float least = margin > 0 && best[d] == 0 ? worth[d] + margin : worth[d];
            if (i > first && !(gain[d] > least)) continue;
            worth[d] = gain[d];
            if (best) best[d] = (uint8_t)(i - first);
        }
    }
}

/* One node; how much its values changed at most. */
static float renew(const speed_work *w, int node)
{
    const iterating *it = w->of;
    const marey_policy_def *def = &it->policy->def;
    mry_move move = it->policy->moves[node];
    float worth[D], *now = values_of(w, node), most = 0;
    choose(w, node, worth, NULL);
    for (int d = 0; d < def->directions; d++) {
        double along = (double)(move.x * it->cosine[d] - move.z * it->sine[d]);
        double across = (double)(move.x * it->sine[d] + move.z * it->cosine[d]);
        double follow = mry_follow(along, across, def->speeds[w->speed]);
        float value = (float)(follow / it->graph->fps + it->of_frame * (double)worth[d]);
        float change = fabsf(value - now[d]);
        now[d] = value;
        if (change > most) most = change;
    }
    return most;
}

static void iterate_speed(void *user, int64_t i)
{
    iterating *it = user;
    marey_policy *p = it->policy;
    const marey_graph *g = it->graph;
    size_t directions = (size_t)p->def.directions;
    speed_work w = { .of = it, .speed = (int)i };
    w.values = it->values + (size_t)i * (size_t)g->nodes * directions;
    float most = INFINITY;
    while ((double)most > p->def.close && it->rounds[i] < MOST_ROUNDS && !mry_cancelled(p->ctx)) {
        most = 0;
        for (int n = g->nodes - 1; n >= 0; n--) {
            if (!g->core[n]) continue;
            float change = renew(&w, n);
            if (change > most) most = change;
        }
        it->rounds[i]++;
    }
    for (int n = 0; n < g->nodes; n++) {
        float worth[D];
        size_t at = (size_t)p->row[n] * (size_t)p->def.speed_count + (size_t)i;
        if (p->row[n] >= 0) choose(&w, n, worth, p->choice + at * directions);
    }
}

marey_status mry_policy_iterate(marey_policy *policy, const marey_graph *graph, marey_error *error)
{
    const marey_policy_def *def = &policy->def;
    mry_arena tmp = mry_arena_make(policy->ctx);
    size_t states = (size_t)graph->nodes * (size_t)def->directions * (size_t)def->speed_count;
    iterating work = { .policy = policy,
                       .graph = graph,
                       .values = MRY_NEW(&tmp, float, states),
                       .of_frame = pow(def->discount, 1 / graph->fps) };
    if (!work.values) return mry_fail_memory(error, NULL);
    for (int d = 0; d < def->directions; d++) {
        work.cosine[d] = (float)cos(2 * PI * d / def->directions);
        work.sine[d] = (float)sin(2 * PI * d / def->directions);
    }
    mry_progress(policy->ctx, "training", 0, def->speed_count);
    marey_ctx_run(policy->ctx, def->speed_count, iterate_speed, &work);
    mry_progress(policy->ctx, "training", def->speed_count, def->speed_count);
    for (int i = 0; i < def->speed_count; i++) {
        if (work.rounds[i] > policy->rounds) policy->rounds = work.rounds[i];
    }
    mry_arena_free(&tmp);
    return mry_cancelled(policy->ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}
