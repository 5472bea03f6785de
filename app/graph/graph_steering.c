/* graph_steering.c - `graph control`: a policy, or motion matching, steers a character by a script
   of inputs, without a screen; at times it is asked to do something. */
#include "make.h"
#include "motion_graphs.h"
#include "operations.h"
#include "requests.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
    { .name = "do",
      .type = APP_TEXTS,
      .at = AT(requests),
      .repeats = true,
      .most_count = APP_MOST_REQUESTS,
      .value = "ACTION|FAMILY(NAME=N)@4s",
      .help =
          "at that time ask for a labelled action of the graph, or for a motion of a saved "
          "family, height=95 or at=30,120,60 in brackets: it goes to where that can begin, does "
          "the whole of it, and follows the inputs again. In order; each waits until the one "
          "before it began" },
    { .name = "replace",
      .type = APP_SWITCH,
      .at = AT(replace),
      .help = "--do as in play: a request takes the place of one before it that has not begun, and "
              "what has not begun at the end of --length is left out" },
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
    const app_control_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    double last = 0;
    if (request->requests.count > 0 && request->controller == MAREY_CONTROLLER_MATCHING)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sdo needs the ways of a graph: not with %scontroller matching", dashes,
                        dashes);
    for (int i = 0; i < request->requests.count; i++) {
        app_request_text text;
        const char *asked = request->requests.values[i];
        marey_status status = app_request_read(asked, &text, error);
        if (status != MAREY_OK) return status;
        if (text.where != APP_REQUEST_TIME)
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%sdo: %.100s must be @ a time in seconds, as in wave@4s", dashes,
                            asked);
        if (text.at < last)
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%sdo: times must rise: %g s comes behind %g s", dashes, text.at, last);
        last = text.at;
    }
    return app_walk_check(&request->making, dialect, error);
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

/* ---- what it is asked for ----------------------------------------------------------------------- */

typedef struct asking {
    app_graph_clip *clip;
    marey_controller *controller;
    bool replace;
    int asked; /* requests so far */
    /* Those that began, in that order; unless they are replaced, all before one have begun when it
       is asked for. */
    app_request **begun;
    int begun_count;
    int doing, doing_frame; /* of the frame before */
    marey_steered *frames;
} asking;

static marey_status join_requests(const asking *a, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < a->clip->request_count && status == MAREY_OK; i++) {
        app_request *one = &a->clip->requests[i];
        one->number = -1;
        for (int k = 0; k < i && one->number < 0; k++) {
            const app_request *other = &a->clip->requests[k];
            if (one->from == other->from &&
                (one->from || strcmp(one->text.room, other->text.room) == 0))
                one->number = other->number;
        }
        if (one->number >= 0) continue;
        status = one->from ? marey_controller_join(a->controller, one->joined, &one->number, error)
                           : marey_controller_join_action(a->controller, one->text.room,
                                                          &one->number, error);
    }
    return status;
}

/* Asks for what it is time for. */
static marey_status ask_due(asking *a, double time, marey_error *error)
{
    marey_status status = MAREY_OK;
    while (a->asked < a->clip->request_count && (a->replace || a->asked == a->begun_count) &&
           status == MAREY_OK) {
        const app_request *one = &a->clip->requests[a->asked];
        if (time < one->text.at - 1e-9) break;
        a->asked++;
        status = marey_controller_ask(a->controller, one->number, one->wanted, NULL, error);
    }
    return status;
}

/* Whether anything is still to be done. */
static bool is_busy(const asking *a)
{
    return a->doing >= 0 || (!a->replace && a->begun_count < a->clip->request_count);
}

/* The request that begins: of several for the same the last one, which took the others' place. */
static app_request *beginning(const asking *a, int number)
{
    app_request *one = &a->clip->requests[a->asked - 1];
    while (one->number != number || one->frames > 0) one--;
    return one;
}

static void note(asking *a, const marey_controller_frame *frame, int at, double time)
{
    bool begins =
        frame->doing >= 0 && (a->doing != frame->doing || frame->doing_frame <= a->doing_frame);
    if (begins) {
        app_request *one = beginning(a, frame->doing);
        one->waited_s = fmax(time - one->text.at, 0);
        one->first = at;
        a->begun[a->begun_count++] = one;
    }
    if (frame->doing >= 0) {
        app_request *one = a->begun[a->begun_count - 1];
        one->frames = at + 1 - one->first;
    }
    a->doing = frame->doing;
    a->doing_frame = frame->doing_frame;
}

/* Of what was replaced nothing is said. */
static marey_status keep_begun(const app_env *env, asking *a, marey_error *error)
{
    app_request *kept = APP_NEW(env->scope, app_request, a->begun_count + 1);
    if (!kept) return app_fail_memory(error);
    for (int i = 0; i < a->begun_count; i++) kept[i] = *a->begun[i];
    a->clip->requests = kept;
    a->clip->request_count = a->begun_count;
    return MAREY_OK;
}

