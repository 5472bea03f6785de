/* mcp_input.c - a thread reads lines into a queue, and looks at those that cancel. */
#include "mcp_input.h"

#include "json_bounds.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { PIECE = 64 << 10, MOST_CANCEL = 4096, REMEMBERED = 64 };

struct mcp_input {
    const program_host *host;
    marey_ctx *ctx;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    mcp_line *first, *last; /* whole lines */
    size_t waiting;         /* bytes of them */
    bool ended, stopped;
    int failed;
    char running[MCP_ID_ROOM]; /* "": nothing runs */
    bool cancelled;            /* what runs was */
    /* Those that were cancelled before they ran, the latest over the oldest. */
    char before[REMEMBERED][MCP_ID_ROOM];
    int before_next;
    char piece[PIECE];
};

static void *resize(const program_host *host, void *old, size_t old_size, size_t size)
{
    return host->def.resize(host->def.resize_user, old, old_size, size);
}

void mcp_line_free(const program_host *host, mcp_line *line)
{
    if (!line) return;
    if (line->bytes) resize(host, line->bytes, line->room, 0);
    resize(host, line, sizeof *line, 0);
}

bool mcp_id_text(const json_t *id, char text[MCP_ID_ROOM])
{
    if (!json_is_string(id) && !json_is_integer(id)) return false;
    size_t size = json_dumpb(id, text, MCP_ID_ROOM - 1, JSON_COMPACT | JSON_ENCODE_ANY);
    if (size == 0 || size > MCP_ID_ROOM - 1) return false;
    text[size] = 0;
    return true;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Which request a line cancels; false: it is none that does. */
static bool find_cancelled(const mcp_line *line, char id[MCP_ID_ROOM])
{
    static const char method[] = "notifications/cancelled";
    if (line->too_long || line->count == 0 || line->count > MOST_CANCEL ||
        !memmem(line->bytes, line->count, method, sizeof method - 1) ||
        !json_is_shallow(line->bytes, line->count, 16))
        return false;
    json_t *root = json_loadb(line->bytes, line->count, 0, NULL);
    const char *called = json_string_value(json_object_get(root, "method"));
    bool found = called && strcmp(called, method) == 0 &&
                 mcp_id_text(json_object_get(json_object_get(root, "params"), "requestId"), id);
    json_decref(root);
    return found;
}

/* Takes the line over. */
static void put(mcp_input *input, mcp_line *line)
{
    char id[MCP_ID_ROOM];
    bool cancels = find_cancelled(line, id);
    pthread_mutex_lock(&input->lock);
    if (cancels && strcmp(input->running, id) == 0) {
        input->cancelled = true;
        marey_ctx_cancel(input->ctx);
    } else if (cancels) {
        memcpy(input->before[input->before_next++ % REMEMBERED], id, sizeof id);
    }
    if (input->last)
        input->last->next = line;
    else
        input->first = line;
    input->last = line;
    input->waiting += line->count;
    pthread_cond_broadcast(&input->changed);
    /* A client that sends more than is answered waits. */
    while (input->waiting > MCP_MOST_WAITING && !input->stopped)
        pthread_cond_wait(&input->changed, &input->lock);
    pthread_mutex_unlock(&input->lock);
}

/* More of a line; false: out of memory. */
static bool extend(mcp_input *input, mcp_line **line, const char *bytes, size_t count)
{
    mcp_line *at = *line;
    if (!at) {
        at = *line = resize(input->host, NULL, 0, sizeof *at);
        if (!at) return false;
        *at = (mcp_line){ 0 };
    }
    if (at->count + count > MCP_MOST_LINE) {
        at->too_long = true;
        return true;
    }
    if (at->count + count > at->room) {
        size_t room = 2 * (at->count + count);
        char *longer = resize(input->host, at->bytes, at->room, room);
        if (!longer) return false;
        at->bytes = longer;
        at->room = room;
    }
    if (count) memcpy(at->bytes + at->count, bytes, count);
    at->count += count;
    return true;
}

/* A last line without an end is one, too. */
static void *read_lines(void *user)
{
    mcp_input *input = user;
    const program_source *in = &input->host->in;
    mcp_line *line = NULL;
    int64_t got = 0;
    for (bool stopped = false; !stopped;) {
        got = in->read ? in->read(in->user, input->piece, PIECE) : 0;
        if (got <= 0 && got != -EAGAIN) break;
        const char *at = input->piece, *end = at + (got > 0 ? got : 0);
        while (at < end && got > 0) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            if (!extend(input, &line, at, (size_t)((stop ? stop : end) - at))) got = -ENOMEM;
            if (stop && got > 0) {
                put(input, line);
                line = NULL;
            }
            at = stop ? stop + 1 : end;
        }
        if (got == -ENOMEM) break;
        pthread_mutex_lock(&input->lock);
        stopped = input->stopped;
        pthread_mutex_unlock(&input->lock);
    }
    if (line && got == 0)
        put(input, line);
    else
        mcp_line_free(input->host, line);
    pthread_mutex_lock(&input->lock);
    input->ended = true;
    input->failed = got < 0 && got != -EAGAIN ? (int)got : 0;
    pthread_cond_broadcast(&input->changed);
    pthread_mutex_unlock(&input->lock);
    return NULL;
}

