/* test_blend_time.c - how time flows along a registration curve, against integration in very small
   steps. */
#include "blend_clips.h"

#include "align/registration_data.h"
#include "blend/blender.h"
#include "math/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 9 };

typedef struct fixture {
    marey_ctx *ctx;
    int count;
    marey_clip *clips[MOST];
    marey_registration *of[3]; /* of the first 2, the first 3, all 9 */
} fixture;

static int set_up(void **state)
{
    static const char *const takes[MOST] = { "walk_straight", "walk_slow",    "jog_straight",
                                             "walk_fast",     "walk_left",    "walk_right",
                                             "walk_straight", "jog_straight", "walk_slow" };
    static const int sizes[3] = { 2, 3, MOST };
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    for (int i = 0; i < MOST; i++) f->clips[i] = test_demo_part(f->ctx, takes[i], i >= 6, 0);
    for (int n = 0; n < 3; n++)
        f->of[n] = test_register(f->ctx, (const marey_clip *const *)f->clips, sizes[n]);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    for (int n = 0; n < 3; n++) marey_registration_free(f->of[n]);
    for (int i = 0; i < MOST; i++) marey_clip_free(f->clips[i]);
    marey_ctx_close(f->ctx);
    return 0;
}

/* Eq. 6, weights going from `from` to `to` over all the rows. */
static double pace(const marey_registration *registration, double u, const double *from,
                   const double *to, double share)
{
    double slopes[MOST], sum = 0, votes = 0;
    marey_registration_times(registration, u, NULL, slopes);
    for (int j = 0; j < marey_registration_count(registration); j++) {
        double vote = fabs(from[j] + share * (to[j] - from[j]));
        sum += vote / slopes[j];
        votes += vote;
    }
    return sum / votes;
}

/* Middle of the step, `steps` of them to a row. */
static double judge(const marey_registration *registration, double u, const double *from,
                    const double *to, double rows, int steps)
{
    int count = (int)ceil(fabs(rows) * steps);
    double h = rows / count;
    for (int i = 0; i < count; i++) {
        double half = u + h / 2 * pace(registration, u, from, to, (double)i / count);
        u += h * pace(registration, half, from, to, (i + 0.5) / count);
    }
    return u;
}

static double largest_slope(const marey_registration *registration, double u)
{
    double slopes[MOST], most = 0;
    marey_registration_times(registration, u, NULL, slopes);
    for (int j = 0; j < marey_registration_count(registration); j++) most = fmax(most, slopes[j]);
    return most;
}

static void random_weights(uint64_t *seed, int count, bool convex, double *out)
{
    double sum = 0;
    for (int j = 0; j < count; j++) sum += out[j] = mry_random_between(seed, convex ? 0 : -0.4, 1);
    if (!convex) sum += 1.5, out[0] += 1.5;
    for (int j = 0; j < count; j++) out[j] /= sum;
}

/* In rows of whichever motion is the fastest: the most that a frame can be off. */
static double drift(const marey_registration *registration, uint64_t *seed, bool convex,
                    bool changing, bool back)
{
    double first, last, ends[2][MOST] = { { 0 } }, pair[2][MOST], worst = 0;
    int count = marey_registration_count(registration);
    marey_registration_range(registration, &first, &last);
    random_weights(seed, count, convex, ends[0]);
    random_weights(seed, count, convex, ends[1]);
    if (!changing) memcpy(ends[1], ends[0], sizeof ends[1]);
    double u = back ? last : first, exact = u, way = back ? -1 : 1, left = 0;
    for (int i = 0; i < 600; i++) {
        for (int k = 0; k < 2; k++) {
            double share = fabs((i + k) % 60 / 30.0 - 1); /* to and fro, every 30 rows */
            for (int j = 0; j < count; j++)
                pair[k][j] = ends[0][j] + share * (ends[1][j] - ends[0][j]);
        }
        double next = mry_blend_advance_by(registration, u, pair[0], pair[1], way, &left);
        if (left != 0) break;
        exact = judge(registration, exact, pair[0], pair[1], way, 256);
        u = next;
        worst = fmax(worst, fabs(u - exact) * largest_slope(registration, u));
    }
    return worst;
}

TEST_OF(fixture *f, time_flows_as_in_very_small_steps)
{
    uint64_t seed = 3;
    double worst = 0;
    for (int n = 0; n < 3; n++) {
        for (int kind = 0; kind < 8; kind++)
            worst = fmax(worst, drift(f->of[n], &seed, kind & 1, kind & 2, kind & 4));
    }
    print_message("worst drift of any motion: %.2g rows\n", worst);
    assert_true(worst < 1e-4);
}

