/* test_blend_program.c - align, transition, blend, clean, loop and curves as a program: their numbers are the library's,
   marked frames are never used, what is made is what the answer says, and it remembers what it was made of; refused
   memory, full disks and Ctrl-C. What they print is in tests/cli. */
#include "in_process.h"

#include <math.h>

/* Fonts are loaded once for the whole process by fontconfig, which keeps them. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

static char *answer_of(const char *line)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    if (strstr(line, "--json")) assert_true(is_one_json_object(run.out.bytes));
    free(run.err.bytes);
    return run.out.bytes;
}

static void run_well(const char *line)
{
    free(answer_of(line));
}

/* The message of a run that ends with this status. */
static char *failure_of(const char *line, int status)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != status) fail_msg("%s: %d", line, run.status);
    free(run.out.bytes);
    return run.err.bytes;
}

/* Takes of the demo as files, and demo.marey, which also knows their plants. */
static int enter_demo(void **state)
{
    static test_place place;
    place_enter(&place);
    run_well(
        "marey demo . --take walk_straight --take walk_left --take jog_straight --take small_walk "
        "--quiet");
    *state = &place;
    return 0;
}

/* The same person, but for frames [start, end), where tracking is lost: the root is at 0 0 0. */
static void write_dropouts(const char *path, int frames, int start, int end)
{
    char *bvh = test_person(frames), *at = strstr(bvh, "Frame Time:");
    FILE *file = fopen(path, "wb");
    at = strchr(at, '\n') + 1;
    fwrite(bvh, 1, (size_t)(at - bvh), file);
    for (int i = 0; i < frames; i++) {
        char *line_end = strchr(at, '\n'), *rest = at;
        if (i >= start && i < end) {
            for (int k = 0; k < 3; k++) strtod(rest, &rest);
            fputs("0 0 0", file);
        }
        fwrite(rest, 1, (size_t)(line_end + 1 - rest), file);
        at = line_end + 1;
    }
    fclose(file);
    free(bvh);
}

static int enter_persons(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("a.bvh", 100);
    write_person("b.bvh", 60);
    write_dropouts("lost.bvh", 100, 30, 34);
    *state = &place;
    return 0;
}

static int leave(void **state)
{
    place_leave(*state);
    return 0;
}

/* The number behind "key":, from `from` on. */
static double number_of(const char *from, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(from, quoted);
    if (!at) fail_msg("no %s in %s", key, from);
    return strtod(at + strlen(quoted), NULL);
}

static void check_same_file(const char *a, const char *b)
{
    size_t a_count, b_count;
    char *first = test_file_read(a, &a_count), *second = test_file_read(b, &b_count);
    if (a_count != b_count || memcmp(first, second, a_count) != 0) fail_msg("%s is not %s", a, b);
    free(first);
    free(second);
}

/* ---- a bench of two clips ---------------------------------------------------------------------------- */

typedef struct bench {
    marey_ctx *ctx;
    marey_clip *a, *b;
} bench;

static bench bench_open(const char *a, const char *b)
{
    bench of = { .ctx = test_ctx() };
    of.a = test_clip_load(of.ctx, a);
    of.b = test_clip_load(of.ctx, b);
    return of;
}

static void bench_close(bench *of)
{
    marey_clip_free(of->a);
    marey_clip_free(of->b);
    marey_ctx_close(of->ctx);
}

/* The largest distance of a joint between a frame of one clip and a frame of another. */
static double distance_of(const marey_clip *a, int i, const marey_clip *b, int j)
{
    enum { MOST = 128 };
    static double left[MOST * 3], right[MOST * 3];
    int joints = marey_clip_skeleton(a)->joint_count;
    double most = 0;
    assert_true(joints <= MOST && joints == marey_clip_skeleton(b)->joint_count);
    marey_clip_positions(a, i, 1, left);
    marey_clip_positions(b, j, 1, right);
    for (int k = 0; k < joints; k++) {
        most =
            fmax(most, hypot(hypot(left[3 * k] - right[3 * k], left[3 * k + 1] - right[3 * k + 1]),
                             left[3 * k + 2] - right[3 * k + 2]));
    }
    return most;
}

