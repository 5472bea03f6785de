/* motion.h - skeletons, clips and poses, and the simple edits of a clip. Read after base.h; io.h
   fills clips from files, everything later works on them.

   Inside the library lengths are centimetres, y is up, axes are right-handed, quaternions are (w,
   x, y, z), times are seconds and frames count from 0. */
#ifndef MAREY_MOTION_H
#define MAREY_MOTION_H

#include <marey/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- skeleton -------------------------------------------------------------------------------- */

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

/* A channel's name, "Xposition". Lives forever. */
MAREY_API const char *marey_channel_name(marey_channel channel);

/* What a joint is to the body. Metrics, contacts, mirroring and reports read roles, not names. */
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

/* A role's name, "left_knee". Lives forever. */
MAREY_API const char *marey_role_name(marey_role role);

/* One joint of a skeleton. */
typedef struct marey_joint {
    /* As in the file; not empty, perhaps not unique. */
    const char *name;
    /* -1 for the root, joint 0; else the joint before this one or an ancestor of it: joints are in
       depth-first order, as in a BVH file. */
    int parent;
    /* From the parent, where no position channel says otherwise. */
    double offset_cm[3];
    /* The tip of the bone, if has_end: the file gave an End Site. */
    double end_cm[3];
    bool has_end;
    /* Where this joint's numbers begin in a frame's row of channels. */
    int first_channel;
    /* 0 .. MAREY_CHANNEL_COUNT, each kind at most once. */
    int channel_count;
    marey_channel channels[MAREY_CHANNEL_COUNT];
} marey_joint;

/* The joints of a body and their roles. */
typedef struct marey_skeleton {
    /* At least 1. */
    int joint_count;
    /* Numbers per frame in the file. */
    int channel_count;
    const marey_joint *joints;
    /* The joint in each role, or -1. */
    int roles[MAREY_ROLE_COUNT];
    /* The preset's name, "shape" for the geometric fallback, "given" by marey_clip_make_def.roles, ""
       for none. */
    const char *roles_from;
} marey_skeleton;

/* The name of a preset that roles are looked up in, in the order they are tried; NULL past the
   last. Lives forever. */
MAREY_API const char *marey_role_preset_name(int preset);

/* ---- clip ------------------------------------------------------------------------------------ */

/* A skeleton and its motion. Never changes once made; any thread may read it. */
typedef struct marey_clip marey_clip;

/* Which axis of the file points up. */
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

/* A unit's name, "mm"; "" for GUESS. Lives forever. */
MAREY_API const char *marey_units_name(marey_units units);

/* Centimetres in one unit; 1 for GUESS and RAW. */
MAREY_API double marey_units_cm(marey_units units);

/* Frames that are not captured motion: kept in the clip, ignored by search, blends and graphs. */
typedef enum marey_mark_kind {
    MAREY_MARK_INVENTED, /* the first frame is a T-pose added by the exporter */
    MAREY_MARK_DROPOUT,  /* the root at 0 0 0: tracking was lost */
    MAREY_MARK_FROZEN,   /* the body stood still because tracking did */
    MAREY_MARK_BY_HAND,  /* the user said so */
    MAREY_MARK_JUMP,     /* a joint leaps between these frames, and no motion leads across */
    MAREY_MARK_COUNT
} marey_mark_kind;

/* A mark's name, "invented-first-frame". Lives forever. */
MAREY_API const char *marey_mark_name(marey_mark_kind kind);

/* Marked frames in a row. */
typedef struct marey_mark {
    marey_mark_kind kind;
    /* Frames, end exclusive. */
    int start, end;
} marey_mark;

/* Frees a clip. */
MAREY_API void marey_clip_free(marey_clip *clip);

/* All pointers below are borrowed until marey_clip_free. */

/* The file's name without folder and ending; of a file with several takes, with "_" and the take's
   name behind it. */
MAREY_API const char *marey_clip_name(const marey_clip *clip);

/* The joints. */
MAREY_API const marey_skeleton *marey_clip_skeleton(const marey_clip *clip);

/* How many frames it has, at least 1. */
MAREY_API int marey_clip_frames(const marey_clip *clip);

