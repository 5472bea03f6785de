/* test_library_repairs.c - repairs of clips in a library: put on and taken off again, judged by
   marey_clip_repair; what follows from them, what goes stale, and the flaws that are kept. */
#include "library_bench.h"

#include "index/index_rows.h"

#include <marey/index.h>

#include <stdlib.h>

#define CASE(name) TEST_OF_IN(two_clips_make, test_library_free, test_library *f, name)

static const marey_repair slower = { .layer = { MAREY_LAYER_RATE, -1, 0, 0, { 15 } } };
static const marey_repair filled = { .layer = { MAREY_LAYER_FILL, 3, 20, 30, { 0 } },
                                     .flaw = "dropout",
                                     .size = 10,
                                     .certainty = 1,
                                     .unit = "frames" };

static void put_on(test_library *f, const char *clip, const marey_repair *repairs, int count)
{
    marey_repair_def def = { .clip = clip, .add = repairs, .add_count = count };
    test_ok(marey_library_repair(f->library, &def, 1, NULL, &test_error));
}

static void take_off(test_library *f, const char *clip)
{
    marey_repair_def def = { .clip = clip, .drop_all = true };
    test_ok(marey_library_repair(f->library, &def, 1, NULL, &test_error));
}

static int flaws_of(test_library *f, const char *clip)
{
    marey_conditions *found = NULL;
    test_ok(marey_library_examine(f->library, &clip, 1, &found, &test_error));
    int count = found->items->flaw_count;
    marey_conditions_free(found);
    return count;
}

/* What is stored of the walk's poses, and the file that it becomes. */
typedef struct shelf {
    uint64_t poses, file;
} shelf;

static shelf look(test_library *f)
{
    shelf out = { 0 };
    char path[320];
    size_t size = 0;
    mry_query row =
        mry_query_start(f->library->store, "SELECT bytes FROM pose_block WHERE clip = 1");
    if (mry_query_next(&row)) {
        const void *bytes = mry_column_bytes(&row, 0, &size);
        out.poses = mry_hash64(bytes, size, 0);
    }
    test_ok(mry_query_end(&row, &test_error));
    OWNED(marey_clip) *clip = test_library_load(f, "walk");
    snprintf(path, sizeof path, "%s/out.bvh", f->folder);
    test_ok(marey_clip_save(clip, path, &test_error));
    FREED char *file = test_file_read(path, &size);
    out.file = mry_hash64(file, size, 0);
    return out;
}

static marey_repair random_repair(uint64_t *seed)
{
    marey_layer_kind kind = (marey_layer_kind)(test_chance(seed) * MAREY_LAYER_COUNT);
    int start = (int)(test_chance(seed) * (WALK_FRAMES - 1));
    int end = start + 1 + (int)(test_chance(seed) * (WALK_FRAMES - start - 1));
    marey_layer layer = { kind, -1, start, end, { 0 } };
    int joint = (int)(test_chance(seed) * 10);
    double by = test_chance(seed);
    switch (kind) {
    case MAREY_LAYER_RATE: layer.value[0] = by < 0.5 ? 120 : 100 * by; break;
    case MAREY_LAYER_UNITS: layer.value[0] = MAREY_UNITS_MM + (int)(by * 3); break;
    case MAREY_LAYER_UP: layer.value[0] = by < 0.5 ? MAREY_UP_Y : MAREY_UP_Z; break;
    case MAREY_LAYER_ROLE:
        layer.joint = joint - 1;
        layer.value[0] = (int)(by * MAREY_ROLE_COUNT);
        break;
    case MAREY_LAYER_MARK: layer.value[0] = (int)(by * MAREY_MARK_COUNT); break;
    case MAREY_LAYER_FILL: layer.joint = joint - 1; break;
    case MAREY_LAYER_TURN:
        layer.joint = joint;
        layer.value[0] = 0.8;
        layer.value[1 + joint % 3] = 0.6;
        break;
    case MAREY_LAYER_SHIFT:
        layer.joint = 0;
        layer.value[1] = by;
        break;
    case MAREY_LAYER_LEVEL:
        layer.value[0] = 0.6;
        layer.value[3] = 0.8;
        break;
    case MAREY_LAYER_RAISE: layer.value[1] = 10 * by; break;
    case MAREY_LAYER_BONE:
        layer.joint = joint;
        layer.value[0] = 0.5 + by;
        break;
    case MAREY_LAYER_UNMARK:
    case MAREY_LAYER_COUNT: break;
    }
    if (kind <= MAREY_LAYER_ROLE) layer.start = layer.end = 0;
    return (marey_repair){ .layer = layer, .flaw = by < 0.3 ? "dropout" : "" };
}