/* Distances between the joints of one frame do not change where a clip is only moved. */
static double shape_apart(const marey_clip *a, int i, const marey_clip *b, int j)
{
    enum { MOST = 128 };
    static double places[2][MOST * 3];
    int joints = marey_clip_skeleton(a)->joint_count;
    double most = 0;
    marey_clip_positions(a, i, 1, places[0]);
    marey_clip_positions(b, j, 1, places[1]);
    for (int k = 1; k < joints; k++) {
        double lengths[2];
        for (int s = 0; s < 2; s++) {
            const double *p = places[s];
            lengths[s] = hypot(hypot(p[3 * k] - p[0], p[3 * k + 1] - p[1]), p[3 * k + 2] - p[2]);
        }
        most = fmax(most, fabs(lengths[0] - lengths[1]));
    }
    return most;
}

/* ---- align ------------------------------------------------------------------------------------------- */

static void a_path_is_the_librarys(void **state)
{
    (void)state;
    bench of = bench_open("a.bvh", "b.bvh");
    const marey_clip *two[2] = { of.a, of.b };
    marey_layout *layout = NULL;
    marey_features *f[2] = { NULL, NULL };
    marey_grid *grid = NULL;
    marey_path path = { 0 };
    assert_int_equal(marey_layout_build(of.ctx, two, 2, NULL, &layout, NULL), MAREY_OK);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(marey_features_build(layout, two[s], &f[s], NULL), MAREY_OK);
    }
    assert_int_equal(marey_grid_build(of.ctx, f[0], f[1], &grid, NULL), MAREY_OK);
    assert_int_equal(marey_align(of.ctx, marey_grid_cost(grid), NULL, &path, NULL), MAREY_OK);
    char *text = answer_of("marey align a.bvh b.bvh --json"), *at = strstr(text, "[[") + 1;
    for (int i = 0; i < path.count; i++) {
        assert_int_equal(strtol(at + 1, &at, 10), path.cells[i].row);
        assert_int_equal(strtol(at + 1, &at, 10), path.cells[i].col);
        at += 2; /* "],[" */
    }
    assert_true(number_of(text, "mean_distance") == path.mean);
    assert_true(number_of(text, "cells") == path.count);
    free(text);
    text = answer_of("marey align a.bvh b.bvh --plain --json");
    assert_true(fabs(number_of(text, "mean_distance") * number_of(text, "cells") - path.sum) <=
                1e-9 * path.sum);
    free(text);
    marey_path_free(&path);
    marey_grid_free(grid);
    for (int s = 0; s < 2; s++) marey_features_free(f[s]);
    marey_layout_free(layout);
    bench_close(&of);
}

static void a_path_goes_past_marked_frames(void **state)
{
    (void)state;
    char *text = answer_of("marey align lost.bvh#10-90 b.bvh --json --quiet");
    bool after = false;
    long last = 9;
    for (char *at = strstr(text, "[["); at && at[1] == '['; at = strchr(at, ']') + 1) {
        long i = strtol(at + 2, NULL, 10);
        if (i >= 30 && i < 34) fail_msg("frame %ld was lost", i);
        assert_true(i == last || i == last + 1 || (last == 29 && i == 34));
        after |= i > 34;
        last = i;
    }
    assert_true(after && last == 89);
    free(text);
    text = failure_of("marey align lost.bvh b.bvh --units raw --from 2,100 --quiet", 1);
    free(text);
}

/* ---- transition -------------------------------------------------------------------------------------- */

static void cuts_are_the_librarys(void **state)
{
    (void)state;
    enum { MOST = 10 };
    marey_cut cuts[MOST];
    int found = 0;
    bench of = bench_open("walk_straight.bvh", "jog_straight.bvh");
    marey_cuts_def def = {
        .half = 10, .below = 200, .near_given = { true, false }, .near = { 300 }
    };
    assert_int_equal(marey_cuts_find(of.ctx, of.a, of.b, &def, MOST, cuts, &found, NULL), MAREY_OK);
    assert_true(found > 0);
    char *text =
        answer_of("marey transition walk_straight.bvh jog_straight.bvh --half 10 --below 200 "
                  "--near 300, --json");
    const char *at = text;
    for (int i = 0; i < found && i < MOST; i++) {
        at = strstr(at + 1, "{\"a\":");
        assert_non_null(at);
        assert_true(number_of(at, "a") == cuts[i].a);
        assert_true(number_of(at, "b") == cuts[i].b);
        assert_true(number_of(at, "cost") == cuts[i].cost);
    }
    free(text);
    bench_close(&of);
}

