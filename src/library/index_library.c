/* index_library.c - the match webs of a library: making them, what there is of them, taking them out. */
#include "base/fail.h"
#include "library/index_work.h"

#include <string.h>
#include <time.h>

double mry_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fill_tuning(const mry_index_tuning *given, mry_index_tuning *out)
{
    *out = given ? *given : (mry_index_tuning){ 0 };
    /* Not by the number of threads: the order in which webs are put in shows in the bytes of the file. */
    if (!out->batch_cells) out->batch_cells = 200000000;
    if (!out->block_bytes) out->block_bytes = (size_t)96 << 20;
    if (!out->based_on) out->based_on = 8;
}

static marey_status read_state(marey_library *library, mry_arena *mem, marey_index_state *out,
                               marey_error *error)
{
    mry_index_settings settings;
    *out = (marey_index_state){ .about = "" };
    marey_status status = mry_index_settings_read(library, mem, &settings, &out->exists, error);
    if (!status) status = mry_web_rows_count(library, out, error);
    if (status || !out->exists) return status;
    out->metric = settings.metric.metric->name;
    out->about = settings.about;
    out->size.fps = settings.fps;
    out->size.ceiling = settings.web.ceiling;
    return MAREY_OK;
}

static marey_status make(mry_indexing *all, marey_error *error)
{
    marey_index_state state;
    marey_status status = mry_index_plan(all, error);
    if (!status) status = mry_index_build(all, error);
    if (!status) status = read_state(all->library, &all->mem, &state, error);
    if (status) return status;
    marey_index_report *to = &all->report, made = *to;
    *to = state.size;
    to->pairs_built = made.pairs_built;
    to->pairs_dropped = made.pairs_dropped;
    memcpy(to->rebuilt, made.rebuilt, sizeof to->rebuilt);
    to->seconds = mry_seconds() - all->started_s;
    return MAREY_OK;
}

marey_status mry_library_index(marey_library *library, const marey_index_def *def,
                               const mry_index_tuning *tuning, marey_index_report *report,
                               marey_error *error)
{
    static const marey_index_def defaults = { 0 };
    mry_indexing all = { .library = library, .ctx = library->ctx, .def = def ? def : &defaults };
    if (!mry_store_can_write(library->store)) {
        return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                        "this library is open for reading only, so it cannot be indexed");
    }
    fill_tuning(tuning, &all.tuning);
    all.mem = mry_arena_make(library->ctx);
    all.started_s = mry_seconds();
    all.tell = library->ctx->def.progress;
    all.tell_user = library->ctx->def.progress_user;
    marey_status status = make(&all, error);
    mry_arena_free(&all.mem);
    if (!status && report) *report = all.report;
    return status;
}

marey_status marey_library_index(marey_library *library, const marey_index_def *def,
                                 marey_index_report *report, marey_error *error)
{
    return mry_library_index(library, def, NULL, report, error);
}

/* The text stays with the library until it is asked for again. */
marey_status marey_library_index_state(marey_library *library, marey_index_state *out,
                                       marey_error *error)
{
    marey_index_state state = { 0 };
    mry_arena mem = mry_arena_make(library->ctx);
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = read_state(library, &mem, &state, error);
    mry_store_rollback(library->store);
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    mry_arena_free(&library->index_about);
    library->index_about = mem;
    *out = state;
    return MAREY_OK;
}

marey_status marey_library_index_drop(marey_library *library, marey_error *error)
{
    int dropped = 0;
    marey_status status = mry_store_begin(library->store, error);
    if (status) return status;
    status = mry_web_rows_drop(library, true, &dropped, error);
    if (!status) status = mry_store_run(library->store, "DELETE FROM web_settings", error);
    return mry_library_end(library, status, error);
}
