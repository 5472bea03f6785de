/* way_out.c - the changes, in their order. */
#include "way_out.h"

static const struct engine {
    const char *name;
    marey_units units;
    marey_up up;
    const char *root; /* the joint on the floor; NULL: none */
} engines[] = { { "unreal", MAREY_UNITS_CM, MAREY_UP_Z, "root" },
                { "unity", MAREY_UNITS_M, MAREY_UP_Y, "Root" },
                { "godot", MAREY_UNITS_M, MAREY_UP_Y, "Root" },
                { "blender", MAREY_UNITS_M, MAREY_UP_Y, NULL },
                { "maya", MAREY_UNITS_CM, MAREY_UP_Y, NULL } };
enum { ENGINES = sizeof engines / sizeof *engines };

const char *app_engine_word(int index)
{
    if (index == 0) return "none";
    return index <= ENGINES ? engines[index - 1].name : NULL;
}

const char *app_written_word(int index)
{
    const marey_format *format;
    for (int i = 0; (format = marey_format_find(i)); i++)
        if (format->writes && index-- == 0) return format->name;
    return NULL;
}

/* `fresh` takes the place of *out, if it could be made. */
static marey_status replace(marey_status status, marey_clip *const *fresh, marey_clip **out)
{
    if (status != MAREY_OK) return status;
    marey_clip_free(*out);
    *out = *fresh;
    return MAREY_OK;
}

marey_status app_changes_make(const app_changes *changes, const marey_clip *body,
                              const marey_body_map *map, const marey_clip *clip, marey_clip **out,
                              marey_error *error)
{
    static const struct engine none = { 0 };
    const struct engine *engine = changes->engine ? &engines[changes->engine - 1] : &none;
    marey_units units = changes->out_units ? (marey_units)changes->out_units : engine->units;
    marey_up up = changes->out_up ? (marey_up)changes->out_up : engine->up;
    const marey_retarget_def how = { .map = map };
    marey_clip *fresh = NULL;
    marey_status status = MAREY_OK;
    *out = NULL;
#define NOW (*out ? *out : clip)
    if (body)
        status = replace(marey_clip_retarget(NOW, NULL, 0, body, &how, &fresh, NULL, error), &fresh,
                         out);
    if (status == MAREY_OK && changes->mirror)
        status = replace(marey_clip_mirror(NOW, &fresh, error), &fresh, out);
    if (status == MAREY_OK && changes->in_place)
        status = replace(marey_clip_in_place(NOW, &fresh, error), &fresh, out);
    if (status == MAREY_OK && changes->scale > 0)
        status = replace(marey_clip_scale(NOW, changes->scale, &fresh, error), &fresh, out);
    if (status == MAREY_OK && changes->fps > 0)
        status = replace(marey_clip_resample(NOW, changes->fps, &fresh, error), &fresh, out);
    /* What hangs below another joint has a root of its own. */
    bool carried = marey_clip_skeleton(NOW)->roles[MAREY_ROLE_HIPS] > 0;
    if (status == MAREY_OK && engine->root && !carried)
        status = replace(marey_clip_add_root(NOW, engine->root, &fresh, error), &fresh, out);
    if (status == MAREY_OK && (units || up))
        status = replace(marey_clip_restate(NOW, units, up, &fresh, error), &fresh, out);
#undef NOW
    if (status == MAREY_OK) return MAREY_OK;
    marey_clip_free(*out);
    *out = NULL;
    return status;
}
