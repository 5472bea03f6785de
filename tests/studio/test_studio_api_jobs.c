/* test_studio_api_jobs.c - what takes long: files dropped on the page, the demo, exports. What
   comes of them is compared with what the program does with the same files. */
/* First: it has parameters that are called like a type of the studio. */
#include "asf_bench.h"

#include "api_bench.h"
#include "library/library_data.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/stat.h>

static const char amc[] = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 10 0 0 0 0\nhip 5 1\n"
                          "2\nroot 0 10 1 0 2 0\nhip 6 1\n3\nroot 0 10 2 0 4 0\nhip 7 2\n";

/* ---- dropping files -------------------------------------------------------------------------- */

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
    studio_request request = { .files = files };
    studio_response response = { .tag = "", .body = { .memory = &b->of.memory } };
    snprintf(text, sizeof text, "%s", query);
    assert_true(query_parse(&request, text));
    api_import(&b->by, &request, &response);
    memory_files_free(request.files); /* if it was not taken over */
    return response;
}

/* The number of the job that it begins. */
static int64_t drop_begin(api_bench *b, memory_files *files, const char *query)
{
    studio_response response = drop_files(b, files, query);
    return whole(answer_take_json(&response, 202), "job");
}

static json_t *dropped(api_bench *b, memory_files *files, const char *query)
{
    studio_response response = drop_files(b, files, query);
    return api_job_done(b, answer_take_json(&response, 202));
}

static memory_files *some_files(api_bench *b)
{
    heap *memory = &b->of.memory;
    memory_files *files = memory_files_make(memory);
    FREED char *person = test_person(30);
    FREED char *again = test_person(60);
    put(files, memory, "dance/jump.bvh", person);
    put(files, memory, "dance/again.bvh", again); /* walk is there already */
    put(files, memory, "dance/notes.txt", "nothing that moves");
    put(files, memory, "dance/torn.bvh", "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0");
    put(files, memory, "s07/07.asf", GOOD);
    put(files, memory, "s07/07_01.amc", amc);
    return files;
}

TEST_BENCH(an_import_reports_every_file)
{
    const json_t *result = dropped(b, some_files(b), "label=new&licence=CC0&label=odd");
    expect(item(result, "added", 0),
           "{'path': 'dance/jump.bvh', 'name': 'jump', 'frames': 30, 'id': %" PRId64
           ", 'units': 'cm'}",
           bench_id(b, "jump"));
    assert_int_equal(size_of(result, "added"), 2);
    assert_int_equal(size_of(result, "skipped"), 1); /* not the skeleton that a motion has */
    assert_string_equal(json_string_value(item(result, "skipped", 0)), "dance/notes.txt");
    expect(item(result, "duplicates", 0), "{'path': 'dance/again.bvh', 'name': 'walk'}");
    expect(item(result, "errors", 0), "{'path': 'dance/torn.bvh', 'line': 4}");
    assert_int_equal(memory_files_count(b->by.files), 0);
}

static void same_file(const char *a, const char *b)
{
    size_t a_count, b_count;
    FREED char *first = test_file_read(a, &a_count);
    FREED char *second = test_file_read(b, &b_count);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(first, second, a_count);
}

TEST_BENCH(an_import_leaves_what_marey_add_of_the_same_files_leaves)
{
    FREED char *person = test_person(30);
    mkdir("dance", 0777);
    mkdir("s07", 0777);
    test_file_write("dance/jump.bvh", person, strlen(person));
    test_file_write("s07/07.asf", GOOD, sizeof GOOD - 1);
    test_file_write("s07/07_01.amc", amc, sizeof amc - 1);
    bench_program("marey add other.marey walk.bvh --label walking --licence 'CC BY 4.0'");
    bench_program("marey add other.marey run.bvh slide.bvh");
    bench_program("marey add other.marey dance s07 --label new --licence CC0");
    memory_files *files = some_files(b);
    studio_bytes gone = { 0 };
    assert_true(memory_files_take(files, "dance/again.bvh", &gone));
    bytes_free(&gone);
    dropped(b, files, "label=new&licence=CC0");
    assert_true(json_equal(program_json("marey ls lib.marey --json"),
                           program_json("marey ls other.marey --json")));
    bench_program("marey convert -L lib.marey 07_01 mine.bvh");
    bench_program("marey convert -L other.marey 07_01 theirs.bvh");
    same_file("mine.bvh", "theirs.bvh");
}

