/* kept_made.c - registration curves, families, graphs and puppets in a library, with the clips they are of. All are bytes that
   their makers read, most of them only when the clips are there: a table says how. */
#include "library/kept_made.h"

#include "base/fail.h"

#include <inttypes.h>
#include <string.h>

static marey_status read_registration(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                      const marey_parts *parts, void **out, marey_error *error)
{
    marey_registration *made = NULL;
    marey_status status = marey_registration_read(ctx, bytes, size, parts->clips, parts->count,
                                                  parts->contacts, &made, error);
    *out = made;
    return status;
}

static void free_registration(void *made)
{
    marey_registration_free(made);
}

static marey_status read_family(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                const marey_parts *parts, void **out, marey_error *error)
{
    marey_family *made = NULL;
    marey_status status = marey_family_read(ctx, bytes, size, parts->clips, parts->count,
                                            parts->contacts, &made, error);
    *out = made;
    return status;
}

static void free_family(void *made)
{
    marey_family_free(made);
}

static const mry_maker registrations = { MAREY_KEPT_REGISTRATION, "registration", MRY_MOST_PARTS,
                                         read_registration, free_registration };
static const mry_maker families = { MAREY_KEPT_FAMILY, "family", MRY_MOST_PARTS, read_family,
                                    free_family };
static const mry_maker *const makers[] = { &registrations, &families, &mry_graph_maker,
                                           &mry_cluster_maker, &mry_puppet_maker };

/* None where its maker needs none. */
static marey_status open_parts(marey_library *library, const mry_maker *by, const marey_part *parts,
                               int count, marey_parts **out, marey_error *error)
{
    if (by->most == 0) return MAREY_OK;
    return mry_open_parts(library, parts, count, by->most, out, error);
}

/* ---- keeping ---------------------------------------------------------------------------------- */

/* Opens what will be kept as it will be opened later, so that what is kept can be had again. That takes as long as reading all
   its clips, and nobody else need wait for it: the motion of a clip never changes, and whether the clips are still there is asked
   again when it is kept. */
static marey_status try_it(marey_library *library, const mry_maker *by, const uint8_t *bytes,
                           size_t size, const marey_part *parts, int count, marey_error *error)
{
    marey_parts *opened = NULL;
    void *again = NULL;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = open_parts(library, by, parts, count, &opened, error);
    mry_store_rollback(library->store);
    if (status) return status;
    status = by->read(library->ctx, bytes, size, opened, &again, error);
    by->free(again);
    marey_parts_free(opened);
    if (marey_status_group(status) != MAREY_ERR_INPUT) return status;
    return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                    "this %s is not one of these parts of clips", by->word);
}

