/* two_clips.c - a library of two short clips. */
#include "two_clips.h"

marey_library *two_clips_again(two_clips *f, marey_library_mode mode)
{
    marey_library *library = NULL;
    test_ok(marey_library_open(f->ctx, f->path, mode, &library, &test_error));
    return library;
}

int64_t two_clips_number(two_clips *f, const char *name)
{
    OWNED(marey_listing) *listing = NULL;
    int count;
    int64_t id = 0;
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) id = entries[i].id;
    }
    return id;
}

marey_clip *two_clips_person(two_clips *f, int frames)
{
    char *text = test_person(frames);
    marey_clip *clip = test_clip(f->ctx, text);
    free(text);
    return clip;
}

void two_clips_put(two_clips *f, const marey_clip *clip, const char *name)
{
    test_ok(marey_library_put(f->library, clip, name, NULL, NULL, 0, &test_error));
}

int64_t two_clips_add(two_clips *f, const char *name, int frames)
{
    marey_clip *clip = two_clips_person(f, frames);
    two_clips_put(f, clip, name);
    marey_clip_free(clip);
    return two_clips_number(f, name);
}

two_clips *two_clips_open(int walk_frames, int run_frames)
{
    two_clips *f = calloc(1, sizeof *f);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    f->ctx = test_ctx();
    f->library = two_clips_again(f, MAREY_LIBRARY_CREATE);
    f->walk = two_clips_add(f, "walk", walk_frames);
    f->run = two_clips_add(f, "run", run_frames);
    return f;
}

int two_clips_set_up(void **state)
{
    *state = two_clips_open(WALK_FRAMES, RUN_FRAMES);
    return 0;
}

int two_clips_set_up_long(void **state)
{
    *state = two_clips_open(LONG_WALK, LONG_RUN);
    return 0;
}

int two_clips_set_up_small(void **state)
{
    *state = two_clips_open(70, 75);
    return 0;
}

int two_clips_tear_down(void **state)
{
    two_clips_close(*state);
    return 0;
}

marey_parts *two_clips_parts(two_clips *f, const marey_part *parts, int count)
{
    marey_parts *opened = NULL;
    test_ok(marey_library_parts(f->library, parts, count, &opened, &test_error));
    return opened;
}

int test_kept_count(marey_library *library, const char *kind)
{
    OWNED(marey_kept) *kept = NULL;
    int count;
    test_ok(marey_library_kept_list(library, kind, &kept, &test_error));
    marey_kept_entries(kept, &count);
    return count;
}

void two_clips_close(two_clips *f)
{
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    free(f);
}

int64_t test_version(marey_library *library)
{
    int64_t version = 0;
    test_ok(marey_library_version(library, &version, &test_error));
    assert_true(version > 0);
    return version;
}

static void note_problem(void *user, const char *problem)
{
    char *said = user;
    size_t used = strlen(said);
    snprintf(said + used, 4096 - used, "%s\n", problem);
}

int64_t two_clips_verify(two_clips *f, char said[4096])
{
    int64_t problems = -1;
    said[0] = 0;
    test_ok(marey_library_verify(f->ctx, f->path, note_problem, said, &problems, &test_error));
    return problems;
}

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
    bool same = size == strlen(text) && memcmp(bytes, text, size) == 0;
    return same;
}

static marey_status use_it(two_clips_use *use, marey_ctx *ctx, const two_clips *f,
                           marey_error *error)
{
    marey_library *library;
    marey_status status = marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, error);
    if (status) return status;
    status = use(library, ctx, f, error);
    marey_library_close(library);
    if (!status) status = marey_library_verify(ctx, f->path, NULL, NULL, NULL, error);
    return status;
}

void two_clips_refuse_memory(two_clips *f, two_clips_use *use)
{
    marey_library_close(f->library);
    f->library = NULL;
    for (long n = 0;; n = test_next(n)) {
        test_memory memory = { .refuse = n };
        marey_ctx_def def = { .threads = 1, .resize = test_memory_resize, .resize_user = &memory };
        marey_error error = { 0 };
        marey_ctx *ctx;
        int64_t problems = -1;
        if (marey_ctx_open(&def, &ctx)) continue;
        marey_status status = use_it(use, ctx, f, &error);
        bool over = memory.calls <= n;
        marey_ctx_close(ctx);
        assert_int_equal(memory.live, 0);
        if (status && status != MAREY_ERR_MEMORY) fail_msg("allocation %ld: %s", n, error.message);
        if (over) assert_int_equal(status, MAREY_OK);
        if (!over) assert_int_equal(status, MAREY_ERR_MEMORY);
        if (n % 8 == 0 || over) {
            test_fine(marey_library_verify(f->ctx, f->path, NULL, NULL, &problems, &error), &error);
            assert_int_equal(problems, 0);
        }
        if (over) break;
    }
}
