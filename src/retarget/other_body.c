/* other_body.c - one body's motion on another.

   A joint of the target is turned in the world as the joint of the same role is in the source, but for
   what lies constantly between the axes of both (body_frames.c); bones of the trunk are then turned the
   last bit to point exactly where the source's do, and joints between two roles of the trunk share what
   turns from one to the other. Hips go where the source's go, by the ratio of leg lengths, and stand as
   high as the target's feet want them. Hands and feet are as far from shoulders and hips as in the
   source, in proportion to the limb, and near the floor as high as there; elbows and knees stay in the
   plane they bend in. Feet that are planted in the source are held in the same frames (clean.c). Joints
   without a role are turned like those of the same name, or keep what they have on average in the
   target's own clip. */
#include "retarget/other_body.h"
#include "base/fail.h"
#include "math/quat.h"
#include "motion/carrier.h"
#include "retarget/body_map.h"
#include "retarget/retarget_report.h"

#include <string.h>

enum { FRAMES_A_REPORT = 1024, SETTLINGS = 2 };

/* In lengths of the leg: what is lower has the height that it has in the source, what is higher than
   the second is where its limb leads it. */
static const double LOW = 0.1, HIGH = 0.5;
/* A limb that is asked to reach farther than it did in the source slows down from here on, in lengths
   of the limb; what is missed by more counts as out of reach. */
static const double NEARLY_STRAIGHT = 0.97, MISSED = 0.01;
/* A limb whose middle is nearer to the straight line in the source than in the target, in its lengths,
   bends to the side that its axes say, however the source wavers; from the second on as there. */
static const double HARDLY_BENT = 0.04, WELL_BENT = 0.1;
/* A trunk is bent by no more, in radians, so that hands come to the floor, and only if it leans by about
   this much, as a sine. */
static const double MOST_STOOP = 0.1, LEANS = 0.6;
/* A single pose whose feet are lower, in lengths of the leg, does not say where its floor is. */
static const double UNDER_FLOOR = 0.5;

static mry_rot rot_of(const float *q)
{
    return (mry_rot){ (double)q[0], (double)q[1], (double)q[2], (double)q[3] };
}