TEST_BENCH(an_import_of_nothing_or_with_an_invalid_label_fails)
{
    OWNED(studio_response) none = drop_files(b, NULL, "");
    assert_int_equal(none.status, 400);
    OWNED(studio_response) empty = drop_files(b, memory_files_make(&b->of.memory), "");
    assert_int_equal(empty.status, 400);
    expect(api_wait(b, drop_begin(b, some_files(b), "label=a%0Ab")),
           "{'state': 'failed', 'error': {'status': 'request'}}");
    assert_int_equal(bench_id(b, "jump"), 0);
}

TEST_BENCH(the_demo_is_added_once)
{
    for (int i = 0; i < 2; i++) {
        const char *list = i ? "duplicates" : "added";
        const json_t *result = ask_job(b, do_add, "{'demo': true}");
        assert_int_equal(size_of(result, list), marey_demo_count());
        assert_memory_equal(word(item(result, list, 0), "path"), "demo:", 5);
    }
    refused(b, 400, "request", "seed", do_add, "{'seed': 1}");
    refused(b, 400, "request", "name files to add, or say demo", do_add, "{}");
}

/* ---- exports --------------------------------------------------------------------------------- */

/* The export by the address has the bytes of the file that the program wrote. */
static void compare_export(api_bench *b, const char *frames, const char *format, const char *path)
{
    bool drawn = strcmp(format, "png") == 0 || strcmp(format, "mp4") == 0;
    const json_t *result =
        ask_job(b, drawn ? do_render : do_convert,
                "{'clips': [{'clip': $walk%s}], 'output': 'walk.%s'}", frames, format);
    assert_memory_equal(word(result, "name"), "walk.", 5);
    assert_string_equal(word(result, "name") + 5, format);
    same_export(b, result, path);
}

TEST_BENCH(a_generated_clip_can_be_a_file)
{
    bench_program("marey clean -L lib.marey walk -o clean.bvh");
    const json_t *result = ask_job(b, do_clean, "{'clip': $walk, 'output': 'my walk.bvh'}");
    assert_string_equal(word(result, "name"), "my_walk.bvh");
    same_export(b, result, "clean.bvh");
    refused(b, 400, "request",
            "output must be a file's name that ends in .bvh, .glb or .fbx, got walk.txt", do_clean,
            "{'clip': 1, 'output': 'walk.txt'}");
    refused(b, 400, "request", "name and output exclude each other", do_clean,
            "{'clip': 1, 'output': 'walk.glb', 'name': 'x'}");
}

TEST_BENCH(exports_are_byte_for_byte_what_the_program_writes)
{
    static const char *const formats[] = { "bvh", "glb", "png" };
    bench_program("marey label lib.marey walk --licence 'CC \"BY\" \\ 4.0'");
    for (int i = 0; i < 6; i++) {
        const char *format = formats[i / 2];
        bench_program("marey %s -L lib.marey walk%s %sfile.%s", i < 4 ? "convert" : "render",
                      i % 2 ? "#10-30" : "", i < 4 ? "" : "-o ", format);
        char path[16];
        snprintf(path, sizeof path, "file.%s", format);
        compare_export(b, i % 2 ? ", 'start': 10, 'end': 30" : "", format, path);
        unlink(path);
    }
}

TEST_BENCH(a_picture_shows_the_saved_contacts_of_its_frames)
{
    ask(b, do_contacts,
        "{'clip': $walk, 'set': {'contacts': [{'joint': 'left_toe', 'start': 5, 'end': 25}]}}");
    bench_program("marey render -L lib.marey walk#10-30 -o part.png");
    compare_export(b, ", 'start': 10, 'end': 30", "png", "part.png");
}

