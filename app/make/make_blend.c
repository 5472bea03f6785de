/* make_blend.c - `blend`: several motions mixed into one, by weights that stay or that change over
   time (Kovar & Gleicher 2003, 6.2 and 6.3). */
#include "make.h"
#include "operations.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* ---- weights --------------------------------------------------------------------------------- */

/* Or so near to it that the library would not scale by it either. */
static bool sum_is_zero(const double *weights, int count)
{
    double sum = 0, sizes = 0;
    for (int i = 0; i < count; i++) {
        sum += weights[i];
        sizes += fabs(weights[i]);
    }
    return !(fabs(sum) > 1e-6 * sizes);
}

static void name_column(int column, char *text, size_t room)
{
    if (column == 0)
        snprintf(text, room, "a time in seconds");
    else
        snprintf(text, room, "the weight of clip %d", column);
}

static const char *check_row(const double *row, int columns, const double *before, char *text,
                             size_t room)
{
    if (before && !(row[0] > before[0])) {
        snprintf(text, room, "times must rise: %g s comes behind %g s", row[0], before[0]);
        return text;
    }
    return sum_is_zero(row + 1, columns - 1) ? "the sum of these weights is 0, or nearly so" : NULL;
}

static const app_table_def weight_table = {
    .what = "a file of weights",
    .row = "line of weights",
    .more = "there are more weights in this line than in the first",
    .columns = 1 + APP_MOST_MOTIONS,
    .least_columns = 2,
    .name = name_column,
    .check = check_row
};

static const char *method_word(int index)
{
    return index < MAREY_BLEND_METHOD_COUNT ? marey_blend_method_name((marey_blend_method)index)
                                            : NULL;
}

#define AT(member) offsetof(app_blend_params, member)
static const app_param rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = AT(motions.clips),
      .place = APP_REST,
      .most_count = APP_MOST_MOTIONS,
      .value = "CLIP",
      .help = "those that are mixed, which should do the same from first frame to last" },
    { .name = "weights",
      .type = APP_NUMBERS,
      .at = AT(weights),
      .least = -1e12,
      .most = 1e12,
      .most_count = APP_MOST_MOTIONS,
      .value = "W,W,...",
      .help = "how much of each clip, in their order; scaled to sum 1; may be negative" },
    { .name = "weights-file",
      .type = APP_TABLE,
      .at = AT(keys),
      .table = &weight_table,
      .least = -1e12,
      .most = 1e12,
      .value = "FILE",
      .help = "weights over time: lines of the time in seconds, then a weight for each clip, with "
              "commas between them" },
    APP_CURVE_PARAM(app_blend_params),
    { .name = "method",
      .type = APP_WORD,
      .at = AT(method),
      .word = method_word,
      .standard = "registered",
      .help = "how the clips are combined" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = AT(fps),
      .value = "N",
      .least = 0.1,
      .most = 10000,
      .help = "frames a second of what is made (default: those of the first clip)" },
    { .name = "place",
      .type = APP_WHOLE,
      .at = AT(place),
      .value = "N",
      .least = 1,
      .most = APP_MOST_MOTIONS,
      .help = "start on the floor where clip N starts, counted from 1 (default: the one that has "
              "all the weight, else the first)" },
    APP_NO_CLEAN_PARAM(app_blend_params),
    APP_STRETCH_PARAM(app_blend_params),
    APP_REFERENCE_PARAM(app_blend_params),
    APP_SLOPE_PARAM_AT(AT(motions.slope)),
    APP_THROUGH_PARAM_AT(AT(motions.through)),
    APP_METRIC_PARAMS(app_blend_params, motions.metric, "equal"),
    APP_OWN_METRIC_PARAM(app_blend_params, motions.metric),
    APP_FOUND_PARAM_AT(AT(motions.found)),
    APP_READING_PARAMS_AT(app_blend_params, motions.reading, app_units_word),
    { 0 },
};
#undef AT

/* Of so many clips; those of a kept registration are known when it is open, and lines of a file
   when it is read. */
static marey_status check_count(const app_blend_params *request, int count, const char *dashes,
                                marey_error *error)
{
    int weights = request->keys.columns ? request->keys.columns - 1 : request->weights.count;
    if (request->place > count) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%splace must be from 1 to %d, got %d",
                        dashes, count, request->place);
    }
    if (weights == count || weights == 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%sweights%s must have %d numbers, one for each clip, got %d", dashes,
                    request->keys.columns ? "-file" : "", count, weights);
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_blend_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    const char *file = dialect == APP_COMMAND_LINE ? "--weights-file" : "weights_file";
    bool list = request->weights.count > 0,
         changing = app_given(rows, &request->given, "weights-file");
    if (list == changing) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there must be one of %sweights, which stay, and %s, which changes them "
                        "over time, got %s",
                        dashes, file, list ? "both" : "none");
    }
    marey_status status =
        app_motions_check(rows, &request->given, &request->motions, dialect, error);
    if (status == MAREY_OK && !request->motions.curve)
        status = check_count(request, request->motions.clips.count, dashes, error);
    if (status != MAREY_OK || !list ||
        !sum_is_zero(request->weights.values, request->weights.count))
        return status;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the sum of %sweights must not be 0, or nearly so", dashes);
}

