/* demo_body.c - from a pose as an animator says it to joint rotations. Legs and arms are two bones
   each, solved analytically; feet keep the orientation they were given. One step of one foot has
   plants that hold exactly: the heel lifts about the ball, which stays; the foot flies; the ankle
   arrives and stays, and the toes come down about it. */
#include "demo/demo_body.h"

#include <string.h>

enum {
    HIPS,
    LEFT_UP_LEG,
    LEFT_LEG,
    LEFT_FOOT,
    LEFT_TOE,
    RIGHT_UP_LEG,
    RIGHT_LEG,
    RIGHT_FOOT,
    RIGHT_TOE,
    SPINE,
    SPINE1,
    NECK,
    HEAD,
    LEFT_SHOULDER,
    LEFT_ARM,
    LEFT_FORE_ARM,
    LEFT_HAND,
    RIGHT_SHOULDER,
    RIGHT_ARM,
    RIGHT_FORE_ARM,
    RIGHT_HAND,
    JOINTS
};

/* Shares of the length of a limb, up to which it follows its target exactly. */
static const double REACH_LEG = 0.992, REACH_ARM = 0.985;

mry_body mry_body_make(double size)
{
    mry_body b = { .size = size,
                   .hip_x = 9,
                   .hip_drop = 4,
                   .thigh = 43,
                   .shin = 42,
                   .ankle_high = 8,
                   .foot_long = 14,
                   .ball_high = 2,
                   .waist = 11,
                   .chest = 21,
                   .neck_base = 23,
                   .neck = 9,
                   .head = 19,
                   .collar_x = 4,
                   .collar_y = 17,
                   .shoulder_x = 14,
                   .upper_arm = 29,
                   .forearm = 25,
                   .hand = 17,
                   .stance = 10 };
    double *lengths = &b.hip_x;
    for (size_t i = 0; i < (sizeof b - offsetof(mry_body, hip_x)) / sizeof(double); i++) {
        lengths[i] *= size;
    }
    b.hips_high = b.ankle_high + b.hip_drop + 0.98 * (b.thigh + b.shin);
    return b;
}

/* ---- poses ----------------------------------------------------------------------------------- */

void mry_pose_arm(const mry_body *body, mry_pose *pose, int side, double swing, double bend,
                  double out)
{
    double reach = (body->upper_arm + body->forearm) * (0.985 - bend);
    double down = cos(swing) * cos(out), forth = sin(swing) * cos(out);
    pose->wrist[side] =
        (mry_vec){ mry_side_sign(side) * sin(out) * reach, -down * reach, forth * reach };
    pose->elbow_out[side] = (mry_vec){ mry_side_sign(side) * 0.35, -0.2, -1 };
}

void mry_pose_elbow(mry_pose *pose, int side, mry_vec out, double share)
{
    mry_vec from = mry_vec_unit(pose->elbow_out[side]);
    pose->elbow_out[side] = mry_vec_mix(from, mry_vec_unit(out), share);
}

void mry_pose_stand(const mry_body *body, mry_pose *pose)
{
    memset(pose, 0, sizeof *pose);
    pose->hips = (mry_vec){ 0, body->hips_high, 0 };
    pose->hips_turn = (mry_rot){ 1, 0, 0, 0 };
    for (int side = 0; side < 2; side++) {
        double out = mry_side_sign(side);
        pose->ankle[side] = (mry_vec){ out * body->stance, body->ankle_high, 0 };
        pose->foot[side] = mry_rot_about(0, 1, 0, out * 0.1);
        pose->knee_out[side] = (mry_vec){ out * 0.1, 0, 1 };
        pose->heel_down[side] = pose->toe_down[side] = true;
        pose->carries[side] = 1;
        mry_pose_arm(body, pose, side, 0.06, 0.03, 0.13);
    }
    pose->spine[0] = 0.03;
}

static mry_vec hip_joint(const mry_body *body, const mry_pose *pose, int side)
{
    mry_vec local = { mry_side_sign(side) * body->hip_x, -body->hip_drop, 0 };
    return mry_vec_add(pose->hips, mry_rot_apply(pose->hips_turn, local));
}

