/* web_write.c - a web as bytes, little-endian:

       "MRYW"  version: 1 byte  is it of a motion with itself: 1 byte  rows  columns  chains  tails  bridges: 4 bytes each
       cells: 8 bytes (without the diagonal)  fps  ceiling: 8 bytes each
       bits, see web_bits.h:
           for each chain but the diagonal: rows since the chain before, column, length less 1, steps, costs
           for each chain but the diagonal: how many tails go on from it, 2 bits; for each length less 1, steps,
           costs; then the same for tails that lead to it
           for each bridge: change of `from`, fold(to - from), from_cell, to_cell, length, steps, costs; the step to
           the cell that it reaches is not written
       a 64-bit hash of all this

   Bridges are those between chains; what joins tails follows from them. A cost is the number that its leading bits are, as a
   change from the cell before: the first of a chain from 0, that of a bridge or tail from the cell it leaves. A tail
   that leads back is written from the chain's first cell on, back. */
#include "base/fail.h"
#include "match/web_bits.h"
#include "match/web_data.h"
#include "store/store.h"

#include <string.h>

/* Counts while `bytes` is NULL. */
typedef struct writer {
    uint8_t *bytes; /* zeros */
    size_t bits;
} writer;

static void put(writer *w, uint64_t value, int count)
{
    for (int i = 0; w->bytes && i < count; i++) {
        size_t at = w->bits + (size_t)i;
        w->bytes[at / 8] |= (uint8_t)((value >> i & 1) << (at % 8));
    }
    w->bits += (size_t)count;
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

static void put_change(writer *w, int32_t change, int k)
{
    uint32_t folded = mry_fold(change), high = folded >> k;
    if (high >= MRY_BITS_LONG) {
        put_ones(w, MRY_BITS_LONG);
        put(w, folded, 32);
        return;
    }
    put_ones(w, (int)high);
    put(w, 0, 1);
    put(w, folded & ((UINT32_C(1) << k) - 1), k);
}

/* ---- paths ---------------------------------------------------------------------------------------- */

static void put_step(writer *w, marey_cell from, marey_cell to)
{
    if (to.row == from.row)
        put(w, 1, 2);
    else if (to.col == from.col)
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

/* The costs lie `way` apart, 1 or -1. */
static void put_costs_by(writer *w, const float *costs, int way, int count, int32_t before, int k)
{
    for (int i = 0; i < count; i++) {
        int32_t code = code_of(costs[way * i]);
        put_change(w, code - before, k);
        before = code;
    }
}

static void put_costs(writer *w, const float *costs, int way, int count, int32_t before)
{
    size_t least = SIZE_MAX;
    int best = 0;
    for (int k = 0; k < 1 << MRY_BITS_K; k++) {
        writer tried = { 0 };
        put_costs_by(&tried, costs, way, count, before, k);
        if (tried.bits < least) {
            least = tried.bits;
            best = k;
        }
    }
    put(w, (uint64_t)best, MRY_BITS_K);
    put_costs_by(w, costs, way, count, before, best);
}

static void put_chain(writer *w, const marey_web *web, const mry_web_path *path, int *row)
{
    const marey_cell *cells = web->cells + path->first;
    const float *costs = web->costs + path->first;
    put_count(w, cells[0].row - *row);
    put_count(w, cells[0].col);
    put_count(w, path->count - 1);
    for (int i = 1; i < path->count; i++) put_step(w, cells[i - 1], cells[i]);
    put_count(w, code_of(costs[0]));
    put_costs(w, costs + 1, 1, path->count - 1, code_of(costs[0]));
    *row = cells[0].row;
}

static void put_bridge(writer *w, const marey_web *web, const mry_web_path *path, int *from)
{
    const marey_cell *cells = web->cells + path->first;
    int64_t left = web->paths[path->from].first + path->from_cell; /* the cell that it leaves */
    put_count(w, path->from - *from);
    put_count(w, (int)mry_fold(path->to - path->from));
    put_count(w, path->from_cell);
    put_count(w, path->to_cell);
    put_count(w, path->count);
    for (int i = 0; i < path->count; i++)
        put_step(w, i ? cells[i - 1] : web->cells[left], cells[i]);
    if (path->count > 0) {
        put_costs(w, web->costs + path->first, 1, path->count, code_of(web->costs[left]));
    }
    *from = path->from;
}

static void put_tail(writer *w, const marey_web *web, int chain, const mry_web_path *tail,
                     bool back)
{
    const mry_web_path *of = &web->paths[chain];
    int64_t end = of->first + (back ? 0 : of->count - 1);
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

/* Joints lie in the order of tails, and tell whose they are. */
static void put_tails(writer *w, const marey_web *web)
{
    int chains = web->chain_count - web->tail_count, next = 0;
    const mry_web_path *tails = web->paths + chains;
    const mry_web_path *joints = tails + web->bridge_count;
    for (int i = web->self; i < chains; i++) {
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
}

static void put_real(writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(w, bits, 64);
}

static void put_all(writer *w, const marey_web *web)
{
    int row = 0, from = 0, first = web->self;
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
    for (int i = first; i < chains; i++) put_chain(w, web, &web->paths[i], &row);
    put_tails(w, web);
    for (int i = 0; i < bridges; i++) {
        put_bridge(w, web, &web->paths[web->chain_count + i], &from);
    }
}

marey_status marey_web_write(const marey_web *web, uint8_t **bytes, size_t *size,
                             marey_error *error)
{
    writer w = { 0 };
    put_all(&w, web);
    size_t used = (w.bits + 7) / 8, whole = used + MRY_WEB_SUM_BYTES;
    w = (writer){ .bytes = mry_alloc(web->mem.ctx, whole) };
    if (!w.bytes) return mry_fail_memory(error, NULL);
    memset(w.bytes, 0, whole);
    put_all(&w, web);
    uint64_t hash = mry_hash64(w.bytes, used, MRY_WEB_VERSION);
    for (int i = 0; i < MRY_WEB_SUM_BYTES; i++)
        w.bytes[used + (size_t)i] = (uint8_t)(hash >> (8 * i));
    *bytes = w.bytes;
    *size = whole;
    return MAREY_OK;
}

void marey_web_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    mry_release(ctx, bytes, size);
}
