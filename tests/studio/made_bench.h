/* made_bench.h - generated motion in the studio, as bytes and as clips in the library, for tests
   that compare both with the program's. Read after api_bench.h. */
#ifndef MAREY_TEST_MADE_BENCH_H
#define MAREY_TEST_MADE_BENCH_H

#include "api_bench.h"

typedef struct made_read {
    studio_response from;
    json_t *said;
    const uint8_t *frames; /* MRYF */
    size_t frame_bytes;
} made_read;

static inline void made_free(made_read *made)
{
    answer_clear(&made->from);
}
OWNED_VALUE(made_read, made_free)

static inline made_read made_of_answer(studio_response from)
{
    made_read got = { .from = from };
    const uint8_t *data = from.body.data;
    uint32_t numbers[3];
    if (from.status != 200) fail_msg("%.*s", (int)from.body.count, (const char *)data);
    assert_string_equal(from.type, "application/octet-stream");
    assert_memory_equal(data, "MRYM", 4);
    memcpy(numbers, data + 4, sizeof numbers);
    assert_true(numbers[0] == 1 && numbers[1] % 8 == 0 && numbers[2] == 0);
    got.said = json_hold_text((const char *)data + 16, numbers[1]);
    got.frames = data + 16 + numbers[1];
    got.frame_bytes = from.body.count - 16 - numbers[1];
    assert_memory_equal(got.frames, "MRYF", 4);
    return got;
}

__attribute__((format(printf, 3, 4))) static inline made_read read_made(api_bench *b, api_run run,
                                                                        const char *format, ...)
{
    API_FILL(b, text, format);
    return made_of_answer(api_ask_text(&b->by, run, text));
}

/* What a clip's card has, without its name and number. */
static inline json_t *said_of(api_bench *b, const char *name)
{
    json_t *one = ask(b, api_clip, "/%" PRId64, bench_id(b, name));
    json_object_del(one, "name");
    json_object_del(one, "id");
    json_object_del(json_object_get(one, "report"), "name");
    return one;
}

static inline void same_frames(api_bench *b, const char *left, const char *right)
{
    OWNED(studio_response) x = api_ask(b, api_frames, "/%" PRId64, bench_id(b, left));
    OWNED(studio_response) y = api_ask(b, api_frames, "/%" PRId64, bench_id(b, right));
    assert_int_equal(x.status, 200);
    if (x.body.count != y.body.count || memcmp(x.body.data, y.body.data, x.body.count) != 0)
        fail_msg("%s is not %s", left, right);
}

/* Frames, plants, licence and provenance. */
static inline void made_same(api_bench *b, const char *left, const char *right)
{
    same_values(said_of(b, left), said_of(b, right), "frames fps licence contacts provenance");
    same_frames(b, left, right);
}

static inline void made_removed(api_bench *b, const char *name)
{
    ask(b, do_rm, "{'clips': ['%s'], 'purge': true}", name);
}

/* What is saved for the fields of a body is the clip that the program makes by a line, both of
   which begin as given: `keys` of both answers agree. The clips are removed; the answer is given
   back, and in *said that of the program. */
static inline json_t *made_as_the_program(api_bench *b, api_run run, const char *const begin[2],
                                          const char *fields, const char *line, const char *keys,
                                          json_t **said)
{
    json_t *got = ask(b, run, "{'name': 'ours', %s, %s}", begin[0], fields);
    *said = program_json("marey %s %s -o lib.marey:theirs --json", begin[1], line);
    expect(got, "{'name': 'ours', 'id': %" PRId64 "}", bench_id(b, "ours"));
    same_values(got, *said, keys);
    made_same(b, "ours", "theirs");
    made_removed(b, "ours");
    made_removed(b, "theirs");
    return got;
}

/* The pieces of generated motion come one behind the other and are all of it. */
static inline void made_pieces_fit(const json_t *said)
{
    double at = 0;
    for (size_t i = 0; i < size_of(said, "pieces"); i++) {
        const json_t *one = item(said, "pieces", i);
        assert_true(number(one, "at") == at);
        assert_true(number(one, "length") >= 1 && number(one, "end") > number(one, "start"));
        at += number(one, "length");
    }
    assert_true(at == number(said, "frames"));
}

/* Two builds, of which the first may be done before it is cancelled; the second waits behind it and
   never begins. Neither is there afterwards. */
static inline void builds_are_cancelled(api_bench *b, api_run build, api_run remove)
{
    int64_t first = job_begin(b, build, "{'name': 'gone', 'label': 'walk'}");
    int64_t second = job_begin(b, build, "{'name': 'never', 'label': 'walk'}");
    assert_true(jobs_cancel(b->of.jobs, second));
    assert_true(jobs_cancel(b->of.jobs, first));
    bool done = strcmp(word(api_wait(b, first), "state"), "done") == 0;
    if (!done) expect(api_wait(b, first), "{'state': 'cancelled'}");
    expect(api_wait(b, second), "{'state': 'cancelled'}");
    if (done) ask(b, remove, "{'name': 'gone'}");
    refused(b, 404, "input", "never", remove, "{'name': 'never'}");
    refused(b, 404, "input", "gone", remove, "{'name': 'gone'}");
}

/* Two saved objects of a kind have the same bytes; `about` may be NULL, or gets what is noted of
   each. */
static inline void same_saved(api_bench *b, const char *kind, const char *left, const char *right,
                              json_t **about)
{
    OWNED(marey_kept) *x = NULL, *y = NULL;
    size_t x_size, y_size;
    int count;
    assert_int_equal(marey_library_kept(b->by.library, kind, left, &x, NULL), MAREY_OK);
    assert_int_equal(marey_library_kept(b->by.library, kind, right, &y, NULL), MAREY_OK);
    const void *x_bytes = marey_kept_bytes(x, &x_size), *y_bytes = marey_kept_bytes(y, &y_size);
    assert_int_equal(x_size, y_size);
    assert_memory_equal(x_bytes, y_bytes, x_size);
    const marey_kept *const both[] = { x, y };
    for (int i = 0; i < 2 && about; i++) {
        const char *text = marey_kept_entries(both[i], &count)->about;
        about[i] = json_hold_text(text, strlen(text));
    }
}

#endif
