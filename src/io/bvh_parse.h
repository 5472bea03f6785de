/* bvh_parse.h - what the two halves of the BVH reader share: the hierarchy as it was written. */
#ifndef MRY_BVH_PARSE_H
#define MRY_BVH_PARSE_H

#include "base/scan.h"
#include "motion/clip_data.h"

typedef struct mry_bvh_joint {
    const char *name;
    int parent; /* -1: the root */
    double offset[3];
    double end[3];
    bool has_offset, has_end, has_channels, has_children;
    int channel_count;
    marey_channel channels[MAREY_CHANNEL_COUNT];
} mry_bvh_joint;

typedef struct mry_bvh_tree {
    mry_bvh_joint *joints;
    int count, room;
    int channel_count;
    int offsets_missing, ends_dropped, scales;
    int64_t commas;    /* numbers with a decimal comma */
    const char *twice; /* a name that two joints have, or NULL */
} mry_bvh_tree;

/* From HIERARCHY up to and including the root's closing brace. Everything lives in tmp. */
marey_status mry_bvh_read_tree(mry_scan *scan, mry_arena *tmp, mry_bvh_tree *tree);

#endif
