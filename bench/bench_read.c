/* bench_read.c - how fast BVH files become quaternion tracks, and how much memory that takes,
   beside plain strtod into arrays as the baseline. The two take turns, so that a noisy machine
   disturbs both. */
#include "bench.h"

#include <marey/marey.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1000, ROUNDS = 5 };

typedef struct files {
    char *paths[MOST_FILES];
    size_t sizes[MOST_FILES];
    int count;
    size_t bytes;
} files;

static int ends_in_bvh(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".bvh") == 0;
}

static void list_files(const char *folder, files *list)
{
    struct dirent **names;
    int count = scandir(folder, &names, ends_in_bvh, alphasort);
    for (int i = 0; i < count && list->count < MOST_FILES; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, names[i]->d_name) < 0) exit(3);
        list->paths[list->count] = path;
        FILE *file = fopen(path, "rb");
        fseek(file, 0, SEEK_END);
        list->sizes[list->count] = (size_t)ftell(file);
        list->bytes += list->sizes[list->count++];
        fclose(file);
    }
}

/* Everything: file to clip with roles, units, marks and report. The worst share of the memory
   allowed, 32 MiB + 3 x the file, is noted. */
static double read_all(const files *list, double *worst_memory, long *frames)
{
    double start = bench_cpu_s();
    for (int i = 0; i < list->count; i++) {
        marey_ctx *ctx;
        marey_clip *clip;
        marey_error error;
        if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) exit(3);
        if (marey_clip_load(ctx, list->paths[i], NULL, &clip, &error)) {
            fprintf(stderr, "%s: %s\n", list->paths[i], error.message);
            exit(1);
        }
        *frames += marey_clip_frames(clip);
        double allowed = 32.0 * 1024 * 1024 + 3.0 * (double)list->sizes[i];
        double share = (double)marey_ctx_bytes_peak(ctx) / allowed;
        if (share > *worst_memory) *worst_memory = share;
        marey_clip_free(clip);
        marey_ctx_close(ctx);
    }
    return bench_cpu_s() - start;
}

/* The baseline: the motion part through strtod into one array, no quaternions. */
static double read_plain(const files *list, double *sum)
{
    double start = bench_cpu_s();
    for (int i = 0; i < list->count; i++) {
        size_t size = list->sizes[i];
        char *text = malloc(size + 1);
        double *numbers = malloc(size / 2 * sizeof *numbers + 16);
        FILE *file = fopen(list->paths[i], "rb");
        size_t got = fread(text, 1, size, file);
        fclose(file);
        text[got] = 0;
        char *p = strstr(text, "Frame Time:");
        p = p ? strchr(p, '\n') : text + got;
        size_t n = 0;
        for (char *end;; p = end) {
            double value = strtod(p, &end);
            if (end == p) break;
            numbers[n++] = value;
        }
        *sum += n ? numbers[n - 1] : 0;
        free(numbers);
        free(text);
    }
    return bench_cpu_s() - start;
}

int main(void)
{
    files list = { 0 };
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/cmu", bench_mocap_folder());
    list_files(folder, &list);
    if (!list.count) {
        printf("reading: skipped, no files in %s (set MAREY_MOCAP; see docs/data.md)\n", folder);
        return 0;
    }
    double worst = 0, sum = 0, best = 1e9, best_plain = 1e9;
    long frames = 0;
    for (int round = 0; round < ROUNDS; round++) {
        frames = 0;
        double mine = read_all(&list, &worst, &frames), plain = read_plain(&list, &sum);
        if (mine < best) best = mine;
        if (plain < best_plain) best_plain = plain;
    }
    double mb = (double)list.bytes / 1e6;
    printf("reading %d BVH files, %.1f MB, %ld frames, one thread (best of %d rounds)\n",
           list.count, mb, frames, ROUNDS);
    bench_figure("BVH read into quaternion tracks", mb / best, "MB/s of CPU time", 250, true);
    bench_figure("  plain strtod into one array", mb / best_plain, "MB/s of CPU time", 0, true);
    bench_figure("  ratio to plain strtod", best_plain / best, "times", 0, true);
    bench_figure("memory, worst share of 32 MiB + 3 x file", worst, "", 1, false);
    for (int i = 0; i < list.count; i++) free(list.paths[i]);
    return sum == 12345.678;
}
