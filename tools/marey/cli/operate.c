/* operate.c - a command line becomes the parameters of an operation by their rows; its result goes out as JSON, or as the
   command shows it to people. */
#include "operate.h"

#include "input.h"
#include "shelf.h"
#include "text_file.h"

#include <string.h>

enum { DOCUMENT_MIB = 256 };

static const app_param *row_of_place(const app_param *rows, int place)
{
    for (const app_param *row = rows; row->name; row++)
        if (row->place == place) return row;
    return NULL;
}

/* Does the library stand before the operands? Otherwise it is that of -L, if any. */
static bool takes_library(const app_operation *operation)
{
    return operation->library != APP_NO_LIBRARY && operation->library != APP_MAY_READ;
}

/* What is wrong with a value is wrong with the command line. Files are read when all of it is right. */
static int read_value(session *run, app_call *call, const app_param *row, const char *text)
{
    marey_error error;
    const char *content = row->type == APP_DOCUMENT ? "" : text;
    marey_status status = app_params_text(&call->scope, call->operation->params, row, content, text,
                                          call->params, &error);
    if (status == MAREY_OK) return PROGRAM_DONE;
    return status == MAREY_ERR_MEMORY ? session_fail(run, &error)
                                      : session_usage(run, "%s", error.message);
}

static int read_params(session *run, const request *asked, app_call *call)
{
    const app_param *rows = call->operation->params;
    int first = takes_library(call->operation), status = PROGRAM_DONE;
    char room[256] = "";
    buffer usage = buffer_fixed(room, sizeof room - 1);
    marey_error error;
    command_usage(run->command, &usage);
    room[usage.used] = 0;
    if (asked->operand_count < first)
        return session_usage(run, "missing argument: marey %s %s", run->command->verb, room);
    for (int i = first; i < asked->operand_count && status == PROGRAM_DONE; i++) {
        const app_param *row = row_of_place(rows, i - first + 1);
        if (!row) row = row_of_place(rows, APP_REST);
        if (!row) {
            return session_usage(run, "too many arguments, from \"%s\" on: marey %s %s",
                                 asked->operands[i], run->command->verb, room);
        }
        status = read_value(run, call, row, asked->operands[i]);
    }
    for (int i = 0; i < asked->given_count && status == PROGRAM_DONE; i++)
        status = read_value(run, call, asked->given[i].row, asked->given[i].value);
    if (status != PROGRAM_DONE) return status;
    for (const app_param *row = rows; row->name; row++) {
        if (row->place == APP_OPTION || !row->needed || app_given(rows, call->params, row->name))
            continue;
        return session_usage(run, "missing argument: marey %s %s", run->command->verb, room);
    }
    if (app_call_check(call, APP_COMMAND_LINE, &error) != MAREY_OK)
        return session_usage(run, "%s", error.message);
    if (app_call_writes(call) && !first && !asked->values[OPTION_LIBRARY])
        return session_usage(run, "this changes a clip of a library: -L FILE");
    return PROGRAM_DONE;
}

static marey_status read_documents(session *run, const request *asked, app_call *call,
                                   marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < asked->given_count && status == MAREY_OK; i++) {
        const given_value *given = &asked->given[i];
        buffer file = buffer_make(&run->host->def);
        if (given->row->type != APP_DOCUMENT) continue;
        status = text_file_read(run, given->value, DOCUMENT_MIB, given->row->help, &file, error);
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
static marey_status open_library(session *run, const request *asked, app_call *call, shelf *at,
                                 marey_error *error)
{
    const app_operation *operation = call->operation;
    const char *path =
        takes_library(operation) ? asked->operands[0] : asked->values[OPTION_LIBRARY];
    marey_library_mode mode = app_call_writes(call) ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ;
    call->library_path = path;
    if (!path || operation->library == APP_LIBRARY_FILE) return MAREY_OK;
    return shelf_open(run, path, mode, at, error);
}

/* The answer is put together before the library is changed: after that only sending it can fail. */
static marey_status answer(session *run, app_call *call, shelf *at, marey_error *error)
{
    buffer_reserve(&run->out, app_call_room(call));
    marey_status status = app_check(run->out.failed, error);
    if (status == MAREY_OK) status = app_call_run(call, run->ctx, at->library, NULL, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        app_call_write(call, &run->out);
        buffer_byte(&run->out, '\n');
    } else if (run->command->show) {
        run->command->show(run, call->params, call->result, &run->out);
    }
    if (run->command->warn) run->command->warn(run, call->params, call->result);
    status = app_check(run->out.failed, error);
    if (status == MAREY_OK) status = app_call_commit(call, run->ctx, at->library, NULL, error);
    return status;
}

int operate(session *run, const request *asked)
{
    app_call call;
    shelf at = { .run = run };
    input from = { .run = run };
    app_files files = { input_load_file, &from };
    marey_error error;
    bool may_read = run->command->operation->library == APP_MAY_READ;
    marey_status status = app_call_open(&call, run->command->operation, &run->host->def, &error);
    int ended = status == MAREY_OK ? read_params(run, asked, &call) : session_fail(run, &error);
    if (ended == PROGRAM_DONE && may_read) ended = input_check(run, asked, &from.def);
    if (may_read) call.files = &files;
    if (ended != PROGRAM_DONE) {
        app_call_close(&call);
        return ended;
    }
    status = read_documents(run, asked, &call, &error);
    if (status == MAREY_OK) status = open_library(run, asked, &call, &at, &error);
    if (status == MAREY_OK) status = answer(run, &call, &at, &error);
    int done = PROGRAM_DONE;
    if (status == MAREY_OK && run->command->exit) done = run->command->exit(call.result);
    app_call_close(&call); /* what it opened must go before the library */
    int sent = shelf_end(&at, status, &error);
    return sent == PROGRAM_DONE ? done : sent;
}
