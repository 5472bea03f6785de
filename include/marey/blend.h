/* blend.h - new motion out of old: cuts, transitions, blends, loops, and feet that stay where they
   are planted. Read after align.h, which says which frames of the motions belong together. */
#ifndef MAREY_BLEND_H
#define MAREY_BLEND_H

#include <marey/align.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a plain cut ----------------------------------------------------------------------------- */

/* How two clips are joined: leave a field zero for its default. */
typedef struct marey_stitch_def {
    /* Frames around the seam over which one clip fades into the other, linearly, 0 .. 100000; fewer
       where the clips end. Default: none, a plain cut. */
    int smooth_frames;
    /* The second clip is laid on the first by the root's whole transform, as the position error
       does, tilt and height included. Default: by its turn about the vertical and its position on
       the floor, so that what was upright stays upright. */
    bool full;
} marey_stitch_def;

/* Cuts and smooths (metrics, 4.3): the first clip before frame i, then the second from frame j on,
   moved so that its frame j stands where the first one's frame i was. With smoothing, frames around
   the seam are mixed from frames of both that are equally far from it. At the first clip's rate:
   the second is resampled if it has another, and j is then taken to the nearest frame. The bones
   are the first clip's. Marks are carried over.
   Errors: REQUEST: i or j is not a frame; an invalid definition. SHAPE: joints differ. LIMIT: too
     many frames. MEMORY.
   Ownership: free with marey_clip_free. */
MAREY_API marey_status marey_clip_stitch(const marey_clip *a, int i, const marey_clip *b, int j,
                                         const marey_stitch_def *def, marey_clip **out,
                                         marey_error *error);

/* Takes the marked frames out of a clip, as they are no captured motion. *frame (may be NULL) is a
   frame of `clip` and becomes the one that it is in *out, or the one that comes in its place.
   Errors: REQUEST: every frame is marked. LIMIT: more than 64 pieces between marked frames. MEMORY.
     Then *frame is not written either.
   Ownership: free with marey_clip_free. */
MAREY_API marey_status marey_clip_unmarked(const marey_clip *clip, int *frame, marey_clip **out,
                                           marey_error *error);

/* Puts a motion on the bones of `like`, so that clips of two people can be mixed. The turns stay,
   and the root's path is scaled by the length of the legs (or else of the body) about the point of
   the floor, y = 0, under its first frame, so that feet neither float nor slide. Joints with
   positions of their own vary about the other bone as they did about theirs. With the same bones
   (to 1e-6 cm) it is a copy.
   Errors: SHAPE: joints differ. MEMORY.
   Ownership: free with marey_clip_free. */
MAREY_API marey_status marey_clip_refit(const marey_clip *clip, const marey_clip *like,
                                        marey_clip **out, marey_error *error);

/* ---- feet that stay put ---------------------------------------------------------------------- */

/* How feet are held: leave a field zero for its default. */
typedef struct marey_clean_def {
    /* Corrections come and go over so long before and after a plant, 0 .. 10; default 0.2. */
    double ease_s;
    /* Near full extension the bones of a leg may get longer by this share, 0 .. 0.2, rather than
       letting the root sink. A length that changes needs position channels: joints without them get
       some if a share is given here. Default: 0.03 where knees and ankles have them already, as in
       files with six channels a joint, else none; negative: never. */
    double stretch;
    /* The root is not moved, even where a foot is out of reach otherwise. */
    bool keep_root;
} marey_clean_def;

/* What holding the feet changed. */
typedef struct marey_clean_result {
    /* Foot slide: the largest drift of a plant, as in marey_quality. */
    double slide_before_cm, slide_after_cm;
    /* At most. */
    double root_moved_cm;
    /* The greatest share by which a leg got longer. */
    double stretched;
    /* Plants that were held, and that were not: no whole leg or arm for it, no such point, or every
       frame marked. */
    int plants;
    int plants_left;
} marey_clean_result;

