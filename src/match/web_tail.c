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
    for (int i = 0; i < 2; i++) {
        pass->rows[i].best = sums + 1;
        sums += wide;
        for (int k = 0; k < work->plan.slope; k++, sums += wide) pass->rows[i].down[k] = sums + 1;
    }
    return true;
}

void mry_tails_free(mry_tail_pass *pass)
{
    mry_arena_free(&pass->mem);
}

typedef struct cursor { /* where the scan of a row is */
    int y, x;
    const mry_tail_row *before;
    mry_tail_row *to;
    double
        across[MRY_WEB_MOST_SLOPE + 1]; /* states of the cell before this one in the row; [0]: S */
} cursor;

static void blank(const mry_tail_pass *pass, const mry_tail_row *row, int x)
{
    row->best[x] = INFINITY;
    for (int k = 0; k < pass->work->plan.slope; k++) row->down[k][x] = INFINITY;
}

static void leave_out(const mry_tail_pass *pass, cursor *c)
{
    blank(pass, c->to, c->x);
    for (int k = 0; k <= pass->work->plan.slope; k++) c->across[k] = INFINITY;
}

static void reach_cell(const mry_tail_pass *pass, cursor *c, double cost)
{
    int slope = pass->work->plan.slope, state = 0, x = c->x;
    double start = c->before->best[x - 1] + cost, best = start;
    for (int k = slope; k >= 1; k--) {
        double across = c->across[k - 1] + cost, down = c->before->down[k - 1][x] + cost;
        c->across[k] = across;
        if (k < slope) c->to->down[k][x] = down;
        if (across < best) {
            best = across;
            state = k;
        }
        if (down < best) {
            best = down;
            state = slope + k;
        }
    }
    c->across[0] = c->to->down[0][x] = start;
    c->to->best[x] = best;
    pass->from[c->y * pass->work->plan.reach + x] = (uint8_t)state;
}

static bool goes_across(const mry_tail_pass *pass, const cursor *c)
{
    for (int k = 0; k < pass->work->plan.slope; k++) {
        if (c->across[k] < INFINITY) return true;
    }
    return false;
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
        mry_tail_row *to = &pass->rows[y & 1];
        cursor c = { .y = y, .before = &pass->rows[~y & 1], .to = to };
        int width = cols < plan->reach - y ? cols : plan->reach - y;
        const mry_web_ring *ring = &pass->work->ring;
        int row = end.row + way * y;
        const float *cells = mry_ring_row(ring, row);
        const uint64_t *valid = mry_ring_bits(ring, ring->valid, row);
        int lo = c.before->lo, hi = c.before->hi;
        for (int k = 0; k <= plan->slope; k++) c.across[k] = INFINITY;
        to->lo = to->hi = 0;
        blank(pass, c.before, lo - 1);
        for (c.x = lo; c.x < width && (c.x <= hi || goes_across(pass, &c)); c.x++) {
            if (c.x >= hi) blank(pass, c.before, c.x);
            int at = end.col + way * c.x;
            if (y + c.x == 0) { /* it begins here */
                leave_out(pass, &c);
                c.across[0] = to->best[c.x] = to->down[0][c.x] = 0;
                pass->from[0] = 0;
            } else if (mry_bit(valid, at)) {
                reach_cell(pass, &c, (double)cells[at]);
            } else {
                leave_out(pass, &c);
            }
            if (!(to->best[c.x] < INFINITY)) continue;
            if (to->hi == 0) to->lo = c.x;
            to->hi = c.x + 1;
        }
        if (to->hi == 0) break;
        /* The least of a row is where the tail along rows ends, until there is a later row. */
        double least = INFINITY;
        for (int x = to->lo; x < to->hi; x++) {
            if (x <= plan->tail && to->best[x] < pass->col_sum[x]) {
                pass->col_sum[x] = to->best[x];
                pass->col_y[x] = y;
            }
            if (y > 0 && y <= plan->tail && to->best[x] < least) {
                least = to->best[x];
                pass->to_y[0] = y;
                pass->to_x[0] = x;
            }
        }
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
