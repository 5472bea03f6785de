/* bridge_operations.c - every operation by its name: a JSON object becomes its parameters by their rows, and
   its answer is one, as in the studio and on a command line with --json. */
#include "bridge_inside.h"

#include "json.h"
#include "made.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rows -------------------------------------------------------------------------------- */

static const char *library_word(app_library_use use)
{
    static const char *const words[] = { "none",   "may-read", "or-files", "reads",
                                         "writes", "creates",  "file" };
    return words[use];
}

static bool takes_own_metric(const app_operation *operation)
{
    for (const app_param *row = operation->params; row->name; row++)
        if (row->lent && strcmp(row->name, "own-metric") == 0) return true;
    return false;
}

static void describe(const app_operation *operation, json *out)
{
    int paragraphs = 0;
    int room = (int)(sizeof operation->description / sizeof *operation->description);
    while (paragraphs < room && operation->description[paragraphs]) paragraphs++;
    json_open(out, NULL, '{');
    json_put_string(out, "name", operation->name);
    json_put_string(out, "summary", operation->summary);
    json_put_texts(out, "description", operation->description, paragraphs);
    json_put_string(out, "library", library_word(operation->library));
    json_put_boolean(out, "makes_clip", operation->made != NULL);
    json_put_boolean(out, "clip_is_asked_for", operation->clip_option != NULL);
    json_put_boolean(out, "has_arrays", operation->array != NULL);
    json_put_boolean(out, "takes_long", operation->takes_long);
    json_put_boolean(out, "takes_own_metric", takes_own_metric(operation));
    json_open(out, "pictures", '[');
    for (const app_drawing *row = operation->pictures; row && row->name; row++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", row->name);
        json_put_string(out, "summary", row->summary);
        json_close(out, '}');
    }
    json_close(out, ']');
    app_params_describe(out, "params", operation->params);
    json_close(out, '}');
}

char *bridge_operations(void)
{
    static const marey_ctx_def memory = { .resize = bridge_resize };
    const app_operation *operation;
    buffer text = buffer_make(&memory);
    json out = json_make(&text);
    json_open(&out, NULL, '[');
    for (int i = 0; (operation = app_operation_at(i)); i++) describe(operation, &out);
    json_close(&out, ']');
    buffer_byte(&text, 0);
    if (!text.failed) return text.bytes;
    buffer_free(&text);
    return NULL;
}

void bridge_free(char *text)
{
    free(text);
}

/* ---- running --------------------------------------------------------------------------------- */

struct bridge_call {
    bridge *to;
    app_call call;
    buffer answer, said;
    app_own_metrics metrics; /* as long as results are used */
};

static void say(void *user, const char *message)
{
    bridge_call *of = user;
    buffer_text(&of->said, message);
    buffer_byte(&of->said, '\n');
}

static void say_failed(void *user, const marey_error *error)
{
    char text[1600];
    marey_error_text(error, text, sizeof text);
    say(user, text);
}

static marey_status read_params(app_call *call, const bridge_order *order, marey_error *error)
{
    json_error_t wrong;
    json_t *body = json_loadb(order->body, order->body_bytes, 0, &wrong);
    if (!body)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s: %s", order->operation, wrong.text);
    marey_status status =
        app_params_json(&call->scope, call->operation->params, body, call->params, error);
    json_decref(body);
    return status == MAREY_OK ? app_call_check(call, APP_BODY, error) : status;
}

static marey_status write_answer(bridge_call *of, marey_error *error)
{
    of->answer.used = 0;
    app_call_write(&of->call, &of->answer);
    buffer_byte(&of->answer, 0); /* an end for who reads it as text */
    return app_check(of->answer.failed, error);
}

/* Room for the name and the number that a saved clip gets. */
enum { SAVED_ROOM = 6 * MAREY_NAME_ROOM + 64 };

/* The answer is there before the change, with room for what it will say of it. */
static marey_status save_clip(bridge_call *of, const bridge_order *order, marey_error *error)
{
    const app_made *made = of->call.operation->made(of->call.result);
    char got[MAREY_NAME_ROOM];
    if (!made->made.clip)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "this makes no clip to be saved");
    buffer_reserve(&of->answer, SAVED_ROOM);
    marey_status status = app_check(of->answer.failed, error);
    if (status == MAREY_OK)
        status = app_made_put(made, order->library, order->save_as, got, NULL, error);
    if (status != MAREY_OK) return status;
    bool empty = of->answer.bytes[of->answer.used - 3] == '{';
    of->answer.used -= 2; /* the brace and the end */
    json out = { .out = &of->answer, .comma = !empty };
    json_put_string(&out, "saved_as", got);
    json_close(&out, '}');
    buffer_byte(&of->answer, 0);
    return MAREY_OK;
}

