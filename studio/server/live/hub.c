/* hub.c - the thread of all WebSockets. Other threads leave what they have to say in lists under
   one lock and wake it; sockets and streams are the thread's alone. */
#include "live_stage.h"

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

static void free_news(hub *h, news *first)
{
    while (first) {
        news *next = first->next;
        heap_resize(&h->of->memory, first, sizeof *first + first->count, 0);
        first = next;
    }
}

/* ---- the library's version ------------------------------------------------------------------- */

static void look_at_library(hub *h, int64_t now_ms)
{
    int64_t version = 0;
    h->looked_ms = now_ms;
    if (marey_library_version(h->library, &version, NULL) || version == h->version) return;
    h->version = version;
    char text[80];
    int count =
        snprintf(text, sizeof text, "{\"type\":\"library\",\"version\":%lld}", (long long)version);
    for (int i = 0; i < h->count; i++)
        socket_send(h->sockets[i], WSLAY_TEXT_FRAME, text, (size_t)count);
}

/* ---- what other threads left ----------------------------------------------------------------- */

/* False: it is time to stop. */
static bool take_news(hub *h)
{
    live_socket *arrived[LIMIT_SOCKETS];
    pthread_mutex_lock(&h->lock);
    bool stopping = h->stopping, look = h->look;
    int count = h->arrived_count;
    memcpy(arrived, h->arrived, (size_t)count * sizeof arrived[0]);
    news *first = h->first_news;
    hub_return *back = h->returned;
    h->returned = NULL;
    h->arrived_count = 0;
    h->first_news = h->last_news = NULL;
    h->look = false;
    pthread_mutex_unlock(&h->lock);
    for (const news *item = first; item; item = item->next)
        for (int k = 0; k < h->count; k++)
            socket_send(h->sockets[k], WSLAY_TEXT_FRAME, item->text, item->count);
    free_news(h, first);
    if (h->count == 0 && count > 0) /* what changed before the first client came is no news */
        marey_library_version(h->library, &h->version, NULL);
    for (int i = 0; i < count; i++) {
        live_socket *client = arrived[i];
        client->number = ++h->last_number;
        h->sockets[h->count++] = client;
        socket_send_json(client,
                         json_pack("{s:s, s:s}", "type", "hello", "version", marey_version()));
        socket_turn(client, true);
    }
    hub_take_back(back);
    if (look && h->count > 0) look_at_library(h, hub_now_ns() / ns_per_ms);
    return !stopping;
}

/* ---- what clients say ------------------------------------------------------------------------ */

static void cancel_job(live_socket *client, const json_t *message)
{
    hub *h = client->all;
    int64_t number = 0;
    pthread_mutex_lock(&h->lock);
    bool (*cancel)(struct jobs * jobs, int64_t number) = h->jobs_cancel;
    pthread_mutex_unlock(&h->lock);
    if (!cancel || !message_whole(message, "job", 1, 1e15, NAN, &number) ||
        !cancel(h->of->jobs, number))
        socket_send_error(client, "there is no such job");
}

void hub_take_message(live_socket *client, const uint8_t *text, size_t count)
{
    json_t *message = json_loadb((const char *)text, count, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));
    if (!type)
        socket_send_error(client, "a message is a JSON object with a type");
    else if (strcmp(type, "cancel") == 0)
        cancel_job(client, message);
    else if (!stream_message(client, type, message) && !play_message(client, type, message) &&
             !react_message(client, type, message))
        socket_send_error(client,
                          "no message is of this type; cancel, play, stop, steer, wish, ask, "
                          "halt, react, main and dismiss are");
    json_decref(message);
}

/* ---- what is open for them ------------------------------------------------------------------- */

