/* test_pose_search_faults.c - searching by poses gives the same answer whatever a library keeps of
   them and however many threads there are, and says what is wrong when memory is refused, when it is
   cancelled, and when a foreign library made the poses up. */
#include "searcher_bench.h"

#include "base/context.h"

#include <string.h>

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

/* ---- what the library keeps ------------------------------------------------------------------ */

static void renew_searcher(test_library *f, marey_library_mode mode)
{
    marey_searcher_free(f->searcher);
    f->searcher = NULL;
    test_library_open(f, mode);
    test_ok(marey_searcher_open(f->library, &f->searcher, &test_error));
}

#define BLOCKS_OF(name, other)                                                                     \
    "UPDATE pose_block SET (size, sum, bytes) = (SELECT size, sum, bytes FROM pose_block"          \
    " WHERE clip = (SELECT id FROM clip WHERE name = '" other "'))"                                \
    " WHERE clip = (SELECT id FROM clip WHERE name = '" name "')"

CASE(what_is_missing_or_damaged_changes_no_answer)
{
    static const struct {
        const char *sql, *said; /* of verify; "": that is no damage */
        int missing;
    } rows[] = {
        { "DELETE FROM pose_block", "", 3 },
        { "UPDATE pose_block SET bytes = zeroblob(size) WHERE clip = 2",
          "clip fight: what searches go by is damaged", 1 },
        { "UPDATE pose_block SET sum = sum + 1 WHERE clip = 1",
          "clip kicks: what searches go by is damaged", 0 },
        { "UPDATE pose_block SET bytes = substr(bytes, 1, size - 7) WHERE clip = 3",
          "clip punches: what searches go by is damaged", 0 },
        { BLOCKS_OF("fight", "punches"), "", 0 },
    };
    marey_find_def def = { .search = { .tiers = 2 } };
    OWNED(marey_finding) *before = test_searcher_find(f, test_kick, &def);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[4096];
        marey_pose_report report;
        test_ok(mry_store_run(f->library->store, rows[i].sql, &test_error));
        renew_searcher(f, MAREY_LIBRARY_READ);
        OWNED(marey_finding) *after = test_searcher_find(f, test_kick, &def);
        test_same_findings(before, after);
        test_ok(marey_library_pose_state(f->library, &report, &test_error));
        assert_int_equal(report.clips_made, rows[i].missing);
        test_refused_about(marey_library_index_poses(f->library, true, NULL, &test_error),
                           MAREY_ERR_REQUEST, "must be open for writing");
        assert_int_equal(test_library_verify(f, said), *rows[i].said != 0);
        if (!strstr(said, rows[i].said)) fail_msg("%zu: %s", i, said);
        renew_searcher(f, MAREY_LIBRARY_WRITE);
        test_ok(marey_library_index_poses(f->library, !rows[i].missing, &report, &test_error));
        assert_int_equal(report.clips_made, rows[i].missing ? rows[i].missing : 3);
        assert_true(report.clips == 3 && report.bytes > 0);
        test_library_sound(f);
    }
    OWNED(marey_finding) *last = test_searcher_find(f, test_kick, &def);
    test_same_findings(before, last);
}

CASE(a_library_of_an_earlier_schema_answers_as_one_of_today)
{
    marey_query query = { .clip = "wave", .start = 15, .end = 40 };
    marey_find_def def = { .nearest = 6 };
    marey_finding *findings[2] = { NULL, NULL };
    for (int i = 0; i < 2; i++) {
        OWNED(marey_library) *library = NULL;
        OWNED(marey_searcher) *searcher = NULL;
        char path[600];
        snprintf(path, sizeof path, "%s/libraries/schema-%d.marey", MAREY_TEST_DATA, 4 + i);
        test_ok(marey_library_open(f->ctx, path, MAREY_LIBRARY_READ, &library, &test_error));
        test_ok(marey_searcher_open(library, &searcher, &test_error));
        test_ok(marey_searcher_find(searcher, &query, &def, &findings[i], &test_error));
    }
    assert_true(test_found_count(findings[0]) > 1);
    test_same_findings(findings[0], findings[1]);
    for (int i = 0; i < 2; i++) marey_finding_free(findings[i]);
}

/* With every sum right, as a sender could make them. */
CASE(blocks_of_another_body_are_refused)
{
    marey_find_def all = { .search = { .threshold = 1e6 } };
    test_searcher_put_thing(f->library, "thing", "lid", 1);
    test_searcher_put(f->library, test_person_clip(f->ctx, 60), "person", NULL);
    marey_query query = { .clip = "person", .start = 5, .end = 25 };
    OWNED(marey_finding) *sound = test_searcher_find(f, query, &all);
    test_ok(mry_store_run(f->library->store, BLOCKS_OF("thing", "person"), &test_error));
    renew_searcher(f, MAREY_LIBRARY_READ);
    test_searcher_refuses(f, query, &all, MAREY_ERR_INPUT, "another clip's");
    renew_searcher(f, MAREY_LIBRARY_WRITE);
    test_ok(marey_library_index_poses(f->library, true, NULL, &test_error));
    renew_searcher(f, MAREY_LIBRARY_READ);
    OWNED(marey_finding) *again = test_searcher_find(f, query, &all);
    test_same_findings(sound, again);
}

