/* search_grow.c - nodes and edges as hits come: what is new, what is known already, and what is neither (webs, 6.2.3). */
#include "match/search_graph.h"

#include <string.h>

static int *int_at(const mry_list *list, int i)
{
    return (int *)list->items + i;
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

static bool add_node(mry_grower *g, marey_found found)
{
    mry_node *node = mry_list_add(g->ctx, &g->nodes, sizeof *node);
    int *edge = node ? mry_list_add(g->ctx, &g->edge_with, sizeof *edge) : NULL;
    if (!edge) return false;
    int *last = int_at(&g->clip_nodes, found.at.clip);
    *node = (mry_node){ .found = found, .merged = 1, .next = *last, .first_edge = -1 };
    node->start_sum = found.at.start;
    node->end_sum = found.at.end;
    *last = g->nodes.count - 1;
    *edge = -1;
    return true;
}

/* Every interval that was merged counts the same, whatever came first. The query is what was asked for and stays. */
/* The mean of those that are about as long. A part of a match is that match, but says nothing of where it ends. */
static void merge(mry_grower *g, int i, marey_segment at, double same)
{
    mry_node *node = mry_node_at(g, i);
    int own = node->found.at.end - node->found.at.start, length = at.end - at.start;
    if (i == 0 || length < same * own || own < same * length) return;
    node->start_sum += at.start;
    node->end_sum += at.end;
    node->merged++;
    node->found.at.start = (int)((2 * node->start_sum + node->merged) / (2 * node->merged));
    node->found.at.end = (int)((2 * node->end_sum + node->merged) / (2 * node->merged));
}

/* The node that a segment overlaps most; of equal ones the one found first. -1: none. */
static int most_alike(const mry_grower *g, marey_segment at, double *overlap)
{
    int best = -1;
    *overlap = 0;
    for (int i = *int_at(&g->clip_nodes, at.clip); i >= 0; i = mry_node_at(g, i)->next) {
        double share = mry_overlap(mry_node_at(g, i)->found.at, at);
        if (share > 0 && share >= *overlap) {
            *overlap = share;
            best = i;
        }
    }
    return best;
}

/* ---- edges --------------------------------------------------------------------------------------------- */

static bool copy_steps(mry_grower *g, const mry_hit *hit, const mry_list *steps, mry_edge *edge)
{
    int bytes = (hit->cells - 1 + 3) / 4;
    if (!mry_list_room(g->ctx, &g->steps, g->steps.count + bytes, 1)) return false;
    edge->steps = g->steps.count;
    if (bytes > 0) {
        memcpy((uint8_t *)g->steps.items + g->steps.count, (uint8_t *)steps->items + hit->steps,
               (size_t)bytes);
    }
    g->steps.count += bytes;
    return true;
}

/* Of two alignments of the same two nodes the better one is kept; of equal ones the first. */
static bool connect(mry_grower *g, int from, int to, const mry_hit *hit, const mry_list *steps)
{
    if (from == to) return true;
    mry_edge made = { .edge = { from, to, hit->mean, hit->first, hit->last, hit->cells },
                      .begin = hit->begin,
                      .rates = hit->rates };
    int known = *int_at(&g->edge_with, to);
    if (known >= 0 && mry_edge_at(g, known)->edge.distance <= hit->mean) return true;
    if (!copy_steps(g, hit, steps, &made)) return false;
    if (known >= 0) {
        mry_edge *edge = mry_edge_at(g, known);
        bool turned = edge->edge.from != from;
        made.next[0] = edge->next[turned];
        made.next[1] = edge->next[!turned];
        *edge = made;
        return true;
    }
    mry_edge *edge = mry_list_add(g->ctx, &g->edges, sizeof *edge);
    if (!edge) return false;
    made.next[0] = mry_node_at(g, from)->first_edge;
    made.next[1] = mry_node_at(g, to)->first_edge;
    *edge = made;
    *int_at(&g->edge_with, to) = g->edges.count - 1;
    mry_node_at(g, from)->first_edge = mry_node_at(g, to)->first_edge = g->edges.count - 1;
    return true;
}

void mry_grower_query(mry_grower *g, int query)
{
    for (int i = 0; i < g->nodes.count; i++) *int_at(&g->edge_with, i) = -1;
    for (int e = mry_node_at(g, query)->first_edge; e >= 0;) {
        const mry_edge *edge = mry_edge_at(g, e);
        bool out = edge->edge.from == query;
        *int_at(&g->edge_with, out ? edge->edge.to : edge->edge.from) = e;
        e = edge->next[!out];
    }
}

/* ---- hits ------------------------------------------------------------------------------------------------- */

bool mry_grower_add(mry_grower *g, int query, const mry_hit *hit, const mry_list *steps,
                    const marey_search_def *def, mry_fate *fate)
{
    double overlap = 0;
    int alike = query == 0 ? -1 : most_alike(g, hit->at, &overlap);
    if (alike >= 0 && overlap >= def->same) {
        *fate = MRY_FATE_MERGED;
        merge(g, alike, hit->at, def->same);
        return connect(g, query, alike, hit, steps);
    }
    if (overlap > def->distinct) {
        *fate = MRY_FATE_DROPPED;
        return true;
    }
    if (g->nodes.count > def->limit) {
        *fate = MRY_FATE_NO_ROOM;
        return true;
    }
    *fate = MRY_FATE_NEW;
    marey_found found = { .at = hit->at, .distance = hit->mean };
    found.tier = mry_node_at(g, query)->found.tier + 1;
    return add_node(g, found) && connect(g, query, g->nodes.count - 1, hit, steps);
}

bool mry_grower_start(mry_grower *g, marey_ctx *ctx, int clips, marey_segment query)
{
    *g = (mry_grower){ .ctx = ctx };
    if (!mry_list_room(ctx, &g->clip_nodes, clips, sizeof(int))) return false;
    for (int i = 0; i < clips; i++) *int_at(&g->clip_nodes, i) = -1;
    return add_node(g, (marey_found){ .at = query });
}

void mry_grower_free(mry_grower *g)
{
    mry_list *lists[] = { &g->nodes,     &g->edges, &g->steps, &g->clip_nodes,
                          &g->edge_with, &g->order, &g->founds };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mry_list_free(g->ctx, lists[i]);
}