/* First clip, transition, second clip: what is not the transition is as it was. */
static void a_transition_keeps_what_is_around_it(void **state)
{
    (void)state;
    char *text = answer_of("marey transition walk_straight.bvh walk_left.bvh#620-900 --near 300, "
                           "-o out.bvh --json");
    int frames = (int)number_of(text, "frames"), end = (int)number_of(text, "from_a_end");
    int start = (int)number_of(text, "from_b_start");
    bench of = bench_open("walk_straight.bvh", "walk_left.bvh");
    marey_clip *out = test_clip_load(of.ctx, "out.bvh");
    assert_int_equal(marey_clip_frames(out), frames);
    assert_true(end > 0 && start > end && start < frames);
    assert_true(start - end == 2 * number_of(text, "half") + 1);
    assert_true(fabs(number_of(text, "a") - (end + start - 1) / 2) <= 2);
    /* Held feet are eased in and out, so the frames beside the transition may have changed. */
    for (int f = 0; f < end - 100; f += 7) assert_true(distance_of(out, f, of.a, f) < 0.01);
    for (int f = start + 100; f < frames; f += 7) {
        assert_true(shape_apart(out, f, of.b, 900 - (frames - f)) < 0.01);
    }
    assert_true(number_of(text, "jump_ratio") <= 1.1);
    assert_true(number_of(text, "slide_after_cm") <= 0.3);
    assert_true(number_of(text, "slide_before_cm") >= number_of(text, "slide_after_cm"));
    marey_clip_free(out);
    bench_close(&of);
    free(text);
}

static void named_frames_are_the_centre(void **state)
{
    (void)state;
    char *named =
        answer_of("marey transition walk_straight.bvh#300 walk_left.bvh#5s --half 12 --json "
                  "-o one.bvh");
    assert_true(number_of(named, "a") == 300 && number_of(named, "b") == 300);
    run_well("marey transition walk_straight.bvh walk_left.bvh --at 300,300 --half 12 -o two.bvh "
             "--quiet");
    run_well("marey transition walk_straight.bvh#0-600#300 walk_left.bvh#100-1000#300 --half 12 "
             "-o three.bvh --quiet");
    check_same_file("one.bvh", "two.bvh");
    free(named);
    bench of = bench_open("one.bvh", "three.bvh");
    assert_int_equal(marey_clip_frames(of.a) - marey_clip_frames(of.b), 1084 - 1000);
    bench_close(&of);
    /* The cheapest frame of the other clip is really the cheapest. */
    char *sought =
        answer_of("marey transition walk_straight.bvh#300 walk_left.bvh --below inf --json");
    double best = number_of(sought, "cost");
    assert_true(number_of(sought, "a") == 300);
    for (int f = 20; f < 1000; f += 50) {
        char line[128];
        snprintf(line, sizeof line,
                 "marey transition walk_straight.bvh#300 walk_left.bvh#%d --json", f);
        char *other = answer_of(line);
        assert_true(number_of(other, "cost") >= best - 1e-9);
        free(other);
    }
    free(sought);
}

static void a_clip_does_not_go_over_into_where_it_is(void **state)
{
    (void)state;
    char *text = answer_of("marey transition a.bvh a.bvh --half 6 --below inf --json");
    for (const char *at = text; (at = strstr(at + 1, "{\"a\":"));) {
        assert_true(fabs(number_of(at, "a") - number_of(at, "b")) > 6);
    }
    free(text);
}

