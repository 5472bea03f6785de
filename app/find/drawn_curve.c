/* drawn_curve.c - curves that were drawn by hand. */
#include "drawn_curve.h"

#include "file_text.h"
#include "table.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a file: even times ---------------------------------------------------------------------- */

enum { MOST_SAMPLES = 10000000, LARGEST_FILE_MIB = 256 };

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

typedef struct lines {
    const double *rows;
    int count, columns;
} lines;

static double time_of(const lines *drawn, int row)
{
    return drawn->rows[(size_t)row * (size_t)drawn->columns];
}

static double value_at(const lines *drawn, int column, double time, int *row)
{
    while (*row + 2 < drawn->count && time_of(drawn, *row + 1) <= time) ++*row;
    const double *a = drawn->rows + (size_t)*row * (size_t)drawn->columns, *b = a + drawn->columns;
    double t = fmin(fmax((time - a[0]) / (b[0] - a[0]), 0), 1);
    return a[column] + t * (b[column] - a[column]);
}

/* Times are even within a hundredth of a step, which is what rounding in a file leaves. */
static marey_status make_even(const app_env *env, const lines *drawn, const char *path,
                              app_curve *out, marey_error *error)
{
    double first = time_of(drawn, 0), length = time_of(drawn, drawn->count - 1) - first;
    double step = length / (drawn->count - 1), least = INFINITY;
    bool even = true;
    for (int i = 1; i < drawn->count; i++) {
        even = even && fabs(time_of(drawn, i) - first - i * step) <= 0.01 * step;
        least = fmin(least, time_of(drawn, i) - time_of(drawn, i - 1));
    }
    double fps = even ? (drawn->count - 1) / length : fmin(fmax(1 / least, LEAST_FPS), MOST_FPS);
    double samples = even ? drawn->count : floor(length * fps + 1e-9) + 1;
    if (!(samples >= 2 && samples <= MOST_SAMPLES)) {
        return app_fail(error, MAREY_ERR_INPUT, path,
                        "a curve of %g s at %g values a second is too long", length, fps);
    }
    out->fps = fps;
    out->start_s = first;
    out->samples = (int)samples;
    double *values = APP_NEW(env->scope, double, (size_t)out->signals *(size_t)out->samples);
    if (!values) return app_fail_memory(error);
    out->values = values;
    for (int column = 1; column < drawn->columns; column++) {
        for (int i = 0, row = 0; i < out->samples; i++) {
            *values++ = even ? drawn->rows[(size_t)i * (size_t)drawn->columns + (size_t)column]
                             : value_at(drawn, column, out->start_s + i / fps, &row);
        }
    }
    return MAREY_OK;
}

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

marey_status app_curve_read(const app_env *env, const char *path, app_curve *out,
                            marey_error *error)
{
    static const app_table_def form = { .what = "a drawn curve",
                                        .row = "line of a time and values",
                                        .more = "this line has more values than the first one",
                                        .columns = MAREY_MOST_DOFS + 1,
                                        .name = name_column,
                                        .check = check_row };
    const marey_ctx_def *memory = env->scope->memory;
    buffer text = buffer_make(memory), rows = buffer_make(memory), heading = buffer_make(memory),
           names = buffer_make(memory);
    int columns = 0;
    *out = (app_curve){ .names = "" };
    marey_status status = app_file_text(memory, path, LARGEST_FILE_MIB, form.what, &text, error);
    if (status == MAREY_OK)
        status = app_table_read_any(path, text.bytes, &form, 2, &columns, &heading, &rows, error);
    if (status == MAREY_OK) {
        lines drawn = { .rows = (const double *)(const void *)rows.bytes, .columns = columns };
        drawn.count = (int)(rows.used / sizeof(double) / (size_t)columns);
        out->signals = columns - 1;
        read_names(heading.used ? heading.bytes : "", out->signals, &names);
        out->names = names.failed ? NULL : app_copy(env->scope, names.bytes);
        status = app_check(!out->names, error);
        if (status == MAREY_OK && drawn.count < 2) {
            status = app_fail(error, MAREY_ERR_INPUT, path,
                              "a curve has two lines at least, this one has one");
        }
        if (status == MAREY_OK) status = make_even(env, &drawn, path, out, error);
    }
    buffer_free(&text);
    buffer_free(&rows);
    buffer_free(&heading);
    buffer_free(&names);
    return status;
}

/* ---- a body ---------------------------------------------------------------------------------- */

static const double largest_value = 1e9; /* degrees or cm */

static marey_status take_values(const app_env *env, const json_t *root, app_curve *out,
                                marey_error *error)
{
    const json_t *fps = json_object_get(root, "fps"), *list = json_object_get(root, "values");
    size_t rows = json_array_size(list), samples = json_array_size(json_array_get(list, 0));
    out->fps = json_number_value(fps);
    if (!json_is_number(fps) || !(out->fps >= 1 && out->fps <= 1000) ||
        json_object_size(root) != 2 || rows < 1 || rows > MAREY_MOST_DOFS) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "curve must have fps, a number from 1 to 1000, and values, a row for each "
                        "of 1 to %d signals",
                        MAREY_MOST_DOFS);
    }
    if (samples < 2 || samples > APP_CURVE_SAMPLES) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a row of values must have 2 to %d numbers, got %d", APP_CURVE_SAMPLES,
                        (int)samples);
    }
    double *values = APP_NEW(env->scope, double, rows *samples);
    if (!values) return app_fail_memory(error);
    out->values = values;
    out->signals = (int)rows;
    out->samples = (int)samples;
    bool right = true;
    for (size_t r = 0; r < rows; r++) {
        const json_t *row = json_array_get(list, r);
        bool none = r > 0 && json_is_null(row);
        right = right && (none || json_array_size(row) == samples);
        for (size_t i = 0; i < samples && right; i++) {
            const json_t *one = json_array_get(row, i);
            double value = none ? (double)NAN : json_number_value(one);
            right = none || (json_is_number(one) && fabs(value) <= largest_value);
            *values++ = value;
        }
    }
    if (right) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "values must be rows of numbers, all of one length, or null in place of a row "
                    "that is not the first");
}

marey_status app_curve_parse(const app_env *env, const app_document *document, app_curve *out,
                             marey_error *error)
{
    json_error_t where;
    json_t *root = json_loads(document->text, 0, &where);
    *out = (app_curve){ .names = "" };
    if (!json_is_object(root)) {
        json_decref(root);
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "curve must be a JSON object");
    }
    marey_status status = take_values(env, root, out, error);
    json_decref(root);
    return status;
}
