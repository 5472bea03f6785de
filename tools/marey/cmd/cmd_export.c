/* cmd_export.c - `marey export`: clips of a library as files. */
#include "clip_reading.h"
#include "commands.h"
#include "entries.h"
#include "failure_list.h"
#include "folder.h"
#include "library_file.h"

typedef struct exporting {
    library_file at;
    const char *folder, *ending;
    bool provenance; /* also beside each file */
    bool trim_marked, captured;
    int start, end;           /* the frames of the clip that go into its file */
    buffer files, restricted; /* the arrays' values, for JSON */
    app_scope scope;
    app_env env;
    app_failures errors;
    int written;
} exporting;

/* What made it, or where it was read from. */
static void write_origin(const exporting *job, const marey_entry *entry, const char *library,
                         buffer *out)
{
    json to = json_make(out);
    const char *repairs = job->captured ? NULL : entry->repairs;
    if (*entry->provenance) {
        app_origin_write(out, entry->provenance, entry->stretches, entry->stretch_count, repairs);
    } else {
        json_open(&to, NULL, '{');
        json_put_string(&to, "library", library);
        json_put_string(&to, "clip", entry->name);
        json_put_string(&to, "file", entry->source);
        json_put_string(&to, "licence", entry->licence);
        if (job->end - job->start < entry->frames) {
            json_put_integer(&to, "start", job->start);
            json_put_integer(&to, "end", job->end);
        }
        if (entry->stretch_count) app_stretches_write(&to, entry->stretches, entry->stretch_count);
        if (app_has_repairs(repairs)) json_put_value(&to, "repairs", repairs);
        json_close(&to, '}');
    }
    buffer_byte(out, '\n');
}

/* With its origin inside, where the format has a place for it, and beside it if that is wanted. A
   file is noted before it is written, so that every one that is written can be reported. */
static marey_status save_clip(exporting *job, const marey_clip *clip, const char *name,
                              const marey_entry *entry, marey_error *error)
{
    session *run = job->at.run;
    json files = { .out = &job->files, .comma = job->files.used > 0 };
    json restricted = { .out = &job->restricted, .comma = job->restricted.used > 0 };
    buffer origin = buffer_make(&run->host->def);
    char path[4096];
    if (entry) name = entry->name; /* it may have been asked for by number */
    marey_status status = folder_path(job->folder, name, job->ending, path, sizeof path, error);
    if (status != MAREY_OK) return status;
    json_put_string(&files, NULL, path);
    if (entry) {
        if (marey_licence_is_non_commercial(entry->licence))
            json_put_string(&restricted, NULL, entry->name);
        licence_say(run, entry->name, entry->licence);
        write_origin(job, entry, job->at.path, &origin);
        buffer_byte(&origin, 0);
    }
    status = app_check(job->files.failed || job->restricted.failed || origin.failed, error);
    if (status == MAREY_OK) status = marey_clip_save_with(clip, path, origin.bytes, error);
    if (status == MAREY_OK && entry && job->provenance) {
        status = folder_path(job->folder, entry->name, "", path, sizeof path, error);
        if (status == MAREY_OK)
            status = provenance_save(run, path, origin.bytes, origin.used - 1, error);
    }
    job->written += status == MAREY_OK;
    buffer_free(&origin);
    return status;
}

/* Without the marked frames at either end. */
static marey_status trim_marked(exporting *job, marey_clip **clip, marey_error *error)
{
    int count, start = 0, end = marey_clip_frames(*clip);
    const marey_mark *marks = marey_clip_marks(*clip, &count);
    marey_clip *trimmed = NULL;
    for (int i = 0; i < count && marks[i].start <= start; i++) start = marks[i].end;
    for (int i = count - 1; i >= 0 && marks[i].end >= end; i--) end = marks[i].start;
    if (start == 0 && end == marey_clip_frames(*clip)) return MAREY_OK;
    if (start >= end)
        return app_fail(error, MAREY_ERR_INPUT, marey_clip_name(*clip),
                        "all its frames are marked as no captured motion");
    marey_status status = marey_clip_trim(*clip, start, end, &trimmed, error);
    if (status != MAREY_OK) return status;
    marey_clip_free(*clip);
    *clip = trimmed;
    job->start = start;
    job->end = end;
    return MAREY_OK;
}

