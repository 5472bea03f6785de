/* live_stage.h - graphs and puppets that are open for clients, each shared by as many characters as
   use it. They belong to the hub's thread; workers open them. Read after live.h. */
#ifndef STUDIO_LIVE_STAGE_H
#define STUDIO_LIVE_STAGE_H

#include "live.h"
#include "puppets.h"
#include "requests.h"

/* What graphs and puppets have in common. A worker's until it is ready, then the hub's. */
typedef struct live_saved {
    task work; /* first, so that the worker's task is the saved thing */
    hub_return back;
    hub *all;
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library when it was requested */
    marey_ctx *ctx;
    app_scope scope; /* of what the worker loads */
    marey_status (*load)(struct live_saved *saved, app_env *env, marey_error *error);
    bool ready;
    marey_error error; /* why it could not be opened */
    int users;         /* characters, those included that wait for it */
} live_saved;

typedef enum ground_state { GROUND_NONE, GROUND_SOUGHT, GROUND_FOUND } ground_state;

/* What bodies share of a graph. A worker's while it is sought, then the hub's. */
typedef struct stage_ground {
    task work; /* first, so that the worker's task is the ground */
    hub_return back;
    struct live_stage *stage;
    ground_state state;
    marey_ctx *ctx;
    marey_body_ground *found;
    marey_error error; /* why it was not found */
} stage_ground;

/* What characters of a graph may be asked for by one name: a family that is joined to the graph, or
   an action. Never changes once it is ready; lives as long as its stage. */
typedef struct stage_motion {
    live_saved saved; /* first */
    struct live_stage *stage;
    app_request as; /* its family and name; of an action without a family */
} stage_motion;

/* A graph that is open to be steered. Never changes once it is ready, but for its ground and its
   motions. */
typedef struct live_stage {
    live_saved saved; /* first */
    const app_saved_graph *opened;
    const marey_parts *parts;
    const marey_graph *graph;
    marey_controller_kind kind;
    marey_policy *policy; /* one of the two, by its kind */
    marey_matching *matching;
    bool needs_policy; /* why it could not be opened */
    int64_t idle_ms;   /* since when it has no users */
    stage_ground ground;
    stage_motion *motions[LIMIT_STAGE_MOTIONS];
} live_stage;

/* A puppet that is open to react by. Never changes once it is ready; goes with its last user. */
typedef struct live_role {
    live_saved saved; /* first */
    const marey_puppet *puppet;
    int64_t samples; /* those before its runs included */
} live_role;

/* The graph of this name, open or on its way, to be steered by this kind of controller. Errors: NULL, with a sentence, if there are too many,
   or no memory. */
live_stage *stage_find(hub *h, const char *name, marey_controller_kind kind, const char **wrong);
void stage_leave(live_stage *stage); /* one user less */

/* Looks for the ground of a stage that is ready, unless it is found or sought. */
void ground_request(live_stage *stage);

/* What a stage that is ready has by this name, open or on its way. Errors as stage_find. */
stage_motion *motion_find(live_stage *stage, const char *name, const char **wrong);

/* The puppet of this name, open or on its way, with one user more. Errors as stage_find. */
live_role *role_find(hub *h, const char *name, const char **wrong);
void role_leave(live_role *role);

#endif
