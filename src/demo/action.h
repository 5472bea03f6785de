/* action.h - what the demo's body can do. Each action begins and ends standing at ease, so that any
   can follow any; it happens in its own axes, where it begins at the origin, facing z, on a floor
   at 0. Rows of a table. */
#ifndef MRY_DEMO_ACTION_H
#define MRY_DEMO_ACTION_H

#include "demo/demo_body.h"

#include <marey/demo.h>

enum { MRY_ACTION_PARAMS = 4 };

/* One performance of an action. */
typedef struct mry_act {
    const mry_body *body;
    int side;                        /* MRY_LEFT or MRY_RIGHT, where it matters */
    double seconds;                  /* how long it takes */
    double value[MRY_ACTION_PARAMS]; /* of the row's params, in their order */
    double vary[6]; /* small numbers about 0, so that no two performances are alike */
    mry_vec end;    /* where it ends; y is the floor there */
    double end_yaw;
} mry_act;

typedef struct mry_action {
    marey_demo_action shown;
    const char *params[MRY_ACTION_PARAMS]; /* names in the truth; NULL behind the last */
    /* Sets seconds, and end and end_yaw where they are not 0; NULL: nothing to set. */
    void (*plan)(mry_act *act);
    void (*pose)(const mry_act *act, double t, mry_pose *pose);
} mry_action;

/* The functions of the actions. */
void mry_idle_pose(const mry_act *act, double t, mry_pose *pose);
void mry_walk_plan(mry_act *act);
void mry_walk_pose(const mry_act *act, double t, mry_pose *pose);
void mry_jog_plan(mry_act *act);
void mry_jog_pose(const mry_act *act, double t, mry_pose *pose);
void mry_run_plan(mry_act *act);
void mry_run_pose(const mry_act *act, double t, mry_pose *pose);
void mry_sneak_plan(mry_act *act);
void mry_sneak_pose(const mry_act *act, double t, mry_pose *pose);
void mry_turn_plan(mry_act *act);
void mry_turn_pose(const mry_act *act, double t, mry_pose *pose);
void mry_reach_plan(mry_act *act);
void mry_reach_pose(const mry_act *act, double t, mry_pose *pose);
void mry_punch_plan(mry_act *act);
void mry_punch_pose(const mry_act *act, double t, mry_pose *pose);
void mry_kick_plan(mry_act *act);
void mry_kick_pose(const mry_act *act, double t, mry_pose *pose);
void mry_jump_plan(mry_act *act);
void mry_jump_pose(const mry_act *act, double t, mry_pose *pose);
void mry_hop_plan(mry_act *act);
void mry_hop_pose(const mry_act *act, double t, mry_pose *pose);
void mry_sit_plan(mry_act *act);
void mry_sit_pose(const mry_act *act, double t, mry_pose *pose);
void mry_step_up_plan(mry_act *act);
void mry_step_up_pose(const mry_act *act, double t, mry_pose *pose);
void mry_cartwheel_plan(mry_act *act);
void mry_cartwheel_pose(const mry_act *act, double t, mry_pose *pose);

#endif
