/* test_graph_bytes.c - motion graphs as bytes: the same graph comes back, other clips and damaged bytes are refused. */
#include "graph_judge.h"

#include "base/bytes.h"
#include "math/turn.h"
#include "metric_clips.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_BYTES = 8, VERSION = 2 };

static const marey_behaviour doing[] = { { 0, 0, 50, "walk" }, { 1, 10, 40, "bend" } };
static const double weights[] = { 0.25, 0.5, 1 - 1e-12 };

static const marey_graph_def defs[] = {
    { .threshold = 0 },
    { .threshold = 25, .behaviours = doing, .behaviour_count = 2, .fps = 25, .smoothness = -1 },
    { .kind = MAREY_GRAPH_CONNECTED, .behaviours = doing, .behaviour_count = 2 },
    { .kind = MAREY_GRAPH_CONNECTED,
      .threshold = 12,
      .weights = weights,
      .weight_count = 3,
      .suboptimality = 3,
      .spread_s = 0.3,
      .sigma = 7,
      .jump = 2,
      .smoothness = 1 },
    { .kind = MAREY_GRAPH_CONNECTED, .threshold = 10, .unreduced = true, .smooth = true },
};
enum { DEFS = sizeof defs / sizeof *defs };

static void open_small(graph_rig *rig)
{
    graph_rig_open(rig, 1);
    graph_rig_add(rig, "walk_left", 0, 60, 110);
    graph_rig_add(rig, "walk_right", 0, 60, 105);
}

static marey_status read_back(graph_rig *rig, const uint8_t *bytes, size_t size, marey_graph **out)
{
    marey_error error = { 0 };
    marey_status status =
        marey_graph_read(rig->ctx, bytes, size, rig->clips, rig->count, NULL, out, &error);
    if (status) assert_true(error.message[0] != 0 && error.status == status);
    return status;
}

TEST(the_same_graph_comes_back)
{
    graph_rig rig;
    open_small(&rig);
    for (int i = 0; i < DEFS; i++) {
        marey_graph *graph = graph_rig_build(&rig, &defs[i]), *again = NULL;
        uint8_t *bytes[2];
        size_t size[2];
        assert_int_equal(marey_graph_write(graph, &bytes[0], &size[0], NULL), MAREY_OK);
        assert_int_equal(read_back(&rig, bytes[0], size[0], &again), MAREY_OK);
        judge_same_graphs(graph, again);
        judge_is_sound(again);
        marey_graph_stats a = graph_rig_measure(&rig, graph), b = graph_rig_measure(&rig, again);
        assert_true(a.nodes_before == b.nodes_before && a.edges_before == b.edges_before);
        assert_true(a.connectivity_percent == b.connectivity_percent && a.bytes == b.bytes);
        assert_int_equal(marey_graph_write(again, &bytes[1], &size[1], NULL), MAREY_OK);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (int k = 0; k < 2; k++) marey_graph_bytes_free(rig.ctx, bytes[k], size[k]);
        marey_graph_free(graph);
        marey_graph_free(again);
    }
    marey_graph_bytes_free(rig.ctx, NULL, 0);
    graph_rig_close(&rig);
}

TEST(a_metric_of_ones_own_comes_back)
{
    graph_rig rig;
    marey_joint_weights own;
    open_small(&rig);
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
        marey_graph *graph = graph_rig_build(&rig, &def), *again = NULL;
        uint8_t *bytes;
        size_t size;
        assert_int_equal(marey_graph_write(graph, &bytes, &size, NULL), MAREY_OK);
        assert_int_equal(read_back(&rig, bytes, size, &again), MAREY_OK);
        judge_same_graphs(graph, again);
        const marey_metric_def *a = marey_graph_settings(graph)->metric;
        const marey_metric_def *b = marey_graph_settings(again)->metric;
        assert_int_equal(a->attributes_given, b->attributes_given);
        assert_int_equal(a->fixed_root, b->fixed_root);
        assert_memory_equal(a->attributes, b->attributes, sizeof a->attributes);
        marey_graph_bytes_free(rig.ctx, bytes, size);
        marey_graph_free(graph);
        marey_graph_free(again);
    }
    graph_rig_close(&rig);
}

