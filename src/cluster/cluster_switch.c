/* cluster_switch.c - the best places to go from one sequence of a node to another (clusters, 3.3):
   of all pairs of rows the one with the least cost, then the best that shares no row with it, and
   so on. */
#include "base/fail.h"
#include "cluster/cluster_pairs.h"

#include <math.h>
#include <string.h>

/* ---- how well one can go from row to row ---------------------------------------------------- */

/* The cost of going from a row to another: "the sum of distances between them, and the derivatives
   at the respective points" (clusters, 3.3). By places of joints whatever the graph's own metric
   is: what is seen at a switch is where the body is and how it moves, and both have one unit
   then. */

enum { WINDOW = 5 };

static size_t filled(size_t count)
{
    return (count + 3) / 4 * 4;
}

mry_pairing mry_pairing_open(const marey_clusters *clusters)
{
    const marey_layout *layout = clusters->layout;
    mry_pairing p = { .of = clusters, .window = WINDOW, .before = WINDOW / 2 };
    for (int f = 0; f < WINDOW; f++) p.frame_weight[f] = 1.0 / WINDOW;
    if (layout->def.metric->can_bound) {
        p.window = layout->window;
        p.before = layout->before;
        for (int f = 0; f < p.window; f++) p.frame_weight[f] = layout->frame_weight[f];
    }
    p.points = filled((size_t)p.window * (size_t)layout->joints);
    p.moves = filled((size_t)layout->joints);
    p.stride = filled(3 * p.points + 3 * p.moves + 2);
    return p;
}

/* Frames that were not captured hold the nearest captured pose, and so do the ends. */
static mry_vec place_of(const marey_features *f, int row, int joint)
{
    return mry_row_position(f, mry_row_held(f, row), joint);
}

void mry_pairing_fill(const mry_pairing *pairing, int clip, int first, int count, float *rows)
{
    const marey_features *f = pairing->of->features[clip];
    const marey_layout *layout = f->layout;
    memset(rows, 0, (size_t)count * pairing->stride * sizeof *rows);
    for (int r = 0; r < count; r++, rows += pairing->stride) {
        int row = first + r;
        /* Where the joints are around it. */
        float *x = rows, *z = x + pairing->points, *y = z + pairing->points;
        double mean_x = 0, mean_z = 0, sum = 0, size = 0;
        for (int pass = 0; pass < 2; pass++) {
            size_t n = 0;
            for (int k = 0; k < pairing->window; k++) {
                for (int j = 0; j < layout->joints; j++, n++) {
                    mry_vec at = place_of(f, row - pairing->before + k, j);
                    double w = pairing->frame_weight[k] * layout->weight[j], root = sqrt(w);
                    if (pass == 0) {
                        mean_x += w * at.x;
                        mean_z += w * at.z;
                        sum += w;
                        continue;
                    }
                    x[n] = (float)(root * (at.x - mean_x / sum));
                    z[n] = (float)(root * (at.z - mean_z / sum));
                    y[n] = (float)(root * at.y);
                    size += (double)x[n] * x[n] + (double)z[n] * z[n];
                }
            }
        }
        rows[3 * pairing->points + 3 * pairing->moves] = (float)size;
        /* How the joints move there. */
        x = rows + 3 * pairing->points;
        z = x + pairing->moves;
        y = z + pairing->moves;
        int from = mry_row_held(f, row - 1), to = mry_row_held(f, row + 1);
        double per_row = to > from ? MAREY_CLUSTER_DERIVATIVE_S * layout->fps / (to - from) : 0;
        size = 0;
        for (int j = 0; j < layout->joints; j++) {
            mry_vec way = mry_vec_sub(place_of(f, to, j), place_of(f, from, j));
            way = mry_vec_scale(way, per_row * sqrt(layout->weight[j]));
            x[j] = (float)way.x;
            z[j] = (float)way.z;
            y[j] = (float)way.y;
            size += (double)x[j] * x[j] + (double)z[j] * z[j] + (double)y[j] * y[j];
        }
        rows[3 * pairing->points + 3 * pairing->moves + 1] = (float)size;
    }
}

float *mry_pairing_rows(const mry_pairing *pairing, mry_arena *mem, int clip, int first, int count)
{
    float *rows = MRY_NEW_RAW(mem, float, (size_t)count * pairing->stride);
    if (rows) mry_pairing_fill(pairing, clip, first, count, rows);
    return rows;
}

/* Sums over points of a and b: along = x x' + z z', across = x z' - z x', up. */
typedef struct products {
    double along, across, up;
} products;

