/* index.h - what searches go by, kept in a library's file, and searching it: point at one kick and
   get every kick. Poses are enough for that; match webs are for those who want them. Read after
   match.h and library.h. */
#ifndef MAREY_INDEX_H
#define MAREY_INDEX_H

#include <marey/library.h>
#include <marey/match.h>
#include <marey/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- poses ----------------------------------------------------------------------------------- */

/* The poses of every clip in blocks, 60 a second or as many as it has, made when a clip is put in:
   40 bytes a pose of a body with roles, so searching a library takes time by its length and not by
   the square of it. What is missing, in libraries of an earlier marey, is made by every search
   anew until this call keeps it. */

typedef struct marey_pose_report {
    int clips;
    /* By this call. */
    int clips_made;
    /* That they take in the library. */
    int64_t bytes;
    double seconds;
} marey_pose_report;

/* Makes what is missing, or with `rebuild` all of it. `report` may be NULL.
   Errors: REQUEST: the library is open for reading only. INPUT: a clip is damaged. IO, MEMORY,
     CANCELLED: what was made stays. */
MAREY_API marey_status marey_library_index_poses(marey_library *library, bool rebuild,
                                                 marey_pose_report *report, marey_error *error);

/* Counts what there is; clips_made is how many are missing. */
MAREY_API marey_status marey_library_pose_state(marey_library *library, marey_pose_report *out,
                                                marey_error *error);

/* ---- webs ------------------------------------------------------------------------------------ */

/* An index has a web for every pair of clips that are not removed, each clip with itself included.
   All are made with the same settings, which the library keeps. Clips with the same joints are
   compared joint by joint, others by the roles that the two have in common, at a common scale; two
   that have none have no web. Each clip is looked at `fps` frames a second, or at its own rate if
   that is lower; a pair at the lower rate of the two. */

/* How far indexing is. */
typedef struct marey_index_progress {
    int pairs, pairs_done;
    /* Pairs of frames. */
    int64_t cells, cells_done;
    /* So far. */
    double seconds;
    /* Of the work, 0 to 1, and what is left of it: estimates from poses of the clips, as pairs that are
       alike cost more than others. Negative: not yet known. */
    double share, seconds_left;
} marey_index_progress;

/* How an index is built: leave a field zero for its default. */
typedef struct marey_index_def {
    /* 1 .. 1000; default: what the index was made with, else 60. */
    double fps;
    /* Default: likewise, else points; its fps and bounded are ignored. */
    const marey_metric_def *metric;
    /* Likewise; with another metric than before, the ceiling is that one's. */
    const marey_web_def *web;
    /* Make every web again; default: those that are missing. */
    bool rebuild;
    /* Called now and then from the thread that indexes; may be NULL. false: stop, with
       CANCELLED. */
    bool (*progress)(void *user, const marey_index_progress *progress);
    void *user;
    /* A tile is a pair of clips. Making: the library is only read, and the webs that it has already
       are not made again; the report is zero. Reading: webs come from shards, and pairs that they
       lack stay without. Default: all are made here. */
    const marey_tiles *tiles;
} marey_index_def;

/* What an index has, and what a call did. */
typedef struct marey_index_report {
    /* Highest rate. */
    double fps;
    /* Of the index. */
    int clips, pairs;
    /* By this call. */
    int pairs_built;
    /* Their clips were removed, or the settings are others now. */
    int pairs_dropped;
    /* Pairs of frames that the index covers. */
    int64_t cells;
    int64_t chains, bridges;
    /* That the webs take in the library. */
    int64_t bytes;
    double seconds;
    /* Distances above it are not in the index. */
    double ceiling;
    /* Why webs that were there were made again; "" if none was. */
    char rebuilt[160];
} marey_index_report;

/* Builds what is missing and drops what is gone. Webs are put in by transactions of a few seconds'
   work each: what was done stays when it is stopped, killed or fails, and the next call goes on
   from there. The bytes of every web follow from its two clips and the settings: they are the same
   whatever was there before, in what order clips came, and for any number of threads. With settings
   that are not those of the index, and if the metric is normalised by the data (positions: by the
   largest step in all clips) and that changed since, all webs are made again. Clips are compared as
   a layout of the two would have it, but at a scale that does not depend on them: where roles are
   compared, every body has legs of 80 cm. `report` may be NULL.
   Errors: REQUEST: invalid settings; the library is open for reading only. INPUT: a clip is
     damaged. LIMIT: as marey_web_build. IO, MEMORY, CANCELLED.
   Cost: about 17 ns a pair of frames on one core. Memory: about 200 MB for clips and their features
     (more if two clips alone take more), a web and what marey_web_build takes for every thread. */
