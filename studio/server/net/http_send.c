/* http_send.c - answers on their way out: the headers that each of them has, and the body from memory. */
#include "http_inside.h"

#include "hub.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static const char *const always[][2] = {
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
};

enum { ALWAYS = sizeof always / sizeof always[0] };

static const char no_memory[] =
    "{\"error\": {\"status\": \"memory\", \"message\": \"out of memory\"}}";

/* ---- the body, until it is sent --------------------------------------------------------------- */

/* An answer may outlive its request, so its bytes go into something of their own. */
typedef struct carried {
    http *host;
    studio_bytes own;
    held *lent;
} carried;

static void free_carried(void *user)
{
    carried *what = user;
    heap *memory = &what->host->of->memory;
    atomic_fetch_sub(&what->host->unsent, what->own.room);
    bytes_free(&what->own);
    held_drop(what->lent);
    heap_resize(memory, what, sizeof *what, 0);
}

static struct MHD_Response *carry(http *host, studio_response *from)
{
    carried *what = heap_resize(&host->of->memory, NULL, 0, sizeof *what);
    if (!what) return NULL;
    *what = (carried){ .host = host, .own = from->body, .lent = from->lent };
    from->body = (studio_bytes){ .memory = from->body.memory };
    from->lent = NULL;
    atomic_fetch_add(&host->unsent, what->own.room);
    const studio_bytes *body = what->lent ? &what->lent->content : &what->own;
    struct MHD_Response *made = MHD_create_response_from_buffer_with_free_callback_cls(
        body->count, body->data, free_carried, what);
    if (!made) free_carried(what);
    return made;
}

/* Who reads slowly holds memory. Short answers go out in any case, and a long one if it is the only one; kept files are
   there anyway. Only this thread adds, so that what it sees is not passed meanwhile. */
static void refuse_if_much_waits(http_request *one)
{
    size_t room = one->reply.body.room, waits = atomic_load(&one->host->unsent);
    size_t most = one->host->most_unsent;
    if (one->reply.body.count <= LIMIT_UNSENT_SMALL || waits == 0) return;
    if (room <= most && waits <= most - room) return;
    answer_refuse(&one->reply, 503, "limit",
                  "too much is on its way to clients that read slowly; try again in a moment");
}

static struct MHD_Response *lasting(const void *data, size_t count)
{
    /* PERSISTENT: libmicrohttpd only reads it, its type merely does not say so. */
    union {
        const void *given;
        void *taken;
    } same = { data };
    return MHD_create_response_from_buffer(count, same.taken, MHD_RESPMEM_PERSISTENT);
}

/* ---- headers ---------------------------------------------------------------------------------- */

/* "name", and for what is not ASCII the form of RFC 8187 beside it. */
static void write_disposition(const char *name, char *text, size_t room)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
    size_t used = (size_t)snprintf(text, room, "attachment; filename=\"");
    for (const char *c = name; *c && used + 40 < room; c++)
        text[used++] = strchr(plain, *c) || *c == ' ' ? *c : '_';
    used += (size_t)snprintf(text + used, room - used, "\"; filename*=UTF-8''");
    for (const char *c = name; *c && used + 4 < room; c++)
        used += (size_t)snprintf(text + used, room - used, strchr(plain, *c) ? "%c" : "%%%02X",
                                 (unsigned char)*c);
}

static void add_by_status(struct MHD_Response *to, const http_request *one, int status)
{
    if (status == 401) MHD_add_response_header(to, "WWW-Authenticate", "Bearer");
    if (status == 405) MHD_add_response_header(to, "Allow", one->allows);
    if (status == 426) {
        MHD_add_response_header(to, "Upgrade", "websocket");
        MHD_add_response_header(to, "Sec-WebSocket-Version", "13");
    }
}

static void add_headers(struct MHD_Response *to, const http_request *one, bool closes)
{
    char text[3072];
    for (int i = 0; i < ALWAYS; i++) MHD_add_response_header(to, always[i][0], always[i][1]);
    if (closes) MHD_add_response_header(to, MHD_HTTP_HEADER_CONNECTION, "close");
    if (one->reply.file_name[0]) {
        write_disposition(one->reply.file_name, text, sizeof text);
        MHD_add_response_header(to, MHD_HTTP_HEADER_CONTENT_DISPOSITION, text);
    }
    if (one->gives_cookie) {
        snprintf(text, sizeof text, "%s=%s; HttpOnly; SameSite=Strict; Path=/",
                 one->host->who.cookie_name, one->host->who.token);
        MHD_add_response_header(to, MHD_HTTP_HEADER_SET_COOKIE, text);
    }
}

