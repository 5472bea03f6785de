/* search_judge.h - webs made by hand and at random, and the judge of searching: the paper's text
   done literally, by trying every match sequence there is. */
#ifndef MAREY_TEST_SEARCH_JUDGE_H
#define MAREY_TEST_SEARCH_JUDGE_H

#include "support.h"

/* ---- webs by hand ---------------------------------------------------------------------------- */

/* A web in the making. Chains must come in the order of their first cells, all before the first
   bridge. */
typedef struct hand_web {
    marey_ctx *ctx;
    int rows, cols;
    bool self; /* then the first chain is the diagonal, of cost 0, and is there from the start */
    int path_count, chain_count;
    struct hand_path *paths;
} hand_web;

hand_web hand_web_start(marey_ctx *ctx, int rows, int cols, bool self);

/* A chain of any cells and costs; its number. */
int hand_chain(hand_web *web, int count, const marey_cell *cells, const float *costs);
/* A chain along a diagonal, all of one cost. */
int hand_line(hand_web *web, int row, int col, int count, float cost);

/* A bridge from a cell of one chain to a cell of another: diagonal first, then straight; all of one
   cost. */
void hand_bridge(hand_web *web, int from, int from_cell, int to, int to_cell, float cost);

/* A bridge of any cells. */
void hand_bridge_along(hand_web *web, int from, int from_cell, int to, int to_cell, int count,
                       const marey_cell *cells, const float *costs);

marey_web *hand_web_make(hand_web *web); /* with its index; frees what *web holds */

/* A web with so many chains and bridges at random. */
marey_web *hand_web_random(marey_ctx *ctx, int rows, int cols, bool self, int chains, int bridges,
                           uint32_t *state);

/* ---- a library of them ----------------------------------------------------------------------- */

enum { HAND_MOST_CLIPS = 8 };

typedef struct hand_library {
    int clips;
    const marey_web
        *webs[HAND_MOST_CLIPS][HAND_MOST_CLIPS]; /* [a][b] with a <= b, rows are a's; NULL: none */
    int calls;
    int fail_at; /* the call that answers an error, counted from 1; 0: none */
} hand_library;

marey_webs hand_library_webs(hand_library *library);
void hand_library_free(hand_library *library); /* its webs */
OWNED_VALUE(hand_library, hand_library_free)

enum { HAND_LENGTH = 100 };

/* A web of one line, HAND_LENGTH frames each way: frames of one clip from `row` on with those of
   the other from `col` on. */
marey_web *hand_line_web(marey_ctx *ctx, bool self, int row, int col, int count, float cost);

/* Searches; fails the test if that fails. `loose` is 0 unless it is given. */
marey_match_graph *hand_find(marey_ctx *ctx, hand_library *library, marey_segment query,
                             marey_search_def def);
void hand_check_match(const marey_found *found, marey_segment at, double path_distance, int tier);

/* ---- the judge ------------------------------------------------------------------------------- */

typedef struct judged_match {
    marey_segment at;
    marey_cell first, last;
    double mean;
    int cells;
} judged_match;

/* All match sequences of a query, of those with the same ends the best; sorted by mean. Chains may
   lack `loose` rows at its ends. Free() it. */
judged_match *judge_sequences(const marey_web *web, bool flipped, marey_segment query, int clip,
                              double threshold, int loose, int *count);

typedef struct judged_graph {
    int nodes, edges;
    marey_found *found; /* in the order of finding, without path_distance; free() it */
    int (*ends)[2];     /* of edges, lesser number first, sorted; free() it */
    double *costs;      /* of these; free() it */
} judged_graph;

/* Of `def` the defaults must be filled in; loose <= 0: none. */
judged_graph judge_search(hand_library *library, marey_segment query, const marey_search_def *def);
void judged_graph_free(judged_graph *graph);

#endif
