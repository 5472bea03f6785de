/* provenance.c - what licences say, and provenance beside a file. */
#include "provenance.h"

#include <stdio.h>
#include <string.h>

void licence_say(session *run, const char *name, const char *licence)
{
    if (run->quiet || !marey_licence_is_non_commercial(licence)) return;
    session_say(run, "%s: for non-commercial use only: its licence is %s", name, licence);
}

marey_status provenance_save(session *run, const char *path, const char *text, size_t count,
                             marey_error *error)
{
    char beside[4096 + 32];
    int length = snprintf(beside, sizeof beside, "%s.provenance.json", path);
    if (length < 0 || (size_t)length >= sizeof beside) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this name is too long" };
        snprintf(error->path, sizeof error->path, "%s", path);
        return MAREY_ERR_INPUT;
    }
    return marey_file_save(run->ctx, beside, text, count, error);
}
