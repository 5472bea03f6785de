/* test_c3d.c - points of C3D files: small ones made here for every processor and way to store, real
   ones against a second reader, and damaged ones. */
#include "math/turn.h"
#include "reader_bench.h"

#include <marey/io.h>

#include <math.h>
#include <stdlib.h>

/* ---- a file by hand -------------------------------------------------------------------------- */

enum { BLOCK = 512, FRAMES = 3, POINTS = 2, ANALOG = 2, DATA = 4, INTEL = 84, DEC, SGI };

typedef struct maker {
    uint8_t bytes[DATA * BLOCK + 256];
    int processor, used; /* `used`: where the next parameter goes */
    bool real;
} maker;

static void put_word(const maker *m, uint8_t *p, int value)
{
    p[m->processor == SGI] = (uint8_t)value;
    p[m->processor != SGI] = (uint8_t)(value >> 8);
}

static void put_float(const maker *m, uint8_t *p, double value)
{
    /* One of the VAX is four times as large as its bits are to IEEE, and has its words exchanged. */
    float number = (float)(m->processor == DEC ? 4 * value : value);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 4; i++) {
        int at = m->processor == SGI ? 3 - i : m->processor == DEC ? (i + 2) % 4 : i;
        p[at] = (uint8_t)(bits >> 8 * i);
    }
}

/* A parameter, or with no dims and type 0 a group. */
static void put_parameter(maker *m, int group, const char *name, int type, int dims,
                          const uint8_t *sizes, const void *data, int bytes)
{
    uint8_t *p = m->bytes + m->used;
    int length = (int)strlen(name);
    p[0] = (uint8_t)length;
    p[1] = (uint8_t)(type ? group : -group);
    memcpy(p + 2, name, (size_t)length);
    uint8_t *q = p + 2 + length, *at = q + 2;
    if (type) {
        *at++ = (uint8_t)type;
        *at++ = (uint8_t)dims;
        for (int d = 0; d < dims; d++) *at++ = sizes[d];
        memcpy(at, data, (size_t)bytes);
        at += bytes;
    }
    *at++ = 0; /* no description */
    put_word(m, q, (int)(at - q));
    m->used = (int)(at - m->bytes);
}

static void put_integer(maker *m, int group, const char *name, int value)
{
    uint8_t word[2];
    put_word(m, word, value);
    put_parameter(m, group, name, 2, 0, NULL, word, 2);
}

static void put_real(maker *m, int group, const char *name, double value)
{
    uint8_t number[4];
    put_float(m, number, value);
    put_parameter(m, group, name, 4, 0, NULL, number, 4);
}

/* Where a point is, mm; it is not seen in frame 1 if it is the second. */
static double place(int frame, int point, int axis)
{
    return 100 * point + 10 * frame - 7 * axis;
}

static void make(maker *m, int processor, bool real)
{
    const double scale = 0.5;
    *m = (maker){ .processor = processor, .real = real, .used = BLOCK + 4 };
    m->bytes[0] = 2;
    m->bytes[1] = 0x50;
    const int words[] = { POINTS, ANALOG, 11, 11 + FRAMES - 1, 10 };
    for (int i = 0; i < 5; i++) put_word(m, m->bytes + 2 + 2 * i, words[i]);
    put_float(m, m->bytes + 12, real ? -scale : scale);
    put_word(m, m->bytes + 16, DATA + 1);
    put_word(m, m->bytes + 18, 1);
    put_float(m, m->bytes + 20, 50);
    m->bytes[BLOCK + 2] = DATA - 1; /* blocks of parameters */
    m->bytes[BLOCK + 3] = (uint8_t)processor;
    put_parameter(m, 1, "POINT", 0, 0, NULL, NULL, 0);
    put_parameter(m, 2, "EVENT", 0, 0, NULL, NULL, 0);
    put_integer(m, 1, "USED", POINTS);
    put_integer(m, 1, "DATA_START", DATA + 1);
    put_real(m, 1, "SCALE", real ? -scale : scale);
    put_real(m, 1, "RATE", 50);
    put_parameter(m, 1, "LABELS", -1, 2, (uint8_t[]){ 4, 2 }, "LASIRA  ", 8);
    put_parameter(m, 1, "UNITS", -1, 1, (uint8_t[]){ 2 }, "mm", 2);
    put_parameter(m, 1, "Y_SCREEN", -1, 1, (uint8_t[]){ 2 }, "+Z", 2);
    put_integer(m, 2, "USED", 1);
    put_parameter(m, 2, "LABELS", -1, 2, (uint8_t[]){ 12, 1 }, "Foot Strike ", 12);
    put_parameter(m, 2, "CONTEXTS", -1, 2, (uint8_t[]){ 5, 1 }, "Left ", 5);
    uint8_t times[8];
    put_float(m, times, 1);
    put_float(m, times + 4, 2.5);
    put_parameter(m, 2, "TIMES", 4, 2, (uint8_t[]){ 2, 1 }, times, 8);
    uint8_t *p = m->bytes + DATA * BLOCK;
    int size = real ? 4 : 2;
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < POINTS; i++) {
            for (int c = 0; c < 4; c++, p += size) {
                double value = c < 3 ? place(f, i, c) : f == 1 && i == 1 ? -1 : 3;
                if (real) put_float(m, p, value);
                if (!real) put_word(m, p, (int)(c < 3 ? value / scale : value));
            }
        }
        p += ANALOG * size;
    }
}

