/* graph_building.c - `graph build`: a motion graph of a library's clips, saved there under a name;
   and `graph sweep`: what graphs of several thresholds would be worth, before one is built. */
#include "behaviours.h"
#include "chosen_clips.h"
#include "motion_graphs.h"
#include "operations.h"

#include <stddef.h>

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *kind_word(int index)
{
    return index < MAREY_GRAPH_KIND_COUNT ? marey_graph_kind_name((marey_graph_kind)index) : NULL;
}

#define AT(member) offsetof(app_graph_recipe, member)

#define CLIPS_PARAM                                                                                \
    {                                                                                              \
        .name = "clips", .type = APP_CLIPS, .at = AT(clips), .place = APP_REST, .value = "CLIP",   \
        .help = "what it is made of (default: all clips of the library, or those with the label)"  \
    }

#define KIND_PARAMS                                                                                \
    { .name = "kind",                                                                              \
      .type = APP_WORD,                                                                            \
      .at = AT(kind),                                                                              \
      .word = kind_word,                                                                           \
      .standard = "standard",                                                                      \
      .help = "standard: the captured frames; connected: also interpolations of all segments "     \
              "with the same contacts" },                                                          \
    {                                                                                              \
        .name = "label", .type = APP_TEXT, .at = AT(label),                                        \
        .help = "only clips with this label, or frames that have it (default: all)"                \
    }

#define DETAIL_PARAMS                                                                              \
    { .name = "sigma",                                                                             \
      .type = APP_NUMBER,                                                                          \
      .at = AT(sigma),                                                                             \
      .least = 1e-9,                                                                               \
      .most = 1e12,                                                                                \
      .value = "S",                                                                                \
      .help = "a transition of distance s is worth exp(-s / S) (default: points 300 cm2, others "  \
              "10 thresholds)" },                                                                  \
        { .name = "fps",                                                                           \
          .type = APP_NUMBER,                                                                      \
          .at = AT(fps),                                                                           \
          .least = 0.1,                                                                            \
          .most = 10000,                                                                           \
          .value = "N",                                                                            \
          .help = "frames a second of the graph, by default 30 or that of the slowest clip" },     \
        { .name = "dwell",                                                                         \
          .type = APP_NUMBER,                                                                      \
          .at = AT(dwell),                                                                         \
          .least = 0,                                                                              \
          .most = MAREY_GRAPH_MOST_DWELL,                                                          \
          .unit = "s",                                                                             \
          .value = "S",                                                                            \
          .standard = "0.3",                                                                       \
          .help = "walks and characters stay at least so long in a piece, and longer where what "  \
                  "differs takes longer to fade; measured with it, too" },                         \
        { .name = "behaviours",                                                                    \
          .type = APP_DOCUMENT,                                                                    \
          .at = AT(behaviours),                                                                    \
          .value = "FILE.json",                                                                    \
          .help = "what is done in which frames, in the form of the demo's truth.json (default: "  \
                  "the labels of the clips, each for the whole clip, and of frames)" },            \
        { .name = "weights",                                                                       \
          .type = APP_NUMBERS,                                                                     \
          .at = AT(weights),                                                                       \
          .rising = true,                                                                          \
          .least = 1e-6,                                                                           \
          .most = 1 - 1e-6,                                                                        \
          .most_count = MAREY_GRAPH_MOST_WEIGHTS,                                                  \
          .value = "W,W,...",                                                                      \
          .only_if = "kind=connected",                                                             \
          .help = "of the second segment in interpolations, rising, by default as many as it "     \
                  "takes for small steps between them" },                                          \
        { .name = "mu",                                                                            \
          .type = APP_NUMBER,                                                                      \
          .at = AT(mu),                                                                            \
          .least = 1,                                                                              \
          .most = 1000,                                                                            \
          .standard = "1",                                                                         \
          .only_if = "kind=connected",                                                             \
          .help = "best paths may cost so much more if they use nodes that are needed anyway; 1 "  \
                  "keeps the best ones, 5 makes small graphs" },                                   \
        { .name = "smoothness",                                                                    \
          .type = APP_NUMBER,                                                                      \
          .at = AT(smoothness),                                                                    \
          .least = 0,                                                                              \
          .most = 1,                                                                               \
          .value = "SHARE",                                                                        \
          .standard = "0.5",                                                                       \
          .only_if = "kind=connected",                                                             \
          .help = "how much the smoothness of a path counts beside its length" },                  \
        { .name = "unreduced",                                                                     \
          .type = APP_SWITCH,                                                                      \
          .at = AT(unreduced),                                                                     \
          .only_if = "kind=connected",                                                             \
          .help = "keep every interpolated node" },                                                \
        APP_METRIC_PARAMS(app_graph_recipe, metric, "wang")

