/* cmd_param_build.c - `marey param build`: a family of motions from examples in a library, kept there under a name (webs,
   6.3.1 and 6.3.2); files that are named beside it are put in before. */
#include "commands.h"
#include "param_about.h"
#include "param_assemble.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct build {
    session *run;
    const request *asked;
    shelf at;
    marey_listing *listing;
    marey_param params[MAREY_MOST_PARAMS];
    marey_family_def def;
    double prune; /* 0: no */
    param_files files;
    examples chosen;
    buffer labels; /* the examples' values of label(NAME) */
    assembled made;
    buffer gone; /* those that --drop-faulty dropped */
    int pruned, faults;
    size_t bytes;
    double seconds; /* from examples to samples */
    buffer about;
} build;

/* ---- options --------------------------------------------------------------------------------------- */

static int read_features(build *all)
{
    const char *text;
    int at = 0;
    while ((text = request_next(all->asked, OPTION_FEATURE, &at))) {
        marey_error error;
        if (all->def.param_count == MAREY_MOST_PARAMS)
            return session_usage(all->run, "at most %d times --feature", MAREY_MOST_PARAMS);
        marey_param *next = &all->params[all->def.param_count++];
        if (marey_param_parse(text, next, &error) != MAREY_OK)
            return session_usage(all->run, "--feature %s", error.message);
        for (int i = 0; i + 1 < all->def.param_count; i++) {
            if (memcmp(&all->params[i], next, sizeof *next) == 0)
                return session_usage(all->run, "--feature %s is there twice", text);
        }
    }
    all->def.params = all->params;
    return all->def.param_count ? PROGRAM_DONE
                                : session_usage(all->run, "--feature is needed: what the motions "
                                                          "differ in; marey param features lists "
                                                          "what there is");
}

/* Zero means the default in the definition; on the command line it means zero. */
static int read_numbers(build *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    marey_family_def *def = &all->def;
    int64_t samples = 0, nearest = 0, seed = 0;
    int status = options_whole(run, asked, OPTION_SAMPLES, 0, 100000, &samples);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_DELTA, 0, 1, &def->delta);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_GROW, 0.001, 10, &def->grow);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_APART, 0, 1e6, &def->apart);
    if (status == PROGRAM_DONE) status = options_whole(run, asked, OPTION_NEAREST, 2, 16, &nearest);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_SEED, 1, INT64_MAX, &seed);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_PRUNE, 1e-6, 1e6, &all->prune);
    if (request_has(asked, OPTION_SAMPLES)) def->samples = samples ? (int)samples : -1;
    if (request_has(asked, OPTION_DELTA) && def->delta == 0) def->delta = -1;
    if (request_has(asked, OPTION_APART) && def->apart == 0) def->apart = -1;
    def->nearest = (int)nearest;
    def->seed = (uint64_t)seed;
    return status;
}

static int check_use(const build *all)
{
    static const struct {
        option_key key;
        const char *name;
    } searching[] = { { OPTION_THRESHOLD, "threshold" },
                      { OPTION_SAME, "same" },
                      { OPTION_DISTINCT, "distinct" },
                      { OPTION_LOOSE, "loose" },
                      { OPTION_TIERS, "tiers" },
                      { OPTION_LIMIT, "limit" },
                      { OPTION_IN, "in" } };
    const request *asked = all->asked;
    bool clips = request_has(asked, OPTION_CLIPS), query = request_has(asked, OPTION_QUERY);
    if (clips && (query || request_has(asked, OPTION_LABEL))) {
        return session_usage(all->run, "--clips names all examples: not with --query or --label");
    }
    if (!clips && !query && !request_has(asked, OPTION_LABEL)) {
        return session_usage(all->run, "which examples? --clips A#0-90,B#10-95,... or --query "
                                       "CLIP#0-90 or --label LABEL");
    }
    for (size_t i = 0; i < sizeof searching / sizeof *searching && !query; i++) {
        if (!request_has(asked, searching[i].key)) continue;
        return session_usage(all->run, "--%s is for --query", searching[i].name);
    }
    return query ? examples_check_query(all->run, asked) : PROGRAM_DONE;
}

/* ---- building -------------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What --query finds is looked at where it is found. */
static marey_status fail_for_one(const build *all, marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->path, sizeof error->path, "%.1000s", all->at.path);
    snprintf(error->message, sizeof error->message,
             "a family needs 2 to %d examples, and %s; parts of one clip will do, as in --clips "
             "A#0-90,A#120-215",
             (int)MOST_EXAMPLES,
             request_has(all->asked, OPTION_CLIPS) ? "--clips names one clip"
                                                   : "only one clip has this label");
    return MAREY_ERR_REQUEST;
}

static marey_status choose_examples(build *all, marey_error *error)
{
    examples *chosen = &all->chosen;
    marey_status status = marey_library_list(all->at.library, NULL, &all->listing, error);
    if (status != MAREY_OK) return status;
    chosen->run = all->run;
    chosen->library = all->at.library;
    chosen->listing = all->listing;
    chosen->files = &all->files;
    if (request_has(all->asked, OPTION_CLIPS)) {
        status = examples_named(chosen, all->asked, error);
    } else if (request_has(all->asked, OPTION_QUERY)) {
        status = examples_found(chosen, all->asked, error);
    } else {
        status = examples_labelled(chosen, all->asked->values[OPTION_LABEL], error);
    }
    if (status == MAREY_OK && chosen->count < 2) status = fail_for_one(all, error);
    if (status != MAREY_OK) return status;
    status = examples_label_values(chosen, all->params, all->def.param_count, &all->labels, error);
    all->def.label_values = (const double *)(const void *)all->labels.bytes;
    return status;
}

