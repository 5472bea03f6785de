/* demo_saved.c - a family, motion graphs and a cluster graph to try things with, out of takes whose
   truth is known. */
#include "demo_saved.h"
#include "behaviours.h"
#include "clip_reading.h"
#include "cluster_graphs.h"
#include "motion_graphs.h"

#include <string.h>

bool made_by_demo(const char *about)
{
    static const char start[] = "{\"made_by\":\"demo\"";
    return strncmp(about, start, sizeof start - 1) == 0;
}

/* ---- the family ------------------------------------------------------------------------------ */

/* What they do has three numbers: with fewer examples there is hardly anything between them. */
enum { FEWEST = 5 };

static const char feature[] = "position(right_wrist, apex, start)";

void demo_reaches_note(demo_reaches *reaches, const marey_demo_take *take, const char *name)
{
    static const char smaller[] = "small"; /* how takes of the other body are called */
    int count;
    const marey_demo_segment *of = marey_demo_segments(take, &count);
    if (strncmp(name, smaller, sizeof smaller - 1) == 0) return;
    for (int i = 0; i < count && reaches->count < APP_MOST_EXAMPLES; i++) {
        if (strcmp(of[i].label, "reach") != 0 || strcmp(of[i].side, "right") != 0) continue;
        reaches->items[reaches->count].take = name;
        reaches->items[reaches->count].start = of[i].start;
        reaches->items[reaches->count++].end = of[i].end;
    }
}

marey_status demo_reaches_keep(const demo_reaches *reaches, session *run, marey_library *library,
                               bool *kept, marey_error *error)
{
    app_scope scope = app_scope_open(&run->host->def);
    app_env env = { .ctx = run->ctx, .library = library, .scope = &scope };
    app_examples *examples = NULL;
    const marey_listing *listing = NULL;
    app_assembled made;
    marey_param param;
    marey_family_def def = { .params = &param, .param_count = 1 };
    *kept = reaches->count >= FEWEST;
    if (!*kept) return MAREY_OK;
    marey_status status = app_listing(&env, &listing, error);
    if (status == MAREY_OK) {
        examples = APP_NEW(&scope, app_examples, 1);
        status = app_check(!examples, error);
    }
    for (int i = 0; i < reaches->count && status == MAREY_OK; i++) {
        const marey_entry *entry = app_listing_find(listing, reaches->items[i].take);
        if (!entry) continue;
        examples->parents[examples->count] = examples->count ? 0 : -1;
        examples->items[examples->count++].part =
            (marey_part){ entry->id, reaches->items[i].start, reaches->items[i].end };
    }
    if (status == MAREY_OK) status = marey_param_parse(feature, &param, error);
    if (status == MAREY_OK) status = app_family_assemble(&env, examples, &def, &made, error);
    if (status == MAREY_OK)
        status =
            app_family_save(&env, "demo", DEMO_FAMILY, made.family, made.parts, NULL, NULL, error);
    app_scope_close(&scope);
    return status;
}

/* ---- motion graphs --------------------------------------------------------------------------- */

/* Few takes, and of a graph that is more work the beginnings of fewer, so that a first try does not
   wait long. So few frames need more than the usual threshold to be steered well: by smooth
   transitions all the same. */
typedef struct recipe {
    const char *takes[6]; /* NULL behind the last */
    size_t counted;       /* so many of them count .. */
    int fewest;           /* .. and so many of these must be there */
    double first_s;       /* so much of each; 0: all */
    double threshold;     /* cm2; 0: the usual one */
} recipe;

static const recipe recipes[MAREY_GRAPH_KIND_COUNT] = {
    [MAREY_GRAPH_STANDARD] = { { "idles", "sits", "turns", "walk_left", "walk_right",
                                 "walk_straight" },
                               6,
                               3,
                               0,
                               0 },
    [MAREY_GRAPH_CONNECTED] = { { "sits", "walk_left", "walk_right", "turns" }, 3, 2, 8, 2 },
};

