/* bench_cluster.c - cluster graphs of captured motion, with sets/cmu_sets.txt in the folder of real
   data: building those of the set [a_kovar] at 30 Hz, and on a part of it beside the paper's way, a
   sorted list of all pairs (3.2.2), which must give the same nodes. Argument: threads (default
   2). */
#include "bench.h"
#include "cluster/cluster_near.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { MOST_CLIPS = 64, TURNS = 3, PLAIN_FRAMES = 1500 };

static void need(marey_status status, const marey_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_cluster: %s\n", error->message);
    exit(1);
}

/* ---- clips ----------------------------------------------------------------------------------- */

typedef struct clips {
    int count;
    marey_clip *all[MOST_CLIPS];
} clips;

static clips load_set(marey_ctx *ctx)
{
    char path[1400], line[512], name[256];
    clips all = { 0 };
    bool inside = false;
    marey_error error;
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", bench_mocap_folder());
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && all.count < MOST_CLIPS) {
        if (line[0] == '[') inside = strncmp(line, "[a_kovar]", 9) == 0;
        if (!inside || sscanf(line, " %255[^\t#]", name) != 1 || !strstr(name, ".bvh")) continue;
        snprintf(path, sizeof path, "%s/%s", bench_mocap_folder(), name);
        need(marey_clip_load(ctx, path, NULL, &all.all[all.count++], &error), &error);
    }
    if (file) fclose(file);
    return all;
}

static marey_clusters *build(marey_ctx *ctx, const clips *all, int count, marey_link link,
                             double threshold)
{
    marey_clusters *made;
    marey_error error;
    marey_clusters_def def = { .link = link, .threshold = threshold };
    need(marey_clusters_build(ctx, (const marey_clip *const *)all->all, count, &def, &made, &error),
         &error);
    return made;
}

/* ---- the paper's way: all pairs in order, and those of what was joined put back among them --- */

typedef struct entry {
    float value;
    int a, b;         /* first frames; a < b */
    int age_a, age_b; /* joins that each had seen: another number, and the entry is stale */
} entry;

typedef struct heap {
    entry *items;
    size_t count, room;
} heap;

static bool before(const entry *x, const entry *y)
{
    if (x->value != y->value) return x->value < y->value;
    if (x->a != y->a) return x->a < y->a;
    return x->b < y->b;
}

static void heap_put(heap *h, entry one)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 1 << 16;
        h->items = realloc(h->items, h->room * sizeof *h->items);
        if (!h->items) exit(1);
    }
    size_t at = h->count++;
    for (; at > 0 && before(&one, &h->items[(at - 1) / 2]); at = (at - 1) / 2)
        h->items[at] = h->items[(at - 1) / 2];
    h->items[at] = one;
}

static entry heap_take(heap *h)
{
    entry least = h->items[0], last = h->items[--h->count];
    size_t at = 0;
    for (;;) {
        size_t down = 2 * at + 1;
        if (down + 1 < h->count && before(&h->items[down + 1], &h->items[down])) down++;
        if (down >= h->count || !before(&h->items[down], &last)) break;
        h->items[at] = h->items[down];
        at = down;
    }
    h->items[at] = last;
    return least;
}

static void put_pair(heap *h, const float *far, const int *age, int n, int i, int k)
{
    int a = i < k ? i : k, b = i < k ? k : i;
    heap_put(h, (entry){ far[(size_t)a * (size_t)n + (size_t)b], a, b, age[a], age[b] });
}

/* Complete link over the whole table; label[i] becomes the first frame of i's node. */
static void plain_link(float *far, int n, float threshold, int *label)
{
    heap h = { 0 };
    int *age = calloc((size_t)n, sizeof *age);
    if (!age) exit(1);
    for (int i = 0; i < n; i++) {
        label[i] = i;
        for (int k = 0; k < i; k++) put_pair(&h, far, age, n, i, k);
    }
    while (h.count > 0) {
        entry one = heap_take(&h);
        if (one.value > threshold) break;
        if (label[one.a] != one.a || label[one.b] != one.b) continue;
        if (age[one.a] != one.age_a || age[one.b] != one.age_b) continue;
        age[one.a]++;
        for (int i = 0; i < n; i++) {
            if (label[i] == one.b) label[i] = one.a;
        }
        for (int i = 0; i < n; i++) {
            float *x = &far[(size_t)one.a * (size_t)n + (size_t)i];
            float y = far[(size_t)one.b * (size_t)n + (size_t)i];
            if (label[i] != i || i == one.a) continue;
            if (y > *x) *x = y;
            far[(size_t)i * (size_t)n + (size_t)one.a] = *x;
            put_pair(&h, far, age, n, one.a, i);
        }
    }
    free(age);
    free(h.items);
}

