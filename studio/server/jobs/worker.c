/* worker.c - a thread's own context, library and files, and the clips that it read last. */
#include "worker.h"

#include "clip_lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

marey_status worker_open(studio_worker *worker, shared *common, int threads,
                         marey_progress_fn progress, marey_error *error)
{
    *worker = (studio_worker){
        .of = common, .saved = { .memory = &common->allocator, .most_weight = LIMIT_KEPT_NODES }
    };
    worker->files = memory_files_make(&common->memory);
    marey_status status = MAREY_ERR_MEMORY;
    if (worker->files) {
        marey_ctx_def def = { .resize = heap_resize,
                              .resize_user = &common->memory,
                              .threads = threads,
                              .io = memory_files_io(worker->files),
                              .progress = progress,
                              .progress_user = worker,
                              .clock_ns = common->clock_ns };
        status = marey_ctx_open(&def, &worker->ctx);
    }
    if (status) app_fail(error, status, NULL, "%s", marey_status_name(status));
    if (!status)
        status = marey_library_open(worker->ctx, common->library_path,
                                    common->can_write ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ,
                                    &worker->library, error);
    if (status) worker_close(worker);
    return status;
}

static void forget_clips(studio_worker *worker)
{
    for (int i = 0; i < WORKER_CLIPS; i++) {
        marey_clip_free(worker->clips[i].clip);
        worker->clips[i] = (kept_clip){ 0 };
    }
}

void worker_close(studio_worker *worker)
{
    worker_forget_saved(worker);
    forget_clips(worker);
    marey_library_close(worker->library);
    marey_ctx_close(worker->ctx);
    memory_files_free(worker->files);
    *worker = (studio_worker){ .of = worker->of };
}

void worker_begin(studio_worker *worker)
{
    marey_ctx_limit_time(worker->ctx, worker->of->most_seconds);
}

void worker_end(studio_worker *worker, marey_error *error)
{
    app_time_out(worker->ctx, error);
    marey_ctx_limit_time(worker->ctx, 0);
}

void worker_forget_saved(studio_worker *worker)
{
    app_cache_clear(&worker->saved);
}

void worker_make_room(studio_worker *worker)
{
    forget_clips(worker);
    worker_forget_saved(worker);
    clip_lists_make_room(worker->of->lists);
    if (worker->of->make_searching_room) worker->of->make_searching_room(worker->of->searching);
}

/* ---- libraries beside its own ---------------------------------------------------------------- */

int worker_neighbour_find(const shared *common, const char *name)
{
    const studio_neighbours *of = common->neighbours;
    for (int i = 0; of && i < of->count; i++)
        if (strcmp(of->all[i].name, name) == 0) return i;
    return -1;
}

static void release_library(void *library)
{
    marey_library_close(library);
}

marey_status worker_neighbour(void *user, app_scope *scope, const char *name, marey_library **out,
                              marey_error *error)
{
    studio_worker *worker = user;
    int which = worker_neighbour_find(worker->of, name);
    if (which < 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no library of this folder is called %.200s", name);
    marey_status status = marey_library_open_beside(
        worker->library, worker->of->neighbours->all[which].path, MAREY_LIBRARY_READ, out, error);
    return status == MAREY_OK ? app_own(scope, *out, release_library, error) : status;
}

/* ---- the clips it read last ------------------------------------------------------------------ */

static kept_clip *find_kept(studio_worker *worker, int64_t id)
{
    for (int i = 0; i < WORKER_CLIPS; i++)
        if (worker->clips[i].clip && worker->clips[i].id == id) return &worker->clips[i];
    return NULL;
}

marey_status worker_clip(studio_worker *worker, int64_t id, const marey_clip **out,
                         marey_error *error)
{
    int64_t layers = 0;
    marey_status status = marey_library_layers(worker->library, id, &layers, error);
    if (status) return status;
    kept_clip *kept = find_kept(worker, id);
    if (kept && kept->layers != layers) {
        marey_clip_free(kept->clip);
        *kept = (kept_clip){ 0 };
        kept = NULL;
    }
    if (kept) { /* it may have been removed since */
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        status = marey_library_name(worker->library, id, name, sizeof name, &removed, error);
        if (status) return status;
        if (removed)
            return app_fail(error, MAREY_ERR_NOT_FOUND, NULL,
                            "there is no clip number %" PRId64 ": %.100s is removed", id, name);
    } else {
        char text[32];
        marey_clip *clip = NULL;
        kept = &worker->clips[0]; /* the one that was not used for longest */
        for (int i = 1; i < WORKER_CLIPS; i++)
            if (worker->clips[i].used < kept->used) kept = &worker->clips[i];
        marey_clip_free(kept->clip);
        *kept = (kept_clip){ 0 };
        snprintf(text, sizeof text, "#%" PRId64, id);
        status = marey_library_load(worker->library, text, &clip, error);
        if (status == MAREY_ERR_MEMORY) {
            /* What is kept only saves time, so it makes way before a request fails for memory. */
            worker_make_room(worker);
            status = marey_library_load(worker->library, text, &clip, error);
        }
        if (status) return status;
        *kept = (kept_clip){ .id = id, .layers = layers, .clip = clip };
    }
    kept->used = ++worker->count;
    *out = kept->clip;
    return MAREY_OK;
}

marey_status worker_two_clips(studio_worker *worker, const int64_t ids[2], const marey_clip *out[2],
                              marey_error *error)
{
    marey_status status = worker_clip(worker, ids[0], &out[0], error);
    if (status == MAREY_OK) status = worker_clip(worker, ids[1], &out[1], error);
    /* Where memory was short the first had to go for the second. */
    if (status == MAREY_OK) status = worker_clip(worker, ids[0], &out[0], error);
    if (status != MAREY_OK || find_kept(worker, ids[1])) return status;
    return app_fail_memory(error);
}
