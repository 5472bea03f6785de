/* http_exchange.h - a request and its answer while the server has them: what the files of the
   server share. Read after http.h.

   http.c            the server, and what libmicrohttpd calls
   http_receive.c    what comes in: is a request well formed, within the limits, from a client that may ask; its body
   http_respond.c    what goes out: answers, the page, and the switch to a WebSocket
   http_library.c    libmicrohttpd itself, loaded when it is needed */
#ifndef STUDIO_HTTP_EXCHANGE_H
#define STUDIO_HTTP_EXCHANGE_H

#include "connection.h"
#include "http.h"
#include "http_library.h"
#include "page.h"

typedef enum http_step {
    STEP_HEADER, /* not judged */
    STEP_BODY,   /* let in; the body may come */
    STEP_WORKING,
    STEP_ANSWERED /* by a worker, and not sent */
} http_step;

typedef struct http_exchange {
    task task; /* first, so that the worker's task is the exchange */
    http *server;
    struct MHD_Connection *carrier;
    connection *client;
    http_step step;
    const route *route;
    bool is_get;          /* or HEAD, which is a GET whose answer has no body */
    bool is_head, is_old; /* HEAD; by HTTP/1.0 */
    bool sends_body;      /* says that a body will come */
    uint64_t announced;   /* bytes, 0 if it does not say how many */
    bool gives_cookie;
    bool goes_on;       /* to "/", without what let it in */
    const char *allows; /* methods, for an answer 405 */
    studio_request request;
    studio_response response;
    char *target; /* path, and behind its zero what is left of the query; target_room bytes */
    size_t target_room;
    bool target_too_long;
    studio_bytes body;
    uint64_t body_bytes;   /* of the whole request */
    uint64_t header_bytes; /* as libmicrohttpd saw it */
    struct MHD_PostProcessor *parts;
    char file_name[1024]; /* of the part that is read; "" if there is none */
    studio_bytes file;
} http_exchange;

struct http {
    shared *common;
    pool *workers;
    guard guard;
    struct MHD_Daemon *daemon;
    connections clients;
    page_file pages[PAGE_FILES];
    size_t most_unsent;
    atomic_size_t unsent; /* bytes of answers that libmicrohttpd has */
    pthread_mutex_t lock; /* for what follows */
    bool refuses;
    guard_code code;
};

/* The value of a header, or NULL. */
static inline const char *http_header(const http_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->carrier, MHD_HEADER_KIND, name);
}

/* Each of them, false: the response says what is wrong. http_receive_header judges a request whose
   header is there and makes ready for its body, http_receive_body takes some bytes of it,
   http_receive_end is called when all of it is there. */
bool http_receive_header(http_exchange *exchange, const char *method);
bool http_receive_body(http_exchange *exchange, const char *data, size_t count);
bool http_receive_end(http_exchange *exchange);

/* Frees the body and the files in it. */
void http_drop_body(http_exchange *exchange);

/* Queues the response. `closes`: the connection ends with it. */
enum MHD_Result http_send(http_exchange *exchange, bool closes);
enum MHD_Result http_send_page(http_exchange *exchange);
enum MHD_Result http_send_upgrade(http_exchange *exchange);

/* Writes a refusal straight to the socket, at times when libmicrohttpd takes no answer (in the
   middle of a body). The caller then lets go of the connection. */
void http_send_now(http_exchange *exchange);

#endif
