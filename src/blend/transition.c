/* transition.c - from one clip to another: the first clip, a seam, the second clip, and feet that
   stay put over the seam. Kovar & Gleicher 2003, 6.1. */
#include "base/fail.h"
#include "blend/seam.h"
#include "feature/feature_data.h"

typedef struct transition {
    marey_ctx *ctx;
    const marey_transition_def *def;
    mry_seam_ends ends;
    marey_clip *resampled, *refitted; /* the second clip, where it had to be changed */
    marey_contacts found[2];          /* plants, where they were not given as they are needed */
    mry_seam seam;
    marey_made made;
} transition;

/* The second clip at the first one's rate and on its bones. */
static marey_status bring_together(transition *t, marey_error *error)
{
    const marey_clip *a = t->ends.clips[0], *b = t->ends.clips[1];
    marey_status status = MAREY_OK;
    if (!mry_same_joints(&a->skeleton, &b->skeleton))
        return mry_fail(error, MAREY_ERR_SHAPE, b->name,
                        "its joints are not those of %s, so there is no transition", a->name);
    if (!(fabs(b->fps / a->fps - 1) <= 1e-6)) {
        int frame = t->ends.centre[1];
        if (frame < 0 || frame >= b->frames)
            return mry_fail(error, MAREY_ERR_REQUEST, b->name,
                            "frame %d is not in this clip, which has 0-%d", frame, b->frames - 1);
        status = marey_clip_resample(b, a->fps, &t->resampled, error);
        if (status) return status;
        double at = fmin(round(frame * a->fps / b->fps), t->resampled->frames - 1);
        t->ends.clips[1] = t->resampled;
        t->ends.centre[1] = (int)at;
    }
    if (a == b) return MAREY_OK;
    status = marey_clip_refit(t->ends.clips[1], a, &t->refitted, error);
    if (!status) t->ends.clips[1] = t->refitted;
    return status;
}

static marey_status take_plants(transition *t, const marey_contacts *given, double second_fps,
                                marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = t->ends.clips[side];
        t->ends.plants[side] = &t->found[side];
        if (!given) {
            if (side == 1 && clip == t->ends.clips[0]) {
                t->ends.plants[1] = t->ends.plants[0];
            } else if (marey_contacts_find(clip, NULL, &t->found[side])) {
                return mry_fail_memory(error, clip->name);
            }
        } else if (side == 0 || !t->resampled) {
            t->ends.plants[side] = &given[side];
        } else {
            /* Plants that are given count in the frames of the clip that was given. */
            marey_contacts *found = &t->found[side];
            double ratio = clip->fps / second_fps;
            int count = 0;
            found->ctx = t->ctx;
            if (!mry_seam_take_plants(&given[side], 0, INT32_MAX, 0, found))
                return mry_fail_memory(error, clip->name);
            for (int n = 0; n < found->count; n++) {
                marey_contact plant = found->items[n];
                plant.start = (int)fmin(round(plant.start * ratio), clip->frames);
                plant.end = (int)fmin(round(plant.end * ratio), clip->frames);
                if (plant.start < plant.end) found->items[count++] = plant;
            }
            found->count = count;
        }
    }
    return MAREY_OK;
}

static marey_status join(transition *t, marey_error *error)
{
    const marey_clip *a = t->ends.clips[0], *b = t->ends.clips[1];
    const mry_seam *seam = &t->seam;
    int count = 2 * seam->half + 1, behind = b->frames - seam->from[1] - 1;
    int64_t frames = (int64_t)seam->from[0] + count + behind;
    if (frames > MRY_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, a->name, "the made clip would have %lld frames",
                        (long long)frames);
    marey_clip *made = t->made.clip = mry_clip_make_like(a, (int)frames, a->fps);
    t->made.from_a_end = seam->from[0];
    t->made.from_b_start = seam->from[0] + count;
    marey_contacts *plants = &t->made.contacts;
    plants->ctx = t->ctx;
    if (!made || !mry_marks_carry(a, 0, seam->from[0], 0, made) ||
        !mry_marks_carry(b, seam->from[1] + 1, b->frames, t->made.from_b_start, made) ||
        !mry_seam_take_plants(t->ends.plants[0], 0, seam->from[0], 0, plants) ||
        !mry_seam_take_plants(&seam->plants, 0, count, t->made.from_a_end, plants) ||
        !mry_seam_take_plants(t->ends.plants[1], seam->from[1] + 1, b->frames, t->made.from_b_start,
                              plants))
        return mry_fail_memory(error, a->name);
    mry_seam_sort_plants(plants);
    mry_seam_mend_plants(plants, t->made.from_a_end, t->ends.plants[0], seam->from[0]);
    mry_seam_mend_plants(plants, t->made.from_b_start, t->ends.plants[1], seam->from[1] + 1);
    made->source.frame_time = a->source.frame_time;
    const mry_trunk *body = &seam->body;
    mry_floor here = { 0, 0, 0 };
    for (int f = 0; f < seam->from[0]; f++) mry_seam_copy(body, a, f, here, made, f);
    for (int f = 0; f < count; f++)
        mry_seam_copy(body, seam->frames, f, here, made, t->made.from_a_end + f);
    for (int f = 0; f < behind; f++)
        mry_seam_copy(body, b, seam->from[1] + 1 + f, seam->behind, made, t->made.from_b_start + f);
    return MAREY_OK;
}

marey_status marey_transition_make(marey_ctx *ctx, const marey_clip *a, int frame_a,
                                   const marey_clip *b, int frame_b, const marey_contacts *contacts,
                                   const marey_transition_def *def, marey_made *out,
                                   marey_error *error)
{
    marey_transition_def whole = def ? *def : (marey_transition_def){ 0 };
    transition t = { .ctx = ctx, .def = &whole };
    t.ends = (mry_seam_ends){ .clips = { a, b }, .centre = { frame_a, frame_b } };
    double second_fps = b->fps;
    marey_status status = bring_together(&t, error);
    if (!status) status = take_plants(&t, contacts, second_fps, error);
    if (!status) status = mry_seam_build(ctx, &t.ends, &whole, &t.seam, error);
    if (!status) status = join(&t, error);
    mry_seam_rounds seams = { t.made.from_a_end, t.made.from_b_start, 0, 1 };
    if (!status && !mry_seam_part_plants(t.made.clip, &seams, &t.made.contacts))
        status = mry_fail_memory(error, a->name);
    if (!status && !whole.leave_feet)
        status = mry_seam_clean(&seams, whole.clean, &t.made, NULL, error);
    mry_seam_free(&t.seam);
    marey_clip_free(t.resampled);
    marey_clip_free(t.refitted);
    for (int side = 0; side < 2; side++) marey_contacts_free(&t.found[side]);
    if (status) {
        marey_made_free(&t.made);
        return status;
    }
    *out = t.made;
    return MAREY_OK;
}
