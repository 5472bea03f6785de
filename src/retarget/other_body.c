/* other_body.c - one body's motion on another.

   A joint of the target is turned in the world as the joint of the same role is in the source, but for
   what lies constantly between the axes of both (body_frames.c); then its bone is turned the last bit
   to point exactly where the source's does. Joints between two roles of the trunk share what turns
   from one to the other; joints without a role keep what they have on average in the target's own
   clip. The hips go where the source's go, by the ratio of leg lengths, the body is lifted so that its
   feet stand as high as they do in its own clip, and feet that are planted in the source are held in
   the same frames (clean.c). */
#include "base/fail.h"
#include "math/quat.h"
#include "motion/carrier.h"
#include "retarget/body_frames.h"

#include <marey/retarget.h>

#include <string.h>

enum { FRAMES_A_REPORT = 1024, MOST_SAMPLES = 2000 };

/* What turns a joint of the target. */
typedef struct drive {
    int role;     /* of the source: -1: none */
    int from;     /* the joint of that role in the source */
    mry_rot q;    /* from the source's axes to its own */
    int to;       /* the source's joint that its bone points to; -1: its bone is not aimed */
    mry_vec bone; /* where it points, in its own axes */
    /* Between two roles of the trunk: those joints of the target, how it is turned below the first on
       average, and which share of the way it is; first -1: it is not between any. */
    int first, second;
    mry_rot below, second_below;
    double share;
} drive;

typedef struct retargeting {
    const marey_clip *clip, *onto;
    mry_arena *tmp;
    mry_body_frames source, target;
    drive *drives;   /* of each joint of the target */
    mry_rot *means;  /* local rotations */
    double *mean_at; /* movers x 3 */
    int mover;       /* the joint that is moved */
    double ratio, lift;
    float *turns; /* of the source, in the world */
    double *places;
    mry_rot *world; /* of the target */
    mry_vec *at;
} retargeting;

static mry_rot rot_of(const float *q)
{
    return (mry_rot){ (double)q[0], (double)q[1], (double)q[2], (double)q[3] };
}

static mry_vec vec_of(const double *p)
{
    return (mry_vec){ p[0], p[1], p[2] };
}

/* The shortest turn from one direction to another. */
static mry_rot shortest(mry_vec from, mry_vec to)
{
    mry_vec a = mry_vec_unit(from), b = mry_vec_unit(to), axis = mry_vec_cross(a, b);
    double w = 1 + mry_vec_dot(a, b), length = sqrt(w * w + mry_vec_dot(axis, axis));
    if (length < 1e-9) return (mry_rot){ 1, 0, 0, 0 };
    return (mry_rot){ w / length, axis.x / length, axis.y / length, axis.z / length };
}

/* ---- the same body --------------------------------------------------------------------------- */

static bool same_body(const marey_clip *a, const marey_clip *b)
{
    if (a->skeleton.joint_count != b->skeleton.joint_count || a->mover_count != b->mover_count)
        return false;
    for (int j = 0; j < a->skeleton.joint_count; j++) {
        const marey_joint *x = &a->joints[j], *y = &b->joints[j];
        if (strcmp(x->name, y->name) != 0 || x->parent != y->parent || a->slot[j] != b->slot[j])
            return false;
        for (int i = 0; i < 3; i++)
            if (fabs(x->offset_cm[i] - y->offset_cm[i]) > 1e-4) return false;
    }
    return true;
}

/* ---- the target's own ways ------------------------------------------------------------------- */

static bool find_means(retargeting *r)
{
    const marey_clip *onto = r->onto;
    int joints = onto->skeleton.joint_count, step = 1 + onto->frames / MOST_SAMPLES, seen = 0;
    double(*sums)[MRY_MEAN_SUMS] = mry_arena_zero(r->tmp, (size_t)joints, sizeof *sums);
    r->means = MRY_NEW(r->tmp, mry_rot, joints);
    r->mean_at = MRY_NEW(r->tmp, double, 3 * (size_t)onto->mover_count);
    if (!sums || !r->means || !r->mean_at) return false;
    bool any = false;
    for (int f = 0; f < onto->frames; f += step) any |= !mry_clip_is_marked(onto, f);
    for (int f = 0; f < onto->frames; f += step) {
        if (any && mry_clip_is_marked(onto, f)) continue;
        for (int j = 0; j < joints; j++) mry_mean_add(sums[j], mry_turn(onto, f) + 4 * j);
        for (int i = 0; i < 3 * onto->mover_count; i++) r->mean_at[i] += mry_place(onto, f)[i];
        seen++;
    }
    for (int j = 0; j < joints; j++) r->means[j] = mry_mean_end(sums[j]);
    for (int i = 0; i < 3 * onto->mover_count; i++) r->mean_at[i] /= seen;
    return true;
}

