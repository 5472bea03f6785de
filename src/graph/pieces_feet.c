/* pieces_feet.c - feet that look planted in what was made of pieces. The plants of the pieces are held already. But where what
   differs is spread, a foot comes to rest a little sooner, or leaves later, than it did in its clip, and it is seen to slide
   there: so plants are looked for once more, and all of them are held. */
#include "base/fail.h"
#include "graph/pieces_data.h"
#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* After each, others may look planted; after a few hardly any does. */
enum { ROUNDS = 4 };

/* ---- plants ----------------------------------------------------------------------------------------------------- */

static int by_joint(const void *left, const void *right)
{
    const marey_contact *a = left, *b = right;
    if (a->joint != b->joint) return a->joint < b->joint ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Those of both; what overlaps is one. Plants that only touch stay two: a foot was carried between them. false: out of memory. */
static bool unite(marey_ctx *ctx, const marey_contacts *a, const marey_contacts *b,
                  marey_contacts *out)
{
    size_t count = (size_t)a->count + (size_t)b->count;
    *out = (marey_contacts){ .ctx = ctx, .bytes = (count + 1) * sizeof *out->items };
    out->items = mry_alloc(ctx, out->bytes);
    if (!out->items) return false;
    if (a->count) memcpy(out->items, a->items, (size_t)a->count * sizeof *a->items);
    if (b->count) memcpy(out->items + a->count, b->items, (size_t)b->count * sizeof *b->items);
    if (count > 1) qsort(out->items, count, sizeof *out->items, by_joint);
    for (size_t n = 0; n < count; n++) {
        marey_contact one = out->items[n], *last = out->items + out->count - 1;
        if (out->count > 0 && last->joint == one.joint && one.start < last->end) {
            if (one.end > last->end) last->end = one.end;
        } else {
            out->items[out->count++] = one;
        }
    }
    return true;
}

static bool same(const marey_contacts *a, const marey_contacts *b)
{
    for (int n = 0; a->count == b->count && n < a->count; n++) {
        const marey_contact *p = &a->items[n], *q = &b->items[n];
        if (p->joint != q->joint || p->start != q->start || p->end != q->end) return false;
    }
    return a->count == b->count;
}

/* ---- speeds ------------------------------------------------------------------------------------------------------ */

/* The largest step of any joint, cm; those that nobody sees are alike. NAN: out of memory. */
static double largest_step(marey_ctx *ctx, const marey_clip *clip)
{
    mry_arena tmp = mry_arena_make(ctx);
    int joints = clip->skeleton.joint_count;
    double most = MAREY_GRAPH_STILL / clip->fps;
    double *rows = MRY_NEW_RAW(&tmp, double, 6 * joints);
    if (!rows) return NAN;
    marey_clip_positions(clip, 0, 1, rows);
    for (int f = 1; f < clip->frames; f++) {
        double *now = rows + (f & 1 ? 3 * joints : 0), *last = rows + (f & 1 ? 0 : 3 * joints);
        marey_clip_positions(clip, f, 1, now);
        for (int j = 0; j < 3 * joints; j += 3) {
            double step = mry_distance3(now + j, last + j);
            if (step > most) most = step;
        }
    }
    mry_arena_free(&tmp);
    return most;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------- */

/* Holds `all`, unless that is what jumps then. *done: there is nothing more to hold. */
static marey_status hold(marey_ctx *ctx, const marey_clean_def *def, marey_contacts *all,
                         marey_made *made, double *jump, bool *done, marey_error *error)
{
    marey_clip *fresh = NULL;
    marey_clean_result result;
    marey_status status =
        marey_clip_clean(made->clip, all->items, all->count, def, &fresh, &result, error);
    if (status) return status;
    double ratio = *jump * largest_step(ctx, fresh) / largest_step(ctx, made->clip);
    *done = !(ratio <= fmax(*jump, MAREY_GRAPH_JUMP));
    if (isnan(ratio)) status = mry_fail_memory(error, NULL);
    if (status || *done) {
        marey_clip_free(fresh);
        return status;
    }
    marey_contacts held = made->contacts;
    marey_clip_free(made->clip);
    made->clip = fresh;
    made->contacts = *all;
    *all = held;
    result.slide_before_cm = made->clean.slide_before_cm;
    result.root_moved_cm += made->clean.root_moved_cm;
    result.stretched = fmax(result.stretched, made->clean.stretched);
    made->clean = result;
    *jump = ratio;
    return MAREY_OK;
}

marey_status mry_pieces_hold(marey_ctx *ctx, const marey_clean_def *def, marey_made *made,
                             double *jump, marey_error *error)
{
    marey_status status = MAREY_OK;
    bool done = false;
    for (int round = 0; round < ROUNDS && !status && !done; round++) {
        marey_contacts found = { 0 }, all = { 0 };
        bool room = !marey_contacts_find(made->clip, NULL, &found) &&
                    unite(ctx, &made->contacts, &found, &all);
        if (!room) status = mry_fail_memory(error, NULL);
        done = room && (all.count == 0 || same(&all, &made->contacts));
        if (room && !done) status = hold(ctx, def, &all, made, jump, &done, error);
        marey_contacts_free(&found);
        marey_contacts_free(&all);
    }
    return status;
}
