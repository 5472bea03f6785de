/* changed_bytes.h - what the fuzzers of kept graphs share: a clip of a few frames, and bytes that were written of it, changed at
   the places that the input names, with their sum put right again, so that reading must cope with what the sum would
   catch. */
#ifndef FUZZ_CHANGED_BYTES_H
#define FUZZ_CHANGED_BYTES_H

#include "store/store.h"

#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 70, SUM_BYTES = 8, MOST_KINDS = 4 };

/* Made once; the fuzzer runs in one thread. */
static struct {
    char *clip;
    uint8_t *bytes[MOST_KINDS];
    size_t size[MOST_KINDS];
} base;

static inline void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz: not so: %s\n", what);
    abort();
}

static inline marey_ctx *open_ctx(void)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)64 << 20 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    return ctx;
}

static inline marey_clip *load_clip(marey_ctx *ctx)
{
    marey_clip *clip = NULL;
    require(!marey_clip_load_bytes(ctx, "a.bvh", base.clip, strlen(base.clip), NULL, &clip, NULL),
            "the clip loads");
    return clip;
}

static inline void make_clip(void)
{
    static const char skeleton[] = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition "
                                   "Yposition Zposition Zrotation Xrotation "
                                   "Yrotation\nJOINT Spine\n{\nOFFSET 0 40 1\nCHANNELS 3 Zrotation "
                                   "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 "
                                   "20 0\n}\n}\n}\nMOTION\nFrames: 70\nFrame Time: 0.05\n";
    size_t room = sizeof skeleton + FRAMES * 100, used = sizeof skeleton - 1;
    base.clip = malloc(room);
    require(base.clip != NULL, "there is memory");
    memcpy(base.clip, skeleton, used);
    for (int f = 0; f < FRAMES; f++)
        used +=
            (size_t)snprintf(base.clip + used, room - used, "%.2f %.3f 2 %.3f 0 5 %.3f 5 0\n",
                             2.0 * f, 90 + 2 * sin(f * 0.4), 4 * sin(f * 0.5), 20 * sin(f * 0.4));
}

/* Keeps what was written, and frees it. */
static inline void keep_bytes(marey_ctx *ctx, int kind, uint8_t *bytes, size_t size)
{
    base.bytes[kind] = malloc(size);
    base.size[kind] = size;
    require(base.bytes[kind] != NULL, "there is memory");
    memcpy(base.bytes[kind], bytes, size);
    marey_graph_bytes_free(ctx, bytes, size);
}

static inline void put_sum(uint8_t *bytes, size_t size, uint64_t version)
{
    uint64_t sum = mry_hash64(bytes, size - SUM_BYTES, version);
    for (size_t i = 0; i < SUM_BYTES; i++) bytes[size - SUM_BYTES + i] = (uint8_t)(sum >> 8 * i);
}

/* Four bytes of the input, from the second on, name a change: where (three), and what to add there. A first byte above 200
   cuts some off the end: *whole is what is left. Free them. */
static inline uint8_t *changed_bytes(int kind, const uint8_t *data, size_t size, uint64_t version,
                                     size_t *whole)
{
    size_t all = base.size[kind], cut = data[0] > 200 ? data[0] - 200u : 0;
    uint8_t *bytes = malloc(all);
    require(bytes != NULL, "there is memory");
    memcpy(bytes, base.bytes[kind], all);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = ((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % all;
        bytes[at] = (uint8_t)(bytes[at] + data[i + 3]);
    }
    *whole = all - cut;
    put_sum(bytes, *whole, version);
    return bytes;
}

#endif