/* Where a joint is below another one, and how it is turned, with what lies between as it is on
   average. */
static mry_rot below(const retargeting *r, int from, int joint, mry_vec *at)
{
    mry_rot turn = { 1, 0, 0, 0 };
    *at = (mry_vec){ 0, 0, 0 };
    for (int j = joint; j != from; j = r->onto->joints[j].parent) {
        const double *p = r->onto->slot[j] >= 0 ? r->mean_at + 3 * r->onto->slot[j]
                                                : r->onto->joints[j].offset_cm;
        *at = mry_vec_add(vec_of(p), mry_rot_apply(r->means[j], *at));
        turn = mry_rot_times(r->means[j], turn);
    }
    return turn;
}

static bool is_above(const marey_clip *clip, int joint, int below_it)
{
    while (below_it > joint) below_it = clip->joints[below_it].parent;
    return below_it == joint;
}

static bool plan(retargeting *r)
{
    static const marey_role trunk[] = { MAREY_ROLE_HIPS, MAREY_ROLE_SPINE, MAREY_ROLE_CHEST,
                                        MAREY_ROLE_NECK, MAREY_ROLE_HEAD };
    const int *roles = r->onto->skeleton.roles, *sources = r->clip->skeleton.roles;
    int joints = r->onto->skeleton.joint_count;
    r->drives = MRY_NEW(r->tmp, drive, joints);
    if (!r->drives) return false;
    for (int j = 0; j < joints; j++) r->drives[j] = (drive){ .role = -1, .to = -1, .first = -1 };
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        if (!r->source.has[role] || !r->target.has[role]) continue;
        drive *d = &r->drives[roles[role]];
        int next = mry_next_role((marey_role)role);
        d->role = role;
        d->from = sources[role];
        d->q = mry_rot_times(mry_rot_back(r->source.offset[role]), r->target.offset[role]);
        if (next < 0 || roles[next] < 0 || sources[next] < 0) continue;
        if (!is_above(r->onto, roles[role], roles[next])) continue;
        below(r, roles[role], roles[next], &d->bone);
        if (mry_vec_length(d->bone) > 1e-6) d->to = sources[next];
    }
    /* Joints between one role of the trunk and the next that is there. */
    int first = -1;
    for (int t = 0; t < 5; t++) {
        int second = roles[trunk[t]];
        if (second < 0 || r->drives[second].role < 0) continue;
        int between = 0, number = 0;
        if (first >= 0 && is_above(r->onto, first, second))
            for (int j = r->onto->joints[second].parent; j != first; j = r->onto->joints[j].parent)
                between++;
        mry_vec unused;
        mry_rot all = between ? below(r, first, second, &unused) : (mry_rot){ 1, 0, 0, 0 };
        for (int j = r->onto->joints[second].parent; number < between; number++) {
            drive *d = &r->drives[j];
            if (d->role < 0) {
                d->first = first;
                d->second = second;
                d->below = below(r, first, j, &unused);
                d->second_below = all;
                d->share = (double)(between - number) / (between + 1);
            }
            j = r->onto->joints[j].parent;
        }
        first = second;
    }
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The rotations in the world of joints that a role drives. */
static void drive_roles(retargeting *r)
{
    for (int j = 0; j < r->onto->skeleton.joint_count; j++) {
        const drive *d = &r->drives[j];
        if (d->role < 0) continue;
        r->world[j] = mry_rot_times(rot_of(r->turns + 4 * d->from), d->q);
        if (d->to < 0) continue;
        mry_vec wanted =
            mry_vec_sub(vec_of(r->places + 3 * d->to), vec_of(r->places + 3 * d->from));
        if (mry_vec_length(wanted) < 1e-6) continue;
        mry_rot last = shortest(mry_rot_apply(r->world[j], d->bone), wanted);
        r->world[j] = mry_rot_times(last, r->world[j]);
    }
}

