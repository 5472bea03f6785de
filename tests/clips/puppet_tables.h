/* puppet_tables.h - tables of paths for tests that run commands: one that walks a figure of eight,
   and one that stays a fixed way behind and looks at the main character. */
#ifndef MAREY_PUPPET_TABLES_H
#define MAREY_PUPPET_TABLES_H

#include "program_lines.h"

enum { TABLE_BEHIND_CM = 100 };

typedef struct table_form {
    double seconds, rate;
    double start;            /* where on the eight, in seconds */
    double gap_from, gap_to; /* no rows between these; equal: no gap */
    double time_scale;       /* 1000 for milliseconds; 0: 1 */
    double turn_scale;       /* for degrees; 0: 1 */
    bool spreadsheet;        /* semicolons, decimal commas, CR LF, a further column */
    bool main_only;
} table_form;

void test_table_write(const char *path, const table_form *form);

/* The numbers of a table's rows, in its own order of columns; the caller frees them. */
double *test_table_read(const char *path, int columns, int *rows);

#endif
