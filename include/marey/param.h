/* param.h - drag the hand, get the reach: families of motions of one kind, whose blends are asked for by what they do
   (webs, 6.3). Read after blend.h; library.h keeps families. */
#ifndef MAREY_PARAM_H
#define MAREY_PARAM_H

#include <marey/blend.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters: what a motion does, as numbers ------------------------------------------------ */

enum { MAREY_MOST_PARAMS = 8, MAREY_MOST_PARAM_DIMS = 12, MAREY_PARAM_NAME_ROOM = 64 };

/* Rows of a table: `marey param features`, menus and tests list it. */
typedef struct marey_param_kind {
    const char *name; /* "position" */
    const char *form; /* "position(JOINT, WHEN, FROM)" */
    const char *about;
    const char *unit;    /* "cm", "deg", "s", "cm/s", "deg/s", "deg/m", "" */
    int dims;            /* numbers that it is */
    const char *axes[3]; /* what each is called: "x" */
    bool whole;          /* it looks at all frames, not at one moment */
} marey_param_kind;

MAREY_API const marey_param_kind *marey_param_kind_find(int index); /* NULL past the last */

/* Moments. In a family a moment belongs to a place on the registration curve: where it is in the examples, on the mean. */
typedef enum marey_param_when {
    MAREY_WHEN_NONE, /* the parameter looks at the whole motion */
    MAREY_WHEN_START,
    MAREY_WHEN_END,
    MAREY_WHEN_APEX,    /* the joint is farthest from the hips, compared with where it starts */
    MAREY_WHEN_HIGHEST, /* the joint is highest */
    MAREY_WHEN_LOWEST,  /* the hips are lowest */
    MAREY_WHEN_FRAME,   /* a frame of the first example, counted from its start */
    MAREY_WHEN_COUNT
} marey_param_when;

/* Positions are relative to ... x to the left, y up from the floor, z ahead; world: as they are. */
typedef enum marey_param_from {
    MAREY_FROM_START, /* the floor under the hips at the start, facing as the body did then */
    MAREY_FROM_ROOT,  /* the same of that moment, and y from the hips */
    MAREY_FROM_WORLD,
    MAREY_FROM_COUNT
} marey_param_from;

typedef enum marey_param_amount {
    MAREY_AMOUNT_MEAN,
    MAREY_AMOUNT_LEAST,
    MAREY_AMOUNT_GREATEST,
    MAREY_AMOUNT_COUNT
} marey_param_amount;

/* Their names, "apex", "start", "greatest", with what each means; lives forever. */
MAREY_API const char *marey_param_when_name(marey_param_when when, const char **about);
MAREY_API const char *marey_param_from_name(marey_param_from from, const char **about);
MAREY_API const char *marey_param_amount_name(marey_param_amount amount);

typedef struct marey_param {
    const marey_param_kind *kind;
    char
        joint[MAREY_PARAM_NAME_ROOM]; /* a joint's name or a role's, "RightHand" or "right_wrist" */
    char label[MAREY_PARAM_NAME_ROOM]; /* of label(NAME) */
    marey_param_when when;
    int frame;
    marey_param_from from;
    marey_param_amount amount;
} marey_param;

/* "position(RightHand, apex, start)"; what is left out behind has its default: apex, start, mean. Blanks do not matter.
   REQUEST: the message says what was expected where, and the nearest name. */
MAREY_API marey_status marey_param_parse(const char *text, marey_param *out, marey_error *error);

/* The text that gives it again; returns the length of the whole, cut to room. */
MAREY_API size_t marey_param_text(const marey_param *param, char *text, size_t room);

/* The joint it is about; -1: none. REQUEST: the skeleton has no such joint; the message names one that is like it. */
MAREY_API marey_status marey_param_joint(const marey_param *param, const marey_skeleton *skeleton,
                                         int *joint, marey_error *error);

/* The moment in a motion of its own: a frame between frames is interpolated, NaN if it has none. */
MAREY_API marey_status marey_param_moment(const marey_param *param, const marey_clip *clip,
                                          double *frame, marey_error *error);

/* Its numbers for a clip, kind->dims of them. frame: the moment; negative: the clip's own. REQUEST: no such joint; a
   label, which is not in the motion. MEMORY. */
