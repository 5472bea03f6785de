/* test_point_files.c - points of NumPy arrays and archives and of TRC files: made here in every way that
   they come, refused ones, damaged ones; and the archives that are written, by a second reader. */
#include "io/points_file.h"
#include "math/turn.h"
#include "reader_bench.h"

#include <marey/io.h>

#include <math.h>
#include <stdlib.h>
#include <zlib.h>

/* ---- arrays and archives by hand ------------------------------------------------------------- */

enum { FRAMES = 4, POINTS = 2, ITEMS = FRAMES * POINTS * 3, ROOM = 16384 };

typedef struct bytes {
    uint8_t at[ROOM];
    size_t count;
} bytes;

static void put(bytes *to, const void *from, size_t count)
{
    assert_true(to->count + count <= ROOM);
    memcpy(to->at + to->count, from, count);
    to->count += count;
}

static void put_number(bytes *to, uint64_t value, int size, bool high_first)
{
    for (int i = 0; i < size; i++)
        put(to, &(uint8_t){ (uint8_t)(value >> 8 * (high_first ? size - 1 - i : i)) }, 1);
}

/* Magic, version and a header that ends where it likes. */
static void put_header(bytes *to, int version, const char *type, bool fortran, const char *shape)
{
    char header[200];
    int length =
        snprintf(header, sizeof header, "{\"shape\": %s, 'fortran_order': %s, 'descr': '%s'}\n",
                 shape, fortran ? "True" : "False", type);
    put(to, "\x93NUMPY", 6);
    put_number(to, (uint64_t)version, 2, false);
    put_number(to, (uint64_t)length, version == 1 ? 2 : 4, false);
    put(to, header, (size_t)length);
}

/* Where a point is: whole numbers, so that every type holds them. */
static double place(int frame, int point, int axis)
{
    return 100 * point + 10 * frame - 7 * axis;
}

static void put_item(bytes *to, const char *type, double value)
{
    uint64_t bits;
    float narrow = (float)value;
    uint32_t word;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&word, &narrow, sizeof word);
    int size = type[2] - '0';
    if (type[1] != 'f') bits = (uint64_t)(int64_t)value;
    put_number(to, type[1] == 'f' && size == 4 ? word : bits, size, type[0] == '>');
}

static void put_places(bytes *to, int version, const char *type, bool fortran, bool flat)
{
    char shape[40];
    if (flat) snprintf(shape, sizeof shape, "(%d,%d)", FRAMES, 3 * POINTS);
    if (!flat) snprintf(shape, sizeof shape, "(%d, %dL, 3, )", FRAMES, POINTS);
    put_header(to, version, type, fortran, shape);
    for (int i = 0; i < ITEMS; i++) {
        /* In Fortran's order the first index goes fastest; with two dimensions the second is made of
           points and axes. */
        int c_order[3] = { i / (3 * POINTS), i / 3 % POINTS, i % 3 };
        int deep[3] = { i % FRAMES, i / FRAMES % POINTS, i / FRAMES / POINTS };
        int wide[3] = { i % FRAMES, i / FRAMES / 3, i / FRAMES % 3 };
        const int *at = !fortran ? c_order : flat ? wide : deep;
        put_item(to, type, place(at[0], at[1], at[2]));
    }
}

typedef enum way { PLAIN, PACKED, DESCRIBED, WIDE, WAYS } way;

typedef struct zip {
    bytes all, list;
    int count;
} zip;

/* An entry: plain, deflated, deflated with its sizes behind it, or with 64-bit sizes. */
static void put_entry(zip *to, const char *name, const bytes *array, way how)
{
    uint8_t packed[ROOM];
    z_stream stream = { .next_in = (Bytef *)(uintptr_t)array->at,
                        .avail_in = (uInt)array->count,
                        .next_out = packed,
                        .avail_out = sizeof packed };
    bool deflated = how == PACKED || how == DESCRIBED, later = how == DESCRIBED;
    if (deflated) {
        assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        deflateEnd(&stream);
    }
    uint64_t size = array->count, less = deflated ? stream.total_out : size;
    uint64_t sum = crc32(0, array->at, (uInt)array->count), start = to->all.count;
    for (int list = 0; list < 2; list++) {
        bytes *out = list ? &to->list : &to->all;
        uint64_t shown[3] = { sum, less, size };
        put(out, list ? "PK\1\2\x2d\0\x2d\0" : "PK\3\4\x2d\0", list ? 8 : 6);
        put_number(out, later ? 8 : 0, 2, false);
        put_number(out, deflated ? 8 : 0, 2, false);
        put_number(out, 0, 4, false);
        for (int i = 0; i < 3; i++)
            put_number(out,
                       later && !list             ? 0
                       : how == WIDE && list && i ? UINT32_MAX
                                                  : shown[i],
                       4, false);
        put_number(out, strlen(name) + 4, 2, false);
        put_number(out, how == WIDE && list ? 32 : 0, 2, false);
        if (list) put(out, (uint8_t[10]){ 0 }, 10);
        if (list) put_number(out, how == WIDE ? UINT32_MAX : start, 4, false);
        put(out, name, strlen(name));
        put(out, ".npy", 4);
        if (how == WIDE && list) { /* another extra field first */
            put(out, "\x55\x66\0\0\1\0\x18\0", 8);
            put_number(out, size, 8, false);
            put_number(out, less, 8, false);
            put_number(out, start, 8, false);
        }
    }
    put(&to->all, deflated ? packed : array->at, less);
    if (later) put(&to->all, "PK\7\10............", 16);
    to->count++;
}

