/* points.h - the point clouds of a clip, packed for the kernels. Kovar & Gleicher 2003, 4.1, in the
   form that makes the grid a product of matrices:

       u_k   = (x + iz) of joint k in one frame, less the frame's weighted mean m
       g     = sum over joints of w_k conj(u_k) u'_k,      summed over the window along the diagonal,
       R     = that, and the product of the means' paths inside the windows (d_a, four numbers for five frames)
       D     = S + S' - 2 Y - 2 |R|

   Everything is centred in double before it is rounded to float: a clip 1 km from the origin loses
   nothing. Heights are taken from a constant of each joint, which cancels and keeps the numbers
   small. Read by features.c and grid. */
#ifndef MRY_POINTS_H
#define MRY_POINTS_H

#include "base/arena.h"
#include "kernel/kernel.h"

typedef struct mry_points_def {
    int rows, joints;        /* at least 1 of each */
    const double *positions; /* rows x joints x 3, cm */
    const double *weights;   /* of the joints, summing to one; one of 0 is left out */
    /* of the joints: what is taken off y; the same for all clips compared */
    const double *height_cm;
    /* of the joints: one that always is at the same place, or itself; NULL: none are merged */
    const int *merged_into;
    int window; /* frames; row i looks at i - (window - 1) / 2 and those behind it */
    const double *frame_weights; /* of the window, summing to one */
} mry_points_def;

typedef struct mry_points {
    const mry_kernel *kernel;
    int rows;
    int k; /* products a cell: merged joints, or those of all frames of the window if not fused */
    /* products are per frame and summed along the diagonals; otherwise windows are packed whole */
    bool fused;
    int packed; /* frames in the panels: rows + 4 if fused, otherwise rows */
    /* panels, see kernel.h; of 4 k numbers a frame, some frames more than `packed` */
    float *first, *second;
    float *size; /* S of each row; with room before and behind for whole panels and vectors */
    float *path; /* fused: 8 arrays of a number for each row, path_stride apart */
    size_t path_stride;
    int joints;                /* that were not merged away and have weight */
    const mry_points_def *def; /* borrowed: for clouds of single rows */
    const struct chosen *of;
    const struct mry_low *low; /* to bound distances; NULL: none */
} mry_points;

enum {
    MRY_POINTS_STRIP = 188, /* columns of the grid that are done together */
    MRY_POINTS_STRIP_FRAMES =
        192, /* products of so many frames go into them: a multiple of every kernel's nr */
    MRY_POINTS_ROOM = 448, /* columns behind the last that a strip may touch */
    MRY_POINTS_FRONT = 16  /* rows before the first that a panel may touch */
};

/* False when out of memory. `def` and what it points to must outlive the points. */
bool mry_points_build(mry_arena *mem, const mry_points_def *def, mry_points *out);

/* Clouds (see below) of some rows, one behind the other: 3 x window x joints numbers each. Returns
   how many numbers x, z or y of a cloud has. `clouds` may be NULL. 0 when out of memory. */
int mry_points_sample(mry_arena *tmp, const mry_points_def *def, const int *rows, int count,
                      double *clouds);

/* The cloud of a row's window in double, as the formulas want it: centred in the plane, heights
   less their constants, times the square roots of the weights. x, z and y have window x joints
   numbers each. Returns how many. */
int mry_points_cloud(const mry_points *points, int row, double *x, double *z, double *y);

#endif
