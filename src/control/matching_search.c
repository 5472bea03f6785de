/* matching_search.c - the closest of many poses, exactly: rows are turned into a few principal
   coordinates and the length of what is left over, whose distance is never more than that of the
   rows; boxes around halves of halves of them bound it for many at once (a k-d tree, Bentley 1975,
   by codes). What is bounded by more than the best so far is left out; what is not is compared in
   full, so the answer is that of comparing all. */
#include "control/matching_data.h"

#include <math.h>
#include <string.h>

enum { LEAF = 8, AXES = MRY_MATCH_CODE - 1, SAMPLES = 4096, ROUNDS = 40 };

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < MRY_MATCH_ROW; i++) sum += a[i] * b[i];
    return sum;
}

/* The directions in which poses differ most, by orthogonal iteration. Any at right angles would
   bound; a direction that is nothing stays 0. */
static void find_axes(marey_matching *m)
{
    double spread[MRY_MATCH_ROW][MRY_MATCH_ROW] = { { 0 } };
    int step = m->poses / SAMPLES + 1, count = (m->poses + step - 1) / step;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < m->poses; r += step) {
            const float *f = m->features + (size_t)r * MRY_MATCH_ROW;
            for (int i = 0; i < MRY_MATCH_ROW; i++) {
                if (pass == 0) m->mean[i] += (double)f[i] / count;
                for (int j = 0; j < MRY_MATCH_ROW && pass == 1; j++)
                    spread[i][j] += ((double)f[i] - m->mean[i]) * ((double)f[j] - m->mean[j]);
            }
        }
    }
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < MRY_MATCH_ROW; i++) m->axes[a][i] = i % AXES == a ? 1 : 0.01 * i * a;
    for (int round = 0; round < ROUNDS; round++) {
        for (int a = 0; a < AXES; a++) {
            double *axis = m->axes[a], turned[MRY_MATCH_ROW];
            for (int i = 0; i < MRY_MATCH_ROW; i++) turned[i] = dot(spread[i], axis);
            memcpy(axis, turned, sizeof turned);
            for (int pass = 0; pass < 2; pass++) {
                for (int b = 0; b < a; b++) {
                    double along = dot(m->axes[b], axis);
                    for (int i = 0; i < MRY_MATCH_ROW; i++) axis[i] -= along * m->axes[b][i];
                }
                double length = sqrt(dot(axis, axis));
                for (int i = 0; i < MRY_MATCH_ROW; i++)
                    axis[i] = length > 1e-12 ? axis[i] / length : 0;
            }
        }
    }
}

/* A row's code; returns its length. */
static double find_code(const marey_matching *m, const float *row, float *code)
{
    double off[MRY_MATCH_ROW], left;
    for (int i = 0; i < MRY_MATCH_ROW; i++) off[i] = (double)row[i] - m->mean[i];
    double all = left = dot(off, off);
    for (int a = 0; a < AXES; a++) {
        double along = dot(m->axes[a], off);
        left -= along * along;
        code[a] = (float)along;
    }
    code[AXES] = left > 0 ? (float)sqrt(left) : 0;
    return sqrt(all);
}

/* ---- the tree -------------------------------------------------------------------------------- */

typedef struct sorting {
    marey_matching *m;
    const float *codes; /* of rows as they came */
    int *order;         /* of the sorted poses: their rows as they came */
} sorting;

/* Halves [first, first + count) along the number that differs most, so that none in the second half
   is less than any in the first (Hoare's selection), until few are left. */
