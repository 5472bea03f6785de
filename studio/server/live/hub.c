/* hub.c - the thread of all WebSockets. Other threads leave what they have to say in lists under one lock and wake it;
   sockets and streams are the thread's alone. */
#include "live.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 500, GOING_AWAY = WSLAY_CODE_GOING_AWAY };

static const int64_t ns_per_ms = 1000000, ns_per_s = 1000000000;

static void free_news(hub *all, news *first)
{
    while (first) {
        news *next = first->next;
        heap_resize(&all->of->memory, first, sizeof *first + first->count, 0);
        first = next;
    }
}

/* ---- the library's version -------------------------------------------------------------------- */

static void look_at_library(hub *all, int64_t now_ms)
{
    int64_t version = 0;
    all->looked_ms = now_ms;
    if (marey_library_version(all->library, &version, NULL) || version == all->version) return;
    all->version = version;
    char text[80];
    int count =
        snprintf(text, sizeof text, "{\"type\":\"library\",\"version\":%lld}", (long long)version);
    for (int i = 0; i < all->count; i++) socket_say(all->sockets[i], text, (size_t)count);
}

/* ---- what other threads left ------------------------------------------------------------------ */

/* False: it is time to stop. */
static bool take_news(hub *all)
{
    live_socket *arrived[LIMIT_SOCKETS];
    pthread_mutex_lock(&all->lock);
    bool stopping = all->stopping, look = all->look;
    int count = all->arrived_count;
    memcpy(arrived, all->arrived, (size_t)count * sizeof arrived[0]);
    news *first = all->first_news;
    stream *made = all->made;
    hub_return *back = all->returned;
    all->returned = NULL;
    all->arrived_count = 0;
    all->first_news = all->last_news = NULL;
    all->made = NULL;
    all->look = false;
    pthread_mutex_unlock(&all->lock);
    for (const news *one = first; one; one = one->next)
        for (int i = 0; i < all->count; i++) socket_say(all->sockets[i], one->text, one->count);
    free_news(all, first);
    if (all->count == 0 && count > 0) /* what changed before the first client came is no news */
        marey_library_version(all->library, &all->version, NULL);
    for (int i = 0; i < count; i++) {
        live_socket *one = arrived[i];
        one->number = ++all->last_number;
        all->sockets[all->count++] = one;
        socket_say_json(one, json_pack("{s:s, s:s}", "type", "hello", "version", marey_version()));
        socket_turn(one, true);
    }
    while (made) {
        stream *next = made->next;
        live_socket *on = NULL;
        for (int i = 0; i < all->count && !on; i++)
            if (all->sockets[i]->number == made->socket) on = all->sockets[i];
        if (on)
            stream_begin(on, made);
        else
            stream_free(made);
        made = next;
    }
    hub_take_back(back);
    if (look && all->count > 0) look_at_library(all, hub_now_ns() / ns_per_ms);
    return !stopping;
}

/* ---- what clients say --------------------------------------------------------------------------- */

static void cancel(live_socket *from, const json_t *message)
{
    hub *all = from->all;
    int64_t number = 0;
    pthread_mutex_lock(&all->lock);
    bool (*cancel_job)(struct jobs * jobs, int64_t number) = all->jobs_cancel;
    pthread_mutex_unlock(&all->lock);
    if (!cancel_job || !message_whole(message, "job", 1, 1e15, NAN, &number) ||
        !cancel_job(all->of->jobs, number))
        socket_complain(from, "there is no such job");
}

void hub_take_message(live_socket *from, const uint8_t *text, size_t count)
{
    json_t *message = json_loadb((const char *)text, count, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));
    if (!type)
        socket_complain(from, "a message is a JSON object with a type");
    else if (strcmp(type, "cancel") == 0)
        cancel(from, message);
    else if (!stream_message(from, type, message) && !play_message(from, type, message) &&
             !react_message(from, type, message))
        socket_complain(from, "no message is of this type; cancel, play, stop, steer, wish, halt, "
                              "react, main and dismiss are");
    json_decref(message);
}

/* ---- what is open for them ----------------------------------------------------------------------- */

static void stage_ready(hub *all, struct stage *of)
{
    for (int i = 0; i < all->count; i++) {
        play_stage_ready(all->sockets[i], of);
        react_stage_ready(all->sockets[i], of);
    }
}

static void ground_ready(hub *all, struct stage *of)
{
    for (int i = 0; i < all->count; i++) react_ground_ready(all->sockets[i], of);
}

static void role_ready(hub *all, struct role *of)
{
    for (int i = 0; i < all->count; i++) react_role_ready(all->sockets[i], of);
}

