/* cmd_puppet_rm.c - `marey puppet rm`: forgets a puppet. */
#include "commands.h"
#include "shelf.h"

int command_puppet_rm(session *run, const request *asked)
{
    shelf at;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = shelf_forget(&at, MAREY_KEPT_PUPPET, asked->operands[1], &error);
    if (status != MAREY_OK) shelf_hint("puppet", "train", &error);
    return shelf_end(&at, status, &error);
}
