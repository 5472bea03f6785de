/* motifs.c - what repeats in a library, without a query. Seeds, pieces of a second and a half, are
   spread evenly over all that moves, and each is searched for, exactly (searcher_scan.c); none of
   them depends on another, so they can be searched for in any order and in any place. Then, one
   after the other: the seed whose matches explain most of what is not explained yet, grown as long
   as most of its matches still match; of these the one that is nearest to the others is the
   example. Decision 25. */
#include "index/searcher_data.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "match/query_period.h"
#include "match/query_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Occurrences of a motif are nearer than what a search takes for a match: what both have in common
   must be plain to see. What a search finds is explained, and becomes no motif of its own. Shares
   of the still cost. */
static const double NEAR = 0.3, ALIKE = 0.6;
/* Occurrences are at most by so much shorter or longer than the example. */
static const double LENGTHS = 5.0 / 3;
/* A body moves when its points do so, cm/s, the root of the mean of squares. */
static const double MOVES_CM_S = 15;
/* Lengths in seconds: of a seed, the least and the most of an example, the least that is compared
   to say that a motion repeats itself, the least that lies between two seeds. */
static const double SEED_S = 1.5, SHORTEST_S = 0.75, LONGEST_S = 8, REPEAT_S = 0.2, APART_S = 0.5;
/* Shares of occurrences that must still match when a motif grows, and of what they explain that
   must be new. */
static const double STAY = 0.6, NEW = 0.7;

enum {
    SEEDS = 512,     /* at most */
    GROWN = 40,      /* motifs at least, if there are so many, before they are put in order */
    CANDIDATES = 12, /* for the best example */
    OTHERS = 24      /* that these are compared with */
};

typedef struct place {
    marey_segment at;
    double cost;
    bool near; /* an occurrence, not only a match */
} place;

/* A piece of a clip, and where it was found: itself first, then the nearest. */
typedef struct piece {
    marey_segment at;
    double still, share; /* share: of it, up to which places were looked for */
    place *places;
    int count, near;
    bool used;
} piece;

typedef struct motif_work {
    mry_seek *seek;
    mry_arena mem;
    size_t *first; /* of each slot in the next three, a number for each row */
    uint8_t *moves;
    uint8_t *explained;
    uint32_t *seen, sight; /* rows that were counted last have `sight` */
    piece *seeds;
    int seed_count;
} motif_work;

struct marey_motifs {
    mry_arena mem;
    marey_motif *motifs;
    int count;
    marey_motifs_report report;
};

/* ---- what moves ------------------------------------------------------------------------------ */

static double rate_of(const motif_work *w, int slot)
{
    return w->seek->fps[slot];
}

static int rows_in(const motif_work *w, int slot, double seconds)
{
    return (int)lround(seconds * rate_of(w, slot));
}

/* Stay as mry_hold_poses says; with `since` 0 until the next are held. */
static marey_status hold(motif_work *w, int slot, int64_t since, const mry_poses **out,
                         marey_error *error)
{
    marey_searcher *s = w->seek->searcher;
    marey_status status = mry_hold_poses(s, slot, since ? since : s->shelves.uses + 1, out, error);
    if (status || (*out)->rows == s->slots[slot].clip.rows) return status;
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(mry_slot_library(s, slot)->store),
                    "clip #%lld has not the frames that are said of it",
                    (long long)s->slots[slot].clip.id);
}

