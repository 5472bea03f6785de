/* fbx_look.h - what an FBX file has that assimp does not tell: which of its models are bones, and what
   assimp passes over or reads otherwise. Looks at the names of records only. */
#ifndef MRY_FBX_LOOK_H
#define MRY_FBX_LOOK_H

#include "base/arena.h"

typedef struct mry_fbx_name {
    const char *text; /* in the file's bytes, not ended by a zero */
    size_t length;
} mry_fbx_name;

typedef struct mry_fbx_facts {
    bool is_binary;
    int version; /* 7400; 0: not said */
    int stacks, layers;
    /* Some keys are joined by curves, hold their value until the next, or go on in a way of their own
       before the first and after the last. */
    bool curves, steps, goes_on;
    mry_fbx_name *bones; /* sorted */
    int bone_count;
} mry_fbx_facts;

/* False: no memory. Bytes that make no sense end the look, not the reading: assimp says what is wrong. */
bool mry_fbx_look(mry_arena *tmp, const uint8_t *bytes, size_t count, mry_fbx_facts *out);

/* Is a node of this name a bone? assimp puts digits behind names that occur again. */
bool mry_fbx_is_bone(const mry_fbx_facts *facts, const char *name);

#endif
