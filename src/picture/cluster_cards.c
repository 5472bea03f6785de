/* cluster_cards.c - drawing a cluster graph: arrows, then cards on them, and what the colours mean. */
#include "picture/cluster_cards.h"

#include "picture/palette.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
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

void mry_card_size(mry_card *card, double share, int count)
{
    card->width = (58 + 66 * share) * fmin(fmax(sqrt(40.0 / count), 0.8), 1.6);
    card->figure = 0.92 * card->width;
    card->height = HEAD + card->figure + BAR_STEP * card->bar_count + PAD +
                   (card->bars_left_out ? LETTERS : 0);
}

int mry_cluster_height(const mry_cluster_plan *p)
{
    return MRY_CLUSTER_TOP + p->cards_px + MRY_CLUSTER_MARGIN + (p->legend + 1) * LEGEND;
}

/* ---- arrows ------------------------------------------------------------------------------------------ */

typedef struct point {
    double x, y;
} point;

/* Where a line from `from` to a card's centre meets the card. */
static point edge_of(const mry_card *card, point from)
{
    double x = from.x - card->x, y = from.y - card->y;
    double across = card->width / 2 + 2, down = card->height / 2 + 2;
    double by = fmin(x != 0 ? across / fabs(x) : INFINITY, y != 0 ? down / fabs(y) : INFINITY);
    if (!(by < 1)) by = 1;
    return (point){ card->x + x * by, card->y + y * by };
}

static void draw_head(cairo_t *cr, point at, point from, double size)
{
    double x = at.x - from.x, y = at.y - from.y, length = hypot(x, y);
    if (length <= 0) return;
    x *= size / length;
    y *= size / length;
    cairo_move_to(cr, at.x, at.y);
    cairo_line_to(cr, at.x - x + 0.45 * y, at.y - y - 0.45 * x);
    cairo_line_to(cr, at.x - x - 0.45 * y, at.y - y + 0.45 * x);
    cairo_close_path(cr);
    cairo_fill(cr);
}

/* Bent to its left, so that there and back are two lines. */
static void draw_edge(const mry_cluster_plan *p, cairo_t *cr, const mry_card_edge *edge)
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
    draw_head(cr, to, middle, head);
}

/* ---- cards ------------------------------------------------------------------------------------------ */

static void round_box(cairo_t *cr, double x, double y, double width, double height, double radius)
{
    cairo_new_path(cr);
    cairo_arc(cr, x + width - radius, y + radius, radius, -M_PI / 2, 0);
    cairo_arc(cr, x + width - radius, y + height - radius, radius, 0, M_PI / 2);
    cairo_arc(cr, x + radius, y + height - radius, radius, M_PI / 2, M_PI);
    cairo_arc(cr, x + radius, y + radius, radius, M_PI, 1.5 * M_PI);
    cairo_close_path(cr);
}

/* Bodies of one size on cards of one size, so that somebody who sits is smaller; who does not fit is made to. */
static void draw_figure(const mry_card *card, cairo_t *cr, double left, double top)
{
    double wide = card->box[2] - card->box[0], high = card->box[3] - card->box[1];
    double room = card->figure - 6, across = card->width - 2 * PAD;
    double scale = room / fmax(1.05 * card->height_cm, high);
    if (wide * scale > across) scale = across / wide;
    mry_stage stage = { .view = card->view,
                        .x = left + card->width / 2 - scale * (card->box[0] + card->box[2]) / 2,
                        .y = top + card->figure - 3 - scale * card->box[3],
                        .scale = scale };
    memcpy(stage.origin, card->origin, sizeof stage.origin);
    mry_figure_draw(cr, &stage, card->parts, card->part_count, card->height_cm);
}

/* Each sequence is a piece, as long as it has frames. */
static void draw_bar(const mry_cluster_plan *p, const mry_card *card, const mry_card_bar *bar,
                     cairo_t *cr, double x, double y)
{
    const marey_cluster_node *node = &p->of->nodes[card->node];
    double unit = (card->width - 2 * PAD) / card->bars[0].rows;
    mry_ink(cr, mry_palette(bar->colour));
    for (int s = node->first; s < node->first + node->sequences; s++) {
        const marey_cluster_sequence *one = &p->of->sequences[s];
        double length = one->rows * unit;
        if (p->clip_of[one->clip] != bar->clip) continue;
        cairo_new_path(cr);
        cairo_rectangle(cr, x, y, fmax(length - 1, 0.6 * length), BAR);
        cairo_fill(cr);
        x += length;
    }
}

