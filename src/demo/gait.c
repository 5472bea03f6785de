/* gait.c - walking, jogging, running, sneaking and turning on the spot. The root follows a circle
   (or a line) with a smooth start and end; each stance foot stands beside where the root is in the
   middle of that stance; hips, trunk and arms follow the feet, so that they begin and end at rest
   by themselves. */
#include "demo/action.h"

#include <assert.h>

/* What makes one gait differ from another. Times in seconds, lengths in cm for a body of size 1,
   angles in radians. */
typedef struct style {
    double cycle, duty;       /* of both feet together; share of it that a foot stands */
    double low, bounce, sway; /* hips: lower than standing, up and down, to the side */
    double lean, twist;       /* trunk forward; shoulders against hips */
    double lift, roll, land;  /* of the feet */
    double swing, bend, out;  /* of the arms */
    double width;             /* of the feet's track, share of the standing one */
    double ramp;              /* to get up to speed */
    double ahead;             /* a foot comes down at most so far in front of the root */
    double usual;             /* speed that the cycle belongs to; 0: any */
    double look;              /* head and shoulders go so far before the feet into a turn */
} style;

enum { MOST_STEPS = 64 };

typedef struct gait {
    const mry_act *act;
    style s;
    double speed, turn; /* cm/s; radians in all */
    double seconds;
    int swings; /* of each foot */
} gait;

static const style walk_style = { .cycle = 1.08,
                                  .duty = 0.62,
                                  .low = 2.6,
                                  .bounce = 1.5,
                                  .sway = 2.2,
                                  .lean = 0.05,
                                  .twist = 0.10,
                                  .lift = 9,
                                  .roll = 0.95,
                                  .land = 0.28,
                                  .swing = 0.27,
                                  .bend = 0.05,
                                  .out = 0.14,
                                  .width = 0.62,
                                  .ramp = 0.8,
                                  .ahead = 31,
                                  .usual = 128 };
static const style jog_style = { .cycle = 0.76,
                                 .duty = 0.40,
                                 .low = 6.0,
                                 .bounce = 3.4,
                                 .sway = 1.4,
                                 .lean = 0.09,
                                 .twist = 0.13,
                                 .lift = 13,
                                 .roll = 0.95,
                                 .land = 0.06,
                                 .swing = 0.28,
                                 .bend = 0.25,
                                 .out = 0.2,
                                 .width = 0.5,
                                 .ramp = 1.25,
                                 .ahead = 28,
                                 .usual = 215 };
static const style run_style = { .cycle = 0.66,
                                 .duty = 0.33,
                                 .low = 8.0,
                                 .bounce = 3.6,
                                 .sway = 1.0,
                                 .lean = 0.30,
                                 .twist = 0.15,
                                 .lift = 36,
                                 .roll = 1.05,
                                 .land = 0.02,
                                 .swing = 0.72,
                                 .bend = 0.45,
                                 .out = 0.2,
                                 .width = 0.4,
                                 .ramp = 1.7,
                                 .ahead = 30,
                                 .usual = 330 };
static const style sneak_style = { .cycle = 1.75,
                                   .duty = 0.68,
                                   .low = 15,
                                   .bounce = 0.8,
                                   .sway = 3.0,
                                   .lean = 0.42,
                                   .twist = 0.06,
                                   .lift = 17,
                                   .roll = 0.5,
                                   .land = 0,
                                   .swing = 0.2,
                                   .bend = 0.40,
                                   .out = 0.35,
                                   .width = 0.75,
                                   .ramp = 0.9,
                                   .ahead = 32,
                                   .usual = 50 };
static const style turn_style = { .cycle = 1.0,
                                  .duty = 0.64,
                                  .low = 0.6,
                                  .bounce = 0.4,
                                  .sway = 1.8,
                                  .lean = 0.03,
                                  .twist = 0.05,
                                  .lift = 8,
                                  .roll = 0.3,
                                  .land = 0.1,
                                  .swing = 0.08,
                                  .bend = 0.04,
                                  .out = 0.14,
                                  .width = 1.0,
                                  .ramp = 0.35,
                                  .ahead = 40,
                                  .usual = 0,
                                  .look = 0.55 };

/* ---- the root's way -------------------------------------------------------------------------- */

/* The integral of a smooth ramp up and down, from 0 to seconds - ramp at the end. */
static double progress(const gait *g, double t)
{
    double r = g->s.ramp, end = g->seconds;
    if (t <= 0) return 0;
    if (t >= end) return end - r;
    if (t > end - r) {
        double u = (end - t) / r;
        return end - r - r * (u * u * u - u * u * u * u / 2);
    }
    if (t >= r) return t - r / 2;
    double u = t / r;
    return r * (u * u * u - u * u * u * u / 2);
}

