/* io.h - clips from files and to files. Read after motion.h. Formats are rows of a table and are
   found by content, not by name. */
#ifndef MAREY_IO_H
#define MAREY_IO_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- formats --------------------------------------------------------------------------------- */

/* A file format: a row of a table. */
typedef struct marey_format {
    const char *name;        /* "bvh" */
    const char *ending;      /* ".bvh" */
    const char *description; /* "Biovision hierarchy" */
    bool reads, writes;
    /* Holds no motion of its own: read as one frame of the rest pose. */
    bool skeleton_only;
    /* Holds points and no skeleton: read by marey_points_load, written by marey_points_save; of a clip,
       where its joints are. */
    bool points;
    /* In which units it is written, with y up; GUESS: in those of the clip's own file, and its axes. */
    marey_units written_units;
    /* The ending of a second file that is written with it, ".asf" of an AMC; NULL: none. */
    const char *beside;
    /* What of a file is not kept when it is read, and what of a clip when it is written; "": nothing,
       or that is not done. */
    const char *lost_reading, *lost_writing;
} marey_format;

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_format *marey_format_find(int index);

/* The row of a path's ending, in any case, or NULL. Lives forever. */
MAREY_API const marey_format *marey_format_of(const char *path);

/* ---- reading --------------------------------------------------------------------------------- */

/* How a file is read: leave a field zero for its default. */
typedef struct marey_load_def {
    /* Frames a second, [0.1, 10000]; default: what the file says. */
    double source_fps;
    /* Default: guessed from the size of the body, and reported. */
    marey_units units;
    /* Default: guessed from how the body stands, and reported. */
    marey_up up;
    /* Drop the first frame. */
    bool skip_first;
    /* The ASF for an AMC; default: of those in its folder, else in the parent folder, the one whose
       name shares the longest beginning. */
    const char *skeleton_path;
    /* Of a file with several takes (glTF, FBX): the one with this name, or number from "1"; default: the
       longest. */
    const char *take;
} marey_load_def;

/* Reads one clip from a file.
   Errors: INPUT: no such file, or not understood, with line and column; UNKNOWN_FORMAT is a case of
     it. REQUEST: invalid source_fps; skip_first of a clip of one frame. LIMIT: more than 16384
     joints or 100,000,000 frames. IO, MEMORY, CANCELLED.
   Ownership: free with marey_clip_free.
   Cost: linear in the file; memory is bounded by the file's size before its data is seen. */
MAREY_API marey_status marey_clip_load(marey_ctx *ctx, const char *path, const marey_load_def *def,
                                       marey_clip **out, marey_error *error);

/* Reads one clip from bytes in memory. `name` is used in messages and gives the clip its name.
   Errors, Ownership, Cost: as marey_clip_load; the bytes may go after the call. */
MAREY_API marey_status marey_clip_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                             size_t count, const marey_load_def *def,
                                             marey_clip **out, marey_error *error);

/* ---- points --------------------------------------------------------------------------------- */

/* Something that was noted at a moment: "Foot Strike" of the "Left". */
typedef struct marey_point_event {
    const char *label, *context;
    /* From the beginning of the recording, of which the first frame here may be a later one. */
    double seconds;
} marey_point_event;

/* Points with their names: markers, or joints of a body without its rotations. All pointers are
   borrowed until marey_points_free. */
typedef struct marey_points {
    /* The file's name without folder and ending, and "c3d", "trc", "npy" or "npz". */
    const char *name, *format;
    int frames, count;
    /* Frames a second; 0: the file does not say. */
    double fps;
    /* The number that the file gives its first frame. */
    int first_frame;
    /* Of each point; "" if it has none, perhaps not unique. */
    const char *const *names;
    /* frames x count x 3, in the file's units and axes; NaN where a point was not seen. */
    const float *at;
    /* Of each point the one that it hangs on, -1: none; it may stand behind it. They lead to roots, in
       no circle. NULL: the file does not say. */
    const int *parents;
    /* GUESS: the file does not say. */
    marey_units units;
    marey_up up;
    int event_count;
    const marey_point_event *events;
} marey_points;

/* Reads the points of a file, known by its content: C3D (of any processor, as integers or floats;
   analog channels are passed over), TRC, or a NumPy array of frames x points x 3 or frames x 3 points
   numbers, alone (.npy) or in an archive (.npz) with others: "positions", "joints", "points",
   "keypoints" or "xyz", else the only one that fits; names from "names" or "joint_names", parents
   from "parents", the rate from "fps", "frame_rate", "mocap_framerate" or "mocap_frame_rate".
   Errors: INPUT: no such file, or damaged; UNKNOWN_FORMAT is a case of it. LIMIT: more than 16384
     points or 100,000,000 frames; an archive that would unpack too far. IO, MEMORY, CANCELLED.
   Ownership: free with marey_points_free.
   Cost: linear in the file, which is held in memory during the call. */
MAREY_API marey_status marey_points_load(marey_ctx *ctx, const char *path, marey_points **out,
                                         marey_error *error);

/* Reads them from bytes in memory. `name` is used in messages and gives the points their name.
   Errors, Ownership, Cost: as marey_points_load; the bytes may go after the call. */
MAREY_API marey_status marey_points_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                               size_t count, marey_points **out,
                                               marey_error *error);

/* Frees points. */
MAREY_API void marey_points_free(marey_points *points);

/* ---- writing --------------------------------------------------------------------------------- */

/* Every file here appears under its name only when it is whole and on disk; on failure nothing is
   left behind and an older file of that name is as it was. */

/* Writes a clip in the format of the path's ending. A clip that was read and not edited is written
   with the numbers of its file.
   Errors: REQUEST: no format that is written has this ending. INPUT: an edit made the clip too
     large to be read again. LIMIT: the file would be too long. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_clip_save(const marey_clip *clip, const char *path,
                                       marey_error *error);

/* Writes a clip with its provenance: sources, frames, settings and licences as a JSON object, for
   formats that have a place for it. In a GLB it is asset.extras.marey.provenance, parsed and
   written again. NULL: none.
   Errors: as marey_clip_save. REQUEST: provenance must be a JSON object. */
MAREY_API marey_status marey_clip_save_with(const marey_clip *clip, const char *path,
                                            const char *provenance, marey_error *error);

/* Writes numbers as a NumPy file (version 1.0, C order, little-endian float32). `shape` has `dims`
   numbers, 1 to 4 of them.
   Errors: INPUT: the path; IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_npy_save(marey_ctx *ctx, const char *path, const float *values,
                                      const int64_t *shape, int dims, marey_error *error);

/* Writes rows that lie `stride` numbers apart, as those of a grid may.
   Errors: as marey_npy_save. */
MAREY_API marey_status marey_npy_save_rows(marey_ctx *ctx, const char *path, const float *values,
                                           int rows, int cols, size_t stride, marey_error *error);

/* Writes points as a NumPy archive (.npz: "positions", "names", "parents" where there are any, "fps",
   "units" and "up" where they are known; stored, not packed), or as their array alone (.npy), by the
   path's ending. Events are left out.
   Errors: REQUEST: another ending. LIMIT: 4 GiB or more in an archive. INPUT: the path; IO, MEMORY,
     CANCELLED. */
MAREY_API marey_status marey_points_save(marey_ctx *ctx, const marey_points *points,
                                         const char *path, marey_error *error);

/* Writes any bytes as a whole file, for programs around the library.
   Errors: INPUT: the path; IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_file_save(marey_ctx *ctx, const char *path, const void *bytes,
                                       size_t count, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
