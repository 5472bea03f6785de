/* requests.h - `--do 'kick(height=95)@300'`: motions of families that are asked for in a walk, and
   actions in play. Read after motion_graphs.h and families.h. */
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
    app_saved_family *from;     /* NULL: an action, whose label is the text's name */
    marey_graph_family *joined; /* in the scope */
    double wanted[MAREY_MOST_PARAM_DIMS];
    int done; /* which of the performance's motions it is; -1: none */
    /* Of one in play: how the controller knows it, how long it took until it began, and of an action
       its frames of the walk. */
    int number;
    double waited_s;
    int first, frames;
} app_request;

/* ---- one at a time: its text is read, then it is found and settled, and joined if it is a family's
   motion ----------------------------------------------------------------------------------------- */

/* What its name means: a family of the library; or, with `actions`, a label of the graph.
   NOT_FOUND: neither. */
marey_status app_request_find(const app_env *env, const app_saved_graph *saved, bool actions,
                              app_request *one, marey_error *error);

/* The numbers that are wanted. What is left open is as in the motion that is nearest in what is
   given. REQUEST: a name that means none of them, or several; too many or too few. */
marey_status app_request_settle(app_request *one, marey_error *error);

/* Joins its family to the graph. */
marey_status app_request_join(const app_env *env, const app_saved_graph *saved, app_request *one,
                              marey_error *error);

/* ---- all that are asked for -------------------------------------------------------------------- */

/* Opens the families and joins them to the graph. What is left open is as in the motion that is
   nearest in what is given. `actions`: labels of the graph may be asked for, too, if no family has
   that name. */
marey_status app_requests_open(const app_env *env, const app_texts *texts,
                               const app_saved_graph *saved, bool actions, app_request **out,
                               marey_error *error);

/* Finds the walk, searches again where it has faults, and leaves it in out->clip. */
marey_status app_requests_perform(const app_env *env, marey_walk_def *def, app_walked *out,
                                  marey_error *error);

/* What was played, with the families' motions that began in it, as the clip's walk. */
marey_status app_requests_played(const app_env *env, const marey_steered *frames, int count,
                                 app_graph_clip *clip, marey_error *error);

/* "requests": [...] */
void app_requests_write(const app_graph_clip *clip, json *out);

#endif
