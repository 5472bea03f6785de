/* walk_route.c - the path that a walk follows: what was drawn, rounded where it is tighter than a body
   can turn, and led round obstacles; and where it was rounded, so that it can be shown before the
   walk is searched. */
#include "base/fail.h"
#include "graph/walk_path.h"

#include <math.h>
#include <string.h>

#define SEEN_CM 10.0 /* nearer to what was drawn is not called rounded */

marey_status mry_route_open(mry_rounded *route, mry_arena *mem, const mry_tracks *tracks,
                            const marey_walk_def *def, marey_error *error)
{
    if (def->bend_cm != 0 && !(def->bend_cm >= MAREY_WALK_LEAST_BEND_CM))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "tightest bend must be at least %d cm of radius, got %g",
                        MAREY_WALK_LEAST_BEND_CM, def->bend_cm);
    mry_floor_path drawn;
    marey_status status = mry_floor_path_open(&drawn, mem, def->path, def->point_count, error);
    if (!status)
        status = mry_floor_path_round(&drawn, mem, mry_path_radius(tracks, def), route, error);
    if (!status)
        status = mry_floor_path_bend(&route->path, mem, def->obstacles, def->obstacle_count, error);
    return status;
}

/* The places at which it is farthest from what was drawn, one of each stretch that is seen to be
   off. */
static int find_places(const mry_rounded *route, marey_rounding *places)
{
    int count = 0;
    for (int i = 0, end; i < route->count; i = end) {
        int most = i;
        for (end = i; end < route->count && route->off[end] > SEEN_CM; end++)
            if (route->off[end] > route->off[most]) most = end;
        if (end++ == i) continue;
        if (places)
            places[count] =
                (marey_rounding){ .along_cm = route->along[most], .off_cm = route->off[most] };
        count++;
    }
    return count;
}

static marey_status keep(marey_ctx *ctx, const mry_rounded *found, const marey_walk_def *def,
                         double radius, marey_walk_path *out, marey_error *error)
{
    const mry_floor_path *path = &found->path;
    int places = find_places(found, NULL);
    marey_walk_path route = { .count = path->count,
                              .place_count = places,
                              .radius_cm = radius,
                              .mean_off_cm = found->mean_off,
                              .most_off_cm = found->most_off,
                              .ctx = ctx };
    size_t first = 2 * (size_t)path->count * sizeof(double);
    route.bytes = first + (size_t)places * sizeof(marey_rounding);
    route.points = mry_alloc(ctx, route.bytes);
    if (!route.points) return mry_fail_memory(error, NULL);
    for (int i = 0; i < path->count; i++) {
        route.points[2 * (size_t)i] = path->x[i];
        route.points[2 * (size_t)i + 1] = path->z[i];
    }
    route.places = (marey_rounding *)(route.points + 2 * (size_t)path->count);
    find_places(found, route.places);
    /* Where on the drawn path that is. */
    double gone = 0;
    for (int i = 1, n = 0; i < def->point_count && n < places; i++) {
        const double *a = def->path + 2 * (size_t)(i - 1), *b = a + 2;
        double step = hypot(b[0] - a[0], b[1] - a[1]);
        bool last = i == def->point_count - 1;
        for (; n < places && (last || route.places[n].along_cm <= gone + step); n++) {
            marey_rounding *one = &route.places[n];
            double share = step > 0 ? fmin((one->along_cm - gone) / step, 1) : 1;
            one->x_cm = a[0] + share * (b[0] - a[0]);
            one->z_cm = a[1] + share * (b[1] - a[1]);
        }
        gone += step;
    }
    *out = route;
    return MAREY_OK;
}

marey_status marey_graph_path(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                              marey_walk_path *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_ways ways;
    mry_tracks tracks;
    mry_rounded found;
    marey_status status = mry_obstacles_check(def, error);
    if (!status) status = mry_ways_open(&ways, &tmp, graph, def, error);
    if (!status && !mry_tracks_open(&tracks, &tmp, &ways)) status = mry_fail_memory(error, NULL);
    if (!status) status = mry_route_open(&found, &tmp, &tracks, def, error);
    if (!status) status = keep(ctx, &found, def, mry_path_radius(&tracks, def), out, error);
    mry_arena_free(&tmp);
    return status;
}

void marey_walk_path_free(marey_walk_path *route)
{
    if (!route) return;
    if (route->points) mry_release(route->ctx, route->points, route->bytes);
    *route = (marey_walk_path){ 0 };
}
