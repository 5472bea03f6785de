/* cluster_tuples.c - a frame of each sequence of a node, all alike: clusters, figure 4. Lists L of
   the k best pairs of rows of neighbouring sequences are joined where a pair begins with the row
   that one of the list before ends with.

   There may be k to the power of m tuples; of those that end with one row only the best few can be
   part of the best few of all, so no more are kept for any row. Whether there is one at all is
   exact for any number that is kept. */
#include "base/binary_heap.h"
#include "base/fail.h"
#include "cluster/cluster_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists L --------------------------------------------------------------------------------- */

typedef struct pair {
    int a, b; /* rows of a sequence and the next one */
    double cost;
} pair;

/* Is it behind the other in the list? */
static bool is_worse(const void *user, const void *left, const void *right)
{
    const pair *p = left, *q = right;
    (void)user;
    if (p->cost != q->cost) return p->cost > q->cost;
    return p->a != q->a ? p->a > q->a : p->b > q->b;
}

static int by_cost(const void *left, const void *right)
{
    return is_worse(NULL, left, right) - is_worse(NULL, right, left);
}

/* The best ways to a row: up to `most`, rising. */
typedef struct way {
    double cost;
    int before, rank; /* row of the sequence before, and which of its ways */
} way;

typedef struct joining {
    const marey_clusters *of;
    mry_pairing pairing;
    const marey_cluster_sequence *sequences; /* of the node */
    int first, m;                            /* their numbers: [first, first + m) */
    int most;
    mry_heap *lists; /* m - 1 of pairs: while they are filled the worst on top, then rising */
    size_t *at;      /* of each sequence: its first row among those of the node */
    way *ways;       /* rows of the node x most */
    int *count;      /* of each row: its ways */
} joining;

static way *ways_of(const joining *j, int sequence, int row)
{
    return j->ways + (j->at[sequence] + (size_t)row) * (size_t)j->most;
}

static int *count_of(const joining *j, int sequence, int row)
{
    return &j->count[j->at[sequence] + (size_t)row];
}

/* ---- figure 4 -------------------------------------------------------------------------------- */

static void keep_way(const joining *j, int sequence, int row, way candidate)
{
    way *ways = ways_of(j, sequence, row);
    int *count = count_of(j, sequence, row), at = *count;
    if (at == j->most && !(candidate.cost < ways[at - 1].cost)) return;
    if (at < j->most)
        ++*count;
    else
        at--;
    for (; at > 0 && candidate.cost < ways[at - 1].cost; at--) ways[at] = ways[at - 1];
    ways[at] = candidate;
}

/* With the first k pairs of each list. Returns whether there is a tuple. */
static bool join(joining *j, int k)
{
    memset(j->count, 0, j->at[j->m] * sizeof *j->count);
    for (int r = 0; r < j->sequences[0].rows; r++)
        keep_way(j, 0, r, (way){ .cost = 0, .before = -1 });
    bool any = false;
    for (int n = 0; n + 1 < j->m; n++) {
        const mry_heap *list = &j->lists[n];
        any = false;
        for (int i = 0; i < list->count && i < k; i++) {
            const pair *p = mry_heap_at(list, i);
            const way *ways = ways_of(j, n, p->a);
            for (int w = 0; w < *count_of(j, n, p->a); w++, any = true)
                keep_way(j, n + 1, p->b, (way){ ways[w].cost + p->cost, p->a, w });
        }
    }
    return any;
}

typedef struct ending {
    double cost;
    int row, rank;
} ending;

static int by_ending(const void *left, const void *right)
{
    const ending *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->rank - b->rank;
}

/* List L of the best pairs of rows of sequence n and the next one. */
static bool fill_list(joining *j, int n, int most_pairs, mry_arena *mem)
{
    const marey_cluster_sequence *a = &j->sequences[n], *b = a + 1;
    const marey_clusters *c = j->of;
    size_t stride = j->pairing.stride;
    double cells = (double)a->rows * b->rows;
    int room = most_pairs > cells ? (int)cells : most_pairs;
    mry_heap *list = &j->lists[n];
    *list = (mry_heap){ MRY_NEW_RAW(mem, pair, room + 1), 0, sizeof(pair), is_worse, NULL, NULL };
    mry_arena tmp = mry_arena_make(mem->ctx);
    const float *p =
        mry_pairing_rows(&j->pairing, &tmp, a->clip, c->sequence_row[j->first + n], a->rows);
    const float *q =
        mry_pairing_rows(&j->pairing, &tmp, b->clip, c->sequence_row[j->first + n + 1], b->rows);
    bool fits = list->items && p && q;
    for (int r = 0; fits && r < a->rows; r++) {
        if (!mry_sequence_goes_on(c, j->first + n, r)) continue;
        for (int s = 0; s < b->rows; s++) {
            if (!mry_sequence_goes_on(c, j->first + n + 1, s)) continue;
            pair one = {
                r, s, mry_pairing_cost(&j->pairing, p + (size_t)r * stride, q + (size_t)s * stride)
            };
            if (list->count < room)
                mry_heap_push(list, &one);
            else if (is_worse(NULL, list->items, &one))
                mry_heap_sink(list, 0, &one);
        }
    }
    mry_arena_free(&tmp);
    if (list->count > 1) qsort(list->items, (size_t)list->count, list->size, by_cost);
    return fits;
}

