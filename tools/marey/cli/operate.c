/* operate.c - a command line becomes the parameters of an operation by their rows; its result goes
   out as JSON, or as the command shows it to people. */
#include "operate.h"

#include "file_text.h"
#include "folder.h"
#include "library_file.h"
#include "made.h"
#include "shards.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DOCUMENT_MIB = 256 };

static const app_param *row_of_place(const app_param *rows, int place)
{
    for (const app_param *row = rows; row->name; row++)
        if (row->place == place) return row;
    return NULL;
}

static bool is_given(const request *options, const char *name)
{
    for (int i = 0; name && i < options->given_count; i++)
        if (strcmp(options->given[i].row->name, name) == 0) return true;
    return false;
}

static const app_param *row_named(const app_param *rows, const char *name)
{
    while (strcmp(rows->name, name) != 0) rows++;
    return rows;
}

/* Is this operand, behind the library, one more? The last one is the first parameter, if that must
   be given. */
static bool is_further_library(const app_operation *operation, const request *options, int at)
{
    const app_param *query = row_of_place(operation->params, 1);
    int most = options->operand_count - (query && query->needed);
    return operation->libraries_option && at < most &&
           path_ends_in(options->operands[at], ".marey");
}

/* Does the library stand before the operands? Otherwise it is that of -L, if any. */
static bool takes_library(const app_operation *operation, const request *options)
{
    if (operation->library == APP_OR_FILES)
        return options->operand_count > 0 && path_ends_in(options->operands[0], ".marey");
    return operation->library != APP_NO_LIBRARY && operation->library != APP_MAY_READ;
}

/* What is wrong with a value is wrong with the command line. Files are read when all of it is
   right. */
static int read_value(session *run, app_call *call, const app_param *row, const char *text)
{
    marey_error error;
    const char *content = app_param_is_file(row, text) ? NULL : text;
    marey_status status = app_params_text(&call->scope, call->operation->params, row, content, text,
                                          call->params, &error);
    if (status == MAREY_OK) return PROGRAM_DONE;
    return status == MAREY_ERR_MEMORY ? session_fail(run, &error)
                                      : session_usage(run, "%s", error.message);
}

static int read_params(session *run, const request *options, app_call *call)
{
    const app_param *rows = call->operation->params;
    int first = takes_library(call->operation, options), status = PROGRAM_DONE;
    char room[256] = "";
    buffer usage = buffer_fixed(room, sizeof room - 1);
    marey_error error;
    command_usage(run->command, &usage);
    room[usage.used] = 0;
    if (options->operand_count < first)
        return session_usage(run, "missing argument: marey %s %s", run->command->verb, room);
    while (status == PROGRAM_DONE && is_further_library(call->operation, options, first))
        status = read_value(run, call, row_named(rows, call->operation->libraries_option),
                            options->operands[first++]);
    for (int i = first; i < options->operand_count && status == PROGRAM_DONE; i++) {
        const app_param *row = row_of_place(rows, i - first + 1);
        if (!row) row = row_of_place(rows, APP_REST);
        if (!row) {
            return session_usage(run, "too many arguments, from \"%s\" on: marey %s %s",
                                 options->operands[i], run->command->verb, room);
        }
        status = read_value(run, call, row, options->operands[i]);
    }
    for (int i = 0; i < options->given_count && status == PROGRAM_DONE; i++)
        status = read_value(run, call, options->given[i].row, options->given[i].value);
    if (status != PROGRAM_DONE) return status;
    for (const app_param *row = rows; row->name; row++) {
        if (row->place == APP_OPTION || !row->needed || app_given(rows, call->params, row->name))
            continue;
        return session_usage(run, "missing argument: marey %s %s", run->command->verb, room);
    }
    if (app_call_check(call, APP_COMMAND_LINE, &error) != MAREY_OK)
        return session_usage(run, "%s", error.message);
    if (app_call_writes(call) && call->operation->library != APP_OR_FILES && !first &&
        !options->values[OPTION_LIBRARY])
        return session_usage(run, "this changes a clip of a library: -L FILE");
    return run->command->check ? run->command->check(run, options, call->params) : PROGRAM_DONE;
}

