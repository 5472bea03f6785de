/* test_studio_puppet_train.c - puppets that are trained in the studio: of any kind of
   demonstration, what is kept is what the library learns from the same; what was odd is noted, what
   is invalid is refused, and nothing is too much for the studio. */
#include "program_lines.h"
#include "puppet_studio.h"

enum { MOST_ROWS = 400 };

/* ---- as the library learns it ---------------------------------------------------------------- */

/* What is kept under a name must be the bytes of what these demonstrations come to. */
static void assert_learned(const studio_bench *b, const char *name, const marey_demonstration *all,
                           int count, const marey_puppet_def *def)
{
    OWNED(puppet_judge) of = judge_open(b, name);
    OWNED(marey_puppet) *puppet = NULL;
    uint8_t *is = NULL, *should = NULL;
    size_t size = 0, expected = 0;
    assert_int_equal(marey_puppet_train(of.ctx, all, count, def, &puppet, NULL), 0);
    assert_int_equal(marey_puppet_write(of.puppet, &is, &size, NULL), 0);
    assert_int_equal(marey_puppet_write(puppet, &should, &expected, NULL), 0);
    assert_int_equal(size, expected);
    assert_memory_equal(is, should, size);
    marey_graph_bytes_free(of.ctx, is, size);
    marey_graph_bytes_free(of.ctx, should, expected);
}

/* Two characters that walk, one beside the other, at uneven times. */
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

TEST_OF(studio_bench *b, rows_of_numbers_are_learned)
{
    marey_puppet_sample samples[MOST_ROWS];
    marey_puppet_def def = { .rate = 45, .window_s = 0.4 };
    int count = make_pair(samples, 200);
    FREED char *rows = rows_text(samples, count);
    const json_t *result = train_puppet(
        b, "drawn", ", 'rate': 45, 'window': 0.4, 'about': 'beside'", "{'samples': [%s]}", rows);
    assert_learned(b, "drawn", &(marey_demonstration){ samples, count }, 1, &def);
    expect(result,
           "{'name': 'drawn', 'about': 'beside', 'rate': 45, 'window_s': 0.4, 'runs': 1, "
           "'demonstrations': [{'rows': %d}], 'notes': []}",
           count);
}

TEST_OF(studio_bench *b, a_ready_one_is_learned)
{
    const marey_ready_puppet *ready = marey_ready_puppet_find(2);
    FREED marey_puppet_sample *samples = calloc((size_t)ready->samples, sizeof *samples);
    assert_non_null(samples);
    marey_ready_puppet_demonstrate(ready, samples);
    const json_t *result = train_puppet(b, "ready", "", "{'ready': '%s'}", ready->name);
    assert_learned(b, "ready", &(marey_demonstration){ samples, ready->samples }, 1, NULL);
    assert_string_equal(word(result, "about"), ready->about);
}

static int load_pair(const studio_bench *b, int64_t main, int64_t react, marey_puppet_sample *out)
{
    OWNED(puppet_judge) of = judge_open(b, "shy");
    OWNED(marey_clip) *first = NULL, *second = NULL;
    char name[32];
    int count = 0;
    snprintf(name, sizeof name, "#%" PRId64, main);
    assert_int_equal(marey_library_load(of.library, name, &first, NULL), 0);
    snprintf(name, sizeof name, "#%" PRId64, react);
    assert_int_equal(marey_library_load(of.library, name, &second, NULL), 0);
    assert_true(marey_clip_pair_samples(first, second) <= MOST_ROWS);
    assert_int_equal(marey_clip_pair(first, second, out, &count, NULL), 0);
    return count;
}

TEST_OF(studio_bench *b, the_paths_of_two_clips_are_learned_and_named_as_sources)
{
    marey_puppet_sample samples[MOST_ROWS];
    int count = load_pair(b, b->ids[0], b->ids[2], samples), entries;
    train_puppet(b, "clips", "", "{'clips': [%" PRId64 ", %" PRId64 "]}", b->ids[0], b->ids[2]);
    assert_learned(b, "clips", &(marey_demonstration){ samples, count }, 1, NULL);
    OWNED(puppet_judge) of = judge_open(b, "clips");
    OWNED(marey_kept) *kept = NULL;
    assert_int_equal(marey_library_kept(of.library, MAREY_KEPT_PUPPET, "clips", &kept, NULL), 0);
    const marey_kept_entry *entry = marey_kept_entries(kept, &entries);
    assert_int_equal(entry->part_count, 2);
    assert_int_equal(entry->parts[0].clip, b->ids[0]);
    assert_int_equal(entry->parts[1].clip, b->ids[2]);
    assert_int_equal(entry->parts[1].end, bench_frames[2]);
}

static bool has_note(const json_t *result, const char *says)
{
    for (size_t i = 0; i < size_of(result, "notes"); i++)
        if (strstr(json_string_value(item(result, "notes", i)), says)) return true;
    return false;
}

