/* query_scan.h - where in clips the motion is like a query, exactly, without comparing all of it.

   An alignment gives each row i of the query one row j of the clip, j(0) <= j(1) <= ... From one to
   the next it goes at most `most` rows of the clip on, and at most `stays` times in a row by none.
   It costs the mean over the query's rows of D(i, j(i)), the distance of feature/poses.h: the
   number it is divided by is the same for all alignments, so a sum of lower bounds of D, divided
   likewise, bounds the least cost from below, and nothing is diluted by frames that are repeated.

   So clips are ruled out by blocks of rows (feature/pose_blocks.h), then by guesses of the rows
   (scan_bounds.c), and distances are computed only of what is left. Every end with a cost of at most the cut-off is found. */
#ifndef MRY_QUERY_SCAN_H
#define MRY_QUERY_SCAN_H

#include "base/arena.h"
#include "feature/pose_blocks.h"

#include <marey/align.h>

/* A step of an alignment is not longer than a block: `most` is at most that. */
typedef struct mry_scan_steps {
    int most, stays;
} mry_scan_steps;

/* ---- the cost -------------------------------------------------------------------------------- */

/* The least sums of alignments, one row of the query after the other. best[j] is then that of an
   alignment of all rows up to now which ends in column j, INFINITY if there is none, and
   best_from[j] the column where it starts. */
typedef struct mry_row_warp {
    const mry_kernel *kernel;
    mry_scan_steps steps;
    int cols, rows;
    size_t stride;
    float *sums, *best, *other; /* stays + 1 arrays, `stride` apart; one; room for the next */
    int32_t *from, *best_from, *other_from; /* NULL: not asked for */
} mry_row_warp;

/* False: out of memory. */
bool mry_row_warp_make(mry_arena *mem, const mry_kernel *kernel, int cols, mry_scan_steps steps,
                       bool starts, mry_row_warp *out);
/* By the next row's costs; what lies behind them, up to 16 columns, is read and does not matter. */
void mry_row_warp_add(mry_row_warp *warp, const float *costs);

/* ---- the query ------------------------------------------------------------------------------- */

/* Rows of a clip, packed with the weights of its points: of `span` rows one in `every`, from the first
   on, and the last. */
typedef struct mry_scan_query {
    const mry_kernel *kernel;
    int points, rows, span, every;
    mry_scan_steps steps; /* so that a match takes between half and twice the time */
    const float *weights; /* sum to one */
    mry_pose_side frames;
    /* For bounds (scan_bounds.c): directions, rows by these; sizes of rows and of what the codes have
       of them, less what rounding may be off. */
    float *basis, *codes, *sizes, *code_sizes;
} mry_scan_query;

/* Clips of many rows a second are compared with every other row of a query: half the work, and the
   same matches (decision 22). */
static inline int mry_scan_every(double rate)
{
    return rate > 45 ? 2 : 1;
}

/* Of rows [first, end); `every` is 1 or 2. `unit` is that of mry_pose_row. `weights` are copied.
   False: out of memory. */
bool mry_scan_query_make(mry_arena *mem, const mry_poses *poses, int first, int end, int every,
                         const float *weights, float unit, mry_scan_query *out);
/* The same without what ruling out goes by, which takes longer than all else. */
bool mry_scan_rows_make(mry_arena *mem, const mry_poses *poses, int first, int end, int every,
                        const float *weights, float unit, mry_scan_query *out);

/* Where its row i lies among its clip's rows, from its first on. */
static inline int mry_scan_row(const mry_scan_query *query, int i)
{
    return i * query->every < query->span ? i * query->every : query->span - 1;
}

/* ---- what is searched ------------------------------------------------------------------------ */

/* The blocks of many clips of the same points, one behind the other, with a block of no clip
   behind each. */
typedef struct mry_scan_shelf {
    const mry_kernel *kernel;
    int points, blocks;
    /* Of kernel->nr blocks each: what pose_blocks.h keeps, every number for all of them. */
    uint8_t *tiles;
    float *units; /* of each block; 0: of no clip */
} mry_scan_shelf;

/* With room for so many blocks; false: out of memory. */
bool mry_scan_shelf_make(mry_arena *mem, int points, int blocks, mry_scan_shelf *out);
void mry_scan_shelf_put(mry_scan_shelf *shelf, int at, const mry_pose_blocks *blocks, float unit);

/* A clip on a shelf. */
typedef struct mry_scan_part {
    int block; /* its first */
    int rows;
} mry_scan_part;

/* Rows [from, to) of a part, and with which rows of the query each may be in an alignment: a byte for
   each row, for every kernel->mr rows of the query; NULL: with any. */
