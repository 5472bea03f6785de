/* registered.c - registrations of clips (Kovar & Gleicher 2003, section 4), built or opened.
   Dragging a weight asks for blend after blend of the same clips: loading and registering them is
   done once, and again when the library has changed. */
#include "make.h"

#include <math.h>
#include <string.h>

marey_status app_motions_check(const app_param *rows, const app_params *given,
                               const app_motions *motions, app_dialect dialect, marey_error *error)
{
    static const char *const made_with[] = { "metric", "own-metric", "slope", "reference",
                                             "through" };
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    app_metric unused;
    int count = motions->clips.count;
    if (motions->curve && count > 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%scurve brings its own clips, so none are named", dashes);
    }
    for (size_t i = 0; i < sizeof made_with / sizeof *made_with && motions->curve; i++) {
        if (!app_given(rows, given, made_with[i])) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%scurve was made before, with its own %s%s", dashes, dashes, made_with[i]);
    }
    if (!motions->curve && count < 2) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "clips must be 2 to %d, or a %scurve, got %d", APP_MOST_MOTIONS, dashes,
                        count);
    }
    if (!motions->curve && motions->reference > count) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sreference must be from 1 to %d, got %d",
                        dashes, count, motions->reference);
    }
    return app_metric_define(NULL, &motions->metric, dialect, &unused, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* All with all where the reference is to be found; rates are the lowest of them. */
static marey_status check_pairs(const app_env *env, const app_materials *materials, int reference,
                                marey_error *error)
{
    double rate = INFINITY, pairs = 0;
    for (int i = 0; i < materials->count; i++)
        rate = fmin(rate, marey_clip_fps(materials->clips[i]));
    for (int i = 0; i < materials->count; i++) {
        double rows = marey_clip_seconds(materials->clips[i]) * rate;
        for (int j = i + 1; j < materials->count; j++) {
            if (reference > 0 && i != reference - 1 && j != reference - 1) continue;
            pairs += rows * marey_clip_seconds(materials->clips[j]) * rate;
        }
    }
    return app_pairs_check(env, pairs, error);
}

/* The clips of one that is saved, for their names, sources and speeds. */
static marey_status open_saved(const app_env *env, const app_motions *motions,
                               const app_material_def *def, app_registered *out, marey_error *error)
{
    marey_parts *parts = NULL;
    if (!env->library) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "curve is a registration that a library keeps: -L FILE");
    }
    marey_status status =
        marey_library_registration(env->library, motions->curve, &parts, &out->registration, error);
    if (status == MAREY_OK) status = app_own_parts(env, parts, error);
    if (status != MAREY_OK) return status;
    app_segment *segments = APP_NEW(env->scope, app_segment, parts->count);
    if (!segments) return app_fail_memory(error);
    for (int i = 0; i < parts->count; i++) {
        const marey_part *part = &parts->parts[i];
        segments[i] = (app_segment){ parts->names[i].name,
                                     { .given = true, .start = part->start, .end = part->end } };
    }
    return app_materials_load(env, def, segments, parts->count, &out->all, error);
}

/* Every pin has a frame of each clip. */
static marey_status find_pins(const app_env *env, const app_motions *motions,
                              const app_materials *all, marey_registration_def *def,
                              marey_error *error)
{
    if (motions->through.count == 0) return MAREY_OK;
    app_pinned *clips = APP_NEW(env->scope, app_pinned, all->count);
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < all->count; i++) {
        const app_source *source = &all->items[i].source;
        clips[i] = (app_pinned){ .typed = motions->clips.values[i].clip,
                                 .name = source->name,
                                 .id = source->id,
                                 .start = source->start,
                                 .end = source->end,
                                 .own = all->items[i].own };
    }
    def->pin_count = motions->through.count;
    return app_pins_read(env, &motions->through, clips, all->count, true, &def->pins, error);
}

static marey_status open_registered(const app_env *env, const void *user, void *object,
                                    int64_t *weight, marey_error *error)
{
    const app_motions *motions = user;
    app_registered *out = object;
    app_material_def how = { .reading = &motions->reading, .found = motions->found };
    marey_registration_def def = { .metric = &out->metric.def,
                                   .slope = motions->slope,
                                   .reference = motions->reference };
    marey_status status = app_metric_define(env, &motions->metric, APP_BODY, &out->metric, error);
    if (status == MAREY_OK && motions->curve) {
        status = open_saved(env, motions, &how, out, error);
    } else if (status == MAREY_OK) {
        status = app_materials_load(env, &how, motions->clips.values, motions->clips.count,
                                    &out->all, error);
        if (status == MAREY_OK) status = check_pairs(env, &out->all, motions->reference, error);
        if (status == MAREY_OK) status = find_pins(env, motions, &out->all, &def, error);
        if (status == MAREY_OK)
            status = marey_registration_build(env->ctx, (const marey_clip *const *)out->all.clips,
                                              out->all.count, out->all.contacts, &def,
                                              &out->registration, error);
    }
    if (status == MAREY_OK) {
        status = app_own_registration(env, out->registration, error);
    } else {
        marey_registration_free(out->registration);
    }
    for (int i = 0; i < out->all.count && status == MAREY_OK; i++)
        *weight += marey_clip_frames(out->all.clips[i]);
    return status;
}

marey_status app_registered_open(const app_env *env, const app_motions *motions,
                                 const app_registered **out, marey_error *error)
{
    const app_metric_params *metric = &motions->metric;
    app_material_def how = { .found = motions->found };
    buffer key = buffer_make(env->scope->memory);
    void *object = NULL;
    if (motions->curve) buffer_print(&key, "curve %s ", motions->curve);
    buffer_print(&key, "%d %d %d %d %.17g %.17g %d%d%d %s", motions->slope, motions->reference,
                 metric->metric, metric->window, metric->candidates, metric->gaussian,
                 metric->tapered, metric->fixed_root, metric->normalised,
                 metric->joints ? metric->joints : "");
    for (int i = 0; i < metric->attributes.count; i++)
        buffer_print(&key, " %.17g", metric->attributes.values[i]);
    for (int i = 0; i < motions->through.count; i++)
        buffer_print(&key, "\nthrough %s", motions->through.values[i]);
    buffer_byte(&key, '\n');
    app_materials_key(&how, motions->clips.values, motions->clips.count, &key);
    buffer_byte(&key, 0);
    app_opener opener = { "registered", key.bytes, sizeof(app_registered), open_registered,
                          motions };
    marey_status status = app_check(key.failed, error);
    /* What the program lends may be another metric of that name the next time. */
    app_env inside = *env;
    if (metric->own) inside.cache = NULL;
    if (status == MAREY_OK) status = app_cache_open(&inside, &opener, &object, error);
    if (status == MAREY_OK) *out = object;
    buffer_free(&key);
    return status;
}

double app_registered_frame(const app_registered *registered, int motion, double u)
{
    double rows[APP_MOST_MOTIONS];
    marey_registration_times(registered->registration, u, rows, NULL);
    double frame = rows[motion] * marey_clip_fps(registered->all.clips[motion]) /
                   marey_registration_fps(registered->registration);
    double whole = floor(frame);
    return app_material_frame(&registered->all, motion, (int)whole) + frame - whole;
}
