/* puppet_live.h - characters that react to a client's main character, step by step, over its WebSocket. All of it is the hub's
   thread's, but for what is opened, which workers do. Read after play.h.

   puppet_role.c   the behaviours that are open, each for as many as react by it
   puppet_live.c   who reacts: their lives
   puppet_say.c    what clients say to them
   puppet_react.c  their steps, and what is sent of them */
#ifndef STUDIO_PUPPET_LIVE_H
#define STUDIO_PUPPET_LIVE_H

#include "play.h"

/* ---- puppet_role.c ------------------------------------------------------------------------------ */

/* A behaviour that is open. Never changes once it is ready; goes with the last who reacts by it. */
typedef struct role {
    task work; /* first, so that the worker's task is the role */
    landed back;
    hub *all;
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library when it was asked for */
    marey_ctx *ctx;  /* the worker's until it is ready, then the hub's */
    marey_puppet *puppet;
    int64_t samples; /* those before its runs included */
    bool ready;
    marey_error error; /* why it could not be opened */
    int users;         /* those included who wait for it */
} role;

/* The behaviour of this name, open or on its way, with one user more; NULL, with a sentence, if there are too many, or no
   memory. */
role *role_find(hub *all, const char *name, const char **wrong);
void role_leave(role *of);

/* ---- puppet_live.c ------------------------------------------------------------------------------ */

typedef struct react_place { /* of the main character */
    double time_s;
    marey_entity at;
} react_place;

/* Somebody who reacts. A worker's while it is being opened, then the hub's. */
typedef struct reacting {
    task work; /* first, so that the worker's task is this */
    landed back;
    live_socket *on; /* unless it is dropped */
    hub *all;
    int number;
    role *by;
    stage *stands; /* of its body; NULL: it has none */
    marey_reactor_def def;
    react_place last; /* the last place of the main character that it knows */
    bool opens;       /* a worker has it */
    bool dropped;     /* .. and nobody wants it any more */
    marey_error error;
    marey_ctx *ctx;
    int64_t samples; /* counted in hub.react_samples */
    marey_reactor *reactor;
    marey_body *body;
    play_pose pose;
    double begun_s;        /* when it would have begun, had no time been skipped */
    int64_t steps, bodied; /* that it took; frames of its body behind the first */
    marey_entity before;
    marey_puppet_frame frame;
    double away_cm;
    bool skipped; /* the last message was too much for it, and it was said */
} reacting;

/* Opens it as soon as all that it needs is open; it must be one that its socket waits for. */
void react_try(live_socket *on, int number);
void react_open(studio_worker *worker, task *self); /* on a worker's thread */
void react_back(landed *self);                      /* it is open, or could not be opened */

/* Takes it from where it is held, which may be empty. */
void react_drop(reacting **held_at);

/* A role is open, or could not be opened. */
void react_role_ready(live_socket *on, role *of);

__attribute__((format(printf, 4, 5))) void react_refuse(live_socket *on, int number,
                                                        const char *needs, const char *format, ...);

/* ---- puppet_react.c ----------------------------------------------------------------------------- */

/* What it is before its first step; its body takes its first frame, where it stands. */
void react_begin(reacting *one);

/* What the places come to in work; and that work, or not: then no time has passed for it. */
int64_t react_work(const reacting *one, const react_place *places, int count);
void react_go(reacting *one, const react_place *places, int count);
void react_skip(reacting *one, const react_place *places, int count);

/* How they all are now, as one message; false: out of memory. */
bool react_write(const live_socket *on, double time_s, studio_bytes *out);

#endif
