/* example_store.c - sets of fragments, opened once. Two locks: a short one around the list, so that who finds a set open is
   never kept waiting, and a long one for the thread that opens: the store's context and library belong to one thread at a time. */
#include "example_store.h"

#include "searching_inside.h"

#include <string.h>

typedef struct example_kept {
    struct example_kept *next; /* the one that was used before it */
    int holders;
    bool listed;             /* otherwise the last holder frees it */
    int64_t version;         /* of the library */
    app_scope scope;         /* that all of it lives in */
    app_example_choice wish; /* what it was opened for */
    app_example_set set;
} example_kept;

struct example_store {
    studio_worker self; /* under `opening` */
    pthread_mutex_t lock, opening;
    example_kept *first; /* the one that was used last */
    int64_t told_version;
    studio_bytes told; /* of that version; empty: nothing */
};

/* ---- one set ------------------------------------------------------------------------------------ */

static void free_kept(heap *memory, example_kept *of)
{
    app_scope_close(&of->scope);
    heap_resize(memory, of, sizeof *of, 0);
}

static bool copy_wish(example_kept *of, const app_example_choice *wish)
{
    marey_dof *dofs = APP_NEW(&of->scope, marey_dof, wish->dof_count);
    int64_t *clips = wish->clips ? APP_NEW(&of->scope, int64_t, wish->clip_count) : NULL;
    const char *label = wish->label ? app_copy(&of->scope, wish->label) : NULL;
    if (!dofs || (wish->clips && !clips) || (wish->label && !label)) return false;
    memcpy(dofs, wish->dofs, (size_t)wish->dof_count * sizeof *dofs);
    if (clips) memcpy(clips, wish->clips, (size_t)wish->clip_count * sizeof *clips);
    of->wish = *wish;
    of->wish.dofs = dofs;
    of->wish.clips = clips;
    of->wish.label = label;
    return true;
}

static bool same_wish(const app_example_choice *a, const app_example_choice *b)
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

/* ---- the list, under its lock ------------------------------------------------------------------- */

/* *after leads to the one that goes. */
static void unlist(example_store *all, example_kept **after)
{
    example_kept *one = *after;
    *after = one->next;
    one->listed = false;
    if (one->holders == 0) free_kept(&all->self.of->memory, one);
}

static example_kept *look(example_store *all, const app_example_choice *wish, int64_t version)
{
    example_kept *found = NULL;
    pthread_mutex_lock(&all->lock);
    for (example_kept **at = &all->first; *at && !found; at = &(*at)->next) {
        if ((*at)->version != version || !same_wish(&(*at)->wish, wish)) continue;
        found = *at;
        *at = found->next;
        found->next = all->first;
        all->first = found;
        found->holders++;
        break;
    }
    pthread_mutex_unlock(&all->lock);
    return found;
}

/* What is of another state of the library, and what is too much, goes: the list is in the order of use. */
static void keep(example_store *all, example_kept *made)
{
    int count = 0;
    size_t size = 0;
    pthread_mutex_lock(&all->lock);
    made->holders++;
    made->next = all->first;
    made->listed = true;
    all->first = made;
    for (example_kept **at = &all->first; *at;) {
        size_t more = marey_examples_bytes((*at)->set.examples) +
                      (size_t)(*at)->set.clip_count * sizeof(marey_named);
        bool stays = (*at)->version == made->version && count < LIMIT_EXAMPLE_SETS &&
                     size + more <= LIMIT_EXAMPLE_BYTES;
        if (stays) {
            count++;
            size += more;
            at = &(*at)->next;
        } else {
            unlist(all, at);
        }
    }
    pthread_mutex_unlock(&all->lock);
}

void example_store_make_room(example_store *all)
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    for (example_kept **at = &all->first; *at;) {
        if ((*at)->holders == 0)
            unlist(all, at);
        else
            at = &(*at)->next;
    }
    bytes_free(&all->told);
    pthread_mutex_unlock(&all->lock);
}

bool example_store_recall(studio_worker *worker, int64_t version, studio_bytes *out)
{
    example_store *all = worker->of->searching->examples;
    pthread_mutex_lock(&all->lock);
    bool known = all->told.count > 0 && all->told_version == version;
    if (known) bytes_add(out, all->told.data, all->told.count);
    pthread_mutex_unlock(&all->lock);
    return known && !out->failed;
}

