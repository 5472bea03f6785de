/* act_standing.c - what is done on the spot: standing about, reaching, sitting, punches and
   kicks. */
#include "demo/action.h"

/* ---- idle ------------------------------------------------------------------------------------ */

/* Weight goes from leg to leg, the chest breathes, the head looks about. */
void mry_idle_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double still = mry_ease_window(t, 0, 0.8, act->seconds - 0.8, act->seconds), size = body->size;
    double shift = sin(2 * M_PI * t / (3.1 + 0.4 * act->vary[0]) + act->vary[1]);
    double breath = sin(2 * M_PI * t / 3.4),
           look = sin(2 * M_PI * t / (4.2 + act->vary[2]) + 2 * act->vary[3]);
    mry_pose_stand(body, pose);
    pose->hips.x += still * 2.2 * size * shift;
    pose->hips.y -= still * 0.6 * size * shift * shift;
    pose->hips_turn = mry_rot_body(still * 0.03 * look, 0, still * -0.035 * shift);
    pose->spine[0] += still * 0.012 * breath;
    pose->spine[2] = still * 0.04 * shift;
    pose->head[1] = still * (0.28 + 0.1 * act->vary[4]) * look;
    pose->head[0] = still * 0.06 * breath;
    for (int side = 0; side < 2; side++) {
        mry_pose_arm(body, pose, side, 0.06 + still * 0.03 * breath, 0.03,
                     0.13 + still * 0.015 * shift);
    }
    mry_pose_reach_floor(body, pose);
}

/* ---- reach ----------------------------------------------------------------------------------- */

/* value: the target of the wrist in x, y, z, from where the body stands. A target out of reach is
   brought in. */
void mry_reach_plan(mry_act *act)
{
    const mry_body *body = act->body;
    mry_pose pose;
    act->seconds = 2.3 + 0.15 * act->vary[0];
    for (int round = 0; round < 12;
         round++) { /* leaning less far for a nearer target moves the shoulder again */
        mry_reach_pose(act, act->seconds / 2, &pose);
        mry_vec from = mry_pose_shoulder(body, &pose, act->side);
        mry_vec way = mry_vec_sub((mry_vec){ act->value[0], act->value[1], act->value[2] }, from);
        double far = mry_vec_length(way) / (0.985 * (body->upper_arm + body->forearm));
        if (far <= 1) break;
        mry_vec near = mry_vec_add(from, mry_vec_scale(way, 1 / far));
        act->value[0] = near.x;
        act->value[1] = near.y;
        act->value[2] = near.z;
    }
}

/* High targets straighten the body, low ones bend knees and back, far ones lean it over. */
void mry_reach_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    mry_vec target = { act->value[0], act->value[1], act->value[2] };
    double mid = act->seconds / 2,
           out = mry_ease_window(t, 0.1, mid - 0.1, mid + 0.1, act->seconds - 0.1);
    double trunk = mry_ease_window(t, 0.05, mid - 0.15, mid + 0.2, act->seconds);
    double shoulder = body->hips_high + body->waist + body->chest + body->collar_y;
    double low = fmax(0, shoulder - 22 * body->size - target.y),
           far = fmax(0, target.z - 40 * body->size);
    mry_pose_stand(body, pose);
    pose->hips.y -= trunk * fmin(34 * body->size, 0.42 * low);
    pose->hips.z += trunk * (0.12 * far - 0.12 * low);
    pose->hips.x += trunk * 0.1 * target.x;
    double lean = fmin(1.0, 0.0075 * low / body->size + 0.009 * far / body->size);
    double turn = atan2(target.x, fmax(20, target.z)) * 0.45;
    pose->hips_turn = mry_rot_body(trunk * 0.35 * turn, trunk * 0.35 * lean, 0);
    pose->spine[0] += trunk * 0.65 * lean;
    pose->spine[1] = trunk * (turn + mry_side_sign(act->side) * -0.22);
    pose->head[0] = trunk * (0.25 - 0.0035 * (target.y - 120 * body->size) - 0.5 * lean);
    pose->head[1] = trunk * 0.4 * turn;
    mry_pose_arm(body, pose, 1 - act->side, 0.06 - 0.25 * trunk, 0.03 + 0.04 * trunk,
                 0.13 + 0.1 * trunk);
    pose->wrist_at[act->side] = target;
    pose->wrist_share[act->side] = out;
    /* On the way the hand comes up in front of the body, not through it. */
    mry_pose_arm(body, pose, act->side, 0.06 + 0.9 * out, 0.03 + 0.25 * out * (1 - out), 0.13);
    mry_pose_elbow(pose, act->side, (mry_vec){ mry_side_sign(act->side) * 0.8, -0.8, -0.5 }, out);
    mry_pose_reach_floor(body, pose);
}