static marey_status read_documents(session *run, const request *options, app_call *call,
                                   marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < options->given_count && status == MAREY_OK; i++) {
        const given_value *given = &options->given[i];
        buffer file = buffer_make(&run->host->def);
        const app_table_def *table = given->row->table;
        if (!app_param_is_file(given->row, given->value)) continue;
        status = app_file_text(&run->host->def, given->value, DOCUMENT_MIB,
                               table ? table->what : given->row->help, &file, error);
        if (status == MAREY_OK && strlen(file.bytes) + 1 != file.used)
            status = app_fail(error, MAREY_ERR_INPUT, given->value, "a zero byte");
        if (status == MAREY_OK) {
            status = app_params_text(&call->scope, call->operation->params, given->row, file.bytes,
                                     given->value, call->params, error);
        }
        buffer_free(&file);
    }
    return status;
}

/* Opens the library, as the operation uses it. */
static marey_status open_library(session *run, const request *options, app_call *call,
                                 library_file *at, marey_error *error)
{
    const app_operation *operation = call->operation;
    const char *path =
        takes_library(operation, options) ? options->operands[0] : options->values[OPTION_LIBRARY];
    bool creates = operation->library == APP_CREATES &&
                   (!operation->creates || operation->creates(call->params));
    marey_library_mode mode = creates                 ? MAREY_LIBRARY_CREATE
                              : app_call_writes(call) ? MAREY_LIBRARY_WRITE
                              : app_call_keeps(call)  ? MAREY_LIBRARY_KEEP
                                                      : MAREY_LIBRARY_READ;
    call->library_path = path;
    if (!path || operation->library == APP_LIBRARY_FILE) return MAREY_OK;
    return library_file_open(run, path, mode, at, error);
}

static void warn(void *user, const char *message)
{
    session *run = user;
    if (!run->quiet) session_say(run, "%s", message);
}

enum { STEP_ROOM = 40 }; /* ,"step":123} */

static bool reserve_answer(void *user, size_t bytes)
{
    session *run = user;
    buffer_reserve(&run->out, bytes + STEP_ROOM);
    return !run->out.failed;
}

/* From now on what the context says is not shown. */
static void show_progress(void *user, const char *text, int64_t done, int64_t total,
                          double seconds_left)
{
    session *run = user;
    run->own_progress = true;
    session_progress(run, text, done, total, seconds_left);
}

/* "shard 3 of 8: 41 of 328 tiles, 12.6 % of the work, 1.2 MB in p3" */
static void show_shard(const app_shard_result *of, buffer *out)
{
    const marey_shard_info *info = &of->info;
    buffer_print(out, "shard %d of %d%s: %lld of %lld tiles, %.1f %% of the work, %.1f MB in ",
                 info->number, info->count, of->there_already ? " is there already" : "",
                 (long long)info->tiles, (long long)info->all_tiles, 100 * info->share,
                 (double)info->bytes / 1e6);
    buffer_shown(out, info->path);
    buffer_byte(out, '\n');
}

/* The answer without its end, which may have to wait for a change. `more` is what the command adds
   to it: members of the object, or lines. */
static void begin_answer(session *run, const request *options, const app_call *call,
                         const buffer *more)
{
    run->out.used = 0;
    if (run->json) {
        json out = json_make(&run->out);
        json_open(&out, NULL, '{');
        if (call->shard)
            app_shard_write(call->shard, &out);
        else
            call->operation->write(call->params, call->result, &out);
        for (const option_row *row = run->command->options; row && row->name; row++)
            if (row->key == OPTION_SHEET && run->command->draw)
                json_put_string(&out, row->name, options->values[OPTION_SHEET]);
        if (more->used > 0) buffer_byte(&run->out, ',');
    } else if (call->shard) {
        show_shard(call->shard, &run->out);
    } else if (run->command->show && !(run->quiet && options->values[OPTION_OUTPUT])) {
        run->command->show(run, call->params, call->result, &run->out);
    }
    buffer_bytes(&run->out, more->bytes, more->used);
    if (more->failed) run->out.failed = true;
}

