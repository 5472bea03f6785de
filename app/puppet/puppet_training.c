/* puppet_training.c - `puppet train`: a behaviour out of demonstrations. */
#include "operations.h"
#include "puppets.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(app_puppet_train_params, member)
static const app_param rows[] = {
    { .name = "demonstrations",
      .type = APP_FILES,
      .at = AT(demonstrations),
      .place = APP_REST,
      .most_count = 4096,
      .value = "DEMO.csv",
      .help = "tables of paths; in a body objects, each of one of samples (rows [t, main x, y, "
              "direction, react x, y, direction]), clips (two), csv (a table's text, and perhaps "
              "called, its name), ready, puppet" },
    { .name = "name",
      .type = APP_NAME,
      .at = AT(name),
      .place = APP_FIELD,
      .help = "what it is saved as; a puppet of that name is replaced" },
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = AT(clips),
      .pair = true,
      .value = "A B",
      .help = "also learn from the floor paths of two clips that are played at the same time: A is "
              "the main character, B reacts to it; may be given several times" },
    { .name = "ready",
      .type = APP_TEXTS,
      .at = AT(ready),
      .repeats = true,
      .value = "NAME",
      .help = "also learn from a demonstration that is made, not acted: follower, shy, ...; may be "
              "given several times" },
    { .name = "puppet",
      .type = APP_TEXTS,
      .at = AT(puppet),
      .repeats = true,
      .value = "P.puppet",
      .help = "also learn from all that this puppet was shown; may be given several times" },
    { .name = "rate",
      .type = APP_NUMBER,
      .at = AT(rate),
      .least = 5,
      .most = 240,
      .value = "N",
      .standard = "60",
      .help = "steps a second" },
    { .name = "window",
      .type = APP_NUMBER,
      .at = AT(window),
      .least = 0.01,
      .most = 30,
      .unit = "s",
      .value = "S",
      .standard = "0.5",
      .help = "situations are compared over so many seconds, 4 to 128 steps" },
    { .name = "gap",
      .type = APP_NUMBER,
      .at = AT(gap),
      .least = 0.001,
      .most = 3600,
      .unit = "s",
      .value = "S",
      .standard = "0.5",
      .help = "rows that are farther apart cut a demonstration in two" },
    { .name = "about",
      .type = APP_TEXT,
      .at = AT(about),
      .blank = true,
      .value = "TEXT",
      .help =
          "a line for people, which a library keeps with it (default: what it was trained on)" },
    APP_READING_PARAMS(app_puppet_train_params, app_units_word),
    { 0 },
};
#undef AT

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    static const char *const reading[] = { "units", "up", "source-fps", "skip-first", "skeleton" };
    const app_puppet_train_params *request = params;
    double steps = request->window * request->rate;
    int count = request->demonstrations.count + request->ready.count + request->puppet.count +
                request->clips.count;
    bool body = dialect == APP_BODY;
    if (body && !request->name) return app_fail(error, MAREY_ERR_REQUEST, NULL, "name is missing");
    if (count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "a demonstration is needed: %s",
                        body ? "demonstrations, clips, ready or puppet"
                             : "DEMO.csv, or --clips A B");
    if (request->clips.count % 2)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "clips must be two by two, got %d",
                        request->clips.count);
    for (size_t i = 0; i < sizeof reading / sizeof *reading && !request->clips.count; i++)
        if (app_given(rows, &request->given, reading[i]))
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s%s is for %sclips", body ? "" : "--",
                            reading[i], body ? "" : "--");
    if (steps < 3.5 || steps >= MAREY_PUPPET_MOST_WINDOW + 0.5)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%swindow must be 4 to %d steps of the rate, got %g s at %g a second",
                        body ? "" : "--", MAREY_PUPPET_MOST_WINDOW, request->window, request->rate);
    return MAREY_OK;
}

