/* clip_changes.h - what is asked and answered when clips are labelled, removed and brought back.
   Read after operation.h. */
#ifndef MAREY_APP_CLIP_CHANGES_H
#define MAREY_APP_CLIP_CHANGES_H

#include "operation.h"

typedef struct app_label_params {
    app_params given;
    app_segments clips;
    app_texts add, drop;
    const char *describe, *licence; /* NULL: as they were */
} app_label_params;

typedef struct app_label_result {
    const marey_clip_range *frames; /* of every clip that is named; end 0: it is meant as a whole */
    int stretches;                  /* so many are not */
} app_label_result;

typedef struct app_rm_params {
    app_params given;
    app_texts clips; /* none: all that were removed before */
    bool purge;
} app_rm_params;

/* A saved thing that is made of a clip. */
typedef struct app_user_of {
    const char *kind, *name;
} app_user_of;

typedef struct app_rm_result {
    const app_user_of *used_by; /* what is made of clips that were removed */
    int used_by_count;
    int purged, repairs; /* clips, and repairs that went with them */
    /* The library's path if another program reads what was purged; NULL: none does. */
    const char *read_elsewhere;
} app_rm_result;

typedef struct app_restore_params {
    app_params given;
    app_texts clips;
} app_restore_params;

typedef struct app_restore_result {
    const marey_named *clips; /* as many as were asked for, with the names they have now */
} app_restore_result;

#endif
