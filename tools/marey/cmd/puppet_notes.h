/* puppet_notes.h - tables of paths on the command line, and what should be known about them: gaps, times and directions that look as
   if they were in other units. Read after json.h; train and run use it. */
#ifndef MAREY_TOOL_PUPPET_NOTES_H
#define MAREY_TOOL_PUPPET_NOTES_H

#include "json.h"
#include "session.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct puppet_notes {
    session *run;
    buffer values; /* the array's, for JSON */
    json to;
} puppet_notes;

void puppet_notes_make(puppet_notes *all, session *run);
void puppet_notes_free(puppet_notes *all);

/* Says it on standard error, unless --quiet, and keeps it for the answer. */
__attribute__((format(printf, 2, 3))) void puppet_note(puppet_notes *all, const char *format, ...);

/* Reads a table. What is no table is told apart: a puppet, a library, a clip. */
marey_status paths_open(session *run, const char *path, const marey_paths_def *def,
                        marey_paths **out, marey_error *error);

/* Notes directions that seem to be in degrees. */
void paths_note_turns(puppet_notes *all, const char *path, const marey_paths *paths);

/* Notes all that is odd about it; `gap` says what becomes of a gap. */
void paths_note(puppet_notes *all, const char *path, const marey_paths *paths, const char *gap);

#endif
