/* loop_judge.c - how far joints jump where a loop begins again. */
#include "blend/loop_parts.h"
#include "math/quat.h"

static double largest_step(const double *from, const double *to, int first, int joints)
{
    double largest = 0;
    for (int j = first; j < joints; j++)
        largest = fmax(largest, mry_distance3(from + 3 * j, to + 3 * j));
    return largest;
}

bool mry_loop_judge(const marey_clip *loop, mry_floor onwards, double *ratio)
{
    const mry_carrier carrier = mry_carrier_find(&loop, 1);
    int joints = loop->skeleton.joint_count, first = mry_carrier_first(&carrier);
    mry_arena tmp = mry_arena_make(loop->mem.ctx);
    double *poses = MRY_NEW_RAW(&tmp, double, 6 * (size_t)joints);
    if (!poses) return false;
    double inside = 0.001, *even = poses, *odd = poses + 3 * joints;
    marey_clip_positions(loop, 0, 1, even);
    for (int f = 1; f < loop->frames; f++) {
        double *here = f % 2 ? odd : even, *last = f % 2 ? even : odd;
        marey_clip_positions(loop, f, 1, here);
        inside = fmax(inside, largest_step(last, here, first, joints));
    }
    double *end = loop->frames % 2 ? even : odd, *start = loop->frames % 2 ? odd : even;
    marey_clip_positions(loop, 0, 1, start);
    for (int j = 0; j < joints; j++) mry_floor_apply(onwards, &start[3 * j], &start[3 * j + 2]);
    *ratio = largest_step(end, start, first, joints) / inside;
    mry_arena_free(&tmp);
    return true;
}