static mry_vec source_at(const mry_retargeting *r, int joint)
{
    return mry_vec_of(r->places + 3 * joint);
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

static bool same_body(const marey_clip *a, const marey_clip *b, const marey_body_map *map)
{
    for (int i = 0; map && i < map->count; i++) /* to another place of the same body */
        if (map->pairs[i].source != map->pairs[i].target) return false;
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

/* ---- frames ---------------------------------------------------------------------------------- */

/* Turns a joint so that its bone points along `wanted`. */
static void aim(mry_retargeting *r, int joint, mry_vec wanted)
{
    if (mry_vec_length(wanted) < 1e-6) return;
    mry_rot last = shortest(mry_rot_apply(r->world[joint], r->drives[joint].bone), wanted);
    r->world[joint] = mry_rot_times(last, r->world[joint]);
}

/* The rotations in the world of joints that follow one of the source. */
static void drive_joints(mry_retargeting *r)
{
    for (int j = 0; j < r->onto->skeleton.joint_count; j++) {
        const mry_drive *d = &r->drives[j];
        if (d->from < 0 || d->local) continue;
        r->world[j] = mry_rot_times(rot_of(r->turns + 4 * d->from), d->q);
        if (d->to >= 0) aim(r, j, mry_vec_sub(source_at(r, d->to), source_at(r, d->from)));
    }
}

/* A joint's rotation, if no joint of the source turns it in the world. */
static void turn_other(mry_retargeting *r, const float *source, int j)
{
    const mry_drive *d = &r->drives[j];
    int parent = r->onto->joints[j].parent;
    mry_rot above = parent < 0 ? (mry_rot){ 1, 0, 0, 0 } : r->world[parent];
    if (d->first >= 0) {
        mry_rot straight = mry_rot_times(r->world[d->first], d->second_below);
        mry_rot bend = mry_rot_times(r->world[d->second], mry_rot_back(straight));
        mry_rot part = mry_rot_mix((mry_rot){ 1, 0, 0, 0 }, bend, d->share);
        r->world[j] = mry_rot_times(part, mry_rot_times(r->world[d->first], d->below));
    } else if (d->local) {
        r->world[j] = mry_rot_times(above, rot_of(source + 4 * d->from));
    } else if (d->from < 0) {
        r->world[j] = mry_rot_times(above, r->means[j]);
    }
}

static mry_vec between(mry_vec a, mry_vec b)
{
    return mry_vec_mix(a, b, 0.5);
}

static mry_vec mid_hips(const mry_retargeting *r)
{
    const int *roles = r->onto->skeleton.roles;
    return between(r->at[roles[MAREY_ROLE_LEFT_HIP]], r->at[roles[MAREY_ROLE_RIGHT_HIP]]);
}

/* The middle of the hips belongs there. */
static mry_vec hips_place(const mry_retargeting *r)
{
    const int *roles = r->clip->skeleton.roles;
    mry_vec is = between(source_at(r, roles[MAREY_ROLE_LEFT_HIP]),
                         source_at(r, roles[MAREY_ROLE_RIGHT_HIP]));
    double high = r->def->keep & MAREY_KEEP_HEIGHTS ? is.y : r->ratio * is.y + r->lift;
    return (mry_vec){ r->along * is.x, high, r->along * is.z };
}

/* By how much an ankle is to be higher so that the toe is no deeper in the floor than the source's. */
static double toe_lift(const mry_retargeting *r, const mry_limb *l, double ankle)
{
    if (l->toe < 0) return 0;
    double deep = source_at(r, l->toe).y - (r->source.stands_cm - r->source.drop_cm);
    double least = r->target.stands_cm - r->target.drop_cm + r->ratio * fmin(0, deep);
    return fmax(0, least - ankle - mry_rot_apply(r->world[l->to[2]], l->foot).y);
}

/* Where the end of a limb is led, from its base in the target; how far it is from it in the source, in
   lengths of the limb. */
static mry_vec led_place(const mry_retargeting *r, int n, mry_vec base, double *reach)
{
    const mry_limb *l = &r->limbs[n];
    mry_vec first = source_at(r, l->from[0]), middle = source_at(r, l->from[1]);
    mry_vec end = source_at(r, l->from[2]), way = mry_vec_sub(end, first);
    double length =
        mry_vec_length(mry_vec_sub(middle, first)) + mry_vec_length(mry_vec_sub(end, middle));
    *reach = mry_vec_length(way) / fmax(length, 1e-6);
    return mry_vec_add(base, mry_vec_scale(way, (l->upper + l->lower) / fmax(length, 1e-6)));
}

/* How much the end of a limb has the height that it has in the source, in proportion or as it is, and
   which that is. */
static double lowness(const mry_retargeting *r, int n, double *high)
{
    bool leg = n >= MRY_FIRST_LEG;
    double is = source_at(r, r->limbs[n].from[2]).y;
    double over = (is - r->source.stands_cm) / r->source.leg_cm;
    *high = r->ratio * is + r->lift;
    if (!(r->def->keep & (MAREY_KEEP_HEIGHTS | (leg ? MAREY_KEEP_FEET : MAREY_KEEP_HANDS))))
        return 1 - mry_ease((over - LOW) / (HIGH - LOW));
    *high = is + (leg ? r->target.stands_cm - r->source.stands_cm : 0);
    return 1;
}

/* Where the end of a limb belongs. */
static mry_vec end_place(const mry_retargeting *r, int n, mry_vec base, double *reach)
{
    const mry_limb *l = &r->limbs[n];
    bool leg = n >= MRY_FIRST_LEG;
    mry_vec at = led_place(r, n, base, reach), end = source_at(r, l->from[2]);
    double high, low = lowness(r, n, &high);
    at.y += low * (high - at.y);
    if (leg) at.y += low * toe_lift(r, l, at.y);
    if (r->def->keep & (leg ? MAREY_KEEP_FEET : MAREY_KEEP_HANDS)) {
        at.x = end.x;
        at.z = end.z;
    } else if (leg && r->along != r->ratio) { /* the path is kept: so are footprints */
        at.x = r->along * end.x;
        at.z = r->along * end.z;
    }
    return at;
}

/* How far the middle of a limb is from the straight line, in lengths of the limb, if its ends are so far
   apart. */
static double bend_of(const mry_limb *l, double apart)
{
    double forth = (apart * apart + l->upper * l->upper - l->lower * l->lower) / (2 * apart);
    return sqrt(fmax(0, l->upper * l->upper - forth * forth)) / (l->upper + l->lower);
}

/* How far a limb reaches that is asked to reach so far and did reach so far in the source, all in
   lengths of the limb. */
static double slowed(double wanted, double before)
{
    double most = fmax(NEARLY_STRAIGHT, before);
    if (wanted <= most) return wanted;
    return most + (1 - most) * (1 - exp((most - wanted) / fmax(1 - most, 1e-9)));
}

/* Turns the two bones of a limb; false: its end is out of reach. */
static bool reach(mry_retargeting *r, int n, mry_vec base)
{
    const mry_limb *l = &r->limbs[n];
    double before, length = l->upper + l->lower;
    mry_vec end = end_place(r, n, base, &before), way = mry_vec_sub(end, base);
    double wanted = mry_vec_length(way) / length, is = slowed(wanted, before);
    if (wanted < 1e-6) return true;
    if (is != wanted) end = mry_vec_add(base, mry_vec_scale(way, is / wanted));
    /* The side that the middle is on, in the source: where it hardly is on any, as its axes say. */
    mry_vec first = source_at(r, l->from[0]), was = mry_vec_sub(source_at(r, l->from[2]), first);
    mry_vec along = mry_vec_unit(was), side = mry_vec_sub(source_at(r, l->from[1]), first);
    side = mry_vec_sub(side, mry_vec_scale(along, mry_vec_dot(side, along)));
    side = mry_vec_scale(side, 1 / r->source.limb_cm[n]);
    double bent = mry_vec_length(side), more = bend_of(l, is * length) - bent;
    if (bent < WELL_BENT && more > 0) {
        int role = (int)mry_limb_roles[n];
        mry_rot seen =
            mry_rot_times(rot_of(r->turns + 4 * l->from[0]), mry_rot_back(r->source.offset[role]));
        mry_vec hinge = mry_rot_apply(seen, (mry_vec){ 0, 1, 0 });
        mry_vec out = mry_vec_unit(mry_vec_cross(along, hinge));
        double is_out = mry_vec_dot(side, out);
        double safe = is_out > HARDLY_BENT ? is_out : HARDLY_BENT * exp(is_out / HARDLY_BENT - 1);
        double share =
            mry_ease((WELL_BENT - bent) / (WELL_BENT - HARDLY_BENT)) * mry_ease(more / HARDLY_BENT);
        side = mry_vec_add(side, mry_vec_scale(out, share * (safe - is_out)));
    }
    mry_vec pole = mry_rot_apply(shortest(was, way), side);
    mry_vec middle = mry_limb_middle(base, end, l->upper, l->lower, pole);
    aim(r, l->to[0], mry_vec_sub(middle, base));
    aim(r, l->to[1], mry_vec_sub(end, middle));
    return wanted - is < MISSED;
}

/* Where all joints are, the moved one as it is on average. */
static void find_places(mry_retargeting *r, const float *source, const double *moved)
{
    const marey_clip *onto = r->onto;
    for (int j = 0; j < onto->skeleton.joint_count; j++) {
        int parent = onto->joints[j].parent;
        const double *p =
            onto->slot[j] >= 0 ? moved + 3 * onto->slot[j] : onto->joints[j].offset_cm;
        turn_other(r, source, j);
        r->at[j] = parent < 0
                       ? mry_vec_of(p)
                       : mry_vec_add(r->at[parent], mry_rot_apply(r->world[parent], mry_vec_of(p)));
    }
}

/* A bone of the trunk with joints in it points somewhat elsewhere once they are bent: it is aimed
   again. */
static void settle_trunk(mry_retargeting *r, const float *source, const double *moved)
{
    static const marey_role aimed[] = { MAREY_ROLE_SPINE, MAREY_ROLE_CHEST };
    const int *roles = r->onto->skeleton.roles, *sources = r->clip->skeleton.roles;
    for (int i = 0; i < 2; i++) {
        int j = roles[aimed[i]];
        if (j < 0 || r->drives[j].to < 0) continue;
        mry_vec is = mry_vec_sub(r->at[roles[aimed[i] + 1]], r->at[j]);
        mry_vec wanted =
            mry_vec_sub(source_at(r, sources[aimed[i] + 1]), source_at(r, sources[aimed[i]]));
        if (mry_vec_length(is) < 1e-6 || mry_vec_length(wanted) < 1e-6) continue;
        r->world[j] = mry_rot_times(shortest(is, wanted), r->world[j]);
    }
    find_places(r, source, moved);
}

/* Bends the trunk so that hands near the floor are as high as they should be with arms as they are in
   the source: a body of other proportions stoops more, or less. A trunk that is upright would have to
   lean far for little; arms do the rest. */
static void stoop(mry_retargeting *r, mry_vec by, const float *source, const double *moved)
{
    static const marey_role bent[] = { MAREY_ROLE_SPINE,       MAREY_ROLE_CHEST,
                                       MAREY_ROLE_NECK,        MAREY_ROLE_HEAD,
                                       MAREY_ROLE_LEFT_COLLAR, MAREY_ROLE_RIGHT_COLLAR };
    const int *roles = r->onto->skeleton.roles;
    int pivot = roles[MAREY_ROLE_SPINE];
    mry_vec from = { 0, 0, 0 };
    double weights = 0, down = 0;
    if (pivot < 0 || r->drives[pivot].role < 0) return;
    for (int n = 0; n < MRY_FIRST_LEG; n++) {
        const mry_limb *l = &r->limbs[n];
        if (!l->whole) continue;
        mry_vec base = mry_vec_add(r->at[l->to[0]], by);
        double before, high, low = lowness(r, n, &high);
        double led = led_place(r, n, base, &before).y;
        from = mry_vec_add(from, mry_vec_scale(mry_vec_sub(r->at[l->to[0]], r->at[pivot]), low));
        down += low * low * (high - led);
        weights += low;
    }
    if (weights < 1e-3) return;
    from = mry_vec_scale(from, 1 / weights);
    double flat = hypot(from.x, from.z), length = mry_vec_length(from), now = atan2(from.y, flat);
    if (!(flat > 1e-3 * length)) return;
    double angle = asin(fmax(-1, fmin(1, (from.y + down / weights) / length))) - now;
    angle = MOST_STOOP * tanh(angle / MOST_STOOP) * mry_ease(flat / length / LEANS);
    mry_rot turn = mry_rot_about(from.z / flat, 0, -from.x / flat, -angle);
    for (size_t b = 0; b < sizeof bent / sizeof *bent; b++) {
        int j = roles[bent[b]];
        if (j >= 0 && r->drives[j].role >= 0) r->world[j] = mry_rot_times(turn, r->world[j]);
    }
    find_places(r, source, moved);
}

/* One frame of the target from one of the source. */
static void make_frame(mry_retargeting *r, marey_clip *made, int frame)
{
    const marey_clip *onto = r->onto;
    const float *source = mry_turn(r->clip, frame);
    double *moved = mry_place(made, frame);
    float *turn = mry_turn(made, frame);
    mry_body_pose(r->clip, frame, r->turns, r->places);
    drive_joints(r);
    memcpy(moved, r->mean_at, 3 * (size_t)onto->mover_count * sizeof *moved);
    find_places(r, source, moved);
    for (int i = 0; i < SETTLINGS && r->bends; i++) settle_trunk(r, source, moved);
    stoop(r, mry_vec_sub(hips_place(r), mid_hips(r)), source, moved);
    mry_vec by = mry_vec_sub(hips_place(r), mid_hips(r));
    bool reached = true;
    for (int n = 0; n < MRY_LIMBS; n++)
        if (r->limbs[n].whole)
            reached = reach(r, n, mry_vec_add(r->at[r->limbs[n].to[0]], by)) && reached;
    r->straight_frames += !reached;
    for (int j = 0; j < onto->skeleton.joint_count; j++) {
        int parent = onto->joints[j].parent;
        turn_other(r, source, j);
        mry_rot above = parent < 0 ? (mry_rot){ 1, 0, 0, 0 } : r->world[parent];
        mry_rot local = mry_rot_times(mry_rot_back(above), r->world[j]);
        float q[4] = { (float)local.w, (float)local.x, (float)local.y, (float)local.z };
        mry_quat_normalize(q);
        if (frame > 0 && mry_quat_dot(q, mry_turn(made, frame - 1) + 4 * j) < 0)
            for (int i = 0; i < 4; i++) q[i] = -q[i];
        memcpy(turn + 4 * j, q, sizeof q);
    }
    int parent = onto->joints[r->mover].parent;
    if (parent >= 0) by = mry_rot_apply(mry_rot_back(r->world[parent]), by);
    double *place = moved + 3 * onto->slot[r->mover];
    place[0] += by.x;
    place[1] += by.y;
    place[2] += by.z;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static marey_status check_body(const mry_retargeting *r, const marey_clip *clip, marey_error *error)
{
    static const marey_role needed[] = { MAREY_ROLE_HIPS,       MAREY_ROLE_LEFT_HIP,
                                         MAREY_ROLE_LEFT_KNEE,  MAREY_ROLE_LEFT_ANKLE,
                                         MAREY_ROLE_RIGHT_HIP,  MAREY_ROLE_RIGHT_KNEE,
                                         MAREY_ROLE_RIGHT_ANKLE };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (clip->skeleton.roles[needed[i]] >= 0) continue;
        if (r->def->map)
            return mry_fail(
                error, MAREY_ERR_INPUT, clip->name,
                "the map has no pair with the role %s, without which no motion goes from "
                "one body to another",
                marey_role_name(needed[i]));
        return mry_fail(error, MAREY_ERR_INPUT, clip->name,
                        "its body has no %s, so motion can neither come from it nor go to it; "
                        "marey set --roles says which joint that is",
                        marey_role_name(needed[i]));
    }
    return MAREY_OK;
}

static marey_status check_frames(const marey_clip *clip, const mry_body_frames *frames,
                                 marey_error *error)
{
    if (frames->has[MAREY_ROLE_HIPS] && frames->leg_cm > 1e-6) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, clip->name,
                    "how its body stands is not known: it has no spine, or no legs of any length");
}

static marey_status retarget(mry_retargeting *r, const marey_body_map *map, marey_clip *made,
                             marey_error *error)
{
    const marey_clip *onto = r->onto;
    int hips = onto->skeleton.roles[MAREY_ROLE_HIPS];
    size_t joints = (size_t)onto->skeleton.joint_count;
    size_t sources = (size_t)r->clip->skeleton.joint_count;
    r->turns = MRY_NEW_RAW(r->tmp, float, 4 * sources);
    r->places = MRY_NEW_RAW(r->tmp, double, 3 * sources);
    r->world = MRY_NEW(r->tmp, mry_rot, joints);
    r->at = MRY_NEW(r->tmp, mry_vec, joints);
    if (!r->turns || !r->places || !r->world || !r->at || !mry_retarget_plan(r, map))
        return mry_fail_memory(error, r->clip->name);
    r->mover = onto->slot[hips] >= 0 ? hips : 0;
    if (r->mover != 0) /* a root stays where it is, or at the origin */
        for (int i = 0; i < 3; i++)
            r->mean_at[i] =
                mry_root_stays(onto) ? mry_place(onto, mry_clip_first_captured(onto))[i] : 0;
    r->ratio = r->target.leg_cm / r->source.leg_cm;
    r->lift = r->target.stands_cm - r->ratio * r->source.stands_cm;
    unsigned there = MAREY_KEEP_HANDS | MAREY_KEEP_FEET | MAREY_KEEP_PATH;
    r->along = r->def->keep & there ? 1 : r->ratio;
    for (int f = 0; f < r->clip->frames; f++) {
        if (f % FRAMES_A_REPORT == 0 &&
            !mry_progress(r->clip->mem.ctx, "retargeting", f, r->clip->frames))
            return mry_fail_cancelled(error);
        make_frame(r, made, f);
    }
    return MAREY_OK;
}

/* Keeps the hips over the place where they begin. */
static bool stay(marey_clip *clip)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t joints = (size_t)clip->skeleton.joint_count;
    float *turns = MRY_NEW_RAW(&tmp, float, 4 * joints);
    double *places = MRY_NEW_RAW(&tmp, double, 3 * joints), begin[2] = { 0, 0 };
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS], mover = 0;
    if (hips > 0 && clip->slot[hips] >= 0) mover = hips;
    for (int f = 0; f < clip->frames && turns && places && hips >= 0; f++) {
        mry_body_pose(clip, f, turns, places);
        mry_vec by = { -places[3 * hips], 0, -places[3 * hips + 2] };
        if (f == 0) {
            begin[0] = -by.x;
            begin[1] = -by.z;
        }
        by.x += begin[0];
        by.z += begin[1];
        int parent = clip->joints[mover].parent;
        if (parent >= 0) by = mry_rot_apply(mry_rot_back(rot_of(turns + 4 * parent)), by);
        double *place = mry_place(clip, f) + 3 * clip->slot[mover];
        place[0] += by.x;
        place[1] += by.y;
        place[2] += by.z;
    }
    bool fits = turns && places;
    mry_arena_free(&tmp);
    return fits;
}

