/* test_shards.c - files of shards: every tile of a work is in one shard, shards cost the same, and what
   was put in comes back; whatever is wrong with a file is said. */
#include "support.h"

#include "base/context.h"
#include "store/shard_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
    char folder[256];
    char path[300];
} bench;

static int bench_make(void **state)
{
    bench *b = *state = calloc(1, sizeof *b);
    b->memory.refuse = -1;
    b->ctx = test_ctx_refusing(&b->memory);
    test_folder_make(b->folder, sizeof b->folder);
    snprintf(b->path, sizeof b->path, "%.250s/part", b->folder);
    return 0;
}

static int bench_free(void **state)
{
    bench *b = *state;
    marey_ctx_close(b->ctx);
    long live = b->memory.live;
    test_folder_remove(b->folder);
    free(b);
    return live == 0 ? 0 : -1;
}

#define CASE(name) TEST_OF_IN(bench_make, bench_free, bench *b, name)

/* ---- the work of these tests ----------------------------------------------------------------- */

enum { TILES = 40 };

static double costs_of(int64_t tile)
{
    return 1 + (double)(tile * 7919 % 13);
}

/* What a tile gives: as many bytes as it says, some none. */
static size_t bytes_of(int64_t tile, uint8_t *bytes)
{
    size_t size = (size_t)(tile % 5 * 37);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((size_t)tile * 31 + i);
    return size;
}

static marey_status make_shard(bench *b, const char *path, int number, int count, uint64_t state,
                               marey_shard_info *info)
{
    double costs[TILES];
    uint8_t bytes[256];
    marey_shard *shard = NULL;
    marey_shard_def def = { .path = path,
                            .number = number,
                            .count = count,
                            .about = "{\"of\":\"tests\"}",
                            .state = state };
    for (int i = 0; i < TILES; i++) costs[i] = costs_of(i);
    marey_status status = marey_shard_create(b->ctx, &def, &shard, &test_error);
    if (status) return status;
    const marey_tiles *tiles = marey_shard_tiles(shard);
    status = tiles->begin(tiles->user, costs, TILES, &test_error);
    for (int64_t i = TILES - 1; i >= 0 && !status; i--) { /* in any order */
        if (tiles->wants(tiles->user, i))
            status = tiles->put(tiles->user, i, bytes, bytes_of(i, bytes), &test_error);
    }
    if (!status) status = marey_shard_finish(shard, info, &test_error);
    marey_shard_free(shard);
    return status;
}

static void name_part(const bench *b, int number, char path[300])
{
    snprintf(path, 300, "%.250s/part-%d", b->folder, number);
}

static void make_all(bench *b, int count)
{
    for (int i = 1; i <= count; i++) {
        char path[300];
        name_part(b, i, path);
        test_ok(make_shard(b, path, i, count, 7, NULL));
    }
}

static marey_status open_parts(bench *b, const int *numbers, int count, marey_shards **out)
{
    char paths[128][300];
    const char *list[128];
    for (int i = 0; i < count; i++) {
        name_part(b, numbers[i], paths[i]);
        list[i] = paths[i];
    }
    return marey_shards_open(b->ctx, list, count, out, &test_error);
}

typedef struct seen {
    int times[TILES];
} seen;

static marey_status see(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                        marey_error *error)
{
    seen *of = user;
    uint8_t wanted[256];
    (void)error;
    assert_true(tile >= 0 && tile < TILES);
    assert_int_equal(size, bytes_of(tile, wanted));
    assert_true(size == 0 || memcmp(bytes, wanted, size) == 0);
    of->times[tile]++;
    return MAREY_OK;
}

static void read_all(marey_shards *shards, seen *out)
{
    const marey_tiles *tiles = marey_shards_tiles(shards);
    *out = (seen){ 0 };
    assert_null(tiles->wants);
    test_ok(tiles->begin(tiles->user, NULL, TILES, &test_error));
    test_ok(tiles->read(tiles->user, see, out, &test_error));
}

