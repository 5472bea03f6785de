/* shard_write.c - a shard being made: which tiles are its own, and what they gave, into a file that appears
   when it is complete. What is in the file is in shard_file.h. */
#include "store/shard_file.h"

#include "base/fail.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

struct marey_shard {
    mry_arena mem;
    mry_writer file;
    marey_tiles tiles;
    marey_shard_info info;
    const char *about;
    uint64_t state;
    bool begun;
    int64_t first, end; /* its tiles */
    uint64_t sum;       /* of the records' hashes */
};

/* ---- which tiles ----------------------------------------------------------------------------- */

static double cost_of(const double *costs, int64_t tile, bool alike)
{
    return alike || !(costs[tile] > 0) || !isfinite(costs[tile]) ? alike : costs[tile];
}

/* The tiles in a row, each with the room of its cost: those whose middle lies in the shard's share are its
   own. So every tile is in one shard, and a shard's cost is off by at most that of a tile. */
static void choose_run(marey_shard *shard, const double *costs, int64_t count)
{
    marey_shard_info *info = &shard->info;
    double all = 0, before = 0, own = 0;
    for (int64_t i = 0; i < count; i++) all += cost_of(costs, i, false);
    bool alike = !(all > 0);
    if (alike) all = (double)count;
    shard->first = -1;
    for (int64_t i = 0; i < count; i++) {
        double cost = cost_of(costs, i, alike), middle = before + cost / 2;
        int number = (int)fmin(middle / all * info->count, info->count - 1) + 1;
        before += cost;
        if (number != info->number) continue;
        if (shard->first < 0) shard->first = i;
        shard->end = i + 1;
        own += cost;
    }
    if (shard->first < 0) shard->first = shard->end = 0;
    info->all_tiles = count;
    info->share = count > 0 ? own / all : 0;
}

static void write_head(marey_shard *shard)
{
    mry_bytes_writer head = { .mem = &shard->mem };
    const marey_shard_info *info = &shard->info;
    mry_put_bytes(&head, MRY_SHARD_MAGIC, 8);
    mry_put_fixed(&head, MRY_SHARD_VERSION, 4);
    mry_put_fixed(&head, (uint64_t)info->number, 4);
    mry_put_fixed(&head, (uint64_t)info->count, 4);
    mry_put_fixed(&head, shard->state, 8);
    mry_put_fixed(&head, (uint64_t)info->all_tiles, 8);
    mry_put_number(&head, info->share);
    mry_put_fixed(&head, strlen(shard->about), 4);
    mry_put_bytes(&head, shard->about, strlen(shard->about));
    if (!head.failed) mry_put_fixed(&head, mry_hash64(head.bytes, head.used, 0), 8);
    if (head.failed)
        shard->file.failed = MAREY_ERR_MEMORY;
    else
        mry_writer_bytes(&shard->file, head.bytes, head.used);
}

/* ---- as the work sees it --------------------------------------------------------------------- */

static marey_status begin(void *user, const double *costs, int64_t count, marey_error *error)
{
    marey_shard *shard = user;
    choose_run(shard, costs, count);
    shard->begun = true;
    write_head(shard);
    return shard->file.failed == MAREY_ERR_MEMORY ? mry_fail_memory(error, shard->info.path)
                                                  : MAREY_OK;
}

static bool wants(void *user, int64_t tile)
{
    const marey_shard *shard = user;
    return tile >= shard->first && tile < shard->end;
}

static void put_record(marey_shard *shard, uint64_t tile, uint64_t size, uint64_t sum)
{
    uint8_t *to = (uint8_t *)mry_writer_reserve(&shard->file, MRY_SHARD_RECORD);
    const uint64_t numbers[] = { tile, size, sum };
    for (int i = 0; i < MRY_SHARD_RECORD; i++) to[i] = (uint8_t)(numbers[i / 8] >> 8 * (i % 8));
    mry_writer_advance(&shard->file, MRY_SHARD_RECORD);
}

static marey_status put(void *user, int64_t tile, const void *bytes, size_t size,
                        marey_error *error)
{
    marey_shard *shard = user;
    uint64_t sum = mry_hash64(bytes, size, (uint64_t)tile);
    (void)error; /* what fails now is said when the file ends */
    put_record(shard, (uint64_t)tile, size, sum);
    mry_writer_bytes(&shard->file, bytes, size);
    shard->sum = mry_hash64(&sum, sizeof sum, shard->sum);
    shard->info.tiles++;
    return MAREY_OK;
}

/* ---- from its opening to its end ------------------------------------------------------------- */

marey_status marey_shard_create(marey_ctx *ctx, const marey_shard_def *def, marey_shard **out,
                                marey_error *error)
{
    if (def->count < 1 || def->count > MAREY_MOST_SHARDS || def->number < 1 ||
        def->number > def->count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a shard must be 1 to N of N shards, N at most %d, got %d of %d",
                        (int)MAREY_MOST_SHARDS, def->number, def->count);
    if (strlen(def->about) > MRY_SHARD_ABOUT)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "what a shard says of its work must be at most 1 MiB");
    mry_arena mem = mry_arena_make(ctx);
    marey_shard *shard = MRY_NEW(&mem, marey_shard, 1);
    const char *path = mry_arena_text(&mem, def->path, strlen(def->path));
    const char *about = mry_arena_text(&mem, def->about, strlen(def->about));
    if (!shard || !path || !about) {
        mry_arena_free(&mem);
        return mry_fail_memory(error, def->path);
    }
    shard->info = (marey_shard_info){ .path = path, .number = def->number, .count = def->count };
    shard->about = about;
    shard->state = def->state;
    shard->tiles = (marey_tiles){ .user = shard, .begin = begin, .wants = wants, .put = put };
    shard->mem = mem;
    marey_status status = mry_writer_open(&shard->file, &shard->mem, path, UINT64_MAX, error);
    if (status) {
        mem = shard->mem;
        mry_arena_free(&mem);
        return status;
    }
    *out = shard;
    return MAREY_OK;
}

const marey_tiles *marey_shard_tiles(marey_shard *shard)
{
    return &shard->tiles;
}

marey_status marey_shard_finish(marey_shard *shard, marey_shard_info *out, marey_error *error)
{
    if (!shard->begun)
        return mry_fail(error, MAREY_ERR_REQUEST, shard->info.path,
                        "there was nothing to share: the work has no tiles");
    put_record(shard, MRY_SHARD_END, (uint64_t)shard->info.tiles, shard->sum);
    shard->info.bytes = (int64_t)(shard->file.sent + shard->file.used);
    marey_status status = mry_writer_commit(&shard->file, error);
    if (status) return status;
    if (out) *out = shard->info;
    return MAREY_OK;
}

void marey_shard_free(marey_shard *shard)
{
    if (!shard) return;
    mry_writer_abandon(&shard->file);
    mry_arena mem = shard->mem;
    mry_arena_free(&mem);
}
