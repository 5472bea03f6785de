/* cluster_building.c - `cluster build`: a cluster graph of a library's clips, saved there under a
   name. */
#include "chosen_clips.h"
#include "cluster_graphs.h"
#include "operations.h"

#include <stddef.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *link_word(int index)
{
    return index < MAREY_LINK_COUNT ? marey_link_name((marey_link)index) : NULL;
}

#define AT(member) offsetof(app_cluster_recipe, member)
static const app_param rows[] = {
    { .name = "name",
      .type = APP_NAME,
      .at = AT(name),
      .place = 1,
      .needed = true,
      .help = "what it is saved as" },
    { .name = "clips",
      .type = APP_CLIPS,
      .at = AT(clips),
      .place = APP_REST,
      .value = "CLIP",
      .help =
          "what it is made of (default: all clips of the library, those with the label, or those "
          "that the example finds)" },
    APP_ONTO_PARAM(app_cluster_recipe, onto),
    { .name = "link",
      .type = APP_WORD,
      .at = AT(link),
      .word = link_word,
      .standard = "complete",
      .help = "complete: any two frames of a node are alike; single: each is like another one, so "
              "that nodes may be chains" },
    { .name = "threshold",
      .type = APP_NUMBER,
      .at = AT(threshold),
      .least = 1e-9,
      .most = 1e9,
      .value = "E",
      .help = "how far apart frames that are alike may be (default: points 200 cm2, that is 14 cm; "
              "other metrics have none)" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = AT(fps),
      .least = 0.1,
      .most = 10000,
      .value = "N",
      .help = "frames a second of the graph (default: 30, or that of the slowest clip)" },
    { .name = "label",
      .type = APP_TEXT,
      .at = AT(example.label),
      .help = "only clips with this label, or frames that have it (default: all)" },
    { .name = "from-example",
      .type = APP_SEGMENT,
      .at = AT(example.query),
      .value = "QUERY",
      .help = "the clips that are most like an example: as for marey example" },
    { .name = "from-curve",
      .type = APP_DOCUMENT,
      .at = AT(example.curve),
      .value = "FILE",
      .help = "the same by a curve: as --curve of marey example" },
    { .name = "count",
      .type = APP_WHOLE,
      .at = AT(count),
      .least = 1,
      .most = 1000,
      .value = "N",
      .standard = "5",
      .help = "how many clips are taken from those that the example finds" },
    APP_EXAMPLE_PARAMS(app_cluster_recipe, example, NULL),
    APP_METRIC_PARAMS(app_cluster_recipe, metric, "equal"),
    APP_SHARD_PARAMS(app_cluster_recipe, share),
    { 0 },
};
#undef AT

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    static const char *const of_example[] = { "count", "dof",   "k",    "noise",
                                              "shape", "plain", "whole" };
    const app_cluster_recipe *recipe = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    const char *example = dialect == APP_COMMAND_LINE ? "--from-example" : "from_example";
    bool by_example = recipe->example.query.clip || recipe->example.curve.text;
    marey_status status = MAREY_OK;
    app_metric metric;
    for (size_t i = 0; i < sizeof of_example / sizeof *of_example && !by_example; i++) {
        if (!app_given(rows, &recipe->given, of_example[i])) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s%s is only for %s", dashes,
                        of_example[i], example);
    }
    if (by_example && recipe->clips.count > 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "name clips, or give %s, not both",
                        example);
    }
    if (recipe->example.label && recipe->clips.count > 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "name clips, or give a %slabel, not both",
                        dashes);
    }
    if (by_example) status = app_example_check(&recipe->example, dialect, error);
    if (status != MAREY_OK) return status;
    if (!(recipe->threshold > 0) &&
        marey_metric_find(recipe->metric.metric)->thresholds.cluster == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sthreshold is missing: only the metric points has a default", dashes);
    }
    return app_metric_define(NULL, &recipe->metric, dialect, &metric, error);
}

/* ---- the working set ------------------------------------------------------------------------- */

/* What a query finds (clusters, 3.2): the best clips. */
static marey_status find_clips(const app_env *env, const app_cluster_recipe *recipe,
                               app_texts *names, app_cluster_built *out, marey_error *error)
{
    app_example_found found = { .listing = NULL };
    int count, taken = 0;
    marey_status status = app_example_find(env, &recipe->example, &found, error);
    if (status != MAREY_OK) return status;
    const marey_example_clip *clips = marey_example_clips(found.found, &count);
    const char **values = APP_NEW(env->scope, const char *, count);
    if (!values) return app_fail_memory(error);
    for (int i = 0; i < count && taken < recipe->count; i++) {
        const char *name = app_copy(env->scope, found.set.clips[clips[i].clip].name);
        if (!name) return app_fail_memory(error);
        const marey_entry *entry = app_listing_find(found.listing, name);
        if (!entry) continue; /* removed just now */
        values[taken++] = name;
    }
    *names = (app_texts){ values, taken };
    if (found.query.entry) out->example = found.query.entry->name;
    if (taken > 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, found.text,
                    "the example finds no clip; a smaller noise cuts finer, dof asks for another "
                    "signal");
}

/* ---- building -------------------------------------------------------------------------------- */

