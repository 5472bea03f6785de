/* test_kept_puppet.c - puppets in a library: they come back as they were without any clip, damage
   to them is named; and kept things under other names. */
#include "library_bench.h"
#include "puppet_bench.h"
#include "sqlite_faults.h"

enum { SHORT = 90, FRAMES = 60 };

static int set_up(void **state)
{
    *state = two_clips_new(FRAMES, FRAMES);
    return 0;
}

/* What a puppet learns from the first `count` samples of a ready demonstration. */
static marey_status learn(marey_ctx *ctx, int index, int count, marey_puppet **out,
                          marey_error *error)
{
    int all;
    FREED marey_puppet_sample *samples = puppet_bench_ready(index, &all);
    marey_demonstration one = { samples, count };
    return marey_puppet_train(ctx, &one, 1, NULL, out, error);
}

static void keep_ready(test_library *f, const char *name, int index, const char *about)
{
    OWNED(marey_puppet) *made = NULL;
    test_ok(learn(f->ctx, index, SHORT, &made, &test_error));
    test_ok(marey_library_keep_puppet(f->library, name, made, NULL, 0, about, &test_error));
}

/* Is the one that is kept under this name the one that learns from this demonstration? */
static bool is_ready(test_library *f, const char *name, int index)
{
    OWNED(marey_puppet) *kept = NULL, *made = NULL;
    uint8_t *a = NULL, *b = NULL;
    size_t a_size = 0, b_size = 0;
    if (marey_library_puppet(f->library, name, &kept, NULL)) return false;
    test_ok(learn(f->ctx, index, SHORT, &made, &test_error));
    test_ok(marey_puppet_write(kept, &a, &a_size, &test_error));
    test_ok(marey_puppet_write(made, &b, &b_size, &test_error));
    bool same = a_size == b_size && memcmp(a, b, a_size) == 0;
    marey_graph_bytes_free(f->ctx, a, a_size);
    marey_graph_bytes_free(f->ctx, b, b_size);
    return same;
}

/* ---- coming back ----------------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(set_up, test_library_free, test_library *f, name)

CASE(a_puppet_comes_back_and_reacts_as_it_did)
{
    OWNED(marey_puppet) *made = NULL, *back = NULL;
    OWNED(marey_reactor) *one = NULL, *other = NULL;
    marey_entity main[SHORT];
    test_ok(learn(f->ctx, 0, 600, &made, &test_error));
    test_ok(marey_library_keep_puppet(f->library, "pet", made, NULL, 0, NULL, &test_error));
    test_ok(marey_library_puppet(f->library, "pet", &back, &test_error));
    assert_int_equal(marey_puppet_samples(back), marey_puppet_samples(made));
    assert_int_equal(marey_puppet_runs(back), 1);
    assert_true(marey_puppet_settings(back)->rate == marey_puppet_settings(made)->rate);
    puppet_bench_wander(3, main, SHORT);
    test_ok(marey_reactor_open(f->ctx, made, main, NULL, &one, &test_error));
    test_ok(marey_reactor_open(f->ctx, back, main, NULL, &other, &test_error));
    for (int i = 0; i < SHORT; i++) {
        marey_puppet_frame a, b;
        marey_puppet_step(one, &main[i], &a);
        marey_puppet_step(other, &main[i], &b);
        assert_true(a.react.x_cm == b.react.x_cm && a.react.y_cm == b.react.y_cm);
        assert_true(a.react.direction_rad == b.react.direction_rad && a.time_s == b.time_s);
    }
}

CASE(puppets_of_no_clips_are_listed_with_their_texts)
{
    marey_kept *kept = NULL;
    int count;
    keep_ready(f, "shy one", 1, "keeps away");
    keep_ready(f, "pet", 0, NULL);
    test_ok(marey_library_kept_list(f->library, MAREY_KEPT_PUPPET, &kept, &test_error));
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    assert_int_equal(count, 2);
    assert_string_equal(entries[0].name, "pet");
    assert_string_equal(entries[0].about, "");
    assert_string_equal(entries[1].about, "keeps away");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(entries[i].part_count, 0);
        assert_true(entries[i].size > SHORT * 48);
    }
    marey_kept_free(kept);
    test_library_sound(f);
}

CASE(another_one_takes_the_place_of_that_name)
{
    OWNED(marey_kept) *kept = NULL;
    int count;
    keep_ready(f, "pet", 0, "one");
    int64_t before = test_version(f->library);
    keep_ready(f, "pet", 1, "other");
    assert_true(test_version(f->library) != before);
    assert_true(is_ready(f, "pet", 1));
    test_ok(marey_library_kept_list(f->library, MAREY_KEPT_PUPPET, &kept, &test_error));
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].about, "other");
}

CASE(a_forgotten_puppet_is_gone_and_a_name_like_it_is_offered)
{
    marey_puppet *none = NULL;
    keep_ready(f, "pet", 0, NULL);
    keep_ready(f, "pets", 1, NULL);
    test_ok(marey_library_forget(f->library, MAREY_KEPT_PUPPET, "pet", &test_error));
    test_refused(marey_library_puppet(f->library, "pet", &none, &test_error), MAREY_ERR_NOT_FOUND,
                 "no puppet is called pet; is it pets?");
    assert_null(none);
    assert_true(is_ready(f, "pets", 1));
}

/* ---- clips it was trained on ----------------------------------------------------------------- */

