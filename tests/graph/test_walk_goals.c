/* test_walk_goals.c - walks that are at places at times: against an exhaustive search, how they wait
   and go round obstacles, and at the edges of what can be asked. The graphs are made by hand, but
   for one of captured clips. */
#include "graph/walk_path.h"
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

typedef struct setting {
    marey_ctx *ctx;
    marey_graph *graph;
    mry_arena tmp;
    mry_ways ways;
    mry_tracks tracks;
    mry_goals goals;
    mry_path_task task;
    const marey_walk_def *def;
} setting;

static void set_up(setting *s, marey_graph *graph, const marey_walk_def *def)
{
    *s = (setting){ .ctx = graph->ctx, .graph = graph, .def = def };
    s->tmp = mry_arena_make(s->ctx);
    assert_int_equal(mry_ways_open(&s->ways, &s->tmp, graph, &(marey_walk_def){ 0 }, NULL), 0);
    assert_true(mry_tracks_open(&s->tracks, &s->tmp, &s->ways));
    assert_int_equal(mry_goals_open(&s->goals, &s->tmp, &s->tracks, def, NULL), 0);
    s->task = (mry_path_task){ .tracks = &s->tracks,
                               .goals = &s->goals,
                               .goal = s->goals.end,
                               .obstacles = def->obstacles,
                               .obstacle_count = def->obstacle_count };
}

static void take_down(setting *s)
{
    mry_arena_free(&s->tmp);
}
OWNED_VALUE(setting, take_down)

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

static mry_path_search search(const setting *s, double cell_cm, int64_t effort)
{
    mry_path_search search = { .task = s->task, .effort = effort };
    assert_true(mry_path_open_make(&search.open, s->ctx, &s->task, cell_cm));
    assert_int_equal(mry_path_search_run(&search, -1, NULL), MAREY_OK);
    return search;
}

static void search_end(mry_path_search *search)
{
    mry_path_open_free(&search->open);
}
OWNED_VALUE(mry_path_search, search_end)

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

/* ---- what is handed back --------------------------------------------------------------------- */

/* Straight on, bends to both sides and, if it can, standing; everything joins everything at the
   ends. */
static marey_graph *walker(marey_ctx *ctx, bool stands)
{
    static const hand_sequence ways[] = {
        { 10, 0, 90, 0 }, { 10, 0, 90, 60 }, { 10, 0, 90, -60 }, { 10, 0, 0, 0 }
    };
    hand_link links[16];
    int count = stands ? 4 : 3;
    for (int i = 0; i < count * count; i++) {
        int from = i / count, to = i % count;
        double turned = ways[from].turn_deg_s * 10 / 30;
        links[i] = (hand_link){ 10 * from + 9, 10 * to, turned, from == to ? 0 : 0.3 };
    }
    return hand_graph_make(ctx, ways, count, links, count * count);
}

typedef struct asked {
    marey_ctx *ctx;
    marey_graph *graph;
    marey_walk_def def;
    marey_walk walk;
    marey_error error;
} asked;

static asked ask(bool stands, const marey_walk_goal *goals, int count)
{
    asked a = { .ctx = test_ctx() };
    a.graph = walker(a.ctx, stands);
    a.def = (marey_walk_def){
        .kind = MAREY_WALK_GOALS, .goals = goals, .goal_count = count, .effort = 20000
    };
    return a;
}

static void answer(asked *a)
{
    if (marey_graph_walk(a->ctx, a->graph, &a->def, &a->walk, &a->error))
        fail_msg("%s", a->error.message);
}

static void done(asked *a)
{
    marey_walk_free(&a->walk);
    marey_graph_free(a->graph);
    assert_int_equal(marey_ctx_bytes(a->ctx), 0);
    marey_ctx_close(a->ctx);
}
OWNED_VALUE(asked, done)

/* Where the body is in a frame, found again from what is public. */
static void body_at(const asked *a, int frame, double *x, double *z)
{
    mry_floor place = { a->walk.place.angle_rad, a->walk.place.x_cm, a->walk.place.z_cm };
    for (int k = 1; k <= frame; k++) {
        assert_true(mry_walk_step(a->graph, a->walk.nodes[k - 1], a->walk.nodes[k]) >= -1);
        marey_placement by = marey_graph_place(a->graph, a->walk.nodes[k - 1], a->walk.nodes[k]);
        place = mry_floor_times(place, (mry_floor){ by.angle_rad, by.x_cm, by.z_cm });
    }
    const double *root = mry_place(a->graph->motion, a->walk.nodes[frame]);
    *x = root[0];
    *z = root[2];
    mry_floor_apply(place, x, z);
}

