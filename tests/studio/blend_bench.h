/* blend_bench.h - a library of demo takes for tests of what the studio makes out of clips. Read
   after made_bench.h. */
#ifndef MAREY_TEST_BLEND_BENCH_H
#define MAREY_TEST_BLEND_BENCH_H

#include "made_bench.h"
#include "program_lines.h"

/* walk, left, jog and small, of 300 frames each; small has other bones. */
static inline api_bench *demo_bench_enter(void **state)
{
    api_bench *b = api_bench_enter(state);
    bench_program("marey demo . --take walk_straight --take walk_left --take jog_straight --take "
                  "small_walk --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    bench_program("marey cut lib.marey walk_straight#150-450 walk");
    bench_program("marey cut lib.marey walk_left#150-450 left");
    bench_program("marey cut lib.marey jog_straight#130-430 jog");
    bench_program("marey cut lib.marey small_walk#150-450 small");
    return b;
}

/* And lost, whose frames 30 to 33 are no captured motion, person, on the same bones, and slide,
   which has other joints. */
static inline int blend_bench_open(void **state)
{
    api_bench *b = demo_bench_enter(state);
    test_write_dropouts("lost.bvh", 100, 30, 34);
    write_person("person.bvh", 90);
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey lost.bvh person.bvh slide.bvh --licence 'CC BY 4.0'");
    api_bench_start(b, true);
    return 0;
}

/* A skeleton of one joint, or a root with very many: a quaternion is sent for each, where the file
   has one short number. */
static inline void write_bush(const char *path, int joints, int frames)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Xposition Yposition Zposition\n",
          file);
    for (int i = 1; i < joints; i++)
        fprintf(file,
                "JOINT j%d\n{\nOFFSET 0 10 0\nCHANNELS 1 Zrotation\n"
                "End Site\n{\nOFFSET 0 1 0\n}\n}\n",
                i);
    if (joints == 1) fputs("End Site\n{\nOFFSET 0 10 0\n}\n", file);
    fprintf(file, "}\nMOTION\nFrames: %d\nFrame Time: 0.01\n", frames);
    for (int i = 0; i < frames; i++) {
        fprintf(file, "%d 90 1", i % 300);
        for (int j = 1; j < joints; j++) fputs(" 0", file);
        fputs("\n", file);
    }
    fclose(file);
}

#endif
