/* judge.c - how good pairs of frames are for a cut from one clip to the other. Guan & Yang, 4.2.1, eq. 4.1-4.3. The paper
   sums over the pairs; means are the same up to the number of pairs and can be compared between them. */
#include "grid/grid_data.h"

/* Weighted squares of the differences of the joints' velocities and accelerations. */
static void judge_movement(const marey_features *a, int i, const marey_features *b, int j,
                           double *velocity, double *acceleration)
{
    const marey_layout *layout = a->layout;
    for (int k = 0; k < layout->joints; k++) {
        mry_vec v = mry_vec_sub(mry_row_velocity(a, i, k), mry_row_velocity(b, j, k));
        mry_vec c = mry_vec_sub(mry_row_acceleration(a, i, k), mry_row_acceleration(b, j, k));
        *velocity += layout->weight[k] * mry_vec_dot(v, v);
        *acceleration += layout->weight[k] * mry_vec_dot(c, c);
    }
}

marey_judgement marey_judge(const marey_features *a, const marey_features *b,
                            const marey_pair *pairs, int count)
{
    marey_judgement sum = { .pairs = count };
    for (int n = 0; n < count; n++) {
        int i = pairs[n].row, j = pairs[n].col;
        sum.position_cm += mry_judge_distance(a, i, b, j);
        judge_movement(a, i, b, j, &sum.velocity, &sum.acceleration);
    }
    if (count < 1) return sum;
    sum.position_cm /= count;
    sum.velocity /= count;
    sum.acceleration /= count;
    return sum;
}
