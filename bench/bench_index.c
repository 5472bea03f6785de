/* bench_index.c - indexing a library of the set [a_kovar] of sets/cmu_sets.txt in the folder of
   real data (30 clips, 36,017 frames at 60 Hz): time in all and by parts, what it takes in the file
   and in memory; opening the library anew with a first search. Arguments: how many clips (default:
   all), threads (default 2). */
#include "bench.h"
#include "index/index_work.h"

#include <marey/marey.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CLIPS = 64, QUERY_FRAMES = 180 /* 1.5 s at 120 Hz */ };

static void quit(const char *what, const marey_error *error)
{
    printf("%s: %s\n", what, error->message);
    exit(1);
}

/* ---- the set --------------------------------------------------------------------------------- */

static void put_clip(marey_ctx *ctx, marey_library *library, const char *name)
{
    char path[1200], called[256];
    marey_clip *clip, *cut;
    marey_error error;
    snprintf(path, sizeof path, "%s/%s", bench_mocap_folder(), name);
    snprintf(called, sizeof called, "%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
    *strstr(called, ".bvh") = 0;
    if (marey_clip_load(ctx, path, NULL, &clip, &error) != MAREY_OK) quit(path, &error);
    if (marey_clip_trim(clip, 1, marey_clip_frames(clip), &cut, &error) != MAREY_OK)
        quit(path, &error); /* without the T-pose */
    if (marey_library_put(library, cut, called, NULL, NULL, 0, &error) != MAREY_OK)
        quit(path, &error);
    marey_clip_free(cut);
    marey_clip_free(clip);
}

static int put_clips(marey_ctx *ctx, marey_library *library, int most)
{
    char path[1100], line[512], name[256];
    int count = 0;
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", bench_mocap_folder());
    FILE *file = fopen(path, "r");
    bool inside = false;
    while (file && fgets(line, sizeof line, file) && count < most) {
        if (line[0] == '[') inside = strncmp(line, "[a_kovar]", 9) == 0;
        if (inside && sscanf(line, " %255[^\t#]", name) == 1 && strstr(name, ".bvh")) {
            put_clip(ctx, library, name);
            count++;
        }
    }
    if (file) fclose(file);
    return count;
}

static int64_t file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (int64_t)about.st_size : 0;
}

/* ---- what is measured ------------------------------------------------------------------------ */

static marey_library *open_library(marey_ctx *ctx, const char *path, marey_library_mode mode)
{
    marey_library *library = NULL;
    marey_error error;
    if (marey_library_open(ctx, path, mode, &library, &error) != MAREY_OK) quit(path, &error);
    return library;
}

/* Half the processors' time: what two idle cores take. */
static void index_it(const char *path, int threads, bool whole)
{
    marey_ctx *ctx = NULL;
    marey_index_report report;
    marey_error error;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &ctx) != MAREY_OK) exit(1);
    int64_t before = file_size(path);
    double cpu = bench_cpu_s(), wall = bench_wall_s();
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_WRITE);
    if (marey_library_index(library, NULL, &report, &error) != MAREY_OK) quit(path, &error);
    marey_library_close(library);
    cpu = bench_cpu_s() - cpu;
    wall = bench_wall_s() - wall;
    printf("%d clips, %d pairs, %.0f million pairs of frames, %d threads\n", report.clips,
           report.pairs, (double)report.cells / 1e6, threads);
    printf("  %lld chains, %lld bridges\n", (long long)report.chains, (long long)report.bridges);
    bench_figure("  opened, indexed and closed, CPU time halved", cpu / 2, "s", whole ? 10 : 0,
                 false);
    printf("  by the clock: %.3f s; a pair of frames takes a core %.1f ns\n", wall,
           1e9 * cpu / (double)report.cells);
    bench_figure("  webs", (double)report.bytes / 1e6, "MB", whole ? 25 : 0, false);
    printf("  the file grew by %.2f MB\n", (double)(file_size(path) - before) / 1e6);
    bench_figure("  most memory held", (double)marey_ctx_bytes_peak(ctx) / 1e6, "MB", 500, false);
    marey_ctx_close(ctx);
}

