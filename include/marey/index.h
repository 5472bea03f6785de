/* index.h - the match webs of a whole library, kept in its file, and searching it: point at one kick and get every kick.
   Read after match.h and library.h. */
#ifndef MAREY_INDEX_H
#define MAREY_INDEX_H

#include <marey/library.h>
#include <marey/match.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- indexing --------------------------------------------------------------------------------- */

/* An index has a web for every pair of clips that are not removed, each clip with itself included. All are made with the same
   settings, which the library keeps. Clips with the same joints are compared joint by joint, others by the roles that
   the two have in common, at a common scale; two that have none have no web. Each clip is looked at `fps` frames a
   second, or at its own rate if that is lower; a pair at the lower rate of the two. */

typedef struct marey_index_progress {
    int pairs, pairs_done;
    int64_t cells, cells_done; /* pairs of frames */
    double seconds;            /* so far */
    double seconds_left;       /* as far as one can tell; negative: not yet */
} marey_index_progress;

typedef struct marey_index_def { /* leave a field zero for its default */
    double fps;                  /* 1 .. 1000; default: what the index was made with, else 60 */
    const marey_metric_def
        *metric; /* default: likewise, else points; its fps and bounded are not used */
    const marey_web_def
        *web;     /* likewise; with another metric than before, the ceiling is that one's */
    bool rebuild; /* make every web again; default: those that are missing */
    /* Called now and then from the thread that indexes; may be NULL. false: stop, with CANCELLED. */
    bool (*progress)(void *user, const marey_index_progress *progress);
    void *user;
} marey_index_def;

typedef struct marey_index_report {
    double fps;        /* highest rate */
    int clips, pairs;  /* of the index */
    int pairs_built;   /* by this call */
    int pairs_dropped; /* their clips were removed, or the settings are others now */
    int64_t cells;     /* pairs of frames that the index covers */
    int64_t chains, bridges;
    int64_t bytes; /* that the webs take in the library */
    double seconds;
    double ceiling;    /* distances above it are not in the index */
    char rebuilt[160]; /* why webs that were there were made again; "" if none was */
} marey_index_report;

/* Builds what is missing and drops what is gone. Webs are put in by transactions of a few seconds' work each: what was
   done stays when it is stopped, killed or fails, and the next call goes on from there. The bytes of every web follow from
   its two clips and the settings: they are the same whatever was there before, in what order clips came, and for any
   number of threads. With settings that are not those of the index, and if the metric is normalised by the data
   (positions: by the largest step in all clips) and that changed since, all webs are made again. Clips are compared as a
   layout of the two would have it, but at a scale that does not depend on them: where roles are compared, everybody has
   legs of 80 cm. `def` may be NULL. Time: about 17 ns a pair of frames on one core. Memory: about 200 MB for clips and
   their features (more if two clips alone take more), a web and what marey_web_build takes for every thread.
   REQUEST: invalid settings; the library is open for reading only. INPUT: a clip is damaged. LIMIT: as for
   marey_web_build. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_library_index(marey_library *library, const marey_index_def *def,
                                           marey_index_report *report, marey_error *error);

/* What there is: the settings, and how far the index is behind the library. */
typedef struct marey_index_state {
    bool exists;
    marey_index_report size; /* of what is there; pairs_built, pairs_dropped and seconds are 0 */
    int pairs_missing;       /* clips came since: index again to find them */
    const char *metric;      /* its name; lives forever */
    const char *about; /* all settings as JSON; borrowed until the next call for this library */
} marey_index_state;

MAREY_API marey_status marey_library_index_state(marey_library *library, marey_index_state *out,
                                                 marey_error *error);

/* Two clips, or parts of them, as the index looks at them: what it measures between two frames is
   marey_distance(out[0], i, out[1], j), and marey_grid_build gives all of it. A part must begin at a frame that the index
   looks at, or its rows lie between those of the index. The layout must outlive the features; the clips need not.
   INPUT: there is no index, or a clip is damaged. SHAPE: the two have nothing in common. IO, MEMORY. On failure nothing
   is written. */
MAREY_API marey_status marey_library_index_view(marey_library *library,
                                                const marey_clip *const clips[2],
                                                marey_layout **layout, marey_features *out[2],
                                                marey_error *error);

/* Takes the index out of the library. */
MAREY_API marey_status marey_library_index_drop(marey_library *library, marey_error *error);

/* ---- searching -------------------------------------------------------------------------------- */

