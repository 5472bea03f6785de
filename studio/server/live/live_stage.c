/* live_stage.c - graphs and puppets that are open for clients. Each has a context of its own: a
   worker opens it, then it is the hub's. A graph without users goes after a while, or as soon as
   its room is needed; a puppet goes with its last user. What bodies know of a graph is found by a
   worker when the first body is requested, in a context of its own, while characters are steered
   through the same graph; then all bodies share it. So it is with families that characters of a graph
   are asked for: a worker opens each and joins it to the graph when it is asked for first. */
#include "live_stage.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { IDLE_MS = 15000 };

/* ---- on a worker's thread -------------------------------------------------------------------- */

static marey_status load_stage(live_saved *saved, app_env *env, marey_error *error)
{
    live_stage *stage = (live_stage *)saved;
    app_saved_graph *found = NULL;
    marey_status status = app_graph_open(env, saved->name, &found, error);
    if (status != MAREY_OK) return status;
    stage->opened = found;
    stage->parts = found->parts;
    stage->graph = found->graph;
    if (marey_graph_nodes(stage->graph) > LIMIT_STAGE_NODES)
        return app_fail(error, MAREY_ERR_LIMIT, NULL, "the graph is too large to be steered here");
    if (stage->kind == MAREY_CONTROLLER_MATCHING)
        return app_graph_matching(env, found, &stage->matching, error);
    status = app_graph_policy(env, found, &stage->policy, error);
    stage->needs_policy = marey_status_group(status) == MAREY_ERR_INPUT;
    return status;
}

static marey_status load_motion(live_saved *saved, app_env *env, marey_error *error)
{
    stage_motion *motion = (stage_motion *)saved;
    const app_saved_graph *graph = motion->stage->opened;
    marey_status status = app_request_find(env, graph, true, &motion->as, error);
    if (status != MAREY_OK || !motion->as.from) return status;
    return app_request_join(env, graph, &motion->as, error);
}

static marey_status load_role(live_saved *saved, app_env *env, marey_error *error)
{
    live_role *role = (live_role *)saved;
    const app_puppet *found = NULL;
    env->most_samples = LIMIT_PUPPET_SAMPLES;
    marey_status status = app_puppet_open(env, saved->name, &found, error);
    if (status != MAREY_OK) return status;
    role->puppet = found->puppet;
    role->samples = app_puppet_work(role->puppet);
    if (role->samples <= LIMIT_PUPPET_SAMPLES) return MAREY_OK;
    return app_fail(error, MAREY_ERR_LIMIT, NULL,
                    "the puppet is too large to react here: %d samples are the most",
                    LIMIT_PUPPET_SAMPLES);
}

/* What the worker keeps to save time makes way before this fails for memory. */
static void open_saved(studio_worker *worker, task *self)
{
    live_saved *saved = (live_saved *)self;
    marey_error error = { 0 };
    marey_status status = MAREY_OK;
    for (int i = 0; i < 2; i++) {
        app_env env = { .ctx = saved->ctx, .scope = &saved->scope };
        status = marey_library_open(saved->ctx, saved->all->of->library_path, MAREY_LIBRARY_READ,
                                    &env.library, &error);
        if (status == MAREY_OK) {
            status = saved->load(saved, &env, &error);
            marey_library_close(env.library);
            if (status != MAREY_OK) app_scope_close(&saved->scope);
        }
        if (status != MAREY_ERR_MEMORY || i == 1) break;
        worker_make_room(worker);
    }
    saved->error = error;
    saved->error.status = status;
    hub_give_back(saved->all, &saved->back);
}

static void find_ground(studio_worker *worker, task *self)
{
    stage_ground *ground = (stage_ground *)self;
    const live_stage *stage = ground->stage;
    marey_error error = { 0 };
    marey_status status =
        marey_body_ground_open(ground->ctx, stage->graph, stage->policy, &ground->found, &error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(worker);
        status = marey_body_ground_open(ground->ctx, stage->graph, stage->policy, &ground->found,
                                        &error);
    }
    ground->error = error;
    ground->error.status = status;
    hub_give_back(stage->saved.all, &ground->back);
}