/* The body of `onto` with a motion of the length of `clip`. */
static marey_clip *make_empty(const marey_clip *clip, const marey_clip *onto)
{
    marey_clip *made = mry_clip_make_like(onto, clip->frames, clip->fps);
    char *name = made ? mry_arena_text(&made->mem, clip->name, strlen(clip->name)) : NULL;
    if (!name || !mry_clip_copy_marks(made, clip)) {
        marey_clip_free(made);
        return NULL;
    }
    made->name = name;
    return made;
}

/* Of bodies that differ. */
static marey_status go_across(mry_retargeting *r, const marey_contact *plants, int count,
                              const marey_body_map *map, marey_clip **out,
                              marey_retarget_result *found, marey_error *error)
{
    marey_contacts own = { 0 };
    marey_clip *made = NULL;
    marey_status status = check_body(r, r->clip, error);
    if (!status) status = check_body(r, r->onto, error);
    if (status) return status;
    r->common = mry_find_common(r->clip, r->onto);
    bool fits = !marey_contacts_find(r->onto, NULL, &own), again = true;
    for (int i = 0; i < 2 && fits && again; i++) {
        fits = mry_body_frames_find(r->clip, plants, count, &r->common, &r->source) &&
               mry_body_frames_find(r->onto, own.items, own.count, &r->common, &r->target);
        again = r->source.steep || r->target.steep;
        if (again) mry_forget_toes(&r->common);
    }
    mry_meet_at_rest(&r->common, &r->source, &r->target);
    marey_contacts_free(&own);
    if (!fits) return mry_fail_memory(error, r->clip->name);
    status = check_frames(r->clip, &r->source, error);
    if (!status) status = check_frames(r->onto, &r->target, error);
    /* A rest pose about the origin stands on no floor: it gets the one at 0. */
    if (r->onto->frames == 1 && r->target.stands_cm < -UNDER_FLOOR * r->target.leg_cm)
        r->target.stands_cm = fmax(0, r->target.drop_cm);
    if (!status && !(made = make_empty(r->clip, r->onto)))
        status = mry_fail_memory(error, r->clip->name);
    if (!status) status = retarget(r, map, made, error);
    if (!status) status = marey_clip_clean(made, plants, count, NULL, out, &found->clean, error);
    marey_clip_free(made);
    double as_fast =
        r->def->keep ? fmax(1, r->ratio) : r->ratio; /* what is kept is as fast as it was */
    if (!status && !mry_retarget_measure(r->tmp, r->clip, *out, as_fast, found))
        status = mry_fail_memory(error, r->clip->name);
    found->leg_ratio = r->ratio;
    found->straight_frames = r->straight_frames;
    for (int role = 0; role < MAREY_ROLE_COUNT; role++)
        found->roles += r->source.has[role] && r->target.has[role];
    return status;
}

