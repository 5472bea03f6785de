/* make_transition.c - `transition`: from one clip into another without a seam (Kovar & Gleicher
   2003, 6.1): the best places for it, and the clip that goes there. */
#include "make.h"
#include "operations.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 1000 };
/* So much of what is done stays of both clips. */
#define KEPT_S 1.0
/* A cut that leaves it may cost so many times the limit before one that does not is better. */
#define POOR 10.0

static const char *method_word(int index)
{
    if (index < MAREY_BLEND_METHOD_COUNT) return marey_blend_method_name((marey_blend_method)index);
    return index == APP_METHOD_CUT ? "cut" : NULL;
}

static const app_param rows[] = {
    { .name = "a",
      .type = APP_SEGMENT,
      .at = offsetof(app_transition_params, a),
      .place = 1,
      .needed = true,
      .value = "A[#F]",
      .help = "the first clip; one frame of it is the centre" },
    { .name = "b",
      .type = APP_SEGMENT,
      .at = offsetof(app_transition_params, b),
      .place = 2,
      .needed = true,
      .value = "B[#G]",
      .help = "the second clip, likewise" },
    APP_HALF_PARAM(app_transition_params),
    { .name = "at",
      .type = APP_PAIR,
      .at = offsetof(app_transition_params, at),
      .value = "F,G",
      .help = "the centre: frame F of A and frame G of B, as they are in their files" },
    { .name = "near",
      .type = APP_PAIR,
      .at = offsetof(app_transition_params, near),
      .partial = true,
      .value = "F,G",
      .help = "seek cuts near frame F of A and frame G of B; 'F,' or ',G' for one of them" },
    { .name = "within",
      .type = APP_NUMBER,
      .at = offsetof(app_transition_params, within),
      .value = "S",
      .least = 0.001,
      .most = 1e6,
      .unit = "s",
      .standard = "0.5",
      .help = "how far from near" },
    { .name = "leave",
      .type = APP_RANGE,
      .at = offsetof(app_transition_params, leave),
      .value = "F-G",
      .help = "leave A in these frames, or seconds as in 2s-4s" },
    { .name = "enter",
      .type = APP_RANGE,
      .at = offsetof(app_transition_params, enter),
      .value = "F-G",
      .help = "come into B in these frames, likewise" },
    { .name = "count",
      .type = APP_WHOLE,
      .at = offsetof(app_transition_params, count),
      .value = "N",
      .least = 1,
      .most = MOST_CUTS,
      .standard = "10",
      .note = true,
      .help = "how many cuts are listed" },
    { .name = "below",
      .type = APP_NUMBER,
      .at = offsetof(app_transition_params, below),
      .value = "COST",
      .least = 1e-12,
      .most = INFINITY,
      .help = "only cuts that cost less; inf for all (default: 30 cm2 of points, and the best "
              "beyond that with a warning; no limit for other metrics)" },
    { .name = "anywhere",
      .type = APP_SWITCH,
      .at = offsetof(app_transition_params, anywhere),
      .help = "also cuts that leave less than a second of motion of one of the clips, or cut a "
              "labelled stretch" },
    { .name = "method",
      .type = APP_WORD,
      .at = offsetof(app_transition_params, method),
      .word = method_word,
      .standard = "registered",
      .help = "how the clips are combined" },
    APP_NO_CLEAN_PARAM(app_transition_params),
    APP_STRETCH_PARAM(app_transition_params),
    APP_SLOPE_PARAM(app_transition_params),
    APP_METRIC_PARAMS(app_transition_params, metric, "equal"),
    APP_OWN_METRIC_PARAM(app_transition_params, metric),
    APP_FOUND_PARAM(app_transition_params),
    APP_READING_PARAMS(app_transition_params, app_units_word),
    { 0 },
};

static bool names_frame(const app_segment *segment)
{
    return segment->range.given && segment->range.one_frame;
}

