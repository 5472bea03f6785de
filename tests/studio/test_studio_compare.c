/* test_studio_compare.c - comparing two clips through the studio's addresses: every number is the library's own, and the
   program's. */
#include "api_bench.h"
#include "json_look.h"

#include <inttypes.h>
#include <math.h>

/* ---- what the library itself says --------------------------------------------------------------- */

typedef struct judge {
    marey_clip *clips[2];
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid;
} judge;

static judge judge_make(api_bench *b, const char *first, const char *second,
                        const marey_metric_def *def)
{
    judge of = { .layout = NULL };
    assert_int_equal(marey_library_load(b->by.library, first, &of.clips[0], NULL), MAREY_OK);
    assert_int_equal(marey_library_load(b->by.library, second, &of.clips[1], NULL), MAREY_OK);
    const marey_clip *two[2] = { of.clips[0], of.clips[1] };
    assert_int_equal(marey_layout_build(b->by.ctx, two, 2, def, &of.layout, NULL), MAREY_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(marey_features_build(of.layout, two[i], &of.features[i], NULL), MAREY_OK);
    }
    assert_int_equal(marey_grid_build(b->by.ctx, of.features[0], of.features[1], &of.grid, NULL),
                     MAREY_OK);
    return of;
}

static void judge_free(judge *of)
{
    marey_grid_free(of->grid);
    for (int i = 0; i < 2; i++) marey_features_free(of->features[i]);
    marey_layout_free(of->layout);
    for (int i = 0; i < 2; i++) marey_clip_free(of->clips[i]);
}

/* {"a": 1, "b": 2} and more, in which ' stands for ". */
static const char *query(api_bench *b, const char *more)
{
    static char text[512];
    snprintf(text, sizeof text, "{'a': %" PRId64 ", 'b': %" PRId64 "%s}", b->walk, b->run, more);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return text;
}

/* ---- the table ---------------------------------------------------------------------------------- */

TEST(metrics_and_joint_sets_are_those_of_the_tables)
{
    api_bench b;
    api_bench_open(&b);
    json_t *all = api_json(&b, api_metrics, 0, NULL, NULL, 200);
    const json_t *metrics = json_object_get(all, "metrics"),
                 *joints = json_object_get(all, "joints");
    size_t count = 0;
    for (; marey_metric_find((int)count); count++) {
        const marey_metric *row = marey_metric_find((int)count);
        const json_t *one = json_array_get(metrics, count);
        assert_string_equal(json_string_value(json_object_get(one, "name")), row->name);
        assert_string_equal(json_string_value(json_object_get(one, "unit")), row->unit);
        assert_int_equal(number(one, "window"), row->window);
        assert_int_equal(json_array_size(json_object_get(one, "attributes")), row->attribute_count);
    }
    assert_int_equal(json_array_size(metrics), count);
    assert_string_equal(json_string_value(json_object_get(json_array_get(joints, 1), "name")),
                        marey_joint_weights_find(1)->name);
    json_decref(all);
    api_bench_close(&b);
}

/* ---- the grid ----------------------------------------------------------------------------------- */

typedef struct grid_read {
    uint32_t layout, rows, cols, frames[2];
    float least, greatest;
    double fps;
    const float *cells;
    studio_response from;
} grid_read;

static grid_read read_grid(api_bench *b, const char *more)
{
    grid_read got = { .from = api_ask(b, api_grid, 0, NULL, query(b, more)) };
    const uint8_t *data = got.from.body.data;
    if (got.from.status != 200) fail_msg("%s: %s", more, (const char *)data);
    assert_memory_equal(data, "MRYG", 4);
    memcpy(&got.layout, data + 4, 5 * sizeof(uint32_t));
    memcpy(&got.least, data + 24, 2 * sizeof(float));
    memcpy(&got.fps, data + 32, sizeof got.fps);
    got.cells = (const float *)(const void *)(data + 40);
    assert_int_equal(got.layout, 1);
    assert_int_equal(got.from.body.count, 40 + (size_t)got.rows * got.cols * sizeof(float));
    return got;
}

