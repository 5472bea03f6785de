/* feature_data.h - the inside of layouts and features. Read by feature, grid and blend.

   A row of features stands for one frame at the layout's rate. Only joints that have a weight are
   in it, in the layout's order. Marked frames keep their rows, but hold the pose of the nearest
   captured frame, as if the captured motion's ends were repeated: no window, filter or difference
   ever sees a frame that was not captured. */
#ifndef MRY_FEATURE_DATA_H
#define MRY_FEATURE_DATA_H

#include "base/arena.h"
#include "feature/low.h"
#include "math/turn.h"

#include <marey/feature.h>

/* Beyond this many cm squares of speeds leave the range of floats; no capture volume is that
   large. */
#define MRY_FARTHEST_CM 1e9

/* Where the shares of a distance go; either may be NULL. */
typedef struct mry_shares {
    double *joints, *frames;
} mry_shares;

struct marey_grid;

/* A row of the table of metrics: what callers see of it, and how it is computed. The table is in
   grid/metric_table.c, since grid is the last stage that a row speaks of. */
/* Makes what grids are computed from out of rows that are filled. */
typedef marey_status mry_fill_fn(marey_features *features, const marey_clip *clip,
                                 marey_error *error);
/* All cells of a grid. */
typedef marey_status mry_grid_fn(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                                 struct marey_grid *grid, marey_error *error);
/* One cell in double, by the formula as the paper writes it; *rest is what belongs to no joint. */
typedef double mry_distance_fn(const marey_features *a, int i, const marey_features *b, int j,
                               const mry_shares *shares, double *rest);

typedef struct mry_metric_row {
    marey_metric metric;
    bool turns;    /* rows hold rotations */
    bool relative; /* rows hold relative positions */
    bool levers;   /* turns of the root are compared with ways: the layout measures lever_cm */
    mry_fill_fn *fill;
    mry_grid_fn *grid;
    mry_distance_fn *distance;
} mry_metric_row;

/* The metric of a definition that may leave it, or itself, out. */
static inline const marey_metric *mry_metric_of(const marey_metric_def *def)
{
    if (def && def->own) return &def->own->metric;
    return def && def->metric ? def->metric : marey_metric_find(0);
}

/* The row that the metric of a definition is part of, or the one of all own metrics; NULL if it is
   not in the table. */
const mry_metric_row *mry_metric_row_of(const marey_metric_def *def);

/* D_p judges by so many frames, whatever the metric's own window is; curvature's mask has so
   many. */
enum { MRY_JUDGE_WINDOW = 5, MRY_CURVATURE_WINDOW = 9 };

/* Curvature is divided by the cube of the speed; this is added to the speed (squared, both), so
   that the curvature of a joint that hardly moves fades to 0 instead of being noise without
   limit. */
#define MRY_SPEED_FLOOR_CM_S 10.0

struct marey_layout {
    mry_arena mem;        /* everything below lives here, and so does the layout itself */
    marey_metric_def def; /* every default filled in; `joints` points at `weights` */
    marey_joint_weights weights;
    const mry_metric_row *row;
    bool by_roles;
    bool bodies; /* a root that the body leaves behind is not among the joints */
    double fps;
    /* by_roles or common_size: clips are scaled so that their legs (or else bodies) are as long as
       the first one's, or a typical one's */
    double legs_cm;
    double lever_cm; /* a turn of the root by a radian counts as a way of this length: the compared
                        joints' root mean square distance from the root over all clips */
    double normal[MAREY_MOST_ATTRIBUTES]; /* what the terms of `positions` are divided by; else 1 */

    /* The compared joints. "Number" is that in the skeleton, or by_roles the role. */
    int joints;
    const char **names;
    double *weight;    /* > 0; they sum to one */
    double *height_cm; /* mean height over the first clip, or a typical one: a constant to be taken
                          off y */
    int *joint;        /* number */
    int *above;  /* number of what it hangs on: its parent, or the next joint up that has a common
                          role in the first clip; -1: none */
    int *above2; /* and what that hangs on */
    uint8_t *below; /* 0: the root or not below it, 1: a child of it, 2: further down */
    int *merged;    /* the first joint of this list that is at the same place in all frames of all
                          clips; perhaps itself */

    /* The window: row i looks at rows i - before .. i - before + window - 1, held to the clip. */
    int window, before;
    double *frame_weight; /* they sum to one */

    mry_basis *basis; /* points, if distances are to be bounded; else NULL */

    /* What a clip must be like. */
    int skeleton_joints;          /* of the clips, if not by_roles */
    const char **skeleton_names;  /* likewise */
    int *skeleton_parents;        /* likewise */
    bool roles[MAREY_ROLE_COUNT]; /* that all clips have, with a weight or without */
};

/* One attribute of a metric as numbers that differ from frame to frame: rows x (vectors x dims)
   floats with the joint weights multiplied in, so that its share of a distance is

       NORM    sum over the vectors of |a - b|
       SQUARE  sum over the vectors of |a - b|^2
       ANGLE   sum over the vectors of weight * (angle between the unit quaternions a and b) */
