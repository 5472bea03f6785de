/* api_edit.c - everything that changes clips at once, without a job. The library knows clips by name, requests by
   number: a number is looked up right before. */
#include "api_common.h"

#include <string.h>

/* ---- the clips of a request --------------------------------------------------------------------- */

typedef struct clip_names {
    heap *memory;
    char (*texts)[API_NAME_ROOM];
    const char **names;
    bool *removed;
    int count;
} clip_names;

enum { NAME_BYTES = API_NAME_ROOM + sizeof(const char *) + sizeof(bool) };

static void names_free(clip_names *of)
{
    if (of->names) heap_resize(of->memory, of->names, (size_t)of->count * NAME_BYTES, 0);
}

/* One piece of memory: pointers, then texts, then flags. */
static bool names_make(clip_names *out, heap *memory, int count)
{
    void *piece = heap_resize(memory, NULL, 0, (size_t)count * NAME_BYTES);
    if (!piece) return false;
    *out = (clip_names){ .memory = memory, .names = piece, .count = count };
    out->texts = (void *)(out->names + count);
    out->removed = (bool *)(out->texts + count);
    return true;
}

/* The names of all clips of a body. 404 if there is none of a number, or it is removed unless that may be. */
static bool names_find(worker *by, const json_body *body, bool may_be_removed, clip_names *out,
                       answer *to)
{
    if (!names_make(out, &by->of->memory, body->clip_count)) {
        api_fail_memory(to);
        return false;
    }
    bool found = true;
    for (int i = 0; i < out->count && found; i++) {
        out->names[i] = out->texts[i];
        found = may_be_removed
                    ? api_name_even_removed(by, body->clips[i], out->texts[i], &out->removed[i], to)
                    : api_name(by, body->clips[i], out->texts[i], to);
    }
    if (!found) names_free(out);
    return found;
}

/* Ends a change: what came of it, and everybody is told. Takes `value` over. */
static void finish(worker *by, marey_status status, const marey_error *error, json_t *value,
                   answer *to)
{
    if (status == MAREY_OK) {
        api_changed(by);
        answer_json(to, 200, value);
    } else {
        json_decref(value);
        answer_fail(to, error);
    }
}

/* ---- labels and texts --------------------------------------------------------------------------- */

void api_edit(worker *by, asked *what, answer *to)
{
    unsigned allowed = FIELD_ADD | FIELD_DROP | FIELD_DESCRIPTION | FIELD_LICENCE;
    json_body body;
    clip_names all;
    marey_error error;
    if (!api_body(by, what, FIELD_CLIPS, allowed, &body, to)) return;
    if (names_find(by, &body, false, &all, to)) {
        marey_edit_def def = { .drop = body.drop,
                               .drop_count = body.drop_count,
                               .add = body.add,
                               .add_count = body.add_count,
                               .description = body.description,
                               .licence = body.licence };
        marey_status status = marey_library_edit(by->library, all.names, all.count, &def, &error);
        finish(by, status, &error, json_object(), to);
        names_free(&all);
    }
    json_body_free(&body);
}

void api_rename(worker *by, asked *what, answer *to)
{
    char name[API_NAME_ROOM];
    json_body body;
    marey_error error;
    if (!api_body(by, what, FIELD_NAME, 0, &body, to)) return;
    if (api_name(by, what->id, name, to)) {
        marey_status status = marey_library_rename(by->library, name, body.name, &error);
        json_t *value = json_object();
        describe_put(&value, "name", json_string(body.name));
        finish(by, status, &error, value, to);
    }
    json_body_free(&body);
}

/* ---- cutting ------------------------------------------------------------------------------------ */

static void cut(worker *by, const char *name, const json_body *body, answer *to)
{
    char got[API_NAME_ROOM];
    marey_error error;
    marey_listing *listing = NULL;
    json_t *value = json_object();
    marey_status status = marey_library_cut(by->library, name, body->start, body->end, body->name,
                                            got, sizeof got, &error);
    if (status == MAREY_OK) {
        api_changed(by); /* even if nothing more can be said about it */
        status = marey_library_list(by->library, NULL, &listing, &error);
    }
    if (status == MAREY_OK) {
        describe_put(&value, "id", json_integer(api_find_id(listing, got)));
        describe_put(&value, "name", describe_text(&by->of->memory, got));
    }
    marey_listing_free(listing);
    finish(by, status, &error, value, to);
}

void api_cut(worker *by, asked *what, answer *to)
{
    char name[API_NAME_ROOM];
    json_body body;
    if (!api_body(by, what, FIELD_START | FIELD_END | FIELD_NAME, 0, &body, to)) return;
    if (api_name(by, what->id, name, to)) cut(by, name, &body, to);
    json_body_free(&body);
}

/* ---- contacts ----------------------------------------------------------------------------------- */

