/* make_clean.c - `clean`: feet that are planted stay where they are planted. */
#include "make.h"
#include "operations.h"

#include <stddef.h>

static const app_param params_rows[] = {
    { .name = "clip",
      .type = APP_SEGMENT,
      .at = offsetof(app_clean_params, clip),
      .place = 1,
      .needed = true,
      .help = "the clip whose feet are to be held" },
    { .name = "ease",
      .type = APP_NUMBER,
      .at = offsetof(app_clean_params, ease),
      .value = "S",
      .least = 0.001,
      .most = 10,
      .unit = "s",
      .standard = "0.2",
      .help = "corrections come and go over this time around a plant" },
    APP_STRETCH_PARAM(app_clean_params),
    { .name = "keep-root",
      .type = APP_SWITCH,
      .at = offsetof(app_clean_params, keep_root),
      .help = "do not move the root, even where a foot is out of reach" },
    APP_FOUND_PARAM(app_clean_params),
    APP_READING_PARAMS(app_clean_params, app_units_word),
    { 0 },
};

double app_stretch(const app_param *rows, const app_params *params, double stretch)
{
    return app_given(rows, params, "stretch") && stretch == 0 ? -1 : stretch;
}

static marey_status measure(const marey_clip *clip, const marey_contact *items, int count,
                            marey_quality *out, marey_error *error)
{
    marey_status status = marey_clip_quality(clip, items, count, out);
    if (status == MAREY_OK) return status;
    return app_fail(error, status, NULL, "%s", marey_status_name(status));
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    /* A list that is not NULL: an empty one must not be taken for one that is to be found. */
    static const marey_contact none = { 0 };
    const app_clean_params *request = params;
    app_clean_result *out = result;
    marey_clean_def def = { .ease_s = request->ease,
                            .keep_root = request->keep_root,
                            .stretch =
                                app_stretch(params_rows, &request->given, request->stretch) };
    app_material_def how = { .reading = &request->reading, .found = request->found };
    marey_status status = app_materials_load(env, &how, &request->clip, 1, &out->all, error);
    if (status != MAREY_OK) return status;
    const marey_clip *clip = out->all.clips[0];
    const marey_contacts *feet = &out->all.contacts[0];
    const marey_contact *items = feet->count > 0 ? feet->items : &none;
    app_made *made = &out->made;
    status = marey_clip_clean(clip, items, feet->count, &def, &made->made.clip, &made->made.clean,
                              error);
    if (status == MAREY_OK) status = app_own_clip(env, made->made.clip, error);
    if (status == MAREY_OK) status = measure(clip, items, feet->count, &out->before, error);
    if (status == MAREY_OK)
        status = measure(made->made.clip, items, feet->count, &out->after, error);
    if (status == MAREY_OK) status = app_materials_speeds(&out->all, &made->inputs, error);
    if (status != MAREY_OK) return status;
    made->made.contacts = *feet; /* borrowed, as is the clip before */
    made->raw = clip;
    made->cleaned = true;
    made->end = marey_clip_frames(made->made.clip);
    app_provenance_source(&made->from, env->scope, &out->all.items[0].source);
    status = app_made_finish(env, &app_clean, &request->given, made, error);
    made->plants = made->made.clean.plants;
    return status;
}

static void write(const void *params, const void *result, json *out)
{
    const app_clean_result *of = result;
    (void)params;
    json_put_integer(out, "plants_left", of->made.made.clean.plants_left);
    json_put_string(out, "from", of->all.items[0].stored ? "library" : "found");
    json_put_number(out, "slide_mean_before_cm", of->before.slide_cm);
    json_put_number(out, "slide_mean_after_cm", of->after.slide_cm);
    app_made_write(&of->made, out);
}

APP_MADE_OF(app_clean_result, made)

const app_operation app_clean = {
    .name = "clean",
    .summary = "hold planted feet and hands still",
    .description = { "Every planted heel, ball of a foot or hand gets one place and stays there; "
                     "legs and arms follow, the root moves as little as they need, and what is "
                     "changed comes and "
                     "goes smoothly around each plant.",
                     "The plants are those that the library keeps, or found; marey contacts shows "
                     "them. Frames that are no captured motion are left out. A skeleton that does "
                     "not say which joints are its legs is written as it is." },
    .params = params_rows,
    .params_size = sizeof(app_clean_params),
    .result_size = sizeof(app_clean_result),
    .library = APP_MAY_READ,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "clean feet of",
};
