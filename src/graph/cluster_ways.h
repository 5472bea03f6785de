/* cluster_ways.h - ways from clip to clip through a cluster graph: which there are, and the cheapest. Read by cluster_route.c,
   which is asked for them, cluster_reach.c and cluster_ways.c.

   Rows here are those of all clips one behind the other, as in marey_clusters. A way plays rows of the first clip, switches, plays
   on, .. switches to the last clip and plays that. It is searched for in states: a row, in which of these parts of the way it is
   played, and how many of the nodes that are to be passed through were. */
#ifndef MRY_CLUSTER_WAYS_H
#define MRY_CLUSTER_WAYS_H

#include "graph/cluster_pairs.h"

/* A switch that costs so much counts for a second more. */
#define MRY_SECOND_CM2 100.0

typedef struct mry_crossing {
    const marey_clusters *of;
    marey_route_def def; /* every default filled in */
    int rows;            /* of all clips */
    int from; /* row to begin with; -1: where the first clip, or a captured part of it, begins */
    int to;   /* row to end with; -1: where the last clip, or a captured part of it, ends */
    uint8_t *leave; /* of each row: the first switch may be from there */
    uint8_t *enter; /* the last one may be to it: what is behind it is played to the end */
    uint8_t *lead;  /* from there, played between the clips, the end can be reached */
} mry_crossing;

static inline int mry_row_clip(const marey_clusters *c, int row)
{
    return c->sequences[c->sequence[row]].clip;
}

static inline int mry_row_node(const marey_clusters *c, int row)
{
    return c->sequences[c->sequence[row]].node;
}

/* Is the row behind it what the clip goes on with? */
static inline bool mry_row_goes_on(const marey_clusters *c, int row)
{
    int sequence = c->sequence[row];
    const marey_cluster_sequence *of = &c->sequences[sequence];
    return mry_sequence_goes_on(c, sequence,
                                row - c->first_row[of->clip] - c->sequence_row[sequence]);
}

/* Does the clip, or a captured part of it, begin with it? */
static inline bool mry_row_begins(const marey_clusters *c, int row)
{
    int sequence = c->sequence[row];
    const marey_cluster_sequence *of = &c->sequences[sequence];
    return of->before < 0 && row == c->first_row[of->clip] + c->sequence_row[sequence];
}

static inline int mry_row_frame(const marey_clusters *c, int row)
{
    int clip = mry_row_clip(c, row);
    return c->features[clip]->frame[row - c->first_row[clip]];
}

/* ---- cluster_reach.c: which ways there are -------------------------------------------------------------------- */

/* Fills leave, enter and lead, which have room for all rows, as if no nodes were asked for. anywhere: wherever the clips can
   be left and entered. false: out of memory. */
bool mry_crossing_reach(mry_crossing *crossing, mry_arena *tmp, bool anywhere);

/* ---- cluster_ways.c: the cheapest ------------------------------------------------------------------------------ */

typedef struct mry_crossed {
    int switches;
    int *from, *to; /* rows: of each switch; played are those up to `from`, and from `to` + 1 on */
    int first, last;
    double cost;
} mry_crossed;

/* With one switch, or with any number of them. Lives in mem. switches is 0 if there is none. MEMORY, CANCELLED. */
marey_status mry_crossing_find(const mry_crossing *crossing, mry_arena *mem, bool one,
                               mry_crossed *out, marey_error *error);

#endif
