/* match.h - point at one motion, get every motion like it: match webs, searching with them, match graphs.
   Read after align.h. A web belongs to one pair of clips (or a clip with itself); library.h keeps them. */
#ifndef MAREY_MATCH_H
#define MAREY_MATCH_H

#include <marey/align.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- match webs --------------------------------------------------------------------------------- */

/* All pairs of segments of two motions that can be alike (webs, 6.2.2), as paths on the grid of their frames: chains
   of 1D minima, bridges between chains, and tails, which continue chains at their ends. Rows are frames of the first
   at the web's rate, columns of the second. A clip with itself has the cells with col > row only, and the diagonal as
   its first chain, at no cost and without bridges. Cells of marked frames are in no path. Never changes once made; any
   thread may read it. */
typedef struct marey_web marey_web;

typedef struct marey_web_def { /* leave a field zero for its default */
    int slope; /* at most so many steps in a row along one motion alone, 1 .. 8; default 2 */
    double
        valid; /* alpha: a minimum's surroundings count as long as they are less than this share above it; default
                     0.15 */
    double shortest_s; /* chains, measured in cells; default 0.25 */
    double bridge_s; /* bridges, measured as rows + columns; default 2. Not less than shortest_s */
    double tail_s; /* how far the ends of chains are continued; default 0.7; negative: not at all */
    double
        ceiling; /* minima above it are not looked at; for points in cm2, default MAREY_WEB_CEILING, else infinity, which
                       means none. Searching with a threshold above it may miss matches */
    bool
        levels; /* by the paper's resolutions, a sixth and a third of the rate first, and refined; default: all at the
                    full rate, which is exact */
} marey_web_def;

/* What exactly is found is in match/web_data.h: chains follow from the grid by rules without a choice; a bridge is, of
   the ways with the least sum to a cell of the other chain, the one with the least mean. Points are measured slab
   after slab; for the other metrics the whole grid is built first. The same bytes for any number of threads. Time:
   about 20 ns a pair of frames on one core. Memory: 5 bytes a column for four times the rows of the longest bridge
   and 192 rows for each of up to 8 threads, and what is found. `def` may be NULL. On failure *out is not written.
   SHAPE: features of different layouts. REQUEST: an invalid definition. LIMIT: more than 2^22 rows or columns.
   MEMORY, CANCELLED. */
MAREY_API marey_status marey_web_build(marey_ctx *ctx, const marey_features *a,
                                       const marey_features *b, const marey_web_def *def,
                                       marey_web **out, marey_error *error);
MAREY_API void marey_web_free(marey_web *web); /* NULL is allowed */

typedef struct marey_web_path { /* borrowed until free */
    bool bridge;
    bool tail;    /* continues a chain, or leads to it, and goes nowhere: no chain of minima */
    int from, to; /* bridges: numbers of the paths they connect; others: -1 */
    int from_cell,
        to_cell; /* which cells of these: the bridge's own cells lie between them, exclusive, and there may be
                               none */
    int count;
    const marey_cell *cells; /* in the order of time */
    const float *costs;      /* rounded to a thousandth of themselves */
} marey_web_path;

MAREY_API int marey_web_paths(const marey_web *web);
/* Chains first, by their first cells; then tails, by their chains; bridges, by the chains they connect; and for each tail
   a bridge without cells that joins it to its chain. */
MAREY_API marey_web_path marey_web_path_at(const marey_web *web, int index);
MAREY_API double marey_web_fps(const marey_web *web); /* rows a second */
/* Tails and what joins them are counted neither as chains nor as bridges, but as cells. */
MAREY_API void marey_web_size(const marey_web *web, int *rows, int *cols, int *chains, int *bridges,
                              int64_t *cells);

/* As bytes: about 8 bits a cell, and nothing is lost. MEMORY. */
MAREY_API marey_status marey_web_write(const marey_web *web, uint8_t **bytes, size_t *size,
                                       marey_error *error);
MAREY_API void marey_web_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);
/* INPUT: the bytes are damaged. MEMORY. On failure *out is not written. */
MAREY_API marey_status marey_web_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                      marey_web **out, marey_error *error);

/* ---- searching ------------------------------------------------------------------------------------ */

/* A segment of a clip: rows [start, end). `clip` is the searcher's own number of it. */
typedef struct marey_segment {
    int clip;
    int start, end;
} marey_segment;

/* Where webs come from: given to the search, so that they are read as needed. Called from the thread that searches, for
   each query once with every clip that is searched. `*flipped` says that rows of the web are frames of `b`; it does
   not matter for a clip with itself. *out may be NULL: there is no web of these two, and nothing is found by it.
   Borrowed until the search ends. */
