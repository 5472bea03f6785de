/* test_cluster_bytes.c - cluster graphs as bytes: the same graph comes back, other clips, other versions and damaged bytes are
   refused. */
#include "cluster_judge.h"

#include "base/bytes.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_BYTES = 8, VERSION = 1 };

static void open_small(graph_rig *rig)
{
    graph_rig_open(rig, 1);
    graph_rig_add(rig, "walk_left", 0, 60, 110);
    graph_rig_add(rig, "walk_right", 0, 60, 105);
}

static marey_status read_back(graph_rig *rig, const uint8_t *bytes, size_t size,
                              marey_clusters **out)
{
    marey_error error = { 0 };
    marey_status status =
        marey_clusters_read(rig->ctx, bytes, size, rig->clips, rig->count, out, &error);
    if (status) assert_true(error.message[0] != 0 && error.status == status);
    return status;
}

TEST(the_same_graph_comes_back)
{
    graph_rig rig;
    marey_joint_weights own;
    open_small(&rig);
    assert_int_equal(marey_joint_weights_parse("hips=1,knee=0.25", &own, NULL), MAREY_OK);
    const marey_metric_def metrics[] = { { .joints = &own, .window = 7, .tapered = true },
                                         { .metric = marey_metric_named("angles"),
                                           .attributes_given = true,
                                           .attributes = { 1, 2, 0.5 },
                                           .fixed_root = true },
                                         { .metric = marey_metric_named("curvature") } };
    const marey_mark mark = { MAREY_MARK_DROPOUT, 20, 25 };
    const marey_clusters_def defs[] = { { .threshold = 0 },
                                        { .threshold = 15, .link = MAREY_LINK_SINGLE, .fps = 24 },
                                        { .threshold = 30, .metric = &metrics[0], .fps = 17 },
                                        { .threshold = 3, .metric = &metrics[1], .fps = 200 },
                                        { .threshold = 0.5, .metric = &metrics[2] } };
    for (int i = 0; i < 10; i++) {
        marey_clip *first = (marey_clip *)(uintptr_t)rig.clips[0];
        marey_mark copy = mark;
        if (i >= 5) first->marks = &copy;
        if (i >= 5) first->mark_count = 1;
        marey_clusters *c = cluster_rig_build(&rig, &defs[i % 5]), *again = NULL;
        uint8_t *bytes[2];
        size_t size[2];
        assert_int_equal(marey_clusters_write(c, &bytes[0], &size[0], NULL), MAREY_OK);
        assert_int_equal(read_back(&rig, bytes[0], size[0], &again), MAREY_OK);
        judge_same_clusters(c, again);
        judge_clusters(again);
        const marey_metric_def *a = marey_clusters_settings(c)->metric;
        const marey_metric_def *b = marey_clusters_settings(again)->metric;
        assert_true(a->metric == b->metric && a->window == b->window && a->tapered == b->tapered);
        assert_memory_equal(a->joints->roles, b->joints->roles, sizeof a->joints->roles);
        assert_memory_equal(a->attributes, b->attributes, sizeof a->attributes);
        assert_int_equal(marey_clusters_write(again, &bytes[1], &size[1], NULL), MAREY_OK);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (int k = 0; k < 2; k++) marey_graph_bytes_free(rig.ctx, bytes[k], size[k]);
        marey_clusters_free(c);
        marey_clusters_free(again);
        first->mark_count = 0;
    }
    graph_rig_close(&rig);
}

TEST(other_clips_are_refused)
{
    graph_rig rig, other;
    open_small(&rig);
    marey_clusters *c = cluster_rig_build(&rig, NULL), *again = NULL;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(marey_clusters_write(c, &bytes, &size, NULL), MAREY_OK);
    for (int kind = 0; kind < 5; kind++) {
        graph_rig_open(&other, 1);
        graph_rig_add(&other, kind == 0 ? "walk_slow" : "walk_left", 0, 60, 110);
        if (kind != 1) graph_rig_add(&other, "walk_right", 0, 60, kind == 2 ? 106 : 105);
        if (kind == 3) graph_rig_add(&other, "walk_right", 0, 60, 105);
        if (kind == 4) { /* the same, but with a frame that is marked now */
            marey_clip *clip = (marey_clip *)(uintptr_t)other.clips[0];
            assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 10, 11));
        }
        assert_int_equal(read_back(&other, bytes, size, &again), MAREY_ERR_INPUT);
        graph_rig_close(&other);
    }
    graph_rig_open(&other, 1);
    assert_int_equal(read_back(&other, bytes, size, &again), MAREY_ERR_INPUT); /* none */
    graph_rig_close(&other);
    assert_int_equal(read_back(&rig, bytes, 0, &again), MAREY_ERR_INPUT);
    assert_null(again);
    marey_graph_bytes_free(rig.ctx, bytes, size);
    marey_clusters_free(c);
    graph_rig_close(&rig);
}

