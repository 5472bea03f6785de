/* floor_path.c - a path drawn on the floor. Its points are laid out anew at even distances, so that
   an arc length is a place in an array; what a mouse drew twice in one place falls out on the way.
   Corners stay: floor_path_round.c
   makes of them what can be walked. */
#include "base/fail.h"
#include "graph/walk_path.h"

#include <math.h>

#define SPACING_CM 4.0
#define AHEAD_CM 20.0 /* the direction is that of so much path on either side */

enum { MOST_POINTS = 1000000 };

bool mry_floor_path_room(mry_floor_path *path, mry_arena *mem)
{
    size_t count = (size_t)path->count;
    double *room = MRY_NEW_RAW(mem, double, 4 * count);
    if (!room) return false;
    path->x = room;
    path->z = room + count;
    path->tx = room + 2 * count;
    path->tz = room + 3 * count;
    return true;
}

void mry_floor_path_aim(mry_floor_path *path)
{
    /* Where it turns right back, the direction is that of the next piece. */
    int reach = (int)ceil(AHEAD_CM / path->spacing), last = path->count - 1;
    path->tx[last] = path->tz[last] = 0;
    for (int i = 0; i <= last; i++) {
        int a = i > reach ? i - reach : 0, b = i < last - reach ? i + reach : last;
        double x = path->x[b] - path->x[a], z = path->z[b] - path->z[a], size = hypot(x, z);
        if (size < 0.5 * path->spacing) {
            a = i < last ? i : last - 1;
            x = path->x[a + 1] - path->x[a];
            z = path->z[a + 1] - path->z[a];
            size = hypot(x, z);
        }
        path->tx[i] = size > 0 ? x / size : 1;
        path->tz[i] = size > 0 ? z / size : 0;
    }
}

marey_status mry_floor_path_open(mry_floor_path *path, mry_arena *mem, const double *points,
                                 int count, marey_error *error)
{
    if (count < 2 || !points)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a path must have at least 2 points, got %d", count);
    double length = 0;
    for (int i = 0; i < count; i++) {
        const double *p = points + 2 * (size_t)i;
        if (!(fabs(p[0]) <= MRY_FLOOR_PATH_MOST_CM && fabs(p[1]) <= MRY_FLOOR_PATH_MOST_CM))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "point %d of the path must be within %.0f km", i + 1,
                            MRY_FLOOR_PATH_MOST_CM * 1e-5);
        if (i) length += hypot(p[0] - p[-2], p[1] - p[-1]);
    }
    if (!(length > 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a path must have two different points");
    if (length > MRY_FLOOR_PATH_MOST_CM)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "length of the path must be at most %.0f km, got %g",
                        MRY_FLOOR_PATH_MOST_CM * 1e-5, length * 1e-5);
    double pieces = fmin(fmax(ceil(length / SPACING_CM), 1), MOST_POINTS - 1);
    *path =
        (mry_floor_path){ .count = (int)pieces + 1, .spacing = length / pieces, .length = length };
    if (!mry_floor_path_room(path, mem)) return mry_fail_memory(error, NULL);
    /* Walks along the points and puts one down whenever `spacing` was gone. */
    int put = 0;
    double gone = 0;
    for (int i = 1; i < count; i++) {
        const double *a = points + 2 * (size_t)(i - 1), *b = a + 2;
        double step = hypot(b[0] - a[0], b[1] - a[1]);
        while (put < path->count - 1 && put * path->spacing <= gone + step) {
            double t = step > 0 ? (put * path->spacing - gone) / step : 0;
            path->x[put] = a[0] + t * (b[0] - a[0]);
            path->z[put++] = a[1] + t * (b[1] - a[1]);
        }
        gone += step;
    }
    for (; put < path->count; put++) {
        path->x[put] = points[2 * (size_t)(count - 1)];
        path->z[put] = points[2 * (size_t)(count - 1) + 1];
    }
    mry_floor_path_aim(path);
    return MAREY_OK;
}

double mry_floor_path_follow(const mry_floor_path *path, double from, double most, double x,
                             double z, double *away)
{
    double start = from / path->spacing, end = fmin(from + most, path->length) / path->spacing;
    double best = INFINITY, arc = from;
    int i = (int)start < path->count - 2 ? (int)start : path->count - 2;
    do {
        /* The nearest place on piece i, from a share `low` of it to a share `high`. */
        double low = fmin(fmax(start - i, 0), 1), high = fmax(fmin(end - i, 1), low);
        double px = path->x[i], pz = path->z[i];
        double dx = path->x[i + 1] - px, dz = path->z[i + 1] - pz, size = dx * dx + dz * dz;
        double t = size > 0 ? ((x - px) * dx + (z - pz) * dz) / size : low;
        t = fmin(fmax(t, low), high);
        double ex = px + t * dx - x, ez = pz + t * dz - z, squared = ex * ex + ez * ez;
        if (squared < best) {
            best = squared;
            arc = (i + t) * path->spacing;
        }
    } while (++i < path->count - 1 && i < end);
    *away = sqrt(best);
    return fmin(fmax(arc, from), fmax(from, fmin(from + most, path->length)));
}
