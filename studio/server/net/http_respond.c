/* http_respond.c - answers on their way out: the headers that each of them has, and the body from
   memory; the page; and the answer that makes a WebSocket of a connection. */
#include "http_exchange.h"

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

/* ---- what answers share ---------------------------------------------------------------------- */

static void add_headers(struct MHD_Response *message, const http_exchange *exchange, bool closes)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
    const char *name = exchange->response.file_name;
    char text[3072];
    const size_t room = sizeof text;
    for (int i = 0; i < ALWAYS; i++) MHD_add_response_header(message, always[i][0], always[i][1]);
    if (closes) MHD_add_response_header(message, MHD_HTTP_HEADER_CONNECTION, "close");
    if (name[0]) { /* "name", and for what is not ASCII the form of RFC 8187 beside it */
        size_t used = (size_t)snprintf(text, room, "attachment; filename=\"");
        for (const char *c = name; *c && used + 40 < room; c++)
            text[used++] = strchr(plain, *c) || *c == ' ' ? *c : '_';
        used += (size_t)snprintf(text + used, room - used, "\"; filename*=UTF-8''");
        for (const char *c = name; *c && used + 4 < room; c++)
            used += (size_t)snprintf(text + used, room - used, strchr(plain, *c) ? "%c" : "%%%02X",
                                     (unsigned char)*c);
        MHD_add_response_header(message, MHD_HTTP_HEADER_CONTENT_DISPOSITION, text);
    }
    if (exchange->gives_cookie) {
        const guard *rules = &exchange->server->guard;
        snprintf(text, room, "%s=%s; HttpOnly; SameSite=Strict; Path=/", rules->cookie_name,
                 rules->token);
        MHD_add_response_header(message, MHD_HTTP_HEADER_SET_COOKIE, text);
    }
}

/* Tags are compared as they stand between quotes; "W/" before one does not matter here (RFC 9110,
   13.1.2). */
static bool is_known(const http_exchange *exchange, const char *tag)
{
    const char *list = http_header(exchange, MHD_HTTP_HEADER_IF_NONE_MATCH);
    if (!tag[0] || !list || !exchange->is_get) return false;
    return strcmp(list, "*") == 0 || strstr(list, tag) != NULL;
}

