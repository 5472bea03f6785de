/* bench_brute.c - what match webs miss of what the paper's expensive method finds: dynamic
   timewarping of a query with every segment, on captured pairs of 10 s and queries of 0.75 to 1.5
   s. Best matches are those under a threshold that no better one overlaps by more than a fifth. A
   search has found one if a match of the first tier overlaps it by 80 %, and fine if its mean cost
   is within 5 % too.

   What the rest is: `stretched` best matches are less than half or more than twice as long as their
   query; a web has few paths there. `padded` ones cost no less in sum than what was found, but have
   more cells: brute force adds cheap frames at the ends to lower the mean. Arguments: queries a
   pair (default 10), loose (default -1: none), tail_s and ceiling of the webs (default 0:
   theirs). */
#include "bench.h"
#include "brute_search.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { CUT = 600, SLOPE = 2, LEAST = 45, MOST = 90 };

typedef struct pair {
    const char *kind, *names[2];
    int first[2];
    double threshold; /* cm2 */
} pair;

static const pair pairs[] = {
    { "walk", { "144_33", "16_15" }, { 300, 0 }, 40 },
    { "walk", { "144_33", "91_01" }, { 900, 300 }, 40 },
    { "walk", { "144_03", "91_01" }, { 600, 0 }, 40 },
    { "walk", { "91_01", "91_01" }, { 0, 700 }, 40 },
    { "walk", { "16_15", "144_03" }, { 0, 1200 }, 40 },
    { "run", { "38_03", "111_23" }, { 0, 0 }, 80 },
    { "run", { "111_23", "111_23" }, { 0, 0 }, 80 },
    { "kick", { "144_05", "144_05" }, { 300, 800 }, 150 },
    { "kick", { "144_05", "144_09" }, { 100, 400 }, 150 },
    { "kick", { "135_11", "144_05" }, { 200, 300 }, 150 },
    { "punch", { "144_20", "144_13" }, { 200, 200 }, 100 },
    { "punch", { "13_18", "13_18" }, { 300, 900 }, 100 },
    { "reach", { "144_22", "144_22" }, { 300, 900 }, 80 },
    { "reach", { "144_24", "144_22" }, { 500, 300 }, 80 },
    { "reach", { "144_15", "144_29" }, { 300, 300 }, 80 },
    { "reach", { "15_07", "13_10" }, { 500, 200 }, 80 },
    { "jump", { "49_02", "14_09" }, { 100, 400 }, 150 },
    { "jump", { "13_11", "49_02" }, { 0, 0 }, 150 },
    { "jump", { "83_40", "49_02" }, { 0, 400 }, 150 },
    { "cartwheel", { "144_01", "144_01" }, { 100, 700 }, 250 },
    { "cartwheel", { "49_06", "144_01" }, { 0, 100 }, 250 },
    { "sit, step", { "13_02", "14_31" }, { 200, 200 }, 80 },
    { "sit, step", { "13_02", "13_02" }, { 200, 1000 }, 80 },
    { "sit, step", { "13_35", "83_27" }, { 0, 0 }, 80 },
};

typedef struct tally {
    int queries, best, found, fine, padded;
    int stretched, stretched_found, stretched_fine;
    int first, first_fine; /* the best one of each query */
    double brute_s, search_s;
} tally;

typedef struct bench {
    marey_ctx *ctx;
    marey_rows cost;
    uint8_t *valid;
    const marey_web *web;
    double loose;
    marey_web_def def;
} bench;

/* ---- one query ------------------------------------------------------------------------------- */

static marey_status give_web(void *user, int a, int b, const marey_web **out, bool *flipped,
                             marey_error *error)
{
    const bench *of = user;
    (void)error;
    *out = a != b ? of->web : NULL;
    *flipped = a > b;
    return MAREY_OK;
}

static double overlap(const brute_match *a, marey_segment b)
{
    int start = a->start > b.start ? a->start : b.start, end = a->end < b.end ? a->end : b.end;
    int first = a->end - a->start, second = b.end - b.start;
    return end <= start ? 0 : (double)(end - start) / (first < second ? first : second);
}

