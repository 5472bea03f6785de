/* cmd_verify.c - `marey verify`: is every stored byte of a library as it was written? */
#include "commands.h"
#include "json.h"

typedef struct verifying {
    session *run;
    json to;
} verifying;

static void report_problem(void *user, const char *problem)
{
    verifying *all = user;
    if (all->run->json) {
        json_put_string(&all->to, NULL, problem);
    } else {
        buffer_shown(&all->run->out, problem);
        buffer_byte(&all->run->out, '\n');
    }
}

/* With --json the problems were put together in a place of their own. */
static void describe(session *run, const buffer *problems, int64_t count)
{
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_put_boolean(&to, "ok", count == 0);
        json_put_array_of(&to, "problems", problems);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (count == 0 && !run->quiet) {
        buffer_text(&run->out, "ok: every stored byte is as it was written\n");
    } else if (count > 0 && !run->quiet) {
        buffer_print(&run->out, "%lld problem%s\n", (long long)count, count == 1 ? "" : "s");
    }
}

int command_verify(session *run, const request *asked)
{
    buffer problems = buffer_make(&run->host->def);
    verifying all = { run, json_make(&problems) };
    marey_error error;
    int64_t count = 0;
    int exit;
    if (marey_library_verify(run->ctx, asked->operands[0], report_problem, &all, &count, &error) ==
        MAREY_OK) {
        describe(run, &problems, count);
        exit = session_finish(run, count == 0 ? PROGRAM_DONE : PROGRAM_WRONG);
    } else {
        run->out.used = 0;
        exit = session_fail(run, &error);
    }
    buffer_free(&problems);
    return exit;
}
