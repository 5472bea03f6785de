/* http.h - the server: takes requests from libmicrohttpd, lets the guard judge them, hands whole
   ones to the workers and sends what they answer. Read after worker.h. */
#ifndef STUDIO_HTTP_H
#define STUDIO_HTTP_H

#include "guard.h"
#include "worker.h"

typedef struct http http;

typedef struct http_def {
    shared *common;
    pool *workers;
    const guard *guard;
    int listening; /* a socket that listens; taken over, also on failure */
    int header_ms, body_ms, send_ms, idle_ms;
    size_t unsent_bytes;       /* of answers that wait to be read */
    int64_t (*clock_ms)(void); /* of the deadlines, and of the one-time code */
} http_def;

/* NULL: no memory or no thread. */
http *http_open(const http_def *def);

/* A new one-time code for `/open?code=`, in place of the one before. From any thread. False: no
   random numbers. */
bool http_new_code(http *server, char code[GUARD_TOKEN_ROOM]);

/* From now on no request reaches the workers, so that they can be closed. */
void http_refuse_all(http *server);

/* When the workers are done and all WebSockets are over. NULL is allowed. */
void http_close(http *server);

#endif
