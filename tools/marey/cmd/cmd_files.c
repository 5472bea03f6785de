/* cmd_files.c - how motion that goes into files is shown. */
#include "commands.h"
#include "files.h"
#include "shelf.h"

void wrote_converted(const void *result, buffer *out)
{
    const app_convert_result *of = result;
    buffer_print(out, ", %d joints, %s, %s up",
                 marey_clip_skeleton(of->made.made.clip)->joint_count, of->units, of->up);
}

static int failures_exit(const app_failures *all)
{
    int worst = PROGRAM_DONE;
    for (int i = 0; i < all->count; i++) {
        int status = session_exit_status(all->items[i].status);
        if (status > worst) worst = status;
    }
    return worst;
}

/* ---- render -------------------------------------------------------------------------------------- */

int check_rendering(session *run, const request *asked, const void *params)
{
    app_picture kind;
    marey_error error;
    bool in_library = request_has(asked, OPTION_LIBRARY);
    if (app_render_check(params, in_library, APP_COMMAND_LINE, &kind, &error) == MAREY_OK)
        return PROGRAM_DONE;
    return session_usage(run, "%s", error.message);
}

void show_rendered(session *run, const void *params, const void *result, buffer *out)
{
    const app_render_result *of = result;
    (void)params;
    if (run->quiet) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, of->output);
    if (of->kind != APP_PICTURE_SHEET) {
        buffer_print(out, ": a %s of %.2f s\n", of->kind == APP_PICTURE_STRIP ? "strip" : "video",
                     marey_clip_seconds(of->clips[0]));
        return;
    }
    buffer_text(out, ": a sheet of ");
    buffer_clips(out, of->count);
    if (of->skipped_count > 0) {
        buffer_print(out, " (%d file%s without motion skipped)", of->skipped_count,
                     of->skipped_count == 1 ? "" : "s");
    }
    buffer_byte(out, '\n');
}

int exit_rendered(const void *result)
{
    return failures_exit(&((const app_render_result *)result)->failures);
}
