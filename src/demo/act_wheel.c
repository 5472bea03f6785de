/* act_wheel.c - the cartwheel: the body rolls sideways over its hands. Legs and arms are spokes; a foot or hand that
   is on the floor stays where it stands, and is eased from there into its spoke. */
#include "demo/action.h"

static double sign_of(int side)
{
    return side == MRY_LEFT ? 1 : -1;
}

static const double wheel_begin_s = 0.9, wheel_turn_s = 1.8;

/* Moments of the turn, on the scale on which it takes 1.35. */
static double moment(double t)
{
    return wheel_begin_s + t * wheel_turn_s / 1.35;
}

/* side: the hand that goes down first, and so the direction. */
void mry_cartwheel_plan(mry_act *act)
{
    act->seconds = wheel_begin_s + wheel_turn_s + 1.0;
    act->end = (mry_vec){ sign_of(act->side) * 190 * act->body->size, 0, 0 };
    act->end_yaw = 0;
}

/* 0 to 1 over the turn; fast in the middle. */
static double share_turned(double t)
{
    double u = fmin(1, fmax(0, (t - wheel_begin_s) / wheel_turn_s));
    return 0.3 * mry_ease(u) + 0.7 * u * u * (3 - 2 * u);
}

/* Where a leg would be as a spoke of the wheel. */
static mry_vec leg_spoke(const mry_act *act, const mry_pose *pose, int side, double open)
{
    const mry_body *b = act->body;
    double angle = sign_of(side) * (0.12 + 0.55 * open), length = 0.97 * (b->thigh + b->shin);
    mry_vec hip = { sign_of(side) * b->hip_x, -b->hip_drop, 0 };
    mry_vec way = { sin(angle) * length, -cos(angle) * length, 0 };
    return mry_vec_add(pose->hips, mry_rot_apply(pose->hips_turn, mry_vec_add(hip, way)));
}

/* A foot stands, becomes a spoke while `leave` goes to 1, and stands again while `arrive` does. */
static void wheel_foot(const mry_act *act, double t, int side, double leave_s, double arrive_s,
                       double open, mry_pose *pose)
{
    const mry_body *b = act->body;
    double out = sign_of(side) * b->stance, step = side == act->side ? 1 : 0;
    double way = sign_of(act->side);
    /* The leading foot steps out first; both land about the end. */
    mry_vec from = { out + step * way * 34 * b->size, b->ankle_high, 0 };
    mry_vec to = { act->end.x + out, b->ankle_high, 0 };
    double leave = mry_ease((t - leave_s) / 0.42), arrive = mry_ease((t - arrive_s + 0.5) / 0.5);
    mry_vec spoke = leg_spoke(act, pose, side, open);
    mry_rot flat = mry_rot_about(0, 1, 0, sign_of(side) * 0.1);
    /* The angle of the roll is eased, not the orientation: half-way round there is no shorter way. */
    double roll = -way * 2 * M_PI * share_turned(t) * leave;
    roll += (-way * 2 * M_PI - roll) * arrive;
    mry_rot rolled = mry_rot_times(mry_rot_about(0, 0, 1, roll),
                                   mry_rot_about(1, 0, 0, 0.9 * leave * (1 - arrive)));
    if (t < leave_s) {
        if (step > 0) {
            mry_footstep first = { .from = { out, b->ankle_high, 0 },
                                   .to = from,
                                   .from_yaw = sign_of(side) * 0.1,
                                   .to_yaw = sign_of(side) * 0.1,
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
    pose->knee_out[side].x += sign_of(side) * 0.1 * leave * (1 - arrive);
    if (!down) pose->ankle[side].y += fmax(0, b->ball_high - mry_pose_ball(b, pose, side).y);
}

void mry_cartwheel_pose(const mry_act *act, double t, mry_pose *pose)
{
    const mry_body *b = act->body;
    double size = b->size, way = sign_of(act->side), turned = share_turned(t);
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
        mry_vec up = { sign_of(side) * 13 * size, 0.985 * (b->upper_arm + b->forearm), 2 * size };
        mry_vec hang = pose->wrist[side];
        mry_vec aside = { sign_of(side) * 48 * size, 8 * size, 6 * size };
        double raised = arms * (1 - end);
        mry_vec half = mry_vec_mix(hang, aside, fmin(1, 2 * raised));
        pose->wrist[side] = mry_vec_mix(half, up, fmax(0, 2 * raised - 1));
        /* The hand of the leading side is down first. */
        bool first = side == act->side;
        double on = moment(first ? 0.42 : 0.58), off = moment(first ? 0.84 : 1.0);
        double x = way * (18 + (first ? 62 : 98)) * size;
        pose->wrist_at[side] = (mry_vec){ x, 8 * size, 4 * size };
        pose->wrist_share[side] = mry_ease_window(t, on - 0.34, on, off, off + 0.34);
    }
    pose->head[0] = -0.35 * upside;
    mry_pose_reach_floor(b, pose);
}