static void cuts_never_use_marked_frames(void **state)
{
    (void)state;
    char *text =
        answer_of("marey transition lost.bvh b.bvh --half 5 --below inf --count 1000 --json "
                  "--quiet");
    for (const char *at = text; (at = strstr(at + 1, "\"a\":"));) {
        double a = number_of(at, "a");
        assert_false(a >= 30 && a < 34);
    }
    free(text);
    text = failure_of("marey transition lost.bvh#31 b.bvh#10 --half 5 --quiet", 1);
    assert_non_null(strstr(text, "frame 31 is no captured motion"));
    free(text);
    /* Frames are those of the file also behind the gap, and the made clip has none of the marked. */
    text =
        answer_of("marey transition lost.bvh#60 b.bvh#20 --half 5 --method cut -o out.bvh --json "
                  "--quiet");
    assert_true(number_of(text, "a") == 60 && number_of(text, "from_a_end") == 56);
    assert_true(number_of(text, "frames") == 56 + 40);
    free(text);
}

static void every_method_makes_another_clip(void **state)
{
    (void)state;
    static const char *const methods[] = { "registered", "untimed", "linear", "cut" };
    char *texts[4];
    for (int m = 0; m < 4; m++) {
        char line[256], path[32];
        snprintf(path, sizeof path, "%s.bvh", methods[m]);
        snprintf(line, sizeof line,
                 "marey transition walk_straight.bvh#300 jog_straight.bvh#250 --half 20 --no-clean "
                 "--method %s -o %s --json",
                 methods[m], path);
        texts[m] = answer_of(line);
    }
    assert_true(number_of(texts[3], "half") == 0);
    assert_true(number_of(texts[1], "half") == 20);
    assert_true(number_of(texts[0], "jump_ratio") < number_of(texts[3], "jump_ratio"));
    for (int m = 0; m < 4; m++) {
        assert_true(number_of(texts[m], "slide_before_cm") ==
                    number_of(texts[m], "slide_after_cm"));
        free(texts[m]);
    }
}

/* ---- blend ------------------------------------------------------------------------------------------- */

static const char *const two_walks = "walk_straight.bvh#180-420 walk_left.bvh#180-420";

static void all_the_weight_on_one_clip_gives_that_clip(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        char line[256];
        snprintf(line, sizeof line, "marey blend %s --weights %s --no-clean -o out.bvh --json",
                 two_walks, which ? "0,1" : "1,0");
        char *text = answer_of(line);
        bench of = bench_open(which ? "walk_left.bvh" : "walk_straight.bvh", "out.bvh");
        assert_true(number_of(text, "frames") == 240);
        for (int f = 0; f < 240; f++) {
            double apart = distance_of(of.a, 180 + f, of.b, f);
            if (apart > 0.01) fail_msg("clip %d, frame %d: %g cm", which, f, apart);
        }
        bench_close(&of);
        free(text);
    }
}

static void a_file_of_weights_says_what_a_list_says(void **state)
{
    (void)state;
    static const char *const files[] = {
        "0,0.3,0.7\n",
        "time,straight,left\n0,3,7\n1,0.3,0.7\n",
        "\xef\xbb\xbftime;a;b\r\n\r\n 0 ; 0.3 ; 0.7 \r\n2;0.6;1.4",
        "0\t3\t7",
    };
    char line[256];
    snprintf(line, sizeof line, "marey blend %s --weights 0.3,0.7 -o list.bvh --quiet", two_walks);
    run_well(line);
    snprintf(line, sizeof line, "marey blend %s --weights-file w.csv -o file.bvh --quiet",
             two_walks);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        test_file_write("w.csv", files[i], strlen(files[i]));
        run_well(line);
        bench of = bench_open("list.bvh", "file.bvh");
        assert_int_equal(marey_clip_frames(of.a), marey_clip_frames(of.b));
        for (int f = 0; f < marey_clip_frames(of.a); f += 9) {
            assert_true(distance_of(of.a, f, of.b, f) < 0.01);
        }
        bench_close(&of);
    }
}

