/* find_motion.h - finding motion in a library: the index, searching by it, and query by example. Read after operation.h. */
#ifndef MAREY_APP_FIND_MOTION_H
#define MAREY_APP_FIND_MOTION_H

#include "metric_params.h"
#include "operation.h"

/* ---- the index ------------------------------------------------------------------------------------- */

typedef struct app_index_params {
    app_params given;
    double fps;
    bool rebuild, show, drop;
    double ceiling, valid, shortest, bridge, tail; /* of marey_web_def */
    int slope;
    bool levels;
    bool common_size;
    app_metric_params metric;
} app_index_params;

typedef struct app_index_result {
    const char *library; /* its path */
    marey_index_state state;
    marey_index_report report; /* of what was built */
} app_index_result;

#endif