static marey_status find_moving(motif_work *w, marey_error *error)
{
    marey_searcher *s = w->seek->searcher;
    mry_arena tmp = mry_arena_make(s->ctx);
    const double most = MOVES_CM_S * MRY_POSE_S;
    marey_status status = MAREY_OK;
    size_t rows = 0;
    w->first = MRY_NEW(&w->mem, size_t, s->slot_count + 1);
    if (!w->first) return mry_fail_memory(error, NULL);
    for (int i = 0; i < s->slot_count; i++) {
        w->first[i] = rows;
        rows += (size_t)s->slots[i].clip.rows;
    }
    w->moves = MRY_NEW(&w->mem, uint8_t, rows + 1);
    w->explained = MRY_NEW(&w->mem, uint8_t, rows + 1);
    w->seen = MRY_NEW(&w->mem, uint32_t, rows + 1);
    if (!w->moves || !w->explained || !w->seen) return mry_fail_memory(error, NULL);
    for (int i = 0; i < s->slot_count && !status; i++) {
        const mry_poses *poses;
        if (!mry_progress(s->ctx, "reading", i, s->slot_count)) status = mry_fail_cancelled(error);
        if (status || !w->seek->allowed[i]) continue;
        status = hold(w, i, 0, &poses, error);
        if (status) break;
        size_t numbers = 3 * (size_t)poses->points;
        float *values = MRY_NEW_RAW(&tmp, float, 2 * numbers);
        if (!values) status = mry_fail_memory(error, NULL);
        for (int row = 0; row < poses->rows && !status; row++) {
            double square = 0;
            mry_pose_row(poses, row, 1, values);
            for (size_t k = numbers; k < 2 * numbers; k++)
                square += (double)values[k] * (double)values[k];
            w->moves[w->first[i] + (size_t)row] =
                !poses->marked[row] && square >= most * most * poses->points &&
                mry_seek_wants(w->seek, (marey_segment){ i, row, row + 1 });
        }
        mry_arena_free(&tmp);
    }
    return status;
}

static bool is_moving(const motif_work *w, int slot, int row)
{
    return w->moves[w->first[slot] + (size_t)row];
}

/* Without what stands at either end. */
static marey_segment trim(const motif_work *w, marey_segment at)
{
    int shortest = rows_in(w, at.clip, SHORTEST_S);
    while (at.end - at.start > shortest && !is_moving(w, at.clip, at.start)) at.start++;
    while (at.end - at.start > shortest && !is_moving(w, at.clip, at.end - 1)) at.end--;
    return at;
}

/* ---- searching ------------------------------------------------------------------------------- */

static int by_cost(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->at.clip != b->at.clip) return a->at.clip < b->at.clip ? -1 : 1;
    return (a->at.start > b->at.start) - (a->at.start < b->at.start);
}

/* Which of its places are occurrences. */
static void judge_places(const motif_work *w, piece *of)
{
    double own_s = (of->at.end - of->at.start) / rate_of(w, of->at.clip);
    of->near = 0;
    for (int i = 0; i < of->count; i++) {
        place *p = &of->places[i];
        double times = (p->at.end - p->at.start) / rate_of(w, p->at.clip) / own_s;
        p->near = p->cost <= NEAR * of->still && times <= LENGTHS && times >= 1 / LENGTHS;
        of->near += p->near;
    }
}

/* Everything that is like it. */
static marey_status search(motif_work *w, marey_segment at, double share, mry_arena *mem,
                           piece *out, marey_error *error)
{
    mry_hits hits;
    w->seek->query = at;
    w->seek->chosen = true;
    w->seek->share = share;
    marey_status status = mry_seek_hits(w->seek, at, &hits, error);
    if (status) return status;
    *out = (piece){ .at = at, .still = w->seek->still_cost, .share = share };
    out->places = MRY_NEW_RAW(mem, place, hits.count + 1);
    if (!out->places) return mry_fail_memory(error, NULL);
    out->places[out->count++] = (place){ .at = at, .cost = 0 };
    for (int i = 0; i < hits.count; i++) {
        if (mry_seek_wants(w->seek, hits.hits[i].at))
            out->places[out->count++] = (place){ .at = hits.hits[i].at, .cost = hits.hits[i].mean };
    }
    qsort(out->places + 1, (size_t)out->count - 1, sizeof *out->places, by_cost);
    judge_places(w, out);
    return MAREY_OK;
}

/* Moving seconds in its occurrences, and how many of them no motif explains. */
static double explains(motif_work *w, const piece *of, double *all)
{
    double fresh = 0;
    *all = 0;
    w->sight++;
    for (int i = 0; i < of->count; i++) {
        const place *p = &of->places[i];
        if (!p->near) continue;
        double row_s = 1 / rate_of(w, p->at.clip);
        for (int row = p->at.start; row < p->at.end; row++) {
            size_t at = w->first[p->at.clip] + (size_t)row;
            if (!w->moves[at] || w->seen[at] == w->sight) continue;
            w->seen[at] = w->sight;
            *all += row_s;
            if (!w->explained[at]) fresh += row_s;
        }
    }
    return fresh;
}