static void a_wrong_file_of_weights_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "", "w.csv:1:1: there is no line of weights" },
        { "time,a,b\n\n", "w.csv:3:1: there is no line of weights" },
        { "0,1,0\n1,x,0\n", "w.csv:2:3: expected the weight of clip 1, found \"x\"" },
        { "0,1,0\n1,1\n", "w.csv:2:4: expected the weight of clip 2, found the end of the line" },
        { "0,1,0\n1,1,", "w.csv:2:5: expected the weight of clip 2, found the end of the line" },
        { "0,1,0\n1,1,0,0\n", "w.csv:2:6: there are 2 clips, and more weights than that" },
        { "0,1,0\n0,0,1\n", "w.csv:2:1: times must rise: 0 s comes behind 0 s" },
        { "0,1,-1\n", "w.csv:1:1: the sum of these weights is 0" },
        { "0,1000000,-999999\n", "w.csv:1:1: the sum of these weights is 0" },
        { "nan,1,0\n1,0,1\n", "w.csv:1:1: expected a time in seconds, found \"nan\"" },
        { "inf,1,0\n1,0,1\n", "w.csv:1:1: expected a time in seconds, found \"inf\"" },
        { "0,nan,1\n", "w.csv:1:3: expected the weight of clip 1, found \"nan\"" },
        { "0 1 2\n", "w.csv:1:3: expected a comma behind a time in seconds" },
        { "a,b\nc,d\n", "w.csv:2:1: expected a time in seconds, found \"c\"" },
        { "0,1e99,1\n", "w.csv:1:3: expected the weight of clip 1, found \"1e99\"" },
    };
    char line[256];
    snprintf(line, sizeof line, "marey blend %s --weights-file w.csv -o no.bvh --quiet", two_walks);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_file_write("w.csv", wrong[i].text, strlen(wrong[i].text));
        char *said = failure_of(line, 1);
        if (!strstr(said, wrong[i].message)) fail_msg("%s, not %s", said, wrong[i].message);
        free(said);
    }
    assert_int_equal(access("no.bvh", F_OK), -1);
}

static void weights_that_change_go_from_one_clip_to_the_other(void **state)
{
    (void)state;
    static const char rows[] = "0,1,0\n1,1,0\n2,0,1\n";
    char line[256];
    test_file_write("w.csv", rows, sizeof rows - 1);
    snprintf(line, sizeof line, "marey blend %s --weights-file w.csv --no-clean -o out.bvh --json",
             two_walks);
    char *text = answer_of(line);
    assert_non_null(strstr(text, "\"weights\":null,\"weight_rows\":3"));
    bench of = bench_open("walk_straight.bvh", "out.bvh");
    for (int f = 0; f <= 60; f += 10) assert_true(distance_of(of.a, 180 + f, of.b, f) < 0.01);
    assert_true(number_of(text, "jump_ratio") < 1.5);
    bench_close(&of);
    free(text);
}

static void a_kept_curve_makes_the_same_clip(void **state)
{
    (void)state;
    run_well(
        "marey align -L demo.marey walk_straight#180-420 walk_left#180-420 jog_straight#170-380 "
        "--save gaits --quiet");
    char *named = answer_of("marey blend -L demo.marey walk_straight#180-420 walk_left#180-420 "
                            "jog_straight#170-380 --weights 1,1,1 -o named.bvh --json");
    char *kept =
        answer_of("marey blend -L demo.marey --curve gaits --weights 2,2,2 -o kept.bvh --json");
    check_same_file("named.bvh", "kept.bvh");
    assert_true(number_of(named, "slide_after_cm") == number_of(kept, "slide_after_cm"));
    assert_non_null(strstr(kept, "\"curve\":\"gaits\""));
    free(named);
    free(kept);
    /* Renamed clips are found, removed ones are missed, by name. */
    run_well("marey rename demo.marey walk_left bend --quiet");
    run_well("marey blend -L demo.marey --curve gaits --weights 2,2,2 -o again.bvh --quiet");
    check_same_file("again.bvh", "kept.bvh");
    run_well("marey rm demo.marey bend --quiet");
    char *said = failure_of("marey blend -L demo.marey --curve gaits --weights 1,1,1 -o no.bvh", 1);
    assert_non_null(strstr(said, "bend"));
    free(said);
    run_well("marey restore demo.marey bend --quiet");
    run_well("marey curves demo.marey --rm gaits --quiet");
    run_well("marey verify demo.marey --quiet");
}

