/* plants.h - the foot plants of a clip on the command line: those that its library keeps, or those that are found,
   and reading them from a file. Read after input.h; contacts, quality and render use it. */
#ifndef MAREY_TOOL_PLANTS_H
#define MAREY_TOOL_PLANTS_H

#include "input.h"
#include "json.h"

/* Frames are those of the clip in hand: a range of an address counts from its own first frame. */
typedef struct plants {
    session *run;
    marey_contact *items; /* by joint, then start */
    int count;
    size_t bytes;         /* of items, if they are this struct's own */
    bool stored;          /* the library's; else found in the motion */
    marey_contacts found; /* whose items they are, if they were found */
} plants;

/* What the library keeps for the clip, cut to the frames that `source` says; where it keeps none, or the clip is
   a file, or `find` is set, what is found in `clip`. After MAREY_OK plants_free must follow. */
marey_status plants_get(input *from, const input_source *source, const marey_clip *clip, bool find,
                        plants *out, marey_error *error);

/* What is found in `clip`. After MAREY_OK plants_free must follow. */
marey_status plants_find(session *run, const marey_clip *clip, plants *out, marey_error *error);

/* Reads {"contacts": [{"joint": "left_heel", "start": 0, "end": 12}, ...]}, which is what `contacts --json`
   prints; other keys are passed over. INPUT, with line and column: no JSON, or not this. */
marey_status plants_read(session *run, const char *path, plants *out, marey_error *error);

void plants_free(plants *all); /* {0} is allowed */

/* "from": "found" or "library" */
const char *plants_from(const plants *all);

#endif
