/* provenance.h - what a made clip was made of: sources, their frames and licences, and settings.
   Read after input.h; every command that makes a clip uses it. */
#ifndef MAREY_TOOL_PROVENANCE_H
#define MAREY_TOOL_PROVENANCE_H

#include "input.h"
#include "json.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct provenance {
    session *run;
    buffer sources; /* the array's values */
    json sources_to;
    const char *family;        /* of which it is a member; NULL: none */
    const char *graph;         /* through which it is a walk; NULL: none */
    const char *puppet, *main; /* whose path it goes, behind which main character; NULL: nobody's */
    buffer taught;             /* as sources: the clips that the puppet was trained on */
    json taught_to;
    buffer licences; /* of the sources, each once: "CC BY 4.0; CC BY-NC 4.0", and an ending zero */
} provenance;

void provenance_make(provenance *all, session *run);
void provenance_free(provenance *all);

void provenance_note(provenance *all, const input_source *source); /* notes a source */

/* Notes a clip that the puppet was trained on: its frames are not in what is made, its licence is. */
void provenance_taught(provenance *all, const char *name, const char *licence);

/* Writes {"made_by", "version", "sources", "settings"} into `out`, with an ending zero. The settings
   are the options of the command line that say how the clip is made. */
void provenance_write(const provenance *all, const request *asked, buffer *out);

void licence_say(session *run, const char *name,
                 const char *licence); /* if it is one, unless --quiet */

/* Saves `text` as PATH.provenance.json. */
marey_status provenance_save(session *run, const char *path, const char *text, size_t count,
                             marey_error *error);

#endif
