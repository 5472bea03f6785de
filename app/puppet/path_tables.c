/* path_tables.c - paths of a main character and perhaps of one that reacts: tables of files and
   bodies, rows of JSON, and the same at a rate. */
#include "file_text.h"
#include "puppets.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE_MIB = 1024 };

static const double farthest_cm = 1e6, most_rad = 1e4, latest_s = 5e9;

/* ---- rows ------------------------------------------------------------------------------------ */

marey_status app_path_row_read(const json_t *row, int width, const char *called, int number,
                               double before_s, double *out, marey_error *error)
{
    if (!json_is_array(row) || json_array_size(row) != (size_t)width)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s %d must be a list of %d numbers",
                        called, number, width);
    for (int i = 0; i < width; i++) {
        const json_t *value = json_array_get(row, (size_t)i);
        double most = i == 0 ? latest_s : i % 3 == 0 ? most_rad : farthest_cm;
        out[i] = json_number_value(value);
        if (!json_is_number(value) || !(fabs(out[i]) <= most))
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s %d must have numbers only, none beyond %g in place %d", called,
                            number, most, i);
    }
    if (number > 0 && !(out[0] > before_s))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s %d: its time must be later than %g s, got %g s", called, number,
                        before_s, out[0]);
    return MAREY_OK;
}

void app_path_row_write(json *out, const marey_puppet_sample *sample)
{
    const double numbers[APP_PAIR_NUMBERS] = { sample->time_s,
                                               sample->main.x_cm,
                                               sample->main.y_cm,
                                               sample->main.direction_rad,
                                               sample->react.x_cm,
                                               sample->react.y_cm,
                                               sample->react.direction_rad };
    json_put_numbers(out, NULL, numbers, APP_PAIR_NUMBERS);
}

