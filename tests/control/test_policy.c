/* test_policy.c - policies: how nodes move, what is best where it is plain, value iteration against
   trying everything, and policies as bytes. */
#include "bytes_judge.h"
#include "control/control_data.h"
#include "hand_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DEG (PI / 180)

static marey_policy *train(marey_ctx *ctx, const marey_graph *graph, const marey_policy_def *def)
{
    marey_policy *policy = NULL;
    marey_error error;
    if (marey_policy_train(ctx, graph, def, &policy, &error)) fail_msg("%s", error.message);
    return policy;
}

/* ---- movement -------------------------------------------------------------------------------- */

TEST_CTX(a_node_moves_and_faces_as_its_sequence_does)
{
    const hand_sequence ways[] = { { 20, 30, 120, 0 }, { 60, -90, 60, 90 } };
    OWNED(marey_graph) *graph = hand_graph_make(ctx, ways, 2, NULL, 0);
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    const mry_move *moves = mry_moves_find(graph, &mem);
    assert_non_null(moves);
    for (int n = 0; n < 20; n++) {
        test_near(moves[n].x, 120 * cos(30 * DEG), 1e-2);
        test_near(moves[n].z, -120 * sin(30 * DEG), 1e-2);
        test_near(moves[n].facing, 30 * DEG, 1e-4);
    }
    /* Along an arc: the chord of a third of a second around the node. */
    for (int n = 30; n < 70; n++) {
        double along = -90 * DEG + 3 * DEG * (n - 20 + 0.5);
        double shorter = sin(15 * DEG) / (10 * sin(1.5 * DEG));
        test_near(moves[n].x, 60 * shorter * cos(along), 1e-2);
        test_near(moves[n].z, -60 * shorter * sin(along), 1e-2);
        test_near(remainder((double)moves[n].facing - (along - 1.5 * DEG), 2 * PI), 0, 1e-4);
    }
}

TEST_CTX(where_a_sequence_ends_the_closest_transition_goes_on)
{
    /* Single frames in a row: each moves only because the next is laid ahead of it. */
    const hand_sequence ways[] = { { 1, 0, 0, 0 }, { 1, 0, 0, 0 } };
    const hand_link links[] = { { 0, 1, 0, 0 }, { 1, 0, 0, 0 } };
    OWNED(marey_graph) *graph = hand_graph_make(ctx, ways, 2, links, 2);
    graph->places[0].x = graph->places[1].x = 3;
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    const mry_move *moves = mry_moves_find(graph, &mem);
    for (int n = 0; n < 2; n++) {
        test_near(moves[n].x, 90, 1e-3);
        test_near(moves[n].z, 0, 1e-3);
    }
}

TEST(following_is_one_less_the_error_over_the_wish)
{
    mry_move ahead = { .x = 100, .z = 0 };
    test_near(mry_move_follows(ahead, 0, 0, 100), 1, 1e-12);
    test_near(mry_move_follows(ahead, 0, 0, 200), 0.5, 1e-12);
    test_near(mry_move_follows(ahead, 0, 0, 80), 0.75, 1e-12);
    test_near(mry_move_follows(ahead, 0, 30 * DEG, 100), 1 - 2 * sin(15 * DEG), 1e-9);
    test_near(mry_move_follows(ahead, 0, 61 * DEG, 100), 0, 0);
    test_near(mry_move_follows(ahead, 70 * DEG, 70 * DEG, 100), 1, 1e-9);
    test_near(mry_move_follows((mry_move){ 0 }, 0, 1, 0), 1, 0);
    test_near(mry_move_follows((mry_move){ .x = 10 }, 0, 1, 0), 0.75, 1e-12);
    test_near(mry_move_follows(ahead, 0, 1, 0), 0, 0);
    /* z points to the bottom of the plan. */
    test_near(mry_move_follows((mry_move){ .z = 100 }, 0, -90 * DEG, 100), 1, 1e-9);
    for (int i = 0; i < 1000; i++) {
        mry_move any = { .x = (float)(i % 37 * 13 - 200), .z = (float)(i % 23 * 17 - 190) };
        double follow = mry_move_follows(any, i, 2 * i, i % 5 * 60);
        assert_true(follow >= 0 && follow <= 1);
    }
}

