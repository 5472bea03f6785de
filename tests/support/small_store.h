/* small_store.h - a small store for tests: notes that count themselves, and blobs that go with
   them. What must hold at every moment: the counter says how many notes there are, and each note's
   blob has its bytes. */
#ifndef MAREY_TEST_SMALL_STORE_H
#define MAREY_TEST_SMALL_STORE_H

#include "owned.h"
#include "store/store.h"

/* A context of one thread and a limit, and a path in a fresh folder: the state of a test. */
enum { SMALL_LIMIT = 32 << 20 };

typedef struct small_place {
    marey_ctx *ctx;
    char folder[256];
    char path[300]; /* nothing is there yet */
} small_place;

int small_place_make(void **state);
int small_place_free(void **state); /* with everything in the folder */
OWNED_POINTER(mry_store, mry_store_close)

#define SMALL_CASE(name) TEST_OF_IN(small_place_make, small_place_free, small_place *p, name)

extern const mry_schema small_schema;   /* version 1 */
extern const mry_schema small_schema_2; /* note has gained a column `mood` */

/* Fails the test with the error's text if it cannot be opened. */
mry_store *small_open(marey_ctx *ctx, const char *path, mry_store_mode mode);

/* Makes one of so many notes, and closes it; what is in the one that is there, as small_dump has
   it. */
void small_make(marey_ctx *ctx, const char *path, int count, size_t bytes);
uint64_t small_hash(marey_ctx *ctx, const char *path, int64_t *notes);

/* One transaction: adds `count` notes with a blob each, of `bytes` bytes, hard to pack. */
marey_status small_add(mry_store *store, int count, size_t bytes, marey_error *error);

/* A hash of every row and blob, or the status of the first read that failed. *notes may be NULL.
   INPUT also if the counter or a blob's bytes are not what they must be. */
marey_status small_dump(mry_store *store, uint64_t *hash, int64_t *notes);

int64_t
small_problems(mry_store *store); /* what verify finds; fails the test if it cannot be done */

/* Verify as a program does it: the store where it opens, else the pages only. -1: neither could be
   done. */
int64_t small_problems_at(marey_ctx *ctx, const char *path);

#endif