/* `path`: where a generated clip was saved; NULL: nowhere. */
static void end_answer(session *run, const app_call *call, const char *path)
{
    json out = { .out = &run->out, .comma = true };
    if (run->json) {
        if (path && run->command->write_wrote)
            run->command->write_wrote(call->result, path, &out);
        else if (path)
            json_put_string(&out, "path", path);
        json_close(&out, '}');
        buffer_byte(&run->out, '\n');
    } else if (path && !run->quiet) {
        const marey_clip *clip = call->operation->made(call->result)->made.clip;
        int frames = marey_clip_frames(clip);
        buffer_text(&run->out, "wrote ");
        buffer_shown(&run->out, path);
        const marey_format *format = marey_format_of(path);
        if (format && format->beside) buffer_print(&run->out, " with its %s", format->beside);
        buffer_print(&run->out, ": %d frame%s at %.6g a second", frames, frames == 1 ? "" : "s",
                     marey_clip_fps(clip));
        if (run->command->wrote) run->command->wrote(call->result, &run->out);
        buffer_byte(&run->out, '\n');
    }
}

/* Behind the change: which step of the history it is, in an answer that is written. */
static void add_step(session *run, const marey_library *library)
{
    int64_t step = library ? marey_library_step(library) : 0;
    if (!run->json || step == 0) return;
    run->out.used -= 2; /* the brace and the end of the line */
    json out = { .out = &run->out, .comma = run->out.bytes[run->out.used - 1] != '{' };
    json_put_integer(&out, "step", step);
    json_close(&out, '}');
    buffer_byte(&run->out, '\n');
}

/* ---- generated clips ------------------------------------------------------------------------- */

/* With its provenance in it, and beside it if that was options for. */
static marey_status save_file(session *run, const request *options, const app_made *made,
                              const char *path, marey_error *error)
{
    marey_status status = marey_clip_save_with(made->made.clip, path, made->origin, error);
    if (status != MAREY_OK || !request_has(options, OPTION_PROVENANCE)) return status;
    buffer text = buffer_make(&run->host->def);
    buffer_text(&text, made->origin);
    buffer_byte(&text, '\n');
    status = app_check(text.failed, error);
    if (status == MAREY_OK) status = provenance_save(run, path, text.bytes, text.used, error);
    buffer_free(&text);
    return status;
}

typedef struct outlet {
    session *run;
    const request *options;
} outlet;

/* Those that come one after the other go into the folder that -o names. */
static marey_status take_clip(void *user, const char *stem, const app_made *made, char *file,
                              size_t room, marey_error *error)
{
    const outlet *to = user;
    const char *folder = to->options->values[OPTION_OUTPUT];
    const char *format = to->options->values[OPTION_FORMAT];
    const char *ending = format_ending(format ? format : "bvh");
    char path[4096];
    marey_status status = folder_make(folder, error);
    if (status == MAREY_OK) status = folder_path(folder, stem, ending, path, sizeof path, error);
    if (status != MAREY_OK) return status;
    snprintf(file, room, "%s%s", stem, ending);
    return save_file(to->run, to->options, made, path, error);
}

/* A file, or LIB.marey:NAME. That name may become another one when the clip is put in, so room for
   the end of the answer is made before. */
