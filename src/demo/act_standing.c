/* act_standing.c - what is done with both feet where they are: standing about, reaching for something, sitting down
   and getting up. */
#include "demo/action.h"

static double sign_of(int side)
{
    return side == MRY_LEFT ? 1 : -1;
}

/* ---- idle -------------------------------------------------------------------------------------- */

void mry_idle_plan(mry_act *act)
{
    act->end = (mry_vec){ 0, 0, 0 };
    act->end_yaw = 0;
}

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

/* ---- reach ------------------------------------------------------------------------------------- */

/* wish: the target of the wrist in x, y, z, from where the body stands. A target out of reach is brought in. */
void mry_reach_plan(mry_act *act)
{
    const mry_body *body = act->body;
    mry_pose pose;
    act->seconds = 2.3 + 0.15 * act->vary[0];
    act->end = (mry_vec){ 0, 0, 0 };
    act->end_yaw = 0;
    for (int round = 0; round < 12;
         round++) { /* leaning less far for a nearer target moves the shoulder again */
        mry_reach_pose(act, act->seconds / 2, &pose);
        mry_vec from = mry_pose_shoulder(body, &pose, act->side);
        mry_vec way = mry_vec_sub((mry_vec){ act->wish[0], act->wish[1], act->wish[2] }, from);
        double far = mry_vec_length(way) / (0.985 * (body->upper_arm + body->forearm));
        if (far <= 1) break;
        mry_vec near = mry_vec_add(from, mry_vec_scale(way, 1 / far));
        act->wish[0] = near.x;
        act->wish[1] = near.y;
        act->wish[2] = near.z;
    }
}

/* High targets straighten the body, low ones bend knees and back, far ones lean it over. */
void mry_reach_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    mry_vec target = { act->wish[0], act->wish[1], act->wish[2] };
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
    pose->spine[1] = trunk * (turn + sign_of(act->side) * -0.22);
    pose->head[0] = trunk * (0.25 - 0.0035 * (target.y - 120 * body->size) - 0.5 * lean);
    pose->head[1] = trunk * 0.4 * turn;
    mry_pose_arm(body, pose, 1 - act->side, 0.06 - 0.25 * trunk, 0.03 + 0.04 * trunk,
                 0.13 + 0.1 * trunk);
    pose->wrist_at[act->side] = target;
    pose->wrist_share[act->side] = out;
    /* On the way the hand comes up in front of the body, not through it. */
    mry_pose_arm(body, pose, act->side, 0.06 + 0.9 * out, 0.03 + 0.25 * out * (1 - out), 0.13);
    mry_pose_elbow(pose, act->side, (mry_vec){ sign_of(act->side) * 0.8, -0.8, -0.5 }, out);
    mry_pose_reach_floor(body, pose);
}

/* ---- sit --------------------------------------------------------------------------------------- */

/* wish: height of the seat. */
void mry_sit_plan(mry_act *act)
{
    act->seconds = 4.4 + 0.2 * act->vary[0];
    act->end = (mry_vec){ 0, 0, 0 };
    act->end_yaw = 0;
}

void mry_sit_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *body = act->body;
    double size = body->size, seat = act->wish[0] + 9 * size;
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
        pose->wrist_at[side] = (mry_vec){ sign_of(side) * 11 * size, seat + 9 * size, 2 * size };
        pose->wrist_share[side] = rest;
        mry_pose_elbow(pose, side, (mry_vec){ sign_of(side) * 0.8, -0.3, -0.8 }, down);
    }
    mry_pose_reach_floor(body, pose);
}
