/* fuzz_cluster.c - a sound cluster graph as bytes, changed at the places that the input names, with its sum put right again:
   what the sum would catch is let through, so that reading must cope. What is read is looked at and switched in. The first
   byte chooses the link. */
#include "store/store.h"

#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 70, SUM_BYTES = 8, VERSION = 1 }; /* as cluster_bytes.c has them */

static const char skeleton[] = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition "
                               "Yposition Zposition Zrotation Xrotation "
                               "Yrotation\nJOINT Spine\n{\nOFFSET 0 40 1\nCHANNELS 3 Zrotation "
                               "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 "
                               "20 0\n}\n}\n}\nMOTION\nFrames: 70\nFrame Time: 0.05\n";

/* Made once; the fuzzer runs in one thread. */
static struct {
    char *clip;
    uint8_t *bytes[MAREY_LINK_COUNT];
    size_t size[MAREY_LINK_COUNT];
} base;

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_cluster: not so: %s\n", what);
    abort();
}

static marey_ctx *open_ctx(void)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)64 << 20 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    return ctx;
}

static marey_clip *load_clip(marey_ctx *ctx)
{
    marey_clip *clip = NULL;
    require(!marey_clip_load_bytes(ctx, "a.bvh", base.clip, strlen(base.clip), NULL, &clip, NULL),
            "the clip loads");
    return clip;
}

static void make_clip(void)
{
    size_t room = sizeof skeleton + FRAMES * 100, used = sizeof skeleton - 1;
    base.clip = malloc(room);
    require(base.clip != NULL, "there is memory");
    memcpy(base.clip, skeleton, used);
    for (int f = 0; f < FRAMES; f++)
        used +=
            (size_t)snprintf(base.clip + used, room - used, "%.2f %.3f 2 %.3f 0 5 %.3f 5 0\n",
                             2.0 * f, 90 + 2 * sin(f * 0.4), 4 * sin(f * 0.5), 20 * sin(f * 0.4));
}

static void make_graphs(void)
{
    marey_ctx *ctx = open_ctx();
    marey_clip *clip = load_clip(ctx);
    const marey_clip *clips[] = { clip };
    for (int link = 0; link < MAREY_LINK_COUNT; link++) {
        marey_clusters_def def = { .link = (marey_link)link, .threshold = link ? 2 : 20 };
        marey_clusters *made;
        uint8_t *bytes;
        require(!marey_clusters_build(ctx, clips, 1, &def, &made, NULL), "a graph is made");
        require(!marey_clusters_write(made, &bytes, &base.size[link], NULL), "and written");
        base.bytes[link] = malloc(base.size[link]);
        require(base.bytes[link] != NULL, "there is memory");
        memcpy(base.bytes[link], bytes, base.size[link]);
        marey_graph_bytes_free(ctx, bytes, base.size[link]);
        marey_clusters_free(made);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

static void put_sum(uint8_t *bytes, size_t size)
{
    uint64_t sum = mry_hash64(bytes, size - SUM_BYTES, VERSION);
    for (size_t i = 0; i < SUM_BYTES; i++) bytes[size - SUM_BYTES + i] = (uint8_t)(sum >> 8 * i);
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

/* Four bytes name a change: where (three), and what to add there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip) {
        make_clip();
        make_graphs();
    }
    if (size < 1) return 0;
    int link = data[0] % MAREY_LINK_COUNT;
    size_t whole = base.size[link], cut = data[0] > 200 ? data[0] - 200u : 0;
    uint8_t *bytes = malloc(whole);
    require(bytes != NULL, "there is memory");
    memcpy(bytes, base.bytes[link], whole);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = ((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % whole;
        bytes[at] = (uint8_t)(bytes[at] + data[i + 3]);
    }
    put_sum(bytes, whole - cut);
    marey_ctx *ctx = open_ctx();
    marey_clip *clip = load_clip(ctx);
    const marey_clip *clips[] = { clip };
    marey_clusters *read_back;
    bool read = !marey_clusters_read(ctx, bytes, whole - cut, clips, 1, &read_back, NULL);
    require(read || size > 1 || cut > 0, "what was not changed is read");
    if (read) use_graph(ctx, read_back);
    if (read) marey_clusters_free(read_back);
    free(bytes);
    marey_clip_free(clip);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