TEST_BENCH(a_video_is_what_the_program_writes_too)
{
    test_run run = test_run_make();
    int status = test_run_line(&run, "marey render -L lib.marey walk#0-12 -o part.mp4");
    test_run_free(&run);
    if (status != 0) test_skip("there is no ffmpeg to write the video with");
    compare_export(b, ", 'start': 0, 'end': 12", "mp4", "part.mp4");
}

/* A client that fetches it holds it: not copied, and still there when the studio has forgotten
   it. */
TEST_BENCH(a_kept_file_is_lent_and_outlives_its_place)
{
    static const char body[] = "{'clips': [$walk], 'output': 'walk.bvh'}";
    int64_t made = whole(ask_job(b, do_convert, body), "job");
    OWNED(studio_response) one = api_ask(b, api_job_file, "/%" PRId64, made);
    OWNED(studio_response) two = api_ask(b, api_job_file, "/%" PRId64, made);
    assert_ptr_equal(one.lent, two.lent);
    for (int i = 0; i < LIMIT_FILES; i++) ask_job(b, do_convert, body);
    refused(b, 404, "input", "no file", api_job_file, "/%" PRId64, made);
    assert_memory_equal(one.lent->content.data, "HIERARCHY", 9);
}

TEST_BENCH(all_jobs_are_listed_with_the_files_that_can_be_fetched)
{
    assert_int_equal(size_of(ask(b, api_jobs, "/"), "jobs"), 0);
    int64_t first =
        whole(ask_job(b, do_convert, "{'clips': [$walk], 'output': 'walk.bvh'}"), "job");
    job_fails(b, "input", "no clip number 999", do_convert, "{'clips': [999], 'output': 'x.bvh'}");
    const json_t *list = ask(b, api_jobs, "/");
    assert_int_equal(size_of(list, "jobs"), 2);
    expect(item(list, "jobs", 0), "{'kind': 'convert', 'state': 'failed', 'file': null}");
    expect(item(list, "jobs", 1),
           "{'job': %" PRId64 ", 'kind': 'convert', 'state': 'done', 'file': 'walk.bvh'}", first);
    for (int i = 0; i < LIMIT_FILES; i++)
        ask_job(b, do_convert, "{'clips': [$walk], 'output': 'other.bvh'}");
    expect(item(ask(b, api_jobs, "/"), "jobs", LIMIT_FILES + 1),
           "{'job': %" PRId64 ", 'file': null}", first);
}

/* Entries of a stored archive, read from its own headers: a small judge of what was packed. */
static const uint8_t *entry_of(const studio_bytes *zip, const char *name, size_t *count)
{
    for (size_t at = 0; at + 30 < zip->count && memcmp(zip->data + at, "PK\3\4", 4) == 0;) {
        const uint8_t *head = zip->data + at;
        size_t size = head[18] | head[19] << 8 | (size_t)head[20] << 16 | (size_t)head[21] << 24;
        size_t length = head[26] | head[27] << 8;
        if (length == strlen(name) && memcmp(head + 30, name, length) == 0) {
            *count = size;
            return head + 30 + length;
        }
        at += 30 + length + size;
    }
    return NULL;
}

