/* lab.h - what the experiments on metrics share: clips at 30 frames a second, the pairs of frames
   that a metric finds in two of them, how many pairs two findings have in common, pictures. Lee's
   joints throughout. An experiment that cannot go on says why and ends the program: there is no
   caller to hand a status to. */
#ifndef MAREY_EXPERIMENTS_LAB_H
#define MAREY_EXPERIMENTS_LAB_H

#include <marey/marey.h>

#include <stdio.h>

enum { LAB_FPS = 30 };

typedef struct lab {
    marey_ctx *ctx;
    const char *mocap;  /* folder of the real clips */
    const char *folder; /* for pictures and made clips */
    marey_joint_weights joints;
} lab;

/* Ends the program if status is not MAREY_OK. */
void lab_must(marey_status status, const marey_error *error);
/* Room for so many bytes; the experiments free nothing that lives until the end. */
void *lab_room(size_t bytes);
double lab_seconds(void);

/* A clip of the folder ("cmu/16_15") or, if the name ends in .bvh, of any place, at LAB_FPS. Of
   CMU's the invented first frame is dropped. source_fps 0: as the file says. Frames [first, end) at
   LAB_FPS; end 0: all. */
marey_clip *lab_load(const lab *in, const char *name, double source_fps, int first, int end);

/* The walk and the run of most experiments, from CMU: 91_57 while it walks, and 38_03, which runs
   all the time. */
marey_clip *lab_walk(const lab *in);
marey_clip *lab_run(const lab *in);

enum { LAB_WALK_FIRST = 70, LAB_WALK_END = 215 };

/* What a metric finds in two clips. */
typedef struct finding {
    marey_layout *layout;
    marey_features *sides[2];
    marey_pair *pairs;
    int count;
    double seconds; /* of all of it: layout, features, grid, pairs */
} finding;

/* A metric with the lab's joints; attributes: its terms' weights, or NULL for 1 each. */
marey_metric_def lab_metric(const lab *in, const char *name, const double *attributes);

/* The best pairs of clips[0] and clips[1]; the others only have a say in the normalisers of
   `positions`. pairs 0: 1 % of the cells, at least 10. */
finding lab_find(const lab *in, const marey_clip *const *clips, int count,
                 const marey_metric_def *def, int pairs);
void finding_free(finding *found);
marey_judgement finding_judge(const finding *found);
/* Which share of the pairs both have. */
double finding_common(const finding *one, const finding *other);

/* A clip whose root is turned by a quarter about the vertical, tilted about z, and lowered; also
   left in the folder. Frames as by lab_load. */
marey_clip *lab_load_on_ramp(const lab *in, const char *name, double slope_deg, double lower_cm,
                             int first, int end);

/* FOLDER/NAME.png: the grid with the pairs as dots. */
void lab_picture(const lab *in, const finding *found, const marey_clip *a, const marey_clip *b,
                 const char *name, int side_px);
/* FOLDER/NAME.pgm: grey, 0 .. 255. */
void lab_grey(const lab *in, const char *name, const unsigned char *pixels, int width, int height);

/* ---- the experiments: each prints its tables ------------------------------------------------- */

void experiment_relative_places(const lab *in); /* figure 6 */
void experiment_smoothing(const lab *in);       /* figure 7 */
void experiment_levels(const lab *in);          /* figures 12 to 14 */
void experiment_weights(const lab *in);         /* figures 1, 15 and 16 */
void experiment_sets(const lab *in);            /* figures 17 and 18, table 3 */
void experiment_cuts(const lab *in);            /* figure 19 */

#endif
