/* test_walk_goals_judge.c - walks with goals at times, beside a judge that tries every walk there is,
   frame by frame, in graphs drawn by lot: what is found costs as much, and the bound is one. */
#include "goal_search.h"
#include "hand_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

static int by_ends(const void *left, const void *right)
{
    const hand_link *a = left, *b = right;
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* Two sequences that move and one that stands, joined at their ends and somewhere before. */
static marey_graph *random_graph(marey_ctx *ctx, uint32_t seed)
{
    enum { WAYS = 3, FRAMES = 6, LINKS = 8 };
    hand_sequence ways[WAYS];
    hand_link links[LINKS];
    for (int i = 0; i < WAYS; i++) {
        ways[i] = (hand_sequence){ .frames = FRAMES,
                                   .direction_deg = (int)dice(&seed, 360),
                                   .speed_cm_s = i == 2 ? 0 : 80 + (int)dice(&seed, 120),
                                   .turn_deg_s = i == 2 ? 0 : (int)dice(&seed, 180) - 90 };
    }
    int count = 0;
    for (int i = 0; i < LINKS; i++) {
        int way = i % WAYS, to = i < WAYS ? (way + 1) % WAYS : (int)dice(&seed, WAYS);
        hand_link one = { .from = FRAMES * way + (i < WAYS ? FRAMES - 1 : (int)dice(&seed, FRAMES)),
                          .to = FRAMES * to + (int)dice(&seed, 3),
                          .turn_deg = ways[way].direction_deg - ways[to].direction_deg +
                                      (int)dice(&seed, 60) - 30,
                          .distance = 0.01 * dice(&seed, 100) };
        bool there = one.to == one.from + 1 && one.from % FRAMES != FRAMES - 1;
        for (int k = 0; k < count; k++)
            there = there || (links[k].from == one.from && links[k].to == one.to);
        if (!there) links[count++] = one;
    }
    qsort(links, (size_t)count, sizeof *links, by_ends);
    return hand_graph_make(ctx, ways, WAYS, links, count);
}

/* ---- the judge: every walk there is, frame by frame ------------------------------------------ */

typedef struct judge {
    const setting *s;
    long visits;
    int worst_bounds; /* how often the bound was more than what the rest cost */
} judge;

typedef struct stand {
    int node, frame, stay; /* stay: frames that it must go on in its piece */
    mry_floor place;
    double x, z, cost;
} stand;

/* By the words of walk_goals.c. */
static stand judge_arrive(const judge *j, stand at, int node)
{
    const setting *s = j->s;
    const double *root = mry_place(s->graph->motion, node);
    double x = root[0], z = root[2];
    mry_floor_apply(at.place, &x, &z);
    at.frame++;
    at.cost += 3 * hypot(x - at.x, z - at.z);
    at.node = node;
    at.x = x;
    at.z = z;
    for (int i = 0; i < s->def->obstacle_count; i++) {
        const marey_walk_obstacle *o = &s->def->obstacles[i];
        if (hypot(x - o->x_cm, z - o->z_cm) < o->radius_cm + 25) at.cost = INFINITY;
    }
    int k = 0;
    while ((int)lround(s->def->goals[k].at_s * 30) < at.frame) k++;
    const marey_walk_goal *goal = &s->def->goals[k];
    double off = hypot(x - goal->x_cm, z - goal->z_cm);
    double wait = (double)s->goals.wait[node] + 15 * off * off / (off * off + 10000);
    at.cost += fmin((double)s->goals.go[node], wait);
    if ((int)lround(goal->at_s * 30) == at.frame) {
        double look_x = s->goals.look_x[node], look_z = s->goals.look_z[node], turn = 0;
        mry_floor_turn(at.place.angle, &look_x, &look_z);
        if (goal->heading_given && (look_x != 0 || look_z != 0))
            turn = fabs(remainder(atan2(-look_z, look_x) - goal->heading_rad, 2 * PI));
        double error = hypot(off, 38 * turn);
        at.cost += 80 * error * error / (error + 8);
    }
    return at;
}

static mry_vec laid(const marey_graph *g, int node, mry_floor place)
{
    const double *root = mry_place(g->motion, node);
    mry_vec at = { root[0], root[1], root[2] };
    mry_floor_apply(place, &at.x, &at.z);
    return at;
}

/* The hardest that a row of places is driven. */
static double hardest(const mry_vec *at, int count)
{
    double most = 0;
    for (int k = 1; k + 1 < count; k++) {
        double x = at[k + 1].x - 2 * at[k].x + at[k - 1].x;
        double y = at[k + 1].y - 2 * at[k].y + at[k - 1].y;
        double z = at[k + 1].z - 2 * at[k].z + at[k - 1].z;
        most = fmax(most, hypot(hypot(x, y), z));
    }
    return most;
}

/* Are the hips driven harder over a transition than a body does, and than its motions are? All
   places in a row, with halves of what differs added. */
static bool is_driven(const marey_graph *g, int transition)
{
    enum { MOST = 64 };
    const marey_graph_transition *over = &g->transitions[transition];
    int half = g->half[transition], frames = half + 2, like = g->before[over->to];
    if (like < 0) return false;
    mry_vec made[2 * MOST], first[MOST], second[MOST + 1];
    int before = 0, behind = 0, ones[MOST], others[MOST];
    assert_true(frames < MOST);
    for (int n = over->from; n >= 0 && before <= frames; n = g->before[n]) ones[before++] = n;
    for (int n = over->to; n >= 0 && behind < frames; n = g->next[n]) others[behind++] = n;
    for (int k = 0; k < before; k++)
        made[k] = first[k] = laid(g, ones[before - 1 - k], (mry_floor){ 0 });
    second[0] = laid(g, like, g->places[transition]);
    for (int k = 0; k < behind; k++)
        made[before + k] = second[k + 1] = laid(g, others[k], g->places[transition]);
    mry_vec off = mry_vec_sub(first[before - 1], second[0]);
    for (int k = 0; k < before + behind; k++) {
        int away = k - (before - 1);
        double t = 1 - abs(away) / (half + 1.0), share = t > 0 ? t * t * (3 - 2 * t) / 2 : 0;
        made[k] = mry_vec_add(made[k], mry_vec_scale(off, away > 0 ? share : -share));
    }
    double hard = hardest(made, before + behind);
    double own = fmax(hardest(first, before), hardest(second, behind + 1));
    return hard * 900 > g->limits[MAREY_FAULT_ACCELERATION] && hard > 1.1 * own;
}

/* What the rest costs; INFINITY: more than `most`. */
static double judge_rest(judge *j, stand at, double most)
{
    const setting *s = j->s;
    const marey_graph *g = s->graph;
    const mry_dwell *dwell = &s->ways.dwell;
    double best = INFINITY;
    j->visits++;
    if (at.frame == s->goals.end) return 0;
    int next = g->next[at.node], least = dwell->least > 1 ? dwell->least : 1;
    bool on = next >= 0 && (at.stay > 0 || dwell->free[next]);
    for (int i = g->leaving[at.node] - 1; i < g->leaving[at.node + 1]; i++) {
        stand to = at;
        bool straight = i < g->leaving[at.node];
        if (straight ? !on : at.stay > 0 || dwell->lands[i] < 0) continue;
        if (!straight && at.frame + least > s->goals.end) continue;
        to.stay = straight ? (at.stay > 0 ? at.stay - 1 : 0) : least - 1;
        if (!straight) {
            int landed = g->transitions[i].to;
            double join = s->tracks.join + s->tracks.poor * (double)g->transitions[i].distance;
            double stir = fmax(s->goals.stir[at.node], s->goals.stir[landed]);
            double part = stir <= 12 ? 0.25 : stir >= 60 ? 1 : 0.25 + 0.75 * (stir - 12) / 48;
            to.place = mry_floor_times(at.place, g->places[i]);
            to.cost += part * join + (is_driven(g, i) ? 100 : 0);
        }
        to = judge_arrive(j, to, straight ? next : g->transitions[i].to);
        if (to.cost >= most) continue;
        double rest = to.cost - at.cost + judge_rest(j, to, most);
        if (at.cost + rest < most && most < INFINITY) most = at.cost + rest;
        best = fmin(best, rest);
    }
    mry_path_state state = { .place = at.place, .arc = at.frame, .node = at.node };
    if (best < mry_goals_bound(&s->goals, &state) - 1e-6) j->worst_bounds++;
    return best;
}

/* At the origin, moving over the next half second towards where it begins; a body without limbs
   looks nowhere, so that it is turned by how it moves. */
static stand judge_start(const judge *j, int node)
{
    const setting *s = j->s;
    const marey_graph *g = s->graph;
    int end = node, least = s->ways.dwell.least;
    for (int k = 0; k < 15 && g->next[end] >= 0; k++) end = g->next[end];
    const double *first = mry_place(g->motion, node), *last = mry_place(g->motion, end);
    double x = last[0] - first[0], z = last[2] - first[2];
    if (x == 0 && z == 0) z = 1;
    double angle = atan2(s->goals.ahead_x, s->goals.ahead_z) - atan2(x, z);
    double root_x = first[0], root_z = first[2];
    mry_floor_turn(angle, &root_x, &root_z);
    stand at = { .x = s->goals.x, .z = s->goals.z, .frame = -1, .stay = least > 0 ? least - 1 : 0 };
    at.place = (mry_floor){ angle, at.x - root_x, at.z - root_z };
    return judge_arrive(j, at, node);
}

static double judge_all(judge *j, double most)
{
    double best = INFINITY;
    for (int n = 0; n < j->s->graph->nodes; n++) {
        if (mry_dwell_begin(j->s->graph, &j->s->ways.dwell, n) < 0) continue;
        stand at = judge_start(j, n);
        double cost = at.cost + judge_rest(j, at, most);
        best = fmin(best, cost);
        if (most < INFINITY) most = fmin(most, cost);
    }
    return best;
}

typedef struct errand {
    marey_walk_goal goals[3];
    marey_walk_obstacle obstacle;
    marey_walk_def def;
} errand;

/* Two or three goals within so many frames, some with a heading, and perhaps an obstacle. */
static void random_errand(errand *out, uint32_t seed, int frames)
{
    int count = 2 + (int)dice(&seed, 2);
    for (int i = 0; i < count; i++) {
        double angle = dice(&seed, 628) * 0.01, cm = dice(&seed, 80);
        out->goals[i] = (marey_walk_goal){ .at_s = (i + 1) * frames / count / 30.0,
                                           .x_cm = cm * cos(angle),
                                           .z_cm = cm * sin(angle),
                                           .heading_given = dice(&seed, 2),
                                           .heading_rad = dice(&seed, 628) * 0.01 };
    }
    double angle = dice(&seed, 628) * 0.01;
    out->obstacle = (marey_walk_obstacle){ 150 * cos(angle), 150 * sin(angle), 35 };
    out->def = (marey_walk_def){ .kind = MAREY_WALK_GOALS,
                                 .goals = out->goals,
                                 .goal_count = count,
                                 .obstacles = &out->obstacle,
                                 .obstacle_count = (int)dice(&seed, 2) };
}

TEST_CTX(what_is_found_costs_what_an_exhaustive_search_finds)
{
    int found_any = 0;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        OWNED(marey_graph) *graph = random_graph(ctx, seed);
        OWNED(setting) s;
        errand what;
        memset(graph->half, 0, (size_t)graph->transition_count);
        test_ok(mry_dwell_find(graph, &graph->mem, seed % 2 ? 2 : 0, INFINITY, NULL, NULL, 0,
                               &graph->dwell, NULL));
        random_errand(&what, seed + 77, 30);
        /* A goal in the obstacle is refused elsewhere. */
        for (int i = 0; i < what.def.goal_count; i++) {
            if (hypot(what.goals[i].x_cm - what.obstacle.x_cm,
                      what.goals[i].z_cm - what.obstacle.z_cm) < 60)
                what.def.obstacle_count = 0;
        }
        set_up(&s, graph, &what.def);
        OWNED(mry_path_search) found = search(&s, 0, 3000000);
        judge j = { .s = &s };
        double judged = judge_all(&j, found.cost + 1);
        assert_true(found.finished);
        if (!isfinite(judged)) {
            assert_true(!isfinite(found.cost));
            continue;
        }
        found_any++;
        assert_true(fabs(found.cost - judged) < 1e-6 * judged);
        /* Merged it is found too, and not better than the best. */
        OWNED(mry_path_search) merged = search(&s, 10, 3000000);
        assert_true(isfinite(merged.cost) && merged.cost >= judged * (1 - 1e-6));
    }
    assert_true(found_any > 30);
}

TEST_CTX(the_bound_is_never_more_than_what_the_rest_costs)
{
    long visits = 0;
    for (uint32_t seed = 100; seed < 130; seed++) {
        OWNED(marey_graph) *graph = random_graph(ctx, seed);
        OWNED(setting) s;
        errand what;
        random_errand(&what, seed, 18);
        what.def.obstacle_count = 0;
        set_up(&s, graph, &what.def);
        judge j = { .s = &s };
        judge_all(&j, INFINITY);
        assert_int_equal(j.worst_bounds, 0);
        visits += j.visits;
    }
    assert_true(visits > 10000);
}

TEST_GROUP_OF_CASES(test_walk_goals_judge, NULL, NULL)
