/* chosen_clips.c - from names and labels to numbers of clips. */
#include "chosen_clips.h"

#include "clip_reading.h"

#include <string.h>

bool app_next_labelled(const marey_entry *entry, const char *label, int *at, marey_part *out)
{
    bool whole = !label;
    for (int i = 0; i < entry->label_count && !whole; i++)
        whole = strcmp(entry->labels[i], label) == 0;
    if (whole && (*at)++ > 0) return false;
    if (whole) {
        *out = (marey_part){ entry->id, 0, entry->frames };
        return true;
    }
    while (*at < entry->stretch_count) {
        const marey_stretch *one = &entry->stretches[(*at)++];
        if (strcmp(one->label, label) != 0) continue;
        *out = (marey_part){ entry->id, one->start, one->end };
        return true;
    }
    return false;
}

marey_status app_choose_clips(const app_env *env, const marey_listing *listing,
                              const app_texts *names, const char *label, app_chosen *out,
                              marey_error *error)
{
    int entry_count, count = 0, left_out = 0;
    size_t room = 0;
    const marey_entry *entries = marey_listing_entries(listing, &entry_count), *first = NULL;
    for (int i = 0; i < entry_count; i++) room += 1 + (size_t)entries[i].stretch_count;
    marey_part *parts = APP_NEW(env->scope, marey_part, room);
    if (!parts) return app_fail_memory(error);
    for (int i = 0; i < names->count; i++) {
        const marey_entry *entry = app_listing_find(listing, names->values[i]);
        bool twice = false;
        if (!entry) return app_clip_missing(env, names->values[i], error);
        for (int k = 0; k < count; k++) twice |= parts[k].clip == entry->id;
        for (int at = 0; !twice && app_next_labelled(entry, label, &at, &parts[count]);) count++;
    }
    for (int i = 0; i < entry_count && names->count == 0; i++) {
        int at = 0;
        if (!app_next_labelled(&entries[i], label, &at, &parts[count])) continue;
        if (!first) first = &entries[i];
        if (strcmp(entries[i].skeleton, first->skeleton) != 0) {
            left_out++;
            continue;
        }
        do count++;
        while (app_next_labelled(&entries[i], label, &at, &parts[count]));
    }
    if (count == 0) {
        const char *path = marey_library_path(env->library);
        if (!label) {
            return app_fail(error, MAREY_ERR_REQUEST, path,
                            "this library has no clips; marey add puts some in");
        }
        return app_fail(error, MAREY_ERR_REQUEST, path,
                        "no clip has the label %.200s; marey ls shows the labels there are", label);
    }
    *out = (app_chosen){ parts, count, left_out };
    return MAREY_OK;
}
