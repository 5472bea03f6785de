/* made_bench.h - made clips in the studio, as bytes and in the library, for tests that compare them with the program's. Read
   after graph_bench.h, whose library it uses. */
#ifndef MAREY_TEST_MADE_BENCH_H
#define MAREY_TEST_MADE_BENCH_H

#include "graph_bench.h"

typedef struct made_bytes {
    studio_response from;
    json_t *said;
    const uint8_t *frames; /* MRYF */
    size_t frame_bytes;
} made_bytes;

static inline made_bytes made_ask(graph_bench *all, api_run run, const char *body)
{
    made_bytes got = { .from = api_ask(&all->b, run, 0, NULL, graph_text(all, body)) };
    const uint8_t *data = got.from.body.data;
    uint32_t numbers[3];
    if (got.from.status != 200)
        fail_msg("%s: %.*s", body, (int)got.from.body.count, (const char *)data);
    assert_memory_equal(data, "MRYM", 4);
    memcpy(numbers, data + 4, sizeof numbers);
    got.said = json_loadb((const char *)data + 16, numbers[1], 0, NULL);
    assert_non_null(got.said);
    got.frames = data + 16 + numbers[1];
    got.frame_bytes = got.from.body.count - 16 - numbers[1];
    assert_memory_equal(got.frames, "MRYF", 4);
    return got;
}

static inline void made_free(made_bytes *of)
{
    json_decref(of->said);
    bytes_free(&of->from.body);
}

/* Frames, plants, licence and provenance. */
static inline void made_same(graph_bench *all, const char *left, const char *right)
{
    static const char *const keys[] = {
        "frames", "fps", "licence", "contacts", "provenance", NULL
    };
    json_t *a = api_json(&all->b, api_clip, bench_id(&all->b, left), NULL, NULL, 200);
    json_t *b = api_json(&all->b, api_clip, bench_id(&all->b, right), NULL, NULL, 200);
    same_values(a, b, keys);
    studio_response x = api_ask(&all->b, api_frames, bench_id(&all->b, left), NULL, NULL);
    studio_response y = api_ask(&all->b, api_frames, bench_id(&all->b, right), NULL, NULL);
    assert_int_equal(x.body.count, y.body.count);
    assert_memory_equal(x.body.data, y.body.data, x.body.count);
    bytes_free(&x.body);
    bytes_free(&y.body);
    json_decref(a);
    json_decref(b);
}

/* A walk to the left as `holed`: its root is lost in frames [300, 305), so that it is in two stretches. */
static inline int64_t made_holed(graph_bench *all)
{
    enum { FROM = 300, TO = 305 };
    size_t count = 0;
    char *text = test_file_read("walk_left.bvh", &count), *at = strstr(text, "Frame Time:");
    assert_non_null(at);
    for (int frame = -1; frame < TO; frame++, at = strchr(at, '\n') + 1) {
        char *number_of = at;
        for (int i = 0; i < 3 && frame >= FROM; i++) {
            for (; *number_of == ' '; number_of++) continue;
            for (; *number_of != ' '; number_of++) *number_of = '0';
        }
    }
    test_file_write("holed.bvh", text, count);
    free(text);
    bench_program("marey add lib.marey holed.bvh");
    json_t *clip = api_json(&all->b, api_clip, bench_id(&all->b, "holed"), NULL, NULL, 200);
    assert_int_equal(size_of(clip, "marks"), 1);
    assert_int_equal(number(item(clip, "marks", 0), "start"), FROM);
    assert_int_equal(number(item(clip, "marks", 0), "end"), TO);
    json_decref(clip);
    return bench_id(&all->b, "holed");
}

static inline void made_removed(graph_bench *all, const char *name)
{
    char body[64];
    snprintf(body, sizeof body, "{\"clips\": [%" PRId64 "], \"purge\": true}",
             bench_id(&all->b, name));
    json_decref(api_json(&all->b, do_rm, 0, NULL, body, 200));
}

/* The pieces of what was made come one behind the other and are all of it. */
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

#endif
