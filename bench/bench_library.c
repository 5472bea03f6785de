/* bench_library.c - putting all real data into a library, its size, reading a clip back, and
   opening and listing a large library, what the studio asks for again and again. */
#include "bench.h"

#include <marey/marey.h>

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 4000, LARGE = 2000, ROUNDS = 7, OFTEN = 10000, PICTURES = 200, PICTURE = 8000 };

/* nftw has no argument for its caller, so this is the one place for it. */
static struct {
    char *paths[MOST_FILES];
    int count;
    double bytes;
} files;

static int note_file(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)place;
    if (kind != FTW_F || files.count == MOST_FILES) return 0;
    files.paths[files.count++] = strdup(path);
    files.bytes += (double)about->st_size;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void fine(marey_status status, const marey_error *error)
{
    if (!status) return;
    fprintf(stderr, "%s: %s\n", error->path, error->message);
    exit(1);
}

static marey_library *open_library(marey_ctx *ctx, const char *path, marey_library_mode mode)
{
    marey_library *library;
    marey_error error;
    fine(marey_library_open(ctx, path, mode, &library, &error), &error);
    return library;
}

static void bench_add(marey_ctx *ctx, const char *path)
{
    marey_error error;
    struct stat about;
    double start = bench_wall_s();
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_CREATE);
    fine(marey_library_add(library, (const char *const *)files.paths, files.count, NULL, &error),
         &error);
    marey_library_close(library);
    double seconds = bench_wall_s() - start;
    if (stat(path, &about) != 0) exit(3);
    printf("adding %d files, %.1f MB, %d threads\n", files.count, files.bytes / 1e6,
           marey_ctx_threads(ctx));
    bench_figure("add everything", seconds, "s", 5, false);
    bench_figure("size of the library / size of the files", (double)about.st_size / files.bytes, "",
                 0.4, false);
}

/* The clip whose length is nearest to 3,000 frames. */
static void bench_load(marey_ctx *ctx, const char *path)
{
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_READ);
    marey_listing *listing;
    marey_error error;
    int count, best = 0;
    double least = 1e9;
    fine(marey_library_list(library, NULL, &listing, &error), &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 1; i < count; i++) {
        if (abs(entries[i].frames - 3000) < abs(entries[best].frames - 3000)) best = i;
    }
    for (int round = 0; round < ROUNDS && count; round++) {
        marey_clip *clip;
        double start = bench_cpu_s();
        fine(marey_library_load(library, entries[best].name, &clip, &error), &error);
        double seconds = bench_cpu_s() - start;
        if (seconds < least) least = seconds;
        marey_clip_free(clip);
    }
    printf("%s has %d frames\n", count ? entries[best].name : "nothing",
           count ? entries[best].frames : 0);
    bench_figure("one clip back into tracks, one core", 1e3 * least, "ms", 5, false);
    marey_listing_free(listing);
    marey_library_close(library);
}

static void bench_large(marey_ctx *ctx, const char *path, const char *clip_path)
{
    marey_clip *clip, *part;
    marey_error error;
    char name[32];
    double least = 1e9;
    fine(marey_clip_load(ctx, clip_path, NULL, &clip, &error), &error);
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_CREATE);
    for (int i = 0; i < LARGE; i++) {
        int start = i % (marey_clip_frames(clip) - 4);
        snprintf(name, sizeof name, "take_%04d", i);
        fine(marey_clip_trim(clip, start, start + 3 + i % 2, &part, &error), &error);
        fine(marey_library_put(library, part, name, NULL, NULL, 0, &error), &error);
        marey_clip_free(part);
    }
    marey_library_close(library);
    marey_clip_free(clip);
    for (int round = 0; round < ROUNDS; round++) {
        marey_listing *listing;
        int count;
        double start = bench_cpu_s();
        library = open_library(ctx, path, MAREY_LIBRARY_READ);
        fine(marey_library_list(library, NULL, &listing, &error), &error);
        marey_listing_entries(listing, &count);
        double seconds = bench_cpu_s() - start;
        if (count != LARGE) exit(1);
        if (seconds < least) least = seconds;
        marey_listing_free(listing);
        marey_library_close(library);
    }
    bench_figure("open and list a library of 2,000 clips", 1e3 * least, "ms", 100, false);
}

/* Keeping waits for the disk, so it is measured by the clock on the wall. */
static void bench_pictures(marey_ctx *ctx, const char *path)
{
    static char bytes[PICTURE];
    marey_library *library = open_library(ctx, path, MAREY_LIBRARY_WRITE);
    marey_error error;
    int64_t version = 0;
    size_t count = 0;
    for (int i = 0; i < PICTURE; i++) bytes[i] = (char)(i % 997 * (i % 113));
    double start = bench_wall_s();
    for (int i = 0; i < OFTEN; i++) {
        fine(marey_library_version(library, &version, &error), &error);
    }
    bench_figure("ask whether anything changed", 1e6 * (bench_wall_s() - start) / OFTEN, "us", 100,
                 false);
    start = bench_wall_s();
    for (int i = 0; i < PICTURES; i++) {
        fine(marey_library_keep_picture(library, i + 1, "strip", version, bytes, PICTURE, &error),
             &error);
    }
    bench_figure("keep a picture of 8 kB", 1e3 * (bench_wall_s() - start) / PICTURES, "ms", 0,
                 false);
    start = bench_wall_s();
    for (int i = 0; i < OFTEN; i++) {
        fine(marey_library_picture(library, i % PICTURES + 1, "strip", bytes, PICTURE, &count,
                                   &error),
             &error);
    }
    bench_figure("get a kept picture of 8 kB", 1e6 * (bench_wall_s() - start) / OFTEN, "us", 0,
                 false);
    marey_library_close(library);
}

int main(void)
{
    char folder[] = "/tmp/marey-bench-XXXXXX", path[64], large[64], clip[4096];
    marey_ctx *ctx;
    if (!mkdtemp(folder) || marey_ctx_open(NULL, &ctx)) return 3;
    snprintf(path, sizeof path, "%s/all.marey", folder);
    snprintf(large, sizeof large, "%s/large.marey", folder);
    nftw(bench_mocap_folder(), note_file, 16, FTW_PHYS);
    if (files.count) {
        qsort(files.paths, (size_t)files.count, sizeof *files.paths, by_name);
        bench_add(ctx, path);
        bench_load(ctx, path);
    } else {
        printf("library: skipped, no files in %s (set MAREY_MOCAP; see docs/data.md)\n",
               bench_mocap_folder());
    }
    snprintf(clip, sizeof clip, "%s/examples/wave.bvh", MAREY_SOURCE_DIR);
    bench_large(ctx, large, clip);
    bench_pictures(ctx, large);
    marey_ctx_close(ctx);
    unlink(path);
    unlink(large);
    rmdir(folder);
    for (int i = 0; i < files.count; i++) free(files.paths[i]);
    return 0;
}
