/* fuzz_policy.c - a sound policy as bytes, changed at the places that the input names, with its sum
   put right again: what the sum would catch is let through, so that reading must cope. What is read
   steers a character that wishes what the input says. The first byte chooses the graph's kind. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VERSION = 1, STEPS = 200 }; /* as graph_bytes.c has it */

/* They stay open: reading a policy changes nothing about its graph. */
static marey_graph *graphs[MAREY_GRAPH_KIND_COUNT];

static void make_policies(void)
{
    static const double speeds[] = { 0, 40, 80 };
    marey_policy_def trained = { .directions = 8, .speeds = speeds, .speed_count = 3 };
    marey_metric_def metric = { .joints = marey_joint_weights_find(0) };
    static marey_ctx *ctx;
    static marey_clip *clip;
    ctx = open_ctx();
    load_clips(ctx, 1, &clip);
    for (int kind = 0; kind < MAREY_GRAPH_KIND_COUNT; kind++) {
        marey_graph_def def = { .kind = (marey_graph_kind)kind,
                                .metric = &metric,
                                .threshold = 20 };
        const marey_clip *clips[] = { clip };
        marey_policy *policy;
        uint8_t *bytes;
        size_t size;
        require(!marey_graph_build(ctx, clips, 1, NULL, &def, &graphs[kind], NULL),
                "a graph is made");
        require(!marey_policy_train(ctx, graphs[kind], &trained, &policy, NULL),
                "a policy is trained");
        require(!marey_policy_write(policy, &bytes, &size, NULL), "and written");
        keep_bytes(ctx, kind, bytes, size);
        marey_policy_free(policy);
    }
}

static void steer(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                  const uint8_t *data, size_t size)
{
    marey_controller *controller;
    marey_controller_frame frame;
    if (marey_controller_open(ctx, graph, policy, NULL, &controller, NULL)) return;
    for (size_t i = 0; i < STEPS; i++) {
        marey_control_input wish = { (data[i % size] - 128) * 0.1, data[(i / 4 + 1) % size] * 0.5 };
        marey_controller_step(controller, &wish, &frame);
        require(frame.node >= 0 && frame.node < marey_graph_nodes(graph), "it is at a node");
        require(isfinite(frame.x_cm) && isfinite(frame.z_cm) && isfinite(frame.speed_cm_s) &&
                    isfinite(frame.direction_rad),
                "it is somewhere");
    }
    marey_control_score score = marey_controller_score(controller);
    require(score.frames == STEPS && score.control >= 0 && score.control <= 1, "it has a score");
    marey_controller_free(controller);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip[0]) {
        make_clip();
        make_policies();
    }
    if (size < 1) return 0;
    int kind = data[0] % MAREY_GRAPH_KIND_COUNT;
    size_t whole;
    uint8_t *bytes = changed_bytes(kind, data, size, VERSION, &whole), *again;
    marey_ctx *ctx = open_ctx();
    marey_policy *policy = NULL;
    bool read = !marey_policy_read(ctx, bytes, whole, graphs[kind], &policy, NULL);
    require(read || size > 1 || whole < base.size[kind], "what was not changed is read");
    if (read) {
        steer(ctx, graphs[kind], policy, data, size);
        if (!marey_policy_write(policy, &again, &whole, NULL))
            marey_graph_bytes_free(ctx, again, whole);
    }
    marey_policy_free(policy);
    free(bytes);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
