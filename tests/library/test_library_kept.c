/* test_library_kept.c - things that a library keeps under their names: listed, replaced, forgotten
   and damaged. */
#include "library_bench.h"

static int64_t count_rows(marey_library *library, const char *sql)
{
    mry_query query = mry_query_start(library->store, sql);
    int64_t count = mry_query_next(&query) ? mry_column_integer(&query, 0) : -1;
    test_ok(mry_query_end(&query, NULL));
    return count;
}

#define CASE(name) TEST_OF_IN(two_clips_make, test_library_free, test_library *f, name)

CASE(a_thing_comes_back_whole_until_it_is_replaced)
{
    marey_part parts[] = { { RUN, 10, 75 }, { WALK, 0, 60 }, { RUN, 3, 4 } };
    marey_keep_def def = { .about = "{\"slope\":3}", .parts = parts, .part_count = 3 };
    char bytes[5000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * i >> 3);
    test_keep(f->library, "web", "all", "the first");
    test_ok(marey_library_keep(f->library, "web", "all", bytes, sizeof bytes, &def, &test_error));
    test_ok(marey_library_rename(f->library, "run", "race", &test_error));
    for (int again = 0; again < 2; again++) {
        marey_kept *kept;
        size_t size;
        int count;
        test_ok(marey_library_kept(f->library, "web", "all", &kept, &test_error));
        const marey_kept_entry *entry = marey_kept_entries(kept, &count);
        const void *back = marey_kept_bytes(kept, &size);
        assert_int_equal(count, 1);
        assert_int_equal(size, sizeof bytes);
        assert_int_equal(entry->size, size);
        assert_memory_equal(back, bytes, size);
        assert_string_equal(entry->kind, "web");
        assert_string_equal(entry->name, "all");
        assert_string_equal(entry->about, "{\"slope\":3}");
        assert_int_equal(entry->part_count, 3);
        for (int i = 0; i < 3; i++) assert_memory_equal(&entry->parts[i], &parts[i], sizeof *parts);
        assert_string_equal(entry->part_names[0], "run");
        assert_string_equal(entry->part_names[1], "walk");
        marey_kept_free(kept);
        test_library_open(f, again ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ);
    }
    test_keep(f->library, "web", "all", ""); /* nothing is something, too; and its parts are gone */
    assert_true(test_is_kept(f->library, "web", "all", ""));
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM kept_part"), 0);
    test_history_clear(f);
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM blob WHERE kind <> 'motion'"), 1);
}

CASE(things_are_listed_by_kind_and_name)
{
    static const char *const names[][2] = {
        { "graph", "b" }, { "motion", "walk" }, { "web", "a" }, { "web", "b" }
    };
    marey_kept *kept;
    size_t size = 1;
    int count;
    assert_int_equal(test_kept_count(f->library, NULL), 0);
    for (int i = 3; i >= 0; i--) test_keep(f->library, names[i][0], names[i][1], names[i][0]);
    test_ok(marey_library_kept_list(f->library, NULL, &kept, &test_error));
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(entries[i].kind, names[i][0]);
        assert_string_equal(entries[i].name, names[i][1]);
        assert_int_equal(entries[i].size, strlen(names[i][0]));
        assert_true(test_is_kept(f->library, names[i][0], names[i][1], names[i][0]));
    }
    assert_null(marey_kept_bytes(kept, &size));
    assert_int_equal(size, 0);
    marey_kept_free(kept);
    marey_kept_free(NULL);
    assert_int_equal(test_kept_count(f->library, "web"), 2);
    assert_int_equal(test_kept_count(f->library, "we"), 0);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        test_keep(f->library, "web", name, "x");
    }
    assert_int_equal(test_kept_count(f->library, "web"), 42);
}

CASE(what_is_forgotten_is_gone_with_its_bytes_when_the_history_is)
{
    marey_part part = { WALK, 0, 10 };
    marey_keep_def def = { .parts = &part, .part_count = 1 };
    test_ok(marey_library_keep(f->library, "web", "kicks", "1", 1, &def, &test_error));
    test_keep(f->library, "web", "walks", "2");
    test_ok(marey_library_forget(f->library, "web", "kicks", &test_error));
    assert_false(test_is_kept(f->library, "web", "kicks", "1"));
    assert_true(test_is_kept(f->library, "web", "walks", "2"));
    test_history_clear(f);
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM blob WHERE kind <> 'motion'"), 1);
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM kept_part"), 0);
    test_refused(marey_library_forget(f->library, "web", "walk", &test_error), MAREY_ERR_NOT_FOUND,
                 "no web is called walk; is it walks?");
    marey_kept *kept = NULL;
    test_refused(marey_library_kept(f->library, "graph", "walks", &kept, &test_error),
                 MAREY_ERR_NOT_FOUND, "no graph is called walks");
    assert_null(kept);
}

CASE(every_change_is_a_new_version_and_reading_none)
{
    int64_t first = test_version(f->library);
    test_keep(f->library, "web", "a", "1");
    int64_t second = test_version(f->library);
    assert_int_not_equal(first, second);
    assert_true(test_is_kept(f->library, "web", "a", "1"));
    assert_int_equal(test_kept_count(f->library, NULL), 1);
    assert_int_equal(test_version(f->library), second);
    test_ok(marey_library_forget(f->library, "web", "a", &test_error));
    assert_int_not_equal(test_version(f->library), second);
}

