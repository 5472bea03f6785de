/* takes.c - the takes of the demo library: a script becomes a clip and the truth about it. Actions
   are performed one after another, each where the one before it ended, with idling in between;
   every performance differs a little, as the seed says. */
#include "base/fail.h"
#include "demo/action.h"
#include "motion/channels.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_ACTS = 40, FPS = 60, DECIMALS_POWER = 10000 };

/* An act and where it happens. */
typedef struct placed_act {
    const mry_action *action;
    mry_act act;
    bool filler;
    double begin_s;
    mry_vec at;
    double yaw;
} placed_act;

struct marey_demo_take {
    mry_arena mem; /* holds the take itself */
    marey_clip *clip;
    marey_demo_segment *segments;
    int segment_count;
    marey_contact *contacts;
    int contact_count;
};

/* One line of a script. For gaits `seconds` says how long; other actions know it themselves. */
typedef struct mry_line {
    const char *action; /* NULL ends a script */
    char side;          /* 'l', 'r', or 0 where it does not matter */
    double seconds;
    double value[4]; /* for a body of size 1 */
} mry_line;

typedef struct mry_script {
    const char *name;
    double size; /* of the body */
    const mry_line *lines;
} mry_script;

typedef struct stage {
    mry_body body;
    placed_act acts[MOST_ACTS];
    int count;
    double seconds;
    mry_vec at; /* where the next act begins */
    double yaw;
    uint64_t seed;
} stage;

/* ---- what the body can do -------------------------------------------------------------------- */

