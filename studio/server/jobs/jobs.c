/* jobs.c - the thread that does long work, and what is known of its jobs. */
#include "jobs_inside.h"

#include "hub.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    TELL_MS = 100,
    LOOK_S = 20
}; /* how often progress is told; how often old files are looked for */

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    if (error) {
        *error = (marey_error){ .status = status };
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static const char *state_name(job_state state)
{
    switch (state) {
    case JOB_WAITING: return "waiting";
    case JOB_RUNNING: return "running";
    case JOB_DONE: return "done";
    case JOB_FAILED: return "failed";
    case JOB_CANCELLED: return "cancelled";
    }
    return "failed";
}

/* The error as every address gives it, so that the page shows both by the same lines. */
static json_t *describe_error(const job *one)
{
    studio_response text = { .body = { .memory = &one->all->of->memory } };
    if (one->state != JOB_FAILED && one->state != JOB_CANCELLED) return json_null();
    answer_fail(&text, &one->error);
    json_t *whole = json_loadb((const char *)text.body.data, text.body.count, 0, NULL);
    json_t *error = json_incref(json_object_get(whole, "error"));
    json_decref(whole);
    bytes_free(&text.body);
    return error;
}

/* Put behind the other fields, since a result is text already. */
static void add_result(const job *one, bool told, studio_bytes *to)
{
    static const char none[] = ",\"result\":null";
    bool too_long = told && one->result.count > LIMIT_TOLD_RESULT;
    if (one->result.count > 0 && !too_long) {
        bytes_add(to, none, sizeof none - 1 - 4);
        bytes_add(to, one->result.data, one->result.count);
        return;
    }
    bytes_add(to, none, sizeof none - 1);
    if (!too_long) return;
    char at[64];
    int count =
        snprintf(at, sizeof at, ",\"result_at\":\"/api/jobs/%lld\"", (long long)one->number);
    bytes_add(to, at, (size_t)count);
}

/* `told`: as a message. */
static void describe(const job *one, bool told, studio_bytes *to)
{
    bool known = one->state == JOB_RUNNING && one->seconds_left >= 0;
    json_t *fields =
        json_pack("{s:I, s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "job", (json_int_t)one->number,
                  "kind", one->def.kind, "state", state_name(one->state), "what", one->what, "done",
                  (json_int_t)one->done, "total", (json_int_t)one->total, "seconds_left",
                  known ? json_real(one->seconds_left) : json_null(), "error", describe_error(one));
    if (fields && told && json_object_set_new(fields, "type", json_string("job")) != 0)
        to->failed = 1;
    if (!bytes_add_json(to, fields)) to->failed = 1;
    json_decref(fields);
    if (to->failed) return;
    to->count--; /* the bracket */
    add_result(one, told, to);
    bytes_add(to, "}", 1);
}

/* With the lock held, so that messages come in the order in which things happened. A job that was left sends none. */
static void tell(job *one)
{
    if (one->number < 0) return;
    studio_bytes text = { .memory = &one->all->of->memory };
    one->told_ms = jobs_now_ms();
    describe(one, true, &text);
    if (!text.failed) hub_tell(one->all->of->hub, (const char *)text.data, text.count);
    bytes_free(&text);
}

static void note(job *one, const char *what, int64_t done, int64_t total, double seconds_left)
{
    pthread_mutex_lock(&one->all->lock);
    snprintf(one->what, sizeof one->what, "%s", what ? what : "");
    one->done = done;
    one->total = total;
    one->seconds_left = seconds_left;
    if (jobs_now_ms() - one->told_ms >= TELL_MS) tell(one);
    pthread_mutex_unlock(&one->all->lock);
}

static void go_on(void *user, const char *what, int64_t done, int64_t total)
{
    studio_worker *by = user;
    if (by->job && !by->job->tells) note(by->job, what, done, total, -1);
}

void jobs_tell(studio_worker *worker, const char *what, int64_t done, int64_t total,
               double seconds_left)
{
    pthread_mutex_lock(&worker->job->all->lock);
    worker->job->tells = true;
    pthread_mutex_unlock(&worker->job->all->lock);
    note(worker->job, what, done, total, seconds_left);
}

/* ---- the thread ------------------------------------------------------------------------------- */

static void drop(job *one)
{
    if (!one->dropped && one->def.drop) one->def.drop(one->def.user);
    one->dropped = true;
}

static job *next_waiting(jobs *all)
{
    job *next = NULL;
    for (int i = 0; i < JOB_PLACES; i++) {
        job *one = &all->places[i];
        if (one->number && one->state == JOB_WAITING && (!next || one->number < next->number))
            next = one;
    }
    return next;
}

static void wait_for_change(jobs *all)
{
    struct timespec until;
    if (!jobs_have_files(all)) {
        pthread_cond_wait(&all->changed, &all->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += LOOK_S;
    pthread_cond_timedwait(&all->changed, &all->lock, &until);
    jobs_expire_files(all);
}

static void set_end(job *one, marey_status status, const marey_error *error, studio_bytes *result)
{
    one->state = status == MAREY_OK              ? JOB_DONE
                 : status == MAREY_ERR_CANCELLED ? JOB_CANCELLED
                                                 : JOB_FAILED;
    if (status) one->error = *error;
    if (status)
        bytes_free(result);
    else
        one->result = *result;
    if (!status && one->total > 0)
        one->done = one->total; /* the last steps are not told by themselves */
}

/* With the lock held; it is let go while the job runs. Cancelling takes the lock too, so a cancel that comes late finds
   the job over and cannot hit the next one. */
static void run(crew *me, job *one)
{
    jobs *all = me->all;
    marey_error error = { 0 };
    studio_bytes result = { .memory = &all->of->memory };
    one->state = JOB_RUNNING;
    me->self.job = one;
    tell(one);
    pthread_mutex_unlock(&all->lock);
    if (all->of->before_job) all->of->before_job();
    marey_status status = one->def.run(&me->self, one->def.user, &result, &error);
    if (status) error.status = status;
    memory_files_clear(me->self.files);
    pthread_mutex_lock(&all->lock);
    drop(one);
    me->self.job = NULL;
    if (me->left) { /* what it came to was told already */
        bytes_free(&result);
        *one = (job){ 0 };
        return;
    }
    if (!all->closing) marey_ctx_resume(me->self.ctx);
    set_end(one, status, &error, &result);
    tell(one);
    hub_look(all->of->hub);
}

static void *work(void *user)
{
    crew *me = user;
    jobs *all = me->all;
    pthread_mutex_lock(&all->lock);
    while (!all->closing && !me->left) {
        job *one = next_waiting(all);
        if (one)
            run(me, one);
        else
            wait_for_change(all);
    }
    me->over = true;
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* ---- those that do the jobs ------------------------------------------------------------------- */

/* With the lock held, or before anything else has the jobs. */
static marey_status start_crew(jobs *all, marey_error *error)
{
    heap *memory = &all->of->memory;
    crew *made = heap_resize(memory, NULL, 0, sizeof *made);
    if (!made) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    *made = (crew){ .all = all };
    marey_status status = worker_open(&made->self, all->of, all->threads, go_on, error);
    if (!status && pthread_create(&made->thread, NULL, work, made) != 0) {
        worker_close(&made->self);
        status = fail(error, MAREY_ERR_MEMORY, "cannot start a thread");
    }
    if (status)
        heap_resize(memory, made, sizeof *made, 0);
    else
        all->now = made;
    return status;
}

static void end_crew(crew *one)
{
    heap *memory = &one->all->of->memory;
    pthread_join(one->thread, NULL);
    worker_close(&one->self);
    heap_resize(memory, one, sizeof *one, 0);
}

static int64_t now_ms(const jobs *all)
{
    return all->of->clock_ms ? all->of->clock_ms() : jobs_now_ms();
}

/* The thread keeps the job's place for as long as it runs; what is known of the job goes to another one, under its
   number. */
static void leave(crew *with, job *one)
{
    job *seen = with->all->places;
    while (seen->number) seen++; /* there are as many places more as can be left */
    with->left = true;
    with->next = with->all->left;
    with->all->left = with;
    with->all->left_count++;
    *seen = *one;
    seen->dropped = true; /* by the thread, when it is done */
    seen->state = JOB_CANCELLED;
    fail(&seen->error, MAREY_ERR_CANCELLED, "cancelled; it has not stopped yet, and was left");
    one->number = -one->number;
    tell(seen);
}

/* With the lock held. */
static void look(jobs *all)
{
    for (crew **at = &all->left; *at;) {
        crew *one = *at;
        if (one->over) {
            *at = one->next;
            all->left_count--;
            end_crew(one);
        } else {
            at = &one->next;
        }
    }
    crew *with = all->now;
    job *one = with->self.job;
    if (!one || !one->cancelled_ms || now_ms(all) - one->cancelled_ms < LIMIT_DEAF_MS) return;
    if (all->closing || all->left_count == LIMIT_LEFT_JOBS) return;
    if (start_crew(all, NULL) == MAREY_OK) leave(with, one); /* otherwise another time */
}

void jobs_look(jobs *all)
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    look(all);
    pthread_mutex_unlock(&all->lock);
}

static void init_lock(jobs *all)
{
    pthread_condattr_t kind;
    pthread_mutex_init(&all->lock, NULL);
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&all->changed, &kind);
    pthread_condattr_destroy(&kind);
}

static void free_all(jobs *all)
{
    heap *memory = &all->of->memory;
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    heap_resize(memory, all, sizeof *all, 0);
}

marey_status jobs_open(shared *of, int threads, jobs **out, marey_error *error)
{
    jobs *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    memset(made, 0, sizeof *made);
    made->of = of;
    made->threads = threads;
    init_lock(made);
    marey_status status = start_crew(made, error);
    if (status)
        free_all(made);
    else
        *out = made;
    if (!status) hub_follow(of->hub, jobs_look, jobs_cancel);
    return status;
}

static void forget(job *one)
{
    drop(one);
    bytes_free(&one->result);
    *one = (job){ 0 };
}

void jobs_close(jobs *all)
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    all->closing = true;
    marey_ctx_cancel(all->now->self.ctx);
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    end_crew(all->now);
    while (all->left) { /* told to stop long ago */
        crew *one = all->left;
        all->left = one->next;
        end_crew(one);
    }
    for (int i = 0; i < JOB_PLACES; i++)
        if (all->places[i].number) forget(&all->places[i]);
    jobs_drop_files(all);
    free_all(all);
}

/* ---- asking ----------------------------------------------------------------------------------- */

static bool is_over(const job *one)
{
    return one->state != JOB_WAITING && one->state != JOB_RUNNING;
}

/* A free place, or that of the job which has been over for longest. More than LIMIT_JOBS are never remembered beside
   one that runs. NULL: all wait. */
static job *find_place(jobs *all)
{
    job *oldest = NULL, *empty = NULL;
    int waiting = 0, seen = 0;
    for (int i = 0; i < JOB_PLACES; i++) {
        job *one = &all->places[i];
        seen += one->number > 0;
        if (!one->number) empty = one;
        if (one->number <= 0) continue;
        waiting += one->state == JOB_WAITING;
        if (is_over(one) && (!oldest || one->number < oldest->number)) oldest = one;
    }
    if (seen < JOB_SEEN) return empty;
    if (waiting >= LIMIT_JOBS || !oldest) return NULL;
    forget(oldest);
    return oldest;
}

marey_status jobs_add(jobs *all, const job_def *def, int64_t *number, marey_error *error)
{
    pthread_mutex_lock(&all->lock);
    look(all);
    job *one = all->closing ? NULL : find_place(all);
    if (one) {
        *one = (job){ .number = ++all->last_number, .all = all, .def = *def, .seconds_left = -1 };
        one->result.memory = &all->of->memory;
        *number = one->number;
        tell(one);
        pthread_cond_signal(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
    if (one) return MAREY_OK;
    if (def->drop) def->drop(def->user);
    return fail(error, MAREY_ERR_LIMIT,
                "64 jobs are waiting already; try again when some are done");
}

static job *find(jobs *all, int64_t number)
{
    for (int i = 0; i < JOB_PLACES; i++)
        if (number > 0 && all->places[i].number == number) return &all->places[i];
    return NULL;
}

bool jobs_describe(jobs *all, int64_t number, studio_bytes *to)
{
    pthread_mutex_lock(&all->lock);
    look(all);
    const job *one = find(all, number);
    if (one) describe(one, false, to);
    pthread_mutex_unlock(&all->lock);
    return one != NULL;
}

bool jobs_cancel(jobs *all, int64_t number)
{
    pthread_mutex_lock(&all->lock);
    look(all);
    job *one = find(all, number);
    if (one && one->state == JOB_RUNNING) {
        if (!one->cancelled_ms) one->cancelled_ms = now_ms(all);
        marey_ctx_cancel(all->now->self.ctx);
    } else if (one && one->state == JOB_WAITING) {
        fail(&one->error, MAREY_ERR_CANCELLED, "cancelled");
        one->state = JOB_CANCELLED;
        drop(one);
        tell(one);
    }
    pthread_mutex_unlock(&all->lock);
    return one != NULL;
}
