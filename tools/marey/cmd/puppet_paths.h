/* puppet_paths.h - paths of a main character and of somebody who reacts on their way out: as a table, as a picture. Read after
   options.h; run and show use it. */
#ifndef MAREY_TOOL_PUPPET_PATHS_H
#define MAREY_TOOL_PUPPET_PATHS_H

#include "options.h"

/* The endings of a table that an option names (`shown`: "-o"), and of --picture. Returns an exit status, the reason being said. */
int paths_outputs(session *run, const request *asked, option_key table, const char *shown);

marey_status paths_save(session *run, const char *path, const marey_puppet_sample *samples,
                        int count, marey_error *error);

/* Where one of the two is, so many times a second from the first sample on. Holds memory of its own until places_free. */
typedef struct places {
    marey_entity *items;
    int count;
    double rate;
    size_t bytes;
} places;

/* MEMORY. */
marey_status places_make(session *run, const marey_puppet_sample *samples, int count, double rate,
                         bool of_main, places *out, marey_error *error);
void places_free(session *run, places *of); /* {0} is allowed */

/* Samples of any times; `name` is of the one that reacts, `body` (may be NULL) goes where it goes. */
marey_status paths_draw(session *run, const marey_puppet_sample *samples, int count,
                        const char *title, const char *name, const places *body, const char *path,
                        marey_error *error);

#endif
