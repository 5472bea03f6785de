/* bench_example.c - query by example on one hour of motion: the clips of [a_kovar] of
   sets/cmu_sets.txt in the folder of real data, six times, 108,048 frames at 30 Hz. Opening; a
   query of 13 fragments with a driving signal and three others; the best path by the table and by
   trying them all; the same queries at half and double the rate, on the clips at their own rate.
   Argument: how many turns (default 20: the best counts). */
#include "../tests/clips/example_rates.h"
#include "bench.h"
#include "match/example_data.h"

enum { MOST_CLIPS = 40, TIMES = 6, FRAGMENTS = 13, QUERIES = 200 };

typedef struct library {
    marey_ctx *ctx;
    int count;
    marey_clip *own[MOST_CLIPS], *slow[MOST_CLIPS * TIMES]; /* at their own rate, at 30 Hz */
    marey_dof dofs[MAREY_MOST_DOFS];
    int dof_count;
} library;

static void need(marey_status status, const char *what)
{
    if (status == MAREY_OK) return;
    printf("%s: %s\n", what, marey_status_name(status));
    exit(1);
}

static void load_clip(library *all, const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", bench_mocap_folder(), name);
    need(marey_clip_load(all->ctx, path, NULL, &all->own[all->count], NULL), path);
    need(marey_clip_resample(all->own[all->count], 30, &all->slow[all->count], NULL), path);
    all->count++;
}

static bool load(library *all)
{
    char path[1100], line[512], name[256];
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", bench_mocap_folder());
    FILE *file = fopen(path, "r");
    bool inside = false;
    while (file && fgets(line, sizeof line, file) && all->count < MOST_CLIPS) {
        if (line[0] == '[') inside = strncmp(line, "[a_kovar]", 9) == 0;
        if (inside && sscanf(line, " %255[^\t#]", name) == 1 && strstr(name, ".bvh")) {
            load_clip(all, name);
        }
    }
    if (file) fclose(file);
    for (int i = all->count; i < all->count * TIMES; i++) all->slow[i] = all->slow[i % all->count];
    return all->count > 0;
}

static marey_examples *open_clips(library *all, marey_clip **clips, int count, const char *dofs)
{
    marey_examples *in;
    need(marey_dofs_parse(dofs, all->dofs, &all->dof_count, NULL), dofs);
    need(marey_examples_open(all->ctx, (const marey_clip *const *)clips, count, all->dofs,
                             all->dof_count, NULL, &in, NULL),
         "opening");
    return in;
}

/* ---- an hour --------------------------------------------------------------------------------- */

/* The first 13 fragments of a walk; the rows that belong to it. */
static double *choose_query(library *all, const marey_examples *in, int *samples)
{
    const marey_clip *walk = all->slow[18]; /* 144_33, walking */
    rates r = { .ctx = all->ctx, .dofs = all->dofs, .dof_count = all->dof_count, .in = in };
    int frames = marey_clip_frames(walk), count;
    double *values = malloc(sizeof *values * (size_t)frames * (size_t)all->dof_count);
    for (int d = 0; d < all->dof_count; d++) {
        need(marey_clip_signal(walk, &all->dofs[d], values + (size_t)d * (size_t)frames, NULL),
             "signal");
    }
    marey_example_found *whole = rates_ask(&r, values, frames, 30);
    const marey_fragment *cut = marey_example_fragments(whole, &count);
    int start = (int)(cut[1].start + 0.5);
    *samples = (int)(cut[FRAGMENTS].end + 0.5) + 1 - start;
    double *rows = rates_rows(&r, values, frames, start, *samples, 2);
    marey_example_found_free(whole);
    free(values);
    return rows;
}

static void time_hour(library *all, int turns)
{
    double opening = INFINITY, asking = INFINITY;
    marey_examples *in = NULL;
    int samples, count = 0;
    static const char dofs[] = "left_knee.Xrotation,right_knee.Xrotation,left_hip.Xrotation,"
                               "right_hip.Xrotation";
    for (int turn = 0; turn < 3; turn++) {
        marey_examples_free(in);
        double start = bench_cpu_s();
        in = open_clips(all, all->slow, all->count * TIMES, dofs);
        opening = fmin(opening, bench_cpu_s() - start);
    }
    double *rows = choose_query(all, in, &samples);
    for (int turn = 0; turn < turns; turn++) {
        marey_example_query query = { samples, 30, rows };
        marey_example_found *found;
        double start = bench_cpu_s();
        need(marey_examples_find(all->ctx, in, &query, NULL, &found, NULL), "asking");
        asking = fmin(asking, bench_cpu_s() - start);
        marey_example_fragments(found, &count);
        marey_example_found_free(found);
    }
    printf("%d clips, %d fragments, %.1f MB; one driving signal and three others\n",
           all->count * TIMES, marey_examples_fragments(in),
           1e-6 * (double)marey_examples_bytes(in));
    bench_figure("  opening an hour of made clips", opening, "s", 0, false);
    printf("  the query has %d fragments\n", count);
    bench_figure("  asking an hour", 1e3 * asking, "ms", 50, false);
    free(rows);
    marey_examples_free(in);
}

