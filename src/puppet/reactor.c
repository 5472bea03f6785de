/* reactor.c - a character that reacts, step after step: which moment of the demonstrations is like
   now, and what it does that follows it.

   Moments are found (slides, "BestMatch") in situation, against all of them; in coherence, against
   what goes on from the regions used lately. The window that ends with sample j now is the one that
   ended with j - 1 a step ago, one farther: the sums run along the diagonals of steps and samples.
   They lie so that a diagonal stays in its place.

   The one that is followed is found by situation or by coherence, whichever is better once
   coherence is weighted; the weight is adjusted so that each leads its share of the steps (slides,
   "Similarity Balancing").

   What it does then is in reactor_move.c. */
#include "base/fail.h"
#include "puppet/body_data.h"

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

/* A sample that has one behind it, and how far its window is from the last steps, as a mean of
   squares. */
typedef struct match {
    int sample; /* -1: there is none */
    double distance;
} match;

/* ---- running sums ---------------------------------------------------------------------------- */

static inline int32_t square_of(int16_t a, int16_t b)
{
    int32_t off = (int32_t)a - b;
    return off * off;
}

/* Adds the squared differences of one situation from samples [first, first + count) to sums, or
   takes them away. */
static void add_squares(const marey_puppet *puppet, const int16_t *row, int first, int count,
                        uint32_t *restrict sums, bool take_away)
{
    const int16_t *const *all = (const int16_t *const *)puppet->situation;
    const int16_t *a = all[0] + first, *b = all[1] + first, *c = all[2] + first,
                  *d = all[3] + first;
    const int16_t *e = all[4] + first, *f = all[5] + first, *g = all[6] + first,
                  *h = all[7] + first;
    const int16_t r[MRY_SITUATION] = { row[0], row[1], row[2], row[3],
                                       row[4], row[5], row[6], row[7] };
    uint32_t flip = take_away ? UINT32_MAX : 0;
    for (int j = 0; j < count; j++) {
        int32_t square = square_of(a[j], r[0]) + square_of(b[j], r[1]) + square_of(c[j], r[2]) +
                         square_of(d[j], r[3]) + square_of(e[j], r[4]) + square_of(f[j], r[5]) +
                         square_of(g[j], r[6]) + square_of(h[j], r[7]);
        sums[j] += (((uint32_t)square >> MRY_PUPPET_SHIFT) ^ flip) - flip;
    }
}

/* Where the sum of a sample lies. */
static int place_of(const marey_reactor *reactor, int sample)
{
    int count = reactor->puppet->count;
    int64_t at = (sample - reactor->step) % count;
    return (int)(at < 0 ? at + count : at);
}

/* As add_squares, where they lie. */
static void add_in_place(marey_reactor *reactor, const int16_t *row, int first, int end, int from,
                         bool take_away)
{
    const marey_puppet *puppet = reactor->puppet;
    for (int j = first; j < end;) {
        int at = place_of(reactor, j), run = end - j;
        if (run > puppet->count - at) run = puppet->count - at;
        add_squares(puppet, row, j - from, run, reactor->sums + at, take_away);
        j += run;
    }
}

void mry_reactor_sum(marey_reactor *reactor)
{
    int count = reactor->puppet->count, window = reactor->puppet->window;
    for (int j = 0; j < count; j++) reactor->sums[j] = 0;
    for (int back = 0; back < window; back++) {
        int64_t step = reactor->step - back;
        const int16_t *row = reactor->situation[((step % window) + window) % window];
        add_in_place(reactor, row, back, count, back, false);
    }
}

/* ---- situation ------------------------------------------------------------------------------- */

/* What a sum is as a mean of squares. */
static double mean_of(const marey_puppet *puppet, uint32_t sum)
{
    double one = (double)MRY_PUPPET_ONE * MRY_PUPPET_ONE / (1 << MRY_PUPPET_SHIFT);
    return sum / (one * MRY_SITUATION * puppet->window);
}

/* Of all samples that can be entered at, the one in the most similar situation, the first of equal
   ones. */
