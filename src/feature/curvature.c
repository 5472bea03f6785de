/* curvature.c - how sharply the path of each joint bends in each frame. Guan & Yang, 3.2, eq. 3.3
   and 3.4.

   The path is smoothed by a Gaussian, and the smoothed places are the control points of a uniform
   cubic B-spline, whose derivatives at its knots are (p[i+1] - p[i-1]) / 2 and p[i+1] - 2 p[i] +
   p[i-1] exactly. Beyond its ends a path goes on as its own reflection in the end point, so that a
   straight walk stays straight there.

   Where a joint rests, eq. 3.4 divides noise by the cube of noise. Here the speed has a floor,

       curvature = |r' x r''| / (|r'|^2 + floor^2)^(3/2),

   which is 0 for a joint that does not move, bounded by |r''| / floor^2 for one that trembles, and
   less than 1.5 % off at ten times the floor. */
#include "feature/feature_data.h"

/* A joint's path with both ends reflected. */
static mry_vec path_at(const marey_features *f, int row, int joint)
{
    int last = f->rows - 1, end = row < 0 ? 0 : last;
    if (row >= 0 && row <= last) return mry_row_position(f, row, joint);
    int mirrored = 2 * end - row; /* and held, if the clip is shorter than the filter */
    mry_vec at = mry_row_position(f, mry_row_held(f, mirrored), joint);
    return mry_vec_sub(mry_vec_scale(mry_row_position(f, end, joint), 2), at);
}

bool mry_curvature_build(marey_features *f)
{
    mry_arena tmp = mry_arena_make(f->mem.ctx);
    int joints = f->layout->joints;
    double fps = f->layout->fps, sigma = f->layout->def.smooth_s * fps, whole = 0;
    int radius = (int)ceil(4 * sigma);
    double *weight = MRY_NEW_RAW(&tmp, double, 2 * radius + 1); /* a Gaussian */
    mry_vec *path = MRY_NEW_RAW(&tmp, mry_vec, (size_t)f->rows + 2);
    f->curvature = MRY_NEW_RAW(&f->mem, double, (size_t)f->rows *(size_t)joints);
    bool done = weight && path && f->curvature;
    for (int i = -radius; done && i <= radius; i++) {
        weight[i + radius] = exp(-0.5 * i * i / (sigma * sigma));
        whole += weight[i + radius];
    }
    for (int i = 0; done && i <= 2 * radius; i++) weight[i] /= whole;
    for (int k = 0; done && k < joints; k++) {
        /* Places -1 .. rows of the smoothed path. Sums run relative to the joint's first
           place, so that distance from the origin costs nothing. */
        mry_vec origin = mry_row_position(f, 0, k);
        for (int row = -1; row <= f->rows; row++) {
            mry_vec sum = { 0, 0, 0 };
            for (int i = -radius; i <= radius; i++) {
                mry_vec at = mry_vec_sub(path_at(f, row + i, k), origin);
                sum = mry_vec_add(sum, mry_vec_scale(at, weight[i + radius]));
            }
            path[row + 1] = sum;
        }
        for (int row = 0; row < f->rows; row++) {
            const mry_vec *p = path + row;
            mry_vec first = mry_vec_scale(mry_vec_sub(p[2], p[0]), fps / 2);
            mry_vec second = mry_vec_sub(mry_vec_add(p[0], p[2]), mry_vec_scale(p[1], 2));
            second = mry_vec_scale(second, fps * fps);
            double speed2 = mry_vec_dot(first, first) + MRY_SPEED_FLOOR_CM_S * MRY_SPEED_FLOOR_CM_S;
            f->curvature[(size_t)row * (size_t)joints + (size_t)k] =
                mry_vec_length(mry_vec_cross(first, second)) / (speed2 * sqrt(speed2));
        }
    }
    mry_arena_free(&tmp);
    return done;
}
