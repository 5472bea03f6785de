/* loop.c - stretches of a clip that end as they began, and a loop that can be played over and over:
   the clip's own frames, then a seam (Kovar & Gleicher 2003, 6.1) that leads from its end back to
   its beginning.

       clip     from[1] + 1 ...  from[0] - 1 |
       seam                                  | 0 ... 2 half |
       again                                                | from[1] + 1 ..., moved by the seam's `behind`

   Feet are held over the seam and over the end of the loop alike: three rounds are laid behind each
   other, cleaned, and the one in the middle is kept. What a clean-up does to it, it does to the
   other two in the same way.

   A foot that is never lifted cannot be held while the loop drifts away from under it, be it by a
   centimetre a round. Then the drift is taken out, the same share of it in every frame, and the
   loop goes on where it is. */
#include "base/fail.h"
#include "blend/cut_search.h"
#include "blend/seam.h"
#include "blend/still.h"
#include "feature/feature_data.h"
#include "math/quat.h"
#include "motion/carrier.h"
#include "motion/steps.h"

#include <math.h>

/* A loop that never stands may cost so many times the limit before one that stands is better. */
#define POOR 4.0
/* And one that does not close at all so many times, before one that stands is taken in its place. */
#define OPEN 16.0
/* Of how fast the clip moves where it does: slower, a body sways but does nothing. */
#define USUAL 0.5

/* ---- stretches that end as they began -------------------------------------------------------- */

typedef struct allowed {
    const marey_clip *clip;
    double shortest, longest; /* frames */
    mry_still still;
    double least_step; /* on the mean of all its frames, cm */
    bool moves;        /* in all of them, and as the clip usually does */
} allowed;

/* Frames that are no captured motion are no part of a loop. */
static bool is_loop(const void *user, int start, int end)
{
    const allowed *of = user;
    double length = end - start;
    if (length < of->shortest || length > of->longest) return false;
    double way = of->still.way[end] - of->still.way[start];
    if (way < of->least_step * length) return false;
    if (of->moves && (way < USUAL * of->still.moving_step * length ||
                      mry_still_frames(&of->still, start, end) > 0))
        return false;
    for (int m = 0; m < of->clip->mark_count; m++) {
        if (of->clip->marks[m].start < end && of->clip->marks[m].end > start) return false;
    }
    return true;
}

/* A cycle of motion is what is looked for: one that never stands, even if it closes less well than
   one that does. Where no such loop closes, one that moves on the mean will do; and a clip that does
   a thing once, and has none below the limit, still gets the best there are, those that never stand
   first. */
static const struct {
    bool moves;
    double below; /* the metric's limit, times this; 0: any */
} wishes[] = { { true, 1 }, { true, POOR }, { false, 1 }, { true, OPEN }, { false, 0 } };

enum { WISHES = sizeof wishes / sizeof *wishes };

marey_status marey_loops_find(marey_ctx *ctx, const marey_clip *clip, const marey_loops_def *given,
                              int most, marey_loop *loops, int *found, marey_error *error)
{
    marey_loops_def def = given ? *given : (marey_loops_def){ 0 };
    bool negative = !(def.shortest_s >= 0) || !(def.longest_s >= 0);
    double shortest = def.shortest_s > 0 ? def.shortest_s : 0.5;
    double longest = def.longest_s > 0 ? def.longest_s : INFINITY;
    if (negative || shortest > longest)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "no loop lasts from %g to %g seconds",
                        shortest, longest);
    allowed loop = { .clip = clip,
                     .shortest = shortest * clip->fps - 1e-6,
                     .longest = longest * clip->fps + 1e-6 };
    mry_cut_search search = { .clips = { clip, clip }, .metric = def.metric };
    search.fits = is_loop;
    search.user = &loop;
    marey_status status = mry_cut_half(clip, def.half, &search.half, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    marey_cut *cuts = MRY_NEW_RAW(&tmp, marey_cut, most > 0 ? most : 1);
    int count = 0;
    if (!cuts || !mry_still_find(&tmp, clip, &loop.still))
        status = mry_fail_memory(error, clip->name);
    if (!def.still) loop.least_step = loop.still.least_step;
    double limit = mry_metric_of(search.metric)->thresholds.cut;
    for (int i = 0; i < WISHES && count == 0 && !status; i++) {
        /* A metric without a limit has all below it. */
        if (limit == 0 && wishes[i].below > 0 && i > 0 && wishes[i].moves == wishes[i - 1].moves)
            continue;
        if (def.still && wishes[i].moves) continue;
        search.below = limit * wishes[i].below;
        loop.moves = wishes[i].moves;
        status = mry_cut_search_run(ctx, &search, most, cuts, &count, error);
    }
    for (int n = 0; !status && n < count; n++)
        loops[n] = (marey_loop){ .start = cuts[n].a,
                                 .end = cuts[n].b,
                                 .cost = cuts[n].cost,
                                 .still_s = mry_still_frames(&loop.still, cuts[n].a, cuts[n].b) /
                                            clip->fps };
    if (!status) *found = count;
    mry_arena_free(&tmp);
    return status;
}

