/* cmd_saved.c - how `rm` and `rename` of saved things are shown. */
#include "commands.h"
#include "saved_things.h"

void show_forgotten(session *run, const void *params, const void *result, buffer *out)
{
    const app_saved_name *of = params;
    (void)result;
    if (run->quiet) return;
    buffer_text(out, "forgot ");
    buffer_shown(out, of->name);
    buffer_byte(out, '\n');
}

void show_renamed(session *run, const void *params, const void *result, buffer *out)
{
    const app_saved_rename *of = params;
    (void)result;
    if (run->quiet) return;
    buffer_shown(out, of->name);
    buffer_text(out, " is now ");
    buffer_shown(out, of->to);
    buffer_byte(out, '\n');
}
