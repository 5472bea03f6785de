/* searcher_webs.c - webs for a search: read from the library and held, or built on the fly for a
   query that has none. */
#include "library/searcher_data.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "match/web_data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIRST_BUCKETS = 256 };

mry_held mry_held_make(marey_ctx *ctx)
{
    return (mry_held){ .ctx = ctx, .most_bytes = (size_t)MRY_HELD_MIB << 20 };
}

static size_t bucket_of(const mry_held *held, int64_t a, int64_t b)
{
    int64_t pair[2] = { a, b };
    return mry_hash64(pair, sizeof pair, 0) & (held->bucket_count - 1);
}

static void unlink_order(mry_held *held, mry_held_web *one)
{
    *(one->newer ? &one->newer->older : &held->newest) = one->older;
    *(one->older ? &one->older->newer : &held->oldest) = one->newer;
}

static void link_newest(mry_held *held, mry_held_web *one)
{
    one->newer = NULL;
    one->older = held->newest;
    *(held->newest ? &held->newest->newer : &held->oldest) = one;
    held->newest = one;
}

static void drop(mry_held *held, mry_held_web *one)
{
    mry_held_web **at = &held->buckets[bucket_of(held, one->a, one->b)];
    while (*at != one) at = &(*at)->next;
    *at = one->next;
    unlink_order(held, one);
    held->bytes -= one->bytes;
    held->count--;
    marey_web_free(one->web);
    mry_release(held->ctx, one, sizeof *one);
}

void mry_held_free(mry_held *held)
{
    while (held->oldest) drop(held, held->oldest);
    mry_release(held->ctx, held->buckets, held->bucket_count * sizeof *held->buckets);
    held->buckets = NULL;
    held->bucket_count = 0;
}

void mry_held_forget_missing(mry_held *held)
{
    for (mry_held_web *one = held->oldest, *newer; one; one = newer) {
        newer = one->newer;
        if (one->state == MRY_WEB_MISSING) drop(held, one);
    }
}

/* Twice as many buckets, once each has a web in the mean. */
static bool make_room(mry_held *held)
{
    size_t old = held->bucket_count, count = old ? 2 * old : FIRST_BUCKETS;
    if (held->count < old) return true;
    mry_held_web **buckets = mry_alloc(held->ctx, count * sizeof *buckets);
    if (!buckets) return false;
    memset(buckets, 0, count * sizeof *buckets);
    mry_release(held->ctx, held->buckets, old * sizeof *buckets);
    held->buckets = buckets;
    held->bucket_count = count;
    for (mry_held_web *one = held->oldest; one; one = one->newer) {
        size_t bucket = bucket_of(held, one->a, one->b);
        one->next = buckets[bucket];
        buckets[bucket] = one;
    }
    return true;
}

/* The web of two clips, a <= b, out of the library into a bucket. */
static marey_status add(mry_held *held, marey_library *library, int64_t a, int64_t b,
                        mry_held_web **out, marey_error *error)
{
    mry_held_web *one = make_room(held) ? mry_alloc(held->ctx, sizeof *one) : NULL;
    if (!one) return mry_fail_memory(error, mry_store_path(library->store));
    *one = (mry_held_web){ .a = a, .b = b, .bytes = sizeof *one };
    marey_status status =
        mry_index_web_read(library, a, b, &one->web, &one->flipped, &one->state, error);
    if (status) {
        mry_release(held->ctx, one, sizeof *one);
        return status;
    }
    if (one->web) {
        /* What it takes, near enough: its cells with their costs, its paths and what is known of
           each for searching. */
        int rows, cols, chains, bridges;
        int64_t cells;
        marey_web_size(one->web, &rows, &cols, &chains, &bridges, &cells);
        one->bytes += (size_t)cells * (sizeof(marey_cell) + sizeof(float)) +
                      (size_t)marey_web_paths(one->web) * 104 + ((size_t)rows + (size_t)cols) / 4;
    }
    size_t bucket = bucket_of(held, a, b);
    one->next = held->buckets[bucket];
    held->buckets[bucket] = one;
    held->bytes += one->bytes;
    held->count++;
    link_newest(held, one);
    *out = one;
    return MAREY_OK;
}

marey_status mry_held_get(mry_held *held, marey_library *library, int64_t a, int64_t b,
                          int64_t keep, const mry_held_web **out, marey_error *error)
{
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    mry_held_web *one = held->bucket_count ? held->buckets[bucket_of(held, low, high)] : NULL;
    while (one && (one->a != low || one->b != high)) one = one->next;
    held->uses++;
    if (one) {
        unlink_order(held, one);
        link_newest(held, one);
    } else {
        marey_status status = add(held, library, low, high, &one, error);
        if (status) return status;
    }
    one->last_use = held->uses;
    while (held->bytes > held->most_bytes && held->oldest->last_use < held->uses - keep)
        drop(held, held->oldest);
    *out = one;
    return MAREY_OK;
}

marey_status mry_seek_web(void *user, int a, int b, const marey_web **out, bool *flipped,
                          marey_error *error)
{
    mry_seek *seek = user;
    marey_searcher *s = seek->searcher;
    const mry_held_web *held = NULL;
    if (a == s->slot_count) { /* a query without webs: built now, once */
        if (!seek->compared[b]) {
            if (!mry_progress(s->ctx, "comparing", b, s->slot_count))
                return mry_fail_cancelled(error);
            marey_status status =
                mry_outside_web(seek->outside, s->slots[b].clip.id, &seek->outside_webs[b], error);
            if (status) return status;
            seek->compared[b] = 1;
            seek->in_common += seek->outside_webs[b] != NULL;
        }
        *out = seek->outside_webs[b];
        *flipped = false;
        return MAREY_OK;
    }
    int64_t from = s->slots[a].clip.id, to = s->slots[b].clip.id;
    marey_status status =
        mry_held_get(&s->held, s->library, from, to, 2 * (int64_t)s->slot_count, &held, error);
    if (status) return status;
    if (held->state == MRY_WEB_MISSING) seek->missing[b] = 1;
    *out = held->web;
    *flipped = held->flipped != (from > to);
    /* Rows of a web are those of its clips at the lower rate of the two. What a foreign library
       keeps may be otherwise, and would lead out of the clips. */
    const mry_index_clip *rows = &s->slots[*flipped ? b : a].clip;
    const mry_index_clip *cols = &s->slots[*flipped ? a : b].clip;
    double rate = fmin(rows->rate, cols->rate);
    if (!held->web ||
        (held->web->fps == rate && held->web->rows == mry_rows_at(rows->frames, rows->fps, rate) &&
         held->web->cols == mry_rows_at(cols->frames, cols->fps, rate)))
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(s->library->store),
                    "the web of clips number %" PRId64 " and %" PRId64
                    " is not theirs; make the index again with marey index --rebuild",
                    from, to);
}
