/* materials.c - from segments to clips that can be mixed. */
#include "materials.h"

#include "body_maps.h"
#include "foot_plants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- frames ---------------------------------------------------------------------------------- */

int app_material_frame(const app_materials *materials, int item, int frame)
{
    const app_material *one = &materials->items[item];
    return one->source.start + captured_frame(one->own, frame);
}

marey_status app_material_find(const app_materials *materials, int item, int frame,
                               const char *name, int *out, marey_error *error)
{
    const app_material *one = &materials->items[item];
    int own = frame - one->source.start;
    if (frame < one->source.start || frame >= one->source.end) {
        return app_fail(error, MAREY_ERR_REQUEST, one->text, "%s%sframe must be %d to %d, got %d",
                        name, *name ? ": " : "", one->source.start, one->source.end - 1, frame);
    }
    if (!is_captured(one->own, own)) {
        return app_fail(error, MAREY_ERR_REQUEST, one->text, "%s%sframe %d is no captured motion",
                        name, *name ? ": " : "", frame);
    }
    *out = captured_before(one->own, own);
    return MAREY_OK;
}

struct app_timed {
    bool known;
    marey_speeds speeds;
};

/* ---- plants ---------------------------------------------------------------------------------- */

/* Of the clip as it was read; frames that are left out close up. */
static marey_status read_plants(const app_env *env, bool found, app_material *one,
                                marey_contacts *out, marey_error *error)
{
    app_plants plants;
    marey_status status = app_plants_read(env, &one->source, one->own, found, &plants, error);
    one->stored = plants.stored;
    out->items = plants.items;
    for (int i = 0; i < plants.count && status == MAREY_OK; i++) {
        marey_contact plant = plants.items[i];
        plant.start = captured_before(one->own, plant.start);
        plant.end = captured_before(one->own, plant.end);
        marey_contact *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
        if (last && last->joint == plant.joint && plant.start < last->end) plant.start = last->end;
        if (plant.start < plant.end) out->items[out->count++] = plant;
    }
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* All frames of an item's clip: what its body is like is found over them, not over the few that may
   have been asked for. */
static marey_status read_whole(const app_env *env, const app_material_def *def,
                               const app_material *one, marey_clip **clip, app_source *source,
                               marey_error *error)
{
    *clip = one->own;
    *source = one->source;
    if (!one->cut) return MAREY_OK;
    app_segment all = { .clip = one->source.name };
    return app_clip_read(env, def->reading, &all, clip, source, error);
}

/* The whole clip goes onto the body of the first one's, with its plants; what was asked for is cut out
   of that. */
static marey_status retarget(const app_env *env, const app_material_def *def,
                             app_materials *materials, app_material *one, marey_clip **out,
                             marey_error *error)
{
    static const marey_contact none = { 0 }; /* an empty list is not one that is to be found */
    marey_clip *whole = NULL, *first = NULL, *put = NULL, *part = NULL;
    app_source source, unused;
    app_plants plants = { 0 };
    app_map map = { 0 };
    marey_retarget_def how = { 0 };
    marey_status status = read_whole(env, def, one, &whole, &source, error);
    if (status == MAREY_OK)
        status = read_whole(env, def, &materials->items[0], &first, &unused, error);
    if (status == MAREY_OK && env->library)
        status = app_map_open(env, &(app_document){ 0 }, whole, first, &map, error);
    if (status == MAREY_OK)
        status = app_plants_read(env, &source, whole, def->found, &plants, error);
    if (status != MAREY_OK) return status;
    how.map = app_map_used(&map);
    status = marey_clip_retarget(whole, plants.count > 0 ? plants.items : &none, plants.count,
                                 first, &how, &put, &one->retarget, error);
    if (status != MAREY_OK) return status;
    status = marey_clip_trim(put, one->source.start - source.start, one->source.end - source.start,
                             &part, error);
    marey_clip_free(put);
    if (status == MAREY_OK) status = marey_clip_unmarked(part, NULL, out, error);
    marey_clip_free(part);
    return status;
}

/* On the bones of the first; a body with other joints is retargeted onto it. One that has too few roles
   for that stays as it is: whatever is made of both says that their joints differ. */
static marey_status put_on_first(const app_env *env, const app_material_def *def,
                                 app_materials *materials, int item, marey_error *error)
{
    app_material *one = &materials->items[item];
    const marey_clip *first = materials->clips[0], *own = materials->clips[item];
    bool same = have_same_joints(first, own);
    marey_clip *fresh = NULL;
    if (same ? have_same_bones(first, own) : def->no_plants) return MAREY_OK;
    marey_status status = same ? marey_clip_refit(own, first, &fresh, error)
                               : retarget(env, def, materials, one, &fresh, error);
    if (!same && marey_status_group(status) == MAREY_ERR_INPUT) return MAREY_OK;
    if (status == MAREY_OK) status = app_own_clip(env, fresh, error);
    if (status != MAREY_OK) return status;
    materials->clips[item] = fresh;
    one->refitted = true;
    one->retargeted = !same;
    return MAREY_OK;
}

static marey_status load_one(const app_env *env, const app_material_def *def,
                             const app_segment *segment, int item, app_materials *materials,
                             marey_error *error)
{
    app_material *one = &materials->items[item];
    app_segment whole = *segment;
    bool centred = def->centres && segment->range.given && segment->range.one_frame;
    address before; /* "walk#20-100#60": frame 60 of these */
    if (centred) {
        if (!address_parse(segment->clip, &before))
            return app_fail(error, MAREY_ERR_INPUT, segment->clip, "this name is too long");
        whole = (app_segment){ app_copy(env->scope, before.path), before.range };
        if (!whole.clip) return app_fail_memory(error);
    }
    one->text = app_segment_text(env->scope, segment);
    if (!one->text) return app_fail_memory(error);
    marey_status status = app_clip_read(env, def->reading, &whole, &one->own, &one->source, error);
    if (status != MAREY_OK) return status;
    one->cut = whole.range.given;
    int64_t frames = 0;
    for (int i = 0; i <= item; i++) frames += marey_clip_frames(materials->items[i].own);
    if (env->most_frames && frames > env->most_frames) {
        return app_fail(error, MAREY_ERR_LIMIT, one->text,
                        "clips must have at most %lld frames together here, got %lld: cut them, or "
                        "use the command line",
                        (long long)env->most_frames, (long long)frames);
    }
    if (centred) {
        double at = segment->range.start;
        if (segment->range.in_seconds) at = floor(at * marey_clip_fps(one->own) + 0.5);
        one->centre_given = true;
        status = app_material_find(materials, item, (int)fmin(at, 1e9), "", &one->centre, error);
        if (status != MAREY_OK) return status;
    }
    status = marey_clip_unmarked(one->own, NULL, &materials->clips[item], error);
    if (status == MAREY_OK) status = app_own_clip(env, materials->clips[item], error);
    if (status == MAREY_OK && item > 0) status = put_on_first(env, def, materials, item, error);
    if (status != MAREY_OK) {
        snprintf(error->path, sizeof error->path, "%.1000s", one->text);
        return status;
    }
    return def->no_plants ? MAREY_OK
                          : read_plants(env, def->found, one, &materials->contacts[item], error);
}

/* Of a library's clips: those of files are read anew. */
void app_materials_key(const app_material_def *def, const app_segment *segments, int count,
                       buffer *out)
{
    buffer_print(out, "%d%d%d", def->found, def->centres, def->no_plants);
    for (int i = 0; i < count; i++) {
        buffer_byte(out, '\n');
        app_segment_put(&segments[i], out);
    }
}

typedef struct wanted {
    const app_material_def *def;
    const app_segment *segments;
    int count;
} wanted;

static marey_status open_materials(const app_env *env, const void *user, void *object,
                                   int64_t *weight, marey_error *error)
{
    const wanted *of = user;
    app_materials *out = object;
    *out = (app_materials){ .count = of->count,
                            .items = APP_NEW(env->scope, app_material, of->count),
                            .clips = APP_NEW(env->scope, marey_clip *, of->count),
                            .contacts = APP_NEW(env->scope, marey_contacts, of->count),
                            .timed = APP_NEW(env->scope, struct app_timed, 1) };
    if (!out->items || !out->clips || !out->contacts || !out->timed) return app_fail_memory(error);
    marey_status status = MAREY_OK;
    for (int i = 0; i < of->count && status == MAREY_OK; i++) {
        status = load_one(env, of->def, &of->segments[i], i, out, error);
        if (status == MAREY_OK) *weight += marey_clip_frames(out->items[i].own);
    }
    return status;
}

marey_status app_materials_load(const app_env *env, const app_material_def *def,
                                const app_segment *segments, int count, app_materials *out,
                                marey_error *error)
{
    wanted of = { def, segments, count };
    buffer key = buffer_make(env->scope->memory);
    void *object = NULL;
    app_materials_key(def, segments, count, &key);
    buffer_byte(&key, 0);
    app_opener opener = { "clips", key.bytes, sizeof *out, open_materials, &of };
    marey_status status = app_check(key.failed, error);
    if (status == MAREY_OK) status = app_cache_open(env, &opener, &object, error);
    if (status == MAREY_OK) *out = *(const app_materials *)object;
    buffer_free(&key);
    return status;
}

marey_status app_materials_speeds(const app_materials *materials, marey_speeds *out,
                                  marey_error *error)
{
    struct app_timed *timed = materials->timed;
    marey_speeds most = APP_NO_SPEEDS;
    for (int i = 0; i < materials->count && !timed->known; i++) {
        marey_status status =
            app_speeds_add(materials->clips[i], materials->items[i].own, &most, error);
        if (status != MAREY_OK) return status;
    }
    if (!timed->known) timed->speeds = most;
    timed->known = true;
    *out = timed->speeds;
    return MAREY_OK;
}

void app_refit_write(const app_material *one, json *out)
{
    json_put_boolean(out, "refitted", one->refitted);
    if (!one->retargeted) return;
    json_open(out, "retargeted", '{');
    json_put_number(out, "leg_ratio", one->retarget.leg_ratio);
    json_put_number(out, "reach_percent", one->retarget.reach_percent);
    json_put_number(out, "slide_cm", one->retarget.clean.slide_after_cm);
    json_close(out, '}');
}
