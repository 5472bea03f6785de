/* grid_binary.c - grids are made smaller by the least of each block, so that valleys stay. */
#include "grid_binary.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "grids are sent as they lie in memory");

enum { HEADER_BYTES = 40, LAYOUT = 1 };

/* Where block `index` of `count` begins. */
static int edge(int index, int count, int cells)
{
    return (int)((int64_t)index * cells / count);
}

void grid_answer(marey_rows cost, double fps, int rows, int cols, studio_response *response)
{
    if (rows > cost.rows) rows = cost.rows;
    if (cols > cost.cols) cols = cost.cols;
    size_t size = HEADER_BYTES + (size_t)rows * (size_t)cols * sizeof(float);
    uint8_t *out = bytes_extend(&response->body, size);
    response->status = 200;
    response->type = "application/octet-stream";
    if (!out) {
        api_fail_memory(response);
        return;
    }
    float least = INFINITY, greatest = -INFINITY;
    uint8_t *at = out + HEADER_BYTES;
    for (int row = 0; row < rows; row++) {
        int top = edge(row, rows, cost.rows), bottom = edge(row + 1, rows, cost.rows);
        for (int col = 0; col < cols; col++, at += sizeof(float)) {
            int left = edge(col, cols, cost.cols), right = edge(col + 1, cols, cost.cols);
            float block = INFINITY;
            for (int i = top; i < bottom; i++) {
                const float *values = cost.values + (size_t)i * cost.stride;
                for (int j = left; j < right; j++) {
                    block = values[j] < block ? values[j] : block;
                    greatest = values[j] > greatest ? values[j] : greatest;
                }
            }
            least = block < least ? block : least;
            memcpy(at, &block, sizeof block);
        }
    }
    const uint32_t numbers[] = { LAYOUT, (uint32_t)rows, (uint32_t)cols, (uint32_t)cost.rows,
                                 (uint32_t)cost.cols };
    memcpy(out, "MRYG", 4);
    memcpy(out + 4, numbers, sizeof numbers);
    memcpy(out + 24, &least, sizeof least);
    memcpy(out + 28, &greatest, sizeof greatest);
    memcpy(out + 32, &fps, sizeof fps);
}
