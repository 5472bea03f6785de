/* heap.c - memory counted against one limit. The count is taken before the memory is, so that
   threads that ask at the same time cannot pass the limit together. */
#include "heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_ROOM = 64 };

void *heap_resize(void *memory, void *old, size_t old_size, size_t size)
{
    heap *owner = memory;
    if (!old) old_size = 0;
    if (size == 0) {
        free(old);
        atomic_fetch_sub(&owner->used, old_size);
        return NULL;
    }
    size_t more = size > old_size ? size - old_size : 0;
    size_t used = atomic_load(&owner->used);
    do {
        if (more > 0 && (more > owner->limit || used > owner->limit - more)) return NULL;
    } while (!atomic_compare_exchange_weak(&owner->used, &used, used + more));
    void *block = realloc(old, size);
    if (!block) atomic_fetch_sub(&owner->used, more);
    if (block && size < old_size) atomic_fetch_sub(&owner->used, old_size - size);
    return block;
}

uint8_t *bytes_extend(studio_bytes *bytes, size_t count)
{
    if (bytes->failed) return NULL;
    bool fits = count <= SIZE_MAX - bytes->count;
    size_t need = bytes->count + count;
    if (fits && (need > bytes->room || !bytes->data)) {
        /* Doubles, so that many small pieces cost linear time; close to the limit just what is
           needed. */
        size_t room = bytes->room < SMALLEST_ROOM ? SMALLEST_ROOM : bytes->room;
        while (room < need && room <= SIZE_MAX / 2) room *= 2;
        uint8_t *data =
            room < need ? NULL : heap_resize(bytes->memory, bytes->data, bytes->room, room);
        if (!data && room > need) {
            room = need;
            data = heap_resize(bytes->memory, bytes->data, bytes->room, room);
        }
        fits = data != NULL;
        if (fits) {
            bytes->data = data;
            bytes->room = room;
        }
    }
    if (!fits) {
        bytes->failed = 1;
        return NULL;
    }
    uint8_t *place = bytes->data + bytes->count;
    bytes->count += count;
    return place;
}

void bytes_add(studio_bytes *bytes, const void *data, size_t count)
{
    if (count == 0) return;
    uint8_t *place = bytes_extend(bytes, count);
    if (place) memcpy(place, data, count);
}

void bytes_free(studio_bytes *bytes)
{
    heap *memory = bytes->memory;
    if (bytes->data) heap_resize(memory, bytes->data, bytes->room, 0);
    *bytes = (studio_bytes){ .memory = memory };
}

held *held_make(studio_bytes *content)
{
    held *made = heap_resize(content->memory, NULL, 0, sizeof *made);
    if (!made) return NULL;
    atomic_init(&made->holders, 1);
    made->content = *content;
    *content = (studio_bytes){ .memory = content->memory };
    return made;
}

held *held_share(held *block)
{
    atomic_fetch_add(&block->holders, 1);
    return block;
}

void held_drop(held *block)
{
    if (!block || atomic_fetch_sub(&block->holders, 1) > 1) return;
    heap *memory = block->content.memory;
    bytes_free(&block->content);
    heap_resize(memory, block, sizeof *block, 0);
}
