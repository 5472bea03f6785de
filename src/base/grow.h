/* grow.h - arrays that grow by doubling: `items` points to the array's pointer (NULL at first),
   *room is how many items it has room for, at first 0. Read wherever the number of items is not
   known beforehand. */
#ifndef MRY_GROW_H
#define MRY_GROW_H

#include "base/arena.h"

#include <string.h>

/* What the room becomes so that `count` items fit; 0: no int holds it. */
static inline int mry_grow_room(int room, int count)
{
    int64_t more = room ? room : 16;
    while (more < count) more *= 2;
    return more <= INT32_MAX ? (int)more : 0;
}

/* Room for at least `count` items of `size` bytes, in memory of the context's: to be handed back by
   mry_release(ctx, items, room * size). False: out of memory, and nothing has changed.

       if (!mry_grow(ctx, &list->items, &list->room, list->count + 1, sizeof *list->items)) ...
       list->items[list->count++] = item; */
static inline bool mry_grow(marey_ctx *ctx, void *items, int *room, int count, size_t size)
{
    if (count <= *room) return true;
    int more = mry_grow_room(*room, count);
    void *old;
    memcpy(&old, items, sizeof old); /* a pointer to any type */
    void *longer = more ? mry_resize(ctx, old, (size_t)*room * size, (size_t)more * size) : NULL;
    if (!longer) return false;
    memcpy(items, &longer, sizeof longer);
    *room = more;
    return true;
}

/* The same in an arena, where the shorter arrays stay until it is freed. */
static inline bool mry_grow_in(mry_arena *mem, void *items, int *room, int count, size_t size)
{
    if (count <= *room) return true;
    int more = mry_grow_room(*room, count);
    void *old, *longer = more ? mry_arena_take(mem, (size_t)more, size) : NULL;
    if (!longer) return false;
    memcpy(&old, items, sizeof old);
    if (*room) memcpy(longer, old, (size_t)*room * size);
    memcpy(items, &longer, sizeof longer);
    *room = more;
    return true;
}

#endif
