/* poses.h - the rows of a clip as a search compares them: where the parts of a body are and how
   they move. Two rows are

       D = least over turns about the vertical and shifts of
             sum of w (|x - x'|^2 + t^2 |v - v'|^2),     the weights w sum to one, t is MRY_POSE_S,

   apart, in cm2. A floor of unknown height costs nothing; and what stands still is far from what
   walks, even in the best pose. The weights come with the query (match/query_weights.c), so nothing
   here depends on them. Docs: decisions/0022-exact-search.md. Read by match and library. */
#ifndef MRY_POSES_H
#define MRY_POSES_H

#include "base/arena.h"
#include "kernel/kernel.h"

#include <marey/feature.h>

/* Velocities are counted as ways in so many seconds. */
#define MRY_POSE_S 0.2
/* They are measured over so many, half of them before a row and half behind it. */
#define MRY_POSE_SPAN_S (2.0 / 15)
/* Bodies have legs of this length here. */
#define MRY_POSE_LEGS_CM 80.0

enum { MRY_POSE_FEWEST_ROLES = 8 };

/* Bodies with so many roles are compared by them, and any two such bodies can be; others by all of
   their joints, with clips of the same joints. */
static inline bool mry_by_roles(const marey_skeleton *skeleton)
{
    int roles = 0;
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) roles += skeleton->roles[role] >= 0;
    return roles >= MRY_POSE_FEWEST_ROLES;
}

typedef struct mry_poses {
    int rows;
    int points; /* MAREY_ROLE_COUNT, or the skeleton's joints */
    bool by_roles;
    uint32_t has;    /* by_roles: a bit for each role that is there; the others lie at the centre */
    uint64_t joints; /* otherwise: equal for the same joints */
    double rate;
    double scale;    /* that the body was brought to legs of MRY_POSE_LEGS_CM by */
    float *places;   /* rows x points x (x, z, y), cm, about the row's centre */
    double *centres; /* rows x (x, z, y): the mean of its points */
    uint8_t *marked; /* of each row: no captured frame; it has the pose of the nearest that is */
} mry_poses;

/* At `rate`, which is at most the clip's own. INPUT: a joint is too far away or no number. MEMORY. */
marey_status mry_poses_make(mry_arena *mem, const marey_clip *clip, double rate, mry_poses *out,
                            marey_error *error);

/* The same body seen in a mirror: left and right change places. Borrows what need not change;
   by_roles only. False: out of memory. */
bool mry_poses_mirror(mry_arena *mem, const mry_poses *poses, mry_poses *out);

/* One row as numbers to compare: 2 x points x (x, z, y), first places, then velocities times
   MRY_POSE_S; all times `unit`, which is 1 or, for bodies as they are, 1 / scale. */
void mry_pose_row(const mry_poses *poses, int row, float unit, float *restrict out);

/* ---- packed for the kernels ------------------------------------------------------------------ */

/* D of row i of a query and row j of a clip by three products of 2 x points numbers: those of the
   query are about their weighted mean and times the weights, so those of clips need be neither. */

static inline int mry_pose_products(int points)
{
    return 2 * points;
}

/* Floats of panels for so many rows, of `each` in a panel. */
static inline size_t mry_pose_panels(int points, int rows, int each)
{
    return (size_t)((rows + each - 1) / each * each) * 4 * (size_t)mry_pose_products(points);
}

/* Puts a row as by mry_pose_row into its place: as one of a query's (kernel.h: first) ... Returns
   what D needs of it besides: the weighted sum of its squares about the mean. */
float mry_pose_pack_query(const mry_kernel *kernel, int points, const float *weights,
                          const float *values, int row, float *panels);
/* .. or of a clip's (second). */
void mry_pose_pack_clip(const mry_kernel *kernel, int points, const float *values, int row,
                        float *panels);

/* Rows [from, to) as by both. `room` is for 6 x points floats. */
void mry_pose_pack_rows(const mry_kernel *kernel, const mry_poses *poses, int from, int to,
                        float unit, float *room, float *panels);

/* That sum of packed rows of a clip, a whole number of panels of them. */
void mry_pose_sizes(const mry_kernel *kernel, int points, const float *weights, const float *panels,
                    int rows, float *sizes);

/* Distances of packed rows [0, rows) and columns [0, cols). `out` has room for rows rounded up to
   MRY_KERNEL_MOST_MR of `stride` floats; stride, at least cols + MRY_KERNEL_MOST_NR, is a multiple
   of 16. */
typedef struct mry_pose_side {
    const float *panels, *sizes; /* sizes: whole panels of them */
    int count;
    const uint8_t *wanted; /* of a clip's panels: 0: infinite, without a look; NULL: all */
} mry_pose_side;

void mry_pose_distances(const mry_kernel *kernel, int points, mry_pose_side query,
                        mry_pose_side clip, float *out, size_t stride);

#endif
