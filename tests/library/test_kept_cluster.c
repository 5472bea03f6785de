/* test_kept_cluster.c - cluster graphs in a library: they come back with the clips they are of,
   frames that were not captured are in none of them, what does not belong together is refused, and
   damage is named. */
#include "library_bench.h"
#include "program_lines.h"

static const marey_part both[] = { { WALK, 0, 0 }, { RUN, 0, 0 } };

static marey_status build(marey_ctx *ctx, const marey_parts *parts, double threshold,
                          marey_clusters **out, marey_error *error)
{
    marey_clusters_def def = { .threshold = threshold, .link = MAREY_LINK_SINGLE };
    return marey_clusters_build(ctx, parts->clips, parts->count, &def, out, error);
}

/* Builds one of both clips and keeps it. */
static marey_status build_and_keep(marey_library *library, marey_ctx *ctx, const char *name,
                                   double threshold, marey_error *error)
{
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_clusters) *made = NULL;
    marey_status status = marey_library_captured_parts(library, both, 2, 0, &parts, error);
    if (status) return status;
    status = build(ctx, parts, threshold, &made, error);
    if (!status)
        status = marey_library_keep_clusters(library, name, made, parts->parts, 0, "{}", error);
    return status;
}

static void keep_both(test_library *f, const char *name, double threshold)
{
    test_ok(build_and_keep(f->library, f->ctx, name, threshold, &test_error));
}

/* ---- coming back ----------------------------------------------------------------------------- */

static void same_clusters(const marey_clusters *a, const marey_clusters *b)
{
    int count, other;
    const marey_cluster_node *nodes = marey_clusters_nodes(a, &count);
    const marey_cluster_node *again = marey_clusters_nodes(b, &other);
    assert_int_equal(count, other);
    assert_true(count > 2);
    for (int i = 0; i < count; i++) {
        assert_true(nodes[i].first == again[i].first && nodes[i].rows == again[i].rows &&
                    nodes[i].sequences == again[i].sequences && nodes[i].clip == again[i].clip &&
                    nodes[i].frame == again[i].frame && nodes[i].loops == again[i].loops &&
                    nodes[i].widest == again[i].widest);
    }
    const marey_cluster_sequence *ours = marey_clusters_sequences(a, &count);
    const marey_cluster_sequence *theirs = marey_clusters_sequences(b, &other);
    assert_int_equal(count, other);
    for (int i = 0; i < count; i++) {
        assert_true(ours[i].node == theirs[i].node && ours[i].clip == theirs[i].clip &&
                    ours[i].start == theirs[i].start && ours[i].end == theirs[i].end &&
                    ours[i].next == theirs[i].next && ours[i].before == theirs[i].before);
    }
    assert_true(marey_clusters_fps(a) == marey_clusters_fps(b));
    assert_int_equal(marey_clusters_settings(a)->link, marey_clusters_settings(b)->link);
    assert_true(marey_clusters_settings(a)->threshold == marey_clusters_settings(b)->threshold);
}

#define CASE(name) TEST_OF_IN(two_clips_make_long, test_library_free, test_library *f, name)

CASE(a_graph_comes_back_with_its_clips_whatever_they_are_called)
{
    OWNED(marey_parts) *parts = NULL, *again = NULL;
    OWNED(marey_clusters) *made = NULL, *back = NULL;
    test_ok(marey_library_captured_parts(f->library, both, 2, 0, &parts, &test_error));
    test_ok(build(f->ctx, parts, 4, &made, &test_error));
    test_ok(
        marey_library_keep_clusters(f->library, "gaits", made, parts->parts, 0, NULL, &test_error));
    test_ok(marey_library_rename(f->library, "run", "race", &test_error));
    test_ok(marey_library_clusters(f->library, "gaits", &again, &back, &test_error));
    same_clusters(made, back);
    assert_string_equal(again->names[1].name, "race");
}

