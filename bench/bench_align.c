/* bench_align.c - time alignment beside its plain form, registration curves from two clips, and
   blends with their feet held, each on one thread. What is compared takes turns in one run and the
   best of each counts, since the machine is shared. */
#include "bench.h"
#include "timewarp_plain.h"

#include <marey/marey.h>

#include <math.h>

enum { FRAMES = 600, SKIPPED = 60, MOST_CLIPS = 9, TURNS = 15 };

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void need(marey_status status, const marey_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_align: %s\n", error->message);
    exit(1);
}

/* ---- clips ----------------------------------------------------------------------------------- */

typedef struct clips {
    int count;
    bool real;
    marey_clip *all[MOST_CLIPS];
} clips;

/* The frames that are used, at 120 Hz, on the bones of the first. */
static void keep(clips *to, const marey_clip *clip)
{
    marey_clip *fast, *cut, *fitted;
    marey_error error;
    need(marey_clip_resample(clip, 120, &fast, &error), &error);
    int frames = marey_clip_frames(fast), first = frames >= FRAMES + SKIPPED ? SKIPPED : 0;
    if (frames >= FRAMES) {
        need(marey_clip_trim(fast, first, first + FRAMES, &cut, &error), &error);
        need(marey_clip_refit(cut, to->count ? to->all[0] : cut, &fitted, &error), &error);
        to->all[to->count++] = fitted;
        marey_clip_free(cut);
    }
    marey_clip_free(fast);
}

/* People who walk, run and turn, of the CMU database; the demo library's takes where they are
   missing. */
static void load(marey_ctx *ctx, clips *out)
{
    static const char *const names[MOST_CLIPS] = { "91_57",  "91_36", "143_32", "38_03", "90_32",
                                                   "113_04", "83_27", "111_23", "120_12" };
    marey_error error;
    *out = (clips){ .real = true };
    for (int i = 0; i < MOST_CLIPS; i++) {
        char path[1024];
        marey_clip *clip;
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", bench_mocap_folder(), names[i]);
        if (marey_clip_load(ctx, path, NULL, &clip, NULL) != MAREY_OK) continue;
        keep(out, clip);
        marey_clip_free(clip);
    }
    if (out->count == MOST_CLIPS) return;
    for (int i = 0; i < out->count; i++) marey_clip_free(out->all[i]);
    *out = (clips){ .real = false };
    for (int i = 0; i < marey_demo_count() && out->count < MOST_CLIPS; i++) {
        marey_demo_take *take;
        need(marey_demo_build(ctx, i, 1, &take, &error), &error);
        keep(out, marey_demo_clip(take));
        marey_demo_free(take);
    }
    if (out->count < 2) exit(1);
}

/* ---- the grid -------------------------------------------------------------------------------- */

typedef struct pair {
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid;
} pair;

static pair make_pair(marey_ctx *ctx, const clips *all)
{
    pair made;
    marey_error error;
    const marey_clip *const two[] = { all->all[0], all->all[1] };
    need(marey_layout_build(ctx, two, 2, NULL, &made.layout, &error), &error);
    for (int i = 0; i < 2; i++) {
        need(marey_features_build(made.layout, two[i], &made.features[i], &error), &error);
    }
    need(marey_grid_build(ctx, made.features[0], made.features[1], &made.grid, &error), &error);
    return made;
}

static void free_pair(pair *made)
{
    marey_grid_free(made->grid);
    for (int i = 0; i < 2; i++) marey_features_free(made->features[i]);
    marey_layout_free(made->layout);
}

static double time_pair(marey_ctx *ctx, const clips *all)
{
    double start = bench_cpu_s();
    pair made = make_pair(ctx, all);
    double seconds = bench_cpu_s() - start;
    free_pair(&made);
    return seconds;
}

/* ---- time alignment -------------------------------------------------------------------------- */

typedef marey_status align_fn(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                              marey_path *out, marey_error *error);

static double time_align(marey_ctx *ctx, marey_rows grid, marey_align_def def, align_fn *align,
                         marey_path *out)
{
    marey_error error;
    double start = bench_cpu_s();
    need(align(ctx, grid, &def, out, &error), &error);
    return bench_cpu_s() - start;
}

typedef struct timing {
    double fast, plain; /* seconds */
    bool equal;
} timing;

static timing time_both(marey_ctx *ctx, marey_rows grid, marey_align_def def)
{
    timing best = { INFINITY, INFINITY, true };
    for (int turn = 0; turn < TURNS; turn++) {
        marey_path fast, plain;
        best.fast = least(best.fast, time_align(ctx, grid, def, marey_align, &fast));
        best.plain = least(best.plain, time_align(ctx, grid, def, warp_align_plain, &plain));
        best.equal &= fast.sum == plain.sum && fast.mean == plain.mean;
        marey_path_free(&fast);
        marey_path_free(&plain);
    }
    return best;
}

