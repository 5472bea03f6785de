/* test_example_cuts.c - where signals turn. Judges: the textbook's change of sign, and for a level
   of noise all extremes by their definition, in quadratic time; nested fragments are those of all
   greater levels of noise. */
#include "support.h"

#include "example_clips.h"
#include "match/example_data.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 400 };

typedef struct bench {
    marey_ctx *ctx;
    mry_arena mem;
    uint64_t seed;
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    b->ctx = test_ctx();
    b->mem = mry_arena_make(b->ctx);
    b->seed = 3;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    FREED bench *b = *state;
    mry_arena_free(&b->mem);
    marey_ctx_close(b->ctx);
    return 0;
}

static mry_cuts cut(bench *b, const double *values, int count, double noise)
{
    mry_cuts cuts;
    assert_true(mry_cuts_find(values, count, noise, &b->mem, &cuts));
    if (cuts.count == 0) return cuts;
    assert_true(cuts.count >= 2);
    assert_true(cuts.times[0] == 0 && cuts.times[cuts.count - 1] == count - 1);
    for (int i = 1; i < cuts.count; i++) assert_true(cuts.times[i] > cuts.times[i - 1]);
    return cuts;
}

/* The derivative's last sign that is not 0 is another one now. A plateau's middle. */
static int textbook(const double *v, int count, double *times)
{
    int sign = 0, last = 0, found = 0;
    for (int i = 1; i < count; i++) {
        int now = (v[i] > v[i - 1]) - (v[i] < v[i - 1]);
        if (now == 0) continue;
        if (sign && now != sign) times[found++] = 0.5 * (last + i - 1);
        sign = now;
        last = i;
    }
    return found;
}

/* A sample is a top at this level of noise if, going away from it to either side, the signal sinks
   by `noise` before it is higher. All with their signs reversed: a bottom. */
static bool sinks_first(const double *v, int count, int i, int step, double sign, double noise)
{
    for (int j = i + step; j >= 0 && j < count; j += step) {
        double above = sign * (v[j] - v[i]);
        if (above > 0 || (above == 0 && step < 0)) return false; /* of equal ones the first */
        if (above <= -noise) return true;
    }
    return false;
}

static int by_definition(const double *v, int count, double noise, int *samples)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            if (sinks_first(v, count, i, 1, sign, noise) &&
                sinks_first(v, count, i, -1, sign, noise)) {
                samples[found++] = i;
            }
        }
    }
    return found;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

TEST_OF(bench *b, negative_noise_turns_at_every_change_of_sign)
{
    for (int turn = 0; turn < 200; turn++) {
        double v[SAMPLES], times[SAMPLES];
        int count = 2 + (int)(example_random(&b->seed) % (SAMPLES - 2));
        for (int i = 0; i < count; i++) v[i] = (double)(example_random(&b->seed) % 4);
        int want = textbook(v, count, times);
        mry_cuts cuts = cut(b, v, count, -1);
        if (cuts.count == 0) {
            assert_int_equal(want, 0);
            continue;
        }
        assert_int_equal(cuts.count, want + 2);
        for (int i = 0; i < want; i++) assert_true(cuts.times[i + 1] == times[i]);
    }
}

TEST_OF(bench *b, tops_are_those_of_the_definition)
{
    for (int turn = 0; turn < 300; turn++) {
        double v[SAMPLES], noise = 0.1 + 4 * example_share(&b->seed);
        int samples[SAMPLES], count = 2 + (int)(example_random(&b->seed) % (SAMPLES - 2));
        example_curve(&b->seed, count, 10, 2, v);
        if (turn % 3 == 0) {
            for (int i = 0; i < count; i++) v[i] = floor(v[i]);
            noise = ceil(noise);
        }
        int want = by_definition(v, count, noise, samples);
        mry_cuts cuts = cut(b, v, count, noise);
        if (cuts.count == 0) {
            assert_int_equal(want, 0);
            continue;
        }
        assert_int_equal(cuts.count, want + 2);
        for (int i = 0; i < want; i++) assert_true(cuts.tops[i + 1] == v[samples[i]]);
        for (int i = 0; i + 1 < cuts.count; i++) {
            assert_true(fabs(cuts.tops[i] - cuts.tops[i + 1]) >= noise);
        }
    }
}

