/* pose_rows.c - the table of blocks of poses: written with clips, read by searches. */
#include "library/pose_rows.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <string.h>

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
