/* searching.c - who searches is alone, from the first look at the library to the last at what was found: contexts, searchers
   and findings belong to one thread at a time.

   A search of one tier takes milliseconds, and a user moves a slider meanwhile; one of all tiers may take long. So what
   is quick goes first, and cancels what is deep, which then is done again as far as it had come: those tiers are less
   than all of it, and every request gets an answer. */
#include "searching.h"

#include "searching_inside.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static marey_status fail_memory(marey_error *error)
{
    if (error) *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- opening ------------------------------------------------------------------------------------ */

marey_status searching_open(shared *of, searching **out, marey_error *error)
{
    searching *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return fail_memory(error);
    memset(made, 0, sizeof *made);
    made->patience_ms = SEARCH_PATIENCE_MS;
    marey_status status = worker_open(&made->self, of, 1, NULL, error);
    if (status == MAREY_OK) status = example_store_open(of, &made->examples, error);
    if (status != MAREY_OK) {
        worker_close(&made->self);
        heap_resize(&of->memory, made, sizeof *made, 0);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->free, NULL);
    of->make_searching_room = searching_make_room;
    *out = made;
    return MAREY_OK;
}

static void forget_searcher(searching *all)
{
    marey_searcher_free(all->searcher);
    all->searcher = NULL;
}

static void forget_findings(searching *all)
{
    for (int i = 0; i < LIMIT_FINDINGS; i++) {
        marey_finding_free(all->places[i].finding);
        all->places[i] = (remembered){ .number = 0 };
    }
}

void searching_stop(searching *all)
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    all->closing = true;
    marey_ctx_cancel(all->self.ctx);
    pthread_mutex_unlock(&all->lock);
    example_store_stop(all->examples);
}

void searching_close(searching *all)
{
    if (!all) return;
    heap *memory = &all->self.of->memory;
    forget_findings(all);
    forget_searcher(all);
    example_store_close(all->examples);
    worker_close(&all->self);
    pthread_cond_destroy(&all->free);
    pthread_mutex_destroy(&all->lock);
    heap_resize(memory, all, sizeof *all, 0);
}

/* ---- taking turns ------------------------------------------------------------------------------- */

static void enter(searching *all, bool deep)
{
    int *waiting = deep ? &all->deep_waiting : &all->quick_waiting;
    pthread_mutex_lock(&all->lock);
    ++*waiting;
    if (!deep && all->busy && all->deep) marey_ctx_cancel(all->self.ctx);
    while (all->busy || (deep && all->quick_waiting > 0)) {
        pthread_cond_wait(&all->free, &all->lock);
    }
    --*waiting;
    all->busy = true;
    all->deep = deep;
    if (!all->closing) marey_ctx_resume(all->self.ctx);
    pthread_mutex_unlock(&all->lock);
}

static void leave(searching *all)
{
    pthread_mutex_lock(&all->lock);
    all->busy = false;
    pthread_cond_broadcast(&all->free);
    pthread_mutex_unlock(&all->lock);
}

void searching_leave(studio_worker *worker)
{
    leave(worker->of->searching);
}

void searching_make_room(searching *all)
{
    if (!all) return;
    example_store_make_room(all->examples);
    pthread_mutex_lock(&all->lock);
    bool mine = !all->busy;
    if (mine) {
        all->busy = true;
        all->deep = false;
    }
    pthread_mutex_unlock(&all->lock);
    if (!mine) return;
    forget_searcher(all);
    leave(all);
}

/* ---- searching ---------------------------------------------------------------------------------- */

typedef struct turn {
    searching *all;
    int64_t until_ms;
    int tiers; /* that are done */
    bool stopped;
} turn;

static bool go_on(void *user, int tier, const marey_match *matches, int count)
{
    turn *mine = user;
    searching *all = mine->all;
    (void)matches;
    (void)count;
    pthread_mutex_lock(&all->lock);
    mine->tiers = tier;
    mine->stopped = all->deep && (all->quick_waiting > 0 ||
                                  (all->deep_waiting > 0 && now_ms() >= mine->until_ms));
    pthread_mutex_unlock(&all->lock);
    return !mine->stopped;
}

static marey_status try_find(searching *all, const marey_query *query, const marey_find_def *def,
                             marey_finding **out, marey_error *error)
{
    marey_status status = MAREY_OK;
    if (!all->searcher) status = marey_searcher_open(all->self.library, &all->searcher, error);
    if (status == MAREY_OK) status = marey_searcher_find(all->searcher, query, def, out, error);
    /* One that failed may have half of what it needs. */
    if (status == MAREY_ERR_MEMORY || marey_status_group(status) == MAREY_ERR_IO)
        forget_searcher(all);
    return status;
}

