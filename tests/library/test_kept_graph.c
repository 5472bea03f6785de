/* test_kept_graph.c - motion graphs and their policies in a library: they come back with the clips
   they are of, frames that were not captured are in none of them, a policy goes with its graph, and
   damage to either is named. */
#include "library_bench.h"
#include "program_lines.h"

static const marey_part both[] = { { WALK, 0, 0 }, { RUN, 0, 0 } };
static const marey_behaviour walks = { .clip = 0, .start = 0, .end = 60, .label = "walk" };

static marey_status build(marey_ctx *ctx, const marey_parts *parts, double threshold,
                          marey_graph **out, marey_error *error)
{
    marey_graph_def def = { .threshold = threshold, .behaviours = &walks, .behaviour_count = 1 };
    return marey_graph_build(ctx, parts->clips, parts->count, parts->contacts, &def, out, error);
}

/* Builds one of both clips and keeps it. */
static marey_status build_and_keep(marey_library *library, marey_ctx *ctx, const char *name,
                                   double threshold, marey_error *error)
{
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_graph) *made = NULL;
    marey_status status = marey_library_captured_parts(library, both, 2, 0, &parts, error);
    if (status) return status;
    status = build(ctx, parts, threshold, &made, error);
    if (!status)
        status = marey_library_keep_graph(library, name, made, parts->parts, 0, "{}", error);
    return status;
}

static void keep_both(test_library *f, const char *name, double threshold)
{
    test_ok(build_and_keep(f->library, f->ctx, name, threshold, &test_error));
}

/* A graph that is kept, with its policy. */
typedef struct opened {
    marey_parts *parts;
    marey_graph *graph;
    marey_policy *policy;
} opened;

static void close_graph(opened *of)
{
    marey_policy_free(of->policy);
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
}
OWNED_VALUE(opened, close_graph)

static opened open_graph(test_library *f, const char *name)
{
    opened of = { 0 };
    test_ok(marey_library_graph(f->library, name, &of.parts, &of.graph, &test_error));
    return of;
}

static marey_status train(marey_ctx *ctx, const marey_graph *graph, marey_policy **out,
                          marey_error *error)
{
    marey_policy_def def = { .directions = 8 };
    return marey_policy_train(ctx, graph, &def, out, error);
}

static void train_and_keep(test_library *f, const char *name)
{
    OWNED(opened) of = open_graph(f, name);
    test_ok(train(f->ctx, of.graph, &of.policy, &test_error));
    test_ok(marey_library_keep_policy(f->library, name, of.policy, "{}", &test_error));
}

static bool has_policy(test_library *f, const char *name)
{
    OWNED(marey_kept) *kept = NULL;
    return marey_library_kept(f->library, MAREY_KEPT_POLICY, name, &kept, NULL) == MAREY_OK;
}

/* ---- coming back ----------------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(two_clips_make_long, test_library_free, test_library *f, name)

CASE(a_graph_comes_back_with_its_clips_whatever_they_are_called)
{
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_graph) *made = NULL;
    int count;
    test_ok(marey_library_captured_parts(f->library, both, 2, 0, &parts, &test_error));
    test_ok(build(f->ctx, parts, 20, &made, &test_error));
    test_ok(
        marey_library_keep_graph(f->library, "gaits", made, parts->parts, 0, NULL, &test_error));
    test_ok(marey_library_rename(f->library, "run", "race", &test_error));
    OWNED(opened) back = open_graph(f, "gaits");
    /* The same graph. */
    int count_a, count_b;
    const marey_graph_transition *of_a = marey_graph_transitions(made, &count_a);
    const marey_graph_transition *of_b = marey_graph_transitions(back.graph, &count_b);
    assert_int_equal(count_a, count_b);
    assert_true(count_a > 10);
    assert_memory_equal(of_a, of_b, (size_t)count_a * sizeof *of_a);
    assert_int_equal(marey_graph_nodes(made), marey_graph_nodes(back.graph));
    assert_true(marey_graph_fps(made) == marey_graph_fps(back.graph));
    assert_true(marey_graph_settings(made)->threshold ==
                marey_graph_settings(back.graph)->threshold);
    for (int n = 0; n < marey_graph_nodes(made); n++) {
        marey_graph_node x = marey_graph_node_of(made, n), y = marey_graph_node_of(back.graph, n);
        assert_true(x.clip == y.clip && x.frame == y.frame && x.next == y.next &&
                    x.before == y.before && x.contacts == y.contacts && x.core == y.core);
        assert_int_equal(marey_graph_has_label(made, n, 0),
                         marey_graph_has_label(back.graph, n, 0));
    }
    for (int i = 0; i < count_a; i++) {
        marey_placement x = marey_graph_place(made, of_a[i].from, of_a[i].to);
        marey_placement y = marey_graph_place(back.graph, of_a[i].from, of_a[i].to);
        assert_true(x.angle_rad == y.angle_rad && x.x_cm == y.x_cm && x.z_cm == y.z_cm);
    }
    assert_string_equal(back.parts->names[1].name, "race");
    assert_string_equal(marey_graph_labels(back.graph, &count)[0], "walk");
    assert_int_equal(count, 1);
}

