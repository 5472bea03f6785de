/* test_studio_api_jobs.c - what takes long: files dropped on the page, the demo, exports. What comes of them is
   compared with what the program does with the same files. */
/* First: it has parameters that are called like a type of the studio. */
#include "asf_bench.h"

#include "api_bench.h"
#include "library/library_data.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/stat.h>

static const char amc[] = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 10 0 0 0 0\nhip 5 1\n"
                          "2\nroot 0 10 1 0 2 0\nhip 6 1\n3\nroot 0 10 2 0 4 0\nhip 7 2\n";

/* ---- dropping files ----------------------------------------------------------------------------- */

static void put(memory_files *files, heap *memory, const char *name, const char *text)
{
    studio_bytes content = { .memory = memory };
    bytes_add(&content, text, strlen(text));
    assert_int_equal(memory_files_put(files, name, &content), 0);
}

/* What api_import says to these files. */
static studio_response drop_files(api_bench *b, memory_files *files, const char *query)
{
    char text[1024];
    studio_request what = { .files = files };
    studio_response to = { .tag = "", .body = { .memory = &b->of.memory } };
    snprintf(text, sizeof text, "%s", query);
    assert_true(query_parse(&what, text));
    api_import(&b->by, &what, &to);
    memory_files_free(what.files); /* if it was not taken over */
    return to;
}

static memory_files *some_files(api_bench *b)
{
    heap *memory = &b->of.memory;
    memory_files *files = memory_files_make(memory);
    char *person = test_person(30), *again = test_person(60);
    put(files, memory, "dance/jump.bvh", person);
    put(files, memory, "dance/again.bvh", again); /* walk is there already */
    put(files, memory, "dance/notes.txt", "nothing that moves");
    put(files, memory, "dance/torn.bvh", "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0");
    put(files, memory, "s07/07.asf", GOOD);
    put(files, memory, "s07/07_01.amc", amc);
    free(person);
    free(again);
    return files;
}

static const json_t *only(const json_t *result, const char *list)
{
    const json_t *all = json_object_get(result, list);
    if (json_array_size(all) < 1) fail_msg("%s is empty", list);
    return json_array_get(all, 0);
}

static const char *text_of(const json_t *of, const char *key)
{
    const char *text = json_string_value(json_object_get(of, key));
    if (!text) fail_msg("there is no %s", key);
    return text;
}

TEST(an_import_tells_what_came_of_each_file)
{
    api_bench b;
    api_bench_open(&b);
    studio_response to = drop_files(&b, some_files(&b), "label=new&licence=CC0&label=odd");
    json_t *result = api_job_done(&b, answer_take_json(&to, 202));
    assert_int_equal(json_array_size(json_object_get(result, "added")), 2);
    const json_t *jump = only(result, "added");
    assert_string_equal(text_of(jump, "path"), "dance/jump.bvh");
    assert_string_equal(text_of(jump, "name"), "jump");
    assert_int_equal(json_integer_value(json_object_get(jump, "frames")), 30);
    assert_int_equal(json_integer_value(json_object_get(jump, "id")), bench_id(&b, "jump"));
    assert_string_equal(text_of(jump, "units"), "cm");
    assert_string_equal(text_of(only(result, "duplicates"), "path"), "dance/again.bvh");
    assert_string_equal(text_of(only(result, "duplicates"), "name"), "walk");
    assert_int_equal(json_array_size(json_object_get(result, "skipped")), 2);
    assert_string_equal(json_string_value(only(result, "skipped")), "dance/notes.txt");
    assert_string_equal(text_of(only(result, "errors"), "path"), "dance/torn.bvh");
    assert_int_equal(json_integer_value(json_object_get(only(result, "errors"), "line")), 4);
    json_decref(result);
    assert_int_equal(memory_files_count(b.by.files), 0);
    api_bench_close(&b);
}

static char *program_says(const char *line)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    free(run.err.bytes);
    return run.out.bytes;
}

static void same_file(const char *a, const char *b)
{
    size_t a_count, b_count;
    char *first = test_file_read(a, &a_count), *second = test_file_read(b, &b_count);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(first, second, a_count);
    free(first);
    free(second);
}

