/* example_data.h - the inside of what query by example searches (clusters, 3.1), and the steps of
   asking. Read by match.

   A fragment is kept as one mean and MAREY_EXAMPLE_SAMPLES differences from it for each degree of
   freedom: values of a signal over equal parts of the fragment's time. The squared difference of
   two fragments falls into that of the means and that of the rest,

       sum (a - b)^2  =  sum (a' - b')^2  +  samples * (mean a - mean b)^2,

   so rotations that differ by whole turns are compared without a case of their own (only the means
   know of turns), shapes are compared by leaving the second term out, and the second term alone is
   a bound that costs next to nothing. */
#ifndef MRY_EXAMPLE_DATA_H
#define MRY_EXAMPLE_DATA_H

#include "base/arena.h"

#include <marey/example.h>

enum { MRY_SAMPLES = MAREY_EXAMPLE_SAMPLES };

/* Fragments of one clip, or of a query. */
typedef struct mry_fragments {
    int count;
    marey_fragment *at;
    int *from, *to; /* the turns it lies between, counted within the clip */
    float *means;   /* count x dofs; rotations within half a turn of 0 */
    float *shapes;  /* count x dofs x MRY_SAMPLES */
} mry_fragments;

struct marey_examples {
    mry_arena mem; /* all lives here, and so does this */
    int dof_count;
    float turns[MAREY_MOST_DOFS]; /* after how much a value is the same again: 360, or infinity */
    double noise;
    bool shape, plain;
    int clip_count, left_out, total;
    mry_fragments *clips; /* no fragments: the clip takes no part */
};

/* ---- cutting and measuring ------------------------------------------------------------------- */

/* Where a signal turns, its two ends too. */
typedef struct mry_cuts {
    int count;     /* 0: the signal is flat, else at least 2 */
    double *times; /* in samples */
    double *tops;  /* the highest and lowest values, which turns go by */
} mry_cuts;

/* From one turn to another. */
typedef struct mry_span {
    int from, to;
} mry_span;

typedef struct mry_spans {
    int count;
    mry_span *items;
} mry_spans;

/* example_cut.c: the times lie in mem. False: out of memory. */
bool mry_cuts_find(const double *values, int count, double noise, mry_arena *mem, mry_cuts *out);

/* example_cut.c: from each turn to the next; nested: also those that contain smaller swings. By
   their end, then from short to long. False: out of memory. */
bool mry_spans_find(const mry_cuts *cuts, bool nested, mry_arena *mem, mry_spans *out);

/* example_cut.c: the means of a signal over equal parts of [start, end], and their mean. */
double mry_shape_of(const double *values, int count, double start, double end,
                    float shape[MRY_SAMPLES]);

/* Signals that are cut together: row d begins at values + d * room. */
typedef struct mry_signals {
    const double *values;
    size_t room;
    int count; /* of samples */
    int dof_count;
    float turns[MAREY_MOST_DOFS];
} mry_signals;

/* Appends the fragments of spans to `out`, whose arrays have room. `time` and `turn` are added to
   all times and numbers of turns. (example_cut.c) */
void mry_fragments_cut(const mry_signals *signals, const mry_cuts *cuts, const mry_spans *spans,
                       double time, int turn, mry_fragments *out);
bool mry_fragments_make(mry_arena *mem, int count, int dof_count, mry_fragments *out);

/* ---- candidates ------------------------------------------------------------------------------ */

/* What may stand for a fragment of the query. Its error is in whole numbers of 2^-32. */
typedef struct mry_candidate {
    uint64_t error;
    float squared; /* what it was ranked by */
    int clip;
    int place;    /* in the clip's arrays */
    int from, to; /* turns of the clip: what begins where another ends follows it */
} mry_candidate;

/* What is asked: fragments like those of a clip, with `asked` of the library's dofs. */
typedef struct mry_asked {
    mry_fragments fragments;
    int dof_count;
    int dofs[MAREY_MOST_DOFS]; /* numbers in the library */
} mry_asked;

/* ---- paths ----------------------------------------------------------------------------------- */

/* A way on from a candidate to the end. */
typedef struct mry_way {
    uint64_t error;
    int32_t jumps;
    uint8_t next, way; /* which candidate of the next fragment, and which of its ways */
} mry_way;

typedef struct mry_path_table {
    int fragments, k, best; /* most of each */
    mry_way *ways;          /* fragments x k x best */
    int *counts;            /* fragments x k */
    mry_way *first;         /* best: whole paths; next says the first candidate */
    int first_count;
} mry_path_table;

/* example_find.c */
bool mry_path_table_make(mry_arena *mem, int fragments, int k, int best, mry_path_table *out);

/* The best ways through candidates, rows `k` wide of which `held` are there: fewest jumps, then
   least error, then the least candidates, the first one's first. Returns how many there are:
   table->first has their sums. */
int mry_paths_find(mry_path_table *table, const mry_candidate *candidates, int held);

/* Candidate numbers of the whole path number p: one for each fragment. */
void mry_path_read(const mry_path_table *table, int p, int *candidates);

#endif