marey_status marey_clip_retarget(const marey_clip *clip, const marey_contact *contacts, int count,
                                 const marey_clip *onto, const marey_retarget_def *def,
                                 marey_clip **out, marey_retarget_result *result,
                                 marey_error *error)
{
    static const marey_contact none = { 0 };
    static const marey_retarget_def defaults = { 0 };
    marey_retarget_result found = { .leg_ratio = 1, .speed_ratio = 1 };
    marey_body_map map = { 0 };
    marey_contacts own = { 0 };
    marey_clip *made = NULL, *source = NULL, *target = NULL;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_retargeting r = { clip, onto, .def = def ? def : &defaults, .tmp = &tmp };
    marey_status status = MAREY_OK;
    if (r.def->map) {
        status = mry_give_roles(clip, onto, r.def->map, &source, &target, error);
        r.clip = source;
        r.onto = target;
    }
    if (!status && same_body(r.clip, r.onto, r.def->map)) {
        found.same_body = true;
        status = marey_clip_trim(r.clip, 0, clip->frames, &made, error);
    } else if (!status) {
        if ((!contacts && marey_contacts_find(r.clip, NULL, &own)) ||
            (!r.def->map && marey_body_map_find(clip, onto, &map)))
            status = mry_fail_memory(error, clip->name);
        if (!contacts) {
            contacts = own.items;
            count = own.count;
        }
        if (!status)
            status = go_across(&r, count > 0 ? contacts : &none, count,
                               r.def->map ? r.def->map : &map, &made, &found, error);
    }
    if (!status && r.def->in_place && !stay(made)) status = mry_fail_memory(error, clip->name);
    marey_contacts_free(&own);
    marey_body_map_free(&map);
    marey_clip_free(source);
    marey_clip_free(target);
    mry_arena_free(&tmp);
    if (status) {
        marey_clip_free(made);
        return status;
    }
    *out = made;
    if (result) *result = found;
    return MAREY_OK;
}
