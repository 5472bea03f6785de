/* actions.c - the table of what the demo's body can do. */
#include "demo/action.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const mry_action actions[] = {
    { { "idle", "standing about", false }, { NULL }, mry_idle_plan, mry_idle_pose },
    { { "walk", "walking on a line or a curve", false },
      { "speed_cm_s", "turn_rad" },
      mry_walk_plan,
      mry_walk_pose },
    { { "jog", "an easy run", false }, { "speed_cm_s", "turn_rad" }, mry_jog_plan, mry_jog_pose },
    { { "run", "a fast run", false }, { "speed_cm_s", "turn_rad" }, mry_run_plan, mry_run_pose },
    { { "sneak", "walking low, without a sound", false },
      { "speed_cm_s", "turn_rad" },
      mry_sneak_plan,
      mry_sneak_pose },
    { { "turn", "turning on the spot", true }, { "turn_rad" }, mry_turn_plan, mry_turn_pose },
    { { "reach", "the wrist goes to a target and back", true },
      { "target_x_cm", "target_y_cm", "target_z_cm" },
      mry_reach_plan,
      mry_reach_pose },
    { { "punch", "a straight punch out of a guard", true },
      { "height_cm" },
      mry_punch_plan,
      mry_punch_pose },
    { { "kick", "a front kick", true }, { "height_cm" }, mry_kick_plan, mry_kick_pose },
    { { "jump", "off both feet", false },
      { "height_cm", "distance_cm" },
      mry_jump_plan,
      mry_jump_pose },
    { { "hop", "on one leg", true }, { "count", "distance_cm" }, mry_hop_plan, mry_hop_pose },
    { { "sit", "sitting down and getting up", false }, { "seat_cm" }, mry_sit_plan, mry_sit_pose },
    { { "step_up", "onto a step, or off it", true },
      { "rise_cm", "depth_cm" },
      mry_step_up_plan,
      mry_step_up_pose },
    { { "cartwheel", "sideways over the hands", true },
      { NULL },
      mry_cartwheel_plan,
      mry_cartwheel_pose },
};
enum { ACTIONS = sizeof actions / sizeof *actions };

const marey_demo_action *marey_demo_action_find(int index)
{
    return index >= 0 && index < ACTIONS ? &actions[index].shown : NULL;
}

const mry_action *mry_action_by_name(const char *name)
{
    for (int i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i].shown.name, name) == 0) return &actions[i];
    }
    assert(false); /* scripts name actions of the table only */
    return &actions[0];
}
