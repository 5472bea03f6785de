/* test_graph_bytes.c - motion graphs as bytes: the same graph comes back, other clips and damaged
   bytes are refused. */
#include "bytes_judge.h"
#include "graph_judge.h"

#include "math/turn.h"
#include "metric_clips.h"

#include <math.h>
#include <string.h>

enum { VERSION = 3 };

static const marey_behaviour doing[] = { { 0, 0, 50, "walk", false },
                                         { 1, 10, 40, "bend", false } };
static const double weights[] = { 0.25, 0.5, 1 - 1e-12 };

static const marey_graph_def defs[] = {
    { .threshold = 0 },
    { .threshold = 25, .behaviours = doing, .behaviour_count = 2, .fps = 25, .smoothness = -1 },
    { .kind = MAREY_GRAPH_CONNECTED, .behaviours = doing, .behaviour_count = 2 },
    { .kind = MAREY_GRAPH_CONNECTED, .threshold = 2, .unreduced = true, .dwell_s = 0.1 },
    { .kind = MAREY_GRAPH_CONNECTED,
      .threshold = 12,
      .weights = weights,
      .weight_count = 3,
      .suboptimality = 3,
      .spread_s = 0.3,
      .sigma = 7,
      .jump = 2,
      .smoothness = 1 },
    { .kind = MAREY_GRAPH_CONNECTED,
      .threshold = 10,
      .unreduced = true,
      .smooth = true,
      .dwell_s = -1 },
};
enum { DEFS = sizeof defs / sizeof *defs };

static marey_status read_back(graph_rig *rig, const uint8_t *bytes, size_t size, marey_graph **out)
{
    marey_error error = { 0 };
    marey_status status =
        marey_graph_read(rig->ctx, bytes, size, rig->clips, rig->count, NULL, out, &error);
    if (status) assert_true(error.message[0] != 0 && error.status == status);
    return status;
}

TEST_RIG_SMALL(the_same_graph_comes_back)
{
    for (int i = 0; i < DEFS; i++) {
        OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[i]), *again = NULL;
        OWNED(judge_bytes) bytes = { .ctx = rig->ctx }, other = { .ctx = rig->ctx };
        assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
        assert_int_equal(read_back(rig, bytes.at, bytes.size, &again), MAREY_OK);
        judge_same_graphs(graph, again);
        judge_is_sound(again);
        marey_graph_stats a = graph_rig_measure(rig, graph), b = graph_rig_measure(rig, again);
        assert_true(a.nodes_before == b.nodes_before && a.edges_before == b.edges_before);
        assert_true(a.connectivity_percent == b.connectivity_percent && a.bytes == b.bytes);
        assert_int_equal(marey_graph_write(again, &other.at, &other.size, NULL), MAREY_OK);
        judge_same_bytes(&bytes, &other);
    }
    marey_graph_bytes_free(rig->ctx, NULL, 0);
}

TEST_RIG_SMALL(a_metric_of_ones_own_comes_back)
{
    marey_joint_weights own;
    assert_int_equal(marey_joint_weights_parse("hips=1,knee=0.25", &own, NULL), MAREY_OK);
    const marey_metric_def metrics[] = {
        { .joints = &own, .window = 7, .tapered = true },
        { .metric = marey_metric_named("angles"),
          .attributes_given = true,
          .attributes = { 1, 2, 0.5 },
          .fixed_root = true },
        { .metric = marey_metric_named("positions"), .common_size = true },
    };
    for (int i = 0; i < 3; i++) {
        marey_graph_def def = { .threshold = 3, .metric = &metrics[i] };
        OWNED(marey_graph) *graph = graph_rig_build(rig, &def), *again = NULL;
        OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
        assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
        assert_int_equal(read_back(rig, bytes.at, bytes.size, &again), MAREY_OK);
        judge_same_graphs(graph, again);
        const marey_metric_def *a = marey_graph_settings(graph)->metric;
        const marey_metric_def *b = marey_graph_settings(again)->metric;
        assert_int_equal(a->attributes_given, b->attributes_given);
        assert_int_equal(a->fixed_root, b->fixed_root);
        assert_memory_equal(a->attributes, b->attributes, sizeof a->attributes);
    }
}

