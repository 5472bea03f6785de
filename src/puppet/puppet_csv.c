/* puppet_csv.c - paths from a table of text and back: a line of column names, then a row for each
   moment.

   Text is lines of fields (RFC 4180, and what spreadsheets make of it). Nothing is copied: fields
   are looked at where they are. A field never goes over the end of its line: paths are numbers, and
   a quote that is left open is reported on its own line, not at the end of the file. Rows are
   counted before anything is taken, so that memory is known first; what is invalid is refused with
   its line and column, never repaired. Each number is written as the shortest that reads back as
   itself. */
#include "base/bytes.h"
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

enum { DECIMALS = 6 }; /* of a number as text */

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

/* ---- lines ----------------------------------------------------------------------------------- */

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

/* ---- fields ---------------------------------------------------------------------------------- */

/* The next field of this line; only if t->more. A field with quotes inside keeps both of each. */
static marey_status next_field(table_text *t, field_text *out)
{
    while (t->p < t->row_end && is_blank(t, *t->p)) t->p++;
    if (t->p < t->row_end && *t->p == '"') {
        /* From behind the quote to the one that ends it, which is not one of two. */
        const char *quote = t->p++;
        out->from = t->p;
        while (t->p < t->row_end && (*t->p != '"' || (t->p + 1 < t->row_end && t->p[1] == '"')))
            t->p += *t->p == '"' ? 2 : 1;
        if (t->p >= t->row_end)
            return table_fail(t, quote, "a quote that does not end on its line");
        out->end = t->p++;
        while (t->p < t->row_end && is_blank(t, *t->p)) t->p++;
        if (t->p < t->row_end && *t->p != t->separator)
            return table_fail(t, t->p, "expected %s behind what is in quotes",
                              t->separator == '\t'  ? "a tab"
                              : t->separator == ';' ? "';'"
                                                    : "','");
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

/* In any case, and not by the program's locale, in some of which I is not the capital of i. */
static bool field_is(const field_text *field, const char *word)
{
    const char *p = field->from;
    for (; p < field->end && *word; p++, word++) {
        if ((*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p) != *word) return false;
    }
    return p == field->end && !*word;
}

/* ---- reading --------------------------------------------------------------------------------- */

static marey_status read_names(reading *in)
{
    if (!table_next(&in->table))
        return mry_fail(in->table.error, MAREY_ERR_INPUT, in->table.name,
                        "there is nothing in it; expected a line with the names of columns: %s",
                        MAIN_NAMES);
    in->names_line = in->table.line;
    /* ',', ';' or a tab, whichever is first in this line outside of quotes; ',' where there is
       none. */
    const char *p = in->table.row;
    bool quoted = false;
    while (p < in->table.row_end && (*p == ' ' || *p == '\t')) p++;
    for (; p < in->table.row_end; p++) {
        if (*p == '"') quoted = !quoted;
        if (!quoted && (*p == ',' || *p == ';' || *p == '\t')) break;
    }
    in->table.separator = p < in->table.row_end ? *p : ',';
    int wanted = in->def.main_only ? MAIN_COLUMNS : COLUMNS;
    for (; in->table.more; in->columns++) {
        field_text name;
        marey_status status = next_field(&in->table, &name);
        if (status) return status;
        int c = 0;
        while (c < wanted && !field_is(&name, COLUMN[c].name)) c++;
        if (c == wanted)
            in->paths->about.passed_over++;
        else if (in->place_of[c] >= 0)
            return table_fail(&in->table, name.from, "a second column %s", COLUMN[c].name);
        else
            in->place_of[c] = in->columns;
    }
    const char *also = in->def.needs_react ? ", " REACT_NAMES : "";
    int known = in->columns - in->paths->about.passed_over;
    if (known == 0)
        return table_fail(&in->table, in->table.row, "expected the names of columns: %s%s",
                          MAIN_NAMES, also);
    int missing = 0;
    while (missing < MAIN_COLUMNS && in->place_of[missing] >= 0) missing++;
    if (missing < MAIN_COLUMNS)
        return table_fail(&in->table, in->table.row, "missing column %s; a path needs %s%s",
                          COLUMN[missing].name, MAIN_NAMES, also);
    while (missing < COLUMNS && in->place_of[missing] >= 0) missing++;
    in->paths->about.has_react = missing == COLUMNS;
    if (missing == COLUMNS || (known == MAIN_COLUMNS && !in->def.needs_react)) return MAREY_OK;
    if (known == MAIN_COLUMNS)
        return table_fail(&in->table, in->table.row,
                          "expected a reacting character: missing columns %s", REACT_NAMES);
    return table_fail(&in->table, in->table.row, "missing column %s; a reacting character needs %s",
                      COLUMN[missing].name, REACT_NAMES);
}

static marey_status read_row(reading *in)
{
    table_text *table = &in->table;
    const char *time_at = table->row;
    double v[COLUMNS] = { 0 };
    int index = 0;
    for (; table->more && index < in->columns; index++) {
        field_text field;
        marey_status status = next_field(table, &field);
        if (status) return status;
        for (int c = 0; c < COLUMNS; c++) {
            if (in->place_of[c] != index) continue;
            if (c == TIME) time_at = field.from;
            char shown[48];
            size_t count = (size_t)(field.end - field.from);
            mry_quote(shown, sizeof shown, field.from, count);
            if (count == 0)
                return table_fail(table, field.from,
                                  "expected a number in column %s, found nothing", COLUMN[c].name);
            /* A decimal comma is one where commas do not separate. */
            mry_decimal number = { 0 };
            if (mry_number_read(field.from, field.end, &number) != count ||
                (table->separator == ',' && memchr(field.from, ',', count)))
                return table_fail(table, field.from, "expected a number in column %s, found \"%s\"",
                                  COLUMN[c].name, shown);
            v[c] = number.value;
            if (!(fabs(v[c]) <= COLUMN[c].most))
                return table_fail(table, field.from, "%s in column %s is beyond %g %s", shown,
                                  COLUMN[c].name, COLUMN[c].most, COLUMN[c].unit);
        }
    }
    if (table->more || index < in->columns)
        return table_fail(table, table->more ? table->p : table->row_end,
                          "expected %d fields, as line %lld has, found %s", in->columns,
                          (long long)in->names_line, table->more ? "more" : "fewer");
    marey_paths_about *about = &in->paths->about;
    marey_puppet_sample *now = &in->paths->samples[about->count++];
    *now = (marey_puppet_sample){ v[TIME],
                                  { v[MAIN_X], v[MAIN_Y], v[MAIN_DIR] },
                                  { v[REACT_X], v[REACT_Y], v[REACT_DIR] } };
    /* What the row says of the whole. */
    int line = table->line < INT_MAX ? (int)table->line : INT_MAX;
    bool beyond = fabs(v[MAIN_DIR]) > A_TURN || fabs(v[REACT_DIR]) > A_TURN;
    if (beyond && !about->degrees_line) about->degrees_line = line;
    if (about->count == 1) return MAREY_OK;
    double before = now[-1].time_s, step = v[TIME] - before;
    if (!(step > 0)) {
        char texts[2][MRY_NUMBER_ROOM + 1];
        texts[0][mry_number_write(texts[0], v[TIME], 6)] = 0;
        texts[1][mry_number_write(texts[1], before, 6)] = 0;
        if (v[TIME] == before)
            return table_fail(table, time_at, "times must rise: %s s is there twice", texts[0]);
        return table_fail(table, time_at, "times must rise: %s s comes behind %s s", texts[0],
                          texts[1]);
    }
    if (step <= in->def.gap_s) return MAREY_OK;
    about->gap_most_s = fmax(about->gap_most_s, step);
    if (about->gaps++ == 0) about->gap_line = line;
    return MAREY_OK;
}

static marey_status read_all(reading *in)
{
    marey_error *error = in->table.error;
    table_text ahead = in->table;
    if (mry_cancelled(in->ctx)) return mry_fail_cancelled(error);
    if (memchr(ahead.next, 0, (size_t)(ahead.end - ahead.next))) {
        /* Zeros are in no text; UTF-16 is full of them. */
        const char *zero = NULL;
        while (!zero && table_line(&ahead))
            zero = memchr(ahead.row, 0, (size_t)(ahead.row_end - ahead.row));
        return table_fail(&ahead, zero, "a byte of zero: this is no text, or not in UTF-8");
    }
    marey_status status = read_names(in);
    if (status) return status;
    /* Rows, no more than one above the limit. */
    int64_t line = in->table.line;
    int count = 0;
    for (ahead = in->table; count <= MAREY_PUPPET_MOST_SAMPLES && table_next(&ahead); count++) {
        line = ahead.line;
        if ((count & EVERY_LINES) == EVERY_LINES && mry_cancelled(in->ctx))
            return mry_fail_cancelled(error);
    }
    if (count > MAREY_PUPPET_MOST_SAMPLES)
        return mry_fail_at(error, MAREY_ERR_LIMIT, in->table.name, line, 1,
                           "paths have at most %d rows", (int)MAREY_PUPPET_MOST_SAMPLES);
    if (count < 2)
        return mry_fail_at(error, MAREY_ERR_INPUT, in->table.name, line, 1,
                           "expected two rows at least, found %s", count ? "one" : "none");
    marey_puppet_sample *samples = MRY_NEW_RAW(&in->paths->mem, marey_puppet_sample, count);
    in->paths->samples = samples;
    if (!samples) return mry_fail_memory(error, in->table.name);
    marey_paths_about *about = &in->paths->about;
    while (table_next(&in->table)) {
        status = read_row(in);
        if (status) return status;
        if ((about->count & EVERY_LINES) == 0 && mry_cancelled(in->ctx))
            return mry_fail_cancelled(error);
    }
    /* Whether times may be in something else than seconds. */
    double least = INFINITY, main = 0, react = 0;
    for (const marey_puppet_sample *b = samples + 1; b < samples + about->count; b++) {
        const marey_puppet_sample *a = b - 1;
        least = fmin(least, b->time_s - a->time_s);
        main += hypot(b->main.x_cm - a->main.x_cm, b->main.y_cm - a->main.y_cm);
        react += hypot(b->react.x_cm - a->react.x_cm, b->react.y_cm - a->react.y_cm);
    }
    about->seconds = samples[about->count - 1].time_s - samples[0].time_s;
    about->not_seconds = least >= SLOW_STEP && fmax(main, react) < SLOW_SPEED * about->seconds;
    return MAREY_OK;
}

marey_status marey_paths_read(marey_ctx *ctx, const void *bytes, size_t size, const char *name,
                              const marey_paths_def *def, marey_paths **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(ctx);
    reading in = { .ctx = ctx, .def = def ? *def : (marey_paths_def){ 0 } };
    if (in.def.main_only && in.def.needs_react)
        return mry_fail(error, MAREY_ERR_REQUEST, name,
                        "needs_react and main_only must not both be set");
    if (in.def.gap_s == 0) in.def.gap_s = MAREY_PUPPET_GAP;
    /* A mark of UTF-8 at the beginning is passed over. */
    static const char MARK[3] = { '\xef', '\xbb', '\xbf' };
    const char *text = size ? bytes : "";
    bool marked = size >= sizeof MARK && memcmp(text, MARK, sizeof MARK) == 0;
    in.table = (table_text){ .name = name,
                             .error = error,
                             .next = text + (marked ? sizeof MARK : 0),
                             .end = text + size,
                             .separator = ',' };
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

/* ---- writing --------------------------------------------------------------------------------- */

marey_status marey_paths_write(marey_ctx *ctx, const marey_puppet_sample *samples, int count,
                               bool with_react, uint8_t **bytes, size_t *size, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_bytes_writer out = { .mem = &tmp };
    int columns = with_react ? COLUMNS : MAIN_COLUMNS;
    marey_status status = MAREY_OK;
    mry_put_bytes(&out, HEADER, sizeof HEADER - 1);
    if (with_react) mry_put_bytes(&out, REACT_HEADER, sizeof REACT_HEADER - 1);
    mry_put_bytes(&out, "\n", 1);
    for (int i = 0; i < count && !status && !out.failed; i++) {
        const marey_puppet_sample *s = &samples[i];
        bool readable = mry_time_can_be(s->time_s) && mry_entity_can_be(&s->main) &&
                        fabs(s->main.direction_rad) <= MRY_PUPPET_TURNED;
        if (with_react &&
            !(mry_entity_can_be(&s->react) && fabs(s->react.direction_rad) <= MRY_PUPPET_TURNED))
            readable = false;
        if (!readable)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                              "sample %d: not a number, or too large", i);
        const double values[COLUMNS] = {
            s->time_s,     s->main.x_cm,  s->main.y_cm,          s->main.direction_rad,
            s->react.x_cm, s->react.y_cm, s->react.direction_rad
        };
        for (int c = 0; c < columns && !status; c++) {
            char text[MRY_NUMBER_ROOM + 1];
            size_t length = mry_number_write(text, values[c], DECIMALS);
            text[length] = c + 1 < columns ? ',' : '\n';
            mry_put_bytes(&out, text, length + 1);
        }
        if ((i & EVERY_LINES) == 0 && !status && mry_cancelled(ctx))
            status = mry_fail_cancelled(error);
    }
    uint8_t *copy = status || out.failed ? NULL : mry_alloc(ctx, out.used);
    if (!status && !copy) status = mry_fail_memory(error, NULL);
    if (copy) {
        memcpy(copy, out.bytes, out.used);
        *bytes = copy;
        *size = out.used;
    }
    mry_arena_free(&tmp);
    return status;
}