static void put_end(zip *to, bool wide)
{
    uint64_t start = to->all.count, size = to->list.count;
    put(&to->all, to->list.at, to->list.count);
    if (wide) {
        uint64_t at = to->all.count;
        put(&to->all, "PK\6\6\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0", 24);
        for (int i = 0; i < 2; i++) put_number(&to->all, (uint64_t)to->count, 8, false);
        put_number(&to->all, size, 8, false);
        put_number(&to->all, start, 8, false);
        put(&to->all, "PK\6\7\0\0\0\0", 8);
        put_number(&to->all, at, 8, false);
        put_number(&to->all, 1, 4, false);
    }
    put(&to->all, "PK\5\6\0\0\0\0", 8);
    for (int i = 0; i < 2; i++)
        put_number(&to->all, wide ? UINT16_MAX : (uint64_t)to->count, 2, false);
    put_number(&to->all, wide ? UINT32_MAX : size, 4, false);
    put_number(&to->all, wide ? UINT32_MAX : start, 4, false);
    put_number(&to->all, 5, 2, false);
    put(&to->all, "PK\5\6x", 5); /* a note that looks like the end */
}

/* Places, names, parents and rate under some of the names that they have. */
static void make_zip(zip *to, way how)
{
    static const char *const titles[][4] = {
        { "positions", "names", "parents", "fps" },
        { "Keypoints", "joint_names", "parents", "mocap_framerate" },
        { "something", "NAMES", "parents", "frame_rate" },
        { "xyz", "names", "parents", "mocap_frame_rate" },
    };
    *to = (zip){ 0 };
    bytes array = { .count = 0 };
    put_header(&array, 1, "<f4", false, "(7,)"); /* one that is not asked for */
    put(&array, (uint8_t[28]){ 0 }, 28);
    put_entry(to, "betas", &array, how);
    array.count = 0;
    put_places(&array, 1, "<f4", false, false);
    put_entry(to, titles[how][0], &array, how);
    array.count = 0;
    if (how % 2) { /* "Hüfte" and "R" */
        put_header(&array, 3, how == PACKED ? ">U5" : "<U5", false, "(2,)");
        for (int i = 0; i < 10; i++)
            put_number(&array,
                       i < 5    ? (uint64_t)(const int[]){ 'H', 0xfc, 'f', 't', 'e' }[i]
                       : i == 5 ? 'R'
                                : 0,
                       4, how == PACKED);
    } else {
        put_header(&array, 2, "|S6", false, "(2,)");
        put(&array,
            "H\xc3\xbc"
            "fteR\0\0\0\0",
            12);
    }
    put_entry(to, titles[how][1], &array, how);
    array.count = 0;
    put_header(&array, 1, how == PACKED ? "<u4" : "<i8", false, "(2,)"); /* the child first */
    put_number(&array, 1, how == PACKED ? 4 : 8, false);
    put_number(&array, UINT64_MAX, how == PACKED ? 4 : 8, false);
    put_entry(to, titles[how][2], &array, how);
    array.count = 0;
    put_header(&array, 1, "<f8", false, how == WIDE ? "(1,)" : "()");
    put_item(&array, "<f8", 120);
    put_entry(to, titles[how][3], &array, how);
    put_end(to, how == WIDE);
}

static marey_points *load(marey_ctx *ctx, const char *name, const bytes *from)
{
    marey_points *points = NULL;
    test_ok(marey_points_load_bytes(ctx, name, from->at, from->count, &points, &test_error));
    return points;
}

static void check_places(const marey_points *points)
{
    assert_int_equal(points->frames, FRAMES);
    assert_int_equal(points->count, POINTS);
    for (int i = 0; i < ITEMS; i++)
        assert_true((double)points->at[i] == place(i / (3 * POINTS), i / 3 % POINTS, i % 3));
}

TEST_CTX(arrays_are_read_of_every_version_type_and_order)
{
    static const char *const types[] = { "<f4", ">f4", "<f8", ">f8", "<i2",
                                         ">i2", "<i4", ">i4", "<i8", ">i8" };
    for (int i = 0; i < 3 * 10 * 4; i++) {
        bytes array = { .count = 0 };
        put_places(&array, 1 + i % 3, types[i / 3 % 10], i / 30 % 2, i / 60);
        marey_points *points = load(ctx, "a folder/walk.npy", &array);
        check_places(points);
        assert_string_equal(points->name, "walk");
        assert_string_equal(points->format, "npy");
        assert_string_equal(points->names[1], "");
        assert_true(points->fps == 0 && !points->parents && !points->units && !points->up);
        marey_points_free(points);
    }
}

