/* test_studio_families.c - families through the studio's addresses: what is built is what the
   library and the program build, what is listed is what is kept. That they are built by a job is in
   test_studio_family_jobs.c, asking them for motion in test_studio_family_make.c. */
#include "family_bench.h"

/* ---- features -------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, features_are_those_of_the_library)
{
    const json_t *got = ask(b, do_param_features, "{}");
    const marey_param_kind *kind;
    int i = 0;
    for (; (kind = marey_param_kind_find(i)); i++) {
        const json_t *one = item(got, "features", (size_t)i);
        assert_string_equal(word(one, "about"), kind->about);
        expect(one, "{'name': '%s', 'form': '%s', 'unit': '%s', 'dims': %d, 'whole': %s}",
               kind->name, kind->form, kind->unit, kind->dims, kind->whole ? "true" : "false");
        assert_int_equal(size_of(one, "axes"), kind->dims);
        assert_string_equal(json_string_value(item(one, "axes", 0)), kind->axes[0]);
    }
    assert_int_equal(size_of(got, "features"), i);
    assert_int_equal(size_of(got, "moments"), MAREY_WHEN_COUNT - 1);
    assert_int_equal(size_of(got, "places"), MAREY_FROM_COUNT);
    assert_int_equal(size_of(got, "amounts"), MAREY_AMOUNT_COUNT);
    assert_string_equal(word(item(got, "moments", 2), "name"), "apex");
    assert_string_equal(json_string_value(item(got, "amounts", 2)), "greatest");
    assert_int_equal(size_of(got, "amounts_about"), MAREY_AMOUNT_COUNT);
    assert_true(strlen(json_string_value(item(got, "amounts_about", 2))) > 8);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

typedef struct judge {
    marey_parts *parts;
    marey_family *family;
} judge;

static judge judge_open(api_bench *b, const char *name)
{
    judge of = { .parts = NULL };
    marey_error error;
    if (marey_library_family(b->by.library, name, &of.parts, &of.family, &error) != MAREY_OK) {
        fail_msg("%s", error.message);
    }
    return of;
}

static void judge_free(judge *of)
{
    marey_family_free(of->family);
    marey_parts_free(of->parts);
}
OWNED_VALUE(judge, judge_free)

static void check_examples(const json_t *got, const judge *of)
{
    int count, dims = marey_family_dims(of->family), examples = of->parts->count;
    const double *values = marey_family_samples(of->family, &count);
    assert_int_equal(size_of(got, "examples"), examples);
    for (int i = 0; i < examples; i++) {
        const json_t *one = item(got, "examples", (size_t)i);
        const marey_part *part = &of->parts->parts[i];
        expect(one, "{'id': %" PRId64 ", 'clip': '%s', 'start': %d, 'end': %d, 'frames': %d}",
               part->clip, of->parts->names[i].name, part->start, part->end,
               marey_clip_frames(of->parts->clips[i]));
        same_numbers(json_object_get(one, "values"), values + i * dims, dims);
    }
    assert_int_equal(number(got, "samples"), count);
    assert_int_equal(size_of(got, "sample_values"), count - examples);
    for (int i = examples; i < count; i++)
        same_numbers(item(got, "sample_values", (size_t)(i - examples)), values + i * dims, dims);
}

static void check_dims(const json_t *got, const judge *of)
{
    int count, dims = marey_family_dims(of->family);
    const double *values = marey_family_samples(of->family, &count);
    assert_int_equal(number(got, "dims"), dims);
    assert_int_equal(size_of(got, "axes"), dims);
    for (int d = 0; d < dims; d++) {
        const char *unit, *name = marey_family_dim(of->family, d, &unit);
        double low = INFINITY, high = -INFINITY, least = INFINITY, greatest = -INFINITY;
        for (int i = 0; i < count; i++) {
            double value = values[i * dims + d];
            bool example = i < of->parts->count;
            least = fmin(least, value);
            greatest = fmax(greatest, value);
            low = example ? fmin(low, value) : low;
            high = example ? fmax(high, value) : high;
        }
        expect(item(got, "axes", (size_t)d),
               "{'name': '%s', 'unit': '%s', 'low': %.17g, 'high': %.17g, 'least': %.17g, "
               "'greatest': %.17g}",
               name, unit, low, high, least, greatest);
    }
}

/* What an answer says of a family against the library's own. */
static void check_family(api_bench *b, const json_t *got, const char *name)
{
    OWNED(judge) of = judge_open(b, name);
    check_examples(got, &of);
    check_dims(got, &of);
    expect(got, "{'name': '%s', 'skeleton': {'id': %" PRId64 "}, 'delta': %.17g}", name,
           of.parts->parts[0].clip, marey_family_settings(of.family)->delta);
}

