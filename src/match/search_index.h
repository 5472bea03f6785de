/* search_index.h - what a search asks of a web: which paths cross a row (or a column), which
   bridges leave a chain, and what a bridge costs. Read by match. */
#ifndef MRY_SEARCH_INDEX_H
#define MRY_SEARCH_INDEX_H

#include "match/web_data.h"

/* Axes of a web, and of a cell. A query that lies along the columns is searched as if the web were
   turned over. */
enum { MRY_ALONG_ROWS = 0, MRY_ALONG_COLS = 1 };

static inline int mry_along(marey_cell cell, int axis)
{
    return axis == MRY_ALONG_ROWS ? cell.row : cell.col;
}

enum { MRY_INDEX_BLOCK = 32 }; /* rows or columns */

typedef struct mry_path_span { /* of a path's own cells, by axis; first > last: it has none */
    int first[2], last[2];
} mry_path_span;

typedef struct mry_web_index {
    mry_path_span *spans; /* of every path */
    int blocks[2];        /* by axis */
    /* the paths that touch block k: crossing[block_start[k] .. block_start[k + 1]) */
    int *block_start[2];
    int *crossing[2]; /* in the order of their numbers */
    /* the bridges of chain c: leaving[leaving_start[c] .. leaving_start[c + 1]) */
    int *leaving_start;
    int *leaving;        /* numbers of paths, by from_cell, then number */
    double *bridge_sums; /* of their own cells; bridge k is path chain_count + k */
} mry_web_index;

/* Makes web->index, in the web's arena. About 70 bytes a path. */
marey_status mry_web_index_make(marey_web *web, marey_error *error);

/* The first of a path's cells that is at `at` or past it along an axis; its count if there is
   none. */
int mry_path_find(const marey_web *web, int path, int axis, int at);

#endif
