/* curvature_grid.c - the metric of Guan & Yang, section 3: D_rp (eq. 3.2) chooses candidates, the
   covariance of the joints' curvatures over a mask (eq. 3.5) ranks them. Correlation is larger
   where frames are more alike, so as a cost it is taken from the largest; what was no candidate
   costs as much as the worst candidate.

   With frame weights (tapered) the mean of the mask is weighted too, and the weights sum to the
   mask's length, so that equal ones are the formula as it is written. */
#include "base/fail.h"
#include "grid/grid_data.h"

#include <string.h>

enum { BLOCK = 16 };

typedef struct work {
    marey_ctx *ctx;
    const float *a, *b; /* masks, `length` numbers a row */
    int length;
    marey_grid *grid;
} work;

/* All masks of a clip. The mask of a row: curvatures less their mean over the mask, times the roots
   of the weights; window x joints numbers. A product of two masks is eq. 3.5. To normalise them
   makes their products correlations; one without any change stays 0. */
static float *make_masks(mry_arena *tmp, const marey_features *f)
{
    const marey_layout *layout = f->layout;
    int joints = layout->joints, window = layout->window, length = window * joints;
    float *out = MRY_NEW_RAW(tmp, float, (size_t)f->rows *(size_t)length);
    double *mask = MRY_NEW_RAW(tmp, double, length);
    if (!out || !mask) return NULL;
    for (int row = 0; row < f->rows; row++) {
        double square = 0;
        for (int k = 0; k < joints; k++) {
            double mean = 0;
            for (int s = 0; s < window; s++) {
                int at = mry_row_held(f, row - layout->before + s);
                double value = f->curvature[(size_t)at * (size_t)joints + (size_t)k];
                mask[s * joints + k] = value;
                mean += layout->frame_weight[s] * value;
            }
            for (int s = 0; s < window; s++) {
                double share = layout->weight[k] * layout->frame_weight[s] * window;
                mask[s * joints + k] = sqrt(share) * (mask[s * joints + k] - mean);
            }
        }
        for (int n = 0; n < length; n++) square += mask[n] * mask[n];
        double scale = !layout->def.normalised ? 1 : square > 1e-30 ? 1 / sqrt(square) : 0;
        for (int n = 0; n < length; n++)
            out[(size_t)row * (size_t)length + (size_t)n] = (float)(mask[n] * scale);
    }
    return out;
}

static void correlate_block(void *user, int64_t block)
{
    const work *w = user;
    marey_grid *grid = w->grid;
    int first = (int)block * BLOCK, end = grid->rows - first < BLOCK ? grid->rows : first + BLOCK;
    if (mry_cancelled(w->ctx)) return;
    for (int i = first; i < end; i++) {
        const float *a = w->a + (size_t)i * (size_t)w->length;
        const uint8_t *candidate = grid->candidates + (size_t)i * (size_t)grid->cols;
        float *row = grid->cells + (size_t)i * grid->stride;
        for (int j = 0; j < grid->cols; j++) {
            if (!candidate[j]) continue;
            const float *b = w->b + (size_t)j * (size_t)w->length;
            double sum = 0;
            for (int n = 0; n < w->length; n++) sum += (double)(a[n] * b[n]);
            row[j] = (float)sum;
        }
    }
}

marey_status mry_curvature_grid(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                                marey_grid *grid, marey_error *error)
{
    grid->candidates = MRY_NEW(&grid->mem, uint8_t, (size_t)grid->rows * (size_t)grid->cols);
    if (!grid->candidates) return mry_fail_memory(error, NULL);
    /* D_rp of all pairs. */
    mry_term_job job = { .a = &a->terms[0],
                         .b = &b->terms[0],
                         .rows = a->rows,
                         .cols = b->rows,
                         .factor = 1,
                         .cells = grid->cells,
                         .stride = grid->stride };
    marey_status status = mry_term_grid(ctx, &job, error);
    if (status) return status;
    /* Candidates: the best share of the pairs of captured frames. */
    int64_t open = mry_shut_marked(a, b, grid->cells, grid->stride);
    int64_t count = (int64_t)ceil(a->layout->def.candidates * (double)open);
    if (count > open) count = open;
    if (count > 0) {
        mry_cut cut = mry_select(grid->cells, grid->rows, grid->cols, grid->stride, count);
        for (int i = 0; i < grid->rows; i++) {
            const float *row = grid->cells + (size_t)i * grid->stride;
            uint8_t *out = grid->candidates + (size_t)i * (size_t)grid->cols;
            for (int j = 0; j < grid->cols; j++)
                out[j] = row[j] < cut.value || (row[j] == cut.value && cut.ties-- > 0);
        }
    }
    mry_arena tmp = mry_arena_make(ctx);
    work w = { .ctx = ctx,
               .a = make_masks(&tmp, a),
               .b = make_masks(&tmp, b),
               .length = a->layout->window * a->layout->joints,
               .grid = grid };
    bool room = w.a && w.b;
    if (room) marey_ctx_run(ctx, ((int64_t)grid->rows + BLOCK - 1) / BLOCK, correlate_block, &w);
    mry_arena_free(&tmp);
    if (!room) return mry_fail_memory(error, NULL);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    /* Correlation into cost: first its range, then what is left to the largest. */
    float most = -INFINITY, least = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < grid->rows; i++) {
            const uint8_t *candidate = grid->candidates + (size_t)i * (size_t)grid->cols;
            float *row = grid->cells + (size_t)i * grid->stride;
            for (int j = 0; j < grid->cols; j++) {
                if (pass == 1) {
                    row[j] = most - (candidate[j] ? row[j] : least);
                } else if (candidate[j]) {
                    most = row[j] > most ? row[j] : most;
                    least = row[j] < least ? row[j] : least;
                }
            }
        }
        if (most < least) most = least = 0; /* every frame is marked: nothing is known */
    }
    return MAREY_OK;
}
