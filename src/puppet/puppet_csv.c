/* puppet_csv.c - paths from a table of text and back: a line of column names, then a row for each moment.

   Text is lines of fields (RFC 4180, and what spreadsheets make of it). Nothing is copied: fields are looked at where they are. A field
   never goes over the end of its line: paths are numbers, and a quote that is left open is reported on its own line, not at the end of
   the file. Rows are counted before anything is taken, so that memory is known first; what is invalid is refused with its line
   and column, never repaired. Each number is written as the shortest that reads back as itself. */
#include "base/arena.h"
#include "base/context.h"
#include "base/fail.h"
#include "base/number.h"
#include "puppet/puppet_data.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    TIME,
    MAIN_X,
    MAIN_Y,
    MAIN_DIR,
    REACT_X,
    REACT_Y,
    REACT_DIR,
    COLUMNS,
    MAIN_COLUMNS = REACT_X
};

#define A_TURN 7.0        /* radians: a direction beyond that may be in degrees */
#define SLOW_STEP 0.9     /* s: rows that are all as far apart .. */
#define SLOW_SPEED 5.0    /* cm/s: .. of a character so slow may not be in seconds */
#define EVERY_LINES 0x3ff /* it is looked whether to go on */

static const struct {
    const char *name, *unit;
    double most;
} COLUMN[COLUMNS] = {
    { "time", "s", MRY_PUPPET_LATE },         { "main_x", "cm", MRY_PUPPET_FAR },
    { "main_y", "cm", MRY_PUPPET_FAR },       { "main_dir", "rad", MRY_PUPPET_TURNED },
    { "react_x", "cm", MRY_PUPPET_FAR },      { "react_y", "cm", MRY_PUPPET_FAR },
    { "react_dir", "rad", MRY_PUPPET_TURNED }
};

enum { ROW_ROOM = COLUMNS * (MRY_NUMBER_ROOM + 1), DECIMALS = 6 }; /* of a row as text */

static const char HEADER[] = "time,main_x,main_y,main_dir";
static const char REACT_HEADER[] = ",react_x,react_y,react_dir";

#define MAIN_NAMES "time, main_x, main_y, main_dir"
#define REACT_NAMES "react_x, react_y, react_dir"

typedef struct table_text {
    const char *name; /* for messages */
    marey_error *error;
    const char *next, *end;    /* behind this line; behind the text */
    const char *row, *row_end; /* this line, without its end */
    int64_t line;              /* counted from 1 */
    char separator;
    const char *p; /* the next field of this line .. */
    bool more;     /* .. if there is one */
} table_text;

/* What is between the separators, without blanks and quotes around it. */
typedef struct field_text {
    const char *from, *end;
} field_text;

struct marey_paths {
    mry_arena mem;
    marey_puppet_sample *samples;
    marey_paths_about about;
};

typedef struct reading {
    marey_ctx *ctx;
    table_text table;
    marey_paths_def def;
    int columns;           /* of the line of names, .. */
    int64_t names_line;    /* .. which is here */
    int place_of[COLUMNS]; /* -1: there is none */
    marey_paths *paths;
} reading;

typedef struct text_made {
    marey_ctx *ctx;
    char *bytes;
    size_t used, room;
} text_made;

static bool is_blank(const table_text *t, char c)
{
    return c == ' ' || (c == '\t' && t->separator != '\t');
}