CASE(a_policy_comes_back_as_it_was)
{
    OWNED(marey_policy) *made = NULL;
    OWNED(marey_controller) *one = NULL, *other = NULL;
    keep_both(f, "gaits", 20);
    OWNED(opened) of = open_graph(f, "gaits");
    test_ok(train(f->ctx, of.graph, &made, &test_error));
    test_ok(marey_library_keep_policy(f->library, "gaits", made, NULL, &test_error));
    test_ok(marey_library_policy(f->library, "gaits", of.graph, &of.policy, &test_error));
    assert_int_equal(marey_policy_settings(of.policy)->directions, 8);
    test_ok(marey_controller_open(f->ctx, of.graph, made, NULL, &one, &test_error));
    test_ok(marey_controller_open(f->ctx, of.graph, of.policy, NULL, &other, &test_error));
    for (int i = 0; i < 200; i++) {
        marey_control_input wish = { .direction_rad = i / 40, .speed_cm_s = i % 60 < 20 ? 0 : 110 };
        marey_controller_frame a, b;
        marey_controller_step(one, &wish, &a);
        marey_controller_step(other, &wish, &b);
        assert_int_equal(a.node, b.node);
        assert_true(a.x_cm == b.x_cm && a.z_cm == b.z_cm);
    }
}

/* ---- frames that were not captured ----------------------------------------------------------- */

CASE(dropouts_are_in_no_part_and_join_nothing)
{
    char path[400];
    OWNED(marey_parts) *parts = NULL;
    snprintf(path, sizeof path, "%s/lost.bvh", f->folder);
    test_write_dropouts(path, 60, 20, 25);
    const char *file = path;
    test_ok(marey_library_add(f->library, &file, 1, NULL, &test_error));
    int64_t lost = test_library_number(f, "lost");
    const marey_part of[] = { { lost, 0, 0 }, { lost, 10, 27 }, { lost, 22, 26 }, { WALK, 9, 50 } };
    test_ok(marey_library_captured_parts(f->library, of, 4, 0, &parts, &test_error));
    const marey_part want[] = {
        { lost, 0, 20 }, { lost, 25, 60 }, { lost, 10, 20 }, { lost, 25, 27 }, { WALK, 9, 50 }
    };
    assert_int_equal(parts->count, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(parts->parts[i].clip == want[i].clip &&
                    parts->parts[i].start == want[i].start && parts->parts[i].end == want[i].end);
        assert_int_equal(marey_clip_frames(parts->clips[i]), want[i].end - want[i].start);
    }
    OWNED(marey_graph) *graph = NULL;
    test_ok(build(f->ctx, parts, 20, &graph, &test_error));
    for (int n = 0; n < marey_graph_originals(graph); n++) {
        marey_graph_node node = marey_graph_node_of(graph, n);
        if (node.next >= 0) assert_int_equal(marey_graph_node_of(graph, node.next).clip, node.clip);
    }
}

CASE(invalid_clips_are_named)
{
    const char *run = "run";
    marey_parts *parts = NULL;
    assert_int_equal(marey_library_captured_parts(f->library, NULL, 0, 0, &parts, &test_error),
                     MAREY_ERR_REQUEST);
    test_refused(marey_library_captured_parts(f->library, &(marey_part){ 77, 0, 0 }, 1, 0, &parts,
                                              &test_error),
                 MAREY_ERR_NOT_FOUND, "there is no clip number 77");
    test_refused_about(marey_library_captured_parts(f->library,
                                                    &(marey_part){ WALK, 5, LONG_WALK + 1 }, 1, 0,
                                                    &parts, &test_error),
                       MAREY_ERR_REQUEST, "outside the clip");
    test_ok(marey_library_remove(f->library, &run, 1, &test_error));
    test_refused(marey_library_captured_parts(f->library, both, 2, 0, &parts, &test_error),
                 MAREY_ERR_INPUT, "clip run is removed");
    assert_null(parts);
}

/* Registrations and families are of few parts; a graph is of as many as there are. */
CASE(a_graph_may_have_more_parts_than_a_blend)
{
    enum { MANY = 300 };
    marey_part clips[MANY] = { 0 };
    marey_parts *parts = NULL;
    marey_graph *graph = NULL;
    for (int i = 0; i < MANY; i++) clips[i].clip = i % 2 ? WALK : RUN;
    test_ok(marey_library_captured_parts(f->library, clips, MANY, 0, &parts, &test_error));
    assert_int_equal(parts->count, MANY);
    marey_graph_def def = { .threshold = 1e-6, .fps = 2 };
    test_ok(
        marey_graph_build(f->ctx, parts->clips, MANY, parts->contacts, &def, &graph, &test_error));
    test_ok(
        marey_library_keep_graph(f->library, "many", graph, parts->parts, 0, NULL, &test_error));
    marey_graph_free(graph);
    marey_parts_free(parts);
    OWNED(opened) back = open_graph(f, "many");
    assert_int_equal(marey_graph_clip_count(back.graph), MANY);
    marey_part some[MANY];
    for (int i = 0; i < MANY; i++) some[i] = (marey_part){ WALK, 0, 20 };
    assert_int_equal(marey_library_parts(f->library, some, MANY, 0, &parts, &test_error),
                     MAREY_ERR_REQUEST);
}