/* ---- threads, memory, cancelling ------------------------------------------------------------- */

static const marey_query left_kick = { .clip = "kicks", .start = 372, .end = 502 };
static const marey_query punch = { .clip = "punches", .start = 130, .end = 331 };

CASE(any_number_of_threads_finds_the_same)
{
    for (int own_size = 0; own_size < 2; own_size++) {
        marey_find_def def = { .search = { .tiers = 2 }, .own_size = own_size };
        def.like = &left_kick;
        def.unlike = &punch;
        def.like_count = def.unlike_count = own_size;
        OWNED(marey_finding) *alone = test_searcher_find(f, test_kick, &def);
        OWNED(marey_ctx) *ctx = NULL;
        OWNED(marey_library) *library = NULL;
        OWNED(marey_searcher) *searcher = NULL;
        OWNED(marey_finding) *together = NULL;
        test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &ctx));
        test_ok(marey_library_open(ctx, f->path, MAREY_LIBRARY_READ, &library, &test_error));
        test_ok(marey_searcher_open(library, &searcher, &test_error));
        test_ok(marey_searcher_find(searcher, &test_kick, &def, &together, &test_error));
        test_same_findings(alone, together);
    }
}

/* Limits that rise until everything fits, for several threads at once. */
CASE(too_little_memory_is_reported_and_the_next_search_is_right)
{
    OWNED(marey_finding) *right = test_searcher_find(f, test_kick, NULL);
    OWNED(marey_ctx) *ctx = NULL;
    OWNED(marey_library) *library = NULL;
    OWNED(marey_searcher) *searcher = NULL;
    int refused = 0;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &ctx));
    test_ok(marey_library_open(ctx, f->path, MAREY_LIBRARY_READ, &library, &test_error));
    test_ok(marey_searcher_open(library, &searcher, &test_error));
    for (size_t more = 64;; more += more / (TEST_SANITIZED ? 2 : 8)) {
        marey_finding *finding = NULL;
        ctx->def.byte_limit = marey_ctx_bytes(ctx) + more;
        marey_status status =
            marey_searcher_find(searcher, &test_kick, NULL, &finding, &test_error);
        ctx->def.byte_limit = SIZE_MAX;
        assert_true((finding == NULL) == (status != MAREY_OK));
        if (!status) {
            test_same_findings(right, finding);
            marey_finding_free(finding);
            break;
        }
        assert_int_equal(status, MAREY_ERR_MEMORY);
        refused++;
    }
    assert_true(refused > 10);
}

static marey_status search_both(marey_library *library, marey_searcher *searcher)
{
    OWNED(marey_finding) *inside = NULL, *outside = NULL;
    OWNED(marey_clip) *clip = NULL;
    marey_find_def def = { .search = { .tiers = 2 }, .label = "kick" };
    marey_status status = marey_searcher_find(searcher, &test_kick, &def, &inside, &test_error);
    if (!status) status = marey_library_load(library, "kicks", &clip, &test_error);
    marey_query query = { .outside = clip, .start = TEST_KICK_START, .end = TEST_KICK_END };
    def = (marey_find_def){ .nearest = 9,
                            .mirror = true,
                            .like = &left_kick,
                            .like_count = 1,
                            .unlike = &punch,
                            .unlike_count = 1 };
    if (!status) status = marey_searcher_find(searcher, &query, &def, &outside, &test_error);
    return status;
}

CASE(refused_memory_and_cancelling_are_reported_and_nothing_is_held)
{
    test_ok(mry_store_run(f->library->store, "DELETE FROM pose_block WHERE clip = 2", &test_error));
    test_searcher_starve(f, search_both);
}

CASE(a_query_of_minutes_is_refused)
{
    enum { FRAMES = 9000 };
    OWNED(marey_clip) *kicks = test_library_load(f, "kicks");
    OWNED(marey_clip) *standing = mry_clip_make_like(kicks, FRAMES, 60);
    assert_non_null(standing);
    for (int i = 0; i < FRAMES; i++) mry_clip_copy_frames(standing, i, kicks, 0, 1);
    marey_query query = { .outside = standing, .end = FRAMES };
    test_searcher_refuses(f, query, NULL, MAREY_ERR_LIMIT, "at most 137 s, got 150 s");
}

TEST_GROUP_OF_CASES(test_pose_search_faults, test_searcher_base_make, test_searcher_base_remove)
