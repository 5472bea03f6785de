/* jobs.c - the thread that does long work, what is known of its jobs, and the files that they made,
   kept in memory until they are fetched or old. */
#include "jobs.h"

#include "connection.h"
#include "hub.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    REPORT_MS = 100, /* how often progress is sent */
    LOOK_S = 20,     /* how often old files are looked for */
    /* One runs while as many as may wait, and those that were left have places that are not
       seen. */
    JOB_SEEN = LIMIT_JOBS + 1,
    JOB_PLACES = JOB_SEEN + LIMIT_LEFT_JOBS
};

struct job {
    int64_t number; /* 0: the place is free; negative: it was left, and its thread still uses it */
    struct jobs *queue;
    job_def def;
    bool dropped; /* def.drop was called */
    job_state state;
    char activity[64];
    int64_t done, total;
    double seconds_left; /* negative: unknown */
    bool reports;        /* by itself: what its context says is not sent */
    int64_t sent_ms;
    int64_t cancelled_ms; /* 0: it was not */
    studio_bytes result;  /* JSON; empty: none */
    marey_error error;
};

/* A thread that does jobs, and what it works with. There is one at a time, and those that were left
   with a job that does not stop; these end with it. */
typedef struct crew {
    struct crew *next; /* of those that were left */
    struct jobs *queue;
    studio_worker self;
    pthread_t thread;
    bool left, over; /* over: it can be joined without waiting */
} crew;

typedef struct kept_file {
    int64_t job;     /* 0: the place is free */
    int64_t made_ms; /* by the clock that never goes back */
    char name[512];
    const char *type;
    held *content;
} kept_file;

struct jobs {
    shared *common;
    int threads;          /* of a crew's context */
    pthread_mutex_t lock; /* for all that follows, but the worker of a crew */
    pthread_cond_t changed;
    crew *now;  /* does the jobs */
    crew *left; /* LIMIT_LEFT_JOBS at most */
    int left_count;
    bool closing;
    int64_t last_number;
    job places[JOB_PLACES];
    kept_file files[LIMIT_FILES];
};

/* ---- progress -------------------------------------------------------------------------------- */

/* As an answer, or as a message, which leaves a long result out. */
static void describe(const job *entry, bool is_message, studio_bytes *bytes)
{
    static const char *const states[] = { [JOB_WAITING] = "waiting",
                                          [JOB_RUNNING] = "running",
                                          [JOB_DONE] = "done",
                                          [JOB_FAILED] = "failed",
                                          [JOB_CANCELLED] = "cancelled" };
    static const char no_result[] = ",\"result\":null";
    json_t *error = json_null();
    if (entry->state == JOB_FAILED || entry->state == JOB_CANCELLED) {
        /* As every address gives it, so that the page shows both by the same lines. */
        studio_response text = { .body = { .memory = &entry->queue->common->memory } };
        answer_fail(&text, &entry->error);
        json_t *whole = json_loadb((const char *)text.body.data, text.body.count, 0, NULL);
        error = json_incref(json_object_get(whole, "error"));
        json_decref(whole);
        bytes_free(&text.body);
    }
    bool known = entry->state == JOB_RUNNING && entry->seconds_left >= 0;
    const kept_file *file = NULL;
    for (int i = 0; i < LIMIT_FILES; i++)
        if (entry->state == JOB_DONE && entry->queue->files[i].job == entry->number)
            file = &entry->queue->files[i];
    json_t *fields =
        json_pack("{s:I, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "job", (json_int_t)entry->number,
                  "kind", entry->def.kind, "state", states[entry->state], "what", entry->activity,
                  "done", (json_int_t)entry->done, "total", (json_int_t)entry->total,
                  "seconds_left", known ? json_real(entry->seconds_left) : json_null(), "error",
                  error, "file", file ? json_string(file->name) : json_null());
    if (fields && is_message && json_object_set_new(fields, "type", json_string("job")) != 0)
        bytes->failed = 1;
    if (!bytes_add_json(bytes, fields)) bytes->failed = 1;
    json_decref(fields);
    if (bytes->failed) return;

    /* The result comes behind the other fields, in place of their bracket, since it is text
       already. */
    bytes->count--;
    if (is_message && entry->result.count > LIMIT_SENT_RESULT) {
        char address[64];
        int count = snprintf(address, sizeof address, ",\"result_at\":\"/api/jobs/%lld\"",
                             (long long)entry->number);
        bytes_add(bytes, no_result, sizeof no_result - 1);
        bytes_add(bytes, address, (size_t)count);
    } else if (entry->result.count > 0) {
        bytes_add(bytes, no_result, sizeof no_result - 1 - strlen("null"));
        bytes_add(bytes, entry->result.data, entry->result.count);
    } else {
        bytes_add(bytes, no_result, sizeof no_result - 1);
    }
    bytes_add(bytes, "}", 1);
}

