/* web_bytes.c - a web as bytes and back, little-endian:

       "MRYW"  version: 1 byte  is it of a motion with itself: 1 byte  rows  columns  chains  tails  bridges: 4 bytes each
       cells: 8 bytes (without the diagonal)  fps  ceiling: 8 bytes each
       bits, see web_bits.h:
           for each chain but the diagonal: rows since the chain before, column, length less 1, steps, costs
           for each chain but the diagonal: how many tails go on from it, 2 bits; for each length less 1, steps,
           costs; then the same for tails that lead to it
           for each bridge: change of `from`, fold(to - from), from_cell, to_cell, length, steps, costs; the step to
           the cell that it reaches is not written
       a 64-bit hash of all this

   Bridges are those between chains; what joins tails follows from them. A cost is the number that
   its leading bits are, as a change from the cell before: the first of a chain from 0, that of a
   bridge or tail from the cell it leaves. A tail that leads back is written from the chain's first
   cell on, back. */
#include "match/search_index.h"
#include "match/web_bits.h"
#include "match/web_data.h"

#include "base/fail.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

/* Bits gather in a word, and words in bytes that grow. */
typedef struct writer {
    marey_ctx *ctx;
    uint8_t *bytes;
    size_t used, room;
    uint64_t word;
    int held;         /* bits of the word */
    uint32_t *folded; /* room for the longest path's costs */
    bool failed;      /* no memory: nothing is written any more */
} writer;

/* The word's bytes, all of them or as many as hold its bits. */
static void put_word(writer *w, size_t count)
{
    enum { FIRST_ROOM = 256 };
    if (w->used + 8 > w->room && !w->failed) {
        size_t more = w->room ? 2 * w->room : FIRST_ROOM;
        uint8_t *longer = mry_resize(w->ctx, w->bytes, w->room, more);
        w->failed = longer == NULL;
        if (longer) {
            w->bytes = longer;
            w->room = more;
        }
    }
    if (w->failed) return;
    for (size_t i = 0; i < 8; i++) w->bytes[w->used + i] = (uint8_t)(w->word >> (8 * i));
    w->used += count;
}

/* The lowest `count` bits, 64 at most. */
static inline void put(writer *w, uint64_t value, int count)
{
    if (count < 64) value &= (UINT64_C(1) << count) - 1;
    w->word |= value << w->held;
    w->held += count;
    if (w->held < 64) return;
    put_word(w, 8);
    w->held -= 64;
    w->word = w->held > 0 ? value >> (count - w->held) : 0;
}

static void put_ones(writer *w, int count)
{
    put(w, (UINT64_C(1) << count) - 1, count);
}

static void put_count(writer *w, int value)
{
    uint32_t n = (uint32_t)value + 1;
    int more = 31 - __builtin_clz(n);
    put_ones(w, more);
    put(w, 0, 1);
    put(w, n & ((UINT32_C(1) << more) - 1), more);
}

static void put_step(writer *w, marey_cell from, marey_cell next)
{
    if (next.row == from.row)
        put(w, 1, 2);
    else if (next.col == from.col)
        put(w, 3, 2);
    else
        put(w, 0, 1);
}

static int32_t code_of(float cost)
{
    uint32_t bits;
    memcpy(&bits, &cost, sizeof bits);
    return (int32_t)(bits >> (23 - MRY_WEB_COST_BITS));
}

/* The folded changes of costs, which lie `way` apart, 1 or -1. */
static void fold_costs(const float *costs, int way, int count, int32_t before, uint32_t *out)
{
    for (int i = 0; i < count; i++) {
        int32_t code = code_of(costs[way * i]);
        out[i] = mry_fold(code - before);
        before = code;
    }
}

enum { PART = 1 << 16 };

static uint64_t count_bits(const uint32_t *folded, int count, int k)
{
    uint64_t bits = 0;
    for (int from = 0; from < count; from += PART) {
        int end = count - from < PART ? count : from + PART;
        uint32_t sum = 0; /* of so few */
        for (int i = from; i < end; i++) {
            uint32_t high = folded[i] >> k, own = high + 1 + (uint32_t)k;
            sum += high >= MRY_BITS_LONG ? MRY_BITS_LONG + 32 : own;
        }
        bits += sum;
    }
    return bits;
}

