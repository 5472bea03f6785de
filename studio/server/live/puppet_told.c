/* puppet_told.c - behaviours in words. Rows are written as text: jansson's values would be ten times as large. */
#include "puppet_told.h"

#include "made_of.h"
#include "provenance_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t puppet_all_samples(const marey_puppet *puppet)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    int64_t window = (int64_t)rint(def->window_s * def->rate);
    return marey_puppet_samples(puppet) + marey_puppet_runs(puppet) * window;
}

double puppet_seconds(const marey_puppet *puppet)
{
    int steps = marey_puppet_samples(puppet) - marey_puppet_runs(puppet);
    return steps / marey_puppet_settings(puppet)->rate;
}

void describe_puppet(const marey_puppet *puppet, json_t **to)
{
    describe_put(to, "samples", puppet ? json_integer(marey_puppet_samples(puppet)) : json_null());
    describe_put(to, "seconds", describe_number(puppet ? puppet_seconds(puppet) : NAN));
    describe_put(to, "runs", puppet ? json_integer(marey_puppet_runs(puppet)) : json_null());
    describe_put(to, "rate", describe_number(puppet ? marey_puppet_settings(puppet)->rate : NAN));
}

/* ---- one puppet, with its rows -------------------------------------------------------------------- */

void puppet_write_row(studio_bytes *out, const marey_puppet_sample *sample)
{
    const double numbers[] = { sample->time_s,
                               sample->main.x_cm,
                               sample->main.y_cm,
                               sample->main.direction_rad,
                               sample->react.x_cm,
                               sample->react.y_cm,
                               sample->react.direction_rad };
    char text[NUMBER_ROOM];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        number_text(numbers[i], text);
        bytes_add(out, i == 0 ? "[" : ",", 1);
        provenance_text(out, text);
    }
    bytes_add(out, "]", 1);
}

static int runs_told(const marey_puppet *puppet)
{
    int runs = marey_puppet_runs(puppet);
    return runs < LIMIT_PUPPET_RUNS ? runs : LIMIT_PUPPET_RUNS;
}

/* The first, then every so many, and the last: of a run, which has two at least. */
static int rows_of(int samples, int every)
{
    return (samples - 1 + every - 1) / every + 1;
}

static int64_t rows_at(const marey_puppet *puppet, int every)
{
    int64_t rows = 0;
    for (int run = 0; run < marey_puppet_runs(puppet); run++)
        rows += rows_of(marey_puppet_run_samples(puppet, run), every);
    return rows;
}

/* So many samples apart, the rows of all runs are at most `points`; where that cannot be, each run has its first, as far as it goes. */
static int find_every(const marey_puppet *puppet, int points)
{
    int samples = marey_puppet_samples(puppet);
    int every = (samples + points - 1) / points;
    while (every < samples && rows_at(puppet, every) > points) every += 1 + every / 8;
    return every;
}

static void write_rows(const marey_puppet *puppet, int run, int every, int most, studio_bytes *out)
{
    int last = marey_puppet_run_samples(puppet, run) - 1;
    provenance_text(out, ",\"rows\":[");
    for (int row = 0; row < most; row++) {
        int at = (int64_t)row * every < last ? row * every : last;
        marey_puppet_sample one = marey_puppet_sample_at(puppet, run, at);
        if (row > 0) bytes_add(out, ",", 1);
        puppet_write_row(out, &one);
    }
    bytes_add(out, "]", 1);
}

/* `left` are the rows for it and for the runs behind it, of which each is to have one. */
static void write_run(const marey_puppet *puppet, int run, int every, int *left, studio_bytes *out)
{
    char text[96], seconds[NUMBER_ROOM];
    int samples = marey_puppet_run_samples(puppet, run);
    number_text((samples - 1) / marey_puppet_settings(puppet)->rate, seconds);
    snprintf(text, sizeof text, "{\"samples\":%d,\"seconds\":%s", samples, seconds);
    provenance_text(out, text);
    if (every > 0) {
        int behind = runs_told(puppet) - run - 1;
        int share = *left > behind ? *left - behind : *left > 0;
        int rows = rows_of(samples, every);
        if (rows > share) rows = share;
        write_rows(puppet, run, every, rows, out);
        *left -= rows;
    }
    bytes_add(out, "}", 1);
}

static json_t *describe_head(const char *name, const char *about, const marey_puppet *puppet,
                             const puppet_sourced *from)
{
    heap *memory = from->texts.memory;
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    json_t *value = json_object();
    describe_put(&value, "name", describe_text(memory, name));
    describe_put(&value, "about", describe_text(memory, about));
    describe_put(&value, "rate", describe_number(def->rate));
    describe_put(&value, "window_s", describe_number(def->window_s));
    describe_put(&value, "gap_s", describe_number(def->gap_s));
    describe_put(&value, "samples", json_integer(marey_puppet_samples(puppet)));
    describe_put(&value, "seconds", describe_number(puppet_seconds(puppet)));
    describe_put(&value, "run_count", json_integer(marey_puppet_runs(puppet)));
    describe_put(&value, "sources", describe_sources(from));
    return value;
}

bool puppet_write(const char *name, const char *about, const marey_puppet *puppet,
                  const puppet_sourced *from, int points, json_t *more, studio_bytes *out)
{
    json_t *head = describe_head(name, about, puppet, from);
    int runs = runs_told(puppet), left = points;
    int every = points > 0 ? find_every(puppet, points) : 0;
    if (more) describe_put(&head, "notes", more);
    bool whole = bytes_add_json(out, head);
    json_decref(head);
    if (!whole) return false;
    out->count--; /* the brace */
    provenance_text(out, ",\"runs\":[");
    for (int run = 0; run < runs; run++) {
        if (run > 0) bytes_add(out, ",", 1);
        write_run(puppet, run, every, &left, out);
    }
    provenance_text(out, "]}");
    return !out->failed;
}

/* ---- what is kept ----------------------------------------------------------------------------------- */

/* What the worker keeps to save time makes way before this fails for memory. */
marey_status puppet_open_kept(studio_worker *worker, const char *name, marey_puppet **out,
                              marey_kept **kept, marey_error *error)
{
    marey_status status = marey_library_puppet(worker->library, name, out, error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(worker);
        status = marey_library_puppet(worker->library, name, out, error);
    }
    if (status != MAREY_OK || !kept) return status;
    status = marey_library_kept(worker->library, MAREY_KEPT_PUPPET, name, kept, error);
    if (status == MAREY_OK) return MAREY_OK;
    marey_puppet_free(*out);
    *out = NULL;
    return status;
}

const char *puppet_about(const marey_kept *kept)
{
    int count = 0;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    return count == 1 && entries[0].about ? entries[0].about : "";
}
