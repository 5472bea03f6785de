/* cluster_pairs.h - how well one can go from a row of a sequence to a row of another: how far their
   bodies are from each other, laid on each other, and how differently these move. Read by
   cluster_switch.c, cluster_tuples.c, cluster_route.c and cluster_loops.c. */
#ifndef MRY_CLUSTER_PAIRS_H
#define MRY_CLUSTER_PAIRS_H

#include "cluster/cluster_data.h"

/* What stands for a row: `stride` floats,

       x, z, y    `points` each   places of the joints in the frames around the row, less their mean on the floor
       x, z, y    `moves` each    as far as the joints move in MAREY_CLUSTER_DERIVATIVE_S
       2 numbers                  sums of squares: of x and z of the places; of the moves

   both times the roots of the weights, and filled up with zeros to a multiple of four. */
typedef struct mry_pairing {
    const marey_clusters *of;
    int window, before;
    double frame_weight[MAREY_MOST_WINDOW];
    size_t points, moves, stride;
} mry_pairing;

mry_pairing mry_pairing_open(const marey_clusters *clusters);

/* Rows [first, first + count) of a clip, all of them captured; the second lets them live in mem.
   NULL: out of memory. */
void mry_pairing_fill(const mry_pairing *pairing, int clip, int first, int count, float *rows);
float *mry_pairing_rows(const mry_pairing *pairing, mry_arena *mem, int clip, int first, int count);

/* cm2: the weighted mean squared distance of the joints (Kovar & Gleicher 2003, eq. 1), and that of
   their moves, turned as the places are. *distance: the first part of it alone. */
double mry_pairing_parts(const mry_pairing *pairing, const float *a, const float *b,
                         double *distance);

static inline double mry_pairing_cost(const mry_pairing *pairing, const float *a, const float *b)
{
    double distance;
    return mry_pairing_parts(pairing, a, b, &distance);
}

/* Is there a row behind this one, to go on with? */
static inline bool mry_sequence_goes_on(const marey_clusters *c, int sequence, int row)
{
    return row + 1 < c->sequences[sequence].rows || c->sequences[sequence].next >= 0;
}

#endif
