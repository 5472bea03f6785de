/* test_controller.c - steering: places against placements composed by hand, inputs on the plan,
   what fades away, scores, and that a step never fails, allocates or ends. */
#include "control/control_data.h"
#include "hand_graph.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DEG (PI / 180)

enum { TAKES = 3 };

/* A graph of demo walks and its policy. */
typedef struct bench {
    marey_ctx *ctx;
    marey_demo_take *takes[TAKES];
    marey_graph *graph;
    marey_policy *policy;
} bench;

static int bench_open(void **state)
{
    static const char *const names[TAKES] = { "walk_eight", "walk_left", "walk_right" };
    static bench b;
    const marey_clip *clips[TAKES];
    b.ctx = test_ctx();
    for (int i = 0; i < TAKES; i++) {
        b.takes[i] = test_demo_take(b.ctx, names[i]);
        clips[i] = marey_demo_clip(b.takes[i]);
    }
    marey_graph_def def = { .threshold = 10, .sigma = 30 };
    if (marey_graph_build(b.ctx, clips, TAKES, NULL, &def, &b.graph, NULL)) return 1;
    if (marey_policy_train(b.ctx, b.graph, NULL, &b.policy, NULL)) return 1;
    *state = &b;
    return 0;
}

static void bench_free(bench *b)
{
    marey_policy_free(b->policy);
    marey_graph_free(b->graph);
    for (int i = 0; i < TAKES; i++) marey_demo_free(b->takes[i]);
    marey_ctx_close(b->ctx);
}
OWNED_VALUE(bench, bench_free)

static int bench_close(void **state)
{
    bench_free(*state);
    return 0;
}

/* The same of a graph made by hand. */
static bench bench_by_hand(const hand_sequence *ways, int way_count, const hand_link *links,
                           int link_count)
{
    bench b = { .ctx = test_ctx() };
    b.graph = way_count ? hand_graph_make(b.ctx, ways, way_count, links, link_count)
                        : hand_graph_crossing(b.ctx);
    assert_int_equal(marey_policy_train(b.ctx, b.graph, NULL, &b.policy, NULL), MAREY_OK);
    return b;
}

static marey_controller *open_one(const bench *b, const marey_controller_def *def)
{
    marey_controller *controller = NULL;
    marey_error error;
    if (marey_controller_open(b->ctx, b->graph, b->policy, def, &controller, &error))
        fail_msg("%s", error.message);
    return controller;
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 10;
}

/* A new wish now and then. */
static marey_control_input wish_at(int frame, double fastest)
{
    uint32_t seed = (uint32_t)(frame / 50) * 7919u + 1;
    double direction = (draw(&seed) % 720) * DEG;
    return (marey_control_input){ direction, (draw(&seed) % 100) / 99.0 * fastest };
}

/* ---- where it is ----------------------------------------------------------------------------- */

/* The pose of a node laid somewhere, as a judge sees it. */
static void lay(const marey_graph *graph, int node, mry_floor laid, double *root, float *turn)
{
    const double *from = marey_clip_root(marey_graph_motion(graph), node);
    const float *q = marey_clip_rotations(marey_graph_motion(graph), node);
    double c = cos(laid.angle / 2), s = sin(laid.angle / 2);
    root[0] = from[0] * cos(laid.angle) + from[2] * sin(laid.angle) + laid.x;
    root[1] = from[1];
    root[2] = from[2] * cos(laid.angle) - from[0] * sin(laid.angle) + laid.z;
    turn[0] = (float)(c * q[0] - s * q[2]);
    turn[1] = (float)(c * q[1] + s * q[3]);
    turn[2] = (float)(c * q[2] + s * q[0]);
    turn[3] = (float)(c * q[3] - s * q[1]);
}

static mry_floor behind(mry_floor laid, marey_placement place)
{
    double c = cos(laid.angle), s = sin(laid.angle);
    return (mry_floor){ laid.angle + place.angle_rad, place.x_cm * c + place.z_cm * s + laid.x,
                        place.z_cm * c - place.x_cm * s + laid.z };
}

