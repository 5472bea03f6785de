/* hub_key.c - the answer to a WebSocket's key (RFC 6455, section 4.2.2). */
#include "hub.h"
#include "sha1.h"

#include <stdio.h>
#include <string.h>

enum { KEY_LENGTH = 24, KEY_DIGITS = 22 }; /* 16 bytes in base64, with two '=' */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool hub_accept_key(const char *key, char *accept)
{
    static const char secret[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char joined[KEY_LENGTH + sizeof secret];
    uint8_t digest[SHA1_BYTES];
    if (strlen(key) != KEY_LENGTH || strspn(key, digits) != KEY_DIGITS ||
        strcmp(key + KEY_DIGITS, "==") != 0)
        return false;
    int length = snprintf(joined, sizeof joined, "%s%s", key, secret);
    sha1(joined, (size_t)length, digest);
    char *out = accept;
    /* 20 bytes are six groups of three and one of two: 27 digits and one '='. */
    for (int i = 0; i < SHA1_BYTES; i += 3) {
        uint32_t third = i + 2 < SHA1_BYTES ? digest[i + 2] : 0;
        uint32_t group = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | third;
        for (int j = 0; j < 4; j++) *out++ = digits[group >> (18 - 6 * j) & 63];
    }
    out[-1] = '=';
    *out = 0;
    return true;
}
