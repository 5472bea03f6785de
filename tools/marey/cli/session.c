/* session.c - what a run says, where, and with which exit status. */
#include "session.h"

#include "commands.h"
#include "env.h"
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Path and message of an error, each byte perhaps escaped as six, and the keys around them. */
enum { ERROR_JSON_ROOM = 12 * 1024, LINE_ROOM = 4 * 1024 };

#define SECOND_NS INT64_C(1000000000)
#define PROGRESS_NS (SECOND_NS / 10)
#define LOG_NS (60 * SECOND_NS)
#define KNOWN_AFTER_NS (3 * (double)SECOND_NS)

/* ---- standard error -------------------------------------------------------------------------- */

static void send_error_bytes(session *run, const char *bytes, size_t count)
{
    const program_sink *err = &run->host->err;
    err->write(err->user, bytes, count); /* there is nowhere left to complain */
}

void session_say(session *run, const char *format, ...)
{
    char line[LINE_ROOM];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (length < 0) return;
    size_t count = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)line[i];
        if ((byte < 0x20 && byte != '\n') || byte == 0x7f) line[i] = '?';
    }
    line[count++] = '\n';
    session_progress_clear(run);
    send_error_bytes(run, line, count);
}

void session_say_error(session *run, const marey_error *error)
{
    char text[2048];
    marey_error_text(error, text, sizeof text);
    session_say(run, "marey: %s", text);
}

void session_failed(void *run, const marey_error *error)
{
    session_say_error(run, error);
}

/* ---- standard output ------------------------------------------------------------------------- */

static bool send_out(session *run, const char *bytes, size_t count)
{
    const program_sink *out = &run->host->out;
    if (run->out_failed) return false;
    if (count > 0) run->out_failed = out->write(out->user, bytes, count);
    if (!run->out_failed) return true;
    session_say(run, "marey: cannot write to standard output: %s", strerror(-run->out_failed));
    return false;
}

bool session_flush(session *run)
{
    if (run->out.failed) {
        session_fail_memory(run);
        return false;
    }
    session_progress_clear(run);
    bool sent = send_out(run, run->out.bytes, run->out.used);
    run->out.used = 0;
    return sent;
}

int session_finish(session *run, int status)
{
    return session_flush(run) ? status : PROGRAM_MACHINE;
}

/* ---- failures -------------------------------------------------------------------------------- */

int session_exit_status(marey_status status)
{
    switch (marey_status_group(status)) {
    case MAREY_OK: return PROGRAM_DONE;
    case MAREY_ERR_INPUT:
    case MAREY_ERR_REQUEST:
    case MAREY_ERR_SHAPE:
    case MAREY_ERR_LIMIT: return PROGRAM_WRONG;
    case MAREY_ERR_MEMORY:
    case MAREY_ERR_IO: return PROGRAM_MACHINE;
    case MAREY_ERR_CANCELLED: return PROGRAM_INTERRUPTED;
    default: return PROGRAM_MACHINE;
    }
}

/* Put together in a fixed room, since memory may be what has run out. What was prepared for
   standard output is sent before a human's message and dropped before a program's. */
static int end_with(session *run, const marey_error *error, const char *word, int status)
{
    char room[ERROR_JSON_ROOM];
    buffer out = buffer_fixed(room, sizeof room);
    json to = json_make(&out);
    if (!run->json) {
        buffer partly = run->out;
        run->out.used = 0;
        run->out.failed = false;
        return send_out(run, partly.bytes, partly.used) ? status : PROGRAM_MACHINE;
    }
    run->out.used = 0;
    run->out.failed = false;
    json_open(&to, NULL, '{');
    json_open(&to, "error", '{');
    json_put_string(&to, "status", word);
    json_put_string(&to, "path", error->path[0] ? error->path : NULL);
    json_put_integer(&to, "line", error->line);
    json_put_integer(&to, "column", error->column);
    json_put_string(&to, "message", error->message);
    json_close(&to, '}');
    json_close(&to, '}');
    buffer_byte(&out, '\n');
    return send_out(run, out.bytes, out.used) ? status : PROGRAM_MACHINE;
}

int session_fail(session *run, const marey_error *failure)
{
    marey_error late = *failure;
    const marey_error *error = &late;
    app_time_out(run->ctx, &late);
    int status =
        end_with(run, error, marey_status_word(error->status), session_exit_status(error->status));
    session_say_error(run, error);
    if (error->status == MAREY_ERR_MEMORY && run->most_bytes)
        session_say(run, "more is needed than --max-memory allows");
    return status;
}

int session_fail_memory(session *run)
{
    return session_fail(run,
                        &(marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" });
}

int session_usage(session *run, const char *format, ...)
{
    marey_error error = { .status = MAREY_ERR_REQUEST };
    va_list args;
    va_start(args, format);
    vsnprintf(error.message, sizeof error.message, format, args);
    va_end(args);
    int status = end_with(run, &error, "usage", PROGRAM_USAGE);
    const char *verb = run->command ? run->command->verb : NULL;
    session_say(run, "marey%s%s: %s\ntry marey%s%s --help", verb ? " " : "", verb ? verb : "",
                error.message, verb ? " " : "", verb ? verb : "");
    return status;
}

/* ---- progress -------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* By what was done since the activity began; negative where it is too early to say. */
static double estimate_left(session *run, const char *activity, int64_t done, int64_t total,
                            int64_t now)
{
    if (strncmp(run->activity, activity, sizeof run->activity - 1) != 0 ||
        done < run->activity_done) {
        snprintf(run->activity, sizeof run->activity, "%s", activity);
        run->activity_ns = now;
        run->activity_done = done;
    }
    double passed = (double)(now - run->activity_ns), new = (double)(done - run->activity_done);
    if (passed < KNOWN_AFTER_NS || new <= 0) return -1;
    return passed * (double)(total - done) / new / SECOND_NS;
}

static int put_time(char *to, size_t room, double seconds)
{
    int whole = (int)fmin(seconds + 0.5, 1e8);
    if (whole < 1) whole = 1;
    if (whole < 60) return snprintf(to, room, ", %d s left", whole);
    if (whole < 3600) return snprintf(to, room, ", %d min %02d s left", whole / 60, whole % 60);
    return snprintf(to, room, ", %d h %02d min left", whole / 3600, whole / 60 % 60);
}

void session_progress(session *run, const char *activity, int64_t done, int64_t total,
                      double seconds_left)
{
    char line[256];
    bool drawn = run->host->err_is_terminal;
    int64_t now;
    if (run->quiet) return;
    now = now_ns();
    double left = estimate_left(run, activity, done, total, now);
    if (seconds_left >= 0) left = seconds_left;
    if (!run->progress_ns && !drawn) run->progress_ns = now;
    if (run->progress_ns && now - run->progress_ns < (drawn ? PROGRESS_NS : LOG_NS)) return;
    run->progress_ns = now;
    int used = snprintf(line, sizeof line, "%s%.150s", drawn ? "\r\033[K" : "marey: ", activity);
    if (total > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, " %" PRId64 "%%",
                         done < total ? done * 100 / total : 100);
    if (total > 0 && left >= 0 && done < total)
        used += put_time(line + used, sizeof line - (size_t)used, left);
    if (!drawn) line[used++] = '\n';
    run->progress_shown = drawn;
    send_error_bytes(run, line, (size_t)used);
}

void session_progress_clear(session *run)
{
    if (!run->progress_shown) return;
    run->progress_shown = false;
    send_error_bytes(run, "\r\033[K", 4);
}
