/* test_kept_maps.c - maps of joints that a library keeps by pair of skeletons. */
#include "library_bench.h"

#include "motion/clip_data.h"

/* The same body, its joints called otherwise, `scale` times as large. */
static marey_clip *other_body(marey_ctx *ctx, const char *prefix, double scale)
{
    marey_clip *clip = test_person_clip(ctx, 3);
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        char *name = mry_arena_print(&clip->mem, "%s%s", prefix, clip->joints[j].name);
        assert_non_null(name);
        clip->joints[j].name = name;
        for (int i = 0; i < 3; i++) clip->joints[j].offset_cm[i] *= scale;
    }
    return clip;
}

/* A map that nothing would find: joint 1 with 2, 2 with 1, 3 with 4. */
static marey_joint_pair crossed[] = { { MAREY_ROLE_HIPS, 1, 2 },
                                      { MAREY_ROLE_COUNT, 2, 1 },
                                      { MAREY_ROLE_HEAD, 3, 4 } };

static void expect_map(marey_library *library, const marey_clip *clip, const marey_clip *onto,
                       bool turned)
{
    marey_body_map map;
    test_ok(marey_library_map(library, clip, onto, &map, &test_error));
    assert_int_equal(map.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(map.pairs[i].role, crossed[i].role);
        assert_int_equal(map.pairs[i].source, turned ? crossed[i].target : crossed[i].source);
        assert_int_equal(map.pairs[i].target, turned ? crossed[i].source : crossed[i].target);
    }
    marey_body_map_free(&map);
}

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(a_map_is_found_again_for_the_skeletons_both_ways_whatever_their_size)
{
    OWNED(marey_clip) *a = other_body(f->ctx, "", 1), *b = other_body(f->ctx, "b_", 1);
    OWNED(marey_clip) *small = other_body(f->ctx, "b_", 0.5), *c = other_body(f->ctx, "c_", 1);
    marey_body_map map = { .count = 3, .pairs = crossed }, none = { 0 };
    test_ok(marey_library_keep_map(f->library, a, b, &map, &test_error));
    for (int again = 0; again < 2; again++) {
        expect_map(f->library, a, b, false);
        expect_map(f->library, b, a, true);
        expect_map(f->library, small, a, true);
        test_refused(marey_library_map(f->library, a, c, &none, &test_error), MAREY_ERR_NOT_FOUND,
                     "no map of joints is kept for these skeletons");
        test_library_open(f, again ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ);
    }
    /* Another one takes its place, from the other side, too. */
    test_ok(marey_library_keep_map(f->library, b, a, &map, &test_error));
    expect_map(f->library, a, b, true);
    assert_int_equal(test_kept_count(f->library, MAREY_KEPT_MAP), 1);
    test_library_sound(f);
    test_ok(marey_library_forget_map(f->library, a, small, &test_error));
    test_refused(marey_library_forget_map(f->library, a, b, &test_error), MAREY_ERR_NOT_FOUND,
                 "no map of joints is kept for these skeletons");
    /* One skeleton with itself. */
    test_ok(marey_library_keep_map(f->library, a, a, &map, &test_error));
    expect_map(f->library, a, a, false);
    /* None at all is one, too. */
    test_ok(marey_library_keep_map(f->library, a, b, &none, &test_error));
    test_ok(marey_library_map(f->library, a, b, &none, &test_error));
    assert_int_equal(none.count, 0);
    marey_body_map_free(&none);
}

static int count_stale(marey_library *library)
{
    marey_kept *kept;
    int count, stale = 0;
    test_ok(marey_library_kept_list(library, NULL, &kept, &test_error));
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count; i++) stale += entries[i].stale;
    marey_kept_free(kept);
    return stale;
}

