/* heap.h - all memory that the studio itself asks for, counted against one limit, so that no number
   of requests can take more. Safe from any thread. */
#ifndef STUDIO_HEAP_H
#define STUDIO_HEAP_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct heap {
    atomic_size_t used;
    size_t limit;
} heap;

/* The form of marey_resize_fn, with a heap as its user, so that contexts can be opened with it
   too. */
void *heap_resize(void *memory, void *old, size_t old_size, size_t size);

/* Bytes that grow. `failed` stays once it could not grow; what is in it then is not whole. */
typedef struct studio_bytes {
    heap *memory;
    uint8_t *data;
    size_t count, room;
    int failed;
} studio_bytes;

void bytes_add(studio_bytes *bytes, const void *data, size_t count);

/* Room for count more, counted in; NULL if failed. */
uint8_t *bytes_extend(studio_bytes *bytes, size_t count);

void bytes_free(studio_bytes *bytes); /* leaves it empty, with its memory */

/* Bytes that several hold at once, and that do not change any more. The last one to let go frees
   them. */
typedef struct held {
    atomic_int holders;
    studio_bytes content;
} held;

held *held_make(studio_bytes *content); /* takes the bytes over; NULL: no memory, and they stay */
held *held_share(held *block);          /* the same, for one more holder */
void held_drop(held *block);            /* from any thread; NULL is allowed */

#endif