typedef enum mry_term_kind { MRY_TERM_NORM, MRY_TERM_SQUARE, MRY_TERM_ANGLE } mry_term_kind;

typedef struct mry_term {
    mry_term_kind kind;
    int vectors, dims;
    float *values;
    float *weight; /* ANGLE: one a vector; else NULL */
} mry_term;

struct marey_features {
    mry_arena mem; /* everything below lives here, and so do the features themselves */
    const marey_layout *layout;
    int rows;
    int frames;         /* of the clip */
    double per_row;     /* frames of the clip to a row */
    int *frame;         /* of the clip, for each row */
    uint8_t *marked;    /* of each row: no captured frame, never part of a similar pair */
    double *positions;  /* rows x joints x 3: cm, in the world, at the layout's scale */
    double *root;       /* rows x 3: the pelvis, likewise */
    mry_rot *root_turn; /* rows: its global rotation */

    float *turns;     /* angles: rows x joints x 4, rotation from the joint above; else NULL */
    double *relative; /* curvature: rows x joints x 3, rp of eq. 3.1, 0 if not counted; else NULL */
    double *curvature; /* curvature: rows x joints; else NULL */
    float *own;        /* own metrics: rows x columns, without weights; else NULL */

    /* angles, positions: one for each attribute; curvature: D_rp; transition: D_p; own metrics: the
       window's rows; points: none */
    int term_count;
    mry_term terms[MAREY_MOST_ATTRIBUTES];
    mry_points_def points_def; /* points: what `points` was made from */
    mry_points *points;        /* points; else NULL */
};

/* ---- inside of feature ----------------------------------------------------------------------- */

/* Same names, parents and order? Proportions do not matter. (layout_joints.c) */
bool mry_same_joints(const marey_skeleton *a, const marey_skeleton *b);

/* Is a joint at its parent's place, whatever the pose? (layout_joints.c) */
bool mry_sits_on_parent(const marey_joint *joint);

/* With every default filled in. REQUEST: it is invalid. (layout.c) */
marey_status mry_metric_resolve(const marey_metric_def *given, marey_metric_def *def,
                                marey_error *error);

/* What else would be measured on the clips' motion, for layouts that must not depend on it. The
   body is a typical one: its joints' heights, the length of its legs, and how far its joints are
   from the pelvis. */
typedef struct mry_fixed {
    double fps;                           /* the layout's rate; not more than any clip's */
    double normal[MAREY_MOST_ATTRIBUTES]; /* positions */
} mry_fixed;

/* marey_layout_build; with `fixed`, from the skeletons of the clips alone, and without a basis.
   (layout.c) */
marey_status mry_layout_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                              const marey_metric_def *def, const mry_fixed *fixed,
                              marey_layout **out, marey_error *error);

/* The largest of a clip's steps, where they are larger than those in `normal`. (layout.c) */
void mry_measure_steps(const marey_features *features, double normal[MAREY_MOST_ATTRIBUTES]);

/* The shares of the frames of a window, which sum to one: alike, or tapered. (layout.c) */
void mry_frame_weights(int window, bool tapered, double *out);

/* A clip's rate, or the highest that is allowed if it is more than that or as good as that.
   (layout.c) */
double mry_rate_within(double fps, double most);

/* Frames of the clip to a row if that is a whole number, as far as a file's rounded frame time
   tells; else 0. (features.c) */
int mry_whole_ratio(double clip_fps, double fps);

/* Of each row, `ratio` frames apart: whether it is marked, and the frame that its pose is taken
   from. Each marked row takes the pose of the nearest row that is not; the earlier one of two.
   (features.c) */
void mry_row_sources(const uint8_t *frame_marked, int ratio, int rows, uint8_t *marked,
                     int *source);

/* Rows that a clip has at a rate, and its frames to a row: a whole number where that is meant.
   (features.c) */
double mry_frames_a_row(double clip_fps, double fps);
int mry_rows_at(int frames, double clip_fps, double fps);

/* The joint of a clip that has this number in the layout; -1 stays -1. */
static inline int mry_layout_number(const marey_layout *layout, const marey_skeleton *skeleton,
                                    int number)
{
    return layout->by_roles && number >= 0 ? skeleton->roles[number] : number;
}

/* The pelvis. (layout_joints.c) */
int mry_layout_root(const marey_layout *layout, const marey_skeleton *skeleton);

/* Chooses the compared joints of a layout whose `def` is complete and sums their weights to one.
   (layout_joints.c) */
marey_status mry_layout_choose(marey_layout *layout, const marey_clip *const *clips, int count,
                               marey_error *error);

/* Length of the legs, else the body's height; 0 if it has neither. (layout_joints.c) */
double mry_body_size(const marey_clip *clip);

/* SHAPE if the clip does not fit. (layout_joints.c) */
marey_status mry_layout_check(const marey_layout *layout, const marey_clip *clip,
                              marey_error *error);

/* Everything but terms and points; the layout's lever and normals need not be known.
   (features.c) */
marey_status mry_features_make(const marey_layout *layout, const marey_clip *clip,
                               marey_features **out, marey_error *error);

