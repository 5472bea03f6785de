/* search_list.h - lists that grow and are emptied again without giving their memory back, so that a
   search allocates for its largest web and not for every path. Read by match. */
#ifndef MRY_SEARCH_LIST_H
#define MRY_SEARCH_LIST_H

#include "base/context.h"

typedef struct mry_list {
    void *items;
    int count;
    size_t bytes;
} mry_list;

/* Room for so many items in all; false: no memory, and the list is as it was. */
static inline bool mry_list_room(marey_ctx *ctx, mry_list *list, int count, size_t size)
{
    size_t need = (size_t)count * size;
    if (need <= list->bytes) return true;
    size_t bytes = need + need / 2 + 64 * size;
    void *items = mry_resize(ctx, list->items, list->bytes, bytes);
    if (!items) return false;
    list->items = items;
    list->bytes = bytes;
    return true;
}

/* Where one more item belongs, or NULL: no memory. Not cleared. */
static inline void *mry_list_add(marey_ctx *ctx, mry_list *list, size_t size)
{
    if (!mry_list_room(ctx, list, list->count + 1, size)) return NULL;
    return (char *)list->items + size * (size_t)list->count++;
}

static inline void mry_list_free(marey_ctx *ctx, mry_list *list)
{
    mry_release(ctx, list->items, list->bytes);
    *list = (mry_list){ 0 };
}

#endif