TEST(an_import_leaves_what_marey_add_of_the_same_files_leaves)
{
    api_bench b;
    api_bench_open(&b);
    char *person = test_person(30);
    mkdir("dance", 0777);
    mkdir("s07", 0777);
    test_file_write("dance/jump.bvh", person, strlen(person));
    test_file_write("s07/07.asf", GOOD, sizeof GOOD - 1);
    test_file_write("s07/07_01.amc", amc, sizeof amc - 1);
    free(person);
    bench_program("marey add other.marey walk.bvh --label walking --licence 'CC BY 4.0'");
    bench_program("marey add other.marey run.bvh slide.bvh");
    bench_program("marey add other.marey dance s07 --label new --licence CC0");
    memory_files *files = some_files(&b);
    studio_bytes gone = { 0 };
    assert_true(memory_files_take(files, "dance/again.bvh", &gone));
    bytes_free(&gone);
    studio_response to = drop_files(&b, files, "label=new&licence=CC0");
    json_decref(api_job_done(&b, answer_take_json(&to, 202)));
    char *mine = program_says("marey ls lib.marey --json");
    char *theirs = program_says("marey ls other.marey --json");
    assert_string_equal(mine, theirs);
    free(mine);
    free(theirs);
    bench_program("marey convert -L lib.marey 07_01 mine.bvh");
    bench_program("marey convert -L other.marey 07_01 theirs.bvh");
    same_file("mine.bvh", "theirs.bvh");
    api_bench_close(&b);
}

/* Whatever files are called, they stay in memory, and every one of them is read. */
TEST(names_that_lead_elsewhere_lead_nowhere)
{
    static const char *const names[] = {
        "../../etc/passwd.bvh", "/abs/olute.bvh", "C:\\win\\dows.bvh", "same.bvh", "same.bvh",
        "./a//b/../c.bvh"
    };
    static const char *const paths[] = { "C:/win/dows.bvh", "a/b/c.bvh",  "abs/olute.bvh",
                                         "etc/passwd.bvh",  "same-2.bvh", "same.bvh" };
    enum { COUNT = sizeof names / sizeof *names };
    api_bench b;
    api_bench_open(&b);
    memory_files *files = memory_files_make(&b.of.memory);
    for (int i = 0; i < COUNT; i++) {
        char *person = test_person(20 + i);
        put(files, &b.of.memory, names[i], person);
        free(person);
    }
    int before = test_folder_count(".");
    studio_response to = drop_files(&b, files, "");
    json_t *result = api_job_done(&b, answer_take_json(&to, 202));
    const json_t *added = json_object_get(result, "added");
    assert_int_equal(json_array_size(added), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(text_of(json_array_get(added, i), "path"), paths[i]);
    }
    json_decref(result);
    assert_int_equal(test_folder_count("."), before);
    api_bench_close(&b);
}

TEST(an_import_of_nothing_or_with_a_label_that_cannot_be_fails)
{
    api_bench b;
    api_bench_open(&b);
    studio_response to = drop_files(&b, NULL, "");
    assert_int_equal(to.status, 400);
    bytes_free(&to.body);
    to = drop_files(&b, memory_files_make(&b.of.memory), "");
    assert_int_equal(to.status, 400);
    bytes_free(&to.body);
    to = drop_files(&b, some_files(&b), "label=a%0Ab");
    json_t *job_there = answer_take_json(&to, 202);
    json_t *over = api_wait(&b, json_integer_value(json_object_get(job_there, "job")));
    assert_string_equal(text_of(over, "state"), "failed");
    assert_string_equal(text_of(json_object_get(over, "error"), "status"), "request");
    json_decref(over);
    json_decref(job_there);
    assert_int_equal(bench_id(&b, "jump"), 0);
    api_bench_close(&b);
}

