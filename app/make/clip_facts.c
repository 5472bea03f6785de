/* clip_facts.c - what is asked of clips before and after they are mixed. */
#include "clip_facts.h"

#include <math.h>
#include <string.h>

const char *short_name(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash ? slash + 1 : text;
}

bool have_same_joints(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *left = marey_clip_skeleton(a), *right = marey_clip_skeleton(b);
    if (left->joint_count != right->joint_count) return false;
    for (int i = 0; i < left->joint_count; i++) {
        if (left->joints[i].parent != right->joints[i].parent ||
            strcmp(left->joints[i].name, right->joints[i].name) != 0) {
            return false;
        }
    }
    return true;
}

bool have_same_bones(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *left = marey_clip_skeleton(a), *right = marey_clip_skeleton(b);
    for (int i = 1; i < left->joint_count; i++) {
        for (int k = 0; k < 3; k++) {
            double apart = left->joints[i].offset_cm[k] - right->joints[i].offset_cm[k];
            if (!(fabs(apart) <= 1e-6)) return false;
        }
    }
    return true;
}

/* ---- captured frames ------------------------------------------------------------------------- */

bool captured_run(const marey_clip *clip, int *at, int *end)
{
    int count, frames = marey_clip_frames(clip);
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (bool moved = true; moved;) {
        moved = false;
        *end = frames;
        for (int i = 0; i < count; i++) {
            if (*at >= marks[i].start && *at < marks[i].end) {
                *at = marks[i].end;
                moved = true;
            } else if (marks[i].start > *at && marks[i].start < *end) {
                *end = marks[i].start;
            }
        }
    }
    return *at < frames;
}

int captured_before(const marey_clip *clip, int frame)
{
    int before = 0, end;
    for (int at = 0; captured_run(clip, &at, &end) && at < frame; at = end) {
        before += (end < frame ? end : frame) - at;
    }
    return before;
}

int captured_frame(const marey_clip *clip, int index)
{
    int end;
    for (int at = 0; captured_run(clip, &at, &end); at = end) {
        if (index < end - at) return at + index;
        index -= end - at;
    }
    return marey_clip_frames(clip) + index;
}

bool is_captured(const marey_clip *clip, int frame)
{
    int at = frame, end;
    return captured_run(clip, &at, &end) && at == frame;
}

/* ---- speed ----------------------------------------------------------------------------------- */

/* fmax of a number and NaN is the number. */
void app_speeds_raise(marey_speeds *most, const marey_speeds *one)
{
    most->joint_cm_per_s = fmax(most->joint_cm_per_s, one->joint_cm_per_s);
    most->knee_cm_per_s = fmax(most->knee_cm_per_s, one->knee_cm_per_s);
    most->sound_joint_cm_per_s = fmax(most->sound_joint_cm_per_s, one->sound_joint_cm_per_s);
    most->sound_knee_cm_per_s = fmax(most->sound_knee_cm_per_s, one->sound_knee_cm_per_s);
}

marey_status app_speeds_add(const marey_clip *clip, const marey_clip *marked, marey_speeds *most,
                            marey_error *error)
{
    marey_speeds one;
    if (marey_clip_speeds(clip, marked, &one) != MAREY_OK) return app_fail_memory(error);
    app_speeds_raise(most, &one);
    return MAREY_OK;
}
