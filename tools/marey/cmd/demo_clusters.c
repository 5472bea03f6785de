/* demo_clusters.c - a cluster graph to try things with: somebody who stands and walks straight and in curves. */
#include "demo_clusters.h"

#include "clip_reading.h"
#include "cluster_graphs.h"
#include "demo_takes.h"

#include <string.h>

static marey_status make(const app_env *env, bool *kept, marey_error *error)
{
    static const char *const takes[] = { "walk_straight", "walk_left", "walk_right", "idles" };
    enum { TAKES = sizeof takes / sizeof *takes };
    marey_clusters_def def = { .fps = MAREY_CLUSTER_FPS };
    marey_listing *listing = NULL;
    app_cluster_built built = { .left_out = 0 };
    const char *there[TAKES];
    int count = 0;
    marey_status status = marey_library_list(env->library, NULL, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    for (int i = 0; i < TAKES && status == MAREY_OK; i++)
        if (app_listing_find(listing, takes[i])) there[count++] = takes[i];
    if (status != MAREY_OK || count < 2) return status;
    status = app_cluster_assemble(env, &(app_texts){ there, count }, NULL, &def, &built, error);
    if (status == MAREY_OK)
        status = app_cluster_save(env, "demo", DEMO_CLUSTERS, &built, NULL, error);
    *kept = status == MAREY_OK;
    return status;
}

marey_status demo_clusters_keep(session *run, marey_library *library, bool *kept,
                                marey_error *error)
{
    app_scope scope = app_scope_open(&run->host->def);
    app_env env = { .ctx = run->ctx, .library = library, .scope = &scope };
    *kept = false;
    marey_status status = make(&env, kept, error);
    app_scope_close(&scope);
    return status;
}

bool demo_made_clusters(const marey_kept_entry *entry)
{
    return strcmp(entry->kind, MAREY_KEPT_CLUSTERS) == 0 &&
           strcmp(entry->name, DEMO_CLUSTERS) == 0 && made_by_demo(entry->about);
}
