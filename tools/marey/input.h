/* input.h - reading clips the way the command line asks for. Read after options.h. */
#ifndef MAREY_TOOL_INPUT_H
#define MAREY_TOOL_INPUT_H

#include "address.h"
#include "options.h"

/* --units, --up, --source-fps, --skip-first. Returns as options_parse does. */
int input_options(session *run, const request *asked, marey_load_def *out);

/* --fps; 0 if it was not given. */
int input_rate(session *run, const request *asked, double *out);

/* The clip of an address, its warnings said on standard error, its range cut out, then `trim`.
   On failure *out is not written. */
marey_status input_load(session *run, const char *text, const marey_load_def *def,
                        const frame_range *trim, marey_clip **out, marey_error *error);

/* The warnings of a clip's report from number `first` on, on standard error, unless --quiet. */
void input_say_warnings(session *run, const char *path, const marey_clip *clip, int first);

/* Takes the place of *clip: `status` and `fresh` are what an edit of it returned. On failure *clip
   is freed and NULL, and the error names `path`: the library knows a clip by its name only. */
marey_status input_replace(marey_clip **clip, marey_clip *fresh, marey_status status,
                           const char *path, marey_error *error);

#endif
