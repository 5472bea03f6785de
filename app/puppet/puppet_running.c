/* puppet_running.c - `puppet run`: a puppet reacts to a path of the main character, and perhaps a
   body of a motion graph goes where it goes. */
#include "operations.h"
#include "puppets.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Steps of the largest puppet that may be opened: some 30 s of work. */
enum { MOST_STEPS = 1 << 14, MOST_KEPT = 10000000 }; /* frames of a body */

static const double farthest_cm = 1e6, most_rad = 1e4, least_balance = 1e-6;

#define AT(member) offsetof(app_puppet_run_params, member)
static const app_param rows[] = {
    { .name = "puppet",
      .type = APP_TEXT,
      .at = AT(puppet),
      .place = 1,
      .needed = true,
      .value = "P.puppet",
      .help = "which one reacts" },
    { .name = "main",
      .type = APP_FILE,
      .at = AT(main),
      .place = 2,
      .needed = true,
      .value = "MAIN.csv",
      .help = "how the main character goes: a table, or rows [t, x, y, direction]" },
    APP_REACTOR_PARAMS(app_puppet_run_params),
    { .name = "graph",
      .type = APP_TEXT,
      .at = AT(graph),
      .note = true,
      .value = "NAME",
      .help = "the motion graph of the library, which has a policy, that a body walks with" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = AT(fps),
      .least = 0.1,
      .most = 10000,
      .value = "N",
      .only_if = "graph",
      .help = "frames a second of the body (default: those of the graph's first clip)" },
    { .name = "leave-feet",
      .type = APP_SWITCH,
      .at = AT(leave_feet),
      .only_if = "graph",
      .help = "do not hold planted feet in place" },
    { .name = "stretch",
      .type = APP_NUMBER,
      .at = AT(stretch),
      .least = 0,
      .most = 0.2,
      .value = "SHARE",
      .only_if = "graph",
      .help = "bones of the legs may get longer by this share near full extension (default: 0.03 "
              "where the file has room for that, else 0)" },
    { 0 },
};
#undef AT

marey_status app_entity_read(const app_numbers *numbers, const char *name, marey_entity *out,
                             marey_error *error)
{
    const double *at = numbers->values;
    if (numbers->count != 3 || fabs(at[0]) > farthest_cm || fabs(at[1]) > farthest_cm ||
        fabs(at[2]) > most_rad)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s must be x,y,direction in centimetres and radians, none farther than 10 "
                        "km",
                        name);
    *out = (marey_entity){ at[0], at[1], at[2] };
    return MAREY_OK;
}

marey_status app_reactor_define(const app_numbers *start, double balance, double weight, bool rough,
                                const char *name, marey_reactor_def *out, marey_error *error)
{
    *out = (marey_reactor_def){ .balance = fmax(balance, least_balance),
                                .weight = weight,
                                .rough = rough,
                                .start_given = start->count > 0 };
    return out->start_given ? app_entity_read(start, name, &out->start, error) : MAREY_OK;
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_puppet_run_params *request = params;
    const char *dashes = dialect == APP_BODY ? "" : "--";
    marey_reactor_def def;
    if (request->weight > 0 && app_given(rows, &request->given, "balance"))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sweight holds what %sbalance would adjust: give one of them", dashes,
                        dashes);
    return app_reactor_define(&request->start, request->balance, request->weight, request->rough,
                              dialect == APP_BODY ? "start" : "--start", &def, error);
}

/* ---- a body ---------------------------------------------------------------------------------- */

