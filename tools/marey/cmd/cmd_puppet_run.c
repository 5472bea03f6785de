/* cmd_puppet_run.c - `marey puppet run`: a puppet reacts to a path of the main character. */
#include "commands.h"
#include "param_family.h"
#include "puppet_body.h"
#include "puppet_notes.h"
#include "puppet_open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct playing {
    session *run;
    const request *asked;
    marey_reactor_def def;
    puppet_place at;
    marey_puppet *puppet;
    puppet_origin origin;
    puppet_notes notes;
    marey_puppet_sample *samples; /* of the main character, and what becomes of it */
    int count;
    size_t bytes;
    marey_played played;
    bool has_body;
    puppet_body body;
} playing;

static const char *main_path(const playing *all)
{
    return all->asked->operands[1];
}

/* ---- options ------------------------------------------------------------------------------------------- */

static int read_start(playing *all)
{
    const char *text = all->asked->values[OPTION_START];
    double at[3];
    if (!text) return PROGRAM_DONE;
    if (!numbers_parse(text, 3, at) || !(fabs(at[0]) <= 1e6) || !(fabs(at[1]) <= 1e6) ||
        !(fabs(at[2]) <= 1e4)) {
        return session_usage(
            all->run,
            "--start takes x,y,dir in centimetres and radians, as in 120,-40,1.57, "
            "not \"%.300s\"",
            text);
    }
    all->def.start_given = true;
    all->def.start = (marey_entity){ at[0], at[1], at[2] };
    return PROGRAM_DONE;
}

static int check_outputs(const playing *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    const char *table = asked->values[OPTION_OUTPUT], *picture = asked->values[OPTION_PICTURE];
    if (!table && !picture && !request_has(asked, OPTION_BODY))
        return session_usage(run, "-o OUT.csv is needed: where the paths of both go");
    int status = paths_outputs(run, asked, OPTION_OUTPUT, "-o");
    if (status == PROGRAM_DONE) status = refuse_overwriting(run, "-o", table, asked->operands, 2);
    if (status == PROGRAM_DONE)
        status = refuse_overwriting(run, "--picture", picture, asked->operands, 2);
    return status;
}

static int read_options(playing *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    int status = check_outputs(all);
    if (status == PROGRAM_DONE && request_has(asked, OPTION_BALANCE) &&
        request_has(asked, OPTION_WEIGHT)) {
        status = session_usage(run, "--weight holds what --balance would adjust: give one of them");
    }
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_BALANCE, 0.01, 0.99, &all->def.balance);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_WEIGHT, 1e-6, 1e6, &all->def.weight);
    if (status == PROGRAM_DONE) status = read_start(all);
    all->def.rough = request_has(asked, OPTION_ROUGH);
    return status;
}

/* ---- reacting -------------------------------------------------------------------------------------------- */

/* The library's samples are not ours to write into. */
static marey_status copy_samples(playing *all, const marey_paths *paths, marey_error *error)
{
    const marey_puppet_sample *read = marey_paths_samples(paths, &all->count);
    size_t bytes = (size_t)all->count * sizeof *read;
    all->samples = session_resize(all->run, NULL, 0, bytes);
    if (!all->samples) return fail_for_memory(error);
    all->bytes = bytes;
    memcpy(all->samples, read, bytes);
    return MAREY_OK;
}

static marey_status read_main(playing *all, marey_error *error)
{
    const marey_paths_def def = { .main_only = true };
    marey_paths *paths = NULL;
    marey_status status = paths_open(all->run, main_path(all), &def, &paths, error);
    if (status != MAREY_OK) return status;
    paths_note(&all->notes, main_path(all), paths, "the main character goes straight across");
    if (all->def.start_given && fabs(all->def.start.direction_rad) > 7) {
        puppet_note(&all->notes, "--start %s: is its direction in degrees? It should be in radians",
                    all->asked->values[OPTION_START]);
    }
    status = copy_samples(all, paths, error);
    marey_paths_free(paths);
    return status;
}

static marey_status play(playing *all, marey_error *error)
{
    marey_status status = puppet_open(all->run, &all->at, &all->puppet, NULL, &all->origin, error);
    if (status == MAREY_OK) status = read_main(all, error);
    if (status == MAREY_OK) {
        status = marey_puppet_play(all->run->ctx, all->puppet, all->samples, all->count, &all->def,
                                   &all->played, error);
        if (status == MAREY_ERR_LIMIT)
            snprintf(error->path, sizeof error->path, "%.1000s", main_path(all));
    }
    if (status == MAREY_OK) puppet_origin_say(&all->origin, all->run, all->at.name);
    if (status == MAREY_OK && all->has_body) {
        status = puppet_body_make(&all->body, all->samples, all->count, all->at.name,
                                  main_path(all), &all->origin, error);
    }
    return status;
}

/* ---- the answer -------------------------------------------------------------------------------------------- */

static double mean_distance(const playing *all)
{
    double sum = 0;
    for (int i = 0; i < all->count; i++) {
        const marey_puppet_sample *s = &all->samples[i];
        sum += hypot(s->react.x_cm - s->main.x_cm, s->react.y_cm - s->main.y_cm);
    }
    return sum / all->count;
}