TEST_RIG_SMALL(other_clips_are_refused)
{
    OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[1]);
    marey_graph *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
    for (int kind = 0; kind < 5; kind++) {
        OWNED(graph_rig) *other = graph_rig_open(1);
        graph_rig_add(other, kind == 0 ? "walk_slow" : "walk_left", 0, 60, 110);
        if (kind != 1) graph_rig_add(other, "walk_right", 0, 60, kind == 2 ? 106 : 105);
        if (kind == 3) graph_rig_add(other, "walk_right", 0, 60, 105);
        if (kind == 4) { /* in another order; of one length */
            const marey_clip *first = other->clips[0];
            other->clips[0] = other->clips[1];
            other->clips[1] = first;
        }
        assert_int_equal(read_back(other, bytes.at, bytes.size, &again), MAREY_ERR_INPUT);
    }
    OWNED(graph_rig) *other = graph_rig_open(1);
    assert_int_equal(read_back(other, bytes.at, bytes.size, &again), MAREY_ERR_INPUT); /* none */
    graph_rig_add(other, "walk_left", 0, 60, 110);
    graph_rig_add(other, "walk_right", 0, 60, 105);
    assert_int_equal(read_back(other, bytes.at, bytes.size, &again),
                     MAREY_OK); /* the same, read again */
    marey_graph_free(again);
    assert_int_equal(read_back(rig, bytes.at, 0, &again), MAREY_ERR_INPUT);
}

/* Whatever can be read can be used. */
static marey_status read_and_use(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    graph_rig *rig = user;
    OWNED(marey_graph) *again = NULL;
    marey_status status =
        marey_graph_read(rig->ctx, bytes, size, rig->clips, rig->count, NULL, &again, error);
    if (status) assert_null(again);
    if (status) return status;
    marey_graph_stats row;
    OWNED(judge_bytes) more = { .ctx = rig->ctx };
    assert_int_equal(marey_graph_measure(rig->ctx, again, &row, NULL), MAREY_OK);
    assert_int_equal(marey_graph_write(again, &more.at, &more.size, NULL), MAREY_OK);
    int count;
    const marey_graph_transition *all = marey_graph_transitions(again, &count);
    for (int i = 0; i < count; i++) {
        assert_true(all[i].from >= 0 && all[i].from < marey_graph_nodes(again));
        assert_true(all[i].to >= 0 && all[i].to < marey_graph_nodes(again));
    }
    return status;
}

TEST_RIG_SMALL(damaged_bytes_are_refused_or_harmless)
{
    for (int i = 1; i < 3; i++) {
        marey_graph_def def = defs[i];
        def.fps = 8; /* few nodes: few bytes */
        OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
        OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
        assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
        long live = rig->memory.live;
        judge_damaged_bytes(bytes.at, bytes.size, VERSION, bytes.size > 3000 ? 1500 : bytes.size,
                            read_and_use, rig);
        assert_int_equal(rig->memory.live, live);
        assert_true(marey_ctx_bytes_peak(rig->ctx) < 16 << 20); /* counts are not believed */
    }
}

/* A pose between two clips is kept as it is. */
TEST_RIG_SMALL(kept_rotations_of_another_length_are_refused)
{
    static const float scales[] = { 1, -1, 1.01f, 0.99f, 0, 100 };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[5]);
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
    assert_true(graph->nodes > graph->originals);
    const float *turn = mry_turn(graph->motion, graph->nodes - 1);
    uint8_t *at = memmem(bytes.at, bytes.size, turn, 4 * sizeof *turn);
    assert_non_null(at);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        float scaled[4];
        for (int k = 0; k < 4; k++) scaled[k] = turn[k] * scales[i];
        memcpy(at, scaled, sizeof scaled);
        judge_put_sum(bytes.at, bytes.size, VERSION);
        marey_error error;
        assert_int_equal(read_and_use(rig, bytes.at, bytes.size, &error),
                         fabsf(scales[i]) == 1 ? MAREY_OK : MAREY_ERR_INPUT);
    }
}

/* Bytes at `at` are others, and the sum is right. */
static marey_status read_forged(graph_rig *rig, const judge_bytes *bytes, const uint8_t *at,
                                const void *value, size_t count)
{
    FREED uint8_t *copy = malloc(bytes->size);
    marey_error error = { 0 };
    memcpy(copy, bytes->at, bytes->size);
    memcpy(copy + (at - bytes->at), value, count);
    judge_put_sum(copy, bytes->size, VERSION);
    marey_status status = read_and_use(rig, copy, bytes->size, &error);
    if (status) assert_non_null(strstr(error.message, "the saved motion graph is damaged"));
    return status;
}

