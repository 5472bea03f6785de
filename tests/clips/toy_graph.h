/* toy_graph.h - motion graphs drawn by lot, without motion: what walks are searched in, and judges
   of what is found. */
#ifndef MAREY_TOY_GRAPH_H
#define MAREY_TOY_GRAPH_H

#include "graph/graph_data.h"
#include "support.h"

enum { TOY_MOST = 48, TOY_MOST_LINKS = 160, TOY_LABELS = 3, TOY_FPS = 4 };
enum { TOY_MOST_ACTIONS = 3 * TOY_MOST };

/* It points at itself: not to be copied. */
typedef struct toy_graph {
    marey_graph g;
    int next[TOY_MOST], before[TOY_MOST], leaving[TOY_MOST + 1];
    uint8_t core[TOY_MOST], passed[TOY_MOST], allowed[TOY_MOST], contacts[TOY_MOST];
    uint8_t half[TOY_MOST_LINKS];
    int lands[TOY_MOST_LINKS];
    mry_action actions[TOY_MOST_ACTIONS];
    uint64_t labelled[TOY_MOST];
    mry_origin origin[TOY_MOST];
    marey_graph_transition links[TOY_MOST_LINKS];
    const char *labels[TOY_LABELS];
} toy_graph;

int toy_below(uint64_t *seed, int count); /* a number below count */

/* Sequences of a few nodes, a transition between one of `share` pairs of them, stretches with the
   labels walk, sit, wave. */
void toy_make(toy_graph *t, marey_ctx *ctx, uint64_t seed, int nodes, int share);

/* Finds anew where walks may go that stay so many frames in a piece (0: in every frame a choice), and
   what is labelled. Differences fade within these frames. */
void toy_settle(toy_graph *t, int least);

/* The cost of a step, INFINITY if there is none. */
double toy_step(const toy_graph *t, int from, int to);

int toy_node(const toy_graph *t, uint64_t *seed); /* any one of the core */

/* Every node may be passed, every step is one, pieces are long enough, and the cost is theirs. */
void toy_assert(const toy_graph *t, const marey_walk *walk);

/* A walk, which is asserted. */
marey_walk toy_walk(marey_ctx *ctx, const toy_graph *t, marey_walk_def def);

/* REQUEST, and the message has `says` in it. */
void toy_refused(marey_ctx *ctx, const toy_graph *t, marey_walk_def def, const char *says);

#endif
