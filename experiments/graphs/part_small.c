/* part_small.c - the two small sets: both kinds of graphs at every threshold. */
#include "graph_plots.h"
#include "graphs_parts.h"

static const double thresholds[] = { 0.2, 0.5, 1, 1.5, 2, 2.5, 0, 4, 5, 6, 8, 10, 15, 20, 30, 50 };

enum { SIDE = 420 };

static void draw(const lab *of, const lab_set *set, const marey_graph *graph, const char *title,
                 const char *name, bool closure)
{
    char path[2048];
    const char *names[LAB_MOST_CLIPS];
    marey_error error;
    for (int i = 0; i < set->count; i++) names[i] = set->names[i];
    marey_graph_picture_def def = { .side_px = closure ? SIDE : 2 * SIDE,
                                    .title = title,
                                    .names = names };
    snprintf(path, sizeof path, "%s/%s.png", of->folder, name);
    lab_need((closure ? marey_graph_closure_save : marey_graph_matrix_save)(of->ctx, graph, &def,
                                                                            path, &error),
             &error);
}

void part_draw_both(const lab *of, const lab_set *set, const marey_graph *standard,
                    const marey_graph *connected, const char *name)
{
    static const char *const both[] = { "left", "right" };
    char out[64];
    draw(of, set, standard, "standard", both[0], true);
    draw(of, set, connected, "well-connected", both[1], true);
    snprintf(out, sizeof out, "graphs-closure-%s", name);
    pictures_beside(of->folder, both, 2, out);
    snprintf(out, sizeof out, "graphs-matrix-%s", name);
    draw(of, set, standard, NULL, out, false);
}

/* As the slides have it: pieces may be single frames. */
static void no_dwell_cells(const lab *of, const lab_set *set, marey_graph_def def)
{
    marey_graph_stats stats;
    marey_error error;
    def.dwell_s = -1;
    marey_graph *graph = lab_build(of, set, set->count, def, NULL);
    lab_need(marey_graph_measure(of->ctx, graph, &stats, &error), &error);
    printf(" %.1f | %.2f |", stats.scc_percent, stats.mean_transition_s);
    marey_graph_free(graph);
}

static void one_threshold(const lab *of, const lab_row *row, const lab_set *set, double threshold,
                          plot_line *lines)
{
    marey_graph_def def = { .threshold = threshold };
    lab_cost cost;
    marey_graph *standard = lab_build(of, set, set->count, def, NULL);
    def.kind = MAREY_GRAPH_CONNECTED;
    marey_graph *connected = lab_build(of, set, set->count, def, &cost);
    lab_measure a = lab_measure_graph(of, standard), b = lab_measure_graph(of, connected);
    bool theirs = threshold == row->threshold;
    printf("| %s%g%s | %.1f | %.1f | %.2f | %.0f | %.1f | %.1f | %.2f | %.0f | %d | %d | %.2f |",
           theirs ? "**" : "", threshold, theirs ? "**" : "", a.stats.scc_percent,
           a.stats.connectivity_percent, a.stats.mean_transition_s, a.smooth_percent,
           b.stats.scc_percent, b.stats.connectivity_percent, b.stats.mean_transition_s,
           b.smooth_percent, b.stats.nodes_before, b.stats.nodes, cost.cpu_s);
    no_dwell_cells(of, set, (marey_graph_def){ .threshold = threshold });
    no_dwell_cells(of, set, def);
    printf("\n");
    plot_add(&lines[0], threshold, a.stats.mean_transition_s);
    plot_add(&lines[1], threshold, b.stats.mean_transition_s);
    if (theirs) part_draw_both(of, set, standard, connected, row->name);
    marey_graph_free(standard);
    marey_graph_free(connected);
}

static void one_set(const lab *of, const lab_row *row)
{
    lab_set set = { 0 };
    char name[64], title[64];
    plot_line lines[2] = { { .name = "standard", .red = 0.9, .green = 0.5, .blue = 0.05 },
                           { .name = "well-connected", .red = 0.05, .green = 0.36, .blue = 0.7 } };
    lab_load(of, row->set, row->fps, &set);
    printf("\n## %s: tables 2 and figure 7\n\n"
           "Shares are percent: component = captured frames in the largest strongly connected "
           "component, pairs = ordered pairs of captured frames, the second of which can be "
           "reached. Times are means of the shortest over these pairs. Smooth: transitions with "
           "a jump ratio of at most 1.1. The slides at 0.2: %g %% (standard), %g %% "
           "(well-connected); **bold** is the threshold for it.\n\n"
           "| cm² | MG component | pairs | time, s | smooth | wcMG component | pairs | time, s | "
           "smooth | nodes before | after | CPU s | without a dwell: MG component | time, s | wcMG "
           "component | time, s "
           "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
           row->name, row->asked, row->beside);
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        one_threshold(of, row, &set, thresholds[i] > 0 ? thresholds[i] : row->threshold, lines);
    snprintf(name, sizeof name, "graphs-time-%s", row->name);
    snprintf(title, sizeof title, "%s: mean transition time", row->name);
    plot_save(&(plot){ .title = title,
                       .across = "threshold, cm2",
                       .up = "seconds",
                       .log_across = true,
                       .lines = lines,
                       .line_count = 2 },
              of->folder, name);
    lab_set_free(&set);
}

void part_small(const lab *of)
{
    one_set(of, &lab_rows[LAB_C1]);
    one_set(of, &lab_rows[LAB_C2]);
}
