/* marks.c - frames that were never captured: the T-pose a converter puts first, and frames in which
   tracking was lost and the root fell to 0 0 0. They are marked, not removed: frame numbers stay
   those of the file. */
#include "math/quat.h"
#include "motion/clip_data.h"
#include "motion/quantile.h"

#include <assert.h>

enum { SAMPLES = 64 };

const char *marey_mark_name(marey_mark_kind kind)
{
    static const char *const names[MAREY_MARK_COUNT] = { "invented-first-frame", "dropout",
                                                         "frozen", "by-hand", "jump" };
    assert(kind >= 0 && kind < MAREY_MARK_COUNT);
    return names[kind];
}

/* ---- dropouts -------------------------------------------------------------------------------- */

static bool is_zero(const double *p)
{
    return p[0] == 0 && p[1] == 0 && p[2] == 0;
}

/* Marks dropouts from frame `from` on; a run that begins before it is judged as a whole. Counts the
   frames. */
static bool mark_dropouts(marey_clip *clip, int slot, int from, int *lost, int *first_lost)
{
    double size = clip->report.height_cm > 0 ? clip->report.height_cm : 170, far = -1;
    for (int f = 0; slot >= 0 && f < clip->frames; f++) {
        if (!is_zero(mry_place(clip, f) + 3 * slot)) continue;
        int start = f;
        while (f < clip->frames && is_zero(mry_place(clip, f) + 3 * slot)) f++;
        if (far < 0) {
            /* Ten times what half of the sampled steps are shorter than. */
            double steps[SAMPLES];
            int count = 0, stride = clip->frames / SAMPLES + 1;
            for (int k = 0; k + 1 < clip->frames && count < SAMPLES; k += stride) {
                const double *a = mry_place(clip, k) + 3 * slot;
                const double *b = mry_place(clip, k + 1) + 3 * slot;
                if (!is_zero(a) && !is_zero(b)) steps[count++] = mry_distance3(a, b);
            }
            far = 0.06 * size;
            if (count) far = fmax(far, 10 * mry_nth(steps, (size_t)count, (size_t)count / 2));
        }
        /* A body may pass through 0 0 0, or start there; it does not leap there. */
        if (start > 0 && mry_length3(mry_place(clip, start - 1) + 3 * slot) < far) continue;
        if (f < clip->frames && mry_length3(mry_place(clip, f) + 3 * slot) < far) continue;
        if (start < from) start = from;
        if (start == f) continue;
        if (!mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, start, f)) return false;
        if (*lost == 0) *first_lost = start;
        *lost += f - start;
    }
    return true;
}

/* ---- the invented first frame ---------------------------------------------------------------- */

/* Root mean square of the joints' turns from one frame to another, in radians (as chords). The
   place of the body does not count: converters keep it. */
static double pose_step(const marey_clip *clip, int a, int b)
{
    const float *qa = mry_turn(clip, a), *qb = mry_turn(clip, b);
    double sum = 0;
    int joints = clip->skeleton.joint_count;
    for (int j = 0; j < joints; j++) {
        sum += 1 - fabs((double)mry_quat_dot(qa + 4 * j, qb + 4 * j));
    }
    return sqrt(8 * fmax(sum, 0) / joints);
}

/* A frame that may be a dropout must not be compared with its neighbours. */
static bool may_be_lost(const marey_clip *clip, int slot, int frame)
{
    return slot >= 0 && is_zero(mry_place(clip, frame) + 3 * slot);
}

/* A pose that was typed in: every angle is a whole number of degrees. */
static bool is_typed(const marey_clip *clip, int frame)
{
    if (!clip->source.channels) return false;
    const double *row = mry_channels(clip, frame);
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const marey_joint *joint = &clip->joints[j];
        for (int c = 0; c < joint->channel_count; c++) {
            marey_channel kind = joint->channels[c];
            double value = row[joint->first_channel + c];
            bool angle = kind >= MAREY_CHANNEL_X_ROTATION && kind <= MAREY_CHANNEL_Z_ROTATION;
            if (angle && value != rint(value)) return false;
        }
    }
    return true;
}

