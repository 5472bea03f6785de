/* seam_path.c - which frames around the centre of a transition belong together.

   Dynamic timewarping to the boundary point with the least mean cost (Kovar & Gleicher 2003, 4.2.1)
   is made for motions that are alike. Around a cut two clips are often alike for a moment only;
   then the least mean is that of a path which stays near the centre as long as it can, and goes
   along one clip alone as often as the slope limit lets it. So all paths go the same way here, as
   far as the transition can reach: to cells with i + j = reach, counted from the centre, and the
   least sum wins. And costs are bounded: frames that are not alike are not less alike the more they
   differ. Where one pairing is as bad as another, the straight path wins, as it has the fewest
   cells; where the clips do the same at different paces, costs are small and little changes.

       j                     o   centre
       :  0 0 0 0 0 e        c   costs, i + j <= reach; behind the end of a clip that of its last frame
       :  c 0 0 0 0 0        0   free, so that one search finds the best of all ends
       :  c c 0 0 0 0        e   its end; large enough to be reached from every cell with i + j = reach
       :  c c c 0 0 0
       :  c c c c 0 0
       o  c c c c c 0  : i */
#include "base/fail.h"
#include "blend/cut_search.h"
#include "blend/seam.h"
#include "feature/feature_data.h"

#include <string.h>

typedef struct sides {
    marey_ctx *ctx;
    marey_rows cost; /* of the parts */
    const int *centre;
    int reach, slope;
    float bound; /* of costs */
    float step;  /* what a cell costs anyway */
} sides;

/* cm2: what lies below it is noise. Without it a body that stands still would be warped along the
   noise. */
#define NOISE_CM2 3.0f

/* The cell that is i, j from the centre, to one side (way: 1 or -1), held to the grid. */
static marey_cell cell_of(const sides *s, int i, int j, int way)
{
    marey_cell cell = { s->centre[0] + way * i, s->centre[1] + way * j };
    if (cell.row < 0) cell.row = 0;
    if (cell.col < 0) cell.col = 0;
    if (cell.row >= s->cost.rows) cell.row = s->cost.rows - 1;
    if (cell.col >= s->cost.cols) cell.col = s->cost.cols - 1;
    return cell;
}

/* The path to one side, from the centre outwards, up to where a clip or the reach ends. */
static marey_status find_side(const sides *s, int way, mry_arena *mem, marey_path *out,
                              marey_error *error)
{
    /* Beyond the ends of both clips there is nothing to look for. */
    sides near = *s;
    int rows = way > 0 ? s->cost.rows - 1 - s->centre[0] : s->centre[0];
    int cols = way > 0 ? s->cost.cols - 1 - s->centre[1] : s->centre[1];
    if (near.reach > rows + cols) near.reach = rows + cols;
    s = &near;
    int size = s->reach + 1;
    mry_arena tmp = mry_arena_make(s->ctx);
    float *table = MRY_NEW_RAW(&tmp, float, (size_t)size *(size_t)size);
    marey_align_def def = { .slope = s->slope };
    marey_path path = { 0 };
    /* A bounded cost is about the same where it is small, nearly the bound where it is large. */
    for (int i = 0; table && i < size; i++) {
        float *row = table + (size_t)i * (size_t)size;
        for (int j = 0; j < size; j++) {
            marey_cell from = cell_of(s, i, j, way);
            float cost = s->cost.values[(size_t)from.row * s->cost.stride + (size_t)from.col];
            row[j] = i + j <= s->reach ? s->step + cost / (1 + cost / s->bound) : 0;
        }
    }
    marey_status status = table
                              ? marey_align(s->ctx, (marey_rows){ table, size, size, (size_t)size },
                                            &def, &path, error)
                              : mry_fail_memory(error, NULL);
    mry_arena_free(&tmp);
    if (status) return status;
    out->cells = MRY_NEW_RAW(mem, marey_cell, path.count);
    for (int n = 0; n < path.count && out->cells; n++) {
        marey_cell at = path.cells[n], cell = cell_of(s, at.row, at.col, way);
        bool inside = cell.row == s->centre[0] + way * at.row &&
                      cell.col == s->centre[1] + way * at.col && at.row + at.col <= s->reach;
        if (!inside) break;
        out->cells[out->count++] = cell;
    }
    marey_path_free(&path);
    return out->cells ? MAREY_OK : mry_fail_memory(error, NULL);
}

static marey_status join_sides(const sides *s, mry_arena *mem, marey_path *out, marey_error *error)
{
    marey_path before = { 0 }, after = { 0 };
    marey_status status = find_side(s, -1, mem, &before, error);
    if (!status) status = find_side(s, 1, mem, &after, error);
    if (status) return status;
    out->count = before.count + after.count - 1;
    out->cells = MRY_NEW_RAW(mem, marey_cell, out->count);
    if (!out->cells) return mry_fail_memory(error, NULL);
    for (int n = 0; n < before.count; n++) out->cells[before.count - 1 - n] = before.cells[n];
    for (int n = 1; n < after.count; n++) out->cells[before.count - 1 + n] = after.cells[n];
    for (int n = 0; n < out->count; n++) {
        marey_cell at = out->cells[n];
        out->sum += (double)s->cost.values[(size_t)at.row * s->cost.stride + (size_t)at.col];
    }
    out->mean = out->sum / out->count;
    return MAREY_OK;
}

marey_status mry_seam_path_find(mry_arena *mem, const mry_seam_path_def *def, marey_path *out,
                                marey_error *error)
{
    marey_ctx *ctx = mem->ctx;
    marey_layout *layout = NULL;
    marey_features *features[2] = { NULL, NULL };
    marey_grid *grid = NULL;
    marey_path found = { 0 };
    marey_status status =
        marey_layout_build_bodies(ctx, def->clips, 2, def->metric, &layout, error);
    for (int side = 0; side < 2 && !status; side++)
        status = marey_features_build(layout, def->clips[side], &features[side], error);
    if (!status) status = marey_grid_build(ctx, features[0], features[1], &grid, error);
    if (!status) {
        sides s = { .ctx = ctx,
                    .cost = marey_grid_cost(grid),
                    .centre = def->centre,
                    .reach = def->reach,
                    .slope = def->slope };
        /* Any metric has its own scale, so that comes from the grid: far below what frames that
           have nothing to do with each other cost on average, but not below what is accepted at the
           centre. */
        double sum = 0, cells = (double)s.cost.rows * s.cost.cols;
        for (int i = 0; i < s.cost.rows; i++) {
            const float *row = s.cost.values + (size_t)i * s.cost.stride;
            for (int j = 0; j < s.cost.cols; j++) sum += (double)row[j];
        }
        const float *middle = s.cost.values + (size_t)s.centre[0] * s.cost.stride;
        s.bound = (float)fmax(fmax(sum / cells / 8, 2 * (double)middle[s.centre[1]]), 1e-30);
        if (mry_metric_of(def->metric)->squared) s.step = NOISE_CM2;
        status = join_sides(&s, mem, &found, error);
    }
    marey_grid_free(grid);
    for (int side = 0; side < 2; side++) marey_features_free(features[side]);
    marey_layout_free(layout);
    if (!status) *out = found;
    return status;
}
