/* test_align_program.c - align as a program: its paths are the library's and go past marked frames.
   What it prints is in tests/cli. */
#include "made_clips.h"

#define PERSONS(name) TEST_IN(test_enter_persons, test_leave_place, name)

PERSONS(a_path_is_the_librarys)
{
    two_files of = test_two_files("a.bvh", "b.bvh");
    const marey_clip *two[2] = { of.a, of.b };
    marey_layout *layout = NULL;
    marey_features *f[2] = { NULL, NULL };
    marey_grid *grid = NULL;
    marey_path path = { 0 };
    assert_int_equal(marey_layout_build(of.ctx, two, 2, NULL, &layout, NULL), MAREY_OK);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(marey_features_build(layout, two[s], &f[s], NULL), MAREY_OK);
    }
    assert_int_equal(marey_grid_build(of.ctx, f[0], f[1], &grid, NULL), MAREY_OK);
    assert_int_equal(marey_align(of.ctx, marey_grid_cost(grid), NULL, &path, NULL), MAREY_OK);
    char *text = test_reply("marey align a.bvh b.bvh --json"), *at = strstr(text, "[[") + 1;
    for (int i = 0; i < path.count; i++) {
        assert_int_equal(strtol(at + 1, &at, 10), path.cells[i].row);
        assert_int_equal(strtol(at + 1, &at, 10), path.cells[i].col);
        at += 2; /* "],[" */
    }
    assert_true(test_number(text, "mean_distance") == path.mean);
    assert_true(test_number(text, "cells") == path.count);
    marey_path_free(&path);
    marey_grid_free(grid);
    for (int s = 0; s < 2; s++) marey_features_free(f[s]);
    marey_layout_free(layout);
    test_two_files_free(&of);
}

PERSONS(a_path_goes_past_marked_frames)
{
    char *text = test_reply("marey align lost.bvh#10-90 b.bvh --json --quiet");
    bool after = false;
    long last = 9;
    for (char *at = strstr(text, "[["); at && at[1] == '['; at = strchr(at, ']') + 1) {
        long i = strtol(at + 2, NULL, 10);
        if (i >= 30 && i < 34) fail_msg("frame %ld was lost", i);
        assert_true(i == last || i == last + 1 || (last == 29 && i == 34));
        after |= i > 34;
        last = i;
    }
    assert_true(after && last == 89);
    text = test_refusal("marey align lost.bvh b.bvh --units raw --from 2,100 --quiet", 1);
}

TEST_GROUP_OF_CASES(test_align_program, NULL, NULL)
