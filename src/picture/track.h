/* track.h - a clip in brief: a few hundred unmarked frames with the places of the joints that
   matter. From it strips and videos choose the camera, the floor and the poses to show. Read after
   body.h. */
#ifndef MRY_TRACK_H
#define MRY_TRACK_H

#include "picture/body.h"

enum { MRY_TRACK_MOST = 480, MRY_TRACK_KEYS = 32 };

typedef struct mry_track {
    int count;   /* samples; at least 1 */
    int *frames; /* of each sample, rising; the first and the last unmarked frame are among them */
    int key_count;                /* joints kept of each sample, at least 1 */
    int8_t sides[MRY_TRACK_KEYS]; /* of each: 1 left, -1 right, 0 neither */
    double *places;               /* count x key_count x 3 */
    double *roots;                /* count x 3 */
    double facing[3]; /* mean over the clip, on the floor, unit length; {0} if there is none */
    double floor_cm;  /* height of the floor */
} mry_track;

/* Fills both; a clip of marked frames only is taken whole. False when out of memory. */
bool mry_track_find(mry_track *track, mry_body *body, mry_arena *mem, const marey_clip *clip);

/* Samples in the order in which they are worth showing: the first and last sample, then again and
   again the one that is farthest from what the poses around it let expect. So the best n poses are
   the first n. Returns how many of `most` there are. False in *ok when out of memory. */
int mry_track_rank(const mry_track *track, mry_arena *tmp, int most, int *ranked, bool *ok);

/* Where the camera stands for the best view: an angle about the vertical from the z axis towards x.
   side: from which side a character that stays is seen, 1 from its left, -1 from its right; 0: as
   mry_track_side says. One that travels goes from left to right, and is seen from its right. */
double mry_track_yaw(const mry_track *track, const mry_body *body, int side);

/* From which side a character that stays is seen best, as above; 0: it travels, or has no sides. */
int mry_track_side(const mry_track *track, const mry_body *body);

/* The way on the floor: its main direction as a unit vector (x, z) that points from start to end,
   and how long the root's path is along it. */
double mry_track_way(const mry_track *track, double *way);

#endif
