/* columns.c - columns of decimals. Layout, little-endian:

       magic u32, rows u32, cols u32
       cols times: decimals u8, order u8, width u8, 0 u8, first i64, second i64
       cols times: width planes of rows bytes, lowest byte first

   A column's integers n[i] = value * 10^decimals are replaced by differences of the given order (0,
   1 or 2; the first `order` of them stand in the head), zigzagged to be without sign, and cut into
   byte planes. decimals 255: the bits of the doubles themselves, order 0, width 8. */
#include "store/columns.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

enum { MAGIC = 0x314c4f43, HEAD = 12, COLUMN_HEAD = 20, RAW = 255, MOST_DECIMALS = 15, ORDERS = 3 };

/* Numbers of so many bytes, lowest byte first. */
static void put(uint8_t *p, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) p[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *p, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* ---- packing --------------------------------------------------------------------------------- */

static uint64_t zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static int bits(uint64_t v)
{
    return v ? 64 - __builtin_clzll(v) : 0;
}

typedef struct column {
    int decimals, order, width;
    int64_t first, second;
} column;

/* Leaves in n[] what the planes are cut from. */
static column prepare(const double *values, int rows, int cols, int64_t *n)
{
    column c = { .width = 8 };
    /* The fewest decimals that serve the whole column, and the integers. */
    for (int fits = 0; fits < rows && c.decimals != RAW;) {
        /* value = n / 10^decimals with one correctly rounded division: then the way back is
           exact. */
        double value = values[(size_t)fits * (size_t)cols], power = mry_power_of_ten[c.decimals];
        double scaled = nearbyint(value * power);
        if (fabs(scaled) < 9007199254740992.0 && scaled / power == value) {
            n[fits++] = (int64_t)scaled;
        } else {
            fits = 0; /* more decimals change the integers of all before */
            if (++c.decimals > MOST_DECIMALS) c.decimals = RAW;
        }
    }
    if (c.decimals == RAW) {
        for (int i = 0; i < rows; i++) {
            double value = values[(size_t)i * (size_t)cols] + 0.0; /* -0 becomes 0 */
            memcpy(&n[i], &value, sizeof value);
        }
        return c;
    }
    /* The order of differences whose bits add up to the least; below 2^53 nothing overflows. */
    int64_t cost[ORDERS] = { 0 };
    for (int i = 2; i < rows; i++) {
        int64_t first = n[i] - n[i - 1], second = first - (n[i - 1] - n[i - 2]);
        cost[0] += bits(zigzag(n[i]));
        cost[1] += bits(zigzag(first));
        cost[2] += bits(zigzag(second));
    }
    for (int order = 1; order < ORDERS; order++) {
        if (cost[order] < cost[c.order]) c.order = order;
    }
    c.first = c.order > 0 ? n[0] : 0;
    c.second = c.order > 1 ? n[1] : 0;
    /* In place, from the end, so that each still sees the ones before it. */
    for (int i = rows - 1; c.order > 0 && i >= c.order; i--) {
        n[i] -= c.order == 1 ? n[i - 1] : 2 * n[i - 1] - n[i - 2];
    }
    for (int i = c.order; i < rows; i++) n[i] = (int64_t)zigzag(n[i]);
    uint64_t used = 0; /* the bits of any of them */
    for (int i = c.order; i < rows; i++) used |= (uint64_t)n[i];
    c.width = (bits(used) + 7) / 8;
    for (int i = 0; i < c.order; i++) n[i] = 0;
    return c;
}

bool mry_columns_pack(mry_arena *mem, mry_arena *tmp, const double *values, int rows, int cols,
                      void **bytes, size_t *count)
{
    size_t heads = HEAD + (size_t)cols * COLUMN_HEAD, r = (size_t)rows, used = heads;
    uint8_t *all = MRY_NEW_RAW(tmp, uint8_t, heads + r * (size_t)cols * 8);
    int64_t *n = MRY_NEW_RAW(tmp, int64_t, r);
    if (!all || !n) return false;
    put(all, MAGIC, 4);
    put(all + 4, (uint64_t)rows, 4);
    put(all + 8, (uint64_t)cols, 4);
    for (int c = 0; c < cols; c++) {
        column packed = prepare(values + c, rows, cols, n);
        uint8_t *head = all + HEAD + (size_t)c * COLUMN_HEAD;
        head[0] = (uint8_t)packed.decimals;
        head[1] = (uint8_t)packed.order;
        head[2] = (uint8_t)packed.width;
        head[3] = 0;
        put(head + 4, (uint64_t)packed.first, 8);
        put(head + 12, (uint64_t)packed.second, 8);
        for (int plane = 0; plane < packed.width; plane++, used += r) {
            for (size_t i = 0; i < r; i++) all[used + i] = (uint8_t)((uint64_t)n[i] >> (8 * plane));
        }
    }
    *bytes = mry_arena_take(mem, used, 1);
    if (!*bytes) return false;
    memcpy(*bytes, all, used);
    *count = used;
    return true;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

static bool read_head(const uint8_t *head, column *c)
{
    *c = (column){ head[0], head[1], head[2], (int64_t)get(head + 4, 8),
                   (int64_t)get(head + 12, 8) };
    bool raw = c->decimals == RAW && c->order == 0 && c->width == 8;
    return raw || (c->decimals <= MOST_DECIMALS && c->order < ORDERS && c->width <= 8);
}

bool mry_columns_shape(const void *bytes, size_t count, int *rows, int *cols)
{
    const uint8_t *p = bytes;
    column head;
    if (count < HEAD || get(p, 4) != MAGIC) return false;
    uint64_t r = get(p + 4, 4), c = get(p + 8, 4);
    if (r > INT32_MAX || c > INT32_MAX || (count - HEAD) / COLUMN_HEAD < c) return false;
    size_t used = HEAD + (size_t)c * COLUMN_HEAD;
    for (size_t i = 0; i < c; i++) { /* the planes of every column must be there */
        if (!read_head(p + HEAD + i * COLUMN_HEAD, &head)) return false;
        if (head.width && (count - used) / (size_t)head.width < r) return false;
        used += (size_t)r * (size_t)head.width;
    }
    if (used != count) return false;
    *rows = (int)r;
    *cols = (int)c;
    return true;
}

/* Numbers are written row by row, columns are read plane by plane. Working on BLOCK rows of GROUP
   columns at a time keeps what is written in the first-level cache. */
enum { BLOCK = 64, GROUP = 64 };

/* One column on its way through the rows. */
typedef struct cursor {
    column head;
    const uint8_t *planes;
    uint64_t last, step; /* the last integer, and how far it was from the one before */
    double power;
} cursor;

/* Of rows [at, at + count) every so many, the first of which goes to `out`. */
static void unpack_block(cursor *c, size_t rows, size_t at, size_t count, size_t every, size_t cols,
                         double *out)
{
    uint64_t n[BLOCK];
    size_t first = (every - at % every) % every;
    for (size_t i = 0; i < count; i++) n[i] = 0;
    for (int plane = 0; plane < c->head.width; plane++) {
        const uint8_t *bytes = c->planes + (size_t)plane * rows + at;
        for (size_t i = 0; i < count; i++) n[i] |= (uint64_t)bytes[i] << (8 * plane);
    }
    if (c->head.decimals == RAW) {
        for (size_t i = first; i < count; i += every, out += cols) memcpy(out, &n[i], sizeof *n);
        return;
    }
    double values[BLOCK];
    /* Sums run in unsigned integers: damaged bytes may overflow, and then only give wrong
       numbers. */
    uint64_t last = c->last, step = c->step;
    size_t order = (size_t)c->head.order, i = 0;
    for (size_t k = 0; k < count; k++) n[k] = n[k] >> 1 ^ -(n[k] & 1); /* the zigzag undone */
    for (; at + i < order && i < count; i++) {
        uint64_t v = (uint64_t)(at + i == 0 ? c->head.first : c->head.second);
        step = v - last;
        n[i] = last = v;
    }
    for (; i < count && order == 1; i++) n[i] = last += n[i];
    for (; i < count && order == 2; i++) n[i] = last += step += n[i];
    c->last = last;
    c->step = step;
    size_t kept = 0;
    for (size_t k = first; k < count; k += every) n[kept++] = n[k];
    for (size_t k = 0; k < kept; k++) values[k] = (double)(int64_t)n[k] / c->power;
    for (size_t k = 0; k < kept; k++) out[k * cols] = values[k];
}

bool mry_columns_unpack(const void *bytes, size_t count, int every, double *values)
{
    const uint8_t *p = bytes;
    cursor cursors[GROUP];
    int rows, cols;
    if (!mry_columns_shape(bytes, count, &rows, &cols)) return false;
    size_t used = HEAD + (size_t)cols * COLUMN_HEAD, r = (size_t)rows, group = 0;
    for (size_t c = 0; c < (size_t)cols; c++) {
        cursor *next = &cursors[group++];
        *next = (cursor){ .planes = p + used, .power = 1 };
        read_head(p + HEAD + c * COLUMN_HEAD, &next->head);
        if (next->head.decimals != RAW) next->power = mry_power_of_ten[next->head.decimals];
        used += r * (size_t)next->head.width;
        if (group < GROUP && c + 1 < (size_t)cols) continue;
        for (size_t at = 0; at < r; at += BLOCK) {
            size_t left = r - at < BLOCK ? r - at : BLOCK;
            for (size_t g = 0; g < group; g++) {
                size_t row = (at + (size_t)every - 1) / (size_t)every;
                unpack_block(&cursors[g], r, at, left, (size_t)every, (size_t)cols,
                             values + row * (size_t)cols + c + 1 - group + g);
            }
        }
        group = 0;
    }
    return true;
}
