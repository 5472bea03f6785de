/* text_file.h - a whole text file in memory, read through the host's hooks. Read after session.h. */
#ifndef MAREY_TOOL_TEXT_FILE_H
#define MAREY_TOOL_TEXT_FILE_H

#include "session.h"

/* Everything in the file, with an ending zero, put into `text`; a pipe does as well as a file. LIMIT: more than
   most_mib; `what` is what such a file holds, as in "a list of plants". INPUT, IO, MEMORY. */
marey_status text_file_read(session *run, const char *path, int most_mib, const char *what,
                            buffer *text, marey_error *error);

#endif
