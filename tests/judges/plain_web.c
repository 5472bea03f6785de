/* plain_web.c - see plain_web.h. */
#include "plain_web.h"

#include "owned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    marey_rows cost;
    bool self;
    int slope, shortest, reach;
    float grow, ceiling;
    int *chain, *index; /* of every cell: its chain, counted from 1; which of its cells */
    plain_web *web;
} maker;

static float cost_at(const maker *m, int r, int c)
{
    if (r < 0 || c < 0 || r >= m->cost.rows || c >= m->cost.cols) return INFINITY;
    return m->cost.values[(size_t)r * m->cost.stride + (size_t)c];
}

static size_t at(const maker *m, int r, int c)
{
    return (size_t)r * (size_t)m->cost.cols + (size_t)c;
}

static bool is_inside(const maker *m, int r, int c)
{
    return r >= 0 && c >= 0 && r < m->cost.rows && c < m->cost.cols && !(m->self && c <= r);
}

/* ---- minima and the valid region ------------------------------------------------------------- */

static void flag(maker *m, int r, int c)
{
    float v = cost_at(m, r, c);
    if (!is_inside(m, r, c) || !(v < m->ceiling)) return;
    if (v < cost_at(m, r, c - 1) && v < cost_at(m, r, c + 1))
        m->web->least[at(m, r, c)] |= MAREY_LEAST_IN_ROW;
    if (v < cost_at(m, r - 1, c) && v < cost_at(m, r + 1, c))
        m->web->least[at(m, r, c)] |= MAREY_LEAST_IN_COLUMN;
}

static void walk(maker *m, int r, int c, int down, int across)
{
    float limit = m->grow * cost_at(m, r, c);
    for (int i = 1; i < m->reach; i++) {
        int y = r + i * down, x = c + i * across;
        if (!is_inside(m, y, x) || !(cost_at(m, y, x) < limit)) return;
        m->web->valid[at(m, y, x)] = 1;
    }
}

static void extend(maker *m, int r, int c)
{
    int least = m->web->least[at(m, r, c)];
    if (least) m->web->valid[at(m, r, c)] = 1;
    for (int way = -1; way <= 1; way += 2) {
        if (least & MAREY_LEAST_IN_ROW) walk(m, r, c, 0, way);
        if (least & MAREY_LEAST_IN_COLUMN) walk(m, r, c, way, 0);
    }
}

/* ---- chains ---------------------------------------------------------------------------------- */

typedef struct link {
    bool on;          /* in a chain */
    int goes;         /* where to: 0 nowhere, 1 diagonal, 2 across, 3 down */
    int came;         /* likewise, how it was got to; 0: it is the first */
    int run, run_way; /* steps in a row along one motion, and which */
} link;

static const int rows_of[4] = { 0, 1, 0, 1 }, cols_of[4] = { 0, 1, 1, 0 };

static bool is_least(const maker *m, int r, int c)
{
    return is_inside(m, r, c) && m->web->least[at(m, r, c)];
}

static void choose(const maker *m, link *links, int r, int c)
{
    link *l = &links[at(m, r, c)];
    bool may[4] = { false };
    for (int way = 1; way <= 3; way++) {
        may[way] = is_least(m, r + rows_of[way], c + cols_of[way]) &&
                   !(way > 1 && l->run_way == way && l->run >= m->slope);
    }
    if (may[1])
        l->goes = 1;
    else if (may[2] && may[3])
        l->goes = cost_at(m, r + 1, c) < cost_at(m, r, c + 1) ? 3 : 2;
    else
        l->goes = may[2] ? 2 : may[3] ? 3 : 0;
}

/* Which of the three neighbours before a cell gets there; 0: none. */
static int winner(const maker *m, const link *links, int r, int c)
{
    static const int order[3] = { 1, 3, 2 }; /* the row before comes first */
    int best = 0;
    for (int i = 0; i < 3; i++) {
        int way = order[i], y = r - rows_of[way], x = c - cols_of[way];
        if (!is_inside(m, y, x) || !links[at(m, y, x)].on || links[at(m, y, x)].goes != way)
            continue;
        if (way == 1) return 1;
        if (best == 0 || cost_at(m, y, x) < cost_at(m, r - rows_of[best], c - cols_of[best]))
            best = way;
    }
    return best;
}

static void link_cell(const maker *m, link *links, int r, int c)
{
    link *l = &links[at(m, r, c)];
    l->came = winner(m, links, r, c);
    if (l->came) {
        const link *before = &links[at(m, r - rows_of[l->came], c - cols_of[l->came])];
        l->run_way = l->came;
        l->run = before->run_way == l->came ? before->run + 1 : 1;
    } else {
        for (int way = 1; way <= 3; way++) {
            int y = r - rows_of[way], x = c - cols_of[way];
            if (is_inside(m, y, x) && links[at(m, y, x)].on && links[at(m, y, x)].goes) return;
        }
    }
    l->on = true;
    choose(m, links, r, c);
}

