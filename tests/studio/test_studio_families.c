/* test_studio_families.c - families through the studio's addresses: what is built is what the library and the program build,
   what is listed is what is kept. That they are built by a job is in test_studio_family_jobs.c, asking them for motion in
   test_studio_family_make.c. */
#include "family_bench.h"

/* ---- features ----------------------------------------------------------------------------------- */

#define CASE(name) TEST_IN(family_bench_open, family_bench_close, name)

CASE(features_are_those_of_the_library)
{
    family_bench *all = *state;
    json_t *got = ask_json(all, do_param_features, "{}", 200);
    const marey_param_kind *kind;
    int i = 0;
    for (; (kind = marey_param_kind_find(i)); i++) {
        const json_t *one = item(got, "features", (size_t)i);
        assert_string_equal(word(one, "name"), kind->name);
        assert_string_equal(word(one, "form"), kind->form);
        assert_string_equal(word(one, "about"), kind->about);
        assert_string_equal(word(one, "unit"), kind->unit);
        assert_int_equal(number(one, "dims"), kind->dims);
        assert_int_equal(size_of(one, "axes"), kind->dims);
        assert_string_equal(json_string_value(item(one, "axes", 0)), kind->axes[0]);
        assert_int_equal(json_is_true(json_object_get(one, "whole")), kind->whole);
    }
    assert_int_equal(size_of(got, "features"), i);
    assert_int_equal(size_of(got, "moments"), MAREY_WHEN_COUNT - 1);
    assert_int_equal(size_of(got, "places"), MAREY_FROM_COUNT);
    assert_int_equal(size_of(got, "amounts"), MAREY_AMOUNT_COUNT);
    assert_string_equal(word(item(got, "moments", 2), "name"), "apex");
    assert_string_equal(json_string_value(item(got, "amounts", 2)), "greatest");
    assert_int_equal(size_of(got, "amounts_about"), MAREY_AMOUNT_COUNT);
    assert_true(strlen(json_string_value(item(got, "amounts_about", 2))) > 8);
    json_decref(got);
}

/* ---- what is kept ------------------------------------------------------------------------------- */

typedef struct judge {
    marey_parts *parts;
    marey_family *family;
} judge;

static judge judge_open(family_bench *all, const char *name)
{
    judge of = { .parts = NULL };
    marey_error error;
    if (marey_library_family(all->b.by.library, name, &of.parts, &of.family, &error) != MAREY_OK) {
        fail_msg("%s", error.message);
    }
    return of;
}

static void judge_free(judge *of)
{
    marey_family_free(of->family);
    marey_parts_free(of->parts);
}

static void check_examples(const json_t *got, const judge *of)
{
    int count, dims = marey_family_dims(of->family);
    const double *values = marey_family_samples(of->family, &count);
    assert_int_equal(size_of(got, "examples"), of->parts->count);
    for (int i = 0; i < of->parts->count; i++) {
        const json_t *one = item(got, "examples", (size_t)i);
        assert_int_equal(number(one, "id"), of->parts->parts[i].clip);
        assert_string_equal(word(one, "clip"), of->parts->names[i].name);
        assert_int_equal(number(one, "start"), of->parts->parts[i].start);
        assert_int_equal(number(one, "end"), of->parts->parts[i].end);
        assert_int_equal(number(one, "frames"), marey_clip_frames(of->parts->clips[i]));
        same_numbers(json_object_get(one, "values"), values + i * dims, dims);
    }
    int rest = count - of->parts->count;
    assert_int_equal(number(got, "samples"), count);
    assert_int_equal(size_of(got, "sample_values"), rest);
    for (int i = 0; i < rest; i++) {
        same_numbers(item(got, "sample_values", (size_t)i), values + (of->parts->count + i) * dims,
                     dims);
    }
}