/* The clips' first frames in all ways; returns how many frames have another node. */
static int time_plain(marey_ctx *ctx, const clips *all, int count, double *plain_s, double *own_s,
                      int *frames_seen)
{
    double start = bench_wall_s();
    marey_clusters *made = build(ctx, all, count, MAREY_LINK_COMPLETE, 0);
    *own_s = bench_wall_s() - start;
    mry_frames frames;
    marey_error error;
    need(mry_frames_open(&frames, made, &error), &error);
    int n = frames.count, wrong = 0;
    float *far = malloc((size_t)n * (size_t)n * sizeof *far);
    int *label = malloc((size_t)n * sizeof *label);
    if (!far || !label) exit(1);
    start = bench_wall_s();
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            far[(size_t)i * (size_t)n + (size_t)k] = mry_cloud_distance(&frames.clouds, i, k);
    }
    plain_link(far, n, (float)made->def.threshold, label);
    *plain_s = bench_wall_s() - start;
    for (int i = 0; i < n; i++) {
        int own = made->sequence[made->first_row[frames.clip[i]] + frames.row[i]];
        int first = made->sequence[made->first_row[frames.clip[label[i]]] + frames.row[label[i]]];
        wrong += made->sequences[own].node != made->sequences[first].node;
    }
    *frames_seen = n;
    free(far);
    free(label);
    mry_frames_close(&frames);
    marey_clusters_free(made);
    return wrong;
}

static void bench_plain(marey_ctx *ctx, const clips *all)
{
    int count = 0, rows = 0, wrong = 0, frames = 0;
    double plain = INFINITY, own = INFINITY;
    while (count < all->count && rows < PLAIN_FRAMES)
        rows += (int)(marey_clip_frames(all->all[count]) * MAREY_CLUSTER_FPS /
                      marey_clip_fps(all->all[count])),
            count++;
    for (int turn = 0; turn < TURNS; turn++) {
        double plain_s, own_s;
        wrong += time_plain(ctx, all, count, &plain_s, &own_s, &frames);
        plain = fmin(plain, plain_s);
        own = fmin(own, own_s);
    }
    printf("of %d frames, least of %d turns\n", frames, (int)TURNS);
    bench_figure("  list of all pairs, in order", plain, "s", 0, false);
    bench_figure("  marey", own, "s", 0, false);
    bench_figure("  times as fast", plain / own, "", 0, true);
    bench_figure("  frames in other nodes", wrong, "", 0.5, false);
}

/* ---- the whole set --------------------------------------------------------------------------- */

static void bench_set(const clips *all, int threads, marey_link link, double threshold, bool asked)
{
    marey_ctx *ctx;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &ctx) != MAREY_OK) exit(1);
    double start = bench_wall_s(), cpu = bench_cpu_s();
    marey_clusters *made = build(ctx, all, all->count, link, threshold);
    int nodes, sequences;
    marey_clusters_nodes(made, &nodes);
    marey_clusters_sequences(made, &sequences);
    printf("%s link within %g cm2 of %d frames, %d threads: %d nodes, %d sequences\n",
           marey_link_name(link), made->def.threshold, marey_clusters_frames(made), threads, nodes,
           sequences);
    bench_figure("  time", bench_wall_s() - start, "s", asked ? 30 : 0, false);
    bench_figure("  CPU time", bench_cpu_s() - cpu, "s", 0, false);
    bench_figure("  memory", (double)marey_ctx_bytes_peak(ctx) * 1e-6, "MB", asked ? 2000 : 0,
                 false);
    marey_clusters_free(made);
    marey_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    marey_ctx *ctx;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &ctx) != MAREY_OK) return 1;
    clips all = load_set(ctx);
    if (all.count > 0) {
        bench_set(&all, threads, MAREY_LINK_COMPLETE, 0, true);
        bench_set(&all, threads, MAREY_LINK_COMPLETE, 4 * MAREY_CLUSTER_THRESHOLD, true);
        bench_set(&all, threads, MAREY_LINK_SINGLE, 10, false);
        bench_plain(ctx, &all);
    } else {
        printf("no captured motion: set MAREY_MOCAP\n");
    }
    for (int i = 0; i < all.count; i++) marey_clip_free(all.all[i]);
    marey_ctx_close(ctx);
    return 0;
}
