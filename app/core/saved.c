/* saved.c - opening things once. Dragging a path asks for walk after walk through the same graph:
   opening it, with its clips, is done once, and again when the library has changed. Within a
   request nothing goes, so that what was opened can be used until its end. */
#include "saved.h"

#include <stdio.h>
#include <string.h>

static void drop(app_cached *entry)
{
    app_scope_close(&entry->scope);
    *entry = (app_cached){ .object = NULL };
}

static marey_status open_into(const app_env *env, const app_opener *opener, void **object,
                              int64_t *weight, marey_error *error)
{
    void *made = app_alloc(env->scope, 1, opener->size);
    if (!made) return app_fail_memory(error);
    marey_status status = opener->open(env, opener->user, made, weight, error);
    if (status == MAREY_OK) *object = made;
    return status;
}

marey_status app_cache_open(const app_env *env, const app_opener *opener, void **out,
                            marey_error *error)
{
    app_cache *cache = env->library ? env->cache : NULL;
    app_cached *place = NULL;
    int64_t version = 0, weight = 0;
    if (cache) {
        marey_status status = marey_library_version(env->library, &version, error);
        if (status != MAREY_OK) return status;
    }
    for (int i = 0; i < APP_CACHE_MOST && cache; i++) {
        app_cached *entry = &cache->entries[i];
        if (!entry->object) place = entry;
        if (!entry->object || strcmp(entry->kind, opener->kind) != 0 ||
            strcmp(entry->key, opener->key) != 0)
            continue;
        if (entry->version == version) {
            entry->used = ++cache->count;
            *out = entry->object;
            return MAREY_OK;
        }
        entry->old = true;
    }
    /* Nor is there a cache where all its places are taken within one request. */
    if (!place || strlen(opener->key) >= sizeof place->key)
        return open_into(env, opener, out, &weight, error);
    *place = (app_cached){ .version = version,
                           .scope = app_scope_open(cache->memory),
                           .used = ++cache->count };
    snprintf(place->kind, sizeof place->kind, "%s", opener->kind);
    snprintf(place->key, sizeof place->key, "%s", opener->key);
    app_env inside = *env;
    inside.scope = &place->scope;
    inside.cache = NULL;
    marey_status status = open_into(&inside, opener, &place->object, &place->weight, error);
    if (status != MAREY_OK) {
        drop(place);
        return status;
    }
    *out = place->object;
    return MAREY_OK;
}

typedef struct named {
    const app_saved_kind *kind;
    const char *name;
} named;

static marey_status open_named(const app_env *env, const void *user, void *object, int64_t *weight,
                               marey_error *error)
{
    const named *of = user;
    return of->kind->open(env, of->name, object, weight, error);
}

marey_status app_saved_open(const app_env *env, const app_saved_kind *kind, const char *name,
                            void **out, marey_error *error)
{
    named of = { kind, name };
    app_opener opener = { kind->kind, name, kind->size, open_named, &of };
    return app_cache_open(env, &opener, out, error);
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
