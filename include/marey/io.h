/* io.h - clips from files and to files.
   Read after motion.h. Formats are rows of a table and are found by content, not by name. */
#ifndef MAREY_IO_H
#define MAREY_IO_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct marey_format {
    const char *name;        /* "bvh" */
    const char *ending;      /* ".bvh" */
    const char *description; /* "Biovision hierarchy" */
    bool reads, writes;
    bool skeleton_only; /* holds no motion of its own: read as one frame of the rest pose */
} marey_format;

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_format *marey_format_find(int index);

typedef struct marey_load_def { /* leave a field zero for its default */
    double source_fps;          /* frames a second, [0.1, 10000]; default: what the file says */
    marey_units units;          /* default: guessed from the size of the body, and reported */
    marey_up up;                /* default: guessed from how the body stands, and reported */
    bool skip_first;            /* drop the first frame */
    const char *
        skeleton_path; /* ASF for an AMC; default: the one in its folder, else in the parent folder,
                                   whose name shares the longest beginning */
} marey_load_def;

/* Reads one clip. Time is linear in the file; memory is bounded by the file's size before its data
   is seen. `def` and `error` may be NULL. On failure *out is not written.
   INPUT: not there or not understood, with line and column. LIMIT: more than 16384 joints or
   100,000,000 frames. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_clip_load(marey_ctx *ctx, const char *path, const marey_load_def *def,
                                       marey_clip **out, marey_error *error);

/* The same from bytes in memory. `name` is used in messages and gives the clip its name. */
MAREY_API marey_status marey_clip_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                             size_t count, const marey_load_def *def,
                                             marey_clip **out, marey_error *error);

/* Writes a clip in the format of the path's ending. A clip that was read and not edited is written
   with the numbers of its file. The file appears under its name only when it is whole and on disk;
   on failure nothing is left behind and an older file of that name is as it was.
   REQUEST: no format that is written has this ending. INPUT: the clip is not sound (an edit made it too large to be
   read). LIMIT: the file would be too long. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_clip_save(const marey_clip *clip, const char *path,
                                       marey_error *error);

/* The same, with what made the clip (sources, frames, settings, licences) as JSON, for formats that have a place for
   it: in a GLB it stands in asset.extras.marey.provenance, parsed and written again. NULL: none. REQUEST: it is no JSON
   object. */
MAREY_API marey_status marey_clip_save_with(const marey_clip *clip, const char *path,
                                            const char *provenance, marey_error *error);

/* Writes rows of numbers as a NumPy file (version 1.0, C order, little-endian float32). `shape` has
   `dims` numbers, 1 to 4 of them. Same promises as marey_clip_save. */
MAREY_API marey_status marey_npy_save(marey_ctx *ctx, const char *path, const float *values,
                                      const int64_t *shape, int dims, marey_error *error);
/* The same for rows that lie `stride` numbers apart, as those of a grid may. */
MAREY_API marey_status marey_npy_save_rows(marey_ctx *ctx, const char *path, const float *values,
                                           int rows, int cols, size_t stride, marey_error *error);

/* Whole files for programs around the library, through the same hooks and with the same promises. */
MAREY_API marey_status marey_file_save(marey_ctx *ctx, const char *path, const void *bytes,
                                       size_t count, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
