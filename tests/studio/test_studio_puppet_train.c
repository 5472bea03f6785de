/* test_studio_puppet_train.c - puppets that are trained in the studio: of any kind of demonstration, what is kept is what the library
   learns from the same; what was odd is noted, what cannot be is refused, and nothing is too much for the studio. */
#include "program_lines.h"
#include "puppet_studio.h"

enum { MOST_ROWS = 400 };

/* ---- as the library learns it ------------------------------------------------------------------- */

/* What is kept under a name must be the bytes of what these demonstrations come to. */
static void assert_learned(const studio_bench *b, const char *name, const marey_demonstration *all,
                           int count, const marey_puppet_def *def)
{
    puppet_judge of = judge_open(b, name);
    marey_puppet *puppet = NULL;
    marey_error error = { 0 };
    uint8_t *is = NULL, *should = NULL;
    size_t size = 0, expected = 0;
    assert_int_equal(marey_puppet_train(of.ctx, all, count, def, &puppet, &error), 0);
    assert_int_equal(marey_puppet_write(of.puppet, &is, &size, &error), 0);
    assert_int_equal(marey_puppet_write(puppet, &should, &expected, &error), 0);
    assert_int_equal(size, expected);
    assert_memory_equal(is, should, size);
    marey_graph_bytes_free(of.ctx, is, size);
    marey_graph_bytes_free(of.ctx, should, expected);
    marey_puppet_free(puppet);
    judge_close(&of);
}

/* Two who walk, one beside the other, at uneven times. */
static int make_pair(marey_puppet_sample *out, int count)
{
    double time = 0;
    for (int i = 0; i < count; i++) {
        double x = 120 * time;
        out[i] = (marey_puppet_sample){ time, { x, 10 * sin(time), 0.1 }, { x - 40, 80, -0.2 } };
        time += i % 4 == 0 ? 0.05 : 0.03;
    }
    return count;
}

static char *rows_text(const marey_puppet_sample *samples, int count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < count; i++) {
        const marey_puppet_sample *s = &samples[i];
        fprintf(out, "%s[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]", i > 0 ? "," : "", s->time_s,
                s->main.x_cm, s->main.y_cm, s->main.direction_rad, s->react.x_cm, s->react.y_cm,
                s->react.direction_rad);
    }
    fclose(out);
    return text;
}

/* `demonstrations` is a pattern with one %s, for the rows, or none. */
static json_t *train(const studio_bench *b, const char *name, const char *more,
                     const char *demonstrations)
{
    char *text;
    assert_true(asprintf(&text, "{'name': '%s'%s, 'demonstrations': [%s]}", name, more,
                         demonstrations) > 0);
    json_t *result = post_done(b, "/api/do/puppet-train", text);
    free(text);
    return result;
}

TEST(rows_of_numbers_are_learned)
{
    const studio_bench *b = *state;
    marey_puppet_sample samples[MOST_ROWS];
    marey_puppet_def def = { .rate = 45, .window_s = 0.4 };
    int count = make_pair(samples, 200);
    char *rows = rows_text(samples, count), *text;
    assert_true(asprintf(&text, "{'samples': [%s]}", rows) > 0);
    json_t *result = train(b, "drawn", ", 'rate': 45, 'window': 0.4, 'about': 'beside'", text);
    assert_learned(b, "drawn", &(marey_demonstration){ samples, count }, 1, &def);
    assert_string_equal(word(result, "name"), "drawn");
    assert_string_equal(word(result, "about"), "beside");
    assert_true(number(result, "rate") == 45 && number(result, "window_s") == 0.4);
    assert_int_equal(number(result, "runs"), 1);
    assert_int_equal(number(item(result, "demonstrations", 0), "rows"), count);
    assert_int_equal(json_array_size(json_object_get(result, "notes")), 0);
    json_decref(result);
    free(text);
    free(rows);
}

TEST(a_ready_one_is_learned)
{
    const studio_bench *b = *state;
    const marey_ready_puppet *ready = marey_ready_puppet_find(2);
    marey_puppet_sample *samples = calloc((size_t)ready->samples, sizeof *samples);
    char text[64];
    assert_non_null(samples);
    marey_ready_puppet_demonstrate(ready, samples);
    snprintf(text, sizeof text, "{'ready': '%s'}", ready->name);
    json_t *result = train(b, "ready", "", text);
    assert_learned(b, "ready", &(marey_demonstration){ samples, ready->samples }, 1, NULL);
    assert_string_equal(word(result, "about"), ready->about);
    json_decref(result);
    free(samples);
}

