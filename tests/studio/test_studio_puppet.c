/* test_studio_puppet.c - the addresses of puppets: what is told is what the library keeps, files read back as what they were, and what
   cannot be is refused with words. */
#include "puppet_studio.h"

/* ---- the list ----------------------------------------------------------------------------------- */

static const json_t *named(const json_t *list, const char *name)
{
    const json_t *all = json_object_get(list, "puppets");
    for (size_t i = 0; i < json_array_size(all); i++)
        if (strcmp(word(json_array_get(all, i), "name"), name) == 0) return json_array_get(all, i);
    return NULL;
}

TEST(the_list_has_what_is_kept_and_what_is_ready)
{
    const studio_bench *b = *state;
    json_t *got = list_puppets(b);
    puppet_judge of = judge_open(b, "shy");
    const json_t *one = named(got, "shy");
    int ready = 0;
    while (marey_ready_puppet_find(ready)) ready++;
    assert_int_equal(json_array_size(json_object_get(got, "ready")), ready);
    for (int i = 0; i < ready; i++) {
        const json_t *row = item(got, "ready", (size_t)i);
        assert_string_equal(word(row, "name"), marey_ready_puppet_find(i)->name);
        assert_string_equal(word(row, "about"), marey_ready_puppet_find(i)->about);
        assert_true(number(row, "seconds") > 1);
    }
    assert_non_null(one);
    assert_int_equal(number(one, "samples"), marey_puppet_samples(of.puppet));
    assert_int_equal(number(one, "runs"), marey_puppet_runs(of.puppet));
    assert_true(number(one, "rate") == 60 && number(one, "bytes") > 1000);
    assert_true(fabs(number(one, "seconds") - (marey_puppet_samples(of.puppet) - 1) / 60.0) < 1e-9);
    judge_close(&of);
    json_decref(got);
}

static void keep_bytes(const studio_bench *b, const char *name, const void *bytes, size_t count)
{
    marey_ctx *ctx = test_ctx();
    marey_library *library;
    marey_error error = { 0 };
    assert_int_equal(marey_library_open(ctx, b->path, MAREY_LIBRARY_WRITE, &library, &error), 0);
    assert_int_equal(
        marey_library_keep(library, MAREY_KEPT_PUPPET, name, bytes, count, NULL, &error), 0);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

TEST(one_that_is_damaged_is_listed_and_can_be_removed)
{
    const studio_bench *b = *state;
    keep_bytes(b, "broken", "no puppet at all", 16);
    json_t *got = list_puppets(b);
    const json_t *one = named(got, "broken");
    assert_non_null(one);
    assert_true(json_is_null(json_object_get(one, "samples")));
    assert_true(json_is_null(json_object_get(one, "rate")));
    assert_int_equal(number(one, "bytes"), 16);
    assert_true(json_is_integer(json_object_get(named(got, "shy"), "samples")));
    json_decref(got);
    post_refused(b, "/api/do/puppet-show", "{'name': 'broken'}", 400, "damaged");
    post_refused(b, "/api/puppet/file?name=broken", NULL, 400, "damaged");
    json_decref(post(b, "/api/do/puppet-rm", "{'name': 'broken'}", 200));
    got = list_puppets(b);
    assert_null(named(got, "broken"));
    json_decref(got);
}

/* Larger than any that may react here: it is not even opened, neither for the list nor to react. */
TEST(one_that_is_large_is_listed_without_its_figures_and_does_not_react)
{
    const studio_bench *b = *state;
    size_t size = (48 << 20) + 96;
    void *zeros = calloc(1, size);
    http_wire wire;
    assert_non_null(zeros);
    keep_bytes(b, "huge", zeros, size);
    free(zeros);
    json_t *got = list_puppets(b);
    assert_true(json_is_null(json_object_get(named(got, "huge"), "samples")));
    assert_true(number(named(got, "huge"), "bytes") == (double)size);
    json_decref(got);
    studio_live(&wire, b);
    char *order = quoted("{'type': 'react', 'react': 0, 'puppet': 'huge', 'main': [0, 0, 0]}");
    assert_true(ws_say(&wire, order));
    free(order);
    json_t *told = studio_hear(&wire, "error", 30);
    assert_non_null(told);
    assert_non_null(strstr(word(told, "message"), "too large"));
    json_decref(told);
    wire_close(&wire);
    json_decref(post(b, "/api/do/puppet-rm", "{'name': 'huge'}", 200));
}

/* ---- one of them -------------------------------------------------------------------------------- */

static void same_row(const json_t *row, const marey_puppet_sample *is)
{
    const double numbers[] = {
        is->time_s,     is->main.x_cm,  is->main.y_cm,          is->main.direction_rad,
        is->react.x_cm, is->react.y_cm, is->react.direction_rad
    };
    assert_int_equal(json_array_size(row), 7);
    for (size_t i = 0; i < 7; i++)
        assert_true(json_number_value(json_array_get(row, i)) == numbers[i]);
}

static size_t count_rows(const json_t *puppet)
{
    size_t rows = 0;
    for (size_t r = 0; r < json_array_size(json_object_get(puppet, "run_list")); r++)
        rows += json_array_size(json_object_get(item(puppet, "run_list", r), "rows"));
    return rows;
}

static void ends_with_the_last(const json_t *got, const puppet_judge *of)
{
    for (int run = 0; run < marey_puppet_runs(of->puppet); run++) {
        int samples = marey_puppet_run_samples(of->puppet, run);
        const json_t *rows = json_object_get(item(got, "run_list", (size_t)run), "rows");
        marey_puppet_sample first = marey_puppet_sample_at(of->puppet, run, 0),
                            last = marey_puppet_sample_at(of->puppet, run, samples - 1);
        same_row(json_array_get(rows, 0), &first);
        same_row(json_array_get(rows, json_array_size(rows) - 1), &last);
    }
}

TEST(rows_are_the_samples_thinned_evenly)
{
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "shy");
    int samples = marey_puppet_samples(of.puppet);
    json_t *got = show_puppet_of(b, "shy", 20000);
    const json_t *rows = json_object_get(item(got, "run_list", 0), "rows");
    assert_int_equal(json_array_size(rows), samples);
    for (int i = 0; i < samples; i++) {
        marey_puppet_sample is = marey_puppet_sample_at(of.puppet, 0, i);
        same_row(json_array_get(rows, (size_t)i), &is);
    }
    assert_int_equal(number(got, "runs"), 1);
    assert_true(number(got, "window_s") == 0.5 && number(got, "gap_s") == 0.5);
    json_decref(got);
    for (int points = 1; points < 400; points += 57) {
        got = show_puppet_of(b, "shy", points);
        assert_true(count_rows(got) <= (size_t)points && 2 * count_rows(got) >= (size_t)points);
        if (points > 1) ends_with_the_last(got, &of);
        json_decref(got);
    }
    post_refused(b, "/api/do/puppet-show", "{'name': 'shy', 'points': 20001}", 400, "20000");
    post_refused(b, "/api/do/puppet-show", "{'name': 'shy', 'points': 0}", 400, "points");
    judge_close(&of);
}

