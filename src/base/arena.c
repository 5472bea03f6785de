/* arena.c - memory counted against the limit of a context, and arenas of it: chains of blocks.
   Small pieces share a block, large ones get their own, so that a big track is one allocation of
   just its size. */
#include "base/arena.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mry_resize_system(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    void *fresh = realloc(old, size);
#ifdef MADV_HUGEPAGE
    /* Large pieces by large pages, where the system lets programs choose: a page takes longer to get
       than to fill. */
    const uintptr_t page = (uintptr_t)2 << 20;
    if (fresh && size >= 2 * page) {
        uintptr_t from = ((uintptr_t)fresh + page - 1) & ~(page - 1);
        madvise((void *)from, (((uintptr_t)fresh + size) & ~(page - 1)) - from, MADV_HUGEPAGE);
    }
#endif
    return fresh;
}

/* Reserved before asking, so that two threads cannot pass the limit together. */
bool mry_count_bytes(marey_ctx *ctx, size_t more)
{
    size_t limit = ctx->def.byte_limit, before = atomic_fetch_add(&ctx->bytes, more);
    if (before + more < before || (more && limit && before + more > limit)) {
        atomic_fetch_sub(&ctx->bytes, more);
        return false;
    }
    size_t peak = atomic_load(&ctx->bytes_peak);
    while (before + more > peak &&
           !atomic_compare_exchange_weak(&ctx->bytes_peak, &peak, before + more)) {
    }
    return true;
}

void mry_uncount_bytes(marey_ctx *ctx, size_t size)
{
    atomic_fetch_sub(&ctx->bytes, size);
}

void *mry_resize(marey_ctx *ctx, void *old, size_t old_size, size_t size)
{
    assert(size > 0);
    size_t more = size > old_size ? size - old_size : 0;
    if (!mry_count_bytes(ctx, more)) return NULL;
    void *fresh = ctx->def.resize(ctx->def.resize_user, old, old_size, size);
    if (!fresh) {
        atomic_fetch_sub(&ctx->bytes, more);
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

/* ---- arenas ---------------------------------------------------------------------------------- */

enum { ALIGN = 64, OWN_BLOCK_FROM = 4 * 1024 };

struct mry_block {
    mry_block *before;
    size_t bytes; /* of the whole allocation */
    size_t room;  /* of the data */
    char *data;   /* the first aligned byte behind this header */
};

static size_t round_up(size_t n)
{
    return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static mry_block *block_make(marey_ctx *ctx, size_t room)
{
    if (room > SIZE_MAX - sizeof(mry_block) - ALIGN) return NULL;
    size_t bytes = sizeof(mry_block) + ALIGN + room;
    mry_block *block = mry_alloc(ctx, bytes);
    if (!block) return NULL;
    uintptr_t start = (uintptr_t)(block + 1);
    block->bytes = bytes;
    block->room = room;
    block->data = (char *)(block + 1) + (round_up(start) - start);
    return block;
}

void *mry_arena_take(mry_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGN) return NULL;
    bytes = round_up(bytes ? bytes : 1);
    /* A large piece goes behind the newest block in the chain, so the newest keeps its free
       space. */
    if (bytes >= OWN_BLOCK_FROM && arena->last) {
        mry_block *block = block_make(arena->ctx, bytes);
        if (!block) return NULL;
        block->before = arena->last->before;
        arena->last->before = block;
        return block->data;
    }
    if (!arena->last || arena->last->room - arena->used < bytes) {
        size_t shared = arena->ctx->block_bytes;
        mry_block *block =
            block_make(arena->ctx, bytes >= OWN_BLOCK_FROM || bytes > shared ? bytes : shared);
        if (!block) return NULL;
        block->before = arena->last;
        arena->last = block;
        arena->used = 0;
    }
    void *piece = arena->last->data + arena->used;
    arena->used += bytes;
    return piece;
}

void *mry_arena_zero(mry_arena *arena, size_t count, size_t size)
{
    void *piece = mry_arena_take(arena, count, size);
    if (piece) memset(piece, 0, count * size);
    return piece;
}

char *mry_arena_text(mry_arena *arena, const char *bytes, size_t count)
{
    char *text = mry_arena_take(arena, count + 1, 1);
    if (!text) return NULL;
    memcpy(text, bytes, count);
    text[count] = 0;
    return text;
}

char *mry_arena_print(mry_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = count < 0 ? NULL : mry_arena_take(arena, (size_t)count + 1, 1);
    if (text) vsnprintf(text, (size_t)count + 1, format, again);
    va_end(again);
    return text;
}

void mry_arena_free(mry_arena *arena)
{
    while (arena->last) {
        mry_block *block = arena->last;
        arena->last = block->before;
        mry_release(arena->ctx, block, block->bytes);
    }
    arena->used = 0;
}
