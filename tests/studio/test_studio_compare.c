/* test_studio_compare.c - comparing two clips through the studio's addresses: every number is the
   library's own, and the program's. */
#include "made_bench.h"

/* ---- what the library itself says ------------------------------------------------------------ */

typedef struct judge {
    marey_clip *clips[2];
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid;
} judge;

static judge judge_make(api_bench *b, const marey_metric_def *def)
{
    judge of = { .clips = { bench_load(b, "walk"), bench_load(b, "run") } };
    const marey_clip *two[2] = { of.clips[0], of.clips[1] };
    assert_int_equal(marey_layout_build(b->by.ctx, two, 2, def, &of.layout, NULL), MAREY_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(marey_features_build(of.layout, two[i], &of.features[i], NULL), MAREY_OK);
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
OWNED_VALUE(judge, judge_free)

/* ---- the table ------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, metrics_and_joint_sets_are_those_of_the_tables)
{
    const json_t *tables = ask(b, api_metrics, "/");
    const marey_metric *row;
    size_t count = 0;
    for (; (row = marey_metric_find((int)count)); count++) {
        const json_t *one = item(tables, "metrics", count);
        expect(one, "{'name': '%s', 'unit': '%s', 'window': %d}", row->name, row->unit,
               row->window);
        assert_int_equal(size_of(one, "attributes"), row->attribute_count);
    }
    assert_int_equal(size_of(tables, "metrics"), count);
    expect(item(tables, "joints", 1), "{'name': '%s'}", marey_joint_weights_find(1)->name);
}

/* ---- the grid -------------------------------------------------------------------------------- */

static grid_read read_grid(api_bench *b, const char *more)
{
    return grid_of_answer(api_ask(b, api_grid, "{'a': $walk, 'b': $run%s}", more));
}

TEST_OF(api_bench *b, the_grid_is_the_librarys_for_every_metric)
{
    for (int m = 0; marey_metric_find(m); m++) {
        char more[64];
        OWNED(judge) of = judge_make(b, &(marey_metric_def){ .metric = marey_metric_find(m) });
        marey_rows cost = marey_grid_cost(of.grid);
        snprintf(more, sizeof more, ", 'metric': '%s'", marey_metric_find(m)->name);
        for (int again = 0; again < 2; again++) { /* measured, then kept */
            OWNED(grid_read) got = read_grid(b, more);
            assert_true(got.rows == 60 && got.cols == 45);
            assert_true(got.frames[0] == 60 && got.frames[1] == 45);
            assert_true(got.fps == marey_layout_fps(of.layout));
            for (int i = 0; i < 60; i++)
                assert_memory_equal(got.cells + 45 * i, cost.values + (size_t)i * cost.stride,
                                    45 * sizeof(float));
        }
    }
}

TEST_OF(api_bench *b, a_smaller_grid_has_the_least_of_each_block)
{
    OWNED(grid_read) large = read_grid(b, "");
    OWNED(grid_read) small = read_grid(b, ", 'rows': 7, 'cols': 11");
    assert_true(small.rows == 7 && small.cols == 11 && small.frames[0] == 60);
    assert_true(small.least == large.least && small.greatest == large.greatest);
    for (int r = 0; r < 7; r++) {
        for (int c = 0; c < 11; c++) {
            float least = INFINITY;
            for (int i = r * 60 / 7; i < (r + 1) * 60 / 7; i++) {
                for (int j = c * 45 / 11; j < (c + 1) * 45 / 11; j++)
                    least = fminf(least, large.cells[i * 45 + j]);
            }
            assert_true(least == small.cells[r * 11 + c]);
        }
    }
}

TEST_OF(api_bench *b, options_change_the_grid_as_they_do_in_the_library)
{
    marey_joint_weights own;
    assert_int_equal(marey_joint_weights_parse("hips=1,knee=0.5", &own, NULL), MAREY_OK);
    const struct {
        marey_metric_def def;
        const char *more;
    } rows[] = { { { .metric = marey_metric_named("angles"),
                     .joints = &own,
                     .attributes_given = true,
                     .attributes = { 1, 0.5, 0.1 },
                     .fixed_root = true },
                   ", 'metric': 'angles', 'joints': 'hips=1,knee=0.5', 'attributes': [1, 0.5, "
                   "0.1], 'fixed_root': true" },
                 { { .window = 3, .tapered = true }, ", 'window': 3, 'tapered': true" } };
    for (size_t i = 0; i < 2; i++) {
        OWNED(judge) of = judge_make(b, &rows[i].def);
        OWNED(grid_read) got = read_grid(b, rows[i].more);
        assert_memory_equal(got.cells, marey_grid_cost(of.grid).values, 45 * sizeof(float));
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, pairs_are_the_librarys_and_judged)
{
    marey_pair pairs[12];
    int found = 0;
    OWNED(judge) of =
        judge_make(b, &(marey_metric_def){ .metric = marey_metric_named("positions") });
    assert_int_equal(
        marey_grid_pairs(b->by.ctx, of.features[0], of.features[1], 12, pairs, &found, NULL),
        MAREY_OK);
    marey_judgement judged = marey_judge(of.features[0], of.features[1], pairs, found);
    const json_t *got =
        ask(b, do_similar, "?list=1 {'a': $walk, 'b': $run, 'metric': 'positions', 'count': 12}");
    assert_int_equal(size_of(got, "pairs"), found);
    for (int i = 0; i < found; i++)
        expect(item(got, "pairs", (size_t)i), "[%d, %d, %.17g]",
               marey_features_frame(of.features[0], pairs[i].row),
               marey_features_frame(of.features[1], pairs[i].col), (double)pairs[i].value);
    expect(got, "{'Dp': %.17g, 'Dv': %.17g, 'Da': %.17g, 'by_roles': false}", judged.position_cm,
           judged.velocity, judged.acceleration);
}

/* The numbers of `marey similar --json` and of the address are the same. */
static void check_program(api_bench *b, const char *options, const char *more)
{
    const json_t *said = program_json("marey similar -L lib.marey walk run %s --json", options);
    assert_true(size_of(said, "pairs") > 0);
    same_values(ask(b, do_similar, "?list=1 {'a': $walk, 'b': $run%s}", more), said, "pairs");
}

TEST_OF(api_bench *b, pairs_are_those_of_the_program)
{
    check_program(b, "--metric curvature --count 9", ", 'metric': 'curvature', 'count': 9");
    check_program(b, "--minima", ", 'minima': true");
    check_program(b, "--minima --count 2 --joints lee",
                  ", 'minima': true, 'joints': 'lee', 'count': 2");
}

/* ---- one cell -------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_cell_is_explained_as_by_the_library)
{
    double joints[64], frames[MAREY_MOST_WINDOW], rest = 0;
    OWNED(judge) of = judge_make(b, &(marey_metric_def){ .window = 5 });
    marey_explain(of.features[0], 20, of.features[1], 31, joints, frames, &rest);
    marey_placement place = marey_place(of.features[0], 20, of.features[1], 31);
    const json_t *got = ask(b, do_similar, "?list=1 {'a': $walk, 'b': $run, 'at': [20, 31]}");
    const json_t *explained = json_object_get(got, "explained");
    assert_int_equal(size_of(explained, "joints"), marey_layout_joints(of.layout));
    for (int i = 0; i < marey_layout_joints(of.layout); i++)
        expect(item(explained, "joints", (size_t)i), "{'name': '%s', 'share': %.17g}",
               marey_layout_joint(of.layout, i), joints[i]);
    same_numbers(json_object_get(explained, "frames"), frames, 5);
    expect(item(got, "pairs", 0), "[20, 31, %.17g]",
           (double)(float)marey_distance(of.features[0], 20, of.features[1], 31));
    expect(explained,
           "{'rest': %.17g, 'placement': {'angle_rad': %.17g, 'x_cm': %.17g, 'z_cm': %.17g}}", rest,
           place.angle_rad, place.x_cm, place.z_cm);
}

/* Its cells depend on all the others, so the grid says it. */
TEST_OF(api_bench *b, a_cell_of_curvature_is_that_of_the_grid)
{
    OWNED(grid_read) grid = read_grid(b, ", 'metric': 'curvature'");
    const json_t *got =
        ask(b, do_similar, "?list=1 {'a': $walk, 'b': $run, 'metric': 'curvature', 'at': [9, 7]}");
    assert_true((float)number_at(item(got, "pairs", 0), 2) == grid.cells[9 * 45 + 7]);
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, what_is_invalid_for_a_comparison_is_refused)
{
    static const api_refusal rows[] = {
        { ", 'metric': 'nearness'", "metric must be one of points" },
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
        { ", 'cols': 1025", "cols" }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(b, 400, "request", rows[i][1], api_grid, "{'a': $walk, 'b': $run%s}", rows[i][0]);
    refused(b, 400, "request", "a is missing", api_grid, "{'b': 1}");
    refused(b, 400, "request", "b must be frames of a clip", api_grid, "{'a': 1, 'b': true}");
    refused(b, 404, "input", "999", api_grid, "{'a': 1, 'b': 999}");
    static const api_refusal similar[] = {
        { "?list=1 {'a': $walk, 'b': $run, 'count': 0}", "count" },
        { "?list=1 {'a': $walk, 'b': $run, 'minima': 2}", "minima" },
        { "?list=1 {'a': $walk, 'b': $run, 'at': [60, 0]}", "frame of A must be 0 to 59, got 60" },
        { "?list=1 {'a': $walk, 'b': $run, 'at': [1]}", "at must be two frames" },
        { "{'a': $walk, 'b': $run, 'at': [60, 0], 'name': 'x'}", "60" },
        { "{'a': $walk, 'b': $run, 'at': [6, 0], 'name': 'x', 'smooth': -1}", "smooth" },
        { "{'a': $walk, 'b': $run, 'at': [6, 0], 'name': ''}", "name" },
    };
    REFUSED(b, 400, "request", do_similar, similar);
    refused(b, 400, "shape", "joints", do_similar,
            "{'a': $walk, 'b': $slide, 'at': [1, 1], 'name': 'x'}");
    assert_int_equal(bench_id(b, "x"), 0);
    OWNED(studio_response) to = api_ask(b, api_grid, "{'a': $walk, 'b': $slide}");
    assert_true(to.status == 200 || to.status == 400); /* whatever roles they share */
}

TEST_BENCH(a_clip_that_was_removed_is_not_compared_any_more)
{
    OWNED(grid_read) got = read_grid(b, "");
    bench_program("marey rm lib.marey run");
    refused(b, 404, "input", "removed", api_grid, "{'a': $walk, 'b': $run}");
}

/* ---- the cut --------------------------------------------------------------------------------- */

/* Motion, licence, provenance: all as `marey similar --at I,J --cut`. */
TEST_BENCH(a_cut_is_the_programs)
{
    static const struct {
        const char *body, *line;
    } rows[] = { { "'at': [30, 12], 'smooth': 8", "--at 30,12 --smooth 8" },
                 { "'at': [0, 12]", "--at 0,12" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *got =
            ask(b, do_similar, "{'a': $walk, 'b': $run, 'name': 'ours', %s}", rows[i].body);
        expect(got, "{'name': 'ours', 'id': %" PRId64 "}", bench_id(b, "ours"));
        bench_program("marey similar -L lib.marey walk run --quiet %s --cut lib.marey:theirs",
                      rows[i].line);
        same_frames(b, "ours", "theirs");
        const json_t *ours = said_of(b, "ours");
        assert_true(json_equal(ours, said_of(b, "theirs")));
        assert_true(json_is_object(json_object_get(ours, "provenance")));
        made_removed(b, "ours");
        made_removed(b, "theirs");
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST_BENCH(without_memory_everything_says_so_and_nothing_is_lost)
{
    STARVE(b, api_grid, "{'a': $walk, 'b': $run}");
    STARVE(b, do_similar, "?list=1 {'a': $walk, 'b': $run, 'metric': 'angles'}");
    STARVE(b, do_similar, "?list=1 {'a': $walk, 'b': $run, 'minima': true}");
    STARVE(b, do_similar, "?list=1 {'a': $walk, 'b': $run, 'metric': 'curvature', 'at': [3, 4]}");
    STARVE(b, do_similar, "{'a': $walk, 'b': $run, 'at': [9, 4], 'name': 'both'}");
    assert_true(bench_id(b, "both") > 0);
    assert_int_equal(bench_id(b, "both-2"), 0);
}

TEST_GROUP_OF_CASES(test_studio_compare, api_bench_open, api_bench_close)