/* What would do nothing, as the frames are named, is refused. */
static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    static const char *const choosing[] = { "near",  "within", "leave",   "enter",
                                            "count", "below",  "anywhere" };
    enum { CHOOSING = sizeof choosing / sizeof *choosing };
    const app_transition_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    bool named[2] = { names_frame(&request->a), names_frame(&request->b) },
         at = request->at.given[0];
    app_metric unused;
    if (at && (named[0] || named[1])) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sat names both frames, and so does %s: one of these", dashes,
                        named[0] ? request->a.clip : request->b.clip);
    }
    if (app_given(rows, &request->given, "within") && !request->near.given[0] &&
        !request->near.given[1] && !at && !(named[0] && named[1])) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%swithin is how far from %snear, which is missing", dashes, dashes);
    }
    for (int side = 0; side < 2; side++) {
        bool ranged = side ? request->enter.given : request->leave.given;
        if (!named[side] || (!request->near.given[side] && !ranged)) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s names its frame, so there is nothing for %s%s to choose",
                        side ? request->b.clip : request->a.clip, dashes,
                        request->near.given[side] ? "near"
                        : side                    ? "enter"
                                                  : "leave");
    }
    for (size_t i = 0; (at || (named[0] && named[1])) && i < CHOOSING; i++) {
        if (!app_given(rows, &request->given, choosing[i])) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "both frames are named, so there is nothing for %s%s to choose", dashes,
                        choosing[i]);
    }
    return app_metric_define(NULL, &request->metric, dialect, &unused, error);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* What the metric says of single pairs of frames. */
typedef struct measures {
    marey_features *features[2];
    marey_grid *grid; /* for metrics whose cells depend on each other */
} measures;

static double cost_of(const measures *m, const int cell[2])
{
    if (!m->grid) return marey_distance(m->features[0], cell[0], m->features[1], cell[1]);
    marey_rows cost = marey_grid_cost(m->grid);
    return cost.values[(size_t)cell[0] * cost.stride + (size_t)cell[1]];
}

/* In the frames that were asked for? */
static bool may_be_cut(const app_transition_result *result, int side, int frame)
{
    const struct app_span *span = &result->spans[side];
    int at = app_material_frame(&result->all, side, frame);
    return span->end == 0 || (at >= span->start && at < span->end);
}

/* Which frames those are. REQUEST: none of them is in the clip. */
static marey_status find_spans(const app_transition_params *request, app_transition_result *out,
                               marey_error *error)
{
    const frame_range *ranges[2] = { &request->leave, &request->enter };
    marey_status status = MAREY_OK;
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        const app_material *one = &out->all.items[side];
        struct app_span *span = &out->spans[side];
        int frames = marey_clip_frames(out->all.clips[side]), any = 0;
        if (!ranges[side]->given) continue;
        status = range_find_among(ranges[side], one->source.end, marey_clip_fps(one->own), 0,
                                  &span->start, &span->end, error);
        if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", one->text);
        for (int f = 0; f < frames && status == MAREY_OK; f++) any += may_be_cut(out, side, f);
        if (status == MAREY_OK && any == 0) {
            status = app_fail(error, MAREY_ERR_REQUEST, one->text,
                              "%s must have captured frames of %d-%d, got %d-%d",
                              side ? "enter" : "leave", one->source.start, one->source.end,
                              span->start, span->end);
        }
    }
    return status;
}