/* Reads webs as searches need them and holds them, so that the next search is quick: the slider of the studio lives on it.
   What is held takes up to 512 MB, and during a search what two queries need if that is more; webs not used for longest
   go first. Belongs to its library object and its thread. When the library changes, the next search sees it. */
typedef struct marey_searcher marey_searcher;

/* INPUT: there is no index; the message says how to make one. MEMORY, IO. */
MAREY_API marey_status marey_searcher_open(marey_library *library, marey_searcher **out,
                                           marey_error *error);
MAREY_API void marey_searcher_free(marey_searcher *searcher); /* NULL is allowed */

/* Frames that were not captured, at either end, are left out of it. A clip that is not in the index yet is searched for
   like one from outside. A clip that was cut from another (marey_library_cut) has frames that are there twice: it is not
   searched where the clip that its provenance names is, and is then not missing from the index either; a query in it is
   searched for as those frames of the other, but told as it was asked. */
typedef struct marey_query { /* frames [start, end) of a clip, in its own frames */
    const char *clip;        /* a name or "#34"; not used if `outside` is given */
    const marey_clip *
        outside; /* a clip that is not in the library; its rows of the web are built on the fly, which
                                  reads every clip that is searched */
    int start, end;
} marey_query;

typedef struct marey_match { /* all frames are the clip's own */
    int64_t clip;            /* 0: the query, if it came from outside */
    const char *name;
    int start, end;
    double distance;      /* of the edge by which it was found first; the query: 0 */
    double path_distance; /* least sum of edges from the query */
    int tier;             /* 0: the query */
} marey_match;

typedef struct marey_find_def { /* leave a field zero for its default */
    marey_search_def
        search; /* `allowed` is not used; tier_done is not called: `found` is. Threshold 0: the one that
                                   MAREY_FIND_THRESHOLD says */
    const char *label;    /* only in clips with this label; the query may be any */
    const int64_t *clips; /* only in these; clip_count of them; default: all */
    int clip_count;
    /* Called after each tier with what there is, ordered as in the finding; may be NULL. false: that is enough. Must not
       use the library or the searcher. */
    bool (*found)(void *user, int tier, const marey_match *matches, int count);
    void *user;
} marey_find_def;

/* What a search found. Stays readable when the searcher and the library are gone. */
typedef struct marey_finding marey_finding;

/* INPUT: no such clip. REQUEST: a segment outside its clip, all marked, or shorter than two frames of the index; no
   threshold for a metric that has no default; no such label. SHAPE: an outside clip that has nothing in common with any.
   MEMORY, CANCELLED, IO. On failure *out is not written. */
MAREY_API marey_status marey_searcher_find(marey_searcher *searcher, const marey_query *query,
                                           const marey_find_def *def, marey_finding **out,
                                           marey_error *error);
MAREY_API void marey_finding_free(marey_finding *finding); /* NULL is allowed */

/* The query first, then by path_distance. Borrowed until free. */
MAREY_API const marey_match *marey_finding_matches(const marey_finding *finding, int *count);

/* As in the match graph; rows and columns of first and last are the clips' own frames. */
MAREY_API const marey_match_edge *marey_finding_edges(const marey_finding *finding, int *count);

/* The cells of an edge in the clips' own frames, so neighbours may be more than one frame apart, with the sum and mean of
   their costs. Free it with marey_path_free before the context. REQUEST: there is no such edge. MEMORY. */
MAREY_API marey_status marey_finding_path(const marey_finding *finding, int edge, marey_path *out,
                                          marey_error *error);

/* A tree of chosen matches, as a registration wants it (webs, 6.3.1): for each of `matches` the number, in that list, of the
   one before it on the shortest way from the query through the match graph; -1 for the one nearest to the query, which
   is its root. Ways may lead over matches that were not chosen. REQUEST: none, one that is not there or is there twice.
   MEMORY. */
MAREY_API marey_status marey_finding_parents(const marey_finding *finding, const int *matches,
                                             int count, int *parents, marey_error *error);

typedef struct marey_finding_report {
    int tiers;
    bool limited;      /* there was more than the limit */
    double threshold;  /* that was used */
    double ceiling;    /* of the index */
    bool past_ceiling; /* the threshold is above it: matches may be missing */
    int clips_missing; /* came since the index was made and were not searched */
    double fps;        /* of the index */
    double seconds;
} marey_finding_report;

MAREY_API marey_finding_report marey_finding_report_of(const marey_finding *finding);

#ifdef __cplusplus
}
#endif
#endif