/* ---- cases ----------------------------------------------------------------------------------- */

CASE(every_tile_is_in_one_shard_whatever_their_number)
{
    for (int count = 1; count <= 64; count += count < 9 ? 1 : 11) {
        int numbers[64];
        marey_shards *shards = NULL;
        seen all;
        make_all(b, count);
        for (int i = 0; i < count; i++) numbers[i] = count - i;
        test_ok(open_parts(b, numbers, count, &shards));
        read_all(shards, &all);
        for (int i = 0; i < TILES; i++) assert_int_equal(all.times[i], 1);
        int missing, listed;
        marey_shards_missing(shards, &missing);
        assert_int_equal(missing, 0);
        assert_string_equal(marey_shards_about(shards), "{\"of\":\"tests\"}");
        assert_int_equal(marey_shards_state(shards), 7);
        const marey_shard_info *list = marey_shards_list(shards, &listed);
        assert_int_equal(listed, count);
        for (int i = 0; i < count; i++) assert_int_equal(list[i].number, i + 1);
        marey_shards_free(shards);
    }
}

CASE(shards_cost_the_same_but_for_a_tile)
{
    double all = 0, most = 0;
    for (int i = 0; i < TILES; i++) {
        all += costs_of(i);
        most = fmax(most, costs_of(i));
    }
    for (int count = 2; count <= 8; count++) {
        double sum = 0;
        for (int i = 1; i <= count; i++) {
            marey_shard_info info;
            test_ok(make_shard(b, b->path, i, count, 7, &info));
            assert_true(fabs(info.share - 1.0 / count) <= most / all);
            assert_int_equal(info.all_tiles, TILES);
            sum += info.share;
        }
        test_near(sum, 1, 1e-12);
    }
}

CASE(what_is_missing_is_listed_and_twice_does_no_harm)
{
    static const int some[] = { 5, 2, 7, 2 };
    marey_shards *shards = NULL;
    int count;
    seen all;
    make_all(b, 8);
    test_ok(open_parts(b, some, 4, &shards));
    const int *missing = marey_shards_missing(shards, &count);
    static const int wanted[] = { 1, 3, 4, 6, 8 };
    assert_int_equal(count, 5);
    for (int i = 0; i < count; i++) assert_int_equal(missing[i], wanted[i]);
    read_all(shards, &all);
    int there = 0, again = 0;
    for (int i = 0; i < TILES; i++) {
        there += all.times[i] > 0;
        again += all.times[i] > 1;
    }
    assert_true(there > 8 && there < TILES && again > 0);
    marey_shards_free(shards);
}

CASE(a_shard_that_is_not_finished_leaves_nothing)
{
    marey_shard *shard = NULL;
    double cost = 1;
    marey_shard_def def = { .path = b->path, .number = 1, .count = 1, .about = "", .state = 0 };
    test_ok(marey_shard_create(b->ctx, &def, &shard, &test_error));
    test_refused(marey_shard_finish(shard, NULL, &test_error), MAREY_ERR_REQUEST,
                 "there was nothing to share: the work has no tiles");
    const marey_tiles *tiles = marey_shard_tiles(shard);
    test_ok(tiles->begin(tiles->user, &cost, 1, &test_error));
    test_ok(tiles->put(tiles->user, 0, "x", 1, &test_error));
    marey_shard_free(shard);
    assert_int_equal(test_folder_count(b->folder), 0);
}

