/* puppet_match.c - which moment of the demonstrations is like now (slides, "BestMatch"): in situation, against all of them; in
   coherence, against what goes on from the regions used lately.

   The window that ends with sample j now is the one that ended with j - 1 a step ago, one farther: the sums run along the
   diagonals of steps and samples. They lie so that a diagonal stays in its place. */
#include "puppet/puppet_data.h"

#include <math.h>

/* ---- running sums --------------------------------------------------------------------------------------- */

static inline int32_t square_of(int16_t a, int16_t b)
{
    int32_t off = (int32_t)a - b;
    return off * off;
}

/* Adds the squared differences of one situation from samples [first, first + count) to sums, or takes them away. */
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

void mry_reactor_slide(marey_reactor *reactor, const int16_t *oldest)
{
    int count = reactor->puppet->count, window = reactor->puppet->window;
    const int16_t *newest = reactor->situation[reactor->step % window];
    reactor->sums[place_of(reactor, 0)] = 0; /* a diagonal ended, and a new one begins */
    add_in_place(reactor, newest, 0, count, 0, false);
    add_in_place(reactor, oldest, window, count, window, true);
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

/* ---- situation -------------------------------------------------------------------------------------------- */

static uint32_t least_of(const uint32_t *sums, int count)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < count; i++) {
        if (sums[i] < least) least = sums[i];
    }
    return least;
}

/* The least sum of samples [first, end), where they lie, and the first sample that has it if it is below `least`. */
static void look_at(const marey_reactor *reactor, int first, int end, uint32_t *least, int *sample)
{
    for (int j = first; j < end;) {
        int at = place_of(reactor, j), run = end - j;
        if (run > reactor->puppet->count - at) run = reactor->puppet->count - at;
        const uint32_t *sums = reactor->sums + at;
        uint32_t found = least_of(sums, run);
        if (found < *least) {
            int i = 0;
            while (sums[i] != found) i++;
            *least = found;
            *sample = j + i;
        }
        j += run;
    }
}

/* What a sum is as a mean of squares. */
static double mean_of(const marey_puppet *puppet, uint32_t sum)
{
    double one = (double)MRY_PUPPET_ONE * MRY_PUPPET_ONE / (1 << MRY_PUPPET_SHIFT);
    return sum / (one * MRY_SITUATION * puppet->window);
}

double mry_reactor_situation_of(const marey_reactor *reactor, int sample)
{
    return mean_of(reactor->puppet, reactor->sums[place_of(reactor, sample)]);
}

/* Not in a run's last window: whoever starts there has soon to start again, and may be there for ever. */
int mry_run_entries(const marey_puppet *puppet, const mry_run *run)
{
    int half = (run->count - 1) / 2, last = puppet->window < half ? puppet->window : half;
    return run->count - 1 - last;
}

mry_match mry_reactor_situation(const marey_reactor *reactor)
{
    const marey_puppet *puppet = reactor->puppet;
    uint32_t least = UINT32_MAX;
    int sample = -1;
    for (int r = 0; r < puppet->run_count; r++) {
        const mry_run *run = &puppet->runs[r];
        look_at(reactor, run->first, run->first + mry_run_entries(puppet, run), &least, &sample);
    }
    return (mry_match){ sample, mean_of(puppet, least) };
}

/* ---- coherence ---------------------------------------------------------------------------------------------- */

int mry_puppet_run_of(const marey_puppet *puppet, int sample)
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

bool mry_puppet_goes_on(const marey_puppet *puppet, int sample)
{
    const mry_run *run = &puppet->runs[mry_puppet_run_of(puppet, sample)];
    return sample >= run->first && sample < run->first + run->count - 1;
}

/* Over the window that ends with a sample; gives up past `most`. */
static double movement_off(const marey_reactor *reactor, int sample, double most)
{
    const marey_puppet *puppet = reactor->puppet;
    double sum = 0;
    for (int back = 0; back < puppet->window && sum < most; back++) {
        int64_t step = reactor->step - back;
        int row = (int)(((step % puppet->window) + puppet->window) % puppet->window);
        const float *now = reactor->coherence[row];
        const float *then = puppet->coherence + (size_t)(sample - back) * MRY_COHERENCE;
        for (int i = 0; i < MRY_COHERENCE; i++) {
            double off = (double)now[i] - (double)then[i];
            sum += off * off;
        }
    }
    return sum;
}

/* What was followed `back` steps ago goes on with the sample so many behind it. */
mry_match mry_reactor_coherence(const marey_reactor *reactor)
{
    const marey_puppet *puppet = reactor->puppet;
    mry_match best = { -1, INFINITY };
    int last = -1;
    for (int back = 0; back < puppet->window; back++) {
        int64_t step = reactor->step - back;
        int source = reactor->source[((step % puppet->window) + puppet->window) % puppet->window];
        if (source < 0) continue;
        int sample = source + back;
        if (sample == last || sample >= puppet->count) continue;
        last = sample;
        if (mry_puppet_run_of(puppet, sample) != mry_puppet_run_of(puppet, source) ||
            !mry_puppet_goes_on(puppet, sample))
            continue;
        double sum = movement_off(reactor, sample, best.distance);
        if (sum < best.distance) best = (mry_match){ sample, sum };
    }
    best.distance /= (double)puppet->window * MRY_COHERENCE;
    return best;
}
