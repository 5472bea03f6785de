/* library_file.h - a library on the command line: opening it, closing it, and what is written of
   its clips. Read after json.h and options.h. */
#ifndef MAREY_TOOL_LIBRARY_FILE_H
#define MAREY_TOOL_LIBRARY_FILE_H

#include "address.h"
#include "entries.h"
#include "json.h"
#include "options.h"

/* A clip's name has at most 200 bytes; this is enough to report any. */
enum { CLIP_NAME_ROOM = 256 };

typedef struct library_file {
    session *run;
    const char *path;
    marey_library *library;
    bool is_new; /* made by this command */
} library_file;

marey_status library_file_open(session *run, const char *path, marey_library_mode mode,
                               library_file *out, marey_error *error);

/* Closes the library. One that this command made is not left behind if `keep` is false, unless
   something is in it or another program has it open. */
void library_file_close(library_file *at, bool keep);

/* Ends a command: closes, then sends the answer that is in run->out, or in its place the error. */
int library_file_end(library_file *at, marey_status status, marey_error *error);

/* On standard error that a clip is for non-commercial use only, if its licence says so, unless
   --quiet. */
void licence_say(session *run, const char *name, const char *licence);

/* Saves `text` as PATH.provenance.json. */
marey_status provenance_save(session *run, const char *path, const char *text, size_t count,
                             marey_error *error);

/* ".bvh" of "bvh"; NULL if there is no such format. Lives forever. */
const char *format_ending(const char *format);

/* Columns that a text takes: its characters, by the first byte of each. */
int shown_width(const char *text);

/* "3 clips" */
void buffer_clips(buffer *out, int64_t count);

/* A line about clips that were retargeted, if any were; what it is about is `width` wide. */
void buffer_fits(buffer *out, const marey_parts *parts, int width);

/* "1.999 cm RMS (3.995 cm2)": a distance that is a square as the length that it is the square of,
   too. */
void buffer_distance(buffer *out, double distance, const char *unit);

#endif
