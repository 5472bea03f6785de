/* test_cluster_picture.c - pictures of cluster graphs and plots: no two nodes are drawn over each
   other and none beside the page, whatever the graph; the same graph gives the same bytes; curves
   that cannot be drawn leave gaps; wrong requests, refused memory and failing disks leave nothing
   behind. */
#include "picture/cluster_picture.h"
#include "program_lines.h"

#include <math.h>

static test_place place;

static int enter(void **state)
{
    place_enter(&place);
    *state = &place;
    return 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Cards and edges by lot; some nodes lead nowhere. */
static mry_card_graph random_graph(mry_arena *mem, uint64_t seed, int count)
{
    mry_card_graph graph = { .count = count, .edge_count = (int)(next(&seed) % (3 * count + 1)) };
    graph.cards = MRY_NEW(mem, mry_card, count);
    graph.edges = MRY_NEW(mem, mry_card_edge, graph.edge_count + 1);
    for (int i = 0; i < count; i++) {
        graph.cards[i].node = i;
        graph.cards[i].width = 50 + (double)(next(&seed) % 100);
        graph.cards[i].height = 60 + (double)(next(&seed) % 120);
    }
    for (int e = 0; e < graph.edge_count; e++) {
        graph.edges[e] = (mry_card_edge){ .from = (int)(next(&seed) % count),
                                          .to = (int)(next(&seed) % count),
                                          .count = 1 + (int)(next(&seed) % 40),
                                          .through = next(&seed) % 2 };
    }
    return graph;
}

static void check_places(const mry_card_graph *graph, double width, double height)
{
    for (int i = 0; i < graph->count; i++) {
        const mry_card *a = &graph->cards[i];
        assert_true(a->x - a->width / 2 >= -1e-6 && a->x + a->width / 2 <= width + 1e-6);
        assert_true(a->y - a->height / 2 >= -1e-6 && a->y + a->height / 2 <= height + 1e-6);
        for (int j = 0; j < i; j++) {
            const mry_card *b = &graph->cards[j];
            bool apart = fabs(a->x - b->x) >= (a->width + b->width) / 2 ||
                         fabs(a->y - b->y) >= (a->height + b->height) / 2;
            if (!apart) fail_msg("%d lies on %d", i, j);
        }
    }
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(no_card_lies_on_another_or_beside_the_page)
{
    static const int counts[] = { 1, 2, 3, 10, 40, 60, 200 };
    OWNED(marey_ctx) *ctx = test_ctx();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint64_t seed = 1; seed <= 6; seed++) {
            OWNED(mry_arena) mem = mry_arena_make(ctx);
            mry_card_graph graph = random_graph(&mem, seed, counts[i]);
            double width = 400 + 400 * (double)(seed % 4), height = 0;
            assert_true(mry_cards_place(&graph, &mem, width, &height));
            check_places(&graph, width, height);
        }
    }
}

/* ---- cluster graphs -------------------------------------------------------------------------- */

typedef struct built {
    marey_clip *clips[2];
    marey_clusters *graph;
} built;

static built build(marey_ctx *ctx)
{
    built of = { { NULL, NULL }, NULL };
    write_person("a.bvh", 90);
    write_person("b.bvh", 120);
    of.clips[0] = test_clip_load(ctx, "a.bvh");
    of.clips[1] = test_clip_load(ctx, "b.bvh");
    marey_clusters_def def = { .threshold = 3 };
    test_ok(marey_clusters_build(ctx, (const marey_clip *const *)of.clips, 2, &def, &of.graph,
                                 &test_error));
    return of;
}

static void built_free(built *of)
{
    marey_clusters_free(of->graph);
    marey_clip_free(of->clips[0]);
    marey_clip_free(of->clips[1]);
}
OWNED_VALUE(built, built_free)

CASE(a_graph_is_drawn_the_same_every_time)
{
    static const char *const names[] = { "a", "b\xff\n" }; /* what cairo would refuse */
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(built) of = build(ctx);
    marey_cluster_picture_def def = { .title = "both", .names = names, .nodes = 4 };
    test_ok(marey_clusters_picture_save(ctx, of.graph, &def, "x.png", &test_error));
    test_ok(marey_clusters_picture_save(ctx, of.graph, &def, "y.png", &test_error));
    test_same_file("x.png", "y.png");
    def.width_px = 480;
    def.nodes = 100000;
    test_ok(marey_clusters_picture_save(ctx, of.graph, &def, "x.pdf", &test_error));
    test_ok(marey_clusters_picture_save(ctx, of.graph, NULL, "x.svg", &test_error));
    FREED char *svg = test_file_read("x.svg", NULL);
    assert_non_null(strstr(svg, "<svg"));
}