void mry_pose_reach_floor(const mry_body *body, mry_pose *pose)
{
    double longest = REACH_LEG * (body->thigh + body->shin), soft = 0.6 * body->size;
    for (int side = 0; side < 2; side++) {
        mry_vec hip = hip_joint(body, pose, side), way = mry_vec_sub(hip, pose->ankle[side]);
        double flat = way.x * way.x + way.z * way.z;
        double highest = sqrt(fmax(1, longest * longest - flat));
        /* The smooth maximum of 0 and what is too high; it lowers a little early rather than
           late. */
        double over = way.y - highest;
        double lower = over > 12 * soft ? over : soft * log1p(exp(over / soft));
        pose->hips.y -= pose->carries[side] * lower;
    }
}

static mry_vec ball_offset(const mry_body *body)
{
    return (mry_vec){ 0, body->ball_high - body->ankle_high, body->foot_long };
}

mry_vec mry_pose_ball(const mry_body *body, const mry_pose *pose, int side)
{
    return mry_vec_add(pose->ankle[side], mry_rot_apply(pose->foot[side], ball_offset(body)));
}

/* ---- skeleton -------------------------------------------------------------------------------- */

typedef struct joint_row {
    const char *name;
    int parent;
    mry_vec offset;
    mry_vec end; /* all zero: none */
} joint_row;

static void set_vector(double *out, mry_vec v)
{
    /* Offsets are written with four decimals, and the clip is what its file says. */
    const double numbers[3] = { v.x, v.y, v.z };
    for (int i = 0; i < 3; i++) out[i] = nearbyint(numbers[i] * 1e4) / 1e4;
}

marey_clip *mry_body_clip(marey_ctx *ctx, const mry_body *body, const char *name, int frames,
                          double fps)
{
    static const marey_channel channels[] = { MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION,
                                              MAREY_CHANNEL_Z_POSITION, MAREY_CHANNEL_Z_ROTATION,
                                              MAREY_CHANNEL_Y_ROTATION, MAREY_CHANNEL_X_ROTATION };
    const mry_body *b = body;
    double foot = b->ball_high - b->ankle_high;
    const joint_row rows[JOINTS] = {
        { "Hips", -1, { 0, 0, 0 }, { 0, 0, 0 } },
        { "LeftUpLeg", HIPS, { b->hip_x, -b->hip_drop, 0 }, { 0, 0, 0 } },
        { "LeftLeg", LEFT_UP_LEG, { 0, -b->thigh, 0 }, { 0, 0, 0 } },
        { "LeftFoot", LEFT_LEG, { 0, -b->shin, 0 }, { 0, 0, 0 } },
        { "LeftToeBase", LEFT_FOOT, { 0, foot, b->foot_long }, { 0, 0, 0.45 * b->foot_long } },
        { "RightUpLeg", HIPS, { -b->hip_x, -b->hip_drop, 0 }, { 0, 0, 0 } },
        { "RightLeg", RIGHT_UP_LEG, { 0, -b->thigh, 0 }, { 0, 0, 0 } },
        { "RightFoot", RIGHT_LEG, { 0, -b->shin, 0 }, { 0, 0, 0 } },
        { "RightToeBase", RIGHT_FOOT, { 0, foot, b->foot_long }, { 0, 0, 0.45 * b->foot_long } },
        { "Spine", HIPS, { 0, b->waist, 0 }, { 0, 0, 0 } },
        { "Spine1", SPINE, { 0, b->chest, 0 }, { 0, 0, 0 } },
        { "Neck", SPINE1, { 0, b->neck_base, 0 }, { 0, 0, 0 } },
        { "Head", NECK, { 0, b->neck, 0.1 * b->neck }, { 0, b->head, 0 } },
        { "LeftShoulder", SPINE1, { b->collar_x, b->collar_y, 0 }, { 0, 0, 0 } },
        { "LeftArm", LEFT_SHOULDER, { b->shoulder_x, 0, 0 }, { 0, 0, 0 } },
        { "LeftForeArm", LEFT_ARM, { b->upper_arm, 0, 0 }, { 0, 0, 0 } },
        { "LeftHand", LEFT_FORE_ARM, { b->forearm, 0, 0 }, { b->hand, 0, 0 } },
        { "RightShoulder", SPINE1, { -b->collar_x, b->collar_y, 0 }, { 0, 0, 0 } },
        { "RightArm", RIGHT_SHOULDER, { -b->shoulder_x, 0, 0 }, { 0, 0, 0 } },
        { "RightForeArm", RIGHT_ARM, { -b->upper_arm, 0, 0 }, { 0, 0, 0 } },
        { "RightHand", RIGHT_FORE_ARM, { -b->forearm, 0, 0 }, { -b->hand, 0, 0 } },
    };
    marey_clip *clip = mry_clip_make(ctx, name, JOINTS);
    if (!clip) return NULL;
    bool fits = true;
    for (int j = 0; j < JOINTS && fits; j++) {
        const joint_row *row = &rows[j];
        marey_joint *joint = &clip->joints[j];
        joint->name = mry_arena_text(&clip->mem, row->name, strlen(row->name));
        joint->parent = row->parent;
        joint->first_channel = clip->skeleton.channel_count;
        joint->channel_count = j == 0 ? 6 : 3; /* the root has a position as well */
        memcpy(joint->channels, channels + 6 - joint->channel_count,
               (size_t)joint->channel_count * sizeof *channels);
        clip->skeleton.channel_count += joint->channel_count;
        joint->has_end = row->end.x != 0 || row->end.y != 0 || row->end.z != 0;
        set_vector(joint->offset_cm, row->offset);
        set_vector(joint->end_cm, row->end);
        memcpy(clip->source.offsets + 3 * j, joint->offset_cm, sizeof joint->offset_cm);
        memcpy(clip->source.ends + 3 * j, joint->end_cm, sizeof joint->end_cm);
        fits = joint->name != NULL;
    }
    clip->fps = fps;
    clip->units = MAREY_UNITS_CM;
    clip->up = MAREY_UP_Y;
    if (fits && mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, frames)) return clip;
    marey_clip_free(clip);
    return NULL;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Global rotations of all joints, and the places that limbs start from. */
