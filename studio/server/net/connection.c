/* connection.c - deadlines of connections. That a further request has begun is seen by the kernel's
   own count of bytes, since the server hears of a request only when its first line is whole. */
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

/* 0 if the kernel does not count: then the idle time alone holds, which is longer but as
   absolute. */
static uint64_t bytes_taken(int socket)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    return info.tcpi_bytes_received;
}

/* The thread that shuts sockets whose time is over; the server notices and closes them. */
static void *watch(void *user)
{
    connections *clients = user;
    int tick_ms = clients->header_ms / 10;
    tick_ms = tick_ms < SHORTEST_TICK_MS ? SHORTEST_TICK_MS : tick_ms;
    tick_ms = tick_ms > LONGEST_TICK_MS ? LONGEST_TICK_MS : tick_ms;
    pthread_mutex_lock(&clients->lock);
    while (!clients->closing) {
        int64_t now = clients->clock_ms();
        for (connection *client = clients->first; client; client = client->next) {
            if (client->shut || client->phase == CONNECTION_WORK) continue;
            if (client->phase == CONNECTION_IDLE && bytes_taken(client->socket) != client->taken) {
                client->phase = CONNECTION_HEADER;
                client->until_ms = now + clients->header_ms;
            }
            if (now < client->until_ms) continue;
            client->shut = true;
            shutdown(client->socket, SHUT_RDWR);
        }
        if (!clients->first) {
            pthread_cond_wait(&clients->changed, &clients->lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += tick_ms * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        while (!clients->closing &&
               pthread_cond_timedwait(&clients->changed, &clients->lock, &until) == 0) {
        }
    }
    pthread_mutex_unlock(&clients->lock);
    return NULL;
}

bool connections_open(connections *clients)
{
    pthread_condattr_t kind;
    pthread_mutex_init(&clients->lock, NULL);
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&clients->changed, &kind);
    pthread_condattr_destroy(&kind);
    clients->started = pthread_create(&clients->thread, NULL, watch, clients) == 0;
    if (!clients->started) connections_close(clients);
    return clients->started;
}

void connections_close(connections *clients)
{
    pthread_mutex_lock(&clients->lock);
    clients->closing = true;
    pthread_cond_broadcast(&clients->changed);
    pthread_mutex_unlock(&clients->lock);
    if (clients->started) pthread_join(clients->thread, NULL);
    pthread_cond_destroy(&clients->changed);
    pthread_mutex_destroy(&clients->lock);
}

connection *connection_begin(connections *clients, int socket)
{
    connection *client = heap_resize(clients->memory, NULL, 0, sizeof *client);
    if (!client) return NULL;
    *client = (connection){ .socket = socket };
    pthread_mutex_lock(&clients->lock);
    client->next = clients->first;
    if (clients->first) clients->first->previous = client;
    clients->first = client;
    clients->count++;
    int time_ms = clients->header_ms;
    if (clients->count >= clients->places) { /* this is the last place */
        connection *oldest = NULL;
        for (connection *other = client->next; other; other = other->next)
            if (!other->let_in && !other->shut) oldest = other;
        if (oldest) {
            oldest->shut = true;
            shutdown(oldest->socket, SHUT_RDWR);
        } else if (time_ms > LIMIT_CROWDED_MS) { /* all others have shown the token */
            time_ms = LIMIT_CROWDED_MS;
        }
    }
    client->until_ms = clients->clock_ms() + time_ms;
    pthread_cond_signal(&clients->changed);
    pthread_mutex_unlock(&clients->lock);
    return client;
}

void connection_end(connections *clients, connection *client)
{
    if (!client) return;
    pthread_mutex_lock(&clients->lock);
    if (client->previous)
        client->previous->next = client->next;
    else
        clients->first = client->next;
    if (client->next) client->next->previous = client->previous;
    clients->count--;
    pthread_mutex_unlock(&clients->lock);
    heap_resize(clients->memory, client, sizeof *client, 0);
}

void connection_let_in(connections *clients, connection *client)
{
    pthread_mutex_lock(&clients->lock);
    client->let_in = true;
    pthread_mutex_unlock(&clients->lock);
}

static void set_phase(connections *clients, connection *client, connection_phase phase, int64_t ms)
{
    pthread_mutex_lock(&clients->lock);
    client->phase = phase;
    client->until_ms = clients->clock_ms() + ms;
    pthread_mutex_unlock(&clients->lock);
}

void connection_reads_body(connections *clients, connection *client, uint64_t announced_bytes)
{
    uint64_t mib = announced_bytes / MIB;
    if (mib > LIMIT_UPLOAD_BYTES / MIB) mib = LIMIT_UPLOAD_BYTES / MIB;
    set_phase(clients, client, CONNECTION_BODY,
              clients->body_ms + (int64_t)mib * LIMIT_BODY_MS_PER_MIB);
}

void connection_works(connections *clients, connection *client)
{
    set_phase(clients, client, CONNECTION_WORK, 0);
}

void connection_sends(connections *clients, connection *client, uint64_t answer_bytes)
{
    int64_t mib = (int64_t)(answer_bytes / MIB);
    set_phase(clients, client, CONNECTION_SEND, clients->send_ms + mib * LIMIT_SEND_MS_PER_MIB);
}

/* Pieces of a chunked body have lengths between them that are not counted: such a connection is
   taken for one that has begun its next request, and gets that one's time. */
void connection_rests(connections *clients, connection *client, uint64_t request_bytes)
{
    pthread_mutex_lock(&clients->lock);
    client->taken = bytes_taken(client->socket);
    client->asked += request_bytes;
    bool has_begun = client->taken > client->asked;
    pthread_mutex_unlock(&clients->lock);
    set_phase(clients, client, has_begun ? CONNECTION_HEADER : CONNECTION_IDLE,
              has_begun ? clients->header_ms : clients->idle_ms);
}