TEST(many_runs_share_few_points)
{
    const studio_bench *b = *state;
    json_decref(post_done(b, "/api/do/puppet-train",
                          "{'name': 'runs', 'demonstrations': ["
                          "{'samples': [[0,0,0,0,50,0,0],[0.3,10,0,0,60,0,0]]},"
                          "{'samples': [[5,0,0,0,50,0,0],[5.4,10,0,0,60,0,0]]},"
                          "{'samples': [[9,0,0,0,50,0,0],[9.5,10,0,0,60,0,0]]}]}"));
    json_t *got = show_puppet_of(b, "runs", 2);
    assert_int_equal(number(got, "runs"), 3);
    assert_int_equal(count_rows(got), 2);
    json_decref(got);
    got = show_puppet_of(b, "runs", 30);
    assert_true(count_rows(got) <= 30 && count_rows(got) >= 15);
    for (size_t r = 0; r < 3; r++) {
        const json_t *run = item(got, "run_list", r);
        assert_int_equal(number(run, "samples"), 19 + 6 * (int)r);
        assert_true(fabs(number(run, "seconds") - 0.3 - 0.1 * (double)r) < 1e-9);
    }
    puppet_judge of = judge_open(b, "runs");
    ends_with_the_last(got, &of);
    json_decref(got);
    got = show_puppet_of(b, "runs", 4);
    static const size_t share[] = { 2, 1, 1 };
    for (size_t r = 0; r < 3; r++)
        assert_int_equal(json_array_size(json_object_get(item(got, "run_list", r), "rows")),
                         share[r]);
    judge_close(&of);
    json_decref(got);
}

