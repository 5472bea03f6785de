/* test_grid_program.c - grid, similar, compare and weights as a program: their numbers are the
   library's, the same for any number of threads; marked frames are never used; refused memory, full
   disks and Ctrl-C. What they print is in tests/cli/grid.txt. */
#include "program_lines.h"

#include <math.h>
#include <sys/stat.h>

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("a.bvh", 40);
    write_person("b.bvh", 25);
    test_write_dropouts("lost.bvh", 40, 10, 13);
    *state = &place;
    return 0;
}

/* ---- the numbers are the library's ----------------------------------------------------------- */

/* What the library itself says of a.bvh and b.bvh. */
typedef struct truth {
    marey_ctx *ctx;
    marey_clip *clips[2];
    marey_layout *layout;
    marey_features *features[2];
} truth;

static truth truth_make(const marey_metric_def *def)
{
    truth t = { .ctx = test_ctx() };
    t.clips[0] = test_clip_load(t.ctx, "a.bvh");
    t.clips[1] = test_clip_load(t.ctx, "b.bvh");
    const marey_clip *list[2] = { t.clips[0], t.clips[1] };
    assert_int_equal(marey_layout_build(t.ctx, list, 2, def, &t.layout, NULL), MAREY_OK);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(marey_features_build(t.layout, t.clips[s], &t.features[s], NULL),
                         MAREY_OK);
    }
    return t;
}

static void truth_free(truth *t)
{
    for (int s = 0; s < 2; s++) marey_features_free(t->features[s]);
    marey_layout_free(t->layout);
    for (int s = 0; s < 2; s++) marey_clip_free(t->clips[s]);
    marey_ctx_close(t->ctx);
}

