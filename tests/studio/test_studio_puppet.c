/* test_studio_puppet.c - the addresses of puppets: what is listed is what the library has saved,
   files read back as what they were, and what is invalid is refused with words. */
#include "puppet_studio.h"

/* ---- the list -------------------------------------------------------------------------------- */

TEST_OF(studio_bench *b, the_list_has_what_is_saved_and_what_is_ready)
{
    const json_t *got = list_puppets(b), *one = puppet_named(got, "shy");
    OWNED(puppet_judge) of = judge_open(b, "shy");
    const marey_ready_puppet *ready;
    int count = 0;
    for (; (ready = marey_ready_puppet_find(count)); count++) {
        const json_t *row = item(got, "ready", (size_t)count);
        assert_string_equal(word(row, "name"), ready->name);
        assert_string_equal(word(row, "about"), ready->about);
        assert_true(number(row, "seconds") > 1);
    }
    assert_int_equal(size_of(got, "ready"), count);
    expect(one, "{'samples': %d, 'runs': %d, 'rate': 60}", marey_puppet_samples(of.puppet),
           marey_puppet_runs(of.puppet));
    assert_true(number(one, "bytes") > 1000);
    test_near(number(one, "seconds"), (marey_puppet_samples(of.puppet) - 1) / 60.0, 1e-9);
}

static void keep_bytes(const studio_bench *b, const char *name, const void *bytes, size_t count)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    marey_error error = { 0 };
    test_fine(marey_library_open(ctx, b->path, MAREY_LIBRARY_WRITE, &library, &error), &error);
    test_fine(marey_library_keep(library, MAREY_KEPT_PUPPET, name, bytes, count, NULL, &error),
              &error);
}

TEST_OF(studio_bench *b, one_that_is_damaged_is_listed_and_can_be_removed)
{
    keep_bytes(b, "broken", "no puppet at all", 16);
    const json_t *got = list_puppets(b);
    expect(puppet_named(got, "broken"), "{'samples': null, 'rate': null, 'bytes': 16}");
    assert_true(whole(puppet_named(got, "shy"), "samples") > 0);
    post_refused(b, "/api/do/puppet-show", "{'name': 'broken'}", 400, "damaged");
    post_refused(b, "/api/puppet/file?name=broken", NULL, 400, "damaged");
    studio_post(b, 200, "/api/do/puppet-rm", "{'name': 'broken'}");
    assert_null(puppet_named(list_puppets(b), "broken"));
}

/* Larger than any that may react here: it is not even opened, neither for the list nor to react. */
TEST_OF(studio_bench *b, one_that_is_large_is_listed_without_its_figures_and_does_not_react)
{
    size_t size = (48 << 20) + 96;
    FREED void *zeros = calloc(1, size);
    assert_non_null(zeros);
    keep_bytes(b, "huge", zeros, size);
    expect(puppet_named(list_puppets(b), "huge"), "{'samples': null, 'bytes': %zu}", size);
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, "{'type': 'react', 'react': 0, 'puppet': 'huge', 'main': [0, 0, 0]}");
    assert_non_null(strstr(word(hear(&wire, "error"), "message"), "too large"));
    studio_post(b, 200, "/api/do/puppet-rm", "{'name': 'huge'}");
}

/* ---- one of them ----------------------------------------------------------------------------- */

static void same_row(const json_t *row, const marey_puppet_sample *is)
{
    const double numbers[] = {
        is->time_s,     is->main.x_cm,  is->main.y_cm,          is->main.direction_rad,
        is->react.x_cm, is->react.y_cm, is->react.direction_rad
    };
    same_numbers(row, numbers, 7);
}

static size_t count_rows(const json_t *puppet)
{
    size_t rows = 0;
    for (size_t r = 0; r < size_of(puppet, "run_list"); r++)
        rows += size_of(item(puppet, "run_list", r), "rows");
    return rows;
}

static json_t *show_puppet(const studio_bench *b, const char *name, int points)
{
    return studio_post(b, 200, "/api/do/puppet-show", "{'name': '%s', 'points': %d}", name, points);
}

static void ends_with_the_last(const json_t *got, const puppet_judge *of)
{
    for (int run = 0; run < marey_puppet_runs(of->puppet); run++) {
        int samples = marey_puppet_run_samples(of->puppet, run);
        const json_t *of_run = item(got, "run_list", (size_t)run);
        marey_puppet_sample first = marey_puppet_sample_at(of->puppet, run, 0),
                            last = marey_puppet_sample_at(of->puppet, run, samples - 1);
        same_row(item(of_run, "rows", 0), &first);
        same_row(item(of_run, "rows", size_of(of_run, "rows") - 1), &last);
    }
}

