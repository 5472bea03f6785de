/* loop.c - a stretch of a clip that can be played over and over: the clip's own frames, then a seam (Kovar & Gleicher 2003,
   6.1) that leads from its end back to its beginning.

       clip     from[1] + 1 ...  from[0] - 1 |
       seam                                  | 0 ... 2 half |
       again                                                | from[1] + 1 ..., moved by the seam's `behind`

   Feet are held over the seam and over the end of the loop alike: three rounds are laid behind each other, cleaned, and
   the one in the middle is kept. What a clean-up does to it, it does to the other two in the same way.

   A foot that is never lifted cannot be held while the loop drifts away from under it, be it by a centimetre a round. Then
   the drift is taken out, the same share of it in every frame, and the loop goes on where it is. */
#include "base/fail.h"
#include "blend/cut_search.h"
#include "blend/loop_parts.h"

typedef struct looper {
    marey_ctx *ctx;
    const marey_loop_def *def;
    const marey_clip *clip;
    marey_contacts found;         /* plants of the clip, where none were given */
    const marey_contacts *plants; /* theirs or those */
    mry_seam seam;
    int own;           /* frames of the clip itself */
    int count;         /* of one round */
    int rounds;        /* that are made: an odd number */
    mry_floor onwards; /* how the next round is moved */
    marey_made made;
} looper;

/* ---- the seam --------------------------------------------------------------------------------------------- */

static marey_status check(const looper *l, const marey_loop *loop, marey_error *error)
{
    enum { LEAST = 3 }; /* the shortest seam */
    const marey_clip *clip = l->clip;
    if (loop->start < 0 || loop->start >= clip->frames || loop->end >= clip->frames ||
        loop->end < loop->start + LEAST)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "from frame %d to frame %d there is no loop: this clip has 0-%d, and a "
                        "loop %d frames or more",
                        loop->start, loop->end, clip->frames - 1, LEAST);
    for (int m = 0; m < clip->mark_count; m++) {
        if (clip->marks[m].start <= loop->end && clip->marks[m].end > loop->start)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "frames %d-%d are no captured motion and cannot be part of a loop",
                            clip->marks[m].start, clip->marks[m].end - 1);
    }
    return MAREY_OK;
}

/* It must not begin before it has ended. */
static marey_status build_seam(looper *l, const marey_loop *loop, marey_error *error)
{
    mry_seam_ends ends = { .clips = { l->clip, l->clip },
                           .centre = { loop->end, loop->start },
                           .plants = { l->plants, l->plants } };
    marey_transition_def def = { .metric = l->def->metric,
                                 .half = l->def->half,
                                 .slope = l->def->slope };
    int most = (loop->end - loop->start - 1) / 2;
    marey_status wrong = mry_cut_half(l->clip, def.half, &def.half, error);
    if (wrong) return wrong;
    if (def.half > most) def.half = most;
    while (def.half > 0) {
        marey_status status = mry_seam_build(l->ctx, &ends, &def, &l->seam, error);
        if (status) return status;
        if (l->seam.from[1] < l->seam.from[0]) return MAREY_OK;
        mry_seam_free(&l->seam);
        if (def.half > 1) {
            def.half -= def.half > 16 ? def.half / 8 : 1;
        } else if (def.method == MAREY_BLEND_REGISTERED) {
            def.method = MAREY_BLEND_UNTIMED; /* of three frames there is none to warp */
        } else {
            break;
        }
    }
    return mry_fail(error, MAREY_ERR_REQUEST, l->clip->name,
                    "between frames %d and %d there is no room for a loop", loop->start, loop->end);
}

/* ---- rounds ----------------------------------------------------------------------------------------------- */

static void copy_round(looper *l, int round, mry_floor by)
{
    const mry_seam *seam = &l->seam;
    marey_clip *made = l->made.clip;
    int at = round * l->count;
    for (int n = 0; n < l->count; n++, at++) {
        if (n < l->own) {
            mry_seam_copy(&seam->body, l->clip, seam->from[1] + 1 + n, by, made, at);
        } else {
            mry_seam_copy(&seam->body, seam->frames, n - l->own, by, made, at);
        }
    }
}

static mry_seam_rounds seams_of(const looper *l)
{
    return (mry_seam_rounds){ l->own, l->count, l->count, l->rounds };
}

/* The round in the middle stands where the clip does. */
static marey_status make_rounds(looper *l, marey_error *error)
{
    const mry_seam *seam = &l->seam;
    l->own = seam->from[0] - seam->from[1] - 1;
    l->count = l->own + 2 * seam->half + 1;
    l->rounds = l->def->leave_feet ? 1 : 3;
    int64_t frames = (int64_t)l->count * l->rounds;
    if (frames > MRY_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, l->clip->name, "a loop of %d frames is too long",
                        l->count);
    l->made.clip = mry_clip_make_like(l->clip, (int)frames, l->clip->fps);
    l->made.contacts.ctx = l->ctx;
    bool room = l->made.clip != NULL;
    for (int r = 0; r < l->rounds && room; r++) {
        int from_middle = r - l->rounds / 2, first = r * l->count;
        mry_floor by = { 0, 0, 0 };
        if (from_middle < 0) by = mry_floor_back(seam->behind);
        if (from_middle > 0) by = seam->behind;
        copy_round(l, r, by);
        room = mry_seam_take_plants(l->plants, seam->from[1] + 1, seam->from[0], first,
                                    &l->made.contacts) &&
               mry_seam_take_plants(&seam->plants, 0, 2 * seam->half + 1, first + l->own,
                                    &l->made.contacts);
    }
    if (!room) return mry_fail_memory(error, l->clip->name);
    l->made.clip->source.frame_time = l->clip->source.frame_time;
    mry_seam_sort_plants(&l->made.contacts);
    for (int r = 0; r < l->rounds; r++) {
        mry_seam_mend_plants(&l->made.contacts, r * l->count, l->plants, seam->from[1] + 1);
        mry_seam_mend_plants(&l->made.contacts, r * l->count + l->own, l->plants, seam->from[0]);
    }
    mry_seam_rounds seams = seams_of(l);
    return mry_seam_part_plants(l->made.clip, &seams, &l->made.contacts)
               ? MAREY_OK
               : mry_fail_memory(error, l->clip->name);
}

