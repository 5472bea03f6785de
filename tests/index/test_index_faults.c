/* test_index_faults.c - indexing while memory is refused, the disk fails or the program is killed,
   at every call in turn: what was put in stays, the library verifies, and the next index makes the
   same webs. */
#include "index_bench.h"

#include "sqlite_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct place {
    test_library *f; /* its library is closed between the tries */
    char *bytes;     /* of the file without an index */
    size_t size;
    char *webs; /* as they should be */
} place;

static const mry_index_tuning small = { .batch_cells = 1, .block_bytes = 1 };

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->f = test_library_new();
    for (int i = 0; i < 2; i++) {
        char name[8];
        marey_clip *part = NULL, *clip = test_mover(p->f->ctx, 40, 3);
        snprintf(name, sizeof name, "clip%d", i);
        test_ok(marey_clip_trim(clip, 5 * i, 24 + 8 * i, &part, NULL));
        marey_clip_free(clip);
        test_index_put_clip(p->f, part, name);
    }
    test_library_close(p->f);
    p->bytes = test_file_read(p->f->path, &p->size);
    test_library_open(p->f, MAREY_LIBRARY_WRITE);
    test_index_run(p->f, NULL, NULL);
    p->webs = test_index_webs(p->f);
    test_library_close(p->f);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    FREED place *p = *state;
    void *made = p->f;
    test_library_free(&made);
    free(p->bytes);
    free(p->webs);
    return 0;
}

/* Everything works again. Returns how many pairs there were. */
static int look_afterwards(place *p)
{
    test_library_sound(p->f);
    test_library_open(p->f, MAREY_LIBRARY_WRITE);
    int there = test_index_state(p->f).size.pairs;
    marey_index_report report = test_index_run(p->f, NULL, NULL);
    assert_int_equal(report.pairs_built, 3 - there);
    assert_string_equal(report.rebuilt, "");
    FREED char *webs = test_index_webs(p->f);
    assert_string_equal(webs, p->webs);
    test_library_close(p->f);
    return there;
}

/* Opens, indexes and asks for the state. */
static marey_status try_all(marey_ctx *ctx, const char *path, const marey_metric_def *metric)
{
    OWNED(marey_library) *library = NULL;
    marey_index_state now;
    marey_index_def def = { .metric = metric };
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_WRITE, &library, NULL);
    if (status) return status;
    status = mry_library_index(library, &def, &small, NULL, NULL);
    if (!status) status = marey_library_index_state(library, &now, NULL);
    return status;
}

static void walk_memory(place *p, const marey_metric_def *metric, bool check)
{
    int outcomes[4] = { 0 };
    OWNED(test_memory) memory = { 0 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        if (check && sweep.at > 0) outcomes[look_afterwards(p)]++;
        test_library_restore(p->f->path, p->bytes, p->size);
        OWNED(marey_ctx) *ctx = NULL;
        status = test_ctx_try(&memory, &ctx);
        if (!status) status = try_all(ctx, p->f->path, metric);
    }
    if (check) assert_true(outcomes[0] > 0 && outcomes[1] > 0 && outcomes[2] > 0);
    if (check) assert_int_equal(look_afterwards(p), 3);
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, place *p, name)

CASE(refused_memory_loses_nothing_that_was_put_in)
{
    walk_memory(p, NULL, true);
}

CASE(refused_memory_is_reported_for_a_metric_with_normalisers)
{
    marey_metric_def positions = { .metric = marey_metric_named("positions") };
    walk_memory(p, &positions, false);
}

CASE(a_failing_disk_loses_nothing_that_was_put_in)
{
    test_disk *disk = test_disk_install();
    int outcomes[4] = { 0 };
    for (long fail = 0;; fail += 1 + fail / 12) {
        test_library_restore(p->f->path, p->bytes, p->size);
        test_disk_heal();
        disk->kinds = TEST_DISK_WRITE | TEST_DISK_SYNC;
        disk->fail = fail;
        disk->from_then_on = true;
        disk->full = fail % 2;
        marey_status status = try_all(p->f->ctx, p->f->path, NULL);
        bool over = disk->calls <= fail;
        test_disk_heal();
        if (over) test_ok(status);
        if (status) assert_int_equal(status, MAREY_ERR_IO);
        outcomes[look_afterwards(p)]++;
        if (over) break;
    }
    assert_true(outcomes[0] > 0 && outcomes[1] > 0 && outcomes[2] > 0 && outcomes[3] > 0);
}

CASE(a_killed_index_goes_on_from_there)
{
    test_disk *disk = test_disk_install();
    int outcomes[4] = { 0 };
    bool over = false;
    for (long fail = 0; !over; fail += 1 + fail / 12) {
        int status = 0;
        test_library_restore(p->f->path, p->bytes, p->size);
        test_disk_heal();
        disk->kinds = TEST_DISK_WRITE | TEST_DISK_SYNC;
        disk->fail = fail;
        disk->kill = true;
        pid_t child = fork();
        if (child == 0) {
            marey_ctx *ctx = test_ctx();
            try_all(ctx, p->f->path, NULL);
            _exit(0);
        }
        disk->kill = false;
        test_disk_heal();
        assert_int_equal(waitpid(child, &status, 0), child);
        over = !WIFSIGNALED(status);
        outcomes[look_afterwards(p)]++;
    }
    assert_true(outcomes[0] > 0 && outcomes[1] > 0 && outcomes[2] > 0 && outcomes[3] > 0);
}

/* What a search asks for. */
static marey_status read_all(marey_ctx *ctx, const char *path, const marey_clip *clip)
{
    OWNED(marey_library) *library = NULL;
    mry_index_settings settings;
    mry_index_clip *clips;
    mry_outside *outside = NULL;
    OWNED(marey_web) *inside = NULL, *web = NULL, *self = NULL;
    OWNED(marey_layout) *layout = NULL;
    marey_features *features[2] = { 0 };
    const marey_clip *both[2] = { clip, clip };
    mry_index_web_state now;
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    int count;
    bool exists, flipped;
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, NULL);
    if (status) return status;
    status = mry_index_settings_read(library, &mem, &settings, &exists, NULL);
    if (!status) status = mry_index_clips_read(library, &settings, &mem, &clips, &count, NULL);
    if (!status) status = mry_index_web_read(library, 1, 2, &inside, &flipped, &now, NULL);
    if (!status) status = mry_outside_open(library, &settings, clip, &outside, NULL);
    if (!status) status = mry_outside_web(outside, library, 2, &web, NULL);
    if (!status) status = mry_outside_self(outside, &self, NULL);
    mry_outside_free(outside);
    if (!status) status = marey_library_index_view(library, both, &layout, features, NULL);
    for (int i = 0; i < 2; i++) marey_features_free(features[i]);
    return status;
}

CASE(refused_memory_is_reported_when_webs_are_read)
{
    OWNED(test_memory) memory = { 0 };
    OWNED(marey_clip) *clip = test_mover(p->f->ctx, 24, 3);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_ctx) *ctx = NULL;
        status = test_ctx_try(&memory, &ctx);
        if (!status) status = read_all(ctx, p->f->path, clip);
    }
    test_library_sound(p->f);
}

TEST_GROUP(test_index_faults)
{
    test_disk_install();
    return test_cases_run("test_index_faults", __FILE__, NULL, NULL);
}
