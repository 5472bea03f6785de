/* http_inside.h - what the files of the server know of each other. Read after http.h.

   http.c            the server, and what libmicrohttpd calls
   http_check.c      is a request well formed, within the limits, from somebody who may ask
   http_body.c       JSON and dropped files
   http_send.c       answers
   http_upgrade.c    requests that become WebSockets
   http_library.c    libmicrohttpd itself, loaded when it is needed */
#ifndef STUDIO_HTTP_INSIDE_H
#define STUDIO_HTTP_INSIDE_H

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

typedef struct request {
    task work; /* first, so that the worker's task is the request */
    http *host;
    struct MHD_Connection *carrier;
    connection *on;
    http_step step;
    const route *address;
    bool is_get;          /* or HEAD, which is a GET whose answer has no body */
    bool is_head, is_old; /* HEAD; by HTTP/1.0 */
    bool sends_body;      /* says that a body will come */
    uint64_t announced;   /* bytes, 0 if it does not say how many */
    bool gives_cookie;
    bool goes_on;       /* to "/", without what let it in */
    const char *allows; /* methods, for an answer 405 */
    studio_request what;
    studio_response reply;
    char *target; /* path, and behind its zero what is left of the query; target_room bytes */
    size_t target_room;
    bool target_too_long;
    studio_bytes body;
    uint64_t body_bytes; /* of the whole request */
    uint64_t header_bytes;
    struct MHD_PostProcessor *parts;
    char file_name[1024]; /* of the part that is read; "" if there is none */
    studio_bytes file;
} http_request;

struct http {
    shared *of;
    pool *workers;
    guard who;
    struct MHD_Daemon *daemon;
    connections clients;
    page_file pages[PAGE_FILES];
    size_t most_unsent;
    atomic_size_t unsent; /* bytes of answers that libmicrohttpd has */
    pthread_mutex_t lock; /* for what follows */
    bool refuses;
    guard_code code;
};

/* Judges a request whose header is there. False: `reply` says why not. */
bool http_check(http_request *one, const char *method);

/* Takes some bytes of the body. False: `reply` says what is wrong. */
/* How long a body may be, and what is said of one that is longer; `address` may be NULL. */
uint64_t http_body_most(const http_request *one, const char **too_long);
bool http_body_begin(http_request *one);
bool http_body_add(http_request *one, const char *data, size_t count);
bool http_body_end(http_request *one);
void http_body_drop(http_request *one);

/* Queues the answer. `closes`: the connection ends with it. */
enum MHD_Result http_send(http_request *one, bool closes);
enum MHD_Result http_send_page(http_request *one);
enum MHD_Result http_send_upgrade(http_request *one);

/* Writes a refusal straight to the socket, at times when libmicrohttpd takes no answer (in the middle of a body). The
   caller then lets go of the connection. */
void http_send_now(http_request *one);

/* How many bytes the header had, as libmicrohttpd saw it. */
size_t http_header_bytes(const http_request *one);

/* The value of a header, or NULL. */
const char *http_header(const http_request *one, const char *name);

#endif