static const app_param build_params[] = {
    { .name = "name",
      .type = APP_NAME,
      .at = AT(name),
      .place = 1,
      .needed = true,
      .help = "what it is saved as" },
    CLIPS_PARAM,
    APP_ONTO_PARAM(app_graph_recipe, onto),
    KIND_PARAMS,
    { .name = "threshold",
      .type = APP_NUMBER,
      .at = AT(threshold),
      .least = 1e-9,
      .most = 1e9,
      .value = "E",
      .help = "transitions cost less than this (default: points 30 cm2, of connected graphs 0.5, "
              "and those that are not smooth are left out; other metrics have none)" },
    { .name = "only-smooth",
      .type = APP_SWITCH,
      .at = AT(only_smooth),
      .help = "leave out transitions that are not smooth, as without a threshold" },
    DETAIL_PARAMS,
    { .name = "sweep",
      .type = APP_NUMBERS,
      .at = AT(sweep),
      .rising = true,
      .note = true,
      .least = 1e-9,
      .most = 1e9,
      .most_count = APP_GRAPH_THRESHOLDS,
      .value = "E,E,...",
      .help = "also measure what graphs of these thresholds would be worth, before any reduction; "
              "of connected ones each takes as long as to build it" },
    APP_SHARD_PARAMS(app_graph_recipe, share),
    { 0 },
};

static const app_param sweep_params[] = {
    CLIPS_PARAM,
    APP_ONTO_PARAM(app_graph_recipe, onto),
    { .name = "thresholds",
      .type = APP_NUMBERS,
      .at = AT(sweep),
      .needed = true,
      .rising = true,
      .least = 1e-9,
      .most = 1e9,
      .most_count = APP_GRAPH_THRESHOLDS,
      .value = "E,E,...",
      .help = "those to be measured" },
    { .name = "quick",
      .type = APP_SWITCH,
      .at = AT(quick),
      .help = "without the mean time from frame to frame" },
    KIND_PARAMS,
    { .name = "only-smooth",
      .type = APP_SWITCH,
      .at = AT(only_smooth),
      .help = "leave out transitions that are not smooth" },
    DETAIL_PARAMS,
    { 0 },
};
#undef AT

static marey_status check_recipe(const app_param *rows, const app_graph_recipe *recipe,
                                 app_dialect dialect, marey_error *error)
{
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    app_metric metric;
    if (app_given(rows, &recipe->given, "clips") && recipe->clips.count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "clips must be a list of clips, got []");
    if (recipe->label && recipe->clips.count > 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%slabel is only for graphs whose clips are not named", dashes);
    }
    return app_metric_define(NULL, &recipe->metric, dialect, &metric, error);
}

static marey_status check_build(const void *params, app_dialect dialect, marey_error *error)
{
    const app_graph_recipe *recipe = params;
    marey_status status = check_recipe(build_params, recipe, dialect, error);
    bool usual = marey_metric_find(recipe->metric.metric)->thresholds.graph > 0;
    if (status != MAREY_OK || recipe->threshold > 0 || usual) return status;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%sthreshold is missing: only the metric points has a default",
                    dialect == APP_COMMAND_LINE ? "--" : "");
}

static marey_status check_sweep(const void *params, app_dialect dialect, marey_error *error)
{
    return check_recipe(sweep_params, params, dialect, error);
}

/* ---- building -------------------------------------------------------------------------------- */