TEST(the_demo_is_added_once)
{
    api_bench b;
    api_bench_open(&b);
    for (int i = 0; i < 2; i++) {
        json_t *result = api_job_done(&b, api_json(&b, do_add, 0, NULL, "{\"demo\": true}", 202));
        const json_t *list = json_object_get(result, i ? "duplicates" : "added");
        assert_int_equal(json_array_size(list), marey_demo_count());
        assert_memory_equal(text_of(json_array_get(list, 0), "path"), "demo:", 5);
        json_decref(result);
    }
    api_refused(&b, do_add, 0, NULL, "{\"seed\": 1}", 400, "request", "seed");
    api_refused(&b, do_add, 0, NULL, "{}", 400, "request", "name files to add, or say demo");
    api_bench_close(&b);
}

/* ---- exports ------------------------------------------------------------------------------------ */

/* The export by the address has the bytes of the file that the program wrote. */
static void compare_export(api_bench *b, const char *frames, const char *name, const char *path)
{
    char body[160];
    size_t count;
    bool drawn = strstr(name, ".png") || strstr(name, ".mp4");
    snprintf(body, sizeof body, "{\"clips\": [{\"clip\": %lld%s}], \"output\": \"%s\"}",
             (long long)b->walk, frames, name);
    json_t *result =
        api_job_done(b, api_json(b, drawn ? do_render : do_convert, 0, NULL, body, 202));
    char *theirs = test_file_read(path, &count);
    assert_string_equal(text_of(result, "name"), name);
    assert_int_equal(json_integer_value(json_object_get(result, "bytes")), count);
    studio_response file =
        api_ask(b, api_job_file, json_integer_value(json_object_get(result, "job")), NULL, NULL);
    assert_int_equal(file.status, 200);
    assert_string_equal(file.file_name, name);
    assert_non_null(file.lent);
    assert_int_equal(file.lent->content.count, count);
    assert_memory_equal(file.lent->content.data, theirs, count);
    answer_clear(&file);
    free(theirs);
    json_decref(result);
}

TEST(a_generated_clip_can_be_a_file)
{
    char body[128];
    size_t count;
    api_bench b;
    api_bench_open(&b);
    snprintf(body, sizeof body, "{\"clip\": %lld, \"output\": \"my walk.bvh\"}",
             (long long)bench_id(&b, "walk"));
    bench_program("marey clean -L lib.marey walk -o clean.bvh");
    json_t *result = api_job_done(&b, api_json(&b, do_clean, 0, NULL, body, 202));
    assert_string_equal(text_of(result, "name"), "my_walk.bvh");
    studio_response file =
        api_ask(&b, api_job_file, json_integer_value(json_object_get(result, "job")), NULL, NULL);
    char *theirs = test_file_read("clean.bvh", &count);
    assert_int_equal(file.lent->content.count, count);
    assert_memory_equal(file.lent->content.data, theirs, count);
    answer_clear(&file);
    free(theirs);
    json_decref(result);
    api_refused(&b, do_clean, 0, NULL, "{\"clip\": 1, \"output\": \"walk.txt\"}", 400, "request",
                "output must be a file's name that ends in .bvh or .glb, got walk.txt");
    api_refused(&b, do_clean, 0, NULL, "{\"clip\": 1, \"output\": \"walk.glb\", \"name\": \"x\"}",
                400, "request", "name and output exclude each other");
    api_bench_close(&b);
}

TEST(exports_are_byte_for_byte_what_the_program_writes)
{
    api_bench b;
    api_bench_open(&b);
    bench_program("marey label lib.marey walk --licence 'CC \"BY\" \\ 4.0'");
    bench_program("marey convert -L lib.marey walk whole.bvh");
    bench_program("marey convert -L lib.marey walk#10-30 part.bvh");
    bench_program("marey convert -L lib.marey walk whole.glb");
    bench_program("marey convert -L lib.marey walk#10-30 part.glb");
    bench_program("marey render -L lib.marey walk -o whole.png");
    bench_program("marey render -L lib.marey walk#10-30 -o part.png");
    static const char *const formats[] = { "bvh", "glb", "png" };
    for (size_t i = 0; i < 3; i++) {
        char name[32], path[32];
        snprintf(name, sizeof name, "walk.%s", formats[i]);
        snprintf(path, sizeof path, "whole.%s", formats[i]);
        compare_export(&b, "", name, path);
        snprintf(path, sizeof path, "part.%s", formats[i]);
        compare_export(&b, ", \"start\": 10, \"end\": 30", name, path);
    }
    api_bench_close(&b);
}

