/* cmd_library.c - how the library's housekeeping is shown. */
#include "clip_changes.h"
#include "clip_cuts.h"
#include "commands.h"
#include "shelf.h"

#include <string.h>

void show_labelled(session *run, const void *params, const void *result, buffer *out)
{
    const app_label_params *asked = params;
    (void)result;
    if (run->quiet) return;
    buffer_text(out, "changed ");
    buffer_clips(out, asked->clips.count);
    buffer_byte(out, '\n');
}

void show_removed(session *run, const void *params, const void *result, buffer *out)
{
    const app_rm_params *asked = params;
    const app_rm_result *done = result;
    if (run->quiet) return;
    buffer_text(out, asked->purge ? "purged " : "removed ");
    buffer_clips(out, asked->purge ? done->purged : asked->clips.count);
    if (!asked->purge)
        buffer_print(out, "; marey restore brings %s back",
                     asked->clips.count == 1 ? "it" : "them");
    buffer_byte(out, '\n');
}

void warn_purged(session *run, const void *params, const void *result)
{
    const app_rm_result *done = result;
    (void)params;
    if (!done->read_elsewhere) return;
    session_say(run,
                "another program is reading %s: what was purged stays in its log until that "
                "program closes it",
                done->read_elsewhere);
}

void show_restored(session *run, const void *params, const void *result, buffer *out)
{
    const app_restore_params *asked = params;
    const app_restore_result *done = result;
    for (int i = 0; i < asked->clips.count && !run->quiet; i++) {
        const char *old_name = asked->clips.values[i], *name = done->clips[i].name;
        buffer_text(out, "restored ");
        buffer_shown(out, old_name);
        if (strcmp(name, old_name) != 0) {
            buffer_text(out, " as ");
            buffer_shown(out, name);
        }
        buffer_byte(out, '\n');
    }
}

void show_cuts(session *run, const void *params, const void *result, buffer *out)
{
    const app_cut_params *asked = params;
    const app_cut_result *done = result;
    for (int i = 0; i < asked->cuts.count && !run->quiet; i++) {
        int frames = done->cuts[i].end - done->cuts[i].start;
        buffer_text(out, "made ");
        buffer_shown(out, done->clips[i].name);
        buffer_print(out, ": %d frame%s\n", frames, frames == 1 ? "" : "s");
    }
}
