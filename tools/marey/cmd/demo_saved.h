/* demo_saved.h - what `marey demo` makes beside its takes: saved things to try marey with, and
   is a library its own work only? Read by cmd_demo.c. */
#ifndef MAREY_TOOL_DEMO_SAVED_H
#define MAREY_TOOL_DEMO_SAVED_H

#include "families.h"
#include "library_file.h"

enum { PATH_ROOM = 4096 };
#define DEMO_FAMILY "reach"
#define DEMO_CLUSTERS "moves"
#define DEMO_PUPPETS "puppets" /* the folder of the tables */

/* Right reaches of the larger body, for a family by where the wrist goes. */
typedef struct demo_reaches {
    int count;
    struct {
        const char *take;
        int start, end;
    } items[APP_MOST_EXAMPLES];
} demo_reaches;

/* Notes the reaches of a take; where they are is known from its truth. `name` lives as long. */
void demo_reaches_note(demo_reaches *reaches, const marey_demo_take *take, const char *name);

/* All of these build and save something, the same bytes for any number of threads, unless too
   few of the takes it needs were made. *kept: is it there, or how many of them are. `truth` is
   that of the takes, as it is written into a file. */
marey_status demo_reaches_keep(const demo_reaches *reaches, session *run, marey_library *library,
                               bool *kept, marey_error *error);
marey_status demo_graphs_keep(session *run, marey_library *library, buffer *truth, int *kept,
                              marey_error *error);
marey_status demo_clusters_keep(session *run, marey_library *library, bool *kept,
                                marey_error *error);

/* Writes FOLDER/puppets/NAME.csv of every ready demonstration and FOLDER/puppets/main.csv, and
   saves a puppet that learned from each, under its name. */
marey_status demo_puppets_keep(session *run, marey_library *library, const char *folder, int *kept,
                               marey_error *error);

/* *made: did demo save this, and is it as it was? */
marey_status demo_made_saved(session *run, const marey_kept_entry *entry, bool *made,
                             marey_error *error);
marey_status demo_made_puppet(session *run, const marey_kept_entry *entry, bool *made,
                              marey_error *error);

/* Does the text about a clip or a saved thing say that demo made it? */
bool made_by_demo(const char *about);

#endif
