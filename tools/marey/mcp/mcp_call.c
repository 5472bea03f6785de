/* mcp_call.c - a tool runs: its arguments become the parameters of an operation by their rows, as the
   body of a request to the studio does, and its answer is the same JSON. What goes wrong with them is
   said as a result, so that the client can do it better. */
#include "mcp_inside.h"

#include "made.h"
#include "param_rows.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of an answer: what is more would fill the memory of who asks. Bytes of a picture. */
enum { MOST_ANSWER = 128 << 10, MOST_PICTURE = 8 << 20, PROGRESS_APART_MS = 250 };

/* A call on its way to its result. */
typedef struct mcp_order {
    mcp *of;
    mcp_library *at;
    app_call call;
    const char *save_as; /* NULL: nowhere */
    bool picture;
    json_t *offset;  /* items that were read already, by the names of lists; NULL: of none */
    buffer answer;   /* JSON, an object */
    buffer warnings; /* lines */
} mcp_order;

/* ---- progress -------------------------------------------------------------------------------- */

/* Progress must rise from word to word, and an operation has several steps that each count from 0:
   each step is one, and its share is the fraction. */
static void report(void *user, const char *text, int64_t done, int64_t total, double seconds_left)
{
    mcp *of = user;
    if (!of->progress_token[0] || of->broken) return;
    double share = total > 0 && done > 0 ? fmin((double)done / (double)total, 1) : 0;
    if (of->phase_text != text || of->phase + share < of->progress) {
        if (of->phase_text) of->phase = floor(of->progress) + 1;
        of->phase_text = text;
    }
    double now = app_seconds(), progress = of->phase + share;
    if (progress <= of->progress || now - of->progress_s < PROGRESS_APART_MS / 1000.0) return;
    of->progress = progress;
    of->progress_s = now;
    char room[2048], words[200];
    buffer line = buffer_fixed(room, sizeof room);
    json to = json_make(&line);
    int used = snprintf(words, sizeof words, "%.100s", text);
    if (total > 0)
        used += snprintf(words + used, sizeof words - (size_t)used, " %.0f %%", 100 * share);
    if (seconds_left >= 0)
        snprintf(words + used, sizeof words - (size_t)used, ", %.0f s left", seconds_left);
    json_open(&to, NULL, '{');
    json_put_string(&to, "jsonrpc", "2.0");
    json_put_string(&to, "method", "notifications/progress");
    json_open(&to, "params", '{');
    json_put_value(&to, "progressToken", of->progress_token);
    json_put_number(&to, "progress", progress);
    if (mcp_versions[of->version].messages) json_put_string(&to, "message", words);
    json_close(&to, '}');
    json_close(&to, '}');
    buffer_byte(&line, '\n');
    const program_sink *sink = &of->run->host->out;
    if (!line.failed && sink->write(sink->user, line.bytes, line.used) != 0) of->broken = true;
}

void mcp_progress(void *user, const char *text, int64_t done, int64_t total)
{
    report(user, text, done, total, -1);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static marey_status find_library(mcp_order *order, json_t *arguments, marey_error *error)
{
    mcp *of = order->of;
    const json_t *named = json_object_get(arguments, "library");
    const char *name = json_string_value(named);
    for (int i = 0; i < of->library_count && name; i++)
        if (strcmp(name, of->libraries[i].name) == 0) order->at = &of->libraries[i];
    if (!named && of->library_count == 1) order->at = of->libraries;
    json_object_del(arguments, "library");
    if (order->at) return MAREY_OK;
    char room[1024];
    buffer list = buffer_fixed(room, sizeof room - 1);
    for (int i = 0; i < of->library_count; i++)
        buffer_print(&list, i ? ", %s" : "%s", of->libraries[i].name);
    room[list.used] = 0;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "library must be one of: %s", room);
}

