/* family_listing.c - `param features`: what can be asked of motions; `param ls`: the families that
   a library keeps; `param show`: one of them, whole. */
#include "families.h"
#include "operations.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Samples that are listed one by one: more would not fit on the screen. */
enum { TOLD_SAMPLES = 4096 };

/* ---- features -------------------------------------------------------------------------------- */

static void write_word(json *out, const char *name, const char *about)
{
    json_open(out, NULL, '{');
    json_put_string(out, "name", name);
    json_put_string(out, "about", about);
    json_close(out, '}');
}

static void write_kinds(const void *params, const void *result, json *out)
{
    static const char *const amounts[MAREY_AMOUNT_COUNT] = {
        [MAREY_AMOUNT_MEAN] = "on the mean, over the whole motion",
        [MAREY_AMOUNT_LEAST] = "where it is least",
        [MAREY_AMOUNT_GREATEST] = "where it is greatest",
    };
    const marey_param_kind *kind;
    const char *name, *about = NULL;
    (void)params, (void)result;
    json_open(out, "features", '[');
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", kind->name);
        json_put_string(out, "form", kind->form);
        json_put_string(out, "about", kind->about);
        json_put_string(out, "unit", kind->unit);
        json_put_integer(out, "dims", kind->dims);
        json_put_texts(out, "axes", kind->axes, kind->dims);
        json_put_boolean(out, "whole", kind->whole);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "moments", '[');
    for (int i = MAREY_WHEN_NONE + 1; i < MAREY_WHEN_COUNT; i++) {
        name = marey_param_when_name((marey_param_when)i, &about);
        write_word(out, name, about);
    }
    json_close(out, ']');
    json_open(out, "places", '[');
    for (int i = 0; i < MAREY_FROM_COUNT; i++) {
        name = marey_param_from_name((marey_param_from)i, &about);
        write_word(out, name, about);
    }
    json_close(out, ']');
    json_open(out, "amounts", '[');
    for (int i = 0; i < MAREY_AMOUNT_COUNT; i++)
        json_put_string(out, NULL, marey_param_amount_name((marey_param_amount)i));
    json_close(out, ']');
    json_put_texts(out, "amounts_about", amounts, MAREY_AMOUNT_COUNT);
}

const app_operation app_param_features = {
    .name = "param features",
    .summary = "list what can be asked of a motion",
    .description = { "Features are what the motions of a family differ in, and what is asked for "
                     "when one is made: where a joint is at a moment, how fast it moves, where "
                     "the motion ends, how long it takes.",
                     "What is left out behind has its default: position(right_wrist) is "
                     "position(right_wrist, apex, start)." },
    .params = app_no_params,
    .params_size = sizeof(app_params),
    .library = APP_NO_LIBRARY,
    .run = app_run_nothing,
    .write = write_kinds,
};

/* ---- ls -------------------------------------------------------------------------------------- */

static const app_param ls_params[] = {
    { .name = "long",
      .type = APP_SWITCH,
      .at = offsetof(app_family_ls_params, all),
      .help = "the examples of each family" },
    { 0 },
};

/* What app_family_save notes. */
static marey_status read_about(const app_env *env, const char *text, app_family_listed *out,
                               marey_error *error)
{
    json_t *about = json_loads(text, 0, NULL);
    const json_t *named = json_object_get(about, "features");
    const json_t *samples = json_object_get(about, "samples");
    const char **features = APP_NEW(env->scope, const char *, json_array_size(named));
    bool refused = !features;
    int count = 0;
    for (size_t i = 0; i < json_array_size(named) && !refused; i++) {
        const char *feature = json_string_value(json_array_get(named, i));
        if (feature) features[count++] = app_copy(env->scope, feature);
        refused = feature && !features[count - 1];
    }
    out->features = (app_texts){ features, count };
    out->samples = json_is_integer(samples) ? json_number_value(samples) : NAN;
    json_decref(about);
    return app_check(refused, error);
}

