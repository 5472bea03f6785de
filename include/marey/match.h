/* match.h - point at one motion, get every motion like it: match webs, searching with them, match
   graphs. Read after align.h. A web belongs to one pair of clips (or a clip with itself); index.h
   keeps them in a library. */
#ifndef MAREY_MATCH_H
#define MAREY_MATCH_H

#include <marey/align.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- match webs ------------------------------------------------------------------------------ */

/* All pairs of segments of two motions that can be alike (webs, 6.2.2), as paths on the grid of
   their frames: chains of 1D minima, bridges between chains, and tails, which continue chains at
   their ends. Rows are frames of the first at the web's rate, columns of the second. A clip with
   itself has the cells with col > row only, and the diagonal as its first chain, at no cost and
   without bridges. Cells of marked frames are in no path. Never changes once made; any thread may
   read it. */
typedef struct marey_web marey_web;

/* How a web is built: leave a field zero for its default. */
typedef struct marey_web_def {
    /* At most so many steps in a row along one motion alone, 1 .. 8; default 2. */
    int slope;
    /* alpha: a minimum's surroundings count as long as they are less than this share above it;
       default 0.15. */
    double valid;
    /* Chains, measured in cells; default 0.25. */
    double shortest_s;
    /* Bridges, measured as rows + columns; default 2. Not less than shortest_s. */
    double bridge_s;
    /* How far the ends of chains are continued; default 0.7; negative: not at all. */
    double tail_s;
    /* Minima above it are ignored, in the metric's unit; default MAREY_WEB_CEILING for points, else
       infinity, which means none. Searching with a threshold above it may miss matches. */
    double ceiling;
    /* By the paper's resolutions, a sixth and a third of the rate first, and refined; default: all
       at the full rate, which is exact. */
    bool levels;
} marey_web_def;

/* Builds a web. Chains follow from the grid by rules without a choice; a bridge is, of the ways
   with the least sum to a cell of the other chain, the one with the least mean. The same bytes for
   any number of threads.
   Errors: SHAPE: features of different layouts. REQUEST: an invalid definition. LIMIT: more than
     2^22 rows or columns. MEMORY, CANCELLED.
   Ownership: free with marey_web_free. The features need not outlive it.
   Cost: about 20 ns a pair of frames on one core. Memory: 5 bytes a column for four times the rows
     of the longest bridge and 192 rows for each of up to 8 threads, and what is found; for other
     metrics than points the whole grid. */
MAREY_API marey_status marey_web_build(marey_ctx *ctx, const marey_features *a,
                                       const marey_features *b, const marey_web_def *def,
                                       marey_web **out, marey_error *error);

/* Frees a web. */
MAREY_API void marey_web_free(marey_web *web);

/* One path of a web. Borrowed until free. */
typedef struct marey_web_path {
    bool bridge;
    /* Continues a chain, or leads to it, and goes nowhere: no chain of minima. */
    bool tail;
    /* Bridges: numbers of the paths they connect; others: -1. */
    int from, to;
    /* Which cells of these: the bridge's own cells lie between them, exclusive, and there may be
       none. */
    int from_cell, to_cell;
    int count;
    /* In the order of time. */
    const marey_cell *cells;
    /* Rounded to a thousandth of themselves. */
    const float *costs;
} marey_web_path;

/* How many paths there are. */
MAREY_API int marey_web_paths(const marey_web *web);

/* A path by number. Chains first, by their first cells; then tails, by their chains; bridges, by
   the chains they connect; and for each tail a bridge without cells that joins it to its chain. */
MAREY_API marey_web_path marey_web_path_at(const marey_web *web, int index);

/* Rows a second. */
MAREY_API double marey_web_fps(const marey_web *web);

/* Counts what is in a web. Tails and what joins them are counted neither as chains nor as bridges,
   but as cells. */
MAREY_API void marey_web_size(const marey_web *web, int *rows, int *cols, int *chains, int *bridges,
                              int64_t *cells);

/* Writes a web as bytes: about 8 bits a cell, and nothing is lost.
   Errors: MEMORY.
   Ownership: free *bytes with marey_web_bytes_free. */
MAREY_API marey_status marey_web_write(const marey_web *web, uint8_t **bytes, size_t *size,
                                       marey_error *error);

/* Frees what marey_web_write made. */
MAREY_API void marey_web_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);

/* Reads a web.
   Errors: INPUT: the bytes are damaged. MEMORY.
   Ownership: free with marey_web_free; the bytes may go after the call. */
MAREY_API marey_status marey_web_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                      marey_web **out, marey_error *error);

/* ---- searching ------------------------------------------------------------------------------- */

/* A segment of a clip: rows [start, end). `clip` is the searcher's own number of it. */
typedef struct marey_segment {
    int clip;
    int start, end;
} marey_segment;

/* Where webs come from: given to the search, so that they are read as needed. */
typedef struct marey_webs {
    int clips;
    /* Called from the thread that searches, for each query once with every clip that is searched.
       *flipped: rows of the web are frames of `b`; it does not matter for a clip with itself. *out
       may be NULL: there is no web of these two. Borrowed until the search ends. */
    marey_status (*web)(void *user, int a, int b, const marey_web **out, bool *flipped,
                        marey_error *error);
    void *user;
    /* How many rows a second each clip is counted in; NULL: all webs have the same rate, and rows
       are theirs. A web may have a lower rate than its clips: its rows are then those at the same
       times. */
    const double *fps;
} marey_webs;

