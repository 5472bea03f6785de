/* chosen_clips.c - from names and labels to parts of clips on one body. */
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

marey_status app_onto_find(const app_env *env, const marey_listing *listing, const char *onto,
                           int64_t *out, marey_error *error)
{
    const marey_entry *entry = onto ? app_listing_find(listing, onto) : NULL;
    if (onto && !entry) return app_clip_missing(env, onto, error);
    *out = entry ? entry->id : 0;
    return MAREY_OK;
}

marey_status app_choose_clips(const app_env *env, const marey_listing *listing,
                              const app_texts *names, const char *label, const char *onto,
                              marey_parts **out, marey_error *error)
{
    int entry_count, count = 0;
    size_t room = 0;
    const marey_entry *entries = marey_listing_entries(listing, &entry_count);
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
    for (int i = 0; i < entry_count && names->count == 0; i++)
        for (int at = 0; app_next_labelled(&entries[i], label, &at, &parts[count]);) count++;
    if (count == 0) {
        const char *path = marey_library_path(env->library);
        if (!label) {
            return app_fail(error, MAREY_ERR_REQUEST, path,
                            "this library has no clips; marey add puts some in");
        }
        return app_fail(error, MAREY_ERR_REQUEST, path,
                        "no clip has the label %.200s; marey ls shows the labels there are", label);
    }
    marey_parts *opened = NULL;
    int64_t body = 0;
    marey_status status = app_onto_find(env, listing, onto, &body, error);
    if (status == MAREY_OK)
        status = marey_library_captured_parts(env->library, parts, count, body, &opened, error);
    if (status == MAREY_OK) status = app_own_parts(env, opened, error);
    if (status != MAREY_OK) return status;
    int left_out = opened->left_out_count;
    if (left_out > 0) {
        const marey_left_out *one = &opened->left_out[0];
        if (names->count > 0)
            return app_fail(error, MAREY_ERR_SHAPE, one->clip.name, "%s", one->why);
        app_warn(env, "%d clip%s of this library left out; %s", left_out, left_out == 1 ? "" : "s",
                 one->why);
    }
    *out = opened;
    return MAREY_OK;
}

void app_fits_write(json *out, const marey_parts *parts)
{
    json_open(out, "retargeted", '[');
    for (int i = 0; i < parts->count; i++) {
        const marey_retarget_result *how = &parts->fits[i].how;
        if (!parts->fits[i].retargeted) continue;
        if (i > 0 && parts->parts[i].clip == parts->parts[i - 1].clip) continue;
        json_open(out, NULL, '{');
        json_put_string(out, "clip", parts->names[i].name);
        json_put_integer(out, "id", parts->parts[i].clip);
        json_put_number(out, "leg_ratio", how->leg_ratio);
        json_put_number(out, "reach_percent", how->reach_percent);
        json_put_number(out, "slide_cm", how->clean.slide_after_cm);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (!parts->left_out) return;
    json_open(out, "left_out_clips", '[');
    for (int i = 0; i < parts->left_out_count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "clip", parts->left_out[i].clip.name);
        json_put_integer(out, "id", parts->left_out[i].clip.id);
        json_put_string(out, "why", parts->left_out[i].why);
        json_close(out, '}');
    }
    json_close(out, ']');
}
