/* test_puppet_demo.c - the demonstrations of reacting that come with the demo: tables that can be
   read and learned from, and the puppets in its library. */
#include "bytes_judge.h"
#include "demo_saved.h"
#include "program_lines.h"
#include "puppet_bench.h"

#include <math.h>

/* The least that puppets come with. */
#define DEMO "marey demo . --take turns --take idles --take sits"

enum { PUPPETS = 5, ROWS = 2880, TEN_SECONDS = 10 * 60 };

static test_place place;

static int enter_demo(void **state)
{
    *state = &place;
    place_enter(&place);
    FREED char *said = test_answer(DEMO);
    assert_non_null(strstr(said, " ./puppets/*.csv, "));
    assert_non_null(strstr(said, "demo.marey\nit has the graph standard, and the puppets follower, "
                                 "shy, bully, guard and dancer\n"));
    return 0;
}

/* In an empty folder of its own. */
static int enter(void **state)
{
    static test_place inner;
    *state = &inner;
    place_enter(&inner);
    return 0;
}

#define ALONE(name) TEST_IN(enter, test_leave_place, name)

static marey_paths *read_table(marey_ctx *ctx, const char *name)
{
    char path[64];
    size_t size;
    marey_paths *paths = NULL;
    marey_error error = { 0 };
    snprintf(path, sizeof path, "puppets/%s.csv", name);
    FREED char *bytes = test_file_read(path, &size);
    test_fine(marey_paths_read(ctx, bytes, size, path, NULL, &paths, &error), &error);
    return paths;
}

static marey_library *open_library(marey_ctx *ctx)
{
    marey_library *library = NULL;
    marey_error error = { 0 };
    test_fine(marey_library_open(ctx, "demo.marey", MAREY_LIBRARY_WRITE, &library, &error), &error);
    return library;
}

TEST(every_demonstration_is_a_table_of_what_was_shown)
{
    OWNED(puppet_bench) *b = puppet_bench_open();
    for (int k = 0; k < PUPPETS; k++) {
        int count, all;
        OWNED(marey_paths) *paths = read_table(b->ctx, marey_ready_puppet_find(k)->name);
        const marey_puppet_sample *rows = marey_paths_samples(paths, &count);
        FREED marey_puppet_sample *shown = puppet_bench_ready(k, &all);
        const marey_paths_about *about = marey_paths_facts(paths);
        assert_int_equal(count, ROWS);
        assert_true(about->has_react && about->gaps == 0 && about->degrees_line == 0);
        for (int i = 0; i < count; i++) {
            const marey_puppet_sample *was = &shown[3 * i];
            assert_true(fabs(rows[i].time_s - was->time_s) < 1e-9);
            assert_true(fabs(rows[i].main.x_cm - was->main.x_cm) < 0.0051);
            assert_true(fabs(rows[i].react.y_cm - was->react.y_cm) < 0.0051);
            assert_true(fabs(rows[i].react.direction_rad - was->react.direction_rad) < 5.1e-5);
        }
    }
    assert_null(marey_ready_puppet_find(PUPPETS));
}

TEST(a_puppet_that_learns_from_a_table_does_what_was_shown)
{
    OWNED(puppet_bench) *b = puppet_bench_open();
    for (int k = 0; k < PUPPETS; k++) {
        /* How far from what was shown a puppet that learned from a table is at most, in the first
           ten seconds, as a share of the extent of that path. */
        int count, all;
        OWNED(marey_paths) *paths = read_table(b->ctx, marey_ready_puppet_find(k)->name);
        marey_demonstration one = { marey_paths_samples(paths, &count), 0 };
        one.count = count;
        OWNED(marey_puppet) *puppet = puppet_bench_train(b, &one, 1, NULL);
        FREED marey_puppet_sample *shown = puppet_bench_ready(k, &all);
        OWNED(marey_reactor) *reactor = puppet_bench_react(b, puppet, &shown[0].main, NULL);
        double most = 0, low[2] = { 1e9, 1e9 }, high[2] = { -1e9, -1e9 };
        for (int i = 1; i < TEN_SECONDS; i++) {
            marey_puppet_frame frame;
            const marey_entity *at = &shown[i].react;
            marey_puppet_step(reactor, &shown[i].main, &frame);
            most = fmax(most, hypot(frame.react.x_cm - at->x_cm, frame.react.y_cm - at->y_cm));
            low[0] = fmin(low[0], at->x_cm), high[0] = fmax(high[0], at->x_cm);
            low[1] = fmin(low[1], at->y_cm), high[1] = fmax(high[1], at->y_cm);
        }
        double off = most / hypot(high[0] - low[0], high[1] - low[1]);
        if (off > 0.05) fail_msg("%s: %g", marey_ready_puppet_find(k)->name, off);
    }
}

