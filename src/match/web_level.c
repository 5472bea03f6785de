/* web_level.c - a grid at one resolution: every so many rows and columns. Windows are of the frames that are left, as if the
   motions had been captured at that rate (webs, 6.2.2). */
#include "match/web_level.h"
#include "feature/feature_data.h"
#include "grid/points_grid.h"

#include <math.h>
#include <string.h>

static int rows_left(int rows, int every)
{
    return (rows + every - 1) / every;
}

/* NULL in *out: no row is marked. */
static bool thin_marks(mry_arena *mem, const marey_features *of, int every, const uint8_t **out)
{
    *out = NULL;
    if (!of->marked || !memchr(of->marked, 1, (size_t)of->rows)) return true;
    uint8_t *marks = MRY_NEW_RAW(mem, uint8_t, rows_left(of->rows, every));
    for (int i = 0; marks && i < of->rows; i += every) marks[i / every] = of->marked[i];
    *out = marks;
    return marks != NULL;
}

static const mry_points *thin_points(mry_arena *mem, const marey_features *of, int every)
{
    if (every == 1) return of->points;
    size_t numbers = 3 * (size_t)of->points_def.joints;
    int rows = rows_left(of->rows, every);
    mry_points_def *def = MRY_NEW(mem, mry_points_def, 1);
    mry_points *points = MRY_NEW(mem, mry_points, 1);
    double *positions = MRY_NEW_RAW(mem, double, (size_t)rows *numbers);
    if (!def || !points || !positions) return NULL;
    for (int i = 0; i < rows; i++) {
        memcpy(positions + (size_t)i * numbers,
               of->points_def.positions + (size_t)i * (size_t)every * numbers,
               numbers * sizeof *positions);
    }
    *def = of->points_def;
    def->rows = rows;
    def->positions = positions;
    return mry_points_build(mem, def, points) ? points : NULL;
}

bool mry_level_make(mry_arena *mem, const marey_features *a, const marey_features *b,
                    const marey_rows *whole, int every, mry_level *out)
{
    mry_level level = { .ctx = mem->ctx,
                        .rows = rows_left(a->rows, every),
                        .cols = rows_left(b->rows, every),
                        .self = a == b,
                        .fps = a->layout->fps / every,
                        .below = INFINITY,
                        .every = every,
                        .whole = whole };
    if (!thin_marks(mem, a, every, &level.marked_rows) ||
        !thin_marks(mem, b, every, &level.marked_cols)) {
        return false;
    }
    if (!whole) {
        level.a = thin_points(mem, a, every);
        level.b = a == b ? level.a : thin_points(mem, b, every);
        if (!level.a || !level.b) return false;
    }
    *out = level;
    return true;
}

bool mry_level_fill(void *user, int first, int end, float *cells, size_t stride)
{
    const mry_level *level = user;
    if (!level->whole) {
        mry_rows_job job = { .first = first,
                             .end = end,
                             .from_col = level->self ? first : 0,
                             .below = level->below,
                             .cells = cells,
                             .stride = stride };
        return mry_points_rows(level->ctx, level->a, level->b, &job);
    }
    size_t every = (size_t)level->every;
    for (int row = first; row < end; row++, cells += stride) {
        const float *from = level->whole->values + (size_t)row * every * level->whole->stride;
        for (int j = 0; j < level->cols; j++) cells[j] = from[(size_t)j * every];
    }
    return true;
}
