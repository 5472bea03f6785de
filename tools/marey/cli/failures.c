/* failures.c - collects failures for the end of a JSON answer. */
#include "failures.h"

void failures_make(failures *all, session *run)
{
    *all = (failures){ .run = run, .values = buffer_make(&run->host->def) };
    all->to = json_make(&all->values);
}

void failures_free(failures *all)
{
    buffer_free(&all->values);
}

void failures_add(failures *all, const char *path, const marey_error *error)
{
    int status = session_exit_status(error->status);
    json *to = &all->to;
    if (status > all->status) all->status = status;
    all->count++;
    session_say_error(all->run, error);
    if (!all->run->json) return;
    json_open(to, NULL, '{');
    json_put_string(to, "status", marey_status_word(error->status));
    json_put_string(to, "path", path);
    json_put_integer(to, "line", error->line);
    json_put_integer(to, "column", error->column);
    json_put_string(to, "message", error->message);
    json_close(to, '}');
}

bool failure_ends_all(const marey_error *error)
{
    return error->status == MAREY_ERR_MEMORY || error->status == MAREY_ERR_CANCELLED;
}
