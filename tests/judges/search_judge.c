/* search_judge.c - the judge of searching: see search_judge.h. Nothing here is shared with the
   library but the web. */
#include "search_judge.h"

#include "match/web_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- a web as the text sees it: rows are the query's, and both halves of a self web are there  */

typedef struct flat_path {
    int count, from, to, from_cell, to_cell;
    int before; /* cells that were put before the first */
    marey_cell *cells;
    float *costs;
} flat_path;

typedef struct flat_web {
    int count, chains;
    flat_path *paths;
} flat_web;

/* Chains are made longer at both ends, along the diagonal, and along the border where they get to
   it. */
static flat_path flatten(const marey_web *web, int i, bool turned, int loose)
{
    const mry_web_path *of = &web->paths[i];
    int rows = turned ? web->cols : web->rows, cols = turned ? web->rows : web->cols, before = 0;
    if (i >= web->chain_count || (web->self && i == 0)) loose = 0;
    flat_path path = { 0, of->from, of->to, of->from_cell, of->to_cell, 0, NULL, NULL };
    path.cells = malloc((size_t)(of->count + 2 * loose) * sizeof *path.cells + 1);
    path.costs = malloc((size_t)(of->count + 2 * loose) * sizeof *path.costs + 1);
    for (int k = -loose; k < of->count + loose; k++) {
        int real = k < 0 ? 0 : k >= of->count ? of->count - 1 : k;
        marey_cell at = web->cells[of->first + real];
        if (turned) at = (marey_cell){ at.col, at.row };
        at = (marey_cell){ at.row + k - real, at.col + k - real };
        if (at.row < 0 || at.row >= rows) continue;
        at.col = at.col < 0 ? 0 : at.col >= cols ? cols - 1 : at.col;
        before += k < 0;
        path.cells[path.count] = at;
        path.costs[path.count++] = web->costs[of->first + real];
    }
    path.before = before;
    return path;
}

/* Chains of the mirrored half follow those of the other, less the diagonal, which is chain 0 of
   both. */
static int mirrored(const marey_web *web, int chain)
{
    return chain <= 0 ? chain : chain + web->chain_count - 1;
}

static flat_web flat_make(const marey_web *web, bool flipped, int loose)
{
    int chains = web->chain_count, bridges = web->bridge_count;
    flat_web flat = { .paths = calloc(2 * (size_t)(chains + bridges), sizeof(flat_path)) };
    for (int i = 0; i < chains; i++)
        flat.paths[flat.count++] = flatten(web, i, flipped && !web->self, loose);
    for (int i = 1; web->self && i < chains; i++)
        flat.paths[flat.count++] = flatten(web, i, true, loose);
    flat.chains = flat.count;
    for (int i = chains; i < chains + bridges; i++)
        flat.paths[flat.count++] = flatten(web, i, flipped && !web->self, loose);
    for (int i = chains; web->self && i < chains + bridges; i++) {
        flat_path path = flatten(web, i, true, loose);
        path.from = mirrored(web, path.from);
        path.to = mirrored(web, path.to);
        flat.paths[flat.count++] = path;
    }
    for (int i = flat.chains; i < flat.count; i++) {
        flat.paths[i].from_cell += flat.paths[flat.paths[i].from].before;
        flat.paths[i].to_cell += flat.paths[flat.paths[i].to].before;
    }
    return flat;
}

static void flat_free(flat_web *flat)
{
    for (int i = 0; i < flat->count; i++) {
        free(flat->paths[i].cells);
        free(flat->paths[i].costs);
    }
    free(flat->paths);
}

/* ---- all sequences --------------------------------------------------------------------------- */

typedef struct tries {
    const flat_web *web;
    int last_row;
    judged_match *found;
    int count;
} tries;

static bool same_cell(marey_cell a, marey_cell b)
{
    return a.row == b.row && a.col == b.col;
}

