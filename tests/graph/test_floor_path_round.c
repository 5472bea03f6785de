/* test_floor_path_round.c - paths that can be walked: no bend tighter than the radius, near what was
   drawn where that can be walked, all of it in its order; on paths of every kind that a hand draws. */
#include "support.h"

#include "graph/walk_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 500, RADIUS = 60 };

/* How much it turns from step to step, by hand: the tightest radius there is. */
static double tightest(const mry_floor_path *path)
{
    double least = INFINITY;
    for (int i = 1; i + 1 < path->count; i++) {
        double ax = path->x[i] - path->x[i - 1], az = path->z[i] - path->z[i - 1];
        double bx = path->x[i + 1] - path->x[i], bz = path->z[i + 1] - path->z[i];
        double turn = fabs(atan2(ax * bz - az * bx, ax * bx + az * bz));
        assert_true(fabs(hypot(bx, bz) - path->spacing) < 1e-6);
        least = fmin(least, path->spacing / fmax(turn, 1e-12));
    }
    return least;
}

static void check(const mry_floor_path *drawn, const mry_rounded *rounded)
{
    assert_true(tightest(&rounded->path) > RADIUS * (1 - 1e-6));
    assert_true(hypot(rounded->path.x[0] - drawn->x[0], rounded->path.z[0] - drawn->z[0]) < 1e-9);
    double most = 0, sum = 0;
    for (int i = 0; i < rounded->count; i++) {
        assert_true(i == 0 || rounded->along[i] > rounded->along[i - 1]);
        /* The place on what was drawn that belongs to it is no nearer than the nearest of all. */
        double best = INFINITY;
        for (int k = 0; k < drawn->count; k++)
            best = fmin(best,
                        hypot(drawn->x[k] - rounded->path.x[i], drawn->z[k] - rounded->path.z[i]));
        assert_true(rounded->off[i] > best - drawn->spacing);
        most = fmax(most, rounded->off[i]);
        sum += rounded->off[i];
    }
    assert_true(fabs(rounded->along[rounded->count - 1] - drawn->length) < 1e-6);
    assert_true(fabs(most - rounded->most_off) < 1e-9);
    assert_true(fabs(sum / rounded->count - rounded->mean_off) < 1e-9);
}

TEST_CTX(paths_that_hands_draw_are_rounded_to_what_can_be_walked)
{
    FILE *file = fopen(MAREY_TEST_DATA "/paths/drawn.txt", "r");
    assert_non_null(file);
    static char line[16384];
    int paths = 0, as_drawn = 0;
    while (fgets(line, sizeof line, file)) {
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        double points[2 * MOST_POINTS];
        int count = 0;
        for (char *at = strchr(line, ':') + 1; *at == ' ' && count < MOST_POINTS; count++) {
            points[2 * count] = strtod(at, &at);
            points[2 * count + 1] = strtod(at + 1, &at);
        }
        mry_floor_path drawn;
        mry_rounded rounded;
        test_ok(mry_floor_path_open(&drawn, &tmp, points, count, NULL));
        test_ok(mry_floor_path_round(&drawn, &tmp, RADIUS, &rounded, NULL));
        check(&drawn, &rounded);
        assert_true(rounded.most_off < 130 && rounded.mean_off < 50);
        as_drawn += rounded.most_off <= 10;
        paths++;
    }
    fclose(file);
    assert_int_equal(paths, 60);
    assert_true(as_drawn >= 15);
}

TEST_CTX(a_zigzag_is_walked_through_its_middle_and_not_in_loops)
{
    double points[2 * 31];
    for (int i = 0; i < 31; i++) {
        points[2 * i] = 18 * i;
        points[2 * i + 1] = i % 2 ? 60 : -60;
    }
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_floor_path drawn;
    mry_rounded rounded;
    test_ok(mry_floor_path_open(&drawn, &tmp, points, 31, NULL));
    test_ok(mry_floor_path_round(&drawn, &tmp, RADIUS, &rounded, NULL));
    check(&drawn, &rounded);
    assert_true(rounded.path.length < drawn.length / 3);
}

TEST_CTX(an_arc_length_that_was_drawn_is_found_on_what_is_followed)
{
    static const double corner[] = { 0, 0, 400, 0, 400, 400 };
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_floor_path drawn;
    mry_rounded rounded;
    test_ok(mry_floor_path_open(&drawn, &tmp, corner, 3, NULL));
    test_ok(mry_floor_path_round(&drawn, &tmp, RADIUS, &rounded, NULL));
    for (double along = 0; along <= 800; along += 25) {
        double at = mry_rounded_arc(&rounded, along) / rounded.path.spacing;
        int i = (int)fmin(at, rounded.path.count - 2);
        double x = rounded.path.x[i] + (at - i) * (rounded.path.x[i + 1] - rounded.path.x[i]);
        double z = rounded.path.z[i] + (at - i) * (rounded.path.z[i + 1] - rounded.path.z[i]);
        double wanted_x = fmin(along, 400), wanted_z = fmax(along - 400, 0);
        assert_true(hypot(x - wanted_x, z - wanted_z) < rounded.most_off + 4);
        if (fabs(along - 400) > 150) assert_true(hypot(x - wanted_x, z - wanted_z) < 4);
    }
    /* Without a radius it is as it was drawn. */
    test_ok(mry_floor_path_round(&drawn, &tmp, 0, &rounded, NULL));
    assert_int_equal(rounded.path.count, drawn.count);
    assert_true(rounded.most_off == 0 && fabs(mry_rounded_arc(&rounded, 333) - 333) < 1e-9);
}

/* A body that goes right away from the path, slowly, at a run, and not at all. */
TEST_CTX(however_far_off_a_path_is_no_bend_is_tighter_than_it_may_be)
{
    static const double straight[] = { 0, 0, 600, 0 };
    static const struct {
        float step;
        double tightest;
    } rows[] = { { 3, 50 }, { 10, 300 }, { 0, INFINITY } };
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_floor_path path;
    test_ok(mry_floor_path_open(&path, &tmp, straight, 2, NULL));
    for (int n = 0; n < 3; n++) {
        marey_graph graph = { .fps = 30 };
        mry_going going = { .heading = -1.5f, .step = rows[n].step };
        mry_tracks tracks = { .graph = &graph, .goings = &going };
        mry_path_task task = { .tracks = &tracks, .path = &path, .bend_cm = 50 };
        mry_path_at at = { .z = 100 };
        double turned = 0;
        for (int k = 0; k < 200; k++) turned = mry_path_steer(&task, &at, 0);
        assert_true(fabs(fabs(at.bend) - 1 / rows[n].tightest) < 1e-6);
        assert_true(fabs(turned - at.bend * (double)rows[n].step) < 1e-12);
    }
}

TEST(refused_memory_is_reported)
{
    static const double corner[] = { 0, 0, 300, 0, 0, 5 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        mry_floor_path drawn;
        mry_rounded rounded;
        status = mry_floor_path_open(&drawn, &tmp, corner, 3, NULL);
        if (!status) status = mry_floor_path_round(&drawn, &tmp, RADIUS, &rounded, NULL);
    }
}

TEST_GROUP_OF_CASES(test_floor_path_round, NULL, NULL)
