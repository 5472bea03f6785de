/* part_c3.c - the set of many behaviours: shares and local maneuverability over thresholds (tables
   2 and 3, figures 4, 6, 7), what suboptimality is worth (table 5), and sizes (figure 8). */
#include "graph_plots.h"
#include "graphs_parts.h"

#include <math.h>

static const marey_graph_def connected = { .kind = MAREY_GRAPH_CONNECTED,
                                           .threshold = 0.2,
                                           .sigma = LAB_SIGMA };

static void load(const lab *of, lab_set *set)
{
    lab_load(of, lab_rows[LAB_C3].set, lab_rows[LAB_C3].fps, set);
    lab_label(of, set);
}

static const char *seconds(double value, char *text, size_t size)
{
    snprintf(text, size, isfinite(value) ? "%.2f" : "–", value);
    return text;
}

static void print_row(const char *kind, const char *threshold, const lab_measure *m)
{
    char time[32], bare[32];
    snprintf(bare, sizeof bare, isfinite(m->bare_percent) ? "%.0f" : "–", m->bare_percent);
    printf("| %s | %s | %.1f | %d | %.1f | %.2f | %s (%d) | %.0f | %s | %d | %lld |\n", kind,
           threshold, m->stats.scc_percent, m->component, m->stats.connectivity_percent,
           m->stats.mean_transition_s, seconds(m->stats.local_maneuverability_s, time, sizeof time),
           m->stats.behaviours, m->smooth_percent, bare, m->stats.nodes,
           (long long)m->stats.transitions);
}

#define HEAD                                                                                        \
    "| graph | cm² | component, %% | frames in it | pairs, %% | time, s | LM, s (of 7) | smooth, " \
    "%% | "                                                                                         \
    "smooth as they are, %% | nodes | transitions |\n|---|---|---|---|---|---|---|---|---|---|---"  \
    "|\n"

/* ---- tables 2 and 3 -------------------------------------------------------------------------- */

static void standard_row(const lab *of, const lab_set *set, double threshold)
{
    char text[32];
    marey_graph_def def = { .threshold = threshold };
    marey_graph *graph = lab_build(of, set, set->count, def, NULL);
    lab_measure m = lab_measure_graph(of, graph);
    snprintf(text, sizeof text, "%.3g", marey_graph_settings(graph)->threshold);
    print_row(threshold > 0 ? "MG" : "MG, the default: rough ones left out", text, &m);
    marey_graph_free(graph);
}

static const double standard_thresholds[] = { 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.2, 1.4,
                                              2,   3,   5,   10,  20,  30, 100, 400 };

void part_c3(const lab *of)
{
    lab_set set = { 0 };
    lab_cost cost;
    load(of, &set);
    printf("\n## c3: tables 2 and 3\n\nLM: mean over behaviours of the mean over contact segments "
           "of half the segment and the least time from its end to the behaviour, as "
           "`marey_graph_measure` has it; in brackets how many of the 7 behaviours can be reached "
           "from wherever the largest component is. Smooth: "
           "transitions with a jump ratio of at most 1.1, once with what differs spread over both "
           "sides, as walks and controllers do, once as they are.\n\n");
    printf(HEAD);
    for (size_t i = 0; i < sizeof standard_thresholds / sizeof *standard_thresholds; i++)
        standard_row(of, &set, standard_thresholds[i]);
    standard_row(of, &set, 0);
    marey_graph *graph = lab_build(of, &set, set.count, connected, &cost);
    lab_measure m = lab_measure_graph(of, graph);
    print_row("**wcMG, optimal**", "0.2", &m);
    const marey_graph_stats stats = m.stats;
    printf("\nThe well-connected graph at 0.2 cm²: %d nodes and %lld edges before the reduction, "
           "%d and %lld after it, %.1f MB; built in %.1f s of processor time, %.1f s by the "
           "clock, with 2 threads.\n",
           stats.nodes_before, (long long)stats.edges_before, stats.nodes, (long long)stats.edges,
           (double)stats.bytes / 1e6, cost.cpu_s, cost.clock_s);
    marey_graph *standard =
        lab_build(of, &set, set.count, (marey_graph_def){ .threshold = 0.2 }, NULL);
    part_draw_both(of, &set, standard, graph, "c3");
    marey_graph_free(standard);
    marey_graph_free(graph);
    lab_set_free(&set);
}

/* ---- table 2 and figure 7 at other thresholds ------------------------------------------------ */

