/* found_answer.h - what `marey search` says. Read after input.h and shelf.h. */
#ifndef MAREY_TOOL_FOUND_ANSWER_H
#define MAREY_TOOL_FOUND_ANSWER_H

#include "input.h"
#include "shelf.h"

typedef struct searching {
    shelf at;
    session *run;
    const request *asked;
    marey_load_def load;
    marey_find_def def;
    const char *ending; /* of the files of -o */
    marey_listing *listing;
    address from;
    marey_query query;
    double fps; /* of its clip */
    marey_clip *outside;
    int64_t in[MOST_REPEATED]; /* of --in */
    const char *metric;
    bool squared; /* distances are in cm2 */
    marey_finding *finding;
    const marey_match *matches;
    int count;
    int written;        /* files */
    buffer files;       /* for JSON */
    marey_named *clips; /* of --cut; room for all matches */
    int clip_count;
} searching;

/* Everything but the clips that were cut; the JSON object stays open. */
marey_status found_answer(const searching *all, json *to, marey_error *error);

/* These, and the end. */
void found_answer_end(const searching *all, json *to);

/* On standard error, before it is searched for: a query this short is like almost everything, and takes long. */
void found_warn_short(session *run, int frames, double fps);

/* On standard error: what may be missing. */
void found_warn(const searching *all);

#endif