TEST_OF(api_bench *b, a_family_is_described_whole)
{
    const json_t *got = ask(b, do_param_show, "{'name': 'reach'}"), *param = item(got, "params", 0);
    check_family(b, got, "reach");
    expect(got, "{'features': ['position(right_wrist, apex, start)'], 'error_unit': 'cm'}");
    expect(param, "{'kind': 'position', 'when': 'apex', 'from': 'start', 'amount': null, "
                  "'label': null}");
    const json_t *clip = ask(b, api_clip, "/$reach_right");
    const json_t *joint = item(clip, "joints", (size_t)number(param, "number"));
    assert_string_equal(word(param, "joint"), word(joint, "name"));
    expect(clip, "{'roles': {'right_wrist': %g}}", number(param, "number"));
    expect(item(got, "axes", 2), "{'axis': 'z', 'feature': 0}");
    refused(b, 404, "input", "missing", do_param_show, "{'name': 'missing'}");
    refused(b, 400, "request", "name", do_param_show, "{}");
}

TEST_OF(api_bench *b, the_list_has_what_is_saved)
{
    bench_program("marey param build lib.marey two --clips " FIVE_CLIPS
                  " --feature 'speed(right_wrist, greatest)' --feature 'place()' --samples 50 "
                  "--quiet");
    const json_t *got = ask(b, do_param_ls, "{}"), *one = item(got, "spaces", 1);
    OWNED(judge) of = judge_open(b, "two");
    int samples;
    marey_family_samples(of.family, &samples);
    assert_int_equal(size_of(got, "spaces"), 2);
    expect(one, "{'name': 'two', 'samples': %d}", samples);
    assert_int_equal(size_of(one, "features"), 2);
    assert_int_equal(size_of(one, "examples"), 5);
    assert_int_equal(size_of(one, "axes"), marey_family_dims(of.family));
    for (int d = 0; d < marey_family_dims(of.family); d++) {
        const char *unit, *name = marey_family_dim(of.family, d, &unit);
        expect(item(one, "axes", (size_t)d), "{'name': '%s', 'unit': '%s'}", name, unit);
    }
    expect(item(one, "examples", 4),
           "{'id': %" PRId64 ", 'clip': 'reach_right', 'start': 1222, 'removed': false}",
           bench_id(b, "reach_right"));
    got = ask(b, do_param_show, "{'name': 'two'}");
    assert_string_equal(word(got, "error_unit"), "% of the box");
    check_family(b, got, "two");
    ask(b, do_param_rm, "{'name': 'two'}");
}

/* ---- building -------------------------------------------------------------------------------- */

static void check_faults(api_bench *b, const json_t *got, const char *name)
{
    OWNED(judge) of = judge_open(b, name);
    marey_fault faults[512];
    double blamed[64];
    int count = 0;
    assert_int_equal(marey_family_examine(b->by.ctx, of.family, of.parts->contacts, faults, 512,
                                          &count, blamed, NULL),
                     MAREY_OK);
    same_numbers(json_object_get(got, "blamed"), blamed, of.parts->count);
    assert_int_equal(number(got, "faults"), count);
    assert_int_equal(size_of(got, "fault_list"), count);
    for (int i = 0; i < count; i++) {
        const json_t *one = item(got, "fault_list", (size_t)i);
        const char *about, *kind = marey_fault_name(faults[i].kind, &about);
        expect(one, "{'kind': '%s', 'about': '%s', 'example': %d, 'with': %d}", kind, about,
               faults[i].example, faults[i].with);
        assert_non_null(strstr(word(one, "text"), about));
        assert_non_null(strstr(word(one, "text"), "reach_right#"));
    }
}