/* The edge of the cheapest match that a best one was found by; NULL: none. */
static const marey_match_edge *find_same(const marey_match_graph *graph, const brute_match *match)
{
    int nodes, edges;
    const marey_found *found = marey_match_graph_nodes(graph, &nodes);
    const marey_match_edge *all = marey_match_graph_edges(graph, &edges), *same = NULL;
    for (int i = 0; i < edges; i++) {
        if (overlap(match, found[all[i].to].at) < 0.8) continue;
        if (!same || all[i].distance < same->distance) same = &all[i];
    }
    return same;
}

static void judge(const brute_match *best, int rows, bool first, const marey_match_edge *edge,
                  tally *to)
{
    int cols = best->end - best->start;
    bool stretched = 2 * cols < rows || cols > 2 * rows;
    bool fine = edge && edge->distance <= 1.05 * best->mean;
    to->best++;
    to->found += edge != NULL;
    to->fine += fine;
    to->first += first;
    to->first_fine += first && fine;
    to->stretched += stretched;
    to->stretched_found += stretched && edge;
    to->stretched_fine += stretched && fine;
    to->padded +=
        edge && !fine && !stretched && edge->distance * edge->cells <= best->mean * best->cells;
}

static void try_query(bench *of, int start, int end, double threshold, tally *to)
{
    int count;
    double at = bench_cpu_s();
    brute_match *best =
        brute_search(of->cost, of->valid, SLOPE, start, end, threshold, 0.2, &count);
    to->brute_s += bench_cpu_s() - at;
    marey_webs webs = { .clips = 2, .web = give_web, .user = of };
    marey_search_def def = { .threshold = 1.05 * threshold, .tiers = 1, .loose = of->loose };
    marey_match_graph *graph;
    at = bench_cpu_s();
    if (marey_search(of->ctx, &webs, (marey_segment){ 0, start, end }, &def, &graph, NULL)) exit(1);
    to->search_s += bench_cpu_s() - at;
    to->queries++;
    for (int i = 0; i < count; i++) {
        judge(&best[i], end - start, i == 0, find_same(graph, &best[i]), to);
    }
    marey_match_graph_free(graph);
    free(best);
}

/* ---- one pair -------------------------------------------------------------------------------- */

static marey_clip *load(marey_ctx *ctx, const char *name, int first)
{
    char path[1200];
    marey_clip *clip, *cut, *slow, *part;
    snprintf(path, sizeof path, "%s/cmu/%s.bvh", bench_mocap_folder(), name);
    if (marey_clip_load(ctx, path, NULL, &clip, NULL)) return NULL;
    if (marey_clip_trim(clip, 1, marey_clip_frames(clip), &cut, NULL)) exit(1); /* the T-pose */
    if (marey_clip_resample(cut, 60, &slow, NULL)) exit(1);
    int end = first + CUT < marey_clip_frames(slow) ? first + CUT : marey_clip_frames(slow);
    if (marey_clip_trim(slow, first, end, &part, NULL)) exit(1);
    marey_clip_free(clip);
    marey_clip_free(cut);
    marey_clip_free(slow);
    return part;
}

static int draw(uint32_t *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((uint64_t)(*state >> 8) * (uint64_t)below >> 24);
}

static void try_queries(bench *of, const pair *p, int queries, uint32_t *state, tally *to)
{
    for (int i = 0; i < queries; i++) {
        int rows = LEAST + draw(state, MOST - LEAST + 1);
        if (rows > of->cost.rows) continue;
        int start = draw(state, of->cost.rows - rows + 1);
        try_query(of, start, start + rows, p->threshold, to);
    }
}