/* ---- what is best ---------------------------------------------------------------------------- */

TEST_CTX(at_a_crossing_the_policy_takes_the_way_that_was_wished)
{
    OWNED(marey_graph) *graph = hand_graph_crossing(ctx);
    const double walk[] = { 90 };
    OWNED(marey_policy) *policy =
        train(ctx, graph, &(marey_policy_def){ .speeds = walk, .speed_count = 1, .poor = 0.1 });
    for (int deg = -35; deg <= 35; deg += 5) {
        assert_int_equal(mry_policy_choose(policy, 9, deg * DEG, 90), 0);
        assert_int_equal(mry_policy_choose(policy, 9, (deg + 90) * DEG, 90), 1);
        assert_int_equal(mry_policy_choose(policy, 9, (deg - 90 + 720) * DEG, 90), 2);
    }
    /* Elsewhere there is one way only, and between, it goes on. */
    assert_int_equal(mry_policy_choose(policy, 4, 2, 90), -1);
    assert_int_equal(mry_policy_choose(policy, 19, 2, 90), 3);
    assert_int_equal(policy->rows, 1);
    /* A transition that costs more than it brings is never taken. */
    OWNED(marey_policy) *dear =
        train(ctx, graph, &(marey_policy_def){ .speeds = walk, .speed_count = 1, .poor = 100 });
    for (int deg = 0; deg < 360; deg += 15)
        assert_int_equal(mry_policy_choose(dear, 9, deg * DEG, 90), 0);
}

TEST_CTX(a_poor_reward_now_is_taken_for_a_good_one_later)
{
    /* From the loop 0 .. 9 (east) a detour 10 .. 19 (west) leads to the loop 20 .. 29 (north), and
       back. */
    const hand_sequence ways[] = { { 10, 0, 90, 0 }, { 10, 180, 90, 0 }, { 10, 90, 90, 0 } };
    const hand_link links[] = { { 9, 0, 0, 0 },   { 9, 10, 0, 0 },  { 19, 0, 0, 0 },
                                { 19, 20, 0, 0 }, { 29, 10, 0, 0 }, { 29, 20, 0, 0 } };
    OWNED(marey_graph) *graph = hand_graph_make(ctx, ways, 3, links, 6);
    const double walk[] = { 90 };
    OWNED(marey_policy) *policy =
        train(ctx, graph, &(marey_policy_def){ .speeds = walk, .speed_count = 1 });
    assert_int_equal(mry_policy_choose(policy, 9, 90 * DEG, 90), 1);  /* west, to come north */
    assert_int_equal(mry_policy_choose(policy, 19, 90 * DEG, 90), 3); /* north */
    assert_int_equal(mry_policy_choose(policy, 29, 90 * DEG, 90), 5); /* and on */
    assert_int_equal(mry_policy_choose(policy, 29, 0, 90), 4);        /* west, to come east */
    assert_int_equal(mry_policy_choose(policy, 19, 0, 90), 2);
    /* Without looking ahead, what is near is taken. */
    OWNED(marey_policy) *near = train(
        ctx, graph, &(marey_policy_def){ .speeds = walk, .speed_count = 1, .discount = 1e-9 });
    assert_int_equal(mry_policy_choose(near, 9, 150 * DEG, 90), 1); /* west */
}