static marey_status find(marey_ctx *ctx, const marey_clusters *clusters, int node, mry_arena *mem,
                         const marey_tuples_def *def, marey_tuples *out, marey_error *error)
{
    const marey_cluster_node *of = &clusters->nodes[node];
    joining joined = { .of = clusters,
                       .pairing = mry_pairing_open(clusters),
                       .sequences = clusters->sequences + of->first,
                       .first = of->first,
                       .m = of->sequences,
                       .most = def->most,
                       .lists = MRY_NEW(mem, mry_heap, of->sequences),
                       .at = MRY_NEW(mem, size_t, (size_t)of->sequences + 1) };
    joining *j = &joined;
    if (!j->lists || !j->at) return mry_fail_memory(error, NULL);
    for (int n = 0; n < j->m; n++) j->at[n + 1] = j->at[n] + (size_t)j->sequences[n].rows;
    size_t most = (size_t)def->most, rows = j->at[j->m];
    if (most > SIZE_MAX / sizeof(way) / (rows + 1)) return mry_fail_memory(error, NULL);
    j->ways = MRY_NEW_RAW(mem, way, rows * most);
    j->count = MRY_NEW(mem, int, rows);
    if (!j->ways || !j->count) return mry_fail_memory(error, NULL);
    int longest = 0; /* of the lists */
    for (int n = 0; n + 1 < j->m; n++) {
        if (n % 16 == 0 && !mry_progress(ctx, "finding frames to switch at", n, j->m - 1))
            return mry_fail_cancelled(error);
        if (!fill_list(j, n, def->most_pairs, mem)) return mry_fail_memory(error, NULL);
        if (j->lists[n].count > longest) longest = j->lists[n].count;
    }
    int k = def->pairs;
    bool any = join(j, k);
    while (!any && k < def->most_pairs && k < longest) {
        k = k > def->most_pairs / 2 ? def->most_pairs : 2 * k;
        any = join(j, k);
    }
    out->pairs = k;
    out->by_pairs = !any;
    if (!any) return MAREY_OK;
    int last = j->m - 1, last_rows = j->sequences[last].rows, count = 0;
    for (int r = 0; r < last_rows; r++) count += *count_of(j, last, r);
    ending *ends = MRY_NEW_RAW(mem, ending, count);
    if (!ends) return mry_fail_memory(error, NULL);
    count = 0;
    for (int r = 0; r < last_rows; r++) {
        for (int w = 0; w < *count_of(j, last, r); w++)
            ends[count++] = (ending){ ways_of(j, last, r)[w].cost, r, w };
    }
    qsort(ends, (size_t)count, sizeof *ends, by_ending);
    if (count > j->most) count = j->most;
    size_t costs = (size_t)count * sizeof(double);
    size_t bytes = costs + (size_t)count * (size_t)j->m * sizeof(int);
    double *block = mry_alloc(ctx, bytes);
    if (!block) return mry_fail_memory(error, NULL);
    out->ctx = ctx;
    out->bytes = bytes;
    out->costs = block;
    out->frames = (int *)(block + count);
    out->count = count;
    for (int t = 0; t < count; t++) {
        out->costs[t] = ends[t].cost;
        /* Its rows, from the last sequence back to the first. */
        int row = ends[t].row, rank = ends[t].rank;
        for (int n = last; n >= 0; n--) {
            const way *one = ways_of(j, n, row) + rank;
            out->frames[(size_t)t * (size_t)j->m + (size_t)n] =
                mry_sequence_frame(j->of, j->first + n, row);
            row = one->before;
            rank = one->rank;
        }
    }
    return MAREY_OK;
}

marey_status marey_clusters_tuples(marey_ctx *ctx, const marey_clusters *clusters, int node,
                                   const marey_tuples_def *def, marey_tuples *out,
                                   marey_error *error)
{
    marey_tuples_def settled = def ? *def : (marey_tuples_def){ 0 };
    /* What is asked for. */
    if (node < 0 || node >= clusters->node_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no node %d", node);
    if (settled.pairs == 0) settled.pairs = 5;
    if (settled.most == 0) settled.most = 20;
    if (settled.most_pairs == 0) settled.most_pairs = settled.pairs > 320 ? settled.pairs : 320;
    if (settled.pairs < 1 || settled.most < 1 || settled.most_pairs < settled.pairs)
        return mry_fail(
            error, MAREY_ERR_REQUEST, NULL,
            "pairs must be at least 1 and at most most_pairs, tuples at least 1, got %d, "
            "%d and %d",
            settled.pairs, settled.most_pairs, settled.most);
    marey_status status = MAREY_OK;
    marey_tuples found = { .sequences = clusters->nodes[node].sequences };
    if (found.sequences > 1) {
        mry_arena tmp = mry_arena_make(ctx);
        status = find(ctx, clusters, node, &tmp, &settled, &found, error);
        mry_arena_free(&tmp);
    }
    if (!status) *out = found;
    return status;
}

void marey_tuples_free(marey_tuples *tuples)
{
    if (!tuples) return;
    if (tuples->costs) mry_release(tuples->ctx, tuples->costs, tuples->bytes);
    *tuples = (marey_tuples){ 0 };
}
