/* shelf.h - a library on the command line: opening it, the answer to a change, and putting made clips in.
   Read after json.h and options.h; all library commands use it. */
#ifndef MAREY_TOOL_SHELF_H
#define MAREY_TOOL_SHELF_H

#include "address.h"
#include "entries.h"
#include "json.h"
#include "options.h"

/* A clip's name has at most 200 bytes; this is enough to report any. */
enum { CLIP_NAME_ROOM = 256 };

typedef struct shelf {
    session *run;
    const char *path;
    marey_library *library;
    bool is_new; /* made by this command */
} shelf;

marey_status shelf_open(session *run, const char *path, marey_library_mode mode, shelf *out,
                        marey_error *error);

/* Closes the library. One that this command made is not left behind if `keep` is false, unless
   something is in it or another program has it open. */
void shelf_close(shelf *at, bool keep);

/* Ends a command: closes, then sends the answer that is in run->out, or in its place the error. */
int shelf_end(shelf *at, marey_status status, marey_error *error);

/* MEMORY if the answer could not be put together. Asked before a change is made: after that only
   sending the answer can fail. */
marey_status shelf_ready(session *run, marey_error *error);

/* The same for an answer that can only be known after the change: room for `bytes` of it. */
marey_status shelf_ready_for(session *run, int bytes, marey_error *error);

/* ".bvh" of "bvh"; NULL if there is no such format. Lives forever. */
const char *format_ending(const char *format);

/* "3 clips" */
void buffer_clips(buffer *out, int64_t count);

#endif
