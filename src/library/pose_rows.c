/* pose_rows.c - the table of blocks of poses: written with clips, read by searches, made again where
   it is missing. */
#include "library/pose_rows.h"

#include "base/clock.h"
#include "base/fail.h"
#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <marey/index.h>

#include <string.h>

enum { BATCH = 32 /* clips that are loaded and put in together */ };

static const uint8_t format = MRY_POSE_FORMAT; /* other rows are as good as missing */

bool mry_pose_bytes(const marey_clip *clip, mry_arena *mem, const uint8_t **bytes, size_t *size)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    mry_poses poses;
    mry_pose_blocks blocks;
    *bytes = NULL;
    *size = 0;
    double rate = mry_rate_within(marey_clip_fps(clip), MRY_POSE_FPS);
    marey_status status = mry_clip_check(clip, marey_clip_name(clip), NULL);
    if (!status) status = mry_poses_make(&tmp, clip, rate, &poses, NULL);
    bool fits = status != MAREY_ERR_MEMORY;
    if (!status) {
        fits = mry_pose_blocks_make(&tmp, &poses, &blocks) &&
               mry_pose_blocks_write(mem, &blocks, bytes, size);
    }
    mry_arena_free(&tmp);
    return fits;
}

marey_status mry_pose_row_put(marey_library *library, int64_t clip, const uint8_t *bytes,
                              size_t size, marey_error *error)
{
    return mry_store_run_with(
        library->store, error, NULL,
        "INSERT INTO pose_block(clip, size, sum, bytes) VALUES(?, ?, ?, ?) ON CONFLICT(clip) DO"
        " UPDATE SET size = excluded.size, sum = excluded.sum, bytes = excluded.bytes",
        mry_integer(clip), mry_integer((int64_t)size),
        mry_integer((int64_t)mry_hash64(bytes, size, 0)), mry_bytes(bytes, size));
}

static bool read_row(mry_query *row, int column, mry_pose_blocks *out)
{
    size_t size = 0;
    uint64_t sum = (uint64_t)mry_column_integer(row, column);
    const uint8_t *bytes = mry_column_bytes(row, column + 1, &size);
    return size > 0 && mry_hash64(bytes, size, 0) == sum && mry_pose_blocks_read(bytes, size, out);
}

marey_status mry_pose_row_sound(marey_library *library, int64_t clip, bool *sound,
                                marey_error *error)
{
    mry_query row = mry_query_with(
        library->store, "SELECT sum, bytes FROM pose_block WHERE clip = ?", mry_integer(clip));
    mry_pose_blocks blocks;
    size_t size = 0;
    *sound = false;
    if (mry_query_next(&row)) {
        /* Those of an earlier marey are made again when they are needed. */
        uint64_t sum = (uint64_t)mry_column_integer(&row, 0);
        const uint8_t *bytes = mry_column_bytes(&row, 1, &size);
        bool earlier = size > 0 && bytes[0] < MRY_POSE_FORMAT && mry_hash64(bytes, size, 0) == sum;
        *sound = earlier || read_row(&row, 0, &blocks);
    }
    return mry_query_end(&row, error);
}

marey_status mry_pose_rows_read(marey_library *library, mry_pose_row_fn *each, void *user,
                                marey_error *error)
{
    mry_query row =
        mry_query_start(library->store, "SELECT clip.id, sum, bytes FROM clip LEFT JOIN pose_block"
                                        " ON pose_block.clip = clip.id WHERE removed = 0"
                                        " ORDER BY clip.id");
    bool more = true;
    while (more && mry_query_next(&row)) {
        mry_pose_blocks blocks;
        int64_t clip = mry_column_integer(&row, 0);
        more = each(user, clip, read_row(&row, 1, &blocks) ? &blocks : NULL);
    }
    return mry_query_end(&row, error);
}

marey_status mry_pose_rows_counted(marey_library *library, mry_pose_rows_count *out,
                                   marey_error *error)
{
    mry_query row =
        mry_query_with(library->store,
                       "SELECT count(pose_block.clip), count(*) - count(pose_block.clip),"
                       " coalesce(sum(size), 0) FROM clip LEFT JOIN pose_block ON pose_block.clip"
                       " = clip.id AND substr(bytes, 1, 1) = ? WHERE removed = 0",
                       mry_bytes(&format, 1));
    if (mry_query_next(&row)) {
        *out = (mry_pose_rows_count){ .clips = (int)mry_column_integer(&row, 0),
                                      .missing = (int)mry_column_integer(&row, 1),
                                      .bytes = mry_column_integer(&row, 2) };
    }
    return mry_query_end(&row, error);
}

