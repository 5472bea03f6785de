/* index_work.h - an index while it is being made. First what is to be done is settled in one
   transaction (index_plan.c), then pairs of clips are compared, block by block of clips whose
   features fit into memory, and their webs are put in by transactions (index_build.c). Read by
   index_*.c and by tests. */
#ifndef MRY_INDEX_WORK_H
#define MRY_INDEX_WORK_H

#include "index/index_bodies.h"
#include "index/index_order.h"
#include "index/index_rows.h"
#include "index/index_settings.h"

typedef struct mry_index_tuning { /* leave a field zero for its default */
    int64_t batch_cells;          /* of the webs that are put in by one transaction */
    size_t block_bytes;           /* of a block of clips with their features; two are held */
    /* A pair of more is built by all threads at once; default: so that none waits. */
    int64_t alone_cells;
    int based_on; /* clips that a basis is made from */
} mry_index_tuning;

typedef struct mry_tied { /* the features of a clip for one layout */
    int meeting;
    marey_features *features;
} mry_tied;

typedef struct mry_index_slot { /* a clip */
    int64_t id;
    uint8_t hash[16]; /* of its motion; decides which of two clips the rows are of */
    int frames, rows;
    double fps, rate;
    int64_t layer_sum;    /* of its repairs */
    int body;             /* -1: not known yet */
    int block;            /* which one it is in */
    marey_clip *clip;     /* NULL: not loaded */
    size_t clip_bytes;    /* that it takes when it is */
    mry_tied *tied;       /* its features */
    int tied_count, room; /* of these */
} mry_index_slot;

struct mry_index_sample;

typedef struct mry_indexing {
    marey_library *library;
    marey_ctx *ctx;
    const marey_index_def *def;
    mry_index_tuning tuning;
    mry_arena mem;
    mry_index_settings settings;
    mry_index_kept kept; /* what the library must say as long as this goes on */
    mry_index_slot *slots;
    int count;
    uint64_t *there;       /* a bit for every pair, count x count: its web is there */
    mry_index_order order; /* of the pairs, as tiles (index_tiles.c) */
    mry_bodies bodies;
    struct mry_index_sample *samples; /* of each slot (index_costs.c) */
    marey_index_report report;

    /* how far it got */
    double started_s;
    double cost, cost_done; /* of all pairs that are to be built; of those that are */
    marey_index_progress now;
    double reported_s, built_s; /* when it was reported last; when building began */
    bool stopped;               /* the user wants no more */
    marey_progress_fn progress; /* the context's, as it was given */
    void *progress_user;
} mry_indexing;

static inline void mry_pair_set(mry_indexing *work, int i, int j)
{
    size_t bit = (size_t)i * (size_t)work->count + (size_t)j;
    work->there[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static inline bool mry_pair_there(const mry_indexing *work, int i, int j)
{
    size_t bit = (size_t)i * (size_t)work->count + (size_t)j;
    return work->there[bit >> 6] >> (bit & 63) & 1;
}

/* Settings, normals, dropping what is gone, and which pairs are there. (index_plan.c) */
marey_status mry_index_plan(mry_indexing *work, marey_error *error);
/* The slot of a clip; -1: none. */
int mry_index_slot_of(const mry_indexing *work, int64_t id);

/* Is another program at work? The transaction that puts webs in asks first: no settings may have
   changed. (index_build.c) */
marey_status mry_index_unchanged(mry_indexing *work, marey_error *error);

/* What pairs will cost, in cells that a bound rules out: behind the plan, first the one, then the
   other. (index_costs.c) */
marey_status mry_index_costs_begin(mry_indexing *work, marey_error *error);
double mry_index_cost(const mry_indexing *work, int i, int j);

/* ---- shared with other machines (index_tiles.c) ---- */

static inline bool mry_index_making(const mry_indexing *work)
{
    return marey_tiles_made(work->def->tiles);
}

/* Behind the plan, in place of mry_index_costs_begin. Making: pairs that are not wanted count as there. */
marey_status mry_index_tiles_begin(mry_indexing *work, marey_error *error);
/* The web of a pair that was made. */
marey_status mry_index_tile_put(mry_indexing *work, int i, int j, const mry_web_row *row,
                                marey_error *error);
/* Puts in what shards have. */
marey_status mry_index_tiles_read(mry_indexing *work, marey_error *error);

/* marey_library_index with its sizes given. (index_build.c) */
marey_status mry_library_index(marey_library *library, const marey_index_def *def,
                               const mry_index_tuning *tuning, marey_index_report *report,
                               marey_error *error);

#endif
