/* test_index_settings.c - with what an index is made: what stays, what makes all webs anew, what is
   refused, and what verify finds. */
#include "index_bench.h"

#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

static void run_sql(test_library *f, const char *sql)
{
    test_ok(mry_store_begin(f->library->store, &test_error));
    test_ok(mry_store_run(f->library->store, sql, &test_error));
    test_ok(mry_store_commit(f->library->store, &test_error));
}

/* ---- what makes webs anew -------------------------------------------------------------------- */

static void expect_rebuilt(test_library *f, const marey_index_def *def, const char *why)
{
    marey_index_report report = test_index_run(f, def, NULL);
    if (!strstr(report.rebuilt, why)) fail_msg("\"%s\" is not \"%s\"", report.rebuilt, why);
    assert_int_equal(report.pairs_built, *why ? report.pairs : 0);
    assert_int_equal(report.pairs_dropped, *why ? report.pairs : 0);
    if (!*why) assert_string_equal(report.rebuilt, "");
    assert_int_equal(test_index_state(f).pairs_missing, 0);
}

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(other_settings_make_all_webs_anew_and_then_stay)
{
    marey_metric_def lee = { .joints = marey_joint_weights_find(1) };
    marey_metric_def angles = { .metric = marey_metric_named("angles") };
    marey_web_def low = { .ceiling = 50 }, same = { .ceiling = 50, .slope = 2, .valid = 0.15 };
    marey_joint_weights own;
    test_ok(marey_joint_weights_parse("hips=1,knee=0.5", &own, &test_error));
    marey_metric_def by_knees = { .joints = &own, .window = 3, .tapered = true };
    test_index_put_all(f);
    assert_int_equal(test_index_run(f, &(marey_index_def){ .fps = 60 }, NULL).pairs_built, 15);
    expect_rebuilt(f, NULL, "");
    expect_rebuilt(f, &(marey_index_def){ .metric = &(marey_metric_def){ .window = 5 } }, "");
    expect_rebuilt(f, &(marey_index_def){ .fps = 30 },
                   "the rate is 30 frames a second now, it was 60");
    expect_rebuilt(f, NULL, "");
    expect_rebuilt(f, &(marey_index_def){ .metric = &lee }, "other settings");
    expect_rebuilt(f, &(marey_index_def){ .web = &low }, "other settings");
    expect_rebuilt(f, &(marey_index_def){ .web = &same }, "");
    assert_true(test_index_state(f).size.ceiling == 50 && test_index_state(f).size.fps == 30);
    assert_non_null(strstr(test_index_state(f).about, "\"joints\":\"lee\""));
    expect_rebuilt(f, &(marey_index_def){ .metric = &by_knees }, "other settings");
    assert_non_null(strstr(test_index_state(f).about,
                           "{\"hips\":1,\"left_knee\":0.5,\"right_knee\":0.5},\"window\":3,"
                           "\"tapered\":true"));
    expect_rebuilt(f, NULL, "");
    expect_rebuilt(f, &(marey_index_def){ .metric = &angles },
                   "the metric is angles now, it was points");
    assert_true(isinf(test_index_state(f).size.ceiling));
    assert_non_null(strstr(test_index_state(f).about, "\"ceiling\":null"));
    assert_string_equal(test_index_state(f).metric, "angles");
    expect_rebuilt(f, NULL, "");
    expect_rebuilt(f, &(marey_index_def){ .rebuild = true }, "this was asked for");
}

CASE(settings_come_back_as_they_were)
{
    for (int i = 0; marey_metric_find(i); i++) {
        OWNED(mry_arena) mem = mry_arena_make(f->ctx);
        marey_metric_def metric = { .metric = marey_metric_find(i),
                                    .joints = marey_joint_weights_find(i % 3) };
        marey_web_def web = { .levels = i == 1, .slope = 3 };
        mry_index_settings chosen, back;
        mry_index_bytes bytes, again;
        if (metric.metric->attribute_count > 0) {
            metric.attributes_given = true;
            for (int k = 0; k < metric.metric->attribute_count; k++) metric.attributes[k] = k + 1;
        }
        test_ok(mry_index_choose(f->ctx, &(marey_index_def){ .metric = &metric, .web = &web }, NULL,
                                 &chosen, &test_error));
        assert_true(mry_index_pack(&mem, &chosen, &bytes));
        assert_int_equal(mry_index_unpack(&mem, &bytes, &back), MRY_UNPACKED);
        assert_true(mry_index_pack(&mem, &back, &again));
        assert_int_equal(bytes.size, again.size);
        assert_memory_equal(bytes.bytes, again.bytes, bytes.size);
        assert_true(back.metric.metric == metric.metric && back.web.levels == (i == 1));
        for (size_t n = 0; n < bytes.size; n++) { /* cut short it is never taken for whole */
            mry_index_bytes part = { bytes.bytes, n };
            assert_true(mry_index_unpack(&mem, &part, &back) != MRY_UNPACKED);
        }
    }
}