/* ---- policies go with their graphs ----------------------------------------------------------- */

CASE(a_policy_goes_with_its_graph)
{
    keep_both(f, "gaits", 20);
    keep_both(f, "others", 20);
    train_and_keep(f, "gaits");
    train_and_keep(f, "others");
    assert_true(has_policy(f, "gaits") && has_policy(f, "others"));
    keep_both(f, "gaits", 30); /* another one in its place */
    assert_false(has_policy(f, "gaits"));
    assert_true(has_policy(f, "others"));
    test_ok(marey_library_forget(f->library, MAREY_KEPT_GRAPH, "others", &test_error));
    assert_false(has_policy(f, "others"));
    train_and_keep(f, "gaits");
    test_ok(marey_library_forget(f->library, MAREY_KEPT_POLICY, "gaits", &test_error));
    OWNED(opened) of = open_graph(f, "gaits"); /* the graph stays without it */
    test_refused(marey_library_policy(f->library, "gaits", of.graph, &of.policy, &test_error),
                 MAREY_ERR_NOT_FOUND, "no policy is called gaits");
}

CASE(what_does_not_belong_together_is_refused)
{
    keep_both(f, "gaits", 20);
    keep_both(f, "others", 5);
    OWNED(opened) of = open_graph(f, "gaits");
    test_ok(train(f->ctx, of.graph, &of.policy, &test_error));
    test_refused(marey_library_keep_policy(f->library, "others", of.policy, NULL, &test_error),
                 MAREY_ERR_REQUEST, "this policy is not one of the graph others");
    test_refused(marey_library_keep_policy(f->library, "gait", of.policy, NULL, &test_error),
                 MAREY_ERR_NOT_FOUND, "no graph is called gait; is it gaits?");
    static const marey_part shorter[] = { { WALK, 0, LONG_WALK }, { RUN, 1, LONG_RUN } };
    test_refused(
        marey_library_keep_graph(f->library, "third", of.graph, shorter, 0, NULL, &test_error),
        MAREY_ERR_REQUEST, "this graph is not one of these parts of clips");
}

CASE(a_clip_that_a_graph_lacks_is_named)
{
    const char *run = "run";
    marey_parts *parts = NULL;
    marey_graph *back = NULL;
    keep_both(f, "gaits", 20);
    train_and_keep(f, "gaits");
    test_ok(marey_library_remove(f->library, &run, 1, &test_error));
    test_refused(marey_library_graph(f->library, "gaits", &parts, &back, &test_error),
                 MAREY_ERR_STALE,
                 "the graph gaits needs the clip run (number 2), which is "
                 "removed; marey restore brings it back");
    test_library_sound(f); /* that is no damage */
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void keep_gaits(test_library *f)
{
    keep_both(f, "gaits", 20);
    train_and_keep(f, "gaits");
}

CASE(damage_is_refused_and_verify_names_the_thing)
{
    static const test_damage wrong[] = {
        { "UPDATE blob SET sum = sum + 1 WHERE kind = 'kept/graph'", "graph gaits: stored data" },
        { "UPDATE blob SET sum = sum + 1 WHERE kind = 'kept/policy'", "policy gaits: stored data" },
        { "UPDATE kept_part SET start = 5 WHERE place = 1", "graph gaits: " },
        { "UPDATE kept SET blob = (SELECT blob FROM kept WHERE kind = 'web') WHERE kind = 'graph'",
          "graph gaits: " },
        { "UPDATE kept SET blob = (SELECT blob FROM kept WHERE kind = 'web') WHERE kind = 'policy'",
          "policy gaits: " },
    };
    test_library_find_damage(f, wrong, 5, keep_gaits);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static marey_status use_graphs(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_graph) *graph = NULL;
    OWNED(marey_policy) *made = NULL, *back = NULL;
    marey_status status = build_and_keep(library, ctx, "gaits", 1, error);
    if (!status) status = marey_library_graph(library, "gaits", &parts, &graph, error);
    if (!status) status = train(ctx, graph, &made, error);
    if (!status) status = marey_library_keep_policy(library, "gaits", made, NULL, error);
    if (!status) status = marey_library_policy(library, "gaits", graph, &back, error);
    return status;
}

TEST_OF_IN(two_clips_make_small, test_library_free, test_library *f,
           refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, use_graphs);
}

TEST_GROUP_OF_CASES(test_kept_graph, NULL, NULL)
