/* shard.h - long work that several machines share. What is quadratic by nature is cut into tiles that do
   not depend on each other; a machine works out the tiles of its shard into a file, and who has the
   files of all shards finishes the work. Read after base.h. */
#ifndef MAREY_SHARD_H
#define MAREY_SHARD_H

#include <marey/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the tiles of a long work go to, or come from: a shard being made, or files of shards. Work that
   is given one (marey_index_def.tiles) either makes the tiles that are wanted and ends there, with
   nothing but them, or takes what others made and does the rest. The cut follows from what the work
   is done on and how, never from threads or shards. Calls come from one thread. */
typedef struct marey_tiles {
    void *user;
    /* Comes first: how many tiles there are, and what each is expected to cost, in any unit; NULL will
       do where tiles are read. */
    marey_status (*begin)(void *user, const double *costs, int64_t count, marey_error *error);
    /* Shall this tile be made here? NULL: none is, they are read. */
    bool (*wants)(void *user, int64_t tile);
    /* Keeps what a tile gave; each tile that is wanted, once, in any order. */
    marey_status (*put)(void *user, int64_t tile, const void *bytes, size_t size,
                        marey_error *error);
    /* Hands over all tiles that there are, one at a time: bytes are borrowed until `take` returns.
       One may come twice, others not at all. */
    marey_status (*read)(void *user,
                         marey_status (*take)(void *take_user, int64_t tile, const uint8_t *bytes,
                                              size_t size, marey_error *error),
                         void *take_user, marey_error *error);
} marey_tiles;

/* Is it a shard that is being made, so that the work ends behind its tiles? */
static inline bool marey_tiles_made(const marey_tiles *tiles)
{
    return tiles && tiles->wants;
}

/* ---- making one ------------------------------------------------------------------------------ */

enum { MAREY_MOST_SHARDS = 100000 };

/* Which shard of which work. */
typedef struct marey_shard_def {
    /* The file; it is there when it is complete. */
    const char *path;
    /* 1 .. count. */
    int number, count;
    /* What is worked out, in the caller's words; at most 1 MiB. */
    const char *about;
    /* Of what it is worked out on: shards of another state are refused. */
    uint64_t state;
} marey_shard_def;

/* A file of a shard. */
typedef struct marey_shard_info {
    const char *path;
    int number, count;
    /* That are in it, and of the whole work. */
    int64_t tiles, all_tiles;
    int64_t bytes;
    /* Its tiles' share of what all are expected to cost. */
    double share;
} marey_shard_info;

/* A shard being made. */
typedef struct marey_shard marey_shard;

/* Opens a shard for writing, beside its file.
   Errors: REQUEST: no such shard. INPUT: the path is wrong. IO, MEMORY.
   Ownership: free with marey_shard_free. `def` is copied. */
MAREY_API marey_status marey_shard_create(marey_ctx *ctx, const marey_shard_def *def,
                                          marey_shard **out, marey_error *error);

/* What is handed to the work: the shard is a run of tiles, and all shards cost the same, as far as the
   costs are right. Borrowed until free. */
MAREY_API const marey_tiles *marey_shard_tiles(marey_shard *shard);

/* Ends the file and puts it in its place: only then is it there. `out` may be NULL.
   Errors: REQUEST: the work was not cut into tiles. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_shard_finish(marey_shard *shard, marey_shard_info *out,
                                          marey_error *error);

/* Frees a shard; what was not finished leaves nothing behind. */
MAREY_API void marey_shard_free(marey_shard *shard);

/* ---- reading them ---------------------------------------------------------------------------- */

/* The files of shards of one work. */
typedef struct marey_shards marey_shards;

/* Opens shards and checks every byte of them. The same shard may be there twice.
   Errors: INPUT: a file is no shard, damaged, of another work or state than the first one, or one of
     another number of shards. IO, MEMORY, CANCELLED.
   Ownership: free with marey_shards_free.
   Cost: reads all files once. */
MAREY_API marey_status marey_shards_open(marey_ctx *ctx, const char *const *paths, int count,
                                         marey_shards **out, marey_error *error);

/* Each file, in the order of its shards. Borrowed until free. */
MAREY_API const marey_shard_info *marey_shards_list(const marey_shards *shards, int *count);

/* What the first one said of its work. Borrowed until free. */
MAREY_API const char *marey_shards_about(const marey_shards *shards);
MAREY_API uint64_t marey_shards_state(const marey_shards *shards);

/* The numbers of the shards that are not there. Borrowed until free. */
MAREY_API const int *marey_shards_missing(const marey_shards *shards, int *count);

/* What is handed to the work. Memory: one tile at a time. Borrowed until free. */
MAREY_API const marey_tiles *marey_shards_tiles(marey_shards *shards);

MAREY_API void marey_shards_free(marey_shards *shards);

#ifdef __cplusplus
}
#endif
#endif
