/* gravity.h - a body's masses and the rates that motion is recorded at, for what tells the length of
   a frame by gravity. Read by flight.c and the check of rates. */
#ifndef MRY_GRAVITY_H
#define MRY_GRAVITY_H

#include <marey/motion.h>

#define MRY_GRAVITY 981.0 /* cm/s^2 */

typedef struct mry_segment {
    double mass; /* share of the body's */
    marey_role from, to;
    double centre; /* of mass, as a share of the way from one to the other */
} mry_segment;

enum { MRY_SEGMENTS = 13 };
extern const mry_segment mry_segments[MRY_SEGMENTS];

/* The common rate that is nearest to `rate`. Wrong claims mostly are off by two or four, so these
   count as `favour` times as near. */
double mry_rate_near(double rate, double claimed, double favour);

#endif