/* Frames a second. */
MAREY_API double marey_clip_fps(const marey_clip *clip);

/* Its length, frames / fps. */
MAREY_API double marey_clip_seconds(const marey_clip *clip);

/* The units of the file it came from or goes to. */
MAREY_API marey_units marey_clip_units(const marey_clip *clip);

/* The up axis of that file; never GUESS. */
MAREY_API marey_up marey_clip_up(const marey_clip *clip);

/* The marked frames, in the order of time. */
MAREY_API const marey_mark *marey_clip_marks(const marey_clip *clip, int *count);

/* The file's own numbers of one frame, skeleton.channel_count of them; NULL if the clip was
   generated. */
MAREY_API const double *marey_clip_channels(const marey_clip *clip, int frame);

/* The local rotation of every joint in one frame: joint_count quaternions of 4 floats, unit
   length. Frames lie one behind the other, so those of frame 0 on are one array of frames *
   joint_count * 4 floats, the whole clip. */
MAREY_API const float *marey_clip_rotations(const marey_clip *clip, int frame);

/* The root's position in one frame: 3 doubles. That of the next frame is 3 doubles further for each
   joint of marey_clip_movers: 3 where only the root moves. */
MAREY_API const double *marey_clip_root(const marey_clip *clip, int frame);

/* The joints whose place below their parent is said frame by frame, in rising order: first the root,
   joint 0; in most clips there are no others. A joint that is not among them stays at its
   offset_cm. */
MAREY_API const int *marey_clip_movers(const marey_clip *clip, int *count);

/* The local translations of these joints in one frame: 3 doubles for each, the root's first. Frames
   lie one behind the other, so those of frame 0 on are one array of frames * count * 3 doubles, the
   whole clip. With the rotations this is all of the motion: marey_clip_make makes a clip of it
   again. */
MAREY_API const double *marey_clip_places(const marey_clip *clip, int frame);

/* ---- from arrays ----------------------------------------------------------------------------- */

/* What a clip is made of: skeleton and motion as arrays, in centimetres, y up, right-handed. J is
   joint_count, F is frames, M is mover_count. Required unless a default is named; all is copied. */
typedef struct marey_clip_make_def {
    /* The clip's name, 1 to 255 bytes in one line; default "clip". */
    const char *name;
    /* 1 .. 16384. */
    int joint_count;
    /* J: 1 to 255 bytes in one line each, perhaps not unique. Roles are found by them. */
    const char *const *names;
    /* J: -1 for the root, joint 0, else the joint before this one or an ancestor of it: depth-first
       order, as in marey_joint. */
    const int *parents;
    /* J x 3: from the parent; that of a joint that moves (M) is where it rests. */
    const double *offsets_cm;
    /* J x 3: the tips of bones, read where has_end says so. Both or neither. Default: none. */
    const double *ends_cm;
    const bool *has_end;
    /* 1 .. 100,000,000. */
    int frames;
    /* 0.01 .. 20,000. */
    double fps;
    /* F x J x 4: w, x, y, z, from the parent's axes, as marey_clip_rotations has them. Lengths within
       0.01 of 1 become 1. */
    const float *rotations;
    /* F x 3: where the root is. Or, where other joints move as well: */
    const double *root_cm;
    /* M, rising, from joint 0 on, and F x M x 3: local translations, as marey_clip_movers and
       marey_clip_places have them. Without root_cm. */
    int mover_count;
    const int *movers;
    const double *places_cm;
    /* Frames that are no motion, as marey_clip_marks has them: rising, without overlaps. None are
       looked for. Default: none. */
    const marey_mark *marks;
    int mark_count;
    /* MAREY_ROLE_COUNT: the joint in each role, or -1; no joint twice. They belong to this clip and
       what is made of it: files and libraries have no place for them and find them again. Default:
       found by names, else by shape, as in a file. */
    const int *roles;
    /* What files of this clip are written in; the arrays are centimetres with y up all the same.
       Default: cm, y up. RAW: the numbers have no unit, and y is up. */
    marey_units units;
    marey_up up;
} marey_clip_make_def;

