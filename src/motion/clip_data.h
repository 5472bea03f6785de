/* clip_data.h - the inside of a clip. Read by motion and io; later stages use the public view.

   Tracks of a clip with F frames and J joints, M of them with a translation of their own:

       turn   F x J x 4 floats    local rotations, unit quaternions
       place  F x M x 3 doubles   local translations of the joints in mover[]; cm
       source F x C doubles       the file's own numbers, or NULL

   The root always is mover 0. A joint that is no mover stays at its offset from its parent. */
#ifndef MRY_CLIP_DATA_H
#define MRY_CLIP_DATA_H

#include "base/arena.h"

#include <marey/motion.h>

enum { MRY_MOST_JOINTS = 16384, MRY_MOST_FRAMES = 100000000, MRY_LONGEST_JOINT_NAME = 255 };

/* Frames a second of any clip. */
#define MRY_LEAST_FPS 0.01
#define MRY_MOST_FPS 20000

/* No number of a file is further from 0, in its units: small enough for a float to hold a body. */
#define MRY_MOST_NUMBER 1e9

/* What is needed to write the file again as it was. Lengths here are in the file's units and
   axes. */
typedef struct mry_source {
    double *channels; /* F x C; NULL once the motion was edited */
    double *offsets;  /* J x 3, as in the file */
    double *ends;     /* J x 3; zeros where there is no End Site */
    float *axes; /* J x 4: the axes that a joint's angles turn about; NULL: the parent's (BVH) */
    /* J x 3: the order in which x, y, z (0, 1, 2) apply; NULL: that of the channels */
    uint8_t *orders;
    double frame_time; /* as in the file; 0: written from the rate */
    int decimals;      /* most digits behind the point of any number of the motion */
} mry_source;

struct marey_clip {
    mry_arena mem; /* everything below lives here, and so does the clip itself */
    const char *name;
    marey_skeleton skeleton;
    marey_joint *joints; /* the same as skeleton.joints, while it may still be changed */
    int frames;
    double fps;
    marey_units units;
    marey_up up;
    int mover_count;
    int *mover; /* joint numbers, rising */
    int *slot;  /* J: place in mover[], or -1 */
    float *turn;
    double *place;
    mry_source source;
    int mark_count, mark_room;
    marey_mark *marks;
    marey_report report;
};

/* An empty clip with its skeleton's arrays for `joint_count` joints, in an arena of its own. The
   caller fills joints, then calls mry_clip_find_movers and mry_clip_take_tracks. Free with
   marey_clip_free. NULL when out of memory. */
marey_clip *mry_clip_make(marey_ctx *ctx, const char *name, int joint_count);

/* A clip with the same skeleton, roles, units and report as `model`, and tracks for `frames` frames
   that are not filled in. Its channels are NULL. Angles about axes of a joint's own (ASF) are not
   kept: such a clip gets the channels of mry_channels_plain. */
marey_clip *mry_clip_make_like(const marey_clip *model, int frames, double fps);

/* The clip's joints with channels that every reader understands, for clips whose angles turn about
   axes of their own: positions and Z Y X rotations for the root, Z Y X rotations for the others.
   Names stay borrowed from the clip. Returns how many channels that makes. */
int mry_channels_plain(const marey_clip *clip, marey_joint *joints);

bool mry_clip_find_movers(marey_clip *clip); /* from the joints' channels; false: out of memory */
bool mry_clip_take_tracks(marey_clip *clip, int frames); /* false: out of memory */

/* What was found out about another clip, for one that is made of it; false when out of memory. */
bool mry_clip_copy_report(marey_clip *clip, const marey_clip *model);

/* Adds a sentence to the import report; false when out of memory. */
__attribute__((format(printf, 2, 3))) bool mry_clip_warn(marey_clip *clip, const char *format, ...);

/* clip_edit.c: have two clips the same joints, with tracks of the same kind? Errors:
   MAREY_ERR_SHAPE. */
marey_status mry_clip_check_joints(const marey_clip *clip, const marey_clip *other,
                                   marey_error *error);

/* Is this frame marked as no captured motion? */
bool mry_clip_is_marked(const marey_clip *clip, int frame);
int mry_clip_first_captured(const marey_clip *clip); /* the last frame, if all are marked */
/* Behind the marks there are; false when out of memory. */
bool mry_clip_add_mark(marey_clip *clip, marey_mark_kind kind, int start, int end);
/* of as many frames; likewise */
bool mry_clip_copy_marks(marey_clip *clip, const marey_clip *other);

static inline float *mry_turn(const marey_clip *clip, int frame)
{
    return clip->turn + (size_t)frame * (size_t)clip->skeleton.joint_count * 4;
}

static inline double *mry_place(const marey_clip *clip, int frame)
{
    return clip->place + (size_t)frame * (size_t)clip->mover_count * 3;
}

static inline double *mry_channels(const marey_clip *clip, int frame)
{
    return clip->source.channels + (size_t)frame * (size_t)clip->skeleton.channel_count;
}

/* Frames [other_start, other_start + count) of a clip with the same joints and movers, to `start`
   on. (clip.c) */
void mry_clip_copy_frames(marey_clip *clip, int start, const marey_clip *other, int other_start,
                          int count);

/* pose.c: frame number and share of the way to the next one, held to the clip. */
double mry_clip_find_frame(const marey_clip *clip, double time_s, int *frame);

/* pose.c: the tracks' row a share t of the way from frame a to frame b. */
void mry_clip_mix(const marey_clip *clip, int a, int b, double t, double *places, float *turns);

/* clip_check.c: what every stage relies on. Joints in depth-first order with channels of each kind
   at most once; offsets, ends, numbers and places that are finite and bounded; rotations and axes
   that are unit quaternions; a rate that can be; marks inside the clip. INPUT for `path` (a file,
   or the clip's name) with the first rule that does not hold. Linear in the tracks; those that were
   not taken yet are not looked at. Asked once a clip was read from a file or a library, and before
   it goes into one. */
marey_status mry_clip_check(const marey_clip *clip, const char *path, marey_error *error);

/* Of these rules: is its parent the joint before it or an ancestor of that, given that those before
   it are so? What is wrong with joint j, or NULL, if its channels must begin at `channels`. No place
   may be further from 0 than this. */
bool mry_joint_is_depth_first(const marey_clip *clip, int j);
const char *mry_joint_find_fault(const marey_clip *clip, int j, int channels);
double mry_clip_most_cm(const marey_clip *clip);

/* ---- steps of an import, in this order; each in its own file --------------------------------- */

/* roles.c: by name preset, else by shape. Needs joints and tracks (in file units). */
bool mry_roles_find(marey_clip *clip);

/* measure.c: the unit in which a body of this height is nearest to a person's; GUESS: in none. */
marey_units mry_units_of_body(double height);

/* measure.c: units and up axis (GUESS: from the body), then converts every track, offset and end to
   centimetres with y up. Fills height_cm, units_why, up_why. */
bool mry_clip_settle_units(marey_clip *clip, marey_units units, marey_up up);

/* marks.c: finds the invented first frame and the dropouts, and says so in the report. */
bool mry_clip_find_marks(marey_clip *clip);

/* flight.c: compares free flight with gravity; warns about a doubtful rate. */
bool mry_clip_judge_rate(marey_clip *clip);

/* clip_check.c: zero-length bones, duplicate names, and the like. */
bool mry_clip_inspect(marey_clip *clip);

#endif
