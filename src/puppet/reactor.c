/* reactor.c - somebody who reacts, step after step (slides, "Similarity Balancing"): the moment that is
   followed is found by situation or by coherence, whichever is better once coherence is weighted; the weight is adjusted so
   that each leads its share of the steps. */
#include "base/fail.h"
#include "puppet/puppet_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ADJUST 1.05     /* how fast the weight changes, a step */
#define MOST_WEIGHT 1e6 /* and how far */
#define SAME 2.0 /* going on fits as well as the best moment up to so many times its distance .. */
#define ALIKE 0.005   /* .. and this on top, a mean of squares in spreads */
#define BESIDE 2      /* samples: a moment no farther from the one that goes on is that one */
#define FADES_S 0.15  /* what differs when another moment is followed */
#define BALANCE_S 1.0 /* the balance is over about so long */

/* ---- opening ------------------------------------------------------------------------------------------------ */

static marey_status check(const marey_entity *main, const marey_reactor_def *def,
                          marey_error *error)
{
    if (!mry_entity_can_be(main) || (def->start_given && !mry_entity_can_be(&def->start)))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a place that cannot be");
    if (!(def->balance >= 0 && def->balance <= 1))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a balance of %g is not between 0 and 1",
                        def->balance);
    if (!(def->weight >= 0 && def->weight <= MOST_WEIGHT))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a weight of %g cannot be", def->weight);
    return MAREY_OK;
}

/* As the first demonstration starts; not beyond the edge of the world, where nobody can be. */
static marey_entity start_beside(const marey_puppet *puppet, const marey_entity *main)
{
    marey_entity start = mry_reactor_relation(puppet, puppet->runs[0].first, main);
    start.x_cm = fmin(fmax(start.x_cm, -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    start.y_cm = fmin(fmax(start.y_cm, -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    return start;
}

/* They have stood there for as long as one looks back. */
static void fill_window(marey_reactor *r, const marey_entity *main)
{
    const marey_puppet *puppet = r->puppet;
    r->main = mry_mover_still(*main);
    r->react = mry_mover_still(r->start);
    for (int i = 0; i < puppet->window; i++) {
        mry_puppet_situation(puppet, &r->main, &r->react, r->situation[i]);
        mry_puppet_coherence(puppet, &r->main, &r->react, r->coherence[i]);
        r->source[i] = -1;
    }
    mry_reactor_sum(r);
}

marey_status marey_reactor_open(marey_ctx *ctx, const marey_puppet *puppet,
                                const marey_entity *main, const marey_reactor_def *def,
                                marey_reactor **out, marey_error *error)
{
    marey_reactor_def settled = def ? *def : (marey_reactor_def){ 0 };
    marey_status status = check(main, &settled, error);
    if (status) return status;
    if (settled.balance == 0) settled.balance = 0.5;
    mry_arena mem = mry_arena_make(ctx);
    marey_reactor *r = MRY_NEW(&mem, marey_reactor, 1);
    if (r) {
        r->situation = mry_arena_take(&mem, (size_t)puppet->window, sizeof *r->situation);
        r->coherence = mry_arena_take(&mem, (size_t)puppet->window, sizeof *r->coherence);
        r->source = MRY_NEW_RAW(&mem, int, puppet->window);
        r->sums = MRY_NEW_RAW(&mem, uint32_t, puppet->count);
    }
    if (!r || !r->situation || !r->coherence || !r->source || !r->sums) {
        mry_arena_free(&mem);
        return mry_fail_memory(error, NULL);
    }
    r->mem = mem;
    r->puppet = puppet;
    r->def = settled;
    r->start = settled.start_given ? settled.start : start_beside(puppet, main);
    r->weight = settled.weight > 0 ? settled.weight : 1;
    r->balance = settled.balance;
    r->fades = exp(-1 / (FADES_S * puppet->def.rate));
    fill_window(r, main);
    *out = r;
    return MAREY_OK;
}

void marey_reactor_free(marey_reactor *reactor)
{
    if (!reactor) return;
    mry_arena mem = reactor->mem;
    mry_arena_free(&mem);
}

marey_entity marey_reactor_start(const marey_reactor *reactor)
{
    return reactor->start;
}

/* ---- which moment is followed ----------------------------------------------------------------------------------- */

/* Going on is what the situation wants: it is about that moment, or fits about as well as the best one does. Somebody who
   stands, which is everywhere alike, would else be anywhere, and somebody who was shown by a shaking hand a sample ahead and
   back again. */
static bool agree_on(const marey_reactor *r, mry_match situation, mry_match coherence)
{
    if (coherence.sample < 0) return false;
    return abs(situation.sample - coherence.sample) <= BESIDE ||
           mry_reactor_situation_of(r, coherence.sample) <= SAME * situation.distance + ALIKE;
}

/* Where both agree nobody leads, and the balance stays. */
static int choose(marey_reactor *r, bool *coherent)
{
    mry_match situation = mry_reactor_situation(r), coherence = mry_reactor_coherence(r);
    bool agree = agree_on(r, situation, coherence);
    *coherent =
        coherence.sample >= 0 && (agree || coherence.distance <= r->weight * situation.distance);
    if (agree) return coherence.sample;
    r->led[*coherent ? 0 : 1]++;
    r->balance += ((*coherent ? 0 : 1) - r->balance) / (BALANCE_S * r->puppet->def.rate);
    if (r->def.weight == 0) {
        r->weight *= r->balance > r->def.balance ? ADJUST : 1 / ADJUST;
        r->weight = fmin(fmax(r->weight, 1 / MOST_WEIGHT), MOST_WEIGHT);
    }
    return *coherent ? coherence.sample : situation.sample;
}

/* ---- a step -------------------------------------------------------------------------------------------------------- */

static void remember(marey_reactor *r, int target)
{
    int row = (int)(++r->step % r->puppet->window);
    int16_t oldest[MRY_SITUATION];
    memcpy(oldest, r->situation[row], sizeof oldest);
    mry_puppet_situation(r->puppet, &r->main, &r->react, r->situation[row]);
    mry_puppet_coherence(r->puppet, &r->main, &r->react, r->coherence[row]);
    r->source[row] = target;
    mry_reactor_slide(r, oldest);
}

void marey_puppet_step(marey_reactor *reactor, const marey_entity *main, marey_puppet_frame *out)
{
    const marey_puppet *puppet = reactor->puppet;
    bool coherent;
    int target = choose(reactor, &coherent) + 1;
    marey_entity at = mry_entity_can_be(main) ? *main : reactor->main.at;
    reactor->main = mry_mover_step(&reactor->main, at, puppet->def.rate);
    reactor->react =
        mry_mover_step(&reactor->react, mry_reactor_move(reactor, target), puppet->def.rate);
    remember(reactor, target);
    int run = mry_puppet_run_of(puppet, target);
    *out = (marey_puppet_frame){ .react = reactor->react.at,
                                 .run = run,
                                 .time_s = (target - puppet->runs[run].first) / puppet->def.rate,
                                 .coherent = coherent,
                                 .weight = reactor->weight,
                                 .balance = reactor->balance };
}