/* ---- the other side -------------------------------------------------------------------------- */

mcp_input *mcp_input_open(const program_host *host, marey_ctx *ctx)
{
    mcp_input *input = resize(host, NULL, 0, sizeof *input);
    if (!input) return NULL;
    memset(input, 0, sizeof *input);
    input->host = host;
    input->ctx = ctx;
    pthread_mutex_init(&input->lock, NULL);
    pthread_cond_init(&input->changed, NULL);
    if (pthread_create(&input->thread, NULL, read_lines, input) == 0) return input;
    resize(host, input, sizeof *input, 0);
    return NULL;
}

void mcp_input_close(mcp_input *input)
{
    pthread_mutex_lock(&input->lock);
    input->stopped = true;
    pthread_cond_broadcast(&input->changed);
    pthread_mutex_unlock(&input->lock);
    pthread_join(input->thread, NULL);
    while (input->first) {
        mcp_line *line = input->first;
        input->first = line->next;
        mcp_line_free(input->host, line);
    }
    pthread_cond_destroy(&input->changed);
    pthread_mutex_destroy(&input->lock);
    resize(input->host, input, sizeof *input, 0);
}

mcp_line *mcp_input_next(mcp_input *input)
{
    pthread_mutex_lock(&input->lock);
    while (!input->first && !input->ended && !marey_ctx_cancelled(input->ctx)) {
        /* A signal cancels without a word to this lock. */
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 100000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&input->changed, &input->lock, &soon);
    }
    mcp_line *line = marey_ctx_cancelled(input->ctx) ? NULL : input->first;
    if (line) {
        input->first = line->next;
        if (!input->first) input->last = NULL;
        input->waiting -= line->count;
        pthread_cond_broadcast(&input->changed);
    }
    pthread_mutex_unlock(&input->lock);
    return line;
}

int mcp_input_failed(const mcp_input *input)
{
    return input->failed;
}

bool mcp_input_begin(mcp_input *input, const char *id)
{
    bool goes = true;
    pthread_mutex_lock(&input->lock);
    for (int i = 0; i < REMEMBERED; i++) {
        if (strcmp(input->before[i], id) != 0) continue;
        input->before[i][0] = 0;
        goes = false;
    }
    if (goes) strcpy(input->running, id);
    pthread_mutex_unlock(&input->lock);
    return goes;
}

bool mcp_input_end(mcp_input *input)
{
    pthread_mutex_lock(&input->lock);
    bool cancelled = input->cancelled;
    if (cancelled) marey_ctx_resume(input->ctx);
    input->cancelled = false;
    input->running[0] = 0;
    pthread_mutex_unlock(&input->lock);
    return cancelled;
}
