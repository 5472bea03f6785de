/* param_examples.h - the examples of a family: parts of a library's clips that were named, that have a label, or that a
   search found. Read after param_family.h and
   param_files.h; `param build` uses it. */
#ifndef MAREY_TOOL_PARAM_EXAMPLES_H
#define MAREY_TOOL_PARAM_EXAMPLES_H

#include "param_family.h"
#include "param_files.h"

enum { MOST_EXAMPLES = 256 };

typedef struct examples {
    session *run;
    marey_library *library;       /* borrowed */
    const marey_listing *listing; /* of it; borrowed */
    const param_files *files;     /* whose clips may be named by their paths; borrowed */
    int count;
    marey_part parts[MOST_EXAMPLES];
    int parents[MOST_EXAMPLES]; /* the example that each is aligned with; -1: the first */
} examples;

/* --clips A#0-90,B#10-95, several times if need be: each aligned with the first. INPUT: no such clip. REQUEST: frames that
   are not there; too many. */
marey_status examples_named(examples *out, const request *asked, marey_error *error);

/* Every clip with this label, whole. REQUEST: there is none. */
marey_status examples_labelled(examples *out, const char *label, marey_error *error);

/* --query CLIP#0-90 --threshold E and so on: the matches, aligned along the match graph (webs, 6.3.1). */
int examples_check_query(session *run, const request *asked);
marey_status examples_found(examples *out, const request *asked, marey_error *error);

/* What label(NAME) is for each example, from labels NAME=0.7 of their clips: count x labels numbers are put into `out`.
   REQUEST: a clip has no such label. */
marey_status examples_label_values(const examples *of, const marey_param *params, int param_count,
                                   buffer *out, marey_error *error);

/* The number of a clip that is named. INPUT: no such clip. */
marey_status examples_clip(const examples *out, const char *name, int64_t *id, marey_error *error);

/* Adds the frames of a clip that an address names. */
marey_status examples_add(examples *out, const char *text, int parent, marey_error *error);

#endif