static const mry_action actions[] = {
    { { "idle", "standing about", false }, { NULL }, NULL, mry_idle_pose },
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

static const mry_action *action_by_name(const char *name)
{
    for (int i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i].shown.name, name) == 0) return &actions[i];
    }
    assert(false); /* scripts name actions of the table only */
    return &actions[0];
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* The lines of a script end with one without an action. */
#define SCRIPT(script, body_size, ...)                                                             \
    {                                                                                              \
        .name = #script, .size = body_size, .lines = (const mry_line[])                            \
        {                                                                                          \
            __VA_ARGS__,                                                                           \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

static const mry_script scripts[] = {
    SCRIPT(walk_straight, 1, { "walk", 'l', 6, { 128, 0 } }, { "walk", 'r', 5, { 118, 0 } }),
    SCRIPT(walk_slow, 1, { "walk", 'l', 7, { 78, 0 } }, { "walk", 'r', 6, { 88, 0 } }),
    SCRIPT(walk_fast, 1, { "walk", 'l', 5, { 150, 0 } }, { "walk", 'r', 5, { 142, 0 } }),
    SCRIPT(walk_left, 1, { "walk", 'l', 6, { 115, 1.6 } }, { "walk", 'r', 6, { 120, 2.6 } }),
    SCRIPT(walk_right, 1, { "walk", 'r', 6, { 115, -1.6 } }, { "walk", 'l', 6, { 120, -2.6 } }),
    SCRIPT(walk_eight, 1, { "walk", 'l', 9, { 125, 4.2 } }, { "walk", 'r', 9, { 125, -4.2 } }),
    SCRIPT(jog_straight, 1, { "jog", 'l', 5, { 225, 0 } }, { "jog", 'r', 5, { 205, 0 } }),
    SCRIPT(jog_curve, 1, { "jog", 'l', 5, { 205, 2.4 } }, { "jog", 'r', 5, { 205, -2.4 } }),
    SCRIPT(run_straight, 1, { "run", 'l', 4.5, { 345, 0 } }, { "run", 'r', 4.5, { 320, 0 } }),
    SCRIPT(run_curve, 1, { "run", 'l', 4.5, { 310, 1.8 } }, { "run", 'r', 4.5, { 310, -1.8 } }),
    SCRIPT(sneak_straight, 1, { "sneak", 'l', 9, { 48, 0 } }, { "sneak", 'r', 8, { 55, 0 } }),
    SCRIPT(sneak_curve, 1, { "sneak", 'l', 9, { 48, 1.3 } }, { "sneak", 'r', 9, { 48, -1.3 } }),
    SCRIPT(turns, 1, { "turn", 'l', 0, { 1.57 } }, { "turn", 'r', 0, { -1.57 } },
           { "turn", 'l', 0, { 3.1 } }, { "turn", 'r', 0, { -3.1 } }, { "turn", 'l', 0, { 0.8 } },
           { "turn", 'r', 0, { -0.8 } }),
    SCRIPT(reach_right, 1, { "reach", 'r', 0, { -20, 125, 48 } },
           { "reach", 'r', 0, { -45, 150, 35 } }, { "reach", 'r', 0, { 10, 140, 50 } },
           { "reach", 'r', 0, { -25, 185, 28 } }, { "reach", 'r', 0, { -30, 70, 55 } },
           { "reach", 'r', 0, { -5, 95, 60 } }, { "reach", 'r', 0, { -55, 105, 30 } },
           { "reach", 'r', 0, { -15, 165, 42 } }, { "reach", 'r', 0, { -35, 45, 45 } },
           { "reach", 'r', 0, { 5, 115, 58 } }, { "reach", 'r', 0, { -50, 130, 15 } },
           { "reach", 'r', 0, { -20, 60, 62 } }, { "reach", 'r', 0, { -30, 56, 50 } }),
    SCRIPT(reach_left, 1, { "reach", 'l', 0, { 20, 125, 48 } },
           { "reach", 'l', 0, { 45, 150, 35 } }, { "reach", 'l', 0, { -10, 140, 50 } },
           { "reach", 'l', 0, { 25, 185, 28 } }, { "reach", 'l', 0, { 30, 70, 55 } },
           { "reach", 'l', 0, { 5, 95, 60 } }, { "reach", 'l', 0, { 55, 105, 30 } },
           { "reach", 'l', 0, { 15, 165, 42 } }),
    SCRIPT(punches, 1, { "punch", 'r', 0, { 140 } }, { "punch", 'l', 0, { 140 } },
           { "punch", 'r', 0, { 120 } }, { "punch", 'l', 0, { 150 } }, { "punch", 'r', 0, { 150 } },
           { "punch", 'l', 0, { 125 } }),
    SCRIPT(kicks, 1, { "kick", 'r', 0, { 90 } }, { "kick", 'l', 0, { 90 } },
           { "kick", 'r', 0, { 60 } }, { "kick", 'l', 0, { 110 } }, { "kick", 'r', 0, { 110 } },
           { "kick", 'l', 0, { 65 } }),
    SCRIPT(jumps, 1, { "jump", 0, 0, { 22, 0 } }, { "jump", 0, 0, { 30, 0 } },
           { "jump", 0, 0, { 18, 55 } }, { "jump", 0, 0, { 24, 90 } }),
    SCRIPT(hops, 1, { "hop", 'r', 0, { 4, 25 } }, { "hop", 'l', 0, { 4, 25 } },
           { "hop", 'r', 0, { 6, 0 } }, { "hop", 'l', 0, { 3, 35 } }),
    SCRIPT(sits, 1, { "sit", 0, 0, { 44 } }, { "sit", 0, 0, { 40 } }, { "sit", 0, 0, { 48 } }),
    SCRIPT(steps, 1, { "step_up", 'r', 0, { 20, 36 } }, { "step_up", 'l', 0, { -20, 36 } },
           { "step_up", 'l', 0, { 20, 36 } }, { "step_up", 'r', 0, { -20, 36 } },
           { "step_up", 'l', 0, { 15, 34 } }, { "step_up", 'r', 0, { -15, 34 } },
           { "step_up", 'r', 0, { 15, 34 } }, { "step_up", 'l', 0, { -15, 34 } }),
    SCRIPT(cartwheels, 1, { "cartwheel", 'r', 0, { 0 } }, { "cartwheel", 'l', 0, { 0 } },
           { "cartwheel", 'r', 0, { 0 } }),
    SCRIPT(idles, 1, { "idle", 0, 6, { 0 } }, { "idle", 0, 7, { 0 } }),
    SCRIPT(mixed_fight, 1, { "walk", 'l', 4, { 120, 0 } }, { "punch", 'r', 0, { 140 } },
           { "punch", 'l', 0, { 135 } }, { "kick", 'r', 0, { 95 } }, { "turn", 'l', 0, { 3.1 } },
           { "kick", 'l', 0, { 80 } }, { "punch", 'r', 0, { 130 } },
           { "walk", 'r', 4, { 125, 0.9 } }),
    SCRIPT(mixed_play, 1, { "run", 'l', 4, { 300, 0 } }, { "jump", 0, 0, { 26, 70 } },
           { "hop", 'l', 0, { 3, 30 } }, { "cartwheel", 'r', 0, { 0 } },
           { "jog", 'r', 4, { 205, 1.2 } }, { "jump", 0, 0, { 20, 0 } }),
    SCRIPT(mixed_home, 1, { "walk", 'r', 4, { 110, 0.8 } }, { "reach", 'r', 0, { -20, 160, 40 } },
           { "turn", 'r', 0, { -1.57 } }, { "sit", 0, 0, { 44 } },
           { "reach", 'l', 0, { 25, 75, 52 } }, { "sneak", 'l', 6, { 50, 0.5 } },
           { "step_up", 'r', 0, { 20, 36 } }, { "step_up", 'l', 0, { -20, 36 } }),
    SCRIPT(small_walk, 0.86, { "walk", 'l', 6, { 118, 0 } }, { "walk", 'r', 6, { 110, -1.4 } }),
    SCRIPT(small_fight, 0.86, { "kick", 'r', 0, { 85 } }, { "punch", 'l', 0, { 138 } },
           { "kick", 'l', 0, { 100 } }, { "punch", 'r', 0, { 130 } }),
    SCRIPT(small_play, 0.86, { "jog", 'l', 4, { 190, 0.6 } }, { "jump", 0, 0, { 22, 50 } },
           { "hop", 'r', 0, { 4, 22 } }, { "cartwheel", 'l', 0, { 0 } }, { "sit", 0, 0, { 42 } }),
    SCRIPT(small_reach, 0.86, { "reach", 'r', 0, { -22, 130, 46 } },
           { "reach", 'l', 0, { 35, 75, 50 } }, { "reach", 'r', 0, { -40, 100, 40 } },
           { "reach", 'l', 0, { 15, 170, 35 } }),
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static void perform(stage *s, const mry_line *line, bool filler)
{
    assert(s->count < MOST_ACTS);
    placed_act *p = &s->acts[s->count++];
    *p = (placed_act){ .action = action_by_name(line->action), .filler = filler };
    mry_act *act = &p->act;
    act->body = &s->body;
    act->side = line->side == 'r' ? MRY_RIGHT : MRY_LEFT;
    act->seconds = line->seconds;
    for (int i = 0; i < 6; i++) act->vary[i] = mry_random_between(&s->seed, -1, 1);
    for (int i = 0; i < MRY_ACTION_PARAMS; i++) {
        const char *param = p->action->params[i];
        /* Lengths and speeds grow with the body. */
        double scale = param && strstr(param, "_cm") ? s->body.size : 1;
        bool counted = param && strcmp(param, "count") == 0;
        act->value[i] = line->value[i] * scale;
        if (!counted) act->value[i] *= 1 + 0.03 * mry_random_between(&s->seed, -1, 1);
    }
    if (p->action->plan) p->action->plan(act);
    p->begin_s = s->seconds;
    p->at = s->at;
    p->yaw = s->yaw;
    s->seconds += act->seconds;
    mry_vec end = mry_rot_apply(mry_rot_about(0, 1, 0, s->yaw), act->end);
    s->at = mry_vec_add(s->at, end);
    s->yaw += act->end_yaw;
}

/* The clip is what its file would say: channels of four decimals, and tracks derived from those. */
static bool settle_channels(marey_clip *clip)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t count = (size_t)clip->skeleton.channel_count;
    double *all = MRY_NEW(&clip->mem, double, (size_t)clip->frames *count),
           *row = MRY_NEW(&tmp, double, count);
    mry_plan plan;
    bool fits = all && row && mry_plan_make(&plan, clip, &tmp);
    for (int f = 0; f < clip->frames && fits; f++) {
        mry_channels_from_tracks(clip, clip->joints, f, row);
        for (size_t c = 0; c < count; c++) {
            /* Never minus nothing, whose sign would come from the last bit of a sine. */
            all[(size_t)f * count + c] = nearbyint(row[c] * DECIMALS_POWER) / DECIMALS_POWER + 0.0;
        }
    }
    if (fits) clip->source.channels = all;
    for (int f = 0; f < clip->frames && fits; f++) mry_plan_derive(&plan, clip, f);
    clip->source.decimals = 4;
    clip->source.frame_time = 0.0166667;
    mry_arena_free(&tmp);
    return fits;
}

static int frame_of(double seconds)
{
    return (int)floor(seconds * FPS + 0.5);
}

/* A flag for each point a frame, in the order of marey_contact_joint. */
static bool write_contacts(marey_demo_take *take, const uint8_t *flags)
{
    int frames = take->clip->frames;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
            for (int f = 0, end; f < frames; f = end) {
                int down = (flags[f] >> joint) & 1;
                for (end = f + 1; end < frames && ((flags[end] >> joint) & 1) == down;) end++;
                if (!down) continue;
                if (pass)
                    take->contacts[count] = (marey_contact){ (marey_contact_joint)joint, f, end };
                count++;
            }
        }
        if (!pass) take->contacts = MRY_NEW(&take->mem, marey_contact, count);
        if (!take->contacts) return false;
        take->contact_count = count;
    }
    return true;
}