/* Of bytes that stay where they are. */
static struct MHD_Response *lasting(const void *data, size_t count)
{
    /* PERSISTENT: libmicrohttpd only reads it, its type merely does not say so. */
    union {
        const void *given;
        void *taken;
    } same = { data };
    return MHD_create_response_from_buffer(count, same.taken, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result queue(http_exchange *exchange, int status, struct MHD_Response *message)
{
    enum MHD_Result result = MHD_queue_response(exchange->carrier, (unsigned)status, message);
    MHD_destroy_response(message);
    return result;
}

/* ---- what a worker answered ------------------------------------------------------------------ */

/* An answer may outlive its request, so its bytes go into something of their own until they are
   sent. */
typedef struct carried {
    http *server;
    studio_bytes own;
    held *lent;
} carried;

static void free_carried(void *user)
{
    carried *bytes = user;
    heap *memory = &bytes->server->common->memory;
    atomic_fetch_sub(&bytes->server->unsent, bytes->own.room);
    bytes_free(&bytes->own);
    held_drop(bytes->lent);
    heap_resize(memory, bytes, sizeof *bytes, 0);
}

static struct MHD_Response *carry(http *server, studio_response *response)
{
    carried *bytes = heap_resize(&server->common->memory, NULL, 0, sizeof *bytes);
    if (!bytes) return NULL;
    *bytes = (carried){ .server = server, .own = response->body, .lent = response->lent };
    response->body = (studio_bytes){ .memory = response->body.memory };
    response->lent = NULL;
    atomic_fetch_add(&server->unsent, bytes->own.room);
    const studio_bytes *body = bytes->lent ? &bytes->lent->content : &bytes->own;
    struct MHD_Response *message = MHD_create_response_from_buffer_with_free_callback_cls(
        body->count, body->data, free_carried, bytes);
    if (!message) free_carried(bytes);
    return message;
}

enum MHD_Result http_send(http_exchange *exchange, bool closes)
{
    http *server = exchange->server;
    studio_response *response = &exchange->response;
    if (response->status == 0) answer_refuse(response, 500, "io", "the address gave no answer");

    /* A client that reads slowly holds memory. Short answers go out in any case, and a long one if
       it is the only one; kept files are there anyway. Only this thread adds, so that what it sees
       is not passed meanwhile. */
    size_t room = response->body.room, waits = atomic_load(&server->unsent);
    if (response->body.count > LIMIT_UNSENT_SMALL && waits > 0 &&
        (room > server->most_unsent || waits > server->most_unsent - room))
        answer_refuse(response, 503, "limit",
                      "too much is on its way to clients that read slowly; try again in a moment");

    /* Addresses give the tag with or without its quotes. */
    char tag[sizeof response->tag_text + 2] = "";
    if (response->tag && response->tag[0] && response->status == 200)
        snprintf(tag, sizeof tag, response->tag[0] == '"' ? "%s" : "\"%s\"", response->tag);
    bool known = is_known(exchange, tag);
    if (known) answer_clear(response);
    int status = known ? 304 : response->status;
    size_t count = response->lent ? response->lent->content.count : response->body.count;

    struct MHD_Response *message = response->body.failed ? NULL : carry(server, response);
    if (!message) {
        status = 500;
        tag[0] = response->file_name[0] = 0;
        response->type = "application/json";
        message = lasting(no_memory, sizeof no_memory - 1);
    }
    if (!message) return MHD_NO;
    connection_sends(&server->clients, exchange->client, count);
    add_headers(message, exchange, closes);
    if (status == 401) MHD_add_response_header(message, "WWW-Authenticate", "Bearer");
    if (status == 405) MHD_add_response_header(message, "Allow", exchange->allows);
    if (status == 426) {
        MHD_add_response_header(message, "Upgrade", "websocket");
        MHD_add_response_header(message, "Sec-WebSocket-Version", "13");
    }
    if (tag[0]) MHD_add_response_header(message, MHD_HTTP_HEADER_ETAG, tag);
    MHD_add_response_header(message, MHD_HTTP_HEADER_CACHE_CONTROL,
                            tag[0] ? "private, no-cache" : "no-store");
    if (!known && response->type)
        MHD_add_response_header(message, MHD_HTTP_HEADER_CONTENT_TYPE, response->type);
    return queue(exchange, status, message);
}

/* ---- other answers --------------------------------------------------------------------------- */

enum MHD_Result http_send_page(http_exchange *exchange)
{
    connections *clients = &exchange->server->clients;
    if (exchange->goes_on) {
        struct MHD_Response *message = lasting("", 0);
        if (!message) return MHD_NO;
        connection_sends(clients, exchange->client, 0);
        add_headers(message, exchange, false);
        MHD_add_response_header(message, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
        MHD_add_response_header(message, MHD_HTTP_HEADER_LOCATION, "/");
        return queue(exchange, 303, message);
    }
    const page_file *file = page_find(exchange->server->pages, exchange->target);
    if (!file) {
        answer_refuse(&exchange->response, 404, "request",
                      "no such part; the page is of another build, reload it");
        return http_send(exchange, false);
    }
    bool known = is_known(exchange, file->tag);
    struct MHD_Response *message = lasting(file->data, known ? 0 : file->count);
    if (!message) return MHD_NO;
    connection_sends(clients, exchange->client, file->count);
    add_headers(message, exchange, false);
    MHD_add_response_header(message, MHD_HTTP_HEADER_ETAG, file->tag);
    MHD_add_response_header(message, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    if (!known) {
        MHD_add_response_header(message, MHD_HTTP_HEADER_CONTENT_TYPE, file->type);
        MHD_add_response_header(message, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    }
    return queue(exchange, known ? 304 : 200, message);
}

void http_send_now(http_exchange *exchange)
{
    char text[2048];
    const studio_response *response = &exchange->response;
    const studio_bytes *body = &response->body;
    int socket = exchange->client->socket;
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "HTTP/1.1 %d %s\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Type: %s\r\n"
        "Content-Length: %zu\r\n",
        response->status, MHD_get_reason_phrase_for((unsigned)response->status), response->type,
        body->count);
    if (response->status == 405)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "Allow: %s\r\n", exchange->allows);
    for (int i = 0; i < ALWAYS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s\r\n", always[i][0],
                                 always[i][1]);
    used += (size_t)snprintf(text + used, sizeof text - used, "\r\n");
    /* A refusal is short and the first thing on this connection's way out, so it is taken whole or
       not at all. */
    if (send(socket, text, used, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE) == (ssize_t)used)
        send(socket, body->data, body->count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- WebSockets (RFC 6455, section 4.2.1) ---------------------------------------------------- */

/* Whether a list such as "keep-alive, Upgrade" has a word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list && *list) {
        list += strspn(list, " \t,");
        size_t part = strcspn(list, ",");
        size_t end = part;
        while (end > 0 && (list[end - 1] == ' ' || list[end - 1] == '\t')) end--;
        if (end == length && strncasecmp(list, word, length) == 0) return true;
        list += part;
    }
    return false;
}

static void let_go(void *user)
{
    MHD_upgrade_action(user, MHD_UPGRADE_ACTION_CLOSE);
}

static void take_over(void *user, struct MHD_Connection *carrier, void *exchange, const char *early,
                      size_t early_count, MHD_socket socket,
                      struct MHD_UpgradeResponseHandle *handle)
{
    http *server = user;
    (void)carrier, (void)exchange;
    if (!hub_add(server->common->hub, socket, early, early_count, let_go, handle)) let_go(handle);
}

enum MHD_Result http_send_upgrade(http_exchange *exchange)
{
    char accept[32];
    const char *key = http_header(exchange, MHD_HTTP_HEADER_SEC_WEBSOCKET_KEY);
    const char *version = http_header(exchange, MHD_HTTP_HEADER_SEC_WEBSOCKET_VERSION);
    studio_response *refusal = &exchange->response;
    if (!has_word(http_header(exchange, MHD_HTTP_HEADER_UPGRADE), "websocket") ||
        !has_word(http_header(exchange, MHD_HTTP_HEADER_CONNECTION), "upgrade"))
        answer_refuse(refusal, 426, "request", "this address is a WebSocket");
    else if (!version || strcmp(version, "13") != 0)
        answer_refuse(refusal, 426, "request", "only version 13 of WebSocket is spoken");
    else if (!key || !hub_accept_key(key, accept))
        answer_refuse(refusal, 400, "request", "the WebSocket key must be 16 bytes in base64");
    else if (exchange->is_head || exchange->is_old)
        answer_refuse(refusal, 400, "request", "a WebSocket begins with GET and HTTP/1.1");
    else if (hub_is_full(exchange->server->common->hub))
        answer_refuse(refusal, 503, "limit", "32 WebSockets are open already");
    if (refusal->status) return http_send(exchange, true);

    struct MHD_Response *message = MHD_create_response_for_upgrade(take_over, exchange->server);
    if (!message) return MHD_NO;
    MHD_add_response_header(message, MHD_HTTP_HEADER_UPGRADE, "websocket");
    MHD_add_response_header(message, MHD_HTTP_HEADER_SEC_WEBSOCKET_ACCEPT, accept);
    return queue(exchange, MHD_HTTP_SWITCHING_PROTOCOLS, message);
}
