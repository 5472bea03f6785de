/* test_floor_path.c - a path on the floor: evenly spaced, and the nearest place ahead on it. */
#include "graph/walk_path.h"
#include "math/turn.h"
#include "support.h"

#include <math.h>

static int below(uint64_t *seed, int count)
{
    return (int)(mry_random_next(seed) % (uint64_t)count);
}

TEST_CTX(the_nearest_place_ahead_is_that_of_trying_them_all)
{
    uint64_t seed = 5;
    double points[2 * 7];
    for (int i = 0; i < 14; i++) points[i] = (int)below(&seed, 200);
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_floor_path path;
    test_ok(mry_floor_path_open(&path, &tmp, points, 7, NULL));
    for (int i = 1; i < path.count; i++) {
        double step = hypot(path.x[i] - path.x[i - 1], path.z[i] - path.z[i - 1]);
        assert_true(step <= path.spacing * (1 + 1e-9));
    }
    for (int turn = 0; turn < 500; turn++) {
        double from = below(&seed, 1000) * 0.001 * path.length, most = below(&seed, 400) * 0.1;
        double x = (int)below(&seed, 200), z = (int)below(&seed, 200), away, best = INFINITY;
        double arc = mry_floor_path_follow(&path, from, most, x, z, &away);
        assert_true(arc >= from && arc <= fmin(from + most, path.length) + 1e-12);
        for (int k = 0; k <= 4000; k++) {
            double at = (from + fmin(most, path.length - from) * k / 4000) / path.spacing;
            int i = (int)fmin(floor(at), path.count - 2);
            double px = path.x[i] + (at - i) * (path.x[i + 1] - path.x[i]);
            double pz = path.z[i] + (at - i) * (path.z[i + 1] - path.z[i]);
            best = fmin(best, hypot(px - x, pz - z));
        }
        assert_true(away <= best + 1e-9 && away >= best - 0.02);
    }
}

TEST_GROUP_OF_CASES(test_floor_path, NULL, NULL)
