/* strip.h - one film strip, made in two steps: find what to show and where, which allocates and may
   run in any thread (strip.c); then draw (strip_draw.c). Sheets draw many. Read after track.h and
   figure.h. */
#ifndef MRY_STRIP_H
#define MRY_STRIP_H

#include "picture/figure.h"
#include "picture/track.h"

#include <marey/picture.h>

typedef struct mry_strip_pose {
    int frame;
    double origin[3]; /* on the floor below the root */
    double box[4];    /* about the origin, in cm of the picture: left, top, right, bottom */
    double x;         /* where the origin is drawn */
    mry_part *parts;
    int part_count;
    double *points; /* x 3, by marey_contact_joint: where what can be planted is */
} mry_strip_pose;

/* What is where, in pixels:

       title                                      left right
       |  figures ............................  |  plan   |
       |  ................. floor_y ..........  |         |
       |  plants: bars from bars_y on           |
       |  axis_y: seconds, frames               |               */
typedef struct mry_strip_layout {
    bool small;                      /* a thumbnail: no numbers, no plan */
    double left, right, top, bottom; /* of the figures */
    double floor_y, bars_y, bar_step, bar_height, axis_y;
    double plan_left, plan_size; /* size 0: none */
    double title_size, title_y;  /* size 0: none */
} mry_strip_layout;

typedef struct mry_strip {
    const marey_clip *clip;
    const char *title;
    int width, height;
    mry_body body;
    mry_track track;
    mry_view view;
    mry_strip_layout layout;
    double scale; /* pixels per cm */
    int pose_count;
    mry_strip_pose *poses;
    const marey_contact *contacts;
    int contact_count;
    int prints;           /* of the plan */
    double *print_at;     /* prints x 2: places on the floor (x, z) */
    uint8_t *print_right; /* which side */
} mry_strip;

static inline bool mry_contact_is_right(marey_contact_joint joint)
{
    return joint == MAREY_CONTACT_RIGHT_HEEL || joint == MAREY_CONTACT_RIGHT_TOE ||
           joint == MAREY_CONTACT_RIGHT_HAND;
}

/* Without `titled` the top is left free of text and used for figures. `def` may be NULL. side: as
   for mry_track_yaw. */
marey_status mry_strip_find(mry_strip *strip, mry_arena *mem, const marey_clip *clip,
                            const marey_strip_def *def, int side, int width, int height,
                            bool titled);

void mry_strip_draw(const mry_strip *strip, cairo_t *cr);

double mry_strip_x(const mry_strip *strip, double frame); /* on the time axis */

/* Poses come in the order in which they are worth showing, and leave in the order of time, each
   with its x, as near to its time as there is room without covering another; sets scale and floor.
   All of them; where that is many, they are smaller, so that there is some room to stand where they
   belong. */
void mry_strip_place_all(mry_strip *strip);
/* As many as stand close to their times. */
void mry_strip_place_some(mry_strip *strip);

#endif
