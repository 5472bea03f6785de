/* part_control.c - table 6: the same wishes for standard graphs at several thresholds and for
   well-connected ones. */
#include "graphs_parts.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { SCRIPT_S = 300, SCRIPTS = 3 };

#define POOR_S 0.1     /* which gives standard graphs their best totals, with a sigma of 2 cm2 */
#define WALK_CM_S 90.0 /* what the walkers of c3 do */

/* A new direction every 2 to 3 s. */
typedef struct wishes {
    uint32_t seed;
    int left;
    marey_control_input wish;
} wishes;

static uint32_t draw(wishes *of)
{
    of->seed = of->seed * 1664525u + 1013904223u;
    return of->seed >> 8;
}

static const marey_control_input *wish_now(wishes *of, double fps)
{
    if (of->left-- <= 0) {
        of->wish.direction_rad = (draw(of) % 360) * PI / 180;
        of->wish.speed_cm_s = WALK_CM_S;
        of->left = (int)((2 + draw(of) % 1000 / 1000.0) * fps);
    }
    return &of->wish;
}

static marey_control_score steer(const lab *of, const marey_graph *graph,
                                 const marey_policy *policy, uint32_t seed)
{
    marey_controller *controller;
    marey_controller_frame frame;
    marey_error error;
    wishes script = { .seed = seed };
    double fps = marey_graph_fps(graph);
    lab_need(marey_controller_open(of->ctx, graph, policy, NULL, &controller, &error), &error);
    for (int f = 0; f < (int)(SCRIPT_S * fps); f++)
        marey_controller_step(controller, wish_now(&script, fps), &frame);
    marey_control_score score = marey_controller_score(controller);
    marey_controller_free(controller);
    return score;
}

static double row(const lab *of, const marey_graph *graph, const char *what)
{
    const double speeds[] = { 0, WALK_CM_S };
    marey_policy_def how = { .speeds = speeds, .speed_count = 2, .poor = POOR_S };
    marey_policy *policy;
    marey_error error;
    marey_control_score sum = { 0 };
    int core = 0;
    double start = lab_cpu_s();
    lab_need(marey_policy_train(of->ctx, graph, &how, &policy, &error), &error);
    double trained = lab_cpu_s() - start;
    for (uint32_t seed = 1; seed <= SCRIPTS; seed++) {
        marey_control_score one = steer(of, graph, policy, seed);
        sum.control += one.control / SCRIPTS;
        sum.transition += one.transition / SCRIPTS;
        sum.total += one.total / SCRIPTS;
        sum.transitions += one.transitions;
    }
    for (int n = 0; n < marey_graph_originals(graph); n++)
        core += marey_graph_node_of(graph, n).core;
    printf("| %s | %.3g | %.2f | %.2f | %.2f | %d | %.2f | %.1f |\n", what,
           marey_graph_settings(graph)->threshold, sum.control, sum.transition, sum.total, core,
           (double)sum.transitions / (SCRIPTS * SCRIPT_S), trained);
    marey_policy_free(policy);
    return sum.total;
}

static const struct {
    const char *name, *what;
    double threshold, suboptimality;
} kept[] = {
    { LAB_C3_GRAPH, "wcMG, optimal", 0.2, 1 },
    { LAB_C3_FIVE, "wcMG, µ = 5", 0.2, 5 },
    { LAB_C3_0_4, "wcMG, optimal", 0.4, 1 },
    { LAB_C3_1, "wcMG, optimal", 1, 1 },
};

/* Sigma is a part of a graph, so with another one than the kept graphs have they are built
   again. */
static void connected_row(const lab *of, const lab_set *set, int i, double sigma, double best)
{
    lab_cost cost;
    marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                            .threshold = kept[i].threshold,
                            .suboptimality = kept[i].suboptimality,
                            .sigma = sigma };
    marey_graph *graph = sigma == LAB_SIGMA ? lab_keep(of, set, kept[i].name, def, &cost)
                                            : lab_build(of, set, set->count, def, &cost);
    double total = row(of, graph, kept[i].what);
    printf("| over the best MG | | | | **%.2f** | | | |\n", total / best);
    marey_graph_free(graph);
}

static void table(const lab *of, const lab_set *set, double sigma, int connected)
{
    static const double standard[] = { 0.2, 0.6, 1, 2, 3, 5, 10, 30 };
    double best = 0;
    printf("\nSigma %g cm²:\n\n"
           "| graph | cm² | control | transition | total | frames in the component | transitions a "
           "second | training, CPU s |\n|---|---|---|---|---|---|---|---|\n",
           sigma);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        marey_graph_def def = { .threshold = standard[i], .sigma = sigma };
        marey_graph *graph = lab_build(of, set, set->count, def, NULL);
        best = fmax(best, row(of, graph, "MG"));
        marey_graph_free(graph);
    }
    for (int i = 0; i < connected; i++) connected_row(of, set, i, sigma, best);
}

void part_control(const lab *of)
{
    lab_set set = { 0 };
    lab_load(of, lab_rows[LAB_C3].set, lab_rows[LAB_C3].fps, &set);
    lab_label(of, &set);
    printf("\n## Table 6: control\n\nc3, %d scripts of %d s with a new direction every 2 to 3 s, "
           "walking at %g cm/s; the quality lost at a transition counts for %g s of following. The "
           "slides: well-connected 0.74, 0.95, 0.70; standard at best "
           "0.51, 0.87, 0.44.\n",
           (int)SCRIPTS, (int)SCRIPT_S, WALK_CM_S, POOR_S);
    table(of, &set, LAB_SIGMA, 4);
    table(of, &set, 10, 4);
    lab_set_free(&set);
}
