/* failures.h - what went wrong with single files or clips while the others went on. Read after json.h and
   session.h. */
#ifndef MAREY_TOOL_FAILURES_H
#define MAREY_TOOL_FAILURES_H

#include "json.h"
#include "session.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct failures {
    session *run;
    buffer values; /* the array's, for JSON */
    json to;
    int count;
    int status; /* the worst exit status so far */
} failures;

void failures_make(failures *all, session *run);
void failures_free(failures *all);

/* Says it on standard error and keeps it for the answer. `path` is what the user knows it by. */
void failures_add(failures *all, const char *path, const marey_error *error);

/* Out of memory and cancelled end the whole run, whatever they happened to. */
bool failure_ends_all(const marey_error *error);

#endif
