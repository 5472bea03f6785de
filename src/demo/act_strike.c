/* act_strike.c - punches and kicks. */
#include "demo/action.h"

static double sign_of(int side)
{
    return side == MRY_LEFT ? 1 : -1;
}

/* A hand in front of the chin, in the chest's axes from the shoulder. */
static mry_vec guard(const mry_body *body, int side)
{
    return (mry_vec){ -sign_of(side) * 9 * body->size, 4 * body->size, 26 * body->size };
}

static void raise_guard(const mry_body *body, double share, mry_pose *pose)
{
    for (int side = 0; side < 2; side++) {
        pose->wrist[side] = mry_vec_mix(pose->wrist[side], guard(body, side), share);
        mry_pose_elbow(pose, side, (mry_vec){ sign_of(side) * 0.5, -1, -0.2 }, share);
    }
}

/* wish: height of the target. */
void mry_punch_plan(mry_act *act)
{
    act->seconds = 1.75 + 0.08 * act->vary[0];
    act->end = (mry_vec){ 0, 0, 0 };
    act->end_yaw = 0;
}

void mry_punch_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, sign = sign_of(act->side), end = act->seconds;
    double up = mry_ease_window(t, 0.05, 0.5, end - 0.55, end - 0.05);
    double wind = mry_ease_window(t, 0.4, 0.66, 0.68, 0.84);
    double hit = mry_ease_window(t, 0.66, 0.92, 0.97, 1.32);
    double turn = -sign * (0.62 * hit - 0.32 * wind);
    mry_pose_stand(body, pose);
    pose->hips.y -= up * 5 * size;
    pose->hips.z += hit * 7 * size - wind * 2 * size;
    pose->hips.x -= sign * hit * 1.5 * size;
    pose->hips_turn = mry_rot_body(0.55 * turn, 0.05 * up + 0.06 * hit, 0);
    pose->spine[0] += 0.07 * up + 0.05 * hit;
    pose->spine[1] = turn;
    pose->head[1] = -1.4 * turn;
    pose->head[0] = 0.05 * up;
    raise_guard(body, up, pose);
    pose->wrist[act->side].z -= 9 * size * wind;
    pose->wrist_at[act->side] = (mry_vec){ 0, act->wish[0], 66 * size };
    pose->wrist_share[act->side] = hit;
    mry_pose_reach_floor(body, pose);
}

/* wish: height of the foot at its highest. */
void mry_kick_plan(mry_act *act)
{
    act->seconds = 2.1 + 0.1 * act->vary[0];
    act->end = (mry_vec){ 0, 0, 0 };
    act->end_yaw = 0;
}

/* Weight over the other leg; knee up; the shin snaps out and back; the foot comes down where it was. */
static void kicking_leg(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, sign = sign_of(act->side), end = act->seconds, height = act->wish[0];
    double off = 0.55, on = end - 0.45;
    mry_footstep step = { .from = { sign * body->stance, body->ankle_high, 0 },
                          .from_yaw = sign * 0.1,
                          .to_yaw = sign * 0.1,
                          .off = off,
                          .on = on,
                          .roll_s = 0.22,
                          .settle_s = 0.14,
                          .roll_rad = 0.5,
                          .land_rad = 0.15,
                          .lift = 10 * size };
    step.to = step.from;
    mry_footstep_pose(body, &step, t, act->side, pose);
    if (t <= off || t >= on) return;
    double up = mry_ease_window(t, off, off + 0.36, on - 0.4, on);
    double out = mry_ease_window(t, off + 0.22, off + 0.46, off + 0.5, off + 0.8);
    mry_vec chamber = { sign * 7 * size, 0.45 * height + 30 * size, 12 * size };
    mry_vec far = { sign * 2 * size, height, (84 - 0.22 * height / size) * size };
    pose->ankle[act->side] =
        mry_vec_mix(pose->ankle[act->side], mry_vec_mix(chamber, far, out), up);
    pose->carries[act->side] = fmin(pose->carries[act->side], 1 - up);
    /* A leg that points ahead cannot bend ahead: its knee comes up. */
    pose->knee_out[act->side] =
        mry_vec_mix(pose->knee_out[act->side], (mry_vec){ sign * 0.1, 1, 0.3 }, up);
    double point = 0.75 * up - (0.75 + 0.55 * fmin(1, height / (110 * size))) * out * 1.2;
    pose->foot[act->side] = mry_rot_mix(pose->foot[act->side], mry_rot_about(1, 0, 0, point), up);
}

void mry_kick_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, sign = sign_of(act->side), end = act->seconds;
    double lean = mry_ease_window(t, 0.1, 0.6, end - 0.6, end - 0.1);
    double out = mry_ease_window(t, 0.77, 1.01, 1.05, 1.35),
           up = mry_ease_window(t, 0.1, 0.5, end - 0.5, end);
    double high = act->wish[0] / (100 * size);
    mry_pose_stand(body, pose);
    kicking_leg(act, t, pose);
    pose->hips.x -= sign * lean * 0.88 * body->stance;
    pose->hips.y -= 2.5 * size * lean;
    pose->hips.z += 3 * size * out - 2 * size * lean;
    pose->hips_turn =
        mry_rot_body(-sign * 0.25 * out, -0.22 * out * high - 0.03 * lean, sign * 0.05 * lean);
    pose->spine[0] += 0.12 * lean - 0.12 * out * high;
    pose->spine[1] = sign * 0.35 * out;
    pose->spine[2] = -sign * 0.1 * lean;
    pose->head[0] = 0.15 * out;
    raise_guard(body, 0.85 * up, pose);
    pose->wrist[act->side] = mry_vec_mix(
        pose->wrist[act->side], (mry_vec){ sign * 26 * size, -34 * size, -14 * size }, 0.9 * out);
    mry_pose_reach_floor(body, pose);
}
