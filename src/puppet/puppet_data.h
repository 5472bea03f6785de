/* puppet_data.h - the inside of a behaviour and of a character that reacts. Read by everything in
   puppet.

   A moment is described by two rows of numbers. The situation says how the two stand to each other:
   where the reacting one is as the main character sees it, where it looks compared with it, and how
   both move. Coherence says how the reacting one moves: where it looks compared with where it goes,
   how it turns, how fast it is, and where it is. Each number is divided by its own spread in the
   demonstrations; looks are points on a circle of radius 1.

   Situations are whole numbers. So the sum of squared differences over a window can be kept up to
   date by adding the newest and taking away the oldest for as long as one likes: it is exact, and
   never drifts. */
#ifndef MRY_PUPPET_DATA_H
#define MRY_PUPPET_DATA_H

#include "base/arena.h"
#include "base/fail.h"

#include <marey/puppet.h>

#include <math.h>

enum {
    MRY_SITUATION = 8, /* numbers of a situation */
    MRY_COHERENCE = 6,
    MRY_PUPPET_ONE = 512, /* a spread, in steps of a situation's whole numbers .. */
    /* .. which go no farther than this, so that the squares of 8 differences fit into 32 bits, ..
       */
    MRY_PUPPET_MOST = 4095,
    MRY_PUPPET_SHIFT = 6 /* .. and sums of 128 of them, cut by so many bits, too */
};

#define MRY_PUPPET_STILL 2.0  /* cm/s: slower is not going anywhere */
#define MRY_PUPPET_FAR 1e6    /* cm */
#define MRY_PUPPET_TURNED 1e4 /* rad, in tables of text */
#define MRY_PUPPET_LATE 5e9   /* s: clocks that count from 1970 are below it */

/* An entity and how it got there. */
typedef struct mry_mover {
    marey_entity at;
    double vx, vy;  /* cm/s */
    double speed;   /* cm/s */
    double heading; /* where it goes, or went when it last did */
    double turn;    /* how much heading changed with this step, radians */
} mry_mover;

/* Samples [first, first + count) of a demonstration, with `window` still ones before them. */
typedef struct mry_run {
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
    marey_entity *shown; /* the reacting one as it was shown, where `react` is steadier; or NULL */
    double *detail; /* radians: how much the heading differs from what smoothing leaves of it */
    float *by_way;  /* 0 .. 1: looks go with where it goes, not with where the main character is */
    int16_t *situation[MRY_SITUATION];
    float *coherence; /* count x MRY_COHERENCE */
    /* The reacting one hardly ever changes its velocity, cm/s2, or its look, rad/s, faster. */
    double hardest, quickest;
    double spread_place, spread_main, spread_react; /* cm, cm/s, cm/s */
    double by_look;     /* 0 .. 1: it keeps to one side of where the main character looks */
    double spread_turn; /* radians a step */
    /* While it is trained: samples that were gone through, of so many; 0: not worth telling, or
       nothing is trained. */
    int64_t passed, passes;
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
    /* Of squared differences over the window that ends with a sample: of sample j at
       (j - step) mod count. */
    uint32_t *sums;
    double way[2][2];    /* the two steps before, before smoothing; cm */
    double went[2];      /* the last one, smoothed, before detail */
    double looks[2];     /* and where it looked */
    double left_over[2]; /* of the step that was made when another moment was followed; cm */
    double look_left_over;
    double fades;              /* to so much of it with each step */
    double laid;               /* by how much the moment that is followed is turned .. */
    double look_turned;        /* .. and the main character's look since then */
    marey_entity held;         /* where its body is .. */
    double held_cm;            /* .. of which it gets no farther away; 0: it has none */
    double wish[2];            /* how it would go without, cm/s */
    double wished_cm, gone_cm; /* all the way it would have gone, and has */
    double weight, balance;
    int64_t led[2]; /* steps that coherence led, and those that the situation did */
};

/* ---- puppet_steady.c ------------------------------------------------------------------------- */

/* Takes the noise out of `react`, if there is any. false: out of memory, or cancelled. */
bool mry_puppet_steady(marey_puppet *puppet);

/* ---- puppet_features.c ----------------------------------------------------------------------- */

/* The step from `before` to `at`, which takes 1 / rate seconds. */
mry_mover mry_mover_step(const mry_mover *before, marey_entity at, double rate);

