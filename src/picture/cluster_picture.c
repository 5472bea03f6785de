/* cluster_picture.c - what is drawn of a cluster graph (clusters, figure 2). */
#include "picture/cluster_picture.h"

#include "base/fail.h"
#include "graph/cluster_data.h"
#include "picture/canvas.h"
#include "picture/cluster_cards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PITCH_RAD = 0.2; /* as in strips */

typedef struct finding {
    mry_cluster_plan *p;
    mry_arena *mem;
    int *card_of; /* of each node; -1: it is not drawn */
    int *rank;    /* nodes, those that are drawn first */
} finding;

/* ---- which nodes ------------------------------------------------------------------------------------ */

typedef struct ranked {
    int node, clips, rows;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->clips != y->clips) return y->clips - x->clips;
    return x->rows != y->rows ? y->rows - x->rows : x->node - y->node;
}

static int compare_nodes(const void *a, const void *b)
{
    return ((const mry_card *)a)->node - ((const mry_card *)b)->node;
}

/* Parts of one clip have one name and are one here. */
static int clip_of(const mry_cluster_plan *p, int clip)
{
    for (int i = 0; i < clip && p->def->names; i++) {
        if (strcmp(p->def->names[i], p->def->names[clip]) == 0) return i;
    }
    return clip;
}

static int count_clips(const mry_cluster_plan *p, const marey_cluster_node *node)
{
    int clips = 0, before = -1;
    for (int s = node->first; s < node->first + node->sequences; s++) {
        int clip = p->clip_of[p->of->sequences[s].clip];
        clips += clip != before;
        before = clip;
    }
    return clips;
}

static bool choose_nodes(finding *f)
{
    mry_cluster_plan *p = f->p;
    ranked *all = MRY_NEW(f->mem, ranked, p->of->node_count);
    f->card_of = MRY_NEW(f->mem, int, p->of->node_count);
    p->graph.cards = MRY_NEW(f->mem, mry_card, p->graph.count);
    if (!all || !f->card_of || !p->graph.cards) return false;
    for (int n = 0; n < p->of->node_count; n++) {
        const marey_cluster_node *node = &p->of->nodes[n];
        all[n] = (ranked){ n, count_clips(p, node), node->rows };
        f->card_of[n] = -1;
    }
    qsort(all, (size_t)p->of->node_count, sizeof *all, compare_ranked);
    for (int i = 0; i < p->graph.count; i++) p->graph.cards[i].node = all[i].node;
    qsort(p->graph.cards, (size_t)p->graph.count, sizeof *p->graph.cards, compare_nodes);
    for (int i = 0; i < p->graph.count; i++) {
        f->card_of[p->graph.cards[i].node] = i;
        p->shown_rows += p->of->nodes[p->graph.cards[i].node].rows;
    }
    return true;
}

/* ---- edges ------------------------------------------------------------------------------------------ */

static int compare_edges(const void *a, const void *b)
{
    const mry_card_edge *x = a, *y = b;
    if (x->from != y->from) return x->from - y->from;
    if (x->to != y->to) return x->to - y->to;
    return (int)x->through - (int)y->through;
}

/* Where a sequence goes on among the cards; -1: nowhere. */
static int next_card(const finding *f, int sequence, bool *through)
{
    const marey_cluster_sequence *all = f->p->of->sequences;
    int at = all[sequence].next;
    *through = false;
    while (at >= 0 && f->card_of[all[at].node] < 0) {
        at = all[at].next;
        *through = true;
    }
    return at < 0 ? -1 : f->card_of[all[at].node];
}

