/* test_making_faults.c - the commands that make clips, on one thread and two, with refused memory,
   a full disk and Ctrl-C: the same bytes, or nothing at all. */
#include "made_clips.h"

#define DEMO(name) TEST_IN(test_enter_demo, test_leave_place, name)

DEMO(one_thread_and_two_make_the_same_bytes)
{
    static const char *const made[] = {
        "marey transition walk_straight.bvh jog_straight.bvh --near 300, --quiet",
        "marey blend walk_straight.bvh#180-420 walk_left.bvh#180-420 --weights 1,2 --quiet",
        "marey loop walk_straight.bvh --quiet",
        "marey clean jog_straight.bvh --quiet",
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        for (int threads = 1; threads <= 2; threads++) {
            char line[256];
            snprintf(line, sizeof line, "%s --threads %d -o t%d.bvh", made[i], threads, threads);
            test_run_well(line);
        }
        test_same_file("t1.bvh", "t2.bvh");
    }
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char *const lines[] = {
    "marey align a.bvh#0-12 b.bvh#0-10 --json -o out.npy",
    "marey align lost.bvh#25-40 b.bvh#0-10 -o out.png --fps 30",
    "marey align a.bvh#0-12 b.bvh#0-10 a.bvh#4-14 --json",
    "marey transition a.bvh#0-30 b.bvh#0-30 --half 4 --below inf --json -o out.bvh --provenance",
    "marey transition a.bvh#0-30#15 b.bvh#0-30 --half 4 --below inf --sheet out.svg --count 2",
    "marey transition a.bvh#0-30#15 b.bvh#0-30#12 --method cut --json -o out.bvh",
    "marey blend a.bvh#0-12 b.bvh#0-10 --weights 1,1 --json -o out.bvh",
    "marey blend a.bvh#0-12 b.bvh#0-10 --weights-file w.csv -o out.bvh",
    "marey clean lost.bvh#25-40 --json -o out.bvh",
    "marey loop a.bvh --half 4 --count 2 --json -o out.bvh",
};
enum { LINES = sizeof lines / sizeof *lines };

static int enter_failing(void **state)
{
    test_enter_persons(state);
    test_file_write("w.csv", "0,1,0\n0.1,0,1\n", 14);
    return 0;
}

/* Whatever was written is whole, and nothing half-written is left. */
static void check_files(const test_run *run, void *user)
{
    static const char *const paths[] = { "out.npy", "out.png", "out.svg", "out.bvh" };
    (void)user;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (access(paths[i], F_OK) != 0) continue;
        /* A clip and its provenance are two files; the second may fail alone. */
        if (run->status != 0 && strcmp(paths[i], "out.bvh") != 0) {
            fail_msg("status %d, and %s is there", run->status, paths[i]);
        }
        unlink(paths[i]);
    }
    unlink("out.bvh.provenance.json");
    assert_int_equal(test_folder_count("."), 4); /* three clips and weights */
}

#define FAILING(name) TEST_IN(enter_failing, test_leave_place, name)

FAILING(refused_memory_ends_with_status_3_and_no_file)
{
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

FAILING(a_kept_curve_is_there_or_not_at_all)
{
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
    sweep_change("marey curves m.marey --json",
                 "marey align -L m.marey a#0-12 b#0-10 --save c --json", "\"name\":\"c\"",
                 "marey curves m.marey --rm c --quiet");
    test_run_well("marey align -L m.marey a#0-12 b#0-10 --save c --quiet");
    sweep_memory("marey blend -L m.marey --curve c --weights 1,1 -o out.bvh --json", NULL, NULL);
    sweep_memory("marey curves m.marey --json", NULL, NULL);
}

FAILING(full_standard_output_and_a_cancelled_run_are_reported)
{
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
        test_cancelled(lines[i]);
    }
}

TEST_GROUP_OF_CASES(test_making_faults, NULL, NULL)
