/* export_clips.c - `export`: clips of a library as files. No operation of the studio, which hands
   files to the browser. */
#include "entries.h"
#include "files.h"
#include "operations.h"

#include <stddef.h>

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_CLIPS,
      .at = offsetof(app_export_params, clips),
      .place = APP_REST,
      .value = "NAME",
      .help = "clips of the library" },
    { .name = "output",
      .letter = 'o',
      .type = APP_TEXT,
      .at = offsetof(app_export_params, output),
      .needed = true,
      .note = true,
      .value = "DIR",
      .help = "the folder to write to; made if it is not there" },
    { .name = "format",
      .type = APP_WORD,
      .at = offsetof(app_export_params, format),
      .value = "FORMAT",
      .word = app_written_word,
      .help = "the format to write (default: that of --for, or bvh)" },
    { .name = "to",
      .type = APP_WORD,
      .at = offsetof(app_export_params, format),
      .value = "FORMAT",
      .word = app_written_word,
      .help = "the same as --format" },
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_export_params, label),
      .value = "LABEL",
      .help = "every clip with this label, instead of names" },
    { .name = "all",
      .type = APP_SWITCH,
      .at = offsetof(app_export_params, all),
      .help = "every clip, instead of names" },
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_export_params, pattern),
      .note = true,
      .value = "PATTERN",
      .help = "how files are named, of {name}, {subject} and {number} (default: {name})" },
    { .name = "trim-marked",
      .type = APP_SWITCH,
      .at = offsetof(app_export_params, trim_marked),
      .help = "leave out marked frames at the beginning and the end, such as a T-pose" },
    { .name = "captured",
      .type = APP_SWITCH,
      .at = offsetof(app_export_params, captured),
      .help = "as the clips were captured, without their repairs" },
    APP_CHANGE_PARAMS(app_export_params),
    { .name = "provenance",
      .type = APP_SWITCH,
      .at = offsetof(app_export_params, provenance),
      .note = true,
      .help = "beside each clip, NAME.provenance.json: where it comes from, and its licence" },
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_export_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if ((request->clips.count > 0) + (request->label != NULL) + request->all != 1)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "name clips, or say %slabel or %sall: one of these", dashes, dashes);
    return request->pattern ? app_pattern_check(request->pattern, dashes, error) : MAREY_OK;
}

/* What made it, or where it was read from; frames [start, end) of it go into the file. */
static void write_origin(const app_env *env, const app_export_params *request,
                         const marey_entry *entry, int start, int end, buffer *out)
{
    json to = json_make(out);
    const char *repairs = request->captured ? NULL : entry->repairs;
    if (*entry->provenance) {
        app_origin_write(out, entry->provenance, entry->stretches, entry->stretch_count, repairs);
    } else {
        json_open(&to, NULL, '{');
        json_put_string(&to, "library", env->library_path);
        json_put_string(&to, "clip", entry->name);
        json_put_string(&to, "file", entry->source);
        json_put_string(&to, "licence", entry->licence);
        if (end - start < entry->frames) {
            json_put_integer(&to, "start", start);
            json_put_integer(&to, "end", end);
        }
        if (entry->stretch_count) app_stretches_write(&to, entry->stretches, entry->stretch_count);
        if (app_has_repairs(repairs)) json_put_value(&to, "repairs", repairs);
        json_close(&to, '}');
    }
    buffer_text(out, "\n");
    buffer_byte(out, 0);
}

/* Without the marked frames at either end. */
static marey_status trim_marked(marey_clip **clip, int *first, int *behind, marey_error *error)
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
    *first = start;
    *behind = end;
    return MAREY_OK;
}

/* `entry` is NULL where the name was not found, and the library says so. */
static marey_status add_clip(const app_env *env, const app_export_params *request, const char *name,
                             const marey_entry *entry, app_export_result *out, marey_error *error)
{
    marey_clip *clip = NULL;
    buffer origin = buffer_make(env->scope->memory);
    marey_status status = request->captured
                              ? marey_library_load_captured(env->library, name, &clip, error)
                              : marey_library_load(env->library, name, &clip, error);
    int start = 0, end = status == MAREY_OK ? marey_clip_frames(clip) : 0;
    if (status == MAREY_OK && request->trim_marked)
        status = trim_marked(&clip, &start, &end, error);
    if (status == MAREY_OK && entry && entry->provenance_damaged)
        status =
            app_fail(error, MAREY_ERR_INPUT, entry->name, "its provenance must be a JSON object");
    if (status == MAREY_OK && entry) {
        write_origin(env, request, entry, start, end, &origin);
        status = app_check(origin.failed, error);
    }
    if (marey_status_group(status) == MAREY_ERR_INPUT || status == MAREY_ERR_LIMIT) {
        app_batch_fail(&out->many, name, error);
        status = app_check(out->many.failed, error);
        marey_clip_free(clip);
    } else if (status != MAREY_OK) {
        marey_clip_free(clip);
    } else {
        if (entry) name = entry->name; /* it may have been asked for by number */
        if (entry && marey_licence_is_non_commercial(entry->licence)) {
            app_warn(env, "%s: for non-commercial use only: its licence is %s", name,
                     entry->licence);
            out->restricted[out->restricted_count++] = name;
        }
        status = app_batch_clip(&out->many, name, clip, origin.bytes, error);
    }
    buffer_free(&origin);
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_export_params *request = params;
    app_export_result *out = result;
    marey_list_def def = { .label = request->label };
    marey_listing *listing = NULL;
    int count, named = request->clips.count;
    marey_status status = marey_library_list(env->library, &def, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    if (named > 0) count = named;
    out->restricted = APP_NEW(env->scope, const char *, count + 1);
    if (!out->restricted) return app_fail_memory(error);
    const app_preset *preset = app_preset_at(request->changes.engine - 1);
    bool asked = app_given(params_rows, &request->given, "format") ||
                 app_given(params_rows, &request->given, "to");
    out->many = (app_batch){ .env = env,
                             .changes = &request->changes,
                             .folder = request->output,
                             .format = preset && !asked ? preset->format
                                                        : app_written_word(request->format),
                             .pattern = request->pattern,
                             .provenance = request->provenance,
                             .settings = request->captured ? "captured" : "",
                             .total = count };
    status = app_batch_open(&out->many, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const char *name = named > 0 ? request->clips.values[i] : entries[i].name;
        app_progress(env, "exporting", i, count, -1);
        status = add_clip(env, request, name,
                          named > 0 ? app_listing_find(listing, name) : &entries[i], out, error);
    }
    return app_batch_close(&out->many, status, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_export_result *of = result;
    (void)params;
    app_batch_write(&of->many, out);
    json_open(out, "non_commercial", '[');
    for (int i = 0; i < of->restricted_count; i++) json_put_string(out, NULL, of->restricted[i]);
    json_close(out, ']');
    app_failures_write(&of->many.failures, out);
}

const app_operation app_export = {
    .name = "export",
    .summary = "write clips of a library as files",
    .description = { "Writes DIR/NAME.bvh, or another format, for every clip, with the numbers of "
                     "the file it was "
                     "read from; where it was repaired, with the repaired ones. A clip that "
                     "fails to read is reported, the others are still written, and the exit "
                     "status is 1. What was exported before and has not changed is skipped.",
                     "A clip whose licence says NC or non-commercial is mentioned." },
    .params = params_rows,
    .params_size = sizeof(app_export_params),
    .result_size = sizeof(app_export_result),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
};
