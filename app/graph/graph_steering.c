/* graph_steering.c - `graph control`: a policy steers a motion graph by a script of inputs, without
   a screen. */
#include "make.h"
#include "motion_graphs.h"
#include "operations.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 3 };

/* ---- the script ------------------------------------------------------------------------------ */

static void name_column(int column, char *text, size_t room)
{
    static const char *const names[COLUMNS] = { "a time in seconds", "a direction in radians",
                                                "a speed in cm/s" };
    snprintf(text, room, "%s", names[column]);
}

static const char *check_row(const double *row, int columns, const double *before, char *text,
                             size_t room)
{
    (void)columns;
    if (before && !(row[0] > before[0])) {
        snprintf(text, room, "times must rise: %g s comes behind %g s", row[0], before[0]);
        return text;
    }
    if (row[0] < 0) return "times count from 0 on";
    return row[2] < 0 ? "a speed is not negative; to go back, turn the direction by pi" : NULL;
}

static const app_table_def inputs = {
    .what = "a script of inputs",
    .row = "line of inputs",
    .more = "an input has a time, a direction and a speed, and nothing more",
    .columns = COLUMNS,
    .name = name_column,
    .check = check_row
};

#define AT(member) offsetof(app_control_params, member)
static const app_param rows[] = {
    APP_WALK_GRAPH_PARAM(app_control_params),
    { .name = "script",
      .type = APP_TABLE,
      .at = AT(script),
      .table = &inputs,
      .needed = true,
      .value = "INPUTS.csv",
      .help = "lines of time,direction,speed: seconds, radians counter-clockwise from x on a plan "
              "seen from above, cm/s" },
    { .name = "length",
      .type = APP_TEXT,
      .at = AT(making.length),
      .value = "20s|600",
      .help =
          "stop after so many seconds, or frames of what is made (default: the last input lasts "
          "as long as the one before)" },
    { .name = "from",
      .type = APP_SEGMENT,
      .at = AT(making.from),
      .value = "CLIP#F",
      .help = "where it begins (default: where the body stands most still)" },
    APP_WALK_MAKING_PARAMS(app_control_params),
    { 0 },
};
#undef AT

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    return app_walk_check(&((const app_control_params *)params)->making, dialect, error);
}

/* ---- where it starts ------------------------------------------------------------------------- */

/* How a body is turned and moved on the floor that has come from `a` to `b`: the sums of a best fit
   over its joints. */
static marey_placement fit(const double *a, const double *b, int joints)
{
    double ax = 0, az = 0, bx = 0, bz = 0, along = 0, across = 0;
    for (int j = 0; j < joints; j++) {
        ax += a[3 * j] / joints;
        az += a[3 * j + 2] / joints;
        bx += b[3 * j] / joints;
        bz += b[3 * j + 2] / joints;
    }
    for (int j = 0; j < joints; j++) {
        double x = a[3 * j] - ax, z = a[3 * j + 2] - az;
        double u = b[3 * j] - bx, v = b[3 * j + 2] - bz;
        along += x * u + z * v;
        across += z * u - x * v;
    }
    double angle = atan2(across, along);
    return (marey_placement){ .angle_rad = angle,
                              .x_cm = bx - (ax * cos(angle) + az * sin(angle)),
                              .z_cm = bz - (-ax * sin(angle) + az * cos(angle)),
                              .sure = true };
}

/* The clip stands where the controller's first frame stands, so that its directions are those of
   the inputs. */
static marey_status place_start(const app_env *env, const marey_graph *graph,
                                const marey_controller_frame *first, marey_walk_make_def *def,
                                marey_error *error)
{
    const marey_clip *motion = marey_graph_motion(graph);
    const marey_skeleton *skeleton = marey_clip_skeleton(motion);
    size_t joints = (size_t)skeleton->joint_count;
    double *room = APP_NEW(env->scope, double, 9 * joints);
    float *turns = APP_NEW(env->scope, float, 4 * joints);
    if (!room || !turns) return app_fail_memory(error);
    double *own = room + 3 * joints, *now = own + 3 * joints;
    marey_clip_sample(motion, first->node / marey_clip_fps(motion), room, turns);
    marey_pose_positions(skeleton, room, turns, own);
    marey_pose_positions(skeleton, first->places, first->turns, now);
    /* A root that stays, while the pelvis below it moves, says nothing about where the body is. */
    bool stays = skeleton->roles[MAREY_ROLE_HIPS] > 0 && memcmp(own, now, 3 * sizeof *own) == 0;
    size_t skip = stays ? 1 : 0;
    def->place_given = true;
    def->place = fit(own + 3 * skip, now + 3 * skip, (int)(joints - skip));
    return MAREY_OK;
}