static void check_dims(const json_t *got, const judge *of)
{
    int count, dims = marey_family_dims(of->family);
    const double *values = marey_family_samples(of->family, &count);
    assert_int_equal(number(got, "dims"), dims);
    assert_int_equal(size_of(got, "axes"), dims);
    for (int d = 0; d < dims; d++) {
        const json_t *one = item(got, "axes", (size_t)d);
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
        assert_string_equal(word(one, "name"), name);
        assert_string_equal(word(one, "unit"), unit);
        assert_true(number(one, "low") == low && number(one, "high") == high);
        assert_true(number(one, "least") == least && number(one, "greatest") == greatest);
    }
}

/* What an answer says of a family against the library's own. */
static void check_family(family_bench *all, const json_t *got, const char *name)
{
    judge of = judge_open(all, name);
    assert_string_equal(word(got, "name"), name);
    check_examples(got, &of);
    check_dims(got, &of);
    assert_int_equal(number(json_object_get(got, "skeleton"), "id"), of.parts->parts[0].clip);
    assert_true(number(got, "delta") == marey_family_settings(of.family)->delta);
    judge_free(&of);
}

CASE(a_family_is_told_whole)
{
    family_bench *all = *state;
    json_t *got = show_family(all, "reach", 200);
    const json_t *param = item(got, "params", 0);
    check_family(all, got, "reach");
    assert_string_equal(json_string_value(item(got, "features", 0)),
                        "position(right_wrist, apex, start)");
    assert_string_equal(word(got, "error_unit"), "cm");
    assert_string_equal(word(param, "kind"), "position");
    assert_string_equal(word(param, "when"), "apex");
    assert_string_equal(word(param, "from"), "start");
    assert_true(json_is_null(json_object_get(param, "amount")));
    assert_true(json_is_null(json_object_get(param, "label")));
    json_t *clip = api_json(&all->b, api_clip, all->reach, NULL, NULL, 200);
    const json_t *joint = item(clip, "joints", (size_t)number(param, "number"));
    assert_string_equal(word(param, "joint"), word(joint, "name"));
    assert_int_equal(number(json_object_get(clip, "roles"), "right_wrist"),
                     number(param, "number"));
    assert_string_equal(word(item(got, "axes", 2), "axis"), "z");
    assert_int_equal(number(item(got, "axes", 2), "feature"), 0);
    json_decref(clip);
    json_decref(got);
    api_refused(&all->b, do_param_show, 0, NULL, "{\"name\": \"nobody\"}", 404, "input", "nobody");
    api_refused(&all->b, do_param_show, 0, NULL, "{}", 400, "request", "name");
}

CASE(the_list_has_what_is_kept)
{
    family_bench *all = *state;
    bench_program("marey param build lib.marey two --clips " FIVE_CLIPS
                  " --feature 'speed(right_wrist, greatest)' --feature 'place()' --samples 50 "
                  "--quiet");
    json_t *got = ask_json(all, do_param_ls, "{}", 200);
    assert_int_equal(size_of(got, "spaces"), 2);
    const json_t *one = item(got, "spaces", 1), *clip = item(one, "examples", 4);
    judge of = judge_open(all, "two");
    int samples;
    marey_family_samples(of.family, &samples);
    assert_string_equal(word(one, "name"), "two");
    assert_int_equal(size_of(one, "features"), 2);
    assert_int_equal(size_of(one, "examples"), 5);
    assert_int_equal(number(one, "samples"), samples);
    assert_int_equal(size_of(one, "axes"), marey_family_dims(of.family));
    for (int d = 0; d < marey_family_dims(of.family); d++) {
        const char *unit, *name = marey_family_dim(of.family, d, &unit);
        assert_string_equal(word(item(one, "axes", (size_t)d), "name"), name);
        assert_string_equal(word(item(one, "axes", (size_t)d), "unit"), unit);
    }
    assert_int_equal(number(clip, "id"), all->reach);
    assert_string_equal(word(clip, "clip"), "reach_right");
    assert_int_equal(number(clip, "start"), 1222);
    assert_true(json_is_false(json_object_get(clip, "removed")));
    json_decref(got);
    got = show_family(all, "two", 200);
    assert_string_equal(word(got, "error_unit"), "% of the box");
    check_family(all, got, "two");
    json_decref(got);
    judge_free(&of);
}

