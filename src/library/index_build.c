/* index_build.c - the webs of pairs of clips, many at a time. Small pairs are shared out to threads, each built by one;
   large ones are built one after the other by all. What is done is put in by one transaction a batch. */
#include "library/index_work.h"

#include "base/fail.h"
#include "grid/points_grid.h"
#include "match/web_data.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 4096 };

typedef struct job {
    int i, j; /* slots, i <= j */
    int meeting;
    int64_t cells;
    bool done;
    mry_web_row row;
} job;

typedef struct batch {
    mry_indexing *all;
    job *jobs;
    int count;
    int64_t cells;
    int small;            /* jobs from here on are done by a thread each */
    pthread_t caller;     /* the thread that tells */
    pthread_mutex_t lock; /* of what follows, and of all->now and all->stopped */
    int failed;           /* the first job that did; -1: none */
    marey_error error;    /* its */
} batch;

/* ---- telling ---------------------------------------------------------------------------------- */

bool mry_index_tell(mry_indexing *all, bool now)
{
    double seconds = mry_seconds(), least = 0.05;
    marey_index_progress *to = &all->now;
    if (all->stopped) return false;
    if (!now && seconds - all->told_s < least) return true;
    all->told_s = seconds;
    to->seconds = seconds - all->started_s;
    double built = seconds - all->built_s;
    bool known = to->cells_done > 0 && built > 0;
    to->seconds_left =
        known ? built * (double)(to->cells - to->cells_done) / (double)to->cells_done : -1;
    if (all->tell) all->tell(all->tell_user, "comparing clips", to->cells_done, to->cells);
    if (all->def->progress && !all->def->progress(all->def->user, to)) all->stopped = true;
    return !all->stopped;
}

/* The library's own word while a pair is built by all threads: told in cells, and stopping stops it. */
typedef struct alone {
    batch *of;
    const job *one;
    int64_t before; /* cells that were done */
} alone;

static void tell_alone(void *user, const char *what, int64_t done, int64_t total)
{
    const alone *it = user;
    mry_indexing *all = it->of->all;
    (void)what;
    if (total > 0)
        all->now.cells_done =
            it->before + (int64_t)((double)it->one->cells * ((double)done / (double)total));
    if (!mry_index_tell(all, false)) marey_ctx_cancel(all->ctx);
}

/* ---- one pair --------------------------------------------------------------------------------- */

/* Rows are of the clip with the lesser hash, so that numbers do not matter. */
static bool is_turned(const mry_index_slot *a, const mry_index_slot *b)
{
    return memcmp(a->hash, b->hash, sizeof a->hash) > 0;
}

static marey_status write_web(const marey_web *web, mry_web_row *row, marey_error *error)
{
    uint8_t *bytes = NULL;
    marey_status status = marey_web_write(web, &bytes, &row->size, error);
    row->bytes = bytes;
    row->rows = web->rows;
    row->cols = web->cols;
    row->chains = web->chain_count - web->tail_count; /* as marey_web_size counts them */
    row->bridges = web->bridge_count - web->tail_count;
    return status;
}

static marey_status build_web(mry_indexing *all, job *one, int slab, marey_error *error)
{
    const mry_index_slot *a = &all->slots[one->i], *b = &all->slots[one->j];
    mry_web_row *row = &one->row;
    bool turned = is_turned(a, b);
    *row = (mry_web_row){ .a = a->id, .b = b->id, .turned = turned };
    row->rows = turned ? b->rows : a->rows;
    row->cols = turned ? a->rows : b->rows;
    if (!all->bodies.meetings[one->meeting].layout) return MAREY_OK;
    const marey_features *first = mry_slot_features(turned ? b : a, one->meeting);
    const marey_features *second = mry_slot_features(turned ? a : b, one->meeting);
    marey_web *web = NULL;
    marey_status status =
        mry_web_of(all->ctx, first, second, &all->settings.web, false, slab, &web, error);
    if (!status) status = write_web(web, row, error);
    marey_web_free(web);
    return status;
}

