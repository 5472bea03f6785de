/* puppet_showing.c - `puppet show`: what a puppet has learned; and `puppet ls`: the puppets that a
   library keeps. One that is damaged is listed as well, and why it cannot be read. */
#include "operations.h"
#include "puppets.h"

#include <stddef.h>
#include <string.h>

/* ---- show ------------------------------------------------------------------------------------ */

static const app_param show_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_puppet_show_params, name),
      .place = 1,
      .needed = true,
      .value = "P.puppet",
      .help = "which puppet" },
    { .name = "points",
      .type = APP_WHOLE,
      .at = offsetof(app_puppet_show_params, points),
      .place = APP_FIELD,
      .least = 1,
      .most = 20000,
      .help = "the runs have rows, at most so many in all" },
    { 0 },
};

static marey_status run_show(const app_env *env, const void *params, void *result,
                             marey_error *error)
{
    const app_puppet_show_params *request = params;
    app_puppet_shown *out = result;
    app_notes said = { 0 };
    marey_status status = app_puppet_open(env, request->name, &out->puppet, error);
    if (status != MAREY_OK) return status;
    app_puppet_sources_note(env, &out->puppet->sources, out->puppet->name, &said);
    return MAREY_OK;
}

/* The first, then every so many, and the last: of a run, which has two at least. */
static int rows_of(int samples, int every)
{
    return (samples - 1 + every - 1) / every + 1;
}

/* So many samples apart, the rows of all runs are at most `points`; where that cannot be, each run
   has its first, as far as it goes. */
static int find_every(const marey_puppet *puppet, int points)
{
    int samples = marey_puppet_samples(puppet);
    int every = (samples + points - 1) / points;
    for (;;) {
        int64_t count = 0;
        for (int run = 0; run < marey_puppet_runs(puppet); run++)
            count += rows_of(marey_puppet_run_samples(puppet, run), every);
        if (every >= samples || count <= points) return every;
        every += 1 + every / 8;
    }
}

static void write_show(const void *params, const void *result, json *out)
{
    const app_puppet_show_params *request = params;
    const app_puppet *of = ((const app_puppet_shown *)result)->puppet;
    const marey_puppet *puppet = of->puppet;
    int runs = marey_puppet_runs(puppet), left = request->points;
    int every = request->points ? find_every(puppet, request->points) : 0;
    if (every && runs > APP_PUPPET_RUNS) runs = APP_PUPPET_RUNS;
    json_put_string(out, "name", of->library ? of->name : NULL);
    json_put_string(out, of->library ? "library" : "path", of->library ? of->library : of->name);
    json_put_string(out, "about", of->about);
    app_puppet_write(out, puppet);
    json_open(out, "run_list", '[');
    for (int run = 0; run < runs; run++) {
        int samples = marey_puppet_run_samples(puppet, run);
        json_open(out, NULL, '{');
        json_put_integer(out, "samples", samples);
        json_put_number(out, "seconds", app_puppet_run_seconds(puppet, run));
        if (every) {
            /* `left` are the rows for it and for the runs behind it, of which each is to have
               one. */
            int behind = runs - run - 1, share = left > behind ? left - behind : left > 0;
            int rows = rows_of(samples, every);
            if (rows > share) rows = share;
            left -= rows;
            json_open(out, "rows", '[');
            for (int row = 0; row < rows; row++) {
                int at = (int64_t)row * every < samples - 1 ? row * every : samples - 1;
                marey_puppet_sample one = marey_puppet_sample_at(puppet, run, at);
                app_path_row_write(out, &one);
            }
            json_close(out, ']');
        }
        json_close(out, '}');
    }
    json_close(out, ']');
    app_puppet_sources_write(out, &of->sources);
}

const app_operation app_puppet_show = {
    .name = "puppet show",
    .summary = "say what a puppet has learned, and draw it",
    .description = { "P.puppet is a file, or LIB.marey:NAME, or with -L LIB a name. The "
                     "answer has its runs and how long they are, how far from the main "
                     "character it stays, how fast it goes and where it looks.",
                     "--csv writes the demonstrations as a table again, at the puppet's own "
                     "rate; marey puppet train takes it, alone or beside others." },
    .params = show_params,
    .params_size = sizeof(app_puppet_show_params),
    .result_size = sizeof(app_puppet_shown),
    .library = APP_MAY_READ,
    .run = run_show,
    .write = write_show,
    .pictures = app_puppet_shown_pictures,
};