/* Every format that is written, of two clips: the files of the archive are those of the program. */
TEST_BENCH(several_clips_are_one_archive_of_what_the_program_writes)
{
    static const char *const formats[] = { "bvh", "glb", "fbx", "amc", "npy", "npz" };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *format = formats[i];
        const json_t *made = ask_job(b, do_convert,
                                     "{'clips': [$walk, $run], 'to': '%s', 'output': 'two clips', "
                                     "'for': 'unity', 'fps': 30}",
                                     format);
        assert_string_equal(word(made, "name"), "two_clips.zip");
        assert_int_equal(size_of(made, "files"), 2);
        assert_int_equal(size_of(made, "failed"), 0);
        bench_program("marey convert -L lib.marey walk run --to %s -o %s --for unity --fps 30",
                      format, format);
        OWNED(studio_response) file = api_ask(b, api_job_file, "/%" PRId64, whole(made, "job"));
        assert_non_null(file.lent);
        for (int c = 0; c < 3; c++) {
            char name[64], path[80];
            size_t wanted = 0, got = 0;
            if (c == 2 && strcmp(format, "amc") != 0) continue;
            snprintf(name, sizeof name, "%s.%s", c == 1 ? "run" : "walk", c == 2 ? "asf" : format);
            snprintf(path, sizeof path, "%s/%s", format, name);
            FREED char *bytes = test_file_read(path, &wanted);
            const uint8_t *entry = entry_of(&file.lent->content, name, &got);
            if (!entry || got != wanted || memcmp(entry, bytes, got) != 0)
                fail_msg("%s in the archive is not %s", name, path);
        }
    }
}

TEST_BENCH(one_clip_is_a_file_and_two_of_a_name_are_kept_apart)
{
    const json_t *one = ask_job(b, do_convert, "{'clips': [$walk], 'to': 'npz', 'output': 'x'}");
    expect(one, "{'name': 'walk.npz', 'files': ['walk.npz']}");
    const json_t *two = ask_job(
        b, do_convert,
        "{'clips': [{'clip': $walk, 'start': 0, 'end': 9}, $walk], 'to': 'bvh', 'output': 'x'}");
    expect(two, "{'name': 'x.zip', 'files': ['walk.bvh', 'walk-2.bvh']}");
    static const api_refusal rows[] = {
        { "{'clips': [$walk], 'to': 'bvh'}", "output" },
        { "{'clips': [$walk], 'to': 'bvh', 'output': '../x'}", "without '/'" },
        { "{'clips': [$walk], 'to': 'bvh', 'output': ''}", "without '/'" },
        { "{'clips': [$walk], 'to': 'c3d', 'output': 'x'}", "to" },
        { "{'clips': [$walk], 'to': 'bvh', 'output': 'x', 'for': 'nothing'}", "for" },
    };
    REFUSED(b, 400, "request", do_convert, rows);
    assert_int_equal(memory_files_count(b->by.files), 0);
}

TEST_BENCH(an_exported_file_has_a_harmless_name)
{
    expect(ask_job(b, do_convert, "{'clips': [$walk], 'output': '.a\\\"b; c=\\u00e4\\\\..d.bvh'}"),
           "{'name': '_a_b__c____..d.bvh'}");
}

TEST_BENCH(invalid_exports_are_refused)
{
    static const api_refusal rows[] = {
        { "{'clips': [$walk], 'output': 'walk.exe'}",
          "output must be a file's name that ends in .bvh, .glb or .fbx" },
        { "{'clips': [$walk], 'output': 'walk'}", "output must be a file's name" },
        { "{'clips': [{'clip': $walk, 'start': -1}], 'output': 'walk.bvh'}", "clips must be" },
    };
    REFUSED(b, 400, "request", do_convert, rows);
    job_fails(b, "request", "frames", do_convert,
              "{'clips': [{'clip': $walk, 'start': 60, 'end': 61}], 'output': 'walk.bvh'}");
    job_fails(b, "request", "end frame must come after start frame", do_convert,
              "{'clips': [{'clip': $walk, 'start': 5, 'end': 5}], 'output': 'walk.bvh'}");
    refused(b, 400, "request", "output is missing", do_render, "{'clips': [1]}");
    job_fails(b, "request", "output must end in .png, .svg, .pdf or .mp4, got walk.bvh", do_render,
              "{'clips': [1], 'output': 'walk.bvh'}");
    job_fails(b, "input", "no clip number 999", do_convert,
              "{'clips': [999], 'output': 'walk.bvh'}");
    refused(b, 404, "input", "no job 999", api_job, "/999");
    refused(b, 404, "input", "999", api_job_file, "/999");
    refused(b, 404, "input", "no job 999", api_job_cancel, "/999 {}");
    refused(b, 400, "request", "object", api_job_cancel, "/999 []");
}