static void halve(sorting *s, int box, int first, int count)
{
    float *low = s->m->boxes + (size_t)box * 2 * MRY_MATCH_CODE, *high = low + MRY_MATCH_CODE;
    int wide = 0;
    for (int k = 0; k < MRY_MATCH_CODE; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int i = first; i < first + count; i++) {
            float at = s->codes[(size_t)s->order[i] * MRY_MATCH_CODE + (size_t)k];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
        if (high[k] - low[k] > high[wide] - low[wide]) wide = k;
    }
    if (count <= LEAF) return;
    int half = count / 2, *order = s->order;
    const float *key = s->codes + wide;
    for (int a = first, b = first + count - 1; a < b;) {
        float pivot = key[(size_t)order[a + (b - a) / 2] * MRY_MATCH_CODE];
        int i = a, j = b;
        while (i <= j) {
            while (key[(size_t)order[i] * MRY_MATCH_CODE] < pivot) i++;
            while (key[(size_t)order[j] * MRY_MATCH_CODE] > pivot) j--;
            if (i > j) break;
            int swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        if (first + half <= j)
            b = j;
        else if (first + half >= i)
            a = i;
        else
            break;
    }
    halve(s, 2 * box + 1, first, half);
    halve(s, 2 * box + 2, first + half, count - half);
}

bool mry_matching_sort(marey_matching *m, int count, mry_arena *tmp)
{
    size_t poses = (size_t)m->poses, boxes = 1;
    for (size_t part = poses; part > LEAF; part -= part / 2) boxes = 2 * boxes + 1;
    float *codes = MRY_NEW_RAW(tmp, float, poses *MRY_MATCH_CODE);
    float *rows = MRY_NEW_RAW(tmp, float, poses *MRY_MATCH_ROW);
    int *order = MRY_NEW_RAW(tmp, int, poses), *nodes = MRY_NEW_RAW(tmp, int, poses);
    m->codes = MRY_NEW_RAW(&m->mem, float, poses *MRY_MATCH_CODE);
    m->boxes = MRY_NEW(&m->mem, float, boxes * 2 * MRY_MATCH_CODE);
    if (!codes || !rows || !order || !nodes || !m->codes || !m->boxes) return false;
    m->bytes += (poses + 2 * boxes) * MRY_MATCH_CODE * sizeof(float);
    find_axes(m);
    for (size_t r = 0; r < poses; r++) {
        double length = find_code(m, m->features + r * MRY_MATCH_ROW, codes + r * MRY_MATCH_CODE);
        m->largest = length > m->largest ? length : m->largest;
        order[r] = (int)r;
    }
    memcpy(rows, m->features, poses * MRY_MATCH_ROW * sizeof *rows);
    memcpy(nodes, m->node, poses * sizeof *nodes);
    halve(&(sorting){ m, codes, order }, 0, 0, m->poses);
    for (size_t r = 0; r < poses; r++) {
        size_t from = (size_t)order[r];
        memcpy(m->codes + r * MRY_MATCH_CODE, codes + from * MRY_MATCH_CODE,
               MRY_MATCH_CODE * sizeof *codes);
        memcpy(m->features + r * MRY_MATCH_ROW, rows + from * MRY_MATCH_ROW,
               MRY_MATCH_ROW * sizeof *rows);
        m->node[r] = nodes[from];
    }
    for (int r = 0; r < count; r++) m->row[m->node[r]] = r;
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct search {
    const marey_matching *m;
    const float *query;
    float code[MRY_MATCH_CODE];
    float best; /* squared distance */
    int found;  /* its row; -1: none yet */
    /* Codes are rounded, and so are distances: bounds up to here are not to be left out. */
    float bound;
    double slack;
    int low, high; /* nodes that are left out */
    int compared;
} search;

static void set_best(search *s, float best)
{
    double root = sqrt((double)best) * (1 + 1e-5) + s->slack;
    s->best = best;
    s->bound = (float)(root * root);
}

/* Squared distance of the query's code from a box. */
static float box_bound(const search *s, int box)
{
    const float *low = s->m->boxes + (size_t)box * 2 * MRY_MATCH_CODE, *high = low + MRY_MATCH_CODE;
    float sum[4] = { 0 };
    for (int i = 0; i < MRY_MATCH_CODE; i += 4) {
        for (int k = 0; k < 4; k++) {
            float below = low[i + k] - s->code[i + k], above = s->code[i + k] - high[i + k];
            float off = below > above ? below : above;
            off = off > 0 ? off : 0;
            sum[k] += off * off;
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void look_in(search *s, int box, int first, int count)
{
    const marey_matching *m = s->m;
    if (count > LEAF) {
        /* The closer half first. */
        int half = count / 2;
        float a = box_bound(s, 2 * box + 1), b = box_bound(s, 2 * box + 2);
        if (a <= b && a <= s->bound) look_in(s, 2 * box + 1, first, half);
        if (b <= s->bound) look_in(s, 2 * box + 2, first + half, count - half);
        if (a > b && a <= s->bound) look_in(s, 2 * box + 1, first, half);
        return;
    }
    for (int r = first; r < first + count; r++) {
        const float *code = m->codes + (size_t)r * MRY_MATCH_CODE;
        float sum[4] = { 0 };
        for (int i = 0; i < MRY_MATCH_CODE; i += 4) {
            for (int k = 0; k < 4; k++) {
                float off = s->code[i + k] - code[i + k];
                sum[k] += off * off;
            }
        }
        int node = m->node[r];
        if ((sum[0] + sum[1]) + (sum[2] + sum[3]) > s->bound) continue;
        if (node >= s->low && node <= s->high) continue;
        float off = mry_match_distance(s->query, m->features + (size_t)r * MRY_MATCH_ROW);
        s->compared++;
        if (off > s->best || (off == s->best && (s->found < 0 || node > m->node[s->found])))
            continue;
        s->found = r;
        set_best(s, off);
    }
}

int mry_matching_search(const marey_matching *matching, const float *query, float limit, int low,
                        int high, int *compared)
{
    search s = { .m = matching, .query = query, .found = -1, .low = low, .high = high };
    s.slack = 1e-6 * (matching->largest + find_code(matching, query, s.code));
    set_best(&s, limit);
    if (limit > 0) look_in(&s, 0, 0, matching->poses);
    *compared = s.compared;
    return s.found;
}
