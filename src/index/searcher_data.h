/* searcher_data.h - the inside of searchers and of what they find. Read by searcher*.c and
   finding.c.

   A search numbers the clips of its libraries by their places in `slots`; a query that has no webs in
   the index (from outside, or not indexed yet) gets the number behind the last. Rows are what the
   index looks at, frames the clips' own. What is kept of a clip follows from that clip alone, so the
   clips of several libraries, one library behind the other, are searched as if one file had them all
   (decision 44). */
#ifndef MRY_SEARCHER_DATA_H
#define MRY_SEARCHER_DATA_H

#include "index/index_data.h"
#include "library/pose_rows.h"
#include "match/query_scan.h"
#include "match/search_hits.h"

/* ---- webs that are held ---------------------------------------------------------------------- */

/* Webs that were read take at most so much between searches, and while one runs beside those of the
   last two queries; those not used for longest go first. A web takes about a dozen times what it
   takes in the library. */
enum { MRY_HELD_MIB = 512 };

typedef struct mry_held_web {
    int64_t a, b; /* keys of clips (mry_web_key), a <= b */
    marey_web *web;
    bool flipped; /* rows are frames of b */
    mry_index_web_state state;
    size_t bytes;
    int64_t last_use;                          /* which use of all it was */
    struct mry_held_web *newer, *older, *next; /* in the order of use; in its bucket */
} mry_held_web;

typedef struct mry_held {
    marey_ctx *ctx;
    mry_held_web **buckets;
    size_t bucket_count, count, bytes, most_bytes;
    mry_held_web *newest, *oldest;
    int64_t uses; /* up to now */
} mry_held;

mry_held mry_held_make(marey_ctx *ctx);
void mry_held_free(mry_held *held);           /* everything; it can be used again */
void mry_held_forget_missing(mry_held *held); /* the library has changed: they may be there now */

/* ---- poses that are held --------------------------------------------------------------------- */

/* Blocks of all clips stay; poses of clips that were looked at closely take at most so much between
   searches, those not used for longest go first. */
enum { MRY_HELD_POSES_MIB = 256 };

/* Of a query by poses: alignments take memory by the square of it. */
enum { MRY_MOST_QUERY_ROWS = 8192 };

/* Clips whose blocks lie on one shelf: any two can be compared, by the same points at one rate. */
typedef struct mry_pose_group {
    int points;
    bool by_roles;
    uint32_t has;
    uint64_t joints;
    double rate;
    int blocks, count, room;
    mry_scan_shelf shelf;
    mry_scan_card card; /* which may have the shelf, too */
    mry_scan_part *parts;
    int *slots; /* of the parts */
} mry_pose_group;

typedef struct mry_held_poses {
    bool there;
    mry_arena mem;
    mry_poses poses;
    size_t bytes;
    int64_t last_use;
} mry_held_poses;

typedef struct mry_shelves {
    mry_arena mem;
    mry_pose_group *groups;
    int group_count, group_room;
    mry_held_poses *held; /* a slot's */
    int slot_count;
    size_t held_bytes;
    int64_t uses;
} mry_shelves;

/* ---- searchers ------------------------------------------------------------------------------- */

/* One of the libraries that are searched. */
typedef struct mry_member {
    marey_library *library;
    int64_t version;  /* of the library that its slots are of */
    int first, count; /* its slots, in the order of their clips' numbers */
} mry_member;

typedef struct mry_slot {
    mry_index_clip clip;
    int member;
    const char *name; /* NULL until it was asked for */
    marey_mark *marks;
    int mark_count;          /* -1: not looked at yet */
    struct mry_slot *source; /* the clip that it was cut from; NULL: it is no cut */
    int source_start;        /* where in it */
} mry_slot;

/* What the last query found, of its first tier. */
typedef struct mry_memory {
    bool there;
    marey_segment query;
    bool mirror;
    double same;
    double known; /* all up to there */
    int compared; /* groups of clips */
    int64_t poses, poses_left;
    mry_list hits, steps, allowed; /* as a seek's */
} mry_memory;

struct marey_searcher {
    mry_member *members;
    int member_count;
    marey_ctx *ctx;
    mry_arena mem; /* of the next five, which are made anew when a library has changed */
    bool known;    /* they are those of the members' versions */
    mry_index_settings settings;
    mry_slot *slots; /* by number */
    int slot_count;
    bool by_web, by_own, own_size; /* what they are for */
    mry_held held;
    mry_shelves shelves;
    mry_memory memory; /* of the same clips */
};

static inline marey_library *mry_slot_library(const marey_searcher *searcher, int slot)
{
    return searcher->members[searcher->slots[slot].member].library;
}

/* Of the first library, for messages that are about all of them. */
const char *mry_searcher_path(const marey_searcher *searcher);

