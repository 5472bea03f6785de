/* made_clips.c - clips to make others of by command lines. */
#include "made_clips.h"

#include <math.h>

int test_enter_demo(void **state)
{
    static test_place place;
    place_enter(&place);
    test_run_well(
        "marey demo . --take walk_straight --take walk_left --take jog_straight --take small_walk "
        "--quiet");
    *state = &place;
    return 0;
}

int test_enter_persons(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("a.bvh", 100);
    write_person("b.bvh", 60);
    test_write_dropouts("lost.bvh", 100, 30, 34);
    *state = &place;
    return 0;
}

two_files test_two_files(const char *a, const char *b)
{
    two_files of = { .ctx = test_ctx() };
    of.a = test_clip_load(of.ctx, a);
    of.b = test_clip_load(of.ctx, b);
    return of;
}

void test_two_files_free(two_files *of)
{
    marey_clip_free(of->a);
    marey_clip_free(of->b);
    marey_ctx_close(of->ctx);
}

double test_frame_apart(const marey_clip *a, int i, const marey_clip *b, int j)
{
    enum { MOST = 128 };
    static double left[MOST * 3], right[MOST * 3];
    int joints = marey_clip_skeleton(a)->joint_count;
    double most = 0;
    assert_true(joints <= MOST && joints == marey_clip_skeleton(b)->joint_count);
    marey_clip_positions(a, i, 1, left);
    marey_clip_positions(b, j, 1, right);
    for (int k = 0; k < joints; k++) {
        most =
            fmax(most, hypot(hypot(left[3 * k] - right[3 * k], left[3 * k + 1] - right[3 * k + 1]),
                             left[3 * k + 2] - right[3 * k + 2]));
    }
    return most;
}

double test_shape_apart(const marey_clip *a, int i, const marey_clip *b, int j)
{
    enum { MOST = 128 };
    static double places[2][MOST * 3];
    int joints = marey_clip_skeleton(a)->joint_count;
    double most = 0;
    marey_clip_positions(a, i, 1, places[0]);
    marey_clip_positions(b, j, 1, places[1]);
    for (int k = 1; k < joints; k++) {
        double lengths[2];
        for (int s = 0; s < 2; s++) {
            const double *p = places[s];
            lengths[s] = hypot(hypot(p[3 * k] - p[0], p[3 * k + 1] - p[1]), p[3 * k + 2] - p[2]);
        }
        most = fmax(most, fabs(lengths[0] - lengths[1]));
    }
    return most;
}
