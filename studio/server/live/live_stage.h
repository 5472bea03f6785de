/* live_stage.h - graphs that are open to be gone through, with their policies. All of it is the hub's thread's, but for the opening,
   which workers do. Read after live.h. */
#ifndef STUDIO_LIVE_STAGE_H
#define STUDIO_LIVE_STAGE_H

#include "live.h"
#include "puppets.h"

typedef enum ground_state { GROUND_NONE, GROUND_SOUGHT, GROUND_FOUND } ground_state;

/* What bodies share of a graph. A worker's while it is sought, then the hub's. */
typedef struct stage_ground {
    task work; /* first, so that the worker's task is the ground */
    hub_return back;
    struct stage *of;
    ground_state state;
    marey_ctx *ctx;
    marey_body_ground *found;
    marey_error error; /* why it was not found */
} stage_ground;

/* A graph that is open to be steered. Never changes once it is ready, but for its ground. */
typedef struct stage {
    task work; /* first, so that the worker's task is the stage */
    hub_return back;
    hub *all;
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library when it was asked for */
    marey_ctx *ctx;  /* the worker's until it is ready, then the hub's */
    app_scope scope; /* of what follows */
    const marey_parts *parts;
    const marey_graph *graph;
    marey_policy *policy;
    bool ready;
    marey_error error; /* why it could not be opened */
    bool needs_policy; /* that is why */
    int users;         /* characters, those included that wait for it */
    int64_t idle_ms;   /* since when there are none */
    stage_ground ground;
} stage;

/* The graph of this name, open or on its way; NULL, with a sentence, if there are too many, or no memory. */
stage *stage_find(hub *all, const char *name, const char **wrong);
void stage_leave(stage *of); /* one user less */

/* Of one that is ready: what bodies know of it is looked for, unless it is there, or sought. */
void ground_want(stage *of);

#endif