/* A clip with a dropout is two parts, and frames of the second are counted from its start. */
CASE(frames_that_were_not_captured_are_in_no_node)
{
    char path[400];
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_clusters) *made = NULL;
    int count, frames = 0;
    snprintf(path, sizeof path, "%s/lost.bvh", f->folder);
    test_write_dropouts(path, 60, 20, 25);
    const char *file = path;
    test_ok(marey_library_add(f->library, &file, 1, NULL, &test_error));
    int64_t id = test_library_number(f, "lost");
    test_ok(marey_library_captured_parts(f->library, &(marey_part){ id, 0, 0 }, 1, 0, &parts,
                                         &test_error));
    assert_int_equal(parts->count, 2);
    test_ok(build(f->ctx, parts, 4, &made, &test_error));
    const marey_cluster_sequence *all = marey_clusters_sequences(made, &count);
    for (int i = 0; i < count; i++) {
        int first = parts->parts[all[i].clip].start;
        assert_true(first + all[i].end <= 20 || first + all[i].start >= 25);
        if (all[i].next >= 0) assert_int_equal(all[all[i].next].clip, all[i].clip);
        frames += all[i].end - all[i].start;
    }
    assert_int_equal(frames, 55);
}

/* ---- invalid requests ------------------------------------------------------------------------ */

CASE(what_does_not_belong_together_is_refused)
{
    static const marey_part shorter[] = { { WALK, 0, LONG_WALK }, { RUN, 1, LONG_RUN } };
    marey_parts *parts = NULL;
    marey_clusters *made = NULL;
    keep_both(f, "gaits", 4);
    test_ok(marey_library_clusters(f->library, "gaits", &parts, &made, &test_error));
    test_refused(marey_library_keep_clusters(f->library, "x", made, shorter, 0, NULL, &test_error),
                 MAREY_ERR_REQUEST, "this cluster graph is not one of these parts of clips");
    assert_int_equal(
        marey_library_keep_clusters(f->library, "a/b", made, parts->parts, 0, NULL, &test_error),
        MAREY_ERR_REQUEST);
    marey_clusters_free(made);
    marey_parts_free(parts);
    parts = NULL;
    made = NULL;
    test_refused(marey_library_clusters(f->library, "gait", &parts, &made, &test_error),
                 MAREY_ERR_NOT_FOUND, "no cluster is called gait; is it gaits?");
    assert_null(parts);
    assert_null(made);
    /* Names are their kind's own. */
    marey_graph *graph = NULL;
    assert_int_equal(marey_library_graph(f->library, "gaits", &parts, &graph, &test_error),
                     MAREY_ERR_NOT_FOUND);
}

CASE(a_clip_that_a_graph_lacks_is_named)
{
    const char *run = "run";
    marey_parts *parts = NULL;
    marey_clusters *back = NULL;
    keep_both(f, "gaits", 4);
    test_ok(marey_library_remove(f->library, &run, 1, &test_error));
    test_refused(marey_library_clusters(f->library, "gaits", &parts, &back, &test_error),
                 MAREY_ERR_STALE,
                 "the cluster graph gaits needs the clip run (number 2), "
                 "which is removed; marey restore brings it back");
    test_library_sound(f); /* that is no damage */
}

CASE(a_library_open_for_reading_keeps_nothing)
{
    marey_library *reader = test_library_second(f, MAREY_LIBRARY_READ);
    marey_status status = build_and_keep(reader, f->ctx, "gaits", 4, &test_error);
    marey_library_close(reader);
    assert_int_equal(status, MAREY_ERR_INPUT);
}

static void keep_gaits(test_library *f)
{
    keep_both(f, "gaits", 4);
}

CASE(damage_is_refused_and_verify_names_the_thing)
{
    static const test_damage wrong[] = {
        { "UPDATE blob SET sum = sum + 1 WHERE kind = 'kept/cluster'",
          "cluster gaits: stored data" },
        { "UPDATE kept_part SET start = 5 WHERE place = 1", "cluster gaits: " },
        { "UPDATE kept SET blob = (SELECT blob FROM kept WHERE kind = 'web') WHERE kind = "
          "'cluster'",
          "cluster gaits: " },
    };
    test_library_find_damage(f, wrong, 3, keep_gaits);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static marey_status use_clusters(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_clusters) *back = NULL;
    marey_status status = build_and_keep(library, ctx, "gaits", 4, error);
    if (!status) status = marey_library_clusters(library, "gaits", &parts, &back, error);
    return status;
}

TEST_OF_IN(two_clips_make_small, test_library_free, test_library *f,
           refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, use_clusters);
}

TEST_GROUP_OF_CASES(test_kept_cluster, NULL, NULL)
