/* live_stage.c - graphs that are open to be gone through. Each has a context of its own: a worker opens it, then it is the hub's.
   Several characters share one; one that is not used goes after a while, or as soon as its room is wanted. What bodies know of a
   graph is found by a worker when the first body is asked for, in a context of its own, while characters are steered through the
   same graph; then shared by all bodies. */
#include "live_stage.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { IDLE_MS = 15000 };

/* ---- on a worker's thread ----------------------------------------------------------------------- */

static void forget(stage *of)
{
    app_scope_close(&of->scope);
    of->policy = NULL;
    of->graph = NULL;
    of->parts = NULL;
}

static marey_status load(stage *of, marey_error *error)
{
    app_saved_graph *saved = NULL;
    app_env env = { .ctx = of->ctx, .scope = &of->scope };
    marey_status status = marey_library_open(of->ctx, of->all->of->library_path, MAREY_LIBRARY_READ,
                                             &env.library, error);
    if (status != MAREY_OK) return status;
    status = app_graph_open(&env, of->name, &saved, error);
    if (status == MAREY_OK) {
        of->parts = saved->parts;
        of->graph = saved->graph;
        if (marey_graph_nodes(of->graph) > LIMIT_STAGE_NODES)
            status =
                app_fail(error, MAREY_ERR_LIMIT, NULL, "the graph is too large to be steered here");
    }
    if (status == MAREY_OK) {
        status = app_graph_policy(&env, saved, &of->policy, error);
        of->needs_policy = marey_status_group(status) == MAREY_ERR_INPUT;
    }
    marey_library_close(env.library);
    if (status != MAREY_OK) forget(of);
    return status;
}

/* What the worker keeps to save time makes way before this fails for memory. */
static void open_stage(studio_worker *worker, task *self)
{
    stage *of = (stage *)self;
    hub *all = of->all;
    marey_error error = { 0 };
    marey_status status = load(of, &error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(worker);
        status = load(of, &error);
    }
    of->error = error;
    of->error.status = status;
    hub_give_back(all, &of->back);
}

static void seek(studio_worker *worker, task *self)
{
    stage_ground *ground = (stage_ground *)self;
    const stage *of = ground->of;
    marey_error error = { 0 };
    marey_status status =
        marey_body_ground_open(ground->ctx, of->graph, of->policy, &ground->found, &error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(worker);
        status = marey_body_ground_open(ground->ctx, of->graph, of->policy, &ground->found, &error);
    }
    ground->error = error;
    ground->error.status = status;
    hub_give_back(of->all, &ground->back);
}

/* ---- what bodies know of it, on the hub's thread ------------------------------------------------ */

static void ground_free(stage *of)
{
    marey_body_ground_free(of->ground.found);
    if (of->ground.ctx) marey_ctx_close(of->ground.ctx);
    of->ground.found = NULL;
    of->ground.ctx = NULL;
    of->ground.state = GROUND_NONE;
}

/* One that was not found may be asked for again. */
static void end_search(stage *of)
{
    of->all->ground_ready(of->all, of);
    if (of->ground.state == GROUND_NONE) ground_free(of);
}

static void take_ground(hub_return *self)
{
    stage_ground *ground = (stage_ground *)(void *)((char *)self - offsetof(stage_ground, back));
    ground->state = ground->error.status == MAREY_OK ? GROUND_FOUND : GROUND_NONE;
    end_search(ground->of);
}

void ground_want(stage *of)
{
    stage_ground *ground = &of->ground;
    marey_ctx_def def = { .resize = heap_resize,
                          .resize_user = &of->all->of->memory,
                          .threads = 1 };
    if (ground->state != GROUND_NONE) return;
    ground->work.run = seek;
    ground->back.take = take_ground;
    ground->error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    if (marey_ctx_open(&def, &ground->ctx) != MAREY_OK) {
        ground->ctx = NULL;
        end_search(of);
        return;
    }
    ground->state = GROUND_SOUGHT;
    pool_add(of->all->workers, &ground->work);
}

/* ---- its life, on the hub's thread ------------------------------------------------------------- */

static void stage_free(stage *of)
{
    heap *memory = &of->all->of->memory;
    ground_free(of);
    forget(of);
    marey_ctx_close(of->ctx);
    heap_resize(memory, of, sizeof *of, 0);
}

/* It is open, or could not be opened. */
static void take_stage(hub_return *self)
{
    stage *one = (stage *)(void *)((char *)self - offsetof(stage, back));
    hub *all = one->all;
    one->ready = true;
    all->stage_ready(all, one);
    if (one->error.status == MAREY_OK) return;
    for (int i = 0; i < LIMIT_STAGES; i++)
        if (all->stages[i] == one) all->stages[i] = NULL;
    stage_free(one);
}

static stage *stage_make(hub *all, const char *name, int64_t version)
{
    heap *memory = &all->of->memory;
    stage *made = heap_resize(memory, NULL, 0, sizeof *made);
    marey_ctx_def def = { .resize = heap_resize, .resize_user = memory, .threads = 1 };
    if (!made) return NULL;
    *made = (stage){ .all = all,
                     .version = version,
                     .scope = app_scope_open(&all->of->allocator),
                     .idle_ms = hub_now_ns() / 1000000 };
    made->work.run = open_stage;
    made->back.take = take_stage;
    made->ground.of = made;
    snprintf(made->name, sizeof made->name, "%s", name);
    if (marey_ctx_open(&def, &made->ctx) == MAREY_OK) return made;
    heap_resize(memory, made, sizeof *made, 0);
    return NULL;
}

static bool is_idle(const stage *of)
{
    return of && of->ready && of->users == 0 && of->ground.state != GROUND_SOUGHT;
}

stage *stage_find(hub *all, const char *name, const char **wrong)
{
    int64_t version = 0;
    stage **place = NULL; /* that is free, or whose graph is not used */
    marey_library_version(all->library, &version, NULL);
    for (int i = 0; i < LIMIT_STAGES; i++) {
        stage *there = all->stages[i];
        if (there && there->version == version && strcmp(there->name, name) == 0) return there;
        if (!there || (is_idle(there) && (!place || *place))) place = &all->stages[i];
    }
    if (!place) {
        *wrong = "too many graphs are steered at once";
        return NULL;
    }
    if (*place) stage_free(*place);
    *place = stage_make(all, name, version);
    if (*place)
        pool_add(all->workers, &(*place)->work);
    else
        *wrong = "out of memory";
    return *place;
}

void stage_leave(stage *of)
{
    of->users--;
    of->idle_ms = hub_now_ns() / 1000000;
}

void stages_look(hub *all, int64_t now_ms)
{
    for (int i = 0; i < LIMIT_STAGES; i++) {
        stage *one = all->stages[i];
        if (!is_idle(one) || now_ms - one->idle_ms < IDLE_MS) continue;
        stage_free(one);
        all->stages[i] = NULL;
    }
}

/* What a worker has is its own until that is done, and what is used stays as long; both are asked to stop early. */
void stages_stop(hub *all)
{
    for (int i = 0; i < LIMIT_STAGES; i++) {
        stage *one = all->stages[i];
        if (!one) continue;
        if (is_idle(one)) {
            stage_free(one);
            all->stages[i] = NULL;
        } else if (!one->ready) {
            marey_ctx_cancel(one->ctx);
        } else if (one->ground.state == GROUND_SOUGHT) {
            marey_ctx_cancel(one->ground.ctx);
        }
    }
}

void stages_free(hub *all)
{
    for (int i = 0; i < LIMIT_STAGES; i++) {
        if (all->stages[i]) stage_free(all->stages[i]);
        all->stages[i] = NULL;
    }
}