static const double connected_thresholds[] = { 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.4, 2, 5, 10, 30 };

static void connected_row(const lab *of, const lab_set *set, double threshold, bool unreduced,
                          plot_line *line)
{
    char text[32];
    marey_graph_def def = connected;
    def.threshold = threshold;
    def.unreduced = unreduced;
    marey_graph *graph = lab_build(of, set, set->count, def, NULL);
    lab_measure m = lab_measure_graph(of, graph);
    snprintf(text, sizeof text, "%.3g", threshold);
    print_row(unreduced ? "wcMG, not reduced" : "wcMG, optimal", text, &m);
    if (line) plot_add(line, threshold, m.stats.mean_transition_s);
    marey_graph_free(graph);
}

void part_c3_rest(const lab *of)
{
    lab_set set = { 0 };
    plot_line lines[2] = { { .name = "standard", .red = 0.9, .green = 0.5, .blue = 0.05 },
                           { .name = "well-connected", .red = 0.05, .green = 0.36, .blue = 0.7 } };
    load(of, &set);
    printf(
        "\n## c3: well-connected graphs at other thresholds (table 2, figure 7)\n\nThe reduction "
        "keeps who reaches whom.\n\n" HEAD);
    connected_row(of, &set, 0.1, true, NULL);
    connected_row(of, &set, connected.threshold, true, NULL);
    for (size_t i = 0; i < sizeof connected_thresholds / sizeof *connected_thresholds; i++)
        connected_row(of, &set, connected_thresholds[i], false, &lines[1]);
    for (size_t i = 0; i < sizeof standard_thresholds / sizeof *standard_thresholds; i++) {
        marey_graph_def def = { .threshold = standard_thresholds[i] };
        marey_graph *graph = lab_build(of, &set, set.count, def, NULL);
        plot_add(&lines[0], def.threshold, lab_measure_graph(of, graph).stats.mean_transition_s);
        marey_graph_free(graph);
    }
    plot_save(&(plot){ .title = "c3: mean transition time",
                       .across = "threshold, cm2",
                       .up = "seconds",
                       .log_across = true,
                       .lines = lines,
                       .line_count = 2 },
              of->folder, "graphs-time-c3");
    lab_set_free(&set);
}

/* ---- as the slides have it ------------------------------------------------------------------- */

static void bare_cells(const lab *of, const lab_set *set, marey_graph_def def)
{
    char text[32];
    marey_graph_stats stats;
    marey_error error;
    def.dwell_s = -1;
    marey_graph *graph = lab_build(of, set, set->count, def, NULL);
    lab_need(marey_graph_measure(of->ctx, graph, &stats, &error), &error);
    printf(" %.1f | %.2f | %s |", stats.scc_percent, stats.mean_transition_s,
           seconds(stats.local_maneuverability_s, text, sizeof text));
    marey_graph_free(graph);
}

/* Pieces may be single frames. Well-connected graphs take a minute each then: three of them. */
void part_no_dwell(const lab *of)
{
    static const double thresholds[] = { 0.2, 0.4, 0.6, 0.8, 1, 1.4, 2, 5, 10, 30 };
    lab_set set = { 0 };
    load(of, &set);
    printf("\n## c3 without a dwell, as the slides have it\n\n| cm² | MG component, %% | time, s | "
           "LM, s | wcMG component, %% | time, s | LM, s |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        marey_graph_def def = { .threshold = thresholds[i] };
        printf("| %g |", def.threshold);
        bare_cells(of, &set, def);
        def.kind = MAREY_GRAPH_CONNECTED;
        if (def.threshold == 0.2 || def.threshold == 0.4 || def.threshold == 1)
            bare_cells(of, &set, def);
        else
            printf(" | | |");
        printf("\n");
    }
    lab_set_free(&set);
}

/* ---- table 5 --------------------------------------------------------------------------------- */

static void mu_row(const lab *of, const marey_graph *graph, double mu, const lab_cost *cost)
{
    char text[32];
    marey_graph_stats stats;
    marey_error error;
    lab_need(marey_graph_measure(of->ctx, graph, &stats, &error), &error);
    printf("| %.1f | %d | %.1f | %s | %.2f | %.1f | %.1f |\n", mu, stats.nodes,
           (double)stats.nodes / stats.frames,
           seconds(stats.local_maneuverability_s, text, sizeof text), stats.mean_transition_s,
           (double)stats.bytes / 1e6, cost->cpu_s);
}