/* "offset": as an answer's "next_offset" is. */
static marey_status take_offset(mcp_order *order, json_t *arguments, marey_error *error)
{
    const char *key;
    json_t *value, *offset = json_object_get(arguments, "offset");
    if (!offset || mcp_tool_writes(order->call.operation)) return MAREY_OK; /* the rows refuse it */
    if (!json_is_object(offset))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "offset must be an object, such as {\"clips\": 200}");
    json_object_foreach(offset, key, value)
    {
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "offset of %.60s must be a whole number, at least 0", key);
    }
    order->offset = json_incref(offset);
    json_object_del(arguments, "offset");
    return MAREY_OK;
}

/* What the server itself takes of the arguments. */
static marey_status take_own(mcp_order *order, json_t *arguments, marey_error *error)
{
    const app_operation *operation = order->call.operation;
    marey_status status = take_offset(order, arguments, error);
    if (status != MAREY_OK) return status;
    const json_t *save_as = json_object_get(arguments, "save_as");
    const json_t *picture = json_object_get(arguments, "picture");
    if (!operation->made) return MAREY_OK; /* the rows refuse them */
    if (save_as && json_string_length(save_as) == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "save_as must be a clip's name");
    if (picture && !json_is_boolean(picture))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "picture must be true or false");
    order->picture = json_is_true(picture);
    if (save_as) {
        order->save_as = app_copy(&order->call.scope, json_string_value(save_as));
        if (!order->save_as) return app_fail_memory(error);
    }
    json_object_del(arguments, "save_as");
    json_object_del(arguments, "picture");
    return MAREY_OK;
}

/* Does the call change nothing, so that it can be made again for the rest of its answer? */
static bool only_reads(const mcp_order *order)
{
    return !order->save_as && !app_call_writes(&order->call);
}

/* `arguments` are changed. */
static marey_status read_arguments(mcp_order *order, json_t *arguments, marey_error *error)
{
    app_call *call = &order->call;
    const app_operation *operation = call->operation;
    const char *value = NULL, *given = mcp_tool_given(operation, &value);
    marey_status status = find_library(order, arguments, error);
    if (status == MAREY_OK) status = take_own(order, arguments, error);
    for (const app_param *row = operation->params; row->name && status == MAREY_OK; row++) {
        char name[APP_SPELLED_ROOM];
        app_param_spell(row, APP_BODY, name);
        if (mcp_row_hidden(operation, row) && json_object_get(arguments, name))
            status = app_fail(error, MAREY_ERR_REQUEST, NULL, "unknown field %s", name);
    }
    if (status == MAREY_OK && given)
        status = app_check(json_object_set_new(arguments, given, json_string(value)) != 0, error);
    if (status == MAREY_OK)
        status = app_params_json(&call->scope, operation->params, arguments, call->params, error);
    if (status == MAREY_OK) status = app_call_check(call, APP_BODY, error);
    if (status == MAREY_OK && !order->of->writes && (order->save_as || app_call_writes(call)))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "this changes the library, which can only be read: marey mcp must be "
                        "started with --write for it");
    if (status == MAREY_OK && order->offset && !only_reads(order))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "offset is for answers of tools that change nothing, and this call would "
                        "change the library again");
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static void warn(void *user, const char *message)
{
    mcp_order *order = user;
    buffer_text(&order->warnings, message);
    buffer_byte(&order->warnings, '\n');
}

static void warn_of_failure(void *user, const marey_error *error)
{
    char text[1600];
    marey_error_text(error, text, sizeof text);
    warn(user, text);
}

/* Room for what is added to an answer when the library was changed. */
enum { ADDED_ROOM = 6 * MAREY_NAME_ROOM + 128 };

static bool reserve(void *user, size_t bytes)
{
    mcp_order *order = user;
    buffer_reserve(&order->answer, bytes + ADDED_ROOM);
    return !order->answer.failed;
}

static marey_status write_answer(mcp_order *order, marey_error *error)
{
    order->answer.used = 0;
    app_call_write(&order->call, &order->answer);
    return app_check(order->answer.failed, error);
}

/* ---- answers that are too long --------------------------------------------------------------- */

static size_t text_size(const json_t *value)
{
    return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
}