/* Things of clips of both skeletons, either first; one of clips of one skeleton; and a puppet. */
CASE(what_was_saved_by_another_map_is_stale_until_that_is_back)
{
    OWNED(marey_clip) *a = other_body(f->ctx, "", 1), *b = other_body(f->ctx, "b_", 1);
    marey_body_map map = { .count = 3, .pairs = crossed }, other = { .count = 2, .pairs = crossed };
    int64_t of_a = test_library_put_clip(f, a, "a"), of_b = test_library_put_clip(f, b, "b");
    marey_part parts[] = { { of_a, 0, 3 }, { of_b, 0, 3 }, { of_a, 0, 3 } };
    const struct {
        const char *kind, *name;
        int first, count;
    } saved[] = { { "graph", "ab", 0, 2 },
                  { "cluster", "ba", 1, 2 },
                  { "graph", "a", 0, 1 },
                  { MAREY_KEPT_PUPPET, "ab", 0, 2 } };
    for (int i = 0; i < 4; i++) {
        marey_keep_def def = { .parts = parts + saved[i].first, .part_count = saved[i].count };
        test_ok(marey_library_keep(f->library, saved[i].kind, saved[i].name, "x", 1, &def,
                                   &test_error));
    }
    assert_int_equal(count_stale(f->library), 0);
    test_ok(marey_library_keep_map(f->library, b, a, &map, &test_error));
    assert_int_equal(count_stale(f->library), 2);
    test_ok(marey_library_forget_map(f->library, a, b, &test_error));
    assert_int_equal(count_stale(f->library), 0);
    test_ok(marey_library_keep_map(f->library, b, a, &map, &test_error));
    test_ok(marey_library_keep_map(f->library, a, b, &other, &test_error));
    marey_keep_def def = { .parts = parts, .part_count = 2 };
    test_ok(marey_library_keep(f->library, "graph", "ab", "y", 1, &def, &test_error)); /* anew */
    assert_int_equal(count_stale(f->library), 1);
    test_ok(marey_library_keep_map(f->library, b, a, &map, &test_error));
    assert_int_equal(count_stale(f->library), 2);
    test_ok(marey_library_keep_map(f->library, a, b, &other, &test_error));
    assert_int_equal(count_stale(f->library), 1);
    /* Of the same joints, and of others, nothing depends on it. */
    test_ok(marey_library_keep_map(f->library, a, a, &map, &test_error));
    assert_int_equal(count_stale(f->library), 1);
}

CASE(a_damaged_map_is_refused_and_forgotten)
{
    OWNED(marey_clip) *a = other_body(f->ctx, "", 1);
    marey_body_map map = { .count = 3, .pairs = crossed };
    marey_kept *kept;
    int count;
    test_ok(marey_library_keep_map(f->library, a, a, &map, &test_error));
    test_ok(marey_library_kept_list(f->library, MAREY_KEPT_MAP, &kept, &test_error));
    test_keep(f->library, MAREY_KEPT_MAP, marey_kept_entries(kept, &count)->name, "{\"pairs\": 1}");
    marey_kept_free(kept);
    test_refused_about(marey_library_map(f->library, a, a, &map, &test_error), MAREY_ERR_INPUT,
                       "is damaged; forget it");
    assert_int_equal(map.count, 3);
    test_ok(marey_library_forget_map(f->library, a, a, &test_error));
}

CASE(refused_memory_is_reported_and_changes_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    marey_ctx *ctx = test_ctx_refusing(&memory);
    marey_clip *a = other_body(ctx, "", 1), *b = other_body(ctx, "b_", 1);
    marey_library *library = NULL;
    marey_status status = MAREY_OK;
    test_library_close(f);
    test_ok(marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, &test_error));
    marey_body_map map = { .count = 3, .pairs = crossed };
    test_ok(marey_library_keep_map(library, a, b, &map, &test_error));
    test_ok(marey_library_forget_map(library, a, b, &test_error));
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_body_map back = { 0 };
        status = marey_library_keep_map(library, a, b, &map, &test_error);
        if (!status) status = marey_library_map(library, a, b, &back, &test_error);
        marey_body_map_free(&back);
    }
    expect_map(library, a, b, false);
    marey_library_close(library);
    marey_clip_free(a);
    marey_clip_free(b);
    marey_ctx_close(ctx);
}

TEST_GROUP_OF_CASES(test_kept_maps, NULL, NULL)