TEST(the_main_character_walks_stands_turns_and_was_not_shown)
{
    int count, shown, stands = 0, walks = 0, turns = 0, away = 0;
    OWNED(puppet_bench) *b = puppet_bench_open();
    OWNED(marey_paths) *paths = read_table(b->ctx, "main"),
                       *follower = read_table(b->ctx, "follower");
    const marey_puppet_sample *rows = marey_paths_samples(paths, &count);
    const marey_puppet_sample *other = marey_paths_samples(follower, &shown);
    const marey_paths_about *about = marey_paths_facts(paths);
    assert_true(!about->has_react && about->gaps == 0);
    assert_true(about->seconds > 35 && about->seconds < 50);
    for (int i = 1; i < count; i++) {
        const marey_entity *now = &rows[i].main, *last = &rows[i - 1].main;
        double speed = 20 * hypot(now->x_cm - last->x_cm, now->y_cm - last->y_cm);
        stands += speed < 5;
        walks += speed > 60;
        turns += fabs(remainder(now->direction_rad - last->direction_rad, 6.2831853)) > 0.02;
        away += hypot(now->x_cm - other[i].main.x_cm, now->y_cm - other[i].main.y_cm) > 100;
    }
    assert_true(stands > 5 * 20 && walks > 15 * 20 && turns > 5 * 20 && away > 20 * 20);
}

TEST(the_library_keeps_those_that_learned_from_the_ready_demonstrations)
{
    OWNED(puppet_bench) *b = puppet_bench_open();
    OWNED(marey_library) *library = open_library(b->ctx);
    OWNED(marey_kept) *kept = NULL;
    marey_error error = { 0 };
    int count;
    for (int k = 0; k < PUPPETS; k++) {
        OWNED(marey_puppet) *back = NULL, *made = puppet_bench_train_ready(b, k, 0);
        const char *name = marey_ready_puppet_find(k)->name;
        test_fine(marey_library_puppet(library, name, &back, &error), &error);
        OWNED(judge_bytes) bytes = { .ctx = b->ctx }, again = { .ctx = b->ctx };
        test_fine(marey_puppet_write(made, &bytes.at, &bytes.size, &error), &error);
        test_fine(marey_puppet_write(back, &again.at, &again.size, &error), &error);
        judge_same_bytes(&bytes, &again);
    }
    test_fine(marey_library_kept_list(library, MAREY_KEPT_PUPPET, &kept, &error), &error);
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    assert_int_equal(count, PUPPETS);
    assert_string_equal(entries[0].name, "bully");
    assert_string_equal(entries[0].about, "rushes at you, backs off, and rushes at you again");
}

