/* make.h - the operations that make motion out of motion: their parameters, which several share, and their results.
   Read after made.h and materials.h. */
#ifndef MAREY_APP_MAKE_H
#define MAREY_APP_MAKE_H

#include "made.h"
#include "materials.h"

/* ---- rows that several have; `type` is the struct, with a member of the same name ------------------ */

#define APP_STRETCH_PARAM(struct_type)                                                             \
    {                                                                                              \
        .name = "stretch", .type = APP_NUMBER, .at = offsetof(struct_type, stretch),               \
        .value = "SHARE", .least = 0, .most = 0.2,                                                 \
        .help = "bones of the legs may get longer by this share near full extension (default: "    \
                "0.03 where the file has room for that, else 0)"                                   \
    }

#define APP_FOUND_PARAM(struct_type)                                                               \
    {                                                                                              \
        .name = "found", .type = APP_SWITCH, .at = offsetof(struct_type, found),                   \
        .help = "find the plants in the motion, whatever the library keeps"                        \
    }

#define APP_NO_CLEAN_PARAM(struct_type)                                                            \
    {                                                                                              \
        .name = "no-clean", .type = APP_SWITCH, .at = offsetof(struct_type, no_clean),             \
        .help = "do not hold planted feet in place"                                                \
    }

/* Zero stands for the default in marey_clean_def, and for none in a parameter. */
double app_stretch(const app_param *rows, const app_params *params, double stretch);

/* ---- clean ----------------------------------------------------------------------------------------- */

typedef struct app_clean_params {
    app_params given;
    app_segment clip;
    double ease, stretch;
    bool keep_root, found;
    app_reading reading;
} app_clean_params;

typedef struct app_clean_result {
    app_materials all;
    marey_quality before, after;
    app_made made;
} app_clean_result;

#endif
