/* floor_path_bend.c - a path that leads round obstacles. Where it was drawn through a circle, it goes
   along a taut string instead: from a little before the circle straight to where it touches it, round
   its edge by the shorter side, and straight back to the path a little behind. The circle is as wide as
   the obstacle, the body and its sway together.

   A search that follows what was drawn comes to stand before an obstacle: every way round is far from
   the path for so long that none of it looks promising, and how far along a body is beside the
   obstacle, the drawn path does not say. Along the string both are known.

   Obstacles that overlap may lead a string into one another. It is bent a few times; what is still in
   the way then, the search has to get round by itself. */
#include "base/fail.h"
#include "graph/walk_path.h"

#include <math.h>

#define PI 3.14159265358979323846
#define SWAY_CM 8.0

enum { MOST_BENDS = 4, MOST_ARC = 256 };

typedef struct circle {
    double x, z, radius;
} circle;

typedef struct bending {
    const mry_floor_path *path;
    circle round;
    int lead;       /* points before the circle and behind it */
    double *points; /* room for all, two numbers each; NULL: runs are only counted */
    int count, runs;
} bending;

static bool is_inside(const bending *b, int i)
{
    double x = b->path->x[i] - b->round.x, z = b->path->z[i] - b->round.z;
    return hypot(x, z) < b->round.radius - 1e-6;
}

static void put(bending *b, double x, double z)
{
    b->points[2 * (size_t)b->count] = x;
    b->points[2 * (size_t)b->count + 1] = z;
    b->count++;
}

/* The string from point `from` to point `to`, both outside the circle, without its two ends. */
static void put_string(bending *b, int from, int to)
{
    const circle *c = &b->round;
    double ax = b->path->x[from] - c->x, az = b->path->z[from] - c->z;
    double bx = b->path->x[to] - c->x, bz = b->path->z[to] - c->z;
    double first = acos(fmin(c->radius / hypot(ax, az), 1));
    double second = acos(fmin(c->radius / hypot(bx, bz), 1));
    double start = 0, sweep = INFINITY, way = 1;
    for (int side = -1; side <= 1; side += 2) {
        /* Angles at which it comes to touch the circle, and leaves it; the straight pieces are as
           long on either side. */
        double on = atan2(az, ax) + side * first, off = atan2(bz, bx) - side * second;
        double turn = fmod(side * (off - on), 2 * PI);
        if (turn < 0) turn += 2 * PI;
        if (!(turn < sweep)) continue;
        start = on;
        sweep = turn;
        way = side;
    }
    if (sweep > PI) return; /* straight on passes the circle */
    int steps = (int)fmin(ceil(c->radius * sweep / b->path->spacing), MOST_ARC);
    for (int k = 0; k <= steps; k++) {
        double angle = start + way * sweep * (steps > 0 ? (double)k / steps : 0);
        put(b, c->x + c->radius * cos(angle), c->z + c->radius * sin(angle));
    }
}

/* Goes along the path; stretches inside the circle are replaced, but not one that it begins or ends
   with. */
static void bend(bending *b)
{
    int last = b->path->count - 1, kept = 0; /* points up to here are done */
    b->count = b->runs = 0;
    for (int i = 0; i <= last; i++) {
        if (!is_inside(b, i)) continue;
        int end = i;
        for (int k = i; k <= last && k <= end + b->lead; k++) {
            if (is_inside(b, k)) end = k;
        }
        if (i > kept && end < last) {
            int from = i - b->lead > kept ? i - b->lead : kept;
            int to = end + b->lead < last ? end + b->lead : last;
            b->runs++;
            if (b->points) {
                for (int k = kept; k <= from; k++) put(b, b->path->x[k], b->path->z[k]);
                put_string(b, from, to);
            }
            kept = to;
            i = to;
        } else {
            if (b->points)
                for (int k = kept; k <= end; k++) put(b, b->path->x[k], b->path->z[k]);
            kept = end < last ? end + 1 : last;
            i = end;
        }
    }
    for (int k = kept; b->points && k <= last; k++) put(b, b->path->x[k], b->path->z[k]);
}

marey_status mry_floor_path_bend(mry_floor_path *path, mry_arena *mem,
                                 const marey_walk_obstacle *obstacles, int count,
                                 marey_error *error)
{
    marey_status status = MAREY_OK;
    bool bent = true;
    for (int times = 0; times < MOST_BENDS && bent; times++) {
        bent = false;
        for (int i = 0; i < count && !status; i++) {
            bending b = { .path = path,
                          .round = { obstacles[i].x_cm, obstacles[i].z_cm,
                                     obstacles[i].radius_cm + MAREY_WALK_HALF_WIDTH_CM +
                                         SWAY_CM } };
            b.lead = (int)fmin(ceil(b.round.radius / path->spacing), path->count);
            bend(&b);
            if (b.runs == 0) continue;
            size_t room = (size_t)path->count + (size_t)b.runs * (MOST_ARC + 2) + 2;
            b.points = MRY_NEW_RAW(mem, double, 2 * room);
            if (!b.points) return mry_fail_memory(error, NULL);
            bend(&b);
            status = mry_floor_path_open(path, mem, b.points, b.count, error);
            bent = true;
        }
    }
    return status;
}
