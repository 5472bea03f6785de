/* part_control.c - table 6: the same wishes for standard graphs at several thresholds and for
   well-connected ones. */
#include "graphs_parts.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { SCRIPT_S = 300, CHOSEN_BY = 3, OTHERS = 5 };

#define POOR_S 0.1      /* which gives standard graphs their best totals, with a sigma of 2 cm2 */
#define MUCH_POOR_S 1.0 /* the library's default */
#define WALK_CM_S 90.0  /* what the walkers of c3 do */

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

/* Mean over scripts. */
static marey_control_score mean(const lab *of, const marey_graph *graph, const marey_policy *policy,
                                uint32_t first, int scripts)
{
    marey_control_score sum = { 0 };
    for (int i = 0; i < scripts; i++) {
        marey_control_score one = steer(of, graph, policy, first + (uint32_t)i);
        sum.control += one.control / scripts;
        sum.transition += one.transition / scripts;
        sum.total += one.total / scripts;
        sum.transitions += one.transitions;
    }
    return sum;
}

/* Totals on the scripts that thresholds are chosen by, and on the others. */
typedef struct totals {
    double chosen_by, others;
} totals;

static totals row(const lab *of, const lab_set *set, const char *what, double poor_s,
                  marey_graph_def def)
{
    const double speeds[] = { 0, WALK_CM_S };
    marey_policy_def how = { .speeds = speeds, .speed_count = 2, .poor = poor_s };
    marey_policy *policy;
    marey_error error;
    int core = 0;
    marey_graph *graph = lab_build(of, set, set->count, def, NULL);
    double start = lab_cpu_s();
    lab_need(marey_policy_train(of->ctx, graph, &how, &policy, &error), &error);
    double trained = lab_cpu_s() - start;
    marey_control_score a = mean(of, graph, policy, 1, CHOSEN_BY);
    marey_control_score b = mean(of, graph, policy, 1 + CHOSEN_BY, OTHERS);
    for (int n = 0; n < marey_graph_originals(graph); n++)
        core += marey_graph_node_of(graph, n).core;
    printf("| %s | %g | %.3f | %.2f | %.2f | %.3f | %d | %.2f | %.1f |\n", what, def.threshold,
           a.total, b.control, b.transition, b.total, core,
           (double)b.transitions / (OTHERS * SCRIPT_S), trained);
    marey_policy_free(policy);
    marey_graph_free(graph);
    return (totals){ a.total, b.total };
}

static void table(const lab *of, const lab_set *set, double sigma, double poor_s)
{
    static const double standard[] = { 0.2, 0.6, 1, 1.4, 2, 3, 5, 10, 30 };
    static const double connected[] = { 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.4, 2, 3, 5, 10, 30 };
    double best = 0, threshold = 0;
    totals chosen = { 0 };
    printf(
        "\nSigma %g cm², poor transitions %g s:\n\n"
        "| graph | cm² | total, chosen by | control, the others | transition | total | frames in "
        "the component | transitions a second | training, CPU s "
        "|\n|---|---|---|---|---|---|---|---|---|\n",
        sigma, poor_s);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        marey_graph_def def = { .threshold = standard[i], .sigma = sigma };
        best = fmax(best, row(of, set, "MG", poor_s, def).others);
    }
    for (size_t i = 0; i < sizeof connected / sizeof *connected; i++) {
        marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                                .threshold = connected[i],
                                .sigma = sigma };
        totals one = row(of, set, "wcMG", poor_s, def);
        if (one.chosen_by <= chosen.chosen_by) continue;
        chosen = one;
        threshold = connected[i];
    }
    printf("\nChosen: the wcMG of %g cm², %.3f; the best MG on these scripts has %.3f. Over it: "
           "**%.2f**.\n",
           threshold, chosen.others, best, chosen.others / best);
}

void part_control(const lab *of)
{
    lab_set set = { 0 };
    lab_load(of, lab_rows[LAB_C3].set, lab_rows[LAB_C3].fps, &set);
    lab_label(of, &set);
    printf(
        "\n## Table 6: control\n\nc3, scripts of %d s with a new direction every 2 to 3 s, walking "
        "at %g cm/s. The threshold of the wcMG is chosen by %d scripts and looked at on %d others, "
        "beside the MG that is best on these. The quality lost at a transition counts for so many "
        "seconds of following. The slides: well-connected 0.74, 0.95, 0.70; standard at best 0.51, "
        "0.87, 0.44.\n",
        (int)SCRIPT_S, WALK_CM_S, (int)CHOSEN_BY, (int)OTHERS);
    table(of, &set, LAB_SIGMA, POOR_S);
    table(of, &set, LAB_SIGMA, MUCH_POOR_S);
    table(of, &set, 10, POOR_S);
    table(of, &set, 10, MUCH_POOR_S);
    lab_set_free(&set);
}
