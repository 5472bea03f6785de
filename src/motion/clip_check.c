/* clip_check.c - is this a clip that every later stage can rely on? Readers, the library and the
   writers ask here, after a clip was opened and before one goes out, so that what they promise each
   other is one list of rules. A stored clip is what its sender made of it: its sums only say that
   it came as it was sent. */
#include "motion/clip_data.h"

#include "base/fail.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A unit quaternion of floats is one within rounding; what is further off was never normalised. */
static bool are_units(const float *turns, size_t count)
{
    bool sound = true;
    for (size_t i = 0; i < count; i++, turns += 4) {
        float length =
            turns[0] * turns[0] + turns[1] * turns[1] + turns[2] * turns[2] + turns[3] * turns[3];
        sound &= fabsf(length - 1) <= 1e-3f; /* false for NaN, too */
    }
    return sound;
}

/* What was read at the limit may have been rounded past it on its way through units and axes. */
static const double most = MRY_MOST_NUMBER * (1 + 1e-6);

static bool are_within(const double *numbers, size_t count, double limit)
{
    bool sound = true;
    for (size_t i = 0; i < count; i++) sound &= fabs(numbers[i]) <= limit;
    return sound;
}

/* Its parent is the joint before it or an ancestor of that. A file closes its joints one after the
   other, and one that is closed gets no more children. */
bool mry_joint_is_depth_first(const marey_clip *clip, int j)
{
    int parent = clip->joints[j].parent, above = j - 1;
    if (j == 0 || parent < 0) return j == 0 && parent == -1;
    while (above > parent) above = clip->joints[above].parent; /* each is before its joint */
    return above == parent;
}

double mry_clip_most_cm(const marey_clip *clip)
{
    return most * marey_units_cm(clip->units);
}

const char *mry_joint_find_fault(const marey_clip *clip, int j, int channels)
{
    const marey_joint *joint = &clip->joints[j];
    const double most_cm = mry_clip_most_cm(clip);
    size_t at = 3 * (size_t)j;
    unsigned seen = 0;
    size_t length = joint->name ? strlen(joint->name) : 0;
    if (length < 1 || length > MRY_LONGEST_JOINT_NAME || strpbrk(joint->name, "\r\n")) {
        return "its name must be 1 to 255 bytes in one line";
    }
    if (!mry_joint_is_depth_first(clip, j))
        return "its parent must come before it, in depth-first order";
    if (joint->channel_count < 0 || joint->channel_count > MAREY_CHANNEL_COUNT ||
        joint->first_channel != channels) {
        return "its channels must follow those of the joint before";
    }
    for (int c = 0; c < joint->channel_count; c++) {
        unsigned kind = (unsigned)joint->channels[c];
        if (kind >= MAREY_CHANNEL_COUNT || (seen >> kind & 1)) {
            return "each kind of channel must be there at most once";
        }
        seen |= 1u << kind;
    }
    if (!are_within(clip->source.offsets + at, 3, most) ||
        !are_within(joint->offset_cm, 3, most_cm)) {
        return "its offset must be finite and at most 1e9 units";
    }
    if (!are_within(clip->source.ends + at, 3, most) || !are_within(joint->end_cm, 3, most_cm)) {
        return "its end must be finite and at most 1e9 units";
    }
    if (clip->source.axes && !are_units(clip->source.axes + 4 * (size_t)j, 1)) {
        return "its axes must be a unit quaternion";
    }
    if (clip->source.orders) {
        const uint8_t *order = clip->source.orders + at;
        if (order[0] > 2 || order[1] > 2 || order[2] > 2 ||
            (1 << order[0] | 1 << order[1] | 1 << order[2]) != 7) {
            return "its order must name each axis once";
        }
    }
    if (clip->slot[j] >= clip->mover_count ||
        (clip->slot[j] >= 0 && clip->mover[clip->slot[j]] != j) || (j == 0 && clip->slot[j] != 0)) {
        return "its place among those that move is wrong";
    }
    return NULL;
}

static marey_status fail(const char *path, marey_error *error, const char *rule, double got)
{
    return mry_fail(error, MAREY_ERR_INPUT, path, "unsound clip: %s, got %g", rule, got);
}

marey_status mry_clip_check(const marey_clip *clip, const char *path, marey_error *error)
{
    const marey_skeleton *skeleton = &clip->skeleton;
    int joints = skeleton->joint_count, channels = 0, after = 0;
    if (joints < 1 || joints > MRY_MOST_JOINTS) {
        return fail(path, error, "it must have 1 to 16384 joints", joints);
    }
    if (clip->frames < 1 || clip->frames > MRY_MOST_FRAMES) {
        return fail(path, error, "it must have 1 to 100000000 frames", clip->frames);
    }
    if (!(clip->fps >= MRY_LEAST_FPS && clip->fps <= MRY_MOST_FPS)) {
        return fail(path, error, "its rate must be 0.01 to 20000 Hz", clip->fps);
    }
    double frame_time = clip->source.frame_time; /* none, or what a file says of such a rate */
    if (frame_time != 0 && !(frame_time >= 5e-5 && frame_time <= 100)) {
        return fail(path, error, "its frame time must be 0.00005 to 100 s", frame_time);
    }
    for (int j = 0; j < joints; j++) {
        const char *fault = mry_joint_find_fault(clip, j, channels);
        if (fault) {
            char name[64] = "";
            if (clip->joints[j].name) {
                mry_quote(name, sizeof name, clip->joints[j].name, strlen(clip->joints[j].name));
            }
            return mry_fail(error, MAREY_ERR_INPUT, path, "unsound clip: joint %d (%s): %s", j,
                            name, fault);
        }
        channels += clip->joints[j].channel_count;
    }
    if (channels != skeleton->channel_count) {
        return fail(path, error, "its joints must have all of its channels", channels);
    }
    for (int i = 0; i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        if (mark->start < after || mark->end <= mark->start || mark->end > clip->frames) {
            return fail(path, error, "its marks must rise and stay inside its frames", mark->start);
        }
        after = mark->end;
    }
    /* The tracks frame by frame, so that what is wrong has a place. */
    size_t places = 3 * (size_t)clip->mover_count;
    const double most_cm = mry_clip_most_cm(clip);
    for (int f = 0; f < clip->frames; f++) {
        const char *rule = NULL;
        if (clip->source.channels && !are_within(mry_channels(clip, f), (size_t)channels, most)) {
            rule = "numbers must be finite and at most 1e9";
        } else if (clip->place && !are_within(mry_place(clip, f), places, most_cm)) {
            rule = "places must be finite and at most 1e9 units";
        } else if (clip->turn && !are_units(mry_turn(clip, f), (size_t)joints)) {
            rule = "rotations must be unit quaternions";
        }
        if (rule) {
            return mry_fail(error, MAREY_ERR_INPUT, path, "unsound clip: frame %d: %s", f, rule);
        }
    }
    return MAREY_OK;
}

/* ---- what a reader should know -------------------------------------------------------------- */

/* What a reader of the import report should know about a skeleton. Nothing here stops
   an import: odd files are used every day. */

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
    if (count > 0) {
        int number = clip->report.warning_count;
        if (!mry_clip_warn(clip, "%d bone%s no length (%s%s)", count,
                           count == 1 ? " has" : "s have", names, count > NAMED ? ", ..." : ""))
            return false;
        if (number < 64) clip->report.remarks |= (uint64_t)1 << number;
    }
    if (!has_body &&
        !mry_clip_warn(clip, "no human body was recognised; what goes by roles will not work"))
        return false;
    return clip->frames >= 2 || mry_clip_warn(clip, "there is only one frame");
}
