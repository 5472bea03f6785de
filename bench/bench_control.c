/* bench_control.c - steering on the c3 set of real clips: control, transition and total of standard
   graphs at several thresholds and of well-connected ones, with the same wishes; how long training
   and a step take.

       bench_control [THRESHOLD ..]    connected graphs at these thresholds; default 0.2, 0.3 and
   0.5 */
#include "bench.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { CLIPS = 9, SCRIPT_S = 300 };

/* The same for every graph: what a transition is worth does not depend on the threshold. Ten times
   0.2, the threshold of the paper's well-connected graph; its table 6 gives such transitions 0.95,
   which is a sigma of 2 to 4. */
#define SIGMA 2.0
#define POOR 0.1       /* what gives standard graphs their best totals with this sigma */
#define WALK_CM_S 90.0 /* what the set's walkers do */

static void need(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(3);
}

static void load(marey_ctx *ctx, marey_clip **clips)
{
    static const char *const names[CLIPS] = { "143_01", "143_02", "143_03", "143_05", "143_10",
                                              "143_11", "143_29", "143_32", "143_38" };
    marey_load_def def = { .source_fps = 60 };
    marey_error error;
    for (int i = 0; i < CLIPS; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", bench_mocap_folder(), names[i]);
        if (marey_clip_load(ctx, path, &def, &clips[i], &error)) {
            printf("no real clips: %s\n", error.message);
            exit(0);
        }
    }
}

/* A new direction every 2 to 3 s. */
typedef struct script {
    uint32_t seed;
    int left;
    marey_control_input wish;
} script;

static uint32_t draw(script *s)
{
    s->seed = s->seed * 1664525u + 1013904223u;
    return s->seed >> 8;
}

static const marey_control_input *wish_now(script *s, double fps)
{
    if (s->left-- <= 0) {
        s->wish.direction_rad = (draw(s) % 360) * PI / 180;
        s->wish.speed_cm_s = WALK_CM_S;
        s->left = (int)((2 + draw(s) % 1000 / 1000.0) * fps);
    }
    return &s->wish;
}

typedef struct outcome {
    marey_control_score score;
    double step_us, worst_us;
} outcome;

static outcome steer(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy)
{
    marey_controller *controller;
    marey_error error;
    outcome out = { 0 };
    script wishes = { .seed = 1 };
    double fps = marey_graph_fps(graph);
    need(marey_controller_open(ctx, graph, policy, NULL, &controller, &error), &error);
    double start = bench_cpu_s();
    int frames = (int)(SCRIPT_S * fps);
    for (int f = 0; f < frames; f++) {
        marey_controller_frame frame;
        double before = bench_cpu_s();
        marey_controller_step(controller, wish_now(&wishes, fps), &frame);
        double took = 1e6 * (bench_cpu_s() - before);
        if (took > out.worst_us) out.worst_us = took;
    }
    out.step_us = 1e6 * (bench_cpu_s() - start) / frames;
    out.score = marey_controller_score(controller);
    marey_controller_free(controller);
    return out;
}

static double core_percent(const marey_graph *graph)
{
    int in = 0, all = marey_graph_originals(graph);
    for (int n = 0; n < all; n++) in += marey_graph_node_of(graph, n).core;
    return 100.0 * in / all;
}

static double row(marey_ctx *ctx, marey_clip *const *clips, marey_graph_def def)
{
    const double speeds[] = { 0, WALK_CM_S };
    marey_policy_def how = { .speeds = speeds, .speed_count = 2, .poor = POOR };
    marey_graph *graph;
    marey_policy *policy;
    marey_error error;
    double start = bench_cpu_s();
    def.sigma = SIGMA;
    need(
        marey_graph_build(ctx, (const marey_clip *const *)clips, CLIPS, NULL, &def, &graph, &error),
        &error);
    double built = bench_cpu_s();
    need(marey_policy_train(ctx, graph, &how, &policy, &error), &error);
    double trained = bench_cpu_s();
    int transitions;
    marey_graph_transitions(graph, &transitions);
    outcome out = steer(ctx, graph, policy);
    printf("%-10s %6.1f  %7.3f %10.3f %6.3f  %5d  %5.1f %% %7d %8d  %6.1f %6.1f  %4d  %6.2f "
           "%6.2f  %8zu\n",
           marey_graph_kind_name(def.kind), marey_graph_settings(graph)->threshold,
           out.score.control, out.score.transition, out.score.total, out.score.transitions,
           core_percent(graph), marey_graph_nodes(graph), transitions, built - start,
           trained - built, marey_policy_rounds(policy), out.step_us, out.worst_us,
           marey_policy_bytes(policy));
    fflush(stdout);
    marey_policy_free(policy);
    marey_graph_free(graph);
    return out.score.total;
}

int main(int argc, char **argv)
{
    static const double thresholds[] = { 0.2, 0.5, 1, 2, 3, 5, 10, 30, 100, 400 };
    marey_ctx *ctx;
    marey_clip *clips[CLIPS];
    double best = 0;
    if (marey_ctx_open(NULL, &ctx)) return 3;
    load(ctx, clips);
    printf("%-10s %6s  %7s %10s %6s  %5s  %7s %7s %8s  %6s %6s  %4s  %6s %6s  %8s\n", "graph",
           "cm2", "control", "transition", "total", "taken", "core", "nodes", "trans.", "build",
           "train", "rnds", "step", "worst", "bytes");
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        best = fmax(best, row(ctx, clips, (marey_graph_def){ .threshold = thresholds[i] }));
    best = fmax(best, row(ctx, clips, (marey_graph_def){ 0 }));
    static const double woven[] = { 0.2, 0.3, 0.5 };
    for (int i = 0; i < (argc > 1 ? argc - 1 : 3); i++) {
        marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                                .threshold = argc > 1 ? strtod(argv[i + 1], NULL) : woven[i] };
        double total = row(ctx, clips, def);
        bench_figure("total over that of the best standard graph", total / best, "", 1.6, true);
    }
    for (int i = 0; i < CLIPS; i++) marey_clip_free(clips[i]);
    marey_ctx_close(ctx);
    return 0;
}
