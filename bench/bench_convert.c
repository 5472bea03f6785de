/* bench_convert.c - a folder of 1,000 BVH files becomes a folder of GLB files, by the program itself, with
   one thread and with two in turns. Baseline: the same files copied, which is what the disk takes. */
#include "bench.h"

#include <marey/marey.h>

#include <dirent.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 1000, FRAMES = 240, ROUNDS = 3 };

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "bench_convert: %s\n", what);
    exit(3);
}

/* Pieces of the clips in a folder, or of the demo's, written as BVH; returns their bytes. */
static double make_files(marey_ctx *ctx, const char *folder)
{
    char path[1024];
    double bytes = 0;
    struct dirent **names;
    char from[512];
    snprintf(from, sizeof from, "%s/cmu", bench_mocap_folder());
    int found = scandir(from, &names, NULL, alphasort), made = 0;
    for (int piece = 0; made < FILES && piece < FILES; piece++) {
        for (int i = 0; i < found && made < FILES; i++) {
            marey_clip *clip = NULL, *part = NULL;
            struct stat about;
            if (!strstr(names[i]->d_name, ".bvh")) continue;
            snprintf(path, sizeof path, "%s/%s", from, names[i]->d_name);
            must(marey_clip_load(ctx, path, NULL, &clip, NULL) == MAREY_OK, "cannot read a clip");
            int frames = marey_clip_frames(clip), start = piece * FRAMES % frames;
            int end = start + FRAMES < frames ? start + FRAMES : frames;
            must(marey_clip_trim(clip, start, end, &part, NULL) == MAREY_OK, "cannot trim a clip");
            snprintf(path, sizeof path, "%.500s/%04d.bvh", folder, made++);
            must(marey_clip_save(part, path, NULL) == MAREY_OK, "cannot write a clip");
            must(stat(path, &about) == 0, "a file is gone");
            bytes += (double)about.st_size;
            marey_clip_free(part);
            marey_clip_free(clip);
        }
    }
    return bytes;
}

/* Seconds by the clock, and the processors' in *cpu. */
static double run(const char *line, double *cpu)
{
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    double start = bench_wall_s();
    must(system(line) == 0, line);
    double seconds = bench_wall_s() - start;
    getrusage(RUSAGE_CHILDREN, &after);
    *cpu = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
           (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
           1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
           1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
    return seconds;
}

int main(int count, char **words)
{
    char folder[] = "/tmp/marey-bench-XXXXXX", path[1024], line[4096], program[1024];
    marey_ctx *ctx = NULL;
    double best[3] = { 1e9, 1e9, 1e9 }, least_cpu = 1e9;
    char from[512];
    snprintf(from, sizeof from, "%s/cmu", bench_mocap_folder());
    (void)count;
    if (access(from, R_OK) != 0) return printf("convert: skipped, there are no CMU clips\n"), 0;
    char *slash = strrchr(words[0], '/');
    must(slash != NULL, "call it by its path");
    snprintf(program, sizeof program, "%.*s/../marey", (int)(slash - words[0]), words[0]);
    must(mkdtemp(folder) != NULL, "no folder");
    snprintf(path, sizeof path, "%s/in", folder);
    must(mkdir(path, 0777) == 0, "no folder");
    must(marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx) == MAREY_OK, "no memory");
    double megabytes = make_files(ctx, path) / 1e6;
    marey_ctx_close(ctx);
    for (int round = 0; round < ROUNDS; round++) {
        for (int threads = 0; threads <= 2; threads++) {
            double cpu;
            if (threads > 0)
                snprintf(line, sizeof line,
                         "%s convert %s --to glb -o %s/out --threads %d --quiet >/dev/null",
                         program, path, folder, threads);
            else
                snprintf(line, sizeof line, "cp -r %s %s/out && sync -f %s/out", path, folder,
                         folder);
            double seconds = run(line, &cpu);
            if (seconds < best[threads]) best[threads] = seconds;
            if (threads == 1 && cpu < least_cpu) least_cpu = cpu;
            snprintf(line, sizeof line, "rm -rf %s/out", folder);
            must(system(line) == 0, line);
        }
    }
    snprintf(line, sizeof line, "rm -rf %s", folder);
    must(system(line) == 0, line);
    printf("%d BVH files, %.0f MB, to GLB; the best of %d\n", (int)FILES, megabytes, (int)ROUNDS);
    bench_figure("one thread, by the clock", megabytes / best[1], "MB of BVH/s", 20, true);
    bench_figure("a core's own time", megabytes / least_cpu, "MB of BVH/s", 20, true);
    bench_figure("two threads over one", best[1] / best[2], "times as fast", 2, true);
    bench_figure("copying the same files", megabytes / best[0], "MB/s", 0, true);
    return 0;
}