static marey_status save_clip(session *run, const request *options, const app_call *call,
                              const char *target, marey_error *error)
{
    enum { ANSWER_ROOM = 6 * 4096 + 6 * CLIP_NAME_ROOM + 512 };
    const app_made *made = call->operation->made(call->result);
    char path[4096], got[MAREY_NAME_ROOM], shown[4096 + MAREY_NAME_ROOM + 2];
    const char *name = library_target(target, path, sizeof path);
    library_file at;
    if (!name) {
        end_answer(run, call, target);
        marey_status status = app_check(run->out.failed, error);
        return status == MAREY_OK ? save_file(run, options, made, target, error) : status;
    }
    marey_status status = library_file_open(run, path, MAREY_LIBRARY_CREATE, &at, error);
    if (status != MAREY_OK) return status;
    buffer_reserve(&run->out, ANSWER_ROOM);
    status = app_check(run->out.failed, error);
    if (status == MAREY_OK) status = app_made_put(made, at.library, name, got, NULL, error);
    if (status == MAREY_OK) {
        snprintf(shown, sizeof shown, "%s:%s", path, got);
        end_answer(run, call, shown);
        add_step(run, at.library);
    }
    library_file_close(&at, status == MAREY_OK);
    return status;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void show_drawing(void *user, const char *text, int64_t done, int64_t total,
                         double seconds_left)
{
    session_progress(user, text, done, total, seconds_left);
}

marey_status draw_result(session *run, const app_call *call, const library_file *at,
                         const char *kind, const app_drawing_def *def, const char *path,
                         marey_error *error)
{
    app_env env = { .ctx = run->ctx,
                    .library = at ? at->library : NULL,
                    .progress = show_drawing,
                    .progress_user = run };
    return app_call_draw(call, env, kind, def, path, error);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The answer is put together before anything is changed: after that only sending it can fail. */
static marey_status run_and_answer(session *run, const request *options, app_call *call,
                                   library_file *at, marey_error *error)
{
    const app_operation *operation = call->operation;
    outlet to = { run, options };
    /* Where a generated clip goes; NULL: nowhere. */
    const char *target = options->values[OPTION_OUTPUT];
    for (const option_row *row = run->command->options; operation->clip_option && row->name; row++)
        if (strcmp(row->name, operation->clip_option) == 0) target = options->values[row->key];
    app_env env = { .ctx = run->ctx,
                    .library = at->library,
                    .wants_clip = target != NULL,
                    .output = options->values[OPTION_OUTPUT],
                    .warn = warn,
                    .failed = session_failed,
                    .warn_user = run,
                    .progress = show_progress,
                    .progress_user = run,
                    .take = take_clip,
                    .take_user = &to,
                    .reserve = reserve_answer,
                    .reserve_user = run,
                    .reads_files = true };
    buffer more = buffer_make(&run->host->def);
    marey_status status = app_call_run(call, env, error);
    if (status == MAREY_OK && run->command->finish && !call->shard)
        status = run->command->finish(run, options, call, at, &more, error);
    if (status == MAREY_OK) {
        begin_answer(run, options, call, &more);
        if (run->command->warn && !call->shard) run->command->warn(run, call->params, call->result);
        status = app_check(run->out.failed, error);
    }
    if (status == MAREY_OK && run->command->draw && !call->shard)
        status = run->command->draw(run, options, call, error);
    const app_made *made =
        status == MAREY_OK && target && operation->made ? operation->made(call->result) : NULL;
    if (made && made->made.clip) {
        library_file_close(at, true); /* the library that was read may be the one that is written */
        status = save_clip(run, options, call, target, error);
    } else if (status == MAREY_OK) {
        end_answer(run, call, NULL);
        if (app_call_writes(call)) buffer_reserve(&run->out, STEP_ROOM);
        status = app_check(run->out.failed, error);
        if (status == MAREY_OK && run->command->save && !call->shard) {
            library_file_close(at, true); /* it may be the one that is written */
            status = run->command->save(run, options, call, error);
        } else if (status == MAREY_OK) {
            status = app_call_commit(call, env, error);
        }
        if (status == MAREY_OK && operation->names_follow && !run->command->save) {
            begin_answer(run, options, call, &more);
            end_answer(run, call, NULL);
        }
        if (status == MAREY_OK) add_step(run, at->library);
    }
    buffer_free(&more);
    return status;
}

int operate(session *run, const request *parsed)
{
    request own = *parsed;
    const request *options = &own;
    app_call call;
    library_file at = { .run = run };
    marey_error error;
    marey_status status = app_call_open(&call, run->command->operation, &run->host->def, &error);
    if (run->command->operation->output_last && own.operand_count > 0 &&
        !is_given(options, run->command->operation->many_option))
        own.values[OPTION_OUTPUT] = own.operands[--own.operand_count];
    int ended = status == MAREY_OK ? read_params(run, options, &call) : session_fail(run, &error);
    const char *sheet = options->values[OPTION_SHEET];
    if (ended == PROGRAM_DONE && sheet && !path_is_picture(sheet))
        ended = session_usage(run, "--sheet must end in .png, .svg or .pdf, got %s", sheet);
    if (ended != PROGRAM_DONE) {
        app_call_close(&call);
        return ended;
    }
    status = read_documents(run, options, &call, &error);
    if (status == MAREY_OK) status = open_library(run, options, &call, &at, &error);
    if (status == MAREY_OK) status = run_and_answer(run, options, &call, &at, &error);
    int done = PROGRAM_DONE;
    if (status == MAREY_OK && run->command->exit && !call.shard)
        done = run->command->exit(call.result);
    app_call_close(&call); /* what it opened must go before the library */
    if (done != PROGRAM_DONE) library_file_close(&at, false);
    int sent = library_file_end(&at, status, &error);
    return sent == PROGRAM_DONE ? done : sent;
}
