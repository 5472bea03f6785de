/* change.c - renaming, labels, descriptions, removing and bringing back, each one transaction; and what a licence says in its name. */
#include "library/library_data.h"

#include "base/fail.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What a change does inside its transaction. */
typedef struct change {
    marey_library *library;
    const char *const *names;
    int count;
    const char *text;
    const marey_edit_def *edit;
    marey_named *restored; /* names[i] became restored[i]; NULL: not asked for */
} change;

typedef marey_status (*change_step)(change *all, marey_error *error);

static marey_status in_transaction(change *all, change_step step, marey_error *error)
{
    marey_status status = mry_store_begin(all->library->store, error);
    if (status) return status;
    status = step(all, error);
    return mry_library_end(all->library, status, error);
}

/* Runs a statement whose parameters are a text and a clip's id. */
static marey_status set_text(marey_library *library, const char *sql, const char *text, int64_t id,
                             marey_error *error)
{
    mry_query query = mry_query_start(library->store, sql);
    mry_bind_text(&query, 1, text);
    mry_bind_integer(&query, 2, id);
    mry_query_next(&query);
    return mry_query_end(&query, error);
}

static marey_status run_for(marey_library *library, const char *sql, int64_t id, marey_error *error)
{
    mry_query query = mry_query_start(library->store, sql);
    mry_bind_integer(&query, 1, id);
    mry_query_next(&query);
    return mry_query_end(&query, error);
}

/* ---- names and texts --------------------------------------------------------------------------- */

static marey_status rename_step(change *all, marey_error *error)
{
    char free_name[MRY_LONGEST_CLIP_NAME + 1];
    marey_named clip;
    marey_status status = mry_clip_find(all->library, all->names[0], false, &clip, error);
    if (status || strcmp(clip.name, all->text) == 0) return status;
    status = mry_free_name(all->library, all->text, free_name, sizeof free_name, error);
    if (!status && strcmp(free_name, all->text) != 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(all->library->store),
                        "there is a clip called %.100s already", all->text);
    }
    if (!status) {
        status = set_text(all->library, "UPDATE clip SET name = ? WHERE id = ?", all->text, clip.id,
                          error);
    }
    return status ? status : mry_update_words(all->library, clip.id, error);
}

marey_status marey_library_rename(marey_library *library, const char *name, const char *new_name,
                                  marey_error *error)
{
    change all = { .library = library, .names = &name, .count = 1, .text = new_name };
    marey_status status = mry_check_name(new_name, error);
    return status ? status : in_transaction(&all, rename_step, error);
}

static marey_status edit_step(change *all, marey_error *error)
{
    static const char drop_label[] = "DELETE FROM label WHERE label = ? AND clip = ?";
    static const char set_description[] = "UPDATE clip SET description = ? WHERE id = ?";
    static const char set_licence[] = "UPDATE clip SET licence = ? WHERE id = ?";
    marey_library *library = all->library;
    const marey_edit_def *def = all->edit;
    marey_status status = MAREY_OK;
    for (int i = 0; i < def->add_count && !status; i++) {
        status = mry_check_label(def->add[i], error);
    }
    for (int i = 0; i < all->count && !status; i++) {
        int64_t id = 0;
        if (mry_cancelled(library->ctx)) return mry_fail_cancelled(error);
        status = mry_clip_id(library, all->names[i], false, &id, error);
        for (int k = 0; k < def->drop_count && !status; k++)
            status = set_text(library, drop_label, def->drop[k], id, error);
        for (int k = 0; k < def->add_count && !status; k++)
            status = mry_add_label(library, id, def->add[k], error);
        if (!status && def->description)
            status = set_text(library, set_description, def->description, id, error);
        if (!status && def->licence)
            status = set_text(library, set_licence, def->licence, id, error);
        if (!status) status = mry_update_words(library, id, error);
    }
    return status;
}

marey_status marey_library_edit(marey_library *library, const char *const *names, int count,
                                const marey_edit_def *def, marey_error *error)
{
    change all = { .library = library, .names = names, .count = count, .edit = def };
    return in_transaction(&all, edit_step, error);
}

