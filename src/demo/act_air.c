/* act_air.c - jumping, hopping on one leg, stepping up: in the air the hips rise and fall by
   gravity. And the cartwheel: the body rolls sideways over its hands. Legs and arms are spokes; a
   foot or hand that is on the floor stays where it stands, and is eased from there into its
   spoke. */
#include "demo/action.h"

static const double gravity = 981;
static const double wheel_begin_s = 0.9, wheel_turn_s = 1.8;

/* ---- jump ------------------------------------------------------------------------------------ */

enum { CROUCH_MS = 620, PUSH_MS = 260, LAND_MS = 900 };

static double air_seconds(double height)
{
    return 2 * sqrt(2 * height / gravity);
}

/* value: how high the hips rise after take-off, how far the feet go. */
void mry_jump_plan(mry_act *act)
{
    act->seconds = (CROUCH_MS + PUSH_MS + LAND_MS) / 1000.0 + air_seconds(act->value[0]);
    act->end = (mry_vec){ 0, 0, act->value[1] };
}

/* Height of the hips over standing. Position and speed are continuous at take-off and landing: the
   push is half a cosine that ends with the take-off speed, and the landing one that begins with
   it. */
static double jump_height(const mry_act *act, double t, double deep)
{
    double take = (CROUCH_MS + PUSH_MS) / 1000.0, push = PUSH_MS / 1000.0;
    double air = air_seconds(act->value[0]), speed = gravity * air / 2, land = take + air;
    if (t < take - push) return -deep * mry_ease(t / (take - push));
    if (t < take) {
        /* A cubic from (-deep, 0) to (0, speed). */
        double u = (t - take + push) / push, m = speed * push;
        return -deep * (1 - u) * (1 - u) * (1 + 2 * u) + m * u * u * (u - 1);
    }
    if (t < land) return speed * (t - take) - gravity / 2 * (t - take) * (t - take);
    double u = (t - land) / 0.22, m = -speed * 0.22, soft = 0.75 * deep;
    if (u < 1) return m * u * (1 - u) * (1 - u) - soft * u * u * (3 - 2 * u);
    return -soft * (1 - mry_ease((t - land - 0.22) / (LAND_MS / 1000.0 - 0.27)));
}

void mry_jump_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, take = (CROUCH_MS + PUSH_MS) / 1000.0,
           air = air_seconds(act->value[0]);
    double crouch = mry_ease_window(t, 0, take - 0.26, take - 0.26, take - 0.02);
    double land =
        mry_ease_window(t, take + air, take + air + 0.22, take + air + 0.24, act->seconds);
    double busy = mry_ease_window(t, 0, 0.4, take + air, act->seconds);
    double fly = mry_ease_window(t, take - 0.16, take + 0.08, take + air - 0.05, take + air + 0.25);
    mry_pose_stand(body, pose);
    for (int side = 0; side < 2; side++) {
        double out = mry_side_sign(side) * body->stance;
        mry_footstep step = { .from = { out, body->ankle_high, 0 },
                              .to = { out, body->ankle_high, act->value[1] },
                              .from_yaw = mry_side_sign(side) * 0.1,
                              .to_yaw = mry_side_sign(side) * 0.1,
                              .off = take + 0.02,
                              .on = take + air + 0.01,
                              .roll_s = 0.14,
                              .settle_s = 0.08,
                              .roll_rad = 0.75,
                              .land_rad = 0,
                              .lift = 0.75 * act->value[0] };
        mry_footstep_pose(body, &step, t, side, pose);
        /* In the air gravity alone moves the hips. */
        pose->carries[side] =
            fmax(1 - mry_ease((t - step.off) / 0.05), mry_ease((t - step.on + 0.05) / 0.05));
    }
    pose->hips.y += jump_height(act, t, 27 * size);
    double u = (t - take) / air;
    pose->hips.z = act->value[1] * (u <= 0   ? 0.06 * mry_ease(t / take)
                                    : u >= 1 ? 1
                                             : 0.06 + 0.88 * u);
    if (u >= 1) pose->hips.z = act->value[1] * (0.94 + 0.06 * mry_ease((t - take - air) / 0.5));
    pose->hips_turn = mry_rot_body(0, 0.28 * crouch + 0.2 * land, 0);
    pose->spine[0] += 0.5 * crouch + 0.32 * land - 0.08 * fly;
    pose->head[0] = -0.4 * crouch - 0.25 * land;
    for (int side = 0; side < 2; side++) {
        double swing = 0.06 - 1.0 * crouch + 2.3 * fly + 0.5 * land * (1 - fly);
        mry_pose_arm(body, pose, side, swing, 0.03 + 0.02 * busy + 0.05 * fly, 0.13 + 0.2 * fly);
    }
    mry_pose_reach_floor(body, pose);
}

