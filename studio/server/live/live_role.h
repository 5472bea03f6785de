/* live_role.h - puppets that are open to react by, each for as many as do. Read after live.h. */
#ifndef STUDIO_LIVE_ROLE_H
#define STUDIO_LIVE_ROLE_H

#include "live.h"
#include "puppets.h"

/* A puppet that is open. Never changes once it is ready; goes with the last who reacts by it. */
typedef struct role {
    task work; /* first, so that the worker's task is the role */
    hub_return back;
    hub *all;
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library when it was asked for */
    marey_ctx *ctx;  /* the worker's until it is ready, then the hub's */
    app_scope scope; /* of what follows */
    const marey_puppet *puppet;
    int64_t samples; /* those before its runs included */
    bool ready;
    marey_error error; /* why it could not be opened */
    int users;         /* those included who wait for it */
} role;

/* The puppet of this name, open or on its way, with one user more; NULL, with a sentence, if there are too many, or no
   memory. */
role *role_find(hub *all, const char *name, const char **wrong);
void role_leave(role *of);

#endif