typedef struct solution {
    mry_rot world[JOINTS];
    mry_vec shoulder[2];
    bool arrived[2]; /* the wrist is at its place in space */
} solution;

static void solve_trunk(const mry_body *b, const mry_pose *pose, solution *s)
{
    const double *sp = pose->spine, *hd = pose->head;
    s->world[HIPS] = pose->hips_turn;
    s->world[SPINE] = mry_rot_times(s->world[HIPS], mry_rot_body(sp[1] / 2, sp[0] / 2, sp[2] / 2));
    s->world[SPINE1] =
        mry_rot_times(s->world[SPINE], mry_rot_body(sp[1] / 2, sp[0] / 2, sp[2] / 2));
    s->world[NECK] =
        mry_rot_times(s->world[SPINE1], mry_rot_body(hd[1] * 0.4, hd[0] * 0.4, hd[2] * 0.4));
    s->world[HEAD] =
        mry_rot_times(s->world[NECK], mry_rot_body(hd[1] * 0.6, hd[0] * 0.6, hd[2] * 0.6));
    mry_vec at =
        mry_vec_add(pose->hips, mry_rot_apply(s->world[HIPS], (mry_vec){ 0, b->waist, 0 }));
    at = mry_vec_add(at, mry_rot_apply(s->world[SPINE], (mry_vec){ 0, b->chest, 0 }));
    for (int side = 0; side < 2; side++) {
        mry_vec out = { mry_side_sign(side) * (b->collar_x + b->shoulder_x), b->collar_y, 0 };
        s->shoulder[side] = mry_vec_add(at, mry_rot_apply(s->world[SPINE1], out));
    }
}

mry_vec mry_pose_shoulder(const mry_body *body, const mry_pose *pose, int side)
{
    solution s;
    solve_trunk(body, pose, &s);
    return s.shoulder[side];
}

/* A bone that hangs along -y at rest, bent about `across`, now pointing along `way`. */
static mry_rot hanging_bone(mry_vec way, mry_vec across)
{
    mry_vec y = mry_vec_scale(mry_vec_unit(way), -1);
    mry_vec z = mry_vec_unit(mry_vec_cross(across, y)), x = mry_vec_cross(y, z);
    return mry_rot_from_axes(x, y, z);
}

