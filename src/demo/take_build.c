/* take_build.c - a script becomes a clip and the truth about it. Actions are performed one after another, each where
   the one before it ended, with idling in between; every performance differs a little, as the seed says. */
#include "demo/action.h"
#include "demo/takes.h"

#include "base/fail.h"
#include "motion/channels.h"

#include <assert.h>
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
    return mry_script_count;
}

const char *marey_demo_name(int take)
{
    assert(take >= 0 && take < mry_script_count);
    return mry_scripts[take].name;
}

/* ---- placing ----------------------------------------------------------------------------------- */

typedef struct stage {
    mry_body body;
    placed_act acts[MOST_ACTS];
    int count;
    double seconds;
    mry_vec at; /* where the next act begins */
    double yaw;
    uint64_t seed;
} stage;

/* How far lengths and speeds of a wish grow with the body. */
static bool is_length(const char *param)
{
    return param && strstr(param, "_cm");
}

static void perform(stage *s, const mry_line *line, bool filler)
{
    assert(s->count < MOST_ACTS);
    placed_act *p = &s->acts[s->count++];
    *p = (placed_act){ .action = mry_action_by_name(line->action), .filler = filler };
    mry_act *act = &p->act;
    act->body = &s->body;
    act->side = line->side == 'r' ? MRY_RIGHT : MRY_LEFT;
    act->seconds = line->seconds;
    for (int i = 0; i < 6; i++) act->vary[i] = mry_random_between(&s->seed, -1, 1);
    for (int i = 0; i < MRY_ACTION_PARAMS; i++) {
        const char *param = p->action->params[i];
        double scale = is_length(param) ? s->body.size : 1;
        bool counted = param && strcmp(param, "count") == 0;
        act->wish[i] = line->wish[i] * scale;
        if (!counted) act->wish[i] *= 1 + 0.03 * mry_random_between(&s->seed, -1, 1);
    }
    p->action->plan(act);
    p->begin_s = s->seconds;
    p->at = s->at;
    p->yaw = s->yaw;
    s->seconds += act->seconds;
    mry_vec end = mry_rot_apply(mry_rot_about(0, 1, 0, s->yaw), act->end);
    s->at = mry_vec_add(s->at, end);
    s->yaw += act->end_yaw;
}

static void set_stage(stage *s, const mry_script *script, uint64_t seed)
{
    *s = (stage){ .body = mry_body_make(script->size), .seed = seed };
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
}

/* ---- frames ------------------------------------------------------------------------------------ */

static void into_space(const placed_act *p, mry_pose *pose)
{
    mry_rot turn = mry_rot_about(0, 1, 0, p->yaw);
    pose->hips = mry_vec_add(p->at, mry_rot_apply(turn, pose->hips));
    pose->hips_turn = mry_rot_times(turn, pose->hips_turn);
    for (int side = 0; side < 2; side++) {
        pose->ankle[side] = mry_vec_add(p->at, mry_rot_apply(turn, pose->ankle[side]));
        pose->foot[side] = mry_rot_times(turn, pose->foot[side]);
        pose->wrist_at[side] = mry_vec_add(p->at, mry_rot_apply(turn, pose->wrist_at[side]));
    }
}

static void pose_at(const stage *s, double t, mry_pose *pose)
{
    int i = 0;
    while (i + 1 < s->count && t >= s->acts[i + 1].begin_s) i++;
    const placed_act *p = &s->acts[i];
    p->action->pose(&p->act, t - p->begin_s, pose);
    into_space(p, pose);
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
            all[(size_t)f * count + c] = nearbyint(row[c] * DECIMALS_POWER) / DECIMALS_POWER;
        }
    }
    if (fits) clip->source.channels = all;
    for (int f = 0; f < clip->frames && fits; f++) mry_plan_derive(&plan, clip, f);
    clip->source.decimals = 4;
    clip->source.frame_time = 0.0166667;
    mry_arena_free(&tmp);
    return fits;
}

static bool describe(marey_clip *clip)
{
    if (!mry_roles_find(clip) || !mry_clip_settle_units(clip, MAREY_UNITS_CM, MAREY_UP_Y))
        return false;
    clip->report.format = "demo";
    clip->report.claimed_fps = clip->fps;
    return true;
}

/* ---- truth ------------------------------------------------------------------------------------- */

static int frame_of(double seconds)
{
    return (int)floor(seconds * FPS + 0.5);
}

static bool write_segments(marey_demo_take *take, const stage *s)
{
    take->segments = MRY_NEW(&take->mem, marey_demo_segment, s->count);
    if (!take->segments) return false;
    for (int i = 0; i < s->count; i++) {
        const placed_act *p = &s->acts[i];
        const marey_demo_action *shown = &p->action->shown;
        marey_demo_segment *out = &take->segments[take->segment_count++];
        bool down = strcmp(shown->name, "step_up") == 0 && p->act.wish[0] < 0;
        out->label = down ? "step_down" : shown->name;
        out->side = !shown->sided ? "" : p->act.side == MRY_LEFT ? "left" : "right";
        out->start = frame_of(p->begin_s);
        out->end = i + 1 < s->count ? frame_of(s->acts[i + 1].begin_s) : take->clip->frames;
        for (int k = 0; k < MRY_ACTION_PARAMS && p->action->params[k]; k++) {
            out->param_names[out->param_count] = p->action->params[k];
            out->param_values[out->param_count++] = p->act.wish[k];
        }
    }
    return true;
}

/* Four flags a frame, in the order of marey_contact_joint. */
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

static uint8_t contact_flags(const mry_pose *pose)
{
    return (uint8_t)(pose->heel_down[MRY_LEFT] | pose->toe_down[MRY_LEFT] << 1 |
                     pose->heel_down[MRY_RIGHT] << 2 | pose->toe_down[MRY_RIGHT] << 3);
}

static bool fill_take(marey_demo_take *take, const stage *s, const char *name, marey_ctx *ctx)
{
    int frames = frame_of(s->seconds) + 1;
    uint8_t *flags = MRY_NEW(&take->mem, uint8_t, frames);
    take->clip = mry_body_clip(ctx, &s->body, name, frames, FPS);
    if (!flags || !take->clip) return false;
    for (int f = 0; f < frames; f++) {
        mry_pose pose;
        pose_at(s, (double)f / FPS, &pose);
        mry_body_write(&s->body, &pose, take->clip, f);
        flags[f] = contact_flags(&pose);
    }
    return settle_channels(take->clip) && describe(take->clip) && write_segments(take, s) &&
           write_contacts(take, flags);
}

marey_status marey_demo_build(marey_ctx *ctx, int number, uint64_t seed, marey_demo_take **out,
                              marey_error *error)
{
    assert(number >= 0 && number < mry_script_count);
    const mry_script *script = &mry_scripts[number];
    mry_arena mem = mry_arena_make(ctx);
    marey_demo_take *take = MRY_NEW(&mem, marey_demo_take, 1);
    stage *s = MRY_NEW(&mem, stage, 1);
    if (!take || !s) {
        mry_arena_free(&mem);
        return mry_fail_memory(error, script->name);
    }
    set_stage(s, script, seed * 1000003u + (uint64_t)number);
    take->mem = mem;
    if (fill_take(take, s, script->name, ctx)) {
        *out = take;
        return MAREY_OK;
    }
    marey_demo_free(take);
    return mry_fail_memory(error, script->name);
}
