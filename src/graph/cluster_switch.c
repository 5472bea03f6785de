/* cluster_switch.c - the best places to go from one sequence of a node to another (clusters, 3.3): of all pairs of rows the one
   with the least cost, then the best that shares no row with it, and so on. */
#include "base/fail.h"
#include "graph/cluster_pairs.h"

#include <math.h>

typedef struct search {
    mry_pairing pairing;
    const float *from, *to; /* rows of both */
    int from_rows, to_rows;
    uint8_t *taken; /* of the second's: in a switch, or without a row behind it */
    int *best;      /* of each row of the first: the best one of the second; -1: none is left */
    double *cost;
} search;

static void find_best(search *s, int row)
{
    const float *a = s->from + (size_t)row * s->pairing.stride;
    s->best[row] = -1;
    s->cost[row] = INFINITY;
    for (int r = 0; r < s->to_rows; r++) {
        if (s->taken[r]) continue;
        double cost = mry_pairing_cost(&s->pairing, a, s->to + (size_t)r * s->pairing.stride);
        if (!(cost < s->cost[row])) continue;
        s->cost[row] = cost;
        s->best[row] = r;
    }
}

static bool search_open(search *s, mry_arena *tmp, const marey_clusters *c, int from, int to)
{
    const marey_cluster_sequence *a = &c->sequences[from], *b = &c->sequences[to];
    *s = (search){ .pairing = mry_pairing_open(c), .from_rows = a->rows, .to_rows = b->rows };
    s->from = mry_pairing_rows(&s->pairing, tmp, a->clip, c->sequence_row[from], a->rows);
    s->to = mry_pairing_rows(&s->pairing, tmp, b->clip, c->sequence_row[to], b->rows);
    s->taken = MRY_NEW(tmp, uint8_t, b->rows);
    s->best = MRY_NEW_RAW(tmp, int, a->rows);
    s->cost = MRY_NEW_RAW(tmp, double, a->rows);
    if (!s->from || !s->to || !s->taken || !s->best || !s->cost) return false;
    for (int r = 0; r < b->rows; r++) s->taken[r] = !mry_sequence_goes_on(c, to, r);
    return true;
}

/* The row of the first with the best of all pairs, the first of equal ones; -1: none is left. */
static int find_least(const search *s)
{
    int least = -1;
    for (int r = 0; r < s->from_rows; r++) {
        if (s->best[r] >= 0 && (least < 0 || s->cost[r] < s->cost[least])) least = r;
    }
    return least;
}

static marey_status check(const marey_clusters *c, int from, int to, int most, marey_error *error)
{
    if (from < 0 || from >= c->sequence_count || to < 0 || to >= c->sequence_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no sequence %d",
                        from < 0 || from >= c->sequence_count ? from : to);
    if (from == to || c->sequences[from].node != c->sequences[to].node)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "sequences %d and %d are not two of one node", from, to);
    if (most < 0) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "room for %d switches", most);
    return MAREY_OK;
}

marey_status marey_clusters_switches(marey_ctx *ctx, const marey_clusters *clusters,
                                     int from_sequence, int to_sequence, int most,
                                     marey_cluster_switch *switches, int *found, marey_error *error)
{
    marey_status status = check(clusters, from_sequence, to_sequence, most, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    search s;
    int count = 0;
    if (search_open(&s, &tmp, clusters, from_sequence, to_sequence)) {
        for (int r = 0; r < s.from_rows; r++) find_best(&s, r);
        for (int row; count < most && (row = find_least(&s)) >= 0;) {
            int to = s.best[row];
            switches[count++] =
                (marey_cluster_switch){ .from_sequence = from_sequence,
                                        .to_sequence = to_sequence,
                                        .from = mry_sequence_frame(clusters, from_sequence, row),
                                        .to = mry_sequence_frame(clusters, to_sequence, to),
                                        .cost = s.cost[row] };
            s.taken[to] = 1;
            s.best[row] = -2; /* for good */
            for (int r = 0; r < s.from_rows; r++) {
                if (s.best[r] == to) find_best(&s, r);
            }
        }
        *found = count;
    } else {
        status = mry_fail_memory(error, NULL);
    }
    mry_arena_free(&tmp);
    return status;
}
