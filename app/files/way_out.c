/* way_out.c - the changes, in their order. */
#include "way_out.h"

static const app_preset engines[] = {
    { "unreal", "Unreal Engine", "fbx", MAREY_UNITS_CM, MAREY_UP_Z, "root" },
    { "unity", "Unity", "fbx", MAREY_UNITS_M, MAREY_UP_Y, "Root" },
    { "godot", "Godot", "glb", MAREY_UNITS_M, MAREY_UP_Y, "Root" },
    { "blender", "Blender", "glb", MAREY_UNITS_M, MAREY_UP_Y, NULL },
    { "maya", "Maya", "fbx", MAREY_UNITS_CM, MAREY_UP_Y, NULL },
    { "motionbuilder", "MotionBuilder", "fbx", MAREY_UNITS_CM, MAREY_UP_Y, NULL },
    { "research", "Research: positions for NumPy", "npz", MAREY_UNITS_M, MAREY_UP_Y, NULL },
};
enum { ENGINES = sizeof engines / sizeof *engines };

const app_preset *app_preset_at(int index)
{
    return index >= 0 && index < ENGINES ? &engines[index] : NULL;
}

void app_presets_write(json *out)
{
    json_open(out, "presets", '[');
    for (int i = 0; i < ENGINES; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", engines[i].name);
        json_put_string(out, "title", engines[i].title);
        json_put_string(out, "format", engines[i].format);
        json_put_string(out, "units", marey_units_name(engines[i].units));
        json_put_string(out, "up", app_up_word((int)engines[i].up));
        json_put_string(out, "root", engines[i].root);
        json_close(out, '}');
    }
    json_close(out, ']');
}

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
    static const app_preset none = { 0 };
    const app_preset *engine = changes->engine ? &engines[changes->engine - 1] : &none;
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
