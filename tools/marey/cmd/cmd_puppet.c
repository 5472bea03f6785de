/* cmd_puppet.c - how puppets are shown, drawn and saved by the program. */
#include "commands.h"
#include "library_file.h"
#include "puppets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ENDING[] = ".puppet";

/* ---- files that are written ------------------------------------------------------------------ */

/* Is it the same file, by whatever name? */
static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return strcmp(a, b) == 0 || (stat(a, &one) == 0 && stat(b, &other) == 0 &&
                                 one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* Refuses an option's file that is one of those that are read. */
static int refuse_overwriting(session *run, const request *options, option_key key,
                              const char *option)
{
    const char *path = options->values[key];
    for (int i = 0; i < options->operand_count && path; i++) {
        if (!is_same_file(path, options->operands[i])) continue;
        return session_usage(run, "%s would overwrite %.300s, which is read; take another name",
                             option, options->operands[i]);
    }
    return PROGRAM_DONE;
}

/* Even where names are those of a library. */
static bool is_puppet_file(const char *text)
{
    return path_ends_in(text, ENDING) && access(text, F_OK) == 0;
}

/* A table that an option names (`shown`: "-o"), and --picture. */
static int check_outputs(session *run, const request *options, option_key table, const char *shown)
{
    const char *csv = options->values[table], *picture = options->values[OPTION_PICTURE];
    if (csv && !path_ends_in(csv, ".csv"))
        return session_usage(run, "%s takes a name that ends in .csv, not \"%.300s\"", shown, csv);
    if (picture && !path_is_picture(picture))
        return session_usage(run,
                             "--picture takes a name that ends in .png, .svg or .pdf, not "
                             "\"%.300s\"",
                             picture);
    int status = refuse_overwriting(run, options, table, shown);
    return status == PROGRAM_DONE ? refuse_overwriting(run, options, OPTION_PICTURE, "--picture")
                                  : status;
}

static marey_status save_table(session *run, const char *path, const marey_puppet_sample *samples,
                               int count, marey_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_paths_write(run->ctx, samples, count, true, &bytes, &size, error);
    if (status == MAREY_OK) status = marey_file_save(run->ctx, path, bytes, size, error);
    marey_graph_bytes_free(run->ctx, bytes, size);
    return status;
}

static void show_written(session *run, const char *path, int rows, buffer *out)
{
    if (!path || run->quiet) return;
    buffer_named(out, "wrote ", path, "");
    if (rows > 0) buffer_print(out, ": %d rows", rows);
    buffer_byte(out, '\n');
}

/* ---- train ----------------------------------------------------------------------------------- */

/* Where -o says that a puppet goes: a file, LIB.marey:NAME, or with -L a name. */
typedef struct puppet_target {
    const char *library; /* NULL: it is a file .. */
    const char *name;    /* .. and this its path; NULL: -o is none of these */
    bool make;           /* a library that is not there is made */
    char room[4096];
} puppet_target;

static void find_target(const request *options, puppet_target *out)
{
    const char *text = options->values[OPTION_OUTPUT], *library = options->values[OPTION_LIBRARY];
    const char *name = library_target(text, out->room, sizeof out->room);
    bool file = !name && path_ends_in(text, ENDING);
    /* What no puppet should be called: a file was meant. */
    bool odd = input_is_file(text) || path_ends_in(text, ".csv") || path_ends_in(text, ".marey") ||
               path_ends_in(text, ".txt");
    out->make = name != NULL;
    out->library = name ? out->room : file ? NULL : library;
    out->name = name ? name : file || (library && *text && !odd) ? text : NULL;
}

int check_puppet_train(session *run, const request *options, const void *params)
{
    const app_puppet_train_params *given = params;
    puppet_target to;
    if (!options->values[OPTION_OUTPUT] || !*options->values[OPTION_OUTPUT])
        return session_usage(run, "-o is needed: a file NAME.puppet, LIB.marey:NAME, or with -L "
                                  "LIB a name");
    find_target(options, &to);
    if (!to.name)
        return session_usage(run,
                             "-o takes a file that ends in .puppet, LIB.marey:NAME, or with -L "
                             "LIB a name, not \"%.300s\"",
                             options->values[OPTION_OUTPUT]);
    if (given->about && !to.library)
        return session_usage(run, "--about is saved by a library; a file has no room for it");
    if (request_has(options, OPTION_LIBRARY) && !given->clips.count && !given->puppet.count &&
        !to.library)
        return session_usage(run, "-L is for --clips A B, or for a puppet saved in a library");
    return to.library ? PROGRAM_DONE : refuse_overwriting(run, options, OPTION_OUTPUT, "-o");
}

/* What it has learned, in some lines. */
static void show_learned(const marey_puppet *puppet, buffer *out)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    app_puppet_measures of = app_puppet_measure(puppet);
    int runs = marey_puppet_runs(puppet);
    buffer_print(out, "%d run%s of %.1f s in all, %d samples at %.6g a second\n", runs,
                 runs == 1 ? "" : "s", of.seconds, marey_puppet_samples(puppet), def->rate);
    buffer_print(out, "  window    %.4g s are compared; gaps of more than %.4g s cut\n",
                 def->window_s, def->gap_s);
    buffer_print(out,
                 "  distance  %.0f cm from the main character, give or take %.0f; %.0f to %.0f\n",
                 of.distance_cm, of.distance_spread_cm, of.distance_least_cm, of.distance_most_cm);
    buffer_print(out, "  place     behind the main character's back %.0f %% of the time\n",
                 100 * of.behind);
    buffer_print(out,
                 "  speed     %.0f cm/s on average, at most %.0f, and moves %.0f %% of the time; "
                 "the main character %.0f\n",
                 of.speed_cm_s, of.speed_most_cm_s, 100 * of.moving, of.main_speed_cm_s);
    buffer_print(out,
                 "  looks     at the main character %.0f %% of the time, where it goes %.0f %% of "
                 "the way\n",
                 100 * of.faces_main, 100 * of.faces_way);
}

