/* clean.c - the clean-up of plants, of feet and hands: where each is to stay, what that asks of
   every frame, and the order of the steps. Kovar, Schreiner & Gleicher, "Footskate Cleanup for
   Motion Capture Editing", 2002. */
#include "blend/clean.h"
#include "base/fail.h"
#include "motion/quantile.h"

#include <string.h>

/* ---- a place for every plant (3.1) ----------------------------------------------------------- */

/* Alone, a plant stays where its point is on average, at its median height. Plants of one foot that
   overlap, or follow each other sooner than a correction eases out, are chosen together: what the
   foot is moved by should not change from one to the next faster than need be. With p_i a place,
   m_i its mean, n_i its frames, c the plant before it (its carrier) and x the motion, the sum of

       n_i / ease^2 |p_i - m_i|^2   +   1 / gap |(p_i - x_i) - (p_c - x_c)|^2

   is made least; x_i and x_c are taken at both ends of the gap, or over the time that both are
   planted. Each plant has one carrier, so the plants are a forest, and its leaves can be eliminated
   one by one. Last, a heel and a toe that are planted at once are put as far from each other as the
   foot is long. */

/* The plant i in its sum. */
typedef struct term {
    int carrier;         /* -1: none */
    double weight, bind; /* n / ease^2 and what its leaves add; 1 / gap */
    mry_vec mean;        /* m, and what its leaves add */
    mry_vec apart;       /* x_i - x_c */
    double distance;     /* of heel and toe while both are planted; 0: they are not */
} term;

static const double *track_of(const mry_clean *c, const mry_plant *plant)
{
    const mry_clean_leg *leg = &c->legs[plant->leg];
    return plant->is_toe ? leg->toe_at : leg->ankle_at;
}

/* The mean place over unmarked frames; how many those are. */
static int mean_place(const mry_clean *c, const double *track, int start, int end, mry_vec *out)
{
    int count = 0;
    mry_vec sum = { 0, 0, 0 };
    for (int f = start; f < end; f++) {
        if (c->feet.marked[f]) continue;
        sum = mry_vec_add(sum, mry_vec_at(track, f));
        count++;
    }
    if (count) *out = mry_vec_scale(sum, 1.0 / count);
    return count;
}

/* The first or last unmarked place of a plant; there is one. */
static mry_vec end_place(const mry_clean *c, const mry_plant *plant, bool last)
{
    int f = last ? plant->end - 1 : plant->start;
    while (c->feet.marked[f]) f += last ? -1 : 1;
    return mry_vec_at(track_of(c, plant), f);
}

/* Ties plant i to its carrier, if they are close enough. */
static void bind(const mry_clean *c, int i, int carrier, term *t)
{
    const mry_plant *plant = &c->plants[i], *before = &c->plants[carrier];
    int gap = plant->start - (before->end - 1);
    if (gap >= 2 * c->ease) return;
    mry_vec here, there;
    if (gap > 0) {
        here = end_place(c, plant, false);
        there = end_place(c, before, true);
    } else {
        int end = plant->end < before->end ? plant->end : before->end;
        if (!mean_place(c, track_of(c, plant), plant->start, end, &here)) return;
        mean_place(c, track_of(c, before), plant->start, end, &there);
        const mry_clean_leg *leg = &c->legs[plant->leg];
        double sum = 0;
        int count = 0;
        for (int f = plant->start; f < end; f++) {
            if (c->feet.marked[f]) continue;
            sum += mry_vec_length(
                mry_vec_sub(mry_vec_at(leg->toe_at, f), mry_vec_at(leg->ankle_at, f)));
            count++;
        }
        t->distance = count ? sum / count : 0;
    }
    t->carrier = carrier;
    t->bind = gap > 1 ? 1.0 / gap : 1;
    t->apart = mry_vec_sub(here, there);
}

/* Along the floor if the heights allow it: they are where the floor is. */
static mry_vec put_at_distance(mry_vec from, mry_vec at, double distance)
{
    mry_vec way = mry_vec_sub(at, from);
    double along = hypot(way.x, way.z), length = mry_vec_length(way);
    double left = distance * distance - way.y * way.y;
    if (left > 0 && along > 1e-3 * distance) {
        double scale = sqrt(left) / along;
        return (mry_vec){ from.x + way.x * scale, at.y, from.z + way.z * scale };
    }
    if (length < 1e-6) return at;
    return mry_vec_add(from, mry_vec_scale(way, distance / length));
}

