/* convert_clips.c - `convert`: clips are put end to end, changed in a fixed order, and written as
   one; or each is changed and written by itself. */
#include "body_maps.h"
#include "files.h"
#include "folder.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = offsetof(app_convert_params, clips),
      .place = APP_REST,
      .needed = true,
      .value = "IN",
      .help =
          "clips, or some of their frames; several are put end to end; with --to also folders" },
    { .name = "trim",
      .type = APP_TEXT,
      .at = offsetof(app_convert_params, trim),
      .value = "A-B",
      .help = "keep frames A to B, B not included: 120-300, or 1.5s-3s" },
    { .name = "align",
      .type = APP_SWITCH,
      .at = offsetof(app_convert_params, align),
      .help = "turn and move every further clip to start where the one before it ended" },
    APP_CHANGE_PARAMS(app_convert_params),
    { .name = "to",
      .type = APP_WORD,
      .at = offsetof(app_convert_params, to),
      .of_file = true,
      .value = "FORMAT",
      .word = app_written_word,
      .help = "write every clip as a file of its own in this format, into the folder of -o" },
    { .name = "output",
      .letter = 'o',
      .type = APP_TEXT,
      .at = offsetof(app_convert_params, output),
      .of_file = true,
      .only_if = "to",
      .note = true,
      .value = "DIR",
      .help = "the folder to write to; made if it is not there" },
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_convert_params, pattern),
      .of_file = true,
      .only_if = "to",
      .note = true,
      .value = "PATTERN",
      .help =
          "how files are named, of {name}, {subject}, {folder} and {number} (default: {name})" },
    APP_READING_PARAMS(app_convert_params, app_units_word),
    { 0 },
};

static bool is_many(const app_convert_params *request)
{
    return app_given(params_rows, &request->given, "to");
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_convert_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    frame_range trim;
    if (request->trim && !range_parse(request->trim, &trim))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%strim must be frames as 120-300 or times as 1.5s-3s, got %s", dashes,
                        request->trim);
    if (!is_many(request)) return MAREY_OK;
    if (request->trim || request->align)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s%s is not for %sto", dashes,
                        request->trim ? "trim" : "align", dashes);
    if (!request->output)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sto needs a folder: %s", dashes,
                        dialect == APP_COMMAND_LINE ? "-o DIR" : "output");
    return request->pattern ? app_pattern_check(request->pattern, dashes, error) : MAREY_OK;
}

/* Behind the frames that a segment names, --trim counts those that are left. */
static marey_status trim(const app_env *env, const app_convert_params *request,
                         const app_segment *segment, marey_clip **clip, app_source *source,
                         marey_error *error)
{
    int dropped = segment->range.given ? 0 : source->start, start, end;
    frame_range range;
    marey_clip *part = NULL;
    if (!request->trim || !range_parse(request->trim, &range)) return MAREY_OK;
    marey_status status = range_find(&range, *clip, dropped, &start, &end, error);
    if (status == MAREY_OK) status = marey_clip_trim(*clip, start, end, &part, error);
    if (status == MAREY_OK) status = app_own_clip(env, part, error);
    if (status != MAREY_OK) {
        snprintf(error->path, sizeof error->path, "%.1000s", segment->clip);
        return status;
    }
    *clip = part;
    source->end = source->start + end;
    source->start += start;
    return MAREY_OK;
}

/* One clip of all of them. */
static marey_status join(const app_env *env, const app_convert_params *request,
                         app_provenance *from, marey_clip **out, marey_error *error)
{
    int count = request->clips.count;
    marey_clip **clips = APP_NEW(env->scope, marey_clip *, count);
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        const app_segment *segment = &request->clips.values[i];
        app_source source;
        marey_status status =
            app_clip_read(env, &request->reading, segment, &clips[i], &source, error);
        if (status == MAREY_OK) status = trim(env, request, segment, &clips[i], &source, error);
        if (status != MAREY_OK) return status;
        app_provenance_source(from, env->scope, &source);
    }
    *out = clips[0];
    if (count == 1) return MAREY_OK;
    marey_status status =
        marey_clip_concatenate((const marey_clip *const *)clips, count, request->align, out, error);
    if (status == MAREY_OK) status = app_own_clip(env, *out, error);
    if (status != MAREY_OK) return status;
    const marey_report *report = marey_clip_report(*out);
    for (int i = marey_clip_report(clips[0])->warning_count; i < report->warning_count; i++)
        app_warn(env, "%s: warning: %s", env->output ? env->output : marey_clip_name(*out),
                 report->warnings[i]);
    return MAREY_OK;
}

