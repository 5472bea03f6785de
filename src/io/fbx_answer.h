/* fbx_answer.h - what the program marey-fbx says about an FBX file, through a socket, to the library
   that started it. Everything is in the machine's own byte order and begins at a multiple of 4; a text
   is its length and its bytes, filled up with zeros. Nothing of it is believed: the program has read
   hostile bytes.

     magic
     refused    1: a text says why, and nothing follows
     axes       6 numbers: up, front and right axis (0 to 2), each followed by its sign
     unit       double: centimetres
     fps        double; 0: not said
     nodes      count; of each, depth-first:
       parent   a node before it; -1
       flags
       name     text
       rest     12 doubles: the local transform, three rows of four
       parts    10 doubles: the same as place, quaternion (w, x, y, z), scale
       bind     12 doubles, in the world; if it has one
     takes      count; of each:
       name     text
       seconds  double
       lost     how many of its channels move a node that is not there
       tracks   count; of each: node, path (mry_track_path), keys,
                times (keys floats, seconds), values (3 or 4 floats a key; turns as x, y, z, w) */
#ifndef MRY_FBX_ANSWER_H
#define MRY_FBX_ANSWER_H

enum {
    MRY_FBX_MAGIC = 0x3158464d, /* "MFX1" */
    MRY_FBX_HAS_BIND = 1,
    MRY_FBX_DROPS_SCALE = 2, /* the scale of the node above does not reach it */
    /* Says in its place "no memory", because an allocation was refused. */
    MRY_FBX_NO_MEMORY = 2
};

#endif
