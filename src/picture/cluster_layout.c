/* cluster_layout.c - where the nodes of a cluster graph are drawn. */
#include "picture/cluster_picture.h"

#include <math.h>

enum { SPRING_ROUNDS = 400, PUSH_ROUNDS = 400 };

static const double ROOM = 2.9;  /* of the page for the cards' own area */
static const double GAP_PX = 18; /* between cards */

typedef struct place {
    double x, y;
} place;

/* From places evenly on a round floor, in the order of the nodes' first frames from the middle out:
   a start without chance. */
static void spring(const mry_card_graph *graph, place *at, place *force)
{
    int count = graph->count;
    double unit = 1.2 / sqrt(count);
    for (int i = 0; i < count; i++) {
        double radius = sqrt((i + 0.5) / count), angle = i * 2.399963229728653;
        at[i] = (place){ radius * cos(angle), radius * sin(angle) };
    }
    for (int round = 0; round < SPRING_ROUNDS; round++) {
        double most = 0.12 * (1 - (double)round / SPRING_ROUNDS) + 0.001;
        for (int i = 0; i < count; i++) force[i] = (place){ 0, 0 };
        /* All push each other away .. */
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                double x = at[i].x - at[j].x, y = at[i].y - at[j].y;
                double square = fmax(x * x + y * y, 1e-6), by = unit * unit / square;
                force[i].x += x * by;
                force[i].y += y * by;
                force[j].x -= x * by;
                force[j].y -= y * by;
            }
        }
        /* .. edges pull .. */
        for (int e = 0; e < graph->edge_count; e++) {
            const mry_card_edge *edge = &graph->edges[e];
            double x = at[edge->to].x - at[edge->from].x, y = at[edge->to].y - at[edge->from].y;
            double weight = (edge->through ? 0.3 : 1) * (1 + log2(edge->count));
            double by = 0.5 * weight * sqrt(x * x + y * y) / unit;
            force[edge->from].x += x * by;
            force[edge->from].y += y * by;
            force[edge->to].x -= x * by;
            force[edge->to].y -= y * by;
        }
        /* .. and the middle does: what nothing holds would drift away. */
        for (int i = 0; i < count; i++) {
            force[i].x -= 0.4 * at[i].x;
            force[i].y -= 0.8 * at[i].y;
        }
        for (int i = 0; i < count; i++) {
            double length = hypot(force[i].x, force[i].y);
            double by = length > most ? most / length : 1;
            at[i].x += force[i].x * by;
            at[i].y += force[i].y * by;
        }
    }
}

/* Two cards that overlap are moved along the shorter way out. Returns whether they did. */
static bool part_two(mry_card *a, mry_card *b)
{
    double x = (a->width + b->width) / 2 + GAP_PX - fabs(a->x - b->x);
    double y = (a->height + b->height) / 2 + GAP_PX - fabs(a->y - b->y);
    if (x <= 0 || y <= 0) return false;
    if (x < y) {
        double by = (a->x <= b->x ? -0.5 : 0.5) * (x + 0.5);
        a->x += by;
        b->x -= by;
    } else {
        double by = (a->y <= b->y ? -0.5 : 0.5) * (y + 0.5);
        a->y += by;
        b->y -= by;
    }
    return true;
}

/* If pushing does not end, what still overlaps goes below all that is there. */
static void push_apart(mry_card_graph *graph, double width)
{
    for (int round = 0; round < PUSH_ROUNDS; round++) {
        bool moved = false;
        for (int i = 0; i < graph->count; i++) {
            for (int j = i + 1; j < graph->count; j++)
                moved |= part_two(&graph->cards[i], &graph->cards[j]);
        }
        for (int i = 0; i < graph->count; i++) {
            mry_card *card = &graph->cards[i];
            card->x = fmin(fmax(card->x, card->width / 2), width - card->width / 2);
        }
        if (!moved) return;
    }
    for (int i = 1; i < graph->count; i++) {
        bool covers = false;
        double bottom = -INFINITY;
        mry_card *card = &graph->cards[i];
        for (int j = 0; j < i; j++) {
            mry_card a = *card, b = graph->cards[j];
            covers |= part_two(&a, &b);
            bottom = fmax(bottom, b.y + b.height / 2);
        }
        if (covers) card->y = bottom + GAP_PX + card->height / 2;
    }
}

bool mry_cards_place(mry_card_graph *graph, mry_arena *tmp, double width, double *height)
{
    place *at = MRY_NEW(tmp, place, graph->count), *force = MRY_NEW(tmp, place, graph->count);
    double top = INFINITY, bottom = -INFINITY;
    if (!at || !force) return false;
    spring(graph, at, force);
    /* Spread over the page. */
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY, area = 0;
    for (int i = 0; i < graph->count; i++) {
        const mry_card *card = &graph->cards[i];
        area += (card->width + GAP_PX) * (card->height + GAP_PX);
        low_x = fmin(low_x, at[i].x);
        high_x = fmax(high_x, at[i].x);
        low_y = fmin(low_y, at[i].y);
        high_y = fmax(high_y, at[i].y);
    }
    double tall = fmax(ROOM * area / width, 160);
    for (int i = 0; i < graph->count; i++) {
        mry_card *card = &graph->cards[i];
        double u = high_x > low_x ? (at[i].x - low_x) / (high_x - low_x) : 0.5;
        double v = high_y > low_y ? (at[i].y - low_y) / (high_y - low_y) : 0.5;
        card->x = card->width / 2 + u * (width - card->width);
        card->y = v * tall;
    }
    push_apart(graph, width);
    for (int i = 0; i < graph->count; i++) {
        const mry_card *card = &graph->cards[i];
        top = fmin(top, card->y - card->height / 2);
        bottom = fmax(bottom, card->y + card->height / 2);
    }
    for (int i = 0; i < graph->count; i++) graph->cards[i].y -= top;
    *height = bottom - top;
    return true;
}