/* Of the takes that are there; none if those are too few. */
static marey_status make_graph(const app_env *env, marey_graph_kind kind, const app_document *truth,
                               int *kept, marey_error *error)
{
    const recipe *of = &recipes[kind];
    marey_part chosen[sizeof of->takes / sizeof *of->takes];
    const marey_listing *listing = NULL;
    marey_parts *parts = NULL;
    marey_graph *graph = NULL;
    app_behaviours behaviours;
    int count = 0, counted = 0;
    marey_status status = app_listing(env, &listing, error);
    if (status != MAREY_OK) return status;
    for (size_t i = 0; i < sizeof of->takes / sizeof *of->takes && of->takes[i]; i++) {
        const marey_entry *entry = app_listing_find(listing, of->takes[i]);
        if (!entry) continue;
        counted += i < of->counted;
        int most = of->first_s > 0 ? (int)(of->first_s * entry->fps) : entry->frames;
        chosen[count++] = (marey_part){ entry->id, 0, most < entry->frames ? most : entry->frames };
    }
    if (counted < of->fewest) return MAREY_OK;
    status = marey_library_parts(env->library, chosen, count, 0, &parts, error);
    if (status == MAREY_OK) status = app_own_parts(env, parts, error);
    if (status == MAREY_OK)
        status = app_behaviours_read(env, truth, listing, parts, &behaviours, error);
    if (status != MAREY_OK) return status;
    marey_graph_def def = { .kind = kind,
                            .threshold = of->threshold,
                            .smooth = true,
                            .behaviours = behaviours.items,
                            .behaviour_count = behaviours.count };
    status = marey_graph_build(env->ctx, parts->clips, parts->count, parts->contacts, &def, &graph,
                               error);
    if (status == MAREY_OK) status = app_own_graph(env, graph, error);
    if (status == MAREY_OK) {
        status = app_graph_save(env, "demo", marey_graph_kind_name(kind), graph, parts, NULL, NULL,
                                error);
    }
    *kept += status == MAREY_OK;
    return status;
}

/* A kind comes only with those before it, so that their number says which there are. */
marey_status demo_graphs_keep(session *run, marey_library *library, buffer *truth, int *kept,
                              marey_error *error)
{
    app_scope scope = app_scope_open(&run->host->def);
    app_env env = { .ctx = run->ctx, .library = library, .scope = &scope };
    buffer_byte(truth, 0);
    marey_status status = app_check(truth->failed, error);
    app_document document = { "truth.json", truth->bytes };
    *kept = 0;
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT && *kept == k && status == MAREY_OK; k++) {
        session_progress(run, "making graphs", k, MAREY_GRAPH_KIND_COUNT, -1);
        status = make_graph(&env, (marey_graph_kind)k, &document, kept, error);
        app_scope_close(&scope);
    }
    if (!truth->failed) truth->used--;
    return status;
}

/* ---- the cluster graph: standing, and walking straight and in curves ------------------------- */

marey_status demo_clusters_keep(session *run, marey_library *library, bool *kept,
                                marey_error *error)
{
    static const char *const takes[] = { "walk_straight", "walk_left", "walk_right", "idles" };
    enum { TAKES = sizeof takes / sizeof *takes };
    app_scope scope = app_scope_open(&run->host->def);
    app_env env = { .ctx = run->ctx, .library = library, .scope = &scope };
    marey_clusters_def def = { .fps = MAREY_CLUSTER_FPS };
    const marey_listing *listing = NULL;
    app_cluster_built built = { .seconds = 0 };
    const char *there[TAKES];
    int count = 0;
    marey_status status = app_listing(&env, &listing, error);
    for (int i = 0; i < TAKES && status == MAREY_OK; i++)
        if (app_listing_find(listing, takes[i])) there[count++] = takes[i];
    *kept = status == MAREY_OK && count >= 2;
    if (*kept)
        status = app_cluster_assemble(&env, &(app_texts){ there, count }, NULL, NULL, &def, &built,
                                      error);
    if (*kept && status == MAREY_OK)
        status = app_cluster_save(&env, "demo", DEMO_CLUSTERS, &built, NULL, error);
    app_scope_close(&scope);
    return status;
}

/* ---- an older one ---------------------------------------------------------------------------- */

marey_status demo_made_saved(session *run, const marey_kept_entry *entry, bool *made,
                             marey_error *error)
{
    bool family =
        strcmp(entry->kind, MAREY_KEPT_FAMILY) == 0 && strcmp(entry->name, DEMO_FAMILY) == 0;
    bool clusters =
        strcmp(entry->kind, MAREY_KEPT_CLUSTERS) == 0 && strcmp(entry->name, DEMO_CLUSTERS) == 0;
    bool graph = false;
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT && strcmp(entry->kind, MAREY_KEPT_GRAPH) == 0; k++)
        graph = graph || strcmp(entry->name, marey_graph_kind_name((marey_graph_kind)k)) == 0;
    *made = (family || clusters || graph) && made_by_demo(entry->about);
    return *made ? MAREY_OK : demo_made_puppet(run, entry, made, error);
}
