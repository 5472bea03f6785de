/* bench_web.c - match webs of all pairs of clips of a set, each clip with itself too: time, beside
   the grid's own, size and memory. The set is [a_kovar] of sets/cmu_sets.txt in the folder of real
   data: 30 clips, 36,017 frames at 60 Hz. Arguments: how many clips (default: all), how many turns
   (default 2: the best of each counts), a ceiling. */
#include "bench.h"
#include "feature/feature_data.h"
#include "match/web_data.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { MOST_CLIPS = 64 };

typedef struct library {
    marey_ctx *ctx;
    int count;
    int64_t frames;
    marey_clip *clips[MOST_CLIPS];
    marey_features *features[MOST_CLIPS];
    marey_layout *layout;
    marey_web_def def;
} library;

/* ---- the set --------------------------------------------------------------------------------- */

static void load_clip(library *all, const char *name)
{
    char path[1200];
    marey_clip *clip, *cut, *slow;
    snprintf(path, sizeof path, "%s/%s", bench_mocap_folder(), name);
    if (marey_clip_load(all->ctx, path, NULL, &clip, NULL) != MAREY_OK) exit(1);
    if (marey_clip_trim(clip, 1, marey_clip_frames(clip), &cut, NULL) != MAREY_OK)
        exit(1); /* without the T-pose */
    if (marey_clip_resample(cut, 60, &slow, NULL) != MAREY_OK) exit(1);
    marey_clip_free(cut);
    marey_clip_free(clip);
    all->clips[all->count++] = slow;
}

static bool load(library *all, int most)
{
    char path[1100], line[512], name[256];
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", bench_mocap_folder());
    FILE *file = fopen(path, "r");
    bool inside = false;
    if (!file) return false;
    while (fgets(line, sizeof line, file) && all->count < most) {
        if (line[0] == '[') inside = strncmp(line, "[a_kovar]", 9) == 0;
        if (inside && sscanf(line, " %255[^\t#]", name) == 1 && strstr(name, ".bvh")) {
            load_clip(all, name);
        }
    }
    fclose(file);
    marey_metric_def def = { .bounded = true };
    if (all->count == 0 || marey_layout_build(all->ctx, (const marey_clip *const *)all->clips,
                                              all->count, &def, &all->layout, NULL) != MAREY_OK) {
        return false;
    }
    for (int i = 0; i < all->count; i++) {
        if (marey_features_build(all->layout, all->clips[i], &all->features[i], NULL) != MAREY_OK)
            exit(1);
        all->frames += marey_features_rows(all->features[i]);
    }
    return true;
}

