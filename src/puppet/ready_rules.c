/* ready_rules.c - five characters in a few lines each. Where somebody changes their mind, they do so at one distance and back at
   another, so that nobody wavers. */
#include "puppet/ready.h"

#include <math.h>

#define TURN 6.28318530717958647692 /* once around */
#define SOON 0.6                    /* seconds: bodies lag so far behind what they want */

mry_wish mry_wish_at(const marey_entity *from, double direction, double far)
{
    return (mry_wish){ .x = from->x_cm + far * cos(direction),
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

/* Stays within arm's reach, from whatever side; sways a little when it has to hurry. Never looks elsewhere. */
mry_wish mry_rule_follower(mry_scene *s)
{
    double sway = 0.12 * sin(TURN * 0.9 * s->time) * fmin(s->me.speed / 100, 1);
    mry_wish wish = mry_wish_at(&s->main.at, s->from_main + sway, 120);
    wish.speed = 200;
    wish.look = s->to_main;
    return wish;
}

/* Keeps its distance. Runs, trembling, when somebody comes near; creeps back to look when they are gone. */
mry_wish mry_rule_shy(mry_scene *s)
{
    enum { CALM, FLEES, PEEPS };
    if (s->far < 230) s->mood = FLEES;
    if (s->mood == FLEES && s->far > 350) s->mood = CALM;
    if (s->mood == CALM && s->far > 450) s->mood = PEEPS;
    if (s->mood == PEEPS && s->far < 380) s->mood = CALM;
    double tremble = s->mood == FLEES ? 0.1 * sin(TURN * 3 * s->time) : 0;
    double wanted = s->mood == FLEES ? 450 : s->mood == PEEPS ? 330 : s->far;
    mry_wish wish = mry_wish_at(&s->main.at, s->from_main + tremble, wanted);
    wish.speed = s->mood == FLEES ? 230 : 80;
    wish.look = s->mood == FLEES ? s->from_main : s->to_main;
    return wish;
}

/* Rushes at people, backs off just as far as it takes to rush again, and stares at them all the time. */
mry_wish mry_rule_bully(mry_scene *s)
{
    enum { RUSHES, BACKS_OFF };
    if (s->mood == RUSHES && s->far < 75) s->mood = BACKS_OFF;
    if (s->mood == BACKS_OFF && s->far > 200) s->mood = RUSHES;
    mry_wish wish = mry_wish_at(&s->main.at, s->from_main, s->mood == RUSHES ? 0 : 250);
    wish.speed = s->mood == RUSHES ? 300 : 120;
    wish.look = s->to_main;
    return wish;
}

/* A dog on the leash that the main character holds: ahead of it as far as the leash is long, from side to side, and looks
   out, away from the main character. */
mry_wish mry_rule_guard(mry_scene *s)
{
    double side = 0.5 * sin(TURN * s->time / 5);
    marey_entity at = soon(&s->main);
    mry_wish wish = mry_wish_at(&at, s->main.at.direction_rad + side, 190);
    wish.speed = 260;
    wish.look = s->from_main + 0.5 * sin(TURN * s->time / 2.5);
    return wish;
}

/* Round and round, three times nearer and farther on the way; eyes on the partner. */
mry_wish mry_rule_dancer(mry_scene *s)
{
    marey_entity at = soon(&s->main);
    double bearing = s->from_main - s->main.at.direction_rad;
    mry_wish wish = mry_wish_at(&at, s->from_main + 0.6, 190 + 35 * sin(3 * bearing));
    wish.speed = 280;
    wish.look = s->to_main;
    return wish;
}
