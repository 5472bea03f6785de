/* web_tail.c - see web_tail.h. The rules are in web_data.h; states and how they follow from each
   other are those of web_bridge.c, but ways begin in one cell. */
#include "match/web_tail.h"

#include <assert.h>
#include <math.h>

bool mry_tails_make(mry_tail_pass *pass, const mry_web_work *work)
{
    size_t reach = (size_t)work->plan.reach, wide = reach + 2;
    *pass = (mry_tail_pass){ .work = work, .mem = mry_arena_make(work->ctx) };
    pass->from = MRY_NEW_RAW(&pass->mem, uint8_t, reach * reach);
    pass->col_sum = MRY_NEW_RAW(&pass->mem, double, reach);
    pass->col_y = MRY_NEW_RAW(&pass->mem, int, reach);
    double *sums = MRY_NEW_RAW(&pass->mem, double, 2 * (size_t)(work->plan.slope + 1) * wide);
    if (!pass->from || !pass->col_sum || !pass->col_y || !sums) return false;
    for (size_t i = 0; i < 2; i++)
        pass->rows[i].states = sums + (i * wide + 1) * (size_t)(work->plan.slope + 1);
    return true;
}

void mry_tails_free(mry_tail_pass *pass)
{
    mry_arena_free(&pass->mem);
}

MRY_EACH_CELL void blank(double *states, int slope)
{
    for (int k = 0; k <= slope; k++) states[k] = INFINITY;
}

/* As in web_bridge.c. */
MRY_EACH_CELL int reach_cell(const double *diagonal, const double *above, double *across,
                             double *to, double cost, int slope)
{
    int state = 0;
    double start = diagonal[0] + cost, best = start;
#pragma GCC unroll 8
    for (int k = slope; k >= 1; k--) {
        double right = across[k - 1] + cost, down = above[k] + cost;
        across[k] = right;
        if (k < slope) to[k + 1] = down;
        bool less = right < best;
        best = less ? right : best;
        state = less ? k : state;
        less = down < best;
        best = less ? down : best;
        state = less ? slope + k : state;
    }
    across[0] = to[1] = start;
    to[0] = best;
    return state;
}

MRY_EACH_CELL bool goes_across(const double *across, int slope)
{
    bool any = false;
    for (int k = 0; k < slope; k++) any |= across[k] < INFINITY;
    return any;
}

/* One row of states, as far as a way goes. */
MRY_EACH_CELL void scan_row(mry_tail_pass *pass, int y, int width, int slope)
{
    const mry_web_ring *ring = &pass->work->ring;
    const mry_tail_row *before = &pass->rows[~y & 1];
    mry_tail_row *after = &pass->rows[y & 1];
    const int row = pass->end.row + pass->way * y, way = pass->way, each = slope + 1;
    const int lo = before->lo, hi = before->hi, end_col = pass->end.col;
    const float *cells = mry_ring_row(ring, row);
    const uint64_t *valid = mry_ring_bits(ring, ring->valid, row);
    uint8_t *from = pass->from + (size_t)y * (size_t)pass->work->plan.reach;
    double across[MRY_WEB_MOST_SLOPE + 1];
    int first = 0, end = 0;
    for (int k = 0; k <= slope; k++) across[k] = INFINITY;
    blank(before->states + (lo - 1) * each, slope);
    for (int x = lo; x < width && (x <= hi || goes_across(across, slope)); x++) {
        double *above = before->states + x * each, *to = after->states + x * each;
        int col = end_col + way * x;
        if (x >= hi) blank(above, slope);
        if (y + x == 0) { /* it begins here */
            blank(to, slope);
            across[0] = to[0] = to[1] = 0;
            from[0] = 0;
        } else if (mry_bit(valid, col)) {
            from[x] =
                (uint8_t)reach_cell(above - each, above, across, to, (double)cells[col], slope);
        } else {
            blank(to, slope);
            for (int k = 0; k <= slope; k++) across[k] = INFINITY;
        }
        if (!(to[0] < INFINITY)) continue;
        if (end == 0) first = x;
        end = x + 1;
    }
    after->lo = first;
    after->hi = end;
}

/* The least of a row is where the tail along rows ends, until there is a later row; the least of a
   column where that along columns may end. */
static void note_least(mry_tail_pass *pass, int y)
{
    const mry_tail_row *row = &pass->rows[y & 1];
    const int tail = pass->work->plan.tail, each = pass->work->plan.slope + 1;
    double *col_sum = pass->col_sum, least = INFINITY;
    int *col_y = pass->col_y, least_x = 0;
    for (int x = row->lo; x < row->hi && x <= tail; x++) {
        double best = row->states[x * each];
        bool less = best < col_sum[x];
        col_sum[x] = less ? best : col_sum[x];
        col_y[x] = less ? y : col_y[x];
    }
    if (y == 0 || y > tail) return;
    for (int x = row->lo; x < row->hi; x++) {
        double best = row->states[x * each];
        bool less = best < least;
        least = less ? best : least;
        least_x = less ? x : least_x;
    }
    pass->to_y[0] = y; /* the row holds ways */
    pass->to_x[0] = least_x;
}

void mry_tails_run(mry_tail_pass *pass, marey_cell end, int way)
{
    const mry_web_plan *plan = &pass->work->plan;
    int rows = way > 0 ? plan->rows - end.row : end.row + 1;
    int cols = way > 0 ? plan->cols - end.col : end.col + 1;
    /* All rows that it may look at are still there. */
    assert(rows > 0 &&
           (way > 0 || end.row + 1 < plan->reach ||
            end.row + 1 - plan->reach >= pass->work->ring.filled - pass->work->ring.room));
    pass->end = end;
    pass->way = way;
    pass->to_y[0] = pass->to_x[0] = pass->to_y[1] = pass->to_x[1] = 0;
    for (int x = 0; x <= plan->tail; x++) pass->col_sum[x] = INFINITY;
    pass->rows[1].lo = pass->rows[1].hi = 0;
    for (int y = 0; y < rows && y < plan->reach; y++) {
        int width = cols < plan->reach - y ? cols : plan->reach - y;
        if (plan->slope == MRY_WEB_USUAL_SLOPE)
            scan_row(pass, y, width, MRY_WEB_USUAL_SLOPE);
        else
            scan_row(pass, y, width, plan->slope);
        if (pass->rows[y & 1].hi == 0) break;
        note_least(pass, y);
    }
    for (int x = plan->tail; x > 0; x--) {
        if (!(pass->col_sum[x] < INFINITY)) continue;
        pass->to_y[1] = pass->col_y[x];
        pass->to_x[1] = x;
        break;
    }
}

int mry_tails_trace(const mry_tail_pass *pass, int axis, marey_cell *cells)
{
    int slope = pass->work->plan.slope, reach = pass->work->plan.reach, count = 0;
    int y = pass->to_y[axis], x = pass->to_x[axis], state = pass->from[y * reach + x];
    while (y > 0 || x > 0) {
        cells[count++] =
            (marey_cell){ pass->end.row + pass->way * y, pass->end.col + pass->way * x };
        int now = state;
        y -= now == 0 || now > slope;
        x -= now <= slope;
        state = now == 0 ? pass->from[y * reach + x] : now == slope + 1 ? 0 : now - 1;
    }
    for (int i = 0; pass->way > 0 && i < count / 2; i++) { /* into the order of time */
        marey_cell other = cells[i];
        cells[i] = cells[count - 1 - i];
        cells[count - 1 - i] = other;
    }
    return count;
}