static void add_tag(struct MHD_Response *to, const char *tag)
{
    if (!tag[0]) {
        MHD_add_response_header(to, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
        return;
    }
    MHD_add_response_header(to, MHD_HTTP_HEADER_ETAG, tag);
    MHD_add_response_header(to, MHD_HTTP_HEADER_CACHE_CONTROL, "private, no-cache");
}

/* Tags are compared as they stand between quotes; "W/" before one does not matter here (RFC 9110, 13.1.2). */
static bool is_known(const http_request *one, const char *tag)
{
    const char *list = http_header(one, MHD_HTTP_HEADER_IF_NONE_MATCH);
    if (!tag[0] || !list || !one->is_get) return false;
    return strcmp(list, "*") == 0 || strstr(list, tag) != NULL;
}

static enum MHD_Result queue(http_request *one, int status, struct MHD_Response *what)
{
    if (!what) return MHD_NO;
    enum MHD_Result result = MHD_queue_response(one->carrier, (unsigned)status, what);
    MHD_destroy_response(what);
    return result;
}

/* ---- the kinds of answers --------------------------------------------------------------------- */

/* Addresses give the tag with or without its quotes. */
static void write_tag(const studio_response *from, char *text, size_t room)
{
    bool quoted = from->tag && from->tag[0] == '"';
    text[0] = 0;
    if (from->tag && from->tag[0] && from->status == 200)
        snprintf(text, room, quoted ? "%s" : "\"%s\"", from->tag);
}

enum MHD_Result http_send(http_request *one, bool closes)
{
    studio_response *reply = &one->reply;
    char tag[sizeof reply->tag_text + 2];
    struct MHD_Response *what = NULL;
    if (reply->status == 0) answer_refuse(reply, 500, "io", "the address gave no answer");
    refuse_if_much_waits(one);
    write_tag(reply, tag, sizeof tag);
    bool known = is_known(one, tag);
    if (known) answer_clear(reply);
    int status = known ? 304 : reply->status;
    size_t count = reply->lent ? reply->lent->content.count : reply->body.count;
    if (!reply->body.failed) what = carry(one->host, reply);
    if (!what) {
        status = 500;
        tag[0] = reply->file_name[0] = 0;
        reply->type = "application/json";
        what = lasting(no_memory, sizeof no_memory - 1);
    }
    if (!what) return MHD_NO;
    connection_sends(&one->host->clients, one->on, count);
    add_headers(what, one, closes);
    add_by_status(what, one, status);
    add_tag(what, tag);
    if (!known && reply->type)
        MHD_add_response_header(what, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    return queue(one, status, what);
}

enum MHD_Result http_send_page(http_request *one)
{
    if (one->goes_on) {
        struct MHD_Response *what = lasting("", 0);
        if (!what) return MHD_NO;
        connection_sends(&one->host->clients, one->on, 0);
        add_headers(what, one, false);
        add_tag(what, "");
        MHD_add_response_header(what, MHD_HTTP_HEADER_LOCATION, "/");
        return queue(one, 303, what);
    }
    const page_file *file = page_find(one->host->pages, one->target);
    if (!file) {
        answer_refuse(&one->reply, 404, "request",
                      "no such part; the page is of another build, reload it");
        return http_send(one, false);
    }
    bool known = is_known(one, file->tag);
    struct MHD_Response *what = lasting(file->data, known ? 0 : file->count);
    if (!what) return MHD_NO;
    connection_sends(&one->host->clients, one->on, file->count);
    add_headers(what, one, false);
    MHD_add_response_header(what, MHD_HTTP_HEADER_ETAG, file->tag);
    MHD_add_response_header(what, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    if (!known) {
        MHD_add_response_header(what, MHD_HTTP_HEADER_CONTENT_TYPE, file->type);
        MHD_add_response_header(what, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    }
    return queue(one, known ? 304 : 200, what);
}

void http_send_now(http_request *one)
{
    char text[2048];
    const studio_bytes *body = &one->reply.body;
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "HTTP/1.1 %d %s\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Type: %s\r\n"
        "Content-Length: %zu\r\n",
        one->reply.status, MHD_get_reason_phrase_for((unsigned)one->reply.status), one->reply.type,
        body->count);
    if (one->reply.status == 405)
        used += (size_t)snprintf(text + used, sizeof text - used, "Allow: %s\r\n", one->allows);
    for (int i = 0; i < ALWAYS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s\r\n", always[i][0],
                                 always[i][1]);
    used += (size_t)snprintf(text + used, sizeof text - used, "\r\n");
    /* A refusal is short and the first thing on this connection's way out, so it is taken whole or not at all. */
    if (send(one->on->socket, text, used, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE) == (ssize_t)used)
        send(one->on->socket, body->data, body->count, MSG_NOSIGNAL | MSG_DONTWAIT);
}
