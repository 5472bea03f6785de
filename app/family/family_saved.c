/* family_saved.c - opening and saving families, and what is said of one wherever it comes up. */
#include "families.h"
#include "saved.h"

#include <math.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

static marey_status open_family(const app_env *env, const char *name, void *object, int64_t *weight,
                                marey_error *error)
{
    app_saved_family *out = object;
    marey_status status =
        marey_library_family(env->library, name, &out->parts, &out->family, error);
    if (status != MAREY_OK) return app_saved_hint("param", "build", error);
    /* The family goes before its clips. */
    status = app_own_parts(env, out->parts, error);
    if (status == MAREY_OK) {
        status = app_own_family(env, out->family, error);
    } else {
        marey_family_free(out->family);
    }
    if (status != MAREY_OK) return status;
    const marey_listing *listing;
    int count = out->parts->count;
    out->name = app_copy(env->scope, name);
    out->sources = APP_NEW(env->scope, app_source, count);
    out->speeds = APP_NEW(env->scope, marey_speeds, count);
    out->measured = APP_NEW(env->scope, bool, count);
    if (!out->name || !out->sources || !out->speeds || !out->measured)
        return app_fail_memory(error);
    status = app_listing(env, &listing, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const marey_part *part = &out->parts->parts[i];
        const char *clip = out->parts->names[i].name;
        const marey_entry *entry = app_listing_find(listing, clip);
        *weight += marey_clip_frames(out->parts->clips[i]);
        out->sources[i] =
            (app_source){ .library = marey_library_path(env->library),
                          .name = clip,
                          .licence = entry ? entry->licence : "",
                          .id = part->clip,
                          .start = part->start,
                          .end = part->end,
                          .repairs = entry && entry->repair_count > 0 ? entry->repairs : NULL,
                          .description = entry ? entry->description : NULL,
                          .labels = entry ? entry->labels : NULL,
                          .label_count = entry ? entry->label_count : 0 };
    }
    return status;
}

marey_status app_family_open(const app_env *env, const char *name, app_saved_family **out,
                             marey_error *error)
{
    static const app_saved_kind families = { MAREY_KEPT_FAMILY, sizeof(app_saved_family),
                                             open_family };
    void *object = NULL;
    marey_status status = app_saved_open(env, &families, name, &object, error);
    if (status == MAREY_OK) *out = object;
    return status;
}

/* ---- saving ---------------------------------------------------------------------------------- */

marey_status app_family_save(const app_env *env, const char *maker, const char *name,
                             const marey_family *family, const marey_parts *parts,
                             const app_param *rows, const app_params *params, marey_error *error)
{
    buffer about = buffer_make(env->scope->memory);
    json out = app_about_begin(&about, maker);
    int samples;
    marey_family_samples(family, &samples);
    app_family_write_features(&out, family);
    json_put_integer(&out, "samples", samples);
    marey_status status = app_about_end(&out, rows, params, error);
    if (status == MAREY_OK) {
        status = marey_library_keep_family(env->library, name, family, parts->parts, parts->onto,
                                           about.bytes, error);
    }
    buffer_free(&about);
    return status;
}

/* ---- what it is ------------------------------------------------------------------------------ */

int app_family_examples(const marey_family *family)
{
    return marey_registration_count(marey_family_registration(family));
}

const char *app_family_unit(const marey_family *family)
{
    const char *first, *unit;
    marey_family_dim(family, 0, &first);
    for (int d = 1; d < marey_family_dims(family); d++) {
        marey_family_dim(family, d, &unit);
        if (strcmp(unit, first) != 0) return "% of the box";
    }
    return first;
}

/* Of the first `count` samples; the examples are the first of all. */
static void find_range(const marey_family *family, int count, double *low, double *high)
{
    int all, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &all);
    for (int d = 0; d < dims; d++) {
        low[d] = high[d] = values[d];
        for (int i = 1; i < count; i++) {
            double value = values[(size_t)i * (size_t)dims + (size_t)d];
            low[d] = fmin(low[d], value);
            high[d] = fmax(high[d], value);
        }
    }
}

void app_family_range(const marey_family *family, double *low, double *high)
{
    find_range(family, app_family_examples(family), low, high);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

void app_family_write_cm(json *out, const char *key, const marey_family *family, double value)
{
    json_put_number(out, key, strcmp(app_family_unit(family), "cm") == 0 ? value : NAN);
}

void app_family_write_features(json *out, const marey_family *family)
{
    int count;
    const marey_param *params = marey_family_params(family, &count);
    json_open(out, "features", '[');
    for (int i = 0; i < count; i++) {
        char text[APP_FEATURE_ROOM];
        marey_param_text(&params[i], text, sizeof text);
        json_put_string(out, NULL, text);
    }
    json_close(out, ']');
}

void app_family_write_axes(json *out, const marey_family *family)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    double least[MAREY_MOST_PARAM_DIMS], greatest[MAREY_MOST_PARAM_DIMS];
    int samples, count, dims = marey_family_dims(family), feature = 0, first = 0;
    const marey_param *params = marey_family_params(family, &count);
    marey_family_samples(family, &samples);
    app_family_range(family, low, high);
    find_range(family, samples, least, greatest);
    json_put_integer(out, "dims", dims);
    json_open(out, "axes", '[');
    for (int d = 0; d < dims; d++) {
        const char *unit;
        while (d >= first + params[feature].kind->dims) first += params[feature++].kind->dims;
        json_open(out, NULL, '{');
        json_put_string(out, "name", marey_family_dim(family, d, &unit));
        json_put_string(out, "unit", unit);
        json_put_integer(out, "feature", feature);
        json_put_string(out, "axis", params[feature].kind->axes[d - first]);
        json_put_number(out, "low", low[d]);
        json_put_number(out, "high", high[d]);
        json_put_number(out, "least", least[d]);
        json_put_number(out, "greatest", greatest[d]);
        json_close(out, '}');
    }
    json_close(out, ']');
}