static products multiply(const float *a, const float *b, size_t n, bool squares)
{
    float along[4] = { 0 }, across[4] = { 0 }, up[4] = { 0 };
    for (size_t i = 0; i < n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            float x = a[i + k], z = a[n + i + k], y = a[2 * n + i + k];
            float x2 = b[i + k], z2 = b[n + i + k], y2 = b[2 * n + i + k];
            along[k] += x * x2 + z * z2;
            across[k] += x * z2 - z * x2;
            up[k] += squares ? (y - y2) * (y - y2) : y * y2;
        }
    }
    return (products){ (double)along[0] + along[1] + along[2] + along[3],
                       (double)across[0] + across[1] + across[2] + across[3],
                       (double)up[0] + up[1] + up[2] + up[3] };
}

double mry_pairing_parts(const mry_pairing *pairing, const float *a, const float *b,
                         double *distance)
{
    size_t at = 3 * pairing->points, end = at + 3 * pairing->moves;
    products places = multiply(a, b, pairing->points, true);
    products moves = multiply(a + at, b + at, pairing->moves, false);
    double turn = hypot(places.along, places.across);
    double c = turn > 0 ? places.along / turn : 1, s = turn > 0 ? places.across / turn : 0;
    *distance = places.up + fmax((double)a[end] + b[end] - 2 * turn, 0);
    double same = moves.up + c * moves.along + s * moves.across;
    return *distance + fmax((double)a[end + 1] + b[end + 1] - 2 * same, 0);
}

/* ---- the best places ------------------------------------------------------------------------ */

typedef struct search {
    mry_pairing pairing;
    const float *from, *to; /* rows of both */
    int to_rows;
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

marey_status marey_clusters_switches(marey_ctx *ctx, const marey_clusters *clusters,
                                     int from_sequence, int to_sequence, int most,
                                     marey_cluster_switch *switches, int *found, marey_error *error)
{
    /* What is asked for. */
    if (from_sequence < 0 || from_sequence >= clusters->sequence_count || to_sequence < 0 ||
        to_sequence >= clusters->sequence_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no sequence %d",
                        from_sequence < 0 || from_sequence >= clusters->sequence_count
                            ? from_sequence
                            : to_sequence);
    if (from_sequence == to_sequence ||
        clusters->sequences[from_sequence].node != clusters->sequences[to_sequence].node)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "sequences must be two of one node, got %d and %d", from_sequence,
                        to_sequence);
    if (most < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "most must be at least 0 switches, got %d",
                        most);
    mry_arena tmp = mry_arena_make(ctx);
    const marey_cluster_sequence *a = &clusters->sequences[from_sequence];
    const marey_cluster_sequence *b = &clusters->sequences[to_sequence];
    search s = { .pairing = mry_pairing_open(clusters),
                 .to_rows = b->rows,
                 .taken = MRY_NEW(&tmp, uint8_t, b->rows),
                 .best = MRY_NEW_RAW(&tmp, int, a->rows),
                 .cost = MRY_NEW_RAW(&tmp, double, a->rows) };
    s.from =
        mry_pairing_rows(&s.pairing, &tmp, a->clip, clusters->sequence_row[from_sequence], a->rows);
    s.to =
        mry_pairing_rows(&s.pairing, &tmp, b->clip, clusters->sequence_row[to_sequence], b->rows);
    if (!s.from || !s.to || !s.taken || !s.best || !s.cost) {
        mry_arena_free(&tmp);
        return mry_fail_memory(error, NULL);
    }
    for (int r = 0; r < b->rows; r++) s.taken[r] = !mry_sequence_goes_on(clusters, to_sequence, r);
    for (int r = 0; r < a->rows; r++) find_best(&s, r);
    int count = 0;
    while (count < most) {
        /* The row of the first with the best of all pairs, the first of equal ones. */
        int row = -1;
        for (int r = 0; r < a->rows; r++) {
            if (s.best[r] >= 0 && (row < 0 || s.cost[r] < s.cost[row])) row = r;
        }
        if (row < 0) break;
        int to = s.best[row];
        switches[count++] =
            (marey_cluster_switch){ .from_sequence = from_sequence,
                                    .to_sequence = to_sequence,
                                    .from = mry_sequence_frame(clusters, from_sequence, row),
                                    .to = mry_sequence_frame(clusters, to_sequence, to),
                                    .cost = s.cost[row] };
        s.taken[to] = 1;
        s.best[row] = -2; /* for good */
        for (int r = 0; r < a->rows; r++) {
            if (s.best[r] == to) find_best(&s, r);
        }
    }
    *found = count;
    mry_arena_free(&tmp);
    return MAREY_OK;
}
