/* adding.c - files and folders on their way into a library. */
#include "adding.h"

#include "input.h"

#include <limits.h>
#include <stdio.h>

void adding_make(adding *all, session *run)
{
    const marey_ctx_def *memory = &run->host->def;
    *all = (adding){ .run = run };
    all->list.records = buffer_make(memory);
    all->added_values = buffer_make(memory);
    all->duplicate_values = buffer_make(memory);
    all->skipped_values = buffer_make(memory);
    all->added_to = json_make(&all->added_values);
    all->duplicates_to = json_make(&all->duplicate_values);
    all->skipped_to = json_make(&all->skipped_values);
    failures_make(&all->errors, run);
}

void adding_free(adding *all)
{
    failures_free(&all->errors);
    buffer_free(&all->skipped_values);
    buffer_free(&all->duplicate_values);
    buffer_free(&all->added_values);
    buffer_free(&all->list.records);
}

/* ---- one file -------------------------------------------------------------------------------- */

static void report_line(adding *all, const char *what, const char *path, const char *name)
{
    buffer *out = &all->run->out;
    if (!all->each || all->run->json) return;
    buffer_print(out, "%-10s", what);
    buffer_shown(out, path);
    if (*name) {
        buffer_text(out, ": ");
        buffer_shown(out, name);
    }
    buffer_byte(out, '\n');
}

static void report_added(adding *all, const marey_add_result *result)
{
    const marey_report *report = marey_clip_report(result->clip);
    json *to = &all->added_to;
    all->added++;
    report_line(all, "added", result->path, result->name);
    if (all->each) input_say_warnings(all->run, result->path, result->clip, 0);
    if (!all->run->json) return;
    json_open(to, NULL, '{');
    json_put_string(to, "name", result->name);
    json_put_string(to, "path", result->path);
    json_put_integer(to, "frames", result->frames);
    json_put_number(to, "fps", marey_clip_fps(result->clip));
    json_open(to, "warnings", '[');
    for (int i = 0; i < report->warning_count; i++) json_put_string(to, NULL, report->warnings[i]);
    json_close(to, ']');
    json_close(to, '}');
}

static void report_duplicate(adding *all, const marey_add_result *result)
{
    json *to = &all->duplicates_to;
    all->duplicates++;
    report_line(all, "duplicate", result->path, result->name);
    if (!all->run->json) return;
    json_open(to, NULL, '{');
    json_put_string(to, "path", result->path);
    json_put_string(to, "name", result->name);
    json_close(to, '}');
}

static void report_skipped(adding *all, const char *path)
{
    all->skipped++;
    report_line(all, "skipped", path, "");
    if (all->run->json) json_put_string(&all->skipped_to, NULL, path);
}

/* A file that was named and holds no motion is a mistake; in a folder it is only in the way. A
   skeleton belongs to motion, also when a shell's pattern has named it. */
static void report_without_motion(adding *all, const marey_add_result *result, found_kind kind)
{
    if (kind == FOUND_NAMED && !result->clip && result->error) {
        failures_add(&all->errors, result->path, result->error);
    } else {
        report_skipped(all, result->path);
    }
}

/* ---- all files, in their order --------------------------------------------------------------- */

static bool holds_a_file(const found *file)
{
    return file->kind == FOUND_NAMED || file->kind == FOUND_IN_FOLDER;
}

/* The next file, what stands before it and is none being reported; false past the last. */
static bool next_file(adding *all, found *file)
{
    while (found_next(&all->list, &all->offset, file)) {
        marey_error error;
        if (holds_a_file(file)) return true;
        if (file->kind == FOUND_SPECIAL) {
            report_skipped(all, file->path);
        } else {
            found_error(file, &error);
            failures_add(&all->errors, file->path, &error);
        }
    }
    return false;
}

bool adding_failed(const adding *all)
{
    return all->run->out.failed || all->added_values.failed || all->duplicate_values.failed ||
           all->skipped_values.failed || all->errors.values.failed;
}

static void report_one(void *user, const marey_add_result *result)
{
    adding *all = user;
    found file = { .kind = FOUND_NAMED };
    if (!result->demo && !next_file(all, &file)) return;
    switch (result->outcome) {
    case MAREY_ADD_DONE: report_added(all, result); break;
    case MAREY_ADD_DUPLICATE: report_duplicate(all, result); break;
    case MAREY_ADD_SKIPPED: report_without_motion(all, result, file.kind); break;
    case MAREY_ADD_FAILED: failures_add(&all->errors, result->path, result->error); break;
    }
    if (all->taken && *result->name) all->taken(all->taken_user, result);
    /* Nobody could be told what happened: better that nothing does. */
    if (adding_failed(all)) marey_ctx_cancel(all->run->ctx);
}

/* ---- adding them ------------------------------------------------------------------------------ */

marey_status adding_walk(adding *all, char *const *names, int count)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        status = folder_walk(&all->run->host->def, names[i], &all->list);
    }
    return status;
}

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY };
    snprintf(error->message, sizeof error->message, "%s", marey_status_name(MAREY_ERR_MEMORY));
    return MAREY_ERR_MEMORY;
}

/* The paths of all files in one array, as the library wants them. A cancel may be our own, for want of memory. */
marey_status adding_run(adding *all, marey_library *library, marey_error *error)
{
    session *run = all->run;
    size_t bytes = ((size_t)all->list.count + 1) * sizeof(char *), offset = 0;
    const char **paths = all->list.count < INT_MAX ? session_resize(run, NULL, 0, bytes) : NULL;
    found file;
    int count = 0;
    if (!paths) return fail_memory(error);
    while (found_next(&all->list, &offset, &file)) {
        if (holds_a_file(&file)) paths[count++] = file.path;
    }
    all->def.done = report_one;
    all->def.user = all;
    marey_status status = marey_library_add(library, paths, count, &all->def, error);
    session_resize(run, paths, bytes, 0);
    while (status == MAREY_OK && next_file(all, &file)) {
    }
    return adding_failed(all) ? fail_memory(error) : status;
}

/* ---- what became of them ---------------------------------------------------------------------- */

void adding_json(const adding *all, json *to)
{
    json_put_array_of(to, "added", &all->added_values);
    json_put_array_of(to, "duplicates", &all->duplicate_values);
    json_put_array_of(to, "skipped", &all->skipped_values);
    json_put_array_of(to, "errors", &all->errors.values);
}

void adding_text(const adding *all, buffer *out)
{
    buffer_text(out, "added ");
    buffer_clips(out, all->added);
    if (all->duplicates > 0) {
        buffer_print(out, ", %lld duplicate%s", (long long)all->duplicates,
                     all->duplicates == 1 ? "" : "s");
    }
    if (all->skipped > 0) {
        buffer_print(out, ", %lld file%s skipped", (long long)all->skipped,
                     all->skipped == 1 ? "" : "s");
    }
    if (all->errors.count > 0) buffer_print(out, ", %d failed", all->errors.count);
    buffer_byte(out, '\n');
}