static double error_at(const asked *a, const marey_walk_goal *goal)
{
    double x, z;
    body_at(a, (int)lround(goal->at_s * 30), &x, &z);
    return hypot(x - goal->x_cm, z - goal->z_cm);
}

TEST(a_walk_is_at_its_goals_in_time_stands_until_then_and_goes_on)
{
    static const marey_walk_goal goals[] = { { .at_s = 3, .x_cm = 200, .z_cm = 0 },
                                             { .at_s = 7, .x_cm = 200, .z_cm = 0 },
                                             { .at_s = 11, .x_cm = 480, .z_cm = 60 } };
    OWNED(asked) a = ask(true, goals, 3);
    answer(&a);
    assert_true(a.walk.arrived && a.walk.placed && a.walk.stands);
    assert_int_equal(a.walk.count, 331);
    for (int i = 0; i < 3; i++) assert_true(error_at(&a, &goals[i]) < 20);
    /* From a little after the first time to the second it stands, and only then. */
    int waits = 0;
    for (int f = 100; f <= 210; f++) waits += a.walk.nodes[f] >= 30;
    assert_true(waits > 100);
    double x, z;
    body_at(&a, 0, &x, &z);
    assert_true(hypot(x, z) < 1e-6);
}

TEST(headings_are_looked_at_as_steering_has_them)
{
    /* A body without limbs looks where it moves: up on the plan is against z. */
    static const marey_walk_goal goals[] = {
        { .at_s = 3.7, .x_cm = 250, .z_cm = -150, .heading_given = true, .heading_rad = PI / 2 }
    };
    OWNED(asked) a = ask(false, goals, 1);
    answer(&a);
    assert_true(a.walk.arrived && error_at(&a, &goals[0]) < 30);
    double x, z, before_x, before_z;
    body_at(&a, 111, &x, &z);
    body_at(&a, 109, &before_x, &before_z);
    assert_true(fabs(remainder(atan2(-(z - before_z), x - before_x) - PI / 2, 2 * PI)) < 0.6);
}

TEST(a_walk_begins_at_a_goal_of_time_0_and_with_the_node_it_is_given)
{
    static const marey_walk_goal goals[] = {
        { .at_s = 0, .x_cm = 70, .z_cm = -30, .heading_given = true, .heading_rad = 1 },
        { .at_s = 4, .x_cm = 200, .z_cm = -200 }
    };
    OWNED(asked) a = ask(true, goals, 2);
    double x, z;
    a.def.from_given = true;
    a.def.from = 14;
    answer(&a);
    assert_int_equal(a.walk.nodes[0], 14);
    body_at(&a, 0, &x, &z);
    assert_true(hypot(x - 70, z + 30) < 1e-6);
    assert_true(a.walk.arrived);
}

TEST(obstacles_are_gone_round)
{
    static const marey_walk_goal goals[] = { { .at_s = 6, .x_cm = 350, .z_cm = 0 },
                                             { .at_s = 13, .x_cm = 0, .z_cm = 40 } };
    static const marey_walk_obstacle obstacles[] = { { 170, 0, 45 }, { 170, 110, 30 } };
    OWNED(asked) a = ask(true, goals, 2);
    a.def.obstacles = obstacles;
    a.def.obstacle_count = 2;
    answer(&a);
    assert_true(a.walk.arrived);
    for (int f = 0; f < a.walk.count; f++) {
        double x, z;
        body_at(&a, f, &x, &z);
        for (int i = 0; i < 2; i++)
            assert_true(hypot(x - obstacles[i].x_cm, z - obstacles[i].z_cm) >=
                        obstacles[i].radius_cm + 25 - 1e-6);
    }
}