/* A match. */
typedef struct marey_found {
    marey_segment at;
    /* Of the edge by which it was found first; the query: 0. */
    double distance;
    /* Least sum of edges from the query. */
    double path_distance;
    /* 0: the query. */
    int tier;
    /* Left and right changed places; only searches by poses look for that. */
    bool mirrored;
} marey_found;

/* What is searched for: leave a field zero for its default. */
typedef struct marey_search_def {
    /* Mean cost of a match, at most. Required. */
    double threshold;
    /* sigma_0: share of overlap from which on two matches are one; default 0.8. */
    double same;
    /* sigma_0 bar: share of overlap up to which they are two; default 0.2; cyclic motions need
       more. */
    double distinct;
    /* Share of the query that a match may lack at either end, up to 0.5; default 0.3; negative:
       none, as in the paper. */
    double loose;
    /* Default: until nothing new is found. */
    int tiers;
    /* Most matches, the query not counted; default 10000. */
    int limit;
    /* A byte a clip, 0: not searched; NULL: all. */
    const uint8_t *allowed;
    /* Is a segment a match, if it is like the query? NULL: every one. */
    bool (*wanted)(void *user, marey_segment at);
    /* Called after each tier with what there is, ordered as in the graph; may be NULL. false: that
       is enough. */
    bool (*tier_done)(void *user, int tier, const marey_found *found, int count);
    void *user;
} marey_search_def;

/* Two segments that are alike, and how their frames go together. Of a pair of matches the best
   alignment that was met is kept. Where intervals were averaged, its ends are a few frames off the
   matches' own. */
typedef struct marey_match_edge {
    /* Numbers of matches; `from` was the query when it was found. */
    int from, to;
    /* Mean cost of the cells. */
    double distance;
    /* Rows: frames of `from`'s clip; columns: of `to`'s. */
    marey_cell first, last;
    int cells;
} marey_match_edge;

/* Matches, and edges between those that are alike. */
typedef struct marey_match_graph marey_match_graph;

/* Searches (webs, 6.2.3). A match sequence begins in the first cell that a chain or bridge has in
   the query's first row, follows chains and bridges, and ends in the last cell that the path it is
   on then has in the query's last row. The number of ways through a web can be exponential, but of
   all that begin in one cell and end in another only the one with the least mean can survive, as
   the others are the same segment; that one is found by Dinkelbach's method on the graph of
   junctions, which has no circles. So the result is that of trying them all.

   Beyond the paper: chains break in still phases and where minima do, and short ones are not kept,
   so a match that brute force would find often has no path in the query's very first or last row. A
   chain that begins up to `loose` of the query late, or ends as much early, is continued along the
   diagonal, at the cost of its first or last cell; where the other clip begins or ends too soon for
   that, with its first or last frame, as the windows of frames are.

   Of one query's matches those are kept that do not overlap a better one by `same` (the query
   itself is the best of its clip). Matches of the query are the first tier; later tiers are
   searched with the matches of the tier before, and a match that overlaps a known one (the one it
   overlaps most) by `same` is merged with it: an edge, and its interval becomes the mean of all
   that were merged and were about as long (by `same`); the query's own stays. Up to `distinct` it
   is new; between the two it is dropped. Later tiers ignore what is less than half or more than
   twice as long as the query: little by little they would get to pieces of three frames.

   Matches come out with the query first, then by path_distance, clip and start; the same on every
   machine for the same web. `def` is required, as threshold has no default.
   Errors: REQUEST: a segment that its clip's webs do not have; an invalid threshold or share.
     MEMORY, CANCELLED, and what `webs` returns.
   Ownership: free with marey_match_graph_free.
   Cost: grows with the paths in the query's rows. */
MAREY_API marey_status marey_search(marey_ctx *ctx, const marey_webs *webs, marey_segment query,
                                    const marey_search_def *def, marey_match_graph **out,
                                    marey_error *error);

/* Frees a match graph. */
MAREY_API void marey_match_graph_free(marey_match_graph *graph);

/* The matches. Borrowed until free. */
MAREY_API const marey_found *marey_match_graph_nodes(const marey_match_graph *graph, int *count);

/* The edges. Borrowed until free. */
MAREY_API const marey_match_edge *marey_match_graph_edges(const marey_match_graph *graph,
                                                          int *count);

/* The cells of an edge, which are kept packed.
   Errors: MEMORY.
   Ownership: free with marey_path_free, before the graph's context. */
MAREY_API marey_status marey_match_graph_path(const marey_match_graph *graph, int edge,
                                              marey_path *out, marey_error *error);

/* How a search went. */
typedef struct marey_search_report {
    /* Tiers that found something. */
    int tiers;
    /* There was more than `limit`. */
    bool limited;
    /* The least of the webs that were looked at; a threshold above it may have missed matches. */
    double ceiling;
} marey_search_report;

/* How the search went that found a graph. */
MAREY_API marey_search_report marey_match_graph_report(const marey_match_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
