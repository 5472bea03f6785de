/* json_inside.h - what the files that read JSON bodies share. Read after json_body.h; no other file includes it. */
#ifndef STUDIO_JSON_INSIDE_H
#define STUDIO_JSON_INSIDE_H

#include "json_body.h"

#include <jansson.h>

/* REQUEST, with a sentence; MEMORY. */
__attribute__((format(printf, 2, 3))) marey_status json_refuse(marey_error *error,
                                                               const char *format, ...);
marey_status json_fail_memory(marey_error *error);

marey_status json_refuse_field(const char *name, marey_error *error); /* there is none */

/* The whole of a body, which must be an object; json_decref it. */
marey_status json_parse(const uint8_t *data, size_t count, json_t **root, marey_error *error);

/* One value of a kind; `name` is what it is called in a refusal. */
marey_status json_whole(const json_t *value, const char *name, json_int_t least, json_int_t most,
                        json_int_t *out, marey_error *error);
marey_status json_frame(const json_t *value, const char *name, int *out, marey_error *error);
marey_status json_clip(const json_t *value, const char *name, int64_t *out, marey_error *error);
marey_status json_text(const json_t *value, const char *name, const char **out, marey_error *error);
marey_status json_switch(const json_t *value, const char *name, bool *out, marey_error *error);

/* The library's own rule for names of what it keeps, looked at before minutes of work. NULL is allowed; `called` is "a graph's
   name". */
marey_status json_kept_name(const char *name, const char *called, marey_error *error);

#endif