CASE(a_clip_that_was_changed_since_it_was_examined_is_left_alone)
{
    marey_conditions *found = NULL;
    const char *name = "walk";
    test_ok(marey_library_examine(f->library, &name, 1, &found, &test_error));
    marey_repair_def defs[] = {
        { .clip = "walk", .add = &slower, .add_count = 1 },
        { .clip = "walk", .add = &filled, .add_count = 1, .layers = &found->items->layers }
    };
    shelf first = look(f);
    assert_int_equal(marey_library_repair(f->library, defs, 2, NULL, &test_error), MAREY_ERR_STALE);
    shelf now = look(f);
    assert_memory_equal(&now, &first, sizeof now);
    test_ok(marey_library_repair(f->library, &defs[1], 1, NULL, &test_error));
    assert_int_equal(marey_library_repair(f->library, &defs[1], 1, NULL, &test_error),
                     MAREY_ERR_STALE);
    marey_conditions_free(found);
}

/* Put on, some of them taken off in one of three ways, then all. */
CASE(repair_and_undo_give_the_same_bytes_in_any_order)
{
    enum { MOST = 6 };
    uint64_t seed = 7;
    shelf first = look(f);
    OWNED(marey_clip) *captured = test_library_load(f, "walk");
    for (int round = 0; round < test_trials(1000, 1000); round++) {
        marey_repair list[MOST];
        marey_layer layers[MOST];
        int count = 1 + (int)(test_chance(&seed) * (MOST - 1)), half = count / 2, kept = 0;
        for (int i = 0; i < count; i++) list[i] = random_repair(&seed);
        put_on(f, "walk", list, half);
        put_on(f, "walk", list + half, count - half);
        int place = (int)(test_chance(&seed) * count), way = round % 3;
        marey_repair_def drop = { .clip = "walk",
                                  .drop_set = way == 1,
                                  .drop_flaws = way == 2 ? 1 << MAREY_FLAW_DROPOUT : 0,
                                  .drop_places = &place,
                                  .drop_place_count = way == 0 };
        test_ok(marey_library_repair(f->library, &drop, 1, NULL, &test_error));
        for (int i = 0; i < count; i++) {
            bool gone = way == 0 ? i == place : (way == 1) == !*list[i].flaw;
            if (!gone) layers[kept++] = list[i].layer;
        }
        marey_clip *judge = NULL, *now = test_library_load(f, "walk"), *again = NULL;
        test_ok(marey_clip_repair(captured, layers, kept, &judge, &test_error));
        test_same_clip(now, judge);
        test_ok(marey_library_load_captured(f->library, "walk", &again, &test_error));
        test_same_clip(again, captured);
        marey_clip_free(judge);
        marey_clip_free(again);
        marey_clip_free(now);
        if (round % 20 == 0) {
            /* Poses that are made of stored clips are those that were put in. */
            shelf put = look(f);
            test_library_sound(f);
            test_ok(marey_library_index_poses(f->library, true, NULL, &test_error));
            shelf made = look(f);
            assert_memory_equal(&made, &put, sizeof made);
        }
        take_off(f, "walk");
        shelf last = look(f);
        assert_memory_equal(&last, &first, sizeof last);
    }
    OWNED(marey_clip) *last = test_library_load(f, "walk");
    test_same_clip(last, captured);
    test_library_sound(f);
}