/* ---- building ----------------------------------------------------------------------------------- */

static void same_bytes(family_bench *all, const char *left, const char *right)
{
    marey_kept *x = NULL, *y = NULL;
    size_t x_size, y_size;
    marey_library *library = all->b.by.library;
    assert_int_equal(marey_library_kept(library, MAREY_KEPT_FAMILY, left, &x, NULL), MAREY_OK);
    assert_int_equal(marey_library_kept(library, MAREY_KEPT_FAMILY, right, &y, NULL), MAREY_OK);
    const void *a = marey_kept_bytes(x, &x_size), *b = marey_kept_bytes(y, &y_size);
    assert_int_equal(x_size, y_size);
    assert_memory_equal(a, b, x_size);
    marey_kept_free(x);
    marey_kept_free(y);
}

static void check_faults(family_bench *all, const json_t *got, const char *name)
{
    judge of = judge_open(all, name);
    marey_fault faults[512];
    double blamed[64];
    int count = 0;
    assert_int_equal(marey_family_examine(all->b.by.ctx, of.family, of.parts->contacts, faults, 512,
                                          &count, blamed, NULL),
                     MAREY_OK);
    same_numbers(json_object_get(got, "blamed"), blamed, of.parts->count);
    assert_int_equal(number(got, "faults"), count);
    assert_int_equal(size_of(got, "fault_list"), count);
    for (int i = 0; i < count; i++) {
        const json_t *one = item(got, "fault_list", (size_t)i);
        const char *about;
        assert_string_equal(word(one, "kind"), marey_fault_name(faults[i].kind, &about));
        assert_string_equal(word(one, "about"), about);
        assert_int_equal(number(one, "example"), faults[i].example);
        assert_int_equal(number(one, "with"), faults[i].with);
        assert_non_null(strstr(word(one, "text"), about));
        assert_non_null(strstr(word(one, "text"), "reach_right#"));
    }
    judge_free(&of);
}

/* `options` and `line` say the same. */
static void check_build(family_bench *all, const char *options, const char *line)
{
    char body[2048], command[1024];
    snprintf(body, sizeof body, "{'name': 'ours', %s}", options);
    snprintf(command, sizeof command, "marey param build lib.marey theirs %s --quiet", line);
    json_t *got = build_family(all, body);
    bench_program(command);
    check_family(all, got, "ours");
    check_faults(all, got, "ours");
    assert_int_equal(size_of(got, "left_out"), 0);
    assert_true(number(got, "seconds") >= 0);
    same_bytes(all, "ours", "theirs");
    json_decref(got);
}

CASE(what_is_built_is_what_the_program_builds)
{
    family_bench *all = *state;
    check_build(all, FIVE_PARTS ", " WRIST ", 'samples': 60",
                "--clips " FIVE_CLIPS
                " --feature 'position(right_wrist, apex, start)' --samples 60");
    check_build(all,
                FIVE_PARTS ", 'feature': ['height(right_wrist)', 'duration()'], 'samples': 40, "
                           "'delta': 0, 'grow': 0.5",
                "--clips " FIVE_CLIPS " --feature 'height(right_wrist)' --feature 'duration()' "
                "--samples 40 --delta 0 --grow 0.5");
    check_build(all, FIVE_PARTS ", " WRIST ", 'samples': 0",
                "--clips " FIVE_CLIPS " --feature 'position(right_wrist)' --samples 0");
}