/* What the point clouds of features are made from; borrowed from them. (features.c) */
mry_points_def mry_features_points(const marey_features *features);

/* layout->basis, from clouds spread over all the clips. (layout.c) */
marey_status mry_layout_find_basis(marey_layout *layout, const marey_clip *const *clips, int count,
                                   marey_error *error);

/* What rows of the table fill features with. (features.c, terms.c) */
mry_fill_fn mry_points_fill, mry_angles_fill, mry_positions_fill, mry_curvature_fill;
mry_fill_fn mry_transition_fill, mry_own_fill;

/* A term of so many vectors of `dims` numbers for each row, zeroed; false: out of memory.
   (terms.c) */
bool mry_term_make(mry_arena *mem, int rows, mry_term_kind kind, int vectors, int dims,
                   mry_term *out);

/* ---- own metrics (own_metric.c) -------------------------------------------------------------- */

/* Their numbers of a clip's frames, frames x columns, checked; into mem. */
marey_status mry_own_ask(mry_arena *mem, const marey_own_metric *own, const marey_clip *clip,
                         float **out, marey_error *error);

/* These at a rate, rows x columns. Marked rows have those of the nearest row that is not; `marked`
   has a byte a row. Both live in mem. False: out of memory. */
typedef struct mry_own_rows {
    int rows;
    float *values;
    uint8_t *marked;
} mry_own_rows;

bool mry_own_sample(mry_arena *mem, const marey_own_metric *own, const marey_clip *clip,
                    const float *frames, double fps, mry_own_rows *out);

/* The term of rows and the windows around them; false: out of memory. */
bool mry_own_term(mry_arena *mem, const marey_own_metric *own, const float *values, int rows,
                  int window, const double *frame_weight, mry_term *out);

/* REQUEST: a file is to keep it, but it is the caller's own. */
marey_status mry_own_refuse_file(const marey_metric_def *def, const char *what, marey_error *error);

/* D_p (eq. 4.3) over a window as one term of any features; false: out of memory. (terms.c) */
bool mry_transition_term(mry_arena *mem, const marey_features *features, int window,
                         const double *frame_weight, mry_term *out);
bool mry_curvature_build(marey_features *features); /* curvature.c; false: out of memory */

/* ---- numbers of a row, in double; the formulas are written with these (row_values.c) --------- */

static inline mry_vec mry_row_position(const marey_features *f, int row, int joint)
{
    const double *p = f->positions + 3 * ((size_t)row * (size_t)f->layout->joints + (size_t)joint);
    return (mry_vec){ p[0], p[1], p[2] };
}

static inline mry_vec mry_row_root(const marey_features *f, int row)
{
    const double *p = f->root + 3 * (size_t)row;
    return (mry_vec){ p[0], p[1], p[2] };
}

/* A row of the clip: the ends are repeated. */
static inline int mry_row_held(const marey_features *f, int row)
{
    return row < 0 ? 0 : row >= f->rows ? f->rows - 1 : row;
}

/* A velocity or acceleration of a body: of its place and of its orientation. */
typedef struct mry_motion6 {
    mry_vec place; /* cm/s, cm/s2 */
    mry_vec turn;  /* rad/s, rad/s2 */
} mry_motion6;

/* Position in root coordinates, cm. */
mry_vec mry_row_local(const marey_features *f, int row, int joint);
/* Its change since the row before, cm/s; the first row has the second's. */
mry_vec mry_row_local_velocity(const marey_features *f, int row, int joint);
/* Position in the root coordinates of another row, `centre`. */
mry_vec mry_row_seen_from(const marey_features *f, int centre, int row, int joint);
/* The root's way since the row before in that row's root coordinates; the first row has the
   second's. */
mry_motion6 mry_row_root_velocity(const marey_features *f, int row);
mry_motion6 mry_row_root_acceleration(const marey_features *f, int row); /* its change; likewise */
/* World velocity and acceleration of a joint (central differences) in the root's axes: what the
   judge compares. */
mry_vec mry_row_velocity(const marey_features *f, int row, int joint);
mry_vec mry_row_acceleration(const marey_features *f, int row, int joint);
mry_vec mry_rot_log(mry_rot q); /* the rotation vector, at most pi long */

/* ---- eq. 2.1 and 2.2 as they are written, in double (formulas.c) ----------------------------- */

/* What one joint adds, its weight included: to the angles and velocities of eq. 2.1 (part[0],
   part[1]), or the positions and velocities of eq. 2.2, not normalised. */
void mry_angles_joint(const marey_features *a, int i, const marey_features *b, int j, int joint,
                      double part[2]);
void mry_positions_joint(const marey_features *a, int i, const marey_features *b, int j, int joint,
                         double part[2]);

/* The terms of both, in the order of the metric's attributes; not weighed by them, not
   normalised. */
void mry_angles_terms(const marey_features *a, int i, const marey_features *b, int j,
                      double terms[MAREY_MOST_ATTRIBUTES]);
void mry_positions_terms(const marey_features *a, int i, const marey_features *b, int j,
                         double terms[MAREY_MOST_ATTRIBUTES]);

#endif