/* ---- the thread ------------------------------------------------------------------------------- */

static void end_socket(live_socket *one)
{
    stream_end_all(one);
    play_end_all(one);
    react_end_all(one);
    socket_free(one);
}

static void drop_ended(hub *all)
{
    int kept = 0, ended = 0;
    for (int i = 0; i < all->count; i++) {
        live_socket *one = all->sockets[i];
        if (socket_is_over(one)) {
            end_socket(one);
            ended++;
        } else {
            all->sockets[kept++] = one;
        }
    }
    all->count = kept;
    if (ended == 0) return;
    pthread_mutex_lock(&all->lock);
    all->socket_count -= ended;
    pthread_mutex_unlock(&all->lock);
}

/* Waits until something can be read or written, another thread woke us, or a pose is due. */
static void wait_for(hub *all, struct pollfd *polled, int64_t due_ns)
{
    polled[0] = (struct pollfd){ .fd = all->wakes, .events = POLLIN };
    for (int i = 0; i < all->count; i++) {
        const live_socket *one = all->sockets[i];
        short events = wslay_event_want_read(one->talk) ? POLLIN : 0;
        if (wslay_event_want_write(one->talk)) events |= POLLOUT;
        polled[i + 1] = (struct pollfd){ .fd = one->socket, .events = events };
    }
    int64_t wait = due_ns - hub_now_ns();
    if (wait < 0) wait = 0;
    struct timespec until = { .tv_sec = wait / ns_per_s, .tv_nsec = wait % ns_per_s };
    if (ppoll(polled, (nfds_t)all->count + 1, all->count ? &until : NULL, NULL) < 0)
        for (int i = 0; i <= all->count; i++) polled[i].revents = 0;
}

static void serve(hub *all, const struct pollfd *polled)
{
    uint64_t times;
    if (polled[0].revents && read(all->wakes, &times, sizeof times) < 0 && errno != EAGAIN) return;
    for (int i = 0; i < all->count; i++) {
        live_socket *one = all->sockets[i];
        short events = polled[i + 1].revents;
        if (!(events & POLLIN) && events & (POLLERR | POLLHUP | POLLNVAL)) one->broken = true;
        if (!one->broken) socket_turn(one, events & POLLIN);
        if (!one->broken) socket_write(one);
    }
}

/* What the clock asks for; returns when it asks again. */
static int64_t keep_time(hub *all)
{
    int64_t now = hub_now_ns(), next = now + LOOK_MS * ns_per_ms;
    for (int i = 0; i < all->count; i++) {
        live_socket *one = all->sockets[i];
        socket_beat(one, now / ns_per_ms);
        int64_t due = stream_send_due(one, now), play_due = play_send_due(one, now);
        if (due < next) next = due;
        if (play_due < next) next = play_due;
        if (socket_waits(one)) next = now;
        if (!one->broken) socket_write(one);
    }
    if (all->count > 0 && now / ns_per_ms - all->looked_ms >= LOOK_MS) {
        look_at_library(all, now / ns_per_ms);
        pthread_mutex_lock(&all->lock);
        void (*look)(struct jobs * jobs) = all->jobs_look;
        pthread_mutex_unlock(&all->lock);
        if (look) look(all->of->jobs);
    }
    return next;
}

static void end_all(hub *all)
{
    for (int i = 0; i < all->count; i++) {
        live_socket *one = all->sockets[i];
        wslay_event_queue_close(one->talk, GOING_AWAY, NULL, 0);
        if (!one->broken) socket_write(one);
        end_socket(one);
    }
    all->count = 0;
    stages_stop(all);
    roles_stop(all);
}

static void *run(void *user)
{
    hub *all = user;
    struct pollfd polled[LIMIT_SOCKETS + 1];
    while (take_news(all)) {
        int64_t due = keep_time(all);
        drop_ended(all);
        /* Without a client nothing wakes us to look again, so what is idle goes at once. */
        stages_look(all, all->count > 0 ? hub_now_ns() / ns_per_ms : INT64_MAX);
        wait_for(all, polled, due);
        serve(all, polled);
    }
    end_all(all);
    return NULL;
}