TEST_OF(studio_bench *b, rows_are_the_samples_thinned_evenly)
{
    OWNED(puppet_judge) of = judge_open(b, "shy");
    int samples = marey_puppet_samples(of.puppet);
    const json_t *got = show_puppet(b, "shy", 20000), *run = item(got, "run_list", 0);
    assert_int_equal(size_of(run, "rows"), samples);
    for (int i = 0; i < samples; i++) {
        marey_puppet_sample is = marey_puppet_sample_at(of.puppet, 0, i);
        same_row(item(run, "rows", (size_t)i), &is);
    }
    expect(got, "{'runs': 1, 'window_s': 0.5, 'gap_s': 0.5}");
    for (int points = 1; points < 400; points += 57) {
        got = show_puppet(b, "shy", points);
        assert_true(count_rows(got) <= (size_t)points && 2 * count_rows(got) >= (size_t)points);
        if (points > 1) ends_with_the_last(got, &of);
    }
    post_refused(b, "/api/do/puppet-show", "{'name': 'shy', 'points': 20001}", 400, "20000");
    post_refused(b, "/api/do/puppet-show", "{'name': 'shy', 'points': 0}", 400, "points");
}

TEST_OF(studio_bench *b, many_runs_share_few_points)
{
    static const size_t share[] = { 2, 1, 1 };
    studio_done(b, "/api/do/puppet-train",
                "{'name': 'runs', 'demonstrations': ["
                "{'samples': [[0,0,0,0,50,0,0],[0.3,10,0,0,60,0,0]]},"
                "{'samples': [[5,0,0,0,50,0,0],[5.4,10,0,0,60,0,0]]},"
                "{'samples': [[9,0,0,0,50,0,0],[9.5,10,0,0,60,0,0]]}]}");
    const json_t *two = show_puppet(b, "runs", 2), *four = show_puppet(b, "runs", 4);
    const json_t *many = show_puppet(b, "runs", 30);
    assert_int_equal(number(two, "runs"), 3);
    assert_int_equal(count_rows(two), 2);
    assert_true(count_rows(many) <= 30 && count_rows(many) >= 15);
    for (size_t r = 0; r < 3; r++) {
        const json_t *run = item(many, "run_list", r);
        assert_int_equal(number(run, "samples"), 19 + 6 * (int)r);
        test_near(number(run, "seconds"), 0.3 + 0.1 * (double)r, 1e-9);
        assert_int_equal(size_of(item(four, "run_list", r), "rows"), share[r]);
    }
    OWNED(puppet_judge) of = judge_open(b, "runs");
    ends_with_the_last(many, &of);
}

/* 1001 pieces: the first 1000 are listed, and all are counted. */
TEST_OF(studio_bench *b, of_very_many_runs_the_first_are_listed)
{
    FREED char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < 1001; i++)
        fprintf(out, "%s[%d,0,0,0,9,0,0],[%d.1,0,0,0,9,0,0]", i > 0 ? "," : "", i, i);
    fclose(out);
    expect(studio_done(b, "/api/do/puppet-train",
                       "{'name': 'pieces', 'demonstrations': [{'samples': [%s]}]}", text),
           "{'runs': 1001}");
    const json_t *got = show_puppet(b, "pieces", 2000);
    assert_int_equal(size_of(got, "run_list"), 1000);
    assert_true(count_rows(got) <= 2000 && count_rows(got) >= 1000);
}

/* ---- files ----------------------------------------------------------------------------------- */

TEST_OF(studio_bench *b, a_file_is_the_bytes_that_are_saved)
{
    OWNED(puppet_judge) of = judge_open(b, "shy");
    uint8_t *bytes = NULL;
    size_t size = 0;
    char value[128];
    assert_int_equal(marey_puppet_write(of.puppet, &bytes, &size, NULL), 0);
    OWNED(http_answer) got = studio_ask(b, "/api/puppet/file?name=shy", NULL);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.count, size);
    assert_memory_equal(got.body, bytes, size);
    assert_int_equal(wire_header(&got, "Content-Disposition", value, sizeof value), 1);
    assert_non_null(strstr(value, "attachment"));
    assert_non_null(strstr(value, "shy.puppet"));
    marey_graph_bytes_free(of.ctx, bytes, size);
}

