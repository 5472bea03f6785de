/* concatenate.c - clips end to end. Marked frames are left out: the result is a made clip. */
#include "base/fail.h"
#include "math/quat.h"
#include "motion/carrier.h"
#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

static bool same_joints(const marey_clip *a, const marey_clip *b)
{
    if (a->skeleton.joint_count != b->skeleton.joint_count || a->mover_count != b->mover_count)
        return false;
    for (int j = 0; j < a->skeleton.joint_count; j++) {
        if (a->joints[j].parent != b->joints[j].parent || a->slot[j] != b->slot[j] ||
            strcmp(a->joints[j].name, b->joints[j].name) != 0)
            return false;
    }
    return true;
}

/* The largest difference of a bone's length, as a share of the body's size. */
static double bone_difference(const marey_clip *a, const marey_clip *b)
{
    double worst = 0, size = fmax(a->report.height_cm, 1e-9);
    for (int j = 1; j < a->skeleton.joint_count; j++) {
        if (a->slot[j] >= 0) continue; /* what the file moves has no fixed length */
        double la = mry_length3(a->joints[j].offset_cm), lb = mry_length3(b->joints[j].offset_cm);
        worst = fmax(worst, fabs(la - lb) / size);
    }
    return worst;
}

static bool warn_about_bodies(marey_clip *made, const marey_clip *const *clips, int count)
{
    for (int i = 1; i < count; i++) {
        double share = bone_difference(clips[0], clips[i]);
        if (share > 0.005 &&
            !mry_clip_warn(made,
                           "%s is of another body: bones differ by up to %.1f %% of the "
                           "height, and its motion was put on the bones of %s",
                           clips[i]->name, 100 * share, clips[0]->name)) {
            return false;
        }
    }
    return true;
}

static int count_captured(const marey_clip *clip)
{
    int count = 0;
    for (int f = 0; f < clip->frames; f++) count += !mry_clip_is_marked(clip, f);
    return count;
}

/* A turn about the vertical through the origin, then a shift on the floor. */
typedef struct placing {
    float turn[4];
    double x, z;
} placing;

/* Frame `at` behind the one before it, both with what carries the body as it is in the world: the part of the rotation from the one to
   the other that is about the vertical. */
static placing place_behind(const marey_clip *made, int at, const mry_carrier *carrier)
{
    int slot = made->slot[carrier->joint];
    float a[4], b[4], back[4], between[4];
    double from[3], to[3];
    memcpy(a, mry_turn(made, at - 1) + 4 * carrier->joint, sizeof a);
    memcpy(b, mry_turn(made, at) + 4 * carrier->joint, sizeof b);
    memcpy(to, mry_place(made, at - 1) + 3 * slot, sizeof to);
    memcpy(from, mry_place(made, at) + 3 * slot, sizeof from);
    mry_carrier_out(carrier, to, a);
    mry_carrier_out(carrier, from, b);
    for (int i = 0; i < 4; i++) back[i] = i ? -b[i] : b[i];
    mry_quat_multiply(a, back, between);
    placing p = { { between[0], 0.0f, between[2], 0.0f }, 0, 0 };
    mry_quat_normalize(p.turn);
    mry_quat_rotate_double(p.turn, from, from);
    p.x = to[0] - from[0];
    p.z = to[2] - from[2];
    return p;
}

static void move_frame(marey_clip *made, int at, const mry_carrier *carrier, const placing *p)
{
    float *turn = mry_turn(made, at) + 4 * carrier->joint;
    double *place = mry_place(made, at) + 3 * made->slot[carrier->joint];
    mry_carrier_out(carrier, place, turn);
    mry_quat_multiply(p->turn, turn, turn);
    mry_quat_rotate_double(p->turn, place, place);
    place[0] += p->x;
    place[2] += p->z;
    mry_carrier_in(carrier, place, turn);
}

static int append(marey_clip *made, int at, const marey_clip *clip, const mry_carrier *carrier,
                  bool align)
{
    placing p = { 0 };
    int start = at;
    for (int f = 0; f < clip->frames; f++) {
        if (mry_clip_is_marked(clip, f)) continue;
        mry_clip_copy_frames(made, at, clip, f, 1);
        mry_carrier_hold(carrier, made, mry_place(made, at), mry_turn(made, at));
        if (align && start > 0) {
            if (at == start) p = place_behind(made, at, carrier);
            move_frame(made, at, carrier, &p);
        }
        at++;
    }
    return at;
}

/* Each clip at the first one's rate: the clip itself, or a resampled one that `owned` frees. */
static marey_status at_common_rate(const marey_clip *const *clips, int count,
                                   const marey_clip **at_rate, marey_clip **owned,
                                   marey_error *error)
{
    for (int i = 0; i < count; i++) {
        at_rate[i] = clips[i];
        if (!same_joints(clips[0], clips[i])) {
            return mry_fail(error, MAREY_ERR_SHAPE, clips[i]->name,
                            "its joints are not those of %s, so they cannot be joined",
                            clips[0]->name);
        }
        if (fabs(clips[i]->fps / clips[0]->fps - 1.0) < 1e-6) continue;
        marey_status status = marey_clip_resample(clips[i], clips[0]->fps, &owned[i], error);
        if (status) return status;
        at_rate[i] = owned[i];
    }
    return MAREY_OK;
}

static marey_status join(const marey_clip *const *clips, int count, bool align, marey_clip **out,
                         marey_error *error)
{
    int64_t frames = 0;
    for (int i = 0; i < count; i++) frames += count_captured(clips[i]);
    if (frames < 1 || frames > MRY_MOST_FRAMES) {
        return mry_fail(error, frames < 1 ? MAREY_ERR_REQUEST : MAREY_ERR_LIMIT, clips[0]->name,
                        "the joined clip would have %lld frames", (long long)frames);
    }
    marey_clip *made = mry_clip_make_like(clips[0], (int)frames, clips[0]->fps);
    if (!made || !warn_about_bodies(made, clips, count)) {
        marey_clip_free(made);
        return mry_fail_memory(error, clips[0]->name);
    }
    made->source.frame_time = clips[0]->source.frame_time;
    const mry_carrier carrier = mry_carrier_find(clips, count);
    int at = 0;
    for (int i = 0; i < count; i++) at = append(made, at, clips[i], &carrier, align);
    *out = made;
    return MAREY_OK;
}

marey_status marey_clip_concatenate(const marey_clip *const *clips, int count, bool align,
                                    marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clips[0]->mem.ctx);
    const marey_clip **at_rate = MRY_NEW(&tmp, const marey_clip *, count);
    marey_clip **owned = MRY_NEW(&tmp, marey_clip *, count);
    marey_status status = at_rate && owned ? at_common_rate(clips, count, at_rate, owned, error)
                                           : mry_fail_memory(error, clips[0]->name);
    if (!status) status = join(at_rate, count, align, out, error);
    for (int i = 0; owned && i < count; i++) marey_clip_free(owned[i]);
    mry_arena_free(&tmp);
    return status;
}
