/* test_stack.c - commands on skeletons as wide and as deep as a file may have, and on the demo's
   clips, each in a thread with a small stack: what runs over it ends the test. Memory is counted
   too. Only text in pictures needs more than that, for fontconfig reads its settings on the stack:
   between 64 and 128 KiB. */
#include "program_lines.h"

#include <pthread.h>

enum {
    JOINTS = TEST_SANITIZED ? 2047 : 16383,
    STACK = (TEST_SANITIZED ? 512 : 64) * 1024, /* sanitizers put room around what lies there */
    WITH_TEXT = 128 * 1024,
    MOST_BYTES = 200000000 /* for two frames of so many joints */
};

/* ---- skeletons ------------------------------------------------------------------------------- */

typedef enum shape { STAR, CHAIN, SHAPES } shape;

static const char *const shape_names[] = { "star", "chain" };

/* All joints on the root, or each on the one before. */
static void write_shape(shape of, const char *path, int more)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(
        "HIERARCHY\nROOT j0\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Xrotation Yrotation\n",
        file);
    for (int j = 1; j < JOINTS; j++) {
        fprintf(file,
                "JOINT j%d\n{\nOFFSET %.2f 0.01 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", j,
                0.01 * (j % 7));
        if (of == STAR || j == JOINTS - 1) fputs("End Site\n{\nOFFSET 0 1 0\n}\n", file);
        if (of == STAR) fputs("}\n", file);
    }
    for (int open = of == STAR ? 1 : JOINTS; open > 0; open--) fputs("}\n", file);
    fputs("MOTION\nFrames: 2\nFrame Time: 0.0333333\n", file);
    for (int f = 0; f < 2; f++) {
        fprintf(file, "%d 90 0", 3 * f + more);
        for (int i = 0; i < 3 * JOINTS; i++) fprintf(file, " %d", (7 * i + 3 * f + more) % 11);
        fputs("\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct job {
    const char *line;
    test_run run;
} job;

static void *work(void *user)
{
    job *j = user;
    test_run_line(&j->run, j->line);
    return NULL;
}

/* Returns the bytes that were held at most. */
static size_t run_on(size_t stack, const char *line)
{
    job j = { .line = line, .run = test_run_make() };
    pthread_attr_t how;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&how), 0);
    assert_int_equal(pthread_attr_setstacksize(&how, stack), 0);
    assert_int_equal(pthread_create(&thread, &how, work, &j), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&how);
    if (j.run.status) fail_msg("%s: %s", line, j.run.err.bytes);
    size_t most = j.run.memory.most;
    test_run_free(&j.run);
    return most;
}

TEST(any_skeleton_does_with_64_kib_of_stack_and_200_mb)
{
    static const char *const lines[] = {
        "marey info %s.bvh",
        "marey convert %s.bvh out.bvh",
        "marey convert %s.bvh out.glb",
        "marey positions %s.bvh -o out.npy",
        "marey contacts %s.bvh",
        "marey quality %s.bvh",
        "marey clean %s.bvh -o out.bvh",
        "marey grid %s.bvh %s2.bvh -o out.npy",
        "marey similar %s.bvh %s2.bvh",
        "marey compare %s.bvh %s2.bvh",
        "marey align %s.bvh %s2.bvh",
        "marey transition %s.bvh %s2.bvh",
        "marey blend %s.bvh %s2.bvh --weights 1,1 -o out.bvh",
        "marey loop %s.bvh",
        "marey add %s.marey %s.bvh %s2.bvh",
        "marey index %s.marey",
        "marey search %s.marey %s",
        "marey example %s.marey %s --dof j1.Xrotation",
        "marey cluster build %s.marey c",
        "marey param build %s.marey p --clips %s,%s2 --feature position(j7)",
        "marey export %s.marey --all -o %s",
        "marey verify %s.marey",
    };
    test_place place;
    place_enter(&place);
    for (int s = 0; s < SHAPES; s++) {
        const char *name = shape_names[s];
        char path[32];
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s%s.bvh", name, i ? "2" : "");
            write_shape((shape)s, path, 5 * i);
        }
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            char line[256], *to = line;
            for (const char *from = lines[i]; *from; from += from[0] == '%' ? 2 : 1) {
                if (*from == '%')
                    to += sprintf(to, "%s", name);
                else
                    *to++ = *from;
            }
            strcpy(to, " --quiet");
            size_t most = run_on(STACK, line);
            if (most > MOST_BYTES) fail_msg("%s: %zu bytes", line, most);
        }
    }
    place_leave(&place);
}

TEST(the_demo_does_with_64_kib_of_stack)
{
    static const char *const lines[] = {
        "marey demo . --take walk_straight --take walk_left --take kicks --quiet",
        "marey info walk_straight.bvh --json",
        "marey index demo.marey",
        "marey search demo.marey kicks#122-252",
        "marey transition walk_straight.bvh walk_left.bvh -o out.bvh",
        "marey blend walk_straight.bvh walk_left.bvh --weights 1,1 -o out.bvh",
        "marey example demo.marey kicks#122-252",
        "marey graph build demo.marey g walk_left --kind connected",
        "marey graph walk demo.marey g --length 4s -o out.bvh",
        "marey graph train demo.marey g",
        "marey cluster build demo.marey c walk_straight walk_left",
        "marey puppet train --clips walk_straight.bvh walk_left.bvh -o out.puppet",
        "marey puppet show out.puppet --csv out.csv",
        "marey puppet run out.puppet out.csv -o again.csv",
    };
    test_place place;
    place_enter(&place);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) run_on(STACK, lines[i]);
    run_on(STACK > WITH_TEXT ? STACK : WITH_TEXT, "marey render walk_straight.bvh -o out.png");
    place_leave(&place);
}

TEST_GROUP_OF_CASES(test_stack, NULL, NULL)