static bool choose_places(mry_arena *tmp, mry_clean *c)
{
    term *terms = MRY_NEW_RAW(tmp, term, c->plant_count);
    double *values = MRY_NEW_RAW(tmp, double, c->clip->frames);
    if (!terms || !values) return false;
    int carrier = -1;
    for (int i = 0; i < c->plant_count; i++) {
        const mry_plant *plant = &c->plants[i];
        term *t = &terms[i];
        *t = (term){ .carrier = -1 };
        int count = mean_place(c, track_of(c, plant), plant->start, plant->end, &t->mean);
        t->weight = count / ((double)c->ease * c->ease);
        if (carrier >= 0 && c->plants[carrier].leg != plant->leg) carrier = -1;
        if (carrier >= 0) bind(c, i, carrier, t);
        if (carrier < 0 || plant->end > c->plants[carrier].end) carrier = i;
    }

    /* The best p_i for a given p_c makes the two terms of i one square in p_c, which joins c's
       own. */
    for (int i = c->plant_count - 1; i >= 0; i--) {
        const term *t = &terms[i];
        if (t->carrier < 0) continue;
        term *to = &terms[t->carrier];
        double joined = t->weight * t->bind / (t->weight + t->bind), sum = to->weight + joined;
        to->mean = mry_vec_mix(to->mean, mry_vec_sub(t->mean, t->apart), joined / sum);
        to->weight = sum;
    }
    for (int i = 0; i < c->plant_count; i++) {
        const term *t = &terms[i];
        c->plants[i].place = t->mean;
        if (t->carrier < 0) continue;
        mry_vec carried = mry_vec_add(c->plants[t->carrier].place, t->apart);
        c->plants[i].place = mry_vec_mix(t->mean, carried, t->bind / (t->weight + t->bind));
    }

    /* Heights are medians; heel and toe that are planted at once are as far apart as the foot is
       long. */
    for (int i = 0; i < c->plant_count; i++) {
        mry_plant *plant = &c->plants[i];
        const double *track = track_of(c, plant);
        size_t unmarked = 0;
        for (int f = plant->start; f < plant->end; f++) {
            if (!c->feet.marked[f]) values[unmarked++] = mry_vec_at(track, f).y;
        }
        plant->place.y = mry_quantile(values, unmarked, 0.5);
        if (terms[i].distance > 0) {
            plant->place =
                put_at_distance(c->plants[terms[i].carrier].place, plant->place, terms[i].distance);
        }
    }
    return true;
}

/* ---- what the plants ask of each frame (3.2 and 3.5) ----------------------------------------- */

/* A foot is turned only where heel and toe are both planted; a point that is planted alone leaves
   the foot turned as the motion has it, but for what is left of a turn before or after. That is why
   turns are found, and eased, first. */

enum { SOFT_PART = 4 }; /* heights are softened over two such parts of the ease, to both sides */
static const double NOTHING = 1e-9; /* cm; what sums leave */

/* A smaller change leaves even a straight knee where it is; a larger one than the second bends it
   the right way, plant or not. */
static const double LEAST_CHANGE_CM = 0.01, FULL_CHANGE_CM = 0.5;

/* A run of frames in which nothing is known: behind frame `left` and before frame `right`, where
   something is, or which are outside the clip. */
typedef struct gap {
    int left, right;
    bool has_left, has_right;
} gap;

static bool is_known(const mry_clean_leg *leg, bool both, int frame)
{
    return both ? leg->heel_plant[frame] >= 0 && leg->toe_plant[frame] >= 0
                : mry_clean_is_held(leg, frame);
}

/* Known is where a point is held, or both are. Begins behind *g; false: there are no more. */
static bool next_gap(const mry_clean_leg *leg, bool both, int frames, gap *g)
{
    int at = g->right;
    while (at < frames && is_known(leg, both, at)) at++;
    if (at >= frames) return false;
    g->left = at - 1;
    g->has_left = at > 0;
    while (at < frames && !is_known(leg, both, at)) at++;
    g->right = at;
    g->has_right = at < frames;
    return true;
}

/* `width` numbers a frame. Where what was before and what comes next are farther apart than twice
   the ease, one goes before the other comes; else one becomes the other. */
static void fill_gap(const gap *g, int ease, int width, double *track)
{
    size_t wide = (size_t)width;
    int apart = g->right - g->left;
    bool both = g->has_left && g->has_right && apart < 2 * ease;
    double over = both ? apart : ease;
    for (int f = g->left + 1; f < g->right; f++) {
        double before = g->has_left ? 1 - mry_clean_ease((f - g->left) / over) : 0;
        double next = g->has_right ? 1 - mry_clean_ease((g->right - f) / over) : 0;
        for (size_t k = 0; k < wide; k++) {
            double from = g->has_left ? track[(size_t)g->left * wide + k] : 0;
            double to = g->has_right ? track[(size_t)g->right * wide + k] : 0;
            track[(size_t)f * wide + k] = before * from + next * to;
        }
    }
}

