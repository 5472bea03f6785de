/* pose_rows.h - the blocks of poses that searches go over (feature/pose_blocks.h), a row of the
   library for every clip: made when a clip is put in, or later for all that have none. They follow
   from the clip alone, so searches make what is missing or damaged anew, and indexing with `rebuild`
   puts it in again. Read by the library and its index. */
#ifndef MRY_POSE_ROWS_H
#define MRY_POSE_ROWS_H

#include "feature/pose_blocks.h"
#include "library/library_data.h"

/* Poses are looked at so many times a second, or at the clip's own rate if that is lower. */
#define MRY_POSE_FPS 60.0

/* The bytes of a clip's blocks; none, and true, of a clip that is not sound or whose joints are too
   far away to be compared. False: out of memory. */
bool mry_pose_bytes(const marey_clip *clip, mry_arena *mem, const uint8_t **bytes, size_t *size);

/* In place of what the clip has. */
marey_status mry_pose_row_put(marey_library *library, int64_t clip, const uint8_t *bytes,
                              size_t size, marey_error *error);

/* Calls `each` with the blocks of every clip that is not removed, by number; `blocks` is NULL where
   there are none that can be read, and borrowed otherwise. It returns false to stop. */
typedef bool mry_pose_row_fn(void *user, int64_t clip, const mry_pose_blocks *blocks);
marey_status mry_pose_rows_read(marey_library *library, mry_pose_row_fn *each, void *user,
                                marey_error *error);

/* Are the bytes of a clip those that were put in? */
marey_status mry_pose_row_sound(marey_library *library, int64_t clip, bool *sound,
                                marey_error *error);

#endif
