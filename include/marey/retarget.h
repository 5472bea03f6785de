/* retarget.h - points become a body, and one body's motion goes onto another. Read after repair.h.

   Points are where joints or markers were, frame by frame, and say nothing of how bones are turned. A
   tree over them, bones of constant length and the rotations of their joints are found here. */
#ifndef MAREY_RETARGET_H
#define MAREY_RETARGET_H

#include <marey/blend.h>
#include <marey/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- points ---------------------------------------------------------------------------------- */

/* The name of an order of points that is known, "smpl22", and what it is, in a sentence without its
   full stop; NULL past the last. Live forever. */
MAREY_API const char *marey_solve_preset_name(int preset);
MAREY_API const char *marey_solve_preset_about(int preset);

/* How points are understood: leave a field zero for its default. */
typedef struct marey_solve_def {
    /* The order that the points have. Default: the file's own parents, else by the names of the
       points, else of the orders with as many points the one whose bones keep their length, else
       points that keep their distance are joined. */
    const char *preset;
    /* Which points make up a joint, a line for each: joint,parent,point+point (the root without a
       parent; # begins a remark). The joint is the mean of its points. */
    const char *map;
    /* Frames a second, [0.1, 10000]; default: what the points say. */
    double fps;
    /* Default: what the points say, else guessed from the body, and reported. */
    marey_units units;
    marey_up up;
} marey_solve_def;

/* Frames in which a joint was not seen. */
typedef struct marey_solve_gap {
    int joint;
    /* Frames, end exclusive. */
    int start, end;
} marey_solve_gap;

/* How well a body follows its points. */
typedef struct marey_solve_report {
    /* The order that was found, "" if it came from the file's parents, a map, or distances. */
    const char *preset;
    /* From the points, where they were seen, to the joints of the clip. */
    double mean_error_cm, p99_error_cm;
    /* Of a point along one axis, as the lengths of bones tell it. */
    double noise_cm;
    /* By joint, then start. */
    int gap_count;
    marey_solve_gap *gaps;
    /* For marey_solve_report_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_solve_report;

/* Makes a clip of points: a skeleton in a T-pose (y up, facing z; the first pose, where no body is
   recognised) with bones of constant length, and rotations. The points are followed as they are,
   unless the lengths of bones tell that they are noisy: then they are smoothed by as much as the
   noise asks for. Gaps are filled, and frames without any point are marked. A point that has no
   constant place below its parent hangs on a joint of no length of its own.
   Errors: REQUEST: no such preset; invalid map or rate; no rate. INPUT: points that no tree fits, or
     a point on the way to others that is never seen. LIMIT: too many points. MEMORY, CANCELLED.
   Ownership: free with marey_clip_free and marey_solve_report_free.
   Cost: linear in the frames, about 15 microseconds each for a body of 31 joints; some 90 bytes a
     joint and frame during the call, 120 with noise. */
MAREY_API marey_status marey_points_solve(marey_ctx *ctx, const marey_points *points,
                                          const marey_solve_def *def, marey_clip **clip,
                                          marey_solve_report *report, marey_error *error);

/* Reads a clip from any file that holds motion: as marey_clip_load does, and of points, as
   marey_points_load reads them, a body is made by marey_points_solve with its defaults; the clip's
   report says so. AMASS archives are read as marey_amass_load does. A file's take and skeleton are not for points.
   Errors: those of the three. Ownership: free with marey_clip_free. */
MAREY_API marey_status marey_motion_load(marey_ctx *ctx, const char *path,
                                         const marey_load_def *def, marey_clip **out,
                                         marey_error *error);

/* Frees a report; {0} is allowed. */
MAREY_API void marey_solve_report_free(marey_solve_report *report);

/* ---- AMASS ----------------------------------------------------------------------------------- */

/* How an AMASS archive is read: leave a field zero for its default. */
typedef struct marey_amass_def {
    /* Frames a second, [0.1, 10000]; default: what the file says. */
    double fps;
    /* Default: z, as in AMASS. */
    marey_up up;
    /* Where joints are at rest, seen from their parents, in cm, a line each: left_knee,0,-41,0.
       Those that are not named, or all without any: of a standard body of 170 cm. */
    const char *bones;
} marey_amass_def;

/* Reads the rotations of an SMPL body (poses, trans, mocap_framerate) as a clip with the 22 joints
   of the body; hands and shapes are left out.
   Errors: UNKNOWN_FORMAT: no archive with poses and trans, so perhaps points. INPUT: no such file, or
     damaged. REQUEST: invalid bones or rate; no rate. LIMIT, IO, MEMORY, CANCELLED.
   Ownership: free with marey_clip_free.
   Cost: linear in the file, which is held in memory during the call. */
MAREY_API marey_status marey_amass_load(marey_ctx *ctx, const char *path,
                                        const marey_amass_def *def, marey_clip **out,
                                        marey_error *error);

/* Reads one from bytes in memory; `name` is used in messages and gives the clip its name.
   Errors, Ownership, Cost: as marey_amass_load. */
MAREY_API marey_status marey_amass_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                              size_t count, const marey_amass_def *def,
                                              marey_clip **out, marey_error *error);

