/* test_param_making.c - param make as a program: made clips do what the answer says, requests that
   cannot be met are reported, a grid is what its points are. */
#include "reach_demo.h"
#include "reaches.h"

#include <math.h>

/* The places of a joint in a file that `marey positions` wrote. */
static float *read_positions(const char *path, char **bytes)
{
    size_t count;
    *bytes = test_file_read(path, &count);
    uint16_t header;
    memcpy(&header, *bytes + 8, 2);
    return (float *)(void *)(*bytes + 10 + header);
}

#define DEMO(name) TEST_IN(test_reach_demo_make, test_leave_place, name)

DEMO(a_made_clip_really_reaches)
{
    char clips[512], line[1024], *bytes;
    test_reach_names(12, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey world --clips %s --feature "
             "'position(right_wrist, apex, world)' --json",
             clips);
    FREED char *built = test_answer(line);
    double first[3], second[3];
    test_numbers(built, "values", 3, first);
    test_numbers(strstr(strstr(built, "\"values\"") + 1, "\"values\"") - 1, "values", 3, second);
    snprintf(line, sizeof line,
             "marey param make demo.marey world --at %.3f,%.3f,%.3f -o made.bvh --json",
             (3 * first[0] + second[0]) / 4, (3 * first[1] + second[1]) / 4,
             (3 * first[2] + second[2]) / 4);
    FREED char *made = test_answer(line);
    FREED char *told = test_answer("marey positions made.bvh -o made.npy --json");
    double target[3], reached[3], shape[3], weights[12], sum = 0, least = INFINITY;
    test_numbers(made, "target", 3, target);
    test_numbers(made, "reached", 3, reached);
    test_numbers(made, "weights", 12, weights);
    test_numbers(told, "shape", 3, shape);
    for (int i = 0; i < 12; i++) sum += weights[i];
    assert_true(fabs(sum - 1) < 1e-6);
    float *places = read_positions("made.npy", &bytes);
    const char *names = test_value(told, "joints"), *hand = strstr(names, "\"RightHand\"");
    int joint = 0;
    for (const char *at = names; at < hand; at++) joint += *at == ',';
    for (int f = 0; f < (int)shape[0]; f++) {
        const float *p = places + ((size_t)f * (size_t)shape[1] + (size_t)joint) * 3;
        least = fmin(least, hypot(hypot(p[0] - reached[0], p[1] - reached[1]), p[2] - reached[2]));
    }
    if (!(least < 0.5)) fail_msg("the hand passes %g cm from there", least);
    assert_true(test_number(made, "slide_after_cm") <= 0.3);
    assert_true(test_number(made, "jump_ratio") <= 1.2);
    assert_true(test_number(made, "frames") == shape[0]);
    free(bytes);
}

DEMO(an_answer_is_near_and_the_table_is_not_so_near)
{
    FREED char *fine =
        test_answer("marey param make demo.marey reach --at -15,125,48 -o a.bvh --json");
    FREED char *plain =
        test_answer("marey param make demo.marey reach --at -15,125,48 --table -o b.bvh --json");
    assert_true(test_number(fine, "error_cm") < 0.2 && test_number(fine, "error_cm") >= 0);
    assert_true(test_number(plain, "error_cm") > test_number(fine, "error_cm"));
    assert_true(fabs(test_number(plain, "table_error") - test_number(fine, "table_error")) < 1e-9);
    assert_non_null(strstr(fine, "\"outside\":false"));
    assert_non_null(strstr(fine, "\"error_unit\":\"cm\""));
}

/* What is reported of a projected request is what its weights do, whatever else was tried on the
   way. */
DEMO(a_request_outside_is_reported_as_it_is)
{
    static const char *const places[] = { "20,190,90", "-60,60,0", "0,120,10", "-20,85,70" };
    char clips[512], line[1024];
    test_reach_names(12, "right", clips, sizeof clips);
    /* In the middle of the way the hand is fast, so another moment is another place. */
    snprintf(line, sizeof line,
             "marey param build demo.marey way --clips %s --feature "
             "'position(right_wrist, 45, start)' --quiet",
             clips);
    test_run_well(line);
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_family) *family = NULL;
    assert_int_equal(marey_library_open(ctx, "demo.marey", MAREY_LIBRARY_READ, &library, NULL), 0);
    assert_int_equal(marey_library_family(library, "way", &parts, &family, NULL), 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double reached[3], weights[12], values[3];
        int motions[12];
        snprintf(line, sizeof line,
                 "marey param make demo.marey way --at %s --no-clean -o o.bvh --json", places[i]);
        FREED char *text = test_answer(line);
        assert_non_null(strstr(text, "\"outside\":true"));
        test_numbers(text, "reached", 3, reached);
        test_numbers(text, "weights", 12, weights);
        for (int k = 0; k < 12; k++) motions[k] = k;
        assert_int_equal(marey_family_values(ctx, family, motions, weights, 12, values, NULL), 0);
        for (int d = 0; d < 3; d++) {
            if (!(fabs(values[d] - reached[d]) < 0.01))
                fail_msg("at %s: %g, not %g", places[i], reached[d], values[d]);
        }
        assert_true(test_number(text, "error_cm") <= test_number(text, "table_error") + 1e-6);
    }
}

