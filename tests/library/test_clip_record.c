/* test_clip_record.c - clips as the records that a library stores, and what is made of records that were damaged or forged:
   they are refused, or are a sound clip. */
#include "support.h"

#include "library/clip_record.h"
#include "store/columns.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES = 40, MARKS = 3 };

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
    mry_arena mem;
    mry_record record;
    mry_stored stored; /* what a library would read */
} bench;

/* Two bones with ends, one joint without channels; two marks; a warning. */
static marey_clip *make_clip(marey_ctx *ctx)
{
    char text[FRAMES * 60 + 1000];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition"
        " Zrotation Xrotation Yrotation\n JOINT Leg\n {\n  OFFSET 0 -40 0\n"
        "  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 -38 0\n  }\n }\n"
        " JOINT Fixed\n {\n  OFFSET 0 10 0\n  CHANNELS 0\n  End Site\n  {\n   OFFSET 0 1 0\n  }\n"
        " }\n}\nMOTION\nFrames: %d\nFrame Time: 0.008333333\n",
        FRAMES);
    for (int f = 0; f < FRAMES; f++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%d 80 %d 0 %d 0 %d 0 3.5\n", f, 2 * f,
                               f % 9, f % 7);
    marey_clip *clip = test_clip(ctx, text);
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_BY_HAND, 3, 6));
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_BY_HAND, 9, 10));
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_BY_HAND, 30, FRAMES));
    assert_true(mry_clip_warn(clip, "%s", "a warning of the reader"));
    return clip;
}

static void store_record(bench *b, const marey_clip *clip)
{
    void *columns;
    size_t size = 0;
    assert_true(mry_record_make(clip, &b->mem, &b->record));
    assert_true(mry_columns_pack(&b->mem, &b->mem, clip->source.channels, clip->frames,
                                 clip->skeleton.channel_count, &columns, &size));
    b->stored = (mry_stored){ .name = "a clip",
                              .skeleton = b->record.skeleton,
                              .skeleton_size = b->record.skeleton_size,
                              .columns = columns,
                              .columns_size = size,
                              .about = b->record.about,
                              .about_size = b->record.about_size,
                              .packed_size = b->record.motion.packed_size };
}

static int set_up(void **state)
{
    bench *b = *state = calloc(1, sizeof *b);
    b->memory.refuse = -1;
    b->ctx = test_ctx_refusing(&b->memory);
    b->mem = mry_arena_make(b->ctx);
    OWNED(marey_clip) *clip = make_clip(b->ctx);
    store_record(b, clip);
    return 0;
}

static int tear_down(void **state)
{
    FREED bench *b = *state;
    mry_arena_free(&b->mem);
    test_ctx_close(b->ctx);
    return 0;
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, bench *b, name)

/* OK, and a clip that is sound, or INPUT and a word for it. */
static marey_status open_it(bench *b, const mry_stored *stored, double most_fps)
{
    OWNED(marey_clip) *clip = NULL;
    test_error = (marey_error){ 0 };
    marey_status status = mry_record_open(b->ctx, stored, most_fps, &clip, &test_error);
    if (status) assert_true(!clip && test_error.message[0] && test_error.status == status);
    if (!status) test_ok(mry_clip_check(clip, "a clip", &test_error));
    assert_true(!status || status == MAREY_ERR_INPUT);
    return status;
}

CASE(the_same_clip_comes_back)
{
    OWNED(marey_clip) *clip = make_clip(b->ctx), *again = NULL;
    test_ok(mry_record_open(b->ctx, &b->stored, 0, &again, &test_error));
    test_same_numbers(clip, again);
    assert_int_equal(test_marks(again), MARKS);
    test_check_mark(again, 2, MAREY_MARK_BY_HAND, 30, FRAMES);
    assert_int_equal(test_warnings_with(again, "a warning of the reader"), 1);
    assert_true(marey_clip_fps(again) == marey_clip_fps(clip));
    assert_string_equal(marey_clip_skeleton(again)->joints[1].name, "Leg");
}

