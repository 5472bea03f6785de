/* demo_graphs.c - motion graphs to try things with: somebody who stands, walks in all directions, turns and sits down. */
#include "demo_graphs.h"

#include "behaviours.h"
#include "clip_reading.h"
#include "demo_takes.h"
#include "motion_graphs.h"

#include <string.h>

/* Few takes, and of a graph that is more work the beginnings of fewer, so that nobody who tries marey waits long. So few frames
   need more than the usual threshold to be steered well: by smooth transitions all the same. */
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

/* The parts of the takes that are there; none if those are too few. */
static marey_status choose(const app_env *env, const recipe *of, const marey_listing *listing,
                           marey_parts **out, marey_error *error)
{
    marey_part parts[sizeof of->takes / sizeof *of->takes];
    int count = 0, first = 0;
    for (size_t i = 0; i < sizeof of->takes / sizeof *of->takes && of->takes[i]; i++) {
        const marey_entry *entry = app_listing_find(listing, of->takes[i]);
        if (!entry) continue;
        first += i < of->counted;
        int most = of->first_s > 0 ? (int)(of->first_s * entry->fps) : entry->frames;
        parts[count++] = (marey_part){ entry->id, 0, most < entry->frames ? most : entry->frames };
    }
    if (first < of->fewest) return MAREY_OK;
    marey_status status = marey_library_parts(env->library, parts, count, out, error);
    return status == MAREY_OK ? app_own_parts(env, *out, error) : status;
}

static marey_status make(const app_env *env, marey_graph_kind kind, const app_document *truth,
                         int *kept, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_parts *parts = NULL;
    marey_graph *graph = NULL;
    app_behaviours behaviours;
    marey_status status = marey_library_list(env->library, NULL, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status == MAREY_OK) status = choose(env, &recipes[kind], listing, &parts, error);
    if (status != MAREY_OK || !parts) return status;
    status = app_behaviours_read(env, truth, listing, parts, &behaviours, error);
    if (status != MAREY_OK) return status;
    marey_graph_def def = { .kind = kind,
                            .threshold = recipes[kind].threshold,
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
        session_progress(run, "making graphs", k, MAREY_GRAPH_KIND_COUNT);
        status = make(&env, (marey_graph_kind)k, &document, kept, error);
        app_scope_close(&scope);
    }
    if (!truth->failed) truth->used--;
    return status;
}

bool demo_made_graph(const marey_kept_entry *entry)
{
    bool named = false;
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT; k++)
        named |= strcmp(entry->name, marey_graph_kind_name((marey_graph_kind)k)) == 0;
    return named && strcmp(entry->kind, MAREY_KEPT_GRAPH) == 0 && made_by_demo(entry->about);
}
