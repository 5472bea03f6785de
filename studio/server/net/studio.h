/* studio.h - the local web studio: a server for one library. What the program and the tests see of
   it.

   A studio has threads of its own: one for connections, one for WebSockets, some that work. Nothing
   here is called from a signal handler. The rules of who may ask, the limits and every address are
   in docs/studio-api.md. */
#ifndef MAREY_STUDIO_H
#define MAREY_STUDIO_H

#include <marey/marey.h>

typedef struct studio studio;

typedef struct studio_def { /* leave a field zero for its default */
    /* needed; opened for writing if that can be, made if it is not there */
    const char *library_path;
    int port;                         /* default: any that is free */
    const char *const *allowed_hosts; /* further values of Host, such as "localhost:9000" */
    int allowed_host_count;           /* at most 16 */
    int workers;                      /* threads for short requests, 1 .. 16; default 3 */
    int threads;       /* of the context that long work uses; default: all processors */
    size_t byte_limit; /* most bytes held at once by requests, answers and files in memory;
                                         default 2 GiB */
    /* deadlines; default as documented. Tests use short ones */
    int header_ms, body_ms, send_ms, idle_ms;
    size_t unsent_bytes;       /* likewise: of answers that wait to be read */
    void (*before_job)(void);  /* likewise: called by the jobs' thread */
    int64_t (*clock_ms)(void); /* likewise: of deadlines and codes; default: the monotonic one */
} studio_def;

/* Opens the library and starts to listen on 127.0.0.1. INPUT: the library does not open.
   REQUEST: the port is taken, or an allowed host is invalid. IO, MEMORY. On failure *out is not
   written. */
marey_status studio_open(const studio_def *def, studio **out, marey_error *error);

/* Stops listening, cancels what runs, waits for every thread, closes the library. NULL is
   allowed. */
void studio_close(studio *host);

/* The same, for at most so many milliseconds. False: something that was cancelled still runs. Then
   the process can only be ended by _exit, which leaves the library as its last whole change left
   it; or it waits on, by another call. */
bool studio_close_within(studio *host, int ms);

int studio_port(const studio *host);
const char *studio_token(const studio *host);   /* 32 hexadecimal digits; borrowed until close */
const char *studio_address(const studio *host); /* "http://127.0.0.1:8421/?token=..."; likewise */

enum { STUDIO_LINK_ROOM = 96 };

/* Writes "http://127.0.0.1:8421/open?code=...", to be handed to a browser where others may read it:
   it lets in one client, once, within 30 s, and gives it its cookie. A new one ends the one before.
   False: no random numbers, or no room. */
bool studio_link(studio *host, char *link, size_t room);

#endif
