/* describe_kept.c - see describe_kept.h. */
#include "describe_kept.h"

void describe_noted_text(heap *memory, const json_t *about, const char *key, json_t **to)
{
    const char *text = json_string_value(json_object_get(about, key));
    describe_put(to, key, text ? describe_text(memory, text) : json_null());
}

void describe_noted_number(const json_t *about, const char *key, json_t **to)
{
    const json_t *value = json_object_get(about, key);
    describe_put(to, key,
                 json_is_number(value) ? describe_number(json_number_value(value)) : json_null());
}

void describe_noted_whole(const json_t *about, const char *key, json_t **to)
{
    const json_t *value = json_object_get(about, key);
    describe_put(to, key,
                 json_is_integer(value) ? json_integer(json_integer_value(value)) : json_null());
}

json_t *describe_kept_clips(studio_worker *worker, const marey_kept_entry *entry)
{
    json_t *list = json_array();
    for (int i = 0; i < entry->part_count; i++) {
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        int64_t id = entry->parts[i].clip;
        if (i > 0 && entry->parts[i - 1].clip == id) continue;
        marey_status status =
            marey_library_name(worker->library, id, name, sizeof name, &removed, NULL);
        const char *called = status == MAREY_OK ? name : entry->part_names[i];
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(id));
        describe_put(&one, "name", describe_text(&worker->of->memory, called));
        describe_put(&one, "removed", json_boolean(removed || status != MAREY_OK));
        describe_append(&list, one);
    }
    return list;
}
