/* cmd_cluster_rm.c - `marey cluster rm`: forgets a cluster graph. */
#include "commands.h"
#include "shelf.h"

int command_cluster_rm(session *run, const request *asked)
{
    shelf at;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = shelf_forget(&at, MAREY_KEPT_CLUSTERS, asked->operands[1], &error);
    return shelf_end(&at, status, &error);
}