CASE(shards_of_another_work_or_state_are_refused)
{
    char first[300], second[300];
    marey_shards *shards = NULL;
    name_part(b, 1, first);
    name_part(b, 2, second);
    const char *both[] = { first, second };
    test_ok(make_shard(b, first, 1, 2, 7, NULL));
    test_ok(make_shard(b, second, 2, 2, 8, NULL));
    test_refused_about(marey_shards_open(b->ctx, both, 2, &shards, &test_error), MAREY_ERR_INPUT,
                       "of another state");
    test_ok(make_shard(b, second, 2, 3, 7, NULL));
    test_refused_about(marey_shards_open(b->ctx, both, 2, &shards, &test_error), MAREY_ERR_INPUT,
                       "of another number of shards");
    test_refused_about(make_shard(b, second, 3, 2, 7, NULL), MAREY_ERR_REQUEST, "got 3 of 2");
    test_refused_about(make_shard(b, second, 0, 0, 7, NULL), MAREY_ERR_REQUEST, "got 0 of 0");
    const marey_tiles *tiles;
    test_ok(marey_shards_open(b->ctx, both, 1, &shards, &test_error));
    tiles = marey_shards_tiles(shards);
    test_refused_about(tiles->begin(tiles->user, NULL, TILES + 1, &test_error), MAREY_ERR_STALE,
                       "another state of the library");
    marey_shards_free(shards);
}

CASE(two_halves_that_were_cut_otherwise_are_refused)
{
    char first[300], second[300];
    double costs[TILES];
    marey_shards *shards = NULL;
    marey_shard *shard = NULL;
    name_part(b, 1, first);
    name_part(b, 2, second);
    const char *both[] = { first, second };
    test_ok(make_shard(b, first, 1, 2, 7, NULL));
    marey_shard_def def = {
        .path = second, .number = 2, .count = 2, .about = "{\"of\":\"tests\"}", .state = 7
    };
    test_ok(marey_shard_create(b->ctx, &def, &shard, &test_error));
    const marey_tiles *tiles = marey_shard_tiles(shard);
    for (int i = 0; i < TILES; i++) costs[i] = 1 + i; /* its half begins later */
    test_ok(tiles->begin(tiles->user, costs, TILES, &test_error));
    for (int i = 0; i < TILES; i++)
        if (tiles->wants(tiles->user, i)) test_ok(tiles->put(tiles->user, i, "", 0, &test_error));
    test_ok(marey_shard_finish(shard, NULL, &test_error));
    marey_shard_free(shard);
    test_refused_about(marey_shards_open(b->ctx, both, 2, &shards, &test_error), MAREY_ERR_INPUT,
                       "cut otherwise");
}

/* The version stands behind the eight letters at the front. */
CASE(shards_of_another_marey_are_refused)
{
    size_t size;
    marey_shards *shards = NULL;
    const char *one = b->path;
    test_ok(make_shard(b, b->path, 1, 4, 7, NULL));
    FREED char *bytes = test_file_read(b->path, &size);
    assert_int_equal(bytes[8], MRY_SHARD_VERSION);
    for (int newer = 0; newer < 2; newer++) {
        bytes[8] = (char)(newer ? MRY_SHARD_VERSION + 1 : 1);
        test_file_write(b->path, bytes, size);
        test_refused_about(marey_shards_open(b->ctx, &one, 1, &shards, &test_error),
                           MAREY_ERR_INPUT, newer ? "of a newer marey" : "of an earlier marey");
    }
}

CASE(every_flipped_byte_and_every_cut_is_found)
{
    size_t size;
    marey_shards *shards = NULL;
    const char *one = b->path;
    test_ok(make_shard(b, b->path, 1, 4, 7, NULL));
    FREED char *bytes = test_file_read(b->path, &size);
    for (long at = 0; at < (long)size; at = test_next(at)) {
        bytes[at] ^= 0x10;
        test_file_write(b->path, bytes, size);
        bytes[at] ^= 0x10;
        if (marey_shards_open(b->ctx, &one, 1, &shards, &test_error) == MAREY_OK)
            fail_msg("byte %ld of %zu was changed, and it was not seen", at, size);
        assert_int_equal(marey_status_group(test_error.status), MAREY_ERR_INPUT);
        test_file_write(b->path, bytes, (size_t)at);
        if (marey_shards_open(b->ctx, &one, 1, &shards, &test_error) == MAREY_OK)
            fail_msg("it was cut at %ld of %zu, and it was not seen", at, size);
        assert_int_equal(marey_status_group(test_error.status), MAREY_ERR_INPUT);
    }
}

