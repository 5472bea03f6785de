/* cmd_puppet_show.c - `marey puppet show`: what a puppet has learned, as numbers, as a picture, and its demonstrations as a table. */
#include "commands.h"
#include "graph_open.h"
#include "grid_picture_of.h"
#include "param_family.h"
#include "puppet_open.h"
#include "puppet_paths.h"
#include "puppet_tell.h"

#include <stdio.h>

typedef struct showing {
    session *run;
    const request *asked;
    puppet_place at;
    marey_puppet *puppet;
    buffer about;
    puppet_origin origin;
    int64_t drawn; /* the run that is drawn, counted from 1; 0: the longest */
} showing;

/* ---- the answer ---------------------------------------------------------------------------------------- */

static double run_seconds(const showing *all, int run)
{
    return (marey_puppet_run_samples(all->puppet, run) - 1) /
           marey_puppet_settings(all->puppet)->rate;
}

static void write_json(const showing *all, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->at.library ? all->at.name : NULL);
    json_put_string(to, all->at.library ? "library" : "path",
                    all->at.library ? all->at.library : all->at.name);
    json_put_string(to, "about", all->about.bytes);
    json_puppet(to, all->puppet);
    json_open(to, "run_list", '[');
    for (int r = 0; r < marey_puppet_runs(all->puppet); r++) {
        json_open(to, NULL, '{');
        json_put_integer(to, "samples", marey_puppet_run_samples(all->puppet, r));
        json_put_number(to, "seconds", run_seconds(all, r));
        json_close(to, '}');
    }
    json_close(to, ']');
    puppet_origin_json(&all->origin, to);
    json_put_string(to, "picture", all->asked->values[OPTION_PICTURE]);
    json_put_string(to, "csv", all->asked->values[OPTION_CSV]);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void show_runs(const showing *all, buffer *out)
{
    enum { SHOWN = 12 };
    int runs = marey_puppet_runs(all->puppet);
    if (runs < 2) return;
    buffer_text(out, "  runs      ");
    for (int r = 0; r < runs && r < SHOWN; r++)
        buffer_print(out, r ? ", %.1f s" : "%.1f s", run_seconds(all, r));
    if (runs > SHOWN) buffer_print(out, " and %d more", runs - SHOWN);
    buffer_byte(out, '\n');
}

static void write_text(const showing *all, buffer *out)
{
    static const option_key written[] = { OPTION_PICTURE, OPTION_CSV };
    buffer_puppet(out, &all->at);
    buffer_text(out, ": ");
    buffer_learned(out, all->puppet);
    show_runs(all, out);
    if (all->about.bytes[0]) {
        buffer_text(out, "  about     ");
        buffer_shown(out, all->about.bytes);
        buffer_byte(out, '\n');
    }
    puppet_origin_text(&all->origin, out);
    for (int i = 0; i < 2 && !all->run->quiet; i++) {
        if (!request_has(all->asked, written[i])) continue;
        buffer_text(out, "wrote ");
        buffer_shown(out, all->asked->values[written[i]]);
        buffer_byte(out, '\n');
    }
}

/* ---- its demonstrations ----------------------------------------------------------------------------------- */

/* Runs one behind the other, so far apart that reading cuts them again. */
static void put_runs(const showing *all, marey_puppet_sample *out)
{
    double start = 0;
    for (int r = 0; r < marey_puppet_runs(all->puppet); r++) {
        int count = marey_puppet_run_samples(all->puppet, r);
        for (int i = 0; i < count; i++, out++) {
            *out = marey_puppet_sample_at(all->puppet, r, i);
            out->time_s += start;
        }
        start = out[-1].time_s + 1 + marey_puppet_settings(all->puppet)->gap_s;
    }
}

static marey_status write_table(const showing *all, marey_error *error)
{
    const char *path = all->asked->values[OPTION_CSV];
    int count = marey_puppet_samples(all->puppet);
    size_t bytes = (size_t)count * sizeof(marey_puppet_sample);
    if (!path) return MAREY_OK;
    marey_puppet_sample *samples = session_resize(all->run, NULL, 0, bytes);
    if (!samples) return fail_for_memory(error);
    put_runs(all, samples);
    marey_status status = paths_save(all->run, path, samples, count, error);
    session_resize(all->run, samples, bytes, 0);
    return status;
}

