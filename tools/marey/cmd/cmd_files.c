/* cmd_files.c - how motion that goes into files is shown. */
#include "commands.h"
#include "files.h"
#include "library_file.h"

void wrote_converted(const void *result, buffer *out)
{
    const app_convert_result *of = result;
    buffer_print(out, ", %d joints, %s, %s up",
                 marey_clip_skeleton(of->made.made.clip)->joint_count, of->units, of->up);
}

void show_formats(session *run, const void *params, const void *result, buffer *out)
{
    const marey_format *row;
    (void)run, (void)params, (void)result;
    buffer_text(out, "format  read  written\n");
    for (int i = 0; (row = marey_format_find(i)); i++) {
        buffer_print(out, "%-7s %-5s %-8s %s\n", row->name, row->reads ? "yes" : "-",
                     row->writes ? "yes" : "-", row->description);
        if (*row->lost_reading)
            buffer_print(out, "%23slost when read: %s\n", "", row->lost_reading);
        if (*row->lost_writing)
            buffer_print(out, "%23slost when written: %s\n", "", row->lost_writing);
    }
}

int failures_exit(const app_failures *failures)
{
    int worst = PROGRAM_DONE;
    for (int i = 0; i < failures->count; i++) {
        int status = session_exit_status(failures->items[i].status);
        if (status > worst) worst = status;
    }
    return worst;
}

/* ---- convert --------------------------------------------------------------------------------- */

void show_batch(session *run, const app_batch *of, buffer *out)
{
    int others = of->skipped_count - of->up_to_date;
    if (run->quiet) return;
    buffer_text(out, "wrote ");
    buffer_clips(out, of->file_count);
    buffer_named(out, " to ", of->folder, "");
    if (of->up_to_date > 0) buffer_print(out, ", %d up to date", of->up_to_date);
    if (others > 0) buffer_print(out, ", %d file%s skipped", others, others == 1 ? "" : "s");
    if (of->failures.count > 0) buffer_print(out, ", %d failed", of->failures.count);
    buffer_byte(out, '\n');
}

void show_converted(session *run, const void *params, const void *result, buffer *out)
{
    const app_convert_result *of = result;
    (void)params;
    if (!of->made.made.clip) show_batch(run, &of->many, out);
}

void show_exported(session *run, const void *params, const void *result, buffer *out)
{
    (void)params;
    show_batch(run, &((const app_export_result *)result)->many, out);
}

int exit_exported(const void *result)
{
    return failures_exit(&((const app_export_result *)result)->many.failures);
}

int check_converting(session *run, const request *options, const void *params)
{
    const app_convert_params *of = params;
    if (!of->output || !request_has(options, OPTION_PROVENANCE)) return PROGRAM_DONE;
    return session_usage(run, "--provenance is not for --to; GLB files hold theirs");
}

int exit_converted(const void *result)
{
    return failures_exit(&((const app_convert_result *)result)->many.failures);
}

/* ---- add ------------------------------------------------------------------------------------- */

void warn_added(session *run, const void *params, const void *result)
{
    const app_add_result *of = result;
    if (run->quiet || !((const app_add_params *)params)->each) return;
    for (int i = 0; i < of->count; i++) {
        const app_added *one = &of->items[i];
        for (int k = 0; k < one->warnings.count; k++)
            session_say(run, "%s: warning: %s", one->path, one->warnings.values[k]);
    }
}