TEST_OF(const bench *b, it_is_where_placements_composed_by_hand_lay_it)
{
    OWNED(marey_controller) *c = open_one(b, &(marey_controller_def){ .rough = true });
    const marey_clip *motion = marey_graph_motion(b->graph);
    int joints = marey_clip_skeleton(motion)->joint_count, last = -1, taken = 0;
    mry_floor laid = { 0 };
    for (int f = 0; f < 3000; f++) {
        marey_control_input wish = wish_at(f, 150);
        marey_controller_frame now;
        double root[3];
        float turn[4];
        marey_controller_step(c, &wish, &now);
        marey_graph_node node = marey_graph_node_of(b->graph, now.node);
        assert_true(node.core);
        if (last < 0) { /* it starts at the origin and faces x */
            const float facing = b->policy->moves[now.node].facing;
            lay(b->graph, now.node, (mry_floor){ .angle = -(double)facing }, root, turn);
            laid = (mry_floor){ -(double)facing, -root[0], -root[2] };
        } else if (now.transition) {
            laid = behind(laid, marey_graph_place(b->graph, last, now.node));
            taken++;
        } else {
            assert_int_equal(marey_graph_node_of(b->graph, last).next, now.node);
        }
        lay(b->graph, now.node, laid, root, turn);
        for (int i = 0; i < 3; i++) test_near(now.places[i], root[i], 1e-6);
        double dot = 0;
        for (int i = 0; i < 4; i++) dot += (double)now.turns[i] * (double)turn[i];
        test_near(fabs(dot), 1, 1e-5);
        assert_memory_equal(now.turns + 4, marey_clip_rotations(motion, now.node) + 4,
                            (size_t)(joints - 1) * 4 * sizeof(float));
        test_near(now.x_cm, root[0], 1e-6);
        test_near(now.z_cm, root[2], 1e-6);
        last = now.node;
    }
    assert_true(taken > 30);
}

TEST_OF(const bench *b, it_starts_at_the_given_place)
{
    int node = 0;
    for (int k = 0; k < 12; k++) {
        while (!marey_graph_node_of(b->graph, node + k).begins) node++;
        marey_controller_def def = { .from_given = true,
                                     .from = node + k,
                                     .x_cm = 100 * k,
                                     .z_cm = -50,
                                     .direction_rad = 0.7 * k - 2 };
        OWNED(marey_controller) *c = open_one(b, &def);
        marey_controller_frame now;
        marey_controller_step(c, &(marey_control_input){ 0, 0 }, &now);
        assert_int_equal(now.node, node + k);
        assert_false(now.transition);
        test_near(now.x_cm, 100 * k, 1e-9);
        test_near(now.z_cm, -50, 1e-9);
        /* Hips and shoulders say where it faces: to the left of it is its left side. */
        const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(b->graph));
        double places[3 * 64], across[2] = { 0 };
        assert_true(skeleton->joint_count <= 64);
        marey_pose_positions(skeleton, now.places, now.turns, places);
        const marey_role pairs[][2] = { { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP },
                                        { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER } };
        for (int i = 0; i < 2; i++) {
            const double *left = places + 3 * skeleton->roles[pairs[i][0]];
            const double *right = places + 3 * skeleton->roles[pairs[i][1]];
            across[0] += left[0] - right[0];
            across[1] += left[2] - right[2];
        }
        double left = atan2(-across[1], across[0]);
        test_near(remainder(left - PI / 2 - def.direction_rad, 2 * PI), 0, 1e-4);
    }
}

static int first_node(const bench *b)
{
    OWNED(marey_controller) *c = open_one(b, NULL);
    marey_controller_frame now;
    marey_controller_step(c, &(marey_control_input){ 0, 0 }, &now);
    return now.node;
}

