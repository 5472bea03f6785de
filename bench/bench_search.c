/* bench_search.c - searching a large library by poses: making what it goes by, and 1.5 s queries,
   uniformly drawn among moving frames, with nothing set: the time of all and of ruling out, cold (a
   searcher of its own) and warm, and how much had to be measured. Arguments: a library (default:
   cmu_large.marey of the folder of real data, of which a copy is made), how many queries (default
   200), threads (default 2). */
#include "bench.h"

#include <marey/marey.h>

#include <string.h>
#include <unistd.h>

enum { MOST = 2000 }; /* queries */

static void quit(const char *what, const marey_error *error)
{
    printf("%s: %s\n", what, error->message);
    exit(1);
}

static bool copy_file(const char *from, const char *to)
{
    char bytes[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t count = 0;
    bool fine = in && out;
    while (fine && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        fine = fwrite(bytes, 1, count, out) == count;
    if (in) fclose(in);
    if (out) fine = fclose(out) == 0 && fine;
    return fine;
}

static uint64_t seed = 2026;

static double next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

static void print_times(const char *what, double *values, int count)
{
    double mean = mean_of(values, count);
    qsort(values, (size_t)count, sizeof *values, by_value);
    printf("%-40s mean %8.1f ms, half %8.1f, 95 %% %8.1f, most %8.1f\n", what, 1e3 * mean,
           1e3 * values[count / 2], 1e3 * values[count * 95 / 100], 1e3 * values[count - 1]);
}

/* A place of 1.5 s, every frame of the library alike. */
static marey_query draw(const marey_entry *entries, int count, char *number, size_t room)
{
    double frames = 0;
    for (int i = 0; i < count; i++) frames += entries[i].frames;
    for (;;) {
        double at = next_random() * frames;
        int clip = 0;
        while (clip + 1 < count && at >= entries[clip].frames) at -= entries[clip++].frames;
        int length = (int)(1.5 * entries[clip].fps);
        if ((int)at + length > entries[clip].frames) continue;
        snprintf(number, room, "#%lld", (long long)entries[clip].id);
        return (marey_query){ .clip = number, .start = (int)at, .end = (int)at + length };
    }
}

typedef struct searched {
    marey_library *library;
    marey_searcher *searcher;
    int done, cold_done, hundreds;
    double warm[MOST], busy[MOST], scan[MOST], cold[MOST];
    double hundred_s; /* of searches that end with about a hundred matches */
    int64_t poses, left, matches;
} searched;

static marey_finding *find(marey_searcher *searcher, const marey_query *query)
{
    marey_finding *finding;
    marey_error error;
    if (marey_searcher_find(searcher, query, NULL, &finding, &error) != MAREY_OK)
        quit(query->clip, &error);
    return finding;
}

static void time_warm(searched *s, const marey_query *query)
{
    double cpu = bench_cpu_s(), start = bench_wall_s();
    marey_finding *finding = find(s->searcher, query);
    double took = bench_wall_s() - start;
    marey_finding_report report = marey_finding_report_of(finding);
    int found;
    marey_finding_matches(finding, &found);
    marey_finding_free(finding);
    s->busy[s->done] = bench_cpu_s() - cpu;
    s->scan[s->done] = report.scan_seconds;
    s->warm[s->done++] = took;
    s->poses += report.poses;
    s->left += report.poses_left;
    s->matches += found - 1;
    if (found <= 80 || found >= 125) return;
    s->hundred_s += took;
    s->hundreds++;
}

/* A searcher of its own has nothing yet. */
static void time_cold(searched *s, const marey_query *query)
{
    marey_searcher *fresh;
    marey_error error;
    double start = bench_wall_s();
    if (marey_searcher_open(s->library, &fresh, &error) != MAREY_OK) quit(query->clip, &error);
    marey_finding_free(find(fresh, query));
    s->cold[s->cold_done++] = bench_wall_s() - start;
    marey_searcher_free(fresh);
}

static void time_queries(searched *s, int wanted)
{
    const double moves_cm2 = 20; /* less than that is standing */
    marey_listing *listing;
    marey_error error;
    int count;
    if (marey_library_list(s->library, NULL, &listing, &error) != MAREY_OK) quit("listing", &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    while (s->done < wanted) {
        char number[32];
        marey_query query = draw(entries, count, number, sizeof number);
        marey_finding *first = find(s->searcher, &query); /* which reads what it needs */
        bool moves = marey_finding_report_of(first).still_cost >= moves_cm2;
        marey_finding_free(first);
        if (!moves) continue;
        time_warm(s, &query);
        if (s->done % 10 == 1) time_cold(s, &query);
    }
    marey_listing_free(listing);
}

int main(int argc, char **argv)
{
    static searched s;
    char path[1100] = "bench-search.marey", from[1100];
    int wanted = argc > 2 ? atoi(argv[2]) : 200;
    marey_ctx_def def = { .threads = argc > 3 ? atoi(argv[3]) : 2 };
    marey_pose_report made;
    marey_error error;
    marey_ctx *ctx;
    snprintf(from, sizeof from, "%s/cmu_large.marey", bench_mocap_folder());
    if (argc > 1) snprintf(path, sizeof path, "%s", argv[1]);
    if (argc <= 1 && !copy_file(from, path)) {
        printf("skipped: there is no %s\n", from);
        remove(path);
        return 77;
    }
    if (marey_ctx_open(&def, &ctx) != MAREY_OK) return 1;
    if (marey_library_open(ctx, path, MAREY_LIBRARY_WRITE, &s.library, &error) != MAREY_OK ||
        marey_library_index_poses(s.library, true, &made, &error) != MAREY_OK ||
        marey_searcher_open(s.library, &s.searcher, &error) != MAREY_OK)
        quit(path, &error);
    printf("%d clips, index made in %.2f s, %.1f MB, memory %.0f MB\n", made.clips, made.seconds,
           1e-6 * (double)made.bytes, 1e-6 * (double)marey_ctx_bytes_peak(ctx));
    time_queries(&s, wanted < MOST ? wanted : MOST);
    print_times("a query, warm", s.warm, s.done);
    print_times("  on all processors", s.busy, s.done);
    print_times("  of it ruling out", s.scan, s.done);
    print_times("a query, cold searcher", s.cold, s.cold_done);
    printf("%.3f of the poses measured, %.1f matches a query\n", (double)s.left / (double)s.poses,
           (double)s.matches / s.done);
    if (s.hundreds > 0)
        printf("with 80 to 125 matches (%d): %.1f ms\n", s.hundreds,
               1e3 * s.hundred_s / s.hundreds);
    printf("memory %.0f MB at most\n", 1e-6 * (double)marey_ctx_bytes_peak(ctx));
    marey_searcher_free(s.searcher);
    marey_library_close(s.library);
    marey_ctx_close(ctx);
    if (argc <= 1) remove(path);
    return 0;
}