void show_added(session *run, const void *params, const void *result, buffer *out)
{
    static const char *const words[] = { "added", "duplicate", "skipped" };
    const app_add_result *of = result;
    int duplicates = of->counts[MAREY_ADD_DUPLICATE], skipped = of->counts[MAREY_ADD_SKIPPED];
    for (int i = 0; i < of->count && ((const app_add_params *)params)->each; i++) {
        const app_added *one = &of->items[i];
        buffer_print(out, "%-10s", words[one->outcome]);
        buffer_shown(out, one->path);
        if (*one->name) {
            buffer_named(out, ": ", one->name, "");
        }
        buffer_byte(out, '\n');
    }
    if (run->quiet) return;
    buffer_text(out, "added ");
    buffer_clips(out, of->counts[MAREY_ADD_DONE]);
    if (duplicates > 0)
        buffer_print(out, ", %d duplicate%s", duplicates, duplicates == 1 ? "" : "s");
    if (skipped > 0) buffer_print(out, ", %d file%s skipped", skipped, skipped == 1 ? "" : "s");
    if (of->failures.count > 0) buffer_print(out, ", %d failed", of->failures.count);
    buffer_byte(out, '\n');
    if (of->fixed > 0)
        buffer_print(out, "fixed %d finding%s\n", of->fixed, of->fixed == 1 ? "" : "s");
    /* At most three lines, with what was fixed. */
    bool fixing = ((const app_add_params *)params)->fix.count > 0;
    int room = 3 - (of->fixed > 0), shown = of->kind_count <= room ? of->kind_count : room - 1;
    for (int i = 0; i < shown; i++) {
        const app_flaw_sum *sum = &of->kinds[i];
        const char *name = marey_flaw_name(sum->kind);
        buffer_clips(out, sum->clips);
        buffer_print(out, ": %s", marey_flaw_about(sum->kind));
        if (sum->kind == MAREY_FLAW_DUPLICATE)
            buffer_named(out, ": marey doctor ", of->library, "");
        if (sum->mendable > 0 && !fixing) {
            buffer_named(out, ": marey doctor ", of->library, "");
            buffer_print(out, " --fix %s", name);
        }
        buffer_byte(out, '\n');
    }
    if (shown < of->kind_count) {
        buffer_print(out, "... and %d more kinds of findings: marey doctor ",
                     of->kind_count - shown);
        buffer_named(out, "", of->library, "\n");
    }
}

int exit_added(const void *result)
{
    return failures_exit(&((const app_add_result *)result)->failures);
}

/* ---- render ---------------------------------------------------------------------------------- */

int check_rendering(session *run, const request *options, const void *params)
{
    app_picture kind;
    marey_error error;
    bool in_library = request_has(options, OPTION_LIBRARY);
    if (app_render_check(params, in_library, APP_COMMAND_LINE, &kind, &error) == MAREY_OK)
        return PROGRAM_DONE;
    return session_usage(run, "%s", error.message);
}

void show_rendered(session *run, const void *params, const void *result, buffer *out)
{
    const app_render_result *of = result;
    (void)params;
    if (run->quiet) return;
    buffer_named(out, "wrote ", of->output, "");
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

/* ---- positions ------------------------------------------------------------------------------- */

void show_positions(session *run, const void *params, const void *result, buffer *out)
{
    const app_positions_result *of = result;
    if (run->quiet) return;
    bool is_raw = marey_clip_units(of->clip) == MAREY_UNITS_RAW;
    buffer_named(out, "wrote ", ((const app_positions_params *)params)->output, "");
    buffer_print(out, ": %d frames x %d joints x 3, float32, %s\n", marey_clip_frames(of->clip),
                 marey_clip_skeleton(of->clip)->joint_count, is_raw ? "units of the file" : "cm");
}

/* ---- solve ----------------------------------------------------------------------------------- */

void show_solve(session *run, const void *params, const void *result, buffer *out)
{
    const app_solve_result *of = result;
    const marey_solve_report *report = &of->report;
    int joints = 0, longest = 0;
    (void)params;
    if (run->quiet) return;
    buffer_print(out, "%d joints%s%s, %d frames at %g fps\n",
                 marey_clip_skeleton(of->clip)->joint_count, *report->preset ? " of " : "",
                 report->preset, marey_clip_frames(of->clip), marey_clip_fps(of->clip));
    if (of->amass) {
        buffer_print(out, "  body      %.1f cm tall, with the rotations of the file\n",
                     marey_clip_report(of->clip)->height_cm);
        return;
    }
    buffer_print(out, "  error     %.2f cm on average, 99 %% within %.2f cm\n",
                 report->mean_error_cm, report->p99_error_cm);
    buffer_print(out, "  noise     %.2f cm along each axis\n", report->noise_cm);
    for (int i = 0; i < report->gap_count; i++) {
        const marey_solve_gap *gap = &report->gaps[i];
        joints += i == 0 || gap->joint != gap[-1].joint;
        if (gap->end - gap->start > longest) longest = gap->end - gap->start;
    }
    if (report->gap_count > 0)
        buffer_print(out, "  gaps      %d in %d joint%s, the longest of %d frame%s\n",
                     report->gap_count, joints, joints == 1 ? "" : "s", longest,
                     longest == 1 ? "" : "s");
}
