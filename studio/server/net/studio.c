/* studio.c - puts the parts of a studio together and takes them apart in the one order in which no
   thread is left waiting. */
#include "studio.h"

#include "clip_lists.h"
#include "connection.h"
#include "guard.h"
#include "http.h"
#include "http_library.h"
#include "hub.h"
#include "jobs.h"
#include "searching.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_WORKERS = 3, MOST_WORKERS = 16, MOST_HOSTS = 16, BACKLOG = 1024 };

static const size_t default_byte_limit = (size_t)2 << 30;

struct studio {
    shared common;
    char *library_path;
    pool *workers;
    http *server;
    guard guard;
    int port;
    char address[96];
    pthread_t stopper; /* that studio_close_within waits for */
    bool stopping;     /* by that thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopped; /* with the lock held */
};

/* ---- opening --------------------------------------------------------------------------------- */

/* The address is the loopback's and nothing else: the machine's other interfaces have no such
   port. */
static marey_status listen_on(studio *host, int port, int *out, marey_error *error)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    socklen_t size = sizeof at;
    int yes = 1;
    if (port < 0 || port > 65535)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "a port is a number up to 65535");
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made >= 0) /* a port left a minute ago is free */
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (made < 0 || bind(made, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(made, BACKLOG) != 0 || getsockname(made, (struct sockaddr *)&at, &size) != 0) {
        int reason = errno;
        bool taken = reason == EADDRINUSE || reason == EACCES;
        if (made >= 0) close(made);
        return app_fail(error, taken ? MAREY_ERR_REQUEST : MAREY_ERR_IO, NULL,
                        "cannot listen on port %d: %s", port,
                        reason == EADDRINUSE ? "another program does; choose another, or none"
                                             : strerror(reason));
    }
    host->port = ntohs(at.sin_port);
    *out = made;
    return MAREY_OK;
}

/* Who may ask: the machine itself under its names, and the hosts that are allowed beside them. */
static marey_status fill_guard(studio *host, const studio_def *def, marey_error *error)
{
    static const char *const own[] = { "127.0.0.1", "localhost", "[::1]" };
    guard *rules = &host->guard;
    char text[32];
    rules->has_neighbours = def->neighbours != NULL;
    if (!guard_draw(rules->token))
        return app_fail(error, MAREY_ERR_IO, NULL, "no random numbers are to be had");
    snprintf(rules->cookie_name, sizeof rules->cookie_name, "marey-%d", host->port);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        snprintf(text, sizeof text, "%s:%d", own[i], host->port);
        guard_allow(rules, text);
    }
    if (def->allowed_host_count > MOST_HOSTS)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "at most 16 hosts can be allowed");
    for (int i = 0; i < def->allowed_host_count; i++)
        if (!guard_allow(rules, def->allowed_hosts[i]))
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%.200s is no host with a port, such as localhost:9000",
                            def->allowed_hosts[i]);
    snprintf(host->address, sizeof host->address, "http://127.0.0.1:%d/?token=%s", host->port,
             rules->token);
    return MAREY_OK;
}

/* Opened once with the system's files to see what can be done with it: written, made, or only
   read. */
static marey_status try_library(shared *common, marey_error *error)
{
    marey_ctx_def def = { .resize = heap_resize, .resize_user = &common->memory, .threads = 1 };
    const char *path = common->library_path;
    marey_ctx *ctx = NULL;
    marey_library *library = NULL;
    if (marey_ctx_open(&def, &ctx)) return app_fail_memory(error);
    marey_error first = { 0 };
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &first);
    common->can_write = status == MAREY_OK;
    if (status) status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, NULL);
    if (status && error) *error = first;
    if (status) status = first.status;
    marey_library_close(library);
    marey_ctx_close(ctx);
    return status;
}

static int or_default(int value, int otherwise)
{
    return value > 0 ? value : otherwise;
}

/* The port comes first: a library that is not there is made by opening it, and should not be if
   there is no studio for it. */
static marey_status start(studio *host, const studio_def *def, marey_error *error)
{
    shared *common = &host->common;
    int workers = or_default(def->workers, DEFAULT_WORKERS), listening = -1;
    marey_status status = http_library_open(error);
    if (!status) status = listen_on(host, def->port, &listening, error);
    if (!status) status = fill_guard(host, def, error);
    if (!status) status = try_library(common, error);
    if (!status) status = hub_open(common, &common->hub, error);
    if (!status) status = jobs_open(common, def->threads, &common->jobs, error);
    if (!status) status = searching_open(common, &common->searching, error);
    if (!status) status = clip_lists_open(common, &common->lists, error);
    if (!status)
        status = pool_open(common, workers > MOST_WORKERS ? MOST_WORKERS : workers, &host->workers,
                           error);
    if (status) {
        if (listening >= 0) close(listening);
        return status;
    }
    hub_use(common->hub, host->workers);
    http_def server = { .common = common,
                        .workers = host->workers,
                        .guard = &host->guard,
                        .listening = listening,
                        .header_ms = or_default(def->header_ms, LIMIT_HEADER_MS),
                        .body_ms = or_default(def->body_ms, LIMIT_BODY_MS),
                        .send_ms = or_default(def->send_ms, LIMIT_SEND_MS),
                        .unsent_bytes = def->unsent_bytes ? def->unsent_bytes : LIMIT_UNSENT_BYTES,
                        .idle_ms = or_default(def->idle_ms, LIMIT_IDLE_MS),
                        .clock_ms = def->clock_ms ? def->clock_ms : connections_clock };
    host->server = http_open(&server);
    return host->server ? MAREY_OK
                        : app_fail(error, MAREY_ERR_IO, NULL, "the server failed to start");
}

