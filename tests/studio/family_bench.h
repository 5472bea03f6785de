/* family_bench.h - a library of reaches, with an index and the demo's family `reach`, for tests of what the studio makes of
   families. Read after api_bench.h. */
#ifndef MAREY_TEST_FAMILY_BENCH_H
#define MAREY_TEST_FAMILY_BENCH_H

#include "api_bench.h"
#include "json_look.h"

#include <inttypes.h>
#include <math.h>

typedef struct family_bench {
    api_bench b;
    int64_t reach; /* many reaches in a row */
    int64_t slide; /* has other joints */
} family_bench;

/* Five of the reaches, and the same for the program. */
#define FIVE_PARTS                                                                                 \
    "'clips': [{'clip': $reach, 'start': 131, 'end': 276}, {'clip': $reach, 'start': 379, 'end': " \
    "520}, {'clip': $reach, 'start': 655, 'end': 787}, {'clip': $reach, 'start': 931, 'end': "     \
    "1077}, {'clip': $reach, 'start': 1222, 'end': 1365}]"
#define FIVE_CLIPS                                                                                 \
    "reach_right#131-276,reach_right#379-520,reach_right#655-787,reach_right#931-1077,"            \
    "reach_right#1222-1365"
#define WRIST "'feature': ['position(right_wrist, apex, start)']"

static inline int family_bench_open(void **state)
{
    static family_bench all;
    all = (family_bench){ .reach = 0 };
    place_enter(&all.b.place);
    bench_program("marey demo . --take reach_right --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey slide.bvh");
    api_bench_start(&all.b, true);
    all.reach = bench_id(&all.b, "reach_right");
    all.slide = bench_id(&all.b, "slide");
    *state = &all;
    return 0;
}

static inline int family_bench_close(void **state)
{
    api_bench_close(&((family_bench *)*state)->b);
    return 0;
}

/* '$reach' and '$slide' become numbers of clips, ' becomes ". */
static inline const char *text_of(const family_bench *all, const char *text)
{
    static char out[8192];
    size_t used = 0;
    for (const char *at = text; *at;) {
        bool reach = strncmp(at, "$reach", 6) == 0;
        assert_true(used < sizeof out - 32);
        if (reach || strncmp(at, "$slide", 6) == 0) {
            used += (size_t)sprintf(out + used, "%" PRId64, reach ? all->reach : all->slide);
            at += 6;
        } else {
            out[used++] = *at == '\'' ? '"' : *at;
            at++;
        }
    }
    out[used] = 0;
    return out;
}

static inline json_t *ask_json(family_bench *all, api_run run, const char *body, int status)
{
    return api_json(&all->b, run, 0, NULL, text_of(all, body), status);
}

/* What is said of a family as a whole. */
static inline json_t *show_family(family_bench *all, const char *name, int status)
{
    char body[512];
    snprintf(body, sizeof body, "{\"name\": \"%s\"}", name);
    return api_json(&all->b, do_param_show, 0, NULL, body, status);
}

/* Builds a family, which is a job, and gives what it came to, with all that can be asked of it then. */
static inline json_t *build_family(family_bench *all, const char *body)
{
    json_t *built = api_job_done(&all->b, ask_json(all, do_param_build, body, 202));
    json_t *whole = show_family(all, json_string_value(json_object_get(built, "name")), 200);
    json_t *blamed = json_array(), *examples = json_object_get(built, "examples");
    for (size_t i = 0; i < json_array_size(examples); i++)
        json_array_append(blamed, json_object_get(json_array_get(examples, i), "blamed"));
    json_object_del(built, "examples"); /* the others have more */
    json_object_update_missing(whole, built);
    json_object_set_new(whole, "blamed", blamed);
    json_object_del(whole, "job");
    json_decref(built);
    return whole;
}

/* Refused at once, or by the job: `status` is that of the error, such as "request". */
static inline void build_refused(family_bench *all, const char *body, const char *status,
                                 const char *says)
{
    studio_response to = api_ask(&all->b, do_param_build, 0, NULL, text_of(all, body));
    json_t *got = answer_take_json(&to, to.status);
    const json_t *begun = json_object_get(got, "job");
    if (begun) {
        json_t *over = api_wait(&all->b, json_integer_value(begun));
        assert_string_equal(json_string_value(json_object_get(over, "state")), "failed");
        json_decref(got);
        got = over;
    }
    const json_t *error = json_object_get(got, "error");
    assert_string_equal(json_string_value(json_object_get(error, "status")), status);
    const char *message = json_string_value(json_object_get(error, "message"));
    if (!message || !strstr(message, says)) fail_msg("%s: %s", body, message ? message : "");
    json_decref(got);
}

static inline size_t size_of(const json_t *of, const char *key)
{
    return json_array_size(json_object_get(of, key));
}

static inline json_t *item(const json_t *of, const char *key, size_t i)
{
    return json_array_get(json_object_get(of, key), i);
}

/* Are these the numbers of a list? */
static inline void same_numbers(const json_t *list, const double *values, int count)
{
    assert_int_equal(json_array_size(list), count);
    for (int i = 0; i < count; i++) {
        assert_true(json_number_value(json_array_get(list, (size_t)i)) == values[i]);
    }
}

/* ---- made motion -------------------------------------------------------------------------------- */

typedef struct made_read {
    studio_response from;
    json_t *said;
    const uint8_t *frames; /* MRYF */
    size_t frame_bytes;
} made_read;

static inline made_read made_of_answer(studio_response from)
{
    made_read got = { .from = from };
    const uint8_t *data = from.body.data;
    uint32_t numbers[3];
    if (from.status != 200) fail_msg("%.*s", (int)from.body.count, (const char *)data);
    assert_string_equal(from.type, "application/octet-stream");
    assert_memory_equal(data, "MRYM", 4);
    memcpy(numbers, data + 4, sizeof numbers);
    got.said = json_loadb((const char *)data + 16, numbers[1], 0, NULL);
    assert_non_null(got.said);
    got.frames = data + 16 + numbers[1];
    got.frame_bytes = from.body.count - 16 - numbers[1];
    assert_memory_equal(got.frames, "MRYF", 4);
    return got;
}

static inline made_read read_member(family_bench *all, const char *body)
{
    return made_of_answer(api_ask(&all->b, do_param_make, 0, NULL, text_of(all, body)));
}

static inline void made_free(made_read *of)
{
    json_decref(of->said);
    bytes_free(&of->from.body);
}

#endif
