/* table_file.h - files of numbers. Read after session.h and table.h. */
#ifndef MAREY_TOOL_TABLE_FILE_H
#define MAREY_TOOL_TABLE_FILE_H

#include "session.h"
#include "table.h"

typedef app_table_def table_def;

/* Rows of doubles of a file whose first line of numbers says how many columns it has: `least` to def->columns. `heading` (may be
   NULL) gets the first line if it is one, with an ending zero; otherwise it stays empty. */
marey_status table_read_any(session *run, const char *path, const table_def *def, int least,
                            int *columns, buffer *heading, buffer *rows, marey_error *error);

#endif
