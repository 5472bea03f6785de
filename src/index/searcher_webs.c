/* searcher_webs.c - webs for a search: read from the library and held, or built on the fly for a
   query that has none, and for two clips of two libraries, of which no library keeps one. */
#include "index/searcher_data.h"

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

/* No library has a clip of such a number. */
enum { MEMBER_BIT = 48 };

static int64_t key_of(const mry_slot *slot)
{
    return slot->clip.id | (int64_t)slot->member << MEMBER_BIT;
}

static marey_status read_hash(marey_library *library, int64_t clip, uint8_t hash[16],
                              marey_error *error)
{
    mry_query row =
        mry_query_with(library->store, "SELECT hash FROM clip WHERE id = ?", mry_integer(clip));
    size_t size = 0;
    memset(hash, 0, 16);
    if (mry_query_next(&row)) {
        const uint8_t *bytes = mry_column_bytes(&row, 0, &size);
        if (bytes && size == 16) memcpy(hash, bytes, size);
    }
    return mry_query_end(&row, error);
}

/* The web that one library with both clips would have. */
static marey_status make_across(const marey_searcher *s, const mry_slot *a, const mry_slot *b,
                                mry_held_web *out, marey_error *error)
{
    uint8_t hashes[2][16];
    marey_clip *clip = NULL;
    mry_outside *outside = NULL;
    marey_library *library = s->members[a->member].library, *other = s->members[b->member].library;
    marey_status status = read_hash(library, a->clip.id, hashes[0], error);
    if (!status) status = read_hash(other, b->clip.id, hashes[1], error);
    if (status) return status;
    out->flipped = memcmp(hashes[0], hashes[1], sizeof *hashes) > 0;
    if (out->flipped) { /* rows are those of the lesser hash */
        const mry_slot *slot = a;
        a = b, b = slot;
        library = other;
        other = s->members[b->member].library;
    }
    status = mry_load_clip(library, a->clip.id, "", &clip, error);
    if (!status) status = mry_outside_open(other, &s->settings, clip, &outside, error);
    if (!status) status = mry_outside_web(outside, other, b->clip.id, &out->web, error);
    mry_outside_free(outside);
    marey_clip_free(clip);
    out->state = out->web ? MRY_WEB_THERE : MRY_WEB_NOTHING;
    return status;
}

/* The web of two clips, by their keys, into a bucket. */
static marey_status add(marey_searcher *s, const mry_slot *a, const mry_slot *b, mry_held_web **out,
                        marey_error *error)
{
    mry_held *held = &s->held;
    marey_library *library = s->members[a->member].library;
    mry_held_web *one = make_room(held) ? mry_alloc(held->ctx, sizeof *one) : NULL;
    if (!one) return mry_fail_memory(error, mry_store_path(library->store));
    *one = (mry_held_web){ .a = key_of(a), .b = key_of(b), .bytes = sizeof *one };
    marey_status status = a->member == b->member
                              ? mry_index_web_read(library, a->clip.id, b->clip.id, &one->web,
                                                   &one->flipped, &one->state, error)
                              : make_across(s, a, b, one, error);
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
    size_t bucket = bucket_of(held, one->a, one->b);
    one->next = held->buckets[bucket];
    held->buckets[bucket] = one;
    held->bytes += one->bytes;
    held->count++;
    link_newest(held, one);
    *out = one;
    return MAREY_OK;
}

marey_status mry_held_get(marey_searcher *s, const mry_slot *a, const mry_slot *b, int64_t keep,
                          const mry_held_web **out, marey_error *error)
{
    mry_held *held = &s->held;
    if (key_of(a) > key_of(b)) {
        const mry_slot *slot = a;
        a = b, b = slot;
    }
    int64_t low = key_of(a), high = key_of(b);
    mry_held_web *one = held->bucket_count ? held->buckets[bucket_of(held, low, high)] : NULL;
    while (one && (one->a != low || one->b != high)) one = one->next;
    held->uses++;
    if (one) {
        unlink_order(held, one);
        link_newest(held, one);
    } else {
        marey_status status = add(s, a, b, &one, error);
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
                mry_outside_web(seek->outside, mry_slot_library(s, b), s->slots[b].clip.id,
                                &seek->outside_webs[b], error);
            if (status) return status;
            seek->compared[b] = 1;
            seek->in_common += seek->outside_webs[b] != NULL;
        }
        *out = seek->outside_webs[b];
        *flipped = false;
        return MAREY_OK;
    }
    const mry_slot *from = &s->slots[a], *to = &s->slots[b];
    if (from->member != to->member && !mry_progress(s->ctx, "comparing", b, s->slot_count))
        return mry_fail_cancelled(error);
    marey_status status = mry_held_get(s, from, to, 2 * (int64_t)s->slot_count, &held, error);
    if (status) return status;
    if (held->state == MRY_WEB_MISSING) seek->missing[b] = 1;
    *out = held->web;
    *flipped = held->flipped != (key_of(from) > key_of(to));
    /* Rows of a web are those of its clips at the lower rate of the two. What a foreign library
       keeps may be otherwise, and would lead out of the clips. */
    const mry_index_clip *rows = &s->slots[*flipped ? b : a].clip;
    const mry_index_clip *cols = &s->slots[*flipped ? a : b].clip;
    double rate = fmin(rows->rate, cols->rate);
    if (!held->web ||
        (held->web->fps == rate && held->web->rows == mry_rows_at(rows->frames, rows->fps, rate) &&
         held->web->cols == mry_rows_at(cols->frames, cols->fps, rate)))
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(mry_slot_library(s, a)->store),
                    "the web of clips number %" PRId64 " and %" PRId64
                    " is not theirs; make the index again with marey index --rebuild",
                    from->clip.id, to->clip.id);
}
