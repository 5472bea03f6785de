/* index_build.c - the match webs of a library: making them, what there is of them, taking them out.
   Clips are held in blocks that fit into memory, two at a time, and every clip in them has its
   features for all layouts through which it meets the others there. Small pairs are shared out to
   threads, each built by one; large ones are built one after the other by all. What is done is put
   in by one transaction a batch. */
#include "index/index_work.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/grow.h"
#include "feature/feature_data.h"
#include "grid/points_grid.h"
#include "match/web_data.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 4096 };

typedef struct job {
    int i, j; /* slots, i <= j */
    int meeting;
    int64_t cells;
    double cost;
    bool done;
    mry_web_row row;
} job;

typedef struct batch {
    mry_indexing *work;
    job *jobs;
    int count;
    int64_t cells;
    int small;            /* jobs from here on are done by a thread each */
    pthread_t caller;     /* the thread that reports */
    pthread_mutex_t lock; /* of what follows, and of work->now and work->stopped */
    int failed;           /* the first job that did; -1: none */
    marey_error error;    /* its */
} batch;

static double seconds_now(void)
{
    return 1e-9 * (double)mry_clock_ns();
}

/* Reports how far it got, if it is time or `at_once`; false: stop. */
static bool report_progress(mry_indexing *work, bool at_once)
{
    double seconds = seconds_now(), least = 0.05;
    marey_index_progress *progress = &work->now;
    if (work->stopped) return false;
    if (!at_once && seconds - work->reported_s < least) return true;
    work->reported_s = seconds;
    progress->seconds = seconds - work->started_s;
    double built = seconds - work->built_s;
    bool known = work->cost_done > 0 && built > 0;
    progress->share = work->cost > 0 ? fmin(work->cost_done / work->cost, 1) : 0;
    progress->seconds_left = known ? built * (1 - progress->share) / progress->share : -1;
    if (work->progress)
        work->progress(work->progress_user, "comparing clips", progress->cells_done,
                       progress->cells);
    if (work->def->progress && !work->def->progress(work->def->user, progress))
        work->stopped = true;
    return !work->stopped;
}

static void unload(mry_index_slot *slot)
{
    marey_clip_free(slot->clip);
    slot->clip = NULL;
}

/* Are a clip's frames at its own rate in the index all that is looked at? Not by the metrics of callers,
   which may look between them, nor beside clips of a lower rate that is no whole part of it: then poses
   between its frames are made. */
static bool looks_at_rows_only(const mry_indexing *work, const mry_index_slot *slot)
{
    int every = mry_whole_ratio(slot->fps, slot->rate);
    bool all = every > 0 && !work->settings.metric.own;
    for (int i = 0; i < work->count && all; i++) {
        double rate = work->slots[i].rate;
        if (rate >= slot->rate) continue;
        int rows = mry_whole_ratio(slot->rate, rate);
        all = rows > 0 && mry_whole_ratio(slot->fps, rate) == every * rows;
    }
    return all;
}

static marey_status load(mry_indexing *work, mry_index_slot *slot, marey_error *error)
{
    if (slot->clip) return MAREY_OK;
    size_t before = marey_ctx_bytes(work->ctx);
    double most_fps = looks_at_rows_only(work, slot) ? work->settings.fps : 0;
    marey_status status =
        mry_load_clip_within(work->library, slot->id, most_fps, &slot->clip, error);
    if (status) return status;
    slot->clip_bytes = marey_ctx_bytes(work->ctx) - before;
    double fps = marey_clip_fps(slot->clip);
    int frames = marey_clip_frames(slot->clip);
    bool whole = fps == slot->fps && frames == slot->frames;
    if (!whole && !(most_fps > 0 && fps == slot->rate && frames == slot->rows))
        status = mry_fail(error, MAREY_ERR_STALE, marey_clip_name(slot->clip),
                          "its rate was changed while it was indexed; run marey index again");
    return status;
}

