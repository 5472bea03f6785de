/* plain_tails.c - the tails of a chain by the rules of match/web_data.h in their plainest form: see
   plain_web.h. Every cell within reach hands its sums on to the three behind it; all lengths of
   runs are kept apart. */
#include "plain_web.h"

#include <math.h>
#include <stdlib.h>

typedef struct spread {
    const plain_grid *of;
    marey_cell end;
    int way, states;
    double *
        sums; /* by rows, columns away from the end, and state: 0 diagonal, k across, slope + k down */
    int *came; /* the state before */
} spread;

static size_t place(const spread *s, int y, int x, int state)
{
    return ((size_t)y * (size_t)s->of->reach + (size_t)x) * (size_t)s->states + (size_t)state;
}

static void hand_on(spread *s, int y, int x, int state, int down, int across)
{
    const plain_grid *g = s->of;
    int row = s->end.row + s->way * (y + down), col = s->end.col + s->way * (x + across), to = 0;
    if (row < 0 || col < 0 || row >= g->cost.rows || col >= g->cost.cols) return;
    if (y + down + x + across >= g->reach) return;
    if (!g->valid[(size_t)row * (size_t)g->cost.cols + (size_t)col]) return;
    if (!down) to = state >= 1 && state <= g->slope ? state + 1 : 1;
    if (!across) to = state > g->slope ? state + 1 : g->slope + 1;
    if ((!down && to > g->slope) || to > 2 * g->slope) return;
    double sum = s->sums[place(s, y, x, state)] +
                 (double)g->cost.values[(size_t)row * g->cost.stride + (size_t)col];
    size_t at = place(s, y + down, x + across, to);
    if (!(sum < s->sums[at])) return;
    s->sums[at] = sum;
    s->came[at] = state;
}

static void spread_all(spread *s)
{
    int reach = s->of->reach;
    for (size_t i = 0; i < place(s, reach, 0, 0); i++) s->sums[i] = INFINITY;
    s->sums[0] = 0;
    for (int sum = 0; sum < reach; sum++) {
        for (int y = 0; y <= sum; y++) {
            for (int state = 0; state < s->states; state++) {
                if (isinf(s->sums[place(s, y, sum - y, state)])) continue;
                hand_on(s, y, sum - y, state, 1, 1);
                hand_on(s, y, sum - y, state, 0, 1);
                hand_on(s, y, sum - y, state, 1, 0);
            }
        }
    }
}

/* The least of the furthest row (or column) that has any; false: there is none. */
static bool find_least(const spread *s, bool along_cols, int *to_y, int *to_x, int *to_state)
{
    for (int far = s->of->tail; far > 0; far--) {
        double least = INFINITY;
        for (int side = 0; side + far < s->of->reach; side++) {
            int y = along_cols ? side : far, x = along_cols ? far : side;
            for (int state = 0; state < s->states; state++) {
                if (!(s->sums[place(s, y, x, state)] < least)) continue;
                least = s->sums[place(s, y, x, state)];
                *to_y = y;
                *to_x = x;
                *to_state = state;
            }
        }
        if (least < INFINITY) return true;
    }
    return false;
}

int plain_tail(const plain_grid *of, marey_cell end, int way, bool along_cols, marey_cell *cells)
{
    spread s = { .of = of, .end = end, .way = way, .states = 2 * of->slope + 1 };
    int y, x, state, count = 0;
    s.sums = malloc(place(&s, of->reach, 0, 0) * sizeof *s.sums);
    s.came = malloc(place(&s, of->reach, 0, 0) * sizeof *s.came);
    spread_all(&s);
    if (find_least(&s, along_cols, &y, &x, &state)) {
        while (y > 0 || x > 0) {
            cells[count++] = (marey_cell){ end.row + way * y, end.col + way * x };
            int before = s.came[place(&s, y, x, state)];
            y -= state == 0 || state > of->slope;
            x -= state <= of->slope;
            state = before;
        }
    }
    for (int i = 0; way > 0 && i < count / 2; i++) {
        marey_cell other = cells[i];
        cells[i] = cells[count - 1 - i];
        cells[count - 1 - i] = other;
    }
    free(s.sums);
    free(s.came);
    return count;
}