CASE(refused_memory_is_said_and_nothing_is_left)
{
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &b->memory, .each = true };
         test_refuse(&sweep, status);) {
        marey_shards *shards = NULL;
        const char *one = b->path;
        seen all = { 0 };
        status = make_shard(b, b->path, 1, 2, 7, NULL);
        if (!status) status = marey_shards_open(b->ctx, &one, 1, &shards, &test_error);
        if (!status) {
            const marey_tiles *tiles = marey_shards_tiles(shards);
            status = tiles->read(tiles->user, see, &all, &test_error);
        }
        marey_shards_free(shards);
    }
}

CASE(a_disk_that_fails_leaves_no_shard)
{
    test_files files = { .kinds = TEST_IO_WRITE, .fail = 0, .with_errno = ENOSPC };
    marey_ctx_def def = { .io = test_files_io(&files) };
    OWNED(marey_ctx) *ctx = NULL;
    marey_ctx *before = b->ctx;
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    b->ctx = ctx;
    test_refused_about(make_shard(b, b->path, 1, 2, 7, NULL), MAREY_ERR_IO, "");
    b->ctx = before;
    assert_int_equal(test_folder_count(b->folder), 0);
    assert_int_equal(files.open_handles, 0);
}

/* ---- forged files, whose sums are right ------------------------------------------------------- */

enum { NUMBER_AT = 12, COUNT_AT = 16, TILES_AT = 28, LENGTH_AT = 44, ABOUT_AT = MRY_SHARD_HEAD };

static const char about[] = "{\"of\":\"tests\"}";

static void put_number(uint8_t *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Opens a file with these bytes, of which the head gets its sum anew. */
static marey_status open_forged(const bench *b, uint8_t *bytes, size_t size, size_t about_length)
{
    size_t sum_at = ABOUT_AT + about_length;
    const char *one = b->path;
    marey_shards *shards = NULL;
    put_number(bytes + sum_at, mry_hash64(bytes, sum_at, 0), 8);
    test_file_write(b->path, (const char *)bytes, size);
    marey_status status = marey_shards_open(b->ctx, &one, 1, &shards, &test_error);
    if (!status) marey_shards_free(shards);
    return status;
}

CASE(every_number_of_a_head_is_checked)
{
    static const struct {
        size_t at;
        int bytes;
        uint64_t value;
    } forged[] = {
        { NUMBER_AT, 4, 0 },
        { NUMBER_AT, 4, 5 },
        { NUMBER_AT, 4, UINT32_MAX },
        { COUNT_AT, 4, 0 },
        { COUNT_AT, 4, 100001 },
        { COUNT_AT, 4, UINT32_MAX },
        { TILES_AT, 8, (uint64_t)1 << 63 },
        { TILES_AT, 8, TILES / 8 }, /* fewer than it has */
        { LENGTH_AT, 4, (1 << 20) + 1 },
        { LENGTH_AT, 4, 1 << 20 }, /* more than there is */
        { ABOUT_AT + 3, 1, 0 },    /* a text that ends before its length */
    };
    size_t size;
    test_ok(make_shard(b, b->path, 2, 4, 7, NULL));
    FREED char *whole = test_file_read(b->path, &size);
    FREED uint8_t *bytes = malloc(size);
    memcpy(bytes, whole, size);
    test_ok(open_forged(b, bytes, size, sizeof about - 1)); /* as it was */
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        memcpy(bytes, whole, size);
        put_number(bytes + forged[i].at, forged[i].value, forged[i].bytes);
        if (open_forged(b, bytes, size, sizeof about - 1) != MAREY_ERR_INPUT &&
            test_error.status != MAREY_ERR_DAMAGED)
            fail_msg("forged %zu: status %d", i, (int)test_error.status);
    }
}

