/* match_graph_picture.c - a match graph (webs, figure 6.10): the query in the middle, matches the
   farther out the greater their path distance, lines where two are alike. Each is drawn as a body
   in the middle of the match. */
#include "web_drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 900, BODY_PX = 76 };

typedef struct spot {
    double x, y;
} spot;

static marey_match_graph *search_kicks(const web_set *set, const truth *of, marey_segment query,
                                       double threshold)
{
    uint8_t allowed[MOST_CLIPS];
    marey_webs webs = set_webs(set);
    marey_match_graph *graph;
    marey_error error;
    (void)of;
    for (int c = 0; c < set->count; c++) {
        allowed[c] = strcmp(set->category_names[set->category[c]], "fighting") == 0;
    }
    marey_search_def def = { .threshold = threshold, .allowed = allowed, .limit = 60 };
    web_must(marey_search(set->ctx, &webs, query, &def, &graph, &error), &error);
    return graph;
}

/* Angles are the order of distance times the golden one, so that neighbours in it lie apart. */
static void place_nodes(const marey_found *found, int count, spot *spots)
{
    double most = 1;
    for (int i = 0; i < count; i++) most = fmax(most, found[i].path_distance);
    for (int i = 0; i < count; i++) {
        double out = i == 0 ? 0 : 0.16 + 0.78 * sqrt(found[i].path_distance / most);
        double angle = 2.39996 * i;
        spots[i] = (spot){ SIDE_PX / 2.0 + out * (SIDE_PX / 2.0 - BODY_PX / 2.0) * cos(angle),
                           SIDE_PX / 2.0 + out * (SIDE_PX / 2.0 - BODY_PX / 2.0) * sin(angle) };
    }
}

static void draw_edges(cairo_t *to, const marey_match_edge *edges, int count, const spot *spots)
{
    cairo_set_line_width(to, 0.8);
    cairo_set_source_rgba(to, 0.5, 0.5, 0.55, 0.35);
    for (int i = 0; i < count; i++) {
        cairo_move_to(to, spots[edges[i].from].x, spots[edges[i].from].y);
        cairo_line_to(to, spots[edges[i].to].x, spots[edges[i].to].y);
        cairo_stroke(to);
    }
}

static ink colour_of(const truth *of, const wanted *what, marey_segment at)
{
    for (int i = 0; i < of->count; i++) {
        const truth_segment *s = &of->segments[i];
        if (strcmp(s->label, what->label) != 0 || strcmp(s->side, what->side) != 0) continue;
        if (segments_overlap(s->at, at) < 0.5) continue;
        return strcmp(s->kind, "front") == 0 ? ink_blue : ink_magenta;
    }
    return ink_orange;
}

static void draw_nodes(cairo_t *to, const web_set *set, const truth *of, const wanted *what,
                       const marey_found *found, int count, const spot *spots)
{
    char text[80];
    for (int i = count - 1; i >= 0; i--) {
        marey_segment at = found[i].at;
        int per_row = set_frames_per_row(set, at.clip);
        drawing_ink(to, (ink){ 1, 1, 1 });
        cairo_arc(to, spots[i].x, spots[i].y, 0.55 * BODY_PX, 0, 8 * atan(1));
        cairo_fill_preserve(to);
        drawing_ink(to, i == 0 ? ink_black : ink_grey);
        cairo_set_line_width(to, i == 0 ? 2.5 : 1);
        cairo_stroke(to);
        draw_body(to, set->clips[at.clip], (at.start + at.end) / 2 * per_row, at.start * per_row,
                  spots[i].x, spots[i].y, 0.8 * BODY_PX, colour_of(of, what, at));
        snprintf(text, sizeof text, "%.0f", found[i].path_distance);
        drawing_ink(to, ink_black);
        cairo_set_font_size(to, 9);
        drawing_text(to, spots[i].x + 0.38 * BODY_PX, spots[i].y + 0.5 * BODY_PX, text);
    }
}

void draw_match_graph(const web_set *set, const truth *of)
{
    const truth_segment *query = truth_pick(of, "kick", "left", "144_09", set, 1);
    wanted what = { "kick", "left", NULL, NULL };
    sweep best = sweep_thresholds(set, of, &what, query->at, &(sweeping){ 0 });
    double threshold = best.ordered_at > 0 ? best.ordered_at : best.best_at;
    marey_match_graph *graph = search_kicks(set, of, query->at, threshold);
    int count, edge_count;
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    const marey_match_edge *edges = marey_match_graph_edges(graph, &edge_count);
    spot *spots = web_room((size_t)count * sizeof *spots);
    cairo_t *to = drawing_begin(SIDE_PX, SIDE_PX);
    place_nodes(found, count, spots);
    draw_edges(to, edges, edge_count, spots);
    draw_nodes(to, set, of, &what, found, count, spots);
    drawing_end(to, set->folder, "webs-graph");
    printf("\nThe match graph that is drawn: a left front kick, threshold %.0f cm2: %d matches, %d "
           "edges, "
           "%d tiers.\n",
           threshold, count - 1, edge_count, marey_match_graph_report(graph).tiers);
    free(spots);
    marey_match_graph_free(graph);
}
