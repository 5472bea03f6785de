/* test_param_program.c - the commands of families as a program: their numbers are the library's, made clips do what the
   answer says, requests that cannot be met are told, wrong ones are refused by name; refused memory, full disks and
   Ctrl-C. */
#include "in_process.h"

#include <math.h>

static char *answer_of(const char *line)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    if (strstr(line, "--json") && !is_one_json_object(run.out.bytes))
        fail_msg("%s: %s", line, run.out.bytes);
    free(run.err.bytes);
    return run.out.bytes;
}

static void run_well(const char *line)
{
    free(answer_of(line));
}

static void check_failure(const char *line, int status, const char *message)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != status)
        fail_msg("%s: %d, %s", line, run.status, run.err.bytes);
    if (!strstr(run.err.bytes, message)) fail_msg("%s: %s, not %s", line, run.err.bytes, message);
    test_run_free(&run);
}

/* The number behind "key":, from `from` on. */
static const char *value_of(const char *from, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(from, quoted);
    if (!at) fail_msg("no %s in %s", key, from);
    return at + strlen(quoted);
}

static double number_of(const char *from, const char *key)
{
    return strtod(value_of(from, key), NULL);
}

static void numbers_of(const char *from, const char *key, int count, double *out)
{
    const char *at = value_of(from, key);
    assert_true(*at == '[');
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(at + 1, &end);
        at = end;
    }
    assert_true(*at == ']');
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) count++;
    return count;
}

enum { REACHES = 13 }; /* to the right, in the take reach_right */

/* Right reaches and kicks, and the family of the reaches that the demo makes. */
static int enter_demo(void **state)
{
    static test_place place;
    place_enter(&place);
    run_well("marey demo . --take reach_right --take kicks --quiet");
    *state = &place;
    return 0;
}

static int leave(void **state)
{
    place_leave(*state);
    return 0;
}

/* "reach_right#131-276,..." from the truth. */
static void name_reaches(int count, const char *side, char *text, size_t room)
{
    size_t bytes, used = 0;
    char *truth = test_file_read("truth.json", &bytes);
    const char *take = strstr(truth, side ? "\"reach_right\"" : "\"kicks\"");
    const char *label =
        side ? "\"label\":\"reach\",\"side\":\"right\"" : "\"label\":\"kick\",\"side\":\"right\"";
    if (!take) fail_msg("no take");
    for (const char *at = take; count > 0 && (at = strstr(at, label)); at++, count--) {
        used += (size_t)snprintf(text + used, room - used, "%s%s#%d-%d", used ? "," : "",
                                 side ? "reach_right" : "kicks", (int)number_of(at, "start"),
                                 (int)number_of(at, "end"));
    }
    free(truth);
}

/* ---- what can be asked ------------------------------------------------------------------------------- */

static void features_are_the_librarys(void **state)
{
    (void)state;
    char *text = answer_of("marey param features"),
         *object = answer_of("marey param features --json");
    const marey_param_kind *kind;
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) {
        char quoted[128];
        assert_non_null(strstr(text, kind->form));
        snprintf(quoted, sizeof quoted, "\"form\":\"%s\"", kind->form);
        assert_non_null(strstr(object, quoted));
    }
    assert_non_null(strstr(object, "\"moments\":[{\"name\":\"start\""));
    assert_non_null(strstr(object, "\"places\":[{\"name\":\"start\""));
    assert_non_null(strstr(object, "\"amounts\":[\"mean\",\"least\",\"greatest\"]"));
    free(text);
    free(object);
}

/* ---- building ---------------------------------------------------------------------------------------- */

