/* glb_reader.h - reads a .glb file by the letter of the glTF 2.0 specification and poses its nodes.
   Shares no code with the writer: it is the judge of it. Whatever is wrong with a file fails the
   test. */
#ifndef MAREY_TEST_GLB_READER_H
#define MAREY_TEST_GLB_READER_H

#include <stddef.h>
#include <stdint.h>

#include "owned.h"

typedef struct glb glb;

glb *glb_load(const char *path);
void glb_free(glb *file);
OWNED_POINTER(glb, glb_free)

/* Values of the JSON text have numbers; 0 is the whole. -1: there is none. */
int glb_get(const glb *file, int object, const char *key);
int glb_at(const glb *file, int array, int index);
int glb_count(const glb *file, int array);                  /* 0 for -1 */
const char *glb_text(const glb *file, int value);           /* "" for -1; escapes undone */
double glb_number(const glb *file, int value);              /* 0 for -1 */
int glb_find(const glb *file, const char *list, int index); /* "nodes", 3 */

/* The numbers of an accessor of floats or unsigned shorts, after checking that it lies inside its
   view and its view inside the buffer, and that it is aligned. `width` numbers each. */
const float *glb_floats(const glb *file, int accessor, int *count, int *width);
const uint16_t *glb_shorts(const glb *file, int accessor, int *count, int *width);

/* Where the nodes are at a time: metres, 3 numbers a node; and how they are turned: 4 numbers, x y
   z w. Keys are searched, mixed on a straight line, and rotations at constant speed without looking
   for the shorter way: neighbouring keys on opposite sides fail the test. turns may be NULL. */
void glb_pose(const glb *file, double time_s, double *places, double *turns);

#endif