marey_status app_path_rows_read(const app_env *env, const json_t *rows, const char *called,
                                bool main_only, marey_puppet_sample **samples, int *count,
                                marey_error *error)
{
    size_t rows_count = json_array_size(rows);
    int width = main_only ? APP_PLACE_NUMBERS : APP_PAIR_NUMBERS;
    marey_puppet_sample *out = APP_NEW(env->scope, marey_puppet_sample, rows_count);
    marey_status status = app_check(!out, error);
    if (status == MAREY_OK && rows_count < 2)
        status = app_fail(
            error, MAREY_ERR_REQUEST, NULL, "%s: at least two rows are needed: [%s]", called,
            main_only ? "t, x, y, direction" : "t, main x, y, direction, react x, y, direction");
    for (size_t i = 0; i < rows_count && status == MAREY_OK; i++) {
        double at[APP_PAIR_NUMBERS] = { 0 };
        char sample[600];
        snprintf(sample, sizeof sample, "%.500s%ssample", called, *called ? ", " : "");
        status = app_path_row_read(json_array_get(rows, i), width, sample, (int)i,
                                   i > 0 ? out[i - 1].time_s : 0, at, error);
        out[i] = (marey_puppet_sample){ at[0], { at[1], at[2], at[3] }, { at[4], at[5], at[6] } };
    }
    *samples = out;
    *count = (int)rows_count;
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* What was meant, if it is something else that is known. */
static marey_status refuse_others(const buffer *text, const char *path, marey_error *error)
{
    const marey_format *format;
    if (text->used > 4 && memcmp(text->bytes, "MRYQ", 4) == 0) {
        return app_fail(error, MAREY_ERR_INPUT, path,
                        "this is a trained puppet, not a table of paths; marey puppet show %.300s "
                        "--csv OUT.csv writes its demonstrations as one",
                        path);
    }
    if (text->used > 16 && memcmp(text->bytes, "SQLite format 3", 16) == 0) {
        return app_fail(error, MAREY_ERR_INPUT, path,
                        "this is a library, not a table of paths; it is named by -L");
    }
    for (int i = 0; (format = marey_format_find(i)); i++) {
        if (format->points || !path_ends_in(path, format->ending)) continue;
        return app_fail(error, MAREY_ERR_INPUT, path,
                        "this is a clip, not a table of paths; marey puppet train --clips A B "
                        "takes the floor paths of two clips");
    }
    return MAREY_OK;
}

static void note_facts(const app_env *env, const char *called, const marey_paths_about *facts,
                       bool main_only, const char *gap, app_notes *notes)
{
    char which[96];
    if (facts->not_seconds) {
        app_note(env, notes,
                 "%.1000s: rows are %.4g s apart; are these milliseconds, or numbers of frames? "
                 "Times should be in seconds",
                 called, facts->seconds / (facts->count - 1));
    } else if (facts->gaps > 0) {
        if (facts->gaps > 1)
            snprintf(which, sizeof which, "the first of %d gaps of up to %.4g s", facts->gaps,
                     facts->gap_most_s);
        else
            snprintf(which, sizeof which, "a gap of %.4g s", facts->gap_most_s);
        app_note(env, notes, "%.1000s:%d: this row comes behind %s; %s", called, facts->gap_line,
                 which, gap);
    }
    if (facts->degrees_line > 0) {
        app_note(env, notes,
                 "%.1000s:%d: a direction is beyond 7; is it in degrees? Directions are in "
                 "radians, counter-clockwise from x",
                 called, facts->degrees_line);
    }
    if (facts->passed_over > 0 && !main_only)
        app_note(env, notes, "%.1000s: other columns are passed over (%d)", called,
                 facts->passed_over);
}

static marey_status read_table(const app_env *env, const char *text, size_t size,
                               const char *called, bool main_only, double gap_s, const char *gap,
                               app_notes *notes, marey_puppet_sample **samples, int *count,
                               marey_error *error)
{
    marey_paths_def def = { .main_only = main_only, .needs_react = !main_only, .gap_s = gap_s };
    marey_paths *paths = NULL;
    marey_status status = marey_paths_read(env->ctx, text, size, called, &def, &paths, error);
    if (status != MAREY_OK) return status;
    marey_paths_about facts = *marey_paths_facts(paths);
    const marey_puppet_sample *read = marey_paths_samples(paths, count);
    *samples = APP_NEW(env->scope, marey_puppet_sample, *count);
    if (*samples) memcpy(*samples, read, (size_t)*count * sizeof *read);
    marey_paths_free(paths);
    if (!*samples) return app_fail_memory(error);
    bool nothing = facts.not_seconds && !main_only && facts.gaps == *count - 1;
    if (nothing) facts.not_seconds = false, facts.gaps = 0; /* said below */
    note_facts(env, called, &facts, main_only, gap, notes);
    if (!nothing) return MAREY_OK;
    return app_fail(error, MAREY_ERR_INPUT, called,
                    "rows are %.4g s apart, so that nothing follows on anything; are these "
                    "milliseconds, or numbers of frames? Times should be in seconds",
                    facts.seconds / (*count - 1));
}

marey_status app_path_read(const app_env *env, const app_document *table, const char *called,
                           bool main_only, double gap_s, const char *gap, app_notes *notes,
                           marey_puppet_sample **samples, int *count, marey_error *error)
{
    if (table->text) {
        json_t *rows = table->text[0] == '[' ? json_loads(table->text, 0, NULL) : NULL;
        if (rows) {
            marey_status status =
                app_path_rows_read(env, rows, called, main_only, samples, count, error);
            json_decref(rows);
            return status;
        }
        marey_status status = read_table(env, table->text, strlen(table->text), called, main_only,
                                         gap_s, gap, notes, samples, count, error);
        if (status == MAREY_OK) return status;
        /* Where it is wrong is a place in no file. */
        marey_error wrong = *error;
        *error = (marey_error){ .status = status };
        marey_error_text(&wrong, error->message, sizeof error->message);
        return status;
    }
    buffer text = buffer_make(env->scope->memory);
    marey_status status = app_file_text(env->scope->memory, table->name, LARGEST_FILE_MIB,
                                        "a table of paths", &text, error);
    if (status == MAREY_OK) status = refuse_others(&text, table->name, error);
    if (status == MAREY_OK)
        status = read_table(env, text.bytes, text.used - 1, called, main_only, gap_s, gap, notes,
                            samples, count, error);
    buffer_free(&text);
    return status;
}

/* ---- at a rate ------------------------------------------------------------------------------- */

marey_entity app_entity_between(const marey_entity *a, const marey_entity *b, double share)
{
    double turn = remainder(b->direction_rad - a->direction_rad, 2 * acos(-1));
    share = fmin(fmax(share, 0), 1);
    return (marey_entity){ a->x_cm + share * (b->x_cm - a->x_cm),
                           a->y_cm + share * (b->y_cm - a->y_cm), a->direction_rad + share * turn };
}

marey_entity *app_path_places(app_scope *scope, const marey_puppet_sample *samples, int count,
                              double rate, bool of_main, int *places)
{
    double seconds = samples[count - 1].time_s - samples[0].time_s;
    int most = (int)fmin(floor(seconds * rate + 1e-6) + 1, 1e8);
    *places = most < 2 ? 2 : most;
    marey_entity *out = APP_NEW(scope, marey_entity, *places);
    for (int i = 0, at = 0; i < *places && out; i++) {
        double time = samples[0].time_s + i / rate;
        while (at < count - 2 && samples[at + 1].time_s <= time) at++;
        const marey_puppet_sample *a = &samples[at], *b = &samples[at + 1];
        double share = (time - a->time_s) / (b->time_s - a->time_s);
        out[i] = of_main ? app_entity_between(&a->main, &b->main, share)
                         : app_entity_between(&a->react, &b->react, share);
    }
    return out;
}
