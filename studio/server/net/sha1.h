/* sha1.h - the digest that the WebSocket handshake asks for (RFC 3174). Nothing here relies on it
   for safety. */
#ifndef STUDIO_SHA1_H
#define STUDIO_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SHA1_BYTES = 20 };

void sha1(const void *data, size_t count, uint8_t digest[SHA1_BYTES]);

#endif
