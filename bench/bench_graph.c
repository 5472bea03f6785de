/* bench_graph.c - motion graphs of captured motion, with sets/cmu_sets.txt in the folder of real
   data: building the standard graph of the set [a_kovar] (36,017 frames at 60 Hz) at 30 Hz beside
   the textbook's way, and random walks of ten minutes on c3 and on the locomotion clips: how long
   they take, whether they jump, whether feet slide. Arguments: threads (default 2); "connected" for
   walks through well-connected graphs besides. */
#include "bench.h"
#include "graph/graph_data.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { MOST_CLIPS = 64, TURNS = 3, PLAIN_NODES = 1500, AROUND = 2, WALK_FRAMES = 18000 };

static void need(marey_status status, const marey_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_graph: %s\n", error->message);
    exit(1);
}

/* ---- clips ----------------------------------------------------------------------------------- */

typedef struct clips {
    int count;
    marey_clip *all[MOST_CLIPS];
} clips;

static void load(marey_ctx *ctx, clips *to, const char *name, double fps)
{
    char path[1200];
    marey_error error;
    marey_load_def def = { .source_fps = fps };
    snprintf(path, sizeof path, "%s/%s", bench_mocap_folder(), name);
    need(marey_clip_load(ctx, path, &def, &to->all[to->count++], &error), &error);
}

/* Of [a_kovar]; kind: only what stands behind "# kind:", NULL: all. */
static clips load_set(marey_ctx *ctx, const char *kind)
{
    char path[1100], line[512], name[256];
    clips all = { 0 };
    bool inside = false, wanted = !kind;
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", bench_mocap_folder());
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && all.count < MOST_CLIPS) {
        if (line[0] == '[') inside = strncmp(line, "[a_kovar]", 9) == 0;
        char *mark = strchr(line, '#');
        if (mark && kind) wanted = strncmp(mark + 2, kind, strlen(kind)) == 0;
        if (inside && wanted && sscanf(line, " %255[^\t#]", name) == 1 && strstr(name, ".bvh"))
            load(ctx, &all, name, 0);
    }
    if (file) fclose(file);
    return all;
}

/* The slides' kind of set: an actor who walks, runs, sits and waves; captured at 60 Hz. */
static clips load_c3(marey_ctx *ctx)
{
    static const char *const names[] = { "143_01", "143_02", "143_03", "143_05", "143_10",
                                         "143_11", "143_29", "143_32", "143_38" };
    clips all = { 0 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "cmu/%s.bvh", names[i]);
        load(ctx, &all, name, 60);
    }
    return all;
}

static void free_clips(clips *all)
{
    for (int i = 0; i < all->count; i++) marey_clip_free(all->all[i]);
}

static marey_graph *build(marey_ctx *ctx, const clips *all, marey_graph_kind kind)
{
    marey_graph *graph;
    marey_error error;
    marey_graph_def def = { .kind = kind };
    need(marey_graph_build(ctx, (const marey_clip *const *)all->all, all->count, NULL, &def, &graph,
                           &error),
         &error);
    return graph;
}

/* ---- the textbook's way ---------------------------------------------------------------------- */

static int beside(const marey_graph *graph, int node, int by)
{
    const int *go = by < 0 ? graph->before : graph->next;
    for (int k = 0; k < abs(by) && go[node] >= 0; k++) node = go[node];
    return node;
}

/* Kovar, Gleicher & Pighin 2002, 3.1: two clouds of points over a window, turned and shifted on the
   floor. */
static double plain_distance(const mry_bodies *b, int i, int j)
{
    double w = 0, x = 0, z = 0, x2 = 0, z2 = 0, dot = 0, cross = 0, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        double angle = pass ? atan2(cross - (x * z2 - x2 * z) / w, dot - (x * x2 + z * z2) / w) : 0;
        double c = cos(angle), s = sin(angle);
        double x0 = pass ? (x - x2 * c - z2 * s) / w : 0, z0 = pass ? (z + x2 * s - z2 * c) / w : 0;
        for (int k = -AROUND; k <= AROUND; k++) {
            const float *p = mry_body(b, beside(b->graph, i, k));
            const float *q = mry_body(b, beside(b->graph, j, k));
            for (int n = 0; n < b->joints; n++, p += 3, q += 3) {
                double weight = b->weight[n];
                if (weight == 0) continue;
                if (pass) {
                    double dx = p[0] - (q[0] * c + q[2] * s + x0), dy = (double)p[1] - q[1];
                    double dz = p[2] - (q[2] * c - q[0] * s + z0);
                    sum += weight * (dx * dx + dy * dy + dz * dz);
                    continue;
                }
                w += weight;
                x += weight * p[0];
                z += weight * p[2];
                x2 += weight * q[0];
                z2 += weight * q[2];
                dot += weight * ((double)p[0] * q[0] + (double)p[2] * q[2]);
                cross += weight * ((double)p[0] * q[2] - (double)q[0] * p[2]);
            }
        }
    }
    return sum / w;
}

/* All cells of the first nodes; the transitions among these must be cells of it. Returns seconds a
   cell. */
