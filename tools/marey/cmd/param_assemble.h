/* param_assemble.h - building families from parts of a library's clips, and building them again from fewer. Read after
   param_examples.h; build, prune and demo use it. */
#ifndef MAREY_TOOL_PARAM_ASSEMBLE_H
#define MAREY_TOOL_PARAM_ASSEMBLE_H

#include "param_examples.h"

typedef struct assembled {
    session *run;
    marey_library *library; /* borrowed */
    marey_parts *parts;
    marey_family *family;
} assembled;

/* parents[i] is the example that example i is aligned with, -1 for the first. `def` without its registration. */
marey_status assemble(assembled *out, const marey_part *parts, int count, const int *parents,
                      const marey_family_def *def, marey_error *error);
void assembled_free(assembled *of); /* {0} is allowed */

/* Builds it again with the same settings from the examples that have a byte in `keep`; the first one must. Those whose
   parent goes are aligned with the nearest of its own parents that stays. */
marey_status assembled_reduce(assembled *of, const uint8_t *keep, marey_error *error);

/* Without the examples that the others reproduce. *gone: how many went. */
marey_status assembled_prune(assembled *of, double tolerance, int *gone, marey_error *error);

typedef struct dropped { /* an example that went, and the share of its blends that were faulty */
    char name[MAREY_NAME_ROOM];
    marey_part part;
    double share;
} dropped;

/* Without the examples of whose blends more than half are faulty, the first excepted. They are put into `gone`. */
marey_status assembled_drop_faulty(assembled *of, buffer *gone, marey_error *error);

marey_status assembled_faults(const assembled *of, int *count, marey_error *error);

/* How much it takes in a library. */
marey_status assembled_bytes(const assembled *of, size_t *bytes, marey_error *error);

#endif
