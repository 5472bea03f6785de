/* brute_search.c - see brute_search.h. */
#include "brute_search.h"

#include <math.h>
#include <stdlib.h>

/* The least sums from one start to the cells of two rows, by the run that ways end with: 0 none, 1
   .. slope across, slope + 1 .. 2 slope down. */
typedef struct table {
    marey_rows cost;
    const uint8_t *valid;
    int slope, states;
    double *sums[2];
    int *counts[2];
} table;

typedef struct reach {
    double sum;
    int count;
} reach;

static reach at(const table *t, int row, int col, int state)
{
    size_t i = (size_t)col * (size_t)t->states + (size_t)state;
    return (reach){ t->sums[row & 1][i], t->counts[row & 1][i] };
}

static void better(reach *best, reach other)
{
    if (other.sum < best->sum) *best = other;
}

/* The best of a cell that may go on with the first step across (way 0) or down (way 1), or
   diagonally (way -1). */
static reach best_for(const table *t, int row, int col, int way)
{
    reach best = at(t, row, col, 0);
    for (int k = 1; k < t->states; k++) {
        bool across = k <= t->slope;
        if (way < 0 || across == (way == 1)) better(&best, at(t, row, col, k));
    }
    return best;
}

static void fill_cell(table *t, int first_row, int first_col, int row, int col)
{
    double cost = (double)t->cost.values[(size_t)row * t->cost.stride + (size_t)col];
    bool valid = t->valid[(size_t)row * (size_t)t->cost.cols + (size_t)col];
    for (int k = 0; k < t->states; k++) {
        reach from = { INFINITY, 0 };
        if (k == 0 && row > first_row && col > first_col) from = best_for(t, row - 1, col - 1, -1);
        if (k == 1 && col > first_col) from = best_for(t, row, col - 1, 0);
        if (k > 1 && k <= t->slope && col > first_col) from = at(t, row, col - 1, k - 1);
        if (k == t->slope + 1 && row > first_row) from = best_for(t, row - 1, col, 1);
        if (k > t->slope + 1 && row > first_row) from = at(t, row - 1, col, k - 1);
        if (k == 0 && row == first_row && col == first_col) from = (reach){ 0, 0 };
        size_t i = (size_t)col * (size_t)t->states + (size_t)k;
        t->sums[row & 1][i] = valid ? from.sum + cost : (double)INFINITY;
        t->counts[row & 1][i] = from.count + 1;
    }
}

static int by_mean(const void *left, const void *right)
{
    const brute_match *a = left, *b = right;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    return a->start != b->start ? a->start - b->start : a->end - b->end;
}

static double overlap(const brute_match *a, const brute_match *b)
{
    int start = a->start > b->start ? a->start : b->start, end = a->end < b->end ? a->end : b->end;
    int first = a->end - a->start, second = b->end - b->start;
    return end <= start ? 0 : (double)(end - start) / (first < second ? first : second);
}

static int strike_out(brute_match *all, int count, double same)
{
    int kept = 0;
    if (count > 1) qsort(all, (size_t)count, sizeof *all, by_mean);
    for (int i = 0; i < count; i++) {
        bool out = false;
        for (int k = 0; k < kept && !out; k++) out = overlap(&all[i], &all[k]) >= same;
        if (!out) all[kept++] = all[i];
    }
    return kept;
}

/* Ways from one cell of the first row; those that arrive in the last one are added. */
static int try_start(table *t, int start, int end, int col, double threshold, brute_match *to)
{
    int last_col = col + (t->slope + 1) * (end - start), count = 0;
    if (last_col > t->cost.cols) last_col = t->cost.cols;
    for (int row = start; row < end; row++)
        for (int c = col; c < last_col; c++) fill_cell(t, start, col, row, c);
    for (int c = col; c < last_col; c++) {
        reach best = best_for(t, end - 1, c, -1);
        double mean = best.sum / best.count;
        if (mean <= threshold) to[count++] = (brute_match){ col, c + 1, mean, best.count };
    }
    return count;
}

brute_match *brute_search(marey_rows cost, const uint8_t *valid, int slope, int start, int end,
                          double threshold, double same, int *count)
{
    table t = { .cost = cost, .valid = valid, .slope = slope, .states = 2 * slope + 1 };
    size_t row = (size_t)cost.cols * (size_t)t.states;
    size_t wide = (size_t)(slope + 1) * (size_t)(end - start);
    brute_match *found = malloc((size_t)cost.cols * wide * sizeof *found);
    for (int i = 0; i < 2; i++) {
        t.sums[i] = malloc(row * sizeof(double));
        t.counts[i] = malloc(row * sizeof(int));
    }
    *count = 0;
    for (int col = 0; col < cost.cols; col++) {
        if (!valid[(size_t)start * (size_t)cost.cols + (size_t)col]) continue;
        *count += try_start(&t, start, end, col, threshold, found + *count);
    }
    for (int i = 0; i < 2; i++) {
        free(t.sums[i]);
        free(t.counts[i]);
    }
    *count = strike_out(found, *count, same);
    return found;
}