void example_store_remember(studio_worker *worker, int64_t version, const studio_bytes *text)
{
    example_store *all = worker->of->searching->examples;
    pthread_mutex_lock(&all->lock);
    bytes_free(&all->told);
    bytes_add(&all->told, text->data, text->count);
    if (all->told.failed) bytes_free(&all->told);
    all->told_version = version;
    pthread_mutex_unlock(&all->lock);
}

int example_store_count(example_store *all)
{
    int count = 0;
    pthread_mutex_lock(&all->lock);
    for (const example_kept *one = all->first; one; one = one->next) count++;
    pthread_mutex_unlock(&all->lock);
    return count;
}

/* ---- opening ------------------------------------------------------------------------------------ */

marey_status example_store_open(shared *of, example_store **out, marey_error *error)
{
    example_store *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    memset(made, 0, sizeof *made);
    made->told.memory = &of->memory;
    marey_status status = worker_open(&made->self, of, 1, NULL, error);
    if (status != MAREY_OK) {
        heap_resize(&of->memory, made, sizeof *made, 0);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->opening, NULL);
    *out = made;
    return MAREY_OK;
}

void example_store_stop(example_store *all)
{
    marey_ctx_cancel(all->self.ctx);
}

void example_store_close(example_store *all)
{
    if (!all) return;
    heap *memory = &all->self.of->memory;
    while (all->first) unlist(all, &all->first);
    bytes_free(&all->told);
    worker_close(&all->self);
    pthread_mutex_destroy(&all->opening);
    pthread_mutex_destroy(&all->lock);
    heap_resize(memory, all, sizeof *all, 0);
}

static marey_status open_set(example_store *all, const app_example_choice *wish, example_kept **out,
                             marey_error *error)
{
    shared *of = all->self.of;
    example_kept *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    *made = (example_kept){ .scope = app_scope_open(&of->allocator) };
    app_env env = { .ctx = all->self.ctx, .library = all->self.library, .scope = &made->scope };
    marey_status status = marey_library_version(env.library, &made->version, error);
    if (status == MAREY_OK) status = app_check(!copy_wish(made, wish), error);
    if (status == MAREY_OK) status = app_example_open(&env, wish, &made->set, error);
    if (status == MAREY_OK)
        *out = made;
    else
        free_kept(&of->memory, made);
    return status;
}

typedef struct hold {
    example_store *all;
    example_kept *kept;
} hold;

static void release_hold(void *object)
{
    const hold *of = object;
    pthread_mutex_lock(&of->all->lock);
    bool last = --of->kept->holders == 0 && !of->kept->listed;
    pthread_mutex_unlock(&of->all->lock);
    if (last) free_kept(&of->all->self.of->memory, of->kept);
}

marey_status example_store_use(void *worker, app_scope *scope, const app_example_choice *wish,
                               app_example_set *out, marey_error *error)
{
    studio_worker *by = worker;
    example_store *all = by->of->searching->examples;
    int64_t version = 0;
    bool fresh = false;
    hold *holding = APP_NEW(scope, hold, 1);
    if (!holding) return app_fail_memory(error);
    marey_status status = marey_library_version(by->library, &version, error);
    if (status != MAREY_OK) return status;
    example_kept *found = look(all, wish, version);
    if (!found) {
        pthread_mutex_lock(&all->opening);
        found = look(all, wish, version); /* it may have been opened while this one waited */
        fresh = !found;
        if (fresh) status = open_set(all, wish, &found, error);
        if (fresh && status == MAREY_ERR_MEMORY) {
            worker_make_room(by); /* what is kept only saves time, so it makes way */
            status = open_set(all, wish, &found, error);
        }
        if (fresh && status == MAREY_OK) keep(all, found);
        pthread_mutex_unlock(&all->opening);
    }
    if (status != MAREY_OK) return status;
    *out = found->set;
    if (!fresh) out->opening_s = 0;
    *holding = (hold){ all, found };
    return app_own(scope, holding, release_hold, error);
}