TEST_CTX(a_place_that_is_no_number_is_a_gap)
{
    bytes array = { .count = 0 };
    put_header(&array, 1, "<f8", false, "(1, 2, 3)");
    for (int i = 0; i < 6; i++) put_item(&array, "<f8", i == 1 ? NAN : i == 5 ? 1e12 : i);
    marey_points *points = load(ctx, "a.npy", &array);
    for (int i = 0; i < 6; i++) assert_true(isnan(points->at[i]));
    marey_points_free(points);
}

TEST_CTX(archives_are_read_however_they_are_packed)
{
    for (way how = PLAIN; how < WAYS; how++) {
        zip z;
        make_zip(&z, how);
        marey_points *points = load(ctx, "walk.dat", &z.all); /* known by its content */
        check_places(points);
        assert_string_equal(points->format, "npz");
        assert_string_equal(points->names[0], "H\xc3\xbc"
                                              "fte");
        assert_string_equal(points->names[1], "R");
        assert_int_equal(points->parents[0], 1);
        assert_int_equal(points->parents[1], -1);
        assert_true(points->fps == 120);
        marey_points_free(points);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuse(marey_ctx *ctx, const bytes *from, marey_status status, const char *words)
{
    marey_points *points = NULL;
    test_refused_about(
        marey_points_load_bytes(ctx, "a.npz", from->at, from->count, &points, &test_error), status,
        words);
    assert_null(points);
}

TEST_CTX(what_is_no_array_of_points_is_refused)
{
    static const struct {
        const char *type, *shape, *words;
    } rows[] = {
        { "<f4", "(2, 17, 2)", "got 2 x 17 x 2" },
        { "<f4", "(1, 1, 1, 3)", "got 1 x 1 x 1 x 3" },
        { "<f4", "(0, 2, 3)", "got 0 x 2 x 3" },
        { "<f4", "()", "got ()" },
        { "<f4", "(1, 1, 1, 1, 3)", "more than 4 dimensions" },
        { "<f4", "(99999999, 1000000, 3)", "no shape" },
        { "<f4", "(1000000, 1000, 3)", "cut short" },
        { "<f4", "(-1, 3)", "no shape" },
        { "<f4", "(1, 3", "no shape" },
        { "|O", "(1, 3)", "pickled" },
        { "<f2", "(1, 3)", "floats of 4 or 8 bytes" },
        { "<U3", "(1, 3)", "points must be numbers" },
        { "<c8", "(1, 3)", "floats of 4 or 8 bytes" },
        { "<f1", "(1, 3)", "floats of 4 or 8 bytes" },
        { "|b2", "(1, 3)", "floats of 4 or 8 bytes" },
        { "<i3", "(1, 3)", "floats of 4 or 8 bytes" },
        { "<f4x", "(1, 3)", "floats of 4 or 8 bytes" },
        { "<U9999999", "(1, 3)", "floats of 4 or 8 bytes" },
        { "", "(1, 3)", "floats of 4 or 8 bytes" },
        { "|b1", "(1, 3)", "points must be numbers" },
        { "<f4", "(1, 4)", "got 1 x 4" },
        { "<f4", "(3,)", "got 3" },
        { "<f4", "(9999999999999, 3)", "no shape" },
        { "<f4", "1, 3)", "no shape" },
        { "<f4", "(x, 3)", "no shape" },
        { "<f4", "(1, 3), 'descr' 7", "must name descr" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes array = { .count = 0 };
        put_header(&array, 1, rows[i].type, false, rows[i].shape);
        put(&array, (uint8_t[600]){ 0 }, 600);
        refuse(ctx, &array, MAREY_ERR_INPUT, rows[i].words);
    }
    bytes other = { .count = 0 };
    put_places(&other, 4, "<f4", false, false);
    refuse(ctx, &other, MAREY_ERR_INPUT, "version must be 1 to 3");
    other.at[6] = 0;
    refuse(ctx, &other, MAREY_ERR_INPUT, "version must be 1 to 3");
    other.at[6] = 2;
    other.count = 11;
    refuse(ctx, &other, MAREY_ERR_INPUT, "it ends in its header");
    other.at[6] = 1;
    refuse(ctx, &other, MAREY_ERR_INPUT, "it ends in its header");
    other.at[9] = 0xff;
    refuse(ctx, &other, MAREY_ERR_INPUT, "its header is too long");
    enum { MANY = 16385 };
    FREED bytes *header = calloc(1, sizeof *header);
    FREED uint8_t *many = calloc(1, ROOM + 3 * MANY);
    put_header(header, 1, "|i1", false, "(1, 16385, 3)");
    memcpy(many, header->at, header->count);
    marey_points *points = NULL;
    test_refused_about(
        marey_points_load_bytes(ctx, "a.npy", many, header->count + 3 * MANY, &points, &test_error),
        MAREY_ERR_LIMIT, "16385 points");
}

/* What NumPy itself would not write, but others may: blanks anywhere, keys that look like others. */
TEST_CTX(headers_are_read_with_blanks_and_other_keys)
{
    static const char *const shapes[] = {
        "( 1,\t2 ,\n3 )",
        "(1,2,3), 'descr_': 7, 'descr\": 8, xdescr': 9",
        "(1,2,3) , 'shape': (7, 7)",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        bytes array = { .count = 0 };
        put_header(&array, 1, "=f4", false, shapes[i]);
        put(&array, (uint8_t[24]){ 0 }, 24);
        marey_points *points = load(ctx, "a.npy", &array);
        assert_true(points->frames == 1 && points->count == 2);
        marey_points_free(points);
    }
    static const char first[] = "shape': 1, 'shape': (1, 3), 'fortran_order': True, 'descr': '|u1'";
    bytes array = { .count = 0 };
    put(&array, "\x93NUMPY\1\0", 8);
    put_number(&array, sizeof first - 1, 2, false);
    put(&array, first, sizeof first - 1);
    put(&array, "\1\2\3", 3);
    marey_points *points = load(ctx, "a.npy", &array);
    assert_true(points->at[0] == 1 && points->at[1] == 2 && points->at[2] == 3);
    marey_points_free(points);
}

/* An archive of one array with 6 points in a frame, and another one beside it. */
static void make_pair(zip *to, const char *places, const char *name, const char *type,
                      const char *shape, const int *items, int count)
{
    *to = (zip){ 0 };
    bytes array = { .count = 0 };
    put_header(&array, 1, "<f4", false, "(1, 6, 3)");
    put(&array, (uint8_t[72]){ 0 }, 72);
    put_entry(to, places, &array, PLAIN);
    array.count = 0;
    put_header(&array, 1, type, false, shape);
    for (int i = 0; i < count; i++) put_number(&array, (uint64_t)items[i], 4, false);
    put_entry(to, name, &array, PLAIN);
    put_end(to, false);
}

TEST_CTX(archives_that_contradict_themselves_are_refused)
{
    static const int zeros[36] = { 0 }, circle[] = { -1, 2, 3, 1, 0, 0 },
                     far[] = { -1, 0, 1, 2, 3, 6 };
    zip z;
    make_pair(&z, "positions", "parents", "<i4", "(6,)", circle, 6);
    refuse(ctx, &z.all, MAREY_ERR_INPUT, "those of point 1 go in a circle");
    make_pair(&z, "positions", "parents", "<i4", "(6,)", far, 6);
    refuse(ctx, &z.all, MAREY_ERR_INPUT, "got 6 for point 5");
    make_pair(&z, "positions", "parents", "<i4", "(5,)", far, 5);
    refuse(ctx, &z.all, MAREY_ERR_INPUT, "must be 6 integers");
    make_pair(&z, "positions", "names", "<U1", "(7,)", zeros, 7);
    refuse(ctx, &z.all, MAREY_ERR_INPUT, "array names must be 6 texts");
    make_pair(&z, "a", "b", "<f4", "(2, 1, 3)", zeros, 6);
    refuse(ctx, &z.all, MAREY_ERR_INPUT, "several arrays could be points");
    make_pair(&z, "poses", "trans", "<f4", "(2, 1, 3)", zeros, 6);
    refuse(ctx, &z.all, MAREY_ERR_INPUT, "rotations of an SMPL body");
    make_pair(&z, "a", "b", "<f4", "(2, 6)", zeros, 12); /* three dimensions before two */
    marey_points_free(load(ctx, "a.npz", &z.all));
    make_pair(&z, "a", "poses", "<f4", "(2, 6)", zeros, 12); /* poses of something else */
    marey_points_free(load(ctx, "a.npz", &z.all));

    static const struct {
        const char *name, *type, *shape;
        int count;
        int items[6];
        const char *said;
    } rows[] = {
        { "parents", "<i4", "(6,)", 6, { -1, 0, -5 }, "got -5 for point 2" },
        { "parents", "<f4", "(6,)", 6, { 0 }, "must be 6 integers" },
        { "parents", "<i4", "(2,3)", 6, { 0 }, "must be 6 integers" },
        { "parents", "<u4", "(6,)", 6, { -1, 0, 2, 2, 3, 5 }, NULL }, /* -1, or themselves */
        { "names", "<U1", "(2,3)", 6, { 0 }, "array names must be 6 texts" },
        { "names", "<i4", "(6,)", 6, { 0 }, "array names must be 6 texts" },
        { "joint_names", "|S4", "(6,)", 6, { 'a', 'b', 'c', 'd', 'e', 'f' }, NULL },
        { "fps", "<U6", "()", 6, { '6', '0' }, NULL }, /* which is no number */
        { "fps", "<i4", "(2,)", 2, { 60, 60 }, NULL }, /* nor are two */
        { "fps", "<i4", "(7,)", 6, { 60 }, "array fps: it is cut short" },
        { "units", "<U1", "(2,)", 2, { 'm', 'm' }, NULL },
        { "units", "<i4", "()", 1, { 1 }, NULL },
        { "units", "<U7", "()", 6, { 'm' }, "array units: it is cut short" },
        { "up", "<U1", "()", 1, { 'z' }, NULL },
        { "up", "<U1", "()", 1, { 'x' }, NULL },
        { "", "<U1", "()", 1, { 'x' }, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_pair(&z, "positions", rows[i].name, rows[i].type, rows[i].shape, rows[i].items,
                  rows[i].count);
        if (rows[i].said) refuse(ctx, &z.all, MAREY_ERR_INPUT, rows[i].said);
        if (rows[i].said) continue;
        marey_points *points = load(ctx, "a.npz", &z.all);
        assert_true(points->fps == 0 && points->units == MAREY_UNITS_GUESS);
        assert_int_equal(points->up, rows[i].items[0] == 'z' ? MAREY_UP_Z : MAREY_UP_GUESS);
        if (points->parents) {
            static const int want[] = { -1, 0, -1, 2, 3, -1 };
            assert_memory_equal(points->parents, want, sizeof want);
        }
        marey_points_free(points);
    }
    /* Letters of each length of UTF-8, and numbers that stand for none. */
    static const int letters[] = { 'a', 0xe9, 0x4e2d, 0x1f600, 0xd800, 0x7fffffff };
    make_pair(&z, "positions", "names", "<U1", "(6,)", letters, 6);
    marey_points *lettered = load(ctx, "a.npz", &z.all);
    static const char *const want[] = { "a", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80",
                                        "?", "?" };
    for (int i = 0; i < 6; i++) assert_string_equal(lettered->names[i], want[i]);
    marey_points_free(lettered);

    zip whole;
    make_zip(&whole, PLAIN);
    uint8_t *data = memmem(whole.all.at, whole.all.count, "positions", 9);
    assert_non_null(data);
    data[140] ^= 1;
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "array positions: its checksum is wrong");
    make_zip(&whole, PLAIN);
    uint8_t *listed = memmem(whole.list.at, whole.list.count, "positions", 9);
    size_t start = whole.all.count - 27 - whole.list.count;
    uint8_t *entry = whole.all.at + start + (listed - whole.list.at) - 46;
    entry[8] = 1;
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "encrypted");
    entry[8] = 0;
    entry[10] = 12;
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "another way than stored or deflate");
    entry[10] = 8; /* a bomb: deflated, of 3 GB, and of 200 MB from few bytes */
    entry[27] = 0xc0;
    refuse(ctx, &whole.all, MAREY_ERR_LIMIT, "marey unpacks at most 1 GiB");
    entry[27] = 0x0c;
    refuse(ctx, &whole.all, MAREY_ERR_LIMIT, "200 times the size");
    entry[27] = 0;
    entry[24]++; /* more than there is in it */
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "its packed bytes are damaged");
    entry[24]--;
    entry[42 + 2] = 0xff; /* of where it begins */
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "its bytes lie outside the file");
    whole.all.count -= 40;
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "is the file whole?");
    make_zip(&whole, WIDE);
    uint8_t *record = memmem(whole.all.at, whole.all.count, "PK\6\7", 4);
    assert_non_null(record);
    uint8_t low = record[8], high = record[10];
    record[10] = 0xff;
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "its zip64 record is missing");
    record[10] = high;
    record[8] = (uint8_t)(low + 30); /* so that it would end behind the file */
    refuse(ctx, &whole.all, MAREY_ERR_INPUT, "its zip64 record is missing");
    bytes empty = { .count = 22 };
    memcpy(empty.at, "PK\5\6", 4);
    refuse(ctx, &empty, MAREY_ERR_INPUT, "it holds no points");
    enum { LONG = 70000 };
    FREED uint8_t *endless = calloc(1, LONG);
    memcpy(endless, "PK\3\4", 4);
    marey_points *nothing = NULL;
    test_refused_about(marey_points_load_bytes(ctx, "a.npz", endless, LONG, &nothing, &test_error),
                       MAREY_ERR_INPUT, "is the file whole?");
    bytes none = { .at = "nothing of the kind", .count = 19 };
    marey_points *points = NULL;
    test_refused_about(
        marey_points_load_bytes(ctx, "a.txt", none.at, none.count, &points, &test_error),
        MAREY_ERR_UNKNOWN_FORMAT, "no known format of points");
}