marey_status studio_open(const studio_def *def, studio **out, marey_error *error)
{
    /* The memory that the studio itself lies in is counted before there is a studio to count it. */
    heap memory = { .limit = def->byte_limit ? def->byte_limit : default_byte_limit };
    size_t path_room = strlen(def->library_path) + 1;
    studio *made = heap_resize(&memory, NULL, 0, sizeof *made);
    char *path = made ? heap_resize(&memory, NULL, 0, path_room) : NULL;
    if (!path) {
        heap_resize(&memory, made, sizeof *made, 0);
        return app_fail_memory(error);
    }
    memset(made, 0, sizeof *made);
    memcpy(path, def->library_path, path_room);
    atomic_store(&made->common.memory.used, atomic_load(&memory.used));
    made->common.memory.limit = memory.limit;
    made->common.allocator =
        (marey_ctx_def){ .resize = heap_resize, .resize_user = &made->common.memory };
    made->common.library_path = made->library_path = path;
    made->common.neighbours = def->neighbours;
    made->common.clock_ms = def->clock_ms;
    made->common.before_job = def->before_job;
    made->common.most_seconds = def->most_seconds;
    made->common.clock_ns = def->clock_ns;
    pthread_condattr_t kind;
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, &kind);
    pthread_condattr_destroy(&kind);

    /* Threads take over the mask of the one that starts them: signals are the program's own
       thread's, and a pipe or socket that broke is an error where it is written to. */
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaddset(&blocked, signals[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    marey_status status = start(made, def, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status)
        studio_close(made);
    else
        *out = made;
    return status;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* No new work, then no WebSockets (they give work), then the workers, whose last answers the server
   still takes; then the server. The jobs tell the hub until they are over, and ask the searcher.
   Those who only read close the library first: the last one to close it must be able to put away
   what lies beside the file. */
static void stop(studio *host)
{
    if (host->server) http_refuse_all(host->server);
    hub_stop(host->common.hub);
    searching_stop(host->common.searching);
    pool_close(host->workers);
    http_close(host->server);
    jobs_close(host->common.jobs);
    searching_close(host->common.searching);
    clip_lists_close(host->common.lists);
    hub_close(host->common.hub);
}

void studio_close(studio *host)
{
    if (!host) return;
    if (host->stopping)
        pthread_join(host->stopper, NULL);
    else
        stop(host);
    pthread_cond_destroy(&host->changed);
    pthread_mutex_destroy(&host->lock);
    heap memory = { .limit = host->common.memory.limit };
    atomic_store(&memory.used, atomic_load(&host->common.memory.used));
    heap_resize(&memory, host->library_path, strlen(host->library_path) + 1, 0);
    heap_resize(&memory, host, sizeof *host, 0);
}

static void *stop_and_signal(void *user)
{
    studio *host = user;
    stop(host);
    pthread_mutex_lock(&host->lock);
    host->stopped = true;
    pthread_cond_signal(&host->changed);
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

/* A thread of its own does it, since any of those that it waits for may be the one that does not
   end. */
bool studio_close_within(studio *host, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (!host->stopping)
        host->stopping = pthread_create(&host->stopper, NULL, stop_and_signal, host) == 0;
    if (host->stopping) {
        pthread_mutex_lock(&host->lock);
        while (!host->stopped &&
               pthread_cond_timedwait(&host->changed, &host->lock, &until) != ETIMEDOUT) {
        }
        bool stopped = host->stopped;
        pthread_mutex_unlock(&host->lock);
        if (!stopped) return false;
    }
    studio_close(host);
    return true;
}

/* ---- asking ---------------------------------------------------------------------------------- */

int studio_port(const studio *host)
{
    return host->port;
}

const char *studio_token(const studio *host)
{
    return host->guard.token;
}

const char *studio_address(const studio *host)
{
    return host->address;
}

bool studio_link(studio *host, char *link, size_t room)
{
    char code[GUARD_TOKEN_ROOM];
    if (!http_new_code(host->server, code)) return false;
    int length = snprintf(link, room, "http://127.0.0.1:%d/open?code=%s", host->port, code);
    return length > 0 && (size_t)length < room;
}