/* All of them, from the root on, and where joints are with the moved joint's place as in `at`. */
static void follow(retargeting *r, marey_clip *made, int frame)
{
    const marey_clip *onto = r->onto;
    double *moved = mry_place(made, frame);
    float *turn = mry_turn(made, frame);
    memcpy(moved, r->mean_at, 3 * (size_t)onto->mover_count * sizeof *moved);
    for (int j = 0; j < onto->skeleton.joint_count; j++) {
        const drive *d = &r->drives[j];
        int parent = onto->joints[j].parent;
        mry_rot above = parent < 0 ? (mry_rot){ 1, 0, 0, 0 } : r->world[parent];
        if (d->first >= 0) {
            mry_rot straight = mry_rot_times(r->world[d->first], d->second_below);
            mry_rot bend = mry_rot_times(r->world[d->second], mry_rot_back(straight));
            mry_rot part = mry_rot_mix((mry_rot){ 1, 0, 0, 0 }, bend, d->share);
            r->world[j] = mry_rot_times(part, mry_rot_times(r->world[d->first], d->below));
        } else if (d->role < 0) {
            r->world[j] = mry_rot_times(above, r->means[j]);
        }
        mry_rot local = mry_rot_times(mry_rot_back(above), r->world[j]);
        float q[4] = { (float)local.w, (float)local.x, (float)local.y, (float)local.z };
        mry_quat_normalize(q);
        if (frame > 0 && mry_quat_dot(q, mry_turn(made, frame - 1) + 4 * j) < 0)
            for (int i = 0; i < 4; i++) q[i] = -q[i];
        memcpy(turn + 4 * j, q, sizeof q);
        const double *p =
            onto->slot[j] >= 0 ? moved + 3 * onto->slot[j] : onto->joints[j].offset_cm;
        r->at[j] =
            parent < 0 ? vec_of(p) : mry_vec_add(r->at[parent], mry_rot_apply(above, vec_of(p)));
    }
    /* The hips are put where they belong by the joint that can be moved. */
    int hips = onto->skeleton.roles[MAREY_ROLE_HIPS], parent = onto->joints[r->mover].parent;
    mry_vec wanted = vec_of(r->places + 3 * r->clip->skeleton.roles[MAREY_ROLE_HIPS]);
    wanted = mry_vec_scale(wanted, r->ratio);
    wanted.y += r->lift;
    mry_vec by = mry_vec_sub(wanted, r->at[hips]);
    if (parent >= 0) by = mry_rot_apply(mry_rot_back(r->world[parent]), by);
    double *place = moved + 3 * onto->slot[r->mover];
    place[0] += by.x;
    place[1] += by.y;
    place[2] += by.z;
}