MAREY_API marey_status marey_library_index(marey_library *library, const marey_index_def *def,
                                           marey_index_report *report, marey_error *error);

/* The settings of an index, and how far it is behind the library. */
typedef struct marey_index_state {
    bool exists;
    /* Of what is there; pairs_built, pairs_dropped and seconds are 0. */
    marey_index_report size;
    /* Clips came since: index again to find them. */
    int pairs_missing;
    /* The metric's name; lives forever. */
    const char *metric;
    /* All settings as JSON; borrowed until the next call for this library. */
    const char *about;
} marey_index_state;

/* Reads the state of an index; without one `exists` is false.
   Errors: INPUT: the index is damaged. IO, MEMORY. */
MAREY_API marey_status marey_library_index_state(marey_library *library, marey_index_state *out,
                                                 marey_error *error);

/* Makes features of two clips, or parts of them, as the index looks at them: the distance it
   measures between two frames is marey_distance(out[0], i, out[1], j), and marey_grid_build gives
   all of them. A part must begin at a frame that the index looks at, or its rows lie between those
   of the index. Without an index: by points, bodies at a common size, 60 frames a second.
   Errors: INPUT: the index is damaged. SHAPE: the two have nothing in common. IO, MEMORY.
   Ownership: free the features, then the layout. The clips need not outlive them. */
MAREY_API marey_status marey_library_index_view(marey_library *library,
                                                const marey_clip *const clips[2],
                                                marey_layout **layout, marey_features *out[2],
                                                marey_error *error);

/* Takes the index out of the library.
   Errors: IO, MEMORY. */
MAREY_API marey_status marey_library_index_drop(marey_library *library, marey_error *error);

/* ---- searching ------------------------------------------------------------------------------- */

/* Reads poses and webs as searches need them and holds them, so that the next search is quick. Held
   poses take up to 256 MB, beside 95 bytes for every pose of the library; held webs up to 512 MB, and during a search what two queries need if that is more; webs not used for
   longest go first. Belongs to its library object and its thread. When the library changes, the
   next search sees it. */
typedef struct marey_searcher marey_searcher;

/* Opens a searcher.
   Errors: IO, MEMORY.
   Ownership: free with marey_searcher_free, before the library is closed. */
MAREY_API marey_status marey_searcher_open(marey_library *library, marey_searcher **out,
                                           marey_error *error);

enum { MAREY_MOST_LIBRARIES = 256 };

/* Opens a searcher of several libraries as one: it finds what it would find in one library with the
   clips of the first, then those of the second, and so on, at the same distances and in the same
   order. A clip that several of them have is found in each. What a clip was cut from is looked for in
   its own library. By webs, all must have webs with the same settings; those of two clips of
   different libraries are in none, and are made by every searcher that needs them.
   Errors: REQUEST: no library, more than MAREY_MOST_LIBRARIES, one twice, or of two contexts. MEMORY.
   Ownership: free with marey_searcher_free, before any of the libraries is closed. The array need not
     outlive the call. */
MAREY_API marey_status marey_searcher_open_all(marey_library *const *libraries, int count,
                                               marey_searcher **out, marey_error *error);

/* Frees a searcher and the webs it holds. */
MAREY_API void marey_searcher_free(marey_searcher *searcher);

/* The motion to look for: frames [start, end) of a clip, in its own frames. Marked frames at either
   end are left out of it. A clip that is not in the index yet is searched for like one from
   outside. A clip that was cut from another (marey_library_cut) has frames that are there twice: it
   is not searched where the clip that its provenance names is, and is then not missing from the
   index either; a query in it is searched for as those frames of the other, but reported as it was
   asked. */
typedef struct marey_query {
    /* A name or "#34"; ignored if `outside` is given. */
    const char *clip;
    /* A clip that is not in the library; its rows of the web are built on the fly, which reads
       every clip that is searched. */
    const marey_clip *outside;
    int start, end;
    /* The number of the clip's library, of those that are searched. */
    int library;
} marey_query;

/* A match. All frames are the clip's own. */
typedef struct marey_match {
    /* 0: the query, if it came from outside. */
    int64_t clip;
    const char *name;
    int start, end;
    /* Of the edge by which it was found first; the query: 0. By poses, in a search without likes and
       unlikes: the mean distance of aligned frames, times the query's still cost, by the mean of it
       and the match's, which counts up to 1.5 times the query's. */
    double distance;
    /* Least sum of edges from the query. */
    double path_distance;
    /* 0: the query. */
    int tier;
    /* It is done with the other side. */
    bool mirrored;
    /* The number of its library, of those that are searched. */
    int library;
} marey_match;