static void note(tries *t, marey_cell first, marey_cell last, double sum, int cells)
{
    judged_match match = { .first = first, .last = last, .mean = sum / cells, .cells = cells };
    match.at.start = first.col;
    match.at.end = last.col + 1;
    for (int i = 0; i < t->count; i++) {
        if (!same_cell(t->found[i].first, first) || !same_cell(t->found[i].last, last)) continue;
        if (match.mean < t->found[i].mean) t->found[i] = match;
        return;
    }
    t->found = realloc(t->found, (size_t)(t->count + 1) * sizeof match);
    t->found[t->count++] = match;
}

/* Goes on along a path from a cell that is not counted yet. */
static void walk(tries *t, int path, int cell, marey_cell first, double sum, int cells)
{
    const flat_path *on = &t->web->paths[path];
    for (int i = cell; i < on->count; i++) {
        sum += (double)on->costs[i];
        cells++;
        if (on->cells[i].row == t->last_row) {
            for (; i + 1 < on->count && on->cells[i + 1].row == t->last_row; i++) {
                sum += (double)on->costs[i + 1];
                cells++;
            }
            note(t, first, on->cells[i], sum, cells);
            return;
        }
        for (int k = t->web->chains; path < t->web->chains && k < t->web->count; k++) {
            const flat_path *bridge = &t->web->paths[k];
            if (bridge->from == path && bridge->from_cell == i) walk(t, k, 0, first, sum, cells);
        }
    }
    if (on->to >= 0) walk(t, on->to, on->to_cell, first, sum, cells);
}

static int by_mean(const void *left, const void *right)
{
    const judged_match *a = left, *b = right;
    return (a->mean > b->mean) - (a->mean < b->mean);
}

judged_match *judge_sequences(const marey_web *web, bool flipped, marey_segment query, int clip,
                              double threshold, int loose, int *count)
{
    flat_web flat = flat_make(web, flipped, loose);
    tries t = { .web = &flat, .last_row = query.end - 1 };
    for (int i = 0; i < flat.count; i++) {
        for (int k = 0; k < flat.paths[i].count; k++) {
            if (flat.paths[i].cells[k].row != query.start) continue;
            walk(&t, i, k, flat.paths[i].cells[k], 0, 0);
            break;
        }
    }
    flat_free(&flat);
    *count = 0;
    for (int i = 0; i < t.count; i++) {
        t.found[i].at.clip = clip;
        if (t.found[i].mean <= threshold) t.found[(*count)++] = t.found[i];
    }
    if (*count > 1) qsort(t.found, (size_t)*count, sizeof *t.found, by_mean);
    return t.found;
}

/* ---- tiers ----------------------------------------------------------------------------------- */

typedef struct judged_node {
    marey_found found;
    double start_sum, end_sum;
    int merged;
} judged_node;

typedef struct judging {
    hand_library *library;
    const marey_search_def *def;
    judged_node nodes[256];
    int node_count;
    double edges[256][256]; /* costs; 0: none */
} judging;

static double overlap(marey_segment a, marey_segment b)
{
    double both = 0;
    if (a.clip != b.clip) return 0;
    for (int i = a.start; i < a.end; i++) both += i >= b.start && i < b.end;
    int first = a.end - a.start, second = b.end - b.start;
    return both / (first < second ? first : second);
}

/* Matches of one query in all clips, those that overlap better ones of the same clip struck out, by
   mean. */
static judged_match *query_matches(judging *j, marey_segment query, int *count)
{
    judged_match *all = NULL;
    *count = 0;
    for (int clip = 0; clip < j->library->clips; clip++) {
        bool flipped = query.clip > clip;
        const marey_web *web =
            flipped ? j->library->webs[clip][query.clip] : j->library->webs[query.clip][clip];
        if (!web || (j->def->allowed && !j->def->allowed[clip])) continue;
        int found_count, first = *count;
        int loose = j->def->loose > 0 ? (int)(j->def->loose * (query.end - query.start)) : 0;
        judged_match *found =
            judge_sequences(web, flipped, query, clip, j->def->threshold, loose, &found_count);
        all = realloc(all, (size_t)(*count + found_count + 1) * sizeof *all);
        for (int i = 0; i < found_count; i++) {
            bool out = overlap(found[i].at, query) >= j->def->same;
            for (int k = first; k < *count; k++)
                out |= overlap(found[i].at, all[k].at) >= j->def->same;
            if (!out) all[(*count)++] = found[i];
        }
        free(found);
    }
    if (*count > 1) qsort(all, (size_t)*count, sizeof *all, by_mean);
    return all;
}

