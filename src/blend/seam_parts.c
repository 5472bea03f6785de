/* seam_parts.c - frames of the clips on both sides of a seam. */
#include "blend/seam.h"

#include <string.h>

void mry_seam_copy(const mry_trunk *body, const marey_clip *clip, int frame, mry_floor by,
                   marey_clip *made, int at)
{
    float *turns = mry_turn(made, at);
    double *places = mry_place(made, at);
    memcpy(turns, mry_turn(clip, frame), 4 * (size_t)clip->skeleton.joint_count * sizeof *turns);
    memcpy(places, mry_place(clip, frame), 3 * (size_t)clip->mover_count * sizeof *places);
    if (by.angle != 0 || by.x != 0 || by.z != 0)
        mry_pose_move(body, by, places, turns);
    else
        mry_carrier_hold(&body->carrier, made, places, turns);
}