CASE(repairs_are_listed_with_why_they_are_there)
{
    marey_repair both[] = { filled, slower };
    marey_conditions *found = NULL;
    marey_listing *listing = NULL;
    int count;
    put_on(f, "walk", both, 2);
    test_ok(marey_library_examine(f->library, NULL, 0, &found, &test_error));
    assert_int_equal(found->count, 2);
    assert_string_equal(found->items[0].clip.name, "run");
    assert_int_equal(found->items[0].repair_count, 0);
    const marey_repair *one = found->items[1].repairs;
    assert_int_equal(found->items[1].repair_count, 2);
    assert_memory_equal(&one[0].layer, &filled.layer, sizeof filled.layer);
    assert_string_equal(one[0].flaw, "dropout");
    assert_true(*one[0].joint != 0 && one[0].size == 10 && one[0].certainty == 1);
    assert_string_equal(one[1].flaw, "");
    assert_true(one[1].layer.value[0] == 15);
    marey_conditions_free(found);
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    const marey_entry *walk = marey_listing_entries(listing, &count) + 1;
    assert_true(walk->fps == 15 && walk->repair_count == 2 && walk->flaw_count >= 0);
    assert_non_null(strstr(walk->repairs, "{\"kind\":\"rate\",\"joint\":null,\"start\":0,\"end\":0,"
                                          "\"flaw\":null,"));
    marey_listing_free(listing);
}

/* An answer of the library depends on the motion that was captured, not on what it became. */
CASE(a_repaired_clip_is_still_recognised_and_cut_as_it_is)
{
    marey_repair turn = { .layer = { MAREY_LAYER_TURN, 3, 10, 20, { 0.8, 0.6 } } };
    put_on(f, "walk", &turn, 1);
    put_on(f, "walk", &slower, 1);
    test_library_add(f, "walk.bvh", NULL);
    assert_int_equal(test_library_count(f, NULL), 2);
    test_ok(marey_library_cut(f->library, "walk", 5, 25, "part", NULL, 0, &test_error));
    OWNED(marey_clip) *whole = test_library_load(f, "walk"), *part = test_library_load(f, "part");
    for (int i = 0; i < 20; i++) assert_true(test_pose_apart(part, i, whole, 5 + i) < 1e-3);
    assert_true(marey_clip_fps(part) == 15);
    test_library_sound(f);
}

/* ---- what follows from a clip ---------------------------------------------------------------- */

static void expect_stale(test_library *f, bool stale)
{
    OWNED(marey_kept) *kept = NULL;
    marey_parts *parts = NULL;
    marey_registration *curve = NULL;
    int count;
    test_ok(marey_library_kept_list(f->library, NULL, &kept, &test_error));
    assert_int_equal(marey_kept_entries(kept, &count)->stale, stale);
    if (stale) {
        test_refused_about(
            marey_library_registration(f->library, "both", &parts, &curve, &test_error),
            MAREY_ERR_STALE, "is made of the clip walk, which was repaired, set or mapped");
        return;
    }
    test_ok(marey_library_registration(f->library, "both", &parts, &curve, &test_error));
    marey_registration_free(curve);
    marey_parts_free(parts);
}