static bool fill_take(marey_demo_take *take, const stage *s, const char *name, marey_ctx *ctx)
{
    int frames = frame_of(s->seconds) + 1;
    uint8_t *flags = MRY_NEW(&take->mem, uint8_t, frames);
    take->clip = mry_body_clip(ctx, &s->body, name, frames, FPS);
    if (!flags || !take->clip) return false;
    for (int f = 0; f < frames; f++) {
        mry_pose pose;
        double t = (double)f / FPS;
        int i = 0;
        while (i + 1 < s->count && t >= s->acts[i + 1].begin_s) i++;
        const placed_act *p = &s->acts[i];
        p->action->pose(&p->act, t - p->begin_s, &pose);
        /* From the act's own axes into space. */
        mry_rot turn = mry_rot_about(0, 1, 0, p->yaw);
        pose.hips = mry_vec_add(p->at, mry_rot_apply(turn, pose.hips));
        pose.hips_turn = mry_rot_times(turn, pose.hips_turn);
        for (int side = 0; side < 2; side++) {
            pose.ankle[side] = mry_vec_add(p->at, mry_rot_apply(turn, pose.ankle[side]));
            pose.foot[side] = mry_rot_times(turn, pose.foot[side]);
            pose.wrist_at[side] = mry_vec_add(p->at, mry_rot_apply(turn, pose.wrist_at[side]));
        }
        bool hands[2];
        mry_body_write(&s->body, &pose, take->clip, f, hands);
        flags[f] = (uint8_t)(pose.heel_down[MRY_LEFT] | pose.toe_down[MRY_LEFT] << 1 |
                             pose.heel_down[MRY_RIGHT] << 2 | pose.toe_down[MRY_RIGHT] << 3 |
                             hands[MRY_LEFT] << 4 | hands[MRY_RIGHT] << 5);
    }
    take->segments = MRY_NEW(&take->mem, marey_demo_segment, s->count);
    if (!take->segments || !settle_channels(take->clip) || !mry_roles_find(take->clip) ||
        !mry_clip_settle_units(take->clip, MAREY_UNITS_CM, MAREY_UP_Y))
        return false;
    take->clip->report.format = "demo";
    take->clip->report.claimed_fps = take->clip->fps;
    for (int i = 0; i < s->count; i++) {
        const placed_act *p = &s->acts[i];
        const marey_demo_action *shown = &p->action->shown;
        marey_demo_segment *out = &take->segments[take->segment_count++];
        bool down = strcmp(shown->name, "step_up") == 0 && p->act.value[0] < 0;
        out->label = down ? "step_down" : shown->name;
        out->side = !shown->sided ? "" : p->act.side == MRY_LEFT ? "left" : "right";
        out->start = frame_of(p->begin_s);
        out->end = i + 1 < s->count ? frame_of(s->acts[i + 1].begin_s) : frames;
        for (int k = 0; k < MRY_ACTION_PARAMS && p->action->params[k]; k++) {
            out->param_names[out->param_count] = p->action->params[k];
            out->param_values[out->param_count++] = p->act.value[k];
        }
    }
    return write_contacts(take, flags);
}