TEST(the_grid_is_the_librarys_for_every_metric)
{
    api_bench b;
    api_bench_open(&b);
    for (int m = 0; marey_metric_find(m); m++) {
        char more[64];
        judge of =
            judge_make(&b, "walk", "run", &(marey_metric_def){ .metric = marey_metric_find(m) });
        marey_rows cost = marey_grid_cost(of.grid);
        snprintf(more, sizeof more, ", 'metric': '%s'", marey_metric_find(m)->name);
        for (int again = 0; again < 2; again++) { /* measured, then kept */
            grid_read got = read_grid(&b, more);
            assert_int_equal(got.rows, 60);
            assert_int_equal(got.cols, 45);
            assert_int_equal(got.frames[0], 60);
            assert_int_equal(got.frames[1], 45);
            assert_true(got.fps == marey_layout_fps(of.layout));
            for (int i = 0; i < 60; i++) {
                assert_memory_equal(got.cells + 45 * i, cost.values + (size_t)i * cost.stride,
                                    45 * sizeof(float));
            }
            bytes_free(&got.from.body);
        }
        judge_free(&of);
    }
    api_bench_close(&b);
}

TEST(a_smaller_grid_has_the_least_of_each_block)
{
    api_bench b;
    api_bench_open(&b);
    grid_read whole = read_grid(&b, ""), small = read_grid(&b, ", 'rows': 7, 'cols': 11");
    assert_int_equal(small.rows, 7);
    assert_int_equal(small.cols, 11);
    assert_int_equal(small.frames[0], 60);
    assert_true(small.least == whole.least && small.greatest == whole.greatest);
    for (int r = 0; r < 7; r++) {
        for (int c = 0; c < 11; c++) {
            float least = INFINITY;
            for (int i = r * 60 / 7; i < (r + 1) * 60 / 7; i++) {
                for (int j = c * 45 / 11; j < (c + 1) * 45 / 11; j++) {
                    least = fminf(least, whole.cells[i * 45 + j]);
                }
            }
            assert_true(least == small.cells[r * 11 + c]);
        }
    }
    bytes_free(&whole.from.body);
    bytes_free(&small.from.body);
    api_bench_close(&b);
}

TEST(options_change_the_grid_as_they_do_in_the_library)
{
    static const double weights[] = { 1, 0.5, 0.1 };
    api_bench b;
    api_bench_open(&b);
    marey_joint_weights own;
    assert_int_equal(marey_joint_weights_parse("hips=1,knee=0.5", &own, NULL), MAREY_OK);
    marey_metric_def def = { .metric = marey_metric_named("angles"),
                             .joints = &own,
                             .attributes_given = true,
                             .fixed_root = true };
    memcpy(def.attributes, weights, sizeof weights);
    judge of = judge_make(&b, "walk", "run", &def);
    grid_read got = read_grid(
        &b, ", 'metric': 'angles', 'joints': 'hips=1,knee=0.5', 'attributes': [1, 0.5, 0.1], "
            "'fixed_root': true");
    assert_memory_equal(got.cells, marey_grid_cost(of.grid).values, 45 * sizeof(float));
    bytes_free(&got.from.body);
    judge_free(&of);
    def = (marey_metric_def){ .window = 3, .tapered = true };
    of = judge_make(&b, "walk", "run", &def);
    got = read_grid(&b, ", 'window': 3, 'tapered': true");
    assert_memory_equal(got.cells, marey_grid_cost(of.grid).values, 45 * sizeof(float));
    bytes_free(&got.from.body);
    judge_free(&of);
    api_bench_close(&b);
}

/* ---- pairs -------------------------------------------------------------------------------------- */

TEST(pairs_are_the_librarys_and_judged)
{
    api_bench b;
    marey_pair pairs[12];
    int found = 0;
    api_bench_open(&b);
    judge of = judge_make(&b, "walk", "run",
                          &(marey_metric_def){ .metric = marey_metric_named("positions") });
    assert_int_equal(
        marey_grid_pairs(b.by.ctx, of.features[0], of.features[1], 12, pairs, &found, NULL),
        MAREY_OK);
    marey_judgement judged = marey_judge(of.features[0], of.features[1], pairs, found);
    json_t *got = api_json(&b, do_similar, 0, "list=1",
                           query(&b, ", 'metric': 'positions', 'count': 12"), 200);
    const json_t *list = json_object_get(got, "pairs");
    assert_int_equal(json_array_size(list), found);
    for (int i = 0; i < found; i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        assert_int_equal(json_integer_value(json_array_get(one, 0)),
                         marey_features_frame(of.features[0], pairs[i].row));
        assert_int_equal(json_integer_value(json_array_get(one, 1)),
                         marey_features_frame(of.features[1], pairs[i].col));
        assert_true(json_number_value(json_array_get(one, 2)) == (double)pairs[i].value);
    }
    assert_true(number(got, "Dp") == judged.position_cm);
    assert_true(number(got, "Dv") == judged.velocity);
    assert_true(number(got, "Da") == judged.acceleration);
    assert_true(json_is_false(json_object_get(got, "by_roles")));
    json_decref(got);
    judge_free(&of);
    api_bench_close(&b);
}