/* 1001 pieces: the first 1000 are told, and all are counted. */
TEST(of_very_many_runs_the_first_are_told)
{
    const studio_bench *b = *state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("{'name': 'pieces', 'demonstrations': [{'samples': [", out);
    for (int i = 0; i < 1001; i++)
        fprintf(out, "%s[%d,0,0,0,9,0,0],[%d.1,0,0,0,9,0,0]", i > 0 ? "," : "", i, i);
    fputs("]}]}", out);
    fclose(out);
    json_t *result = post_done(b, "/api/do/puppet-train", text);
    assert_int_equal(number(result, "runs"), 1001);
    json_decref(result);
    json_t *got = show_puppet_of(b, "pieces", 2000);
    assert_int_equal(json_array_size(json_object_get(got, "run_list")), 1000);
    assert_true(count_rows(got) <= 2000 && count_rows(got) >= 1000);
    json_decref(got);
    free(text);
}

/* ---- files -------------------------------------------------------------------------------------- */

TEST(a_file_is_the_bytes_that_are_kept)
{
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "shy");
    marey_error error = { 0 };
    uint8_t *bytes = NULL;
    size_t size = 0;
    char value[128];
    assert_int_equal(marey_puppet_write(of.puppet, &bytes, &size, &error), 0);
    http_answer got = studio_ask(b, "/api/puppet/file?name=shy", NULL);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.count, size);
    assert_memory_equal(got.body, bytes, size);
    assert_int_equal(wire_header(&got, "Content-Disposition", value, sizeof value), 1);
    assert_non_null(strstr(value, "attachment"));
    assert_non_null(strstr(value, "shy.puppet"));
    wire_free(&got);
    marey_graph_bytes_free(of.ctx, bytes, size);
    judge_close(&of);
}

TEST(the_name_of_a_file_is_in_plain_letters)
{
    const studio_bench *b = *state;
    char value[128];
    json_decref(post_done(b, "/api/do/puppet-train",
                          "{'name': 'a b;c\\u00e4', 'demonstrations': [{'puppet': 'runs'}]}"));
    http_answer got = studio_ask(b, "/api/puppet/csv?name=a%20b%3Bc%C3%A4", NULL);
    assert_int_equal(got.status, 200);
    wire_header(&got, "Content-Disposition", value, sizeof value);
    assert_non_null(strstr(value, "a_b_c__.csv"));
    wire_free(&got);
}

/* Runs that would run into each other without the time between them; the table shows each of them again. */
TEST(the_table_is_cut_into_the_same_runs_again)
{
    const studio_bench *b = *state;
    http_answer table = studio_ask(b, "/api/puppet/csv?name=runs", NULL);
    assert_int_equal(table.status, 200);
    json_t *body = json_pack("{s:s, s:[{s:s, s:s}]}", "name", "again", "demonstrations", "csv",
                             table.body, "called", "runs.csv");
    char *text = json_dumps(body, 0);
    json_t *result = post_done(b, "/api/do/puppet-train", text);
    assert_int_equal(number(result, "runs"), 3);
    assert_non_null(strstr(json_string_value(item(result, "notes", 0)), "runs.csv:21: "));
    puppet_judge was = judge_open(b, "runs"), is = judge_open(b, "again");
    for (int r = 0; r < 3; r++) {
        assert_int_equal(marey_puppet_run_samples(was.puppet, r),
                         marey_puppet_run_samples(is.puppet, r));
        for (int i = 0; i < marey_puppet_run_samples(was.puppet, r); i++) {
            marey_puppet_sample x = marey_puppet_sample_at(was.puppet, r, i);
            marey_puppet_sample y = marey_puppet_sample_at(is.puppet, r, i);
            assert_true(fabs(x.react.x_cm - y.react.x_cm) < 1e-6);
            assert_true(fabs(x.main.x_cm - y.main.x_cm) < 1e-6);
        }
    }
    judge_close(&was);
    judge_close(&is);
    json_decref(result);
    json_decref(body);
    free(text);
    wire_free(&table);
}

/* ---- changes ------------------------------------------------------------------------------------ */

TEST(another_name_and_the_end_are_changes_that_everybody_hears_of)
{
    const studio_bench *b = *state;
    http_wire wire;
    studio_live(&wire, b);
    json_decref(post(b, "/api/do/puppet-rename", "{'name': 'again', 'to': 'once'}", 200));
    json_t *told = studio_hear(&wire, "library", 10);
    assert_non_null(told);
    json_decref(told);
    json_t *got = list_puppets(b);
    assert_null(named(got, "again"));
    assert_non_null(named(got, "once"));
    json_decref(got);
    post_refused(b, "/api/do/puppet-rename", "{'name': 'once', 'to': 'shy'}", 409, "shy");
    json_decref(post(b, "/api/do/puppet-rm", "{'name': 'once'}", 200));
    told = studio_hear(&wire, "library", 10);
    assert_non_null(told);
    json_decref(told);
    wire_close(&wire);
}