/* A clip that fails to read does not stop the others; one that fails to write does. `entry` is
   NULL where the name was not found, and the library says so. */
static marey_status export_clip(exporting *job, const char *name, const marey_entry *entry,
                                marey_error *error)
{
    marey_clip *clip = NULL;
    marey_status status = job->captured
                              ? marey_library_load_captured(job->at.library, name, &clip, error)
                              : marey_library_load(job->at.library, name, &clip, error);
    job->start = 0;
    job->end = status == MAREY_OK ? marey_clip_frames(clip) : 0;
    if (status == MAREY_OK && job->trim_marked) status = trim_marked(job, &clip, error);
    if (status == MAREY_OK && entry && entry->provenance_damaged) {
        status =
            app_fail(error, MAREY_ERR_INPUT, entry->name, "its provenance must be a JSON object");
    }
    if (marey_status_group(status) == MAREY_ERR_INPUT || status == MAREY_ERR_LIMIT) {
        app_failures_add(&job->env, &job->errors, name, error);
        status = app_check(job->errors.failed, error);
    } else if (status == MAREY_OK) {
        status = save_clip(job, clip, name, entry, error);
    }
    marey_clip_free(clip);
    return status;
}

int command_export(session *run, const request *options)
{
    const char *format = "bvh";
    marey_list_def def = { .label = options->values[OPTION_LABEL] };
    int named = options->operand_count - 1, count = 0;
    int ways = (named > 0) + request_has(options, OPTION_LABEL) + request_has(options, OPTION_ALL);
    int done = options_word(run, options, OPTION_FORMAT, &format);
    if (done != PROGRAM_DONE) return done;
    exporting all = { .folder = options->values[OPTION_OUTPUT],
                      .ending = format_ending(format),
                      .provenance = request_has(options, OPTION_PROVENANCE),
                      .trim_marked = request_has(options, OPTION_TRIM_MARKED),
                      .captured = request_has(options, OPTION_CAPTURED),
                      .files = buffer_make(&run->host->def),
                      .restricted = buffer_make(&run->host->def),
                      .scope = app_scope_open(&run->host->def) };
    if (!all.folder || !*all.folder) return session_usage(run, "-o DIR is needed");
    if (ways != 1) return session_usage(run, "name clips, or say --label or --all: one of these");
    all.env = (app_env){ .scope = &all.scope, .failed = session_failed, .warn_user = run };

    marey_listing *listing = NULL;
    const marey_entry *entries = NULL;
    marey_error error;
    marey_status status =
        library_file_open(run, options->operands[0], MAREY_LIBRARY_READ, &all.at, &error);
    if (status != MAREY_OK) return session_fail(run, &error);
    status = marey_library_list(all.at.library, &def, &listing, &error);
    if (status == MAREY_OK) entries = marey_listing_entries(listing, &count);
    if (status == MAREY_OK) status = folder_make(all.folder, &error);
    run->own_progress = true; /* each clip would else draw its own */
    if (named > 0) count = named;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const char *name = named > 0 ? options->operands[i + 1] : entries[i].name;
        session_progress(run, "exporting", i, count);
        status = export_clip(&all, name, named > 0 ? app_listing_find(listing, name) : &entries[i],
                             &error);
    }
    marey_listing_free(listing);
    library_file_close(&all.at, true);
    json to = json_make(&run->out);
    if (status == MAREY_OK && run->json) {
        json_open(&to, NULL, '{');
        json_put_array_of(&to, "files", &all.files);
        json_put_array_of(&to, "non_commercial", &all.restricted);
        app_failures_write(&all.errors, &to);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (status == MAREY_OK && !run->quiet) {
        buffer_text(&run->out, "wrote ");
        buffer_clips(&run->out, all.written);
        buffer_named(&run->out, " to ", all.folder, "\n");
    }
    done = status == MAREY_OK ? session_finish(run, failures_exit(&all.errors))
                              : session_fail(run, &error);
    app_scope_close(&all.scope);
    buffer_free(&all.restricted);
    buffer_free(&all.files);
    return done;
}
