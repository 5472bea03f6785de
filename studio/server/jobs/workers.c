/* workers.c - the threads for short requests, and what each of them has of its own. */
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    if (error) {
        *error = (marey_error){ .status = status };
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* ---- a worker --------------------------------------------------------------------------------- */

marey_status worker_open(studio_worker *worker, shared *of, int threads, marey_progress_fn progress,
                         marey_error *error)
{
    *worker =
        (studio_worker){ .of = of,
                         .saved = { .memory = &of->allocator, .most_weight = LIMIT_KEPT_NODES } };
    worker->files = memory_files_make(&of->memory);
    marey_status status = MAREY_ERR_MEMORY;
    if (worker->files) {
        marey_ctx_def def = { .resize = heap_resize,
                              .resize_user = &of->memory,
                              .threads = threads,
                              .io = memory_files_io(worker->files),
                              .progress = progress,
                              .progress_user = worker };
        status = marey_ctx_open(&def, &worker->ctx);
    }
    if (status) fail(error, status, marey_status_name(status));
    if (!status)
        status = marey_library_open(worker->ctx, of->library_path,
                                    of->can_write ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ,
                                    &worker->library, error);
    if (status) worker_close(worker);
    return status;
}

static void forget_clip(kept_clip *kept)
{
    marey_clip_free(kept->clip);
    *kept = (kept_clip){ 0 };
}

void worker_close(studio_worker *worker)
{
    worker_forget_blend(worker);
    worker_forget_saved(worker);
    for (int i = 0; i < WORKER_CLIPS; i++) forget_clip(&worker->clips[i]);
    marey_library_close(worker->library);
    marey_ctx_close(worker->ctx);
    memory_files_free(worker->files);
    *worker = (studio_worker){ .of = worker->of };
}

/* ---- the clips it read last ------------------------------------------------------------------- */

/* Whether a clip that was kept may still be seen. */
static marey_status check_there(studio_worker *worker, int64_t id, marey_error *error)
{
    char name[MAREY_NAME_ROOM];
    bool removed = false;
    marey_status status =
        marey_library_name(worker->library, id, name, sizeof name, &removed, error);
    if (status || !removed) return status;
    if (error) {
        *error = (marey_error){ .status = MAREY_ERR_NOT_FOUND };
        snprintf(error->message, sizeof error->message,
                 "there is no clip number %" PRId64 ": %.100s is removed", id, name);
    }
    return MAREY_ERR_NOT_FOUND;
}

static kept_clip *find_kept(studio_worker *worker, int64_t id)
{
    for (int i = 0; i < WORKER_CLIPS; i++)
        if (worker->clips[i].clip && worker->clips[i].id == id) return &worker->clips[i];
    return NULL;
}

static kept_clip *least_used(studio_worker *worker)
{
    kept_clip *least = &worker->clips[0];
    for (int i = 1; i < WORKER_CLIPS; i++)
        if (worker->clips[i].used < least->used) least = &worker->clips[i];
    return least;
}

void worker_forget_saved(studio_worker *worker)
{
    app_cache_clear(&worker->saved);
}

static void make_searching_room(studio_worker *worker)
{
    if (worker->of->make_searching_room) worker->of->make_searching_room(worker->of->searching);
}

void worker_make_room(studio_worker *worker)
{
    for (int i = 0; i < WORKER_CLIPS; i++) forget_clip(&worker->clips[i]);
    worker_forget_saved(worker);
    make_searching_room(worker);
}

/* What is kept only saves time, so it makes way before a request fails for memory. */
static marey_status load(studio_worker *worker, int64_t id, kept_clip **out, marey_error *error)
{
    char text[32];
    marey_clip *clip = NULL;
    kept_clip *place = least_used(worker);
    snprintf(text, sizeof text, "#%" PRId64, id);
    forget_clip(place);
    marey_status status = marey_library_load(worker->library, text, &clip, error);
    if (status == MAREY_ERR_MEMORY) {
        for (int i = 0; i < WORKER_CLIPS; i++) forget_clip(&worker->clips[i]);
        worker_forget_parts(worker);
        worker_forget_saved(worker);
        make_searching_room(worker);
        status = marey_library_load(worker->library, text, &clip, error);
    }
    if (status) return status;
    *place = (kept_clip){ .id = id, .clip = clip };
    *out = place;
    return MAREY_OK;
}

marey_status worker_clip(studio_worker *worker, int64_t id, const marey_clip **out,
                         marey_error *error)
{
    kept_clip *kept = find_kept(worker, id);
    marey_status status = kept ? check_there(worker, id, error) : load(worker, id, &kept, error);
    if (status) return status;
    kept->used = ++worker->count;
    *out = kept->clip;
    return MAREY_OK;
}

marey_status worker_two_clips(studio_worker *worker, const int64_t ids[2], const marey_clip *out[2],
                              marey_error *error)
{
    marey_status status = worker_clip(worker, ids[0], &out[0], error);
    if (status == MAREY_OK) status = worker_clip(worker, ids[1], &out[1], error);
    /* Where memory was short the first had to go for the second. */
    if (status == MAREY_OK) status = worker_clip(worker, ids[0], &out[0], error);
    if (status != MAREY_OK || find_kept(worker, ids[1])) return status;
    return fail(error, MAREY_ERR_MEMORY, "out of memory");
}

/* ---- the pool --------------------------------------------------------------------------------- */

enum { MOST_WORKERS = 16 };

typedef struct member {
    pool *in;
    studio_worker self;
    pthread_t thread;
    pthread_cond_t wake;
} member;

struct pool {
    heap *memory;
    pthread_mutex_t lock;
    task *first, *last;
    bool closing;
    int count;
    member members[MOST_WORKERS];
    member *resting
        [MOST_WORKERS]; /* the last one to rest is the first to be woken: what it kept of the request
                                      before is what the next one most likely needs */
    int resting_count;
};

static void rest(member *me)
{
    pool *in = me->in;
    in->resting[in->resting_count++] = me;
    pthread_cond_wait(&me->wake, &in->lock);
    int at = 0;
    while (at < in->resting_count && in->resting[at] != me) at++;
    if (at == in->resting_count) return; /* as it should be: it was woken, not by chance */
    memmove(&in->resting[at], &in->resting[at + 1],
            (size_t)(in->resting_count - at - 1) * sizeof *in->resting);
    in->resting_count--;
}

static task *next_task(member *me)
{
    pool *from = me->in;
    pthread_mutex_lock(&from->lock);
    while (!from->first && !from->closing) rest(me);
    task *what = from->first;
    if (what) from->first = what->next;
    if (!from->first) from->last = NULL;
    pthread_mutex_unlock(&from->lock);
    return what;
}

static void *work(void *user)
{
    member *me = user;
    for (task *what = next_task(me); what; what = next_task(me)) what->run(&me->self, what);
    return NULL;
}

static marey_status add_member(pool *to, shared *of, marey_error *error)
{
    member *one = &to->members[to->count];
    one->in = to;
    marey_status status = worker_open(&one->self, of, 1, NULL, error);
    if (status) return status;
    pthread_cond_init(&one->wake, NULL);
    if (pthread_create(&one->thread, NULL, work, one) != 0) {
        pthread_cond_destroy(&one->wake);
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
    for (int i = 0; i < workers->count; i++) pthread_cond_signal(&workers->members[i].wake);
    pthread_mutex_unlock(&workers->lock);
    for (int i = 0; i < workers->count; i++) {
        pthread_join(workers->members[i].thread, NULL);
        pthread_cond_destroy(&workers->members[i].wake);
        worker_close(&workers->members[i].self);
    }
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
    if (workers->resting_count > 0) {
        pthread_cond_signal(&workers->resting[--workers->resting_count]->wake);
    }
    pthread_mutex_unlock(&workers->lock);
}