/* With the lock held, so that messages come in the order in which things happened. A job that was
   left sends none. */
static void send_message(job *entry)
{
    if (entry->number < 0) return;
    shared *common = entry->queue->common;
    studio_bytes text = { .memory = &common->memory };
    entry->sent_ms = connections_clock();
    describe(entry, true, &text);
    if (!text.failed) hub_broadcast(common->hub, (const char *)text.data, text.count);
    bytes_free(&text);
}

static void note_progress(job *entry, const char *activity, int64_t done, int64_t total,
                          double seconds_left)
{
    pthread_mutex_lock(&entry->queue->lock);
    snprintf(entry->activity, sizeof entry->activity, "%s", activity ? activity : "");
    entry->done = done;
    entry->total = total;
    entry->seconds_left = seconds_left;
    if (connections_clock() - entry->sent_ms >= REPORT_MS) send_message(entry);
    pthread_mutex_unlock(&entry->queue->lock);
}

static void go_on(void *user, const char *activity, int64_t done, int64_t total)
{
    studio_worker *worker = user;
    if (worker->job && !worker->job->reports) note_progress(worker->job, activity, done, total, -1);
}

void jobs_report(studio_worker *worker, const char *activity, int64_t done, int64_t total,
                 double seconds_left)
{
    pthread_mutex_lock(&worker->job->queue->lock);
    worker->job->reports = true;
    pthread_mutex_unlock(&worker->job->queue->lock);
    note_progress(worker->job, activity, done, total, seconds_left);
}

/* ---- files that jobs made -------------------------------------------------------------------- */

static void forget_file(kept_file *file)
{
    held_drop(file->content);
    *file = (kept_file){ 0 };
}

/* With the lock held. */
static void expire_files(jobs *queue)
{
    int64_t now = connections_clock();
    for (int i = 0; i < LIMIT_FILES; i++)
        if (queue->files[i].job && now - queue->files[i].made_ms > LIMIT_FILE_MS)
            forget_file(&queue->files[i]);
}

marey_status jobs_keep_file(studio_worker *worker, const char *name, const char *type,
                            studio_bytes *content, marey_error *error)
{
    jobs *queue = worker->job->queue;
    size_t count = content->count;
    if (count > LIMIT_FILES_BYTES) {
        bytes_free(content);
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "the file would be larger than 1 GiB; export fewer frames");
    }
    held *kept = held_make(content);
    if (!kept) {
        bytes_free(content);
        return app_fail_memory(error);
    }
    pthread_mutex_lock(&queue->lock);
    if (worker->job->number < 0) { /* it was left: its file has no address */
        pthread_mutex_unlock(&queue->lock);
        held_drop(kept);
        return app_fail(error, MAREY_ERR_CANCELLED, NULL, "cancelled");
    }
    expire_files(queue);
    for (;;) { /* the oldest files make way until there is a place, and room */
        kept_file *place = NULL, *oldest = NULL;
        size_t bytes = 0;
        for (int i = 0; i < LIMIT_FILES; i++) {
            kept_file *file = &queue->files[i];
            if (!file->job) {
                if (!place) place = file;
                continue;
            }
            bytes += file->content->content.count;
            if (!oldest || file->job < oldest->job) oldest = file;
        }
        if (place && bytes <= LIMIT_FILES_BYTES - count) {
            *place = (kept_file){ .job = worker->job->number,
                                  .made_ms = connections_clock(),
                                  .type = type,
                                  .content = kept };
            snprintf(place->name, sizeof place->name, "%s", name);
            break;
        }
        forget_file(oldest);
    }
    pthread_mutex_unlock(&queue->lock);
    return MAREY_OK;
}