/* Lists lose what was read already. */
static marey_status skip_read(json_t *root, json_t *offset, marey_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(offset, key, value)
    {
        json_t *list = json_object_get(root, key);
        if (!json_is_array(list))
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "offset names %.60s, which is no list of this answer", key);
        size_t count = json_array_size(list), skip = (size_t)json_integer_value(value);
        json_t *rest = json_array();
        bool whole = rest != NULL;
        for (size_t i = skip; i < count && whole; i++)
            whole = json_array_append(rest, json_array_get(list, i)) == 0;
        whole = whole && json_object_set(root, key, rest) == 0;
        json_decref(rest);
        if (!whole) return app_fail_memory(error);
    }
    return MAREY_OK;
}

/* The member that has most bytes of those that are lists of several items; NULL: there is none. */
static const char *longest_list(json_t *root, size_t *bytes)
{
    const char *key, *longest = NULL;
    json_t *value;
    *bytes = 0;
    json_object_foreach(root, key, value)
    {
        size_t size = json_array_size(value) > 1 ? text_size(value) : 0;
        if (size <= *bytes) continue;
        *bytes = size;
        longest = key;
    }
    return longest;
}

/* The longest of its lists loses its end until it fits. "left_out" says how many of what are missing
   there, and "next_offset" what offset goes on: both are put before, so that they fit too. */
static bool shorten(const mcp_order *order, json_t *root)
{
    bool pages = only_reads(order);
    json_t *left_out = json_object(), *next = pages ? json_object() : NULL;
    bool fits = left_out && json_object_set_new(root, "left_out", left_out) == 0;
    if (pages) fits = next && json_object_set_new(root, "next_offset", next) == 0 && fits;
    for (size_t size, most; fits && (size = text_size(root)) > MOST_ANSWER;) {
        const char *longest = longest_list(root, &most);
        if (!longest) return false;
        json_t *list = json_object_get(root, longest);
        size_t count = json_array_size(list), over = size - MOST_ANSWER;
        size_t drop = 1 + (size_t)((double)count * (double)over / (double)most);
        if (drop >= count) drop = count - 1;
        json_int_t before = json_integer_value(json_object_get(left_out, longest));
        json_int_t skipped = json_integer_value(json_object_get(order->offset, longest));
        for (size_t i = 0; i < drop; i++) json_array_remove(list, json_array_size(list) - 1);
        json_int_t shown = (json_int_t)(count - drop);
        fits = json_object_set_new(left_out, longest, json_integer(before + (json_int_t)drop)) == 0;
        if (pages && json_object_set_new(next, longest, json_integer(skipped + shown)) != 0)
            fits = false;
    }
    return fits;
}

/* The same in words, for clients that show only these. */
static void warn_of_rest(mcp_order *order, const json_t *root)
{
    const char *key;
    json_t *value, *left_out = json_object_get(root, "left_out");
    char next[1024];
    size_t used = json_dumpb(json_object_get(root, "next_offset"), next, sizeof next, 0);
    json_object_foreach(left_out, key, value)
    {
        buffer_print(&order->warnings, "%" JSON_INTEGER_FORMAT " of %.60s are left out; ",
                     json_integer_value(value), key);
    }
    if (used > 0 && used <= sizeof next)
        buffer_print(&order->warnings, "the same call with offset %.*s goes on\n", (int)used, next);
    else
        buffer_text(&order->warnings, "ask for less\n");
}

/* LIMIT: it does not get short enough. */
static marey_status fit_answer(mcp_order *order, marey_error *error)
{
    buffer *answer = &order->answer;
    if (answer->used <= MOST_ANSWER && !order->offset) return MAREY_OK;
    json_t *root = json_loadb(answer->bytes, answer->used, 0, NULL);
    marey_status status = root ? skip_read(root, order->offset, error) : app_fail_memory(error);
    bool long_one = status == MAREY_OK && text_size(root) > MOST_ANSWER;
    if (long_one && !shorten(order, root))
        status = app_fail(error, MAREY_ERR_LIMIT, NULL,
                          "the answer has more than %d KiB: ask for less, such as fewer clips or "
                          "matches",
                          MOST_ANSWER >> 10);
    if (status == MAREY_OK) {
        size_t size = text_size(root);
        if (long_one && only_reads(order)) warn_of_rest(order, root);
        answer->used = 0;
        buffer_reserve(answer, size);
        if (!answer->failed) answer->used = json_dumpb(root, answer->bytes, size, JSON_COMPACT);
        status = app_check(answer->failed, error);
    }
    json_decref(root);
    return status;
}

