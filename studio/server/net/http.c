/* http.c - the server: one thread of libmicrohttpd reads requests and writes answers; in between
   they are with a worker, and their connection rests (it is suspended), so that a slow request
   holds no other one up. */
#include "http_exchange.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Half of it is for reading, and what our own limits allow must fit, so that our own answers tell
   of them. */
enum { CARRIER_BYTES = 128 << 10 };

/* ---- exchanges ------------------------------------------------------------------------------- */

/* The first line of a request is there. What this returns comes back in every later call. */
static void *begin_exchange(void *user, const char *target, struct MHD_Connection *carrier)
{
    http *server = user;
    heap *memory = &server->common->memory;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(carrier, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    connection *client = info ? info->socket_context : NULL;
    http_exchange *exchange = client ? heap_resize(memory, NULL, 0, sizeof *exchange) : NULL;
    if (!exchange) return NULL;
    memset(exchange, 0, sizeof *exchange);
    exchange->server = server;
    exchange->carrier = carrier;
    exchange->client = client;
    exchange->response.body.memory = exchange->body.memory = exchange->file.memory = memory;
    exchange->target_too_long = strlen(target) > LIMIT_TARGET_BYTES;
    if (exchange->target_too_long) target = "";
    exchange->target_room = strlen(target) + 1;
    exchange->target = heap_resize(memory, NULL, 0, exchange->target_room);
    if (!exchange->target) {
        heap_resize(memory, exchange, sizeof *exchange, 0);
        return NULL;
    }
    memcpy(exchange->target, target, exchange->target_room);
    return exchange;
}

static void end_exchange(void *user, struct MHD_Connection *carrier, void **kept,
                         enum MHD_RequestTerminationCode reason)
{
    http *server = user;
    heap *memory = &server->common->memory;
    http_exchange *exchange = *kept;
    (void)carrier, (void)reason;
    if (!exchange) return;
    connection_rests(&server->clients, exchange->client,
                     exchange->header_bytes + exchange->body_bytes);
    http_drop_body(exchange);
    answer_clear(&exchange->response);
    heap_resize(memory, exchange->target, exchange->target_room, 0);
    heap_resize(memory, exchange, sizeof *exchange, 0);
    *kept = NULL;
}

static void work(studio_worker *worker, task *self)
{
    http_exchange *exchange = (http_exchange *)self;
    studio_response *response = &exchange->response;
    worker_begin(worker);
    exchange->route->run(worker, &exchange->request, response);
    marey_error late = { .status = response->cancelled ? MAREY_ERR_CANCELLED : MAREY_OK };
    worker_end(worker, &late);
    if (late.status == MAREY_ERR_LIMIT) answer_fail(response, &late);
    http_drop_body(exchange);
    exchange->step = STEP_ANSWERED;
    MHD_resume_connection(exchange->carrier); /* from here on it is the server's thread's */
}

/* Called when the header is there, for pieces of the body, when all of it is there, and when a
   worker is done. */
static enum MHD_Result go_on(void *user, struct MHD_Connection *carrier, const char *path,
                             const char *method, const char *version, const char *data,
                             size_t *count, void **kept)
{
    http *server = user;
    http_exchange *exchange = *kept;
    (void)path;
    if (!exchange || exchange->step == STEP_WORKING) return MHD_NO; /* no memory */
    if (exchange->step == STEP_ANSWERED) return http_send(exchange, false);

    if (exchange->step == STEP_HEADER) {
        exchange->is_old = strcmp(version, MHD_HTTP_VERSION_1_1) != 0;
        if (http_receive_header(exchange, method)) {
            exchange->step = STEP_BODY;
            connection_reads_body(&server->clients, exchange->client, exchange->announced);
            return MHD_YES;
        }
        /* libmicrohttpd takes an early answer to a POST only; to others it would wait for a body
           that is not wanted. */
        const char *length = http_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
        bool has_body = (length && strcmp(length, "0") != 0) ||
                        http_header(exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING);
        if (!has_body || strcmp(method, "POST") == 0) return http_send(exchange, true);
        http_send_now(exchange);
        return MHD_NO;
    }

    if (*count > 0) { /* a piece of the body */
        if (http_receive_body(exchange, data, *count)) {
            *count = 0;
            return MHD_YES;
        }
        http_send_now(exchange);
        return MHD_NO;
    }

    /* The request is whole. */
    connection_works(&server->clients, exchange->client);
    if (!http_receive_end(exchange)) return http_send(exchange, true);
    if (exchange->route->is_page) return http_send_page(exchange);
    if (!exchange->route->run) return http_send_upgrade(exchange);
    pthread_mutex_lock(&server->lock);
    bool refuses = server->refuses;
    if (!refuses) {
        exchange->step = STEP_WORKING;
        exchange->task.run = work;
        MHD_suspend_connection(carrier);
        pool_add(server->workers, &exchange->task);
    }
    pthread_mutex_unlock(&server->lock);
    if (!refuses) return MHD_YES;
    answer_refuse(&exchange->response, 503, "cancelled", "the studio is closing");
    return http_send(exchange, true);
}

/* ---- the server ------------------------------------------------------------------------------ */

static void note_connection(void *user, struct MHD_Connection *carrier, void **kept,
                            enum MHD_ConnectionNotificationCode event)
{
    http *server = user;
    if (event == MHD_CONNECTION_NOTIFY_CLOSED) {
        connection_end(&server->clients, *kept);
        *kept = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(carrier, MHD_CONNECTION_INFO_CONNECTION_FD);
    *kept = info ? connection_begin(&server->clients, info->connect_fd) : NULL;
    if (info && !*kept) shutdown(info->connect_fd, SHUT_RDWR);
}

/* Paths stay as they came: what needs decoding is no address of ours. */
static size_t leave_as_it_is(void *user, struct MHD_Connection *carrier, char *text)
{
    (void)user, (void)carrier;
    return strlen(text);
}

http *http_open(const http_def *def)
{
    heap *memory = &def->common->memory;
    struct stat before, after;
    bool is_open = fstat(def->listening, &before) == 0;
    http *server = heap_resize(memory, NULL, 0, sizeof *server);
    if (server) {
        memset(server, 0, sizeof *server);
        server->common = def->common;
        server->workers = def->workers;
        server->guard = *def->guard;
        server->clients = (connections){ .memory = memory,
                                         .header_ms = def->header_ms,
                                         .body_ms = def->body_ms,
                                         .send_ms = def->send_ms,
                                         .idle_ms = def->idle_ms,
                                         .places = LIMIT_CONNECTIONS,
                                         .clock_ms = def->clock_ms };
        server->most_unsent = def->unsent_bytes;
        page_fill(server->pages);
        pthread_mutex_init(&server->lock, NULL);
        /* The library's own time limit ends a connection only behind our own deadlines. */
        int most_ms = def->idle_ms > def->header_ms ? def->idle_ms : def->header_ms;
        most_ms = most_ms > def->body_ms ? most_ms : def->body_ms;
        most_ms = most_ms > def->send_ms ? most_ms : def->send_ms;
        bool watched = connections_open(&server->clients);
        if (watched)
            server->daemon = MHD_start_daemon(
                MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE |
                    MHD_USE_ITC,
                0, NULL, NULL, go_on, server, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)def->listening,
                MHD_OPTION_CONNECTION_LIMIT, (unsigned)LIMIT_CONNECTIONS,
                MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CARRIER_BYTES,
                MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)most_ms / 1000 + 2,
                MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, begin_exchange,
                server, MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL,
                MHD_OPTION_NOTIFY_COMPLETED, end_exchange, server, MHD_OPTION_NOTIFY_CONNECTION,
                note_connection, server, MHD_OPTION_END);
        if (server->daemon) return server;
        if (watched) connections_close(&server->clients);
        pthread_mutex_destroy(&server->lock);
        heap_resize(memory, server, sizeof *server, 0);
    }
    /* Some failures of libmicrohttpd close the socket and some do not. Its inode tells whether the
       number is still its own. */
    if (is_open && fstat(def->listening, &after) == 0 && before.st_ino == after.st_ino &&
        before.st_dev == after.st_dev)
        close(def->listening);
    return NULL;
}

bool http_new_code(http *server, char code[GUARD_TOKEN_ROOM])
{
    guard_code fresh = { .until_ms = server->clients.clock_ms() + LIMIT_CODE_MS };
    if (!guard_draw(fresh.text)) return false;
    memcpy(code, fresh.text, sizeof fresh.text);
    pthread_mutex_lock(&server->lock);
    server->code = fresh;
    pthread_mutex_unlock(&server->lock);
    return true;
}

void http_refuse_all(http *server)
{
    pthread_mutex_lock(&server->lock);
    server->refuses = true;
    pthread_mutex_unlock(&server->lock);
}

void http_close(http *server)
{
    if (!server) return;
    MHD_stop_daemon(server->daemon);
    connections_close(&server->clients);
    pthread_mutex_destroy(&server->lock);
    heap_resize(&server->common->memory, server, sizeof *server, 0);
}