/* ---- TRC ------------------------------------------------------------------------------------- */

#define TRC_HEAD(rate, frames, markers, units)                                                     \
    "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"        \
    "OrigDataRate\n" rate "\t60\t" frames "\t" markers "\t" units "\t60\n"
#define TRC_NAMES "Frame#\tTime\tR.ASIS\t\t\tL Knee\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"

TEST_CTX(trc_files_are_read_with_their_gaps)
{
    bytes text = { .count = 0 };
    const char *whole =
        TRC_HEAD("60.00", "3", "2", "mm") TRC_NAMES "7\t0.000\t1.5\t-2\t3e1\t4\t5\t6\r\n"
                                                    "8\t0.017\t\t\t\t7\t8\t9\t\n"
                                                    "9\t0.033\t1\t2\tnan\t 4 \t\t6";
    put(&text, whole, strlen(whole));
    marey_points *points = load(ctx, "a.trc", &text);
    assert_string_equal(points->format, "trc");
    assert_int_equal(points->frames, 3);
    assert_int_equal(points->count, 2);
    assert_int_equal(points->first_frame, 7);
    assert_true(points->fps == 60 && points->units == MAREY_UNITS_MM);
    assert_string_equal(points->names[0], "R.ASIS");
    assert_string_equal(points->names[1], "L Knee");
    static const float want[] = { 1.5f, -2, 30, 4,   5,   6,   NAN, NAN, NAN,
                                  7,    8,  9,  NAN, NAN, NAN, NAN, NAN, NAN };
    for (int i = 0; i < 18; i++)
        assert_true(isnan(want[i]) ? isnan(points->at[i]) : points->at[i] == want[i]);
    marey_points_free(points);
}

