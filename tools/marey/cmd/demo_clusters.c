/* demo_clusters.c - a cluster graph to try things with: somebody who stands and walks straight and in curves. */
#include "demo_clusters.h"

#include "cluster_assemble.h"
#include "demo_takes.h"
#include "param_family.h"

#include <string.h>

static marey_status keep(const assembled_clusters *made, marey_error *error)
{
    buffer about = buffer_make(&made->run->host->def);
    clusters_about_write("demo", made->graph, NULL, NULL, &about);
    marey_status status =
        about.failed ? fail_for_memory(error)
                     : marey_library_keep_clusters(made->library, DEMO_CLUSTERS, made->graph,
                                                   made->parts->parts, about.bytes, error);
    buffer_free(&about);
    return status;
}

marey_status demo_clusters_keep(session *run, marey_library *library, bool *kept,
                                marey_error *error)
{
    char takes[][16] = { "walk_straight", "walk_left", "walk_right", "idles" };
    enum { TAKES = sizeof takes / sizeof *takes };
    assembled_clusters made = { .def = { .fps = MAREY_CLUSTER_FPS } };
    char *there[TAKES];
    int count = 0;
    *kept = false;
    marey_status status = clusters_start(&made, run, library, error);
    for (int i = 0; i < TAKES && status == MAREY_OK; i++) {
        if (listing_find(made.listing, takes[i])) there[count++] = takes[i];
    }
    if (status == MAREY_OK && count >= 2) {
        status = clusters_choose(&made, there, count, NULL, error);
        if (status == MAREY_OK) status = clusters_assemble(&made, error);
        if (status == MAREY_OK) status = keep(&made, error);
        *kept = status == MAREY_OK;
    }
    assembled_clusters_free(&made);
    return status;
}

bool demo_made_clusters(const marey_kept_entry *entry)
{
    return strcmp(entry->kind, MAREY_KEPT_CLUSTERS) == 0 &&
           strcmp(entry->name, DEMO_CLUSTERS) == 0 && made_by_demo(entry->about);
}