TEST_CTX(the_nearest_speed_is_looked_up)
{
    const hand_sequence ways[] = { { 10, 0, 0, 0 }, { 10, 0, 60, 0 }, { 10, 0, 200, 0 } };
    hand_link links[9];
    for (int i = 0; i < 9; i++) links[i] = (hand_link){ i / 3 * 10 + 9, i % 3 * 10, 0, 0 };
    OWNED(marey_graph) *graph = hand_graph_make(ctx, ways, 3, links, 9);
    const double speeds[] = { 0, 60, 200 };
    OWNED(marey_policy) *policy =
        train(ctx, graph, &(marey_policy_def){ .speeds = speeds, .speed_count = 3 });
    const double wished[] = { 0, 29, 31, 129, 131, 1e308 }; /* two nearest to each */
    for (int i = 0; i < 18; i++)
        assert_int_equal(mry_policy_choose(policy, 10 * (i / 6) + 9, 0, wished[i % 6]),
                         3 * (i / 6) + i % 6 / 2);
    /* By default: standing and what the motions do. */
    OWNED(marey_policy) *usual = train(ctx, graph, NULL);
    const marey_policy_def *def = marey_policy_settings(usual);
    assert_int_equal(def->directions, 24);
    assert_true(def->speed_count >= 3 && def->speeds[0] == 0);
    assert_true(def->speeds[1] >= 20 && def->speeds[def->speed_count - 1] <= 210);
    assert_true(marey_policy_rounds(usual) > 1);
    assert_true(marey_policy_bytes(usual) < 4000);
}

/* Of people who all walk alike: not three times the same. What is between walking and standing is
   one if a clip stands. */
TEST_CTX(default_speeds_are_well_apart)
{
    static const double fastest[][3] = {
        { 0, 110, 115 }, { 110, 113, 115 }, { 60, 110, 300 }, { 60, 62, 300 }
    };
    static const int expected[] = { 3, 2, 4, 3 };
    for (int k = 0; k < 4; k++) {
        hand_sequence ways[3];
        hand_link links[9];
        for (int i = 0; i < 3; i++) ways[i] = (hand_sequence){ 30, 0, fastest[k][i], 0 };
        for (int i = 0; i < 9; i++) links[i] = (hand_link){ i / 3 * 30 + 29, i % 3 * 30, 0, 0 };
        OWNED(marey_graph) *graph = hand_graph_make(ctx, ways, 3, links, 9);
        OWNED(marey_policy) *policy = train(ctx, graph, NULL);
        const marey_policy_def *def = marey_policy_settings(policy);
        assert_int_equal(def->speed_count, expected[k]);
        assert_true(def->speeds[0] == 0);
        double most = def->speeds[expected[k] - 1];
        assert_true(most > 0.9 * fastest[k][2] && most < 1.05 * fastest[k][2]);
        for (int i = 1; i < expected[k]; i++)
            assert_true(def->speeds[i] - def->speeds[i - 1] > 0.15 * most);
    }
}

enum { DIRECTIONS = 8, DEPTH = 13 };

static double reward(const marey_graph *g, const marey_policy *p, int node, int bin, double speed)
{
    return mry_move_follows(p->moves[node], 0, bin * 2 * PI / DIRECTIONS, speed) / g->fps;
}

static int bins_turned(const marey_graph *g, int link)
{
    return (int)lround(g->places[link].angle / (2 * PI / DIRECTIONS));
}

/* The most that can be had in so many frames, by trying every way; so many of them are stayed in the
   piece. */
static double search(const marey_graph *g, const marey_policy *p, int node, int stay, int bin,
                     double speed, double discount, int depth)
{
    double best = -INFINITY;
    int next = g->next[node], behind = g->dwell.least > 0 ? g->dwell.least - 1 : 0;
    if (depth == 0) return 0;
    if (next >= 0 && (stay > 0 || g->dwell.free[next]))
        best = search(g, p, next, stay > 0 ? stay - 1 : 0, bin, speed, discount, depth - 1);
    for (int i = g->leaving[node]; stay == 0 && i < g->leaving[node + 1]; i++) {
        if (g->dwell.lands[i] < 0) continue;
        int there = (bin - bins_turned(g, i) + 2 * DIRECTIONS) % DIRECTIONS;
        double lost = p->def.poor * (1 - exp(-(double)g->transitions[i].distance / g->def.sigma));
        double worth =
            search(g, p, g->transitions[i].to, behind, there, speed, discount, depth - 1) - lost;
        best = fmax(best, worth);
    }
    return reward(g, p, node, bin, speed) + discount * best;
}