/* ---- a metric that is normalised by the data ------------------------------------------------- */

/* Every fourth frame at the old rate. */
static marey_clip *sped_up(test_library *f, uint64_t seed)
{
    marey_clip *clip = test_mover(f->ctx, 120, seed), *quick = NULL;
    test_ok(marey_clip_resample(clip, 15, &quick, NULL));
    quick->fps = 60;
    marey_clip_free(clip);
    return quick;
}

CASE(normalisers_are_the_librarys_and_stay_until_they_change)
{
    marey_metric_def positions = { .metric = marey_metric_named("positions") };
    marey_index_def def = { .metric = &positions };
    const char *name = "quick";
    test_index_put_clip(f, test_mover(f->ctx, 60, 3), "mover");
    assert_int_equal(test_index_run(f, &def, NULL).pairs_built, 1);
    assert_non_null(strstr(test_index_state(f).about, "\"normals\":["));
    marey_clip *part = NULL, *whole = test_mover(f->ctx, 60, 3);
    test_ok(marey_clip_trim(whole, 5, 55, &part, NULL));
    marey_clip_free(whole);
    test_index_put_clip(f, part, "slower"); /* no step of it is larger */
    marey_index_report report = test_index_run(f, NULL, NULL);
    assert_int_equal(report.pairs_built, 2);
    assert_string_equal(report.rebuilt, "");
    FREED char *before = test_index_webs(f);
    test_index_put_clip(f, sped_up(f, 9), name);
    report = test_index_run(f, NULL, NULL);
    assert_non_null(strstr(report.rebuilt, "by which the metric positions is normalised"));
    assert_int_equal(report.pairs_dropped, 3);
    assert_int_equal(report.pairs_built, 6);
    test_ok(marey_library_remove(f->library, &name, 1, &test_error));
    report = test_index_run(f, NULL, NULL);
    assert_int_equal(report.pairs_built, 3);
    FREED char *after = test_index_webs(f);
    assert_string_equal(before, after);
}

/* ---- invalid requests ------------------------------------------------------------------------ */

static void expect_refusal(test_library *f, const marey_index_def *def, const char *words)
{
    marey_index_report report = { .pairs = -7 };
    marey_error error = { 0 };
    assert_int_equal(marey_library_index(f->library, def, &report, &error), MAREY_ERR_REQUEST);
    if (!strstr(error.message, words)) fail_msg("%s", error.message);
    assert_int_equal(report.pairs, -7);
}

CASE(invalid_requests_are_refused_and_changes_nothing)
{
    test_index_put(f, 0);
    expect_refusal(f, &(marey_index_def){ .fps = 0.5 }, "index rate must be");
    expect_refusal(f, &(marey_index_def){ .fps = (double)NAN }, "index rate must be");
    expect_refusal(f, &(marey_index_def){ .web = &(marey_web_def){ .slope = 9 } }, "slope");
    expect_refusal(f, &(marey_index_def){ .web = &(marey_web_def){ .valid = -1 } }, "valid");
    expect_refusal(f, &(marey_index_def){ .web = &(marey_web_def){ .bridge_s = 0.1 } }, "bridges");
    expect_refusal(f, &(marey_index_def){ .metric = &(marey_metric_def){ .window = 99 } },
                   "window");
    assert_false(test_index_state(f).exists);
    test_library_open(f, MAREY_LIBRARY_READ);
    expect_refusal(f, NULL, "open for writing");
    assert_false(test_index_state(f).exists);
}

