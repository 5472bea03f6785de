/* retarget_report.h - how well a body follows another. Read by retarget. */
#ifndef MRY_RETARGET_REPORT_H
#define MRY_RETARGET_REPORT_H

#include "motion/clip_data.h"

#include <marey/retarget.h>

/* Compares both motions, frame by frame; false: no memory. */
bool mry_retarget_measure(mry_arena *tmp, const marey_clip *clip, const marey_clip *made,
                          double leg_ratio, marey_retarget_result *out);

#endif
