/* ready.h - demonstrations made by rules. A rule is asked at every moment where somebody wants to be, how fast at most, and
   where to look; bodies that cannot start, stop or turn at once do the rest. */
#ifndef MRY_READY_H
#define MRY_READY_H

#include "puppet/puppet_data.h"

/* What a rule knows. Angles are on the plan, counter-clockwise from x. */
typedef struct mry_scene {
    double time;        /* seconds */
    mry_mover main, me; /* `me` reacts */
    double far;         /* from one to the other, cm */
    double to_main;     /* in which direction the main character is, for me */
    double from_main;   /* and I for it */
    int mood; /* 0 at the start; a rule may change it, and finds it again at the next moment */
} mry_scene;

typedef struct mry_wish {
    double x, y;  /* where to be */
    double speed; /* cm/s, at most */
    double look;  /* where to look */
} mry_wish;

typedef mry_wish mry_rule(mry_scene *scene);

typedef struct mry_rule_row {
    mry_rule *rule;
} mry_rule_row;

/* `far` cm from a place in a direction. */
mry_wish mry_wish_at(const marey_entity *from, double direction, double far);

mry_rule mry_rule_follower, mry_rule_shy, mry_rule_bully, mry_rule_guard, mry_rule_dancer;

#endif