/* Close to straight, the middle of a limb moves far for a little way of its end, and would jump
   there. So from a share of its length on a limb gets straight ever slower, and never quite. What
   stands on the floor is nearer than that: see mry_pose_reach_floor. */
static mry_vec soften_reach(mry_vec base, mry_vec goal, double length, double free_share)
{
    const double most = 0.997;
    mry_vec way = mry_vec_sub(goal, base);
    double distance = mry_vec_length(way), soft = (most - free_share) * length;
    double beyond = distance - free_share * length;
    if (beyond <= 0) return goal;
    double span = free_share * length + soft * (1 - exp(-beyond / soft));
    return mry_vec_add(base, mry_vec_scale(way, span / distance));
}

static void solve_leg(const mry_body *b, const mry_pose *pose, int side, solution *s)
{
    int first = side == MRY_LEFT ? LEFT_UP_LEG : RIGHT_UP_LEG;
    mry_vec hip = hip_joint(b, pose, side),
            pole = mry_rot_apply(pose->hips_turn, pose->knee_out[side]);
    mry_vec ankle = soften_reach(hip, pose->ankle[side], b->thigh + b->shin, REACH_LEG);
    mry_vec knee = mry_limb_middle(hip, ankle, b->thigh, b->shin, pole);
    mry_vec way = mry_vec_unit(mry_vec_sub(ankle, hip));
    mry_vec across = mry_vec_unit(mry_vec_cross(pole, way));
    s->world[first] = hanging_bone(mry_vec_sub(knee, hip), across);
    s->world[first + 1] = hanging_bone(mry_vec_sub(ankle, knee), across);
    s->world[first + 2] = pose->foot[side];
    s->world[first + 3] =
        mry_rot_times(pose->foot[side], mry_rot_about(1, 0, 0, -pose->toes[side]));
}

/* A bone that points along x (left) or -x (right) at rest. */
static mry_rot side_bone(mry_vec way, mry_vec across, double sign)
{
    mry_vec x = mry_vec_scale(mry_vec_unit(way), sign);
    mry_vec z = mry_vec_unit(mry_vec_cross(x, across)), y = mry_vec_cross(z, x);
    return mry_rot_from_axes(x, y, z);
}

static const double ARRIVED_CM = 0.05;

static void solve_arm(const mry_body *b, const mry_pose *pose, int side, solution *s)
{
    int first = side == MRY_LEFT ? LEFT_SHOULDER : RIGHT_SHOULDER;
    double sign = mry_side_sign(side);
    mry_rot chest = s->world[SPINE1];
    mry_vec from = s->shoulder[side];
    mry_vec wrist = mry_vec_add(from, mry_rot_apply(chest, pose->wrist[side]));
    double length = b->upper_arm + b->forearm;
    /* Something out of reach is reached for, not waited for: the hand sets out for it, and leaves
       it, at once. */
    mry_vec goal = soften_reach(from, pose->wrist_at[side], length, REACH_ARM);
    wrist = mry_vec_mix(wrist, goal, pose->wrist_share[side]);
    wrist = soften_reach(from, wrist, length, REACH_ARM);
    s->arrived[side] = pose->wrist_share[side] == 1 &&
                       mry_vec_length(mry_vec_sub(wrist, pose->wrist_at[side])) < ARRIVED_CM;
    mry_vec pole = mry_rot_apply(chest, pose->elbow_out[side]);
    mry_vec elbow = mry_limb_middle(from, wrist, b->upper_arm, b->forearm, pole);
    mry_vec way = mry_vec_unit(mry_vec_sub(wrist, from));
    mry_vec across = mry_vec_scale(mry_vec_unit(mry_vec_cross(way, pole)), sign);
    s->world[first] = chest;
    s->world[first + 1] = side_bone(mry_vec_sub(elbow, from), across, sign);
    s->world[first + 2] = side_bone(mry_vec_sub(wrist, elbow), across, sign);
    s->world[first + 3] = s->world[first + 2];
}

