/* format.h - the rows behind marey_format: how a format is recognised, read and written. A new format
   is one new row in format.c and the files that its row names. */
#ifndef MRY_FORMAT_H
#define MRY_FORMAT_H

#include "base/scan.h"
#include "motion/clip_data.h"

#include <marey/io.h>

typedef struct mry_format {
    marey_format shown;
    /* Does the text at scan->p begin like this format? Looks at most at what is in the window. NULL, as
       `read` is, if the format is only written. */
    bool (*probe)(const mry_scan *scan);
    /* Fills a clip's skeleton, tracks and source, in the file's units and axes. */
    marey_status (*read)(mry_scan *scan, const char *name, const marey_load_def *def,
                         marey_clip **out);
    /* `provenance` is JSON, or NULL; formats without a place for it leave it out. */
    marey_status (*write)(const marey_clip *clip, const char *path, const char *provenance,
                          marey_error *error);
} mry_format;

/* The BVH row's functions: bvh_read.c, bvh_write.c. */
bool mry_bvh_probe(const mry_scan *scan);
marey_status mry_bvh_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out);
marey_status mry_bvh_write(const marey_clip *clip, const char *path, const char *provenance,
                           marey_error *error);

/* The ASF and AMC rows' functions: asf_read.c, amc_read.c. */
bool mry_asf_probe(const mry_scan *scan);
marey_status mry_asf_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out);
bool mry_amc_probe(const mry_scan *scan);
marey_status mry_amc_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out);

/* The glTF row's function: gltf_write.c. */
marey_status mry_gltf_write(const marey_clip *clip, const char *path, const char *provenance,
                            marey_error *error);

#endif