TEST_OF(bench *b, a_signal_that_does_not_move_by_the_noise_has_no_fragment)
{
    double flat[5] = { 3, 3, 3, 3, 3 }, little[4] = { 0, 0.9, 0, 0.5 };
    assert_int_equal(cut(b, flat, 5, 1).count, 0);
    assert_int_equal(cut(b, flat, 5, -1).count, 0);
    assert_int_equal(cut(b, flat, 1, 1).count, 0);
    assert_int_equal(cut(b, little, 4, 1).count, 0);
    assert_int_equal(cut(b, little, 4, 0.9).count, 3);
}

/* Lifted, held for a second with a tremble below the noise, lowered: another tremble, the same
   turn. */
TEST_OF(bench *b, a_plateau_turns_at_its_middle_however_it_trembles)
{
    double v[361];
    for (int turn = 0; turn < 100; turn++) {
        for (int i = 0; i < 361; i++) {
            double held = i < 120 ? i : i > 240 ? 360 - i : 120;
            v[i] = 0.5 * held + 0.4 * example_share(&b->seed);
        }
        mry_cuts cuts = cut(b, v, 361, 2);
        assert_int_equal(cuts.count, 3);
        assert_true(fabs(cuts.times[1] - 180) < 5);
    }
}

TEST_OF(bench *b, a_peak_between_samples_turns_between_them)
{
    double v[100];
    for (double at = 40; at < 42; at += 0.1) {
        for (int i = 0; i < 100; i++) v[i] = -0.05 * (i - at) * (i - at);
        mry_cuts cuts = cut(b, v, 100, 2);
        assert_int_equal(cuts.count, 3);
        assert_true(fabs(cuts.times[1] - at) < 0.05);
    }
}

TEST_OF(bench *b, twice_the_samples_turn_at_the_same_times)
{
    for (int turn = 0; turn < 100; turn++) {
        double v[SAMPLES], twice[2 * SAMPLES];
        example_curve(&b->seed, SAMPLES, 20, 1, v);
        for (int i = 0; i < SAMPLES; i++) {
            twice[2 * i] = v[i];
            twice[2 * i + 1] = i + 1 < SAMPLES ? 0.5 * (v[i] + v[i + 1]) : v[i];
        }
        mry_cuts one = cut(b, v, SAMPLES, 2), two = cut(b, twice, 2 * SAMPLES - 1, 2);
        assert_int_equal(one.count, two.count);
        for (int i = 0; i < one.count; i++) {
            assert_true(fabs(2 * one.times[i] - two.times[i]) < 1e-9);
        }
    }
}

/* A swing as high as the noise whose two caps interleave in time. */
TEST_OF(bench *b, times_rise_where_caps_interleave)
{
    double v[200] = { 0 };
    for (int i = 0; i < 40; i++) v[i] = 10 - 0.25 * i;
    v[40] = 0;
    for (int i = 41; i < 80; i++) v[i] = 1.9;
    for (int i = 80; i < 120; i++) v[i] = 0.1;
    v[120] = 2;
    for (int i = 121; i < 200; i++) v[i] = 0.1 - 0.1 * (i - 120);
    cut(b, v, 200, 2);
}

/* ---- nested ---------------------------------------------------------------------------------- */

static bool has_span(const mry_spans *spans, int from, int to)
{
    for (int i = 0; i < spans->count; i++) {
        if (spans->items[i].from == from && spans->items[i].to == to) return true;
    }
    return false;
}

static int number_of(const int *samples, int count, int sample)
{
    for (int j = 0; j < count; j++) {
        if (samples[j] == sample) return j + 1; /* turn 0 is the start */
    }
    return -1;
}