static void saved_ready(hub *h, const live_saved *saved, const char *needs,
                        const marey_error *error)
{
    for (int i = 0; i < h->count; i++) {
        play_ready(h->sockets[i], saved, needs, error);
        react_ready(h->sockets[i], saved, needs, error);
    }
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void end_socket(live_socket *client)
{
    stream_end_all(client);
    play_end_all(client);
    react_end_all(client);
    socket_free(client);
}

static void drop_ended(hub *h)
{
    int kept = 0, ended = 0;
    for (int i = 0; i < h->count; i++) {
        live_socket *client = h->sockets[i];
        if (socket_is_over(client)) {
            end_socket(client);
            ended++;
        } else {
            h->sockets[kept++] = client;
        }
    }
    h->count = kept;
    if (ended == 0) return;
    pthread_mutex_lock(&h->lock);
    h->socket_count -= ended;
    pthread_mutex_unlock(&h->lock);
}

/* Waits until something can be read or written, another thread woke us, or a pose is due; then
   reads and writes. */
static void serve(hub *h, int64_t due_ns)
{
    struct pollfd polled[LIMIT_SOCKETS + 1];
    polled[0] = (struct pollfd){ .fd = h->wakes, .events = POLLIN };
    for (int i = 0; i < h->count; i++) {
        const live_socket *client = h->sockets[i];
        short events = wslay_event_want_read(client->talk) ? POLLIN : 0;
        if (wslay_event_want_write(client->talk)) events |= POLLOUT;
        polled[i + 1] = (struct pollfd){ .fd = client->socket, .events = events };
    }
    int64_t wait = due_ns - hub_now_ns();
    if (wait < 0) wait = 0;
    struct timespec until = { .tv_sec = wait / ns_per_s, .tv_nsec = wait % ns_per_s };
    if (ppoll(polled, (nfds_t)h->count + 1, h->count ? &until : NULL, NULL) < 0)
        for (int i = 0; i <= h->count; i++) polled[i].revents = 0;
    uint64_t times;
    if (polled[0].revents && read(h->wakes, &times, sizeof times) < 0 && errno != EAGAIN) return;
    for (int i = 0; i < h->count; i++) {
        live_socket *client = h->sockets[i];
        short events = polled[i + 1].revents;
        if (!(events & POLLIN) && events & (POLLERR | POLLHUP | POLLNVAL)) client->broken = true;
        if (!client->broken) socket_turn(client, events & POLLIN);
        if (!client->broken) socket_write(client);
    }
}

/* What the clock asks for; returns when it asks again. */
static int64_t keep_time(hub *h)
{
    int64_t now = hub_now_ns(), next = now + LOOK_MS * ns_per_ms;
    for (int i = 0; i < h->count; i++) {
        live_socket *client = h->sockets[i];
        socket_beat(client, now / ns_per_ms);
        int64_t due = stream_send_due(client, now), play_due = play_send_due(client, now);
        if (due < next) next = due;
        if (play_due < next) next = play_due;
        if (socket_waits(client)) next = now;
        if (!client->broken) socket_write(client);
    }
    if (h->count > 0 && now / ns_per_ms - h->looked_ms >= LOOK_MS) {
        look_at_library(h, now / ns_per_ms);
        pthread_mutex_lock(&h->lock);
        void (*look)(struct jobs * jobs) = h->jobs_look;
        pthread_mutex_unlock(&h->lock);
        if (look) look(h->of->jobs);
    }
    return next;
}

static void *run(void *user)
{
    hub *h = user;
    while (take_news(h)) {
        int64_t due = keep_time(h);
        drop_ended(h);
        /* Without a client nothing wakes us to look again, so what is idle goes at once. */
        stages_look(h, h->count > 0 ? hub_now_ns() / ns_per_ms : INT64_MAX);
        serve(h, due);
    }
    for (int i = 0; i < h->count; i++) {
        live_socket *client = h->sockets[i];
        wslay_event_queue_close(client->talk, GOING_AWAY, NULL, 0);
        if (!client->broken) socket_write(client);
        end_socket(client);
    }
    h->count = 0;
    stages_stop(h);
    return NULL;
}

/* ---- from other threads ---------------------------------------------------------------------- */

marey_status hub_open(shared *common, hub **out, marey_error *error)
{
    hub *made = heap_resize(&common->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    memset(made, 0, sizeof *made);
    made->of = common;
    made->joined = true;
    made->take_message = hub_take_message;
    made->saved_ready = saved_ready;
    pthread_mutex_init(&made->lock, NULL);
    made->wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    marey_status status = MAREY_OK;
    if (made->wakes < 0) {
        status = app_fail(error, MAREY_ERR_IO, NULL, "no file handle is left");
    } else if (!hub_open_context(made, &made->ctx)) {
        status = app_fail_memory(error);
    } else {
        status = marey_library_open(made->ctx, common->library_path, MAREY_LIBRARY_READ,
                                    &made->library, error);
    }
    if (!status) {
        made->joined = pthread_create(&made->thread, NULL, run, made) != 0;
        if (made->joined) status = app_fail(error, MAREY_ERR_MEMORY, NULL, "cannot start a thread");
    }
    if (status)
        hub_close(made);
    else
        *out = made;
    return status;
}

void hub_use(hub *h, pool *workers)
{
    pthread_mutex_lock(&h->lock);
    h->workers = workers;
    pthread_mutex_unlock(&h->lock);
}

void hub_follow(hub *h, void (*look)(struct jobs *jobs),
                bool (*cancel)(struct jobs *jobs, int64_t number))
{
    if (!h) return;
    pthread_mutex_lock(&h->lock);
    h->jobs_look = look;
    h->jobs_cancel = cancel;
    pthread_mutex_unlock(&h->lock);
}

void hub_stop(hub *h)
{
    if (!h || h->joined) return;
    pthread_mutex_lock(&h->lock);
    h->stopping = true;
    pthread_mutex_unlock(&h->lock);
    hub_wake(h);
    pthread_join(h->thread, NULL);
    h->joined = true;
    marey_library_close(h->library);
    h->library = NULL;
}

void hub_close(hub *h)
{
    if (!h) return;
    hub_stop(h);
    marey_library_close(h->library);
    marey_ctx_close(h->ctx);
    free_news(h, h->first_news);
    hub_take_back(h->returned);
    stages_free(h);
    if (h->wakes >= 0) close(h->wakes);
    pthread_mutex_destroy(&h->lock);
    heap_resize(&h->of->memory, h, sizeof *h, 0);
}

bool hub_is_full(hub *h)
{
    pthread_mutex_lock(&h->lock);
    bool full = h->stopping || h->socket_count >= LIMIT_SOCKETS;
    pthread_mutex_unlock(&h->lock);
    return full;
}

bool hub_add(hub *h, int socket, const void *early, size_t early_count, void (*closed)(void *user),
             void *user)
{
    live_socket *client = heap_resize(&h->of->memory, NULL, 0, sizeof *client);
    int yes = 1;
    if (!client) return false;
    memset(client, 0, sizeof *client);
    client->all = h;
    client->socket = socket;
    client->closed = closed;
    client->user = user;
    client->early.memory = client->waiting.memory = &h->of->memory;
    bytes_add(&client->early, early, early_count);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* a pose must not wait */
    if (!client->early.failed && socket_begin(client)) {
        pthread_mutex_lock(&h->lock);
        bool room = !h->stopping && h->socket_count < LIMIT_SOCKETS;
        if (room) {
            h->arrived[h->arrived_count++] = client;
            h->socket_count++;
        }
        pthread_mutex_unlock(&h->lock);
        if (room) {
            hub_wake(h);
            return true;
        }
        wslay_event_context_free(client->talk);
    }
    bytes_free(&client->early);
    heap_resize(&h->of->memory, client, sizeof *client, 0);
    return false;
}

void hub_broadcast(hub *h, const char *text, size_t count)
{
    if (!h) return;
    news *one = heap_resize(&h->of->memory, NULL, 0, sizeof *one + count);
    if (!one) return; /* the page asks again when it misses something */
    one->next = NULL;
    one->count = count;
    memcpy(one->text, text, count);
    pthread_mutex_lock(&h->lock);
    bool heard = !h->stopping && h->socket_count > 0;
    if (heard && h->last_news)
        h->last_news->next = one;
    else if (heard)
        h->first_news = one;
    if (heard) h->last_news = one;
    pthread_mutex_unlock(&h->lock);
    if (heard)
        hub_wake(h);
    else
        free_news(h, one);
}

void hub_look(hub *h)
{
    if (!h) return;
    pthread_mutex_lock(&h->lock);
    h->look = true;
    bool heard = !h->stopping && h->socket_count > 0;
    pthread_mutex_unlock(&h->lock);
    if (heard) hub_wake(h);
}
