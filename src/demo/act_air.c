/* act_air.c - jumping, hopping on one leg, stepping up. In the air the hips rise and fall by gravity. */
#include "demo/action.h"

static const double gravity = 981;

static double sign_of(int side)
{
    return side == MRY_LEFT ? 1 : -1;
}

/* ---- jump -------------------------------------------------------------------------------------- */

enum { CROUCH_MS = 620, PUSH_MS = 260, LAND_MS = 900 };

static double air_seconds(double height)
{
    return 2 * sqrt(2 * height / gravity);
}

/* wish: how high the hips rise after take-off, how far the feet go. */
void mry_jump_plan(mry_act *act)
{
    act->seconds = (CROUCH_MS + PUSH_MS + LAND_MS) / 1000.0 + air_seconds(act->wish[0]);
    act->end = (mry_vec){ 0, 0, act->wish[1] };
    act->end_yaw = 0;
}

/* Height of the hips over standing. Position and speed are continuous at take-off and landing: the push is half a
   cosine that ends with the take-off speed, and the landing one that begins with it. */
static double jump_height(const mry_act *act, double t, double deep)
{
    double take = (CROUCH_MS + PUSH_MS) / 1000.0, push = PUSH_MS / 1000.0;
    double air = air_seconds(act->wish[0]), speed = gravity * air / 2, land = take + air;
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

static void jump_feet(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double take = (CROUCH_MS + PUSH_MS) / 1000.0, air = air_seconds(act->wish[0]);
    for (int side = 0; side < 2; side++) {
        double out = sign_of(side) * body->stance;
        mry_footstep step = { .from = { out, body->ankle_high, 0 },
                              .to = { out, body->ankle_high, act->wish[1] },
                              .from_yaw = sign_of(side) * 0.1,
                              .to_yaw = sign_of(side) * 0.1,
                              .off = take + 0.02,
                              .on = take + air + 0.01,
                              .roll_s = 0.14,
                              .settle_s = 0.08,
                              .roll_rad = 0.75,
                              .land_rad = 0,
                              .lift = 0.75 * act->wish[0] };
        mry_footstep_pose(body, &step, t, side, pose);
        /* In the air gravity alone moves the hips. */
        pose->carries[side] =
            fmax(1 - mry_ease((t - step.off) / 0.05), mry_ease((t - step.on + 0.05) / 0.05));
    }
}

void mry_jump_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, take = (CROUCH_MS + PUSH_MS) / 1000.0,
           air = air_seconds(act->wish[0]);
    double crouch = mry_ease_window(t, 0, take - 0.26, take - 0.26, take - 0.02);
    double land =
        mry_ease_window(t, take + air, take + air + 0.22, take + air + 0.24, act->seconds);
    double busy = mry_ease_window(t, 0, 0.4, take + air, act->seconds);
    double fly = mry_ease_window(t, take - 0.16, take + 0.08, take + air - 0.05, take + air + 0.25);
    mry_pose_stand(body, pose);
    jump_feet(act, t, pose);
    pose->hips.y += jump_height(act, t, 27 * size);
    double u = (t - take) / air;
    pose->hips.z = act->wish[1] * (u <= 0   ? 0.06 * mry_ease(t / take)
                                   : u >= 1 ? 1
                                            : 0.06 + 0.88 * u);
    if (u >= 1) pose->hips.z = act->wish[1] * (0.94 + 0.06 * mry_ease((t - take - air) / 0.5));
    pose->hips_turn = mry_rot_body(0, 0.28 * crouch + 0.2 * land, 0);
    pose->spine[0] += 0.5 * crouch + 0.32 * land - 0.08 * fly;
    pose->head[0] = -0.4 * crouch - 0.25 * land;
    for (int side = 0; side < 2; side++) {
        double swing = 0.06 - 1.0 * crouch + 2.3 * fly + 0.5 * land * (1 - fly);
        mry_pose_arm(body, pose, side, swing, 0.03 + 0.02 * busy + 0.05 * fly, 0.13 + 0.2 * fly);
    }
    mry_pose_reach_floor(body, pose);
}

/* ---- hop --------------------------------------------------------------------------------------- */

static const double hop_ready_s = 0.8, hop_cycle_s = 0.52;

/* wish: how many, how far each goes. */
void mry_hop_plan(mry_act *act)
{
    act->seconds = 2 * hop_ready_s + 0.2 + hop_cycle_s * act->wish[0];
    act->end = (mry_vec){ 0, 0, act->wish[0] * act->wish[1] };
    act->end_yaw = 0;
}

/* One foot on the floor takes the hops; the other is held up until all are done. */
static void hop_feet(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    int stand = act->side, held = 1 - act->side;
    double sign = sign_of(stand), hops = act->wish[0], length = act->wish[1], size = body->size;
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
    double size = body->size, sign = sign_of(act->side), end = act->seconds, hops = act->wish[0];
    double one_leg = mry_ease_window(t, 0.05, 0.5, end - 0.5, end - 0.05);
    double begin = hop_ready_s, done = begin + hops * hop_cycle_s;
    double phase = (t - begin) / hop_cycle_s,
           in = mry_ease_window(t, begin - 0.15, begin + 0.1, done - 0.1, done + 0.2);
    double wave = -cos(2 * M_PI * (phase - 0.17)), whole = fmin(fmax(phase, 0), hops);
    mry_pose_stand(body, pose);
    pose->hips.x += sign * one_leg * 0.85 * body->stance;
    pose->hips.y += in * 5.5 * size * wave - 5 * size * one_leg;
    double part = whole - floor(whole);
    pose->hips.z = act->wish[1] * (floor(whole) + (whole >= hops ? 0 : mry_ease(part * 1.05)));
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

/* ---- step up ----------------------------------------------------------------------------------- */

/* wish: height of the step (negative: down), its depth. */
void mry_step_up_plan(mry_act *act)
{
    act->seconds = 2.5 + 0.1 * act->vary[0];
    act->end = (mry_vec){ 0, act->wish[0], act->wish[1] };
    act->end_yaw = 0;
}

void mry_step_up_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, rise = act->wish[0], depth = act->wish[1], sign = sign_of(act->side);
    mry_pose_stand(body, pose);
    for (int n = 0; n < 2; n++) { /* first this side's foot, then the other */
        int side = n ? 1 - act->side : act->side;
        double out = sign_of(side) * body->stance;
        mry_footstep step = { .from = { out, body->ankle_high, 0 },
                              .to = { out, body->ankle_high + rise, depth },
                              .from_yaw = sign_of(side) * 0.1,
                              .to_yaw = sign_of(side) * 0.1,
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
