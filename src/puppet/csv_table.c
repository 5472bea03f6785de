/* csv_table.c - text as lines of fields. A field never goes over the end of its line: paths are numbers, and whoever leaves a quote
   open would otherwise be told about it at the end of the file. */
#include "puppet/csv_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(const mry_table *t, char c)
{
    return c == ' ' || (c == '\t' && t->separator != '\t');
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

mry_table mry_table_open(const void *bytes, size_t size, const char *name, marey_error *error)
{
    static const char MARK[3] = { '\xef', '\xbb', '\xbf' };
    const char *text = size ? bytes : "";
    bool marked = size >= sizeof MARK && memcmp(text, MARK, sizeof MARK) == 0;
    return (mry_table){ .name = name,
                        .error = error,
                        .next = text + (marked ? sizeof MARK : 0),
                        .end = text + size,
                        .separator = ',' };
}

static const char *line_end(const char *p, const char *end)
{
    while (p < end && *p != '\n' && *p != '\r') p++;
    return p;
}

bool mry_table_line(mry_table *t)
{
    if (t->next == t->end) return false;
    t->row = t->p = t->next;
    t->row_end = t->next = line_end(t->row, t->end);
    if (t->next < t->end)
        t->next += t->next[0] == '\r' && t->next + 1 < t->end && t->next[1] == '\n' ? 2 : 1;
    t->line++;
    t->more = true;
    return true;
}

bool mry_table_next(mry_table *t)
{
    while (mry_table_line(t)) {
        const char *p = t->row;
        while (p < t->row_end && (*p == ' ' || *p == '\t')) p++;
        if (p < t->row_end && *p != '#') return true;
    }
    return false;
}

void mry_table_find_separator(mry_table *t)
{
    bool quoted = false;
    const char *p = t->row;
    while (p < t->row_end && (*p == ' ' || *p == '\t')) p++;
    t->separator = ',';
    for (; p < t->row_end; p++) {
        if (*p == '"') quoted = !quoted;
        if (quoted || (*p != ',' && *p != ';' && *p != '\t')) continue;
        t->separator = *p;
        return;
    }
}

/* ---- fields ------------------------------------------------------------------------------------------------ */

static void trim(const mry_table *t, mry_field *field)
{
    while (field->from < field->end && is_blank(t, *field->from)) field->from++;
    while (field->end > field->from && is_blank(t, field->end[-1])) field->end--;
}

/* From behind the quote to the one that ends it; NULL: none does. */
static const char *quote_end(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') return p;
        p++;
    }
    return NULL;
}

static marey_status quoted_field(mry_table *t, mry_field *out)
{
    const char *quote = t->p;
    out->from = quote + 1;
    out->end = quote_end(out->from, t->row_end);
    if (!out->end) return mry_table_fail(t, quote, "a quote that does not end on its line");
    t->p = out->end + 1;
    while (t->p < t->row_end && is_blank(t, *t->p)) t->p++;
    if (t->p < t->row_end && *t->p != t->separator)
        return mry_table_fail(t, t->p, "expected %s behind what is in quotes",
                              t->separator == '\t'  ? "a tab"
                              : t->separator == ';' ? "';'"
                                                    : "','");
    return MAREY_OK;
}

marey_status mry_table_field(mry_table *t, mry_field *out)
{
    while (t->p < t->row_end && is_blank(t, *t->p)) t->p++;
    if (t->p < t->row_end && *t->p == '"') {
        marey_status status = quoted_field(t, out);
        if (status) return status;
    } else {
        out->from = t->p;
        while (t->p < t->row_end && *t->p != t->separator) t->p++;
        out->end = t->p;
    }
    trim(t, out);
    t->more = t->p < t->row_end;
    if (t->more) t->p++;
    return MAREY_OK;
}

/* Not by the program's locale, in some of which I is not the capital of i. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool mry_field_is(const mry_field *field, const char *word)
{
    const char *p = field->from;
    while (p < field->end && *word && lower(*p) == *word) p++, word++;
    return p == field->end && !*word;
}

marey_status mry_table_fail(const mry_table *t, const char *at, const char *format, ...)
{
    char message[sizeof t->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return mry_fail_at(t->error, MAREY_ERR_INPUT, t->name, t->line, at - t->row + 1, "%s", message);
}
