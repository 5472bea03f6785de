/* kept_registration.c - registration curves in a library, with the clips they are of. */
#include "library/library_data.h"

#include "base/fail.h"

#include <inttypes.h>

static const char kind[] = MAREY_KEPT_REGISTRATION;

/* ---- keeping ---------------------------------------------------------------------------------- */

/* Opens what will be kept as it will be opened later, so that what is kept can be had again. */
static marey_status try_it(marey_library *library, const uint8_t *bytes, size_t size,
                           const marey_part *parts, int count, marey_error *error)
{
    marey_parts *opened = NULL;
    marey_registration *again = NULL;
    marey_status status = mry_open_parts(library, parts, count, &opened, error);
    if (status) return status;
    status = marey_registration_read(library->ctx, bytes, size, opened->clips, count,
                                     opened->contacts, &again, error);
    marey_registration_free(again);
    marey_parts_free(opened);
    if (status != MAREY_ERR_INPUT) return status;
    return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                    "this registration is not one of these parts of clips");
}

marey_status marey_library_keep_registration(marey_library *library, const char *name,
                                             const marey_registration *registration,
                                             const marey_part *parts, const char *about,
                                             marey_error *error)
{
    marey_keep_def def = { .about = about,
                           .parts = parts,
                           .part_count = marey_registration_count(registration) };
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_registration_write(registration, &bytes, &size, error);
    if (status) return status;
    status = mry_keep_pack(library, kind, name, bytes, size, &def, &tmp, &packed, error);
    if (!status) status = mry_store_begin(library->store, error);
    if (!status) {
        status = try_it(library, bytes, size, parts, def.part_count, error);
        if (!status) status = mry_keep(library, kind, name, &packed, &def, error);
        status = mry_library_end(library, status, error);
    }
    mry_arena_free(&tmp);
    marey_registration_bytes_free(library->ctx, bytes, size);
    return status;
}

/* ---- opening ---------------------------------------------------------------------------------- */

/* Says which clip is missing by the name it had, which only the kept thing may still know. */
static marey_status check_clips(marey_library *library, const marey_kept_entry *entry,
                                marey_error *error)
{
    for (int i = 0; i < entry->part_count; i++) {
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        int64_t id = entry->parts[i].clip;
        marey_error why;
        marey_status status = mry_clip_name(library, id, name, sizeof name, &removed, &why);
        if (status == MAREY_ERR_INPUT) {
            return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                            "the registration %.120s needs the clip %.120s (number %" PRId64
                            "), which is not there any more",
                            entry->name, entry->part_names[i], id);
        }
        if (status && error) *error = why;
        if (status) return status;
        if (removed) {
            return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                            "the registration %.120s needs the clip %.120s (number %" PRId64
                            "), which is removed; marey restore brings it back",
                            entry->name, name, id);
        }
    }
    return MAREY_OK;
}

static marey_status open_kept(marey_library *library, const marey_kept *kept, marey_parts **parts,
                              marey_registration **out, marey_error *error)
{
    int count;
    size_t size;
    const uint8_t *bytes = marey_kept_bytes(kept, &size);
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    marey_parts *opened = NULL;
    marey_status status = check_clips(library, entry, error);
    if (!status) status = mry_open_parts(library, entry->parts, entry->part_count, &opened, error);
    if (!status) {
        status = marey_registration_read(library->ctx, bytes, size, opened->clips, opened->count,
                                         opened->contacts, out, error);
    }
    if (status) {
        marey_parts_free(opened);
        return status;
    }
    *parts = opened;
    return MAREY_OK;
}

marey_status marey_library_registration(marey_library *library, const char *name,
                                        marey_parts **parts, marey_registration **out,
                                        marey_error *error)
{
    marey_kept *kept = NULL;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_read_kept(library, kind, name, &kept, error);
    if (!status) status = open_kept(library, kept, parts, out, error);
    mry_store_rollback(library->store);
    marey_kept_free(kept);
    return status;
}

/* ---- checking --------------------------------------------------------------------------------- */

/* A thing that cannot be read, or whose clips cannot be had, is for others to name, or no damage at all. */
marey_status mry_check_registration(marey_library *library, const char *name, marey_error *error)
{
    marey_kept *kept = NULL;
    marey_parts *parts = NULL;
    marey_registration *registration = NULL;
    int count;
    size_t size;
    marey_status status = mry_read_kept(library, kind, name, &kept, error);
    if (!status) {
        const marey_kept_entry *entry = marey_kept_entries(kept, &count);
        status = mry_open_parts(library, entry->parts, entry->part_count, &parts, error);
    }
    bool untold = status == MAREY_ERR_INPUT || status == MAREY_ERR_REQUEST ||
                  status == MAREY_ERR_SHAPE || status == MAREY_ERR_LIMIT;
    if (!status) {
        const uint8_t *bytes = marey_kept_bytes(kept, &size);
        status = marey_registration_read(library->ctx, bytes, size, parts->clips, parts->count,
                                         parts->contacts, &registration, error);
    }
    marey_registration_free(registration);
    marey_parts_free(parts);
    marey_kept_free(kept);
    return untold ? MAREY_OK : status;
}