static void the_demo_has_a_ready_family(void **state)
{
    (void)state;
    char *list = answer_of("marey param ls demo.marey --json");
    assert_non_null(strstr(list, "{\"spaces\":[{\"name\":\"reach\",\"features\":["
                                 "\"position(right_wrist, apex, start)\"],\"examples\":[{"));
    assert_int_equal(count_of(list, "\"clip\":\"reach_right\""), REACHES);
    assert_true(number_of(list, "samples") > 200);
    free(list);
    /* It may be made again, but not over what somebody else kept. */
    run_well("marey demo . --take reach_right --take kicks --quiet");
    run_well("marey param prune demo.marey reach --tolerance 2 --as mine --quiet");
    check_failure("marey demo . --take reach_right --quiet", 1, "keeps the family mine");
    run_well("marey param rm demo.marey mine --quiet");
    run_well("marey demo . --take kicks --quiet");
    list = answer_of("marey param ls demo.marey");
    assert_string_equal(list, "no family is kept; marey param build makes one\n");
    free(list);
}

static void a_built_family_is_what_the_answer_says(void **state)
{
    (void)state;
    char clips[512], line[1024];
    name_reaches(8, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey mine --clips %s --feature 'position(right_wrist)' "
             "--feature 'duration()' --samples 100 --json",
             clips);
    char *text = answer_of(line);
    assert_int_equal(number_of(text, "dims"), 4);
    assert_int_equal(count_of(text, "\"values\":["), 8);
    assert_true(number_of(text, "samples") > 20 && number_of(text, "samples") <= 108);
    assert_true(number_of(text, "faults") == 0 && number_of(text, "seconds") >= 0);
    assert_non_null(strstr(text, "\"features\":[\"position(right_wrist, apex, start)\","
                                 "\"duration()\"]"));
    char *list = answer_of("marey param ls demo.marey --json");
    const char *at = strstr(list, "\"name\":\"mine\"");
    assert_non_null(at);
    assert_true(number_of(at, "samples") == number_of(text, "samples"));
    assert_true(number_of(at, "bytes") == number_of(text, "bytes"));
    free(list);
    /* The reach's own target, told from under the hips. */
    size_t bytes;
    char *truth = test_file_read("truth.json", &bytes);
    at = strstr(strstr(truth, "\"reach_right\""), "\"label\":\"reach\"");
    double values[4];
    numbers_of(text, "values", 4, values);
    assert_true(fabs(values[0] - number_of(at, "target_x_cm")) < 1);
    assert_true(fabs(values[1] - number_of(at, "target_y_cm")) < 1);
    assert_true(fabs(values[2] - number_of(at, "target_z_cm")) < 1);
    assert_true(fabs(values[3] * 60 - (number_of(at, "end") - number_of(at, "start"))) <= 1);
    free(truth);
    free(text);
    run_well("marey verify demo.marey --quiet");
}

static void one_thread_and_two_make_the_same(void **state)
{
    (void)state;
    size_t counts[2];
    char *files[2];
    for (int i = 0; i < 2; i++) {
        char line[256], name[32];
        snprintf(line, sizeof line,
                 "marey param make demo.marey reach --at -15,125,48 --threads %d -o t%d.bvh "
                 "--quiet",
                 i + 1, i);
        run_well(line);
        snprintf(name, sizeof name, "t%d.bvh", i);
        files[i] = test_file_read(name, &counts[i]);
    }
    assert_true(counts[0] == counts[1] && memcmp(files[0], files[1], counts[0]) == 0);
    free(files[0]);
    free(files[1]);
}

static void a_search_finds_the_examples(void **state)
{
    (void)state;
    char clips[32], line[512];
    name_reaches(1, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey found --query %s --threshold 25 --feature "
             "'position(right_wrist)' --samples 50 --json",
             clips);
    char *text = answer_of(line);
    /* The query first, and nearly all other reaches, each once and nothing else. */
    int found = count_of(text, "\"clip\":\"reach_right\"");
    assert_true(found >= REACHES - 3 && found <= REACHES);
    assert_int_equal(count_of(text, "\"clip\":\"kicks\""), 0);
    const char *first = value_of(text, "examples");
    char start[64];
    snprintf(start, sizeof start, "[{\"clip\":\"reach_right\",\"id\":1,\"start\":%d,",
             atoi(strchr(clips, '#') + 1));
    assert_true(strncmp(first, start, strlen(start)) == 0);
    assert_true(number_of(text, "faults") == 0);
    free(text);
    snprintf(strstr(line, "--threshold 25"), 400,
             "--threshold 0.001 --feature 'position(right_wrist)'");
    check_failure(line, 1, "nothing is like the query within 0.001");
    check_failure("marey param build demo.marey found --query none#0-90 --feature 'duration()'", 1,
                  "none");
    check_failure("marey param build demo.marey found --query kicks#0-90 --threshold 0 --feature "
                  "'duration()'",
                  2, "--threshold");
}