/* Finds the bodies of all clips that lack a web, and shares these out to blocks. Clips stay loaded
   as far as they fit into the first block: most libraries are no more than that. */
static marey_status make_blocks(mry_indexing *work, int *blocks, marey_error *error)
{
    size_t held = 0, used = 0;
    marey_status status = MAREY_OK;
    *blocks = 0;
    for (int i = 0; i < work->count && !status; i++) {
        mry_index_slot *slot = &work->slots[i];
        bool lacks = false;
        for (int j = 0; j < work->count && !lacks; j++)
            lacks = !mry_pair_there(work, i < j ? i : j, i < j ? j : i);
        if (!lacks) continue;
        if (mry_cancelled(work->ctx)) return mry_fail_cancelled(error);
        status = load(work, slot, error);
        if (!status) status = mry_bodies_add(&work->bodies, slot->clip, &slot->body, error);
        held += slot->clip_bytes;
        if (held > work->tuning.block_bytes) unload(slot);
        if (!status && !report_progress(work, false)) status = mry_fail_cancelled(error);
    }
    for (int i = 0; i < work->count && !status; i++) {
        mry_index_slot *slot = &work->slots[i];
        slot->block = -1;
        if (slot->body < 0) continue;
        /* At most, that is with the features of every layout there can be. */
        const marey_clip *shape = work->bodies.items[slot->body].shape;
        size_t joints = (size_t)marey_clip_skeleton(shape)->joint_count;
        size_t bytes =
            slot->clip_bytes + (size_t)work->bodies.count * (size_t)slot->rows * (joints + 10) * 40;
        if (*blocks == 0 || used + bytes > work->tuning.block_bytes) {
            ++*blocks;
            used = 0;
        }
        used += bytes;
        slot->block = *blocks - 1;
    }
    return status;
}

/* The next pair without a web in two blocks; begin with (0, -1). */
static bool next_pair(const mry_indexing *work, int first, int second, int *i, int *j)
{
    for (;;) {
        if (++*j >= work->count) {
            if (++*i >= work->count) return false;
            *j = *i;
        }
        int a = work->slots[*i].block, b = work->slots[*j].block;
        bool wanted = (a == first && b == second) || (a == second && b == first);
        if (wanted && !mry_pair_there(work, *i, *j)) return true;
    }
}

static mry_tied *find_tied(const mry_index_slot *slot, int meeting)
{
    for (int i = 0; i < slot->tied_count; i++) {
        if (slot->tied[i].meeting == meeting) return &slot->tied[i];
    }
    return NULL;
}

static bool tie(mry_indexing *work, mry_index_slot *slot, int meeting)
{
    if (find_tied(slot, meeting)) return true;
    if (!mry_grow_in(&work->mem, &slot->tied, &slot->room, slot->tied_count + 1,
                     sizeof *slot->tied))
        return false;
    slot->tied[slot->tied_count++] = (mry_tied){ .meeting = meeting };
    return true;
}

static marey_status pair_meeting(mry_indexing *work, int i, int j, int *meeting, marey_error *error)
{
    const mry_index_slot *a = &work->slots[i], *b = &work->slots[j];
    return mry_bodies_meet(&work->bodies, a->body, b->body, fmin(a->rate, b->rate), meeting, error);
}

static bool lacks_features(const mry_index_slot *slot)
{
    for (int i = 0; i < slot->tied_count; i++) {
        if (!slot->tied[i].features) return true;
    }
    return false;
}

typedef struct building { /* features, by several threads */
    mry_indexing *work;
    mry_index_slot **slots;
    marey_status *statuses;
    marey_error *errors;
} building;