marey_status marey_demo_build(marey_ctx *ctx, int number, uint64_t seed, marey_demo_take **out,
                              marey_error *error)
{
    assert(number >= 0 && number < SCRIPTS);
    const mry_script *script = &scripts[number];
    mry_arena mem = mry_arena_make(ctx);
    marey_demo_take *take = MRY_NEW(&mem, marey_demo_take, 1);
    stage *s = MRY_NEW(&mem, stage, 1);
    if (!take || !s) {
        mry_arena_free(&mem);
        return mry_fail_memory(error, script->name);
    }
    /* The acts and the idling between them. */
    *s = (stage){ .body = mry_body_make(script->size), .seed = seed * 1000003u + (uint64_t)number };
    s->yaw = mry_random_between(&s->seed, -M_PI, M_PI);
    s->at = (mry_vec){ mry_random_between(&s->seed, -150, 150), 0,
                       mry_random_between(&s->seed, -150, 150) };
    for (const mry_line *line = script->lines; line->action; line++) {
        mry_line pause = { "idle", 0, mry_random_between(&s->seed, 1.7, 2.6), { 0 } };
        perform(s, &pause, true);
        perform(s, line, false);
    }
    mry_line last = { "idle", 0, 1.8, { 0 } };
    perform(s, &last, true);
    take->mem = mem;
    if (fill_take(take, s, script->name, ctx)) {
        *out = take;
        return MAREY_OK;
    }
    marey_demo_free(take);
    return mry_fail_memory(error, script->name);
}

const marey_clip *marey_demo_clip(const marey_demo_take *take)
{
    return take->clip;
}

const marey_demo_segment *marey_demo_segments(const marey_demo_take *take, int *count)
{
    *count = take->segment_count;
    return take->segments;
}

const marey_contact *marey_demo_contacts(const marey_demo_take *take, int *count)
{
    *count = take->contact_count;
    return take->contacts;
}

void marey_demo_free(marey_demo_take *take)
{
    if (!take) return;
    marey_clip_free(take->clip);
    mry_arena mem = take->mem;
    mry_arena_free(&mem);
}

int marey_demo_count(void)
{
    return SCRIPTS;
}

const char *marey_demo_name(int take)
{
    assert(take >= 0 && take < SCRIPTS);
    return scripts[take].name;
}