static void collect(maker *m, const link *links, int r, int c)
{
    plain_web *web = m->web;
    int first = web->chain_count
                    ? web->starts[web->chain_count - 1] + web->counts[web->chain_count - 1]
                    : 0;
    int count = 0;
    for (;;) {
        const link *l = &links[at(m, r, c)];
        web->cells[first + count++] = (marey_cell){ r, c };
        int y = r + rows_of[l->goes], x = c + cols_of[l->goes];
        if (!l->goes || links[at(m, y, x)].came != l->goes) break;
        r = y;
        c = x;
    }
    if (count < m->shortest) return;
    web->starts[web->chain_count] = first;
    web->counts[web->chain_count++] = count;
    for (int i = 0; i < count; i++) {
        marey_cell cell = web->cells[first + i];
        m->chain[at(m, cell.row, cell.col)] = web->chain_count;
        m->index[at(m, cell.row, cell.col)] = i;
    }
}

static void make_chains(maker *m)
{
    int rows = m->cost.rows, cols = m->cost.cols;
    FREED link *links = calloc((size_t)rows * (size_t)cols, sizeof *links);
    for (int sum = 0; sum < rows + cols - 1; sum++) {
        for (int r = 0; r < rows; r++)
            if (is_least(m, r, sum - r)) link_cell(m, links, r, sum - r);
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            const link *l = &links[at(m, r, c)];
            if (l->on && !l->came) collect(m, links, r, c);
        }
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

typedef struct state { /* the last steps: 0 diagonal or begun here, k across, slope + k down */
    double sum;        /* infinite: there is no way */
    int cells, origin;
    int before; /* state of the cell before */
} state;

static void better(const maker *m, const marey_cell *piece, state *to, const state *from,
                   int before, double cost, int sum)
{
    if (!(from->sum + cost < to->sum)) return;
    if (sum - piece[from->origin].row - piece[from->origin].col >= m->reach) return;
    *to = (state){ from->sum + cost, from->cells + 1, from->origin, before };
}

static int least_state(const maker *m, const state *states)
{
    int best = 0;
    for (int k = 1; k < 2 * m->slope + 1; k++)
        if (states[k].sum < states[best].sum) best = k;
    return best;
}

/* All states of a cell that is in the valid region. */
static void find_ways(const maker *m, const marey_cell *piece, state *states, int r, int c)
{
    int n = 2 * m->slope + 1, s = m->slope;
    double cost = (double)cost_at(m, r, c);
    state *here = states + at(m, r, c) * (size_t)n;
    if (is_inside(m, r - 1, c - 1)) {
        const state *from = states + at(m, r - 1, c - 1) * (size_t)n;
        int k = least_state(m, from);
        better(m, piece, &here[0], &from[k], k, cost, r + c);
    }
    for (int way = 0; way < 2;
         way++) { /* a run begins behind a diagonal step, or where the way does */
        int y = r - way, x = c - !way;
        if (!is_inside(m, y, x)) continue;
        const state *from = states + at(m, y, x) * (size_t)n;
        better(m, piece, &here[way * s + 1], &from[0], 0, cost, r + c);
        for (int k = way * s + 1; k < way * s + s; k++)
            better(m, piece, &here[k + 1], &from[k], k, cost, r + c);
    }
}

static marey_cell step_back(const maker *m, const state *states, marey_cell cell, int *k)
{
    int n = 2 * m->slope + 1, now = *k;
    *k = states[at(m, cell.row, cell.col) * (size_t)n + (size_t)now].before;
    if (now == 0 || now > m->slope) cell.row--;
    if (now <= m->slope) cell.col--;
    return cell;
}

static plain_bridge *find_bridge(plain_web *web, int from, int to)
{
    for (int i = 0; i < web->bridge_count; i++) {
        plain_bridge *b = &web->bridges[i];
        if (b->from == from && b->to == to) return b;
    }
    return NULL;
}

/* A way to a cell of another chain: is it the best so far? */
static void offer(maker *m, const state *states, int from, int first, int r, int c)
{
    plain_web *web = m->web;
    int n = 2 * m->slope + 1, to = m->chain[at(m, r, c)] - 1;
    const state *here = states + at(m, r, c) * (size_t)n;
    int best = least_state(m, here);
    if (!isfinite(here[best].sum)) return;
    int count = here[best].cells - 2, k = best;
    double mean = here[best].sum / here[best].cells;
    plain_bridge *known = find_bridge(web, from, to);
    if (known && known->mean <= mean) return;
    marey_cell *cells = calloc((size_t)count + 1, sizeof *cells), cell = { r, c };
    for (int i = count - 1; i >= 0; i--) {
        cell = cells[i] = step_back(m, states, cell, &k);
        if (m->chain[at(m, cell.row, cell.col)] != to + 1) continue;
        free(cells);
        return;
    }
    if (!known) {
        web->bridges = realloc(web->bridges, sizeof *known * (size_t)(web->bridge_count + 1));
        known = &web->bridges[web->bridge_count++];
        known->cells = NULL;
    }
    free(known->cells);
    *known = (plain_bridge){ from,  to,   first + here[best].origin, m->index[at(m, r, c)], mean,
                             count, cells };
}

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

/* No way leads to rows and columns before the piece, or further than reach behind it. */
static void bridge_piece(maker *m, int chain, int first, int count, state *states)
{
    plain_web *web = m->web;
    int n = 2 * m->slope + 1;
    const marey_cell *piece = web->cells + web->starts[chain] + first, last = piece[count - 1];
    int rows = lesser(m->cost.rows, last.row + m->reach),
        cols = lesser(m->cost.cols, last.col + m->reach);
    for (int r = piece[0].row - 1; r < rows; r++) {
        for (int c = piece[0].col - 1; c < cols; c++) {
            for (int k = 0; r >= 0 && c >= 0 && k < n; k++) {
                states[at(m, r, c) * (size_t)n + (size_t)k] = (state){ .sum = INFINITY };
            }
        }
    }
    for (int r = piece[0].row; r < rows; r++) {
        for (int c = piece[0].col; c < cols; c++) {
            size_t i = at(m, r, c);
            int on = m->chain[i] - 1, index = m->index[i] - first;
            if (on == chain) {
                if (index < 0 || index >= count) continue;
                states[i * (size_t)n] = (state){ (double)cost_at(m, r, c), 1, index, -1 };
            } else if (web->valid[i]) {
                find_ways(m, piece, states, r, c);
                if (on >= 0) offer(m, states, chain, first, r, c);
            }
        }
    }
}

static int by_chains(const void *a, const void *b)
{
    const plain_bridge *x = a, *y = b;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static void make_bridges(maker *m)
{
    plain_web *web = m->web;
    size_t cells = (size_t)m->cost.rows * (size_t)m->cost.cols;
    state *states = malloc(cells * (size_t)(2 * m->slope + 1) * sizeof *states);
    for (int i = 0; i < web->chain_count; i++) {
        for (int first = 0; first < web->counts[i]; first += MRY_WEB_PIECE) {
            int left = web->counts[i] - first;
            bridge_piece(m, i, first, left < MRY_WEB_PIECE ? left : MRY_WEB_PIECE, states);
        }
    }
    free(states);
    if (web->bridge_count > 0)
        qsort(web->bridges, (size_t)web->bridge_count, sizeof *web->bridges, by_chains);
}

/* ---- the whole ------------------------------------------------------------------------------- */

plain_web *plain_web_make(marey_rows cost, bool self, int slope, float grow, float ceiling,
                          int shortest, int reach)
{
    size_t cells = (size_t)cost.rows * (size_t)cost.cols;
    plain_web *web = calloc(1, sizeof *web);
    maker m = { cost, self, slope, shortest, reach, grow, ceiling, NULL, NULL, web };
    *web = (plain_web){ .rows = cost.rows,
                        .cols = cost.cols,
                        .least = calloc(cells, 1),
                        .valid = calloc(cells, 1),
                        .starts = calloc(cells + 1, sizeof(int)),
                        .counts = calloc(cells + 1, sizeof(int)),
                        .cells = calloc(cells + 1, sizeof(marey_cell)) };
    m.chain = calloc(cells, sizeof(int));
    m.index = calloc(cells, sizeof(int));
    for (int r = 0; r < cost.rows; r++)
        for (int c = 0; c < cost.cols; c++) flag(&m, r, c);
    for (int r = 0; r < cost.rows; r++)
        for (int c = 0; c < cost.cols; c++) extend(&m, r, c);
    make_chains(&m);
    make_bridges(&m);
    free(m.chain);
    free(m.index);
    return web;
}

void plain_web_free(plain_web *web)
{
    for (int i = 0; i < web->bridge_count; i++) free(web->bridges[i].cells);
    free(web->bridges);
    free(web->least);
    free(web->valid);
    free(web->starts);
    free(web->counts);
    free(web->cells);
    free(web);
}
