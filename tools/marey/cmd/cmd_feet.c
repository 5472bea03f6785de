/* cmd_feet.c - how foot plants, and how sound a motion is, are shown. */
#include "commands.h"
#include "foot_plants.h"

void show_contacts(session *run, const void *params, const void *result, buffer *out)
{
    const app_contacts_result *done = result;
    const app_plants *plants = &done->plants;
    (void)params;
    if (plants->count > 0) buffer_text(out, "joint          start       end   seconds\n");
    for (int i = 0; i < plants->count; i++) {
        const marey_contact *one = &plants->items[i];
        buffer_print(out, "%-10s %9d %9d %9.2f\n", marey_contact_name(one->joint),
                     done->first + one->start, done->first + one->end,
                     (one->end - one->start) / done->fps);
    }
    if (run->quiet) return;
    buffer_print(out, "%d plant%s, %s\n", plants->count, plants->count == 1 ? "" : "s",
                 plants->stored ? "kept in the library" : "found in the motion");
}

void show_quality(session *run, const void *params, const void *result, buffer *out)
{
    const app_quality_result *done = result;
    const marey_quality *quality = &done->quality;
    (void)run;
    (void)params;
    buffer_shown(out, done->clip);
    buffer_print(out, "  (%d frame%s, %.2f s, %d plant%s %s)\n", done->frames,
                 done->frames == 1 ? "" : "s", done->seconds, quality->plants,
                 quality->plants == 1 ? "" : "s", done->stored ? "kept in the library" : "found");
    if (quality->plants == 0) {
        buffer_text(out, "  feet         no foot is ever planted, so there is nothing to slide\n");
    } else {
        buffer_print(out,
                     "  slide        a planted foot drifts by %.2f cm on average, by %.2f cm at "
                     "worst\n"
                     "               and creeps at %.2f cm a second\n",
                     quality->slide_cm, quality->slide_max_cm, quality->slide_cm_per_s);
        /* Less than half of the last digit that is shown is called none. */
        if (quality->penetration_cm >= 0.005) {
            buffer_print(out, "  penetration  a foot goes %.2f cm below its floor at worst\n",
                         quality->penetration_cm);
        } else {
            buffer_text(out, "  penetration  no foot goes below its floor\n");
        }
    }
    buffer_print(out,
                 "  jump         the largest step of a joint between two frames is %.1f times the "
                 "median\n"
                 "  jerk         the sharpest change of acceleration is %.1f times the median\n",
                 quality->jump_ratio, quality->jerk_ratio);
}