marey_status marey_library_label(marey_library *library, const char *const *names, int count,
                                 const char *label, bool on, marey_error *error)
{
    marey_edit_def def = { 0 };
    marey_status status = mry_check_label(label, error);
    if (status) return status;
    if (on) {
        def.add = &label;
        def.add_count = 1;
    } else {
        def.drop = &label;
        def.drop_count = 1;
    }
    return marey_library_edit(library, names, count, &def, error);
}

static marey_status relabel_step(change *all, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        int64_t id = 0;
        status = mry_clip_id(all->library, all->names[i], false, &id, error);
        if (!status) status = run_for(all->library, "DELETE FROM label WHERE clip = ?", id, error);
        if (!status) status = mry_add_label(all->library, id, all->text, error);
        if (!status) status = mry_update_words(all->library, id, error);
    }
    return status;
}

marey_status marey_library_relabel(marey_library *library, const char *const *names, int count,
                                   const char *label, marey_error *error)
{
    change all = { .library = library, .names = names, .count = count, .text = label };
    marey_status status = mry_check_label(label, error);
    return status ? status : in_transaction(&all, relabel_step, error);
}

/* ---- removing and bringing back ---------------------------------------------------------------- */

static marey_status remove_step(change *all, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        int64_t id = 0;
        status = mry_clip_id(all->library, all->names[i], false, &id, error);
        if (!status)
            status = run_for(all->library, "UPDATE clip SET removed = 1 WHERE id = ?", id, error);
        if (!status) status = mry_update_words(all->library, id, error);
    }
    return status;
}

marey_status marey_library_remove(marey_library *library, const char *const *names, int count,
                                  marey_error *error)
{
    change all = { .library = library, .names = names, .count = count };
    return in_transaction(&all, remove_step, error);
}

static marey_status restore_step(change *all, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        marey_named clip;
        status = mry_clip_find(all->library, all->names[i], true, &clip, error);
        char old[MAREY_NAME_ROOM];
        if (!status) {
            snprintf(old, sizeof old, "%s", clip.name);
            status = mry_free_name(all->library, old, clip.name, sizeof clip.name, error);
        }
        if (!status) {
            status = set_text(all->library, "UPDATE clip SET name = ?, removed = 0 WHERE id = ?",
                              clip.name, clip.id, error);
        }
        if (!status) status = mry_update_words(all->library, clip.id, error);
        if (!status && all->restored) all->restored[i] = clip;
    }
    return status;
}

marey_status marey_library_restore_clips(marey_library *library, const char *const *names,
                                         int count, marey_named *restored, marey_error *error)
{
    change all = { .library = library, .names = names, .count = count, .restored = restored };
    return in_transaction(&all, restore_step, error);
}

marey_status marey_library_restore(marey_library *library, const char *const *names, int count,
                                   marey_error *error)
{
    return marey_library_restore_clips(library, names, count, NULL, error);
}

marey_status marey_library_restore_clip(marey_library *library, int64_t id, char *got_name,
                                        size_t room, marey_error *error)
{
    char text[24];
    const char *name = text;
    marey_named got;
    snprintf(text, sizeof text, "#%" PRId64, id);
    marey_status status = marey_library_restore_clips(library, &name, 1, &got, error);
    if (!status) mry_tell_name(&got, got_name, room);
    return status;
}

/* ---- licences ---------------------------------------------------------------------------------- */

bool marey_licence_is_non_commercial(const char *licence)
{
    static const char *const words[] = { "nc", "non-commercial", "noncommercial",
                                         "non commercial" };
    for (const char *at = licence; *at; at++) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t length = strlen(words[i]);
            bool alone = (at == licence || !isalnum((unsigned char)at[-1])) &&
                         strncasecmp(at, words[i], length) == 0 &&
                         !isalnum((unsigned char)at[length]);
            if (alone) return true;
        }
    }
    return false;
}
