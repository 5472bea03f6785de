/* test_floor_path_bend.c - paths that lead round obstacles: measured point by point. */
#include "graph/walk_path.h"
#include "hand_graph.h"

#include <math.h>
#include <stdlib.h>

#define WIDE 33.0 /* half a body, and its sway */

static mry_floor_path open_path(mry_arena *mem, const double *points, int count)
{
    mry_floor_path path;
    test_ok(mry_floor_path_open(&path, mem, points, count, NULL));
    return path;
}

static double clearance(const mry_floor_path *path, const marey_walk_obstacle *one)
{
    double least = INFINITY;
    for (int i = 0; i + 1 < path->count; i++) {
        for (int k = 0; k < 8; k++) {
            double x = path->x[i] + k / 8.0 * (path->x[i + 1] - path->x[i]);
            double z = path->z[i] + k / 8.0 * (path->z[i + 1] - path->z[i]);
            least = fmin(least, hypot(x - one->x_cm, z - one->z_cm) - one->radius_cm);
        }
    }
    return least;
}

static double random_between(uint32_t *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / (double)(1 << 24);
}

TEST_CTX(a_path_through_a_circle_goes_along_a_taut_string)
{
    static const double straight[] = { 0, 0, 1000, 0 };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (int off = -60; off <= 60; off += 10) {
        const marey_walk_obstacle one = { 500, off, 40 };
        mry_floor_path path = open_path(&mem, straight, 2);
        test_ok(mry_floor_path_bend(&path, &mem, &one, 1, NULL));
        /* From a radius before where the path comes into the circle, tangents and an arc. */
        double radius = 40 + WIDE, half = sqrt(radius * radius - off * off);
        double away = half + radius, far = hypot(away, off);
        double arc = 2 * (atan2(away, abs(off)) - acos(radius / far));
        double length = 1000 - 2 * away + 2 * sqrt(far * far - radius * radius) + radius * arc;
        assert_true(fabs(path.length - length) < 4);
        assert_true(clearance(&path, &one) > WIDE - 1 && clearance(&path, &one) < WIDE + 1);
        assert_true(path.x[0] == 0 && path.z[0] == 0);
        assert_true(fabs(path.x[path.count - 1] - 1000) < 1e-9);
        /* It goes by the shorter side. */
        for (int i = 0; i < path.count && off != 0; i++) assert_true(path.z[i] * off < 1e-9);
    }
}

TEST_CTX(bent_paths_keep_their_ends_and_pass_all_obstacles)
{
    int bent = 0;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        enum { POINTS = 5, OBSTACLES = 3 };
        uint32_t dice = seed;
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        double points[2 * POINTS];
        marey_walk_obstacle all[OBSTACLES];
        int count = 0;
        for (int i = 0; i < 2 * POINTS; i++)
            points[i] = i % 2 ? random_between(&dice, -300, 300)
                              : 400 * (i / 2) + random_between(&dice, -150, 150);
        for (int k = 0; k < OBSTACLES; k++) {
            marey_walk_obstacle one = { random_between(&dice, 0, 1600),
                                        random_between(&dice, -300, 300),
                                        random_between(&dice, 5, 120) };
            /* Apart from each other and from both ends. */
            bool apart = true;
            for (int i = 0; i < 2; i++) {
                const double *end = points + (i ? 2 * POINTS - 2 : 0);
                apart &= hypot(one.x_cm - end[0], one.z_cm - end[1]) > one.radius_cm + WIDE + 5;
            }
            for (int i = 0; i < count; i++)
                apart &= hypot(one.x_cm - all[i].x_cm, one.z_cm - all[i].z_cm) >
                         2 * (one.radius_cm + all[i].radius_cm + 2 * WIDE);
            if (apart) all[count++] = one;
        }
        mry_floor_path path = open_path(&mem, points, POINTS);
        double before = path.length;
        test_ok(mry_floor_path_bend(&path, &mem, all, count, NULL));
        bent += path.length != before;
        assert_true(path.x[0] == points[0] && path.z[0] == points[1]);
        assert_true(hypot(path.x[path.count - 1] - points[2 * POINTS - 2],
                          path.z[path.count - 1] - points[2 * POINTS - 1]) < 1e-6);
        for (int k = 0; k < count; k++) assert_true(clearance(&path, &all[k]) > WIDE - 4);
    }
    assert_true(bent > 50);
}

TEST_CTX(what_is_not_in_the_way_changes_nothing)
{
    static const double straight[] = { 0, 0, 500, 0 };
    static const marey_walk_obstacle far[] = { { 250, 200, 100 }, { -60, 0, 20 }, { 600, 0, 66 } };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    mry_floor_path path = open_path(&mem, straight, 2), same = path;
    test_ok(mry_floor_path_bend(&path, &mem, far, 3, NULL));
    assert_memory_equal(&path, &same, sizeof path);
    test_ok(mry_floor_path_bend(&path, &mem, NULL, 0, NULL));
    assert_memory_equal(&path, &same, sizeof path);
}

TEST_CTX(obstacles_at_the_ends_or_over_one_another_leave_a_path)
{
    static const double straight[] = { 0, 0, 500, 0 };
    static const marey_walk_obstacle hard[] = {
        { 10, 5, 20 }, { 495, 0, 30 }, { 200, 10, 60 }, { 260, -20, 60 }, { 250, 40, 1e6 }
    };
    for (int count = 1; count <= 5; count++) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_floor_path path = open_path(&mem, straight, 2);
        test_ok(mry_floor_path_bend(&path, &mem, hard, count, NULL));
        assert_true(path.count >= 2 && isfinite(path.length) && path.length >= 500 - 1e-6);
        for (int i = 0; i < path.count; i++) assert_true(isfinite(path.x[i] + path.z[i]));
        assert_true(path.x[0] == 0 && path.z[0] == 0);
    }
}

TEST(refused_memory_is_said)
{
    static const double straight[] = { 0, 0, 500, 0 };
    static const marey_walk_obstacle one = { 250, 10, 50 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_floor_path path;
        status = mry_floor_path_open(&path, &mem, straight, 2, NULL);
        if (!status) status = mry_floor_path_bend(&path, &mem, &one, 1, NULL);
    }
}

TEST_GROUP_OF_CASES(test_floor_path_bend, NULL, NULL)