/* ---- sit ------------------------------------------------------------------------------------- */

/* value: height of the seat. */
void mry_sit_plan(mry_act *act)
{
    act->seconds = 4.4 + 0.2 * act->vary[0];
}

void mry_sit_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, seat = act->value[0] + 9 * size;
    double down = mry_ease_window(t, 0.2, 1.75, act->seconds - 1.7, act->seconds - 0.15);
    double moving = mry_ease_window(t, 0.2, 1.0, 1.15, 1.95) +
                    mry_ease_window(t, act->seconds - 2.0, act->seconds - 1.2, act->seconds - 1.0,
                                    act->seconds - 0.15);
    double breath = down * sin(2 * M_PI * t / 3.4), look = down * (0.12 + 0.05 * act->vary[1]);
    mry_pose_stand(body, pose);
    pose->hips.y += down * (seat - body->hips_high);
    pose->hips.z -= down * 36 * size;
    pose->hips_turn = mry_rot_body(0, 0.3 * moving - 0.06 * down, 0);
    pose->spine[0] += 0.62 * moving + 0.08 * down + 0.012 * breath;
    pose->head[0] = -0.35 * moving + 0.06 * breath;
    pose->head[1] = look * sin(2 * M_PI * t / (4.2 + act->vary[2]) + 2 * act->vary[3]);
    for (int side = 0; side < 2; side++) {
        double rest = down * (1 - 0.6 * fmin(1, moving));
        mry_pose_arm(body, pose, side, 0.06 + 0.95 * down + 0.25 * moving, 0.03 + 0.16 * down,
                     0.13);
        /* Hands come to lie on the thighs. */
        pose->wrist_at[side] =
            (mry_vec){ mry_side_sign(side) * 11 * size, seat + 9 * size, 2 * size };
        pose->wrist_share[side] = rest;
        mry_pose_elbow(pose, side, (mry_vec){ mry_side_sign(side) * 0.8, -0.3, -0.8 }, down);
    }
    mry_pose_reach_floor(body, pose);
}

/* ---- punch and kick -------------------------------------------------------------------------- */

/* Hands in front of the chin, in the chest's axes from the shoulders. */
static void raise_guard(const mry_body *body, double share, mry_pose *pose)
{
    for (int side = 0; side < 2; side++) {
        mry_vec chin = { -mry_side_sign(side) * 9 * body->size, 4 * body->size, 26 * body->size };
        pose->wrist[side] = mry_vec_mix(pose->wrist[side], chin, share);
        mry_pose_elbow(pose, side, (mry_vec){ mry_side_sign(side) * 0.5, -1, -0.2 }, share);
    }
}

/* value: height of the target. */
void mry_punch_plan(mry_act *act)
{
    act->seconds = 1.75 + 0.08 * act->vary[0];
}

void mry_punch_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, sign = mry_side_sign(act->side), end = act->seconds;
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
    pose->wrist_at[act->side] = (mry_vec){ 0, act->value[0], 66 * size };
    pose->wrist_share[act->side] = hit;
    mry_pose_reach_floor(body, pose);
}

/* value: height of the foot at its highest. */
void mry_kick_plan(mry_act *act)
{
    act->seconds = 2.1 + 0.1 * act->vary[0];
}

/* Weight over the other leg; knee up; the shin snaps out and back; the foot comes down where it
   was. */
static void kicking_leg(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, sign = mry_side_sign(act->side), end = act->seconds,
           height = act->value[0];
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
    double size = body->size, sign = mry_side_sign(act->side), end = act->seconds;
    double lean = mry_ease_window(t, 0.1, 0.6, end - 0.6, end - 0.1);
    double out = mry_ease_window(t, 0.77, 1.01, 1.05, 1.35),
           up = mry_ease_window(t, 0.1, 0.5, end - 0.5, end);
    double high = act->value[0] / (100 * size);
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