static int load_pair(const studio_bench *b, int64_t main, int64_t react, marey_puppet_sample *out)
{
    puppet_judge of = judge_open(b, "shy");
    char names[2][32];
    marey_clip *clips[2];
    marey_error error = { 0 };
    snprintf(names[0], sizeof names[0], "#%lld", (long long)main);
    snprintf(names[1], sizeof names[1], "#%lld", (long long)react);
    for (int i = 0; i < 2; i++)
        assert_int_equal(marey_library_load(of.library, names[i], &clips[i], &error), 0);
    int count = 0;
    assert_true(marey_clip_pair_samples(clips[0], clips[1]) <= MOST_ROWS);
    assert_int_equal(marey_clip_pair(clips[0], clips[1], out, &count, &error), 0);
    for (int i = 0; i < 2; i++) marey_clip_free(clips[i]);
    judge_close(&of);
    return count;
}

TEST(the_paths_of_two_clips_are_learned_and_named_as_sources)
{
    const studio_bench *b = *state;
    marey_puppet_sample samples[MOST_ROWS];
    int count = load_pair(b, b->ids[0], b->ids[2], samples);
    char text[96];
    snprintf(text, sizeof text, "{'clips': [%lld, %lld]}", (long long)b->ids[0],
             (long long)b->ids[2]);
    json_decref(train(b, "clips", "", text));
    assert_learned(b, "clips", &(marey_demonstration){ samples, count }, 1, NULL);
    puppet_judge of = judge_open(b, "clips");
    marey_kept *kept = NULL;
    int entries;
    assert_int_equal(marey_library_kept(of.library, MAREY_KEPT_PUPPET, "clips", &kept, NULL), 0);
    const marey_kept_entry *entry = marey_kept_entries(kept, &entries);
    assert_int_equal(entry->part_count, 2);
    assert_int_equal(entry->parts[0].clip, b->ids[0]);
    assert_int_equal(entry->parts[1].clip, b->ids[2]);
    assert_int_equal(entry->parts[1].end, bench_frames[2]);
    marey_kept_free(kept);
    judge_close(&of);
}

static bool has_note(const json_t *result, const char *says)
{
    const json_t *notes = json_object_get(result, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++)
        if (strstr(json_string_value(json_array_get(notes, i)), says)) return true;
    return false;
}

/* Puts somebody whose tracking is lost for a while into the library; its number. */
static int64_t put_lost(const studio_bench *b, int frames, int start, int end)
{
    char path[4200];
    marey_ctx *ctx = test_ctx();
    marey_library *library = NULL;
    marey_listing *listing = NULL;
    marey_error error = { 0 };
    int64_t id = 0;
    int count;
    snprintf(path, sizeof path, "%s/lost.bvh", b->folder);
    test_write_dropouts(path, frames, start, end);
    marey_clip *clip = test_clip_load(ctx, path);
    test_fine(marey_library_open(ctx, b->path, MAREY_LIBRARY_WRITE, &library, &error), &error);
    test_fine(marey_library_put(library, clip, "lost", NULL, NULL, 0, &error), &error);
    test_fine(marey_library_list(library, NULL, &listing, &error), &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i].name, "lost") == 0) id = entries[i].id;
    marey_listing_free(listing);
    marey_library_close(library);
    marey_clip_free(clip);
    marey_ctx_close(ctx);
    unlink(path);
    return id;
}

TEST(moments_in_which_a_frame_is_marked_are_left_out_and_noted)
{
    const studio_bench *b = *state;
    marey_puppet_sample samples[MOST_ROWS], drawn[MOST_ROWS];
    int64_t lost = put_lost(b, 100, 30, 70);
    int count = load_pair(b, lost, lost, samples), more = make_pair(drawn, 60);
    char *rows = rows_text(drawn, more), *text;
    assert_int_equal(count, 60);
    assert_true(
        asprintf(&text, "{'samples': [%s]}, {'clips': [%lld, %lld]}, {'clips': [%lld, %lld]}", rows,
                 (long long)lost, (long long)lost, (long long)lost, (long long)lost) > 0);
    json_t *result = train(b, "lost", "", text);
    marey_demonstration all[] = { { drawn, more }, { samples, count }, { samples, count } };
    assert_learned(b, "lost", all, 3, NULL);
    assert_int_equal(number(result, "runs"), 5); /* each is cut in two */
    assert_true(has_note(result, "lost, lost: 40 moments left out: a frame there is no captured "
                                 "motion"));
    json_decref(result);
    free(text);
    free(rows);
}

