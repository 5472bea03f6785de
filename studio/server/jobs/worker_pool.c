/* worker_pool.c - the threads for short requests, and the queue before them. */
#include "worker.h"

#include <string.h>

enum { MOST_WORKERS = 16 };

typedef struct member {
    pool *workers;
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
    /* The last one to rest is the first to be woken: what it kept of the request before is what the
       next one most likely needs. */
    member *resting[MOST_WORKERS];
    int resting_count;
};

static void *work(void *user)
{
    member *self = user;
    pool *workers = self->workers;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (!workers->first && !workers->closing) {
            workers->resting[workers->resting_count++] = self;
            pthread_cond_wait(&self->wake, &workers->lock);
            int at = 0;
            while (at < workers->resting_count && workers->resting[at] != self) at++;
            if (at == workers->resting_count) continue; /* as it should be: not woken by chance */
            memmove(&workers->resting[at], &workers->resting[at + 1],
                    (size_t)(workers->resting_count - at - 1) * sizeof *workers->resting);
            workers->resting_count--;
        }
        task *next = workers->first;
        if (!next) break;
        workers->first = next->next;
        if (!workers->first) workers->last = NULL;
        pthread_mutex_unlock(&workers->lock);
        next->run(&self->self, next);
        pthread_mutex_lock(&workers->lock);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

marey_status pool_open(shared *common, int count, pool **out, marey_error *error)
{
    pool *workers = heap_resize(&common->memory, NULL, 0, sizeof *workers);
    if (!workers) return app_fail_memory(error);
    memset(workers, 0, sizeof *workers);
    workers->memory = &common->memory;
    pthread_mutex_init(&workers->lock, NULL);
    marey_status status = MAREY_OK;
    if (count > MOST_WORKERS) count = MOST_WORKERS;
    for (int i = 0; i < count && !status; i++) {
        member *added = &workers->members[i];
        added->workers = workers;
        status = worker_open(&added->self, common, 1, NULL, error);
        if (status) break;
        pthread_cond_init(&added->wake, NULL);
        if (pthread_create(&added->thread, NULL, work, added) == 0) {
            workers->count++;
            continue;
        }
        pthread_cond_destroy(&added->wake);
        worker_close(&added->self);
        status = app_fail(error, MAREY_ERR_MEMORY, NULL, "cannot start a thread");
    }
    if (status)
        pool_close(workers);
    else
        *out = workers;
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

void pool_add(pool *workers, task *added)
{
    added->next = NULL;
    pthread_mutex_lock(&workers->lock);
    if (workers->last)
        workers->last->next = added;
    else
        workers->first = added;
    workers->last = added;
    if (workers->resting_count > 0)
        pthread_cond_signal(&workers->resting[--workers->resting_count]->wake);
    pthread_mutex_unlock(&workers->lock);
}