static void finish_job(batch *of, job *one, marey_status status, const marey_error *error)
{
    mry_indexing *all = of->all;
    int number = (int)(one - of->jobs);
    pthread_mutex_lock(&of->lock);
    if (status && (of->failed < 0 || number < of->failed)) {
        of->failed = number;
        of->error = *error;
    }
    one->done = !status;
    if (!status) {
        all->now.pairs_done++;
        all->now.cells_done += one->cells;
    }
    if (pthread_equal(pthread_self(), of->caller)) mry_index_tell(all, false);
    pthread_mutex_unlock(&of->lock);
}

static bool is_over(batch *of)
{
    pthread_mutex_lock(&of->lock);
    bool over = of->failed >= 0 || of->all->stopped;
    pthread_mutex_unlock(&of->lock);
    return over || mry_cancelled(of->all->ctx);
}

static void do_job(void *user, int64_t number)
{
    batch *of = user;
    marey_error error = { 0 };
    if (is_over(of)) return;
    job *one = &of->jobs[of->small + number];
    marey_status status = build_web(of->all, one, MRY_ROWS_BLOCK, &error);
    finish_job(of, one, status, &error);
}

/* The context's own progress is lent to tell_alone. A cancel that is its doing ends with it. */
static void do_alone(batch *of, job *one)
{
    mry_indexing *all = of->all;
    marey_ctx_def *def = &all->ctx->def;
    marey_error error = { 0 };
    alone it = { .of = of, .one = one, .before = all->now.cells_done };
    def->progress = tell_alone;
    def->progress_user = &it;
    marey_status status = build_web(all, one, 0, &error);
    def->progress = all->tell;
    def->progress_user = all->tell_user;
    if (all->stopped) marey_ctx_resume(all->ctx);
    all->now.cells_done = it.before;
    if (!(all->stopped && status == MAREY_ERR_CANCELLED)) finish_job(of, one, status, &error);
}

/* ---- a batch ---------------------------------------------------------------------------------- */

/* Large ones first: what comes last is short, and no thread waits long for another. */
static int by_size(const void *a, const void *b)
{
    const job *x = a, *y = b;
    if (x->cells != y->cells) return x->cells < y->cells ? 1 : -1;
    return x->i != y->i ? x->i - y->i : x->j - y->j;
}

static int64_t alone_from(const batch *of)
{
    const int64_t least = 4000000; /* it takes 50 ms: less does not pay */
    int threads = marey_ctx_threads(of->all->ctx);
    int64_t share = of->cells / (2 * (int64_t)threads);
    if (of->all->tuning.alone_cells) return of->all->tuning.alone_cells;
    return share > least ? share : least;
}

static void build_batch(batch *of)
{
    int64_t least = alone_from(of);
    int first = 0;
    qsort(of->jobs, (size_t)of->count, sizeof *of->jobs, by_size);
    for (; first < of->count && of->jobs[first].cells > least; first++) {
        if (!is_over(of)) do_alone(of, &of->jobs[first]);
    }
    of->small = first;
    marey_ctx_run(of->all->ctx, of->count - first, do_job, of);
}

/* Another program may have made it another index meanwhile. */
static marey_status check_kept(mry_indexing *all, marey_error *error)
{
    mry_arena tmp = mry_arena_make(all->ctx);
    mry_index_kept now;
    const mry_index_kept *mine = &all->kept;
    marey_status status = mry_index_kept_read(all->library, &tmp, &now, error);
    bool same = !status && now.exists && now.settings.size == mine->settings.size &&
                memcmp(now.settings.bytes, mine->settings.bytes, now.settings.size) == 0 &&
                memcmp(now.normal, mine->normal, sizeof now.normal) == 0;
    mry_arena_free(&tmp);
    if (status || same) return status;
    return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(all->library->store),
                    "another program changed the settings of the index meanwhile");
}