/* Makes a clip from arrays, such as a program's own motion or a network's answer. It is as one that
   was read: it can be edited, blended, searched, saved in every format and put into a library. It has
   no numbers of a file (marey_clip_channels); files get positions for the joints that move, and
   angles in the order z y x. Its report has height, units_why, up_why and what is odd about the
   skeleton. `def` is required.
   Errors: REQUEST: not as said above, with the first frame or joint at fault; numbers that are not
     finite or more than 1e9 units. LIMIT: too many joints or frames. MEMORY.
   Ownership: free with marey_clip_free.
   Cost: linear in the arrays, which are read once; about as much memory. */
MAREY_API marey_status marey_clip_make(marey_ctx *ctx, const marey_clip_make_def *def,
                                       marey_clip **out, marey_error *error);

/* ---- what was noticed while reading ---------------------------------------------------------- */

/* The import report. Every text is a whole sentence without its full stop. */
typedef struct marey_report {
    const char *format; /* "bvh"; "arrays" of marey_clip_make, "" of a clip of the demo */
    /* How the units and the up axis were found. */
    const char *units_why;
    const char *up_why;
    /* Of the standing body, from its bones; 0 if it has no size. */
    double height_cm;
    /* The rate that the file says. */
    double claimed_fps;
    /* The rate at which the jumps in the clip fall as they should, 0 without a clear jump, and how
       many jumps it rests on. */
    double flight_fps;
    int flight_count;
    int warning_count;
    const char *const *warnings;
    /* A bit for each of the first 64 warnings, from the lowest: it says how the skeleton is made rather
       than that something may be wrong. Who looks at the file wants to know it; who works with it,
       as every CMU file has it, does not at every step. Of a clip that was read from a file. */
    uint64_t remarks;
    /* Of a motion whose skeleton is a file of its own (AMC), just read: that file. Otherwise NULL. */
    const char *skeleton_path;
    /* Of a file that holds takes (glTF, FBX): their names, and which of them was read, -1 for none. */
    int take_count, take;
    const char *const *takes;
} marey_report;

/* The import report of a clip. Borrowed until marey_clip_free. */
MAREY_API const marey_report *marey_clip_report(const marey_clip *clip);

/* ---- pose ------------------------------------------------------------------------------------ */

/* Writes global joint positions of frames [first, first + count): count * joint_count * 3 numbers,
   End Sites left out. Sums run in double, so a clip 1 km from the origin loses nothing.
   Cost: about 0.5 microseconds a frame of 31 joints. */
MAREY_API void marey_clip_positions(const marey_clip *clip, int first, int count, double *out);

/* The same in floats, rounded once at the end. */
MAREY_API void marey_clip_positions_float(const marey_clip *clip, int first, int count, float *out);

/* Writes how fast joints move in frames [first, first + count), in the axes of the world, cm/s: count
   * joint_count * 3 numbers. From the frame before to the frame after; from or to the frame itself
   where one of them is marked or not in the clip; 0 in marked frames and where both are. Frames
   beside the range count, so a clip measured in parts is the clip measured at once.
   Errors: MEMORY.
   Cost: that of marey_clip_positions. */
MAREY_API marey_status marey_clip_velocities(const marey_clip *clip, int first, int count,
                                             float *out);

/* Which way the body faces on the floor in a frame: at right angles to the line from its right hip and
   shoulder to the left ones or, where that stands upright or there are none, as the root's z axis. The
   turn about y that takes the z axis there, -pi .. pi. `positions`: all joints' in that frame, as
   marey_clip_positions writes them. */
MAREY_API double marey_clip_facing_rad(const marey_clip *clip, int frame, const double *positions);

/* Writes the pose at a time, between frames if need be; time_s is held to the clip's first and last
   frame. places: 3 doubles a joint, the local translation; turns: 4 floats a joint, the local
   rotation. Rotations go the shorter way round at constant speed, translations straight. */
MAREY_API void marey_clip_sample(const marey_clip *clip, double time_s, double *places,
                                 float *turns);

/* Writes global positions, 3 doubles a joint, of a pose given as by marey_clip_sample. */
MAREY_API void marey_pose_positions(const marey_skeleton *skeleton, const double *places,
                                    const float *turns, double *out);