/* What the policy gets. */
static double roll(const marey_graph *g, const marey_policy *p, int node, int bin, double speed,
                   double discount, int depth)
{
    double sum = 0, share = 1;
    for (int k = 0, stay = 0; k < depth; k++) {
        sum += share * reward(g, p, node, bin, speed);
        share *= discount;
        int option = stay > 0 ? -1 : mry_policy_choose(p, node, bin * 2 * PI / DIRECTIONS, speed);
        stay = stay > 0 ? stay - 1 : 0;
        if (option >= 0) {
            double distance = (double)g->transitions[option].distance;
            sum -= share * p->def.poor * (1 - exp(-distance / g->def.sigma));
            bin = (bin - bins_turned(g, option) + 2 * DIRECTIONS) % DIRECTIONS;
            stay = g->dwell.least > 0 ? g->dwell.least - 1 : 0;
        }
        node = option < 0 ? g->next[node] : g->transitions[option].to;
    }
    return sum;
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 10;
}

/* Four sequences of five frames; the last of each leads somewhere, and some others do. */
static marey_graph *random_graph(marey_ctx *ctx, uint32_t seed)
{
    hand_sequence ways[4];
    hand_link links[40];
    int count = 0;
    for (int i = 0; i < 4; i++)
        ways[i] = (hand_sequence){ 5, draw(&seed) % 360, draw(&seed) % 3 * 60, 0 };
    for (int from = 0; from < 20; from++) {
        if (from % 5 != 4 && draw(&seed) % 3 != 0) continue;
        int first = (int)(draw(&seed) % 10), second = first + 1 + (int)(draw(&seed) % 9);
        for (int k = 0; k < 2; k++) {
            double turn = 45.0 * ((int)(draw(&seed) % DIRECTIONS) - 3);
            links[count++] = (hand_link){ from, k ? second : first, turn, draw(&seed) % 4 };
        }
    }
    return hand_graph_make(ctx, ways, 4, links, count);
}

TEST_CTX(value_iteration_finds_what_trying_everything_finds)
{
    const double speeds[] = { 0, 60, 120 };
    int tried = 0, better_than_on = 0, seeds = test_trials(12, 12);
    for (uint32_t seed = 1; (int)seed <= seeds; seed++) {
        OWNED(marey_graph) *g = random_graph(ctx, seed);
        memset(g->half, 0, (size_t)g->transition_count);
        test_ok(
            mry_dwell_find(g, &g->mem, (int)seed % 3, INFINITY, NULL, NULL, 0, &g->dwell, NULL));
        OWNED(marey_policy) *p = train(ctx, g,
                                       &(marey_policy_def){ .directions = DIRECTIONS,
                                                            .speeds = speeds,
                                                            .speed_count = 3,
                                                            .discount = 1e-8,
                                                            .poor = 0.05,
                                                            .close = 1e-7 });
        double discount = pow(1e-8, 1 / g->fps), rest = pow(discount, DEPTH) / g->fps * 3;
        for (int node = 0; node < g->nodes; node++) {
            if (p->row[node] < 0) continue;
            for (int state_of = 0; state_of < 3 * DIRECTIONS; state_of++) {
                int bin = state_of % DIRECTIONS;
                double speed = speeds[state_of / DIRECTIONS];
                double most = search(g, p, node, 0, bin, speed, discount, DEPTH);
                double got = roll(g, p, node, bin, speed, discount, DEPTH);
                assert_true(got <= most + 1e-6);
                assert_true(got >= most - rest - 1e-5);
                int option = mry_policy_choose(p, node, bin * 2 * PI / DIRECTIONS, speed);
                better_than_on += option != p->option[p->option_first[node]];
                tried++;
            }
        }
    }
    assert_true(tried > 80 * seeds && better_than_on > 16 * seeds);
}

