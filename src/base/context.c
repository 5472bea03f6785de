/* context.c - opening and closing a context, and what it is asked. */
#include "base/context.h"

#include "base/clock.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

enum { ARENA_BLOCK_BYTES = 16 * 1024 };

static int64_t system_clock_ns(void *user)
{
    (void)user;
    return mry_clock_ns();
}

marey_status marey_ctx_open(const marey_ctx_def *def, marey_ctx **out)
{
    marey_ctx_def full = def ? *def : (marey_ctx_def){ 0 };
    if (!full.resize) full.resize = mry_resize_system;
    if (!full.io) full.io = marey_io_system();
    if (!full.clock_ns) full.clock_ns = system_clock_ns;
    if (full.threads <= 0) full.threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (full.threads < 1) full.threads = 1;
    if (full.threads > 256) full.threads = 256;
    marey_ctx *ctx = full.resize(full.resize_user, NULL, 0, sizeof *ctx);
    if (!ctx) return MAREY_ERR_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->def = full;
    ctx->block_bytes = ARENA_BLOCK_BYTES;
    atomic_init(&ctx->bytes, 0);
    atomic_init(&ctx->bytes_peak, 0);
    atomic_init(&ctx->cancelled, false);
    atomic_init(&ctx->deadline_ns, 0);
    atomic_init(&ctx->swept_folder, 0);
    atomic_init(&ctx->card, NULL);
    atomic_init(&ctx->card_cells, 0);
    *out = ctx;
    return MAREY_OK;
}

void marey_ctx_close(marey_ctx *ctx)
{
    if (!ctx) return;
    mry_pool_free(ctx, ctx->pool);
    void *card = atomic_load(&ctx->card);
    if (card) ctx->card_close(ctx, card);
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

/* Never 0, which is none, and far enough away that nothing overflows. */
void marey_ctx_limit_time(marey_ctx *ctx, double seconds)
{
    const double most = 1e9;
    int64_t deadline = 0;
    if (seconds > 0) {
        deadline = ctx->def.clock_ns(ctx->def.clock_user) +
                   (int64_t)(1e9 * (seconds < most ? seconds : most));
        if (deadline == 0) deadline = 1;
    }
    ctx->seconds = seconds > 0 ? seconds : 0;
    atomic_store(&ctx->deadline_ns, deadline);
}

double marey_ctx_seconds(const marey_ctx *ctx)
{
    return ctx->seconds;
}

bool mry_past_deadline(const marey_ctx *ctx)
{
    return ctx->def.clock_ns(ctx->def.clock_user) >= atomic_load(&ctx->deadline_ns);
}

bool marey_ctx_timed_out(const marey_ctx *ctx)
{
    return !atomic_load(&ctx->cancelled) && atomic_load(&ctx->deadline_ns) != 0 &&
           mry_past_deadline(ctx);
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

bool mry_progress(marey_ctx *ctx, const char *task, int64_t done, int64_t total)
{
    if (ctx->def.progress && !mry_inside_work()) {
        ctx->def.progress(ctx->def.progress_user, task, done, total);
    }
    return !mry_cancelled(ctx);
}
