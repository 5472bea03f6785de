/* puppet_origin.h - the clips that a puppet was trained on, and their licences: train writes them into it, show and run say what
   follows from them. Read after shelf.h and provenance.h. */
#ifndef MAREY_TOOL_PUPPET_ORIGIN_H
#define MAREY_TOOL_PUPPET_ORIGIN_H

#include "provenance.h"
#include "shelf.h"

typedef struct puppet_origin {
    buffer texts; /* of each clip its name, a zero, its licence, a zero */
    int count;
} puppet_origin;

void puppet_origin_make(puppet_origin *all, session *run);
void puppet_origin_free(puppet_origin *all);

/* Each once; one without a licence has nothing to be remembered for. Out of memory is noticed by texts.failed. */
void puppet_origin_add(puppet_origin *all, const char *name, const char *licence);

/* The clip behind `at`, which begins at 0; NULL: there are no more. Borrowed. */
const char *puppet_origin_next(const puppet_origin *all, size_t *at, const char **licence);

void puppet_origin_take(puppet_origin *all, const marey_puppet_sources *sources); /* all of these */

/* As the library takes them; NULL if there are none, or no memory. session_resize them to 0, of count * sizeof. */
marey_puppet_source *puppet_origin_list(const puppet_origin *all, session *run);

/* Which of them are for non-commercial use only, unless --quiet. `puppet` is what it is called. */
void puppet_origin_say(const puppet_origin *all, session *run, const char *puppet);
/* "sources": [{"clip", "licence"}] */
void puppet_origin_json(const puppet_origin *all, json *to);
void puppet_origin_text(const puppet_origin *all, buffer *out); /* a line, or nothing */

#endif
