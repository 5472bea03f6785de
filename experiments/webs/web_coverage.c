/* web_coverage.c - does a web have what is alike? All pairs of marked occurrences of one kind are
   aligned whole on the plain grid, which needs no web; those that are near must come out of a
   search in the first tier. What the chains, the valid region and the bridges lose shows here, by
   how far apart the two are. */
#include "web_lab.h"

#include <stdlib.h>
#include <string.h>

static const double bands[] = { 20, 50, 100, 200, 400, 800 };

enum { BANDS = sizeof bands / sizeof bands[0] };

typedef struct coverage {
    int pairs[BANDS], met[BANDS];
} coverage;

/* Infinite where the slope allows none. */
static double align_whole(const web_set *set, marey_rows cost, marey_segment a, marey_segment b)
{
    marey_rows part = { cost.values + (size_t)a.start * cost.stride + b.start, a.end - a.start,
                        b.end - b.start, cost.stride };
    marey_path path;
    marey_status status = marey_align(set->ctx, part, NULL, &path, NULL);
    if (status == MAREY_ERR_REQUEST) return 1e30;
    web_must(status, NULL);
    double mean = path.mean;
    marey_path_free(&path);
    return mean;
}

static bool is_pair(const truth_segment *a, const truth_segment *b)
{
    if (a->doubtful || b->doubtful || a->strike_count > 0 || b->strike_count > 0) return false;
    return a != b && strcmp(a->label, b->label) == 0 && strcmp(a->side, b->side) == 0;
}

/* matches[i] is what a search with occurrence i found in the first tier. */
static void count_clips(const web_set *set, const truth *of, marey_match_graph *const *matches,
                        int clip_a, int clip_b, coverage *out)
{
    marey_grid *grid;
    marey_error error;
    web_must(
        marey_grid_build(set->ctx, set->features[clip_a], set->features[clip_b], &grid, &error),
        &error);
    for (int i = 0; i < of->count; i++) {
        const truth_segment *a = &of->segments[i];
        if (a->at.clip != clip_a || !matches[i]) continue;
        int count;
        const marey_found *found = marey_match_graph_nodes(matches[i], &count);
        for (int j = 0; j < of->count; j++) {
            const truth_segment *b = &of->segments[j];
            if (b->at.clip != clip_b || !is_pair(a, b)) continue;
            double mean = align_whole(set, marey_grid_cost(grid), a->at, b->at);
            int band = 0;
            bool met = false;
            while (band < BANDS && mean > bands[band]) band++;
            for (int m = 0; m < count; m++) met |= segments_overlap(found[m].at, b->at) >= 0.5;
            if (band == BANDS) continue;
            out->pairs[band]++;
            out->met[band] += met;
        }
    }
    marey_grid_free(grid);
}

static void print_coverage(const coverage *c)
{
    printf(
        "\n## What the webs have of what is alike\n\nPairs of marked occurrences of one kind and "
        "side in one category, by the mean of their plain alignment; found: in the first tier, "
        "at the ceiling.\n\n| alignment, cm2 | pairs | found | share |\n|---|---|---|---|\n");
    for (int b = 0; b < BANDS; b++) {
        printf("| up to %.0f | %d | %d | %.3f |\n", bands[b], c->pairs[b], c->met[b],
               c->pairs[b] ? (double)c->met[b] / c->pairs[b] : 1);
    }
}

void experiment_coverage(const web_set *set, const truth *of)
{
    coverage all = { 0 };
    marey_webs webs = set_webs(set);
    marey_search_def def = { .threshold = MAREY_WEB_CEILING, .tiers = 1 };
    marey_match_graph **matches = web_room((size_t)of->count * sizeof *matches);
    marey_error error;
    for (int i = 0; i < of->count; i++) {
        if (of->segments[i].doubtful || of->segments[i].strike_count > 0) continue;
        web_must(marey_search(set->ctx, &webs, of->segments[i].at, &def, &matches[i], &error),
                 &error);
    }
    for (int a = 0; a < set->count; a++) {
        for (int b = 0; b < set->count; b++) {
            if (set->category[a] == set->category[b]) count_clips(set, of, matches, a, b, &all);
        }
    }
    for (int i = 0; i < of->count; i++) marey_match_graph_free(matches[i]);
    free(matches);
    print_coverage(&all);
}