/* Marks get shorter with the clip; one that has no frame left goes. */
CASE(every_so_many_th_frame_is_taken_where_fewer_are_wished)
{
    static const struct {
        double most_fps;
        int frames, marks;
    } rows[] = { { 0, 40, 3 },  { 120, 40, 3 }, { 60, 20, 2 }, { 30, 10, 2 },
                 { 50, 40, 3 }, { -1, 40, 3 },  { 1e9, 40, 3 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(marey_clip) *clip = NULL;
        test_ok(mry_record_open(b->ctx, &b->stored, rows[i].most_fps, &clip, &test_error));
        if (marey_clip_frames(clip) != rows[i].frames || test_marks(clip) != rows[i].marks)
            fail_msg("at most %g a second: %d frames, %d marks", rows[i].most_fps,
                     marey_clip_frames(clip), test_marks(clip));
    }
}

/* ---- forged ------------------------------------------------------------------------------------ */

typedef struct part {
    const void **bytes;
    size_t *size;
} part;

CASE(every_cut_is_refused_and_every_changed_byte_is_or_does_no_harm)
{
    mry_stored forged = b->stored;
    const part parts[] = { { &forged.skeleton, &forged.skeleton_size },
                           { &forged.about, &forged.about_size },
                           { &forged.columns, &forged.columns_size } };
    static const uint8_t changes[] = { 1, 2, 0x40, 0x80, 0xff };
    int refused = 0, taken = 0;
    long live = b->memory.live;
    for (int p = 0; p < 3; p++) {
        const void *whole = *parts[p].bytes;
        size_t size = *parts[p].size;
        FREED uint8_t *changed = malloc(size + 1);
        for (size_t at = 0; at < size; at += p == 2 && at > 200 ? 29 : 1) {
            FREED uint8_t *cut =
                malloc(at + 1); /* as long as it says, so that a read past it is seen */
            memcpy(cut, whole, at);
            *parts[p].bytes = cut;
            *parts[p].size = at;
            assert_int_equal(open_it(b, &forged, 0), MAREY_ERR_INPUT);
            *parts[p].bytes = changed;
            *parts[p].size = size;
            for (size_t c = 0; c < sizeof changes; c++) {
                memcpy(changed, whole, size);
                changed[at] ^= changes[c];
                bool fits = open_it(b, &forged, c % 2 ? 60 : 0) == MAREY_OK;
                taken += fits;
                refused += !fits;
            }
        }
        memcpy(changed, whole, size);
        changed[size] = 0; /* a byte more */
        *parts[p].size = size + 1;
        assert_int_equal(open_it(b, &forged, 0), MAREY_ERR_INPUT);
        *parts[p].bytes = whole;
        *parts[p].size = size;
        assert_int_equal(open_it(b, &forged, 0), MAREY_OK);
    }
    print_message("%d refused, %d taken\n", refused, taken);
    assert_true(refused > 300 && taken > 100);
    assert_int_equal(b->memory.live, live);
}

/* Other numbers in front of the report, which begins with its format: rate, time of a frame, decimals, units, up, marks. */
static size_t put_about(mry_bytes_writer *out, double fps, int decimals, int units,
                        const int *marks, int count, double height, double claimed, double flight,
                        int warnings)
{
    out->used = 0;
    mry_put_integer(out, 1);
    mry_put_number(out, fps);
    mry_put_number(out, 1 / 120.0);
    mry_put_integer(out, decimals);
    mry_put_integer(out, units);
    mry_put_integer(out, MAREY_UP_Y);
    mry_put_integer(out, count);
    for (int i = 0; i < 3 * count; i++) mry_put_integer(out, marks[i]);
    for (int i = 0; i < 3; i++) mry_put_text(out, "why");
    mry_put_number(out, height);
    mry_put_number(out, claimed);
    mry_put_number(out, flight);
    mry_put_integer(out, 0);
    mry_put_integer(out, warnings);
    for (int i = 0; i < warnings; i++) mry_put_text(out, "a warning");
    return out->used;
}

CASE(every_number_about_a_clip_is_checked)
{
    const int cm = MAREY_UNITS_CM;
    static const int row[] = { 0, 3, 6, 0, 6, 9 }, behind[] = { 0, 30, FRAMES + 1 },
                     back[] = { 0, 6, 9, 0, 3, 5 }, empty[] = { 0, 5, 5 },
                     unknown[] = { MAREY_MARK_COUNT, 3, 6 };
    const struct {
        double fps;
        int decimals, units;
        const int *marks;
        int count;
        double height, claimed, flight;
        bool fits;
    } rows[] = {
        { 120, 6, cm, row, 2, 170, 120, 60, true },
        { 0.01, 0, cm, row, 0, 0, 0, 0, true },
        { 120, 401, cm, row, 0, 170, 120, 60, false },
        { 120, 6, -1, row, 0, 170, 120, 60, false },
        { 120, 6, 99, row, 0, 170, 120, 60, false },
        { 120, 6, cm, behind, 1, 170, 120, 60, false },
        { 120, 6, cm, back, 2, 170, 120, 60, false },
        { 120, 6, cm, empty, 1, 170, 120, 60, false },
        { 120, 6, cm, unknown, 1, 170, 120, 60, false },
        { 120, 6, cm, row, 0, -1, 120, 60, false },
        { 120, 6, cm, row, 0, 1e300, 120, 60, false },
        { 120, 6, cm, row, 0, 170, -1, 60, false },
        { 120, 6, cm, row, 0, 170, 2e6, 60, false },
        { 120, 6, cm, row, 0, 170, 120, -1, false },
        { 120, 6, cm, row, 0, 170, 120, 2e6, false },
        { 0, 6, cm, row, 0, 170, 120, 60, false },
        { -5, 6, cm, row, 0, 170, 120, 60, false },
        { 1e9, 6, cm, row, 0, 170, 120, 60, false },
    };
    mry_bytes_writer out = { .mem = &b->mem };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mry_stored forged = b->stored;
        forged.about_size =
            put_about(&out, rows[i].fps, rows[i].decimals, rows[i].units, rows[i].marks,
                      rows[i].count, rows[i].height, rows[i].claimed, rows[i].flight, 2);
        forged.about = out.bytes;
        for (int most = 0; most <= 60; most += 60)
            if ((open_it(b, &forged, most) == MAREY_OK) != rows[i].fits)
                fail_msg("row %d: %s", (int)i, rows[i].fits ? test_error.message : "it was taken");
    }
    /* More warnings than are ever kept, or than are there. */
    mry_stored forged = b->stored;
    forged.about_size = put_about(&out, 120, 6, cm, NULL, 0, 170, 120, 60, 1001);
    forged.about = out.bytes;
    assert_int_equal(open_it(b, &forged, 0), MAREY_ERR_INPUT);
}

