/* settings_bytes.h - parts of what graphs are saved as: floats, and what tells their clips from others. Read by graph_bytes.c and cluster_bytes.c. */
#ifndef MRY_SETTINGS_BYTES_H
#define MRY_SETTINGS_BYTES_H

#include "feature/metric_bytes.h"

#include <marey/feature.h>

void mry_put_float(mry_bytes_writer *out, float value);
float mry_get_float(mry_bytes_reader *in); /* 0 on failure; finite */

/* Of each clip frames, rate, joints, and sums of its numbers. */
void mry_put_clips(mry_bytes_writer *out, const marey_clip *const *clips, int count);
bool mry_same_clips(mry_bytes_reader *in, const marey_clip *const *clips, int count);

#endif
