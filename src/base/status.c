/* status.c - names of statuses and the text of an error. */
#include "base/fail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *marey_version(void)
{
    return TEXT(MAREY_VERSION_MAJOR) "." TEXT(MAREY_VERSION_MINOR) "." TEXT(MAREY_VERSION_PATCH);
}

/* A row a status, in the order of the enumeration. */
static const struct {
    const char *name, *word;
    marey_status group;
} table[] = {
    [MAREY_OK] = { "done", "ok", MAREY_OK },
    [MAREY_ERR_INPUT] = { "bad input", "input", MAREY_ERR_INPUT },
    [MAREY_ERR_REQUEST] = { "invalid request", "request", MAREY_ERR_REQUEST },
    [MAREY_ERR_SHAPE] = { "things that do not fit together", "shape", MAREY_ERR_SHAPE },
    [MAREY_ERR_LIMIT] = { "over a limit", "limit", MAREY_ERR_LIMIT },
    [MAREY_ERR_MEMORY] = { "out of memory", "memory", MAREY_ERR_MEMORY },
    [MAREY_ERR_IO] = { "the machine failed", "io", MAREY_ERR_IO },
    [MAREY_ERR_CANCELLED] = { "cancelled", "cancelled", MAREY_ERR_CANCELLED },
    [MAREY_ERR_UNKNOWN_FORMAT] = { "unknown format", "input", MAREY_ERR_INPUT },
    [MAREY_ERR_NOT_FOUND] = { "not found", "input", MAREY_ERR_INPUT },
    [MAREY_ERR_STALE] = { "stale", "input", MAREY_ERR_INPUT },
    [MAREY_ERR_DAMAGED] = { "damaged", "input", MAREY_ERR_INPUT },
    [MAREY_ERR_BUSY] = { "busy", "io", MAREY_ERR_IO },
};

enum { STATUSES = sizeof table / sizeof *table };

const char *marey_status_name(marey_status status)
{
    return (unsigned)status < STATUSES ? table[status].name : "unknown status";
}

marey_status marey_status_group(marey_status status)
{
    return (unsigned)status < STATUSES ? table[status].group : MAREY_ERR_IO;
}

const char *marey_status_word(marey_status status)
{
    return (unsigned)status < STATUSES ? table[status].word : "io";
}

void marey_error_text(const marey_error *error, char *text, size_t room)
{
    const char *path = error->path, *message = error->message;
    if (!path[0]) {
        snprintf(text, room, "%s", message);
    } else if (error->line > 0 && error->column > 0) {
        snprintf(text, room, "%s:%" PRId64 ":%" PRId64 ": %s", path, error->line, error->column,
                 message);
    } else if (error->line > 0) {
        snprintf(text, room, "%s:%" PRId64 ": %s", path, error->line, message);
    } else {
        snprintf(text, room, "%s: %s", path, message);
    }
}

marey_status mry_fail_at(marey_error *error, marey_status status, const char *path, int64_t line,
                         int64_t column, const char *format, ...)
{
    if (!error) return status;
    *error = (marey_error){ .status = status, .line = line, .column = column };
    if (path) snprintf(error->path, sizeof error->path, "%s", path);
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

marey_status mry_fail_memory(marey_error *error, const char *path)
{
    return mry_fail_at(error, MAREY_ERR_MEMORY, path, 0, 0, "out of memory");
}

marey_status mry_fail_cancelled(marey_error *error)
{
    return mry_fail_at(error, MAREY_ERR_CANCELLED, NULL, 0, 0, "cancelled");
}

void mry_quote(char *out, size_t room, const char *bytes, size_t count)
{
    size_t n = 0, most = room > 8 ? room - 8 : 0;
    for (size_t i = 0; i < count && n < most; i++) {
        unsigned char c = (unsigned char)bytes[i];
        out[n++] = c < 0x20 || c == 0x7f || c == '"' ? '?' : (char)c;
    }
    /* A cut inside a UTF-8 character takes the whole character away. */
    if (n == most) {
        while (n > 0 && ((unsigned char)out[n - 1] & 0xc0) == 0x80) n--;
        if (n > 0 && ((unsigned char)out[n - 1] & 0xc0) == 0xc0) n--;
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = 0;
}
