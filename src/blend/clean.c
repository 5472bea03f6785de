/* clean.c - foot clean-up: the order of its steps, what it refuses, and what it says of its work.
   Kovar, Schreiner & Gleicher, "Footskate Cleanup for Motion Capture Editing", 2002. */
#include "blend/clean.h"
#include "base/fail.h"

#include <string.h>

static const double EASE_S = 0.2, LONGEST_EASE_S = 10;
static const double STRETCH = 0.03, MOST_STRETCH = 0.2;

/* ---- what is asked ------------------------------------------------------------------------------------ */

static marey_status check_def(const char *name, const marey_clean_def *def, marey_error *error)
{
    if (!(def->ease_s >= 0 && def->ease_s <= LONGEST_EASE_S))
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "corrections ease in over 0 to %g seconds, not %g", LONGEST_EASE_S,
                        def->ease_s);
    if (!(def->stretch <= MOST_STRETCH))
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "legs get longer by a share of at most %g, not %g", MOST_STRETCH,
                        def->stretch);
    return MAREY_OK;
}

static marey_status check_contacts(const marey_clip *clip, const marey_contact *contacts, int count,
                                   marey_error *error)
{
    if (count < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "there cannot be %d plants", count);
    for (int n = 0; n < count; n++) {
        const marey_contact *c = &contacts[n];
        if ((int)c->joint < 0 || c->joint >= MAREY_CONTACT_JOINT_COUNT)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "plant %d is of a point %d, which no foot has", n, (int)c->joint);
        if (c->start < 0 || c->start >= c->end || c->end > clip->frames)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "plant %d fills the frames from %d on before %d, but the clip has 0-%d",
                            n, c->start, c->end, clip->frames - 1);
        if (n > 0 && (c->joint < c[-1].joint || (c->joint == c[-1].joint && c->start < c[-1].end)))
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "plants %d and %d overlap or are not in order", n - 1, n);
    }
    return MAREY_OK;
}

/* ---- plants ---------------------------------------------------------------------------------------------- */

static bool can_hold(const mry_clean *c, const marey_contact *contact)
{
    const mry_clean_leg *leg = &c->legs[mry_foot_side(contact->joint)];
    if (!leg->whole || !c->feet.has[contact->joint]) return false;
    if (mry_foot_is_toe(contact->joint) && !leg->has_toe) return false;
    return memchr(c->feet.marked + contact->start, 0, (size_t)(contact->end - contact->start));
}

/* Heels and toes of a leg, which are sorted each, become one list by start. */
static bool take_plants(mry_arena *tmp, mry_clean *c, const marey_contact *contacts, int count)
{
    c->plants = MRY_NEW_RAW(tmp, mry_plant, count);
    if (!c->plants) return false;
    for (int leg = 0; leg < MRY_LEGS; leg++) {
        int at[2] = { 0, 0 };
        for (;;) {
            const marey_contact *next = NULL;
            for (int toe = 0; toe < 2; toe++) {
                int *i = &at[toe], point = 2 * leg + toe;
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

/* ---- the steps ---------------------------------------------------------------------------------------------- */

/* Stretch goes by what the file can say, unless it is asked for: then the legs get the channels for it. */
static double choose_stretch(const mry_clean *c, const marey_clean_def *def)
{
    if (def->stretch != 0) return fmax(def->stretch, 0);
    for (int n = 0; n < MRY_LEGS; n++) {
        if (c->legs[n].whole && !mry_clean_leg_moves(c->clip, &c->legs[n])) return 0;
    }
    return STRETCH;
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
    c->stretch = choose_stretch(c, def);
    if (!take_plants(tmp, c, contacts, count)) return false;
    if (c->plant_count == 0) return true;
    if (!mry_clean_choose_places(tmp, c) || !mry_clean_find_wants(tmp, c) ||
        !mry_clean_find_root(tmp, c))
        return false;
    mry_clean_find_forms(c);
    return true;
}

static bool is_track_zero(const double *track, int frames)
{
    for (size_t i = 0; i < 3 * (size_t)frames; i++) {
        if (track[i] != 0) return false;
    }
    return true;
}

static bool changes_nothing(const mry_clean *c)
{
    for (int n = 0; n < MRY_LEGS && c->plant_count > 0; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (leg->whole && !(is_track_zero(leg->shift, c->clip->frames) &&
                            is_track_zero(leg->tilt, c->clip->frames)))
            return false;
    }
    return true; /* the root only follows the feet */
}

static marey_status make(mry_arena *tmp, const mry_clean *c, const marey_contact *contacts,
                         int count, marey_clip **made, marey_clean_result *result,
                         marey_error *error)
{
    mry_clean_done done = { 0, 0 };
    *result =
        (marey_clean_result){ .plants = c->plant_count, .plants_left = count - c->plant_count };
    result->slide_before_cm = result->slide_after_cm = largest_drift(&c->feet, contacts, count);
    if (changes_nothing(c)) return marey_clip_trim(c->clip, 0, c->clip->frames, made, error);
    mry_feet feet;
    *made = mry_clean_copy(c, c->stretch > 0);
    if (!*made || !mry_clean_write(tmp, c, *made, &done) || !mry_feet_build(tmp, *made, &feet))
        return mry_fail_memory(error, c->clip->name);
    result->slide_after_cm = largest_drift(&feet, contacts, count);
    result->root_moved_cm = done.root_moved_cm;
    result->stretched = done.stretched;
    return MAREY_OK;
}

static marey_status clean(const marey_clip *clip, const marey_contact *contacts, int count,
                          const marey_clean_def *def, marey_clip **out, marey_clean_result *result,
                          marey_error *error)
{
    mry_clean c = { .clip = clip };
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_clip *made = NULL;
    marey_clean_result found;
    marey_status status = plan(&tmp, &c, contacts, count, def)
                              ? make(&tmp, &c, contacts, count, &made, &found, error)
                              : mry_fail_memory(error, clip->name);
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
    marey_status status = check_def(clip->name, &whole, error);
    if (status) return status;
    if (contacts) {
        status = check_contacts(clip, contacts, count, error);
    } else {
        if (marey_contacts_find(clip, NULL, &found)) return mry_fail_memory(error, clip->name);
        contacts = found.items;
        count = found.count;
    }
    if (!status) status = clean(clip, contacts, count, &whole, out, result, error);
    marey_contacts_free(&found);
    return status;
}