/* How high the planted points of feet are on average: heels by their ankle, toes by their toe. */
static double planted_height(const marey_clip *clip, const marey_contact *contacts, int count,
                             float *turns, double *places, bool *known)
{
    double sum = 0;
    int64_t frames = 0;
    for (int c = 0; c < count; c++) {
        static const marey_role joints[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                             MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
        if (contacts[c].joint > MAREY_CONTACT_RIGHT_TOE) continue;
        int joint = clip->skeleton.roles[joints[contacts[c].joint]];
        /* Only heels: feet differ in where their toes are. */
        if (joint < 0 || contacts[c].joint % 2) continue;
        for (int f = contacts[c].start; f < contacts[c].end; f++) {
            mry_body_pose(clip, f, turns, places);
            sum += places[3 * joint + 1];
            frames++;
        }
    }
    *known = frames > 0;
    return frames > 0 ? sum / (double)frames : 0;
}

/* So that feet stand as high as they do in the target's own clip, or else as high as in the source, in
   proportion. */
static marey_status find_lift(retargeting *r, const marey_clip *made, const marey_contact *contacts,
                              int count, marey_error *error)
{
    marey_contacts own = { 0 };
    bool in_source, in_made, in_own = false;
    size_t joints = (size_t)r->onto->skeleton.joint_count;
    float *turns = MRY_NEW_RAW(r->tmp, float, 4 * joints);
    double *places = MRY_NEW_RAW(r->tmp, double, 3 * joints);
    marey_status status =
        turns && places ? marey_contacts_find(r->onto, NULL, &own) : MAREY_ERR_MEMORY;
    if (status) return mry_fail_memory(error, r->clip->name);
    double source = planted_height(r->clip, contacts, count, r->turns, r->places, &in_source);
    double is = planted_height(made, contacts, count, turns, places, &in_made);
    double wanted = planted_height(r->onto, own.items, own.count, turns, places, &in_own);
    if (!in_own) wanted = source * r->ratio;
    marey_contacts_free(&own);
    if (in_made) r->lift = wanted - is;
    return MAREY_OK;
}

/* In per cent of the limb, as marey_retarget_result has it. */
static bool find_reach(retargeting *r, const marey_clip *made, double *out)
{
    static const marey_role limbs[] = { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER,
                                        MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP };
    const marey_clip *both[2] = { r->clip, made };
    size_t joints = (size_t)made->skeleton.joint_count;
    float *turns[2] = { r->turns, MRY_NEW_RAW(r->tmp, float, 4 * joints) };
    double *places[2] = { r->places, MRY_NEW_RAW(r->tmp, double, 3 * joints) }, sum = 0;
    int64_t count = 0;
    if (!turns[1] || !places[1]) return false;
    for (int f = 0; f < made->frames; f++) {
        for (int i = 0; i < 2; i++) mry_body_pose(both[i], f, turns[i], places[i]);
        for (int l = 0; l < 4; l++) {
            mry_vec reach[2];
            int whole = 0;
            for (int i = 0; i < 2; i++) {
                const int *roles = both[i]->skeleton.roles + limbs[l];
                if (roles[0] < 0 || roles[1] < 0 || roles[2] < 0) continue;
                mry_vec a = vec_of(places[i] + 3 * roles[0]), b = vec_of(places[i] + 3 * roles[1]);
                mry_vec c = vec_of(places[i] + 3 * roles[2]);
                double length =
                    mry_vec_length(mry_vec_sub(b, a)) + mry_vec_length(mry_vec_sub(c, b));
                if (!(length > 1e-6)) continue;
                reach[i] = mry_vec_scale(mry_vec_sub(c, a), 100 / length);
                whole++;
            }
            if (whole < 2) continue;
            sum += mry_vec_length(mry_vec_sub(reach[1], reach[0]));
            count++;
        }
    }
    *out = count ? sum / (double)count : 0;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static marey_status check_body(const marey_clip *clip, const mry_body_frames *frames,
                               marey_error *error)
{
    static const marey_role needed[] = { MAREY_ROLE_HIPS,       MAREY_ROLE_LEFT_HIP,
                                         MAREY_ROLE_LEFT_KNEE,  MAREY_ROLE_LEFT_ANKLE,
                                         MAREY_ROLE_RIGHT_HIP,  MAREY_ROLE_RIGHT_KNEE,
                                         MAREY_ROLE_RIGHT_ANKLE };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (clip->skeleton.roles[needed[i]] < 0)
            return mry_fail(error, MAREY_ERR_INPUT, clip->name,
                            "its body has no %s, so motion can neither come from it nor go to it; "
                            "marey set --roles says which joint that is",
                            marey_role_name(needed[i]));
    }
    if (frames->has[MAREY_ROLE_HIPS] && frames->leg_cm > 1e-6) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, clip->name,
                    "how its body stands is not known: it has no spine, or no legs of any length");
}

static marey_status make_frames(retargeting *r, marey_clip *made, marey_error *error)
{
    for (int f = 0; f < r->clip->frames; f++) {
        if (f % FRAMES_A_REPORT == 0 &&
            !mry_progress(r->clip->mem.ctx, "retargeting", f, r->clip->frames))
            return mry_fail_cancelled(error);
        mry_body_pose(r->clip, f, r->turns, r->places);
        drive_roles(r);
        follow(r, made, f);
    }
    return MAREY_OK;
}

