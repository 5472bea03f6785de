/* param.h - drag the hand, get the reach: families of motions of one kind, whose blends are asked
   for by what they do (webs, 6.3). Read after blend.h; library.h keeps families. */
#ifndef MAREY_PARAM_H
#define MAREY_PARAM_H

#include <marey/blend.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters: what a motion does, as numbers ---------------------------------------------- */

enum { MAREY_MOST_PARAMS = 8, MAREY_MOST_PARAM_DIMS = 12, MAREY_PARAM_NAME_ROOM = 64 };

/* A kind of parameter: a row of a table that `marey param features`, menus and tests list. */
typedef struct marey_param_kind {
    const char *name; /* "position" */
    const char *form; /* "position(JOINT, WHEN, FROM)" */
    const char *about;
    const char *unit; /* "cm", "deg", "s", "cm/s", "deg/s", "deg/m", "" */
    /* How many numbers it is, and what each is called: "x". */
    int dims;
    const char *axes[3];
    /* It looks at all frames, not at one moment. */
    bool whole;
} marey_param_kind;

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_param_kind *marey_param_kind_find(int index);

/* The moment a parameter looks at. In a family it is a point of the registration curve: the mean of
   where it is in the examples. */
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

/* The origin of positions: x to the left, y up from the floor, z ahead; world: as they are. */
typedef enum marey_param_from {
    MAREY_FROM_START, /* the floor under the hips at the start, facing as the body did then */
    MAREY_FROM_ROOT,  /* the same of that moment, and y from the hips */
    MAREY_FROM_WORLD,
    MAREY_FROM_COUNT
} marey_param_from;

/* Which value of a whole motion counts. */
typedef enum marey_param_amount {
    MAREY_AMOUNT_MEAN,
    MAREY_AMOUNT_LEAST,
    MAREY_AMOUNT_GREATEST,
    MAREY_AMOUNT_COUNT
} marey_param_amount;

/* The name of a moment, "apex", and in *about what it means. Both live forever. */
MAREY_API const char *marey_param_when_name(marey_param_when when, const char **about);

/* The name of an origin, "start", and in *about what it means. Both live forever. */
MAREY_API const char *marey_param_from_name(marey_param_from from, const char **about);

/* The name of an amount, "greatest". Lives forever. */
MAREY_API const char *marey_param_amount_name(marey_param_amount amount);

/* A feature of the caller's own: one number of a whole motion. As a parameter it is own(NAME), which
   is in no table; its function must be lent to the context that a family is built, read or asked
   with. */
typedef struct marey_own_feature {
    /* Less than MAREY_PARAM_NAME_ROOM bytes, without brackets, commas or outer blanks. */
    const char *name;
    /* "" for none. */
    const char *unit;
    /* Measures a clip: an example, a blend that is only looked at (its feet are not held yet), or a
       clip that was made. Asked as often as a family has samples, and some dozen times for an
       answer; the same motion must give the same number. What is no finite number leaves a sample
       out, and is no example. An error counts as none. */
    marey_status (*measure)(void *user, const marey_clip *clip, double *value, marey_error *error);
    void *user;
} marey_own_feature;

/* Lends features to a context, in place of those before; borrowed until others are or it is closed,
   and by families until they are freed. Not while another call uses the context. */
MAREY_API void marey_param_lend(marey_ctx *ctx, const marey_own_feature *features, int count);

/* A parameter: a kind with its arguments. */
typedef struct marey_param {
    const marey_param_kind *kind;
    /* A joint's name or a role's, "RightHand" or "right_wrist". */
    char joint[MAREY_PARAM_NAME_ROOM];
    /* Of label(NAME). */
    char label[MAREY_PARAM_NAME_ROOM];
    marey_param_when when;
    int frame;
    marey_param_from from;
    marey_param_amount amount;
    /* Of own(NAME): the name, and what is lent. NULL where the text alone was read; families find it
       by its name. */
    char own_name[MAREY_PARAM_NAME_ROOM];
    const marey_own_feature *own;
} marey_param;

/* Reads a parameter from "position(RightHand, apex, start)"; arguments left out at the end have
   their defaults: apex, start, mean. Blanks do not matter.
   Errors: REQUEST: the message says what was expected where, and the nearest name. */
MAREY_API marey_status marey_param_parse(const char *text, marey_param *out, marey_error *error);