/* A whole file of a shard of one, with these tiles of no bytes. */
static size_t forge_file(uint8_t *bytes, const uint64_t *tiles, int count, uint64_t told_size,
                         uint64_t told_count)
{
    uint8_t *at = bytes;
    uint64_t all = 0;
    memcpy(at, MRY_SHARD_MAGIC, 8);
    put_number(at + 8, MRY_SHARD_VERSION, 4);
    put_number(at + NUMBER_AT, 1, 4);
    put_number(at + COUNT_AT, 1, 4);
    put_number(at + 20, 7, 8);
    put_number(at + TILES_AT, TILES, 8);
    put_number(at + 36, 0, 8);
    put_number(at + LENGTH_AT, sizeof about - 1, 4);
    memcpy(at + ABOUT_AT, about, sizeof about - 1);
    at += ABOUT_AT + sizeof about - 1 + 8;
    for (int i = 0; i <= count; i++) {
        bool ends = i == count;
        uint64_t sum = ends ? all : mry_hash64("", 0, tiles[i]);
        put_number(at, ends ? MRY_SHARD_END : tiles[i], 8);
        put_number(at + 8, ends ? told_count : told_size, 8);
        put_number(at + 16, sum, 8);
        if (!ends) all = mry_hash64(&sum, sizeof sum, all);
        at += MRY_SHARD_RECORD;
    }
    return (size_t)(at - bytes);
}

CASE(every_record_of_a_tile_is_checked)
{
    uint64_t tiles[TILES];
    uint8_t bytes[4096];
    for (uint64_t i = 0; i < TILES; i++) tiles[i] = i;
    size_t size = forge_file(bytes, tiles, TILES, 0, TILES);
    test_ok(open_forged(b, bytes, size, sizeof about - 1)); /* all tiles, as they are made */
    struct {
        int tile, count;
        uint64_t value, told_size, told_count;
    } forged[] = {
        { 5, TILES, TILES, 0, TILES }, /* past the last tile */
        { 5, TILES, UINT64_MAX - 1, 0, TILES },
        { 5, TILES, 4, 0, TILES },          /* twice, and so one is not there */
        { 5, TILES, 5, UINT64_MAX, TILES }, /* more bytes than there are */
        { 5, TILES, 5, 0, TILES - 1 },      /* counts one less */
        { 5, TILES - 1, 5, 0, TILES - 1 },  /* a sound file that is not all of the work */
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        for (uint64_t k = 0; k < TILES; k++) tiles[k] = k;
        tiles[forged[i].tile] = forged[i].value;
        size = forge_file(bytes, tiles, forged[i].count, forged[i].told_size, forged[i].told_count);
        marey_status status = open_forged(b, bytes, size, sizeof about - 1);
        if (marey_status_group(status) != MAREY_ERR_INPUT)
            fail_msg("forged %zu: status %d", i, (int)status);
    }
}

/* Tiles far from the first, before it and behind it. */
CASE(tiles_that_are_no_run_are_refused)
{
    enum { FAR = 30 };
    uint8_t bytes[4096];
    static const uint64_t runs[][3] = { { 0, 1, FAR }, { FAR, FAR - 1, 0 }, { 0, 2, 1 } };
    for (int i = 0; i < 3; i++) {
        size_t size = forge_file(bytes, runs[i], 3, 0, 3);
        marey_status status = open_forged(b, bytes, size, sizeof about - 1);
        if (i < 2) assert_int_equal(status, MAREY_ERR_DAMAGED);
        if (i == 2) assert_int_equal(status, MAREY_ERR_INPUT); /* in any order, but not all */
    }
}

