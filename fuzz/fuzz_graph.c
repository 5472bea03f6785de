/* fuzz_graph.c - a sound motion graph as bytes, changed at the places that the input names, with its sum put right again: what
   the sum would catch is let through, so that reading must cope. What is read is walked in and measured. The first byte
   chooses the kind of graph. */
#include "store/store.h"

#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 70, SUM_BYTES = 8, VERSION = 2 }; /* as graph_bytes.c has them */

static const char skeleton[] = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition "
                               "Yposition Zposition Zrotation Xrotation "
                               "Yrotation\nJOINT Spine\n{\nOFFSET 0 40 1\nCHANNELS 3 Zrotation "
                               "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 "
                               "20 0\n}\n}\n}\nMOTION\nFrames: 70\nFrame Time: 0.05\n";

/* Made once; the fuzzer runs in one thread. */
static struct {
    char *clip;
    uint8_t *bytes[MAREY_GRAPH_KIND_COUNT];
    size_t size[MAREY_GRAPH_KIND_COUNT];
} base;

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_graph: not so: %s\n", what);
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
    static const marey_behaviour doing[] = { { 0, 0, 20, "go" }, { 0, 30, 60, "stop" } };
    marey_ctx *ctx = open_ctx();
    marey_clip *clip = load_clip(ctx);
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
        require(!marey_graph_build(ctx, clips, 1, NULL, &def, &graph, NULL), "a graph is made");
        require(!marey_graph_write(graph, &bytes, &base.size[kind], NULL), "and written");
        base.bytes[kind] = malloc(base.size[kind]);
        require(base.bytes[kind] != NULL, "there is memory");
        memcpy(base.bytes[kind], bytes, base.size[kind]);
        marey_graph_bytes_free(ctx, bytes, base.size[kind]);
        marey_graph_free(graph);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

static void put_sum(uint8_t *bytes, size_t size)
{
    uint64_t sum = mry_hash64(bytes, size - SUM_BYTES, VERSION);
    for (size_t i = 0; i < SUM_BYTES; i++) bytes[size - SUM_BYTES + i] = (uint8_t)(sum >> 8 * i);
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

/* Four bytes name a change: where (three), and what to add there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip) {
        make_clip();
        make_graphs();
    }
    if (size < 1) return 0;
    int kind = data[0] % MAREY_GRAPH_KIND_COUNT;
    size_t whole = base.size[kind], cut = data[0] > 200 ? data[0] - 200u : 0;
    uint8_t *bytes = malloc(whole);
    require(bytes != NULL, "there is memory");
    memcpy(bytes, base.bytes[kind], whole);
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = ((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % whole;
        bytes[at] = (uint8_t)(bytes[at] + data[i + 3]);
    }
    put_sum(bytes, whole - cut);
    marey_ctx *ctx = open_ctx();
    marey_clip *clip = load_clip(ctx);
    const marey_clip *clips[] = { clip };
    marey_graph *graph;
    bool read = !marey_graph_read(ctx, bytes, whole - cut, clips, 1, NULL, &graph, NULL);
    require(read || size > 1 || cut > 0, "what was not changed is read");
    if (read) use_graph(ctx, graph);
    if (read) marey_graph_free(graph);
    free(bytes);
    marey_clip_free(clip);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
