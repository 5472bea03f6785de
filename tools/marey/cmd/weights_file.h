/* weights_file.h - weights of a blend: a list on the command line, or a file of them over time. Read after session.h. */
#ifndef MAREY_TOOL_WEIGHTS_FILE_H
#define MAREY_TOOL_WEIGHTS_FILE_H

#include "session.h"

/* "1,0.5,-0.2": as many numbers as there are motions, whose sum is not 0. Returns an exit status, the reason being said. */
int weights_parse(session *run, const char *text, int count, double *out);

/* Lines of a time in seconds and a weight for each of `count` motions, with commas, semicolons or tabs between them;
   times rise, weights of a line do not sum to 0. A first line that does not begin with a number is a heading; empty lines
   are passed over. Rows of 1 + count doubles are put into `keys`. INPUT, with line and column. */
marey_status weights_read(session *run, const char *path, int count, buffer *keys,
                          marey_error *error);

#endif
