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