/* The labels that pieces are called by first. */
static marey_status name_actions(const app_env *env, app_graph_clip *clip, marey_error *error)
{
    const char **labels = APP_NEW(env->scope, const char *, clip->request_count);
    int count = 0;
    if (!labels) return app_fail_memory(error);
    for (int i = 0; i < clip->request_count; i++)
        if (!clip->requests[i].from) labels[count++] = clip->requests[i].text.room;
    clip->actions = (app_texts){ labels, count };
    return MAREY_OK;
}

static marey_status open_requests(const app_env *env, const app_control_params *request,
                                  double end_s, asking *a, marey_error *error)
{
    const app_texts *texts = &request->requests;
    if (texts->count == 0) return MAREY_OK;
    marey_status status =
        app_requests_open(env, texts, a->clip->saved, true, &a->clip->requests, error);
    if (status != MAREY_OK) return status;
    a->clip->request_count = texts->count;
    double last = a->clip->requests[texts->count - 1].text.at;
    if (last > end_s)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "do: %.100s is behind the end, at %g s: ask for it before, or steer longer",
                        texts->values[texts->count - 1], end_s);
    a->replace = request->replace;
    a->begun = APP_NEW(env->scope, app_request *, texts->count);
    status = a->begun ? name_actions(env, a->clip, error) : app_fail_memory(error);
    return status == MAREY_OK ? join_requests(a, error) : status;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* Steps until `nodes` are there and all is done. */
static marey_status steer_on(const app_env *env, const app_control_params *request, int nodes,
                             asking *a, double *responses, int *answered, marey_error *error)
{
    app_graph_clip *clip = a->clip;
    const double *input = request->script.values;
    double fps = marey_graph_fps(clip->saved->graph);
    marey_status status = MAREY_OK;
    for (int i = 0, row = 0; (i < nodes || is_busy(a)) && status == MAREY_OK; i++) {
        marey_controller_frame frame;
        for (; row + 1 < request->script.count && input[COLUMNS] <= i / fps + 1e-9; row++)
            input += COLUMNS;
        if (i > 0) status = ask_due(a, i / fps, error);
        clip->walk.nodes = app_grow(env->scope, clip->walk.nodes, i, sizeof *clip->walk.nodes);
        clip->places = app_grow(env->scope, clip->places, i, sizeof *clip->places);
        a->frames = app_grow(env->scope, a->frames, i, sizeof *a->frames);
        if (!clip->walk.nodes || !clip->places || !a->frames) return app_fail_memory(error);
        marey_controller_step(a->controller, &(marey_control_input){ input[1], input[2] }, &frame);
        note(a, &frame, i, i / fps);
        clip->walk.nodes[i] = frame.node;
        clip->places[i] = marey_controller_place(a->controller);
        a->frames[i] = (marey_steered){ frame.node, frame.doing_frame };
        clip->walk.count = i + 1;
        if (frame.response_s > 0) responses[(*answered)++] = frame.response_s;
    }
    return status;
}

static marey_status steer(const app_env *env, const app_control_params *request, int nodes,
                          marey_walk_make_def *def, app_controlled *out, marey_error *error)
{
    app_graph_clip *clip = &out->clip;
    double fps = marey_graph_fps(clip->saved->graph);
    int answered = 0;
    asking a = { .clip = clip, .doing = -1 };
    marey_status status = open_controller(env, request, out, &a.controller, error);
    if (status == MAREY_OK) status = open_requests(env, request, (nodes - 1) / fps, &a, error);
    if (status != MAREY_OK) return status;
    double *responses = APP_NEW(env->scope, double, request->script.count);
    if (!responses) return app_fail_memory(error);
    status = steer_on(env, request, nodes, &a, responses, &answered, error);
    if (status != MAREY_OK) return status;
    /* The clip stands where the controller's first frame stands, so that its directions are those
       of the inputs. */
    def->place_given = true;
    def->place = clip->places[0];
    if (clip->walk.count > nodes) def->frames = 0; /* all of it */
    out->score = marey_controller_score(a.controller);
    out->searches = marey_controller_searched(a.controller);
    /* The median; turns that were not answered took longer than any. */
    qsort(responses, (size_t)answered, sizeof *responses, by_size);
    int middle = (out->score.turns - 1) / 2;
    out->response_s = middle < answered && out->score.turns > 0 ? responses[middle] : NAN;
    status = keep_begun(env, &a, error);
    if (status != MAREY_OK) return status;
    return app_requests_played(env, a.frames, clip->walk.count, clip, error);
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
    status = app_graph_clip_make(env, &app_graph_control, &request->given, &request->making, &def,
                                 clip, error);
    /* One count for a character in play and for its clip: the controller's. */
    clip->about.transitions = out->score.transitions;
    return status;
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
                     "where the input does. --from may then be any frame.",
                     "Steering goes on until everything that was asked for is done, beyond "
                     "--length "
                     "if need be." },
    .params = rows,
    .params_size = sizeof(app_control_params),
    .result_size = sizeof(app_controlled),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "steered through graph",
};
