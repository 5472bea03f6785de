/* graph_picture.h - the square of a motion graph's frames by its frames. Read after picture.h. */
#ifndef MRY_GRAPH_PICTURE_H
#define MRY_GRAPH_PICTURE_H

#include <marey/graph.h>

/* The least distance of the frames that fall on each pixel, side x side floats, row after row. */
marey_status mry_graph_distances(const marey_graph *graph, int side, float *out,
                                 marey_error *error);

/* Where frame n falls. */
static inline int mry_graph_pixel(int originals, int side, int n)
{
    return (int)((int64_t)n * side / originals);
}

#endif