static int round_half_up(double x)
{
    int whole = (int)x;
    return x - whole >= 0.5 ? whole + 1 : whole;
}

static void connect(judging *j, int a, int b, double cost)
{
    if (a == b) return;
    double *edge = a < b ? &j->edges[a][b] : &j->edges[b][a];
    if (*edge == 0 || cost < *edge) *edge = cost;
}

static void offer(judging *j, int query, const judged_match *match)
{
    int most = -1, length = match->at.end - match->at.start;
    int asked = j->nodes[0].found.at.end - j->nodes[0].found.at.start;
    double share = 0;
    if (query > 0 && (length < asked / 2.0 || length > asked * 2.0)) return;
    for (int i = 0; query > 0 && i < j->node_count; i++) {
        double with = overlap(j->nodes[i].found.at, match->at);
        if (with > share) {
            share = with;
            most = i;
        }
    }
    if (most >= 0 && share >= j->def->same) {
        marey_segment known = j->nodes[most].found.at;
        double ratio = (double)length / (known.end - known.start);
        bool alike = ratio >= j->def->same && 1 / ratio >= j->def->same;
        if (most > 0 && alike) {
            judged_node *node = &j->nodes[most];
            node->start_sum += match->at.start;
            node->end_sum += match->at.end;
            node->merged++;
            node->found.at.start = round_half_up(node->start_sum / node->merged);
            node->found.at.end = round_half_up(node->end_sum / node->merged);
        }
        connect(j, query, most, match->mean);
    } else if (share <= j->def->distinct) {
        assert_true(j->node_count < 256);
        judged_node *node = &j->nodes[j->node_count];
        *node =
            (judged_node){ .start_sum = match->at.start, .end_sum = match->at.end, .merged = 1 };
        node->found.at = match->at;
        node->found.distance = match->mean;
        node->found.tier = j->nodes[query].found.tier + 1;
        connect(j, query, j->node_count++, match->mean);
    }
}

judged_graph judge_search(hand_library *library, marey_segment query, const marey_search_def *def)
{
    FREED judging *j = calloc(1, sizeof *j);
    j->library = library;
    j->def = def;
    j->nodes[j->node_count++].found.at = query;
    for (int i = 0; i < j->node_count; i++) {
        if (def->tiers > 0 && j->nodes[i].found.tier >= def->tiers) break;
        int count;
        FREED judged_match *found = query_matches(j, j->nodes[i].found.at, &count);
        for (int k = 0; k < count; k++) offer(j, i, &found[k]);
    }
    judged_graph graph = { .nodes = j->node_count };
    size_t n = (unsigned)j->node_count;
    graph.found = calloc(n, sizeof *graph.found);
    graph.ends = calloc(n * n, sizeof *graph.ends);
    graph.costs = calloc(n * n, sizeof *graph.costs);
    for (int a = 0; a < j->node_count; a++) {
        graph.found[a] = j->nodes[a].found;
        for (int b = a + 1; b < j->node_count; b++) {
            if (j->edges[a][b] == 0) continue;
            graph.ends[graph.edges][0] = a;
            graph.ends[graph.edges][1] = b;
            graph.costs[graph.edges++] = j->edges[a][b];
        }
    }
    return graph;
}

void judged_graph_free(judged_graph *graph)
{
    free(graph->found);
    free(graph->ends);
    free(graph->costs);
}
