/* cut_search.h - pairs of frames at which one clip can go over into another. Read by cut_search,
   seam and loop. */
#ifndef MRY_CUT_SEARCH_H
#define MRY_CUT_SEARCH_H

#include <marey/blend.h>

typedef struct mry_cut_search {
    const marey_clip *clips[2]; /* may be the same */
    const marey_metric_def *metric;
    double below; /* 0: all */
    int half;     /* frames of the first clip; in the second as many as last equally long */
    /* Whether frames of the two clips may be a pair. */
    bool (*fits)(const void *user, int a, int b);
    const void *user;
    bool near_given[2];
    int near[2];
    double within_s;
    /* Of each clip, a byte a frame: where it may be cut; NULL: anywhere. */
    const uint8_t *allowed[2];
} mry_cut_search;

/* The best ones, best first, at most `most`. *found: how many there are of them. */
marey_status mry_cut_search_run(marey_ctx *ctx, const mry_cut_search *search, int most,
                                marey_cut *cuts, int *found, marey_error *error);

/* `half` as a definition gives it: 0 is a quarter of a second. REQUEST: negative. */
marey_status mry_cut_half(const marey_clip *clip, int given, int *half, marey_error *error);

#endif
