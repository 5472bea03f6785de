/* test_mean_turn.c - the mean of orientations against a slow judge and against what a mean must
   be. */
#include "support.h"

#include "math/mean_turn.h"
#include "math/quat.h"
#include "math/turn.h"

#include <math.h>
#include <string.h>

enum { MOST = 12 };

typedef struct set {
    int count;
    float turns[MOST][4];
    double weights[MOST];
} set;

static void put(float *out, mry_rot q)
{
    out[0] = (float)q.w;
    out[1] = (float)q.x;
    out[2] = (float)q.y;
    out[3] = (float)q.z;
}

static mry_rot get(const float *q)
{
    double n =
        sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3]);
    return (mry_rot){ q[0] / n, q[1] / n, q[2] / n, q[3] / n };
}

static mry_rot random_turn(uint64_t *seed, double most)
{
    mry_vec axis =
        mry_vec_unit((mry_vec){ mry_random_between(seed, -1, 1), mry_random_between(seed, -1, 1),
                                mry_random_between(seed, -1, 1) });
    return mry_rot_about(axis.x, axis.y, axis.z, mry_random_between(seed, -most, most));
}

/* Orientations within `spread` of a random one, some with their sign turned. */
static set random_set(uint64_t *seed, int count, double spread, bool negative)
{
    set s = { .count = count };
    mry_rot middle = random_turn(seed, 3);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        mry_rot q = mry_rot_times(middle, random_turn(seed, spread));
        if (mry_random_next(seed) & 1) q = (mry_rot){ -q.w, -q.x, -q.y, -q.z };
        put(s.turns[i], q);
        s.weights[i] = mry_random_between(seed, negative ? -0.5 : 0, 1);
        if (i == 0 && negative) s.weights[i] += 2;
        sum += s.weights[i];
    }
    for (int i = 0; i < count; i++) s.weights[i] /= sum;
    return s;
}

static void mean(const set *s, float *out)
{
    mry_mean_turn(s->turns[0], 4, s->weights, s->count, out);
}

/* The rotation vector that leads from m to q. */
static mry_vec way_to(mry_rot m, mry_rot q)
{
    mry_rot d = mry_rot_times(mry_rot_back(m), q);
    if (d.w < 0) d = (mry_rot){ -d.w, -d.x, -d.y, -d.z };
    double s = sqrt(d.x * d.x + d.y * d.y + d.z * d.z), angle = 2 * atan2(s, d.w);
    return s < 1e-12 ? (mry_vec){ 2 * d.x, 2 * d.y, 2 * d.z }
                     : mry_vec_scale((mry_vec){ d.x, d.y, d.z }, angle / s);
}

/* Small steps down the slope of the summed squares, very many of them. */
static mry_rot judge(const set *s)
{
    int heaviest = 0;
    for (int i = 1; i < s->count; i++)
        if (s->weights[i] > s->weights[heaviest]) heaviest = i;
    mry_rot m = get(s->turns[heaviest]);
    for (int n = 0; n < 2000; n++) {
        mry_vec sum = { 0, 0, 0 };
        for (int i = 0; i < s->count; i++)
            sum = mry_vec_add(sum, mry_vec_scale(way_to(m, get(s->turns[i])), s->weights[i]));
        mry_vec axis = mry_vec_unit(sum);
        m = mry_rot_times(m, mry_rot_about(axis.x, axis.y, axis.z, 0.1 * mry_vec_length(sum)));
    }
    return m;
}

static double sum_of_squares(const set *s, mry_rot m)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        mry_vec way = way_to(m, get(s->turns[i]));
        sum += s->weights[i] * mry_vec_dot(way, way);
    }
    return sum;
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(the_mean_is_the_slow_judges)
{
    uint64_t seed = 7;
    double worst = 0;
    for (int n = 0; n < 400; n++) {
        int count = 2 + n % (MOST - 1);
        set s = random_set(&seed, count, n % 4 == 0 ? 0.05 : 1.4, false);
        float got[4];
        mean(&s, got);
        mry_vec off = way_to(judge(&s), get(got));
        worst = fmax(worst, mry_vec_length(off));
    }
    print_message("worst error of a mean: %.2g rad\n", worst);
    assert_true(worst < 1e-6);
}

