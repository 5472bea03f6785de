/* artifact_kinds.c - registration curves, families, graphs, policies, cluster graphs and puppets in
   a library. All are bytes that their makers read, most of them only when the clips are there. A
   policy has the name of its graph and goes when that does: what it says of one graph is nonsense
   for another. A puppet that was trained on the paths of clips says which they were, and needs none
   of them: a path once learned is its own. Their licences go with it. */
#include "library/library_data.h"

#include "base/fail.h"
#include "puppet/puppet_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is kept; each kind has its own member. */
typedef union artifact {
    marey_registration *registration;
    marey_family *family;
    marey_graph *graph;
    marey_clusters *clusters;
    marey_puppet *puppet;
} artifact;

typedef enum artifact_kind {
    REGISTRATION,
    FAMILY,
    GRAPH,
    CLUSTERS,
    PUPPET,
    KIND_COUNT
} artifact_kind;

static const struct {
    const char *name;
    const char *word; /* for messages */
    int most;         /* parts; 0: it is read without them, whether or not they are there */
} kinds[KIND_COUNT] = {
    [REGISTRATION] = { MAREY_KEPT_REGISTRATION, "registration", MRY_MOST_PARTS },
    [FAMILY] = { MAREY_KEPT_FAMILY, "family", MRY_MOST_PARTS },
    [GRAPH] = { MAREY_KEPT_GRAPH, "graph", MAREY_GRAPH_MOST_CLIPS },
    [CLUSTERS] = { MAREY_KEPT_CLUSTERS, "cluster graph", MAREY_GRAPH_MOST_CLIPS },
    [PUPPET] = { MAREY_KEPT_PUPPET, "puppet", 0 },
};

static marey_status artifact_read(marey_ctx *ctx, artifact_kind kind, const uint8_t *bytes,
                                  size_t size, const marey_parts *parts, artifact *out,
                                  marey_error *error)
{
    switch (kind) {
    case REGISTRATION:
        return marey_registration_read(ctx, bytes, size, parts->clips, parts->count,
                                       parts->contacts, &out->registration, error);
    case FAMILY:
        return marey_family_read(ctx, bytes, size, parts->clips, parts->count, parts->contacts,
                                 &out->family, error);
    case GRAPH:
        return marey_graph_read(ctx, bytes, size, parts->clips, parts->count, parts->contacts,
                                &out->graph, error);
    case CLUSTERS:
        return marey_clusters_read(ctx, bytes, size, parts->clips, parts->count, &out->clusters,
                                   error);
    default: return marey_puppet_read(ctx, bytes, size, &out->puppet, error);
    }
}

static void artifact_free(artifact_kind kind, artifact made)
{
    switch (kind) {
    case REGISTRATION: marey_registration_free(made.registration); return;
    case FAMILY: marey_family_free(made.family); return;
    case GRAPH: marey_graph_free(made.graph); return;
    case CLUSTERS: marey_clusters_free(made.clusters); return;
    default: marey_puppet_free(made.puppet); return;
    }
}

/* None where its maker needs none. */
static marey_status open_parts(marey_library *library, artifact_kind kind, const marey_part *parts,
                               int count, int64_t onto, marey_parts **out, marey_error *error)
{
    if (kinds[kind].most == 0) return MAREY_OK;
    return mry_open_parts(library, parts, count, kinds[kind].most, onto, out, error);
}

/* Saves what its maker wrote as `bytes`, which are taken over, also on failure. By one transaction,
   once it was opened as it will be later, so that it can be had again. That takes as long as
   reading all its clips, and no other writer need wait for it: whether the clips are still there is
   checked again when it is saved. */