TEST(a_picture_shows_the_kept_contacts_of_its_frames)
{
    api_bench b;
    api_bench_open(&b);
    json_decref(api_json(
        &b, do_contacts, b.walk, NULL,
        "{\"set\": {\"contacts\": [{\"joint\": \"left_toe\", \"start\": 5, \"end\": 25}]}}", 200));
    bench_program("marey render -L lib.marey walk#10-30 -o part.png");
    compare_export(&b, ", \"start\": 10, \"end\": 30", "walk.png", "part.png");
    api_bench_close(&b);
}

TEST(a_video_is_what_the_program_writes_too)
{
    api_bench b;
    test_run run = test_run_make();
    api_bench_open(&b);
    int status = test_run_line(&run, "marey render -L lib.marey walk#0-12 -o part.mp4");
    test_run_free(&run);
    if (status == 0) { /* there is ffmpeg */
        compare_export(&b, ", \"start\": 0, \"end\": 12", "walk.mp4", "part.mp4");
    }
    api_bench_close(&b);
    if (status != 0) test_skip("there is no ffmpeg to write the video with");
}

/* Who fetches it holds it: not copied, and still there when the studio has forgotten it. */
TEST(a_kept_file_is_lent_and_outlives_its_place)
{
    char body[128];
    api_bench b;
    api_bench_open(&b);
    snprintf(body, sizeof body, "{\"clips\": [%lld], \"output\": \"walk.bvh\"}", (long long)b.walk);
    json_t *result = api_job_done(&b, api_json(&b, do_convert, 0, NULL, body, 202));
    int64_t made = json_integer_value(json_object_get(result, "job"));
    json_decref(result);
    studio_response one = api_ask(&b, api_job_file, made, NULL, NULL);
    studio_response two = api_ask(&b, api_job_file, made, NULL, NULL);
    assert_ptr_equal(one.lent, two.lent);
    answer_clear(&two);
    for (int i = 0; i < LIMIT_FILES; i++) {
        json_decref(api_job_done(&b, api_json(&b, do_convert, 0, NULL, body, 202)));
    }
    api_refused(&b, api_job_file, made, NULL, NULL, 404, "input", "no file");
    assert_memory_equal(one.lent->content.data, "HIERARCHY", 9);
    answer_clear(&one);
    api_bench_close(&b);
}

TEST(an_exported_file_has_a_harmless_name)
{
    char body[128];
    api_bench b;
    api_bench_open(&b);
    snprintf(body, sizeof body,
             "{\"clips\": [%lld], \"output\": \".a\\\"b; c=\\u00e4\\\\..d.bvh\"}",
             (long long)b.walk);
    json_t *result = api_job_done(&b, api_json(&b, do_convert, 0, NULL, body, 202));
    assert_string_equal(text_of(result, "name"), "_a_b__c____..d.bvh");
    json_decref(result);
    api_bench_close(&b);
}

TEST(exports_that_cannot_be_are_refused)
{
    static const struct {
        const char *frames, *output, *part;
        bool later; /* by the job */
    } rows[] = {
        { "", "walk.exe", "output must be a file's name that ends in .bvh or .glb", false },
        { "", "walk", "output must be a file's name", false },
        { ", \"start\": -1", "walk.bvh", "clips must be", false },
        { ", \"start\": 60, \"end\": 61", "walk.bvh", "frames", true },
        { ", \"start\": 5, \"end\": 5", "walk.bvh", "end frame must come after start frame", true }
    };
    char body[160];
    api_bench b;
    api_bench_open(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(body, sizeof body, "{\"clips\": [{\"clip\": %lld%s}], \"output\": \"%s\"}",
                 (long long)b.walk, rows[i].frames, rows[i].output);
        if (rows[i].later)
            api_job_fails(&b, api_json(&b, do_convert, 0, NULL, body, 202), rows[i].part);
        else
            api_refused(&b, do_convert, 0, NULL, body, 400, "request", rows[i].part);
    }
    api_refused(&b, do_render, 0, NULL, "{\"clips\": [1]}", 400, "request", "output is missing");
    api_job_fails(
        &b, api_json(&b, do_render, 0, NULL, "{\"clips\": [1], \"output\": \"walk.bvh\"}", 202),
        "output must end in .png, .svg, .pdf or .mp4, got walk.bvh");
    api_job_fails(
        &b, api_json(&b, do_convert, 0, NULL, "{\"clips\": [999], \"output\": \"walk.bvh\"}", 202),
        "no clip number 999");
    api_refused(&b, api_job, 999, NULL, NULL, 404, "input", "no job 999");
    api_refused(&b, api_job_file, 999, NULL, NULL, 404, "input", "999");
    api_refused(&b, api_job_cancel, 999, NULL, "{}", 404, "input", "no job 999");
    api_refused(&b, api_job_cancel, 999, NULL, "[]", 400, "request", "object");
    api_bench_close(&b);
}

