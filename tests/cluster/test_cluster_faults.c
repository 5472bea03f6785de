/* test_cluster_faults.c - cluster graphs with refused memory, under a byte limit, and cancelled. */
#include "bytes_judge.h"
#include "cluster_judge.h"

static const char *const tried[] = { "points", "points", "angles", "curvature" };
enum { KINDS = 4 };

static marey_status do_all(graph_rig *rig, int kind, marey_error *error)
{
    marey_metric_def metric = { .metric = marey_metric_named(tried[kind]) };
    marey_clusters_def def = { .link = kind == 1 ? MAREY_LINK_SINGLE : MAREY_LINK_COMPLETE,
                               .metric = &metric,
                               .threshold = kind < 2 ? 40 : 2 };
    OWNED(marey_clusters) *c = NULL, *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    marey_status status = marey_clusters_build(rig->ctx, rig->clips, rig->count, &def, &c, error);
    if (!status) status = marey_clusters_write(c, &bytes.at, &bytes.size, error);
    if (!status)
        status = marey_clusters_read(rig->ctx, bytes.at, bytes.size, rig->clips, rig->count, &again,
                                     error);
    return status;
}

static void small_clips(graph_rig *rig)
{
    graph_rig_add(rig, "walk_left", 0, 60, 110);
    graph_rig_add(rig, "small_walk", 0, 60, 100);
}

TEST(running_out_of_memory_is_reported_and_nothing_is_held)
{
    judge_refused_memory(small_clips, do_all, KINDS);
}

TEST(cancelling_ends_it_and_nothing_is_held)
{
    judge_cancelled(small_clips, do_all, KINDS);
}

/* A byte limit is not passed: there are more rounds instead. */
TEST_RIG(a_byte_limit_is_kept_to)
{
    marey_ctx *own = rig->ctx;
    graph_rig_add(rig, "walk_left", 0, 60, 260);
    graph_rig_add(rig, "walk_right", 0, 60, 260);
    OWNED(marey_clusters) *c = cluster_rig_build(rig, &(marey_clusters_def){ .threshold = 500 });
    marey_ctx_def open = { .threads = 1, .byte_limit = 6 << 20 };
    marey_clusters *limited = NULL;
    marey_error error;
    assert_int_equal(marey_ctx_open(&open, &rig->ctx), MAREY_OK);
    test_fine(marey_clusters_build(rig->ctx, rig->clips, rig->count,
                                   &(marey_clusters_def){ .threshold = 500 }, &limited, &error),
              &error);
    assert_true(marey_ctx_bytes_peak(rig->ctx) <= 6 << 20);
    judge_same_clusters(c, limited);
    marey_clusters_free(limited);
    marey_ctx_close(rig->ctx);
    rig->ctx = own;
}

TEST_GROUP_OF_CASES(test_cluster_faults, NULL, NULL)
