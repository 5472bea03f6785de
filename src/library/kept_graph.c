/* kept_graph.c - motion graphs in a library, with the clips they are of, and the policies that steer them. A policy has the
   name of its graph and goes when that does: what it says of one graph is nonsense for another. */
#include "library/kept_made.h"

#include "base/fail.h"

/* ---- graphs ------------------------------------------------------------------------------------- */

static marey_status read_graph(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                               const marey_parts *parts, void **out, marey_error *error)
{
    marey_graph *made = NULL;
    marey_status status = marey_graph_read(ctx, bytes, size, parts->clips, parts->count,
                                           parts->contacts, &made, error);
    *out = made;
    return status;
}

static void free_graph(void *made)
{
    marey_graph_free(made);
}

const mry_maker mry_graph_maker = { MAREY_KEPT_GRAPH, "graph", MAREY_GRAPH_MOST_CLIPS, read_graph,
                                    free_graph };

marey_status marey_library_keep_graph(marey_library *library, const char *name,
                                      const marey_graph *graph, const marey_part *parts,
                                      const char *about, marey_error *error)
{
    marey_keep_def def = { .about = about,
                           .parts = parts,
                           .part_count = marey_graph_clip_count(graph) };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_graph_write(graph, &bytes, &size, error);
    if (status) return status;
    status = mry_keep_made(library, &mry_graph_maker, name, bytes, size, &def, error);
    marey_graph_bytes_free(library->ctx, bytes, size);
    return status;
}

marey_status marey_library_graph(marey_library *library, const char *name, marey_parts **parts,
                                 marey_graph **out, marey_error *error)
{
    void *made = NULL;
    marey_status status = mry_open_made(library, &mry_graph_maker, name, parts, &made, error);
    if (!status) *out = made;
    return status;
}

/* ---- policies ----------------------------------------------------------------------------------- */

/* Reads it with the graph that is kept now, so that what is kept can be had again. */
static marey_status try_policy(marey_library *library, const char *name, const uint8_t *bytes,
                               size_t size, marey_error *error)
{
    marey_parts *parts = NULL;
    void *graph = NULL;
    marey_policy *again = NULL;
    marey_status status = mry_open_inside(library, &mry_graph_maker, name, &parts, &graph, error);
    if (status) return status;
    status = marey_policy_read(library->ctx, bytes, size, graph, &again, error);
    marey_policy_free(again);
    marey_graph_free(graph);
    marey_parts_free(parts);
    if (marey_status_group(status) != MAREY_ERR_INPUT) return status;
    return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                    "this policy is not one of the graph %.120s", name);
}

static marey_status keep_policy(marey_library *library, const char *name, const uint8_t *bytes,
                                size_t size, const char *about, marey_error *error)
{
    marey_keep_def def = { .about = about };
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    marey_status status =
        mry_keep_pack(library, MAREY_KEPT_POLICY, name, bytes, size, &def, &tmp, &packed, error);
    if (!status) status = mry_store_begin(library->store, error);
    if (!status) {
        status = try_policy(library, name, bytes, size, error);
        if (!status) status = mry_keep(library, MAREY_KEPT_POLICY, name, &packed, &def, error);
        status = mry_library_end(library, status, error);
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_library_keep_policy(marey_library *library, const char *name,
                                       const marey_policy *policy, const char *about,
                                       marey_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_policy_write(policy, &bytes, &size, error);
    if (status) return status;
    status = keep_policy(library, name, bytes, size, about, error);
    marey_graph_bytes_free(library->ctx, bytes, size);
    return status;
}

marey_status marey_library_policy(marey_library *library, const char *name,
                                  const marey_graph *graph, marey_policy **out, marey_error *error)
{
    marey_kept *kept = NULL;
    size_t size;
    marey_status status = marey_library_kept(library, MAREY_KEPT_POLICY, name, &kept, error);
    if (status) return status;
    const uint8_t *bytes = marey_kept_bytes(kept, &size);
    status = marey_policy_read(library->ctx, bytes, size, graph, out, error);
    marey_kept_free(kept);
    return status;
}

/* ---- checking ----------------------------------------------------------------------------------- */

static marey_status check_policy(marey_library *library, const marey_kept *kept, const char *name,
                                 bool *untold, marey_error *error)
{
    marey_parts *parts = NULL;
    void *graph = NULL;
    marey_policy *policy = NULL;
    size_t size;
    const uint8_t *bytes = marey_kept_bytes(kept, &size);
    marey_status status = mry_open_inside(library, &mry_graph_maker, name, &parts, &graph, error);
    *untold = mry_is_told_elsewhere(status);
    if (status) return status;
    status = marey_policy_read(library->ctx, bytes, size, graph, &policy, error);
    marey_policy_free(policy);
    marey_graph_free(graph);
    marey_parts_free(parts);
    return status;
}

marey_status mry_check_policy(marey_library *library, const char *name, marey_error *error)
{
    marey_kept *kept = NULL;
    marey_status status = mry_read_kept(library, MAREY_KEPT_POLICY, name, &kept, error);
    bool untold = mry_is_told_elsewhere(status);
    if (!status) status = check_policy(library, kept, name, &untold, error);
    marey_kept_free(kept);
    return untold ? MAREY_OK : status;
}