/* The numbers of `marey similar --json` and of the address are the same. */
static void check_program(api_bench *b, const char *line, const char *more)
{
    test_run run = test_run_make();
    test_run_line(&run, line);
    json_t *said = json_loads(run.out.bytes, 0, NULL);
    json_t *got = api_json(b, do_similar, 0, "list=1", query(b, more), 200);
    size_t count = json_array_size(json_object_get(said, "pairs"));
    assert_true(count > 0);
    assert_int_equal(json_array_size(json_object_get(got, "pairs")), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(json_equal(json_array_get(json_object_get(said, "pairs"), i),
                               json_array_get(json_object_get(got, "pairs"), i)));
    }
    json_decref(said);
    json_decref(got);
    test_run_free(&run);
}

TEST(pairs_are_those_of_the_program)
{
    api_bench b;
    api_bench_open(&b);
    check_program(&b, "marey similar -L lib.marey walk run --metric curvature --count 9 --json",
                  ", 'metric': 'curvature', 'count': 9");
    check_program(&b, "marey similar -L lib.marey walk run --minima --json", ", 'minima': true");
    check_program(&b, "marey similar -L lib.marey walk run --minima --count 2 --joints lee --json",
                  ", 'minima': true, 'joints': 'lee', 'count': 2");
    api_bench_close(&b);
}

/* ---- one cell ----------------------------------------------------------------------------------- */

TEST(a_cell_is_explained_as_by_the_library)
{
    api_bench b;
    double joints[64], frames[MAREY_MOST_WINDOW], rest = 0;
    api_bench_open(&b);
    judge of = judge_make(&b, "walk", "run", &(marey_metric_def){ .window = 5 });
    marey_explain(of.features[0], 20, of.features[1], 31, joints, frames, &rest);
    marey_placement place = marey_place(of.features[0], 20, of.features[1], 31);
    json_t *all = api_json(&b, do_similar, 0, "list=1", query(&b, ", 'at': [20, 31]"), 200);
    const json_t *got = json_object_get(all, "explained");
    const json_t *pair = json_array_get(json_object_get(all, "pairs"), 0);
    const json_t *list = json_object_get(got, "joints"), *where = json_object_get(got, "placement");
    assert_int_equal(json_array_size(list), marey_layout_joints(of.layout));
    for (int i = 0; i < marey_layout_joints(of.layout); i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        assert_string_equal(json_string_value(json_object_get(one, "name")),
                            marey_layout_joint(of.layout, i));
        assert_true(number(one, "share") == joints[i]);
    }
    assert_int_equal(json_array_size(json_object_get(got, "frames")), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(json_number_value(json_array_get(json_object_get(got, "frames"), i)) ==
                    frames[i]);
    }
    assert_true(json_number_value(json_array_get(pair, 2)) ==
                (float)marey_distance(of.features[0], 20, of.features[1], 31));
    assert_true(number(got, "rest") == rest);
    assert_int_equal(json_integer_value(json_array_get(pair, 0)), 20);
    assert_int_equal(json_integer_value(json_array_get(pair, 1)), 31);
    assert_true(number(where, "angle_rad") == place.angle_rad);
    assert_true(number(where, "x_cm") == place.x_cm && number(where, "z_cm") == place.z_cm);
    json_decref(all);
    judge_free(&of);
    api_bench_close(&b);
}

