/* table.c - reading tables of numbers. */
#include "table.h"

#include "env.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
const char *number_read(const char *at, double *out)
{
    char *end = NULL;
    size_t length = strspn(at, "+-.0123456789eE");
    *out = strtod(at, &end);
    return length > 0 && end == at + length && fabs(*out) <= 1e12 ? end : NULL;
}

typedef struct reader {
    const app_table_def *def;
    const char *path, *at, *line_start;
    int64_t line;
    int least, columns; /* columns 0: the first line says how many, at least `least` */
    buffer *heading;
    buffer *rows;
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
static bool read_field(reader *r, int field)
{
    const char *end;
    char what[64] = "", found[32] = "";
    double value;
    r->def->name(field, what, sizeof what);
    skip_blanks(r);
    if (at_line_end(r)) return wrong(r, "expected %s, found the end of the line", what);
    if (!(end = number_read(r->at, &value))) {
        snprintf(found, sizeof found, "%.*s", (int)strcspn(r->at, ",;\t\r\n"), r->at);
        return wrong(r, "expected %s, found \"%s\"", what, found);
    }
    r->at = end;
    buffer_bytes(r->rows, (const char *)&value, sizeof value);
    skip_blanks(r);
    if (field + 1 == r->columns || at_line_end(r)) return true;
    if (!strchr(",;\t", *r->at)) return wrong(r, "expected a comma behind %s", what);
    r->at++;
    return true;
}

/* By the signs between them. */
static bool count_columns(reader *r)
{
    int count = 1;
    for (const char *at = r->at; *at && *at != '\n'; at++)
        count += *at == ',' || *at == ';' || *at == '\t';
    if (count < r->least || count > r->def->columns) {
        return wrong(r, "%s has %d to %d numbers in a line, here are %d", r->def->what, r->least,
                     r->def->columns, count);
    }
    r->columns = count;
    return true;
}

static bool read_row(reader *r)
{
    char text[256];
    const char *start = r->at;
    if (r->columns == 0 && !count_columns(r)) return false;
    size_t bytes = (size_t)r->columns * sizeof(double);
    for (int field = 0; field < r->columns; field++) {
        if (!read_field(r, field)) return false;
    }
    if (!at_line_end(r)) return wrong(r, "%s", r->def->more);
    if (!r->def->check || r->rows->failed) return true;
    const char *end = r->rows->bytes + r->rows->used;
    const double *row = (const double *)(const void *)(end - bytes);
    const double *before = r->rows->used > bytes ? row - r->columns : NULL;
    const char *why = r->def->check(row, r->columns, before, text, sizeof text);
    if (!why) return true;
    r->at = start;
    return wrong(r, "%s", why);
}

static bool read_lines(reader *r)
{
    bool any = false;
    for (bool heading = true; *r->at;) {
        r->line_start = r->at;
        skip_blanks(r);
        bool empty = at_line_end(r);
        /* A first line that begins with a word. What strtod would take, as "nan", was meant as a
           number, and is refused. */
        char *end = NULL;
        strtod(r->at, &end);
        bool is_word =
            !strchr("+-.0123456789", *r->at) && (end == r->at || !strchr(" ,;\t\r\n", *end));
        if (heading && !empty && is_word) {
            size_t length = strcspn(r->at, "\r\n");
            if (r->heading) {
                buffer_bytes(r->heading, r->at, length);
                buffer_byte(r->heading, 0);
            }
            r->at += length;
        } else if (!empty) {
            if (!read_row(r)) return false;
            any = true;
        }
        heading &= empty;
        r->at += strcspn(r->at, "\n");
        if (*r->at) r->at++;
        r->line++;
    }
    r->line_start = r->at;
    return any || wrong(r, "there is no %s", r->def->row);
}

static marey_status read_table(reader *r, const char *text, marey_error *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* what some programs put before UTF-8 */
    r->at = strncmp(text, mark, 3) == 0 ? text + 3 : text;
    r->line = 1;
    r->error = error;
    if (!read_lines(r)) return MAREY_ERR_INPUT;
    if (!r->rows->failed && !(r->heading && r->heading->failed)) return MAREY_OK;
    return app_fail_memory(error);
}

marey_status app_table_read(const char *path, const char *text, const app_table_def *def,
                            buffer *rows, marey_error *error)
{
    reader r = { .def = def, .path = path, .columns = def->columns, .rows = rows };
    return read_table(&r, text, error);
}

marey_status app_table_read_any(const char *path, const char *text, const app_table_def *def,
                                int least, int *columns, buffer *heading, buffer *rows,
                                marey_error *error)
{
    reader r = { .def = def, .path = path, .least = least, .heading = heading, .rows = rows };
    marey_status status = read_table(&r, text, error);
    if (status == MAREY_OK) *columns = r.columns;
    return status;
}