TEST_OF(studio_bench *b, the_name_of_a_file_is_in_plain_letters)
{
    char value[128];
    studio_done(b, "/api/do/puppet-train",
                "{'name': 'a b;c\\u00e4', 'demonstrations': [{'puppet': 'runs'}]}");
    OWNED(http_answer) got = studio_ask(b, "/api/puppet/csv?name=a%20b%3Bc%C3%A4", NULL);
    assert_int_equal(got.status, 200);
    wire_header(&got, "Content-Disposition", value, sizeof value);
    assert_non_null(strstr(value, "a_b_c__.csv"));
}

/* Runs that would run into each other without the time between them; the table shows each of them
   again. */
TEST_OF(studio_bench *b, the_table_is_cut_into_the_same_runs_again)
{
    OWNED(http_answer) table = studio_ask(b, "/api/puppet/csv?name=runs", NULL);
    assert_int_equal(table.status, 200);
    json_t *body = json_hold(json_pack("{s:s, s:[{s:s, s:s}]}", "name", "again", "demonstrations",
                                       "csv", table.body, "called", "runs.csv"));
    FREED char *text = json_dumps(body, 0);
    const json_t *result = studio_done(b, "/api/do/puppet-train", "%s", text);
    assert_int_equal(number(result, "runs"), 3);
    assert_non_null(strstr(json_string_value(item(result, "notes", 0)), "runs.csv:21: "));
    OWNED(puppet_judge) was = judge_open(b, "runs");
    OWNED(puppet_judge) is = judge_open(b, "again");
    for (int r = 0; r < 3; r++) {
        assert_int_equal(marey_puppet_run_samples(was.puppet, r),
                         marey_puppet_run_samples(is.puppet, r));
        for (int i = 0; i < marey_puppet_run_samples(was.puppet, r); i++) {
            marey_puppet_sample x = marey_puppet_sample_at(was.puppet, r, i);
            marey_puppet_sample y = marey_puppet_sample_at(is.puppet, r, i);
            test_near(x.react.x_cm, y.react.x_cm, 1e-6);
            test_near(x.main.x_cm, y.main.x_cm, 1e-6);
        }
    }
}

/* ---- changes --------------------------------------------------------------------------------- */

TEST_OF(studio_bench *b, another_name_and_the_end_are_changes_that_every_client_hears_of)
{
    OWNED(http_wire) wire = studio_live(b);
    studio_post(b, 200, "/api/do/puppet-rename", "{'name': 'again', 'to': 'once'}");
    hear(&wire, "library");
    const json_t *got = list_puppets(b);
    assert_null(puppet_named(got, "again"));
    assert_non_null(puppet_named(got, "once"));
    post_refused(b, "/api/do/puppet-rename", "{'name': 'once', 'to': 'shy'}", 409, "shy");
    studio_post(b, 200, "/api/do/puppet-rm", "{'name': 'once'}");
    hear(&wire, "library");
}

TEST_OF(studio_bench *b, what_is_not_there_is_404_with_the_nearest_name)
{
    post_refused(b, "/api/do/puppet-show", "{'name': 'shyy'}", 404, "shy");
    post_refused(b, "/api/puppet/file?name=shyy", NULL, 404, "shy");
    post_refused(b, "/api/puppet/csv?name=shyy", NULL, 404, "shy");
    post_refused(b, "/api/do/puppet-rm", "{'name': 'shyy'}", 404, "shyy");
    post_refused(b, "/api/do/puppet-rename", "{'name': 'shyy', 'to': 'x'}", 404, "shyy");
    job_refused(b, "/api/do/puppet-run", "{'puppet': 'shyy', 'main': [[0,0,0,0],[1,9,0,0]]}",
                "input", "shy");
    post_refused(b, "/api/puppet/csv", NULL, 400, "name");
    post_refused(b, "/api/do/puppet-show", "{}", 400, "name");
    post_refused(b, "/api/do/puppet-rename", "{'name': 'shy', 'to': 'a/b'}", 400, "name");
    post_refused(b, "/api/do/puppet-rename", "{'name': 'shy'}", 400, "missing");
}

/* ---- running --------------------------------------------------------------------------------- */

/* A character that goes along x, then up, at uneven times. */
static int make_main(marey_puppet_sample *out, int count)
{
    double time = 3;
    for (int i = 0; i < count; i++) {
        double up = i > count / 2 ? i - count / 2 : 0;
        out[i] = (marey_puppet_sample){ .time_s = time,
                                        .main = { 3.0 * i, 4 * up, up > 0 ? 1.5 : 0.1 } };
        time += i % 3 == 0 ? 0.05 : 0.02;
    }
    return count;
}

