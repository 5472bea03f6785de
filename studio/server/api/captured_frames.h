/* captured_frames.h - which frames of a clip a part of it without marked frames shows. What is made of clips leaves marked
   frames out, but people count frames as they are in the library: this goes from one count to the other.
   Read after <marey/marey.h>. */
#ifndef STUDIO_CAPTURED_FRAMES_H
#define STUDIO_CAPTURED_FRAMES_H

#include <marey/marey.h>

enum { CAPTURED_RUNS = 64 }; /* marey_clip_unmarked takes no more */

typedef struct captured_span {
    int start, end; /* frames of the clip */
} captured_span;

typedef struct captured_frames {
    int count;
    captured_span runs[CAPTURED_RUNS];
} captured_frames;

/* Of frames [start, end) of a clip. False: they are in more pieces. */
bool captured_read(const marey_clip *clip, int start, int end, captured_frames *out);

/* The clip's frame that a frame of the part is; also between frames and past the last. */
double captured_to_clip(const captured_frames *of, double frame);

/* .. and back; -1: it is not in the part, or no captured motion. */
int captured_from_clip(const captured_frames *of, int frame);

#endif
