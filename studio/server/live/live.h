/* live.h - what the files behind the WebSockets know of each other. Calls go one way, from hub.c
   down. Read after hub.h.

   hub.c          the thread, what other threads leave for it, and the messages of clients
   live_stream.c  poses of a clip by the clock
   live_play.c    characters that are steered
   live_react.c   characters that react
   live_stage.c   the graphs and puppets of both; live_pose.c: a pose between two frames of a graph
   live_socket.c  one WebSocket: bytes in and out, pings, its end
   hub_queue.c    what workers have done, on its way back to the hub's thread */
#ifndef STUDIO_LIVE_H
#define STUDIO_LIVE_H

#include "hub.h"

#include <wslay/wslay.h>

enum {
    STREAM_FLOATS = 7,    /* of a joint: place and rotation */
    STREAM_MOST_RATE = 60 /* poses a second */
};

struct json_t;
struct live_saved;
struct live_stage;
struct live_play;
struct live_role;
struct live_react;

/* Something that a worker has done, on its way back to the hub's thread, where `take` is called for
   it. */
typedef struct hub_return {
    struct hub_return *next;
    void (*take)(struct hub_return *self);
} hub_return;

/* A stream that a client requested, and what a worker made of it. Until it is made it is with the
   pool, then with its socket. */
typedef struct live_stream {
    task work; /* first, so that the worker's task is the stream */
    hub_return back;
    hub *all;
    uint64_t socket; /* whose it is, by number: the socket may be gone when it is made */
    uint64_t order;  /* of this socket: a later one for the same number replaces it */
    int number;
    int64_t clip;
    int64_t start, end; /* frames; end 0: the last */
    double rate, speed;
    bool loop;
    marey_error error;       /* why it could not be made */
    int joints, step, poses; /* pose i shows frame start + i * step */
    double fps;
    /* the poses as they are sent, each with its 8 bytes of header; in front the parents */
    studio_bytes values;
    int64_t begun_ns;
    int64_t sent; /* ticks of its clock that are over */
} live_stream;

typedef struct live_socket {
    hub *all;
    uint64_t number;
    int socket;
    wslay_event_context_ptr talk;
    studio_bytes early; /* came behind the request */
    size_t early_read;
    size_t budget;        /* bytes it may still read in this turn */
    int64_t work;         /* that its messages took in this turn, of LIMIT_TURN_WORK */
    studio_bytes waiting; /* messages that came too many for it: each with its length before it */
    size_t waiting_read;
    void (*closed)(void *user);
    void *user;
    bool broken;
    int64_t pinged_ms;
    bool awaits_pong;
    int64_t closing_ms; /* when the end was said; 0: it was not */
    live_stream *streams[LIMIT_STREAMS];
    uint64_t orders[LIMIT_STREAMS]; /* the last one for each; 0: none is on its way */
    uint64_t last_order;
    int pending;                          /* streams that are being made */
    struct live_play *plays[LIMIT_PLAYS]; /* characters that it steers */
    /* that will take their places when their graphs are open */
    struct live_play *awaited[LIMIT_PLAYS];
    struct live_react *reacts[LIMIT_REACTS];  /* who react to its main character */
    struct live_react *opening[LIMIT_REACTS]; /* who will, when all they need is open */
} live_socket;

/* A text for every client. */
typedef struct news {
    struct news *next;
    size_t count;
    char text[];
} news;

struct hub {
    shared *of;
    int wakes; /* an eventfd */
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows, down to the line */
    bool stopping, look;
    pool *workers;
    int socket_count; /* with those that wait to be taken in */
    news *first_news, *last_news;
    live_socket *arrived[LIMIT_SOCKETS];
    int arrived_count;
    hub_return *returned;                /* the last one first */
    void (*jobs_look)(struct jobs *all); /* of of->jobs; NULL: there are none yet */
    bool (*jobs_cancel)(struct jobs *all, int64_t number);
    /* ---- the thread's own ---- */
    bool joined;
    live_socket *sockets[LIMIT_SOCKETS];
    int count;
    uint64_t last_number;
    marey_ctx *ctx;
    marey_library *library;
    int64_t version;
    int64_t looked_ms;
    /* Graphs that are steered, or being opened for that. */
    struct live_stage *stages[LIMIT_STAGE_PLACES];
    int play_count; /* characters, those included that are awaited */
    /* Behaviours that are open, or being opened. */
    struct live_role *roles[LIMIT_ROLE_PLACES];
    int react_count;       /* who react, those included that are being opened */
    int64_t react_samples; /* that these keep sums of */
    /* What the files below call: a message came; see react_ready. */
    void (*take_message)(live_socket *client, const uint8_t *text, size_t count);
    void (*saved_ready)(hub *h, const struct live_saved *saved, const char *needs,
                        const marey_error *error);
};

