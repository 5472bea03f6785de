/* test_studio_api_limits.c - answers with frames have a limit: the last that fits, and the first
   that does not. */
#include "blend_bench.h"

/* A body of 16,000 joints is read for the first, a million frames for the second. */
#define WHY "takes minutes with a sanitizer; smaller answers are written by the same code"

TEST_BENCH(frames_up_to_the_limit_are_sent)
{
    if (TEST_SANITIZED) test_skip(WHY);
    enum { JOINTS = 16000, FRAMES = 263 };
    write_bush("bush.bvh", JOINTS, FRAMES);
    bench_program("marey add lib.marey bush.bvh");
    OWNED(studio_response) to = api_ask(b, api_frames, "/$bush?end=262");
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, 40 + 262 * (12 + (size_t)JOINTS * 16));
    assert_true(to.body.count <= LIMIT_FRAMES_BYTES);
    refused(b, 413, "limit", "ask for fewer", api_frames, "/$bush");
}

TEST_BENCH(curves_up_to_the_limit_are_sent)
{
    if (TEST_SANITIZED) test_skip(WHY);
    enum { FRAMES = LIMIT_FRAMES_BYTES / LIMIT_CURVES / 4 };
    char curves[16 * 7 + 1] = "Hips.x";
    write_bush("long.bvh", 1, FRAMES + 1);
    bench_program("marey add lib.marey long.bvh");
    for (int i = 1; i < LIMIT_CURVES; i++) strcat(curves, ",Hips.x");
    OWNED(studio_response) to = api_ask(b, api_curves, "/$long?end=%d&of=%s", FRAMES, curves);
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, LIMIT_FRAMES_BYTES);
    refused(b, 413, "limit", "fewer", api_curves, "/$long?end=%d&of=%s", FRAMES + 1, curves);
}

TEST_GROUP_OF_CASES(test_studio_api_limits, NULL, NULL)
