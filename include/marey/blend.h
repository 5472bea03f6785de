/* blend.h - new motion out of old: cuts, transitions, blends, loops, and feet that stay where they are planted.
   Read after align.h, which says which frames of the motions belong together. */
#ifndef MAREY_BLEND_H
#define MAREY_BLEND_H

#include <marey/align.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a plain cut ---------------------------------------------------------------------------------- */

typedef struct marey_stitch_def { /* leave a field zero for its default */
    int smooth_frames; /* frames around the seam over which one clip fades into the other, linearly;
                          0 .. 100000; default: none, a plain cut. Fewer where the clips end */
    bool
        full; /* the second clip is laid on the first by the root's whole transform, as D_p does, tilt and
                  height included; default: by its turn about the vertical and its place on the floor, so that what
                  was upright stays upright */
} marey_stitch_def;

/* Cut and smooth (metrics, 4.3): the first clip before frame i, then the second from frame j on, which is moved so that
   its frame j stands where the first one's frame i was. With smoothing, frames around the seam are mixed from frames of
   both that are equally far from it. At the first clip's rate: the second is resampled if it has another, and j is
   then taken to the nearest frame. The bones are the first clip's. Marks are carried over.
   `def` may be NULL. REQUEST: i or j is not a frame; the definition is invalid. SHAPE: joints differ. LIMIT, MEMORY. */
MAREY_API marey_status marey_clip_stitch(const marey_clip *a, int i, const marey_clip *b, int j,
                                         const marey_stitch_def *def, marey_clip **out,
                                         marey_error *error);

/* The clip without its marked frames, which are no captured motion: what is made of clips leaves them out. *frame (may be
   NULL) is a frame of `clip`, and becomes the one that it is in *out, or the one that comes in its place. On failure
   neither is written. REQUEST: every frame is marked. LIMIT: more than 64 pieces between marked frames. MEMORY. */
MAREY_API marey_status marey_clip_unmarked(const marey_clip *clip, int *frame, marey_clip **out,
                                           marey_error *error);

/* The same motion on the bones of `like`: the turns stay, and the root's path is scaled by the length of the legs (or else
   of the body) about the point of the floor, y = 0, under its first frame, so that feet neither float nor slide. Joints
   with places of their own vary about the other bone as they did about theirs. Clips of two people can be mixed after this. With the same bones (to 1e-6 cm) a copy.
   SHAPE: joints differ. MEMORY. */
MAREY_API marey_status marey_clip_refit(const marey_clip *clip, const marey_clip *like,
                                        marey_clip **out, marey_error *error);

/* ---- feet that stay put ------------------------------------------------------------------------- */

typedef struct marey_clean_def { /* leave a field zero for its default */
    double ease_s; /* corrections come and go over so long before and behind a plant; default 0.2 */
    double
        stretch; /* near full extension the bones of a leg may get longer by this share, 0 .. 0.2, rather than
                         letting the root sink. A length that changes needs position channels: joints without them get
                         some if a share is given here. Default: 0.03 where knees and ankles have them already, as
                         in files with six channels a joint, else none; negative: never */
    bool keep_root; /* the root is not moved, even where a foot cannot be reached otherwise */
} marey_clean_def;

typedef struct marey_clean_result {
    double slide_before_cm,
        slide_after_cm;   /* the largest drift of a plant, as marey_quality has it */
    double root_moved_cm; /* at most */
    double stretched;     /* greatest share by which a leg got longer */
    int plants;           /* held */
    int plants_left; /* that could not be held: no whole leg for it, no such point, or every frame marked */
} marey_clean_result;

/* Holds planted heels and toes where they are planted (Kovar, Schreiner & Gleicher 2002): each plant gets one place, the
   legs are solved for it analytically, the root moves as little as the legs need, and what is changed is eased in
   before and out behind each plant, so that nothing jumps. Only the root's place and the turns of hips, knees, ankles
   and toes change; with a stretch also the length of the legs' bones. Frames farther than the ease from any plant, marked
   frames, and plants that do not slide stay as they are to the bit. On the floor a plant is held exactly, in height it
   comes to rest within a quarter of the ease. Plants closer to each other than twice the ease are placed together.
   A skeleton without leg roles is copied and its plants counted in plants_left. A skeleton whose root never moves keeps
   it: its pelvis is moved. contacts NULL: found; else sorted by joint and start, without overlaps. About 2 microseconds a
   frame. `def`, `result` may be NULL; on failure neither *out nor *result is written. REQUEST: a plant is not in the
   clip, plants overlap or are not in order, an ease over 10 s, a stretch over 0.2. MEMORY. */