/* ---- making ------------------------------------------------------------------------------------------ */

/* The places of a joint in a file that `marey positions` wrote. */
static float *read_positions(const char *path, char **bytes)
{
    size_t count;
    *bytes = test_file_read(path, &count);
    uint16_t header;
    memcpy(&header, *bytes + 8, 2);
    return (float *)(void *)(*bytes + 10 + header);
}

static void a_made_clip_really_reaches(void **state)
{
    (void)state;
    char clips[512], line[1024], *bytes;
    name_reaches(12, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey world --clips %s --feature "
             "'position(right_wrist, apex, world)' --json",
             clips);
    char *built = answer_of(line);
    double first[3], second[3];
    numbers_of(built, "values", 3, first);
    numbers_of(strstr(strstr(built, "\"values\"") + 1, "\"values\"") - 1, "values", 3, second);
    snprintf(line, sizeof line,
             "marey param make demo.marey world --at %.3f,%.3f,%.3f -o made.bvh --json",
             (3 * first[0] + second[0]) / 4, (3 * first[1] + second[1]) / 4,
             (3 * first[2] + second[2]) / 4);
    char *made = answer_of(line);
    char *told = answer_of("marey positions made.bvh -o made.npy --json");
    double target[3], reached[3], shape[3], weights[12], sum = 0, least = INFINITY;
    numbers_of(made, "target", 3, target);
    numbers_of(made, "reached", 3, reached);
    numbers_of(made, "weights", 12, weights);
    numbers_of(told, "shape", 3, shape);
    for (int i = 0; i < 12; i++) sum += weights[i];
    assert_true(fabs(sum - 1) < 1e-6);
    float *places = read_positions("made.npy", &bytes);
    const char *names = value_of(told, "joints"), *hand = strstr(names, "\"RightHand\"");
    int joint = 0;
    for (const char *at = names; at < hand; at++) joint += *at == ',';
    for (int f = 0; f < (int)shape[0]; f++) {
        const float *p = places + ((size_t)f * (size_t)shape[1] + (size_t)joint) * 3;
        least = fmin(least, hypot(hypot(p[0] - reached[0], p[1] - reached[1]), p[2] - reached[2]));
    }
    if (!(least < 0.5)) fail_msg("the hand passes %g cm from there", least);
    assert_true(number_of(made, "slide_after_cm") <= 0.3);
    assert_true(number_of(made, "jump_ratio") <= 1.2);
    assert_true(number_of(made, "frames") == shape[0]);
    free(bytes);
    free(told);
    free(made);
    free(built);
}

static void an_answer_is_near_and_the_table_is_not_so_near(void **state)
{
    (void)state;
    char *fine = answer_of("marey param make demo.marey reach --at -15,125,48 -o a.bvh --json");
    char *plain =
        answer_of("marey param make demo.marey reach --at -15,125,48 --table -o b.bvh --json");
    assert_true(number_of(fine, "error_cm") < 0.2 && number_of(fine, "error_cm") >= 0);
    assert_true(number_of(plain, "error_cm") > number_of(fine, "error_cm"));
    assert_true(fabs(number_of(plain, "table_error") - number_of(fine, "table_error")) < 1e-9);
    assert_non_null(strstr(fine, "\"outside\":false"));
    assert_non_null(strstr(fine, "\"error_unit\":\"cm\""));
    free(fine);
    free(plain);
}

