/* clip_make.c - a clip from arrays. Its joints keep the rules that every stage relies on
   (clip_check.c); what is said here is what arrays can have wrong besides: what is missing, what
   does not fit together, and where. Counts are checked before an array is read by them. */
#include "base/fail.h"
#include "motion/axes.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 255 };

/* So far may a rotation's length be from 1: what a network or a mean of two gives. A length within
   UNIT of 1 is rounding, and such a rotation is kept as it is, so that a clip's own arrays make the
   same clip. */
static const double NEAR_UNIT = 0.01, UNIT = 1e-6;

/* ---- what is given --------------------------------------------------------------------------- */

static marey_status check_counts(const marey_clip_make_def *def, const char *name,
                                 marey_error *error)
{
    const struct {
        const char *text;
        int got, most;
    } counts[] = { { "joints", def->joint_count, MRY_MOST_JOINTS },
                   { "frames", def->frames, MRY_MOST_FRAMES } };
    for (int i = 0; i < 2; i++) {
        if (counts[i].got < 1)
            return mry_fail(error, MAREY_ERR_REQUEST, name, "%s must be 1 to %d, got %d",
                            counts[i].text, counts[i].most, counts[i].got);
        if (counts[i].got > counts[i].most)
            return mry_fail(error, MAREY_ERR_LIMIT, name, "%s must be at most %d, got %d",
                            counts[i].text, counts[i].most, counts[i].got);
    }
    if (!(def->fps >= MRY_LEAST_FPS && def->fps <= MRY_MOST_FPS))
        return mry_fail(error, MAREY_ERR_REQUEST, name, "rate must be %g to %d Hz, got %g",
                        MRY_LEAST_FPS, MRY_MOST_FPS, def->fps);
    return MAREY_OK;
}

/* Is every array there that must be, and none that does not go with another? */
static marey_status check_arrays(const marey_clip_make_def *def, const char *name,
                                 marey_error *error)
{
    const char *missing = !def->names        ? "names"
                          : !def->parents    ? "parents"
                          : !def->offsets_cm ? "offsets_cm"
                          : !def->rotations  ? "rotations"
                                             : NULL;
    if (missing)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "%s must be given, got NULL", missing);
    if (!def->ends_cm != !def->has_end)
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "ends_cm and has_end must be given together, got %s alone",
                        def->ends_cm ? "ends_cm" : "has_end");
    bool moves = def->mover_count != 0 || def->movers || def->places_cm;
    if (def->root_cm ? moves : !moves)
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "either root_cm or movers and places_cm must be given, got %s",
                        moves ? "both" : "none");
    if (moves && (!def->movers || !def->places_cm))
        return mry_fail(error, MAREY_ERR_REQUEST, name, "%s must be given, got NULL",
                        def->movers ? "places_cm" : "movers");
    if (moves && (def->mover_count < 1 || def->mover_count > def->joint_count))
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "joints that move must be 1 to %d, as there are joints, got %d",
                        def->joint_count, def->mover_count);
    if ((unsigned)def->units >= MAREY_UNITS_COUNT || (unsigned)def->up > MAREY_UP_Z)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "units and up must be known, got %d and %d",
                        (int)def->units, (int)def->up);
    if (def->units == MAREY_UNITS_RAW && def->up == MAREY_UP_Z)
        return mry_fail(error, MAREY_ERR_REQUEST, name, "raw units must have y up, got z");
    return MAREY_OK;
}

/* ---- the skeleton ---------------------------------------------------------------------------- */

/* "joint 3 (LeftFoot)" */
static const char *joint_text(const marey_clip *clip, int j, char *text, size_t room)
{
    char name[64];
    mry_quote(name, sizeof name, clip->joints[j].name, strlen(clip->joints[j].name));
    snprintf(text, room, "joint %d (%s)", j, name);
    return text;
}

static marey_status fail_parent(const marey_clip *clip, int j, marey_error *error)
{
    char text[96];
    int parent = clip->joints[j].parent;
    joint_text(clip, j, text, sizeof text);
    if (j == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "%s: the first joint must be the root, with parent -1, got %d", text,
                        parent);
    if (parent < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "%s: only joint 0 must be a root; its parent must be a joint, got %d", text,
                        parent);
    return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                    "%s: joints must be in depth-first order: its parent must be joint %d or an "
                    "ancestor of that, got %d",
                    text, j - 1, parent);
}

