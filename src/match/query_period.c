/* query_period.c - a query's rows against each other, and the least lag at which they are alike. */
#include "match/query_period.h"

int mry_query_period(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses, int first,
                     float unit, int shortest, int overlap, float most)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    const mry_kernel *kernel = query->kernel;
    int rows = query->rows, points = query->points, period = rows;
    size_t stride = (size_t)(rows + MRY_KERNEL_MOST_NR) / 16 * 16 + 16;
    float *cells = mry_arena_take(&tmp, (size_t)rows + MRY_KERNEL_MOST_MR, stride * sizeof *cells);
    float *panels = MRY_NEW(&tmp, float, mry_pose_panels(points, rows, kernel->nr));
    float *sizes = MRY_NEW(&tmp, float, rows + MRY_KERNEL_MOST_NR);
    float *values = MRY_NEW(&tmp, float, 6 * (size_t)points);
    if (!cells || !panels || !sizes || !values) {
        mry_arena_free(&tmp);
        return -1;
    }
    for (int i = 0; i < rows; i++) {
        mry_pose_row(poses, first + i, unit, values);
        mry_pose_pack_clip(kernel, points, values, i, panels);
    }
    mry_pose_sizes(kernel, points, query->weights, panels, rows, sizes);
    mry_pose_distances(kernel, points, query->frames, (mry_pose_side){ panels, sizes, rows, NULL },
                       cells, stride);
    for (int lag = shortest; lag + overlap <= rows && period == rows; lag++) {
        double sum = 0;
        for (int i = 0; i + lag < rows; i++)
            sum += (double)cells[(size_t)i * stride + (size_t)(i + lag)];
        if (sum <= (double)most * (rows - lag)) period = lag;
    }
    mry_arena_free(&tmp);
    return period;
}