/* high, mean: room for a number a frame each. */
static void find_leg_wants(const mry_clean *c, int n, double *high, double *mean)
{
    const mry_clean_leg *leg = &c->legs[n];
    int frames = c->clip->frames, half = c->ease / SOFT_PART;
    /* Which plants hold it. */
    for (int f = 0; f < frames; f++) leg->heel_plant[f] = leg->toe_plant[f] = -1;
    for (int i = 0; i < c->plant_count; i++) {
        const mry_plant *plant = &c->plants[i];
        int *held = plant->is_toe ? leg->toe_plant : leg->heel_plant;
        for (int f = plant->start; f < plant->end && plant->leg == n; f++) {
            if (!c->feet.marked[f]) held[f] = i;
        }
    }
    for (int f = 0; f < frames; f++) {
        if (!is_known(leg, true, f)) continue;
        /* The turn that lays the foot from heel to toe, whatever its roll. */
        mry_vec heel = c->plants[leg->heel_plant[f]].place, turn = { 0, 0, 0 };
        mry_vec want = mry_vec_sub(c->plants[leg->toe_plant[f]].place, heel);
        mry_vec foot = mry_vec_sub(mry_vec_at(leg->toe_at, f), mry_vec_at(leg->ankle_at, f));
        double length = mry_vec_length(foot);
        if (!(length < 1e-6) && !(mry_vec_length(want) < 1e-6)) {
            mry_rot q = mry_rot_between(foot, want);
            turn = (mry_vec){ q.x, q.y, q.z };
            double s = mry_vec_length(turn), angle = 2 * atan2(s, q.w);
            if (s > 0) turn = mry_vec_scale(turn, angle / s);
            if (mry_vec_length(turn) * length < MRY_CLEAN_STILL_CM) turn = (mry_vec){ 0, 0, 0 };
        }
        mry_vec_put(leg->tilt, f, turn);
    }
    for (gap g = { 0 }; next_gap(leg, true, frames, &g);) fill_gap(&g, c->ease, 3, leg->tilt);
    for (int f = 0; f < frames; f++) {
        if (!mry_clean_is_held(leg, f)) continue;
        mry_vec ankle = mry_vec_at(leg->ankle_at, f), goal;
        if (leg->heel_plant[f] >= 0) {
            goal = c->plants[leg->heel_plant[f]].place;
        } else {
            mry_vec foot = mry_vec_sub(mry_vec_at(leg->toe_at, f), ankle);
            foot = mry_rot_apply(mry_clean_rot(mry_vec_at(leg->tilt, f)), foot);
            goal = mry_vec_sub(c->plants[leg->toe_plant[f]].place, foot);
        }
        mry_vec shift = mry_vec_sub(goal, ankle);
        if (mry_vec_length(shift) < MRY_CLEAN_STILL_CM) shift = (mry_vec){ 0, 0, 0 };
        mry_vec_put(leg->shift, f, shift);
        leg->grip[f] = 1;
    }
    for (gap g = { 0 }; next_gap(leg, false, frames, &g);) {
        fill_gap(&g, c->ease, 3, leg->shift);
        /* 1 at plants, 0 an ease away from them, smooth also half way between two. */
        for (int f = g.left + 1; f < g.right; f++) {
            double left = g.has_left ? mry_clean_ease((f - g.left) / (double)c->ease) : 1;
            double right = g.has_right ? mry_clean_ease((g.right - f) / (double)c->ease) : 1;
            leg->grip[f] = 1 - left * right;
        }
    }
    /* A foot that is set down or lifted stops and starts within a frame if its height is held like
       its place on the floor, and the knee with it. So heights come to rest over a few frames;
       slides are a matter of the floor. */
    for (int f = 0; f < frames; f++) high[f] = leg->shift[3 * (size_t)f + 1];
    mry_clean_average(high, frames, 1, half, mean);
    mry_clean_average(mean, frames, 1, half, high);
    for (int f = 0; f < frames; f++) {
        double *y = &leg->shift[3 * (size_t)f + 1];
        *y += leg->grip[f] * (high[f] - *y);
        if (fabs(*y) < NOTHING) *y = 0;
    }
}