/* ---- a loop that stays over one point -------------------------------------------------------- */

/* Played over and over, a loop moves by M every round: a turn about the vertical and a shift. Frame
   t of n is moved back by M^(t/n), the same share of that in every frame, so that the loop ends
   where it began and turned as it began. What is left of the way is closed; a circular mean over
   about a second is taken off it, so that a loop that wanders stays too, while the body's sway
   within a step remains. */

#define SMOOTH_S 0.5 /* sigma */

/* A share of a floor motion: taken 1 / share times in a row it is the whole. Every point goes round
   the one that the motion leaves alone; if it hardly turns, straight on. */
static mry_floor share_of(mry_floor whole, double share)
{
    double angle = remainder(whole.angle, 2 * 3.14159265358979323846);
    double along = fabs(angle) < 1e-9 ? share : sin(angle * share / 2) / sin(angle / 2);
    mry_floor part = { angle * share, whole.x * along, whole.z * along };
    mry_floor_turn(angle * (share - 1) / 2, &part.x, &part.z);
    return part;
}

bool mry_loop_stay(marey_clip *loop, const mry_trunk *body, mry_floor onwards)
{
    int frames = loop->frames;
    mry_arena tmp = mry_arena_make(loop->mem.ctx);
    double *path = MRY_NEW_RAW(&tmp, double, 2 * frames);
    double *smoothed = MRY_NEW_RAW(&tmp, double, 2 * frames);
    /* A Gaussian wound around the loop: weights of frames lead, lead + 1 .. behind a frame. */
    double sigma = SMOOTH_S * loop->fps, sum = 0;
    int reach = (int)ceil(4 * sigma);
    bool meets = reach >= frames / 2; /* itself */
    int lead = meets ? 0 : -reach, count = meets ? frames : 2 * reach + 1;
    double *weights = MRY_NEW(&tmp, double, count);
    bool room = path && smoothed && weights;
    for (int d = -reach; room && d <= reach; d++) {
        double weight = exp(-0.5 * (d / sigma) * (d / sigma));
        weights[meets ? (d % frames + frames) % frames : d + reach] += weight;
        sum += weight;
    }
    for (int n = 0; room && n < count; n++) weights[n] /= sum;
    /* The travel goes; where the pelvis is then is the path that is smoothed. */
    for (int f = 0; room && f < frames; f++) {
        double *places = mry_place(loop, f);
        float *turns = mry_turn(loop, f);
        mry_floor by = mry_floor_back(share_of(onwards, (double)f / frames));
        if (f > 0) mry_pose_move(body, by, places, turns);
        mry_rigid pelvis = mry_pose_pelvis(body, places, turns);
        path[2 * f] = pelvis.shift.x;
        path[2 * f + 1] = pelvis.shift.z;
    }
    for (int f = 0; room && f < frames; f++) {
        double x = 0, z = 0;
        for (int n = 0; n < count; n++) {
            int at = (f + lead + n + frames) % frames;
            x += weights[n] * path[2 * at];
            z += weights[n] * path[2 * at + 1];
        }
        smoothed[2 * f] = x;
        smoothed[2 * f + 1] = z;
    }
    for (int f = 1; room && f < frames; f++) {
        mry_floor by = { 0, smoothed[0] - smoothed[2 * f], smoothed[1] - smoothed[2 * f + 1] };
        mry_pose_move(body, by, mry_place(loop, f), mry_turn(loop, f));
    }
    mry_arena_free(&tmp);
    return room;
}

/* ---- how far joints jump where it begins again ----------------------------------------------- */

static double largest_step(const double *before, const double *after, int first, int joints)
{
    double largest = 0;
    for (int j = first; j < joints; j++)
        largest = fmax(largest, mry_distance3(before + 3 * j, after + 3 * j));
    return largest;
}

/* The largest step of a joint from the last frame to the first, which is moved by `onwards`, over
   the largest sound step inside. false: out of memory. */
