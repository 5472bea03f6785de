/* cluster_picture.c - a cluster graph (clusters, figure 2) as a page of cards: which nodes get one,
   what is on it, the arrows between them, and what the colours mean. Where cards lie is found in
   cluster_layout.c. */
#include "picture/cluster_picture.h"

#include "base/fail.h"
#include "cluster/cluster_data.h"
#include "picture/canvas.h"
#include "picture/ink.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAR = 5,
    BAR_STEP = 7,
    HEAD = 15,
    PAD = 5,
    LETTERS = 11,
    LEGEND = 18,
    LEGEND_LINES = 3,
    LEGEND_COLUMN = 170
};

enum { MARGIN = 28, TOP = 58 };

typedef struct plan {
    const marey_clusters *clusters;
    const marey_cluster_picture_def *def;
    int width;
    int cards_px; /* how high the part with the cards is */
    mry_card_graph graph;
    int shown_rows; /* frames of the nodes that are drawn */
    int *clip_of;   /* of each clip: the first of its name */
    int *colours;   /* of each clip */
    int names;      /* of clips that differ; 0: they have none */
    int columns;    /* that names stand in */
    int legend;     /* lines that they take */
} plan;

typedef struct ranked {
    int node, clips, rows;
} ranked;

typedef struct point {
    double x, y;
} point;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->clips != y->clips) return y->clips - x->clips;
    return x->rows != y->rows ? y->rows - x->rows : x->node - y->node;
}

static int compare_edges(const void *a, const void *b)
{
    const mry_card_edge *x = a, *y = b;
    if (x->from != y->from) return x->from - y->from;
    if (x->to != y->to) return x->to - y->to;
    return (int)x->through - (int)y->through;
}

/* Which nodes get a card, and how sequences go from card to card. False when out of memory. */
static bool find_graph(plan *p, mry_arena *mem)
{
    const marey_clusters *clusters = p->clusters;
    const marey_cluster_sequence *sequences = clusters->sequences;
    mry_card_graph *graph = &p->graph;
    ranked *order = MRY_NEW(mem, ranked, clusters->node_count);
    int *card_of = MRY_NEW(mem, int, clusters->node_count); /* -1: it is not drawn */
    graph->cards = MRY_NEW(mem, mry_card, graph->count);
    graph->edges = MRY_NEW(mem, mry_card_edge, clusters->sequence_count + 1);
    if (!order || !card_of || !graph->cards || !graph->edges) return false;
    for (int n = 0; n < clusters->node_count; n++) {
        const marey_cluster_node *node = &clusters->nodes[n];
        int clips = 0, before = -1;
        for (int s = node->first; s < node->first + node->sequences; s++) {
            int clip = p->clip_of[sequences[s].clip];
            clips += clip != before;
            before = clip;
        }
        order[n] = (ranked){ n, clips, node->rows };
        card_of[n] = -1;
    }
    qsort(order, (size_t)clusters->node_count, sizeof *order, compare_ranked);
    /* The first of them, in the order of their numbers. */
    for (int i = 0; i < graph->count; i++) card_of[order[i].node] = 0;
    for (int n = 0, i = 0; n < clusters->node_count; n++) {
        if (card_of[n] < 0) continue;
        graph->cards[i].node = n;
        card_of[n] = i++;
        p->shown_rows += clusters->nodes[n].rows;
    }
    int found = 0, kept = 0;
    for (int s = 0; s < clusters->sequence_count; s++) {
        int from = card_of[sequences[s].node], next = sequences[s].next;
        bool through = false;
        if (from < 0) continue;
        /* Where the sequence goes on among the cards. */
        while (next >= 0 && card_of[sequences[next].node] < 0) {
            next = sequences[next].next;
            through = true;
        }
        int to = next < 0 ? -1 : card_of[sequences[next].node];
        if (to < 0 || to == from) continue;
        graph->edges[found++] = (mry_card_edge){ from, to, 1, through };
    }
    qsort(graph->edges, (size_t)found, sizeof *graph->edges, compare_edges);
    for (int i = 0; i < found; i++) {
        if (kept > 0 && compare_edges(&graph->edges[i], &graph->edges[kept - 1]) == 0) {
            graph->edges[kept - 1].count++;
        } else {
            graph->edges[kept++] = graph->edges[i];
        }
    }
    graph->edge_count = kept;
    return true;
}

