/* own_metric.c - metrics that callers bring along: rows of numbers, one for each frame. The window
   is part of a row, so that a distance is one sum of squares and the grid that of any other
   metric's terms:

       row i:   numbers of row i - before  |  ..  |  of row i - before + window - 1

   each number times the root of its weight and of its frame's share. */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "motion/feet.h"

#include <string.h>

/* Squares of more, added up over the longest window and the most columns, leave the range of
   floats. */
#define FARTHEST 1e15

static double weight_of(const marey_own_metric *own, int column)
{
    return own->weights ? own->weights[column] : 1;
}

marey_status marey_own_metric_check(const marey_own_metric *own, marey_error *error)
{
    const marey_metric *metric = &own->metric;
    double sum = 0;
    if (!metric->name || !*metric->name || !metric->unit)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "an own metric must have a name and a unit, which may be empty");
    if (!own->rows)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the own metric %.60s has no function that gives its rows", metric->name);
    if (own->columns < 1 || own->columns > MAREY_MOST_COLUMNS)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a row of the own metric %.60s must have 1 to %d numbers, got %d",
                        metric->name, (int)MAREY_MOST_COLUMNS, own->columns);
    if (metric->window < 0 || metric->window > MAREY_MOST_WINDOW || metric->least_window < 0 ||
        metric->least_window > MAREY_MOST_WINDOW)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the window of the own metric %.60s must be 1 to %d frames, got %d",
                        metric->name, MAREY_MOST_WINDOW, metric->window);
    if (metric->attribute_count || metric->can_bound || metric->whole_grid || metric->is_judge ||
        metric->options)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the own metric %.60s must have no attributes and no options",
                        metric->name);
    if (metric->squared && strcmp(metric->unit, "cm2") != 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the own metric %.60s must be in cm2, if roots of it are lengths",
                        metric->name);
    for (int c = 0; c < own->columns; c++) {
        double weight = weight_of(own, c);
        if (!(weight >= 0 && weight <= 1e12))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "weights of the own metric %.60s must be 0 to 1e12, got %g in column "
                            "%d",
                            metric->name, weight, c);
        sum += weight;
    }
    return sum > 0 ? MAREY_OK
                   : mry_fail(error, MAREY_ERR_REQUEST, NULL,
                              "at least one weight of the own metric %.60s must be more than 0",
                              metric->name);
}

marey_status mry_own_refuse_file(const marey_metric_def *def, const char *what, marey_error *error)
{
    if (!def->own) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the metric of %s in a file must be a row of the table, got the caller's own "
                    "%.60s",
                    what, def->own->metric.name);
}

/* ---- rows ------------------------------------------------------------------------------------ */

marey_status mry_own_ask(mry_arena *mem, const marey_own_metric *own, const marey_clip *clip,
                         float **out, marey_error *error)
{
    int frames = marey_clip_frames(clip), columns = own->columns;
    const char *name = marey_clip_name(clip);
    float *values = MRY_NEW(mem, float, (size_t)frames *(size_t)columns);
    marey_error said = { 0 };
    if (!values) return mry_fail_memory(error, name);
    marey_status status = own->rows(own->user, clip, values, &said);
    if (status)
        return mry_fail(error, status, name, "the own metric %.60s: %.400s", own->metric.name,
                        *said.message ? said.message : "its function failed");
    for (int frame = 0; frame < frames; frame++) {
        for (int c = 0; c < columns; c++) {
            double value = (double)values[(size_t)frame * (size_t)columns + (size_t)c];
            if (fabs(value) * fmax(1, sqrt(weight_of(own, c))) <= FARTHEST) continue;
            return mry_fail(error, MAREY_ERR_INPUT, name,
                            "the own metric %.60s gives %g in column %d of frame %d, which is not "
                            "a number within 1e15",
                            own->metric.name, value, c, frame);
        }
    }
    *out = values;
    return MAREY_OK;
}

/* Between which frames of the clip a row lies, as marey_clip_resample has it: never between a marked
   one and one that is not. */
typedef struct between {
    int frame, next;
    double share;
} between;

