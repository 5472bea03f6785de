/* test_own_graph.c - graphs by a metric of the caller's own: they are built with its thresholds or
   those that are given, and no file keeps them. */
#include "demo_graph.h"
#include "own_clips.h"

#include <marey/cluster.h>
#include <marey/demo.h>
#include <string.h>

static int set_up(void **state)
{
    static const char *const names[] = { "walk_straight" };
    *state = demo_graph_takes(names, 1);
    return 0;
}

static int tear_down(void **state)
{
    demo_graph *f = *state;
    for (int i = 0; i < f->count; i++) marey_demo_free(f->takes[i]);
    test_ctx_close(f->ctx);
    return 0;
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, demo_graph *f, name)

static void check_refused(marey_status status, const marey_error *error, const uint8_t *bytes)
{
    assert_int_equal(status, MAREY_ERR_REQUEST);
    assert_non_null(strstr(error->message, "hand"));
    assert_null(bytes);
}

CASE(a_graph_has_the_transitions_that_its_metric_finds)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own };
    marey_graph_def def = { .metric = &metric, .unreduced = true };
    marey_graph *graph = NULL;
    marey_error error = { 0 };
    uint8_t *bytes = NULL;
    size_t size;
    assert_int_equal(marey_graph_build(f->ctx, f->clips, 1, NULL, &def, &graph, &error),
                     MAREY_ERR_REQUEST);
    assert_null(graph);
    own.metric.thresholds.graph = 60;
    test_ok(marey_graph_build(f->ctx, f->clips, 1, NULL, &def, &graph, &test_error));
    assert_true(user.asked > 0);
    assert_ptr_equal(graph->metric.metric, &own.metric);
    assert_true(graph->def.threshold == 60);
    check_refused(marey_graph_write(graph, &bytes, &size, &error), &error, bytes);
    marey_graph_free(graph);
}

CASE(a_cluster_graph_has_the_clusters_of_its_metric)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own };
    marey_clusters_def def = { .metric = &metric, .threshold = 500 };
    marey_clusters *clusters = NULL;
    marey_error error = { 0 };
    uint8_t *bytes = NULL;
    size_t size;
    test_ok(marey_clusters_build(f->ctx, f->clips, 1, &def, &clusters, &test_error));
    assert_true(user.asked > 0);
    check_refused(marey_clusters_write(clusters, &bytes, &size, &error), &error, bytes);
    marey_clusters_free(clusters);
}

TEST_GROUP_OF_CASES(test_own_graph, NULL, NULL)