static void show_place(const char *library, const char *name, buffer *out)
{
    if (library) buffer_shown(out, library);
    if (library) buffer_byte(out, ':');
    buffer_shown(out, name);
}

marey_status finish_puppet_train(session *run, const request *options, const app_call *call,
                                 struct library_file *at, buffer *more, marey_error *error)
{
    const app_puppet_trained *trained = call->result;
    json out = json_make(more);
    puppet_target to;
    (void)at, (void)error;
    find_target(options, &to);
    if (run->json) {
        json_put_string(&out, "name", to.library ? to.name : NULL);
        json_put_string(&out, to.library ? "library" : "path", to.library ? to.library : to.name);
    } else if (!run->quiet) {
        buffer_text(more, "wrote ");
        show_place(to.library, to.name, more);
        buffer_text(more, ": ");
        show_learned(trained->puppet, more);
    }
    return MAREY_OK;
}

/* Clips of another library are none of this one. */
marey_status save_puppet_train(session *run, const request *options, app_call *call,
                               marey_error *error)
{
    const app_puppet_trained *trained = call->result;
    const char *from = options->values[OPTION_LIBRARY];
    marey_library_mode modes[] = { MAREY_LIBRARY_WRITE, MAREY_LIBRARY_CREATE };
    puppet_target to;
    library_file at;
    find_target(options, &to);
    if (to.library) {
        bool own = from && is_same_file(from, to.library);
        marey_status status = library_file_open(run, to.library, modes[to.make], &at, error);
        if (status != MAREY_OK) return status;
        status = app_puppet_save(at.library, to.name, trained, own, error);
        library_file_close(&at, status == MAREY_OK);
        return status;
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_puppet_write_from(trained->puppet, trained->sources.items,
                                                  trained->sources.count, &bytes, &size, error);
    if (status == MAREY_OK) status = marey_file_save(run->ctx, to.name, bytes, size, error);
    marey_graph_bytes_free(run->ctx, bytes, size);
    return status;
}

/* ---- run ------------------------------------------------------------------------------------- */

int check_puppet_run(session *run, const request *options, const void *params)
{
    const app_puppet_run_params *given = params;
    const char *table = options->values[OPTION_OUTPUT], *body = options->values[OPTION_BODY];
    const marey_format *format;
    char path[4096];
    if (!table && !options->values[OPTION_PICTURE] && !body)
        return session_usage(run, "-o OUT.csv is needed: where the paths of both go");
    int status = check_outputs(run, options, OPTION_OUTPUT, "-o");
    if (status != PROGRAM_DONE) return status;
    if (!body && (given->graph || request_has(options, OPTION_PROVENANCE)))
        return session_usage(run, "--%s is for --body OUT, a body that goes where the puppet goes",
                             given->graph ? "graph" : "provenance");
    if (body && !*body) return session_usage(run, "--body takes a file, or LIB.marey:NAME");
    if (body && (!given->graph || !options->values[OPTION_LIBRARY]))
        return session_usage(run, "--body needs a motion graph to walk with: -L LIB --graph NAME");
    /* Before anything is made: a name that no clip can be saved as. */
    bool fits = !body || library_target(body, path, sizeof path);
    for (int i = 0; (format = marey_format_find(i)) && !fits; i++)
        fits = format->writes && !format->points && path_ends_in(body, format->ending);
    if (!fits)
        return session_usage(run,
                             "--body takes a clip's file, as in body.bvh or body.glb, or "
                             "LIB.marey:NAME, not \"%.300s\"",
                             body);
    if (options->values[OPTION_LIBRARY] && !body && is_puppet_file(given->puppet))
        return session_usage(run,
                             "-L is for a puppet saved in a library, or for --body; %.300s is a "
                             "file",
                             given->puppet);
    return refuse_overwriting(run, options, OPTION_BODY, "--body");
}

void show_puppet_played(session *run, const void *params, const void *result, buffer *out)
{
    const app_puppet_played *of = result;
    const marey_body_made *body = &of->body;
    (void)params;
    if (run->quiet) return;
    show_place(of->puppet->library, of->puppet->name, out);
    buffer_print(out,
                 " reacts for %.1f s, from %.0f,%.0f on, %.0f cm from the main character on "
                 "average\n",
                 of->samples[of->count - 1].time_s - of->samples[0].time_s,
                 round(of->played.start.x_cm) + 0.0, round(of->played.start.y_cm) + 0.0,
                 of->distance_cm);
    buffer_print(out, "  steps     %d, %.0f %% led by the situation, the rest by going on\n",
                 of->played.steps, 100 * of->played.balance);
    buffer_print(out, "  changes   %d, of the moment of the demonstrations that is followed\n",
                 of->played.changes);
    if (!of->made.made.clip) return;
    buffer_print(
        out,
        "  way       %.0f %% of what it would have gone: it waits where its body cannot keep "
        "up\n",
        100 * of->played.way_share);
    buffer_print(
        out,
        "  body      %.0f cm away from the puppet on average, half of the time at most %.0f, "
        "at most %.0f; faces %.0f degrees off while it moves\n",
        body->away_cm, body->away_median_cm, body->away_most_cm, body->turned_rad * 180 / acos(-1));
    buffer_print(out, "  pieces    %d transition%s", body->walk.transitions,
                 body->walk.transitions == 1 ? "" : "s");
    if (body->walk.transitions > 0)
        buffer_print(out, " of quality %.3f on average", body->walk.mean_quality);
    buffer_byte(out, '\n');
    show_figures(&of->made, out);
}

marey_status finish_puppet_run(session *run, const request *options, const app_call *call,
                               struct library_file *at, buffer *more, marey_error *error)
{
    const app_puppet_played *of = call->result;
    const char *table = options->values[OPTION_OUTPUT], *picture = options->values[OPTION_PICTURE];
    json out = json_make(more);
    (void)at, (void)error;
    if (run->json) {
        json_put_string(&out, "path", table);
        json_put_string(&out, "picture", picture);
    } else {
        show_written(run, table, of->count, more);
        show_written(run, picture, 0, more);
    }
    return MAREY_OK;
}

void write_puppet_body(const void *result, const char *path, json *out)
{
    json_open(out, "body", '{');
    json_put_string(out, "path", path);
    app_made_write_length(&((const app_puppet_played *)result)->made, out);
    json_close(out, '}');
}

marey_status draw_puppet_run(session *run, const request *options, app_call *call,
                             marey_error *error)
{
    const app_puppet_played *of = call->result;
    const char *table = options->values[OPTION_OUTPUT], *picture = options->values[OPTION_PICTURE];
    marey_status status = MAREY_OK;
    if (picture) status = draw_result(run, call, NULL, "paths", NULL, picture, error);
    if (status == MAREY_OK && table) status = save_table(run, table, of->samples, of->count, error);
    return status;
}

/* ---- show ------------------------------------------------------------------------------------ */

int check_puppet_show(session *run, const request *options, const void *params)
{
    const app_puppet_show_params *given = params;
    int64_t drawn;
    if (request_has(options, OPTION_RUN) && !options->values[OPTION_PICTURE])
        return session_usage(run, "--run says what --picture draws; without that it does nothing");
    int status = options_whole(run, options, OPTION_RUN, 1, INT32_MAX, &drawn);
    if (status == PROGRAM_DONE) status = check_outputs(run, options, OPTION_CSV, "--csv");
    if (status != PROGRAM_DONE || !options->values[OPTION_LIBRARY]) return status;
    if (!is_puppet_file(given->name)) return status;
    return session_usage(run, "-L is for a puppet saved in a library; %.300s is a file",
                         given->name);
}

void show_puppet(session *run, const void *params, const void *result, buffer *out)
{
    enum { RUNS_SHOWN = 12, CLIPS_SHOWN = 6 };
    const app_puppet *of = ((const app_puppet_shown *)result)->puppet;
    int runs = marey_puppet_runs(of->puppet);
    (void)run, (void)params;
    show_place(of->library, of->name, out);
    buffer_text(out, ": ");
    show_learned(of->puppet, out);
    for (int r = 0; r < runs && r < RUNS_SHOWN && runs > 1; r++)
        buffer_print(out, r ? ", %.1f s" : "  runs      %.1f s",
                     app_puppet_run_seconds(of->puppet, r));
    if (runs > RUNS_SHOWN) buffer_print(out, " and %d more", runs - RUNS_SHOWN);
    if (runs > 1) buffer_byte(out, '\n');
    if (of->about[0]) {
        buffer_named(out, "  about     ", of->about, "\n");
    }
    for (int i = 0; i < CLIPS_SHOWN && i < of->sources.count; i++) {
        buffer_named(out, i ? ", " : "  clips     ", of->sources.items[i].name, " (");
        buffer_named(out, "", of->sources.items[i].licence, ")");
    }
    if (of->sources.count > CLIPS_SHOWN)
        buffer_print(out, " and %d more", of->sources.count - CLIPS_SHOWN);
    if (of->sources.count > 0) buffer_byte(out, '\n');
}

marey_status finish_puppet_show(session *run, const request *options, const app_call *call,
                                struct library_file *at, buffer *more, marey_error *error)
{
    const app_puppet *of = ((const app_puppet_shown *)call->result)->puppet;
    const char *table = options->values[OPTION_CSV], *picture = options->values[OPTION_PICTURE];
    json out = json_make(more);
    int64_t drawn = 1;
    (void)at;
    options_whole(run, options, OPTION_RUN, 1, INT32_MAX, &drawn);
    if (drawn > marey_puppet_runs(of->puppet))
        return app_fail(error, MAREY_ERR_REQUEST, of->name,
                        "there is no run %lld; the runs are 1 to %d", (long long)drawn,
                        marey_puppet_runs(of->puppet));
    if (run->json) {
        json_put_string(&out, "picture", picture);
        json_put_string(&out, "csv", table);
    } else {
        show_written(run, picture, 0, more);
        show_written(run, table, 0, more);
    }
    return MAREY_OK;
}

marey_status draw_puppet_show(session *run, const request *options, app_call *call,
                              marey_error *error)
{
    const marey_puppet *puppet = ((const app_puppet_shown *)call->result)->puppet->puppet;
    const char *table = options->values[OPTION_CSV], *picture = options->values[OPTION_PICTURE];
    marey_status status = MAREY_OK;
    if (picture) {
        int64_t drawn = 0;
        options_whole(run, options, OPTION_RUN, 1, INT32_MAX, &drawn);
        app_drawing_def def = { .run = (int)drawn };
        status = draw_result(run, call, NULL, "paths", &def, picture, error);
    }
    if (status != MAREY_OK || !table) return status;
    marey_puppet_sample *samples = app_puppet_demonstrated(&call->scope, puppet);
    if (!samples) return app_fail_memory(error);
    return save_table(run, table, samples, marey_puppet_samples(puppet), error);
}

/* ---- ls -------------------------------------------------------------------------------------- */

void show_puppets(session *run, const void *params, const void *result, buffer *out)
{
    const app_puppet_list *list = result;
    (void)run, (void)params;
    if (list->count == 0) buffer_text(out, "no saved puppet; marey puppet train makes one\n");
    for (int i = 0; i < list->count; i++) {
        const app_puppet_listed *one = &list->puppets[i];
        buffer_shown(out, one->entry->name);
        if (one->open)
            buffer_print(out, "  (%.1f s in %d run%s, ", one->seconds, one->runs,
                         one->runs == 1 ? "" : "s");
        else
            buffer_text(out, "  (damaged, ");
        buffer_print(out, "%lld bytes)  ", (long long)one->entry->size);
        buffer_shown(out, one->entry->about);
        while (out->used > 0 && out->bytes[out->used - 1] == ' ') out->used--;
        buffer_byte(out, '\n');
    }
}

void warn_puppets(session *run, const void *params, const void *result)
{
    const app_puppet_list *list = result;
    (void)params;
    for (int i = 0; i < list->count; i++)
        if (list->puppets[i].error.status != MAREY_OK)
            session_say_error(run, &list->puppets[i].error);
}

int exit_puppets(const void *result)
{
    const app_puppet_list *list = result;
    int most = PROGRAM_DONE;
    for (int i = 0; i < list->count; i++) {
        const marey_error *error = &list->puppets[i].error;
        int one = error->status ? session_exit_status(error->status) : PROGRAM_DONE;
        if (one > most) most = one;
    }
    return most;
}