/* What is told of a projected request is what its weights do, whatever else was tried on the way. */
static void a_request_outside_is_told_as_it_is(void **state)
{
    (void)state;
    static const char *const places[] = { "20,190,90", "-60,60,0", "0,120,10", "-20,85,70" };
    char clips[512], line[1024];
    name_reaches(12, "right", clips, sizeof clips);
    /* In the middle of the way the hand is fast, so another moment is another place. */
    snprintf(line, sizeof line,
             "marey param build demo.marey way --clips %s --feature "
             "'position(right_wrist, 45, start)' --quiet",
             clips);
    run_well(line);
    marey_ctx *ctx = test_ctx();
    marey_library *library = NULL;
    marey_parts *parts = NULL;
    marey_family *family = NULL;
    assert_int_equal(marey_library_open(ctx, "demo.marey", MAREY_LIBRARY_READ, &library, NULL), 0);
    assert_int_equal(marey_library_family(library, "way", &parts, &family, NULL), 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double reached[3], weights[12], values[3];
        int motions[12];
        snprintf(line, sizeof line,
                 "marey param make demo.marey way --at %s --no-clean -o o.bvh --json", places[i]);
        char *text = answer_of(line);
        assert_non_null(strstr(text, "\"outside\":true"));
        numbers_of(text, "reached", 3, reached);
        numbers_of(text, "weights", 12, weights);
        for (int k = 0; k < 12; k++) motions[k] = k;
        assert_int_equal(marey_family_values(ctx, family, motions, weights, 12, values, NULL), 0);
        for (int d = 0; d < 3; d++) {
            if (!(fabs(values[d] - reached[d]) < 0.01))
                fail_msg("at %s: %g, not %g", places[i], reached[d], values[d]);
        }
        assert_true(number_of(text, "error_cm") <= number_of(text, "table_error") + 1e-6);
        free(text);
    }
    marey_family_free(family);
    marey_parts_free(parts);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

static void errors_of_several_units_are_no_centimetres(void **state)
{
    (void)state;
    char clips[512], line[1024];
    name_reaches(6, "right", clips, sizeof clips);
    snprintf(line, sizeof line,
             "marey param build demo.marey two --clips %s --feature 'height(right_wrist)' "
             "--feature 'duration()' --samples 40 --quiet",
             clips);
    run_well(line);
    char *text = answer_of("marey param make demo.marey two --at 120,2.3 -o two.bvh --json");
    assert_non_null(strstr(text, "\"error_cm\":null,\"error\":"));
    assert_non_null(strstr(text, "\"error_unit\":\"% of the box\""));
    free(text);
    text = answer_of("marey param check demo.marey two --count 10 --json");
    assert_non_null(strstr(text, "\"median_error_cm\":null,\"p95_error_cm\":null"));
    assert_true(number_of(text, "median_error") >= 0);
    free(text);
}

static void a_made_clip_remembers_its_examples(void **state)
{
    (void)state;
    size_t count;
    char *made = answer_of("marey param make demo.marey reach --at -15,125,48 -o demo.marey:grab "
                           "--json");
    assert_non_null(strstr(made, "\"path\":\"demo.marey:grab\""));
    char *plants = answer_of("marey contacts -L demo.marey grab --json");
    assert_non_null(strstr(plants, "\"from\":\"library\""));
    assert_true(count_of(plants, "\"joint\"") == count_of(made, "\"joint\""));
    run_well("marey param make demo.marey reach --at -15,125,48 -o grab.bvh --provenance --quiet");
    char *text = test_file_read("grab.bvh.provenance.json", &count);
    assert_non_null(strstr(text, "{\"made_by\":\"param make\",\"version\":\""));
    assert_non_null(strstr(text, "\"family\":\"reach\",\"sources\":[{\"library\":\"demo.marey\","
                                 "\"clip\":\"reach_right\",\"start\":"));
    assert_non_null(strstr(text, "\"settings\":{\"at\":\"-15,125,48\"}"));
    double sum = 0;
    for (const char *at = text; (at = strstr(at, "\"weight\":")); at++)
        sum += strtod(at + strlen("\"weight\":"), NULL);
    assert_true(fabs(sum - 1) < 1e-3);
    free(text);
    free(plants);
    free(made);
}

static void a_grid_is_a_file_for_each_point_and_a_page(void **state)
{
    (void)state;
    size_t count;
    char *text = answer_of("marey param make demo.marey reach --grid 2x3x1 -o grid --json");
    assert_true(number_of(text, "motions") == 6);
    assert_int_equal(test_folder_count("grid"), 7);
    char *page = test_file_read("grid/grid.json", &count);
    assert_true(is_one_json_object(page));
    assert_int_equal(count_of(page, "\"file\":\""), 6);
    assert_true(count_of(page, "\"outside\":true") == number_of(text, "outside"));
    assert_non_null(strstr(page, "{\"index\":[1,2,0],\"file\":\"reach_1_2_0.bvh\",\"target\":["));
    double x[2], y[3], z[1], target[3];
    const char *axes = value_of(page, "axes");
    numbers_of(axes, "values", 2, x);
    numbers_of(axes = strstr(axes, "\"values\"") + 1, "values", 3, y);
    numbers_of(strstr(axes, "\"values\"") + 1, "values", 1, z);
    numbers_of(strstr(page, "[1,2,0]"), "target", 3, target);
    assert_true(target[0] == x[1] && target[1] == y[2] && target[2] == z[0]);
    /* Each is what --at gives. */
    char line[256];
    snprintf(line, sizeof line,
             "marey param make demo.marey reach --at %.17g,%.17g,%.17g -o one.bvh --quiet", x[1],
             y[2], z[0]);
    run_well(line);
    size_t one_count;
    char *one = test_file_read("one.bvh", &one_count);
    char *other = test_file_read("grid/reach_1_2_0.bvh", &count);
    assert_true(one_count == count && memcmp(one, other, count) == 0);
    free(one);
    free(other);
    free(page);
    free(text);
    run_well("marey param make demo.marey reach --grid 2x1x1 -o gltf --format glb --provenance "
             "--quiet");
    assert_int_equal(access("gltf/reach_1_0_0.glb.provenance.json", F_OK), 0);
}

/* ---- judging ----------------------------------------------------------------------------------------- */

static void check_tells_how_near_answers_are(void **state)
{
    (void)state;
    char *text = answer_of("marey param check demo.marey reach --count 60 --json");
    assert_true(number_of(text, "count") == 60 && number_of(text, "invalid") == 0);
    assert_true(number_of(text, "median_error_cm") <= 0.5);
    assert_true(number_of(text, "p95_error_cm") <= 1.5);
    assert_true(number_of(text, "median_error_cm") < number_of(text, "table_median_error_cm"));
    assert_true(number_of(text, "worst_error_cm") >= number_of(text, "p95_error_cm"));
    free(text);
}

static void pruning_keeps_what_is_needed(void **state)
{
    (void)state;
    char *text = answer_of("marey param prune demo.marey reach --tolerance 2 --as small --json");
    int kept = count_of(text, "\"clip\":");
    assert_true(kept >= 4 && kept < REACHES && number_of(text, "pruned") == REACHES - kept);
    assert_true(number_of(text, "bytes") < number_of(text, "bytes_before"));
    free(text);
    char *list = answer_of("marey param ls demo.marey --long");
    assert_non_null(strstr(list, "reach  (13 examples"));
    assert_non_null(strstr(list, "small  ("));
    assert_int_equal(count_of(list, "    reach_right#"), REACHES + kept);
    free(list);
    text = answer_of("marey param check demo.marey small --count 20 --json");
    assert_true(number_of(text, "p95_error_cm") <= 1.5);
    free(text);
    /* In its own place. */
    run_well("marey param prune demo.marey small --tolerance 10 --quiet");
    run_well("marey param make demo.marey small --at -15,125,48 -o small.bvh --quiet");
}

static void a_kick_among_reaches_is_found_and_dropped(void **state)
{
    (void)state;
    char clips[512], kicks[128], line[1024];
    name_reaches(8, "right", clips, sizeof clips);
    name_reaches(1, NULL, kicks, sizeof kicks);
    snprintf(line, sizeof line,
             "marey param build demo.marey odd --clips %s --clips %s --feature "
             "'position(right_wrist)' --samples 50 --json",
             clips, kicks);
    char *text = answer_of(line);
    assert_true(number_of(text, "faults") > 0);
    free(text);
    text = answer_of("marey param examine demo.marey odd --json");
    const char *kick = strstr(text, "\"clip\":\"kicks\"");
    assert_true(number_of(kick, "blamed") > 0.5);
    assert_true(number_of(text, "blamed") <= 0.5);
    assert_non_null(strstr(text, "\"kind\":\"foot\""));
    free(text);
    text = answer_of("marey param examine demo.marey odd");
    assert_non_null(strstr(text, "one stands on a foot while the other swings it"));
    assert_non_null(strstr(text, "most blends of kicks#"));
    free(text);
    text = answer_of("marey param examine demo.marey reach");
    assert_string_equal(text, "all 13 examples blend well with their neighbours\n");
    free(text);
    snprintf(strstr(line, " --json"), 32, " --drop-faulty --json");
    text = answer_of(line);
    assert_non_null(strstr(text, "\"faults\":0,\"dropped\":[{\"clip\":\"kicks\""));
    assert_int_equal(count_of(text, "\"values\":["), 8);
    free(text);
}

/* ---- labels ------------------------------------------------------------------------------------------ */

static void numbers_that_people_gave_are_parameters(void **state)
{
    (void)state;
    char clips[512];
    name_reaches(4, "right", clips, sizeof clips);
    for (int i = 0; i < 4; i++) {
        char line[256];
        const char *one = strtok(i ? NULL : clips, ",");
        snprintf(line, sizeof line, "marey cut demo.marey %s r%d --quiet", one, i);
        run_well(line);
        if (i == 3) break;
        snprintf(line, sizeof line, "marey label demo.marey r%d --add mood=%g --add grab --quiet",
                 i, 0.5 * i);
        run_well(line);
    }
    char *text = answer_of("marey param build demo.marey mood --label grab --feature 'label(mood)' "
                           "--json");
    assert_int_equal(count_of(text, "\"values\":["), 3);
    assert_non_null(strstr(text, "\"values\":[0.5]"));
    assert_true(number_of(text, "samples") == 3);
    free(text);
    text = answer_of("marey param make demo.marey mood --at 0.75 -o m.bvh --json");
    double reached[1], weights[3];
    numbers_of(text, "reached", 1, reached);
    numbers_of(text, "weights", 3, weights);
    assert_true(fabs(reached[0] - 0.75) < 0.02);
    assert_true(fabs(0.5 * weights[1] + weights[2] - reached[0]) < 1e-6);
    free(text);
    check_failure("marey param build demo.marey mood --clips r0,r1,r3 --feature 'label(mood)'", 1,
                  "r3: has no label that says what mood is; marey label --add mood=0.7");
    run_well("marey param prune demo.marey mood --tolerance 60 --as less --quiet");
}

/* ---- what cannot be ---------------------------------------------------------------------------------- */

static void wrong_requests_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
        const char *message;
    } wrong[] = {
        { "marey param", 2, "say which: param features, build, make" },
        { "marey param biuld", 2, "did you mean \"param build\"" },
        { "marey param features more", 2, "too many names, from \"more\" on" },
        { "marey param build demo.marey a --clips reach_right#0-90,reach_right#100-190", 2,
          "--feature is needed" },
        { "marey param build demo.marey a --feature 'duration()'", 2, "which examples? --clips" },
        { "marey param build demo.marey a --feature 'positon(right_wrist)' --label reach", 2,
          "position" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks --label kick", 2,
          "--clips names all examples" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks --threshold 3", 2,
          "--threshold is for --query" },
        { "marey param build demo.marey a --feature 'duration()' --clips kick#0-90,kicks", 1,
          "kicks" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks#0-9000,kicks", 1,
          "kicks: " },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks#0-90,,kicks", 1,
          "a comma without a clip" },
        { "marey param build demo.marey a --feature 'duration()' --clips kicks#0-90", 1, "2" },
        { "marey param build demo.marey a --feature 'duration()' --label none", 1,
          "no clip has the label none" },
        { "marey param build demo.marey a --feature 'position(tail)' --clips "
          "kicks#0-90,kicks#5-99",
          1, "tail" },
        { "marey param build demo.marey a --feature 'height(head)' --clips kicks#0-90,kicks#0-90",
          1, "same" },
        { "marey param build none.marey a --feature 'duration()' --label kick", 1, "none.marey" },
        { "marey param build demo.marey a#b --feature 'duration()' --clips kicks#0-90,kicks#5-99",
          1, "#" },
        { "marey param make demo.marey reach --at 1,2,3", 2, "-o OUT is needed" },
        { "marey param make demo.marey reach -o a.bvh", 2, "--at X,Y,... or --grid" },
        { "marey param make demo.marey reach --at 1,2 -o a.bvh", 2,
          "--at takes 3 numbers for this family (position(right_wrist, apex, start).x cm, " },
        { "marey param make demo.marey reach --at 1,2,nan -o a.bvh", 2, "--at takes 3 numbers" },
        { "marey param make demo.marey reach --at 1,2,3,4 -o a.bvh", 2, "--at takes 3 numbers" },
        { "marey param make demo.marey reach --at 1,2,3 --grid 2 -o a", 2, "one of these" },
        { "marey param make demo.marey reach --grid 2x2 -o a", 2, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 2x2x -o a", 2, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 0 -o a", 2, "each of the 3 numbers" },
        { "marey param make demo.marey reach --grid 100 -o a", 2, "more than 10000 motions" },
        { "marey param make demo.marey reach --at 1,2,3 --format glb -o a.bvh", 2,
          "--format is for the files of --grid" },
        { "marey param make demo.marey raech --at 1,2,3 -o a.bvh", 1, "reach" },
        { "marey param make demo.marey reach --at 1,2,3 -o a.xyz", 1, "a.xyz" },
        { "marey param check demo.marey reach --count 0", 2, "--count" },
        { "marey param prune demo.marey reach", 2, "--tolerance is needed" },
        { "marey param prune demo.marey reach --tolerance 0", 2, "--tolerance" },
        { "marey param examine demo.marey none", 1, "none" },
        { "marey param rm demo.marey none", 1, "none" },
        { "marey param ls none.marey", 1, "none.marey" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_failure(wrong[i].line, wrong[i].status, wrong[i].message);
    assert_int_equal(access("a.bvh", F_OK), -1);
    assert_int_equal(access("a", F_OK), -1);
}

