/* example_find.c - asks for a movement (clusters, 3.1): the query is cut and measured like the
   clips, each of its fragments finds its candidates, and the best ways through them are looked for,
   over all clips and within each. */
#include "match/example_data.h"

#include "base/fail.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct marey_example_found {
    mry_arena mem; /* all lives here, and so does this */
    marey_fragment *fragments;
    int fragment_count;
    marey_example_path *paths;
    int path_count;
    marey_example_clip *clips;
    int clip_count;
};

/* ---- candidates ------------------------------------------------------------------------------ */

/* Which fragments are most like those asked for (clusters, 3.1.1: "for each i, we find the K
   minimum values of err_ij"): all fragments of a clip against all of the query, each of the clip
   read once. Sums run in MRY_SAMPLES lanes of floats and are added up in a fixed order, so every
   compiler may make them wide and all get the same.

   Invariant: a row of candidates is sorted by error, equal errors in the order of clips and of
   time. */

/* The squared difference of the means: whole turns do not count. */
static float means_apart(const marey_examples *examples, const mry_asked *goals, const float *a,
                         const float *b)
{
    float sum = 0;
    for (int d = 0; d < goals->dof_count; d++) {
        float apart = fabsf(a[d] - b[goals->dofs[d]]);
        float round = examples->turns[goals->dofs[d]] - apart;
        if (round < apart) apart = round;
        sum += apart * apart;
    }
    return sum * MRY_SAMPLES;
}

static float shapes_apart(const mry_asked *goals, const float *restrict a, const float *restrict b)
{
    float lanes[MRY_SAMPLES] = { 0 };
    for (int d = 0; d < goals->dof_count; d++) {
        const float *x = a + MRY_SAMPLES * d, *y = b + MRY_SAMPLES * goals->dofs[d];
        for (int s = 0; s < MRY_SAMPLES; s++) lanes[s] += (x[s] - y[s]) * (x[s] - y[s]);
    }
    for (int half = MRY_SAMPLES / 2; half > 0; half /= 2) {
        for (int s = 0; s < half; s++) lanes[s] += lanes[s + half];
    }
    return lanes[0];
}

static void insert(mry_candidate *row, int held, int k, mry_candidate one)
{
    int at = held < k ? held : k - 1;
    for (; at > 0 && one.squared < row[at - 1].squared; at--) row[at] = row[at - 1];
    row[at] = one;
}

/* The k best of one clip for every fragment asked, best first, equal ones in the order of the clip;
   row i of `out`, k wide, has as many as are returned. */