TEST_BENCH(a_job_can_be_asked_for_and_cancelled)
{
    int64_t number_of =
        whole(ask_job(b, do_convert, "{'clips': [$walk], 'output': 'walk.bvh'}"), "job");
    expect(ask(b, api_job, "/%" PRId64, number_of), "{'kind': 'convert', 'state': 'done'}");
    /* it is over, and stays so */
    assert_int_equal(json_object_size(ask(b, api_job_cancel, "/%" PRId64 " {}", number_of)), 0);
}

/* A clip whose joints are not in depth-first order, with every sum right, as a library that was
   sent may hold. */
static int64_t put_forged(api_bench *b)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    OWNED(marey_clip) *clip = test_clip_load(ctx, "walk.bvh");
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
    return got.id;
}

TEST_BENCH(a_forged_clip_is_refused_and_the_next_job_runs)
{
    static const char *const names[] = { "bvh", "glb" };
    int64_t forged = put_forged(b);
    for (int i = 0; i < 2; i++) {
        job_fails(b, "input", "in depth-first order", do_convert,
                  "{'clips': [%" PRId64 "], 'output': 'x.%s'}", forged, names[i]);
        ask_job(b, do_convert, "{'clips': [$walk], 'output': 'x.%s'}", names[i]);
    }
}

/* A cancel comes before the library commits or too late, wherever it falls: what the job says is
   what happened. */
TEST_BENCH(a_cancelled_import_added_nothing_and_any_other_all)
{
    enum { ROUNDS = 60 };
    int done = 0;
    for (int i = 0; i < ROUNDS; i++) {
        memory_files *files = memory_files_make(&b->of.memory);
        FREED char *person = test_person(100 + i);
        char name[32];
        snprintf(name, sizeof name, "take-%d", i);
        put(files, &b->of.memory, name, person);
        int64_t number_of = drop_begin(b, files, "");
        nanosleep(&(struct timespec){ .tv_nsec = i * 30000L }, NULL);
        assert_true(jobs_cancel(b->of.jobs, number_of));
        const json_t *over = api_wait(b, number_of);
        bool is_done = strcmp(word(over, "state"), "done") == 0;
        int64_t id = bench_id(b, name);
        assert_int_equal(is_done, id != 0);
        if (is_done)
            assert_int_equal(whole(item(json_object_get(over, "result"), "added", 0), "id"), id);
        done += is_done;
    }
    print_message("%d of %d were done before the cancel came\n", done, ROUNDS);
}

/* ---- jobs that do not stop ------------------------------------------------------------------- */

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

static marey_status run_deaf(studio_worker *worker, void *user, studio_bytes *result,
                             marey_error *error)
{
    deaf_job *one = user;
    studio_bytes file = { .memory = result->memory };
    sem_post(&one->begun);
    while (sem_wait(&one->release) != 0) continue;
    jobs_report(worker, "going on", 1, 2, -1);
    bytes_add(&file, "late", 4);
    one->kept = jobs_keep_file(worker, "late.txt", "text/plain", &file, error);
    bytes_add(result, "{}", 2);
    one->ran++;
    return MAREY_OK;
}

static void drop_deaf(void *user)
{
    ((deaf_job *)user)->dropped++;
}