#define MU_HEAD                                                                                    \
    "| µ | nodes | size factor | LM, s | mean time, s | MB | CPU s |\n"                           \
    "|---|---|---|---|---|---|---|\n"

void part_suboptimality(const lab *of)
{
    static const double mus[] = { 1, 1.1, 1.3, 1.5, 1.7, 2, 3, 5, 10, 20, 50, 100 };
    lab_set set = { 0 };
    load(of, &set);
    printf("\n## Table 5: suboptimality\n\nµ = 1 is the optimal graph; 0.2 cm², all of "
           "c3.\n\n" MU_HEAD);
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++) {
        lab_cost cost;
        marey_graph_def def = connected;
        def.suboptimality = mus[i];
        marey_graph *graph = lab_build(of, &set, set.count, def, &cost);
        mu_row(of, graph, mus[i], &cost);
        marey_graph_free(graph);
    }
    lab_set_free(&set);
}

/* ---- figure 8 -------------------------------------------------------------------------------- */

/* The slope in a picture with logarithmic axes: 2 is quadratic, 1 linear. */
static double slope(const plot_line *line)
{
    double n = line->count, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < line->count; i++) {
        double a = log(line->x[i]), b = log(line->y[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

static void size_row(const lab *of, const lab_set *whole, marey_graph_def def, double share,
                     plot_line *lines)
{
    marey_graph_stats stats;
    marey_error error;
    lab_cost cost;
    lab_set set = { 0 };
    lab_shorten(whole, share, &set);
    marey_graph *graph = lab_build(of, &set, set.count, def, &cost);
    lab_need(marey_graph_measure(of->ctx, graph, &stats, &error), &error);
    printf("| %.0f %% | %d | %d | %lld | %d | %lld | %.1f | %.1f | %.1f |\n", 100 * share,
           stats.frames, stats.nodes_before, (long long)stats.edges_before, stats.nodes,
           (long long)stats.edges, (double)stats.nodes / stats.frames, stats.scc_percent,
           cost.cpu_s);
    plot_add(&lines[0], stats.frames, stats.nodes_before);
    plot_add(&lines[1], stats.frames, (double)stats.edges_before);
    plot_add(&lines[2], stats.frames, stats.nodes);
    plot_add(&lines[3], stats.frames, (double)stats.edges);
    marey_graph_free(graph);
    lab_set_free(&set);
}

static void sizes_at(const lab *of, const lab_set *set, double threshold, double mu,
                     const char *name)
{
    static const double shares[] = { 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1 };
    plot_line lines[4] = { { .name = "nodes before", .red = 0.9, .green = 0.5, .blue = 0.05 },
                           { .name = "edges before", .red = 0.7, .green = 0.2, .blue = 0.2 },
                           { .name = "nodes after", .red = 0.05, .green = 0.36, .blue = 0.7 },
                           { .name = "edges after", .red = 0.1, .green = 0.6, .blue = 0.4 } };
    char title[96];
    marey_graph_def def = connected;
    def.threshold = threshold;
    def.suboptimality = mu;
    printf(
        "\n%g cm², µ = %g:\n\n"
        "| of each clip | frames | nodes before | edges before | nodes after | edges after | size "
        "factor | component, %% | CPU s |\n|---|---|---|---|---|---|---|---|---|\n",
        threshold, mu);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        size_row(of, set, def, shares[i], lines);
    printf("\nGrowth, as the power of the number of frames: nodes before %.2f, edges before %.2f, "
           "nodes after %.2f, edges after %.2f.\n",
           slope(&lines[0]), slope(&lines[1]), slope(&lines[2]), slope(&lines[3]));
    snprintf(title, sizeof title, "c3: sizes of well-connected graphs at %g cm2, mu = %g",
             threshold, mu);
    plot_save(&(plot){ .title = title,
                       .across = "captured frames",
                       .up = "nodes, edges",
                       .log_across = true,
                       .log_up = true,
                       .lines = lines,
                       .line_count = 4 },
              of->folder, name);
}

void part_sizes(const lab *of)
{
    lab_set set = { 0 };
    load(of, &set);
    printf(
        "\n## Figure 8: sizes\n\nThe middle of every clip of c3, so that subsets are of the same "
        "kind.\n");
    sizes_at(of, &set, connected.threshold, 1, "graphs-sizes");
    sizes_at(of, &set, connected.threshold, 5, "graphs-sizes-5");
    sizes_at(of, &set, 1, 1, "graphs-sizes-1");
    lab_set_free(&set);
}