static between place_of(const uint8_t *marked, int frames, double at)
{
    double whole = floor(at + 0.5);
    at = fmin(fabs(at - whole) < 1e-6 ? whole : at, frames - 1);
    int frame = (int)at, next = frame + 1 < frames ? frame + 1 : frame;
    double share = at - frame;
    if (marked[frame] != marked[next]) share = share < 0.5 ? 0 : 1;
    return (between){ frame, next, share };
}

bool mry_own_sample(mry_arena *mem, const marey_own_metric *own, const marey_clip *clip,
                    const float *values, double fps, mry_own_rows *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int frames = marey_clip_frames(clip);
    size_t columns = (size_t)own->columns;
    double per_row = mry_frames_a_row(marey_clip_fps(clip), fps);
    out->rows = mry_rows_at(frames, marey_clip_fps(clip), fps);
    uint8_t *frame_marked = mry_clip_marked(&tmp, clip);
    int *source = MRY_NEW_RAW(&tmp, int, out->rows);
    uint8_t *marked = MRY_NEW_RAW(&tmp, uint8_t, out->rows);
    out->values = MRY_NEW_RAW(mem, float, (size_t)out->rows *columns);
    out->marked = MRY_NEW(mem, uint8_t, out->rows);
    bool fits = frame_marked && source && marked && out->values && out->marked;
    for (int row = 0; row < out->rows && fits; row++) {
        between at = place_of(frame_marked, frames, row * per_row);
        marked[row] = frame_marked[at.share < 0.5 ? at.frame : at.next];
    }
    if (fits) mry_row_sources(marked, 1, out->rows, out->marked, source);
    for (int row = 0; row < out->rows && fits; row++) {
        between at = place_of(frame_marked, frames, source[row] * per_row);
        const float *a = values + (size_t)at.frame * columns;
        const float *b = values + (size_t)at.next * columns;
        float *to = out->values + (size_t)row * columns;
        for (size_t c = 0; c < columns; c++)
            to[c] = (float)((1 - at.share) * (double)a[c] + at.share * (double)b[c]);
    }
    mry_arena_free(&tmp);
    return fits;
}

bool mry_own_term(mry_arena *mem, const marey_own_metric *own, const float *values, int rows,
                  int window, const double *frame_weight, mry_term *out)
{
    int before = (window - 1) / 2, columns = own->columns;
    if (!mry_term_make(mem, rows, MRY_TERM_SQUARE, 1, window * columns, out)) return false;
    float *to = out->values;
    for (int row = 0; row < rows; row++) {
        for (int f = 0; f < window; f++) {
            int at = row - before + f;
            at = at < 0 ? 0 : at >= rows ? rows - 1 : at;
            const float *from = values + (size_t)at * (size_t)columns;
            for (int c = 0; c < columns; c++)
                *to++ = (float)((double)from[c] * sqrt(frame_weight[f] * weight_of(own, c)));
        }
    }
    return true;
}

marey_status mry_own_fill(marey_features *f, const marey_clip *clip, marey_error *error)
{
    const marey_layout *layout = f->layout;
    const marey_own_metric *own = layout->def.own;
    mry_arena tmp = mry_arena_make(f->mem.ctx);
    mry_own_rows rows;
    float *values = NULL;
    marey_status status = mry_own_ask(&tmp, own, clip, &values, error);
    if (!status && !mry_own_sample(&f->mem, own, clip, values, layout->fps, &rows))
        status = mry_fail_memory(error, marey_clip_name(clip));
    mry_arena_free(&tmp);
    if (status) return status;
    /* The same rows as those of the poses, whose count comes from a clip that was resampled. */
    if (rows.rows != f->rows)
        return mry_fail(error, MAREY_ERR_SHAPE, marey_clip_name(clip),
                        "the own metric %.60s has %d rows, its clip %d", own->metric.name,
                        rows.rows, f->rows);
    f->own = rows.values;
    f->term_count = 1;
    return mry_own_term(&f->mem, own, f->own, f->rows, layout->window, layout->frame_weight,
                        &f->terms[0])
               ? MAREY_OK
               : mry_fail_memory(error, marey_clip_name(clip));
}
