/* search_strip.h - the part of a web that lies between two rows of a query and can be reached from
   the first of them: what match sequences run through. Read by match.

   Rows here are always the query's frames and columns the other motion's, whichever way the web
   lies. A web of a motion with itself holds one half of its grid; here both halves are seen, and
   the diagonal, which is one chain to both, connects them.

   Chains and bridges of the strip are its parts. A sequence enters a chain at its start or where a
   bridge arrives, and leaves it where a bridge leaves or at its end in the last row. These are the
   strip's events, ordered by row + column of their cells: as neither ever goes back, a sequence
   meets them in that order, and one sweep over them visits all ways.

   Chains break where minima do, and short ones are not kept: a chain that begins a few rows after
   the first row, or ends a few rows before the last one, is continued along the diagonal, at the
   cost of its first or last cell; where the other motion begins or ends too soon for that, with its
   first or last column, as windows of frames do. */
#ifndef MRY_SEARCH_STRIP_H
#define MRY_SEARCH_STRIP_H

#include "match/search_index.h"
#include "match/search_list.h"

/* A sum of costs over so many cells. */
typedef struct mry_sum {
    double sum, count;
} mry_sum;

static inline mry_sum mry_sum_add(mry_sum a, mry_sum b)
{
    return (mry_sum){ a.sum + b.sum, a.count + b.count };
}

static inline mry_sum mry_sum_less(mry_sum a, mry_sum b)
{
    return (mry_sum){ a.sum - b.sum, a.count - b.count };
}

/* What a sum is above so many cells of a mean. A mean is at most `mean` where this is at most 0. */
static inline double mry_sum_above(mry_sum s, double mean)
{
    return s.sum - mean * s.count;
}

typedef struct mry_strip_chain {
    int chain;
    int axis;  /* along which of the web's axes the query lies here */
    int first; /* the earliest cell that is reached */
    int end;   /* the last cell in the strip's last row, or its last one at all; -1: not an end */
    int lacks; /* rows from there to the last one, each counted with that cell's cost */
    int sums;  /* in the list of sums: of its cells from `first` on, the first of them 0 */
    int end_number; /* of its end among the ends */
    int horizon;    /* the last event at which a bridge leaves it; -1: none does */
    int sweep;      /* the last one that entered it: what follows is that one's */
    /* Of the sweep in hand, less what the chain's cells before cost: one number for all of the
       chain. */
    mry_sum best;
    double best_above;
    int best_by; /* the bridge by which it came, -1: none, from the start */
    double rest; /* least that is above from here to any end */
} mry_strip_chain;

typedef struct mry_strip_bridge {
    int path, axis;
    int from, to;        /* chains of the strip; to is -1 if it ends in the last row */
    int leaves, arrives; /* cells of these */
    mry_sum own;         /* its own cells, if it ends here those up to the end */
    int end;             /* its last cell in the last row; -1 */
    int end_number;      /* of that among the ends */
    bool kept;           /* some sequence through it can be good enough */
    int horizon;         /* the event at which it arrives; -1: it does not */
    int sweep;           /* the last one that took it: what follows is that one's */
    mry_sum into;        /* of the sweep in hand: all before its own cells */
    double into_above, rest;
    int came_by; /* the bridge before it, -1: none */
} mry_strip_bridge;

typedef struct mry_strip_start {
    int chain; /* of the strip; -1: it begins and ends on one bridge, and `own` is all of it */
    int cell;  /* of that chain: where it begins, or where the bridge that it begins on arrives */
    int path;  /* that bridge; -1: it begins on the chain */
    int axis;
    int path_cell; /* where on it */
    int path_end;  /* its last cell in the last row, if it ends there too */
    int lacks;     /* rows before the chain's first cell, each counted with that cell's cost */
    mry_sum own;   /* cells of that bridge, or what is lacking */
    marey_cell at; /* the first cell */
    int event;     /* its place among the events */
    double rest;
} mry_strip_start;

typedef struct mry_strip_end {
    bool on_bridge;
    int part;      /* chain or bridge of the strip */
    marey_cell at; /* the last cell */
} mry_strip_end;

