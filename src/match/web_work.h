/* web_work.h - a match web while it is being built. Rows of the grid come in slabs into a ring;
   every stage lags behind the one before it:

       rows are filled                                   up to `filled`
       minima are flagged and chained                    up to `flagged`   (a row waits for the one behind it)
       minima are extended                               up to `extended`  (by up to reach - 1 flagged rows)
       the valid region is known                         up to `known`     (later minima reach back as far)
       pieces of chains are bridged                      when all rows they can reach are known

   so the ring has to hold three reaches and a piece beyond what was filled last, and one more, as
   tails lead back from a piece. Read by web_*.c. */
#ifndef MRY_WEB_WORK_H
#define MRY_WEB_WORK_H

#include "match/web_data.h"

/* What is done for each cell of many is compiled for the usual slope, whose states then lie in
   registers, and once more for any other. */
enum { MRY_WEB_USUAL_SLOPE = 2 };
#define MRY_EACH_CELL static inline __attribute__((always_inline))

typedef struct mry_web_plan {
    int rows, cols;
    bool self;
    double fps;
    int slope;
    int shortest; /* cells of a chain */
    int reach;    /* steps, see web_data.h */
    int tail;     /* rows or columns; 0: no tails */
    float ceiling;
    float grow; /* 1 + valid */
    bool chains_only;
} mry_web_plan;

/* Where rows come from: [first, end) into `cells`, `stride` apart; called by several threads at
   once. False: no memory. `first` is a multiple of MRY_ROWS_BLOCK, and there are no more rows than
   that. */
typedef struct mry_web_source {
    bool (*fill)(void *user, int first, int end, float *cells, size_t stride);
    void *user;
    const uint8_t *marked_rows, *marked_cols; /* a byte each; NULL: none */
} mry_web_source;

/* ---- the ring -------------------------------------------------------------------------------- */

typedef struct mry_web_entry { /* a cell of a chain, in the list of its row */
    int col, chain, index;
} mry_web_entry;

typedef struct mry_web_list {
    mry_web_entry *items;
    int count, room;
} mry_web_list;

enum { MRY_RING_MARGIN = 16 }; /* infinite floats before the first column of a row */

typedef struct mry_web_ring {
    int room; /* rows; a multiple of MRY_ROWS_BLOCK */
    size_t stride, words;
    float *cells; /* of slot 0, column 0 */
    float *none;  /* a row of infinities: outside the grid */
    uint64_t *least_in_row, *least_in_col, *valid;
    /* Blocks of 64 rows with their columns one after the other: cells, and valid ones along columns. */
    float *turned;
    uint64_t *turned_valid;
    mry_web_list *lists;
    int slab; /* rows filled at once */
    int filled, flagged, linked, extended, known;
    int listed; /* rows whose lists hold no cells of chains that were dropped */
} mry_web_ring;

static inline float *mry_ring_row(const mry_web_ring *ring, int row)
{
    return ring->cells + (size_t)(row % ring->room) * ring->stride;
}

static inline uint64_t *mry_ring_bits(const mry_web_ring *ring, uint64_t *bits, int row)
{
    return bits + (size_t)(row % ring->room) * ring->words;
}

static inline bool mry_bit(const uint64_t *bits, int at)
{
    return bits[at >> 6] >> (at & 63) & 1;
}

/* The first entry at a column or behind it; behind the last if there is none. */
static inline const mry_web_entry *mry_list_find(const mry_web_list *list, int col)
{
    int low = 0, high = list->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list->items[middle].col < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? list->items + low : list->items;
}

static inline const mry_web_entry *mry_list_end(const mry_web_list *list)
{
    return list->count ? list->items + list->count : list->items;
}

/* ---- chains ---------------------------------------------------------------------------------- */

typedef struct mry_web_piece {
    struct mry_web_piece *next; /* of the chain, or of the free ones */
    int chain, first;           /* number of its first cell in the chain */
    int count;
    marey_cell cells[MRY_WEB_PIECE];
    float costs[MRY_WEB_PIECE];
} mry_web_piece;

typedef struct mry_web_bridge {
    struct mry_web_bridge *next; /* of the chain it leaves */
    int to, from_cell, to_cell;
    double mean;
    int count; /* without its ends */
    marey_cell *cells;
    float *costs;
} mry_web_bridge;

typedef struct mry_web_tail {
    int count; /* 0: there is none */
    marey_cell *cells;
    float *costs;
} mry_web_tail;

/* In this order; see web_data.h. */
enum { MRY_TAIL_ON_ROWS, MRY_TAIL_ON_COLS, MRY_TAIL_BACK_ROWS, MRY_TAIL_BACK_COLS, MRY_TAIL_KINDS };

typedef struct mry_web_chain {
    mry_web_piece *first, *last;
    mry_web_bridge *bridges;
    mry_web_tail *tails; /* MRY_TAIL_KINDS of them; NULL: none yet */
    int count;           /* 0: it was too short */
    int8_t run_across, run_down;
} mry_web_chain;

typedef struct mry_web_claim { /* which chain has a minimum for its successor */
    int chain;                 /* -1: none */
    float value;
    int8_t step; /* MRY_STEP_... */
} mry_web_claim;

enum { MRY_STEP_DIAGONAL, MRY_STEP_ACROSS, MRY_STEP_DOWN };

typedef struct mry_web_links {
    mry_web_chain *chains;
    int count, room;
    mry_web_claim *now, *next; /* on the cells of the row in hand and of the one behind it */
    uint64_t *goes, *went;     /* cells of that row, and of the one before it, with a successor */
    mry_web_piece *unused;
    mry_web_piece **waiting; /* full, or their chain's last: to be bridged, in the order of that */
    int waiting_count, waiting_room;
} mry_web_links;

typedef struct mry_web_work {
    marey_ctx *ctx;
    mry_arena mem; /* of the ring, of bridges */
    mry_web_plan plan;
    mry_web_source source;
    mry_web_ring ring;
    mry_web_links links;
    atomic_bool failed; /* no memory */
} mry_web_work;

/* web_chain.c: False: no memory. */
bool mry_ring_make(mry_web_work *work, int slab);
bool mry_ring_fill(mry_web_work *work);
void mry_ring_flag(mry_web_work *work);
void mry_ring_free(mry_web_work *work);

/* web_chain.c: all rows that are flagged, but the last: it waits for the one behind it. False: no
   memory. */
bool mry_links_make(mry_web_work *work);
bool mry_links_rows(mry_web_work *work);
void mry_links_free(mry_web_work *work);

/* web_valid.c: turns rows that were filled, [first, end) of a block of MRY_ROWS_BLOCK; then, the
   surroundings of all minima whose surroundings are flagged. Cells outside the valid region become
   infinite where it is known. */
void mry_valid_turn(mry_web_work *work, int first, int end);
void mry_valid_extend(mry_web_work *work);

/* web_bridge.c: bridges of all pieces that are ready. False: no memory. */
bool mry_bridges_find(mry_web_work *work);

#endif
