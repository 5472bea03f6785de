/* web_bits.h - numbers in as few bits as they need, for webs as bytes. The lowest bit of a byte
   comes first. Read by web_bytes.c and by the library. */
#ifndef MRY_WEB_BITS_H
#define MRY_WEB_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MRY_WEB_VERSION = 2,
    MRY_WEB_SUM_BYTES = 8,
    MRY_WEB_MOST_FRAMES = 1 << 22 /* rows or columns */
};

#define MRY_WEB_MAGIC UINT32_C(0x5759524d) /* "MRYW" */

/* Steps: a 0 is a diagonal one, 1 0 across, 1 1 down. Counts, from 0 on: of count + 1, how many
   bits follow the leading one, as so many ones and a zero; then these. Changes, of either sign,
   folded to 0, -1, 1, -2 ..: all bits but the lowest k, as so many ones and a zero, then the lowest
   k. MRY_BITS_LONG ones without a zero: 32 bits follow that are the folded change. */
enum { MRY_BITS_LONG = 24, MRY_BITS_K = 4 }; /* k is written in so many bits, once for each path */

static inline uint32_t mry_fold(int32_t change)
{
    return (uint32_t)change << 1 ^ (uint32_t)(change >> 31);
}

static inline int32_t mry_unfold(uint32_t folded)
{
    return (int32_t)(folded >> 1 ^ (~(folded & 1) + 1));
}

#endif