/* How much of the way from one role to another is upwards, -1 .. 1; 9 where a role is missing. */
static double rise(const marey_clip *clip, const double *at, marey_role base, marey_role tip)
{
    int a = clip->skeleton.roles[base], b = clip->skeleton.roles[tip];
    if (a < 0 || b < 0) return 9;
    double way = mry_distance3(at + 3 * a, at + 3 * b);
    return way > 0 ? (at[3 * b + 1] - at[3 * a + 1]) / way : 9;
}

static bool looks_invented(const marey_clip *clip, int slot, double *at)
{
    static const marey_role arms[2][2] = { { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_WRIST },
                                           { MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_WRIST } };
    static const marey_role legs[2][2] = { { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_LEFT_ANKLE },
                                           { MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_RIGHT_ANKLE } };
    int next = 1, count = 0;
    while (next < clip->frames && may_be_lost(clip, slot, next)) next++;
    if (next + 1 >= clip->frames) return false;
    double leap = pose_step(clip, 0, next), steps[SAMPLES];
    if (leap < 0.1) return false;
    if (!is_typed(clip, 0) || is_typed(clip, next)) { /* then it must be a T-pose */
        marey_clip_positions(clip, 0, 1, at);
        for (int side = 0; side < 2; side++) {
            if (fabs(rise(clip, at, arms[side][0], arms[side][1])) > 0.35) return false;
            if (rise(clip, at, legs[side][0], legs[side][1]) > -0.9) return false;
        }
    }
    int stride = (clip->frames - next) / SAMPLES + 1;
    for (int f = next; f + 1 < clip->frames && count < SAMPLES; f += stride) {
        if (may_be_lost(clip, slot, f) || may_be_lost(clip, slot, f + 1)) continue;
        steps[count++] = pose_step(clip, f, f + 1);
    }
    if (count == 0) return false;
    /* Nine in ten of the sampled steps behind it must be shorter than a quarter of the leap. */
    return leap > 4 * mry_nth(steps, (size_t)count, (size_t)count * 9 / 10);
}

bool mry_clip_find_marks(marey_clip *clip)
{
    int lost = 0, first_lost = 0;
    if (clip->frames < 3) return true;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    double *at = MRY_NEW_RAW(&tmp, double, 3 * (size_t)clip->skeleton.joint_count);
    /* The mover whose place tells where the body is: the root, unless that never leaves 0 0 0 and
       the hips move on their own below it. -1: there is none. */
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS], slot = -1;
    int slots[2] = { 0, hips > 0 ? clip->slot[hips] : -1 };
    for (int i = 0; i < 2 && slot < 0; i++) {
        for (int f = 0; f < clip->frames && slots[i] >= 0 && slot < 0; f++) {
            if (!is_zero(mry_place(clip, f) + 3 * slots[i])) slot = slots[i];
        }
    }
    bool invented = at && looks_invented(clip, slot, at);
    bool ok = at != NULL;
    mry_arena_free(&tmp);
    if (invented) ok = mry_clip_add_mark(clip, MAREY_MARK_INVENTED, 0, 1);
    if (!ok || !mark_dropouts(clip, slot, invented ? 1 : 0, &lost, &first_lost)) return false;
    if (invented &&
        !mry_clip_warn(clip, "frame 0 is a T-pose added by the exporter; ignored by search, "
                             "blends and graphs; --skip-first drops it"))
        return false;
    return lost == 0 ||
           mry_clip_warn(clip,
                         "tracking was lost in %d frame%s, the first of them %d: the root is "
                         "at 0 0 0; ignored by search, blends and graphs",
                         lost, lost == 1 ? "" : "s", first_lost);
}
