/* json_body.h - from the bytes of a JSON body to values, each checked: what every address that changes something takes.
   A pure function, so that it can be fuzzed. Read after heap.h. */
#ifndef STUDIO_JSON_BODY_H
#define STUDIO_JSON_BODY_H

#include "heap.h"

#include <marey/marey.h>

struct json_t;

/* Fields that a body may have, as bits. */
enum {
    FIELD_CLIP = 1 << 1,   /* one number */
    FIELD_NAME = 1 << 6,   /* text */
    FIELD_FORMAT = 1 << 7, /* text */
    FIELD_START = 1 << 8,  /* a frame */
    FIELD_END = 1 << 9     /* a frame */
};

typedef struct json_body {
    unsigned given; /* which fields were there */
    int64_t clip;
    const char *name, *format; /* NULL: not given */
    int start, end;
    heap *memory;
    struct json_t *root; /* the texts are its own */
} json_body;

/* Reads an object that has all fields of `needed` and, beyond these, only fields of `allowed`. After OK json_body_free
   must follow; on failure *out is not written. REQUEST, with a sentence: no JSON, nested deeper than
   LIMIT_JSON_DEPTH, a field twice, unknown, missing, or of the wrong kind. MEMORY. */
marey_status json_body_read(json_body *out, heap *memory, const uint8_t *data, size_t count,
                            unsigned needed, unsigned allowed, marey_error *error);
void json_body_free(json_body *of);

/* Are brackets nested at most `most` deep? Does not look at anything else. */
bool json_is_shallow(const char *text, size_t count, int most);

#endif