static marey_status keep_made(marey_library *library, artifact_kind kind, const char *name,
                              uint8_t *bytes, size_t size, const marey_keep_def *def,
                              marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    marey_parts *opened = NULL;
    artifact again = { 0 };
    marey_status status =
        mry_keep_pack(library, kinds[kind].name, name, bytes, size, def, &tmp, &packed, error);
    if (!status) {
        status = mry_store_snapshot(library->store, error);
        for (int i = def->onto ? -1 : 0; i < def->part_count && !status; i++)
            status = mry_check_seen(library, i < 0 ? def->onto : def->parts[i].clip, NULL, error);
        if (!status)
            status =
                open_parts(library, kind, def->parts, def->part_count, def->onto, &opened, error);
        mry_store_rollback(library->store);
    }
    if (!status) {
        status = artifact_read(library->ctx, kind, bytes, size, opened, &again, error);
        artifact_free(kind, again);
        marey_parts_free(opened);
        if (marey_status_group(status) == MAREY_ERR_INPUT) {
            status = mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                              "this %s is not one of these parts of clips", kinds[kind].word);
        }
    }
    if (!status) status = mry_library_begin(library, error);
    if (!status) {
        status = mry_keep(library, kinds[kind].name, name, &packed, def, error);
        status = mry_library_end(library, status, error);
    }
    mry_arena_free(&tmp);
    mry_release(library->ctx, bytes, size);
    return status;
}

marey_status marey_library_keep_registration(marey_library *library, const char *name,
                                             const marey_registration *registration,
                                             const marey_part *parts, const char *about,
                                             marey_error *error)
{
    marey_keep_def def = { about, parts, marey_registration_count(registration), 0 };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_registration_write(registration, &bytes, &size, error);
    return status ? status : keep_made(library, REGISTRATION, name, bytes, size, &def, error);
}

marey_status marey_library_keep_family(marey_library *library, const char *name,
                                       const marey_family *family, const marey_part *parts,
                                       int64_t onto, const char *about, marey_error *error)
{
    marey_keep_def def = { about, parts,
                           marey_registration_count(marey_family_registration(family)), onto };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_family_write(family, &bytes, &size, NULL, error);
    return status ? status : keep_made(library, FAMILY, name, bytes, size, &def, error);
}

marey_status marey_library_keep_graph(marey_library *library, const char *name,
                                      const marey_graph *graph, const marey_part *parts,
                                      int64_t onto, const char *about, marey_error *error)
{
    marey_keep_def def = { about, parts, marey_graph_clip_count(graph), onto };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_graph_write(graph, &bytes, &size, error);
    return status ? status : keep_made(library, GRAPH, name, bytes, size, &def, error);
}

marey_status marey_library_keep_clusters(marey_library *library, const char *name,
                                         const marey_clusters *clusters, const marey_part *parts,
                                         int64_t onto, const char *about, marey_error *error)
{
    marey_keep_def def = { about, parts, marey_clusters_clip_count(clusters), onto };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_clusters_write(clusters, &bytes, &size, error);
    return status ? status : keep_made(library, CLUSTERS, name, bytes, size, &def, error);
}

/* Says which clip is missing or changed: by its name, or by its number where that is all that a
   purge has left of it. */
static marey_status check_clips(marey_library *library, const char *word,
                                const marey_kept_entry *entry, marey_error *error)
{
    for (int i = entry->onto ? -1 : 0; i < entry->part_count; i++) {
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        int64_t id = i < 0 ? entry->onto : entry->parts[i].clip;
        marey_error why;
        marey_status status = mry_clip_name(library, id, name, sizeof name, &removed, &why);
        if (status == MAREY_ERR_NOT_FOUND) {
            return mry_fail(error, MAREY_ERR_STALE, mry_store_path(library->store),
                            "the %s %.120s needs the clip #%" PRId64
                            ", which is not there any more",
                            word, entry->name, id);
        }
        if (status && error) *error = why;
        if (status) return status;
        if (removed) {
            return mry_fail(error, MAREY_ERR_STALE, mry_store_path(library->store),
                            "the %s %.120s needs the clip %.120s (number %" PRId64
                            "), which is removed; marey restore brings it back",
                            word, entry->name, name, id);
        }
    }
    if (!entry->stale) return MAREY_OK;
    char name[MAREY_NAME_ROOM] = "";
    mry_query row = mry_query_with(
        library->store,
        "SELECT clip.name FROM kept JOIN kept_part ON kept = kept.id JOIN clip ON clip.id = clip"
        " WHERE kept.kind = ? AND kept.name = ? AND clip.layer_sum <> kept_part.layer_sum"
        " ORDER BY place LIMIT 1",
        mry_text(entry->kind), mry_text(entry->name));
    if (mry_query_next(&row)) snprintf(name, sizeof name, "%s", mry_column_text(&row, 0));
    marey_status status = mry_query_end(&row, error);
    if (status) return status;
    return mry_fail(error, MAREY_ERR_STALE, mry_store_path(library->store),
                    "the %s %.120s is made of the clip %.120s, which was repaired, set or "
                    "mapped otherwise since; build it again",
                    word, entry->name, name);
}

