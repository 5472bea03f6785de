/* web_tail.h - ways on from the ends of chains that lead to no other chain. Read by
   web_bridge.c. */
#ifndef MRY_WEB_TAIL_H
#define MRY_WEB_TAIL_H

#include "match/web_ways.h"

/* What one thread needs, for one end of a chain after the other. Cells are counted from that end: y
   rows and x columns away from it. */
typedef struct mry_tail_pass {
    const mry_web_work *work;
    marey_cell end;
    int way;         /* 1: time runs on; -1: it runs back */
    uint8_t *states; /* of cells, `reach` of them to a row */
    mry_web_ways ways;
    double *col_sum; /* by column: the least there is, and where */
    int64_t *col_y;
    /* where the tails along rows and along columns end; both 0: there is none */
    int to_y[2], to_x[2];
    mry_arena mem;
} mry_tail_pass;

bool mry_tails_make(mry_tail_pass *pass, const mry_web_work *work); /* false: no memory */
void mry_tails_free(mry_tail_pass *pass);

/* Finds the tails of one end of a chain. All rows that can be reached must be known. */
void mry_tails_run(mry_tail_pass *pass, marey_cell end, int way);

/* The cells of a tail in the order of time, and how many they are; there is room for `reach` of
   them. */
int mry_tails_trace(const mry_tail_pass *pass, int axis, marey_cell *cells);

#endif
