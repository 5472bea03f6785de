/* pool.c - a small pool of threads that share the numbers of a loop. The caller works too. A job is
   a counter that every thread draws from; since work(i) does not depend on who does it, the result
   is the same for any number of threads. */
#include "base/context.h"

#include <pthread.h>

/* Helpers have as much, whatever the limit of the process is: our own work does with a tenth, text
   that is drawn by the libraries below us with a quarter. */
enum { STACK_BYTES = 512 * 1024 };

struct mry_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* a new job, or the end */
    pthread_cond_t done; /* the last helper has left the job */
    uint64_t job;        /* counts jobs, so that a sleeper sees a new one */
    bool closing;
    int busy; /* helpers inside the current job */
    void (*work)(void *user, int64_t i);
    void *user;
    int64_t count;
    atomic_llong next;
    int started;
    size_t bytes;
    pthread_t threads[];
};

static _Thread_local bool inside_work;

bool mry_inside_work(void)
{
    return inside_work;
}

static void draw(mry_pool *pool)
{
    inside_work = true;
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->count) break;
        pool->work(pool->user, i);
    }
    inside_work = false;
}

static void *helper(void *argument)
{
    mry_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->job == seen && !pool->closing) pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->closing) break;
        seen = pool->job;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        draw(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

void mry_pool_free(marey_ctx *ctx, mry_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    mry_release(ctx, pool, pool->bytes);
}

static void wait_for_helpers(mry_pool *pool)
{
    while (pool->busy > 0) pthread_cond_wait(&pool->done, &pool->lock);
}

void marey_ctx_run(marey_ctx *ctx, int64_t count, void (*work)(void *user, int64_t i), void *user)
{
    bool alone = count < 2 || ctx->def.threads < 2 || inside_work;
    mry_pool *pool = ctx->pool;
    size_t helpers = alone ? 0 : (size_t)ctx->def.threads - 1;
    size_t bytes = sizeof *pool + helpers * sizeof *pool->threads;
    if (!alone && !pool && (pool = mry_alloc(ctx, bytes))) {
        *pool = (mry_pool){ .bytes = bytes };
        atomic_init(&pool->next, 0);
        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->wake, NULL);
        pthread_cond_init(&pool->done, NULL);
        pthread_attr_t settings; /* without them the caller works alone */
        if (pthread_attr_init(&settings) == 0) {
            bool fits = pthread_attr_setstacksize(&settings, STACK_BYTES) == 0;
            while (fits && pool->started < (int)helpers &&
                   pthread_create(&pool->threads[pool->started], &settings, helper, pool) == 0)
                pool->started++;
            pthread_attr_destroy(&settings);
        }
        ctx->pool = pool;
    }
    if (alone || !pool) {
        for (int64_t i = 0; i < count; i++) work(user, i);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    wait_for_helpers(pool); /* one that woke late for the last job may still look at the counter */
    pool->work = work;
    pool->user = user;
    pool->count = count;
    atomic_store(&pool->next, 0);
    pool->job++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    draw(pool);

    pthread_mutex_lock(&pool->lock);
    wait_for_helpers(pool);
    pthread_mutex_unlock(&pool->lock);
}
