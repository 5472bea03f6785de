/* param_family.h - numbers in lists, and running out of memory, for commands that are no operations yet. Read after shelf.h. */
#ifndef MAREY_TOOL_PARAM_FAMILY_H
#define MAREY_TOOL_PARAM_FAMILY_H

#include "shelf.h"

void json_numbers(json *to, const char *key, const double *values, int count);

/* "12.5, 130, 41.2" */
void buffer_numbers(buffer *out, const double *values, int count);

/* "12.5,130,41.2" as `count` numbers; false if it is anything else. */
bool numbers_parse(const char *text, int count, double *out);

/* "out of memory" */
marey_status fail_for_memory(marey_error *error);

#endif