static double time_plain(const mry_bodies *bodies, double *off, int *compared)
{
    const marey_graph *graph = bodies->graph;
    int nodes = graph->nodes < PLAIN_NODES ? graph->nodes : PLAIN_NODES;
    float *cells = malloc((size_t)nodes * (size_t)nodes * sizeof *cells);
    if (!cells) exit(1);
    double start = bench_cpu_s();
    for (int i = 0; i < nodes; i++) {
        for (int j = 0; j <= i; j++)
            cells[(size_t)i * nodes + j] = (float)plain_distance(bodies, i, j);
    }
    double seconds = bench_cpu_s() - start;
    *off = *compared = 0;
    for (int t = 0; t < graph->transition_count; t++) {
        int i = graph->transitions[t].from, j = graph->before[graph->transitions[t].to];
        if (i >= nodes || j < 0 || j >= nodes) continue;
        double cell = i > j ? cells[(size_t)i * nodes + j] : cells[(size_t)j * nodes + i];
        *off = fmax(*off, fabs(cell - (double)graph->transitions[t].distance) / (1 + cell));
        ++*compared;
    }
    free(cells);
    return seconds / ((double)nodes * (nodes + 1) / 2);
}

static void bench_build(marey_ctx *ctx)
{
    clips all = load_set(ctx, NULL);
    double best = INFINITY, cpu = INFINITY, off;
    int compared;
    marey_graph *graph = NULL;
    if (all.count == 0) {
        printf("skipped: no sets/cmu_sets.txt in %s\n", bench_mocap_folder());
        return;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        marey_graph_free(graph);
        double start = bench_wall_s(), used = bench_cpu_s();
        graph = build(ctx, &all, MAREY_GRAPH_STANDARD);
        best = fmin(best, bench_wall_s() - start);
        cpu = fmin(cpu, bench_cpu_s() - used);
    }
    mry_arena tmp = mry_arena_make(ctx);
    mry_bodies bodies;
    marey_error error;
    need(mry_bodies_open(&bodies, &tmp, graph, &error), &error);
    double cell = time_plain(&bodies, &off, &compared);
    double cells = (double)graph->nodes * (graph->nodes + 1) / 2;
    printf("standard graph of [a_kovar], %d clips, %d nodes at %g Hz, %d threads\n", all.count,
           graph->nodes, graph->fps, marey_ctx_threads(ctx));
    printf("  %d transitions below %.3g cm2, %.1f %% of the nodes in the core\n",
           graph->transition_count, graph->def.threshold,
           100.0 * graph->dwell.free_count / graph->nodes);
    bench_figure("  time", best, "s", 5, false);
    bench_figure("  CPU time", cpu, "s", 0, false);
    printf("  textbook: %.0f ns a cell; %d distances differ by at most %.1g of theirs\n",
           1e9 * cell, compared, off);
    bench_figure("  all cells the textbook's way, by those", cell * cells, "s CPU", 0, false);
    bench_figure("  times as fast", cell * cells / cpu, "x", 0, true);
    mry_arena_free(&tmp);
    marey_graph_free(graph);
    free_clips(&all);
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void bench_made(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk, bool feet)
{
    marey_made made;
    marey_walk_made about;
    marey_quality quality, found;
    marey_contacts plants;
    marey_error error;
    marey_walk_make_def def = { .leave_feet = !feet };
    double start = bench_cpu_s();
    need(marey_walk_make(ctx, graph, walk, &def, &made, &about, &error), &error);
    double seconds = bench_cpu_s() - start;
    const marey_contacts *told = &made.contacts;
    need(marey_clip_quality(made.clip, told->items, told->count, &quality), &error);
    need(marey_contacts_find(made.clip, NULL, &plants), &error);
    need(marey_clip_quality(made.clip, plants.items, plants.count, &found), &error);
    printf("  as a clip, %s: %d transitions, %d plants\n", feet ? "feet held" : "feet left alone",
           about.transitions, quality.plants);
    bench_figure("    CPU time", seconds, "s", 0, false);
    bench_figure("    largest step, of the motions' own", about.jump_ratio, "x", 1.1, false);
    bench_figure("    slide of a plant, at most", quality.slide_max_cm, "cm", feet ? 0.5 : 0,
                 false);
    bench_figure("    slide, mean", quality.slide_cm, "cm", 0, false);
    bench_figure("    slide of plants found in it, mean", found.slide_cm, "cm", 0, false);
    if (feet) bench_figure("    root moved, at most", made.clean.root_moved_cm, "cm", 0, false);
    marey_contacts_free(&plants);
    marey_made_free(&made);
}

static void bench_walk(marey_ctx *ctx, const clips *all, const char *what, marey_graph_kind kind)
{
    if (all->count == 0) return;
    marey_graph *graph = build(ctx, all, kind);
    marey_walk walk;
    marey_error error;
    marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = WALK_FRAMES };
    double start = bench_cpu_s();
    need(marey_graph_walk(ctx, graph, &def, &walk, &error), &error);
    double seconds = bench_cpu_s() - start;
    printf("random walk of %d frames, %s, %s graph: %d nodes of %d in the core, %d transitions\n",
           walk.count, what, marey_graph_kind_name(kind), graph->dwell.free_count, graph->nodes,
           graph->transition_count);
    bench_figure("  finding it, CPU time", seconds, "s", 0, false);
    bench_made(ctx, graph, &walk, true);
    bench_made(ctx, graph, &walk, false);
    marey_walk_free(&walk);
    marey_graph_free(graph);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    bool connected = argc > 2 && strcmp(argv[2], "connected") == 0;
    marey_ctx *ctx;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &ctx) != MAREY_OK) return 1;
    bench_build(ctx);
    clips moving = load_set(ctx, "locomotion");
    if (moving.count > 0) {
        clips c3 = load_c3(ctx);
        for (int kind = 0; kind <= (int)connected; kind++) {
            bench_walk(ctx, &c3, "c3", (marey_graph_kind)kind);
            bench_walk(ctx, &moving, "locomotion of [a_kovar]", (marey_graph_kind)kind);
        }
        free_clips(&c3);
    }
    free_clips(&moving);
    marey_ctx_close(ctx);
    return 0;
}