static void expect_refusal(test_library *f, const char *kind, const char *name,
                           const marey_keep_def *def, marey_status status, const char *words)
{
    test_refused_about(marey_library_keep(f->library, kind, name, "new", 3, def, &test_error),
                       status, words);
}

CASE(invalid_requests_are_refused_and_nothing_changes)
{
    char long_name[202];
    const char *walk = "walk";
    memset(long_name, 'n', 201);
    long_name[201] = 0;
    marey_part part = { RUN, 0, 75 };
    marey_keep_def one = { .parts = &part, .part_count = 1 };
    test_keep(f->library, "web", "a", "old");
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    int64_t before = test_version(f->library);
    static const char *const kinds[] = { "", "Web", "a b", "kept/web",
                                         "0123456789012345678901234567890x" };
    for (int i = 0; i < 5; i++) expect_refusal(f, kinds[i], "a", NULL, MAREY_ERR_REQUEST, "kind");
    const char *const names[] = { "", "a/b", "#3", "a\nb", long_name };
    for (int i = 0; i < 5; i++) {
        expect_refusal(f, "web", names[i], NULL, MAREY_ERR_REQUEST,
                       "the name of a web has 1 to 200");
    }
    static const marey_part outside[] = { { RUN, -1, 3 }, { RUN, 3, 3 }, { RUN, 70, 76 } };
    for (int i = 0; i < 3; i++) {
        part = outside[i];
        expect_refusal(f, "web", "a", &one, MAREY_ERR_REQUEST, "not inside its 0-75");
    }
    part = (marey_part){ WALK, 0, 3 };
    expect_refusal(f, "web", "a", &one, MAREY_ERR_INPUT, "clip walk is removed");
    part.clip = 77;
    expect_refusal(f, "web", "a", &one, MAREY_ERR_NOT_FOUND, "there is no clip number 77");
    assert_int_equal(
        marey_library_keep(f->library, "web", "a", "x", ((size_t)1 << 30) + 1, NULL, &test_error),
        MAREY_ERR_LIMIT);
    FREED char *about = calloc(1, (1 << 20) + 2);
    memset(about, ' ', (1 << 20) + 1);
    expect_refusal(f, "web", "a", &(marey_keep_def){ .about = about }, MAREY_ERR_LIMIT, "text");
    assert_true(test_is_kept(f->library, "web", "a", "old"));
    assert_int_equal(test_kept_count(f->library, NULL), 1);
    assert_int_equal(test_version(f->library), before);
}

CASE(a_library_open_for_reading_keeps_nothing_new)
{
    test_keep(f->library, "web", "a", "1");
    test_library_open(f, MAREY_LIBRARY_READ);
    assert_true(test_is_kept(f->library, "web", "a", "1"));
    assert_int_not_equal(marey_library_keep(f->library, "web", "a", "2", 1, NULL, NULL), MAREY_OK);
    assert_int_not_equal(marey_library_forget(f->library, "web", "a", NULL), MAREY_OK);
    assert_true(test_is_kept(f->library, "web", "a", "1"));
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Every page of a large thing in turn, on the disk: it is refused and named, and the others are
   sound. */
CASE(a_changed_byte_is_found_on_the_disk)
{
    enum { BYTES = 30000 };
    FREED char *bytes = malloc(BYTES);
    size_t size;
    unsigned random = 5;
    for (int i = 0; i < BYTES; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (char)(random >> 24); /* no packing makes it smaller */
    }
    test_ok(marey_library_keep(f->library, "web", "large", bytes, BYTES, NULL, &test_error));
    test_keep(f->library, "web", "small", "x");
    test_library_close(f);
    FREED char *file = test_file_read(f->path, &size);
    int hits = 0;
    for (size_t at = 2048; at < size; at += 4096) {
        char said[4096];
        if (!memmem(bytes, BYTES, file + at, 16)) continue;
        file[at]++;
        test_file_write(f->path, file, size);
        file[at]--;
        test_library_open(f, MAREY_LIBRARY_READ);
        assert_false(test_is_kept(f->library, "web", "large", ""));
        assert_true(test_is_kept(f->library, "web", "small", "x"));
        assert_int_equal(test_kept_count(f->library, "web"), 2);
        test_library_close(f);
        assert_true(test_library_verify(f, said) > 0);
        assert_non_null(strstr(said, "web large: "));
        hits++;
    }
    assert_true(hits >= 5);
    test_file_write(f->path, file, size);
    test_library_open(f, MAREY_LIBRARY_WRITE);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static marey_status use_things(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    (void)ctx;
    static const marey_part both[] = { { WALK, 4, 56 }, { RUN, 4, 70 } };
    OWNED(marey_kept) *list = NULL, *kept = NULL;
    marey_status status =
        marey_library_keep(library, "web", "a", "bytes", 5,
                           &(marey_keep_def){ .parts = both, .part_count = 2 }, error);
    if (!status) status = marey_library_kept_list(library, NULL, &list, error);
    if (!status) status = marey_library_kept(library, "web", "a", &kept, error);
    if (!status) status = marey_library_forget(library, "web", "a", error);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, use_things);
}

TEST_GROUP_OF_CASES(test_library_kept, NULL, NULL)