/* Opens a kept thing with its parts, inside a snapshot or transaction. */
static marey_status open_inside(marey_library *library, artifact_kind kind, const char *name,
                                marey_parts **parts, artifact *out, marey_error *error)
{
    const char *word = kinds[kind].word;
    marey_kept *kept = NULL;
    marey_parts *opened = NULL;
    int count;
    marey_status status = mry_read_kept(library, kinds[kind].name, name, &kept, error);
    if (status) return status;
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    if (kinds[kind].most) status = check_clips(library, word, entry, error);
    if (!status)
        status =
            open_parts(library, kind, entry->parts, entry->part_count, entry->onto, &opened, error);
    if (!status) {
        size_t size;
        marey_error why = { 0 };
        const uint8_t *bytes = marey_kept_bytes(kept, &size);
        status = artifact_read(library->ctx, kind, bytes, size, opened, out, &why);
        if (marey_status_group(status) == MAREY_ERR_INPUT) {
            /* makers know no names */
            mry_fail(error, status, mry_store_path(library->store), "the %s %.120s: %.300s", word,
                     entry->name, why.message);
        } else if (status && error) {
            *error = why;
        }
    }
    marey_kept_free(kept);
    if (status) {
        marey_parts_free(opened);
        return status;
    }
    *parts = opened;
    return MAREY_OK;
}

/* *out: a pointer to what the kind is. */
static marey_status open_made(marey_library *library, artifact_kind kind, const char *name,
                              marey_parts **parts, void *out, marey_error *error)
{
    artifact made = { 0 };
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = open_inside(library, kind, name, parts, &made, error);
    mry_store_rollback(library->store);
    if (!status) memcpy(out, &made, sizeof made);
    return status;
}

marey_status marey_library_registration(marey_library *library, const char *name,
                                        marey_parts **parts, marey_registration **out,
                                        marey_error *error)
{
    return open_made(library, REGISTRATION, name, parts, out, error);
}

marey_status marey_library_family(marey_library *library, const char *name, marey_parts **parts,
                                  marey_family **out, marey_error *error)
{
    return open_made(library, FAMILY, name, parts, out, error);
}

marey_status marey_library_graph(marey_library *library, const char *name, marey_parts **parts,
                                 marey_graph **out, marey_error *error)
{
    return open_made(library, GRAPH, name, parts, out, error);
}

marey_status marey_library_clusters(marey_library *library, const char *name, marey_parts **parts,
                                    marey_clusters **out, marey_error *error)
{
    return open_made(library, CLUSTERS, name, parts, out, error);
}

/* Reads it with the graph that is kept now. *opened: that could be had. */
static marey_status try_policy(marey_library *library, const char *name, const uint8_t *bytes,
                               size_t size, bool *opened, marey_error *error)
{
    marey_parts *parts = NULL;
    artifact made = { 0 };
    marey_policy *policy = NULL;
    marey_status status = open_inside(library, GRAPH, name, &parts, &made, error);
    *opened = !status;
    if (status) return status;
    status = marey_policy_read(library->ctx, bytes, size, made.graph, &policy, error);
    marey_policy_free(policy);
    marey_graph_free(made.graph);
    marey_parts_free(parts);
    return status;
}