/* ---- ls -------------------------------------------------------------------------------------- */

/* Each is opened for its figures, one after the other. */
static marey_status list_one(const app_env *env, app_puppet_listed *out, marey_error *error)
{
    const app_puppet *of = NULL;
    buffer licences = buffer_make(env->scope->memory);
    app_scope scope = app_scope_open(env->scope->memory);
    app_env own = *env;
    own.scope = &scope;
    own.cache = NULL;
    own.reads_files = false;
    marey_status status = app_puppet_open(&own, out->entry->name, &of, error);
    if (status == MAREY_OK) {
        const marey_puppet_def *def = marey_puppet_settings(of->puppet);
        out->open = true;
        out->samples = marey_puppet_samples(of->puppet);
        out->runs = marey_puppet_runs(of->puppet);
        out->seconds = app_puppet_seconds(of->puppet);
        out->rate = def->rate;
        out->window_s = def->window_s;
        for (int i = 0; i < of->sources.count; i++)
            app_licence_add(&licences, of->sources.items[i].licence);
        out->licence =
            licences.failed ? NULL : app_copy(env->scope, licences.used ? licences.bytes : "");
        status = app_check(!out->licence, error);
    } else if (status == MAREY_ERR_LIMIT) {
        status = MAREY_OK;
    } else if (marey_status_group(status) == MAREY_ERR_INPUT) {
        out->error = *error;
        status = MAREY_OK;
    }
    buffer_free(&licences);
    app_scope_close(&scope);
    return status;
}

static marey_status run_ls(const app_env *env, const void *params, void *result, marey_error *error)
{
    app_puppet_list *out = result;
    const marey_kept_entry *entries;
    (void)params;
    marey_status status = app_saved_list(env, MAREY_KEPT_PUPPET, &entries, &out->count, error);
    if (status != MAREY_OK) return status;
    out->puppets = APP_NEW(env->scope, app_puppet_listed, out->count);
    if (!out->puppets) return app_fail_memory(error);
    for (int i = 0; i < out->count && status == MAREY_OK; i++) {
        out->puppets[i].entry = &entries[i];
        status = list_one(env, &out->puppets[i], error);
    }
    return status;
}

static void write_ls(const void *params, const void *result, json *out)
{
    static const char *const figures[] = { "samples", "runs",     "seconds",
                                           "rate",    "window_s", "licence" };
    const app_puppet_list *list = result;
    const marey_ready_puppet *ready;
    (void)params;
    json_open(out, "puppets", '[');
    for (int i = 0; i < list->count; i++) {
        const app_puppet_listed *one = &list->puppets[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", one->entry->name);
        json_put_string(out, "about", one->entry->about);
        if (one->open) {
            json_put_integer(out, "samples", one->samples);
            json_put_integer(out, "runs", one->runs);
            json_put_number(out, "seconds", one->seconds);
            json_put_number(out, "rate", one->rate);
            json_put_number(out, "window_s", one->window_s);
            json_put_string(out, "licence", one->licence);
        }
        for (size_t k = 0; k < sizeof figures / sizeof *figures && !one->open; k++)
            json_put_null(out, figures[k]);
        json_put_integer(out, "bytes", one->entry->size);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "failed", '[');
    for (int i = 0; i < list->count; i++) {
        const marey_error *error = &list->puppets[i].error;
        if (error->status == MAREY_OK) continue;
        json_open(out, NULL, '{');
        json_put_string(out, "status", marey_status_word(error->status));
        json_put_string(out, "path", list->puppets[i].entry->name);
        json_put_integer(out, "line", error->line);
        json_put_integer(out, "column", error->column);
        json_put_string(out, "message", error->message);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "ready", '[');
    for (int i = 0; (ready = marey_ready_puppet_find(i)); i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", ready->name);
        json_put_string(out, "about", ready->about);
        json_put_number(out, "seconds", (ready->samples - 1) / MAREY_PUPPET_RATE);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static const app_param no_params[] = { { 0 } };

const app_operation app_puppet_ls = {
    .name = "puppet ls",
    .summary = "list the puppets that a library keeps",
    .description = { "One that is damaged is listed as well; the exit status is then 1." },
    .params = no_params,
    .params_size = sizeof(app_params),
    .result_size = sizeof(app_puppet_list),
    .library = APP_READS,
    .run = run_ls,
    .write = write_ls,
};