MAREY_API marey_status marey_clip_clean(const marey_clip *clip, const marey_contact *contacts,
                                        int count, const marey_clean_def *def, marey_clip **out,
                                        marey_clean_result *result, marey_error *error);

/* ---- what is made ------------------------------------------------------------------------------- */

typedef struct marey_made {
    marey_clip *clip;
    marey_contacts
        contacts; /* the plants it should have, from the constraint matches; of a registered blend only
                                 where the feet are at rest in it, not on their way or in the air */
    marey_clean_result clean; /* {0} if its feet were left alone */
    int from_a_end;   /* transitions: frames [0, from_a_end) are the first clip's own frames .. */
    int from_b_start; /* .. and [from_b_start, frames) the second's */
} marey_made;

MAREY_API void marey_made_free(marey_made *made); /* {0} is allowed */

/* How much faster something is in what was made than in what it was made of, both in cm/s: 1 for what jumps nowhere. As in
   marey_quality, steps under 0.001 cm count as that, so that a body that stands still has a ratio of 1. NaN if either
   speed is. */
MAREY_API double marey_jump_ratio(double made_cm_per_s, double inputs_cm_per_s, double fps);

/* How frames are combined. Rows of a table: --method, menus and tests read it. */
typedef enum marey_blend_method {
    MAREY_BLEND_REGISTERED, /* with timewarp, alignment and constraint matches: the paper's */
    MAREY_BLEND_UNTIMED,    /* aligned on the floor, but frame with frame: no timewarp */
    MAREY_BLEND_LINEAR, /* frame with frame, root positions averaged: the thing to compare with */
    MAREY_BLEND_METHOD_COUNT
} marey_blend_method;

MAREY_API const char *marey_blend_method_name(marey_blend_method method);  /* "registered" */
MAREY_API const char *marey_blend_method_about(marey_blend_method method); /* one line */

/* ---- blends --------------------------------------------------------------------------------------- */

typedef struct marey_blend_def { /* leave a field zero for its default */
    marey_blend_method method;
    const double *
        weights; /* of the motions, constant; scaled to sum 1; may be negative, but the sum must not be 0 */
    /* Or over time: key_count rows of (time in seconds of what is made, then a weight per motion), times rising; linear
       between rows, held before the first and behind the last. */
    int key_count;
    const double *keys;
    double fps; /* of what is made; default: the first motion's */
    /* Where the blend starts on the floor: where this motion starts (counted from 1). Default: the motion that has all
       the weight at the start, so that a blend of one motion is that motion; else the first. */
    int place_of;
    bool leave_feet;              /* no clean-up */
    const marey_clean_def *clean; /* default: its defaults */
} marey_blend_def;

/* Interpolation and continuous control (curves, 5, 6.2, 6.3) from the beginning of the curve to its end. The bones are
   the first motion's: bring motions of other people onto them first (marey_clip_refit). The same bytes always. REQUEST: no weights, not
   finite, sum 0, times not rising. LIMIT: more than 10 million frames. MEMORY, CANCELLED. */
MAREY_API marey_status marey_blend_make(marey_ctx *ctx, const marey_registration *registration,
                                        const marey_blend_def *def, marey_made *out,
                                        marey_error *error);

/* ---- transitions ---------------------------------------------------------------------------------- */

enum { MAREY_MOST_HALF = 1000 };

/* How many frames on each side of its centre a transition has, where `half` is asked for: 0 is a quarter of a second. */
MAREY_API int marey_transition_half(const marey_clip *first, int half);

typedef struct marey_cut {
    int a, b;    /* frames of the clips: the centre of the transition */
    double cost; /* the metric's distance there */
} marey_cut;

typedef struct marey_cuts_def { /* leave a field zero for its default */
    const marey_metric_def *metric;
    int half; /* frames (of the first clip) that must be there on both sides of a cut; default: 0.25 s */
    double
        below; /* only cuts that cost less; default: MAREY_CUT_LIMIT for points, none for other metrics; infinity: all */
    bool near_given[2]; /* look near a frame of the first, of the second clip .. */
    int near[2];
    double within_s; /* .. so far from it; default 0.5 s */
} marey_cuts_def;

