/* describe.h - what the library knows, as jansson's values. Every function gives a new reference,
   or NULL when out of memory; NULL may be handed on to the next, so that one look at the end is
   enough. Read after heap.h. */
#ifndef STUDIO_DESCRIBE_H
#define STUDIO_DESCRIBE_H

#include "heap.h"

#include <jansson.h>
#include <marey/marey.h>

/* Takes `value` over. If there is no memory, *target is freed and becomes NULL. */
void describe_put(json_t **target, const char *key, json_t *value);
void describe_append(json_t **target, json_t *value);

/* Bytes that are no UTF-8 become U+FFFD: names come from files. */
json_t *describe_text(heap *memory, const char *text);
json_t *describe_number(double value); /* null for infinities and NaN */

json_t *describe_provenance(const char *text); /* null if it is none, or no object */

#endif
