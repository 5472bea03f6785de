/* test_matching.c - motion matching: features against places reckoned by hand, the search against
   comparing all poses, and a controller that goes where inputs say, smoothly, and never fails. */
#include "control/matching_data.h"
#include "hand_graph.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DEG (PI / 180)

enum { TAKES = 4 };

/* Demo walks; the last is the first again, so that poses have twins. */
typedef struct bench {
    marey_ctx *ctx;
    marey_demo_take *takes[TAKES];
    marey_graph *graph;
    marey_matching *matching;
} bench;

static int bench_open(void **state)
{
    static const char *const names[TAKES] = { "walk_eight", "walk_straight", "walk_right",
                                              "walk_eight" };
    static bench b;
    const marey_clip *clips[TAKES];
    b.ctx = test_ctx();
    for (int i = 0; i < TAKES; i++) {
        b.takes[i] = test_demo_take(b.ctx, names[i]);
        clips[i] = marey_demo_clip(b.takes[i]);
    }
    marey_graph_def def = { .threshold = 10, .sigma = 30 };
    if (marey_graph_build(b.ctx, clips, TAKES, NULL, &def, &b.graph, NULL)) return 1;
    if (marey_matching_build(b.ctx, b.graph, NULL, &b.matching, NULL)) return 1;
    *state = &b;
    return 0;
}

static int bench_close(void **state)
{
    bench *b = *state;
    marey_matching_free(b->matching);
    marey_graph_free(b->graph);
    for (int i = 0; i < TAKES; i++) marey_demo_free(b->takes[i]);
    marey_ctx_close(b->ctx);
    return 0;
}

static marey_controller *open_one(const bench *b, const marey_controller_def *def)
{
    marey_controller *controller = NULL;
    test_ok(marey_controller_open_matching(b->ctx, b->matching, def, &controller, &test_error));
    return controller;
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 10;
}

/* A new input now and then. */
static marey_control_input input_at(int frame)
{
    uint32_t seed = (uint32_t)(frame / 50) * 7919u + 1;
    double direction = (draw(&seed) % 720) * DEG;
    return (marey_control_input){ direction, (draw(&seed) % 100) / 99.0 * 150 };
}

/* ---- features -------------------------------------------------------------------------------- */

/* A body without limbs that goes straight on, or on a circle: where it will be is known. */
TEST_CTX(the_path_is_where_the_body_will_be)
{
    const hand_sequence ways[] = { { 90, 40, 90, 0 }, { 90, -20, 60, 45 } };
    OWNED(marey_graph) *g = hand_graph_make(ctx, ways, 2, NULL, 0);
    OWNED(marey_matching) *m = NULL;
    test_ok(marey_matching_build(ctx, g, NULL, &m, &test_error));
    assert_int_equal(marey_matching_poses(m), 2 * (90 - 30));
    assert_true(m->scale[MAREY_MATCHING_FEET] == 0); /* it has none */
    for (int way = 0; way < 2; way++) {
        const float *row = m->features + (size_t)m->row[90 * way + 20] * MRY_MATCH_ROW;
        double radius = way ? 60 / (45 * DEG) : 0;
        for (int t = 1; t <= 3; t++) {
            double turned = way ? 15 * t * DEG : 0;
            double ahead = way ? radius * sin(turned) : 30.0 * t;
            double left = way ? radius * (1 - cos(turned)) : 0;
            const float *path = row + 13 + 2 * t, *facing = path + 6;
            double off = way ? 1 : 1e-2; /* steps are chords, and it faces along them */
            test_near((double)(path[0] / m->scale[MAREY_MATCHING_PATH]), ahead, off);
            test_near((double)(path[1] / m->scale[MAREY_MATCHING_PATH]), left, off);
            test_near((double)(facing[0] / m->scale[MAREY_MATCHING_FACING]), cos(turned), 1e-3);
            test_near((double)(facing[1] / m->scale[MAREY_MATCHING_FACING]), sin(turned), 1e-3);
        }
    }
    /* Who goes as the input says wants what it does. */
    float query[MRY_MATCH_ROW];
    mry_matching_query(m, 20, 40 * DEG, 90, query);
    test_near((double)mry_match_distance(query, m->features + m->row[20] * MRY_MATCH_ROW), 0, 1e-5);
}