/* What the clip has now: kept, or found in the motion. */
static marey_status tell_contacts(worker *by, int64_t id, const char *name, json_t **value,
                                  marey_error *error)
{
    const marey_clip *clip = NULL;
    feet_kept feet;
    marey_status status = worker_clip(by, id, NULL, 0, &clip, error);
    if (status == MAREY_OK) status = feet_find(by, name, clip, 0, INT32_MAX, &feet, error);
    if (status != MAREY_OK) return status;
    describe_put(value, "contacts", describe_contacts(feet.items, feet.count));
    describe_put(value, "contacts_set", json_boolean(feet.kept));
    feet_free(&feet);
    return MAREY_OK;
}

void api_contacts(worker *by, asked *what, answer *to)
{
    char name[API_NAME_ROOM];
    json_body body;
    marey_error error;
    if (!api_body(by, what, FIELD_CONTACTS, 0, &body, to)) return;
    if (api_name(by, what->id, name, to)) {
        json_t *value = json_object();
        marey_status status = marey_library_set_contacts(by->library, name, body.contacts,
                                                         body.contact_count, &error);
        if (status == MAREY_OK) {
            api_changed(by);
            status = tell_contacts(by, what->id, name, &value, &error);
        }
        finish(by, status, &error, value, to);
    }
    json_body_free(&body);
}

/* ---- removing and bringing back ----------------------------------------------------------------- */

void api_remove(worker *by, asked *what, answer *to)
{
    json_body body;
    clip_names all;
    marey_error error;
    if (!api_body(by, what, FIELD_CLIPS, 0, &body, to)) return;
    if (names_find(by, &body, false, &all, to)) {
        marey_status status = marey_library_remove(by->library, all.names, all.count, &error);
        finish(by, status, &error, json_object(), to);
        names_free(&all);
    }
    json_body_free(&body);
}

/* All are looked at before the first one is brought back, since each is a change of its own. */
static bool are_removed(const clip_names *all, const json_body *body, answer *to)
{
    for (int i = 0; i < all->count; i++) {
        if (all->removed[i]) continue;
        answer_refuse(to, 404, "input", "clip %lld, %s, is not removed", (long long)body->clips[i],
                      all->names[i]);
        return false;
    }
    return true;
}

static void restore(worker *by, const json_body *body, answer *to)
{
    char got[API_NAME_ROOM];
    marey_error error;
    marey_status status = MAREY_OK;
    json_t *value = json_object(), *clips = json_array();
    for (int i = 0; i < body->clip_count && status == MAREY_OK; i++) {
        status = marey_library_restore_clip(by->library, body->clips[i], got, sizeof got, &error);
        if (status != MAREY_OK) continue;
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(body->clips[i]));
        describe_put(&one, "name", describe_text(&by->of->memory, got));
        describe_append(&clips, one);
        api_changed(by);
    }
    describe_put(&value, "clips", clips);
    finish(by, status, &error, value, to);
}

void api_restore(worker *by, asked *what, answer *to)
{
    json_body body;
    clip_names all;
    if (!api_body(by, what, FIELD_CLIPS, 0, &body, to)) return;
    if (names_find(by, &body, true, &all, to)) {
        if (are_removed(&all, &body, to)) restore(by, &body, to);
        names_free(&all);
    }
    json_body_free(&body);
}

/* ---- for good ----------------------------------------------------------------------------------- */

static int count_named(const marey_listing *listing, const char *name)
{
    int count, found = 0;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) found += strcmp(entries[i].name, name) == 0;
    return found;
}

/* By its name a purge finds a clip in use first, and of several removed ones any. So a removed clip that shares its
   name is brought back under a name of its own before: should anything fail then, it is there and not gone. */
static marey_status make_names_plain(worker *by, const json_body *body, clip_names *all,
                                     marey_error *error)
{
    marey_listing *used = NULL, *removed = NULL;
    marey_status status = marey_library_list(by->library, NULL, &used, error);
    if (status == MAREY_OK) {
        status =
            marey_library_list(by->library, &(marey_list_def){ .removed = true }, &removed, error);
    }
    for (int i = 0; i < all->count && status == MAREY_OK; i++) {
        if (!all->removed[i]) continue;
        if (count_named(used, all->names[i]) + count_named(removed, all->names[i]) < 2) continue;
        status = marey_library_restore_clip(by->library, body->clips[i], all->texts[i],
                                            API_NAME_ROOM, error);
    }
    marey_listing_free(removed);
    marey_listing_free(used);
    return status;
}

void api_purge(worker *by, asked *what, answer *to)
{
    json_body body;
    clip_names all;
    marey_error error;
    if (!api_body(by, what, FIELD_CLIPS, 0, &body, to)) return;
    if (names_find(by, &body, true, &all, to)) {
        int purged = 0;
        json_t *value = json_object();
        marey_status status = make_names_plain(by, &body, &all, &error);
        if (status == MAREY_OK) {
            status = marey_library_purge(by->library, all.names, all.count, &purged, &error);
        }
        describe_put(&value, "purged", json_integer(purged));
        finish(by, status, &error, value, to);
        names_free(&all);
    }
    json_body_free(&body);
}
