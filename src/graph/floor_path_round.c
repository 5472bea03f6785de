/* floor_path_round.c - a path that can be walked: no bend of it is tighter than a radius.

   A hand draws corners, hairpins and scribbles. What a body makes of them is what a car does whose
   wheel is turned in time: it steers for a point of the path a little ahead (pure pursuit: Coulter
   1992), never more sharply than it can. So a corner is cut, a turn right back becomes a loop beside
   the path, and a circle that is too small a larger one about the same middle; elsewhere the two are
   the same within a few centimetres.

   A car that follows a zigzag as it is overshoots at every corner. So the path is also driven
   smoothed, more and more; the drive that stays nearest to what was drawn is taken. Most paths are
   driven well enough as they are.

   The place on the path that belongs to where the car is goes on with it, and at least a little with
   every step: a car that circles round a point it cannot get to is led on. */
#include "base/fail.h"
#include "graph/walk_path.h"

#include <math.h>

#define PI 3.14159265358979323846
#define AHEAD_CM 60.0
#define LEAST_GAIN 0.2 /* of a step */
#define FINE_CM 10.0   /* so far from what was drawn, at most, is near enough */

/* Standard deviation of what is smoothed over, cm. */
static const double widths[] = { 0, 20, 40, 60, 90 };

enum { WIDTHS = sizeof widths / sizeof *widths };

double mry_floor_path_steer(const mry_floor_path *path, double arc, double ahead, double x,
                            double z, double heading)
{
    double at = (arc + ahead) / path->spacing;
    int last = path->count - 1, i = at < last - 1 ? (int)at : last - 1;
    /* Beyond its end the path goes straight on. */
    double dx = path->x[i] + (at - i) * (path->x[i + 1] - path->x[i]) - x;
    double dz = path->z[i] + (at - i) * (path->z[i + 1] - path->z[i]) - z;
    double off = remainder(atan2(dx, dz) - heading, 2 * PI), away = hypot(dx, dz);
    if (fabs(off) > PI / 2) return copysign(INFINITY, off);
    return away > 1 ? 2 * sin(off) / away : 0;
}

typedef struct driving {
    const mry_floor_path *drawn;
    double
        *points; /* room for the smoothed path, x and z in turn, a point for each that was drawn */
    double *way; /* how long it is up to each */
    mry_arena *mem;
    double radius;
} driving;

/* Each point is the mean of those around it (Gauss), of fewer near the ends, so that these stay. */
static void smooth(const driving *d, double width)
{
    const mry_floor_path *path = d->drawn;
    int last = path->count - 1;
    for (int i = 0; i <= last; i++) {
        double rest = (i < last - i ? i : last - i) * path->spacing;
        double over = fmin(width, rest / 1.5), x = path->x[i], z = path->z[i], sum = 1;
        int reach = over < 1 ? 0 : (int)(3 * over / path->spacing);
        for (int k = 1; k <= reach && k <= i && k <= last - i; k++) {
            double far = k * path->spacing / over, weight = exp(-0.5 * far * far);
            x += weight * (path->x[i - k] + path->x[i + k]);
            z += weight * (path->z[i - k] + path->z[i + k]);
            sum += 2 * weight;
        }
        double *p = d->points + 2 * (size_t)i;
        p[0] = x / sum;
        p[1] = z / sum;
        d->way[i] = i > 0 ? d->way[i - 1] + hypot(p[0] - p[-2], p[1] - p[-1]) : 0;
    }
}

/* One step of the car. */
static void put(const driving *d, mry_rounded *out, double x, double z, double along)
{
    const mry_floor_path *drawn = d->drawn;
    int n = out->path.count++;
    double at = fmin(along / drawn->spacing, drawn->count - 1);
    int i = at < drawn->count - 2 ? (int)at : drawn->count - 2;
    double dx = drawn->x[i] + (at - i) * (drawn->x[i + 1] - drawn->x[i]) - x;
    double dz = drawn->z[i] + (at - i) * (drawn->z[i + 1] - drawn->z[i]) - z;
    out->path.x[n] = x;
    out->path.z[n] = z;
    out->along[n] = along;
    out->off[n] = hypot(dx, dz);
    out->mean_off += out->off[n];
    out->most_off = fmax(out->most_off, out->off[n]);
}

