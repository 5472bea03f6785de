/* csv_table.h - text as lines of fields (RFC 4180, and what spreadsheets make of it), with line and column for messages. Nothing is
   copied: fields are looked at where they are. Read by puppet_csv.c. */
#ifndef MRY_CSV_TABLE_H
#define MRY_CSV_TABLE_H

#include "base/fail.h"

typedef struct mry_table {
    const char *name; /* for messages */
    marey_error *error;
    const char *next, *end;    /* behind this line; behind the text */
    const char *row, *row_end; /* this line, without its end */
    int64_t line;              /* counted from 1 */
    char separator;
    const char *p; /* the next field of this line .. */
    bool more;     /* .. if there is one */
} mry_table;

/* What is between the separators, without blanks and quotes around it. */
typedef struct mry_field {
    const char *from, *end;
} mry_field;

/* A mark of UTF-8 at the beginning is passed over. */
mry_table mry_table_open(const void *bytes, size_t size, const char *name, marey_error *error);

/* The next line. false: there is none. Lines end with LF, CR LF or CR. */
bool mry_table_line(mry_table *table);
/* The next one that is not empty and does not begin with '#'. */
bool mry_table_next(mry_table *table);

/* ',', ';' or a tab, whichever is first in this line outside of quotes; ',' where there is none. */
void mry_table_find_separator(mry_table *table);

/* The next field of this line; only if table->more. INPUT: a quote that does not end. A field with quotes inside is told with both
   of each. */
marey_status mry_table_field(mry_table *table, mry_field *out);

bool mry_field_is(const mry_field *field, const char *word); /* in any case */

/* Fails with the place of a byte of this line. */
__attribute__((format(printf, 3, 4))) marey_status
mry_table_fail(const mry_table *table, const char *at, const char *format, ...);

#endif
