/* cmd_mcp.c - `marey mcp`: the operations as tools of an agent, over standard input and output. */
#include "commands.h"
#include "library_file.h"
#include "mcp_inside.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LIBRARIES = 64 };

/* "moves" of "takes/moves.marey"; the whole path, where two are called the same. */
static void name_library(mcp *of, mcp_library *library)
{
    const char *slash = strrchr(library->path, '/'), *last = slash ? slash + 1 : library->path;
    size_t length = strlen(last), ending = path_ends_in(last, ".marey") ? 6 : 0;
    snprintf(library->name, sizeof library->name, "%.*s", (int)(length - ending), last);
    for (int i = 0; i < of->library_count; i++)
        if (strcmp(of->libraries[i].name, library->name) == 0)
            snprintf(library->name, sizeof library->name, "%s", library->path);
}

static marey_status open_libraries(mcp *of, const request *options, marey_error *error)
{
    marey_status status = MAREY_OK;
    marey_library_mode mode = of->writes ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ;
    for (int i = 0; i < options->operand_count && status == MAREY_OK; i++) {
        mcp_library *at = &of->libraries[of->library_count];
        *at = (mcp_library){ .path = options->operands[i],
                             .cache = { .memory = &of->def, .most_weight = 1 << 20 } };
        name_library(of, at);
        for (int k = 0; k < of->library_count && status == MAREY_OK; k++)
            if (strcmp(of->libraries[k].path, at->path) == 0 ||
                strcmp(of->libraries[k].name, at->name) == 0)
                status =
                    app_fail(error, MAREY_ERR_REQUEST, at->path, "this library is named twice");
        if (status == MAREY_OK)
            status = marey_library_open(of->ctx, at->path, mode, &at->library, error);
        if (status == MAREY_OK) of->library_count++;
    }
    return status;
}

/* Those that the command line names; none: all. */
static int choose_tools(mcp *of, const request *options, app_scope *scope)
{
    const char *name;
    for (int at = 0; (name = request_next(options, OPTION_TOOL, &at));) {
        const app_operation *operation = mcp_tool_find(name);
        if (!operation)
            return session_usage(
                of->run, "--tool must be the name of a tool, such as search or graph_walk, got %s",
                name);
        const app_operation **list = app_grow(scope, of->only, of->only_count, sizeof *list);
        if (!list) return session_fail_memory(of->run);
        list[of->only_count++] = operation;
        of->only = list;
    }
    return PROGRAM_DONE;
}

/* Until the client has no more to ask. */
static int serve(mcp *of)
{
    session *run = of->run;
    mcp_line *line;
    while (!of->broken && (line = mcp_input_next(of->input))) {
        mcp_answer(of, line);
        mcp_line_free(run->host, line);
        if (!session_flush(run)) of->broken = true;
    }
    if (of->broken) return PROGRAM_MACHINE;
    if (marey_ctx_cancelled(of->ctx)) return PROGRAM_INTERRUPTED;
    int failed = mcp_input_failed(of->input);
    if (!failed) return PROGRAM_DONE;
    session_say(run, "marey: cannot read standard input: %s", strerror(-failed));
    return PROGRAM_MACHINE;
}

int command_mcp(session *run, const request *options)
{
    mcp of = { .run = run, .def = run->host->def, .version = -1 };
    marey_error error;
    if (options->operand_count > MOST_LIBRARIES)
        return session_usage(run, "at most %d libraries can be named", MOST_LIBRARIES);
    of.writes = request_has(options, OPTION_WRITE);
    mcp_picture_make(&of.picture, &run->host->def);
    of.def.io = &of.picture.io;
    of.def.threads = marey_ctx_threads(run->ctx);
    of.def.byte_limit = run->most_bytes;
    of.def.progress = mcp_progress;
    of.def.progress_user = &of;
    app_scope scope = app_scope_open(&run->host->def);
    int chosen = choose_tools(&of, options, &scope);
    if (chosen != PROGRAM_DONE) {
        app_scope_close(&scope);
        return chosen;
    }
    of.libraries = APP_NEW(&scope, mcp_library, options->operand_count);
    marey_status status = of.libraries ? marey_ctx_open(&of.def, &of.ctx) : MAREY_ERR_MEMORY;
    if (status != MAREY_OK) {
        app_scope_close(&scope);
        return session_fail_memory(run);
    }
    /* From here on a signal stops what tools do. A client that has gone is an answer that cannot be
       written. */
    if (run->host->running) run->host->running(run->host->running_user, of.ctx);
    signal(SIGPIPE, SIG_IGN);
    status = open_libraries(&of, options, &error);
    if (status == MAREY_OK) {
        of.input = mcp_input_open(run->host, of.ctx);
        if (!of.input) status = app_fail_memory(&error);
    }
    int ended = status == MAREY_OK ? serve(&of) : session_fail(run, &error);
    if (of.input) mcp_input_close(of.input);
    for (int i = 0; i < of.library_count; i++) {
        app_cache_clear(&of.libraries[i].cache);
        marey_library_close(of.libraries[i].library);
    }
    if (run->host->running) run->host->running(run->host->running_user, run->ctx);
    mcp_picture_free(&of.picture);
    marey_ctx_close(of.ctx);
    app_scope_close(&scope);
    return ended;
}