/* ---- many ways, none at all ------------------------------------------------------------------ */

TEST_CTX(of_very_many_ways_the_closest_are_weighed)
{
    enum { MANY = 400 };
    hand_sequence ways[MANY + 1];
    FREED hand_link *links = malloc((2 * MANY + 1) * sizeof *links);
    assert_non_null(links);
    ways[0] = (hand_sequence){ 2, 0, 90, 0 };
    for (int i = 0; i < MANY; i++) {
        ways[i + 1] = (hand_sequence){ 1, 0, 0, 0 };
        links[i] = (hand_link){ 1, i + 2, 0, i % 2 ? 1 + i : i / 1000.0 };
        links[MANY + i] = (hand_link){ i + 2, 0, 0, 0 };
    }
    OWNED(marey_graph) *g = hand_graph_make(ctx, ways, MANY + 1, links, 2 * MANY);
    OWNED(marey_policy) *p = train(ctx, g, NULL);
    int first = p->option_first[1], last = p->option_first[2], close = 0;
    assert_int_equal(last - first, MRY_POLICY_MOST_OPTIONS - 1);
    for (int i = first; i < last; i++) close += p->option[i] % 2 == 0;
    assert_int_equal(close, MANY / 2);
}

TEST_CTX(a_graph_without_choices_has_a_policy_too)
{
    const hand_sequence way = { 5, 0, 90, 0 };
    const hand_link round = { 4, 0, 0, 0 };
    OWNED(marey_graph) *loop = hand_graph_make(ctx, &way, 1, &round, 1);
    OWNED(marey_graph) *line = hand_graph_make(ctx, &way, 1, NULL, 0);
    OWNED(marey_policy) *p = train(ctx, loop, NULL);
    assert_int_equal(p->rows, 0);
    assert_int_equal(mry_policy_choose(p, 4, 1, 1), 0);
    assert_int_equal(mry_policy_choose(p, 3, 1, 1), -1);
    marey_policy_free(p);
    p = train(ctx, line, NULL); /* its core is one frame */
    assert_int_equal(mry_policy_choose(p, 0, 1, 1), -2);
}

/* ---- refused --------------------------------------------------------------------------------- */

TEST_CTX(what_cannot_be_is_refused)
{
    OWNED(marey_graph) *g = hand_graph_crossing(ctx);
    const double falling[] = { 60, 30 }, negative[] = { -1, 3 }, none[] = { NAN };
    const marey_policy_def wrong[] = {
        { .directions = 7 },
        { .directions = 65 },
        { .directions = -3 },
        { .speeds = falling, .speed_count = 2 },
        { .speeds = negative, .speed_count = 2 },
        { .speeds = none, .speed_count = 1 },
        { .speeds = falling, .speed_count = 9 },
        { .speeds = falling, .speed_count = -1 },
        { .discount = 1 },
        { .discount = -0.5 },
        { .discount = NAN },
        { .poor = -1 },
        { .poor = NAN },
        { .close = -1 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_policy *p = NULL;
        marey_error error = { 0 };
        assert_int_equal(marey_policy_train(ctx, g, &wrong[i], &p, &error), MAREY_ERR_REQUEST);
        assert_null(p);
        assert_true(error.message[0] != 0);
    }
    marey_ctx_cancel(ctx);
    marey_policy *p = NULL;
    assert_int_equal(marey_policy_train(ctx, g, NULL, &p, NULL), MAREY_ERR_CANCELLED);
    assert_null(p);
    marey_ctx_resume(ctx);
    marey_policy_free(NULL);
}

TEST(refused_memory_is_said_and_nothing_leaks)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_graph) *g = hand_graph_crossing(ctx);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        OWNED(marey_policy) *policy = NULL, *again = NULL;
        OWNED(judge_bytes) bytes = { .ctx = ctx };
        status = marey_policy_train(ctx, g, NULL, &policy, NULL);
        if (!status) status = marey_policy_write(policy, &bytes.at, &bytes.size, NULL);
        if (!status) status = marey_policy_read(ctx, bytes.at, bytes.size, g, &again, NULL);
    }
    assert_true(sweep.at > 5);
}