/* What stands in front of an interpolated node's rotations: see graph_bytes.c. */
TEST_RIG_SMALL(numbers_of_interpolated_nodes_are_checked)
{
    OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[5]);
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
    const float *turn = mry_turn(graph->motion, graph->nodes - 1);
    uint8_t *turns = memmem(bytes.at, bytes.size, turn, 4 * sizeof *turn);
    assert_non_null(turns);
    uint8_t *places = turns - 24 * graph->motion->mover_count, *follows = places - 1;
    uint8_t *other_frame = follows - 8, *frame = other_frame - 8, *weight = frame - 8 + 4;
    uint8_t *other = weight - 1, *clip = other - 1;
    assert_memory_equal(frame, &graph->origin[graph->nodes - 1].frame, 8);
    assert_memory_equal(weight, &graph->origin[graph->nodes - 1].weight, 4);
    static const double frames[] = { -1, 1e6, NAN, 0 }, far[] = { 2e9, -2e9, INFINITY, 5 };
    static const float weights_of[] = { -0.5f, 1.5f, NAN, 0.5f };
    static const uint8_t clips[] = { 4, 1, 0xff, 0 }, ahead[] = { 2, 4, 1, 0 }; /* the last fits */
    for (int i = 0; i < 4; i++) {
        marey_status wanted = i < 3 ? MAREY_ERR_INPUT : MAREY_OK;
        assert_int_equal(read_forged(rig, &bytes, frame, &frames[i], 8), wanted);
        assert_int_equal(read_forged(rig, &bytes, other_frame, &frames[i], 8), wanted);
        assert_int_equal(read_forged(rig, &bytes, weight, &weights_of[i], 4), wanted);
        assert_int_equal(read_forged(rig, &bytes, places, &far[i], 8), wanted);
        assert_int_equal(read_forged(rig, &bytes, other, &clips[i], 1), wanted);
        assert_int_equal(read_forged(rig, &bytes, clip, &clips[i], 1), wanted);
        assert_int_equal(read_forged(rig, &bytes, follows, &ahead[i], 1), wanted);
        assert_int_equal(read_forged(rig, &bytes, turns, &(float){ weights_of[i] }, 4),
                         i == 3 && fabsf(*turn - 0.5f) > 1e-3f ? MAREY_ERR_INPUT : wanted);
    }
}

/* Distance, jump and place of a transition, 4 bytes each; in front of them where it leads. */
TEST_RIG_SMALL(numbers_of_transitions_are_checked)
{
    enum { DISTANCE, JUMP, ANGLE, X, Z, FIELDS };
    static const float odd[FIELDS][4] = { { -1, 1e9f, NAN, 0 },
                                          { -1, -1e-9f, INFINITY, 0 },
                                          { 101, -101, NAN, 1 },
                                          { 2e9f, -2e9f, NAN, 1 },
                                          { 2e9f, -2e9f, -INFINITY, 1 } };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[0]);
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
    int count;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    assert_true(count > 1);
    const float numbers[2] = { all[1].distance, all[1].jump };
    uint8_t *at = memmem(bytes.at, bytes.size, numbers, sizeof numbers);
    assert_non_null(at);
    for (int field = 0; field < FIELDS; field++)
        for (int i = 0; i < 4; i++)
            assert_int_equal(read_forged(rig, &bytes, at + 4 * field, &odd[field][i], 4),
                             i < 3 ? MAREY_ERR_INPUT : MAREY_OK);
    /* A byte more than there should be. */
    FREED uint8_t *longer = malloc(bytes.size + 1);
    marey_error error = { 0 };
    memset(longer, 0, bytes.size + 1);
    memcpy(longer, bytes.at, bytes.size - JUDGE_SUM_BYTES);
    judge_put_sum(longer, bytes.size + 1, VERSION);
    assert_int_equal(read_and_use(rig, longer, bytes.size + 1, &error), MAREY_ERR_INPUT);
}

/* All that reading takes, of a graph that has labels and poses of its own. */
TEST_RIG_SMALL(refused_memory_is_said_by_reading)
{
    for (int i = 1; i < DEFS; i += 4) {
        OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[i]);
        OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
        marey_status status = marey_graph_write(graph, &bytes.at, &bytes.size, NULL);
        for (test_refusals sweep = { .memory = &rig->memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_graph) *again = NULL;
            status = read_back(rig, bytes.at, bytes.size, &again);
        }
    }
}

/* Bytes that another version of the program wrote are not damaged: they say so, and what to do. */
TEST_RIG_SMALL(another_version_is_distinguished_from_damage)
{
    OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[1]);
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
    judge_other_versions(rig->ctx, bytes.at, bytes.size, VERSION, "build it again", read_and_use,
                         rig);
}

TEST_GROUP_OF_CASES(test_graph_bytes, NULL, NULL)