static void a_family_whose_clip_is_removed_is_listed_and_says_which(void **state)
{
    (void)state;
    run_well("marey rm demo.marey reach_right --quiet");
    run_well("marey param ls demo.marey --json");
    check_failure("marey param make demo.marey reach --at 1,2,3 -o a.bvh", 1,
                  "the family reach needs the clip reach_right");
    run_well("marey restore demo.marey reach_right --quiet");
    run_well("marey rename demo.marey reach_right arm --quiet");
    char *text = answer_of("marey param make demo.marey reach --at -15,125,48 -o a.bvh --json");
    assert_non_null(strstr(text, "\"clip\":\"arm\""));
    free(text);
}

/* ---- when the machine fails -------------------------------------------------------------------------- */

static const char build_line[] =
    "marey param build m.marey f --clips a#0-12,b#0-10 --clips a#20-35 --feature 'duration()' "
    "--samples 4 --prune 0.0001 --drop-faulty --json";

static const char *const lines[] = {
    "marey param features --json",
    "marey param make m.marey f --at 0.2 -o out.bvh --provenance --json",
    "marey param make m.marey f --grid 2 -o out --json",
    "marey param check m.marey f --count 2 --json",
    "marey param examine m.marey f --json",
    "marey param ls m.marey --json",
};
enum { LINES = sizeof lines / sizeof *lines };

