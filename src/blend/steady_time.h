/* steady_time.h - how time flows along a registration curve while the weights stay as they are: the
   u of frame after frame, at a small part of what blend_time.c needs for weights that change. Read
   by param, which asks for the times of very many blends. */
#ifndef MRY_STEADY_TIME_H
#define MRY_STEADY_TIME_H

#include "align/registration_data.h"

/* A piece of the way, over which du/dt hardly bends. Nothing in it belongs to others but what it
   was started with. */
typedef struct mry_steady {
    const marey_registration *of;
    int count; /* of motions that have a vote */
    int motion[MRY_MOST_MOTIONS];
    double vote[MRY_MOST_MOTIONS]; /* they sum to 1 */

    /* the span of the spline that the piece is in: slopes are low + (u - start) * rise */
    int number;
    double span, start;
    double low[MRY_MOST_MOTIONS], rise[MRY_MOST_MOTIONS];
    double pieces_end, piece; /* where its pieces end, and how long each is, in u */

    /* the piece: rows of time at its start, and dt/du at its start, in its middle and at its end */
    double u, length, rows, a, b, c;
} mry_steady;

/* At the start of the curve, with these weights (one a motion, not all 0). The registration must
   stay. */
void mry_steady_start(mry_steady *s, const marey_registration *registration, const double *weights);

/* The u that is so many rows of time behind the curve's start, to 1e-4 of a row; `rows` must not
   fall from call to call. Returns how many of them lie beyond the curve's end, where *u is held. */
double mry_steady_at(mry_steady *s, double rows, double *u);

#endif