/* The body in the pose of a card's middle. */
static bool find_figure(const plan *p, mry_arena *mem, mry_card *card)
{
    const marey_cluster_node *node = &p->clusters->nodes[card->node];
    const marey_clip *clip = p->clusters->clips[node->clip];
    mry_body body;
    if (!mry_body_find(&body, mem, clip, node->frame)) return false;
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)body.skeleton->joint_count);
    card->parts = MRY_NEW_RAW(mem, mry_part, body.most_parts);
    if (!positions || !card->parts) return false;
    marey_clip_positions(clip, node->frame, 1, positions);
    card->part_count =
        mry_body_parts(&body, positions, marey_clip_rotations(clip, node->frame), card->parts);
    memcpy(card->origin, positions, sizeof card->origin);
    card->height_cm = body.height_cm;
    /* From the side and a little from ahead: the body goes from left to right. */
    double facing[3] = { 0, 0, 1 };
    if (body.volumes) mry_body_facing(&body, positions, facing);
    card->view = mry_view_make(atan2(-facing[2], facing[0]) + 0.5, MRY_PITCH_RAD);
    mry_figure_extent(&card->view, card->origin, card->parts, card->part_count, card->box);
    return true;
}

static bool find_cards(plan *p, mry_arena *mem)
{
    int most = 1;
    for (int i = 0; i < p->graph.count; i++) {
        int rows = p->clusters->nodes[p->graph.cards[i].node].rows;
        if (rows > most) most = rows;
    }
    for (int i = 0; i < p->graph.count; i++) {
        mry_card *card = &p->graph.cards[i];
        /* Bars, the longest first; what does not fit is counted. */
        const marey_cluster_node *node = &p->clusters->nodes[card->node];
        for (int s = node->first; s < node->first + node->sequences;) {
            int clip = p->clip_of[p->clusters->sequences[s].clip];
            mry_card_bar bar = { .clip = clip, .colour = p->colours[clip] };
            for (; s < node->first + node->sequences &&
                   p->clip_of[p->clusters->sequences[s].clip] == clip;
                 s++)
                bar.rows += p->clusters->sequences[s].rows;
            int at = card->bar_count;
            while (at > 0 && card->bars[at - 1].rows < bar.rows) at--;
            if (card->bar_count == MRY_CARD_BARS) card->bars_left_out++;
            if (at == MRY_CARD_BARS) continue;
            int last = card->bar_count < MRY_CARD_BARS ? card->bar_count++ : MRY_CARD_BARS - 1;
            for (int k = last; k > at; k--) card->bars[k] = card->bars[k - 1];
            card->bars[at] = bar;
        }
        /* Few cards are larger than many. */
        double share = sqrt(node->rows / (double)most), crowd = sqrt(40.0 / p->graph.count);
        card->width = (58 + 66 * share) * fmin(fmax(crowd, 0.8), 1.6);
        card->figure = 0.92 * card->width;
        card->height = HEAD + card->figure + BAR_STEP * card->bar_count + PAD +
                       (card->bars_left_out ? LETTERS : 0);
        if (!find_figure(p, mem, card)) return false;
    }
    return true;
}

/* Where a line from `from` to a card's centre meets the card. */
static point edge_of(const mry_card *card, point from)
{
    double x = from.x - card->x, y = from.y - card->y;
    double across = card->width / 2 + 2, down = card->height / 2 + 2;
    double by = fmin(x != 0 ? across / fabs(x) : INFINITY, y != 0 ? down / fabs(y) : INFINITY);
    if (!(by < 1)) by = 1;
    return (point){ card->x + x * by, card->y + y * by };
}

/* Bent to its left, so that there and back are two lines. */
static void draw_edge(const plan *p, cairo_t *cr, const mry_card_edge *edge)
{
    static const double dots[] = { 1.5, 4 };
    const mry_card *a = &p->graph.cards[edge->from], *b = &p->graph.cards[edge->to];
    double x = b->x - a->x, y = b->y - a->y, width = fmin(1 + 0.9 * log2(edge->count), 6);
    double bend = edge->through ? 0.16 : 0.1;
    point middle = { (a->x + b->x) / 2 + bend * y, (a->y + b->y) / 2 - bend * x };
    point from = edge_of(a, middle), to = edge_of(b, middle);
    double reach = hypot(to.x - middle.x, to.y - middle.y), head = 5 + 1.6 * width;
    double back = reach > 0 ? fmin(0.8 * head / reach, 1) : 0;
    point end = { to.x + (middle.x - to.x) * back, to.y + (middle.y - to.y) * back };
    cairo_new_path(cr);
    mry_ink(cr, edge->through ? mry_colour_mix(MRY_PALE, MRY_WHITE, 0.35) : MRY_NEUTRAL);
    cairo_set_line_width(cr, width);
    if (edge->through) cairo_set_dash(cr, dots, 2, 0);
    cairo_move_to(cr, from.x, from.y);
    cairo_curve_to(cr, from.x + (middle.x - from.x) * 2 / 3, from.y + (middle.y - from.y) * 2 / 3,
                   end.x + (middle.x - end.x) * 2 / 3, end.y + (middle.y - end.y) * 2 / 3, end.x,
                   end.y);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    if (reach <= 0) return;
    x = (to.x - middle.x) * (head / reach);
    y = (to.y - middle.y) * (head / reach);
    cairo_move_to(cr, to.x, to.y);
    cairo_line_to(cr, to.x - x + 0.45 * y, to.y - y - 0.45 * x);
    cairo_line_to(cr, to.x - x - 0.45 * y, to.y - y + 0.45 * x);
    cairo_close_path(cr);
    cairo_fill(cr);
}

