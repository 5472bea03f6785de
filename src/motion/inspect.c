/* inspect.c - what a reader of the import report should know about a skeleton. Nothing here stops
   an import: odd files are used every day. */
#include "math/quat.h"
#include "motion/clip_data.h"

#include <stdio.h>

enum { NAMED = 3 }; /* so many are named in a warning, the rest counted */

bool mry_clip_inspect(marey_clip *clip)
{
    char names[256] = "";
    size_t used = 0;
    int count = 0;
    bool has_body = false;
    for (int j = 1; j < clip->skeleton.joint_count; j++) {
        /* In ASF a bone begins at its joint, so what hangs on the root begins where the root is. */
        if (clip->source.axes && clip->joints[j].parent == 0) continue;
        int slot = clip->slot[j];
        const double *bone =
            slot < 0 ? clip->joints[j].offset_cm : mry_place(clip, clip->frames / 2) + 3 * slot;
        if (!(mry_length3(bone) < 1e-9) || count++ >= NAMED) continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                                 clip->joints[j].name);
    }
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) has_body |= clip->skeleton.roles[i] >= 0;
    if (count > 0 &&
        !mry_clip_warn(clip, "%d bone%s no length (%s%s)", count, count == 1 ? " has" : "s have",
                       names, count > NAMED ? ", ..." : ""))
        return false;
    if (!has_body &&
        !mry_clip_warn(clip, "no human body was recognised; what goes by roles will not work"))
        return false;
    return clip->frames >= 2 || mry_clip_warn(clip, "there is only one frame");
}
