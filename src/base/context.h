/* context.h - the inside of marey_ctx: memory under a limit, files, threads, progress.
   Read by every stage of the library. */
#ifndef MRY_CONTEXT_H
#define MRY_CONTEXT_H

#include <marey/base.h>

#include <stdatomic.h>

typedef struct mry_pool mry_pool;

struct marey_ctx {
    marey_ctx_def def; /* every default filled in */
    atomic_size_t bytes;
    atomic_size_t bytes_peak;
    atomic_bool cancelled;
    size_t block_bytes; /* of an arena's blocks; tests set 0, so that each piece can be refused */
    _Atomic int64_t deadline_ns;   /* on def.clock_ns; 0: none */
    double seconds;                /* until it, from when it was set */
    _Atomic uint64_t swept_folder; /* hash of the one that was last looked through; see file.h */
    const void *features;          /* marey_own_feature: lent by marey_param_lend */
    int feature_count;
    mry_pool *pool;             /* made by the first marey_ctx_run that can use it */
    _Atomic(void *) card;       /* mry_card_hold, once one was looked for; see card/card_hold.h */
    _Atomic int64_t card_cells; /* frames compared until then; below 0: no card is wanted */
    void (*card_close)(marey_ctx *ctx, void *card);
};

/* The default of marey_ctx_def's resize. */
void *mry_resize_system(void *user, void *old, size_t old_size, size_t size);

/* NULL if the allocator refuses or the byte limit would be passed. The bytes are not cleared. */
void *mry_alloc(marey_ctx *ctx, size_t size);
/* old stays on failure */
void *mry_resize(marey_ctx *ctx, void *old, size_t old_size, size_t size);
void mry_release(marey_ctx *ctx, void *old, size_t old_size); /* NULL is allowed */

/* Counts what another library holds for this context, such as a database in memory. False: the byte
   limit would be passed, and nothing was counted. The second takes it off again. */
bool mry_count_bytes(marey_ctx *ctx, size_t size);
void mry_uncount_bytes(marey_ctx *ctx, size_t size);

bool mry_past_deadline(const marey_ctx *ctx); /* which it has */

/* Looked at in inner loops: a context without a deadline asks for no time. */
static inline bool mry_cancelled(const marey_ctx *ctx)
{
    return atomic_load_explicit(&ctx->cancelled, memory_order_relaxed) ||
           (atomic_load_explicit(&ctx->deadline_ns, memory_order_relaxed) != 0 &&
            mry_past_deadline(ctx));
}

/* Reports and says whether to go on: false means cancelled. Silent inside marey_ctx_run, where
   several threads would talk at once and the caller of the run reports instead. */
bool mry_progress(marey_ctx *ctx, const char *task, int64_t done, int64_t total);

bool mry_inside_work(void); /* does this thread run a work of marey_ctx_run? */
void mry_pool_free(marey_ctx *ctx, mry_pool *pool);

#endif
