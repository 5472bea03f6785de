/* inspect.c - what a reader of the import report should know about a skeleton. Nothing here stops
   an import: odd files are used every day. */
#include "math/quat.h"
#include "motion/clip_data.h"

#include <stdio.h>

enum { NAMED = 3 }; /* so many are named in a warning, the rest counted */

static bool has_no_length(const marey_clip *clip, int j)
{
    int slot = clip->slot[j];
    /* In ASF a bone begins at its joint, so what hangs on the root begins where the root is. */
    if (clip->source.axes && clip->joints[j].parent == 0) return false;
    const double *bone =
        slot < 0 ? clip->joints[j].offset_cm : mry_place(clip, clip->frames / 2) + 3 * slot;
    return mry_length3(bone) < 1e-9;
}

static bool warn_lengths(marey_clip *clip)
{
    char names[256] = "";
    size_t used = 0;
    int count = 0;
    for (int j = 1; j < clip->skeleton.joint_count; j++) {
        if (!has_no_length(clip, j)) continue;
        if (count++ >= NAMED) continue;
        int wrote = snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                             clip->joints[j].name);
        used += (size_t)wrote;
    }
    if (count == 0) return true;
    return mry_clip_warn(clip, "%d bone%s no length (%s%s)", count, count == 1 ? " has" : "s have",
                         names, count > NAMED ? ", ..." : "");
}

static bool has_body(const marey_clip *clip)
{
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) {
        if (clip->skeleton.roles[i] >= 0) return true;
    }
    return false;
}

bool mry_clip_inspect(marey_clip *clip)
{
    if (!warn_lengths(clip)) return false;
    if (!has_body(clip) &&
        !mry_clip_warn(clip, "no human body was recognised; what goes by roles will not work")) {
        return false;
    }
    if (clip->frames < 2 && !mry_clip_warn(clip, "there is only one frame")) return false;
    return true;
}
