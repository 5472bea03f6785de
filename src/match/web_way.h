/* web_way.h - the least ways from one piece of a chain to other chains. Read by web_bridge.c. */
#ifndef MRY_WEB_WAY_H
#define MRY_WEB_WAY_H

#include "match/web_work.h"

typedef struct mry_way { /* a state's best; see web_way.c */
    double sum;          /* infinite: none */
    uint32_t
        tag; /* number in the piece of the cell it began at, times 65536, plus how many cells it has */
} mry_way;

typedef struct mry_target { /* the best way to another chain so far */
    int chain, cell;
    double mean;
    marey_cell at;
    uint32_t tag;
    bool set;
} mry_target;

/* One row of states. Columns are counted from the piece's first. */
typedef struct mry_ways {
    mry_way *best;                     /* of all states */
    mry_way *down[MRY_WEB_MOST_SLOPE]; /* [0]: S_0 */
    int lo, hi;                        /* columns [lo, hi) may hold ways */
} mry_ways;

/* What one thread needs, for one piece after the other. */
typedef struct mry_pass {
    const mry_web_work *work;
    const mry_web_piece *piece;
    int height, width; /* what can be reached from the piece's first cell */
    uint8_t *
        from; /* the state that is a cell's least: 0, 1 .. slope across, slope + 1 .. 2 slope down */
    mry_ways ways[2];
    mry_target *targets; /* chains that were reached */
    int target_count, target_room;
    mry_arena mem;
    bool failed; /* no memory */
} mry_pass;

bool mry_pass_make(mry_pass *pass, mry_web_work *work); /* false: no memory */
void mry_pass_free(mry_pass *pass);

/* Finds pass->targets. All rows that can be reached must be known. */
void mry_pass_run(mry_pass *pass, const mry_web_piece *piece);

/* The cells of the way to a target without its ends, in the order of time; there is room for all but two that the tag
   counts. */
void mry_pass_trace(const mry_pass *pass, const mry_target *to, marey_cell *cells);

#endif