CASE(a_puppet_outlives_the_clips_it_was_trained_on)
{
    const marey_part parts[] = { { WALK, 0, FRAMES }, { RUN, 5, 30 } };
    const char *walk = "walk";
    marey_puppet *made = NULL;
    OWNED(marey_kept) *kept = NULL;
    int count;
    test_ok(learn(f->ctx, 0, SHORT, &made, &test_error));
    test_ok(marey_library_keep_puppet(f->library, "pet", made, parts, 2, NULL, &test_error));
    marey_puppet_free(made);
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    assert_true(is_ready(f, "pet", 0));
    test_ok(marey_library_purge(f->library, NULL, 0, NULL, &test_error));
    assert_true(is_ready(f, "pet", 0));
    test_library_sound(f);
    test_ok(marey_library_kept(f->library, MAREY_KEPT_PUPPET, "pet", &kept, &test_error));
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    assert_int_equal(entry->part_count, 2);
    assert_string_equal(entry->part_names[0], "#1"); /* what it was called is gone with it */
    assert_string_equal(entry->part_names[1], "run");
    assert_true(entry->parts[1].clip == RUN && entry->parts[1].start == 5);
}

/* "walk: CC BY-NC 4.0, far: CC0", in the order of the library. */
static void assert_sources(test_library *f, const char *expected)
{
    OWNED(marey_puppet_sources) *sources = NULL;
    char text[512] = "";
    int count;
    test_ok(marey_library_puppet_sources(f->library, "pet", &sources, &test_error));
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s: %s", i ? ", " : "", items[i].name,
                 items[i].licence);
    }
    assert_string_equal(text, expected);
}

static void change_licence(test_library *f, const char *clip, const char *licence)
{
    marey_edit_def def = { .licence = licence };
    test_ok(marey_library_edit(f->library, &clip, 1, &def, &test_error));
}

CASE(licences_of_clips_are_those_of_now_and_outlive_them)
{
    const marey_part parts[] = { { WALK, 0, FRAMES }, { RUN, 5, 30 }, { RUN, 30, 40 } };
    const marey_puppet_source far[] = { { "far", "CC0" }, { "walk", "CC BY-NC 4.0" } };
    const char *walk = "walk", *run = "run";
    OWNED(marey_puppet) *made = NULL;
    change_licence(f, walk, "CC BY-NC 4.0");
    test_ok(learn(f->ctx, 0, SHORT, &made, &test_error));
    test_ok(marey_library_keep_puppet_from(f->library, "pet", made, far, 2, parts, 3, NULL,
                                           &test_error));
    assert_sources(f, "walk: CC BY-NC 4.0, far: CC0");
    test_ok(marey_library_rename(f->library, "walk", "stroll", &test_error));
    assert_sources(f, "stroll: CC BY-NC 4.0, far: CC0");
    test_ok(marey_library_rename(f->library, "stroll", "walk", &test_error));
    change_licence(f, run, "CC BY 4.0");
    test_ok(marey_library_rename(f->library, "run", "ran", &test_error));
    assert_sources(f, "walk: CC BY-NC 4.0, ran: CC BY 4.0, far: CC0");
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    assert_sources(f, "walk: CC BY-NC 4.0, ran: CC BY 4.0, far: CC0");
    test_ok(marey_library_purge(f->library, NULL, 0, NULL, &test_error));
    assert_sources(f, "ran: CC BY 4.0, #1: CC BY-NC 4.0, far: CC0"); /* as it was then */
    assert_true(is_ready(f, "pet", 0));
    test_library_sound(f);
    test_ok(marey_library_keep_puppet(f->library, "pet", made, NULL, 0, NULL, &test_error));
    assert_sources(f, "");
}