/* Labels of clips are the values; the list says so as for any other. */
CASE(labels_are_parameters)
{
    family_bench *all = *state;
    char body[512];
    int64_t ids[2];
    bench_program("marey cut lib.marey reach_right#131-276 one");
    bench_program("marey cut lib.marey reach_right#379-520 two");
    ids[0] = bench_id(&all->b, "one");
    ids[1] = bench_id(&all->b, "two");
    bench_program("marey label lib.marey one --add mood=0.25");
    snprintf(body, sizeof body,
             "{\"name\": \"mood\", \"feature\": [\"label(mood)\"], \"clips\": [{\"clip\": %" PRId64
             "}, {\"clip\": %" PRId64 "}]}",
             ids[0], ids[1]);
    build_refused(all, body, "request", "two has no label");
    bench_program("marey label lib.marey two --add mood=0x1");
    build_refused(all, body, "request", "two has no label");
    bench_program("marey label lib.marey two --add mood=-1.5e0");
    json_t *got = build_family(all, body);
    /* values are kept in steps of the box */
    assert_float_equal(json_number_value(item(item(got, "examples", 0), "values", 0)), 0.25, 1e-3);
    assert_float_equal(json_number_value(item(item(got, "examples", 1), "values", 0)), -1.5, 1e-3);
    assert_string_equal(word(item(got, "params", 0), "label"), "mood");
    assert_int_equal(number(item(got, "examples", 0), "end"), 145);
    json_decref(got);
}

/* ---- judging ------------------------------------------------------------------------------------ */

CASE(a_family_is_judged_and_pruned)
{
    family_bench *all = *state;
    judge of = judge_open(all, "reach");
    marey_family_check check;
    assert_int_equal(marey_family_try(all->b.by.ctx, of.family, 20, 3, NULL, &check, NULL),
                     MAREY_OK);
    json_t *got = api_job_done(
        &all->b, ask_json(all, do_param_check, "{'name': 'reach', 'count': 20, 'seed': 3}", 202));
    assert_int_equal(number(got, "count"), 20);
    assert_true(number(got, "median_error_cm") == check.median);
    assert_true(number(got, "table_worst_error") == check.table_worst);
    json_decref(got);
    got = api_job_done(&all->b, ask_json(all, do_param_examine, "{'name': 'reach'}", 202));
    assert_int_equal(size_of(got, "examples"), of.parts->count);
    assert_int_equal(size_of(got, "faults"), 0);
    json_decref(got);
    got = api_job_done(&all->b, ask_json(all, do_param_prune,
                                         "{'name': 'reach', 'tolerance': 2, 'as': 'ours'}", 202));
    assert_int_equal(size_of(got, "examples") + (size_t)number(got, "pruned"), of.parts->count);
    json_decref(got);
    judge_free(&of);
    bench_program("marey param prune lib.marey reach --tolerance 2 --as theirs --quiet");
    same_bytes(all, "ours", "theirs");
}

/* ---- from a search ------------------------------------------------------------------------------ */

static json_t *found(family_bench *all)
{
    return ask_json(all, do_search,
                    "{'query': {'clip': $reach, 'start': 131, 'end': 276}, 'threshold': 40}", 200);
}

/* The tree of the kept family is the library's own of the match graph. */
static void check_tree(family_bench *all, const char *name, int64_t search, const int *matches,
                       int count)
{
    const marey_finding *finding = NULL;
    studio_response to = { .body = { .memory = &all->b.of.memory } };
    int parents[64];
    judge of = judge_open(all, name);
    assert_true(searching_recall(&all->b.by, search, &finding, &to));
    assert_int_equal(marey_finding_parents(finding, matches, count, parents, NULL), MAREY_OK);
    searching_leave(&all->b.by);
    const marey_registration *tree = marey_family_registration(of.family);
    assert_int_equal(of.parts->count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(marey_registration_parent(tree, i), parents[i]);
    }
    judge_free(&of);
}

