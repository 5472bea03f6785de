/* set_clips.h - what is asked and answered when rate, units, axes, roles and marks of clips are set
   right. Read after operation.h. */
#ifndef MAREY_APP_SET_CLIPS_H
#define MAREY_APP_SET_CLIPS_H

#include "operation.h"

typedef struct app_set_params {
    app_params given;
    app_texts clips;
    double source_fps; /* 0: as it is */
    int units, up;     /* 0: as they are */
    app_texts roles;   /* "left_knee=LeftLeg" */
    app_texts mark, unmark;
    bool reset;
} app_set_params;

/* What must be made again once clips are changed: saved things, and the match webs. */
typedef struct app_stale {
    const char *kind, *name; /* kind "index" has no name */
} app_stale;

typedef struct app_stale_list {
    app_stale *items;
    int count;
} app_stale_list;

typedef struct app_set_result {
    const marey_condition *clips; /* as they were */
    int count;
    const marey_repair_def *changes;
    app_stale_list stale;
    const char *library;
} app_set_result;

/* What depends on these clips. */
marey_status app_stale_find(const app_env *env, const int64_t *ids, int count, app_stale_list *out,
                            marey_error *error);
/* Once the clips are changed and `webs` match webs are gone: leaves out what is not stale, such as
   things that are good again since repairs were taken back. */
void app_stale_settle(const app_env *env, int webs, app_stale_list *list);
void app_stale_write(const app_stale_list *list, json *out); /* "stale" */

#endif