/* Also where a puppet knows it by name alone, as one does that was trained on from another. */
CASE(a_purged_clip_is_named_by_no_puppet)
{
    const marey_part parts[] = { { WALK, 0, FRAMES }, { RUN, 5, 30 } };
    const marey_puppet_source far[] = { { "walk", "CC BY-NC 4.0" }, { "walkway", "CC0" } };
    const char *walk = "walk";
    OWNED(marey_puppet) *made = NULL;
    marey_kept *kept = NULL;
    char said[4096];
    size_t size;
    int count;
    change_licence(f, walk, "CC BY-NC 4.0");
    test_ok(learn(f->ctx, 0, SHORT, &made, &test_error));
    test_ok(marey_library_keep_puppet(f->library, "own", made, parts, 2,
                                      "trained on walk#20-100 with run, walkway-walk",
                                      &test_error));
    test_ok(marey_library_keep_puppet_from(f->library, "pet", made, far, 2, NULL, 0, "walk",
                                           &test_error));
    test_keep(f->library, MAREY_KEPT_PUPPET, "broken", "no puppet: walk");
    test_ok(marey_library_purge(f->library, &walk, 1, NULL, &test_error));
    assert_sources(f, "#1: CC BY-NC 4.0, walkway: CC0");
    assert_true(is_ready(f, "pet", 0));
    assert_true(is_ready(f, "own", 0));
    test_ok(marey_library_kept(f->library, MAREY_KEPT_PUPPET, "own", &kept, &test_error));
    assert_string_equal(marey_kept_entries(kept, &count)->about,
                        "trained on #1#20-100 with run, walkway-walk");
    const char *bytes = marey_kept_bytes(kept, &size);
    assert_null(memmem(bytes, size, "walk", 4));
    marey_kept_free(kept);
    assert_true(test_is_kept(f->library, MAREY_KEPT_PUPPET, "broken", "no puppet: walk"));
    assert_int_equal(test_library_verify(f, said), 1); /* the broken one */
}

/* As when a clip was purged, another one took its name, and more of the same is shown with that. */
CASE(a_clip_of_the_same_name_does_not_hide_the_licence_of_another)
{
    const marey_part parts[] = { { WALK, 0, FRAMES }, { RUN, 5, 30 } };
    const marey_puppet_source gone[] = { { "walk", "CC BY-NC 4.0" }, { "run", "CC BY-NC 4.0" } };
    const char *walk = "walk";
    OWNED(marey_puppet) *made = NULL;
    change_licence(f, walk, "CC0");
    test_ok(learn(f->ctx, 0, SHORT, &made, &test_error));
    test_ok(marey_library_keep_puppet_from(f->library, "pet", made, gone, 2, parts, 2, NULL,
                                           &test_error));
    assert_sources(f, "walk: CC0, walk (another): CC BY-NC 4.0, run (another): CC BY-NC 4.0");
    change_licence(f, walk, "CC BY 4.0");
    assert_sources(f, "walk: CC BY 4.0, walk (another): CC BY-NC 4.0, "
                      "run (another): CC BY-NC 4.0");
}

CASE(invalid_parts_are_refused_and_nothing_is_kept)
{
    const marey_part beyond = { WALK, 0, FRAMES + 1 }, nowhere = { 77, 0, 5 };
    marey_puppet *made = NULL;
    test_ok(learn(f->ctx, 0, SHORT, &made, &test_error));
    assert_int_equal(
        marey_library_keep_puppet(f->library, "pet", made, &beyond, 1, NULL, &test_error),
        MAREY_ERR_REQUEST);
    test_refused(marey_library_keep_puppet(f->library, "pet", made, &nowhere, 1, NULL, &test_error),
                 MAREY_ERR_NOT_FOUND, "there is no clip number 77");
    assert_int_equal(marey_library_keep_puppet(f->library, "a/b", made, NULL, 0, NULL, &test_error),
                     MAREY_ERR_REQUEST);
    marey_puppet_free(made);
    assert_false(is_ready(f, "pet", 0));
}

/* ---- other names ----------------------------------------------------------------------------- */