/* The head says what it is part of; of two, each difference is named. */
CASE(shards_say_how_they_differ_from_the_first)
{
    char paths[2][300];
    marey_shards *shards = NULL;
    double costs[TILES + 1];
    for (int i = 0; i <= TILES; i++) costs[i] = 1;
    name_part(b, 1, paths[0]);
    name_part(b, 2, paths[1]);
    const char *both[] = { paths[0], paths[1] };
    test_ok(make_shard(b, paths[0], 1, 2, 7, NULL));
    for (int way = 0; way < 2; way++) {
        marey_shard *shard = NULL;
        marey_shard_def def = { .path = paths[1],
                                .number = 2,
                                .count = 2,
                                .about = way ? "{\"of\":\"tests\"}" : "{}",
                                .state = 7 };
        test_ok(marey_shard_create(b->ctx, &def, &shard, &test_error));
        const marey_tiles *tiles = marey_shard_tiles(shard);
        test_ok(tiles->begin(tiles->user, costs, TILES + way, &test_error));
        for (int i = 0; i < TILES + way; i++)
            if (tiles->wants(tiles->user, i))
                test_ok(tiles->put(tiles->user, i, "", 0, &test_error));
        test_ok(marey_shard_finish(shard, NULL, &test_error));
        marey_shard_free(shard);
        test_refused_about(
            marey_shards_open(b->ctx, both, 2, &shards, &test_error), MAREY_ERR_INPUT,
            way ? "this shard is cut otherwise than" : "this shard is of another work than");
    }
}

/* A work without tiles, cut into so many shards as there may be, or more. */
CASE(shards_may_be_empty_and_many)
{
    marey_shards *shards = NULL;
    marey_shard *shard = NULL;
    marey_shard_info info;
    const char *one = b->path;
    seen all = { 0 };
    marey_shard_free(NULL);
    marey_shards_free(NULL);
    marey_shard_def def = {
        .path = b->path, .number = 1, .count = MAREY_MOST_SHARDS + 1, .about = ""
    };
    test_refused_about(marey_shard_create(b->ctx, &def, &shard, &test_error), MAREY_ERR_REQUEST,
                       "got 1 of 100001");
    def.number = -1;
    def.count = 1;
    test_refused_about(marey_shard_create(b->ctx, &def, &shard, &test_error), MAREY_ERR_REQUEST,
                       "got -1 of 1");
    def.number = 1;
    test_ok(marey_shard_create(b->ctx, &def, &shard, &test_error));
    const marey_tiles *tiles = marey_shard_tiles(shard);
    test_ok(tiles->begin(tiles->user, NULL, 0, &test_error));
    test_ok(marey_shard_finish(shard, &info, &test_error));
    marey_shard_free(shard);
    assert_true(info.share == 0 && info.tiles == 0 && info.all_tiles == 0);
    test_ok(marey_shards_open(b->ctx, &one, 1, &shards, &test_error));
    tiles = marey_shards_tiles(shards);
    test_ok(tiles->begin(tiles->user, NULL, 0, &test_error));
    test_ok(tiles->read(tiles->user, see, &all, &test_error));
    marey_shards_free(shards);
}

/* ---- machines that fail ------------------------------------------------------------------------ */

static marey_status open_and_read(marey_ctx *ctx, const char *path)
{
    marey_shards *shards = NULL;
    seen all = { 0 };
    marey_status status = marey_shards_open(ctx, &path, 1, &shards, &test_error);
    if (status) return status;
    const marey_tiles *tiles = marey_shards_tiles(shards);
    status = tiles->read(tiles->user, see, &all, &test_error);
    marey_shards_free(shards);
    return status;
}

