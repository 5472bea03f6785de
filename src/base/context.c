/* context.c - opening and closing a context, and memory counted against its limit. */
#include "base/context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *mry_resize_system(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size) return realloc(old, size);
    free(old);
    return NULL;
}

static int processor_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}

marey_status marey_ctx_open(const marey_ctx_def *def, marey_ctx **out)
{
    marey_ctx_def full = def ? *def : (marey_ctx_def){ 0 };
    if (!full.resize) full.resize = mry_resize_system;
    if (!full.io) full.io = marey_io_system();
    if (full.threads <= 0) full.threads = processor_count();
    if (full.threads > 256) full.threads = 256;

    marey_ctx *ctx = full.resize(full.resize_user, NULL, 0, sizeof *ctx);
    if (!ctx) return MAREY_ERR_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->def = full;
    atomic_init(&ctx->bytes, 0);
    atomic_init(&ctx->bytes_peak, 0);
    atomic_init(&ctx->cancelled, false);
    atomic_init(&ctx->swept_folder, 0);
    *out = ctx;
    return MAREY_OK;
}

void marey_ctx_close(marey_ctx *ctx)
{
    if (!ctx) return;
    mry_pool_free(ctx, ctx->pool);
    assert(atomic_load(&ctx->bytes) == 0 && "an object outlives its context");
    ctx->def.resize(ctx->def.resize_user, ctx, sizeof *ctx, 0);
}

void marey_ctx_cancel(marey_ctx *ctx)
{
    atomic_store(&ctx->cancelled, true);
}

void marey_ctx_resume(marey_ctx *ctx)
{
    atomic_store(&ctx->cancelled, false);
}

bool marey_ctx_cancelled(const marey_ctx *ctx)
{
    return mry_cancelled(ctx);
}

int marey_ctx_threads(const marey_ctx *ctx)
{
    return ctx->def.threads;
}

size_t marey_ctx_bytes(const marey_ctx *ctx)
{
    return atomic_load(&ctx->bytes);
}

size_t marey_ctx_bytes_peak(const marey_ctx *ctx)
{
    return atomic_load(&ctx->bytes_peak);
}

/* Reserves before asking, so that two threads cannot pass the limit together. */
static bool reserve(marey_ctx *ctx, size_t more)
{
    size_t limit = ctx->def.byte_limit;
    size_t before = atomic_fetch_add(&ctx->bytes, more);
    if (before + more < before || (limit && before + more > limit)) {
        atomic_fetch_sub(&ctx->bytes, more);
        return false;
    }
    size_t peak = atomic_load(&ctx->bytes_peak);
    while (before + more > peak &&
           !atomic_compare_exchange_weak(&ctx->bytes_peak, &peak, before + more)) {
    }
    return true;
}

void *mry_resize(marey_ctx *ctx, void *old, size_t old_size, size_t size)
{
    assert(size > 0);
    if (size > old_size && !reserve(ctx, size - old_size)) return NULL;
    void *fresh = ctx->def.resize(ctx->def.resize_user, old, old_size, size);
    if (!fresh) {
        if (size > old_size) atomic_fetch_sub(&ctx->bytes, size - old_size);
        return NULL;
    }
    if (size < old_size) atomic_fetch_sub(&ctx->bytes, old_size - size);
    return fresh;
}

void *mry_alloc(marey_ctx *ctx, size_t size)
{
    return mry_resize(ctx, NULL, 0, size);
}

void mry_release(marey_ctx *ctx, void *old, size_t old_size)
{
    if (!old) return;
    ctx->def.resize(ctx->def.resize_user, old, old_size, 0);
    atomic_fetch_sub(&ctx->bytes, old_size);
}

bool mry_progress(marey_ctx *ctx, const char *what, int64_t done, int64_t total)
{
    if (ctx->def.progress && !mry_inside_work()) {
        ctx->def.progress(ctx->def.progress_user, what, done, total);
    }
    return !mry_cancelled(ctx);
}