static marey_status fill_movers(marey_clip *clip, const marey_clip_make_def *def,
                                marey_error *error)
{
    for (int j = 0; j < def->joint_count; j++) clip->slot[j] = j == 0 ? 0 : -1;
    for (int m = 0, before = -1; m < def->mover_count; m++) {
        int joint = def->movers[m];
        if (m == 0 && joint != 0)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "the first of the joints that move must be the root, 0, got %d", joint);
        if (joint <= before || joint >= def->joint_count)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "joints that move must rise and be less than %d, got %d after %d",
                            def->joint_count, joint, before);
        clip->slot[joint] = 0;
        before = joint;
    }
    clip->skeleton.channel_count = mry_channels_plain(clip, clip->joints);
    return mry_clip_find_movers(clip) ? MAREY_OK : mry_fail_memory(error, clip->name);
}

/* Names, parents, offsets and tips; then channels by which of them move. */
static marey_status fill_skeleton(marey_clip *clip, const marey_clip_make_def *def,
                                  marey_error *error)
{
    for (int j = 0; j < def->joint_count; j++) {
        marey_joint *joint = &clip->joints[j];
        if (!def->names[j])
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "joint %d: its name must be given, got NULL", j);
        /* One byte more than there may be is enough to tell that there are too many. */
        joint->name = mry_arena_text(&clip->mem, def->names[j],
                                     strnlen(def->names[j], MRY_LONGEST_JOINT_NAME + 1));
        if (!joint->name) return mry_fail_memory(error, clip->name);
        joint->parent = def->parents[j];
        if (!mry_joint_is_depth_first(clip, j)) return fail_parent(clip, j, error);
        joint->has_end = def->has_end && def->has_end[j];
        size_t at = 3 * (size_t)j, vector = 3 * sizeof(double);
        memcpy(joint->offset_cm, def->offsets_cm + at, vector);
        if (joint->has_end) memcpy(joint->end_cm, def->ends_cm + at, vector);
        mry_vector_to_file(clip->up, joint->offset_cm, clip->source.offsets + at);
        mry_vector_to_file(clip->up, joint->end_cm, clip->source.ends + at);
        for (size_t i = at; i < at + 3; i++) {
            clip->source.offsets[i] /= marey_units_cm(clip->units);
            clip->source.ends[i] /= marey_units_cm(clip->units);
        }
    }
    marey_status status = fill_movers(clip, def, error);
    for (int j = 0, channels = 0; j < def->joint_count && !status; j++) {
        char text[96];
        const char *fault = mry_joint_find_fault(clip, j, channels);
        if (fault)
            status = mry_fail(error, MAREY_ERR_REQUEST, clip->name, "%s: %s",
                              joint_text(clip, j, text, sizeof text), fault);
        channels += clip->joints[j].channel_count;
    }
    return status;
}

static marey_status fill_roles(marey_clip *clip, const int *given, marey_error *error)
{
    if (!given) return mry_roles_find(clip) ? MAREY_OK : mry_fail_memory(error, clip->name);
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = given[role];
        if (joint < -1 || joint >= clip->skeleton.joint_count)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "role %s must be a joint or -1, got %d", marey_role_name(role), joint);
        for (int other = 0; other < role && joint >= 0; other++) {
            char text[96];
            if (given[other] == joint)
                return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                                "%s must have one role, got %s and %s",
                                joint_text(clip, joint, text, sizeof text), marey_role_name(other),
                                marey_role_name(role));
        }
        clip->skeleton.roles[role] = joint;
    }
    clip->skeleton.roles_from = "given";
    return MAREY_OK;
}

/* ---- the motion ------------------------------------------------------------------------------ */

static marey_status fail_number(const marey_clip *clip, int frame, int j, const char *rule,
                                double got, marey_error *error)
{
    char text[96];
    return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "frame %d, %s: %s, got %g", frame,
                    joint_text(clip, j, text, sizeof text), rule, got);
}