static void draw_card(const plan *p, const mry_card *card, cairo_t *cr)
{
    char text[32];
    const marey_cluster_node *node = &p->clusters->nodes[card->node];
    double left = card->x - card->width / 2, top = card->y - card->height / 2;
    /* A box with round corners; bold where clips meet. */
    const double radius = 6;
    cairo_new_path(cr);
    cairo_arc(cr, left + card->width - radius, top + radius, radius, -M_PI / 2, 0);
    cairo_arc(cr, left + card->width - radius, top + card->height - radius, radius, 0, M_PI / 2);
    cairo_arc(cr, left + radius, top + card->height - radius, radius, M_PI / 2, M_PI);
    cairo_arc(cr, left + radius, top + radius, radius, M_PI, 1.5 * M_PI);
    cairo_close_path(cr);
    mry_ink(cr, MRY_WHITE);
    cairo_fill_preserve(cr);
    mry_ink(cr, card->bar_count + card->bars_left_out > 1 ? MRY_NEUTRAL : MRY_PALE);
    cairo_set_line_width(cr, card->bar_count + card->bars_left_out > 1 ? 1.6 : 1);
    cairo_stroke(cr);
    snprintf(text, sizeof text, "%d", card->node);
    mry_text(cr, left + PAD, top + 12, LETTERS, MRY_TEXT, 0, 0, text);
    snprintf(text, sizeof text, "%d%s", node->rows, node->loops ? " \xe2\x86\xbb" : "");
    mry_text(cr, left + card->width - PAD, top + 12, LETTERS, MRY_PALE, 1, 0, text);
    /* Bodies of one size on cards of one size, so that a sitting body is smaller; one that does not
       fit is scaled down. */
    double wide = card->box[2] - card->box[0], high = card->box[3] - card->box[1];
    double room = card->figure - 6, across = card->width - 2 * PAD;
    double scale = room / fmax(1.05 * card->height_cm, high);
    if (wide * scale > across) scale = across / wide;
    mry_stage stage = { .view = card->view,
                        .x = left + card->width / 2 - scale * (card->box[0] + card->box[2]) / 2,
                        .y = top + HEAD + card->figure - 3 - scale * card->box[3],
                        .scale = scale };
    memcpy(stage.origin, card->origin, sizeof stage.origin);
    mry_figure_draw(cr, &stage, card->parts, card->part_count, card->height_cm);
    double y = top + HEAD + card->figure + 1;
    double unit = (card->width - 2 * PAD) / card->bars[0].rows;
    for (int b = 0; b < card->bar_count; b++, y += BAR_STEP) {
        /* Each sequence is a piece, as long as it has frames. */
        double x = left + PAD;
        mry_ink(cr, mry_palette(card->bars[b].colour));
        for (int s = node->first; s < node->first + node->sequences; s++) {
            const marey_cluster_sequence *one = &p->clusters->sequences[s];
            double length = one->rows * unit;
            if (p->clip_of[one->clip] != card->bars[b].clip) continue;
            cairo_new_path(cr);
            cairo_rectangle(cr, x, y, fmax(length - 1, 0.6 * length), BAR);
            cairo_fill(cr);
            x += length;
        }
    }
    if (card->bars_left_out == 0) return;
    snprintf(text, sizeof text, "and %d more", card->bars_left_out);
    mry_text(cr, left + PAD, y + 8, 9, MRY_PALE, 0, card->width - 2 * PAD, text);
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const plan *p = user;
    cairo_t *cr = canvas->cr;
    char text[256];
    const marey_clusters_def *def = &p->clusters->def;
    const char *unit = def->metric->metric->unit;
    double x = MARGIN, most = p->width - 2 * MARGIN;
    if (p->def->title) x += mry_text(cr, x, 26, 15, MRY_TEXT, 0, 0.4 * most, p->def->title) + 15;
    bool rooted = strcmp(unit, "cm2") == 0;
    snprintf(text, sizeof text, "%s link, at most %.3g %s apart; %d frames at %.4g a second",
             marey_link_name(def->link), rooted ? sqrt(def->threshold) : def->threshold,
             rooted ? "cm" : unit, p->clusters->rows, p->clusters->fps);
    mry_text(cr, x, 26, 12, MRY_PALE, 0, p->width - MARGIN - x, text);
    int left = p->clusters->node_count - p->graph.count;
    if (left > 0) {
        snprintf(text, sizeof text,
                 "the %d nodes with most clips and frames; %d more, with %d frames, are left out",
                 p->graph.count, left, p->clusters->rows - p->shown_rows);
    } else {
        snprintf(text, sizeof text, "all %d nodes", p->graph.count);
    }
    mry_text(cr, MARGIN, 44, 12, MRY_PALE, 0, most, text);
    cairo_save(cr);
    cairo_translate(cr, MARGIN, TOP);
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < p->graph.edge_count; e++) {
            if (p->graph.edges[e].through == (pass == 0)) draw_edge(p, cr, &p->graph.edges[e]);
        }
    }
    for (int i = 0; i < p->graph.count; i++) draw_card(p, &p->graph.cards[i], cr);
    cairo_restore(cr);
    /* The clips' names and colours, in columns of one width. */
    int room = p->legend * p->columns, at = 0;
    double top = TOP + p->cards_px + MARGIN;
    for (int i = 0; i < p->clusters->clip_count && p->def->names && at < room; i++) {
        if (p->clip_of[i] != i) continue;
        double name_x = MARGIN + at % p->columns * LEGEND_COLUMN;
        double name_y = top + at / p->columns * LEGEND;
        bool last = ++at == room && p->names > room;
        if (last) snprintf(text, sizeof text, "and %d more clips", p->names - room + 1);
        cairo_new_path(cr);
        mry_ink(cr, last ? MRY_WHITE : mry_palette(p->colours[i]));
        cairo_rectangle(cr, name_x, name_y - 8, 16, 8);
        cairo_fill(cr);
        mry_text(cr, name_x + 22, name_y, 12, MRY_TEXT, 0, LEGEND_COLUMN - 34,
                 last ? text : p->def->names[i]);
    }
    double bottom = top + (p->legend - 1) * LEGEND;
    mry_text(cr, MARGIN, bottom + 1.4 * LEGEND, LETTERS, MRY_PALE, 0, most,
             "on a card: the node's number, its frames, \xe2\x86\xbb if a clip can go on in it for "
             "ever, the pose of its middle, and the sequences of each clip; arrows are wider where "
             "more sequences go that way, and dotted where they pass nodes that are left out");
    return MAREY_OK;
}

