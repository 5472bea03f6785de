/* forge.h - whole libraries with everything in them, forged anew for every input, and used: what
   fuzz_forge.c, its replays and its long run share. forge_base.c makes the sound libraries,
   forge_rows.c, forge_bytes.c and forge_schema.c change them and put every sum right again,
   forge_use.c, forge_api.c and forge_calls.c do with them whatever can be done with a library. */
#ifndef FUZZ_FORGE_H
#define FUZZ_FORGE_H

#include "store/store_inside.h"

#include <marey/marey.h>

/* A finding, with what `what` says must hold: the fuzzer keeps the input, the long run prints which
   one it was. */
void forge_require(bool holds, const char *what);

/* ---- choices --------------------------------------------------------------------------------- */

/* The bytes of an input, one after the other; where they end, numbers that follow from all of
   them. So eight bytes stand for a whole forgery, and a fuzzer can still change one decision. */
typedef struct forge_choices {
    const uint8_t *data;
    size_t size, at;
    uint64_t state;
    bool all; /* what is only done to some of the libraries is done to this one */
} forge_choices;

forge_choices forge_choices_of(const uint8_t *data, size_t size);
uint32_t forge_below(forge_choices *from, uint32_t count); /* 0 .. count - 1; count > 0 */
bool forge_picks(forge_choices *from, uint32_t one_in);
uint64_t forge_bits(forge_choices *from);
int64_t forge_integer(forge_choices *from, int64_t old); /* at some edge, or near the old one */
double forge_number(forge_choices *from, double old);    /* likewise, perhaps not finite */

/* ---- sound libraries ------------------------------------------------------------------------- */

/* Room for which row is meant. */
enum { FORGE_WHERE = 512 };
enum { FORGE_MOST_TABLES = 40, FORGE_MOST_COLUMNS = 24, FORGE_MOST_BASES = 12 };

typedef struct forge_table {
    char name[32];
    char key[96]; /* "rowid", or "a, b" */
    char columns[FORGE_MOST_COLUMNS][24];
    int column_count;
} forge_table;

/* The file, as SQLite may change it in memory: not in WAL mode. In `loose` a table's columns may be
   NULL whatever the schema will say of them. The tables are those that have rows. */
typedef struct forge_base {
    unsigned char *bytes, *loose;
    size_t size, loose_size;
    forge_table tables[FORGE_MOST_TABLES];
    int table_count;
} forge_base;

/* Made once: the first has everything, the others are kept files of earlier schemas. `folder` is
   where work is done; shards of the first lie in files that forge_use gives to read. */
typedef struct forge_bases {
    char folder[64];
    forge_base items[FORGE_MOST_BASES];
    int count;
    char *clip;  /* a small file of motion */
    char *shard; /* of webs of the first */
    size_t shard_size;
} forge_bases;

extern forge_bases forge_sound;
void forge_make_bases(void);

/* ---- forging --------------------------------------------------------------------------------- */

/* What was done, for people. */
typedef struct forge_story {
    char text[600];
    size_t used;
    bool schema; /* was touched */
} forge_story;

__attribute__((format(printf, 2, 3))) void forge_tell(forge_story *story, const char *format, ...);

/* A library in memory that is being changed. */
typedef struct forgery {
    forge_choices *from;
    forge_story *story;
    const forge_base *base;
    sqlite3 *db;
    marey_ctx *ctx;
    mry_arena mem;
} forgery;

/* Statements that need not succeed: constraints may forbid them. */
sqlite3_stmt *forge_prepare(sqlite3 *db, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool forge_run(sqlite3 *db, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t forge_count(sqlite3 *db, const char *table);
void forge_row_where(const forge_table *table, int row, char *room);

void forge_rows(forgery *of);   /* forge_rows.c: cells, rows that come, go, or change places */
void forge_bytes(forgery *of);  /* forge_bytes.c: what is packed, sealed or summed */
void forge_schema(forgery *of); /* forge_schema.c */
/* All that forge_bytes may change is written as it is, with sums of our own: still sound. */
void forge_same_bytes(forgery *of);

/* One library out of the choices, written to `path`; with the first base as forge_same_bytes leaves
   it where `from` is NULL. */
void forge_write(forge_choices *from, const char *path, forge_story *story);

/* ---- using ----------------------------------------------------------------------------------- */

/* How often; kinds of failures by marey_status. */
typedef struct forge_tally {
    long libraries, opened;
    long verified, problems; /* .. and with some */
    long calls, done, refused[MAREY_ERR_BUSY + 1];
    long lines; /* of the program */
    long cancelled, cut_short;
    size_t most_bytes, most_answer;
    double slowest_s;
} forge_tally;

extern forge_tally forge_tallied;

/* Everything that can be done with the library at `path`. Nothing may be held or open behind it. */
void forge_use(forge_choices *from, const char *path, bool schema);

/* Where an operation runs. */
typedef struct forge_place {
    marey_ctx_def def;
    marey_ctx *ctx;
    marey_library *library;
    const char *path;
} forge_place;

/* forge_host.c: memory that is counted, files that go nowhere, but for in.bvh and in.shard, which can be
   read. */
extern const marey_ctx_def forge_host;
size_t forge_held(void);
#define forge_most_said ((size_t)32 << 20)

/* From here on a call may take a second of this process before it is cancelled, and some more before
   that is a finding. `what` lives until it stops. */
void forge_clock_start(marey_ctx *ctx, const char *what);
void forge_clock_stop(marey_ctx *ctx);
double forge_seconds(void); /* of the processor, of this process */

/* Counts a call. A failure must say why, and have the status that was returned. */
void forge_check(const char *what, marey_status status, const marey_error *error);

/* forge_api.c: what no operation does. */
void forge_use_api(forge_choices *from, forge_place *at);

/* forge_calls.c: all that are in the table of operations are called there. */
void forge_check_operations(void);

/* Calls a share of them, as long as `start` is not too long ago. */
void forge_use_operations(forge_choices *from, forge_place *at, double start);

#endif
