/* family_building.h - a family on its way from a body into the library: a request says which examples, and a job makes it.
   Read after family_kept.h. */
#ifndef STUDIO_FAMILY_BUILDING_H
#define STUDIO_FAMILY_BUILDING_H

#include "family_kept.h"

typedef struct family_building {
    studio_worker *
        by; /* of the request, then of the jobs: nothing of the one's library is left for the other */
    heap *memory;
    family_body body;
    marey_listing *listing; /* of the library, during the request */
    int count;              /* of examples */
    marey_part parts[JSON_FAMILY_PARTS];
    int parents[JSON_FAMILY_PARTS]; /* whom each is aligned with */
    int left_out[JSON_FAMILY_PARTS];
    int left_out_count;
    char query[API_NAME_ROOM + 32]; /* "walk#60-180", or "" */
    double threshold;               /* of its search */
    marey_param params[MAREY_MOST_PARAMS];
    studio_bytes labels; /* what label(NAME) is for each example */
    marey_parts *opened;
    marey_family *family;
    double seconds; /* from examples to samples */
    marey_fault *faults;
    size_t fault_bytes;
    int fault_count;
    double blamed[JSON_FAMILY_PARTS];
} family_building;

/* Which examples: fills parts and parents. False: the answer says why not. */
bool family_choose(family_building *all, studio_response *response);

/* What is to be known of the examples before they are opened: features, and the labels of their clips. */
marey_status family_prepare(family_building *all, marey_error *error);

/* From parts to a family, with what is wrong with it. */
marey_status family_assemble(family_building *all, marey_error *error);

#endif
