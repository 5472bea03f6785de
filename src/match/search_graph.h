/* search_graph.h - a match graph while it grows, and as it is handed out. Read by match. */
#ifndef MRY_SEARCH_GRAPH_H
#define MRY_SEARCH_GRAPH_H

#include "match/search_pick.h"

#include "base/arena.h"

/* ---- while it grows: nodes in the order of finding --------------------------------------------------- */

typedef struct mry_node {
    marey_found found;
    int64_t start_sum, end_sum; /* over all intervals that were merged to it */
    int merged;
    int next;       /* the node of the same clip that was found before; -1 */
    int first_edge; /* of those that touch it; -1 */
} mry_node;

typedef struct mry_edge {
    marey_match_edge edge; /* numbers of nodes */
    int steps;             /* in the list of steps */
    marey_cell begin;      /* its first cell in the web's rows */
    mry_rates rates;
    int next[2]; /* of `from`, of `to`; -1 */
} mry_edge;

typedef struct mry_grower {
    marey_ctx *ctx;
    mry_list nodes, edges;
    mry_list steps;      /* bytes */
    mry_list clip_nodes; /* int a clip: its node found last, -1 */
    mry_list edge_with;  /* int a node: its edge with the query in hand, -1 */
    mry_list order;      /* int: nodes as they are handed out */
    mry_list founds;     /* marey_found: the same, with the distances */
} mry_grower;

static inline mry_node *mry_node_at(const mry_grower *g, int i)
{
    return (mry_node *)g->nodes.items + i;
}

static inline mry_edge *mry_edge_at(const mry_grower *g, int i)
{
    return (mry_edge *)g->edges.items + i;
}

/* Where a bool is answered, false means: no memory. */
bool mry_grower_start(mry_grower *g, marey_ctx *ctx, int clips, marey_segment query);
void mry_grower_free(mry_grower *g);

/* To be called before the hits of node `query` are added. */
void mry_grower_query(mry_grower *g, int query);

typedef enum mry_fate {
    MRY_FATE_NEW,
    MRY_FATE_MERGED,
    MRY_FATE_DROPPED,
    MRY_FATE_NO_ROOM
} mry_fate;

/* Adds one hit (webs, 6.2.3): in the first tier every hit is a match, later it is compared with the nodes that are known.
   At most `limit` nodes besides the query. */
bool mry_grower_add(mry_grower *g, int query, const mry_hit *hit, const mry_list *steps,
                    const marey_search_def *def, mry_fate *fate);

/* Fills `order` and `founds`. */
bool mry_grower_arrange(mry_grower *g);

/* ---- as it is handed out ---------------------------------------------------------------------------------- */

struct marey_match_graph {
    mry_arena mem; /* everything below lives here, and so does the graph itself */
    int found_count, edge_count;
    marey_found *founds;
    marey_match_edge *edges;
    int *steps_start;  /* of each edge */
    marey_cell *begin; /* likewise: its first cell in its web's rows, */
    mry_rates *rates;  /* and what these are counted by */
    uint8_t *steps;
    marey_search_report report;
};

/* After mry_grower_arrange. NULL: no memory. */
marey_match_graph *mry_match_graph_make(const mry_grower *g, marey_search_report report);

#endif