static int by_cost(const void *left, const void *right)
{
    const marey_cut *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

/* One frame is named: the local minima along the other clip where there is room for a transition.
   Of minima nearer to each other than half a transition only the best stays. */
static marey_status find_row(const app_env *env, const app_transition_params *request,
                             const measures *m, int fixed, int frame, int near, double limit,
                             app_transition_result *out, marey_error *error)
{
    int other = 1 - fixed, cell[2], count = 0;
    const marey_clip *clip = out->all.clips[other];
    double fps = marey_clip_fps(clip), own = marey_clip_fps(out->all.clips[0]);
    int half = (int)lround(out->half * fps / own), frames = marey_clip_frames(clip);
    int low = half, high = frames - 1 - half;
    if (request->near.given[other]) {
        int within = (int)lround(request->within * fps);
        if (near - within > low) low = near - within;
        if (near + within < high) high = near + within;
    }
    while (low <= high && !may_be_cut(out, other, low)) low++;
    while (low <= high && !may_be_cut(out, other, high)) high--;
    int first = low < frames ? marey_features_row(m->features[other], low) : 1;
    int last = high >= 0 ? marey_features_row(m->features[other], high) : 0;
    marey_cut *minima = APP_NEW(env->scope, marey_cut, last >= first ? last - first + 1 : 0);
    if (!minima) return app_fail_memory(error);
    cell[fixed] = marey_features_row(m->features[fixed], frame);
    cell[other] = first;
    double before = INFINITY, now = first <= last ? cost_of(m, cell) : INFINITY;
    for (int row = first; row <= last; row++) {
        cell[other] = row + 1;
        double next = row < last ? cost_of(m, cell) : INFINITY;
        if (now < before && now <= next && now < limit) {
            marey_cut *cut = &minima[count++];
            *cut = (marey_cut){ frame, frame, now };
            *(other ? &cut->b : &cut->a) = marey_features_frame(m->features[other], row);
        }
        before = now;
        now = next;
    }
    if (count > 1) qsort(minima, (size_t)count, sizeof *minima, by_cost);
    for (int i = 0; i < count && out->count < request->count; i++) {
        bool apart = true;
        for (int k = 0; k < out->count && apart; k++) {
            apart = abs(minima[i].a - out->cuts[k].a) > out->half ||
                    abs(minima[i].b - out->cuts[k].b) > out->half;
        }
        if (apart) out->cuts[out->count++] = minima[i];
    }
    return MAREY_OK;
}

/* One or both frames are named. */
static marey_status find_named(const app_env *env, const app_transition_params *request,
                               const int frames[2], const bool named[2], const int near[2],
                               double limit, app_transition_result *out, marey_error *error)
{
    const marey_clip *const *clips = (const marey_clip *const *)out->all.clips;
    marey_layout *layout = NULL;
    measures m = { .grid = NULL };
    marey_status status =
        marey_layout_build_bodies(env->ctx, clips, 2, &out->metric.def, &layout, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++)
        status = marey_features_build(layout, clips[side], &m.features[side], error);
    if (status == MAREY_OK && out->metric.def.metric->whole_grid)
        status = marey_grid_build(env->ctx, m.features[0], m.features[1], &m.grid, error);
    if (status == MAREY_OK && named[0] && named[1]) {
        int cell[2] = { marey_features_row(m.features[0], frames[0]),
                        marey_features_row(m.features[1], frames[1]) };
        out->cuts[0] = (marey_cut){ frames[0], frames[1], cost_of(&m, cell) };
        out->count = 1;
    } else if (status == MAREY_OK) {
        int fixed = named[0] ? 0 : 1;
        status =
            find_row(env, request, &m, fixed, frames[fixed], near[1 - fixed], limit, out, error);
    }
    marey_grid_free(m.grid);
    for (int side = 0; side < 2; side++) marey_features_free(m.features[side]);
    marey_layout_free(layout);
    return status;
}

/* What is looked for. */
typedef struct wish {
    double limit;
    bool keeps; /* what the clips are about */
    bool shown; /* it is dear, so the best has to be made, and must not jump */
} wish;

/* Where a clip may be cut in the frames that were asked for; NULL in *out: anywhere. MEMORY. */
static marey_status allow_span(const app_env *env, const app_transition_result *result, int side,
                               const uint8_t **out, marey_error *error)
{
    int frames = marey_clip_frames(result->all.clips[side]);
    *out = NULL;
    if (result->spans[side].end == 0) return MAREY_OK;
    uint8_t *allowed = APP_NEW(env->scope, uint8_t, frames);
    if (!allowed) return app_fail_memory(error);
    for (int f = 0; f < frames; f++) allowed[f] = may_be_cut(result, side, f);
    *out = allowed;
    return MAREY_OK;
}

/* Where one may be cut that has labelled stretches: there, in none of them, the first behind one of
   them, the second before one; *out stays as it is where that is nowhere. MEMORY. */
static marey_status leave_stretches(const app_env *env, const app_transition_result *result,
                                    int side, const uint8_t **out, marey_error *error)
{
    const app_materials *all = &result->all;
    const app_source *source = &all->items[side].source;
    int frames = marey_clip_frames(all->clips[side]), first = INT_MAX, last = -1, any = 0;
    uint8_t *allowed = APP_NEW(env->scope, uint8_t, frames);
    if (!allowed) return app_fail_memory(error);
    for (int i = 0; i < source->stretch_count; i++) {
        const marey_stretch *one = &source->stretches[i];
        if (one->start < source->start || one->end > source->end) continue;
        if (one->end < first) first = one->end;
        if (one->start > last) last = one->start;
    }
    for (int f = 0; f < frames && last >= 0; f++) {
        int frame = app_material_frame(all, side, f);
        allowed[f] = (side == 0 ? frame >= first : frame <= last) && may_be_cut(result, side, f);
        for (int i = 0; i < source->stretch_count && allowed[f]; i++) {
            const marey_stretch *one = &source->stretches[i];
            allowed[f] = frame <= one->start || frame >= one->end;
        }
        any += allowed[f];
    }
    if (any > 0) *out = allowed;
    return MAREY_OK;
}

/* Neither frame is named. Where both clips have one rate, only what is near is compared. */
static marey_status find_all(const app_env *env, const app_transition_params *request,
                             const int near[2], wish wanted, app_transition_result *out,
                             marey_error *error)
{
    enum { BESIDE = 2 * (MAREY_MOST_WINDOW + 1) };
    const app_material *items = out->all.items;
    marey_clip **clips = out->all.clips;
    double fps[2] = { marey_clip_fps(clips[0]), marey_clip_fps(clips[1]) }, pairs = 1;
    for (int side = 0; side < 2; side++) {
        double frames = marey_clip_frames(clips[side]), reach = 2 * request->within * fps[side] + 1;
        bool nearby = request->near.given[side] && fabs(fps[0] / fps[1] - 1) < 1e-9;
        pairs *= nearby ? fmin(frames, reach + BESIDE) : frames;
    }
    marey_status status = app_pairs_check(env, pairs, error);
    if (status != MAREY_OK) return status;
    marey_cuts_def def = { .metric = &out->metric.def,
                           .half = out->half,
                           .below = wanted.limit,
                           .near_given = { request->near.given[0], request->near.given[1] },
                           .near = { near[0], near[1] },
                           .within_s = request->within,
                           .keep_s = wanted.keeps ? KEPT_S : 0 };
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = allow_span(env, out, side, &def.allowed[side], error);
        if (status == MAREY_OK && wanted.keeps && !request->near.given[side])
            status = leave_stretches(env, out, side, &def.allowed[side], error);
    }
    if (status != MAREY_OK) return status;
    /* From a clip to itself, the library leaves out where hardly any time is skipped. */
    bool same = strcmp(items[0].source.name, items[1].source.name) == 0 &&
                items[0].source.start == items[1].source.start &&
                items[0].source.end == items[1].source.end;
    int found = 0;
    status = marey_cuts_find(env->ctx, clips[0], clips[same ? 0 : 1], &def, request->count,
                             out->cuts, &found, error);
    out->count = found < request->count ? found : request->count;
    return status;
}