static match best_situation(const marey_reactor *reactor)
{
    const marey_puppet *puppet = reactor->puppet;
    uint32_t least = UINT32_MAX;
    int sample = -1;
    for (int r = 0; r < puppet->run_count; r++) {
        /* A run can be entered from its first sample on, at least there. Not in its last window: a
           start there would soon be followed by another, perhaps for ever. */
        const mry_run *run = &puppet->runs[r];
        int half = (run->count - 1) / 2, last = puppet->window < half ? puppet->window : half;
        int j = run->first, end = j + run->count - 1 - last;
        while (j < end) { /* pieces as their sums lie */
            int at = place_of(reactor, j), piece = end - j;
            if (piece > puppet->count - at) piece = puppet->count - at;
            const uint32_t *sums = reactor->sums + at;
            uint32_t found = UINT32_MAX;
            for (int i = 0; i < piece; i++) {
                if (sums[i] < found) found = sums[i];
            }
            if (found < least) {
                int i = 0;
                while (sums[i] != found) i++;
                least = found;
                sample = j + i;
            }
            j += piece;
        }
    }
    return (match){ sample, mean_of(puppet, least) };
}

/* ---- coherence ------------------------------------------------------------------------------- */

static int run_of(const marey_puppet *puppet, int sample)
{
    int low = 0, high = puppet->run_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (puppet->runs[middle].first <= sample)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool mry_puppet_has_next(const marey_puppet *puppet, int sample)
{
    const mry_run *run = &puppet->runs[run_of(puppet, sample)];
    return sample >= run->first && sample < run->first + run->count - 1;
}

/* What was followed `back` steps ago goes on with the sample so many behind it. */
static match best_coherence(const marey_reactor *reactor)
{
    const marey_puppet *puppet = reactor->puppet;
    match best = { -1, INFINITY };
    int last = -1;
    for (int back = 0; back < puppet->window; back++) {
        int64_t step = reactor->step - back;
        int source = reactor->source[((step % puppet->window) + puppet->window) % puppet->window];
        if (source < 0) continue;
        int sample = source + back;
        if (sample == last || sample >= puppet->count) continue;
        last = sample;
        if (run_of(puppet, sample) != run_of(puppet, source) ||
            !mry_puppet_has_next(puppet, sample))
            continue;
        /* Over the window that ends with the sample, unless that is worse already. */
        double sum = 0;
        for (int b = 0; b < puppet->window && sum < best.distance; b++) {
            int64_t then = reactor->step - b;
            int row = (int)(((then % puppet->window) + puppet->window) % puppet->window);
            const float *now = reactor->coherence[row];
            const float *shown = puppet->coherence + (size_t)(sample - b) * MRY_COHERENCE;
            for (int i = 0; i < MRY_COHERENCE; i++) {
                double off = (double)now[i] - (double)shown[i];
                sum += off * off;
            }
        }
        if (sum < best.distance) best = (match){ sample, sum };
    }
    best.distance /= (double)puppet->window * MRY_COHERENCE;
    return best;
}

marey_entity mry_reactor_relation(const marey_puppet *puppet, int sample, const marey_entity *main)
{
    const marey_entity *then = &puppet->main[sample].at, *with = &puppet->react[sample].at;
    marey_entity seen = { .direction_rad = with->direction_rad - then->direction_rad };
    mry_entity_see(then, with, &seen.x_cm, &seen.y_cm);
    return mry_entity_beside(main, &seen);
}

/* ---- opening --------------------------------------------------------------------------------- */

marey_status marey_reactor_open(marey_ctx *ctx, const marey_puppet *puppet,
                                const marey_entity *main, const marey_reactor_def *def,
                                marey_reactor **out, marey_error *error)
{
    marey_reactor_def settled = def ? *def : (marey_reactor_def){ 0 };
    if (!mry_entity_can_be(main) || (settled.start_given && !mry_entity_can_be(&settled.start)))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "positions must be finite and within 1e6 cm");
    if (!(settled.balance >= 0 && settled.balance <= 1))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "balance must be 0 to 1, got %g",
                        settled.balance);
    if (!(settled.weight >= 0 && settled.weight <= MOST_WEIGHT))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "weight must be 0 to %g, got %g",
                        MOST_WEIGHT, settled.weight);
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
    r->start = settled.start;
    if (!settled.start_given) {
        /* As the first demonstration starts; not beyond the edge of the world. */
        r->start = mry_reactor_relation(puppet, puppet->runs[0].first, main);
        r->start.x_cm = fmin(fmax(r->start.x_cm, -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
        r->start.y_cm = fmin(fmax(r->start.y_cm, -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    }
    r->weight = settled.weight > 0 ? settled.weight : 1;
    r->balance = settled.balance;
    r->fades = exp(-1 / (FADES_S * puppet->def.rate));
    /* Both have stood there for as long as one looks back. */
    r->main = mry_mover_still(*main);
    r->react = mry_mover_still(r->start);
    for (int i = 0; i < puppet->window; i++) {
        mry_puppet_situation(puppet, &r->main, &r->react, r->situation[i]);
        mry_puppet_coherence(puppet, &r->main, &r->react, r->coherence[i]);
        r->source[i] = -1;
    }
    mry_reactor_sum(r);
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

/* ---- a step ---------------------------------------------------------------------------------- */

void marey_puppet_step(marey_reactor *reactor, const marey_entity *main, marey_puppet_frame *out)
{
    const marey_puppet *puppet = reactor->puppet;
    match situation = best_situation(reactor), coherence = best_coherence(reactor);
    /* Going on is what the situation wants: it is about that moment, or fits about as well as the
       best one does. A character that stands, which is everywhere alike, would else be anywhere,
       and one shown by a shaking hand a sample ahead and back again. */
    bool agree = false, coherent = false;
    if (coherence.sample >= 0) {
        double fits = mean_of(puppet, reactor->sums[place_of(reactor, coherence.sample)]);
        agree = abs(situation.sample - coherence.sample) <= BESIDE ||
                fits <= SAME * situation.distance + ALIKE;
        coherent = agree || coherence.distance <= reactor->weight * situation.distance;
    }
    if (!agree) { /* else neither leads, and the balance stays */
        reactor->led[coherent ? 0 : 1]++;
        reactor->balance +=
            ((coherent ? 0 : 1) - reactor->balance) / (BALANCE_S * puppet->def.rate);
        if (reactor->def.weight == 0) {
            reactor->weight *= reactor->balance > reactor->def.balance ? ADJUST : 1 / ADJUST;
            reactor->weight = fmin(fmax(reactor->weight, 1 / MOST_WEIGHT), MOST_WEIGHT);
        }
    }
    int target = (coherent ? coherence.sample : situation.sample) + 1;
    marey_entity at = mry_entity_can_be(main) ? *main : reactor->main.at;
    reactor->main = mry_mover_step(&reactor->main, at, puppet->def.rate);
    reactor->react =
        mry_mover_step(&reactor->react, mry_reactor_move(reactor, target), puppet->def.rate);
    int row = (int)(++reactor->step % puppet->window);
    int16_t oldest[MRY_SITUATION];
    memcpy(oldest, reactor->situation[row], sizeof oldest);
    mry_puppet_situation(puppet, &reactor->main, &reactor->react, reactor->situation[row]);
    mry_puppet_coherence(puppet, &reactor->main, &reactor->react, reactor->coherence[row]);
    reactor->source[row] = target;
    /* The newest is added to all sums, the oldest taken away. */
    reactor->sums[place_of(reactor, 0)] = 0; /* a diagonal ended, and a new one begins */
    add_in_place(reactor, reactor->situation[row], 0, puppet->count, 0, false);
    add_in_place(reactor, oldest, puppet->window, puppet->count, puppet->window, true);
    int run = run_of(puppet, target);
    *out = (marey_puppet_frame){ .react = reactor->react.at,
                                 .run = run,
                                 .time_s = (target - puppet->runs[run].first) / puppet->def.rate,
                                 .coherent = coherent,
                                 .weight = reactor->weight,
                                 .balance = reactor->balance };
}

/* ---- a whole path at once -------------------------------------------------------------------- */

/* The main character is brought to the puppet's rate, and the one that reacts is brought back to
   the times of the path. A time is given in steps from the first sample on; what is as good as a
   whole number is one, so that a path at the puppet's rate is played as it is. */

#define ON_A_STEP 1e-6 /* steps */
enum { EVERY_STEPS = 0x3f };

typedef struct playing {
    double rate;
    marey_puppet_sample *samples;
    int count;
    int next; /* the sample that wants to know next where the reacting one is */
} playing;

static double steps_to(const playing *play, int row)
{
    double steps = (play->samples[row].time_s - play->samples[0].time_s) * play->rate;
    double whole = rint(steps);
    return fabs(steps - whole) < ON_A_STEP ? whole : steps;
}

/* The frames of its body up to a step. */
static void lead_body(const playing *play, marey_reactor *reactor, marey_body *body, int step,
                      const marey_entity *before, const marey_entity *now, int64_t *frames)
{
    for (;; ++*frames) {
        double at = (double)*frames * play->rate / body->fps;
        marey_controller_frame frame;
        if (at > step + ON_A_STEP) return;
        marey_entity wanted = mry_entity_between(before, now, fmin(at - (step - 1), 1));
        marey_body_lead(body, reactor, &wanted, &frame);
    }
}

/* All samples up to a step, `before` being where it was a step earlier. */
static void fill_samples(playing *play, int step, const marey_entity *before,
                         const marey_entity *now)
{
    for (; play->next < play->count; play->next++) {
        double at = steps_to(play, play->next);
        if (at > step) return;
        play->samples[play->next].react =
            at == step ? *now : mry_entity_between(before, now, at - (step - 1));
    }
}

marey_status marey_puppet_play(marey_ctx *ctx, const marey_puppet *puppet,
                               marey_puppet_sample *samples, int count,
                               const marey_reactor_def *def, marey_played *about,
                               marey_error *error)
{
    playing play = { .rate = puppet->def.rate, .samples = samples, .count = count };
    if (count < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a path must have at least 1 sample");
    for (int i = 0; i < count; i++) {
        if (!mry_entity_can_be(&samples[i].main) || !mry_time_can_be(samples[i].time_s))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "sample %d of the path: not a number, or too large", i);
        if (i > 0 && !(samples[i].time_s > samples[i - 1].time_s))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "sample %d of the path: its time, %g s, is not after %g s", i,
                            samples[i].time_s, samples[i - 1].time_s);
    }
    if ((samples[count - 1].time_s - samples[0].time_s) * play.rate > MAREY_PUPPET_MOST_SAMPLES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "a path must have at most %d steps",
                        (int)MAREY_PUPPET_MOST_SAMPLES);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    marey_reactor *reactor = NULL;
    marey_status status = marey_reactor_open(ctx, puppet, &samples[0].main, def, &reactor, error);
    if (status) return status;
    int steps = (int)ceil(steps_to(&play, count - 1));
    int main_row = 0;               /* the last sample whose time has come */
    int followed = -1, changes = 0; /* the sample of the demonstrations, by the last step */
    int64_t frames = 0;
    marey_body *body = def ? def->body : NULL;
    marey_entity before = marey_reactor_start(reactor);
    if (body) lead_body(&play, reactor, body, 0, &before, &before, &frames);
    fill_samples(&play, 0, &before, &before);
    for (int step = 1; step <= steps && !status; step++) {
        /* Where the main character is then. */
        while (main_row + 1 < play.count && steps_to(&play, main_row + 1) <= step) main_row++;
        const marey_puppet_sample *a = &play.samples[main_row];
        double from = steps_to(&play, main_row);
        marey_entity main = a->main;
        if (main_row + 1 < play.count && from != step) {
            double share = (step - from) / (steps_to(&play, main_row + 1) - from);
            main = mry_entity_between(&a->main, &a[1].main, share);
        }
        marey_puppet_frame frame;
        marey_puppet_step(reactor, &main, &frame);
        int now = reactor->source[reactor->step % puppet->window];
        if (followed >= 0 && now != followed + 1) changes++;
        followed = now;
        if (body) lead_body(&play, reactor, body, step, &before, &frame.react, &frames);
        fill_samples(&play, step, &before, &frame.react);
        before = frame.react;
        if (((step & EVERY_STEPS) == 0 || step == steps) &&
            !mry_progress(ctx, "reacting", step, steps))
            status = mry_fail_cancelled(error);
    }
    if (!status && about) {
        const int64_t *led = reactor->led;
        *about = (marey_played){
            .steps = steps,
            .balance = led[0] + led[1] > 0 ? (double)led[1] / (double)(led[0] + led[1])
                                           : reactor->def.balance,
            .changes = changes,
            .way_share = reactor->wished_cm > 0 ? reactor->gone_cm / reactor->wished_cm : 1,
            .start = marey_reactor_start(reactor)
        };
    }
    marey_reactor_free(reactor);
    return status;
}