/* In the order of the body, whatever is loaded when: the first one says where a reactor stands at first. */
TEST(more_is_shown_to_a_kept_one_in_order)
{
    const studio_bench *b = *state;
    marey_puppet_sample drawn[MOST_ROWS], walked[MOST_ROWS], kept[MOST_ROWS];
    int count = make_pair(drawn, 60), steps = load_pair(b, b->ids[1], b->ids[0], walked);
    puppet_judge of = judge_open(b, "drawn");
    int held = marey_puppet_run_samples(of.puppet, 0);
    for (int i = 0; i < held; i++) kept[i] = marey_puppet_sample_at(of.puppet, 0, i);
    judge_close(&of);
    char *rows = rows_text(drawn, count), *text;
    assert_true(asprintf(&text,
                         "{'clips': [%lld, %lld]}, {'puppet': 'drawn'}, {'samples': [%s]}, "
                         "{'clips': [%lld, %lld]}",
                         (long long)b->ids[1], (long long)b->ids[0], rows, (long long)b->ids[1],
                         (long long)b->ids[0]) > 0);
    json_t *result = train(b, "drawn", "", text);
    marey_demonstration all[] = {
        { walked, steps }, { kept, held }, { drawn, count }, { walked, steps }
    };
    assert_learned(b, "drawn", all, 4, NULL);
    assert_string_equal(word(result, "about"), "beside");
    json_decref(result);
    free(text);
    free(rows);
}

/* ---- tables and notes --------------------------------------------------------------------------- */

static json_t *train_table(const studio_bench *b, const char *name, const char *csv,
                           const char *called)
{
    json_t *one = json_pack("{s:s}", "csv", csv);
    if (called) json_object_set_new(one, "called", json_string(called));
    json_t *body = json_pack("{s:s, s:[o]}", "name", name, "demonstrations", one);
    char *text = json_dumps(body, 0);
    json_t *over = post_job(b, "/api/do/puppet-train", text);
    free(text);
    json_decref(body);
    assert_string_equal(word(over, "state"), "done");
    json_t *result = json_incref(json_object_get(over, "result"));
    json_decref(over);
    return result;
}

/* Lines end as they do on another system; an empty one and a remark are counted too. */
TEST(what_is_odd_in_a_table_is_noted_by_its_line)
{
    const studio_bench *b = *state;
    static const char csv[] = "# drawn by hand\r\n"
                              "time,main_x,main_y,main_dir,react_x,react_y,react_dir,who\r\n"
                              "0,0,0,0,50,0,0,a\r\n"
                              "\r\n"
                              "0.3,10,0,0,50,0,0,a\r\n"
                              "2.3,20,0,0,50,0,0,a\r\n"
                              "2.6,30,0,90,50,0,0,a\r\n"
                              "9,30,0,1,50,0,0,a\r\n";
    json_t *result = train_table(b, "table", csv, "a.csv");
    assert_int_equal(number(result, "runs"), 2);
    assert_true(has_note(result, "a.csv:6: this row comes behind the first of 2 gaps of up to 6.4 "
                                 "s; the demonstration is cut there"));
    assert_true(has_note(result, "a.csv:7: a direction is beyond 7"));
    assert_true(has_note(result, "a.csv: other columns are passed over (1)"));
    assert_true(has_note(result, "a.csv: 1 of 3 pieces between gaps left out: shorter than a step, "
                                 "the first at 9 s"));
    assert_true(has_note(result, "0.6 s are little to learn from"));
    assert_int_equal(json_array_size(json_object_get(result, "notes")), 5);
    json_decref(result);
}

TEST(gaps_between_rows_are_noted)
{
    const studio_bench *b = *state;
    json_t *result = train(b, "gaps", "",
                           "{'ready': 'shy'}, {'samples': [[0,0,0,0,9,0,0],[0.4,5,0,0,9,0,0],"
                           "[0.8,9,0,0,9,0,0],[3,9,0,0,9,0,0],[3.2,9,0,0,9,0,0]]}");
    assert_int_equal(number(result, "runs"), 3);
    assert_true(has_note(result,
                         "demonstration 1 is cut at gaps of more than 0.5 s (1, the longest "
                         "of 2.2 s)"));
    assert_int_equal(json_array_size(json_object_get(result, "notes")), 1);
    json_decref(result);
}

/* ---- what cannot be ----------------------------------------------------------------------------- */

#define GOOD "{'samples': [[0,0,0,0,9,0,0],[0.4,5,0,0,9,0,0]]}"

