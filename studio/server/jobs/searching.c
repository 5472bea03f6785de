/* searching.c - who searches is alone, from the first look at the library to the last at what was
   found: contexts, searchers and findings belong to one thread at a time.

   A search of one tier takes milliseconds, and a user moves a slider meanwhile; one of all tiers
   may take long. So what is quick goes first, and cancels what is deep, which then is done again as
   far as it had come: those tiers are less than all of it, and every request gets an answer. */
#include "searching.h"

#include "connection.h"
#include "searching_inside.h"

#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

marey_status searching_open(shared *common, searching **out, marey_error *error)
{
    searching *made = heap_resize(&common->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    memset(made, 0, sizeof *made);
    made->patience_ms = SEARCH_PATIENCE_MS;
    marey_status status = worker_open(&made->self, common, 1, NULL, error);
    if (status == MAREY_OK) status = example_store_open(common, &made->examples, error);
    if (status != MAREY_OK) {
        worker_close(&made->self);
        heap_resize(&common->memory, made, sizeof *made, 0);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->free, NULL);
    common->make_searching_room = searching_make_room;
    *out = made;
    return MAREY_OK;
}

static void forget_several(searching *search)
{
    marey_searcher_free(search->several);
    search->several = NULL;
    while (search->beside_count > 0) marey_library_close(search->beside[--search->beside_count]);
}

static void forget_searcher(searching *search)
{
    marey_searcher_free(search->searcher);
    search->searcher = NULL;
    forget_several(search);
}

static void forget_findings(searching *search)
{
    for (int i = 0; i < LIMIT_FINDINGS; i++) {
        marey_finding_free(search->places[i].finding);
        search->places[i] = (remembered){ .number = 0 };
    }
}

void searching_stop(searching *search)
{
    if (!search) return;
    pthread_mutex_lock(&search->lock);
    search->closing = true;
    marey_ctx_cancel(search->self.ctx);
    pthread_mutex_unlock(&search->lock);
    example_store_stop(search->examples);
}

void searching_close(searching *search)
{
    if (!search) return;
    heap *memory = &search->self.of->memory;
    forget_findings(search);
    forget_searcher(search);
    example_store_close(search->examples);
    worker_close(&search->self);
    pthread_cond_destroy(&search->free);
    pthread_mutex_destroy(&search->lock);
    heap_resize(memory, search, sizeof *search, 0);
}

/* ---- taking turns ---------------------------------------------------------------------------- */

static void enter(searching *search, bool deep)
{
    int *waiting = deep ? &search->deep_waiting : &search->quick_waiting;
    pthread_mutex_lock(&search->lock);
    ++*waiting;
    if (!deep && search->busy && search->deep) marey_ctx_cancel(search->self.ctx);
    while (search->busy || (deep && search->quick_waiting > 0)) {
        pthread_cond_wait(&search->free, &search->lock);
    }
    --*waiting;
    search->busy = true;
    search->deep = deep;
    if (!search->closing) marey_ctx_resume(search->self.ctx);
    worker_begin(&search->self);
    pthread_mutex_unlock(&search->lock);
}

static void leave(searching *search)
{
    pthread_mutex_lock(&search->lock);
    search->busy = false;
    pthread_cond_broadcast(&search->free);
    pthread_mutex_unlock(&search->lock);
}

void searching_leave(studio_worker *worker)
{
    leave(worker->of->searching);
}

void searching_make_room(searching *search)
{
    if (!search) return;
    example_store_make_room(search->examples);
    pthread_mutex_lock(&search->lock);
    bool mine = !search->busy;
    if (mine) {
        search->busy = true;
        search->deep = false;
    }
    pthread_mutex_unlock(&search->lock);
    if (!mine) return;
    forget_searcher(search);
    leave(search);
}

/* ---- searching ------------------------------------------------------------------------------- */

typedef struct turn {
    searching *search;
    int64_t until_ms;
    int tiers; /* that are done */
    bool stopped;
} turn;

static bool go_on(void *user, int tier, const marey_match *matches, int count)
{
    turn *mine = user;
    searching *search = mine->search;
    (void)matches;
    (void)count;
    pthread_mutex_lock(&search->lock);
    mine->tiers = tier;
    mine->stopped =
        search->deep && (search->quick_waiting > 0 ||
                         (search->deep_waiting > 0 && connections_clock() >= mine->until_ms));
    pthread_mutex_unlock(&search->lock);
    return !mine->stopped;
}

/* The searcher of several libraries stays open for the same ones. */
static marey_status open_several(searching *search, const app_libraries *libraries,
                                 marey_error *error)
{
    const shared *common = search->self.of;
    int wanted[MAREY_MOST_LIBRARIES], count = libraries->count - 1;
    for (int i = 0; i < count; i++)
        wanted[i] = worker_neighbour_find(common, libraries->all[i + 1].name);
    if (search->several && search->beside_count == count &&
        memcmp(wanted, search->neighbours, (size_t)count * sizeof *wanted) == 0)
        return MAREY_OK;
    forget_several(search);
    marey_library *all[MAREY_MOST_LIBRARIES] = { search->self.library };
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        search->neighbours[i] = wanted[i];
        status =
            marey_library_open_beside(search->self.library, common->neighbours->all[wanted[i]].path,
                                      MAREY_LIBRARY_READ, &search->beside[i], error);
        if (status != MAREY_OK) break;
        all[i + 1] = search->beside[i];
        search->beside_count++;
    }
    if (status == MAREY_OK)
        status = marey_searcher_open_all(all, count + 1, &search->several, error);
    if (status != MAREY_OK) forget_several(search);
    return status;
}

