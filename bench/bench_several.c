/* bench_several.c - ten libraries searched as one beside one library of all their clips, in turn, so
   that a busy machine is as busy for both: from opening to the first matches, and searches after
   that. Arguments: a library whose clips are dealt out (default: cmu_large.marey of the folder of real
   data), threads (default 2). */
#include "bench.h"

#include <marey/marey.h>

#include <string.h>
#include <unistd.h>

enum { PARTS = 10, ROUNDS = 7, QUERIES = 6, FRAMES = 90, NAME_ROOM = 300 };

static void quit(const char *what, const marey_error *error)
{
    printf("%s: %s\n", what, error->message);
    exit(1);
}

static char folder[] = "/tmp/marey-bench-XXXXXX";

static void path_of(int part, char path[NAME_ROOM])
{
    snprintf(path, NAME_ROOM, part < PARTS ? "%s/%d.marey" : "%s/whole.marey", folder, part);
}

static marey_library *open_library(marey_ctx *ctx, int part, marey_library_mode mode)
{
    char path[NAME_ROOM];
    marey_library *library;
    marey_error error;
    path_of(part, path);
    if (marey_library_open(ctx, path, mode, &library, &error) != MAREY_OK) quit(path, &error);
    return library;
}

/* A query is frames of a clip, which is in one of the parts and in the whole. */
typedef struct asked {
    char name[MAREY_NAME_ROOM];
    int part, start;
} asked;

static int deal(marey_ctx *ctx, const char *path, asked queries[QUERIES])
{
    marey_library *from, *to[PARTS + 1];
    marey_listing *listing;
    marey_error error;
    int count, asked_count = 0;
    if (marey_library_open(ctx, path, MAREY_LIBRARY_READ, &from, &error) != MAREY_OK ||
        marey_library_list(from, NULL, &listing, &error) != MAREY_OK)
        quit(path, &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int part = 0; part <= PARTS; part++)
        to[part] = open_library(ctx, part, MAREY_LIBRARY_CREATE);
    for (int part = 0; part < PARTS; part++) {
        for (int i = part; i < count; i += PARTS) {
            marey_clip *clip;
            const char *name = entries[i].name;
            if (marey_library_load(from, name, &clip, &error) != MAREY_OK ||
                marey_library_put(to[part], clip, name, NULL, NULL, 0, &error) != MAREY_OK ||
                marey_library_put(to[PARTS], clip, name, NULL, NULL, 0, &error) != MAREY_OK)
                quit(name, &error);
            bool wanted = i % (count / QUERIES) == 1 && marey_clip_frames(clip) > 4 * FRAMES;
            if (wanted && asked_count < QUERIES) {
                asked *one = &queries[asked_count++];
                *one = (asked){ .part = part, .start = marey_clip_frames(clip) / 2 };
                snprintf(one->name, sizeof one->name, "%s", name);
            }
            marey_clip_free(clip);
        }
    }
    for (int part = 0; part <= PARTS; part++) marey_library_close(to[part]);
    marey_listing_free(listing);
    marey_library_close(from);
    printf("%d clips in %d libraries, and in one; %d queries\n", count, PARTS, asked_count);
    return asked_count;
}

/* One side: the parts together, or the whole alone. */
typedef struct side {
    double opening[ROUNDS], searching[ROUNDS];
    int matches;
    double sum; /* of all distances: the same on both sides */
} side;

static double find(marey_searcher *searcher, const asked *query, bool several, side *out)
{
    marey_finding *finding;
    marey_error error;
    const marey_query of = { .clip = query->name,
                             .start = query->start,
                             .end = query->start + FRAMES,
                             .library = several ? query->part : 0 };
    int count;
    double start = bench_wall_s();
    if (marey_searcher_find(searcher, &of, NULL, &finding, &error) != MAREY_OK)
        quit(query->name, &error);
    double seconds = bench_wall_s() - start;
    const marey_match *matches = marey_finding_matches(finding, &count);
    for (int i = 0; i < count; i++) out->sum += matches[i].path_distance * (i + 1);
    out->matches += count;
    marey_finding_free(finding);
    return seconds;
}

static void run(marey_ctx *ctx, bool several, int round, const asked *queries, int count, side *out)
{
    marey_library *libraries[PARTS];
    marey_searcher *searcher;
    marey_error error;
    double start = bench_wall_s();
    int parts = several ? PARTS : 1;
    for (int part = 0; part < parts; part++)
        libraries[part] = open_library(ctx, several ? part : PARTS, MAREY_LIBRARY_READ);
    if (marey_searcher_open_all(libraries, parts, &searcher, &error) != MAREY_OK)
        quit("searcher", &error);
    out->matches = 0;
    out->sum = 0;
    find(searcher, &queries[0], several, out);
    out->opening[round] = bench_wall_s() - start;
    out->searching[round] = 0;
    for (int q = 1; q < count; q++)
        out->searching[round] += find(searcher, &queries[q], several, out);
    marey_searcher_free(searcher);
    for (int part = 0; part < parts; part++) marey_library_close(libraries[part]);
}

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    char path[1100];
    marey_ctx_def def = { .threads = argc > 2 ? atoi(argv[2]) : 2 };
    marey_ctx *ctx;
    asked queries[QUERIES];
    static side several, whole;
    double opening[ROUNDS], searching[ROUNDS];
    snprintf(path, sizeof path, "%s/cmu_large.marey", bench_mocap_folder());
    if (argc > 1) snprintf(path, sizeof path, "%s", argv[1]);
    if (access(path, R_OK) != 0) {
        printf("skipped: there is no %s\n", path);
        return 77;
    }
    if (!mkdtemp(folder) || marey_ctx_open(&def, &ctx) != MAREY_OK) return 1;
    int count = deal(ctx, path, queries);
    for (int round = -1; round < ROUNDS; round++) { /* the first is not counted: files are cold */
        int at = round < 0 ? 0 : round;
        run(ctx, round % 2 == 0, at, queries, count, round % 2 == 0 ? &several : &whole);
        run(ctx, round % 2 != 0, at, queries, count, round % 2 != 0 ? &several : &whole);
        opening[at] = several.opening[at] / whole.opening[at];
        searching[at] = several.searching[at] / whole.searching[at];
        if (several.matches == whole.matches && several.sum == whole.sum) continue;
        printf("NOT THE SAME: %d matches, %d in one\n", several.matches, whole.matches);
        return 1;
    }
    printf("%d matches, the same in both\n", several.matches);
    bench_figure("ten libraries: opened, and the first search", 1e3 * median(several.opening), "ms",
                 0, false);
    bench_figure("  one library of all", 1e3 * median(whole.opening), "ms", 0, false);
    bench_figure("  ten to one", median(opening), "times", 1.2, false);
    bench_figure("ten libraries: each search after that",
                 1e3 * median(several.searching) / (count - 1), "ms", 0, false);
    bench_figure("  one library of all", 1e3 * median(whole.searching) / (count - 1), "ms", 0,
                 false);
    bench_figure("  ten to one", median(searching), "times", 1.2, false);
    for (int part = 0; part <= PARTS; part++) {
        char file[NAME_ROOM];
        path_of(part, file);
        unlink(file);
    }
    rmdir(folder);
    marey_ctx_close(ctx);
    return 0;
}
