/* drawn_curve.h - a curve that was drawn: samples of signals at even times. Read after
   find_motion.h; query by example uses it. */
#ifndef MAREY_APP_DRAWN_CURVE_H
#define MAREY_APP_DRAWN_CURVE_H

#include "env.h"
#include "params.h"

typedef struct app_curve {
    int signals;          /* columns behind the time */
    int samples;          /* of each, at least 2 */
    double fps;           /* samples a second */
    double start_s;       /* the time of the first */
    const double *values; /* signals x samples; NaN in a whole row: not asked for */
    const char
        *names; /* what the heading calls the signals, "Hips.Yposition,..."; "" if it has none */
} app_curve;

enum { APP_CURVE_SAMPLES = 4096 }; /* of a body's, at most */

/* A file: lines of a time in seconds, rising, and up to MAREY_MOST_DOFS values. Times that are
   not even are brought to even ones, straight between lines. It lives in the scope. INPUT, with
   the line. */
marey_status app_curve_read(const app_env *env, const char *path, app_curve *out,
                            marey_error *error);

/* {"fps": 30, "values": [[...], null]}: null in place of a row that is not the first, whose
   signal is not asked for. REQUEST. */
marey_status app_curve_parse(const app_env *env, const app_document *document, app_curve *out,
                             marey_error *error);

#endif