/* What is kept only to save time makes way before a search fails for memory. */
static marey_status find(studio_worker *worker, const marey_query *query, const marey_find_def *def,
                         marey_finding **out, marey_error *error)
{
    searching *all = worker->of->searching;
    marey_status status = try_find(all, query, def, out, error);
    if (status != MAREY_ERR_MEMORY) return status;
    forget_findings(all);
    worker_make_room(worker);
    return try_find(all, query, def, out, error);
}

static void remember(searching *all, marey_finding *finding, app_found *out)
{
    out->number = ++all->last_number;
    out->finding = finding;
    remembered *place = &all->places[out->number % LIMIT_FINDINGS];
    marey_finding_free(place->finding);
    *place = (remembered){ out->number, finding };
}

void searching_fail(marey_library *library, const marey_error *error, studio_response *response)
{
    marey_index_state state = { .exists = true };
    marey_error why;
    if (marey_status_group(error->status) != MAREY_ERR_INPUT) {
        answer_fail(response, error);
    } else if (marey_status_group(marey_library_index_state(library, &state, &why)) ==
               MAREY_ERR_INPUT) {
        answer_refuse(response, 409, "input", "%s", why.message);
    } else if (!state.exists) {
        answer_refuse(response, 409, "input",
                      "there is no index yet to search by: POST /api/do/index makes one, as does "
                      "marey index");
    } else {
        answer_fail(response, error);
    }
}

/* How many tiers are left to a search that was cancelled for a quick one; 0: that is not what happened. */
static int tiers_left(searching *all, marey_status status, const turn *mine, int tiers)
{
    pthread_mutex_lock(&all->lock);
    bool again = status == MAREY_ERR_CANCELLED && all->deep && !all->closing;
    pthread_mutex_unlock(&all->lock);
    if (!again) return 0;
    int left = tiers > 0 && tiers - 1 < mine->tiers ? tiers - 1 : mine->tiers;
    return left > 1 ? left : 1;
}

/* Enters, and leaves only if it fails. */
static marey_status find_in_turn(studio_worker *worker, const marey_query *query,
                                 marey_find_def *def, marey_finding **out, bool *stopped,
                                 marey_error *error)
{
    searching *all = worker->of->searching;
    *stopped = false;
    for (;;) {
        turn mine = { .all = all };
        enter(all, def->search.tiers != 1);
        mine.until_ms = now_ms() + all->patience_ms;
        def->found = go_on;
        def->user = &mine;
        marey_status status = find(worker, query, def, out, error);
        *stopped = *stopped || mine.stopped;
        if (status == MAREY_OK) return MAREY_OK;
        int left = tiers_left(all, status, &mine, def->search.tiers);
        leave(all);
        if (left == 0) return status;
        def->search.tiers = left;
        *stopped = true;
    }
}

static void release_turn(void *all)
{
    leave(all);
}

marey_status searching_find(void *worker, app_scope *scope, const marey_query *query,
                            const marey_find_def *def, app_found *out, marey_error *error)
{
    shared *of = ((studio_worker *)worker)->of;
    searching *all = of->searching;
    marey_finding *finding = NULL;
    marey_find_def with = *def;
    marey_status status = find_in_turn(worker, query, &with, &finding, &out->stopped, error);
    if (status != MAREY_OK) return status;
    remember(all, finding, out);
    /* Findings stay readable without it. */
    if (marey_ctx_bytes(all->self.ctx) > of->memory.limit / 2) forget_searcher(all);
    return app_own(scope, all, release_turn, error);
}

/* Enters, and leaves if there is none. */
static const remembered *recall(searching *all, int64_t number, marey_error *error)
{
    enter(all, false);
    const remembered *place = &all->places[number > 0 ? number % LIMIT_FINDINGS : 0];
    if (number > 0 && place->number == number) return place;
    leave(all);
    app_fail(error, MAREY_ERR_NOT_FOUND, NULL,
             "search %lld is not remembered (any more): only the last %d are; search again",
             (long long)number, LIMIT_FINDINGS);
    return NULL;
}

marey_status searching_lend(void *worker, app_scope *scope, int64_t number, app_found *out,
                            marey_error *error)
{
    searching *all = ((studio_worker *)worker)->of->searching;
    const remembered *place = recall(all, number, error);
    if (!place) return error->status;
    *out = (app_found){ .finding = place->finding, .number = number };
    return app_own(scope, all, release_turn, error);
}

bool searching_recall(studio_worker *worker, int64_t number, const marey_finding **out,
                      studio_response *response)
{
    marey_error error;
    const remembered *place = recall(worker->of->searching, number, &error);
    if (place) *out = place->finding;
    if (!place) answer_fail(response, &error);
    return place != NULL;
}