static void build_features(void *user, int64_t i)
{
    building *group = user;
    mry_index_slot *slot = group->slots[i];
    for (int k = 0; k < slot->tied_count && !group->statuses[i]; k++) {
        mry_tied *tied = &slot->tied[k];
        if (tied->features || mry_cancelled(group->work->ctx)) continue;
        group->statuses[i] =
            marey_features_build(group->work->bodies.meetings[tied->meeting].layout, slot->clip,
                                 &tied->features, &group->errors[i]);
    }
}

/* Features of all clips that have a pair without a web in two blocks (or one); closed again by
   close_blocks. */
static marey_status open_blocks(mry_indexing *work, int first, int second, marey_error *error)
{
    enum { MOST_BASE = 64 };
    mry_arena tmp = mry_arena_make(work->ctx);
    marey_status status = MAREY_OK;
    for (int i = 0, j = -1, meeting; !status && next_pair(work, first, second, &i, &j);) {
        status = pair_meeting(work, i, j, &meeting, error);
        if (status || !work->bodies.meetings[meeting].layout) continue;
        if (!tie(work, &work->slots[i], meeting) || !tie(work, &work->slots[j], meeting))
            status = mry_fail_memory(error, NULL);
    }
    for (int i = 0; i < work->count && !status; i++) {
        mry_index_slot *slot = &work->slots[i];
        if (!lacks_features(slot)) continue;
        status = mry_cancelled(work->ctx) ? mry_fail_cancelled(error) : load(work, slot, error);
    }
    /* A basis for each layout, from a few clips, spread over those that are at hand. */
    for (int m = 0; m < work->bodies.meeting_count && !status; m++) {
        const marey_clip *chosen[MOST_BASE];
        int most = work->tuning.based_on < MOST_BASE ? work->tuning.based_on : MOST_BASE;
        int there = 0, seen = 0, count = 0;
        for (int i = 0; i < work->count; i++)
            there += work->slots[i].clip && find_tied(&work->slots[i], m);
        for (int i = 0; i < work->count && count < most; i++) {
            const mry_index_slot *slot = &work->slots[i];
            if (!slot->clip || !find_tied(slot, m)) continue;
            if ((int64_t)seen++ * most >= (int64_t)count * there) chosen[count++] = slot->clip;
        }
        if (there > 0) status = mry_bodies_base(&work->bodies, m, chosen, count, error);
    }
    building made = { .work = work };
    int count = 0;
    made.slots = MRY_NEW(&tmp, mry_index_slot *, work->count);
    made.statuses = MRY_NEW(&tmp, marey_status, work->count);
    made.errors = MRY_NEW(&tmp, marey_error, work->count);
    if (!status && (!made.slots || !made.statuses || !made.errors))
        status = mry_fail_memory(error, NULL);
    for (int i = 0; i < work->count && !status; i++) {
        if (work->slots[i].clip && lacks_features(&work->slots[i]))
            made.slots[count++] = &work->slots[i];
    }
    if (!status) marey_ctx_run(work->ctx, count, build_features, &made);
    if (!status && mry_cancelled(work->ctx)) status = mry_fail_cancelled(error);
    for (int i = 0; i < count && !status; i++) {
        status = made.statuses[i];
        if (status && error) *error = made.errors[i];
    }
    mry_arena_free(&tmp);
    for (int i = 0; i < work->count; i++) unload(&work->slots[i]);
    return status;
}

static void close_blocks(mry_indexing *work, int block) /* -1: all */
{
    for (int i = 0; i < work->count; i++) {
        mry_index_slot *slot = &work->slots[i];
        if (block >= 0 && slot->block != block) continue;
        unload(slot);
        for (int k = 0; k < slot->tied_count; k++) marey_features_free(slot->tied[k].features);
        slot->tied_count = 0;
    }
}

/* The library's own progress while a pair is built by all threads: counted in cells, and stopping
   stops it. */
typedef struct alone {
    batch *group;
    const job *one;
    int64_t before; /* cells that were done */
    double cost_before;
} alone;