static bool find_edges(finding *f)
{
    mry_cluster_plan *p = f->p;
    mry_card_graph *graph = &p->graph;
    graph->edges = MRY_NEW(f->mem, mry_card_edge, p->of->sequence_count + 1);
    if (!graph->edges) return false;
    int found = 0, kept = 0;
    for (int s = 0; s < p->of->sequence_count; s++) {
        bool through;
        int from = f->card_of[p->of->sequences[s].node];
        int to = from < 0 ? -1 : next_card(f, s, &through);
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

/* ---- cards ------------------------------------------------------------------------------------------ */

/* The longest first; what does not fit is counted. */
static void find_bars(const mry_cluster_plan *p, mry_card *card)
{
    const marey_cluster_node *node = &p->of->nodes[card->node];
    for (int s = node->first; s < node->first + node->sequences;) {
        int clip = p->clip_of[p->of->sequences[s].clip];
        mry_card_bar bar = { .clip = clip, .colour = p->colours[clip] };
        for (; s < node->first + node->sequences && p->clip_of[p->of->sequences[s].clip] == clip;
             s++)
            bar.rows += p->of->sequences[s].rows;
        int at = card->bar_count;
        while (at > 0 && card->bars[at - 1].rows < bar.rows) at--;
        if (card->bar_count == MRY_CARD_BARS) card->bars_left_out++;
        if (at == MRY_CARD_BARS) continue;
        int last = card->bar_count < MRY_CARD_BARS ? card->bar_count++ : MRY_CARD_BARS - 1;
        for (int i = last; i > at; i--) card->bars[i] = card->bars[i - 1];
        card->bars[at] = bar;
    }
}

/* From the side and a little from ahead: the body goes from left to right. */
static mry_view view_of(const mry_body *body, const double *positions)
{
    double facing[3] = { 0, 0, 1 };
    if (body->volumes) mry_body_facing(body, positions, facing);
    return mry_view_make(atan2(-facing[2], facing[0]) + 0.5, PITCH_RAD);
}

static bool find_figure(finding *f, mry_card *card)
{
    const marey_cluster_node *node = &f->p->of->nodes[card->node];
    const marey_clip *clip = f->p->of->clips[node->clip];
    mry_body body;
    if (!mry_body_find(&body, f->mem, clip, node->frame)) return false;
    double *positions = MRY_NEW_RAW(f->mem, double, 3 * (size_t)body.skeleton->joint_count);
    card->parts = MRY_NEW_RAW(f->mem, mry_part, body.most_parts);
    if (!positions || !card->parts) return false;
    marey_clip_positions(clip, node->frame, 1, positions);
    card->part_count =
        mry_body_parts(&body, positions, marey_clip_rotations(clip, node->frame), card->parts);
    memcpy(card->origin, positions, sizeof card->origin);
    card->height_cm = body.height_cm;
    card->view = view_of(&body, positions);
    mry_figure_extent(&card->view, card->origin, card->parts, card->part_count, card->box);
    return true;
}

static bool find_cards(finding *f)
{
    mry_cluster_plan *p = f->p;
    int most = 1;
    for (int i = 0; i < p->graph.count; i++) {
        int rows = p->of->nodes[p->graph.cards[i].node].rows;
        if (rows > most) most = rows;
    }
    for (int i = 0; i < p->graph.count; i++) {
        mry_card *card = &p->graph.cards[i];
        find_bars(p, card);
        mry_card_size(card, sqrt(p->of->nodes[card->node].rows / (double)most), p->graph.count);
        if (!find_figure(f, card)) return false;
    }
    return true;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static bool find_clips(finding *f)
{
    mry_cluster_plan *p = f->p;
    int colours = 0;
    p->clip_of = MRY_NEW(f->mem, int, p->of->clip_count);
    p->colours = MRY_NEW(f->mem, int, p->of->clip_count);
    if (!p->clip_of || !p->colours) return false;
    for (int i = 0; i < p->of->clip_count; i++) {
        p->clip_of[i] = clip_of(p, i);
        p->colours[i] = p->clip_of[i] == i ? colours++ : p->colours[p->clip_of[i]];
    }
    return true;
}

static bool find_all(finding *f)
{
    double width = f->p->width - 2 * MRY_CLUSTER_MARGIN, height;
    if (!find_clips(f) || !choose_nodes(f) || !find_edges(f) || !find_cards(f)) return false;
    if (!mry_cards_place(&f->p->graph, f->mem, width, &height)) return false;
    f->p->cards_px = (int)ceil(height);
    f->p->legend = mry_cluster_legend(f->p);
    return true;
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    mry_cluster_draw(user, canvas->cr);
    return MAREY_OK;
}

marey_status marey_clusters_picture_save(marey_ctx *ctx, const marey_clusters *clusters,
                                         const marey_cluster_picture_def *def, const char *path,
                                         marey_error *error)
{
    marey_cluster_picture_def settled = def ? *def : (marey_cluster_picture_def){ 0 };
    if (settled.width_px == 0) settled.width_px = 1600;
    if (settled.nodes == 0) settled.nodes = MAREY_CLUSTER_PICTURE_NODES;
    if (settled.width_px < 480 || settled.width_px > 8192 || settled.nodes < 1) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a picture of a cluster graph is 480 to 8192 pixels wide, with at least "
                        "one node");
    }
    if (settled.nodes > MAREY_CLUSTER_PICTURE_MOST) settled.nodes = MAREY_CLUSTER_PICTURE_MOST;
    mry_arena tmp = mry_arena_make(ctx);
    mry_cluster_plan p = { .of = clusters, .def = &settled, .width = settled.width_px };
    p.graph.count = clusters->node_count < settled.nodes ? clusters->node_count : settled.nodes;
    finding f = { .p = &p, .mem = &tmp };
    marey_status status =
        find_all(&f) ? mry_canvas_draw(&tmp, path, p.width, mry_cluster_height(&p), draw, &p, error)
                     : mry_fail_memory(error, path);
    mry_arena_free(&tmp);
    return status;
}