/* The best places to go from one clip to the other, best first: cells of the grid that are less than all eight around them,
   no two within `half` frames of each other in both clips; if there is none near given frames, the least cell there. Marked
   frames are no places, nor is what lies within `half` frames of them or of a clip's ends. From a clip to itself, frames up to `half` apart are no cut. Clips of two rates are
   compared at the lower one; frames are each clip's own. cuts has room for `most`; *found is how many were written.
   REQUEST, SHAPE, MEMORY, CANCELLED: nothing is written. */
MAREY_API marey_status marey_cuts_find(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                                       const marey_cuts_def *def, int most, marey_cut *cuts,
                                       int *found, marey_error *error);

typedef struct marey_transition_def { /* leave a field zero for its default */
    marey_blend_method method;
    const marey_metric_def *metric;
    int half; /* frames on each side of the centre, 1 .. MAREY_MOST_HALF; default: 0.25 s; fewer where the clips end */
    int slope; /* default 2 */
    bool leave_feet;
    const marey_clean_def *clean;
} marey_transition_def;

/* The first clip, a transition of 2 half + 1 frames, the second clip, as one clip (curves, 6.1) that stands where the first
   clip stands; at the first clip's rate, on its bones (the second is refitted). The transition begins and ends on whole
   frames of the clips, which are otherwise as they were; but a plant that reaches into it is held over all of its length, and
   so are the plants next to that. Marks are carried over, and no marked frame is blended: half is less where one, or the
   end of a clip, is near. Plants NULL: found; else for each clip, in its own frames. On failure *out is not written.
   REQUEST: a frame is not in its clip or marked, no room for any transition, an invalid definition. SHAPE: joints
   differ. LIMIT, MEMORY, CANCELLED. */
MAREY_API marey_status marey_transition_make(marey_ctx *ctx, const marey_clip *a, int frame_a,
                                             const marey_clip *b, int frame_b,
                                             const marey_contacts *contacts /* [2] or NULL */,
                                             const marey_transition_def *def, marey_made *out,
                                             marey_error *error);

/* ---- loops ------------------------------------------------------------------------------------------ */

typedef struct marey_loop {
    int start,
        end; /* frames of the clip; the made loop has end - start frames, or a few more or fewer */
    double cost; /* the metric's distance of `start` and `end` */
    double
        seam_ratio; /* of the made loop: largest step of a joint from its last frame to its first, the first moved to
                          where it goes on, over the largest step inside it; filled by marey_loop_make */
} marey_loop;

typedef struct marey_loops_def { /* leave a field zero for its default */
    const marey_metric_def *metric;
    double shortest_s, longest_s; /* default 0.5 s and no limit */
    int half;                     /* as for cuts */
    bool
        still; /* also where the body stands still: the best loops are there, and of no use. Still is slower than
                   10 cm/s, or half the clip's own mean if that is less, on the mean of all joints */
} marey_loops_def;

/* The best loops, best first, no two of them nearly the same: as for cuts from the clip to itself, but with the start before the
   end, and no marked frame between them. If none costs less than MAREY_CUT_LIMIT (points), the best of all. */
MAREY_API marey_status marey_loops_find(marey_ctx *ctx, const marey_clip *clip,
                                        const marey_loops_def *def, int most, marey_loop *loops,
                                        int *found, marey_error *error);

typedef struct marey_loop_def { /* leave a field zero for its default */
    int half;
    int slope;
    const marey_metric_def *metric;
    bool
        in_place; /* the body stays over one point; default: it travels, and going on means moving it to where it ended */
    bool leave_feet;
    const marey_clean_def *clean;
} marey_loop_def;

/* Makes the clip; `loop` says from where to where and gets its seam_ratio. It begins with frames of the clip where they
   stand, made->from_a_end of them, and ends with a transition from around loop->end back to around loop->start; it has
   end - start frames, a few more or fewer where the two are passed through at different paces. In place, what a round
   travels and turns is taken out of all its frames evenly, then a mean of the way over about a second; the sway within a
   step stays, feet slide, and its plants say when they would stand. On failure neither *out nor *loop is written.
   REQUEST: the frames are no loop or have no room around them, a marked frame lies between. MEMORY, CANCELLED. */
MAREY_API marey_status marey_loop_make(marey_ctx *ctx, const marey_clip *clip,
                                       const marey_contacts *contacts, const marey_loop_def *def,
                                       marey_loop *loop, marey_made *out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
