/* example_store.h - the fragments of the library's clips that queries by example are compared with.
   Cutting a library into fragments reads every clip, which can take seconds, and a user draws
   meanwhile: so the last few sets are kept for all workers, opened once, with a context and a
   library of the store's own. Read after api_common.h. */
#ifndef STUDIO_EXAMPLE_STORE_H
#define STUDIO_EXAMPLE_STORE_H

#include "api_common.h"
#include "find_example.h"

typedef struct example_store example_store;

marey_status example_store_open(shared *item, example_store **out, marey_error *error);
void example_store_stop(example_store *store);  /* cancels what is being opened, and all to come */
void example_store_close(example_store *store); /* no set may be in use any more; NULL is allowed */

/* Forgets what is not in use. NULL is allowed. */
void example_store_make_room(example_store *store);

/* As app_finder has it, for a worker: the set of what the library is now, lent until the scope
   closes. From any thread. Fails as app_example_open does. */
marey_status example_store_use(void *worker, app_scope *scope, const app_example_choice *choice,
                               app_example_set *out, marey_error *error);

/* What was told of the degrees of freedom of a state of the library, so that it is looked up once:
   false, it is not known. */
bool example_store_recall(studio_worker *worker, int64_t version, studio_bytes *out);
void example_store_remember(studio_worker *worker, int64_t version, const studio_bytes *text);

/* How many sets are kept, for the tests. */
int example_store_count(example_store *store);

#endif