/* ---- hub.c ----------------------------------------------------------------------------------- */

void hub_take_message(live_socket *client, const uint8_t *text, size_t count);

/* ---- hub_queue.c ----------------------------------------------------------------------------- */

int64_t hub_now_ns(void);

/* A context of one thread, counted against the studio's memory. Errors: false, and *out is NULL. */
bool hub_open_context(hub *h, marey_ctx **out);

/* These two from any thread. */
void hub_wake(hub *h);
void hub_give_back(hub *h, hub_return *done);

/* Calls `take` of all of them, in the order they came. */
void hub_take_back(hub_return *last);

/* A number of a message: `absent` if it is not there; NAN if it is something else. */
double message_number(const struct json_t *message, const char *name, double absent);
bool message_whole(const struct json_t *message, const char *name, double least, double most,
                   double absent, int64_t *out);

/* ---- live_socket.c --------------------------------------------------------------------------- */

bool socket_begin(live_socket *client); /* false: no memory */
void socket_free(live_socket *client);  /* what it plays must be over; tells its owner */
/* One more turn: what waits is done, as far as the turn goes; then what can be read is. */
void socket_turn(live_socket *client, bool can_read);
bool socket_waits(const live_socket *client); /* there are messages for its next turn */
void socket_write(live_socket *client);
/* pings, and gives up on who does not answer */
void socket_beat(live_socket *client, int64_t now_ms);
bool socket_is_over(const live_socket *client);
/* `kind` of a frame: WSLAY_TEXT_FRAME, or WSLAY_BINARY_FRAME of poses. */
void socket_send(live_socket *client, uint8_t kind, const void *data, size_t count);
/* takes it over; NULL is allowed */
void socket_send_json(live_socket *client, struct json_t *message);
void socket_send_error(live_socket *client, const char *message);
bool socket_can_take_pose(live_socket *client);

/* ---- live_stream.c --------------------------------------------------------------------------- */

/* false: none of these */
bool stream_message(live_socket *client, const char *type, const struct json_t *message);
void stream_end_all(live_socket *client); /* without a message: the socket is over */

/* Sends what is due. Returns when the next pose is, or INT64_MAX. */
int64_t stream_send_due(live_socket *client, int64_t now_ns);

/* ---- live_play.c ----------------------------------------------------------------------------- */

/* false: none of these */
bool play_message(live_socket *client, const char *type, const struct json_t *message);
void play_end_all(live_socket *client);                     /* without a message */
int64_t play_send_due(live_socket *client, int64_t now_ns); /* as stream_send_due */
/* As react_ready. */
void play_ready(live_socket *client, const struct live_saved *saved, const char *needs,
                const marey_error *error);

/* ---- live_stage.c ---------------------------------------------------------------------------- */

void stages_look(hub *h, int64_t now_ms); /* what was not used for a while goes */
void stages_stop(hub *h);                 /* with the last socket gone */
void stages_free(hub *h);                 /* with the last worker gone */

/* ---- live_react.c ---------------------------------------------------------------------------- */

/* false: none of these */
bool react_message(live_socket *client, const char *type, const struct json_t *message);
void react_end_all(live_socket *client); /* without a message */

/* A graph or a puppet is open, or the ground of a graph is found, or why not is known: those that
   wait for it on this socket go on, or are refused. `needs`: what would help; NULL: nothing. */
void react_ready(live_socket *client, const struct live_saved *saved, const char *needs,
                 const marey_error *error);

#endif
