/* stitch_plot.h - the curves of a stitch (clusters, figure 3): the two clips, and what was made of them over both. Read after
   asked_example.h. */
#ifndef MAREY_TOOL_STITCH_PLOT_H
#define MAREY_TOOL_STITCH_PLOT_H

#include "asked_example.h"

typedef struct stitch_plot {
    session *run;
    const marey_parts *parts;
    const marey_route *route;
    const marey_clip *made;
    const marey_dof *dofs; /* none: what bends the left knee, the left hip and the right elbow */
    int dof_count;
} stitch_plot;

marey_status stitch_plot_save(const stitch_plot *of, const char *path, marey_error *error);

#endif