/* ---- each by itself -------------------------------------------------------------------------- */

/* A clip of a library, or the named frames of a file. */
static marey_status add_segment(const app_env *env, const app_convert_params *request,
                                app_batch *batch, const app_segment *segment, marey_error *error)
{
    app_provenance from = { 0 };
    app_source source;
    marey_clip *clip = NULL, *own = NULL;
    const char *origin, *licences;
    marey_status status = app_clip_read(env, &request->reading, segment, &clip, &source, error);
    if (status == MAREY_OK) {
        app_provenance_source(&from, env->scope, &source);
        status = app_provenance_write(&from, env, &app_convert, &request->given, &origin, &licences,
                                      error);
    }
    /* The scope frees the one that was read, the batch the other. */
    if (status == MAREY_OK) status = marey_clip_trim(clip, 0, marey_clip_frames(clip), &own, error);
    if (status == MAREY_OK) return app_batch_clip(batch, marey_clip_name(clip), own, origin, error);
    if (app_failure_ends_all(error)) return status;
    app_batch_fail(batch, segment->clip, error);
    return app_check(batch->failed, error);
}

/* The folder that a found file lies in, seen from the one that was named, with a slash behind. */
static void put_below(const char *named, const char *path, char *below, size_t room)
{
    size_t skip = strlen(named);
    while (path[skip] == '/') skip++;
    const char *slash = strrchr(path, '/');
    int length = slash && slash >= path + skip ? (int)(slash + 1 - (path + skip)) : 0;
    snprintf(below, room, "%.*s", length, path + skip);
}

static marey_status add_files(const app_env *env, app_batch *batch, const char *named,
                              const found_list *list, marey_error *error)
{
    char below[4096] = "";
    size_t offset = 0;
    found file;
    marey_status status = MAREY_OK;
    while (status == MAREY_OK && found_next(list, &offset, &file)) {
        bool inside = file.kind == FOUND_IN_FOLDER;
        if (marey_ctx_cancelled(env->ctx))
            return app_fail(error, MAREY_ERR_CANCELLED, NULL, "cancelled");
        if (inside && app_batch_made(batch, file.path)) continue;
        if (inside) put_below(named, file.path, below, sizeof below);
        if (inside || file.kind == FOUND_NAMED)
            status = app_batch_file(batch, file.path, inside ? below : "", inside, error);
        else if (file.kind == FOUND_SPECIAL)
            app_batch_skip(batch, file.path);
        if (file.kind == FOUND_UNREADABLE) {
            found_error(&file, error);
            app_batch_fail(batch, file.path, error);
        }
    }
    return status == MAREY_OK ? app_check(batch->failed, error) : status;
}

/* Inputs are counted before the first is read, for progress. */
static marey_status run_many(const app_env *env, const app_convert_params *request,
                             app_batch *batch, marey_error *error)
{
    int count = request->clips.count;
    found_list *lists = APP_NEW(env->scope, found_list, count);
    if (!lists) return app_fail_memory(error);
    batch->env = env;
    batch->changes = &request->changes;
    batch->reading = &request->reading;
    batch->folder = request->output;
    batch->format = app_written_word(request->to);
    batch->pattern = request->pattern;
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const app_segment *segment = &request->clips.values[i];
        bool is_file = !env->library && !segment->range.given;
        lists[i].records = buffer_make(env->scope->memory);
        if (is_file) status = folder_walk(env->scope->memory, segment->clip, &lists[i]);
        batch->total += is_file ? (int)lists[i].count : 1;
    }
    if (status != MAREY_OK) app_fail_memory(error);
    if (status == MAREY_OK) status = app_batch_open(batch, error);
    for (int i = 0; i < count; i++) {
        const char *named = request->clips.values[i].clip;
        size_t offset = 0;
        if (status == MAREY_OK && !env->library && request->clips.values[i].range.given)
            status = app_batch_expect(batch, NULL, named, error);
        for (found file; status == MAREY_OK && found_next(&lists[i], &offset, &file);)
            status = app_batch_expect(batch, file.kind == FOUND_IN_FOLDER ? named : NULL, file.path,
                                      error);
    }
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const app_segment *segment = &request->clips.values[i];
        app_progress(env, "exporting", i, count, -1);
        if (marey_ctx_cancelled(env->ctx))
            status = app_fail(error, MAREY_ERR_CANCELLED, NULL, "cancelled");
        else
            status = env->library || segment->range.given
                         ? add_segment(env, request, batch, segment, error)
                         : add_files(env, batch, segment->clip, &lists[i], error);
    }
    status = app_batch_close(batch, status, error);
    for (int i = 0; i < count; i++) buffer_free(&lists[i].records);
    return status;
}