/* Opens the clips, finds what is done in them, and makes a definition of it all. */
static marey_status prepare(const app_env *env, const app_graph_recipe *recipe, app_metric *metric,
                            marey_graph_def *def, app_graph_built *out, marey_error *error)
{
    const marey_listing *listing = NULL;
    app_behaviours behaviours;
    marey_status status = app_listing(env, &listing, error);
    if (status == MAREY_OK)
        status = app_choose_clips(env, listing, &recipe->clips, recipe->label, recipe->onto,
                                  &out->parts, error);
    if (status != MAREY_OK) return status;
    if (recipe->behaviours.text) {
        status =
            app_behaviours_read(env, &recipe->behaviours, listing, out->parts, &behaviours, error);
    } else {
        status = app_behaviours_of_labels(env, listing, out->parts, &behaviours, error);
    }
    if (status == MAREY_OK)
        status = app_metric_define(NULL, &recipe->metric, APP_BODY, metric, error);
    if (status != MAREY_OK) return status;
    if (behaviours.unknown) {
        app_warn(env, "%s: %d of its takes %s no clip of this library", recipe->behaviours.name,
                 behaviours.unknown, behaviours.unknown == 1 ? "is" : "are");
    }
    *def = (marey_graph_def){
        .kind = (marey_graph_kind)recipe->kind,
        .metric = &metric->def,
        .fps = recipe->fps,
        .threshold = recipe->threshold,
        .smooth = recipe->only_smooth,
        .sigma = recipe->sigma,
        .dwell_s = recipe->dwell > 0 ? recipe->dwell : -1, /* 0 is its default */
        .behaviours = behaviours.items,
        .behaviour_count = behaviours.count,
        .weights = recipe->weights.values,
        .weight_count = recipe->weights.count,
        .suboptimality = recipe->mu,
        .smoothness = recipe->smoothness > 0 ? recipe->smoothness : -1, /* 0 is its default */
        .unreduced = recipe->unreduced,
    };
    return MAREY_OK;
}

marey_status app_graph_sweep_measure(const app_env *env, const marey_parts *parts,
                                     const marey_graph_def *def, const app_numbers *thresholds,
                                     bool quick, app_graph_sweep_rows *out, marey_error *error)
{
    if (thresholds->count == 0) return MAREY_OK;
    out->count = thresholds->count;
    out->rows = APP_NEW(env->scope, marey_graph_stats, out->count);
    if (!out->rows) return app_fail_memory(error);
    return marey_graph_sweep(env->ctx, parts->clips, parts->count, parts->contacts, def,
                             thresholds->values, thresholds->count, quick, out->rows, error);
}

static marey_status run_build(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_graph_recipe *recipe = params;
    app_graph_built *out = result;
    app_metric metric;
    marey_graph_def def;
    marey_status status = prepare(env, recipe, &metric, &def, out, error);
    if (status != MAREY_OK) return status;
    const marey_parts *parts = out->parts;
    double start = app_seconds();
    def.tiles = env->tiles;
    status = marey_graph_build(env->ctx, parts->clips, parts->count, parts->contacts, &def,
                               &out->graph, error);
    def.tiles = NULL;
    out->seconds = app_seconds() - start;
    if (status == MAREY_OK && marey_tiles_made(env->tiles)) return MAREY_OK;
    if (status == MAREY_OK) status = app_own_graph(env, out->graph, error);
    if (status == MAREY_OK) status = marey_graph_measure(env->ctx, out->graph, &out->stats, error);
    if (status != MAREY_OK) return status;
    if (out->stats.scc_percent < 50) {
        app_warn(env,
                 "only %.0f %% of the frames can all reach each other, and walks use no others: a "
                 "larger threshold%s keeps more",
                 out->stats.scc_percent,
                 recipe->kind == MAREY_GRAPH_CONNECTED ? "" : " or the kind connected");
    }
    return app_graph_sweep_measure(env, parts, &def, &recipe->sweep, false, &out->sweep, error);
}

static marey_status run_sweep(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_graph_recipe *recipe = params;
    app_graph_built *out = result;
    app_metric metric;
    marey_graph_def def;
    marey_status status = prepare(env, recipe, &metric, &def, out, error);
    if (status != MAREY_OK) return status;
    return app_graph_sweep_measure(env, out->parts, &def, &recipe->sweep, recipe->quick,
                                   &out->sweep, error);
}

/* ---- the library ----------------------------------------------------------------------------- */

