/* cmd_param_rm.c - `marey param rm`: forgets a family. */
#include "commands.h"
#include "shelf.h"

/* The answer is put together before the change: after that only sending it can fail. */
static marey_status forget(shelf *at, const char *name, marey_error *error)
{
    json to = json_make(&at->run->out);
    if (at->run->json) {
        json_open(&to, NULL, '{');
        json_put_string(&to, "forgotten", name);
        json_close(&to, '}');
        buffer_byte(to.out, '\n');
    } else if (!at->run->quiet) {
        buffer_text(to.out, "forgot ");
        buffer_shown(to.out, name);
        buffer_byte(to.out, '\n');
    }
    marey_status status = shelf_ready(at->run, error);
    if (status != MAREY_OK) return status;
    return marey_library_forget(at->library, MAREY_KEPT_FAMILY, name, error);
}

int command_param_rm(session *run, const request *asked)
{
    shelf at;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = forget(&at, asked->operands[1], &error);
    return shelf_end(&at, status, &error);
}
