/* change.c - renaming, labels, descriptions, removing and bringing back, each one transaction; and
   what a licence says in its name. */
#include "library/library_data.h"

#include "base/fail.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

marey_status marey_library_rename(marey_library *library, const char *name, const char *new_name,
                                  marey_error *error)
{
    char free_name[MRY_LONGEST_CLIP_NAME + 1];
    marey_named clip = { .id = 0 };
    marey_status status = mry_check_name(new_name, error);
    if (!status) status = mry_library_begin(library, error);
    if (status) return status;
    status = mry_clip_find(library, name, false, &clip, error);
    if (!status && strcmp(clip.name, new_name) != 0) {
        status = mry_free_name(library, new_name, free_name, sizeof free_name, error);
        if (!status && strcmp(free_name, new_name) != 0) {
            status = mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                              "there is a clip called %.100s already", new_name);
        }
        if (!status)
            status = mry_run_for(library, "UPDATE clip SET name = ?2 WHERE id = ?1", clip.id,
                                 new_name, error);
        if (!status) status = mry_update_words(library, clip.id, error);
    }
    mry_title(library, "rename %s to %s", clip.name, new_name);
    return mry_library_end(library, status, error);
}

/* Labels of a clip, or of frames [start, end) of it if `end` is not 0. */
static marey_status change_labels(marey_library *library, int64_t id, int start, int end,
                                  const char *const *labels, int count, bool on, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && !status; i++) {
        if (end)
            status = mry_label_frames(library, id, start, end, labels[i], on, error);
        else if (on)
            status = mry_add_label(library, id, labels[i], error);
        else
            status = mry_run_for(library, "DELETE FROM label WHERE clip = ?1 AND label = ?2", id,
                                 labels[i], error);
    }
    return status;
}

/* "label wave, left on" clips, or what else the change is to them. */
static void title_change(marey_library *library, const char *verb, const marey_edit_def *def,
                         int64_t clip, int count)
{
    char text[MRY_LONGEST_CLIP_NAME + 40];
    int labels = def->add_count ? def->add_count : def->drop_count;
    const char *first = def->add_count ? def->add[0] : def->drop_count ? def->drop[0] : "";
    if (!verb && labels > 0) {
        const char *end = def->add_count ? " on" : " off";
        if (labels == 1)
            snprintf(text, sizeof text, "%s %.200s%s", def->add_count ? "label" : "take label",
                     first, end);
        else
            snprintf(text, sizeof text, "%s %d labels%s", def->add_count ? "put" : "take", labels,
                     end);
    } else {
        snprintf(text, sizeof text, "%s",
                 verb               ? verb
                 : def->description ? "describe"
                 : def->licence     ? "set the licence of"
                                    : "change");
    }
    mry_title_clips(library, text, clip, count);
}

/* For each clip, by its name or by frames of it, runs `sql` (NULL: none) for its number, then
   changes it as `def` says. `verb` is what the history calls it (NULL: as `def` says). */
static marey_status change_clips(marey_library *library, const char *const *names,
                                 const marey_clip_range *frames, int count, const char *sql,
                                 const char *verb, const marey_edit_def *def, marey_error *error)
{
    int64_t last = 0; /* clip that was changed */
    int changed = 0;  /* clips, where several frames of one stand in a row */
    marey_status status = mry_library_begin(library, error);
    if (status) return status;
    for (int i = 0; i < def->add_count && !status; i++)
        status = mry_check_label(def->add[i], error);
    for (int i = 0; i < count && !status; i++) {
        int64_t id = 0;
        if (mry_cancelled(library->ctx)) {
            status = mry_fail_cancelled(error);
            break;
        }
        const char *name = frames ? frames[i].clip : names[i];
        int start = frames ? frames[i].start : 0, end = frames ? frames[i].end : 0;
        status = mry_clip_id(library, name, false, &id, error);
        if (!status && sql) status = mry_run_for(library, sql, id, NULL, error);
        if (!status && end && (def->description || def->licence)) {
            status = mry_fail(error, MAREY_ERR_REQUEST, name,
                              "a description or licence is for a whole clip, got frames %d-%d",
                              start, end);
        }
        if (!status)
            status =
                change_labels(library, id, start, end, def->drop, def->drop_count, false, error);
        if (!status)
            status = change_labels(library, id, start, end, def->add, def->add_count, true, error);
        if (status && end && error && !*error->path)
            snprintf(error->path, sizeof error->path, "%s", name);
        if (!status && def->description)
            status = mry_run_for(library, "UPDATE clip SET description = ?2 WHERE id = ?1", id,
                                 def->description, error);
        if (!status && def->licence)
            status = mry_run_for(library, "UPDATE clip SET licence = ?2 WHERE id = ?1", id,
                                 def->licence, error);
        if (!status) status = mry_update_words(library, id, error);
        changed += id != last;
        last = id;
    }
    title_change(library, verb, def, last, changed);
    return mry_library_end(library, status, error);
}

marey_status marey_library_edit(marey_library *library, const char *const *names, int count,
                                const marey_edit_def *def, marey_error *error)
{
    return change_clips(library, names, NULL, count, NULL, NULL, def, error);
}

marey_status marey_library_edit_frames(marey_library *library, const marey_clip_range *frames,
                                       int count, const marey_edit_def *def, marey_error *error)
{
    return change_clips(library, NULL, frames, count, NULL, NULL, def, error);
}

marey_status marey_library_label(marey_library *library, const char *const *names, int count,
                                 const char *label, bool on, marey_error *error)
{
    marey_edit_def add = { .add = &label, .add_count = 1 };
    marey_edit_def drop = { .drop = &label, .drop_count = 1 };
    marey_status status = mry_check_label(label, error);
    return status ? status : marey_library_edit(library, names, count, on ? &add : &drop, error);
}

marey_status marey_library_relabel(marey_library *library, const char *const *names, int count,
                                   const char *label, marey_error *error)
{
    marey_edit_def def = { .add = &label, .add_count = 1 };
    marey_status status = mry_check_label(label, error);
    if (status) return status;
    return change_clips(library, names, NULL, count, "DELETE FROM label WHERE clip = ?", NULL, &def,
                        error);
}

marey_status marey_library_remove(marey_library *library, const char *const *names, int count,
                                  marey_error *error)
{
    marey_edit_def def = { 0 };
    return change_clips(library, names, NULL, count, "UPDATE clip SET removed = 1 WHERE id = ?",
                        "remove", &def, error);
}

marey_status marey_library_restore_clips(marey_library *library, const char *const *names,
                                         int count, marey_named *restored, marey_error *error)
{
    int64_t last = 0;
    marey_status status = mry_library_begin(library, error);
    if (status) return status;
    for (int i = 0; i < count && !status; i++) {
        char old[MAREY_NAME_ROOM];
        marey_named clip;
        status = mry_clip_find(library, names[i], true, &clip, error);
        if (!status) {
            snprintf(old, sizeof old, "%s", clip.name);
            status = mry_free_name(library, old, clip.name, sizeof clip.name, error);
        }
        if (!status)
            status = mry_run_for(library, "UPDATE clip SET name = ?2, removed = 0 WHERE id = ?1",
                                 clip.id, clip.name, error);
        if (!status) status = mry_update_words(library, clip.id, error);
        if (!status && restored) restored[i] = clip;
        if (!status) last = clip.id;
    }
    mry_title_clips(library, "restore", last, count);
    return mry_library_end(library, status, error);
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
    if (!status) mry_copy_name(&got, got_name, room);
    return status;
}

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
