/* clip_edit.c - parts of clips, the same motion at another rate, and clips end to end. */
#include "base/fail.h"
#include "math/quat.h"
#include "motion/carrier.h"
#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

/* ---- a part of a clip, with the file's own numbers ------------------------------------------- */

marey_status marey_clip_trim(const marey_clip *clip, int start, int end, marey_clip **out,
                             marey_error *error)
{
    if (start < 0 || start >= end || end > clip->frames) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "frames %d-%d are not in this clip, which has 0-%d", start, end,
                        clip->frames);
    }
    marey_clip *part = mry_clip_make_like(clip, end - start, clip->fps);
    bool fits = part != NULL;
    size_t joints = (size_t)clip->skeleton.joint_count;
    /* The file's numbers need the file's own channels and axes, which made clips do without. */
    if (fits && clip->source.channels && clip->source.axes) {
        part->source.axes = MRY_NEW_RAW(&part->mem, float, 4 * joints);
        part->source.orders = MRY_NEW_RAW(&part->mem, uint8_t, 3 * joints);
        fits = part->source.axes && part->source.orders;
        if (fits) {
            memcpy(part->source.axes, clip->source.axes, 4 * joints * sizeof(float));
            memcpy(part->source.orders, clip->source.orders, 3 * joints);
        }
        part->skeleton.channel_count = clip->skeleton.channel_count;
        for (size_t j = 0; j < joints; j++) {
            marey_joint *made = &part->joints[j];
            made->first_channel = clip->joints[j].first_channel;
            made->channel_count = clip->joints[j].channel_count;
            memcpy(made->channels, clip->joints[j].channels, sizeof made->channels);
        }
    }
    if (fits && clip->source.channels) {
        size_t numbers = (size_t)part->frames * (size_t)clip->skeleton.channel_count;
        double *channels = part->source.channels = MRY_NEW_RAW(&part->mem, double, numbers);
        fits = channels != NULL;
        if (fits) memcpy(channels, mry_channels(clip, start), numbers * sizeof *channels);
    }
    if (fits) part->source.frame_time = clip->source.frame_time;
    for (int i = 0; i < clip->mark_count && fits; i++) {
        marey_mark mark = clip->marks[i];
        if (mark.start < start) mark.start = start;
        if (mark.end > end) mark.end = end;
        if (mark.start < mark.end)
            fits = mry_clip_add_mark(part, mark.kind, mark.start - start, mark.end - start);
    }
    if (!fits) {
        marey_clip_free(part);
        return mry_fail_memory(error, clip->name);
    }
    mry_clip_copy_frames(part, 0, clip, start, part->frames);
    *out = part;
    return MAREY_OK;
}

/* ---- another rate ---------------------------------------------------------------------------- */

/* Marked frames (an invented T-pose, a dropout) are never mixed into captured ones. */
marey_status marey_clip_resample(const marey_clip *clip, double fps, marey_clip **out,
                                 marey_error *error)
{
    if (!(fps >= 0.1 && fps <= 10000)) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "rate must be 0.1 to 10000 Hz, got %g", fps);
    }
    double step = clip->fps / fps; /* source frames per made frame */
    double frames = floor((clip->frames - 1) / step + 1e-6) + 1;
    if (frames > MRY_MOST_FRAMES) {
        return mry_fail(error, MAREY_ERR_LIMIT, clip->name, "frames must be at most %d, got %.0f",
                        MRY_MOST_FRAMES, frames);
    }
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    uint8_t *kinds =
        MRY_NEW(&tmp, uint8_t, clip->frames); /* 0: captured; else 1 + the mark's kind */
    for (int i = 0; kinds && i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        memset(kinds + mark->start, 1 + (int)mark->kind, (size_t)(mark->end - mark->start));
    }
    marey_clip *made = kinds ? mry_clip_make_like(clip, (int)frames, fps) : NULL;
    bool fits = made != NULL;
    for (int f = 0, start = 0, run = 0; fits && f < made->frames; f++) {
        /* Where the frame lies between the source's. Nearly whole numbers are whole: those frames
           stay as they are. */
        double at = fmin(f * step, clip->frames - 1), whole = floor(at + 0.5);
        if (fabs(at - whole) < 1e-6) at = whole;
        int a = (int)at, b = a + 1 < clip->frames ? a + 1 : a;
        double t = at - a;
        if (kinds[a] != kinds[b]) t = t < 0.5 ? 0.0 : 1.0;
        mry_clip_mix(clip, a, b, t, mry_place(made, f), mry_turn(made, f));
        int kind = kinds[(int)floor(at + 0.5)]; /* a half goes up, as above */
        if (kind != run) {
            if (run) fits = mry_clip_add_mark(made, (marey_mark_kind)(run - 1), start, f);
            start = f;
            run = kind;
        }
        if (run && fits && f + 1 == made->frames)
            fits = mry_clip_add_mark(made, (marey_mark_kind)(run - 1), start, f + 1);
    }
    mry_arena_free(&tmp);
    if (!fits) {
        marey_clip_free(made);
        return mry_fail_memory(error, clip->name);
    }
    *out = made;
    return MAREY_OK;
}