/* Bodies are steered at the rate of their graph, whatever that of the table is. */
static marey_status make_body(const app_env *env, const app_puppet_run_params *request,
                              const app_saved_graph *graph, const marey_policy *policy,
                              const marey_body_ground *ground, const marey_body *led,
                              app_puppet_played *out, marey_error *error)
{
    app_made *made = &out->made;
    double rate = marey_graph_fps(graph->graph);
    int count;
    marey_entity *places =
        app_path_places(env->scope, out->samples, out->count, rate, false, &count);
    if (!places) return app_fail_memory(error);
    marey_walk walked = { 0 };
    marey_body_def body = { .ground = ground, .walked = &walked, .led = led };
    marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
    marey_walk_make_def def = { .leave_feet = request->leave_feet,
                                .clean = &clean,
                                .fps = request->fps };
    marey_status status = marey_body_make(env->ctx, graph->graph, policy, places, count, rate,
                                          &body, &def, &made->made, &out->body, error);
    if (status == MAREY_OK) status = app_made_own(env, made, error);
    int taken = marey_walk_pieces(graph->graph, &walked, NULL, 0);
    marey_walk_piece *pieces = APP_NEW(env->scope, marey_walk_piece, taken + 1);
    if (pieces) taken = marey_walk_pieces(graph->graph, &walked, pieces, taken);
    marey_walk_free(&walked);
    if (status == MAREY_OK) status = app_check(!pieces, error);
    if (status == MAREY_OK)
        status = app_walk_sources(env, graph, pieces, taken, &made->from, error);
    made->inputs = APP_NO_SPEEDS;
    for (int i = 0; i < graph->parts->count && status == MAREY_OK; i++)
        status = app_speeds_add(graph->parts->clips[i], NULL, &made->inputs, error);
    if (status != MAREY_OK) return status;
    made->cleaned = !request->leave_feet;
    made->end = marey_clip_frames(made->made.clip);
    made->from.graph = graph->name;
    made->from.puppet = out->puppet->name;
    made->from.main = request->main.name;
    for (int i = 0; i < out->puppet->sources.count; i++)
        app_provenance_lesson(&made->from, env->scope, out->puppet->sources.items[i].name,
                              out->puppet->sources.items[i].licence);
    return app_made_finish(env, &app_puppet_run, &request->given, made, error);
}

/* One that is led along while the puppet reacts, so that this waits where it cannot keep up. */
static marey_status open_body(const app_env *env, const app_puppet_played *played,
                              const marey_graph *graph, const marey_policy *policy,
                              marey_body_ground **ground, marey_reactor_def *def,
                              marey_error *error)
{
    marey_reactor *reactor = NULL;
    marey_status status = marey_body_ground_open(env->ctx, graph, policy, ground, error);
    if (status == MAREY_OK)
        status = marey_reactor_open(env->ctx, played->puppet->puppet, &played->samples[0].main, def,
                                    &reactor, error);
    if (status != MAREY_OK) return status;
    marey_entity start = marey_reactor_start(reactor);
    marey_reactor_free(reactor);
    double seconds = played->samples[played->count - 1].time_s - played->samples[0].time_s;
    marey_body_def body = { .ground = *ground,
                            .keeps = (int)fmin(seconds * marey_graph_fps(graph) + 2, MOST_KEPT) };
    return marey_body_open(env->ctx, graph, policy, &start, &body, &def->body, error);
}

/* ---- reacting -------------------------------------------------------------------------------- */