/* False: the clips are not there. */
static bool try_pair(bench *of, const pair *p, int queries, uint32_t *state, tally *to)
{
    marey_clip *clips[2] = { load(of->ctx, p->names[0], p->first[0]),
                             load(of->ctx, p->names[1], p->first[1]) };
    if (clips[0] && clips[1]) {
        marey_layout *layout;
        marey_features *a, *b;
        marey_grid *grid;
        marey_web *web;
        if (marey_layout_build(of->ctx, (const marey_clip *const *)clips, 2, NULL, &layout, NULL) ||
            marey_features_build(layout, clips[0], &a, NULL) ||
            marey_features_build(layout, clips[1], &b, NULL) ||
            marey_grid_build(of->ctx, a, b, &grid, NULL) ||
            marey_web_build(of->ctx, a, b, &of->def, &web, NULL)) {
            exit(1);
        }
        of->cost = marey_grid_cost(grid);
        of->valid =
            web_judge_valid(of->cost, false, 60, &(marey_web_def){ .ceiling = MAREY_WEB_CEILING });
        of->web = web;
        try_queries(of, p, queries, state, to);
        free(of->valid);
        marey_web_free(web);
        marey_grid_free(grid);
        marey_features_free(a);
        marey_features_free(b);
        marey_layout_free(layout);
    }
    bool there = clips[0] && clips[1];
    marey_clip_free(clips[0]);
    marey_clip_free(clips[1]);
    return there;
}

/* ---- all ------------------------------------------------------------------------------------- */

static double percent(int part, int of)
{
    return of ? 100.0 * part / of : 100;
}

static void print_line(const char *kind, const tally *t)
{
    int even = t->best - t->stretched;
    printf("%-10s %4d queries %4d best: found %5.1f %%, fine %5.1f %%; not stretched %4d: found "
           "%5.1f %%, fine %5.1f %%, padded %4.1f %%; first fine %5.1f %%\n",
           kind, t->queries, t->best, percent(t->found, t->best), percent(t->fine, t->best), even,
           percent(t->found - t->stretched_found, even), percent(t->fine - t->stretched_fine, even),
           percent(t->padded, even), percent(t->first_fine, t->first));
}

static void add(tally *to, const tally *t)
{
    to->queries += t->queries;
    to->best += t->best;
    to->found += t->found;
    to->fine += t->fine;
    to->stretched += t->stretched;
    to->stretched_found += t->stretched_found;
    to->stretched_fine += t->stretched_fine;
    to->padded += t->padded;
    to->first += t->first;
    to->first_fine += t->first_fine;
    to->brute_s += t->brute_s;
    to->search_s += t->search_s;
}

int main(int argc, char **argv)
{
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    int queries = argc > 1 ? atoi(argv[1]) : 10;
    bench of = { .loose = argc > 2 ? atof(argv[2]) : -1 };
    of.def.tail_s = argc > 3 ? atof(argv[3]) : 0;
    of.def.ceiling = argc > 4 ? atof(argv[4]) : 0;
    uint32_t state = 1;
    tally all = { 0 }, kind = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &of.ctx) != MAREY_OK) return 1;
    for (int i = 0; i < PAIRS; i++) {
        if (!try_pair(&of, &pairs[i], queries, &state, &kind)) {
            printf("skipped: no cmu/%s.bvh and %s.bvh in %s\n", pairs[i].names[0],
                   pairs[i].names[1], bench_mocap_folder());
        }
        if (i + 1 < PAIRS && strcmp(pairs[i].kind, pairs[i + 1].kind) == 0) continue;
        print_line(pairs[i].kind, &kind);
        add(&all, &kind);
        kind = (tally){ 0 };
    }
    print_line("all", &all);
    if (all.queries > 0) {
        double each = all.brute_s / all.queries;
        printf("brute force takes %.4f s a query, so all %d queries of up to 1.5 s in 10 s about "
               "%.1f h (the paper: 16.5 h); a search %.3f ms\n",
               each, CUT * MOST, each * CUT * MOST / 3600, 1e3 * all.search_s / all.queries);
    }
    marey_ctx_close(of.ctx);
    return 0;
}
