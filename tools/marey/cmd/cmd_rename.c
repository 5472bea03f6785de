/* cmd_rename.c - `marey rename`: another name for a clip. */
#include "commands.h"
#include "shelf.h"

int command_rename(session *run, const request *asked)
{
    const char *old_name = asked->operands[1], *new_name = asked->operands[2];
    shelf at;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    shelf_renamed(run, old_name, new_name);
    marey_status status = shelf_ready(run, &error);
    if (status == MAREY_OK) {
        status = marey_library_rename(at.library, old_name, new_name, &error);
    }
    return shelf_end(&at, status, &error);
}
