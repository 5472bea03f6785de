/* bench_picture.c - how long a film strip, a sheet of 100 clips and the frames of a video take. */
#include "bench.h"

#include <marey/marey.h>
#include <marey/picture.h>

#include <glob.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SHEET = 100, ROUNDS = 5 };

static void fine(marey_status status, const marey_error *error)
{
    if (!status) return;
    fprintf(stderr, "%s: %s\n", error->path, error->message);
    exit(1);
}

/* Up to SHEET clips of the real data; where there are fewer, they come again. Returns how many are
   the bench's own to free. */
static int load_clips(marey_ctx *ctx, marey_clip **clips)
{
    static const char *const folders[] = { "cmu", "bandai", "accad" };
    int own = 0;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        char pattern[4096];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s/*.bvh", bench_mocap_folder(), folders[f]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc && own < SHEET; i++) {
            own += marey_clip_load(ctx, found.gl_pathv[i], NULL, &clips[own], NULL) == MAREY_OK;
        }
        globfree(&found);
    }
    if (!own) {
        char path[4096];
        marey_error error;
        snprintf(path, sizeof path, "%s/examples/wave.bvh", MAREY_SOURCE_DIR);
        fine(marey_clip_load(ctx, path, NULL, &clips[own++], &error), &error);
        printf(
            "pictures: of examples/wave.bvh, no files in %s (set MAREY_MOCAP; see docs/data.md)\n",
            bench_mocap_folder());
    }
    for (int i = own; i < SHEET; i++) clips[i] = clips[i % own];
    return own;
}

/* With that of the processes that drew. */
static double drawing_cpu_s(void)
{
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    return bench_cpu_s() + (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 * (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

/* The slowest clip's fastest round. */
static void bench_strip(marey_clip *const *clips, int count, const char *path)
{
    double slowest = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        double least = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            marey_error error;
            double start = drawing_cpu_s();
            fine(marey_strip_save(clips[i], NULL, path, &error), &error);
            double seconds = drawing_cpu_s() - start;
            if (seconds < least) least = seconds;
        }
        if (least > slowest) slowest = least;
        sum += least;
    }
    printf("strips of %d clips, one core\n", count);
    bench_figure("a film strip, 1600 x 320 PNG, mean", 1e3 * sum / count, "ms", 30, false);
    bench_figure("a film strip, the slowest clip", 1e3 * slowest, "ms", 30, false);
}

static void bench_sheet(marey_clip *const *clips, const char *path)
{
    double least = 1e9;
    for (int round = 0; round < 3; round++) {
        marey_error error;
        double start = bench_wall_s();
        fine(marey_sheet_save((const marey_clip *const *)clips, NULL, SHEET, path, &error), &error);
        double seconds = bench_wall_s() - start;
        if (seconds < least) least = seconds;
    }
    bench_figure("a contact sheet of 100 clips", least, "s", 2, false);
}

/* This process's time only: ffmpeg's is its own. */
static void bench_video(marey_clip *clip, const char *path)
{
    marey_error error;
    double start = bench_cpu_s();
    marey_status status = marey_video_save(clip, NULL, path, &error);
    double seconds = bench_cpu_s() - start;
    if (status == MAREY_ERR_REQUEST) {
        printf("video: skipped, %s\n", error.message);
        return;
    }
    fine(status, &error);
    bench_figure("video, 960 x 540 at 30 Hz, one core", marey_clip_seconds(clip) / seconds,
                 "x real time", 1, true);
}

int main(void)
{
    char folder[] = "/tmp/marey-bench-XXXXXX", picture[64], video[64];
    marey_clip *clips[SHEET];
    marey_ctx *ctx;
    if (!mkdtemp(folder) || marey_ctx_open(NULL, &ctx)) return 3;
    snprintf(picture, sizeof picture, "%s/x.png", folder);
    snprintf(video, sizeof video, "%s/x.mp4", folder);
    int own = load_clips(ctx, clips);
    bench_strip(clips, own < 20 ? own : 20, picture);
    bench_sheet(clips, picture);
    bench_video(clips[0], video);
    for (int i = 0; i < own; i++) marey_clip_free(clips[i]);
    marey_ctx_close(ctx);
    unlink(picture);
    unlink(video);
    rmdir(folder);
    return 0;
}