static marey_status fill_tracks(marey_clip *clip, const marey_clip_make_def *def,
                                marey_error *error)
{
    size_t turns = 4 * (size_t)def->joint_count, places = 3 * (size_t)clip->mover_count;
    const double *given = def->root_cm ? def->root_cm : def->places_cm;
    const double most_cm = mry_clip_most_cm(clip);
    for (int f = 0; f < def->frames; f++) {
        const float *from = def->rotations + (size_t)f * turns;
        float *turn = mry_turn(clip, f);
        for (int j = 0; j < def->joint_count; j++, from += 4, turn += 4) {
            double w = from[0], x = from[1], y = from[2], z = from[3];
            double length = sqrt(w * w + x * x + y * y + z * z), off = fabs(length - 1);
            if (!(off <= NEAR_UNIT))
                return fail_number(clip, f, j,
                                   "its rotation must be a unit quaternion, of length 1", length,
                                   error);
            for (int i = 0; i < 4; i++)
                turn[i] = off <= UNIT ? from[i] : (float)((double)from[i] / length);
        }
        double *place = mry_place(clip, f);
        memcpy(place, given + (size_t)f * places, places * sizeof *place);
        for (size_t i = 0; i < places; i++) {
            if (!(fabs(place[i]) <= most_cm))
                return fail_number(clip, f, clip->mover[i / 3],
                                   "its position must be finite and at most 1e9 units", place[i],
                                   error);
        }
    }
    return MAREY_OK;
}

static marey_status fill_marks(marey_clip *clip, const marey_clip_make_def *def, marey_error *error)
{
    if (def->mark_count < 0 || (def->mark_count > 0 && !def->marks))
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "marks must be given, as many as mark_count, got %d", def->mark_count);
    for (int i = 0, after = 0; i < def->mark_count; i++) {
        const marey_mark *mark = &def->marks[i];
        if ((unsigned)mark->kind >= MAREY_MARK_COUNT || mark->start < after ||
            mark->end <= mark->start || mark->end > clip->frames)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "mark %d must be of a known kind and inside frames %d to %d, got kind "
                            "%d, %d to %d",
                            i, after, clip->frames, (int)mark->kind, mark->start, mark->end);
        if (!mry_clip_add_mark(clip, mark->kind, mark->start, mark->end))
            return mry_fail_memory(error, clip->name);
        after = mark->end;
    }
    return MAREY_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

marey_status marey_clip_make(marey_ctx *ctx, const marey_clip_make_def *def, marey_clip **out,
                             marey_error *error)
{
    char name[LONGEST_NAME + 2] = "clip";
    if (def->name) snprintf(name, sizeof name, "%s", def->name);
    if (strlen(name) < 1 || strlen(name) > LONGEST_NAME || strpbrk(name, "\r\n"))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a clip's name must be 1 to %d bytes in one line", LONGEST_NAME);
    marey_status status = check_counts(def, name, error);
    if (!status) status = check_arrays(def, name, error);
    if (status) return status;
    marey_clip *clip = mry_clip_make(ctx, name, def->joint_count);
    if (!clip) return mry_fail_memory(error, name);
    clip->fps = clip->report.claimed_fps = def->fps;
    clip->units = def->units ? def->units : MAREY_UNITS_CM;
    clip->up = def->up ? def->up : MAREY_UP_Y;
    clip->source.decimals = 6;
    const marey_units units = clip->units;
    const marey_up up = clip->up;
    status = fill_skeleton(clip, def, error);
    if (!status && !mry_clip_take_tracks(clip, def->frames)) status = mry_fail_memory(error, name);
    if (!status) status = fill_tracks(clip, def, error);
    if (!status) status = fill_marks(clip, def, error);
    if (!status) status = fill_roles(clip, def->roles, error);
    /* The arrays need no turn and no scale, whatever files of the clip are written in; all that is
       settled is how tall the body is. */
    bool raw = units == MAREY_UNITS_RAW;
    if (!status && !(mry_clip_settle_units(clip, raw ? units : MAREY_UNITS_CM, MAREY_UP_Y) &&
                     mry_clip_inspect(clip)))
        status = mry_fail_memory(error, name);
    clip->units = units;
    clip->up = up;
    clip->report.format = "arrays";
    clip->report.units_why =
        raw ? "arrays of raw numbers were given" : "arrays in centimetres were given";
    clip->report.up_why = "arrays with y up were given";
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}
