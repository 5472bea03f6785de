/* test_reactor_judge.c - the moments that are followed, against sums over all windows from scratch
   at every step; and moments as numbers, against the words that define them. */
#include "puppet_bench.h"

#include <math.h>
#include <stdlib.h>

#define SAME 2.0
#define ALIKE 0.005
#define BESIDE 2

static int row_of(const marey_reactor *r, int back)
{
    int window = r->puppet->window;
    return (int)(((r->step - back) % window + window) % window);
}

/* The squares over the window that ends with a sample, in double; before the first still sample
   there is nothing. */
static double situation_sum(const marey_reactor *r, int sample)
{
    const marey_puppet *p = r->puppet;
    double sum = 0;
    for (int back = 0; back < p->window && sample - back >= 0; back++) {
        double square = 0;
        for (int i = 0; i < MRY_SITUATION; i++) {
            double off = p->situation[i][sample - back] - r->situation[row_of(r, back)][i];
            square += off * off;
        }
        sum += floor(square / (1 << MRY_PUPPET_SHIFT));
    }
    return sum;
}

static double situation_mean(const marey_reactor *r, double sum)
{
    double one = (double)MRY_PUPPET_ONE * MRY_PUPPET_ONE / (1 << MRY_PUPPET_SHIFT);
    return sum / (one * MRY_SITUATION * r->puppet->window);
}

static double coherence_mean(const marey_reactor *r, int sample)
{
    const marey_puppet *p = r->puppet;
    double sum = 0;
    for (int back = 0; back < p->window; back++) {
        for (int i = 0; i < MRY_COHERENCE; i++) {
            double now = (double)r->coherence[row_of(r, back)][i];
            double then = (double)p->coherence[(size_t)(sample - back) * MRY_COHERENCE + (size_t)i];
            sum += (now - then) * (now - then);
        }
    }
    return sum / (p->window * MRY_COHERENCE);
}

/* Everything that could be entered at: not a run's last sample, nor its last window unless it is
   short. */
static int best_situation(const marey_reactor *r, double *least)
{
    const marey_puppet *p = r->puppet;
    int best = -1;
    *least = INFINITY;
    for (int run = 0; run < p->run_count; run++) {
        int count = p->runs[run].count, end = count - 1 - p->window;
        if (p->window > (count - 1) / 2) end = count - 1 - (count - 1) / 2;
        for (int i = 0; i < end; i++) {
            double sum = situation_sum(r, p->runs[run].first + i);
            if (sum >= *least) continue;
            *least = sum;
            best = p->runs[run].first + i;
        }
    }
    return best;
}

static int best_coherence(const marey_reactor *r, double *least)
{
    const marey_puppet *p = r->puppet;
    int best = -1;
    *least = INFINITY;
    for (int back = 0; back < p->window; back++) {
        int source = r->source[row_of(r, back)];
        if (source < 0) continue;
        for (int run = 0; run < p->run_count; run++) {
            int first = p->runs[run].first, last = first + p->runs[run].count - 1;
            if (source < first || source > last || source + back >= last) continue;
            double mean = coherence_mean(r, source + back);
            if (mean >= *least) continue;
            *least = mean;
            best = source + back;
        }
    }
    return best;
}

/* Which sample must be followed at the next step; -1 where two are as good to the last digit, so
   that rounding decides. */
