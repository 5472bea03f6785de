/* example_store.h - the fragments of the library's clips that sketches are compared with. Cutting a library into fragments
   reads every clip, which can take seconds, and somebody draws meanwhile: so the last few sets are kept for all workers, opened
   once, with a context and a library of the store's own. Read after api_common.h. */
#ifndef STUDIO_EXAMPLE_STORE_H
#define STUDIO_EXAMPLE_STORE_H

#include "api_common.h"

typedef struct example_store example_store;

/* Which clips, by which degrees of freedom. */
typedef struct example_wish {
    const marey_dof *dofs;
    int dof_count;
    marey_example_def def;
    const char *label;    /* or NULL */
    const int64_t *clips; /* or NULL; neither: all */
    int clip_count;
    int64_t without; /* a clip that takes no part; 0: none */
} example_wish;

typedef struct example_set {
    const marey_examples *examples;
    const marey_named *clips; /* those that were looked at, by the numbers that examples has */
    int clip_count;
    double opened_s; /* what it took just now; 0: it was open */
    struct example_kept *kept;
} example_set;

marey_status example_store_open(shared *of, example_store **out, marey_error *error);
void example_store_stop(example_store *all);  /* cancels what is being opened, and all to come */
void example_store_close(example_store *all); /* nobody may use a set any more; NULL is allowed */

/* Forgets what nobody uses just now. NULL is allowed. */
void example_store_make_room(example_store *all);

/* The set of what the library is now. From any thread; example_store_leave must follow OK. INPUT: a clip is not there. REQUEST:
   no clip has the label, or these degrees of freedom (the message names what there is). MEMORY, CANCELLED, IO. */
marey_status example_store_use(studio_worker *worker, const example_wish *wish, example_set *out,
                               marey_error *error);
void example_store_leave(studio_worker *worker, const example_set *set);

/* What was told of the degrees of freedom of a state of the library, so that it is looked up once: false, it is not known. */
bool example_store_recall(studio_worker *worker, int64_t version, studio_bytes *out);
void example_store_remember(studio_worker *worker, int64_t version, const studio_bytes *text);

/* How many sets are kept, for the tests. */
int example_store_count(example_store *all);

#endif