static marey_status find_below(const app_env *env, const app_transition_params *request,
                               wish wanted, app_transition_result *out, marey_error *error)
{
    int frames[2] = { 0 }, near[2] = { 0 };
    bool named[2];
    marey_status status = MAREY_OK;
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        const app_material *one = &out->all.items[side];
        named[side] = request->at.given[0] || one->centre_given;
        frames[side] = one->centre;
        if (request->at.given[0]) {
            status = app_material_find(&out->all, side, request->at.values[side], "at",
                                       &frames[side], error);
        }
        if (status == MAREY_OK && request->near.given[side]) {
            status = app_material_find(&out->all, side, request->near.values[side], "near",
                                       &near[side], error);
        }
    }
    if (status != MAREY_OK) return status;
    if (named[0] || named[1])
        return find_named(env, request, frames, named, near, wanted.limit, out, error);
    return find_all(env, request, near, wanted, out, error);
}

/* Does the best of them jump where it is made? A cut between unlike poses may cost much and yet not
   be seen, if they are passed through at one pace. */
static marey_status judge_jump(const app_env *env, const app_transition_params *request,
                               const app_transition_result *of, bool *jumps, marey_error *error)
{
    marey_made made = { 0 };
    marey_speeds speeds = APP_NO_SPEEDS, inputs = APP_NO_SPEEDS;
    marey_status status =
        app_transition_make(env, request, of, &of->cuts[0], request->no_clean, &made, error);
    if (status == MAREY_OK) status = app_speeds_add(made.clip, NULL, &speeds, error);
    if (status == MAREY_OK) status = app_materials_speeds(&of->all, &inputs, error);
    if (status != MAREY_OK) return status;
    /* A leap that was captured would be there at any cut. */
    *jumps = marey_jump_ratio(speeds.joint_cm_per_s, inputs.sound_joint_cm_per_s,
                              marey_clip_fps(made.clip)) > app_most_jump &&
             speeds.joint_cm_per_s > inputs.joint_cm_per_s * app_most_jump;
    return MAREY_OK;
}