/* The k with which they take the fewest bits, the least of those; each takes 1 + k at least. */
static int best_k(const uint32_t *folded, int count)
{
    int best = 0;
    uint64_t bits = count_bits(folded, count, 0);
    for (int k = 1; k < 1 << MRY_BITS_K && (uint64_t)count * (uint64_t)(k + 1) < bits; k++) {
        uint64_t other = count_bits(folded, count, k);
        if (other >= bits) continue;
        bits = other;
        best = k;
    }
    return best;
}

static void put_costs(writer *w, const float *costs, int way, int count, int32_t before)
{
    fold_costs(costs, way, count, before, w->folded);
    int best = best_k(w->folded, count);
    put(w, (uint64_t)best, MRY_BITS_K);
    for (int i = 0; i < count; i++) {
        uint32_t folded = w->folded[i], high = folded >> best;
        if (high >= MRY_BITS_LONG) {
            put_ones(w, MRY_BITS_LONG);
            put(w, folded, 32);
        } else { /* so many ones, a zero, and the rest */
            uint64_t rest = folded & ((UINT32_C(1) << best) - 1);
            put(w, ((UINT64_C(1) << high) - 1) | rest << (high + 1), (int)high + 1 + best);
        }
    }
}

static void put_tail(writer *w, const marey_web *web, int chain, const mry_web_path *tail,
                     bool back)
{
    const mry_web_path *path = &web->paths[chain];
    int64_t end = path->first + (back ? 0 : path->count - 1);
    int64_t at = back ? tail->first + tail->count - 1 : tail->first;
    int way = back ? -1 : 1;
    put_count(w, tail->count - 1);
    for (int i = 0; i < tail->count; i++) {
        marey_cell before = i ? web->cells[at + way * (i - 1)] : web->cells[end];
        marey_cell here = web->cells[at + way * i];
        put_step(w, back ? here : before, back ? before : here);
    }
    put_costs(w, web->costs + at, way, tail->count, code_of(web->costs[end]));
}

static void put_real(writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(w, bits, 64);
}

static void put_all(writer *w, const marey_web *web)
{
    int first = web->self, row = 0, from = 0, next = 0;
    int chains = web->chain_count - web->tail_count, bridges = web->bridge_count - web->tail_count;
    put(w, MRY_WEB_MAGIC, 32);
    put(w, MRY_WEB_VERSION, 8);
    put(w, web->self, 8);
    put(w, (uint32_t)web->rows, 32);
    put(w, (uint32_t)web->cols, 32);
    put(w, (uint32_t)(chains - first), 32);
    put(w, (uint32_t)web->tail_count, 32);
    put(w, (uint32_t)bridges, 32);
    put(w, (uint64_t)(web->cell_count - (web->self ? web->rows : 0)), 64);
    put_real(w, web->fps);
    put_real(w, web->ceiling);
    for (int i = first; i < chains; i++) {
        const mry_web_path *path = &web->paths[i];
        const marey_cell *cells = web->cells + path->first;
        const float *costs = web->costs + path->first;
        put_count(w, cells[0].row - row);
        put_count(w, cells[0].col);
        put_count(w, path->count - 1);
        for (int k = 1; k < path->count; k++) put_step(w, cells[k - 1], cells[k]);
        put_count(w, code_of(costs[0]));
        put_costs(w, costs + 1, 1, path->count - 1, code_of(costs[0]));
        row = cells[0].row;
    }
    /* Tails. Joints lie in the order of tails, and tell whose they are. */
    const mry_web_path *tails = web->paths + chains, *joints = tails + web->bridge_count;
    for (int i = first; i < chains; i++) {
        for (int back = 0; back < 2; back++) {
            int count = 0;
            while (next + count < web->tail_count &&
                   (back ? joints[next + count].to : joints[next + count].from) == i) {
                count++;
            }
            put(w, (uint64_t)count, 2);
            for (; count > 0; count--) put_tail(w, web, i, &tails[next++], back);
        }
    }
    for (int i = 0; i < bridges; i++) {
        const mry_web_path *path = &web->paths[web->chain_count + i];
        const marey_cell *cells = web->cells + path->first;
        int64_t left = web->paths[path->from].first + path->from_cell; /* the cell that it leaves */
        put_count(w, path->from - from);
        put_count(w, (int)mry_fold(path->to - path->from));
        put_count(w, path->from_cell);
        put_count(w, path->to_cell);
        put_count(w, path->count);
        for (int k = 0; k < path->count; k++)
            put_step(w, k ? cells[k - 1] : web->cells[left], cells[k]);
        if (path->count > 0)
            put_costs(w, web->costs + path->first, 1, path->count, code_of(web->costs[left]));
        from = path->from;
    }
}