TEST_OF(fixture *f, there_and_back_is_where_it_began)
{
    uint64_t seed = 5;
    for (int n = 0; n < 60; n++) {
        const marey_registration *of = f->of[n % 3];
        double first, last, from[MOST], to[MOST];
        marey_registration_range(of, &first, &last);
        random_weights(&seed, marey_registration_count(of), n & 1, from);
        random_weights(&seed, marey_registration_count(of), n & 1, to);
        double u = mry_random_between(&seed, first, first + 0.5 * (last - first));
        double rows = mry_random_between(&seed, 0.01, 40);
        double there = mry_blend_advance(of, u, from, to, rows);
        assert_true(there > u);
        assert_true(fabs(mry_blend_advance(of, there, to, from, -rows) - u) < 1e-4);
    }
}

TEST_OF(fixture *f, a_motion_alone_keeps_its_own_pace)
{
    for (int n = 0; n < 3; n++) {
        const marey_registration *of = f->of[n];
        for (int j = 0; j < marey_registration_count(of); j++) {
            double first, last, weights[MOST] = { 0 }, rows[MOST], left = 0;
            marey_registration_range(of, &first, &last);
            weights[j] = 1;
            double u = first;
            int i = 0;
            for (; fabs(left) < 1e-6; i++) {
                marey_registration_times(of, u, rows, NULL);
                assert_true(fabs(rows[j] - i) < 1e-7);
                u = mry_blend_advance_by(of, u, weights, weights, 1, &left);
            }
            assert_int_equal(i, marey_clip_frames(marey_registration_clip(of, j)));
        }
    }
}

TEST_OF(fixture *f, the_range_is_never_left)
{
    uint64_t seed = 9;
    for (int n = 0; n < 200; n++) {
        const marey_registration *of = f->of[n % 3];
        double first, last, w[MOST], left, rows = mry_random_between(&seed, -2000, 2000);
        marey_registration_range(of, &first, &last);
        random_weights(&seed, marey_registration_count(of), n & 1, w);
        double u = mry_random_between(&seed, first - 5, last + 5);
        double to = mry_blend_advance_by(of, u, w, w, rows, &left);
        assert_true(to >= first && to <= last);
        assert_true(left == 0 || to == (rows > 0 ? last : first));
        assert_true(left == 0 || (left > 0) == (rows > 0));
        assert_true(fabs(left) <= fabs(rows) + 1e-9);
        assert_true(mry_blend_advance(of, to, w, w, 0) == to);
        assert_true(mry_blend_advance(of, last, w, w, 3) == last);
        assert_true(mry_blend_advance(of, first, w, w, -3) == first);
    }
}

/* What is used of the rows and what is left are all of them, also where weights change their signs
   on the way. */
TEST_OF(fixture *f, what_lies_beyond_the_end_is_reported)
{
    uint64_t seed = 21;
    for (int n = 0; n < 60; n++) {
        const marey_registration *of = f->of[n % 3];
        int count = marey_registration_count(of);
        double first, last, from[MOST], to[MOST], there[MOST], left, none;
        marey_registration_range(of, &first, &last);
        random_weights(&seed, count, n & 1, from);
        random_weights(&seed, count, n & 1, to);
        if (!(n & 1)) from[1] = -0.6, to[1] = 0.6; /* through nothing */
        double u = mry_random_between(&seed, last - 30, last - 10), rows = 60;
        assert_true(mry_blend_advance_by(of, u, from, to, rows, &left) == last);
        assert_true(left > 0 && left < rows);
        double share = (rows - left) / rows;
        for (int j = 0; j < count; j++) there[j] = from[j] + share * (to[j] - from[j]);
        double end = mry_blend_advance_by(of, u, from, there, rows - left, &none);
        assert_true(fabs(none) < 1e-3 && fabs(end - last) < 1e-3);
    }
}

/* Along a chain of pairs a motion may stand all but still and then hurry. Steps are tried behind
   the end of a span, where its falling slope would go on below nothing. Eq. 6 is a harmonic mean:
   no blend takes longer than the mean of its motions. */
TEST_OF(fixture *f, time_goes_on_where_a_motion_stands_still)
{
    marey_registration still = *f->of[0];
    int count = still.times.count;
    FREED double *points = calloc(2 * (size_t)count, sizeof *points);
    double weights[2] = { 0.5, 0.5 };
    uint64_t seed = 4;
    still.times.points = points;
    for (int n = 0; n < 300; n++) { /* steps of a millionth of a row to ten rows */
        for (int k = 0; k < 2; k++) {
            for (int i = 1; i < count; i++) {
                double step = pow(10, mry_random_between(&seed, -6, 1));
                points[2 * i + k] = points[2 * i - 2 + k] + step;
            }
        }
        double most = (points[2 * count - 2] + points[2 * count - 1]) / 2 + 2;
        double u = still.first, left = 0;
        for (int rows = 0; left == 0; rows++) {
            double next = mry_blend_advance_by(&still, u, weights, weights, 1, &left);
            assert_true(next > u || left > 0);
            assert_true(rows < 1.1 * most); /* so steep a curve is not followed to 1e-4 of a row */
            u = next;
        }
        assert_true(u == still.last);
    }
}

TEST_GROUP_OF_CASES(test_blend_time, set_up, tear_down)
