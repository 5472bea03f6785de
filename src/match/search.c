/* search.c - searching (webs, 6.2.3): the matches of the query, then the matches of
   these, and so on, tier after tier, until nothing new is found. Hits become nodes and edges as
   they come: what is new, what is known already, and what is neither. The graph is handed out with
   its matches by their least sum of edges to the query (Dijkstra 1959), and the cells of edges are
   unpacked when asked for. */
#include "match/search_pick.h"

#include "base/arena.h"
#include "base/fail.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a match graph while it grows: nodes in the order of finding ----------------------------- */

typedef struct match_node {
    marey_found found;
    int64_t start_sum, end_sum; /* over all intervals that were merged to it */
    int merged;
    int next;       /* the node of the same clip that was found before; -1 */
    int first_edge; /* of those that touch it; -1 */
} match_node;

typedef struct match_edge {
    marey_match_edge edge; /* numbers of nodes */
    int steps;             /* in the list of steps */
    marey_cell begin;      /* its first cell in the web's rows */
    mry_rates rates;
    int next[2]; /* of `from`, of `to`; -1 */
} match_edge;

typedef struct growing {
    marey_ctx *ctx;
    mry_list nodes, edges;
    mry_list steps;      /* bytes */
    mry_list clip_nodes; /* int a clip: its node found last, -1 */
    mry_list edge_with;  /* int a node: its edge with the query in hand, -1 */
    mry_list order;      /* int: nodes as they are handed out */
    mry_list founds;     /* marey_found: the same, with the distances */
} growing;

static match_node *node_at(const growing *g, int i)
{
    return (match_node *)g->nodes.items + i;
}

static match_edge *edge_at(const growing *g, int i)
{
    return (match_edge *)g->edges.items + i;
}

/* .. and as it is handed out. */
struct marey_match_graph {
    mry_arena mem; /* everything below lives here, and so does the graph itself */
    int found_count, edge_count;
    marey_found *founds;
    marey_match_edge *edges;
    int *steps_start;  /* of each edge */
    marey_cell *begin; /* likewise: its first cell in its web's rows, */
    mry_rates *rates;  /* and what these are counted by */
    uint8_t *steps;
    marey_search_report report;
};

typedef struct search {
    marey_ctx *ctx;
    const mry_hit_source *source;
    marey_search_def def; /* defaults filled in */
    growing grower;
    int tier_begun; /* nodes before this tier */
    marey_search_report report;
} search;

static int *int_at(const mry_list *list, int i)
{
    return (int *)list->items + i;
}

static bool add_node(growing *g, marey_found found)
{
    match_node *node = mry_list_add(g->ctx, &g->nodes, sizeof *node);
    int *edge = node ? mry_list_add(g->ctx, &g->edge_with, sizeof *edge) : NULL;
    if (!edge) return false;
    int *last = int_at(&g->clip_nodes, found.at.clip);
    *node = (match_node){ .found = found, .merged = 1, .next = *last, .first_edge = -1 };
    node->start_sum = found.at.start;
    node->end_sum = found.at.end;
    *last = g->nodes.count - 1;
    *edge = -1;
    return true;
}

