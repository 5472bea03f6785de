/* test_index_tiles.c - an index made elsewhere: tiles come in any order and more than once; one that is
   not what it says is refused, and nothing of its batch is put in. */
#include "index_bench.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { TILES = TEST_INDEX_CLIPS * (TEST_INDEX_CLIPS + 1) / 2 };

/* Tiles as a shard keeps them, here in memory. */
typedef struct kept_tiles {
    int64_t tile[TILES];
    uint8_t *bytes[TILES];
    size_t size[TILES];
    int count;
    double costs[TILES];
    int64_t first, end; /* that are wanted */
} kept_tiles;

static marey_status begin(void *user, const double *costs, int64_t count, marey_error *error)
{
    kept_tiles *kept = user;
    (void)error;
    assert_int_equal(count, TILES);
    if (costs) memcpy(kept->costs, costs, sizeof kept->costs);
    return MAREY_OK;
}

static bool wants(void *user, int64_t tile)
{
    const kept_tiles *kept = user;
    return tile >= kept->first && tile < kept->end;
}

static marey_status put(void *user, int64_t tile, const void *bytes, size_t size,
                        marey_error *error)
{
    kept_tiles *kept = user;
    (void)error;
    assert_true(wants(kept, tile) && kept->count < TILES);
    kept->tile[kept->count] = tile;
    kept->bytes[kept->count] = malloc(size + 1);
    memcpy(kept->bytes[kept->count], bytes, size);
    kept->size[kept->count++] = size;
    return MAREY_OK;
}

/* Last ones first, and each twice. */
static marey_status read_all(void *user,
                             marey_status (*take)(void *take_user, int64_t tile,
                                                  const uint8_t *bytes, size_t size,
                                                  marey_error *error),
                             void *take_user, marey_error *error)
{
    const kept_tiles *kept = user;
    marey_status status = MAREY_OK;
    for (int i = 2 * kept->count - 1; i >= 0 && !status; i--)
        status = take(take_user, kept->tile[i / 2], kept->bytes[i / 2], kept->size[i / 2], error);
    return status;
}

static void make_tiles(test_library *f, kept_tiles *kept, int64_t first, int64_t end)
{
    marey_tiles making = { .user = kept, .begin = begin, .wants = wants, .put = put };
    kept->first = first;
    kept->end = end;
    test_index_run(f, &(marey_index_def){ .tiles = &making }, NULL);
    assert_false(test_index_state(f).exists);
}

static marey_status read_tiles(test_library *f, const kept_tiles *kept, int *built)
{
    marey_tiles reading = { .user = (void *)(uintptr_t)kept, .begin = begin, .read = read_all };
    marey_index_report report = { 0 };
    marey_status status = marey_library_index(f->library, &(marey_index_def){ .tiles = &reading },
                                              &report, &test_error);
    *built = report.pairs_built;
    return status;
}

static void free_tiles(kept_tiles *kept)
{
    for (int i = 0; i < kept->count; i++) free(kept->bytes[i]);
}

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(webs_made_elsewhere_are_those_made_here)
{
    kept_tiles kept = { 0 };
    int built;
    test_index_put_all(f);
    for (int64_t first = 0; first < TILES; first += 4)
        make_tiles(f, &kept, first, first + 4 < TILES ? first + 4 : TILES);
    assert_int_equal(kept.count, TILES);
    for (int i = 0; i < TILES; i++) assert_true(kept.costs[i] > 0);
    test_index_reopen(f, 3);
    test_ok(read_tiles(f, &kept, &built));
    assert_int_equal(built, TILES);
    assert_int_equal(test_index_state(f).pairs_missing, 0);
    FREED char *shared = test_index_webs(f);
    test_index_run(f, &(marey_index_def){ .rebuild = true }, NULL);
    FREED char *alone = test_index_webs(f);
    assert_string_equal(shared, alone);
    free_tiles(&kept);
}

/* The clips that a web is of stand at its front, 8 bytes each; then its counts, 4 each. */
CASE(a_tile_that_is_not_what_it_says_is_refused)
{
    kept_tiles kept = { 0 };
    int built;
    test_index_put_all(f);
    make_tiles(f, &kept, 0, TILES);
    for (int wrong = 0; wrong < 6; wrong++) {
        kept_tiles other = kept;
        size_t size = kept.size[7];
        FREED uint8_t *bytes = malloc(size);
        memcpy(bytes, kept.bytes[7], size);
        other.bytes[7] = bytes;
        if (wrong == 0) other.tile[7] = kept.tile[8]; /* of other clips */
        if (wrong == 1) bytes[0] = 99;                /* of a clip that is not there */
        if (wrong == 2) other.size[7] = 20;           /* cut off */
        if (wrong == 3) bytes[16]++;                  /* of other rows */
        if (wrong == 4) bytes[24]++;                  /* of other chains */
        if (wrong == 5) bytes[size / 2] ^= 1;         /* damaged */
        marey_status status = read_tiles(f, &other, &built);
        if (marey_status_group(status) != MAREY_ERR_INPUT)
            fail_msg("wrong %d: status %d", wrong, (int)status);
        assert_int_equal(test_index_state(f).size.pairs, 0);
    }
    test_ok(read_tiles(f, &kept, &built));
    assert_int_equal(built, TILES);
    free_tiles(&kept);
}

TEST_GROUP_OF_CASES(test_index_tiles, NULL, NULL)