marey_status app_cluster_assemble(const app_env *env, const app_texts *names, const char *label,
                                  const char *onto, const marey_clusters_def *def,
                                  app_cluster_built *out, marey_error *error)
{
    const marey_listing *listing = NULL;
    marey_status status = app_listing(env, &listing, error);
    if (status == MAREY_OK)
        status = app_choose_clips(env, listing, names, label, onto, &out->parts, error);
    if (status != MAREY_OK) return status;
    double start = app_seconds();
    status = marey_clusters_build(env->ctx, out->parts->clips, out->parts->count, def, &out->graph,
                                  error);
    out->seconds = app_seconds() - start;
    if (status == MAREY_OK && !out->graph) return MAREY_OK; /* it was a shard */
    return status == MAREY_OK ? app_own_clusters(env, out->graph, error) : status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    enum { TUPLES = 3 }; /* of each node, in the answer */
    const app_cluster_recipe *recipe = params;
    app_cluster_built *out = result;
    app_metric metric;
    app_texts names = recipe->clips;
    marey_status status = app_metric_define(NULL, &recipe->metric, APP_BODY, &metric, error);
    if (status == MAREY_OK && (recipe->example.query.clip || recipe->example.curve.text))
        status = find_clips(env, recipe, &names, out, error);
    if (status != MAREY_OK) return status;
    marey_clusters_def def = { .link = (marey_link)recipe->link,
                               .metric = &metric.def,
                               .fps = recipe->fps,
                               .threshold = recipe->threshold,
                               .tiles = env->tiles };
    status =
        app_cluster_assemble(env, &names, recipe->example.label, recipe->onto, &def, out, error);
    if (status != MAREY_OK || !out->graph) return status;
    return app_cluster_find_tuples(env, out->graph, NULL, 0, &(marey_tuples_def){ .most = TUPLES },
                                   &out->tuples, error);
}

/* ---- the library ----------------------------------------------------------------------------- */

marey_status app_cluster_save(const app_env *env, const char *maker, const char *name,
                              const app_cluster_built *built, const app_params *params,
                              marey_error *error)
{
    const marey_clusters *graph = built->graph;
    const marey_clusters_def *def = marey_clusters_settings(graph);
    buffer about = buffer_make(env->scope->memory);
    json out = app_about_begin(&about, maker);
    int nodes, sequences;
    marey_clusters_nodes(graph, &nodes);
    marey_clusters_sequences(graph, &sequences);
    json_put_string(&out, "link", marey_link_name(def->link));
    json_put_number(&out, "fps", marey_clusters_fps(graph));
    json_put_number(&out, "threshold", def->threshold);
    json_put_integer(&out, "frames", marey_clusters_frames(graph));
    json_put_integer(&out, "nodes", nodes);
    json_put_integer(&out, "sequences", sequences);
    marey_status status = app_about_end(&out, params ? rows : NULL, params, error);
    if (status == MAREY_OK) {
        status = marey_library_keep_clusters(env->library, name, graph, built->parts->parts,
                                             built->parts->onto, about.bytes, error);
    }
    buffer_free(&about);
    return status;
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_cluster_built *built = result;
    app_cluster_recipe recipe = *(const app_cluster_recipe *)params;
    /* By its name, which says more than its number. */
    if (built->example) recipe.example.query.clip = built->example;
    return app_cluster_save(env, "cluster build", recipe.name, built, &recipe.given, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_cluster_recipe *recipe = params;
    const app_cluster_built *built = result;
    int count;
    marey_clusters_nodes(built->graph, &count);
    json_put_string(out, "name", recipe->name);
    app_cluster_write(out, built->graph, built->parts);
    json_put_integer(out, "left_out", built->parts->left_out_count);
    json_put_number(out, "seconds", built->seconds);
    app_cluster_write_clips(out, built->parts);
    json_open(out, "nodes", '[');
    for (int n = 0; n < count; n++) app_cluster_write_node(out, built->graph, built->parts, n);
    json_close(out, ']');
    app_cluster_write_tuples(out, built->graph, built->parts, &built->tuples);
}

const app_operation app_cluster_build = {
    .name = "cluster build",
    .summary = "make a cluster graph of clips and keep it in their library",
    .description = { "Without CLIP all clips of the library are taken, those with --label, or the "
                     "best "
                     "that --from-example finds, on the body of the first: clips with other joints "
                     "are retargeted onto it, and the answer says which and how well. Frames that "
                     "are no captured motion never get into a graph.",
                     "Of all frames the two nodes that are least apart are joined, again and "
                     "again, until none are within the threshold. With complete links that is how "
                     "far any two frames of a node may be apart, so that one can switch between "
                     "any of its sequences; with single links nodes grow into chains, whose ends "
                     "may be quite different.",
                     "The answer says which nodes have several clips, and in which a clip closes "
                     "into a loop. A cluster graph of that name is replaced." },
    .params = rows,
    .params_size = sizeof(app_cluster_recipe),
    .result_size = sizeof(app_cluster_built),
    .library = APP_WRITES,
    .takes_long = true,
    .shards = offsetof(app_cluster_recipe, share),
    .check = check,
    .run = run,
    .write = write,
    .pictures = app_cluster_built_pictures,
    .commit = commit,
};
