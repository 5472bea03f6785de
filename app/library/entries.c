/* entries.c - the clips of a library as lists have them. */
#include "entries.h"

#include <stdio.h>
#include <string.h>

const marey_entry *listing_find(const marey_listing *listing, const char *name)
{
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        char number[24];
        snprintf(number, sizeof number, "#%lld", (long long)entries[i].id);
        if (strcmp(name[0] == '#' ? number : entries[i].name, name) == 0) return &entries[i];
    }
    return NULL;
}