/* ---- the best path --------------------------------------------------------------------------- */

/* All ways, one number with k digits each; nothing is kept but the best so far. */
static uint64_t try_all(const mry_candidate *row, int fragments, int k, int *least_jumps)
{
    uint64_t least = UINT64_MAX, count = 1;
    *least_jumps = fragments;
    for (int i = 0; i < fragments; i++) count *= (uint64_t)k;
    for (uint64_t number = 0; number < count; number++) {
        uint64_t rest = number, error = 0;
        const mry_candidate *before = NULL;
        int jumps = 0;
        for (int i = 0; i < fragments; i++, rest /= (uint64_t)k) {
            const mry_candidate *one = &row[i * k + (int)(rest % (uint64_t)k)];
            error += one->error;
            jumps += before && (before->clip != one->clip || before->to != one->from);
            before = one;
        }
        if (jumps < *least_jumps || (jumps == *least_jumps && error < least)) {
            *least_jumps = jumps;
            least = error;
        }
    }
    return least;
}

static void time_paths(library *all, int fragments, int k)
{
    mry_arena mem = mry_arena_make(all->ctx);
    mry_candidate candidates[FRAGMENTS * 4];
    rates r = { .seed = 9 };
    mry_path_table table;
    int jumps, turns = 1000;
    for (int i = 0; i < fragments * k; i++) {
        int from = (int)(8 * rates_share(&r));
        candidates[i] = (mry_candidate){ .error = (uint64_t)(1e9 * rates_share(&r)),
                                         .from = from,
                                         .to = from + 1 };
    }
    double start = bench_cpu_s();
    uint64_t least = try_all(candidates, fragments, k, &jumps);
    double all_ways = bench_cpu_s() - start;
    if (!mry_path_table_make(&mem, fragments, k, 5, &table)) exit(1);
    start = bench_cpu_s();
    for (int turn = 0; turn < turns; turn++) mry_paths_find(&table, candidates, k);
    double by_table = (bench_cpu_s() - start) / turns;
    bool same = table.first[0].error == least && table.first[0].jumps == jumps;
    printf("  %2d fragments, k %d: all ways %10.4f ms, the five best by the table %7.4f ms, %s\n",
           fragments, k, 1e3 * all_ways, 1e3 * by_table, same ? "the same" : "NOT THE SAME");
    mry_arena_free(&mem);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void show_rate(const char *what, const rates_tally *tally)
{
    printf("   %s, %d queries, %d parts, %.1f %% exactly\n", what, tally->queries, tally->parts,
           100.0 * tally->exactly / tally->parts);
    bench_figure("    best clips that stay", tally->clips, "", tally->queries, true);
    bench_figure("    parts that stay", 100.0 * tally->stayed / tally->parts, "%", 95, true);
}

static void measure_rates(library *all, const char *dofs, bool any_ends)
{
    marey_examples *in = open_clips(all, all->own, all->count, dofs);
    rates r = { .ctx = all->ctx,
                .clips = all->own,
                .count = all->count,
                .dofs = all->dofs,
                .dof_count = all->dof_count,
                .in = in,
                .any_ends = any_ends,
                .seed = 1 };
    rates_measure(&r, QUERIES);
    printf("  %s, %s\n", dofs, any_ends ? "between any two frames" : "from turn to turn");
    show_rate("half the rate", &r.half);
    show_rate("double the rate", &r.twice);
    marey_examples_free(in);
}

int main(int argc, char **argv)
{
    static library all;
    setvbuf(stdout, NULL, _IOLBF, 0);
    need(marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &all.ctx), "context");
    if (!load(&all)) {
        printf("skipped: no sets/cmu_sets.txt in %s\n", bench_mocap_folder());
        marey_ctx_close(all.ctx);
        return 0;
    }
    time_hour(&all, argc > 1 ? atoi(argv[1]) : 20);
    printf("the best path\n");
    for (int k = 2; k <= 4; k++) time_paths(&all, 7, k);
    for (int k = 2; k <= 3; k++) time_paths(&all, FRAGMENTS, k);
    printf("the same query at another rate, %d clips at their own\n", all.count);
    measure_rates(&all, "left_knee.Xrotation", false);
    measure_rates(&all, "left_knee.Xrotation,right_knee.Xrotation,left_hip.Xrotation", false);
    measure_rates(&all, "left_hip.Xrotation", false);
    measure_rates(&all, "left_knee.Xrotation", true);
    for (int i = 0; i < all.count; i++) {
        marey_clip_free(all.own[i]);
        marey_clip_free(all.slow[i]);
    }
    marey_ctx_close(all.ctx);
    return 0;
}
