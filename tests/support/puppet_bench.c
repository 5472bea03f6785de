#include "puppet_bench.h"

#include "math/turn.h"

#include <math.h>
#include <stdlib.h>

puppet_bench *puppet_bench_open(void)
{
    puppet_bench *bench = calloc(1, sizeof *bench);
    bench->memory.refuse = -1;
    bench->ctx = test_ctx_refusing(&bench->memory);
    return bench;
}

void puppet_bench_close(puppet_bench *bench)
{
    test_ctx_close(bench->ctx);
    assert_int_equal(bench->memory.live, 0);
    free(bench);
}

int puppet_bench_set_up(void **state)
{
    *state = puppet_bench_open();
    return 0;
}

int puppet_bench_tear_down(void **state)
{
    puppet_bench_close(*state);
    return 0;
}

static void *canceller_resize(void *user, void *old, size_t old_size, size_t size)
{
    puppet_canceller *canceller = user;
    if (canceller->ctx && size && canceller->memory.calls == canceller->at)
        marey_ctx_cancel(canceller->ctx);
    return test_memory_resize(&canceller->memory, old, old_size, size);
}

marey_ctx *puppet_canceller_open(puppet_canceller *canceller)
{
    marey_ctx_def def = { .resize = canceller_resize, .resize_user = canceller, .threads = 1 };
    marey_ctx *ctx = NULL;
    canceller->memory.refuse = -1;
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    return ctx;
}

marey_puppet_sample *puppet_bench_ready(int index, int *count)
{
    const marey_ready_puppet *ready = marey_ready_puppet_find(index);
    assert_non_null(ready);
    marey_puppet_sample *samples = malloc((size_t)ready->samples * sizeof *samples);
    assert_non_null(samples);
    marey_ready_puppet_demonstrate(ready, samples);
    *count = ready->samples;
    return samples;
}

marey_puppet *puppet_bench_train(puppet_bench *bench, const marey_demonstration *all, int count,
                                 const marey_puppet_def *def)
{
    marey_puppet *puppet = NULL;
    marey_error error = { 0 };
    test_fine(marey_puppet_train(bench->ctx, all, count, def, &puppet, &error), &error);
    return puppet;
}

marey_puppet *puppet_bench_train_ready(puppet_bench *bench, int index, int most)
{
    int count;
    marey_puppet_sample *samples = puppet_bench_ready(index, &count);
    marey_demonstration one = { samples, most > 0 && most < count ? most : count };
    marey_puppet *puppet = puppet_bench_train(bench, &one, 1, NULL);
    free(samples);
    return puppet;
}

marey_reactor *puppet_bench_react(puppet_bench *bench, const marey_puppet *puppet,
                                  const marey_entity *main, const marey_reactor_def *def)
{
    marey_reactor *reactor = NULL;
    marey_error error = { 0 };
    test_fine(marey_reactor_open(bench->ctx, puppet, main, def, &reactor, &error), &error);
    return reactor;
}

void puppet_bench_wander(uint64_t seed, marey_entity *main, int count)
{
    marey_entity at = { .direction_rad = mry_random_between(&seed, -3, 3) };
    double speed = 0, turn = 0, wanted_speed = 0, wanted_turn = 0, left = 0, dt = 1 / 60.0;
    for (int i = 0; i < count; i++) {
        main[i] = at;
        if (left <= 0) {
            left = mry_random_between(&seed, 1.5, 5);
            bool stands = mry_random_between(&seed, 0, 1) < 0.3;
            wanted_speed = stands ? 0 : mry_random_between(&seed, 40, 170);
            wanted_turn = mry_random_between(&seed, -1.2, 1.2);
        }
        left -= dt;
        speed += (wanted_speed - speed) * dt / 0.3;
        turn += (wanted_turn - turn) * dt / 0.3;
        at.direction_rad = mry_wrap(at.direction_rad + turn * dt);
        at.x_cm += speed * cos(at.direction_rad) * dt;
        at.y_cm += speed * sin(at.direction_rad) * dt;
    }
}

marey_entity puppet_bench_between(const marey_entity *a, const marey_entity *b, double share)
{
    const double half = acos(-1);
    double turn = b->direction_rad - a->direction_rad;
    while (turn > half) turn -= 2 * half;
    while (turn < -half) turn += 2 * half;
    return (marey_entity){ (1 - share) * a->x_cm + share * b->x_cm,
                           (1 - share) * a->y_cm + share * b->y_cm,
                           a->direction_rad + share * turn };
}

double puppet_bench_apart(const marey_entity *a, const marey_entity *b)
{
    return hypot(a->x_cm - b->x_cm, a->y_cm - b->y_cm);
}
