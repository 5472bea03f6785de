/* saved.h - what stays open: saved things, and clips that something is made of, which were
   opened from the library and are likely to be needed again. Read after env.h; a server of many
   requests owns a cache, operations open through it. */
#ifndef MAREY_APP_SAVED_H
#define MAREY_APP_SAVED_H

#include "env.h"

enum { APP_CACHE_MOST = 8, APP_CACHE_KEY_ROOM = 1024 };

typedef struct app_cached {
    char kind[16];
    char key[APP_CACHE_KEY_ROOM];
    int64_t version; /* of the library: in the next one clips and saved things may be others */
    app_scope scope; /* what it is opened into */
    void *object;    /* NULL: this place is free */
    int64_t weight;
    uint64_t used; /* when, by the cache's own count */
    bool old;      /* a newer one was opened */
} app_cached;

/* Of one thread. */
typedef struct app_cache {
    const marey_ctx_def *memory;
    int64_t most_weight; /* that is kept from request to request */
    app_cached entries[APP_CACHE_MOST];
    uint64_t count;
} app_cache;

/* How something is opened, and by what key it is found again. */
typedef struct app_opener {
    const char *kind, *key;
    size_t size; /* of the object, which is zeroed */
    /* Fills the object; what it points to goes into env->scope, which outlives what `user`
       points to. *weight: how much of the cache it takes. */
    marey_status (*open)(const app_env *env, const void *user, void *object, int64_t *weight,
                         marey_error *error);
    const void *user;
} app_opener;

/* Opens it, unless env->cache has it. It stays until app_cache_trim, or without a cache until
   the scope closes. A key that is too long is not found again. Fails as `open` does. */
marey_status app_cache_open(const app_env *env, const app_opener *opener, void **out,
                            marey_error *error);

/* How saved things of one kind are opened. */
typedef struct app_saved_kind {
    const char *kind; /* MAREY_KEPT_GRAPH */
    size_t size;      /* of the object, which is zeroed */
    /* Fills the object; what it points to goes into env->scope. *weight: how much of the cache
       it takes. */
    marey_status (*open)(const app_env *env, const char *name, void *object, int64_t *weight,
                         marey_error *error);
} app_saved_kind;

/* app_cache_open of the thing of this name. */
marey_status app_saved_open(const app_env *env, const app_saved_kind *kind, const char *name,
                            void **out, marey_error *error);

/* Between requests: what is old or too much goes, the least recently used first. */
void app_cache_trim(app_cache *cache);

/* Everything goes. It can be used again. */
void app_cache_clear(app_cache *cache);

#endif
