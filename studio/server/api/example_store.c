/* example_store.c - sets of fragments, opened once. Two locks: a short one around the list, so that
   who finds a set open is never kept waiting, and a long one for the thread that opens: the store's
   context and library belong to one thread at a time. */
#include "example_store.h"

#include "searching_inside.h"

#include <string.h>

typedef struct example_kept {
    struct example_kept *next; /* the one that was used before it */
    int holders;
    bool listed;               /* otherwise the last holder frees it */
    int64_t version;           /* of the library */
    app_scope scope;           /* that all of it lives in */
    app_example_choice choice; /* what it was opened for */
    app_example_set set;
} example_kept;

struct example_store {
    studio_worker self; /* under `opening` */
    pthread_mutex_t lock, opening;
    example_kept *first; /* the one that was used last */
    int64_t known_version;
    studio_bytes known; /* of that version; empty: nothing */
};

/* ---- one set --------------------------------------------------------------------------------- */

static void free_kept(heap *memory, example_kept *kept)
{
    app_scope_close(&kept->scope);
    heap_resize(memory, kept, sizeof *kept, 0);
}

static bool copy_query(example_kept *kept, const app_example_choice *choice)
{
    marey_dof *dofs = APP_NEW(&kept->scope, marey_dof, choice->dof_count);
    int64_t *clips = choice->clips ? APP_NEW(&kept->scope, int64_t, choice->clip_count) : NULL;
    const char *label = choice->label ? app_copy(&kept->scope, choice->label) : NULL;
    if (!dofs || (choice->clips && !clips) || (choice->label && !label)) return false;
    memcpy(dofs, choice->dofs, (size_t)choice->dof_count * sizeof *dofs);
    if (clips) memcpy(clips, choice->clips, (size_t)choice->clip_count * sizeof *clips);
    kept->choice = *choice;
    kept->choice.dofs = dofs;
    kept->choice.clips = clips;
    kept->choice.libraries = NULL; /* the store's own */
    kept->choice.label = label;
    return true;
}

static bool same_query(const app_example_choice *a, const app_example_choice *b)
{
    if (a->dof_count != b->dof_count || a->def.noise != b->def.noise ||
        a->def.shape != b->def.shape || a->def.plain != b->def.plain || !a->label != !b->label ||
        !a->clips != !b->clips || a->clip_count != b->clip_count || a->without != b->without)
        return false;
    for (int i = 0; i < a->dof_count; i++) {
        if (a->dofs[i].channel != b->dofs[i].channel ||
            strcmp(a->dofs[i].joint, b->dofs[i].joint) != 0)
            return false;
    }
    if (a->label && strcmp(a->label, b->label) != 0) return false;
    return !a->clips || memcmp(a->clips, b->clips, (size_t)a->clip_count * sizeof *a->clips) == 0;
}

/* ---- the list, under its lock ---------------------------------------------------------------- */

/* *link leads to the one that goes. */
static void unlist(example_store *store, example_kept **link)
{
    example_kept *one = *link;
    *link = one->next;
    one->listed = false;
    if (one->holders == 0) free_kept(&store->self.of->memory, one);
}

static example_kept *look(example_store *store, const app_example_choice *choice, int64_t version)
{
    example_kept *found = NULL;
    pthread_mutex_lock(&store->lock);
    for (example_kept **at = &store->first; *at && !found; at = &(*at)->next) {
        if ((*at)->version != version || !same_query(&(*at)->choice, choice)) continue;
        found = *at;
        *at = found->next;
        found->next = store->first;
        store->first = found;
        found->holders++;
        break;
    }
    pthread_mutex_unlock(&store->lock);
    return found;
}

/* What is of another state of the library, and what is too much, goes: the list is in the order of
   use. */
static void keep(example_store *store, example_kept *made)
{
    int count = 0;
    size_t size = 0;
    pthread_mutex_lock(&store->lock);
    made->holders++;
    made->next = store->first;
    made->listed = true;
    store->first = made;
    for (example_kept **at = &store->first; *at;) {
        size_t more = marey_examples_bytes((*at)->set.examples) +
                      (size_t)(*at)->set.clip_count * (sizeof(marey_named) + sizeof(int));
        bool stays = (*at)->version == made->version && count < LIMIT_EXAMPLE_SETS &&
                     size + more <= LIMIT_EXAMPLE_BYTES;
        if (stays) {
            count++;
            size += more;
            at = &(*at)->next;
        } else {
            unlist(store, at);
        }
    }
    pthread_mutex_unlock(&store->lock);
}

void example_store_make_room(example_store *store)
{
    if (!store) return;
    pthread_mutex_lock(&store->lock);
    for (example_kept **at = &store->first; *at;) {
        if ((*at)->holders == 0)
            unlist(store, at);
        else
            at = &(*at)->next;
    }
    bytes_free(&store->known);
    pthread_mutex_unlock(&store->lock);
}