/* ---- hop ------------------------------------------------------------------------------------- */

static const double hop_ready_s = 0.8, hop_cycle_s = 0.52;

/* value: how many, how far each goes. */
void mry_hop_plan(mry_act *act)
{
    act->seconds = 2 * hop_ready_s + 0.2 + hop_cycle_s * act->value[0];
    act->end = (mry_vec){ 0, 0, act->value[0] * act->value[1] };
}

/* One foot on the floor takes the hops; the other is held up until all are done. */
static void hop_feet(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    int stand = act->side, held = 1 - act->side;
    double sign = mry_side_sign(stand), hops = act->value[0], length = act->value[1],
           size = body->size;
    double number = floor((t - hop_ready_s) / hop_cycle_s);
    number = fmin(fmax(number, 0), hops - 1);
    double begin = hop_ready_s + number * hop_cycle_s;
    mry_footstep step = { .from = { sign * body->stance, body->ankle_high, number * length },
                          .to = { sign * body->stance, body->ankle_high, (number + 1) * length },
                          .from_yaw = sign * 0.1,
                          .to_yaw = sign * 0.1,
                          .off = begin + 0.22,
                          .on = begin + 0.22 + 0.24,
                          .roll_s = 0.1,
                          .settle_s = 0.05,
                          .roll_rad = 0.5,
                          .land_rad = 0,
                          .lift = 9 * size };
    mry_footstep_pose(body, &step, t, stand, pose);
    double end = act->seconds, last = hops * length;
    mry_footstep lifted = { .from = { -sign * body->stance, body->ankle_high, 0 },
                            .to = { -sign * body->stance, body->ankle_high, last },
                            .from_yaw = -sign * 0.1,
                            .to_yaw = -sign * 0.1,
                            .off = 0.35,
                            .on = end - 0.35,
                            .roll_s = 0.15,
                            .settle_s = 0.1,
                            .roll_rad = 0.4,
                            .land_rad = 0,
                            .lift = 4 * size };
    mry_footstep_pose(body, &lifted, t, held, pose);
    if (t <= lifted.off || t >= lifted.on) return;
    double up = mry_ease_window(t, lifted.off, lifted.off + 0.4, lifted.on - 0.4, lifted.on);
    mry_vec tucked = { pose->hips.x - sign * 9 * size, pose->hips.y - 48 * size,
                       pose->hips.z - 22 * size };
    pose->carries[held] = fmin(pose->carries[held], 1 - up);
    pose->ankle[held] = mry_vec_mix(pose->ankle[held], tucked, up);
    pose->foot[held] = mry_rot_mix(pose->foot[held], mry_rot_about(1, 0, 0, 1.1), up);
}

void mry_hop_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, sign = mry_side_sign(act->side), end = act->seconds,
           hops = act->value[0];
    double one_leg = mry_ease_window(t, 0.05, 0.5, end - 0.5, end - 0.05);
    double begin = hop_ready_s, done = begin + hops * hop_cycle_s;
    double phase = (t - begin) / hop_cycle_s,
           in = mry_ease_window(t, begin - 0.15, begin + 0.1, done - 0.1, done + 0.2);
    double wave = -cos(2 * M_PI * (phase - 0.17)), whole = fmin(fmax(phase, 0), hops);
    mry_pose_stand(body, pose);
    pose->hips.x += sign * one_leg * 0.85 * body->stance;
    pose->hips.y += in * 5.5 * size * wave - 5 * size * one_leg;
    double part = whole - floor(whole);
    pose->hips.z = act->value[1] * (floor(whole) + (whole >= hops ? 0 : mry_ease(part * 1.05)));
    hop_feet(act, t, pose);
    pose->hips_turn = mry_rot_body(0, 0.05 * one_leg, sign * 0.06 * one_leg);
    pose->spine[0] += 0.12 * one_leg + 0.06 * in * wave;
    pose->spine[2] = -sign * 0.1 * one_leg;
    for (int side = 0; side < 2; side++) {
        mry_pose_arm(body, pose, side, 0.06 + 0.25 * in * wave + 0.34 * one_leg,
                     0.03 + 0.17 * one_leg, 0.13 + 0.45 * one_leg);
    }
    mry_pose_reach_floor(body, pose);
}

/* ---- step up --------------------------------------------------------------------------------- */

