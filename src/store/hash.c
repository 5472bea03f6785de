/* hash.c - the 64-bit hash behind every sum in the file. Not for secrets: it answers accidents, not
   attackers.

   Four lanes take one little-endian 64-bit word each in turn:

       lane = rotate((lane ^ word) * odd constant, 29)

   Four, because a multiplication takes several cycles and the lanes do not wait for each other.
   Every step is a bijection of the lane for a given word, and of the word for a given lane; joining
   the lanes at the end is a bijection of each lane for given others. So two inputs of one length
   that differ inside one word only never have the same hash: every flipped bit and every changed
   byte is found for certain, larger damage but for one chance in 2^64. The words are read byte by
   byte in meaning, so every machine gets the same hash. */
#include "store/store.h"

#include "base/fail.h"

#include <string.h>

enum { LANES = 4, WORD = 8, STRIPE = LANES * WORD };

/* Odd, with about as many ones as zeros and no pattern: fractions of square roots of small
   primes. */
static const uint64_t odd[LANES] = {
    0x6a09e667f3bcc909u, /* sqrt 2, made odd */
    0xbb67ae8584caa73bu, /* sqrt 3 */
    0x3c6ef372fe94f82bu, /* sqrt 5 */
    0xa54ff53a5f1d36f1u, /* sqrt 7 */
};

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, WORD);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint64_t step(uint64_t lane, uint64_t word, int i)
{
    uint64_t x = (lane ^ word) * odd[i];
    return x << 29 | x >> 35;
}

/* Shifted xors and odd products: each invertible, together every bit reaches every bit. */
static uint64_t stir(uint64_t x)
{
    x = (x ^ x >> 32) * odd[1];
    x = (x ^ x >> 29) * odd[3];
    return x ^ x >> 32;
}

uint64_t mry_hash64(const void *bytes, size_t count, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t a = seed ^ odd[3], b = seed ^ odd[2], c = seed ^ odd[1], d = seed ^ odd[0];
    size_t left = count;
    for (; left >= STRIPE; left -= STRIPE, p += STRIPE) {
        a = step(a, word_at(p), 0);
        b = step(b, word_at(p + WORD), 1);
        c = step(c, word_at(p + 2 * WORD), 2);
        d = step(d, word_at(p + 3 * WORD), 3);
    }
    for (; left >= WORD; left -= WORD, p += WORD) a = step(a, word_at(p), 0);
    if (left > 0) {
        unsigned char last[WORD] = { 0 };
        memcpy(last, p, left);
        b = step(b, word_at(last), 1);
    }
    uint64_t hash = stir(a ^ (uint64_t)count);
    hash = stir(hash ^ b);
    hash = stir(hash ^ c);
    return stir(hash ^ d);
}

marey_status mry_bytes_seal(mry_bytes_writer *out, int version, uint8_t **bytes, size_t *size,
                            marey_error *error)
{
    if (!out->failed)
        mry_put_fixed(out, mry_hash64(out->bytes, out->used, (uint64_t)version), MRY_SEAL_BYTES);
    uint8_t *copy = out->failed ? NULL : mry_alloc(out->mem->ctx, out->used);
    if (copy) {
        memcpy(copy, out->bytes, out->used);
        *bytes = copy;
        *size = out->used;
    }
    mry_arena_free(out->mem);
    return copy ? MAREY_OK : mry_fail_memory(error, NULL);
}