/* Open at its end: a body has more to say. */
static void write_json(const playing *all, json *to)
{
    const marey_entity *start = &all->played.start;
    json_open(to, NULL, '{');
    json_put_string(to, "puppet", all->at.name);
    json_put_string(to, "main", main_path(all));
    json_put_integer(to, "frames", all->count);
    json_put_number(to, "seconds", all->samples[all->count - 1].time_s - all->samples[0].time_s);
    json_put_integer(to, "steps", all->played.steps);
    json_put_number(to, "balance", all->played.balance);
    json_put_integer(to, "changes", all->played.changes);
    json_numbers(to, "start", (const double[]){ start->x_cm, start->y_cm, start->direction_rad },
                 3);
    json_put_number(to, "distance_cm", mean_distance(all));
    puppet_origin_json(&all->origin, to);
    json_put_array_of(to, "notes", &all->notes.values);
    json_put_string(to, "path", all->asked->values[OPTION_OUTPUT]);
    json_put_string(to, "picture", all->asked->values[OPTION_PICTURE]);
    if (all->has_body) puppet_body_json(&all->body, to);
}

static void write_text(const playing *all, buffer *out)
{
    static const option_key written[] = { OPTION_OUTPUT, OPTION_PICTURE };
    buffer_puppet(out, &all->at);
    buffer_print(out,
                 " reacts for %.1f s, from %.0f,%.0f on, %.0f cm from the main character on "
                 "average\n",
                 all->samples[all->count - 1].time_s - all->samples[0].time_s,
                 round(all->played.start.x_cm) + 0.0, round(all->played.start.y_cm) + 0.0,
                 mean_distance(all));
    buffer_print(out, "  steps     %d, %.0f %% led by the situation, the rest by going on\n",
                 all->played.steps, 100 * all->played.balance);
    buffer_print(out, "  changes   %d, of the moment of the demonstrations that is followed\n",
                 all->played.changes);
    if (all->has_body) puppet_body_text(&all->body, out);
    for (int i = 0; i < 2; i++) {
        const char *path = all->asked->values[written[i]];
        if (!path) continue;
        buffer_text(out, "wrote ");
        buffer_shown(out, path);
        if (i == 0) buffer_print(out, ": %d rows", all->count);
        buffer_byte(out, '\n');
    }
}

static marey_status answer(const playing *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    if (all->run->json) {
        write_json(all, &to);
        if (!all->has_body) {
            json_close(&to, '}');
            buffer_byte(to.out, '\n');
        }
    } else if (!all->run->quiet) {
        write_text(all, &all->run->out);
    }
    if (all->notes.values.failed) return fail_for_memory(error);
    return shelf_ready(all->run, error);
}

static marey_status draw(const playing *all, const char *path, marey_error *error)
{
    char title[512], name[PUPPET_NAME_ROOM];
    places body = { 0 };
    marey_status status = MAREY_OK;
    puppet_called(&all->at, name, sizeof name);
    snprintf(title, sizeof title, "%s reacts to %.200s", name, main_path(all));
    if (all->has_body) status = puppet_body_places(&all->body, &body, error);
    if (status == MAREY_OK) {
        status = paths_draw(all->run, all->samples, all->count, title, name,
                            all->has_body ? &body : NULL, path, error);
    }
    places_free(all->run, &body);
    return status;
}

static marey_status write_files(const playing *all, marey_error *error)
{
    const char *picture = all->asked->values[OPTION_PICTURE];
    const char *table = all->asked->values[OPTION_OUTPUT];
    marey_status status = picture ? draw(all, picture, error) : MAREY_OK;
    if (status == MAREY_OK && table)
        status = paths_save(all->run, table, all->samples, all->count, error);
    return status;
}

/* ---- the command -------------------------------------------------------------------------------------------- */

static int run_all(playing *all)
{
    marey_error error;
    int status = puppet_body_open(&all->body, all->run, all->asked);
    if (status != PROGRAM_DONE) return status;
    all->has_body = request_has(all->asked, OPTION_BODY);
    puppet_place_of(all->asked, all->asked->operands[0], &all->at);
    if (request_has(all->asked, OPTION_LIBRARY) && !all->at.library && !all->has_body) {
        return session_usage(all->run,
                             "-L is for a puppet that a library keeps, or for --body; "
                             "%.300s is a file",
                             all->at.name);
    }
    if (play(all, &error) != MAREY_OK || answer(all, &error) != MAREY_OK ||
        write_files(all, &error) != MAREY_OK) {
        all->run->out.used = 0;
        return session_fail(all->run, &error);
    }
    return all->has_body ? puppet_body_save(&all->body) : session_finish(all->run, PROGRAM_DONE);
}

int command_puppet_run(session *run, const request *asked)
{
    playing all = { .run = run, .asked = asked };
    puppet_notes_make(&all.notes, run);
    puppet_origin_make(&all.origin, run);
    int status = read_options(&all);
    if (status == PROGRAM_DONE) {
        status = run_all(&all);
        puppet_body_close(&all.body);
    }
    session_resize(run, all.samples, all.bytes, 0);
    marey_puppet_free(all.puppet);
    puppet_notes_free(&all.notes);
    puppet_origin_free(&all.origin);
    return status;
}