/* ---- all as one ------------------------------------------------------------------------------ */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_convert_params *request = params;
    app_convert_result *out = result;
    app_made *made = &out->made;
    marey_clip *clip = NULL, *changed = NULL, *body = NULL;
    if (is_many(request)) return run_many(env, request, &out->many, error);
    marey_status status = join(env, request, &made->from, &clip, error);
    if (status != MAREY_OK) return status;
    app_map map = { 0 };
    if (request->changes.onto.clip)
        status = app_body_read(env, &request->changes.onto, &body, error);
    if (status == MAREY_OK && body)
        status = app_map_open(env, &request->changes.map, clip, body, &map, error);
    if (status != MAREY_OK) return status;
    status = app_changes_make(&request->changes, body, app_map_used(&map), clip, &changed, error);
    if (status == MAREY_OK) status = app_own_clip(env, changed, error);
    if (status != MAREY_OK) {
        snprintf(error->path, sizeof error->path, "%.1000s", request->clips.values[0].clip);
        return status;
    }
    if (changed) clip = changed;
    const marey_format *format = env->output ? marey_format_of(env->output) : NULL;
    marey_units written = format ? format->written_units : MAREY_UNITS_GUESS;
    made->made.clip = clip;
    made->no_plants = true;
    out->units = marey_units_name(written ? written : marey_clip_units(clip));
    out->up = !written && marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y";
    return app_made_note(env, &app_convert, &request->given, made, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_convert_result *of = result;
    const marey_clip *clip = of->made.made.clip;
    if (is_many(params)) {
        app_batch_write(&of->many, out);
        return;
    }
    json_put_integer(out, "frames", marey_clip_frames(clip));
    json_put_number(out, "fps", marey_clip_fps(clip));
    json_put_number(out, "seconds", marey_clip_seconds(clip));
    json_put_integer(out, "joints", marey_clip_skeleton(clip)->joint_count);
    json_put_string(out, "units", of->units);
    json_put_string(out, "up", of->up);
}

APP_MADE_OF(app_convert_result, made)

const app_operation app_convert = {
    .name = "convert",
    .summary = "write a clip again, changed or in another format",
    .description = { "IN may name some of its frames: walk.bvh#120-300 (the end is not "
                     "included), walk.bvh#1.5s-3s, walk.bvh#120. Several inputs with the same "
                     "joints are put end to end. The format of OUT goes by its ending.",
                     "The changes are made in this order: frames named by IN, trim, end to "
                     "end, body, mirror, in place, scale, rate, units and axes. A clip that "
                     "nothing "
                     "changes is written with the numbers of its file.",
                     "OUT appears when it is whole; it may be the same file as IN. "
                     "LIB.marey:NAME puts the clip into a library, which is made if it is not "
                     "there, under NAME or, if that is taken, NAME-2, with its sources, frames, "
                     "settings and licences.",
                     "With -L the inputs are names of clips in a library. If one of them is "
                     "marked as non-commercial, that is said.",
                     "With --to every input is a file of its own in the folder of -o, also those "
                     "of folders, which keep their places below it. What was made before of the "
                     "same file with the same settings is skipped; one that fails does not stop "
                     "the others, and the exit status is 1 then." },
    .params = params_rows,
    .params_size = sizeof(app_convert_params),
    .result_size = sizeof(app_convert_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "edit of",
    .output_last = true,
    .many_option = "to",
};
