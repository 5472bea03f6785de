/* test_cluster_faults.c - cluster graphs with refused memory, under a byte limit, and cancelled. */
#include "cluster_judge.h"

#include <string.h>

static const char *const tried[] = { "points", "points", "angles", "curvature" };
enum { KINDS = 4 };

static marey_status do_all(graph_rig *rig, int kind, marey_error *error)
{
    marey_metric_def metric = { .metric = marey_metric_named(tried[kind]) };
    marey_clusters_def def = { .link = kind == 1 ? MAREY_LINK_SINGLE : MAREY_LINK_COMPLETE,
                               .metric = &metric,
                               .threshold = kind < 2 ? 40 : 2 };
    marey_clusters *c = NULL, *again = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_clusters_build(rig->ctx, rig->clips, rig->count, &def, &c, error);
    if (!status) status = marey_clusters_write(c, &bytes, &size, error);
    if (!status)
        status = marey_clusters_read(rig->ctx, bytes, size, rig->clips, rig->count, &again, error);
    if (bytes) marey_graph_bytes_free(rig->ctx, bytes, size);
    marey_clusters_free(c);
    marey_clusters_free(again);
    return status;
}

static void small_clips(graph_rig *rig)
{
    graph_rig_add(rig, "walk_left", 0, 60, 110);
    graph_rig_add(rig, "small_walk", 0, 60, 100);
}

TEST(running_out_of_memory_is_reported_and_nothing_is_held)
{
    for (int kind = 0; kind < KINDS; kind++) {
        graph_rig rig;
        graph_rig_open(&rig, 1);
        small_clips(&rig);
        marey_error error;
        long live = rig.memory.live;
        rig.memory.calls = 0;
        assert_int_equal(do_all(&rig, kind, &error), MAREY_OK);
        long calls = rig.memory.calls;
        assert_int_equal(rig.memory.live, live);
        for (long refuse = 0; refuse < calls; refuse = test_next(refuse)) {
            rig.memory.calls = 0;
            rig.memory.refuse = refuse;
            rig.memory.from_then_on = refuse % 2;
            memset(&error, 0, sizeof error);
            marey_status status = do_all(&rig, kind, &error);
            rig.memory.refuse = -1;
            if (status != MAREY_ERR_MEMORY) fail_msg("kind %d, call %ld: %d", kind, refuse, status);
            assert_int_equal(error.status, MAREY_ERR_MEMORY);
            assert_int_equal(rig.memory.live, live);
        }
        graph_rig_close(&rig);
    }
}

typedef struct stopping {
    marey_ctx *ctx;
    int after; /* reports */
    int seen;
} stopping;

static void on_progress(void *user, const char *what, int64_t done, int64_t total)
{
    stopping *s = user;
    (void)what;
    assert_true(done >= 0 && done <= total);
    if (s->seen++ == s->after) marey_ctx_cancel(s->ctx);
}

TEST(cancelling_ends_it_and_nothing_is_held)
{
    for (int kind = 0; kind < KINDS; kind++) {
        graph_rig rig;
        graph_rig_open(&rig, 1);
        marey_ctx_close(rig.ctx);
        stopping stop = { .after = -1 };
        marey_ctx_def open = { .resize = test_memory_resize,
                               .resize_user = &rig.memory,
                               .threads = 1,
                               .progress = on_progress,
                               .progress_user = &stop };
        assert_int_equal(marey_ctx_open(&open, &rig.ctx), MAREY_OK);
        stop.ctx = rig.ctx;
        small_clips(&rig);
        stop.seen = 0;
        marey_error error;
        assert_int_equal(do_all(&rig, kind, &error), MAREY_OK);
        int reports = stop.seen;
        long live = rig.memory.live;
        assert_true(reports > 2);
        for (int after = 0; after < reports; after++) {
            stop.after = after;
            stop.seen = 0;
            marey_status status = do_all(&rig, kind, &error);
            if (status != MAREY_ERR_CANCELLED) fail_msg("kind %d, %d: %d", kind, after, status);
            assert_int_equal(rig.memory.live, live);
            marey_ctx_resume(rig.ctx);
        }
        graph_rig_close(&rig);
    }
}

/* A byte limit is not passed: there are more rounds instead. */
TEST(a_byte_limit_is_kept_to)
{
    graph_rig rig;
    graph_rig_open(&rig, 1);
    marey_ctx *own = rig.ctx;
    graph_rig_add(&rig, "walk_left", 0, 60, 260);
    graph_rig_add(&rig, "walk_right", 0, 60, 260);
    marey_clusters *c = cluster_rig_build(&rig, &(marey_clusters_def){ .threshold = 500 });
    marey_ctx_def open = { .threads = 1, .byte_limit = 6 << 20 };
    marey_clusters *limited = NULL;
    marey_error error;
    assert_int_equal(marey_ctx_open(&open, &rig.ctx), MAREY_OK);
    test_fine(marey_clusters_build(rig.ctx, rig.clips, rig.count,
                                   &(marey_clusters_def){ .threshold = 500 }, &limited, &error),
              &error);
    assert_true(marey_ctx_bytes_peak(rig.ctx) <= 6 << 20);
    judge_same_clusters(c, limited);
    marey_clusters_free(limited);
    marey_ctx_close(rig.ctx);
    rig.ctx = own;
    marey_clusters_free(c);
    graph_rig_close(&rig);
}

TEST_GROUP_OF_CASES(test_cluster_faults, NULL, NULL)
