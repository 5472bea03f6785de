/* json_families.h - the bodies of parameterized motion: what a family is built of, and what is asked of it. As json_body.h:
   pure functions, each value checked. Read after json_body.h. */
#ifndef STUDIO_JSON_FAMILIES_H
#define STUDIO_JSON_FAMILIES_H

#include "json_body.h"

enum { JSON_FAMILY_PARTS = 256, JSON_FAMILY_SAMPLES = 10000 };

typedef struct family_body {
    const char *name;
    const char *features[MAREY_MOST_PARAMS];
    int feature_count;
    body_part parts[JSON_FAMILY_PARTS]; /* or of a search: */
    int part_count;
    int64_t search; /* 0: not given */
    int matches[JSON_FAMILY_PARTS];
    int match_count; /* 0: not given, all of them */
    int samples;     /* these three as for marey_family_def */
    double delta, grow;
    bool examine;
    struct json_t *root;
} family_body;

/* After OK family_body_free must follow; on failure *out is nothing to be freed. REQUEST, MEMORY; so for both. */
marey_status family_body_read(family_body *out, const uint8_t *data, size_t count,
                              marey_error *error);
void family_body_free(family_body *of);

typedef struct member_body {
    const char *family;
    double at[MAREY_MOST_PARAM_DIMS];
    int at_count;
    const char *name, *format; /* NULL: not given */
    bool clean, table;
    struct json_t *root;
} member_body;

/* `file`: a format is needed, and no name is taken. */
marey_status member_body_read(member_body *out, bool file, const uint8_t *data, size_t count,
                              marey_error *error);
void member_body_free(member_body *of);

#endif