/* ---- as bytes -------------------------------------------------------------------------------- */

static judge_bytes write(marey_ctx *ctx, const marey_policy *policy)
{
    judge_bytes bytes = { .ctx = ctx };
    assert_int_equal(marey_policy_write(policy, &bytes.at, &bytes.size, NULL), MAREY_OK);
    return bytes;
}

TEST(a_policy_is_the_same_for_any_number_of_threads_and_as_bytes)
{
    OWNED(marey_ctx) *ctx = test_ctx(), *threads = NULL;
    assert_int_equal(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &threads), MAREY_OK);
    OWNED(marey_graph) *g = random_graph(ctx, 3), *same = random_graph(threads, 3);
    OWNED(marey_policy) *one = train(ctx, g, NULL), *four = train(threads, same, NULL);
    OWNED(judge_bytes) bytes = write(ctx, one), again = write(threads, four);
    judge_same_bytes(&bytes, &again);
    OWNED(marey_policy) *read = NULL;
    assert_int_equal(marey_policy_read(threads, bytes.at, bytes.size, same, &read, NULL), MAREY_OK);
    assert_int_equal(marey_policy_rounds(read), marey_policy_rounds(one));
    assert_int_equal(marey_policy_bytes(read), marey_policy_bytes(one));
    for (int n = 0; n < g->nodes; n++) {
        for (int k = 0; k < 100 && g->dwell.free[n]; k++)
            assert_int_equal(mry_policy_choose(read, n, k, k * 2),
                             mry_policy_choose(one, n, k, k * 2));
    }
    OWNED(judge_bytes) third = write(threads, read);
    judge_same_bytes(&bytes, &third);
}

enum { VERSION = 2 };

/* Another number that may be makes a policy that can be asked. */
static marey_status read_and_ask(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    const marey_graph *g = user;
    OWNED(marey_policy) *read = NULL;
    marey_status status = marey_policy_read(g->ctx, bytes, size, g, &read, error);
    for (int n = 0; read && n < g->nodes; n++) {
        int option = g->dwell.free[n] ? mry_policy_choose(read, n, 1, 60) : 0;
        assert_true(option >= -1 && option < g->transition_count);
    }
    return status;
}

TEST_CTX(damaged_bytes_and_other_graphs_are_refused)
{
    OWNED(marey_graph) *g = random_graph(ctx, 5), *other = random_graph(ctx, 6);
    OWNED(marey_policy) *policy = train(ctx, g, NULL);
    OWNED(judge_bytes) bytes = write(ctx, policy);
    marey_policy *read = NULL;
    assert_int_equal(marey_policy_read(ctx, bytes.at, bytes.size, other, &read, NULL),
                     MAREY_ERR_INPUT);
    g->transitions[0].distance += 0.5f;
    assert_int_equal(marey_policy_read(ctx, bytes.at, bytes.size, g, &read, NULL), MAREY_ERR_INPUT);
    g->transitions[0].distance -= 0.5f;
    judge_damaged_bytes(bytes.at, bytes.size, VERSION, 200, read_and_ask, g);
}