CASE(what_was_made_of_a_clip_is_stale_until_it_is_as_it_was)
{
    static const marey_part parts[] = { { WALK, 0, WALK_FRAMES }, { RUN, 0, RUN_FRAMES } };
    marey_parts *opened = test_library_parts(f, parts, 2);
    marey_registration *curve = NULL;
    marey_index_state index;
    size_t size = 0;
    int webs = 0;
    test_ok(marey_registration_build(f->ctx, opened->clips, 2, opened->contacts, NULL, &curve,
                                     &test_error));
    test_ok(marey_library_keep_registration(f->library, "both", curve, parts, NULL, &test_error));
    test_ok(marey_library_index(f->library, NULL, NULL, &test_error));
    test_ok(marey_library_keep_picture(f->library, WALK, "strip", 0, "x", 1, &test_error));
    expect_stale(f, false);
    marey_repair_def def = { .clip = "walk", .add = &filled, .add_count = 1 };
    test_ok(marey_library_repair(f->library, &def, 1, &webs, &test_error));
    assert_int_equal(webs, 2);
    expect_stale(f, true);
    test_library_sound(f);
    test_ok(marey_library_index_state(f->library, &index, &test_error));
    assert_int_equal(index.pairs_missing, 2);
    /* A web that was made of the clip before it was repaired does not go in behind that. */
    mry_web_row late = { .a = WALK, .b = WALK, .rows = WALK_FRAMES, .cols = WALK_FRAMES };
    test_ok(mry_web_row_put(f->library, &late, &test_error));
    test_ok(marey_library_index_state(f->library, &index, &test_error));
    assert_int_equal(index.pairs_missing, 2);
    test_ok(marey_library_picture(f->library, WALK, "strip", NULL, 0, &size, &test_error));
    assert_int_equal(size, 0);
    /* What was made before the change is not saved behind it as if it were of the clip now. */
    test_refused_about(
        marey_library_keep_registration(f->library, "late", curve, parts, NULL, &test_error),
        MAREY_ERR_STALE, "its repairs were changed while");
    take_off(f, "walk");
    expect_stale(f, false);
    marey_registration_free(curve);
    marey_parts_free(opened);
    test_ok(marey_library_index(f->library, NULL, NULL, &test_error));
    test_library_sound(f);
}

/* A searcher stays open while a clip is marked, and knows of it. */
CASE(marked_frames_are_no_query_and_no_match)
{
    marey_searcher *searcher = NULL;
    marey_finding *found = NULL;
    marey_query query = { .clip = "walk", .start = 10, .end = 40 };
    marey_repair mark = { .layer = { MAREY_LAYER_MARK, -1, 0, 45, { MAREY_MARK_BY_HAND } } };
    test_ok(marey_searcher_open(f->library, &searcher, &test_error));
    test_ok(marey_searcher_find(searcher, &query, NULL, &found, &test_error));
    marey_finding_free(found);
    put_on(f, "walk", &mark, 1);
    test_refused_about(marey_searcher_find(searcher, &query, NULL, &found, &test_error),
                       MAREY_ERR_REQUEST, "none of the frames 10-40 is captured motion");
    query = (marey_query){ .clip = "run", .start = 10, .end = 40 };
    marey_find_def all = { .nearest = 20 };
    test_ok(marey_searcher_find(searcher, &query, &all, &found, &test_error));
    int count;
    const marey_match *matches = marey_finding_matches(found, &count);
    for (int i = 0; i < count; i++) assert_true(matches[i].clip == RUN || matches[i].start >= 45);
    marey_finding_free(found);
    marey_searcher_free(searcher);
}

/* Flaws are those that are found in the clip as it is, and kept, unless other checks found them. */
CASE(flaws_are_kept_and_found_again_where_they_are_missing_or_old)
{
    marey_repair mark = { .layer = { MAREY_LAYER_MARK, -1, 40, 45, { MAREY_MARK_DROPOUT } } };
    int before = flaws_of(f, "walk");
    put_on(f, "walk", &mark, 1);
    assert_int_equal(flaws_of(f, "walk"), before + 1);
    static const char *const spoil[] = { "DELETE FROM flaw", "UPDATE flaw SET edition = 0",
                                         "UPDATE flaw SET bytes = x'00'",
                                         "UPDATE flaw SET sum = 0" };
    for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
        test_ok(mry_store_run(f->library->store, spoil[i], &test_error));
        test_library_open(f, MAREY_LIBRARY_READ);
        assert_int_equal(flaws_of(f, "walk"), before + 1);
        test_library_open(f, MAREY_LIBRARY_WRITE);
        int64_t version = test_version(f->library);
        assert_int_equal(flaws_of(f, "walk"), before + 1);
        assert_int_equal(test_version(f->library), version + 1);
        assert_int_equal(flaws_of(f, "walk"), before + 1);
        assert_int_equal(test_version(f->library), version + 1);
    }
}

