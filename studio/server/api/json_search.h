/* json_search.h - the body of what is cut out of clips. As json_body.h: pure functions, each value checked. Read after json_body.h. */
#ifndef STUDIO_JSON_SEARCH_H
#define STUDIO_JSON_SEARCH_H

#include "json_body.h"

enum {
    JSON_SEARCH_CUTS = 4096 /* in one body */
};

/* Frames [start, end) of a clip. */
typedef struct body_cut {
    int64_t clip;
    int start, end;
    const char *name; /* of what is cut */
} body_cut;

typedef struct cuts_body {
    body_cut *cuts;
    int cut_count;
    const char *labels[JSON_BODY_LABELS], *source_labels[JSON_BODY_LABELS];
    int label_count, source_label_count;
    heap *memory;
    struct json_t *root;
} cuts_body;

/* After OK cuts_body_free must follow; on failure *out is not written. REQUEST, MEMORY. */
marey_status cuts_body_read(cuts_body *out, heap *memory, const uint8_t *data, size_t count,
                            marey_error *error);
void cuts_body_free(cuts_body *of);

#endif