/* Columns that have nothing to do with the skeleton, or would unpack to more than bytes so few may. */
CASE(columns_of_another_shape_are_refused)
{
    enum { MANY = 300000 };
    int cols = 9;
    static double zeros[MANY * 9];
    const struct {
        int rows, cols;
        marey_status status;
    } shapes[] = { { FRAMES, cols, MAREY_OK },
                   { FRAMES, cols + 1, MAREY_ERR_INPUT },
                   { 0, cols, MAREY_ERR_INPUT } };
    for (size_t i = 0; i < 3; i++) {
        mry_stored forged = b->stored;
        void *columns;
        assert_true(mry_columns_pack(&b->mem, &b->mem, zeros, shapes[i].rows, shapes[i].cols,
                                     &columns, &forged.columns_size));
        forged.columns = columns;
        int rows, found;
        assert_true(mry_columns_shape(columns, forged.columns_size, &rows, &found));
        assert_int_equal(open_it(b, &forged, 0), shapes[i].status);
    }
    /* Frames that do not move, more than 640 MiB of them in a few bytes: by the head alone. */
    mry_stored forged = b->stored;
    uint8_t head[12 + 9 * 20] = { 0 };
    memcpy(head, b->stored.columns, 12);
    const uint32_t frames = 5000000;
    for (int i = 0; i < 4; i++) head[4 + i] = (uint8_t)(frames >> 8 * i);
    forged.columns = head;
    forged.columns_size = sizeof head;
    assert_int_equal(open_it(b, &forged, 0), MAREY_ERR_INPUT);
    assert_non_null(strstr(test_error.message, "must unpack to at most"));
}

/* A clip that was edited has no channels of its own; that of some files has joints with their own axes and orders. */
CASE(refused_memory_is_said_for_clips_of_every_kind)
{
    enum { PLAIN, EDITED, BENT, KINDS };
    OWNED(marey_clip) *clip = make_clip(b->ctx);
    int joints = clip->skeleton.joint_count;
    double *channels = clip->source.channels;
    for (int kind = 0; kind < KINDS; kind++) {
        marey_status status = MAREY_OK;
        clip->source.channels = kind == EDITED ? NULL : channels;
        if (kind == BENT) {
            clip->source.axes = MRY_NEW(&clip->mem, float, 4 * joints);
            clip->source.orders = MRY_NEW(&clip->mem, uint8_t, 3 * joints);
            for (int j = 0; j < joints; j++) clip->source.axes[4 * j] = 1;
            for (int i = 0; i < 3 * joints; i++) clip->source.orders[i] = (uint8_t)(2 - i % 3);
        }
        for (test_refusals sweep = { .memory = &b->memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(mry_arena) mem = mry_arena_make(b->ctx);
            mry_record record;
            status = mry_record_make(clip, &mem, &record) ? MAREY_OK : MAREY_ERR_MEMORY;
        }
        if (kind != EDITED) store_record(b, clip);
        status = MAREY_OK;
        for (test_refusals sweep = { .memory = &b->memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_clip) *again = NULL;
            status = mry_record_open(b->ctx, &b->stored, 0, &again, &test_error);
            if (!status && kind == BENT) {
                assert_memory_equal(again->source.axes, clip->source.axes,
                                    4 * sizeof(float) * (size_t)joints);
                assert_memory_equal(again->source.orders, clip->source.orders, 3 * (size_t)joints);
            }
        }
    }
}

TEST_GROUP_OF_CASES(test_clip_record, NULL, NULL)
