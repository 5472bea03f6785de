/* cmd_graph_rm.c - `marey graph rm`: forgets a motion graph, and its policy with it. */
#include "commands.h"
#include "shelf.h"

int command_graph_rm(session *run, const request *asked)
{
    shelf at;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = shelf_forget(&at, MAREY_KEPT_GRAPH, asked->operands[1], &error);
    return shelf_end(&at, status, &error);
}