/* Writes the text that marey_param_parse reads, cut to `room` bytes; returns its whole length. */
MAREY_API size_t marey_param_text(const marey_param *param, char *text, size_t room);

/* Finds the joint of a parameter; -1: it needs none.
   Errors: REQUEST: the skeleton has no such joint; the message names one that is like it. */
MAREY_API marey_status marey_param_joint(const marey_param *param, const marey_skeleton *skeleton,
                                         int *joint, marey_error *error);

/* Finds a parameter's moment in a clip, between frames if need be; NaN if it has none.
   Errors: REQUEST: no such joint. MEMORY. */
MAREY_API marey_status marey_param_moment(const marey_param *param, const marey_clip *clip,
                                          double *frame, marey_error *error);

/* Measures a parameter of a clip: kind->dims numbers. frame: the moment; negative: the clip's own.
   Errors: REQUEST: no such joint; a label, which is not in the motion; own(NAME) without its
     feature. MEMORY, and what an own feature returns. */
MAREY_API marey_status marey_param_measure(const marey_param *param, const marey_clip *clip,
                                           double frame, double *values, marey_error *error);

/* Finds the origin of a parameter's positions in a clip, at such a frame (negative: the clip's own
   moment): a position v is at origin + v turned by *angle_rad about the vertical, x + v.x cos + v.z
   sin, z - v.x sin + v.z cos.
   Errors: REQUEST: no such joint. MEMORY. */
MAREY_API marey_status marey_param_origin(const marey_param *param, const marey_clip *clip,
                                          double frame, double origin[3], double *angle_rad,
                                          marey_error *error);

/* ---- whether motions are examples of one family ---------------------------------------------- */

/* Why a motion is no example of what the others do. */
typedef enum marey_odd_kind {
    MAREY_ODD_NONE,   /* it is one */
    MAREY_ODD_MOTION, /* it moves otherwise */
    MAREY_ODD_FLIGHT, /* it is in the air at other times */
    MAREY_ODD_FLOOR,  /* it goes up or down, as on stairs */
    MAREY_ODD_COUNT
} marey_odd_kind;

/* The name of a reason, "motion", and in *about what it means. Both live forever. */
MAREY_API const char *marey_odd_name(marey_odd_kind kind, const char **about);

/* What was measured of a motion, and the most that an example may have. Motion: the distance from
   the nearest of the others, as a share of what standing still would score (as for searches, both
   ways). Flight: how much of what
   throws and catches the hips differs from the reference's: 0 nothing, 1 all, 2 they are opposite.
   Floor: the difference from the reference, cm. */
typedef struct marey_oddity {
    marey_odd_kind kind;
    double value, limit;
} marey_oddity;

/* Judges which motions of a registration belong to one family with its reference, directly or by
   way of others that do: one of `out` for each. contacts: the plants of each; NULL: whether
   the floor rises is not looked at. named: a person put them together, so they may be farther apart (0.7) than
   what a search found (0.4, and 0.7 from the reference if it is aligned with that).
   Errors: INPUT: a joint is too far away to be compared. MEMORY, CANCELLED.
   Cost: a look at every pair of motions, some 30 poses each. */
MAREY_API marey_status marey_family_judge(marey_ctx *ctx, const marey_registration *registration,
                                          const marey_contacts *contacts, bool named,
                                          marey_oddity *out, marey_error *error);

/* ---- families -------------------------------------------------------------------------------- */

/* Examples of one motion, registered, with samples of what their blends do. Never changes once
   made; any thread may ask. */
typedef struct marey_family marey_family;

/* How a family is built: leave a field zero for its default. */
typedef struct marey_family_def {
    /* At least one. Required. */
    const marey_param *params;
    int param_count;
    /* examples x (how many params are labels): what label(NAME) is for each example. */
    const double *label_values;
    /* The tree of pairs and their alignments, from a match graph. */
    const marey_registration_def *registration;
    /* Tried, at most 100000; default 1000; negative: the examples alone. */
    int samples;
    /* How much larger than the examples' values the box is; default 0.2. */
    double grow;
    /* Weights are within -delta .. 1 + delta, at most 1; default 0.1; negative: 0, nothing is
       extrapolated. */
    double delta;
    /* No two samples closer than this; default 1.27, half an inch; negative: 0. */
    double apart;
    /* Samples that an answer is made of, 2 .. 16; default 12. */
    int nearest;
    /* Default 1. */
    uint64_t seed;
} marey_family_def;

