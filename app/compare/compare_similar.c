/* compare_similar.c - `similar`: the most similar frames of two clips, one pair of them closer, and
   the cut from one clip to the other there (Guan & Yang, 4.3). */
#include "comparison.h"
#include "operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 100000000, MOST_SMOOTH = 100000 };

static const app_param rows[] = {
    APP_COMPARED_CLIPS(app_similar_params, compared),
    { .name = "count",
      .type = APP_WHOLE,
      .at = offsetof(app_similar_params, count),
      .least = 1,
      .most = MOST_COUNT,
      .value = "N",
      .standard = "20",
      .help = "how many pairs" },
    { .name = "minima",
      .type = APP_SWITCH,
      .at = offsetof(app_similar_params, minima),
      .help = "only pairs that are less than all four beside them" },
    { .name = "at",
      .type = APP_PAIR,
      .at = offsetof(app_similar_params, at),
      .value = "I,J",
      .help = "this pair alone: frame I of A and frame J of B, as they are in their files" },
    { .name = "smooth",
      .type = APP_WHOLE,
      .at = offsetof(app_similar_params, smooth),
      .least = 0,
      .most = MOST_SMOOTH,
      .value = "N",
      .standard = "0",
      .help = "frames around the cut over which A fades into B" },
    { .name = "full",
      .type = APP_SWITCH,
      .at = offsetof(app_similar_params, full),
      .help = "at the cut, lay B on A by the root's whole transform, tilt and height included" },
    APP_METRIC_PARAMS(app_similar_params, compared.metric, "equal"),
    APP_OWN_METRIC_PARAM(app_similar_params, compared.metric),
    APP_COMPARED_PARAMS(app_similar_params, compared, "metric=positions", app_units_or_raw_word),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_similar_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    app_metric unused;
    if (request->at.given[0] && (request->minima || app_given(rows, &request->given, "count"))) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sat says which pair, so there is nothing for %s%s to choose", dashes,
                        dashes, request->minima ? "minima" : "count");
    }
    return app_metric_define(NULL, &request->compared.metric, dialect, &unused, error);
}

int app_similar_frame(const app_similar_params *params, const app_similar_result *result, int pair,
                      int side)
{
    int row = side == 0 ? result->pairs[pair].row : result->pairs[pair].col;
    return params->at.given[0] ? params->at.values[side]
                               : app_comparison_frame(result->of, side, row);
}

/* ---- finding --------------------------------------------------------------------------------- */

typedef struct valleys {
    const app_comparison *of;
    buffer found; /* of marey_pair */
} valleys;

static void note_minima(void *user, const marey_minimum *items, int count)
{
    valleys *all = user;
    for (int i = 0; i < count; i++) {
        const marey_minimum *one = &items[i];
        marey_pair pair = { one->row, one->col, one->value };
        if (one->least == (MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN) &&
            app_comparison_captured(all->of, 0, one->row) &&
            app_comparison_captured(all->of, 1, one->col))
            buffer_bytes(&all->found, (const char *)&pair, sizeof pair);
    }
}