/* The share of the occurrences of one piece that are, for half of them, in those of another. */
static double stays(motif_work *w, const piece *of, const piece *in)
{
    int count = 0;
    w->sight++;
    for (int i = 0; i < in->count; i++) {
        const marey_segment *at = &in->places[i].at;
        uint32_t *seen = w->seen + w->first[at->clip];
        for (int row = at->start; row < at->end && in->places[i].near; row++) seen[row] = w->sight;
    }
    for (int i = 0; i < of->count; i++) {
        const marey_segment *at = &of->places[i].at;
        const uint32_t *seen = w->seen + w->first[at->clip];
        int rows = 0;
        for (int row = at->start; row < at->end; row++) rows += seen[row] == w->sight;
        count += of->places[i].near && 2 * rows >= at->end - at->start;
    }
    return (double)count / of->near;
}

/* Is most of it not explained yet? */
static bool is_new(motif_work *w, const piece *of)
{
    double all, fresh = explains(w, of, &all);
    return fresh >= NEW * all;
}

static void explain(motif_work *w, const piece *of)
{
    for (int i = 0; i < of->count; i++) {
        const marey_segment *at = &of->places[i].at;
        memset(w->explained + w->first[at->clip] + (size_t)at->start, 1,
               (size_t)(at->end - at->start));
    }
}

/* The query that a segment is. */
typedef struct asked {
    mry_scan_query query;
    double still;
} asked;

static bool ask(mry_arena *mem, const mry_poses *poses, marey_segment at, asked *out)
{
    float *weights = MRY_NEW(mem, float, poses->points);
    if (!weights || !mry_query_weights(mem, poses, at.start, at.end, poses->has, weights) ||
        !mry_scan_query_make(mem, poses, at.start, at.end, 1, weights, 1, &out->query))
        return false;
    out->still = (double)mry_still_cost(mem, &out->query, poses, at.start, 1);
    return out->still >= 0;
}