static void note_alone(void *user, const char *task, int64_t done, int64_t total)
{
    const alone *it = user;
    mry_indexing *work = it->group->work;
    (void)task;
    if (total > 0) {
        double share = (double)done / (double)total;
        work->now.cells_done = it->before + (int64_t)((double)it->one->cells * share);
        work->cost_done = it->cost_before + it->one->cost * share;
    }
    if (!report_progress(work, false)) marey_ctx_cancel(work->ctx);
}

static marey_status build_web(mry_indexing *work, job *one, int slab, marey_error *error)
{
    const mry_index_slot *a = &work->slots[one->i], *b = &work->slots[one->j];
    mry_web_row *row = &one->row;
    /* Rows are of the clip with the lesser hash, so that numbers do not matter. */
    bool turned = memcmp(a->hash, b->hash, sizeof a->hash) > 0;
    *row = (mry_web_row){
        .a = a->id, .b = b->id, .turned = turned, .a_layers = a->layer_sum, .b_layers = b->layer_sum
    };
    row->rows = turned ? b->rows : a->rows;
    row->cols = turned ? a->rows : b->rows;
    if (!work->bodies.meetings[one->meeting].layout) return MAREY_OK;
    const mry_tied *first = find_tied(turned ? b : a, one->meeting);
    const mry_tied *second = find_tied(turned ? a : b, one->meeting);
    marey_web *web = NULL;
    marey_status status = mry_web_of(work->ctx, first->features, second->features,
                                     &work->settings.web, false, slab, &web, error);
    if (!status) {
        uint8_t *bytes = NULL;
        status = marey_web_write(web, &bytes, &row->size, error);
        row->bytes = bytes;
        row->rows = web->rows;
        row->cols = web->cols;
        row->chains = web->chain_count - web->tail_count; /* as marey_web_size counts them */
        row->bridges = web->bridge_count - web->tail_count;
    }
    marey_web_free(web);
    return status;
}

static void finish_job(batch *group, job *one, marey_status status, const marey_error *error)
{
    mry_indexing *work = group->work;
    int number = (int)(one - group->jobs);
    pthread_mutex_lock(&group->lock);
    if (status && (group->failed < 0 || number < group->failed)) {
        group->failed = number;
        group->error = *error;
    }
    one->done = !status;
    if (!status) {
        work->now.pairs_done++;
        work->now.cells_done += one->cells;
        work->cost_done += one->cost;
    }
    if (pthread_equal(pthread_self(), group->caller)) report_progress(work, false);
    pthread_mutex_unlock(&group->lock);
}

static bool is_over(batch *group)
{
    pthread_mutex_lock(&group->lock);
    bool over = group->failed >= 0 || group->work->stopped;
    pthread_mutex_unlock(&group->lock);
    return over || mry_cancelled(group->work->ctx);
}

static void do_job(void *user, int64_t number)
{
    batch *group = user;
    marey_error error = { 0 };
    if (is_over(group)) return;
    job *one = &group->jobs[group->small + number];
    marey_status status = build_web(group->work, one, MRY_ROWS_BLOCK, &error);
    finish_job(group, one, status, &error);
}

/* Large ones first: what comes last is short, and no thread waits long for another. */
static int by_size(const void *a, const void *b)
{
    const job *x = a, *y = b;
    if (x->cells != y->cells) return x->cells < y->cells ? 1 : -1;
    return x->i != y->i ? x->i - y->i : x->j - y->j;
}

marey_status mry_index_unchanged(mry_indexing *work, marey_error *error)
{
    const mry_index_kept *mine = &work->kept;
    mry_index_kept now;
    mry_arena tmp = mry_arena_make(work->ctx);
    marey_status status = mry_index_kept_read(work->library, &tmp, &now, error);
    if (!status && !(now.exists && now.settings.size == mine->settings.size &&
                     memcmp(now.settings.bytes, mine->settings.bytes, now.settings.size) == 0 &&
                     memcmp(now.normal, mine->normal, sizeof now.normal) == 0))
        status = mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(work->library->store),
                          "another program changed the settings of the index meanwhile");
    mry_arena_free(&tmp);
    return status;
}

