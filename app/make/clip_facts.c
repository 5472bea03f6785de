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

static double step_of(const double *from, const double *to, int joint)
{
    double x = to[3 * joint] - from[3 * joint], y = to[3 * joint + 1] - from[3 * joint + 1];
    double z = to[3 * joint + 2] - from[3 * joint + 2];
    return sqrt(x * x + y * y + z * z);
}

marey_status app_speeds_measure(const marey_ctx_def *memory, const marey_clip *clip,
                                const marey_clip *marked, app_speeds *out, marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, frames = marey_clip_frames(clip), at = 0, end = frames;
    int knees[2] = { skeleton->roles[MAREY_ROLE_LEFT_KNEE],
                     skeleton->roles[MAREY_ROLE_RIGHT_KNEE] };
    size_t row = 3 * (size_t)joints, bytes = 2 * row * sizeof(double);
    double *places = memory->resize(memory->resize_user, NULL, 0, bytes);
    double longest = 0, longest_knee = 0, fps = marey_clip_fps(clip);
    if (!places) return app_fail_memory(error);
    /* The next run of captured frames begins here in the clip, which has them without the gaps. */
    int gap = marked && captured_run(marked, &at, &end) ? end - at : frames;
    for (int f = 0, begun = 0; f < frames; f++) {
        double *now = places + (f % 2 ? row : 0), *before = places + (f % 2 ? 0 : row);
        marey_clip_positions(clip, f, 1, now);
        if (f - begun == gap) {
            at = end;
            gap = captured_run(marked, &at, &end) ? end - at : frames;
            begun = f;
        }
        if (f == begun) continue;
        for (int j = 0; j < joints; j++) longest = fmax(longest, step_of(before, now, j));
        for (int side = 0; side < 2; side++) {
            if (knees[side] < 0) continue;
            longest_knee = fmax(longest_knee, step_of(before, now, knees[side]));
        }
    }
    memory->resize(memory->resize_user, places, bytes, 0);
    bool has_knees = knees[0] >= 0 || knees[1] >= 0;
    *out = (app_speeds){ longest * fps, has_knees ? longest_knee * fps : NAN };
    return MAREY_OK;
}

/* fmax of a number and NaN is the number. */
app_speeds app_speeds_most(app_speeds a, app_speeds b)
{
    return (app_speeds){ fmax(a.joint_cm_per_s, b.joint_cm_per_s),
                         fmax(a.knee_cm_per_s, b.knee_cm_per_s) };
}