/* Of two alignments of the same two nodes the better one is kept; of equal ones the first. */
static bool connect(growing *g, int query, int match, const mry_hit *hit, const mry_list *steps)
{
    if (query == match) return true;
    match_edge made = { .edge = { query, match, hit->mean, hit->first, hit->last, hit->cells },
                        .begin = hit->begin,
                        .rates = hit->rates };
    int known = *int_at(&g->edge_with, match);
    if (known >= 0 && edge_at(g, known)->edge.distance <= hit->mean) return true;
    int bytes = (hit->cells - 1 + 3) / 4;
    if (!mry_list_room(g->ctx, &g->steps, g->steps.count + bytes, 1)) return false;
    made.steps = g->steps.count;
    if (bytes > 0) {
        memcpy((uint8_t *)g->steps.items + g->steps.count, (uint8_t *)steps->items + hit->steps,
               (size_t)bytes);
    }
    g->steps.count += bytes;
    if (known >= 0) {
        match_edge *edge = edge_at(g, known);
        bool turned = edge->edge.from != query;
        made.next[0] = edge->next[turned];
        made.next[1] = edge->next[!turned];
        *edge = made;
        return true;
    }
    match_edge *edge = mry_list_add(g->ctx, &g->edges, sizeof *edge);
    if (!edge) return false;
    made.next[0] = node_at(g, query)->first_edge;
    made.next[1] = node_at(g, match)->first_edge;
    *edge = made;
    *int_at(&g->edge_with, match) = g->edges.count - 1;
    node_at(g, query)->first_edge = node_at(g, match)->first_edge = g->edges.count - 1;
    return true;
}

/* The node that a hit overlaps most, and how much; of equal ones the one found first. -1: none. */
static int find_alike(const growing *g, const mry_hit *hit, double *overlap)
{
    int alike = -1;
    *overlap = 0;
    for (int i = *int_at(&g->clip_nodes, hit->at.clip); i >= 0; i = node_at(g, i)->next) {
        double share = mry_overlap(node_at(g, i)->found.at, hit->at);
        if (!(share > 0 && share >= *overlap)) continue;
        *overlap = share;
        alike = i;
    }
    return alike;
}

/* In the first tier every hit is a match, later it is compared with the nodes that are known. At
   most def->limit nodes besides the query; *limited: this one was too many. False: no memory. */
static bool add_hit(growing *g, int query, const mry_hit *hit, const mry_list *steps,
                    const marey_search_def *def, bool *limited)
{
    double overlap = 0;
    int alike = query == 0 ? -1 : find_alike(g, hit, &overlap);
    if (alike >= 0 && overlap >= def->same) {
        /* Every interval that was merged counts the same, whatever came first. The query is what
           was asked for and stays. The mean of those that are about as long. A part of a match is
           that match, but says nothing of where it ends. */
        match_node *node = node_at(g, alike);
        int own = node->found.at.end - node->found.at.start, length = hit->at.end - hit->at.start;
        if (alike > 0 && length >= def->same * own && own >= def->same * length) {
            node->start_sum += hit->at.start;
            node->end_sum += hit->at.end;
            node->merged++;
            node->found.at.start = (int)((2 * node->start_sum + node->merged) / (2 * node->merged));
            node->found.at.end = (int)((2 * node->end_sum + node->merged) / (2 * node->merged));
        }
        return connect(g, query, alike, hit, steps);
    }
    if (overlap > def->distinct) return true;
    if (g->nodes.count > def->limit) {
        *limited = true;
        return true;
    }
    /* What is liked was added first, so these numbers are those of nodes. */
    int from = query == 0 ? hit->of : query;
    marey_found found = { .at = hit->at, .distance = hit->mean };
    found.tier = node_at(g, query)->found.tier + 1;
    found.mirrored = node_at(g, from)->found.mirrored != hit->mirrored;
    return add_node(g, found) && connect(g, from, g->nodes.count - 1, hit, steps);
}

/* ---- the order ------------------------------------------------------------------------------- */

typedef struct placed {
    marey_found found;
    int node;
} placed;

