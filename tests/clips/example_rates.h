/* example_rates.h - the same query at half and at double the rate: how much of what is found stays
   (clusters, 3.1: "if the query signal is sampled at half or double the rate, the method returns
   similar matches"). Test and benchmark share it.

   A query is a stretch of a clip, from one turn to another or between any two frames, of 4 to 13
   fragments or 2 to 10 seconds. At half the rate it is every second value, at double the rate the
   means of neighbours come between. A part stays if what stands for the same moment of the query
   afterwards is of the same clip and covers more than half of the shorter of both. */
#ifndef MAREY_TEST_EXAMPLE_RATES_H
#define MAREY_TEST_EXAMPLE_RATES_H

#include <marey/marey.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rates_tally {
    int queries;
    int clips;                  /* whose best clip stays */
    int parts, stayed, exactly; /* exactly: from the same turn to the same turn */
} rates_tally;

typedef struct rates {
    marey_ctx *ctx;
    marey_clip *const *clips;
    int count;
    const marey_dof *dofs;
    int dof_count;
    const marey_examples *in;
    bool any_ends; /* between any two frames */
    uint64_t seed;
    rates_tally half, twice;
} rates;

static inline double rates_share(rates *r)
{
    r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(r->seed >> 33) / 2147483648.0;
}

/* NULL: there is nothing to ask for. */
static inline marey_example_found *rates_ask(const rates *r, const double *values, int samples,
                                             double fps)
{
    marey_example_found *found = NULL;
    marey_example_query query = { samples, fps, values };
    return marey_examples_find(r->ctx, r->in, &query, NULL, &found, NULL) == MAREY_OK ? found
                                                                                      : NULL;
}

static inline bool rates_covers(const marey_fragment *a, const marey_fragment *b)
{
    double from = fmax(a->start, b->start), to = fmin(a->end, b->end);
    return to - from > 0.5 * fmin(a->end - a->start, b->end - b->start);
}

/* scale: samples of b for one of a. */
static inline void rates_compare(const marey_example_found *a, const marey_example_found *b,
                                 double scale, rates_tally *tally)
{
    int a_count, b_count, paths;
    const marey_fragment *a_cut = marey_example_fragments(a, &a_count);
    const marey_example_path *a_path = marey_example_paths(a, &paths);
    tally->queries++;
    tally->parts += a_count;
    if (!b) return;
    const marey_fragment *b_cut = marey_example_fragments(b, &b_count);
    const marey_example_path *b_path = marey_example_paths(b, &paths);
    tally->clips += marey_example_clips(a, &paths)->clip == marey_example_clips(b, &paths)->clip;
    for (int i = 0, j = 0; i < a_count; i++) {
        double middle = scale * 0.5 * (a_cut[i].start + a_cut[i].end);
        while (j + 1 < b_count && b_cut[j].end < middle) j++;
        const marey_example_part *x = &a_path->parts[i], *y = &b_path->parts[j];
        tally->stayed += x->clip == y->clip && rates_covers(&x->at, &y->at);
        tally->exactly += x->clip == y->clip && x->fragment == y->fragment && x->next == y->next;
    }
}

/* `values` are rows of `frames`; takes [start, start + samples) at `step` values for two. */
static inline double *rates_rows(const rates *r, const double *values, int frames, int start,
                                 int samples, int step)
{
    double *rows = malloc(sizeof *rows * (size_t)samples * (size_t)r->dof_count);
    for (int d = 0; d < r->dof_count; d++) {
        const double *from = values + (size_t)d * (size_t)frames + start;
        for (int i = 0; i < samples; i++) {
            int twice = i * step;
            rows[d * samples + i] =
                twice % 2 ? 0.5 * (from[twice / 2] + from[twice / 2 + 1]) : from[twice / 2];
        }
    }
    return rows;
}

static inline bool rates_try(rates *r, const double *values, int frames, int start, int samples,
                             double fps)
{
    int count = 0, counts[3] = { samples, (samples + 1) / 2, 2 * samples - 1 };
    static const int steps[3] = { 2, 4, 1 };
    static const double scales[3] = { 1, 0.5, 2 };
    marey_example_found *found[3];
    for (int i = 0; i < 3; i++) {
        double *rows = rates_rows(r, values, frames, start, counts[i], steps[i]);
        found[i] = rates_ask(r, rows, counts[i], fps * scales[i]);
        free(rows);
    }
    if (found[0]) marey_example_fragments(found[0], &count);
    if (count > 1) {
        rates_compare(found[0], found[1], 0.5, &r->half);
        rates_compare(found[0], found[2], 2, &r->twice);
    }
    for (int i = 0; i < 3; i++) marey_example_found_free(found[i]);
    return count > 1;
}

/* Where a query of this clip lies; false: the clip has none. The first frame is left out, it may be
   a T-pose. */
static inline bool rates_choose(rates *r, const double *values, int frames, double fps, int *start,
                                int *samples)
{
    double seconds = 2 + 8 * rates_share(r), place = rates_share(r);
    int want = 4 + (int)(10 * rates_share(r)), count;
    if (r->any_ends) {
        *samples = (int)(seconds * fps) < frames - 2 ? (int)(seconds * fps) : frames - 2;
        *start = 1 + (int)(place * (frames - 1 - *samples));
        return *samples >= 4;
    }
    double *rows = rates_rows(r, values, frames, 1, frames - 1, 2);
    marey_example_found *whole = rates_ask(r, rows, frames - 1, fps);
    free(rows);
    if (!whole) return false;
    const marey_fragment *cut = marey_example_fragments(whole, &count);
    if (count >= want) {
        int first = (int)(place * (count - want + 1));
        *start = 1 + (int)(cut[first].start + 0.5);
        *samples = 2 + (int)(cut[first + want - 1].end + 0.5) - *start;
    }
    marey_example_found_free(whole);
    return count >= want;
}

static inline void rates_measure(rates *r, int queries)
{
    while (r->half.queries < queries) {
        const marey_clip *clip = r->clips[(int)(rates_share(r) * r->count)];
        int frames = marey_clip_frames(clip), start = 0, samples = 0;
        double fps = marey_clip_fps(clip);
        double *values = malloc(sizeof *values * (size_t)frames * (size_t)r->dof_count);
        for (int d = 0; d < r->dof_count; d++) {
            if (marey_clip_signal(clip, &r->dofs[d], values + (size_t)d * (size_t)frames, NULL))
                abort();
        }
        if (rates_choose(r, values, frames, fps, &start, &samples))
            rates_try(r, values, frames, start, samples, fps);
        free(values);
    }
}

#endif