/* A clip that was purged has only the name it had. */
static marey_status name_parts(const app_env *env, const marey_kept_entry *entry,
                               app_family_listed *out, marey_error *error)
{
    out->parts = entry->parts;
    out->part_count = entry->part_count;
    out->part_names = APP_NEW(env->scope, const char *, entry->part_count);
    out->removed = APP_NEW(env->scope, bool, entry->part_count);
    if (!out->part_names || !out->removed) return app_fail_memory(error);
    marey_status status = MAREY_OK;
    for (int i = 0; i < entry->part_count && status == MAREY_OK; i++) {
        if (i > 0 && entry->parts[i].clip == entry->parts[i - 1].clip) {
            out->part_names[i] = out->part_names[i - 1];
            out->removed[i] = out->removed[i - 1];
        } else {
            status = app_part_name(env, entry->parts[i].clip, entry->part_names[i],
                                   &out->part_names[i], &out->removed[i], error);
        }
    }
    return status;
}

static marey_status run_ls(const app_env *env, const void *params, void *result, marey_error *error)
{
    app_family_list *out = result;
    const marey_kept_entry *entries;
    int count;
    (void)params;
    marey_status status = app_saved_list(env, MAREY_KEPT_FAMILY, &entries, &count, error);
    if (status != MAREY_OK) return status;
    app_family_listed *rows = APP_NEW(env->scope, app_family_listed, count);
    if (!rows) return app_fail_memory(error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        rows[i].name = entries[i].name;
        rows[i].bytes = entries[i].size;
        status = read_about(env, entries[i].about, &rows[i], error);
        if (status == MAREY_OK) status = name_parts(env, &entries[i], &rows[i], error);
    }
    *out = (app_family_list){ rows, count };
    return status;
}

/* "position(right_wrist, apex, start).x", as the family itself calls it. */
static void write_noted_axes(json *out, const app_texts *features)
{
    json_open(out, "axes", '[');
    for (int i = 0; i < features->count; i++) {
        marey_param param;
        if (marey_param_parse(features->values[i], &param, NULL) != MAREY_OK) continue;
        for (int d = 0; d < param.kind->dims; d++) {
            char text[2 * APP_FEATURE_ROOM];
            bool several = param.kind->dims > 1;
            snprintf(text, sizeof text, "%s%s%s", features->values[i], several ? "." : "",
                     several ? param.kind->axes[d] : "");
            json_open(out, NULL, '{');
            json_put_string(out, "name", text);
            json_put_string(out, "unit", param.kind->unit);
            json_close(out, '}');
        }
    }
    json_close(out, ']');
}