void mry_puppet_situation(const marey_puppet *puppet, const mry_mover *main, const mry_mover *react,
                          int16_t *out);
void mry_puppet_coherence(const marey_puppet *puppet, const mry_mover *main, const mry_mover *react,
                          float *out);

/* Fills everything behind `react`, which may become steadier. false: out of memory, or cancelled. */
bool mry_puppet_describe(marey_puppet *puppet);

/* The other one's place as a character at `from` sees it: ahead, and to the left. */
void mry_entity_see(const marey_entity *from, const marey_entity *other, double *ahead,
                    double *left);
/* The one that is to `from` as `relation` is to one at 0, 0 that looks along x. */
marey_entity mry_entity_beside(const marey_entity *from, const marey_entity *relation);
marey_entity mry_entity_between(const marey_entity *a, const marey_entity *b,
                                double share); /* 0: a; the shorter way round */

static inline mry_mover mry_mover_still(marey_entity at)
{
    return (mry_mover){ .at = at, .heading = at.direction_rad };
}

static inline double mry_bearing(const marey_entity *origin, const marey_entity *target)
{
    return atan2(target->y_cm - origin->y_cm, target->x_cm - origin->x_cm);
}

/* To -pi .. pi. */
static inline double mry_wrap(double angle)
{
    return remainder(angle, 2 * 3.14159265358979323846);
}

/* From the sample before it to this one: how its look changes, radians, or its velocity, cm/s. */
static inline double mry_mover_change(const mry_mover *now, bool looks)
{
    return looks ? fabs(mry_wrap(now->at.direction_rad - now[-1].at.direction_rad))
                 : hypot(now->vx - now[-1].vx, now->vy - now[-1].vy);
}

/* Finite, and not too far. */
static inline bool mry_entity_can_be(const marey_entity *at)
{
    return fabs(at->x_cm) <= MRY_PUPPET_FAR && fabs(at->y_cm) <= MRY_PUPPET_FAR &&
           fabs(at->direction_rad) <= MRY_PUPPET_FAR;
}

static inline bool mry_time_can_be(double time_s)
{
    return fabs(time_s) <= MRY_PUPPET_LATE;
}

/* ---- puppet_train.c -------------------------------------------------------------------------- */

/* An empty one with its definition checked. */
marey_status mry_puppet_make(marey_ctx *ctx, const marey_puppet_def *def, marey_puppet **out,
                             marey_error *error);
/* Room for so many samples in so many runs. false: out of memory. */
bool mry_puppet_room(marey_puppet *puppet, int runs, int count);
/* The still ones before a run, and how it moves, from where it is. false: cancelled. */
bool mry_puppet_move(marey_puppet *puppet, int run);
/* Whether to stop, asked for at every sample; this is also where progress is reported. And which of
   the two it was that stopped it. */
enum { MRY_PUPPET_EVERY = 4096 };
bool mry_puppet_report(marey_puppet *puppet); /* once in so many samples. false: cancelled */
static inline bool mry_puppet_stops(marey_puppet *puppet, int sample)
{
    return sample % MRY_PUPPET_EVERY == 0 && !mry_puppet_report(puppet);
}
static inline marey_status mry_puppet_stopped(const marey_puppet *puppet, marey_error *error)
{
    return mry_cancelled(puppet->ctx) ? mry_fail_cancelled(error) : mry_fail_memory(error, NULL);
}

/* ---- reactor.c ------------------------------------------------------------------------------- */

/* Where a character stands that is to the main character as in a sample. */
marey_entity mry_reactor_relation(const marey_puppet *puppet, int sample, const marey_entity *main);
bool mry_puppet_has_next(const marey_puppet *puppet, int sample);
/* All sums from the window as it is. */
void mry_reactor_sum(marey_reactor *reactor);

/* ---- reactor_move.c -------------------------------------------------------------------------- */

/* Where it is after the next step if that is like the one to a sample. */
marey_entity mry_reactor_move(marey_reactor *reactor, int target);

/* ---- puppet_bytes.c -------------------------------------------------------------------------- */

/* A copy of such a list. MEMORY. */
marey_status mry_puppet_sources_make(marey_ctx *ctx, const marey_puppet_source *items, int count,
                                     marey_puppet_sources **out, marey_error *error);

#endif
