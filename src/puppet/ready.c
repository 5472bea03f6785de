/* ready.c - demonstrations made by rules: the main character goes through a script, the other one
   does what its rule wants, and both have bodies that take time. A rule is asked at every moment
   where its character wants to be, how fast at most, and where to look: five characters in a few
   lines each. Where one changes its mind, it does so at one distance and back at another, so that
   it does not waver. */
#include "puppet/puppet_data.h"

#include <math.h>

#define PI 3.14159265358979323846
#define REACH 1.6                   /* 1/s: with how much of what is missing a body sets off */
#define PUSH_S 0.25                 /* until they have the speed they want */
#define HARDEST 600.0               /* cm/s2, however much they want it */
#define NECK 6.0                    /* 1/s: how fast looks follow */
#define NEAREST 1e-3                /* cm: nearer there is no direction */
#define SUB_STEPS 4                 /* between two samples */
#define TURN 6.28318530717958647692 /* once around */
#define SOON 0.6                    /* seconds: bodies lag so far behind what they want */

/* What a rule knows. Angles are on the plan, counter-clockwise from x. */
typedef struct mry_scene {
    double time;        /* seconds */
    mry_mover main, me; /* `me` reacts */
    double far;         /* from one to the other, cm */
    double to_main;     /* in which direction the main character is, for me */
    double from_main;   /* and I for it */
    int mood; /* 0 at the start; a rule may change it, and finds it again at the next moment */
} mry_scene;

typedef struct mry_goal {
    double x, y;  /* where to be */
    double speed; /* cm/s, at most */
    double look;  /* where to look */
} mry_goal;

typedef mry_goal mry_rule(mry_scene *scene);

typedef struct mry_rule_row {
    mry_rule *rule;
} mry_rule_row;

/* ---- rules ----------------------------------------------------------------------------------- */

/* `far` cm from a place in a direction. */
static mry_goal goal_at(const marey_entity *from, double direction, double far)
{
    return (mry_goal){ .x = from->x_cm + far * cos(direction),
                       .y = from->y_cm + far * sin(direction) };
}

/* Where the main character will be soon. */
static marey_entity soon(const mry_mover *main)
{
    marey_entity at = main->at;
    at.x_cm += SOON * main->vx;
    at.y_cm += SOON * main->vy;
    return at;
}

/* Stays within arm's reach, from whatever side; sways a little when it has to hurry. Never looks
   elsewhere. */
static mry_goal follower(mry_scene *s)
{
    double sway = 0.12 * sin(TURN * 0.9 * s->time) * fmin(s->me.speed / 100, 1);
    mry_goal goal = goal_at(&s->main.at, s->from_main + sway, 120);
    goal.speed = 200;
    goal.look = s->to_main;
    return goal;
}

/* Keeps its distance. Runs, trembling, when the other comes near; creeps back to look when it is
   gone. */
static mry_goal shy(mry_scene *s)
{
    enum { CALM, FLEES, PEEPS };
    if (s->far < 230) s->mood = FLEES;
    if (s->mood == FLEES && s->far > 350) s->mood = CALM;
    if (s->mood == CALM && s->far > 450) s->mood = PEEPS;
    if (s->mood == PEEPS && s->far < 380) s->mood = CALM;
    double tremble = s->mood == FLEES ? 0.1 * sin(TURN * 3 * s->time) : 0;
    double wanted = s->mood == FLEES ? 450 : s->mood == PEEPS ? 330 : s->far;
    mry_goal goal = goal_at(&s->main.at, s->from_main + tremble, wanted);
    goal.speed = s->mood == FLEES ? 230 : 80;
    goal.look = s->mood == FLEES ? s->from_main : s->to_main;
    return goal;
}

/* Rushes at the other, backs off just as far as it takes to rush again, and stares all the time. */
static mry_goal bully(mry_scene *s)
{
    enum { RUSHES, BACKS_OFF };
    if (s->mood == RUSHES && s->far < 75) s->mood = BACKS_OFF;
    if (s->mood == BACKS_OFF && s->far > 200) s->mood = RUSHES;
    mry_goal goal = goal_at(&s->main.at, s->from_main, s->mood == RUSHES ? 0 : 250);
    goal.speed = s->mood == RUSHES ? 300 : 120;
    goal.look = s->to_main;
    return goal;
}

