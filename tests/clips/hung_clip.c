/* hung_clip.c - clips whose skeletons hang from one joint more. */
#include "hung_clip.h"

#include "demo_parts.h"

#include "math/quat.h"
#include "math/turn.h"

#include <string.h>

/* Where the new root is in a frame, and how it is turned. */
static mry_rot root_at(const marey_clip *clip, int frame, test_hanging how, mry_vec *place)
{
    const double *pelvis = mry_place(clip, how == TEST_HUNG_UNDER ? frame : 0);
    mry_rot tilted = mry_rot_times(mry_rot_about(0, 1, 0, 0.5), mry_rot_about(1, 0, 0, -1.5));
    *place = (mry_vec){ pelvis[0], 0, pelvis[2] };
    if (how == TEST_HUNG_UNDER || how == TEST_HUNG_AT_FEET) return (mry_rot){ 1, 0, 0, 0 };
    *place = how == TEST_HUNG_STILL ? (mry_vec){ 500, 20, -300 } : (mry_vec){ -250, -5, 410 };
    return tilted;
}

static void put(mry_rot turn, mry_vec place, float *q, double *p)
{
    float is[4] = { (float)turn.w, (float)turn.x, (float)turn.y, (float)turn.z };
    double at[3] = { place.x, place.y, place.z };
    memcpy(q, is, sizeof is);
    memcpy(p, at, sizeof at);
}

static void hang_frame(const marey_clip *clip, int frame, test_hanging how, marey_clip *made)
{
    size_t joints = (size_t)clip->skeleton.joint_count, movers = (size_t)clip->mover_count;
    const double *p = mry_place(clip, frame);
    const float *q = mry_turn(clip, frame);
    double *places = mry_place(made, frame);
    float *turns = mry_turn(made, frame);
    mry_vec root;
    mry_rot turn = root_at(clip, frame, how, &root), back = mry_rot_back(turn);
    memcpy(turns + 4, q, 4 * joints * sizeof *q);
    memcpy(places + 3, p, 3 * movers * sizeof *p);
    put(turn, root, turns, places);
    put(mry_rot_times(back, (mry_rot){ q[0], q[1], q[2], q[3] }),
        mry_rot_apply(back, mry_vec_sub((mry_vec){ p[0], p[1], p[2] }, root)), turns + 4,
        places + 3);
    mry_quat_normalize(turns + 4);
}

marey_clip *test_hung(const marey_clip *clip, test_hanging how)
{
    assert_int_equal(clip->skeleton.roles[MAREY_ROLE_HIPS], 0);
    marey_clip *made = mry_clip_make(clip->mem.ctx, clip->name, clip->skeleton.joint_count + 1);
    assert_non_null(made);
    made->joints[0] = clip->joints[0];
    made->joints[0].name = "floor";
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        marey_joint *to = &made->joints[j + 1];
        *to = clip->joints[j];
        to->parent++;
        to->first_channel += clip->joints[0].channel_count;
        to->name = mry_arena_text(&made->mem, to->name, strlen(to->name));
        assert_non_null(to->name);
    }
    made->skeleton.channel_count = clip->skeleton.channel_count + clip->joints[0].channel_count;
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = clip->skeleton.roles[role];
        made->skeleton.roles[role] = joint < 0 ? -1 : joint + 1;
    }
    made->fps = clip->fps;
    made->units = clip->units;
    made->up = clip->up;
    made->report.height_cm = clip->report.height_cm;
    assert_true(mry_clip_find_movers(made) && mry_clip_take_tracks(made, clip->frames));
    for (int f = 0; f < clip->frames; f++) hang_frame(clip, f, how, made);
    return made;
}

double test_hung_apart(const marey_clip *clip, const marey_clip *hung)
{
    enum { MOST = 128 };
    double a[3 * MOST], b[3 * MOST], most = 0;
    int joints = clip->skeleton.joint_count;
    assert_true(joints < MOST);
    assert_int_equal(hung->skeleton.joint_count, joints + 1);
    assert_int_equal(hung->frames, clip->frames);
    for (int f = 0; f < clip->frames; f++) {
        marey_clip_positions(clip, f, 1, a);
        marey_clip_positions(hung, f, 1, b);
        for (int j = 0; j < joints; j++)
            most = fmax(most, mry_distance3(a + 3 * j, b + 3 * (j + 1)));
    }
    return most;
}

bool test_root_stays(const marey_clip *hung)
{
    for (int f = 1; f < hung->frames; f++) {
        if (memcmp(mry_place(hung, f), mry_place(hung, 0), 3 * sizeof(double)) != 0 ||
            memcmp(mry_turn(hung, f), mry_turn(hung, 0), 4 * sizeof(float)) != 0)
            return false;
    }
    return true;
}

/* ---- two walks ------------------------------------------------------------------------------- */

int test_hung_set_up(void **state)
{
    static const test_hanging pairs[TEST_HUNG_PAIRS][2] = { { TEST_HUNG_STILL, TEST_HUNG_STILL },
                                                            { TEST_HUNG_STILL, TEST_HUNG_ASIDE },
                                                            { TEST_HUNG_STILL, TEST_HUNG_UNDER },
                                                            { TEST_HUNG_UNDER, TEST_HUNG_ASIDE } };
    static test_hung_walks w;
    w.ctx = test_ctx();
    w.clips[0] = test_demo_part(w.ctx, "walk_straight", 0, 240);
    w.clips[1] = test_demo_part(w.ctx, "walk_left", 0, 240);
    for (int n = 0; n < 2 * TEST_HUNG_PAIRS; n++)
        w.hung[n / 2][n % 2] = test_hung(w.clips[n % 2], pairs[n / 2][n % 2]);
    *state = &w;
    return 0;
}

int test_hung_tear_down(void **state)
{
    test_hung_walks *w = *state;
    for (int n = 0; n < 2 * TEST_HUNG_PAIRS; n++) marey_clip_free(w->hung[n / 2][n % 2]);
    for (int n = 0; n < 2; n++) marey_clip_free(w->clips[n]);
    test_ctx_close(w->ctx);
    return 0;
}

void test_hung_assert(const marey_clip *clip, const marey_clip *hung)
{
    double apart = test_hung_apart(clip, hung);
    if (!(apart < TEST_HUNG_NEAR_CM)) fail_msg("joints are %g cm apart", apart);
    assert_true(test_root_stays(hung));
}
