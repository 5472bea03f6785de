/* example_body.h - the bodies of search by example: what is looked for, where, and what of it is made into a clip. As
   graph_body.h: pure functions, each value checked. Read after json_body.h. */
#ifndef STUDIO_EXAMPLE_BODY_H
#define STUDIO_EXAMPLE_BODY_H

#include "json_body.h"

enum {
    EXAMPLE_BODY_SAMPLES = 4096, /* of a drawn curve */
    EXAMPLE_BODY_CLIPS = 1000    /* told, or taken */
};

typedef enum example_kind {
    EXAMPLE_FIND,
    EXAMPLE_MAKE, /* one of the paths as a clip */
    EXAMPLE_TAKE  /* the best clips, for a cluster graph */
} example_kind;

typedef struct example_body {
    heap *memory;
    marey_dof dofs[MAREY_MOST_DOFS];
    const char *dof_texts[MAREY_MOST_DOFS]; /* as they were written */
    int dof_count;
    int64_t clip;   /* the query: frames [start, end) of it; 0: the curve below */
    int start, end; /* end -1: the clip's */
    double fps;
    double *values; /* rows x samples; NaN in a whole row: not asked for */
    int rows, samples;
    int k, best; /* 0: not given */
    double noise;
    bool shape, others;
    const char *label;
    int64_t *clips;
    int clip_count;
    int limit;  /* EXAMPLE_FIND */
    int take;   /* EXAMPLE_TAKE */
    int path;   /* EXAMPLE_MAKE, from here on */
    int64_t of; /* 0: not given */
    bool own_pace, clean, rough;
    const char *name, *format; /* NULL: not given */
    struct json_t *root;       /* the texts are its own */
} example_body;

/* After OK example_body_free must follow; on failure *out is nothing to be freed. REQUEST, MEMORY. */
marey_status example_body_read(example_body *out, heap *memory, example_kind kind,
                               const uint8_t *data, size_t count, marey_error *error);

/* The same of a value inside another body, which must live as long. */
marey_status example_body_take(example_body *out, heap *memory, struct json_t *value,
                               marey_error *error);
void example_body_free(example_body *of);

#endif
