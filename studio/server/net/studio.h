/* studio.h - the local web studio: a server for one library. What the program and the tests see of
   it.

   A studio has threads of its own: one for connections, one for WebSockets, some that work. Nothing
   here is called from a signal handler. The rules of who may ask, the limits and every address are
   in docs/studio-api.md. */
#ifndef MAREY_STUDIO_H
#define MAREY_STUDIO_H

#include <marey/marey.h>

typedef struct studio studio;

enum { STUDIO_LINK_ROOM = 96 };

typedef struct studio_neighbour {
    const char *name; /* the file's, without folder and ending */
    const char *path;
} studio_neighbour;

/* The libraries of a folder, as one of their studios sees them. */
typedef struct studio_neighbours {
    const studio_neighbour *all; /* in the order of their names; its own is one of them */
    int count, own;
    /* Writes the address of a studio of another one, which is opened if there is none yet. From any
       thread. Fails as studio_open. */
    marey_status (*address)(void *user, int which, char address[STUDIO_LINK_ROOM],
                            marey_error *error);
    void *user;
} studio_neighbours;

typedef struct studio_def { /* leave a field zero for its default */
    /* needed; opened for writing if that can be, made if it is not there */
    const char *library_path;
    int port;                         /* default: any that is free */
    const char *const *allowed_hosts; /* further values of Host, such as "localhost:9000" */
    int allowed_host_count;           /* at most 16 */
    /* That it can be searched with, and that the page can go to; borrowed until close; NULL: none */
    const studio_neighbours *neighbours;
    int workers;         /* threads for short requests, 1 .. 16; default 3 */
    int threads;         /* of the context that long work uses; default: all processors */
    size_t byte_limit;   /* most bytes held at once by requests, answers and files in memory;
                                         default 2 GiB */
    double most_seconds; /* that a request or a job may take; default: any time */
    /* deadlines; default as documented. Tests use short ones */
    int header_ms, body_ms, send_ms, idle_ms;
    size_t unsent_bytes;             /* likewise: of answers that wait to be read */
    void (*before_job)(void);        /* likewise: called by the jobs' thread */
    int64_t (*clock_ns)(void *user); /* likewise: of most_seconds; asked by several threads */
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

/* Writes "http://127.0.0.1:8421/open?code=...", to be handed to a browser where others may read it:
   it lets in one client, once, within 30 s, and gives it its cookie. A new one ends the one before.
   False: no random numbers, or no room. */
bool studio_link(studio *host, char *link, size_t room);

/* ---- a folder of libraries: a studio of each, opened when it is gone to ------------------------ */

typedef struct studio_folder studio_folder;

/* Opens a studio of the first library, in the order of the names, of those that lie in the folder
   def->library_path; the others get ports of their own. The definition is borrowed until close.
   REQUEST: there is none in it, or more than MAREY_MOST_LIBRARIES. Otherwise as studio_open. */
marey_status studio_folder_open(const studio_def *def, studio_folder **out, marey_error *error);

/* Of the first library. Borrowed until close. */
studio *studio_folder_first(studio_folder *folder);
int studio_folder_count(const studio_folder *folder); /* of libraries */

/* As studio_close_within, of all that are open; NULL is allowed. */
bool studio_folder_close_within(studio_folder *folder, int ms);

#endif