TEST(by_default_it_starts_standing)
{
    const hand_sequence ways[] = { { 10, 0, 90, 0 }, { 10, 0, 1, 0 }, { 10, 0, 3, 0 } };
    const hand_link links[] = { { 9, 10, 0, 0 }, { 19, 20, 0, 0 }, { 29, 0, 0, 0 } };
    OWNED(bench) b = bench_by_hand(ways, 3, links, 3);
    assert_in_range(first_node(&b), 10, 19);
    for (int n = 10; n < 20; n++) mry_place(b.graph->motion, n)[1] = 60; /* sits */
    assert_in_range(first_node(&b), 20, 29);
    for (int n = 20; n < 30; n++) b.graph->contacts[n] = n == 24 ? 15 : n == 22 ? 13 : 3;
    assert_int_equal(first_node(&b), 24); /* with both feet */
}

TEST(it_goes_where_it_is_wished_on_the_plan)
{
    OWNED(bench) b = bench_by_hand(NULL, 0, NULL, 0);
    const double ways[4][2] = { { 1, 0 }, { 0, -1 }, { -1, 0 }, { 0, 1 } }; /* x, z */
    for (int k = 0; k < 4; k++) {
        OWNED(marey_controller) *c = open_one(&b, &(marey_controller_def){ .rough = true });
        marey_controller_frame then = { 0 }, now = { 0 };
        marey_control_input wish = { k * 90 * DEG, 90 };
        for (int f = 0; f < 120; f++) {
            marey_controller_step(c, &wish, &now);
            if (f == 60) then = now;
        }
        test_near(now.x_cm - then.x_cm, 3.0 * 59 * ways[k][0], 1e-2);
        test_near(now.z_cm - then.z_cm, 3.0 * 59 * ways[k][1], 1e-2);
        test_near(remainder(now.direction_rad - wish.direction_rad, 2 * PI), 0, 1e-3);
        test_near(now.speed_cm_s, 90, 1e-2);
    }
}

/* ---- what fades away ------------------------------------------------------------------------- */

/* The largest step of any joint between two frames. */
typedef struct steps {
    double last[3 * 64], most;
    bool any;
} steps;

static void add_step(steps *s, const marey_skeleton *skeleton, const marey_controller_frame *now)
{
    double places[3 * 64];
    marey_pose_positions(skeleton, now->places, now->turns, places);
    for (int k = 0; k < 3 * skeleton->joint_count && s->any; k += 3)
        s->most = fmax(s->most, mry_distance3(places + k, s->last + k));
    memcpy(s->last, places, (size_t)skeleton->joint_count * 3 * sizeof *places);
    s->any = true;
}

TEST_OF(const bench *b, differences_fade_and_nothing_else_changes)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(b->graph));
    OWNED(marey_controller) *smooth = open_one(b, NULL),
                            *rough = open_one(b, &(marey_controller_def){ .rough = true });
    steps s = { 0 }, r = { 0 };
    int longest = 0, since = 1000, same = 0;
    for (int i = 0; i < b->graph->transition_count; i++)
        longest = b->graph->half[i] > longest ? b->graph->half[i] : longest;
    assert_true(skeleton->joint_count <= 64);
    for (int f = 0; f < 5000; f++) {
        marey_control_input wish = wish_at(f, 150);
        marey_controller_frame a, c;
        marey_controller_step(smooth, &wish, &a);
        marey_controller_step(rough, &wish, &c);
        assert_int_equal(a.node, c.node);
        assert_int_equal(a.transition, c.transition);
        assert_true(a.direction_rad == c.direction_rad);
        for (int j = 0; j < skeleton->joint_count; j++) {
            double length = 0;
            for (int i = 0; i < 4; i++)
                length += (double)a.turns[4 * j + i] * (double)a.turns[4 * j + i];
            test_near(length, 1, 1e-5);
        }
        since = a.transition ? 0 : since + 1;
        if (since > 2 * longest) { /* all of it has faded */
            same++;
            for (int i = 0; i < 3; i++) test_near(a.places[i], c.places[i], 1e-9);
            assert_memory_equal(a.turns, c.turns,
                                (size_t)skeleton->joint_count * 4 * sizeof(float));
        }
        add_step(&s, skeleton, &a);
        add_step(&r, skeleton, &c);
    }
    assert_true(same > 100);
    /* The body moves hardly faster than in the clips. */
    double own = 0;
    for (int n = 0; n + 1 < b->graph->nodes; n++) {
        double p[2][3 * 64];
        if (b->graph->next[n] < 0) continue;
        marey_clip_positions(b->graph->motion, n, 1, p[0]);
        marey_clip_positions(b->graph->motion, b->graph->next[n], 1, p[1]);
        for (int k = 0; k < 3 * skeleton->joint_count; k += 3)
            own = fmax(own, mry_distance3(p[1] + k, p[0] + k));
    }
    if (!(s.most <= 1.1 * own)) fail_msg("%.3f cm, own %.3f, rough %.3f", s.most, own, r.most);
}