static double heading(const gait *g, double t)
{
    return g->turn * progress(g, t) / (g->seconds - g->s.ramp);
}

static mry_vec root_place(const gait *g, double t)
{
    double way = g->speed * progress(g, t), angle = heading(g, t);
    if (fabs(angle) < 1e-6 || g->speed < 1e-6) {
        return (mry_vec){ way * angle / 2, 0, way };
    }
    double radius = way / angle;
    return (mry_vec){ radius * (1 - cos(angle)), 0, radius * sin(angle) };
}

/* ---- feet ------------------------------------------------------------------------------------ */

static double swing_start(const gait *g, int side, int k)
{
    bool first = side == g->act->side;
    return 0.25 * g->s.ramp + g->s.cycle * (k + (first ? 0 : 0.5));
}

/* Where a foot stands flat after its swing k: beside where the root is in the middle of that
   stance. -1 is before the first. */
static mry_vec stance_place(const gait *g, int side, int k, double *yaw)
{
    const mry_body *body = g->act->body;
    double on = swing_start(g, side, k) + g->s.cycle * (1 - g->s.duty);
    double t = k < 0 ? 0 : k >= g->swings - 1 ? g->seconds : on + g->s.cycle * g->s.duty / 2;
    double width = body->stance * (t <= 0 || t >= g->seconds ? 1 : g->s.width);
    double out = side == MRY_LEFT ? width : -width, angle = heading(g, t);
    mry_vec root = root_place(g, t);
    *yaw = angle + (side == MRY_LEFT ? 0.1 : -0.1);
    mry_vec at = { root.x + cos(angle) * out, body->ankle_high, root.z - sin(angle) * out };
    if (k < 0 || k >= g->swings - 1) return at; /* the last one stands where the body will */
    angle = heading(g, on);
    root = root_place(g, on);
    double ahead = (at.x - root.x) * sin(angle) + (at.z - root.z) * cos(angle);
    double over = fmax(0, ahead - g->s.ahead * body->size);
    at.x -= over * sin(angle);
    at.z -= over * cos(angle);
    return at;
}

static mry_footstep find_step(const gait *g, int side, double t)
{
    double swing = g->s.cycle * (1 - g->s.duty), size = g->act->body->size;
    mry_footstep step = { 0 };
    int k = 0;
    while (k + 1 < g->swings && t > swing_start(g, side, k + 1) - 0.5 * g->s.cycle * g->s.duty) k++;
    step.off = swing_start(g, side, k);
    step.on = step.off + swing;
    step.from = stance_place(g, side, k - 1, &step.from_yaw);
    step.to = stance_place(g, side, k, &step.to_yaw);
    double stride = mry_vec_length(mry_vec_sub(step.to, step.from)) / (60 * size);
    double share = fmin(1, stride);                              /* short steps are low ones */
    step.roll_s = fmin(0.44 * g->s.cycle * g->s.duty, step.off); /* not before the beginning */
    step.settle_s = 0.16 * g->s.cycle * g->s.duty;
    step.roll_rad = g->s.roll * (0.25 + 0.75 * share);
    step.land_rad = fmax(0, g->s.land) * share;
    step.lift = g->s.lift * size * (0.45 + 0.55 * share) * (1 + 0.1 * g->act->vary[k % 6]);
    return step;
}

static void place_hips(const gait *g, double t, double moving, double lead, mry_pose *pose)
{
    double size = g->act->body->size, angle = heading(g, t);
    double first = swing_start(g, g->act->side, 0) + g->s.cycle * (1 - g->s.duty) / 2;
    double phase = 2 * M_PI * (t - first) / g->s.cycle;
    double side = (g->act->side == MRY_LEFT ? -1 : 1) * g->s.sway * size * cos(phase) * moving;
    mry_vec root = root_place(g, t);
    /* Highest in the middle of a stance when walking, in flight when running. */
    double up = g->s.duty > 0.5 ? cos(2 * phase) : -cos(2 * phase);
    pose->hips.x = root.x + cos(angle) * side;
    pose->hips.z = root.z - sin(angle) * side;
    pose->hips.y = g->act->body->hips_high + moving * size * (g->s.bounce * up - g->s.low);
    double twist = 0.5 * g->s.twist * lead;
    pose->hips_turn = mry_rot_body(angle - twist, 0.25 * g->s.lean * moving, 0.012 * side);
    pose->spine[0] = 0.03 + 0.75 * g->s.lean * moving;
    double into = g->s.look * tanh(2 * g->turn / g->seconds) * moving;
    pose->spine[1] = 2.0 * twist + 0.6 * into;
    pose->spine[2] = -0.02 * side;
    pose->head[0] = -0.7 * g->s.lean * moving;
    pose->head[1] = -twist + 0.15 * g->turn / g->seconds * moving + into;
}

