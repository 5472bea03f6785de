/* make.h - the operations that make motion out of motion: their parameters, which several share,
   and their results. Read after comparison.h and materials.h. */
#ifndef MAREY_APP_MAKE_H
#define MAREY_APP_MAKE_H

#include "body_maps.h"
#include "comparison.h"
#include "file_batch.h"
#include "materials.h"
#include "metric_params.h"
#include "pins.h"

/* ---- rows that several have; `type` is the struct, with a member of the same name ------------ */

#define APP_STRETCH_PARAM(struct_type) APP_STRETCH_PARAM_AT(offsetof(struct_type, stretch))
#define APP_STRETCH_PARAM_AT(place_in_struct)                                                      \
    {                                                                                              \
        .name = "stretch", .type = APP_NUMBER, .at = (place_in_struct), .value = "SHARE",          \
        .least = 0, .most = 0.2,                                                                   \
        .help = "bones of the legs may get longer by this share near full extension (default: "    \
                "0.03 where the file has room for that, else 0)"                                   \
    }

#define APP_FOUND_PARAM(struct_type) APP_FOUND_PARAM_AT(offsetof(struct_type, found))
#define APP_FOUND_PARAM_AT(place_in_struct)                                                        \
    {                                                                                              \
        .name = "found", .type = APP_SWITCH, .at = (place_in_struct),                              \
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

#define APP_SLOPE_PARAM(struct_type) APP_SLOPE_PARAM_AT(offsetof(struct_type, slope))
#define APP_SLOPE_PARAM_AT(place_in_struct)                                                        \
    {                                                                                              \
        .name = "slope", .type = APP_WHOLE, .at = (place_in_struct), .value = "L", .least = 1,     \
        .most = 8,                                                                                 \
        .help = "at most this many steps in a row along one clip alone, "                          \
                "by default 2"                                                                     \
    }

/* Zero stands for the default in marey_clean_def, and for none in a parameter. */
double app_stretch(const app_param *rows, const app_params *params, double stretch);

/* ---- retarget -------------------------------------------------------------------------------- */

typedef struct app_retarget_params {
    app_params given;
    app_segments clips;
    app_segment onto;
    app_segments map_of; /* only the map of these two is asked for */
    app_document map;
    app_texts keep;
    bool in_place, found;
    int to; /* app_written_word, of a folder's files */
    app_reading reading;
} app_retarget_params;

/* One clip on the other body. */
typedef struct app_retargeted {
    const char *text; /* as it was asked for */
    int frames;
    marey_retarget_result report;
    marey_quality quality;
    /* How deep the source clip is in the floor, in proportion; NaN: its plants are others. */
    double source_sinks_cm;
} app_retargeted;

typedef struct app_retarget_result {
    app_materials all;
    app_made made;
    const marey_clip *onto;
    app_map map;
    app_retargeted one;
    const char *map_text;  /* of map_of, or NULL */
    app_retargeted *items; /* of several that went into a folder; NULL: it was one */
    int count;
    app_batch many;
} app_retarget_result;

/* ---- clean ----------------------------------------------------------------------------------- */

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

/* ---- loop ------------------------------------------------------------------------------------ */

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
    bool over_limit; /* the best closes worse than hardly shows */
    app_made made;   /* the first, if a clip is wanted */
} app_loop_result;

/* ---- transition ------------------------------------------------------------------------------ */

/* Behind the methods of blending. */
enum { APP_METHOD_CUT = MAREY_BLEND_METHOD_COUNT };

typedef struct app_transition_params {
    app_params given;
    app_segment a, b;
    int count, half, slope, method;
    double within, below, stretch;
    app_pair at, near;
    frame_range leave, enter;
    bool anywhere, no_clean, found;
    app_metric_params metric;
    app_reading reading;
} app_transition_params;

