/* operate.c - a command line becomes the parameters of an operation by their rows; its result goes out as JSON, or as the
   command shows it to people. */
#include "operate.h"

#include "shelf.h"
#include "text_file.h"

enum { DOCUMENT_MIB = 256 };

static const app_param *row_of_place(const app_param *rows, int place)
{
    for (const app_param *row = rows; row->name; row++)
        if (row->place == place) return row;
    return NULL;
}

/* What is wrong with a value is wrong with the command line; a file that cannot be read is not. */
static int read_value(session *run, app_call *call, const app_param *row, const char *text)
{
    marey_error error;
    marey_status status = MAREY_OK;
    const app_param *rows = call->operation->params;
    buffer file = buffer_make(&run->host->def);
    if (row->type == APP_DOCUMENT) {
        status = text_file_read(run, text, DOCUMENT_MIB, row->help, &file, &error);
        if (status == MAREY_OK) {
            status =
                app_params_text(&call->scope, rows, row, file.bytes, text, call->params, &error);
        }
        buffer_free(&file);
        return status == MAREY_OK ? PROGRAM_DONE : session_fail(run, &error);
    }
    status = app_params_text(&call->scope, rows, row, text, text, call->params, &error);
    if (status == MAREY_OK) return PROGRAM_DONE;
    return status == MAREY_ERR_MEMORY ? session_fail(run, &error)
                                      : session_usage(run, "%s", error.message);
}

static int read_params(session *run, const request *asked, app_call *call)
{
    const app_param *rows = call->operation->params;
    int first = call->operation->library != APP_NO_LIBRARY, status = PROGRAM_DONE;
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
    if (app_call_check(call, APP_COMMAND_LINE, &error) == MAREY_OK) return PROGRAM_DONE;
    return session_usage(run, "%s", error.message);
}

/* The answer is put together before the library is changed: after that only sending it can fail. */
static marey_status answer(session *run, const request *asked, app_call *call, shelf *at,
                           marey_error *error)
{
    const command *of = run->command;
    json to = json_make(&run->out);
    marey_status status = app_call_run(call, run->ctx, at->library, NULL, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        json_open(&to, NULL, '{');
        call->operation->write(call->params, call->result, &to);
    } else if (of->show) {
        of->show(run, call->params, call->result, &run->out);
    }
    if (of->finish) status = of->finish(run, asked, call, run->json ? &to : NULL, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    }
    status = app_check(run->out.failed, error);
    if (status == MAREY_OK) status = app_call_commit(call, run->ctx, at->library, NULL, error);
    return status;
}

int operate(session *run, const request *asked)
{
    const app_operation *operation = run->command->operation;
    app_call call;
    shelf at = { .run = run };
    marey_error error;
    marey_status status = app_call_open(&call, operation, &run->host->def, &error);
    int ended = status == MAREY_OK ? read_params(run, asked, &call) : session_fail(run, &error);
    if (ended == PROGRAM_DONE && run->command->check) ended = run->command->check(run, asked);
    if (ended == PROGRAM_DONE && operation->library != APP_NO_LIBRARY) {
        marey_library_mode mode =
            operation->library == APP_WRITES ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ;
        if (shelf_open(run, asked->operands[0], mode, &at, &error) != MAREY_OK)
            ended = session_fail(run, &error);
    }
    if (ended == PROGRAM_DONE) status = answer(run, asked, &call, &at, &error);
    app_call_close(&call); /* what it opened must go before the library */
    return ended == PROGRAM_DONE ? shelf_end(&at, status, &error) : ended;
}
