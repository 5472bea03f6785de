/* demo_puppets.h - the demonstrations of reacting that `marey demo` writes, a path to try them on, and the puppets that it
   puts into its library. Read after session.h. */
#ifndef MAREY_TOOL_DEMO_PUPPETS_H
#define MAREY_TOOL_DEMO_PUPPETS_H

#include "session.h"

#define DEMO_PUPPETS "puppets" /* the folder of the tables */

/* Writes FOLDER/puppets/NAME.csv of every ready demonstration and FOLDER/puppets/main.csv, and keeps a puppet that learned from
   each, under its name. *kept: how many. */
marey_status demo_puppets_keep(session *run, marey_library *library, const char *folder, int *kept,
                               marey_error *error);

/* *made: did demo keep this? */
marey_status demo_made_puppet(session *run, const marey_kept_entry *entry, bool *made,
                              marey_error *error);

#endif