bool example_store_recall(studio_worker *worker, int64_t version, studio_bytes *out)
{
    example_store *store = worker->of->searching->examples;
    pthread_mutex_lock(&store->lock);
    bool known = store->known.count > 0 && store->known_version == version;
    if (known) bytes_add(out, store->known.data, store->known.count);
    pthread_mutex_unlock(&store->lock);
    return known && !out->failed;
}

void example_store_remember(studio_worker *worker, int64_t version, const studio_bytes *text)
{
    example_store *store = worker->of->searching->examples;
    pthread_mutex_lock(&store->lock);
    bytes_free(&store->known);
    bytes_add(&store->known, text->data, text->count);
    if (store->known.failed) bytes_free(&store->known);
    store->known_version = version;
    pthread_mutex_unlock(&store->lock);
}

int example_store_count(example_store *store)
{
    int count = 0;
    pthread_mutex_lock(&store->lock);
    for (const example_kept *one = store->first; one; one = one->next) count++;
    pthread_mutex_unlock(&store->lock);
    return count;
}

/* ---- opening --------------------------------------------------------------------------------- */

marey_status example_store_open(shared *common, example_store **out, marey_error *error)
{
    example_store *made = heap_resize(&common->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    memset(made, 0, sizeof *made);
    made->known.memory = &common->memory;
    marey_status status = worker_open(&made->self, common, 1, NULL, error);
    if (status != MAREY_OK) {
        heap_resize(&common->memory, made, sizeof *made, 0);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->opening, NULL);
    *out = made;
    return MAREY_OK;
}

void example_store_stop(example_store *store)
{
    marey_ctx_cancel(store->self.ctx);
}

void example_store_close(example_store *store)
{
    if (!store) return;
    heap *memory = &store->self.of->memory;
    while (store->first) unlist(store, &store->first);
    bytes_free(&store->known);
    worker_close(&store->self);
    pthread_mutex_destroy(&store->opening);
    pthread_mutex_destroy(&store->lock);
    heap_resize(memory, store, sizeof *store, 0);
}

static marey_status open_set(example_store *store, const app_example_choice *choice,
                             example_kept **out, marey_error *error)
{
    shared *common = store->self.of;
    example_kept *made = heap_resize(&common->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    *made = (example_kept){ .scope = app_scope_open(&common->allocator) };
    app_env env = { .ctx = store->self.ctx, .library = store->self.library, .scope = &made->scope };
    worker_begin(&store->self);
    marey_status status = marey_library_version(env.library, &made->version, error);
    if (status == MAREY_OK) status = app_check(!copy_query(made, choice), error);
    if (status == MAREY_OK) status = app_example_open(&env, choice, &made->set, error);
    marey_ctx_limit_time(store->self.ctx, 0); /* what it was stopped for, who asked finds out */
    if (status == MAREY_OK)
        *out = made;
    else
        free_kept(&common->memory, made);
    return status;
}

typedef struct hold {
    example_store *store;
    example_kept *kept;
} hold;

static void release_hold(void *object)
{
    const hold *mine = object;
    pthread_mutex_lock(&mine->store->lock);
    bool last = --mine->kept->holders == 0 && !mine->kept->listed;
    pthread_mutex_unlock(&mine->store->lock);
    if (last) free_kept(&mine->store->self.of->memory, mine->kept);
}

marey_status example_store_use(void *user, app_scope *scope, const app_example_choice *choice,
                               app_example_set *out, marey_error *error)
{
    studio_worker *worker = user;
    example_store *store = worker->of->searching->examples;
    int64_t version = 0;
    bool fresh = false;
    hold *holding = APP_NEW(scope, hold, 1);
    if (!holding) return app_fail_memory(error);
    marey_status status = marey_library_version(worker->library, &version, error);
    if (status != MAREY_OK) return status;
    example_kept *found = look(store, choice, version);
    if (!found) {
        pthread_mutex_lock(&store->opening);
        found = look(store, choice, version); /* it may have been opened while this one waited */
        fresh = !found;
        if (fresh) status = open_set(store, choice, &found, error);
        if (fresh && status == MAREY_ERR_MEMORY) {
            worker_make_room(worker); /* what is kept only saves time, so it makes way */
            status = open_set(store, choice, &found, error);
        }
        if (fresh && status == MAREY_OK) keep(store, found);
        pthread_mutex_unlock(&store->opening);
    }
    if (status != MAREY_OK) return status;
    *out = found->set;
    if (!fresh) out->opening_s = 0;
    *holding = (hold){ store, found };
    return app_own(scope, holding, release_hold, error);
}
