/* facing.c - where a body faces on the floor. */
#include "motion/facing.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>

double mry_facing(const marey_clip *clip, int frame, const double *places)
{
    static const marey_role pairs[2][2] = { { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP },
                                            { MAREY_ROLE_LEFT_SHOULDER,
                                              MAREY_ROLE_RIGHT_SHOULDER } };
    double across[3] = { 0 }, ahead[3] = { 0, 0, 1 };
    for (int p = 0; p < 2; p++) {
        int l = clip->skeleton.roles[pairs[p][0]], r = clip->skeleton.roles[pairs[p][1]];
        for (int i = 0; i < 3 && l >= 0 && r >= 0; i++)
            across[i] += places[3 * l + i] - places[3 * r + i];
    }
    if (across[0] * across[0] + across[2] * across[2] > 1e-6) {
        ahead[0] = -across[2]; /* a left hand points to x when one faces z */
        ahead[2] = across[0];
    } else {
        mry_quat_rotate_double(mry_turn(clip, frame), ahead, ahead);
    }
    return atan2(-ahead[2], ahead[0]);
}

double marey_clip_facing_rad(const marey_clip *clip, int frame, const double *positions)
{
    double turn = mry_facing(clip, frame, positions) + acos(0);
    return turn > 2 * acos(0) ? turn - 4 * acos(0) : turn;
}