TEST_CTX(trc_files_that_are_wrong_are_refused_with_their_line)
{
    static const struct {
        const char *text, *words;
        marey_status status;
    } rows[] = {
        { TRC_HEAD("60", "3", "2", "mm") TRC_NAMES "1\t0\t1\t2\t3\n", "says 3 frames and has 1",
          MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "2", "mm") TRC_NAMES "1\t0\t1\tabc\t3\n",
          "expected a number, found \"abc\"", MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "", "mm") TRC_NAMES "1\t0\t1\t2\t3\n", "NumMarkers must be",
          MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "20000", "mm") TRC_NAMES "1\t0\t1\t2\t3\n", "20000 points",
          MAREY_ERR_LIMIT },
        { TRC_HEAD("60", "1", "16000", "mm") TRC_NAMES "1\n", "more than its rows have",
          MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "2", "mm") TRC_NAMES, "no frames", MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "2", "mm") "Frame#\n", "ends in its header", MAREY_ERR_INPUT },
        { "PathFileType\t4\t(X/Y/Z)", "ends in its header", MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "1e9", "mm") TRC_NAMES "1\t0\t1\t2\t3\n", "NumMarkers must be",
          MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "0", "mm") TRC_NAMES "1\t0\t1\t2\t3\n", "NumMarkers must be",
          MAREY_ERR_INPUT },
        { TRC_HEAD("60", "1", "2", "mm") TRC_NAMES
          "1\t0\t1\t0.0000000000000000000000000000000000000000000000000000000000000001\n",
          "expected a number", MAREY_ERR_INPUT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes text = { .count = 0 };
        put(&text, rows[i].text, strlen(rows[i].text));
        refuse(ctx, &text, rows[i].status, rows[i].words);
        if (i == 1) assert_true(test_error.line == 7 && test_error.column == 7);
    }
}

