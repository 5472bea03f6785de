/* motion.h - skeletons, clips and poses, and the simple edits of a clip.
   Read after base.h; io.h fills clips from files, everything later works on them.

   Inside the library lengths are centimetres, y is up, axes are right-handed, quaternions are
   (w, x, y, z), times are seconds and frames count from 0. */
#ifndef MAREY_MOTION_H
#define MAREY_MOTION_H

#include <marey/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- skeleton ------------------------------------------------------------------------------- */

/* What one number of a frame says, in the order of the file. */
typedef enum marey_channel {
    MAREY_CHANNEL_X_POSITION,
    MAREY_CHANNEL_Y_POSITION,
    MAREY_CHANNEL_Z_POSITION,
    MAREY_CHANNEL_X_ROTATION,
    MAREY_CHANNEL_Y_ROTATION,
    MAREY_CHANNEL_Z_ROTATION,
    MAREY_CHANNEL_X_SCALE, /* not applied; written back as it was, or as 1 once a clip is edited */
    MAREY_CHANNEL_Y_SCALE,
    MAREY_CHANNEL_Z_SCALE,
    MAREY_CHANNEL_COUNT
} marey_channel;

MAREY_API const char *marey_channel_name(marey_channel channel); /* "Xposition"; lives forever */

/* What a joint is to the body. Metrics, contacts, mirroring and reports go by roles, not names. */
typedef enum marey_role {
    MAREY_ROLE_HIPS,
    MAREY_ROLE_SPINE,
    MAREY_ROLE_CHEST,
    MAREY_ROLE_NECK,
    MAREY_ROLE_HEAD,
    MAREY_ROLE_LEFT_COLLAR,
    MAREY_ROLE_LEFT_SHOULDER,
    MAREY_ROLE_LEFT_ELBOW,
    MAREY_ROLE_LEFT_WRIST,
    MAREY_ROLE_LEFT_HIP,
    MAREY_ROLE_LEFT_KNEE,
    MAREY_ROLE_LEFT_ANKLE,
    MAREY_ROLE_LEFT_TOE,
    MAREY_ROLE_RIGHT_COLLAR, /* the right side follows in the same order as the left */
    MAREY_ROLE_RIGHT_SHOULDER,
    MAREY_ROLE_RIGHT_ELBOW,
    MAREY_ROLE_RIGHT_WRIST,
    MAREY_ROLE_RIGHT_HIP,
    MAREY_ROLE_RIGHT_KNEE,
    MAREY_ROLE_RIGHT_ANKLE,
    MAREY_ROLE_RIGHT_TOE,
    MAREY_ROLE_COUNT
} marey_role;

MAREY_API const char *marey_role_name(marey_role role); /* "left_knee"; lives forever */

typedef struct marey_joint {
    const char *name; /* as in the file, not empty, perhaps not unique */
    int parent; /* -1 for the root, joint 0; else the joint before this one or an ancestor of it: joints
                   are in depth-first order, as in a BVH file */
    double offset_cm[3]; /* from the parent, when no position channel says otherwise */
    double end_cm[3];    /* the tip of the bone, if has_end */
    bool has_end;        /* the file gave an End Site */
    int first_channel;   /* of this joint in a frame's row of channels */
    int channel_count;   /* 0 .. MAREY_CHANNEL_COUNT, each kind at most once */
    marey_channel channels[MAREY_CHANNEL_COUNT];
} marey_joint;

typedef struct marey_skeleton {
    int joint_count;   /* at least 1 */
    int channel_count; /* numbers per frame in the file */
    const marey_joint *joints;
    int roles[MAREY_ROLE_COUNT]; /* joint number, or -1 */
    const char *roles_from; /* the preset's name, "shape" for the geometric fallback, "" for none */
} marey_skeleton;

/* The names of the presets that roles are looked up in, in the order they are tried; NULL past the
   last. Lives forever. */
MAREY_API const char *marey_role_preset_name(int preset);

/* ---- clip ----------------------------------------------------------------------------------- */

typedef struct marey_clip marey_clip; /* a skeleton and its motion; never changes once made */

typedef enum marey_up { MAREY_UP_GUESS, MAREY_UP_Y, MAREY_UP_Z } marey_up;

/* Known units of length. Rows of a table: names in help texts and files come from it. */
typedef enum marey_units {
    MAREY_UNITS_GUESS,
    MAREY_UNITS_MM,
    MAREY_UNITS_CM,
    MAREY_UNITS_M,
    MAREY_UNITS_INCH,
    MAREY_UNITS_FOOT,
    MAREY_UNITS_CMU, /* 1/0.45 inch, the unit of the CMU database */
    MAREY_UNITS_RAW, /* numbers as in the file: no scale, no turn of axes */
    MAREY_UNITS_COUNT
} marey_units;

MAREY_API const char *marey_units_name(marey_units units); /* "mm"; "" for GUESS */
MAREY_API double marey_units_cm(marey_units units); /* how many cm one is; 1 for GUESS and RAW */