/* NULL: the member has no such clip. (searcher_members.c) */
mry_slot *mry_slot_find(const marey_searcher *searcher, int member, int64_t clip);

/* The web of two clips, from what is held or from the libraries. `keep`: what was got by so many uses
   before this one stays. *out is borrowed. (searcher_webs.c) */
marey_status mry_held_get(marey_searcher *searcher, const mry_slot *a, const mry_slot *b,
                          int64_t keep, const mry_held_web **out, marey_error *error);

/* Looks at the libraries, and at what their clips are, if anything changed. Inside a snapshot.
   (searcher_members.c) */
marey_status mry_searcher_look(marey_searcher *searcher, const marey_find_def *def,
                               marey_error *error);

/* A snapshot of every library, or on failure of none that stays; and the end of it.
   (searcher_members.c) */
marey_status mry_searcher_snapshot(marey_searcher *searcher, marey_error *error);
void mry_searcher_rollback(marey_searcher *searcher);

/* Frames of a clip that is searched, or of the part of the query's clip that is compared. */
typedef struct mry_ruler {
    mry_index_clip clip;
    int shift; /* its first frame, counted in the whole clip; negative: that is a cut of this one */
    int frames; /* of the cut, then; else 0 */
} mry_ruler;

int mry_ruler_frame(const mry_ruler *ruler, int row); /* at which the row is */
int mry_ruler_end(const mry_ruler *ruler, int row);   /* the same for the end of a segment */

/* A segment that is meant too, or that is not what is meant. */
typedef struct mry_example {
    marey_segment at; /* in rows */
    int number;       /* of those that are liked, from 1; -1: it is not liked */
    bool pushed;      /* it took the place of what is like another */
} mry_example;

/* An end of what is like an example: as an mry_scan_end, in the measure of the query. */
typedef struct mry_pooled {
    marey_segment at;
    double mean;
    int of;      /* the example's number; 0: the query */
    int example; /* its place, where it is not the query */
    bool mirrored;
    bool pushed; /* as an example's */
} mry_pooled;

/* Frames of a clip that are searched. */
typedef struct mry_span {
    int start, end;
} mry_span;

/* So many are few: then farther ones are looked for; and if they are fewer still, what is like
   them. */
enum { MRY_FEW_MATCHES = 40, MRY_FEW_TO_ASK = 20 };
/* A match that is like so many is like something else, and is not asked. */
enum { MRY_CROWD = 200 };

/* One search. */
typedef struct mry_seek {
    marey_searcher *searcher;
    const marey_find_def *def;
    marey_segment query;   /* in rows */
    mry_example *examples; /* by poses, besides the query; they overlap neither it nor each other */
    int example_count;
    mry_list ends;   /* mry_pooled, where there are examples */
    int left_out;    /* matches that were nearer to what is not liked */
    int start, end;  /* the query's own frames, captured ones at both ends */
    bool narrowed;   /* the first ones asked for were not */
    mry_ruler ruler; /* of the query's clip */
    char name[MAREY_NAME_ROOM];
    int member;                 /* its library; 0 where it is from outside */
    int64_t id;                 /* 0: from outside */
    mry_arena mem;              /* of the next */
    uint8_t *allowed, *missing; /* a byte for every slot and one for a query from outside; both are
                                   0 for a cut whose source is allowed */
    double *fps;                /* likewise */
    mry_span *spans;            /* with the label, slot after slot; NULL: all frames are searched */
    int *first_span;            /* of each slot, and one more */
    marey_match *tier;          /* what `found` is shown; room for tier_room */
    int tier_room;
    marey_metric_def metric;   /* by an own one: every default filled in */
    marey_clip *loaded, *part; /* the query's clip, where it has no webs; what of it is compared */
    mry_outside *outside;
    marey_web **outside_webs; /* one for every slot, as they are asked for */
    uint8_t *compared;        /* likewise: was it? */
    int in_common;            /* webs that there are */
    double threshold;
    bool chosen;
    bool goes_on; /* by poses, with nothing set: as long as there are few, by what is found */
    double same;  /* by poses: of the definition, or its default */
    double share; /* by poses, where it is chosen: of the still cost; 0: the usual one */
    bool places;  /* by poses: only where hits are, not how they are aligned */
    double still_cost, near; /* matches nearer than that are as good as the query */
    int most_hits;           /* of the query in hand; 0: any number */
    int64_t poses, poses_left;
    double scan_seconds;
    const marey_clip *outside_clip; /* by poses: the query's, where it is in no slot */
    mry_list hits, steps;           /* by poses: of the query in hand */
    marey_status failed;            /* while a tier was shown: why */
    marey_error failure;
} mry_seek;

static inline bool mry_is_crowded(const mry_seek *seek)
{
    return seek->most_hits > 0 && seek->hits.count > seek->most_hits;
}