TEST(making_it_again_in_place_of_the_old_one_gives_the_same_bytes)
{
    static const char *const files[] = { "demo.marey", "puppets/shy.csv", "puppets/main.csv" };
    char *old[3];
    size_t sizes[3], size;
    for (int i = 0; i < 3; i++) old[i] = test_file_read(files[i], &sizes[i]);
    char *said = test_answer(DEMO " --json");
    assert_non_null(strstr(said, "\"puppets\":[\"follower\",\"shy\",\"bully\",\"guard\","
                                 "\"dancer\"]"));
    free(said);
    assert_int_equal(test_folder_count("puppets"), PUPPETS + 1);
    for (int i = 0; i < 3; i++) {
        FREED char *now = test_file_read(files[i], &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(now, old[i], size);
        free(old[i]);
    }
}

/* Keeps a puppet that was shown two demonstrations, or one, under a name and with a text. */
static void keep(const char *name, const char *about, int shown)
{
    int count;
    marey_error error = { 0 };
    OWNED(puppet_bench) *b = puppet_bench_open();
    OWNED(marey_library) *library = open_library(b->ctx);
    FREED marey_puppet_sample *samples = puppet_bench_ready(1, &count);
    marey_demonstration twice[] = { { samples, count }, { samples, count } };
    OWNED(marey_puppet) *puppet = puppet_bench_train(b, twice, shown, NULL);
    test_fine(marey_library_keep_puppet(library, name, puppet, NULL, 0, about, &error), &error);
}

TEST(a_puppet_of_the_user_is_not_thrown_away)
{
    const char *about = marey_ready_puppet_find(1)->about;
    static const char line[] = DEMO " --quiet";
    keep("shy", "a text", 1);
    test_fails(line, 1, "has a saved puppet, shy, which demo did not make");
    keep("shy", about, 2); /* was shown more */
    test_fails(line, 1, "has a saved puppet, shy, which demo did not make");
    keep("shy", about, 1); /* as it is made */
    keep("tame", "a text", 1);
    test_fails(line, 1, "has a saved puppet, tame, which demo did not make");
}

ALONE(a_demo_of_too_few_takes_has_no_puppets)
{
    FREED char *said = test_answer("marey demo . --take idles --json");
    assert_non_null(strstr(said, "\"graphs\":[]"));
    assert_non_null(strstr(said, "\"puppets\":[]"));
    assert_int_equal(test_folder_count("."), 3);
}

typedef struct trial {
    test_memory memory;
    test_files files;
    long cancel_at; /* allocation; -1: none */
    marey_ctx *ctx;
    int kept;
    marey_error error;
} trial;

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    trial *t = user;
    if (t->ctx && t->memory.calls == t->cancel_at) marey_ctx_cancel(t->ctx);
    return test_memory_resize(&t->memory, old, old_size, size);
}

/* Makes the puppets alone, in a library without clips. */
static marey_status try(trial *t)
{
    program_host host = {
        .def = { .resize = resize, .resize_user = t, .threads = 1, .io = test_files_io(&t->files) }
    };
    session run = { .host = &host };
    marey_library *library = NULL;
    if (marey_ctx_open(&host.def, &run.ctx)) return MAREY_ERR_MEMORY;
    t->ctx = run.ctx;
    marey_status status =
        marey_library_open(run.ctx, "some.marey", MAREY_LIBRARY_CREATE, &library, &t->error);
    if (!status) status = demo_puppets_keep(&run, library, ".", &t->kept, &t->error);
    marey_library_close(library);
    marey_ctx_close(run.ctx);
    assert_int_equal(t->memory.live, 0);
    assert_int_equal(t->files.open_handles, 0);
    return status;
}

static trial make_trial(void)
{
    return (trial){ .memory = { .refuse = -1 },
                    .files = { .fail = -1, .kinds = TEST_IO_ALL },
                    .cancel_at = -1 };
}

ALONE(refused_memory_is_reported)
{
    marey_status status;
    for (long n = 0;; n = test_next(n)) {
        trial t = make_trial();
        t.memory.refuse = n;
        status = try(&t);
        if (t.memory.calls <= n) break;
        if (status) assert_int_equal(status, MAREY_ERR_MEMORY);
    }
    assert_int_equal(status, MAREY_OK);
}

ALONE(a_file_that_cannot_be_written_is_named_and_no_half_of_it_left)
{
    marey_status status;
    bool named = false;
    for (long n = 0;; n = test_next(n)) {
        trial t = make_trial();
        t.files.fail = n;
        test_folder_remove("puppets");
        status = try(&t);
        if (t.files.calls <= n) break;
        if (!status) continue; /* of what need not be, like flushing a folder */
        assert_int_equal(status, MAREY_ERR_IO);
        named |= strcmp(t.error.path, "./puppets/follower.csv") == 0;
        assert_true(test_folder_count("puppets") <= t.kept + 1);
    }
    assert_int_equal(status, MAREY_OK);
    assert_true(named);
}

ALONE(it_can_be_cancelled)
{
    int cancelled = 0;
    trial whole = make_trial();
    assert_int_equal(try(&whole), MAREY_OK);
    for (long n = 1; n < whole.memory.calls; n += 1 + n / 2) {
        trial t = make_trial();
        t.cancel_at = n;
        marey_status status = try(&t);
        if (status) assert_int_equal(status, MAREY_ERR_CANCELLED);
        cancelled += status == MAREY_ERR_CANCELLED;
    }
    assert_true(cancelled > 3);
}

TEST_GROUP_OF_CASES(test_puppet_demo, enter_demo, test_leave_place)
