/* puppet_data.h - the inside of a behaviour and of somebody who reacts. Read by everything in puppet.

   A moment is described by two rows of numbers. The situation says how the two stand to each other: where the reacting one is
   as the main character sees it, where it looks compared with it, and how both move. Coherence says how the reacting one
   moves: where it looks compared with where it goes, how it turns, how fast it is, and where it is. Each number is divided by its own
   spread in the demonstrations.

   Situations are whole numbers. So the sum of squared differences over a window can be kept up to date by adding the newest
   and taking away the oldest for as long as one likes: it is exact, and never drifts. */
#ifndef MRY_PUPPET_DATA_H
#define MRY_PUPPET_DATA_H

#include "base/arena.h"

#include <marey/puppet.h>

enum {
    MRY_SITUATION = 8, /* numbers of a situation */
    MRY_COHERENCE = 6,
    MRY_PUPPET_ONE = 512, /* a spread, in steps of a situation's whole numbers .. */
    MRY_PUPPET_MOST =
        4095, /* .. which go no farther than this, so that the squares of 8 differences fit into 32 bits, .. */
    MRY_PUPPET_SHIFT = 6 /* .. and sums of 128 of them, cut by so many bits, too */
};

#define MRY_PUPPET_STILL 2.0 /* cm/s: slower is not going anywhere */
#define MRY_PUPPET_FAR 1e6   /* cm */

/* An entity and how it got there. */
typedef struct mry_mover {
    marey_entity at;
    double vx, vy;  /* cm/s */
    double speed;   /* cm/s */
    double heading; /* where it goes, or went when it last did */
    double turn;    /* how much heading changed with this step, radians */
} mry_mover;

typedef struct
    mry_run { /* samples [first, first + count) of a demonstration, with `window` still ones before them */
    int first, count;
} mry_run;

struct marey_puppet {
    mry_arena mem; /* everything lives here, and so does the puppet itself */
    marey_ctx *ctx;
    marey_puppet_def def;
    int window; /* steps */
    int run_count;
    mry_run *runs;
    int count; /* samples, still ones included */
    int samples;
    mry_mover *main, *react;
    double *detail; /* radians: how much the heading differs from what smoothing leaves of it */
    int16_t *situation[MRY_SITUATION];
    float *coherence;                               /* count x MRY_COHERENCE */
    double spread_place, spread_main, spread_react; /* cm, cm/s, cm/s */
};

struct marey_reactor {
    mry_arena mem;
    const marey_puppet *puppet;
    marey_reactor_def def;
    marey_entity start;
    mry_mover main, react;
    int64_t step; /* that was taken last; 0 before the first */
    /* of the last `window` steps, the newest at step % window */
    int16_t (*situation)[MRY_SITUATION];
    float (*coherence)[MRY_COHERENCE];
    int *source; /* the sample that was followed */
    uint32_t *
        sums; /* of squared differences over the window that ends with a sample: of sample j at (j - step) mod count */
    double way[2][2]; /* the two steps before, before smoothing; cm */
    double looks[2];  /* and where it looked */
    double weight, balance;
};

/* ---- puppet_features.c ----------------------------------------------------------------------------------- */

/* The step from `before` to `at`, which takes 1 / rate seconds. */
mry_mover mry_mover_step(const mry_mover *before, marey_entity at, double rate);
mry_mover mry_mover_still(marey_entity at);

void mry_puppet_situation(const marey_puppet *puppet, const mry_mover *main, const mry_mover *react,
                          int16_t *out);
void mry_puppet_coherence(const marey_puppet *puppet, const mry_mover *main, const mry_mover *react,
                          float *out);

/* Fills everything behind `react`. false: out of memory. */
bool mry_puppet_describe(marey_puppet *puppet);

/* The other one's place as somebody at `from` sees it: ahead, and to the left. */
void mry_entity_see(const marey_entity *from, const marey_entity *other, double *ahead,
                    double *left);
double mry_wrap(double angle);                  /* to -pi .. pi */
bool mry_entity_can_be(const marey_entity *at); /* finite, and not too far */

/* ---- puppet_train.c ----------------------------------------------------------------------------------------- */

/* An empty one with its definition checked. */
marey_status mry_puppet_make(marey_ctx *ctx, const marey_puppet_def *def, marey_puppet **out,
                             marey_error *error);
/* Room for so many samples in so many runs. false: out of memory. */
bool mry_puppet_room(marey_puppet *puppet, int runs, int count);
/* The still ones before a run, and how it moves, from where it is. */
void mry_puppet_move(marey_puppet *puppet, int run);

/* ---- puppet_match.c ------------------------------------------------------------------------------------------- */

/* All sums from the window as it is; and for the newest step, once it is in the window and `oldest` is what it replaced. */
void mry_reactor_sum(marey_reactor *reactor);
void mry_reactor_slide(marey_reactor *reactor, const int16_t *oldest);

/* A sample that has one behind it, and how far its window is from the last steps, as a mean of squares. */
typedef struct mry_match {
    int sample; /* -1: there is none */
    double distance;
} mry_match;

/* Of all samples the one in the most similar situation, the first of equal ones. */
mry_match mry_reactor_situation(const marey_reactor *reactor);
double mry_reactor_situation_of(const marey_reactor *reactor, int sample);
/* Of those that go on from what was followed lately the one that moves most alike. */
mry_match mry_reactor_coherence(const marey_reactor *reactor);

bool mry_puppet_goes_on(const marey_puppet *puppet, int sample); /* there is one behind it */
int mry_puppet_run_of(const marey_puppet *puppet, int sample);

#endif