/* ---- which joints belong together ------------------------------------------------------------- */

/* A joint of one body and its counterpart in another. */
typedef struct marey_joint_pair {
    /* What both are to their body; MAREY_ROLE_COUNT: nothing special, a finger perhaps. */
    marey_role role;
    int source, target;
} marey_joint_pair;

/* The counterparts of two bodies: no joint twice, no role twice. */
typedef struct marey_body_map {
    int count;
    marey_joint_pair *pairs;
    /* For marey_body_map_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_body_map;

/* The counterparts by roles, then of joints without a role by their names, prefixes as in
   "mixamorig:Hips" apart.
   Errors: MEMORY. Ownership: free with marey_body_map_free. */
MAREY_API marey_status marey_body_map_find(const marey_clip *clip, const marey_clip *onto,
                                           marey_body_map *out);

/* Frees a map; {0} is allowed. */
MAREY_API void marey_body_map_free(marey_body_map *map);

/* What looks wrong with a pair. */
typedef enum marey_map_conflict {
    MAREY_MAP_FINE,
    MAREY_MAP_SIDES, /* left and right: its joints, or one of them and the role */
    MAREY_MAP_ORDER /* it and another pair are above each other, the other way round in each body */
} marey_map_conflict;

/* The conflict of each pair, by what the two clips' own roles say.
   Errors: MEMORY. Cost: grows with the square of the pairs. */
MAREY_API marey_status marey_body_map_conflicts(const marey_clip *clip, const marey_clip *onto,
                                                const marey_body_map *map, marey_map_conflict *out);

/* Writes a map as JSON that people read and change, cut to `room` bytes with the ending zero (text may
   be NULL if room is 0). *length is that of the whole. "pairs" has a line for each, {"role":
   "left_knee", "from": "LeftLeg", "to": "lShin"}, without the role where it is nothing special, and
   with "conflict", "sides" or "order", where there is one; "only_from" and "only_to" have the joints
   without a counterpart. Of joints that share a name, further ones are NAME_2, NAME_3 ...
   Errors: MEMORY. */
MAREY_API marey_status marey_body_map_text(const marey_clip *clip, const marey_clip *onto,
                                           const marey_body_map *map, char *text, size_t room,
                                           size_t *length);

/* Reads such a map. `name` is used in messages. Only "pairs" is read.
   Errors: INPUT: no such JSON; a joint that the body does not have; a joint or a role twice; no such
     role. LIMIT: more than 4 MiB. MEMORY.
   Ownership: free with marey_body_map_free. */
MAREY_API marey_status marey_body_map_parse(const marey_clip *clip, const marey_clip *onto,
                                            const char *name, const char *text, marey_body_map *out,
                                            marey_error *error);

/* ---- one body's motion on another ------------------------------------------------------------ */

/* What is kept in the world, as it is in the source, and not in proportion to the bodies. */
typedef enum marey_retarget_keep {
    MAREY_KEEP_HANDS = 1,   /* where hands are */
    MAREY_KEEP_FEET = 2,    /* where feet are; the path is, too */
    MAREY_KEEP_HEIGHTS = 4, /* how high hips, hands and feet are above the floor */
    MAREY_KEEP_PATH = 8     /* the way along the floor */
} marey_retarget_keep;

/* How a motion goes onto another body: leave a field zero for its default. */
typedef struct marey_retarget_def {
    /* Any of marey_retarget_keep, added; default: everything is in proportion. */
    unsigned keep;
    /* The body stays over the place where it begins. */
    bool in_place;
    /* Default: as marey_body_map_find has it. */
    const marey_body_map *map;
} marey_retarget_def;

/* How a motion came onto another body. */
typedef struct marey_retarget_result {
    /* The bodies are the same: the clip was copied. */
    bool same_body;
    /* The target's leg over the source's, by which the path is scaled. */
    double leg_ratio;
    /* That both bodies have. */
    int roles;
    /* How far hands and feet are from where they are in the source, seen from shoulders and hips, in
       per cent of the limb: the mean over frames and limbs. */
    double reach_percent;
    /* The fastest step of any joint over the source's, in proportion. */
    double speed_ratio;
    /* In which a hand or foot was out of reach, and its limb stretched straight. */
    int straight_frames;
    /* Of holding the feet. */
    marey_clean_result clean;
} marey_retarget_result;

/* Makes a clip with the motion of `clip` and the body of `onto`: its joints, bones and channels. Joints
   of the same role are turned alike in the world, whatever axes and rest pose they have; what lies
   between follows from where joints are in both clips. Hands and feet reach as far as in the source, in
   proportion to the limb, and near the floor are as high. Joints without a role turn as their
   counterparts in the map do, or keep what they have on average in `onto`. The path is scaled by the
   ratio of leg lengths, the body stands as high as it does in `onto` (on a floor at 0, if that is a
   single pose about the origin), and feet that are planted in the source are planted in the same
   frames. Where the bodies are the same, and the map has each joint go with itself, it is a copy.

   contacts NULL: found; else sorted by joint and start, without overlaps. `def` and `result` may be
   NULL.
   Errors: REQUEST: a map with joints that the bodies do not have, or have twice. INPUT: a body, or the
     map, has no hips or no whole legs; the message names the role. MEMORY, CANCELLED.
   Ownership: free with marey_clip_free.
   Cost: about 10 microseconds a frame of 31 joints. */
MAREY_API marey_status marey_clip_retarget(const marey_clip *clip, const marey_contact *contacts,
                                           int count, const marey_clip *onto,
                                           const marey_retarget_def *def, marey_clip **out,
                                           marey_retarget_result *result, marey_error *error);

/* How a clip came onto a body. */
typedef struct marey_fit {
    /* Its joints are not those of the body; what follows says how well it went. */
    bool retargeted;
    marey_retarget_result how;
} marey_fit;

/* Puts a clip on the body of another, whatever joints both have: by marey_clip_refit where they are the
   same, else by marey_clip_retarget. A part of a clip is fitted best by fitting the whole
   clip first: what its body is like is found over all of its frames.
   contacts NULL: found. `def`, of retargeting, and `fit` may be NULL.
   Errors: SHAPE: other joints, and a body without hips or whole legs; the message names the role.
     MEMORY, CANCELLED.
   Ownership: free with marey_clip_free. */
MAREY_API marey_status marey_clip_fit(const marey_clip *clip, const marey_contacts *contacts,
                                      const marey_clip *like, const marey_retarget_def *def,
                                      marey_clip **out, marey_fit *fit, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
