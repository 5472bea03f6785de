/* drawn_curve.c - reading curves that were drawn by hand. */
#include "drawn_curve.h"

#include "graph_open.h"
#include "param_family.h"
#include "table_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SAMPLES = 10000000 };

/* A curve of a few points still needs to be told from a slow one of many. */
static const double LEAST_FPS = 60, MOST_FPS = 10000;

static void name_column(int column, char *text, size_t room)
{
    if (column == 0) {
        snprintf(text, room, "a time in seconds");
    } else {
        snprintf(text, room, "value %d", column);
    }
}

static const char *check_row(const double *row, int columns, const double *before, char *text,
                             size_t room)
{
    (void)columns;
    if (!before || row[0] > before[0]) return NULL;
    snprintf(text, room, "times must rise: %g s comes behind %g s", row[0], before[0]);
    return text;
}

/* ---- even times ------------------------------------------------------------------------------------ */

typedef struct lines {
    const double *rows;
    int count, columns;
} lines;

static double time_of(const lines *of, int row)
{
    return of->rows[(size_t)row * (size_t)of->columns];
}

static double least_step(const lines *of)
{
    double least = INFINITY;
    for (int i = 1; i < of->count; i++) {
        double step = time_of(of, i) - time_of(of, i - 1);
        if (step < least) least = step;
    }
    return least;
}

/* Within a hundredth of a step, which is what rounding in a file leaves. */
static bool is_even(const lines *of)
{
    double first = time_of(of, 0);
    double step = (time_of(of, of->count - 1) - first) / (of->count - 1);
    for (int i = 1; i < of->count; i++) {
        if (fabs(time_of(of, i) - first - i * step) > 0.01 * step) return false;
    }
    return true;
}

static double value_at(const lines *of, int column, double time, int *row)
{
    while (*row + 2 < of->count && time_of(of, *row + 1) <= time) ++*row;
    const double *a = of->rows + (size_t)*row * (size_t)of->columns, *b = a + of->columns;
    double t = fmin(fmax((time - a[0]) / (b[0] - a[0]), 0), 1);
    return a[column] + t * (b[column] - a[column]);
}

static marey_status make_even(const lines *of, const char *path, drawn_curve *out,
                              marey_error *error)
{
    double length = time_of(of, of->count - 1) - time_of(of, 0);
    bool even = is_even(of);
    double fps =
        even ? (of->count - 1) / length : fmin(fmax(1 / least_step(of), LEAST_FPS), MOST_FPS);
    double samples = even ? of->count : floor(length * fps + 1e-9) + 1;
    if (!(samples >= 2 && samples <= MOST_SAMPLES)) {
        return fail_graph(error, MAREY_ERR_INPUT, path,
                          "a curve of %g s at %g values a second is too long", length, fps);
    }
    out->fps = fps;
    out->samples = (int)samples;
    for (int column = 1; column < of->columns; column++) {
        for (int i = 0, row = 0; i < out->samples; i++) {
            double value = even ? of->rows[(size_t)i * (size_t)of->columns + (size_t)column]
                                : value_at(of, column, out->start_s + i / fps, &row);
            buffer_bytes(&out->values, (const char *)&value, sizeof value);
        }
    }
    return out->values.failed ? fail_for_memory(error) : MAREY_OK;
}

/* ---- reading --------------------------------------------------------------------------------------- */

/* Behind the time's, with commas between them, if each looks like a joint's channel. */
static void read_names(const char *heading, int signals, buffer *out)
{
    const char *at = heading + strcspn(heading, ",;\t");
    for (int i = 0; i < signals && *at; i++) {
        size_t blanks = 1 + strspn(at + 1, " "), length = strcspn(at + blanks, ",;\t");
        const char *name = at + blanks;
        while (length > 0 && name[length - 1] == ' ') length--;
        if (!memchr(name, '.', length)) {
            out->used = 0;
            break;
        }
        if (out->used) buffer_byte(out, ',');
        buffer_bytes(out, name, length);
        at = name + strcspn(name, ",;\t");
    }
    buffer_byte(out, 0);
}

marey_status drawn_curve_read(session *run, const char *path, drawn_curve *out, marey_error *error)
{
    static const table_def form = { .what = "a drawn curve",
                                    .row = "line of a time and values",
                                    .more = "this line has more values than the first one",
                                    .columns = MAREY_MOST_DOFS + 1,
                                    .name = name_column,
                                    .check = check_row };
    const marey_ctx_def *memory = &run->host->def;
    buffer rows = buffer_make(memory), heading = buffer_make(memory);
    int columns = 0;
    *out = (drawn_curve){ .values = buffer_make(memory), .names = buffer_make(memory) };
    marey_status status = table_read_any(run, path, &form, 2, &columns, &heading, &rows, error);
    if (status == MAREY_OK) {
        lines of = { .rows = (const double *)(const void *)rows.bytes, .columns = columns };
        of.count = (int)(rows.used / sizeof(double) / (size_t)columns);
        out->signals = columns - 1;
        out->start_s = time_of(&of, 0);
        read_names(heading.used ? heading.bytes : "", out->signals, &out->names);
        status = of.count >= 2 ? make_even(&of, path, out, error)
                               : fail_graph(error, MAREY_ERR_INPUT, path,
                                            "a curve has two lines at least, this one has one");
    }
    if (status == MAREY_OK && out->names.failed) status = fail_for_memory(error);
    buffer_free(&rows);
    buffer_free(&heading);
    return status;
}

void drawn_curve_free(drawn_curve *of)
{
    buffer_free(&of->values);
    buffer_free(&of->names);
}