/* `options` and `line` say the same. */
static void check_build(api_bench *b, const char *options, const char *line)
{
    const json_t *got = build_family(b, "{'name': 'ours', %s}", options);
    bench_program("marey param build lib.marey theirs %s --quiet", line);
    check_family(b, got, "ours");
    check_faults(b, got, "ours");
    assert_int_equal(size_of(got, "left_out"), 0);
    assert_true(number(got, "seconds") >= 0);
    same_saved(b, MAREY_KEPT_FAMILY, "ours", "theirs", NULL);
}

TEST_OF(api_bench *b, families_are_built_as_the_program_does)
{
    check_build(b, FIVE_PARTS ", " WRIST ", 'samples': 60",
                "--clips " FIVE_CLIPS
                " --feature 'position(right_wrist, apex, start)' --samples 60");
    check_build(b,
                FIVE_PARTS ", 'feature': ['height(right_wrist)', 'duration()'], 'samples': 40, "
                           "'delta': 0, 'grow': 0.5",
                "--clips " FIVE_CLIPS " --feature 'height(right_wrist)' --feature 'duration()' "
                "--samples 40 --delta 0 --grow 0.5");
}

/* Labels of clips are the values; the list says so as for any other. */
TEST_OF(api_bench *b, labels_are_parameters)
{
    static const char body[] =
        "{'name': 'mood', 'feature': ['label(mood)'], 'clips': [$one, $two]}";
    bench_program("marey cut lib.marey reach_right#131-276 one");
    bench_program("marey cut lib.marey reach_right#379-520 two");
    bench_program("marey label lib.marey one --add mood=0.25");
    family_refused(b, do_param_build, "request", "two has no label", body);
    bench_program("marey label lib.marey two --add mood=0x1");
    family_refused(b, do_param_build, "request", "two has no label", body);
    bench_program("marey label lib.marey two --add mood=-1.5e0");
    const json_t *got = build_family(b, body);
    /* values are kept in steps of the box */
    test_near(number_at(json_object_get(item(got, "examples", 0), "values"), 0), 0.25, 1e-3);
    test_near(number_at(json_object_get(item(got, "examples", 1), "values"), 0), -1.5, 1e-3);
    assert_string_equal(word(item(got, "params", 0), "label"), "mood");
    assert_int_equal(number(item(got, "examples", 0), "end"), 145);
    ask(b, do_param_rm, "{'name': 'mood'}");
    bench_program("marey rm lib.marey one two");
}

/* ---- judging --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_family_is_judged_and_pruned)
{
    OWNED(judge) of = judge_open(b, "reach");
    marey_family_check check;
    assert_int_equal(marey_family_try(b->by.ctx, of.family, 20, 3, NULL, &check, NULL), MAREY_OK);
    expect(ask_job(b, do_param_check, "{'name': 'reach', 'count': 20, 'seed': 3}"),
           "{'count': 20, 'median_error_cm': %.17g, 'table_worst_error': %.17g}", check.median,
           check.table_worst);
    const json_t *got = ask_job(b, do_param_examine, "{'name': 'reach'}");
    assert_int_equal(size_of(got, "examples"), of.parts->count);
    assert_int_equal(size_of(got, "faults"), 0);
    got = ask_job(b, do_param_prune, "{'name': 'reach', 'tolerance': 2, 'as': 'ours'}");
    assert_int_equal(size_of(got, "examples") + (size_t)number(got, "pruned"), of.parts->count);
    bench_program("marey param prune lib.marey reach --tolerance 2 --as theirs --quiet");
    same_saved(b, MAREY_KEPT_FAMILY, "ours", "theirs", NULL);
}

/* ---- from a search --------------------------------------------------------------------------- */