/* ---- both, on the hub's thread --------------------------------------------------------------- */

/* Room for one of `size` bytes that begins with live_saved, the rest zero; NULL: no memory. */
static void *saved_make(hub *h, size_t size, const char *name, int64_t version)
{
    live_saved *made = heap_resize(&h->of->memory, NULL, 0, size);
    if (!made) return NULL;
    memset(made, 0, size);
    made->work.run = open_saved;
    made->all = h;
    made->version = version;
    made->scope = app_scope_open(&h->of->allocator);
    snprintf(made->name, sizeof made->name, "%s", name);
    if (hub_open_context(h, &made->ctx)) return made;
    heap_resize(&h->of->memory, made, size, 0);
    return NULL;
}

static void saved_free(live_saved *saved, size_t size)
{
    heap *memory = &saved->all->of->memory;
    app_scope_close(&saved->scope);
    marey_ctx_close(saved->ctx);
    heap_resize(memory, saved, size, 0);
}

static bool saved_is(const live_saved *saved, const char *name, int64_t version)
{
    return saved->version == version && strcmp(saved->name, name) == 0;
}

/* ---- what bodies know of a graph, on the hub's thread ---------------------------------------- */

static void ground_free(stage_ground *ground)
{
    marey_body_ground_free(ground->found);
    if (ground->ctx) marey_ctx_close(ground->ctx);
    ground->found = NULL;
    ground->ctx = NULL;
    ground->state = GROUND_NONE;
}

/* One that was not found may be requested again. */
static void end_search(live_stage *stage)
{
    hub *h = stage->saved.all;
    h->saved_ready(h, &stage->saved, NULL, &stage->ground.error);
    if (stage->ground.state == GROUND_NONE) ground_free(&stage->ground);
}

static void take_ground(hub_return *self)
{
    stage_ground *ground = (stage_ground *)(void *)((char *)self - offsetof(stage_ground, back));
    ground->state = ground->error.status == MAREY_OK ? GROUND_FOUND : GROUND_NONE;
    end_search(ground->stage);
}

void ground_request(live_stage *stage)
{
    stage_ground *ground = &stage->ground;
    if (ground->state != GROUND_NONE) return;
    ground->work.run = find_ground;
    ground->back.take = take_ground;
    ground->error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    if (!hub_open_context(stage->saved.all, &ground->ctx)) {
        end_search(stage);
        return;
    }
    ground->state = GROUND_SOUGHT;
    pool_add(stage->saved.all->workers, &ground->work);
}

/* ---- what characters of a graph are asked for, on the hub's thread ---------------------------- */

static void motion_free(stage_motion *motion)
{
    if (motion) saved_free(&motion->saved, sizeof *motion);
}

/* One that could not be opened goes, so the next request tries again. */
static void take_motion(hub_return *self)
{
    stage_motion *motion = (stage_motion *)(void *)((char *)self - offsetof(live_saved, back));
    live_stage *stage = motion->stage;
    hub *h = stage->saved.all;
    motion->saved.ready = true;
    h->saved_ready(h, &motion->saved, NULL, &motion->saved.error);
    if (motion->saved.error.status == MAREY_OK) return;
    for (int i = 0; i < LIMIT_STAGE_MOTIONS; i++)
        if (stage->motions[i] == motion) stage->motions[i] = NULL;
    motion_free(motion);
}

stage_motion *motion_find(live_stage *stage, const char *name, const char **wrong)
{
    hub *h = stage->saved.all;
    stage_motion **place = NULL;
    for (int i = 0; i < LIMIT_STAGE_MOTIONS; i++) {
        stage_motion *motion = stage->motions[i];
        if (!motion)
            place = &stage->motions[i];
        else if (strcmp(motion->saved.name, name) == 0)
            return motion;
    }
    *wrong = place ? "out of memory" : "too many different motions of this graph are asked for";
    if (!place || !h->workers) return NULL;
    stage_motion *made = saved_make(h, sizeof *made, name, stage->saved.version);
    if (!made) return NULL;
    made->stage = stage;
    snprintf(made->as.text.room, sizeof made->as.text.room, "%s", name);
    made->saved.load = load_motion;
    made->saved.back.take = take_motion;
    *place = made;
    pool_add(h->workers, &made->saved.work);
    return made;
}

