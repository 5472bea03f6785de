/* connection.h - all connections of the server, and until when each of them may take its time. The
   deadlines are absolute: a client that sends a byte now and then gains nothing. One thread shuts
   sockets whose time is over.

   Places are for clients that have the token: the connection that takes the last place makes the
   oldest one go that has not shown it, so that there is a free place again. One that has shown it
   keeps its place.

   A socket is shut only between connection_begin and connection_end of its connection, under one
   lock; the server closes it after connection_end, so a number that was given to another socket
   meanwhile is never touched. */
#ifndef STUDIO_CONNECTION_H
#define STUDIO_CONNECTION_H

#include "heap.h"

#include <pthread.h>
#include <stdbool.h>

typedef enum connection_phase {
    CONNECTION_HEADER, /* a request line or header is on its way */
    CONNECTION_BODY,
    CONNECTION_WORK, /* the request is whole: the time is ours, or it is a WebSocket */
    CONNECTION_SEND, /* the answer is on its way */
    CONNECTION_IDLE  /* between two requests */
} connection_phase;

typedef struct connection {
    struct connection *next, *previous;
    int socket;
    connection_phase phase;
    int64_t until_ms; /* not for WORK */
    uint64_t taken;   /* bytes the socket had received when it became idle */
    uint64_t asked;   /* bytes of the requests that are over, as far as they are known */
    bool let_in;      /* it has shown the token */
    bool shut;
} connection;

typedef struct connections {
    heap *memory;
    int header_ms, body_ms, send_ms, idle_ms;
    int places;
    int64_t (*clock_ms)(void);
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t changed;
    pthread_t thread;
    bool started, closing;
    int count;
    connection *first; /* the youngest */
} connections;

int64_t connections_clock(void); /* the monotonic one, for clock_ms */

/* Starts the thread. The deadlines, places and clock must be set. False: no thread can be had. */
bool connections_open(connections *clients);
void connections_close(connections *clients); /* after the last connection_end */

/* NULL when out of memory. */
connection *connection_begin(connections *clients, int socket);
void connection_end(connections *clients, connection *client); /* NULL is allowed */

/* A request on it had the token: from now on it keeps its place. */
void connection_let_in(connections *clients, connection *client);

void connection_reads_body(connections *clients, connection *client, uint64_t announced_bytes);
void connection_works(connections *clients, connection *client);
void connection_sends(connections *clients, connection *client, uint64_t answer_bytes);

/* The request is over; it had at least so many bytes. What came beyond them belongs to the next
   one, whose time then runs already. */
void connection_rests(connections *clients, connection *client, uint64_t request_bytes);

#endif
