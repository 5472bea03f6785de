/* clip_facts.h - small questions about clips: do two have the same body, which of their frames
   were captured, how fast do their joints get. Read after env.h; the operations that mix clips
   ask them. */
#ifndef MAREY_APP_CLIP_FACTS_H
#define MAREY_APP_CLIP_FACTS_H

#include "env.h"

#include <math.h>

/* "walk.bvh" without its folder. */
const char *short_name(const char *text);

/* Names and parents. */
bool have_same_joints(const marey_clip *a, const marey_clip *b);

/* Lengths and directions, to 1e-6 cm, of clips with the same joints. */
bool have_same_bones(const marey_clip *a, const marey_clip *b);

/* Frames without a mark, in a row: the first such run from *at on; false past the last. */
bool captured_run(const marey_clip *clip, int *at, int *end);

/* How many frames without a mark lie before `frame`, which is its number in what
   marey_clip_unmarked makes .. */
int captured_before(const marey_clip *clip, int frame);
/* .. and back: the frame that number `index` of those is. */
int captured_frame(const marey_clip *clip, int index);
bool is_captured(const marey_clip *clip, int frame);

/* Of no clip yet; without knees there is no speed of them. */
#define APP_NO_SPEEDS ((marey_speeds){ 0, NAN, 0, NAN })

/* Raises `most` where another is faster. */
void app_speeds_raise(marey_speeds *most, const marey_speeds *one);

/* Likewise by the speeds of a clip, which is `marked` without its marked frames if that is
   given: see marey_clip_speeds. MEMORY. */
marey_status app_speeds_add(const marey_clip *clip, const marey_clip *marked, marey_speeds *most,
                            marey_error *error);

#endif
