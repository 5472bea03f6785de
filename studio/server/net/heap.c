/* heap.c - memory counted against one limit. The count is taken before the memory is, so that threads that ask at the
   same time cannot pass the limit together. */
#include "heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_ROOM = 64 };

static bool take(heap *memory, size_t more)
{
    size_t used = atomic_load(&memory->used);
    do {
        if (more > memory->limit || used > memory->limit - more) return false;
    } while (!atomic_compare_exchange_weak(&memory->used, &used, used + more));
    return true;
}

static void give_back(heap *memory, size_t less)
{
    atomic_fetch_sub(&memory->used, less);
}

void *heap_resize(void *memory, void *old, size_t old_size, size_t size)
{
    heap *from = memory;
    if (!old) old_size = 0;
    if (size == 0) {
        free(old);
        give_back(from, old_size);
        return NULL;
    }
    if (size > old_size && !take(from, size - old_size)) return NULL;
    void *got = realloc(old, size);
    if (!got) {
        if (size > old_size) give_back(from, size - old_size);
        return NULL;
    }
    if (size < old_size) give_back(from, old_size - size);
    return got;
}

/* Doubles, so that many small pieces cost linear time; close to the limit just what is needed. */
static bool grow(studio_bytes *to, size_t need)
{
    size_t room = to->room < SMALLEST_ROOM ? SMALLEST_ROOM : to->room;
    while (room < need) {
        if (room > SIZE_MAX / 2) return false;
        room *= 2;
    }
    uint8_t *data = heap_resize(to->memory, to->data, to->room, room);
    if (!data && room > need) {
        room = need;
        data = heap_resize(to->memory, to->data, to->room, room);
    }
    if (!data) return false;
    to->data = data;
    to->room = room;
    return true;
}

uint8_t *bytes_extend(studio_bytes *to, size_t count)
{
    if (to->failed) return NULL;
    if (count > SIZE_MAX - to->count ||
        ((to->count + count > to->room || !to->data) && !grow(to, to->count + count))) {
        to->failed = 1;
        return NULL;
    }
    uint8_t *place = to->data + to->count;
    to->count += count;
    return place;
}

void bytes_add(studio_bytes *to, const void *data, size_t count)
{
    if (count == 0) return;
    uint8_t *place = bytes_extend(to, count);
    if (place) memcpy(place, data, count);
}

void bytes_free(studio_bytes *of)
{
    heap *memory = of->memory;
    if (of->data) heap_resize(memory, of->data, of->room, 0);
    *of = (studio_bytes){ .memory = memory };
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

held *held_share(held *of)
{
    atomic_fetch_add(&of->holders, 1);
    return of;
}

void held_drop(held *of)
{
    if (!of || atomic_fetch_sub(&of->holders, 1) > 1) return;
    heap *memory = of->content.memory;
    bytes_free(&of->content);
    heap_resize(memory, of, sizeof *of, 0);
}