MAREY_API marey_status marey_param_measure(const marey_param *param, const marey_clip *clip,
                                           double frame, double *values, marey_error *error);

/* The origin of its positions in a clip, at such a frame (negative: the clip's own moment): a position v is at
   origin + v turned by *angle about the vertical, x + v.x cos + v.z sin, z - v.x sin + v.z cos. MEMORY, REQUEST. */
MAREY_API marey_status marey_param_origin(const marey_param *param, const marey_clip *clip,
                                          double frame, double origin[3], double *angle_rad,
                                          marey_error *error);

/* ---- families ---------------------------------------------------------------------------------- */

/* Examples of one motion, registered, with samples of what their blends do. Never changes once made; any thread may ask. */
typedef struct marey_family marey_family;

typedef struct marey_family_def { /* leave a field zero for its default */
    const marey_param *params;    /* param_count of them, at least one */
    int param_count;
    const double *
        label_values; /* examples x (how many params are labels): what label(NAME) is for each example */
    const marey_registration_def
        *registration; /* the tree of pairs and their alignments, from a match graph */
    int samples;       /* tried; default 1000; negative: the examples alone */
    double
        grow; /* how much the box of the examples' values is larger than they need; default 0.2 */
    double
        delta; /* weights are within -delta .. 1 + delta; default 0.1; negative: 0, nothing is extrapolated */
    double apart;  /* no two samples closer than this; default 1.27, half an inch; negative: 0 */
    int nearest;   /* samples that an answer is made of; default 12 */
    uint64_t seed; /* default 1 */
} marey_family_def;

/* Examples are given as for marey_registration_build: on the first one's bones, without marked frames. With a label among the
   parameters there are no samples but the examples (6.4.2). Distances between values are Euclidean if all have one
   unit; else each parameter is scaled so that the examples' box has a diagonal of 100, and `apart` is in these. The
   same samples on every machine. SHAPE, MEMORY, CANCELLED. REQUEST: as for registrations; no parameter, too many
   numbers; examples that all do the same. */
MAREY_API marey_status marey_family_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                          const marey_contacts *contacts,
                                          const marey_family_def *def, marey_family **out,
                                          marey_error *error);
MAREY_API void marey_family_free(marey_family *family); /* NULL is allowed */

/* Everything here is borrowed until free. */
MAREY_API const marey_registration *marey_family_registration(const marey_family *family);
MAREY_API const marey_param *marey_family_params(const marey_family *family, int *count);
MAREY_API int marey_family_dims(const marey_family *family);
/* A number's name, "position(RightHand, apex, start).x", and unit. */
MAREY_API const char *marey_family_dim(const marey_family *family, int dim, const char **unit);
MAREY_API const marey_family_def *marey_family_settings(const marey_family *family);

/* The examples are the first samples, with weight 1 each. Values: count x dims. */
MAREY_API const double *marey_family_samples(const marey_family *family, int *count);
/* The motions that have a weight in a sample, at most dims + 1. */
MAREY_API int marey_family_weights(const marey_family *family, int sample, int *motions,
                                   double *weights);
MAREY_API void marey_family_box(const marey_family *family, double *low,
                                double *high); /* dims each */

/* ---- asking ------------------------------------------------------------------------------------ */

enum { MAREY_MOST_ANSWER = 192 }; /* motions in an answer: `nearest` is at most 16, dims 11 */

typedef struct marey_answer {
    int count; /* motions with a weight */
    int motions[MAREY_MOST_ANSWER];
    double weights[MAREY_MOST_ANSWER];    /* sum 1, each within -delta .. 1 + delta */
    double values[MAREY_MOST_PARAM_DIMS]; /* what the blend with these weights does */
    double error;       /* distance of these from what was asked for, as distances of samples */
    double table_error; /* the same without refinement: the paper's answer */
    bool outside; /* what was asked for cannot be reached: this is the nearest that was found */
    /* Of a made clip: the frame that each parameter looks at, NaN if it looks at all of them. */
    double moments[MAREY_MOST_PARAMS];
} marey_answer;

typedef struct marey_ask_def { /* leave a field zero for its default */
    bool table;                /* the paper's answer from the table of samples, not refined */
    int steps;                 /* of refinement, at most; default 8 */
    double close;              /* refined until the error is at most this; default 0.01 */
} marey_ask_def;