/* Where things lie in the bytes: letters, version, nodes, transitions, their hash, then settings. */
TEST_CTX(settings_that_cannot_be_are_refused)
{
    enum { NODES_AT = 5, WIDTH = 8 };
    OWNED(marey_graph) *g = random_graph(ctx, 5);
    OWNED(marey_policy) *policy = train(ctx, g, NULL);
    OWNED(judge_bytes) bytes = write(ctx, policy);
    size_t speeds = (size_t)policy->def.speed_count;
    uint8_t *first = memmem(bytes.at, bytes.size, &policy->def.speeds[0], WIDTH);
    assert_non_null(first);
    static const double odd[] = { NAN, INFINITY, -1, 1e300, 2 };
    FREED uint8_t *copy = malloc(bytes.size + 1);
    for (size_t field = 0; field < speeds + 3; field++) { /* discount, poor and close, too */
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            marey_error error = { 0 };
            memcpy(copy, bytes.at, bytes.size);
            memcpy(copy + (first - bytes.at) + field * WIDTH, &odd[i], WIDTH);
            judge_put_sum(copy, bytes.size, VERSION);
            marey_status status = read_and_ask(g, copy, bytes.size, &error);
            if (i < 2) assert_int_equal(status, MAREY_ERR_INPUT);
            if (status) assert_string_equal(error.message, "the saved policy is damaged");
        }
    }
    /* Of another graph that has as many nodes, or as many transitions. */
    for (int i = 0; i < 3; i++) {
        marey_error error = { 0 };
        memcpy(copy, bytes.at, bytes.size);
        copy[NODES_AT + i] ^= 2; /* numbers are kept with their sign in the lowest bit */
        judge_put_sum(copy, bytes.size, VERSION);
        assert_int_equal(read_and_ask(g, copy, bytes.size, &error), MAREY_ERR_INPUT);
        assert_string_equal(error.message, "the saved policy is for another graph: train it again");
    }
    /* A choice more than there are states. */
    memcpy(copy, bytes.at, bytes.size - JUDGE_SUM_BYTES);
    judge_put_sum(copy, bytes.size + 1, VERSION);
    assert_int_equal(read_and_ask(g, copy, bytes.size + 1, NULL), MAREY_ERR_INPUT);
}

/* The last way on from a node is taken; the one behind it, which is the next node's, is not. */
TEST_CTX(a_choice_behind_the_last_is_refused)
{
    OWNED(marey_graph) *g = random_graph(ctx, 5);
    OWNED(marey_policy) *policy = train(ctx, g, NULL);
    size_t each = (size_t)policy->def.speed_count * (size_t)policy->def.directions;
    int tried = 0;
    for (int n = 0; n < g->nodes; n++) {
        if (policy->row[n] < 0) continue;
        int options = policy->option_first[n + 1] - policy->option_first[n];
        for (int behind = 0; behind < 2; behind++) {
            uint8_t *choice = policy->choice + (size_t)policy->row[n] * each + each - 1;
            uint8_t kept = *choice, *bytes;
            size_t size;
            OWNED(marey_policy) *read = NULL;
            *choice = (uint8_t)(options - 1 + behind);
            assert_int_equal(marey_policy_write(policy, &bytes, &size, NULL), MAREY_OK);
            assert_int_equal(marey_policy_read(ctx, bytes, size, g, &read, NULL),
                             behind ? MAREY_ERR_INPUT : MAREY_OK);
            marey_graph_bytes_free(ctx, bytes, size);
            *choice = kept;
        }
        tried++;
    }
    assert_true(tried > 0);
}

TEST_CTX(another_version_is_distinguished_from_damage)
{
    OWNED(marey_graph) *g = random_graph(ctx, 5);
    OWNED(marey_policy) *policy = train(ctx, g, NULL);
    marey_policy *read = NULL;
    marey_error error;
    OWNED(judge_bytes) bytes = write(ctx, policy);
    bytes.at[4] += 2; /* numbers are kept with their sign in the lowest bit */
    assert_int_equal(marey_policy_read(ctx, bytes.at, bytes.size, g, &read, &error),
                     MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "damaged"));
    judge_put_sum(bytes.at, bytes.size, VERSION + 1);
    assert_int_equal(marey_policy_read(ctx, bytes.at, bytes.size, g, &read, &error),
                     MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "train it again"));
}

TEST_GROUP_OF_CASES(test_policy, NULL, NULL)