static void draw_card(const mry_cluster_plan *p, const mry_card *card, cairo_t *cr)
{
    char text[32];
    const marey_cluster_node *node = &p->of->nodes[card->node];
    double left = card->x - card->width / 2, top = card->y - card->height / 2;
    round_box(cr, left, top, card->width, card->height, 6);
    mry_ink(cr, MRY_WHITE);
    cairo_fill_preserve(cr);
    mry_ink(cr, card->bar_count + card->bars_left_out > 1 ? MRY_NEUTRAL : MRY_PALE);
    cairo_set_line_width(cr, card->bar_count + card->bars_left_out > 1 ? 1.6 : 1);
    cairo_stroke(cr);
    snprintf(text, sizeof text, "%d", card->node);
    mry_text(cr, left + PAD, top + 12, LETTERS, MRY_TEXT, 0, 0, text);
    snprintf(text, sizeof text, "%d%s", node->rows, node->loops ? " \xe2\x86\xbb" : "");
    mry_text(cr, left + card->width - PAD, top + 12, LETTERS, MRY_PALE, 1, 0, text);
    draw_figure(card, cr, left, top + HEAD);
    double y = top + HEAD + card->figure + 1;
    for (int b = 0; b < card->bar_count; b++, y += BAR_STEP)
        draw_bar(p, card, &card->bars[b], cr, left + PAD, y);
    if (card->bars_left_out == 0) return;
    snprintf(text, sizeof text, "and %d more", card->bars_left_out);
    mry_text(cr, left + PAD, y + 8, 9, MRY_PALE, 0, card->width - 2 * PAD, text);
}

/* ---- words ------------------------------------------------------------------------------------------ */

static void draw_words(const mry_cluster_plan *p, cairo_t *cr)
{
    char text[256];
    const marey_clusters_def *def = &p->of->def;
    const char *unit = def->metric->metric->unit;
    double x = MRY_CLUSTER_MARGIN, most = p->width - 2 * MRY_CLUSTER_MARGIN;
    if (p->def->title) x += mry_text(cr, x, 26, 15, MRY_TEXT, 0, 0.4 * most, p->def->title) + 15;
    bool rooted = strcmp(unit, "cm2") == 0;
    snprintf(text, sizeof text, "%s link, at most %.3g %s apart; %d frames at %.4g a second",
             marey_link_name(def->link), rooted ? sqrt(def->threshold) : def->threshold,
             rooted ? "cm" : unit, p->of->rows, p->of->fps);
    mry_text(cr, x, 26, 12, MRY_PALE, 0, p->width - MRY_CLUSTER_MARGIN - x, text);
    int left = p->of->node_count - p->graph.count;
    if (left > 0) {
        snprintf(text, sizeof text,
                 "the %d nodes with most clips and frames; %d more, with %d frames, are left out",
                 p->graph.count, left, p->of->rows - p->shown_rows);
    } else {
        snprintf(text, sizeof text, "all %d nodes", p->graph.count);
    }
    mry_text(cr, MRY_CLUSTER_MARGIN, 44, 12, MRY_PALE, 0, most, text);
}

/* Names are in columns of one width. */
static int legend_columns(const mry_cluster_plan *p)
{
    int columns = (p->width - 2 * MRY_CLUSTER_MARGIN) / LEGEND_COLUMN;
    return columns > 1 ? columns : 1;
}

static int count_names(const mry_cluster_plan *p)
{
    int count = 0;
    for (int i = 0; i < p->of->clip_count && p->def->names; i++) count += p->clip_of[i] == i;
    return count;
}

int mry_cluster_legend(const mry_cluster_plan *p)
{
    int columns = legend_columns(p), lines = (count_names(p) + columns - 1) / columns;
    return lines < LEGEND_LINES ? lines : LEGEND_LINES;
}

static void draw_legend(const mry_cluster_plan *p, cairo_t *cr)
{
    char text[64];
    int columns = legend_columns(p), room = p->legend * columns, at = 0, names = count_names(p);
    double top = MRY_CLUSTER_TOP + p->cards_px + MRY_CLUSTER_MARGIN;
    double bottom = top + (p->legend - 1) * LEGEND;
    for (int i = 0; i < p->of->clip_count && p->def->names && at < room; i++) {
        if (p->clip_of[i] != i) continue;
        double x = MRY_CLUSTER_MARGIN + at % columns * LEGEND_COLUMN;
        double y = top + at / columns * LEGEND;
        bool last = ++at == room && names > room;
        if (last) snprintf(text, sizeof text, "and %d more clips", names - room + 1);
        cairo_new_path(cr);
        mry_ink(cr, last ? MRY_WHITE : mry_palette(p->colours[i]));
        cairo_rectangle(cr, x, y - 8, 16, 8);
        cairo_fill(cr);
        mry_text(cr, x + 22, y, 12, MRY_TEXT, 0, LEGEND_COLUMN - 34,
                 last ? text : p->def->names[i]);
    }
    mry_text(cr, MRY_CLUSTER_MARGIN, bottom + 1.4 * LEGEND, LETTERS, MRY_PALE, 0,
             p->width - 2 * MRY_CLUSTER_MARGIN,
             "on a card: the node's number, its frames, \xe2\x86\xbb if a clip can go on in it for "
             "ever, the pose of its middle, and the sequences of each clip; arrows are wider where "
             "more sequences go that way, and dotted where they pass nodes that are left out");
}

void mry_cluster_draw(const mry_cluster_plan *p, cairo_t *cr)
{
    draw_words(p, cr);
    cairo_save(cr);
    cairo_translate(cr, MRY_CLUSTER_MARGIN, MRY_CLUSTER_TOP);
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < p->graph.edge_count; e++) {
            if (p->graph.edges[e].through == (pass == 0)) draw_edge(p, cr, &p->graph.edges[e]);
        }
    }
    for (int i = 0; i < p->graph.count; i++) draw_card(p, &p->graph.cards[i], cr);
    cairo_restore(cr);
    draw_legend(p, cr);
}
