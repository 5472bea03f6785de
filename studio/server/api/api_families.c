/* api_families.c - what can be asked of motions, and the families that the library keeps. */
#include "family_kept.h"

#include <stdio.h>
#include <string.h>

/* ---- features ----------------------------------------------------------------------------------- */

static json_t *describe_kind(const marey_param_kind *kind)
{
    json_t *one = json_object(), *axes = json_array();
    for (int d = 0; d < kind->dims; d++) describe_append(&axes, json_string(kind->axes[d]));
    describe_put(&one, "name", json_string(kind->name));
    describe_put(&one, "form", json_string(kind->form));
    describe_put(&one, "about", json_string(kind->about));
    describe_put(&one, "unit", json_string(kind->unit));
    describe_put(&one, "dims", json_integer(kind->dims));
    describe_put(&one, "axes", axes);
    describe_put(&one, "whole", json_boolean(kind->whole));
    return one;
}

static void add_word(json_t **to, const char *name, const char *about)
{
    json_t *one = json_object();
    describe_put(&one, "name", json_string(name));
    describe_put(&one, "about", json_string(about));
    describe_append(to, one);
}

static json_t *describe_amounts(void)
{
    static const char *const abouts[MAREY_AMOUNT_COUNT] = {
        [MAREY_AMOUNT_MEAN] = "on the mean, over the whole motion",
        [MAREY_AMOUNT_LEAST] = "where it is least",
        [MAREY_AMOUNT_GREATEST] = "where it is greatest",
    };
    json_t *list = json_array();
    for (int i = 0; i < MAREY_AMOUNT_COUNT; i++) {
        add_word(&list, marey_param_amount_name((marey_param_amount)i), abouts[i]);
    }
    return list;
}

void api_features(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_t *value = json_object(), *features = json_array(), *moments = json_array(),
           *places = json_array();
    const marey_param_kind *kind;
    (void)worker;
    (void)request;
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) {
        describe_append(&features, describe_kind(kind));
    }
    for (int i = MAREY_WHEN_NONE + 1; i < MAREY_WHEN_COUNT; i++) {
        const char *about = NULL, *name = marey_param_when_name((marey_param_when)i, &about);
        add_word(&moments, name, about);
    }
    for (int i = 0; i < MAREY_FROM_COUNT; i++) {
        const char *about = NULL, *name = marey_param_from_name((marey_param_from)i, &about);
        add_word(&places, name, about);
    }
    describe_put(&value, "features", features);
    describe_put(&value, "moments", moments);
    describe_put(&value, "places", places);
    describe_put(&value, "amounts", describe_amounts());
    answer_json(response, 200, value);
}

/* ---- the list ----------------------------------------------------------------------------------- */

/* "position(right_wrist, apex, start).x", as the family itself calls it. */
static void add_dims(heap *memory, const char *feature, json_t **to)
{
    marey_param param;
    char text[512];
    if (marey_param_parse(feature, &param, NULL) != MAREY_OK) return;
    for (int d = 0; d < param.kind->dims; d++) {
        json_t *one = json_object();
        snprintf(text, sizeof text, "%s%s%s", feature, param.kind->dims > 1 ? "." : "",
                 param.kind->dims > 1 ? param.kind->axes[d] : "");
        describe_put(&one, "name", describe_text(memory, text));
        describe_put(&one, "unit", json_string(param.kind->unit));
        describe_append(to, one);
    }
}

/* From what was noted when it was built: the family is not opened, so that those whose clips are gone are listed too. */
static void put_about(heap *memory, const char *text, json_t **to)
{
    json_t *about = json_loads(text, 0, NULL), *features = json_array(), *dims = json_array();
    const json_t *named = json_object_get(about, "features");
    const json_t *samples = json_object_get(about, "samples");
    for (size_t i = 0; i < json_array_size(named); i++) {
        const char *feature = json_string_value(json_array_get(named, i));
        if (!feature) continue;
        describe_append(&features, describe_text(memory, feature));
        add_dims(memory, feature, &dims);
    }
    describe_put(to, "features", features);
    describe_put(to, "dims", dims);
    describe_put(to, "samples",
                 json_is_integer(samples) ? json_integer(json_integer_value(samples))
                                          : json_null());
    json_decref(about);
}

/* A clip that was purged has only the name it had. */
static json_t *describe_clip(studio_worker *worker, const marey_kept_entry *entry, int i)
{
    char name[MAREY_NAME_ROOM];
    bool removed = false;
    const marey_part *part = &entry->parts[i];
    marey_status status =
        marey_library_name(worker->library, part->clip, name, sizeof name, &removed, NULL);
    json_t *one = json_object();
    describe_put(&one, "id", json_integer(part->clip));
    describe_put(
        &one, "name",
        describe_text(&worker->of->memory, status == MAREY_OK ? name : entry->part_names[i]));
    describe_put(&one, "start", json_integer(part->start));
    describe_put(&one, "end", json_integer(part->end));
    describe_put(&one, "removed", json_boolean(removed || status != MAREY_OK));
    return one;
}

static json_t *describe_entry_of(studio_worker *worker, const marey_kept_entry *entry)
{
    json_t *value = json_object(), *clips = json_array();
    for (int i = 0; i < entry->part_count; i++) {
        describe_append(&clips, describe_clip(worker, entry, i));
    }
    describe_put(&value, "name", describe_text(&worker->of->memory, entry->name));
    put_about(&worker->of->memory, entry->about, &value);
    describe_put(&value, "examples", json_integer(entry->part_count));
    describe_put(&value, "clips", clips);
    return value;
}

void api_families(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_kept *kept = NULL;
    marey_error error;
    int count = 0;
    (void)request;
    if (marey_library_kept_list(worker->library, MAREY_KEPT_FAMILY, &kept, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object(), *families = json_array();
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count; i++) {
        describe_append(&families, describe_entry_of(worker, &entries[i]));
    }
    describe_put(&value, "families", families);
    marey_kept_free(kept);
    answer_json(response, 200, value);
}

/* ---- one of them -------------------------------------------------------------------------------- */

void api_family(studio_worker *worker, studio_request *request, studio_response *response)
{
    const char *name = asked_query(request, "name");
    struct family_kept *of = NULL;
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name says which family");
        return;
    }
    if (family_open(worker, name, &of, &error) == MAREY_OK) {
        answer_json(response, 200,
                    describe_family(&worker->of->memory, of->name, of->family, of->parts));
    } else {
        answer_fail(response, &error);
    }
    family_let_go(worker);
}