static bool never_lifts_a_foot(const looper *l)
{
    const marey_contacts *plants = &l->made.contacts;
    for (int n = 0; n < plants->count; n++) {
        if (plants->items[n].start == 0 && plants->items[n].end == l->made.clip->frames)
            return true;
    }
    return false;
}

static void take_drift_out(looper *l)
{
    marey_clip *made = l->made.clip;
    for (int at = 0; at < made->frames; at++) {
        int from_middle = at / l->count - l->rounds / 2;
        mry_floor share = mry_loop_share(l->onwards, (double)(at % l->count) / l->count);
        mry_floor by = mry_floor_back(share);
        if (from_middle < 0) by = mry_floor_times(by, l->onwards);
        if (from_middle > 0) by = mry_floor_times(by, mry_floor_back(l->onwards));
        mry_pose_move(&l->seam.body, by, mry_place(made, at), mry_turn(made, at));
    }
    l->onwards = (mry_floor){ 0, 0, 0 };
}

static marey_status clean(looper *l, marey_error *error)
{
    marey_contacts held = { .ctx = l->ctx };
    marey_clip *fresh = NULL;
    int ease = mry_seam_ease(l->def->clean, l->clip->fps);
    mry_seam_rounds seams = seams_of(l);
    bool room = mry_seam_held_plants(&l->made.contacts, &seams, ease, &held);
    if (never_lifts_a_foot(l)) take_drift_out(l);
    if (room && held.count == 0) return MAREY_OK;
    marey_status status = room ? marey_clip_clean(l->made.clip, held.items, held.count,
                                                  l->def->clean, &fresh, &l->made.clean, error)
                               : mry_fail_memory(error, l->clip->name);
    marey_contacts_free(&held);
    if (status) return status;
    marey_clip_free(l->made.clip);
    l->made.clip = fresh;
    return MAREY_OK;
}

static marey_status keep_middle(looper *l, marey_error *error)
{
    marey_contacts plants = { .ctx = l->ctx };
    marey_clip *middle = mry_clip_make_like(l->made.clip, l->count, l->clip->fps);
    int first = l->rounds / 2 * l->count;
    if (!middle || !mry_seam_take_plants(&l->made.contacts, first, first + l->count, 0, &plants)) {
        marey_clip_free(middle);
        marey_contacts_free(&plants);
        return mry_fail_memory(error, l->clip->name);
    }
    mry_floor here = { 0, 0, 0 };
    for (int f = 0; f < l->count; f++)
        mry_seam_copy(&l->seam.body, l->made.clip, first + f, here, middle, f);
    middle->source.frame_time = l->made.clip->source.frame_time;
    marey_clip_free(l->made.clip);
    marey_contacts_free(&l->made.contacts);
    l->made.clip = middle;
    l->made.contacts = plants;
    return MAREY_OK;
}

/* ---- the loop --------------------------------------------------------------------------------------------- */

static marey_status make(looper *l, marey_loop *loop, marey_error *error)
{
    marey_status status = check(l, loop, error);
    if (!status && !l->plants) {
        l->plants = &l->found;
        status = marey_contacts_find(l->clip, NULL, &l->found);
        if (status) return mry_fail_memory(error, l->clip->name);
    }
    if (!status) status = build_seam(l, loop, error);
    if (!status) status = make_rounds(l, error);
    if (!status) l->onwards = l->seam.behind;
    if (!status && !l->def->leave_feet) status = clean(l, error);
    if (!status) status = keep_middle(l, error);
    if (status) return status;
    l->made.from_a_end = l->own;
    l->made.from_b_start = l->count;
    if (l->def->in_place) {
        if (!mry_loop_stay(l->made.clip, &l->seam.body, l->onwards))
            return mry_fail_memory(error, l->clip->name);
        l->onwards = (mry_floor){ 0, 0, 0 };
    }
    double ratio;
    if (!mry_loop_judge(l->made.clip, l->onwards, &ratio))
        return mry_fail_memory(error, l->clip->name);
    loop->seam_ratio = ratio;
    return MAREY_OK;
}

marey_status marey_loop_make(marey_ctx *ctx, const marey_clip *clip, const marey_contacts *contacts,
                             const marey_loop_def *def, marey_loop *loop, marey_made *out,
                             marey_error *error)
{
    marey_loop_def whole = def ? *def : (marey_loop_def){ 0 };
    looper l = { .ctx = ctx, .def = &whole, .clip = clip, .plants = contacts };
    marey_status status = make(&l, loop, error);
    mry_seam_free(&l.seam);
    marey_contacts_free(&l.found);
    if (status) {
        marey_made_free(&l.made);
        return status;
    }
    *out = l.made;
    return MAREY_OK;
}