static void check_numpy(const char *path, marey_rows expected)
{
    size_t count, row = (size_t)expected.cols * sizeof(float);
    char *bytes = test_file_read(path, &count), shape[64];
    size_t start = 10 + (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_non_null(strstr(bytes + 10, "'descr': '<f4', 'fortran_order': False"));
    snprintf(shape, sizeof shape, "(%d, %d,", expected.rows, expected.cols);
    assert_non_null(strstr(bytes + 10, shape));
    assert_int_equal(count, start + (size_t)expected.rows * row);
    for (int i = 0; i < expected.rows; i++) {
        assert_memory_equal(bytes + start + (size_t)i * row,
                            expected.values + (size_t)i * expected.stride, row);
    }
    free(bytes);
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(a_numpy_file_holds_the_librarys_grid_for_every_metric)
{
    const marey_metric *metric;
    for (int m = 0; (metric = marey_metric_find(m)); m++) {
        char line[256];
        marey_grid *grid = NULL;
        truth t = truth_make(&(marey_metric_def){ .metric = metric });
        snprintf(line, sizeof line, "marey grid a.bvh b.bvh -o g.npy --quiet --metric %s",
                 metric->name);
        test_run_well(line);
        assert_int_equal(marey_grid_build(t.ctx, t.features[0], t.features[1], &grid, NULL),
                         MAREY_OK);
        check_numpy("g.npy", marey_grid_cost(grid));
        marey_grid_free(grid);
        truth_free(&t);
    }
}

CASE(options_reach_the_metric)
{
    marey_grid *grid = NULL;
    marey_metric_def def = { .metric = marey_metric_named("angles"),
                             .joints = marey_joint_weights_find(1),
                             .attributes_given = true,
                             .attributes = { 0.25, 1, 0.5 },
                             .fixed_root = true };
    truth t = truth_make(&def);
    test_run_well(
        "marey grid a.bvh b.bvh -o g.npy --quiet --metric angles --joints lee --fixed-root "
        "--attributes 0.25,1,0.5");
    assert_int_equal(marey_grid_build(t.ctx, t.features[0], t.features[1], &grid, NULL), MAREY_OK);
    check_numpy("g.npy", marey_grid_cost(grid));
    marey_grid_free(grid);
    truth_free(&t);
    def = (marey_metric_def){ .window = 9, .tapered = true };
    t = truth_make(&def);
    test_run_well("marey grid a.bvh b.bvh -o g.npy --quiet --window 9 --tapered");
    assert_int_equal(marey_grid_build(t.ctx, t.features[0], t.features[1], &grid, NULL), MAREY_OK);
    check_numpy("g.npy", marey_grid_cost(grid));
    marey_grid_free(grid);
    truth_free(&t);
}

CASE(the_answer_is_the_same_with_and_without_a_file)
{
    char *with = test_reply("marey grid a.bvh b.bvh -o g.npy --json");
    char *without = test_reply("marey grid a.bvh b.bvh --json");
    assert_true(test_number(with, "least") == test_number(without, "least"));
    assert_true(test_number(with, "minima") == test_number(without, "minima"));
    assert_true(test_number(with, "greatest") > test_number(with, "least"));
    assert_non_null(strstr(without, "\"greatest\":null"));
}

CASE(similar_pairs_are_the_librarys)
{
    enum { COUNT = 12 };
    marey_pair pairs[COUNT];
    int found = 0;
    truth t = truth_make(NULL);
    assert_int_equal(
        marey_grid_pairs(t.ctx, t.features[0], t.features[1], COUNT, pairs, &found, NULL),
        MAREY_OK);
    char *text = test_reply("marey similar a.bvh b.bvh --count 12 --json"), *at = text;
    for (int i = 0; i < found; i++) {
        at = strchr(at + 1, '[');
        if (i == 0) at = strchr(at + 1, '[');
        assert_int_equal(strtol(at + 1, &at, 10), pairs[i].row);
        assert_int_equal(strtol(at + 1, &at, 10), pairs[i].col);
        assert_true((float)strtod(at + 1, &at) == pairs[i].value);
    }
    truth_free(&t);
}

CASE(compare_says_what_the_judge_says)
{
    enum { PAIRS = 15 };
    char *text = test_reply("marey compare a.bvh b.bvh --pairs 15 --joints lee --json");
    const marey_metric *metric;
    for (int m = 0; (metric = marey_metric_find(m)); m++) {
        marey_pair pairs[PAIRS];
        int found = 0;
        char name[64];
        marey_metric_def def = { .metric = metric, .joints = marey_joint_weights_find(1) };
        truth t = truth_make(&def);
        assert_int_equal(
            marey_grid_pairs(t.ctx, t.features[0], t.features[1], PAIRS, pairs, &found, NULL),
            MAREY_OK);
        marey_judgement judged = marey_judge(t.features[0], t.features[1], pairs, found);
        snprintf(name, sizeof name, "\"metric\":\"%s\"", metric->name);
        const char *row = strstr(text, name);
        assert_non_null(row);
        assert_true(test_number(row, "Dp") == judged.position_cm);
        assert_true(test_number(row, "Dv") == judged.velocity);
        assert_true(test_number(row, "Da") == judged.acceleration);
        truth_free(&t);
    }
}

CASE(weights_are_what_the_search_finds)
{
    marey_weights_result got;
    truth t = truth_make(&(marey_metric_def){ .metric = marey_metric_named("positions") });
    marey_weights_def def = { .space = MAREY_WEIGHTS_NON_UNIFORM, .steps = 3, .refinements = 1 };
    assert_int_equal(marey_weights_search(t.ctx, t.features[0], t.features[1], &def, &got, NULL),
                     MAREY_OK);
    char *text = test_reply("marey weights a.bvh b.bvh --metric positions --space non-uniform "
                            "--steps 3 --refine 1 --json");
    assert_true(test_number(text, "Dp") == got.position_cm);
    assert_true(test_number(text, "evaluations") == (double)got.evaluations);
    char *at = strstr(text, "\"weights\":[") + strlen("\"weights\":");
    for (int i = 0; i < got.count; i++) assert_true(strtod(at + 1, &at) == got.weights[i]);
    truth_free(&t);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static marey_status draw(const truth *t, const marey_grid_picture_def *def, const char *path)
{
    marey_grid *grid = NULL;
    marey_grid_side a = { .features = t->features[0], .clip = t->clips[0], .title = "\xff\"<a>" };
    marey_grid_side b = { .features = t->features[1], .clip = t->clips[1], .first_frame = 1000 };
    assert_int_equal(marey_grid_build(t->ctx, t->features[0], t->features[1], &grid, NULL),
                     MAREY_OK);
    marey_status status = marey_grid_picture_save(grid, &a, &b, def, path, NULL);
    marey_grid_free(grid);
    return status;
}

CASE(pictures_of_all_sizes_are_drawn_and_others_refused)
{
    static const int sides[] = { 120, 121, 8192 };
    static const int wrong[] = { 119, 8193, -1 };
    write_person("a.bvh", 300); /* more frames than the smallest picture has pixels */
    truth t = truth_make(NULL);
    assert_int_equal(draw(&t, NULL, "p.png"), MAREY_OK);
    assert_int_equal(draw(&t, NULL, "p.gif"), MAREY_ERR_REQUEST);
    for (int i = 0; i < 3; i++) {
        marey_grid_picture_def def = { .side_px = sides[i], .minima = true };
        assert_int_equal(draw(&t, &def, i == 2 ? "p.pdf" : "p.png"), MAREY_OK);
        def.side_px = wrong[i];
        assert_int_equal(draw(&t, &def, "p.png"), MAREY_ERR_REQUEST);
    }
    truth_free(&t);
    assert_int_equal(access("p.gif", F_OK), -1);
}

/* ---- marked frames --------------------------------------------------------------------------- */

static void check_no_lost_frame(const char *line)
{
    char *text = test_reply(line), *at = strstr(text, "\"pairs\":[[");
    assert_non_null(at);
    for (at = strchr(at, '[') + 1; *at == '['; at++) {
        long i = strtol(at + 1, &at, 10);
        if (i >= 10 && i < 13) fail_msg("%s uses frame %ld", line, i);
        at = strchr(at, ']') + 1;
        if (*at != ',') break;
    }
}

CASE(marked_frames_are_in_the_grid_and_in_no_pair)
{
    char *grid = test_reply("marey grid lost.bvh b.bvh --json --quiet");
    assert_true(test_number(grid, "rows") == 40);
    check_no_lost_frame("marey similar lost.bvh b.bvh --count 100000 --json --quiet");
    check_no_lost_frame("marey similar lost.bvh b.bvh --minima --count 100000 --json --quiet");
    check_no_lost_frame(
        "marey similar lost.bvh b.bvh --minima --count 100000 --metric curvature --json --quiet");
}

CASE(a_cut_leaves_marked_frames_out)
{
    char *text = test_reply("marey similar lost.bvh#0-30 b.bvh#20-25 --cut out.bvh --json --quiet");
    double a = test_number(text, "a"), b = test_number(text, "b");
    assert_true(test_number(text, "seam") == (a >= 13 ? a - 3 : a));
    assert_true(test_number(text, "frames") == test_number(text, "seam") + 25 - b);
    marey_ctx *ctx = test_ctx();
    marey_clip *clip = test_clip_load(ctx, "out.bvh");
    int marks = -1;
    marey_clip_marks(clip, &marks);
    assert_int_equal(marks, 0);
    assert_true(marey_clip_frames(clip) == test_number(text, "frames"));
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

/* ---- threads --------------------------------------------------------------------------------- */

CASE(one_thread_and_two_write_the_same_bytes)
{
    static const char *const metrics[] = { "points", "angles", "positions", "curvature" };
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        static const char *const endings[] = { "npy", "png", "pdf", "svg" };
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            char paths[2][32], line[256];
            for (int threads = 1; threads <= 2; threads++) {
                char *path = paths[threads - 1];
                snprintf(path, sizeof paths[0], "t%d.%s", threads, endings[e]);
                snprintf(line, sizeof line,
                         "marey grid a.bvh b.bvh --quiet --metric %s --threads %d -o %s",
                         metrics[m], threads, path);
                test_run_well(line);
            }
            test_same_file(paths[0], paths[1]);
        }
    }
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char *const lines[] = {
    "marey grid a.bvh#0-4 b.bvh#0-3",
    "marey grid a.bvh#0-4 b.bvh#0-3 -o out.npy --json",
    "marey grid a.bvh#0-4 b.bvh#0-3 -o out.png --minima --fps 30",
    "marey grid a.bvh#0-4 b.bvh#0-3 --metric curvature --json",
    "marey grid a.bvh#0-4 b.bvh#0-3 --metric positions --normalize moves.marey --json",
    "marey similar a.bvh#0-4 b.bvh#0-3 --json -o out.svg",
    "marey similar a.bvh#0-4 b.bvh#0-3 --minima --fps 30",
    "marey similar lost.bvh#8-16 b.bvh#0-3 --cut out.bvh --smooth 2 --provenance --json",
    "marey compare a.bvh#0-4 b.bvh#0-3 --json",
    "marey weights a.bvh#0-4 b.bvh#0-3 --steps 2 --json",
    "marey weights a.bvh#0-4 b.bvh#0-3 --metric positions --space optimised",
};
enum { LINES = sizeof lines / sizeof *lines };

/* Whatever was written is whole, and nothing half-written is left. */
static void check_files(const test_run *run, void *user)
{
    static const char *const paths[] = { "out.npy", "out.png", "out.svg", "out.bvh" };
    (void)user;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (access(paths[i], F_OK) != 0) continue;
        /* The cut and its provenance are two files; the second may fail alone. */
        if (run->status != 0 && strcmp(paths[i], "out.bvh") != 0) {
            fail_msg("status %d, and %s is there", run->status, paths[i]);
        }
        unlink(paths[i]);
    }
    unlink("out.bvh.provenance.json");
    assert_int_equal(test_folder_count("."), 4); /* three clips and a library */
}

CASE(refused_memory_ends_with_status_3_and_no_file)
{
    test_run_well("marey convert a.bvh#0-4 moves.marey:a --quiet");
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

CASE(a_cut_into_a_library_is_there_or_not_at_all)
{
    static const char line[] = "marey similar a.bvh#0-4 b.bvh#0-3 --cut new.marey:x --json";
    for (long refuse = 0;; refuse = test_next(refuse)) {
        test_run run = test_run_make();
        run.memory.refuse = refuse;
        test_run_line(&run, line);
        bool done = run.memory.calls <= refuse;
        if (run.status != 0) check_refusal(&run, line);
        if (run.status == 0) assert_true(access("new.marey", F_OK) == 0);
        test_run_free(&run);
        unlink("new.marey");
        if (done) break;
    }
}

CASE(full_standard_output_and_a_cancelled_run_are_told)
{
    for (int i = 0; i < LINES; i++) {
        if (strstr(lines[i], "--normalize")) continue;
        test_run full = test_run_make();
        full.out.room = 10;
        assert_int_equal(test_run_line(&full, lines[i]), 3);
        test_run_free(&full);
        test_run gone = test_run_make();
        gone.cancel = true;
        assert_int_equal(test_run_line(&gone, lines[i]), 130);
        test_run_free(&gone);
    }
}

TEST_GROUP_OF_CASES(test_grid_program, NULL, NULL)