/* value: height of the step (negative: down), its depth. */
void mry_step_up_plan(mry_act *act)
{
    act->seconds = 2.5 + 0.1 * act->vary[0];
    act->end = (mry_vec){ 0, act->value[0], act->value[1] };
}

void mry_step_up_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, rise = act->value[0], depth = act->value[1],
           sign = mry_side_sign(act->side);
    mry_pose_stand(body, pose);
    for (int n = 0; n < 2; n++) { /* first this side's foot, then the other */
        int side = n ? 1 - act->side : act->side;
        double out = mry_side_sign(side) * body->stance;
        mry_footstep step = { .from = { out, body->ankle_high, 0 },
                              .to = { out, body->ankle_high + rise, depth },
                              .from_yaw = mry_side_sign(side) * 0.1,
                              .to_yaw = mry_side_sign(side) * 0.1,
                              .off = n ? 1.35 : 0.42,
                              .on = n ? 2.0 : 1.05,
                              .roll_s = 0.22,
                              .settle_s = 0.14,
                              .roll_rad = n ? 0.7 : 0.4,
                              .land_rad = 0.05,
                              .lift = fmax(0, rise) * 0.75 + 11 * size };
        mry_footstep_pose(body, &step, t, side, pose);
    }
    double shift = mry_ease_window(t, 0.05, 0.5, 0.75, 1.3),
           over = mry_ease_window(t, 0.95, 1.4, 1.7, 2.3);
    double forth = 0.12 * mry_ease(t / 0.9) + 0.88 * mry_ease((t - 0.75) / 1.1);
    double climb = rise > 0 ? mry_ease((t - 0.95) / 0.95) : mry_ease((t - 0.5) / 0.75);
    pose->hips.z = depth * forth;
    pose->hips.y += rise * climb - 2 * size * (shift + over);
    pose->hips.x += sign * body->stance * (0.75 * over - 0.75 * shift);
    double effort = mry_ease_window(t, 0.4, 1.0, 1.2, 1.9);
    double busy = mry_ease_window(t, 0, 0.4, 2.0, act->seconds);
    pose->hips_turn = mry_rot_body(0, 0.12 * effort, 0);
    pose->spine[0] += 0.22 * effort;
    pose->head[0] = 0.15 * mry_ease_window(t, 0, 0.4, 0.9, 1.5);
    for (int side = 0; side < 2; side++) {
        double forward = side == act->side ? -0.3 * shift + 0.35 * over : 0.35 * shift - 0.3 * over;
        mry_pose_arm(body, pose, side, 0.06 + forward, 0.03 + 0.03 * busy, 0.13 + 0.01 * busy);
    }
    mry_pose_reach_floor(body, pose);
}

/* ---- cartwheel ------------------------------------------------------------------------------- */

/* Moments of the turn, on the scale on which it takes 1.35. */
static double moment(double t)
{
    return wheel_begin_s + t * wheel_turn_s / 1.35;
}

/* side: the hand that goes down first, and so the direction. */
void mry_cartwheel_plan(mry_act *act)
{
    act->seconds = wheel_begin_s + wheel_turn_s + 1.0;
    act->end = (mry_vec){ mry_side_sign(act->side) * 190 * act->body->size, 0, 0 };
}

/* 0 to 1 over the turn; fast in the middle. */
static double share_turned(double t)
{
    double u = fmin(1, fmax(0, (t - wheel_begin_s) / wheel_turn_s));
    return 0.3 * mry_ease(u) + 0.7 * u * u * (3 - 2 * u);
}