marey_status app_graph_save(const app_env *env, const char *maker, const char *name,
                            const marey_graph *graph, const marey_parts *parts,
                            const app_param *rows, const app_params *params, marey_error *error)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    buffer about = buffer_make(env->scope->memory);
    json out = app_about_begin(&about, maker);
    int transitions, label_count;
    const char *const *labels = marey_graph_labels(graph, &label_count);
    marey_graph_transitions(graph, &transitions);
    json_put_string(&out, "kind", marey_graph_kind_name(def->kind));
    json_put_number(&out, "fps", marey_graph_fps(graph));
    json_put_number(&out, "threshold", def->threshold);
    json_put_integer(&out, "frames", marey_graph_originals(graph));
    json_put_integer(&out, "nodes", marey_graph_nodes(graph));
    json_put_integer(&out, "transitions", transitions);
    json_put_texts(&out, "labels", labels, label_count);
    marey_status status = app_about_end(&out, rows, params, error);
    if (status == MAREY_OK) {
        status = marey_library_keep_graph(env->library, name, graph, parts->parts, parts->onto,
                                          about.bytes, error);
    }
    buffer_free(&about);
    return status;
}

static marey_status save_built(const app_env *env, const void *params, void *result,
                               marey_error *error)
{
    const app_graph_recipe *recipe = params;
    const app_graph_built *built = result;
    return app_graph_save(env, "graph build", recipe->name, built->graph, built->parts,
                          build_params, &recipe->given, error);
}

/* ---- the answers ----------------------------------------------------------------------------- */

static void write_built(const void *params, const void *result, json *out)
{
    const app_graph_recipe *recipe = params;
    const app_graph_built *built = result;
    app_graph_write(out, recipe->name, built->graph, built->parts);
    json_put_integer(out, "left_out", built->parts->left_out_count);
    app_graph_write_stats(out, &built->stats);
    json_put_number(out, "seconds", built->seconds);
    app_graph_write_content(out, built->graph, built->parts);
    json_put_boolean(out, "measured", true);
    json_put_null(out, "policy"); /* that of a graph of this name goes with it */
    app_graph_write_sweep(out, &built->sweep);
}

static void write_swept(const void *params, const void *result, json *out)
{
    const app_graph_recipe *recipe = params;
    const app_graph_built *built = result;
    app_graph_write_sweep(out, &built->sweep);
    json_put_string(out, "unit", marey_metric_find(recipe->metric.metric)->unit);
    json_put_integer(out, "left_out", built->parts->left_out_count);
}

const app_operation app_graph_build = {
    .name = "graph build",
    .summary = "make a motion graph of clips and keep it in their library",
    .description = { "Without CLIP all clips of the library are taken, or those with the label, on "
                     "the "
                     "body of the first: clips with other joints are retargeted onto it, and the "
                     "answer says which and how well. Frames that are no captured motion never get "
                     "into a graph.",
                     "Frames are nodes. Where two are alike, and less so around them, the motion "
                     "can go on from the one to what comes behind the other. Without a "
                     "threshold only smooth transitions are kept: the fastest joint gets at "
                     "most 1.1 times as fast as around it. The answer says "
                     "which share of the frames can all reach each other: walks stay in it, so "
                     "that there is never a dead end.",
                     "A connected graph also has interpolations between all segments in which the "
                     "same feet stand, reduced to those that best ways between captured frames "
                     "need. It is better connected, with smoother and quicker transitions, and "
                     "is used in the same way.",
                     "A graph of that name is replaced, and its policy goes." },
    .params = build_params,
    .params_size = sizeof(app_graph_recipe),
    .result_size = sizeof(app_graph_built),
    .library = APP_WRITES,
    .takes_long = true,
    .shards = offsetof(app_graph_recipe, share),
    .check = check_build,
    .run = run_build,
    .write = write_built,
    .pictures = app_graph_built_pictures,
    .commit = save_built,
};

const app_operation app_graph_sweep = {
    .name = "graph sweep",
    .summary = "measure what motion graphs of several thresholds would be worth",
    .description = { "One row for each threshold: that of the graph that would be built of these "
                     "clips, but not reduced. Nothing is kept." },
    .params = sweep_params,
    .params_size = sizeof(app_graph_recipe),
    .result_size = sizeof(app_graph_built),
    .library = APP_READS,
    .takes_long = true,
    .check = check_sweep,
    .run = run_sweep,
    .write = write_swept,
};
