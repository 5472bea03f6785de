/* studio_rows.h - tables of requests, each with the answers that are right. Read after
   studio_bench.h. */
#ifndef MAREY_TEST_STUDIO_ROWS_H
#define MAREY_TEST_STUDIO_ROWS_H

#include "studio_bench.h"

enum { CUT_OFF = -1 }; /* expected: closed without an answer */

typedef struct studio_row {
    const char *name;
    const char *text; /* as for studio_fill */
    int expect[3];    /* any of them; 0 is none */
} studio_row;

#define HOST "Host: 127.0.0.1:{port}\r\n"
#define BEARER "Authorization: Bearer {token}\r\n"
#define JSON "Content-Type: application/json\r\n"
#define END "\r\n"

/* Sends each row on a connection of its own. Whatever the answer, it must be the only one, close or
   wait when it is read, have the headers that every answer has, and show nothing of the canary. All
   rows are tried; the test fails at the end, with a line for each that went wrong. */
void studio_rows_try(const studio_bench *b, const studio_row *rows, size_t count);

/* One request of any bytes, judged likewise. False, and a printed line, if it went wrong. */
bool studio_row_try(const studio_bench *b, const char *name, const char *bytes, size_t count,
                    const int expect[3]);

/* What is wrong with the headers of an answer; NULL: nothing. */
const char *studio_head_fault(const http_answer *answer);

/* The number that changes whenever the library does: to show that nothing did. */
int64_t studio_version(const studio_bench *b);

#endif
