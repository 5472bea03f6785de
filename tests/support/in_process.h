/* in_process.h - runs the program inside a test, with streams, memory and files of the test's own.
   program_lines.h has what most of its readers do with it. */
#ifndef MAREY_TEST_IN_PROCESS_H
#define MAREY_TEST_IN_PROCESS_H

#include "program.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A stream that keeps what it is sent and has room for `room` bytes; -1: for all. */
typedef struct test_stream {
    char *bytes; /* with a zero behind them */
    size_t used;
    long room;
} test_stream;

/* What the program reads, at most `piece` bytes at once; 0: all there is. */
typedef struct test_source {
    const char *bytes;
    size_t count, used, piece;
} test_source;

static inline int64_t source_read(void *user, char *bytes, size_t room)
{
    test_source *source = user;
    size_t taken = source->count - source->used;
    if (taken > room) taken = room;
    if (source->piece && taken > source->piece) taken = source->piece;
    if (taken) memcpy(bytes, source->bytes + source->used, taken);
    source->used += taken;
    return (int64_t)taken;
}

typedef struct test_run {
    test_memory memory;
    test_files files;
    test_source in;
    test_stream out, err;
    bool err_is_terminal;
    bool portable; /* as in marey_ctx_def */
    /* With timed its clock stands still until look number late_at, counted from 0, and then says that
       any time is over. */
    bool timed;
    long late_at, looks; /* at it so far */
    bool cancel;         /* as soon as the context is there */
    long cancel_at;      /* allocation that cancels, counted from 0; -1: none */
    marey_ctx *ctx;      /* while the command runs */
    int status;
} test_run;

static inline int stream_write(void *user, const char *bytes, size_t count)
{
    test_stream *stream = user;
    size_t taken = count;
    if (stream->room >= 0 && stream->used + count > (size_t)stream->room)
        taken = (size_t)stream->room - stream->used;
    stream->bytes = realloc(stream->bytes, stream->used + taken + 1);
    memcpy(stream->bytes + stream->used, bytes, taken);
    stream->used += taken;
    stream->bytes[stream->used] = 0;
    return taken == count ? 0 : -ENOSPC;
}

static inline test_run test_run_make(void)
{
    return (test_run){ .memory = { .refuse = -1 },
                       .files = { .fail = -1, .kinds = TEST_IO_ALL },
                       .out = { .room = -1 },
                       .err = { .room = -1 },
                       .cancel_at = -1 };
}

static inline void cancel_at_once(void *user, marey_ctx *ctx)
{
    test_run *run = user;
    run->ctx = ctx;
    if (ctx && run->cancel) marey_ctx_cancel(ctx);
}

static inline void *resize_or_cancel(void *user, void *old, size_t old_size, size_t size)
{
    test_run *run = user;
    /* The count is looked at only where it is asked for: with several threads it is not ours to
       read. */
    bool counts = run->cancel_at >= 0 && run->ctx;
    if (counts && run->memory.calls == run->cancel_at) marey_ctx_cancel(run->ctx);
    return test_memory_resize(&run->memory, old, old_size, size);
}

/* One thread, as in test_run_line. */
static inline int64_t look_at_clock(void *user)
{
    test_run *run = user;
    return run->looks++ < run->late_at ? 0 : INT64_MAX / 2;
}

/* Splits at blanks; '...' keeps them. Cuts `line` into its words. */
static inline int split_words(char *line, char **words, int room)
{
    int count = 0;
    for (char *at = line; *at && count < room - 1;) {
        at += strspn(at, " ");
        if (!*at) break;
        char end = *at == '\'' ? *at++ : ' ';
        words[count++] = at;
        at += strcspn(at, (char[]){ end, 0 });
        if (*at) *at++ = 0;
    }
    words[count] = NULL;
    return count;
}

/* Runs "marey ...". One thread unless the line says otherwise, so that calls of the hooks come in
   the same order every time. Nothing may be held, open, or left half-written afterwards. */
