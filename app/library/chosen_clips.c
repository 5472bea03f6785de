/* chosen_clips.c - from names and labels to numbers of clips. */
#include "chosen_clips.h"

#include "clip_reading.h"

#include <string.h>

static marey_status choose_named(const app_env *env, const marey_listing *listing,
                                 const app_texts *names, int64_t *clips, int *count,
                                 marey_error *error)
{
    for (int i = 0; i < names->count; i++) {
        const char *name = names->values[i];
        const marey_entry *entry = app_listing_find(listing, name);
        if (!entry) {
            /* The library says which name is nearest. */
            marey_clip *clip = NULL;
            marey_status status = marey_library_load(env->library, name, &clip, error);
            marey_clip_free(clip);
            if (status != MAREY_OK) return status;
            return app_fail(error, MAREY_ERR_REQUEST, name, "clip added a moment ago; retry");
        }
        bool twice = false;
        for (int k = 0; k < *count; k++) twice |= clips[k] == entry->id;
        if (!twice) clips[(*count)++] = entry->id;
    }
    return MAREY_OK;
}

marey_status app_choose_clips(const app_env *env, const marey_listing *listing,
                              const app_texts *names, const char *label, app_chosen *out,
                              marey_error *error)
{
    int entry_count, count = 0, left_out = 0;
    const marey_entry *entries = marey_listing_entries(listing, &entry_count), *first = NULL;
    int64_t *clips = APP_NEW(env->scope, int64_t, names->count + entry_count);
    if (!clips) return app_fail_memory(error);
    if (names->count > 0) {
        marey_status status = choose_named(env, listing, names, clips, &count, error);
        if (status != MAREY_OK) return status;
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