TEST(what_cannot_be_is_refused_with_its_number)
{
    static const struct {
        const char *text, *says, *status; /* NULL: no job is made of it */
    } rows[] = {
        { "[" GOOD "]", "object", NULL },
        { "{'name': 'x'}", "demonstrations", NULL },
        { "{'demonstrations': [" GOOD "]}", "name", NULL },
        { "{'name': '', 'demonstrations': [" GOOD "]}", "name", NULL },
        { "{'name': 'a/b', 'demonstrations': [" GOOD "]}", "name", NULL },
        { "{'name': 'x', 'demonstrations': []}", "a list of objects", NULL },
        { "{'name': 'x', 'demonstrations': {}}", "a list of objects", NULL },
        { "{'name': 'x', 'rate': 4, 'demonstrations': [" GOOD "]}", "rate", NULL },
        { "{'name': 'x', 'rate': 240, 'window': 1, 'demonstrations': [" GOOD "]}", "window", NULL },
        { "{'name': 'x', 'gap_s': 1, 'demonstrations': [" GOOD "]}", "gap_s", NULL },
        { "{'name': 'x', 'demonstrations': [" GOOD ", {}]}", "demonstration 1", "request" },
        { "{'name': 'x', 'demonstrations': [" GOOD ", 5]}", "a list of objects", NULL },
        { "{'name': 'x', 'demonstrations': [{'ready': 'shy', 'csv': ''}]}", "demonstration 0",
          "request" },
        { "{'name': 'x', 'demonstrations': [{'ready': 'shy', 'called': 'a'}]}", "demonstration 0",
          "request" },
        { "{'name': 'x', 'demonstrations': [{'ready': 'shyy'}]}", "shy", "request" },
        { "{'name': 'x', 'demonstrations': [{'ready': 5}]}", "ready", "request" },
        { "{'name': 'x', 'demonstrations': [{'samples': [[0,0,0,0,9,0,0]]}]}", "at least two",
          "request" },
        { "{'name': 'x', 'demonstrations': [" GOOD ", {'samples': [[0,0,0,0,9,0,0],[1,0,0]]}]}",
          "demonstration 1, sample 1", "request" },
        { "{'name': 'x', 'demonstrations': [{'samples': [[0,0,0,0,9,0,0],[1,0,0,0,9,0,null]]}]}",
          "demonstration 0, sample 1", "request" },
        { "{'name': 'x', 'demonstrations': [{'samples': [[0,0,0,0,9,0,0],[1,0,2e6,0,9,0,0]]}]}",
          "demonstration 0, sample 1", "request" },
        { "{'name': 'x', 'demonstrations': [{'samples': [[1,0,0,0,9,0,0],[1,0,0,0,9,0,0]]}]}",
          "demonstration 0, sample 1: its time", "request" },
        { "{'name': 'x', 'demonstrations': [{'csv': 'time,main_x'}]}", "demonstration 0", "input" },
        { "{'name': 'x', 'demonstrations': [{'csv': 'time,main_x,main_y,main_dir,react_x,react_y,"
          "react_dir\\n0,0,0,0,9,0,0\\n1,0,0,zero,9,0,0\\n', 'called': 'b.csv'}]}",
          "b.csv:3:", "input" },
        { "{'name': 'x', 'demonstrations': [{'clips': [1]}]}", "demonstration 0", "request" },
        { "{'name': 'x', 'demonstrations': [{'clips': [1, 4000]}]}", "4000", "input" },
        { "{'name': 'x', 'demonstrations': [{'puppet': 'shyy'}]}", "shy", "input" },
    };
    const studio_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].status)
            job_refused(b, "/api/do/puppet-train", rows[i].text, rows[i].status, rows[i].says);
        else
            post_refused(b, "/api/do/puppet-train", rows[i].text, 400, rows[i].says);
    }
    post_refused(b, "/api/do/puppet-show", "{'name': 'x'}", 404, "x");
}

/* ---- how much ----------------------------------------------------------------------------------- */

/* A body of `pieces` demonstrations or rows, as a writer of them has it. */
typedef void (*write_one)(FILE *out, int i);

static char *long_body(const char *before, int count, write_one one, const char *behind)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(before, out);
    for (int i = 0; i < count; i++) {
        if (i > 0) fputc(',', out);
        one(out, i);
    }
    fputs(behind, out);
    fclose(out);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return text;
}

static void write_demonstration(FILE *out, int i)
{
    fprintf(out, "{'samples': [[0,%d,0,0,9,0,0],[0.1,%d,0,0,9,0,0]]}", i, i + 1);
}

TEST(as_many_demonstrations_as_are_allowed_are_learned_and_no_more)
{
    const studio_bench *b = *state;
    char *text = long_body("{'name': 'many', 'demonstrations': [", 4096, write_demonstration, "]}");
    json_t *result = post_done(b, "/api/do/puppet-train", text);
    assert_int_equal(number(result, "runs"), 4096);
    json_decref(result);
    free(text);
    text = long_body("{'name': 'many', 'demonstrations': [", 4097, write_demonstration, "]}");
    post_refused(b, "/api/do/puppet-train", text, 400, "4096");
    free(text);
}

