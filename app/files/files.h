/* files.h - motion that comes from files and goes into files: parameters and results. Read after made.h. */
#ifndef MAREY_APP_FILES_H
#define MAREY_APP_FILES_H

#include "made.h"

/* ---- convert ------------------------------------------------------------------------------------- */

typedef struct app_convert_params {
    app_params given;
    app_segments clips;
    const char *trim;
    bool mirror, in_place, align;
    double scale, fps; /* 0: as they are */
    int out_units, out_up;
    app_reading reading;
} app_convert_params;

typedef struct app_convert_result {
    app_made made;
    /* As they are written: a GLB is in metres with y up, whatever its clip came in. */
    const char *units, *up;
} app_convert_result;

#endif