static int by_distance(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if ((a->node == 0) != (b->node == 0)) return a->node == 0 ? -1 : 1;
    const marey_found *x = &a->found, *y = &b->found;
    if (x->path_distance != y->path_distance) return x->path_distance < y->path_distance ? -1 : 1;
    if (x->at.clip != y->at.clip) return x->at.clip < y->at.clip ? -1 : 1;
    if (x->at.start != y->at.start) return x->at.start < y->at.start ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Fills `order` and `founds`. */
static bool arrange(growing *g)
{
    int count = g->nodes.count;
    if (!mry_list_room(g->ctx, &g->order, count, sizeof(int)) ||
        !mry_list_room(g->ctx, &g->founds, count, sizeof(marey_found)))
        return false;
    mry_list sorted = { 0 };
    if (!mry_list_room(g->ctx, &sorted, count, sizeof(placed))) return false;

    /* order[0 .. done) are finished. The nearest of the others is looked for among all: that is as
       many steps as there are pairs of nodes, of which most have an edge anyway. */
    int *order = g->order.items;
    for (int i = 0; i < count; i++) {
        order[i] = i;
        node_at(g, i)->found.path_distance = i == 0 ? 0 : INFINITY;
    }
    for (int done = 0; done < count; done++) {
        int least = done;
        for (int k = done + 1; k < count; k++) {
            if (node_at(g, order[k])->found.path_distance <
                node_at(g, order[least])->found.path_distance) {
                least = k;
            }
        }
        int nearest = order[least];
        order[least] = order[done];
        order[done] = nearest;
        double so_far = node_at(g, nearest)->found.path_distance;
        for (int e = node_at(g, nearest)->first_edge; e >= 0;) {
            const match_edge *edge = edge_at(g, e);
            bool out = edge->edge.from == nearest;
            marey_found *other = &node_at(g, out ? edge->edge.to : edge->edge.from)->found;
            double sum = so_far + edge->edge.distance;
            if (sum < other->path_distance) other->path_distance = sum;
            e = edge->next[!out];
        }
    }

    placed *all = sorted.items;
    for (int i = 0; i < count; i++) all[i] = (placed){ node_at(g, i)->found, i };
    qsort(all, (size_t)count, sizeof *all, by_distance);
    for (int i = 0; i < count; i++) {
        ((marey_found *)g->founds.items)[i] = all[i].found;
        order[i] = all[i].node;
    }
    mry_list_free(g->ctx, &sorted);
    return true;
}

/* ---- handing out ----------------------------------------------------------------------------- */

/* After arrange. NULL: no memory. */
static marey_match_graph *make_graph(const growing *g, marey_search_report report)
{
    mry_arena mem = mry_arena_make(g->ctx);
    marey_match_graph *graph = MRY_NEW(&mem, marey_match_graph, 1);
    if (!graph) return NULL;
    int nodes = g->nodes.count, edges = g->edges.count;
    *graph = (marey_match_graph){ .found_count = nodes, .edge_count = edges, .report = report };
    graph->founds = MRY_NEW_RAW(&mem, marey_found, nodes);
    graph->edges = MRY_NEW_RAW(&mem, marey_match_edge, edges);
    graph->steps_start = MRY_NEW_RAW(&mem, int, edges);
    graph->begin = MRY_NEW_RAW(&mem, marey_cell, edges);
    graph->rates = MRY_NEW_RAW(&mem, mry_rates, edges);
    graph->steps = MRY_NEW_RAW(&mem, uint8_t, g->steps.count);
    int *place = MRY_NEW_RAW(&mem, int, nodes);
    graph->mem = mem;
    if (!graph->founds || !graph->edges || !graph->steps_start || !graph->begin || !graph->rates ||
        !graph->steps || !place) {
        marey_match_graph_free(graph);
        return NULL;
    }
    const int *order = g->order.items;
    for (int i = 0; i < nodes; i++) {
        graph->founds[i] = ((const marey_found *)g->founds.items)[i];
        place[order[i]] = i;
    }
    for (int i = 0; i < edges; i++) {
        const match_edge *edge = edge_at(g, i);
        graph->edges[i] = edge->edge;
        graph->edges[i].from = place[edge->edge.from];
        graph->edges[i].to = place[edge->edge.to];
        graph->steps_start[i] = edge->steps;
        graph->begin[i] = edge->begin;
        graph->rates[i] = edge->rates;
    }
    if (g->steps.count > 0) memcpy(graph->steps, g->steps.items, (size_t)g->steps.count);
    return graph;
}

void marey_match_graph_free(marey_match_graph *graph)
{
    if (!graph) return;
    mry_arena mem = graph->mem; /* it lies in there itself */
    mry_arena_free(&mem);
}

const marey_found *marey_match_graph_nodes(const marey_match_graph *graph, int *count)
{
    *count = graph->found_count;
    return graph->founds;
}

const marey_match_edge *marey_match_graph_edges(const marey_match_graph *graph, int *count)
{
    *count = graph->edge_count;
    return graph->edges;
}

marey_search_report marey_match_graph_report(const marey_match_graph *graph)
{
    return graph->report;
}

marey_status marey_match_graph_path(const marey_match_graph *graph, int edge, marey_path *out,
                                    marey_error *error)
{
    const marey_match_edge *of = &graph->edges[edge];
    const uint8_t *steps = graph->steps + graph->steps_start[edge];
    marey_path path = { .count = of->cells, .mean = of->distance, .ctx = graph->mem.ctx };
    path.sum = of->distance * of->cells;
    path.bytes = (size_t)of->cells * sizeof *path.cells;
    path.cells = mry_alloc(path.ctx, path.bytes);
    if (!path.cells) return mry_fail_memory(error, NULL);
    marey_cell at = graph->begin[edge];
    mry_rates rates = graph->rates[edge];
    path.cells[0] = of->first;
    for (int i = 0; i + 1 < of->cells; i++) {
        int step = steps[i / 4] >> i % 4 * 2 & 3;
        at.row += step != MRY_MOVE_ACROSS;
        at.col += step != MRY_MOVE_DOWN;
        path.cells[i + 1] =
            (marey_cell){ mry_from_web(at.row, rates.rows), mry_from_web(at.col, rates.cols) };
    }
    *out = path;
    return MAREY_OK;
}

/* ---- one query ------------------------------------------------------------------------------- */

static int by_mean(const void *left, const void *right)
{
    const mry_hit *a = left, *b = right;
    if ((a->liked > 0) != (b->liked > 0)) return a->liked > 0 ? -1 : 1;
    if (a->liked != b->liked) return a->liked < b->liked ? -1 : 1;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    if (a->at.clip != b->at.clip) return a->at.clip < b->at.clip ? -1 : 1;
    if (a->at.start != b->at.start) return a->at.start < b->at.start ? -1 : 1;
    return (a->at.end > b->at.end) - (a->at.end < b->at.end);
}

static marey_status search_node(search *s, int node, marey_error *error)
{
    growing *g = &s->grower;
    const double *fps = s->source->fps;
    mry_hits found = { 0 };
    marey_status status =
        s->source->find(s->source->user, node_at(g, node)->found.at, &found, error);
    if (status) return status;
    mry_hit *hits = found.hits;
    int count = found.count;
    if (count > 1) qsort(hits, (size_t)count, sizeof *hits, by_mean);
    /* The edges that it has already. */
    for (int i = 0; i < g->nodes.count; i++) *int_at(&g->edge_with, i) = -1;
    for (int e = node_at(g, node)->first_edge; e >= 0;) {
        const match_edge *edge = edge_at(g, e);
        bool out = edge->edge.from == node;
        *int_at(&g->edge_with, out ? edge->edge.to : edge->edge.from) = e;
        e = edge->next[!out];
    }
    /* Each alignment may be up to three times as long one way as the other. Over several tiers that
       would lead from a reach to its last three frames, which are like everything: behind the first,
       matches stay between half and twice the query. */
    marey_segment whole = node_at(g, 0)->found.at;
    bool wary = s->source->few > 0 && node > 0;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double own = hits[i].at.end - hits[i].at.start, asked = whole.end - whole.start;
        double overlap = 0;
        if (fps) own *= fps[whole.clip] / fps[hits[i].at.clip];
        if (node > 0 && (2 * own < asked || own > 2 * asked)) continue;
        if (wary) find_alike(g, &hits[i], &overlap);
        if (overlap <= s->def.distinct || !wary) hits[kept++] = hits[i];
    }
    if (wary && kept > 4 && 2 * kept > s->tier_begun) return MAREY_OK;
    for (int i = 0; i < kept; i++) {
        int before = g->nodes.count;
        if (!add_hit(g, node, &hits[i], found.steps, &s->def, &s->report.limited))
            return mry_fail_memory(error, NULL);
        if (wary && g->nodes.count > before)
            node_at(g, before)->found.distance += node_at(g, node)->found.distance;
    }
    return MAREY_OK;
}