static marey_status run_quick(studio_worker *worker, void *user, studio_bytes *result,
                              marey_error *error)
{
    (void)worker, (void)user, (void)error;
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

static void expect_state(api_bench *b, int64_t number_of, const char *state)
{
    assert_string_equal(word(ask(b, api_job, "/%" PRId64, number_of), "state"), state);
}

static void expect_end(api_bench *b, int64_t number_of, const char *state)
{
    assert_string_equal(word(api_wait(b, number_of), "state"), state);
}

TEST_BENCH(a_cancelled_job_that_does_not_stop_is_left_and_the_next_one_runs)
{
    deaf_job deaf = { .ran = 0 };
    moved_ms = 5000;
    b->of.clock_ms = moved_clock;
    add_deaf(b, &deaf);
    while (sem_wait(&deaf.begun) != 0) continue;
    int64_t next = add_quick(b);
    moved_ms += 1000000; /* what was not cancelled may take its time */
    expect_state(b, deaf.number, "running");
    assert_true(jobs_cancel(b->of.jobs, deaf.number));
    moved_ms += LIMIT_DEAF_MS - 1;
    assert_true(jobs_cancel(b->of.jobs, deaf.number)); /* again gives no more time */
    expect_state(b, deaf.number, "running");
    expect_state(b, next, "waiting");
    moved_ms += 1;
    expect_state(b, deaf.number, "cancelled");
    expect_end(b, next, "done");
    assert_int_equal(deaf.dropped, 0); /* its thread still uses what it was given */
    for (int i = 0; i < 2 * LIMIT_JOBS; i++) expect_end(b, add_quick(b), "done");
    assert_int_equal(deaf.dropped, 0);
    sem_post(&deaf.release);
    api_bench_stop(b); /* waits for it, and no memory is left */
    api_bench_start(b, true);
    assert_int_equal(deaf.ran, 1);
    assert_int_equal(deaf.dropped, 1);
    assert_int_equal(deaf.kept, MAREY_ERR_CANCELLED);
}

TEST_BENCH(two_jobs_are_left_at_a_time_and_as_many_are_remembered_as_ever)
{
    enum { DEAF = LIMIT_LEFT_JOBS + 1 };
    deaf_job deaf[DEAF] = { { .ran = 0 } };
    moved_ms = 5000;
    b->of.clock_ms = moved_clock;
    for (int i = 0; i < DEAF; i++) {
        add_deaf(b, &deaf[i]);
        while (sem_wait(&deaf[i].begun) != 0) continue;
        assert_true(jobs_cancel(b->of.jobs, deaf[i].number));
        moved_ms += LIMIT_DEAF_MS;
        expect_state(b, deaf[i].number, i < LIMIT_LEFT_JOBS ? "cancelled" : "running");
    }
    int64_t first = add_quick(b), last = first;
    for (int i = 1; i < LIMIT_JOBS; i++) last = add_quick(b);
    marey_error error = { 0 };
    int64_t none = 0;
    assert_int_equal(
        jobs_add(b->of.jobs, &(job_def){ "quick", run_quick, NULL, NULL }, &none, &error),
        MAREY_ERR_LIMIT);
    sem_post(&deaf[0].release); /* one that was left ends, so the third can be */
    expect_end(b, first, "done");
    expect_end(b, last, "done");
    expect_state(b, deaf[DEAF - 1].number, "cancelled");
    for (int i = 1; i < DEAF; i++) sem_post(&deaf[i].release);
    api_bench_stop(b);
    api_bench_start(b, true);
    for (int i = 0; i < DEAF; i++) assert_int_equal(deaf[i].dropped, 1);
}

/* ---- refused memory -------------------------------------------------------------------------- */

/* Runs the job of an import with so much more memory than is in use; true if it was enough. */
static bool import_with(api_bench *b, size_t more)
{
    memory_files *files = some_files(b);
    size_t limit = b->of.memory.limit;
    b->of.memory.limit = atomic_load(&b->of.memory.used) + more;
    OWNED(studio_response) response = drop_files(b, files, "label=new");
    bool done = false;
    if (response.status == 202) {
        const json_t *begun = json_hold_text((char *)response.body.data, response.body.count);
        done = strcmp(word(api_wait(b, whole(begun, "job")), "state"), "done") == 0;
    } else {
        assert_int_equal(response.status, 500);
    }
    b->of.memory.limit = limit;
    return done;
}

TEST_BENCH(an_import_with_too_little_memory_adds_nothing)
{
    for (size_t more = 0; !import_with(b, more); more += more / 6 + 512) {
        assert_int_equal(bench_id(b, "jump"), 0);
    }
    assert_true(bench_id(b, "jump") > 0);
}

TEST_GROUP_OF_CASES(test_studio_api_jobs, NULL, NULL)
