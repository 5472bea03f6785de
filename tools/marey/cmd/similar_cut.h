/* similar_cut.h - the clip that is cut from one clip to the other at a similar pair. Read after metric_options.h and
   clip_out.h. */
#ifndef MAREY_TOOL_SIMILAR_CUT_H
#define MAREY_TOOL_SIMILAR_CUT_H

#include "clip_out.h"
#include "metric_options.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct cutting_out {
    const comparison *all;
    const char *target; /* a file, or LIB.marey:NAME */
    marey_stitch_def def;
    bool provenance;  /* also beside the file */
    int frames[2];    /* the pair, as in the files */
    int seam;         /* the first frame that comes from the second clip */
    marey_clip *clip; /* what was made */
    clip_out out;
} cutting_out;

/* --cut and what goes with it; *out is zero but for the options. Returns an exit status, the reason being said. */
int cutting_options(cutting_out *out, session *run, const request *asked);

/* Makes the clip for frames i and j of the clips as they are in their files. cutting_free must follow either way. */
marey_status cutting_make(cutting_out *out, const comparison *all, int i, int j,
                          marey_error *error);
void cutting_free(cutting_out *out);

#endif
