/* place.c - how one frame's window is laid on another's on the floor. Kovar & Gleicher 2003, eq. 2-4, with the two-argument
   arctangent. The sums of eq. 2 run over differences from the means, which is the same and does not lose digits far from
   the origin. */
#include "grid/grid_data.h"

/* The weighted mean of a window in the floor plane. */
static mry_vec mean_of(const marey_features *f, int row)
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

marey_placement marey_place(const marey_features *a, int i, const marey_features *b, int j)
{
    const marey_layout *layout = a->layout;
    mry_vec mean = mean_of(a, i), other = mean_of(b, j);
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