marey_status mry_keep_made(marey_library *library, const mry_maker *by, const char *name,
                           const uint8_t *bytes, size_t size, const marey_keep_def *def,
                           marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    marey_status status =
        mry_keep_pack(library, by->kind, name, bytes, size, def, &tmp, &packed, error);
    if (!status) status = try_it(library, by, bytes, size, def->parts, def->part_count, error);
    if (!status) status = mry_store_begin(library->store, error);
    if (!status) {
        status = mry_keep(library, by->kind, name, &packed, def, error);
        status = mry_library_end(library, status, error);
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_library_keep_registration(marey_library *library, const char *name,
                                             const marey_registration *registration,
                                             const marey_part *parts, const char *about,
                                             marey_error *error)
{
    marey_keep_def def = { .about = about,
                           .parts = parts,
                           .part_count = marey_registration_count(registration) };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_registration_write(registration, &bytes, &size, error);
    if (status) return status;
    status = mry_keep_made(library, &registrations, name, bytes, size, &def, error);
    marey_registration_bytes_free(library->ctx, bytes, size);
    return status;
}

marey_status marey_library_keep_family(marey_library *library, const char *name,
                                       const marey_family *family, const marey_part *parts,
                                       const char *about, marey_error *error)
{
    int count = marey_registration_count(marey_family_registration(family));
    marey_keep_def def = { .about = about, .parts = parts, .part_count = count };
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_family_write(family, &bytes, &size, NULL, error);
    if (status) return status;
    status = mry_keep_made(library, &families, name, bytes, size, &def, error);
    marey_family_bytes_free(library->ctx, bytes, size);
    return status;
}

/* ---- opening ---------------------------------------------------------------------------------- */

/* Says which clip is missing: by its name, or by its number where that is all that a purge has left of it. */
static marey_status check_clips(marey_library *library, const mry_maker *by,
                                const marey_kept_entry *entry, marey_error *error)
{
    for (int i = 0; i < entry->part_count; i++) {
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        int64_t id = entry->parts[i].clip;
        marey_error why;
        marey_status status = mry_clip_name(library, id, name, sizeof name, &removed, &why);
        if (status == MAREY_ERR_NOT_FOUND) {
            return mry_fail(error, MAREY_ERR_STALE, mry_store_path(library->store),
                            "the %s %.120s needs the clip #%" PRId64
                            ", which is not there any more",
                            by->word, entry->name, id);
        }
        if (status && error) *error = why;
        if (status) return status;
        if (removed) {
            return mry_fail(error, MAREY_ERR_STALE, mry_store_path(library->store),
                            "the %s %.120s needs the clip %.120s (number %" PRId64
                            "), which is removed; marey restore brings it back",
                            by->word, entry->name, name, id);
        }
    }
    return MAREY_OK;
}

/* Makers know no names. */
static marey_status read_named(marey_library *library, const mry_maker *by, const marey_kept *kept,
                               const marey_parts *parts, void **out, marey_error *error)
{
    int count;
    size_t size;
    marey_error why = { 0 };
    const uint8_t *bytes = marey_kept_bytes(kept, &size);
    marey_status status = by->read(library->ctx, bytes, size, parts, out, &why);
    if (marey_status_group(status) == MAREY_ERR_INPUT)
        return mry_fail(error, status, mry_store_path(library->store), "the %s %.120s: %.300s",
                        by->word, marey_kept_entries(kept, &count)->name, why.message);
    if (status && error) *error = why;
    return status;
}

static marey_status open_kept(marey_library *library, const mry_maker *by, const marey_kept *kept,
                              marey_parts **parts, void **out, marey_error *error)
{
    int count;
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    marey_parts *opened = NULL;
    marey_status status = by->most ? check_clips(library, by, entry, error) : MAREY_OK;
    if (!status) status = open_parts(library, by, entry->parts, entry->part_count, &opened, error);
    if (!status) status = read_named(library, by, kept, opened, out, error);
    if (status) {
        marey_parts_free(opened);
        return status;
    }
    *parts = opened;
    return MAREY_OK;
}

marey_status mry_open_inside(marey_library *library, const mry_maker *by, const char *name,
                             marey_parts **parts, void **out, marey_error *error)
{
    marey_kept *kept = NULL;
    marey_status status = mry_read_kept(library, by->kind, name, &kept, error);
    if (!status) status = open_kept(library, by, kept, parts, out, error);
    marey_kept_free(kept);
    return status;
}

marey_status mry_open_made(marey_library *library, const mry_maker *by, const char *name,
                           marey_parts **parts, void **out, marey_error *error)
{
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_open_inside(library, by, name, parts, out, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status marey_library_registration(marey_library *library, const char *name,
                                        marey_parts **parts, marey_registration **out,
                                        marey_error *error)
{
    void *made = NULL;
    marey_status status = mry_open_made(library, &registrations, name, parts, &made, error);
    if (!status) *out = made;
    return status;
}

marey_status marey_library_family(marey_library *library, const char *name, marey_parts **parts,
                                  marey_family **out, marey_error *error)
{
    void *made = NULL;
    marey_status status = mry_open_made(library, &families, name, parts, &made, error);
    if (!status) *out = made;
    return status;
}

/* ---- checking --------------------------------------------------------------------------------- */

/* A thing that cannot be read, or whose clips cannot be had, is for others to name, or no damage at all. */
bool mry_is_told_elsewhere(marey_status status)
{
    return marey_status_group(status) == MAREY_ERR_INPUT || status == MAREY_ERR_REQUEST ||
           status == MAREY_ERR_SHAPE || status == MAREY_ERR_LIMIT;
}

static marey_status check(marey_library *library, const mry_maker *by, const char *name,
                          marey_error *error)
{
    marey_kept *kept = NULL;
    marey_parts *parts = NULL;
    void *made = NULL;
    int count;
    size_t size;
    marey_status status = mry_read_kept(library, by->kind, name, &kept, error);
    if (!status) {
        const marey_kept_entry *entry = marey_kept_entries(kept, &count);
        status = open_parts(library, by, entry->parts, entry->part_count, &parts, error);
    }
    bool untold = mry_is_told_elsewhere(status);
    if (!status) {
        const uint8_t *bytes = marey_kept_bytes(kept, &size);
        status = by->read(library->ctx, bytes, size, parts, &made, error);
    }
    by->free(made);
    marey_parts_free(parts);
    marey_kept_free(kept);
    return untold ? MAREY_OK : status;
}

marey_status mry_check_made(marey_library *library, const char *kind, const char *name,
                            marey_error *error)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(kind, makers[i]->kind) == 0) return check(library, makers[i], name, error);
    }
    return strcmp(kind, MAREY_KEPT_POLICY) == 0 ? mry_check_policy(library, name, error) : MAREY_OK;
}
