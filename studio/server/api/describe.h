/* describe.h - what the library knows, as jansson's values. Every function gives a new reference, or NULL when out of
   memory; NULL may be handed on to the next, so that one look at the end is enough. Read after heap.h. */
#ifndef STUDIO_DESCRIBE_H
#define STUDIO_DESCRIBE_H

#include "heap.h"

#include <jansson.h>
#include <marey/marey.h>

/* Takes `value` over. If that cannot be, *to is given up and becomes NULL. */
void describe_put(json_t **to, const char *key, json_t *value);
void describe_append(json_t **to, json_t *value);

/* How many bytes of well-formed UTF-8 begin here; 0: these are none. */
size_t describe_character(const unsigned char *text);

/* Bytes that are no UTF-8 become U+FFFD: names come from files. */
json_t *describe_text(heap *memory, const char *text);
json_t *describe_number(double value); /* null for infinities and NaN */

json_t *describe_report(heap *memory, const marey_clip *clip);
json_t *describe_contacts(const marey_contact *contacts, int count);
json_t *describe_provenance(const char *text); /* null if it is none, or no object */

#endif