static marey_points *load(marey_ctx *ctx, const void *bytes, size_t count)
{
    marey_points *points = NULL;
    test_ok(marey_points_load_bytes(ctx, "a folder/walk.c3d", bytes, count, &points, &test_error));
    return points;
}

TEST_CTX(points_are_read_from_every_processor_and_storage)
{
    for (int processor = INTEL; processor <= SGI; processor++) {
        for (int real = 0; real < 2; real++) {
            maker m;
            make(&m, processor, real);
            marey_points *points = load(ctx, m.bytes, sizeof m.bytes);
            assert_string_equal(points->name, "walk");
            assert_int_equal(points->count, POINTS);
            assert_int_equal(points->frames, FRAMES);
            assert_int_equal(points->first_frame, 11);
            assert_true(points->fps == 50);
            assert_true(points->units == MAREY_UNITS_MM && points->up == MAREY_UP_Z);
            assert_string_equal(points->names[0], "LASI");
            assert_string_equal(points->names[1], "RA");
            assert_int_equal(points->event_count, 1);
            assert_string_equal(points->events[0].label, "Foot Strike");
            assert_string_equal(points->events[0].context, "Left");
            assert_true(points->events[0].seconds == 62.5);
            for (int f = 0; f < FRAMES; f++) {
                for (int i = 0; i < POINTS; i++) {
                    for (int c = 0; c < 3; c++) {
                        float at = points->at[3 * (f * POINTS + i) + c];
                        if (f == 1 && i == 1) assert_true(isnan(at));
                        if (f != 1 || i != 1) test_near((double)at, place(f, i, c), 1e-6);
                    }
                }
            }
            marey_points_free(points);
        }
    }
}

/* ---- odd ones -------------------------------------------------------------------------------- */

static void change(maker *m, const char *from, const char *to)
{
    uint8_t *at = memmem(m->bytes, DATA * BLOCK, from, strlen(from));
    assert_non_null(at);
    memcpy(at, to, strlen(from));
}

/* Real numbers with one dimension of two. */
static void put_pair(maker *m, int group, const char *name, double low, double high)
{
    uint8_t pair[8];
    put_float(m, pair, low);
    put_float(m, pair + 4, high);
    put_parameter(m, group, name, 4, 1, (uint8_t[]){ 2 }, pair, 8);
}

TEST_CTX(up_is_what_the_screen_says)
{
    static const struct {
        const char *screen;
        marey_up up;
    } rows[] = { { "+Z", MAREY_UP_Z }, { "-z", MAREY_UP_Z },     { "+Y", MAREY_UP_Y },
                 { "+y", MAREY_UP_Y }, { "+X", MAREY_UP_GUESS }, { "  ", MAREY_UP_GUESS } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        maker m;
        make(&m, INTEL, true);
        change(&m, "+Z", rows[i].screen);
        marey_points *points = load(ctx, m.bytes, sizeof m.bytes);
        assert_int_equal(points->up, rows[i].up);
        marey_points_free(points);
    }
}

