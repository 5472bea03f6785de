/* repair.h - flaws of capture in one clip, and layers that mend them. Read after blend.h; library.h
   keeps both with a clip.

   A flaw is something that a body did not do: a limb that is elsewhere for one frame, a rate that
   the file claims and gravity denies, a floor that tilts. Where it can be mended it says by which
   layer. A layer changes some frames of some tracks and nothing else; layers are applied in their
   order to the clip as it was captured, so taking one away gives back what was there before. */
#ifndef MAREY_REPAIR_H
#define MAREY_REPAIR_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layers ---------------------------------------------------------------------------------- */

/* What a layer does. Frames are [start, end) of the clip; `value` has the numbers that are named. */
typedef enum marey_layer_kind {
    MAREY_LAYER_RATE,  /* the clip has value[0] frames a second, in [0.1, 10000] */
    MAREY_LAYER_UNITS, /* its file's numbers are in the marey_units value[0]; not RAW */
    MAREY_LAYER_UP,    /* its file's up axis is the marey_up value[0] */
    /* The joint has the marey_role value[0], which no other keeps; -1: no joint has it. */
    MAREY_LAYER_ROLE,
    MAREY_LAYER_MARK,   /* frames are marked as the marey_mark_kind value[0] */
    MAREY_LAYER_UNMARK, /* frames are not marked */
    /* Frames of the joint (-1: of all joints, and they lose their marks) are made anew from the
       frames around them, with their speeds; where there are none, they hold still. */
    MAREY_LAYER_FILL,
    MAREY_LAYER_TURN,  /* the joint's rotations are followed by the unit quaternion value[0 .. 3] */
    MAREY_LAYER_SHIFT, /* the joint, which has positions, is moved by value[0 .. 2] cm */
    /* The body is turned by the unit quaternion value[0 .. 3] about the point value[4 .. 6]. */
    MAREY_LAYER_LEVEL,
    /* The body is raised by value[0] cm in the first of the frames, value[1] cm in the last one, and
       evenly in between. */
    MAREY_LAYER_RAISE,
    MAREY_LAYER_BONE, /* the joint's offset from its parent is multiplied by value[0] */
    MAREY_LAYER_COUNT
} marey_layer_kind;

enum { MAREY_LAYER_VALUES = 7 };

/* A layer. What a kind has no use for is 0, joint -1. */
typedef struct marey_layer {
    marey_layer_kind kind;
    int joint;
    /* Frames, end exclusive; whole clips have 0 and 0. */
    int start, end;
    double value[MAREY_LAYER_VALUES];
} marey_layer;

/* A layer's name, "fill". Lives forever. */
MAREY_API const char *marey_layer_name(marey_layer_kind kind);

/* How many layers a clip may have. */
enum { MAREY_MOST_LAYERS = 100000 };

/* Makes the clip that has these layers, in their order. Whatever no layer touches stays as it is,
   the file's own numbers included.
   Errors: REQUEST: a layer that is not for this clip (the message says which and why). MEMORY.
   Ownership: free with marey_clip_free.
   Cost: linear in the clip and in the frames of the layers. */
MAREY_API marey_status marey_clip_repair(const marey_clip *clip, const marey_layer *layers,
                                         int count, marey_clip **out, marey_error *error);

/* ---- flaws ---------------------------------------------------------------------------------- */

/* The kinds of flaws, in the order in which they are looked for. Rows of a table: help texts,
   menus and tests read it. */
typedef enum marey_flaw_kind {
    MAREY_FLAW_FIRST_FRAME, /* a T-pose that the exporter put first */
    MAREY_FLAW_DROPOUT,     /* tracking was lost: the root at 0 0 0 */
    /* Its body is not as tall as a person, or lies on its side; nothing else is looked for then. */
    MAREY_FLAW_UNITS,
    MAREY_FLAW_UP,
    MAREY_FLAW_RATE,      /* recorded at another rate than it claims */
    MAREY_FLAW_SPIKE,     /* a joint is elsewhere for a few frames */
    MAREY_FLAW_STEP,      /* a joint is elsewhere from some frame on, or for longer */
    MAREY_FLAW_FLIP,      /* a joint is turned by more than a right angle, or bends back */
    MAREY_FLAW_TWIST,     /* a joint turns at once, but hardly anything moves by it */
    MAREY_FLAW_BEND,      /* a knee or an elbow bends the wrong way most of the time */
    MAREY_FLAW_FROZEN,    /* the body, or a limb, holds still as none does */
    MAREY_FLAW_BONE,      /* a bone has another length than on the other side */
    MAREY_FLAW_TILT,      /* the floor is a slope */
    MAREY_FLAW_DRIFT,     /* the floor rises or sinks during the clip */
    MAREY_FLAW_FLOATING,  /* the floor is above 0 */
    MAREY_FLAW_SINKING,   /* the floor is below 0 */
    MAREY_FLAW_SLIDE,     /* planted feet slide */
    MAREY_FLAW_DUPLICATE, /* another clip has the same motion; not in marey_flaws: see copies */
    MAREY_FLAW_COUNT
} marey_flaw_kind;

/* Counted up whenever a check finds something else than before in the same clip: flaws that a
   library has kept are looked for again then. A new kind does that by itself. */
enum { MAREY_FLAW_EDITION = 3 };

/* What a kind is called, "first-frame"; the unit of its size, "cm"; and what it is, in a sentence
   without its full stop. Live forever. */
MAREY_API const char *marey_flaw_name(marey_flaw_kind kind);
MAREY_API const char *marey_flaw_unit(marey_flaw_kind kind);
MAREY_API const char *marey_flaw_about(marey_flaw_kind kind);