typedef struct app_transition_result {
    app_materials all;
    app_metric metric;
    int half; /* as used */
    double below;
    /* Where the first may be left and the second entered, as in their files; both 0: anywhere. */
    struct app_span {
        int start, end; /* exclusive */
    } spans[2];
    /* Best first, in frames of the clips that are used. */
    marey_cut *cuts;
    int count;
    /* What the best one costs, whatever the limit; infinite if there is no room for any. */
    double cheapest;
    bool skips;    /* none leaves what both clips are about */
    app_made made; /* of the best cut, if a clip is wanted */
} app_transition_result;

/* Makes the clip of one cut, as `made` of the result is made; its clip and plants live in the
   scope. */
marey_status app_transition_make(const app_env *env, const app_transition_params *params,
                                 const app_transition_result *result, const marey_cut *cut,
                                 bool leave_feet, marey_made *out, marey_error *error);

/* ---- registrations --------------------------------------------------------------------------- */

enum { APP_MOST_MOTIONS = 256 }; /* as many as a library keeps in one registration */

/* Which clips belong together, and how that is found; or a registration that the library keeps. */
typedef struct app_motions {
    app_segments clips;
    const char *curve; /* NULL: the clips */
    int reference, slope;
    bool found;
    app_texts through; /* pins */
    app_metric_params metric;
    app_reading reading;
} app_motions;

/* Rows for the member `motions` of the struct `owner`. */
#define APP_CURVE_PARAM(owner)                                                                     \
    {                                                                                              \
        .name = "curve", .type = APP_TEXT, .at = offsetof(owner, motions.curve), .value = "NAME",  \
        .help = "the registration that the library keeps under this name, with its clips"          \
    }

#define APP_REFERENCE_PARAM(owner)                                                                 \
    {                                                                                              \
        .name = "reference", .type = APP_WHOLE, .at = offsetof(owner, motions.reference),          \
        .value = "N", .least = 1, .most = APP_MOST_MOTIONS,                                        \
        .help = "align the others with clip N, counted from 1 (default: the one that is nearest "  \
                "to all)"                                                                          \
    }

typedef struct app_registered {
    app_materials all;
    app_metric metric; /* points into itself: not to be copied */
    marey_registration *registration;
} app_registered;

/* The clips, or a curve without what it was made with. REQUEST. */
marey_status app_motions_check(const app_param *rows, const app_params *given,
                               const app_motions *motions, app_dialect dialect, marey_error *error);

/* Loads and registers them, or opens the kept one, unless env->cache has it. INPUT, REQUEST,
   LIMIT. */
marey_status app_registered_open(const app_env *env, const app_motions *motions,
                                 const app_registered **out, marey_error *error);

/* The frame as in its file or library that a motion shows at u. */
double app_registered_frame(const app_registered *registered, int motion, double u);

/* ---- blend ----------------------------------------------------------------------------------- */

typedef struct app_blend_params {
    app_params given;
    app_motions motions;
    app_numbers weights;
    app_table keys; /* of --weights-file: seconds, then a weight of each clip */
    int method, place;
    double fps, stretch;
    bool no_clean;
} app_blend_params;

typedef struct app_blend_result {
    const app_registered *from;
    double *weights; /* scaled to sum 1; NULL: they change over time */
    app_made made;
} app_blend_result;

/* ---- align, curves --------------------------------------------------------------------------- */

typedef struct app_align_params {
    app_params given;
    app_motions motions;
    app_pair from, to, through;
    const char *save, *normalize;
    double fps;
    bool registration;
} app_align_params;

/* The path through the grid of two clips. */
typedef struct app_alignment {
    app_materials all;
    app_comparison compared; /* of the clips in `all` */
    marey_path path;
    double seconds;
} app_alignment;

typedef struct app_align_result {
    const app_registered *registered; /* NULL: the path of two */
    app_alignment *pair;              /* NULL: their registration */
    const char *about;                /* of what is saved */
    marey_part *parts;
} app_align_result;

typedef struct app_curves_params {
    app_params given;
    const char *rm;
} app_curves_params;

typedef struct app_curves_list {
    const marey_kept_entry *entries;
    int count;
} app_curves_list;

#endif