static marey_status store_batch(batch *of, marey_error *error)
{
    mry_indexing *all = of->all;
    int done = 0;
    for (int i = 0; i < of->count; i++) done += of->jobs[i].done;
    if (done == 0) return MAREY_OK;
    marey_status status = mry_store_begin(all->library->store, error);
    if (status) return status;
    status = check_kept(all, error);
    for (int i = 0; i < of->count && !status; i++) {
        if (of->jobs[i].done) status = mry_web_row_put(all->library, &of->jobs[i].row, error);
    }
    status = mry_library_end(all->library, status, error);
    if (!status) all->report.pairs_built += done;
    return status;
}

/* What was done is put in even if something failed or whoever is told wants no more. */
static marey_status do_batch(batch *of, marey_error *error)
{
    mry_indexing *all = of->all;
    of->failed = -1;
    build_batch(of);
    marey_status status =
        mry_cancelled(all->ctx) ? mry_fail_cancelled(error) : store_batch(of, error);
    for (int i = 0; i < of->count; i++) {
        const mry_web_row *row = &of->jobs[i].row;
        if (row->bytes) mry_release(all->ctx, (void *)(uintptr_t)row->bytes, row->size);
    }
    if (!status && of->failed >= 0) {
        if (error) *error = of->error;
        status = of->error.status;
    }
    of->count = 0;
    of->cells = 0;
    if (!status && !mry_index_tell(all, true)) status = mry_fail_cancelled(error);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------ */

static int64_t pair_cells(const mry_indexing *all, int i, int j)
{
    return mry_web_cells(all->slots[i].rows, all->slots[j].rows, i == j);
}

static marey_status do_blocks(batch *of, int first, int second, marey_error *error)
{
    mry_indexing *all = of->all;
    int i = 0, j = -1;
    marey_status status = mry_blocks_open(all, first, second, error);
    while (!status && mry_blocks_next(all, first, second, &i, &j)) {
        job *one = &of->jobs[of->count];
        *one = (job){ .i = i, .j = j, .cells = pair_cells(all, i, j) };
        status = mry_pair_meeting(all, i, j, &one->meeting, error);
        if (status) break;
        of->count++;
        of->cells += one->cells;
        if (of->count == MOST_JOBS || of->cells >= all->tuning.batch_cells)
            status = do_batch(of, error);
    }
    return status || of->count == 0 ? status : do_batch(of, error);
}

static void count_missing(mry_indexing *all)
{
    for (int i = 0; i < all->count; i++) {
        for (int j = i; j < all->count; j++) {
            if (mry_pair_there(all, i, j)) continue;
            all->now.pairs++;
            all->now.cells += pair_cells(all, i, j);
        }
    }
}

static marey_status build(batch *of, marey_error *error)
{
    mry_indexing *all = of->all;
    int blocks = 0;
    marey_status status = mry_blocks_make(all, &blocks, error);
    all->built_s = mry_seconds();
    for (int first = 0; first < blocks && !status; first++) {
        for (int second = first; second < blocks && !status; second++) {
            status = do_blocks(of, first, second, error);
            if (second != first) mry_blocks_close(all, second);
        }
        mry_blocks_close(all, first);
    }
    mry_blocks_close(all, -1);
    return status;
}

marey_status mry_index_build(mry_indexing *all, marey_error *error)
{
    batch of = { .all = all, .caller = pthread_self(), .failed = -1 };
    all->now.seconds_left = -1;
    count_missing(all);
    if (all->now.pairs == 0) return MAREY_OK;
    if (!mry_index_tell(all, true)) return mry_fail_cancelled(error);
    of.jobs = MRY_NEW(&all->mem, job, MOST_JOBS);
    if (!of.jobs) return mry_fail_memory(error, mry_store_path(all->library->store));
    all->bodies = mry_bodies_make(all->ctx, &all->settings);
    pthread_mutex_init(&of.lock, NULL);
    marey_status status = build(&of, error);
    pthread_mutex_destroy(&of.lock);
    mry_bodies_free(&all->bodies);
    return status;
}