/* Finds a kind by its name; false: none is called so. */
MAREY_API bool marey_flaw_named(const char *name, marey_flaw_kind *kind);

/* One flaw. */
typedef struct marey_flaw {
    marey_flaw_kind kind;
    /* -1: the whole body. */
    int joint;
    /* Frames, end exclusive; the whole clip for what is wrong all the time. */
    int start, end;
    /* In marey_flaw_unit. */
    double size;
    /* 0 .. 1; what is under a half is not reported. */
    double certainty;
    /* What mends it, if `mendable`. */
    marey_layer repair;
    bool mendable;
} marey_flaw;

/* What a clip's motion says about its frame rate. All sums: those of clips that were recorded at one
   rate (a subject's, a folder's) are added up to say together what each alone leaves open. */
enum { MAREY_RATE_STEPS = 16 };
typedef struct marey_rate_evidence {
    /* Balance: how far the body is out of it were the clip recorded at marey_rate_step_fps(i), cm,
       in so many moments. */
    double out_cm[MAREY_RATE_STEPS];
    double moments[MAREY_RATE_STEPS];
    /* Pendulum: leans and falls over one planted foot, squared and multiplied, of so many stances. */
    double lean, fall, both;
    int stances;
    /* As in marey_report. */
    double flight_fps;
    int flights;
} marey_rate_evidence;

/* The rates that the balance is measured at, rising: 15 .. 480, three an octave. */
MAREY_API double marey_rate_step_fps(int step);

/* Adds evidence of another clip. */
MAREY_API void marey_rate_evidence_add(marey_rate_evidence *sum, const marey_rate_evidence *other);

/* The common rate at which clips that claim one were recorded instead, and how certain that is, 0 ..
   1; 0 if the claimed one fits, or nothing can be told. */
MAREY_API double marey_rate_judge(const marey_rate_evidence *evidence, double claimed_fps,
                                  double *certainty);

/* Whether a flaw is mended where some kinds are to be, a bit for each; UINT64_MAX: all of them, but
   then only what is at least 0.62 certain. */
MAREY_API bool marey_flaw_wanted(const marey_flaw *flaw, uint64_t kinds);

/* A moment that a copy of a clip shows too, wherever it was moved or turned to, trimmed, scaled or
   resampled: hands or feet are as near to each other or to the head, or as far apart, as they get
   around that time. */
enum { MAREY_LANDMARK_WAYS = 12, MAREY_LANDMARK_MOMENTS = 8 };
typedef struct marey_landmark {
    double time_s;
    /* Near and apart, in turn: hands, feet, hands and head, feet and head. */
    int moment;
    /* Distances between joints, in thousandths of the length of a leg. */
    uint16_t way[MAREY_LANDMARK_WAYS];
} marey_landmark;

/* The flaws of a clip, by kind, then start, then joint; and its landmarks, by which copies of it are
   found. */
typedef struct marey_flaws {
    int count;
    marey_flaw *items;
    marey_rate_evidence rate;
    int landmark_count;
    const marey_landmark *landmarks;
    /* For marey_flaws_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_flaws;

/* Finds the flaws of a clip. The same clip gives the same flaws.
   Errors: MEMORY.
   Ownership: free with marey_flaws_free.
   Cost: linear in the frames, some microseconds each. */
MAREY_API marey_status marey_flaws_find(const marey_clip *clip, marey_flaws *out);

/* Frees flaws; {0} is allowed. */
MAREY_API void marey_flaws_free(marey_flaws *flaws);

/* ---- copies --------------------------------------------------------------------------------- */

/* What is asked of a clip to find copies among many. */
typedef struct marey_copy_clip {
    double seconds;
    int landmark_count;
    const marey_landmark *landmarks;
} marey_copy_clip;

/* Two clips of a list that may hold the same motion, the shorter first (of two that are equally
   long, the later one), and where. */
enum { MAREY_COPY_OFFSETS = 3 };
typedef struct marey_copy {
    int clip, other;
    bool mirrored;
    /* How much later it is in the other clip, by the landmarks: the likeliest first. */
    double offset_s[MAREY_COPY_OFFSETS];
    int offset_count;
    /* Landmarks that agree on the first. */
    int votes;
    /* Of marey_copy_check: the frames that are the same, in both, how far joints are from each other
       there (root of the mean square, in the other clip's cm), and how certain that is. */
    int start, end, other_start, other_end;
    double apart_cm, certainty;
} marey_copy;

typedef struct marey_copies {
    int count;
    marey_copy *items;
    /* For marey_copies_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_copies;

/* Finds pairs of clips that may be copies: landmarks that are alike and agree on one offset. By clip,
   then by votes; at most 8 others for a clip. The same list gives the same pairs.
   Errors: MEMORY.
   Ownership: free with marey_copies_free.
   Cost: n log n in the landmarks. */
MAREY_API marey_status marey_copies_find(marey_ctx *ctx, const marey_copy_clip *clips, int count,
                                         marey_copies *out);

/* Frees copies; {0} is allowed. */
MAREY_API void marey_copies_free(marey_copies *copies);

/* Compares two clips frame by frame: *same, if joints are within 0.025 of a leg's length (2 cm) of
   each other in nine of ten frames that both have at that offset, once the first is scaled to the
   other's legs, turned about the vertical and moved, as a whole; and within a tenth of how far they
   move at all, so that two bodies that stand still are not the same. Motion that repeats, and fits
   at several offsets, is the same only if both clips are as a whole.
   Errors: MEMORY.
   Cost: linear in the frames. */
MAREY_API marey_status marey_copy_check(const marey_clip *clip, const marey_clip *other,
                                        marey_copy *copy, bool *same);

#ifdef __cplusplus
}
#endif
#endif