TEST(other_clips_are_refused)
{
    graph_rig rig, other;
    open_small(&rig);
    marey_graph *graph = graph_rig_build(&rig, &defs[1]), *again = NULL;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(marey_graph_write(graph, &bytes, &size, NULL), MAREY_OK);
    for (int kind = 0; kind < 5; kind++) {
        graph_rig_open(&other, 1);
        graph_rig_add(&other, kind == 0 ? "walk_slow" : "walk_left", 0, 60, 110);
        if (kind != 1) graph_rig_add(&other, "walk_right", 0, 60, kind == 2 ? 106 : 105);
        if (kind == 3) graph_rig_add(&other, "walk_right", 0, 60, 105);
        if (kind == 4) { /* in another order; of one length */
            const marey_clip *first = other.clips[0];
            other.clips[0] = other.clips[1];
            other.clips[1] = first;
        }
        assert_int_equal(read_back(&other, bytes, size, &again), MAREY_ERR_INPUT);
        graph_rig_close(&other);
    }
    graph_rig_open(&other, 1);
    assert_int_equal(read_back(&other, bytes, size, &again), MAREY_ERR_INPUT); /* none */
    graph_rig_add(&other, "walk_left", 0, 60, 110);
    graph_rig_add(&other, "walk_right", 0, 60, 105);
    assert_int_equal(read_back(&other, bytes, size, &again), MAREY_OK); /* the same, read again */
    marey_graph_free(again);
    graph_rig_close(&other);
    assert_int_equal(read_back(&rig, bytes, 0, &again), MAREY_ERR_INPUT);
    marey_graph_bytes_free(rig.ctx, bytes, size);
    marey_graph_free(graph);
    graph_rig_close(&rig);
}

/* Bytes in a piece of memory that is not longer, so that reading past its end shows. */
static marey_status read_copy(graph_rig *rig, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    marey_graph *again = NULL;
    memcpy(copy, bytes, size);
    marey_status status = read_back(rig, copy, size, &again);
    if (!status) { /* whatever it is, it can be used */
        marey_graph_stats row;
        uint8_t *more;
        size_t more_size;
        assert_int_equal(marey_graph_measure(rig->ctx, again, &row, NULL), MAREY_OK);
        assert_int_equal(marey_graph_write(again, &more, &more_size, NULL), MAREY_OK);
        marey_graph_bytes_free(rig->ctx, more, more_size);
        int count;
        const marey_graph_transition *all = marey_graph_transitions(again, &count);
        for (int i = 0; i < count; i++) {
            assert_true(all[i].from >= 0 && all[i].from < marey_graph_nodes(again));
            assert_true(all[i].to >= 0 && all[i].to < marey_graph_nodes(again));
        }
    }
    marey_graph_free(again);
    free(copy);
    assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
    return status;
}

