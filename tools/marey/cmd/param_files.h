/* param_files.h - files that `param build` is given beside the library: they are put in, and indexed if a search is to find
   examples among them, so that one command leads from files to a family. Read after adding.h. */
#ifndef MAREY_TOOL_PARAM_FILES_H
#define MAREY_TOOL_PARAM_FILES_H

#include "adding.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct param_files {
    bool given; /* any at all */
    adding in;
    buffer
        clips; /* of each file its path and its clip's number, "#34", each with its ending zero */
    bool indexed;
    marey_index_report index;
} param_files;

void param_files_make(param_files *all, session *run, const request *asked);
void param_files_free(param_files *all);

/* Puts the files in; those that are there already are found there. `index`: and whatever pairs of clips the index of the library
   lacks. What was put in stays, whatever fails later. */
marey_status param_files_take(param_files *all, marey_library *library, bool index,
                              marey_error *error);

/* The clip of a file that was named so, as a name that the library takes; NULL: there was none. */
const char *param_files_clip(const param_files *all, const char *path);

void param_files_json(const param_files *all, json *to);
void param_files_text(const param_files *all, buffer *out);

#endif