bool jobs_file(jobs *queue, int64_t number, studio_response *response)
{
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    expire_files(queue);
    for (int i = 0; i < LIMIT_FILES && number > 0; i++) {
        const kept_file *file = &queue->files[i];
        if (file->job != number) continue;
        found = true;
        answer_clear(response);
        response->lent = held_share(file->content);
        response->status = 200;
        response->type = file->type;
        snprintf(response->file_name, sizeof response->file_name, "%s", file->name);
    }
    pthread_mutex_unlock(&queue->lock);
    return found;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void drop(job *entry)
{
    if (!entry->dropped && entry->def.drop) entry->def.drop(entry->def.user);
    entry->dropped = true;
}

/* With the lock held; it is let go while the job runs. Cancelling takes the lock too, so a cancel
   that comes late finds the job over and cannot hit the next one. */
static void run(crew *self, job *entry)
{
    jobs *queue = self->queue;
    studio_worker *worker = &self->self;
    marey_error error = { 0 };
    studio_bytes result = { .memory = &queue->common->memory };
    entry->state = JOB_RUNNING;
    worker->job = entry;
    send_message(entry);
    pthread_mutex_unlock(&queue->lock);
    if (queue->common->before_job) queue->common->before_job();
    worker_begin(worker);
    marey_status status = entry->def.run(worker, entry->def.user, &result, &error);
    error.status = status;
    worker_end(worker, &error);
    status = error.status;
    memory_files_clear(worker->files);
    pthread_mutex_lock(&queue->lock);
    drop(entry);
    worker->job = NULL;
    if (self->left) { /* what it came to was sent already */
        bytes_free(&result);
        *entry = (job){ 0 };
        return;
    }
    if (!queue->closing) marey_ctx_resume(worker->ctx);
    if (status) {
        entry->state = status == MAREY_ERR_CANCELLED ? JOB_CANCELLED : JOB_FAILED;
        entry->error = error;
        bytes_free(&result);
    } else {
        entry->state = JOB_DONE;
        entry->result = result;
        if (entry->total > 0) entry->done = entry->total; /* jobs do not report their last steps */
    }
    send_message(entry);
    hub_look(queue->common->hub);
}

static void *work(void *user)
{
    crew *self = user;
    jobs *queue = self->queue;
    pthread_mutex_lock(&queue->lock);
    while (!queue->closing && !self->left) {
        job *next = NULL;
        for (int i = 0; i < JOB_PLACES; i++) {
            job *entry = &queue->places[i];
            bool waits = entry->number && entry->state == JOB_WAITING;
            if (waits && (!next || entry->number < next->number)) next = entry;
        }
        bool has_files = false;
        for (int i = 0; i < LIMIT_FILES; i++) has_files = has_files || queue->files[i].job;
        if (next) {
            run(self, next);
        } else if (!has_files) {
            pthread_cond_wait(&queue->changed, &queue->lock);
        } else {
            struct timespec until;
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_sec += LOOK_S;
            pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
            expire_files(queue);
        }
    }
    self->over = true;
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* With the lock held, or before anything else has the jobs. */
static marey_status start_crew(jobs *queue, marey_error *error)
{
    heap *memory = &queue->common->memory;
    crew *made = heap_resize(memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    *made = (crew){ .queue = queue };
    marey_status status = worker_open(&made->self, queue->common, queue->threads, go_on, error);
    if (!status && pthread_create(&made->thread, NULL, work, made) != 0) {
        worker_close(&made->self);
        status = app_fail(error, MAREY_ERR_MEMORY, NULL, "cannot start a thread");
    }
    if (status)
        heap_resize(memory, made, sizeof *made, 0);
    else
        queue->now = made;
    return status;
}

static void end_crew(crew *ended)
{
    heap *memory = &ended->queue->common->memory;
    pthread_join(ended->thread, NULL);
    worker_close(&ended->self);
    heap_resize(memory, ended, sizeof *ended, 0);
}

/* Of deadlines; tests have one of their own. */
static int64_t now_ms(const jobs *queue)
{
    return queue->common->clock_ms ? queue->common->clock_ms() : connections_clock();
}

/* Ends threads that were left and are over, and leaves the one that does the jobs if its job should
   have ended. With the lock held. */
static void look(jobs *queue)
{
    for (crew **at = &queue->left; *at;) {
        crew *ended = *at;
        if (!ended->over) {
            at = &ended->next;
            continue;
        }
        *at = ended->next;
        queue->left_count--;
        end_crew(ended);
    }
    crew *deaf = queue->now;
    job *entry = deaf->self.job;
    if (!entry || !entry->cancelled_ms || now_ms(queue) - entry->cancelled_ms < LIMIT_DEAF_MS)
        return;
    if (queue->closing || queue->left_count == LIMIT_LEFT_JOBS) return;
    if (start_crew(queue, NULL) != MAREY_OK) return; /* another time */
    deaf->left = true;
    deaf->next = queue->left;
    queue->left = deaf;
    queue->left_count++;
    /* The thread keeps the job's place for as long as it runs; what is known of the job goes to
       another one, under its number. There are as many places more as can be left. */
    job *seen = queue->places;
    while (seen->number) seen++;
    *seen = *entry;
    seen->dropped = true; /* by the thread, when it is done */
    seen->state = JOB_CANCELLED;
    app_fail(&seen->error, MAREY_ERR_CANCELLED, NULL,
             "cancelled; it has not stopped yet, and was left");
    entry->number = -entry->number;
    send_message(seen);
}

void jobs_look(jobs *queue)
{
    if (!queue) return;
    pthread_mutex_lock(&queue->lock);
    look(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void free_queue(jobs *queue)
{
    heap *memory = &queue->common->memory;
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    heap_resize(memory, queue, sizeof *queue, 0);
}

marey_status jobs_open(shared *common, int threads, jobs **out, marey_error *error)
{
    pthread_condattr_t kind;
    jobs *queue = heap_resize(&common->memory, NULL, 0, sizeof *queue);
    if (!queue) return app_fail_memory(error);
    memset(queue, 0, sizeof *queue);
    queue->common = common;
    queue->threads = threads;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->changed, &kind);
    pthread_condattr_destroy(&kind);
    marey_status status = start_crew(queue, error);
    if (status)
        free_queue(queue);
    else
        *out = queue;
    if (!status) hub_follow(common->hub, jobs_look, jobs_cancel);
    return status;
}

static void forget(job *entry)
{
    drop(entry);
    bytes_free(&entry->result);
    *entry = (job){ 0 };
}

void jobs_close(jobs *queue)
{
    if (!queue) return;
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    marey_ctx_cancel(queue->now->self.ctx);
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    end_crew(queue->now);
    while (queue->left) { /* cancelled long ago */
        crew *ended = queue->left;
        queue->left = ended->next;
        end_crew(ended);
    }
    for (int i = 0; i < JOB_PLACES; i++)
        if (queue->places[i].number) forget(&queue->places[i]);
    for (int i = 0; i < LIMIT_FILES; i++) forget_file(&queue->files[i]);
    free_queue(queue);
}

/* ---- asking ---------------------------------------------------------------------------------- */

marey_status jobs_add(jobs *queue, const job_def *def, int64_t *number, marey_error *error)
{
    pthread_mutex_lock(&queue->lock);
    look(queue);
    /* A free place, or that of the job which has been over for longest. More than LIMIT_JOBS are
       never remembered beside one that runs. */
    job *oldest = NULL, *place = NULL;
    int waiting = 0, seen = 0;
    for (int i = 0; i < JOB_PLACES; i++) {
        job *entry = &queue->places[i];
        if (!entry->number) place = entry;
        if (entry->number <= 0) continue;
        seen++;
        waiting += entry->state == JOB_WAITING;
        bool over = entry->state != JOB_WAITING && entry->state != JOB_RUNNING;
        if (over && (!oldest || entry->number < oldest->number)) oldest = entry;
    }
    if (seen >= JOB_SEEN) place = waiting < LIMIT_JOBS ? oldest : NULL;
    if (queue->closing) place = NULL;
    if (place) {
        if (place->number) forget(place);
        *place = (job){
            .number = ++queue->last_number, .queue = queue, .def = *def, .seconds_left = -1
        };
        place->result.memory = &queue->common->memory;
        *number = place->number;
        send_message(place);
        pthread_cond_signal(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    if (place) return MAREY_OK;
    if (def->drop) def->drop(def->user);
    return app_fail(error, MAREY_ERR_LIMIT, NULL,
                    "64 jobs are waiting already; try again when some are done");
}

static job *find(jobs *queue, int64_t number)
{
    for (int i = 0; i < JOB_PLACES; i++)
        if (number > 0 && queue->places[i].number == number) return &queue->places[i];
    return NULL;
}

bool jobs_describe(jobs *queue, int64_t number, studio_bytes *bytes)
{
    pthread_mutex_lock(&queue->lock);
    look(queue);
    const job *entry = find(queue, number);
    if (entry) describe(entry, false, bytes);
    pthread_mutex_unlock(&queue->lock);
    return entry != NULL;
}

void jobs_list(jobs *queue, studio_bytes *bytes)
{
    pthread_mutex_lock(&queue->lock);
    look(queue);
    expire_files(queue);
    bytes_add(bytes, "{\"jobs\":[", strlen("{\"jobs\":["));
    bool any = false;
    for (int64_t below = INT64_MAX;; any = true) { /* the newest first */
        const job *next = NULL;
        for (int i = 0; i < JOB_PLACES; i++) {
            const job *entry = &queue->places[i];
            if (entry->number <= 0 || entry->number >= below) continue;
            if (!next || entry->number > next->number) next = entry;
        }
        if (!next) break;
        if (any) bytes_add(bytes, ",", 1);
        describe(next, true, bytes);
        below = next->number;
    }
    bytes_add(bytes, "]}", 2);
    pthread_mutex_unlock(&queue->lock);
}

bool jobs_cancel(jobs *queue, int64_t number)
{
    pthread_mutex_lock(&queue->lock);
    look(queue);
    job *entry = find(queue, number);
    if (entry && entry->state == JOB_RUNNING) {
        if (!entry->cancelled_ms) entry->cancelled_ms = now_ms(queue);
        marey_ctx_cancel(queue->now->self.ctx);
    } else if (entry && entry->state == JOB_WAITING) {
        app_fail(&entry->error, MAREY_ERR_CANCELLED, NULL, "cancelled");
        entry->state = JOB_CANCELLED;
        drop(entry);
        send_message(entry);
    }
    pthread_mutex_unlock(&queue->lock);
    return entry != NULL;
}
