/* history_steps.c - `history`, `undo`, `redo`: what was changed in a library, and the way back. */
#include "history_steps.h"

#include "operations.h"

#include <limits.h>
#include <stddef.h>

/* ---- history --------------------------------------------------------------------------------- */

static marey_status run_history(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    app_history_result *done = result;
    marey_history *history = NULL;
    (void)params;
    marey_status status = marey_library_history(env->library, &history, error);
    if (status != MAREY_OK) return status;
    done->steps = marey_history_steps(history, &done->count);
    return app_own_history(env, history, error);
}

static void write_history(const void *params, const void *result, json *out)
{
    const app_history_result *done = result;
    (void)params;
    json_open(out, "steps", '[');
    for (int i = 0; i < done->count; i++) {
        const marey_history_step *step = &done->steps[i];
        json_open(out, NULL, '{');
        json_put_integer(out, "step", step->id);
        json_put_integer(out, "time", step->time_s);
        json_put_string(out, "title", step->title);
        json_put_boolean(out, "undone", step->undone);
        json_put_integer(out, "rows", step->rows);
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_history = {
    .name = "history",
    .summary = "list what was changed in a library and can be undone",
    .description = { "The latest step comes first; those that are undone can be redone until the "
                     "next change. time is in seconds since 1970 (UTC).",
                     "The last 200 steps are kept, and of these as many as fit into 64 MiB with "
                     "the saved things that they alone still hold. marey rm --purge clears "
                     "the history." },
    .params = app_no_params,
    .params_size = sizeof(app_params),
    .result_size = sizeof(app_history_result),
    .library = APP_READS,
    .run = run_history,
    .write = write_history,
};

/* ---- undo, redo ------------------------------------------------------------------------------ */

/* A title as JSON, whatever is in it, and the numbers around it. */
enum { MOVE_ROOM = 6 * MAREY_TITLE_ROOM + 256 };

static const app_param undo_params[] = {
    { .name = "step",
      .type = APP_WHOLE,
      .at = offsetof(app_undo_params, step),
      .place = 1,
      .least = 1,
      .most = INT_MAX,
      .value = "STEP",
      .help = "undo this step alone, by its number; default: the last one" },
    { .name = "to",
      .type = APP_WHOLE,
      .at = offsetof(app_undo_params, to),
      .least = 0,
      .most = INT_MAX,
      .value = "STEP",
      .help = "undo everything behind this step; 0: everything" },
    { 0 },
};

static const app_param redo_params[] = {
    { .name = "to",
      .type = APP_WHOLE,
      .at = offsetof(app_undo_params, to),
      .least = 1,
      .most = INT_MAX,
      .value = "STEP",
      .help = "redo everything up to this step; default: one step" },
    { 0 },
};

static marey_status check_undo(const void *params, app_dialect dialect, marey_error *error)
{
    const app_undo_params *request = params;
    if (!app_given(undo_params, &request->given, "step") ||
        !app_given(undo_params, &request->given, "to"))
        return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "a step and %s exclude each other",
                    dialect == APP_COMMAND_LINE ? "--to" : "to");
}

static marey_status run_undo(const app_env *env, const void *params, void *result,
                             marey_error *error)
{
    const app_undo_params *request = params;
    marey_status status = app_reserve(env, MOVE_ROOM, error);
    if (status != MAREY_OK) return status;
    if (app_given(undo_params, &request->given, "to"))
        return marey_library_go_to(env->library, request->to, result, error);
    return marey_library_undo(env->library, request->step, result, error);
}

static marey_status run_redo(const app_env *env, const void *params, void *result,
                             marey_error *error)
{
    const app_undo_params *request = params;
    marey_status status = app_reserve(env, MOVE_ROOM, error);
    if (status != MAREY_OK) return status;
    if (app_given(redo_params, &request->given, "to"))
        return marey_library_go_to(env->library, request->to, result, error);
    return marey_library_redo(env->library, result, error);
}

static void write_move(const marey_history_move *done, const char *key, json *out)
{
    json_put_integer(out, "count", done->count);
    if (done->count == 0) return;
    json_put_integer(out, key, done->step);
    json_put_string(out, "title", done->title);
}

static void write_undone(const void *params, const void *result, json *out)
{
    (void)params;
    write_move(result, "undone", out);
}

static void write_redone(const void *params, const void *result, json *out)
{
    (void)params;
    write_move(result, "redone", out);
}

const app_operation app_undo = {
    .name = "undo",
    .summary = "take back what was changed in a library",
    .description = { "Undoes the last step of marey history: clips that were added, cut, renamed, "
                     "labelled, described, repaired, removed or restored, contacts, and saved "
                     "things. marey redo makes it again, until the next change.",
                     "A step further back is undone alone, by a new step, unless later ones "
                     "changed the same; then the error says which to undo first. --to goes back "
                     "to a step, or forward again to one that is undone.",
                     "Pictures and search data are brought up to date; pairs of clips that "
                     "marey index --web compared are compared again by the next one." },
    .params = undo_params,
    .params_size = sizeof(app_undo_params),
    .result_size = sizeof(marey_history_move),
    .library = APP_WRITES,
    .check = check_undo,
    .run = run_undo,
    .write = write_undone,
};

const app_operation app_redo = {
    .name = "redo",
    .summary = "make again what was undone",
    .description = { "A new change of the library ends that: what is undone then is forgotten." },
    .params = redo_params,
    .params_size = sizeof(app_undo_params),
    .result_size = sizeof(marey_history_move),
    .library = APP_WRITES,
    .run = run_redo,
    .write = write_redone,
};