TEST_OF(const bench *b, feet_are_seen_from_the_body)
{
    const marey_matching *m = b->matching;
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(b->graph));
    for (int n = 5; n < b->graph->originals; n += 97) {
        double places[3 * 64];
        const float *row = m->features + (size_t)m->row[n] * MRY_MATCH_ROW;
        const mry_stand *at = &m->stands[n];
        marey_clip_positions(b->graph->motion, n, 1, places);
        const double *foot = places + 3 * skeleton->roles[MAREY_ROLE_RIGHT_ANKLE];
        double far = hypot(foot[0] - (double)at->x, foot[2] - (double)at->z);
        double scale = (double)m->scale[MAREY_MATCHING_FEET];
        test_near(hypot((double)row[3], (double)row[4]) / scale, far, 1e-2);
        test_near((double)row[5] / scale, foot[1], 1e-2);
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

static int search_all(const marey_matching *m, const float *query, float limit, int low, int high)
{
    int found = -1;
    float best = limit;
    for (int n = 0; n < m->graph->originals; n++) {
        if (m->row[n] >= m->poses || (n >= low && n <= high)) continue;
        float off = mry_match_distance(query, m->features + (size_t)m->row[n] * MRY_MATCH_ROW);
        if (!(off < best)) continue;
        best = off;
        found = m->row[n];
    }
    return found;
}

TEST_OF(const bench *b, the_search_finds_what_comparing_all_does)
{
    const marey_matching *m = b->matching;
    uint32_t seed = 3;
    int64_t compared = 0, trials = test_trials(4000, 40000), none = 0;
    for (int i = 0; i < trials; i++) {
        float query[MRY_MATCH_ROW], limit = INFINITY;
        int node = (int)(draw(&seed) % (uint32_t)b->graph->originals), one, low = 1, high = 0;
        mry_matching_query(m, node, draw(&seed) % 628 * 0.01, draw(&seed) % 300, query);
        for (int k = 0; i % 3 == 0 && k < MRY_MATCH_ROW - 1; k++)
            query[k] += (float)(draw(&seed) % 1000) / 250 - 2;
        if (i % 2) limit = (float)(draw(&seed) % 400) / 100;
        if (i % 5 == 0) low = node - 100, high = node + 200;
        int found = mry_matching_search(m, query, limit, low, high, &one);
        assert_int_equal(found, search_all(m, query, limit, low, high));
        compared += one;
        none += found < 0;
    }
    /* Twins are all over it, and hardly anything else is looked at. */
    assert_true(none > 0 && none < trials / 2);
    assert_in_range(compared / trials, 1, m->poses / 10);
}

TEST_OF(const bench *b, of_equal_poses_the_first_is_found)
{
    const marey_matching *m = b->matching;
    int count = 0, compared;
    for (int r = 0; r < m->poses; r++) {
        const float *row = m->features + (size_t)r * MRY_MATCH_ROW;
        int found = mry_matching_search(m, row, INFINITY, 1, 0, &compared);
        assert_true(m->node[found] <= m->node[r]);
        assert_true(mry_match_distance(row, m->features + (size_t)found * MRY_MATCH_ROW) == 0);
        count += found != r;
    }
    assert_true(count > m->poses / 5); /* those that have a twin before them */
    assert_int_equal(
        mry_matching_search(m, m->features, INFINITY, 0, b->graph->originals, &compared), -1);
}

/* ---- the controller -------------------------------------------------------------------------- */

TEST_OF(const bench *b, it_goes_where_the_input_says)
{
    const double ways[4][2] = { { 1, 0 }, { 0, -1 }, { -1, 0 }, { 0, 1 } }; /* x, z */
    OWNED(marey_controller) *c = open_one(b, &(marey_controller_def){ .x_cm = 50, .z_cm = -20 });
    int answered = 0;
    for (int k = 0; k < 4; k++) {
        marey_controller_frame then = { 0 }, now = { 0 };
        for (int f = 0; f < 150; f++) {
            marey_controller_step(c, &(marey_control_input){ k * 90 * DEG, 120 }, &now);
            answered += now.response_s > 0;
            if (k == 0 && f == 0) test_near(now.x_cm, 50, 1e-6);
            if (f == 90) then = now;
        }
        double along = (now.x_cm - then.x_cm) * ways[k][0] + (now.z_cm - then.z_cm) * ways[k][1];
        double far = hypot(now.x_cm - then.x_cm, now.z_cm - then.z_cm);
        if (!(far > 100 && along > 0.9 * far)) fail_msg("%d: %.0f of %.0f cm", k, along, far);
    }
    marey_control_score score = marey_controller_score(c);
    assert_int_equal(score.turns, 3);
    assert_int_equal(answered, 3);
    assert_true(score.control > 0.4 && score.transition > 0.5 && score.transitions > 5);
    marey_controller_searches searches = marey_controller_searched(c);
    assert_in_range(searches.count, 200, 220); /* every third frame, and when the input changes */
    assert_true(searches.compared <= searches.most_compared);
}

/* Clips without a start to a side are no reason to stand, nor is standing one to jump. */
TEST_OF(const bench *b, it_stands_still_and_starts_to_any_side)
{
    for (int k = 0; k < 8; k++) {
        OWNED(marey_controller) *c = open_one(b, NULL);
        marey_controller_frame then = { 0 }, now = { 0 };
        for (int f = 0; f < 300; f++)
            marey_controller_step(c, &(marey_control_input){ 0, 0 }, &then);
        assert_true(marey_controller_score(c).transitions <= 20); /* in 10 s */
        for (int f = 0; f < 150; f++)
            marey_controller_step(c, &(marey_control_input){ k * 45 * DEG, 120 }, &now);
        double x = now.x_cm - then.x_cm, z = now.z_cm - then.z_cm;
        double along = x * cos(k * 45 * DEG) - z * sin(k * 45 * DEG);
        if (!(along > 150)) fail_msg("%d degrees: %.0f cm", 45 * k, along);
    }
}

/* The largest step of any joint from one frame to the next. */
static double step_of(const marey_skeleton *skeleton, const double *places, const float *turns,
                      double *last, bool any)
{
    double now[3 * 64], most = 0;
    marey_pose_positions(skeleton, places, turns, now);
    for (int k = 0; k < 3 * skeleton->joint_count && any; k += 3)
        most = fmax(most, mry_distance3(now + k, last + k));
    memcpy(last, now, (size_t)skeleton->joint_count * 3 * sizeof *now);
    return most;
}

TEST_OF(const bench *b, differences_decay_and_nothing_jumps)
{
    const marey_clip *motion = marey_graph_motion(b->graph);
    const marey_skeleton *skeleton = marey_clip_skeleton(motion);
    OWNED(marey_controller) *smooth = open_one(b, NULL),
                            *rough = open_one(b, &(marey_controller_def){ .rough = true });
    double last[2][3 * 64], most = 0, bare = 0, own = 0;
    int since = 0, same = 0;
    for (int f = 0; f < 4000; f++) {
        marey_control_input input = input_at(f);
        marey_controller_frame a, c;
        marey_controller_step(smooth, &input, &a);
        marey_controller_step(rough, &input, &c);
        assert_int_equal(a.node, c.node);
        since = a.transition ? 0 : since + 1;
        if (since > 30) { /* a second: eleven half-lives */
            same++;
            for (int j = 0; j < 4 * skeleton->joint_count; j++)
                test_near((double)a.turns[j], (double)c.turns[j], 0.01);
        }
        most = fmax(most, step_of(skeleton, a.places, a.turns, last[0], f > 0));
        bare = fmax(bare, step_of(skeleton, c.places, c.turns, last[1], f > 0));
    }
    for (int n = 0; n < b->graph->originals; n++) {
        double now[3 * 64];
        marey_clip_positions(motion, n, 1, now);
        for (int k = 0; k < 3 * skeleton->joint_count && b->graph->before[n] >= 0; k += 3)
            own = fmax(own, mry_distance3(now + k, last[0] + k));
        memcpy(last[0], now, sizeof now);
    }
    assert_true(same > 20);
    if (!(most <= 1.15 * own && bare > 1.05 * own))
        fail_msg("%.2f cm, the clips' %.2f, without decay %.2f", most, own, bare);
}

/* The clip of what was shown stands where it was shown. */
TEST_OF(const bench *b, what_was_shown_becomes_a_clip)
{
    enum { FRAMES = 600 };
    OWNED(marey_controller) *c = open_one(b, &(marey_controller_def){ .rough = true });
    static double shown[FRAMES][3];
    int nodes[FRAMES];
    marey_walk walk = { .count = FRAMES, .nodes = nodes };
    marey_placement places[FRAMES];
    marey_walk_make_def def = { .rough = true, .fps = b->graph->fps };
    marey_walk_made about;
    for (int f = 0; f < FRAMES; f++) {
        marey_control_input input = input_at(f);
        marey_controller_frame now;
        marey_controller_step(c, &input, &now);
        nodes[f] = now.node;
        memcpy(shown[f], now.places, sizeof shown[f]);
        places[f] = marey_controller_place(c);
    }
    marey_control_score score = marey_controller_score(c);
    for (int smooth = 0; smooth < 2; smooth++) {
        OWNED(marey_made) made = { 0 };
        def.rough = !smooth;
        test_ok(marey_matching_make(b->ctx, b->matching, &walk, places, &def, &made, &about,
                                    &test_error));
        assert_int_equal(marey_clip_frames(made.clip), FRAMES);
        assert_int_equal(about.transitions, score.transitions);
        test_near(about.mean_quality, score.transition, 1e-4);
        for (int f = 0; f < FRAMES && !smooth; f++)
            for (int k = 0; k < 3; k++)
                test_near(marey_clip_root(made.clip, f)[k], shown[f][k], 0.01);
        if (smooth) assert_true(about.jump_ratio < 1.2);
    }
    marey_made none = { 0 };
    int outside[2] = { 5, b->graph->nodes };
    walk = (marey_walk){ .count = 2, .nodes = outside };
    test_refused_about(
        marey_matching_make(b->ctx, b->matching, &walk, places, NULL, &none, NULL, &test_error),
        MAREY_ERR_REQUEST, "frame 1");
}

/* ---- it never fails -------------------------------------------------------------------------- */

TEST_OF(const bench *b, very_many_steps_stay_finite)
{
    OWNED(marey_controller) *c = open_one(b, NULL);
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, -50, 0, 1e-308 };
    marey_control_input input = { 0, 100 };
    uint32_t seed = 5;
    for (int f = 0; f < test_trials(40000, 400000); f++) {
        marey_controller_frame now;
        if (draw(&seed) % 20 == 0) {
            input.direction_rad = draw(&seed) % 4 ? draw(&seed) % 700 * 0.01 : odd[draw(&seed) % 8];
            input.speed_cm_s = draw(&seed) % 4 ? draw(&seed) % 300 : odd[draw(&seed) % 8];
        }
        marey_controller_step(c, &input, &now);
        bool fine = isfinite(now.x_cm) && isfinite(now.z_cm) && isfinite(now.speed_cm_s) &&
                    fabs(now.direction_rad) <= PI + 1e-9 && isfinite(now.response_s);
        for (int i = 0; i < 4 * b->graph->motion->skeleton.joint_count; i++)
            fine = fine && fabs((double)now.turns[i]) <= 1.0001;
        if (!fine) fail_msg("step %d", f);
    }
}