marey_status marey_library_keep_policy(marey_library *library, const char *name,
                                       const marey_policy *policy, const char *about,
                                       marey_error *error)
{
    marey_keep_def def = { .about = about };
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    uint8_t *bytes = NULL;
    size_t size = 0;
    bool opened = false;
    marey_status status = marey_policy_write(policy, &bytes, &size, error);
    if (!status) {
        status = mry_keep_pack(library, MAREY_KEPT_POLICY, name, bytes, size, &def, &tmp, &packed,
                               error);
    }
    if (!status) status = mry_library_begin(library, error);
    if (!status) {
        status = try_policy(library, name, bytes, size, &opened, error);
        if (opened && marey_status_group(status) == MAREY_ERR_INPUT) {
            status = mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                              "this policy is not one of the graph %.120s", name);
        }
        if (!status) status = mry_keep(library, MAREY_KEPT_POLICY, name, &packed, &def, error);
        status = mry_library_end(library, status, error);
    }
    marey_graph_bytes_free(library->ctx, bytes, size);
    mry_arena_free(&tmp);
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

/* The clips that a puppet was trained on, and their licences: those that are in the library as it
   has them now, those that are gone as they were. */
typedef struct gathering {
    marey_library *library;
    mry_arena *mem;
    marey_puppet_source *items; /* there is room for all that may come */
    int count;
} gathering;

static bool has(const gathering *list, const char *name, const char *licence)
{
    for (int i = 0; i < list->count; i++) {
        const marey_puppet_source *one = &list->items[i];
        if (strcmp(one->name, name) == 0 && strcmp(one->licence, licence) == 0) return true;
    }
    return false;
}

/* Each once; one without a licence has nothing to be remembered for. */
static void add(gathering *list, const char *name, const char *licence)
{
    if (!*licence || has(list, name, licence)) return;
    list->items[list->count++] = (marey_puppet_source){ name, licence };
}

/* *name: what it is called; NULL if it was purged. */
static marey_status add_clip(gathering *list, int64_t id, const char **name, marey_error *error)
{
    mry_query query = mry_query_with(
        list->library->store, "SELECT name, licence FROM clip WHERE id = ?", mry_integer(id));
    const char *licence = NULL;
    *name = NULL;
    bool there = mry_query_next(&query);
    if (there) {
        *name = mry_column_copy(&query, 0, list->mem);
        licence = mry_column_copy(&query, 1, list->mem);
    }
    bool fits = !there || (*name && licence);
    marey_status status = mry_query_end(&query, error);
    if (!status && !fits) return mry_fail_memory(error, NULL);
    if (!status && there) add(list, *name, licence);
    return status;
}

static bool is_called(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (names[i] && strcmp(names[i], name) == 0) return true;
    }
    return false;
}

marey_status marey_library_puppet_sources(marey_library *library, const char *name,
                                          marey_puppet_sources **out, marey_error *error)
{
    marey_kept *kept = NULL;
    marey_puppet_sources *written = NULL;
    const marey_kept_entry *entry = NULL;
    const marey_puppet_source *items = NULL;
    const char **once = NULL; /* what clips that are there were called */
    int count = 0;
    mry_arena tmp = mry_arena_make(library->ctx);
    gathering list = { .library = library, .mem = &tmp };
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_read_kept(library, MAREY_KEPT_PUPPET, name, &kept, error);
    if (!status) {
        size_t size;
        const uint8_t *bytes = marey_kept_bytes(kept, &size);
        entry = marey_kept_entries(kept, &count);
        status = marey_puppet_sources_read(library->ctx, bytes, size, &written, error);
    }
    if (!status) {
        items = marey_puppet_sources_list(written, &count);
        once = MRY_NEW(&tmp, const char *, entry->part_count + 1);
        list.items = MRY_NEW(&tmp, marey_puppet_source, entry->part_count + count + 1);
        if (!once || !list.items) status = mry_fail_memory(error, NULL);
    }
    for (int i = 0; !status && i < entry->part_count; i++) {
        const char *now;
        status = add_clip(&list, entry->parts[i].clip, &now, error);
        once[i] = now ? entry->part_names[i] : NULL;
    }
    /* What a clip that is there was once called, and what its licence was, is of no use any
       more. */
    for (int i = 0; i < count && !status; i++) {
        if (!is_called(once, entry->part_count, items[i].name))
            add(&list, items[i].name, items[i].licence);
    }
    if (!status) status = mry_puppet_sources_make(library->ctx, list.items, list.count, out, error);
    mry_store_rollback(library->store);
    marey_puppet_sources_free(written);
    marey_kept_free(kept);
    mry_arena_free(&tmp);
    return status;
}

