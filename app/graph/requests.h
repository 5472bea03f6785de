/* requests.h - `--do 'kick(height=95)@300'`: motions of families that are asked for in a walk. Read
   after motion_graphs.h and families.h. */
#ifndef MAREY_APP_REQUESTS_H
#define MAREY_APP_REQUESTS_H

#include "families.h"
#include "motion_graphs.h"

enum { APP_MOST_REQUESTS = 64, APP_REQUEST_ROOM = 256 };

/* As it was written: a family, numbers by name, and where or when. */
typedef struct app_request_text {
    char room[APP_REQUEST_ROOM]; /* of its names */
    /* "height" = 95: of each number the name that it stands behind, as a place in `room`. */
    int count;
    int names[MAREY_MOST_PARAM_DIMS];
    double values[MAREY_MOST_PARAM_DIMS];
    /* "@300", "@3m": cm; "@4s": seconds; "@end"; nothing. */
    enum { APP_REQUEST_NOWHERE, APP_REQUEST_ALONG, APP_REQUEST_TIME, APP_REQUEST_END } where;
    double at;
} app_request_text;

/* REQUEST: what is wrong with it. */
marey_status app_request_read(const char *text, app_request_text *out, marey_error *error);

/* One that was asked for, in a graph. */
typedef struct app_request {
    app_request_text text;
    app_saved_family *from;
    marey_graph_family *joined; /* in the scope */
    double wanted[MAREY_MOST_PARAM_DIMS];
} app_request;

/* Opens the families and joins them to the graph. What is left open is as in the motion that is
   nearest in what is given. */
marey_status app_requests_open(const app_env *env, const app_texts *texts,
                               const app_saved_graph *saved, app_request **out, marey_error *error);

/* Finds the walk, searches again where it has faults, and leaves it in out->clip. */
marey_status app_requests_perform(const app_env *env, marey_walk_def *def, app_walked *out,
                                  marey_error *error);

/* "requests": [...] */
void app_requests_write(const app_graph_clip *clip, json *out);

#endif