/* A foot stands, becomes a spoke while `leave` goes to 1, and stands again while `arrive` does. */
static void wheel_foot(const mry_act *act, double t, int side, double leave_s, double arrive_s,
                       double open, mry_pose *pose)
{
    const mry_body *b = act->body;
    double out = mry_side_sign(side) * b->stance, step = side == act->side ? 1 : 0;
    double way = mry_side_sign(act->side);
    /* The leading foot steps out first; both land about the end. */
    mry_vec from = { out + step * way * 34 * b->size, b->ankle_high, 0 };
    mry_vec to = { act->end.x + out, b->ankle_high, 0 };
    double leave = mry_ease((t - leave_s) / 0.42), arrive = mry_ease((t - arrive_s + 0.5) / 0.5);
    /* Where the leg would be as a spoke of the wheel. */
    double angle = mry_side_sign(side) * (0.12 + 0.55 * open), length = 0.97 * (b->thigh + b->shin);
    mry_vec hip = { mry_side_sign(side) * b->hip_x, -b->hip_drop, 0 };
    mry_vec leg = { sin(angle) * length, -cos(angle) * length, 0 };
    mry_vec spoke = mry_rot_apply(pose->hips_turn, mry_vec_add(hip, leg));
    spoke = mry_vec_add(pose->hips, spoke);
    mry_rot flat = mry_rot_about(0, 1, 0, mry_side_sign(side) * 0.1);
    /* The angle of the roll is eased, not the orientation: half-way round there is no shorter
       way. */
    double roll = -way * 2 * M_PI * share_turned(t) * leave;
    roll += (-way * 2 * M_PI - roll) * arrive;
    mry_rot rolled = mry_rot_times(mry_rot_about(0, 0, 1, roll),
                                   mry_rot_about(1, 0, 0, 0.9 * leave * (1 - arrive)));
    if (t < leave_s) {
        if (step > 0) {
            mry_footstep first = { .from = { out, b->ankle_high, 0 },
                                   .to = from,
                                   .from_yaw = mry_side_sign(side) * 0.1,
                                   .to_yaw = mry_side_sign(side) * 0.1,
                                   .off = 0.3,
                                   .on = 0.72,
                                   .roll_s = 0.12,
                                   .settle_s = 0.08,
                                   .roll_rad = 0.3,
                                   .land_rad = 0,
                                   .lift = 8 * b->size };
            mry_footstep_pose(b, &first, t, side, pose);
        }
        return;
    }
    bool down = t >= arrive_s;
    pose->ankle[side] = down ? to : mry_vec_mix(mry_vec_mix(from, spoke, leave), to, arrive);
    pose->foot[side] = down ? flat : mry_rot_times(rolled, flat);
    pose->heel_down[side] = pose->toe_down[side] = down;
    pose->carries[side] = down ? 1 : fmax(1 - leave, arrive);
    pose->knee_out[side].x += mry_side_sign(side) * 0.1 * leave * (1 - arrive);
    if (!down) pose->ankle[side].y += fmax(0, b->ball_high - mry_pose_ball(b, pose, side).y);
}

void mry_cartwheel_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *b = act->body;
    double size = b->size, way = mry_side_sign(act->side), turned = share_turned(t);
    double roll = -way * 2 * M_PI * turned, upside = 0.5 - 0.5 * cos(2 * M_PI * turned);
    double begin = mry_ease(t / wheel_begin_s),
           end = mry_ease((t - wheel_begin_s - wheel_turn_s) / 0.85);
    double arms = mry_ease_window(t, 0.1, 0.75, act->seconds - 0.85, act->seconds - 0.05);
    double side_low = 0.5 - 0.5 * cos(4 * M_PI * turned); /* lying on its side, twice */
    mry_pose_stand(b, pose);
    pose->hips.x = way * 18 * size * begin + (act->end.x - way * 18 * size) * turned;
    double reach = b->forearm + b->upper_arm + 14 * size + b->waist + b->chest + b->collar_y;
    pose->hips.y = b->hips_high * (1 - upside) + 0.93 * reach * upside - 14 * size * side_low;
    pose->hips.y -= 4 * size * begin * (1 - mry_ease(turned * 6));
    pose->hips_turn = mry_rot_about(0, 0, 1, roll);
    pose->spine[0] = 0.03;
    double open = mry_ease_window(t, moment(0), moment(0.45), moment(0.9), moment(1.35));
    wheel_foot(act, t, 1 - act->side, moment(0.30), moment(1.02), open, pose);
    wheel_foot(act, t, act->side, moment(0.50), moment(1.22), open, pose);
    for (int side = 0; side < 2; side++) {
        mry_vec up = { mry_side_sign(side) * 13 * size, 0.985 * (b->upper_arm + b->forearm),
                       2 * size };
        mry_vec hang = pose->wrist[side];
        mry_vec aside = { mry_side_sign(side) * 48 * size, 8 * size, 6 * size };
        double raised = arms * (1 - end);
        mry_vec half = mry_vec_mix(hang, aside, fmin(1, 2 * raised));
        pose->wrist[side] = mry_vec_mix(half, up, fmax(0, 2 * raised - 1));
        /* The hand of the leading side is down first. */
        bool first = side == act->side;
        double on = moment(first ? 0.42 : 0.58), off = moment(first ? 0.84 : 1.0);
        double x = way * (18 + (first ? 62 : 98)) * size;
        pose->wrist_at[side] = (mry_vec){ x, 8 * size, 4 * size };
        pose->wrist_share[side] = mry_ease_window(t, on - 0.34, on, off, off + 0.34);
        pose->hand_down[side] = true;
    }
    pose->head[0] = -0.35 * upside;
    mry_pose_reach_floor(b, pose);
}
