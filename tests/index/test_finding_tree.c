/* test_finding_tree.c - the tree of chosen matches that a registration is made along (webs, 6.3.1),
   against a search for shortest ways that knows nothing of how findings are ordered. */
#include "family_bench.h"

enum { MOST = 256 };

typedef struct graph {
    marey_searcher *searcher;
    marey_finding *finding;
    int count, edge_count;
    const marey_match *matches;
    const marey_match_edge *edges;
    double costs[MOST]; /* from the query */
} graph;

static void find_costs(graph *g)
{
    for (int i = 0; i < g->count; i++) g->costs[i] = i ? INFINITY : 0;
    for (bool again = true; again;) {
        again = false;
        for (int e = 0; e < 2 * g->edge_count; e++) {
            const marey_match_edge *edge = &g->edges[e / 2];
            int a = e % 2 ? edge->from : edge->to, b = e % 2 ? edge->to : edge->from;
            if (!(g->costs[a] + edge->distance < g->costs[b])) continue;
            g->costs[b] = g->costs[a] + edge->distance;
            again = true;
        }
    }
}

static graph graph_make(api_bench *b, double threshold)
{
    graph g = { .count = 0 };
    marey_query query = { .clip = "reach_right", .start = 131, .end = 276 };
    marey_find_def def = { .search = { .threshold = threshold, .tiers = 4 } };
    if (marey_searcher_open(b->by.library, &g.searcher, &test_error) != MAREY_OK ||
        marey_searcher_find(g.searcher, &query, &def, &g.finding, &test_error) != MAREY_OK) {
        fail_msg("%s", test_error.message);
    }
    g.matches = marey_finding_matches(g.finding, &g.count);
    g.edges = marey_finding_edges(g.finding, &g.edge_count);
    assert_true(g.count > 8 && g.count <= MOST);
    find_costs(&g);
    return g;
}

static void graph_free(graph *g)
{
    marey_finding_free(g->finding);
    marey_searcher_free(g->searcher);
}

/* Is there a shortest way from the query to `to` on which `from` is the last of those chosen before
   it? */
static bool leads_to(const graph *g, const bool *chosen, int from, int to, int depth)
{
    if (depth > g->count) return false;
    for (int e = 0; e < 2 * g->edge_count; e++) {
        const marey_match_edge *edge = &g->edges[e / 2];
        int a = e % 2 ? edge->from : edge->to, b = e % 2 ? edge->to : edge->from;
        if (b != to || g->costs[a] + edge->distance > g->costs[b] + 1e-9) continue;
        if (a == from) return true;
        if (!chosen[a] && leads_to(g, chosen, from, a, depth + 1)) return true;
    }
    return false;
}

static int least_of(const int *matches, int count)
{
    int least = 0;
    for (int i = 1; i < count; i++)
        if (matches[i] < matches[least]) least = i;
    return least;
}

/* Returns how many are aligned with another than the root. */
static int check_tree(const graph *g, const int *matches, int count)
{
    int parents[MOST], root = least_of(matches, count), deep = 0;
    bool chosen[MOST] = { false };
    test_ok(marey_finding_parents(g->finding, matches, count, parents, NULL));
    for (int i = 0; i < count; i++) chosen[matches[i]] = true;
    for (int i = 0; i < count; i++) {
        if (i == root) {
            assert_int_equal(parents[i], -1);
            continue;
        }
        assert_in_range(parents[i], 0, count - 1);
        int parent = matches[parents[i]];
        assert_true(g->costs[parent] <= g->costs[matches[i]]);
        deep += parents[i] != root;
        /* what leads there from no other that was chosen hangs on the root */
        if (!leads_to(g, chosen, parent, matches[i], 0)) {
            assert_int_equal(parents[i], root);
            for (int k = 0; k < count; k++)
                if (k != i) assert_false(leads_to(g, chosen, matches[k], matches[i], 0));
        }
    }
    return deep;
}

#define CASE(name) TEST_OF_IN(family_bench_open, api_bench_close, api_bench *b, name)

CASE(trees_go_along_shortest_ways)
{
    graph g = graph_make(b, 40);
    int matches[MOST];
    for (int i = 0; i < g.count; i++) {
        assert_float_equal(g.costs[i], g.matches[i].path_distance, 1e-6);
        matches[i] = i;
    }
    assert_true(check_tree(&g, matches, g.count) > 0);
    for (int i = 0; i < g.count; i++) matches[i] = g.count - 1 - i; /* in any order */
    assert_true(check_tree(&g, matches, g.count) > 0);
    int count = 0;
    for (int i = 0; i < g.count; i += 2) matches[count++] = i; /* over those that were not chosen */
    check_tree(&g, matches, count);
    count = 0;
    for (int i = g.count - 1; i > 2; i--) matches[count++] = i; /* without the query */
    check_tree(&g, matches, count);
    check_tree(&g, (int[]){ 4 }, 1);
    graph_free(&g);
}

CASE(what_is_no_match_is_refused)
{
    graph g = graph_make(b, 40);
    int parents[MOST];
    const marey_finding *f = g.finding;
    assert_int_equal(marey_finding_parents(f, (int[]){ 0, g.count }, 2, parents, &test_error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_finding_parents(f, (int[]){ 0, -1 }, 2, parents, &test_error),
                     MAREY_ERR_REQUEST);
    test_refused_about(marey_finding_parents(f, (int[]){ 3, 1, 3 }, 3, parents, &test_error),
                       MAREY_ERR_REQUEST, "match 3 is there twice");
    assert_int_equal(marey_finding_parents(f, parents, 0, parents, &test_error), MAREY_ERR_REQUEST);
    graph_free(&g);
}

CASE(refused_memory_is_reported)
{
    graph g = graph_make(b, 40);
    int parents[2];
    size_t limit = b->of.memory.limit;
    b->of.memory.limit = 0;
    marey_status status = marey_finding_parents(g.finding, (int[]){ 0, 1 }, 2, parents, NULL);
    b->of.memory.limit = limit;
    assert_int_equal(status, MAREY_ERR_MEMORY);
    graph_free(&g);
}

TEST_GROUP_OF_CASES(test_finding_tree, NULL, NULL)
