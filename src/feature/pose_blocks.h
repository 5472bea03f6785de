/* pose_blocks.h - the rows of a clip in blocks, to rule most of them out without looking: the
   middle row of each, rounded, and how far every point is from it in the others. For any weights

       root D(row i, row j of a block) >= root D(row i, its middle) - r,     r^2 = sum of w rho^2,

   since the root of D is a metric between poses up to turns and shifts, and rho, how far a point
   is at most when a row is turned so as to lie best on the middle one, holds for one such turn.

   Between middles rows are guessed by cubics through four of them (mry_pose_between), and how far
   the points of a block's rows are at most from their guesses is kept likewise: these rests are so
   small that they bound nearly as well as the rows themselves.

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
    /* Each of these numbers for all blocks, then the next number. */
    const uint8_t *middles; /* points x (x, z, y), 16 bits each, of places */
    const uint8_t *speeds;  /* likewise of velocities: roots, 8 bits each */
    const uint8_t *radii;   /* points: roots of rho, rounded up, 8 bits each */
    const uint8_t *rests;   /* likewise of how far the guesses are off */
    const uint8_t *steps;   /* likewise of how far it is to the next block's middle, as they lie */
} mry_pose_blocks;

/* What the numbers count: cm = places / MRY_POSE_PARTS, root |root| / MRY_POSE_ROOT_PARTS. */
enum { MRY_POSE_PARTS = 64, MRY_POSE_ROOT_PARTS = 128, MRY_POSE_FAR = 255 /* a radius: any */ };

/* False: out of memory. */
bool mry_pose_blocks_make(mry_arena *mem, const mry_poses *poses, mry_pose_blocks *out);

/* Bytes that stand for it on every machine, the first of them MRY_POSE_FORMAT; false: out of
   memory. */
enum { MRY_POSE_FORMAT = 5 };
bool mry_pose_blocks_write(mry_arena *mem, const mry_pose_blocks *blocks, const uint8_t **bytes,
                           size_t *size);
/* Borrows the bytes. False: they are damaged, or those of another marey. */
bool mry_pose_blocks_read(const uint8_t *bytes, size_t size, mry_pose_blocks *out);

/* With these bytes, mry_pose_blocks_size of them, for its own. */
void mry_pose_blocks_copy(const mry_pose_blocks *from, uint8_t *bytes, mry_pose_blocks *out);

/* One block's middle row as numbers to compare. */
void mry_pose_middle(const mry_pose_blocks *blocks, int block, float *values);

/* Row `at` of each block is guessed as the sum of these shares of the middles of the blocks from
   `first` blocks before it on. Where a clip ends, its last block stands for those that are not
   there. */
typedef struct mry_pose_between {
    int first;
    float shares[4];
} mry_pose_between;

extern const mry_pose_between mry_pose_guesses[MRY_POSE_BLOCK];

/* Of all blocks, without what is said once for a clip; middles, speeds, radii, rests and steps
   lie behind each other. */
static inline size_t mry_pose_blocks_size(int blocks, int points)
{
    return (size_t)blocks * (size_t)points * (6 + 3 + 1 + 1 + 1);
}

#endif