/* All that lie between two neighbouring tops at this level of noise are there; notes which those
   are. */
static void check_level(const double *v, double noise, const int *fine, int fine_count,
                        const mry_spans *spans, bool *seen)
{
    int samples[SAMPLES], count = by_definition(v, SAMPLES, noise, samples);
    for (int i = 0; i + 1 < count; i++) {
        int from = number_of(fine, fine_count, samples[i]);
        int to = number_of(fine, fine_count, samples[i + 1]);
        assert_true(from > 0 && to > 0 && has_span(spans, from, to));
        for (int s = 0; s < spans->count; s++) {
            seen[s] |= spans->items[s].from == from && spans->items[s].to == to;
        }
    }
}

/* What is there at all changes only where the noise passes the height of a swing. */
TEST_OF(bench *b, nested_fragments_are_those_of_every_greater_noise)
{
    for (int turn = test_trials(40, 40); turn > 0; turn--) {
        double v[SAMPLES];
        int fine[SAMPLES];
        mry_spans spans;
        example_curve(&b->seed, SAMPLES, 15, 3, v);
        mry_cuts cuts = cut(b, v, SAMPLES, 1);
        int fine_count = by_definition(v, SAMPLES, 1, fine);
        assert_true(mry_spans_find(&cuts, true, &b->mem, &spans));
        assert_true(spans.count <= 2 * (cuts.count - 1));
        FREED bool *seen = calloc((size_t)spans.count, sizeof *seen);
        check_level(v, 1, fine, fine_count, &spans, seen);
        for (int s = 0; s < spans.count; s++) {
            double height = fabs(cuts.tops[spans.items[s].from] - cuts.tops[spans.items[s].to]);
            check_level(v, fmax(height + 1e-9, 1), fine, fine_count, &spans, seen);
        }
        for (int s = 0; s < spans.count; s++) {
            bool at_end = spans.items[s].from == 0 || spans.items[s].to == cuts.count - 1;
            assert_true(seen[s] || at_end);
        }
    }
}

TEST_OF(bench *b, plain_fragments_lie_between_neighbouring_turns)
{
    double v[SAMPLES];
    mry_spans spans;
    example_curve(&b->seed, SAMPLES, 15, 3, v);
    mry_cuts cuts = cut(b, v, SAMPLES, 1);
    assert_true(mry_spans_find(&cuts, false, &b->mem, &spans));
    assert_int_equal(spans.count, cuts.count - 1);
    for (int i = 0; i < spans.count; i++) {
        assert_int_equal(spans.items[i].from, i);
        assert_int_equal(spans.items[i].to, i + 1);
    }
}

/* By very many values of the straight lines. */
TEST_OF(bench *b, samples_are_means_over_equal_parts)
{
    enum { FINE = 4000 };
    for (int turn = 0; turn < 50; turn++) {
        double v[SAMPLES], start = 100 * example_share(&b->seed);
        double end = start + 0.5 + 200 * example_share(&b->seed), whole = 0;
        float shape[MRY_SAMPLES];
        example_curve(&b->seed, SAMPLES, 30, 1, v);
        double mean = mry_shape_of(v, SAMPLES, start, end, shape);
        for (int s = 0; s < MRY_SAMPLES; s++) {
            double sum = 0;
            for (int i = 0; i < FINE; i++) {
                double t = start + (end - start) * (s + (i + 0.5) / FINE) / MRY_SAMPLES;
                sum += v[(int)t] + (t - (int)t) * (v[(int)t + 1] - v[(int)t]);
            }
            assert_true(fabs(sum / FINE - mean - shape[s]) < 1e-3);
            whole += sum / FINE / MRY_SAMPLES;
        }
        assert_true(fabs(whole - mean) < 1e-3);
    }
}

TEST_GROUP_OF_CASES(test_example_cuts, set_up, tear_down)