static marey_status make(build *all, marey_error *error)
{
    const examples *chosen = &all->chosen;
    double start = now_s();
    marey_status status =
        assemble(&all->made, chosen->parts, chosen->count, chosen->parents, &all->def, error);
    all->seconds = now_s() - start;
    if (status == MAREY_OK && request_has(all->asked, OPTION_DROP_FAULTY))
        status = assembled_drop_faulty(&all->made, &all->gone, error);
    if (status == MAREY_OK && all->prune > 0)
        status = assembled_prune(&all->made, all->prune, &all->pruned, error);
    if (status == MAREY_OK) status = assembled_faults(&all->made, &all->faults, error);
    if (status == MAREY_OK) status = assembled_bytes(&all->made, &all->bytes, error);
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_dropped(const build *all, json *to)
{
    const dropped *gone = (const dropped *)(const void *)all->gone.bytes;
    json_open(to, "dropped", '[');
    for (size_t i = 0; i < all->gone.used / sizeof *gone; i++) {
        json_open(to, NULL, '{');
        json_part(to, gone[i].name, &gone[i].part);
        json_put_number(to, "share", gone[i].share);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_json(const build *all, json *to)
{
    const marey_parts *parts = all->made.parts;
    const marey_family *family = all->made.family;
    int samples, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &samples);
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->asked->operands[1]);
    json_features(to, family);
    json_put_integer(to, "dims", dims);
    json_axes(to, family);
    json_open(to, "examples", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(to, NULL, '{');
        json_part(to, parts->names[i].name, &parts->parts[i]);
        json_numbers(to, "values", values + i * dims, dims);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_put_integer(to, "samples", samples);
    json_put_number(to, "seconds", all->seconds);
    json_put_integer(to, "faults", all->faults);
    write_dropped(all, to);
    json_put_integer(to, "pruned", all->pruned);
    json_put_integer(to, "bytes", (int64_t)all->bytes);
    param_files_json(&all->files, to);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_axes(const marey_family *family, buffer *out)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    family_examples_box(family, low, high);
    for (int d = 0; d < marey_family_dims(family); d++) {
        const char *unit, *name = marey_family_dim(family, d, &unit);
        buffer_text(out, "  ");
        buffer_shown(out, name);
        buffer_print(out, "  %.4g to %.4g %s\n", low[d], high[d], unit);
    }
}

static void write_text(const build *all, buffer *out)
{
    const char *name = all->asked->operands[1];
    const dropped *gone = (const dropped *)(const void *)all->gone.bytes;
    int samples;
    marey_family_samples(all->made.family, &samples);
    param_files_text(&all->files, out);
    buffer_text(out, "family ");
    buffer_shown(out, name);
    buffer_print(out, ": %d examples, %d samples, %.2f s, %zu bytes\n", all->made.parts->count,
                 samples, all->seconds, all->bytes);
    write_axes(all->made.family, out);
    for (size_t i = 0; i < all->gone.used / sizeof *gone; i++) {
        buffer_text(out, "  dropped ");
        buffer_part(out, gone[i].name, &gone[i].part);
        buffer_print(out, ": %.0f %% of its blends are faulty\n", 100 * gone[i].share);
    }
    if (all->pruned) {
        buffer_print(out, "  pruned %d example%s that the others can do without\n", all->pruned,
                     all->pruned == 1 ? "" : "s");
    }
    if (all->faults) {
        buffer_print(out, "  %d fault%s in blends of neighbours; marey param examine says which\n",
                     all->faults, all->faults == 1 ? "" : "s");
    }
}

static marey_status keep(build *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    if (all->run->json) {
        write_json(all, &to);
    } else {
        write_text(all, &all->run->out);
    }
    about_write(all->run->command->verb, all->made.family, all->run->command->options, all->asked,
                &all->about);
    marey_status status = all->about.failed ? fail_for_memory(error) : shelf_ready(all->run, error);
    if (status != MAREY_OK) return status;
    return marey_library_keep_family(all->at.library, all->asked->operands[1], all->made.family,
                                     all->made.parts->parts, all->about.bytes, error);
}

static int build_all(build *all)
{
    marey_error error;
    marey_library_mode mode = all->files.given ? MAREY_LIBRARY_CREATE : MAREY_LIBRARY_WRITE;
    if (shelf_open(all->run, all->asked->operands[0], mode, &all->at, &error) != MAREY_OK) {
        return session_fail(all->run, &error);
    }
    all->made.run = all->run;
    all->made.library = all->at.library;
    marey_status status = param_files_take(&all->files, all->at.library,
                                           request_has(all->asked, OPTION_QUERY), &error);
    if (status == MAREY_OK) status = choose_examples(all, &error);
    if (status == MAREY_OK) status = make(all, &error);
    if (status == MAREY_OK) status = keep(all, &error);
    assembled_free(&all->made);
    marey_listing_free(all->listing);
    int done = shelf_end(&all->at, status, &error);
    /* a file that could not be read was said, and is told by the exit status as marey add tells it */
    return done == PROGRAM_DONE ? all->files.in.errors.status : done;
}

int command_param_build(session *run, const request *asked)
{
    const marey_ctx_def *memory = &run->host->def;
    build all = { .run = run,
                  .asked = asked,
                  .labels = buffer_make(memory),
                  .gone = buffer_make(memory),
                  .about = buffer_make(memory) };
    param_files_make(&all.files, run, asked);
    int status = read_features(&all);
    if (status == PROGRAM_DONE) status = read_numbers(&all);
    if (status == PROGRAM_DONE) status = check_use(&all);
    if (status == PROGRAM_DONE) status = build_all(&all);
    param_files_free(&all.files);
    buffer_free(&all.about);
    buffer_free(&all.gone);
    buffer_free(&all.labels);
    return status;
}