/* Holds planted heels, toes and hands where they are planted (Kovar, Schreiner & Gleicher 2002):
   each plant gets one position, legs and arms are solved for it analytically, the root moves as
   little as they need, and corrections are eased in before and out after each plant, so that
   nothing jumps.

   Only the root's position and the turns of hips, knees, ankles and toes change, and those of
   shoulders, elbows and wrists of arms whose hands are planted; with a stretch also the length
   of the legs' bones. Frames farther than the ease from any plant, marked frames, and plants
   that do not slide stay as they are to the bit. On the floor a plant is held exactly, in height
   it comes to rest within a quarter of the ease. Plants closer to each other than twice the ease
   are placed together. A skeleton without leg roles is copied and its plants counted in
   plants_left. A skeleton whose root never moves keeps it: its pelvis is moved.

   contacts NULL: found; else sorted by joint and start, without overlaps. `result` may be NULL.
   Errors: REQUEST: a plant is not in the clip; plants overlap or are not in order; an invalid
     definition. MEMORY. Then neither *out nor *result is written.
   Ownership: free with marey_clip_free.
   Cost: about 2 microseconds a frame. */
MAREY_API marey_status marey_clip_clean(const marey_clip *clip, const marey_contact *contacts,
                                        int count, const marey_clean_def *def, marey_clip **out,
                                        marey_clean_result *result, marey_error *error);

/* ---- generated clips ------------------------------------------------------------------------- */

/* A generated clip and what is known about it. */
typedef struct marey_made {
    marey_clip *clip;
    /* The plants it should have, from the constraint matches; of a time-aligned blend only where
       the feet are at rest in it, not on their way or in the air. */
    marey_contacts contacts;
    /* {0} if its feet were left alone. */
    marey_clean_result clean;
    /* Transitions: frames [0, from_a_end) are the first clip's own frames, [from_b_start, frames)
       the second's. */
    int from_a_end;
    int from_b_start;
} marey_made;

/* Frees the clip and its plants; {0} is allowed. */
MAREY_API void marey_made_free(marey_made *made);

/* Peak speed of a generated clip over that of its source clips (marey_speeds: the sound one, as a
   leap that was captured must not hide those that were made), both in cm/s: 1 if nothing jumps.
   As in marey_quality, steps under 0.001 cm count as that, so that a body that stands still has a
   ratio of 1. NaN if either speed is. */
MAREY_API double marey_jump_ratio(double made_cm_per_s, double inputs_cm_per_s, double fps);

/* How frames are combined. Rows of a table: --method, menus and tests read it. */
typedef enum marey_blend_method {
    MAREY_BLEND_REGISTERED, /* with timewarp, alignment and constraint matches: the paper's */
    MAREY_BLEND_UNTIMED,    /* aligned on the floor, but frame to frame: no timewarp */
    MAREY_BLEND_LINEAR,     /* frame to frame, root positions averaged: for comparison */
    MAREY_BLEND_METHOD_COUNT
} marey_blend_method;

/* A method's name, "registered". Lives forever. */
MAREY_API const char *marey_blend_method_name(marey_blend_method method);

/* What it does, in one line. Lives forever. */
MAREY_API const char *marey_blend_method_about(marey_blend_method method);

/* ---- blends ---------------------------------------------------------------------------------- */

/* What is blended: leave a field zero for its default. */
typedef struct marey_blend_def {
    /* Default: registered. */
    marey_blend_method method;
    /* Of the motions, constant; scaled to sum 1; may be negative, but the sum must not be 0. */
    const double *weights;
    /* Or over time: key_count rows of (time in seconds of the generated clip, then a weight per
       motion), times rising; linear between rows, held before the first and after the last. */
    int key_count;
    const double *keys;
    /* Of the generated clip, 0.1 .. 10000; default: the first motion's. */
    double fps;
    /* Where the blend starts on the floor: where this motion starts (counted from 1). Default: the
       motion that has all the weight at the start, so that a blend of one motion is that motion;
       else the first. */
    int place_of;
    /* No clean-up of the feet. */
    bool leave_feet;
    /* Default: its defaults. */
    const marey_clean_def *clean;
} marey_blend_def;