static void constraints_lie_in_the_clip_and_are_kept_with_it(void **state)
{
    (void)state;
    char *text = answer_of("marey blend -L demo.marey walk_straight#180-420 jog_straight#170-380 "
                           "--weights 1,1 -o demo.marey:mix --json");
    char *kept = answer_of("marey contacts -L demo.marey mix --json");
    double frames = number_of(text, "frames");
    const char *one = strstr(text, "\"constraints\":["), *other = strstr(kept, "\"contacts\":[");
    int count = 0;
    assert_non_null(strstr(kept, "\"from\":\"library\""));
    while ((one = strstr(one + 1, "{\"joint\":")) && (other = strstr(other + 1, "{\"joint\":"))) {
        assert_true(number_of(one, "start") == number_of(other, "start"));
        assert_true(number_of(one, "end") == number_of(other, "end"));
        assert_true(number_of(one, "start") >= 0 && number_of(one, "end") <= frames);
        count++;
    }
    assert_true(count > 4 && count == number_of(text, "plants"));
    free(text);
    free(kept);
}

/* ---- bodies, feet, loops ------------------------------------------------------------------------------ */

static void another_body_is_put_on_the_first_ones_bones(void **state)
{
    (void)state;
    test_run run = test_run_make();
    test_run_line(&run,
                  "marey transition walk_straight.bvh small_walk.bvh --near 300,300 --below inf "
                  "-o out.bvh");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out.bytes, "small_walk.bvh has other bones: it was put on those of "
                                          "walk_straight.bvh"));
    test_run_free(&run);
    bench of = bench_open("walk_straight.bvh", "out.bvh");
    const marey_skeleton *left = marey_clip_skeleton(of.a), *right = marey_clip_skeleton(of.b);
    for (int i = 1; i < left->joint_count; i++) {
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(left->joints[i].offset_cm[k] - right->joints[i].offset_cm[k]) < 1e-4);
        }
    }
    bench_close(&of);
    char *text = answer_of("marey align walk_straight.bvh#180-420 small_walk.bvh#180-420 --json");
    assert_non_null(strstr(text, "\"refitted\":true"));
    free(text);
}

/* A clip whose feet slide: it moves forward by half as much again. */
static void clean_holds_feet(void **state)
{
    (void)state;
    run_well(
        "marey blend walk_straight.bvh#180-420 jog_straight.bvh#170-380 --weights 1,1 --no-clean "
        "--method linear -o demo.marey:slides --quiet");
    char *text = answer_of("marey clean -L demo.marey slides -o demo.marey:held --json");
    assert_non_null(strstr(text, "\"from\":\"library\""));
    assert_true(number_of(text, "slide_before_cm") > 1);
    assert_true(number_of(text, "slide_after_cm") <= 0.3);
    assert_true(number_of(text, "slide_mean_after_cm") <= number_of(text, "slide_after_cm"));
    char *measured = answer_of("marey quality -L demo.marey held --json");
    assert_true(fabs(number_of(measured, "slide_max_cm") - number_of(text, "slide_after_cm")) <
                0.01);
    assert_true(fabs(number_of(measured, "slide_cm") - number_of(text, "slide_mean_after_cm")) <
                0.01);
    free(text);
    free(measured);
    text = answer_of("marey clean -L demo.marey slides --found -o held.bvh --json");
    assert_non_null(strstr(text, "\"from\":\"found\""));
    free(text);
}

static void a_loop_is_as_long_as_it_says(void **state)
{
    (void)state;
    char *text = answer_of("marey loop walk_straight.bvh#180-420 -o out.bvh --json");
    double start = number_of(text, "start"), end = number_of(text, "end");
    assert_true(start >= 180 && end <= 420 && end - start >= 30);
    assert_true(number_of(text, "frames") == end - start);
    assert_true(number_of(text, "seam_ratio") < 1.2);
    free(text);
    text = answer_of("marey loop walk_straight.bvh#180-420 -o out.bvh --in-place --json");
    marey_ctx *ctx = test_ctx();
    marey_clip *clip = test_clip_load(ctx, "out.bvh");
    const double *first = marey_clip_root(clip, 0);
    double x = first[0], z = first[2];
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        const double *at = marey_clip_root(clip, f);
        if (hypot(at[0] - x, at[2] - z) > 10) fail_msg("frame %d is elsewhere", f);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
    free(text);
}