typedef struct marey_webs {
    int clips;
    marey_status (*web)(void *user, int a, int b, const marey_web **out, bool *flipped,
                        marey_error *error);
    void *user;
    /* How many rows a second each clip is counted in; NULL: all webs have the same rate, and rows are theirs. A web may
       have a lower rate than its clips: its rows are then those at the same times. */
    const double *fps;
} marey_webs;

typedef struct marey_found {
    marey_segment at;
    double distance;      /* of the edge by which it was found first; the query: 0 */
    double path_distance; /* least sum of edges from the query */
    int tier;             /* 0: the query */
} marey_found;

typedef struct marey_search_def { /* leave a field zero for its default */
    double threshold;             /* mean cost of a match, at most; must be given */
    double same; /* sigma_0: share of overlap from which on two matches are one; default 0.8 */
    double
        distinct; /* sigma_0 bar: up to which they are two; default 0.2; cyclic motions need more */
    double loose; /* share of the query that a match may lack at either end, up to 0.5; default 0.3;
                     negative: none, as in the paper. See below */
    int tiers;    /* default: until nothing new is found */
    int limit;    /* most matches, the query not counted; default 10000 */
    const uint8_t *allowed; /* a byte a clip: 0: not searched; NULL: all */
    /* Called after each tier with what there is, ordered as in the graph; may be NULL. false: that is enough. */
    bool (*tier_done)(void *user, int tier, const marey_found *found, int count);
    void *user;
} marey_search_def;

/* Two segments that are alike, and how their frames go together. Of a pair of matches the best alignment that was met is
   kept. Where intervals were averaged, its ends are a few frames off the matches' own. */
typedef struct marey_match_edge {
    int from, to;           /* numbers of matches; `from` was the query when it was found */
    double distance;        /* mean cost of the cells */
    marey_cell first, last; /* rows: frames of `from`'s clip; columns: of `to`'s */
    int cells;
} marey_match_edge;

typedef struct marey_match_graph marey_match_graph;

/* Searches (webs, 6.2.3). A match sequence begins in the first cell that a chain or bridge has in the query's first row,
   follows chains and bridges, and ends in the last cell that the path it is on then has in the query's last row. The
   number of ways through a web can be exponential, but of all that begin in one cell and end in another only the one
   with the least mean can survive, as the others are the same segment; that one is found by Dinkelbach's method on the
   graph of junctions, which has no circles. So the result is that of trying them all.
   Beyond the paper: chains break in still phases and where minima do, and short ones are not kept, so a match that brute
   force would find often has no path in the query's very first or last row. A chain that begins up to `loose` of the
   query late, or ends as much early, is continued along the diagonal, at the cost of its first or last cell; where the
   other clip begins or ends too soon for that, with its first or last frame, as the windows of frames are.
   Of one query's matches those are kept that do not overlap a better one by `same` (the query itself is the best of its
   clip). Matches of the query are the first tier; later tiers are searched with the matches of the tier before, and a
   match that overlaps a known one (the one it overlaps most) by `same` is merged with it: an edge, and its interval
   becomes the mean of all that were merged and were about as long (by `same`); the query's own stays. Up to `distinct` it is new; between the two it is
   dropped. What later tiers find that is less than half or more than twice as long as the query is not looked at: little by
   little they would get to pieces of three frames. Matches come out with the query first, then by path_distance, clip and start. The same on every machine for the
   same web. Time goes with the paths in the query's rows. On failure *out is not written.
   REQUEST: a segment that its clip's webs do not have, an invalid threshold or share. MEMORY, CANCELLED, and what
   `webs` answers. */
MAREY_API marey_status marey_search(marey_ctx *ctx, const marey_webs *webs, marey_segment query,
                                    const marey_search_def *def, marey_match_graph **out,
                                    marey_error *error);
MAREY_API void marey_match_graph_free(marey_match_graph *graph); /* NULL is allowed */

/* Borrowed until free. */
MAREY_API const marey_found *marey_match_graph_nodes(const marey_match_graph *graph, int *count);
MAREY_API const marey_match_edge *marey_match_graph_edges(const marey_match_graph *graph,
                                                          int *count);

/* The cells of an edge, which are kept packed. Free the path before the graph's context. MEMORY: *out is not written. */
MAREY_API marey_status marey_match_graph_path(const marey_match_graph *graph, int edge,
                                              marey_path *out, marey_error *error);

typedef struct marey_search_report {
    int tiers;    /* that found something */
    bool limited; /* there was more than `limit` */
    double
        ceiling; /* least of the webs that were looked at; a threshold above it may have missed matches */
} marey_search_report;

MAREY_API marey_search_report marey_match_graph_report(const marey_match_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
