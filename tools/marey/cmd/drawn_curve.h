/* drawn_curve.h - a curve that somebody drew: a file of times and values, as samples at even times. Read after session.h;
   example uses it. */
#ifndef MAREY_TOOL_DRAWN_CURVE_H
#define MAREY_TOOL_DRAWN_CURVE_H

#include "session.h"

typedef struct drawn_curve {
    int signals;    /* columns behind the time */
    int samples;    /* of each, at least 2 */
    double fps;     /* samples a second */
    double start_s; /* the time of the first */
    buffer values;  /* doubles: signals x samples */
    buffer names; /* what the heading calls the signals, "Hips.Yposition,..."; "" if it has none */
} drawn_curve;

/* Lines of a time in seconds, rising, and up to MAREY_MOST_DOFS values. Times that are not even are brought to even ones,
   straight between lines. After it, whatever it returned, drawn_curve_free must follow. INPUT, with the line. */
marey_status drawn_curve_read(session *run, const char *path, drawn_curve *out, marey_error *error);
void drawn_curve_free(drawn_curve *of);

#endif