DEMO(errors_of_several_units_are_no_centimetres)
{
    char clips[512], line[1024];
    test_reach_names(6, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey two --clips %s --feature 'height(right_wrist)' "
             "--feature 'duration()' --samples 40 --quiet",
             clips);
    test_run_well(line);
    FREED char *made =
        test_answer("marey param make demo.marey two --at 120,2.3 -o two.bvh --json");
    assert_non_null(strstr(made, "\"error_cm\":null,\"error\":"));
    assert_non_null(strstr(made, "\"error_unit\":\"% of the box\""));
    FREED char *text = test_answer("marey param check demo.marey two --count 10 --json");
    assert_non_null(strstr(text, "\"median_error_cm\":null,\"p95_error_cm\":null"));
    assert_true(test_number(text, "median_error") >= 0);
}

DEMO(one_thread_and_two_make_the_same)
{
    test_run_well("marey param make demo.marey reach --at -15,125,48 --threads 1 -o 1.bvh --quiet");
    test_run_well("marey param make demo.marey reach --at -15,125,48 --threads 2 -o 2.bvh --quiet");
    test_same_file("1.bvh", "2.bvh");
}

DEMO(a_made_clip_remembers_its_examples)
{
    size_t count;
    FREED char *made =
        test_answer("marey param make demo.marey reach --at -15,125,48 -o demo.marey:grab "
                    "--json");
    assert_non_null(strstr(made, "\"path\":\"demo.marey:grab\""));
    FREED char *plants = test_answer("marey contacts -L demo.marey grab --json");
    assert_non_null(strstr(plants, "\"from\":\"library\""));
    FREED char *held =
        strndup(strstr(made, "\"constraints\":["), strcspn(strstr(made, "\"constraints\":["), "]"));
    assert_true(test_parts_count(plants, "\"joint\"") == test_parts_count(held, "\"joint\""));
    test_run_well(
        "marey param make demo.marey reach --at -15,125,48 -o grab.bvh --provenance --quiet");
    FREED char *text = test_file_read("grab.bvh.provenance.json", &count);
    assert_non_null(strstr(text, "{\"made_by\":\"param make\",\"version\":\""));
    assert_non_null(strstr(text, "\"family\":\"reach\",\"sources\":[{\"library\":\"demo.marey\","
                                 "\"clip\":\"reach_right\",\"start\":"));
    assert_non_null(strstr(text, "\"settings\":{\"at\":\"-15,125,48\"}"));
    double sum = 0;
    for (const char *at = text; (at = strstr(at, "\"weight\":")); at++)
        sum += strtod(at + strlen("\"weight\":"), NULL);
    assert_true(fabs(sum - 1) < 1e-3);
}

DEMO(a_grid_is_a_file_for_each_point_and_a_page)
{
    size_t count;
    FREED char *text = test_answer("marey param make demo.marey reach --grid 2x3x1 -o grid --json");
    assert_true(test_number(text, "motions") == 6);
    assert_int_equal(test_folder_count("grid"), 7);
    FREED char *page = test_file_read("grid/grid.json", &count);
    assert_true(is_one_json_object(page));
    assert_int_equal(test_parts_count(page, "\"file\":\""), 6);
    assert_true(test_parts_count(page, "\"outside\":true") == test_number(text, "outside"));
    assert_int_equal(test_parts_count(page, "\"faults\":["), 6);
    assert_true(test_parts_count(page, "\"faults\":[{") == test_number(text, "faulty"));
    assert_non_null(strstr(page, "{\"index\":[1,2,0],\"file\":\"reach_1_2_0.bvh\",\"target\":["));
    double x[2], y[3], z[1], target[3];
    const char *axes = test_value(page, "axes");
    test_numbers(axes, "values", 2, x);
    test_numbers(axes = strstr(axes, "\"values\"") + 1, "values", 3, y);
    test_numbers(strstr(axes, "\"values\"") + 1, "values", 1, z);
    test_numbers(strstr(page, "[1,2,0]"), "target", 3, target);
    assert_true(target[0] == x[1] && target[1] == y[2] && target[2] == z[0]);
    /* Each is what --at gives. */
    char line[256];
    snprintf(line, sizeof line,
             "marey param make demo.marey reach --at %.17g,%.17g,%.17g -o one.bvh --quiet", x[1],
             y[2], z[0]);
    test_run_well(line);
    test_same_file("one.bvh", "grid/reach_1_2_0.bvh");
    test_run_well(
        "marey param make demo.marey reach --grid 2x1x1 -o gltf --format glb --provenance "
        "--quiet");
    assert_int_equal(access("gltf/reach_1_0_0.glb.provenance.json", F_OK), 0);
}

TEST_GROUP_OF_CASES(test_param_making, NULL, NULL)