static char *run_body(const marey_puppet_sample *samples, int count, const char *more)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "{'puppet': 'shy'%s, 'main': [", more);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s[%.17g,%.17g,%.17g,%.17g]", i > 0 ? "," : "", samples[i].time_s,
                samples[i].main.x_cm, samples[i].main.y_cm, samples[i].main.direction_rad);
    fputs("]}", out);
    fclose(out);
    return text;
}

TEST_OF(studio_bench *b, a_run_is_that_of_the_library)
{
    enum { COUNT = 150 };
    static const struct {
        const char *more;
        marey_reactor_def def;
    } rows[] = { { "", { 0 } },
                 { ", 'start': [-50, 20, 0.5], 'balance': 0.25",
                   { .start_given = true, .start = { -50, 20, 0.5 }, .balance = 0.25 } },
                 { ", 'weight': 3, 'rough': true", { .weight = 3, .rough = true } } };
    OWNED(puppet_judge) of = judge_open(b, "shy");
    for (size_t k = 0; k < 3; k++) {
        marey_puppet_sample samples[COUNT];
        marey_played about;
        make_main(samples, COUNT);
        FREED char *text = run_body(samples, COUNT, rows[k].more);
        assert_int_equal(
            marey_puppet_play(of.ctx, of.puppet, samples, COUNT, &rows[k].def, &about, NULL), 0);
        const json_t *got = studio_done(b, "/api/do/puppet-run", "%s", text);
        assert_int_equal(size_of(got, "rows"), COUNT);
        for (size_t i = 0; i < COUNT; i++) same_row(item(got, "rows", i), &samples[i]);
        expect(got, "{'steps': %d, 'changes': %d, 'balance': %.17g}", about.steps, about.changes,
               about.balance);
        assert_true(number_at(json_object_get(got, "start"), 0) == about.start.x_cm);
    }
}

/* What the parameters say is wrong at once; the rest is the job's. */
TEST_OF(studio_bench *b, invalid_runs_are_refused)
{
#define SHY "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]]"
    static const puppet_refusal rows[] = {
        { "{'puppet': 'shy'}", "main", NULL },
        { "{'main': [[0,0,0,0],[1,0,0,0]]}", "puppet", NULL },
        { "{'puppet': 'shy', 'main': 5}", "main must be a table or a list of rows", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0]]}", "at least two", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0]]}", "sample 1", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,'x']]}", "sample 1", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,2e6,0,0]]}", "sample 1", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0],[1,0,0,0]]}", "sample 2", "request" },
        { SHY ", 'balance': 2}", "balance", NULL },
        { SHY ", 'weight': 0}", "weight", NULL },
        { SHY ", 'weight': 2, 'balance': 0.3}", "give one of them", NULL },
        { SHY ", 'rough': 1}", "rough", NULL },
        { SHY ", 'start': [1,2]}", "start", NULL },
        { SHY ", 'start': [1,2e6,0]}", "start", NULL },
        { SHY ", 'fps': 30}", "only for graph", NULL },
        { SHY ", 'name': 'x'}", "go together", "request" },
        { SHY ", 'graph': 'x'}", "go together", "request" },
        { SHY ", 'speed': 1}", "speed", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1e6,0,0,0]]}", "too much at once", "limit" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[9,0,0,0]], 'graph': 'x', 'name': 'y'}", "x",
          "input" },
    };
    refused_rows(b, "/api/do/puppet-run", rows, sizeof rows / sizeof *rows);
}

/* A table's text does as well as rows. */
TEST_OF(studio_bench *b, a_main_character_can_be_a_table)
{
    const json_t *rows =
        studio_done(b, "/api/do/puppet-run",
                    "{'puppet': 'shy', 'main': [[0,0,0,0],[1,90,0,0],[2,180,20,0.2]]}");
    assert_int_equal(size_of(rows, "rows"), 3);
    same_values(rows,
                studio_done(b, "/api/do/puppet-run",
                            "{'puppet': 'shy', 'main': 'time,main_x,main_y,main_dir\\n0,0,0,0\\n"
                            "1,90,0,0\\n2,180,20,0.2\\n'}"),
                "rows");
}

TEST_GROUP_OF_CASES(test_studio_puppet, open_puppet_bench, close_bench)
