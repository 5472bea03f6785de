/* input.h - reading clips the way the command line asks for: from files, or by name from a library.
   Read after options.h. */
#ifndef MAREY_TOOL_INPUT_H
#define MAREY_TOOL_INPUT_H

#include "address.h"
#include "options.h"

typedef struct input {
    session *run;
    marey_load_def def;
    marey_library *library; /* of -L; NULL: names are files */
    marey_listing *listing; /* of the library, when a licence was first asked for */
} input;

/* Where a clip came from, for its provenance. */
typedef struct input_source {
    const char
        *library; /* its path; NULL for a file. Borrowed, as is the licence, until input_close */
    const char *licence; /* "" if none is known */
    char name[4096];     /* of the clip, or the file's path */
    int start, end;      /* its own frames that were taken, end exclusive */
    double weight;       /* of an example in a made motion; 0: it has none */
} input_source;

/* --units, --up, --source-fps, --skip-first, --skeleton. Returns as options_parse does. */
int input_options(session *run, const request *asked, marey_load_def *out);

/* The same, and opens the library of -L. Returns an exit status, the reason being said. After
   PROGRAM_DONE input_close must follow. */
int input_open(session *run, const request *asked, input *out);
void input_close(input *from);

/* --fps; 0 if it was not given. */
int input_rate(session *run, const request *asked, double *out);

/* The clip of an address, its warnings said on standard error, its range cut out, then `trim`.
   `source` may be NULL. On failure neither *out nor *source is written. */
marey_status input_load(input *from, const char *text, const frame_range *trim, marey_clip **out,
                        input_source *source, marey_error *error);

/* The warnings of a clip's report from number `first` on, on standard error, unless --quiet. */
void input_say_warnings(session *run, const char *path, const marey_clip *clip, int first);

/* Takes the place of *clip: `status` and `fresh` are what an edit of it returned. On failure *clip
   is freed and NULL, and the error names `path`: the library knows a clip by its name only. */
marey_status input_replace(marey_clip **clip, marey_clip *fresh, marey_status status,
                           const char *path, marey_error *error);

#endif