/* ---- graphs, on the hub's thread ------------------------------------------------------------- */

static void stage_free(live_stage *stage)
{
    for (int i = 0; i < LIMIT_STAGE_MOTIONS; i++) motion_free(stage->motions[i]);
    ground_free(&stage->ground);
    saved_free(&stage->saved, sizeof *stage);
}

/* It is open, or could not be opened. */
static void take_stage(hub_return *self)
{
    live_stage *stage = (live_stage *)(void *)((char *)self - offsetof(live_saved, back));
    hub *h = stage->saved.all;
    stage->saved.ready = true;
    h->saved_ready(h, &stage->saved, stage->needs_policy ? "policy" : NULL, &stage->saved.error);
    if (stage->saved.error.status == MAREY_OK) return;
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++)
        if (h->stages[i] == stage) h->stages[i] = NULL;
    stage_free(stage);
}

static bool is_idle(const live_stage *stage)
{
    if (!stage || !stage->saved.ready || stage->saved.users > 0) return false;
    for (int i = 0; i < LIMIT_STAGE_MOTIONS; i++)
        if (stage->motions[i] && !stage->motions[i]->saved.ready) return false;
    return stage->ground.state != GROUND_SOUGHT;
}

static bool is_other(const live_stage *stage, const char *name, marey_controller_kind kind)
{
    return stage->kind != kind || strcmp(stage->saved.name, name) != 0;
}

/* Frees those that no request can mean any more, since the library is another one now. */
static void drop_old_stages(hub *h, int64_t version)
{
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++) {
        if (!is_idle(h->stages[i]) || h->stages[i]->saved.version == version) continue;
        stage_free(h->stages[i]);
        h->stages[i] = NULL;
    }
}

/* How many different graphs are open beside this one, whatever versions of the library they are of;
   *idle: the place of one that is not used, or NULL. */
static int count_others(hub *h, const char *name, marey_controller_kind kind, live_stage ***idle)
{
    int others = 0;
    *idle = NULL;
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++) {
        const live_stage *stage = h->stages[i];
        if (!stage || !is_other(stage, name, kind)) continue;
        bool seen = false;
        for (int k = 0; k < i && !seen; k++)
            seen = h->stages[k] && !is_other(h->stages[k], stage->saved.name, stage->kind);
        others += !seen;
        if (is_idle(stage)) *idle = &h->stages[i];
    }
    return others;
}

live_stage *stage_find(hub *h, const char *name, marey_controller_kind kind, const char **wrong)
{
    int64_t version = 0;
    live_stage **place = NULL, **idle;
    marey_library_version(h->library, &version, NULL);
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++) {
        live_stage *stage = h->stages[i];
        if (stage && stage->kind == kind && saved_is(&stage->saved, name, version)) return stage;
    }
    drop_old_stages(h, version);
    while (count_others(h, name, kind, &idle) >= LIMIT_STAGES && idle) {
        stage_free(*idle);
        *idle = NULL;
    }
    for (int i = 0; i < LIMIT_STAGE_PLACES && !place; i++)
        if (!h->stages[i]) place = &h->stages[i];
    if (!place || count_others(h, name, kind, &idle) >= LIMIT_STAGES) {
        *wrong = "too many graphs are steered at once";
        return NULL;
    }
    live_stage *made = *place = saved_make(h, sizeof *made, name, version);
    if (!made) {
        *wrong = "out of memory";
        return NULL;
    }
    made->kind = kind;
    made->saved.load = load_stage;
    made->saved.back.take = take_stage;
    made->idle_ms = hub_now_ns() / 1000000;
    made->ground.stage = made;
    pool_add(h->workers, &made->saved.work);
    return made;
}

void stage_leave(live_stage *stage)
{
    stage->saved.users--;
    stage->idle_ms = hub_now_ns() / 1000000;
}

void stages_look(hub *h, int64_t now_ms)
{
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++) {
        live_stage *stage = h->stages[i];
        if (!is_idle(stage) || now_ms - stage->idle_ms < IDLE_MS) continue;
        stage_free(stage);
        h->stages[i] = NULL;
    }
}