/* A dog on the leash that the main character holds: ahead of it as far as the leash is long, from
   side to side, and looks out, away from the main character. */
static mry_goal guard(mry_scene *s)
{
    double side = 0.5 * sin(TURN * s->time / 5);
    marey_entity at = soon(&s->main);
    mry_goal goal = goal_at(&at, s->main.at.direction_rad + side, 190);
    goal.speed = 260;
    goal.look = s->from_main + 0.5 * sin(TURN * s->time / 2.5);
    return goal;
}

/* Round and round, three times nearer and farther on the way; eyes on the partner. */
static mry_goal dancer(mry_scene *s)
{
    marey_entity at = soon(&s->main);
    double bearing = s->from_main - s->main.at.direction_rad;
    mry_goal goal = goal_at(&at, s->from_main + 0.6, 190 + 35 * sin(3 * bearing));
    goal.speed = 280;
    goal.look = s->to_main;
    return goal;
}

/* ---- the main character ---------------------------------------------------------------------- */

enum { TO_THE_OTHER = 100 }; /* instead of a turn */

typedef struct episode {
    double seconds;
    double speed; /* cm/s */
    double turn;  /* rad/s to the left */
} episode;

/* Played twice, the second time with left and right changed and a little slower. */
static const episode SCRIPT[] = {
    { 2.0, 0, 0 },
    { 5.0, 110, 0.1 },
    { 3.0, 110, 0.8 },
    { 2.0, 0, 0 },
    { 2.0, 0, 1.2 },
    { 4.0, 80, -0.3 },
    { 2.5, 160, 0 },
    { 2.0, 0, 0 },
    { 3.0, 90, TO_THE_OTHER },
    { 3.0, 0, 0 },
    { 4.0, 130, -0.5 },
    { 1.5, 60, 1.5 },
    { 4.0, 120, 0 },
    { 2.5, 0, -0.9 },
    { 3.0, 150, TO_THE_OTHER },
    { 3.0, 100, 1.0 },
    { 4.0, 0, 0 },
    { 5.0, 60, 0.2 },
    { 2.0, 180, -0.4 },
    { 3.0, 120, TO_THE_OTHER },
    { 2.0, 0, 2.0 },
    { 4.0, 140, -0.9 },
    { 2.5, 0, 0 },
};

enum { EPISODES = sizeof SCRIPT / sizeof SCRIPT[0], READY_SAMPLES = 2 * 72 * 60 };