/* ---- from other threads ----------------------------------------------------------------------- */

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    if (error) {
        *error = (marey_error){ .status = status };
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

marey_status hub_open(shared *of, hub **out, marey_error *error)
{
    hub *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    memset(made, 0, sizeof *made);
    made->of = of;
    made->joined = true;
    made->take_message = hub_take_message;
    made->stage_ready = stage_ready;
    made->ground_ready = ground_ready;
    made->role_ready = role_ready;
    pthread_mutex_init(&made->lock, NULL);
    made->wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    marey_ctx_def def = { .resize = heap_resize, .resize_user = &of->memory, .threads = 1 };
    marey_status status = MAREY_OK;
    if (made->wakes < 0) {
        status = fail(error, MAREY_ERR_IO, "no file handle is left");
    } else if (marey_ctx_open(&def, &made->ctx)) {
        status = fail(error, MAREY_ERR_MEMORY, "out of memory");
    } else {
        status = marey_library_open(made->ctx, of->library_path, MAREY_LIBRARY_READ, &made->library,
                                    error);
    }
    if (!status) {
        made->joined = pthread_create(&made->thread, NULL, run, made) != 0;
        if (made->joined) status = fail(error, MAREY_ERR_MEMORY, "cannot start a thread");
    }
    if (status)
        hub_close(made);
    else
        *out = made;
    return status;
}

void hub_use(hub *all, pool *workers)
{
    pthread_mutex_lock(&all->lock);
    all->workers = workers;
    pthread_mutex_unlock(&all->lock);
}

void hub_follow(hub *all, void (*look)(struct jobs *jobs),
                bool (*cancel_job)(struct jobs *jobs, int64_t number))
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    all->jobs_look = look;
    all->jobs_cancel = cancel_job;
    pthread_mutex_unlock(&all->lock);
}

void hub_stop(hub *all)
{
    if (!all || all->joined) return;
    pthread_mutex_lock(&all->lock);
    all->stopping = true;
    pthread_mutex_unlock(&all->lock);
    hub_wake(all);
    pthread_join(all->thread, NULL);
    all->joined = true;
    marey_library_close(all->library);
    all->library = NULL;
}

void hub_close(hub *all)
{
    if (!all) return;
    hub_stop(all);
    marey_library_close(all->library);
    marey_ctx_close(all->ctx);
    free_news(all, all->first_news);
    for (stream *one = all->made; one;) {
        stream *next = one->next;
        stream_free(one);
        one = next;
    }
    hub_take_back(all->returned);
    roles_free(all);
    stages_free(all);
    if (all->wakes >= 0) close(all->wakes);
    pthread_mutex_destroy(&all->lock);
    heap_resize(&all->of->memory, all, sizeof *all, 0);
}

bool hub_is_full(hub *all)
{
    pthread_mutex_lock(&all->lock);
    bool full = all->stopping || all->socket_count >= LIMIT_SOCKETS;
    pthread_mutex_unlock(&all->lock);
    return full;
}

bool hub_add(hub *all, int socket, const void *early, size_t early_count,
             void (*closed)(void *user), void *user)
{
    live_socket *one = heap_resize(&all->of->memory, NULL, 0, sizeof *one);
    int yes = 1;
    if (!one) return false;
    memset(one, 0, sizeof *one);
    one->all = all;
    one->socket = socket;
    one->closed = closed;
    one->user = user;
    one->early.memory = one->waiting.memory = &all->of->memory;
    bytes_add(&one->early, early, early_count);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* a pose must not wait */
    if (!one->early.failed && socket_begin(one)) {
        pthread_mutex_lock(&all->lock);
        bool room = !all->stopping && all->socket_count < LIMIT_SOCKETS;
        if (room) {
            all->arrived[all->arrived_count++] = one;
            all->socket_count++;
        }
        pthread_mutex_unlock(&all->lock);
        if (room) {
            hub_wake(all);
            return true;
        }
        wslay_event_context_free(one->talk);
    }
    bytes_free(&one->early);
    heap_resize(&all->of->memory, one, sizeof *one, 0);
    return false;
}

void hub_tell(hub *all, const char *text, size_t count)
{
    if (!all) return;
    news *one = heap_resize(&all->of->memory, NULL, 0, sizeof *one + count);
    if (!one) return; /* the page asks again when it misses something */
    one->next = NULL;
    one->count = count;
    memcpy(one->text, text, count);
    pthread_mutex_lock(&all->lock);
    bool heard = !all->stopping && all->socket_count > 0;
    if (heard && all->last_news)
        all->last_news->next = one;
    else if (heard)
        all->first_news = one;
    if (heard) all->last_news = one;
    pthread_mutex_unlock(&all->lock);
    if (heard)
        hub_wake(all);
    else
        free_news(all, one);
}

void hub_look(hub *all)
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    all->look = true;
    bool heard = !all->stopping && all->socket_count > 0;
    pthread_mutex_unlock(&all->lock);
    if (heard) hub_wake(all);
}
