/* bench_search.c - searching a large library by poses: making what it goes by, adding a clip, and 1.5 s
   queries, uniformly drawn among moving frames: everything up to 0.5 of the still cost and up to all
   of it, and what is found with nothing set; the time of all, of ruling out and of the rest, warm and
   by a process of its own, how much had to be measured; and how long it takes when the threshold is
   moved. Arguments: a library, of which a copy is made (default: cmu_large.marey of the folder of real
   data), how many queries (default 200), threads (default 2). bench_scan has how it grows and that
   it is exact. */
#include "bench.h"

#include <marey/marey.h>

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST = 2000 /* queries */, KINDS = 3 };
static const double CUTOFF = 0.5; /* share of the still cost up to which a match is surely one */

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

static void print_times(const char *what, double *values, int count, double asked_ms)
{
    double mean = mean_of(values, count);
    bench_figure(what, 1e3 * mean, "ms, mean", asked_ms, false);
    qsort(values, (size_t)count, sizeof *values, by_value);
    printf("  half %.1f ms, 95 %% %.1f, most %.1f\n", 1e3 * values[count / 2],
           1e3 * values[count * 95 / 100], 1e3 * values[count - 1]);
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

/* Searches of one kind. */
typedef struct timed {
    const char *what;
    double share; /* of the still cost; 0: nothing is set */
    double asked_ms, asked_cold_ms;
    int done, cold_done;
    double warm[MOST], busy[MOST], scan[MOST], rest[MOST], cold[MOST];
    int64_t poses, left, matches;
    int hundreds;
    double hundred_s; /* of searches that end with about a hundred matches */
} timed;

typedef struct searched {
    marey_library *library;
    marey_searcher *searcher;
    const char *path, *program, *threads;
    timed kinds[KINDS];
    int moved;
    double slider[MOST];
} searched;

static marey_finding *find(marey_searcher *searcher, const marey_query *query, double threshold)
{
    marey_find_def def = { .search = { .threshold = threshold } };
    marey_finding *finding;
    marey_error error;
    if (marey_searcher_find(searcher, query, &def, &finding, &error) != MAREY_OK)
        quit(query->clip, &error);
    return finding;
}

static void time_warm(searched *s, timed *t, const marey_query *query, double threshold)
{
    marey_finding_free(find(s->searcher, query, threshold)); /* which reads what it needs */
    marey_query other = *query;
    other.end -= 10;
    marey_finding_free(find(s->searcher, &other, 1e-3)); /* so that it remembers nothing */
    double cpu = bench_cpu_s(), start = bench_wall_s();
    marey_finding *finding = find(s->searcher, query, threshold);
    double took = bench_wall_s() - start;
    marey_finding_report report = marey_finding_report_of(finding);
    int found;
    marey_finding_matches(finding, &found);
    marey_finding_free(finding);
    t->busy[t->done] = bench_cpu_s() - cpu;
    t->scan[t->done] = report.scan_seconds;
    t->rest[t->done] = took - report.scan_seconds;
    t->warm[t->done++] = took;
    t->poses += report.poses;
    t->left += report.poses_left;
    t->matches += found - 1;
    if (found <= 80 || found >= 125) return;
    t->hundred_s += took;
    t->hundreds++;
}

/* A process of its own: from its start to its end. The library's file is in the system's memory. */
static void time_cold(searched *s, timed *t, const marey_query *query, double threshold)
{
    char from[32], to[32], most[32], mode[] = "--cold";
    char *const arguments[] = { (char *)(uintptr_t)s->program,  mode, (char *)(uintptr_t)s->path,
                                (char *)(uintptr_t)query->clip, from, to,
                                (char *)(uintptr_t)s->threads,  most, NULL };
    int status = 1;
    pid_t child;
    snprintf(from, sizeof from, "%d", query->start);
    snprintf(to, sizeof to, "%d", query->end);
    snprintf(most, sizeof most, "%.17g", threshold);
    double start = bench_wall_s();
    if (posix_spawn(&child, s->program, NULL, NULL, arguments, environ) != 0) return;
    waitpid(child, &status, 0);
    t->cold[t->cold_done++] = bench_wall_s() - start;
    if (status != 0) printf("the search of %s by a process of its own failed\n", query->clip);
}

/* What such a process does. */
static int search_once(char **arguments)
{
    marey_ctx_def def = { .threads = atoi(arguments[4]) };
    marey_query query = { .clip = arguments[1],
                          .start = atoi(arguments[2]),
                          .end = atoi(arguments[3]) };
    marey_ctx *ctx;
    marey_library *library;
    marey_searcher *searcher;
    marey_error error;
    if (marey_ctx_open(&def, &ctx) != MAREY_OK) return 1;
    if (marey_library_open(ctx, arguments[0], MAREY_LIBRARY_READ, &library, &error) != MAREY_OK ||
        marey_searcher_open(library, &searcher, &error) != MAREY_OK)
        quit(arguments[0], &error);
    marey_finding_free(find(searcher, &query, atof(arguments[5])));
    fflush(stdout);
    _exit(0); /* as a program that has told what it found */
}

/* The threshold is moved from half of what it was to a half more. */
static void time_slider(searched *s, const marey_query *query, double threshold)
{
    for (int step = 2; step <= 6; step++) {
        double start = bench_wall_s();
        marey_finding_free(find(s->searcher, query, threshold * step / 4));
        s->slider[s->moved++] = bench_wall_s() - start;
    }
}

/* A clip of middling length, put in once more. */
static double time_adding(marey_library *library)
{
    marey_listing *listing;
    marey_clip *clip;
    marey_error error;
    int count;
    double took[5];
    if (marey_library_list(library, NULL, &listing, &error) != MAREY_OK) quit("listing", &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    double frames = 0;
    for (int i = 0; i < count; i++) frames += entries[i].frames;
    int chosen = 0;
    while (chosen + 1 < count && (double)entries[chosen].frames * count < frames) chosen++;
    if (marey_library_load(library, entries[chosen].name, &clip, &error) != MAREY_OK)
        quit(entries[chosen].name, &error);
    for (int i = 0; i < 5; i++) {
        char name[MAREY_NAME_ROOM];
        double start = bench_wall_s();
        if (marey_library_put(library, clip, "added", NULL, name, sizeof name, &error) != MAREY_OK)
            quit("adding", &error);
        took[i] = bench_wall_s() - start;
        const char *names[] = { name };
        if (marey_library_remove(library, names, 1, &error) != MAREY_OK) quit("removing", &error);
    }
    marey_clip_free(clip);
    marey_listing_free(listing);
    qsort(took, 5, sizeof *took, by_value);
    return took[2];
}

static void time_queries(searched *s, int wanted)
{
    const double moves_cm2 = 20; /* less than that is standing */
    marey_listing *listing;
    marey_error error;
    int count;
    if (marey_library_list(s->library, NULL, &listing, &error) != MAREY_OK) quit("listing", &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    while (s->kinds[0].done < wanted) {
        char number[32];
        marey_query query = draw(entries, count, number, sizeof number);
        marey_finding *first = find(s->searcher, &query, 1e-3);
        double still = marey_finding_report_of(first).still_cost;
        marey_finding_free(first);
        if (still < moves_cm2) continue;
        bool is_tenth = s->kinds[0].done % 10 == 0;
        for (int k = 0; k < KINDS; k++) {
            timed *t = &s->kinds[k];
            time_warm(s, t, &query, t->share * still);
            if (is_tenth) time_cold(s, t, &query, t->share * still);
        }
        if (is_tenth) time_slider(s, &query, CUTOFF * still);
    }
    marey_listing_free(listing);
}

int main(int argc, char **argv)
{
    static searched s;
    if (argc == 8 && strcmp(argv[1], "--cold") == 0) return search_once(argv + 2);
    char path[1100] = "bench-search.marey", from[1100];
    int wanted = argc > 2 ? atoi(argv[2]) : 200;
    s = (searched){ .path = path,
                    .program = argv[0],
                    .threads = argc > 3 ? argv[3] : "2",
                    .kinds = { { "first tier, threshold 0.5 of the still cost", CUTOFF, 25, 150 },
                               { "first tier, threshold at the still cost", 1 },
                               { "nothing set" } } };
    marey_ctx_def def = { .threads = atoi(s.threads) };
    marey_pose_report made;
    marey_error error;
    marey_ctx *ctx;
    snprintf(from, sizeof from, "%s/cmu_large.marey", bench_mocap_folder());
    if (argc > 1) snprintf(from, sizeof from, "%s", argv[1]);
    if (!copy_file(from, path)) {
        printf("skipped: there is no %s\n", from);
        remove(path);
        return 77;
    }
    if (marey_ctx_open(&def, &ctx) != MAREY_OK) return 1;
    if (marey_library_open(ctx, path, MAREY_LIBRARY_WRITE, &s.library, &error) != MAREY_OK ||
        marey_library_index_poses(s.library, true, &made, &error) != MAREY_OK ||
        marey_searcher_open(s.library, &s.searcher, &error) != MAREY_OK)
        quit(path, &error);
    double frames = 0;
    int clips;
    marey_listing *listing;
    if (marey_library_list(s.library, NULL, &listing, &error) != MAREY_OK) quit(path, &error);
    const marey_entry *entries = marey_listing_entries(listing, &clips);
    for (int i = 0; i < clips; i++) frames += entries[i].frames;
    marey_listing_free(listing);
    printf("%d clips, %.0f frames\n", made.clips, frames);
    bench_figure("index", made.seconds, "s", 5, false);
    bench_figure("index, memory", 1e-6 * (double)marey_ctx_bytes_peak(ctx), "MB", 300, false);
    bench_figure("adding a clip", 1e3 * time_adding(s.library), "ms", 50, false);
    time_queries(&s, wanted < MOST ? wanted : MOST);
    bench_figure("stored", (double)made.bytes / ((double)s.kinds[0].poses / s.kinds[0].done),
                 "bytes a pose", 64, false);
    bench_figure("stored", (double)made.bytes / frames, "bytes a frame", 64, false);
    for (int k = 0; k < KINDS; k++) {
        timed *t = &s.kinds[k];
        printf("%s: %.3f of the poses measured, %.1f matches a query\n", t->what,
               (double)t->left / (double)t->poses, (double)t->matches / t->done);
        print_times("a query, warm", t->warm, t->done, t->asked_ms);
        print_times("  on all processors", t->busy, t->done, 0);
        print_times("  of it ruling out", t->scan, t->done, 0);
        print_times("  of it measuring matches", t->rest, t->done, 0);
        print_times("a query, by a process of its own", t->cold, t->cold_done, t->asked_cold_ms);
        if (t->hundreds > 0)
            bench_figure("a query with 80 to 125 matches", 1e3 * t->hundred_s / t->hundreds, "ms",
                         300, false);
    }
    print_times("another threshold", s.slider, s.moved, 50);
    bench_figure("memory while searching", 1e-6 * (double)marey_ctx_bytes_peak(ctx), "MB", 300,
                 false);
    marey_searcher_free(s.searcher);
    marey_library_close(s.library);
    marey_ctx_close(ctx);
    remove(path);
    return 0;
}