static bool judge_seam(const marey_clip *loop, mry_floor onwards, double *ratio)
{
    const mry_carrier carrier = mry_carrier_find(&loop, 1);
    int joints = loop->skeleton.joint_count, first = mry_carrier_first(&carrier);
    mry_arena tmp = mry_arena_make(loop->mem.ctx);
    double *poses = MRY_NEW_RAW(&tmp, double, 6 * (size_t)joints);
    double *inside = MRY_NEW(&tmp, double, loop->frames);
    if (!poses || !inside) {
        mry_arena_free(&tmp);
        return false;
    }
    double *even = poses, *odd = poses + 3 * joints;
    marey_clip_positions(loop, 0, 1, even);
    for (int f = 1; f < loop->frames; f++) {
        double *here = f % 2 ? odd : even, *last = f % 2 ? even : odd;
        marey_clip_positions(loop, f, 1, here);
        inside[f - 1] = largest_step(last, here, first, joints);
    }
    double *end = loop->frames % 2 ? even : odd, *start = loop->frames % 2 ? odd : even;
    marey_clip_positions(loop, 0, 1, start);
    for (int j = 0; j < joints; j++) mry_floor_apply(onwards, &start[3 * j], &start[3 * j + 2]);
    *ratio = largest_step(end, start, first, joints) /
             fmax(mry_sound_peak(inside, loop->frames - 1, loop->fps), 0.001);
    mry_arena_free(&tmp);
    return true;
}

/* ---- the seam -------------------------------------------------------------------------------- */

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
                            "a loop must have captured frames only, and frames %d-%d are not",
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
        for (int n = 0; n < l->count; n++) {
            bool own = n < l->own;
            mry_seam_copy(&seam->body, own ? l->clip : seam->frames,
                          own ? seam->from[1] + 1 + n : n - l->own, by, l->made.clip, first + n);
        }
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
    mry_seam_rounds seams = { l->own, l->count, l->count, l->rounds };
    return mry_seam_part_plants(l->made.clip, &seams, &l->made.contacts)
               ? MAREY_OK
               : mry_fail_memory(error, l->clip->name);
}

static marey_status make(looper *l, marey_loop *loop, marey_error *error)
{
    marey_status status = check(l, loop, error);
    if (status) return status;
    if (!l->plants) {
        l->plants = &l->found;
        if (marey_contacts_find(l->clip, NULL, &l->found))
            return mry_fail_memory(error, l->clip->name);
    }
    status = build_seam(l, loop, error);
    if (!status) status = make_rounds(l, error);
    if (status) return status;
    l->onwards = l->seam.behind;
    if (!l->def->leave_feet) {
        bool never_lifted = false; /* a foot that is planted all the time */
        for (int n = 0; n < l->made.contacts.count; n++) {
            const marey_contact *plant = &l->made.contacts.items[n];
            never_lifted |= plant->start == 0 && plant->end == l->made.clip->frames;
        }
        if (never_lifted) {
            marey_clip *made = l->made.clip;
            for (int at = 0; at < made->frames; at++) {
                int from_middle = at / l->count - l->rounds / 2;
                mry_floor share = share_of(l->onwards, (double)(at % l->count) / l->count);
                mry_floor by = mry_floor_back(share);
                if (from_middle < 0) by = mry_floor_times(by, l->onwards);
                if (from_middle > 0) by = mry_floor_times(by, mry_floor_back(l->onwards));
                mry_pose_move(&l->seam.body, by, mry_place(made, at), mry_turn(made, at));
            }
            l->onwards = (mry_floor){ 0, 0, 0 };
        }
        mry_seam_rounds seams = { l->own, l->count, l->count, l->rounds };
        status = mry_seam_clean(&seams, l->def->clean, &l->made, l->clip->name, error);
        if (status) return status;
    }
    /* Only the round in the middle is kept. */
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
    l->made.from_a_end = l->own;
    l->made.from_b_start = l->count;
    if (l->def->in_place) {
        if (!mry_loop_stay(middle, &l->seam.body, l->onwards))
            return mry_fail_memory(error, l->clip->name);
        l->onwards = (mry_floor){ 0, 0, 0 };
    }
    double ratio;
    if (!judge_seam(middle, l->onwards, &ratio)) return mry_fail_memory(error, l->clip->name);
    loop->seam_ratio = ratio;
    return MAREY_OK;
}

marey_status marey_loop_make(marey_ctx *ctx, const marey_clip *clip, const marey_contacts *contacts,
                             const marey_loop_def *def, marey_loop *loop, marey_made *out,
                             marey_error *error)
{
    marey_loop_def whole = def ? *def : (marey_loop_def){ 0 };
    looper l = { .ctx = ctx, .def = &whole, .clip = clip, .plants = contacts };
    mry_arena tmp = mry_arena_make(ctx);
    mry_still still;
    marey_status status = make(&l, loop, error);
    if (!status && !mry_still_find(&tmp, clip, &still)) status = mry_fail_memory(error, clip->name);
    if (!status) loop->still_s = mry_still_frames(&still, loop->start, loop->end) / clip->fps;
    mry_arena_free(&tmp);
    mry_seam_free(&l.seam);
    marey_contacts_free(&l.found);
    if (status) {
        marey_made_free(&l.made);
        return status;
    }
    *out = l.made;
    return MAREY_OK;
}