/* Nodes are found tier by tier: those of one are [first, last). */
static marey_status search_all(search *s, marey_error *error)
{
    int first = 0, last = 1;
    for (int tier = 1; s->def.tiers == 0 || tier <= s->def.tiers; tier++) {
        if (s->source->few > 0 && last > s->source->few) break;
        s->tier_begun = last;
        for (int node = first; node < last && !s->report.limited; node++) {
            if (!mry_progress(s->ctx, "searching", node, s->grower.nodes.count))
                return mry_fail_cancelled(error);
            bool near = s->source->near && node > 0 &&
                        node_at(&s->grower, node)->found.distance < *s->source->near;
            marey_status status = near ? MAREY_OK : search_node(s, node, error);
            if (status) return status;
        }
        if (!arrange(&s->grower)) return mry_fail_memory(error, NULL);
        int count = s->grower.nodes.count;
        bool enough =
            s->def.tier_done && !s->def.tier_done(s->def.user, tier, s->grower.founds.items, count);
        if (count == last) break;
        s->report.tiers = tier;
        first = last;
        last = count;
        if (enough || s->report.limited) break;
    }
    return MAREY_OK;
}

/* The defaults that searches of all kinds share. REQUEST: a field is invalid. */
static marey_status settle(marey_search_def *def, const mry_hit_source *source, marey_segment query,
                           marey_error *error)
{
    if (def->limit == 0) def->limit = 10000;
    if (!(def->same > 0 && def->same <= 1))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "overlap of equal matches must be above 0 and at most 1, got %g",
                        def->same);
    if (!(def->distinct >= 0 && def->distinct <= def->same))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "overlap of distinct matches must be 0 to %g, that of equal ones, got %g",
                        def->same, def->distinct);
    if (def->tiers < 0 || def->limit < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "tiers and limit must be at least 0, got %d and %d", def->tiers,
                        def->limit);
    if (query.clip < 0 || query.clip >= source->clips)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no clip %d", query.clip);
    if (query.start < 0 || query.end <= query.start)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "end frame must come after start frame, got %d-%d", query.start, query.end);
    return MAREY_OK;
}

