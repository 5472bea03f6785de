/* web_fields.c - see web_fields.h. */
#include "web_fields.h"

#include <math.h>
#include <stdlib.h>

static double wave(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24);
}

static double valley(int r, int c, double period, double noise, uint32_t *state)
{
    double bent = r - c + 4 * sin(r / 11.0) + 3 * sin(c / 7.0);
    double depth = 60 + 30 * sin(r / 23.0) * cos(c / 31.0);
    return 20 + depth * (1 - cos(6.283185 * bent / period)) + noise * wave(state);
}

field field_make(int rows, int cols, double period, double noise, uint32_t seed)
{
    field f = { .values = malloc(sizeof(float) * (size_t)rows * (size_t)cols) };
    f.rows = (marey_rows){ f.values, rows, cols, (size_t)cols };
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            double v = period > 0 ? valley(r, c, period, noise, &seed) : noise * wave(&seed);
            f.values[(size_t)r * (size_t)cols + (size_t)c] = (float)v;
        }
    }
    return f;
}

field field_self(int rows, double period, double noise, uint32_t seed)
{
    field f = field_make(rows, rows, period, noise, seed);
    f.self = true;
    for (int r = 0; r < rows; r++) {
        f.values[(size_t)r * (size_t)rows + (size_t)r] = 0;
        for (int c = 0; c < r; c++) {
            f.values[(size_t)r * (size_t)rows + (size_t)c] =
                f.values[(size_t)c * (size_t)rows + (size_t)r];
        }
    }
    return f;
}

marey_web *field_web(marey_ctx *ctx, const field *f, int slab)
{
    marey_web *web = NULL;
    test_ok(mry_web_from_rows(ctx, f->rows, f->self, FIELD_FPS, &f->def, slab, &web, NULL));
    return web;
}

void check_same_web(const marey_web *a, const marey_web *b)
{
    assert_int_equal(a->chain_count, b->chain_count);
    assert_int_equal(a->tail_count, b->tail_count);
    assert_int_equal(a->bridge_count, b->bridge_count);
    assert_int_equal(a->cell_count, b->cell_count);
    for (int i = 0; i < a->chain_count + a->bridge_count; i++) {
        const mry_web_path *x = &a->paths[i], *y = &b->paths[i];
        assert_true(x->first == y->first && x->count == y->count);
        assert_true(x->from == y->from && x->from_cell == y->from_cell);
        assert_true(x->to == y->to && x->to_cell == y->to_cell);
    }
    assert_memory_equal(a->cells, b->cells, sizeof *a->cells * (size_t)a->cell_count);
    assert_memory_equal(a->costs, b->costs, sizeof *a->costs * (size_t)a->cell_count);
}