/* Before any work is done. */
static marey_status check_work(const app_env *env, const app_puppet_played *played,
                               const app_saved_graph *graph, marey_error *error)
{
    double seconds = played->samples[played->count - 1].time_s - played->samples[0].time_s;
    double rate = marey_puppet_settings(played->puppet->puppet)->rate;
    double work = seconds * rate * (double)app_puppet_work(played->puppet->puppet);
    if (env->most_samples && work > (double)env->most_samples * MOST_STEPS)
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "%.0f s of a puppet with %d samples is too much at once; send a shorter "
                        "path, or use marey puppet run",
                        seconds, marey_puppet_samples(played->puppet->puppet));
    if (graph && env->most_frames &&
        seconds * marey_graph_fps(graph->graph) > (double)env->most_frames)
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "a body must go along a path for at most %.0f s, got %.0f s",
                        (double)env->most_frames / marey_graph_fps(graph->graph), seconds);
    return MAREY_OK;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_puppet_run_params *request = params;
    app_puppet_played *out = result;
    app_saved_graph *graph = NULL;
    marey_policy *policy = NULL;
    marey_reactor_def def;
    const char *called = request->main.name ? request->main.name : "";
    marey_status status = app_reactor_define(&request->start, request->balance, request->weight,
                                             request->rough, "start", &def, error);
    out->rows = !env->reads_files;
    if (status == MAREY_OK && env->wants_clip != (request->graph != NULL))
        status = app_fail(error, MAREY_ERR_REQUEST, NULL,
                          "graph and name go together: a body of this graph becomes a clip of this "
                          "name");
    if (status == MAREY_OK) status = app_puppet_open(env, request->puppet, &out->puppet, error);
    if (status == MAREY_OK && request->graph)
        status = app_graph_open(env, request->graph, &graph, error);
    if (status == MAREY_OK && request->graph) status = app_graph_policy(env, graph, &policy, error);
    if (status == MAREY_OK)
        status = app_path_read(env, &request->main, called, true, 0,
                               "the main character goes straight across", &out->notes,
                               &out->samples, &out->count, error);
    if (status == MAREY_OK && def.start_given && fabs(def.start.direction_rad) > 7)
        app_note(env, &out->notes,
                 "--start %g,%g,%g: is its direction in degrees? It should be in radians",
                 def.start.x_cm, def.start.y_cm, def.start.direction_rad);
    if (status == MAREY_OK) status = check_work(env, out, graph, error);
    if (status != MAREY_OK) return status;
    marey_body_ground *ground = NULL;
    if (graph) status = open_body(env, out, graph->graph, policy, &ground, &def, error);
    if (status == MAREY_OK)
        status = marey_puppet_play(env->ctx, out->puppet->puppet, out->samples, out->count, &def,
                                   &out->played, error);
    if (status == MAREY_ERR_LIMIT) snprintf(error->path, sizeof error->path, "%.1000s", called);
    if (status == MAREY_OK && graph)
        status = make_body(env, request, graph, policy, ground, def.body, out, error);
    marey_body_free(def.body);
    marey_body_ground_free(ground);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < out->count; i++) {
        const marey_puppet_sample *s = &out->samples[i];
        out->distance_cm += hypot(s->react.x_cm - s->main.x_cm, s->react.y_cm - s->main.y_cm);
    }
    out->distance_cm /= out->count;
    app_puppet_sources_note(env, &out->puppet->sources, out->puppet->name, &out->notes);
    return app_check(out->notes.failed, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_puppet_run_params *request = params;
    const app_puppet_played *of = result;
    const marey_entity *start = &of->played.start;
    json_put_string(out, "puppet", of->puppet->name);
    json_put_string(out, "main", request->main.name);
    json_put_integer(out, "frames", of->count);
    json_put_number(out, "seconds", of->samples[of->count - 1].time_s - of->samples[0].time_s);
    json_put_integer(out, "steps", of->played.steps);
    json_put_number(out, "balance", of->played.balance);
    json_put_integer(out, "changes", of->played.changes);
    json_put_numbers(out, "start",
                     (const double[]){ start->x_cm, start->y_cm, start->direction_rad }, 3);
    json_put_number(out, "distance_cm", of->distance_cm);
    app_puppet_sources_write(out, &of->puppet->sources);
    if (of->made.made.clip) {
        json_put_string(out, "graph", request->graph);
        json_put_number(out, "away_cm", of->body.away_cm);
        json_put_number(out, "away_median_cm", of->body.away_median_cm);
        json_put_number(out, "away_most_cm", of->body.away_most_cm);
        json_put_number(out, "way_share", of->played.way_share);
        json_put_number(out, "turned_rad", of->body.turned_rad);
        json_put_integer(out, "transitions", of->body.walk.transitions);
        json_put_number(out, "mean_quality", of->body.walk.mean_quality);
        app_made_write_figures(&of->made, out);
    }
    if (of->rows) {
        json_open(out, "rows", '[');
        for (int i = 0; i < of->count; i++) app_path_row_write(out, &of->samples[i]);
        json_close(out, ']');
    }
    app_notes_write(out, &of->notes);
}

static app_made *made_of(void *result)
{
    app_made *made = &((app_puppet_played *)result)->made;
    return made->made.clip ? made : NULL;
}

const app_operation app_puppet_run = {
    .name = "puppet run",
    .summary = "let a puppet react to a path of the main character",
    .description = { "MAIN.csv has the columns time,main_x,main_y,main_dir, in seconds, "
                     "centimetres and radians as for marey puppet train; further columns are "
                     "passed over. OUT.csv has these and react_x,react_y,react_dir: one row "
                     "for each row of MAIN.csv, at the same times.",
                     "P.puppet is what marey puppet train wrote, or LIB.marey:NAME, or with "
                     "-L LIB a name.",
                     "With --body OUT a whole body goes where the puppet goes: a clip out of "
                     "the motion graph that -L LIB --graph NAME names, steered by the policy "
                     "that marey graph train made for it. A body takes steps and cannot do "
                     "all that a point can: the puppet waits where its body cannot keep up, and "
                     "OUT.csv has what it does then. The answer says how much of its way it goes, "
                     "and how far away the body is.",
                     "The same files give the same bytes every time." },
    .params = rows,
    .params_size = sizeof(app_puppet_run_params),
    .result_size = sizeof(app_puppet_played),
    .library = APP_MAY_READ,
    .takes_long = true,
    .check = check,
    .run = run,
    .write = write,
    .pictures = app_puppet_played_pictures,
    .made = made_of,
    .made_as = "body of puppet",
    .clip_option = "body",
};
