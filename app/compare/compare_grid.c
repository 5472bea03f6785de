/* compare_grid.c - `grid`: how far every frame of one clip is from every frame of another. */
#include "comparison.h"
#include "operations.h"

#include <math.h>

static const app_param rows[] = {
    APP_COMPARED_CLIPS(app_grid_params, compared),
    APP_METRIC_PARAMS(app_grid_params, compared.metric, "equal"),
    APP_OWN_METRIC_PARAM(app_grid_params, compared.metric),
    APP_COMPARED_PARAMS(app_grid_params, compared, "metric=positions", app_units_or_raw_word),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_grid_params *request = params;
    app_metric unused;
    return app_metric_define(NULL, &request->compared.metric, dialect, &unused, error);
}

static void note_minima(void *user, const marey_minimum *items, int count)
{
    app_grid_result *out = user;
    for (int i = 0; i < count; i++) {
        out->least = fmin(out->least, items[i].value);
        out->minima += items[i].least == (MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN);
    }
}

/* Unless the numbers are wanted the grid of points is not kept. One that is even everywhere has no
   minimum that would tell its least value. */
static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_grid_params *request = params;
    app_grid_result *out = result;
    marey_minima_def def = { .found = note_minima, .user = out };
    out->least = INFINITY;
    out->has_grid = env->wants_clip;
    marey_status status = app_comparison_open(env, &request->compared, &out->of, error);
    if (status != MAREY_OK) return status;
    const app_comparison *comparison = out->of;
    double start = app_seconds();
    if (out->has_grid || !comparison->metric.def.metric->can_bound) {
        out->greatest = -INFINITY;
        status = app_comparison_grid(env, out->of, error);
        out->seconds = comparison->seconds + app_seconds() - start;
        if (status != MAREY_OK) return status;
        marey_rows grid = marey_grid_cost(comparison->grid);
        for (int i = 0; i < grid.rows; i++) {
            for (int j = 0; j < grid.cols; j++) {
                const float *at = grid.values + (size_t)i * grid.stride + (size_t)j;
                out->least = fmin(out->least, *at);
                out->greatest = fmax(out->greatest, *at);
                out->minima += (j == 0 || at[0] < at[-1]) &&
                               (j + 1 == grid.cols || at[0] < at[1]) &&
                               (i == 0 || at[0] < *(at - grid.stride)) &&
                               (i + 1 == grid.rows || at[0] < at[grid.stride]);
            }
        }
    } else {
        out->greatest = INFINITY;
        status = marey_grid_minima(env->ctx, comparison->features[0], comparison->features[1], &def,
                                   error);
        out->seconds = comparison->seconds + app_seconds() - start;
    }
    return status;
}

static void write(const void *params, const void *result, json *out)
{
    const app_grid_result *of = result;
    (void)params;
    json_put_integer(out, "rows", marey_features_rows(of->of->features[0]));
    json_put_integer(out, "cols", marey_features_rows(of->of->features[1]));
    json_put_number(out, "seconds", of->seconds);
    app_comparison_write(of->of, out);
    json_put_number(out, "least", of->least);
    json_put_number(out, "greatest", of->greatest);
    json_put_integer(out, "minima", of->minima);
}

static bool array(const void *result, int index, app_array *out)
{
    const app_grid_result *of = result;
    if (index > 0 || !of->has_grid) return false;
    marey_rows grid = marey_grid_cost(of->of->grid);
    *out = (app_array){ "distances", grid.values, grid.rows, grid.cols, (int64_t)grid.stride };
    return true;
}

static marey_status draw(const app_env *env, const void *params, void *result,
                         const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_grid_result *of = result;
    (void)params, (void)def;
    return app_comparison_draw(env, of->of, NULL, path, error);
}

static marey_status draw_minima(const app_env *env, const void *params, void *result,
                                const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_grid_result *of = result;
    marey_grid_picture_def how = { .minima = true };
    (void)params, (void)def;
    return app_comparison_draw(env, of->of, &how, path, error);
}

static const app_drawing pictures[] = {
    { "grid", "the distances, dark where the clips are alike, with both clips along the axes",
      draw },
    { "minima", "the same, with the cells that are less than all four beside them marked",
      draw_minima },
    { 0 },
};

const app_operation app_grid = {
    .name = "grid",
    .summary = "measure how far every frame of one clip is from every frame of another",
    .description = { "Row i is frame i of A, column j frame j of B, at the lower rate of the two "
                     "or at --fps. -o FILE.npy writes rows x columns float32 numbers; .png, .svg "
                     "and .pdf draw them, dark where the clips are alike, with both clips along "
                     "the axes. Without -o the grid is computed and not written.",
                     "The distance of points is the weighted mean squared distance of the joints "
                     "in cm2, over a window of frames, with B laid on A as well as can be on "
                     "the floor; its root in cm is shown beside it. Those of the other metrics "
                     "are pure numbers, and transition is in cm.",
                     "A and B may name some of their frames: walk.bvh#120-300 (the end is not "
                     "included), walk.bvh#1.5s-3s. With -L they are names of clips in a library. "
                     "Clips with different joints are compared by the roles that both have, and "
                     "that is said.",
                     "Frames that are no captured motion keep their rows and columns, which hold "
                     "the pose of the nearest captured frame." },
    .params = rows,
    .params_size = sizeof(app_grid_params),
    .result_size = sizeof(app_grid_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .array = array,
    .pictures = pictures,
};