/* ---- clips end to end ------------------------------------------------------------------------ */

/* Marked frames are left out: the result is a made clip. */

marey_status mry_clip_check_joints(const marey_clip *clip, const marey_clip *other,
                                   marey_error *error)
{
    int joints = clip->skeleton.joint_count;
    bool same = joints == other->skeleton.joint_count && clip->mover_count == other->mover_count;
    for (int j = 0; j < joints && same; j++)
        same = clip->joints[j].parent == other->joints[j].parent &&
               clip->slot[j] == other->slot[j] &&
               strcmp(clip->joints[j].name, other->joints[j].name) == 0;
    if (same) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_SHAPE, other->name, "its joints must be those of %s",
                    clip->name);
}

/* A turn about the vertical through the origin, then a shift on the floor. */
typedef struct placing {
    float turn[4];
    double x, z;
} placing;

/* Frame `at` behind the one before it, both with what carries the body as it is in the world: the
   part of the rotation from the one to the other that is about the vertical. */
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

/* Clips of one rate and the same joints. */
static marey_status join(const marey_clip *const *clips, int count, bool align, marey_clip **out,
                         marey_error *error)
{
    int64_t frames = 0;
    for (int i = 0; i < count; i++) {
        for (int f = 0; f < clips[i]->frames; f++) frames += !mry_clip_is_marked(clips[i], f);
    }
    if (frames < 1 || frames > MRY_MOST_FRAMES) {
        return mry_fail(error, frames < 1 ? MAREY_ERR_REQUEST : MAREY_ERR_LIMIT, clips[0]->name,
                        "the joined clip would have %lld frames", (long long)frames);
    }
    marey_clip *made = mry_clip_make_like(clips[0], (int)frames, clips[0]->fps);
    bool fits = made != NULL;
    for (int i = 1; i < count && fits; i++) {
        /* The largest difference of a bone's length, as a share of the body's size. */
        const marey_clip *a = clips[0];
        double share = 0, size = fmax(a->report.height_cm, 1e-9);
        for (int j = 1; j < a->skeleton.joint_count; j++) {
            if (a->slot[j] >= 0) continue; /* what the file moves has no fixed length */
            double la = mry_length3(a->joints[j].offset_cm),
                   lb = mry_length3(clips[i]->joints[j].offset_cm);
            share = fmax(share, fabs(la - lb) / size);
        }
        if (share > 0.005)
            fits = mry_clip_warn(made,
                                 "%s is of another body: bones differ by up to %.1f %% of the "
                                 "height, and its motion was put on the bones of %s",
                                 clips[i]->name, 100 * share, clips[0]->name);
    }
    if (!fits) {
        marey_clip_free(made);
        return mry_fail_memory(error, clips[0]->name);
    }
    made->source.frame_time = clips[0]->source.frame_time;
    const mry_carrier carrier = mry_carrier_find(clips, count);
    for (int i = 0, at = 0; i < count; i++) {
        placing p = { 0 };
        int start = at;
        for (int f = 0; f < clips[i]->frames; f++) {
            if (mry_clip_is_marked(clips[i], f)) continue;
            mry_clip_copy_frames(made, at, clips[i], f, 1);
            mry_carrier_hold(&carrier, made, mry_place(made, at), mry_turn(made, at));
            if (align && start > 0) {
                if (at == start) p = place_behind(made, at, &carrier);
                float *turn = mry_turn(made, at) + 4 * carrier.joint;
                double *place = mry_place(made, at) + 3 * made->slot[carrier.joint];
                mry_carrier_out(&carrier, place, turn);
                mry_quat_multiply(p.turn, turn, turn);
                mry_quat_rotate_double(p.turn, place, place);
                place[0] += p.x;
                place[2] += p.z;
                mry_carrier_in(&carrier, place, turn);
            }
            at++;
        }
    }
    *out = made;
    return MAREY_OK;
}

marey_status marey_clip_concatenate(const marey_clip *const *clips, int count, bool align,
                                    marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clips[0]->mem.ctx);
    const marey_clip **at_rate = MRY_NEW(&tmp, const marey_clip *, count);
    marey_clip **owned = MRY_NEW(&tmp, marey_clip *, count);
    marey_status status = at_rate && owned ? MAREY_OK : mry_fail_memory(error, clips[0]->name);
    /* Each clip at the first one's rate: the clip itself, or a resampled one. */
    for (int i = 0; i < count && !status; i++) {
        status = mry_clip_check_joints(clips[0], clips[i], error);
        if (!status && !(fabs(clips[i]->fps / clips[0]->fps - 1.0) < 1e-6))
            status = marey_clip_resample(clips[i], clips[0]->fps, &owned[i], error);
        at_rate[i] = owned[i] ? owned[i] : clips[i];
    }
    if (!status) status = join(at_rate, count, align, out, error);
    for (int i = 0; owned && i < count; i++) marey_clip_free(owned[i]);
    mry_arena_free(&tmp);
    return status;
}
