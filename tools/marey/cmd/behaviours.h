/* behaviours.h - what is done in which frames of a motion graph's clips: by the clips' labels, or by a file such as the
   demo's truth.json. Read after graph_open.h. */
#ifndef MAREY_TOOL_BEHAVIOURS_H
#define MAREY_TOOL_BEHAVIOURS_H

#include "graph_open.h"

/* {0} may be freed. */
typedef struct behaviours {
    buffer rows; /* of marey_behaviour, whose labels are offsets until behaviours_done */
    buffer text; /* labels, each with an ending zero */
    const marey_behaviour *items;
    int count;
    const marey_listing *listing; /* of the library; may be NULL */
    int unknown; /* takes of the file that are clips neither of the graph nor of the library */
} behaviours;

void behaviours_make(behaviours *all, session *run);
void behaviours_free(behaviours *all);

/* Frames [start, end) of a clip, wherever they are in the parts. */
void behaviours_add(behaviours *all, const marey_parts *parts, int64_t clip, int start, int end,
                    const char *label);

/* Every label of a clip is for all of it. */
void behaviours_of_labels(behaviours *all, const marey_parts *parts, const marey_listing *listing);

/* {"takes":[{"clip","segments":[{"label","start","end"}]}]}. REQUEST: none of its takes is a clip of the graph. */
marey_status behaviours_read(behaviours *all, session *run, const char *path,
                             const marey_parts *parts, marey_error *error);

/* The same of a text that is there already, with an ending zero. */
marey_status behaviours_parse(behaviours *all, session *run, const buffer *text, const char *path,
                              const marey_parts *parts, marey_error *error);

/* Fills items and count. */
marey_status behaviours_done(behaviours *all, marey_error *error);

#endif
