/* found_out.h - what is done with the matches of a search: a sheet of strips, a file for each, a clip of the library for
   each. Read after shelf.h. */
#ifndef MAREY_TOOL_FOUND_OUT_H
#define MAREY_TOOL_FOUND_OUT_H

#include "shelf.h"

typedef struct found_out {
    session *run;
    marey_library *library;
    const marey_listing *listing;
    const marey_match *matches; /* the query first */
    int count;
    const marey_clip *outside; /* the query's clip, if it is not in the library; else NULL */
    bool squared;              /* distances are in cm2 */
} found_out;

/* The query and its matches as strips, each with its frames and how far it is. */
marey_status found_sheet(const found_out *from, const char *path, marey_error *error);

/* Writes each to FOLDER/CLIP-START-END.ENDING, the query too unless it is from outside. The paths go to `files`. */
marey_status found_files(const found_out *from, const char *folder, const char *ending, json *files,
                         int *written, marey_error *error);

/* Makes clips called NAME-1, NAME-2 .. of the same, with these labels, all or none. `got` has room for all matches. */
marey_status found_cuts(const found_out *from, const char *name, const request *asked,
                        marey_named *got, int *made, marey_error *error);

#endif