/* Puts in what was done, unless another program made it another index meanwhile. */
static marey_status store_batch(batch *group, marey_error *error)
{
    mry_indexing *work = group->work;
    int done = 0;
    for (int i = 0; i < group->count; i++) done += group->jobs[i].done;
    if (done == 0) return MAREY_OK;
    bool making = mry_index_making(work);
    marey_status status = making ? MAREY_OK : mry_store_begin(work->library->store, error);
    if (status) return status;
    if (!making) status = mry_index_unchanged(work, error);
    for (int i = 0; i < group->count && !status; i++) {
        job *one = &group->jobs[i];
        if (!one->done) continue;
        status = making ? mry_index_tile_put(work, one->i, one->j, &one->row, error)
                        : mry_web_row_put(work->library, &one->row, error);
    }
    if (!making) status = mry_library_end(work->library, status, error);
    if (!status) work->report.pairs_built += done;
    return status;
}

/* What was done is put in even if something failed or the user wants no more. */
static marey_status do_batch(batch *group, marey_error *error)
{
    mry_indexing *work = group->work;
    const int64_t worth = 4000000; /* it takes 50 ms: less does not pay */
    int64_t share = group->cells / (2 * (int64_t)marey_ctx_threads(work->ctx));
    int64_t least = work->tuning.alone_cells ? work->tuning.alone_cells
                    : share > worth          ? share
                                             : worth;
    group->failed = -1;
    group->small = 0;
    qsort(group->jobs, (size_t)group->count, sizeof *group->jobs, by_size);
    for (; group->small < group->count && group->jobs[group->small].cells > least; group->small++) {
        /* By all threads. The context's own progress is lent to note_alone. A cancel that is its
           doing ends with it. */
        job *one = &group->jobs[group->small];
        marey_ctx_def *def = &work->ctx->def;
        marey_error why = { 0 };
        alone it = { .group = group,
                     .one = one,
                     .before = work->now.cells_done,
                     .cost_before = work->cost_done };
        if (is_over(group)) continue;
        def->progress = note_alone;
        def->progress_user = &it;
        marey_status built = build_web(work, one, 0, &why);
        def->progress = work->progress;
        def->progress_user = work->progress_user;
        if (work->stopped) marey_ctx_resume(work->ctx);
        work->now.cells_done = it.before;
        work->cost_done = it.cost_before;
        if (!(work->stopped && built == MAREY_ERR_CANCELLED)) finish_job(group, one, built, &why);
    }
    marey_ctx_run(work->ctx, group->count - group->small, do_job, group);
    marey_status status =
        mry_cancelled(work->ctx) ? mry_fail_cancelled(error) : store_batch(group, error);
    for (int i = 0; i < group->count; i++) {
        const mry_web_row *row = &group->jobs[i].row;
        if (row->bytes) mry_release(work->ctx, (void *)(uintptr_t)row->bytes, row->size);
    }
    if (!status && group->failed >= 0) {
        if (error) *error = group->error;
        status = group->error.status;
    }
    group->count = 0;
    group->cells = 0;
    if (!status && !report_progress(work, true)) status = mry_fail_cancelled(error);
    return status;
}