TEST(what_is_not_there_is_404_with_the_nearest_name)
{
    const studio_bench *b = *state;
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

/* ---- running ------------------------------------------------------------------------------------ */

/* Somebody who goes along x, then up, at uneven times. */
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

TEST(a_run_is_that_of_the_library)
{
    enum { COUNT = 150 };
    static const struct {
        const char *more;
        marey_reactor_def def;
    } rows[] = { { "", { 0 } },
                 { ", 'start': [-50, 20, 0.5], 'balance': 0.25",
                   { .start_given = true, .start = { -50, 20, 0.5 }, .balance = 0.25 } },
                 { ", 'weight': 3, 'rough': true", { .weight = 3, .rough = true } } };
    const studio_bench *b = *state;
    puppet_judge of = judge_open(b, "shy");
    for (size_t k = 0; k < 3; k++) {
        marey_puppet_sample samples[COUNT];
        marey_played about;
        marey_error error = { 0 };
        make_main(samples, COUNT);
        char *text = run_body(samples, COUNT, rows[k].more);
        assert_int_equal(
            marey_puppet_play(of.ctx, of.puppet, samples, COUNT, &rows[k].def, &about, &error), 0);
        json_t *got = post_done(b, "/api/do/puppet-run", text);
        assert_int_equal(json_array_size(json_object_get(got, "rows")), COUNT);
        for (size_t i = 0; i < COUNT; i++) same_row(item(got, "rows", i), &samples[i]);
        assert_int_equal(number(got, "steps"), about.steps);
        assert_int_equal(number(got, "changes"), about.changes);
        assert_true(number(got, "balance") == about.balance);
        assert_true(json_number_value(item(got, "start", 0)) == about.start.x_cm);
        json_decref(got);
        free(text);
    }
    judge_close(&of);
}

/* What the parameters say is wrong at once; the rest is the job's. */
TEST(runs_that_cannot_be_are_refused)
{
    static const struct {
        const char *text, *says, *status; /* NULL: no job is made of it */
    } rows[] = {
        { "{'puppet': 'shy'}", "main", NULL },
        { "{'main': [[0,0,0,0],[1,0,0,0]]}", "puppet", NULL },
        { "{'puppet': 'shy', 'main': 5}", "main must be a table or a list of rows", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0]]}", "at least two", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0]]}", "sample 1", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,'x']]}", "sample 1", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,2e6,0,0]]}", "sample 1", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0],[1,0,0,0]]}", "sample 2", "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'balance': 2}", "balance", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'weight': 0}", "weight", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'weight': 2, 'balance': 0.3}",
          "give one of them", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'rough': 1}", "rough", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'start': [1,2]}", "start", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'start': [1,2e6,0]}", "start", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'fps': 30}", "only for graph", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'name': 'x'}", "go together",
          "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'graph': 'x'}", "go together",
          "request" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1,0,0,0]], 'speed': 1}", "speed", NULL },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[1e6,0,0,0]]}", "too much at once", "limit" },
        { "{'puppet': 'shy', 'main': [[0,0,0,0],[9,0,0,0]], 'graph': 'x', 'name': 'y'}", "x",
          "input" },
    };
    const studio_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].status)
            job_refused(b, "/api/do/puppet-run", rows[i].text, rows[i].status, rows[i].says);
        else
            post_refused(b, "/api/do/puppet-run", rows[i].text, 400, rows[i].says);
    }
}

/* A table's text does as well as rows. */
TEST(a_main_character_can_be_a_table)
{
    const studio_bench *b = *state;
    json_t *rows = post_done(b, "/api/do/puppet-run",
                             "{'puppet': 'shy', 'main': [[0,0,0,0],[1,90,0,0],[2,180,20,0.2]]}");
    json_t *table = post_done(b, "/api/do/puppet-run",
                              "{'puppet': 'shy', 'main': 'time,main_x,main_y,main_dir\\n0,0,0,0\\n"
                              "1,90,0,0\\n2,180,20,0.2\\n'}");
    assert_int_equal(json_array_size(json_object_get(rows, "rows")), 3);
    assert_true(json_equal(json_object_get(rows, "rows"), json_object_get(table, "rows")));
    json_decref(rows);
    json_decref(table);
}

TEST_GROUP_OF_CASES(test_studio_puppet, open_puppet_bench, close_puppet_bench)
