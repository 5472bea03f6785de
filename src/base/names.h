/* names.h - which names are taken: an open hash table of texts, each with a number. Readers and
   writers that must find a joint by its name, or tell two of one name apart, read this. */
#ifndef MRY_NAMES_H
#define MRY_NAMES_H

#include "base/arena.h"

#include <string.h>

typedef struct mry_name {
    const char *name; /* borrowed; NULL: the slot is free */
    int number;       /* the caller's */
} mry_name;

typedef struct mry_names {
    mry_name *slots;
    size_t mask; /* slots - 1; a power of two of them, at least half empty */
} mry_names;

/* For at most `count` names; false when out of memory. */
static inline bool mry_names_make(mry_names *names, mry_arena *mem, int count)
{
    size_t slots = 64;
    while (slots < 2 * (size_t)count) slots *= 2;
    *names = (mry_names){ MRY_NEW(mem, mry_name, slots), slots - 1 };
    return names->slots != NULL;
}

/* The slot that holds the name of `length` bytes, or the free one where it belongs: to be filled in
   by the caller. */
static inline mry_name *mry_names_find(const mry_names *names, const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    size_t at = (size_t)(hash ^ hash >> 32) & names->mask;
    for (; names->slots[at].name; at = (at + 1) & names->mask) {
        const char *other = names->slots[at].name;
        if (strncmp(other, name, length) == 0 && !other[length]) break;
    }
    return &names->slots[at];
}

#endif
