/* puppet_gather.c - what a body shows: read, checked, and noted. */
#include "puppet_gather.h"

#include "json_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROW_NUMBERS = 7 };

static const double farthest_cm = 1e6, most_rad = 1e4, latest_s = 5e9;

bool puppet_gather_begin(puppet_gather *of, heap *memory)
{
    studio_bytes none = { .memory = memory };
    *of = (puppet_gather){ .memory = memory,
                           .shown = none,
                           .samples = none,
                           .spans = none,
                           .parts = none,
                           .sources = puppet_sourced_begin(memory),
                           .about = none,
                           .notes = json_array() };
    return of->notes != NULL;
}

void puppet_gather_free(puppet_gather *of)
{
    studio_bytes *all[] = { &of->shown, &of->samples, &of->spans, &of->parts, &of->about };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) bytes_free(all[i]);
    puppet_sourced_free(&of->sources);
    json_decref(of->notes);
    of->notes = NULL;
}

marey_puppet_sample *puppet_gather_room(puppet_gather *of, int count, marey_error *error)
{
    size_t taken = of->samples.count / sizeof(marey_puppet_sample);
    if (count > LIMIT_PUPPET_SAMPLES - (int)taken) {
        *error = (marey_error){ .status = MAREY_ERR_LIMIT };
        snprintf(error->message, sizeof error->message,
                 "the demonstrations have more than %d samples; show less, or use marey puppet "
                 "train",
                 LIMIT_PUPPET_SAMPLES);
        return NULL;
    }
    uint8_t *room = bytes_extend(&of->samples, (size_t)count * sizeof(marey_puppet_sample));
    if (!room) json_fail_memory(error);
    return (marey_puppet_sample *)(void *)room;
}

void puppet_gather_note(puppet_gather *of, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    describe_append(&of->notes, describe_text(of->memory, text));
}

/* ---- rows of numbers ---------------------------------------------------------------------------- */

static double most_of(int column)
{
    return column == 0 ? latest_s : column % 3 == 0 ? most_rad : farthest_cm;
}

marey_status puppet_read_row(const json_t *row, int width, const char *called, int number,
                             double before_s, double *out, marey_error *error)
{
    if (!json_is_array(row) || json_array_size(row) != (size_t)width)
        return json_refuse(error, "%s %d: it is a list of %d numbers", called, number, width);
    for (int i = 0; i < width; i++) {
        const json_t *value = json_array_get(row, (size_t)i);
        out[i] = json_number_value(value);
        if (!json_is_number(value) || !(fabs(out[i]) <= most_of(i)))
            return json_refuse(error, "%s %d: not a number, or too large", called, number);
    }
    if (number > 0 && !(out[0] > before_s))
        return json_refuse(error, "%s %d: its time, %g s, is not after %g s", called, number,
                           out[0], before_s);
    return MAREY_OK;
}

static marey_status read_samples(puppet_gather *to, puppet_shown *one, int number,
                                 const json_t *rows, marey_error *error)
{
    char called[64];
    size_t count = json_array_size(rows);
    snprintf(called, sizeof called, "demonstration %d, sample", number);
    if (!json_is_array(rows) || count < 2)
        return json_refuse(error,
                           "demonstration %d: samples is a list of at least two rows [t, main x, "
                           "y, direction, react x, y, direction]",
                           number);
    one->count = (int)count;
    marey_puppet_sample *out = puppet_gather_room(to, one->count, error);
    if (!out) return error->status;
    for (size_t i = 0; i < count; i++) {
        double at[ROW_NUMBERS];
        marey_status status = puppet_read_row(json_array_get(rows, i), ROW_NUMBERS, called, (int)i,
                                              i > 0 ? out[i - 1].time_s : 0, at, error);
        if (status != MAREY_OK) return status;
        out[i] = (marey_puppet_sample){ at[0], { at[1], at[2], at[3] }, { at[4], at[5], at[6] } };
    }
    return MAREY_OK;
}

/* ---- tables --------------------------------------------------------------------------------------- */

static void note_table(puppet_gather *to, const char *called, const marey_paths_about *facts)
{
    if (facts->gaps > 0)
        puppet_gather_note(to,
                           "%.200s: line %d comes after a gap of more than %g s, where it is cut "
                           "(gaps: %d, the longest of %.4g s)",
                           called, facts->gap_line, MAREY_PUPPET_GAP, facts->gaps,
                           facts->gap_most_s);
    if (facts->degrees_line > 0)
        puppet_gather_note(to,
                           "%.200s: line %d has a direction beyond 7; is it in degrees? Directions "
                           "are in radians",
                           called, facts->degrees_line);
    if (facts->passed_over > 0)
        puppet_gather_note(to, "%.200s: other columns were passed over (%d)", called,
                           facts->passed_over);
}

static marey_status read_table(puppet_gather *to, studio_worker *worker, puppet_shown *one,
                               const char *text, const char *called, marey_error *error)
{
    marey_paths_def def = { .needs_react = true, .gap_s = MAREY_PUPPET_GAP };
    marey_paths *paths = NULL;
    marey_error wrong = { 0 };
    marey_status status =
        marey_paths_read(worker->ctx, text, strlen(text), called, &def, &paths, &wrong);
    if (status != MAREY_OK) {
        *error = (marey_error){ .status = status };
        marey_error_text(&wrong, error->message, sizeof error->message);
        return status;
    }
    const marey_puppet_sample *samples = marey_paths_samples(paths, &one->count);
    marey_puppet_sample *out = puppet_gather_room(to, one->count, error);
    if (out) {
        memcpy(out, samples, (size_t)one->count * sizeof *out);
        note_table(to, called, marey_paths_facts(paths));
    }
    marey_paths_free(paths);
    return out ? MAREY_OK : error->status;
}

