/* clip_facts.h - small questions about clips: do two have the same body, which of their frames
   were captured, how fast do their joints get. Read after env.h; the operations that mix clips
   ask them. */
#ifndef MAREY_APP_CLIP_FACTS_H
#define MAREY_APP_CLIP_FACTS_H

#include "env.h"

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

typedef struct app_speeds {
    double joint_cm_per_s; /* of the fastest joint */
    double knee_cm_per_s;  /* of the fastest knee; NaN: the skeleton has none */
} app_speeds;

/* The fastest that joints move from one frame to the next. The frames of `clip` are those of
   `marked` that have no mark (NULL: all were captured); what lies on both sides of a gap is no
   step. MEMORY. */
marey_status app_speeds_measure(const marey_ctx_def *memory, const marey_clip *clip,
                                const marey_clip *marked, app_speeds *out, marey_error *error);

/* The faster of both. */
app_speeds app_speeds_most(app_speeds a, app_speeds b);

#endif