/* The clips of the parts that have a licence, and then `sources`, each once. */
marey_status marey_library_keep_puppet_from(marey_library *library, const char *name,
                                            const marey_puppet *puppet,
                                            const marey_puppet_source *sources, int source_count,
                                            const marey_part *parts, int part_count,
                                            const char *about, marey_error *error)
{
    marey_keep_def def = { .about = about, .parts = parts, .part_count = part_count };
    mry_arena tmp = mry_arena_make(library->ctx);
    gathering list = { .library = library, .mem = &tmp };
    const char **names = MRY_NEW(&tmp, const char *, part_count + 1);
    uint8_t *bytes = NULL;
    size_t size = 0;
    list.items = MRY_NEW(&tmp, marey_puppet_source, part_count + source_count + 1);
    marey_status status = names && list.items ? mry_store_snapshot(library->store, error)
                                              : mry_fail_memory(error, NULL);
    for (int i = 0; i < part_count && !status; i++)
        status = add_clip(&list, parts[i].clip, &names[i], error);
    mry_store_rollback(library->store);
    for (int i = 0; i < source_count && !status; i++) {
        /* One that is called as a part is, on other terms, is another clip, and must not be taken
           for that part when the sources are asked for. */
        const char *called = sources[i].name, *licence = sources[i].licence;
        if (*licence && !has(&list, called, licence) && is_called(names, part_count, called))
            called = mry_arena_print(&tmp, "%s (another)", called);
        if (called)
            add(&list, called, licence);
        else
            status = mry_fail_memory(error, NULL);
    }
    if (!status)
        status = marey_puppet_write_from(puppet, list.items, list.count, &bytes, &size, error);
    if (!status) status = keep_made(library, PUPPET, name, bytes, size, &def, error);
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
    return open_made(library, PUPPET, name, &none, out, error);
}

/* A thing that fails to read, or whose clips are missing, is reported where that belongs, or is no
   damage at all. */
static bool is_named_elsewhere(marey_status status)
{
    return marey_status_group(status) == MAREY_ERR_INPUT || status == MAREY_ERR_REQUEST ||
           status == MAREY_ERR_SHAPE || status == MAREY_ERR_LIMIT;
}

marey_status mry_check_made(marey_library *library, const char *kind, const char *name,
                            marey_error *error)
{
    int row = 0;
    while (row < KIND_COUNT && strcmp(kind, kinds[row].name) != 0) row++;
    bool policy = strcmp(kind, MAREY_KEPT_POLICY) == 0;
    if (row == KIND_COUNT && !policy) return MAREY_OK;
    marey_kept *kept = NULL;
    marey_parts *parts = NULL;
    artifact made = { 0 };
    size_t size;
    marey_status status = mry_read_kept(library, kind, name, &kept, error);
    if (!status && !policy) {
        int count;
        const marey_kept_entry *entry = marey_kept_entries(kept, &count);
        /* It is not of the clips that there are now. */
        if (entry->stale && kinds[row].most > 0) {
            marey_kept_free(kept);
            return MAREY_OK;
        }
        status = open_parts(library, (artifact_kind)row, entry->parts, entry->part_count,
                            entry->onto, &parts, error);
    }
    bool elsewhere = is_named_elsewhere(status);
    if (!status && policy) {
        bool opened = false;
        const uint8_t *bytes = marey_kept_bytes(kept, &size);
        status = try_policy(library, name, bytes, size, &opened, error);
        elsewhere = !opened && is_named_elsewhere(status);
    } else if (!status) {
        const uint8_t *bytes = marey_kept_bytes(kept, &size);
        status = artifact_read(library->ctx, (artifact_kind)row, bytes, size, parts, &made, error);
        artifact_free((artifact_kind)row, made);
        /* A family by a feature that a program lends, which is not here. */
        elsewhere = row == FAMILY && status == MAREY_ERR_REQUEST;
    }
    marey_parts_free(parts);
    marey_kept_free(kept);
    return elsewhere ? MAREY_OK : status;
}
