/* searcher_examples.c - what a user says of matches: these are meant, these are not. Which segments
   these are, and of what is like several of them what stays. Decision 24. */
#include "index/searcher_data.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

/* Overlapping by `same`, as matches that are one. */
static bool is_same(const mry_seek *seek, marey_segment a, marey_segment b)
{
    return a.clip == b.clip && mry_overlap(a, b) >= seek->same;
}

static marey_status open_example(mry_seek *seek, const marey_query *asked, bool liked,
                                 marey_error *error)
{
    mry_seek one = { .searcher = seek->searcher,
                     .def = seek->def,
                     .allowed = seek->allowed,
                     .fps = seek->fps,
                     .spans = seek->spans,
                     .first_span = seek->first_span };
    if (asked->outside)
        return mry_fail(error, MAREY_ERR_REQUEST, marey_clip_name(asked->outside),
                        "a motion that is liked or not must be in the library");
    marey_status status = mry_seek_open(&one, asked, error);
    marey_clip_free(one.loaded);
    if (status) return status;
    bool known = is_same(seek, one.query, seek->query);
    const char *also = !liked && known ? "are the query and unliked" : NULL;
    int number = liked ? 1 : -1;
    for (int e = 0; e < seek->example_count; e++) {
        const mry_example *other = &seek->examples[e];
        number += liked && other->number > 0;
        if (!is_same(seek, one.query, other->at)) continue;
        if (liked == (other->number > 0))
            known = true;
        else
            also = "are both liked and unliked";
    }
    if (also)
        return mry_fail(error, MAREY_ERR_REQUEST, one.name, "frames %d-%d %s", one.start, one.end,
                        also);
    if (!known)
        seek->examples[seek->example_count++] = (mry_example){ .at = one.query, .number = number };
    return MAREY_OK;
}

marey_status mry_examples_open(mry_seek *seek, marey_error *error)
{
    const marey_find_def *def = seek->def;
    marey_status status = MAREY_OK;
    if (def->like_count + def->unlike_count == 0) return MAREY_OK;
    seek->examples = MRY_NEW(&seek->mem, mry_example, def->like_count + def->unlike_count);
    if (!seek->examples) return mry_fail_memory(error, NULL);
    for (int i = 0; i < def->like_count && !status; i++)
        status = open_example(seek, &def->like[i], true, error);
    for (int i = 0; i < def->unlike_count && !status; i++)
        status = open_example(seek, &def->unlike[i], false, error);
    return status;
}

double mry_fit_cutoff(const mry_seek *seek, double cutoff)
{
    double least = MRY_WIDEST * cutoff;
    const mry_pooled *ends = seek->ends.items;
    for (int e = 0; e < seek->example_count; e++) {
        for (int i = 0; i < seek->ends.count && seek->examples[e].number < 0; i++) {
            if (is_same(seek, ends[i].at, seek->examples[e].at)) least = fmin(least, ends[i].mean);
        }
    }
    return fmax(least, cutoff);
}

/* Clip by clip, the nearest first; of equal ones what is liked. */
static int by_place(const void *left, const void *right)
{
    const mry_pooled *a = left, *b = right;
    if (a->at.clip != b->at.clip) return a->at.clip < b->at.clip ? -1 : 1;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    if ((a->of < 0) != (b->of < 0)) return a->of < 0 ? 1 : -1;
    if (a->at.start != b->at.start) return a->at.start < b->at.start ? -1 : 1;
    if (a->at.end != b->at.end) return a->at.end < b->at.end ? -1 : 1;
    if (a->of != b->of) return a->of < b->of ? -1 : 1;
    return (int)a->mirrored - (int)b->mirrored;
}

static int by_example(const void *left, const void *right)
{
    const mry_pooled *a = left, *b = right;
    if (a->of != b->of) return a->of < b->of ? -1 : 1;
    if (a->mirrored != b->mirrored) return a->mirrored ? 1 : -1;
    return by_place(left, right);
}

static int by_mean(const void *left, const void *right)
{
    double a = ((const mry_pooled *)left)->mean, b = ((const mry_pooled *)right)->mean;
    return a != b ? (a < b ? -1 : 1) : by_place(left, right);
}

void mry_pool_ends(mry_seek *seek, marey_segment of, double cutoff, int nearest)
{
    mry_pooled *ends = seek->ends.items;
    int count = 0, kept = 0, first = 0, matches = 0;
    seek->left_out = 0;
    for (int e = 0; e < seek->example_count; e++) seek->examples[e].pushed = false;
    for (int i = 0; i < seek->ends.count; i++) {
        if (ends[i].mean <= cutoff) ends[count++] = ends[i];
    }
    if (count > 1) qsort(ends, (size_t)count, sizeof *ends, by_place);
    for (int i = 0; i < count; i++) {
        bool is_new = !is_same(seek, ends[i].at, of), liked = ends[i].of >= 0, *pushed = NULL;
        if (kept == 0 || ends[kept - 1].at.clip != ends[i].at.clip) first = kept;
        for (int e = 0; e < seek->example_count && is_new; e++) {
            is_new = !is_same(seek, ends[i].at, seek->examples[e].at);
            pushed = seek->examples[e].number < 0 ? &seek->examples[e].pushed : NULL;
        }
        for (int k = first; k < kept && is_new; k++) {
            is_new = !is_same(seek, ends[i].at, ends[k].at);
            pushed = ends[k].of < 0 ? &ends[k].pushed : NULL;
        }
        if (!is_new && liked && pushed && !*pushed) {
            *pushed = true;
            seek->left_out++;
        }
        if (is_new) ends[kept++] = ends[i];
    }
    for (int k = 0; k < kept; k++) {
        if (ends[k].of >= 0) ends[matches++] = ends[k];
    }
    if (nearest > 0 && matches > nearest) {
        qsort(ends, (size_t)matches, sizeof *ends, by_mean);
        matches = nearest;
    }
    if (matches > 1) qsort(ends, (size_t)matches, sizeof *ends, by_example);
    seek->ends.count = matches;
}