/* Blends registered motions (curves, 5, 6.2, 6.3) from the beginning of the curve to its end. The
   bones are the first motion's: put motions of other people on them first (marey_clip_refit). The
   same bytes always.
   Errors: REQUEST: no weights, not finite, or of sum 0; times that do not rise; an invalid
     definition. LIMIT: more than 10 million frames. MEMORY, CANCELLED.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_blend_make(marey_ctx *ctx, const marey_registration *registration,
                                        const marey_blend_def *def, marey_made *out,
                                        marey_error *error);

/* ---- transitions ----------------------------------------------------------------------------- */

enum { MAREY_MOST_HALF = 1000 };

/* The blend length on each side of the centre, in frames: `half`, or a quarter of a second for
   0. */
MAREY_API int marey_transition_half(const marey_clip *first, int half);

/* A pair of frames to go from one clip to the other. */
typedef struct marey_cut {
    /* Frames of the clips: the centre of the transition. */
    int a, b;
    /* The metric's distance there. */
    double cost;
} marey_cut;

/* Where cuts are looked for: leave a field zero for its default. */
typedef struct marey_cuts_def {
    /* Default: points. */
    const marey_metric_def *metric;
    /* Frames (of the first clip) that must be there on both sides of a cut; default: 0.25 s. */
    int half;
    /* Only cuts that cost less; default: the metric's threshold (MAREY_CUT_LIMIT for points), none
       for other metrics; infinity: include poor cuts. */
    double below;
    /* Look near a frame of the first, of the second clip .. */
    bool near_given[2];
    int near[2];
    /* .. so far from it; default 0.5. */
    double within_s;
    /* So much motion is left of the first clip before a cut, and of the second behind it: seconds in
       which the body does not stand still (marey_loops_def, over half a second), or half of what
       there is beside the transition; default 0. Where it moves for no longer than three times that between two rests of half a
       second, it is not cut at all. Not asked of a clip that a frame is given for. */
    double keep_s;
    /* Of each clip, a byte a frame: where it may be cut; NULL: anywhere. */
    const uint8_t *allowed[2];
} marey_cuts_def;

/* Finds the best cuts from one clip to the other, best first: cells of the grid that are less than
   all eight around them, no two within `half` frames of each other in both clips; of a part of the
   frames without such a cell, the least cell there. Marked frames, frames within `half` of them and
   of a clip's ends are left out. From a clip to itself, frames up to `half` apart are no cut. Clips
   of two rates are compared at the lower one; frames are each clip's own. `cuts` has room for
   `most`; *found is how many were written.
   Errors: REQUEST: a frame outside its clip; an invalid definition. SHAPE, LIMIT: as
     marey_grid_build. MEMORY, CANCELLED.
   Cost: one pass over all pairs of frames, without keeping the grid for `points`. */
MAREY_API marey_status marey_cuts_find(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                                       const marey_cuts_def *def, int most, marey_cut *cuts,
                                       int *found, marey_error *error);

/* How a transition is made: leave a field zero for its default. */
typedef struct marey_transition_def {
    /* Default: registered. */
    marey_blend_method method;
    /* Default: points. */
    const marey_metric_def *metric;
    /* Frames on each side of the centre, 1 .. MAREY_MOST_HALF, fewer where the clips end; default:
       0.25 s. */
    int half;
    /* As for alignments; default 2. */
    int slope;
    /* No clean-up of the feet. */
    bool leave_feet;
    /* Default: its defaults. */
    const marey_clean_def *clean;
} marey_transition_def;

