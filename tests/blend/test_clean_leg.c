/* test_clean_leg.c - parts of foot clean-up. One leg: it arrives, keeps its bones and its plane,
   and its knee never pops. The filters over time, against plain sums. */
#include "support.h"

#include "blend/clean.h"

#include <math.h>

enum { LEGS = 400 };

static mry_vec random_vec(uint64_t *seed, double size)
{
    double x = mry_random_between(seed, -size, size), y = mry_random_between(seed, -size, size);
    return (mry_vec){ x, y, mry_random_between(seed, -size, size) };
}

static double apart(mry_vec a, mry_vec b)
{
    return mry_vec_length(mry_vec_sub(a, b));
}

/* A leg that hangs down about y, bent forward (z) by some angle; its hinge is along x. */
static mry_leg_pose leg_bent(double degrees, double sideways)
{
    double half = degrees / 2 / 57.29577951308232;
    mry_leg_pose leg = { .hip = { 10, 90, 5 } };
    leg.knee = mry_vec_add(leg.hip, (mry_vec){ sideways, -42 * cos(half), 42 * sin(half) });
    leg.ankle = mry_vec_add(leg.knee, (mry_vec){ -sideways, -40 * cos(half), -40 * sin(half) });
    return leg;
}

static mry_leg_aim aim_at(mry_vec hip, mry_vec ankle)
{
    return (mry_leg_aim){ .hip = hip, .ankle = ankle, .hinge = { -1, 0, 0 }, .form = 1 };
}

/* The judge knows no law of cosines: it feels its way to the knee that is right for both bones and
   nearest to where the old knee comes if the leg swings as a whole. */
static double judge_cost(const mry_leg_pose *from, const mry_leg_aim *aim, mry_vec near,
                         mry_vec knee)
{
    double upper = apart(knee, aim->hip) - apart(from->knee, from->hip);
    double lower = apart(knee, aim->ankle) - apart(from->ankle, from->knee);
    mry_vec normal = mry_vec_unit(mry_vec_cross(near, mry_vec_sub(aim->ankle, aim->hip)));
    double out = mry_vec_dot(mry_vec_sub(knee, aim->hip), normal);
    return upper * upper + lower * lower + out * out;
}

static mry_vec judge_knee(const mry_leg_pose *from, const mry_leg_aim *aim)
{
    mry_vec was = mry_vec_sub(from->ankle, from->hip), is = mry_vec_sub(aim->ankle, aim->hip);
    mry_vec near = mry_rot_apply(mry_rot_between(was, is), mry_vec_sub(from->knee, from->hip));
    mry_vec best = mry_vec_add(aim->hip, near);
    double cost = judge_cost(from, aim, near, best);
    for (double step = 8; step > 1e-8;) {
        bool better = false;
        for (int n = 0; n < 6; n++) {
            double by = n % 2 ? step : -step;
            mry_vec next = best;
            *(n < 2 ? &next.x : n < 4 ? &next.y : &next.z) += by;
            double here = judge_cost(from, aim, near, next);
            if (here >= cost) continue;
            best = next;
            cost = here;
            better = true;
        }
        if (!better) step /= 2;
    }
    return best;
}

TEST(a_leg_arrives_as_a_judge_that_feels_its_way_says)
{
    uint64_t seed = 7;
    for (int n = 0; n < LEGS; n++) {
        mry_leg_pose from = leg_bent(mry_random_between(&seed, 50, 110), 0);
        mry_vec hip = mry_vec_add(from.hip, random_vec(&seed, 3)); /* first, on every processor */
        mry_leg_aim aim = aim_at(hip, mry_vec_add(from.ankle, random_vec(&seed, 5)));
        mry_leg_turns to = mry_leg_solve(&from, &aim);
        assert_true(apart(to.to.ankle, aim.ankle) < 1e-9);
        assert_true(apart(to.to.knee, judge_knee(&from, &aim)) < 1e-2);
        assert_true(fabs(apart(to.to.knee, to.to.hip) - 42) < 1e-9);
        assert_true(fabs(apart(to.to.ankle, to.to.knee) - 40) < 1e-9);
    }
}

TEST(a_leg_that_is_where_it_should_be_is_left_alone)
{
    for (double degrees = 0; degrees <= 150; degrees += 5) {
        for (int form = 0; form < 2; form++) {
            mry_leg_pose from = leg_bent(degrees, 0);
            mry_leg_aim aim = aim_at(from.hip, from.ankle);
            aim.form = form;
            mry_leg_turns to = mry_leg_solve(&from, &aim);
            assert_true(apart(to.to.knee, from.knee) < 1e-6);
            assert_true(apart(to.to.ankle, from.ankle) < 1e-6);
        }
    }
}

/* The ankle goes down a long way, past what the leg can reach, in steps of a tenth of a millimetre.
   A straight line to full extension would turn the knee by more than 2 degrees in the last of
   them. */
TEST(a_knee_never_pops_on_the_way_out_of_reach)
{
    for (int longer = 0; longer < 2; longer++) {
        mry_leg_pose from = leg_bent(40, 0);
        double last = 40, most = 0;
        for (double down = 0; down < 12; down += 0.01) {
            mry_leg_aim aim = aim_at(from.hip, from.ankle);
            aim.ankle.y -= down;
            aim.stretch = longer ? 0.05 : 0;
            mry_leg_turns to = mry_leg_solve(&from, &aim);
            mry_vec thigh = mry_vec_sub(to.to.knee, to.to.hip),
                    shin = mry_vec_sub(to.to.ankle, to.to.knee);
            double bend =
                atan2(mry_vec_length(mry_vec_cross(thigh, shin)), mry_vec_dot(thigh, shin)) *
                57.29577951;
            most = fmax(most, fabs(bend - last));
            last = bend;
            assert_true(to.longer >= 0 && to.longer <= aim.stretch);
            if (longer && down < 8) assert_true(apart(to.to.ankle, aim.ankle) < 1e-9);
        }
        assert_true(most < 0.15);
        assert_true(last > 3 && last < 17);
    }
}

