/* workers.c - the threads for short requests, and what each of them has of its own. */
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    if (error) {
        *error = (marey_error){ .status = status };
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* ---- a worker --------------------------------------------------------------------------------- */

marey_status worker_open(worker *by, shared *of, int threads, marey_progress_fn progress,
                         marey_error *error)
{
    *by = (worker){ .of = of };
    by->files = memory_files_make(&of->memory);
    marey_status status = MAREY_ERR_MEMORY;
    if (by->files) {
        marey_ctx_def def = { .resize = heap_resize,
                              .resize_user = &of->memory,
                              .threads = threads,
                              .io = memory_files_io(by->files),
                              .progress = progress,
                              .progress_user = by };
        status = marey_ctx_open(&def, &by->ctx);
    }
    if (status) fail(error, status, marey_status_name(status));
    if (!status)
        status = marey_library_open(by->ctx, of->library_path,
                                    of->can_write ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ,
                                    &by->library, error);
    if (status) worker_close(by);
    return status;
}

static void forget_clip(kept_clip *kept)
{
    marey_clip_free(kept->clip);
    *kept = (kept_clip){ 0 };
}

void worker_close(worker *by)
{
    for (int i = 0; i < WORKER_CLIPS; i++) forget_clip(&by->clips[i]);
    marey_library_close(by->library);
    marey_ctx_close(by->ctx);
    memory_files_free(by->files);
    *by = (worker){ .of = by->of };
}

/* ---- the clips it read last ------------------------------------------------------------------- */

static marey_status find_name(worker *by, int64_t id, char *name, size_t room, marey_error *error)
{
    bool removed = false;
    marey_status status = marey_library_name(by->library, id, name, room, &removed, error);
    if (status || !removed) return status;
    if (error) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT };
        snprintf(error->message, sizeof error->message,
                 "there is no clip number %" PRId64 "; it was removed", id);
    }
    return MAREY_ERR_INPUT;
}

static kept_clip *find_kept(worker *by, int64_t id, int64_t version)
{
    for (int i = 0; i < WORKER_CLIPS; i++) {
        kept_clip *kept = &by->clips[i];
        if (!kept->clip) continue;
        if (kept->version != version)
            forget_clip(kept);
        else if (kept->id == id)
            return kept;
    }
    return NULL;
}

static kept_clip *least_used(worker *by)
{
    kept_clip *least = &by->clips[0];
    for (int i = 1; i < WORKER_CLIPS; i++)
        if (by->clips[i].used < least->used) least = &by->clips[i];
    return least;
}

/* What is kept only saves time, so it makes way before a request fails for memory. */
static marey_status load(worker *by, const char *name, marey_clip **clip, marey_error *error)
{
    marey_status status = marey_library_load(by->library, name, clip, error);
    if (status != MAREY_ERR_MEMORY) return status;
    for (int i = 0; i < WORKER_CLIPS; i++) forget_clip(&by->clips[i]);
    return marey_library_load(by->library, name, clip, error);
}

/* One try to have name and clip of one moment. *kept stays NULL if the library was changed between the looks. */
static marey_status fetch(worker *by, int64_t id, char *name, size_t room, kept_clip **kept,
                          marey_error *error)
{
    int64_t before = 0, after = 0;
    marey_status status = marey_library_version(by->library, &before, error);
    if (!status) status = find_name(by, id, name, room, error);
    if (status) return status;
    *kept = find_kept(by, id, before);
    if (*kept) return MAREY_OK;
    kept_clip *place = least_used(by);
    forget_clip(place);
    marey_clip *clip = NULL;
    status = load(by, name, &clip, error);
    bool changed = !marey_library_version(by->library, &after, NULL) && before != after;
    if (changed) {
        marey_clip_free(clip);
        return MAREY_OK;
    }
    if (status) return status;
    *place = (kept_clip){ .id = id, .version = before, .clip = clip };
    *kept = place;
    return MAREY_OK;
}

marey_status worker_clip(worker *by, int64_t id, char *name, size_t room, const marey_clip **out,
                         marey_error *error)
{
    enum { MOST_TRIES = 8 };
    char found[NAME_ROOM];
    kept_clip *kept = NULL;
    for (int i = 0; i < MOST_TRIES && !kept; i++) {
        marey_status status = fetch(by, id, found, sizeof found, &kept, error);
        if (status) return status;
    }
    if (!kept)
        return fail(error, MAREY_ERR_IO, "another program changes this library all the time");
    kept->used = ++by->count;
    if (name) snprintf(name, room, "%s", found);
    *out = kept->clip;
    return MAREY_OK;
}

/* ---- the pool --------------------------------------------------------------------------------- */

enum { MOST_WORKERS = 16 };

typedef struct member {
    pool *in;
    worker self;
    pthread_t thread;
} member;

struct pool {
    heap *memory;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    task *first, *last;
    bool closing;
    int count;
    member members[MOST_WORKERS];
};

static task *next_task(pool *from)
{
    pthread_mutex_lock(&from->lock);
    while (!from->first && !from->closing) pthread_cond_wait(&from->changed, &from->lock);
    task *what = from->first;
    if (what) from->first = what->next;
    if (!from->first) from->last = NULL;
    pthread_mutex_unlock(&from->lock);
    return what;
}

static void *work(void *user)
{
    member *me = user;
    for (task *what = next_task(me->in); what; what = next_task(me->in)) what->run(&me->self, what);
    return NULL;
}

static marey_status add_member(pool *to, shared *of, marey_error *error)
{
    member *one = &to->members[to->count];
    one->in = to;
    marey_status status = worker_open(&one->self, of, 1, NULL, error);
    if (status) return status;
    if (pthread_create(&one->thread, NULL, work, one) != 0) {
        worker_close(&one->self);
        return fail(error, MAREY_ERR_MEMORY, "cannot start a thread");
    }
    to->count++;
    return MAREY_OK;
}

marey_status pool_open(shared *of, int workers, pool **out, marey_error *error)
{
    pool *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    memset(made, 0, sizeof *made);
    made->memory = &of->memory;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    marey_status status = MAREY_OK;
    if (workers > MOST_WORKERS) workers = MOST_WORKERS;
    for (int i = 0; i < workers && !status; i++) status = add_member(made, of, error);
    if (status)
        pool_close(made);
    else
        *out = made;
    return status;
}

void pool_close(pool *workers)
{
    if (!workers) return;
    pthread_mutex_lock(&workers->lock);
    workers->closing = true;
    for (int i = 0; i < workers->count; i++) marey_ctx_cancel(workers->members[i].self.ctx);
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    for (int i = 0; i < workers->count; i++) {
        pthread_join(workers->members[i].thread, NULL);
        worker_close(&workers->members[i].self);
    }
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
    heap_resize(workers->memory, workers, sizeof *workers, 0);
}

void pool_add(pool *workers, task *what)
{
    what->next = NULL;
    pthread_mutex_lock(&workers->lock);
    if (workers->last)
        workers->last->next = what;
    else
        workers->first = what;
    workers->last = what;
    pthread_cond_signal(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}