/* The rows after which the motion of a segment begins again; all of them if it does not. */
static marey_status find_period(motif_work *w, marey_segment at, int *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(w->mem.ctx);
    const mry_poses *poses;
    asked a;
    marey_status status = hold(w, at.clip, 0, &poses, error);
    if (status) return status;
    *out = ask(&tmp, poses, at, &a)
               ? mry_query_period(&tmp, &a.query, poses, at.start, 1, rows_in(w, at.clip, APART_S),
                                  rows_in(w, at.clip, REPEAT_S), (float)(NEAR * a.still))
               : -1;
    mry_arena_free(&tmp);
    return *out < 0 ? mry_fail_memory(error, NULL) : MAREY_OK;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* Captured rows without a gap around a row. */
static marey_segment run_around(const mry_poses *poses, int slot, int row)
{
    marey_segment run = { slot, row, row + 1 };
    while (run.start > 0 && !poses->marked[run.start - 1]) run.start--;
    while (run.end < poses->rows && !poses->marked[run.end]) run.end++;
    return run;
}

/* The piece around a row; of one period if it repeats itself, and nothing if there is too little. */
static marey_status place_seed(motif_work *w, int slot, int row, marey_segment *out,
                               marey_error *error)
{
    const mry_poses *poses;
    int length = rows_in(w, slot, SEED_S), period;
    *out = (marey_segment){ slot, row, row };
    marey_status status = hold(w, slot, 0, &poses, error);
    if (status) return status;
    marey_segment run = run_around(poses, slot, row), at = { slot, row - length / 2, 0 };
    if (at.start + length > run.end) at.start = run.end - length;
    if (at.start < run.start) at.start = run.start;
    at.end = at.start + length < run.end ? at.start + length : run.end;
    if (at.end - at.start < rows_in(w, slot, SHORTEST_S) || at.end - at.start < 2) return MAREY_OK;
    at = trim(w, at);
    status = find_period(w, at, &period, error);
    if (status) return status;
    if (period >= rows_in(w, slot, SHORTEST_S)) at.end = at.start + period;
    *out = at;
    return MAREY_OK;
}

/* Evenly over all that moves. */
static marey_status sow(motif_work *w, marey_error *error)
{
    marey_searcher *s = w->seek->searcher;
    double all_s = 0, passed_s = 0;
    marey_status status = MAREY_OK;
    for (int i = 0; i < s->slot_count; i++) {
        for (int row = 0; row < s->slots[i].clip.rows; row++)
            all_s += is_moving(w, i, row) ? 1 / rate_of(w, i) : 0;
    }
    double apart_s = fmax(APART_S, all_s / SEEDS);
    w->seeds = MRY_NEW(&w->mem, piece, SEEDS + 1);
    if (!w->seeds) return mry_fail_memory(error, NULL);
    for (int i = 0, next = 0; i < s->slot_count && !status; i++) {
        for (int row = 0; row < s->slots[i].clip.rows && next < SEEDS && !status; row++) {
            if (!is_moving(w, i, row)) continue;
            passed_s += 1 / rate_of(w, i);
            if (passed_s < (next + 0.5) * apart_s) continue;
            next++;
            marey_segment at;
            status = place_seed(w, i, row, &at, error);
            if (!status && at.end > at.start) w->seeds[w->seed_count++].at = at;
        }
    }
    return status;
}

/* ---- growing --------------------------------------------------------------------------------- */

/* By a quarter, to the side where more of it still matches, as long as most of it does, the body
   moves there and nothing begins again. */
static marey_status grow(motif_work *w, piece *best, marey_error *error)
{
    marey_status status = MAREY_OK;
    const piece seed = *best;
    for (bool longer = true; longer && !status;) {
        marey_segment now = best->at;
        int rows = now.end - now.start, by = (rows + 3) / 4, period;
        piece found = { 0 };
        double most = STAY;
        longer = false;
        if (rows + by > rows_in(w, now.clip, LONGEST_S)) break;
        for (int side = 0; side < 2 && !status; side++) {
            const mry_poses *poses;
            marey_segment at = { now.clip, now.start - (side ? by : 0), now.end + (side ? 0 : by) };
            int from = side ? at.start : now.end, moving = 0;
            status = hold(w, now.clip, 0, &poses, error);
            if (status) break;
            marey_segment run = run_around(poses, now.clip, now.start);
            if (at.start < run.start || at.end > run.end) continue;
            for (int row = from; row < from + by; row++) moving += is_moving(w, now.clip, row);
            if (2 * moving < by) continue;
            status = find_period(w, at, &period, error);
            if (status || period < at.end - at.start) continue;
            piece one;
            status = search(w, at, NEAR, &w->mem, &one, error);
            if (status || one.near < 2 || !is_new(w, &one)) continue;
            double share = stays(w, &seed, &one);
            if (share < most || (share == most && found.near > 0)) continue;
            most = share;
            found = one;
        }
        if (found.near > 0 && !status) {
            *best = found;
            longer = true;
        }
    }
    return status;
}

/* ---- the best example ------------------------------------------------------------------------ */

typedef struct choosing {
    marey_ctx *ctx;
    const mry_poses *poses[OTHERS];
    place places[OTHERS];
    int count;
    double means[CANDIDATES]; /* negative: out of memory */
} choosing;

/* How far a candidate is from the others, as shares of its still cost. */
static void judge_candidate(void *user, int64_t i)
{
    choosing *c = user;
    mry_arena tmp = mry_arena_make(c->ctx);
    asked a;
    double sum = 0;
    bool fits = ask(&tmp, c->poses[i], c->places[i].at, &a);
    for (int k = 0; k < c->count && fits; k++) {
        const marey_segment *at = &c->places[k].at;
        int around = (at->end - at->start) / 4, from = at->start - around, to = at->end + around;
        mry_scan_strip strip;
        mry_scan_ends ends;
        double least = a.still;
        if (from < 0) from = 0;
        if (to > c->poses[k]->rows) to = c->poses[k]->rows;
        fits = mry_scan_measure(&tmp, &a.query, c->poses[k], 1, (float)a.still,
                                (mry_stretch){ 0, from, to, NULL }, &strip, &ends);
        for (int e = 0; e < ends.count && fits; e++)
            if ((double)ends.items[e].cost < least) least = (double)ends.items[e].cost;
        if (k != i && a.still > 0) sum += least / a.still;
    }
    c->means[i] = fits ? sum : -1;
    mry_arena_free(&tmp);
}

/* The occurrence that is nearest to the others, some of them, which is then searched for. It takes
   the place of what was grown unless fewer are near to it. */
static marey_status choose_example(motif_work *w, piece *best, marey_error *error)
{
    marey_searcher *s = w->seek->searcher;
    mry_arena tmp = mry_arena_make(s->ctx);
    choosing *c = MRY_NEW(&tmp, choosing, 1);
    marey_status status = c ? MAREY_OK : mry_fail_memory(error, NULL);
    int64_t since = s->shelves.uses + 1;
    int wanted = best->near < OTHERS ? best->near : OTHERS;
    const mry_poses *own = NULL;
    for (int i = 0, near = 0; i < best->count && !status && c->count < wanted; i++) {
        if (!best->places[i].near) continue;
        /* Evenly from the nearest to the farthest; the first is what was grown. */
        if ((int64_t)near++ * wanted / best->near < c->count) continue;
        const mry_poses *poses;
        status = hold(w, best->places[i].at.clip, since, &poses, error);
        if (status) break;
        if (!own) own = poses;
        if (poses->points != own->points || poses->has != own->has || poses->rate != own->rate)
            continue;
        c->places[c->count] = best->places[i];
        c->poses[c->count++] = poses;
    }
    int candidates = 0, chosen = 0;
    if (!status) {
        c->ctx = s->ctx;
        candidates = c->count < CANDIDATES ? c->count : CANDIDATES;
        marey_ctx_run(s->ctx, candidates, judge_candidate, c);
    }
    for (int i = 0; i < candidates && !status; i++) {
        if (c->means[i] < 0) status = mry_fail_memory(error, NULL);
        if (c->means[i] < c->means[chosen]) chosen = i;
    }
    if (!status && chosen) {
        piece one;
        status = search(w, trim(w, c->places[chosen].at), ALIKE, &w->mem, &one, error);
        if (!status && one.near >= best->near && stays(w, best, &one) >= STAY && is_new(w, &one))
            *best = one;
    }
    if (!status && best->share < ALIKE) status = search(w, best->at, ALIKE, &w->mem, best, error);
    mry_arena_free(&tmp);
    return status;
}

/* ---- in order -------------------------------------------------------------------------------- */

static double worth(const motif_work *w, const piece *of)
{
    return of->near * (of->at.end - of->at.start) / rate_of(w, of->at.clip);
}

/* The seeds that explain most, one after the other, grown. */
static marey_status gather(motif_work *w, int wanted, piece *out, int *count, marey_error *error)
{
    marey_ctx *ctx = w->mem.ctx;
    marey_status status = MAREY_OK;
    *count = 0;
    while (*count < wanted && !status) {
        piece *best = NULL;
        double most = 0, all;
        if (!mry_progress(ctx, "growing", *count, wanted)) return mry_fail_cancelled(error);
        for (int i = 0; i < w->seed_count; i++) {
            piece *seed = &w->seeds[i];
            double fresh = seed->used || seed->near < 2 ? 0 : explains(w, seed, &all);
            if (fresh <= most) continue;
            seed->used = fresh < NEW * all; /* it is known already, and will not become less so */
            if (seed->used) continue;
            best = seed;
            most = fresh;
        }
        if (!best) break;
        best->used = true;
        piece grown = *best;
        status = grow(w, &grown, error);
        if (!status) status = choose_example(w, &grown, error);
        if (status) break;
        out[(*count)++] = grown;
        explain(w, best);
        explain(w, &grown);
    }
    /* The longest and most frequent first. */
    for (int i = 1; i < *count; i++) {
        piece one = out[i];
        int k = i;
        for (; k > 0 && worth(w, &out[k - 1]) < worth(w, &one); k--) out[k] = out[k - 1];
        out[k] = one;
    }
    return status;
}

static marey_status put_motif(motif_work *w, mry_arena *mem, const piece *of, marey_motif *out,
                              marey_error *error)
{
    marey_match *list = MRY_NEW(mem, marey_match, of->near);
    marey_status status = list ? MAREY_OK : mry_fail_memory(error, NULL);
    *out = (marey_motif){ .occurrences = list,
                          .count = of->near,
                          .threshold = NEAR * of->still,
                          .still_cost = of->still,
                          .seconds = (of->at.end - of->at.start) / rate_of(w, of->at.clip) };
    for (int i = 0, at = 0; i < of->count && !status; i++) {
        const place *p = &of->places[i];
        marey_found found = {
            .at = p->at, .distance = p->cost, .path_distance = p->cost, .tier = i > 0
        };
        if (!p->near) continue;
        status = mry_match_make(w->seek, &found, false, &list[at], error);
        if (status) break;
        list[at].name = mry_arena_text(mem, list[at].name, strlen(list[at].name));
        if (!list[at++].name) status = mry_fail_memory(error, NULL);
    }
    return status;
}

/* ---- shared with other machines -------------------------------------------------------------- */

/* Where a seed was found, as bytes. */
static marey_status put_seed(const motif_work *w, const marey_tiles *tiles, int seed,
                             marey_error *error)
{
    const piece *of = &w->seeds[seed];
    mry_arena tmp = mry_arena_make(w->mem.ctx);
    mry_bytes_writer out = { .mem = &tmp };
    mry_put_number(&out, of->still);
    mry_put_integer(&out, of->count);
    for (int i = 0; i < of->count; i++) {
        mry_put_integer(&out, of->places[i].at.clip);
        mry_put_integer(&out, of->places[i].at.start);
        mry_put_integer(&out, of->places[i].at.end);
        mry_put_number(&out, of->places[i].cost);
    }
    marey_status status = out.failed ? mry_fail_memory(error, NULL)
                                     : tiles->put(tiles->user, seed, out.bytes, out.used, error);
    mry_arena_free(&tmp);
    return status;
}

/* A shard may come from anywhere. */
static marey_status take_seed(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                              marey_error *error)
{
    motif_work *w = user;
    const marey_searcher *s = w->seek->searcher;
    piece *to = &w->seeds[tile];
    mry_bytes_reader in = { .p = bytes, .end = bytes + size };
    if (to->places) return MAREY_OK; /* it comes again */
    to->still = mry_get_number(&in);
    to->share = ALIKE;
    int count = (int)mry_get_integer(&in, 1, (int64_t)size / 11 + 1);
    place *places = MRY_NEW(&w->mem, place, count);
    if (!places) return mry_fail_memory(error, NULL);
    for (int i = 0; i < count && !in.failed; i++) {
        int clip = (int)mry_get_integer(&in, 0, s->slot_count - 1);
        int rows = in.failed ? 1 : s->slots[clip].clip.rows;
        int start = (int)mry_get_integer(&in, 0, rows - 1);
        int end = (int)mry_get_integer(&in, start + 1, rows);
        places[i] = (place){ .at = { clip, start, end }, .cost = mry_get_number(&in) };
    }
    if (in.failed || in.p != in.end)
        return mry_fail(error, MAREY_ERR_DAMAGED, NULL,
                        "a shard holds what is not of these clips; work it out again");
    to->places = places;
    to->count = count;
    judge_places(w, to);
    return MAREY_OK;
}

/* All seeds, those of a shard, or what shards have. A seed costs by its length. */
static marey_status search_seeds(motif_work *w, const marey_tiles *tiles, marey_error *error)
{
    marey_ctx *ctx = w->mem.ctx;
    mry_arena tmp = mry_arena_make(ctx);
    double *costs = MRY_NEW(&tmp, double, w->seed_count + 1);
    marey_status status = costs ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < w->seed_count && costs; i++)
        costs[i] = w->seeds[i].at.end - w->seeds[i].at.start;
    if (!status && tiles) status = tiles->begin(tiles->user, costs, w->seed_count, error);
    mry_arena_free(&tmp);
    if (!status && tiles && !tiles->wants) return tiles->read(tiles->user, take_seed, w, error);
    for (int i = 0; i < w->seed_count && !status; i++) {
        if (!mry_progress(ctx, "searching", i, w->seed_count)) status = mry_fail_cancelled(error);
        if (status || (tiles && !tiles->wants(tiles->user, i))) continue;
        status = search(w, w->seeds[i].at, ALIKE, &w->mem, &w->seeds[i], error);
        if (!status && tiles) status = put_seed(w, tiles, i, error);
    }
    return status;
}