static int enter_persons(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("a.bvh", 60);
    write_person("b.bvh", 40);
    run_well("marey add m.marey a.bvh b.bvh --quiet");
    run_well(build_line);
    *state = &place;
    return 0;
}

static void check_files(const test_run *run, void *user)
{
    (void)user;
    if (run->status != 0 && access("out/grid.json", F_OK) == 0) fail_msg("a grid that failed");
    if (access("out", F_OK) == 0) test_folder_remove("out");
    unlink("out.bvh");
    unlink("out.bvh.provenance.json");
    assert_int_equal(test_folder_count("."), 3); /* two clips and the library */
}

static void refused_memory_ends_with_status_3(void **state)
{
    (void)state;
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

/* A change is there or not at all, as the exit status says. */
static void sweep_change(const char *line, const char *mark, const char *undo)
{
    for (long refuse = 0;; refuse += 1 + refuse / 32) {
        test_run run = test_run_make();
        run.memory.refuse = refuse;
        test_run_line(&run, line);
        bool done = run.memory.calls <= refuse;
        if (run.status != 0) check_refusal(&run, line);
        char *listed = answer_of("marey param ls m.marey --json");
        assert_true((strstr(listed, mark) != NULL) == (run.status == 0));
        free(listed);
        if (run.status == 0) run_well(undo);
        test_run_free(&run);
        if (done) break;
    }
}

static void a_family_is_kept_or_not_at_all(void **state)
{
    (void)state;
    char other[512];
    snprintf(other, sizeof other, "%s", build_line);
    *strstr(other, " f ") = ' ';
    strstr(other, " f ")[1] = 'g';
    sweep_change(other, "\"name\":\"g\"", "marey param rm m.marey g --quiet");
    sweep_change("marey param prune m.marey f --tolerance 90 --as h --json", "\"name\":\"h\"",
                 "marey param rm m.marey h --quiet");
}

static void full_standard_output_and_a_cancelled_run_are_told(void **state)
{
    (void)state;
    for (int i = 0; i < LINES; i++) {
        test_run full = test_run_make();
        full.out.room = 10;
        if (test_run_line(&full, lines[i]) != 3) fail_msg("%s: %d", lines[i], full.status);
        test_run_free(&full);
    }
    static const char *const long_lines[] = {
        "marey param make m.marey f --at 0.2 -o out.bvh",
        "marey param make m.marey f --grid 2 -o out",
        "marey param check m.marey f",
        "marey param build m.marey f --clips a#0-12,b#0-10 --feature 'duration()'",
    };
    for (size_t i = 0; i < sizeof long_lines / sizeof *long_lines; i++) {
        test_run gone = test_run_make();
        gone.cancel = true;
        if (test_run_line(&gone, long_lines[i]) != 130)
            fail_msg("%s: %d", long_lines[i], gone.status);
        test_run_free(&gone);
    }
}

#define DEMO(name) cmocka_unit_test_setup_teardown(name, enter_demo, leave)
#define PERSONS(name) cmocka_unit_test_setup_teardown(name, enter_persons, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_the_librarys),
        DEMO(the_demo_has_a_ready_family),
        DEMO(a_built_family_is_what_the_answer_says),
        DEMO(a_search_finds_the_examples),
        DEMO(one_thread_and_two_make_the_same),
        DEMO(a_made_clip_really_reaches),
        DEMO(an_answer_is_near_and_the_table_is_not_so_near),
        DEMO(a_request_outside_is_told_as_it_is),
        DEMO(errors_of_several_units_are_no_centimetres),
        DEMO(a_made_clip_remembers_its_examples),
        DEMO(a_grid_is_a_file_for_each_point_and_a_page),
        DEMO(check_tells_how_near_answers_are),
        DEMO(pruning_keeps_what_is_needed),
        DEMO(a_kick_among_reaches_is_found_and_dropped),
        DEMO(numbers_that_people_gave_are_parameters),
        DEMO(wrong_requests_are_refused_by_name),
        DEMO(a_family_whose_clip_is_removed_is_listed_and_says_which),
        PERSONS(refused_memory_ends_with_status_3),
        PERSONS(a_family_is_kept_or_not_at_all),
        PERSONS(full_standard_output_and_a_cancelled_run_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
