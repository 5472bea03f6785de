/* cmd_add.c - `marey add`: files, folders and the demo into a library, all in one transaction. */
#include "commands.h"
#include "failures.h"
#include "folder.h"
#include "input.h"
#include "shelf.h"

#include <limits.h>
#include <stdio.h>

typedef struct adding {
    session *run;
    found_list list;
    size_t offset; /* of the record that comes next */
    bool each;     /* one line for each file */
    int64_t added, duplicates, skipped;
    buffer added_values, duplicate_values, skipped_values; /* the arrays', for JSON */
    json added_to, duplicates_to, skipped_to;
    failures errors;
    marey_add_def def;
    const char *labels[MOST_REPEATED];
} adding;

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

static bool answer_failed(const adding *all)
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
    /* Nobody could be told what happened: better that nothing does. */
    if (answer_failed(all)) marey_ctx_cancel(all->run->ctx);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void summarize(adding *all)
{
    buffer *out = &all->run->out;
    json to = json_make(out);
    if (all->run->json) {
        json_open(&to, NULL, '{');
        json_put_array_of(&to, "added", &all->added_values);
        json_put_array_of(&to, "duplicates", &all->duplicate_values);
        json_put_array_of(&to, "skipped", &all->skipped_values);
        json_put_array_of(&to, "errors", &all->errors.values);
        json_close(&to, '}');
        buffer_byte(out, '\n');
        return;
    }
    if (all->run->quiet) return;
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

/* A cancel may be our own, for want of memory. */
static int end_adding(adding *all, shelf *at, marey_status status, marey_error *error)
{
    session *run = all->run;
    if (answer_failed(all)) {
        shelf_close(at, status == MAREY_OK);
        run->out.used = 0;
        return session_fail_memory(run);
    }
    if (status != MAREY_OK) return shelf_end(at, status, error);
    found file;
    while (next_file(all, &file)) {
    }
    shelf_close(at, all->added > 0 || all->errors.status == PROGRAM_DONE);
    summarize(all);
    return session_finish(run, all->errors.status);
}

/* ---- asking for it --------------------------------------------------------------------------- */

static int add_paths(adding *all, const char *library, const char **paths, int count)
{
    shelf at;
    marey_error error;
    marey_status status = shelf_open(all->run, library, MAREY_LIBRARY_CREATE, &at, &error);
    if (status != MAREY_OK) return session_fail(all->run, &error);
    status = marey_library_add(at.library, paths, count, &all->def, &error);
    return end_adding(all, &at, status, &error);
}

/* The paths of all files in one array, as the library wants them. */
static int add_found(adding *all, const char *library)
{
    session *run = all->run;
    size_t bytes = ((size_t)all->list.count + 1) * sizeof(char *), offset = 0;
    const char **paths = all->list.count < INT_MAX ? session_resize(run, NULL, 0, bytes) : NULL;
    found file;
    int count = 0;
    if (!paths) return session_fail_memory(run);
    while (found_next(&all->list, &offset, &file)) {
        if (holds_a_file(&file)) paths[count++] = file.path;
    }
    int status = add_paths(all, library, paths, count);
    session_resize(run, paths, bytes, 0);
    return status;
}

static int read_options(adding *all, const request *asked)
{
    const char *label;
    int at = 0, count = 0;
    int status = input_options(all->run, asked, &all->def.load);
    while ((label = request_next(asked, OPTION_LABEL, &at))) {
        if (!*label) return session_usage(all->run, "--label takes a word");
        all->labels[count++] = label;
    }
    all->each = request_has(asked, OPTION_LONG);
    all->def.demo = request_has(asked, OPTION_DEMO);
    if (status == PROGRAM_DONE && asked->operand_count < 2 && !all->def.demo) {
        return session_usage(all->run, "name files to add, or say --demo");
    }
    all->def.labels = all->labels;
    all->def.label_count = count;
    all->def.label_from_folder = request_has(asked, OPTION_LABEL_FROM_FOLDER);
    all->def.index_path = asked->values[OPTION_INDEX];
    all->def.licence = asked->values[OPTION_LICENCE];
    all->def.done = report_one;
    all->def.user = all;
    return status;
}

static int walk_and_add(adding *all, const request *asked)
{
    marey_status status = MAREY_OK;
    for (int i = 1; i < asked->operand_count && status == MAREY_OK; i++) {
        status = folder_walk(all->run, asked->operands[i], &all->list);
    }
    if (status != MAREY_OK) return session_fail_memory(all->run);
    return add_found(all, asked->operands[0]);
}

int command_add(session *run, const request *asked)
{
    const marey_ctx_def *memory = &run->host->def;
    adding all = { .run = run };
    int status = read_options(&all, asked);
    if (status != PROGRAM_DONE) return status;
    all.list.records = buffer_make(memory);
    all.added_values = buffer_make(memory);
    all.duplicate_values = buffer_make(memory);
    all.skipped_values = buffer_make(memory);
    all.added_to = json_make(&all.added_values);
    all.duplicates_to = json_make(&all.duplicate_values);
    all.skipped_to = json_make(&all.skipped_values);
    failures_make(&all.errors, run);
    status = walk_and_add(&all, asked);
    failures_free(&all.errors);
    buffer_free(&all.skipped_values);
    buffer_free(&all.duplicate_values);
    buffer_free(&all.added_values);
    buffer_free(&all.list.records);
    return status;
}