/* Puts a clip into the library whose tracking is lost for a while; its number. */
static int64_t put_lost(const studio_bench *b, int frames, int start, int end)
{
    char path[4200];
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    marey_error error = { 0 };
    snprintf(path, sizeof path, "%s/lost.bvh", b->folder);
    test_write_dropouts(path, frames, start, end);
    OWNED(marey_clip) *clip = test_clip_load(ctx, path);
    unlink(path);
    test_fine(marey_library_open(ctx, b->path, MAREY_LIBRARY_WRITE, &library, &error), &error);
    test_fine(marey_library_put(library, clip, "lost", NULL, NULL, 0, &error), &error);
    return whole(item(studio_get(b, 200, "/api/clips?text=lost"), "clips", 0), "id");
}

TEST_OF(studio_bench *b, moments_in_which_a_frame_is_marked_are_left_out_and_noted)
{
    marey_puppet_sample samples[MOST_ROWS], drawn[MOST_ROWS];
    long long lost = put_lost(b, 100, 30, 70);
    int count = load_pair(b, lost, lost, samples), more = make_pair(drawn, 60);
    FREED char *rows = rows_text(drawn, more);
    assert_int_equal(count, 60);
    const json_t *result = train_puppet(
        b, "lost", "", "{'samples': [%s]}, {'clips': [%lld, %lld]}, {'clips': [%lld, %lld]}", rows,
        lost, lost, lost, lost);
    marey_demonstration all[] = { { drawn, more }, { samples, count }, { samples, count } };
    assert_learned(b, "lost", all, 3, NULL);
    assert_int_equal(number(result, "runs"), 5); /* each is cut in two */
    assert_true(has_note(result, "lost, lost: 40 moments left out: a frame there is no captured "
                                 "motion"));
}

/* In the order of the body, whatever is loaded when: the first one says where a reactor stands at
   first. */
TEST_OF(studio_bench *b, more_is_shown_to_a_saved_one_in_order)
{
    marey_puppet_sample drawn[MOST_ROWS], walked[MOST_ROWS], kept[MOST_ROWS];
    int count = make_pair(drawn, 60), steps = load_pair(b, b->ids[1], b->ids[0], walked);
    OWNED(puppet_judge) of = judge_open(b, "drawn");
    int held = marey_puppet_run_samples(of.puppet, 0);
    for (int i = 0; i < held; i++) kept[i] = marey_puppet_sample_at(of.puppet, 0, i);
    FREED char *rows = rows_text(drawn, count);
    const json_t *result =
        train_puppet(b, "drawn", "",
                     "{'clips': [%" PRId64 ", %" PRId64 "]}, {'puppet': 'drawn'}, "
                     "{'samples': [%s]}, {'clips': [%" PRId64 ", %" PRId64 "]}",
                     b->ids[1], b->ids[0], rows, b->ids[1], b->ids[0]);
    marey_demonstration all[] = {
        { walked, steps }, { kept, held }, { drawn, count }, { walked, steps }
    };
    assert_learned(b, "drawn", all, 4, NULL);
    assert_string_equal(word(result, "about"), "beside");
}

/* ---- tables and notes ------------------------------------------------------------------------ */

/* Lines end as they do on another system; an empty one and a remark are counted too. */
TEST_OF(studio_bench *b, what_is_odd_in_a_table_is_noted_by_its_line)
{
    const json_t *result =
        train_puppet(b, "table", "", "{'csv': '%s', 'called': 'a.csv'}",
                     "# drawn by hand\\r\\n"
                     "time,main_x,main_y,main_dir,react_x,react_y,react_dir,who\\r\\n"
                     "0,0,0,0,50,0,0,a\\r\\n"
                     "\\r\\n"
                     "0.3,10,0,0,50,0,0,a\\r\\n"
                     "2.3,20,0,0,50,0,0,a\\r\\n"
                     "2.6,30,0,90,50,0,0,a\\r\\n"
                     "9,30,0,1,50,0,0,a\\r\\n");
    assert_int_equal(number(result, "runs"), 2);
    assert_true(has_note(result, "a.csv:6: this row comes behind the first of 2 gaps of up to 6.4 "
                                 "s; the demonstration is cut there"));
    assert_true(has_note(result, "a.csv:7: a direction is beyond 7"));
    assert_true(has_note(result, "a.csv: other columns are passed over (1)"));
    assert_true(has_note(result, "a.csv: 1 of 3 pieces between gaps left out: shorter than a step, "
                                 "the first at 9 s"));
    assert_true(has_note(result, "0.6 s are little to learn from"));
    assert_int_equal(size_of(result, "notes"), 5);
}

