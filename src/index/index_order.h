/* index_order.h - in which order the pairs of an index's clips are its tiles. Read after arena.h, by
   index_*.c and by tests. */
#ifndef MRY_INDEX_ORDER_H
#define MRY_INDEX_ORDER_H

#include "base/arena.h"

typedef struct mry_order_run { /* clips next to each other */
    int first, end;
    int64_t rows; /* that they have together */
    int halves;   /* where its two halves are listed, side by side; 0: it is one clip */
} mry_order_run;

typedef struct mry_index_order {
    mry_order_run *runs; /* the first is all clips */
} mry_index_order;

/* The order for clips with so many rows each, at least one. It lives in mem; NULL runs: out of memory. */
mry_index_order mry_index_order_make(mry_arena *mem, const int *rows, int count);

/* The place of clips i <= j in it, 0 to count (count + 1) / 2 - 1. */
int64_t mry_index_order_place(const mry_index_order *order, int i, int j);

#endif