typedef struct mry_stretch {
    int part;
    int from, to;
    const uint8_t *live;
} mry_stretch;

typedef struct mry_stretches {
    mry_stretch *items;
    int count;
} mry_stretches;

/* The rows that an alignment may pass which costs at most `cutoff`, in parts that lie behind each
   other on the shelf; the list lives in mem. `ends` is what a card says of the shelf (scan_card.c), or
   NULL: the same comes out. False: out of memory. */
bool mry_scan_rule_out(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                       const mry_scan_part *parts, int count, float cutoff, const uint32_t *ends,
                       mry_stretches *out);

/* A shelf on the graphics card of a context; all zeros: it was not there yet. */
typedef struct mry_scan_card {
    struct mry_card_hold *hold;
    struct mry_card_shelf *shelf;
    bool refused; /* it does not fit */
} mry_scan_card;

/* Blocks of the shelf in which an alignment that costs at most `cutoff` may end, and perhaps some
   more: bit b % 32 of word b / 32. They live in mem. NULL: there is no card, or not for this, and the
   processor looks by itself. */
const uint32_t *mry_scan_card_ends(mry_arena *mem, const mry_scan_query *query,
                                   const mry_scan_shelf *shelf, float cutoff, mry_scan_card *card);
void mry_scan_card_drop(mry_scan_card *card);

/* An alignment's first and last row of the clip. */
typedef struct mry_scan_end {
    int start, end;
    float cost;
} mry_scan_end;

typedef struct mry_scan_ends {
    mry_scan_end *items; /* by their last rows */
    int count;
} mry_scan_ends;

/* Rows of a clip, packed, and their distances. */
typedef struct mry_scan_strip {
    const mry_scan_query *query;
    mry_pose_side clip;
    const uint8_t *marked;
    int from;     /* its first row */
    float *cells; /* of all rows of the query, or of a panel of them */
    size_t stride;
    bool all;
} mry_scan_strip;

/* Rows [from, to), without distances. `all`: with room for those of all rows of the query, if these
   are not too many. Lives in mem. False: out of memory. */
bool mry_scan_strip_make(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                         float unit, int from, int to, bool all, mry_scan_strip *out);

/* All ends within a stretch that cost at most `cutoff`, for which it was made. Frames that were not captured are in no
   alignment. The list and the strip live in mem. False: out of memory. */
bool mry_scan_measure(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                      float unit, float cutoff, mry_stretch of, mry_scan_strip *strip,
                      mry_scan_ends *out);

/* The mean distance of all rows of the query to each of these rows. False: out of memory. */
bool mry_scan_means(mry_arena *tmp, const mry_scan_query *query, const mry_poses *poses, float unit,
                    const int *rows, int count, float *out);

/* The rows that an alignment from `start` to `end` gives the query's rows, query->rows of them in
   `out`. It is the cheapest one; without any, out[0] is not `start`, unless that is the end too. The
   strip was measured, or made without room for all. False: out of memory. */
bool mry_scan_path(mry_arena *tmp, const mry_scan_strip *strip, int start, int end, int *out);

/* ---- for query_scan.c, scan_bounds.c and scan_card.c ----------------------------------------- */

const mry_kernel *mry_scan_kernel(const marey_ctx *ctx);

/* Makes basis and codes of a query that has all else; its rows are in `values` (mry_pose_row). They
   live in mem. False: out of memory. */
bool mry_scan_query_code(mry_arena *mem, const float *values, mry_scan_query *query);

/* Which panels of nr columns may still be in an alignment with sums of at most `most`, when these
   are the sums up to some row of the query: those with such a sum, and `reach` panels behind it.
   False: none. */
bool mry_scan_give_up(const mry_kernel *kernel, const float *sums, int cols, int reach, float most,
                      uint8_t *wanted);

/* What sums of costs up to `cutoff` may come to by rounding. */
float mry_scan_most(const mry_scan_query *query, float cutoff);
/* Of sums of products of floats, as a share of what they are subtracted from. */
#define MRY_SCAN_ROUNDING 1e-5f
/* What the numbers of blocks count, in cm: places, squares of roots of speeds, and those of radii,
   which may not be less than they are. */
#define MRY_SCAN_PLACE_CM (1.0f / MRY_POSE_PARTS)
#define MRY_SCAN_SPEED_CM (1.0f / MRY_POSE_ROOT_PARTS)
#define MRY_SCAN_RADIUS_CM ((1 + 1e-5f) / MRY_POSE_ROOT_PARTS)

/* Is one of `count` columns from `from` on, up to `end`, live? */
bool mry_scan_is_live(const uint8_t *live, int from, int end, int count);

#endif