/* ---- one call -------------------------------------------------------------------------------- */

/* Members more, which there is room for. */
static void add_change(mcp_order *order, const char *saved_as, int64_t step)
{
    buffer *answer = &order->answer;
    json out = { .out = answer, .comma = answer->bytes[answer->used - 2] != '{' };
    answer->used--; /* the brace */
    if (saved_as) json_put_string(&out, "saved_as", saved_as);
    if (step) json_put_integer(&out, "step", step);
    json_close(&out, '}');
}

static marey_status draw(mcp_order *order, const app_made *made, marey_error *error)
{
    static const marey_contact none = { 0 };
    bool known = !made->in_place && !made->no_plants && made->made.contacts.count > 0;
    marey_strip_def def = { .contacts = known             ? made->made.contacts.items
                                        : made->no_plants ? NULL /* they are found */
                                                          : &none,
                            .contact_count = known ? made->made.contacts.count : 0,
                            .title = order->save_as ? order->save_as : made->description };
    return marey_strip_save(made->made.clip, &def, MCP_PICTURE_NAME, error);
}

static marey_status lend_other(void *user, app_scope *scope, const char *name, marey_library **out,
                               marey_error *error)
{
    const mcp *of = user;
    (void)scope;
    for (int i = 0; i < of->library_count; i++) {
        if (strcmp(name, of->libraries[i].name) != 0) continue;
        *out = of->libraries[i].library;
        return MAREY_OK;
    }
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "no library is called %.200s", name);
}