/* Builds a family. Examples are given as for marey_registration_build: on the first one's bones,
   without marked frames. With a label among the parameters there are no samples but the examples
   (6.4.2). Distances between values are Euclidean if all have one unit; else each parameter is
   scaled so that the examples' box has a diagonal of 100, and `apart` is in these. The same samples
   on every machine. `def` is required.
   Errors: REQUEST: as marey_registration_build; own(NAME) without such a feature lent to the
     context; no parameter, too many numbers; examples that all
     do the same. SHAPE: joints differ. MEMORY, CANCELLED.
   Ownership: free with marey_family_free. The clips must live as long.
   Cost: a registration, then one look at a blend's moments for every sample. */
MAREY_API marey_status marey_family_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                          const marey_contacts *contacts,
                                          const marey_family_def *def, marey_family **out,
                                          marey_error *error);

/* Frees a family and its registration; the clips stay. */
MAREY_API void marey_family_free(marey_family *family);

/* All pointers below are borrowed until marey_family_free. */

/* The registration of its examples. */
MAREY_API const marey_registration *marey_family_registration(const marey_family *family);

/* Its parameters. */
MAREY_API const marey_param *marey_family_params(const marey_family *family, int *count);

/* How many numbers they are. */
MAREY_API int marey_family_dims(const marey_family *family);

/* A number's name, "position(RightHand, apex, start).x", and in *unit its unit. */
MAREY_API const char *marey_family_dim(const marey_family *family, int dim, const char **unit);

/* The settings, with every default filled in. */
MAREY_API const marey_family_def *marey_family_settings(const marey_family *family);

/* The values of the samples, count x dims. The examples are the first samples, with weight 1
   each. */
MAREY_API const double *marey_family_samples(const marey_family *family, int *count);

/* Writes the motions that have a weight in a sample, at most dims + 1, and returns how many. */
MAREY_API int marey_family_weights(const marey_family *family, int sample, int *motions,
                                   double *weights);

/* Writes the range of each number, dims each. */
MAREY_API void marey_family_box(const marey_family *family, double *low, double *high);

/* ---- asking ---------------------------------------------------------------------------------- */

/* Motions in an answer: `nearest` is at most 16, dims 11. */
enum { MAREY_MOST_ANSWER = 192 };

/* A blend that does what was asked for, or nearly. */
typedef struct marey_answer {
    /* Motions with a weight. */
    int count;
    int motions[MAREY_MOST_ANSWER];
    /* Of sum 1, each within -delta .. 1 + delta. */
    double weights[MAREY_MOST_ANSWER];
    /* What the blend with these weights does. */
    double values[MAREY_MOST_PARAM_DIMS];
    /* Distance of these from what was asked for, and before refinement: the paper's answer. */
    double error;
    double table_error;
    /* What was asked for is out of reach: this is the nearest that was found. */
    bool outside;
    /* Of a generated clip: the frame that each parameter looks at, NaN if it looks at all of
       them. */
    double moments[MAREY_MOST_PARAMS];
} marey_answer;

/* How an answer is found: leave a field zero for its default. */
typedef struct marey_ask_def {
    /* The paper's answer from the table of samples, not refined. */
    bool table;
    /* Of refinement, at most; default 8. */
    int steps;
    /* Refined until the error is at most this; default 0.01. */
    double close;
} marey_ask_def;

/* Finds the weights whose blend does what is wanted (`wanted` has dims numbers), or nearly: the
   mean of the nearest samples' weights (6.3.3), then refined by steps on the true function along
   what the examples' values say, kept inside the valid weights.
   Errors: REQUEST: a number that is not finite. MEMORY. */
MAREY_API marey_status marey_family_ask(marey_ctx *ctx, const marey_family *family,
                                        const double *wanted, const marey_ask_def *def,
                                        marey_answer *out, marey_error *error);

/* Measures what the blend with such weights does: f(w), before feet are held.
   Errors: REQUEST: no such example, or one given twice; weights that do not sum to 1. MEMORY. */
MAREY_API marey_status marey_family_values(marey_ctx *ctx, const marey_family *family,
                                           const int *motions, const double *weights, int count,
                                           double *values, marey_error *error);

/* How a clip is made: leave a field zero for its default. */
typedef struct marey_family_make_def {
    const marey_ask_def *ask;
    /* Default: the first example's. */
    double fps;
    /* No clean-up of the feet. */
    bool leave_feet;
    const marey_clean_def *clean;
} marey_family_make_def;