/* ---- puppets, on the hub's thread ------------------------------------------------------------ */

static void role_free(live_role *role)
{
    hub *h = role->saved.all;
    for (int i = 0; i < LIMIT_ROLE_PLACES; i++) {
        if (h->roles[i] == role) h->roles[i] = NULL;
    }
    saved_free(&role->saved, sizeof *role);
}

static void take_role(hub_return *self)
{
    live_role *role = (live_role *)(void *)((char *)self - offsetof(live_saved, back));
    hub *h = role->saved.all;
    int64_t samples = 0, few = h->of->role_samples;
    for (int i = 0; i < LIMIT_ROLE_PLACES; i++) {
        const live_role *other = h->roles[i];
        if (other && (other->saved.ready || other == role)) samples += other->samples;
    }
    if (role->saved.error.status == MAREY_OK && samples > (few > 0 ? few : LIMIT_ROLE_SAMPLES))
        role->saved.error =
            (marey_error){ .status = MAREY_ERR_LIMIT,
                           .message = "the puppets that react now are too much together" };
    role->saved.ready = true;
    role->saved.users++; /* so that it lives until all have been notified */
    h->saved_ready(h, &role->saved, NULL, &role->saved.error);
    role_leave(role);
}

/* One that fails to open goes with those who waited for it, so the next request tries again. */
live_role *role_find(hub *h, const char *name, const char **wrong)
{
    int64_t version = 0;
    live_role **free_place = NULL;
    int others = 0; /* different ones, whatever versions of the library they are of */
    marey_library_version(h->library, &version, NULL);
    for (int i = 0; i < LIMIT_ROLE_PLACES; i++) {
        live_role *role = h->roles[i];
        if (!role) {
            free_place = &h->roles[i];
        } else if (saved_is(&role->saved, name, version)) {
            role->saved.users++;
            return role;
        } else if (strcmp(role->saved.name, name) != 0) {
            bool seen = false;
            for (int k = 0; k < i && !seen; k++)
                seen = h->roles[k] && strcmp(h->roles[k]->saved.name, role->saved.name) == 0;
            others += !seen;
        }
    }
    if (others >= LIMIT_ROLES) free_place = NULL;
    *wrong = free_place ? "out of memory" : "too many different puppets react at once";
    if (!free_place) return NULL;
    live_role *made = saved_make(h, sizeof *made, name, version);
    if (!made) return NULL;
    made->saved.load = load_role;
    made->saved.back.take = take_role;
    made->saved.users = 1;
    *free_place = made;
    pool_add(h->workers, &made->saved.work);
    return made;
}

void role_leave(live_role *role)
{
    role->saved.users--;
    if (role->saved.users == 0 && role->saved.ready) role_free(role);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What a worker has is its own until that is done, and what is used stays as long; both are asked
   to stop early. */
void stages_stop(hub *h)
{
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++) {
        live_stage *stage = h->stages[i];
        if (!stage) continue;
        for (int k = 0; k < LIMIT_STAGE_MOTIONS; k++)
            if (stage->motions[k] && !stage->motions[k]->saved.ready)
                marey_ctx_cancel(stage->motions[k]->saved.ctx);
        if (is_idle(stage)) {
            stage_free(stage);
            h->stages[i] = NULL;
        } else if (!stage->saved.ready) {
            marey_ctx_cancel(stage->saved.ctx);
        } else if (stage->ground.state == GROUND_SOUGHT) {
            marey_ctx_cancel(stage->ground.ctx);
        }
    }
    for (int i = 0; i < LIMIT_ROLE_PLACES; i++) {
        if (h->roles[i] && !h->roles[i]->saved.ready) marey_ctx_cancel(h->roles[i]->saved.ctx);
    }
}

void stages_free(hub *h)
{
    for (int i = 0; i < LIMIT_ROLE_PLACES; i++) {
        if (h->roles[i]) role_free(h->roles[i]);
    }
    for (int i = 0; i < LIMIT_STAGE_PLACES; i++) {
        if (h->stages[i]) stage_free(h->stages[i]);
        h->stages[i] = NULL;
    }
}
