/* registration_pairs.c - which motion is aligned with which, and how: the reference is the motion
   with the least mean distance to the others (Kovar & Gleicher 2003, 4.2.2), unless it or a tree of
   pairs is given. One grid is held at a time. */
#include "align/registration_data.h"

#include "base/context.h"
#include "base/fail.h"

#include <string.h>

/* The alignments of pairs a < b, rows a's; found when first asked for. */
typedef struct pair_table {
    mry_registration_job *job;
    marey_path *paths; /* count x count; those of b <= a stay empty */
    int done, total;
} pair_table;

static marey_path *path_of(const pair_table *table, int a, int b)
{
    return &table->paths[(a < b ? a : b) * table->job->count + (a < b ? b : a)];
}

/* cm2. A frame with itself costs nothing but what rounding leaves, and along such a valley the path
   would follow the rounding. With this much more for every cell it is straight. */
#define ROUNDING_CM2 0.01f

/* ---- pins ------------------------------------------------------------------------------------ */

static bool is_behind(marey_cell a, marey_cell b)
{
    return a.row > b.row && a.col > b.col;
}

/* The first cell, those of the pins that both have, in the order of time, and the last one. */
static marey_status find_stops(const mry_registration_job *job, int a, int b, marey_cell *stops,
                               int *count, marey_error *error)
{
    const marey_features *rows = job->features[a], *cols = job->features[b];
    int pins[MAREY_MOST_PINS], pin_count = 0;
    marey_cell last = { rows->rows - 1, cols->rows - 1 };
    for (int p = 0; p < job->def.pin_count; p++) {
        const int *frames = job->def.pins + (size_t)p * (size_t)job->count;
        int at = pin_count;
        if (frames[a] < 0 || frames[b] < 0) continue;
        for (; at > 0 && job->def.pins[pins[at - 1] * job->count + a] > frames[a]; at--)
            pins[at] = pins[at - 1];
        pins[at] = p;
        pin_count++;
    }
    stops[0] = (marey_cell){ 0, 0 };
    *count = 1;
    for (int i = 0; i < pin_count; i++) {
        const int *now = job->def.pins + (size_t)pins[i] * (size_t)job->count;
        const int *was = i ? job->def.pins + (size_t)pins[i - 1] * (size_t)job->count : now;
        marey_cell cell = { marey_features_row(rows, now[a]), marey_features_row(cols, now[b]) };
        if (i && (now[a] <= was[a] || now[b] <= was[b])) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "frames %d and %d are pinned to %d and %d: both clips must have them "
                            "in the same order",
                            was[a], now[a], was[b], now[b]);
        }
        if (is_behind(cell, stops[*count - 1]) && is_behind(last, cell)) stops[(*count)++] = cell;
        /* The clips begin and end together, whether it is pinned or not. */
        bool is_end =
            (cell.row == 0 && cell.col == 0) || (cell.row == last.row && cell.col == last.col);
        if (!is_end &&
            (cell.row == 0 || cell.col == 0 || cell.row == last.row || cell.col == last.col)) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "frame %d is pinned to %d, but first frames go with first frames and "
                            "last with last",
                            now[a], now[b]);
        }
    }
    stops[(*count)++] = last;
    return MAREY_OK;
}