/* The best cuts of a clip are often from standing to standing, before anything was done: those are
   looked for that leave what the clips are about, rather than cheaper ones, at any cost as long as
   no joint jumps; a limit that was not asked for is a warning. */
static marey_status find_best(const app_env *env, const app_transition_params *request,
                              app_transition_result *out, marey_error *error)
{
    bool given = request->below > 0;
    double limit = out->below;
    const wish wishes[] = { { limit, true, false },
                            { given ? limit : POOR * limit, true, false },
                            { given ? limit : INFINITY, true, true },
                            { limit, false, false },
                            { INFINITY, false, false } };
    enum { WISHES = sizeof wishes / sizeof *wishes };
    const app_material *items = out->all.items;
    bool named = request->at.given[0] || items[0].centre_given || items[1].centre_given;
    double tried = -1;
    marey_status status = MAREY_OK;
    out->count = 0;
    for (int i = 0; i < WISHES && out->count == 0 && status == MAREY_OK; i++) {
        const wish *now = &wishes[i];
        bool same = i > 0 && now->keeps == wishes[i - 1].keeps && now->limit == tried;
        if ((now->keeps && (request->anywhere || named)) || same) continue;
        tried = now->limit;
        status = find_below(env, request, *now, out, error);
        bool jumps = false;
        if (status == MAREY_OK && now->shown && out->count > 0)
            status = judge_jump(env, request, out, &jumps, error);
        if (jumps) out->count = 0;
        out->skips = !now->keeps && !request->anywhere && !named;
    }
    out->cheapest = out->count > 0 ? out->cuts[0].cost : INFINITY;
    return status;
}

/* Poses that are unlike can be too far apart for the usual half of a second, and not for a longer
   time: where a dear cut jumps, one is looked for that has room for that. */
static marey_status find_longer(const app_env *env, const app_transition_params *request,
                                app_transition_result *out, marey_error *error)
{
    static const double times[] = { 1.5, 2, 3, 4 };
    app_transition_result usual = *out, longer = *out;
    bool jumps = false;
    marey_status status = judge_jump(env, request, out, &jumps, error);
    for (size_t i = 0; i < sizeof times / sizeof *times && jumps && status == MAREY_OK; i++) {
        longer.half = (int)lround(usual.half * times[i]);
        longer.cuts = APP_NEW(env->scope, marey_cut, request->count);
        if (!longer.cuts) return app_fail_memory(error);
        status = find_best(env, request, &longer, error);
        if (status != MAREY_OK || longer.count == 0 || (longer.skips && !usual.skips)) continue;
        status = judge_jump(env, request, &longer, &jumps, error);
        if (!jumps) *out = longer;
    }
    return status;
}