static int kept_flaws(test_library *f)
{
    int64_t count = -1;
    test_ok(mry_query_finish(mry_query_start(f->library->store, "SELECT count(*) FROM flaw"),
                             &count, &test_error));
    return (int)count;
}

static int examine_all(marey_library *library)
{
    marey_conditions *found = NULL;
    test_ok(marey_library_examine(library, NULL, 0, &found, &test_error));
    int count = found->count;
    marey_conditions_free(found);
    return count;
}

CASE(looking_keeps_what_it_finds_unless_another_writes_or_the_file_is_old)
{
    marey_library *other = NULL;
    int all = kept_flaws(f);
    test_ok(mry_store_run(f->library->store, "DELETE FROM flaw", &test_error));
    test_library_open(f, MAREY_LIBRARY_KEEP);
    test_ok(marey_library_open(f->ctx, f->path, MAREY_LIBRARY_WRITE, &other, &test_error));
    test_ok(mry_store_begin(other->store, &test_error));
    assert_int_equal(examine_all(f->library), all);
    assert_int_equal(kept_flaws(f), 0);
    mry_store_rollback(other->store);
    marey_library_close(other);
    assert_int_equal(examine_all(f->library), all);
    assert_int_equal(kept_flaws(f), all);

    char path[400];
    size_t size = 0, now = 0;
    FREED char *old = test_file_read(MAREY_TEST_DATA "/libraries/schema-6.marey", &size);
    snprintf(path, sizeof path, "%s/old.marey", f->folder);
    test_file_write(path, old, size);
    test_ok(marey_library_open(f->ctx, path, MAREY_LIBRARY_KEEP, &other, &test_error));
    assert_true(examine_all(other) > 0);
    marey_library_close(other);
    FREED char *after = test_file_read(path, &now);
    assert_int_equal(now, size);
    assert_memory_equal(after, old, size);
}

typedef struct told {
    int flaws, mended, mendable;
} told;

static void note(void *user, const marey_add_result *result)
{
    told *to = user;
    to->flaws = result->flaw_count;
    to->mended = result->mended;
    to->mendable = 0;
    for (int i = 0; i < result->flaw_count; i++) to->mendable += result->flaws[i].mendable;
}

