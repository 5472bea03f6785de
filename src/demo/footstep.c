/* footstep.c - one step of one foot, with plants that hold exactly: the heel lifts about the ball, which stays; the
   foot flies; the ankle arrives and stays, and the toes come down about it. */
#include "demo/action.h"

static mry_rot foot_turn(double yaw, double toes_down)
{
    return mry_rot_times(mry_rot_about(0, 1, 0, yaw), mry_rot_about(1, 0, 0, toes_down));
}

static mry_vec ball_offset(const mry_body *body)
{
    return (mry_vec){ 0, body->ball_high - body->ankle_high, body->foot_long };
}

/* The ankle when the ball is where it is with the foot flat at `flat`, and the heel is up by `roll`. */
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