TEST(paths_lead_round_obstacles_too)
{
    static const double straight[] = { 0, 0, 600, 0 };
    static const marey_walk_obstacle pillar = { 300, 10, 40 };
    OWNED(asked) a = ask(true, NULL, 0);
    a.def = (marey_walk_def){ .kind = MAREY_WALK_PATH,
                              .path = straight,
                              .point_count = 2,
                              .obstacles = &pillar,
                              .obstacle_count = 1,
                              .effort = 20000 };
    answer(&a);
    assert_true(a.walk.arrived);
    for (int f = 0; f < a.walk.count; f++) {
        double x, z;
        body_at(&a, f, &x, &z);
        assert_true(hypot(x - 300, z - 10) >= 65 - 1e-6);
        if (fabs(x - 300) < 30) assert_true(hypot(x - 300, z - 10) < 65 + 30);
    }
}

TEST(a_goal_that_is_out_of_reach_is_missed_by_as_little_as_can_be)
{
    static const marey_walk_goal far = { .at_s = 2, .x_cm = 400, .z_cm = 0 };
    OWNED(asked) a = ask(true, &far, 1);
    answer(&a);
    assert_false(a.walk.arrived);
    assert_int_equal(a.walk.count, 61);
    /* Straight there at 90 cm/s. */
    assert_true(error_at(&a, &far) < 400 - 170);
}

TEST(who_never_stands_stays_near)
{
    static const marey_walk_goal goals[] = { { .at_s = 2, .x_cm = 150, .z_cm = 0 },
                                             { .at_s = 8, .x_cm = 150, .z_cm = 0 } };
    OWNED(asked) a = ask(false, goals, 2);
    answer(&a);
    assert_false(a.walk.stands);
    assert_true(a.walk.arrived);
    for (int f = 60; f < 240; f++) {
        double x, z;
        body_at(&a, f, &x, &z);
        assert_true(hypot(x - 150, z) < 400);
    }
}

/* A third of a second of standing that leads back to walking alone is no place to wait. */
TEST(who_stops_but_cannot_go_on_standing_does_not_stand)
{
    static const marey_walk_goal goals[] = { { .at_s = 6, .x_cm = 150, .z_cm = 0 } };
    for (int loop = 0; loop < 2; loop++) {
        OWNED(asked) a = ask(true, goals, 1);
        int left = 0, all = a.graph->transition_count;
        for (int i = 0; i < all; i++) {
            const marey_graph_transition *one = &a.graph->transitions[i];
            if (one->from == 39 && one->to == 30 && !loop) left = i;
        }
        a.def.barred = &left;
        a.def.barred_count = !loop;
        answer(&a);
        assert_int_equal(a.walk.stands, loop);
    }
}

TEST(two_searches_find_the_same_and_more_effort_is_not_worse)
{
    static const marey_walk_goal goals[] = { { .at_s = 3, .x_cm = 200, .z_cm = 50 },
                                             { .at_s = 8, .x_cm = -50, .z_cm = 80 } };
    OWNED(asked) a = ask(true, goals, 2);
    OWNED(asked) b = ask(true, goals, 2);
    OWNED(setting) s;
    answer(&a);
    answer(&b);
    assert_int_equal(a.walk.count, b.walk.count);
    assert_memory_equal(a.walk.nodes, b.walk.nodes, (size_t)a.walk.count * sizeof(int));
    set_up(&s, a.graph, &a.def);
    double last = INFINITY;
    for (int64_t effort = 200; effort < 20000; effort *= 3) {
        OWNED(mry_path_search) found = search(&s, 10, effort);
        assert_true(found.cost <= last && found.expanded <= effort);
        last = found.cost;
    }
    assert_true(isfinite(last));
}

/* ---- ways round obstacles --------------------------------------------------------------------- */

