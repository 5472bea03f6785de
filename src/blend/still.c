/* still.c - where a body stands still. */
#include "blend/still.h"
#include "math/quat.h"
#include "motion/carrier.h"

#include <math.h>

static const double still_cm_per_s = 10, over_s = 0.5;

bool mry_still_find(mry_arena *mem, const marey_clip *clip, mry_still *out)
{
    const mry_carrier carrier = mry_carrier_find(&clip, 1);
    int joints = clip->skeleton.joint_count, frames = clip->frames;
    int first = mry_carrier_first(&carrier);
    double *way = MRY_NEW(mem, double, frames), *places[2];
    int *standing = MRY_NEW(mem, int, (size_t)frames + 1);
    for (int n = 0; n < 2; n++) places[n] = MRY_NEW_RAW(mem, double, 3 * (size_t)joints);
    if (!way || !standing || !places[0] || !places[1]) return false;
    marey_clip_positions(clip, 0, 1, places[0]);
    for (int f = 1; f < frames; f++) {
        const double *before = places[(f - 1) & 1];
        double *here = places[f & 1], sum = 0;
        marey_clip_positions(clip, f, 1, here);
        for (int j = first; j < joints; j++) sum += mry_distance3(before + 3 * j, here + 3 * j);
        way[f] = way[f - 1] + sum / (joints - first);
    }
    double mean = frames > 1 ? way[frames - 1] / (frames - 1) : 0;
    double least = fmin(still_cm_per_s / clip->fps, mean / 2);
    int side = (int)lround(over_s / 2 * clip->fps);
    for (int f = 0; f < frames; f++) {
        int from = f > side ? f - side : 0, to = f + side < frames ? f + side : frames - 1;
        standing[f + 1] = standing[f] + (way[to] - way[from] < least * (to - from));
    }
    double moved = 0;
    int moving = 0;
    for (int f = 1; f < frames; f++) {
        if (standing[f + 1] > standing[f]) continue;
        moved += way[f] - way[f - 1];
        moving++;
    }
    *out = (mry_still){ .way = way,
                        .standing = standing,
                        .side = side,
                        .least_step = least,
                        .moving_step = moving > 0 ? moved / moving : 0 };
    return true;
}