/* The answer is there before the library changes: after that only sending it can fail. */
static marey_status run(mcp_order *order, marey_error *error)
{
    mcp *of = order->of;
    app_call *call = &order->call;
    const app_operation *operation = call->operation;
    marey_library *library = order->at->library;
    int64_t before = marey_library_step(library);
    char got[MAREY_NAME_ROOM];
    bool wants_clip =
        operation->made && (!operation->clip_option || order->save_as || order->picture);
    app_env env = { .ctx = of->ctx,
                    .library = library,
                    .library_name = order->at->name,
                    .other = lend_other,
                    .other_user = of,
                    .cache = &order->at->cache,
                    .wants_clip = wants_clip,
                    .saves_clip = order->save_as != NULL,
                    .warn = warn,
                    .failed = warn_of_failure,
                    .warn_user = order,
                    .progress = report,
                    .progress_user = of,
                    .reserve = reserve,
                    .reserve_user = order };
    call->library_path = order->at->path;
    marey_status status = app_call_run(call, env, error);
    if (status == MAREY_OK) status = write_answer(order, error);
    const app_made *made = status == MAREY_OK && wants_clip ? operation->made(call->result) : NULL;
    if (made && !made->made.clip) made = NULL;
    if (status == MAREY_OK && !made && (order->save_as || order->picture))
        status =
            app_fail(error, MAREY_ERR_REQUEST, NULL, "this makes no clip to be saved or shown");
    if (status == MAREY_OK && order->picture) status = draw(order, made, error);
    if (status == MAREY_OK) status = fit_answer(order, error);
    if (status == MAREY_OK && !reserve(order, 0)) status = app_fail_memory(error);
    if (status == MAREY_OK && order->save_as)
        status = app_made_put(made, library, order->save_as, got, NULL, error);
    if (status == MAREY_OK) status = app_call_commit(call, env, error);
    if (status == MAREY_OK && operation->names_follow) {
        status = write_answer(order, error);
        if (status == MAREY_OK) status = fit_answer(order, error);
    }
    if (status != MAREY_OK) return status;
    int64_t step = marey_library_step(library);
    add_change(order, order->save_as ? got : NULL, step != before ? step : 0);
    return MAREY_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_text(json *out, const char *text)
{
    json_open(out, NULL, '{');
    json_put_string(out, "type", "text");
    json_put_string(out, "text", text);
    json_close(out, '}');
}

static void put_picture(mcp_order *order, json *out)
{
    const buffer *picture = &order->of->picture.bytes;
    json_open(out, NULL, '{');
    json_put_string(out, "type", "image");
    json_put_string(out, "mimeType", "image/png");
    buffer_text(out->out, ",\"data\":\"");
    buffer_base64(out->out, picture->bytes, picture->used);
    buffer_byte(out->out, '"');
    json_close(out, '}');
}

static void put_result(mcp_order *order, const marey_error *failure, json *out)
{
    mcp *of = order->of;
    json_open(out, "result", '{');
    json_open(out, "content", '[');
    if (failure) {
        char text[1600];
        marey_error_text(failure, text, sizeof text);
        put_text(out, text);
    } else {
        put_text(out, order->answer.bytes);
        if (order->warnings.used > 0) {
            order->warnings.bytes[order->warnings.used - 1] = 0; /* the last line's end */
            put_text(out, order->warnings.bytes);
        }
        if (of->picture.whole) put_picture(order, out);
    }
    json_close(out, ']');
    if (!failure && mcp_versions[of->version].structured)
        json_put_value(out, "structuredContent", order->answer.bytes);
    json_put_boolean(out, "isError", failure != NULL);
    json_close(out, '}');
}

/* Everything up to the result. */
static marey_status make(mcp_order *order, json_t *arguments, marey_error *error)
{
    mcp *of = order->of;
    marey_status status = read_arguments(order, arguments, error);
    if (status == MAREY_OK) status = run(order, error);
    if (status == MAREY_OK && of->picture.whole && of->picture.bytes.used > MOST_PICTURE)
        status = app_fail(error, MAREY_ERR_LIMIT, NULL,
                          "the picture has more than %d MiB: show fewer clips", MOST_PICTURE >> 20);
    buffer_byte(&order->answer, 0);
    if (status != MAREY_OK) return status;
    return app_check(order->answer.failed || order->warnings.failed, error);
}

marey_status mcp_call(mcp *of, const json_t *params, json *out, marey_error *error)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *given = json_object_get(params, "arguments");
    const json_t *token = json_object_get(json_object_get(params, "_meta"), "progressToken");
    const app_operation *operation = name ? mcp_tool_find(name) : NULL;
    if (!operation || !mcp_tool_offered(of, operation))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "there is no tool %.60s", name ? name : "");
    if (given && !json_is_object(given))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "arguments must be an object");
    json_t *arguments = given ? json_deep_copy(given) : json_object();
    if (!arguments) return app_fail_memory(error);
    mcp_order order = { .of = of,
                        .answer = buffer_make(&of->def),
                        .warnings = buffer_make(&of->def) };
    if (!mcp_id_text(token, of->progress_token)) of->progress_token[0] = 0;
    of->progress = 0;
    of->phase = 0;
    of->phase_text = NULL;
    of->progress_s = -1; /* the first word goes out at once */
    marey_status status = app_call_open(&order.call, operation, &of->def, error);
    marey_ctx_limit_time(of->ctx, of->run->most_seconds);
    if (status == MAREY_OK) status = make(&order, arguments, error);
    if (status != MAREY_OK) {
        app_time_out(of->ctx, error);
        status = error->status;
    }
    marey_ctx_limit_time(of->ctx, 0);
    json_decref(arguments);
    of->progress_token[0] = 0;
    if (status == MAREY_OK || (status != MAREY_ERR_CANCELLED && status != MAREY_ERR_MEMORY)) {
        put_result(&order, status == MAREY_OK ? NULL : error, out);
        status = MAREY_OK;
    }
    json_decref(order.offset);
    app_call_close(&order.call);
    if (order.at) app_cache_trim(&order.at->cache);
    buffer_free(&order.answer);
    buffer_free(&order.warnings);
    mcp_picture_free(&of->picture);
    return status;
}