TEST(no_turn_nearby_has_a_smaller_sum_of_squares)
{
    uint64_t seed = 11;
    for (int n = 0; n < 200; n++) {
        set s = random_set(&seed, 3 + n % 7, 1.2, false);
        float got[4];
        mean(&s, got);
        double best = sum_of_squares(&s, get(got));
        for (int k = 0; k < 30; k++) {
            mry_rot beside = mry_rot_times(get(got), random_turn(&seed, k < 15 ? 0.002 : 0.2));
            assert_true(sum_of_squares(&s, beside) > best - 1e-9);
        }
    }
}

TEST(negative_weights_go_beyond)
{
    uint64_t seed = 13;
    for (int n = 0; n < 200; n++) {
        set s = random_set(&seed, 2 + n % 6, 0.5, true);
        float got[4];
        mean(&s, got);
        assert_true(mry_vec_length(way_to(judge(&s), get(got))) < 2e-6);
    }
    set s = { .count = 2, .weights = { 2, -1 } };
    put(s.turns[0], mry_rot_about(0, 1, 0, 0.5));
    put(s.turns[1], mry_rot_about(0, 1, 0, 0.2));
    float got[4], want[4];
    mean(&s, got);
    put(want, mry_rot_about(0, 1, 0, 0.8));
    assert_true(mry_quat_angle(got, want) < 1e-6f);
}

TEST(order_and_signs_do_not_matter)
{
    uint64_t seed = 17;
    for (int n = 0; n < 200; n++) {
        set s = random_set(&seed, 2 + n % 8, 1.2, n % 3 == 0), other = s;
        for (int i = 0; i < s.count; i++) {
            float sign = mry_random_next(&seed) & 1 ? -1.0f : 1.0f;
            for (int k = 0; k < 4; k++) other.turns[i][k] = sign * s.turns[s.count - 1 - i][k];
            other.weights[i] = s.weights[s.count - 1 - i];
        }
        float a[4], b[4];
        mean(&s, a);
        mean(&other, b);
        assert_true(mry_quat_angle(a, b) < 2e-6f);
    }
}

TEST(all_the_weight_on_one_gives_its_bits)
{
    uint64_t seed = 19;
    for (int n = 0; n < 100; n++) {
        set s = random_set(&seed, 1 + n % MOST, 3, false);
        int only = (int)(mry_random_next(&seed) % (uint64_t)s.count);
        for (int i = 0; i < s.count; i++) s.weights[i] = i == only;
        float got[4];
        mean(&s, got);
        assert_memory_equal(got, s.turns[only], sizeof got);
    }
}

TEST(two_are_mixed_along_the_shorter_way)
{
    uint64_t seed = 23;
    for (int n = 0; n < 300; n++) {
        float a[4], b[4], got[4];
        double share = mry_random_between(&seed, -0.5, 1.5);
        put(a, random_turn(&seed, 3));
        put(b, random_turn(&seed, n % 3 ? 3 : 1e-3));
        if (n % 3 == 0) put(b, mry_rot_times(get(a), get(b)));
        mry_turn_between(a, b, share, got);
        mry_vec way = way_to(get(a), get(b)), axis = mry_vec_unit(way);
        mry_rot want = mry_rot_times(
            get(a), mry_rot_about(axis.x, axis.y, axis.z, share * mry_vec_length(way)));
        assert_true(mry_vec_length(way_to(want, get(got))) < 1e-6);
    }
}

/* Opposite orientations have no mean worth speaking of, but numbers they must be. */
TEST(whatever_is_mixed_has_unit_length)
{
    uint64_t seed = 29;
    for (int n = 0; n < 2000; n++) {
        set s = random_set(&seed, 1 + n % MOST, 4, n % 2 == 0);
        if (n % 5 == 0 && s.count > 1) {
            put(s.turns[0], (mry_rot){ 1, 0, 0, 0 });
            put(s.turns[1], (mry_rot){ 0, 0, 1, 0 });
        }
        if (n % 7 == 0)
            for (int i = 0; i < s.count; i++) s.weights[i] *= 100;
        float got[4];
        mean(&s, got);
        assert_true(fabsf(mry_quat_dot(got, got) - 1) < 1e-5f);
    }
}

TEST_GROUP_OF_CASES(test_mean_turn, NULL, NULL)