TEST_CTX(frames_are_counted_where_the_file_says_so)
{
    static const struct {
        int last; /* in the header */
        double from[2], to[2], frames;
        int count, first; /* that are read */
        const char *said;
    } rows[] = {
        { 13, { -1 }, { 0 }, -1, 3, 11, NULL },    /* neither group is there */
        { 65535, { -1 }, { 0 }, -1, 3, 11, NULL }, /* all that there are */
        { 65535, { -1 }, { 0 }, 2, 2, 11, NULL },
        { 65535, { -1 }, { 0 }, 70000, 3, 11, NULL },
        { 65535, { -1 }, { 0 }, 1e30, 3, 11, NULL },
        { 13, { 5, 0 }, { 6, 0 }, -1, 2, 5, NULL },
        { 13, { 5, 2 }, { 6, 2 }, -1, 2, 131077, NULL },
        { 13, { 6, 0 }, { 5, 0 }, -1, 3, 11, NULL },
        { 13, { 5, 0 }, { 1e30, 0 }, -1, 3, 11, NULL },
        { 13, { 0, -1e30 }, { 0, -1e30 }, -1, 1, 0, NULL },
        { 13, { 5, 0 }, { 8, 0 }, -1, 0, 0, "it says 4 frames and has 3" },
        { 10, { -1 }, { 0 }, -1, 0, 0, "it has no frames" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        maker m;
        make(&m, INTEL, true);
        put_word(&m, m.bytes + 8, rows[i].last);
        put_parameter(&m, 3, "TRIAL", 0, 0, NULL, NULL, 0);
        if (rows[i].from[0] >= 0) {
            put_pair(&m, 3, "ACTUAL_START_FIELD", rows[i].from[0], rows[i].from[1]);
            put_pair(&m, 3, "ACTUAL_END_FIELD", rows[i].to[0], rows[i].to[1]);
        }
        if (rows[i].frames >= 0) put_real(&m, 1, "FRAMES", rows[i].frames);
        /* Behind the last frame there is less than another one. */
        size_t count = DATA * BLOCK + FRAMES * 4 * (4 * POINTS + ANALOG) + 39;
        marey_points *points = NULL;
        marey_status status =
            marey_points_load_bytes(ctx, "a.c3d", m.bytes, count, &points, &test_error);
        assert_int_equal(status, rows[i].said ? MAREY_ERR_INPUT : MAREY_OK);
        if (rows[i].said) assert_non_null(strstr(test_error.message, rows[i].said));
        if (rows[i].said) continue;
        if (points->frames != rows[i].count || points->first_frame != rows[i].first)
            fail_msg("row %zu: %d from %d", i, points->frames, points->first_frame);
        marey_points_free(points);
    }
}

TEST_CTX(points_must_be_counted_by_a_number_of_them)
{
    static const double used[] = { 0, -5, 1e30, 16385 };
    for (int i = 0; i < 6; i++) {
        maker m;
        make(&m, INTEL, true);
        change(&m, "USED", "WAS_"); /* that of POINT comes first */
        if (i < 4) put_real(&m, 1, "USED", used[i]);
        if (i == 4) put_parameter(&m, 1, "USED", 1, 0, NULL, (uint8_t[]){ POINTS }, 1);
        if (i < 4) put_word(&m, m.bytes + 4, 4000); /* so that a frame has a size without points */
        marey_points *points = NULL;
        marey_status status =
            marey_points_load_bytes(ctx, "a.c3d", m.bytes, sizeof m.bytes, &points, &test_error);
        assert_int_equal(status, i == 3 ? MAREY_ERR_LIMIT : i < 3 ? MAREY_ERR_INPUT : MAREY_OK);
        if (i < 3) assert_string_equal(test_error.message, "it has no points");
        if (points) assert_int_equal(points->count, POINTS); /* of the parameter, or the header */
        marey_points_free(points);
    }
}

/* Files of before 1990 have them in the header. */
TEST_CTX(events_of_the_header_are_read_where_there_are_no_others)
{
    for (int count = 0; count <= 20; count += 10) {
        maker m;
        make(&m, INTEL, true);
        change(&m, "EVENT", "OTHER");
        put_word(&m, m.bytes + 2 * 149, 12345);
        put_word(&m, m.bytes + 2 * 150, count);
        for (int i = 0; i < 18; i++) {
            put_float(&m, m.bytes + 2 * 152 + 4 * i, i == 1 ? (double)NAN : 0.25 * i);
            memcpy(m.bytes + 2 * 198 + 4 * i, i ? "RTO " : "    ", 4);
        }
        marey_points *points = load(ctx, m.bytes, sizeof m.bytes);
        assert_int_equal(points->event_count, count == 0 ? 0 : count == 10 ? 9 : 17);
        if (count) assert_string_equal(points->events[0].label, "");
        if (count) assert_string_equal(points->events[1].label, "RTO");
        if (count) assert_true(points->events[1].seconds == 0.5);
        marey_points_free(points);
    }
}

TEST_CTX(events_without_times_or_labels_are_none_and_without_contexts_have_none)
{
    static const char *const lost[] = { "TIMES", "LABELS", "CONTEXTS" };
    for (int i = 0; i < 3; i++) {
        maker m;
        make(&m, INTEL, true);
        uint8_t *event = memmem(m.bytes, DATA * BLOCK, "Foot", 4),
                *from = i == 1 ? event - 20 : m.bytes;
        size_t left = (size_t)(m.bytes + sizeof m.bytes - from);
        uint8_t *at = memmem(from, left, lost[i], strlen(lost[i]));
        assert_non_null(at);
        *at = 'X';
        marey_points *points = load(ctx, m.bytes, sizeof m.bytes);
        assert_int_equal(points->event_count, i == 2);
        if (i == 2) assert_string_equal(points->events[0].context, "");
        marey_points_free(points);
    }
}

/* Another parameter in front moves them over the end of the only block that they say they have, byte
   by byte. */
TEST_CTX(parameters_that_lead_past_their_end_are_none)
{
    int named = 0, nameless = 0, refused = 0;
    for (int shift = 8; shift < BLOCK - 8; shift++) {
        maker m;
        make(&m, INTEL, true);
        uint8_t block[BLOCK] = { 1, 0x50, 1, INTEL, 1, 9, 'x' };
        put_word(&m, block + 7, shift - 3);
        memcpy(block + 4 + shift, m.bytes + BLOCK + 4, (size_t)(BLOCK - 4 - shift));
        memset(m.bytes + BLOCK, 0, (DATA - 1) * BLOCK);
        memcpy(m.bytes + BLOCK, block, BLOCK);
        put_word(&m, m.bytes + 16, 3); /* right behind them, where nothing is */
        marey_points *points = NULL;
        if (marey_points_load_bytes(ctx, "a.c3d", m.bytes, sizeof m.bytes, &points, NULL))
            refused++;
        if (points) *(*points->names[0] ? &named : &nameless) += 1;
        marey_points_free(points);
    }
    assert_true(named > 0 && nameless > 0 && named + nameless + refused == BLOCK - 16);
}

/* ---- real files ------------------------------------------------------------------------------ */

/* A second reader: by the header alone, of which the first one uses the parameters. */
static double judge_number(const uint8_t *p, int processor, bool real, double scale)
{
    if (!real) return (int16_t)(processor == SGI ? p[0] << 8 | p[1] : p[1] << 8 | p[0]) * scale;
    uint8_t b[4];
    for (int i = 0; i < 4; i++)
        b[i] = p[processor == SGI ? 3 - i : processor == DEC ? (i + 2) % 4 : i];
    float value;
    memcpy(&value, b, sizeof value);
    return (double)value / (processor == DEC ? 4 : 1);
}

static void judge_file(void *user, const char *path)
{
    marey_ctx *ctx = user;
    marey_points *points = NULL;
    size_t count;
    FREED char *text = test_file_read(path, &count);
    const uint8_t *b = (const uint8_t *)text;
    int processor = b[(b[0] - 1) * BLOCK + 3];
#define WORD(n) ((int)(uint16_t)judge_number(b + 2 * (n), processor, false, 1))
    double scale = judge_number(b + 12, processor, true, 1);
    int used = WORD(1), analog = WORD(2), frames = WORD(4) - WORD(3) + 1, size = scale < 0 ? 4 : 2;
    test_ok(marey_points_load(ctx, path, &points, &test_error));
    assert_int_equal(points->count, used);
    assert_int_equal(points->frames, frames);
    test_near(points->fps, judge_number(b + 20, processor, true, 1), 1e-6);
    const uint8_t *p = b + (size_t)(WORD(8) - 1) * BLOCK;
    int seen = 0;
    for (int f = 0; f < frames; f++, p += analog * size) {
        for (int i = 0; i < used; i++, p += 4 * size) {
            bool gone = judge_number(p + 3 * size, processor, size == 4, 1) < 0;
            const float *at = points->at + 3 * ((size_t)f * (size_t)used + (size_t)i);
            for (int c = 0; c < 3; c++) {
                double want = judge_number(p + c * size, processor, size == 4, scale);
                assert_int_equal(isnan(at[c]), gone);
                if (!gone) assert_true(fabs((double)at[c] - want) <= 1e-6 * fabs(want) + 1e-9);
            }
            seen += !gone;
        }
    }
    assert_true(seen > frames);
    for (int i = 0; i < used; i++) assert_true(points->names[i][0] != 0);
    marey_points_free(points);
}

TEST_CTX(real_files_are_read_as_a_second_reader_reads_them)
{
    test_need_mocap();
    test_mocap_each("c3d", ".c3d", judge_file, ctx);
}

/* One recording stored in six ways: alike within the step of the integers. */
TEST_CTX(one_recording_stored_in_six_ways_is_the_same)
{
    static const char *const names[] = { "sample02_pc_real.c3d", "sample02_pc_int.c3d",
                                         "sample02_DEC_INT.C3D", "sample02_Dec_real.c3d",
                                         "sample02_sgi_int.c3d", "sample02_sgi_real.c3d" };
    test_need_mocap();
    marey_points *first = NULL;
    for (int i = 0; i < 6; i++) {
        char path[2048];
        marey_points *points = NULL;
        snprintf(path, sizeof path, "%s/c3d/%s", test_mocap_folder(), names[i]);
        test_ok(marey_points_load(ctx, path, &points, &test_error));
        if (!first) first = points;
        assert_int_equal(points->frames, first->frames);
        assert_int_equal(points->count, first->count);
        assert_true(points->fps == 50 && points->units == MAREY_UNITS_MM &&
                    points->up == MAREY_UP_Z);
        for (int k = 0; k < points->count; k++)
            assert_string_equal(points->names[k], first->names[k]);
        for (int k = 0; k < 3 * points->frames * points->count; k++) {
            assert_int_equal(isnan(points->at[k]), isnan(first->at[k]));
            if (!isnan(points->at[k])) assert_true(fabsf(points->at[k] - first->at[k]) <= 0.2812f);
        }
        if (points != first) marey_points_free(points);
    }
    marey_points_free(first);
}

/* ---- damage ---------------------------------------------------------------------------------- */

TEST(damaged_files_are_refused_or_read_and_do_no_harm)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    uint64_t seed = 1;
    int refused = 0;
    for (int i = 0; i < (test_is_long() ? 200000 : 6000); i++) {
        maker m;
        make(&m, INTEL + i % 3, i % 2);
        size_t count = i % 4 ? sizeof m.bytes : (size_t)(mry_random_next(&seed) % sizeof m.bytes);
        for (int k = 0; k < i % 5; k++)
            m.bytes[mry_random_next(&seed) % (i % 3 ? 2 * BLOCK : sizeof m.bytes)] =
                (uint8_t)mry_random_next(&seed);
        FREED char *exact = malloc(count + 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, m.bytes, count);
        marey_points *points = NULL;
        marey_error error = { 0 };
        if (marey_points_load_bytes(ctx, "a.c3d", exact, count, &points, &error)) {
            assert_true(!points && error.message[0] != 0);
            refused++;
        }
        marey_points_free(points);
    }
    assert_true(refused > 100);
}

TEST(refused_memory_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    maker m;
    make(&m, INTEL, true);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_points *points = NULL;
        status = marey_points_load_bytes(ctx, "a.c3d", m.bytes, sizeof m.bytes, &points, NULL);
        assert_int_equal(points == NULL, status != MAREY_OK);
        marey_points_free(points);
    }
}

TEST_GROUP_OF_CASES(test_c3d, NULL, NULL)