static void write_slow(FILE *out, int i)
{
    fprintf(out, "[%.1f,%d,0,0,9,0,0]", 0.4 * i, i % 100);
}

static void write_short(FILE *out, int i)
{
    fprintf(out, "[%.3f,%d,0,0,9,0,0]", i / 2 * 1.0 + i % 2 * 0.01, i % 100);
}

static void write_long(FILE *out, int i)
{
    fprintf(out, "[%d.000000000000,0.000000000000000000000000000000,0,0,9,0,0]", i);
}

static void write_zero(FILE *out, int i)
{
    (void)i;
    fputs("0", out);
}

static void assert_too_much(const studio_bench *b, const char *text, const char *says)
{
    json_t *over = post_job(b, "/api/do/puppet-train", text);
    const json_t *error = json_object_get(over, "error");
    assert_string_equal(word(over, "state"), "failed");
    assert_string_equal(word(error, "status"), "limit");
    assert_non_null(strstr(word(error, "message"), says));
    json_decref(over);
}

/* 20 000 rows are 8000 s, 1.9 million steps; and 12 000 pieces of three steps have 1.5 million that stand before them. */
TEST(too_many_steps_are_refused_and_those_before_the_runs_count)
{
    const studio_bench *b = *state;
    static const char before[] = "{'name': 'x', 'rate': 240, 'demonstrations': [{'samples': [";
    static const char still[] =
        "{'name': 'x', 'rate': 240, 'window': 0.533, 'demonstrations': [{'samples': [";
    char *text = long_body(before, 20000, write_slow, "]}]}");
    assert_too_much(b, text, "1920025 steps");
    free(text);
    text = long_body(still, 24000, write_short, "]}]}");
    assert_too_much(b, text, "1572000 steps");
    free(text);
}

/* Longer than other bodies may be; one that is too long, or has too many values, is not read at all. */
TEST(long_bodies_are_taken_up_to_their_limits)
{
    const studio_bench *b = *state;
    static const char before[] =
        "{'name': 'long', 'rate': 10, 'gap': 2, 'demonstrations': [{'samples': [";
    static const char good[] = "]}, " GOOD "]}";
    char *text = long_body(before, 20000, write_long, good);
    assert_true(strlen(text) > (1 << 20));
    json_t *result = post_done(b, "/api/do/puppet-train", text);
    assert_int_equal(number(result, "runs"), 2);
    json_decref(result);
    free(text);
    text = long_body("{'name': 'x', 'demonstrations': [", (1 << 20) + 1, write_zero, "]}");
    post_refused(b, "/api/do/puppet-train", text, 413, "values");
    free(text);
    text = long_body(before, 150000, write_long, good);
    assert_true(strlen(text) > (8 << 20));
    post_refused(b, "/api/do/puppet-train", text, 413, "8 MiB");
    free(text);
}

static int64_t start_long(const studio_bench *b, const char *name)
{
    char before[128];
    snprintf(before, sizeof before, "{'name': '%s', 'rate': 240, 'demonstrations': [{'samples': [",
             name);
    char *text = long_body(before, 9000, write_slow, "]}]}");
    json_t *started = studio_json(b, "/api/do/puppet-train", text, 202);
    int64_t job = (int64_t)number(started, "job");
    json_decref(started);
    free(text);
    return job;
}

static void cancel(const studio_bench *b, int64_t job)
{
    char target[64];
    snprintf(target, sizeof target, "/api/jobs/%lld/cancel", (long long)job);
    json_decref(studio_json(b, target, "{}", 200));
}

/* The last of many is stopped before its turn comes, and the others when they wait or run. */
TEST(a_job_can_be_cancelled)
{
    enum { COUNT = 12 };
    const studio_bench *b = *state;
    int64_t jobs[COUNT];
    for (int i = 0; i < COUNT; i++) jobs[i] = start_long(b, i < COUNT - 1 ? "before" : "stopped");
    for (int i = COUNT - 1; i >= 0; i--) cancel(b, jobs[i]);
    json_t *over = studio_job_wait(b, jobs[COUNT - 1]);
    assert_string_equal(word(over, "state"), "cancelled");
    post_refused(b, "/api/do/puppet-show", "{'name': 'stopped'}", 404, "stopped");
    json_decref(over);
    json_decref(studio_job_wait(b, jobs[0]));
}

TEST_GROUP_OF_CASES(test_studio_puppet_train, open_puppet_bench, close_puppet_bench)
