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

/* ---- captured frames ------------------------------------------------------------------------------- */

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

/* ---- speed ----------------------------------------------------------------------------------------- */

static double longest_step(const double *from, const double *to, int joints)
{
    double longest = 0;
    for (int i = 0; i < joints; i++) {
        double x = to[3 * i] - from[3 * i], y = to[3 * i + 1] - from[3 * i + 1];
        double z = to[3 * i + 2] - from[3 * i + 2];
        longest = fmax(longest, x * x + y * y + z * z);
    }
    return sqrt(longest);
}

/* Frames [start, end) of the clip; `places` has room for two of them. */
static double longest_step_of(const marey_clip *clip, int start, int end, double *places)
{
    int joints = marey_clip_skeleton(clip)->joint_count;
    double *before = places, *now = places + 3 * (size_t)joints, longest = 0;
    for (int f = start; f < end; f++) {
        marey_clip_positions(clip, f, 1, now);
        if (f > start) longest = fmax(longest, longest_step(before, now, joints));
        double *other = before;
        before = now;
        now = other;
    }
    return longest;
}

marey_status fastest_joint(session *run, const marey_clip *clip, const marey_clip *marked,
                           double *cm_per_s, marey_error *error)
{
    size_t bytes = 6 * (size_t)marey_clip_skeleton(clip)->joint_count * sizeof(double);
    double *places = session_resize(run, NULL, 0, bytes), longest = 0;
    int done = 0, end;
    if (!places) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    for (int at = 0; marked && captured_run(marked, &at, &end); at = end) {
        longest = fmax(longest, longest_step_of(clip, done, done + end - at, places));
        done += end - at;
    }
    if (!marked) longest = longest_step_of(clip, 0, marey_clip_frames(clip), places);
    session_resize(run, places, bytes, 0);
    *cm_per_s = longest * marey_clip_fps(clip);
    return MAREY_OK;
}