TEST_OF(const bench *b, an_input_that_is_not_finite_is_as_before)
{
    OWNED(marey_controller) *c = open_one(b, NULL), *d = open_one(b, NULL);
    for (int f = 0; f < 400; f++) {
        marey_control_input input = input_at(f), none = { f % 2 ? NAN : 1, f % 2 ? 50 : INFINITY };
        marey_controller_frame now, other;
        marey_controller_step(c, &input, &now);
        marey_controller_step(d, f % 50 == 0 ? &input : &none, &other);
        assert_int_equal(now.node, other.node);
        assert_true(now.x_cm == other.x_cm && now.z_cm == other.z_cm);
    }
}

TEST_CTX(what_is_too_short_or_wrong_is_refused)
{
    const hand_sequence ways[] = { { 31, 0, 90, 0 }, { 1, 0, 90, 0 }, { 20, 0, 90, 0 } };
    OWNED(marey_graph) *g = hand_graph_make(ctx, ways, 3, NULL, 0);
    OWNED(marey_graph) *shorter = hand_graph_make(ctx, ways + 1, 2, NULL, 0);
    marey_matching *none = NULL;
    test_refused_about(marey_matching_build(ctx, shorter, NULL, &none, &test_error),
                       MAREY_ERR_REQUEST, "longer than 1 s");
    const marey_matching_def wrong[] = { { .margin = NAN },          { .margin = 2 },
                                         { .search_s = -1 },         { .bend_s = 3 },
                                         { .fade_s = INFINITY },     { .weight = { 0, 101 } },
                                         { .weight = { [4] = NAN } } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(marey_matching_build(ctx, g, &wrong[i], &none, NULL), MAREY_ERR_REQUEST);
    assert_null(none);
    /* One pose is enough: at the end it begins again. */
    OWNED(marey_matching) *m = NULL;
    test_ok(marey_matching_build(ctx, g, NULL, &m, &test_error));
    assert_int_equal(marey_matching_poses(m), 1);
    for (int from = 0; from < 52; from++) {
        OWNED(marey_controller) *c = NULL;
        marey_controller_def def = { .from_given = true, .from = from };
        test_ok(marey_controller_open_matching(ctx, m, &def, &c, &test_error));
        for (int f = 0; f < 100; f++) {
            marey_controller_frame now;
            marey_controller_step(c, &(marey_control_input){ 1, 50 }, &now);
            assert_in_range(now.node, 0, 51);
            assert_true(isfinite(now.x_cm));
        }
    }
    marey_controller *not_one = NULL;
    for (int i = 0; i < 4; i++) {
        marey_controller_def def = { .from_given = i < 2, .from = i ? 52 : -1 };
        if (i == 2) def.x_cm = NAN;
        if (i == 3) def.direction_rad = INFINITY;
        assert_int_equal(marey_controller_open_matching(ctx, m, &def, &not_one, NULL),
                         MAREY_ERR_REQUEST);
    }
    marey_matching_free(NULL);
}

TEST_OF(const bench *b, refused_memory_is_said_and_a_step_takes_none)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_matching) *tried = NULL;
        status = marey_matching_build(ctx, b->graph, NULL, &tried, NULL);
        assert_true((tried == NULL) == (status != MAREY_OK));
    }
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(marey_controller) *tried = NULL;
        status = marey_controller_open_matching(ctx, b->matching, NULL, &tried, NULL);
        assert_true((tried == NULL) == (status != MAREY_OK));
    }
    OWNED(marey_controller) *c = NULL;
    test_ok(marey_controller_open_matching(ctx, b->matching, NULL, &c, NULL));
    long calls = memory.calls;
    int nodes[300];
    marey_placement places[300];
    for (int f = 0; f < 300; f++) {
        marey_control_input input = input_at(f);
        marey_controller_frame now;
        marey_controller_step(c, &input, &now);
        nodes[f] = now.node;
        places[f] = marey_controller_place(c);
    }
    assert_int_equal(memory.calls, calls);
    assert_true(marey_controller_score(c).transitions > 5);
    marey_walk walk = { .count = 300, .nodes = nodes };
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_made) made = { 0 };
        status = marey_matching_make(ctx, b->matching, &walk, places, NULL, &made, NULL, NULL);
    }
}

TEST(kinds_and_features_have_names)
{
    for (int i = 0; i < MAREY_CONTROLLER_KIND_COUNT; i++)
        assert_true(*marey_controller_kind_name(i) && *marey_controller_kind_about(i));
    for (int i = 0; i < MAREY_MATCHING_FEATURE_COUNT; i++)
        assert_true(*marey_matching_feature_name(i));
}

TEST_GROUP_OF_CASES(test_matching, bench_open, bench_close)