TEST(a_job_can_be_asked_for_and_cancelled)
{
    char body[64];
    api_bench b;
    api_bench_open(&b);
    snprintf(body, sizeof body, "{\"clips\": [%lld], \"output\": \"walk.bvh\"}", (long long)b.walk);
    json_t *result = api_job_done(&b, api_json(&b, do_convert, 0, NULL, body, 202));
    int64_t number = json_integer_value(json_object_get(result, "job"));
    json_decref(result);
    json_t *found = api_json(&b, api_job, number, NULL, NULL, 200);
    assert_string_equal(text_of(found, "kind"), "convert");
    assert_string_equal(text_of(found, "state"), "done");
    json_decref(found);
    json_t *cancelled = api_json(&b, api_job_cancel, number, NULL, "{}", 200);
    assert_int_equal(json_object_size(cancelled), 0); /* it is over, and stays so */
    json_decref(cancelled);
    api_bench_close(&b);
}

/* A clip whose joints are not in depth-first order, with every sum right, as a library that was sent may hold. */
static int64_t put_forged(api_bench *b)
{
    marey_ctx *ctx = test_ctx();
    mry_arena mem = mry_arena_make(ctx);
    marey_clip *clip = test_clip_load(ctx, "walk.bvh");
    mry_card card = {
        .name = "forged", .source = "", .description = "", .licence = "", .provenance = ""
    };
    mry_record record;
    marey_named got;
    marey_error error;
    int j = 1;
    while (clip->joints[j].parent == j - 1) j++; /* the first that begins another chain */
    clip->joints[j + 1].parent = j - 1;
    assert_true(mry_record_make(clip, &mem, &record));
    test_fine(mry_store_begin(b->by.library->store, &error), &error);
    marey_status status = mry_insert_clip(b->by.library, &record, &card, &got, &error);
    test_fine(mry_library_end(b->by.library, status, &error), &error);
    marey_clip_free(clip);
    mry_arena_free(&mem);
    marey_ctx_close(ctx);
    return got.id;
}

TEST(a_forged_clip_is_refused_and_the_next_job_runs)
{
    static const char *const names[] = { "bvh", "glb" };
    char body[64];
    api_bench b;
    api_bench_open(&b);
    int64_t forged = put_forged(&b);
    for (int i = 0; i < 2; i++) {
        snprintf(body, sizeof body, "{\"clips\": [%lld], \"output\": \"x.%s\"}", (long long)forged,
                 names[i]);
        api_job_fails(&b, api_json(&b, do_convert, 0, NULL, body, 202), "in depth-first order");
        snprintf(body, sizeof body, "{\"clips\": [%lld], \"output\": \"x.%s\"}", (long long)b.walk,
                 names[i]);
        json_decref(api_job_done(&b, api_json(&b, do_convert, 0, NULL, body, 202)));
    }
    api_bench_close(&b);
}

