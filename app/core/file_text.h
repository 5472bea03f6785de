/* file_text.h - a text file, whole. Read after env.h. */
#ifndef MAREY_APP_FILE_TEXT_H
#define MAREY_APP_FILE_TEXT_H

#include "env.h"

/* Everything in the file, with an ending zero, put into `text`; a pipe does as well as a file.
   `memory` has the hooks that files are read by. LIMIT: more than most_mib; `kind` is what such
   a file holds, as in "a list of plants". INPUT, IO, MEMORY. */
marey_status app_file_text(const marey_ctx_def *memory, const char *path, int most_mib,
                           const char *kind, buffer *text, marey_error *error);

#endif
