/* fuzz_graph.c - a sound motion graph as bytes, changed at the places that the input names, with
   its sum put right again: what the sum would catch is let through, so that reading must cope. What
   is read is walked in and measured. The first byte chooses the kind of graph. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VERSION = 3 }; /* as graph_bytes.c has it */

static void make_graphs(void)
{
    static const marey_behaviour doing[] = { { 0, 0, 20, "go", false },
                                             { 0, 30, 60, "stop", true } };
    marey_ctx *ctx = open_ctx();
    marey_clip *clip;
    load_clips(ctx, 1, &clip);
    const marey_clip *clips[] = { clip };
    marey_metric_def metric = { .joints = marey_joint_weights_find(0) };
    for (int kind = 0; kind < MAREY_GRAPH_KIND_COUNT; kind++) {
        marey_graph_def def = { .kind = (marey_graph_kind)kind,
                                .metric = &metric,
                                .threshold = 20,
                                .behaviours = doing,
                                .behaviour_count = 2 };
        marey_graph *graph;
        uint8_t *bytes;
        size_t size;
        require(!marey_graph_build(ctx, clips, 1, NULL, &def, &graph, NULL), "a graph is made");
        require(!marey_graph_write(graph, &bytes, &size, NULL), "and written");
        keep_bytes(ctx, kind, bytes, size);
        marey_graph_free(graph);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

static void use_walk(marey_ctx *ctx, const marey_graph *graph)
{
    marey_walk walk = { 0 };
    marey_made made = { 0 };
    marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = 60 };
    if (marey_graph_walk(ctx, graph, &def, &walk, NULL)) return;
    if (!marey_walk_make(ctx, graph, &walk, NULL, &made, NULL, NULL)) marey_made_free(&made);
    marey_walk_free(&walk);
}

static void use_graph(marey_ctx *ctx, const marey_graph *graph)
{
    marey_graph_stats row;
    uint8_t *bytes, bits[(FRAMES + 7) / 8 * FRAMES];
    size_t size;
    int labels, nodes = marey_graph_nodes(graph);
    marey_graph_labels(graph, &labels);
    for (int n = 0; n < nodes; n++) {
        int first, count = marey_graph_leaving(graph, n, &first);
        marey_graph_node of = marey_graph_node_of(graph, n);
        require(of.next < nodes && of.before < nodes && first >= 0 && count >= 0, "it is sound");
        for (int l = 0; l < labels; l++) marey_graph_has_label(graph, n, l);
    }
    if (marey_graph_originals(graph) <= FRAMES) marey_graph_closure(ctx, graph, bits, NULL);
    marey_graph_measure(ctx, graph, &row, NULL);
    if (!marey_graph_write(graph, &bytes, &size, NULL)) marey_graph_bytes_free(ctx, bytes, size);
    use_walk(ctx, graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip[0]) {
        make_clip();
        make_graphs();
    }
    if (size < 1) return 0;
    int kind = data[0] % MAREY_GRAPH_KIND_COUNT;
    size_t whole;
    uint8_t *bytes = changed_bytes(kind, data, size, VERSION, &whole);
    marey_ctx *ctx = open_ctx();
    marey_clip *clip;
    load_clips(ctx, 1, &clip);
    const marey_clip *clips[] = { clip };
    marey_graph *graph;
    bool read = !marey_graph_read(ctx, bytes, whole, clips, 1, NULL, &graph, NULL);
    require(read || size > 1 || whole < base.size[kind], "what was not changed is read");
    if (read) use_graph(ctx, graph);
    if (read) marey_graph_free(graph);
    free(bytes);
    marey_clip_free(clip);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
