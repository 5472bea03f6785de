/* made_clips.c - clips to make others of by command lines. */
#include "made_clips.h"

#include <math.h>

static void make_demo(void)
{
    test_run_well(
        "marey demo . --take walk_straight --take walk_left --take jog_straight --take small_walk "
        "--quiet");
}

int test_enter_demo(void **state)
{
    return test_enter_copy(state, make_demo);
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
    test_ctx_close(of->ctx);
}