static void write_ls(const void *params, const void *result, json *out)
{
    const app_family_list *list = result;
    (void)params;
    json_open(out, "spaces", '[');
    for (int i = 0; i < list->count; i++) {
        const app_family_listed *one = &list->families[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", one->name);
        json_put_texts(out, "features", one->features.values, one->features.count);
        json_open(out, "examples", '[');
        for (int k = 0; k < one->part_count; k++) {
            json_open(out, NULL, '{');
            app_part_write(out, one->part_names[k], &one->parts[k]);
            json_put_boolean(out, "removed", one->removed[k]);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_put_number(out, "samples", one->samples);
        json_put_integer(out, "bytes", one->bytes);
        write_noted_axes(out, &one->features);
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_param_ls = {
    .name = "param ls",
    .summary = "list the families that a library keeps",
    .description = { "With their features and how many examples and samples each has. A family "
                     "whose clips were removed is listed as well, unusable until they "
                     "are restored." },
    .params = ls_params,
    .params_size = sizeof(app_family_ls_params),
    .result_size = sizeof(app_family_list),
    .library = APP_READS,
    .run = run_ls,
    .write = write_ls,
};

/* ---- show ------------------------------------------------------------------------------------ */

static const app_param show_params[] = {
    APP_FAMILY_PARAM(app_saved_name),
    { 0 },
};

static marey_status run_show(const app_env *env, const void *params, void *result,
                             marey_error *error)
{
    const app_saved_name *request = params;
    app_family_shown *out = result;
    app_saved_family *from = NULL;
    marey_status status = app_family_open(env, request->name, &from, error);
    out->from = from;
    return status;
}

/* What a feature looks at, on the bones of the first example. */
static void write_param(json *out, const marey_param *param, const marey_skeleton *skeleton)
{
    int joint = -1;
    bool amount = param->kind->whole && *param->joint, places = param->kind->dims > 1;
    const char *when = marey_param_when_name(param->when, NULL);
    const char *from = places ? marey_param_from_name(param->from, NULL) : NULL;
    if (*param->joint && marey_param_joint(param, skeleton, &joint, NULL) != MAREY_OK) joint = -1;
    json_open(out, NULL, '{');
    json_put_string(out, "kind", param->kind->name);
    json_put_string(out, "joint", joint >= 0 ? skeleton->joints[joint].name : NULL);
    json_put_number(out, "number", joint >= 0 ? (double)joint : (double)NAN);
    json_put_string(out, "when", when && *when ? when : NULL);
    json_put_string(out, "from", from && *from ? from : NULL);
    json_put_string(out, "amount", amount ? marey_param_amount_name(param->amount) : NULL);
    json_put_string(out, "label", *param->label ? param->label : NULL);
    json_close(out, '}');
}

static void write_shown(const void *params, const void *result, json *out)
{
    const app_saved_family *from = ((const app_family_shown *)result)->from;
    const marey_family *family = from->family;
    const marey_parts *parts = from->parts;
    int count, features, dims = marey_family_dims(family), examples = parts->count;
    const double *values = marey_family_samples(family, &count);
    const marey_param *rows = marey_family_params(family, &features);
    (void)params;
    json_put_string(out, "name", from->name);
    app_family_write_features(out, family);
    app_family_write_axes(out, family);
    json_put_string(out, "error_unit", app_family_unit(family));
    json_open(out, "params", '[');
    for (int i = 0; i < features; i++)
        write_param(out, &rows[i], marey_clip_skeleton(parts->clips[0]));
    json_close(out, ']');
    json_open(out, "examples", '[');
    for (int i = 0; i < examples; i++) {
        json_open(out, NULL, '{');
        app_part_write(out, parts->names[i].name, &parts->parts[i]);
        json_put_integer(out, "frames", marey_clip_frames(parts->clips[i]));
        json_put_number(out, "fps", marey_clip_fps(parts->clips[i]));
        json_put_numbers(out, "values", values + i * dims, dims);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_integer(out, "samples", count);
    int rest = count - examples, told = rest < TOLD_SAMPLES ? rest : TOLD_SAMPLES;
    json_open(out, "sample_values", '[');
    for (int i = 0; i < told; i++) {
        int64_t sample = examples + (int64_t)i * rest / told;
        json_put_numbers(out, NULL, values + sample * dims, dims);
    }
    json_close(out, ']');
    json_open(out, "skeleton", '{');
    json_put_integer(out, "id", app_parts_body(parts));
    json_close(out, '}');
    json_put_number(out, "delta", marey_family_settings(family)->delta);
}

const app_operation app_param_show = {
    .name = "param show",
    .summary = "show what a family can do and what it is made of",
    .description = { "The numbers that a motion of it is asked for by, how far they go, and the "
                     "examples with theirs. The JSON also has up to 4096 of the samples, spread "
                     "evenly." },
    .params = show_params,
    .params_size = sizeof(app_saved_name),
    .result_size = sizeof(app_family_shown),
    .library = APP_READS,
    .run = run_show,
    .write = write_shown,
    .pictures = app_family_shown_pictures,
};
