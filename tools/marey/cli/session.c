/* session.c - what a run says, where, and with which exit status. */
#include "session.h"

#include "commands.h"
#include "json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Path and message of an error, each byte perhaps escaped as six, and the keys around them. */
enum { ERROR_JSON_ROOM = 12 * 1024, LINE_ROOM = 4 * 1024, PROGRESS_NS = 100 * 1000 * 1000 };

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

int session_fail(session *run, const marey_error *error)
{
    int status =
        end_with(run, error, marey_status_word(error->status), session_exit_status(error->status));
    session_say_error(run, error);
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

void session_progress(session *run, const char *activity, int64_t done, int64_t total)
{
    char line[256];
    int length;
    struct timespec now, *last = &run->progress_time;
    if (!run->host->err_is_terminal || run->quiet) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t passed =
        (int64_t)(now.tv_sec - last->tv_sec) * 1000000000 + now.tv_nsec - last->tv_nsec;
    if (last->tv_sec && passed < PROGRESS_NS) return;
    *last = now;
    if (total > 0)
        length = snprintf(line, sizeof line, "\r\033[K%.150s %" PRId64 "%%", activity,
                          done < total ? done * 100 / total : 100);
    else
        length = snprintf(line, sizeof line, "\r\033[K%.150s", activity);
    run->progress_shown = true;
    send_error_bytes(run, line, (size_t)length);
}

void session_progress_clear(session *run)
{
    if (!run->progress_shown) return;
    run->progress_shown = false;
    send_error_bytes(run, "\r\033[K", 4);
}
