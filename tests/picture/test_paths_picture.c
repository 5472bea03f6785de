/* test_paths_picture.c - ways on a plan: the same scale both ways, all of them inside, what is
   drawn where it should be, the same bytes every time; wrong requests, refused memory and a failing
   disk leave nothing behind. */
#include "picture/paths_picture.h"
#include "support.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 601, RATE = 60 };

static char folder[256];
static marey_entity ways[3][COUNT];

static int enter(void **state)
{
    (void)state;
    test_folder_make(folder, sizeof folder);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static const char *in_folder(const char *name)
{
    static char paths[4][300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* One goes along x, one to its left, one around both; a metre is `metre` cm. */
static void walk(marey_paths_walker *walkers, double metre)
{
    static const char *const names[] = { "main", "left\xff\n", NULL };
    for (int i = 0; i < COUNT; i++) {
        double t = i / (double)RATE;
        ways[0][i] = (marey_entity){ metre * t, 0, 0 };
        ways[1][i] = (marey_entity){ metre * t, 2 * metre, -1.5 };
        ways[2][i] = (marey_entity){ metre * (5 + 4 * cos(t)), 3 * metre * sin(t), 50 * t };
    }
    for (int w = 0; w < 3; w++) walkers[w] = (marey_paths_walker){ ways[w], COUNT, RATE, names[w] };
}

static marey_status save(const marey_paths_walker *walkers, int count,
                         const marey_paths_picture_def *def, const char *name)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    marey_error error = { 0 };
    marey_status status =
        marey_paths_picture_save(ctx, walkers, count, def, in_folder(name), &error);
    assert_int_equal(error.status, status);
    return status;
}

static mry_paths_plan plan_of(const marey_paths_walker *walkers, int count,
                              const marey_paths_picture_def *def)
{
    mry_paths_plan p = { .walkers = walkers, .count = count, .def = def, .width = def->width_px };
    mry_paths_lay_out(&p);
    return p;
}

/* ---- where things are ------------------------------------------------------------------------ */

static void check_plan(const mry_paths_plan *p)
{
    const mry_rectangle *f = &p->floor;
    double x0, y0, x1, y1;
    mry_paths_point(p, &(marey_entity){ p->middle[0], p->middle[1], 0 }, &x0, &y0);
    mry_paths_point(p, &(marey_entity){ p->middle[0] + 100, p->middle[1] + 100, 0 }, &x1, &y1);
    assert_true(p->scale > 0 && fabs(x1 - x0 - 100 * p->scale) < 1e-6 &&
                fabs(y0 - y1 - 100 * p->scale) < 1e-6);
    for (int w = 0; w < p->count; w++) {
        for (int i = 0; i < p->walkers[w].count; i++) {
            mry_paths_point(p, &p->walkers[w].places[i], &x0, &y0);
            assert_true(x0 > f->x && x0 < f->x + f->width && y0 > f->y && y0 < f->y + f->height);
        }
    }
    assert_true(f->x > 0 && f->x + f->width < p->width && f->y + f->height < p->height);
    assert_true(p->panel.y + p->panel.height < p->height);
    assert_true(p->scale_y - 5 > f->y + f->height && p->scale_y + 5 < p->height);
    assert_true(p->panel.height == 0 || p->scale_y + 5 < p->panel.y - 20); /* its title */
    assert_true(p->every_s > 0 && p->seconds / p->every_s <= MRY_PATHS_MOST_DOTS);
    double joins = p->joins_s / p->every_s;
    assert_true(joins >= 1 && fabs(joins - rint(joins)) < 1e-6);
}

#define CASE(name) TEST_IN(enter, leave, name)

CASE(all_ways_are_inside_and_both_ways_have_one_scale)
{
    static const double metres[] = { 0, 1e-9, 1, 100, 5000, 9.9e4 };
    static const int widths[] = { 240, 1000, 8192 };
    marey_paths_walker walkers[3];
    for (size_t m = 0; m < sizeof metres / sizeof *metres; m++) {
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            walk(walkers, metres[m]);
            marey_paths_picture_def def = { .width_px = widths[k], .title = "t" };
            mry_paths_plan all = plan_of(walkers, 3, &def), one = plan_of(walkers + 2, 1, &def);
            check_plan(&all);
            check_plan(&one);
            assert_true(all.panel.height > 0 && one.panel.height == 0);
        }
    }
}

CASE(dots_are_as_far_apart_as_is_readable_or_asked_for)
{
    marey_paths_walker walkers[3];
    walk(walkers, 100);
    marey_paths_picture_def def = { .width_px = 1000, .every_s = 0.35 };
    mry_paths_plan asked = plan_of(walkers, 3, &def);
    assert_true(asked.every_s == 0.35);
    def.every_s = 0;
    mry_paths_plan p = plan_of(walkers, 1, &def); /* 10 m in 10 s over 876 pixels */
    assert_true(p.every_s == 0.5);
    for (int w = 0; w < 3; w++) walkers[w].rate = RATE / 100.0; /* 1000 s */
    p = plan_of(walkers, 1, &def);
    assert_true(p.every_s == 60);
    for (int w = 0; w < 3; w++) walkers[w].rate = 1e-3;
    p = plan_of(walkers, 1, &def);
    check_plan(&p);
    assert_true(p.seconds == 600000);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static uint32_t pixel_at(cairo_surface_t *surface, double x, double y)
{
    uint32_t pixel;
    memcpy(&pixel,
           cairo_image_surface_get_data(surface) +
               (int)y * cairo_image_surface_get_stride(surface) + 4 * (int)x,
           sizeof pixel);
    return pixel & 0xffffff;
}

static bool is_colour(uint32_t pixel, mry_colour colour)
{
    return abs((int)(pixel >> 16 & 255) - (int)(255 * colour.r)) < 12 &&
           abs((int)(pixel >> 8 & 255) - (int)(255 * colour.g)) < 12 &&
           abs((int)(pixel & 255) - (int)(255 * colour.b)) < 12;
}

CASE(each_way_begins_with_a_ring_and_ends_with_an_arrow_of_its_colour)
{
    marey_paths_walker walkers[3];
    marey_paths_picture_def def = { .width_px = 1000 };
    walk(walkers, 100);
    test_ok(save(walkers, 3, &def, "p.png"));
    mry_paths_plan p = plan_of(walkers, 3, &def);
    cairo_surface_t *picture = cairo_image_surface_create_from_png(in_folder("p.png"));
    assert_int_equal(cairo_image_surface_get_width(picture), p.width);
    assert_int_equal(cairo_image_surface_get_height(picture), p.height);
    for (int w = 0; w < 3; w++) {
        double x, y;
        mry_colour colour = mry_paths_colour(w);
        mry_paths_point(&p, &ways[w][0], &x, &y);
        assert_true(is_colour(pixel_at(picture, x, y), MRY_WHITE));
        assert_true(is_colour(pixel_at(picture, x, y - 6), colour));
        mry_paths_point(&p, &ways[w][COUNT - 1], &x, &y);
        assert_true(is_colour(pixel_at(picture, x, y), colour));
        mry_paths_point(&p, &ways[w][COUNT - 20], &x, &y); /* nearly full there, and no dot */
        assert_true(is_colour(pixel_at(picture, x, y), colour));
    }
    double y = p.panel.y + p.panel.height, x = p.panel.x + p.panel.width / 2;
    int drawn = 0;
    while (--y > p.panel.y) drawn += is_colour(pixel_at(picture, x, y), mry_paths_colour(1));
    assert_true(drawn >= 1);
    cairo_surface_destroy(picture);
}

/* Where a scale on the floor would be. */
CASE(the_scale_is_below_the_floor_and_hides_no_way)
{
    marey_paths_walker walkers[3];
    marey_paths_picture_def def = { .width_px = 1000 };
    walk(walkers, 100);
    for (int i = 0; i < COUNT; i++) ways[0][i] = (marey_entity){ i, i < 300 ? 0 : i, 0 };
    test_ok(save(walkers, 1, &def, "p.png"));
    mry_paths_plan p = plan_of(walkers, 1, &def);
    cairo_surface_t *picture = cairo_image_surface_create_from_png(in_folder("p.png"));
    assert_true(is_colour(pixel_at(picture, p.floor.x + 30, p.scale_y), MRY_TEXT));
    for (double y = p.floor.y + 2; y < p.floor.y + p.floor.height - 2; y++) {
        for (double x = p.floor.x + 2; x < p.floor.x + 120; x++)
            assert_false(is_colour(pixel_at(picture, x, y), MRY_TEXT));
    }
    cairo_surface_destroy(picture);
}

static int paths_in_svg(const marey_paths_walker *walkers, int count, double every_s)
{
    marey_paths_picture_def def = { .every_s = every_s, .title = "\xff & <title>" };
    test_ok(save(walkers, count, &def, "p.svg"));
    FREED char *svg = test_file_read(in_folder("p.svg"), NULL);
    assert_non_null(strstr(svg, "<svg"));
    assert_true(!strstr(svg, "nan") && !strstr(svg, "inf"));
    const char *word = "<path";
    int found = 0;
    for (const char *at = strstr(svg, word); at; at = strstr(at + 1, word)) found++;
    return found;
}

CASE(more_dots_and_more_ways_are_more_shapes)
{
    marey_paths_walker walkers[3];
    walk(walkers, 100);
    int few = paths_in_svg(walkers, 1, 1), more = paths_in_svg(walkers, 1, 0.5);
    assert_true(more - few >= 20); /* ten dots more, each with its edge */
    assert_true(paths_in_svg(walkers, 2, 1) > few + 32);
}

CASE(the_same_ways_give_the_same_bytes)
{
    static const char *const endings[] = { "png", "svg", "pdf", "PNG" };
    marey_paths_walker walkers[3];
    walk(walkers, 100);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char names[2][16];
        for (int k = 0; k < 2; k++) {
            snprintf(names[k], sizeof names[k], "%d.%s", k, endings[i]);
            test_ok(save(walkers, 3, NULL, names[k]));
        }
        test_same_file(in_folder(names[0]), in_folder(names[1]));
    }
}

CASE(ways_that_are_odd_are_drawn)
{
    marey_entity still[2] = { { 5, 5, 1 }, { 5, 5, 1 } };
    marey_entity far[2] = { { -1e6, -1e6, -1e6 }, { 1e6, 1e6, 1e6 } };
    marey_paths_walker odd[] = { { still, 2, 1e5, NULL },
                                 { far, 2, 1e-3, "" },
                                 { still, 2, 60,
                                   "a name that is much longer than there is room "
                                   "for in a picture, and then some more of it" } };
    for (int first = 0; first < 3; first++) {
        for (int count = 1; first + count <= 3; count++) {
            marey_paths_picture_def def = { .width_px = 240 };
            test_ok(save(odd + first, count, &def, "o.png"));
            test_ok(save(odd + first, count, NULL, "o.svg"));
        }
    }
    marey_paths_walker many[MRY_PATHS_MOST_WALKERS];
    for (int i = 0; i < MRY_PATHS_MOST_WALKERS; i++) many[i] = odd[2];
    test_ok(save(many, MRY_PATHS_MOST_WALKERS, NULL, "o.png"));
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(const marey_paths_walker *walkers, int count, const marey_paths_picture_def *def,
                   const char *name, marey_status status, const char *says)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    test_refused_about(
        marey_paths_picture_save(ctx, walkers, count, def, in_folder(name), &test_error), status,
        says);
    assert_int_equal(test_folder_count(folder), 0);
}

CASE(invalid_requests_are_refused)
{
    marey_paths_walker walkers[3];
    walk(walkers, 100);
    refuse(walkers, 0, NULL, "x.png", MAREY_ERR_REQUEST, "paths must be 1 to 64, got 0");
    refuse(walkers, 65, NULL, "x.png", MAREY_ERR_REQUEST, "paths must be 1 to 64, got 65");
    refuse(walkers, 3, NULL, "x.gif", MAREY_ERR_REQUEST, "");
    refuse(walkers, 3, NULL, "no/x.png", MAREY_ERR_INPUT, "");
    refuse(walkers, 3, &(marey_paths_picture_def){ .width_px = 239 }, "x.png", MAREY_ERR_REQUEST,
           "240 to 8192");
    refuse(walkers, 3, &(marey_paths_picture_def){ .width_px = 8193 }, "x.png", MAREY_ERR_REQUEST,
           "240 to 8192");
    static const double steps[] = { -1, NAN, 1e-3 };
    for (int i = 0; i < 3; i++)
        refuse(walkers, 3, &(marey_paths_picture_def){ .every_s = steps[i] }, "x.png",
               MAREY_ERR_REQUEST, "dot interval must be positive");
    walkers[1].count = 1;
    refuse(walkers, 3, NULL, "x.png", MAREY_ERR_REQUEST,
           "path 1 must have at least 2 positions, got 1");
    walkers[1].count = COUNT;
    static const double rates[] = { 0, -60, NAN, INFINITY };
    for (int i = 0; i < 4; i++) {
        walkers[2].rate = rates[i];
        refuse(walkers, 3, NULL, "x.png", MAREY_ERR_REQUEST, "rate of path 2 must be");
    }
    walk(walkers, 100);
    ways[2][77].y_cm = NAN;
    refuse(walkers, 3, NULL, "x.png", MAREY_ERR_REQUEST, "path 2: position 77");
    ways[2][77].y_cm = 1.1e6;
    refuse(walkers, 3, NULL, "x.png", MAREY_ERR_REQUEST, "path 2: position 77");
}

CASE(refused_memory_and_a_failing_disk_leave_nothing_behind)
{
    marey_paths_walker walkers[3];
    walk(walkers, 100);
    marey_paths_picture_def small = { .width_px = 240 };
    for (int disk = 0; disk < 2; disk++) {
        for (long fail = 0, more = 1; more; fail = test_next(fail)) {
            test_memory memory = { .refuse = disk ? -1 : fail };
            test_files files = { .kinds = TEST_IO_ALL, .fail = disk ? fail : -1 };
            marey_ctx_def def = { .resize = test_memory_resize,
                                  .resize_user = &memory,
                                  .io = test_files_io(&files) };
            marey_ctx *ctx = NULL;
            if (marey_ctx_open(&def, &ctx) != MAREY_OK) continue;
            const char *path = in_folder("m.png");
            marey_status status = marey_paths_picture_save(ctx, walkers, 3, &small, path, NULL);
            more = disk ? files.calls > fail : memory.calls > fail;
            if (!more || !disk) assert_int_equal(status, more ? MAREY_ERR_MEMORY : MAREY_OK);
            assert_true((access(path, F_OK) == 0) == !status);
            unlink(path);
            assert_int_equal(test_folder_count(folder), 0);
            marey_ctx_close(ctx);
            assert_int_equal(memory.held, 0);
            assert_int_equal(files.open_handles, 0);
        }
    }
}

TEST_GROUP_OF_CASES(test_paths_picture, NULL, NULL)