/* ---- blending -------------------------------------------------------------------------------- */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_blend_params *request = params;
    app_blend_result *out = result;
    int count = request->weights.count;
    double sum = 0;
    marey_status status = app_registered_open(env, &request->motions, &out->from, error);
    if (status == MAREY_OK) status = check_count(request, out->from->all.count, "", error);
    if (status != MAREY_OK) return status;
    if (count > 0) {
        out->weights = APP_NEW(env->scope, double, count);
        if (!out->weights) return app_fail_memory(error);
        for (int i = 0; i < count; i++) sum += request->weights.values[i];
        for (int i = 0; i < count; i++) out->weights[i] = request->weights.values[i] / sum;
    }
    app_made *made = &out->made;
    marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
    marey_blend_def def = { .method = (marey_blend_method)request->method,
                            .weights = out->weights,
                            .keys = request->keys.values,
                            .key_count = request->keys.count,
                            .fps = request->fps,
                            .place_of = request->place,
                            .leave_feet = true };
    status = marey_blend_make(env->ctx, out->from->registration, &def, &made->made, error);
    if (status == MAREY_OK) status = app_made_own(env, made, error);
    if (status != MAREY_OK) return status;
    made->end = marey_clip_frames(made->made.clip);
    made->cleaned = !request->no_clean;
    /* Feet are held here, as marey_blend_make would, so that the blend before that is at hand
       too. */
    const marey_contacts *feet = &made->made.contacts;
    if (!request->no_clean && feet->count > 0) {
        marey_clip *cleaned = NULL;
        status = marey_clip_clean(made->made.clip, feet->items, feet->count, &clean, &cleaned,
                                  &made->made.clean, error);
        if (status == MAREY_OK) status = app_own_clip(env, cleaned, error);
        if (status != MAREY_OK) return status;
        made->raw = made->made.clip;
        made->made.clip = cleaned;
    }
    status = app_materials_speeds(&out->from->all, &made->inputs, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < out->from->all.count; i++)
        app_provenance_source(&out->made.from, env->scope, &out->from->all.items[i].source);
    return app_made_finish(env, &app_blend, &request->given, &out->made, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_blend_params *request = params;
    const app_blend_result *of = result;
    const app_registered *from = of->from;
    const marey_contacts *feet = &of->made.made.contacts;
    json_put_string(out, "method", method_word(request->method));
    json_put_string(out, "curve", request->motions.curve);
    json_put_string(out, "reference",
                    from->all.items[marey_registration_reference(from->registration)].text);
    json_open(out, "clips", '[');
    for (int i = 0; i < from->all.count; i++) {
        const marey_path *path = marey_registration_path(from->registration, i);
        json_open(out, NULL, '{');
        json_put_string(out, "clip", from->all.items[i].text);
        json_put_number(out, "mean_distance", path ? path->mean : NAN);
        app_refit_write(&from->all.items[i], out);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (of->weights) {
        json_put_numbers(out, "weights", of->weights, from->all.count);
    } else {
        json_put_null(out, "weights");
        json_put_integer(out, "weight_rows", request->keys.count);
    }
    app_contacts_write(out, "constraints", feet->items, feet->count, 0);
    app_made_write(&of->made, out);
}

APP_MADE_OF(app_blend_result, made)

const app_operation app_blend = {
    .name = "blend",
    .summary = "mix several clips into one",
    .description = { "The clips are registered: time, place on the floor and foot plants of all of "
                     "them are brought together. What comes out has the first one's bones. Weights "
                     "are scaled to sum 1; those below 0 and above 1 go beyond the clips.",
                     "--weights-file changes them over time: lines of the time in seconds of what "
                     "is made, then a weight for each clip, with commas between them. Between "
                     "lines weights go evenly; before the first and behind the last they stay.",
                     "The clips should do the same from their first frame to their last: name the "
                     "frames, as in walk.bvh#120-300. Where they are laid over each other wrongly "
                     "--through pins frames that belong together. --curve NAME takes clips and "
                     "registration from a library, as marey align --save kept them.",
                     "A blend in which one clip has all the weight is that clip. Planted feet are "
                     "held in place unless --no-clean says otherwise. OUT may be LIB.marey:NAME, "
                     "as in marey convert." },
    .params = rows,
    .params_size = sizeof(app_blend_params),
    .result_size = sizeof(app_blend_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "blend of",
};