marey_status marey_clusters_picture_save(marey_ctx *ctx, const marey_clusters *clusters,
                                         const marey_cluster_picture_def *given, const char *path,
                                         marey_error *error)
{
    marey_cluster_picture_def def = given ? *given : (marey_cluster_picture_def){ 0 };
    if (def.width_px == 0) def.width_px = 1600;
    if (def.nodes == 0) def.nodes = MAREY_CLUSTER_PICTURE_NODES;
    if (def.width_px < 480 || def.width_px > 8192 || def.nodes < 1) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "width must be 480 to 8192 pixels and nodes at least 1, got %d and %d",
                        def.width_px, def.nodes);
    }
    if (def.nodes > MAREY_CLUSTER_PICTURE_MOST) def.nodes = MAREY_CLUSTER_PICTURE_MOST;
    mry_arena tmp = mry_arena_make(ctx);
    int clips = clusters->clip_count, colours = 0;
    double height, inside = def.width_px - 2 * MARGIN;
    plan p = { .clusters = clusters,
               .def = &def,
               .width = def.width_px,
               .clip_of = MRY_NEW(&tmp, int, clips),
               .colours = MRY_NEW(&tmp, int, clips) };
    p.graph.count = clusters->node_count < def.nodes ? clusters->node_count : def.nodes;
    bool fine = p.clip_of && p.colours;
    /* Parts of one clip have one name and are one here. */
    for (int i = 0; i < clips && fine; i++) {
        int same = 0;
        while (same < i && !(def.names && strcmp(def.names[same], def.names[i]) == 0)) same++;
        p.clip_of[i] = same;
        p.colours[i] = same == i ? colours++ : p.colours[same];
    }
    fine = fine && find_graph(&p, &tmp) && find_cards(&p, &tmp) &&
           mry_cards_place(&p.graph, &tmp, inside, &height);
    marey_status status = MAREY_OK;
    if (fine) {
        p.cards_px = (int)ceil(height);
        p.names = def.names ? colours : 0;
        p.columns = (int)fmax(floor(inside / LEGEND_COLUMN), 1);
        int lines = (p.names + p.columns - 1) / p.columns;
        p.legend = lines < LEGEND_LINES ? lines : LEGEND_LINES;
        status =
            mry_canvas_draw(&tmp, path, p.width,
                            TOP + p.cards_px + MARGIN + (p.legend + 1) * LEGEND, draw, &p, error);
    } else {
        status = mry_fail_memory(error, path);
    }
    mry_arena_free(&tmp);
    return status;
}