/* ---- steering -------------------------------------------------------------------------------- */

static void release_controller(void *controller)
{
    marey_controller_free(controller);
}

static marey_status steer(const app_env *env, const app_control_params *request, int nodes,
                          marey_walk_make_def *def, app_controlled *out, marey_error *error)
{
    app_graph_clip *clip = &out->clip;
    const app_segment *from = &request->making.from;
    const double *input = request->script.values;
    double fps = marey_graph_fps(clip->saved->graph);
    marey_policy *policy = NULL;
    marey_controller *controller = NULL;
    /* Rough: its poses then are the graph's own, and say where it stands. The clip is smoothed when
       it is made. */
    marey_controller_def start = { .from_given = from->clip != NULL, .rough = true };
    marey_status status = app_graph_policy(env, clip->saved, &policy, error);
    if (status == MAREY_OK && from->clip)
        status = app_graph_node(clip->saved, from, &start.from, error);
    if (status == MAREY_OK)
        status =
            marey_controller_open(env->ctx, clip->saved->graph, policy, &start, &controller, error);
    if (status == MAREY_OK) status = app_own(env->scope, controller, release_controller, error);
    if (status != MAREY_OK) return status;
    clip->walk.nodes = APP_NEW(env->scope, int, nodes);
    if (!clip->walk.nodes) return app_fail_memory(error);
    clip->walk.count = nodes;
    for (int i = 0, row = 0; i < nodes && status == MAREY_OK; i++) {
        marey_controller_frame frame;
        for (; row + 1 < request->script.count && input[COLUMNS] <= i / fps + 1e-9; row++)
            input += COLUMNS;
        marey_controller_step(controller, &(marey_control_input){ input[1], input[2] }, &frame);
        clip->walk.nodes[i] = frame.node;
        if (i == 0) status = place_start(env, clip->saved->graph, &frame, def, error);
    }
    out->score = marey_controller_score(controller);
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_control_params *request = params;
    app_controlled *out = result;
    app_graph_clip *clip = &out->clip;
    marey_walk_make_def def = { .frames = 0 };
    int nodes = 2;
    marey_status status = app_graph_clip_open(env, &request->making, clip, error);
    if (status != MAREY_OK) return status;
    /* The last input lasts as long as the one before it, a single one two seconds. */
    const app_table *script = &request->script;
    const double *last = script->values + (size_t)COLUMNS * (size_t)(script->count - 1);
    double seconds = fmin(last[0] + (script->count > 1 ? last[0] - last[-COLUMNS] : 2), 1e5);
    def.frames = (int)fmax(round(seconds * app_graph_clip_fps(&request->making, clip)), 2);
    status = app_graph_clip_length(env, &request->making, clip, &def.frames, &nodes, error);
    if (status == MAREY_OK) status = steer(env, request, nodes, &def, out, error);
    if (status != MAREY_OK) return status;
    return app_graph_clip_make(env, &app_graph_control, &request->given, &request->making, &def,
                               clip, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_controlled *of = result;
    if (!of->clip.saves) json_put_string(out, "name", of->clip.saved->name);
    json_put_integer(out, "wishes", ((const app_control_params *)params)->script.count);
    json_put_number(out, "control", of->score.control);
    json_put_number(out, "transition", of->score.transition);
    json_put_number(out, "total", of->score.total);
    app_graph_clip_write(&of->clip, out);
}

APP_MADE_OF(app_controlled, clip.made)

const app_operation app_graph_control = {
    .name = "graph control",
    .summary = "steer a motion graph by a script of inputs",
    .description = { "Every line of the script says from when on where to go and how fast; it "
                     "holds until the next. Speed 0 asks to stand. x points to the right and z to "
                     "the bottom of the plan, so that -1.5708 goes towards z.",
                     "The answer says how well inputs were followed, how good the transitions "
                     "were, and the product of both." },
    .params = rows,
    .params_size = sizeof(app_control_params),
    .result_size = sizeof(app_controlled),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
};
