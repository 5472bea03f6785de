/* history_steps.h - what is asked and answered about the history of a library. Read after
   operation.h. */
#ifndef MAREY_APP_HISTORY_STEPS_H
#define MAREY_APP_HISTORY_STEPS_H

#include "operation.h"

typedef struct app_history_result {
    const marey_history_step *steps; /* the latest first */
    int count;
} app_history_result;

typedef struct app_undo_params {
    app_params given;
    int step; /* undo this one alone; 0: the last one */
    int to;   /* undo what came behind it, redo up to it */
} app_undo_params;

#endif
