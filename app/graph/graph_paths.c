/* graph_paths.c - `graph path`: what a walk along a path would follow, before it is searched: rounded
   where what was drawn is tighter than bodies can turn, and led round obstacles. */
#include "make.h"
#include "motion_graphs.h"
#include "operations.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static void name_column(int column, char *text, size_t room)
{
    snprintf(text, room, "%s of a point in centimetres", column == 0 ? "x" : "z");
}

const app_table_def app_path_points = {
    .what = "a path",
    .row = "point of a path",
    .more = "a point has two numbers, x and z, and nothing more",
    .columns = 2,
    .name = name_column,
    .least_rows = 2,
    .in_place = true,
};

double app_walk_bend(double bend_cm)
{
    return bend_cm > 0 ? bend_cm : INFINITY;
}

static void release(void *followed)
{
    marey_walk_path_free(followed);
}

marey_status app_path_follow(const app_env *env, const marey_graph *graph,
                             const marey_walk_def *def, marey_walk_path **out, marey_error *error)
{
    marey_walk_path *followed = APP_NEW(env->scope, marey_walk_path, 1);
    if (!followed) return app_fail_memory(error);
    marey_status status = marey_graph_path(env->ctx, graph, def, followed, error);
    if (status == MAREY_OK) status = app_own(env->scope, followed, release, error);
    if (status == MAREY_OK) *out = followed;
    return status;
}

void app_path_write_rounded(const marey_walk_path *followed, json *out)
{
    json_put_number(out, "radius_cm", followed ? followed->radius_cm : NAN);
    json_put_number(out, "rounded_cm", followed ? followed->most_off_cm : NAN);
    json_open(out, "rounded", '[');
    for (int i = 0; followed && i < followed->place_count; i++) {
        const marey_rounding *one = &followed->places[i];
        json_open(out, NULL, '{');
        json_put_number(out, "along_cm", one->along_cm);
        json_put_number(out, "x", one->x_cm);
        json_put_number(out, "z", one->z_cm);
        json_put_number(out, "off_cm", one->off_cm);
        json_close(out, '}');
    }
    json_close(out, ']');
}

#define AT(member) offsetof(app_path_params, member)
static const app_param rows[] = {
    { .name = "graph",
      .type = APP_TEXT,
      .at = AT(graph),
      .place = 1,
      .needed = true,
      .value = "NAME",
      .help = "which graph" },
    { .name = "path",
      .type = APP_TABLE,
      .at = AT(path),
      .needed = true,
      .table = &app_path_points,
      .value = "X,Z X,Z ...",
      .help = "points of the floor in centimetres, or those of a file that ends in .csv" },
    { .name = "avoid",
      .type = APP_TEXTS,
      .at = AT(avoid),
      .repeats = true,
      .most_count = MAREY_WALK_MOST_OBSTACLES,
      .value = "X,Z,R",
      .help = "lead it round this circle on the floor, x, z and radius in centimetres; may be "
              "given several times" },
    { .name = "style",
      .type = APP_TEXTS,
      .at = AT(style),
      .most_count = 256,
      .value = "L,L,...",
      .help = "for walks of only the frames with one of these labels" },
    APP_BEND_PARAM(app_path_params),
    { 0 },
};
#undef AT

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_path_params *request = params;
    return app_walk_floor_check(&(app_texts){ 0 }, &request->avoid, dialect, error);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_path_params *request = params;
    app_path *out = result;
    app_saved_graph *saved = NULL;
    app_walk_floor floor = { 0 };
    marey_status status = app_graph_open(env, request->graph, &saved, error);
    if (status == MAREY_OK)
        status =
            app_walk_floor_read(env->scope, &(app_texts){ 0 }, &request->avoid, 1, &floor, error);
    if (status != MAREY_OK) return status;
    marey_walk_def def = { .kind = MAREY_WALK_PATH,
                           .path = request->path.values,
                           .point_count = request->path.count,
                           .styles = request->style.values,
                           .style_count = request->style.count,
                           .obstacles = floor.obstacles,
                           .obstacle_count = floor.obstacle_count,
                           .bend_cm = app_walk_bend(request->bend) };
    out->graph = saved->name;
    for (int i = 1; i < request->path.count; i++) {
        const double *at = request->path.values + 2 * (size_t)i;
        out->drawn_cm += hypot(at[0] - at[-2], at[1] - at[-1]);
    }
    return app_path_follow(env, saved->graph, &def, &out->followed, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_path *of = result;
    const marey_walk_path *followed = of->followed;
    (void)params;
    json_put_string(out, "name", of->graph);
    json_put_number(out, "drawn_cm", of->drawn_cm);
    json_put_number(out, "mean_off_cm", followed->mean_off_cm);
    app_path_write_rounded(followed, out);
    json_open(out, "points", '[');
    for (int i = 0; i < followed->count; i++)
        json_put_numbers(out, NULL, followed->points + 2 * (size_t)i, 2);
    json_close(out, ']');
}

const app_operation app_graph_path = {
    .name = "graph path",
    .summary = "say what path a walk would follow",
    .description = { "A body turns on a circle of some radius at its usual speed. Where a path is "
                     "drawn tighter, a walk along it cuts the corner or makes a loop. This says "
                     "where and by how much, before the walk is searched." },
    .params = rows,
    .params_size = sizeof(app_path_params),
    .result_size = sizeof(app_path),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
};
