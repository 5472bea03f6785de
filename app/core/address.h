/* address.h - which frames of which file: "walk.bvh#120-300", "walk.bvh#1.5s-3s",
   "walk.bvh#120". A library's clip may be given by its number: "#34", "#34#120-300". Read by the
   commands that take clips. */
#ifndef MAREY_TOOL_ADDRESS_H
#define MAREY_TOOL_ADDRESS_H

#include <marey/marey.h>

typedef struct frame_range {
    bool given;        /* false: the whole clip */
    bool in_seconds;   /* the numbers are seconds, else frames */
    bool one_frame;    /* `end` says nothing */
    double start, end; /* end exclusive */
} frame_range;

/* "120-300", "1.5s-3s", "120" or "1.5s"; false if it is none of these. */
bool range_parse(const char *text, frame_range *out);

/* Does what is no clip of a library name a file? No clip's name has a '/', and few end like a
   file's. */
bool input_is_file(const char *path);
bool path_ends_in(const char *path,
                  const char *ending); /* in letters of any case, with something before it */

/* "LIB.marey:NAME": writes the library's path and returns the name; NULL if `text` is a file. */
const char *library_target(const char *text, char *path, size_t room);

/* Does it end in .png, .svg or .pdf? */
bool path_is_picture(const char *path);

typedef struct address {
    char path[4096];
    frame_range range;
} address;

/* The part behind the last '#' is a range if it reads as one and is not all there is; otherwise
   it belongs to the file's name. False: the path is longer than any the system takes. */
bool address_parse(const char *text, address *out);

/* To what is said of a clip that is not there: how ranges are written, if `text` has what looks
   like one behind its last '#' but does not read as one, such as "walk#2.0-4.2" or
   "walk#0:02-0:04". */
void address_explain(const char *text, marey_error *error);

/* The frames of a clip that a range means. Times go to the nearest frame, so that ranges that meet
   share no frame. Ranges count the file's frames: `dropped` is how many the clip has lost at its
   beginning. REQUEST: empty, or outside the clip. */
marey_status range_find(const frame_range *range, const marey_clip *clip, int dropped, int *start,
                        int *end, marey_error *error);

/* The same for a clip of which only this is known. */
marey_status range_find_among(const frame_range *range, int frames, double fps, int dropped,
                              int *start, int *end, marey_error *error);

#endif