/* ---- contacts -------------------------------------------------------------------------------- */

/* The points of the body that can be planted: those of the feet, then the hands. */
typedef enum marey_contact_joint {
    MAREY_CONTACT_LEFT_HEEL,
    MAREY_CONTACT_LEFT_TOE,
    MAREY_CONTACT_RIGHT_HEEL,
    MAREY_CONTACT_RIGHT_TOE,
    MAREY_CONTACT_LEFT_HAND,
    MAREY_CONTACT_RIGHT_HAND,
    MAREY_CONTACT_JOINT_COUNT
} marey_contact_joint;

/* A point's name, "left_heel". Lives forever. */
MAREY_API const char *marey_contact_name(marey_contact_joint joint);

/* A plant: a heel or ball of a foot, or a hand, that stays where it is. */
typedef struct marey_contact {
    marey_contact_joint joint;
    /* Frames, end exclusive. */
    int start, end;
} marey_contact;

/* What counts as a plant: leave a field zero for its default. */
typedef struct marey_contact_def {
    /* Shorter plants are dropped, n frames counting as n + 1; default 0.08. */
    double shortest_s;
    /* Gaps up to this inside one plant are closed; default 0.05. */
    double bridge_s;
} marey_contact_def;

/* The plants of a clip, sorted by joint, then start, without overlaps. */
typedef struct marey_contacts {
    int count;
    marey_contact *items;
    /* For marey_contacts_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_contacts;

/* Finds the plants of feet and hands. The heel is the ankle's joint, the toe the toe's (the ball of
   the foot) or, without a toe joint, the tip of the ankle's bone; the hand is the wrist's. A
   point is planted where it is slow, as low as it gets around that time, and not held up in the
   air. Slow is judged against the clip's own noise, low against the plant's own floor, both with
   hysteresis; so slopes, steps, tilted floors and doubtful rates do not matter. A hand is
   planted where it is slow and near the floor that the feet stand on, or stood on last and stand
   on next; while no foot stands, it may be faster and higher, since it carries the body then.
   Marked frames hold no plants, nor does a point that the skeleton lacks.
   Errors: MEMORY.
   Ownership: free with marey_contacts_free.
   Cost: linear in the frames, about a microsecond each. */
MAREY_API marey_status marey_contacts_find(const marey_clip *clip, const marey_contact_def *def,
                                           marey_contacts *out);

/* Frees plants; {0} is allowed. */
MAREY_API void marey_contacts_free(marey_contacts *contacts);

/* ---- quality of a motion --------------------------------------------------------------------- */

/* How sound a motion is. What the measures mean, exactly:

   drift        of a plant: the largest distance along the floor between the position of its point
                in the plant's first frame and in any other frame of it
   floor        of a plant: the median height of its point. Of a frame between two plants of a
                point: the lower of both floors, so that feet may go down stairs. Before a point's
                first plant and after its last one: that plant's
   step         of a joint: how far it moves between two frames in a row
   third        of a joint: the length of p3 - 3 p2 + 3 p1 - p0, its positions in four frames in a
   difference   row

   Marked frames are left out: a row of frames ends at them. The median of an even number of values
   is the mean of the middle two. Largest and median steps and third differences under 0.001 cm
   count as 0.001 cm, so that a still clip has ratios of 1; so has a clip with too few frames to
   have any. All joints count, End Sites do not. */
typedef struct marey_quality {
    /* Mean and largest drift of the plants. */
    double slide_cm;
    double slide_max_cm;
    /* Distance that planted points move along the floor, over their planted time. */
    double slide_cm_per_s;
    /* How far any point of the feet is below its floor at most, or 0. */
    double penetration_cm;
    /* The largest step of any joint over the median of all steps. */
    double jump_ratio;
    /* The largest third difference of any joint over the median of all. */
    double jerk_ratio;
    /* Plants measured: their point is in the skeleton and not all their frames are marked. */
    int plants;
} marey_quality;

/* Measures a clip with its plants, found or given; those of one point must not overlap.
   Without plants the first four are 0.
   Errors: MEMORY.
   Cost: linear in the frames; 8 bytes a joint and frame during the call. */
MAREY_API marey_status marey_clip_quality(const marey_clip *clip, const marey_contact *contacts,
                                          int count, marey_quality *out);

/* Measures the drift of each plant, of which slide_cm is the mean: cm[i] for contacts[i], NaN if it
   is not measured.
   Errors: MEMORY.
   Cost: only planted frames are looked at, so much less than marey_clip_quality. */
MAREY_API marey_status marey_clip_drifts(const marey_clip *clip, const marey_contact *contacts,
                                         int count, double *cm);

/* How fast joints get from one frame to the next, cm/s. */
typedef struct marey_speeds {
    /* The fastest joint, and the fastest knee (NaN: the skeleton has none). */
    double joint_cm_per_s, knee_cm_per_s;
    /* The same but for leaps of capture, which a clip made of this one should not be measured
       by: steps of more than three times the median of those in the 0.05 s (two frames, if that is
       longer) before them, and of those after them. */
    double sound_joint_cm_per_s, sound_knee_cm_per_s;
} marey_speeds;

/* Measures a clip. No step leads to or from a marked frame. `marked` (may be NULL): the clip is this
   one without its marked frames, as by marey_clip_unmarked, and no step leads over a gap.
   Errors: MEMORY.
   Cost: linear in the frames. */
MAREY_API marey_status marey_clip_speeds(const marey_clip *clip, const marey_clip *marked,
                                         marey_speeds *out);

/* ---- edits ----------------------------------------------------------------------------------- */

/* Each makes a new clip, to be freed with marey_clip_free, and leaves the old one alone. All can
   fail with MEMORY; all are linear in the frames. */

/* Cuts out frames [start, end). Keeps the file's own numbers.
   Errors: REQUEST: empty or outside the clip. */
MAREY_API marey_status marey_clip_trim(const marey_clip *clip, int start, int end, marey_clip **out,
                                       marey_error *error);

/* Resamples to another rate: frame i shows the time i / fps, up to the clip's last frame. Marks are
   carried over. A frame never mixes a marked frame with an unmarked one: it takes the nearer.
   Errors: REQUEST: fps not in [0.1, 10000]. LIMIT: more than 100,000,000 frames. */
MAREY_API marey_status marey_clip_resample(const marey_clip *clip, double fps, marey_clip **out,
                                           marey_error *error);

/* Exchanges left and right, reflected in the plane x = 0. Twice gives the same motion again.
   Errors: REQUEST: the skeleton has no left and right. */
MAREY_API marey_status marey_clip_mirror(const marey_clip *clip, marey_clip **out,
                                         marey_error *error);

/* Holds the body over the point where it stands in the first unmarked frame; height and turning
   stay. */
MAREY_API marey_status marey_clip_in_place(const marey_clip *clip, marey_clip **out,
                                           marey_error *error);

/* Puts a joint with this name on the floor below the body, which carries it: it goes and turns where the
   hips go and the body faces, as game engines want it. Every joint stays where it was in the world.
   Errors: LIMIT: the clip has as many joints as there may be. */
MAREY_API marey_status marey_clip_add_root(const marey_clip *clip, const char *name,
                                           marey_clip **out, marey_error *error);

/* Scales body and path by a factor.
   Errors: REQUEST: factor not in [0.001, 1000]. */
MAREY_API marey_status marey_clip_scale(const marey_clip *clip, double factor, marey_clip **out,
                                        marey_error *error);

/* Joins clips end to end without their marked frames, at the first one's rate, in the first one's
   file units. With `align` each later clip is turned about the vertical and moved on the floor so
   that its first pose stands where the one before it ended.
   Errors: REQUEST: every frame is marked. SHAPE: joints differ. LIMIT: more than 100,000,000
     frames. */
MAREY_API marey_status marey_clip_concatenate(const marey_clip *const *clips, int count, bool align,
                                              marey_clip **out, marey_error *error);

/* The same motion, to be written in other units or axes. GUESS keeps what it has.
   Errors: REQUEST: RAW, which is no unit to write in. */
MAREY_API marey_status marey_clip_restate(const marey_clip *clip, marey_units units, marey_up up,
                                          marey_clip **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
