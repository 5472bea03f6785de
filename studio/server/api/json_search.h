/* json_search.h - the bodies of searching: what is looked for, and how the index is made. As json_body.h: pure functions, each value checked. Read after json_body.h. */
#ifndef STUDIO_JSON_SEARCH_H
#define STUDIO_JSON_SEARCH_H

#include "json_body.h"

enum { JSON_SEARCH_LIMIT = 10000, JSON_SEARCH_TIERS = 1000000 };

typedef struct search_body {
    int64_t clip; /* the query: frames [start, end) of it */
    int start, end;
    marey_search_def search; /* zero where nothing was given, as there */
    const char *label;       /* NULL: not given */
    int64_t *clips;          /* NULL: not given */
    int clip_count;
    heap *memory;
    struct json_t *root;
} search_body;

/* After OK search_body_free must follow; on failure *out is not written. REQUEST, MEMORY; so for all of these. */
marey_status search_body_read(search_body *out, heap *memory, const uint8_t *data, size_t count,
                              marey_error *error);
void search_body_free(search_body *of);

typedef struct index_body {
    double fps;                 /* 0: not given */
    const marey_metric *metric; /* NULL: not given */
    bool rebuild;
} index_body;

marey_status index_body_read(index_body *out, const uint8_t *data, size_t count,
                             marey_error *error);

#endif