/* A cancel comes before the library commits or too late, wherever it falls: what the job says is what happened. */
TEST(a_cancelled_import_added_nothing_and_any_other_all)
{
    enum { ROUNDS = 60 };
    api_bench b;
    int done = 0;
    api_bench_open(&b);
    for (int i = 0; i < ROUNDS; i++) {
        memory_files *files = memory_files_make(&b.of.memory);
        char *person = test_person(100 + i), name[32];
        snprintf(name, sizeof name, "take-%d", i);
        put(files, &b.of.memory, name, person);
        free(person);
        studio_response to = drop_files(&b, files, "");
        json_t *there = answer_take_json(&to, 202);
        int64_t number = json_integer_value(json_object_get(there, "job"));
        json_decref(there);
        nanosleep(&(struct timespec){ .tv_nsec = i * 30000L }, NULL);
        assert_true(jobs_cancel(b.of.jobs, number));
        json_t *over = api_wait(&b, number);
        bool is_done = strcmp(text_of(over, "state"), "done") == 0;
        int64_t id = bench_id(&b, name);
        assert_int_equal(is_done, id != 0);
        if (is_done) {
            const json_t *one = only(json_object_get(over, "result"), "added");
            assert_int_equal(json_integer_value(json_object_get(one, "id")), id);
        }
        done += is_done;
        json_decref(over);
    }
    print_message("%d of %d were done before the cancel came\n", done, ROUNDS);
    api_bench_close(&b);
}

/* ---- jobs that do not stop ---------------------------------------------------------------------- */

static _Atomic int64_t moved_ms; /* the clock of cancelling: no test waits for it */

static int64_t moved_clock(void)
{
    return moved_ms;
}

/* A job that hears nothing until it is released, and then goes on as if nothing had been. */
typedef struct deaf_job {
    sem_t begun, release;
    atomic_int ran, dropped;
    _Atomic marey_status kept; /* what keeping a file came to */
    int64_t number;
} deaf_job;

static marey_status run_deaf(studio_worker *by, void *user, studio_bytes *result,
                             marey_error *error)
{
    deaf_job *one = user;
    studio_bytes file = { .memory = result->memory };
    sem_post(&one->begun);
    while (sem_wait(&one->release) != 0) continue;
    jobs_report(by, "going on", 1, 2, -1);
    bytes_add(&file, "late", 4);
    one->kept = jobs_keep_file(by, "late.txt", "text/plain", &file, error);
    bytes_add(result, "{}", 2);
    one->ran++;
    return MAREY_OK;
}

static void drop_deaf(void *user)
{
    ((deaf_job *)user)->dropped++;
}

static marey_status run_quick(studio_worker *by, void *user, studio_bytes *result,
                              marey_error *error)
{
    (void)by, (void)user, (void)error;
    bytes_add(result, "{}", 2);
    return MAREY_OK;
}

static int64_t add_quick(api_bench *b)
{
    int64_t number = 0;
    assert_int_equal(
        jobs_add(b->of.jobs, &(job_def){ "quick", run_quick, NULL, NULL }, &number, NULL),
        MAREY_OK);
    return number;
}

static void add_deaf(api_bench *b, deaf_job *one)
{
    sem_init(&one->begun, 0, 0);
    sem_init(&one->release, 0, 0);
    assert_int_equal(
        jobs_add(b->of.jobs, &(job_def){ "deaf", run_deaf, drop_deaf, one }, &one->number, NULL),
        MAREY_OK);
}

static void expect_state(api_bench *b, int64_t number, const char *state)
{
    json_t *now = api_json(b, api_job, number, NULL, NULL, 200);
    assert_string_equal(text_of(now, "state"), state);
    json_decref(now);
}

static void expect_end(api_bench *b, int64_t number, const char *state)
{
    json_t *over = api_wait(b, number);
    assert_string_equal(text_of(over, "state"), state);
    json_decref(over);
}

