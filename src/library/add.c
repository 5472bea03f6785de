/* add.c - many files into a library by one transaction. Files are read and packed by all threads, a batch at a
   time, and stored in the order given, so the result does not depend on the number of threads and memory does
   not grow with the number of files. */
#include "library/library_data.h"

#include "base/fail.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BATCH = 16, MOST_LABELS = 63 };

/* One file on its way in. */
typedef struct item {
    const char *path;
    marey_clip *clip;
    mry_arena mem; /* the record's */
    mry_record record;
    marey_status status;
    marey_error error;
    marey_named got; /* the clip it became, or duplicates */
} item;

typedef struct adding {
    marey_library *library;
    const marey_add_def *def;
    const mry_index *index;
    item items[BATCH];
} adding;

static bool is_skeleton_only(const char *format)
{
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (strcmp(row->name, format) == 0) return row->skeleton_only;
    }
    return false;
}

static void read_item(void *user, int64_t i)
{
    adding *all = user;
    item *one = &all->items[i];
    marey_ctx *ctx = all->library->ctx;
    one->status = marey_clip_load(ctx, one->path, &all->def->load, &one->clip, &one->error);
    if (one->status || is_skeleton_only(marey_clip_report(one->clip)->format)) return;
    one->mem = mry_arena_make(ctx);
    if (!mry_record_make(one->clip, &one->mem, &one->record)) {
        one->status = mry_fail_memory(&one->error, one->path);
    } else {
        one->status = mry_record_check(&one->record, one->path, &one->error);
    }
}

static void free_item(item *one)
{
    mry_arena_free(&one->mem);
    marey_clip_free(one->clip);
    one->clip = NULL;
}

/* What is no motion file is passed over; what is one and cannot be read is a failure. */
static bool is_unknown(const item *one)
{
    return one->status == MAREY_ERR_UNKNOWN_FORMAT;
}

/* The name of the folder that a file is in; "" if the path has none. */
static void folder_label(const char *path, char *label, size_t room)
{
    const char *slash = strrchr(path, '/'), *start = slash;
    label[0] = 0;
    if (!slash) return;
    while (start > path && start[-1] != '/') start--;
    size_t count = (size_t)(slash - start);
    if (count == 0 || count >= room || count > MRY_LONGEST_CLIP_NAME ||
        (count == 1 && *start == '.') || strncmp(start, "..", count) == 0)
        return;
    memcpy(label, start, count);
    label[count] = 0;
}

/* A file's name may hold what a clip's name must not. */
static void tidy_name(const char *from, char *name, size_t room)
{
    snprintf(name, room, "%s", *from ? from : "clip");
    for (char *p = name; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '#' || *p == '/') *p = '_';
    }
}

static marey_status store_item(adding *all, item *one, bool *duplicate, marey_error *error)
{
    const marey_add_def *def = all->def;
    const char *labels[MOST_LABELS + 1];
    char folder[256], wish[MRY_LONGEST_CLIP_NAME + 1];
    const char *name = marey_clip_name(one->clip);
    int count = 0;
    for (; count < def->label_count; count++) labels[count] = def->labels[count];
    folder_label(one->path, folder, sizeof folder);
    if (def->label_from_folder && !mry_check_label(folder, NULL)) labels[count++] = folder;
    tidy_name(name, wish, sizeof wish);
    mry_card card = { .name = wish,
                      .source = one->path,
                      .description = all->index ? mry_index_find(all->index, name) : "",
                      .licence = def->licence ? def->licence : "",
                      .provenance = "",
                      .labels = labels,
                      .label_count = count };
    return mry_store_record(all->library, &one->record, &card, duplicate, &one->got, error);
}

/* Stores one item if it is to be stored, and reports it. Fails only if the whole must. */
static marey_status settle_item(adding *all, item *one, marey_error *error)
{
    marey_add_result result = { .path = one->path, .name = "", .clip = one->clip };
    bool duplicate = false;
    if (one->status == MAREY_ERR_MEMORY || one->status == MAREY_ERR_CANCELLED) {
        if (error) *error = one->error;
        return one->status;
    }
    if (one->status) {
        result.outcome = is_unknown(one) ? MAREY_ADD_SKIPPED : MAREY_ADD_FAILED;
        result.error = &one->error;
    } else if (is_skeleton_only(marey_clip_report(one->clip)->format)) {
        result.outcome = MAREY_ADD_SKIPPED;
    } else {
        marey_status status = store_item(all, one, &duplicate, error);
        if (status) return status;
        result.outcome = duplicate ? MAREY_ADD_DUPLICATE : MAREY_ADD_DONE;
        result.name = one->got.name;
        result.id = one->got.id;
        result.frames = duplicate ? 0 : marey_clip_frames(one->clip);
    }
    if (all->def->done) all->def->done(all->def->user, &result);
    return MAREY_OK;
}

static marey_status add_batch(adding *all, const char *const *paths, int count, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count; i++) {
        all->items[i] = (item){ .path = paths[i], .mem = mry_arena_make(all->library->ctx) };
    }
    marey_ctx_run(all->library->ctx, count, read_item, all);
    for (int i = 0; i < count; i++) {
        if (!status) status = settle_item(all, &all->items[i], error);
        free_item(&all->items[i]);
    }
    return status;
}

/* A cancel that comes with the last file is obeyed too: `done` may be where it comes from. */
static marey_status add_all(adding *all, const char *const *paths, int count, marey_error *error)
{
    marey_ctx *ctx = all->library->ctx;
    marey_status status = MAREY_OK;
    int takes = all->def->demo ? marey_demo_count() : 0;
    if (takes > 0) status = mry_add_takes(all->library, all->def, takes + count, error);
    for (int at = 0; at < count && !status; at += BATCH) {
        int batch = count - at < BATCH ? count - at : BATCH;
        if (!mry_progress(ctx, "adding", takes + at, takes + count)) break;
        status = add_batch(all, paths + at, batch, error);
    }
    return !status && mry_cancelled(ctx) ? mry_fail_cancelled(error) : status;
}

/* A label that cannot be would fail every file. */
static marey_status check_labels(const marey_add_def *def, marey_error *error)
{
    if (def->label_count > MOST_LABELS) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "at most %d labels at once", MOST_LABELS);
    }
    for (int i = 0; i < def->label_count; i++) {
        marey_status status = mry_check_label(def->labels[i], error);
        if (status) return status;
    }
    return MAREY_OK;
}

marey_status marey_library_add(marey_library *library, const char *const *paths, int count,
                               const marey_add_def *def, marey_error *error)
{
    static const marey_add_def defaults = { 0 };
    mry_arena mem = mry_arena_make(library->ctx);
    adding *all = MRY_NEW(&mem, adding, 1);
    mry_index *index = NULL;
    marey_status status = all ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!def) def = &defaults;
    if (!status) status = check_labels(def, error);
    if (!status && def->index_path) status = mry_index_read(&mem, def->index_path, &index, error);
    if (!status) status = mry_store_begin(library->store, error);
    if (!status) {
        *all = (adding){ .library = library, .def = def, .index = index };
        status = add_all(all, paths, count, error);
        status = mry_library_end(library, status, error);
    }
    mry_arena_free(&mem);
    return status;
}