static void bench_grid(marey_ctx *ctx, marey_rows grid, const char *what)
{
    static const char *const ends[] = { "whole", "between", "forwards", "backwards", "around" };
    printf("time alignment on %d x %d cells of %s\n", grid.rows, grid.cols, what);
    for (int slope = 2; slope <= 3; slope++) {
        timing whole = time_both(ctx, grid, (marey_align_def){ .slope = slope });
        double cells = (double)grid.rows * grid.cols;
        printf("  slope %d, whole: plain %.2f ns a cell, costs %s\n", slope,
               1e9 * whole.plain / cells, whole.equal ? "the same" : "NOT THE SAME");
        bench_figure("    time", 1e3 * whole.fast, "ms", slope == 2 ? 0.5 : 0, false);
        bench_figure("    times as fast as the plain form", whole.plain / whole.fast, "x", 4, true);
    }
    for (int n = MAREY_ALIGN_FORWARDS; n <= MAREY_ALIGN_AROUND; n++) {
        marey_cell middle = { grid.rows / 2, grid.cols / 2 }, start = middle;
        if (n == MAREY_ALIGN_FORWARDS) start = (marey_cell){ 0, 0 };
        if (n == MAREY_ALIGN_BACKWARDS) start = (marey_cell){ grid.rows - 1, grid.cols - 1 };
        timing t =
            time_both(ctx, grid, (marey_align_def){ .ends = (marey_align_ends)n, .start = start });
        printf("  slope 2, %-9s from row %3d: %.3f ms, plain %.3f, costs %s\n", ends[n], start.row,
               1e3 * t.fast, 1e3 * t.plain, t.equal ? "the same" : "NOT THE SAME");
    }
}

static void bench_random(marey_ctx *ctx)
{
    static float cells[FRAMES * FRAMES];
    uint32_t state = 1;
    for (int i = 0; i < FRAMES * FRAMES; i++) {
        state = state * 1664525u + 1013904223u;
        cells[i] = (float)(state >> 8) / (1 << 24);
    }
    bench_grid(ctx, (marey_rows){ cells, FRAMES, FRAMES, FRAMES }, "random numbers");
}

/* ---- registration ---------------------------------------------------------------------------- */

static double time_registration(marey_ctx *ctx, const clips *all, int count,
                                const marey_contacts *contacts)
{
    marey_registration *made;
    marey_error error;
    double start = bench_cpu_s();
    need(marey_registration_build(ctx, (const marey_clip *const *)all->all, count, contacts, NULL,
                                  &made, &error),
         &error);
    double seconds = bench_cpu_s() - start;
    marey_registration_free(made);
    return seconds;
}

/* What comes before the grid's end is layout, features and grid; plants are given to what is behind
   it, as the paper has them given. */
static void bench_registration(marey_ctx *ctx, const clips *all)
{
    double whole = INFINITY, given = INFINITY, grid = INFINITY;
    marey_contacts contacts[2];
    for (int i = 0; i < 2; i++) {
        if (marey_contacts_find(all->all[i], NULL, &contacts[i]) != MAREY_OK) exit(1);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        whole = least(whole, time_registration(ctx, all, 2, NULL));
        given = least(given, time_registration(ctx, all, 2, contacts));
        grid = least(grid, time_pair(ctx, all));
    }
    printf("registration of two clips of %d frames\n", FRAMES);
    bench_figure("  everything, plants found", 1e3 * whole, "ms", 10, false);
    bench_figure("  of it up to the grid", 1e3 * grid, "ms", 0, false);
    bench_figure("  of it behind the grid", 1e3 * (given - grid), "ms", 2, false);
    bench_figure("  of it finding plants", 1e3 * (whole - given), "ms", 0, false);
    for (int i = 0; i < 2; i++) marey_contacts_free(&contacts[i]);
}

/* ---- blends ---------------------------------------------------------------------------------- */

static void bench_blend(marey_ctx *ctx, const clips *all, int count, double asked)
{
    marey_registration *registration;
    marey_error error;
    double weights[MOST_CLIPS], best = INFINITY, alone = INFINITY, made_s = 0;
    for (int i = 0; i < count; i++) weights[i] = 1;
    need(marey_registration_build(ctx, (const marey_clip *const *)all->all, count, NULL, NULL,
                                  &registration, &error),
         &error);
    for (int turn = 0; turn < TURNS / 3; turn++) {
        marey_blend_def def = { .weights = weights, .fps = 120 };
        marey_made made;
        for (int feet = 0; feet < 2; feet++) {
            def.leave_feet = feet == 1;
            double start = bench_cpu_s();
            need(marey_blend_make(ctx, registration, &def, &made, &error), &error);
            double seconds = bench_cpu_s() - start;
            if (feet == 0) best = least(best, seconds);
            if (feet == 1) alone = least(alone, seconds);
            made_s = marey_clip_frames(made.clip) / 120.0;
            marey_made_free(&made);
        }
    }
    printf("blend of %d motions, %.1f s at 120 Hz\n", count, made_s);
    bench_figure("  times real time, feet held", made_s / best, "x", asked, true);
    bench_figure("  times real time, feet left alone", made_s / alone, "x", 0, true);
    marey_registration_free(registration);
}

int main(void)
{
    marey_ctx *ctx;
    clips all;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx) != MAREY_OK) return 1;
    load(ctx, &all);
    pair made = make_pair(ctx, &all);
    bench_grid(ctx, marey_grid_cost(made.grid), all.real ? "two CMU clips" : "two demo clips");
    free_pair(&made);
    bench_random(ctx);
    bench_registration(ctx, &all);
    bench_blend(ctx, &all, 2, 300);
    if (all.count == MOST_CLIPS) bench_blend(ctx, &all, MOST_CLIPS, 100);
    for (int i = 0; i < all.count; i++) marey_clip_free(all.all[i]);
    marey_ctx_close(ctx);
    return 0;
}