/* ---- damage ---------------------------------------------------------------------------------------------------- */

/* Bytes in a piece of memory that is not longer, so that reading past its end shows. */
static marey_status read_copy(graph_rig *rig, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    marey_clusters *again = NULL;
    memcpy(copy, bytes, size);
    marey_status status = read_back(rig, copy, size, &again);
    if (!status) { /* whatever it is, it can be used */
        int count, nodes;
        const marey_cluster_sequence *all = marey_clusters_sequences(again, &count);
        marey_clusters_nodes(again, &nodes);
        for (int s = 0; s < count; s++) {
            assert_true(all[s].node >= 0 && all[s].node < nodes && all[s].next < count);
            assert_int_equal(marey_clusters_find(again, all[s].clip, all[s].start), s);
        }
    }
    marey_clusters_free(again);
    free(copy);
    assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
    return status;
}

static void put_sum(uint8_t *bytes, size_t size, uint64_t version)
{
    uint64_t sum = mry_hash64(bytes, size - SUM_BYTES, version);
    for (int i = 0; i < SUM_BYTES; i++)
        bytes[size - SUM_BYTES + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

/* Of the kinds of damage, those that leave the sum are always found; with the sum put right, they are found or harmless. */
TEST(damaged_bytes_are_refused_or_harmless)
{
    graph_rig rig;
    open_small(&rig);
    marey_clusters *c = cluster_rig_build(&rig, &(marey_clusters_def){ .fps = 8 });
    uint8_t *bytes;
    size_t size;
    long live = rig.memory.live;
    assert_int_equal(marey_clusters_write(c, &bytes, &size, NULL), MAREY_OK);
    assert_int_equal(read_copy(&rig, bytes, size), MAREY_OK);
    int64_t refused = 0;
    uint8_t *changed = malloc(size);
    for (size_t at = 0; at < size; at++) {
        assert_int_equal(read_copy(&rig, bytes, at), MAREY_ERR_INPUT);
        memcpy(changed, bytes, size);
        changed[at] ^= (uint8_t)(1u << at % 8);
        assert_int_equal(read_copy(&rig, changed, size), MAREY_ERR_INPUT);
        if (at >= size - SUM_BYTES) continue;
        put_sum(changed, size, VERSION);
        refused += read_copy(&rig, changed, size) == MAREY_ERR_INPUT;
        changed[at] = 0xff;
        put_sum(changed, size, VERSION);
        refused += read_copy(&rig, changed, size) == MAREY_ERR_INPUT;
        if (at < SUM_BYTES + 1) continue; /* cut short, with a sum that is right */
        memcpy(changed, bytes, at);
        put_sum(changed, at, VERSION);
        assert_int_equal(read_copy(&rig, changed, at), MAREY_ERR_INPUT);
    }
    assert_true(refused > 50);
    free(changed);
    marey_graph_bytes_free(rig.ctx, bytes, size);
    assert_int_equal(rig.memory.live, live);
    assert_true(marey_ctx_bytes_peak(rig.ctx) < 16 << 20); /* counts are not believed */
    marey_clusters_free(c);
    graph_rig_close(&rig);
}

TEST(another_version_is_told_from_damage)
{
    graph_rig rig;
    open_small(&rig);
    marey_clusters *c = cluster_rig_build(&rig, NULL), *again = NULL;
    uint8_t *bytes;
    size_t size;
    marey_error error;
    assert_int_equal(marey_clusters_write(c, &bytes, &size, NULL), MAREY_OK);
    for (int version = VERSION - 1; version <= VERSION + 1; version += 2) {
        mry_arena tmp = mry_arena_make(rig.ctx);
        mry_bytes_writer head = { .mem = &tmp };
        mry_put_integer(&head, version);
        assert_true(!head.failed && head.used == 1);
        bytes[4] = head.bytes[0];
        mry_arena_free(&tmp);
        for (int right = 0; right < 2; right++) {
            if (right) put_sum(bytes, size, (uint64_t)version);
            assert_int_equal(
                marey_clusters_read(rig.ctx, bytes, size, rig.clips, rig.count, &again, &error),
                MAREY_ERR_INPUT);
            assert_true(right == (strstr(error.message, "build it again") != NULL));
            assert_true(right != (strstr(error.message, "damaged") != NULL));
        }
    }
    assert_null(again);
    marey_graph_bytes_free(rig.ctx, bytes, size);
    marey_clusters_free(c);
    graph_rig_close(&rig);
}

TEST_GROUP_OF_CASES(test_cluster_bytes, NULL, NULL)
