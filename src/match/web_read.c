/* web_read.c - bytes back to a web; their form is described in web_write.c.

   Bytes may come from anywhere: counts are held against the bits that are left before anything is taken for them, and
   every number is checked that could lead a reader astray. The hash is there for accidents. */
#include "base/fail.h"
#include "match/search_index.h"
#include "match/web_bits.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    const uint8_t *bytes;
    size_t bits, at;
    bool failed; /* what was read last cannot be; all that follows is 0 */
} reader;

enum { AT_ONCE = 56 }; /* bits that are sure to be in eight bytes from any bit on */

/* The next bits, zeros behind the last. */
static uint64_t look(const reader *r)
{
    uint64_t value = 0;
    size_t byte = r->at / 8, left = r->bits / 8 - byte;
    for (size_t i = 0; i < 8 && i < left; i++) value |= (uint64_t)r->bytes[byte + i] << (8 * i);
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

static int32_t get_change(reader *r, int k)
{
    uint32_t high = (uint32_t)get_ones(r, MRY_BITS_LONG);
    if (high == MRY_BITS_LONG) return mry_unfold((uint32_t)get(r, 32));
    return mry_unfold(high << k | (uint32_t)get(r, k));
}

static double get_real(reader *r)
{
    uint64_t bits = get(r, 64);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- paths ---------------------------------------------------------------------------------------- */

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

static int64_t code_of(float cost)
{
    uint32_t bits;
    memcpy(&bits, &cost, sizeof bits);
    return bits >> (23 - MRY_WEB_COST_BITS);
}

/* The costs lie `way` apart, 1 or -1. */
static void get_costs(reader *r, float *costs, int way, int count, int64_t before)
{
    int k = (int)get(r, MRY_BITS_K);
    for (int i = 0; i < count && !r->failed; i++) {
        take_code(r, &costs[way * i], before + get_change(r, k));
        before = code_of(costs[way * i]);
    }
}

static marey_cell get_step(reader *r, marey_cell from, int way)
{
    if (!get(r, 1)) return (marey_cell){ from.row + way, from.col + way };
    if (!get(r, 1)) return (marey_cell){ from.row, from.col + way };
    return (marey_cell){ from.row + way, from.col };
}

static void get_steps(reader *r, const marey_web *web, marey_cell at, marey_cell *cells, int way,
                      int count)
{
    for (int i = 0; i < count && !r->failed; i++) {
        at = cells[way * i] = get_step(r, at, way);
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

static void get_chain(reader *r, marey_web *web, int64_t room, mry_web_path *path,
                      marey_cell *before)
{
    marey_cell first;
    first.row = before->row + get_count(r, web->rows - 1 - before->row);
    first.col = get_count(r, web->cols - 1);
    int count = get_count(r, INT32_MAX - 1) + 1;
    if (web->self && first.col <= first.row) r->failed = true;
    if (first.row == before->row && first.col < before->col) r->failed = true;
    int64_t at = take_cells(r, web, room, count);
    *path = (mry_web_path){ at, count, -1, -1, -1, -1 };
    if (r->failed) return;
    web->cells[at] = first;
    get_steps(r, web, first, web->cells + at + 1, 1, count - 1);
    take_code(r, &web->costs[at], get_count(r, MOST_CODE - 1));
    get_costs(r, web->costs + at + 1, 1, count - 1, code_of(web->costs[at]));
    *before = first;
}

static void get_tail(reader *r, marey_web *web, int64_t room, int chain, bool back,
                     mry_web_path *path)
{
    const mry_web_path *of = &web->paths[chain];
    int64_t end = of->first + (back ? 0 : of->count - 1);
    int count = get_count(r, INT32_MAX - 1) + 1;
    int64_t at = take_cells(r, web, room, count);
    *path = (mry_web_path){ at, count, -1, -1, -1, -1 };
    if (r->failed) return;
    if (back) at += count - 1;
    get_steps(r, web, web->cells[end], web->cells + at, back ? -1 : 1, count);
    get_costs(r, web->costs + at, back ? -1 : 1, count, code_of(web->costs[end]));
}

/* What joins them goes behind all bridges, whose places are not filled yet. */
static void get_tails(reader *r, marey_web *web, int64_t room)
{
    int chains = web->chain_count - web->tail_count, next = chains;
    for (int i = web->self; i < chains && !r->failed; i++) {
        for (int back = 0; back < 2; back++) {
            int count = (int)get(r, 2);
            if (count > web->chain_count - next) r->failed = true;
            for (; count > 0 && !r->failed; count--, next++) {
                get_tail(r, web, room, i, back, &web->paths[next]);
                if (!r->failed)
                    web->paths[next + web->bridge_count] = mry_web_joint(web, i, next, back);
            }
        }
    }
    if (next != web->chain_count) r->failed = true;
}

static bool is_step(marey_cell from, marey_cell to)
{
    int down = to.row - from.row, across = to.col - from.col;
    return down >= 0 && across >= 0 && down <= 1 && across <= 1 && down + across > 0;
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
    if (!r->failed && !is_step(count ? web->cells[at + count - 1] : web->cells[left], end)) {
        r->failed = true;
    }
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static void get_head(reader *r, marey_web *web, int64_t *cells)
{
    if (get(r, 32) != MRY_WEB_MAGIC || get(r, 8) != MRY_WEB_VERSION) r->failed = true;
    uint64_t self = get(r, 8), rows = get(r, 32), cols = get(r, 32);
    uint64_t chains = get(r, 32), tails = get(r, 32), bridges = get(r, 32), count = get(r, 64);
    web->fps = get_real(r);
    web->ceiling = get_real(r);
    uint64_t left = r->bits - r->at, most = left < INT32_MAX / 4 ? left : INT32_MAX / 4;
    if (r->failed || self > 1 || rows < 1 || cols < 1 || rows > MRY_WEB_MOST_FRAMES ||
        cols > MRY_WEB_MOST_FRAMES || (self && rows != cols) || chains > most || tails > most ||
        bridges > most || count > left || !(web->fps > 0 && web->fps < 1e9) ||
        !(web->ceiling > 0)) {
        r->failed = true;
        return;
    }
    web->self = self;
    web->rows = (int)rows;
    web->cols = (int)cols;
    web->tail_count = (int)tails;
    web->chain_count = (int)(chains + tails) + web->self;
    web->bridge_count = (int)(bridges + tails);
    *cells = (int64_t)count + (self ? web->rows : 0);
}

static void get_paths(reader *r, marey_web *web, int64_t cells)
{
    marey_cell before = { 0, -1 };
    if (web->self) {
        web->paths[0] = (mry_web_path){ 0, web->rows, -1, -1, -1, -1 };
        for (int i = 0; i < web->rows; i++) {
            web->cells[i] = (marey_cell){ i, i };
            web->costs[i] = 0;
        }
        web->cell_count = web->rows;
    }
    for (int i = web->self; i < web->chain_count - web->tail_count && !r->failed; i++) {
        get_chain(r, web, cells, &web->paths[i], &before);
    }
    get_tails(r, web, cells);
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

marey_status marey_web_read(marey_ctx *ctx, const uint8_t *bytes, size_t size, marey_web **out,
                            marey_error *error)
{
    uint64_t hash = 0;
    if (size < MRY_WEB_SUM_BYTES) return fail_damaged(error);
    size -= MRY_WEB_SUM_BYTES;
    for (int i = 0; i < MRY_WEB_SUM_BYTES; i++)
        hash |= (uint64_t)bytes[size + (size_t)i] << (8 * i);
    if (hash != mry_hash64(bytes, size, MRY_WEB_VERSION)) return fail_damaged(error);
    reader r = { .bytes = bytes, .bits = 8 * size };
    marey_web head = { 0 };
    int64_t cells = 0;
    get_head(&r, &head, &cells);
    if (r.failed) return fail_damaged(error);
    marey_web *web = mry_web_make(ctx, &head, cells);
    if (!web) return mry_fail_memory(error, NULL);
    get_paths(&r, web, cells);
    if (r.failed) {
        marey_web_free(web);
        return fail_damaged(error);
    }
    marey_status status = mry_web_index_make(web, error);
    if (status) {
        marey_web_free(web);
        return status;
    }
    *out = web;
    return MAREY_OK;
}