/* Frames that are no captured motion; kept in the clip, left out by what is made from it. */
typedef enum marey_mark_kind {
    MAREY_MARK_INVENTED, /* a first frame in a T-pose that was put in by a converter */
    MAREY_MARK_DROPOUT,  /* the root at 0 0 0: tracking was lost */
    MAREY_MARK_COUNT
} marey_mark_kind;

MAREY_API const char *marey_mark_name(marey_mark_kind kind); /* "invented-first-frame" */

typedef struct marey_mark {
    marey_mark_kind kind;
    int start, end; /* frames, end exclusive */
} marey_mark;

MAREY_API void marey_clip_free(marey_clip *clip); /* NULL is allowed */

/* All of these are borrowed until marey_clip_free. */
MAREY_API const char *
marey_clip_name(const marey_clip *clip); /* file name without folder and ending */
MAREY_API const marey_skeleton *marey_clip_skeleton(const marey_clip *clip);
MAREY_API int marey_clip_frames(const marey_clip *clip); /* at least 1 */
MAREY_API double marey_clip_fps(const marey_clip *clip);
MAREY_API double marey_clip_seconds(const marey_clip *clip); /* frames / fps */
MAREY_API marey_units
marey_clip_units(const marey_clip *clip);                 /* of the file it came from or goes to */
MAREY_API marey_up marey_clip_up(const marey_clip *clip); /* likewise; never GUESS */
MAREY_API const marey_mark *marey_clip_marks(const marey_clip *clip, int *count);

/* The file's own numbers of one frame, skeleton.channel_count of them, or NULL if the clip was made
   and has none. */
MAREY_API const double *marey_clip_channels(const marey_clip *clip, int frame);

/* Local rotation of every joint in one frame: joint_count quaternions of 4 floats, unit length. */
MAREY_API const float *marey_clip_rotations(const marey_clip *clip, int frame);

/* Where the root is in one frame: 3 doubles. */
MAREY_API const double *marey_clip_root(const marey_clip *clip, int frame);

/* ---- what was noticed while reading --------------------------------------------------------- */

/* The import report. Every text is a whole sentence without its full stop. */
typedef struct marey_report {
    const char *format;    /* "bvh" */
    const char *units_why; /* how the units were found */
    const char *up_why;    /* how the up axis was found */
    double height_cm;      /* of the standing body, from its bones; 0 if it has no size */
    double claimed_fps;    /* what the file says */
    double flight_fps; /* the rate that free flight in the clip speaks for; 0: no clear flight */
    int flight_count;  /* how many flights that rests on */
    int warning_count;
    const char *const *warnings;
} marey_report;

MAREY_API const marey_report *marey_clip_report(const marey_clip *clip); /* borrowed until free */

/* ---- pose ----------------------------------------------------------------------------------- */

/* Global joint positions of frames [first, first + count): count * joint_count * 3 numbers, End
   Sites left out. Sums run in double, so a clip 1 km from the origin loses nothing; the float form
   rounds once at the end. About 0.5 microseconds a frame of 31 joints. */
MAREY_API void marey_clip_positions(const marey_clip *clip, int first, int count, double *out);
MAREY_API void marey_clip_positions_float(const marey_clip *clip, int first, int count, float *out);

/* A pose between frames. time_s is held to the clip's first and last frame. places: 3 doubles a
   joint, the local translation; turns: 4 floats a joint, the local rotation. Rotations go the
   shorter way round at constant speed, translations straight. */
MAREY_API void marey_clip_sample(const marey_clip *clip, double time_s, double *places,
                                 float *turns);

/* Global positions (3 doubles a joint) of a pose given as by marey_clip_sample. */
MAREY_API void marey_pose_positions(const marey_skeleton *skeleton, const double *places,
                                    const float *turns, double *out);

/* ---- foot contacts ---------------------------------------------------------------------------- */

typedef enum marey_contact_joint {
    MAREY_CONTACT_LEFT_HEEL,
    MAREY_CONTACT_LEFT_TOE,
    MAREY_CONTACT_RIGHT_HEEL,
    MAREY_CONTACT_RIGHT_TOE,
    MAREY_CONTACT_JOINT_COUNT
} marey_contact_joint;

MAREY_API const char *marey_contact_name(marey_contact_joint joint); /* "left_heel" */

/* A foot's heel or ball that stays where it is. */
typedef struct marey_contact {
    marey_contact_joint joint;
    int start, end; /* frames, end exclusive */
} marey_contact;

typedef struct marey_contact_def { /* leave a field zero for its default */
    double shortest_s; /* shorter plants are dropped, n frames counting as n + 1; default: 0.08 */
    double bridge_s;   /* gaps up to this inside one plant are closed; default: 0.05 */
} marey_contact_def;