/* By value, then row, then column: the order of marey_grid_pairs. */
static int compare_pairs(const void *left, const void *right)
{
    const marey_pair *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

static marey_status find_minima(const app_env *env, int most, app_similar_result *out,
                                marey_error *error)
{
    valleys all = { .of = out->of, .found = buffer_make(env->scope->memory) };
    marey_minima_def def = { .found = note_minima, .user = &all };
    marey_status status =
        marey_grid_minima(env->ctx, out->of->features[0], out->of->features[1], &def, error);
    if (status == MAREY_OK) status = app_check(all.found.failed, error);
    size_t count = all.found.used / sizeof(marey_pair);
    if (status == MAREY_OK && count > 0)
        qsort(all.found.bytes, count, sizeof(marey_pair), compare_pairs);
    out->count = count < (size_t)most ? (int)count : most;
    out->pairs = status == MAREY_OK ? APP_NEW(env->scope, marey_pair, out->count) : NULL;
    if (status == MAREY_OK) status = app_check(!out->pairs, error);
    if (status == MAREY_OK && out->count > 0)
        memcpy(out->pairs, all.found.bytes, (size_t)out->count * sizeof *out->pairs);
    buffer_free(&all.found);
    return status;
}

/* The pair that `at` names, with what makes its distance. */
static marey_status look_at(const app_env *env, const app_pair *at, app_similar_result *out,
                            marey_error *error)
{
    app_comparison *comparison = out->of;
    marey_pair *pair = out->pairs = APP_NEW(env->scope, marey_pair, 1);
    out->joints = APP_NEW(env->scope, double, marey_layout_joints(comparison->layout));
    if (!pair || !out->joints) return app_fail_memory(error);
    for (int side = 0; side < 2; side++) {
        const app_source *source = &comparison->sources[side];
        if (at->values[side] >= source->start && at->values[side] < source->end) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "at: frame of %s must be %d to %d, got %d",
                        side == 0 ? "A" : "B", source->start, source->end - 1, at->values[side]);
    }
    pair->row = app_comparison_row(comparison, 0, at->values[0]);
    pair->col = app_comparison_row(comparison, 1, at->values[1]);
    double value =
        marey_distance(comparison->features[0], pair->row, comparison->features[1], pair->col);
    pair->value = (float)value;
    if (isnan(value)) { /* the cells of curvature depend on each other */
        marey_status status = app_comparison_grid(env, comparison, error);
        if (status != MAREY_OK) return status;
        marey_rows cost = marey_grid_cost(comparison->grid);
        pair->value = cost.values[(size_t)pair->row * cost.stride + (size_t)pair->col];
    }
    marey_explain(comparison->features[0], pair->row, comparison->features[1], pair->col,
                  out->joints, out->window, &out->rest);
    out->placement =
        marey_place(comparison->features[0], pair->row, comparison->features[1], pair->col);
    out->count = 1;
    return MAREY_OK;
}

/* ---- the cut --------------------------------------------------------------------------------- */

