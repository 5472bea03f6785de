/* asf_bench.h - what the tests of ASF and AMC share: a small skeleton as text, and loading that counts memory. */
#ifndef MAREY_TEST_ASF_BENCH_H
#define MAREY_TEST_ASF_BENCH_H

#include "support.h"

#include <stdio.h>
#include <string.h>

#define HEAD ":version 1.10\n:name odd\n:units\n mass 1\n length 0.45\n angle deg\n"
#define ROOT ":root\n order TX TY TZ RX RY RZ\n axis XYZ\n position 0 0 0\n orientation 0 0 0\n"
#define HIP                                                                                        \
    " begin\n id 1\n name hip\n direction 0 -1 0\n length 4\n axis 0 0 20 XYZ\n dof rx rz\n"       \
    " limits (-160 20)\n        (-70 70)\n end\n"
#define FOOT " begin\n id 2\n name foot\n direction 0 0 1\n length 2\n axis 0 0 0 XYZ\n end\n"
#define BONES ":bonedata\n" HIP FOOT
#define TREE ":hierarchy\n begin\n root hip\n hip foot\n end\n"
#define GOOD HEAD ROOT BONES TREE

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
    long idle; /* pieces the context itself holds */
    long loaded, refused;
    char folder[512], asf[600], amc[600];
} bench;

static inline void bench_open(bench *b)
{
    *b = (bench){ .memory = { .refuse = -1 } };
    b->ctx = test_ctx_refusing(&b->memory);
    b->idle = b->memory.live;
    test_folder_make(b->folder, sizeof b->folder);
    snprintf(b->asf, sizeof b->asf, "%s/a.asf", b->folder);
    snprintf(b->amc, sizeof b->amc, "%s/a.amc", b->folder);
    test_file_write(b->asf, GOOD, strlen(GOOD));
}

static inline void bench_close(bench *b)
{
    marey_ctx_close(b->ctx);
    assert_int_equal(b->memory.live, 0);
    assert_int_equal(b->memory.held, 0);
    test_folder_remove(b->folder);
}
OWNED_VALUE(bench, bench_close)

/* `ending` says which of the two the bytes are; the plain skeleton is there for a motion. */
static inline marey_clip *load_bytes(bench *b, const char *ending, const char *bytes, size_t count,
                                     marey_error *error)
{
    marey_clip *clip = NULL;
    char name[32];
    marey_load_def def = { .units = MAREY_UNITS_CM, .skeleton_path = b->asf };
    *error = (marey_error){ 0 };
    snprintf(name, sizeof name, "sweep%s", ending);
    if (marey_clip_load_bytes(b->ctx, name, bytes, count, &def, &clip, error) == MAREY_OK) {
        assert_non_null(clip);
        assert_true(marey_clip_frames(clip) >= 1);
        b->loaded++;
        return clip;
    }
    assert_null(clip);
    assert_true(error->message[0] != 0);
    assert_int_equal(b->memory.live, b->idle);
    b->refused++;
    return NULL;
}

#endif