CASE(matches_become_examples_along_the_match_graph)
{
    family_bench *all = *state;
    char body[512];
    json_t *hits = found(all);
    int count = (int)size_of(hits, "matches"), every[64];
    assert_true(count >= 6 && count <= 64);
    for (int i = 0; i < count; i++) every[i] = i;
    snprintf(body, sizeof body, "{'name': 'all', 'search': %d, " WRIST ", 'samples': 0}",
             (int)number(hits, "search"));
    json_t *got = build_family(all, body);
    for (int i = 0; i < count; i++) {
        const json_t *match = item(hits, "matches", (size_t)i);
        const json_t *example = item(got, "examples", (size_t)i);
        assert_int_equal(number(example, "start"), number(match, "start"));
        assert_int_equal(number(example, "end"), number(match, "end"));
    }
    check_tree(all, "all", (int64_t)number(hits, "search"), every, count);
    json_decref(got);
    snprintf(body, sizeof body,
             "{'name': 'some', 'search': %d, 'matches': [5, 2, 3], " WRIST ", 'samples': 0}",
             (int)number(hits, "search"));
    got = build_family(all, body);
    assert_int_equal(number(item(got, "examples", 0), "start"),
                     number(item(hits, "matches", 2), "start"));
    check_tree(all, "some", (int64_t)number(hits, "search"), (int[]){ 2, 3, 5 }, 3);
    json_decref(got);
    json_decref(hits);
}

/* Removed since they were found. */
CASE(matches_whose_clip_is_gone_are_left_out)
{
    family_bench *all = *state;
    char body[256];
    size_t left = 0;
    bench_program("marey convert -L lib.marey reach_right#340-820 lib.marey:piece");
    json_decref(api_job_done(&all->b, ask_json(all, do_index, "{}", 202)));
    int64_t piece = bench_id(&all->b, "piece");
    json_t *hits = found(all);
    bench_program("marey rm lib.marey piece");
    snprintf(body, sizeof body, "{'name': 'rest', 'search': %d, " WRIST ", 'samples': 0}",
             (int)number(hits, "search"));
    json_t *got = build_family(all, body);
    for (size_t i = 0; i < size_of(hits, "matches"); i++) {
        if ((int64_t)number(item(hits, "matches", i), "id") != piece) continue;
        assert_int_equal(json_integer_value(item(got, "left_out", left++)), i);
    }
    assert_true(left > 0);
    assert_int_equal(size_of(got, "left_out"), left);
    assert_int_equal(size_of(got, "examples"), size_of(hits, "matches") - left);
    json_decref(got);
    json_decref(hits);
}

