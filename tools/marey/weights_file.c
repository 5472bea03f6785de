/* weights_file.c - reading weights. */
#include "weights_file.h"

#include "text_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE_MIB = 256 };

/* strtod alone also takes blanks, "inf", "nan" and hexadecimal. NULL: no number begins here. */
static const char *read_number(const char *at, double *out)
{
    char *end = NULL;
    size_t length = strspn(at, "+-.0123456789eE");
    *out = strtod(at, &end);
    return length > 0 && end == at + length && fabs(*out) <= 1e12 ? end : NULL;
}

/* Or so near to it that the library would not scale by it either. */
static bool is_zero(double sum, double sizes)
{
    return !(fabs(sum) > 1e-6 * sizes);
}

int weights_parse(session *run, const char *text, int count, double *out)
{
    const char *at = text;
    double sum = 0, sizes = 0;
    int got = 0;
    while (got < count && (at = read_number(at, &out[got]))) {
        sum += out[got];
        sizes += fabs(out[got]);
        got++;
        if (*at != ',' || got == count) break;
        at++;
    }
    if (!at || got < count || *at) {
        return session_usage(run,
                             "--weights takes %d numbers, one for each clip, as in 0.3,0.7, "
                             "not \"%s\"",
                             count, text);
    }
    if (is_zero(sum, sizes)) return session_usage(run, "the sum of --weights is 0, or nearly so");
    return PROGRAM_DONE;
}

/* ---- files ----------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *path, *at, *line_start;
    int64_t line;
    int count;
    double last_s;
    bool any; /* a row was read */
    buffer *keys;
    marey_error *error;
} reader;

__attribute__((format(printf, 2, 3))) static bool wrong(reader *r, const char *format, ...)
{
    va_list args;
    *r->error = (marey_error){ .status = MAREY_ERR_INPUT,
                               .line = r->line,
                               .column = r->at - r->line_start + 1 };
    snprintf(r->error->path, sizeof r->error->path, "%s", r->path);
    va_start(args, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, args);
    va_end(args);
    return false;
}

static void skip_blanks(reader *r)
{
    while (*r->at == ' ') r->at++;
}

static bool at_line_end(const reader *r)
{
    return *r->at == 0 || *r->at == '\n' || (*r->at == '\r' && (r->at[1] == '\n' || !r->at[1]));
}

/* The next number of a line, and the sign behind it. */
static bool read_field(reader *r, int field, double *out)
{
    const char *end;
    char what[32] = "a time in seconds", found[32] = "";
    if (field > 0) snprintf(what, sizeof what, "the weight of clip %d", field);
    skip_blanks(r);
    if (at_line_end(r)) return wrong(r, "expected %s, found the end of the line", what);
    if (!(end = read_number(r->at, out))) {
        snprintf(found, sizeof found, "%.*s", (int)strcspn(r->at, ",;\t\r\n"), r->at);
        return wrong(r, "expected %s, found \"%s\"", what, found);
    }
    r->at = end;
    skip_blanks(r);
    if (field == r->count || at_line_end(r)) return true;
    if (!strchr(",;\t", *r->at)) return wrong(r, "expected a comma behind %s", what);
    r->at++;
    return true;
}

static bool read_row(reader *r)
{
    double value, sum = 0, sizes = 0;
    const char *start = r->at;
    for (int field = 0; field <= r->count; field++) {
        if (!read_field(r, field, &value)) return false;
        if (field == 0 && r->any && !(value > r->last_s)) {
            r->at = start;
            return wrong(r, "times must rise: %g s comes behind %g s", value, r->last_s);
        }
        if (field == 0) r->last_s = value;
        sum += field > 0 ? value : 0;
        sizes += field > 0 ? fabs(value) : 0;
        buffer_bytes(r->keys, (const char *)&value, sizeof value);
    }
    if (!at_line_end(r)) {
        return wrong(r, "there are %d clips, and more weights than that in this line", r->count);
    }
    if (is_zero(sum, sizes)) {
        r->at = start;
        return wrong(r, "the sum of these weights is 0, or nearly so");
    }
    r->any = true;
    return true;
}

/* A first line that begins with a word. What strtod would take, as "nan", was meant as a number, and is refused. */
static bool is_heading(const char *at)
{
    char *end = NULL;
    strtod(at, &end);
    return !strchr("+-.0123456789", *at) && (end == at || !strchr(" ,;\t\r\n", *end));
}

static bool read_lines(reader *r)
{
    for (bool heading = true; *r->at;) {
        r->line_start = r->at;
        skip_blanks(r);
        bool empty = at_line_end(r);
        if (heading && !empty && is_heading(r->at)) {
            r->at += strcspn(r->at, "\n");
        } else if (!empty && !read_row(r)) {
            return false;
        }
        heading &= empty;
        r->at += strcspn(r->at, "\n");
        if (*r->at) r->at++;
        r->line++;
    }
    r->line_start = r->at;
    return r->any || wrong(r, "there is no line of weights");
}

marey_status weights_read(session *run, const char *path, int count, buffer *keys,
                          marey_error *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* what some programs put before UTF-8 */
    buffer text = buffer_make(&run->host->def);
    marey_status status =
        text_file_read(run, path, LARGEST_FILE_MIB, "a file of weights", &text, error);
    if (status == MAREY_OK) {
        bool marked = strncmp(text.bytes, mark, 3) == 0;
        reader r = { .path = path,
                     .at = text.bytes + (marked ? 3 : 0),
                     .line = 1,
                     .count = count,
                     .keys = keys,
                     .error = error };
        if (!read_lines(&r)) status = MAREY_ERR_INPUT;
    }
    buffer_free(&text);
    if (status != MAREY_OK || !keys->failed) return status;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}