/* ---- what it was made of ------------------------------------------------------------------------------ */

static void a_made_clip_remembers_its_sources(void **state)
{
    (void)state;
    size_t count;
    run_well("marey transition -L demo.marey walk_straight#300 walk_left#310 --half 12 -o t.glb "
             "--provenance --quiet");
    char *text = test_file_read("t.glb.provenance.json", &count);
    assert_non_null(strstr(text, "\"made_by\":\"transition\""));
    assert_non_null(strstr(text, "\"clip\":\"walk_straight\",\"start\":0,\"end\":"));
    assert_non_null(
        strstr(text, "\"end\":1084,\"licence\":\"made by marey demo; free for any use\""));
    assert_non_null(strstr(text, "\"at\":\"300,310\""));
    assert_non_null(strstr(text, "\"half\":\"12\""));
    char *inside = test_file_read("t.glb", &count);
    bool found = false;
    for (size_t i = 0; i + 20 < count && !found; i++) {
        found = memcmp(inside + i, "\"made_by\":\"transition\"", 20) == 0;
    }
    assert_true(found);
    free(inside);
    free(text);
    run_well("marey blend walk_straight.bvh#180-420 walk_left.bvh#180-420 --weights 1,1 "
             "-o new.marey:mix --quiet");
    run_well("marey loop -L new.marey mix -o new.marey:round --quiet");
    text = answer_of("marey ls new.marey --long");
    assert_non_null(strstr(text, "{\"file\":\"walk_left.bvh\",\"start\":180,\"end\":420"));
    assert_non_null(strstr(text, "\"weights\":\"1,1\""));
    assert_non_null(strstr(text, "\"made_by\":\"loop\""));
    free(text);
}

static void one_thread_and_two_make_the_same_bytes(void **state)
{
    (void)state;
    static const char *const made[] = {
        "marey transition walk_straight.bvh jog_straight.bvh --near 300, --quiet",
        "marey blend walk_straight.bvh#180-420 walk_left.bvh#180-420 --weights 1,2 --quiet",
        "marey loop walk_straight.bvh --quiet",
        "marey clean jog_straight.bvh --quiet",
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        for (int threads = 1; threads <= 2; threads++) {
            char line[256];
            snprintf(line, sizeof line, "%s --threads %d -o t%d.bvh", made[i], threads, threads);
            run_well(line);
        }
        check_same_file("t1.bvh", "t2.bvh");
    }
}

/* ---- when the machine fails --------------------------------------------------------------------------- */

static const char *const lines[] = {
    "marey align a.bvh#0-12 b.bvh#0-10 --json -o out.npy",
    "marey align lost.bvh#25-40 b.bvh#0-10 -o out.png --fps 30",
    "marey align a.bvh#0-12 b.bvh#0-10 a.bvh#4-14 --json",
    "marey transition a.bvh#0-30 b.bvh#0-30 --half 4 --below inf --json -o out.bvh --provenance",
    "marey transition a.bvh#0-30#15 b.bvh#0-30 --half 4 --below inf --sheet out.svg --count 2",
    "marey transition a.bvh#0-30#15 b.bvh#0-30#12 --method cut --json -o out.bvh",
    "marey blend a.bvh#0-12 b.bvh#0-10 --weights 1,1 --json -o out.bvh",
    "marey blend a.bvh#0-12 b.bvh#0-10 --weights-file w.csv -o out.bvh",
    "marey clean lost.bvh#25-40 --json -o out.bvh",
    "marey loop a.bvh --half 4 --count 2 --json -o out.bvh",
};
enum { LINES = sizeof lines / sizeof *lines };

static int enter_failing(void **state)
{
    enter_persons(state);
    test_file_write("w.csv", "0,1,0\n0.1,0,1\n", 14);
    return 0;
}

