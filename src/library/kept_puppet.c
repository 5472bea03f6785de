/* kept_puppet.c - behaviours in a library. One that was trained on the paths of clips says which they were, and needs none of
   them: a path once learned is its own. Their licences go with it. */
#include "library/kept_made.h"

static marey_status read_puppet(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                const marey_parts *parts, void **out, marey_error *error)
{
    (void)parts;
    marey_puppet *made = NULL;
    marey_status status = marey_puppet_read(ctx, bytes, size, &made, error);
    *out = made;
    return status;
}

static void free_puppet(void *made)
{
    marey_puppet_free(made);
}

const mry_maker mry_puppet_maker = { MAREY_KEPT_PUPPET, "puppet", 0, read_puppet, free_puppet };

marey_status marey_library_keep_puppet_from(marey_library *library, const char *name,
                                            const marey_puppet *puppet,
                                            const marey_puppet_source *sources, int source_count,
                                            const marey_part *parts, int part_count,
                                            const char *about, marey_error *error)
{
    marey_keep_def def = { .about = about, .parts = parts, .part_count = part_count };
    mry_arena tmp = mry_arena_make(library->ctx);
    const marey_puppet_source *all = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int count = 0;
    marey_status status = mry_puppet_sources_of(library, parts, part_count, sources, source_count,
                                                &tmp, &all, &count, error);
    if (!status) status = marey_puppet_write_from(puppet, all, count, &bytes, &size, error);
    if (!status) status = mry_keep_made(library, &mry_puppet_maker, name, bytes, size, &def, error);
    marey_graph_bytes_free(library->ctx, bytes, size);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_library_keep_puppet(marey_library *library, const char *name,
                                       const marey_puppet *puppet, const marey_part *parts,
                                       int part_count, const char *about, marey_error *error)
{
    return marey_library_keep_puppet_from(library, name, puppet, NULL, 0, parts, part_count, about,
                                          error);
}

marey_status marey_library_puppet(marey_library *library, const char *name, marey_puppet **out,
                                  marey_error *error)
{
    marey_parts *none = NULL;
    void *made = NULL;
    marey_status status = mry_open_made(library, &mry_puppet_maker, name, &none, &made, error);
    if (!status) *out = made;
    return status;
}
