/* make_retarget.c - `retarget`: a clip's motion on another body. */
#include "make.h"
#include "operations.h"

#include <stddef.h>

static const app_param params_rows[] = {
    { .name = "clip",
      .type = APP_SEGMENT,
      .at = offsetof(app_retarget_params, clip),
      .place = 1,
      .needed = true,
      .help = "the clip whose motion it is" },
    { .name = "onto",
      .type = APP_SEGMENT,
      .at = offsetof(app_retarget_params, onto),
      .needed = true,
      .value = "CLIP",
      .help = "whose body it gets: a clip, or a file with a skeleton" },
    APP_FOUND_PARAM(app_retarget_params),
    APP_READING_PARAMS(app_retarget_params, app_units_word),
    { 0 },
};

static marey_status measure(const marey_clip *clip, const marey_contact *items, int count,
                            marey_quality *out, marey_error *error)
{
    marey_status status = marey_clip_quality(clip, items, count, out);
    if (status == MAREY_OK) return status;
    return app_fail(error, status, NULL, "%s", marey_status_name(status));
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    static const marey_contact none = { 0 }; /* an empty list is not one that is to be found */
    const app_retarget_params *request = params;
    app_retarget_result *out = result;
    app_made *made = &out->made;
    marey_clip *onto = NULL;
    app_material_def how = { .reading = &request->reading, .found = request->found };
    marey_status status = app_materials_load(env, &how, &request->clip, 1, &out->all, error);
    if (status == MAREY_OK) status = app_body_read(env, &request->onto, &onto, error);
    if (status != MAREY_OK) return status;
    const marey_contacts *feet = &out->all.contacts[0];
    const marey_contact *items = feet->count > 0 ? feet->items : &none;
    status = marey_clip_retarget(out->all.clips[0], items, feet->count, onto, NULL,
                                 &made->made.clip, &out->report, error);
    if (status == MAREY_OK) status = app_own_clip(env, made->made.clip, error);
    if (status == MAREY_OK)
        status = measure(made->made.clip, items, feet->count, &out->quality, error);
    if (status == MAREY_OK) status = app_materials_speeds(&out->all, &made->inputs, error);
    if (status != MAREY_OK) return status;
    out->onto = onto;
    made->made.contacts = *feet; /* borrowed */
    made->made.clean = out->report.clean;
    made->end = marey_clip_frames(made->made.clip);
    app_provenance_source(&made->from, env->scope, &out->all.items[0].source);
    return app_made_finish(env, &app_retarget, &request->given, made, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_retarget_result *of = result;
    const marey_skeleton *from = marey_clip_skeleton(of->all.clips[0]);
    const marey_skeleton *to = marey_clip_skeleton(of->onto);
    (void)params;
    json_put_boolean(out, "same_body", of->report.same_body);
    json_put_number(out, "leg_ratio", of->report.leg_ratio);
    json_put_number(out, "slide_cm", of->quality.slide_cm);
    json_put_number(out, "penetration_cm", of->quality.penetration_cm);
    json_put_number(out, "reach_percent", of->report.reach_percent);
    json_open(out, "map", '{');
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        if (from->roles[r] < 0 || to->roles[r] < 0) continue;
        json_open(out, marey_role_name((marey_role)r), '{');
        json_put_string(out, "from", from->joints[from->roles[r]].name);
        json_put_string(out, "to", to->joints[to->roles[r]].name);
        json_close(out, '}');
    }
    json_close(out, '}');
    app_made_write(&of->made, out);
}

APP_MADE_OF(app_retarget_result, made)

const app_operation app_retarget = {
    .name = "retarget",
    .summary = "put a clip's motion on another body",
    .description = { "Joints of the same role are turned alike, whatever axes and rest pose the "
                     "two "
                     "bodies have; both follow from where joints are in the two clips. The path is "
                     "scaled by the ratio of leg lengths, planted feet stay planted in the same "
                     "frames, and joints without a counterpart keep what they have on average in "
                     "the other clip.",
                     "What is written has the joints, bones, channels, units and axes of the other "
                     "body, and the rate of the clip. Frames that are no captured motion are left "
                     "out.",
                     "With -L both are names of clips in a library; --onto may also be a file." },
    .params = params_rows,
    .params_size = sizeof(app_retarget_params),
    .result_size = sizeof(app_retarget_result),
    .library = APP_MAY_READ,
    .run = run,
    .write = write,
    .made = made_of,
};
