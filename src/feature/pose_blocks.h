/* pose_blocks.h - the rows of a clip in blocks, to rule most of them out without looking: the
   middle row of each, rounded, and how far every point is from it in the others. For any weights

       root D(row i, row j of a block) >= root D(row i, its middle) - r,     r^2 = sum of w rho^2,

   since the root of D is a metric between poses up to turns and shifts, and rho, how far a point
   is at most when a row is turned so as to lie best on the middle one, holds for one such turn.
   So blocks are made once, while clips are added, and serve every query. Read by match and library. */
#ifndef MRY_POSE_BLOCKS_H
#define MRY_POSE_BLOCKS_H

#include "feature/poses.h"

enum { MRY_POSE_BLOCK = 4 /* rows */ };

typedef struct mry_pose_blocks {
    int rows, blocks, points;
    bool by_roles;
    uint32_t has;
    uint64_t joints;
    double rate, scale;
    const uint8_t *middles; /* blocks x points x (x, z, y), 16 bits each, of places */
    const uint8_t *speeds;  /* likewise of velocities, 8 bits each */
    const uint8_t *radii;   /* blocks x points: rho, rounded up, 8 bits each */
} mry_pose_blocks;

/* False: out of memory. */
bool mry_pose_blocks_make(mry_arena *mem, const mry_poses *poses, mry_pose_blocks *out);

/* Bytes that stand for it on every machine; false: out of memory. */
bool mry_pose_blocks_write(mry_arena *mem, const mry_pose_blocks *blocks, const uint8_t **bytes,
                           size_t *size);
/* Borrows the bytes. False: they are damaged, or those of another marey. */
bool mry_pose_blocks_read(const uint8_t *bytes, size_t size, mry_pose_blocks *out);

/* With bytes of its own; false: out of memory. */
bool mry_pose_blocks_copy(mry_arena *mem, const mry_pose_blocks *from, mry_pose_blocks *out);

/* One block's middle row as numbers to compare, and the rho of its points. */
void mry_pose_middle(const mry_pose_blocks *blocks, int block, float *values);
void mry_pose_radii(const mry_pose_blocks *blocks, int block, float *radii);

/* Of all blocks, without what is said once for a clip; middles, speeds and radii lie behind each
   other. */
static inline size_t mry_pose_blocks_size(int blocks, int points)
{
    return (size_t)blocks * (size_t)points * (6 + 3 + 1);
}

#endif
