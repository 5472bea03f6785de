/* library_bench.c - a library in a folder of its own. */
#include "library_bench.h"

#include <stdlib.h>
#include <unistd.h>

test_library *test_library_new(void)
{
    test_library *f = calloc(1, sizeof *f);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    f->ctx = test_ctx();
    test_library_open(f, MAREY_LIBRARY_CREATE);
    return f;
}

test_library *two_clips_new(int walk_frames, int run_frames)
{
    test_library *f = test_library_new();
    OWNED(marey_clip) *walk = test_person_clip(f->ctx, walk_frames);
    OWNED(marey_clip) *run = test_person_clip(f->ctx, run_frames);
    assert_int_equal(test_library_put_clip(f, walk, "walk"), WALK);
    assert_int_equal(test_library_put_clip(f, run, "run"), RUN);
    return f;
}

int test_library_make(void **state)
{
    *state = test_library_new();
    return 0;
}

int two_clips_make(void **state)
{
    *state = two_clips_new(WALK_FRAMES, RUN_FRAMES);
    return 0;
}

int two_clips_make_long(void **state)
{
    *state = two_clips_new(LONG_WALK, LONG_RUN);
    return 0;
}

int two_clips_make_small(void **state)
{
    *state = two_clips_new(70, 75);
    return 0;
}

int test_library_free(void **state)
{
    FREED test_library *f = *state;
    marey_searcher_free(f->searcher);
    marey_library_close(f->library);
    test_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    return 0;
}

marey_library *test_library_second(test_library *f, marey_library_mode mode)
{
    marey_library *library = NULL;
    test_ok(marey_library_open(f->ctx, f->path, mode, &library, &test_error));
    return library;
}

void test_library_open(test_library *f, marey_library_mode mode)
{
    test_library_close(f);
    f->library = test_library_second(f, mode);
}

void test_library_close(test_library *f)
{
    marey_library_close(f->library);
    f->library = NULL;
}

/* ---- clips ----------------------------------------------------------------------------------- */

void test_library_person(const test_library *f, const char *name, int frames)
{
    char path[600];
    FREED char *text = test_person(frames);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    test_file_write(path, text, strlen(text));
}

void test_library_add(test_library *f, const char *file, const marey_add_def *def)
{
    char path[600];
    const char *paths[] = { path };
    snprintf(path, sizeof path, "%s/%s", f->folder, file);
    test_ok(marey_library_add(f->library, paths, 1, def, &test_error));
}

void test_library_put(test_library *f, const char *name, int frames)
{
    char file[300];
    snprintf(file, sizeof file, "%s.bvh", name);
    test_library_person(f, file, frames);
    test_library_add(f, file, NULL);
}

int64_t test_library_put_clip(test_library *f, const marey_clip *clip, const char *name)
{
    test_ok(marey_library_put(f->library, clip, name, NULL, NULL, 0, &test_error));
    return test_library_number(f, name);
}

int test_library_count(test_library *f, const marey_list_def *def)
{
    OWNED(marey_listing) *listing = NULL;
    int count;
    test_ok(marey_library_list(f->library, def, &listing, &test_error));
    marey_listing_entries(listing, &count);
    return count;
}

int64_t test_library_number(test_library *f, const char *name)
{
    OWNED(marey_listing) *listing = NULL;
    int count;
    int64_t id = 0;
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0) id = entries[i].id;
    return id;
}

const char *test_stretches(marey_library *library, const char *name)
{
    static char text[4096];
    OWNED(marey_listing) *listing = NULL;
    int count;
    size_t used = 0;
    *text = 0;
    test_ok(marey_library_list(library, NULL, &listing, &test_error));
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) != 0) continue;
        for (int k = 0; k < entries[i].stretch_count; k++) {
            const marey_stretch *one = &entries[i].stretches[k];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %d-%d", k ? ", " : "",
                                     one->label, one->start, one->end);
        }
    }
    return text;
}

marey_clip *test_library_load(test_library *f, const char *name)
{
    marey_clip *clip = NULL;
    test_ok(marey_library_load(f->library, name, &clip, &test_error));
    return clip;
}

marey_parts *test_library_parts(test_library *f, const marey_part *parts, int count)
{
    marey_parts *opened = NULL;
    test_ok(marey_library_parts(f->library, parts, count, 0, &opened, &test_error));
    return opened;
}

