/* json_body.h - from the bytes of a JSON body to values, each checked. Pure functions, so that they
   can be fuzzed. Read after heap.h.

   Errors: MAREY_ERR_REQUEST, with a sentence; MAREY_ERR_LIMIT: many values; MAREY_ERR_MEMORY. */
#ifndef STUDIO_JSON_BODY_H
#define STUDIO_JSON_BODY_H

#include "heap.h"
#include "json_bounds.h"

#include <jansson.h>
#include <marey/marey.h>

/* Fills the error with a sentence; returns MAREY_ERR_REQUEST. */
__attribute__((format(printf, 2, 3))) marey_status json_refuse(marey_error *error,
                                                               const char *format, ...);

/* The whole of a body, which must be an object, nested at most LIMIT_JSON_DEPTH deep, with no field
   twice. Ownership: the caller's, by json_decref. */
marey_status json_parse(const uint8_t *data, size_t count, json_t **root, marey_error *error);

/* A body that must be an object without fields. */
marey_status json_parse_empty(const uint8_t *data, size_t count, marey_error *error);

/* One value of a kind; `name` is what it is called in a refusal. */
marey_status json_whole(const json_t *value, const char *name, json_int_t least, json_int_t most,
                        json_int_t *out, marey_error *error);
marey_status json_text(const json_t *value, const char *name, const char **out, marey_error *error);

/* The library's own rule for names of what it keeps, looked at before minutes of work. NULL is
   allowed; `called` is "a graph's name". */
marey_status json_kept_name(const char *name, const char *called, marey_error *error);

#endif