/* From stop to stop. */
static marey_status align_through(const mry_registration_job *job, marey_rows cost,
                                  const marey_cell *stops, int count, marey_path *out,
                                  marey_error *error)
{
    marey_path path = { .ctx = job->ctx };
    marey_status status = MAREY_OK;
    path.bytes = (size_t)(cost.rows + cost.cols) * sizeof *path.cells;
    path.cells = mry_alloc(job->ctx, path.bytes);
    if (!path.cells) return mry_fail_memory(error, NULL);
    for (int i = 1; i < count && !status; i++) {
        marey_align_def def = { .ends = MAREY_ALIGN_BETWEEN,
                                .start = stops[i - 1],
                                .end = stops[i],
                                .slope = job->def.slope };
        marey_path piece = { 0 };
        marey_error inner = { 0 };
        status = marey_align(job->ctx, cost, &def, &piece, &inner);
        if (status)
            mry_fail(error, status, NULL, "between pins (rows %d to %d and %d to %d): %s",
                     def.start.row, def.end.row, def.start.col, def.end.col, inner.message);
        for (int c = i > 1; c < piece.count; c++) path.cells[path.count++] = piece.cells[c];
        path.sum += piece.sum;
        if (i > 1 && !status) {
            marey_cell at = stops[i - 1]; /* counted once */
            path.sum -= (double)cost.values[(size_t)at.row * cost.stride + (size_t)at.col];
        }
        marey_path_free(&piece);
    }
    if (status) {
        marey_path_free(&path);
        return status;
    }
    path.mean = path.sum / path.count;
    *out = path;
    return MAREY_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static marey_status need(pair_table *table, int one, int other, marey_error *error)
{
    int a = one < other ? one : other, b = one < other ? other : one;
    marey_path *path = path_of(table, a, b);
    if (path->count > 0) return MAREY_OK;
    const mry_registration_job *job = table->job;
    const marey_features *rows = job->features[a], *cols = job->features[b];
    marey_align_def def = { .slope = job->def.slope };
    marey_grid *grid;
    marey_error inner = { 0 };
    if (!mry_progress(job->ctx, "aligning", table->done++, table->total))
        return mry_fail_cancelled(error);
    if (job->def.centres) {
        def.ends = MAREY_ALIGN_AROUND;
        def.start.row = marey_features_row(rows, job->def.centres[a]);
        def.start.col = marey_features_row(cols, job->def.centres[b]);
    }
    marey_status status = marey_grid_build(job->ctx, rows, cols, &grid, error);
    if (status) return status;
    bool squared = marey_layout_def(job->layout)->metric->squared;
    for (int i = 0; i < grid->rows && squared; i++) {
        float *row = grid->cells + (size_t)i * grid->stride;
        for (int j = 0; j < grid->cols; j++) row[j] += ROUNDING_CM2;
    }
    marey_cell stops[MAREY_MOST_PINS + 2];
    int stop_count = 0;
    if (job->def.pin_count) status = find_stops(job, a, b, stops, &stop_count, &inner);
    if (!status && stop_count > 2)
        status = align_through(job, marey_grid_cost(grid), stops, stop_count, path, &inner);
    else if (!status)
        status = marey_align(job->ctx, marey_grid_cost(grid), &def, path, &inner);
    if (!status && squared) {
        path->sum -= path->count * (double)ROUNDING_CM2;
        path->mean -= (double)ROUNDING_CM2;
    }
    marey_grid_free(grid);
    if (status)
        mry_fail(error, status, NULL, "%s with %s: %s", marey_clip_name(job->clips[a]),
                 marey_clip_name(job->clips[b]), inner.message);
    return status;
}

static bool path_is_sound(const marey_path *path, int rows, int cols)
{
    if (!isfinite(path->sum) || !isfinite(path->mean)) return false;
    for (int i = 0; i < path->count; i++) {
        marey_cell at = path->cells[i];
        if (at.row < 0 || at.row >= rows || at.col < 0 || at.col >= cols) return false;
        if (i == 0) continue;
        int down = at.row - path->cells[i - 1].row, right = at.col - path->cells[i - 1].col;
        if (down < 0 || down > 1 || right < 0 || right > 1 || down + right == 0) return false;
    }
    return true;
}

static marey_status fill(pair_table *table, marey_error *error)
{
    const mry_registration_job *job = table->job;
    int count = job->count, reference = job->def.reference - 1;
    bool choose = reference < 0 && count > 2;
    table->total = choose ? count * (count - 1) / 2 : count - 1;
    if (choose) {
        /* The least mean distance to the others; ties go to the lower number. Motions that cannot
           be aligned are infinitely far apart: neither can be the other's reference. */
        double least = INFINITY;
        for (int a = 0; a < count; a++) {
            double sum = 0;
            for (int b = 0; b < count; b++) {
                if (b == a) continue;
                marey_path *path = path_of(table, a, b);
                marey_status status = isinf(path->mean) ? MAREY_OK : need(table, a, b, error);
                if (status && status != MAREY_ERR_REQUEST) return status;
                if (status) path->mean = INFINITY;
                sum += path->mean;
            }
            if (sum < least) {
                least = sum;
                reference = a;
            }
        }
        if (isinf(least))
            return MAREY_ERR_REQUEST; /* what was wrong with the last pair is in the error */
    }
    job->out->reference = reference < 0 ? 0 : reference; /* two are as far from each other */
    for (int i = 0; i < count; i++) {
        int star = i == job->out->reference ? -1 : job->out->reference;
        job->out->parents[i] = job->def.parents ? job->def.parents[i] : star;
    }
    for (int i = 0; i < job->count; i++) {
        int parent = job->out->parents[i];
        const marey_path *path = job->def.paths ? &job->def.paths[i] : NULL;
        if (parent < 0) continue;
        bool given = path && path->count > 0;
        int rows = job->features[parent]->rows, cols = job->features[i]->rows;
        if (given && !path_is_sound(path, rows, cols))
            return mry_fail(
                error, MAREY_ERR_REQUEST, NULL,
                "the alignment that is given for motion %d does not lead through the %d by %d "
                "rows of %s and %s in steps of one",
                i + 1, rows, cols, marey_clip_name(job->clips[parent]),
                marey_clip_name(job->clips[i]));
        marey_status status = given ? MAREY_OK : need(table, parent, i, error);
        if (status) return status;
        if (!given) path = path_of(table, parent, i);
        bool turned = !given && parent > i;
        marey_path *kept = &job->out->paths[i];
        *kept = (marey_path){ .count = path->count, .sum = path->sum, .mean = path->mean };
        kept->cells = MRY_NEW_RAW(&job->out->mem, marey_cell, path->count);
        for (int c = 0; c < path->count && kept->cells; c++) {
            marey_cell cell = path->cells[c];
            kept->cells[c] = turned ? (marey_cell){ cell.col, cell.row } : cell;
        }
        if (!kept->cells) return mry_fail_memory(error, NULL);
    }
    return MAREY_OK;
}

marey_status mry_registration_align(mry_registration_job *job, marey_error *error)
{
    int pairs = job->count * job->count;
    pair_table table = { .job = job, .paths = MRY_NEW(job->tmp, marey_path, pairs) };
    if (!table.paths) return mry_fail_memory(error, NULL);
    marey_status status = fill(&table, error);
    for (int i = 0; i < pairs; i++) marey_path_free(&table.paths[i]);
    return status;
}