CASE(a_renamed_puppet_is_had_by_its_new_name_only)
{
    keep_ready(f, "pet", 0, "one");
    int64_t before = test_version(f->library);
    test_ok(marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pet", "dog", &test_error));
    assert_true(test_version(f->library) != before);
    assert_true(is_ready(f, "dog", 0));
    assert_false(is_ready(f, "pet", 0));
    keep_ready(f, "pet", 1, NULL); /* another one under the old name */
    assert_true(is_ready(f, "dog", 0));
    assert_true(is_ready(f, "pet", 1));
    test_library_sound(f);
}

CASE(a_name_that_is_taken_or_invalid_is_refused)
{
    keep_ready(f, "pet", 0, NULL);
    keep_ready(f, "dog", 1, NULL);
    test_refused(
        marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pet", "dog", &test_error),
        MAREY_ERR_INPUT,
        "there is a puppet called dog already; choose another name, or remove that one first");
    test_refused(
        marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pat", "cat", &test_error),
        MAREY_ERR_NOT_FOUND, "no puppet is called pat; is it pet?");
    assert_int_equal(
        marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pet", "a#b", &test_error),
        MAREY_ERR_REQUEST);
    assert_int_equal(
        marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pet", "", &test_error),
        MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_rename_kept(f->library, "no kind", "pet", "cat", &test_error),
                     MAREY_ERR_REQUEST);
    assert_true(is_ready(f, "pet", 0) && is_ready(f, "dog", 1));
}

CASE(a_thing_may_be_renamed_to_its_own_name_or_to_that_of_another_kind)
{
    keep_ready(f, "pet", 0, NULL);
    test_keep(f->library, "web", "dog", "of another kind");
    test_ok(marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pet", "pet", &test_error));
    assert_true(is_ready(f, "pet", 0));
    test_ok(marey_library_rename_kept(f->library, MAREY_KEPT_PUPPET, "pet", "dog", &test_error));
    assert_true(is_ready(f, "dog", 0));
    assert_true(test_is_kept(f->library, "web", "dog", "of another kind"));
}

CASE(a_graph_takes_its_policy_with_it)
{
    test_keep(f->library, MAREY_KEPT_GRAPH, "gaits", "graph");
    test_keep(f->library, MAREY_KEPT_POLICY, "gaits", "policy");
    test_keep(f->library, MAREY_KEPT_POLICY, "steps", "of a graph that is not there");
    test_refused(
        marey_library_rename_kept(f->library, MAREY_KEPT_POLICY, "gaits", "x", &test_error),
        MAREY_ERR_REQUEST, "a policy has the name of its graph: rename that");
    test_ok(marey_library_rename_kept(f->library, MAREY_KEPT_GRAPH, "gaits", "steps", &test_error));
    assert_true(test_is_kept(f->library, MAREY_KEPT_GRAPH, "steps", "graph"));
    assert_true(test_is_kept(f->library, MAREY_KEPT_POLICY, "steps", "policy"));
    assert_false(test_is_kept(f->library, MAREY_KEPT_POLICY, "gaits", "policy"));
    test_keep(f->library, MAREY_KEPT_GRAPH, "plain", "graph without one");
    test_ok(
        marey_library_rename_kept(f->library, MAREY_KEPT_GRAPH, "plain", "simple", &test_error));
    assert_false(test_is_kept(f->library, MAREY_KEPT_POLICY, "simple", "policy"));
}

CASE(a_library_that_is_only_read_gives_puppets_and_takes_none)
{
    OWNED(marey_puppet) *made = NULL, *back = NULL;
    keep_ready(f, "pet", 0, NULL);
    OWNED(marey_library) *reader = test_library_second(f, MAREY_LIBRARY_READ);
    test_ok(marey_library_puppet(reader, "pet", &back, &test_error));
    test_ok(learn(f->ctx, 1, SHORT, &made, &test_error));
    test_refused(marey_library_keep_puppet(reader, "dog", made, NULL, 0, NULL, &test_error),
                 MAREY_ERR_INPUT, "this library is read-only");
    test_refused(marey_library_rename_kept(reader, MAREY_KEPT_PUPPET, "pet", "dog", &test_error),
                 MAREY_ERR_INPUT, "this library is read-only");
    assert_true(is_ready(f, "pet", 0));
}

/* ---- damage ---------------------------------------------------------------------------------- */

CASE(damage_is_refused_and_verify_names_the_puppet)
{
    static const struct {
        const char *sql, *said, *error;
    } wrong[] = {
        { "UPDATE blob SET sum = sum + 1 WHERE id = (SELECT blob FROM kept WHERE"
          " kind = 'puppet' AND name = 'pet')",
          "puppet pet: stored data", "the puppet pet is damaged; run marey verify" },
        { "UPDATE kept SET blob = (SELECT blob FROM kept WHERE kind = 'web') WHERE name = 'pet'",
          "puppet pet: the kept puppet is damaged", "the puppet pet: the kept puppet is damaged" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char said[4096];
        marey_puppet *none = NULL;
        test_keep(f->library, "web", "sound", "something else, long enough");
        keep_ready(f, "pet", 0, NULL);
        keep_ready(f, "dog", 1, NULL);
        test_history_clear(f);
        test_library_sound(f);
        test_ok(mry_store_run(f->library->store, wrong[i].sql, &test_error));
        assert_int_equal(test_library_verify(f, said), 1);
        if (!strstr(said, wrong[i].said)) fail_msg("%d: %s", (int)i, said);
        test_refused(marey_library_puppet(f->library, "pet", &none, &test_error), MAREY_ERR_INPUT,
                     wrong[i].error);
        assert_null(none);
        assert_true(is_ready(f, "dog", 1));
    }
}

/* ---- what fails underneath ------------------------------------------------------------------- */

/* A dog is left where it failed between renaming and forgetting. */
static marey_status use_puppets(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    const marey_part part = { WALK, 0, FRAMES };
    const marey_puppet_source other = { "walk",
                                        "CC0" }; /* called as the part, which has no licence */
    OWNED(marey_puppet) *made = NULL, *back = NULL;
    OWNED(marey_puppet_sources) *sources = NULL;
    int count = 0;
    marey_status status = marey_library_forget(library, MAREY_KEPT_PUPPET, "dog", error);
    if (!status || marey_status_group(status) == MAREY_ERR_INPUT)
        status = learn(ctx, 0, SHORT, &made, error);
    if (!status)
        status =
            marey_library_keep_puppet_from(library, "pet", made, &other, 1, &part, 1, "one", error);
    if (!status) status = marey_library_puppet_sources(library, "pet", &sources, error);
    if (!status) marey_puppet_sources_list(sources, &count);
    assert_true(status || count == 1);
    if (!status) status = marey_library_puppet(library, "pet", &back, error);
    if (!status)
        status = marey_library_rename_kept(library, MAREY_KEPT_PUPPET, "pet", "dog", error);
    if (!status) status = marey_library_forget(library, MAREY_KEPT_PUPPET, "dog", error);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, use_puppets);
}

/* As the graph and its policy were called before, or both as they are called then. */
static bool are_called(test_library *f, const char *name)
{
    bool graph = test_is_kept(f->library, MAREY_KEPT_GRAPH, name, "graph");
    bool policy = test_is_kept(f->library, MAREY_KEPT_POLICY, name, "policy");
    assert_int_equal(graph, policy);
    return graph;
}

CASE(a_write_that_fails_renames_all_or_nothing)
{
    test_disk *disk = test_disk_install();
    int kept = 0, failed = 0;
    for (long n = 0; kept < 2; n++) { /* twice, since the log is moved into the file now and then */
        test_keep(f->library, MAREY_KEPT_GRAPH, "gaits", "graph");
        test_keep(f->library, MAREY_KEPT_POLICY, "gaits", "policy");
        test_disk_heal();
        disk->kinds = TEST_DISK_WRITE | TEST_DISK_SYNC | TEST_DISK_TRUNCATE;
        disk->fail = n;
        disk->from_then_on = true;
        marey_status status =
            marey_library_rename_kept(f->library, MAREY_KEPT_GRAPH, "gaits", "steps", &test_error);
        bool reached = disk->calls > n;
        test_disk_heal();
        if (status && status != MAREY_ERR_IO) fail_msg("call %ld: %s", n, test_error.message);
        assert_int_equal(are_called(f, status ? "gaits" : "steps"), true);
        assert_int_equal(are_called(f, status ? "steps" : "gaits"), false);
        failed += status != MAREY_OK;
        kept += !reached;
        test_ok(marey_library_forget(f->library, MAREY_KEPT_GRAPH, status ? "gaits" : "steps",
                                     &test_error));
    }
    assert_true(failed > 0);
    test_library_sound(f);
}

TEST_GROUP(test_kept_puppet)
{
    test_disk_install();
    return test_cases_run("test_kept_puppet", __FILE__, NULL, NULL);
}
