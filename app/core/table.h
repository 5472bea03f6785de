/* table.h - tables of numbers: lines of so many of them, with commas, semicolons or tabs
   between. A first line that does not begin with a number is a heading; empty lines are passed
   over. Read after buffer.h. */
#ifndef MAREY_APP_TABLE_H
#define MAREY_APP_TABLE_H

#include "buffer.h"

typedef struct app_table_def {
    const char *what; /* such a file is: "a file of weights" */
    const char *row;  /* "line of weights": there must be one at least */
    const char *more; /* what is wrong with a line that goes on */
    int columns;
    void (*name)(int column, char *text, size_t room); /* "a time in seconds" */
    /* What is wrong with a row, or NULL; `before` is the row before, NULL for the first. May be
       NULL. `text` is room for the words. */
    const char *(*check)(const double *row, int columns, const double *before, char *text,
                         size_t room);
    /* Of parameters. Fewer rows are refused; 0: one is enough. */
    int least_rows;
    /* A table has from this many columns on, and its first row says how many; 0: exactly
       `columns`. */
    int least_columns;
    /* A command line may have the rows themselves, "0,0 300,0"; a name that ends in .csv is a
       file's. */
    bool in_place;
} app_table_def;

/* Rows of doubles of the text of a file, whose name is for messages, are put into `rows`. INPUT,
   with line and column. */
marey_status app_table_read(const char *path, const char *text, const app_table_def *def,
                            buffer *rows, marey_error *error);

/* The same where the first line of numbers says how many columns it has: `least` to
   def->columns. `heading` (may be NULL) gets the first line if it is one, with an ending zero;
   otherwise it stays empty. */
marey_status app_table_read_any(const char *path, const char *text, const app_table_def *def,
                                int least, int *columns, buffer *heading, buffer *rows,
                                marey_error *error);

/* A number at the beginning of a text: what is behind it, or NULL: there is none. */
const char *number_read(const char *at, double *out);

#endif