TEST_OF(studio_bench *b, gaps_between_rows_are_noted)
{
    const json_t *result =
        train_puppet(b, "gaps", "",
                     "{'ready': 'shy'}, {'samples': [[0,0,0,0,9,0,0],[0.4,5,0,0,9,0,0],"
                     "[0.8,9,0,0,9,0,0],[3,9,0,0,9,0,0],[3.2,9,0,0,9,0,0]]}");
    assert_int_equal(number(result, "runs"), 3);
    assert_true(has_note(result,
                         "demonstration 1 is cut at gaps of more than 0.5 s (1, the longest "
                         "of 2.2 s)"));
    assert_int_equal(size_of(result, "notes"), 1);
}

/* ---- what is invalid ------------------------------------------------------------------------- */

#define GOOD "{'samples': [[0,0,0,0,9,0,0],[0.4,5,0,0,9,0,0]]}"

TEST_OF(studio_bench *b, invalid_demonstrations_are_refused_with_their_number)
{
    static const puppet_refusal rows[] = {
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
    refused_rows(b, "/api/do/puppet-train", rows, sizeof rows / sizeof *rows);
    post_refused(b, "/api/do/puppet-show", "{'name': 'x'}", 404, "x");
}

/* ---- how much -------------------------------------------------------------------------------- */

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
    return text;
}

static void write_demonstration(FILE *out, int i)
{
    fprintf(out, "{'samples': [[0,%d,0,0,9,0,0],[0.1,%d,0,0,9,0,0]]}", i, i + 1);
}

TEST_OF(studio_bench *b, as_many_demonstrations_as_are_allowed_are_learned_and_no_more)
{
    static const char before[] = "{'name': 'many', 'demonstrations': [";
    FREED char *most = long_body(before, 4096, write_demonstration, "]}");
    FREED char *more = long_body(before, 4097, write_demonstration, "]}");
    expect(studio_done(b, "/api/do/puppet-train", "%s", most), "{'runs': 4096}");
    post_refused(b, "/api/do/puppet-train", more, 400, "4096");
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

/* 20 000 rows are 8000 s, 1.9 million steps; and 12 000 pieces of three steps have 1.5 million that
   stand before them. */
TEST_OF(studio_bench *b, too_many_steps_are_refused_and_those_before_the_runs_count)
{
    FREED char *many = long_body("{'name': 'x', 'rate': 240, 'demonstrations': [{'samples': [",
                                 20000, write_slow, "]}]}");
    FREED char *still =
        long_body("{'name': 'x', 'rate': 240, 'window': 0.533, 'demonstrations': [{'samples': [",
                  24000, write_short, "]}]}");
    job_refused(b, "/api/do/puppet-train", many, "limit", "1920025 steps");
    job_refused(b, "/api/do/puppet-train", still, "limit", "1572000 steps");
}

/* Longer than other bodies may be; one that is too long, or has too many values, is not read at
   all. */
TEST_OF(studio_bench *b, long_bodies_are_taken_up_to_their_limits)
{
    static const char before[] =
        "{'name': 'long', 'rate': 10, 'gap': 2, 'demonstrations': [{'samples': [";
    static const char good[] = "]}, " GOOD "]}";
    FREED char *taken = long_body(before, 20000, write_long, good);
    FREED char *values =
        long_body("{'name': 'x', 'demonstrations': [", (1 << 20) + 1, write_zero, "]}");
    FREED char *bytes = long_body(before, 150000, write_long, good);
    assert_true(strlen(taken) > (1 << 20) && strlen(bytes) > (8 << 20));
    expect(studio_done(b, "/api/do/puppet-train", "%s", taken), "{'runs': 2}");
    post_refused(b, "/api/do/puppet-train", values, 413, "values");
    post_refused(b, "/api/do/puppet-train", bytes, 413, "8 MiB");
}

static int64_t start_long(const studio_bench *b, const char *name)
{
    FREED char *rows = long_body("", 9000, write_slow, "");
    const json_t *started = studio_post(
        b, 202, "/api/do/puppet-train",
        "{'name': '%s', 'rate': 240, 'demonstrations': [{'samples': [%s]}]}", name, rows);
    return whole(started, "job");
}

/* The last of many is stopped before its turn comes, and the others when they wait or run. */
TEST_OF(studio_bench *b, a_job_can_be_cancelled)
{
    enum { COUNT = 12 };
    int64_t jobs[COUNT];
    char target[64];
    for (int i = 0; i < COUNT; i++) jobs[i] = start_long(b, i < COUNT - 1 ? "before" : "stopped");
    for (int i = COUNT - 1; i >= 0; i--) {
        snprintf(target, sizeof target, "/api/jobs/%" PRId64 "/cancel", jobs[i]);
        studio_post(b, 200, target, "{}");
    }
    assert_string_equal(word(studio_job_wait(b, jobs[COUNT - 1]), "state"), "cancelled");
    post_refused(b, "/api/do/puppet-show", "{'name': 'stopped'}", 404, "stopped");
    studio_job_wait(b, jobs[0]);
}

TEST_GROUP_OF_CASES(test_studio_puppet_train, open_puppet_bench, close_bench)
