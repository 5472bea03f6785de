/* test_cluster_bytes.c - cluster graphs as bytes: the same graph comes back, other clips, other
   versions and damaged bytes are refused. */
#include "bytes_judge.h"
#include "cluster_judge.h"

enum { VERSION = 1 };

static marey_status read_back(graph_rig *rig, const uint8_t *bytes, size_t size,
                              marey_clusters **out)
{
    marey_error error = { 0 };
    marey_status status =
        marey_clusters_read(rig->ctx, bytes, size, rig->clips, rig->count, out, &error);
    if (status) assert_true(error.message[0] != 0 && error.status == status);
    return status;
}

TEST_RIG_SMALL(the_same_graph_comes_back)
{
    marey_joint_weights own;
    assert_int_equal(marey_joint_weights_parse("hips=1,knee=0.25", &own, NULL), MAREY_OK);
    const marey_metric_def metrics[] = { { .joints = &own, .window = 7, .tapered = true },
                                         { .metric = marey_metric_named("angles"),
                                           .attributes_given = true,
                                           .attributes = { 1, 2, 0.5 },
                                           .fixed_root = true },
                                         { .metric = marey_metric_named("curvature") } };
    const marey_clusters_def defs[] = { { .threshold = 0 },
                                        { .threshold = 15, .link = MAREY_LINK_SINGLE, .fps = 24 },
                                        { .threshold = 30, .metric = &metrics[0], .fps = 17 },
                                        { .threshold = 3, .metric = &metrics[1], .fps = 200 },
                                        { .threshold = 0.5, .metric = &metrics[2] } };
    for (int i = 0; i < 10; i++) {
        if (i == 5) graph_rig_lose(rig, 0, 20, 25);
        OWNED(marey_clusters) *c = cluster_rig_build(rig, &defs[i % 5]), *again = NULL;
        OWNED(judge_bytes) bytes = { .ctx = rig->ctx }, other = { .ctx = rig->ctx };
        assert_int_equal(marey_clusters_write(c, &bytes.at, &bytes.size, NULL), MAREY_OK);
        assert_int_equal(read_back(rig, bytes.at, bytes.size, &again), MAREY_OK);
        judge_same_clusters(c, again);
        judge_clusters(again);
        const marey_metric_def *a = marey_clusters_settings(c)->metric;
        const marey_metric_def *b = marey_clusters_settings(again)->metric;
        assert_true(a->metric == b->metric && a->window == b->window && a->tapered == b->tapered);
        assert_memory_equal(a->joints->roles, b->joints->roles, sizeof a->joints->roles);
        assert_memory_equal(a->attributes, b->attributes, sizeof a->attributes);
        assert_int_equal(marey_clusters_write(again, &other.at, &other.size, NULL), MAREY_OK);
        judge_same_bytes(&bytes, &other);
    }
}

TEST_RIG_SMALL(other_clips_are_refused)
{
    OWNED(marey_clusters) *c = cluster_rig_build(rig, NULL);
    marey_clusters *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_clusters_write(c, &bytes.at, &bytes.size, NULL), MAREY_OK);
    for (int kind = 0; kind < 5; kind++) {
        OWNED(graph_rig) *other = graph_rig_open(1);
        graph_rig_add(other, kind == 0 ? "walk_slow" : "walk_left", 0, 60, 110);
        if (kind != 1) graph_rig_add(other, "walk_right", 0, 60, kind == 2 ? 106 : 105);
        if (kind == 3) graph_rig_add(other, "walk_right", 0, 60, 105);
        if (kind == 4) { /* the same, but with a frame that is marked now */
            graph_rig_lose(other, 0, 10, 11);
        }
        assert_int_equal(read_back(other, bytes.at, bytes.size, &again), MAREY_ERR_INPUT);
    }
    OWNED(graph_rig) *other = graph_rig_open(1);
    assert_int_equal(read_back(other, bytes.at, bytes.size, &again), MAREY_ERR_INPUT); /* none */
    assert_int_equal(read_back(rig, bytes.at, 0, &again), MAREY_ERR_INPUT);
    assert_null(again);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Whatever can be read can be used. */
static marey_status read_and_use(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    graph_rig *rig = user;
    OWNED(marey_clusters) *again = NULL;
    marey_status status =
        marey_clusters_read(rig->ctx, bytes, size, rig->clips, rig->count, &again, error);
    if (status) assert_null(again);
    if (status) return status;
    int count, nodes;
    const marey_cluster_sequence *all = marey_clusters_sequences(again, &count);
    marey_clusters_nodes(again, &nodes);
    for (int s = 0; s < count; s++) {
        assert_true(all[s].node >= 0 && all[s].node < nodes && all[s].next < count);
        assert_int_equal(marey_clusters_find(again, all[s].clip, all[s].start), s);
    }
    return status;
}

TEST_RIG_SMALL(damaged_bytes_are_refused_or_harmless)
{
    OWNED(marey_clusters) *c = cluster_rig_build(rig, &(marey_clusters_def){ .fps = 8 });
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_clusters_write(c, &bytes.at, &bytes.size, NULL), MAREY_OK);
    long live = rig->memory.live;
    judge_damaged_bytes(bytes.at, bytes.size, VERSION, bytes.size, read_and_use, rig);
    assert_int_equal(rig->memory.live, live);
    assert_true(marey_ctx_bytes_peak(rig->ctx) < 16 << 20); /* counts are not believed */
}

TEST_RIG_SMALL(another_version_is_distinguished_from_damage)
{
    OWNED(marey_clusters) *c = cluster_rig_build(rig, NULL);
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    assert_int_equal(marey_clusters_write(c, &bytes.at, &bytes.size, NULL), MAREY_OK);
    judge_other_versions(rig->ctx, bytes.at, bytes.size, VERSION, "build it again", read_and_use,
                         rig);
}

TEST_GROUP_OF_CASES(test_cluster_bytes, NULL, NULL)