/* Finds foot plants. The heel is the ankle's joint, the toe the toe's (the ball of the foot); without a
   toe joint, the tip of the ankle's bone. A point is planted where it is slow, as low as it gets around
   that time, and not held up in the air. Slow is judged against the clip's own noise, low against the
   plant's own floor, both with hysteresis; so slopes, steps, tilted floors and doubtful rates do not
   matter. Marked frames hold no plants. A skeleton without ankles or toes has none of these. Sorted by joint,
   then start, without overlaps; what is found lives until marey_contacts_free. Time is linear in the
   frames, about a microsecond each. `def` may be NULL. On failure *out is not written. MEMORY. */
typedef struct marey_contacts {
    int count;
    marey_contact *items;
    size_t bytes; /* of items */
    marey_ctx *ctx;
} marey_contacts;

MAREY_API marey_status marey_contacts_find(const marey_clip *clip, const marey_contact_def *def,
                                           marey_contacts *out);
MAREY_API void marey_contacts_free(marey_contacts *contacts); /* NULL and {0} are allowed */

/* ---- how sound a motion is ---------------------------------------------------------------------- */

/* What the measures mean, exactly:

   drift        of a plant: the largest distance along the floor between the place of its point in the
                plant's first frame and in any other frame of it
   floor        of a plant: the median height of its point. Of a frame between two plants of a point:
                the lower of both floors, so that feet may go down stairs. Before a point's first plant and
                behind its last one: that plant's
   step         of a joint: how far its place moves between two frames in a row
   third        of a joint: the length of p3 - 3 p2 + 3 p1 - p0, its places in four frames in a row
   difference

   Marked frames are left out: a row of frames ends at them. The median of an even number of values is
   the mean of the middle two. Largest and median steps and third differences under 0.001 cm count as
   0.001 cm, so that a still clip has ratios of 1; so has a clip with too few frames to have any. All
   joints count, End Sites do not. */
typedef struct marey_quality {
    double slide_cm;       /* mean drift of the plants */
    double slide_max_cm;   /* the largest drift */
    double slide_cm_per_s; /* way of all planted points along the floor, over their planted time */
    double penetration_cm; /* how far any point of the feet is below its floor at worst, or 0 */
    double jump_ratio;     /* the largest step of any joint over the median of all steps */
    double jerk_ratio;     /* the largest third difference of any joint over the median of all */
    int plants; /* measured: their point is in the skeleton and not all their frames are marked */
} marey_quality;

/* Measures a clip with its foot plants, found or given; those of one point do not overlap. Without plants
   the first four are 0. Needs 8 bytes a joint and frame on the way. On failure *out is not written.
   MEMORY. */
MAREY_API marey_status marey_clip_quality(const marey_clip *clip, const marey_contact *contacts,
                                          int count, marey_quality *out);

/* How far each plant drifts along the floor, of which slide_cm is the mean: cm[i] for contacts[i], NaN if it is not measured.
   Much quicker than all of the above. On failure nothing is written. MEMORY. */
MAREY_API marey_status marey_clip_drifts(const marey_clip *clip, const marey_contact *contacts,
                                         int count, double *cm);

/* ---- edits: each makes a new clip and leaves the old one alone ------------------------------ */
/* `error` may be NULL. On failure *out is not written. All can fail with MEMORY. */

/* Frames [start, end). Keeps the file's own numbers. REQUEST: empty or outside the clip. */
MAREY_API marey_status marey_clip_trim(const marey_clip *clip, int start, int end, marey_clip **out,
                                       marey_error *error);

/* The same motion at another rate: frame i shows the time i / fps, as far as the clip's last frame goes. Marks are carried over. A frame
   never mixes a marked frame with an unmarked one: it takes the nearer. REQUEST: fps not in
   [0.1, 10000]. */
MAREY_API marey_status marey_clip_resample(const marey_clip *clip, double fps, marey_clip **out,
                                           marey_error *error);

/* Left and right exchanged, reflected in the plane x = 0. Twice gives the same motion again.
   REQUEST: the skeleton has no left and right. */
MAREY_API marey_status marey_clip_mirror(const marey_clip *clip, marey_clip **out,
                                         marey_error *error);

/* The body stays over the point where it stands in the first unmarked frame; height and turning
   stay. */
MAREY_API marey_status marey_clip_in_place(const marey_clip *clip, marey_clip **out,
                                           marey_error *error);

/* Body and path `factor` times as large. REQUEST: factor not in [0.001, 1000]. */
MAREY_API marey_status marey_clip_scale(const marey_clip *clip, double factor, marey_clip **out,
                                        marey_error *error);

/* Several clips end to end, at the first one's rate, in the first one's file units. With `align`
   each later clip is turned about the vertical and moved on the floor so that its first pose stands
   where the one before it ended. SHAPE: joints differ. */
MAREY_API marey_status marey_clip_concatenate(const marey_clip *const *clips, int count, bool align,
                                              marey_clip **out, marey_error *error);

/* The same motion, to be written in other units or axes. GUESS keeps what it has. */
MAREY_API marey_status marey_clip_restate(const marey_clip *clip, marey_units units, marey_up up,
                                          marey_clip **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