static int scan_clip(const marey_examples *examples, int clip, const mry_asked *goals, int k,
                     mry_candidate *out)
{
    const mry_fragments *in = &examples->clips[clip], *of = &goals->fragments;
    int stride = examples->dof_count, held = in->count < k ? in->count : k;
    for (int j = 0; j < in->count; j++) {
        const float *means = in->means + (size_t)j * (size_t)stride;
        const float *shapes = in->shapes + (size_t)j * (size_t)stride * MRY_SAMPLES;
        int now = j < k ? j : k;
        for (int i = 0; i < of->count; i++) {
            mry_candidate *row = out + (size_t)i * (size_t)k;
            size_t at = (size_t)i * (size_t)goals->dof_count;
            float worst = now < k ? INFINITY : row[k - 1].squared;
            float squared =
                examples->shape ? 0 : means_apart(examples, goals, of->means + at, means);
            if (squared >= worst) continue; /* the rest is not less than 0 */
            squared += shapes_apart(goals, of->shapes + at * MRY_SAMPLES, shapes);
            if (squared >= worst) continue;
            insert(row, now, k, (mry_candidate){ 0, squared, clip, j, in->from[j], in->to[j] });
        }
    }
    for (int i = 0; i < of->count; i++) {
        for (int c = 0; c < held; c++) {
            mry_candidate *one = out + (size_t)i * (size_t)k + c;
            /* A root of a mean of squares in whole numbers of 2^-32. Values are at most
               MAREY_EXAMPLE_FARTHEST from 0: it fits. */
            double error = sqrt((double)one->squared / (MRY_SAMPLES * goals->dof_count));
            one->error = (uint64_t)(error * 4294967296.0 + 0.5);
        }
    }
    return held;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The best ways through the candidates of a query's fragments (clusters, 3.1.1 and 3.1.3). The
   paper tries all k^n of them and finds that "the optimization of this step is very essential".
   Both things that a way is judged by, its jumps and its error, are sums over its steps, so the
   best ways from a candidate to the end begin with a step to one of the next fragment's candidates
   and go on with one of the best ways from there: a table, filled from the last fragment to the
   first, in O(n k^2 p) for the p best (Bellman 1957; the p best as by Jimenez & Marzal 1999).

   It is exactly what trying them all gives, ties too. Errors are whole numbers, whose sums do not
   depend on their order. Ways with the same jumps and error are ordered by their candidates, the
   first fragment's first; filled from the end, that order is kept by taking, among equals, the way
   over the earlier next candidate, and of one candidate's ways the earlier one.

   Invariant: the ways of a candidate are sorted and all different. */

bool mry_path_table_make(mry_arena *mem, int fragments, int k, int best, mry_path_table *out)
{
    size_t cells = (size_t)fragments * (size_t)k;
    *out = (mry_path_table){ .fragments = fragments,
                             .k = k,
                             .best = best,
                             .ways = MRY_NEW_RAW(mem, mry_way, cells * (size_t)best),
                             .counts = MRY_NEW_RAW(mem, int, cells),
                             .first = MRY_NEW_RAW(mem, mry_way, best) };
    return out->ways && out->counts && out->first;
}

static mry_way *ways_of(const mry_path_table *table, int fragment, int candidate)
{
    size_t cell = (size_t)fragment * (size_t)table->k + (size_t)candidate;
    return table->ways + cell * (size_t)table->best;
}

/* The best ways over any candidate of a fragment, merged from the sorted ways of each; steps[c]:
   jumps on the way to c. */
static int merge(const mry_path_table *table, int fragment, int held, const int *steps,
                 mry_way *out)
{
    const int *counts = table->counts + (size_t)fragment * (size_t)table->k;
    int taken[MAREY_EXAMPLE_MOST_K] = { 0 }, found = 0;
    for (; found < table->best; found++) {
        mry_way least = { .jumps = -1 };
        for (int c = 0; c < held; c++) {
            if (taken[c] == counts[c]) continue;
            mry_way way = ways_of(table, fragment, c)[taken[c]];
            way = (mry_way){ way.error, way.jumps + steps[c], (uint8_t)c, (uint8_t)taken[c] };
            bool better =
                way.jumps != least.jumps ? way.jumps < least.jumps : way.error < least.error;
            if (least.jumps < 0 || better) least = way;
        }
        if (least.jumps < 0) break;
        taken[least.next]++;
        out[found] = least;
    }
    return found;
}

int mry_paths_find(mry_path_table *table, const mry_candidate *candidates, int held)
{
    static const int none[MAREY_EXAMPLE_MOST_K];
    for (int i = table->fragments - 1; i >= 0; i--) {
        const mry_candidate *row = candidates + (size_t)i * (size_t)table->k;
        const mry_candidate *next = row + table->k;
        int steps[MAREY_EXAMPLE_MOST_K];
        for (int c = 0; c < held; c++) {
            mry_way *ways = ways_of(table, i, c);
            int *count = &table->counts[(size_t)i * (size_t)table->k + (size_t)c];
            if (i + 1 == table->fragments) {
                ways[0] = (mry_way){ 0 };
                *count = 1;
            } else {
                for (int d = 0; d < held; d++) {
                    steps[d] = next[d].clip != row[c].clip || next[d].from != row[c].to;
                }
                *count = merge(table, i + 1, held, steps, ways);
            }
            for (int p = 0; p < *count; p++) ways[p].error += row[c].error;
        }
    }
    table->first_count = merge(table, 0, held, none, table->first);
    return table->first_count;
}

void mry_path_read(const mry_path_table *table, int p, int *candidates)
{
    mry_way way = table->first[p];
    for (int i = 0; i < table->fragments; i++) {
        candidates[i] = way.next;
        way = ways_of(table, i, way.next)[way.way];
    }
}

/* ---- what is found --------------------------------------------------------------------------- */

typedef struct finder {
    const marey_examples *examples;
    marey_example_find_def def;
    mry_asked asked;
    mry_arena mem, tmp;
    mry_candidate *best, *own; /* fragments x k: of all clips, of one */
    mry_path_table table;      /* the best one only */
    int *candidates;           /* of a path */
    marey_example_found found;
} finder;

static double as_error(uint64_t whole)
{
    return (double)whole / 4294967296.0;
}

/* False: out of memory. */
static bool copy_path(finder *f, const mry_path_table *table, const mry_candidate *from, int p,
                      marey_example_path *out)
{
    int count = f->asked.fragments.count;
    marey_example_part *parts = MRY_NEW(&f->mem, marey_example_part, count);
    if (!parts) return false;
    mry_path_read(table, p, f->candidates);
    for (int i = 0; i < count; i++) {
        const mry_candidate *one = from + (size_t)i * (size_t)f->def.k + f->candidates[i];
        parts[i] = (marey_example_part){ .clip = one->clip,
                                         .at = f->examples->clips[one->clip].at[one->place],
                                         .fragment = one->from,
                                         .next = one->to,
                                         .error = as_error(one->error) };
    }
    *out = (marey_example_path){ as_error(table->first[p].error), table->first[p].jumps, parts };
    return true;
}

/* Errors of paths are whole numbers of 2^-32 that fit a double's 53 bits but for queries of
   hundreds of fragments; those are rounded, and ties stay ties. */
static int compare_clips(const void *a, const void *b)
{
    const marey_example_clip *x = a, *y = b;
    if (x->path.jumps != y->path.jumps) return x->path.jumps < y->path.jumps ? -1 : 1;
    if (x->path.error != y->path.error) return x->path.error < y->path.error ? -1 : 1;
    return (x->clip > y->clip) - (x->clip < y->clip);
}

static bool find_all(finder *f)
{
    int held = 0, k = f->def.k, rows = f->asked.fragments.count;
    size_t cells = (size_t)rows * (size_t)k;
    mry_path_table table;
    f->best = MRY_NEW_RAW(&f->tmp, mry_candidate, cells);
    f->own = MRY_NEW_RAW(&f->tmp, mry_candidate, cells);
    f->candidates = MRY_NEW_RAW(&f->tmp, int, rows);
    f->found.clips = MRY_NEW_RAW(&f->mem, marey_example_clip, f->examples->clip_count);
    f->found.paths = MRY_NEW_RAW(&f->mem, marey_example_path, f->def.best);
    if (!f->best || !f->own || !f->candidates || !f->found.clips || !f->found.paths ||
        !mry_path_table_make(&f->tmp, rows, k, 1, &f->table))
        return false;
    for (int c = 0; c < f->examples->clip_count; c++) {
        int own = scan_clip(f->examples, c, &f->asked, k, f->own);
        if (own == 0) continue;
        /* They go among the best so far, `held` a row. */
        for (int i = 0; i < rows; i++) {
            mry_candidate *row = f->best + (size_t)i * (size_t)k;
            const mry_candidate *other = f->own + (size_t)i * (size_t)k;
            for (int n = 0, now = held; n < own; n++) {
                if (now == k && other[n].squared >= row[k - 1].squared) break;
                insert(row, now, k, other[n]);
                if (now < k) now++;
            }
        }
        held = held + own < k ? held + own : k;
        mry_paths_find(&f->table, f->own, own);
        marey_example_clip *clip = &f->found.clips[f->found.clip_count++];
        clip->clip = c;
        if (!copy_path(f, &f->table, f->own, 0, &clip->path)) return false;
    }
    qsort(f->found.clips, (size_t)f->found.clip_count, sizeof *f->found.clips, compare_clips);
    if (!mry_path_table_make(&f->tmp, rows, k, f->def.best, &table)) return false;
    int paths = held > 0 ? mry_paths_find(&table, f->best, held) : 0;
    for (; f->found.path_count < paths; f->found.path_count++) {
        int p = f->found.path_count;
        if (!copy_path(f, &table, f->best, p, &f->found.paths[p])) return false;
    }
    return true;
}

static marey_status find(finder *f, const marey_example_query *query, marey_example_found **out,
                         marey_error *error)
{
    const marey_examples *examples = f->examples;
    mry_asked *asked = &f->asked;
    size_t samples = (size_t)query->samples;
    double *values = MRY_NEW_RAW(&f->tmp, double, samples *(size_t)asked->dof_count);
    mry_signals signals = { values, samples, query->samples, asked->dof_count, { 0 } };
    mry_cuts cuts;
    mry_spans spans;
    if (!values || !mry_cuts_find(query->values, query->samples, examples->noise, &f->tmp, &cuts) ||
        !mry_spans_find(&cuts, false, &f->tmp, &spans)) {
        return mry_fail_memory(error, NULL);
    }
    if (cuts.count == 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the driving signal never moves by %g: there is nothing to look for",
                        examples->noise > 0 ? examples->noise : 0);
    }
    if (cuts.count - 1 > MAREY_EXAMPLE_MOST_FRAGMENTS) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "the query has %d fragments; at most %d are looked for", cuts.count - 1,
                        MAREY_EXAMPLE_MOST_FRAGMENTS);
    }
    /* Rows of signals that are not asked for are left out. */
    for (int d = 0; d < asked->dof_count; d++) {
        const double *row = query->values + samples * (size_t)asked->dofs[d];
        signals.turns[d] = examples->turns[asked->dofs[d]];
        for (size_t i = 0; i < samples; i++) values[samples * (size_t)d + i] = row[i];
    }
    if (!mry_fragments_make(&f->mem, spans.count, asked->dof_count, &asked->fragments)) {
        return mry_fail_memory(error, NULL);
    }
    mry_fragments_cut(&signals, &cuts, &spans, 0, 0, &asked->fragments);
    marey_example_found *made = MRY_NEW(&f->mem, marey_example_found, 1);
    if (!made || !find_all(f)) return mry_fail_memory(error, NULL);
    *made = f->found;
    made->fragments = asked->fragments.at;
    made->fragment_count = asked->fragments.count;
    made->mem = f->mem;
    *out = made;
    return MAREY_OK;
}

