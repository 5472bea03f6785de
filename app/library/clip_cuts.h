/* clip_cuts.h - what is asked and answered when parts of clips become clips. Read after
   operation.h. */
#ifndef MAREY_APP_CLIP_CUTS_H
#define MAREY_APP_CLIP_CUTS_H

#include "operation.h"

typedef struct app_cut_params {
    app_params given;
    app_cuts cuts;
    app_texts label, source_label;
    bool mirror;
} app_cut_params;

typedef struct app_cut_result { /* both in the order of the cuts */
    const marey_clip_cut *cuts; /* their frames */
    const marey_named *clips;   /* what was made of them */
} app_cut_result;

#endif
