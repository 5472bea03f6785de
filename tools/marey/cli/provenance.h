/* provenance.h - what is said of licences, and the file beside a generated clip that says what it was made of.
   Read after session.h. */
#ifndef MAREY_TOOL_PROVENANCE_H
#define MAREY_TOOL_PROVENANCE_H

#include "session.h"

void licence_say(session *run, const char *name,
                 const char *licence); /* if it is one, unless --quiet */

/* Saves `text` as PATH.provenance.json. */
marey_status provenance_save(session *run, const char *path, const char *text, size_t count,
                             marey_error *error);

#endif
