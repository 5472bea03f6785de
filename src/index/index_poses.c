/* index_poses.c - the blocks of poses that are missing, as of clips that an earlier marey put in:
   counted, and made. */
#include "library/pose_rows.h"

#include "base/clock.h"
#include "base/fail.h"

#include <marey/index.h>

enum { BATCH = 32 /* clips that are loaded and put in together */ };

static const uint8_t format = MRY_POSE_FORMAT; /* other rows are as good as missing */

/* Clips that have blocks, those that have none, and the bytes of the blocks. */
typedef struct pose_count {
    int clips, missing;
    int64_t bytes;
} pose_count;

static marey_status count_poses(marey_library *library, pose_count *out, marey_error *error)
{
    mry_query row =
        mry_query_with(library->store,
                       "SELECT count(pose_block.clip), count(*) - count(pose_block.clip),"
                       " coalesce(sum(size), 0) FROM clip LEFT JOIN pose_block ON pose_block.clip"
                       " = clip.id AND substr(bytes, 1, 1) = ? WHERE removed = 0",
                       mry_bytes(&format, 1));
    if (mry_query_next(&row)) {
        *out = (pose_count){ .clips = (int)mry_column_integer(&row, 0),
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

/* What is missing, or all of it, a transaction for some clips at a time: what was done stays when it is
   stopped. The version stays as it is, as for pictures: nothing that a program shows has changed. */
static marey_status make_poses(marey_library *library, bool all, int *made, marey_error *error)
{
    mry_arena mem = mry_arena_make(library->ctx);
    batch *b = MRY_NEW(&mem, batch, 1);
    pose_count counts = { 0 };
    marey_status status = b ? MAREY_OK : mry_fail_memory(error, mry_store_path(library->store));
    *made = 0;
    if (!status) status = count_poses(library, &counts, error);
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
    pose_count counts = { 0 };
    marey_status status = count_poses(library, &counts, error);
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
    marey_status status = make_poses(library, rebuild, &count, error);
    if (!status) status = marey_library_pose_state(library, &made, error);
    if (status || !report) return status;
    made.clips_made = count;
    made.seconds = 1e-9 * (double)(mry_clock_ns() - start_ns);
    *report = made;
    return MAREY_OK;
}
