/* live_role.c - puppets that are open to react by. Each has a context of its own: a worker opens it, then it is the hub's. */
#include "live_role.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- on a worker's thread ----------------------------------------------------------------------- */

static marey_status load(role *of, marey_error *error)
{
    const app_puppet *found = NULL;
    app_env env = { .ctx = of->ctx, .scope = &of->scope, .most_samples = LIMIT_PUPPET_SAMPLES };
    marey_status status = marey_library_open(of->ctx, of->all->of->library_path, MAREY_LIBRARY_READ,
                                             &env.library, error);
    if (status != MAREY_OK) return status;
    status = app_puppet_open(&env, of->name, &found, error);
    marey_library_close(env.library);
    if (status == MAREY_OK) {
        of->puppet = found->puppet;
        of->samples = app_puppet_work(of->puppet);
        if (of->samples <= LIMIT_PUPPET_SAMPLES) return MAREY_OK;
        status = app_fail(error, MAREY_ERR_LIMIT, NULL,
                          "the puppet is too large to react here: %d samples are the most",
                          LIMIT_PUPPET_SAMPLES);
    }
    app_scope_close(&of->scope);
    of->puppet = NULL;
    return status;
}

static void open_role(studio_worker *worker, task *self)
{
    role *of = (role *)self;
    marey_error error = { 0 };
    marey_status status = load(of, &error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(worker);
        status = load(of, &error);
    }
    of->error = error;
    of->error.status = status;
    hub_give_back(of->all, &of->back);
}

/* ---- on the hub's thread ------------------------------------------------------------------------ */

static void role_free(role *of)
{
    hub *all = of->all;
    for (int i = 0; i < LIMIT_ROLES; i++) {
        if (all->roles[i] == of) all->roles[i] = NULL;
    }
    app_scope_close(&of->scope);
    marey_ctx_close(of->ctx);
    heap_resize(&all->of->memory, of, sizeof *of, 0);
}

static bool fits(const role *of)
{
    int64_t samples = 0, few = of->all->of->role_samples;
    for (int i = 0; i < LIMIT_ROLES; i++) {
        const role *one = of->all->roles[i];
        if (one && (one->ready || one == of)) samples += one->samples;
    }
    return samples <= (few > 0 ? few : LIMIT_ROLE_SAMPLES);
}

static void take_back(hub_return *self)
{
    role *of = (role *)(void *)((char *)self - offsetof(role, back));
    hub *all = of->all;
    if (of->error.status == MAREY_OK && !fits(of)) {
        of->error = (marey_error){ .status = MAREY_ERR_LIMIT,
                                   .message = "the puppets that react now are too much together" };
    }
    of->ready = true;
    of->users++; /* so that it lives until all have been notified */
    all->role_ready(all, of);
    role_leave(of);
}

static role *role_make(hub *all, const char *name, int64_t version)
{
    heap *memory = &all->of->memory;
    role *made = heap_resize(memory, NULL, 0, sizeof *made);
    marey_ctx_def def = { .resize = heap_resize, .resize_user = memory, .threads = 1 };
    if (!made) return NULL;
    *made = (role){
        .all = all, .version = version, .users = 1, .scope = app_scope_open(&all->of->allocator)
    };
    made->work.run = open_role;
    made->back.take = take_back;
    snprintf(made->name, sizeof made->name, "%s", name);
    if (marey_ctx_open(&def, &made->ctx) == MAREY_OK) return made;
    heap_resize(memory, made, sizeof *made, 0);
    return NULL;
}

/* One that cannot be opened goes with those who waited for it, so the next request tries again. */
role *role_find(hub *all, const char *name, const char **wrong)
{
    int64_t version = 0;
    role **free_place = NULL;
    marey_library_version(all->library, &version, NULL);
    for (int i = 0; i < LIMIT_ROLES; i++) {
        role *there = all->roles[i];
        if (!there) {
            free_place = &all->roles[i];
        } else if (there->version == version && strcmp(there->name, name) == 0) {
            there->users++;
            return there;
        }
    }
    *wrong = free_place ? "out of memory" : "too many different puppets react at once";
    if (!free_place) return NULL;
    role *made = role_make(all, name, version);
    if (!made) return NULL;
    *free_place = made;
    pool_add(all->workers, &made->work);
    return made;
}

void role_leave(role *of)
{
    of->users--;
    if (of->users == 0 && of->ready) role_free(of);
}

void roles_stop(hub *all)
{
    for (int i = 0; i < LIMIT_ROLES; i++) {
        if (all->roles[i] && !all->roles[i]->ready) marey_ctx_cancel(all->roles[i]->ctx);
    }
}

void roles_free(hub *all)
{
    for (int i = 0; i < LIMIT_ROLES; i++) {
        if (all->roles[i]) role_free(all->roles[i]);
    }
}
