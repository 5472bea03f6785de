/* keyposes.c - which poses tell a motion. The clip is a curve through the space of poses; the curve is
   approached by straight pieces, and the next pose is taken where it is farthest from its piece (after Ramer
   1972 and Douglas & Peucker 1973). That finds the turning points: the highest kick, the lowest crouch. A share
   of the way along the curve is added, so that steady motion is shown in even steps. */
#include "picture/track.h"

#include "picture/vec3.h"

typedef struct curve {
    int count, dims;
    double *rows;     /* count x dims */
    double *distance; /* along the curve up to each sample */
    double *miss;     /* how badly each sample is told by the poses taken so far */
} curve;

static const double EVEN = 0.22; /* weight of the way along the curve */
static const double WAY = 0.3;   /* weight of where the body stands against how it stands */

/* Joints about the root's place on the floor, then that place. */
static void fill_rows(curve *c, const mry_track *track)
{
    for (int i = 0; i < c->count; i++) {
        const double *root = track->roots + 3 * (size_t)i;
        const double *places = track->places + (size_t)i * (size_t)track->key_count * 3;
        double *row = c->rows + (size_t)i * (size_t)c->dims;
        for (int k = 0; k < track->key_count; k++) {
            row[3 * k] = places[3 * k] - root[0];
            row[3 * k + 1] = places[3 * k + 1];
            row[3 * k + 2] = places[3 * k + 2] - root[2];
        }
        row[c->dims - 2] = WAY * root[0];
        row[c->dims - 1] = WAY * root[2];
    }
}

static double row_distance(const curve *c, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < c->dims; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* How far the samples between a and b, both taken, are from the straight piece between them. */
static void judge_piece(curve *c, int a, int b)
{
    const double *from = c->rows + (size_t)a * (size_t)c->dims;
    const double *to = c->rows + (size_t)b * (size_t)c->dims;
    double whole = c->distance[b] - c->distance[a];
    for (int i = a + 1; i < b; i++) {
        const double *row = c->rows + (size_t)i * (size_t)c->dims;
        double before = c->distance[i] - c->distance[a], after = c->distance[b] - c->distance[i];
        double t = whole > 0 ? before / whole : (double)(i - a) / (b - a), sum = 0;
        for (int k = 0; k < c->dims; k++) {
            double off = row[k] - from[k] - t * (to[k] - from[k]);
            sum += off * off;
        }
        /* The third term decides when nothing moves: even steps of time. */
        double even = 1e-9 * fmin(i - a, b - i);
        c->miss[i] = sqrt(sum) + EVEN * fmin(before, after) + even;
    }
    c->miss[a] = c->miss[b] = -1;
}

/* The taken samples next to i on both sides. */
static void find_piece(const curve *c, int i, int *a, int *b)
{
    for (*a = i - 1; *a > 0 && c->miss[*a] >= 0;) --*a;
    for (*b = i + 1; *b < c->count - 1 && c->miss[*b] >= 0;) ++*b;
}

int mry_track_rank(const mry_track *track, mry_arena *tmp, int most, int *ranked, bool *ok)
{
    curve c = { .count = track->count, .dims = 3 * track->key_count + 2 };
    size_t count = (size_t)c.count;
    c.rows = MRY_NEW_RAW(tmp, double, count *(size_t)c.dims);
    c.distance = MRY_NEW(tmp, double, count);
    c.miss = MRY_NEW(tmp, double, count);
    *ok = c.rows && c.distance && c.miss;
    if (!*ok || most < 1) return 0;
    fill_rows(&c, track);
    for (size_t i = 1; i < count; i++) {
        const double *row = c.rows + i * (size_t)c.dims;
        c.distance[i] = c.distance[i - 1] + row_distance(&c, row, row - c.dims);
    }
    int taken = 0;
    ranked[taken++] = 0;
    if (c.count == 1 || most == 1) return taken;
    ranked[taken++] = c.count - 1;
    judge_piece(&c, 0, c.count - 1);
    while (taken < most && taken < c.count) {
        int best = 1, a, b;
        for (int i = 1; i < c.count - 1; i++) {
            if (c.miss[i] > c.miss[best]) best = i;
        }
        if (c.miss[best] < 0) break;
        find_piece(&c, best, &a, &b);
        judge_piece(&c, a, best);
        judge_piece(&c, best, b);
        ranked[taken++] = best;
    }
    return taken;
}
