/* guests.h - motions that stand in a copy of a graph beside its own. Read by family_ways.c,
   perform*.c and their tests. */
#ifndef MRY_GUESTS_H
#define MRY_GUESTS_H

#include "graph/graph_data.h"

typedef struct mry_guest {
    const marey_clip *clip;         /* as it is */
    const marey_contacts *contacts; /* its plants; NULL: it has none */
    const marey_clip *brought;      /* at the graph's rate, on its bones */
    /* Frames of `brought` that stay as they are, however the motion is joined, a byte each; NULL:
       none must. */
    const uint8_t *kept;
    int first; /* its first node; written by mry_graph_with */
} mry_guest;

/* A motion at the graph's rate, on its bones. Errors: as marey_clip_fit. */
marey_status mry_guest_bring(const marey_graph *graph, const marey_clip *clip,
                             const marey_contacts *contacts, marey_clip **out, marey_error *error);

/* A copy with guests and without transitions. The graph and the guests' clips must live as long. */
marey_status mry_graph_with(marey_ctx *ctx, const marey_graph *graph, mry_guest *guests, int count,
                            marey_graph **out, marey_error *error);

/* A transition from or to a guest. */
typedef struct mry_bridge {
    marey_graph_transition over;
    mry_floor place;
    int half;
} mry_bridge;

/* From a node to the one behind `like`, which is laid on it. */
mry_bridge mry_graph_bridge_of(const mry_bodies *bodies, int from, int like);

/* Gives a copy the graph's transitions and these, which are sorted. false: out of memory. */
bool mry_graph_bridge(marey_graph *copy, const marey_graph *graph, mry_bridge *bridges, int count);

#endif