static double change_at(const mry_clean *c, int n, int frame)
{
    return mry_vec_length(mry_vec_at(c->legs[n].shift, frame)) +
           mry_vec_length(mry_vec_at(c->root, frame)) * (1 - mry_clean_follow(c, n, frame));
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static const double EASE_S = 0.2, LONGEST_EASE_S = 10;
static const double STRETCH = 0.03, MOST_STRETCH = 0.2;

static bool can_hold(const mry_clean *c, const marey_contact *contact)
{
    int point = (int)contact->joint;
    int n = point < MRY_FOOT_POINTS ? mry_foot_side(point) : MRY_LEGS + point - MRY_FOOT_POINTS;
    const mry_clean_leg *leg = &c->legs[n];
    if (!leg->whole || !c->feet.has[contact->joint]) return false;
    if (mry_foot_is_toe(contact->joint) && !leg->has_toe) return false;
    return memchr(c->feet.marked + contact->start, 0, (size_t)(contact->end - contact->start));
}

/* Heels and toes of a leg, which are sorted each, become one list by start. */
static bool take_plants(mry_arena *tmp, mry_clean *c, const marey_contact *contacts, int count)
{
    c->plants = MRY_NEW_RAW(tmp, mry_plant, count);
    if (!c->plants) return false;
    for (int leg = 0; leg < MRY_LIMBS_HELD; leg++) {
        int at[2] = { 0, 0 };
        for (;;) {
            const marey_contact *next = NULL;
            for (int toe = 0; toe < (leg < MRY_LEGS ? 2 : 1); toe++) {
                int *i = &at[toe];
                int point = leg < MRY_LEGS ? 2 * leg + toe : MRY_FOOT_POINTS + leg - MRY_LEGS;
                while (*i < count &&
                       ((int)contacts[*i].joint != point || !can_hold(c, &contacts[*i])))
                    ++*i;
                if (*i < count && (!next || contacts[*i].start < next->start)) next = &contacts[*i];
            }
            if (!next) break;
            bool is_toe = mry_foot_is_toe(next->joint);
            at[is_toe]++;
            c->plants[c->plant_count++] =
                (mry_plant){ .leg = leg, .is_toe = is_toe, .start = next->start, .end = next->end };
        }
    }
    return true;
}

/* As marey_clip_quality measures it. */
static double largest_drift(const mry_feet *feet, const marey_contact *contacts, int count)
{
    double worst = 0;
    for (int n = 0; n < count; n++) {
        const marey_contact *c = &contacts[n];
        const double *from = NULL;
        for (int f = c->start; f < c->end && feet->has[c->joint]; f++) {
            const double *at = feet->at[c->joint] + 3 * (size_t)f;
            if (feet->marked[f]) continue;
            if (!from) from = at;
            worst = fmax(worst, hypot(at[0] - from[0], at[2] - from[2]));
        }
    }
    return worst;
}

static bool plan(mry_arena *tmp, mry_clean *c, const marey_contact *contacts, int count,
                 const marey_clean_def *def)
{
    const marey_clip *clip = c->clip;
    c->ease = (int)fmax(1, round((def->ease_s > 0 ? def->ease_s : EASE_S) * clip->fps));
    mry_clean_find_legs(clip, c->legs);
    if (!mry_feet_build(tmp, clip, &c->feet) || !mry_clean_pose_legs(tmp, c)) return false;
    c->mover = mry_clean_find_mover(clip, c->legs);
    c->move_root = c->mover >= 0 && !def->keep_root;
    /* Stretch goes by what the file can say, unless it is asked for: then the legs get the channels
       for it. */
    c->stretch = def->stretch != 0 ? fmax(def->stretch, 0) : STRETCH;
    for (int n = 0; n < MRY_LEGS && def->stretch == 0; n++) {
        if (c->legs[n].whole && !mry_clean_leg_moves(clip, &c->legs[n])) c->stretch = 0;
    }
    if (!take_plants(tmp, c, contacts, count)) return false;
    if (c->plant_count == 0) return true;
    bool held[MRY_LIMBS_HELD] = { true, true }; /* arms without plants are left alone */
    for (int i = 0; i < c->plant_count; i++) held[c->plants[i].leg] = true;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) c->legs[n].whole = c->legs[n].whole && held[n];
    double *high = MRY_NEW_RAW(tmp, double, clip->frames);
    double *mean = MRY_NEW_RAW(tmp, double, clip->frames);
    if (!high || !mean || !choose_places(tmp, c)) return false;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        if (c->legs[n].whole) find_leg_wants(c, n, high, mean);
    }
    if (!mry_clean_find_root(tmp, c)) return false;
    /* Their form, once the root is known. */
    int frames = clip->frames;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole) continue;
        for (int f = 0, end; f < frames; f = end + 1) {
            for (end = f; end < frames && mry_clean_is_held(leg, end);) end++;
            /* Of a run of held frames: 1 if anything changes in it. */
            bool changes = false;
            for (int i = f; i < end && !changes; i++)
                changes = change_at(c, n, i) > LEAST_CHANGE_CM;
            for (int i = f; i < end; i++) leg->form[i] = changes;
        }
        for (gap g = { 0 }; next_gap(leg, false, frames, &g);) fill_gap(&g, c->ease, 1, leg->form);
        for (int f = 0; f < frames; f++) {
            leg->form[f] = fmax(leg->form[f], mry_clean_ease(change_at(c, n, f) / FULL_CHANGE_CM));
        }
    }
    return true;
}

