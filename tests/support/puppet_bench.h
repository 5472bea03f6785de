/* puppet_bench.h - what tests of puppets share: demonstrations, main characters on their way, a
   memory that can refuse. */
#ifndef MAREY_PUPPET_BENCH_H
#define MAREY_PUPPET_BENCH_H

#include "puppet/puppet_data.h"
#include "support.h"

typedef struct puppet_bench {
    test_memory memory;
    marey_ctx *ctx;
} puppet_bench;

puppet_bench *puppet_bench_open(void);
void puppet_bench_close(puppet_bench *bench); /* nothing may be left */
OWNED_POINTER(puppet_bench, puppet_bench_close)

/* A case with such a bench of its own, called bench. */
#define TEST_BENCH(name)                                                                           \
    TEST_OF_IN(puppet_bench_set_up, puppet_bench_tear_down, puppet_bench *bench, name)
int puppet_bench_set_up(void **state);
int puppet_bench_tear_down(void **state);

/* An allocator that cancels its context with the call of a number. */
typedef struct puppet_canceller {
    test_memory memory;
    marey_ctx *ctx; /* NULL: nothing is cancelled */
    long at;
} puppet_canceller;

marey_ctx *puppet_canceller_open(puppet_canceller *canceller); /* its context; does not set ctx */

/* A ready demonstration; free() it. */
marey_puppet_sample *puppet_bench_ready(int index, int *count);
marey_puppet *puppet_bench_train(puppet_bench *bench, const marey_demonstration *all, int count,
                                 const marey_puppet_def *def);
/* At most so many samples of it; 0: all. */
marey_puppet *puppet_bench_train_ready(puppet_bench *bench, int index, int most);
marey_reactor *puppet_bench_react(puppet_bench *bench, const marey_puppet *puppet,
                                  const marey_entity *main, const marey_reactor_def *def);

/* A path that wanders: walks, stands and turns in turns, differently for each seed. At 60 Hz. */
void puppet_bench_wander(uint64_t seed, marey_entity *main, int count);

/* A judge's: straight from one to the other, directions the shorter way. */
marey_entity puppet_bench_between(const marey_entity *a, const marey_entity *b, double share);

/* On the plan, cm. */
double puppet_bench_apart(const marey_entity *a, const marey_entity *b);

#endif
