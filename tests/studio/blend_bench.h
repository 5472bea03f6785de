/* blend_bench.h - a library of demo takes for tests of what the studio makes out of clips. Read after api_bench.h. */
#ifndef MAREY_TEST_BLEND_BENCH_H
#define MAREY_TEST_BLEND_BENCH_H

#include "api_bench.h"
#include "json_look.h"

#include <inttypes.h>
#include <math.h>

typedef struct blend_bench {
    api_bench b;
    int64_t walk, left, jog, small; /* 300 frames each; small has other bones */
    int64_t lost;                   /* frames 30 to 33 are no captured motion */
    int64_t person;                 /* on the same bones as lost */
    int64_t slide;                  /* has other joints */
} blend_bench;

/* A person, but for frames [start, end), where tracking is lost: the root is at 0 0 0. */
static inline void write_dropouts(const char *path, int frames, int start, int end)
{
    char *bvh = test_person(frames), *at = strstr(bvh, "Frame Time:");
    FILE *file = fopen(path, "wb");
    at = strchr(at, '\n') + 1;
    fwrite(bvh, 1, (size_t)(at - bvh), file);
    for (int i = 0; i < frames; i++) {
        char *line_end = strchr(at, '\n'), *rest = at;
        if (i >= start && i < end) {
            for (int k = 0; k < 3; k++) strtod(rest, &rest);
            fputs("0 0 0", file);
        }
        fwrite(rest, 1, (size_t)(line_end + 1 - rest), file);
        at = line_end + 1;
    }
    fclose(file);
    free(bvh);
}

static inline int blend_bench_open(void **state)
{
    static blend_bench all;
    api_bench *b = &all.b;
    all = (blend_bench){ .walk = 0 };
    place_enter(&b->place);
    bench_program("marey demo . --take walk_straight --take walk_left --take jog_straight --take "
                  "small_walk --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    bench_program("marey cut lib.marey walk_straight#150-450 walk");
    bench_program("marey cut lib.marey walk_left#150-450 left");
    bench_program("marey cut lib.marey jog_straight#130-430 jog");
    bench_program("marey cut lib.marey small_walk#150-450 small");
    write_dropouts("lost.bvh", 100, 30, 34);
    write_person("person.bvh", 90);
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey lost.bvh person.bvh slide.bvh --licence 'CC BY 4.0'");
    api_bench_start(b, true);
    all.walk = bench_id(b, "walk");
    all.left = bench_id(b, "left");
    all.jog = bench_id(b, "jog");
    all.small = bench_id(b, "small");
    all.lost = bench_id(b, "lost");
    all.person = bench_id(b, "person");
    all.slide = bench_id(b, "slide");
    *state = &all;
    return 0;
}

static inline int blend_bench_close(void **state)
{
    api_bench_close(&((blend_bench *)*state)->b);
    return 0;
}

/* ---- bodies ------------------------------------------------------------------------------------- */

/* '$walk' and the like become numbers of clips, ' becomes ". */
static inline const char *body_of(blend_bench *all, const char *text)
{
    static char out[4096];
    const struct {
        const char *name;
        int64_t id;
    } clips[] = { { "$walk", all->walk },   { "$left", all->left }, { "$jog", all->jog },
                  { "$small", all->small }, { "$lost", all->lost }, { "$person", all->person },
                  { "$slide", all->slide } };
    size_t used = 0;
    for (const char *at = text; *at;) {
        size_t i = 0, count = sizeof clips / sizeof *clips;
        while (i < count && strncmp(at, clips[i].name, strlen(clips[i].name)) != 0) i++;
        if (i < count) {
            used += (size_t)sprintf(out + used, "%" PRId64, clips[i].id);
            at += strlen(clips[i].name);
        } else {
            out[used++] = *at == '\'' ? '"' : *at;
            at++;
        }
        assert_true(used < sizeof out - 32);
    }
    out[used] = 0;
    return out;
}

/* ---- made clips --------------------------------------------------------------------------------- */

typedef struct made_read {
    studio_response from;
    json_t *said;
    const uint8_t *frames; /* MRYF */
    size_t frame_bytes;
} made_read;

static inline made_read read_made(blend_bench *all, api_run run, const char *body)
{
    made_read got = { .from = api_ask(&all->b, run, 0, NULL, body_of(all, body)) };
    const uint8_t *data = got.from.body.data;
    uint32_t numbers[3];
    if (got.from.status != 200) {
        fail_msg("%s: %.*s", body, (int)got.from.body.count, (const char *)data);
    }
    assert_string_equal(got.from.type, "application/octet-stream");
    assert_memory_equal(data, "MRYM", 4);
    memcpy(numbers, data + 4, sizeof numbers);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1] % 8, 0);
    assert_int_equal(numbers[2], 0);
    got.said = json_loadb((const char *)data + 16, numbers[1], 0, NULL);
    assert_non_null(got.said);
    got.frames = data + 16 + numbers[1];
    got.frame_bytes = got.from.body.count - 16 - numbers[1];
    assert_memory_equal(got.frames, "MRYF", 4);
    return got;
}

static inline void made_free(made_read *of)
{
    json_decref(of->said);
    bytes_free(&of->from.body);
}

/* What the library says of a clip, without its name and number. */
static inline json_t *said_of(blend_bench *all, const char *name)
{
    json_t *one = api_json(&all->b, api_clip, bench_id(&all->b, name), NULL, NULL, 200);
    json_object_del(one, "name");
    json_object_del(one, "id");
    json_object_del(json_object_get(one, "report"), "name");
    return one;
}

static inline void same_frames(blend_bench *all, const char *left, const char *right)
{
    studio_response x = api_ask(&all->b, api_frames, bench_id(&all->b, left), NULL, NULL);
    studio_response y = api_ask(&all->b, api_frames, bench_id(&all->b, right), NULL, NULL);
    assert_int_equal(x.status, 200);
    if (x.body.count != y.body.count || memcmp(x.body.data, y.body.data, x.body.count) != 0) {
        fail_msg("%s is not %s", left, right);
    }
    bytes_free(&x.body);
    bytes_free(&y.body);
}

/* What was sent is in the library, where turns are kept as the angles of files. */
static inline void frames_are(blend_bench *all, const char *name, const made_read *sent)
{
    enum { HEADER = 40 };
    studio_response to = api_ask(&all->b, api_frames, bench_id(&all->b, name), NULL, NULL);
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, sent->frame_bytes);
    assert_memory_equal(to.body.data, sent->frames, HEADER);
    for (size_t at = HEADER; at < to.body.count; at += sizeof(float)) {
        float x, y;
        memcpy(&x, to.body.data + at, sizeof x);
        memcpy(&y, sent->frames + at, sizeof y);
        /* a turn and its negative are the same */
        if (fminf(fabsf(x - y), fabsf(x + y)) > 1e-4f) {
            fail_msg("%s: %g at %zu, %g was sent", name, (double)x, at, (double)y);
        }
    }
    bytes_free(&to.body);
}

#endif
