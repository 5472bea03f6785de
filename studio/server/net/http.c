/* http.c - the server: one thread of libmicrohttpd reads requests and writes answers; in between they are with a worker,
   and their connection rests (it is suspended), so that a slow request holds nobody up. */
#include "http_inside.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Half of it is for reading, and what our own limits allow must fit, so that our own answers tell of them. */
enum { CARRIER_BYTES = 128 << 10 };

/* ---- requests --------------------------------------------------------------------------------- */

static void free_request(http_request *one)
{
    heap *memory = &one->host->of->memory;
    http_body_drop(one);
    answer_clear(&one->reply);
    heap_resize(memory, one->target, one->target_room, 0);
    heap_resize(memory, one, sizeof *one, 0);
}

static connection *connection_of(struct MHD_Connection *carrier)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(carrier, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The first line of a request is there. What this returns comes back in every later call. */
static void *begin_request(void *user, const char *target, struct MHD_Connection *carrier)
{
    http *host = user;
    heap *memory = &host->of->memory;
    connection *on = connection_of(carrier);
    http_request *one = on ? heap_resize(memory, NULL, 0, sizeof *one) : NULL;
    if (!one) return NULL;
    memset(one, 0, sizeof *one);
    one->host = host;
    one->carrier = carrier;
    one->on = on;
    one->reply.body.memory = one->body.memory = one->file.memory = memory;
    one->target_too_long = target && strlen(target) > LIMIT_TARGET_BYTES;
    if (!target || one->target_too_long) target = "";
    one->target_room = strlen(target) + 1;
    one->target = heap_resize(memory, NULL, 0, one->target_room);
    if (!one->target) {
        heap_resize(memory, one, sizeof *one, 0);
        return NULL;
    }
    memcpy(one->target, target, one->target_room);
    return one;
}

static void end_request(void *user, struct MHD_Connection *carrier, void **of_request,
                        enum MHD_RequestTerminationCode why)
{
    http *host = user;
    http_request *one = *of_request;
    (void)carrier, (void)why;
    if (!one) return;
    connection_rests(&host->clients, one->on, one->header_bytes + one->body_bytes);
    free_request(one);
    *of_request = NULL;
}

/* libmicrohttpd takes an early answer to a POST only; to others it would wait for a body that nobody wants. */
static enum MHD_Result refuse_early(http_request *one, const char *method)
{
    const char *length = http_header(one, MHD_HTTP_HEADER_CONTENT_LENGTH);
    bool has_body =
        (length && strcmp(length, "0") != 0) || http_header(one, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (!has_body || strcmp(method, "POST") == 0) return http_send(one, true);
    http_send_now(one);
    return MHD_NO;
}

static enum MHD_Result judge(http_request *one, const char *method, const char *version)
{
    one->header_bytes = http_header_bytes(one);
    one->is_head = strcmp(method, "HEAD") == 0;
    one->is_old = strcmp(version, MHD_HTTP_VERSION_1_1) != 0;
    if (!http_check(one, method) || !http_body_begin(one)) return refuse_early(one, method);
    one->step = STEP_BODY;
    connection_reads_body(&one->host->clients, one->on, one->announced);
    return MHD_YES;
}

static void work(studio_worker *worker, task *self)
{
    http_request *one = (http_request *)self;
    one->address->run(worker, &one->what, &one->reply);
    http_body_drop(one);
    one->step = STEP_ANSWERED;
    MHD_resume_connection(one->carrier); /* from here on it is the server's thread's */
}

/* The request is whole. */
static enum MHD_Result hand_over(http_request *one)
{
    http *host = one->host;
    connection_works(&host->clients, one->on);
    if (!http_body_end(one)) return http_send(one, true);
    if (one->address->is_page) return http_send_page(one);
    if (!one->address->run) return http_send_upgrade(one);
    pthread_mutex_lock(&host->lock);
    bool refuses = host->refuses;
    if (!refuses) {
        one->step = STEP_WORKING;
        one->work.run = work;
        MHD_suspend_connection(one->carrier);
        pool_add(host->workers, &one->work);
    }
    pthread_mutex_unlock(&host->lock);
    if (!refuses) return MHD_YES;
    answer_refuse(&one->reply, 503, "cancelled", "the studio is closing");
    return http_send(one, true);
}

/* Called when the header is there, for pieces of the body, when all of it is there, and when a worker is done. */
static enum MHD_Result go_on(void *user, struct MHD_Connection *carrier, const char *path,
                             const char *method, const char *version, const char *data,
                             size_t *count, void **of_request)
{
    http_request *one = *of_request;
    (void)user, (void)carrier, (void)path;
    if (!one) return MHD_NO; /* no memory */
    switch (one->step) {
    case STEP_HEADER: return judge(one, method, version);
    case STEP_BODY:
        if (*count == 0) return hand_over(one);
        if (!http_body_add(one, data, *count)) {
            http_send_now(one);
            return MHD_NO;
        }
        *count = 0;
        return MHD_YES;
    case STEP_WORKING: break;
    case STEP_ANSWERED: return http_send(one, false);
    }
    return MHD_NO;
}

/* ---- connections ------------------------------------------------------------------------------ */

static void note_connection(void *user, struct MHD_Connection *carrier, void **kept,
                            enum MHD_ConnectionNotificationCode what)
{
    http *host = user;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        connection_end(&host->clients, *kept);
        *kept = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(carrier, MHD_CONNECTION_INFO_CONNECTION_FD);
    *kept = info ? connection_begin(&host->clients, info->connect_fd) : NULL;
    if (info && !*kept) shutdown(info->connect_fd, SHUT_RDWR);
}

/* Paths stay as they came: what needs decoding is no address of ours. */
static size_t leave_as_it_is(void *user, struct MHD_Connection *carrier, char *text)
{
    (void)user, (void)carrier;
    return strlen(text);
}

/* ---- the server ------------------------------------------------------------------------------- */

/* Only behind our own deadlines. */
static unsigned carrier_seconds(const http_def *def)
{
    int most = def->idle_ms > def->header_ms ? def->idle_ms : def->header_ms;
    most = most > def->body_ms ? most : def->body_ms;
    most = most > def->send_ms ? most : def->send_ms;
    return (unsigned)most / 1000 + 2;
}

static bool start(http *host, const http_def *def)
{
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE | MHD_USE_ITC;
    host->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, go_on, host, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)def->listening,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)LIMIT_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CARRIER_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
        carrier_seconds(def), MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
        begin_request, host, MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, host, MHD_OPTION_NOTIFY_CONNECTION,
        note_connection, host, MHD_OPTION_END);
    return host->daemon != NULL;
}

