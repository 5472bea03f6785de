/* formulas.c - the two metrics that are sums of terms, as they are written: Guan & Yang, eq. 2.1
   (after Lee et al.) and 2.2 (after Arikan & Forsyth). The judge of the fast forms, and what the
   normalisers are measured with.

   Eq. 2.1 adds squares of lengths, angles and speeds. Metres and seconds make numbers of one size
   of them; in centimetres the angles would be lost. The differences of eq. 2.2 are lengths of
   differences, not squares. */
#include "feature/feature_data.h"

static mry_rot turn_of(const marey_features *f, int row, int joint)
{
    const float *q = f->turns + 4 * ((size_t)row * (size_t)f->layout->joints + (size_t)joint);
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

/* Length of the difference of two movements of the root; a turn counts by the lever. */
static double root_difference(const marey_layout *layout, mry_motion6 a, mry_motion6 b)
{
    mry_vec place = mry_vec_sub(a.place, b.place);
    mry_vec turn = mry_vec_scale(mry_vec_sub(a.turn, b.turn), layout->lever_cm);
    return sqrt(mry_vec_dot(place, place) + mry_vec_dot(turn, turn));
}

static double velocity_difference(const marey_features *a, int i, const marey_features *b, int j,
                                  int joint)
{
    return mry_vec_length(
        mry_vec_sub(mry_row_local_velocity(a, i, joint), mry_row_local_velocity(b, j, joint)));
}

/* ---- eq. 2.1 --------------------------------------------------------------------------------- */

void mry_angles_joint(const marey_features *a, int i, const marey_features *b, int j, int joint,
                      double part[2])
{
    const marey_layout *layout = a->layout;
    /* The root's own orientation depends on the coordinates, so it counts in the fixed form
       only. */
    bool counts = layout->below[joint] > 0 || layout->def.fixed_root;
    mry_rot between = mry_rot_times(mry_rot_back(turn_of(b, j, joint)), turn_of(a, i, joint));
    part[0] = counts ? layout->weight[joint] * mry_vec_length(mry_rot_log(between)) : 0;
    part[1] = layout->weight[joint] * (velocity_difference(a, i, b, j, joint) / 100);
}

void mry_angles_terms(const marey_features *a, int i, const marey_features *b, int j,
                      double terms[MAREY_MOST_ATTRIBUTES])
{
    const marey_layout *layout = a->layout;
    double part[2], root;
    if (layout->def.fixed_root) {
        root = mry_vec_length(mry_vec_sub(mry_row_root(a, i), mry_row_root(b, j)));
    } else {
        root = root_difference(layout, mry_row_root_velocity(a, i), mry_row_root_velocity(b, j));
    }
    terms[0] = (root / 100) * (root / 100);
    terms[1] = terms[2] = terms[3] = 0;
    for (int k = 0; k < layout->joints; k++) {
        mry_angles_joint(a, i, b, j, k, part);
        terms[1] += part[0];
        terms[2] += part[1];
    }
}

/* ---- eq. 2.2 --------------------------------------------------------------------------------- */

void mry_positions_joint(const marey_features *a, int i, const marey_features *b, int j, int joint,
                         double part[2])
{
    mry_vec way = mry_vec_sub(mry_row_local(a, i, joint), mry_row_local(b, j, joint));
    part[0] = a->layout->weight[joint] * mry_vec_length(way);
    part[1] = a->layout->weight[joint] * velocity_difference(a, i, b, j, joint);
}

void mry_positions_terms(const marey_features *a, int i, const marey_features *b, int j,
                         double terms[MAREY_MOST_ATTRIBUTES])
{
    const marey_layout *layout = a->layout;
    double part[2];
    terms[0] = terms[1] = 0;
    for (int k = 0; k < layout->joints; k++) {
        mry_positions_joint(a, i, b, j, k, part);
        terms[0] += part[0];
        terms[1] += part[1];
    }
    terms[2] = root_difference(layout, mry_row_root_velocity(a, i), mry_row_root_velocity(b, j));
    terms[3] =
        root_difference(layout, mry_row_root_acceleration(a, i), mry_row_root_acceleration(b, j));
}