/* The webs of all pairs that are not there. */
static marey_status build_webs(mry_indexing *work, marey_error *error)
{
    batch group = { .work = work, .caller = pthread_self(), .failed = -1 };
    int blocks = 0;
    work->now.seconds_left = -1;
    for (int i = 0; i < work->count; i++) {
        for (int j = i; j < work->count; j++) {
            if (mry_pair_there(work, i, j)) continue;
            work->now.pairs++;
            work->now.cells += mry_web_cells(work->slots[i].rows, work->slots[j].rows, i == j);
            work->cost += mry_index_cost(work, i, j);
        }
    }
    if (work->now.pairs == 0) return MAREY_OK;
    if (!report_progress(work, true)) return mry_fail_cancelled(error);
    group.jobs = MRY_NEW(&work->mem, job, MOST_JOBS);
    if (!group.jobs) return mry_fail_memory(error, mry_store_path(work->library->store));
    work->bodies = mry_bodies_make(work->ctx, &work->settings);
    pthread_mutex_init(&group.lock, NULL);
    marey_status status = make_blocks(work, &blocks, error);
    work->built_s = seconds_now();
    for (int first = 0; first < blocks && !status; first++) {
        for (int second = first; second < blocks && !status; second++) {
            int i = 0, j = -1;
            status = open_blocks(work, first, second, error);
            while (!status && next_pair(work, first, second, &i, &j)) {
                job *one = &group.jobs[group.count];
                *one = (job){ .i = i, .j = j };
                one->cells = mry_web_cells(work->slots[i].rows, work->slots[j].rows, i == j);
                one->cost = mry_index_cost(work, i, j);
                status = pair_meeting(work, i, j, &one->meeting, error);
                if (status) break;
                group.count++;
                group.cells += one->cells;
                if (group.count == MOST_JOBS || group.cells >= work->tuning.batch_cells)
                    status = do_batch(&group, error);
            }
            if (!status && group.count > 0) status = do_batch(&group, error);
            if (second != first) close_blocks(work, second);
        }
        close_blocks(work, first);
    }
    close_blocks(work, -1);
    pthread_mutex_destroy(&group.lock);
    mry_bodies_free(&work->bodies);
    return status;
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

marey_status mry_library_index(marey_library *library, const marey_index_def *def,
                               const mry_index_tuning *tuning, marey_index_report *report,
                               marey_error *error)
{
    static const marey_index_def defaults = { 0 };
    mry_indexing work = { .library = library, .ctx = library->ctx, .def = def ? def : &defaults };
    marey_index_state state;
    if (!mry_index_making(&work) && !mry_store_can_write(library->store)) {
        return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                        "the library must be open for writing to be indexed");
    }
    if (tuning) work.tuning = *tuning;
    /* Not by the number of threads: the order in which webs are put in shows in the bytes of the
       file. */
    if (!work.tuning.batch_cells) work.tuning.batch_cells = 200000000;
    if (!work.tuning.block_bytes) {
        size_t limit = work.ctx->def.byte_limit / 8, usual = (size_t)96 << 20;
        work.tuning.block_bytes = limit > 0 && limit < usual ? limit : usual;
    }
    if (!work.tuning.based_on) work.tuning.based_on = 8;
    work.mem = mry_arena_make(library->ctx);
    work.started_s = seconds_now();
    work.progress = library->ctx->def.progress;
    work.progress_user = library->ctx->def.progress_user;
    marey_status status = mry_index_plan(&work, error);
    if (!status && work.def->tiles)
        status = mry_index_tiles_begin(&work, error);
    else if (!status)
        status = mry_index_costs_begin(&work, error);
    if (!status && work.def->tiles && !mry_index_making(&work))
        status = mry_index_tiles_read(&work, error);
    else if (!status)
        status = build_webs(&work, error);
    if (!status && mry_index_making(&work)) {
        if (report) *report = (marey_index_report){ 0 };
        mry_arena_free(&work.mem);
        return MAREY_OK;
    }
    if (!status) status = read_state(library, &work.mem, &state, error);
    if (!status && report) {
        *report = state.size;
        report->pairs_built = work.report.pairs_built;
        report->pairs_dropped = work.report.pairs_dropped;
        memcpy(report->rebuilt, work.report.rebuilt, sizeof report->rebuilt);
        report->seconds = seconds_now() - work.started_s;
    }
    mry_arena_free(&work.mem);
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