static json_t *found(api_bench *b)
{
    return ask(b, do_search,
               "{'query': {'clip': $reach_right, 'start': 131, 'end': 276}, 'threshold': 80}");
}

/* The tree of the kept family is the library's own of the match graph. */
static void check_tree(api_bench *b, const char *name, int64_t search, const int *matches,
                       int count)
{
    const marey_finding *finding = NULL;
    studio_response response = { .body = { .memory = &b->of.memory } };
    int parents[64];
    OWNED(judge) of = judge_open(b, name);
    assert_true(searching_recall(&b->by, search, &finding, &response));
    assert_int_equal(marey_finding_parents(finding, matches, count, parents, NULL), MAREY_OK);
    searching_leave(&b->by);
    const marey_registration *tree = marey_family_registration(of.family);
    assert_int_equal(of.parts->count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(marey_registration_parent(tree, i), parents[i]);
}

TEST_OF(api_bench *b, matches_become_examples_along_the_match_graph)
{
    const json_t *hits = found(b);
    int64_t search = whole(hits, "search");
    int count = (int)size_of(hits, "matches"), every[64];
    assert_true(count >= 6 && count <= 64);
    const json_t *got = build_family(
        b, "{'name': 'all', 'search': %" PRId64 ", " WRIST ", 'samples': 0, 'keep_all': true}",
        search);
    for (int i = 0; i < count; i++) {
        const json_t *match = item(hits, "matches", (size_t)i);
        every[i] = i;
        expect(item(got, "examples", (size_t)i), "{'start': %g, 'end': %g}", number(match, "start"),
               number(match, "end"));
    }
    check_tree(b, "all", search, every, count);
    got = build_family(
        b, "{'name': 'some', 'search': %" PRId64 ", 'matches': [5, 2, 3], " WRIST ", 'samples': 0}",
        search);
    expect(item(got, "examples", 0), "{'start': %g}", number(item(hits, "matches", 2), "start"));
    check_tree(b, "some", search, (int[]){ 2, 3, 5 }, 3);
}

/* Removed since they were found. */
TEST_OF(api_bench *b, matches_whose_clip_is_gone_are_left_out)
{
    size_t left = 0;
    bench_program("marey convert -L lib.marey reach_right#340-820 lib.marey:piece");
    ask_job(b, do_index, "{}");
    int64_t piece = bench_id(b, "piece");
    const json_t *hits = found(b);
    bench_program("marey rm lib.marey piece");
    const json_t *got = build_family(
        b, "{'name': 'rest', 'search': %" PRId64 ", " WRIST ", 'samples': 0, 'keep_all': true}",
        whole(hits, "search"));
    for (size_t i = 0; i < size_of(hits, "matches"); i++) {
        if (whole(item(hits, "matches", i), "id") != piece) continue;
        expect(item(got, "left_out", left++), "{'match': %zu, 'reason': 'gone'}", i);
    }
    assert_true(left > 0);
    assert_int_equal(size_of(got, "left_out"), left);
    assert_int_equal(size_of(got, "examples"), size_of(hits, "matches") - left);
}

TEST_OF(api_bench *b, invalid_searches_are_refused)
{
    int64_t search = whole(found(b), "search");
    static const api_refusal rows[] = {
        { ", 'matches': [0, 9999]", "no match 9999" },
        { ", 'matches': [0, 1, 1]", "twice" },
        { ", 'matches': [0]", "matches must be 2 to 256 whole numbers, got 1" },
        { ", 'matches': [0, -1]", "matches must be numbers from 0" },
        { ", 'matches': [0, 1.5]", "matches must be 2 to 256 whole numbers" },
        { ", 'clips': [{'clip': 1}, {'clip': 1}]", "clips names all examples" },
    };
#define SEARCH "{'name': 'x', 'search': %" PRId64 ", " WRIST "%s}"
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        family_refused(b, do_param_build, "request", rows[i][1], SEARCH, search, rows[i][0]);
    family_refused(b, do_param_build, "input", "not remembered", SEARCH, search + 1, "");
    /* the clip of all matches is gone: none can be an example */
    bench_program("marey rm lib.marey reach_right");
    family_refused(b, do_param_build, "request", "of these matches 0", SEARCH, search, "");
    bench_program("marey restore lib.marey reach_right");
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const struct {
        const char *body, *status, *says;
    } rows[] = {
        { " ", "request", "no JSON" },
        { "{}", "request", "name is missing" },
        { "{'name': 'x', " FIVE_PARTS "}", "request", "feature is missing" },
        { "{'name': 'x', " WRIST "}", "request", "which examples" },
        { "{'name': 'x', " WRIST ", 'matches': [0, 1], " FIVE_PARTS "}", "request",
          "matches is only for query" },
        { "{'name': 'x', 'feature': [], " FIVE_PARTS "}", "request", "feature must be" },
        { "{'name': 'x', 'feature': [3], " FIVE_PARTS "}", "request",
          "feature must be a list of texts" },
        { "{'name': 'x', 'feature': ['positon(a)'], " FIVE_PARTS "}", "request", "position" },
        { "{'name': 'x', 'feature': ['height(tail)'], " FIVE_PARTS "}", "request", "tail" },
        { "{'name': 'x', " WRIST ", 'clips': [$reach_right]}", "request", "examples must be 2" },
        { "{'name': 'x', " WRIST ", 'clips': [$reach_right, 3.5]}", "request", "clips must be" },
        { "{'name': 'x', " WRIST ", 'clips': [$reach_right, {'start': 3}]}", "request",
          "clips must be" },
        { "{'name': 'x', " WRIST ", 'clips': [$reach_right, {'clip': 999}]}", "input", "999" },
        { "{'name': 'x', " WRIST
          ", 'clips': [$reach_right, {'clip': $reach_right, 'start': 5, 'end': 99999}]}",
          "request", "outside the clip" },
        { "{'name': 'x', " WRIST ", 'clips': [$reach_right, $slide]}", "shape", "" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'samples': 100001}", "request", "samples" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'delta': -1}", "request", "delta" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'grow': 0}", "request", "grow" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'wish': 1}", "request", "unknown field wish" },
        { "{'name': '', " WRIST ", " FIVE_PARTS ", 'samples': 0}", "request", "" },
    };
    size_t before = size_of(ask(b, do_param_ls, "{}"), "spaces");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        family_refused(b, do_param_build, rows[i].status, rows[i].says, "%s", rows[i].body);
    assert_int_equal(size_of(ask(b, do_param_ls, "{}"), "spaces"), before); /* none was saved */
}

