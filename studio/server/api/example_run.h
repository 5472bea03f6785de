/* example_run.h - one search by example, from its body to what was found. Read after example_body.h and example_store.h. */
#ifndef STUDIO_EXAMPLE_RUN_H
#define STUDIO_EXAMPLE_RUN_H

#include "example_body.h"
#include "example_store.h"

typedef struct example_run {
    studio_worker *by;
    const example_body *body;
    example_set set;     /* whose `kept` is NULL: none is used */
    studio_bytes values; /* of a query that is a clip */
    marey_example_query query;
    int first; /* sample 0 of the query is this frame of the clip; 0 for a drawn curve */
    char query_name[MAREY_NAME_ROOM]; /* the clip's; "" for a drawn curve */
    marey_example_found *found;
    double seconds; /* for finding alone */
} example_run;

/* example_run_free must follow, also after a failure. INPUT: a clip is not there. REQUEST, LIMIT, MEMORY, CANCELLED. */
example_run example_run_begin(studio_worker *worker, const example_body *body);
marey_status example_run_find(example_run *all, marey_error *error);
void example_run_free(example_run *all);

#endif
