/* bench_puppet.c - one step of a reacting character, with ten minutes and with an hour of
   demonstration at 60 Hz, beside window sums that are made from scratch, alternately; and how long
   training takes. The demonstration is what the rule of the dancer does while the main character
   wanders. */
#include "bench.h"
#include "puppet/puppet_data.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { RATE = 60, STEPS = 1500, EVERY = 50 };

/* Winding, with a speed that changes, nowhere quite as before. */
static void wander(marey_entity *main, int count, double phase)
{
    marey_entity at = { 0 };
    for (int i = 0; i < count; i++) {
        double t = (double)i / RATE, turn = 0.7 * sin(0.31 * t + phase) + 0.5 * sin(0.83 * t);
        double speed = fmax(0, 80 + 90 * sin(0.23 * t + 2 * phase));
        main[i] = at;
        at.direction_rad = mry_wrap(at.direction_rad + turn / RATE);
        at.x_cm += speed * cos(at.direction_rad) / RATE;
        at.y_cm += speed * sin(at.direction_rad) / RATE;
    }
}

static marey_puppet *train(marey_ctx *ctx, int count, double *took)
{
    marey_entity *main = malloc((size_t)count * 2 * sizeof *main), *react = main + count;
    marey_puppet_sample *samples = malloc((size_t)count * sizeof *samples);
    marey_puppet *puppet = NULL;
    if (!main || !samples) exit(1);
    wander(main, count, 0);
    marey_ready_puppet_react(marey_ready_puppet_find(4), main, count, react);
    for (int i = 0; i < count; i++)
        samples[i] = (marey_puppet_sample){ (double)i / RATE, main[i], react[i] };
    double start = bench_cpu_s();
    if (marey_puppet_train(ctx, &(marey_demonstration){ samples, count }, 1, NULL, &puppet, NULL))
        exit(1);
    *took = bench_cpu_s() - start;
    free(main);
    free(samples);
    return puppet;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(marey_ctx *ctx, const char *what, int count, double asked_us)
{
    static marey_entity main[STEPS];
    static double steps[STEPS];
    char line[80];
    double trained, scratch = 0;
    int times = 0;
    marey_puppet *puppet = train(ctx, count, &trained);
    marey_reactor *reactor = NULL;
    uint32_t *sums = malloc((size_t)puppet->count * sizeof *sums);
    wander(main, STEPS, 1.7);
    if (!sums || marey_reactor_open(ctx, puppet, main, NULL, &reactor, NULL)) exit(1);
    for (int i = 0; i < STEPS; i++) {
        marey_puppet_frame frame;
        double start = bench_cpu_s();
        marey_puppet_step(reactor, &main[i], &frame);
        steps[i] = bench_cpu_s() - start;
        if (i % EVERY != 0) continue;
        memcpy(sums, reactor->sums, (size_t)puppet->count * sizeof *sums);
        start = bench_cpu_s();
        mry_reactor_sum(reactor);
        scratch += bench_cpu_s() - start;
        times++;
        if (memcmp(sums, reactor->sums, (size_t)puppet->count * sizeof *sums) != 0)
            printf("NOT THE SAME: the running sums are not those from scratch\n");
    }
    qsort(steps, STEPS, sizeof *steps, compare);
    snprintf(line, sizeof line, "a step, %s", what);
    bench_figure(line, 1e6 * steps[STEPS / 2], "us, median", asked_us, false);
    snprintf(line, sizeof line, "a step, %s", what);
    bench_figure(line, 1e6 * steps[STEPS * 99 / 100], "us, 99 of 100", 0, false);
    snprintf(line, sizeof line, "window sums from scratch, %s", what);
    bench_figure(line, 1e6 * scratch / times, "us", 0, false);
    snprintf(line, sizeof line, "training, %s", what);
    bench_figure(line, 1e3 * trained, "ms", 0, false);
    free(sums);
    marey_reactor_free(reactor);
    marey_puppet_free(puppet);
}

int main(void)
{
    marey_ctx *ctx = NULL;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 1;
    measure(ctx, "10 minutes at 60 Hz", 600 * RATE, 100);
    measure(ctx, "an hour at 60 Hz", 3600 * RATE, 1000);
    marey_ctx_close(ctx);
    return 0;
}
