/* grid_binary.c - grids are made smaller by the least of each block, so that valleys stay. */
#include "grid_binary.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "grids are sent as they lie in memory");

enum { HEADER_BYTES = 40, LAYOUT = 1 };

typedef struct reduction {
    marey_rows cost;
    int rows, cols; /* that are sent */
    float least, greatest;
} reduction;

/* Where block `index` of `count` begins. */
static int edge(int index, int count, int cells)
{
    return (int)((int64_t)index * cells / count);
}

static float least_of(reduction *of, int row, int col)
{
    float least = INFINITY;
    int end = edge(col + 1, of->cols, of->cost.cols);
    for (int i = edge(row, of->rows, of->cost.rows); i < edge(row + 1, of->rows, of->cost.rows);
         i++) {
        const float *at = of->cost.values + (size_t)i * of->cost.stride;
        for (int j = edge(col, of->cols, of->cost.cols); j < end; j++) {
            least = at[j] < least ? at[j] : least;
            of->greatest = at[j] > of->greatest ? at[j] : of->greatest;
        }
    }
    of->least = least < of->least ? least : of->least;
    return least;
}

static void write_grid(reduction *of, double fps, uint8_t *out)
{
    const uint32_t numbers[] = { LAYOUT, (uint32_t)of->rows, (uint32_t)of->cols,
                                 (uint32_t)of->cost.rows, (uint32_t)of->cost.cols };
    uint8_t *at = out + HEADER_BYTES;
    for (int row = 0; row < of->rows; row++) {
        for (int col = 0; col < of->cols; col++, at += sizeof(float)) {
            float least = least_of(of, row, col);
            memcpy(at, &least, sizeof least);
        }
    }
    memcpy(out, "MRYG", 4);
    memcpy(out + 4, numbers, sizeof numbers);
    memcpy(out + 24, &of->least, sizeof(float));
    memcpy(out + 28, &of->greatest, sizeof(float));
    memcpy(out + 32, &fps, sizeof fps);
}

void grid_answer(marey_rows cost, double fps, int rows, int cols, studio_response *response)
{
    reduction all = { .cost = cost,
                      .rows = cost.rows < rows ? cost.rows : rows,
                      .cols = cost.cols < cols ? cost.cols : cols,
                      .least = INFINITY,
                      .greatest = -INFINITY };
    size_t size = HEADER_BYTES + (size_t)all.rows * (size_t)all.cols * sizeof(float);
    uint8_t *out = bytes_extend(&response->body, size);
    response->status = 200;
    response->type = "application/octet-stream";
    if (out) {
        write_grid(&all, fps, out);
    } else {
        api_fail_memory(response);
    }
}