static marey_status retarget(retargeting *r, const marey_contact *contacts, int count,
                             marey_clip *made, marey_error *error)
{
    const marey_clip *onto = r->onto;
    int hips = onto->skeleton.roles[MAREY_ROLE_HIPS];
    size_t joints = (size_t)onto->skeleton.joint_count;
    size_t sources = (size_t)r->clip->skeleton.joint_count;
    r->turns = MRY_NEW_RAW(r->tmp, float, 4 * sources);
    r->places = MRY_NEW_RAW(r->tmp, double, 3 * sources);
    r->world = MRY_NEW(r->tmp, mry_rot, joints);
    r->at = MRY_NEW(r->tmp, mry_vec, joints);
    if (!r->turns || !r->places || !r->world || !r->at || !find_means(r) || !plan(r))
        return mry_fail_memory(error, r->clip->name);
    r->mover = onto->slot[hips] >= 0 ? hips : 0;
    if (r->mover != 0) /* a root stays where it is, or at the origin */
        for (int i = 0; i < 3; i++)
            r->mean_at[i] =
                mry_root_stays(onto) ? mry_place(onto, mry_clip_first_captured(onto))[i] : 0;
    r->ratio = r->target.leg_cm / r->source.leg_cm;
    marey_status status = make_frames(r, made, error);
    if (!status) status = find_lift(r, made, contacts, count, error);
    for (int f = 0; f < made->frames && !status && r->lift != 0; f++) {
        double *place = mry_place(made, f) + 3 * onto->slot[r->mover];
        mry_rot above = { 1, 0, 0, 0 };
        /* What is above the moved joint is as it is on average, in every frame. */
        for (int j = onto->joints[r->mover].parent; j >= 0; j = onto->joints[j].parent)
            above = mry_rot_times(r->means[j], above);
        mry_vec up = mry_rot_apply(mry_rot_back(above), (mry_vec){ 0, r->lift, 0 });
        place[0] += up.x;
        place[1] += up.y;
        place[2] += up.z;
    }
    return status;
}

marey_status marey_clip_retarget(const marey_clip *clip, const marey_contact *contacts, int count,
                                 const marey_clip *onto, const marey_retarget_def *def,
                                 marey_clip **out, marey_retarget_result *result,
                                 marey_error *error)
{
    static const marey_contact none = { 0 };
    (void)def;
    marey_retarget_result found = { .leg_ratio = 1 };
    if (same_body(clip, onto)) {
        marey_status status = marey_clip_trim(clip, 0, clip->frames, out, error);
        found.same_body = true;
        if (!status && result) *result = found;
        return status;
    }
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    retargeting r = { .clip = clip, .onto = onto, .tmp = &tmp };
    marey_contacts own = { 0 };
    marey_clip *made = NULL;
    bool fits = mry_body_frames_find(clip, &r.source) && mry_body_frames_find(onto, &r.target);
    marey_status status =
        fits ? check_body(clip, &r.source, error) : mry_fail_memory(error, clip->name);
    if (!status) status = check_body(onto, &r.target, error);
    if (!status && !contacts && marey_contacts_find(clip, NULL, &own))
        status = mry_fail_memory(error, clip->name);
    if (!contacts) {
        contacts = own.items;
        count = own.count;
    }
    if (!status) {
        made = mry_clip_make_like(onto, clip->frames, clip->fps);
        char *name = made ? mry_arena_text(&made->mem, clip->name, strlen(clip->name)) : NULL;
        if (!name || !mry_clip_copy_marks(made, clip)) status = mry_fail_memory(error, clip->name);
        if (!status) made->name = name;
    }
    if (!status) status = retarget(&r, contacts, count, made, error);
    if (!status)
        status = marey_clip_clean(made, count > 0 ? contacts : &none, count, NULL, out,
                                  &found.clean, error);
    if (!status && !find_reach(&r, *out, &found.reach_percent)) {
        marey_clip_free(*out);
        *out = NULL;
        status = mry_fail_memory(error, clip->name);
    }
    for (int role = 0; role < MAREY_ROLE_COUNT; role++)
        found.roles += r.source.has[role] && r.target.has[role];
    found.leg_ratio = r.ratio;
    if (!status && result) *result = found;
    marey_clip_free(made);
    marey_contacts_free(&own);
    mry_arena_free(&tmp);
    return status;
}