/* Nothing is measured on it, and of its plants nothing is known: it is what it is cut from. */
static marey_status cut(const app_env *env, const app_similar_params *request,
                        app_similar_result *out, marey_error *error)
{
    const app_comparison *comparison = out->of;
    app_made *made = &out->made;
    marey_stitch_def def = { request->smooth, request->full };
    marey_clip *whole = NULL, *clip = NULL;
    app_source sources[2] = { comparison->sources[0], comparison->sources[1] };
    if (out->count == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there is no pair of captured frames to cut at");
    }
    sources[0].end = out->frames[0];
    sources[1].start = out->frames[1];
    out->seam = out->frames[0] - comparison->sources[0].start;
    marey_status status =
        marey_clip_stitch(comparison->own[0], out->seam, comparison->own[1],
                          out->frames[1] - comparison->sources[1].start, &def, &whole, error);
    /* Generated clips leave marked frames out. */
    if (status == MAREY_OK) status = marey_clip_unmarked(whole, &out->seam, &clip, error);
    marey_clip_free(whole);
    if (status != MAREY_OK) return status;
    made->made.clip = clip;
    made->no_plants = true;
    status = app_made_own(env, made, error);
    if (status != MAREY_OK) return status;
    for (int side = sources[0].end > sources[0].start ? 0 : 1; side < 2; side++)
        app_provenance_source(&made->from, env->scope, &sources[side]);
    return app_made_note(env, &app_similar, &request->given, made, error);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_similar_params *request = params;
    app_similar_result *out = result;
    marey_status status = app_comparison_open(env, &request->compared, &out->of, error);
    if (status != MAREY_OK) return status;
    const app_comparison *comparison = out->of;
    double start = app_seconds();
    if (request->at.given[0]) {
        status = look_at(env, &request->at, out, error);
    } else if (request->minima) {
        status = find_minima(env, request->count, out, error);
    } else {
        int64_t cells = (int64_t)marey_features_rows(comparison->features[0]) *
                        marey_features_rows(comparison->features[1]);
        int room = (int)(request->count < cells ? request->count : cells);
        out->pairs = APP_NEW(env->scope, marey_pair, room);
        if (!out->pairs) return app_fail_memory(error);
        status = marey_grid_pairs(env->ctx, comparison->features[0], comparison->features[1], room,
                                  out->pairs, &out->count, error);
    }
    out->seconds = comparison->seconds + app_seconds() - start;
    if (status != MAREY_OK) return status;
    out->judged = (marey_judgement){ NAN, NAN, NAN, 0 };
    if (out->count > 0 && !app_comparison_raw(comparison))
        out->judged =
            marey_judge(comparison->features[0], comparison->features[1], out->pairs, out->count);
    for (int side = 0; side < 2 && out->count > 0; side++)
        out->frames[side] = app_similar_frame(request, out, 0, side);
    return env->wants_clip ? cut(env, request, out, error) : MAREY_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void write(const void *params, const void *result, json *out)
{
    const app_similar_params *request = params;
    const app_similar_result *of = result;
    const marey_layout *layout = of->of->layout;
    json_open(out, "pairs", '[');
    for (int i = 0; i < of->count; i++) {
        json_open(out, NULL, '[');
        for (int side = 0; side < 2; side++)
            json_put_integer(out, NULL, app_similar_frame(request, of, i, side));
        json_put_number(out, NULL, of->pairs[i].value);
        json_close(out, ']');
    }
    json_close(out, ']');
    json_put_integer(out, "rows", marey_features_rows(of->of->features[0]));
    json_put_integer(out, "cols", marey_features_rows(of->of->features[1]));
    json_put_number(out, "seconds", of->seconds);
    app_comparison_write(of->of, out);
    json_put_number(out, "Dp", of->judged.position_cm);
    json_put_number(out, "Dv", of->judged.velocity);
    json_put_number(out, "Da", of->judged.acceleration);
    if (of->joints) {
        json_open(out, "explained", '{');
        json_open(out, "joints", '[');
        for (int i = 0; i < marey_layout_joints(layout); i++) {
            json_open(out, NULL, '{');
            json_put_string(out, "name", marey_layout_joint(layout, i));
            json_put_number(out, "share", of->joints[i]);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_put_numbers(out, "frames", of->window, marey_layout_window(layout));
        json_put_number(out, "rest", of->rest);
        json_open(out, "placement", '{');
        json_put_number(out, "angle_rad", of->placement.angle_rad);
        json_put_number(out, "x_cm", of->placement.x_cm);
        json_put_number(out, "z_cm", of->placement.z_cm);
        json_put_boolean(out, "sure", of->placement.sure);
        json_close(out, '}');
        json_close(out, '}');
    }
    json_put_boolean(out, "minima", request->minima);
}

static marey_status draw(const app_env *env, const void *params, void *result,
                         const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_similar_result *of = result;
    marey_grid_picture_def how = { .pairs = of->pairs, .pair_count = of->count };
    (void)params, (void)def;
    return app_comparison_draw(env, of->of, &how, path, error);
}

static const app_drawing pictures[] = {
    { "pairs", "the grid of the two clips, with the pairs as dots", draw },
    { 0 },
};

APP_MADE_OF(app_similar_result, made)

const app_operation app_similar = {
    .name = "similar",
    .summary = "find the most similar frames of two clips, and cut from one to the other",
    .description = { "Lists pairs of a frame of A and a frame of B, the most similar first, in "
                     "the frames of the clips as they are in their files. Frames that are no "
                     "captured motion are never used. The best pairs often lie side by side; "
                     "--minima lists only those that are better than both neighbours in "
                     "either clip.",
                     "--cut OUT writes A up to the best pair and then B from there on, turned "
                     "and moved on the floor to stand where A was, at A's rate. --smooth N fades "
                     "one into the other. OUT may be LIB.marey:NAME, as in marey convert. For "
                     "that both must have the same joints.",
                     "--at I,J lists this one pair, and cuts there.",
                     "The metrics and their options are those of marey grid." },
    .params = rows,
    .params_size = sizeof(app_similar_params),
    .result_size = sizeof(app_similar_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .pictures = pictures,
    .made = made_of,
    .made_as = "cut of",
    .clip_option = "cut",
};
