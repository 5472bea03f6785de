/* binary_heap.h - a binary heap (Williams 1964) over an array of the caller's: the item that is
   before all others is items[0]. What the order is, and whether items know their place in the
   array, is the caller's. With a constant heap of functions the compiler makes of it what one would
   write by hand. Searches read this. */
#ifndef MRY_BINARY_HEAP_H
#define MRY_BINARY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct mry_heap {
    void *items; /* room for all is the caller's business */
    int count;
    size_t size; /* of an item, in bytes */
    bool (*before)(const void *user, const void *a, const void *b);
    /* called whenever an item gets a place; NULL: not wanted */
    void (*placed)(void *user, const void *item, int place);
    void *user; /* for both */
} mry_heap;

static inline void *mry_heap_at(const mry_heap *heap, int place)
{
    return (char *)heap->items + (size_t)place * heap->size;
}

static inline void mry_heap_put(const mry_heap *heap, int place, const void *item)
{
    memcpy(mry_heap_at(heap, place), item, heap->size);
    if (heap->placed) heap->placed(heap->user, item, place);
}

/* `item`, which is no element of the array, goes to `place` or above it: what is there goes down.
   For an item that came before others, copy it and raise the copy from its place. */
static inline void mry_heap_raise(const mry_heap *heap, int place, const void *item)
{
    for (int up; place > 0; place = up) {
        up = (place - 1) / 2;
        if (!heap->before(heap->user, item, mry_heap_at(heap, up))) break;
        mry_heap_put(heap, place, mry_heap_at(heap, up));
    }
    mry_heap_put(heap, place, item);
}

/* `item`, which is no element of the array, goes to `place` or below it. From place 0: it takes the
   first one's place. */
static inline void mry_heap_sink(const mry_heap *heap, int place, const void *item)
{
    for (int down; (down = 2 * place + 1) < heap->count; place = down) {
        if (down + 1 < heap->count &&
            heap->before(heap->user, mry_heap_at(heap, down + 1), mry_heap_at(heap, down)))
            down++;
        if (!heap->before(heap->user, mry_heap_at(heap, down), item)) break;
        mry_heap_put(heap, place, mry_heap_at(heap, down));
    }
    mry_heap_put(heap, place, item);
}

static inline void mry_heap_push(mry_heap *heap, const void *item)
{
    mry_heap_raise(heap, heap->count++, item);
}

/* Takes the first out; false: there is none. */
static inline bool mry_heap_pop(mry_heap *heap, void *first)
{
    if (heap->count == 0) return false;
    memcpy(first, heap->items, heap->size);
    /* what was there is no element any more, and finds a place of its own */
    int last = --heap->count;
    if (last > 0) mry_heap_sink(heap, 0, mry_heap_at(heap, last));
    return true;
}

#endif