/* Drives along the smoothed path. REQUEST: nothing is left of it. MEMORY. */
static marey_status drive(const driving *d, double width, mry_rounded *out, marey_error *error)
{
    mry_floor_path path;
    smooth(d, width);
    marey_status status = mry_floor_path_open(&path, d->mem, d->points, d->drawn->count, error);
    if (status) return status;
    size_t room = (size_t)ceil(path.count / LEAST_GAIN) + 2;
    *out = (mry_rounded){ .path = { .count = (int)room, .spacing = path.spacing },
                          .along = MRY_NEW_RAW(d->mem, double, room),
                          .off = MRY_NEW_RAW(d->mem, double, room) };
    if (!out->along || !out->off || !mry_floor_path_room(&out->path, d->mem))
        return mry_fail_memory(error, NULL);
    double step = path.spacing, most = 1 / d->radius, arc = 0;
    double x = path.x[0], z = path.z[0], heading = atan2(path.tx[0], path.tz[0]);
    out->path.count = 0;
    put(d, out, x, z, 0);
    for (int i = 0; arc < path.length - 1e-6;) {
        double bend = mry_floor_path_steer(&path, arc, AHEAD_CM, x, z, heading), away;
        heading += fmin(fmax(bend, -most), most) * step;
        x += sin(heading) * step;
        z += cos(heading) * step;
        double next = mry_floor_path_follow(&path, arc, MRY_PATH_GAIN * step, x, z, &away);
        arc = fmin(fmax(next, arc + LEAST_GAIN * step), path.length);
        while (i < d->drawn->count - 2 && d->way[i + 1] < arc) i++;
        double piece = d->way[i + 1] - d->way[i];
        double share = piece > 0 ? fmin((arc - d->way[i]) / piece, 1) : 0;
        put(d, out, x, z, (i + share) * d->drawn->spacing);
    }
    out->count = out->path.count;
    out->mean_off /= out->count;
    out->path.length = (out->path.count - 1) * step;
    mry_floor_path_aim(&out->path);
    return MAREY_OK;
}

marey_status mry_floor_path_round(const mry_floor_path *drawn, mry_arena *mem, double radius,
                                  mry_rounded *out, marey_error *error)
{
    size_t count = (size_t)drawn->count;
    driving d = { .drawn = drawn, .mem = mem, .radius = radius };
    d.points = MRY_NEW_RAW(mem, double, 2 * count);
    d.way = MRY_NEW(mem, double, count);
    if (!d.points || !d.way) return mry_fail_memory(error, NULL);
    if (!(radius > 0)) {
        for (size_t i = 0; i < count; i++) d.points[i] = (double)i * drawn->spacing;
        *out =
            (mry_rounded){ .path = *drawn, .count = drawn->count, .along = d.points, .off = d.way };
        return MAREY_OK;
    }
    double least = INFINITY;
    for (int n = 0; n < WIDTHS && (n == 0 || out->most_off > FINE_CM); n++) {
        mry_rounded one;
        marey_status status = drive(&d, widths[n], &one, error);
        if (status == MAREY_ERR_REQUEST) continue; /* smoothed until it was a point */
        if (status) return status;
        double cost = one.mean_off + one.most_off / 2;
        if (!(cost < least)) continue;
        least = cost;
        *out = one;
    }
    return MAREY_OK;
}

double mry_rounded_arc(const mry_rounded *rounded, double along)
{
    int low = 0, high = rounded->count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(rounded->along[middle] <= along ? &low : &high) = middle;
    }
    double piece = rounded->along[high] - rounded->along[low];
    double share = piece > 0 ? fmin(fmax((along - rounded->along[low]) / piece, 0), 1) : 0;
    return (low + share) * rounded->path.spacing;
}