static marey_status find(const app_env *env, const app_transition_params *request,
                         app_transition_result *out, marey_error *error)
{
    double usual = out->metric.def.metric->thresholds.cut;
    bool given = request->below > 0;
    double limit = given ? request->below : usual > 0 ? usual : INFINITY;
    const app_material *items = out->all.items;
    bool chosen = request->at.given[0] || (items[0].centre_given && items[1].centre_given);
    out->half = marey_transition_half(out->all.clips[0], request->half);
    out->below = limit;
    out->cuts = APP_NEW(env->scope, marey_cut, request->count);
    if (!out->cuts) return app_fail_memory(error);
    marey_status status = find_spans(request, out, error);
    if (status == MAREY_OK) status = find_best(env, request, out, error);
    if (given && out->cheapest >= limit)
        out->count = 0; /* what would have to be allowed is known */
    if (status != MAREY_OK || out->count == 0 || chosen) return status;
    bool blends = request->method != APP_METHOD_CUT && !app_given(rows, &request->given, "half");
    if (out->cheapest >= limit && blends) status = find_longer(env, request, out, error);
    if (status != MAREY_OK) return status;
    if (out->cheapest >= limit)
        app_warn(env,
                 "warning: the best transition costs %.4g %s, and up to %g hardly shows: look "
                 "at it",
                 out->cheapest, out->metric.def.metric->unit, limit);
    if (out->skips)
        app_warn(env,
                 "warning: no transition leaves what both clips are about: this one skips some "
                 "of it");
    return MAREY_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* A plain cut: plants of the first clip up to it, and of the second from there on, at the first
   one's rate. A foot that is planted on both sides is planted once. */
static marey_status make_cut(const app_env *env, const app_transition_result *result,
                             const marey_cut *cut, marey_made *out, marey_error *error)
{
    const marey_contacts *feet = result->all.contacts;
    double rate = marey_clip_fps(result->all.clips[0]) / marey_clip_fps(result->all.clips[1]);
    *out = (marey_made){ .from_a_end = cut->a, .from_b_start = cut->a };
    marey_status status = marey_clip_stitch(result->all.clips[0], cut->a, result->all.clips[1],
                                            cut->b, NULL, &out->clip, error);
    if (status == MAREY_OK) status = app_own_clip(env, out->clip, error);
    if (status != MAREY_OK) return status;
    int frames = marey_clip_frames(out->clip), count = 0;
    marey_contact *items = APP_NEW(env->scope, marey_contact, feet[0].count + feet[1].count + 1);
    if (!items) return app_fail_memory(error);
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int i = 0; i < feet[0].count + feet[1].count; i++) {
            bool second = i >= feet[0].count;
            marey_contact one = second ? feet[1].items[i - feet[0].count] : feet[0].items[i];
            if (second) {
                one.start = cut->a + (int)lround((one.start - cut->b) * rate);
                one.end = cut->a + (int)lround((one.end - cut->b) * rate);
                if (one.start < cut->a) one.start = cut->a;
            }
            int last = second ? frames : cut->a;
            if (one.end > last) one.end = last;
            if ((int)one.joint != joint || one.start >= one.end) continue;
            marey_contact *before = count > 0 ? &items[count - 1] : NULL;
            if (before && before->joint == one.joint && before->end == cut->a &&
                one.start == cut->a) {
                before->end = one.end;
            } else {
                items[count++] = one;
            }
        }
    }
    out->contacts = (marey_contacts){ .count = count, .items = items };
    return MAREY_OK;
}

static void release_made(void *made)
{
    marey_made_free(made);
}

marey_status app_transition_make(const app_env *env, const app_transition_params *params,
                                 const app_transition_result *result, const marey_cut *cut,
                                 bool leave_feet, marey_made *out, marey_error *error)
{
    if (params->method == APP_METHOD_CUT) return make_cut(env, result, cut, out, error);
    marey_clean_def clean = { .stretch = app_stretch(rows, &params->given, params->stretch) };
    marey_transition_def def = { .method = (marey_blend_method)params->method,
                                 .metric = &result->metric.def,
                                 .half = result->half,
                                 .slope = params->slope,
                                 .leave_feet = leave_feet,
                                 .clean = &clean };
    marey_made *own = APP_NEW(env->scope, marey_made, 1);
    if (!own) return app_fail_memory(error);
    marey_status status =
        marey_transition_make(env->ctx, result->all.clips[0], cut->a, result->all.clips[1], cut->b,
                              result->all.contacts, &def, own, error);
    if (status != MAREY_OK) return status;
    *out = *own;
    return app_own(env->scope, own, release_made, error);
}

/* Half of what was blended: less than was asked for where a clip ends. */
static int half_made(const marey_made *made)
{
    return (made->from_b_start - made->from_a_end) / 2;
}