static void put_sum_of(uint8_t *bytes, size_t size, uint64_t version)
{
    uint64_t sum = mry_hash64(bytes, size - SUM_BYTES, version);
    for (int i = 0; i < SUM_BYTES; i++)
        bytes[size - SUM_BYTES + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

static void put_sum(uint8_t *bytes, size_t size)
{
    put_sum_of(bytes, size, VERSION);
}

/* Of the kinds of damage, those that leave the sum are always found; with the sum put right, they are found or harmless. */
TEST(damaged_bytes_are_refused_or_harmless)
{
    graph_rig rig;
    open_small(&rig);
    for (int i = 1; i < 3; i++) {
        marey_graph_def def = defs[i];
        def.fps = 8; /* few nodes: few bytes */
        marey_graph *graph = graph_rig_build(&rig, &def);
        uint8_t *bytes;
        size_t size;
        long live = rig.memory.live;
        assert_int_equal(marey_graph_write(graph, &bytes, &size, NULL), MAREY_OK);
        assert_int_equal(read_copy(&rig, bytes, size), MAREY_OK);
        int64_t refused = 0;
        uint8_t *changed = malloc(size);
        for (size_t at = 0; at < size; at++) {
            if (size > 3000 && at > 1500 && at % 7) continue;
            assert_int_equal(read_copy(&rig, bytes, at), MAREY_ERR_INPUT);
            memcpy(changed, bytes, size);
            changed[at] ^= (uint8_t)(1u << at % 8);
            assert_int_equal(read_copy(&rig, changed, size), MAREY_ERR_INPUT);
            if (at >= size - SUM_BYTES) continue;
            put_sum(changed, size);
            refused += read_copy(&rig, changed, size) == MAREY_ERR_INPUT;
            changed[at] = 0xff;
            put_sum(changed, size);
            refused += read_copy(&rig, changed, size) == MAREY_ERR_INPUT;
            if (at < SUM_BYTES + 1) continue; /* cut short, with a sum that is right */
            memcpy(changed, bytes, at);
            put_sum(changed, at);
            assert_int_equal(read_copy(&rig, changed, at), MAREY_ERR_INPUT);
        }
        assert_true(refused > 50);
        free(changed);
        marey_graph_bytes_free(rig.ctx, bytes, size);
        assert_int_equal(rig.memory.live, live);
        assert_true(marey_ctx_bytes_peak(rig.ctx) < 16 << 20); /* counts are not believed */
        marey_graph_free(graph);
    }
    graph_rig_close(&rig);
}

/* A pose between two clips is kept as it is. */
TEST(kept_rotations_of_another_length_are_refused)
{
    static const float scales[] = { 1, -1, 1.01f, 0.99f, 0, 100 };
    graph_rig rig;
    open_small(&rig);
    marey_graph *graph = graph_rig_build(&rig, &defs[4]);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(marey_graph_write(graph, &bytes, &size, NULL), MAREY_OK);
    assert_true(graph->nodes > graph->originals);
    const float *turn = mry_turn(graph->motion, graph->nodes - 1);
    uint8_t *at = memmem(bytes, size, turn, 4 * sizeof *turn);
    assert_non_null(at);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        float scaled[4];
        for (int k = 0; k < 4; k++) scaled[k] = turn[k] * scales[i];
        memcpy(at, scaled, sizeof scaled);
        put_sum(bytes, size);
        assert_int_equal(read_copy(&rig, bytes, size),
                         fabsf(scales[i]) == 1 ? MAREY_OK : MAREY_ERR_INPUT);
    }
    marey_graph_bytes_free(rig.ctx, bytes, size);
    marey_graph_free(graph);
    graph_rig_close(&rig);
}

/* Bytes that another version of the program wrote are not damaged: they say so, and what to do. */
TEST(another_version_is_told_from_damage)
{
    graph_rig rig;
    open_small(&rig);
    marey_graph *graph = graph_rig_build(&rig, &defs[1]), *again = NULL;
    uint8_t *bytes;
    size_t size;
    marey_error error;
    assert_int_equal(marey_graph_write(graph, &bytes, &size, NULL), MAREY_OK);
    for (int version = VERSION - 1; version <= VERSION + 1; version += 2) {
        mry_arena tmp = mry_arena_make(rig.ctx);
        mry_bytes_writer head = { .mem = &tmp };
        mry_put_integer(&head, version);
        assert_true(!head.failed && head.used == 1);
        bytes[4] = head.bytes[0];
        mry_arena_free(&tmp);
        for (int right = 0; right < 2; right++) {
            if (right) put_sum_of(bytes, size, (uint64_t)version);
            assert_int_equal(
                marey_graph_read(rig.ctx, bytes, size, rig.clips, rig.count, NULL, &again, &error),
                MAREY_ERR_INPUT);
            assert_true(right == (strstr(error.message, "build it again") != NULL));
            assert_true(right != (strstr(error.message, "damaged") != NULL));
        }
    }
    assert_null(again);
    marey_graph_bytes_free(rig.ctx, bytes, size);
    marey_graph_free(graph);
    graph_rig_close(&rig);
}

TEST_GROUP_OF_CASES(test_graph_bytes, NULL, NULL)