/* Its cells depend on all the others, so the grid says it. */
TEST(a_cell_of_curvature_is_that_of_the_grid)
{
    api_bench b;
    api_bench_open(&b);
    grid_read grid = read_grid(&b, ", 'metric': 'curvature'");
    json_t *got = api_json(&b, do_similar, 0, "list=1",
                           query(&b, ", 'metric': 'curvature', 'at': [9, 7]"), 200);
    const json_t *pair = json_array_get(json_object_get(got, "pairs"), 0);
    assert_true((float)json_number_value(json_array_get(pair, 2)) == grid.cells[9 * 45 + 7]);
    json_decref(got);
    bytes_free(&grid.from.body);
    api_bench_close(&b);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

TEST(what_cannot_be_compared_is_refused)
{
    static const struct {
        const char *more, *part;
    } rows[] = { { ", 'metric': 'nearness'", "metric must be one of points" },
                 { ", 'joints': 'tail=1'", "tail" },
                 { ", 'window': 0", "window must be a whole number" },
                 { ", 'window': 32", "window must be a whole number" },
                 { ", 'metric': 'angles', 'window': 5", "window is only for" },
                 { ", 'metric': 'angles', 'tapered': true", "tapered is only for" },
                 { ", 'tapered': 'yes'", "tapered must be true or false" },
                 { ", 'fixed_root': true", "fixed_root is only for metric angles" },
                 { ", 'normalised': true", "normalised is only for metric curvature" },
                 { ", 'normalize': 'lib.marey'", "normalize is only for metric positions" },
                 { ", 'metric': 'positions', 'normalize': 'lib.marey'", "command line" },
                 { ", 'attributes': [1]", "attributes is only for" },
                 { ", 'metric': 'angles', 'attributes': [1, 2]", "3 numbers" },
                 { ", 'metric': 'angles', 'attributes': [1, 2, 3, 4]", "3 numbers" },
                 { ", 'metric': 'angles', 'attributes': [0, 0, 0]", "not all 0" },
                 { ", 'metric': 'angles', 'attributes': [1, null, 0]", "attributes must be" },
                 { ", 'metric': 'angles', 'attributes': [1, -1, 0]", "attributes must be" },
                 { ", 'rows': 0", "rows" },
                 { ", 'cols': 1025", "cols" } };
    api_bench b;
    api_bench_open(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        api_refused(&b, api_grid, 0, NULL, query(&b, rows[i].more), 400, "request", rows[i].part);
    }
    api_refused(&b, api_grid, 0, NULL, "{\"b\": 1}", 400, "request", "a is missing");
    api_refused(&b, api_grid, 0, NULL, "{\"a\": 1, \"b\": true}", 400, "request",
                "b must be frames of a clip");
    api_refused(&b, api_grid, 0, NULL, "{\"a\": 1, \"b\": 999}", 404, "input", "999");
    api_refused(&b, do_similar, 0, "list=1", query(&b, ", 'count': 0"), 400, "request", "count");
    api_refused(&b, do_similar, 0, "list=1", query(&b, ", 'minima': 2"), 400, "request", "minima");
    api_refused(&b, do_similar, 0, "list=1", query(&b, ", 'at': [60, 0]"), 400, "request",
                "frame of A must be 0 to 59, got 60");
    api_refused(&b, do_similar, 0, "list=1", query(&b, ", 'at': [1]"), 400, "request",
                "at must be two frames");
    char slide[64];
    snprintf(slide, sizeof slide, "{\"a\": %" PRId64 ", \"b\": %" PRId64 "}", b.walk, b.slide);
    studio_response to = api_ask(&b, api_grid, 0, NULL, slide);
    assert_true(to.status == 200 || to.status == 400); /* whatever roles they share */
    bytes_free(&to.body);
    api_bench_close(&b);
}

TEST(a_clip_that_was_removed_is_not_compared_any_more)
{
    api_bench b;
    api_bench_open(&b);
    grid_read got = read_grid(&b, "");
    bytes_free(&got.from.body);
    bench_program("marey rm lib.marey run");
    api_refused(&b, api_grid, 0, NULL, query(&b, ""), 404, "input", "removed");
    api_bench_close(&b);
}

/* ---- the cut ------------------------------------------------------------------------------------ */

static json_t *said_of(const char *name)
{
    char line[128];
    test_run run = test_run_make();
    snprintf(line, sizeof line, "marey ls lib.marey %s --long --json", name);
    assert_int_equal(test_run_line(&run, line), 0);
    json_t *all = json_loads(run.out.bytes, 0, NULL);
    json_t *one = json_incref(json_array_get(json_object_get(all, "clips"), 0));
    json_object_del(one, "name");
    json_object_del(one, "id");
    json_object_del(json_object_get(one, "report"), "name");
    json_decref(all);
    test_run_free(&run);
    return one;
}

static void frames_are_equal(api_bench *b, const char *left, const char *right)
{
    studio_response x = api_ask(b, api_frames, bench_id(b, left), NULL, NULL);
    studio_response y = api_ask(b, api_frames, bench_id(b, right), NULL, NULL);
    assert_int_equal(x.status, 200);
    assert_int_equal(x.body.count, y.body.count);
    assert_memory_equal(x.body.data, y.body.data, x.body.count);
    bytes_free(&x.body);
    bytes_free(&y.body);
}

/* Motion, licence, provenance: all as `marey similar --at I,J --cut`. */
TEST(a_cut_is_the_programs)
{
    static const struct {
        const char *body, *line;
    } rows[] = { { ", 'at': [30, 12], 'smooth': 8, 'name': 'ours'",
                   "--at 30,12 --smooth 8 --cut lib.marey:theirs" },
                 { ", 'at': [0, 12], 'name': 'ours'", "--at 0,12 --cut lib.marey:theirs" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[256];
        api_bench b;
        (void)state;
        api_bench_open(&b);
        json_t *got = api_json(&b, do_similar, 0, NULL, query(&b, rows[i].body), 200);
        assert_string_equal(json_string_value(json_object_get(got, "name")), "ours");
        assert_int_equal(number(got, "id"), bench_id(&b, "ours"));
        json_decref(got);
        snprintf(line, sizeof line, "marey similar -L lib.marey walk run --quiet %s", rows[i].line);
        bench_program(line);
        frames_are_equal(&b, "ours", "theirs");
        json_t *ours = said_of("ours"), *theirs = said_of("theirs");
        char *x = json_dumps(ours, JSON_SORT_KEYS), *y = json_dumps(theirs, JSON_SORT_KEYS);
        assert_string_equal(x, y);
        free(x);
        free(y);
        json_t *one = api_json(&b, api_clip, bench_id(&b, "ours"), NULL, NULL, 200);
        json_t *two = api_json(&b, api_clip, bench_id(&b, "theirs"), NULL, NULL, 200);
        assert_true(json_is_object(json_object_get(one, "provenance")));
        assert_true(
            json_equal(json_object_get(one, "provenance"), json_object_get(two, "provenance")));
        json_decref(one);
        json_decref(two);
        json_decref(ours);
        json_decref(theirs);
        api_bench_close(&b);
    }
}

TEST(a_cut_that_cannot_be_is_refused)
{
    api_bench b;
    api_bench_open(&b);
    api_refused(&b, do_similar, 0, NULL, query(&b, ", 'at': [60, 0], 'name': 'x'"), 400, "request",
                "60");
    api_refused(&b, do_similar, 0, NULL, query(&b, ", 'at': [6, 0], 'name': 'x', 'smooth': -1"),
                400, "request", "smooth");
    api_refused(&b, do_similar, 0, NULL, query(&b, ", 'at': [6, 0], 'name': ''"), 400, "request",
                "name");
    assert_int_equal(bench_id(&b, "x"), 0);
    char other[128];
    snprintf(other, sizeof other,
             "{\"a\": %" PRId64 ", \"b\": %" PRId64 ", \"at\": [1, 1], \"name\": \"x\"}", b.walk,
             b.slide);
    api_refused(&b, do_similar, 0, NULL, other, 400, "shape", "joints");
    api_bench_close(&b);
}

/* ---- memory ------------------------------------------------------------------------------------- */

TEST(without_memory_everything_says_so_and_nothing_is_lost)
{
    api_bench b;
    api_bench_open(&b);
    studio_response to = api_starve(&b, api_grid, 0, NULL, query(&b, ""));
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    to = api_starve(&b, do_similar, 0, "list=1", query(&b, ", 'metric': 'angles'"));
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    to = api_starve(&b, do_similar, 0, "list=1", query(&b, ", 'minima': true"));
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    to =
        api_starve(&b, do_similar, 0, "list=1", query(&b, ", 'metric': 'curvature', 'at': [3, 4]"));
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    to = api_starve(&b, do_similar, 0, NULL, query(&b, ", 'at': [9, 4], 'name': 'both'"));
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    assert_true(bench_id(&b, "both") > 0);
    assert_int_equal(bench_id(&b, "both-2"), 0);
    api_bench_close(&b);
}

TEST_GROUP_OF_CASES(test_studio_compare, NULL, NULL)
