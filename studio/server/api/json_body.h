/* json_body.h - from the bytes of a JSON body to values, each checked: what every address that changes something takes.
   A pure function, so that it can be fuzzed. Read after heap.h. */
#ifndef STUDIO_JSON_BODY_H
#define STUDIO_JSON_BODY_H

#include "heap.h"

#include <marey/marey.h>

struct json_t;

/* Fields that a body may have, as bits. */
enum {
    FIELD_CLIP = 1 << 1,       /* one number */
    FIELD_NAME = 1 << 6,       /* text */
    FIELD_FORMAT = 1 << 7,     /* text */
    FIELD_START = 1 << 8,      /* a frame */
    FIELD_END = 1 << 9,        /* a frame */
    FIELD_PARTS = 1 << 16,     /* "clips": objects of id and perhaps start, end */
    FIELD_CURVE = 1 << 17,     /* text */
    FIELD_HALF = 1 << 18,      /* how many frames */
    FIELD_SLOPE = 1 << 19,     /* how many steps */
    FIELD_REFERENCE = 1 << 20, /* one of the parts, counted from 1 */
    FIELD_PLACE = 1 << 21,     /* one of the parts, counted from 1 */
    FIELD_METHOD = 1 << 22,    /* a row of the table of methods, by its name */
    FIELD_CLEAN = 1 << 23,     /* true or false */
    FIELD_IN_PLACE = 1 << 24,  /* true or false */
    FIELD_WEIGHTS = 1 << 25,   /* numbers */
    FIELD_KEYS = 1 << 26       /* rows of numbers, all of one length */
};

enum {
    JSON_BODY_LABELS = 64,
    JSON_BODY_PARTS = 9,     /* that are named */
    JSON_BODY_WEIGHTS = 256, /* a kept registration may be of so many */
    JSON_BODY_KEYS = 10000
};

typedef struct body_part {
    int64_t id;
    int start, end; /* end is -1 where none was given: the clip's */
} body_part;

typedef struct json_body {
    unsigned given; /* which fields were there */
    int64_t clip;
    const char *name, *format; /* NULL: not given */
    int start, end;
    body_part parts[JSON_BODY_PARTS];
    int part_count;
    const char *curve;                 /* NULL: not given */
    int half, slope, reference, place; /* 0: not given */
    marey_blend_method method;
    bool clean; /* true if not given */
    bool in_place;
    double weights[JSON_BODY_WEIGHTS];
    int weight_count;
    double *keys; /* key_count rows of key_width numbers: seconds, then weights */
    int key_count, key_width;
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
