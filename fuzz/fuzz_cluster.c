/* fuzz_cluster.c - a sound cluster graph as bytes, changed at the places that the input names, with
   its sum put right again: what the sum would catch is let through, so that reading must cope. What
   is read is looked at and switched in. The first byte chooses the link. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VERSION = 1 }; /* as graph_bytes.c has it */

static void make_graphs(void)
{
    marey_ctx *ctx = open_ctx();
    marey_clip *clip;
    load_clips(ctx, 1, &clip);
    const marey_clip *clips[] = { clip };
    for (int link = 0; link < MAREY_LINK_COUNT; link++) {
        marey_clusters_def def = { .link = (marey_link)link, .threshold = link ? 2 : 20 };
        marey_clusters *made;
        uint8_t *bytes;
        size_t size;
        require(!marey_clusters_build(ctx, clips, 1, &def, &made, NULL), "a graph is made");
        require(!marey_clusters_write(made, &bytes, &size, NULL), "and written");
        keep_bytes(ctx, link, bytes, size);
        marey_clusters_free(made);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

static void use_graph(marey_ctx *ctx, const marey_clusters *of)
{
    int count, nodes, edges, found;
    uint8_t *bytes;
    size_t size;
    marey_cluster_switch best;
    const marey_cluster_sequence *all = marey_clusters_sequences(of, &count);
    const marey_cluster_node *node = marey_clusters_nodes(of, &nodes);
    const marey_cluster_edge *edge = marey_clusters_edges(of, &edges);
    for (int s = 0; s < count; s++) {
        require(all[s].node >= 0 && all[s].node < nodes && all[s].next < count, "it is sound");
        require(marey_clusters_find(of, 0, all[s].start) == s, "frames are found");
    }
    for (int e = 0; e < edges; e++)
        require(edge[e].from < nodes && edge[e].to < nodes && edge[e].count > 0, "edges are sound");
    for (int n = 0; n < nodes; n++) {
        require(node[n].sequences > 0 && node[n].first + node[n].sequences <= count, "nodes are");
        if (node[n].sequences > 1)
            marey_clusters_switches(ctx, of, node[n].first, node[n].first + 1, 1, &best, &found,
                                    NULL);
    }
    if (!marey_clusters_write(of, &bytes, &size, NULL)) marey_graph_bytes_free(ctx, bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip[0]) {
        make_clip();
        make_graphs();
    }
    if (size < 1) return 0;
    int link = data[0] % MAREY_LINK_COUNT;
    size_t whole;
    uint8_t *bytes = changed_bytes(link, data, size, VERSION, &whole);
    marey_ctx *ctx = open_ctx();
    marey_clip *clip;
    load_clips(ctx, 1, &clip);
    const marey_clip *clips[] = { clip };
    marey_clusters *read_back;
    bool read = !marey_clusters_read(ctx, bytes, whole, clips, 1, &read_back, NULL);
    require(read || size > 1 || whole < base.size[link], "what was not changed is read");
    if (read) use_graph(ctx, read_back);
    if (read) marey_clusters_free(read_back);
    free(bytes);
    marey_clip_free(clip);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
