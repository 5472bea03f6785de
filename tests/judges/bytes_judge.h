/* bytes_judge.h - what is asked of everything that is kept as bytes with its version in front and a
   sum over them at their end: damage is noticed, and another version is not taken for it. */
#ifndef MAREY_TEST_BYTES_JUDGE_H
#define MAREY_TEST_BYTES_JUDGE_H

#include "support.h"

enum { JUDGE_SUM_BYTES = 8 };

/* Bytes that something was kept as: OWNED(judge_bytes) bytes = { .ctx = ctx }, then &bytes.at,
   &bytes.size. */
typedef struct judge_bytes {
    marey_ctx *ctx;
    uint8_t *at;
    size_t size;
} judge_bytes;

static inline void judge_bytes_free(judge_bytes *bytes)
{
    marey_graph_bytes_free(bytes->ctx, bytes->at, bytes->size);
}
OWNED_VALUE(judge_bytes, judge_bytes_free)

void judge_same_bytes(const judge_bytes *a, const judge_bytes *b);

void judge_put_sum(uint8_t *bytes, size_t size, uint64_t version); /* the right one */

/* Reads bytes, uses what they are if they can be read, and frees it. OK, or an error with its
   message. */
typedef marey_status judge_read(void *user, const uint8_t *bytes, size_t size, marey_error *error);

/* Damage that leaves the sum is always found; with the sum put right it is found or harmless, and
   bytes that are cut short are refused all the same. Tries every byte before `each_until`, then
   every 7th, and fewer and fewer without MAREY_LONG. */
void judge_damaged_bytes(const uint8_t *bytes, size_t size, uint64_t version, size_t each_until,
                         judge_read *read, void *user);

/* Bytes that another version of the program wrote say so, and what to do: `advice` is in the
   message. */
void judge_other_versions(marey_ctx *ctx, uint8_t *bytes, size_t size, int version,
                          const char *advice, judge_read *read, void *user);

#endif
