/* example_build.c - the fragments of many clips, ready to be compared (clusters, 3.1). Of a clip
   nothing is kept but its fragments: 68 bytes a degree of freedom and 32 bytes, whatever its
   rate. */
#include "base/fail.h"
#include "match/example_data.h"
#include "motion/clip_data.h"

#include <assert.h>
#include <math.h>

typedef struct work {
    marey_examples *to;
    const marey_clip *clip;
    const marey_dof *dofs;
    mry_arena tmp;
    double *signals; /* dofs x frames */
} work;

/* A row of captured frames. */
typedef struct run {
    int start, end;
    mry_cuts cuts;
    mry_spans spans;
} run;

/* The first row from `from` on; empty at the end. */
static run next_run(const marey_clip *clip, int from)
{
    while (from < clip->frames && mry_clip_is_marked(clip, from)) from++;
    int end = from;
    while (end < clip->frames && !mry_clip_is_marked(clip, end)) end++;
    return (run){ .start = from, .end = end };
}

/* What lies on both sides of marked frames has turns of its own, so nothing goes on over them.
   False: out of memory. */
static bool cut_clip(work *w, mry_fragments *out)
{
    int count = 0, fragments = 0;
    mry_fragments made;
    for (run r = next_run(w->clip, 0); r.end > r.start; r = next_run(w->clip, r.end)) count++;
    run *runs = MRY_NEW(&w->tmp, run, count), r = { 0 };
    if (!runs) return false;
    for (int i = 0; i < count; i++) {
        r = next_run(w->clip, r.end);
        if (!mry_cuts_find(w->signals + r.start, r.end - r.start, w->to->noise, &w->tmp, &r.cuts) ||
            !mry_spans_find(&r.cuts, !w->to->plain, &w->tmp, &r.spans)) {
            return false;
        }
        fragments += r.spans.count;
        runs[i] = r;
    }
    if (fragments == 0) return true;
    if (!mry_fragments_make(&w->to->mem, fragments, w->to->dof_count, &made)) return false;
    mry_signals signals = { .room = (size_t)w->clip->frames, .dof_count = w->to->dof_count };
    for (int d = 0; d < signals.dof_count; d++) signals.turns[d] = w->to->turns[d];
    for (int i = 0, turn = 0; i < count; turn += runs[i].cuts.count, i++) {
        signals.values = w->signals + runs[i].start;
        signals.count = runs[i].end - runs[i].start;
        mry_fragments_cut(&signals, &runs[i].cuts, &runs[i].spans, runs[i].start, turn, &made);
    }
    *out = made;
    return true;
}

static bool add_clip(work *w, int number)
{
    mry_fragments *out = &w->to->clips[number];
    w->tmp = mry_arena_make(w->to->mem.ctx);
    w->signals = MRY_NEW_RAW(&w->tmp, double, (size_t)w->clip->frames *(size_t)w->to->dof_count);
    bool fits = w->signals != NULL;
    /* A clip that has no such joint, or numbers that no capture gives, takes no part. */
    size_t frames = (size_t)w->clip->frames;
    bool sound = true;
    for (int d = 0; fits && sound && d < w->to->dof_count; d++) {
        double *values = w->signals + frames * (size_t)d;
        sound = marey_clip_signal(w->clip, &w->dofs[d], values, NULL) == MAREY_OK;
        for (size_t f = 0; sound && f < frames; f++)
            sound = fabs(values[f]) <= MAREY_EXAMPLE_FARTHEST;
    }
    if (!sound) {
        w->to->left_out++;
    } else if (fits) {
        fits = cut_clip(w, out);
    }
    mry_arena_free(&w->tmp);
    w->to->total += out->count;
    return fits;
}

marey_status marey_examples_open(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                 const marey_dof *dofs, int dof_count, const marey_example_def *def,
                                 marey_examples **out, marey_error *error)
{
    assert(count >= 0);
    if (dof_count < 1 || dof_count > MAREY_MOST_DOFS) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "degrees of freedom must be 1 to %d, got %d", MAREY_MOST_DOFS, dof_count);
    }
    for (int d = 0; d < dof_count; d++) {
        if (dofs[d].channel >= MAREY_CHANNEL_X_POSITION &&
            dofs[d].channel <= MAREY_CHANNEL_Z_ROTATION) {
            continue;
        }
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "degree of freedom %d must be a position or a rotation", d + 1);
    }
    if (def && !(fabs(def->noise) <= MAREY_EXAMPLE_FARTHEST)) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "noise must be at most %g, got %g",
                        MAREY_EXAMPLE_FARTHEST, def->noise);
    }

    mry_arena mem = mry_arena_make(ctx);
    marey_examples *made = MRY_NEW(&mem, marey_examples, 1);
    mry_fragments *fragments = made ? MRY_NEW(&mem, mry_fragments, count) : NULL;
    if (!fragments) {
        mry_arena_free(&mem);
        return mry_fail_memory(error, NULL);
    }
    *made = (marey_examples){ .dof_count = dof_count, .clip_count = count, .clips = fragments };
    made->noise = def && def->noise != 0 ? def->noise : MAREY_EXAMPLE_NOISE;
    made->shape = def && def->shape;
    made->plain = def && def->plain;
    for (int d = 0; d < dof_count; d++) {
        made->turns[d] = dofs[d].channel >= MAREY_CHANNEL_X_ROTATION ? 360.0f : INFINITY;
    }
    made->mem = mem;
    marey_status status = MAREY_OK;
    for (int c = 0; c < count && !status; c++) {
        work w = { .to = made, .clip = clips[c], .dofs = dofs };
        if (!mry_progress(ctx, "cutting into fragments", c, count)) {
            status = mry_fail_cancelled(error);
        } else if (!add_clip(&w, c)) {
            status = mry_fail_memory(error, NULL);
        }
    }
    if (status) {
        marey_examples_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

void marey_examples_free(marey_examples *examples)
{
    if (!examples) return;
    mry_arena mem = examples->mem; /* the examples lie in it themselves */
    mry_arena_free(&mem);
}

int marey_examples_fragments(const marey_examples *examples)
{
    return examples->total;
}

int marey_examples_left_out(const marey_examples *examples)
{
    return examples->left_out;
}

size_t marey_examples_bytes(const marey_examples *examples)
{
    size_t one = sizeof(marey_fragment) + 2 * sizeof(int) +
                 (size_t)examples->dof_count * (1 + MRY_SAMPLES) * sizeof(float);
    return sizeof *examples + (size_t)examples->clip_count * sizeof *examples->clips +
           (size_t)examples->total * one;
}