TEST(a_cancelled_job_that_does_not_stop_is_left_and_the_next_one_runs)
{
    api_bench b;
    deaf_job deaf = { .ran = 0 };
    api_bench_open(&b);
    moved_ms = 5000;
    b.of.clock_ms = moved_clock;
    add_deaf(&b, &deaf);
    while (sem_wait(&deaf.begun) != 0) continue;
    int64_t next = add_quick(&b);
    moved_ms += 1000000; /* what was not cancelled may take its time */
    expect_state(&b, deaf.number, "running");
    assert_true(jobs_cancel(b.of.jobs, deaf.number));
    moved_ms += LIMIT_DEAF_MS - 1;
    assert_true(jobs_cancel(b.of.jobs, deaf.number)); /* again gives no more time */
    expect_state(&b, deaf.number, "running");
    expect_state(&b, next, "waiting");
    moved_ms += 1;
    expect_state(&b, deaf.number, "cancelled");
    expect_end(&b, next, "done");
    assert_int_equal(deaf.dropped, 0); /* its thread still uses what it was given */
    for (int i = 0; i < 2 * LIMIT_JOBS; i++) expect_end(&b, add_quick(&b), "done");
    assert_int_equal(deaf.dropped, 0);
    sem_post(&deaf.release);
    api_bench_close(&b); /* waits for it, and no memory is left */
    assert_int_equal(deaf.ran, 1);
    assert_int_equal(deaf.dropped, 1);
    assert_int_equal(deaf.kept, MAREY_ERR_CANCELLED);
}

TEST(two_jobs_are_left_at_a_time_and_as_many_are_remembered_as_ever)
{
    enum { DEAF = LIMIT_LEFT_JOBS + 1 };
    api_bench b;
    deaf_job deaf[DEAF] = { { .ran = 0 } };
    api_bench_open(&b);
    moved_ms = 5000;
    b.of.clock_ms = moved_clock;
    for (int i = 0; i < DEAF; i++) {
        add_deaf(&b, &deaf[i]);
        while (sem_wait(&deaf[i].begun) != 0) continue;
        assert_true(jobs_cancel(b.of.jobs, deaf[i].number));
        moved_ms += LIMIT_DEAF_MS;
        expect_state(&b, deaf[i].number, i < LIMIT_LEFT_JOBS ? "cancelled" : "running");
    }
    int64_t first = add_quick(&b), last = first;
    for (int i = 1; i < LIMIT_JOBS; i++) last = add_quick(&b);
    marey_error error = { 0 };
    int64_t none = 0;
    assert_int_equal(
        jobs_add(b.of.jobs, &(job_def){ "quick", run_quick, NULL, NULL }, &none, &error),
        MAREY_ERR_LIMIT);
    sem_post(&deaf[0].release); /* one that was left ends, so the third can be */
    expect_end(&b, first, "done");
    expect_end(&b, last, "done");
    expect_state(&b, deaf[DEAF - 1].number, "cancelled");
    for (int i = 1; i < DEAF; i++) sem_post(&deaf[i].release);
    api_bench_close(&b);
    for (int i = 0; i < DEAF; i++) assert_int_equal(deaf[i].dropped, 1);
}

/* ---- refused memory ----------------------------------------------------------------------------- */

/* Runs the job of an import with so much more memory than is in use; true if it was enough. */
static bool import_with(api_bench *b, size_t more)
{
    memory_files *files = some_files(b);
    size_t limit = b->of.memory.limit;
    b->of.memory.limit = atomic_load(&b->of.memory.used) + more;
    studio_response to = drop_files(b, files, "label=new");
    bool done = false;
    if (to.status == 202) {
        json_t *there = json_loadb((const char *)to.body.data, to.body.count, 0, NULL);
        json_t *over = api_wait(b, json_integer_value(json_object_get(there, "job")));
        done = strcmp(text_of(over, "state"), "done") == 0;
        json_decref(over);
        json_decref(there);
    } else {
        assert_int_equal(to.status, 500);
    }
    b->of.memory.limit = limit;
    bytes_free(&to.body);
    return done;
}

TEST(an_import_with_too_little_memory_adds_nothing)
{
    api_bench b;
    api_bench_open(&b);
    for (size_t more = 0; !import_with(&b, more); more += more / 6 + 512) {
        assert_int_equal(bench_id(&b, "jump"), 0);
    }
    assert_true(bench_id(&b, "jump") > 0);
    api_bench_close(&b);
}

TEST_GROUP_OF_CASES(test_studio_api_jobs, NULL, NULL)