TEST_OF(reader_bench *b, files_are_told_by_their_content_and_else_by_their_names)
{
    assert_null(mry_points_format(-1));
    assert_non_null(mry_points_format(0));
    assert_null(mry_points_format(99));
    static const struct {
        const char *name, *said;
    } rows[] = { { "a.trc", "it must begin with PathFileType" },
                 { "a.C3D", "no C3D file" },
                 { "a.npy", "no NumPy array" },
                 { "a.npz", "is the file whole?" },
                 { ".npz", "no known format of points" },
                 { "npz", "no known format of points" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_points *points = NULL;
        marey_status status =
            marey_points_load_bytes(b->ctx, rows[i].name, "nothing", 7, &points, &test_error);
        assert_true(status != MAREY_OK && !points);
        if (!strstr(test_error.message, rows[i].said))
            fail_msg("%s: %s", rows[i].name, test_error.message);
    }
    marey_points *points = NULL;
    assert_int_equal(marey_points_load(b->ctx, reader_path(b, "none.trc"), &points, &test_error),
                     MAREY_ERR_INPUT);
    static const char text[] = TRC_HEAD("60", "1", "2", "mm") TRC_NAMES "7\t0\t1\t2\t3\t4\t5\t6\n";
    static const char *const names[][2] = { { "walk", "walk" },
                                            { ".walk", ".walk" },
                                            { "a/b.c/walk.1.trc", "walk.1" } };
    for (int i = 0; i < 3; i++) {
        test_ok(marey_points_load_bytes(b->ctx, names[i][0], text, sizeof text - 1, &points,
                                        &test_error));
        assert_string_equal(points->name, names[i][1]);
        marey_points_free(points);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *const names[] = { "Hips", "Kn\xc3\xa9\xe4\xb8\xad", "" };
static const int parents[] = { -1, 0, 0 };
static const float spots[] = { 1, 2, 3, 4, 5, 6, 7, 8, NAN, -1, -2, -3, -4, -5, -6, -7, -8, -9 };
static const marey_points written = { .frames = 2,
                                      .count = 3,
                                      .fps = 59.94,
                                      .names = names,
                                      .at = spots,
                                      .parents = parents,
                                      .units = MAREY_UNITS_CM,
                                      .up = MAREY_UP_Y };

/* A second reader: it goes from one entry's own header to the next, and knows only what NumPy itself
   would write. Returns the data of the entry of this name. */
static const uint8_t *judge_entry(const uint8_t *p, size_t count, const char *name,
                                  const char *header, size_t bytes_wanted)
{
    const uint8_t *end = p + count;
    while (end - p > 30 && memcmp(p, "PK\3\4", 4) == 0) {
        uint32_t sum, size;
        uint16_t length, head;
        memcpy(&sum, p + 14, 4);
        memcpy(&size, p + 22, 4);
        memcpy(&length, p + 26, 2);
        const uint8_t *data = p + 30 + length;
        assert_true(data + size <= end);
        assert_int_equal(crc32(0, data, size), sum);
        memcpy(&head, data + 8, 2);
        assert_true((10 + head) % 64 == 0 && data[9 + head] == '\n');
        if (length == strlen(name) && memcmp(p + 30, name, length) == 0) {
            assert_memory_equal(data, "\x93NUMPY\1\0", 8);
            assert_memory_equal(data + 10, header, strlen(header));
            assert_int_equal(size, 10 + head + bytes_wanted);
            return data + 10 + head;
        }
        p = data + size;
    }
    fail_msg("no entry %s", name);
    return NULL;
}

TEST_OF(reader_bench *b, archives_are_written_as_a_second_reader_reads_them)
{
    const char *path = reader_path(b, "out.npz");
    size_t count;
    test_ok(marey_points_save(b->ctx, &written, path, &test_error));
    FREED char *text = test_file_read(path, &count);
    const uint8_t *p = (const uint8_t *)text;
#define HEADER(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': (" shape "), }"
    assert_memory_equal(
        judge_entry(p, count, "positions.npy", HEADER("<f4", "2, 3, 3,"), sizeof spots), spots,
        sizeof spots);
    assert_memory_equal(judge_entry(p, count, "parents.npy", HEADER("<i4", "3,"), 12), parents, 12);
    assert_memory_equal(judge_entry(p, count, "fps.npy", HEADER("<f8", ""), 8), &written.fps, 8);
    static const uint32_t letters[] = { 'H', 'i', 'p', 's', 0, 'K', 'n', 0xe9, 0x4e2d };
    const uint8_t *items = judge_entry(p, count, "names.npy", HEADER("<U4", "3,"), 48);
    assert_memory_equal(items, letters, 16);
    assert_memory_equal(items + 16, letters + 5, 16);
    assert_memory_equal(judge_entry(p, count, "units.npy", HEADER("<U2", ""), 8), "c\0\0\0m\0\0\0",
                        8);
    assert_memory_equal(judge_entry(p, count, "up.npy", HEADER("<U1", ""), 4), "y\0\0\0", 4);

    marey_points *back = NULL;
    test_ok(marey_points_load(b->ctx, path, &back, &test_error));
    assert_true(back->frames == 2 && back->count == 3 && back->fps == written.fps);
    assert_true(back->units == MAREY_UNITS_CM && back->up == MAREY_UP_Y);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(back->names[i], names[i]);
        assert_int_equal(back->parents[i], parents[i]);
    }
    for (int i = 0; i < 18; i++)
        assert_true(i >= 6 && i < 9 ? isnan(back->at[i]) : back->at[i] == spots[i]);
    marey_points_free(back);
    test_refused_about(marey_points_save(b->ctx, &written, "a.trc", &test_error), MAREY_ERR_REQUEST,
                       ".npz or .npy");
}

TEST_OF(reader_bench *b, points_without_parents_rate_or_units_are_written_too)
{
    static const char *const odd[] = { "\xff", "\xf7\xbf\xbf\xbf", "\xe4\xb8" };
    const char *path = reader_path(b, "bare.npz"), *array = reader_path(b, "bare.npy");
    marey_points bare = written, *back = NULL;
    bare.parents = NULL;
    bare.fps = 0;
    bare.units = MAREY_UNITS_RAW;
    bare.up = MAREY_UP_GUESS;
    bare.names = odd;
    test_ok(marey_points_save(b->ctx, &bare, path, &test_error));
    test_ok(marey_points_load(b->ctx, path, &back, &test_error));
    assert_true(!back->parents && back->fps == 0);
    assert_true(back->units == MAREY_UNITS_GUESS && back->up == MAREY_UP_GUESS);
    /* Bytes that are no UTF-8 are letters of their own. */
    assert_string_equal(back->names[0], "\xc3\xbf");
    assert_string_equal(back->names[1], "?");
    assert_string_equal(back->names[2], "\xc3\xa4\xc2\xb8");
    marey_points_free(back);
    bare.up = MAREY_UP_Z;
    bare.units = MAREY_UNITS_INCH;
    test_ok(marey_points_save(b->ctx, &bare, path, &test_error));
    test_ok(marey_points_load(b->ctx, path, &back, &test_error));
    assert_true(back->units == MAREY_UNITS_INCH && back->up == MAREY_UP_Z);
    marey_points_free(back);
    test_ok(marey_points_save(b->ctx, &bare, array, &test_error));
    test_ok(marey_points_load(b->ctx, array, &back, &test_error));
    assert_true(back->frames == 2 && back->count == 3 && back->at[0] == 1);
    marey_points_free(back);
    test_refused_about(marey_points_save(b->ctx, &written, "npz", &test_error), MAREY_ERR_REQUEST,
                       ".npz or .npy");
}

TEST_OF(reader_bench *b, a_clip_is_written_as_the_places_of_its_joints)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 3);
    FREED char *bvh = test_person(3);
    OWNED(marey_clip) *raw = test_clip_raw(b->ctx, bvh);
    for (int i = 0; i < 2; i++) {
        const marey_clip *of = i ? raw : clip;
        const char *path = reader_path(b, "clip.npz");
        marey_points *back = NULL;
        double p[3 * TEST_PERSON_JOINTS];
        test_ok(marey_clip_save(of, path, &test_error));
        test_ok(marey_points_load(b->ctx, path, &back, &test_error));
        assert_true(back->frames == 3 && back->count == TEST_PERSON_JOINTS && back->fps == 60);
        assert_int_equal(back->units, i ? MAREY_UNITS_GUESS : MAREY_UNITS_CM);
        assert_int_equal(back->up, i ? MAREY_UP_GUESS : MAREY_UP_Y);
        marey_clip_positions(of, 2, 1, p);
        for (int k = 0; k < 3 * TEST_PERSON_JOINTS; k++)
            test_near((double)back->at[2 * 3 * TEST_PERSON_JOINTS + k], p[k], 1e-4);
        for (int k = 0; k < TEST_PERSON_JOINTS; k++) {
            assert_string_equal(back->names[k], marey_clip_skeleton(of)->joints[k].name);
            assert_int_equal(back->parents[k], marey_clip_skeleton(of)->joints[k].parent);
        }
        marey_points_free(back);
    }
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *held = test_person_clip(ctx, 3);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);)
        status = marey_clip_save(held, reader_path(b, "again.npz"), NULL);
}