TEST_CTX(ways_round_a_circle_are_as_long_as_tangents_and_an_arc)
{
    OWNED(marey_graph) *graph = walker(ctx, true);
    const marey_walk_goal goal = { .at_s = 9, .x_cm = 200, .z_cm = 0 };
    for (int radius = 30; radius <= 130; radius += 20) {
        const marey_walk_obstacle one = { 0, 0, radius };
        marey_walk_def def = {
            .goals = (marey_walk_goal[]){ { .at_s = 0, .x_cm = -200 }, goal },
            .goal_count = 2,
            .obstacles = &one,
            .obstacle_count = 1,
        };
        OWNED(setting) s;
        set_up(&s, graph, &def);
        double r = radius + 30; /* the field keeps a little farther off than the body must */
        double judged = 2 * sqrt(200 * 200 - r * r) + r * (PI - 2 * acos(r / 200));
        double found = mry_goals_way(&s.goals, 1, -200, 0);
        assert_true(found > 0.99 * judged && found < 1.1 * judged);
        /* Where nothing is between, it is the distance; also from outside the grid. */
        assert_true(fabs(mry_goals_way(&s.goals, 1, 200, 90) - 90) < 4);
        assert_true(fabs(mry_goals_way(&s.goals, 1, 2000, 0) - 1800) < 20);
        assert_true(isfinite(mry_goals_way(&s.goals, 1, 0, 0)));
    }
}

TEST_CTX(grids_are_bounded_however_far_apart_things_are)
{
    OWNED(marey_graph) *graph = walker(ctx, true);
    const marey_walk_obstacle two[] = { { 4e5, 4e5, 1000 }, { 100, 0, 20 } };
    marey_walk_def def = { .goals = (marey_walk_goal[]){ { .at_s = 9, .x_cm = 9e5, .z_cm = -9e5 } },
                           .goal_count = 1,
                           .obstacles = two,
                           .obstacle_count = 2 };
    OWNED(setting) s;
    set_up(&s, graph, &def);
    assert_true(s.goals.cols <= 256 && s.goals.rows <= 256);
    assert_true(isfinite(mry_goals_way(&s.goals, 0, -1e6, 1e6)));
}

/* ---- what can go wrong ------------------------------------------------------------------------ */

TEST(goals_that_cannot_be_are_refused)
{
    static const marey_walk_goal fine = { .at_s = 2, .x_cm = 100 };
    static const marey_walk_goal rows[][2] = {
        { { .at_s = NAN }, { .at_s = 1 } },
        { { .at_s = -1 }, { .at_s = 1 } },
        { { .at_s = INFINITY }, { .at_s = 1 } },
        { { .at_s = 1, .x_cm = NAN }, { .at_s = 2 } },
        { { .at_s = 1, .z_cm = INFINITY }, { .at_s = 2 } },
        { { .at_s = 1, .z_cm = 1e300 }, { .at_s = 2 } },
        { { .at_s = 1, .heading_given = true, .heading_rad = NAN }, { .at_s = 2 } },
        { { .at_s = 2 }, { .at_s = 1 } },
        { { .at_s = 2 }, { .at_s = 2 } },
        { { .at_s = 2 }, { .at_s = 2.001 } },
        { { .at_s = 2 }, { .at_s = 1e9 } },
    };
    static const marey_walk_obstacle walls[] = {
        { NAN, 0, 5 },  { 300, INFINITY, 5 }, { 300, 0, -1 }, { 300, 0, 0 },  { 300, 0, NAN },
        { 120, 0, 30 }, { 100, 40, 20 },      { 10, 0, 5 },   { 300, 0, 1e9 }
    };
    OWNED(asked) a = ask(true, &fine, 1);
    enum { ROWS = sizeof rows / sizeof *rows, WALLS = sizeof walls / sizeof *walls };
    for (int i = 0; i < ROWS + WALLS + 6; i++) {
        marey_walk_def def = { .kind = MAREY_WALK_GOALS, .goals = &fine, .goal_count = 1 };
        marey_walk walk = { .count = -7 };
        marey_error error = { 0 };
        if (i < ROWS) {
            def.goals = rows[i];
            def.goal_count = 2;
        } else if (i < ROWS + WALLS) {
            def.obstacles = &walls[i - ROWS];
            def.obstacle_count = 1;
        }
        if (i == ROWS + WALLS) def.goal_count = 0;
        if (i == ROWS + WALLS + 1) def.goals = NULL;
        if (i == ROWS + WALLS + 2) def.goal_count = MAREY_WALK_MOST_GOALS + 1;
        if (i == ROWS + WALLS + 3) def.obstacle_count = 1;
        if (i == ROWS + WALLS + 4) def.obstacle_count = -1;
        if (i == ROWS + WALLS + 5) def.goals = &(marey_walk_goal){ .at_s = 0 };
        assert_int_equal(marey_graph_walk(a.ctx, a.graph, &def, &walk, &error), MAREY_ERR_REQUEST);
        assert_int_equal(walk.count, -7);
        assert_true(error.message[0] != 0);
    }
}

