/* make.h - the operations that make motion out of motion: their parameters, which several share, and their results.
   Read after made.h and materials.h. */
#ifndef MAREY_APP_MAKE_H
#define MAREY_APP_MAKE_H

#include "made.h"
#include "materials.h"
#include "metric_params.h"

/* ---- rows that several have; `type` is the struct, with a member of the same name ------------------ */

#define APP_STRETCH_PARAM(struct_type) APP_STRETCH_PARAM_AT(offsetof(struct_type, stretch))
#define APP_STRETCH_PARAM_AT(place_in_struct)                                                      \
    {                                                                                              \
        .name = "stretch", .type = APP_NUMBER, .at = (place_in_struct), .value = "SHARE",          \
        .least = 0, .most = 0.2,                                                                   \
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

#define APP_HALF_PARAM(struct_type)                                                                \
    {                                                                                              \
        .name = "half", .type = APP_WHOLE, .at = offsetof(struct_type, half), .value = "N",        \
        .least = 1, .most = MAREY_MOST_HALF,                                                       \
        .help = "frames on each side of the centre that are blended (default: a quarter of a "     \
                "second)"                                                                          \
    }

#define APP_SLOPE_PARAM(struct_type)                                                               \
    {                                                                                              \
        .name = "slope", .type = APP_WHOLE, .at = offsetof(struct_type, slope), .value = "L",      \
        .least = 1, .most = 8,                                                                     \
        .help = "at most this many steps in a row along one clip alone, "                          \
                "by default 2"                                                                     \
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

/* ---- loop ------------------------------------------------------------------------------------------ */

typedef struct app_loop_params {
    app_params given;
    app_segment clip;
    int count, half, slope;
    double shortest, longest, stretch;
    app_pair at;
    bool in_place, still, no_clean, found;
    app_metric_params metric;
    app_reading reading;
} app_loop_params;

typedef struct app_loop_result {
    app_materials all;
    app_metric metric;
    int half; /* as used */
    /* Best first, in frames of the clip that is used; all were made, for how well they close. */
    marey_loop *loops;
    int count;
    app_made made; /* the first, if a clip is wanted */
} app_loop_result;

/* ---- transition ------------------------------------------------------------------------------------ */

/* Behind the methods of blending. */
enum { APP_METHOD_CUT = MAREY_BLEND_METHOD_COUNT };

typedef struct app_transition_params {
    app_params given;
    app_segment a, b;
    int count, half, slope, method;
    double within, below, stretch;
    app_pair at, near;
    bool no_clean, found;
    app_metric_params metric;
    app_reading reading;
} app_transition_params;

typedef struct app_transition_result {
    app_materials all;
    app_metric metric;
    int half; /* as used */
    double below;
    /* Best first, in frames of the clips that are used. */
    marey_cut *cuts;
    int count;
    /* What the best one costs, whatever the limit; infinite if there is no room for any. */
    double cheapest;
    app_made made; /* of the best cut, if a clip is wanted */
} app_transition_result;

/* Makes the clip of one cut, as `made` of the result is made; its clip and plants live in the scope. */
marey_status app_transition_make(const app_env *env, const app_transition_params *params,
                                 const app_transition_result *of, const marey_cut *cut,
                                 bool leave_feet, marey_made *out, marey_error *error);

#endif
