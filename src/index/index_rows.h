/* index_rows.h - rows of the tables of webs. Read by index_*.c. */
#ifndef MRY_INDEX_ROWS_H
#define MRY_INDEX_ROWS_H

#include "index/index_data.h"

/* A web as it is stored; the counts are known without reading the bytes. */
typedef struct mry_web_row {
    int64_t a, b; /* a <= b */
    bool turned;  /* its rows are frames of b */
    int rows, cols, chains, bridges;
    int64_t a_layers, b_layers; /* layer_sum of the clips that it is made of */
    const uint8_t *bytes;       /* size 0: the two have nothing in common */
    size_t size;
} mry_web_row;

/* In place of the one of these two; unless one of them is removed, gone or changed. */
marey_status mry_web_row_put(marey_library *library, const mry_web_row *row, marey_error *error);

/* What there is, of clips that are not removed; `pairs_missing` too. */
marey_status mry_web_rows_count(marey_library *library, marey_index_state *out, marey_error *error);

/* Deletes webs: all, or those of clips that are removed. */
marey_status mry_web_rows_drop(marey_library *library, bool whole, int *dropped,
                               marey_error *error);

/* Pairs of frames that a web is about. */
static inline int64_t mry_web_cells(int rows, int cols, bool self)
{
    return self ? (int64_t)rows * (rows - 1) / 2 : (int64_t)rows * cols;
}

#endif