/* ---- what is missing ------------------------------------------------------------------------- */

typedef struct batch {
    marey_library *library;
    mry_arena mem;
    int64_t ids[BATCH], after;
    mry_arena mems[BATCH];
    const uint8_t *bytes[BATCH];
    size_t sizes[BATCH];
    int count;
} batch;

static marey_status make_one(void *user, int i, const marey_clip *clip, marey_error *error)
{
    batch *b = user;
    bool fits = mry_pose_bytes(clip, &b->mems[i], &b->bytes[i], &b->sizes[i]);
    return fits ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* The next clips that have none, or of all. */
static marey_status list_batch(batch *b, bool all, marey_error *error)
{
    mry_query row = mry_query_with(
        b->library->store,
        all ? "SELECT id FROM clip WHERE removed = 0 AND id > ? AND ? IS NOT NULL"
              " ORDER BY id LIMIT 32"
            : "SELECT id FROM clip WHERE removed = 0 AND id > ? AND NOT EXISTS (SELECT 1 FROM"
              " pose_block WHERE clip = clip.id AND substr(bytes, 1, 1) = ?) ORDER BY id LIMIT 32",
        mry_integer(b->after), mry_bytes(&format, 1));
    b->count = 0;
    while (mry_query_next(&row) && b->count < BATCH)
        b->after = b->ids[b->count++] = mry_column_integer(&row, 0);
    return mry_query_end(&row, error);
}

static marey_status make_batch(batch *b, marey_error *error)
{
    for (int i = 0; i < b->count; i++) b->mems[i] = mry_arena_make(b->library->ctx);
    marey_status status =
        mry_load_clips(b->library, b->ids, b->count, MRY_OPEN_FOR_POSES, make_one, b, error);
    for (int i = 0; i < b->count; i++) {
        if (!status && b->sizes[i] > 0)
            status = mry_pose_row_put(b->library, b->ids[i], b->bytes[i], b->sizes[i], error);
        mry_arena_free(&b->mems[i]);
    }
    return status;
}

/* The version stays as it is, as for pictures: nothing that a program shows has changed. */
marey_status mry_pose_rows_make(marey_library *library, bool all, int *made, marey_error *error)
{
    mry_arena mem = mry_arena_make(library->ctx);
    batch *b = MRY_NEW(&mem, batch, 1);
    mry_pose_rows_count counts = { 0 };
    marey_status status = b ? MAREY_OK : mry_fail_memory(error, mry_store_path(library->store));
    *made = 0;
    if (!status) status = mry_pose_rows_counted(library, &counts, error);
    if (b) b->library = library;
    while (!status) {
        int total = all ? counts.clips + counts.missing : counts.missing;
        if (!mry_progress(library->ctx, "indexing", *made, total)) {
            status = mry_fail_cancelled(error);
            break;
        }
        status = mry_store_begin(library->store, error);
        if (status) break;
        status = list_batch(b, all, error);
        if (!status) status = make_batch(b, error);
        if (!status && b->count > 0)
            status = mry_store_commit(library->store, error);
        else
            mry_store_rollback(library->store);
        if (b->count == 0) break;
        *made += b->count;
    }
    mry_arena_free(&mem);
    return status;
}

/* ---- public ---------------------------------------------------------------------------------- */

marey_status marey_library_pose_state(marey_library *library, marey_pose_report *out,
                                      marey_error *error)
{
    mry_pose_rows_count counts = { 0 };
    marey_status status = mry_pose_rows_counted(library, &counts, error);
    if (!status) {
        *out = (marey_pose_report){ .clips = counts.clips,
                                    .clips_made = counts.missing,
                                    .bytes = counts.bytes };
    }
    return status;
}

marey_status marey_library_index_poses(marey_library *library, bool rebuild,
                                       marey_pose_report *report, marey_error *error)
{
    int64_t start_ns = mry_clock_ns();
    marey_pose_report made = { 0 };
    int count = 0;
    if (!mry_store_can_write(library->store)) {
        return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                        "the library must be open for writing to be indexed");
    }
    marey_status status = mry_pose_rows_make(library, rebuild, &count, error);
    if (!status) status = marey_library_pose_state(library, &made, error);
    if (status || !report) return status;
    made.clips_made = count;
    made.seconds = 1e-9 * (double)(mry_clock_ns() - start_ns);
    *report = made;
    return MAREY_OK;
}
