/* cluster_bench.h - a library of demo takes with cluster graphs of two short walks: `few` nodes,
   `fine` ones, and frames that are all `apart`. Read after graph_bench.h. */
#ifndef MAREY_TEST_CLUSTER_BENCH_H
#define MAREY_TEST_CLUSTER_BENCH_H

#include "graph_bench.h"

typedef struct open_clusters {
    marey_parts *parts;
    marey_clusters *graph;
    const marey_cluster_node *nodes;
    const marey_cluster_sequence *sequences;
    int node_count, sequence_count;
} open_clusters;

/* The judge: the library itself. */
static inline open_clusters judge(api_bench *b, const char *name)
{
    open_clusters of = { .graph = NULL };
    marey_error error = { 0 };
    if (marey_library_clusters(b->by.library, name, &of.parts, &of.graph, &error) != MAREY_OK)
        fail_msg("%s", error.message);
    of.nodes = marey_clusters_nodes(of.graph, &of.node_count);
    of.sequences = marey_clusters_sequences(of.graph, &of.sequence_count);
    return of;
}

static inline void judge_free(open_clusters *of)
{
    marey_clusters_free(of->graph);
    marey_parts_free(of->parts);
}

OWNED_VALUE(open_clusters, judge_free)

static inline int widest_node(const open_clusters *of)
{
    int best = 0;
    for (int i = 0; i < of->node_count; i++) {
        if (of->nodes[i].sequences > of->nodes[best].sequences) best = i;
    }
    return best;
}

static inline int cluster_bench_open(void **state)
{
    graph_bench_open(state);
    bench_program("marey cluster build lib.marey few walk left --threshold 100 --quiet");
    bench_program("marey cluster build lib.marey fine walk left --threshold 30 --quiet");
    bench_program("marey cluster build lib.marey apart walk left --threshold 0.000001 "
                  "--quiet");
    return 0;
}

#endif