CASE(searches_that_cannot_be_are_refused)
{
    family_bench *all = *state;
    char body[512];
    json_t *hits = found(all);
    int search = (int)number(hits, "search");
    static const struct {
        const char *more;
        const char *says;
    } rows[] = {
        { ", 'matches': [0, 9999]", "no match 9999" },
        { ", 'matches': [0, 1, 1]", "twice" },
        { ", 'matches': [0]", "matches must be 2 to 256 whole numbers, got 1" },
        { ", 'matches': [0, -1]", "matches must be numbers from 0" },
        { ", 'matches': [0, 1.5]", "matches must be 2 to 256 whole numbers" },
        { ", 'clips': [{'clip': 1}, {'clip': 1}]", "clips names all examples" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body, "{'name': 'x', 'search': %d, " WRIST "%s}", search,
                 rows[i].more);
        build_refused(all, body, "request", rows[i].says);
    }
    snprintf(body, sizeof body, "{'name': 'x', 'search': %d, " WRIST "}", search + 1);
    build_refused(all, body, "input", "not remembered");
    /* the clip of all matches is gone: none can be an example */
    bench_program("marey rm lib.marey reach_right");
    snprintf(body, sizeof body, "{'name': 'x', 'search': %d, " WRIST "}", search);
    build_refused(all, body, "request", "of these matches 0");
    json_decref(hits);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

CASE(bodies_that_cannot_be_are_refused)
{
    family_bench *all = *state;
    static const struct {
        const char *body;
        const char *status, *says;
    } rows[] = {
        { "", "request", "no JSON" },
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
        { "{'name': 'x', " WRIST ", 'clips': [{'clip': $reach}]}", "request",
          "examples must be 2" },
        { "{'name': 'x', " WRIST ", 'clips': [{'clip': $reach}, 3.5]}", "request",
          "clips must be" },
        { "{'name': 'x', " WRIST ", 'clips': [{'clip': $reach}, {'start': 3}]}", "request",
          "clips must be" },
        { "{'name': 'x', " WRIST ", 'clips': [{'clip': $reach}, {'clip': 999}]}", "input", "999" },
        { "{'name': 'x', " WRIST
          ", 'clips': [{'clip': $reach}, {'clip': $reach, 'start': 5, 'end': 99999}]}",
          "request", "outside the clip" },
        { "{'name': 'x', " WRIST ", 'clips': [{'clip': $reach}, {'clip': $slide}]}", "shape", "" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'samples': 100001}", "request", "samples" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'delta': -1}", "request", "delta" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'grow': 0}", "request", "grow" },
        { "{'name': 'x', " WRIST ", " FIVE_PARTS ", 'wish': 1}", "request", "unknown field wish" },
        { "{'name': '', " WRIST ", " FIVE_PARTS ", 'samples': 0}", "request", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        build_refused(all, rows[i].body, rows[i].status, rows[i].says);
    }
    json_t *list = ask_json(all, do_param_ls, "{}", 200);
    assert_int_equal(size_of(list, "spaces"), 1); /* nothing of these was kept */
    json_decref(list);
}

/* Named so often that a request would take too long. */
CASE(families_that_are_too_large_are_refused)
{
    family_bench *all = *state;
    studio_bytes body = { .memory = &all->b.of.memory };
    const char *begin = "{'name': 'x', " WRIST ", 'clips': [{'clip': $reach}";
    bytes_add(&body, begin, strlen(begin));
    for (int i = 1; i < 20; i++) bytes_add(&body, ", {'clip': $reach}", 18);
    bytes_add(&body, "]}", 3);
    build_refused(all, (const char *)body.data, "limit", "pairs of frames");
    body.count -= 3;
    for (int i = 20; i < 40; i++) bytes_add(&body, ", {'clip': $reach}", 18);
    bytes_add(&body, "]}", 3);
    build_refused(all, (const char *)body.data, "limit", "frames, and");
    bytes_free(&body);
}

CASE(a_family_can_be_forgotten)
{
    family_bench *all = *state;
    api_refused(&all->b, do_param_rm, 0, NULL, "{\"name\": \"reac\"}", 404, "input", "reach");
    api_refused(&all->b, do_param_rm, 0, NULL, "{}", 400, "request", "name");
    json_decref(show_family(all, "reach", 200));
    json_decref(ask_json(all, do_param_rm, "{'name': 'reach'}", 200));
    json_decref(show_family(all, "reach", 404));
    json_t *list = ask_json(all, do_param_ls, "{}", 200);
    assert_int_equal(size_of(list, "spaces"), 0);
    json_decref(list);
}

/* ---- memory ------------------------------------------------------------------------------------- */

CASE(refused_memory_is_told)
{
    family_bench *all = *state;
    studio_response to = api_starve(&all->b, do_param_features, 0, NULL, "{}");
    json_decref(answer_take_json(&to, 200));
    to = api_starve(&all->b, do_param_ls, 0, NULL, "{}");
    json_decref(answer_take_json(&to, 200));
    to = api_starve(&all->b, do_param_show, 0, NULL, "{\"name\": \"reach\"}");
    json_t *got = answer_take_json(&to, 200);
    check_family(all, got, "reach");
    json_decref(got);
}

TEST_GROUP_OF_CASES(test_studio_families, NULL, NULL)
