/* plain_web.h - a match web by the rules of match/web_data.h in their plainest form: the whole grid
   is there, every minimum walks by itself, chains are linked along the anti-diagonals, ways keep
   the length of every run. The judge of web_*.c. */
#ifndef MAREY_PLAIN_WEB_H
#define MAREY_PLAIN_WEB_H

#include "match/web_data.h"

typedef struct plain_bridge {
    int from, to, from_cell, to_cell;
    double mean; /* ends included; the least there is */
    int count;   /* without ends */
    marey_cell *cells;
} plain_bridge;

typedef struct plain_web {
    int rows, cols;
    uint8_t *least; /* MAREY_LEAST_IN_ROW, MAREY_LEAST_IN_COLUMN */
    uint8_t *valid;
    int chain_count; /* without the diagonal; sorted as the web's */
    int *starts;     /* chain i: cells[starts[i]] .. */
    int *counts;
    marey_cell *cells;
    int bridge_count;
    plain_bridge *bridges; /* sorted as the web's; chains are counted without the diagonal */
} plain_web;

/* `shortest` and `reach` in cells and steps. Costs are finite. */
plain_web *plain_web_make(marey_rows cost, bool self, int slope, float grow, float ceiling,
                          int shortest, int reach);
void plain_web_free(plain_web *web);

/* What tails lead through. */
typedef struct plain_grid {
    marey_rows cost;
    const uint8_t *valid;
    int slope, reach, tail;
} plain_grid;

/* The tail of an end of a chain, without it, in the order of time; how many cells it has. `way` is
   1 for its last cell, -1 for its first; there is room for `reach` cells. */
int plain_tail(const plain_grid *of, marey_cell end, int way, bool along_cols, marey_cell *cells);

#endif