static inline int test_run_line(test_run *run, const char *line)
{
    char *words[64], copy[4096];
    snprintf(copy, sizeof copy, "%s", line);
    int count = split_words(copy, words, 64);
    program_host host = {
        .def = { .resize = resize_or_cancel,
                 .resize_user = run,
                 .threads = 1,
                 .portable = run->portable,
                 .clock_ns = run->timed ? look_at_clock : NULL,
                 .clock_user = run,
                 .io = test_files_io(&run->files) },
        .in = { source_read, &run->in },
        .out = { stream_write, &run->out },
        .err = { stream_write, &run->err },
        .err_is_terminal = run->err_is_terminal,
        .running = cancel_at_once,
        .running_user = run,
    };
    stream_write(&run->out, "", 0);
    stream_write(&run->err, "", 0);
    run->status = program_run(&host, count, words);
    assert_int_equal(run->memory.live, 0);
    assert_int_equal(run->memory.held, 0);
    assert_int_equal(run->files.open_handles, 0);
    return run->status;
}

static inline void test_run_free(test_run *run)
{
    free(run->out.bytes);
    free(run->err.bytes);
}

/* ---- is it JSON? ----------------------------------------------------------------------------- */

static inline const char *json_skip(const char *at, int depth);

static inline const char *json_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static inline const char *json_skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return NULL;
        if (*at != '\\') continue;
        at++;
        if (!*at || !strchr("\"\\/bfnrtu", *at)) return NULL;
        if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") < 4) return NULL;
    }
    return *at == '"' ? at + 1 : NULL;
}

static inline const char *json_skip_members(const char *at, int depth)
{
    char close = *at == '{' ? '}' : ']';
    at = json_blanks(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            if (*at != '"' || !(at = json_skip_string(at)) || *(at = json_blanks(at)) != ':')
                return NULL;
            at = json_blanks(at + 1);
        }
        if (!(at = json_skip(at, depth + 1))) return NULL;
        at = json_blanks(at);
        if (*at == close) return at + 1;
        if (*at != ',') return NULL;
        at = json_blanks(at + 1);
    }
}

static inline const char *json_skip(const char *at, int depth)
{
    static const char *const words[] = { "null", "true", "false" };
    char *end;
    if (depth > 20) return NULL;
    if (*at == '{' || *at == '[') return json_skip_members(at, depth);
    if (*at == '"') return json_skip_string(at);
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0) return at + strlen(words[i]);
    if (*at != '-' && (*at < '0' || *at > '9')) return NULL;
    strtod(at, &end);
    return end;
}

/* One object, one line, nothing else. */
static inline bool is_one_json_object(const char *text)
{
    const char *end = *text == '{' ? json_skip(text, 0) : NULL;
    return end && strcmp(end, "\n") == 0;
}

/* ---- refused memory -------------------------------------------------------------------------- */

static inline void check_refusal(const test_run *run, const char *line)
{
    if (run->status != 3) fail_msg("status %d from %s: %s", run->status, line, run->err.bytes);
    assert_non_null(strstr(run->err.bytes, "out of memory"));
    if (strstr(line, "--json")) assert_true(is_one_json_object(run->out.bytes));
}

/* Refuses allocations in turn, alone and with all that follow, until one run asks for no more. */
static inline void sweep_memory(const char *line, void (*check)(const test_run *run, void *user),
                                void *user)
{
    for (int way = 0; way < (test_is_long() ? 2 : 1); way++) {
        bool is_refused = true, from_then_on = way;
        for (long refuse = 0; is_refused; refuse = test_next(refuse)) {
            test_run run = test_run_make();
            run.memory.refuse = refuse;
            run.memory.from_then_on = from_then_on;
            if (!test_is_long()) from_then_on = !from_then_on;
            test_run_line(&run, line);
            is_refused = run.memory.calls > refuse;
            if (is_refused && run.status != 0) check_refusal(&run, line);
            if (!is_refused && run.status != 0)
                fail_msg("%s: status %d: %s", line, run.status, run.err.bytes ? run.err.bytes : "");
            if (check) check(&run, user);
            test_run_free(&run);
        }
    }
}

/* ---- a folder to run in ---------------------------------------------------------------------- */

typedef struct test_place {
    char folder[512];
    char before[4096]; /* the folder to go back to */
} test_place;

static inline void place_enter(test_place *place)
{
    if (!getcwd(place->before, sizeof place->before)) fail_msg("no current folder");
    test_folder_make(place->folder, sizeof place->folder);
    if (chdir(place->folder) != 0) fail_msg("cannot enter %s", place->folder);
}

static inline void place_leave(test_place *place)
{
    if (chdir(place->before) != 0) fail_msg("cannot go back to %s", place->before);
    test_folder_remove(place->folder);
}

static inline void write_person(const char *path, int frames)
{
    char *bvh = test_person(frames);
    test_file_write(path, bvh, strlen(bvh));
    free(bvh);
}

#endif
