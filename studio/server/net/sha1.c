/* sha1.c - RFC 3174, section 6.1. */
#include "sha1.h"

#include <string.h>

enum { BLOCK = 64, LENGTH_AT = 56 };

static uint32_t turn(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

static void add_block(uint32_t sum[5], const uint8_t block[BLOCK])
{
    static const uint32_t constants[] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
    uint32_t w[80], s[5];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++) w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(s, sum, sizeof s);
    for (int i = 0; i < 80; i++) {
        uint32_t choose = s[3] ^ (s[1] & (s[2] ^ s[3]));
        uint32_t parity = s[1] ^ s[2] ^ s[3];
        uint32_t most = (s[1] & s[2]) | (s[3] & (s[1] | s[2]));
        uint32_t mixed = i < 20 ? choose : i >= 40 && i < 60 ? most : parity;
        uint32_t next = turn(s[0], 5) + mixed + s[4] + constants[i / 20] + w[i];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = turn(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (int i = 0; i < 5; i++) sum[i] += s[i];
}

void sha1(const void *data, size_t count, uint8_t digest[SHA1_BYTES])
{
    uint32_t sum[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    uint8_t last[2 * BLOCK] = { 0 };
    const uint8_t *at = data;
    uint64_t bits = (uint64_t)count * 8;
    for (; count >= BLOCK; count -= BLOCK, at += BLOCK) add_block(sum, at);
    if (count) memcpy(last, at, count);
    last[count] = 0x80;
    size_t tail = count < LENGTH_AT ? 0 : BLOCK;
    for (int i = 0; i < 8; i++) last[tail + LENGTH_AT + i] = (uint8_t)(bits >> (56 - 8 * i));
    add_block(sum, last);
    if (tail) add_block(sum, last + BLOCK);
    for (int i = 0; i < SHA1_BYTES; i++) digest[i] = (uint8_t)(sum[i / 4] >> (24 - 8 * (i % 4)));
}