/* Asks, blends, and holds the feet. Holding them can move the body, and with it the value that was
   reached: that is measured on the generated clip, and if it can be reached but is off by more than
   ten times ask->close, what was asked for is corrected by it and asked for again, twice at most;
   the nearest clip stays. answer->values and error are those of the clip. `answer` may be NULL.
   Errors: as marey_family_ask and marey_blend_make.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_family_make(marey_ctx *ctx, const marey_family *family,
                                         const double *wanted, const marey_family_make_def *def,
                                         marey_made *out, marey_answer *answer, marey_error *error);

/* ---- how good it is -------------------------------------------------------------------------- */

/* The errors of many answers. */
typedef struct marey_family_check {
    int count;
    double median, p95, worst;
    /* Before refinement. */
    double table_median, table_p95, table_worst;
    /* Answers with weights outside the valid ones, or numbers that are not finite; 0 if all is
       well. */
    int invalid;
} marey_family_check;

/* Asks for what blends with fresh random valid weights do, and measures the error of the answers.
   Errors: REQUEST: trials (`count`) not in 1 .. 10,000,000. MEMORY, CANCELLED.
   Cost: as `count` answers. */
MAREY_API marey_status marey_family_try(marey_ctx *ctx, const marey_family *family, int count,
                                        uint64_t seed, const marey_ask_def *def,
                                        marey_family_check *out, marey_error *error);

/* Finds examples that the others can replace: keep[i] is 0 for those whose values the rest
   reproduces within `tolerance`; the first example always stays. *kept: how many do.
   Errors: REQUEST: a tolerance that is not positive. MEMORY, CANCELLED. */
MAREY_API marey_status marey_family_prune(marey_ctx *ctx, const marey_family *family,
                                          double tolerance, uint8_t *keep, int *kept,
                                          marey_error *error);

/* What can be wrong with a blend. */
typedef enum marey_fault_kind {
    /* It steps with the other foot: plants do not match, or legs cross where they should not. */
    MAREY_FAULT_FOOT,
    MAREY_FAULT_SLIDE, /* held feet had to be moved far */
    MAREY_FAULT_SINK,  /* something goes through the floor */
    MAREY_FAULT_JUMP,  /* a joint jumps */
    MAREY_FAULT_COUNT
} marey_fault_kind;

/* A fault's name, and in *about what it means. Both live forever. */
MAREY_API const char *marey_fault_name(marey_fault_kind kind, const char **about);

/* A fault of the blend of two neighbours, half and half. */
typedef struct marey_fault {
    int example, with;
    marey_fault_kind kind;
    /* Measured, and from where on it is a fault. */
    double value, limit;
} marey_fault;

/* Blends every example with its neighbours (6.4.2), every pair once, and reports what is wrong with
   the results. blamed[i] (may be NULL): of example i's blends, the share that is faulty; of two
   that are each other's neighbours the blend counts twice. `contacts` as for marey_family_build.
   *count faults are there, the first `room` are written.
   Errors: MEMORY, CANCELLED, and those of marey_blend_make. Then faults may have been written. */
MAREY_API marey_status marey_family_examine(marey_ctx *ctx, const marey_family *family,
                                            const marey_contacts *contacts, marey_fault *faults,
                                            int room, int *count, double *blamed,
                                            marey_error *error);

/* ---- keeping it ------------------------------------------------------------------------------ */

/* Writes a family as bytes, without the clips: the registration, and a few bytes a sample.
   *samples_size (may be NULL): how many of the bytes are samples.
   Errors: MEMORY.
   Ownership: free *bytes with marey_family_bytes_free. */
MAREY_API marey_status marey_family_write(const marey_family *family, uint8_t **bytes, size_t *size,
                                          size_t *samples_size, marey_error *error);

/* Frees what marey_family_write made. */
MAREY_API void marey_family_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);

/* Reads a family. The same clips must be given again, in the same order.
   Errors: INPUT: the bytes are damaged or of another version; other clips. REQUEST: it has a
     parameter own(NAME), and no such feature is lent to the context. MEMORY.
   Ownership: as marey_family_build; the bytes may go after the call. */
MAREY_API marey_status marey_family_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                         const marey_clip *const *clips, int count,
                                         const marey_contacts *contacts, marey_family **out,
                                         marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
