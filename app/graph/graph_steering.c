/* graph_steering.c - `graph control`: a policy, or motion matching, steers a character by a script
   of inputs, without a screen. */
#include "make.h"
#include "motion_graphs.h"
#include "operations.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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

static const char *controller_word(int index)
{
    return index < MAREY_CONTROLLER_KIND_COUNT
               ? marey_controller_kind_name((marey_controller_kind)index)
               : NULL;
}

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
    { .name = "controller",
      .type = APP_WORD,
      .at = AT(controller),
      .word = controller_word,
      .standard = "graph",
      .help = "graph: follow the policy from transition to transition; matching: search all "
              "captured poses for the one that leads on best, without a policy" },
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

/* ---- steering -------------------------------------------------------------------------------- */

static void release_controller(void *controller)
{
    marey_controller_free(controller);
}

static marey_status open_controller(const app_env *env, const app_control_params *request,
                                    app_controlled *out, marey_controller **controller,
                                    marey_error *error)
{
    app_graph_clip *clip = &out->clip;
    const app_segment *from = &request->making.from;
    marey_controller_def start = { .from_given = from->clip != NULL,
                                   .rough = request->making.rough };
    marey_policy *policy = NULL;
    marey_status status;
    bool matches = request->controller == MAREY_CONTROLLER_MATCHING;
    status = matches ? app_graph_matching(env, clip->saved, &clip->matching, error)
                     : app_graph_policy(env, clip->saved, &policy, error);
    if (status == MAREY_OK && from->clip)
        status = app_graph_node(clip->saved, from, matches ? APP_NODE_CAPTURED : APP_NODE_BEGINS,
                                &start.from, error);
    if (status != MAREY_OK) return status;
    status = matches ? marey_controller_open_matching(env->ctx, clip->matching, &start, controller,
                                                      error)
                     : marey_controller_open(env->ctx, clip->saved->graph, policy, &start,
                                             controller, error);
    return status == MAREY_OK ? app_own(env->scope, *controller, release_controller, error)
                              : status;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static marey_status steer(const app_env *env, const app_control_params *request, int nodes,
                          marey_walk_make_def *def, app_controlled *out, marey_error *error)
{
    app_graph_clip *clip = &out->clip;
    const double *input = request->script.values;
    double fps = marey_graph_fps(clip->saved->graph);
    int answered = 0;
    marey_controller *controller = NULL;
    marey_status status = open_controller(env, request, out, &controller, error);
    if (status != MAREY_OK) return status;
    double *responses = APP_NEW(env->scope, double, request->script.count);
    clip->walk.nodes = APP_NEW(env->scope, int, nodes);
    clip->places = APP_NEW(env->scope, marey_placement, nodes);
    if (!responses || !clip->walk.nodes || !clip->places) return app_fail_memory(error);
    clip->walk.count = nodes;
    for (int i = 0, row = 0; i < nodes; i++) {
        marey_controller_frame frame;
        for (; row + 1 < request->script.count && input[COLUMNS] <= i / fps + 1e-9; row++)
            input += COLUMNS;
        marey_controller_step(controller, &(marey_control_input){ input[1], input[2] }, &frame);
        clip->walk.nodes[i] = frame.node;
        clip->places[i] = marey_controller_place(controller);
        if (frame.response_s > 0) responses[answered++] = frame.response_s;
    }
    /* The clip stands where the controller's first frame stands, so that its directions are those
       of the inputs. */
    def->place_given = true;
    def->place = clip->places[0];
    out->score = marey_controller_score(controller);
    out->searches = marey_controller_searched(controller);
    /* The median; turns that were not answered took longer than any. */
    qsort(responses, (size_t)answered, sizeof *responses, by_size);
    int middle = (out->score.turns - 1) / 2;
    out->response_s = middle < answered && out->score.turns > 0 ? responses[middle] : NAN;
    return MAREY_OK;
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
    const app_control_params *request = params;
    const app_controlled *of = result;
    if (!of->clip.saves) json_put_string(out, "name", of->clip.saved->name);
    json_put_integer(out, "wishes", request->script.count);
    json_put_number(out, "control", of->score.control);
    json_put_number(out, "transition", of->score.transition);
    json_put_number(out, "total", of->score.total);
    json_put_string(out, "controller", controller_word(request->controller));
    json_put_integer(out, "turns", of->score.turns);
    json_put_number(out, "response_s", of->response_s);
    if (of->clip.matching) {
        json_put_integer(out, "poses", marey_matching_poses(of->clip.matching));
        json_put_integer(out, "searches", of->searches.count);
        json_put_number(out, "mean_compared", of->searches.compared);
        json_put_integer(out, "most_compared", of->searches.most_compared);
    }
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
                     "were, and the product of both; and how long it takes until the body has "
                     "come half of a turn of the input, of 30 degrees or more.",
                     "--controller matching needs no policy: every 0.1 s it looks through all "
                     "captured poses for one that goes on from the body's feet and hips and leads "
                     "where the input does. --from may then be any frame." },
    .params = rows,
    .params_size = sizeof(app_control_params),
    .result_size = sizeof(app_controlled),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
};
