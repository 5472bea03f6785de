/* searching.h - the one searcher of a studio, and what was found by it last. A searcher holds the
   webs that it has read, which can be hundreds of megabytes, so all workers share one, with a
   context and a library of its own, and take turns. Read after api_common.h. */
#ifndef STUDIO_SEARCHING_H
#define STUDIO_SEARCHING_H

#include "api_common.h"
#include "find_motion.h"

typedef struct searching searching;

marey_status searching_open(shared *common, searching **out, marey_error *error);
void searching_stop(searching *search); /* cancels what runs, and every search to come */
void searching_close(searching *search);

/* Has the searcher let go of what it holds, unless a search is running, and sketches of what is not
   in use. NULL is allowed. */
void searching_make_room(searching *search);

/* As app_finder has it, for a worker: searches, and remembers what was found. `label`, `clips` and
   `search` of `def` count. With one tier it is quick, and goes first; a deeper one is stopped by
   it, or by another deep one after a second, and answers what it had by then, at least a tier. No
   other search runs until the scope closes. */
marey_status searching_find(void *worker, app_scope *scope, const app_libraries *libraries,
                            const marey_query *query, const marey_find_def *def, app_found *out,
                            marey_error *error);

/* As app_finder has it: what was found under this number. No other search runs until the scope
   closes. */
marey_status searching_lend(void *worker, app_scope *scope, int64_t number, app_found *out,
                            marey_error *error);

/* INPUT because of damaged match webs is no fault of the request, which can be sent again
   when they are made anew: 409. */
void searching_fail(marey_library *library, const marey_error *error, studio_response *response);

/* What was found under this number; false: 404. As above searching_leave must follow true. */
bool searching_recall(studio_worker *worker, int64_t number, const marey_finding **out,
                      studio_response *response);
void searching_leave(studio_worker *worker);

#endif
