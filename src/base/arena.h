/* arena.h - memory that is freed all at once. Inside the library, functions take `mem` for what
   they hand back and `tmp` for what they need on the way, so an early return is the whole clean-up.
   Not safe for several threads at once; give each its own. */
#ifndef MRY_ARENA_H
#define MRY_ARENA_H

#include "base/context.h"

typedef struct mry_block mry_block;

typedef struct mry_arena {
    marey_ctx *ctx;
    mry_block *last; /* newest first; each knows the one before it */
    size_t used;     /* of the newest */
} mry_arena;

static inline mry_arena mry_arena_make(marey_ctx *ctx)
{
    return (mry_arena){ .ctx = ctx };
}

/* count * size bytes at 64-byte alignment, or NULL (also when the product overflows). Not
   cleared. */
void *mry_arena_take(mry_arena *arena, size_t count, size_t size);
void *mry_arena_zero(mry_arena *arena, size_t count, size_t size); /* cleared */

/* A copy of count bytes with a zero behind them. */
char *mry_arena_text(mry_arena *arena, const char *bytes, size_t count);

/* "printf into the arena"; NULL when out of memory. */
__attribute__((format(printf, 2, 3))) char *mry_arena_print(mry_arena *arena, const char *format,
                                                            ...);

void mry_arena_free(mry_arena *arena); /* everything; the arena can be used again */

#define MRY_NEW(arena, type, count) ((type *)mry_arena_zero(arena, (size_t)(count), sizeof(type)))
#define MRY_NEW_RAW(arena, type, count)                                                            \
    ((type *)mry_arena_take(arena, (size_t)(count), sizeof(type)))

#endif