/* Nothing is missing, so this is what looking costs. */
static void index_again(const char *path)
{
    marey_ctx *ctx = NULL;
    marey_error error;
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) exit(1);
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_WRITE);
    double start = bench_cpu_s();
    if (marey_library_index(library, NULL, NULL, &error) != MAREY_OK) quit(path, &error);
    printf("  indexed again, with nothing missing: %.2f ms\n", 1e3 * (bench_cpu_s() - start));
    marey_library_close(library);
    marey_ctx_close(ctx);
}

/* Loading and features alone, as the index does them. */
static void time_parts(const char *path)
{
    marey_ctx *ctx = NULL;
    marey_listing *listing;
    marey_error error;
    int count;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx) != MAREY_OK) exit(1);
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_READ);
    if (marey_library_list(library, NULL, &listing, &error) != MAREY_OK) quit(path, &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    double loading = 0, features = 0, start;
    for (int i = 0; i < count; i++) {
        marey_clip *clip;
        marey_layout *layout = NULL;
        marey_features *made = NULL;
        start = bench_cpu_s();
        if (marey_library_load(library, entries[i].name, &clip, &error) != MAREY_OK)
            quit(path, &error);
        loading += bench_cpu_s() - start;
        const marey_clip *one = clip;
        marey_metric_def def = { .fps = 60 };
        start = bench_cpu_s();
        if (marey_layout_build(ctx, &one, 1, &def, &layout, &error) != MAREY_OK ||
            marey_features_build(layout, clip, &made, &error) != MAREY_OK)
            quit(path, &error);
        features += bench_cpu_s() - start;
        marey_features_free(made);
        marey_layout_free(layout);
        marey_clip_free(clip);
    }
    printf("  of that, loading the clips takes one core %.3f s, their features %.3f s\n", loading,
           features);
    marey_listing_free(listing);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

static void search_from_cold(const char *path, bool whole)
{
    marey_ctx *ctx = NULL;
    marey_searcher *searcher = NULL;
    marey_finding *finding = NULL;
    marey_error error;
    int count = 0;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &ctx) != MAREY_OK) exit(1);
    double start = bench_wall_s(), cpu = bench_cpu_s();
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_READ);
    marey_query query = { .clip = "#1", .start = 300, .end = 300 + QUERY_FRAMES };
    marey_find_def def = { .web = true };
    if (marey_searcher_open(library, &searcher, &error) != MAREY_OK ||
        marey_searcher_find(searcher, &query, &def, &finding, &error) != MAREY_OK)
        quit(path, &error);
    start = bench_wall_s() - start;
    cpu = bench_cpu_s() - cpu;
    marey_finding_matches(finding, &count);
    bench_figure("  opened anew, first search, CPU time", cpu, "s", whole ? 0.3 : 0, false);
    printf("  by the clock: %.3f s; it found %d matches\n", start, count - 1);
    marey_finding_free(finding);
    marey_searcher_free(searcher);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/marey-bench-XXXXXX", path[64];
    int most = argc > 1 ? atoi(argv[1]) : MOST_CLIPS, threads = argc > 2 ? atoi(argv[2]) : 2;
    marey_ctx *ctx = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!mkdtemp(folder) || marey_ctx_open(NULL, &ctx) != MAREY_OK) return 1;
    snprintf(path, sizeof path, "%s/set.marey", folder);
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_CREATE);
    int count = put_clips(ctx, library, most < MOST_CLIPS ? most : MOST_CLIPS);
    marey_library_close(library);
    marey_ctx_close(ctx);
    if (count == 0) {
        printf("skipped: no sets/cmu_sets.txt in %s\n", bench_mocap_folder());
    } else {
        index_it(path, threads, count >= 30);
        time_parts(path);
        index_again(path);
        search_from_cold(path, count >= 30);
    }
    unlink(path);
    rmdir(folder);
    return 0;
}