enum { MRY_STRIP_STARTS, MRY_STRIP_ARRIVES, MRY_STRIP_LEAVES };

typedef struct mry_strip {
    marey_ctx *ctx;
    const marey_web *web;
    int first_row, last_row; /* both in it */
    int loose;               /* rows that chains may lack at either end of the strip */
    mry_list chains, bridges, starts, ends;
    mry_list events; /* uint64_t: row + column, kind, number of the part */
    mry_list sorted; /* likewise: room for putting them in order */
    int sweep;       /* the number of the sweep in hand, counted from 1 */
    mry_list met;    /* int: numbers of the ends that it got to */
    mry_list sums;   /* double */
    /* int: by chain and axis its number among chains, counted from 1; 0: not reached */
    mry_list slots;
    mry_list todo;
} mry_strip;

static inline mry_strip_chain *mry_strip_chain_at(const mry_strip *s, int i)
{
    return (mry_strip_chain *)s->chains.items + i;
}

static inline mry_strip_bridge *mry_strip_bridge_at(const mry_strip *s, int i)
{
    return (mry_strip_bridge *)s->bridges.items + i;
}

static inline mry_strip_start *mry_strip_start_at(const mry_strip *s, int i)
{
    return (mry_strip_start *)s->starts.items + i;
}

static inline mry_strip_end *mry_strip_end_at(const mry_strip *s, int i)
{
    return (mry_strip_end *)s->ends.items + i;
}

static inline int mry_event_kind(uint64_t event)
{
    return (int)(event >> 30 & 3);
}

static inline int mry_event_part(uint64_t event)
{
    return (int)(event & ((1u << 30) - 1));
}

/* A cell of a path, rows being the query's. */
static inline marey_cell mry_strip_cell(const mry_strip *s, int path, int axis, int i)
{
    marey_cell at = s->web->cells[s->web->paths[path].first + i];
    return axis == MRY_ALONG_ROWS ? at : (marey_cell){ at.col, at.row };
}

/* So many rows behind a cell, or before it, along the diagonal, but not past the other motion's
   ends. */
static inline marey_cell mry_strip_beside(const mry_strip *s, int axis, marey_cell at, int rows)
{
    int col = at.col + rows, last = (axis == MRY_ALONG_ROWS ? s->web->cols : s->web->rows) - 1;
    return (marey_cell){ at.row + rows, col < 0 ? 0 : col > last ? last : col };
}

/* What a chain adds behind its end. */
static inline mry_sum mry_strip_tail(const mry_strip *s, const mry_strip_chain *chain)
{
    float cost = s->web->costs[s->web->paths[chain->chain].first + chain->end];
    return (mry_sum){ chain->lacks * (double)cost, chain->lacks };
}

/* Sum over a chain's cells before cell i, and i as their number: only differences of two of them
   mean anything. */
static inline mry_sum mry_strip_before(const mry_strip *s, const mry_strip_chain *chain, int i)
{
    const double *sums = (const double *)s->sums.items + chain->sums;
    return (mry_sum){ sums[i - chain->first], i };
}

/* Fills the strip, which was {0} but for ctx or filled before. False: no memory; it can be filled
   again. */
bool mry_strip_fill(mry_strip *strip, const marey_web *web, bool flipped, int first_row,
                    int last_row, int loose);
void mry_strip_free(mry_strip *strip);

/* ---- the match sequence of least mean between a start and an end, of all there are ----------- */

/* Leaves out of the strip's events, starts' events and bridges what no sequence with at most that
   mean goes through. A start without such a sequence has rest > slack. */
void mry_strip_prune(mry_strip *strip, double threshold, double slack);

/* Sweeps from one start: what is least above `mean` at every part. strip->met has the ends that it
   got to; ask with mry_strip_least_at. Costs what lies between the start and the last event that it
   leads to, not all of the strip. */
void mry_strip_sweep(mry_strip *strip, int start, double mean);

/* After a sweep: the best sequence to an end; false: none leads there. */
bool mry_strip_least_at(const mry_strip *strip, int end, mry_sum *out);

/* The bridges of that sequence, last first, -1 behind the first one of them: follow came_by from
   this. */
int mry_strip_last_bridge(const mry_strip *strip, int end);

#endif
