/* reaching_far.c - several steps against one (webs, 6.2.4.3, figure 6.13): a reach is asked for.
   With the first tier alone the threshold must be as high as the farthest reach is away; with later
   tiers a lower one does, and matches are ordered by the way that leads to them. */
#include "web_drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE_PX = 420, TALL_PX = 340, LEFT_PX = 60, TOP_PX = 30, MOST_POINTS = 64 };

typedef struct curve_point {
    double threshold, precision, recall;
} curve_point;

typedef struct curve {
    int count;
    curve_point points[MOST_POINTS];
} curve;

static curve trace(const web_set *set, const truth *of, const wanted *what, marey_segment query,
                   int tiers)
{
    curve out = { 0 };
    marey_webs webs = set_webs(set);
    for (double threshold = 5; threshold < MAREY_WEB_CEILING && out.count < MOST_POINTS;
         threshold *= 1.15) {
        marey_search_def def = { .threshold = threshold, .tiers = tiers, .limit = 600 };
        marey_match_graph *graph;
        marey_error error;
        int count;
        web_must(marey_search(set->ctx, &webs, query, &def, &graph, &error), &error);
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        verdict v = judge_found(set, of, what, found, count);
        marey_match_graph_free(graph);
        out.points[out.count++] =
            (curve_point){ threshold, verdict_precision(&v), verdict_recall(&v) };
    }
    return out;
}

static void draw_axes(cairo_t *to, const char *title)
{
    drawing_ink(to, ink_grey);
    cairo_set_line_width(to, 1);
    cairo_rectangle(to, LEFT_PX, TOP_PX, WIDE_PX, TALL_PX);
    cairo_stroke(to);
    drawing_ink(to, ink_black);
    drawing_text(to, LEFT_PX, TOP_PX - 10, title);
    drawing_text(to, LEFT_PX + WIDE_PX / 2.0 - 20, TOP_PX + TALL_PX + 26, "recall");
    drawing_text(to, 2, TOP_PX + 10, "precision");
    for (int i = 0; i <= 4; i++) {
        char text[16];
        snprintf(text, sizeof text, "%.2g", i / 4.0);
        drawing_text(to, LEFT_PX + WIDE_PX * i / 4.0 - 8, TOP_PX + TALL_PX + 14, text);
        if (i < 4) drawing_text(to, LEFT_PX - 30, TOP_PX + TALL_PX * (1 - i / 4.0), text);
    }
}

static void draw_curve(cairo_t *to, const curve *c, ink colour)
{
    drawing_ink(to, colour);
    cairo_set_line_width(to, 2);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->count; i++) {
            double x = LEFT_PX + WIDE_PX * c->points[i].recall;
            double y = TOP_PX + TALL_PX * (1 - c->points[i].precision);
            if (pass == 0) {
                cairo_line_to(to, x, y);
            } else {
                cairo_arc(to, x, y, 3, 0, 8 * atan(1));
                cairo_fill(to);
            }
        }
        if (pass == 0) cairo_stroke(to);
    }
}

static double best_f1(const curve *c, double *threshold)
{
    double best = -1;
    for (int i = 0; i < c->count; i++) {
        double p = c->points[i].precision, r = c->points[i].recall, f1 = 2 * p * r / (p + r);
        if (f1 <= best) continue;
        best = f1;
        *threshold = c->points[i].threshold;
    }
    return best;
}

/* The most that is found while nothing is wrong yet. */
static double clean_recall(const curve *c)
{
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->points[i].precision == 1) most = fmax(most, c->points[i].recall);
    }
    return most;
}

static void print_curve(const char *query, const char *how, const curve *c)
{
    double threshold = 0, f1 = best_f1(c, &threshold);
    printf("| %s | %s | %.2f | %.2f | %.0f |\n", query, how, clean_recall(c), f1, threshold);
}

void experiment_reaching(const web_set *set, const truth *of)
{
    static const char *const clips[] = { "144_15", "144_22", "144_24", "144_29" };
    static const char *const sides[] = { "left", "left", "right", "right" };
    printf("\n## Several steps against one (figure 6.13)\n\nReaches, searched for in the whole "
           "set.\n\n"
           "| query | how | recall while all are right | best F1 | at, cm2 "
           "|\n|---|---|---|---|---|\n");
    for (int i = 0; i < 4; i++) {
        const truth_segment *query = truth_pick(of, "reach", sides[i], clips[i], set, 9);
        wanted what = { "reach", sides[i], NULL, NULL };
        char name[64];
        curve many = trace(set, of, &what, query->at, 0), one = trace(set, of, &what, query->at, 1);
        snprintf(name, sizeof name, "%s reach, %s, %s", sides[i], query->kind, clips[i]);
        print_curve(name, "all tiers", &many);
        print_curve(name, "first tier", &one);
        if (i != 0) continue;
        cairo_t *to = drawing_begin(LEFT_PX + WIDE_PX + 30, TOP_PX + TALL_PX + 60);
        draw_axes(to, "a low reach: all tiers (blue), the first alone (orange)");
        draw_curve(to, &one, ink_orange);
        draw_curve(to, &many, ink_blue);
        drawing_end(to, set->folder, "webs-steps");
    }
}