CASE(a_disk_that_does_not_read_is_said)
{
    test_files files = { .kinds = TEST_IO_OPEN | TEST_IO_READ, .fail = -1, .most_at_once = 7 };
    marey_ctx_def def = { .io = test_files_io(&files) };
    OWNED(marey_ctx) *ctx = NULL;
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    test_ok(make_shard(b, b->path, 1, 1, 7, NULL));
    test_ok(open_and_read(ctx, b->path)); /* a few bytes at once */
    long calls = files.calls;
    assert_true(calls > 2 * TILES);
    for (long at = 0; at < calls; at = test_next(at)) {
        files.calls = 0;
        files.fail = at;
        test_refused_about(open_and_read(ctx, b->path), MAREY_ERR_IO, "");
        assert_int_equal(files.open_handles, 0);
    }
}

CASE(opening_shards_is_cancelled_at_any_report)
{
    test_stops stops = { .memory = &b->memory };
    marey_ctx_def def = { .resize = test_memory_resize,
                          .resize_user = &b->memory,
                          .progress = test_stops_report,
                          .progress_user = &stops };
    static const int all[] = { 1, 2, 3, 4 };
    marey_ctx *before = b->ctx;
    OWNED(marey_ctx) *ctx = NULL;
    make_all(b, 4);
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    stops.ctx = b->ctx = ctx;
    marey_status status = MAREY_OK;
    while (test_stop(&stops, status)) {
        marey_shards *shards = NULL;
        status = open_parts(b, all, 4, &shards);
        if (!status) marey_shards_free(shards);
    }
    b->ctx = before;
}

/* What the system says of a file that is opened for reading. */
typedef struct liar {
    marey_io io;
    int64_t size; /* 0: the right one; else added to it, or, negative, in place of it */
    marey_ctx *cancelled;
    long reads, cancel_at;
} liar;

static int64_t lie(void *user, int handle)
{
    const liar *l = user;
    return l->size < 0 ? l->size : marey_io_system()->size(NULL, handle) + l->size;
}

static int64_t read_and_cancel(void *user, int handle, void *bytes, size_t room)
{
    liar *l = user;
    if (l->cancel_at > 0 && ++l->reads == l->cancel_at) marey_ctx_cancel(l->cancelled);
    return marey_io_system()->read(NULL, handle, bytes, room);
}

CASE(a_file_that_is_none_or_changes_its_length_is_refused)
{
    static const struct {
        int64_t size;
        marey_status status;
        const char *words;
    } rows[] = { { 0, MAREY_OK, "" },
                 { -ENOTSUP, MAREY_ERR_INPUT, "a shard must be a file" },
                 { -EIO, MAREY_ERR_IO, "cannot read this file: Input/output error" },
                 { 1, MAREY_ERR_DAMAGED, "this shard is damaged; work it out again" } };
    liar l = { .io = *marey_io_system() };
    l.io.user = &l;
    l.io.size = lie;
    l.io.read = read_and_cancel;
    marey_ctx_def def = { .io = &l.io };
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&def, &ctx));
    test_ok(make_shard(b, b->path, 1, 1, 7, NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        l.size = rows[i].size;
        marey_status status = open_and_read(ctx, b->path);
        assert_int_equal(status, rows[i].status);
        if (status) assert_string_equal(test_error.message, rows[i].words);
    }
    /* A file that ends earlier than it says: nothing more is read. */
    size_t size;
    FREED char *bytes = test_file_read(b->path, &size);
    test_file_write(b->path, bytes, size - 40);
    l.size = 40;
    assert_int_equal(open_and_read(ctx, b->path), MAREY_ERR_DAMAGED);
    /* Cancelled between any two reads. */
    test_file_write(b->path, bytes, size);
    l.size = 0;
    l.cancelled = ctx;
    int cancelled = 0;
    for (l.cancel_at = 1;; l.cancel_at++) {
        l.reads = 0;
        marey_status status = open_and_read(ctx, b->path);
        marey_ctx_resume(ctx);
        cancelled += status == MAREY_ERR_CANCELLED;
        if (l.reads < l.cancel_at) break;
    }
    assert_true(cancelled > TILES);
}