static marey_status try_find(searching *search, const app_libraries *libraries,
                             const marey_query *query, const marey_find_def *def,
                             marey_finding **out, marey_error *error)
{
    marey_status status = MAREY_OK;
    bool several = libraries->count > 1;
    if (several)
        status = open_several(search, libraries, error);
    else if (!search->searcher)
        status = marey_searcher_open(search->self.library, &search->searcher, error);
    marey_searcher *searcher = several ? search->several : search->searcher;
    if (status == MAREY_OK) status = marey_searcher_find(searcher, query, def, out, error);
    /* One that failed may have half of what it needs. */
    if (status == MAREY_ERR_MEMORY || marey_status_group(status) == MAREY_ERR_IO)
        forget_searcher(search);
    return status;
}

void searching_fail(marey_library *library, const marey_error *error, studio_response *response)
{
    marey_index_state state;
    marey_error why;
    if (marey_status_group(error->status) == MAREY_ERR_INPUT &&
        marey_status_group(marey_library_index_state(library, &state, &why)) == MAREY_ERR_INPUT)
        answer_refuse(response, 409, "input", "%s", why.message);
    else
        answer_fail(response, error);
}

/* Enters, and leaves only if it fails. */
static marey_status find_in_turn(studio_worker *worker, const app_libraries *libraries,
                                 const marey_query *query, marey_find_def *def, marey_finding **out,
                                 bool *stopped, marey_error *error)
{
    searching *search = worker->of->searching;
    *stopped = false;
    for (;;) {
        turn mine = { .search = search };
        /* Zero tiers are all by webs, and one by poses. */
        enter(search, def->search.tiers > 1 || (def->search.tiers == 0 && def->web));
        mine.until_ms = connections_clock() + search->patience_ms;
        def->found = go_on;
        def->user = &mine;
        marey_status status = try_find(search, libraries, query, def, out, error);
        if (status == MAREY_ERR_MEMORY) {
            /* What is kept only to save time makes way before a search fails. */
            forget_findings(search);
            worker_make_room(worker);
            status = try_find(search, libraries, query, def, out, error);
        }
        *stopped = *stopped || mine.stopped;
        if (status == MAREY_OK) return MAREY_OK;
        pthread_mutex_lock(&search->lock);
        bool again = status == MAREY_ERR_CANCELLED && search->deep && !search->closing &&
                     !marey_ctx_timed_out(search->self.ctx);
        pthread_mutex_unlock(&search->lock);
        leave(search);
        if (!again) return status;
        /* It was cancelled for a quick one: what it had done is left to do again. */
        int tiers = def->search.tiers;
        int left = tiers > 0 && tiers - 1 < mine.tiers ? tiers - 1 : mine.tiers;
        def->search.tiers = left > 1 ? left : 1;
        *stopped = true;
    }
}

static void release_turn(void *search)
{
    leave(search);
}

static void release_finding(void *finding)
{
    marey_finding_free(finding);
}

marey_status searching_find(void *worker, app_scope *scope, const app_libraries *libraries,
                            const marey_query *query, const marey_find_def *def, app_found *out,
                            marey_error *error)
{
    shared *common = ((studio_worker *)worker)->of;
    searching *search = common->searching;
    marey_finding *finding = NULL;
    marey_find_def with = *def;
    marey_status status =
        find_in_turn(worker, libraries, query, &with, &finding, &out->stopped, error);
    if (status != MAREY_OK) return status;
    if (libraries->count > 1) {
        /* What is asked of a remembered one is asked of the studio's own library. */
        *out = (app_found){ .finding = finding };
        status = app_own(scope, search, release_turn, error);
        if (status == MAREY_OK) return app_own(scope, finding, release_finding, error);
        marey_finding_free(finding);
        return status;
    }
    out->number = ++search->last_number;
    out->finding = finding;
    remembered *place = &search->places[out->number % LIMIT_FINDINGS];
    marey_finding_free(place->finding);
    *place = (remembered){ out->number, finding };
    /* Findings stay readable without it. */
    if (marey_ctx_bytes(search->self.ctx) > common->memory.limit / 2) forget_searcher(search);
    return app_own(scope, search, release_turn, error);
}

/* Enters, and leaves if there is none. */
static const remembered *recall(searching *search, int64_t number, marey_error *error)
{
    enter(search, false);
    const remembered *place = &search->places[number > 0 ? number % LIMIT_FINDINGS : 0];
    if (number > 0 && place->number == number) return place;
    leave(search);
    app_fail(error, MAREY_ERR_NOT_FOUND, NULL,
             "search %lld is not remembered (any more): only the last %d are; search again",
             (long long)number, LIMIT_FINDINGS);
    return NULL;
}

marey_status searching_lend(void *worker, app_scope *scope, int64_t number, app_found *out,
                            marey_error *error)
{
    searching *search = ((studio_worker *)worker)->of->searching;
    const remembered *place = recall(search, number, error);
    if (!place) return error->status;
    *out = (app_found){ .finding = place->finding, .number = number };
    return app_own(scope, search, release_turn, error);
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