CASE(a_library_without_clips_can_be_indexed)
{
    marey_index_report report = test_index_run(f, NULL, NULL);
    assert_int_equal(report.pairs, 0);
    assert_true(test_index_state(f).exists);
    test_index_put(f, 0);
    report = test_index_run(f, &(marey_index_def){ .fps = 30 }, NULL);
    assert_string_equal(report.rebuilt, ""); /* there was no web */
    assert_int_equal(report.pairs_built, 1);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void expect_found(test_library *f, const char *words)
{
    char said[4096];
    test_library_close(f);
    int problems = test_library_verify(f, said);
    if (problems < 1 || !strstr(said, words)) fail_msg("%d problems: %s", problems, said);
    test_library_open(f, MAREY_LIBRARY_WRITE);
}

CASE(verify_finds_webs_that_are_not_what_they_were)
{
    static const char *const damages[] = {
        "UPDATE web_bytes SET bytes = zeroblob(length(bytes)) WHERE web = (SELECT id FROM web"
        " WHERE a = 1 AND b = 2)",
        "UPDATE web_bytes SET bytes = substr(bytes, 1, 40) WHERE web = (SELECT id FROM web"
        " WHERE a = 1 AND b = 2)",
        "DELETE FROM web_bytes WHERE web = (SELECT id FROM web WHERE a = 1 AND b = 2)",
        "UPDATE web SET rows = rows + 1 WHERE a = 1 AND b = 2",
        "UPDATE web SET chains = chains + 1 WHERE a = 1 AND b = 2",
        "UPDATE web_bytes SET bytes = (SELECT w.bytes FROM web_bytes AS w WHERE w.web <> "
        "web_bytes.web AND w.web = (SELECT id FROM web WHERE a = 1 AND b = 1)) WHERE web = (SELECT "
        "id FROM web WHERE a = 1 AND b = 2)",
    };
    test_index_put(f, 0);
    test_index_put(f, 1);
    test_index_run(f, NULL, NULL);
    test_library_close(f);
    test_library_sound(f);
    test_library_open(f, MAREY_LIBRARY_WRITE);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        marey_web *web = NULL;
        bool flipped;
        mry_index_web_state now;
        run_sql(f, damages[i]);
        expect_found(f, "the web of clip0 and clip1: it is damaged");
        if (i != 4) { /* only verify counts chains */
            test_refused_about(
                mry_index_web_read(f->library, 2, 1, &web, &flipped, &now, &test_error),
                MAREY_ERR_INPUT, "marey index --rebuild");
        }
        test_index_run(f, &(marey_index_def){ .rebuild = true }, NULL);
    }
}

CASE(damaged_settings_are_found_and_made_anew)
{
    static const char *const damages[] = {
        "UPDATE web_settings SET settings = x'02'",
        "UPDATE web_settings SET normals = x'0102'",
        "UPDATE web_settings SET settings = settings || x'00'",
    };
    test_index_put(f, 0);
    test_index_run(f, NULL, NULL);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        marey_index_state now = { 0 };
        run_sql(f, damages[i]);
        expect_found(f, "the index: the settings of the index are damaged");
        assert_int_equal(marey_library_index_state(f->library, &now, &test_error), MAREY_ERR_INPUT);
        expect_rebuilt(f, NULL, "the settings of the index were damaged");
    }
}

CASE(an_index_of_another_marey_is_no_damage_and_made_anew)
{
    marey_index_state now = { 0 };
    test_index_put(f, 0);
    test_index_run(f, NULL, NULL);
    run_sql(f, "UPDATE web_settings SET settings = CAST(x'7e' || substr(settings, 2) AS BLOB)");
    test_library_close(f);
    test_library_sound(f);
    test_library_open(f, MAREY_LIBRARY_WRITE);
    test_refused_about(marey_library_index_state(f->library, &now, &test_error), MAREY_ERR_INPUT,
                       "another version of marey");
    expect_rebuilt(f, NULL, "another version of marey");
}

/* Version 2 said the same in another order, with the metric's name, its joints and its attributes
   first. */
CASE(an_index_of_version_2_is_read_and_its_webs_stay)
{
    static const char points[] =
        "UPDATE web_settings SET settings ="
        " x'04040000000000004e400c706f696e74730a657175616c020a0000009a9999999999c93f9a9999999999a9"
        "3f000004333333333333c33f000000000000d03f0000000000000040666666666666e63f0000000000408f400"
        "0'";
    static const char angles[] =
        "UPDATE web_settings SET settings = CAST(x'04040000000000004e400c616e676c6573066f776e00'"
        " || x'000000000000f03f' || zeroblob(24) || x'000000000000e03f' || zeroblob(8 * 16) ||"
        " x'0200000000000000f03f000000000000e03f9a9999999999b93f02009a9999999999c93f9a9999999999a9"
        "3f000004333333333333c33f000000000000d03f0000000000000040666666666666e63f0000000000000000"
        "00' AS BLOB)";
    marey_joint_weights own;
    test_ok(marey_joint_weights_parse("hips=1,head=0.5", &own, &test_error));
    marey_metric_def metric = { .metric = marey_metric_named("angles"),
                                .joints = &own,
                                .fixed_root = true,
                                .attributes_given = true,
                                .attributes = { 1, 0.5, 0.1 } };
    test_index_put_all(f);
    test_index_run(f, NULL, NULL);
    run_sql(f, points);
    expect_rebuilt(f, NULL, "");
    expect_rebuilt(f, &(marey_index_def){ .metric = &metric }, "the metric is angles now");
    run_sql(f, angles);
    expect_rebuilt(f, NULL, "");
    expect_rebuilt(f, &(marey_index_def){ .metric = &metric }, "");
    assert_string_equal(test_index_state(f).metric, "angles");
}

TEST_GROUP_OF_CASES(test_index_settings, NULL, NULL)