static int longest_path(const marey_web *web)
{
    int most = 0;
    for (int i = web->self; i < web->chain_count + web->bridge_count; i++)
        if (web->paths[i].count > most) most = web->paths[i].count;
    return most;
}

marey_status marey_web_write(const marey_web *web, uint8_t **bytes, size_t *size,
                             marey_error *error)
{
    marey_ctx *ctx = web->mem.ctx;
    mry_arena tmp = mry_arena_make(ctx);
    writer w = { .ctx = ctx, .folded = MRY_NEW_RAW(&tmp, uint32_t, longest_path(web) + 1) };
    if (!w.folded) return mry_fail_memory(error, NULL);
    put_all(&w, web);
    put_word(&w, ((size_t)w.held + 7) / 8);
    mry_arena_free(&tmp);
    size_t whole = w.used + MRY_WEB_SUM_BYTES;
    uint8_t *out = w.failed ? NULL : mry_alloc(ctx, whole);
    if (out) {
        memcpy(out, w.bytes, w.used);
        uint64_t hash = mry_hash64(out, w.used, MRY_WEB_VERSION);
        for (int i = 0; i < MRY_WEB_SUM_BYTES; i++)
            out[w.used + (size_t)i] = (uint8_t)(hash >> (8 * i));
    }
    mry_release(ctx, w.bytes, w.room);
    if (!out) return mry_fail_memory(error, NULL);
    *bytes = out;
    *size = whole;
    return MAREY_OK;
}

void marey_web_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    mry_release(ctx, bytes, size);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Bytes may come from anywhere: counts are held against the bits that are left before anything is
   taken for them, and every number is checked that could lead a reader astray. The hash is there
   for accidents. */
typedef struct reader {
    const uint8_t *bytes;
    size_t bits, at;
    bool failed; /* what was read last is invalid; all that follows is 0 */
} reader;

enum { AT_ONCE = 56 }; /* bits that are sure to be in eight bytes from any bit on */