/* The episode at a time, its turns as the script has them or mirrored. */
static episode episode_at(double time)
{
    for (int pass = 0;; pass++) {
        for (int i = 0; i < EPISODES; i++) {
            episode now = SCRIPT[i];
            if (time >= now.seconds) {
                time -= now.seconds;
                continue;
            }
            if (pass % 2 == 1) {
                now.speed *= 0.85;
                if (now.turn != TO_THE_OTHER) now.turn = -now.turn;
            }
            return now;
        }
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef struct body {
    mry_mover is;
    double spin; /* how fast the look turns, rad/s */
} body;

/* Pushes so that the wanted velocity is there soon, and goes on for `dt`. */
static void push(body *b, double vx, double vy, double dt)
{
    double ax = (vx - b->is.vx) / PUSH_S, ay = (vy - b->is.vy) / PUSH_S;
    double hard = hypot(ax, ay), share = hard > HARDEST ? HARDEST / hard : 1;
    b->is.vx += share * ax * dt;
    b->is.vy += share * ay * dt;
    b->is.speed = hypot(b->is.vx, b->is.vy);
    b->is.at.x_cm += b->is.vx * dt;
    b->is.at.y_cm += b->is.vy * dt;
}

/* A look that follows as a spring does that just does not swing. */
static void look_at(body *b, double look, double dt)
{
    double off = mry_wrap(look - b->is.at.direction_rad);
    b->spin += (NECK * NECK * off - 2 * NECK * b->spin) * dt;
    b->is.at.direction_rad = mry_wrap(b->is.at.direction_rad + b->spin * dt);
}

static void follow_goal(body *me, const mry_goal *goal, double dt)
{
    double vx = REACH * (goal->x - me->is.at.x_cm), vy = REACH * (goal->y - me->is.at.y_cm);
    double speed = hypot(vx, vy), share = speed > goal->speed ? goal->speed / speed : 1;
    push(me, share * vx, share * vy, dt);
    look_at(me, goal->look, dt);
}

static void see(mry_scene *scene, const body *main, const body *me)
{
    double x = main->is.at.x_cm - me->is.at.x_cm, y = main->is.at.y_cm - me->is.at.y_cm;
    scene->main = main->is;
    scene->me = me->is;
    scene->far = hypot(x, y);
    if (scene->far < NEAREST) return;
    scene->to_main = atan2(y, x);
    scene->from_main = atan2(-y, -x);
}

/* ---- both ------------------------------------------------------------------------------------ */

void marey_ready_puppet_demonstrate(const marey_ready_puppet *ready, marey_puppet_sample *samples)
{
    const mry_rule_row *row = ready->rule;
    double wanted = 0;
    body main = { 0 }, me = { .is = mry_mover_still(ready->start) };
    mry_scene scene = { 0 };
    for (int i = 0; i < ready->samples; i++) {
        samples[i] = (marey_puppet_sample){ i / MAREY_PUPPET_RATE, main.is.at, me.is.at };
        /* One sample on. */
        mry_rule *rule = row->rule;
        double dt = 1 / (MAREY_PUPPET_RATE * SUB_STEPS);
        for (int k = 0; k < SUB_STEPS; k++) {
            see(&scene, &main, &me);
            mry_goal goal = rule(&scene);
            /* The main character looks where it wants to go, and goes where it looks. */
            episode now = episode_at(scene.time);
            if (now.turn == TO_THE_OTHER)
                wanted = scene.from_main;
            else
                wanted += now.turn * dt;
            look_at(&main, wanted, dt);
            double look = main.is.at.direction_rad;
            push(&main, now.speed * cos(look), now.speed * sin(look), dt);
            follow_goal(&me, &goal, dt);
            scene.time += dt;
        }
    }
}

void marey_ready_puppet_react(const marey_ready_puppet *ready, const marey_entity *main, int count,
                              marey_entity *react)
{
    const mry_rule_row *row = ready->rule;
    double dt = 1 / (MAREY_PUPPET_RATE * SUB_STEPS);
    body led = { 0 }, me = { 0 };
    mry_scene scene = { 0 };
    if (count > 0) {
        led.is = mry_mover_still(main[0]);
        me.is = mry_mover_still(mry_entity_beside(&main[0], &ready->start));
    }
    for (int i = 0; i < count; i++) {
        if (i > 0) led.is = mry_mover_step(&led.is, main[i], MAREY_PUPPET_RATE);
        react[i] = me.is.at;
        for (int k = 0; k < SUB_STEPS; k++) {
            see(&scene, &led, &me);
            mry_goal goal = row->rule(&scene);
            follow_goal(&me, &goal, dt);
            scene.time += dt;
        }
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

#define ROW(name, about, x, y, look, rule)                                                         \
    {                                                                                              \
        name, about, READY_SAMPLES, { x, y, look }, &(const mry_rule_row)                          \
        {                                                                                          \
            rule                                                                                   \
        }                                                                                          \
    }

static const marey_ready_puppet READY[] = {
    ROW("follower", "a friendly one that stays within reach and looks at you", -120, 0, 0,
        follower),
    ROW("shy", "runs when you come near, and creeps back to look when you are far", 350, 100, -2.86,
        shy),
    ROW("bully", "rushes at you, backs off, and rushes at you again", 300, 0, PI, bully),
    ROW("guard", "a dog on your leash: ahead of you from side to side, looking out", 190, 0, 0,
        guard),
    ROW("dancer", "dances around you, now nearer, now farther", 0, -170, PI / 2, dancer),
};

const marey_ready_puppet *marey_ready_puppet_find(int index)
{
    return index >= 0 && index < (int)(sizeof READY / sizeof READY[0]) ? &READY[index] : NULL;
}