TEST(running_out_of_memory_is_reported_and_writes_nothing)
{
    static const marey_walk_goal goals[] = { { .at_s = 2, .x_cm = 150, .z_cm = 0 },
                                             { .at_s = 4, .x_cm = 100, .z_cm = 90 } };
    static const marey_walk_obstacle pillar = { 20, 90, 30 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_graph) *graph = walker(ctx, true);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        marey_walk_def def = { .kind = MAREY_WALK_GOALS,
                               .goals = goals,
                               .goal_count = 2,
                               .obstacles = &pillar,
                               .obstacle_count = 1,
                               .effort = 300 };
        marey_walk walk = { .count = -7 };
        status = marey_graph_walk(ctx, graph, &def, &walk, NULL);
        if (status) assert_int_equal(walk.count, -7);
        if (!status) marey_walk_free(&walk);
    }
    assert_true(sweep.at > 15);
}

/* ---- captured clips --------------------------------------------------------------------------- */

TEST(captured_bodies_are_there_wait_and_do_not_slide)
{
    static const char *const names[] = { "143_10", "143_11", "143_29", "143_32", "143_38" };
    enum { COUNT = sizeof names / sizeof *names };
    static const marey_walk_goal goals[] = {
        { .at_s = 5, .x_cm = 200, .z_cm = 300 },
        { .at_s = 9, .x_cm = 200, .z_cm = 300, .heading_given = true, .heading_rad = PI / 2 },
        { .at_s = 15, .x_cm = -100, .z_cm = 100 }
    };
    static const marey_walk_obstacle pillar = { 100, 150, 40 };
    OWNED(marey_ctx) *ctx = NULL;
    marey_clip *clips[COUNT];
    marey_error error;
    test_need_mocap();
    assert_int_equal(marey_ctx_open(NULL, &ctx), MAREY_OK);
    for (int i = 0; i < COUNT; i++) {
        char path[1024];
        marey_load_def def = { .source_fps = 60 };
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", test_mocap_folder(), names[i]);
        if (marey_clip_load(ctx, path, &def, &clips[i], &error)) fail_msg("%s", error.message);
    }
    marey_graph *built = NULL;
    if (marey_graph_build(ctx, (const marey_clip *const *)clips, COUNT, NULL, NULL, &built, &error))
        fail_msg("%s", error.message);
    OWNED(marey_graph) *graph = built;
    marey_walk_def def = { .kind = MAREY_WALK_GOALS,
                           .goals = goals,
                           .goal_count = 3,
                           .obstacles = &pillar,
                           .obstacle_count = 1,
                           .effort = 30000 };
    OWNED(marey_walk) walk = { 0 };
    OWNED(marey_made) made = { 0 };
    marey_walk_made about;
    marey_goal_reached reached[3];
    double clear;
    if (marey_graph_walk(ctx, graph, &def, &walk, &error)) fail_msg("%s", error.message);
    assert_true(walk.arrived && walk.stands);
    if (marey_walk_make(ctx, graph, &walk, NULL, &made, &about, &error))
        fail_msg("%s", error.message);
    test_ok(marey_walk_reached(ctx, graph, made.clip, &def, reached, &clear, NULL));
    for (int i = 0; i < 3; i++) assert_true(reached[i].error_cm < 30);
    assert_true(reached[1].error_rad < 0.5 && isnan(reached[0].error_rad));
    assert_true(clear > 15);
    assert_true(about.jump_ratio <= 1.1 && made.clean.slide_after_cm <= 0.3);
    /* It stands for most of the time between the first goal and the second, which are one place. */
    int still = 0, frames = 0;
    for (int f = 5 * 60 + 30; f < 9 * 60 - 30; f++, frames++) {
        const double *a = mry_place(made.clip, f - 3), *b = mry_place(made.clip, f + 3);
        still += hypot(b[0] - a[0], b[2] - a[2]) * 10 < 15;
    }
    assert_true(still > 0.5 * frames);
    for (int i = 0; i < COUNT; i++) marey_clip_free(clips[i]);
}

TEST_GROUP_OF_CASES(test_walk_goals, NULL, NULL)