/* Joins two clips by a transition of 2 half + 1 frames (curves, 6.1). The result stands where the
   first clip stands, at its rate, on its bones (the second is refitted). The transition begins and
   ends on whole frames of the clips, which are otherwise as they were; but a plant that reaches
   into it is held over all of its length, and so are the plants next to that. Marks are carried
   over, and no marked frame is blended: half is less where one, or the end of a clip, is near.
   Plants NULL: found; else for each clip, in its own frames.
   Errors: REQUEST: a frame is not in its clip or is marked; no room for any transition; an invalid
     definition. SHAPE: joints differ. LIMIT: too many frames. MEMORY, CANCELLED.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_transition_make(marey_ctx *ctx, const marey_clip *a, int frame_a,
                                             const marey_clip *b, int frame_b,
                                             const marey_contacts *contacts /* [2] or NULL */,
                                             const marey_transition_def *def, marey_made *out,
                                             marey_error *error);

/* ---- loops ----------------------------------------------------------------------------------- */

/* Frames of a clip that repeat. */
typedef struct marey_loop {
    /* The generated loop has end - start frames, or a few more or fewer. */
    int start, end;
    /* The metric's distance of `start` and `end`. */
    double cost;
    /* Written by marey_loop_make: how long the body stands still in it, as in marey_loops_def, over
       half a second; */
    double still_s;
    /* and of the generated loop: the largest step of a joint from its last frame to its first, the
       first moved to where it goes on, over the largest step inside it that is no leap
       (marey_speeds). */
    double seam_ratio;
} marey_loop;

/* Which loops are looked for: leave a field zero for its default. */
typedef struct marey_loops_def {
    /* Default: points. */
    const marey_metric_def *metric;
    /* Default 0.5 s and no limit. */
    double shortest_s, longest_s;
    /* As for cuts. */
    int half;
    /* Also where the body stands still: the best loops are there, and of no use. Still is slower
       than 10 cm/s, or half the clip's own mean if that is less, on the mean of all joints. */
    bool still;
} marey_loops_def;

/* Finds the best loops, best first, no two of them nearly the same: cuts from the clip to itself
   with the start before the end, and no marked frame between them. Those in which the body never
   stands still, if one costs less than the metric's threshold, or then than four times that; else
   those that move on the mean below the threshold; else those that never stand below sixteen times
   that; else the best of all. `loops` has room for `most`; *found is how many were written.
   Errors: REQUEST: lengths that no loop has; an invalid definition. SHAPE, LIMIT: as
     marey_grid_build. MEMORY, CANCELLED.
   Cost: as marey_cuts_find. */
MAREY_API marey_status marey_loops_find(marey_ctx *ctx, const marey_clip *clip,
                                        const marey_loops_def *def, int most, marey_loop *loops,
                                        int *found, marey_error *error);

/* How a loop is made: leave a field zero for its default. */
typedef struct marey_loop_def {
    /* As for transitions. */
    int half;
    int slope;
    const marey_metric_def *metric;
    /* The body stays over one point; default: it travels, and the next round begins where the last
       ended. */
    bool in_place;
    /* No clean-up of the feet. */
    bool leave_feet;
    /* Default: its defaults. */
    const marey_clean_def *clean;
} marey_loop_def;

/* Makes a seamless cycle from loop->start to loop->end, and writes loop->seam_ratio. It begins with
   frames of the clip where they stand, out->from_a_end of them, and ends with a transition from
   around loop->end back to around loop->start; it has end - start frames, a few more or fewer where
   the two are passed through at different paces. In place, what a round travels and turns is taken
   out of all its frames evenly, then a mean of the way over about a second; the sway within a step
   stays, feet slide, and its plants say when they would stand. `contacts` are the clip's plants;
   NULL: found.
   Errors: REQUEST: the frames are no loop or have no room around them; a marked frame lies between;
     an invalid definition. LIMIT: too many frames. MEMORY, CANCELLED. Then neither *out nor *loop
     is written.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_loop_make(marey_ctx *ctx, const marey_clip *clip,
                                       const marey_contacts *contacts, const marey_loop_def *def,
                                       marey_loop *loop, marey_made *out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