/* Where and how it is searched: leave a field zero for its default. */
typedef struct marey_find_def {
    /* `allowed` and tier_done are ignored: see label, clips and found. By poses, the defaults are:
       threshold: 0.5 of the query's still cost (see marey_finding_report); if at most 40 are
       nearer, where others begin, up to 0.8 of it, or if there is nothing, up to 1.5; 0.6 with
       `like` or `unlike`; same 0.5; `loose` is ignored; tiers 1, but with a threshold that is chosen,
       and no `nearest`, `like` or `unlike`: as many as bring something, while there are at most 20.
       Then matches farther than 0.3 of the still cost are queries too; a match of theirs must be
       nearer than 0.4 of their still cost, is left out with the others of that match if these are
       more than 4 and than half of what was found, and its distance is that on the way. By webs:
       threshold the metric's own, MAREY_FIND_THRESHOLD for points. */
    marey_search_def search;
    /* By the match webs of the library, which must be there; default: by poses, exactly. */
    bool web;
    /* By poses or an own metric: so many matches, the nearest, whatever their distance; default: all
       up to the threshold. With an own metric and a threshold: at most so many of these. */
    int nearest;
    /* By a metric of the caller's own (metric->own), in a full scan: every frame of the query is
       measured against every frame of all clips that are searched, each pair at the lowest of the
       query's rate, the clip's, its `fps` and 60. A match costs the mean, over the query's
       rows, of their distances from the rows of the match that they are aligned with, none at more
       than twice or less than half the pace; all alignments that cost at most the threshold are
       found (default: the metric's own), and of those that overlap by `same` the cheapest. Clips
       need no joints in common. Not with web, mirror, own_size, like or unlike; tiers 1 by
       default. NULL: by poses, or by webs. */
    const marey_metric_def *metric;
    /* By poses: also what is done with the other side, which is then `mirrored`; of bodies with
       roles. */
    bool mirror;
    /* By poses: segments of clips of the library that are meant too, and that are not. Each says by
       itself what counts and how near a match must be, as the query does. A match is what is like
       the query or one that is liked, and no less like it than any that is not; distances are to
       the nearest, times what standing still scores in the query over what it scores there. What
       is liked is listed, with distance 0; it may be in any clip. */
    const marey_query *like;
    int like_count;
    const marey_query *unlike;
    int unlike_count;
    /* By poses: bodies are compared as they are; default: brought to legs of one length. */
    bool own_size;
    /* Only in clips with this label, and in frames that have it: of a match at least half; the
       query may be any. */
    const char *label;
    /* Only in these; default: all. */
    const int64_t *clips;
    int clip_count;
    /* Of each of these the number of its library; NULL: the first. */
    const int *clip_libraries;
    /* Called after each tier with what there is, ordered as in the finding; may be NULL. false:
       that is enough. Must not use the library or the searcher. */
    bool (*found)(void *user, int tier, const marey_match *matches, int count);
    void *user;
} marey_find_def;

/* What a search found. Stays readable when the searcher and the library are gone. */
typedef struct marey_finding marey_finding;

/* Finds every motion that is like the query: by poses every one whose cost is at most the threshold
   (docs/search.md says what that is), by webs as marey_search.
   Errors: NOT_FOUND: no such clip. REQUEST: a segment outside its clip, all marked, or shorter than
     two frames of the index; no threshold for a metric that has no default; no such label; what is
     liked is the same as what is not, or from outside; with `metric` neither a threshold nor
     `nearest`, or what does not go with it. SHAPE: an outside clip that has nothing in
     common with any; what is liked or not has nothing in common with the query. INPUT: no web where it is to be searched
     by webs; a web or a clip is damaged. LIMIT: by poses, a query of more than 8192 poses, 136 s.
     IO, MEMORY, CANCELLED.
     With `metric` what its function returns.
   Ownership: free with marey_finding_free.
   Cost: reads the webs of the query's clip, once; then grows with the paths in the query's rows.
     With `metric`: reads every clip that is searched, and the query's rows times all of theirs. */
MAREY_API marey_status marey_searcher_find(marey_searcher *searcher, const marey_query *query,
                                           const marey_find_def *def, marey_finding **out,
                                           marey_error *error);

/* Frees a finding. */
MAREY_API void marey_finding_free(marey_finding *finding);

