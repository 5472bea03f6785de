/* adding.h - files and folders on their way into a library: what became of each, as text and as JSON. Read after shelf.h and
   folder.h; `add` and `param build` use it. */
#ifndef MAREY_TOOL_ADDING_H
#define MAREY_TOOL_ADDING_H

#include "failures.h"
#include "folder.h"
#include "shelf.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct adding {
    session *run;
    marey_add_def def; /* to be filled in, but for done and user */
    bool each;         /* one line for each file */
    /* Told of every file that is in now or was there already; may be NULL. */
    void (*taken)(void *user, const marey_add_result *result);
    void *taken_user;

    found_list list;
    size_t offset; /* of the record that comes next */
    int64_t added, duplicates, skipped;
    buffer added_values, duplicate_values, skipped_values; /* the arrays', for JSON */
    json added_to, duplicates_to, skipped_to;
    failures errors;
} adding;

void adding_make(adding *all, session *run);
void adding_free(adding *all);

/* The files that these names stand for. MEMORY. */
marey_status adding_walk(adding *all, char *const *names, int count);

/* Puts them in, by one transaction. A file that cannot be read is said and noted in errors, and does not stop the others.
   MEMORY, too, if nobody could be told: then nothing was put in. */
marey_status adding_run(adding *all, marey_library *library, marey_error *error);

/* Memory was refused to what is told. */
bool adding_failed(const adding *all);

/* "added":[...],"duplicates":[...],"skipped":[...],"errors":[...] */
void adding_json(const adding *all, json *to);
void adding_text(const adding *all, buffer *out); /* "added 3 clips, 1 duplicate" and a new line */

#endif
