/* search_costs.c - what webs and searching with them cost (webs, 6.2.4.1). */
#include "web_lab.h"

#include <stdlib.h>

enum { QUERIES = 200, QUERY_ROWS = 90 /* 1.5 s */ };

/* ---- building -------------------------------------------------------------------------------- */

static void print_cost(const char *what, const web_cost *c)
{
    printf("| %s | %d | %.0f | %.2f | %.2f | %lld | %lld | %.2f | %.2f |\n", what, c->pairs,
           (double)c->cells / 1e6, c->cpu_s / 2, c->wall_s, (long long)c->chains,
           (long long)c->bridges, (double)c->raw / 1e6, (double)c->bytes / 1e6);
}

static void print_building(web_set *set)
{
    web_cost sum = { 0 };
    printf(
        "\n## Building\n\n%d clips, %lld frames at 60 Hz with a T-pose each, two threads. Raw: 8 "
        "bytes a cell.\n\n",
        set->count, (long long)set->rows);
    printf(
        "| set | pairs | million pairs of frames | CPU time of both threads, halved, s | passed, "
        "s | chains | bridges | raw, MB | kept, MB |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int c = 0; c < set->categories; c++) {
        web_cost cost = set_build(set, c, NULL);
        print_cost(set->category_names[c], &cost);
        sum.cpu_s += cost.cpu_s;
        sum.wall_s += cost.wall_s;
        sum.pairs += cost.pairs;
        sum.cells += cost.cells;
        sum.chains += cost.chains;
        sum.bridges += cost.bridges;
        sum.raw += cost.raw;
        sum.bytes += cost.bytes;
    }
    print_cost("the six together", &sum);
    web_cost levels = set_build(set, -1, &(marey_web_def){ .levels = true });
    print_cost("whole, by the paper's levels", &levels);
    web_cost whole = set_build(set, -1, NULL);
    print_cost("whole, at the full rate", &whole);
    printf("\nMost memory held at once: %.0f MB, with clips, features and all webs.\n",
           (double)marey_ctx_bytes_peak(set->ctx) / 1e6);
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Evenly over all rows in which so long a query begins. */
static marey_segment query_at(const web_set *set, const uint8_t *allowed, int number)
{
    int64_t room = 0;
    for (int c = 0; c < set->count; c++) {
        int rows = marey_features_rows(set->features[c]) - QUERY_ROWS - 1;
        if ((!allowed || allowed[c]) && rows > 0) room += rows;
    }
    int64_t at = room * number / QUERIES;
    for (int c = 0; c < set->count; c++) {
        int rows = marey_features_rows(set->features[c]) - QUERY_ROWS - 1;
        if ((allowed && !allowed[c]) || rows <= 0) continue;
        if (at < rows) return (marey_segment){ c, (int)at + 1, (int)at + 1 + QUERY_ROWS };
        at -= rows;
    }
    return (marey_segment){ 0, 1, 1 + QUERY_ROWS };
}

static double search_once(const web_set *set, marey_segment query, const marey_search_def *def,
                          int *matches)
{
    marey_webs webs = set_webs(set);
    marey_match_graph *graph;
    marey_error error;
    double start = web_cpu_seconds();
    web_must(marey_search(set->ctx, &webs, query, def, &graph, &error), &error);
    double took = web_cpu_seconds() - start;
    marey_match_graph_nodes(graph, matches);
    --*matches;
    marey_match_graph_free(graph);
    return took;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_first_tier(const web_set *set, const char *what, const uint8_t *allowed,
                             double threshold)
{
    double times[QUERIES], sum = 0, found = 0;
    marey_search_def def = { .threshold = threshold, .tiers = 1, .allowed = allowed };
    for (int i = 0; i < QUERIES; i++) {
        int matches;
        times[i] = search_once(set, query_at(set, allowed, i), &def, &matches);
        sum += times[i];
        found += matches;
    }
    qsort(times, QUERIES, sizeof times[0], by_size);
    printf("| %s | %.0f | %.3f | %.3f | %.3f | %.1f |\n", what, threshold, 1000 * sum / QUERIES,
           1000 * times[QUERIES / 2], 1000 * times[QUERIES - 1], found / QUERIES);
}

static void print_first_tiers(const web_set *set)
{
    const double thresholds[] = { 30, 100, 300 };
    printf("\n## First tier\n\n%d queries of 1.5 s, evenly over the set, webs in memory.\n\n"
           "| searched | threshold, cm2 | mean ms | median | longest | matches, mean |\n"
           "|---|---|---|---|---|---|\n",
           QUERIES);
    for (int t = 0; t < 3; t++) print_first_tier(set, "whole set", NULL, thresholds[t]);
    for (int c = 0; c < set->categories; c++) {
        uint8_t allowed[MOST_CLIPS];
        for (int i = 0; i < set->count; i++) allowed[i] = set->category[i] == c;
        print_first_tier(set, set->category_names[c], allowed, 100);
    }
}

/* Searches to the end, by how many matches they end with. */
static void print_whole_searches(const web_set *set)
{
    static const int from[] = { 0, 10, 50, 80, 150 };
    enum { BANDS = sizeof from / sizeof from[0] };
    double sum[BANDS] = { 0 }, most[BANDS] = { 0 };
    int count[BANDS] = { 0 }, found[BANDS] = { 0 };
    for (int i = 0; i < QUERIES; i += 4) {
        for (double threshold = 20; threshold < 300; threshold *= 1.4) {
            int matches, band = BANDS - 1;
            marey_search_def def = { .threshold = threshold, .limit = 300 };
            double took = search_once(set, query_at(set, NULL, i), &def, &matches);
            while (matches < from[band]) band--;
            sum[band] += took;
            most[band] = took > most[band] ? took : most[band];
            found[band] += matches;
            count[band]++;
            if (matches > 150) break;
        }
    }
    printf("\n## Searches to the end\n\nEvery fourth of these queries, at most 300 matches, "
           "thresholds from 20 cm2, each 1.4 times the "
           "one before, until more than 150 are found.\n\n"
           "| matches at the end | searches | matches, mean | mean ms | longest ms |\n"
           "|---|---|---|---|---|\n");
    for (int b = 0; b < BANDS; b++) {
        if (count[b] == 0) continue;
        printf("| %d%s | %d | %.0f | %.1f | %.1f |\n", from[b],
               b + 1 < BANDS ? " or more" : " and more", count[b], (double)found[b] / count[b],
               1000 * sum[b] / count[b], 1000 * most[b]);
    }
}

void experiment_costs(web_set *set)
{
    print_building(set);
    print_first_tiers(set);
    print_whole_searches(set);
}
