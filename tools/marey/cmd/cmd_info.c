/* cmd_info.c - `marey info`: files are read several at a time and reported in the order given, a
   batch at a time, so that memory does not grow with their number. */
#include "clip_info.h"
#include "commands.h"
#include "failures.h"
#include "folder.h"
#include "info.h"
#include "input.h"

#include <string.h>

enum { FEW_FILES = 8, BATCH_PER_THREAD = 2 };

typedef struct job {
    found file;
    marey_clip *clip; /* NULL if it could not be read */
    marey_error error;
} job;

typedef struct info {
    session *run;
    input from;
    found_list list;
    bool as_table;
    job *jobs;
    int job_room;
    int job_count;
    int64_t reported;
    int64_t skipped_count;
    json clips;     /* writes into run->out */
    buffer skipped; /* with --json the array's values, else lines */
    json skipped_to;
    failures errors;
    int status; /* if nothing more can be done */
} info;

/* ---- reading --------------------------------------------------------------------------------- */

static void read_one(void *user, int64_t i)
{
    info *all = user;
    job *one = &all->jobs[i];
    one->clip = NULL;
    if (one->file.kind == FOUND_SPECIAL) return;
    if (one->file.kind == FOUND_UNREADABLE) {
        found_error(&one->file, &one->error);
        return;
    }
    if (all->from.library) {
        marey_library_load(all->from.library, one->file.path, &one->clip, &one->error);
        return;
    }
    marey_clip_load(all->run->ctx, one->file.path, &all->from.def, &one->clip, &one->error);
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void report_clip(info *all, const job *one)
{
    buffer *out = &all->run->out;
    if (all->run->json) {
        json_open(&all->clips, NULL, '{');
        app_info_write(one->clip, one->file.path, &all->clips);
        json_close(&all->clips, '}');
    } else if (all->as_table) {
        if (all->reported == 0) info_table_head(out);
        info_table_line(out, one->file.path, one->clip);
    } else {
        if (all->reported > 0) buffer_byte(out, '\n');
        info_report(out, one->file.path, one->clip);
    }
    all->reported++;
}

static bool is_skipped(const job *one)
{
    if (one->file.kind == FOUND_SPECIAL) return true;
    return one->file.kind == FOUND_IN_FOLDER && one->error.status == MAREY_ERR_UNKNOWN_FORMAT;
}

static void report_skipped(info *all, const job *one)
{
    all->skipped_count++;
    if (all->run->json) {
        json_put_string(&all->skipped_to, NULL, one->file.path);
    } else if (!all->as_table) {
        buffer_text(&all->skipped, "skipped: ");
        buffer_shown(&all->skipped, one->file.path);
        buffer_byte(&all->skipped, '\n');
    }
}

/* Returns false if nothing more can be done, the run having failed. */
static bool report_error(info *all, const job *one)
{
    if (failure_ends_all(&one->error)) {
        all->status = session_fail(all->run, &one->error);
        return false;
    }
    /* What came before it is shown before it. */
    if (!all->run->json && !session_flush(all->run)) {
        all->status = PROGRAM_MACHINE;
        return false;
    }
    failures_add(&all->errors, one->file.path, &one->error);
    return true;
}

static bool report_one(info *all, const job *one)
{
    if (one->clip) {
        report_clip(all, one);
    } else if (is_skipped(one)) {
        report_skipped(all, one);
    } else {
        return report_error(all, one);
    }
    return true;
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool do_batch(info *all)
{
    bool goes_on = true;
    if (all->from.library) {
        /* A library may be used from one thread at a time. */
        for (int i = 0; i < all->job_count; i++) read_one(all, i);
    } else {
        marey_ctx_run(all->run->ctx, all->job_count, read_one, all);
    }
    for (int i = 0; i < all->job_count; i++) {
        if (goes_on) goes_on = report_one(all, &all->jobs[i]);
        marey_clip_free(all->jobs[i].clip);
    }
    /* A JSON object goes out in one piece at the end, so that a failure can take its place. */
    if (goes_on && !all->run->json && !session_flush(all->run)) {
        all->status = PROGRAM_MACHINE;
        goes_on = false;
    }
    return goes_on;
}

static bool do_all(info *all)
{
    size_t offset = 0;
    int64_t done = 0;
    found file;
    while (found_next(&all->list, &offset, &file)) {
        all->jobs[all->job_count++].file = file;
        if (all->job_count < all->job_room && offset < all->list.records.used) continue;
        session_progress(all->run, "reading files", done, all->list.count);
        if (!do_batch(all)) return false;
        done += all->job_count;
        all->job_count = 0;
    }
    return true;
}

static int finish(info *all)
{
    session *run = all->run;
    if (run->json) {
        json_close(&all->clips, ']');
        json_put_array_of(&all->clips, "skipped", &all->skipped);
        json_put_array_of(&all->clips, "errors", &all->errors.values);
        json_close(&all->clips, '}');
        buffer_byte(&run->out, '\n');
    } else if (all->as_table && all->skipped_count > 0) {
        buffer_print(&run->out, "skipped: %lld of no known format (--long lists them)\n",
                     (long long)all->skipped_count);
    } else {
        if (all->skipped.failed) run->out.failed = true;
        buffer_bytes(&run->out, all->skipped.bytes, all->skipped.used);
    }
    return session_finish(run, all->errors.status);
}

static int read_and_report(info *all)
{
    session *run = all->run;
    int64_t most = (int64_t)marey_ctx_threads(run->ctx) * BATCH_PER_THREAD;
    all->job_room = (int)(all->list.count < most ? all->list.count : most);
    if (all->job_room < 1) all->job_room = 1;
    size_t bytes = (size_t)all->job_room * sizeof(job);
    all->jobs = session_resize(run, NULL, 0, bytes);
    if (!all->jobs) return session_fail_memory(run);
    if (run->json) {
        json_open(&all->clips, NULL, '{');
        json_open(&all->clips, "clips", '[');
    }
    /* With several files the library would report from several threads at once. */
    run->own_progress = all->list.count > 1;
    int status = do_all(all) ? finish(all) : all->status;
    session_resize(run, all->jobs, bytes, 0);
    return status;
}

static marey_status find_files(info *all, const request *asked)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < asked->operand_count && status == MAREY_OK; i++) {
        status = all->from.library
                     ? found_add_name(&all->list, asked->operands[i])
                     : folder_walk(&all->run->host->def, asked->operands[i], &all->list);
    }
    all->as_table = all->list.count > FEW_FILES && !request_has(asked, OPTION_LONG);
    return status;
}

int command_info(session *run, const request *asked)
{
    const marey_ctx_def *memory = &run->host->def;
    info all = { .run = run };
    int status = input_open(run, asked, &all.from);
    if (status != PROGRAM_DONE) return status;
    all.list.records = buffer_make(memory);
    all.skipped = buffer_make(memory);
    all.clips = json_make(&run->out);
    all.skipped_to = json_make(&all.skipped);
    failures_make(&all.errors, run);
    if (find_files(&all, asked) == MAREY_OK) {
        status = read_and_report(&all);
    } else {
        status = session_fail_memory(run);
    }
    failures_free(&all.errors);
    buffer_free(&all.skipped);
    buffer_free(&all.list.records);
    input_close(&all.from);
    return status;
}