/* The next bits, zeros behind the last. */
static uint64_t look(const reader *r)
{
    uint64_t value = 0;
    size_t byte = r->at / 8, left = r->bits / 8 - byte;
    const uint8_t *at = r->bytes + byte;
    if (left >= 8) { /* nearly always: compilers make one word of it */
        value = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
                (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
                (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
    } else {
        for (size_t i = 0; i < left; i++) value |= (uint64_t)at[i] << (8 * i);
    }
    return value >> (r->at % 8);
}

/* Up to 64 of them. */
static uint64_t get(reader *r, int count)
{
    if (r->failed || r->bits - r->at < (size_t)count) {
        r->failed = true;
        return 0;
    }
    int now = count < AT_ONCE ? count : AT_ONCE;
    uint64_t value = look(r) & ((UINT64_C(1) << now) - 1);
    r->at += (size_t)now;
    return count == now ? value : value | get(r, count - now) << now;
}

/* How many ones there are, up to `most` (< AT_ONCE), and the zero behind them if they are fewer. */
static int get_ones(reader *r, int most)
{
    int count = __builtin_ctzll(~look(r) | UINT64_C(1) << most);
    get(r, count < most ? count + 1 : count);
    return r->failed ? 0 : count;
}

/* At most `most` >= 0. */
static int get_count(reader *r, int most)
{
    int more = get_ones(r, 32);
    if (more > 31) r->failed = true;
    if (r->failed) return 0;
    uint64_t value = (UINT64_C(1) << more | get(r, more)) - 1;
    if (value > (uint64_t)most) r->failed = true;
    return r->failed ? 0 : (int)value;
}

static double get_real(reader *r)
{
    uint64_t bits = get(r, 64);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum { MOST_CODE = 0x7f800000 >> (23 - MRY_WEB_COST_BITS) };

static void take_code(reader *r, float *cost, int64_t code)
{
    if (code < 0 || code >= MOST_CODE) {
        r->failed = true;
        code = 0;
    }
    uint32_t bits = (uint32_t)code << (23 - MRY_WEB_COST_BITS);
    memcpy(cost, &bits, sizeof bits);
}

/* The costs lie `way` apart, 1 or -1. */
static void get_costs(reader *r, float *costs, int way, int count, int64_t before)
{
    int k = (int)get(r, MRY_BITS_K);
    for (int i = 0; i < count && !r->failed; i++) {
        uint32_t high = (uint32_t)get_ones(r, MRY_BITS_LONG);
        bool whole = high == MRY_BITS_LONG;
        uint32_t folded = whole ? (uint32_t)get(r, 32) : high << k | (uint32_t)get(r, k);
        take_code(r, &costs[way * i], before + mry_unfold(folded));
        before = code_of(costs[way * i]);
    }
}

static void get_steps(reader *r, const marey_web *web, marey_cell at, marey_cell *cells, int way,
                      int count)
{
    for (int i = 0; i < count && !r->failed; i++) {
        if (!get(r, 1)) /* diagonal */
            at = (marey_cell){ at.row + way, at.col + way };
        else if (!get(r, 1)) /* across */
            at = (marey_cell){ at.row, at.col + way };
        else
            at = (marey_cell){ at.row + way, at.col };
        cells[way * i] = at;
        if (at.row < 0 || at.col < 0 || at.row >= web->rows || at.col >= web->cols ||
            (web->self && at.col <= at.row)) {
            r->failed = true;
        }
    }
}

/* Room for so many cells more, which the web's own count must have. */
static int64_t take_cells(reader *r, marey_web *web, int64_t room, int count)
{
    int64_t at = web->cell_count;
    if (count > room - at)
        r->failed = true;
    else
        web->cell_count += count;
    return at;
}

static void get_bridge(reader *r, marey_web *web, int64_t room, mry_web_path *path,
                       const mry_web_path *before)
{
    int chains = web->chain_count - web->tail_count, from = before ? before->from : 0;
    from += get_count(r, chains - 1 - from);
    int64_t to = (int64_t)from + mry_unfold((uint32_t)get_count(r, INT32_MAX));
    if (to < 0 || to >= chains || to == from) r->failed = true;
    if (before && from == before->from && to <= before->to) r->failed = true;
    if (r->failed) return;
    int from_cell = get_count(r, web->paths[from].count - 1);
    int to_cell = get_count(r, web->paths[to].count - 1), count = get_count(r, INT32_MAX - 1);
    int64_t at = take_cells(r, web, room, count);
    *path = (mry_web_path){ at, count, from, (int)to, from_cell, to_cell };
    if (r->failed) return;
    int64_t left = web->paths[from].first + from_cell;
    marey_cell end = web->cells[web->paths[to].first + to_cell];
    get_steps(r, web, web->cells[left], web->cells + at, 1, count);
    if (count > 0) get_costs(r, web->costs + at, 1, count, code_of(web->costs[left]));
    if (r->failed) return;
    marey_cell last = count ? web->cells[at + count - 1] : web->cells[left];
    int down = end.row - last.row, across = end.col - last.col;
    r->failed = down < 0 || across < 0 || down > 1 || across > 1 || down + across == 0;
}

/* All paths of a web whose head is read. */
static void get_paths(reader *r, marey_web *web, int64_t cells)
{
    int chains = web->chain_count - web->tail_count, paths = web->chain_count, next = chains;
    marey_cell before = { 0, -1 };
    if (web->self) {
        mry_web_add_diagonal(web);
        web->chain_count = paths; /* those that follow are counted already */
    }
    for (int i = web->self; i < chains && !r->failed; i++) {
        marey_cell first;
        first.row = before.row + get_count(r, web->rows - 1 - before.row);
        first.col = get_count(r, web->cols - 1);
        int count = get_count(r, INT32_MAX - 1) + 1;
        if (web->self && first.col <= first.row) r->failed = true;
        if (first.row == before.row && first.col < before.col) r->failed = true;
        int64_t at = take_cells(r, web, cells, count);
        web->paths[i] = (mry_web_path){ at, count, -1, -1, -1, -1 };
        if (r->failed) return;
        web->cells[at] = first;
        get_steps(r, web, first, web->cells + at + 1, 1, count - 1);
        take_code(r, &web->costs[at], get_count(r, MOST_CODE - 1));
        get_costs(r, web->costs + at + 1, 1, count - 1, code_of(web->costs[at]));
        before = first;
    }
    /* Tails. What joins them goes behind all bridges, whose places are not filled yet. */
    for (int i = web->self; i < chains && !r->failed; i++) {
        for (int back = 0; back < 2; back++) {
            int tails = (int)get(r, 2);
            if (tails > web->chain_count - next) r->failed = true;
            for (; tails > 0 && !r->failed; tails--, next++) {
                const mry_web_path *path = &web->paths[i];
                int64_t end = path->first + (back ? 0 : path->count - 1);
                int count = get_count(r, INT32_MAX - 1) + 1;
                int64_t at = take_cells(r, web, cells, count);
                web->paths[next] = (mry_web_path){ at, count, -1, -1, -1, -1 };
                if (r->failed) return;
                if (back) at += count - 1;
                get_steps(r, web, web->cells[end], web->cells + at, back ? -1 : 1, count);
                get_costs(r, web->costs + at, back ? -1 : 1, count, code_of(web->costs[end]));
                if (r->failed) return;
                web->paths[next + web->bridge_count] = mry_web_joint(web, i, next, back);
            }
        }
    }
    if (next != web->chain_count) r->failed = true;
    for (int i = 0; i < web->bridge_count - web->tail_count && !r->failed; i++) {
        mry_web_path *path = &web->paths[web->chain_count + i];
        get_bridge(r, web, cells, path, i ? path - 1 : NULL);
    }
    if (web->cell_count != cells || r->bits - r->at >= 8) r->failed = true;
}

static marey_status fail_damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL, "the bytes of a match web are damaged");
}

/* What stands in front of the paths. */
static marey_status read_head(reader *r, const uint8_t *bytes, size_t size, marey_web *head,
                              int64_t *cells, marey_error *error)
{
    uint64_t hash = 0;
    if (size < MRY_WEB_SUM_BYTES) return fail_damaged(error);
    size -= MRY_WEB_SUM_BYTES;
    for (int i = 0; i < MRY_WEB_SUM_BYTES; i++)
        hash |= (uint64_t)bytes[size + (size_t)i] << (8 * i);
    if (hash != mry_hash64(bytes, size, MRY_WEB_VERSION)) return fail_damaged(error);
    *r = (reader){ .bytes = bytes, .bits = 8 * size };
    if (get(r, 32) != MRY_WEB_MAGIC || get(r, 8) != MRY_WEB_VERSION) return fail_damaged(error);
    uint64_t self = get(r, 8), rows = get(r, 32), cols = get(r, 32);
    uint64_t chains = get(r, 32), tails = get(r, 32), bridges = get(r, 32), count = get(r, 64);
    double fps = get_real(r), ceiling = get_real(r);
    uint64_t left = r->bits - r->at, most = left < INT32_MAX / 4 ? left : INT32_MAX / 4;
    if (r->failed || self > 1 || rows < 1 || cols < 1 || rows > MRY_WEB_MOST_FRAMES ||
        cols > MRY_WEB_MOST_FRAMES || (self && rows != cols) || chains > most || tails > most ||
        bridges > most || count > left || !(fps > 0 && fps < 1e9) || !(ceiling > 0))
        return fail_damaged(error);
    *head = (marey_web){ .rows = (int)rows,
                         .cols = (int)cols,
                         .self = self,
                         .fps = fps,
                         .ceiling = ceiling,
                         .tail_count = (int)tails,
                         .chain_count = (int)(chains + tails + self),
                         .bridge_count = (int)(bridges + tails) };
    *cells = (int64_t)count + (self ? head->rows : 0);
    return MAREY_OK;
}

marey_status mry_web_head(const uint8_t *bytes, size_t size, marey_web *head, marey_error *error)
{
    reader r;
    int64_t cells;
    return read_head(&r, bytes, size, head, &cells, error);
}

marey_status marey_web_read(marey_ctx *ctx, const uint8_t *bytes, size_t size, marey_web **out,
                            marey_error *error)
{
    reader r;
    marey_web head;
    int64_t cells;
    marey_status status = read_head(&r, bytes, size, &head, &cells, error);
    if (status) return status;
    marey_web *web = mry_web_make(ctx, &head, cells);
    if (!web) return mry_fail_memory(error, NULL);
    get_paths(&r, web, cells);
    if (r.failed) {
        marey_web_free(web);
        return fail_damaged(error);
    }
    status = mry_web_index_make(web, error);
    if (status) {
        marey_web_free(web);
        return status;
    }
    *out = web;
    return MAREY_OK;
}
