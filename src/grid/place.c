/* place.c - how one frame's window is laid on another's on the floor. Kovar & Gleicher 2003, eq.
   2-4, with the two-argument arctangent. The sums of eq. 2 run over differences from the means,
   which is the same and does not lose digits far from the origin. */
#include "grid/grid_data.h"

mry_vec mry_window_mean(const marey_features *f, int row)
{
    const marey_layout *layout = f->layout;
    mry_vec origin = mry_row_position(f, row, 0), sum = { 0, 0, 0 };
    for (int s = 0; s < layout->window; s++) {
        int at = mry_row_held(f, row - layout->before + s);
        for (int k = 0; k < layout->joints; k++) {
            mry_vec p = mry_vec_sub(mry_row_position(f, at, k), origin);
            sum = mry_vec_add(sum, mry_vec_scale(p, layout->frame_weight[s] * layout->weight[k]));
        }
    }
    return mry_vec_add(sum, origin);
}

bool mry_window_means(const marey_features *f, mry_arena *tmp, mry_vec *out)
{
    mry_vec *frames = MRY_NEW_RAW(tmp, mry_vec, f->rows);
    if (!frames) return false;
    for (int row = 0; row < f->rows; row++) {
        /* The weighted mean of one frame, summed about its first joint. */
        mry_vec first = mry_row_position(f, row, 0), off = { 0, 0, 0 };
        for (int k = 0; k < f->layout->joints; k++) {
            mry_vec p = mry_vec_sub(mry_row_position(f, row, k), first);
            off = mry_vec_add(off, mry_vec_scale(p, f->layout->weight[k]));
        }
        frames[row] = mry_vec_add(off, first);
    }
    for (int row = 0; row < f->rows; row++) {
        mry_vec origin = frames[row], sum = { 0, 0, 0 };
        for (int s = 0; s < f->layout->window; s++) {
            mry_vec mean = frames[mry_row_held(f, row - f->layout->before + s)];
            mean = mry_vec_sub(mean, origin);
            sum = mry_vec_add(sum, mry_vec_scale(mean, f->layout->frame_weight[s]));
        }
        out[row] = mry_vec_add(sum, origin);
    }
    return true;
}

marey_placement mry_place_about(const marey_features *a, int i, mry_vec mean,
                                const marey_features *b, int j, mry_vec other)
{
    const marey_layout *layout = a->layout;
    double along = 0, across = 0, size_a = 0, size_b = 0;
    for (int s = 0; s < layout->window; s++) {
        int at = mry_row_held(a, i - layout->before + s);
        int to = mry_row_held(b, j - layout->before + s);
        for (int k = 0; k < layout->joints; k++) {
            double weight = layout->frame_weight[s] * layout->weight[k];
            mry_vec p = mry_vec_sub(mry_row_position(a, at, k), mean);
            mry_vec q = mry_vec_sub(mry_row_position(b, to, k), other);
            along += weight * (p.x * q.x + p.z * q.z);
            across += weight * (p.x * q.z - q.x * p.z);
            size_a += weight * (p.x * p.x + p.z * p.z);
            size_b += weight * (q.x * q.x + q.z * q.z);
        }
    }
    double found = hypot(along, across), most = sqrt(size_a * size_b);
    bool sure = most > 1e-12 && found > 0.01 * most;
    double angle = found > 0 ? atan2(across, along) : 0, c = cos(angle), s = sin(angle);
    return (marey_placement){ .angle_rad = angle,
                              .x_cm = mean.x - other.x * c - other.z * s,
                              .z_cm = mean.z + other.x * s - other.z * c,
                              .sure = sure };
}

marey_placement marey_place(const marey_features *a, int i, const marey_features *b, int j)
{
    return mry_place_about(a, i, mry_window_mean(a, i), b, j, mry_window_mean(b, j));
}