/* Whatever was written is whole, and nothing half-written is left. */
static void check_files(const test_run *run, void *user)
{
    static const char *const paths[] = { "out.npy", "out.png", "out.svg", "out.bvh" };
    (void)user;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (access(paths[i], F_OK) != 0) continue;
        /* A clip and its provenance are two files; the second may fail alone. */
        if (run->status != 0 && strcmp(paths[i], "out.bvh") != 0) {
            fail_msg("status %d, and %s is there", run->status, paths[i]);
        }
        unlink(paths[i]);
    }
    unlink("out.bvh.provenance.json");
    assert_int_equal(test_folder_count("."), 4); /* three clips and weights */
}

static void refused_memory_ends_with_status_3_and_no_file(void **state)
{
    (void)state;
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

static void a_kept_curve_is_there_or_not_at_all(void **state)
{
    (void)state;
    static const char line[] = "marey align -L m.marey a#0-12 b#0-10 --save c --json";
    run_well("marey add m.marey a.bvh b.bvh --quiet");
    for (long refuse = 0;; refuse++) {
        test_run run = test_run_make();
        run.memory.refuse = refuse;
        test_run_line(&run, line);
        bool done = run.memory.calls <= refuse;
        if (run.status != 0) check_refusal(&run, line);
        char *listed = answer_of("marey curves m.marey --json");
        assert_true((strstr(listed, "\"name\":\"c\"") != NULL) == (run.status == 0));
        free(listed);
        if (run.status == 0) run_well("marey curves m.marey --rm c --quiet");
        test_run_free(&run);
        if (done) break;
    }
    run_well("marey align -L m.marey a#0-12 b#0-10 --save c --quiet");
    sweep_memory("marey blend -L m.marey --curve c --weights 1,1 -o out.bvh --json", NULL, NULL);
    sweep_memory("marey curves m.marey --json", NULL, NULL);
}

static void full_standard_output_and_a_cancelled_run_are_told(void **state)
{
    (void)state;
    for (int i = 0; i < LINES; i++) {
        test_run full = test_run_make();
        full.out.room = 10;
        assert_int_equal(test_run_line(&full, lines[i]), 3);
        test_run_free(&full);
        test_run gone = test_run_make();
        gone.cancel = true;
        if (test_run_line(&gone, lines[i]) != 130) fail_msg("%s: %d", lines[i], gone.status);
        test_run_free(&gone);
    }
}

#define DEMO(name) cmocka_unit_test_setup_teardown(name, enter_demo, leave)
#define PERSONS(name) cmocka_unit_test_setup_teardown(name, enter_persons, leave)
#define FAILING(name) cmocka_unit_test_setup_teardown(name, enter_failing, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERSONS(a_path_is_the_librarys),
        PERSONS(a_path_goes_past_marked_frames),
        DEMO(cuts_are_the_librarys),
        DEMO(a_transition_keeps_what_is_around_it),
        DEMO(named_frames_are_the_centre),
        PERSONS(a_clip_does_not_go_over_into_where_it_is),
        PERSONS(cuts_never_use_marked_frames),
        DEMO(every_method_makes_another_clip),
        DEMO(all_the_weight_on_one_clip_gives_that_clip),
        DEMO(a_file_of_weights_says_what_a_list_says),
        DEMO(a_wrong_file_of_weights_is_refused_where_it_is_wrong),
        DEMO(weights_that_change_go_from_one_clip_to_the_other),
        DEMO(a_kept_curve_makes_the_same_clip),
        DEMO(constraints_lie_in_the_clip_and_are_kept_with_it),
        DEMO(another_body_is_put_on_the_first_ones_bones),
        DEMO(clean_holds_feet),
        DEMO(a_loop_is_as_long_as_it_says),
        DEMO(a_made_clip_remembers_its_sources),
        DEMO(one_thread_and_two_make_the_same_bytes),
        FAILING(refused_memory_ends_with_status_3_and_no_file),
        FAILING(a_kept_curve_is_there_or_not_at_all),
        FAILING(full_standard_output_and_a_cancelled_run_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