static marey_status make(const app_env *env, const app_transition_params *request,
                         app_transition_result *out, marey_error *error)
{
    app_made *made = &out->made;
    bool plain = request->method == APP_METHOD_CUT;
    const char *unit = out->metric.def.metric->unit;
    bool chosen = out->spans[0].end > 0 || out->spans[1].end > 0;
    if (out->count == 0 && isinf(out->cheapest) && chosen) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no cut lies in the frames that leave and enter allow: %d frames are "
                        "needed on both sides of it",
                        out->half);
    }
    if (out->count == 0 && isinf(out->cheapest)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there is no room for a transition: %d frames are needed on both sides of "
                        "a cut",
                        out->half);
    }
    if (out->count == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no cut costs less than %g%s%s; the cheapest costs %.4g, and --below would "
                        "take it",
                        out->below, *unit ? " " : "", unit, out->cheapest);
    }
    const marey_cut *cut = &out->cuts[0];
    marey_made left = { 0 };
    marey_status status =
        app_transition_make(env, request, out, cut, request->no_clean, &made->made, error);
    made->cleaned = !request->no_clean && !plain;
    if (status == MAREY_OK && made->cleaned)
        status = app_transition_make(env, request, out, cut, true, &left, error);
    if (status == MAREY_OK) status = app_materials_speeds(&out->all, &made->inputs, error);
    if (status != MAREY_OK) return status;
    made->raw = left.clip;
    /* A plain cut has no frames of its own to look at. */
    made->first = made->made.from_a_end - plain;
    made->end = made->made.from_b_start + plain;

    /* Which frames of the clips are in it. */
    app_source used[2] = { out->all.items[0].source, out->all.items[1].source };
    int centre[2] = { app_material_frame(&out->all, 0, cut->a),
                      app_material_frame(&out->all, 1, cut->b) };
    double rate = marey_clip_fps(out->all.clips[1]) / marey_clip_fps(out->all.clips[0]);
    int half = half_made(&made->made), other = (int)lround(half * rate);
    int end = centre[0] + (plain ? 0 : half + 1), start = centre[1] - other;
    if (end < used[0].end) used[0].end = end;
    if (start > used[1].start) used[1].start = start;
    if (used[0].end > used[0].start) app_provenance_source(&made->from, env->scope, &used[0]);
    app_provenance_source(&made->from, env->scope, &used[1]);

    /* The centre is noted as if it had been asked for: with it the same clip is made again. */
    app_transition_params noted = *request;
    noted.at = (app_pair){ .values = { centre[0], centre[1] }, .given = { true, true } };
    for (int i = 0; rows[i].name; i++)
        if (strcmp(rows[i].name, "at") == 0) noted.given.given |= (uint64_t)1 << i;
    return app_made_finish(env, &app_transition, &noted.given, made, error);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_transition_params *request = params;
    app_transition_result *out = result;
    app_material_def how = { .reading = &request->reading,
                             .found = request->found,
                             .centres = true };
    const app_segment segments[2] = { request->a, request->b };
    marey_status status = app_metric_define(env, &request->metric, APP_BODY, &out->metric, error);
    if (status == MAREY_OK) status = app_materials_load(env, &how, segments, 2, &out->all, error);
    if (status == MAREY_OK) status = find(env, request, out, error);
    return status == MAREY_OK && env->wants_clip ? make(env, request, out, error) : status;
}