/* One difference against what it is said to be: all of it at the transition, less and less, none at
   the end. */
TEST_CTX(one_difference_fades_as_it_should)
{
    OWNED(marey_graph) *g = hand_graph_crossing(ctx);
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    mry_fades fades;
    assert_true(mry_fades_open(&fades, &mem, g));
    mry_floor to = g->places[1]; /* 9 -> 10, a turn of 90 degrees */
    mry_fades_add(&fades, 1, (mry_floor){ 0 }, to);
    double last = 90.0;
    for (int age = 1; age <= 10; age++) {
        double places[6] = { 0 };
        float turns[8] = { 1, 0, 0, 0, 1, 0, 0, 0 };
        mry_fades_apply(&fades, places, turns);
        double turned = 2 * atan2((double)turns[2], (double)turns[0]) / DEG;
        test_near(turned, age <= 8 ? -90 * mry_spread(age, 8) : 0, 1e-3);
        assert_true(fabs(turned) < last);
        test_near((double)turns[4], 1, 1e-6);
        if (age <= 8) last = fabs(turned);
        mry_fades_age(&fades);
    }
    assert_int_equal(fades.count, 0);
}

/* A walk that goes on without a jump has no difference, whichever of the frames beside the
   transition are left. */
TEST_CTX(frames_that_were_left_out_are_reckoned)
{
    const hand_sequence ways[] = { { 10, 20, 90, 60 }, { 10, 40, 90, 60 } };
    const hand_link links[] = { { 5, 14, -20, 0 } };
    OWNED(marey_graph) *g = hand_graph_make(ctx, ways, 2, links, 1);
    /* Both turn alike, so 14 laid by the difference of their starts is 4 of the other: it follows
       3. */
    g->places[0] = (mry_floor){ .angle = -20 * DEG };
    const double *like = mry_place(g->motion, 4), *to = mry_place(g->motion, 14);
    double x = to[0], z = to[2];
    mry_floor_turn(g->places[0].angle, &x, &z);
    test_near(x, like[0], 1e-3);
    test_near(z, like[2], 1e-3);
    g->transitions[0].from = 3;
    for (int left_out = 0; left_out < 4; left_out++) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_fades fades;
        if (left_out == 1) g->before[14] = -1;
        if (left_out == 2) g->next[3] = -1;
        if (left_out == 3) g->before[3] = -1;
        assert_true(mry_fades_open(&fades, &mem, g));
        mry_fades_add(&fades, 0, (mry_floor){ 0 }, g->places[0]);
        assert_int_equal(fades.count, 1);
        double off = left_out < 2 ? 1e-3 : 0.2; /* along an arc, a straight step misses a little */
        for (int i = 0; i < 3; i++) test_near(fades.items[0].place[i], 0, off);
        for (int i = 0; i < 6; i++) test_near((double)fades.items[0].turn[i], 0, 1e-4);
    }
}