marey_status mry_search(marey_ctx *ctx, const mry_hit_source *source, marey_segment query,
                        const marey_search_def *def, marey_match_graph **out, marey_error *error)
{
    search s = { .ctx = ctx, .source = source, .def = *def, .report.ceiling = INFINITY };
    marey_status status = settle(&s.def, source, query, error);
    if (status) return status;
    growing *g = &s.grower;
    status = MAREY_ERR_MEMORY;
    g->ctx = ctx;
    if (mry_list_room(ctx, &g->clip_nodes, source->clips, sizeof(int))) {
        for (int i = 0; i < source->clips; i++) *int_at(&g->clip_nodes, i) = -1;
        if (add_node(g, (marey_found){ .at = query })) status = search_all(&s, error);
    }
    if (source->ceiling) s.report.ceiling = *source->ceiling;
    marey_match_graph *graph = status ? NULL : make_graph(g, s.report);
    if (status == MAREY_ERR_MEMORY || (!status && !graph)) status = mry_fail_memory(error, NULL);
    mry_list *lists[] = { &g->nodes,     &g->edges, &g->steps, &g->clip_nodes,
                          &g->edge_with, &g->order, &g->founds };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mry_list_free(ctx, lists[i]);
    if (!status) *out = graph;
    return status;
}

