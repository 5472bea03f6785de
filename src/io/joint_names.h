/* joint_names.h - joint names as scene files want them (glTF, FBX): UTF-8, and each of them once,
   because readers (assimp, Blender, three.js) find the joints of a skin and an animation by name. */
#ifndef MRY_JOINT_NAMES_H
#define MRY_JOINT_NAMES_H

#include "motion/clip_data.h"

/* The bytes as UTF-8, where invalid UTF-8 is taken as Latin-1. NULL when out of memory. */
char *mry_text_utf8(mry_arena *tmp, const char *bytes);

/* The name of each joint, and behind them of one more node, which is called `last` unless a joint is. A
   name that is taken gets _2, _3 and so on. NULL when out of memory. */
const char *const *mry_joint_names(const marey_clip *clip, const char *last, mry_arena *tmp);

#endif