TEST(transitions_at_every_frame_find_room)
{
    const hand_sequence ways[] = { { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 } };
    const hand_link links[] = { { 0, 1, 0, 0 }, { 1, 2, 30, 0 }, { 2, 0, 10, 0 } };
    OWNED(bench) b = bench_by_hand(ways, 3, links, 3);
    b.graph->half[1] = 11;
    b.graph->half[2] = 1;
    OWNED(marey_controller) *c = open_one(&b, NULL);
    for (int f = 0; f < 1000; f++) {
        marey_controller_frame now;
        marey_controller_step(c, &(marey_control_input){ 1, 50 }, &now);
        assert_true(now.transition == (f > 0));
        assert_true(isfinite(now.x_cm) && isfinite((double)now.turns[0]));
    }
    assert_int_equal(marey_controller_score(c).transitions, 999);
}

TEST_OF(const bench *b, the_score_is_the_mean_of_what_is_seen)
{
    OWNED(marey_controller) *c = open_one(b, NULL);
    marey_control_score none = marey_controller_score(c);
    assert_true(none.frames == 0 && none.control == 0 && none.transition == 1 && none.total == 0);
    double followed = 0, quality = 0;
    int taken = 0, last = -1;
    for (int f = 0; f < 2000; f++) {
        marey_control_input wish = wish_at(f, 150);
        marey_controller_frame now;
        marey_controller_step(c, &wish, &now);
        double move = now.direction_rad;
        if (now.speed_cm_s < MRY_STAND_CM_S) { /* it tells where it faces instead */
            const mry_move *m = &b->policy->moves[now.node];
            move += atan2(-(double)m->z, (double)m->x) - (double)m->facing;
        }
        double x = now.speed_cm_s * cos(move) - wish.speed_cm_s * cos(wish.direction_rad);
        double y = now.speed_cm_s * sin(move) - wish.speed_cm_s * sin(wish.direction_rad);
        followed += fmax(0, 1 - sqrt(x * x + y * y) / fmax(wish.speed_cm_s, 40));
        int first, count = last < 0 ? 0 : marey_graph_leaving(b->graph, last, &first), all;
        for (int i = 0; i < count && now.transition; i++) {
            const marey_graph_transition *one = marey_graph_transitions(b->graph, &all) + first + i;
            if (one->to != now.node) continue;
            quality += exp(-(double)one->distance / 30);
            taken++;
        }
        last = now.node;
    }
    marey_control_score score = marey_controller_score(c);
    assert_int_equal(score.frames, 2000);
    assert_int_equal(score.transitions, taken);
    test_near(score.control, followed / 2000, 1e-6);
    test_near(score.transition, quality / taken, 1e-9);
    test_near(score.total, score.control * score.transition, 1e-12);
    assert_true(score.control > 0.15);
}

/* ---- it never fails -------------------------------------------------------------------------- */

TEST_OF(const bench *b, very_many_steps_stay_finite_and_in_the_core)
{
    OWNED(marey_controller) *c = open_one(b, NULL);
    uint32_t seed = 5;
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, -50, 0, 1e-308 };
    marey_control_input wish = { 0, 100 };
    int all = test_trials(300000, 1000000);
    for (int f = 0; f < all; f++) {
        marey_controller_frame now;
        if (draw(&seed) % 20 == 0) {
            wish.direction_rad = draw(&seed) % 4 ? draw(&seed) % 700 * 0.01 : odd[draw(&seed) % 8];
            wish.speed_cm_s = draw(&seed) % 4 ? draw(&seed) % 300 : odd[draw(&seed) % 8];
        }
        marey_controller_step(c, &wish, &now);
        bool fine = b->graph->dwell.allowed[now.node] && isfinite(now.x_cm) && isfinite(now.z_cm) &&
                    fabs(now.direction_rad) <= PI + 1e-9 && isfinite(now.speed_cm_s);
        for (int i = 0; i < 4; i++) fine = fine && fabs((double)now.turns[i]) <= 1.0001;
        if (!fine) fail_msg("step %d", f);
    }
    marey_control_score score = marey_controller_score(c);
    assert_true(score.frames == all && score.total >= 0 && score.total <= 1);
}

