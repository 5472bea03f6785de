/* test_studio_folder.c - a studio of a folder of libraries: which of its files are libraries, what each
   studio says of the others, their addresses, and a search of all of them beside the one that the
   library does. */
#include "studio_bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct folder_bench {
    studio_bench by; /* of the first studio */
    studio_folder *folder;
    char libraries[300], second[320];
} folder_bench;

static int open_folder(void **state)
{
    static folder_bench f;
    f = (folder_bench){ .folder = NULL };
    char first[320], other[340];
    studio_bench_library(&f.by);
    snprintf(f.libraries, sizeof f.libraries, "%s/libraries", f.by.folder);
    mkdir(f.libraries, 0777);
    snprintf(first, sizeof first, "%s/a.marey", f.libraries);
    snprintf(f.second, sizeof f.second, "%s/b.marey", f.libraries);
    test_file_copy(f.by.path, first);
    test_file_copy(f.by.path, f.second);
    /* None of these is one of the folder's libraries. */
    snprintf(other, sizeof other, "%s/notes.txt", f.libraries);
    test_file_write(other, "x", 1);
    snprintf(other, sizeof other, "%s/below", f.libraries);
    mkdir(other, 0777);
    snprintf(other, sizeof other, "%s/below/c.marey", f.libraries);
    test_file_copy(f.by.path, other);
    const studio_def def = { .library_path = f.libraries, .threads = 1, .workers = 1 };
    marey_error error = { 0 };
    if (studio_folder_open(&def, &f.folder, &error) != MAREY_OK) fail_msg("%s", error.message);
    f.by.host = studio_folder_first(f.folder);
    f.by.port = studio_port(f.by.host);
    snprintf(f.by.token, sizeof f.by.token, "%s", studio_token(f.by.host));
    *state = &f;
    return 0;
}

static int close_folder(void **state)
{
    folder_bench *f = *state;
    assert_true(studio_folder_close_within(f->folder, 60000));
    f->by.host = NULL;
    studio_bench_close(&f->by);
    return 0;
}

#define CASE(name) TEST_OF_IN(open_folder, close_folder, folder_bench *f, name)

CASE(the_libraries_that_lie_in_a_folder_are_listed_by_name)
{
    assert_int_equal(studio_folder_count(f->folder), 2);
    expect(studio_get(&f->by, 200, "/api/about"),
           "{'libraries': ['a', 'b'], 'own_library': 0, 'library': {'writable': true}}");
}

CASE(another_library_has_a_studio_of_its_own_which_is_opened_once)
{
    char address[200], again[200];
    studio_bench other = f->by;
    snprintf(address, sizeof address, "%s",
             word(studio_post(&f->by, 200, "/api/libraries/1", "{}"), "address"));
    snprintf(again, sizeof again, "%s",
             word(studio_post(&f->by, 200, "/api/libraries/1", "{}"), "address"));
    assert_string_equal(address, again);
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d/?token=%63s", &other.port, other.token),
                     2);
    assert_int_not_equal(other.port, f->by.port);
    expect(studio_get(&other, 200, "/api/about"), "{'libraries': ['a', 'b'], 'own_library': 1}");
    /* And back to the first. */
    snprintf(again, sizeof again, "%s",
             word(studio_post(&other, 200, "/api/libraries/0", "{}"), "address"));
    assert_string_equal(again, studio_address(f->by.host));
    studio_post(&f->by, 404, "/api/libraries/2", "{}");
    studio_post(&f->by, 400, "/api/libraries/1", "{'name': 'b'}");
}

CASE(a_port_that_is_asked_for_is_that_of_the_first_studio)
{
    char address[200];
    studio_def def = { .library_path = f->libraries, .threads = 1, .workers = 1 };
    studio_bench first = f->by, second = f->by;
    studio_folder *own = NULL;
    marey_error error = { 0 };
    marey_status status = MAREY_ERR_REQUEST;
    for (int port = 20011; status != MAREY_OK && port < 21000; port += 7) { /* one that is free */
        def.port = port;
        status = studio_folder_open(&def, &own, &error);
    }
    if (status != MAREY_OK) fail_msg("%s", error.message);
    first.host = studio_folder_first(own);
    first.port = studio_port(first.host);
    assert_int_equal(first.port, def.port);
    snprintf(first.token, sizeof first.token, "%s", studio_token(first.host));
    snprintf(address, sizeof address, "%s",
             word(studio_post(&first, 200, "/api/libraries/1", "{}"), "address"));
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d/?token=%63s", &second.port, second.token),
                     2);
    assert_int_not_equal(second.port, def.port);
    expect(studio_get(&second, 200, "/api/about"), "{'own_library': 1}");
    assert_true(studio_folder_close_within(own, 60000));
}

#define WALK "{'query': {'clip': %d, 'start': 10, 'end': 50}"

CASE(a_search_of_all_libraries_says_where_each_match_is)
{
    int id = (int)f->by.ids[0];
    json_t *all =
        studio_post(&f->by, 200, "/api/do/search", WALK ", 'nearest': 4, 'also': ['b']}", id);
    json_t *again =
        studio_post(&f->by, 200, "/api/do/search", WALK ", 'nearest': 4, 'also': ['b']}", id);
    json_t *one = studio_post(&f->by, 200, "/api/do/search", WALK ", 'nearest': 4}", id);
    assert_true(same_json(json_object_get(all, "matches"), json_object_get(again, "matches")));
    assert_string_equal(word(item(all, "matches", 0), "library"), "a");
    int copies = 0; /* of the query, in the other one: its clips begin alike */
    for (size_t i = 1; i < size_of(all, "matches"); i++)
        copies += strcmp(word(item(all, "matches", i), "library"), "b") == 0 &&
                  whole(item(all, "matches", i), "start") == 10;
    assert_true(copies > 0);
    assert_null(json_object_get(all, "search")); /* it is not remembered */
    assert_null(json_object_get(item(one, "matches", 0), "library"));
    assert_true(whole(one, "search") > 0);
    studio_post(&f->by, 200, "/api/do/example",
                "{'query': {'clip': %d, 'start': 10, 'end': 50}, 'also': ['b']}", id);
}

CASE(no_other_file_is_reached_by_a_search)
{
    int id = (int)f->by.ids[0];
    const char *const names[] = { "c", "below/c", "b.marey", f->second, "../b", "a" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        studio_post(&f->by, 400, "/api/do/search", WALK ", 'also': ['%s']}", id, names[i]);
}

TEST_IN(NULL, NULL, a_folder_without_a_library_is_refused)
{
    char folder[256];
    studio_folder *made = NULL;
    test_folder_make(folder, sizeof folder);
    test_refused_about(
        studio_folder_open(&(studio_def){ .library_path = folder }, &made, &test_error),
        MAREY_ERR_REQUEST, "no library (.marey) lies in this folder");
    assert_null(made);
    test_folder_remove(folder);
}

CASE(a_studio_of_one_library_has_no_others)
{
    studio_bench alone;
    studio_bench_open(&alone, NULL);
    expect(studio_get(&alone, 200, "/api/about"), "{'libraries': [], 'own_library': null}");
    studio_post(&alone, 404, "/api/libraries/0", "{}");
    studio_post(&alone, 400, "/api/do/search",
                "{'query': {'clip': %d, 'start': 10, 'end': 50}, 'also': ['%s']}",
                (int)alone.ids[0], f->second);
    studio_close(alone.host);
    test_folder_remove(alone.folder);
}

TEST_GROUP_OF_CASES(test_studio_folder, NULL, NULL)
