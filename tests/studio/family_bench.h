/* family_bench.h - a library of reaches, with an index and the demo's family `reach`, for tests of
   what the studio makes of families. Read after made_bench.h. */
#ifndef MAREY_TEST_FAMILY_BENCH_H
#define MAREY_TEST_FAMILY_BENCH_H

#include "made_bench.h"

/* Five of the reaches, and the same for the program. */
#define FIVE_PARTS                                                                                 \
    "'clips': [{'clip': $reach_right, 'start': 131, 'end': 276}, {'clip': $reach_right, 'start': " \
    "379, 'end': "                                                                                 \
    "520}, {'clip': $reach_right, 'start': 655, 'end': 787}, {'clip': $reach_right, 'start': "     \
    "931, 'end': "                                                                                 \
    "1077}, {'clip': $reach_right, 'start': 1222, 'end': 1365}]"
#define FIVE_CLIPS                                                                                 \
    "reach_right#131-276,reach_right#379-520,reach_right#655-787,reach_right#931-1077,"            \
    "reach_right#1222-1365"
#define WRIST "'feature': ['position(right_wrist, apex, start)']"

/* reach_right, many reaches in a row, and slide, which has other joints. */
static inline int family_bench_open(void **state)
{
    api_bench *b = api_bench_enter(state);
    bench_program("marey demo . --take reach_right --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey slide.bvh");
    api_bench_start(b, true);
    return 0;
}

/* Builds a family, which is a job, and gives what it came to, with all that can be asked of it
   then. */
__attribute__((format(printf, 2, 3))) static inline json_t *build_family(api_bench *b,
                                                                         const char *format, ...)
{
    API_FILL(b, text, format);
    json_t *built = ask_job(b, do_param_build, "%s", text);
    json_t *all = ask(b, do_param_show, "{'name': '%s'}", word(built, "name"));
    json_t *blamed = json_array();
    for (size_t i = 0; i < size_of(built, "examples"); i++)
        json_array_append(blamed, json_object_get(item(built, "examples", i), "blamed"));
    json_object_del(built, "examples"); /* the others have more */
    json_object_update_missing(all, built);
    json_object_set_new(all, "blamed", blamed);
    json_object_del(all, "job");
    return all;
}

/* Refused at once, or by the job: `name` is the status of the error, such as "request". */
__attribute__((format(printf, 5, 6))) static inline void family_refused(api_bench *b, api_run run,
                                                                        const char *name,
                                                                        const char *part,
                                                                        const char *format, ...)
{
    API_FILL(b, text, format);
    studio_response response = api_ask_text(&b->by, run, text);
    json_t *got = answer_take_json(&response, response.status);
    if (json_object_get(got, "job")) {
        got = api_wait(b, whole(got, "job"));
        assert_string_equal(word(got, "state"), "failed");
    }
    error_says(got, name, part);
}

#endif