static http *open_on(const http_def *def)
{
    http *made = heap_resize(&def->of->memory, NULL, 0, sizeof *made);
    if (!made) return NULL;
    memset(made, 0, sizeof *made);
    made->of = def->of;
    made->workers = def->workers;
    made->who = *def->who;
    made->clients = (connections){ .memory = &def->of->memory,
                                   .header_ms = def->header_ms,
                                   .body_ms = def->body_ms,
                                   .send_ms = def->send_ms,
                                   .idle_ms = def->idle_ms,
                                   .places = LIMIT_CONNECTIONS,
                                   .clock_ms = def->clock_ms };
    made->most_unsent = def->unsent_bytes;
    page_fill(made->pages);
    pthread_mutex_init(&made->lock, NULL);
    bool watched = connections_open(&made->clients);
    if (watched && start(made, def)) return made;
    if (watched) connections_close(&made->clients);
    pthread_mutex_destroy(&made->lock);
    heap_resize(&def->of->memory, made, sizeof *made, 0);
    return NULL;
}

/* Some failures of libmicrohttpd close the socket and some do not. Its inode tells whether the number is still its own. */
http *http_open(const http_def *def)
{
    struct stat before, after;
    bool is_open = fstat(def->listening, &before) == 0;
    http *made = open_on(def);
    if (!made && is_open && fstat(def->listening, &after) == 0 && before.st_ino == after.st_ino &&
        before.st_dev == after.st_dev)
        close(def->listening);
    return made;
}

bool http_new_code(http *host, char code[GUARD_TOKEN_ROOM])
{
    guard_code fresh = { .until_ms = host->clients.clock_ms() + LIMIT_CODE_MS };
    if (!guard_draw(fresh.text)) return false;
    memcpy(code, fresh.text, sizeof fresh.text);
    pthread_mutex_lock(&host->lock);
    host->code = fresh;
    pthread_mutex_unlock(&host->lock);
    return true;
}

void http_refuse_all(http *host)
{
    pthread_mutex_lock(&host->lock);
    host->refuses = true;
    pthread_mutex_unlock(&host->lock);
}

void http_close(http *host)
{
    if (!host) return;
    MHD_stop_daemon(host->daemon);
    connections_close(&host->clients);
    pthread_mutex_destroy(&host->lock);
    heap_resize(&host->of->memory, host, sizeof *host, 0);
}
