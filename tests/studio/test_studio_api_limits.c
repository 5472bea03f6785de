/* test_studio_api_limits.c - answers with frames have a limit: the last that fits, and the first that does not. */
#include "api_bench.h"

enum { JOINTS = 16000, FRAMES = 263, CURVE_FRAMES = LIMIT_FRAMES_BYTES / LIMIT_CURVES / 4 + 1 };

/* A root with very many joints: a quaternion is sent for each, where the file has one short number. */
static void write_bush(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Xposition Yposition Zposition\n",
          file);
    for (int i = 1; i < JOINTS; i++) {
        fprintf(
            file,
            "JOINT j%d\n{\nOFFSET 0 10 0\nCHANNELS 1 Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n",
            i);
    }
    fprintf(file, "}\nMOTION\nFrames: %d\nFrame Time: 0.01\n", FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        fprintf(file, "%d 90 1", i);
        for (int j = 1; j < JOINTS; j++) fputs(" 0", file);
        fputs("\n", file);
    }
    fclose(file);
}

/* One joint that moves for hours. */
static void write_long(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Xposition Yposition Zposition\n"
          "End Site\n{\nOFFSET 0 10 0\n}\n}\n",
          file);
    fprintf(file, "MOTION\nFrames: %d\nFrame Time: 0.01\n", CURVE_FRAMES);
    for (int i = 0; i < CURVE_FRAMES; i++) fprintf(file, "%d 1 2\n", i % 10);
    fclose(file);
}

TEST(frames_up_to_the_limit_are_sent)
{
    api_bench b;
    api_bench_open(&b);
    write_bush("bush.bvh");
    bench_program("marey add lib.marey bush.bvh");
    int64_t bush = bench_id(&b, "bush");
    studio_response to = api_ask(&b, api_frames, bush, "end=262", NULL);
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, 40 + 262 * (12 + (size_t)JOINTS * 16));
    assert_true(to.body.count <= LIMIT_FRAMES_BYTES);
    bytes_free(&to.body);
    api_refused(&b, api_frames, bush, NULL, NULL, 413, "limit", "ask for fewer");
    api_bench_close(&b);
}

TEST(curves_up_to_the_limit_are_sent)
{
    char query[16 * 7 + 32] = "end=1048576&of=Hips.x";
    api_bench b;
    api_bench_open(&b);
    write_long("long.bvh");
    bench_program("marey add lib.marey long.bvh");
    int64_t id = bench_id(&b, "long");
    for (int i = 1; i < LIMIT_CURVES; i++) strcat(query, ",Hips.x");
    studio_response to = api_ask(&b, api_curves, id, query, NULL);
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, LIMIT_FRAMES_BYTES);
    bytes_free(&to.body);
    query[10] = '7'; /* 1048577 */
    api_refused(&b, api_curves, id, query, NULL, 413, "limit", "fewer");
    api_bench_close(&b);
}

TEST_GROUP_OF_CASES(test_studio_api_limits, NULL, NULL)
