/* saved.c - opening saved things once. Dragging a path asks for walk after walk through the same graph: opening it, with its
   clips, is done once, and again when the library has changed. Within a request nothing goes, so that what was opened can be
   used until its end. */
#include "saved.h"

#include <stdio.h>
#include <string.h>

static void drop(app_cached *entry)
{
    app_scope_close(&entry->scope);
    *entry = (app_cached){ .object = NULL };
}

static marey_status open_into(const app_env *env, const app_saved_kind *kind, const char *name,
                              void **object, int64_t *weight, marey_error *error)
{
    void *made = app_alloc(env->scope, 1, kind->size);
    if (!made) return app_fail_memory(error);
    marey_status status = kind->open(env, name, made, weight, error);
    if (status == MAREY_OK) *object = made;
    return status;
}

marey_status app_saved_open(const app_env *env, const app_saved_kind *kind, const char *name,
                            void **out, marey_error *error)
{
    app_cache *cache = env->cache;
    app_cached *place = NULL;
    int64_t version = 0, weight = 0;
    if (cache) {
        marey_status status = marey_library_version(env->library, &version, error);
        if (status != MAREY_OK) return status;
    }
    for (int i = 0; i < APP_CACHE_MOST && cache; i++) {
        app_cached *entry = &cache->entries[i];
        if (!entry->object) place = entry;
        if (!entry->object || strcmp(entry->kind, kind->kind) != 0 ||
            strcmp(entry->name, name) != 0)
            continue;
        if (entry->version == version) {
            entry->used = ++cache->count;
            *out = entry->object;
            return MAREY_OK;
        }
        entry->old = true;
    }
    /* Nor is there a cache where all its places are taken within one request, nor for a name that is too long to be one. */
    if (!place || strlen(name) >= sizeof place->name)
        return open_into(env, kind, name, out, &weight, error);
    *place = (app_cached){ .version = version,
                           .scope = app_scope_open(cache->memory),
                           .used = ++cache->count };
    snprintf(place->kind, sizeof place->kind, "%s", kind->kind);
    snprintf(place->name, sizeof place->name, "%s", name);
    app_env inside = *env;
    inside.scope = &place->scope;
    inside.cache = NULL;
    marey_status status = open_into(&inside, kind, name, &place->object, &place->weight, error);
    if (status != MAREY_OK) {
        drop(place);
        return status;
    }
    *out = place->object;
    return MAREY_OK;
}

void app_cache_trim(app_cache *cache)
{
    for (;;) {
        app_cached *least = NULL;
        int64_t weight = 0;
        int count = 0;
        for (int i = 0; i < APP_CACHE_MOST; i++) {
            app_cached *entry = &cache->entries[i];
            if (!entry->object) continue;
            if (entry->old) {
                drop(entry);
                continue;
            }
            weight += entry->weight;
            count++;
            if (!least || entry->used < least->used) least = entry;
        }
        /* One place stays free for the next request. */
        if (!least || (weight <= cache->most_weight && count < APP_CACHE_MOST)) return;
        drop(least);
    }
}

void app_cache_clear(app_cache *cache)
{
    for (int i = 0; i < APP_CACHE_MOST; i++) drop(&cache->entries[i]);
}
