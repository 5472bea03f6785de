/* rig.h - a tree of nodes that move, as scene files have it (glTF, FBX), becomes a clip. Read by the
   readers of these formats.

   Nodes have whatever axes their program gave them, and scales. Joints of a clip have the axes of the
   world in the rest pose, and no scale: then all rotations are 0 at rest, as in a BVH file, and what
   mirrors, blends and compares joints need not know where a rig came from. Joints are where the
   file's own transforms put them. */
#ifndef MRY_RIG_H
#define MRY_RIG_H

#include "motion/clip_data.h"

/* A local transform: three rows of four, the last of each row the place. */
enum { MRY_RIG_NUMBERS = 12 };

typedef struct mry_rig_node {
    const char *name;
    int parent;    /* a node before this one; -1: none */
    bool is_joint; /* all joints are below the first one, depth-first; others only carry them */
} mry_rig_node;

typedef struct mry_rig {
    const mry_rig_node *nodes;
    int count;
    const double *rest; /* count x MRY_RIG_NUMBERS */
    /* Where nodes were when a skin was put on them, in the world, count x MRY_RIG_NUMBERS, and of which
       it is known; NULL: of none. It is their rest pose then. */
    const double *bind;
    const bool *has_bind;
    int frames;
    double fps;
    /* Writes the transforms of all nodes in one frame. */
    void (*pose)(void *user, int frame, double *locals);
    void *user;
} mry_rig;

/* Makes the clip, in the file's units and axes. There is a joint. Frames are posed twice. MEMORY,
   CANCELLED. */
marey_status mry_rig_clip(marey_ctx *ctx, const char *name, const mry_rig *rig, const char *path,
                          marey_clip **out, marey_error *error);

/* From a translation, a unit quaternion (w, x, y, z) and a scale. */
void mry_rig_local(const double *place, const double *turn, const double *scale, double *out);

#endif