/* Tracking is lost for two frames: all its numbers are 0. */
CASE(flaws_of_a_file_are_kept_and_mended_as_it_is_added)
{
    marey_clip *lost = test_person_clip(f->ctx, 90);
    size_t row = (size_t)lost->skeleton.channel_count;
    char path[320];
    told before = { 0 }, after = { 0 };
    memset(lost->source.channels + 40 * row, 0, 2 * row * sizeof(double));
    snprintf(path, sizeof path, "%s/lost.bvh", f->folder);
    test_ok(marey_clip_save(lost, path, &test_error));
    marey_clip_free(lost);
    test_library_add(f, "lost.bvh", &(marey_add_def){ .done = note, .user = &before });
    assert_true(before.mendable > 0);
    assert_int_equal(flaws_of(f, "lost"), before.flaws);
    test_ok(marey_library_purge(f->library, &(const char *){ "lost" }, 1, NULL, &test_error));
    test_library_add(f, "lost.bvh",
                     &(marey_add_def){ .fix = UINT64_MAX, .done = note, .user = &after });
    assert_int_equal(after.flaws, before.flaws);
    assert_int_equal(after.mended, before.mendable);
    assert_true(flaws_of(f, "lost") < before.flaws);
    OWNED(marey_clip) *mended = test_library_load(f, "lost");
    assert_true(marey_clip_root(mended, 40)[1] > 10);
    test_library_sound(f);
    shelf now = look(f);
    test_ok(marey_library_index_poses(f->library, true, NULL, &test_error));
    shelf again = look(f);
    assert_memory_equal(&now, &again, sizeof now);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

CASE(a_layer_that_is_not_for_a_clip_leaves_all_as_they_were)
{
    static const marey_layer wrong[] = { { MAREY_LAYER_FILL, 3, 0, WALK_FRAMES + 1, { 0 } },
                                         { MAREY_LAYER_FILL, 999, 0, 9, { 0 } },
                                         { MAREY_LAYER_RATE, -1, 0, 0, { 0 } },
                                         { MAREY_LAYER_COUNT, -1, 0, 0, { 0 } } };
    put_on(f, "walk", &filled, 1);
    int64_t before = test_version(f->library);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_repair bad = { .layer = wrong[i] };
        marey_repair_def defs[] = { { .clip = "run", .add = &slower, .add_count = 1 },
                                    { .clip = "walk", .add = &bad, .add_count = 1 } };
        assert_int_equal(marey_library_repair(f->library, defs, 2, NULL, NULL), MAREY_ERR_REQUEST);
        defs[1].clip = "jog";
        assert_int_equal(marey_library_repair(f->library, defs, 2, NULL, NULL),
                         MAREY_ERR_NOT_FOUND);
    }
    marey_ctx_cancel(f->ctx);
    marey_repair_def def = { .clip = "walk", .drop_all = true };
    assert_int_equal(marey_library_repair(f->library, &def, 1, NULL, NULL), MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
    assert_int_equal(test_version(f->library), before);
}

CASE(a_clip_that_is_named_twice_gets_both_repairs)
{
    marey_repair_def defs[] = { { .clip = "walk", .add = &slower, .add_count = 1 },
                                { .clip = "#1", .add = &filled, .add_count = 1 },
                                { .clip = "walk", .drop_set = true } };
    const char *walk = "walk";
    marey_conditions *found = NULL;
    test_ok(marey_library_repair(f->library, defs, 3, NULL, &test_error));
    test_ok(marey_library_examine(f->library, &walk, 1, &found, &test_error));
    assert_int_equal(found->items->repair_count, 1);
    assert_string_equal(found->items->repairs->flaw, "dropout");
    marey_conditions_free(found);
}

static void renew(test_library *f)
{
    take_off(f, "walk");
    put_on(f, "walk", &filled, 1);
    put_on(f, "walk", &slower, 1);
}

CASE(verify_finds_repairs_that_are_not_those_that_were_made)
{
    static const test_damage damage[] = {
        { "UPDATE layer SET kind = 'magic' WHERE place = 0", "its repair 0 (magic) is damaged" },
        { "UPDATE layer SET joint = 99 WHERE place = 0", "clip walk: layer 0, fill: its joint" },
        { "UPDATE layer SET stop = 25 WHERE place = 0", "its repairs are not those" },
        { "UPDATE layer SET numbers = x'00' WHERE place = 1", "its repair 1 (rate) is damaged" },
        { "DELETE FROM layer WHERE place = 1", "its repairs are not those" },
        { "UPDATE clip SET fps = 30 WHERE id = 1", "its repairs are not those" },
        { "UPDATE flaw SET sum = sum + 1 WHERE clip = 1", "its flaws are damaged" },
    };
    test_library_find_damage(f, damage, sizeof damage / sizeof *damage, renew);
}

static marey_status mend(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    marey_repair_def defs[] = { { .clip = "walk", .add = &filled, .add_count = 1 },
                                { .clip = "run", .add = &slower, .add_count = 1 } };
    marey_conditions *found = NULL;
    (void)ctx;
    marey_status status = marey_library_repair(library, defs, 2, NULL, error);
    if (!status) status = mry_store_run(library->store, "DELETE FROM flaw", error);
    if (!status) status = marey_library_examine(library, NULL, 0, &found, error);
    marey_conditions_free(found);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, mend);
}

TEST_GROUP_OF_CASES(test_library_repairs, NULL, NULL)