static void unload(library *all)
{
    for (int i = 0; i < all->count; i++) {
        marey_features_free(all->features[i]);
        marey_clip_free(all->clips[i]);
    }
    marey_layout_free(all->layout);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct total {
    const library *of;
    bool chains_only, with_bytes, levels;
    int pairs;
    int64_t chains[MOST_CLIPS], bridges[MOST_CLIPS], cells[MOST_CLIPS], chain_cells[MOST_CLIPS];
    int64_t tails[MOST_CLIPS], tail_cells[MOST_CLIPS], bytes[MOST_CLIPS], grid[MOST_CLIPS];
    int64_t read_ns[MOST_CLIPS];
} total;

static int64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void count_web(total *t, int i, const marey_web *web)
{
    int chains = web->chain_count - web->tail_count;
    for (int p = 0; p < web->chain_count; p++) {
        (p < chains ? t->chain_cells : t->tail_cells)[i] += web->paths[p].count;
    }
    t->chains[i] += chains;
    t->tails[i] += web->tail_count;
    t->bridges[i] += web->bridge_count - web->tail_count;
    t->cells[i] += web->cell_count;
    if (!t->with_bytes) return;
    uint8_t *bytes;
    size_t size;
    if (marey_web_write(web, &bytes, &size, NULL) != MAREY_OK) exit(1);
    t->bytes[i] += (int64_t)size;
    marey_web *again;
    int64_t start = thread_ns();
    if (marey_web_read(t->of->ctx, bytes, size, &again, NULL) != MAREY_OK) exit(1);
    t->read_ns[i] += thread_ns() - start;
    marey_web_free(again);
    marey_web_bytes_free(t->of->ctx, bytes, size);
}

/* The clips from `i` on with clip i. A pair is one thread's, as when a library is indexed. */
static void do_row(void *user, int64_t number)
{
    total *t = user;
    int i = (int)number;
    marey_web_def def = t->of->def;
    def.levels = t->levels;
    for (int j = i; j < t->of->count; j++) {
        marey_web *web;
        if (mry_web_of(t->of->ctx, t->of->features[i], t->of->features[j], &def, t->chains_only, 0,
                       &web, NULL) != MAREY_OK) {
            exit(1);
        }
        int64_t rows = marey_features_rows(t->of->features[i]);
        t->grid[i] += i == j ? rows * rows / 2 : rows * marey_features_rows(t->of->features[j]);
        count_web(t, i, web);
        marey_web_free(web);
    }
}

static int64_t sum(const int64_t *of)
{
    int64_t all = 0;
    for (int i = 0; i < MOST_CLIPS; i++) all += of[i];
    return all;
}

static void count_minima(void *user, const marey_minimum *items, int count)
{
    (void)items;
    *(int64_t *)user += count;
}

/* The grid with its minima, unbounded or bounded. */
static void do_grid(void *user, int64_t i)
{
    const total *t = user;
    int64_t found = 0;
    for (int j = (int)i; j < t->of->count; j++) {
        marey_minima_def def = { .below = t->chains_only ? (float)t->of->def.ceiling * 1.15f : 0,
                                 .found = count_minima,
                                 .user = &found };
        if (marey_grid_minima(t->of->ctx, t->of->features[i], t->of->features[j], &def, NULL) !=
            MAREY_OK)
            exit(1);
    }
}

/* Half the processors' time: what two idle cores take. */
static double time_pairs(library *all, void (*work)(void *, int64_t), total *t)
{
    double start = bench_cpu_s();
    marey_ctx_run(all->ctx, all->count, work, t);
    return (bench_cpu_s() - start) / 2;
}

int main(int argc, char **argv)
{
    library all = { 0 };
    int most = argc > 1 ? atoi(argv[1]) : MOST_CLIPS, turns = argc > 2 ? atoi(argv[2]) : 2;
    all.def.ceiling = argc > 3 ? atof(argv[3]) : MAREY_WEB_CEILING;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &all.ctx) != MAREY_OK) return 1;
    if (!load(&all, most < MOST_CLIPS ? most : MOST_CLIPS)) {
        printf("skipped: no sets/cmu_sets.txt in %s\n", bench_mocap_folder());
        marey_ctx_close(all.ctx);
        return 0;
    }
    double whole = INFINITY, chains = INFINITY, grid = INFINITY, bounded = INFINITY;
    static total full, sizes, levels;
    size_t before = marey_ctx_bytes(all.ctx);
    for (int turn = 0; turn < turns; turn++) {
        static total once;
        full = (total){ .of = &all };
        whole = fmin(whole, time_pairs(&all, do_row, &full));
        once = (total){ .of = &all, .chains_only = true };
        chains = fmin(chains, time_pairs(&all, do_row, &once));
        bounded = fmin(bounded, time_pairs(&all, do_grid, &once));
        once.chains_only = false;
        grid = fmin(grid, time_pairs(&all, do_grid, &once));
    }
    size_t peak = marey_ctx_bytes_peak(all.ctx);
    sizes = (total){ .of = &all, .with_bytes = true };
    time_pairs(&all, do_row, &sizes);
    levels = (total){ .of = &all, .levels = true };
    double by_levels = time_pairs(&all, do_row, &levels);
    printf(
        "%d clips, %lld frames, %.0f million cells of pairs, 2 threads; CPU time of both, halved\n",
        all.count, (long long)all.frames, (double)sum(full.grid) / 1e6);
    printf("  %lld chains of %lld cells, %lld tails of %lld, %lld bridges of %lld\n",
           (long long)sum(full.chains), (long long)sum(full.chain_cells),
           (long long)sum(full.tails), (long long)sum(full.tail_cells),
           (long long)sum(full.bridges),
           (long long)(sum(full.cells) - sum(full.chain_cells) - sum(full.tail_cells)));
    bench_figure("  webs with bridges", whole, "s", most >= 30 ? 10 : 0, false);
    printf("  chains alone %.3f s; grid with minima %.3f s, below the ceiling %.3f s\n", chains,
           grid, bounded);
    bench_figure("  chains alone over the grid", chains / grid, "x", 1.15, false);
    bench_figure("  size", (double)sum(sizes.bytes) / 1e6, "MB", most >= 30 ? 25 : 0, false);
    bench_figure("  most memory held", (double)peak / 1e6, "MB", 500, false);
    printf("  of that, the clips and their features %.0f MB\n", (double)before / 1e6);
    printf("  reading them all back takes one core %.3f s\n", 1e-9 * (double)sum(sizes.read_ns));
    printf("  by the paper's levels: %.3f s, %lld chains, %lld bridges, %lld cells\n", by_levels,
           (long long)sum(levels.chains), (long long)sum(levels.bridges),
           (long long)sum(levels.cells));
    unload(&all);
    marey_ctx_close(all.ctx);
    return 0;
}
