/* example_find.c - asks for a movement (clusters, 3.1): the query is cut and measured like the clips, each of its fragments finds its
   candidates, and the best ways through them are looked for, over all clips and within each. */
#include "base/fail.h"
#include "match/example_data.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct marey_example_found {
    mry_arena mem; /* all lives here, and so does this */
    marey_fragment *fragments;
    int fragment_count;
    marey_example_path *paths;
    int path_count;
    marey_example_clip *clips;
    int clip_count;
};

/* ---- what is asked --------------------------------------------------------------------------------------- */

static marey_status fill_def(const marey_example_find_def *given, marey_example_find_def *def,
                             marey_error *error)
{
    *def = given ? *given : (marey_example_find_def){ 0 };
    if (def->k == 0) def->k = 3;
    if (def->best == 0) def->best = 5;
    if (def->k < 1 || def->k > MAREY_EXAMPLE_MOST_K) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%d candidates; there can be 1 to %d",
                        def->k, MAREY_EXAMPLE_MOST_K);
    }
    if (def->best < 1 || def->best > MAREY_EXAMPLE_MOST_BEST) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%d paths; there can be 1 to %d", def->best,
                        MAREY_EXAMPLE_MOST_BEST);
    }
    return MAREY_OK;
}

static marey_status check_row(const double *row, int samples, int dof, bool *is_asked,
                              marey_error *error)
{
    int numbers = 0, good = 0;
    for (int i = 0; i < samples; i++) {
        numbers += !isnan(row[i]);
        good += fabs(row[i]) <= MAREY_EXAMPLE_FARTHEST;
    }
    *is_asked = numbers > 0;
    if (good == samples || (numbers == 0 && dof > 0)) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "signal %d of the query has values that are no numbers from -%g to %g", dof + 1,
                    MAREY_EXAMPLE_FARTHEST, MAREY_EXAMPLE_FARTHEST);
}

static marey_status check_query(const marey_examples *examples, const marey_example_query *query,
                                mry_asked *asked, marey_error *error)
{
    if (query->samples < 2) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the query has fewer than two samples");
    }
    if (!(query->fps > 0) || isinf(query->fps)) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a rate of %g Hz cannot be", query->fps);
    }
    for (int d = 0; d < examples->dof_count; d++) {
        bool is_asked;
        marey_status status = check_row(query->values + (size_t)d * (size_t)query->samples,
                                        query->samples, d, &is_asked, error);
        if (status) return status;
        if (is_asked) asked->dofs[asked->dof_count++] = d;
    }
    return MAREY_OK;
}

static marey_status check_cuts(const marey_examples *examples, const mry_cuts *cuts,
                               marey_error *error)
{
    if (cuts->count == 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the driving signal never moves by %g: there is nothing to look for",
                        examples->noise > 0 ? examples->noise : 0);
    }
    if (cuts->count - 1 > MAREY_EXAMPLE_MOST_FRAGMENTS) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "the query has %d fragments; at most %d are looked for", cuts->count - 1,
                        MAREY_EXAMPLE_MOST_FRAGMENTS);
    }
    return MAREY_OK;
}

/* Rows of signals that are not asked for are left out. */
static marey_status cut_query(const marey_examples *examples, const marey_example_query *query,
                              mry_arena *mem, mry_arena *tmp, mry_asked *asked, marey_error *error)
{
    size_t samples = (size_t)query->samples;
    double *values = MRY_NEW_RAW(tmp, double, samples *(size_t)asked->dof_count);
    mry_signals signals = { values, samples, query->samples, asked->dof_count, { 0 } };
    mry_cuts cuts;
    mry_spans spans;
    if (!values || !mry_cuts_find(query->values, query->samples, examples->noise, tmp, &cuts) ||
        !mry_spans_find(&cuts, false, tmp, &spans)) {
        return mry_fail_memory(error, NULL);
    }
    marey_status status = check_cuts(examples, &cuts, error);
    if (status) return status;
    for (int d = 0; d < asked->dof_count; d++) {
        const double *row = query->values + samples * (size_t)asked->dofs[d];
        signals.turns[d] = examples->turns[asked->dofs[d]];
        for (size_t i = 0; i < samples; i++) values[samples * (size_t)d + i] = row[i];
    }
    if (!mry_fragments_make(mem, spans.count, asked->dof_count, &asked->fragments)) {
        return mry_fail_memory(error, NULL);
    }
    mry_fragments_cut(&signals, &cuts, &spans, 0, 0, &asked->fragments);
    return MAREY_OK;
}

/* ---- what is found --------------------------------------------------------------------------------------- */

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

static bool take_room(finder *f)
{
    const mry_fragments *of = &f->asked.fragments;
    size_t cells = (size_t)of->count * (size_t)f->def.k;
    f->best = MRY_NEW_RAW(&f->tmp, mry_candidate, cells);
    f->own = MRY_NEW_RAW(&f->tmp, mry_candidate, cells);
    f->candidates = MRY_NEW_RAW(&f->tmp, int, of->count);
    f->found.clips = MRY_NEW_RAW(&f->mem, marey_example_clip, f->examples->clip_count);
    f->found.paths = MRY_NEW_RAW(&f->mem, marey_example_path, f->def.best);
    return f->best && f->own && f->candidates && f->found.clips && f->found.paths &&
           mry_path_table_make(&f->tmp, of->count, f->def.k, 1, &f->table);
}

/* Errors of paths are whole numbers of 2^-32 that fit a double's 53 bits but for queries of hundreds of fragments; those
   are rounded, and ties stay ties. */
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
    mry_path_table table;
    if (!take_room(f)) return false;
    for (int c = 0; c < f->examples->clip_count; c++) {
        int own = mry_scan_clip(f->examples, c, &f->asked, k, f->own);
        if (own == 0) continue;
        held = mry_scan_merge(f->own, own, rows, k, f->best, held);
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
    marey_status status = cut_query(f->examples, query, &f->mem, &f->tmp, &f->asked, error);
    if (status) return status;
    marey_example_found *made = MRY_NEW(&f->mem, marey_example_found, 1);
    if (!made || !find_all(f)) return mry_fail_memory(error, NULL);
    *made = f->found;
    made->fragments = f->asked.fragments.at;
    made->fragment_count = f->asked.fragments.count;
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
    marey_status status = fill_def(def, &f.def, error);
    if (!status) status = check_query(examples, query, &f.asked, error);
    if (!status) status = find(&f, query, out, error);
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
