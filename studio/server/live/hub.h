/* hub.h - all WebSockets of the studio, served by one thread: what happens is sent to every client,
   poses are streamed by the clock. Read after worker.h. */
#ifndef STUDIO_HUB_H
#define STUDIO_HUB_H

#include "worker.h"

typedef struct hub hub;

marey_status hub_open(shared *common, hub **out, marey_error *error);
void hub_use(hub *h, pool *workers); /* that read the clips for streams; before the first socket */

/* How jobs are looked at and cancelled, of the hub's `of->jobs`: they call the hub, so the hub must
   not call them by name. NULL: there is no hub. */
void hub_follow(hub *h, void (*look)(struct jobs *jobs),
                bool (*cancel_job)(struct jobs *jobs, int64_t number));

/* Ends all WebSockets and the hub's thread, and closes its library; later sockets are not taken and
   nothing is sent any more. hub_close frees the rest, when the workers are closed, and the server
   too. NULL is allowed. */
void hub_stop(hub *h);
void hub_close(hub *h);

/* Would hub_add find room now? From any thread. */
bool hub_is_full(hub *h);

/* A socket that was upgraded; `closed` is called once from the hub's thread when it is over, and
   only then may the socket be closed by its owner. `early` are bytes that came behind the request.
   False: too many, or no memory; `closed` is not called then. */
bool hub_add(hub *h, int socket, const void *early, size_t early_count, void (*closed)(void *user),
             void *user);

/* To every client, from any thread. `text` is copied. The hub may be NULL: then there is no
   client. */
void hub_broadcast(hub *h, const char *text, size_t count);

/* The library may have changed: says so soon, if it did. From any thread. (Changes by other
   programs are noticed without this within half a second.) */
void hub_look(hub *h);

/* Sec-WebSocket-Accept for a key; `accept` has room for 29 bytes. False: the key is none. */
bool hub_accept_key(const char *key, char *accept);

#endif
