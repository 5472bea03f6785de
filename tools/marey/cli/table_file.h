/* table_file.h - text files of numbers: lines of so many of them, with commas, semicolons or tabs between. A first line that
   does not begin with a number is a heading; empty lines are passed over. Read after session.h. */
#ifndef MAREY_TOOL_TABLE_FILE_H
#define MAREY_TOOL_TABLE_FILE_H

#include "session.h"

typedef struct table_def {
    const char *what; /* such a file is: "a file of weights" */
    const char *row;  /* "line of weights": there must be one at least */
    const char *more; /* what is wrong with a line that goes on */
    int columns;
    void (*name)(int column, char *text, size_t room); /* "a time in seconds" */
    /* What is wrong with a row, or NULL; `before` is the row before, NULL for the first. May be NULL. `text` is room for the
       words. */
    const char *(*check)(const double *row, int columns, const double *before, char *text,
                         size_t room);
} table_def;

/* Rows of doubles are put into `rows`. INPUT, with line and column. */
marey_status table_read(session *run, const char *path, const table_def *def, buffer *rows,
                        marey_error *error);

/* The same of a file whose first line of numbers says how many columns it has: `least` to def->columns. `heading` (may be
   NULL) gets the first line if it is one, with an ending zero; otherwise it stays empty. */
marey_status table_read_any(session *run, const char *path, const table_def *def, int least,
                            int *columns, buffer *heading, buffer *rows, marey_error *error);

/* A number at the beginning of a text: what is behind it, or NULL: there is none. */
const char *number_read(const char *at, double *out);

#endif
