/* searching_inside.h - what a studio's searcher keeps. Read after searching.h; only searching.c and
   its tests includes it. */
#ifndef STUDIO_SEARCHING_INSIDE_H
#define STUDIO_SEARCHING_INSIDE_H

#include "example_store.h"
#include "searching.h"

enum { SEARCH_PATIENCE_MS = 1000 };

typedef struct remembered {
    int64_t number; /* 0: the place is free */
    marey_finding *finding;
} remembered;

struct searching {
    pthread_mutex_t lock; /* for the next seven; short */
    pthread_cond_t free;
    bool busy; /* a thread has all that follows these */
    bool deep; /* .. and may take long */
    bool closing;
    int quick_waiting, deep_waiting;
    int patience_ms;          /* so long who searches deep need not care about others who would */
    example_store *examples;  /* which has locks of its own */
    studio_worker self;       /* but for cancelling its context, which is done under the lock */
    marey_searcher *searcher; /* NULL: none is open */
    /* Of the studio's library and these of its neighbours, in this order; NULL: none is open. */
    marey_searcher *several;
    marey_library *beside[MAREY_MOST_LIBRARIES];
    int neighbours[MAREY_MOST_LIBRARIES], beside_count;
    int64_t last_number;
    remembered places[LIMIT_FINDINGS]; /* each at the rest of its number */
};

#endif
