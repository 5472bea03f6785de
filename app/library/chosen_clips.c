/* chosen_clips.c - from names and labels to numbers of clips. */
#include "chosen_clips.h"

#include "clip_reading.h"

#include <string.h>

marey_status app_choose_clips(const app_env *env, const marey_listing *listing,
                              const app_texts *names, const char *label, app_chosen *out,
                              marey_error *error)
{
    int entry_count, count = 0, left_out = 0;
    const marey_entry *entries = marey_listing_entries(listing, &entry_count), *first = NULL;
    int64_t *clips = APP_NEW(env->scope, int64_t, names->count + entry_count);
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < names->count; i++) {
        const marey_entry *entry = app_listing_find(listing, names->values[i]);
        bool twice = false;
        if (!entry) return app_clip_missing(env, names->values[i], error);
        for (int k = 0; k < count; k++) twice |= clips[k] == entry->id;
        if (!twice) clips[count++] = entry->id;
    }
    for (int i = 0; i < entry_count && names->count == 0; i++) {
        bool meant = !label;
        for (int k = 0; k < entries[i].label_count && !meant; k++)
            meant = strcmp(entries[i].labels[k], label) == 0;
        if (!meant) continue;
        if (!first) first = &entries[i];
        if (strcmp(entries[i].skeleton, first->skeleton) == 0) {
            clips[count++] = entries[i].id;
        } else {
            left_out++;
        }
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
    *out = (app_chosen){ clips, count, left_out };
    return MAREY_OK;
}
