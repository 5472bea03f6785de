/* warp_grids.c - grids for the tests of time alignment. */
#include "warp_grids.h"

#include "timewarp_plain.h"

#include <math.h>
#include <stdlib.h>

/* ---- grids ----------------------------------------------------------------------------------- */

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

int warp_pick(uint32_t *state, int first, int last)
{
    return first + (int)(next(state) % (uint32_t)(last - first + 1));
}

static float make_cost(warp_kind which, int i, int j, uint32_t *state)
{
    double random = (double)next(state) / (1 << 24);
    switch (which) {
    case WARP_SMOOTH: return (float)(2.1 + sin(0.31 * i) * cos(0.23 * j) + sin(0.11 * (i - j)));
    case WARP_NOISE: return (float)random;
    case WARP_FEW: return (float)warp_pick(state, 0, 3);
    case WARP_ZEROS_AND_ONES: return (float)warp_pick(state, 0, 1);
    default: return (float)exp(60 * random - 30); /* sums round */
    }
}

marey_rows warp_grid_make(int rows, int cols, int gap, warp_kind which, uint32_t *state)
{
    size_t stride = (size_t)cols + (size_t)gap, room = (size_t)(rows - 1) * stride + (size_t)cols;
    float *values = malloc(room * sizeof *values);
    for (size_t i = 0; i < room; i++) values[i] = NAN;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++)
            values[(size_t)i * stride + (size_t)j] = make_cost(which, i, j, state);
    }
    return (marey_rows){ values, rows, cols, stride };
}

float *warp_cell(marey_rows grid, int row, int col)
{
    return (float *)(uintptr_t)(grid.values + (size_t)row * grid.stride + (size_t)col);
}

void warp_grid_free(marey_rows grid)
{
    free((void *)(uintptr_t)grid.values);
}

marey_rows warp_grid_reverse(marey_rows grid)
{
    uint32_t state = 0;
    marey_rows made = warp_grid_make(grid.rows, grid.cols, 0, WARP_NOISE, &state);
    for (int i = 0; i < grid.rows; i++) {
        for (int j = 0; j < grid.cols; j++)
            *warp_cell(made, grid.rows - 1 - i, grid.cols - 1 - j) = *warp_cell(grid, i, j);
    }
    return made;
}

marey_status warp_align(marey_ctx *ctx, marey_rows grid, const marey_align_def *def, warp_form form,
                        marey_path *out, marey_error *error)
{
    return (form == WARP_PLAIN ? warp_align_plain : marey_align)(ctx, grid, def, out, error);
}

marey_path warp_find(marey_ctx *ctx, marey_rows grid, marey_align_def def, warp_form form)
{
    marey_path path = { 0 };
    test_ok(warp_align(ctx, grid, &def, form, &path, &test_error));

    return path;
}

/* ---- what a path must be --------------------------------------------------------------------- */

bool warp_same_cell(marey_cell a, marey_cell b)
{
    return a.row == b.row && a.col == b.col;
}

void warp_check_path(marey_rows grid, marey_align_def def, const marey_path *path)
{
    double sum = 0;
    bool meets_start = false;
    assert_true(path->count > 0);
    for (int i = 0; i < path->count; i++) {
        marey_cell at = path->cells[i];
        assert_true(at.row >= 0 && at.row < grid.rows && at.col >= 0 && at.col < grid.cols);
        sum += (double)*warp_cell(grid, at.row, at.col);
        meets_start |= warp_same_cell(at, def.start);
    }
    assert_true(sum == path->sum && path->mean == sum / path->count);
    /* Steps lead to a neighbour and keep to the slope. */
    int slope = def.slope ? def.slope : 2;
    int across = 0, down = 0;
    for (int i = 1; i < path->count; i++) {
        int rows = path->cells[i].row - path->cells[i - 1].row;
        int cols = path->cells[i].col - path->cells[i - 1].col;
        assert_true(rows >= 0 && rows <= 1 && cols >= 0 && cols <= 1 && rows + cols > 0);
        across = rows == 0 ? across + 1 : 0;
        down = cols == 0 ? down + 1 : 0;
        assert_true(across <= slope && down <= slope);
    }
    marey_cell first = path->cells[0], last = path->cells[path->count - 1];
    marey_cell corner = { grid.rows - 1, grid.cols - 1 };
    bool at_first = first.row == 0 || first.col == 0;
    bool at_last = last.row == corner.row || last.col == corner.col;
    switch (def.ends) {
    case MAREY_ALIGN_WHOLE:
        assert_true(warp_same_cell(first, (marey_cell){ 0, 0 }) && warp_same_cell(last, corner));
        break;
    case MAREY_ALIGN_BETWEEN:
        assert_true(warp_same_cell(first, def.start) && warp_same_cell(last, def.end));
        break;
    case MAREY_ALIGN_FORWARDS: assert_true(warp_same_cell(first, def.start) && at_last); break;
    case MAREY_ALIGN_BACKWARDS: assert_true(at_first && warp_same_cell(last, def.start)); break;
    case MAREY_ALIGN_AROUND: assert_true(at_first && meets_start && at_last); break;
    }
}

bool warp_lengths_fit(int rows, int cols, int slope)
{
    return rows <= (slope + 1) * cols && cols <= (slope + 1) * rows;
}