CASE(an_invalid_request_is_refused)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(built) of = build(ctx);
    static const marey_cluster_picture_def wrong[] = {
        { .width_px = 479 }, { .width_px = 9000 }, { .width_px = -1 }, { .nodes = -1 }
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            marey_clusters_picture_save(ctx, of.graph, &wrong[i], "x.png", &test_error),
            MAREY_ERR_REQUEST);
    }
    assert_int_equal(marey_clusters_picture_save(ctx, of.graph, NULL, "x.txt", &test_error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_clusters_picture_save(ctx, of.graph, NULL, "no/x.png", &test_error),
                     MAREY_ERR_INPUT);
    assert_int_equal(test_folder_count("."), 2);
}

/* ---- plots ----------------------------------------------------------------------------------- */

static marey_status plot(marey_ctx *ctx, const char *path, marey_error *error)
{
    static const double wave[] = { 0, 2, NAN, INFINITY, 1, -3, 5 }, flat[] = { 7, 7, 7 };
    static const double huge[] = { 1e12, 1e12 + 0.001, 1e12 }, marks[] = { 2.5, 1e9 };
    static const marey_plot_curve first[] = {
        { .values = wave, .count = 7, .step = 1, .name = "wave", .style = MAREY_PLOT_DASHED },
        { .values = flat, .count = 3, .first = 2, .step = 0.5, .colour = 900, .name = "flat" },
        { .values = wave, .count = 7, .step = 1, .style = MAREY_PLOT_THICK, .name = "wave" },
        { .values = NULL, .count = 0 },
    };
    static const marey_plot_curve second[] = { { .values = huge, .count = 3, .step = 1 } };
    static const marey_plot_panel panels[] = {
        { .title = "one", .curves = first, .curve_count = 4 },
        { .curves = second, .curve_count = 1 },
        { .title = "nothing" },
    };
    marey_plot_def def = { .title = "plot",
                           .axis = "frame",
                           .width_px = 300,
                           .panel_px = 60,
                           .marks = marks,
                           .mark_count = 2 };
    return marey_plot_save(ctx, panels, 3, &def, path, error);
}

CASE(curves_are_drawn_whatever_they_are)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    test_ok(plot(ctx, "p.png", &test_error));
    test_ok(plot(ctx, "q.png", &test_error));
    test_same_file("p.png", "q.png");
    test_ok(plot(ctx, "p.svg", &test_error));
    test_ok(plot(ctx, "p.pdf", &test_error));
    FREED char *svg = test_file_read("p.svg", NULL);
    assert_non_null(strstr(svg, "<svg"));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    marey_plot_panel one = { .title = "empty" };
    test_ok(marey_plot_save(ctx, &one, 1, NULL, "e.png", &test_error));
    assert_int_equal(marey_plot_save(ctx, &one, 0, NULL, "e.png", &test_error), MAREY_ERR_REQUEST);
    assert_int_equal(marey_plot_save(ctx, &one, 1, NULL, "e.gif", &test_error), MAREY_ERR_REQUEST);
    marey_plot_def wide = { .width_px = 100 };
    assert_int_equal(marey_plot_save(ctx, &one, 1, &wide, "e.png", &test_error), MAREY_ERR_REQUEST);
}

/* ---- when the machine fails ------------------------------------------------------------------ */

CASE(refused_memory_leaves_nothing_behind)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(built) of = build(ctx);
    for (int which = 0; which < 2; which++) {
        OWNED(test_memory) memory = { 0 };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
            OWNED(marey_ctx) *small = NULL;
            status = test_ctx_try(&memory, &small);
            if (!status)
                status = which ? plot(small, "m.png", &test_error)
                               : marey_clusters_picture_save(small, of.graph, NULL, "m.png",
                                                             &test_error);
            assert_int_equal(access("m.png", F_OK) == 0, !status);
        }
        unlink("m.png");
    }
}

TEST_GROUP_OF_CASES(test_cluster_picture, NULL, NULL)