static void write(const void *params, const void *result, json *out)
{
    const app_transition_params *request = params;
    const app_transition_result *of = result;
    const marey_made *made = &of->made.made;
    json_open(out, "cuts", '[');
    for (int i = 0; i < of->count; i++) {
        json_open(out, NULL, '{');
        json_put_integer(out, "a", app_material_frame(&of->all, 0, of->cuts[i].a));
        json_put_integer(out, "b", app_material_frame(&of->all, 1, of->cuts[i].b));
        json_put_number(out, "cost", of->cuts[i].cost);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_number(out, "cheapest", of->cheapest);
    json_put_boolean(out, "over_limit", of->count > 0 && of->cheapest >= of->below);
    json_put_boolean(out, "skips", of->skips);
    json_put_number(out, "below", of->below);
    json_put_number(out, "within_s", request->within);
    for (int side = 0; side < 2; side++) {
        const struct app_span *span = &of->spans[side];
        if (span->end == 0) continue;
        json_open(out, side ? "enter" : "leave", '[');
        json_put_integer(out, NULL, span->start);
        json_put_integer(out, NULL, span->end);
        json_close(out, ']');
    }
    json_put_string(out, "metric", of->metric.def.metric->name);
    json_put_string(out, "unit", of->metric.def.metric->unit);
    app_refit_write(&of->all.items[1], out);
    json_put_integer(out, "half", made->clip ? half_made(made) : of->half);
    if (!made->clip) {
        json_put_number(out, "fps", marey_clip_fps(of->all.clips[0]));
        return;
    }
    json_put_string(out, "method", method_word(request->method));
    json_put_integer(out, "from_a_end", made->from_a_end);
    json_put_integer(out, "from_b_start", made->from_b_start);
    app_made_write(&of->made, out);
}

/* ---- as a picture ---------------------------------------------------------------------------- */

/* A strip of the second around each cut. */
static marey_status draw(const app_env *env, const void *params, void *result,
                         const app_drawing_def *def, const char *path, marey_error *error)
{
    enum { LABEL_ROOM = 96 };
    const app_transition_params *request = params;
    const app_transition_result *of = result;
    (void)def;
    if (of->count == 0) return app_fail(error, MAREY_ERR_REQUEST, NULL, "there is no cut to draw");
    marey_clip **clips = APP_NEW(env->scope, marey_clip *, of->count);
    const char **labels = APP_NEW(env->scope, const char *, of->count);
    char(*texts)[LABEL_ROOM] = app_alloc(env->scope, (size_t)of->count, LABEL_ROOM);
    if (!clips || !labels || !texts) return app_fail_memory(error);
    for (int i = 0; i < of->count; i++) {
        const marey_cut *cut = &of->cuts[i];
        marey_made made = { 0 };
        app_progress(env, "making transitions", i, of->count, -1);
        marey_status status =
            app_transition_make(env, request, of, cut, request->no_clean, &made, error);
        if (status != MAREY_OK) return status;
        /* Half a second on each side of the middle. */
        int frames = marey_clip_frames(made.clip);
        int middle = (made.from_a_end + made.from_b_start) / 2;
        int half = (int)lround(0.5 * marey_clip_fps(made.clip));
        int start = middle > half ? middle - half : 0;
        int end = middle + half < frames ? middle + half : frames;
        status = marey_clip_trim(made.clip, start, end > start ? end : start + 1, &clips[i], error);
        if (status == MAREY_OK) status = app_own_clip(env, clips[i], error);
        if (status != MAREY_OK) return status;
        snprintf(texts[i], LABEL_ROOM, "frame %d to frame %d, cost %.4g %s",
                 app_material_frame(&of->all, 0, cut->a), app_material_frame(&of->all, 1, cut->b),
                 cut->cost, of->metric.def.metric->unit);
        labels[i] = texts[i];
    }
    return marey_sheet_save((const marey_clip *const *)clips, labels, of->count, path, error);
}

static const app_drawing pictures[] = {
    { "sheet", "a film strip of the second around each place for a transition", draw },
    { 0 },
};

APP_MADE_OF(app_transition_result, made)

const app_operation app_transition = {
    .name = "transition",
    .summary = "go from one clip over into another without a seam",
    .description = { "Without frames the best places for a transition are listed, the cheapest "
                     "first, and -o OUT writes the best: all of A before it, the transition, all "
                     "of B behind it, as one clip that stands where A stands. They leave at least "
                     "a "
                     "second of what is done in each, standing does not count, and labelled "
                     "stretches whole, one of each clip at least; --anywhere looks everywhere, "
                     "--near near a frame of A, of B or of both, and --leave and --enter only in "
                     "some frames of A and of B.",
                     "walk.bvh#120 jog.bvh#64 names the frames that lie in the middle of the "
                     "transition; so does --at 120,64. Where only one clip names its frame, the "
                     "best frames of the other are sought. "
                     "Where the best transition is above the usual limit and a joint would jump, "
                     "one is looked for that has room for a longer blend, unless --half is given.",
                     "The cost is the distance of the metric between the two frames. --below says "
                     "how much is too much. --sheet draws a second of motion around every cut of "
                     "the list.",
                     "registered blends along a registration of the two, so that steps stay in "
                     "step; untimed blends frame with frame; linear also averages the root's "
                     "positions as they are; cut does not blend. Planted feet are held in place "
                     "unless --no-clean says otherwise.",
                     "OUT may be LIB.marey:NAME, as in marey convert. B may have other bones: it "
                     "is "
                     "put on those of A." },
    .params = rows,
    .params_size = sizeof(app_transition_params),
    .result_size = sizeof(app_transition_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .pictures = pictures,
    .made = made_of,
    .made_as = "transition of",
};
