/* changed_bytes.h - what the fuzzers of kept things share: clips of a few frames, and bytes that
   were written of them, changed at the places that the input names, with their sum put right again,
   so that reading must cope with what the sum would catch. */
#ifndef FUZZ_CHANGED_BYTES_H
#define FUZZ_CHANGED_BYTES_H

#include "store/store.h"

#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 70, SUM_BYTES = 8, MOST_KINDS = 4, MOST_CLIPS = 3 };

/* Made once; the fuzzer runs in one thread. */
static struct {
    char *clip[MOST_CLIPS];
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

static inline void load_clips(marey_ctx *ctx, int count, marey_clip **clips)
{
    for (int i = 0; i < count; i++)
        require(!marey_clip_load_bytes(ctx, "a.bvh", base.clip[i], strlen(base.clip[i]), NULL,
                                       &clips[i], NULL),
                "the clip loads");
}

static inline void free_clips(int count, marey_clip **clips)
{
    for (int i = 0; i < count; i++) marey_clip_free(clips[i]);
}

#define HEAD                                                                                       \
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "  \
    "Xrotation Yrotation\n"
#define JOINT(name, offset)                                                                        \
    "JOINT " name "\n{\nOFFSET " offset "\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
#define END(offset) "End Site\n{\nOFFSET " offset "\n}\n"
#define LEG(side, x)                                                                               \
    JOINT(side "UpLeg", x " -5 0")                                                                 \
    JOINT(side "Leg", "0 -42 0") JOINT(side "Foot", "0 -40 0") END("0 -3 15") "}\n}\n}\n"

/* Hips and a spine that sway along. */
static inline void make_clip(void)
{
    static const char skeleton[] =
        HEAD JOINT("Spine", "0 40 1") END("0 20 0") "}\n}\nMOTION\nFrames: 70\nFrame Time: 0.05\n";
    size_t room = sizeof skeleton + FRAMES * 100, used = sizeof skeleton - 1;
    base.clip[0] = malloc(room);
    require(base.clip[0] != NULL, "there is memory");
    memcpy(base.clip[0], skeleton, used);
    for (int f = 0; f < FRAMES; f++)
        used +=
            (size_t)snprintf(base.clip[0] + used, room - used, "%.2f %.3f 2 %.3f 0 5 %.3f 5 0\n",
                             2.0 * f, 90 + 2 * sin(f * 0.4), 4 * sin(f * 0.5), 20 * sin(f * 0.4));
}

/* Clips of a body with legs that goes by turns on one foot and the other: alike, but each at its
   own pace, with its own steps. */
static inline void make_walks(int count)
{
    static const char skeleton[] =
        HEAD JOINT("Spine", "0 40 1") END("0 20 0") "}\n" LEG("Left", "9")
            LEG("Right", "-9") "}\nMOTION\nFrames: 30\nFrame Time: 0.05\n";
    enum { WALK_FRAMES = 30 };
    for (int i = 0; i < count; i++) {
        size_t room = sizeof skeleton + WALK_FRAMES * 400, used = sizeof skeleton - 1;
        char *text = base.clip[i] = malloc(room);
        require(text != NULL, "there is memory");
        memcpy(text, skeleton, used);
        for (int f = 0; f < WALK_FRAMES; f++) {
            double at = 0.3 * f + 0.1 * i, swing = (20 + 4 * i) * sin(at);
            double knees[2] = { 25 * fmax(0, cos(at)), 25 * fmax(0, -cos(at)) };
            used +=
                (size_t)snprintf(text + used, room - used,
                                 "%d %.3f %.3f 0 0 %d %.3f 0 0 0 %.3f 0 0 %.3f 0 0 0 0 0 %.3f 0 "
                                 "0 %.3f 0 0 0 0\n",
                                 3 * i, 88 - 2 * fabs(sin(at)), (4.0 + i) * f, 2 * i, swing / 5,
                                 -swing, knees[0], swing, knees[1]);
        }
    }
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

/* Four bytes of the input, from the second on, name a change: where (three), and what to add there.
   A first byte above 200 cuts some off the end: *whole is what is left. Free them. */
static inline uint8_t *changed_bytes(int kind, const uint8_t *data, size_t size, uint64_t version,
                                     size_t *whole)
{
    size_t all = base.size[kind], cut = data[0] > 200 ? data[0] - 200u : 0;
    uint8_t *bytes = malloc(all);
    require(bytes != NULL && cut + SUM_BYTES <= all, "there is memory");
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