marey_status marey_examples_find(marey_ctx *ctx, const marey_examples *examples,
                                 const marey_example_query *query,
                                 const marey_example_find_def *def, marey_example_found **out,
                                 marey_error *error)
{
    finder f = { .examples = examples, .mem = mry_arena_make(ctx), .tmp = mry_arena_make(ctx) };
    mry_asked *asked = &f.asked;
    if (def) f.def = *def;
    if (f.def.k == 0) f.def.k = 3;
    if (f.def.best == 0) f.def.best = 5;
    if (f.def.k < 1 || f.def.k > MAREY_EXAMPLE_MOST_K)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "candidates must be 1 to %d, got %d",
                        MAREY_EXAMPLE_MOST_K, f.def.k);
    if (f.def.best < 1 || f.def.best > MAREY_EXAMPLE_MOST_BEST)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "paths must be 1 to %d, got %d",
                        MAREY_EXAMPLE_MOST_BEST, f.def.best);
    if (query->samples < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "query must have at least 2 samples, got %d", query->samples);
    if (!(query->fps > 0) || isinf(query->fps))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "query rate must be positive and finite, got %g Hz", query->fps);
    for (int d = 0; d < examples->dof_count; d++) {
        const double *row = query->values + (size_t)d * (size_t)query->samples;
        int numbers = 0, good = 0;
        for (int i = 0; i < query->samples; i++) {
            numbers += !isnan(row[i]);
            good += fabs(row[i]) <= MAREY_EXAMPLE_FARTHEST;
        }
        if (good != query->samples && (numbers > 0 || d == 0))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "signal %d of the query has values that are no numbers from -%g to %g",
                            d + 1, MAREY_EXAMPLE_FARTHEST, MAREY_EXAMPLE_FARTHEST);
        if (numbers > 0) asked->dofs[asked->dof_count++] = d;
    }
    marey_status status = find(&f, query, out, error);
    if (status) mry_arena_free(&f.mem);
    mry_arena_free(&f.tmp);
    return status;
}

void marey_example_found_free(marey_example_found *found)
{
    if (!found) return;
    mry_arena mem = found->mem; /* what was found lies in it itself */
    mry_arena_free(&mem);
}

const marey_fragment *marey_example_fragments(const marey_example_found *found, int *count)
{
    *count = found->fragment_count;
    return found->fragments;
}

const marey_example_path *marey_example_paths(const marey_example_found *found, int *count)
{
    *count = found->path_count;
    return found->paths;
}

const marey_example_clip *marey_example_clips(const marey_example_found *found, int *count)
{
    *count = found->clip_count;
    return found->clips;
}