static marey_status clean(const marey_clip *clip, const marey_contact *contacts, int count,
                          const marey_clean_def *def, marey_clip **out, marey_clean_result *result,
                          marey_error *error)
{
    mry_clean c = { .clip = clip };
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_clip *made = NULL;
    marey_status status = MAREY_OK;
    bool room = plan(&tmp, &c, contacts, count, def);
    marey_clean_result found = { .plants = c.plant_count, .plants_left = count - c.plant_count };
    if (room)
        found.slide_before_cm = found.slide_after_cm = largest_drift(&c.feet, contacts, count);
    /* The root only follows the feet. */
    bool changes = false;
    for (int n = 0; room && n < MRY_LIMBS_HELD && c.plant_count > 0; n++) {
        const mry_clean_leg *leg = &c.legs[n];
        for (size_t i = 0; leg->whole && i < 3 * (size_t)clip->frames && !changes; i++)
            changes = leg->shift[i] != 0 || leg->tilt[i] != 0;
    }
    if (room && !changes) {
        status = marey_clip_trim(clip, 0, clip->frames, &made, error);
    } else if (room) {
        mry_clean_done done = { 0, 0 };
        mry_feet feet;
        made = mry_clean_copy(&c, c.stretch > 0);
        room = made && mry_clean_write(&tmp, &c, made, &done) && mry_feet_build(&tmp, made, &feet);
        if (room) found.slide_after_cm = largest_drift(&feet, contacts, count);
        found.root_moved_cm = done.root_moved_cm;
        found.stretched = done.stretched;
    }
    if (!room) status = mry_fail_memory(error, clip->name);
    mry_arena_free(&tmp);
    if (status) {
        marey_clip_free(made);
        return status;
    }
    *out = made;
    if (result) *result = found;
    return MAREY_OK;
}

marey_status marey_clip_clean(const marey_clip *clip, const marey_contact *contacts, int count,
                              const marey_clean_def *def, marey_clip **out,
                              marey_clean_result *result, marey_error *error)
{
    marey_clean_def whole = def ? *def : (marey_clean_def){ 0 };
    marey_contacts found = { 0 };
    if (!(whole.ease_s >= 0 && whole.ease_s <= LONGEST_EASE_S))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "ease time must be 0 to %g s, got %g",
                        LONGEST_EASE_S, whole.ease_s);
    if (!(whole.stretch <= MOST_STRETCH))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "leg stretch must be at most %g, got %g", MOST_STRETCH, whole.stretch);
    if (contacts && count < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "plants must be at least 0, got %d",
                        count);
    for (int n = 0; contacts && n < count; n++) {
        const marey_contact *c = &contacts[n];
        if ((int)c->joint < 0 || c->joint >= MAREY_CONTACT_JOINT_COUNT)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "plant %d is of a point %d, which no foot or hand has", n,
                            (int)c->joint);
        if (c->start < 0 || c->start >= c->end || c->end > clip->frames)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "plant %d fills the frames from %d on before %d, but the clip has 0-%d",
                            n, c->start, c->end, clip->frames - 1);
        if (n > 0 && (c->joint < c[-1].joint || (c->joint == c[-1].joint && c->start < c[-1].end)))
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "plants %d and %d overlap or are not in order", n - 1, n);
    }
    if (!contacts) {
        if (marey_contacts_find(clip, NULL, &found)) return mry_fail_memory(error, clip->name);
        contacts = found.items;
        count = found.count;
    }
    marey_status status = clean(clip, contacts, count, &whole, out, result, error);
    marey_contacts_free(&found);
    return status;
}
