/* web_tail.c - see web_tail.h. The rules are in web_data.h; ways begin in one cell. */
#include "match/web_tail.h"

#include <assert.h>
#include <math.h>

bool mry_tails_make(mry_tail_pass *pass, const mry_web_work *work)
{
    size_t reach = (size_t)work->plan.reach, wide = reach + 2 * MRY_KERNEL_WAYS;
    *pass = (mry_tail_pass){ .work = work, .mem = mry_arena_make(work->ctx) };
    pass->states = MRY_NEW_RAW(&pass->mem, uint8_t, reach * reach + MRY_KERNEL_WAYS);
    pass->col_sum = MRY_NEW_RAW(&pass->mem, double, wide);
    pass->col_y = MRY_NEW_RAW(&pass->mem, int64_t, wide);
    return pass->states && pass->col_sum && pass->col_y &&
           mry_web_ways_make(&pass->ways, &pass->mem, work->plan.slope, (int)reach, false);
}

void mry_tails_free(mry_tail_pass *pass)
{
    mry_arena_free(&pass->mem);
}

/* One row of states, as far as a way goes. */
static void scan_row(mry_tail_pass *pass, int y, int width)
{
    const int reach = pass->work->plan.reach, way = pass->way;
    const float *cells = mry_ring_row(&pass->work->ring, pass->end.row + way * y) + pass->end.col;
    mry_way_start start = { 0 }; /* the end itself: its cost is the chain's */
    mry_ways_def def = { .starts = &start,
                         .start_count = y == 0,
                         .least = pass->col_sum,
                         .least_at = pass->col_y,
                         .row = y,
                         .states = pass->states + (size_t)y * (size_t)reach };
    int first = pass->ways.now->lo;
    mry_web_ways_open(&pass->ways, cells, way, first, first + (y == 0), width);
    if (y == 0) pass->ways.costs[0] = INFINITY;
    mry_web_ways_close(&pass->ways, &def);
}

/* The tail along rows ends in the least of the row that is furthest away. */
static void end_in_row(mry_tail_pass *pass, int y, const mry_web_ways_row *row)
{
    double least = INFINITY;
    pass->to_y[0] = y;
    for (int x = row->lo; x < row->hi; x++) {
        if (row->sums[x] < least) pass->to_x[0] = x;
        least = fmin(least, row->sums[x]);
    }
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
    for (int x = 0; x < plan->reach + 2 * MRY_KERNEL_WAYS; x++) pass->col_sum[x] = INFINITY;
    mry_web_ways_clear(&pass->ways);
    for (int y = 0; y < rows && y < plan->reach; y++) {
        int width = cols < plan->reach - y ? cols : plan->reach - y;
        /* Beyond the tail's end in rows only what may be its end in columns counts. */
        if (y > plan->tail && width > plan->tail + 1) width = plan->tail + 1;
        scan_row(pass, y, width);
        bool over = mry_web_ways_over(&pass->ways), last = y + 1 == rows || y + 1 == plan->reach;
        if (over && y > 1 && y <= plan->tail) end_in_row(pass, y - 1, pass->ways.before);
        if (over) break;
        if (y == plan->tail || (last && y > 0 && y < plan->tail))
            end_in_row(pass, y, pass->ways.now);
    }
    for (int x = plan->tail; x > 0; x--) {
        if (!(pass->col_sum[x] < INFINITY)) continue;
        pass->to_y[1] = (int)pass->col_y[x];
        pass->to_x[1] = x;
        break;
    }
}

int mry_tails_trace(const mry_tail_pass *pass, int axis, marey_cell *cells)
{
    int slope = pass->work->plan.slope, reach = pass->work->plan.reach, count = 0;
    int y = pass->to_y[axis], x = pass->to_x[axis], state = pass->states[y * reach + x];
    while (y > 0 || x > 0) {
        cells[count++] =
            (marey_cell){ pass->end.row + pass->way * y, pass->end.col + pass->way * x };
        int now = state;
        y -= mry_ways_came_down(now, slope);
        x -= mry_ways_came_across(now, slope);
        state = mry_ways_state_before(now, slope);
        if (state < 0) state = pass->states[y * reach + x];
    }
    for (int i = 0; pass->way > 0 && i < count / 2; i++) { /* into the order of time */
        marey_cell other = cells[i];
        cells[i] = cells[count - 1 - i];
        cells[count - 1 - i] = other;
    }
    return count;
}