/* Named so often that a request would take too long. */
TEST_OF(api_bench *b, families_that_are_too_large_are_refused)
{
    char clips[1024] = "$reach_right";
    for (int i = 1; i < 20; i++) strcat(clips, ", $reach_right");
#define LARGE "{'name': 'x', " WRIST ", 'clips': [%s]}"
    family_refused(b, do_param_build, "limit", "pairs of frames", LARGE, clips);
    for (int i = 20; i < 40; i++) strcat(clips, ", $reach_right");
    family_refused(b, do_param_build, "limit", "frames, and", LARGE, clips);
}

TEST_OF_IN(family_bench_open, api_bench_close, api_bench *b, a_family_can_be_forgotten)
{
    refused(b, 404, "input", "reach", do_param_rm, "{'name': 'reac'}");
    refused(b, 400, "request", "name", do_param_rm, "{}");
    ask(b, do_param_show, "{'name': 'reach'}");
    ask(b, do_param_rm, "{'name': 'reach'}");
    ask_status(b, 404, do_param_show, "{'name': 'reach'}");
    assert_int_equal(size_of(ask(b, do_param_ls, "{}"), "spaces"), 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, refused_memory_is_reported)
{
    STARVE(b, do_param_features, "{}");
    STARVE(b, do_param_ls, "{}");
    studio_response response = api_starve(b, do_param_show, "{'name': 'reach'}");
    check_family(b, answer_take_json(&response, 200), "reach");
}

TEST_GROUP_OF_CASES(test_studio_families, family_bench_open, api_bench_close)