int64_t test_version(marey_library *library)
{
    int64_t version = 0;
    test_ok(marey_library_version(library, &version, &test_error));
    assert_true(version > 0);
    return version;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

void test_keep(marey_library *library, const char *kind, const char *name, const char *text)
{
    test_ok(marey_library_keep(library, kind, name, text, strlen(text), NULL, &test_error));
}

bool test_is_kept(marey_library *library, const char *kind, const char *name, const char *text)
{
    OWNED(marey_kept) *kept = NULL;
    size_t size;
    if (marey_library_kept(library, kind, name, &kept, NULL)) return false;
    const void *bytes = marey_kept_bytes(kept, &size);
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

int test_kept_count(marey_library *library, const char *kind)
{
    OWNED(marey_kept) *kept = NULL;
    int count;
    test_ok(marey_library_kept_list(library, kind, &kept, &test_error));
    marey_kept_entries(kept, &count);
    return count;
}

/* ---- sound or not ---------------------------------------------------------------------------- */

void test_library_restore(const char *path, const char *bytes, size_t size)
{
    static const char *const ends[] = { "-wal", "-shm" };
    for (int i = 0; i < 2; i++) {
        char beside[400];
        snprintf(beside, sizeof beside, "%s%s", path, ends[i]);
        unlink(beside);
    }
    test_file_write(path, bytes, size);
}

static void note_problem(void *user, const char *problem)
{
    char *said = user;
    size_t used = strlen(said);
    snprintf(said + used, 4096 - used, "%s\n", problem);
}

int test_library_verify(const test_library *f, char said[4096])
{
    int64_t problems = -1;
    said[0] = 0;
    test_ok(marey_library_verify(f->ctx, f->path, note_problem, said, &problems, &test_error));
    return (int)problems;
}

void test_library_sound(const test_library *f)
{
    char said[4096];
    int problems = test_library_verify(f, said);
    if (problems) fail_msg("%d problems: %s", problems, said);
    assert_string_equal(said, "");
}

void test_history_clear(test_library *f)
{
    test_ok(mry_store_begin(f->library->store, &test_error));
    test_ok(mry_history_clear(f->library, &test_error));
    test_ok(mry_store_commit(f->library->store, &test_error));
}

void test_library_find_damage(test_library *f, const test_damage *damage, int count,
                              void (*renew)(test_library *f))
{
    for (int i = 0; i < count; i++) {
        char said[4096];
        test_keep(f->library, "web", "sound", "something else, long enough");
        renew(f);
        test_history_clear(f);
        test_library_sound(f);
        test_ok(mry_store_run(f->library->store, damage[i].sql, &test_error));
        assert_int_equal(test_library_verify(f, said), 1);
        if (!strstr(said, damage[i].said)) fail_msg("%d: %s", i, said);
        assert_true(test_is_kept(f->library, "web", "sound", "something else, long enough"));
    }
}

void test_library_refuse_memory(test_library *f, test_library_use *use)
{
    OWNED(test_memory) memory = { 0 };
    marey_status status = MAREY_OK;
    test_library_close(f);
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_ctx) *ctx = NULL;
        marey_library *library = NULL;
        if (sweep.at % 8 == 0) test_library_sound(f);
        status = test_ctx_try(&memory, &ctx);
        if (!status)
            status = marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, &test_error);
        if (!status) status = use(library, ctx, &test_error);
        marey_library_close(library);
        if (!status) status = marey_library_verify(ctx, f->path, NULL, NULL, NULL, &test_error);
    }
    test_library_sound(f);
}

void test_same_clip(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *sa = marey_clip_skeleton(a), *sb = marey_clip_skeleton(b);
    const marey_report *ra = marey_clip_report(a), *rb = marey_clip_report(b);
    int marks_a, marks_b;
    assert_int_equal(marey_clip_frames(a), marey_clip_frames(b));
    assert_true(marey_clip_fps(a) == marey_clip_fps(b));
    assert_int_equal(marey_clip_units(a), marey_clip_units(b));
    assert_int_equal(marey_clip_up(a), marey_clip_up(b));
    assert_int_equal(sa->joint_count, sb->joint_count);
    assert_memory_equal(sa->roles, sb->roles, sizeof sa->roles);
    for (int j = 0; j < sa->joint_count; j++) {
        assert_string_equal(sa->joints[j].name, sb->joints[j].name);
        for (int i = 0; i < 3; i++)
            assert_true(sa->joints[j].offset_cm[i] == sb->joints[j].offset_cm[i]);
    }
    const marey_mark *ma = marey_clip_marks(a, &marks_a), *mb = marey_clip_marks(b, &marks_b);
    assert_int_equal(marks_a, marks_b);
    for (int i = 0; i < marks_a; i++) assert_memory_equal(&ma[i], &mb[i], sizeof *ma);
    assert_int_equal(ra->warning_count, rb->warning_count);
    assert_string_equal(ra->units_why, rb->units_why);
    assert_string_equal(ra->format, rb->format);
    assert_true(ra->height_cm == rb->height_cm);
    for (int f = 0; f < marey_clip_frames(a); f++) {
        const double *ca = marey_clip_channels(a, f), *cb = marey_clip_channels(b, f);
        for (int c = 0; c < sa->channel_count; c++) assert_true(ca[c] == cb[c]);
        const float *qa = marey_clip_rotations(a, f), *qb = marey_clip_rotations(b, f);
        for (int i = 0; i < 4 * sa->joint_count; i++) assert_true(qa[i] == qb[i]); /* -0 is 0 */
        const double *pa = marey_clip_root(a, f), *pb = marey_clip_root(b, f);
        for (int i = 0; i < 3; i++) assert_true(pa[i] == pb[i]);
    }
}
