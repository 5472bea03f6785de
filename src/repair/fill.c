/* fill.c - frames made from those around them, with matched speed.

   Rotations are rotation vectors seen from the last sound one: in that chart the gap is an ordinary
   cubic (Hermite), whose ends have the values and speeds of the frames beside the gap. The chart
   bends what is far from its middle, but gaps are short and a joint turns little meanwhile. A speed
   is that of the parabola through three sound frames. */
#include "repair/fill.h"

#include <string.h>

/* Up to three captured frames before a gap (-1, -2, -3) or behind it, nearest first: how many there
   are. */
static int frames_beside(const marey_clip *clip, int from, int step, int *list)
{
    int count = 0;
    for (int f = from; count < 3 && f >= 0 && f < clip->frames; f += step) {
        if (mry_clip_is_marked(clip, f)) break;
        list[count++] = f;
    }
    return count;
}

/* Change a frame at p[0], of values at p[0], p[1], p[2] that lead away from it. */
static mry_vec speed(const mry_vec *p, int count)
{
    if (count < 2) return (mry_vec){ 0 };
    mry_vec near = mry_vec_sub(p[0], p[1]);
    if (count < 3) return near;
    mry_vec far = mry_vec_sub(p[1], p[2]);
    return mry_vec_add(near, mry_vec_scale(mry_vec_sub(near, far), 0.5));
}

void mry_fill(marey_clip *clip, int joint, int start, int end)
{
    int before[3], behind[3], slot = clip->slot[joint], n = end - start + 1;
    int left = frames_beside(clip, start - 1, -1, before);
    int right = frames_beside(clip, end, 1, behind);
    if (left + right == 0) return;
    for (int place = 0; place < (slot >= 0 ? 2 : 1); place++) {
        /* Everything as seen from the frame before the gap; where there is none, from the one behind
           it, which is then held. */
        int origin = left ? before[0] : behind[0];
        mry_rot base = mry_rot_in(clip, origin, joint);
        double root[3] = { 0 };
        if (place) memcpy(root, mry_place(clip, origin) + 3 * slot, sizeof root);
        mry_vec p[6] = { { 0 } };
        for (int i = 0; i < left + right; i++) {
            int f = i < left ? before[i] : behind[i - left];
            if (place) {
                const double *at = mry_place(clip, f) + 3 * slot;
                p[i] = (mry_vec){ at[0] - root[0], at[1] - root[1], at[2] - root[2] };
            } else {
                p[i] =
                    mry_rot_vector(mry_rot_times(mry_rot_back(base), mry_rot_in(clip, f, joint)));
            }
        }
        mry_vec v0 = speed(p, left), v1 = mry_vec_scale(speed(p + left, right), -1);
        for (int f = start; f < end; f++) {
            mry_vec v = { 0 };
            if (left && right) v = mry_cubic(p[left], v0, v1, n, f - start + 1);
            if (place) {
                double *at = mry_place(clip, f) + 3 * slot;
                at[0] = root[0] + v.x;
                at[1] = root[1] + v.y;
                at[2] = root[2] + v.z;
            } else {
                mry_rot q = mry_rot_times(base, mry_vector_rot(v));
                float *turn = mry_turn(clip, f) + 4 * joint;
                turn[0] = (float)q.w;
                turn[1] = (float)q.x;
                turn[2] = (float)q.y;
                turn[3] = (float)q.z;
            }
        }
    }
}