/* "trained on a.csv, walk with run"; what a ready one or a puppet was about, if there is one. */
static marey_status describe(const app_env *env, const app_puppet_train_params *request,
                             app_puppet_trained *out, marey_error *error)
{
    buffer text = buffer_make(env->scope->memory);
    bool first = true;
    if (request->about) out->about = request->about;
    for (int i = 0; i < out->count && !out->about; i++) {
        const app_demonstration *one = &out->demonstrations[i];
        if (!one->named) continue;
        buffer_text(&text, first ? "trained on " : ", ");
        buffer_shown(&text, one->name);
        if (one->other) buffer_text(&text, " with ");
        if (one->other) buffer_shown(&text, one->other);
        first = false;
    }
    buffer_byte(&text, 0);
    if (!out->about && !text.failed) out->about = app_copy(env->scope, text.bytes);
    buffer_free(&text);
    return app_check(!out->about, error);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    static const double little_s = 2;
    const app_puppet_train_params *request = params;
    app_puppet_trained *out = result;
    marey_puppet_def def = { .rate = request->rate,
                             .window_s = request->window,
                             .gap_s = request->gap };
    int count = 0;
    marey_status status = app_demonstrations_read(env, request, out, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < out->count; i++) count += out->demonstrations[i].run_count;
    marey_demonstration *runs = APP_NEW(env->scope, marey_demonstration, count);
    if (!runs) return app_fail_memory(error);
    for (int i = 0, at = 0; i < out->count; i++)
        for (int r = 0; r < out->demonstrations[i].run_count; r++)
            runs[at++] = out->demonstrations[i].runs[r];
    status = marey_puppet_train(env->ctx, runs, count, &def, &out->puppet, error);
    if (status == MAREY_OK) status = app_own_puppet(env, out->puppet, error);
    if (status == MAREY_OK) status = describe(env, request, out, error);
    if (status != MAREY_OK) return status;
    app_puppet_sources_note(env, &out->sources, NULL, &out->notes);
    double seconds = app_puppet_seconds(out->puppet);
    if (seconds < little_s)
        app_note(env, &out->notes,
                 "%.3g s are little to learn from; half a minute in which everything happens once "
                 "is enough",
                 seconds);
    return app_check(out->notes.failed, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_puppet_train_params *request = params;
    const app_puppet_trained *of = result;
    if (request->name) json_put_string(out, "name", request->name);
    app_puppet_write(out, of->puppet);
    json_put_string(out, "about", of->about);
    json_open(out, "demonstrations", '[');
    for (int i = 0; i < of->count; i++) {
        const app_demonstration *one = &of->demonstrations[i];
        double seconds = 0;
        for (int r = 0; r < one->run_count; r++) {
            const marey_demonstration *shown = &one->runs[r];
            seconds += shown->samples[shown->count - 1].time_s - shown->samples[0].time_s;
        }
        json_open(out, NULL, '{');
        json_put_string(out, one->other ? "main" : "path", one->name);
        if (one->other) json_put_string(out, "react", one->other);
        json_put_integer(out, "rows", one->rows);
        json_put_number(out, "seconds", seconds);
        json_put_integer(out, "pieces", one->pieces - one->left_out);
        json_put_integer(out, "left_out", one->left_out);
        json_close(out, '}');
    }
    json_close(out, ']');
    app_puppet_sources_write(out, &of->sources);
    app_notes_write(out, &of->notes);
}

marey_status app_puppet_save(marey_library *library, const char *name,
                             const app_puppet_trained *trained, bool own, marey_error *error)
{
    return marey_library_keep_puppet_from(library, name, trained->puppet, trained->sources.items,
                                          trained->sources.count, own ? trained->parts : NULL,
                                          own ? trained->part_count : 0, trained->about, error);
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_puppet_train_params *request = params;
    return request->name ? app_puppet_save(env->library, request->name, result, true, error)
                         : MAREY_OK;
}

static bool writes(const void *params)
{
    return ((const app_puppet_train_params *)params)->name != NULL;
}

const app_operation app_puppet_train = {
    .name = "puppet train",
    .summary = "learn how to react from a demonstration",
    .description = { "DEMO.csv is a table with a line of column names and then a row for "
                     "each moment: time (seconds, rising), main_x, main_y (centimetres on a "
                     "plan seen from above, x right, y up), main_dir (radians, "
                     "counter-clockwise from x), and the same of the one that reacts: react_x, "
                     "react_y, react_dir. Columns may be in any order; further ones are "
                     "passed over. Semicolons, tabs and decimal commas are understood as "
                     "spreadsheets write them.",
                     "Several tables are several demonstrations of one behaviour. --clips A "
                     "B adds the floor paths of two clips, where the hips are and face; A "
                     "and B may name frames, as in walk.bvh#120-300. Frames that are no "
                     "captured motion are left out.",
                     "Where rows are farther apart than --gap a demonstration is cut in two, "
                     "and the answer says where. Half a minute in which everything happens "
                     "once is enough.",
                     "P.puppet may also be LIB.marey:NAME, or with -L LIB a name; a puppet "
                     "of that name is replaced.",
                     "The licences of clips go with the puppet: marey puppet show and run say "
                     "it if one of them is for non-commercial use only." },
    .params = rows,
    .params_size = sizeof(app_puppet_train_params),
    .result_size = sizeof(app_puppet_trained),
    .library = APP_MAY_READ,
    .takes_long = true,
    .check = check,
    .writes = writes,
    .run = run,
    .write = write,
    .commit = commit,
};
