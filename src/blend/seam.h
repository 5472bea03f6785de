/* seam.h - the frames that lead from one clip to another: what transitions and loops share. Read by
   both.

       first clip   ... from[0] - 1 |                                |
       seam                         | 0  1  2  ...         2 half    |
       second clip                  |                                | from[1] + 1 ...

   Frame 0 of the seam is frame from[0] of the first clip where it stands, and the last one is frame
   from[1] of the second clip, moved by `behind`. */
#ifndef MRY_SEAM_H
#define MRY_SEAM_H

#include "blend/blend_pose.h"
#include "blend/blender.h"

typedef struct mry_seam {
    int half; /* as there was room for */
    int from[2];
    mry_floor behind;
    marey_clip *frames;
    marey_contacts plants; /* of those frames */
    mry_trunk body;        /* what is moved when frames of the clips are */
} mry_seam;

/* What it leads between. */
typedef struct mry_seam_ends {
    const marey_clip *clips[2]; /* same joints, bones and rate; may be the same clip */
    int centre[2];              /* frames that belong together */
    const marey_contacts *plants[2];
} mry_seam_ends;

/* The clean-up of `def` is not done here. On failure *out is not written. REQUEST: a frame is not
   in its clip, marked, or has no neighbours; the definition is invalid. MEMORY, CANCELLED. */
marey_status mry_seam_build(marey_ctx *ctx, const mry_seam_ends *ends,
                            const marey_transition_def *def, mry_seam *out, marey_error *error);
void mry_seam_free(mry_seam *seam);

/* ---- frames that belong together ---- seam_path.c */

typedef struct mry_seam_path_def {
    const marey_clip *clips[2];
    int centre[2];
    const marey_metric_def *metric;
    int slope;
    int reach; /* frames of both clips together, to each side of the centre */
} mry_seam_path_def;

/* Through the centre; rows are frames of the first clip. Its cells live in `mem`. */
marey_status mry_seam_path_find(mry_arena *mem, const mry_seam_path_def *def, marey_path *out,
                                marey_error *error);

/* ---- its frames in time ---- seam.c */

typedef struct mry_seam_times {
    int half;         /* at most; becomes what there is room for, 0 if none */
    double centre[2]; /* rows */
    /* becomes: rows of the first motion at the first frame, of the second at the last */
    int ends[2];
    double *u;       /* 2 half + 1, filled in */
    double *weights; /* twice as many, filled in: 1, 0 in the first frame, 0, 1 in the last */
} mry_seam_times;

void mry_seam_times_find(const marey_registration *registration, mry_seam_times *times);

/* ---- frames elsewhere ---- seam.c */

/* A frame of a clip, moved on the floor, as frame `at` of `made`. */
void mry_seam_copy(const mry_trunk *body, const marey_clip *clip, int frame, mry_floor move,
                   marey_clip *made, int at);

/* ---- plants ---- seam_plants.c */

/* Plants of frames [start, end), which get the numbers from `first` on; appended to out, which has
   its ctx. false: out of memory. */
bool mry_seam_take_plants(const marey_contacts *from, int start, int end, int first,
                          marey_contacts *out);

void mry_seam_sort_plants(marey_contacts *plants); /* by joint and start */

/* Makes one of two plants of a joint that touch at frame `at`, if they come from one that crosses
   `frame` in `from`: others that touch are two. */
void mry_seam_mend_plants(marey_contacts *plants, int at, const marey_contacts *from, int frame);

/* Where the seams of a made clip are: frames [start, end), and the same every `period` frames, so
   many rounds. */
typedef struct mry_seam_rounds {
    int start, end;
    int period, rounds;
} mry_seam_rounds;

/* Parts the plants in which a foot is carried along in a seam of the clip: they end when it leaves,
   begin when it has come. false: out of memory. */
bool mry_seam_part_plants(const marey_clip *clip, const mry_seam_rounds *seams,
                          marey_contacts *plants);

/* The plants that a clean-up has to hold: those that reach into a seam, and their neighbours in
   time, which would be moved along when those are; its corrections come and go over `ease` frames.
   Appended to out, in order. false: out of memory. */
bool mry_seam_held_plants(const marey_contacts *plants, const mry_seam_rounds *seams, int ease,
                          marey_contacts *out);

/* Cleans the made clip with those held. `name` is for an error. */
marey_status mry_seam_clean(const mry_seam_rounds *seams, const marey_clean_def *def,
                            marey_made *made, const char *name, marey_error *error);

/* ---- loops ---- loop.c */

/* Takes the travel out of a loop that goes on moved by `onwards`: after it, it goes on where it is.
   The clip is changed; its first frame stays where it stands. false: out of memory. */
bool mry_loop_stay(marey_clip *loop, const mry_trunk *body, mry_floor onwards);

#endif