TEST_OF(reader_bench *b, a_failed_write_leaves_nothing)
{
    const char *path = reader_path(b, "out.npz");
    reader_clear(b);
    test_files files = { .kinds = TEST_IO_ALL & ~TEST_IO_LIST & ~TEST_IO_READ };
    marey_ctx_def def = { .threads = 1, .io = test_files_io(&files) };
    bool failed = true;
    for (files.fail = 0; failed; files.fail++) {
        marey_ctx *ctx = NULL;
        files.calls = 0;
        test_ok(marey_ctx_open(&def, &ctx));
        failed = marey_points_save(ctx, &written, path, NULL) != MAREY_OK;
        assert_int_equal(test_folder_count(b->folder), failed ? 0 : 1);
        assert_int_equal(files.open_handles, 0);
        marey_ctx_close(ctx);
    }
    assert_true(files.fail > 4);
}

/* ---- damage ---------------------------------------------------------------------------------- */

TEST_CTX(damaged_points_are_refused_or_read_and_do_no_harm)
{
    static const char text[] = TRC_HEAD("60.00", "2", "2", "mm") TRC_NAMES
        "7\t0.000\t1.5\t-2\t3\t4\t5\t6\n8\t0\t\t\t\t7\t8\t9\n";
    uint64_t seed = 1;
    int refused = 0;
    for (int i = 0; i < (test_is_long() ? 200000 : 12000); i++) {
        zip z = { 0 };
        if (i % 8 < 4) make_zip(&z, (way)(i % 4));
        if (i % 8 == 4 || i % 8 == 5) put_places(&z.all, 1 + i / 8 % 3, "<f8", i % 2, false);
        if (i % 8 > 5) put(&z.all, text, sizeof text - 1);
        size_t count = i / 8 % 4 ? z.all.count : (size_t)(mry_random_next(&seed) % z.all.count);
        for (int k = 0; k < i / 8 % 5; k++) {
            size_t half = i % 3 ? z.all.count : 0; /* headers stand at the end of an archive */
            size_t at = mry_random_next(&seed) % z.all.count;
            z.all.at[at < half / 2 && i % 8 < 4 ? at + half / 2 : at] =
                (uint8_t)mry_random_next(&seed);
        }
        FREED char *exact = malloc(count + 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, z.all.at, count);
        marey_points *points = NULL;
        marey_error error = { 0 };
        if (marey_points_load_bytes(ctx, "a.npz", exact, count, &points, &error)) {
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
    for (way how = PLAIN; how <= WAYS; how++) {
        zip z = { 0 };
        static const char text[] =
            TRC_HEAD("60.00", "1", "2", "mm") TRC_NAMES "7\t0.000\t1.5\t-2\t3\t4\t5\t6\n";
        if (how < WAYS) make_zip(&z, how);
        if (how == WAYS) put(&z.all, text, sizeof text - 1);
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            marey_points *points = NULL;
            status = marey_points_load_bytes(ctx, "a.npz", z.all.at, z.all.count, &points, NULL);
            assert_int_equal(points == NULL, status != MAREY_OK);
            marey_points_free(points);
        }
    }
    char folder[256], path[300];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/a.npz", folder);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);)
        status = marey_points_save(ctx, &written, path, NULL);
    test_folder_remove(folder);
}

TEST_GROUP_OF_CASES(test_point_files, reader_bench_make, reader_bench_free)