/* Inside a snapshot. */
static marey_status find(motif_work *w, const marey_motifs_def *def, marey_motifs *out,
                         marey_error *error)
{
    int limit = def->limit > 0 ? def->limit : 20;
    int wanted = limit > GROWN ? limit : GROWN, count = 0;
    marey_status status = mry_seek_begin(w->seek, error);
    if (!status) status = find_moving(w, error);
    if (!status) status = sow(w, error);
    if (!status) status = search_seeds(w, def->tiles, error);
    if (status || marey_tiles_made(def->tiles)) return status;
    piece *found = MRY_NEW(&w->mem, piece, wanted);
    if (!found) return mry_fail_memory(error, NULL);
    status = gather(w, wanted, found, &count, error);
    if (status) return status;
    out->report.seeds = w->seed_count;
    out->count = count < limit ? count : limit;
    out->motifs = MRY_NEW(&out->mem, marey_motif, out->count + 1);
    if (!out->motifs) return mry_fail_memory(error, NULL);
    for (int i = 0; i < out->count && !status; i++)
        status = put_motif(w, &out->mem, &found[i], &out->motifs[i], error);
    return status;
}

/* ---- public ---------------------------------------------------------------------------------- */

marey_status marey_searcher_motifs(marey_searcher *searcher, const marey_motifs_def *def,
                                   marey_motifs **out, marey_error *error)
{
    static const marey_motifs_def defaults = { 0 };
    int64_t start_ns = mry_clock_ns();
    mry_arena mem = mry_arena_make(searcher->ctx);
    marey_motifs *made = MRY_NEW(&mem, marey_motifs, 1);
    if (!made) return mry_fail_memory(error, NULL);
    made->mem = mem;
    if (!def) def = &defaults;
    marey_find_def where = { .label = def->label,
                             .clips = def->clips,
                             .clip_count = def->clip_count };
    mry_seek seek = { .searcher = searcher,
                      .def = &where,
                      .same = 0.5,
                      .places = true,
                      .mem = mry_arena_make(searcher->ctx) };
    motif_work w = { .seek = &seek, .mem = mry_arena_make(searcher->ctx) };
    marey_status status = mry_searcher_snapshot(searcher, error);
    if (!status) {
        status = find(&w, def, made, error);
        mry_searcher_rollback(searcher);
    }
    mry_list_free(searcher->ctx, &seek.hits);
    mry_list_free(searcher->ctx, &seek.steps);
    mry_arena_free(&w.mem);
    mry_arena_free(&seek.mem);
    made->report.seconds = 1e-9 * (double)(mry_clock_ns() - start_ns);
    if (!status && marey_tiles_made(def->tiles)) {
        marey_motifs_free(made);
        made = NULL;
    }
    if (status)
        marey_motifs_free(made);
    else
        *out = made;
    return status;
}

void marey_motifs_free(marey_motifs *motifs)
{
    if (!motifs) return;
    mry_arena mem = motifs->mem;
    mry_arena_free(&mem);
}

const marey_motif *marey_motifs_list(const marey_motifs *motifs, int *count)
{
    *count = motifs->count;
    return motifs->motifs;
}

marey_motifs_report marey_motifs_report_of(const marey_motifs *motifs)
{
    return motifs->report;
}
