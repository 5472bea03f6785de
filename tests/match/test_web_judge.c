/* test_web_judge.c - bridges against the textbook form: they are where they can be, and the ways
   that the builder forgets hardly matter. */
#include "web_judge.h"

#include "match/web_data.h"

#include <math.h>
#include <stdlib.h>

enum { FPS = 12, FEATURES = 3 };

static double wave(uint32_t *state, double least, double most)
{
    *state = *state * 1664525u + 1013904223u;
    return least + (most - least) * (double)(*state >> 8) / (1 << 24);
}

/* Two motions whose few features go round with changing speed: grids with long chains, broken ones
   and noise. */
static marey_rows waves_make(int rows, int cols, bool self, double noise, uint32_t *state)
{
    double *features[2];
    float *values = malloc((size_t)rows * (size_t)cols * sizeof *values);
    for (int m = 0; m < 2; m++) {
        int count = m ? cols : rows;
        double phase = wave(state, 0, 6), speed = wave(state, 0.2, 0.5);
        features[m] = malloc((size_t)count * FEATURES * sizeof(double));
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < FEATURES; k++) {
                features[m][i * FEATURES + k] =
                    sin(phase * (k + 1) + k) * (1 + k) + wave(state, -noise, noise);
            }
            phase += speed;
            if (i % 16 == 15) speed = wave(state, 0.1, 0.5);
        }
    }
    const double *a = features[0], *b = self ? a : features[1];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int k = 0; k < FEATURES; k++) {
                double d = a[i * FEATURES + k] - b[j * FEATURES + k];
                sum += d * d;
            }
            values[(size_t)i * (size_t)cols + (size_t)j] =
                (float)(sum + (i == j && self ? 0 : 0.05));
        }
    }
    free(features[0]);
    free(features[1]);
    return (marey_rows){ values, rows, cols, (size_t)cols };
}

/* Mean over a bridge and both its ends, by the grid. */
static double bridge_mean(const marey_web *web, marey_rows cost, int path)
{
    const mry_web_path *b = &web->paths[path];
    marey_cell ends[] = { web->cells[web->paths[b->from].first + b->from_cell],
                          web->cells[web->paths[b->to].first + b->to_cell] };
    double sum = 0;
    for (int i = -2; i < b->count; i++) {
        marey_cell at = i < 0 ? ends[i + 2] : web->cells[b->first + i];
        sum += (double)cost.values[(size_t)at.row * cost.stride + (size_t)at.col];
    }
    return sum / (b->count + 2);
}

static void check_bridge_path(const marey_web *web, const uint8_t *valid, int slope, int path)
{
    const mry_web_path *b = &web->paths[path];
    marey_cell at = web->cells[web->paths[b->from].first + b->from_cell];
    marey_cell end = web->cells[web->paths[b->to].first + b->to_cell];
    int across = 0, down = 0;
    for (int i = 0; i <= b->count; i++) {
        marey_cell next = i < b->count ? web->cells[b->first + i] : end;
        int rows = next.row - at.row, cols = next.col - at.col;
        assert_true(rows >= 0 && rows <= 1 && cols >= 0 && cols <= 1 && rows + cols > 0);
        across = rows ? 0 : across + 1;
        down = cols ? 0 : down + 1;
        assert_true(across <= slope && down <= slope);
        assert_true(valid[(size_t)next.row * (size_t)web->cols + (size_t)next.col]);
        at = next;
    }
}

typedef struct tally {
    int bridges, missing;
    double worst, sum;
} tally;

TEST_CTX(webs_are_those_of_the_textbook)
{
    uint32_t seed = 1;
    tally all = { 0 };
    int chains = 0;
    for (int round = 0; round < 48; round++) {
        bool self = round % 3 == 0;
        int rows = 50 + round, cols = self ? rows : 70 - round;
        marey_rows cost = waves_make(rows, cols, self, round % 4 * 0.1, &seed);
        marey_web_def def = { .bridge_s = 1.25,
                              .ceiling = round % 2 ? 6 : 1000,
                              .shortest_s = 0.4 };
        OWNED(marey_web) *web = NULL;
        assert_int_equal(mry_web_from_rows(ctx, cost, self, FPS, &def, 0, &web, NULL), MAREY_OK);
        OWNED(marey_web) *judged = web_judge_bridges(ctx, web, cost, &def, false);
        FREED uint8_t *valid = web_judge_valid(cost, self, FPS, &def);
        /* Every bridge there is connects chains that can be, is legal, and is no better than the
           best; few are missing. */
        int k = judged->chain_count, last = judged->chain_count + judged->bridge_count;
        int joints = web->chain_count + web->bridge_count - web->tail_count;
        for (int i = web->chain_count; i < joints; i++, k++) {
            const mry_web_path *b = &web->paths[i];
            while (k < last &&
                   (judged->paths[k].from < b->from ||
                    (judged->paths[k].from == b->from && judged->paths[k].to < b->to))) {
                all.missing++;
                k++;
            }
            assert_true(k < last);
            assert_int_equal(judged->paths[k].from, b->from);
            assert_int_equal(judged->paths[k].to, b->to);
            check_bridge_path(web, valid, 2, i);
            double ratio = bridge_mean(web, cost, i) / bridge_mean(judged, cost, k);
            assert_true(ratio > 1 - 1e-9);
            all.bridges++;
            all.sum += ratio;
            if (ratio > all.worst) all.worst = ratio;
        }
        all.missing += last - k;
        chains += judged->chain_count;
        free((void *)(uintptr_t)cost.values);
    }
    print_message("%d chains, %d bridges, %d missing; mean over the least %.4f, worst %.4f\n",
                  chains, all.bridges, all.missing, all.sum / all.bridges, all.worst);
    assert_true(all.bridges > 200 && all.missing * 50 <= all.bridges);
    assert_true(all.sum / all.bridges < 1.05);
}

TEST_GROUP_OF_CASES(test_web_judge, NULL, NULL)