/* Fails with the place of a byte of this line. */
__attribute__((format(printf, 3, 4))) static marey_status
table_fail(const table_text *t, const char *at, const char *format, ...)
{
    char message[sizeof t->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return mry_fail_at(t->error, MAREY_ERR_INPUT, t->name, t->line, at - t->row + 1, "%s", message);
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

/* A mark of UTF-8 at the beginning is passed over. */
static table_text table_open(const void *bytes, size_t size, const char *name, marey_error *error)
{
    static const char MARK[3] = { '\xef', '\xbb', '\xbf' };
    const char *text = size ? bytes : "";
    bool marked = size >= sizeof MARK && memcmp(text, MARK, sizeof MARK) == 0;
    return (table_text){ .name = name,
                         .error = error,
                         .next = text + (marked ? sizeof MARK : 0),
                         .end = text + size,
                         .separator = ',' };
}

/* The next line. false: there is none. Lines end with LF, CR LF or CR. */
static bool table_line(table_text *t)
{
    if (t->next == t->end) return false;
    t->row = t->p = t->next;
    const char *p = t->row;
    const char *end = t->end;
    while (p < end && *p != '\n' && *p != '\r') p++;
    t->row_end = t->next = p;
    if (t->next < t->end)
        t->next += t->next[0] == '\r' && t->next + 1 < t->end && t->next[1] == '\n' ? 2 : 1;
    t->line++;
    t->more = true;
    return true;
}

/* The next one that is not empty and does not begin with '#'. */
static bool table_next(table_text *t)
{
    while (table_line(t)) {
        const char *p = t->row;
        while (p < t->row_end && (*p == ' ' || *p == '\t')) p++;
        if (p < t->row_end && *p != '#') return true;
    }
    return false;
}

/* ',', ';' or a tab, whichever is first in this line outside of quotes; ',' where there is none. */
static void find_separator(table_text *t)
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

static marey_status quoted_field(table_text *t, field_text *out)
{
    const char *quote = t->p;
    out->from = quote + 1;
    out->end = quote_end(out->from, t->row_end);
    if (!out->end) return table_fail(t, quote, "a quote that does not end on its line");
    t->p = out->end + 1;
    while (t->p < t->row_end && is_blank(t, *t->p)) t->p++;
    if (t->p < t->row_end && *t->p != t->separator)
        return table_fail(t, t->p, "expected %s behind what is in quotes",
                          t->separator == '\t'  ? "a tab"
                          : t->separator == ';' ? "';'"
                                                : "','");
    return MAREY_OK;
}

/* The next field of this line; only if t->more. A field with quotes inside keeps both of each. */
static marey_status next_field(table_text *t, field_text *out)
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
    while (out->from < out->end && is_blank(t, *out->from)) out->from++;
    while (out->end > out->from && is_blank(t, out->end[-1])) out->end--;
    t->more = t->p < t->row_end;
    if (t->more) t->p++;
    return MAREY_OK;
}

/* Not by the program's locale, in some of which I is not the capital of i. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* In any case. */
static bool field_is(const field_text *field, const char *word)
{
    const char *p = field->from;
    while (p < field->end && *word && lower(*p) == *word) p++, word++;
    return p == field->end && !*word;
}

/* ---- the line of names ------------------------------------------------------------------------------------- */

static marey_status take_name(reading *in, const field_text *name)
{
    /* COLUMNS: one that is passed over. */
    int end = in->def.main_only ? MAIN_COLUMNS : COLUMNS, c = 0;
    while (c < end && !field_is(name, COLUMN[c].name)) c++;
    if (c == end) c = COLUMNS;
    if (c == COLUMNS)
        in->paths->about.passed_over++;
    else if (in->place_of[c] >= 0)
        return table_fail(&in->table, name->from, "a second column %s", COLUMN[c].name);
    else
        in->place_of[c] = in->columns;
    in->columns++;
    return MAREY_OK;
}

static int first_missing(const reading *in, int from, int end)
{
    while (from < end && in->place_of[from] >= 0) from++;
    return from;
}

static marey_status read_names(reading *in)
{
    if (!table_next(&in->table))
        return mry_fail(in->table.error, MAREY_ERR_INPUT, in->table.name,
                        "there is nothing in it; expected a line with the names of columns: %s",
                        MAIN_NAMES);
    in->names_line = in->table.line;
    find_separator(&in->table);
    while (in->table.more) {
        field_text name;
        marey_status status = next_field(&in->table, &name);
        if (!status) status = take_name(in, &name);
        if (status) return status;
    }
    const char *also = in->def.needs_react ? ", " REACT_NAMES : "";
    int known = in->columns - in->paths->about.passed_over;
    if (known == 0)
        return table_fail(&in->table, in->table.row, "expected the names of columns: %s%s",
                          MAIN_NAMES, also);
    int missing = first_missing(in, 0, MAIN_COLUMNS);
    if (missing < MAIN_COLUMNS)
        return table_fail(&in->table, in->table.row, "there is no column %s; there should be %s%s",
                          COLUMN[missing].name, MAIN_NAMES, also);
    missing = first_missing(in, MAIN_COLUMNS, COLUMNS);
    in->paths->about.has_react = missing == COLUMNS;
    if (missing == COLUMNS || (known == MAIN_COLUMNS && !in->def.needs_react)) return MAREY_OK;
    if (known == MAIN_COLUMNS)
        return table_fail(&in->table, in->table.row, "nobody reacts here: there are no columns %s",
                          REACT_NAMES);
    return table_fail(&in->table, in->table.row,
                      "there is no column %s; for somebody who reacts there should be %s",
                      COLUMN[missing].name, REACT_NAMES);
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

static marey_status read_value(const reading *in, const field_text *field, int c, double *out)
{
    char shown[48];
    size_t count = (size_t)(field->end - field->from);
    mry_quote(shown, sizeof shown, field->from, count);
    if (count == 0)
        return table_fail(&in->table, field->from, "expected a number in column %s, found nothing",
                          COLUMN[c].name);
    /* A decimal comma is one where commas do not separate. */
    mry_decimal number = { 0 };
    if (mry_number_read(field->from, field->end, &number) != count ||
        (in->table.separator == ',' && memchr(field->from, ',', count)))
        return table_fail(&in->table, field->from, "expected a number in column %s, found \"%s\"",
                          COLUMN[c].name, shown);
    *out = number.value;
    if (fabs(*out) <= COLUMN[c].most) return MAREY_OK;
    return table_fail(&in->table, field->from, "%s in column %s is beyond %g %s", shown,
                      COLUMN[c].name, COLUMN[c].most, COLUMN[c].unit);
}

static marey_status wrong_count(const reading *in, const char *at, const char *found)
{
    return table_fail(&in->table, at, "expected %d fields, as line %lld has, found %s", in->columns,
                      (long long)in->names_line, found);
}

/* Also tells where the time stands. */
static marey_status read_fields(reading *in, double *values, const char **time_at)
{
    table_text *table = &in->table;
    int index = 0;
    for (; table->more; index++) {
        field_text field;
        if (index == in->columns) return wrong_count(in, table->p, "more");
        marey_status status = next_field(table, &field);
        for (int c = 0; c < COLUMNS && !status; c++) {
            if (in->place_of[c] != index) continue;
            if (c == TIME) *time_at = field.from;
            status = read_value(in, &field, c, &values[c]);
        }
        if (status) return status;
    }
    return index < in->columns ? wrong_count(in, table->row_end, "fewer") : MAREY_OK;
}

static int line_of(const reading *in)
{
    return in->table.line < INT_MAX ? (int)in->table.line : INT_MAX;
}

static marey_status does_not_rise(const reading *in, const char *at, double now, double before)
{
    char texts[2][MRY_NUMBER_ROOM + 1];
    texts[0][mry_number_write(texts[0], now, 6)] = 0;
    texts[1][mry_number_write(texts[1], before, 6)] = 0;
    if (now == before)
        return table_fail(&in->table, at, "times must rise: %s s is there twice", texts[0]);
    return table_fail(&in->table, at, "times must rise: %s s comes behind %s s", texts[0],
                      texts[1]);
}

/* What a row says of the whole. */
static marey_status note(reading *in, const marey_puppet_sample *now, const char *time_at)
{
    marey_paths_about *about = &in->paths->about;
    bool beyond = fabs(now->main.direction_rad) > A_TURN || fabs(now->react.direction_rad) > A_TURN;
    if (beyond && !about->degrees_line) about->degrees_line = line_of(in);
    if (about->count == 0) return MAREY_OK;
    double step = now->time_s - now[-1].time_s;
    if (!(step > 0)) return does_not_rise(in, time_at, now->time_s, now[-1].time_s);
    if (step <= in->def.gap_s) return MAREY_OK;
    about->gap_most_s = fmax(about->gap_most_s, step);
    if (about->gaps++ == 0) about->gap_line = line_of(in);
    return MAREY_OK;
}

static marey_status read_row(reading *in)
{
    double v[COLUMNS] = { 0 };
    const char *time_at = in->table.row;
    marey_puppet_sample *now = &in->paths->samples[in->paths->about.count];
    marey_status status = read_fields(in, v, &time_at);
    if (status) return status;
    *now = (marey_puppet_sample){ v[TIME],
                                  { v[MAIN_X], v[MAIN_Y], v[MAIN_DIR] },
                                  { v[REACT_X], v[REACT_Y], v[REACT_DIR] } };
    status = note(in, now, time_at);
    in->paths->about.count++;
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

/* -1: cancelled; otherwise no more than one above the limit. */
static int count_rows(const reading *in, int64_t *last_line)
{
    table_text ahead = in->table;
    int count = 0;
    while (count <= MAREY_PUPPET_MOST_SAMPLES && table_next(&ahead)) {
        count++;
        *last_line = ahead.line;
        if ((count & EVERY_LINES) == 0 && mry_cancelled(in->ctx)) return -1;
    }
    return count;
}

static marey_status make_room(reading *in)
{
    int64_t line = in->table.line;
    int count = count_rows(in, &line);
    if (count < 0) return mry_fail_cancelled(in->table.error);
    if (count > MAREY_PUPPET_MOST_SAMPLES)
        return mry_fail_at(in->table.error, MAREY_ERR_LIMIT, in->table.name, line, 1,
                           "paths have at most %d rows", (int)MAREY_PUPPET_MOST_SAMPLES);
    if (count < 2)
        return mry_fail_at(in->table.error, MAREY_ERR_INPUT, in->table.name, line, 1,
                           "expected two rows at least, found %s", count ? "one" : "none");
    in->paths->samples = MRY_NEW_RAW(&in->paths->mem, marey_puppet_sample, count);
    return in->paths->samples ? MAREY_OK : mry_fail_memory(in->table.error, in->table.name);
}

static double length_of(const marey_paths *paths, bool react)
{
    double sum = 0;
    for (int i = 1; i < paths->about.count; i++) {
        const marey_puppet_sample *a = &paths->samples[i - 1], *b = &paths->samples[i];
        sum += react ? hypot(b->react.x_cm - a->react.x_cm, b->react.y_cm - a->react.y_cm)
                     : hypot(b->main.x_cm - a->main.x_cm, b->main.y_cm - a->main.y_cm);
    }
    return sum;
}

static void sum_up(marey_paths *paths)
{
    marey_paths_about *about = &paths->about;
    double least = INFINITY;
    for (int i = 1; i < about->count; i++)
        least = fmin(least, paths->samples[i].time_s - paths->samples[i - 1].time_s);
    double went = fmax(length_of(paths, false), length_of(paths, true));
    about->seconds = paths->samples[about->count - 1].time_s - paths->samples[0].time_s;
    about->not_seconds = least >= SLOW_STEP && went < SLOW_SPEED * about->seconds;
}

/* Zeros are in no text; UTF-16 is full of them. */
static marey_status check_text(const table_text *all)
{
    table_text table = *all;
    if (!memchr(table.next, 0, (size_t)(table.end - table.next))) return MAREY_OK;
    const char *zero = NULL;
    while (!zero && table_line(&table))
        zero = memchr(table.row, 0, (size_t)(table.row_end - table.row));
    return table_fail(&table, zero, "a byte of zero: this is no text, or not in UTF-8");
}

static marey_status read_all(reading *in)
{
    if (mry_cancelled(in->ctx)) return mry_fail_cancelled(in->table.error);
    marey_status status = check_text(&in->table);
    if (!status) status = read_names(in);
    if (!status) status = make_room(in);
    while (!status && table_next(&in->table)) {
        status = read_row(in);
        if ((in->paths->about.count & EVERY_LINES) == 0 && mry_cancelled(in->ctx))
            status = mry_fail_cancelled(in->table.error);
    }
    if (!status) sum_up(in->paths);
    return status;
}

marey_status marey_paths_read(marey_ctx *ctx, const void *bytes, size_t size, const char *name,
                              const marey_paths_def *def, marey_paths **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(ctx);
    reading in = { .ctx = ctx, .def = def ? *def : (marey_paths_def){ 0 } };
    if (in.def.main_only && in.def.needs_react)
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "somebody who reacts is needed here, and passed over");
    if (in.def.gap_s == 0) in.def.gap_s = MAREY_PUPPET_GAP;
    in.table = table_open(bytes, size, name, error);
    for (int c = 0; c < COLUMNS; c++) in.place_of[c] = -1;
    in.paths = MRY_NEW(&mem, marey_paths, 1);
    if (!in.paths) return mry_fail_memory(error, name);
    in.paths->mem = mem;
    marey_status status = read_all(&in);
    if (status)
        marey_paths_free(in.paths);
    else
        *out = in.paths;
    return status;
}

void marey_paths_free(marey_paths *paths)
{
    if (!paths) return;
    mry_arena mem = paths->mem;
    mry_arena_free(&mem);
}

const marey_puppet_sample *marey_paths_samples(const marey_paths *paths, int *count)
{
    if (count) *count = paths->about.count;
    return paths->samples;
}

const marey_paths_about *marey_paths_facts(const marey_paths *paths)
{
    return &paths->about;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

/* Room for another row. false: out of memory. */
static bool grow(text_made *out)
{
    if (out->room - out->used >= ROW_ROOM) return true;
    size_t room = out->room + out->room / 2 + 4 * ROW_ROOM;
    char *longer = mry_resize(out->ctx, out->bytes, out->room, room);
    if (!longer) return false;
    out->bytes = longer;
    out->room = room;
    return true;
}

static void put(text_made *out, const char *bytes, size_t count)
{
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
}

static bool can_be_read(const marey_puppet_sample *s, bool with_react)
{
    return mry_time_can_be(s->time_s) && mry_entity_can_be(&s->main) &&
           fabs(s->main.direction_rad) <= MRY_PUPPET_TURNED &&
           (!with_react ||
            (mry_entity_can_be(&s->react) && fabs(s->react.direction_rad) <= MRY_PUPPET_TURNED));
}

static marey_status write_rows(text_made *out, const marey_puppet_sample *samples, int count,
                               bool with_react, marey_error *error)
{
    if (!grow(out)) return mry_fail_memory(error, NULL);
    put(out, HEADER, sizeof HEADER - 1);
    if (with_react) put(out, REACT_HEADER, sizeof REACT_HEADER - 1);
    put(out, "\n", 1);
    for (int i = 0; i < count; i++) {
        if (!can_be_read(&samples[i], with_react))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "sample %d: not a number, or too large",
                            i);
        const marey_puppet_sample *s = &samples[i];
        const double values[COLUMNS] = {
            s->time_s,     s->main.x_cm,  s->main.y_cm,          s->main.direction_rad,
            s->react.x_cm, s->react.y_cm, s->react.direction_rad
        };
        int columns = with_react ? COLUMNS : MAIN_COLUMNS;
        if (!grow(out)) return mry_fail_memory(error, NULL);
        for (int c = 0; c < columns; c++) {
            out->used += mry_number_write(out->bytes + out->used, values[c], DECIMALS);
            put(out, c + 1 < columns ? "," : "\n", 1);
        }
        if ((i & 0x3ff) == 0 && mry_cancelled(out->ctx)) return mry_fail_cancelled(error);
    }
    return MAREY_OK;
}

marey_status marey_paths_write(marey_ctx *ctx, const marey_puppet_sample *samples, int count,
                               bool with_react, uint8_t **bytes, size_t *size, marey_error *error)
{
    text_made out = { .ctx = ctx };
    marey_status status = write_rows(&out, samples, count, with_react, error);
    char *fitting = status ? NULL : mry_resize(ctx, out.bytes, out.room, out.used);
    if (!fitting) {
        mry_release(ctx, out.bytes, out.room);
        return status ? status : mry_fail_memory(error, NULL);
    }
    *bytes = (uint8_t *)fitting;
    *size = out.used;
    return MAREY_OK;
}