static marey_status cancel_and_take(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                                    marey_error *error)
{
    (void)tile, (void)bytes, (void)size, (void)error;
    marey_ctx_cancel(user);
    return MAREY_OK;
}

CASE(reading_tiles_is_cancelled_and_a_shard_that_changed_is_refused)
{
    marey_shards *shards = NULL;
    const char *one = b->path;
    seen all = { 0 };
    test_ok(make_shard(b, b->path, 1, 1, 7, NULL));
    test_ok(marey_shards_open(b->ctx, &one, 1, &shards, &test_error));
    const marey_tiles *tiles = marey_shards_tiles(shards);
    assert_int_equal(tiles->read(tiles->user, cancel_and_take, b->ctx, &test_error),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(b->ctx);
    test_ok(make_shard(b, b->path, 1, 1, 8, NULL));
    test_refused_about(tiles->read(tiles->user, see, &all, &test_error), MAREY_ERR_INPUT,
                       "another program changed this shard");
    test_ok(make_shard(b, b->path, 2, 2, 7, NULL)); /* another one of this work */
    test_refused_about(tiles->read(tiles->user, see, &all, &test_error), MAREY_ERR_INPUT,
                       "another program changed this shard");
    assert_int_equal(remove(b->path), 0);
    test_refused_about(tiles->read(tiles->user, see, &all, &test_error), MAREY_ERR_INPUT,
                       "No such file");
    marey_shards_free(shards);
}

CASE(what_is_no_shard_is_refused)
{
    marey_shards *shards = NULL;
    const char *folder = b->folder, *none = b->path;
    test_refused_about(marey_shards_open(b->ctx, &folder, 1, &shards, &test_error), MAREY_ERR_INPUT,
                       "");
    test_refused_about(marey_shards_open(b->ctx, &none, 1, &shards, &test_error), MAREY_ERR_INPUT,
                       "");
    test_refused(marey_shards_open(b->ctx, &none, 0, &shards, &test_error), MAREY_ERR_REQUEST,
                 "no shards were given");
    FREED char *long_about = malloc(MRY_SHARD_ABOUT + 2);
    memset(long_about, 'x', MRY_SHARD_ABOUT + 1);
    long_about[MRY_SHARD_ABOUT + 1] = 0;
    marey_shard_def def = { .path = b->path, .number = 1, .count = 1, .about = long_about };
    marey_shard *shard = NULL;
    test_refused_about(marey_shard_create(b->ctx, &def, &shard, &test_error), MAREY_ERR_LIMIT,
                       "at most 1 MiB");
}

/* Costs that say nothing make all tiles alike; one that is no number counts nothing. */
CASE(costs_may_be_anything)
{
    static const double odd[] = { 0, -1, NAN, INFINITY };
    for (int i = 0; i < 5; i++) {
        int64_t own = 0;
        for (int number = 1; number <= 3; number++) {
            double costs[TILES];
            marey_shard *shard = NULL;
            marey_shard_def def = { .path = b->path, .number = number, .count = 3, .about = "" };
            for (int k = 0; k < TILES; k++) costs[k] = i < 4 ? odd[i] : k % 2 ? NAN : 1;
            test_ok(marey_shard_create(b->ctx, &def, &shard, &test_error));
            const marey_tiles *tiles = marey_shard_tiles(shard);
            test_ok(tiles->begin(tiles->user, costs, TILES, &test_error));
            int64_t wanted = 0;
            for (int k = 0; k < TILES; k++) wanted += tiles->wants(tiles->user, k);
            assert_true(wanted >= TILES / 3 - 1 && wanted <= TILES / 3 + 2);
            own += wanted;
            marey_shard_free(shard);
        }
        assert_true(own >= TILES - 2 && own <= TILES);
        if (i < 4) assert_int_equal(own, TILES);
    }
}

TEST_GROUP_OF_CASES(test_shards, NULL, NULL)