/* Is at least half of a segment within what is searched? marey_search_def.wanted of a seek.
   (searcher.c) */
bool mry_seek_wants(void *user, marey_segment at);

/* Looks at the library, and at which clips are searched. Inside a snapshot. (searcher.c) */
marey_status mry_seek_begin(mry_seek *seek, marey_error *error);

/* marey_webs.web of a seek. Webs of two clips of one library are read, of two libraries made.
   (searcher_webs.c) */
marey_status mry_seek_web(void *user, int a, int b, const marey_web **out, bool *flipped,
                          marey_error *error);

/* Puts the blocks of all slots on shelves; on failure there are none. (searcher_shelves.c) */
marey_status mry_shelves_fill(marey_searcher *searcher, marey_error *error);
void mry_shelves_free(mry_shelves *shelves); /* they can be filled again */

/* By what poses of a clip are multiplied when they are compared. */
float mry_unit_of(const marey_searcher *searcher, double scale);

/* Reads the poses of clips that are not held yet, at most MRY_MOST_HELD, each once. They stay until
   something is held with a later `since` than the use (mry_shelves.uses) that this was. */
enum { MRY_MOST_HELD = 64 };
marey_status mry_hold_all(marey_searcher *searcher, const int *slots, int count, int64_t since,
                          marey_error *error);
marey_status mry_hold_poses(marey_searcher *searcher, int slot, int64_t since,
                            const mry_poses **out, marey_error *error);

static inline bool mry_same_segment(marey_segment a, marey_segment b)
{
    return a.clip == b.clip && a.start == b.start && a.end == b.end;
}

/* Finds out which segment of which clip is meant, and opens what comparing it needs. (searcher.c) */
marey_status mry_seek_open(mry_seek *seek, const marey_query *query, marey_error *error);

/* The hits of a query up to a cut-off, if it was the last one and they were found before; and keeps
   all that a seek has found up to `known`. (searcher_memory.c) */
marey_status mry_recall(mry_seek *seek, marey_segment query, double cutoff, int *compared,
                        bool *recalled, marey_error *error);
marey_status mry_remember(mry_seek *seek, marey_segment query, double known, int compared,
                          marey_error *error);
void mry_forget(marey_searcher *searcher);

/* Finds the examples of a seek, whose query is known. (searcher_examples.c) */
marey_status mry_examples_open(mry_seek *seek, marey_error *error);

/* A cut-off becomes at most so many times as wide: to where the nearest end is that is not liked.
   Ends are those of the query and of what is liked, up to there. (searcher_examples.c) */
#define MRY_WIDEST (4.0 / 3)
double mry_fit_cutoff(const mry_seek *seek, double cutoff);

/* Of ends in one place the nearest stays, if its example is liked and it is within the cut-off; `of`
   is the segment that is searched for. `nearest`: at most so many of them; 0: all. They come out by
   examples and sides. (searcher_examples.c) */
void mry_pool_ends(mry_seek *seek, marey_segment of, double cutoff, int nearest);

/* A query by poses and one group. */
typedef struct mry_scanning {
    mry_seek *seek;
    mry_pose_group *group;
    mry_arena mem;
    mry_scan_query query;
    float still;      /* what standing still scores */
    int first;        /* row of the query at the group's rate */
    double rates;     /* rows of the query's clip to one of these */
    float cutoff;     /* of distances, */
    float reach;      /* of costs */
    marey_segment of; /* the query, in its clip's rows */
    bool mirrored;
} mry_scanning;

/* Adds everything in the group up to the cut-off to the seek's hits, or to its ends, where it has
   examples. (searcher_scan.c) */
marey_status mry_scan_group(mry_scanning *scanning, marey_error *error);
/* One hit, aligned by a path of query.rows numbers; and a step of its path, one row or column at a
   time, as match graphs have them. False: out of memory. (searcher_scan.c) */
bool mry_add_match(mry_scanning *scanning, int slot, const mry_scan_end *end, const int *path);
bool mry_add_step(mry_seek *seek, mry_hit *hit, int move);

/* mry_hit_source.find of a seek by poses. (searcher_poses.c) */
marey_status mry_seek_hits(void *user, marey_segment query, mry_hits *out, marey_error *error);

/* mry_hit_source.find of a seek by a metric of the caller's own. (searcher_own.c) */
marey_status mry_seek_own_hits(void *user, marey_segment query, mry_hits *out, marey_error *error);

/* ---- findings -------------------------------------------------------------------------------- */

/* One match in the clips' own frames; its name is the searcher's. */
marey_status mry_match_make(mry_seek *seek, const marey_found *found, bool is_query,
                            marey_match *out, marey_error *error);

/* Takes the graph over, also on failure. */
marey_status mry_finding_make(mry_seek *seek, marey_match_graph *graph, double seconds,
                              marey_finding **out, marey_error *error);

#endif
