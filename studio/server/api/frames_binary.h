/* frames_binary.h - frames of a clip as the page gets them: the layout MRYF of docs/studio-api.md.
   Read after heap.h. */
#ifndef STUDIO_FRAMES_BINARY_H
#define STUDIO_FRAMES_BINARY_H

#include "heap.h"

#include <marey/marey.h>

typedef struct frame_set {
    const marey_clip *clip;
    int start, step, count, joints, places;
    size_t size; /* of all of it in bytes */
} frame_set;

/* Frames start, start + step ... before `end`. */
frame_set frame_set_make(const marey_clip *clip, int start, int end, int step);

/* Behind what is there; false: no memory, and what is there is not whole. */
bool frame_set_write(const frame_set *set, studio_bytes *bytes);

/* Numbers as floats; returns where the next would go. */
uint8_t *frames_floats(uint8_t *out, const double *values, int count);

#endif
