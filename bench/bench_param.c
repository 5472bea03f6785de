/* bench_param.c - families of demo reaches, one core: how long a family takes to build, how much
   its samples take to keep, how near answers are with and without refinement, and what a made
   motion costs with 40 and with 200 examples. */
#include "bench.h"

#include <marey/marey.h>

#include <string.h>

enum { MOST = 200 };

static void need(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(3);
}

/* Right reaches of the larger body, from as many seeds as it takes. */
static void make_reaches(marey_ctx *ctx, marey_clip **clips)
{
    int made = 0;
    marey_error error;
    for (uint64_t seed = 1; made < MOST; seed++) {
        for (int t = 0; t < marey_demo_count() && made < MOST; t++) {
            marey_demo_take *take;
            int count;
            if (strncmp(marey_demo_name(t), "reach_right", 11) != 0) continue;
            need(marey_demo_build(ctx, t, seed, &take, &error), &error);
            const marey_demo_segment *of = marey_demo_segments(take, &count);
            for (int i = 0; i < count && made < MOST; i++) {
                if (strcmp(of[i].label, "reach") != 0) continue;
                need(marey_clip_trim(marey_demo_clip(take), of[i].start, of[i].end, &clips[made++],
                                     &error),
                     &error);
            }
            marey_demo_free(take);
        }
    }
}

static marey_family *build(marey_ctx *ctx, marey_clip *const *clips, int count, const char *text,
                           double *seconds)
{
    marey_param param;
    marey_error error;
    marey_family *family;
    marey_registration_def tree = { .reference = 1 }; /* as a match graph gives one */
    marey_family_def def = { .params = &param, .param_count = 1, .registration = &tree };
    need(marey_param_parse(text, &param, &error), &error);
    double start = bench_cpu_s();
    need(marey_family_build(ctx, (const marey_clip *const *)clips, count, NULL, &def, &family,
                            &error),
         &error);
    *seconds = bench_cpu_s() - start;
    return family;
}

/* Seconds for one motion, the mean over samples all over the family. */
static double make_seconds(marey_ctx *ctx, const marey_family *family, double *motion_s,
                           double *error_cm)
{
    enum { MADE = 60 };
    int count, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &count);
    double spent = 0;
    *motion_s = *error_cm = 0;
    for (int i = 0; i < MADE; i++) {
        const double *wanted = values + (size_t)(count - 1 - i * count / MADE) * (size_t)dims;
        marey_made made;
        marey_answer answer;
        marey_error error;
        double start = bench_cpu_s();
        need(marey_family_make(ctx, family, wanted, NULL, &made, &answer, &error), &error);
        spent += bench_cpu_s() - start;
        *motion_s += marey_clip_seconds(made.clip) / MADE;
        *error_cm += answer.error / MADE;
        marey_made_free(&made);
    }
    return spent / MADE;
}

static void show_storage(const marey_family *family, marey_clip *const *clips, int count,
                         marey_ctx *ctx)
{
    uint8_t *bytes;
    size_t size, samples;
    double raw = 0;
    marey_error error;
    need(marey_family_write(family, &bytes, &size, &samples, &error), &error);
    for (int i = 0; i < count; i++)
        raw += marey_clip_frames(clips[i]) *
               (4.0 * marey_clip_skeleton(clips[i])->joint_count + 3) * 4;
    bench_figure("samples, of the examples' float tracks", 100 * (double)samples / raw, "%", 3.2,
                 false);
    marey_family_bytes_free(ctx, bytes, size);
}

static void show_accuracy(marey_ctx *ctx, const marey_family *family)
{
    marey_family_check check;
    marey_error error;
    double start = bench_cpu_s();
    need(marey_family_try(ctx, family, 1000, 11, NULL, &check, &error), &error);
    printf("1000 answers, %.2f ms each; from the table alone: median %.3g, 95 %% within %.3g cm\n",
           (bench_cpu_s() - start), check.table_median, check.table_p95);
    bench_figure("answers, median error", check.median, "cm", 0.5, false);
    bench_figure("answers, 95 % within", check.p95, "cm", 1.5, false);
    printf("worst %.3g cm, invalid weights %d\n", check.worst, check.invalid);
}

int main(void)
{
    static marey_clip *clips[MOST];
    marey_ctx *ctx;
    double seconds, motion_s, error_cm, first = 0;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 3;
    make_reaches(ctx, clips);
    for (int n = 0; n < 2; n++) {
        int count = n ? MOST : 40, samples;
        marey_family *family =
            build(ctx, clips, count, "position(right_wrist, apex, start)", &seconds);
        marey_family_samples(family, &samples);
        printf("%d reaches by the wrist's place: 1000 samples tried, %d kept\n", count, samples);
        bench_figure("building the family", seconds, "s", n ? 0 : 0.3, false);
        if (!n) show_storage(family, clips, count, ctx);
        if (!n) show_accuracy(ctx, family);
        double made = make_seconds(ctx, family, &motion_s, &error_cm);
        printf("one motion of %.2f s, feet held, off by %.3g cm\n", motion_s, error_cm);
        bench_figure("one motion of 1.5 s", made / motion_s * 1.5e3, "ms", 5, false);
        if (n) bench_figure("200 examples against 40", made / first, "x", 1.5, false);
        first = made;
        marey_family_free(family);
    }
    marey_family *whole = build(ctx, clips, 40, "speed(right_wrist, greatest)", &seconds);
    bench_figure("40 reaches by speed, all frames", seconds, "s", 1, false);
    marey_family_free(whole);
    for (int i = 0; i < MOST; i++) marey_clip_free(clips[i]);
    marey_ctx_close(ctx);
    return 0;
}
