/* kept_cluster.c - cluster graphs in a library, with the clips they are of. */
#include "library/kept_made.h"

static marey_status read_clusters(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                  const marey_parts *parts, void **out, marey_error *error)
{
    marey_clusters *made = NULL;
    marey_status status =
        marey_clusters_read(ctx, bytes, size, parts->clips, parts->count, &made, error);
    *out = made;
    return status;
}

static void free_clusters(void *made)
{
    marey_clusters_free(made);
}

const mry_maker mry_cluster_maker = { MAREY_KEPT_CLUSTERS, "cluster graph", MAREY_GRAPH_MOST_CLIPS,
                                      read_clusters, free_clusters };

marey_status marey_library_keep_clusters(marey_library *library, const char *name,
                                         const marey_clusters *clusters, const marey_part *parts,
                                         const char *about, marey_error *error)
{
    marey_keep_def def = { .about = about,
                           .parts = parts,
                           .part_count = marey_clusters_clip_count(clusters) };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_clusters_write(clusters, &bytes, &size, error);
    if (status) return status;
    status = mry_keep_made(library, &mry_cluster_maker, name, bytes, size, &def, error);
    marey_graph_bytes_free(library->ctx, bytes, size);
    return status;
}

marey_status marey_library_clusters(marey_library *library, const char *name, marey_parts **parts,
                                    marey_clusters **out, marey_error *error)
{
    void *made = NULL;
    marey_status status = mry_open_made(library, &mry_cluster_maker, name, parts, &made, error);
    if (!status) *out = made;
    return status;
}
