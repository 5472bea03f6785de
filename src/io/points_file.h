/* points_file.h - the rows behind marey_points_load: how a file of points is recognised and read. A new
   format is one new row in points_file.c and the file that its row names. */
#ifndef MRY_POINTS_FILE_H
#define MRY_POINTS_FILE_H

#include "base/scan.h"
#include "io/npz.h"

#include <marey/io.h>

enum { MRY_MOST_POINTS = 16384, MRY_MOST_POINT_FRAMES = 100000000 };

typedef struct mry_points_file {
    mry_scan *scan;
    mry_arena *mem; /* of what is returned */
    mry_arena *tmp;
    const uint8_t *bytes; /* all of the file, and a zero behind it */
    size_t count;
} mry_points_file;

/* Do these bytes begin like this format? They are the first of the file, not all of it. */
typedef bool mry_points_probe_fn(const uint8_t *bytes, size_t count);
/* Fills everything but name and format. */
typedef marey_status mry_points_read_fn(const mry_points_file *file, marey_points *out);

mry_points_probe_fn mry_c3d_probe, mry_npy_probe, mry_npz_probe, mry_trc_probe;
mry_points_read_fn mry_c3d_read, mry_npy_read, mry_npz_read, mry_trc_read;

/* Row `index` of the formats that hold points, or NULL. */
const marey_format *mry_points_format(int index);

/* Fails unless so many points and frames can be. */
marey_status mry_points_check_size(const mry_points_file *file, int64_t frames, int64_t count);

/* Frames, points and their places from an array of frames x points x 3 or frames x 3 points. */
bool mry_points_fit(const mry_array *array);
marey_status mry_points_from_array(const mry_points_file *file, const mry_array *array,
                                   marey_points *out);

/* Units by a name of their table, in any case; GUESS if it has none. */
marey_units mry_points_units(const char *name);

/* A rate that a recording can have, else 0: not said. */
static inline double mry_points_fps(double fps)
{
    return fps >= 0.1 && fps <= 10000 ? fps : 0;
}

#endif