static marey_status read_csv(puppet_gather *to, studio_worker *worker, puppet_shown *one,
                             int number, const json_t *object, marey_error *error)
{
    const json_t *name = json_object_get(object, "called");
    const char *text = NULL, *called = NULL;
    char own[64];
    marey_status status = json_text(json_object_get(object, "csv"), "csv", &text, error);
    if (status == MAREY_OK && name) status = json_text(name, "called", &called, error);
    if (status != MAREY_OK) return status;
    snprintf(own, sizeof own, "demonstration %d", number);
    one->table = true;
    return read_table(to, worker, one, text, called && called[0] ? called : own, error);
}

/* ---- what is made, and what is in the library ----------------------------------------------------- */

static marey_status read_ready(puppet_gather *to, puppet_shown *one, int number, const char *name,
                               marey_error *error)
{
    const marey_ready_puppet *ready;
    char names[256] = "";
    for (int i = 0; (ready = marey_ready_puppet_find(i)); i++) {
        size_t used = strlen(names);
        if (strcmp(ready->name, name) == 0) break;
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", ready->name);
    }
    if (!ready)
        return json_refuse(error, "demonstration %d: no ready one is called %.60s; there are %s",
                           number, name, names);
    one->count = ready->samples;
    marey_puppet_sample *out = puppet_gather_room(to, one->count, error);
    if (!out) return error->status;
    marey_ready_puppet_demonstrate(ready, out);
    if (to->about.count == 0) bytes_add(&to->about, ready->about, strlen(ready->about) + 1);
    return MAREY_OK;
}

static marey_status read_clips(studio_worker *worker, puppet_shown *one, int number,
                               const json_t *list, marey_error *error)
{
    if (json_array_size(list) != 2)
        return json_refuse(error,
                           "demonstration %d: clips is a list of two numbers of clips, the main "
                           "character's and the reacting one's",
                           number);
    for (size_t i = 0; i < 2; i++) {
        const marey_clip *clip = NULL;
        marey_status status =
            json_clip(json_array_get(list, i), "each of clips", &one->clips[i], error);
        if (status == MAREY_OK) status = worker_clip(worker, one->clips[i], &clip, error);
        if (status != MAREY_OK) return status;
    }
    one->kind = SHOWN_CLIPS;
    return MAREY_OK;
}

static marey_status read_puppet(puppet_gather *to, studio_worker *worker, puppet_shown *one,
                                const char *name, marey_error *error)
{
    marey_kept *kept = NULL;
    int count = 0;
    marey_status status =
        marey_library_kept(worker->library, MAREY_KEPT_PUPPET, name, &kept, error);
    if (status != MAREY_OK) return status;
    const char *about = marey_kept_entries(kept, &count)[0].about;
    one->kind = SHOWN_PUPPET;
    snprintf(one->puppet, sizeof one->puppet, "%s", name);
    if (to->about.count == 0 && about) bytes_add(&to->about, about, strlen(about) + 1);
    marey_kept_free(kept);
    return MAREY_OK;
}

/* ---- the list ------------------------------------------------------------------------------------- */

static marey_status check_fields(const json_t *object, int number, marey_error *error)
{
    static const char *const kinds[] = { "samples", "clips", "csv", "ready", "puppet" };
    size_t found = 0, called = json_object_get(object, "called") ? 1 : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        found += json_object_get(object, kinds[i]) ? 1 : 0;
    if (called && !json_object_get(object, "csv")) found = 0;
    if (found == 1 && json_object_size(object) == 1 + called) return MAREY_OK;
    return json_refuse(error,
                       "demonstration %d: it is an object of one of samples, clips, csv (and "
                       "called), ready, puppet",
                       number);
}

static marey_status read_one(puppet_gather *to, studio_worker *worker, const json_t *object,
                             int number, marey_error *error)
{
    const json_t *rows = json_object_get(object, "samples"), *csv = json_object_get(object, "csv");
    const json_t *clips = json_object_get(object, "clips"),
                 *ready = json_object_get(object, "ready");
    puppet_shown one = { .kind = SHOWN_SAMPLES,
                         .first = (int)(to->samples.count / sizeof(marey_puppet_sample)) };
    const char *name = NULL;
    marey_status status = check_fields(object, number, error);
    if (status == MAREY_OK && !rows && !csv && !clips)
        status = json_text(ready ? ready : json_object_get(object, "puppet"),
                           ready ? "ready" : "puppet", &name, error);
    if (status != MAREY_OK) return status;
    if (rows)
        status = read_samples(to, &one, number, rows, error);
    else if (csv)
        status = read_csv(to, worker, &one, number, object, error);
    else if (clips)
        status = read_clips(worker, &one, number, clips, error);
    else if (ready)
        status = read_ready(to, &one, number, name, error);
    else
        status = read_puppet(to, worker, &one, name, error);
    bytes_add(&to->shown, &one, sizeof one);
    if (status == MAREY_OK && (to->shown.failed || to->about.failed || !to->notes))
        status = json_fail_memory(error);
    return status;
}

marey_status puppet_gather_read(puppet_gather *to, studio_worker *worker, const json_t *list,
                                marey_error *error)
{
    size_t count = json_array_size(list);
    marey_status status = MAREY_OK;
    if (!json_is_array(list) || count == 0 || count > LIMIT_DEMONSTRATIONS)
        return json_refuse(error, "demonstrations is a list of 1 to %d demonstrations",
                           LIMIT_DEMONSTRATIONS);
    for (size_t i = 0; i < count && status == MAREY_OK; i++)
        status = read_one(to, worker, json_array_get(list, i), (int)i, error);
    return status;
}