/* The weights whose blend does what is wanted (`wanted` has dims numbers), or nearly: the mean of the nearest samples'
   weights (6.3.3), then refined: steps on the true function along what the examples' values say, kept inside the valid
   weights. REQUEST: a number that is not finite. MEMORY. */
MAREY_API marey_status marey_family_ask(marey_ctx *ctx, const marey_family *family,
                                        const double *wanted, const marey_ask_def *def,
                                        marey_answer *out, marey_error *error);

/* What the blend with such weights does: f(w), before feet are held. REQUEST: an example that is not there or is there twice,
   weights that do not sum to 1. MEMORY. */
MAREY_API marey_status marey_family_values(marey_ctx *ctx, const marey_family *family,
                                           const int *motions, const double *weights, int count,
                                           double *values, marey_error *error);

typedef struct marey_family_make_def { /* leave a field zero for its default */
    const marey_ask_def *ask;
    double fps; /* default: the first example's */
    bool leave_feet;
    const marey_clean_def *clean;
} marey_family_make_def;

/* Asks, blends, and holds the feet. Holding them can move the body, and with it what was reached: that is measured on the
   clip that is made, and if it can be reached but is off by more than ten times ask->close, what was asked for is corrected
   by it and asked for again, twice at most; the nearest clip stays. answer->values and error are those of the clip. */
MAREY_API marey_status marey_family_make(marey_ctx *ctx, const marey_family *family,
                                         const double *wanted, const marey_family_make_def *def,
                                         marey_made *out, marey_answer *answer, marey_error *error);

/* ---- how good it is ---------------------------------------------------------------------------- */

typedef struct marey_family_check {
    int count;
    double median, p95, worst;                   /* errors of answers */
    double table_median, table_p95, table_worst; /* the same from the table alone */
    int invalid; /* weights outside the valid ones, numbers that are not finite: none, if all is well */
} marey_family_check;

/* Asks for what blends with fresh random valid weights do, `count` of them, and measures how far the answers are. */
MAREY_API marey_status marey_family_try(marey_ctx *ctx, const marey_family *family, int count,
                                        uint64_t seed, const marey_ask_def *def,
                                        marey_family_check *out, marey_error *error);

/* Examples that the others can do without: keep[i] is 0 for those whose values the rest reproduces within `tolerance`; the
   first example always stays. *kept: how many do. */
MAREY_API marey_status marey_family_prune(marey_ctx *ctx, const marey_family *family,
                                          double tolerance, uint8_t *keep, int *kept,
                                          marey_error *error);

typedef enum marey_fault_kind {
    MAREY_FAULT_FOOT, /* it steps with the other foot: plants do not match, or legs cross where they should not */
    MAREY_FAULT_SLIDE, /* held feet had to be moved far */
    MAREY_FAULT_SINK,  /* something goes through the floor */
    MAREY_FAULT_JUMP,  /* a joint jumps */
    MAREY_FAULT_COUNT
} marey_fault_kind;

MAREY_API const char *marey_fault_name(marey_fault_kind kind, const char **about);

typedef struct marey_fault {
    int example, with; /* blended half and half with a neighbour */
    marey_fault_kind kind;
    double value, limit; /* measured, and from where on it is a fault */
} marey_fault;

/* Blends every example with its neighbours (6.4.2), every pair once, and tells what is wrong with the results. blamed[i] (may
   be NULL): of example i's blends, the share that is faulty; of two that are each other's neighbours the blend counts
   twice. `contacts` as for marey_family_build. *count faults are there, the first `room` are written. */
MAREY_API marey_status marey_family_examine(marey_ctx *ctx, const marey_family *family,
                                            const marey_contacts *contacts, marey_fault *faults,
                                            int room, int *count, double *blamed,
                                            marey_error *error);

/* ---- keeping it -------------------------------------------------------------------------------- */

/* As bytes, without the clips: the registration, and a few bytes a sample. */
MAREY_API marey_status marey_family_write(const marey_family *family, uint8_t **bytes, size_t *size,
                                          size_t *samples_size, marey_error *error);
MAREY_API void marey_family_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);
/* INPUT: damaged, or other clips. */
MAREY_API marey_status marey_family_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                         const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, marey_family **out,
                                         marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