static int expected(const marey_reactor *r)
{
    double situation, coherence;
    int a = best_situation(r, &situation), b = best_coherence(r, &coherence);
    double mean = situation_mean(r, situation);
    if (b < 0) return a + 1;
    double going_on = situation_mean(r, situation_sum(r, b));
    if (abs(a - b) <= BESIDE || going_on <= SAME * mean + ALIKE) return b + 1;
    if (fabs(coherence - r->weight * mean) < 1e-9 * coherence) return -1;
    return (coherence < r->weight * mean ? b : a) + 1;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static marey_puppet *train_parts(puppet_bench *bench, int index, double rate)
{
    int count;
    FREED marey_puppet_sample *s = puppet_bench_ready(index, &count);
    marey_demonstration parts[4] = {
        { s + 400, 500 }, { s + 2000, 8 }, { s + 3000, 30 }, { s + 5000, 300 }
    };
    marey_puppet_def def = { .rate = rate };
    marey_puppet *puppet = puppet_bench_train(bench, parts, 4, &def);
    assert_int_equal(marey_puppet_runs(puppet), 4);
    return puppet;
}

TEST_BENCH(the_running_sums_choose_what_sums_from_scratch_choose)
{
    enum { STEPS = 2500 };
    static marey_entity main[STEPS];
    const marey_reactor_def defs[] = { { 0 }, { .weight = 3 }, { .balance = 0.9 } };
    int undecided = 0, led = 0;
    for (int turn = 0; turn < 3; turn++) {
        OWNED(marey_puppet) *puppet = train_parts(bench, 2 * turn, turn == 1 ? 20 : 60);
        puppet_bench_wander((uint64_t)turn + 40, main, STEPS);
        OWNED(marey_reactor) *r = puppet_bench_react(bench, puppet, main, &defs[turn]);
        for (int i = 1; i < STEPS; i++) {
            marey_puppet_frame frame;
            bool judged = i < 60 || test_is_long() || i % (TEST_SANITIZED ? 17 : 5) == 0;
            int follows = judged ? expected(r) : -1;
            if (i % 50 == 1) {
                int count = r->puppet->count;
                for (int j = 0; j < count; j++) {
                    int64_t at = ((j - r->step) % count + count) % count;
                    assert_true((double)r->sums[at] == situation_sum(r, j));
                }
            }
            marey_puppet_step(r, &main[i], &frame);
            undecided += judged && follows < 0;
            led += !frame.coherent;
            if (follows >= 0) assert_int_equal(r->source[row_of(r, 0)], follows);
            int first = puppet->runs[frame.run].first;
            assert_int_equal(first + lround(frame.time_s * puppet->def.rate),
                             r->source[row_of(r, 0)]);
        }
    }
    assert_true(undecided < 3 && led > 50);
}

/* Numbers as the header puts it in words, from positions alone. */
TEST_BENCH(moments_are_what_the_words_say)
{
    OWNED(marey_puppet) *p = puppet_bench_train_ready(bench, 3, 900);
    double most = 0;
    for (int j = p->runs[0].first + 1; j < p->count; j++) {
        const marey_entity *m = &p->main[j].at, *r = &p->react[j].at;
        const marey_entity *m0 = &p->main[j - 1].at, *r0 = &p->react[j - 1].at;
        double c = cos(m->direction_rad), s = sin(m->direction_rad);
        double x = r->x_cm - m->x_cm, y = r->y_cm - m->y_cm;
        double mx = 60 * (m->x_cm - m0->x_cm), my = 60 * (m->y_cm - m0->y_cm);
        double rx = 60 * (r->x_cm - r0->x_cm), ry = 60 * (r->y_cm - r0->y_cm);
        double cr = cos(r->direction_rad), sr = sin(r->direction_rad);
        double v[MRY_SITUATION] = { (c * x + s * y) / p->spread_place,
                                    (c * y - s * x) / p->spread_place,
                                    c * cr + s * sr,
                                    c * sr - s * cr,
                                    (c * mx + s * my) / p->spread_main,
                                    (c * my - s * mx) / p->spread_main,
                                    (cr * rx + sr * ry) / p->spread_react,
                                    (cr * ry - sr * rx) / p->spread_react };
        for (int i = 0; i < MRY_SITUATION; i++) {
            /* Slower than that a heading is an old one. */
            if ((i >= 6 && hypot(rx, ry) < 2) || (i >= 4 && i < 6 && hypot(mx, my) < 2)) continue;
            double off = fabs(p->situation[i][j] - v[i] * MRY_PUPPET_ONE);
            if (off > most) most = off;
        }
    }
    assert_true(most <= 0.5 + 1e-6);
}

TEST_GROUP_OF_CASES(test_reactor_judge, NULL, NULL)
