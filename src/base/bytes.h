/* bytes.h - small records as bytes: a writer that grows in an arena and a reader that never reads
   past the end. Numbers are little-endian. After a failure both do nothing more, and `failed` says
   so. */
#ifndef MRY_BYTES_H
#define MRY_BYTES_H

#include "base/arena.h"

typedef struct mry_bytes_writer {
    mry_arena *mem;
    uint8_t *bytes;
    size_t used, room;
    bool failed; /* out of memory */
} mry_bytes_writer;

void mry_put_bytes(mry_bytes_writer *out, const void *bytes, size_t count);
/* its lowest `size` bytes, at most 8 */
void mry_put_fixed(mry_bytes_writer *out, uint64_t value, int size);
void mry_put_integer(mry_bytes_writer *out, int64_t value); /* 1 to 10 bytes, few for small ones */
void mry_put_number(mry_bytes_writer *out, double value);
void mry_put_float(mry_bytes_writer *out, float value);
void mry_put_text(mry_bytes_writer *out, const char *text);

typedef struct mry_bytes_reader {
    const uint8_t *p, *end;
    bool failed;    /* damaged: something was missing or out of its range .. */
    bool no_memory; /* .. or not damaged: there was no memory for a text */
} mry_bytes_reader;

uint64_t mry_get_fixed(mry_bytes_reader *in, int size);                     /* 0 on failure */
int64_t mry_get_integer(mry_bytes_reader *in, int64_t least, int64_t most); /* `least` on failure */
double mry_get_number(mry_bytes_reader *in);                    /* 0 on failure; finite */
float mry_get_float(mry_bytes_reader *in);                      /* as well */
const char *mry_get_text(mry_bytes_reader *in, mry_arena *mem); /* a copy; NULL on failure */

#endif
