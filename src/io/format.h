/* format.h - the rows behind marey_format: how a format is recognised, read and written. A new
   format is one new row in format.c and the files that its row names. */
#ifndef MRY_FORMAT_H
#define MRY_FORMAT_H

#include "base/scan.h"
#include "motion/clip_data.h"

#include <marey/io.h>

/* Does the text at scan->p begin like this format? Looks at most at what is in the window. */
typedef bool mry_probe_fn(const mry_scan *scan);
/* Fills a clip's skeleton, tracks and source, in the file's units and axes; these too, where the
   format says what they are. */
typedef marey_status mry_read_fn(mry_scan *scan, const char *name, const marey_load_def *def,
                                 marey_clip **out);
/* `provenance` is JSON, or NULL; formats without a place for it leave it out. */
typedef marey_status mry_write_fn(const marey_clip *clip, const char *path, const char *provenance,
                                  marey_error *error);

typedef struct mry_format {
    marey_format shown;
    mry_probe_fn *probe; /* NULL, as `read` is, if the format is only written */
    mry_read_fn *read;
    mry_write_fn *write; /* NULL: it is only read */
} mry_format;

/* bvh_read.c, asf_read.c, amc_read.c, gltf_read.c, fbx_read.c */
mry_probe_fn mry_bvh_probe, mry_asf_probe, mry_amc_probe, mry_glb_probe, mry_gltf_probe,
    mry_fbx_probe;
mry_read_fn mry_bvh_read, mry_asf_read, mry_amc_read, mry_gltf_read, mry_fbx_read;

/* bvh_write.c, amc_write.c, gltf_write.c, fbx_write.c; npz_write.c */
mry_write_fn mry_bvh_write, mry_amc_write, mry_gltf_write, mry_fbx_write, mry_points_write;

#endif