static marey_status run(bridge *to, const bridge_order *order, bridge_call *of, marey_error *error)
{
    app_call *call = &of->call;
    of->metrics = (app_own_metrics){ order->metric, order->metric ? 1 : 0 };
    app_env env = { .ctx = to->ctx,
                    .library = order->library,
                    .lent = (const app_lent *)order->lent,
                    .lent_count = order->lent_count,
                    .own_metrics = &of->metrics,
                    .wants_clip = order->wants_clip || order->save_as,
                    .saves_clip = order->save_as != NULL,
                    .warn = say,
                    .failed = say_failed,
                    .warn_user = of,
                    .progress = bridge_progress,
                    .progress_user = to,
                    .reads_files = true };
    call->library_path = order->library_path;
    marey_status status = read_params(call, order, error);
    if (status == MAREY_OK) status = app_call_run(call, env, error);
    if (status == MAREY_OK) status = write_answer(of, error);
    if (status == MAREY_OK && order->save_as) status = save_clip(of, order, error);
    if (status == MAREY_OK) status = app_call_commit(call, env, error);
    if (status == MAREY_OK && call->operation->names_follow) status = write_answer(of, error);
    if (status == MAREY_OK) buffer_byte(&of->said, 0);
    return status == MAREY_OK ? app_check(of->said.failed, error) : status;
}

_Static_assert(sizeof(bridge_lent) == sizeof(app_lent) &&
                   offsetof(bridge_lent, first) == offsetof(app_lent, first),
               "a lent clip is the same on both sides");

marey_status bridge_run(bridge *to, const bridge_order *order, bridge_call **out,
                        marey_error *error)
{
    const app_operation *operation = app_operation_find(order->operation);
    if (!operation)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "there is no operation %s",
                        order->operation);
    bridge_call *of = bridge_resize(NULL, NULL, 0, sizeof *of);
    if (!of) return app_fail_memory(error);
    *of = (bridge_call){ .to = to, .answer = buffer_make(&to->def), .said = buffer_make(&to->def) };
    bridge_keep(to);
    bridge_listen(to);
    marey_param_lend(to->ctx, order->features, order->feature_count);
    marey_status status = app_call_open(&of->call, operation, &to->def, error);
    if (status == MAREY_OK) status = run(to, order, of, error);
    marey_param_lend(to->ctx, NULL, 0);
    bridge_unlisten(to);
    if (status == MAREY_OK)
        *out = of;
    else
        bridge_call_close(of);
    return status;
}

void bridge_call_close(bridge_call *call)
{
    if (!call) return;
    app_call_close(&call->call);
    buffer_free(&call->answer);
    buffer_free(&call->said);
    bridge_close(call->to);
    free(call);
}

/* ---- what came of it ------------------------------------------------------------------------- */

const char *bridge_answer(const bridge_call *call, size_t *bytes)
{
    *bytes = call->answer.used - 1;
    return call->answer.bytes;
}

const char *bridge_said(const bridge_call *call)
{
    return call->said.bytes;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

bool bridge_made(bridge_call *call, marey_clip **clip, bridge_facts *facts)
{
    const app_operation *operation = call->call.operation;
    app_made *made = operation->made ? operation->made(call->call.result) : NULL;
    if (!made || !made->made.clip) return false;
    /* The scope frees its own, or it is one that was lent. */
    int frames = marey_clip_frames(made->made.clip);
    *clip = NULL;
    if (marey_clip_trim(made->made.clip, 0, frames, clip, NULL) != MAREY_OK) *clip = NULL;
    *facts = (bridge_facts){ .contacts = made->made.contacts.items,
                             .contact_count = made->made.contacts.count,
                             .description = text_or_none(made->description),
                             .licence = text_or_none(made->licences),
                             .provenance = text_or_none(made->provenance),
                             .origin = text_or_none(made->origin),
                             .labels = made->labels,
                             .label_count = made->label_count };
    if (made->in_place || made->no_plants) facts->contact_count = -1;
    return true;
}

bool bridge_array_at(const bridge_call *call, int index, bridge_array *out)
{
    app_array array;
    const app_operation *operation = call->call.operation;
    if (!operation->array || !operation->array(call->call.result, index, &array)) return false;
    *out = (bridge_array){ array.name, array.values, array.rows, array.columns, array.stride };
    return true;
}

marey_status bridge_draw(const bridge_call *call, marey_library *library, const char *kind,
                         const char *path, marey_error *error)
{
    bridge *to = call->to;
    app_env env = {
        .ctx = to->ctx, .library = library, .progress = bridge_progress, .progress_user = to
    };
    return app_call_draw(&call->call, env, kind, NULL, path, error);
}