/* ---- planning -------------------------------------------------------------------------------- */

static gait make_gait(const mry_act *act, const style *s)
{
    gait g = {
        .act = act, .s = *s, .speed = act->value[0], .turn = act->value[1], .seconds = act->seconds
    };
    double pace = sqrt(act->body->size); /* small bodies step faster, and so do fast ones */
    if (g.s.usual > 0) pace *= pow(g.s.usual * act->body->size / fmax(20, g.speed), 0.5);
    g.s.cycle *= pace * (1 + 0.03 * act->vary[0]);
    g.s.bounce *= 1 + 0.1 * act->vary[1];
    g.s.swing *= 1 + 0.15 * act->vary[2];
    g.s.sway *= 1 + 0.15 * act->vary[3];
    /* A whole number of steps in the time there is: the cycle gives way, so that the last foot
       comes down just before the end, when the root has almost stopped. */
    double before = 0.25 * g.s.ramp,
           rest = 1 - g.s.duty + 0.2 * g.s.duty + 0.5; /* of the last cycle */
    double cycles = (g.seconds - before) / g.s.cycle - rest;
    g.swings = 1 + (int)fmax(0, floor(cycles + 0.5));
    if (g.swings > MOST_STEPS) g.swings = MOST_STEPS;
    g.s.cycle = (g.seconds - before) / (g.swings - 1 + rest);
    return g;
}

static void plan_gait(mry_act *act, const style *s)
{
    assert(act->seconds > 2 * s->ramp);
    gait g = make_gait(act, s);
    act->end = root_place(&g, g.seconds);
    act->end_yaw = g.turn;
}

static void pose_gait(const mry_act *act, const style *s, double t, mry_pose *pose)
{
    gait g = make_gait(act, s);
    const mry_body *body = act->body;
    double moving = mry_ease_window(t, 0, g.s.ramp, g.seconds - g.s.ramp, g.seconds);
    mry_pose_stand(body, pose);
    for (int side = 0; side < 2; side++) {
        mry_footstep step = find_step(&g, side, t);
        mry_footstep_pose(body, &step, t, side, pose);
    }
    /* How far the left foot is in front of the right one, along the way; long strides swing no
       wider. */
    mry_vec d = mry_vec_sub(pose->ankle[MRY_LEFT], pose->ankle[MRY_RIGHT]);
    double angle = heading(&g, t);
    double lead = tanh((d.x * sin(angle) + d.z * cos(angle)) / (60 * body->size));
    place_hips(&g, t, moving, lead, pose);
    for (int side = 0; side < 2; side++) {
        double forth = (side == MRY_LEFT ? -lead : lead) * g.s.swing;
        double bend = 0.03 + (g.s.bend - 0.03) * moving + 0.05 * fmax(0, forth);
        double out = 0.13 + (g.s.out - 0.13) * moving;
        double rest = 0.06 + (g.s.bend > 0.2 ? 0.35 * moving : 0);
        mry_pose_arm(body, pose, side, rest + forth, bend, out);
    }
    mry_pose_reach_floor(body, pose);
}

#define GAIT(name)                                                                                 \
    void mry_##name##_plan(mry_act *act)                                                           \
    {                                                                                              \
        plan_gait(act, &name##_style);                                                             \
    }                                                                                              \
    void mry_##name##_pose(const mry_act *act, double t, mry_pose *pose)                           \
    {                                                                                              \
        pose_gait(act, &name##_style, t, pose);                                                    \
    }

GAIT(walk)
GAIT(jog)
GAIT(run)
GAIT(sneak)

/* Turning on the spot asks for an angle only. */
void mry_turn_plan(mry_act *act)
{
    act->seconds = 1.2 + 1.1 * fabs(act->value[0]) / 1.6;
    mry_act spot = *act;
    spot.value[0] = 0;
    spot.value[1] = act->value[0];
    plan_gait(&spot, &turn_style);
    act->end = spot.end;
    act->end_yaw = spot.end_yaw;
}

void mry_turn_pose(const mry_act *act, double t, mry_pose *pose)
{
    mry_act spot = *act;
    spot.value[0] = 0;
    spot.value[1] = act->value[0];
    pose_gait(&spot, &turn_style, t, pose);
}