void mry_body_write(const mry_body *body, const mry_pose *pose, marey_clip *clip, int frame,
                    bool hand_stands[2])
{
    solution s;
    solve_trunk(body, pose, &s);
    for (int side = 0; side < 2; side++) {
        solve_leg(body, pose, side, &s);
        solve_arm(body, pose, side, &s);
        hand_stands[side] = pose->hand_down[side] && s.arrived[side];
    }
    double *place = mry_place(clip, frame);
    float *turn = mry_turn(clip, frame);
    place[0] = pose->hips.x;
    place[1] = pose->hips.y;
    place[2] = pose->hips.z;
    for (int j = 0; j < JOINTS; j++) {
        int parent = clip->joints[j].parent;
        mry_rot local =
            parent < 0 ? s.world[j] : mry_rot_times(mry_rot_back(s.world[parent]), s.world[j]);
        turn[4 * j] = (float)local.w;
        turn[4 * j + 1] = (float)local.x;
        turn[4 * j + 2] = (float)local.y;
        turn[4 * j + 3] = (float)local.z;
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

static mry_rot foot_turn(double yaw, double toes_down)
{
    return mry_rot_times(mry_rot_about(0, 1, 0, yaw), mry_rot_about(1, 0, 0, toes_down));
}

/* The ankle when the ball is where it is with the foot flat at `flat`, and the heel is up by
   `roll`. */
static mry_vec ankle_over_ball(const mry_body *body, mry_vec flat, double yaw, double roll)
{
    mry_vec ball = mry_vec_add(flat, mry_rot_apply(foot_turn(yaw, 0), ball_offset(body)));
    return mry_vec_sub(ball, mry_rot_apply(foot_turn(yaw, roll), ball_offset(body)));
}

/* In the air. Toes are kept above the line between the two floors. */
static void fly(const mry_body *body, const mry_footstep *s, double t, int side, mry_pose *pose)
{
    double u = (t - s->off) / (s->on - s->off), e = mry_ease(u);
    double yaw = s->from_yaw + (s->to_yaw - s->from_yaw) * e;
    double pitch = s->roll_rad + (-s->land_rad - s->roll_rad) * mry_ease(u * 1.15);
    double bump = 16 * u * u * (1 - u) * (1 - u);
    mry_vec start = ankle_over_ball(body, s->from, s->from_yaw, s->roll_rad);
    mry_vec at = mry_vec_mix(start, s->to, e);
    at.y += s->lift * bump;
    pose->foot[side] = foot_turn(yaw, pitch);
    mry_vec ball = mry_rot_apply(pose->foot[side], ball_offset(body));
    double floor = s->from.y + (s->to.y - s->from.y) * mry_ease(u * 2) - body->ankle_high;
    double low = floor + body->ball_high + 0.12 * s->lift * bump - (at.y + ball.y);
    if (low > 0) at.y += low;
    pose->ankle[side] = at;
    pose->toes[side] = 0;
    pose->heel_down[side] = pose->toe_down[side] = false;
    pose->carries[side] =
        fmax(1 - mry_ease((t - s->off) / 0.22), mry_ease((t - s->on + 0.26) / 0.26));
}

void mry_footstep_pose(const mry_body *body, const mry_footstep *s, double t, int side,
                       mry_pose *pose)
{
    pose->heel_down[side] = pose->toe_down[side] = true;
    pose->toes[side] = 0;
    pose->carries[side] = 1;
    if (t >= s->on) {
        double up = s->land_rad * (1 - mry_ease((t - s->on) / s->settle_s));
        pose->ankle[side] = s->to;
        pose->foot[side] = foot_turn(s->to_yaw, -up);
        pose->toe_down[side] = t >= s->on + s->settle_s || s->land_rad == 0;
    } else if (t > s->off) {
        fly(body, s, t, side, pose);
    } else {
        double roll = s->roll_rad * mry_ease((t - (s->off - s->roll_s)) / s->roll_s);
        pose->ankle[side] = ankle_over_ball(body, s->from, s->from_yaw, roll);
        pose->foot[side] = foot_turn(s->from_yaw, roll);
        pose->toes[side] = roll;
        pose->heel_down[side] = t <= s->off - s->roll_s || s->roll_rad == 0;
    }
}
