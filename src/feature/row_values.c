/* row_values.c - the numbers of one frame that the metrics' formulas are written with, in double.
   Everything is taken in the coordinates of the body's root, so that no turn, slope or place of a
   whole clip changes it. */
#include "feature/feature_data.h"

mry_vec mry_rot_log(mry_rot q)
{
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double half = atan2(s, fabs(q.w)); /* q and -q are one rotation: the shorter way */
    double scale = s > 1e-12 ? 2 * half / s : 2;
    if (q.w < 0) scale = -scale;
    return (mry_vec){ q.x * scale, q.y * scale, q.z * scale };
}

mry_vec mry_row_seen_from(const marey_features *f, int centre, int row, int joint)
{
    mry_vec way =
        mry_vec_sub(mry_row_position(f, mry_row_held(f, row), joint), mry_row_root(f, centre));
    return mry_rot_apply(mry_rot_back(f->root_turn[centre]), way);
}

mry_vec mry_row_local(const marey_features *f, int row, int joint)
{
    return mry_row_seen_from(f, row, row, joint);
}

/* The row whose difference to the one before it stands for `row`; 0: the clip has one row only. */
static int later_row(const marey_features *f, int row, int least)
{
    int later = row < least ? least : row;
    return later < f->rows ? later : f->rows - 1;
}

mry_vec mry_row_local_velocity(const marey_features *f, int row, int joint)
{
    int later = later_row(f, row, 1);
    if (later < 1) return (mry_vec){ 0, 0, 0 };
    mry_vec way = mry_vec_sub(mry_row_local(f, later, joint), mry_row_local(f, later - 1, joint));
    return mry_vec_scale(way, f->layout->fps);
}

mry_motion6 mry_row_root_velocity(const marey_features *f, int row)
{
    int later = later_row(f, row, 1);
    if (later < 1) return (mry_motion6){ 0 };
    mry_rot back = mry_rot_back(f->root_turn[later - 1]);
    mry_vec way = mry_vec_sub(mry_row_root(f, later), mry_row_root(f, later - 1));
    mry_vec turn = mry_rot_log(mry_rot_times(back, f->root_turn[later]));
    return (mry_motion6){ mry_vec_scale(mry_rot_apply(back, way), f->layout->fps),
                          mry_vec_scale(turn, f->layout->fps) };
}

mry_motion6 mry_row_root_acceleration(const marey_features *f, int row)
{
    int later = later_row(f, row, 2);
    if (later < 2) return (mry_motion6){ 0 };
    mry_motion6 now = mry_row_root_velocity(f, later), was = mry_row_root_velocity(f, later - 1);
    return (mry_motion6){ mry_vec_scale(mry_vec_sub(now.place, was.place), f->layout->fps),
                          mry_vec_scale(mry_vec_sub(now.turn, was.turn), f->layout->fps) };
}

mry_vec mry_row_velocity(const marey_features *f, int row, int joint)
{
    int before = mry_row_held(f, row - 1), after = mry_row_held(f, row + 1);
    if (after == before) return (mry_vec){ 0, 0, 0 };
    mry_vec way =
        mry_vec_sub(mry_row_position(f, after, joint), mry_row_position(f, before, joint));
    way = mry_vec_scale(way, f->layout->fps / (after - before));
    return mry_rot_apply(mry_rot_back(f->root_turn[row]), way);
}

mry_vec mry_row_acceleration(const marey_features *f, int row, int joint)
{
    /* The first and last row take their neighbour's, about their own axes. */
    int middle = row < 1 ? 1 : row > f->rows - 2 ? f->rows - 2 : row;
    if (f->rows < 3) return (mry_vec){ 0, 0, 0 };
    mry_vec sum =
        mry_vec_add(mry_row_position(f, middle - 1, joint), mry_row_position(f, middle + 1, joint));
    mry_vec bend = mry_vec_sub(sum, mry_vec_scale(mry_row_position(f, middle, joint), 2));
    bend = mry_vec_scale(bend, f->layout->fps * f->layout->fps);
    return mry_rot_apply(mry_rot_back(f->root_turn[row]), bend);
}
