/* connection.c - deadlines of connections. That a further request has begun is seen by the kernel's own count of bytes,
   since the server is told of a request only when its first line is whole. */
#include "connection.h"

#include "studio_limits.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { SHORTEST_TICK_MS = 10, LONGEST_TICK_MS = 250, MIB = 1 << 20 };

int64_t connections_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 0 if the kernel does not count: then the idle time alone holds, which is longer but as absolute. */
static uint64_t bytes_taken(int socket)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    return info.tcpi_bytes_received;
}

static void look_at(connections *all, connection *one, int64_t now)
{
    if (one->shut || one->phase == CONNECTION_WORK) return;
    if (one->phase == CONNECTION_IDLE && bytes_taken(one->socket) != one->taken) {
        one->phase = CONNECTION_HEADER;
        one->until_ms = now + all->header_ms;
    }
    if (now < one->until_ms) return;
    one->shut = true;
    shutdown(one->socket, SHUT_RDWR); /* the server notices and closes it */
}

static void wait_a_tick(connections *all)
{
    struct timespec until;
    int tick = all->header_ms / 10;
    if (!all->first) {
        pthread_cond_wait(&all->changed, &all->lock);
        return;
    }
    tick = tick < SHORTEST_TICK_MS ? SHORTEST_TICK_MS : tick;
    tick = tick > LONGEST_TICK_MS ? LONGEST_TICK_MS : tick;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += tick * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!all->closing && pthread_cond_timedwait(&all->changed, &all->lock, &until) == 0) {
    }
}

static void *watch(void *user)
{
    connections *all = user;
    pthread_mutex_lock(&all->lock);
    while (!all->closing) {
        int64_t now = all->clock_ms();
        for (connection *one = all->first; one; one = one->next) look_at(all, one, now);
        wait_a_tick(all);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

bool connections_open(connections *all)
{
    pthread_condattr_t kind;
    pthread_mutex_init(&all->lock, NULL);
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&all->changed, &kind);
    pthread_condattr_destroy(&kind);
    all->started = pthread_create(&all->thread, NULL, watch, all) == 0;
    if (!all->started) connections_close(all);
    return all->started;
}

void connections_close(connections *all)
{
    pthread_mutex_lock(&all->lock);
    all->closing = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    if (all->started) pthread_join(all->thread, NULL);
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
}

/* The last place was taken: shuts the oldest one that has not shown the token. False: all others have. */
static bool make_room(connection *youngest)
{
    connection *oldest = NULL;
    for (connection *one = youngest->next; one; one = one->next)
        if (!one->let_in && !one->shut) oldest = one;
    if (!oldest) return false;
    oldest->shut = true;
    shutdown(oldest->socket, SHUT_RDWR);
    return true;
}

connection *connection_begin(connections *all, int socket)
{
    connection *one = heap_resize(all->memory, NULL, 0, sizeof *one);
    if (!one) return NULL;
    *one = (connection){ .socket = socket };
    pthread_mutex_lock(&all->lock);
    one->next = all->first;
    if (all->first) all->first->previous = one;
    all->first = one;
    all->count++;
    bool is_crowded = all->count >= all->places && !make_room(one);
    one->until_ms =
        all->clock_ms() +
        (is_crowded && all->header_ms > LIMIT_CROWDED_MS ? LIMIT_CROWDED_MS : all->header_ms);
    pthread_cond_signal(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return one;
}

void connection_end(connections *all, connection *one)
{
    if (!one) return;
    pthread_mutex_lock(&all->lock);
    if (one->previous)
        one->previous->next = one->next;
    else
        all->first = one->next;
    if (one->next) one->next->previous = one->previous;
    all->count--;
    pthread_mutex_unlock(&all->lock);
    heap_resize(all->memory, one, sizeof *one, 0);
}

void connection_let_in(connections *all, connection *one)
{
    pthread_mutex_lock(&all->lock);
    one->let_in = true;
    pthread_mutex_unlock(&all->lock);
}

static void set_phase(connections *all, connection *one, connection_phase phase, int64_t ms)
{
    pthread_mutex_lock(&all->lock);
    one->phase = phase;
    one->until_ms = all->clock_ms() + ms;
    pthread_mutex_unlock(&all->lock);
}

void connection_reads_body(connections *all, connection *one, uint64_t announced_bytes)
{
    uint64_t mib = announced_bytes / MIB;
    if (mib > LIMIT_UPLOAD_BYTES / MIB) mib = LIMIT_UPLOAD_BYTES / MIB;
    set_phase(all, one, CONNECTION_BODY, all->body_ms + (int64_t)mib * LIMIT_BODY_MS_PER_MIB);
}

void connection_works(connections *all, connection *one)
{
    set_phase(all, one, CONNECTION_WORK, 0);
}

void connection_sends(connections *all, connection *one, uint64_t answer_bytes)
{
    int64_t mib = (int64_t)(answer_bytes / MIB);
    set_phase(all, one, CONNECTION_SEND, all->send_ms + mib * LIMIT_SEND_MS_PER_MIB);
}

/* Pieces of a chunked body have lengths between them that nobody counts: such a connection is taken for one that has
   begun its next request, and gets that one's time. */
void connection_rests(connections *all, connection *one, uint64_t request_bytes)
{
    pthread_mutex_lock(&all->lock);
    one->taken = bytes_taken(one->socket);
    one->asked += request_bytes;
    bool has_begun = one->taken > one->asked;
    pthread_mutex_unlock(&all->lock);
    set_phase(all, one, has_begun ? CONNECTION_HEADER : CONNECTION_IDLE,
              has_begun ? all->header_ms : all->idle_ms);
}