/* ---- by webs --------------------------------------------------------------------------------- */

typedef struct web_search {
    marey_ctx *ctx;
    const marey_webs *webs;
    marey_search_def def;
    mry_picker picker;
    double ceiling; /* the least of the webs that were looked at */
} web_search;

static marey_status find_in_webs(void *user, marey_segment query, mry_hits *out, marey_error *error)
{
    web_search *s = user;
    const double *fps = s->webs->fps;
    s->picker.hits.count = s->picker.steps.count = 0;
    for (int clip = 0; clip < s->webs->clips; clip++) {
        if (s->def.allowed && !s->def.allowed[clip]) continue;
        if (mry_cancelled(s->ctx)) return mry_fail_cancelled(error);
        const marey_web *web = NULL;
        bool flipped = false;
        marey_status status = s->webs->web(s->webs->user, query.clip, clip, &web, &flipped, error);
        if (status) return status;
        if (!web) continue;
        assert(web->index);
        /* What a web's rows are to its clips'. */
        mry_rates rates = { 1, 1 };
        if (fps) rates = (mry_rates){ fps[query.clip] / web->fps, fps[clip] / web->fps };
        /* Frames of a clip behind the last that a web of a lower rate has a row for are less than
           one row's. */
        int frames = flipped && !web->self ? web->cols : web->rows;
        if (!(query.end - 1 < frames * rates.rows)) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "the segment ends at frame %d, but the clip has %d frames", query.end,
                            mry_from_web(frames, rates.rows));
        }
        if (web->ceiling < s->ceiling) s->ceiling = web->ceiling;
        int first = mry_to_web(query.start, rates.rows);
        int last = mry_to_web(query.end - 1, rates.rows);
        if (last >= frames) last = frames - 1;
        marey_segment rows = { query.clip, first < last ? first : last, last + 1 };
        int loose = (int)(s->def.loose * (rows.end - rows.start));
        mry_pick pick = { web, flipped, rows, rates, clip, s->def.threshold, s->def.same, loose };
        int kept = s->picker.hits.count;
        if (!mry_pick_matches(&s->picker, &pick)) return mry_fail_memory(error, NULL);
        mry_hit *hits = s->picker.hits.items;
        for (int i = kept; i < s->picker.hits.count; i++)
            if (!s->def.wanted || s->def.wanted(s->def.user, hits[i].at)) hits[kept++] = hits[i];
        s->picker.hits.count = kept;
    }
    *out = (mry_hits){ s->picker.hits.items, s->picker.hits.count, &s->picker.steps };
    return MAREY_OK;
}

marey_status marey_search(marey_ctx *ctx, const marey_webs *webs, marey_segment query,
                          const marey_search_def *def, marey_match_graph **out, marey_error *error)
{
    web_search s = {
        .ctx = ctx, .webs = webs, .picker = mry_picker_make(ctx), .ceiling = INFINITY
    };
    mry_hit_source source = { .clips = webs->clips,
                              .fps = webs->fps,
                              .find = find_in_webs,
                              .user = &s,
                              .ceiling = &s.ceiling };
    if (def) s.def = *def;
    if (s.def.same == 0) s.def.same = 0.8;
    if (s.def.distinct == 0) s.def.distinct = 0.2;
    s.def.loose = s.def.loose < 0 ? 0 : s.def.loose == 0 ? 0.3 : s.def.loose;
    if (!(s.def.threshold > 0) || !(s.def.threshold < INFINITY))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "threshold must be positive and finite, got %g", s.def.threshold);
    if (!(s.def.loose >= 0 && s.def.loose <= 0.5))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "share that may be missing at an end must be 0 to 0.5, got %g",
                        s.def.loose);
    marey_status status = mry_search(ctx, &source, query, &s.def, out, error);
    mry_picker_free(&s.picker);
    return status;
}
