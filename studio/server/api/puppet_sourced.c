/* puppet_sourced.c - the clips that a behaviour was trained on. */
#include "puppet_sourced.h"

#include "json_inside.h"
#include "provenance_text.h"

#include <stdio.h>
#include <string.h>

const char *puppet_sourced_next(const puppet_sourced *of, size_t *at, const char **licence)
{
    if (of->texts.failed || *at >= of->texts.count) return NULL;
    const char *all = (const char *)of->texts.data, *name = all + *at;
    *licence = name + strlen(name) + 1;
    *at = (size_t)(*licence + strlen(*licence) + 1 - all);
    return name;
}

void puppet_sourced_add(puppet_sourced *to, const char *name, const char *licence)
{
    size_t at = 0;
    const char *other, *terms;
    if (!*licence) return;
    while ((other = puppet_sourced_next(to, &at, &terms)))
        if (strcmp(other, name) == 0 && strcmp(terms, licence) == 0) return;
    bytes_add(&to->texts, name, strlen(name) + 1);
    bytes_add(&to->texts, licence, strlen(licence) + 1);
    to->count++;
}

marey_status puppet_sourced_kept(puppet_sourced *to, studio_worker *worker, const char *puppet,
                                 marey_error *error)
{
    marey_puppet_sources *sources = NULL;
    int count = 0;
    marey_status status = marey_library_puppet_sources(worker->library, puppet, &sources, error);
    if (status != MAREY_OK) return status;
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    for (int i = 0; i < count; i++) puppet_sourced_add(to, items[i].name, items[i].licence);
    marey_puppet_sources_free(sources);
    return to->texts.failed ? json_fail_memory(error) : MAREY_OK;
}

marey_status puppet_sourced_clip(puppet_sourced *to, studio_worker *worker, int64_t clip,
                                 marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(worker->library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entry = provenance_entry(listing, clip);
    if (entry) puppet_sourced_add(to, entry->name, entry->licence);
    marey_listing_free(listing);
    return to->texts.failed ? json_fail_memory(error) : MAREY_OK;
}

marey_puppet_source *puppet_sourced_list(const puppet_sourced *of)
{
    size_t at = 0, room = (size_t)of->count * sizeof(marey_puppet_source);
    marey_puppet_source *items = room ? heap_resize(of->texts.memory, NULL, 0, room) : NULL;
    for (int i = 0; items && i < of->count; i++)
        items[i].name = puppet_sourced_next(of, &at, &items[i].licence);
    return items;
}

/* ---- in words ----------------------------------------------------------------------------------- */

json_t *describe_sources(const puppet_sourced *of)
{
    json_t *list = json_array();
    size_t at = 0;
    for (const char *name, *licence; (name = puppet_sourced_next(of, &at, &licence));) {
        json_t *one = json_object();
        describe_put(&one, "clip", describe_text(of->texts.memory, name));
        describe_put(&one, "licence", describe_text(of->texts.memory, licence));
        describe_append(&list, one);
    }
    return list;
}

json_t *describe_licences(const puppet_sourced *of)
{
    studio_bytes joined = { .memory = of->texts.memory };
    size_t at = 0;
    provenance_licence(&joined, "");
    for (const char *licence; puppet_sourced_next(of, &at, &licence);)
        provenance_licence(&joined, licence);
    json_t *value =
        joined.failed ? NULL : describe_text(of->texts.memory, (const char *)joined.data);
    bytes_free(&joined);
    return value;
}

void describe_limits(const puppet_sourced *of, json_t **notes)
{
    size_t at = 0;
    for (const char *name, *licence; (name = puppet_sourced_next(of, &at, &licence));) {
        char text[512];
        if (!marey_licence_is_non_commercial(licence)) continue;
        snprintf(text, sizeof text, "%.200s: for non-commercial use only: its licence is %.200s",
                 name, licence);
        describe_append(notes, describe_text(of->texts.memory, text));
    }
}