TEST_OF(const bench *b, a_wish_that_is_not_finite_is_as_before)
{
    OWNED(marey_controller) *c = open_one(b, NULL), *d = open_one(b, NULL);
    for (int f = 0; f < 400; f++) {
        marey_control_input wish = wish_at(f, 150),
                            none = { f % 2 ? NAN : 1, f % 2 ? 50 : INFINITY };
        marey_controller_frame now, other;
        marey_controller_step(c, &wish, &now);
        marey_controller_step(d, f % 50 == 0 ? &wish : &none, &other);
        assert_int_equal(now.node, other.node);
        assert_true(now.x_cm == other.x_cm && now.z_cm == other.z_cm);
    }
}

TEST_OF(const bench *b, the_same_wishes_give_the_same_steps)
{
    OWNED(marey_controller) *c = open_one(b, NULL), *d = open_one(b, NULL);
    size_t joints = (size_t)marey_clip_skeleton(marey_graph_motion(b->graph))->joint_count;
    for (int f = 0; f < 2000; f++) {
        marey_control_input wish = wish_at(f, 150);
        marey_controller_frame now, again;
        marey_controller_step(c, &wish, &now);
        marey_controller_step(d, &wish, &again);
        assert_int_equal(now.node, again.node);
        assert_memory_equal(now.places, again.places, joints * 3 * sizeof(double));
        assert_memory_equal(now.turns, again.turns, joints * 4 * sizeof(float));
    }
}

TEST(a_core_without_a_way_on_stands)
{
    const hand_sequence way = { 5, 0, 90, 0 };
    OWNED(bench) b = bench_by_hand(&way, 1, NULL, 0);
    OWNED(marey_controller) *c = open_one(&b, NULL);
    for (int f = 0; f < 10; f++) {
        marey_controller_frame now;
        marey_controller_step(c, &(marey_control_input){ 1, 50 }, &now);
        test_near(now.x_cm, 0, 1e-9);
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

TEST_OF(const bench *b, what_cannot_be_is_refused)
{
    marey_controller *c = NULL;
    marey_error error;
    int outside = 0;
    while (outside < b->graph->nodes && marey_graph_node_of(b->graph, outside).begins) outside++;
    const marey_controller_def wrong[] = {
        { .from_given = true, .from = -1 },
        { .from_given = true, .from = b->graph->nodes },
        { .from_given = true, .from = outside },
        { .x_cm = NAN },
        { .z_cm = INFINITY },
        { .direction_rad = NAN },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(marey_controller_open(b->ctx, b->graph, b->policy, &wrong[i], &c, &error),
                         MAREY_ERR_REQUEST);
        assert_null(c);
    }
    OWNED(marey_graph) *other = hand_graph_crossing(b->ctx);
    assert_int_equal(marey_controller_open(b->ctx, other, b->policy, NULL, &c, &error),
                     MAREY_ERR_REQUEST);
    marey_controller_free(NULL);
}

TEST_OF(const bench *b, refused_memory_is_said_and_a_step_takes_none)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_controller) *tried = NULL;
        status = marey_controller_open(ctx, b->graph, b->policy, NULL, &tried, NULL);
        assert_true((tried == NULL) == (status != MAREY_OK));
    }
    OWNED(marey_controller) *c = NULL;
    assert_int_equal(marey_controller_open(ctx, b->graph, b->policy, NULL, &c, NULL), MAREY_OK);
    long calls = memory.calls;
    for (int f = 0; f < 1000; f++) {
        marey_control_input wish = wish_at(f, 150);
        marey_controller_frame now;
        marey_controller_step(c, &wish, &now);
    }
    assert_int_equal(memory.calls, calls);
    assert_true(marey_controller_score(c).transitions > 10);
}

TEST_GROUP_OF_CASES(test_controller, bench_open, bench_close)