static int longest_run(const marey_puppet *puppet)
{
    int best = 0;
    for (int r = 1; r < marey_puppet_runs(puppet); r++) {
        if (marey_puppet_run_samples(puppet, r) > marey_puppet_run_samples(puppet, best)) best = r;
    }
    return best;
}

static marey_status draw(const showing *all, marey_error *error)
{
    const char *path = all->asked->values[OPTION_PICTURE];
    int run = all->drawn > 0 ? (int)all->drawn - 1 : longest_run(all->puppet);
    int count = marey_puppet_run_samples(all->puppet, run);
    size_t bytes = (size_t)count * sizeof(marey_puppet_sample);
    char title[512], name[PUPPET_NAME_ROOM];
    if (!path) return MAREY_OK;
    marey_puppet_sample *samples = session_resize(all->run, NULL, 0, bytes);
    if (!samples) return fail_for_memory(error);
    for (int i = 0; i < count; i++) samples[i] = marey_puppet_sample_at(all->puppet, run, i);
    puppet_called(&all->at, name, sizeof name);
    snprintf(title, sizeof title, "%s: run %d of %d", name, run + 1,
             marey_puppet_runs(all->puppet));
    marey_status status = paths_draw(all->run, samples, count, title, name, NULL, path, error);
    session_resize(all->run, samples, bytes, 0);
    return status;
}

/* ---- the command -------------------------------------------------------------------------------------------- */

static marey_status show(showing *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    marey_status status =
        puppet_open(all->run, &all->at, &all->puppet, &all->about, &all->origin, error);
    if (status == MAREY_OK && all->about.failed) status = fail_for_memory(error);
    if (status != MAREY_OK) return status;
    if (all->drawn > marey_puppet_runs(all->puppet)) {
        return fail_graph(error, MAREY_ERR_REQUEST, all->at.name,
                          "there is no run %lld; the runs are 1 to %d", (long long)all->drawn,
                          marey_puppet_runs(all->puppet));
    }
    puppet_origin_say(&all->origin, all->run, all->at.name);
    if (all->run->json) {
        write_json(all, &to);
    } else {
        write_text(all, &all->run->out);
    }
    status = shelf_ready(all->run, error);
    if (status == MAREY_OK) status = draw(all, error);
    return status == MAREY_OK ? write_table(all, error) : status;
}

static int read_options(showing *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    const char *picture = asked->values[OPTION_PICTURE], *csv = asked->values[OPTION_CSV];
    if (request_has(asked, OPTION_RUN) && !picture)
        return session_usage(run, "--run says what --picture draws; without that it does nothing");
    int status = options_whole(run, asked, OPTION_RUN, 1, INT32_MAX, &all->drawn);
    if (status == PROGRAM_DONE) status = paths_outputs(run, asked, OPTION_CSV, "--csv");
    if (status == PROGRAM_DONE)
        status = refuse_overwriting(run, "--picture", picture, asked->operands, 1);
    if (status == PROGRAM_DONE) status = refuse_overwriting(run, "--csv", csv, asked->operands, 1);
    puppet_place_of(asked, asked->operands[0], &all->at);
    if (status == PROGRAM_DONE && request_has(asked, OPTION_LIBRARY) && !all->at.library) {
        return session_usage(run, "-L is for a puppet that a library keeps; %.300s is a file",
                             all->at.name);
    }
    return status;
}

int command_puppet_show(session *run, const request *asked)
{
    showing all = { .run = run, .asked = asked, .about = buffer_make(&run->host->def) };
    marey_error error;
    puppet_origin_make(&all.origin, run);
    int ended = read_options(&all);
    if (ended == PROGRAM_DONE) {
        marey_status status = show(&all, &error);
        if (status != MAREY_OK) run->out.used = 0;
        ended = status == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
    }
    marey_puppet_free(all.puppet);
    buffer_free(&all.about);
    puppet_origin_free(&all.origin);
    return ended;
}