/* The matches: the query first, then by path_distance. Borrowed until free. */
MAREY_API const marey_match *marey_finding_matches(const marey_finding *finding, int *count);

/* The edges, as in the match graph; rows and columns of first and last are the clips' own frames.
   Borrowed until free. */
MAREY_API const marey_match_edge *marey_finding_edges(const marey_finding *finding, int *count);

/* The cells of an edge in the clips' own frames, so neighbours may be more than one frame apart,
   with the sum and mean of their costs.
   Errors: REQUEST: no such edge. MEMORY.
   Ownership: free with marey_path_free, before the context. */
MAREY_API marey_status marey_finding_path(const marey_finding *finding, int edge, marey_path *out,
                                          marey_error *error);

/* Finds a tree of chosen matches, as a registration needs it (webs, 6.3.1): for each of `matches`
   the number, in that list, of the one before it on the shortest way from the query through the
   match graph; -1 for the one nearest to the query, which is its root. Ways may lead over matches
   that were not chosen.
   Errors: REQUEST: no match, no such match, or one given twice. MEMORY. */
MAREY_API marey_status marey_finding_parents(const marey_finding *finding, const int *matches,
                                             int count, int *parents, marey_error *error);

/* How a search went. */
typedef struct marey_finding_report {
    int tiers;
    /* There was more than the limit. */
    bool limited;
    /* That was used. */
    double threshold;
    /* By poses: it was not given, but follows from the query. */
    bool chosen;
    /* By poses: the least mean distance of the query's frames to a single one of them, which is
       what a body standing still would score. */
    double still_cost;
    /* By poses: examples besides the query, those that are the same motion counted once, and matches
       that were left out as they are nearer to one that is not liked. */
    int liked, unliked, left_out;
    /* By poses: how many there are in clips that can be compared, of how many distances had to be
       measured, and the time until that was known. */
    int64_t poses, poses_left;
    double scan_seconds;
    /* Of the index, and whether the threshold is above it: matches may be missing. */
    double ceiling;
    bool past_ceiling;
    /* Came since the index was made and were not searched. */
    int clips_missing;
    /* Of the index. */
    double fps;
    double seconds;
} marey_finding_report;

/* How the search went that found it. */
MAREY_API marey_finding_report marey_finding_report_of(const marey_finding *finding);

/* ---- what repeats ---------------------------------------------------------------------------- */

/* A movement that is in the library several times. */
typedef struct marey_motif {
    /* The first is the example, which is nearest to the others; then the nearest to it first. */
    const marey_match *occurrences;
    int count;
    /* Length of the example. */
    double seconds;
    /* Of what it costs to align them with the example: 0.3 times its still cost. A search for the
       example with twice this threshold finds all of them. */
    double threshold;
    double still_cost;
} marey_motif;

/* Where motifs are looked for: leave a field zero for its default. */
typedef struct marey_motifs_def {
    /* At most so many; default 20. */
    int limit;
    /* Only in clips with this label, and in frames that have it: of an occurrence at least half. */
    const char *label;
    /* Only in these; default: all. */
    const int64_t *clips;
    int clip_count;
    /* A tile is a piece of motion that is searched for. Making: *out is NULL. Default: all is worked
       out here. */
    const marey_tiles *tiles;
} marey_motifs_def;

typedef struct marey_motifs_report {
    /* Pieces of motion that were searched for. */
    int seeds;
    double seconds;
} marey_motifs_report;

/* The motifs of a library. Stay readable when the searcher and the library are gone. */
typedef struct marey_motifs marey_motifs;

/* Finds the movements that recur, without any query: those first whose length times their number is
   largest. Each side is a motif of its own; what repeats itself at once, as steps of a walk, is one
   motif of one period; what stands is none. The same for any number of threads.
   Errors: REQUEST: no such label. NOT_FOUND: no such clip. INPUT: a clip is damaged. IO, MEMORY,
     CANCELLED.
   Ownership: free with marey_motifs_free.
   Cost: up to about a thousand searches, so time grows with the length of the library. */
MAREY_API marey_status marey_searcher_motifs(marey_searcher *searcher, const marey_motifs_def *def,
                                             marey_motifs **out, marey_error *error);

/* Frees motifs. */
MAREY_API void marey_motifs_free(marey_motifs *motifs);

/* The motifs, the longest and most frequent first. Borrowed until free. */
MAREY_API const marey_motif *marey_motifs_list(const marey_motifs *motifs, int *count);

/* How they were found. */
MAREY_API marey_motifs_report marey_motifs_report_of(const marey_motifs *motifs);

#ifdef __cplusplus
}
#endif
#endif
