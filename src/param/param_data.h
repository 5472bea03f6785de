/* param_data.h - the inside of parameters and families, and what the files of param share.

   A parameter is measured on anything that gives poses, frame by frame: a clip, or a blend of which
   only some frames and some joints are made (probe.h). */
#ifndef MRY_PARAM_DATA_H
#define MRY_PARAM_DATA_H

#include "base/arena.h"

#include <marey/param.h>

/* ---- kinds ---- param_kinds.c */

typedef enum mry_kind {
    MRY_KIND_POSITION,
    MRY_KIND_HEIGHT,
    MRY_KIND_MASS,
    MRY_KIND_PLACE,
    MRY_KIND_HEADING,
    MRY_KIND_SPEED,
    MRY_KIND_TURNING,
    MRY_KIND_DURATION,
    MRY_KIND_PACE,
    MRY_KIND_CURVATURE,
    MRY_KIND_LABEL,
    MRY_KIND_OWN /* in no list */
} mry_kind;

extern const marey_param_kind *const mry_own_kind;

mry_kind mry_param_kind_of(const marey_param *param);

/* What stands between a parameter's brackets, in order. */
typedef enum mry_slot {
    MRY_SLOT_END, /* nothing more */
    MRY_SLOT_JOINT,
    MRY_SLOT_WHEN,
    MRY_SLOT_FROM,
    MRY_SLOT_AMOUNT,
    MRY_SLOT_LABEL,
    MRY_SLOT_OWN
} mry_slot;

enum { MRY_MOST_SLOTS = 4 }; /* the last is MRY_SLOT_END */

const mry_slot *mry_param_slots(const marey_param *param);

/* ---- measuring ---- param_measure.c */

/* A pose: global positions (3 doubles a joint) and local turns (4 floats a joint) of the joints
   that were asked for. */
typedef struct mry_seen {
    const double *positions;
    const float *turns;
    const double *places; /* 3 for each joint that moves by itself, as clips keep them */
} mry_seen;

/* Anything with frames. A pose that `look` gives is good until the next but one is asked for. */
typedef struct mry_view {
    const marey_skeleton *skeleton;
    int frames;
    double fps;
    mry_seen (*look)(void *user, int frame);
    void *user;
    const marey_clip *clip; /* what it is a view of; NULL: a blend on the bones of `like` */
    const marey_clip *like;
} mry_view;

/* Which joints a parameter needs (a byte a joint, added to), and whether in all frames, not only at
   the moment. */
void mry_param_needs(const marey_param *param, const marey_skeleton *skeleton, int joint,
                     uint8_t *joints, bool *all_frames, bool *path);

/* Its numbers; `moment` is a frame, perhaps between two. `joint`: as marey_param_joint found it.
   Errors: those of own features alone (mry_own_of_view). */
marey_status mry_param_of_view(const marey_param *param, const mry_view *view, int joint,
                               double moment, double *values, marey_error *error);

/* Gives own features what is lent under their names. REQUEST: nothing is, or it is none.
   (param_own.c) */
marey_status mry_param_bind(const marey_ctx *ctx, marey_param *params, int count,
                            marey_error *error);

/* One number of a view; for one that is no clip a clip is made. Errors: MEMORY, and what the feature
   returns. (param_own.c) */
marey_status mry_own_of_view(const marey_param *param, const mry_view *view, double *value,
                             marey_error *error);

/* The moment in this motion. */
double mry_param_moment_of(const marey_param *param, const mry_view *view, int joint);

#endif