TEST(a_leg_arrives_by_stretching_as_far_as_its_reach_says)
{
    for (double degrees = 0; degrees < 60; degrees += 1.7) {
        for (double stretch = 0.01; stretch <= 0.2; stretch += 0.02) {
            mry_leg_pose from = leg_bent(degrees, 0);
            mry_vec way = mry_vec_sub(from.ankle, from.hip);
            double length = 82, share = mry_vec_length(way) / length;
            for (double moved = 0; moved <= 0.3; moved += 0.002) {
                mry_leg_reach reach = mry_leg_reach_of(share, moved, stretch);
                if (share + moved > reach.most) break;
                mry_leg_aim aim =
                    aim_at(from.hip, mry_vec_add(from.ankle,
                                                 mry_vec_scale(mry_vec_unit(way), moved * length)));
                aim.stretch = stretch;
                mry_leg_turns to = mry_leg_solve(&from, &aim);
                assert_true(apart(to.to.ankle, aim.ankle) < 1e-6);
                assert_true(to.longer <= stretch);
            }
        }
    }
}

TEST(an_overstretched_knee_bends_the_right_way_and_still_arrives)
{
    for (double degrees = -12; degrees <= 0; degrees += 1.5) {
        mry_leg_pose from = leg_bent(degrees, 0.3);
        mry_leg_aim aim = aim_at(from.hip, from.ankle);
        aim.ankle.y += 3;
        mry_leg_turns to = mry_leg_solve(&from, &aim);
        assert_true(to.to.knee.z > from.hip.z + 5);
        assert_true(apart(to.to.ankle, aim.ankle) < 1e-9);
    }
}

/* A dog's leg, or a hinge that was found wrongly: a knee that is bent well knows its side
   better. */
TEST(a_knee_that_is_bent_well_stays_on_its_side)
{
    for (double degrees = -90; degrees <= -30; degrees += 5) {
        mry_leg_pose from = leg_bent(degrees, 0.3);
        mry_leg_aim aim = aim_at(from.hip, from.ankle);
        aim.ankle.y += 1;
        mry_leg_turns to = mry_leg_solve(&from, &aim);
        assert_true(to.to.knee.z < from.knee.z);
        assert_true(apart(to.to.ankle, aim.ankle) < 1e-9);
    }
}

/* A knee that goes from overstretched to bent in the motion, as straight legs do: wherever the
   correction leads, the knee moves as it does there, only farther. */
TEST(a_knee_that_passes_the_straight_line_does_not_flip)
{
    for (double up = 0.005; up < 4; up *= 1.7) {
        mry_vec last = { 0, 0, 0 };
        for (double degrees = -6; degrees <= 6; degrees += 0.02) {
            mry_leg_pose from = leg_bent(degrees, 0.4 * sin(3 * degrees));
            mry_leg_aim aim = aim_at(from.hip, from.ankle);
            aim.ankle.y += up;
            mry_leg_turns to = mry_leg_solve(&from, &aim);
            if (degrees > -6) assert_true(apart(last, to.to.knee) < 0.1);
            last = to.to.knee;
        }
    }
}

TEST(the_shortest_turn_leads_there)
{
    uint64_t seed = 3;
    for (int n = 0; n < LEGS; n++) {
        mry_vec a = mry_vec_unit(random_vec(&seed, 1)), b = mry_vec_unit(random_vec(&seed, 1));
        if (n % 3 == 0) b = mry_vec_scale(a, n % 2 ? 1 : -1);
        mry_rot q = mry_rot_between(a, b);
        assert_true(apart(mry_rot_apply(q, a), b) < 1e-6);
        assert_true(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-12);
    }
}

TEST(filters_do_what_plain_loops_do)
{
    enum { FRAMES = 2600 };
    static double from[2 * FRAMES], mean[2 * FRAMES], most[FRAMES];
    static int queue[FRAMES];
    static const int halves[] = { 0, 1, 7, 40, 3000 };
    uint64_t seed = 5;
    for (int i = 0; i < 2 * FRAMES; i++) from[i] = mry_random_between(&seed, -1, 1);
    for (size_t n = 0; n < sizeof halves / sizeof *halves; n++) {
        mry_clean_average(from, FRAMES, 2, halves[n], mean);
        mry_clean_largest(from, FRAMES, halves[n], queue, most);
        for (int f = 0; f < FRAMES; f += 13) {
            int first = f > halves[n] ? f - halves[n] : 0;
            int last = f + halves[n] < FRAMES ? f + halves[n] : FRAMES - 1;
            double sum = 0, top = -2;
            for (int i = first; i <= last; i++) {
                sum += from[2 * i + 1];
                top = fmax(top, from[i]);
            }
            assert_true(fabs(mean[2 * f + 1] - sum / (last - first + 1)) < 1e-12);
            assert_true(most[f] == top);
        }
    }
}

TEST_GROUP_OF_CASES(test_clean_leg, NULL, NULL)
