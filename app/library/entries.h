/* entries.h - the clips of a library as lists have them. Read after env.h and json.h. */
#ifndef MAREY_APP_ENTRIES_H
#define MAREY_APP_ENTRIES_H

#include "operation.h"

/* The entry of this name, or of number 34 for "#34"; NULL: there is none. Borrowed from the listing. */
const marey_entry *listing_find(const marey_listing *listing, const char *name);

#endif
