/* body_reach.c - how far one gets from every frame towards every side within the next seconds, the farther ahead the less it counts:
   value iteration over hops (Bellman 1957). From its last frames to its first, since what lies behind a frame in its sequence is
   what it depends on most: a few rounds are enough. */
#include "base/fail.h"
#include "puppet/body_data.h"

#define PI 3.14159265358979323846
#define AHEAD_S 8.0 /* what comes so much later counts for 37 % */
#define CLOSE_CM 1.0

enum { MOST_ROUNDS = 60 };

/* Between two columns of the table. */
typedef struct column {
    int a, b;
    float share; /* of b */
} column;

/* The angle in turns, 0 .. 1, to a thousandth: it is asked for millions of times a second. */
static double turns_of(double x, double y)
{
    double ax = fabs(x), ay = fabs(y), most = fmax(ax, ay);
    if (!(most > 0)) return 0;
    double ratio = fmin(ax, ay) / most, turns = ratio * (0.125 + 0.0434 * (1 - ratio));
    if (ay > ax) turns = 0.25 - turns;
    if (x < 0) turns = 0.5 - turns;
    return y < 0 ? 1 - turns : turns;
}

static column column_of(double x, double y)
{
    double at = turns_of(x, y) * MRY_BODY_WAYS;
    int a = (int)at;
    return (column){ a % MRY_BODY_WAYS, (a + 1) % MRY_BODY_WAYS, (float)(at - a) };
}

static float look(const float *row, column at)
{
    return row[at.a] + at.share * (row[at.b] - row[at.a]);
}

typedef struct sides {
    float x[MRY_BODY_WAYS], y[MRY_BODY_WAYS];
} sides;

/* Returns by how much it has changed. */
static float renew(marey_body_ground *g, int node, const sides *way, float fades)
{
    float *row = g->reach + (size_t)node * MRY_BODY_WAYS, best[MRY_BODY_WAYS], most = 0;
    if (g->first[node] == g->first[node + 1]) return 0;
    for (int w = 0; w < MRY_BODY_WAYS; w++) best[w] = -1e9f;
    for (int i = g->first[node]; i < g->first[node + 1]; i++) {
        const mry_hop *hop = &g->hops[i];
        const float *next = g->reach + (size_t)hop->to * MRY_BODY_WAYS;
        column turned = column_of(hop->c, -hop->s);
        for (int w = 0; w < MRY_BODY_WAYS; w++) {
            column at = { (w + turned.a) % MRY_BODY_WAYS, (w + turned.b) % MRY_BODY_WAYS,
                          turned.share };
            float far = hop->x * way->x[w] + hop->y * way->y[w] + fades * look(next, at);
            if (far > best[w]) best[w] = far;
        }
    }
    for (int w = 0; w < MRY_BODY_WAYS; w++) {
        most = fmaxf(most, fabsf(best[w] - row[w]));
        row[w] = best[w];
    }
    return most;
}

marey_status mry_ground_find_reach(marey_body_ground *ground, marey_error *error)
{
    sides way;
    float fades = (float)exp(-ground->frames / ground->graph->fps / AHEAD_S);
    for (int w = 0; w < MRY_BODY_WAYS; w++) {
        way.x[w] = (float)cos(2 * PI * w / MRY_BODY_WAYS);
        way.y[w] = (float)sin(2 * PI * w / MRY_BODY_WAYS);
    }
    float most = INFINITY;
    for (int round = 0; round < MOST_ROUNDS && (double)most > CLOSE_CM; round++) {
        if (!mry_progress(ground->mem.ctx, "looking how far bodies get", round, MOST_ROUNDS))
            return mry_fail_cancelled(error);
        most = 0;
        for (int n = ground->graph->nodes - 1; n >= 0; n--)
            most = fmaxf(most, renew(ground, n, &way, fades));
    }
    ground->farthest = 0;
    for (size_t i = 0; i < (size_t)ground->graph->nodes * MRY_BODY_WAYS; i++)
        ground->farthest = fmax(ground->farthest, (double)ground->reach[i]);
    return MAREY_OK;
}

double mry_ground_reach(const marey_body_ground *ground, int node, double x, double y)
{
    return (double)look(ground->reach + (size_t)node * MRY_BODY_WAYS, column_of(x, y));
}
